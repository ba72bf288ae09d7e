"""Student's t distribution, and the leave-one-out variances to whose jackknife it is applied. scipy has the first.

Sources: Student, "The probable error of a mean", Biometrika 6, 1908; for the incomplete beta function Press et al.,
Numerical Recipes, 3rd edition, section 6.4, and DLMF 8.17.22; for the jackknife Tukey, Annals of Mathematical
Statistics 29, 1958, and Miller, "The jackknife: a review", Biometrika 61, 1974.
"""

from __future__ import annotations

from math import exp, lgamma, log, pi, sqrt

import numpy as np

from biasvar_cli.decomposition.decompose import population_variance
from biasvar_cli.scores import FloatArray

_TERMS = 400  # of the continued fraction; some sqrt(df) are enough, 130 for df = 1000
_EPS = 2.0**-53
_SERIES_FROM = 20.0  # from there the series of the gamma functions' ratio is exact to the last digit
_FARTHEST = 1e150  # a larger t has no square
_LEAST_TAIL = 1e-100
_STEPS = 2000  # of Newton's method; 10 for the usual levels


def two_sided_p(t: FloatArray | float, df: int) -> FloatArray:
    """P(abs(T) >= abs(t)) for Student's t with ``df`` >= 1 degrees of freedom; t of any shape, nan where t is nan.

    It is the regularised incomplete beta function I_x(df / 2, 1 / 2) at x = df / (df + t^2). An infinite t has p = 0.

    With one degree of freedom p = 1 - 2 atan(t) / pi, with two 1 - t / sqrt(2 + t^2):

    >>> two_sided_p(np.array([0.0, 1.0, -np.inf]), 1).round(12).tolist(), two_sided_p(2.0, 2).round(6)
    ([1.0, 0.5, 0.0], np.float64(0.183503))
    """
    assert df >= 1, "a t statistic has at least one degree of freedom"
    size = np.abs(np.asarray(t, dtype=np.float64))
    squared = np.minimum(np.nan_to_num(size, nan=0.0), _FARTHEST) ** 2 / df
    x, y = 1 / (1 + squared), squared / (1 + squared)  # y = 1 - x without cancellation
    a = df / 2
    front = np.exp(-a * np.log1p(squared) - _log_beta_with_half(a)) * np.sqrt(y)  # x^a y^b / B(a, b)
    near = x >= (a + 1) / (a + 2.5)
    p = np.where(near, 1 - front * _fraction(0.5, a, np.where(near, y, 0)) / 0.5,
                 front * _fraction(a, 0.5, np.where(near, 0, x)) / a)  # fmt: skip
    found: FloatArray = np.where(np.isinf(size), 0.0, np.where(np.isnan(size), np.nan, np.clip(p, 0, 1)))
    return found[()]


def quantile(probability: float, df: int) -> float:
    """The t below which Student's distribution has this probability, between 0 and 1.

    Newton's method on the two-sided p, which is convex beyond 0: from 0 it rises to the solution and never passes it.
    A central interval of 95 % reaches to the quantile of .975; Student's table has 2.093 for 19 degrees of freedom:

    >>> round(quantile(0.975, 19), 3), round(quantile(0.25, 1), 12), quantile(0.5, 3)
    (2.093, -1.0, 0.0)
    """
    assert _LEAST_TAIL <= probability < 1, "a quantile is of a probability between 0 and 1"
    both_tails = 2 * min(probability, 1 - probability)
    log_peak = -_log_beta_with_half(df / 2) - log(df) / 2  # of the density at 0
    t = 0.0
    for _ in range(_STEPS):
        density = exp(log_peak - (df + 1) / 2 * float(np.log1p(t * t / df)))
        step = (float(two_sided_p(t, df)) - both_tails) / (2 * density)
        t += step
        if step <= 4 * _EPS * t:
            break
    return t if probability >= 0.5 else -t


def leave_one_out_variance(values: FloatArray) -> FloatArray:
    """The population variance of each row without each of its values in turn: (R, n) gives (R, n), n >= 2.

    Var without q = [sum of squared deviations - n d_q^2 / (n - 1)] / (n - 1), where d_q = x_q - mean. Where that loses
    digits, because one value has nearly all of the variance, it is computed from the others. Constant others have a
    variance of exactly 0.

    >>> leave_one_out_variance(np.array([[0.1, 0.3, 0.5], [0.1, 0.1, 0.4]])).round(12).tolist()
    [[0.01, 0.04, 0.01], [0.0225, 0.0225, 0.0]]
    """
    n = values.shape[1]
    assert n >= 2, "one value must be left"
    shifted = values - values[:, :1]
    squares = (shifted - shifted.mean(axis=1, keepdims=True)) ** 2
    whole = squares.sum(axis=1, keepdims=True)
    variance: FloatArray = (whole - squares * (n / (n - 1))) / (n - 1)
    run, left_out = np.nonzero(variance <= 0.01 * whole / n)
    others = np.arange(n) != left_out[:, None]
    variance[run, left_out] = population_variance(values[run][others].reshape(len(run), n - 1))
    return variance


def _log_beta_with_half(a: float) -> float:
    """ln B(a, 1/2), from ln [Gamma(a + 1/2) / Gamma(a)]: lgamma alone would lose three digits at a = 500.

    For large a the logarithm is ln(a) / 2 - 1/(8a) + 1/(192a^3) - 1/(640a^5) + 17/(14336a^7) - ... (DLMF 5.11.8).

    >>> round(exp(_log_beta_with_half(0.5)) / pi, 12), round(exp(_log_beta_with_half(1.0)), 12)
    (1.0, 2.0)
    """
    if a < _SERIES_FROM:
        ratio = lgamma(a + 0.5) - lgamma(a)
    else:
        ratio = log(a) / 2 + (-1 / 8 + (1 / 192 + (-1 / 640 + 17 / 14336 / a**2) / a**2) / a**2) / a
    return log(sqrt(pi)) - ratio


def _fraction(a: float, b: float, x: FloatArray) -> FloatArray:
    """The continued fraction of I_x(a, b) a B(a, b) / (x^a (1 - x)^b), for x < (a + 1) / (a + b + 2); any shape.

    1/(1 + d_1/(1 + d_2/(1 + ...))) with d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)) and
    d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)), from the front by Lentz's method.
    """
    upper, lower = np.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    found = lower.copy()
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            lower = 1 / (1 + term * lower)
            upper = 1 + term / upper
            found = found * lower * upper
        if (np.abs(lower * upper - 1) <= 2 * _EPS).all():
            break
    return found
