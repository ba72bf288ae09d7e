"""How often two runs change places on other queries, by how far apart they are.

Source: Voorhees and Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002 (Sakai 2013,
slide 51).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.pairs import Pairs
from biasvar_cli.stats.streams import Stream, generator

WIDTH, N_BINS = 0.01, 21  # the last bin is open
TOLERATED = 0.05  # of comparisons that are swaps
_AT_ONCE = 500  # splits


@dataclass(frozen=True, eq=False)
class Swaps:
    """Comparisons by the size of the difference on the first half: how many there are, and how many are swaps.

    ``low`` are the lower ends of the bins, ``n`` and ``swaps`` have the shape (21,). ``needed`` is the least lower end
    from which on at most 5 % of every bin are swaps, and ``share`` that of the comparisons that are as large; both are
    nan where there is none.
    """

    n_splits: int
    half: int
    low: FloatArray
    n: IntArray
    swaps: IntArray
    needed: float
    share: float

    @property
    def rate(self) -> FloatArray:
        """The share of swaps in each bin, nan for an empty one."""
        rate: FloatArray = np.divide(self.swaps, self.n, out=np.full(N_BINS, np.nan), where=self.n > 0)
        return rate


def swap_rates(values: FloatArray, *, n_splits: int = 1000, seed: int = 0, done: Done = unwatched) -> Swaps:
    """The swaps of all pairs of rows, (n_runs, n_queries), on random disjoint halves of the queries.

    A comparison is a pair on one split. It is a swap if the difference on the second half has the other sign; none of
    0 has a sign. ``done`` is called with the number of splits just finished. Raises `DataError` for fewer than
    two queries.

    >>> found = swap_rates(np.array([[0.5, 0.5, 0.5, 0.5], [0.45, 0.45, 0.45, 0.45]]), n_splits=10)
    >>> found.n[5], found.swaps.sum(), found.needed
    (np.int64(10), np.int64(0), 0.0)
    """
    n_runs, n_queries = values.shape
    half = n_queries // 2
    if half < 1:
        raise DataError("swaps are counted between two halves of the queries: at least 2 queries are needed, found 1")
    rng, least = generator(Stream.SWAPS, seed), ROUNDING * np.abs(values).max(initial=0.0)
    n, swaps = (np.zeros(N_BINS, dtype=np.int64) for _ in range(2))
    pairs = Pairs.of_all(n_runs)
    for start in range(0, n_splits, _AT_ONCE):
        size = min(_AT_ONCE, n_splits - start)
        order = rng.permuted(np.broadcast_to(np.arange(n_queries), (size, n_queries)), axis=1)
        first, second = (values @ _halves(order[:, begin : begin + half], n_queries).T for begin in (0, half))
        for row, place in pairs.fans():
            others = pairs.second[place]
            one, two = (_settled(each[row] - each[others], least) for each in (first, second))
            bins = np.minimum(np.abs(one) / WIDTH + 1e-9, N_BINS - 1).astype(np.int64).ravel()
            n += np.bincount(bins, minlength=N_BINS)
            swaps += np.bincount(bins[(one * two < 0).ravel()], minlength=N_BINS)
        done(size)
    low = np.round(WIDTH * np.arange(N_BINS), 2)
    ends = _needed(n, swaps)
    if ends is None:
        return Swaps(n_splits, half, low, n, swaps, float("nan"), float("nan"))
    return Swaps(n_splits, half, low, n, swaps, float(low[ends]), float(n[ends:].sum() / n.sum()))


def _halves(chosen: IntArray, n_queries: int) -> FloatArray:
    """The weights of the queries in each half, rows of sum 1."""
    weights = np.zeros((len(chosen), n_queries))
    np.put_along_axis(weights, chosen, 1 / chosen.shape[1], axis=1)
    return weights


def _settled(difference: FloatArray, least: float) -> FloatArray:
    difference[np.abs(difference) <= least] = 0.0
    return difference


def _needed(n: IntArray, swaps: IntArray) -> int | None:
    """The first bin from which on no bin has too many swaps; None where the last one has."""
    too_many = np.flatnonzero(swaps > TOLERATED * n)
    first = int(too_many[-1]) + 1 if len(too_many) else 0
    return first if first < N_BINS and n[first:].any() else None
