"""What stands under the tables of pairs of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, isfinite

from biasvar_cli.analyses.compare.answer import CORRECTIONS, TEST_NAMES, CompareTable, PairResults, tests_table
from biasvar_cli.analyses.compare.pairs import TOGETHER
from biasvar_cli.analyses.compare.swaps import TOLERATED
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.table import Extra, Note, listed
from biasvar_cli.words import counted

_LEAST_P = 1e-300
_FEW = 10  # queries that differ; with fewer the normal distribution is rough


def under(found: PairResults, table: CompareTable, best: Sequence[str] = (), *, n_rows: int, n_all: int) -> Extra:
    """What stands under one of the tables, of which ``n_rows`` of ``n_all`` rows are shown.

    ``best`` are the runs that the one with the best mean does not beat, itself first.
    """
    notes = {"runs": _of_runs, "pairs": _of_pairs, "power": _of_power, "swap": _of_swaps}[table]
    return Extra(
        notes=(*_shown(n_rows, n_all), *notes(found, best)),
        details=tuple(_details(found, table)),
        second=(tests_table(found),) if table in ("runs", "pairs") else (),
    )


def _shown(n_rows: int, n_all: int) -> Iterator[Note]:
    if n_rows < n_all:
        yield Note(f"{n_rows} of {n_all} rows shown; every number is of all runs.")


def _of_runs(found: PairResults, best: Sequence[str]) -> Iterator[Note]:
    tests, critical = found.tests, found.primary.critical
    if tests.n_beaten is None and tests.baseline is not None:
        yield Note(f"No comparison bars: runs were compared with {found.baseline} alone; see --table pairs.")
        yield from _too_little(found)
    elif found.primary.method == "none":
        yield from _too_little(found)
    elif critical != critical:
        yield Note(f"No run is compared: {_too_few_samples(found)}")
    else:
        yield _verdict(found, best)
        yield _bars(found)
        yield Note("better: how many runs this one is significantly better than; worse: how many are better than it.")
    if tests.lower_is_better:
        yield Note("mean: the total error of the run; the lowest is the best.")
    yield from _track(found)


def _too_little(found: PairResults) -> Iterator[Note]:
    """What is said in place of a verdict on few queries."""
    if found.primary.method == "none":
        n_queries = found.tests.values.shape[1]
        yield Note(
            f"No run is called better than another: the {TEST_NAMES['stepdown']} needs at least {FEWEST_QUERIES} "
            f"queries, and there are {n_queries}."
        )
        yield Note(
            f"{counted(n_queries, 'query')} tell little, whatever the test; --table pairs has the paired t test."
        )


def _too_few_samples(found: PairResults) -> str:
    return f"{found.tests.request.n_samples} samples are too few for this level; raise --samples."


def _verdict(found: PairResults, best: Sequence[str]) -> Note:
    """Which run is best, and from how many it does not differ."""
    first, n_others = best[0], len(found.tests.runs) - 1
    leads = f"{first} has the {'least total error' if found.tests.lower_is_better else 'best mean'}"
    alike = len(best) - 1
    if alike == n_others:
        return Note(f"No two runs differ significantly. {leads}.")
    if alike == 0:
        return Note(f"{leads} and is significantly better than every other run.")
    better = f"significantly better than {n_others - alike} of the other {counted(n_others, 'run')}"
    return Note(f"{leads}: {better}, not significantly different from {alike} (*).")


def _bars(found: PairResults) -> Note:
    """What [low, high] of a run is, and which test it comes from."""
    how = f"{found.primary_name}, {100 * found.threshold:.3g} % for {_family(found)}"
    critical = found.primary.critical
    if not isfinite(critical):
        return Note(f"No comparison bars: no difference on these queries would be significant ({how}).")
    return Note(
        f"[low, high]: comparison bar, mean ± {{}}. Two runs whose bars do not overlap differ significantly ({how}).",
        (critical / 2,),
        signed=False,
    )


def _family(found: PairResults) -> str:
    """The pairs that p-values allow for."""
    number = found.tests.n_family
    return "this pair" if number == 1 else f"all {number} pairs together"


def _promise(found: PairResults) -> Note:
    """What the primary test promises."""
    pairs = "the pair" if found.tests.n_family == 1 else f"all {found.tests.n_family} pairs"
    return Note(
        f"The {found.primary_name} keeps the chance of any false difference among {pairs} at about "
        f"{100 * found.threshold:.3g} %; docs/definitions.md has the rates measured."
    )


def _of_pairs(found: PairResults, _: Sequence[str]) -> Iterator[Note]:
    tests = found.tests
    yield from _too_little(found)
    yield from _against_baseline(found)
    what = (
        "total error of run minus that of versus, so below 0 run is better"
        if tests.lower_is_better
        else "mean of run minus mean of versus"
    )
    yield Note(f"delta: {what}; [low, high]: its {_percent(found)} t interval, for this pair alone.")
    yield Note("es: effect size, delta over the standard deviation of the differences.")
    yield Note("wins, losses: queries on which run is better than versus, and worse.")
    yield from _of_p(found)
    if {"wilcoxon", "sign"} & set(tests.p):
        yield Note("Wilcoxon and sign do not test whether means are equal: on real scores they reject that too often.")
    rough = int(((tests.wins + tests.losses) < _FEW).sum())
    if rough and "wilcoxon" in tests.p:
        yield Note(f"Wilcoxon's p is rough where fewer than {_FEW} queries differ: {counted(rough, 'pair')}.")


def _against_baseline(found: PairResults) -> Iterator[Note]:
    """Which runs are better and worse than the baseline, by the primary test."""
    tests = found.tests
    if tests.baseline is None:
        return
    if found.primary.method == "none":
        return
    if found.primary.critical != found.primary.critical:
        yield Note(f"No run is called better or worse than {found.baseline}: {_too_few_samples(found)}")
        return
    hint = "" if "stepdown" in tests.p else "; --test stepdown adds its p"
    sign = -1 if tests.lower_is_better else 1
    for word, side in (("better", 1), ("worse", -1)):
        order = (-side * sign * tests.delta).argsort(kind="stable").tolist()
        names = [tests.runs[tests.run[i]] for i in order if tests.differs[i] and side * sign * tests.delta[i] > 0]
        runs = listed(names, 5) or "none"
        yield Note(f"Significantly {word} than {found.baseline} ({found.primary_name}{hint}): {runs}.")
        hint = ""


def _of_p(found: PairResults) -> Iterator[Note]:
    """What the columns of p-values hold for: one pair, or all of them; the primary test first."""
    tests, correction = found.tests, found.tests.request.correction
    family = "this pair" if tests.n_family == 1 else f"all {counted(tests.n_family, 'pair')}"
    if tests.baseline is not None and tests.n_family > len(tests.delta):
        family += f" of runs, since {found.baseline} was chosen for its mean"
    if "stepdown" in tests.p and found.primary.method == "none":
        yield Note(f"stepdown_p is undefined (-): it needs at least {FEWEST_QUERIES} queries.")
    elif "stepdown" in tests.p:
        yield Note(
            f"stepdown_p ({found.primary_name}): p that allows for {family}; below {found.threshold:g} two runs "
            "differ significantly."
        )
    single = [test for test in tests.p if test not in TOGETHER]
    corrected = [f"{test}_{correction}" for test in single if correction in CORRECTIONS]
    if corrected and correction == "bh":
        yield Note(
            f"{', '.join(corrected)}: p after {CORRECTIONS[correction]} correction for "
            f"{counted(tests.n_family, 'pair')}; of the pairs with p below {found.threshold:g}, "
            f"{100 * found.threshold:.3g} % are expected to be false."
        )
    elif single and not corrected:
        yield Note(f"{', '.join(f'{test}_p' for test in single)}: p of this pair alone.")
    for_all = [*(corrected if correction != "bh" else []), *(["tukey_p"] if "tukey" in tests.p else [])]
    if for_all:
        yield Note(f"{', '.join(for_all)}: p of {'other tests' if len(for_all) > 1 else 'another test'}, for {family}.")


def _of_power(found: PairResults, _: Sequence[str]) -> Iterator[Note]:
    yield Note(
        f"n_significant: pairs of runs with p below {found.threshold:g}; share: of all pairs. A measure with a higher "
        "share tells more runs apart."
    )
    yield Note("smallest_significant, largest_not_significant: how far apart the means of such a pair are.")
    if found.tests.request.correction != "bh":
        yield Note("tukey, stepdown and rows with a correction allow for all pairs together, the others for one pair.")
    yield from _track(found)


def _of_swaps(found: PairResults, _: Sequence[str]) -> Iterator[Note]:
    swaps = found.swaps
    assert swaps is not None, "swaps are counted where they are shown"
    tolerated = f"{100 * TOLERATED:g} %"
    if isfinite(swaps.needed):
        yield Note(
            f"Differences of {{}} or more have the other sign on the other half in at most {tolerated} of "
            "comparisons; {} of all comparisons are that large.",
            (swaps.needed, swaps.share),
            signed=False,
        )
    else:
        yield Note(f"Among the largest differences too, more than {tolerated} have the other sign on the other half.")
    splits = counted(swaps.n_splits, "random split")
    yield Note(f"{splits} of the queries into two halves of {swaps.half}; a comparison is a pair of runs on one split.")
    yield Note("n: comparisons of runs that are low to high apart on the first half.")
    yield Note("swaps: those where the second half finds the other run better; rate: their share.")


def _details(found: PairResults, table: CompareTable) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    tests = found.tests
    if table in ("runs", "pairs"):
        yield Note(
            "critical difference: a test of all pairs together finds two runs different whose means are further apart."
        )
    if table in ("runs", "pairs") and found.primary.method != "none":
        yield _promise(found)
    if "tukey" in tests.p:
        yield Note("Tukey's test supposes runs of equal spread; the step-down test does not.")
    if table == "pairs" and any(each != each for each in tests.es):
        yield Note("es is undefined (-) where the difference is the same on every query.")
    if {"wilcoxon", "sign"} & set(tests.p) and table != "pairs":
        yield Note("Wilcoxon and sign do not test whether means are equal: on real scores they reject that too often.")
    if isfinite(found.size.detectable):
        yield Note(
            "The difference that is found so often is that of a pair whose differences have the median deviation."
        )
    yield from _statistics(found)


def _track(found: PairResults) -> Iterator[Note]:
    """All runs at once, and what so many queries can find."""
    anova, friedman = found.anova, found.friedman
    parts, values = [], []
    for name, defined, p in (
        ("ANOVA", isfinite(anova.f_runs), anova.p_runs),
        ("Friedman's test", isfinite(friedman.chi2), friedman.p),
    ):
        parts.append(f"{name} {_p_words(p)}" if defined else f"{name} undefined")
        values += [max(p, _LEAST_P)] if defined else []
    text = f"Are all runs equal? {', '.join(parts)} (below {found.threshold:g}: no)."
    yield Note(text, tuple(values), signed=False)
    yield _queries(found)


def _statistics(found: PairResults) -> Iterator[Note]:
    """The statistics of the two tests of all runs, or why there is none."""
    anova, friedman = found.anova, found.friedman
    if isfinite(anova.f_runs):
        yield Note(f"ANOVA: F({anova.df_runs}, {anova.df_error}) = {{}}.", (anova.f_runs,), signed=False)
    else:
        yield Note("ANOVA: undefined, for runs differ by the same on every query.")
    if isfinite(friedman.chi2):
        yield Note(f"Friedman's test: chi-square({friedman.df}) = {{}}.", (friedman.chi2,), signed=False)
    else:
        yield Note("Friedman's test: undefined, for all runs are equal on every query.")


def _p_words(p: float) -> str:
    """How a p-value is said: one that is too small for a number of its own is not 0."""
    return "p {}" if p >= _LEAST_P else "p below {}"


def _queries(found: PairResults) -> Note:
    """The difference that so many queries can find, and the queries that another one needs."""
    size, n_queries = found.size, counted(found.tests.values.shape[1], "query")
    if size.sd == 0:
        return Note("The median pair has the same difference on every query: what the queries can find is undefined.")
    asked = f"; one of {size.detect:g} needs {ceil(size.queries)} queries" if isfinite(size.queries) else ""
    if not isfinite(size.detectable):
        return Note(f"{n_queries}: too few for a t test at this level to find any difference so often{asked}.")
    text = f"With {n_queries} a true difference of {{}} is found in {100 * size.power:g} % of cases{asked}"
    return Note(f"{text} (paired t test).", (size.detectable,), signed=False)


def _percent(found: PairResults) -> str:
    return f"{100 * found.tests.request.level:g} %"
