"""The decomposition and the correlations on many score matrices at once, such as samples of a reference model.

Each function is one of `decomposition`, `generalised` or `correlation` with a first axis of samples before the others:
samples have the shape (n_samples, n_runs, n_queries), shortened to (B, R, n), and every row of a result is what the
other module gives for that sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray, difference
from biasvar_cli.stats.variance import population_variance

_LEAST = 3  # as in `correlation`: two points always lie on a line
_SLICE = 2**16  # scores that are worked on at a time, few enough for the cache: five times as fast
_MANY_SUBSETS = 64  # beyond that a product with the matrix of subsets costs more than gathering the scores


class BatchDecomposition(NamedTuple):
    """Bias^2 and variance of each run in each sample, in the score form and in the gap form; each of the shape (B, R).

    Rows are nan where a sample has none (the normalised form where the target is 0 on every query).
    """

    bias2: FloatArray
    var: FloatArray
    var_gap: FloatArray


class BatchCorrelations(NamedTuple):
    """Pearson's r, Spearman's rho and Kendall's tau-b of each sample, each of the shape (B,), nan where undefined."""

    pearson: FloatArray
    spearman: FloatArray
    kendall: FloatArray


def best_of_runs(samples: FloatArray) -> FloatArray:
    """The best score of each query over the runs of each sample (SIGIR'13): (B, R, n) gives (B, n).

    >>> best_of_runs(np.array([[[0.3, 0.1], [0.2, 0.4]]])).tolist()
    [[0.3, 0.4]]
    """
    best: FloatArray = samples.max(axis=1)
    return best


def by_difficulty(target: FloatArray) -> IntArray:
    """The queries of each sample from hard to easy, by the target's score; ties keep their order. (B, n) gives (B, n).

    >>> by_difficulty(np.array([[0.5, 0.3, 0.3], [0.1, 0.2, 0.0]])).tolist()
    [[1, 2, 0], [2, 0, 1]]
    """
    return np.argsort(_settled(target), axis=1, kind="stable")


def decompose(samples: FloatArray, target: FloatArray) -> BatchDecomposition:
    """Bias^2 and variances of every run (SIGIR'13 Eq. 1 to 7) against the target's scores, (B, n) or (n,).

    The runs A, B and C of SIGIR'13, Tables 1 and 2, against its target model T:

    >>> result = decompose(np.array([[[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]]]), np.array([0.7, 0.2]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist(), result.var_gap.round(6).tolist()
    ([[0.0625, 0.0121, 0.0121]], [[0.01, 0.0676, 0.0961]], [[0.0225, 0.0001, 0.0036]])
    """

    def of(scores: FloatArray, best: FloatArray) -> BatchDecomposition:
        bias = best.mean(axis=1, keepdims=True) - scores.mean(axis=2)
        return BatchDecomposition(bias**2, population_variance(scores), population_variance(best[:, None, :] - scores))

    return _in_slices(of, samples, target)


def generalise(
    samples: FloatArray, target: FloatArray, order: IntArray, sizes: IntArray, weights: FloatArray | None = None
) -> BatchDecomposition:
    """Bias^2 and variances over query samples (CIKM'14 Eq. 3 to 5), against the target's mean over all queries.

    ``order`` lists the queries subset by subset, (B, n) or one (n,) for all samples; ``sizes`` has the shape (m,), and
    so have ``weights``, which are sizes / n if not given.

    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> samples = np.array([[f, g]])
    >>> result = generalise(samples, best_of_runs(samples), np.arange(5), np.array([2, 2, 1]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist()
    ([[0.0016, 0.0036]], [[0.0276, 0.01175]])
    """
    share = sizes / sizes.sum() if weights is None else weights

    def of(scores: FloatArray, best: FloatArray, order: IntArray) -> BatchDecomposition:
        means, ceiling = _subset_means(scores, best, order, sizes)
        bias = best.mean(axis=1, keepdims=True) - means @ share
        return BatchDecomposition(bias**2, _variance(means, share), _variance(ceiling[:, None, :] - means, share))

    return _in_slices(of, samples, target, order)


def normalise(
    samples: FloatArray,
    target: FloatArray,
    order: IntArray,
    sizes: IntArray,
    weights: FloatArray | None = None,
    *,
    one: bool = False,
    pool: FloatArray | None = None,
) -> BatchDecomposition:
    """The normalised form, Y = M(f; S) / M(T; S) (CIKM'14 Eq. 6 and 7); arguments as for `generalise`.

    Subsets on which the target is 0 are left out, and the weights of the others sum to 1 again; with ``one``, Y is 1
    there unless a run is above the target. With a ``pool``, (B, P, n), the least subset mean of its runs is taken from
    both. A sample without a subset left, or with a negative target anywhere, gives nan. The gap form is the same.

    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> samples = np.array([[f, g]])
    >>> result = normalise(samples, best_of_runs(samples), np.arange(5), np.array([2, 2, 1]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist()
    ([[0.0225, 0.0225]], [[0.00875, 0.0025]])
    """
    given = sizes / sizes.sum() if weights is None else weights

    def of(scores: FloatArray, best: FloatArray, order: IntArray, pool: FloatArray | None = None) -> BatchDecomposition:
        means, ceiling = _subset_means(scores, best, order, sizes)
        if pool is not None:
            floor = _subset_means(pool, best, order, sizes)[0].min(axis=1)
            means, ceiling = difference(means, floor[:, None, :]), difference(ceiling, floor)
        zero = ceiling == 0
        keep = (~zero | (one & (means == ceiling[:, None, :]).all(axis=1)))[:, None, :]
        kept = np.where(keep, given, 0.0).sum(axis=2, keepdims=True)
        defined = (kept > 0) & (ceiling.min(axis=1)[:, None, None] >= 0)
        share = np.divide(np.where(keep, given, 0.0), kept, out=np.full(keep.shape, np.nan), where=defined)
        ratio = np.divide(means, ceiling[:, None, :], out=np.ones(means.shape), where=~zero[:, None, :])
        bias, var = 1 - (ratio * share).sum(axis=2), _variance(ratio, share)
        return BatchDecomposition(bias**2, var, var)

    return _in_slices(of, samples, target, order, pool=pool)


def correlations(x: FloatArray, y: FloatArray) -> BatchCorrelations:
    """The three correlations of each row of x with the same row of y: (B, R) and (B, R) give three of (B,).

    All are nan for R < 3, for a row that is constant up to rounding, and where a value is not finite.

    >>> bias2 = np.array([[0.0625, 0.0121, 0.0121], [0.2, 0.2, 0.2]])
    >>> var = np.array([[0.01, 0.0676, 0.0961], [0.1, 0.2, 0.3]])
    >>> correlations(bias2, var).kendall.round(4).tolist()
    [-0.8165, nan]
    """
    return BatchCorrelations(pearson(x, y), spearman(x, y), kendall(x, y))


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's correlation of each row, (B, R) and (B, R) to (B,); nan where undefined.

    >>> pearson(np.array([[1.0, 2, 3, 4]]), np.array([[1.0, 2, 3, 5]])).round(6).tolist()
    [0.982708]
    """
    defined = _defined(x, y)
    found = np.full(len(x), np.nan)
    dx, dy = _deviations(x[defined]), _deviations(y[defined])
    squares = (dx * dx).sum(axis=1) * (dy * dy).sum(axis=1)
    found[defined] = np.clip((dx * dy).sum(axis=1) / np.sqrt(squares), -1, 1)
    return found


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's correlation of each row, (B, R) and (B, R) to (B,): Pearson's of the mid-ranks; nan where undefined.

    >>> spearman(np.array([[1.0, 2, 2, 4]]), np.array([[4.0, 3, 2, 1]])).round(6).tolist()
    [-0.948683]
    """
    defined = _defined(x, y)
    found = np.full(len(x), np.nan)
    found[defined] = pearson(mid_ranks(x[defined]), mid_ranks(y[defined]))
    return found


def kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's tau-b of each row, (B, R) and (B, R) to (B,); nan where undefined. Time O(B R^2), memory O(B R).

    tau_b = (concordant - discordant) / sqrt((pairs - ties in x)(pairs - ties in y)). Signs are bytes, and the samples
    lie next to each other: 500 samples of 143 runs take 0.03 s.

    >>> kendall(np.array([[1.0, 2, 2, 4]]), np.array([[4.0, 3, 2, 1]])).round(6).tolist()
    [-0.912871]
    """
    defined = _defined(x, y)
    found = np.full(len(x), np.nan)
    a, b = (np.ascontiguousarray((2 * mid_ranks(v[defined])).astype(np.int32).T) for v in (x, y))
    score, untied_a, untied_b = (np.zeros(a.shape[1], dtype=np.int64) for _ in range(3))
    for i in range(1, len(a)):
        sign_a, sign_b = _signs(a[i], a[:i]), _signs(b[i], b[:i])
        score += (sign_a * sign_b).sum(axis=0)
        untied_a += np.count_nonzero(sign_a, axis=0)
        untied_b += np.count_nonzero(sign_b, axis=0)
    found[defined] = np.clip(score / np.sqrt(untied_a * untied_b), -1, 1)
    return found


def mid_ranks(x: FloatArray) -> FloatArray:
    """The ranks from 1 within each row, ties (up to rounding) at their mean rank: (B, R) gives (B, R).

    >>> mid_ranks(np.array([[0.2, 0.1, 0.2, 0.4]])).tolist()
    [[2.5, 1.0, 2.5, 4.0]]
    """
    values, place = _settled(x), np.arange(x.shape[1])
    order = np.argsort(values, axis=1)  # of equal values in any order: they get one rank
    ordered = np.take_along_axis(values, order, axis=1)
    apart = ordered[:, 1:] != ordered[:, :-1]
    first, last = np.zeros(x.shape, dtype=np.int64), np.full(x.shape, x.shape[1] - 1)
    np.maximum.accumulate(np.where(apart, place[1:], 0), axis=1, out=first[:, 1:])
    np.minimum.accumulate(np.where(apart, place[:-1], place[-1:])[:, ::-1], axis=1, out=last[:, -2::-1])
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def _in_slices(
    of: Callable[..., BatchDecomposition],
    samples: FloatArray,
    *others: FloatArray | IntArray,
    pool: FloatArray | None = None,
) -> BatchDecomposition:
    """What ``of`` makes of some samples at a time, put together; the others are (B, n), or (n,) for every sample."""
    n_samples, n_runs, n_queries = samples.shape
    arrays = [samples, *(np.broadcast_to(each, (n_samples, n_queries)) for each in others)]
    arrays += [] if pool is None else [pool]
    step = max(1, _SLICE // (n_runs * n_queries))
    parts = [of(*(each[start : start + step] for each in arrays)) for start in range(0, n_samples, step)]
    return BatchDecomposition(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _subset_means(
    samples: FloatArray, target: FloatArray, order: IntArray, sizes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The means over each subset of every run's scores, (B, R, m), and of the target's, (B, m)."""
    if (sizes == 1).all():
        return _in_order(samples, order), _in_order(target, order)
    if len(sizes) > _MANY_SUBSETS:
        starts = np.cumsum(sizes) - sizes
        runs, best = (np.add.reduceat(_in_order(each, order), starts, axis=-1) / sizes for each in (samples, target))
        return runs, best
    subset = np.repeat(np.arange(len(sizes)), sizes)
    share = np.zeros((*target.shape, len(sizes)))  # 1 / k where a query belongs to a subset of k
    share[np.arange(len(samples))[:, None], order, subset] = (1 / sizes)[subset]
    return samples @ share, (target[:, None, :] @ share)[:, 0]


def _in_order(samples: FloatArray, order: IntArray) -> FloatArray:
    """The scores of each sample, (B, ..., n), in its order of the queries, (B, n)."""
    if order.strides[0] == 0:  # one order for all
        return samples[..., order[0]]
    return np.take_along_axis(samples, order if samples.ndim == 2 else order[:, None, :], axis=-1)


def _variance(means: FloatArray, weights: FloatArray) -> FloatArray:
    """sum w (x - sum w x)^2 over the last axis; the weights are of one sample, (m,), or of each, (B, 1, m).

    Subsets are few: with their axis first, sums are over long rows instead of short ones, which is three times as fast.
    """
    shares = np.moveaxis(weights[None, None] if weights.ndim == 1 else weights, -1, 0)
    shifted = np.array(np.moveaxis(means, -1, 0), order="C")
    shifted -= shifted[0].copy()
    shifted -= (shifted * shares).sum(axis=0)
    shifted *= shifted
    shifted *= shares
    variance: FloatArray = shifted.sum(axis=0)
    return variance


def _settled(x: FloatArray) -> FloatArray:
    """`scores.settle` on each row of finite values: rounded to 1e-12 of the largest of the row."""
    scale = np.abs(x).max(axis=1, keepdims=True, initial=0.0)
    scale[scale == 0] = 1.0
    settled: FloatArray = np.round(x / scale, 12) * scale
    return settled


def _defined(x: FloatArray, y: FloatArray) -> BoolArray:
    """Whether both rows are long enough, finite, and not constant up to rounding; shape (B,)."""
    if x.shape[1] < _LEAST:
        return np.zeros(len(x), dtype=bool)
    defined = np.asarray((np.isfinite(x) & np.isfinite(y)).all(axis=1))
    for values in (x, y):
        defined[defined] = np.ptp(_settled(values[defined]), axis=1) > 0
    return defined


def _deviations(x: FloatArray) -> FloatArray:
    """Each row minus its mean, over the largest deviation, so that no square underflows."""
    deviations: FloatArray = x - x.mean(axis=1, keepdims=True)
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    return deviations


def _signs(one: np.ndarray[Any, np.dtype[np.int32]], others: np.ndarray[Any, np.dtype[np.int32]]) -> Any:
    """The sign of one - others as bytes."""
    return (one > others).view(np.int8) - (one < others).view(np.int8)
