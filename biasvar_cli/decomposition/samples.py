"""Bias and variances of many score matrices at once, such as the samples of a null model.

Samples have the shape (n_samples, n_runs, n_queries), shortened to (B, R, n). Each function gives for every sample what
`moments` or `generalised` give for one matrix. Means over subsets and their variances have code of their own here:
summed over all samples at a time they take a fifth of the time, and differ in the last digits. A large sample, which
may have 32 bits, is worked on alone, with its queries first, (n, R): rows are then gathered and added whole, and means
and variances come from products with weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray, difference
from biasvar_cli.decomposition.decompose import Moments

_SLICE = 2**16  # scores that are worked on at a time, few enough for the cache: five times as fast
_AT_ONCE = 2**15  # scores of a large sample that are worked on at a time
_LARGEST_SUM = 100  # scores that are added in 32 bits
_MANY_SUBSETS = 64  # beyond that a product with the matrix of subsets costs more than gathering the scores


def decompose_samples(samples: FloatArray, target: FloatArray) -> Moments:
    """The errors of every run in each sample, (B, R), against the target's scores, (B, n) or (n,) for all.

    The runs A, B and C of SIGIR'13, Tables 1 and 2, against its target model T:

    >>> result = decompose_samples(np.array([[[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]]]), np.array([0.7, 0.2]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist(), result.var_gap.round(6).tolist()
    ([[0.0625, 0.0121, 0.0121]], [[0.01, 0.0676, 0.0961]], [[0.0225, 0.0001, 0.0036]])
    """

    share = np.full(samples.shape[2], 1 / samples.shape[2])

    def small(scores: FloatArray, best: FloatArray) -> Moments:
        return _batch_errors(scores, best, share[:, None], best.mean(axis=1))

    def large(turned: FloatArray, best: FloatArray) -> Moments:
        return _weighted_errors(turned, best, share, best.mean())

    return _sample_errors(small, large, samples, target)


def generalise_samples(
    samples: FloatArray,
    target: FloatArray,
    orders: Sequence[IntArray],
    sizes: IntArray,
    weights: FloatArray | None = None,
    mean: FloatArray | None = None,
) -> Moments:
    """Bias^2 and variances over query samples (CIKM'14 Eq. 3 to 5), against the target's mean over all queries.

    Each of the ``orders``, over which the errors are averaged, lists the queries subset by subset: (B, n), or one (n,)
    for all samples. ``sizes`` has the shape (m,), and so have ``weights``, which are sizes / n if not given.
    Where every subset has one query, the queries stay in their own order, and so do the weights.
    The target's ``mean``, (B,), is that of its scores if not given; where these are means over subsets already
    (`subset_means`), it may be another.

    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> samples = np.array([[f, g]])
    >>> result = generalise_samples(samples, samples.max(axis=1), [np.arange(5)], np.array([2, 2, 1]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist()
    ([[0.0016, 0.0036]], [[0.0276, 0.01175]])
    """
    share = sizes / sizes.sum() if weights is None else weights
    shares = np.kron(np.eye(len(orders)), share[:, None])
    mean = target.mean(axis=-1, dtype=np.float64) if mean is None else mean

    def small(scores: FloatArray, best: FloatArray, mean: FloatArray, *orders: IntArray) -> Moments:
        means, ceiling = _subset_means(scores, best, orders, sizes)
        return _batch_errors(means, ceiling, shares, mean[:, 0])

    def large(turned: FloatArray, best: FloatArray, mean: FloatArray, *orders: IntArray) -> Moments:
        means = (_turned_means(turned, best, order, sizes) for order in orders)
        return Moments.joined([_weighted_errors(*both, share, mean[0]) for both in means], _average)

    return _sample_errors(small, large, samples, target, mean[..., None], *orders)


def subset_means(
    samples: FloatArray, target: FloatArray, order: IntArray, sizes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The means over each subset of every run's scores, (B, R, m), and of the target's, (B, m), in each sample.

    ``order`` lists the queries subset by subset, (B, n), and ``sizes`` has the shape (m,).

    >>> samples = np.array([[[0.10, 0.20, 0.30, 0.40, 0.60]]])
    >>> runs, best = subset_means(samples, samples[:, 0], np.arange(5)[None], np.array([2, 2, 1]))
    >>> runs.round(6).tolist(), best.round(6).tolist()
    ([[[0.15, 0.35, 0.6]]], [[0.15, 0.35, 0.6]])
    """

    def small(scores: FloatArray, best: FloatArray, order: IntArray) -> tuple[FloatArray, FloatArray]:
        return _subset_means(scores, best, [order], sizes)

    def large(turned: FloatArray, best: FloatArray, order: IntArray) -> tuple[FloatArray, FloatArray]:
        means, ceiling = _turned_means(turned, best, order, sizes)
        return means.T, ceiling

    runs, best = _over_samples(small, large, samples, target, order)
    return runs, best


def normalise_samples(
    samples: FloatArray,
    target: FloatArray,
    order: IntArray,
    sizes: IntArray,
    weights: FloatArray | None = None,
    *,
    one: bool = False,
    pool: FloatArray | None = None,
) -> Moments:
    """The normalised form, Y = M(f; S) / M(T; S) (CIKM'14 Eq. 6 and 7); arguments as for `generalise_samples`.

    Subsets on which the target is 0 are left out, and the weights of the others sum to 1 again; with ``one``, Y is 1
    there unless a run is above the target. With a ``pool``, (B, P, n), the least subset mean of its runs is taken from
    both. A sample without a subset left, or with a negative target anywhere, gives nan. The gap form is the same.

    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> samples = np.array([[f, g]])
    >>> result = normalise_samples(samples, samples.max(axis=1), np.arange(5), np.array([2, 2, 1]))
    >>> result.bias2.round(6).tolist(), result.var.round(6).tolist()
    ([[0.0225, 0.0225]], [[0.00875, 0.0025]])
    """
    shares = sizes / sizes.sum() if weights is None else weights

    def small(scores: FloatArray, best: FloatArray, order: IntArray, pool: FloatArray | None = None) -> Moments:
        means, ceiling = _subset_means(scores, best, [order], sizes)
        if pool is not None:
            floor = _subset_means(pool, best, [order], sizes)[0].min(axis=1)
            means, ceiling = difference(means, floor[:, None, :]), difference(ceiling, floor)
        zero = ceiling == 0
        keep = ~zero | (means == ceiling[:, None, :]).all(axis=1) if one else ~zero
        kept = keep @ shares
        kept[(kept == 0) | (ceiling.min(axis=1) < 0)] = np.nan
        share = (np.where(zero, 0.0, shares) / kept[:, None])[..., None]  # Y - 1 is 0 where the target is
        away = means / np.where(zero, 1.0, ceiling)[:, None, :]
        away -= 1
        drift = (away @ share)[..., 0]
        away *= away
        var = np.maximum((away @ share)[..., 0] - drift**2, 0.0)
        return Moments.of(1 + drift, -drift, var, var)

    def large(turned: FloatArray, best: FloatArray, order: IntArray, pool: FloatArray | None = None) -> Moments:
        means, ceiling = _turned_means(turned, best, order, sizes)
        if pool is not None:
            floor = _turned_means(pool, best, order, sizes)[0].min(axis=1)
            means, ceiling = difference(means, floor[:, None]), difference(ceiling, floor)
        zero = ceiling == 0
        keep = ~zero | (means == ceiling[:, None]).all(axis=1) if one else ~zero
        if not keep.any() or ceiling.min() < 0:
            return Moments(*np.full((len(fields(Moments)), turned.shape[1]), np.nan))
        share = np.where(zero, 0.0, shares / shares[keep].sum())  # Y - 1 is 0 where the target is
        by = np.where(zero, 1.0, ceiling)[:, None]
        (drift,), square = _sums(lambda some: means[some] / by[some] - 1, means.shape, share)
        var = np.maximum(square - drift**2, 0.0)
        return Moments.of(1 + drift, -drift, var, var)

    return _sample_errors(small, large, samples, target, order, pool=pool)


def _average(arrays: Sequence[FloatArray]) -> FloatArray:
    return np.asarray(sum(arrays) / len(arrays))


def _sample_errors(
    small: Callable[..., Moments],
    large: Callable[..., Moments],
    samples: FloatArray,
    *others: FloatArray | IntArray,
    pool: FloatArray | None = None,
) -> Moments:
    """The errors of all samples, which are made as by `_over_samples`."""

    def numbers(of: Callable[..., Moments]) -> Callable[..., tuple[FloatArray, ...]]:
        return lambda *arrays: tuple(vars(of(*arrays)).values())

    return Moments(*_over_samples(numbers(small), numbers(large), samples, *others, pool=pool))


def _over_samples(
    small: Callable[..., tuple[FloatArray, ...]],
    large: Callable[..., tuple[FloatArray, ...]],
    samples: FloatArray,
    *others: FloatArray | IntArray,
    pool: FloatArray | None = None,
) -> list[FloatArray]:
    """The numbers of all samples: by ``small`` of some at a time, or by ``large`` of each one with its queries first.

    The others are (B, k), or (k,) for every sample; they and the ``pool`` are handed on sample by sample.
    """
    n_samples, n_runs, n_queries = samples.shape
    arrays = [np.broadcast_to(array, (n_samples, array.shape[-1])) for array in others]
    if n_runs * n_queries <= _SLICE:
        arrays += [] if pool is None else [pool]
        step = max(1, _SLICE // (n_runs * n_queries))
        slices = [slice(start, start + step) for start in range(0, n_samples, step)]
        parts = [small(samples[some], *(array[some] for array in arrays)) for some in slices]
        return [np.concatenate(part) for part in zip(*parts, strict=True)]
    parts = []
    for number, sample in enumerate(samples):
        beside = [array[number] for array in arrays]
        beside += [] if pool is None else [np.ascontiguousarray(pool[number].T)]
        parts.append(large(np.ascontiguousarray(sample.T), beside[0].astype(np.float64), *beside[1:]))
    return [np.stack(part) for part in zip(*parts, strict=True)]


def _subset_means(
    samples: FloatArray, target: FloatArray, orders: Sequence[IntArray], sizes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The means over each subset of every run's scores, and of the target's: (B, R, P m) and (B, P m) of P orders."""
    if (sizes == 1).all():
        return (samples, target) if len(orders) == 1 else (np.tile(samples, len(orders)), np.tile(target, len(orders)))
    if len(sizes) > _MANY_SUBSETS:
        starts, both = np.cumsum(sizes) - sizes, (samples, target)
        means = ([np.add.reduceat(_ordered(x, order), starts, axis=-1) / sizes for order in orders] for x in both)
        runs, best = (np.concatenate(parts, axis=-1) for parts in means)
        return runs, best
    some = slice(None) if any(order.strides[0] for order in orders) else slice(1)  # one partition for all samples
    order, sizes = np.concatenate([order[some] for order in orders], axis=1), np.tile(sizes, len(orders))
    subset = np.repeat(np.arange(len(sizes)), sizes)
    share = np.zeros((len(order), target.shape[1], len(sizes)))  # 1 / k where a query belongs to a subset of k
    share[np.arange(len(order))[:, None], order, subset] = (1 / sizes)[subset]
    if len(order) < len(samples):
        share = share[0]
        return samples @ share, target @ share
    return samples @ share, (target[:, None, :] @ share)[:, 0]


def _batch_errors(means: FloatArray, ceiling: FloatArray, shares: FloatArray, target: FloatArray) -> Moments:
    """`_weighted_errors` of many samples, (B, R, P m), (B, P m) and (B,), averaged over P partitions.

    ``shares``, (P m, P), are the weights of the subsets, each in the column of its partition.
    """
    share = shares.mean(axis=1)
    above = ceiling - (ceiling @ shares) @ (shares > 0).T
    away = means - means[..., :1]
    drift = away @ shares
    covariance = (away @ (above * share)[..., None])[..., 0]
    away *= away
    var = np.maximum(away @ share - _over_partitions(drift**2), 0.0)
    var_gap = np.maximum((above**2 @ share)[:, None] + var - 2 * covariance, 0.0)
    bias = (target[:, None] - means[..., 0])[..., None] - drift
    mean, bias, bias2 = map(_over_partitions, (drift, bias, bias**2))
    return Moments(means[..., 0] + mean, bias, bias2, var, var_gap)


def _over_partitions(values: FloatArray) -> FloatArray:
    """The mean over partitions, (..., P) to (...); of one of them without adding up."""
    return values[..., 0] if values.shape[-1] == 1 else np.asarray(values.mean(axis=-1))


def _ordered(samples: FloatArray, order: IntArray) -> FloatArray:
    """The scores of each sample, (B, ..., n), in its order of the queries, (B, n)."""
    if order.strides[0] == 0:  # one order for all
        return samples.take(order[0], axis=-1)
    return np.take_along_axis(samples, order if samples.ndim == 2 else order[:, None, :], axis=-1)


def _turned_means(
    turned: FloatArray, target: FloatArray, order: IntArray, sizes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The means over each subset of every run's scores, (n, R) to (m, R), and of the target's, (n,) to (m,)."""
    if (sizes == 1).all():
        return turned, target
    from scipy.sparse import csr_array

    ends = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(len(order), np.float64 if sizes.max() > _LARGEST_SUM else turned.dtype)
    sums = csr_array((ones, order, ends), shape=(len(sizes), len(order)))
    return (sums @ turned) / sizes[:, None], np.add.reduceat(target[order], ends[:-1]) / sizes


def _weighted_errors(means: FloatArray, ceiling: FloatArray, weights: FloatArray, target: float) -> Moments:
    """The errors of the runs over subsets, means (m, R) and those of the target (m,), against the target's mean.

    Var(T - X) = Var(T) + Var(X) - 2 Cov(T, X). The variance of constant scores is exactly 0.
    """
    first, above = means[0].astype(np.float64), ceiling - weights @ ceiling
    (drift, covariance), square = _sums(lambda some: means[some] - first, means.shape, weights, weights * above)
    mean, var = first + drift, np.maximum(square - drift**2, 0.0)
    var_gap = np.maximum(weights @ above**2 + var - 2 * covariance, 0.0)
    return Moments.of(mean, difference(target, mean), var, var_gap)


def _sums(
    values: Callable[[slice], FloatArray], shape: tuple[int, ...], *weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """sum w x over the first axis of (m, R) values for each of some weights (m,), and sum w x^2 for the first of these.

    Some rows at a time are made, in 64 bits, and worked on while they are in the cache.
    """
    by_row, step = np.stack(weights), max(1, _AT_ONCE // shape[1])
    sums, squares = np.zeros((len(weights), shape[1])), np.zeros(shape[1])
    for some in (slice(start, start + step) for start in range(0, shape[0], step)):
        x = values(some)
        sums += by_row[:, some] @ x
        x *= x
        squares += weights[0][some] @ x
    return sums, squares
