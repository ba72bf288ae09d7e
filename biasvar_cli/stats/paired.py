"""Rows that are compared in pairs, and the tests of single pairs that draw nothing: t, Wilcoxon, sign.

Student's t distribution comes from scipy.special, which is imported where it is used: a plain ``decompose`` does
without.

Sources: Student, "The probable error of a mean", Biometrika 6, 1908; Wilcoxon, Biometrics Bulletin 1, 1945; Sakai 2013,
slides 42 to 46; for the number of queries Guenther, The American Statistician 35, 1981, as in Sakai, Information
Retrieval Journal 19, 2016.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.stats import correlation, variance


def t_test_p(t: FloatArray | float, df: FloatArray | float) -> FloatArray:
    """P(abs(T) >= abs(t)), two-sided, for ``df`` >= 1 degrees of freedom; t of any shape, nan where t is nan.

    An infinite t has p = 0. With one degree of freedom p = 1 - 2 atan(t) / pi, with two 1 - t / sqrt(2 + t^2):

    >>> t_test_p(np.array([0.0, 1.0, -np.inf]), 1).round(12).tolist(), round(float(t_test_p(2.0, 2)), 6)
    ([1.0, 0.5, 0.0], 0.183503)
    """
    from scipy.special import betainc, stdtr

    assert np.all(np.asarray(df) >= 1), "a t statistic has at least one degree of freedom"
    size = np.abs(np.asarray(t, dtype=np.float64))
    small = np.minimum(size, 1.0) ** 2  # stdtr takes a t below 2^-27 for 0
    p, is_small = np.asarray(2 * stdtr(df, -size)), size < 1
    betainc(0.5, df / 2, small / (df + small), out=p, where=is_small)
    np.subtract(1, p, out=p, where=is_small)
    return p[()]


def t_quantile(probability: float, df: float) -> float:
    """The t below which Student's distribution has this probability, between 0 and 1.

    A central interval of 95 % reaches to the quantile of .975; Student's table has 2.093 for 19 degrees of freedom:

    >>> round(t_quantile(0.975, 19), 3), round(t_quantile(0.25, 1), 12), t_quantile(0.5, 3)
    (2.093, -1.0, 0.0)
    """
    from scipy.special import stdtrit

    assert 0 < probability < 1, "a quantile is of a probability between 0 and 1"
    return float(stdtrit(df, probability))


_DECIMALS = 10  # to which differences are rounded before they are ranked
_IN_CACHE = 2**17  # numbers of the differences that are worked on together


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
        for row, span in self.fans():
            yield span, values[row] - values[self.second[span]]


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
    >>> result = paired_t(np.array([x]) - np.array([y]))
    >>> result.t.round(4).tolist(), result.p.round(4).tolist()
    ([2.1158], [0.0478])
    """
    n = z.shape[1]
    largest = np.abs(z).max(axis=1, initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)
    unit = z / scale[:, None]
    mean = unit[:, 0] + (unit - unit[:, :1]).mean(axis=1)
    mean[np.abs(mean) <= ROUNDING] = 0.0
    sd = np.sqrt(variance.population_variance(unit) * n / (n - 1))
    sd[np.ptp(unit, axis=1) <= ROUNDING] = 0.0
    t = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    np.divide(mean * np.sqrt(n), sd, out=t, where=sd > 0)
    return PairedT(mean * scale, sd * scale, t, n - 1)


class Moments(NamedTuple):
    """What the differences of every pair give, first minus second row, (k,): t, and how many are above and below 0.

    t is that of clusters where queries are in clusters (`Clusters.terms`).
    """

    student: PairedT
    above: IntArray
    below: IntArray


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Rows of scores on the same queries, (R, n), that are compared in pairs: all of them, or all others with one.

    The queries are independent, or ``clusters`` of them are.
    """

    values: FloatArray
    baseline: int | None = None
    clusters: Clusters | None = None

    @cached_property
    def units(self) -> Clusters:
        """What is independent: clusters, or single queries."""
        return units_of(self.values.shape[1], self.clusters)

    @cached_property
    def of_clusters(self) -> PairedRows:
        """The rows with the sums over clusters, (R, C), scaled so that the means of the rows are the same."""
        if self.units.are_single:
            return self
        return PairedRows(self.units.sums(self.values) * (self.units.n / self.units.n_queries), self.baseline)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs; those with a baseline have it as the first row."""
        n_rows = len(self.values)
        return Pairs.of_all(n_rows) if self.baseline is None else Pairs.against(n_rows, self.baseline)

    @cached_property
    def tolerance(self) -> float:
        """What scores differ by through rounding alone."""
        return float(ROUNDING * np.abs(self.values).max(initial=0.0))

    def differences(self) -> Iterator[tuple[slice, FloatArray]]:
        """First minus second row, some pairs of one first row at a time: where they stand, and their differences."""
        n_together = max(1, _IN_CACHE // self.values.shape[1])
        for row, span in self.pairs.fans():
            for start in range(span.start, span.stop, n_together):
                some = slice(start, min(start + n_together, span.stop))
                z = self.values[row] - self.values[self.pairs.second[some]]
                z[np.abs(z) <= self.tolerance] = 0.0
                yield some, z

    @cached_property
    def moments(self) -> Moments:
        """The moments of all pairs, whose differences are not held in memory together."""
        n_pairs = len(self.pairs.first)
        mean, sd, t = (np.empty(n_pairs) for _ in range(3))
        above, below = (np.empty(n_pairs, dtype=np.int64) for _ in range(2))
        for span, z in self.differences():
            mean[span], sd[span], t[span], _ = paired_t(self.units.terms(z))
            above[span], below[span] = (np.count_nonzero(sides, axis=1) for sides in (z > 0, z < 0))
        return Moments(PairedT(mean, sd, t, self.units.n - 1), above, below)


class Tested(NamedTuple):
    """What a test of pairs gives: p, (k,), and the critical difference of one of all pairs together, else None."""

    p: FloatArray
    critical: float | None = None

    @property
    def half_width(self) -> float | None:
        """Half the width of simultaneous intervals, which is the critical difference of a test in one step."""
        return self.critical


def t_test(rows: PairedRows) -> Tested:
    """Student's test of every pair."""
    return Tested(rows.moments.student.p)


def wilcoxon_test(rows: PairedRows) -> Tested:
    """Wilcoxon's test of every pair."""
    return Tested(np.concatenate([_wilcoxon_p(z) for _, z in rows.differences()]))


def sign_test(rows: PairedRows) -> Tested:
    """The sign test of every pair."""
    return Tested(sign_p(rows.moments.above, rows.moments.below))


def _wilcoxon_p(z: FloatArray) -> FloatArray:
    """Wilcoxon's signed rank test of each row, two-sided, (k, n) to (k,).

    Differences are rounded to 1e-10, those of 0 dropped, the others ranked by size with ties at their mean rank. The
    distribution is normal with the correction for ties and without that for continuity, as in R with exact = FALSE and
    correct = FALSE; with fewer than ten differences that is rough. A row of zeros has p 1.

    >>> _wilcoxon_p(np.array([[0.1, 0.2, -0.3, 0.4, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0]])).round(6).tolist()  # W- = 3
    [0.224916, 1.0]
    """
    from scipy.special import ndtr

    size = np.abs(z).round(_DECIMALS)
    zeros = np.count_nonzero(size == 0, axis=1)
    n = z.shape[1] - zeros
    ranks = np.where(size > 0, correlation.mid_ranks(size) - zeros[:, None], 0.0)
    positive = np.where(z > 0, ranks, 0.0).sum(axis=1)
    # the sum of squared mid-ranks has the correction for ties in it: n (n + 1) (2 n + 1) / 6 - sum (t^3 - t) / 12
    variance = (ranks**2).sum(axis=1) / 4
    deviation = np.abs(positive - n * (n + 1) / 4)
    score = np.divide(deviation, np.sqrt(variance), out=np.zeros(len(z)), where=variance > 0)
    return np.minimum(2 * ndtr(-score), 1.0)


def sign_p(above: IntArray, below: IntArray) -> FloatArray:
    """The sign test of the numbers of differences above and below 0, two-sided and exact, (k,); ties do not count.

    p = min(1, 2 P(X <= min(above, below))) for X binomial with above + below trials of 1/2. Ten of fifteen have .3018:

    >>> sign_p(np.array([10]), np.array([5])).round(4).tolist()
    [0.3018]
    """
    from scipy.special import bdtr

    return np.minimum(2 * bdtr(np.minimum(above, below).astype(float), above + below, 0.5), 1.0)


def queries_needed(difference: float, sd: float, *, level: float, power: float) -> float:
    """n = ((z_(1 - a/2) + z_power) sd / difference)^2 + z_(1 - a/2)^2 / 2, a = 1 - level; not rounded up.

    >>> round(queries_needed(0.05, 0.1, level=0.95, power=0.8), 2)  # (1.959964 + .841621)^2 / .25 + 1.920729
    33.32
    """
    reach, extra = _reach(level, power)
    ratio = reach * sd / difference
    return ratio * ratio + extra  # infinite where ** would overflow


def detectable(n_queries: int, sd: float, *, level: float, power: float) -> float:
    """The difference that n queries find with this power: sd (z_(1 - a/2) + z_power) / sqrt(n - z^2 / 2).

    nan where there are too few queries for any.

    >>> round(detectable(50, 0.169842, level=0.95, power=0.8), 6)
    0.068623
    """
    reach, extra = _reach(level, power)
    return sd * reach / float(np.sqrt(n_queries - extra)) if n_queries > extra else float("nan")


def _reach(level: float, power: float) -> tuple[float, float]:
    outer = NormalDist().inv_cdf((1 + level) / 2)
    return outer + NormalDist().inv_cdf(power), outer**2 / 2
