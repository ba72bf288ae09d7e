"""Pearson, Spearman and Kendall correlations on arrays. scipy.stats has them too, at 0.6 s of import."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, settle

_LEAST = 3  # two points always lie on a line: a correlation of them means nothing


@dataclass(frozen=True)
class Correlations:
    """Pearson's r, Spearman's rho and Kendall's tau-b, each in [-1, 1], nan where undefined."""

    pearson: float
    spearman: float
    kendall: float


def correlations(x: FloatArray, y: FloatArray) -> Correlations:
    """The three correlations of two vectors of shape (n,).

    All are nan for n < 3, for a constant vector, and where a value is nan.

    >>> round(correlations(np.array([0.0625, 0.0121, 0.0121]), np.array([0.01, 0.0676, 0.0961])).kendall, 4)
    -0.8165
    """
    return Correlations(pearson(x, y), spearman(x, y), kendall(x, y))


def pearson(x: FloatArray, y: FloatArray) -> float:
    """Pearson's product-moment correlation of two vectors of shape (n,); nan if it is undefined.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2) (Sakai 2013, slide 38).

    >>> round(pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 5])), 6)
    0.982708
    """
    if not _defined(x, y):
        return float("nan")
    dx, dy = x - x.mean(), y - y.mean()
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()  # no square underflows
    return float(np.clip(np.sum(dx * dy) / np.sqrt(np.sum(dx * dx) * np.sum(dy * dy)), -1, 1))


def spearman(x: FloatArray, y: FloatArray) -> float:
    """Spearman's rank correlation: Pearson's of the ranks, ties at their mean rank; nan if it is undefined.

    >>> round(spearman(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1])), 6)
    -0.948683
    """
    return pearson(_ranks(x), _ranks(y)) if _defined(x, y) else float("nan")


def kendall(x: FloatArray, y: FloatArray) -> float:
    """Kendall's tau-b; nan if it is undefined.

    tau_b = (concordant - discordant) / sqrt((pairs - ties in x)(pairs - ties in y)). Time O(n^2), memory O(n).

    >>> round(kendall(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1])), 6)
    -0.912871
    """
    if not _defined(x, y):
        return float("nan")
    x, y = _ranks(x), _ranks(y)
    score, untied_x, untied_y = 0.0, 0, 0
    for i in range(1, len(x)):
        dx, dy = np.sign(x[i] - x[:i]), np.sign(y[i] - y[:i])
        score += float(np.sum(dx * dy))
        untied_x += int(np.count_nonzero(dx))
        untied_y += int(np.count_nonzero(dy))
    return float(np.clip(score / np.sqrt(untied_x * untied_y), -1, 1))


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
    defined = (np.minimum(xx, yy) > ROUNDING**2) & (n_runs >= _LEAST)
    r: FloatArray = np.clip(np.divide(xy, np.sqrt(xx * yy), out=np.full(len(xy), np.nan), where=defined), -1, 1)
    return r


def _defined(x: FloatArray, y: FloatArray) -> bool:
    """Whether both vectors are long enough, without nan, and not constant up to rounding."""
    if len(x) < _LEAST or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return False
    return all(np.ptp(settle(v)) > 0 for v in (x, y))


def _ranks(x: FloatArray) -> FloatArray:
    """Ranks from 1, ties (up to rounding) at their mean rank; shape (n,)."""
    values = settle(x)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ranks = np.empty(len(x))
    ranks[order] = (np.searchsorted(ordered, ordered) + np.searchsorted(ordered, ordered, side="right") + 1) / 2
    return ranks
