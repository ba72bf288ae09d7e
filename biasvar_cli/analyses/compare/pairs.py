"""Which runs differ: paired tests of all pairs of runs, or of all other runs against a baseline.

The queries are taken for a random sample. Every run has a number on every query, its score or a loss
(`values_to_compare`), and the tests compare the means of these numbers over the queries.

Some tests (t, for example) give the p-value of each pair alone, and a correction adjusts these for the number of pairs;
others allow for all pairs together themselves (`stats.significance.TESTS`). Several tests may be computed, but only the
first one named, after its correction, decides which runs are called different; if none is named, the step-down test
(`stats.step_down`) decides. With fewer than 6 queries no test decides, because p-values of so few depend more on the
assumptions of the test than on the scores.

Sources: the tests: see their modules in `stats`; effect sizes: Sakai, Information Retrieval Journal 19, 2016; ranges of
ranks: Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91, 2024. That losses of total errors allow for
the estimation of the target's mean is derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isinf, isnan, nan
from string import ascii_lowercase
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, Of
from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.score_matrix import Clusters, ScoreMatrix
from biasvar_cli.specs import FEWEST_QUERIES, is_significant
from biasvar_cli.stats import step_down, variance
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.paired import PairedRows, Tested, paired_t, t_quantile
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Test, primary_words
from biasvar_cli.stats.systems import Plan, SystemRows
from biasvar_cli.tables.table import at_least
from biasvar_cli.words import QUERIES, QUERY, RUNS, argument, either


class Replicated(NamedTuple):
    """What is compared of all runs of systems, (n_single_runs, n_queries), and how many runs each system has.

    ``paired`` says that the k-th runs of all systems belong together.
    """

    values: FloatArray
    sizes: IntArray
    paired: bool


Ranks = list[int | None]  # of each run, 1 the best; None for a run without a rank


def values_to_compare(scores: ScoreMatrix, target: VirtualTarget, of: Of) -> FloatArray:
    """The number of every run on every query whose mean over the queries is compared, shape (n_runs, n_queries).

    With S the scores (n_runs, n_queries), T the scores of the target (n_queries,) and m its mean:

    * mean: S.
    * total: (S_fq - m)^2 - 2 mean_q(S_f) (T_q - m). The mean of the first term is the total error. The second term has
      mean 0; it adds the uncertainty of m, which is estimated from the same queries (as in `decomposition.baseline`).
      It is left out if the target is a mean alone, which is known without error.
    * total_gap: (T_q - S_fq)^2, whose mean is the total error in the gap form. Raises `UsageError` for a target that is
      a mean alone.

    If the runs are systems with replicates, S are means over the replicates, and the variance over the replicates is
    added to the squares.

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.6, 0.08]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> values_to_compare(runs, best_of_runs(runs), "total_gap").round(6).tolist()  # T is .6, .1
    [[0.09, 0.0], [0.0, 0.0004]]
    """
    values = scores.values
    replicate_variance = 0.0 if scores.within is None else scores.within
    if of == "mean":
        return values
    if of == "total_gap":
        if target.scores is None:
            reason = f"total_gap needs the target's score per {QUERY}; {target.label} is a mean alone"
            raise UsageError(reason, option="of")
        gaps: FloatArray = (target.scores - values) ** 2 + replicate_variance
        return gaps
    losses: FloatArray = (values - target.mean) ** 2 + replicate_variance
    if target.scores is not None:
        losses = losses - 2 * values.mean(axis=1, keepdims=True) * (target.scores - target.mean)
    return losses


def letters_of(order: Sequence[int]) -> list[str]:
    """The letter of each run, shape (n_runs,), in the ``order`` of the runs, `a` for the first.

    Raises `DataError` for more runs than there are letters.

    >>> letters_of([2, 0, 1])
    ['b', 'c', 'a']
    """
    if len(order) > len(ascii_lowercase):
        few = either("name fewer as INPUTS", "evaluate fewer")
        some = f"there are letters for {len(ascii_lowercase)} {RUNS}, and {len(order)} {RUNS} to compare"
        raise DataError(f"{argument(marks='letters')}: {some}; {few}, or leave {argument('marks')} out")
    letters = dict(zip(order, ascii_lowercase, strict=False))
    return [letters[run] for run in range(len(order))]


def require_two_runs(n_runs: int) -> None:
    """Raise `DataError` for fewer than two runs."""
    if n_runs < 2:
        raise DataError(f"pairs of {RUNS} are compared: at least 2 {RUNS} are needed, found {n_runs}")


@dataclass(frozen=True, eq=False)
class PairTests:
    """Paired tests of all pairs of runs, or of all pairs with a baseline.

    * ``runs``: the names of the runs.
    * ``values``: the numbers whose means are compared, (n_runs, n_queries); see `values_to_compare`.
    * ``request``: the tests, their correction and level, and the number of samples.
    * ``baseline``: the index of the run that all others are compared with; None to compare all pairs.
    * ``all_pairs``: the tests of all pairs, if the baseline is the run with the best mean. Since this run was chosen by
      its mean, p-values that allow only for the pairs with it would be too small: those of all pairs are taken.
    * ``done``: called with the number of samples of each block that is finished.
    * ``replicates``: the numbers of all runs of the rows, where these are systems and the tests are about systems
      (`stats.systems`); None for tests of the rows as they are. The test is t then.
    * ``clusters``: the clusters of the queries. Clusters are then independent instead of queries, and with fewer than 6
      of them all p-values and intervals are nan.

    Arrays have the shape (n_pairs,) unless their docstring says otherwise, and are computed when they are first used.
    Each test has random numbers of its own, so that no test depends on which others are computed.

    Raises `DataError` for a single run, query or cluster.

    Two systems on 20 queries (Sakai's book); the program elinor prints .0742 for half the width of the interval.

    >>> x = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
    >>> y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
    >>> request = CompareRequest(test=("t", "randomisation"), samples=40_000)
    >>> tests = PairTests(("Y", "X"), np.array([y, x]), request)
    >>> tests.runs[tests.run[0]], round(float(tests.delta[0]), 6), round(float(tests.t[0]), 4)
    ('X', 0.075, 2.1158)
    >>> round(float(tests.high[0] - tests.delta[0]), 4)
    0.0742
    >>> {test: round(float(p[0]), 4) for test, p in tests.p.items()}  # randomisation: all 2^15 signs, not samples
    {'t': 0.0478, 'randomisation': 0.0659}

    Two pairs with the best of three runs, whose p-values allow for all three pairs:

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
    replicates: Replicated | None = None

    @classmethod
    def of(
        cls,
        scores: ScoreMatrix,
        request: CompareRequest,
        baseline: int | None = None,
        *,
        target: VirtualTarget | None = None,
        done: Done = unwatched,
    ) -> PairTests:
        """The tests of the rows of some scores, for a request that `for_rows` has made; totals need a ``target``.

        Raises `DataError` for runs of systems that do not belong together by number.
        """

        def compared(of: ScoreMatrix) -> FloatArray:
            return of.values if target is None else values_to_compare(of, target, request.of)

        replicates = None
        if request.infer == "systems" and scores.replicates is not None:
            runs = scores.replicates
            runs = runs.by_number if request.paired_replicates else runs
            replicates = Replicated(compared(runs.runs), runs.sizes, request.paired_replicates)
        values = compared(scores)
        return cls(scores.runs, values, request, baseline, None, done, scores.clusters, replicates)

    def __post_init__(self) -> None:
        n_runs, n_queries = self.values.shape
        require_two_runs(n_runs)
        if n_queries < 2:
            raise DataError(f"a paired test needs at least 2 {QUERIES}, found 1")
        if self.clusters is not None and self.clusters.n < 2:
            raise DataError("a paired test needs at least 2 clusters, found 1")

    def against_top(self, top: int) -> PairTests:
        """The tests of the pairs with one run, the best one, taken from these tests of all pairs."""
        return replace(self, baseline=top, all_pairs=self)

    @cached_property
    def rows(self) -> PairedRows:
        """The pairs with their differences, which the tests in `stats` take."""
        return PairedRows(self.values, self.baseline, self.clusters)

    @cached_property
    def systems(self) -> SystemRows | None:
        """The tests of systems, whatever their runs; None for tests of the rows as they are."""
        return None if self.replicates is None else SystemRows(self.rows, *self.replicates)

    @property
    def df(self) -> FloatArray | None:
        """The degrees of freedom of the t test of systems; None for tests of the rows as they are."""
        return None if self.systems is None else self.systems.df

    @cached_property
    def plans(self) -> list[Plan] | None:
        """What more runs and more queries would do for each pair of systems; None for tests of the rows as they are."""
        systems = self.systems
        return None if systems is None else [systems.plan(pair) for pair in range(len(systems.delta))]

    @property
    def share_replicates(self) -> list[float] | None:
        """The share of the squared standard error that is due to the runs of both systems; nan where there is none."""
        return None if self.plans is None else [plan.share for plan in self.plans]

    @property
    def replicates_needed(self) -> list[int | None] | None:
        """How many runs of each system the half-width of the request takes; None where no number will do."""
        half_width, level = self.request.half_width, self.request.level
        if self.plans is None or half_width is None:
            return None
        return [plan.runs_needed(half_width, level) for plan in self.plans]

    @property
    def queries_needed(self) -> list[int | None] | None:
        """How many queries the half-width of the request takes; None where no number will do."""
        half_width, level = self.request.half_width, self.request.level
        if self.plans is None or half_width is None:
            return None
        return [plan.queries_needed(half_width, level) for plan in self.plans]

    @property
    def units(self) -> Clusters:
        """The independent units: the clusters, or the single queries."""
        return self.rows.units

    @cached_property
    def run(self) -> IntArray:
        """The index of the run of each pair that is named first.

        It is the run with the better mean, or the first of two equal ones; with a baseline it is always the other run.
        """
        return np.where(self._sign > 0, self.rows.pairs.first, self.rows.pairs.second)

    @cached_property
    def versus(self) -> IntArray:
        """The index of the other run of each pair; with a baseline it is always the baseline."""
        return np.where(self._sign > 0, self.rows.pairs.second, self.rows.pairs.first)

    @cached_property
    def _sign(self) -> FloatArray:
        """The sign by which differences in ``rows`` are multiplied to be ``run`` minus ``versus``.

        1 where ``run`` is the first row of the pair, and -1 where it is the second. A baseline is always the first row.
        """
        mean = self.rows.moments.student.mean
        is_second_better = mean > 0 if self.request.lower_is_better else mean < 0
        return np.where(is_second_better | (self.baseline is not None), -1.0, 1.0)

    @cached_property
    def delta(self) -> FloatArray:
        """The mean of ``run`` minus that of ``versus``."""
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.delta)
        return self._sign * self.rows.moments.student.mean

    @property
    def gain(self) -> FloatArray:
        """How much better ``run`` is than ``versus``: ``delta``, or for total errors minus ``delta``."""
        return -self.delta if self.request.lower_is_better else self.delta

    @cached_property
    def sd(self) -> FloatArray:
        """The standard deviation (divisor n - 1) of the differences on single queries, also with clusters."""
        if self.units.are_single:
            return self.rows.moments.student.sd
        return np.concatenate([paired_t(z).sd for _, z in self.rows.differences()])

    @cached_property
    def t(self) -> FloatArray:
        """Student's t of ``delta``; nan with fewer than 6 clusters."""
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.t)
        t = self._sign * (self.rows.moments.student.t if self.systems is None else self.systems.t)
        return np.full(len(t), nan) if self.units.are_few else t

    @cached_property
    def es(self) -> FloatArray:
        """The effect size of a pair: ``delta`` / ``sd``."""
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.es)
        return _ratio(self.delta, self.sd)

    @cached_property
    def es_e2(self) -> FloatArray:
        """The effect size ES_E2 of Sakai (2016): ``delta`` over the residual standard deviation.

        The residuals are those of the two-way analysis of variance of all runs and queries without replication.
        """
        if self.all_pairs is not None:
            return self._turned(self.all_pairs.es_e2)
        return _ratio(self.delta, np.full(len(self.delta), np.sqrt(variance.anova(self.values).ms_error)))

    @cached_property
    def wins(self) -> IntArray:
        """The number of queries on which ``run`` is better."""
        return self._n_queries_by_gain(1)

    @cached_property
    def losses(self) -> IntArray:
        """The number of queries on which ``versus`` is better."""
        return self._n_queries_by_gain(-1)

    def _n_queries_by_gain(self, sign: Literal[1, -1]) -> IntArray:
        """The number of queries on which the gain of ``run`` over ``versus`` has this sign."""
        gain_sign = -self._sign if self.request.lower_is_better else self._sign
        return np.where(sign * gain_sign > 0, self.rows.moments.above, self.rows.moments.below)

    @property
    def ties(self) -> IntArray:
        """The number of queries on which both are equal."""
        ties: IntArray = self.values.shape[1] - self.wins - self.losses
        return ties

    @property
    def low(self) -> FloatArray:
        """The lower end of the t interval of ``delta``, for this pair alone."""
        return self.delta - self._half_width

    @property
    def high(self) -> FloatArray:
        """The upper end of the t interval of ``delta``, for this pair alone."""
        return self.delta + self._half_width

    @property
    def _half_width(self) -> FloatArray:
        """Half the width of the t interval of ``delta``; nan with fewer than 6 clusters."""
        return self._t_half_width(1)

    def _t_half_width(self, n_family: int) -> FloatArray:
        """Half the width of intervals of ``delta`` by Student's t, which hold for so many pairs together (Bonferroni).

        They are nan with fewer than 6 clusters.
        """
        n_units, student = self.units.n, self.rows.moments.student
        if self.units.are_few:
            return np.full(len(student.sd), nan)
        if self.systems is not None:
            return self.systems.half_width(self.request.level, n_family)
        upper = (2 * n_family - 1 + self.request.level) / (2 * n_family)
        width: FloatArray = t_quantile(upper, n_units - 1) * student.sd / np.sqrt(n_units)
        return width

    @property
    def family_low(self) -> FloatArray:
        """The lower end of the simultaneous interval of ``delta``, the one that agrees with the test that decides."""
        return self.delta - self._family_half_width

    @property
    def family_high(self) -> FloatArray:
        """The upper end of the simultaneous interval of ``delta``."""
        return self.delta + self._family_half_width

    @cached_property
    def _family_half_width(self) -> FloatArray:
        """Half the width of the intervals that the test that decides inverts, for all pairs of its family together.

        The step-down test and Tukey's have the critical difference of the first step, of all pairs. A test of single
        pairs with Holm's or Bonferroni's correction of m pairs has Student's t at 1 - (1 - level) / (2 m), which is
        Bonferroni's interval. Where no test decides, and for p-values that bound no chance of any false difference,
        there is none: nan. Neither is there where no difference would be significant.

        >>> values = np.array([[5, 6, 4, 7, 3, 5], [1, 2, 3, 2, 1, 4], [3, 1, 2, 0, 0, 0]]) / 10
        >>> tests = PairTests(("a", "b", "c"), values, CompareRequest(test=("t",)))
        >>> (tests.family_high - tests.delta).round(4).tolist()  # t of 5 degrees of freedom at 1 - .05 / 6 is 3.5341
        [0.2485, 0.2886, 0.28]
        """
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        none = np.full(len(self.delta), nan)
        if self.why_undecided is not None or not test.of_means:
            return none
        if not test.corrected:
            half = self._deciding_result.half_width
            return none if half is None or isinf(half) else np.full(len(self.delta), half)
        if self.n_family > 1 and (correction is None or not correction.of_any):
            return none
        return self._t_half_width(self.n_family)

    @property
    def has_family_intervals(self) -> bool:
        """Whether there is any simultaneous interval."""
        return not bool(np.isnan(self._family_half_width).all())

    @property
    def contradicted(self) -> BoolArray:
        """Whether the test says otherwise of a pair than its interval for people, as which side of 0 it is on.

        A later step of the test may call runs different whose simultaneous interval contains 0.
        """
        low, high = (self.family_low, self.family_high) if self.has_family_intervals else (self.low, self.high)
        contradicted: BoolArray = ((low <= 0) & (high >= 0)) == self.differs
        return contradicted & ~np.isnan(low)

    @cached_property
    def tested(self) -> Mapping[Test, Tested | step_down.StepDown]:
        """The result of each test of the request, in the order of `TESTS`."""
        if self.all_pairs is not None:
            tests = self.all_pairs.tested.items()
            return {test: tested._replace(p=tested.p[self._indices]) for test, tested in tests}
        return {test: self.primary if test == PRIMARY else self._result_of(test) for test in self.request.tests}

    @cached_property
    def primary(self) -> step_down.StepDown:
        """The result of the step-down test, which is computed even if the request does not name it."""
        if self.all_pairs is not None:
            return self.all_pairs.primary._replace(p=self.all_pairs.primary.p[self._indices])
        result = self._result_of(PRIMARY)
        assert isinstance(result, step_down.StepDown), "the primary test is a step-down test"
        return result

    def _result_of(self, test: Test) -> Tested | step_down.StepDown:
        """The result of one test; all its numbers are nan with fewer than 6 clusters."""
        request = self.request
        if self.units.are_few and test != PRIMARY:
            self.done(request.samples if TESTS[test].stream else 0)
            return Tested(np.full(len(self.rows.pairs.first), nan), None if TESTS[test].corrected else nan)
        if self.systems is not None and test == "t":
            return Tested(self.systems.p)
        return TESTS[test](
            self.rows,
            level=request.level,
            n_samples=request.samples,
            seed=request.seed,
            jobs=request.jobs,
            done=self.done,
        )

    @cached_property
    def _indices(self) -> IntArray:
        """The indices in ``all_pairs`` of the pairs with the baseline, in the order of the other runs."""
        assert self.all_pairs is not None, "all pairs were tested"
        first, second = self.all_pairs.rows.pairs
        indices = np.flatnonzero((first == self.baseline) | (second == self.baseline))
        # one run of each pair is the baseline, so that the sum of both indices is in the order of the other run's
        return indices[np.argsort((first + second)[indices], kind="stable")]

    def _turned(self, differences: FloatArray) -> FloatArray:
        """Differences of ``all_pairs``, shape (n_all_pairs,), taken for the pairs with the baseline, (n_pairs,).

        Their signs are reversed where ``all_pairs`` names the baseline first.
        """
        assert self.all_pairs is not None, "all pairs were tested"
        sign = np.where(self.all_pairs.run[self._indices] == self.baseline, -1.0, 1.0)
        turned: FloatArray = sign * differences[self._indices]
        return turned

    @property
    def p(self) -> Mapping[Test, FloatArray]:
        """The p-values of each test of the request."""
        return {test: tested.p for test, tested in self.tested.items()}

    @cached_property
    def adjusted(self) -> Mapping[Test, FloatArray]:
        """The p-values after the correction, of the tests that need one; empty if the request has no correction."""
        if self.all_pairs is not None:
            return {test: p[self._indices] for test, p in self.all_pairs.adjusted.items()}
        if self.request.correction not in CORRECTIONS:
            return {}
        adjust = CORRECTIONS[self.request.correction].adjust
        return {test: adjust(p) for test, p in self.p.items() if TESTS[test].corrected}

    @property
    def deciding(self) -> Test:
        """The test that decides which runs are called different."""
        return self.request.deciding

    @property
    def deciding_p(self) -> FloatArray:
        """The p-values of the test that decides, after the correction where it needs one."""
        return self.adjusted.get(self.deciding, self._deciding_result.p)

    @property
    def critical_difference(self) -> float:
        """The critical difference of the test that decides; nan where it has none.

        The means of two runs that differ by more than this are significantly different.
        """
        critical = self._deciding_result.critical
        return nan if critical is None else critical

    @property
    def _deciding_result(self) -> Tested | step_down.StepDown:
        return self.primary if self.deciding == PRIMARY else self.tested[self.deciding]

    @cached_property
    def why_undecided(self) -> str | None:
        """The reason why the test cannot call runs different, in words; None if it can."""
        request, test = self.request, TESTS[self.deciding]
        if self.units.n < FEWEST_QUERIES:
            return f"that takes {at_least(self.units)}"
        if self.deciding == PRIMARY:
            are_few = step_down.too_few_samples(self.units.n, self.n_family, request.level, request.samples)
        elif not test.corrected:
            are_few = isnan(self.critical_difference)
        elif not test.stream:  # a test that draws no samples
            are_few = False
        else:
            least_p = np.full(self.n_family, 1 / (request.samples + 1))
            if request.correction in CORRECTIONS:
                least_p = CORRECTIONS[request.correction].adjust(least_p)
            are_few = not is_significant(least_p, request.level).any()
        if not are_few:
            return None
        pairs = f" and {self.n_family} pairs" if self.deciding in self.adjusted and self.n_family > 1 else ""
        return f"{request.samples} samples are too few for this level{pairs}; raise --samples"

    @property
    def critical(self) -> Mapping[Test, float]:
        """The critical differences of the tests that allow for all pairs together, always of the step-down test.

        A critical difference is nan where too few queries or samples leave it undefined.
        """
        if self.systems is not None:
            return {PRIMARY: nan}
        results = {**self.tested, PRIMARY: self.primary}
        return {test: result.critical for test, result in results.items() if result.critical is not None}

    @cached_property
    def differs(self) -> BoolArray:
        """Whether the test that decides calls the runs of a pair different; the one with the better mean is the better.

        Wilcoxon's test and the sign test do not compare means. They call no pair different in which the run with the
        worse mean is better on more queries.
        """
        if self.why_undecided is not None:
            return np.zeros(len(self.delta), dtype=bool)
        differs: BoolArray = is_significant(self.deciding_p, self.request.level)
        if not TESTS[self.deciding].of_means:
            differs &= self.gain * (self.wins - self.losses) > 0
        return differs

    @property
    def n_family(self) -> int:
        """The number of pairs that adjusted p-values allow for: of all pairs if ``all_pairs`` were tested."""
        return len(self.delta if self.all_pairs is None else self.all_pairs.delta)

    @property
    def n_beaten(self) -> IntArray | None:
        """The number of runs that each run is significantly better than, shape (n_runs,).

        None where not all pairs are tested or no test decides.
        """
        return self._n_different("run")

    @property
    def n_beaten_by(self) -> IntArray | None:
        """The number of runs that are significantly better than each run, shape (n_runs,).

        None where not all pairs are tested or no test decides.
        """
        return self._n_different("versus")

    def _n_different(self, side: Literal["run", "versus"]) -> IntArray | None:
        """The number of pairs that are called different in which a run is ``run``, or ``versus``; shape (n_runs,)."""
        if self.all_pairs is not None:
            return self.all_pairs._n_different(side)
        if self.baseline is not None or self.why_undecided is not None:
            return None
        return np.bincount(getattr(self, side)[self.differs], minlength=len(self.runs))

    def letters_beaten(self, letters: Sequence[str]) -> list[str]:
        """The letters of the runs that each run is significantly better than, shape (n_runs,); "" for none.

        Letters of all runs have the shape (n_runs,). All pairs have to be tested.

        >>> values = np.array([[0.5], [0.1], [0.9]]) + np.random.default_rng(0).normal(size=(3, 40)) * 0.1
        >>> PairTests(("A", "B", "C"), values, CompareRequest()).letters_beaten(["b", "c", "a"])
        ['c', '', 'bc']
        """
        if self.all_pairs is not None:
            return self.all_pairs.letters_beaten(letters)
        assert self.baseline is None, "all pairs were tested"
        beaten: list[list[str]] = [[] for _ in self.runs]
        for run, versus in zip(self.run[self.differs].tolist(), self.versus[self.differs].tolist(), strict=True):
            beaten[run].append(letters[versus])
        return ["".join(sorted(names)) for names in beaten]

    @property
    def why_unranked(self) -> str | None:
        """The reason why the test that decides gives no ranges of ranks, in words; None if it gives them.

        The ranges hold for all runs together only if the p-values bound the chance of any false difference. Those
        without a correction, or with Benjamini and Hochberg's, do not. A test that does not compare means says nothing
        of ranks by the mean.
        """
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        if self.units.n < FEWEST_QUERIES:
            return f"ranks need {at_least(self.units)}"
        if self.why_undecided is not None:
            return f"{self.request.samples} samples are too few for this level"
        if test.corrected and self.n_family > 1 and (correction is None or not correction.of_any):
            p = "uncorrected p-values" if correction is None else f"p-values with {correction.words} correction"
            return f"{p} do not allow for all {self.n_family} pairs together"
        return None if test.of_means else f"{test.meaning} does not compare means"

    @cached_property
    def ranks(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank of each run by its mean, n_runs each; 1 is the best rank.

        The least rank is 1 + the number of runs that are significantly better, the greatest n_runs - the number of runs
        that are significantly worse. If all pairs are tested, all true ranks lie in these ranges together, with a
        probability of about the level. With a ``baseline`` it alone has a range, which holds for its rank alone; other
        runs have None. All have None if there is a reason `why_unranked`.

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
        if self.why_unranked is None:
            better = np.where(self.gain > 0, self.run, self.versus)[self.differs]
            worse = np.where(self.gain < 0, self.run, self.versus)[self.differs]
            n_beaten = np.bincount(better, minlength=n_runs).tolist()
            n_beaten_by = np.bincount(worse, minlength=n_runs).tolist()
            # the only pair of two runs ranks both
            for run in range(n_runs) if self.baseline is None or n_runs == 2 else (self.baseline,):
                least[run], greatest[run] = 1 + n_beaten_by[run], n_runs - n_beaten[run]
        return least, greatest

    @property
    def why_not_all_ranked(self) -> str | None:
        """The reason why not all runs have a range of ranks, in words; None if all have one."""
        if self.baseline is not None and self.all_pairs is None and self.why_unranked is None and len(self.runs) > 2:
            return f"the pairs with {self.runs[self.baseline]!s} are tested, which give its rank alone"
        return self.why_unranked

    @property
    def deciding_words(self) -> str:
        """The test that decides, in words, with its correction if there are several pairs to correct for."""
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        if not test.corrected:  # and the step-down test steps over several pairs
            return self.words(self.deciding).removeprefix("step-down " if self.n_family == 1 else "")
        words = test.meaning.removeprefix("the ").removeprefix("paired ")
        words = words if self.systems is None else f"{words} over {QUERIES} and runs"
        return words if correction is None or self.n_family == 1 else f"{words} with {correction.words} correction"

    def words(self, test: Test) -> str:
        """A test in words; the words of the step-down test depend on the numbers of queries and of pairs.

        A single pair on few queries is tested by another bootstrap in its place (`step_down.method_for`).
        """
        if self.systems is not None and test == "t":
            return f"t over {QUERIES} and runs"
        method = step_down.method_for(self.units.n, self.n_family)
        return primary_words(method) if test == PRIMARY else TESTS[test].words


def _ratio(delta: FloatArray, sd: FloatArray) -> FloatArray:
    """delta / sd, shape (n_pairs,); 0 where delta is 0, and nan where sd alone is 0."""
    ratio: FloatArray = np.where(delta == 0, 0.0, np.nan)
    np.divide(delta, sd, out=ratio, where=(sd > 0) & (delta != 0))
    return ratio
