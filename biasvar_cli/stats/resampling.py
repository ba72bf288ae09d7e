"""Resamples and permutations: weights of a bootstrap, ends of intervals, and the tests of pairs that draw samples.

Sources: BCa: Efron, "Better bootstrap confidence intervals", JASA 82, 1987; percentiles: Davison and Hinkley, Bootstrap
Methods and their Application, 1997; jackknife: Miller, "Jackknifing variances", Annals of Mathematical Statistics 39,
1968; the shifted, studentised bootstrap of a pair: Sakai, SIGIR 2006 (Sakai 2013, slide 47); Fisher's randomisation
test, as in Sakai 2013, slide 47; the randomised version of Tukey's HSD: Carterette, "Multiple testing in statistical
analysis of systems-based information retrieval experiments", ACM TOIS 30(1), 2012.

In tests by permutation ties count: a sample that differs from the observed difference by rounding alone is as extreme
as it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Literal

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.errors import UsageError
from biasvar_cli.specs.limits import threshold
from biasvar_cli.stats.monte_carlo import Draws
from biasvar_cli.stats.paired import PairedRows, Tested, t_quantile

Rule = Literal["bca", "log-jackknife-t", "basic", "percentile", "test-inversion"]

_BLOCK = 500  # resamples that are worked on together
_IN_CACHE = 2**16  # draws that are counted at a time
_LARGEST_LOG = 700.0  # of an end; beyond that exp overflows
_TIED = 1e-9  # of a squared t


def require_resamples(level: float, n_resamples: int) -> None:
    """Raises `UsageError` for resamples too few to have one beyond each end of an interval."""
    least = int(np.ceil(2 / (1 - level)))
    if n_resamples < least:
        raise UsageError(f"an interval at {level:g} needs at least {least} resamples, found {n_resamples}")


def resample_weights(
    units: int | Clusters, n_resamples: int, rng: np.random.Generator, *, size: int = _BLOCK
) -> Iterator[FloatArray]:
    """Weights of resampled queries or runs, in blocks of ``size`` resamples: (size, n), each row sums to 1.

    A row has the counts of n draws with replacement over n: a multinomial variate. The draws are one stream of random
    numbers, so that blocks of any size hold the same rows. Of `Clusters` C of the C are drawn with all their queries.

    >>> blocks = list(resample_weights(4, 5, np.random.default_rng(0), size=3))
    >>> [len(block) for block in blocks], blocks[0][0].tolist()
    ([3, 2], [0.0, 0.25, 0.5, 0.25])
    >>> next(resample_weights(Clusters.named("abcd"), 1, np.random.default_rng(0)))[0].tolist()
    [0.0, 0.25, 0.5, 0.25]
    """
    n_units = units.n if isinstance(units, Clusters) else units
    n_together = max(1, _IN_CACHE // n_units)
    for start in range(0, n_resamples, size):
        weights = np.empty((min(size, n_resamples - start), n_units))
        for at in range(0, len(weights), n_together):
            some = weights[at : at + n_together]
            drawn = rng.integers(0, n_units, size=some.shape)
            drawn += n_units * np.arange(len(some))[:, None]
            np.divide(np.bincount(drawn.ravel(), minlength=some.size).reshape(some.shape), n_units, out=some)
        yield units.weights(weights) if isinstance(units, Clusters) else weights


def bca(
    resampled: FloatArray, estimate: FloatArray, left_out: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of the BCa interval (Efron 1987) of each row; (R, B), (R,) and (R, n) give two of (R,).

    They are the quantiles of the resamples at Phi(z0 + (z0 + z) / (1 - a (z0 + z))) for z = the normal quantiles of
    both ends. z0 is the normal quantile of the share of resamples below the estimate; those equal to it (up to 1e-12 of
    the largest) count half, since means of few or coarse scores tie with it (a mid-p), and it is kept 1 / (2 B) from 0
    and 1. a = sum d^3 / (6 (sum d^2)^1.5), the acceleration, is that of d = mean - value of the estimates with each
    query left out. Where nothing varies, both ends are the estimate.

    A symmetric example has z0 = a = 0, and the quantiles are plain ones: of 0, ..., 100 at .05 and .95.

    >>> low, high = bca(np.arange(101.0)[None], np.array([50.0]), np.array([[49.0, 50.0, 51.0]]), 0.9)
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([5.0], [95.0])
    """
    from scipy.special import ndtr, ndtri

    n_resamples = resampled.shape[1]
    tolerance = ROUNDING * np.abs(resampled).max(axis=1)
    below = np.count_nonzero(resampled < (estimate - tolerance)[:, None], axis=1)
    at_most = np.count_nonzero(resampled <= (estimate + tolerance)[:, None], axis=1)
    middle = np.clip((below + at_most) / (2 * n_resamples), 0.5 / n_resamples, 1 - 0.5 / n_resamples)
    deviations = left_out.mean(axis=1, keepdims=True) - left_out
    largest = np.abs(deviations).max(axis=1, keepdims=True)
    unit = deviations / np.where(largest > 0, largest, 1.0)
    acceleration = (unit**3).sum(axis=1) / (6 * np.maximum((unit**2).sum(axis=1), 1.0) ** 1.5)
    shift, ordered, ends = ndtri(middle), np.sort(resampled, axis=1), []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = shift + ndtri(tail)
        bent = 1 - acceleration * z
        moved = np.where(z > 0, np.inf, -np.inf)  # beyond the pole, the end that it runs off to
        np.divide(z, bent, out=moved, where=bent > 0)
        ends.append(_quantiles(ordered, ndtr(shift + moved)))
    return ends[0], ends[1]


def percentile(resampled: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The quantiles of each row that leave (1 - level) / 2 beyond each end; (R, B) gives two of (R,).

    >>> low, high = percentile(np.arange(101.0)[None], 0.9)
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([5.0], [95.0])
    """
    ordered = np.sort(resampled, axis=1)
    low, high = (_quantiles(ordered, np.full(len(resampled), at)) for at in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def log_jackknife_t(estimate: FloatArray, left_out: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """exp(mean -+ t sd / sqrt n) of the pseudo-values n ln V - (n - 1) ln V_(-q) (Miller 1968); two of (R,).

    ``estimate`` V has the shape (R,), ``left_out`` (R, n) has V without each query; t is Student's quantile with n - 1
    degrees of freedom, sd has the divisor n - 1. The ends are nan where a value is 0, which has no logarithm. Half the
    width on the scale of the logarithm is near 2 sd / sqrt n, from which the queries for a wanted width follow.

    >>> low, high = log_jackknife_t(np.array([0.08 / 3]), np.array([[0.01, 0.04, 0.01]]), 0.95)  # by hand: `intervals`
    >>> low.round(5).tolist(), high.round(3).tolist()
    ([0.00141], [4.013])
    """
    n = left_out.shape[1]
    known = (estimate > 0) & (left_out.min(axis=1) > 0)
    whole, parts = np.where(known, estimate, 1.0), np.where(known[:, None], left_out, 1.0)
    pseudo = n * np.log(whole)[:, None] - (n - 1) * np.log(parts)
    centre, half = pseudo.mean(axis=1), t_quantile((1 + level) / 2, n - 1) * pseudo.std(axis=1, ddof=1) / np.sqrt(n)
    limits = np.clip([centre - half, centre + half], -_LARGEST_LOG, _LARGEST_LOG)
    low, high = np.where(known, np.exp(limits), np.nan)
    return low, high


def _quantiles(ordered: FloatArray, at: FloatArray) -> FloatArray:
    """The quantile of each ascending row at its own probability, (R, B) and (R,) to (R,); linear, as numpy's."""
    rank = at * (ordered.shape[1] - 1)
    below = np.floor(rank).astype(np.int64)
    above = np.minimum(below + 1, ordered.shape[1] - 1)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, above]
    return low + (rank - below) * (high - low)


def studentised(rows: PairedRows, draws: Draws) -> Tested:
    """The studentised bootstrap test of every pair, two-sided.

    The differences are shifted to a mean of 0 and drawn with replacement, the same columns for all pairs:
    p = (1 + #{abs(t*) >= abs(t)}) / (n_samples + 1). A resample without variance counts if its mean is not 0, for its t
    is infinite, and not if it is 0. Equal rows have p 1. Of clusters their terms are drawn, and t* is that of a ratio
    (`Clusters.excess`).

    >>> values = np.array([[0.5, 0.4, 0.6, 0.45], [0.1, 0.0, 0.2, 0.05]])
    >>> studentised(PairedRows(values), Draws(99, np.random.default_rng)).p.tolist()  # a constant difference
    [0.01]
    """
    pairs, units = rows.pairs, rows.units
    values = units.terms(rows.values / (np.abs(rows.values).max(initial=0.0) or 1.0))
    mean, least = np.empty(len(pairs.first)), np.empty((len(pairs.first), units.n))
    shares = np.empty(len(pairs.first))
    for span, z in pairs.differences(values):
        mean[span] = z.mean(axis=1)
        squares = (z - mean[span, None]) ** 2
        second_moment = squares.mean(axis=1) + mean[span] ** 2
        share = np.divide(mean[span] ** 2, second_moment, out=np.ones(len(z)), where=second_moment > 0)
        least[span] = squares * share[:, None] * (1 - _TIED) + ROUNDING**2
        shares[span] = share * (1 - _TIED)

    def exceeding(rng: np.random.Generator, size: int) -> IntArray:
        """t*^2 >= t^2 is m*^2 >= share E* of the squares, for the mean m* of a resample, without a division by 0."""
        weights = next(resample_weights(units.n, size, rng))
        means = values @ weights.T
        count = np.empty(len(mean), dtype=np.int64)
        for row, span in pairs.fans():
            moved = means[row] - means[pairs.second[span]]
            moved -= mean[span, None]
            needed = least[span] @ weights.T
            if not units.are_single:
                z = values[row] - values[pairs.second[span]]
                needed += shares[span, None] * units.excess(weights, moved, z - mean[span, None])
            moved *= moved
            count[span] = np.count_nonzero(moved >= needed, axis=1)
        return count

    counted: IntArray = sum(draws.blocks(exceeding), np.zeros(len(mean), dtype=np.int64))
    return Tested(np.where(np.abs(mean) <= ROUNDING, 1.0, (1 + counted) / (draws.n_samples + 1)))


_AT_ONCE = 2**22  # numbers of one array


def randomisation(rows: PairedRows, draws: Draws) -> Tested:
    """Fisher's randomisation test of every pair, two-sided.

    The statistic is the size of the mean difference, under random signs of the differences, which are the same for all
    pairs. With 2^m <= n_samples, m the number of differences that are not 0, every sign is taken once and p is their
    share; otherwise p = (1 + #) / (n_samples + 1). Equal rows have p 1. All queries of a cluster have one sign.

    Differences of .1, .2 and .3, of one sign: two of eight signs are as extreme.

    >>> values = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
    >>> randomisation(PairedRows(values), Draws(1000, np.random.default_rng)).p.tolist()
    [0.25]
    """
    rows = rows.of_clusters
    values, pairs, n = rows.values, rows.pairs, rows.values.shape[1]
    least = np.empty(len(pairs.first))
    n_nonzero = np.empty(len(pairs.first), dtype=np.int64)
    tolerance = rows.tolerance * n
    for span, z in pairs.differences(values):
        least[span] = np.abs(z.sum(axis=1)) - tolerance
        n_nonzero[span] = np.count_nonzero(np.abs(z) > tolerance / n, axis=1)

    def exceeding(rng: np.random.Generator, size: int) -> IntArray:
        sums = values @ (2.0 * rng.integers(0, 2, size=(n, size)) - 1)
        count = np.empty(len(least), dtype=np.int64)
        for row, span in pairs.fans():
            moved = sums[row] - sums[pairs.second[span]]
            count[span] = np.count_nonzero(np.abs(moved, out=moved) >= least[span, None], axis=1)
        return count

    exact = 2.0**n_nonzero <= draws.n_samples
    counted = np.zeros(len(least), dtype=np.int64)
    if exact.all():
        draws.finished()
    else:
        counted = sum(draws.blocks(exceeding), counted)
    p: FloatArray = (1 + counted) / (draws.n_samples + 1)
    for number in np.unique(n_nonzero[exact]):
        some = np.flatnonzero(exact & (n_nonzero == number))
        p[some] = _exact(rows, some, int(number), least[some], tolerance / n)
    return Tested(p)


def _exact(rows: PairedRows, some: IntArray, n_nonzero: int, least: FloatArray, tolerance: float) -> FloatArray:
    """The share of all 2^m signs that are as extreme, for pairs with m differences each; half of them are enough."""
    if n_nonzero == 0:
        return np.ones(len(some))
    bits = np.arange(2 ** (n_nonzero - 1))[:, None] >> np.arange(n_nonzero) & 1
    signs = 1.0 - 2 * bits  # the last sign is always +; the other half are these turned round
    p = np.empty(len(some))
    step = max(1, _AT_ONCE // len(signs))
    for start in range(0, len(some), step):
        part = some[start : start + step]
        z = rows.values[rows.pairs.first[part]] - rows.values[rows.pairs.second[part]]
        nonzero = z[np.abs(z) > tolerance].reshape(len(part), n_nonzero)
        p[start : start + step] = (np.abs(signs @ nonzero.T) >= least[start : start + step]).mean(axis=0)
    return p


def tukey(rows: PairedRows, level: float, draws: Draws) -> Tested:
    """The randomised Tukey HSD of all pairs together: the differences of means beside the ranges of shuffled rows.

    All queries of a cluster are shuffled alike.
    """
    ranges = shuffled_ranges(rows.of_clusters.values, draws)
    p = exceeding_p(np.abs(rows.moments.student.mean), ranges, rows.tolerance)
    return Tested(p, critical_value(ranges, level))


def shuffled_ranges(values: FloatArray, draws: Draws) -> FloatArray:
    """The range of the row means in each sample, ascending, shape (n_samples,): Tukey's q, not studentised.

    The scores of each column are shuffled among the rows, (R, n).

    >>> shuffled_ranges(np.array([[0.1], [0.5], [0.2]]), Draws(3, np.random.default_rng)).round(12).tolist()
    [0.4, 0.4, 0.4]
    """
    columns = np.ascontiguousarray(values.T)

    def ranges(rng: np.random.Generator, size: int) -> FloatArray:
        means = np.zeros((size, len(values)))
        for column in columns:  # a column at a time stays in the cache
            means += rng.permuted(np.broadcast_to(column, means.shape), axis=1)
        return np.ptp(means, axis=1) / len(columns)

    return np.sort(np.concatenate(list(draws.blocks(ranges))))


def exceeding_p(observed: FloatArray, ascending: FloatArray, tolerance: float) -> FloatArray:
    """(1 + #{samples >= observed - tolerance}) / (B + 1) of each observed number, (k,), for B ascending samples.

    >>> exceeding_p(np.array([0.3, 0.05]), np.array([0.1, 0.2, 0.3]), 1e-12).tolist()
    [0.5, 1.0]
    """
    below = np.searchsorted(ascending, observed - tolerance, side="left")
    return (1 + len(ascending) - below) / (len(ascending) + 1)


def critical_rank(p: float, n_samples: int) -> int:
    """The k of the k-th largest sample, which an observed number exceeds if its p is less; 0 where there is none.

    >>> critical_rank(0.05, 99), critical_rank(0.001, 99)
    (4, 0)
    """
    return ceil(round(p * (n_samples + 1), 9)) - 1


def critical_value(ascending: FloatArray, level: float) -> float:
    """The number that an observed one must exceed for p < 1 - level: the k-th largest, k = ceil(a (B + 1)) - 1.

    nan where there are too few samples for any p below 1 - level.

    >>> critical_value(np.arange(1.0, 100.0), 0.95)  # B = 99, k = 4
    96.0
    """
    rank = critical_rank(threshold(level), len(ascending))
    return float(ascending[-rank]) if rank >= 1 else float("nan")
