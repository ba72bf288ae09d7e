"""An interval of a correlation that is seen through noise, by the inversion of a test.

The points of a correlation may themselves be estimates, from data that all of them share. Noise of the points' own
draws the correlation towards 0, and noise that is common to both coordinates moves it. What is observed is then near

    scale * f(rho) + shift,    0 <= scale <= 1,

where rho is the correlation without noise, and f(rho) is rho, or for ranks the correlation of normal variates with this
one of their ranks. An interval of the observed value itself, as resampling has it, would be about another number.

Such points are the mean of a run over n queries and its variance, which scatter about their values on all queries. This
scatter widens the plug-in variances over runs of squared means and of variances, and since the same queries are behind
both, it moves their covariance too. `unbiased_covariance` estimates these without this part. An
unbiased estimate has no query twice in a product: it is a U-statistic over quadruples of distinct queries.

Sources: attenuation: Spearman, "The proof and measurement of association between two things", American Journal of
Psychology 15, 1904; intervals by inversion: Neyman, "Outline of a theory of statistical estimation based on the
classical theory of probability", Philosophical Transactions A 236, 1937; ranks of normal variates: Kruskal, "Ordinal
measures of association", JASA 53, 1958; jackknife without more than one: Shao and Wu, "A general theory for jackknife
variance estimation", Annals of Statistics 17, 1989; U-statistics: Hoeffding, "A class of statistics with asymptotically
normal distribution", Annals of Mathematical Statistics 19, 1948.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray

LEAST_QUERIES = 5  # a quadruple, and one to leave out


class Kernel(NamedTuple):
    """h(i, j) = sum over p of a_p(i) b_p(j) for queries i != j of each run, symmetric; ``a`` and ``b`` are (p, R, n).

    The part of h that all runs share is left out: it has no covariance with anything over runs.
    """

    a: FloatArray
    b: FloatArray

    @classmethod
    def squared_mean(cls, values: FloatArray) -> Kernel:
        """x_i x_j, whose mean over pairs estimates the square of the mean, of values (R, n).

        With c the mean over runs and d = x - c it is c_i d_j + d_i x_j, and c_i c_j, which all runs share.
        """
        shared = values.mean(axis=0)
        deviations = values - shared
        return cls._of((shared, deviations), (deviations, values))

    @classmethod
    def variance(cls, values: FloatArray) -> Kernel:
        """(x_i - x_j)^2 / 2, whose mean over pairs estimates the variance, of values (R, n).

        With c and d as above, and e = c d + d^2 / 2, it is e_i + e_j - c_i d_j - d_i x_j, and (c_i - c_j)^2 / 2, which
        all runs share.
        """
        shared = values.mean(axis=0)
        deviations = values - shared
        square, one = deviations * (shared + deviations / 2), np.ones(1)
        return cls._of((square, one, -shared, -deviations), (one, square, deviations, values))

    @classmethod
    def _of(cls, a: tuple[FloatArray, ...], b: tuple[FloatArray, ...]) -> Kernel:
        return cls(np.stack(np.broadcast_arrays(*a)), np.stack(np.broadcast_arrays(*b)))

    @property
    def diagonal(self) -> FloatArray:
        """h(i, i) of each run, (R, n), which has no part in the sums."""
        return (self.a * self.b).sum(axis=0)

    @property
    def rows(self) -> FloatArray:
        """The sum over j != i of h(i, j), by run and i: (R, n)."""
        return self.times(np.ones(self.a.shape[2]))

    def times(self, vector: FloatArray) -> FloatArray:
        """The sum over j != i of h(i, j) v(j), by run and i; v is (n,) or (R, n)."""
        inner = (self.b * vector).sum(axis=2)
        return np.einsum("prn,pr->rn", self.a, inner) - self.diagonal * vector


def unbiased_covariance(one: Kernel, other: Kernel) -> tuple[float, FloatArray]:
    """The covariance of two kernels over runs without bias: of all queries, and without each in turn, (n,).

    It is the mean over all ordered quadruples of distinct queries i, j, k, l of the covariance over runs (divisor R) of
    h1(i, j) and h2(k, l). The sum of h1(i, j) h2(k, l) over the quadruples is

        sum_ij h1 sum_ij h2 - 4 sum_i (sum_j h1)(sum_j h2) + 2 sum_ij h1 h2

    with sums over i != j; its mean over runs is taken, less the same of the kernels' means over runs. Needs n >= 5.
    Time O(R n min(R, n)); no array is larger than 4 R n, or min(4 R, n)^2.

    A run with x = 1 on four queries of five, and one that is 0 on all. h1(i, j) h1(k, l) is 1 for the 24 quadruples of
    these four, of 120; the covariance over two runs of which one is 0 is a quarter of its mean, .05, and .25 without
    the fifth query.

    >>> kernel = Kernel.squared_mean(np.array([[1.0, 1, 1, 1, 0], [0, 0, 0, 0, 0]]))
    >>> whole, without = unbiased_covariance(kernel, kernel)
    >>> round(whole, 12), np.abs(without).round(12).tolist()
    (0.05, [0.0, 0.0, 0.0, 0.0, 0.25])
    """
    n = one.a.shape[2]
    assert n >= LEAST_QUERIES, "a quadruple of queries is left without one"
    rows, common = (one.rows, other.rows), (one.rows.mean(axis=0), other.rows.mean(axis=0))
    inner = np.einsum("prn,srn->psr", one.b, other.b)
    products = np.einsum("prn,srn,psr->rn", one.a, other.a, inner, optimize=True) - one.diagonal * other.diagonal
    by_run = _quadruple_sums(*rows, products, one.times(rows[1]) + other.times(rows[0]))
    crossed = one.times(common[1]) + other.times(common[0])
    # the products of the kernels' means over runs: sums over runs and p, s, multiplied out in the order of less work
    a, b, c, d = (factor.reshape(-1, n) for factor in (*one, *other))
    along = ((a.T @ b) * (c.T @ d)).sum(axis=1) if n <= len(a) else (a * ((b @ d.T) @ c)).sum(axis=0)
    of_means = along / one.a.shape[1] ** 2 - one.diagonal.mean(axis=0) * other.diagonal.mean(axis=0)
    of_mean = _quadruple_sums(*common, of_means, crossed.mean(axis=0))
    whole, without = (sums.mean(axis=0) - mean for sums, mean in zip(by_run, of_mean, strict=True))
    return float(whole) / (n * (n - 1) * (n - 2) * (n - 3)), without / ((n - 1) * (n - 2) * (n - 3) * (n - 4))


def _quadruple_sums(
    rows: FloatArray, others: FloatArray, products: FloatArray, crossed: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The sum of h1(i, j) h2(k, l) over distinct queries, and without each: of (..., n) to (...) and (..., n).

    ``rows`` and ``others`` are the sums over j of h1 and of h2, ``products`` that of h1 h2, ``crossed`` that of
    h1(i, j) others(j) + h2(i, j) rows(j).
    """

    def together(one: FloatArray, other: FloatArray, ends: FloatArray, both: FloatArray) -> FloatArray:
        return one * other - 4 * ends + 2 * both

    one, other, ends, both = (terms.sum(axis=-1, keepdims=True) for terms in (rows, others, rows * others, products))
    without_ends = ends - rows * others - crossed + products
    without = together(one - 2 * rows, other - 2 * others, without_ends, both - 2 * products)
    return together(one, other, ends, both)[..., 0], without


_GRID = np.linspace(-1, 1, 401)
_HALVINGS = 45  # of a step of the grid: to the last digit
_VALUES = 2**20  # that are worked on together
_LARGEST = 1 - 1e-12  # of a correlation, for its transform


class Latent(NamedTuple):
    """f, which makes a correlation of normal variates of one of their ranks, and its inverse.

    >>> LATENT["spearman"].of(np.array([-1.0, 0.0, 1.0])).round(12).tolist()
    [-1.0, 0.0, 1.0]
    >>> round(float(LATENT["kendall"].of(np.array(1 / 3))), 12), round(float(LATENT["kendall"].back(np.array(0.5))), 12)
    (0.5, 0.333333333333)
    """

    of: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]


LATENT = {
    "pearson": Latent(lambda r: r, lambda r: r),
    "spearman": Latent(lambda rho: 2 * np.sin(np.pi * rho / 6), lambda r: 6 / np.pi * np.arcsin(r / 2)),
    "kendall": Latent(lambda tau: np.sin(np.pi * tau / 2), lambda r: 2 / np.pi * np.arcsin(r)),
}


class Attenuated(NamedTuple):
    """A correlation as observed, and what noise does to it: arrays of one shape."""

    observed: FloatArray
    shift: FloatArray
    scale: FloatArray

    def known(self) -> Attenuated:
        """Those whose three numbers are finite."""
        finite = np.isfinite(self).all(axis=0)
        return Attenuated(*(values[finite] for values in self))


def without_noise(whole: Attenuated, latent: Latent) -> float:
    """The correlation that would be observed as it is, in [-1, 1]: f^-1((f(observed) - shift) / scale).

    nan for a scale of 0: noise alone makes the points differ.

    >>> round(without_noise(Attenuated(*map(np.array, (-0.6, -0.1, 0.8))), LATENT["pearson"]), 12)
    -0.625
    """
    if not whole.scale > 0:
        return float("nan")
    return float(latent.back(np.clip((latent.of(whole.observed) - whole.shift) / whole.scale, -1, 1)))


def inverted(
    whole: Attenuated, parts: Attenuated, latent: Latent, *, quantile: float, inflation: float
) -> tuple[float, float]:
    """The ends of the interval: between them is every rho that a test does not reject. ``parts`` are (B,).

    h(rho) = artanh f(observed) - artanh(scale f(rho) + shift) falls as rho rises. Its standard error s(rho) is the
    standard deviation of the h of ``parts``, of subsets of the data, times the root of ``inflation``: n - 1 where each
    of n is left out in turn, (n - d) / d where d are. The low end is the largest rho with h > quantile s, or -1, the
    high one the smallest with h < -quantile s, or 1. A scale of 0 leaves only the sign: all that is rejected is on one
    side of 0.

    Without noise, and with subsets that scatter by .3 on the scale of h, it is tanh(artanh(.5) -+ 2 * .3):

    >>> whole = Attenuated(*map(np.array, (0.5, 0.0, 1.0)))
    >>> parts = Attenuated(np.tanh(np.arctanh(0.5) + np.array([-0.3, 0.3])), np.zeros(2), np.ones(2))
    >>> low, high = inverted(whole, parts, LATENT["pearson"], quantile=2, inflation=1)
    >>> np.array([low, high]).round(6).tolist(), np.tanh(np.arctanh(0.5) + np.array([-0.6, 0.6])).round(6).tolist()
    ([-0.05065, 0.817524], [-0.05065, 0.817524])
    """

    def beyond(sign: int, rho: FloatArray) -> FloatArray:
        """Above 0 where rho, (k,), is rejected as too low (sign 1) or as too high (-1)."""
        distances = _distances(whole, rho[:, None], latent)[:, 0]
        step = max(1, _VALUES // len(parts.scale))
        blocks = [rho[start : start + step, None] for start in range(0, len(rho), step)]
        scatter = np.concatenate([_distances(parts, block, latent).std(axis=1) for block in blocks])  # over the parts
        return sign * distances - quantile * np.sqrt(inflation) * scatter

    if whole.scale > 0:
        return _end(1, beyond), _end(-1, beyond)
    too_low, too_high = (bool(beyond(sign, np.zeros(1))[0] > 0) for sign in (1, -1))
    return 0.0 if too_low else -1.0, 0.0 if too_high else 1.0


def _end(sign: int, beyond: Callable[[int, FloatArray], FloatArray]) -> float:
    """The innermost rho that is rejected from below (sign 1) or from above (-1); -1 or 1 where none is."""
    grid = sign * _GRID
    rejected = np.flatnonzero(beyond(sign, grid) > 0)
    if not len(rejected):
        return -float(sign)
    outside, inside = grid[rejected[-1]], grid[min(rejected[-1] + 1, len(grid) - 1)]
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if beyond(sign, np.array([middle]))[0] > 0 else (outside, middle)
    return float(outside)


def _distances(values: Attenuated, rho: FloatArray, latent: Latent) -> FloatArray:
    """h(rho), for observed values (B,) and rho (k, 1): (k, B)."""
    expected = np.clip(values.scale * latent.of(rho) + values.shift, -_LARGEST, _LARGEST)
    return np.arctanh(np.clip(latent.of(values.observed), -_LARGEST, _LARGEST)) - np.arctanh(expected)
