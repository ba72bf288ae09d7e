"""Pairs of rows in descending order of the sizes of their mean differences, and how many resamples reach each size.

A step of the step-down test (`stats.step_down`) is of one pair and all pairs after it. `Steps` takes any pairs one by
one. `StepsOfAllPairs` gives the same numbers for all pairs of R rows in a small part of the time: the largest
difference of a step, M(s) for the pairs whose sizes are at most s, is that of windows of rows in the order of their
means, and never falls as s grows. Between two sizes a < b, a resample with M(a) = M(b) = M reaches the sizes up to M
and no others. So M is taken for a few sizes, and only where it rises between two of them and within the range of their
own values are the pairs between them looked at.

In the order of the means, the rows that a row is still paired with follow it in a window, and its largest difference is
that from an extreme of the window. A table of the extremes over 1, 2, 4, ... rows gives these (Bender and
Farach-Colton, "The LCA problem revisited", LATIN 2000). For R rows a size costs R log R and not R^2 numbers a resample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.stats import paired, resampling
from biasvar_cli.stats.monte_carlo import Draws, Result, by_threads

TOLERANCE = 1e-10  # of the largest difference on a query; what differs by no more does so by rounding
_AT_ONCE = 2**19  # numbers of one array
_IN_CACHE = 2**16  # the same, where a table is made of it
_FIRST = 250  # resamples that show how large the differences get
_IN_MEMORY = 2**22  # numbers of all resamples that are kept for a second use: 32 MB


class Reached(NamedTuple):
    """How many resamples reach each observed size with the largest w* of its step, (n_pairs,).

    ``largest`` is the largest w* of the first step, of all pairs, in each resample, (n_samples,).
    """

    n_resamples: IntArray
    largest: FloatArray

    @classmethod
    def joined(cls, blocks: Iterable[Reached]) -> Reached:
        """The counts of all blocks of resamples together."""
        counts, largest = zip(*blocks, strict=True)
        return cls(np.sum(counts, axis=0), np.concatenate(largest))


class Steps:
    """Pairs of rows in descending order of the sizes of their mean differences, and resamples of these.

    ``order`` has the places of the pairs, (n_pairs,), ``least`` the number that a resample has to reach at each step.
    Resamples draw ``units``, clusters of queries or single ones. With ``others``, (R, N), a mean is that of a row
    and that of its others added up, and N of these are drawn too, apart.
    """

    def __init__(
        self,
        rows: FloatArray,
        pairs: paired.Pairs,
        clusters: Clusters | None = None,
        others: FloatArray | None = None,
    ) -> None:
        self.rows, self.others, self.pairs = rows, others, pairs
        self.means = rows.mean(axis=1) if others is None else rows.mean(axis=1) + others.mean(axis=1)
        self.units = units_of(rows.shape[1], clusters)
        size = np.abs(self.means[pairs.first] - self.means[pairs.second])
        self.order = np.argsort(-size, kind="stable")
        self.least = size[self.order] - TOLERANCE
        self._drifts: tuple[Draws | None, list[FloatArray]] = (None, [])

    def reached(self, draws: Draws) -> Reached:
        """How many resamples reach each observed size."""
        return Reached.joined(self._of_drifts(draws, self._reached))

    def largest(self, start: int, draws: Draws) -> FloatArray:
        """The largest w* of a step in each resample, (n_samples,)."""

        def largest(drift: FloatArray) -> FloatArray:
            return np.concatenate([sizes.max(axis=0) for sizes in self._sizes(drift, start)])

        return np.concatenate(list(self._of_drifts(draws, largest)))

    def _reached(self, drift: FloatArray) -> Reached:
        count, largest = np.zeros(len(self.order), dtype=np.int64), []
        for sizes in self._sizes(drift, 0):
            np.maximum.accumulate(sizes[::-1], axis=0, out=sizes[::-1])
            count += np.count_nonzero(sizes >= self.least[:, None], axis=1)
            largest.append(sizes[0].copy())
        return Reached(count, np.concatenate(largest))

    def _of_drifts(self, draws: Draws, work: Callable[[FloatArray], Result]) -> Iterator[Result]:
        """What ``work`` makes of the drift of each block of resamples; small drifts are kept for the next use."""
        before, kept = self._drifts
        if before == draws and kept:
            yield from by_threads(work, kept, draws.jobs)
            return

        def of_block(rng: np.random.Generator, n_drawn: int) -> tuple[FloatArray, Result]:
            drift = self._drift(self._weights(rng, n_drawn))
            return drift, work(drift)

        kept = []
        for drift, result in draws._replace(again=before == draws).blocks(of_block):
            if len(self.rows) * draws.n_samples <= _IN_MEMORY:
                kept.append(drift)
            yield result
        self._drifts = draws, kept

    def _weights(self, rng: np.random.Generator, n_drawn: int) -> list[FloatArray]:
        """The weights of the queries in resamples, (n_drawn, n), and of those of the others."""
        units = [self.units] if self.others is None else [self.units, self.others.shape[1]]
        return [next(resampling.resample_weights(some, n_drawn, rng)) for some in units]

    def _drift(self, weights: Sequence[FloatArray]) -> FloatArray:
        """The means of resamples less those of the data, (R, n_drawn)."""
        drift: FloatArray = self.rows @ weights[0].T
        if self.others is not None:
            drift += self.others @ weights[1].T
        drift -= self.means[:, None]
        return drift

    def _sizes(self, drift: FloatArray, start: int) -> Iterator[FloatArray]:
        """The size of w* of each pair from a step on, (n_pairs - start, some), for all resamples, some at a time."""
        pairs = self.order[start:]
        first, second = self.pairs.first[pairs], self.pairs.second[pairs]
        n_columns = max(1, _AT_ONCE // len(first))
        for at in range(0, drift.shape[1], n_columns):
            yield _differences(drift[:, at : at + n_columns], first, second)


class StepsOfAllPairs(Steps):
    """All pairs of R rows, (R, n), in descending order of the sizes of their mean differences, and resamples of these.

    >>> rows = np.random.default_rng(0).normal(size=(9, 30))
    >>> draws = Draws(500, np.random.default_rng)
    >>> one_by_one, in_windows = Steps(rows, paired.Pairs.of_all(9)), StepsOfAllPairs(rows)
    >>> [bool((one == other).all()) for one, other in zip(one_by_one.reached(draws), in_windows.reached(draws))]
    [True, True]
    """

    def __init__(self, rows: FloatArray, clusters: Clusters | None = None, others: FloatArray | None = None) -> None:
        super().__init__(rows, paired.Pairs.of_all(len(rows)), clusters, others)
        self.by_mean = np.argsort(self.means, kind="stable")

    def reached(self, draws: Draws) -> Reached:
        """How many resamples reach each observed size."""
        least = self.least[::-1]
        first = self._weights(draws.generators(0), min(draws.n_samples, _FIRST))
        ends = self._ends_of_bands(self._drift(first))
        starts = [0, *ends[:-1]]
        windows = [Windows.within(self.means[self.by_mean], self._size(end)) for end in ends]

        def reached(drift: FloatArray) -> tuple[list[tuple[IntArray, IntArray | int]], FloatArray]:
            """For each band the places up to which resamples reach, and counts of those that have to be looked at.

            Beside them the largest w* of all pairs.
            """
            largest = largest_differences(drift[self.by_mean], windows)
            lowest, bands = np.zeros(drift.shape[1]), []
            for start, end, low, high in zip(starts, ends, [lowest, *largest[:-1]], largest, strict=True):
                up_to, at_most = (start + np.searchsorted(least[start:end], value, "right") for value in (low, high))
                rising = up_to < at_most
                bands.append((up_to[~rising], self._reached_in(start, end, drift[:, rising], low[rising])))
            return bands, largest[-1]

        all_largest = []
        count = np.zeros(len(least), dtype=np.int64)
        up_to: list[list[IntArray]] = [[] for _ in ends]
        for bands, largest in self._of_drifts(draws, reached):
            all_largest.append(largest)
            for band, (ends_reached, counts) in enumerate(bands):
                up_to[band].append(ends_reached)
                count[starts[band] : ends[band]] += counts
        for start, end, parts in zip(starts, ends, up_to, strict=True):
            last = np.concatenate(parts)
            n_ended = np.cumsum(np.bincount(last - start, minlength=end - start + 1))[:-1]
            count[start:end] += len(last) - n_ended
        return Reached(count[::-1], np.concatenate(all_largest))

    def largest(self, start: int, draws: Draws) -> FloatArray:
        """The largest w* of a step in each resample, (n_samples,)."""
        size = self._size(len(self.order) - start)
        if start and self.least[start] == self.least[start - 1]:  # of pairs of one size some alone
            return super().largest(start, draws)
        windows = [Windows.within(self.means[self.by_mean], size)]

        def largest(drift: FloatArray) -> FloatArray:
            return largest_differences(drift[self.by_mean], windows)[0]

        return np.concatenate(list(self._of_drifts(draws, largest)))

    def _size(self, end: int) -> float:
        """The size of the last of the first ``end`` pairs in ascending order."""
        first, second = (rows[self.order[len(self.order) - end]] for rows in self.pairs)
        return float(abs(self.means[first] - self.means[second]))

    def _ends_of_bands(self, drift: FloatArray) -> list[int]:
        """Where bands of the pairs end, in ascending order of size; pairs of one size are in one band.

        The first band has the smallest size alone, the last one those that hardly any resample reaches: larger than any
        difference of the first resamples, whose ``drift`` this is. They are as many as make the work least.
        """
        least = self.least[::-1]
        n_reached = int(np.searchsorted(least, np.ptp(drift, axis=0).max(), "right"))
        n_bands = ceil(np.cbrt(len(self.rows))) + 1
        last = [0, *np.linspace(0, max(n_reached - 1, 0), n_bands + 1).astype(np.int64)[1:], len(least) - 1]
        return sorted({int(np.searchsorted(least, least[index], "right")) for index in last})

    def _reached_in(self, start: int, end: int, drift: FloatArray, low: FloatArray) -> IntArray | int:
        """How many of some resamples reach each size of a band, one by one, from the largest w* before the band on."""
        if not drift.shape[1]:
            return 0
        least = self.least[::-1][start:end]
        last_of_size = np.searchsorted(least, least, "right") - 1
        pairs = self.order[::-1][start:end]
        first, second = self.pairs.first[pairs], self.pairs.second[pairs]
        count = np.zeros(end - start, dtype=np.int64)
        n_columns = max(1, _AT_ONCE // len(first))
        for at in range(0, drift.shape[1], n_columns):
            sizes = _differences(drift[:, at : at + n_columns], first, second)
            np.maximum(sizes[0], low[at : at + n_columns], out=sizes[0])
            np.maximum.accumulate(sizes, axis=0, out=sizes)
            count += np.count_nonzero(sizes[last_of_size] >= least[:, None], axis=1)
        return count


def reached_together(families: Sequence[Steps], draws: Draws) -> list[Reached]:
    """`Steps.reached` of families of pairs of rows, all of the same queries, whose resamples are drawn once for all.

    >>> rows, draws = np.random.default_rng(0).normal(size=(6, 30)), Draws(500, np.random.default_rng)
    >>> families = [Steps(some, paired.Pairs.of_all(3)) for some in (rows[:3], rows[3:])]
    >>> together, alone = reached_together(families, draws), [family.reached(draws) for family in families]
    >>> [bool((one.n_resamples == other.n_resamples).all()) for one, other in zip(together, alone)]
    [True, True]
    """

    def reached(rng: np.random.Generator, n_drawn: int) -> list[Reached]:
        weights = families[0]._weights(rng, n_drawn)
        return [family._reached(family._drift(weights)) for family in families]

    blocks = []
    for block in draws.blocks(reached):
        draws.finished((len(families) - 1) * len(block[0].largest))
        blocks.append(block)
    return [Reached.joined(of_family) for of_family in zip(*blocks, strict=True)]


def _differences(drift: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """The sizes of the differences of pairs of rows, (n_pairs, some)."""
    rows = np.ascontiguousarray(drift)
    sizes = rows[first]
    sizes -= rows[second]
    return np.abs(sizes, out=sizes)


class Windows(NamedTuple):
    """The rows that each row is paired with, itself and those after it up to ``end``, (R,), in the order of the means.

    ``by_power`` has the rows whose windows are 2^1, 2^2, ... rows long, or longer than that and less than the double.
    """

    end: IntArray
    by_power: list[IntArray]

    @classmethod
    def within(cls, means: FloatArray, size: float) -> Windows:
        """The pairs whose means, (R,) in ascending order, are at most so far from each other."""
        n_paired = [np.searchsorted(means[first:] - mean, size, "right") for first, mean in enumerate(means)]
        end = np.arange(len(means)) + np.array(n_paired)
        power = np.frexp(end - np.arange(len(means)))[1] - 1
        return cls(end, [np.flatnonzero(power == number) for number in range(1, int(power.max(initial=0)) + 1)])


def largest_differences(drift: FloatArray, windows: Sequence[Windows]) -> FloatArray:
    """The largest size of a difference of two paired rows of (R, some), for each of the windows and each column.

    >>> means = np.array([0.0, 0.1, 0.5])
    >>> some, every = (Windows.within(means, size) for size in (0.2, 0.5))
    >>> largest_differences(np.array([[1.0], [4.0], [9.0]]), [some, every]).tolist()
    [[3.0], [8.0]]
    """
    n_columns = max(1, _IN_CACHE // len(drift))
    starts = range(0, drift.shape[1], n_columns)
    return np.concatenate([_largest(drift[:, at : at + n_columns].copy(), windows) for at in starts], axis=1)


def _largest(drift: FloatArray, windows: Sequence[Windows]) -> FloatArray:
    largest = np.zeros((len(windows), drift.shape[1]))
    highest = lowest = drift
    partial = []
    for row, window in enumerate(windows):
        if window.end[0] == len(drift):
            largest[row] = np.ptp(drift, axis=0)
        else:
            partial.append(row)
    for index in range(max((len(windows[row].by_power) for row in partial), default=0)):
        step = 2**index
        highest, lowest = np.maximum(highest[:-step], highest[step:]), np.minimum(lowest[:-step], lowest[step:])
        for row in partial:
            end, by_power = windows[row]
            first = by_power[index] if index < len(by_power) else by_power[:0]
            if len(first):
                last = end[first] - 2 * step
                above = np.maximum(highest[first], highest[last])
                above -= drift[first]
                below = np.minimum(lowest[first], lowest[last])
                np.subtract(drift[first], below, out=below)
                np.maximum(largest[row], np.maximum(above, below, out=above).max(axis=0), out=largest[row])
    return largest
