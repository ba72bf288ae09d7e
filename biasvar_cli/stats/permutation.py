"""Tests by permutation: signs of differences, and scores shuffled among the rows within each column.

Sources: Fisher's randomisation test, as in Sakai 2013, slide 47; the randomised version of Tukey's HSD: Carterette,
"Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM TOIS 30(1), 2012.

Ties count: a sample that differs from the observed difference by rounding alone is as extreme as it.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.stats.monte_carlo import Done, blocks, unwatched
from biasvar_cli.stats.pairs import Pairs

if TYPE_CHECKING:
    from biasvar_cli.stats.monte_carlo import Generators

_AT_ONCE = 2**22  # numbers of one array


def randomisation_p(
    values: FloatArray,
    pairs: Pairs,
    n_samples: int,
    generators: Generators,
    *,
    jobs: int = 1,
    done: Done = unwatched,
) -> FloatArray:
    """Fisher's randomisation test of every pair, two-sided; rows of the shape (R, n) give (k,).

    The statistic is the size of the mean difference, under random signs of the differences, which are the same for all
    pairs. With 2^m <= n_samples, m the number of differences that are not 0, every sign is taken once and p is their
    share; otherwise p = (1 + #) / (n_samples + 1). Equal rows have p 1.

    Differences of .1, .2 and .3, of one sign: two of eight signs are as extreme.

    >>> values = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
    >>> randomisation_p(values, Pairs.of_all(2), 1000, np.random.default_rng).tolist()
    [0.25]
    """
    n = values.shape[1]
    least = np.empty(len(pairs.first))
    n_apart = np.empty(len(pairs.first), dtype=np.int64)
    tolerance = ROUNDING * np.abs(values).max(initial=0.0) * n
    for place, z in pairs.differences(values):
        least[place] = np.abs(z.sum(axis=1)) - tolerance
        n_apart[place] = np.count_nonzero(np.abs(z) > tolerance / n, axis=1)

    def exceeding(rng: np.random.Generator, size: int) -> IntArray:
        sums = values @ (2.0 * rng.integers(0, 2, size=(n, size)) - 1)
        count = np.empty(len(least), dtype=np.int64)
        for row, place in pairs.fans():
            moved = sums[row] - sums[pairs.second[place]]
            count[place] = np.count_nonzero(np.abs(moved, out=moved) >= least[place, None], axis=1)
        return count

    exact = 2.0**n_apart <= n_samples
    counted = np.zeros(len(least), dtype=np.int64)
    if exact.all():
        done(n_samples)
    else:
        counted = sum(blocks(exceeding, n_samples, generators, jobs=jobs, done=done), counted)
    p: FloatArray = (1 + counted) / (n_samples + 1)
    for number in np.unique(n_apart[exact]):
        some = np.flatnonzero(exact & (n_apart == number))
        p[some] = _exact(values, pairs, some, int(number), least[some], tolerance / n)
    return p


def _exact(
    values: FloatArray, pairs: Pairs, some: IntArray, n_apart: int, least: FloatArray, tolerance: float
) -> FloatArray:
    """The share of all 2^m signs that are as extreme, for pairs with m differences each; half of them are enough."""
    if n_apart == 0:
        return np.ones(len(some))
    bits = np.arange(2 ** (n_apart - 1))[:, None] >> np.arange(n_apart) & 1
    signs = 1.0 - 2 * bits  # the last sign is always +; the other half are these turned round
    p = np.empty(len(some))
    step = max(1, _AT_ONCE // len(signs))
    for start in range(0, len(some), step):
        part = some[start : start + step]
        z = values[pairs.first[part]] - values[pairs.second[part]]
        apart = np.abs(z) > tolerance
        held = z[apart].reshape(len(part), n_apart)
        p[start : start + step] = (np.abs(signs @ held.T) >= least[start : start + step]).mean(axis=0)
    return p


def shuffled_ranges(
    values: FloatArray, n_samples: int, generators: Generators, *, jobs: int = 1, done: Done = unwatched
) -> FloatArray:
    """The range of the row means in each sample, ascending, shape (n_samples,): Tukey's q, not studentised.

    The scores of each column are shuffled among the rows, (R, n).

    >>> shuffled_ranges(np.array([[0.1], [0.5], [0.2]]), 3, np.random.default_rng).round(12).tolist()
    [0.4, 0.4, 0.4]
    """
    columns = np.ascontiguousarray(values.T)

    def ranges(rng: np.random.Generator, size: int) -> FloatArray:
        means = np.zeros((size, len(values)))
        for column in columns:  # a column at a time stays in the cache
            means += rng.permuted(np.broadcast_to(column, means.shape), axis=1)
        largest: FloatArray = np.ptp(means, axis=1) / len(columns)
        return largest

    found: FloatArray = np.sort(np.concatenate(list(blocks(ranges, n_samples, generators, jobs=jobs, done=done))))
    return found


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
