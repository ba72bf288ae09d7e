"""Which runs differ: paired tests over all pairs of runs, or against a baseline.

The queries are a sample of those that might have been asked. What is compared is the mean over the queries of a number
that every run has on every query: its score, or a loss whose mean is its total error. A test of one pair holds its
level for this pair; over many pairs `tukey` and `stepdown` hold it for all of them together, and a correction does so
for the others. Which runs are called different is the matter of one test alone, the primary one: `stats.step_down`.

Sources: the tests, `stats.step_down`, `stats.paired`, `stats.permutation` and `stats.paired_bootstrap`; effect sizes:
Sakai, IRJ 19, 2016;
that the mean of the target is estimated too, in the losses of the total error, is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.adjustment import benjamini_hochberg, bonferroni, holm
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.paired import paired_t, sign_p, wilcoxon_p
from biasvar_cli.stats.paired_bootstrap import studentised_p
from biasvar_cli.stats.pairs import Pairs
from biasvar_cli.stats.permutation import critical_value, exceeding_p, randomisation_p, shuffled_ranges
from biasvar_cli.stats.step_down import USUAL_RESAMPLES, StepDown, step_down, step_down_of_pairs
from biasvar_cli.stats.streams import Stream, generator
from biasvar_cli.stats.student import t_quantile
from biasvar_cli.stats.two_way import anova

Test = Literal["t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "stepdown"]
Of = Literal["mean", "total", "total_gap"]
Correction = Literal["holm", "bonferroni", "bh", "none"]

TESTS: tuple[Test, ...] = ("t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "stepdown")
USUAL_TESTS: tuple[Test, ...] = ("t", "stepdown")
TOGETHER: tuple[Test, ...] = ("tukey", "stepdown")  # which need no correction
_STREAMS: Mapping[str, Stream] = {
    "randomisation": Stream.SIGNS,
    "bootstrap": Stream.PAIRED,
    "tukey": Stream.TUKEY,
}
ADJUSTMENTS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
}


@dataclass(frozen=True, kw_only=True)
class PairRequest:
    """Which tests, at which level; how many samples of those that draw, from which seed, in how many threads.

    The primary test is made whether or not ``tests`` has ``stepdown``, unless ``primary`` is False: nothing can then be
    said of which runs differ.
    """

    tests: tuple[Test, ...] = USUAL_TESTS
    correction: Correction = "holm"
    level: float = 0.95
    n_samples: int = USUAL_RESAMPLES
    seed: int = 0
    jobs: int = 1
    primary: bool = True

    @property
    def has_primary(self) -> bool:
        return self.primary or "stepdown" in self.tests

    @property
    def n_drawn(self) -> int:
        """The samples of all tests together."""
        others = sum(test in _STREAMS for test in self.tests if test != "stepdown")
        return self.n_samples * (others + self.has_primary)


@dataclass(frozen=True, eq=False)
class PairTests:
    """Every pair of runs that was compared; arrays of the shape (n_pairs,).

    ``run`` and ``versus`` are places among ``runs``. Without a ``baseline`` ``run`` is the better of the two, with one
    ``versus`` is the baseline. ``delta`` is run minus versus, ``es`` the effect size delta over its standard deviation,
    ``es_e2`` that over the residual deviation of all runs. ``wins``, ``ties`` and ``losses`` count queries on which run
    is better. ``p`` has the p-values of each test that was asked for, ``adjusted`` those after the correction.
    ``critical`` has the critical difference of each test of all pairs that was made, nan where there is none.

    ``primary`` is the one test that says which runs differ, None where it was not made. p-values that allow for many
    pairs do so for ``n_family`` of them, of which these may be some. ``n_beaten`` and ``n_beaten_by`` count the runs
    that each run is better than by the primary test, and those that are better than it, both (n_runs,); they are None
    where not all pairs of runs were tested.
    """

    runs: tuple[str, ...]
    values: FloatArray
    of: Of
    request: PairRequest
    baseline: int | None
    run: IntArray
    versus: IntArray
    delta: FloatArray
    sd: FloatArray
    es: FloatArray
    es_e2: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray
    t: FloatArray
    p: Mapping[Test, FloatArray]
    adjusted: Mapping[Test, FloatArray]
    critical: Mapping[str, float]
    primary: StepDown | None
    n_family: int
    n_beaten: IntArray | None
    n_beaten_by: IntArray | None

    @property
    def differs(self) -> BoolArray:
        """Whether the primary test finds the runs of each pair different, (n_pairs,); False where p is undefined."""
        assert self.primary is not None, "which runs differ is asked where the primary test was made"
        return self.primary.p < 1 - self.request.level

    @property
    def lower_is_better(self) -> bool:
        return self.of != "mean"

    @property
    def low(self) -> FloatArray:
        """The lower end of the t interval of ``delta``."""
        return self.delta - self._reach

    @property
    def high(self) -> FloatArray:
        """The upper end of the t interval of ``delta``."""
        return self.delta + self._reach

    @property
    def _reach(self) -> FloatArray:
        n_queries = self.values.shape[1]
        reach: FloatArray = t_quantile((1 + self.request.level) / 2, n_queries - 1) * self.sd / np.sqrt(n_queries)
        return reach


def losses_of(scores: ScoreMatrix, target: VirtualTarget, of: Of) -> FloatArray:
    """What is compared on every query, shape (n_runs, n_queries): a score, or a loss whose mean differs as totals do.

    * mean: the scores.
    * total: (S_f - m)^2 - 2 mean(S_f) (T_q - m), m the mean of the target. Between two runs it differs by what
      `analyses.baseline` tests: the last term has mean 0, and carries the uncertainty of m. A target that is a mean
      alone is known without error, and has no such term.
    * total_gap: (T_q - S_f)^2. Raises `UsageError` for a target that is a mean alone.

    >>> from biasvar_cli.decomposition.target import best_of_runs
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.6, 0.08]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> losses_of(runs, best_of_runs(runs), "total_gap").round(6).tolist()
    [[0.09, 0.0], [0.0, 0.0004]]
    """
    values = scores.values
    if of == "mean":
        return values
    if of == "total_gap":
        if target.scores is None:
            raise UsageError(f"--of total_gap needs the target's score per query; {target.label} is a mean alone")
        gaps: FloatArray = (target.scores - values) ** 2
        return gaps
    losses: FloatArray = (values - target.mean) ** 2
    if target.scores is not None:
        losses = losses - 2 * values.mean(axis=1, keepdims=True) * (target.scores - target.mean)
    return losses


def compare_pairs(
    values: FloatArray,
    runs: tuple[str, ...],
    of: Of,
    request: PairRequest,
    baseline: int | None = None,
    *,
    done: Done = unwatched,
) -> PairTests:
    """The tests of all pairs of rows, (n_runs, n_queries), or of all others with the row ``baseline``.

    Raises `DataError` for a single run or query. Tests do not depend on each other: each has its own random numbers.
    ``done`` is called with the number of samples of every block that is finished, ``request.n_drawn`` in all.

    Three systems on 20 queries (Sakai's book); the program elinor prints .0742 for half the interval of X and Y.

    >>> x = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
    >>> y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
    >>> asked = PairRequest(tests=("t", "randomisation"), n_samples=40_000)
    >>> found = compare_pairs(np.array([y, x]), ("Y", "X"), "mean", asked)
    >>> found.runs[found.run[0]], round(float(found.delta[0]), 6), round(float(found.t[0]), 4)
    ('X', 0.075, 2.1158)
    >>> {test: round(float(p[0]), 4) for test, p in found.p.items()}  # the second is exact, of 2^15 signs
    {'t': 0.0478, 'randomisation': 0.0659}
    """
    n_runs, n_queries = values.shape
    if n_runs < 2:
        raise DataError(f"pairs of runs are compared: at least 2 runs are needed, found {n_runs}")
    if n_queries < 2:
        raise DataError("a paired test needs at least 2 queries, found 1")
    pairs = Pairs.of_all(n_runs) if baseline is None else Pairs.against(n_runs, baseline)
    moments = _Moments(values, pairs, of, request.tests)
    run, versus = _oriented(moments.mean, pairs, of, baseline)
    sign = np.where(run == pairs.first, 1.0, -1.0)
    delta = sign * moments.mean
    wins, losses = (
        np.where(sign > 0, *each) for each in ((moments.wins, moments.losses), (moments.losses, moments.wins))
    )
    p, critical = _tested(values, pairs, moments, request, done)
    primary = primary_test(values, request, baseline, done=done) if request.has_primary else None
    if primary is not None:
        critical["stepdown"] = primary.critical
        if "stepdown" in request.tests:
            p["stepdown"] = primary.p
    adjust = ADJUSTMENTS.get(request.correction)
    found = PairTests(
        runs=runs,
        values=values,
        of=of,
        request=request,
        baseline=baseline,
        run=run,
        versus=versus,
        delta=delta,
        sd=moments.sd,
        es=_ratio(delta, moments.sd),
        es_e2=_ratio(delta, np.full(len(delta), np.sqrt(anova(values).ms_error))),
        wins=wins,
        ties=n_queries - wins - losses,
        losses=losses,
        t=sign * moments.t,
        p=p,
        adjusted={} if adjust is None else {test: adjust(p[test]) for test in p if test not in TOGETHER},
        critical=critical,
        primary=primary,
        n_family=len(delta),
        n_beaten=None,
        n_beaten_by=None,
    )
    if baseline is not None or primary is None or primary.method == "none":
        return found
    n_beaten, n_beaten_by = (np.bincount(each[found.differs], minlength=n_runs) for each in (run, versus))
    return replace(found, n_beaten=n_beaten, n_beaten_by=n_beaten_by)


def against_top(found: PairTests, top: int) -> PairTests:
    """Of the tests of all pairs those with one run, the baseline, whose p-values still allow for all pairs.

    That is how runs are compared with the best of them: it was chosen by its mean, and tests that allow for the pairs
    with it alone would find a difference too often.

    >>> values = np.array([[0.5, 0.6, 0.4], [0.1, 0.2, 0.3], [0.3, 0.1, 0.2]])
    >>> every = compare_pairs(values, ("a", "b", "c"), "mean", PairRequest(tests=("t",)))
    >>> some = against_top(every, 0)
    >>> [some.runs[place] for place in some.run], some.delta.round(1).tolist(), some.n_family
    (['b', 'c'], [-0.3, -0.3], 3)
    """
    kept = np.flatnonzero((found.run == top) | (found.versus == top))
    kept = kept[np.argsort((found.run + found.versus)[kept], kind="stable")]  # in the order of the other runs
    turned = found.run[kept] == top
    sign = np.where(turned, -1.0, 1.0)
    assert found.baseline is None, "all pairs of runs were tested"
    return replace(
        found,
        baseline=top,
        run=np.where(turned, found.versus[kept], found.run[kept]),
        versus=np.full(len(kept), top),
        delta=sign * found.delta[kept],
        sd=found.sd[kept],
        es=sign * found.es[kept],
        es_e2=sign * found.es_e2[kept],
        wins=np.where(turned, found.losses[kept], found.wins[kept]),
        ties=found.ties[kept],
        losses=np.where(turned, found.wins[kept], found.losses[kept]),
        t=sign * found.t[kept],
        p={test: p[kept] for test, p in found.p.items()},
        adjusted={test: p[kept] for test, p in found.adjusted.items()},
        primary=None if found.primary is None else found.primary._replace(p=found.primary.p[kept]),
    )


class _Moments:
    """What the differences of every pair give, first minus second row, each array of the shape (n_pairs,)."""

    def __init__(self, values: FloatArray, pairs: Pairs, of: Of, tests: Sequence[Test]) -> None:
        n_pairs, better = len(pairs.first), 1.0 if of == "mean" else -1.0
        self.mean, self.sd, self.t = (np.empty(n_pairs) for _ in range(3))
        self.wins, self.losses = (np.empty(n_pairs, dtype=np.int64) for _ in range(2))
        single: dict[Test, Callable[[FloatArray], FloatArray]] = {"wilcoxon": wilcoxon_p, "sign": sign_p}
        self.p: dict[Test, FloatArray] = {test: np.empty(n_pairs) for test in tests if test in single or test == "t"}
        least = ROUNDING * np.abs(values).max(initial=0.0)
        for place, z in pairs.differences(values):
            z[np.abs(z) <= least] = 0.0
            found = paired_t(z)
            self.mean[place], self.sd[place], self.t[place] = found.mean, found.sd, found.t
            self.wins[place], self.losses[place] = (np.count_nonzero(s * z > 0, axis=1) for s in (better, -better))
            for test, p in self.p.items():
                p[place] = found.p if test == "t" else single[test](z)


def _tested(
    values: FloatArray, pairs: Pairs, moments: _Moments, request: PairRequest, done: Done
) -> tuple[dict[Test, FloatArray], dict[str, float]]:
    """The p-values of the tests asked for, in the order of `TESTS`, without the primary one; critical differences."""
    p: dict[Test, FloatArray] = {}
    critical: dict[str, float] = {}
    size, tolerance = np.abs(moments.mean), ROUNDING * np.abs(values).max(initial=0.0)
    for test in (each for each in TESTS if each in request.tests and each != "stepdown"):
        draws = partial(generator, _STREAMS[test], request.seed) if test in _STREAMS else None
        if draws is None:
            p[test] = moments.p[test]
        elif test == "tukey":
            ranges = shuffled_ranges(values, request.n_samples, draws, jobs=request.jobs, done=done)
            p[test], critical[test] = exceeding_p(size, ranges, tolerance), critical_value(ranges, request.level)
        else:
            one = randomisation_p if test == "randomisation" else studentised_p
            p[test] = one(values, pairs, request.n_samples, draws, jobs=request.jobs, done=done)
    return p, critical


def primary_test(
    values: FloatArray, request: PairRequest, baseline: int | None = None, *, done: Done = unwatched
) -> StepDown:
    """The test that says which runs differ: of all pairs of rows, (n_runs, n_queries), or of all others with one row.

    p has the order of `Pairs.of_all` or of `Pairs.against`.
    """
    level, n_samples, draws = request.level, request.n_samples, partial(generator, Stream.STEP_DOWN, request.seed)
    if baseline is None:
        return step_down_of_pairs(values, level, n_samples, draws, jobs=request.jobs, done=done)
    differences = np.delete(values, baseline, axis=0) - values[baseline]
    differences[np.abs(differences) <= ROUNDING * np.abs(values).max(initial=0.0)] = 0.0
    return step_down(differences, level, n_samples, draws, jobs=request.jobs, done=done)


def _oriented(mean: FloatArray, pairs: Pairs, of: Of, baseline: int | None) -> tuple[IntArray, IntArray]:
    """Which run of a pair is named first: the better one, of equal ones the first; or the one that is no baseline."""
    if baseline is not None:
        return pairs.second, pairs.first
    turned = mean < 0 if of == "mean" else mean > 0
    return np.where(turned, pairs.second, pairs.first), np.where(turned, pairs.first, pairs.second)


def _ratio(delta: FloatArray, spread: FloatArray) -> FloatArray:
    """delta / spread; 0 for no difference, nan for one without spread."""
    found = np.where(delta == 0, 0.0, np.nan)
    np.divide(delta, spread, out=found, where=(spread > 0) & (delta != 0))
    return found
