"""What is compared of runs, and the differences of all pairs of runs, or of all other runs from a baseline.

Sources: Student's t and its interval: `stats.paired`; effect sizes: Sakai, Information Retrieval Journal 19, 2016. That
losses of total errors allow for the estimation of the target's mean is derived here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Literal, NamedTuple, Self

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, Of
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.stats import variance
from biasvar_cli.stats.paired import PairedRows, paired_t, t_quantile
from biasvar_cli.stats.systems import Plan, SystemRows
from biasvar_cli.words import QUERIES, QUERY, RUNS


class Replicated(NamedTuple):
    """What is compared of all runs of systems, (n_single_runs, n_queries), and how many runs each system has.

    ``paired`` says that the k-th runs of all systems belong together.
    """

    values: FloatArray
    sizes: IntArray
    paired: bool


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


def require_two_runs(n_runs: int) -> None:
    """Raise `DataError` for fewer than two runs."""
    if n_runs < 2:
        raise DataError(f"pairs of {RUNS} are compared: at least 2 {RUNS} are needed, found {n_runs}")


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """The differences of all pairs of runs, or of all pairs with a baseline; `PairTests` are the tests of them.

    * ``runs``: the names of the runs.
    * ``values``: the numbers whose means are compared, (n_runs, n_queries); see `values_to_compare`.
    * ``request``: the tests, their correction and level, and the number of samples.
    * ``baseline``: the index of the run that all others are compared with; None to compare all pairs.
    * ``all_pairs``: the tests of all pairs, if the baseline is the run with the best mean. Since this run was chosen by
      its mean, p-values that allow only for the pairs with it would be too small: those of all pairs are taken.
    * ``replicates``: the numbers of all runs of the rows, where these are systems and the tests are about systems
      (`stats.systems`); None for tests of the rows as they are. The test is t then.
    * ``clusters``: the clusters of the queries. Clusters are then independent instead of queries, and with fewer than 6
      of them all p-values and intervals are nan.

    Arrays have the shape (n_pairs,) unless their docstring says otherwise, and are computed when they are first used.

    Raises `DataError` for a single run, query or cluster.
    """

    runs: tuple[str, ...]
    values: FloatArray
    request: CompareRequest
    baseline: int | None = None
    all_pairs: Self | None = None
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
    ) -> Self:
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
        return cls(scores.runs, values, request, baseline, None, scores.clusters, replicates)

    def __post_init__(self) -> None:
        n_runs, n_queries = self.values.shape
        require_two_runs(n_runs)
        if n_queries < 2:
            raise DataError(f"a paired test needs at least 2 {QUERIES}, found 1")
        if self.clusters is not None and self.clusters.n < 2:
            raise DataError("a paired test needs at least 2 clusters, found 1")

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


def _ratio(delta: FloatArray, sd: FloatArray) -> FloatArray:
    """delta / sd, shape (n_pairs,); 0 where delta is 0, and nan where sd alone is 0."""
    ratio: FloatArray = np.where(delta == 0, 0.0, np.nan)
    np.divide(delta, sd, out=ratio, where=(sd > 0) & (delta != 0))
    return ratio
