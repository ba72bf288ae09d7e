"""Paired tests of many rows of differences at once: t, Wilcoxon, sign; effect sizes and numbers of queries.

Sources: Student, Biometrika 6, 1908; Wilcoxon, Biometrics Bulletin 1, 1945; Sakai 2013, slides 42 to 46; for the number
of queries Guenther, The American Statistician 35, 1981, as in Sakai, Information Retrieval Journal 19, 2016.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray
from biasvar_cli.stats.correlation import mid_ranks
from biasvar_cli.stats.student import t_test_p
from biasvar_cli.stats.variance import population_variance

_DECIMALS = 10  # to which differences are rounded before they are ranked


class PairedT(NamedTuple):
    """Mean, standard deviation (divisor n - 1) and t of each row, shape (k,), and the degrees of freedom."""

    mean: FloatArray
    sd: FloatArray
    t: FloatArray
    df: int

    @property
    def p(self) -> FloatArray:
        """The two-sided p-value of each row, shape (k,); computed where it is asked for."""
        return t_test_p(self.t, self.df)


def paired_t(z: FloatArray) -> PairedT:
    """Student's test that the mean of each row is 0, of (k, n), n >= 2.

    A row that is constant up to rounding has no spread: t is 0 and p 1 if its mean is 0, else t is infinite and p 0.

    Two systems on 20 queries (Sakai's book): t(19) = 2.1158, p = .0478.

    >>> x = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
    >>> y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
    >>> found = paired_t(np.array([x]) - np.array([y]))
    >>> found.t.round(4).tolist(), found.p.round(4).tolist()
    ([2.1158], [0.0478])
    """
    n = z.shape[1]
    largest = np.abs(z).max(axis=1, initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)
    unit = z / scale[:, None]
    mean = unit[:, 0] + (unit - unit[:, :1]).mean(axis=1)
    mean[np.abs(mean) <= ROUNDING] = 0.0
    sd = np.sqrt(population_variance(unit) * n / (n - 1))
    sd[np.ptp(unit, axis=1) <= ROUNDING] = 0.0
    t = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    np.divide(mean * np.sqrt(n), sd, out=t, where=sd > 0)
    return PairedT(mean * scale, sd * scale, t, n - 1)


def wilcoxon_p(z: FloatArray) -> FloatArray:
    """Wilcoxon's signed rank test of each row, two-sided, (k, n) to (k,).

    Differences are rounded to 1e-10, those of 0 dropped, the others ranked by size with ties at their mean rank. The
    distribution is normal with the correction for ties and without that for continuity, as in R with exact = FALSE and
    correct = FALSE; with fewer than ten differences that is rough. A row of zeros has p 1.

    >>> wilcoxon_p(np.array([[0.1, 0.2, -0.3, 0.4, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0]])).round(6).tolist()  # W- = 3
    [0.224916, 1.0]
    """
    from scipy.special import ndtr

    size = np.abs(z).round(_DECIMALS)
    zeros = np.count_nonzero(size == 0, axis=1)
    n = z.shape[1] - zeros
    ranks = np.where(size > 0, mid_ranks(size) - zeros[:, None], 0.0)
    positive = np.where(z > 0, ranks, 0.0).sum(axis=1)
    # the sum of squared mid-ranks has the correction for ties in it: n (n + 1) (2 n + 1) / 6 - sum (t^3 - t) / 12
    variance = (ranks**2).sum(axis=1) / 4
    deviation = np.abs(positive - n * (n + 1) / 4)
    score = np.divide(deviation, np.sqrt(variance), out=np.zeros(len(z)), where=variance > 0)
    p: FloatArray = np.minimum(2 * ndtr(-score), 1.0)
    return p


def sign_p(z: FloatArray, zero: float = 0.0) -> FloatArray:
    """The sign test of each row, two-sided and exact, (k, n) to (k,); differences of at most ``zero`` are dropped.

    p = min(1, 2 P(X <= min(n+, n-))) for X binomial with n+ + n- trials of 1/2. Ten of fifteen have p .3018:

    >>> sign_p(np.array([[1.0] * 10 + [-1.0] * 5 + [0.0]])).round(4).tolist()
    [0.3018]
    """
    from scipy.special import bdtr

    above, below = np.count_nonzero(z > zero, axis=1), np.count_nonzero(z < -zero, axis=1)
    p: FloatArray = np.minimum(2 * bdtr(np.minimum(above, below).astype(float), above + below, 0.5), 1.0)
    return p


def queries_needed(difference: float, sd: float, *, level: float, power: float) -> float:
    """n = ((z_(1 - a/2) + z_power) sd / difference)^2 + z_(1 - a/2)^2 / 2, a = 1 - level; not rounded up.

    >>> round(queries_needed(0.05, 0.1, level=0.95, power=0.8), 2)  # (1.959964 + .841621)^2 / .25 + 1.920729
    33.32
    """
    reach, extra = _reach(level, power)
    ratio = reach * sd / difference
    return ratio * ratio + extra  # infinite where ** would overflow


def detectable(n_queries: int, sd: float, *, level: float, power: float) -> float:
    """The difference that so many queries find with this power: sd (z_(1 - a/2) + z_power) / sqrt(n - z^2 / 2).

    nan where there are too few queries for any.

    >>> round(detectable(50, 0.169842, level=0.95, power=0.8), 6)
    0.068623
    """
    reach, extra = _reach(level, power)
    return sd * reach / float(np.sqrt(n_queries - extra)) if n_queries > extra else float("nan")


def _reach(level: float, power: float) -> tuple[float, float]:
    outer = NormalDist().inv_cdf((1 + level) / 2)
    return outer + NormalDist().inv_cdf(power), outer**2 / 2
