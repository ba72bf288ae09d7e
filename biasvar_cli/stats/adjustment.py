"""p-values adjusted for many comparisons; those that are nan were not tested and do not count.

Sources: Holm, Scandinavian Journal of Statistics 6, 1979; Benjamini and Hochberg, Journal of the Royal Statistical
Society B 57, 1995.
"""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Holm's adjusted p of each of some p, shape (k,): the chance of any false rejection is at most the level.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none is below the one before it, nor above 1.
    By hand, .01 * 3, .03 * 2, and .04 * 1, which is raised to .06:

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).round(6).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    order = _tested(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)), 1)
    return adjusted


def bonferroni(p: FloatArray) -> FloatArray:
    """Each p times their number, at most 1, shape (k,).

    >>> bonferroni(np.array([0.01, 0.04, np.nan, 0.5])).round(6).tolist()
    [0.03, 0.12, nan, 1.0]
    """
    adjusted: FloatArray = np.minimum(p * np.count_nonzero(~np.isnan(p)), 1)
    return adjusted


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Each p times m / rank, from the largest down none above the one after it, shape (k,): the false discovery rate.

    By hand, .01 * 3 / 1, .03 * 3 / 2 and .04 * 3 / 3; the second is lowered to the third:

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03])).round(6).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    order = _tested(p)
    adjusted = np.full(p.shape, np.nan)
    raised = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1)
    return adjusted


def _tested(p: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The places of the p that are numbers, in ascending order of p."""
    return np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
