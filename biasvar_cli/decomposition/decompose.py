"""The virtual target, and bias, variance and total error of runs against it.

One algebra: the functions on arrays, like those of `stats.correlation`, take any leading axes, so that a matrix and
five hundred samples of one go through the same lines. Means and variances over subsets of the queries have a second,
faster form for samples in `decomposition.samples`; tests hold the two together.

Sources: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013, Eq. 1 to 9;
IPM'14: the same authors, IP&M 50(1), 2014; CIKM'14: Zhang et al., "Generalized Bias-Variance Evaluation of TREC
Participated Systems", CIKM 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray, difference, equalised
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.errors import DataError, UsageError, full_name, warn
from biasvar_cli.score_matrix import LARGEST, LogTransform, ScoreMatrix, negated
from biasvar_cli.specs.targets import BEST, TargetKind, TargetSpec
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance, population_variance
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, VAR, Better, Form, argument, counted


@dataclass(frozen=True, eq=False)
class VirtualTarget:
    """The target's score per query, shape (n_queries,), or None where only its mean is given.

    ``spec`` is the target as asked for; ``n_pool`` the number of runs it was made from, 0 if none. ``n_drawn`` is None,
    or how many runs drawn from the pool the scores are the expected best of. ``mean`` and ``scores`` are utilities, as
    in a `ScoreMatrix`: where less of the measure is ``better``, they have their sign changed.
    """

    spec: TargetSpec
    mean: float
    scores: FloatArray | None
    n_pool: int
    n_drawn: int | None = None
    better: Better = "more"

    def __post_init__(self) -> None:
        highest = max(abs(self.mean), 0.0 if self.scores is None else float(np.abs(self.scores).max()))
        if highest > LARGEST:
            raise DataError(f"the target {self.label} has a score of {highest:g}, too large to square")

    def __repr__(self) -> str:
        made = f", of {counted(self.n_pool, 'run')}" if self.n_pool else ""
        return f"VirtualTarget({self.label}, mean {self.in_unit.mean:.4f}{made})"

    @classmethod
    def of(cls, spec: TargetSpec, scores: FloatArray, n_pool: int, better: Better = "more") -> VirtualTarget:
        """A target with these utilities."""
        return cls(spec, float(scores.mean()), scores, n_pool, better=better)

    def oriented(self, better: Better) -> VirtualTarget:
        """The same target where more or less is better: with the other sign if that changes."""
        if better == self.better:
            return self
        scores = None if self.scores is None else negated(self.scores)
        return replace(self, mean=0.0 - self.mean, scores=scores, better=better)

    @property
    def in_unit(self) -> VirtualTarget:
        """The target with its scores as the measure has them, whichever are better.

        >>> runs = ScoreMatrix(np.array([[2.0, 0.0], [1.0, 4.0]]), ("A", "B"), ("q1", "q2"), "ESL").oriented("less")
        >>> best_of_runs(runs).in_unit.scores.tolist()
        [1.0, 0.0]
        """
        return self.oriented("more")

    @property
    def kind(self) -> TargetKind:
        return self.spec.kind

    @property
    def label(self) -> str:
        """The target in a few words: as it was typed, but for an expected best."""
        return self.spec.text if self.n_drawn is None else f"expected best of {counted(self.n_drawn, 'run')}"

    @property
    def is_best(self) -> bool:
        """Whether it is the best score of each query over the pool, neither a quantile nor an expected best."""
        return self.spec == BEST and self.n_drawn is None

    @property
    def var(self) -> float:
        """The population variance of the target's scores, which is the total of its own row; nan if unknown."""
        return float("nan") if self.scores is None else float(np.var(self.scores, ddof=0))


@dataclass(frozen=True, eq=False)
class TargetedScores:
    """Scores with what they are measured against: the listed runs, the pool's, and the target, on the same queries.

    ``logs`` says that all of them are logarithms of scores.
    """

    scores: ScoreMatrix
    pool: ScoreMatrix
    target: VirtualTarget
    logs: bool = False


def best_of_runs(pool: ScoreMatrix, spec: TargetSpec = BEST) -> VirtualTarget:
    """The best score of each query over the pool (SIGIR'13, CIKM'14), or with a number the quantile of its scores.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.2, 0.4]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> best_of_runs(runs).scores.tolist()
    [0.3, 0.4]
    """
    if pool.n_runs == 1:
        warn(f"the pool is one {RUN}: the target equals {pool.runs[0]}, and its bias is 0")
    assert spec.form.of_runs is not None
    return VirtualTarget.of(spec, spec.form.of_runs(pool.values, pool.runs, spec), pool.n_runs, pool.better)


def run_target(pool: ScoreMatrix, name: str) -> VirtualTarget:
    """The scores of one run, by its name or the beginning of it; it may be beaten on single queries and on the mean.

    Raises what `full_name` raises.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> run_target(runs, "T").scores.tolist()
    [0.7, 0.2]
    """
    name = full_name(argument(target=f"run:{name}"), name, pool.runs)
    return VirtualTarget.of(TargetSpec("run", f"run:{name!s}", name=name), pool.row(name), 1, pool.better)


def mean_target(mean: float, spec: TargetSpec | None = None) -> VirtualTarget:
    """A target whose mean alone is known: it has no gap form and no variance.

    >>> mean_target(0.45).mean, mean_target(0.45).scores
    (0.45, None)
    """
    return VirtualTarget(spec or TargetSpec("mean", f"mean:{mean:g}", number=mean), mean, None, 0)


def log_target(target: VirtualTarget, transform: LogTransform) -> VirtualTarget:
    """The target's scores as logs; the maximum over runs and the log commute, so best stays best.

    Raises `UsageError` for a target that is a mean alone, from which no mean of logs follows.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> target = log_target(run_target(runs, "T"), LogTransform("floor", 1e-5))
    >>> round(float(np.exp(target.mean)), 6)  # the geometric mean
    0.374166
    """
    if target.scores is None:
        raise UsageError(f"{argument('log')} needs the target's score per {QUERY}; {target.label} is a mean alone")
    scores = transform(target.scores if target.better == "more" else negated(target.scores))
    return replace(target, scores=scores, mean=float(scores.mean()), better="more").oriented(target.better)


@dataclass(frozen=True, eq=False)
class Moments:
    """The errors of runs, arrays of one shape (..., n_runs): of the data, of samples, or without each query.

    ``mean`` is the run's mean score, ``bias`` the target's mean minus it, ``bias2`` its square (averaged where there
    are several partitions), ``var`` the variance of the scores and ``var_gap`` that of the gap target - score, nan
    where the target is a mean alone.
    """

    mean: FloatArray
    bias: FloatArray
    bias2: FloatArray
    var: FloatArray
    var_gap: FloatArray

    @classmethod
    def of(cls, mean: FloatArray, bias: FloatArray, var: FloatArray, var_gap: FloatArray) -> Moments:
        """Moments whose bias^2 is the square of the bias."""
        return Moments(mean, bias, bias**2, var, var_gap)

    @classmethod
    def joined(
        cls, parts: Sequence[Moments], join: Callable[[Sequence[FloatArray]], FloatArray] = np.concatenate
    ) -> Moments:
        """The numbers of several parts, one kind of them at a time."""
        return Moments(*map(join, zip(*(vars(part).values() for part in parts), strict=True)))

    @property
    def total(self) -> FloatArray:
        """Bias^2 + variance = mean over queries of (score - the target's mean)^2 (SIGIR'13 Eq. 3)."""
        return self.bias2 + self.var

    @property
    def total_gap(self) -> FloatArray:
        """Bias^2 + variance of the gap = mean over queries of (score - target)^2 (SIGIR'13 Eq. 7)."""
        return self.bias2 + self.var_gap

    def variance(self, form: Form) -> FloatArray:
        """The variance of a form."""
        return getattr(self, VAR[form])


def moments(
    values: FloatArray, target: FloatArray | None, mean: FloatArray | float, within: FloatArray | None = None
) -> Moments:
    """The errors of scores, (..., n) to (...): of the runs of a matrix, or of many matrices.

    ``target`` has the target's scores, with any shape that broadcasts to that of the values, or is None where only its
    mean is known; ``mean`` has the target's means, with any shape that broadcasts to (...). Where the values are means
    over replicates, ``within`` has the variances of these, and the variances are over queries and replicates:
    Var_kq(S) = Var_q(E_k S) + E_q Var_k(S), in the gap form alike (docs/definitions.md, "Replicates").

    The runs A, B and C of SIGIR'13, Tables 1 and 2, against its target model T:

    >>> runs, best = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]]), np.array([0.7, 0.2])
    >>> found = moments(runs, best, best.mean())
    >>> found.bias2.round(6).tolist(), found.var.round(6).tolist(), found.var_gap.round(6).tolist()
    ([0.0625, 0.0121, 0.0121], [0.01, 0.0676, 0.0961], [0.0225, 0.0001, 0.0036])
    """
    means = values.mean(axis=-1)
    bias = difference(mean, means)
    var_gap = np.full(means.shape, np.nan) if target is None else population_variance(difference(target, values))
    of_replicates = 0.0 if within is None else within.mean(axis=-1)
    return Moments.of(means, bias, population_variance(values) + of_replicates, var_gap + of_replicates)


class Deviations(NamedTuple):
    """The moments of the data, (R,), and the deviations of scores and gaps from their means, (R, n).

    From deviations the variances of resamples come without cancellation, and exactly 0 for constant scores. A target
    that is a mean alone has the gaps of a constant. ``within`` are the variances of replicates, (R, n), None where
    there are none: the replicates are the same in every resample. ``clusters`` say which queries belong together.
    """

    moments: Moments
    score: FloatArray
    gap: FloatArray
    within: FloatArray | None = None
    clusters: Clusters | None = None

    @property
    def units(self) -> Clusters:
        """What is drawn: the clusters of queries, or single queries."""
        return units_of(self.score.shape[1], self.clusters)

    @classmethod
    def of(cls, scores: ScoreMatrix, target: VirtualTarget) -> Deviations:
        """The deviations of the scores of runs and of their gaps to the target."""
        within = scores.within
        result = moments(scores.values, target.scores, target.mean, within)
        best = np.array([target.mean]) if target.scores is None else target.scores
        gaps, largest = difference(best, scores.values), np.abs(scores.values).max(axis=1)
        score = _deviations(scores.values, largest)
        gap = _deviations(gaps, np.maximum(largest, np.abs(best).max()))
        var_gap = result.var if target.scores is None else result.var_gap
        varies = np.zeros(scores.n_runs, dtype=bool) if within is None else within.any(axis=1)
        var, var_gap = (
            np.where(deviations.any(axis=1) | varies, variance, 0.0)
            for variance, deviations in ((result.var, score), (var_gap, gap))
        )
        return cls(Moments.of(result.mean, result.bias, var, var_gap), score, gap, within, scores.clusters)

    def of_runs(self, runs: slice) -> Deviations:
        """Some of the runs."""
        some = Moments(*(values[runs] for values in vars(self.moments).values()))
        within = None if self.within is None else self.within[runs]
        return Deviations(some, self.score[runs], self.gap[runs], within, self.clusters)

    def resampled(self, weights: FloatArray) -> Moments:
        """The moments of resamples with these weights, (B, n): the target is drawn with its queries. (B, R)."""
        score, gap = weights @ self.score.T, weights @ self.gap.T
        of_replicates = 0.0 if self.within is None else weights @ self.within.T
        return Moments.of(
            self.moments.mean + score,
            self.moments.bias + gap,
            np.maximum(weights @ (self.score**2).T - score**2, 0.0) + of_replicates,
            np.maximum(weights @ (self.gap**2).T - gap**2, 0.0) + of_replicates,
        )

    def left_out(self) -> Moments:
        """The moments without each query in turn, (R, n), n >= 2, or without each cluster, (R, C), C >= 2.

        A variance by rounding alone is 0.
        """
        units = self.units
        others = self.score.shape[1] - units.sizes
        of_replicates = 0.0 if self.within is None else leave_one_out_mean(self.within, units)
        return Moments.of(
            self.moments.mean[:, None] - units.sums(self.score) / others,
            self.moments.bias[:, None] - units.sums(self.gap) / others,
            _left_out_variance(self.score, units) + of_replicates,
            _left_out_variance(self.gap, units) + of_replicates,
        )


def _deviations(values: FloatArray, largest: FloatArray) -> FloatArray:
    """Each row minus its mean; exactly 0 for one that varies by no more than rounding of the largest score, (R,)."""
    shifted = values - values[:, :1]
    deviations: FloatArray = shifted - shifted.mean(axis=1, keepdims=True)
    deviations[np.abs(deviations).max(axis=1) <= ROUNDING * largest] = 0.0
    return deviations


def _left_out_variance(deviations: FloatArray, units: Clusters) -> FloatArray:
    """The variance without each query or cluster, (R, C); 0 where its root is below 1e-12 of the largest deviation."""
    variance = leave_one_out_variance(deviations, units)
    least = (ROUNDING * np.abs(deviations).max(axis=1, keepdims=True)) ** 2
    return np.where(variance <= least, 0.0, variance)


@dataclass(frozen=True, eq=False)
class ReplicateVariance:
    """The parts of the variance of systems, each over its replicates; arrays of the shape (n_systems,).

    ``queries`` is the variance over queries of the mean over the replicates, ``replicates`` the mean over queries of
    the variance over the replicates: their sum is ``var``. ``sd`` is the standard deviation, divisor K - 1, of the mean
    scores of the replicates. ``n_replicates`` is K; for K = 1 the three others are nan.

    They describe the K runs at hand. For all runs that the system might have, ``replicates`` is too small by the factor
    (K - 1) / K on average, since deviations are from the mean of these K. ``queries`` is too large by replicates /
    (K - 1) - sd^2 / K, since the mean of K runs keeps a share of their scatter, except of what moves all queries alike.
    The square of ``sd`` is right. So ``var`` is too small by sd^2 / K, and bias^2 too large by as much: their sum is
    right for a target that does not depend on the runs. `benchmarks/replicates.py` simulates it.
    """

    n_replicates: IntArray
    queries: FloatArray
    replicates: FloatArray
    sd: FloatArray

    @classmethod
    def of(cls, scores: ScoreMatrix) -> ReplicateVariance | None:
        """The parts of the variance of the systems of a matrix; None where its rows are runs.

        >>> values = np.array([[0.3, 0.1, 0.5], [0.5, 0.2, 0.5], [0.4, 0.3, 0.2], [0.45, 0.2, 0.1]])
        >>> runs = ScoreMatrix(values, ("A1", "A2", "A3", "C"), ("q1", "q2", "q3"), "AP")
        >>> systems = ScoreMatrix.of_systems(runs, {"A1": "A", "A2": "A", "A3": "A", "C": "C"})
        >>> parts = ReplicateVariance.of(systems)
        >>> parts.queries.round(6).tolist(), parts.replicates.round(6).tolist(), parts.sd.round(6).tolist()
        ([0.008889, nan], [0.011111, nan], [0.057735, nan])
        """
        replicates, within = scores.replicates, scores.within
        if replicates is None or within is None:
            return None
        n = replicates.sizes
        several = n > 1
        means = replicates.runs.values.mean(axis=1)
        squares = replicates.mean((means - np.repeat(replicates.mean(means), n)) ** 2)
        sd = np.sqrt(squares * n / np.maximum(n - 1, 1))
        parts = (population_variance(scores.values), within.mean(axis=1), sd)
        return cls(n, *(np.where(several, part, np.nan) for part in parts))


@dataclass(frozen=True, eq=False)
class Decomposition(Moments):
    """Bias and variance of each run in both forms; every array has the shape (n_runs,), in the order of ``runs``.

    Of systems with replicates they are those of one replicate drawn at random, and ``parts`` has the two parts of the
    variance.
    """

    runs: tuple[str, ...]
    measure: str | None
    n_queries: int
    target: VirtualTarget
    parts: ReplicateVariance | None = None

    @property
    def better(self) -> Better:
        """Whether more or less of the measure is better; ``mean`` is a mean of utilities."""
        return self.target.better


def decompose(scores: ScoreMatrix, target: VirtualTarget) -> Decomposition:
    """Decompose the error of every run against the target, in the score form and in the gap form.

    Score form (SIGIR'13 Eq. 1 to 3): Bias = mean(T) - mean(S), Var = mean (S - mean(S))^2; needs only the target's
    mean. Gap form (Eq. 4 to 7), of rho = T - S: the same bias, Var_gap = mean (rho - mean(rho))^2. Means and variances
    of a system are over its replicates and the queries, so that both totals are the squared error of one replicate
    drawn at random. Raises `DataError` if the target is not on the same queries.

    The runs A, B and C of SIGIR'13, Tables 1 and 2, against its target model T:

    >>> from biasvar_cli.decomposition.decompose import run_target
    >>> runs = ScoreMatrix(
    ...     np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03], [0.7, 0.2]]), ("A", "B", "C", "T"), ("q1", "q2"), "AP"
    ... )
    >>> result = decompose(runs, run_target(runs, "T"))
    >>> result.bias2.round(6).tolist()
    [0.0625, 0.0121, 0.0121, 0.0]
    >>> result.var.round(6).tolist()
    [0.01, 0.0676, 0.0961, 0.0625]
    >>> result.total_gap.round(6).tolist()
    [0.085, 0.0122, 0.0157, 0.0]
    """
    target_scores = target.scores
    if target_scores is not None and target_scores.shape != (scores.n_queries,):
        raise DataError(f"the target has {len(target_scores)} {QUERIES}, the {RUNS} {scores.n_queries}")
    return Decomposition(
        **vars(moments(scores.values, target_scores, target.mean, scores.within)),
        runs=scores.runs,
        measure=scores.measure,
        n_queries=scores.n_queries,
        target=target,
        parts=ReplicateVariance.of(scores),
    )


def weighted_total(result: Decomposition, weight_bias: float, weight_var: float) -> FloatArray:
    """w_b bias^2 + w_v variance (IPM'14, conclusion), shape (n_runs,); a squared error only if both weights are equal.

    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1]]), ("A",), ("q1", "q2"), "AP")
    >>> weighted_total(decompose(runs, mean_target(0.45)), 1, 2).round(6).tolist()  # .0625 + 2 * .01
    [0.0825]
    """
    return weight_bias * result.bias2 + weight_var * result.var


def pareto_front(bias2: FloatArray, var: FloatArray) -> BoolArray:
    """Whether no other run is at most as large in both and smaller in one; two vectors (n_runs,) give one.

    For all positive weights the run of least weighted total is among these. Differences by rounding alone do not count.

    >>> pareto_front(np.array([0.0625, 0.0121, 0.0121]), np.array([0.01, 0.0676, 0.0961])).tolist()
    [True, True, False]
    """
    bias2, var = equalised(bias2), equalised(var)
    order = np.lexsort((var, bias2))
    front = np.zeros(len(order), dtype=bool)
    least, at = np.inf, np.inf
    for index in order:
        if var[index] < least or (var[index] == least and bias2[index] == at):
            front[index] = True
            least, at = var[index], bias2[index]
    return front
