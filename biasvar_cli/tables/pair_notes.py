"""What is known of pairs of runs, and the sentences under its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Literal

from biasvar_cli.analyses.discrimination import Power, SampleSize
from biasvar_cli.analyses.pairs import TOGETHER, PairTests
from biasvar_cli.analyses.swaps import TOLERATED, Swaps
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.stats.two_way import Anova, Friedman
from biasvar_cli.tables.table import Note
from biasvar_cli.words import counted

_LEAST_P = 1e-300
_FEW = 10  # queries that differ; with fewer the normal distribution is rough
CompareTable = Literal["runs", "pairs", "power", "swap"]
TEST_NAMES = {
    "t": "paired t",
    "randomisation": "randomisation",
    "bootstrap": "studentised bootstrap",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
    "tukey": "randomised Tukey HSD",
    "stepdown": "step-down bootstrap",
}
_CORRECTIONS = {"holm": "Holm's", "bonferroni": "Bonferroni's", "bh": "Benjamini and Hochberg's"}


@dataclass(frozen=True, eq=False)
class PairResults:
    """All that is known of which runs of a track differ; ``swaps`` is None where it was not asked for."""

    measure: str | None
    target: VirtualTarget
    tests: PairTests
    power: Sequence[Power]
    size: SampleSize
    anova: Anova
    friedman: Friedman
    swaps: Swaps | None

    @property
    def critical(self) -> tuple[str, float]:
        """The test of all pairs whose critical difference the table of runs has, and that difference."""
        name = next((test for test in TOGETHER if test in self.tests.p), "stepdown")
        return name, self.tests.critical[name]


def notes_of(found: PairResults, table: CompareTable, *, n_rows: int, n_all: int) -> Iterator[Note]:
    """The sentences under one of the tables, of which ``n_rows`` of ``n_all`` rows are shown."""
    if n_rows < n_all:
        yield Note(f"{n_rows} of {n_all} rows shown; every number is of all runs")
    yield from {"runs": _of_runs, "pairs": _of_pairs, "power": _of_power, "swap": _of_swaps}[table](found)


def _of_runs(found: PairResults) -> Iterator[Note]:
    tests, (name, critical) = found.tests, found.critical
    if tests.lower_is_better:
        yield Note("mean: the total error of the run; the lowest is the best")
    if tests.baseline is not None:
        yield Note("Only pairs with the baseline were tested, so runs have no intervals here: see --table pairs")
    elif name not in tests.p:
        yield Note("Runs have no intervals without a test of all pairs together: add --test stepdown or --test tukey")
    elif not isfinite(critical):
        yield Note(f"No intervals: {tests.request.n_samples} samples are too few for this level; raise --samples")
    else:
        yield _critical_note(found)
        yield Note("low, high: mean minus and plus half of that; runs whose intervals do not overlap differ")
        yield Note("better: runs that this one beats; worse: runs that beat it; best (*): not beaten by the best run")
    yield from _found(found)
    yield from _track(found)


def _critical_note(found: PairResults) -> Note:
    """The difference that the intervals are made of, and that of the other test of all pairs, if there is one."""
    name, critical = found.critical
    others = [(each, value) for each, value in found.tests.critical.items() if each != name and isfinite(value)]
    beside = "".join(f"; by the {TEST_NAMES[each]} {{}}" for each, _ in others)
    how = f"{TEST_NAMES[name]}, {_percent(found)} for all pairs together"
    text = f"Two runs differ if their means are more than {{}} apart ({how}{beside})"
    return Note(text, (critical, *(value for _, value in others)), signed=False)


def _of_pairs(found: PairResults) -> Iterator[Note]:
    tests = found.tests
    what = (
        "total error of run minus that of versus, the lower the better" if tests.lower_is_better else "run minus versus"
    )
    yield Note(f"delta: {what}; low, high: its {_percent(found)} t interval, for this pair alone")
    constant = "; undefined where that is 0" if any(each != each for each in tests.es) else ""
    yield Note(f"es: effect size, delta over the standard deviation of the differences{constant}")
    yield Note("wins, losses: queries on which run is better than versus, and worse")
    yield from _of_p(found)
    yield from _found(found)


def _of_p(found: PairResults) -> Iterator[Note]:
    """What the columns of p-values hold for: one pair, or all of them."""
    tests = found.tests
    n_pairs, correction = counted(len(tests.delta), "pair"), tests.request.correction
    together = [f"{test}_p" for test in TOGETHER if test in tests.p]
    single = [test for test in tests.p if test not in TOGETHER]
    if single and correction in _CORRECTIONS:
        columns = ", ".join(f"{test}_{correction}" for test in single)
        yield Note(f"{columns}: p after {_CORRECTIONS[correction]} correction for {n_pairs}")
    elif single:
        yield Note(f"{', '.join(f'{test}_p' for test in single)}: p of this pair alone")
    if together:
        yield Note(f"{', '.join(together)}: p for {n_pairs}, taken together")
    rough = int(((tests.wins + tests.losses) < _FEW).sum())
    if rough and "wilcoxon" in tests.p:
        yield Note(f"Wilcoxon's p is rough where fewer than {_FEW} queries differ: {counted(rough, 'pair')}")


def _of_power(found: PairResults) -> Iterator[Note]:
    level = 1 - found.tests.request.level
    yield Note(
        f"significant: p below {level:g}; share: of all pairs. A measure with a higher share tells more runs apart"
    )
    yield Note("smallest_significant, largest_not_significant: how far apart the means of such a pair are")
    if found.tests.request.correction != "bh":
        yield Note("tukey, stepdown and rows with a correction hold for all pairs together, the others for one pair")
    yield from _track(found)


def _of_swaps(found: PairResults) -> Iterator[Note]:
    swaps = found.swaps
    assert swaps is not None, "swaps are counted where they are shown"
    splits = counted(swaps.n_splits, "random split")
    yield Note(f"{splits} of the queries into two halves of {swaps.half}; a comparison is a pair of runs on one split")
    yield Note("n: comparisons of runs that are low to high apart on the first half")
    yield Note("swaps: those where the second half finds the other run better; rate: their share")
    tolerated = f"{100 * TOLERATED:g} %"
    if isfinite(swaps.needed):
        yield Note(
            f"From a difference of {{}} on at most {tolerated} are swaps; the share of comparisons that large is {{}}",
            (swaps.needed, swaps.share),
            signed=False,
        )
    else:
        yield Note(f"More than {tolerated} are swaps among the largest differences too")


def _found(found: PairResults) -> Iterator[Note]:
    """How many pairs each test finds."""
    parts = []
    for each in found.power:
        after = f" with {_CORRECTIONS[each.correction]} correction" if each.correction is not None else ""
        parts.append(f"{TEST_NAMES[each.test]}{after} {each.n_significant}")
    level = 1 - found.tests.request.level
    yield Note(f"Pairs that differ (p below {level:g}), of {len(found.tests.delta)}: {', '.join(parts)}")
    if {"wilcoxon", "sign"} & set(found.tests.p):
        yield Note("Wilcoxon and sign do not test whether means are equal: on real scores they reject that too often")


def _track(found: PairResults) -> Iterator[Note]:
    """All runs at once, and what so many queries can find."""
    anova, friedman = found.anova, found.friedman
    text, values = "Are all runs equal? ", []
    if isfinite(anova.f_runs):
        text += f"ANOVA: F({anova.df_runs}, {anova.df_error}) = {{}}, {_p_words(anova.p_runs)}; "
        values += [anova.f_runs, max(anova.p_runs, _LEAST_P)]
    else:
        text += "ANOVA: undefined, for runs differ by the same on every query; "
    if isfinite(friedman.chi2):
        text += f"Friedman: chi-square({friedman.df}) = {{}}, {_p_words(friedman.p)}"
        values += [friedman.chi2, max(friedman.p, _LEAST_P)]
    else:
        text += "Friedman: undefined, for all runs are equal on every query"
    yield Note(text, tuple(values), signed=False)
    yield _queries(found)


def _p_words(p: float) -> str:
    """How a p-value is said: one that is too small for a number of its own is not 0."""
    return "p {}" if p >= _LEAST_P else "p below {}"


def _queries(found: PairResults) -> Note:
    """The difference that so many queries can find, and the queries that another one needs."""
    size, n_queries = found.size, counted(found.tests.values.shape[1], "query")
    if size.sd == 0:
        return Note("The median pair has the same difference on every query: what the queries can find is undefined")
    asked = f"; one of {size.detect:g} needs {ceil(size.queries)} queries" if isfinite(size.queries) else ""
    if not isfinite(size.detectable):
        return Note(f"{n_queries}: too few for a t test at this level to find any difference so often{asked}")
    text = f"With {n_queries} a paired t test finds a true difference of {{}} in {100 * size.power:g} % of cases{asked}"
    return Note(f"{text} (for the median pair)", (size.detectable,), signed=False)


def _percent(found: PairResults) -> str:
    return f"{100 * found.tests.request.level:g} %"
