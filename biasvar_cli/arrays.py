"""Arrays of numbers: their types, and equality, order and bounds up to rounding."""

from collections.abc import Sequence
from typing import Any

import numpy as np

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]

SINGLE_ROUNDING = 1e-6  # what sums in single precision may differ by
ROUNDING = 1e-12  # of the largest value; what differs by no more does so by rounding alone


def equalised(values: FloatArray, *, axis: int | None = None) -> FloatArray:
    """Values, any shape, of which all that are equal up to rounding are the least of them, and those near 0 are 0.

    Two are equal where they, or they and others between them, lie no farther apart than 1e-12 of the largest finite
    value, of all or with an ``axis`` of the values along it. What differs by the order of a sum alone is then equal.
    (Values rounded to a grid would not do: two that differ in their last digit can lie on both sides of its bounds.)

    >>> values = np.array([(0.6 + 0.08) / 2, (0.65 + 0.03) / 2])
    >>> bool(values[0] == values[1]), bool(equalised(values)[0] == equalised(values)[1])
    (False, True)
    """
    if not values.size:
        return values.copy()
    along = values if axis is None else np.moveaxis(values, axis, -1)
    rows = along.reshape(1, -1) if axis is None else along.reshape(-1, along.shape[-1])
    n_rows, n = rows.shape
    starts = np.arange(n_rows)[:, None] * n
    order = np.argsort(rows, axis=1, kind="stable") + starts
    ordered = rows.ravel()[order]
    first = np.zeros(rows.shape, dtype=np.int64)
    np.maximum.accumulate(np.where(rises(ordered), np.arange(1, n), 0), axis=1, out=first[:, 1:])
    least = ordered.ravel()[first + starts]
    least[np.abs(least) <= _rounding(ordered)] = 0.0
    equal = np.empty(rows.size)
    equal[order] = least
    equal = equal.reshape(along.shape)
    return equal if axis is None else np.moveaxis(equal, -1, axis)


def settled(values: FloatArray, rounding: float) -> FloatArray:
    """Values, any shape, of which those that are no larger than ``rounding`` are 0.

    >>> settled(np.array([0.3 - 0.1 - 0.2, 0.1]), 1e-12).tolist()
    [0.0, 0.1]
    """
    return np.where(np.abs(values) <= rounding, 0.0, values)


def rises(ordered: FloatArray) -> BoolArray:
    """Where values in ascending order differ from the one before by more than rounding, (..., n) to (..., n - 1).

    >>> rises(np.array([0.1 + 0.2, 0.3, 0.4, np.inf, np.inf])[[1, 0, 2, 3, 4]]).tolist()
    [False, True, True, False]
    """
    lower, upper = ordered[..., :-1], ordered[..., 1:]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((upper != lower) & ~(upper - lower <= _rounding(ordered)))


def _rounding(ordered: FloatArray) -> FloatArray:
    """What is rounding beside the largest finite value of each row in ascending order, (..., n) to (..., 1)."""
    largest: FloatArray = np.maximum(np.abs(ordered[..., :1]), np.abs(ordered[..., -1:]))
    if not np.isfinite(largest).all():
        largest = np.abs(ordered).max(axis=-1, keepdims=True, initial=0.0, where=np.isfinite(ordered))
    return ROUNDING * largest


def is_least(values: FloatArray, *, axis: int | None = None) -> BoolArray:
    """Where values are the least of all, or with an ``axis`` of those along it, up to rounding; nan never is.

    >>> is_least(np.array([(0.65 + 0.03) / 2, 0.4, (0.6 + 0.08) / 2])).tolist()
    [True, False, True]
    """
    equal = equalised(values, axis=axis)
    keep = axis is not None
    return np.asarray(equal == np.min(equal, axis=axis, keepdims=keep, initial=np.inf, where=~np.isnan(equal)))


def ranks(values: FloatArray) -> IntArray:
    """The rank of each value, (n,), 1 for the least; values that are equal up to rounding share the lower rank.

    >>> ranks(np.array([0.4, (0.65 + 0.03) / 2, (0.6 + 0.08) / 2])).tolist()
    [3, 1, 1]
    """
    equal = equalised(values)
    return np.asarray(np.searchsorted(np.sort(equal), equal) + 1, dtype=np.int64)


def in_stable_order(values: FloatArray) -> IntArray:
    """The places of values from the least up along the last axis; those that are equal up to rounding keep their order.

    >>> in_stable_order(np.array([0.4, (0.65 + 0.03) / 2, (0.6 + 0.08) / 2])).tolist()
    [1, 2, 0]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    if (rises(ordered) | (ordered[..., 1:] == ordered[..., :-1])).all():  # nothing differs by rounding alone
        return order
    return np.argsort(equalised(values, axis=-1), axis=-1, kind="stable")


def in_order(values: FloatArray, names: Sequence[str]) -> list[int]:
    """The places of the values, (n,), from the least up; those that are equal up to rounding by their names.

    >>> in_order(np.array([0.4, (0.65 + 0.03) / 2, (0.6 + 0.08) / 2]), ["a", "c", "b"])
    [2, 1, 0]
    """
    equal = equalised(values).tolist()
    return sorted(range(len(equal)), key=lambda row: (equal[row], names[row]))


def is_below(values: FloatArray, bound: float) -> BoolArray:
    """Where values, (n,), are less than a bound, such as their median, by more than rounding.

    >>> is_below(np.array([0.2, 0.1 + 0.2, 0.3, 0.4]), 0.1 + 0.2).tolist()
    [True, False, False, False]
    """
    equal = equalised(np.append(values, bound))
    return np.asarray(equal[:-1] < equal[-1])


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
