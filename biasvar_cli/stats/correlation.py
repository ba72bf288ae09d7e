"""Pearson, Spearman and Kendall correlations of vectors, or of many pairs of vectors at once.

scipy.stats has them for one pair, at 0.6 s of import. Here ``x`` and ``y`` have the same shape (..., n): the result has
the shape (...), and each of its values is what the two vectors alone give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, settle

LEAST_POINTS = 3  # two points always lie on a line: a correlation of them means nothing


@dataclass(frozen=True)
class Correlations:
    """Pearson's r, Spearman's rho and Kendall's tau-b, each in [-1, 1], nan where undefined."""

    pearson: float
    spearman: float
    kendall: float


UNDEFINED = Correlations(float("nan"), float("nan"), float("nan"))


def correlations(x: FloatArray, y: FloatArray) -> Correlations:
    """The three correlations of two vectors, shape (n,).

    All are nan for n < 3, for a vector that is constant up to rounding, and where a value is not finite.

    >>> round(correlations(np.array([0.0625, 0.0121, 0.0121]), np.array([0.01, 0.0676, 0.0961])).kendall, 4)
    -0.8165
    """
    return Correlations(*(each.item() for each in all_correlations(x, y)))


def all_correlations(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pearson's, Spearman's and Kendall's correlations of each row, (..., n) to three of (...); nan as above.

    >>> bias2 = np.array([[0.0625, 0.0121, 0.0121], [0.2, 0.2, 0.2]])
    >>> var = np.array([[0.01, 0.0676, 0.0961], [0.1, 0.2, 0.3]])
    >>> all_correlations(bias2, var)[2].round(4).tolist()
    [-0.8165, nan]
    """
    return pearson(x, y), spearman(x, y), kendall(x, y)


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's product-moment correlation, (..., n) to (...); nan where it is undefined.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2) (Sakai 2013, slide 38).

    >>> pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 5])).round(6)
    np.float64(0.982708)
    """
    defined, a, b = _defined_rows(x, y)
    dx, dy = _deviations(a), _deviations(b)
    squares = (dx * dx).sum(axis=1) * (dy * dy).sum(axis=1)
    return _placed(np.clip((dx * dy).sum(axis=1) / np.sqrt(squares), -1, 1), defined)


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rank correlation, (..., n) to (...): Pearson's of the mid-ranks; nan where it is undefined.

    >>> spearman(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1])).round(6)
    np.float64(-0.948683)
    """
    defined, a, b = _defined_rows(x, y)
    return _placed(pearson(mid_ranks(a), mid_ranks(b)), defined)


def kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's tau-b, (..., n) to (...); nan where it is undefined. Time O(n^2) and memory O(n) for each row.

    tau_b = (concordant - discordant) / sqrt((pairs - ties in x)(pairs - ties in y)). Signs are bytes, and the rows lie
    next to each other: 500 rows of 143 values take 0.03 s.

    >>> kendall(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1])).round(6)
    np.float64(-0.912871)
    """
    defined, *rows = _defined_rows(x, y)
    a, b = (np.ascontiguousarray((2 * mid_ranks(each)).astype(np.int32).T) for each in rows)
    score, untied_a, untied_b = (np.zeros(a.shape[1], dtype=np.int64) for _ in range(3))
    for i in range(1, len(a)):
        sign_a, sign_b = _signs(a[i], a[:i]), _signs(b[i], b[:i])
        score += (sign_a * sign_b).sum(axis=0)
        untied_a += np.count_nonzero(sign_a, axis=0)
        untied_b += np.count_nonzero(sign_b, axis=0)
    return _placed(np.clip(score / np.sqrt(untied_a.astype(np.float64) * untied_b), -1, 1), defined)


def mid_ranks(x: FloatArray) -> FloatArray:
    """The ranks from 1 within each row, ties (up to rounding) at their mean rank: (B, n) gives (B, n).

    >>> mid_ranks(np.array([[0.2, 0.1, 0.2, 0.4]])).tolist()
    [[2.5, 1.0, 2.5, 4.0]]
    """
    values, place = settle(x, axis=1), np.arange(x.shape[1])
    order = np.argsort(values, axis=1)  # of equal values in any order: they get one rank
    ordered = np.take_along_axis(values, order, axis=1)
    apart = ordered[:, 1:] != ordered[:, :-1]
    first, last = np.zeros(x.shape, dtype=np.int64), np.full(x.shape, x.shape[1] - 1)
    np.maximum.accumulate(np.where(apart, place[1:], 0), axis=1, out=first[:, 1:])
    np.minimum.accumulate(np.where(apart, place[:-1], place[-1:])[:, ::-1], axis=1, out=last[:, -2::-1])
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def weighted_pearson(x: FloatArray, y: FloatArray, share: FloatArray | None = None) -> FloatArray:
    """Pearson's correlation of each row of x and y, (B, R) or one (R,) for all, with weights (B, R) that are >= 0.

    Without weights all are equal. nan where it is undefined: fewer than three values, and where all that have a weight
    are equal up to rounding.

    >>> x, y = np.array([1.0, 2, 3, 4, 9]), np.array([1.0, 2, 3, 5, 0])
    >>> weighted_pearson(x, y, np.array([[1.0, 1, 1, 1, 0], [0, 1, 0, 0, 0]])).round(6).tolist()
    [0.982708, nan]
    """
    n_runs = x.shape[-1]
    weights = np.full((1, n_runs), 1 / n_runs) if share is None else share / share.sum(axis=1, keepdims=True)
    scaled = []
    for values in (np.atleast_2d(x), np.atleast_2d(y)):
        largest = np.abs(values).max(axis=1, keepdims=True)
        unit = values / np.where(largest > 0, largest, 1.0)  # no square overflows or underflows
        scaled.append(unit - (unit * weights).sum(axis=1, keepdims=True))
    dx, dy = scaled
    xx, yy, xy = ((product * weights).sum(axis=1) for product in (dx * dx, dy * dy, dx * dy))
    defined = (np.minimum(xx, yy) > ROUNDING**2) & (n_runs >= LEAST_POINTS)
    r: FloatArray = np.clip(np.divide(xy, np.sqrt(xx * yy), out=np.full(len(xy), np.nan), where=defined), -1, 1)
    return r


def _defined_rows(x: FloatArray, y: FloatArray) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Where a correlation is defined, (...), and the rows of x and y there, (B, n) each.

    Rows must have three values, all finite, and not be constant up to rounding.
    """
    if x.shape[-1] < LEAST_POINTS:
        nothing = np.empty((0, LEAST_POINTS))
        return np.zeros(x.shape[:-1], dtype=bool), nothing, nothing
    a, b = x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1])
    defined = np.asarray((np.isfinite(a) & np.isfinite(b)).all(axis=1))
    for values in (a, b):
        defined[defined] = np.ptp(settle(values[defined], axis=1), axis=1) > 0
    return defined.reshape(x.shape[:-1]), a[defined], b[defined]


def _placed(found: FloatArray, defined: BoolArray) -> FloatArray:
    """The values found where they are defined, nan elsewhere; one number, not an array, for two vectors."""
    placed = np.full(defined.shape, np.nan)
    placed[defined] = found
    return placed[()]


def _deviations(x: FloatArray) -> FloatArray:
    """Each row minus its mean, over the largest deviation, so that no square underflows."""
    deviations: FloatArray = x - x.mean(axis=1, keepdims=True)
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    return deviations


def _signs(one: np.ndarray[Any, np.dtype[np.int32]], others: np.ndarray[Any, np.dtype[np.int32]]) -> Any:
    """The sign of one - others as bytes."""
    return (one > others).view(np.int8) - (one < others).view(np.int8)
