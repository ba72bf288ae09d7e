"""Arrays of numbers: their types, and equality up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]

SINGLE_ROUNDING = 1e-6  # what sums in single precision may differ by
ROUNDING = 1e-12  # of the largest value; what differs by no more does so by rounding alone


def equalised(values: FloatArray, *, axis: int | None = None) -> FloatArray:
    """Values rounded to 1e-12 of the largest, any shape: what differs by the order of a sum alone is then equal.

    The largest is that of all finite values, or with an ``axis`` that of the values along it.

    >>> values = np.array([(0.6 + 0.08) / 2, (0.65 + 0.03) / 2])
    >>> bool(values[0] == values[1]), bool(equalised(values)[0] == equalised(values)[1])
    (False, True)
    """
    scale = np.abs(values).max(axis=axis, keepdims=True, initial=0.0, where=np.isfinite(values))
    scale[scale == 0] = 1.0
    settled: FloatArray = np.round(values / scale, 12) * scale
    return settled


def difference(a: FloatArray | float, b: FloatArray) -> FloatArray:
    """a - b, and exactly 0 where the two differ by the rounding of their last digits alone; any shapes that broadcast.

    >>> difference(0.45, np.array([(0.7 + 0.2) / 2, 0.2])).tolist()
    [0.0, 0.25]
    """
    gap: FloatArray = np.asarray(a - b, dtype=np.float64)
    gap[np.abs(gap) <= 8 * np.finfo(np.float64).eps * np.maximum(np.abs(a), np.abs(b))] = 0.0
    return gap


def out_of_range(values: FloatArray, bounds: tuple[float, float]) -> BoolArray:
    """Where values are beyond the least or the largest, by more than rounding in single precision.

    >>> out_of_range(np.array([0.5, 1.0000001, 1.1]), (0.0, 1.0)).tolist()
    [False, False, True]
    """
    low, high = bounds
    return np.asarray((values < low - SINGLE_ROUNDING) | (values > high + SINGLE_ROUNDING))
