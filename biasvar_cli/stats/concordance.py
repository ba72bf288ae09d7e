"""How many pairs of values two rankings put in one order, for many rankings at once and without looking at each pair.

Source: counting by merging, as in Knight, "A computer method for calculating Kendall's tau with ungrouped data",
Journal of the American Statistical Association 61, 1966.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biasvar_cli.arrays import IntArray

_BLOCK = 64  # values that are compared with each other one by one; no count of theirs exceeds a byte
_NARROW = 2**15  # values up to which 32 bits hold a sum of places


def concordance(x: IntArray, y: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Concordant minus discordant pairs, and the pairs not tied in x and not tied in y: (B, n) to three of (B,).

    Both hold integers from 0 to less than 2^31. Time O(n log n) for each row.

    Of six pairs one is tied in x, and the other five are in opposite orders:

    >>> [each.tolist() for each in concordance(np.array([[1, 2, 2, 4]]), np.array([[4, 3, 2, 1]]))]
    [[-5], [5], [6]]
    """
    pairs = (x << 31) | y
    pairs.sort(axis=1)  # by x, equal ones by y: what then stands in the wrong order in y is discordant
    tied_x, tied_y, tied_both = _tied(pairs >> 31), _tied(np.sort(y, axis=1)), _tied(pairs)
    discordant = inversions(pairs & (2**31 - 1))
    n_pairs = x.shape[1] * (x.shape[1] - 1) // 2
    score: IntArray = n_pairs - tied_x - tied_y + tied_both - 2 * discordant
    return score, n_pairs - tied_x, n_pairs - tied_y


def inversions(y: IntArray) -> IntArray:
    """How many pairs of each row have the larger value first, (B, n) to (B,); integers from 0 to less than 2^31.

    Blocks of at most 64 values are compared value by value. Then neighbouring blocks are joined until one is left. A
    value of the left one at place p of the joined and sorted block has p minus its place on the left as values of the
    right one before it, which are less; equal ones are sorted behind it.

    >>> inversions(np.array([[4, 2, 3, 1], [1, 2, 2, 3]])).tolist()
    [5, 0]
    """
    n_rows, n = y.shape
    n_blocks = 1
    while n_blocks * _BLOCK < n:
        n_blocks *= 2
    width = -(-n // n_blocks)
    most = int(y.max(initial=0))
    kind: Any = np.int32 if n < _NARROW and most < 2**30 else np.int64
    values = np.full((n_rows, n_blocks * width), most, dtype=kind)  # what is filled up stands last and is in order
    values[:, :n] = y
    count: IntArray = _within(values.reshape(n_rows * n_blocks, width)).reshape(n_rows, n_blocks).sum(axis=1)
    while n_blocks > 1:
        n_blocks //= 2
        joined = values.reshape(n_rows, n_blocks, 2, width)
        joined <<= 1
        joined[:, :, 1] |= 1  # the block that a value is of
        values = joined.reshape(n_rows, n_blocks, 2 * width)
        values.sort(axis=2)
        places, own = width * (2 * width - 1), width * (width - 1) // 2  # sums over both blocks, and on the left
        of_right = ((values & 1) @ np.arange(2 * width, dtype=kind)).sum(axis=1, dtype=np.int64)
        count += n_blocks * (places - own) - of_right
        values >>= 1
        width *= 2
    return count


def _tied(ordered: IntArray) -> IntArray:
    """How many pairs of each row are equal, (B, n) in ascending order to (B,)."""
    equal = ordered[:, 1:] == ordered[:, :-1]
    if not equal.any():
        return np.zeros(len(ordered), dtype=np.int64)
    place = np.arange(ordered.shape[1])
    first = np.zeros(ordered.shape, dtype=np.int64)
    np.maximum.accumulate(np.where(equal, 0, place[1:]), axis=1, out=first[:, 1:])
    tied: IntArray = (place - first).sum(axis=1)
    return tied


def _within(blocks: IntArray) -> IntArray:
    """The inversions of short rows, at most 64 values each, (M, k) to (M,)."""
    columns = np.ascontiguousarray(blocks.T)
    count = np.zeros(columns.shape[1], dtype=np.int64)
    for place in range(1, len(columns)):
        above = columns[:place] > columns[place]
        count += np.add.reduce(above.view(np.int8), axis=0, dtype=np.int8)
    return count
