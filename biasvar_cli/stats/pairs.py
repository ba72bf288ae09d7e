"""Which rows of a matrix are compared with which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray


class Pairs(NamedTuple):
    """The places of both rows of each pair, shape (k,); pairs of one first row follow each other."""

    first: IntArray
    second: IntArray

    @classmethod
    def of_all(cls, n_rows: int) -> Pairs:
        """Every pair once.

        >>> pairs = Pairs.of_all(3)
        >>> pairs.first.tolist(), pairs.second.tolist()
        ([0, 0, 1], [1, 2, 2])
        """
        first, second = np.triu_indices(n_rows, 1)
        return cls(first.astype(np.int64), second.astype(np.int64))

    @classmethod
    def against(cls, n_rows: int, baseline: int) -> Pairs:
        """Every other row with one.

        >>> pairs = Pairs.against(3, 1)
        >>> pairs.first.tolist(), pairs.second.tolist()
        ([1, 1], [0, 2])
        """
        others = np.delete(np.arange(n_rows), baseline)
        return cls(np.full(len(others), baseline), others)

    def fans(self) -> Iterator[tuple[int, slice]]:
        """Each first row once, and where its pairs stand.

        >>> list(Pairs.of_all(3).fans())
        [(0, slice(0, 2, None)), (1, slice(2, 3, None))]
        """
        starts = np.flatnonzero(np.diff(self.first, prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(self.first)], strict=True):
            yield int(self.first[start]), slice(int(start), int(end))

    def differences(self, values: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """First minus second row, by first rows: where these pairs stand, and their differences, (.., n)."""
        for row, place in self.fans():
            yield place, values[row] - values[self.second[place]]
