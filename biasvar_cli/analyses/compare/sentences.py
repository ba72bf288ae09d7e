"""What stands under the tables of pairs of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, isfinite

from biasvar_cli.analyses.compare.answer import TOLERATED, CompareAnswer
from biasvar_cli.stats.significance import CORRECTIONS, FAMILY_TESTS, PRIMARY, TESTS
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.table import Note, about, listed, measure_words
from biasvar_cli.words import counted

_LEAST_P = 1e-300
_TOO_FEW = "samples are too few for this level; raise --samples."
_TOTALS = {"total": "total error, ", "total_gap": "total error of the gap, "}


def about_compared(answer: CompareAnswer, measures: str = "") -> str:
    """What is compared, in words, under several ``measures`` or that of the answer; a mean score has no target."""
    measure, n_runs, n_queries = measures or measure_words(answer.measure), len(answer.runs), answer.n_queries
    if answer.request.of == "mean":
        return f"{measure}, {counted(n_runs, 'run')}, {counted(n_queries, 'query')}"
    return _TOTALS[answer.request.of] + about(measure, answer.target, n_runs, n_queries)


def notes_under(answer: CompareAnswer, table: str, best: Sequence[str], *, n_rows: int, n_all: int) -> Iterator[Note]:
    """What stands under one of the tables, of which ``n_rows`` of ``n_all`` rows are shown.

    ``best`` are the runs that the one with the best mean does not beat, itself first.
    """
    if n_rows < n_all:
        yield Note(f"{n_rows} of {n_all} rows shown; every number is of all runs.")
    if table == "runs":
        yield from _of_runs(answer, best)
    else:
        yield from {"pairs": _of_pairs, "power": _of_power, "swap": _of_swaps}[table](answer)


def _of_runs(answer: CompareAnswer, best: Sequence[str]) -> Iterator[Note]:
    tests, critical = answer.tests, answer.tests.primary.critical
    if tests.n_beaten is None and tests.baseline is not None:
        yield Note(f"No comparison bars: runs were compared with {answer.baseline_name} alone; see --table pairs.")
    yield from _too_little(answer)
    if tests.n_beaten is not None and critical != critical:
        yield Note(f"No run is compared: {answer.request.samples} {_TOO_FEW}")
    elif tests.n_beaten is not None:
        yield _verdict(answer, best)
        yield _bars(answer)
        yield Note("better: how many runs this one is significantly better than; worse: how many are better than it.")
    if answer.request.lower_is_better:
        yield Note("mean: the total error of the run; the lowest is the best.")
    yield from _track(answer)


def _too_little(answer: CompareAnswer) -> Iterator[Note]:
    """What is said in place of a verdict on few queries."""
    n_queries = answer.n_queries
    if answer.tests.primary.method == "none":
        needs = f"the {TESTS[PRIMARY].words} needs at least {FEWEST_QUERIES} queries, and there are {n_queries}"
        yield Note(f"No run is called better than another: {needs}.")
        few = f"{counted(n_queries, 'query')} tell little, whatever the test"
        yield Note(f"{few}; --table pairs has the paired t test.")


def _verdict(answer: CompareAnswer, best: Sequence[str]) -> Note:
    """Which run is best, and from how many it does not differ."""
    first, n_others = best[0], len(answer.tests.runs) - 1
    leads = f"{first} has the {'least total error' if answer.request.lower_is_better else 'best mean'}"
    alike = len(best) - 1
    if alike == n_others:
        return Note(f"No two runs differ significantly. {leads}.")
    if alike == 0:
        return Note(f"{leads} and is significantly better than every other run.")
    better = f"significantly better than {n_others - alike} of the other {counted(n_others, 'run')}"
    return Note(f"{leads}: {better}, not significantly different from {alike} (*).")


def _bars(answer: CompareAnswer) -> Note:
    """What [low, high] of a run is, and which test it comes from."""
    critical, n_family = answer.tests.primary.critical, answer.tests.n_family
    family = "this pair" if n_family == 1 else f"all {n_family} pairs together"
    how = f"{answer.tests.words(PRIMARY)}, {100 * answer.request.threshold:.3g} % for {family}"
    if not isfinite(critical):
        return Note(f"No comparison bars: no difference on these queries would be significant ({how}).")
    text = f"comparison bar, mean ± {{}}. Two runs whose bars do not overlap differ significantly ({how})."
    return Note(f"[low, high]: {text}", (critical / 2,), signed=False)


def _of_pairs(answer: CompareAnswer) -> Iterator[Note]:
    tests = answer.tests
    yield from _too_little(answer)
    yield from _against_baseline(answer)
    what = "mean of run minus mean of versus"
    if answer.request.lower_is_better:
        what = "total error of run minus that of versus, so below 0 run is better"
    yield Note(f"delta: {what}; [low, high]: its {100 * answer.request.level:g} % t interval, for this pair alone.")
    yield Note("es: effect size, delta over the standard deviation of the differences.")
    yield Note("wins, losses: queries on which run is better than versus, and worse.")
    yield from _of_p(answer)
    yield from _cautions(answer, of_means=False)
    for test in tests.p:
        rough = int(((tests.wins + tests.losses) < TESTS[test].fewest).sum())
        if rough:
            fewest = f"fewer than {TESTS[test].fewest} queries"
            yield Note(f"{TESTS[test].words}'s p is rough where {fewest} differ: {counted(rough, 'pair')}.")


def _cautions(answer: CompareAnswer, *, of_means: bool) -> Iterator[Note]:
    """What a reader has to know of the tests that were asked for, those of means or the others."""
    asked = (TESTS[test] for test in answer.request.tests if TESTS[test].of_means == of_means)
    yield from (Note(caution) for caution in dict.fromkeys(test.caution for test in asked) if caution)


def _against_baseline(answer: CompareAnswer) -> Iterator[Note]:
    """Which runs are better and worse than the baseline, by the primary test."""
    tests = answer.tests
    if tests.baseline is None or tests.primary.method == "none":
        return
    if tests.primary.critical != tests.primary.critical:
        few = f"{answer.request.samples} {_TOO_FEW}"
        yield Note(f"No run is called better or worse than {answer.baseline_name}: {few}")
        return
    hint = "" if PRIMARY in tests.p else f"; --test {PRIMARY} adds its p"
    sign = -1 if answer.request.lower_is_better else 1
    for word, side in (("better", 1), ("worse", -1)):
        order = (-side * sign * tests.delta).argsort(kind="stable").tolist()
        names = [tests.runs[tests.run[i]] for i in order if tests.differs[i] and side * sign * tests.delta[i] > 0]
        runs = listed(names, 5) or "none"
        yield Note(f"Significantly {word} than {answer.baseline_name} ({tests.words(PRIMARY)}{hint}): {runs}.")
        hint = ""


def _of_p(answer: CompareAnswer) -> Iterator[Note]:
    """What the columns of p-values hold for: one pair, or all of them; the primary test first."""
    tests, correction = answer.tests, answer.request.correction
    family = "this pair" if tests.n_family == 1 else f"all {counted(tests.n_family, 'pair')}"
    if tests.baseline is not None and tests.n_family > len(tests.delta):
        family += f" of runs, since {answer.baseline_name} was chosen for its mean"
    if PRIMARY in tests.p and tests.primary.method == "none":
        yield Note(f"{PRIMARY}_p is undefined (-): it needs at least {FEWEST_QUERIES} queries.")
    elif PRIMARY in tests.p:
        yield Note(
            f"{PRIMARY}_p ({tests.words(PRIMARY)}): p that allows for {family}; below {answer.request.threshold:g} two "
            "runs differ significantly."
        )
    single = [test for test in tests.p if TESTS[test].corrected]
    together = [f"{test}_p" for test in tests.p if not TESTS[test].corrected and test != PRIMARY]
    corrected = [f"{test}_{correction}" for test in single if correction in CORRECTIONS]
    if not corrected and single:
        yield Note(f"{', '.join(f'{test}_p' for test in single)}: p of this pair alone.")
    elif corrected and CORRECTIONS[correction].of_any:
        together = [*corrected, *together]
    elif corrected:
        yield Note(
            f"{', '.join(corrected)}: p after {CORRECTIONS[correction].words} correction for "
            f"{counted(tests.n_family, 'pair')}; of the pairs with p below {answer.request.threshold:g}, "
            f"{100 * answer.request.threshold:.3g} % are expected to be false."
        )
    if together:
        yield Note(
            f"{', '.join(together)}: p of {'other tests' if len(together) > 1 else 'another test'}, for {family}."
        )


def _of_power(answer: CompareAnswer) -> Iterator[Note]:
    yield Note(
        f"n_significant: pairs of runs with p below {answer.request.threshold:g}; share: of all pairs. A "
        "measure with a higher share tells more runs apart."
    )
    yield Note("smallest_significant, largest_not_significant: how far apart the means of such a pair are.")
    if answer.request.correction not in CORRECTIONS or CORRECTIONS[answer.request.correction].of_any:
        tests = ", ".join(FAMILY_TESTS)
        yield Note(f"{tests} and rows with a correction allow for all pairs together, the others for one pair.")
    yield from _track(answer)


def _of_swaps(answer: CompareAnswer) -> Iterator[Note]:
    swaps = answer.compared.swaps
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


def details_under(answer: CompareAnswer, table: str) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    if table in ("runs", "pairs"):
        yield Note(
            "critical difference: a test of all pairs together finds two runs different whose means are further apart."
        )
        if answer.tests.primary.method != "none":
            pairs = "the pair" if answer.tests.n_family == 1 else f"all {answer.tests.n_family} pairs"
            at_most = f"{100 * answer.request.threshold:.3g} %; docs/definitions.md has the rates measured"
            promise = f"keeps the chance of any false difference among {pairs} at about {at_most}"
            yield Note(f"The {answer.tests.words(PRIMARY)} {promise}.")
    yield from _cautions(answer, of_means=True)
    if table == "pairs" and any(effect != effect for effect in answer.tests.es):
        yield Note("es is undefined (-) where the difference is the same on every query.")
    if table != "pairs":
        yield from _cautions(answer, of_means=False)
    if isfinite(answer.size.detectable):
        yield Note(
            "The difference that is found so often is that of a pair whose differences have the median deviation."
        )
    yield from _statistics(answer)


def _track(answer: CompareAnswer) -> Iterator[Note]:
    """All runs at once, and what so many queries can find; a p that is too small for a number of its own is not 0."""
    anova, friedman = answer.compared.anova, answer.compared.friedman
    parts, values = [], []
    for name, statistic, p in (
        ("ANOVA", anova.f_runs, anova.p_runs),
        ("Friedman's test", friedman.chi2, friedman.p),
    ):
        defined = isfinite(statistic)
        parts.append(f"{name} p {'' if p >= _LEAST_P else 'below '}{{}}" if defined else f"{name} undefined")
        values += [max(p, _LEAST_P)] if defined else []
    text = f"Are all runs equal? {', '.join(parts)} (below {answer.request.threshold:g}: no)."
    yield Note(text, tuple(values), signed=False)
    yield _queries(answer)


def _statistics(answer: CompareAnswer) -> Iterator[Note]:
    """The statistics of the two tests of all runs, or why there is none."""
    anova, friedman = answer.compared.anova, answer.compared.friedman
    for name, how, statistic, why in (
        ("ANOVA", f"F({anova.df_runs}, {anova.df_error})", anova.f_runs, "runs differ by the same on every query"),
        ("Friedman's test", f"chi-square({friedman.df})", friedman.chi2, "all runs are equal on every query"),
    ):
        if isfinite(statistic):
            yield Note(f"{name}: {how} = {{}}.", (statistic,), signed=False)
        else:
            yield Note(f"{name}: undefined, for {why}.")


def _queries(answer: CompareAnswer) -> Note:
    """The difference that so many queries can find, and the queries that another one needs."""
    size, n_queries = answer.size, counted(answer.n_queries, "query")
    if size.sd == 0:
        return Note("The median pair has the same difference on every query: what the queries can find is undefined.")
    asked = f"; one of {size.detect:g} needs {ceil(size.queries)} queries" if isfinite(size.queries) else ""
    if not isfinite(size.detectable):
        return Note(f"{n_queries}: too few for a t test at this level to find any difference so often{asked}.")
    text = f"With {n_queries} a true difference of {{}} is found in {100 * size.power:g} % of cases{asked}"
    return Note(f"{text} (paired t test).", (size.detectable,), signed=False)
