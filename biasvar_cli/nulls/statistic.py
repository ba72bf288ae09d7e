"""The statistic of a sample of a null model: its target, partition and correlation are computed as those of the data.

Stability beyond the mean asks whether runs are steadier, or less steady, than their means imply. Scores are bounded, so
that most of a run's variance follows from its mean. `stability` takes that part away by samples of a null model;
`cross_half` needs no model. Neither is in the papers of the decomposition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.decomposition import SINGLE, Design, Sampling, generalised
from biasvar_cli.decomposition.decompose import Moments, TargetedScores
from biasvar_cli.decomposition.samples import decompose_samples, generalise_samples, normalise_samples, subset_means
from biasvar_cli.nulls.surface import EDGE
from biasvar_cli.specs.targets import BEST
from biasvar_cli.stats.correlation import UNDEFINED, Correlations, all_correlations, pearson, spearman
from biasvar_cli.stats.monte_carlo import LARGE_SAMPLE, Simulated, summarise
from biasvar_cli.stats.variance import population_variance
from biasvar_cli.words import FORMS

_AT_ONCE = 2**20  # scores that are worked on at a time
_MANY_SUBSETS = 4000  # of all random partitions


@dataclass(frozen=True, eq=False)
class Stability:
    """How steady the runs are beyond what their means imply; ``z`` has the shape (n_runs,).

    z_f is the run's variance minus that of its samples at the same mean, in standard deviations: z well below 0 is a
    run steadier than its mean predicts; nan for a run whose samples scatter by rounding alone, or whose mean is 0 or 1
    up to 1e-4. ``spread`` is H = sd(z): do runs differ in stability beyond their means? Its p-value is of the upper
    tail. ``trend`` is D = Spearman(z, mean): are better runs less steady than their means imply? Its p-value is
    two-sided.
    """

    z: FloatArray
    spread: float
    spread_null: Simulated
    trend: float
    trend_null: Simulated


def mean_and_variance(samples: FloatArray) -> FloatArray:
    """The mean and the population variance of every run in every sample: (B, R, n) gives (B, 2, R).

    >>> mean_and_variance(np.array([[[0.1, 0.3]]])).round(12).tolist()
    [[[0.2], [0.01]]]
    """
    moments = np.empty((len(samples), 2, samples.shape[1]))
    step = max(1, _AT_ONCE // max(1, samples[0].size))
    for start in range(0, len(samples), step):
        some = samples[start : start + step].astype(np.float64, copy=False)
        moments[start : start + step, 0] = some.mean(axis=-1)
        moments[start : start + step, 1] = population_variance(some)
    return moments


def stability(values: FloatArray, drawn: FloatArray, fresh: FloatArray) -> Stability:
    """Stability beyond the mean, of scores (R, n), by `mean_and_variance` of samples of the null model, (B, 2, R) each.

    z are those of `beside_means`. ``fresh`` are other samples, whose z by the same lines say what H and D are if the
    model holds: the samples that the lines were fitted to would be too close to them.

    >>> from biasvar_cli.nulls import COMMON
    >>> from biasvar_cli.nulls.surface import fit_surface
    >>> values = np.random.default_rng(0).beta(1, 3, size=(10, 30))
    >>> sampler = COMMON.fit(fit_surface(values))
    >>> drawn, fresh = (mean_and_variance(sampler.draw(np.random.default_rng(seed), 500)) for seed in (0, 1))
    >>> bool(stability(values, drawn, fresh).spread_null.p > 0.05)  # these runs scatter by one law
    True
    """
    mean, _ = mean_and_variance(values[None])[0]
    z, score = beside_means(values, drawn)
    sampled = score(fresh[:, 0], fresh[:, 1])
    known = np.isfinite(z) & np.isfinite(sampled).all(axis=0)
    if not known.any():
        nothing = summarise(float("nan"), np.full(len(fresh), np.nan))
        return Stability(z, float("nan"), nothing, float("nan"), nothing)
    spread, trend = z[known].std(ddof=0).item(), spearman(z[known], mean[known]).item()
    spreads, trends = sampled[:, known].std(axis=1, ddof=0), spearman(sampled[:, known], fresh[:, 0][:, known])
    return Stability(z, spread, summarise(spread, spreads, upper=True), trend, summarise(trend, trends))


def beside_means(
    values: FloatArray, drawn: FloatArray
) -> tuple[FloatArray, Callable[[FloatArray, FloatArray], FloatArray]]:
    """z of each run of scores (R, n), and the function that gives z of any means and variances, (..., R) each.

    On samples of a null model, ``drawn`` as `mean_and_variance` gives them, (B, 2, R), a line of variance on mean is
    fitted for every run: z_f = (Var_f - line_f(mean_f)) / sd(residuals). z is nan where samples do not scatter.

    >>> drawn = np.array([[[0.2], [0.3]], [[0.4], [0.5]], [[0.2], [0.1]], [[0.4], [0.3]]])  # line: mean, residuals .1
    >>> beside_means(np.array([[0.5, 0.1]]), drawn)[0].round(6).tolist()  # (.04 - .3) / .1
    [-2.6]
    """
    centre, level = drawn.mean(axis=0)
    dx, dy = drawn[:, 0] - centre, drawn[:, 1] - level
    square = (dx**2).mean(axis=0)
    slope = np.divide((dx * dy).mean(axis=0), square, out=np.zeros(len(square)), where=square > 0)
    sd = np.sqrt(((dy - slope * dx) ** 2).mean(axis=0))

    def score(mean: FloatArray, var: FloatArray) -> FloatArray:
        residual = var - level - slope * (mean - centre)
        return np.divide(residual, sd, out=np.full(mean.shape, np.nan), where=sd > ROUNDING)

    mean, var = mean_and_variance(values[None])[0]
    z = score(mean, var)
    z[(mean <= EDGE) | (mean >= 1 - EDGE)] = np.nan
    return z, score


def least_extreme(models: Sequence[Stability]) -> Stability:
    """The least extreme of what several models say: each run's z nearest to 0, and H and D with the largest p.

    nan where a model has none.
    """
    of_spread = max(models, key=lambda model: _rank(model.spread_null.p))
    of_trend = max(models, key=lambda model: _rank(model.trend_null.p))
    z = nearest([model.z for model in models])
    return Stability(z, of_spread.spread, of_spread.spread_null, of_trend.trend, of_trend.trend_null)


def nearest(models: Sequence[FloatArray]) -> FloatArray:
    """Of several z of each run, (n_runs,), the one nearest to 0; nan where a model has none.

    >>> nearest([np.array([2.0, -1.0]), np.array([-1.0, np.nan])]).tolist()
    [-1.0, nan]
    """
    z = np.stack(models)
    return np.take_along_axis(z, np.abs(z).argmin(axis=0, keepdims=True), axis=0)[0]  # a nan is taken as the least


def _rank(p: float) -> float:
    """A p for comparison, in which an undefined one is the largest."""
    return 2.0 if math.isnan(p) else p


@dataclass(frozen=True)
class CrossHalf:
    """Correlations of bias^2 on one half of the queries with the variance on the ``other`` half, and on the ``same``.

    Each is a mean over the splits, nan where all are undefined. The same queries in both make a correlation of their
    own, which two halves do not have.
    """

    other: Correlations
    same: Correlations


def cross_half(
    values: FloatArray, rng: np.random.Generator, n_splits: int = 200, target: FloatArray | None = None
) -> CrossHalf:
    """Split the queries into random halves, ``n_splits`` times, and correlate bias^2 and variance across and within.

    Needs no model. ``values`` are (n_runs, n_queries), the ``target`` (n_queries,), the best of the runs if not given.
    Both halves take both parts in turn; of an odd number of queries the second has one more. nan for fewer than four.

    >>> values = np.random.default_rng(0).beta(1, 3, size=(10, 30))
    >>> found = cross_half(values, np.random.default_rng(0))
    >>> found.same.pearson < found.other.pearson  # runs that are alike: only the same queries make a correlation
    True
    """
    n_queries = values.shape[1]
    if n_queries < 4:
        return CrossHalf(UNDEFINED, UNDEFINED)
    target = values.max(axis=0) if target is None else target
    orders = rng.permuted(np.tile(np.arange(n_queries), (n_splits, 1)), axis=1)
    halves = orders[:, : n_queries // 2], orders[:, n_queries // 2 :]
    first, second = (_half_errors(values, target, half) for half in halves)
    return CrossHalf(
        _mean_correlations([(first.bias2, second.var), (second.bias2, first.var)]),
        _mean_correlations([(first.bias2, first.var), (second.bias2, second.var)]),
    )


def _half_errors(values: FloatArray, target: FloatArray, halves: IntArray) -> Moments:
    """The errors of the runs on each half of the queries, (n_splits, k) of them: (n_splits, R).

    Some at a time; of many scores in less time by products of matrices of deviations, which are 0 for a constant run.
    """
    if values.size > LARGE_SAMPLE:
        weights = np.zeros((len(halves), values.shape[1]))
        weights[np.arange(len(halves))[:, None], halves] = 1 / halves.shape[1]

        def mean_and_var(values: FloatArray) -> tuple[FloatArray, FloatArray]:
            first = values[:, :1]
            mean = first + (values - first).mean(axis=1, keepdims=True)
            drift = weights @ (values - mean).T
            return mean[:, 0] + drift, np.maximum(weights @ ((values - mean) ** 2).T - drift**2, 0.0)

        (mean, var), (bias, var_gap) = mean_and_var(values), mean_and_var(target - values)
        return Moments.of(mean, bias, var, var_gap)
    step = max(1, _AT_ONCE // (len(values) * halves.shape[1]))
    parts = []
    for start in range(0, len(halves), step):
        some = halves[start : start + step]
        parts.append(decompose_samples(values[:, some].transpose(1, 0, 2), target[some]))
    return Moments.joined(parts)


def _mean_correlations(pairs: list[tuple[FloatArray, FloatArray]]) -> Correlations:
    """The mean of each correlation over the samples of all pairs that have one."""
    by_pair = zip(*(all_correlations(x, y) for x, y in pairs), strict=True)
    known = [values[np.isfinite(values)] for values in map(np.concatenate, by_pair)]
    return Correlations(*(float(values.mean()) if len(values) else float("nan") for values in known))


def repeated(expected: Moments, one: Moments, repeats: int) -> Moments:
    """Errors that scatter as averages over random partitions do, by those of ``one``: E + (X - E) / sqrt(repeats).

    E are the ``expected`` errors over all partitions, which are exact (`expected_over_random`). Given the scores, the
    errors X of partitions drawn independently have this mean, and their average has their covariance between runs over
    ``repeats``: so has this. With many subsets both are close to normal. Without the second term r over random
    partitions would be too near r over single queries, and its range too narrow.

    >>> nothing = np.zeros(1)
    >>> expected, one = (Moments(nothing, nothing, nothing, np.array([var]), nothing) for var in (0.0148, 0.0276))
    >>> repeated(expected, one, 4).var.round(6).tolist()
    [0.0212]
    """
    names = [field.name for field in fields(Moments)]
    pairs = ((getattr(expected, name), getattr(one, name)) for name in names)
    return Moments(*(mean + (drawn - mean) / math.sqrt(repeats) for mean, drawn in pairs))


class SampleStatistic(NamedTuple):
    """A statistic of samples, in two steps.

    ``errors`` makes of samples, (B, n_pool, n_queries), their numbers by run, (B, K, R), and ``summary`` of these the
    statistic, which for many samples at a time takes less time.
    """

    errors: Callable[[FloatArray], FloatArray]
    summary: Callable[[FloatArray], FloatArray]

    def __call__(self, samples: FloatArray) -> FloatArray:
        """Both steps."""
        return self.summary(self.errors(samples))


def sample_statistic(
    targeted: TargetedScores,
    rows: Sequence[generalised.TradeoffRow],
    design: Design,
    *,
    of_runs: bool,
    ranks: bool = True,
) -> SampleStatistic:
    """The three correlations of every row for samples of the pool: (B, n_pool, n_queries) gives (B, 3 rows).

    Without ``ranks`` it is Pearson's alone, (B, rows).
    Of systems the samples are mean scores over replicates, whose variance on the data is added to that of each sample.
    With ``of_runs`` mean and variance of the listed runs stand behind them: (B, 3 rows + 2 R).
    """
    target, pool, spec = targeted.target, targeted.pool, targeted.target.spec
    of_pool = spec.form.of_runs if spec.form.same_in_logs or not targeted.logs else None
    fixed = np.full(pool.n_queries, target.mean) if target.scores is None else target.scores  # in all samples
    index = {run: i for i, run in enumerate(pool.runs)}
    listed = np.array([index[run] for run in targeted.scores.runs])
    samplings = {row.sampling: generalised.partitions(row.sampling, design, targeted) for row in rows}
    extra = {sampling: generalised.var_replicates(sampling, design, targeted) for sampling in samplings}
    width = 1 + len(FORMS)
    starts = {sampling: width * number for number, sampling in enumerate(samplings)}
    by_ease = any(sampling.kind == "difficulty" for sampling in samplings)

    def errors(samples: FloatArray) -> FloatArray:
        runs = samples if len(listed) == samples.shape[1] else samples[:, listed]
        best = np.broadcast_to(fixed, (len(samples), len(fixed)))
        if rows and of_pool is not None:
            best = of_pool(samples, pool.runs, spec)
        of_ease = best[:, None] if spec == BEST and design.difficulty == "best" else samples
        hardest = generalised.by_difficulty(of_ease, design.difficulty) if by_ease else None
        batch, numbers = _Batch(samples, runs, best, hardest), []
        for sampling, parts in samplings.items():
            result = _decomposed(sampling, parts, design, targeted, batch)
            added: Any = 0.0 if extra[sampling] is None else extra[sampling]
            numbers += [result.bias2, *(result.variance(form) + added for form in FORMS)]
        beside = [batch.mean_and_variance] if of_runs else []
        return np.concatenate([np.array(numbers).reshape(-1, *runs.shape[:2]).swapaxes(0, 1), *beside], axis=1)

    def summary(numbers: FloatArray) -> FloatArray:
        columns: list[FloatArray] = []
        for row in rows:
            start, some = starts[row.sampling], slice(None) if row.among is None else [*row.among]
            pair = numbers[:, start, some], numbers[:, start + 1 + FORMS.index(row.form), some]
            columns += all_correlations(*pair) if ranks else [pearson(*pair)]
        beside = numbers[:, width * len(samplings) :].reshape(len(numbers), -1)
        return np.concatenate([np.array(columns).reshape(-1, len(numbers)).T, beside], axis=1)

    return SampleStatistic(errors, summary)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Some samples of the ``pool``, (B, P, n), with the listed ``runs`` of them and the ``target``, (B, n).

    ``hardest`` has the queries of every sample from hard to easy, (B, n), where a sampling needs them.
    """

    pool: FloatArray
    runs: FloatArray
    target: FloatArray
    hardest: IntArray | None

    @cached_property
    def single(self) -> Moments:
        """The errors over single queries, (B, R)."""
        return decompose_samples(self.runs, self.target)

    @property
    def mean_and_variance(self) -> FloatArray:
        """`mean_and_variance` of the runs; of large samples in less time from the errors, (B, 2, R)."""
        if self.runs[0].size <= LARGE_SAMPLE:
            return mean_and_variance(self.runs)
        return np.stack([self.single.mean, self.single.var], axis=1)

    @cached_property
    def mean(self) -> FloatArray:
        """The target's mean, (B,)."""
        return np.asarray(self.target.mean(axis=1, dtype=np.float64))

    @cached_property
    def _kept_means(self) -> dict[int | None, tuple[FloatArray, FloatArray, FloatArray]]:
        return {}

    def subset_means(self, size: int | None, sizes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The means of the pool, the runs and the target over subsets by difficulty, which both forms share."""
        if size not in self._kept_means:
            assert self.hardest is not None, "the queries are in order where a sampling needs them"
            runs, target = subset_means(self.runs, self.target, self.hardest, sizes)
            pool = runs
            if self.pool is not self.runs:
                pool, _ = subset_means(self.pool, self.target, self.hardest, sizes)
            self._kept_means[size] = pool, runs, target
        return self._kept_means[size]


def _decomposed(
    sampling: Sampling,
    parts: Sequence[generalised.Partition],
    design: Design,
    targeted: TargetedScores,
    batch: _Batch,
) -> Moments:
    """The errors of the listed runs in every sample under one sampling, (B, R).

    Of random partitions of many subsets each sample has one, which says what all of them would: see `repeated`.
    """
    sizes, weights = parts[0].sizes, parts[0].weights
    orders = [partition.order for partition in parts]
    pool, runs, target = batch.pool, batch.runs, batch.target
    if sampling.kind == "difficulty":
        pool, runs, target = batch.subset_means(sampling.size, sizes)
        orders, sizes = [np.arange(len(sizes))], np.ones_like(sizes)
    if sampling.normalised:
        if targeted.target.scores is None:
            return Moments(*(np.full(runs.shape[:2], np.nan) for _ in fields(Moments)))
        among = pool if design.normalise == "maxmin" else None
        one = design.zero_target == "one"
        return normalise_samples(runs, target, orders[0], sizes, weights, one=one, pool=among)
    is_random = sampling.kind == "random" and len(sizes) * len(parts) >= _MANY_SUBSETS
    if sampling == SINGLE:
        result = batch.single
    elif sampling.kind == "random-exact" or is_random:
        result = generalised.expected_over_random(batch.single, targeted.pool.n_queries, parts[0])
        if is_random:
            some = np.stack([orders[number % len(orders)] for number in range(len(runs))])
            result = repeated(result, generalise_samples(runs, target, [some], sizes, weights), len(parts))
    else:
        result = generalise_samples(runs, target, orders, sizes, weights, batch.mean)
    return result if targeted.target.scores is not None else replace(result, var_gap=np.full_like(result.var, np.nan))
