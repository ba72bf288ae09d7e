"""Pearson, Spearman and Kendall correlations of vectors, or of many pairs of vectors at once.

scipy.stats has them for one pair, at 0.6 s of import. Here ``x`` and ``y`` have the same shape (..., n): the result has
the shape (...), and each of its values is what the two vectors alone give.

Sources of tau_AP: Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval", SIGIR
2008; ties as the mean over all orders of what is tied: Urbano and Marrero, "The treatment of ties in AP correlation",
ICTIR 2017, for ties in the first ranking (their tau_AP,a), and here in both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, equalised
from biasvar_cli.stats.concordance import concordance

LEAST_POINTS = 3  # two points always lie on a line: a correlation of them means nothing
_SLICE = 2**16  # values that are ranked at a time


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
    pearsons, spearmans, kendalls = _by_row(lambda a, b: (_pearson(a, b), *_of_ranks(a, b)), x, y, 3)
    return pearsons, spearmans, kendalls


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's product-moment correlation, (..., n) to (...); nan where it is undefined.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2) (Sakai 2013, slide 38).

    >>> pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 5])).round(6)
    np.float64(0.982708)
    """
    return _by_row(lambda a, b: (_pearson(a, b),), x, y, 1)[0]


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rank correlation, (..., n) to (...): Pearson's of the mid-ranks; nan where it is undefined.

    >>> spearman(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1])).round(6)
    np.float64(-0.948683)
    """
    return _by_row(lambda a, b: (_pearson(mid_ranks(a), mid_ranks(b)),), x, y, 1)[0]


def kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's tau-b, (..., n) to (...); nan where it is undefined. Time O(n log n) for each row.

    tau_b = (concordant - discordant) / sqrt((pairs - ties in x)(pairs - ties in y)).

    >>> kendall(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1])).round(6)
    np.float64(-0.912871)
    """
    return _by_row(lambda a, b: _of_ranks(a, b)[1:], x, y, 1)[0]


def mid_ranks(x: FloatArray) -> FloatArray:
    """The ranks from 1 within each row, ties (up to rounding) at their mean rank: (B, n) gives (B, n).

    >>> mid_ranks(np.array([[0.2, 0.1, 0.2, 0.4]])).tolist()
    [[2.5, 1.0, 2.5, 4.0]]
    """
    values, places = equalised(x, axis=1), np.arange(x.shape[1])
    order = np.argsort(values, axis=1)  # of equal values in any order: they get one rank
    ordered = np.take_along_axis(values, order, axis=1)
    differs = ordered[:, 1:] != ordered[:, :-1]
    ranks = np.empty(x.shape)
    if differs.all():
        np.put_along_axis(ranks, order, places[None] + 1.0, axis=1)
        return ranks
    first, last = np.zeros(x.shape, dtype=np.int64), np.full(x.shape, x.shape[1] - 1)
    np.maximum.accumulate(np.where(differs, places[1:], 0), axis=1, out=first[:, 1:])
    np.minimum.accumulate(np.where(differs, places[:-1], places[-1:])[:, ::-1], axis=1, out=last[:, -2::-1])
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


def _by_row(
    statistics: Callable[[FloatArray, FloatArray], tuple[FloatArray, ...]],
    x: FloatArray,
    y: FloatArray,
    n_statistics: int,
) -> list[FloatArray]:
    """``statistics`` of the rows of x and y, (..., n) to so many of (...): nan where no correlation is defined.

    Some rows at a time, few enough for the cache. One number, not an array, for two vectors.
    """
    n = x.shape[-1]
    if n < LEAST_POINTS:
        return [np.full(x.shape[:-1], np.nan)[()]] * n_statistics
    rows, others = (np.ascontiguousarray(values.reshape(-1, n)) for values in (x, y))
    result = np.full((n_statistics, len(rows)), np.nan)
    step = max(1, _SLICE // n)
    for start in range(0, len(rows), step):
        a, b = rows[start : start + step], others[start : start + step]
        defined = _defined(a, b)
        result[:, start + np.flatnonzero(defined)] = statistics(a[defined], b[defined])
    return [values.reshape(x.shape[:-1])[()] for values in result]


def _defined(a: FloatArray, b: FloatArray) -> BoolArray:
    """Which rows have a correlation, (B, n) to (B,): finite values that are not constant up to rounding."""
    defined = np.asarray((np.isfinite(a) & np.isfinite(b)).all(axis=1))
    for values in (a, b):
        defined[defined] = np.ptp(equalised(values[defined], axis=1), axis=1) > 0
    return defined


def _pearson(a: FloatArray, b: FloatArray) -> FloatArray:
    """Pearson's correlation of each row, (B, n) to (B,), where it is defined."""
    dx, dy = _deviations(a), _deviations(b)
    squares = (dx * dx).sum(axis=1) * (dy * dy).sum(axis=1)
    r: FloatArray = np.clip((dx * dy).sum(axis=1) / np.sqrt(squares), -1, 1)
    return r


def _of_ranks(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Spearman's and Kendall's correlation of each row, (B, n) to (B,) each, where they are defined."""
    ranks = mid_ranks(a), mid_ranks(b)
    score, untied_a, untied_b = concordance(*((2 * each).astype(np.int64) for each in ranks))
    return _pearson(*ranks), np.clip(score / np.sqrt(untied_a.astype(np.float64) * untied_b), -1, 1)


def _deviations(x: FloatArray) -> FloatArray:
    """Each row minus its mean, over the largest deviation, so that no square underflows."""
    deviations: FloatArray = x - x.mean(axis=1, keepdims=True)
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    return deviations


def tau_ap(places: FloatArray, other: FloatArray) -> float:
    """tau_AP of two rankings of the same N items, in which changes near the top weigh most.

    They are given as numbers of which the least is the first; shapes (N,).

    tau_AP = 2 / (N - 1) sum_{i=2}^{N} C(i) / (i - 1) - 1: of the items above the one at place i of the first ranking,
    C(i) stand above it in the other too. It is in [-1, 1], 1 for the same order and -1 for the reverse one, and not
    symmetric: the places, and so the weights, are those of the first ranking. Numbers that are equal up to rounding
    are tied: tau_AP is its mean over all orders of what is tied. Of t tied items after p others, the one at the k-th
    of their places has C(p + k) = A / t + (k - 1) / 2 in the mean, A the pairs of one of the t and one of the p that
    stand in the same order in the other ranking, a tie there being half a pair.

    nan for fewer than three items, for a ranking that is one tie, and where a number is not finite, as Kendall's.

    Of four items the other ranking has the last two in reverse: C is 1, 2, 2; with the first two it is 0, 2, 3.

    >>> first = np.array([1.0, 2, 3, 4])
    >>> round(tau_ap(first, np.array([1.0, 2, 4, 3])), 6)  # 2 / 3 (1 / 1 + 2 / 2 + 2 / 3) - 1
    0.777778
    >>> round(tau_ap(first, np.array([2.0, 1, 3, 4])), 6)  # 2 / 3 (0 + 2 / 2 + 3 / 3) - 1
    0.333333
    >>> round(tau_ap(first, np.array([1.0, 1, 3, 4])), 6)  # the mean of 1 / 3 and 1
    0.666667
    """
    n = len(places)
    if n < LEAST_POINTS or not (np.isfinite(places).all() and np.isfinite(other).all()):
        return float("nan")
    own, others = equalised(places), equalised(other)
    if np.ptp(own) == 0 or np.ptp(others) == 0:
        return float("nan")
    order = np.argsort(own, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(own[order])) + 1, n)
    above: list[float] = []
    total, start = 0.0, 0
    for end in ends.tolist():
        group = others[order[start:end]].tolist()
        agreeing = sum(bisect_left(above, value) + bisect_right(above, value) for value in group) / 2
        total += sum((agreeing / len(group) + k / 2) / (start + k) for k in range(len(group)) if start + k)
        for value in group:
            insort(above, value)
        start = end
    return min(1.0, max(-1.0, 2 * total / (n - 1) - 1))
