"""Do systems differ, of which each has several runs: would runs from other seeds say so, too?

A paired test over queries of the means over the runs of two systems asks it of these runs alone. Here both the queries
and the runs are samples. With S_skq the score of run k = 1..K_s of system s on query q = 1..n, d_q = mean_k S_Akq -
mean_k S_Bkq and d its mean, the variance of d has a part of the queries, with f = n - 1 degrees of freedom, and one of
each system's runs, with f_s = K_s - 1:

    v_q  = sum_q (d_q - d)^2 / (n (n - 1))
    s_s^2 = variance (divisor K_s - 1) of the means of the K_s runs
    s_p^2 = sum_s (K_s - 1) s_s^2 / sum_s (K_s - 1), over all systems that are compared
    v_s  = max(s_s^2, s_p^2) / K_s for K_s = 2, 3, 4;  s_s^2 / K_s from 5 runs on;  none for one run
    v    = v_q + v_A + v_B,  t = d / sqrt(v),  df = v^2 / (v_q^2 / f + v_A^2 / f_A + v_B^2 / f_B)

The floor s_p^2 is there because the variance of few runs is often far too small. Where all systems together have at
most two degrees of freedom, sum_s (K_s - 1) <= 2, the approximation of df fails too, and the parts are weighted by
their own quantiles: half the width of the interval is sum_i v_i t(f_i) / sqrt(v), and p is the one at which the
interval ends at 0. A system of one run is taken as it is: its luck is not counted. Runs that belong together by number
(folds, shared seeds) have one part, the variance of mean_q (S_Ak - S_Bk) over k divided by K, with K - 1 degrees of
freedom, in place of v_A and v_B.

A number per query that is no difference of two systems, but any function of the scores of all of them, has a part of
each system too: with c_sq, its derivative by the score of system s, s^2 and s_p^2 are of mean_q c_sq S_tkq over the
runs k of a system t (the delta method). For a difference c is 1 and -1, and all is as above.

Sources: two-way model of runs and queries: Brennan, Generalizability Theory, 2001; degrees of freedom: Satterthwaite,
Biometrics Bulletin 2, 1946; weighted quantiles: Cochran, Biometrics 20, 1964. The floor, and from how many runs on it
is not needed, are derived here; `benchmarks/system_tests.py` measures how often the test errs. The module is long for
these formulas, which its two classes share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, nan
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.stats.paired import PairedRows, PairedT, paired_t, t_test_p

_FLOORED = 5  # runs of a system, from which on its own variance is taken as it is
_FEW_DF = 2  # degrees of freedom of all runs together, up to which df is not approximated
_FEW_PAIRED = 3  # runs that belong together, likewise
_LEAST_LN_P = -700.0
_STEPS = 80  # of a bisection of ln p: to the last digit


class Parts(NamedTuple):
    """The parts of the variance of each mean, and their degrees of freedom: both of the shape (n_parts, k).

    The first part is of the queries, the others of the runs of systems: of a difference, of the first and the second
    one. A part that is not there is 0, and has one degree of freedom.
    """

    variance: FloatArray
    df: FloatArray


class SystemTests(ABC):
    """The tests of k means over queries, from the parts of the variance of each: results have the shape (k,)."""

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of queries, or of clusters of them."""

    @property
    @abstractmethod
    def delta(self) -> FloatArray:
        """The means that are tested, such as differences."""

    @property
    @abstractmethod
    def parts(self) -> Parts:
        """The parts of the variance of each mean."""

    @property
    @abstractmethod
    def weighted(self) -> BoolArray:
        """Whether the parts of a mean are weighted by their own quantiles: there are too few runs for df."""

    @cached_property
    def variance(self) -> FloatArray:
        """v of each mean."""
        variance: FloatArray = self.parts.variance.sum(axis=0)
        return variance

    @cached_property
    def t(self) -> FloatArray:
        """d / sqrt(v); where v is 0, 0 for no difference and infinite for any."""
        t = np.where(self.delta == 0, 0.0, np.copysign(np.inf, self.delta))
        np.divide(self.delta, np.sqrt(self.variance), out=t, where=self.variance > 0)
        return t

    @cached_property
    def df(self) -> FloatArray:
        """Satterthwaite's degrees of freedom; n - 1 where nothing varies."""
        variance, df = self.parts
        largest = np.where(self.variance > 0, self.variance, 1.0)
        below = ((variance / largest) ** 2 / df).sum(axis=0)
        return np.maximum(np.divide(1.0, below, out=np.full(len(below), self.n - 1.0), where=below > 0), 1.0)

    @cached_property
    def p(self) -> FloatArray:
        """The two-sided p of each mean."""
        p = np.asarray(t_test_p(self.t, self.df), dtype=np.float64).copy()
        varying = self.weighted & (self.variance > 0)
        if varying.any():
            size = np.abs(self.delta) * np.sqrt(self.variance)
            low, high = np.full(len(p), _LEAST_LN_P), np.zeros(len(p))
            for _ in range(_STEPS):
                middle = (low + high) / 2
                beyond = self._weighted_quantile(np.exp(middle) / 2) > size
                low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
            p[varying] = np.where(self.delta == 0, 1.0, np.exp(high))[varying]
        return p

    def _weighted_quantile(self, tail: FloatArray | float) -> FloatArray:
        """sum_i v_i t(f_i) at an upper tail of Student's distributions, each of the shape (k,)."""
        from scipy.special import stdtrit

        variance, df = self.parts
        quantiles = stdtrit(df, np.broadcast_to(tail, df.shape))  # infinite for the least tails
        return -np.multiply(variance, quantiles, out=np.zeros(df.shape), where=variance > 0).sum(axis=0)

    def half_width(self, level: float, n_family: int = 1) -> FloatArray:
        """Half the width of the interval of each difference, which holds for so many together (Bonferroni)."""
        from scipy.special import stdtrit

        tail, root = (1 - level) / (2 * n_family), np.sqrt(self.variance)
        half: FloatArray = -stdtrit(self.df, tail) * root
        weighted = np.divide(self._weighted_quantile(tail), root, out=np.zeros(len(root)), where=root > 0)
        return np.where(self.weighted, weighted, half)


@dataclass(frozen=True, eq=False)
class SystemRows(SystemTests):
    """Systems that are compared in pairs: ``rows`` are the means over the runs of each, (R, n).

    ``runs`` has the scores of all runs, system by system, (sum of sizes, n), and ``sizes`` says how many each system
    has, (R,). ``paired`` says that the k-th runs of all systems belong together; systems of several runs then have the
    same number of them. Results are of the pairs of the rows, (n_pairs,).

    Three systems on 8 queries, of three, two and one runs:

    >>> a = [[62, 48, 30, 71, 55, 40, 66, 25], [58, 52, 35, 69, 50, 45, 70, 20], [65, 45, 28, 75, 58, 38, 62, 30]]
    >>> b = [[55, 44, 33, 60, 52, 35, 61, 22], [60, 50, 36, 66, 56, 41, 64, 27]]
    >>> c = [[50, 41, 25, 58, 47, 33, 55, 18]]
    >>> tests = SystemRows.of_runs([a, b, c])
    >>> tests.variance.round(9).tolist()
    [0.000847247, 0.000220387, 0.000591741]
    >>> tests.df.round(5).tolist(), tests.p.round(6).tolist()
    ([2.17725, 5.23165, 1.10017], [0.514606, 0.001502, 0.201501])
    >>> tests.half_width(0.95).round(6).tolist()
    [0.115959, 0.037659, 0.24991]

    The last two alone have one degree of freedom of runs:

    >>> alone = SystemRows.of_runs([b, c])
    >>> alone.p.round(6).tolist(), alone.half_width(0.95).round(6).tolist()
    ([0.215241], [0.297321])
    """

    rows: PairedRows
    runs: FloatArray
    sizes: IntArray
    paired: bool = False

    @classmethod
    def of_runs(cls, systems: list[list[list[int]]], *, paired: bool = False) -> SystemRows:
        """Systems of runs whose scores are in hundredths, as in the examples."""
        runs = [np.array(system) / 100 for system in systems]
        means = np.array([system.mean(axis=0) for system in runs])
        return cls(PairedRows(means), np.concatenate(runs), np.array([len(system) for system in runs]), paired)

    @property
    def n(self) -> int:
        """The number of queries, or of clusters of them."""
        return self.rows.units.n

    @cached_property
    def _terms(self) -> list[FloatArray]:
        """The scores of the runs of each system, (K, n), or the terms of clusters, whose means are the same."""
        return np.split(self.rows.units.terms(self.runs), np.cumsum(self.sizes)[:-1])

    @cached_property
    def delta(self) -> FloatArray:
        """The mean difference of each pair, first minus second row."""
        return self.rows.moments.student.mean

    @cached_property
    def of_systems(self) -> FloatArray:
        """s^2 of each system: the variance, divisor K - 1, of the means of its runs, (R,); 0 for one run."""
        return np.array([_variance_of_means(runs) for runs in self._terms])

    @cached_property
    def _floored(self) -> FloatArray:
        """The variance of the mean of each system over its runs, v_s, (R,)."""
        df, variances = self.sizes - 1, self.of_systems
        pooled = float((df * variances).sum() / df.sum()) if df.sum() else 0.0
        variance = np.where(self.sizes < _FLOORED, np.maximum(variances, pooled), variances) / self.sizes
        return np.where(self.sizes > 1, variance, 0.0)

    @cached_property
    def parts(self) -> Parts:
        """The parts of the variance of each difference."""
        student, (first, second) = self.rows.moments.student, self.rows.pairs
        variance = np.stack([student.sd**2 / self.n, self._floored[first], self._floored[second]])
        df = np.stack(
            [np.full(len(first), self.n - 1.0), *(np.maximum(self.sizes[of] - 1.0, 1) for of in (first, second))]
        )
        for pair in np.flatnonzero(self._are_paired).tolist():
            variance[1:, pair] = _variance_of_means(self._differences(pair)) / self.sizes[first[pair]], 0.0
        return Parts(variance, df)

    @cached_property
    def _are_paired(self) -> BoolArray:
        """Whether the runs of both systems of a pair belong together."""
        first, second = (self.sizes[of] for of in self.rows.pairs)
        return (first == second) & (first > 1) & self.paired

    def _differences(self, pair: int) -> FloatArray:
        """The differences of the k-th runs of a pair, (K, n)."""
        first, second = self.rows.pairs
        return self._terms[first[pair]] - self._terms[second[pair]]

    @cached_property
    def weighted(self) -> BoolArray:
        """Whether the parts of a pair are weighted by their own quantiles."""
        first, second = (self.sizes[of] for of in self.rows.pairs)
        few = (self.sizes - 1).sum() <= _FEW_DF
        with_runs = np.maximum(first, second) > 1
        weighted: BoolArray = with_runs & np.where(self._are_paired, first <= _FEW_PAIRED, few)
        return weighted

    def plan(self, pair: int) -> Plan:
        """What more runs and more queries would do for a pair."""
        first, second = (int(of[pair]) for of in self.rows.pairs)
        if self._are_paired[pair]:
            of_runs = [self._differences(pair)]
        else:
            of_runs = [self._terms[system] for system in (first, second) if self.sizes[system] > 1]
        return Plan.of(of_runs, float(self.parts.variance[0, pair]), self.n)


@dataclass(frozen=True, eq=False)
class SystemFunctions(SystemTests):
    """Functions of the scores of systems, whose means over the queries are tested: ``values``, (k, n).

    ``slopes`` gives the derivatives of one of them by the score of each system on each query, (R, n). ``runs``,
    ``sizes`` and ``paired`` are as in `SystemRows`, and ``units`` are the independent units of the queries.

    The differences of the first system from the two others, as in `SystemRows`:

    >>> a = [[62, 48, 30, 71, 55, 40, 66, 25], [58, 52, 35, 69, 50, 45, 70, 20], [65, 45, 28, 75, 58, 38, 62, 30]]
    >>> b = [[55, 44, 33, 60, 52, 35, 61, 22], [60, 50, 36, 66, 56, 41, 64, 27]]
    >>> c = [[50, 41, 25, 58, 47, 33, 55, 18]]
    >>> rows = SystemRows.of_runs([a, b, c])
    >>> means, signs = rows.rows.values, np.array([[1.0, -1, 0], [1, 0, -1]])
    >>> tests = SystemFunctions(
    ...     signs @ means, lambda row: signs[row, :, None] * np.ones(8), rows.runs, rows.sizes, False, rows.rows.units
    ... )
    >>> tests.df.round(5).tolist(), tests.p.round(6).tolist()
    ([2.17725, 5.23165], [0.514606, 0.001502])
    """

    values: FloatArray
    slopes: Callable[[int], FloatArray]
    runs: FloatArray
    sizes: IntArray
    paired: bool
    units: Clusters

    @property
    def n(self) -> int:
        return self.units.n

    @cached_property
    def delta(self) -> FloatArray:
        return self._student.mean

    @cached_property
    def _student(self) -> PairedT:
        return paired_t(self.units.terms(self.values))

    @cached_property
    def parts(self) -> Parts:
        """One of the queries, and one of each system; of runs that belong together there is one in all."""
        n_values, n_systems = len(self.values), len(self.sizes)
        variance, df = np.zeros((1 + n_systems, n_values)), np.ones((1 + n_systems, n_values))
        variance[0], df[0] = self._student.sd**2 / self.n, self.n - 1.0
        for row in range(n_values):
            slopes = self.slopes(row)
            if self._are_paired[row]:
                together = self._together(slopes)
                variance[1, row] = _variance_of_means(together) / len(together)
                df[1, row] = len(together) - 1.0
            else:
                variance[1:, row] = self._floored(slopes)
                df[1:, row] = np.maximum(self.sizes - 1.0, 1)
        return Parts(variance, df)

    def _floored(self, slopes: FloatArray) -> FloatArray:
        """The variance due to the runs of each system, v_s, (R,): the floor is of the same function of each."""
        variance, several = np.zeros(len(self.sizes)), np.flatnonzero(self.sizes > 1)
        used = several[slopes[several].any(axis=1)]
        if len(used):
            means = slopes[used] @ self.runs.T / slopes.shape[1]
            least = ROUNDING * np.abs(slopes).max() * np.abs(self.runs).max()
            of_runs = np.split(means, np.cumsum(self.sizes)[:-1], axis=1)
            of_systems = np.array([_variances(of_runs[system], least) for system in several])
            variances = of_systems[np.searchsorted(several, used), np.arange(len(used))]
            df = self.sizes[several] - 1
            pooled = df @ of_systems / df.sum()
            floored = np.where(self.sizes[used] < _FLOORED, np.maximum(variances, pooled), variances)
            variance[used] = floored / self.sizes[used]
        return variance

    @cached_property
    def _have_runs(self) -> IntArray:
        """How many systems of several runs each function depends on, (k,)."""
        several = self.sizes > 1
        return np.array([self.slopes(row)[several].any(axis=1).sum() for row in range(len(self.values))])

    @property
    def _are_paired(self) -> BoolArray:
        """Whether the runs of several systems belong together."""
        return (self._have_runs > 1) & self.paired

    def _together(self, slopes: FloatArray) -> FloatArray:
        """The sums over the systems of several runs of the terms of their k-th runs, (K, n)."""
        return np.sum([some for some in self._of_runs(slopes) if len(some) > 1], axis=0)

    def _of_runs(self, slopes: FloatArray) -> list[FloatArray]:
        """The terms of the runs of each system, (K, n)."""
        return np.split(self.units.terms(np.repeat(slopes, self.sizes, axis=0) * self.runs), np.cumsum(self.sizes)[:-1])

    @cached_property
    def weighted(self) -> BoolArray:
        n_runs = int(self.sizes.max())  # of each system, where they belong together
        few = (self.sizes - 1).sum() <= _FEW_DF
        weighted: BoolArray = (self._have_runs > 0) & np.where(self._are_paired, n_runs <= _FEW_PAIRED, few)
        return weighted

    def plan(self, row: int) -> Plan:
        """What more runs and more queries would do for a function."""
        slopes = self.slopes(row)
        if self._are_paired[row]:
            of_runs = [self._together(slopes)]
        else:
            of_runs = [some for some in self._of_runs(slopes) if len(some) > 1 and some.any()]
        return Plan.of(of_runs, float(self.parts.variance[0, row]), self.n)


def _variances(means: FloatArray, least: float) -> FloatArray:
    """The variance, divisor K - 1, of each row of means of K runs, (k, K); 0 where they differ by rounding alone."""
    variances: FloatArray = means.var(axis=1, ddof=1) * (np.ptp(means, axis=1) > least)
    return variances


def _variance_of_means(runs: FloatArray) -> float:
    """The variance, divisor K - 1, of the means of K runs, (K, n); 0 for one run, and for equal means."""
    means = runs.mean(axis=1)
    if len(runs) < 2 or np.ptp(means) <= ROUNDING * np.abs(runs).max(initial=0.0):
        return 0.0
    return float(means.var(ddof=1))


class Plan(NamedTuple):
    """What a difference depends on: the variance over queries, and over the runs of each system with several.

    With ms_s = sum_kq (S_kq - S_k. - S_.q + S_..)^2 / ((K - 1)(n - 1)), the interaction of a system's runs and queries:

        of_runs     sigma_s^2 = max(0, s_s^2 - ms_s / n)
        of_queries  sigma_q^2 = max(0, n v_q - sum_s ms_s / K_s)
        interaction ms_s
        v(n', K')   = (sigma_q^2 + sum_s ms_s / K'_s) / n' + sum_s sigma_s^2 / K'_s

    The systems of three and of two runs of `SystemRows`, for an interval of plus and minus .05:

    >>> a = [[62, 48, 30, 71, 55, 40, 66, 25], [58, 52, 35, 69, 50, 45, 70, 20], [65, 45, 28, 75, 58, 38, 62, 30]]
    >>> b = [[55, 44, 33, 60, 52, 35, 61, 22], [60, 50, 36, 66, 56, 41, 64, 27]]
    >>> plan = SystemRows.of_runs([a, b]).plan(0)
    >>> round(plan.share, 6), round(plan.variance(), 8), round(plan.variance(sizes=(5, 5)), 8)
    (0.781306, 0.00071538, 0.00034912)
    >>> round(plan.variance(n=16), 8), plan.runs_needed(0.05, 0.95), plan.queries_needed(0.05, 0.95)
    (0.00063715, 3, 14)
    >>> plan.runs_needed(0.03, 0.95), plan.queries_needed(0.03, 0.95)  # no number of queries will do
    (9, None)
    """

    n: int
    sizes: tuple[int, ...]
    v_queries: float
    of_queries: float
    of_runs: tuple[float, ...]
    interaction: tuple[float, ...]

    @classmethod
    def of(cls, systems: list[FloatArray], v_queries: float, n: int) -> Plan:
        """The parts of some systems of several runs, (K, n) each."""
        sizes = tuple(len(runs) for runs in systems)
        interaction = tuple(_interaction(runs) for runs in systems)
        of_runs = tuple(
            max(0.0, _variance_of_means(runs) - ms / n) for runs, ms in zip(systems, interaction, strict=True)
        )
        mixed = sum(ms / size for ms, size in zip(interaction, sizes, strict=True))
        return cls(n, sizes, v_queries, max(0.0, n * v_queries - mixed), of_runs, interaction)

    @property
    def share(self) -> float:
        """The share of the squared standard error that is due to the runs; nan where there is no error."""
        of_runs = _over(self.of_runs, self.sizes)
        whole = of_runs + self.v_queries
        return of_runs / whole if whole > 0 else nan

    def variance(self, *, n: int | None = None, sizes: tuple[int, ...] | None = None) -> float:
        """v with so many queries, and so many runs of each system."""
        n, sizes = n or self.n, sizes or self.sizes
        return (self.of_queries + _over(self.interaction, sizes)) / n + _over(self.of_runs, sizes)

    def runs_needed(self, half_width: float, level: float) -> int | None:
        """How many runs each system needs for an interval of plus and minus so much; None if no number will do."""
        left = _allowed(half_width, level) - self.of_queries / self.n
        return _number(sum(self.of_runs) + sum(self.interaction) / self.n, left)

    def queries_needed(self, half_width: float, level: float) -> int | None:
        """How many queries are needed for such an interval; None if no number will do."""
        left = _allowed(half_width, level) - _over(self.of_runs, self.sizes)
        return _number(self.of_queries + _over(self.interaction, self.sizes), left)


def _interaction(runs: FloatArray) -> float:
    """ms of the runs of one system, (K, n)."""
    rest = runs - runs.mean(axis=1, keepdims=True) - runs.mean(axis=0) + runs.mean()
    return float((rest**2).sum() / ((runs.shape[0] - 1) * (runs.shape[1] - 1)))


def _over(variances: tuple[float, ...], sizes: tuple[int, ...]) -> float:
    return sum(variance / size for variance, size in zip(variances, sizes, strict=True))


def _allowed(half_width: float, level: float) -> float:
    """The variance of an interval of plus and minus so much, by the normal distribution."""
    return (half_width / NormalDist().inv_cdf((1 + level) / 2)) ** 2


def _number(needed: float, allowed: float) -> int | None:
    """The least whole number of at least 1 with needed / number <= allowed; None if there is none."""
    number = needed / allowed if allowed > 0 else inf
    return max(1, ceil(number)) if number < inf else None
