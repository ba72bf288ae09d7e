"""Student's t distribution, by scipy.special, which is imported where it is used: a plain ``decompose`` does without.

Source: Student, "The probable error of a mean", Biometrika 6, 1908.
"""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import FloatArray


def t_test_p(t: FloatArray | float, df: int) -> FloatArray:
    """P(abs(T) >= abs(t)), two-sided, for ``df`` >= 1 degrees of freedom; t of any shape, nan where t is nan.

    An infinite t has p = 0. With one degree of freedom p = 1 - 2 atan(t) / pi, with two 1 - t / sqrt(2 + t^2):

    >>> t_test_p(np.array([0.0, 1.0, -np.inf]), 1).round(12).tolist(), t_test_p(2.0, 2).round(6)
    ([1.0, 0.5, 0.0], np.float64(0.183503))
    """
    from scipy.special import betainc, stdtr

    assert df >= 1, "a t statistic has at least one degree of freedom"
    size = np.abs(np.asarray(t, dtype=np.float64))
    small = np.minimum(size, 1.0) ** 2  # stdtr takes a t below 2^-27 for 0
    p: FloatArray = np.where(size < 1, 1 - betainc(0.5, df / 2, small / (df + small)), 2 * stdtr(df, -size))
    return p[()]


def t_quantile(probability: float, df: int) -> float:
    """The t below which Student's distribution has this probability, between 0 and 1.

    A central interval of 95 % reaches to the quantile of .975; Student's table has 2.093 for 19 degrees of freedom:

    >>> round(t_quantile(0.975, 19), 3), round(t_quantile(0.25, 1), 12), t_quantile(0.5, 3)
    (2.093, -1.0, 0.0)
    """
    from scipy.special import stdtrit

    assert 0 < probability < 1, "a quantile is of a probability between 0 and 1"
    return float(stdtrit(df, probability))
