"""Which runs differ: paired tests over all pairs of runs, or against a baseline.

The queries are a sample of those that might have been asked. What is compared is the mean over the queries of a number
that every run has on every query: its score, or a loss whose mean is its total error. A test of one pair holds its
level for this pair, and a correction makes its p-values allow for many; other tests hold it for all pairs together
(`stats.significance.TESTS`). Which runs are called different is decided by one test alone, the first one named, after
its correction; where none is named, by `stats.step_down`. With fewer than 6 queries no test decides: a p of so few
rests on what the test supposes of the scores, and not on the queries.

Sources: the tests in their modules of `stats`; effect sizes: Sakai, IRJ 19, 2016; ranks: Mogstad, Romano, Shaikh and
Wilhelm, Review of Economic Studies 91, 2024; that the mean of the target is estimated too, in the losses of the total
error, is derived here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan

import numpy as np

from biasvar_cli.analyses.compare.request import CompareRequest, Of
from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.specs import FEWEST_QUERIES, is_significant
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.paired import PairedRows, Tested, paired_t, t_quantile
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Test, primary_words
from biasvar_cli.stats.step_down import StepDown, method_for, too_few_samples
from biasvar_cli.stats.variance import anova
from biasvar_cli.tables.table import at_least
from biasvar_cli.words import QUERIES, QUERY, RUNS

Ranks = list[int | None]


def losses_of(scores: ScoreMatrix, target: VirtualTarget, of: Of) -> FloatArray:
    """What is compared on every query, shape (n_runs, n_queries): a score, or a loss whose mean differs as totals do.

    * mean: the scores.
    * total: (S_f - m)^2 - 2 mean(S_f) (T_q - m), m the mean of the target. Between two runs it differs by what
      `decomposition.baseline` tests: the last term has mean 0, and carries the uncertainty of m. A target that is a
      mean alone is known without error, and has no such term.
    * total_gap: (T_q - S_f)^2. Raises `UsageError` for a target that is a mean alone.

    Of systems S is the mean over the replicates, to whose squares the variance of these on the query is added.

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.6, 0.08]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> losses_of(runs, best_of_runs(runs), "total_gap").round(6).tolist()
    [[0.09, 0.0], [0.0, 0.0004]]
    """
    values = scores.values
    of_replicates = 0.0 if scores.within is None else scores.within
    if of == "mean":
        return values
    if of == "total_gap":
        if target.scores is None:
            reason = f"total_gap needs the target's score per {QUERY}; {target.label} is a mean alone"
            raise UsageError(reason, option="of")
        gaps: FloatArray = (target.scores - values) ** 2 + of_replicates
        return gaps
    losses: FloatArray = (values - target.mean) ** 2 + of_replicates
    if target.scores is not None:
        losses = losses - 2 * values.mean(axis=1, keepdims=True) * (target.scores - target.mean)
    return losses


def require_pair(n_runs: int) -> None:
    """Raises `DataError` for fewer than two runs, which are no pair."""
    if n_runs < 2:
        raise DataError(f"pairs of {RUNS} are compared: at least 2 {RUNS} are needed, found {n_runs}")


@dataclass(frozen=True, eq=False)
class PairTests:
    """Every pair of runs that is compared; arrays of the shape (n_pairs,), each computed when it is first used.

    ``values`` are what is compared on every query, (n_runs, n_queries). Without a ``baseline``, an index of ``runs``,
    these are all pairs, and with one all others with it. ``all_pairs`` are the tests of all pairs where these are
    those with the best run: it was chosen by its mean, and tests that allow for the pairs with it alone would find a
    difference too often. Where queries are in ``clusters``, these are what is independent; fewer than 6 have no test
    and no interval. Raises `DataError` for a single run, query or cluster. Tests do not depend on each other: each has
    its own random numbers. ``done`` is called with the number of samples of every block that is finished.

    Three systems on 20 queries (Sakai's book); the program elinor prints .0742 for half the interval of X and Y.

    >>> x = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
    >>> y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
    >>> request = CompareRequest(test=("t", "randomisation"), samples=40_000)
    >>> tests = PairTests(("Y", "X"), np.array([y, x]), request)
    >>> tests.runs[tests.run[0]], round(float(tests.delta[0]), 6), round(float(tests.t[0]), 4)
    ('X', 0.075, 2.1158)
    >>> {test: round(float(p[0]), 4) for test, p in tests.p.items()}  # the second is exact, of 2^15 signs
    {'t': 0.0478, 'randomisation': 0.0659}

    The best of three runs:

    >>> values = np.array([[0.5, 0.6, 0.4], [0.1, 0.2, 0.3], [0.3, 0.1, 0.2]])
    >>> all_pairs = PairTests(("a", "b", "c"), values, CompareRequest(test=("t",)))
    >>> top = all_pairs.against_top(0)
    >>> [top.runs[run] for run in top.run], top.delta.round(1).tolist(), top.n_family
    (['b', 'c'], [-0.3, -0.3], 3)
    """

    runs: tuple[str, ...]
    values: FloatArray
    request: CompareRequest
    baseline: int | None = None
    all_pairs: PairTests | None = None
    done: Done = unwatched
    clusters: Clusters | None = None

    def __post_init__(self) -> None:
        n_runs, n_queries = self.values.shape
        require_pair(n_runs)
        if n_queries < 2:
            raise DataError(f"a paired test needs at least 2 {QUERIES}, found 1")
        if self.clusters is not None and self.clusters.n < 2:
            raise DataError("a paired test needs at least 2 clusters, found 1")

    def against_top(self, top: int) -> PairTests:
        """Of these tests of all pairs those with the best run, whose p-values still allow for all pairs."""
        return replace(self, baseline=top, all_pairs=self)

    @cached_property
    def rows(self) -> PairedRows:
        """The pairs, as `stats` compares them."""
        return PairedRows(self.values, self.baseline, self.clusters)

    @property
    def units(self) -> Clusters:
        """What is independent: clusters, or single queries."""
        return self.rows.units

    @cached_property
    def run(self) -> IntArray:
        """The run of each pair that is named first: the better one, of equal ones the first; never the baseline."""
        return np.where(self._sign > 0, self.rows.pairs.first, self.rows.pairs.second)

    @cached_property
    def versus(self) -> IntArray:
        """The other run of each pair; with a baseline, always this."""
        return np.where(self._sign > 0, self.rows.pairs.second, self.rows.pairs.first)

    @cached_property
    def _sign(self) -> FloatArray:
        """1 where the first row of a pair is named first, else -1."""
        mean = self.rows.moments.student.mean
        turned = mean > 0 if self.request.lower_is_better else mean < 0
        return np.where(turned | (self.baseline is not None), -1.0, 1.0)

    @cached_property
    def delta(self) -> FloatArray:
        """``run`` minus ``versus``."""
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.delta)
        return self._sign * self.rows.moments.student.mean

    @property
    def gain(self) -> FloatArray:
        """``delta``, above 0 where ``run`` is the better one: of total errors with the other sign."""
        return -self.delta if self.request.lower_is_better else self.delta

    @cached_property
    def sd(self) -> FloatArray:
        """The standard deviation of the differences of single queries, divisor n - 1."""
        if self.units.are_single:
            return self.rows.moments.student.sd
        return np.concatenate([paired_t(z).sd for _, z in self.rows.differences()])

    @cached_property
    def t(self) -> FloatArray:
        """Student's t of ``delta``; nan of too few clusters."""
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.t)
        t = self._sign * self.rows.moments.student.t
        return np.full(len(t), nan) if self.units.are_few else t

    @cached_property
    def es(self) -> FloatArray:
        """The effect size: ``delta`` over its standard deviation."""
        return _ratio(self.delta, self.sd) if self.all_pairs is None else self._turned(self.all_pairs.es)

    @cached_property
    def es_e2(self) -> FloatArray:
        """The effect size: ``delta`` over the residual deviation of all runs."""
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.es_e2)
        return _ratio(self.delta, np.full(len(self.delta), np.sqrt(anova(self.values).ms_error)))

    @cached_property
    def wins(self) -> IntArray:
        """The queries on which ``run`` is better."""
        return self._n_queries(1.0)

    @cached_property
    def losses(self) -> IntArray:
        """The queries on which ``versus`` is better."""
        return self._n_queries(-1.0)

    def _n_queries(self, side: float) -> IntArray:
        higher = self._sign * (-side if self.request.lower_is_better else side) > 0
        return np.where(higher, self.rows.moments.above, self.rows.moments.below)

    @property
    def ties(self) -> IntArray:
        """The queries on which both are equal."""
        ties: IntArray = self.values.shape[1] - self.wins - self.losses
        return ties

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
        n_units, student = self.units.n, self.rows.moments.student
        if self.units.are_few:
            return np.full(len(student.sd), nan)
        reach: FloatArray = t_quantile((1 + self.request.level) / 2, n_units - 1) * student.sd / np.sqrt(n_units)
        return reach

    @cached_property
    def tested(self) -> Mapping[Test, Tested | StepDown]:
        """What each test that was named gives, in the order of `TESTS`."""
        if self.all_pairs is not None:
            tests = self.all_pairs.tested.items()
            return {test: tested._replace(p=tested.p[self._among_all]) for test, tested in tests}
        return {test: self.primary if test == PRIMARY else self._made(test) for test in self.request.tests}

    @cached_property
    def primary(self) -> StepDown:
        """The step-down test, whatever else was named."""
        if self.all_pairs is not None:
            return self.all_pairs.primary._replace(p=self.all_pairs.primary.p[self._among_all])
        made = self._made(PRIMARY)
        assert isinstance(made, StepDown), "the primary test is a step-down test"
        return made

    def _made(self, test: Test) -> Tested | StepDown:
        request = self.request
        if self.units.are_few and test != PRIMARY:
            self.done(request.samples if TESTS[test].stream else 0)
            return Tested(np.full(len(self.rows.pairs.first), nan), None if TESTS[test].corrected else nan)
        return TESTS[test](
            self.rows,
            level=request.level,
            n_samples=request.samples,
            seed=request.seed,
            jobs=request.jobs,
            done=self.done,
        )

    @cached_property
    def _among_all(self) -> IntArray:
        """Where these pairs stand among all pairs, in the order of the other runs."""
        assert self.all_pairs is not None, "all pairs were tested"
        first, second = self.all_pairs.rows.pairs
        pairs = np.flatnonzero((first == self.baseline) | (second == self.baseline))
        return pairs[np.argsort((first + second)[pairs], kind="stable")]

    def _turned(self, of_all: FloatArray) -> FloatArray:
        """A number of all pairs, (n_all,), for these: the other way round where the baseline is named first there."""
        assert self.all_pairs is not None, "all pairs were tested"
        sign = np.where(self.all_pairs.run[self._among_all] == self.baseline, -1.0, 1.0)
        turned: FloatArray = sign * of_all[self._among_all]
        return turned

    @property
    def p(self) -> Mapping[Test, FloatArray]:
        """The p-values of each test of the request."""
        return {test: tested.p for test, tested in self.tested.items()}

    @cached_property
    def adjusted(self) -> Mapping[Test, FloatArray]:
        """The p-values after the correction, of the tests of single pairs; none without a correction."""
        if self.all_pairs is not None:
            return {test: p[self._among_all] for test, p in self.all_pairs.adjusted.items()}
        if self.request.correction not in CORRECTIONS:
            return {}
        adjust = CORRECTIONS[self.request.correction].adjust
        return {test: adjust(p) for test, p in self.p.items() if TESTS[test].corrected}

    @property
    def deciding(self) -> Test:
        """The test that says which runs differ."""
        return self.request.deciding

    @property
    def deciding_p(self) -> FloatArray:
        """The p-values of the test that decides, after the correction where it needs one."""
        return self.adjusted.get(self.deciding, self._decision.p)

    @property
    def critical_difference(self) -> float:
        """The critical difference of the test that decides, nan where it has none."""
        critical = self._decision.critical
        return nan if critical is None else critical

    @property
    def _decision(self) -> Tested | StepDown:
        return self.primary if self.deciding == PRIMARY else self.tested[self.deciding]

    @cached_property
    def undecided(self) -> str | None:
        """Why no runs are called different, in words; None where the test decides."""
        request, test = self.request, TESTS[self.deciding]
        if self.units.n < FEWEST_QUERIES:
            return f"that takes {at_least(self.units)}"
        if self.deciding == PRIMARY:
            few = too_few_samples(self.units.n, self.n_family, request.level, request.samples)
        elif test.corrected:
            least = np.full(self.n_family, 1 / (request.samples + 1))
            if request.correction in CORRECTIONS:
                least = CORRECTIONS[request.correction].adjust(least)
            few = bool(test.stream) and not is_significant(least, request.level).any()
        else:
            few = isnan(self.critical_difference)
        many = f" and {self.n_family} pairs" if self.deciding in self.adjusted and self.n_family > 1 else ""
        return f"{request.samples} samples are too few for this level{many}; raise --samples" if few else None

    @property
    def critical(self) -> Mapping[Test, float]:
        """The critical difference of each test of all pairs, the primary one among them; nan where there is none."""
        made = {**self.tested, PRIMARY: self.primary}
        return {test: tested.critical for test, tested in made.items() if tested.critical is not None}

    @cached_property
    def differs(self) -> BoolArray:
        """Whether the runs of each pair are called different, and the one with the better mean better; (n_pairs,).

        The test that decides says so. One that is not of means says it of no pair in which the other run is better on
        more queries.
        """
        if self.undecided is not None:
            return np.zeros(len(self.delta), dtype=bool)
        differs: BoolArray = is_significant(self.deciding_p, self.request.level)
        if not TESTS[self.deciding].of_means:
            differs &= self.gain * (self.wins - self.losses) > 0
        return differs

    @property
    def n_family(self) -> int:
        """How many pairs the p-values allow for that allow for many; these may be some of them."""
        return len(self.delta if self.all_pairs is None else self.all_pairs.delta)

    @property
    def n_beaten(self) -> IntArray | None:
        """How many runs each run is better than, (n_runs,); None where not all pairs are tested or no test decides."""
        return self._counts("run")

    @property
    def n_beaten_by(self) -> IntArray | None:
        """How many runs are better than each run, (n_runs,); None where not all pairs are tested or no test decides."""
        return self._counts("versus")

    def _counts(self, side: str) -> IntArray | None:
        if self.all_pairs is not None:
            return self.all_pairs._counts(side)
        if self.baseline is not None or self.undecided is not None:
            return None
        return np.bincount(getattr(self, side)[self.differs], minlength=len(self.runs))

    @property
    def unranked(self) -> str | None:
        """Why the test gives no ranks, in words; None where it does.

        Ranks are right for all runs together only if the differences are: p-values that allow for each pair alone, or
        for an expected share of false differences, give none; nor does a test that is not of means.
        """
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        if self.units.n < FEWEST_QUERIES:
            return f"ranks need {at_least(self.units)}"
        if self.undecided is not None:
            return f"{self.request.samples} samples are too few for this level"
        if test.corrected and self.n_family > 1 and (correction is None or not correction.of_any):
            p = "uncorrected p-values" if correction is None else f"p-values with {correction.words} correction"
            return f"{p} do not allow for all {self.n_family} pairs together"
        return None if test.of_means else f"{test.meaning} does not compare means"

    @cached_property
    def ranks(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank of each run by its mean, 1 the best; None where it is not tested.

        1 + the number of runs that are significantly better, and R - the number of those that are significantly worse.
        Where all pairs are tested, all R true ranks are in these ranges with a chance of about the level. With a
        ``baseline``, an index of ``runs``, these are the pairs with it, and the range is that of its rank alone.

        >>> rng = np.random.default_rng(0)
        >>> values = rng.normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.9]])
        >>> PairTests(("a", "b", "c", "d"), values, CompareRequest()).ranks
        ([2, 3, 3, 1], [2, 4, 4, 1])
        >>> PairTests(("a", "b", "c", "d"), values, CompareRequest(), baseline=1).ranks
        ([None, 3, None, None], [None, 4, None, None])
        """
        if self.all_pairs is not None:
            return self.all_pairs.ranks
        n_runs = len(self.runs)
        least, greatest = Ranks([None] * n_runs), Ranks([None] * n_runs)
        if self.unranked is None:
            better, worse = (np.where(side * self.gain > 0, self.run, self.versus)[self.differs] for side in (1, -1))
            n_beaten, n_beaten_by = (np.bincount(runs, minlength=n_runs).tolist() for runs in (better, worse))
            for run in range(n_runs) if self.baseline is None or n_runs == 2 else (self.baseline,):
                least[run], greatest[run] = 1 + n_beaten_by[run], n_runs - n_beaten[run]
        return least, greatest

    @property
    def no_ranks(self) -> str | None:
        """Why not all runs have ranks, in words; None where they have."""
        if self.baseline is not None and self.all_pairs is None and self.unranked is None and len(self.runs) > 2:
            return f"the pairs with {self.runs[self.baseline]!s} are tested, which give its rank alone"
        return self.unranked

    @property
    def deciding_words(self) -> str:
        """The test that decides in words, with its correction where it allows for several pairs by one."""
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        if not test.corrected:
            return self.words(self.deciding)
        words = test.meaning.removeprefix("the ").removeprefix("paired ")
        return words if correction is None or self.n_family == 1 else f"{words} with {correction.words} correction"

    def words(self, test: Test) -> str:
        """A test in words; a single pair on few queries has another one in place of the step-down bootstrap."""
        method = method_for(self.units.n, self.n_family)
        return primary_words(method) if test == PRIMARY else TESTS[test].words


def _ratio(delta: FloatArray, spread: FloatArray) -> FloatArray:
    """delta / spread; 0 for no difference, nan for one without spread."""
    ratio: FloatArray = np.where(delta == 0, 0.0, np.nan)
    np.divide(delta, spread, out=ratio, where=(spread > 0) & (delta != 0))
    return ratio
