"""Reference models: what a correlation of bias^2 and variance would be if runs had no stability of their own.

Scores are bounded, so that the variance of a run follows from its mean to a large part, and the correlation is negative
without any tradeoff. Two models say how negative:

* N1, `fit_common_scatter`: every run keeps its mean, every query its difficulty, the runs their likeness to each other;
  how much a score scatters follows from its expectation by one law for all runs. A parametric bootstrap.
* N2, `exchangeable`: the scores of each query are dealt to the runs anew (the null of the randomised Tukey HSD).

Sources: Rasch's model of persons and items for the margins; Beta scatter of one precision; the likeness of the runs is
put into the draws by the method of Iman and Conover (1982). None of it is in the papers of the decomposition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from biasvar_cli import batch
from biasvar_cli.correlation import Correlations, spearman
from biasvar_cli.decomposition import population_variance
from biasvar_cli.errors import DataError
from biasvar_cli.scores import FloatArray, settle

Draw = Callable[[np.random.Generator, int], FloatArray]

_EDGE = 1e-4  # means are kept that far from 0 and 1
_LEAST_PRECISION = 0.05
_LEAST_PARAMETER = 1e-6  # of a Beta distribution
_FARTHEST = 40.0  # from 0, for a parameter on the logit scale; beyond that no score differs
_SWEEPS = 500
_BLOCK = 500  # samples that are drawn together
_BLOCK_SCORES = 2**25  # scores of one block, 256 MB
_QUERIES_AT_ONCE = 8  # one line of the cache


@dataclass(frozen=True, eq=False)
class CommonScatter:
    """The model N1 as fitted: arrays of the shape (n_runs, n_queries).

    A score is Beta(p phi, (1 - p) phi), where p is its ``expected`` value and ``phi`` the ``precision`` of all; its
    variance is p (1 - p) / (phi + 1). The rows of ``likeness`` are normal scores, of unit mean square: the runs are
    drawn with their correlations.
    """

    expected: FloatArray
    precision: float
    likeness: FloatArray

    def draw(self, rng: np.random.Generator, n_samples: int) -> FloatArray:
        """Samples of the whole matrix, shape (n_samples, n_runs, n_queries).

        z* = Z G / sqrt(n) with standard normal G, so that every new query is drawn with the runs' own correlation; then
        the draws of each cell are put in the order of its z* (Iman and Conover 1982). The margins are exact whatever
        the number of samples; the likeness is as good as ranks among n_samples can say it, hence no less than 100.

        >>> model = CommonScatter(np.array([[0.1, 0.5], [0.1, 0.5]]), 8.0, np.array([[1.0, -1.0], [1.0, -1.0]]))
        >>> samples = model.draw(np.random.default_rng(0), 500)
        >>> samples.mean(axis=0).round(1).tolist()
        [[0.1, 0.5], [0.1, 0.5]]
        >>> bool(np.corrcoef(samples[:, 0, 0], samples[:, 1, 0])[0, 1] > 0.9)  # the same likeness, hence alike
        True
        """
        n_runs, n_queries = self.expected.shape
        a = np.maximum(self.expected * self.precision, _LEAST_PARAMETER)[..., None]
        b = np.maximum((1 - self.expected) * self.precision, _LEAST_PARAMETER)[..., None]
        samples = np.empty((n_samples, n_runs, n_queries))
        for start in range(0, n_queries, _QUERIES_AT_ONCE):
            some = slice(start, min(start + _QUERIES_AT_ONCE, n_queries))
            shape = (n_runs, some.stop - start, n_samples)
            normal = rng.standard_normal((n_queries, shape[1] * n_samples))
            order = np.argsort((self.likeness @ normal / np.sqrt(n_queries)).reshape(shape), axis=2)
            drawn = np.empty(shape)
            np.put_along_axis(drawn, order, np.sort(rng.beta(a[:, some], b[:, some], size=shape), axis=2), axis=2)
            samples[:, :, some] = drawn.transpose(2, 0, 1)
        return samples


def fit_common_scatter(values: FloatArray) -> CommonScatter:
    """Fit N1 to the scores of runs on queries, shape (n_runs, n_queries).

    p = sigmoid(s_f + t_q) has the means of every run and query (`rasch_margins`), and the precision is
    phi = sum p (1 - p) / [sum (S - p)^2 R n / ((R - 1)(n - 1))] - 1, at least .05. The expected scores are this p with
    s and t drawn to their means, by their squared standard errors 1 / ((phi + 1) sum p (1 - p)), and shifted to the
    grand mean of the data. The likeness is in the residuals (S - p) / sqrt(p (1 - p)) under the first p, as normal
    scores of their ranks within each run. Runs and queries with a mean of 0 or 1 stay out of the shrinking: errors of
    parameters that only the edge of 1e-4 keeps finite would swamp all others.

    Raises `DataError` for fewer than two runs or queries, a score outside [0, 1], and scores that follow from the means
    of runs and queries without any scatter.

    >>> model = fit_common_scatter(np.array([[0.3, 0.5], [0.5, 0.3]]))  # p = .4; .96 / (.04 * 4) - 1
    >>> round(model.precision, 9), model.expected.round(9).tolist()
    (5.0, [[0.4, 0.4], [0.4, 0.4]])
    """
    n_runs, n_queries = values.shape
    if min(n_runs, n_queries) < 2:
        raise DataError(f"the reference model needs two runs and two queries, found {n_runs} and {n_queries}")
    if values.min() < -1e-9 or values.max() > 1 + 1e-9:
        worst = values.min() if values.min() < -1e-9 else values.max()
        raise DataError(f"the reference model needs scores from 0 to 1, found {worst:g}")
    run, query = rasch_margins(values)
    expected, spread = _expectations(run, query)
    residual = settle(values - expected)
    scatter = float((residual**2).sum()) * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1))
    if scatter <= 1e-12 * float(spread.sum()):
        raise DataError("the reference model finds no scatter: the means of runs and queries explain every score")
    precision = max(_LEAST_PRECISION, float(spread.sum()) / scatter - 1)
    run = _shrunk(run, 1 / ((precision + 1) * spread.sum(axis=1)), values.mean(axis=1))
    query = _shrunk(query, 1 / ((precision + 1) * spread.sum(axis=0)), values.mean(axis=0))
    return CommonScatter(
        _with_mean(run, query, float(values.mean())), precision, _normal_scores(residual / np.sqrt(spread))
    )


def rasch_margins(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """s and t, of the runs and the queries, with which sigmoid(s_f + t_q) has the row and column means of the values.

    Means are kept in [1e-4, 1 - 1e-4], s and t in [-40, 40]; t has a mean of 0. Alternating Newton steps of at most 1.

    >>> run, query = rasch_margins(np.array([[0.1, 0.5, 0.3], [0.3, 0.6, 0.2]]))
    >>> fitted = 1 / (1 + np.exp(-(run[:, None] + query)))
    >>> fitted.mean(axis=1).round(9).tolist(), fitted.mean(axis=0).round(9).tolist()
    ([0.3, 0.366666667], [0.2, 0.55, 0.25])
    """
    run_mean, query_mean = (np.clip(values.mean(axis=axis), _EDGE, 1 - _EDGE) for axis in (1, 0))
    run, query = np.log(run_mean / (1 - run_mean)), np.zeros(len(query_mean))
    for _ in range(_SWEEPS):
        run_step = _newton(run_mean, *_expectations(run, query), axis=1)
        run = np.clip(run + run_step, -_FARTHEST, _FARTHEST)
        query_step = _newton(query_mean, *_expectations(run, query), axis=0)
        query = np.clip(query + query_step, -_FARTHEST, _FARTHEST)
        run, query = run + query.mean(), query - query.mean()
        if max(np.abs(run_step).max(), np.abs(query_step).max()) < 1e-12:
            break
    return run, query


def exchangeable(values: FloatArray, rng: np.random.Generator, n_samples: int) -> FloatArray:
    """Samples of N2, shape (n_samples, n_runs, n_queries): the scores of each query in a random order over the runs.

    The best score of every query, and with it the target and its difficulty, stays as it is.

    >>> samples = exchangeable(np.array([[0.1, 0.4], [0.3, 0.2]]), np.random.default_rng(0), 5)
    >>> samples.max(axis=1).tolist() == [[0.3, 0.4]] * 5
    True
    """
    return rng.permuted(np.broadcast_to(values, (n_samples, *values.shape)), axis=1)


def in_blocks(draw: Draw, n_samples: int, seed: int | list[int], size: int = _BLOCK) -> Iterator[FloatArray]:
    """Samples in blocks of ``size``, the last one cut to what is missing, so that memory stays bounded.

    Every block has a generator of its own, the child of the seed with its number, and is drawn whole: the first samples
    are the same however many are asked for.

    >>> draw = lambda rng, n_samples: rng.random((n_samples, 1, 1))
    >>> [len(block) for block in in_blocks(draw, 7, seed=0, size=3)]
    [3, 3, 1]
    """
    for number, start in enumerate(range(0, n_samples, size)):
        yield _block(draw, seed, number, size)[: n_samples - start]


def over_blocks(
    draw: Draw,
    statistic: Callable[[FloatArray], FloatArray],
    n_samples: int,
    seed: int | list[int],
    *,
    size: int = _BLOCK,
    jobs: int = 1,
) -> FloatArray:
    """A statistic of each sample, (size, R, n) to (size, ...), over `in_blocks`: shape (n_samples, ...).

    As many blocks are in memory as there are jobs, which are threads; the result is the same whatever their number.

    >>> draw = lambda rng, n_samples: rng.random((n_samples, 2, 3))
    >>> one, two = (over_blocks(draw, batch.best_of_runs, 7, seed=0, size=3, jobs=jobs) for jobs in (1, 2))
    >>> one.shape, bool((one == two).all())
    ((7, 3), True)
    """
    numbers = range(-(-n_samples // size))
    if jobs == 1 or len(numbers) == 1:
        return np.concatenate([statistic(block) for block in in_blocks(draw, n_samples, seed, size)])
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda number: statistic(_block(draw, seed, number, size)), numbers))
    return np.concatenate(found)[:n_samples]


def block_size(n_runs: int, n_queries: int) -> int:
    """How many samples to draw together: 500, or less where a block of them would exceed 256 MB, but at least 100.

    >>> block_size(143, 48), block_size(1000, 250)
    (500, 134)
    """
    return max(100, min(_BLOCK, _BLOCK_SCORES // (n_runs * n_queries)))


@dataclass(frozen=True)
class Reference:
    """What a reference model says of a number: the median and the central 95 % of its samples, and the p-value.

    ``n_samples`` counts the samples that have a number, ``n_undefined`` those left out. All is nan where none has one,
    and ``p`` where there is no observed number.
    """

    median: float
    low: float
    high: float
    p: float
    n_samples: int
    n_undefined: int


def compare(observed: float, samples: FloatArray, *, upper: bool = False) -> Reference:
    """An observed number beside samples of it, shape (n_samples,); ``upper`` asks for the p-value of the upper tail.

    >>> compare(-0.5, np.array([-0.9, -0.8, -0.7, -0.6, np.nan])).p, compare(-0.5, np.array([-0.9])).median
    (0.4, -0.9)
    """
    drawn = samples[np.isfinite(samples)]
    if not len(drawn):
        nan = float("nan")
        return Reference(nan, nan, nan, nan, 0, len(samples))
    low, median, high = (float(value) for value in np.quantile(drawn, [0.025, 0.5, 0.975]))
    p = (upper_p if upper else two_sided_p)(observed, drawn)
    return Reference(median, low, high, p, len(drawn), len(samples) - len(drawn))


def two_sided_p(observed: float, samples: FloatArray) -> float:
    """min(1, 2 min over both tails of (1 + #{samples as extreme}) / (B + 1)); nan samples are left out, B without them.

    Samples that differ from the observed number by rounding alone, 1e-12 of the largest, count as equal, in both tails.

    >>> two_sided_p(0.3, np.array([0.1 + 0.2, 0.1, 0.2, 0.2])), two_sided_p(0.0, np.array([0.1, 0.2, 0.3]))
    (0.8, 0.5)
    """
    above, below = upper_p(observed, samples), upper_p(-observed, -samples)
    return above if np.isnan(above) else min(1.0, 2 * above, 2 * below)


def upper_p(observed: float, samples: FloatArray) -> float:
    """(1 + #{samples at least as large}) / (B + 1), with ties and nan as in `two_sided_p`.

    >>> upper_p(0.3, np.array([0.1 + 0.2, 0.1, 0.2]))
    0.5
    """
    samples = samples[np.isfinite(samples)]
    if not np.isfinite(observed) or not len(samples):
        return float("nan")
    tolerance = 1e-12 * max(abs(observed), float(np.abs(samples).max()))
    return (1 + int(np.count_nonzero(samples >= observed - tolerance))) / (len(samples) + 1)


@dataclass(frozen=True, eq=False)
class Stability:
    """How steady the runs are beyond what their means imply; ``z`` has the shape (n_runs,).

    z_f is the run's variance minus that of its reference at the same mean, in standard deviations: z well below 0 is a
    run steadier than its mean predicts; nan for a run whose reference has no scatter, or whose mean is 0 or 1 up to
    1e-4. ``spread`` is H = sd(z): do runs differ in stability beyond their means? Its p-value is of the upper tail.
    ``trend`` is D = Spearman(z, mean): are better runs less steady than their means imply? Its p-value is two-sided.
    """

    z: FloatArray
    spread: float
    spread_reference: Reference
    trend: float
    trend_reference: Reference


def moments(samples: FloatArray) -> FloatArray:
    """The mean and the population variance of every run in every sample: (B, R, n) gives (B, 2, R).

    >>> moments(np.array([[[0.1, 0.3]]])).round(12).tolist()
    [[[0.2], [0.01]]]
    """
    return np.stack([samples.mean(axis=-1), population_variance(samples)], axis=1)


def stability(values: FloatArray, drawn: FloatArray, fresh: FloatArray) -> Stability:
    """Stability beyond the mean, of scores (R, n), by `moments` of reference samples, each of the shape (B, 2, R).

    On ``drawn`` a line of variance on mean is fitted for every run: z_f = (Var_f - line_f(mean_f)) / sd(residuals).
    ``fresh`` are other samples, whose z by the same lines say what H and D are if the model holds: the samples that the
    lines were fitted to would be too close to them.

    >>> values = np.random.default_rng(0).beta(1, 3, size=(10, 30))
    >>> model = fit_common_scatter(values)
    >>> drawn, fresh = (over_blocks(model.draw, moments, 500, [0, stream]) for stream in (0, 1))
    >>> bool(stability(values, drawn, fresh).spread_reference.p > 0.05)  # these runs scatter by one law
    True
    """
    score = _scorer(drawn)
    mean, var = moments(values[None])[0]
    z, sampled = score(mean, var), score(fresh[:, 0], fresh[:, 1])
    z[(mean <= _EDGE) | (mean >= 1 - _EDGE)] = np.nan
    known = np.isfinite(z) & np.isfinite(sampled).all(axis=0)
    if not known.any():
        nothing = compare(float("nan"), np.full(len(fresh), np.nan))
        return Stability(z, float("nan"), nothing, float("nan"), nothing)
    spread, trend = float(z[known].std(ddof=0)), spearman(z[known], mean[known])
    spreads, trends = sampled[:, known].std(axis=1, ddof=0), batch.spearman(sampled[:, known], fresh[:, 0][:, known])
    return Stability(z, spread, compare(spread, spreads, upper=True), trend, compare(trend, trends))


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
    undefined = Correlations(float("nan"), float("nan"), float("nan"))
    if n_queries < 4:
        return CrossHalf(undefined, undefined)
    target = values.max(axis=0) if target is None else target
    orders = rng.permuted(np.tile(np.arange(n_queries), (n_splits, 1)), axis=1)
    halves = orders[:, : n_queries // 2], orders[:, n_queries // 2 :]
    first, second = (batch.decompose(values[:, half].transpose(1, 0, 2), target[half]) for half in halves)
    return CrossHalf(
        _mean_correlations([(first.bias2, second.var), (second.bias2, first.var)]),
        _mean_correlations([(first.bias2, first.var), (second.bias2, second.var)]),
    )


def _expectations(run: FloatArray, query: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p = sigmoid(s_f + t_q) and p (1 - p), both (R, n)."""
    logit = run[:, None] + query
    p = 1 / (1 + np.exp(-logit))
    return p, p / (1 + np.exp(logit))


def _newton(mean: FloatArray, p: FloatArray, spread: FloatArray, *, axis: int) -> FloatArray:
    """The step towards these means of p, at most 1."""
    step: FloatArray = np.clip((mean - p.mean(axis=axis)) / spread.mean(axis=axis), -1, 1)
    return step


def _shrunk(parameter: FloatArray, error2: FloatArray, mean: FloatArray) -> FloatArray:
    """Parameters drawn to their mean by sqrt(1 - mean squared standard error / variance), or onto it.

    Those of a mean score of 0 or 1 have no say, and stay where they are.
    """
    known = (mean > _EDGE) & (mean < 1 - _EDGE)
    shrunk = parameter.copy()
    if known.any():
        centre, var = parameter[known].mean(), parameter[known].var(ddof=0)
        factor = np.sqrt(max(0.0, 1 - error2[known].mean() / var)) if var > 0 else 0.0
        shrunk[known] = centre + factor * (parameter[known] - centre)
    return shrunk


def _with_mean(run: FloatArray, query: FloatArray, mean: float) -> FloatArray:
    """sigmoid(s_f + t_q + c), with the c that gives it this grand mean; (R, n)."""
    aim = np.array([np.clip(mean, _EDGE, 1 - _EDGE)])
    shift = np.zeros(1)
    for _ in range(_SWEEPS):
        p, spread = _expectations(run + shift, query)
        step = _newton(aim, p.reshape(1, -1), spread.reshape(1, -1), axis=1)
        shift = shift + step
        if abs(step[0]) < 1e-13:
            break
    return _expectations(run + shift, query)[0]


def _normal_scores(residual: FloatArray) -> FloatArray:
    """The normal scores (rank - 1/2) / n of each row, of unit mean square; a row of equal values keeps its order."""
    n_queries = residual.shape[1]
    ranks = batch.mid_ranks(residual)
    ranks[np.ptp(ranks, axis=1) == 0] = np.arange(1, n_queries + 1)
    quantile = np.array([NormalDist().inv_cdf(half / (2 * n_queries)) for half in range(1, 2 * n_queries)])
    scores: FloatArray = quantile[np.rint(2 * ranks - 2).astype(np.int64)]
    scores /= np.sqrt((scores**2).mean(axis=1, keepdims=True))
    return scores


def _block(draw: Draw, seed: int | list[int], number: int, size: int) -> FloatArray:
    """Block ``number`` of the samples of a seed: what SeedSequence(seed).spawn gives it to draw with."""
    return draw(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,))), size)


def _scorer(drawn: FloatArray) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """z of means and variances (..., R), by the line through the samples of each run; nan where they do not scatter."""
    centre, level = drawn.mean(axis=0)
    dx, dy = drawn[:, 0] - centre, drawn[:, 1] - level
    square = (dx**2).mean(axis=0)
    slope = np.divide((dx * dy).mean(axis=0), square, out=np.zeros(len(square)), where=square > 0)
    sd = np.sqrt(((dy - slope * dx) ** 2).mean(axis=0))
    return lambda mean, var: np.divide(
        var - level - slope * (mean - centre), sd, out=np.full(mean.shape, np.nan), where=sd > 0
    )


def _mean_correlations(pairs: list[tuple[FloatArray, FloatArray]]) -> Correlations:
    """The mean of each correlation over the samples of all pairs that have one."""
    found = [np.concatenate(each) for each in zip(*(batch.correlations(x, y) for x, y in pairs), strict=True)]
    known = [each[np.isfinite(each)] for each in found]
    return Correlations(*(float(each.mean()) if len(each) else float("nan") for each in known))
