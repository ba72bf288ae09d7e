"""Generalised bias-variance over query samples, and the correlation of bias² and variance over runs, in both forms.

Query samples are partitions of the queries into subsets, whose means take the place of single scores.

Sources: CIKM'14: Zhang et al., "Generalized Bias-Variance Evaluation of TREC Participated Systems", CIKM 2014, Eq. 3
to 7, and its correlations; Kendall's after Sakai 2013.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, assert_never

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray, difference, equalised, in_stable_order
from biasvar_cli.decomposition import SINGLE, Design, Normalisation, Remainder, Sampling, SubsetWeights, ZeroTarget
from biasvar_cli.decomposition.decompose import Decomposition, Moments, TargetedScores, VirtualTarget, moments
from biasvar_cli.errors import DataError, warn
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.stats import monte_carlo, variance
from biasvar_cli.stats.correlation import UNDEFINED, Correlations, correlations
from biasvar_cli.words import FORMS, QUERY, RUN, DifficultyKey, Form, argument, counted, examples


@dataclass(frozen=True, eq=False)
class Partition:
    """The queries split into m disjoint subsets that cover them.

    ``order`` lists the queries subset by subset, shape (n_queries,); ``sizes`` and ``weights`` have the shape (m,), and
    the weights sum to 1.
    """

    order: IntArray
    sizes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, order: IntArray, sizes: Sequence[int] | IntArray, weights: SubsetWeights = "size") -> Partition:
        """Consecutive subsets of ``order``, weighted by their sizes (CIKM'14 with p_s = k_s / n) or equally.

        >>> Partition.of(np.arange(5), [2, 2, 1]).weights.tolist()
        [0.4, 0.4, 0.2]
        """
        sizes = np.asarray(sizes, dtype=np.int64)
        assert sizes.min() > 0, "no subset is empty"
        assert sizes.sum() == len(order), f"the subsets cover every {QUERY}"
        share = sizes / len(order) if weights == "size" else np.full(len(sizes), 1 / len(sizes))
        return cls(order, sizes, share)

    def means(self, values: FloatArray) -> FloatArray:
        """The mean of each subset: values of shape (..., n_queries) give (..., m).

        Deviations from the first value of each subset are averaged, so that the mean of a constant subset is exactly
        that constant, 0 above all.

        >>> Partition.of(np.arange(5), [2, 2, 1]).means(np.array([0.1, 0.2, 0.3, 0.4, 0.6])).round(12).tolist()
        [0.15, 0.35, 0.6]
        """
        if (self.sizes == 1).all():
            return values[..., self.order]
        ordered, starts = values[..., self.order], np.cumsum(self.sizes) - self.sizes
        first = ordered[..., starts]
        deviations = ordered - np.repeat(first, self.sizes, axis=-1)
        return first + np.add.reduceat(deviations, starts, axis=-1) / self.sizes


def subset_sizes(n_queries: int, size: int, remainder: Remainder = "last") -> list[int]:
    """The sizes of the subsets of ``size`` queries; ``remainder`` says what becomes of a rest.

    ``last``: it is a smaller last subset. ``balanced``: round(n / k) subsets whose sizes differ by at most one.
    ``merge``: it joins the subset before. No query is ever dropped.

    >>> [subset_sizes(48, 10, rest) for rest in ("last", "balanced", "merge")]
    [[10, 10, 10, 10, 8], [10, 10, 10, 9, 9], [10, 10, 10, 18]]
    """
    whole, rest = divmod(n_queries, size)
    if remainder == "balanced":
        number = max(1, (2 * n_queries + size) // (2 * size))
        least, more = divmod(n_queries, number)
        return [least + 1] * more + [least] * (number - more)
    if rest and whole and remainder == "merge":
        return [size] * (whole - 1) + [size + rest]
    return [size] * whole + ([rest] if rest else [])


def single_queries(n_queries: int) -> Partition:
    """Every query is a subset (CIKM'14, configuration a).

    >>> single_queries(2).sizes.tolist()
    [1, 1]
    """
    return Partition.of(np.arange(n_queries), np.ones(n_queries, dtype=np.int64))


def random_orders(n_queries: int, size: int, repeats: int, seed: int) -> list[IntArray]:
    """Random orders of the queries (CIKM'14, configuration b), the same for all runs.

    The seed and the subset size start the stream, so that one size is drawn alike whatever others are.

    >>> [sorted(order.tolist()) for order in random_orders(3, 2, 2, seed=0)]
    [[0, 1, 2], [0, 1, 2]]
    """
    rng = monte_carlo.generator(monte_carlo.Stream.PARTITIONS, seed, size)
    return [rng.permutation(n_queries) for _ in range(repeats)]


def _ease(pool: FloatArray, key: DifficultyKey) -> FloatArray:
    return np.asarray(pool.max(axis=-2) if key == "best" else pool.mean(axis=-2))


def ease(pool: FloatArray, key: DifficultyKey = "best") -> FloatArray:
    """How easy each query is: its best or its mean score over the runs of a pool, (..., R, n) to (..., n).

    Queries that are as easy as one another up to rounding are equal.

    >>> ease(np.array([[0.1, 0.5], [0.3, 0.2]])).tolist()
    [0.3, 0.5]
    """
    return equalised(_ease(pool, key), axis=-1)


def by_difficulty(pool: FloatArray, key: DifficultyKey = "best") -> IntArray:
    """The queries from hard to easy (CIKM'14, configuration c), (..., R, n) to (..., n); ties keep their order.

    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> by_difficulty(np.array([g, f])).tolist()
    [0, 1, 2, 3, 4]
    """
    return in_stable_order(_ease(pool, key))


def listed_groups(groups: Mapping[str, str], queries: Sequence[str], path: str) -> tuple[IntArray, list[int]]:
    """The queries group by group, groups in order of their names, and the sizes of the groups.

    Raises `DataError` for a query without a group; groups of other queries are left out with a warning.

    >>> order, sizes = listed_groups({"1": "long", "2": "short", "3": "long"}, ("1", "2", "3"), "groups.csv")
    >>> order.tolist(), sizes
    ([0, 2, 1], [2, 1])
    """
    missing = [query for query in queries if query not in groups]
    others = [query for query in groups if query not in set(queries)]
    if missing:
        hint = f"; it has a group for {examples(others)}, which is not evaluated" if others else ""
        raise DataError(f"no group for {counted(len(missing), 'query')}: {examples(missing)}{hint}", path=path)
    if others:
        warn(f"{path}: {counted(len(others), 'query')} outside the evaluated ones left out: {examples(others)}")
    _, group, sizes = np.unique([groups[query] for query in queries], return_inverse=True, return_counts=True)
    return np.argsort(group, kind="stable"), sizes.tolist()


@dataclass(frozen=True, eq=False)
class Generalised(Moments):
    """The errors of each run over query samples, averaged over the partitions; arrays of the shape (n_runs,).

    ``mean`` and ``bias`` are means over the partitions, ``bias2`` the mean of the squared bias; ``var`` is the variance
    of the subset means in the score form, ``var_gap`` in the gap form (the same as ``var`` if normalised). For one
    partition the totals are mean squared errors of its subset means (CIKM'14 Eq. 3 and 4). ``n_subsets`` counts those
    of one partition, ``n_dropped`` those left out of it because the target is 0 there.
    """

    n_subsets: int
    n_dropped: int = 0

    @classmethod
    def undefined(cls, n_runs: int) -> Generalised:
        """What stands for a normalised form that is not defined: no subset, and nan for every run."""
        nothing = np.full(n_runs, np.nan)
        return cls(nothing, nothing, nothing, nothing, nothing, n_subsets=0)


def generalise(scores: ScoreMatrix, target: VirtualTarget, partitions: Sequence[Partition]) -> Generalised:
    """Decompose the error over the subsets of each partition; bias^2 and variances are averaged over the partitions.

    Bias = M(T; Q) - E_S M(f; S) and Var = E_S (M(f; S) - E_S M(f; S))^2, where M is the mean score and E_S weights the
    subsets (CIKM'14 Eq. 3 to 5); the target's mean is that of all queries. With weights by size the bias is that of
    single queries. In the gap form the subset means of target - score vary instead.

    >>> from biasvar_cli.decomposition.generalised import Partition
    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> runs = ScoreMatrix(np.array([f, g]), ("f", "g"), tuple("12345"), "AP")
    >>> result = generalise(runs, best_of_runs(runs), [Partition.of(np.arange(5), [2, 2, 1])])
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist()
    ([0.0016, 0.0036], [0.0276, 0.01175])
    """
    by_partition = []
    for partition in partitions:
        means, weights = partition.means(scores.values), partition.weights
        mean, var_gap = _weighted_mean(means, weights), np.full(scores.n_runs, np.nan)
        if target.scores is not None:
            var_gap = weighted_variance(difference(partition.means(target.scores), means), weights)
        bias = difference(target.mean, mean)
        by_partition.append(Moments.of(mean, bias, weighted_variance(means, weights), var_gap))
    averages = Moments.joined(by_partition, lambda values: np.mean(values, axis=0))
    return Generalised(**vars(averages), n_subsets=len(partitions[0].sizes))


def expected_over_random(single: Moments, n_queries: int, partition: Partition) -> Generalised:
    """What `generalise` gives on average over all random partitions with the subset sizes and weights of one.

    ``single`` are the errors over single queries, any shape. Subset means without replacement have variance v_s = Var
    (n - k_s) / (k_s (n - 1)) and covariance -Var / (n - 1). With weights by size this is E[Var_S] = Var (m - 1) / (n -
    1), the same multiple for every run, and the bias does not vary: a correlation over random partitions that differs
    from that over single queries does so by chance.

    >>> from biasvar_cli.decomposition.decompose import moments
    >>> single = moments(np.array([[0.10, 0.20, 0.30, 0.40, 0.60]]), None, 0.36)
    >>> result = expected_over_random(single, 5, Partition.of(np.arange(5), [2, 2, 1]))
    >>> result.var.round(6).tolist()  # .0296 (3 - 1) / (5 - 1)
    [0.0148]
    """
    of_variance, of_mean = _over_random(partition, n_queries)
    bias2 = single.bias2 + of_mean * single.var
    var, var_gap = of_variance * single.var, of_variance * single.var_gap
    return Generalised(single.mean, single.bias, bias2, var, var_gap, len(partition.sizes))


def _over_random(partition: Partition, n_queries: int) -> tuple[float, float]:
    """The variance of subset means and that of their weighted mean, over all random partitions of these sizes.

    Both are multiples of the variance over single queries; the second is 0 with weights by size.

    >>> [round(multiple, 6) for multiple in _over_random(Partition.of(np.arange(5), [2, 2, 1]), 5)]
    [0.5, 0.0]
    """
    n, p, k = n_queries, partition.weights, partition.sizes
    if n == 1:
        return 0.0, 0.0
    of_means = float(np.sum(p * (n - k) / (k * (n - 1))))
    of_their_mean = float(np.sum(p**2 * (n - k) / (k * (n - 1))) - (1 - np.sum(p**2)) / (n - 1))
    of_their_mean = 0.0 if abs(of_their_mean) < ROUNDING else of_their_mean
    return of_means - of_their_mean, of_their_mean


def normalise(
    scores: ScoreMatrix,
    target: VirtualTarget,
    partition: Partition,
    *,
    by: Normalisation = "ratio",
    zero_target: ZeroTarget = "drop",
    pool: ScoreMatrix | None = None,
) -> Generalised | None:
    """The normalised form: Y = M(f; S) / M(T; S), whose target is 1 (CIKM'14 Eq. 6 and 7).

    Bias = 1 - E_S Y, Var = E_S (Y - E_S Y)^2; the gap form is the same. ``maxmin`` takes the least subset mean over the
    ``pool`` from both (after the abstract of BV-Test, IP&M 2022; inferred). Where the target's mean is 0, or no more
    than the least one, a subset is dropped and counted, or Y is 1 there (dropped all the same if a run is above the
    target), or a `DataError` is raised. None where nothing is left, where the target has no score per query, or where
    its mean is negative.

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> runs = ScoreMatrix(np.array([f, g]), ("f", "g"), tuple("12345"), "AP")
    >>> result = normalise(runs, best_of_runs(runs), Partition.of(np.arange(5), [2, 2, 1]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist()
    ([0.0225, 0.0225], [0.00875, 0.0025])
    """
    if target.scores is None:
        return None
    means, ceiling = partition.means(scores.values), partition.means(target.scores)
    if by == "maxmin":
        floor = partition.means((pool or scores).values).min(axis=0)
        means, ceiling = difference(floor, means) * -1, difference(floor, ceiling) * -1
    if (ceiling < 0).any():
        return None
    zero = ceiling == 0
    if zero.any() and zero_target == "error":
        subset = partition.order[np.repeat(zero, partition.sizes)]
        query = scores.queries[int(subset.min())]
        why = f"by which no {RUN} can be divided ({argument(zero_target='error')})"
        raise DataError(f"the target is 0 on {QUERY} {query}, {why}")
    keep = ~zero if zero_target == "drop" else ~zero | (means == ceiling).all(axis=0)
    if not keep.any():
        return None
    weights = partition.weights[keep] / partition.weights[keep].sum()
    ratio = np.divide(means, ceiling, out=np.ones_like(means), where=~zero)[:, keep]
    mean, var = _weighted_mean(ratio, weights), weighted_variance(ratio, weights)
    errors = Moments.of(mean, difference(1.0, mean), var, var)
    return Generalised(**vars(errors), n_subsets=int(keep.sum()), n_dropped=int((~keep).sum()))


def _weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """sum w x over the last axis, (..., m) to (...); exact for a constant row. The weights sum to 1.

    >>> float(_weighted_mean(np.array([0.1, 0.1, 0.1]), np.array([0.5, 0.25, 0.25])))
    0.1
    """
    first = values[..., :1]
    return first[..., 0] + (values - first) @ weights


def weighted_variance(values: FloatArray, weights: FloatArray) -> FloatArray:
    """sum w (x - sum w x)^2 over the last axis, (..., m) to (...): the population variance for equal weights.

    >>> round(float(weighted_variance(np.array([0.15, 0.35, 0.6]), np.array([0.4, 0.4, 0.2]))), 12)
    0.0276
    """
    if np.ptp(weights) == 0:
        return variance.population_variance(values)
    shifted = values - values[..., :1]
    return (shifted - (shifted @ weights)[..., None]) ** 2 @ weights


RowKey = tuple[Sampling, Form, tuple[int, ...] | None]


class TradeoffRow(NamedTuple):
    """The correlations under one sampling in one form, over ``n_subsets`` subsets, without those that were ``dropped``.

    They are over all runs, or over those ``among`` them, by their places.
    """

    sampling: Sampling
    form: Form
    correlations: Correlations
    n_subsets: int
    dropped: int
    among: tuple[int, ...] | None = None

    @property
    def key(self) -> RowKey:
        """What the correlations are of."""
        return self.sampling, self.form, self.among


def single_rows(result: Decomposition, among: tuple[int, ...] | None = None) -> list[TradeoffRow]:
    """Correlate bias² and variance over the runs of a decomposition, in the score form and in the gap form.

    Over some of the runs with ``among``. nan where a correlation is undefined. A negative value alone shows no
    tradeoff: bounded scores have a negative correlation of their own.

    >>> from biasvar_cli.decomposition.decompose import decompose, run_target
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03], [0.7, 0.2]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C", "T"), ("q1", "q2"), "AP")
    >>> of_score, of_gap = single_rows(decompose(runs, run_target(runs, "T")))
    >>> round(of_score.correlations.spearman, 6)  # ranks by hand: -1.5 / sqrt(4.5 * 5)
    -0.316228
    """
    some = slice(None) if among is None else [*among]
    pairs = {form: correlations(result.bias2[some], result.variance(form)[some]) for form in FORMS}
    return [TradeoffRow(SINGLE, form, pairs[form], result.n_queries, 0, among) for form in FORMS]


def of_single(rows: Iterable[TradeoffRow]) -> dict[Form, TradeoffRow]:
    """Those of some rows that are over single queries, not normalised, and over all runs, by form."""
    return {row.form: row for row in rows if row.sampling == SINGLE and row.among is None}


def tradeoff_rows(targeted: TargetedScores, design: Design) -> list[TradeoffRow]:
    """The correlation of bias^2 and variance over the runs under every sampling of a design, in both forms.

    The normalised form is given once, as ``score``: its gap form is the same. Correlations are nan where undefined.

    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> for row in tradeoff_rows(TargetedScores(runs, runs, best_of_runs(runs)), Design()):
    ...     print(row.sampling.kind, row.sampling.normalised, row.form, round(row.correlations.kendall, 4))
    single False score -0.8165
    single False gap 0.8165
    single True score 1.0
    """
    rows = []
    for sampling in design.samplings(targeted.scores.n_queries):
        result = generalised_under(sampling, design, targeted)
        for form in FORMS[:1] if sampling.normalised else FORMS:
            if result is None:
                rows.append(TradeoffRow(sampling, form, UNDEFINED, 0, 0))
            else:
                values = correlations(result.bias2, result.variance(form))
                rows.append(TradeoffRow(sampling, form, values, result.n_subsets, result.n_dropped))
    return rows


def generalised_under(sampling: Sampling, design: Design, targeted: TargetedScores) -> Generalised | None:
    """The generalised decomposition of the runs under one sampling; None where the normalised form is not defined.

    That of systems is over their replicates too: total = E_k total_k, and the variance is what is above bias^2.
    """
    means, extra = _generalised_means(sampling, design, targeted), var_replicates(sampling, design, targeted)
    if means is None or extra is None:
        return means
    return replace(means, var=means.var + extra, var_gap=means.var_gap + extra)


def var_replicates(sampling: Sampling, design: Design, targeted: TargetedScores) -> FloatArray | None:
    """What the replicates of the systems add to their variance under one sampling, (n_systems,); None without any.

    By the law of total variance it is the same in both forms: E_k total_k minus the total of the mean over the
    replicates (docs/definitions.md, "Replicates"). nan where the normalised form is not defined.
    """
    systems = targeted.scores
    if systems.replicates is None:
        return None
    if sampling == SINGLE:
        return systems.replicates.within.mean(axis=1)
    means = _generalised_means(sampling, design, targeted)
    runs = _generalised_means(sampling, design, replace(targeted, scores=systems.replicates.runs))
    if means is None or runs is None or means.n_dropped != runs.n_dropped:
        return np.full(systems.n_runs, np.nan)
    return np.maximum(systems.replicates.mean(runs.total) - means.total, 0.0)


def _generalised_means(sampling: Sampling, design: Design, targeted: TargetedScores) -> Generalised | None:
    """What `generalised_under` gives for the scores as they are: runs, or means over replicates."""
    samples = partitions(sampling, design, targeted)
    if sampling.normalised:
        how: Any = {"by": design.normalise, "zero_target": design.zero_target, "pool": targeted.pool}
        return normalise(targeted.scores, targeted.target, samples[0], **how)
    if sampling.kind == "random-exact":
        single = moments(targeted.scores.values, targeted.target.scores, targeted.target.mean)
        return expected_over_random(single, targeted.scores.n_queries, samples[0])
    return generalise(targeted.scores, targeted.target, samples)


def partitions(sampling: Sampling, design: Design, targeted: TargetedScores) -> list[Partition]:
    """The partitions of the queries that a sampling means: one, or as many as there are repeats for random ones."""
    assert sampling.size is not None or sampling.kind == "groups", "only groups have no size"
    n_queries, size = targeted.scores.n_queries, sampling.size or 0
    match sampling.kind:
        case "single":
            return [single_queries(n_queries)]
        case "groups":
            assert design.groups is not None, "groups are sampled where there are groups"
            order, listed = listed_groups(design.groups, targeted.scores.queries, design.groups_path)
            return [Partition.of(order, listed, design.subset_weights)]
        case "random":
            orders = random_orders(n_queries, size, design.repeats, design.seed)
        case "random-exact":
            orders = [np.arange(n_queries)]
        case "difficulty":
            orders = [by_difficulty(targeted.pool.values, design.difficulty)]
        case _:
            assert_never(sampling.kind)
    sizes = subset_sizes(n_queries, size, design.remainder)
    return [Partition.of(order, sizes, design.subset_weights) for order in orders]
