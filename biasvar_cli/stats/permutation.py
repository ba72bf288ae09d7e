"""Tests by permutation: signs of differences, and scores shuffled among the rows within each column.

Sources: Fisher's randomisation test, as in Sakai 2013, slide 47; the randomised version of Tukey's HSD: Carterette,
"Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM TOIS 30(1), 2012.

Ties count: a sample that differs from the observed difference by rounding alone is as extreme as it.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.stats.monte_carlo import Draws
from biasvar_cli.stats.paired import PairedRows, Tested

_AT_ONCE = 2**22  # numbers of one array


def randomisation(rows: PairedRows, draws: Draws) -> Tested:
    """Fisher's randomisation test of every pair, two-sided.

    The statistic is the size of the mean difference, under random signs of the differences, which are the same for all
    pairs. With 2^m <= n_samples, m the number of differences that are not 0, every sign is taken once and p is their
    share; otherwise p = (1 + #) / (n_samples + 1). Equal rows have p 1.

    Differences of .1, .2 and .3, of one sign: two of eight signs are as extreme.

    >>> values = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
    >>> randomisation(PairedRows(values), Draws(1000, np.random.default_rng)).p.tolist()
    [0.25]
    """
    values, pairs, n = rows.values, rows.pairs, rows.values.shape[1]
    least = np.empty(len(pairs.first))
    n_nonzero = np.empty(len(pairs.first), dtype=np.int64)
    tolerance = rows.tolerance * n
    for place, z in pairs.differences(values):
        least[place] = np.abs(z.sum(axis=1)) - tolerance
        n_nonzero[place] = np.count_nonzero(np.abs(z) > tolerance / n, axis=1)

    def exceeding(rng: np.random.Generator, size: int) -> IntArray:
        sums = values @ (2.0 * rng.integers(0, 2, size=(n, size)) - 1)
        count = np.empty(len(least), dtype=np.int64)
        for row, place in pairs.fans():
            moved = sums[row] - sums[pairs.second[place]]
            count[place] = np.count_nonzero(np.abs(moved, out=moved) >= least[place, None], axis=1)
        return count

    exact = 2.0**n_nonzero <= draws.n_samples
    counted = np.zeros(len(least), dtype=np.int64)
    if exact.all():
        draws.done(draws.n_samples)
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
    """The randomised Tukey HSD of all pairs together: the differences of means beside the ranges of shuffled rows."""
    ranges = shuffled_ranges(rows.values, draws)
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
        largest: FloatArray = np.ptp(means, axis=1) / len(columns)
        return largest

    ascending: FloatArray = np.sort(np.concatenate(list(draws.blocks(ranges))))
    return ascending


def exceeding_p(observed: FloatArray, ascending: FloatArray, tolerance: float) -> FloatArray:
    """(1 + #{samples >= observed - tolerance}) / (B + 1) of each observed number, (k,), for B ascending samples.

    >>> exceeding_p(np.array([0.3, 0.05]), np.array([0.1, 0.2, 0.3]), 1e-12).tolist()
    [0.5, 1.0]
    """
    below = np.searchsorted(ascending, observed - tolerance, side="left")
    p: FloatArray = (1 + len(ascending) - below) / (len(ascending) + 1)
    return p


def critical_value(ascending: FloatArray, level: float) -> float:
    """The number that an observed one must exceed for p < 1 - level: the k-th largest, k = ceil(a (B + 1)) - 1.

    nan where there are too few samples for any p below 1 - level.

    >>> critical_value(np.arange(1.0, 100.0), 0.95)  # B = 99, k = 4
    96.0
    """
    place = ceil(round((1 - level) * (len(ascending) + 1), 9)) - 1
    return float(ascending[-place]) if place >= 1 else float("nan")
