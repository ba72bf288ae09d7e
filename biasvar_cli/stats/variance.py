"""Variances of a population and without each value in turn; two-way ANOVA without replication, and Friedman's test.

Sources: for the jackknife Miller, "The jackknife: a review", Biometrika 61, 1974; analysis of a matrix by rows and
columns: Sakai 2013, slides 43 and 48, and Friedman, Journal of the American Statistical Association 32, 1937.
"""

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.stats.correlation import mid_ranks


def population_variance(values: FloatArray) -> FloatArray:
    """The variance with divisor n (ddof=0) along the last axis: (..., n) gives (...).

    Only this variance makes bias^2 + variance equal the mean squared error. Deviations are taken from the first value
    before the mean, so that a constant row has a variance of exactly 0.

    >>> round(float(population_variance(np.array([0.3, 0.1]))), 12)  # SIGIR'13, Table 1: A
    0.01
    >>> float(population_variance(np.full(3, 0.1)))
    0.0
    """
    shifted = values - values[..., :1]
    shifted -= shifted.mean(axis=-1, keepdims=True)
    shifted *= shifted
    return shifted.mean(axis=-1)


def leave_one_out_variance(values: FloatArray, clusters: Clusters | None = None) -> FloatArray:
    """The population variance of each row without each of its values in turn: (R, n) gives (R, n), n >= 2.

    With ``clusters`` of the columns, C >= 2, it is without each cluster in turn, (R, C).

    Var without q = [sum of squared deviations - n d_q^2 / (n - 1)] / (n - 1), where d_q = x_q - mean. Where that loses
    digits, because one value has nearly all of the variance, it is computed from the others. Constant others have a
    variance of exactly 0.

    >>> leave_one_out_variance(np.array([[0.1, 0.3, 0.5], [0.1, 0.1, 0.4]])).round(12).tolist()
    [[0.01, 0.04, 0.01], [0.0225, 0.0225, 0.0]]
    """
    if clusters is not None and not clusters.are_single:
        return np.stack([population_variance(values[:, others]) for others in clusters.without()], axis=1)
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


def leave_one_out_mean(values: FloatArray, clusters: Clusters | None = None) -> FloatArray:
    """The mean of each row without each of its values in turn: (R, n) gives (R, n), n >= 2; exact for a constant row.

    With ``clusters`` of the columns, C >= 2, it is without each cluster in turn, (R, C).

    >>> leave_one_out_mean(np.array([[0.1, 0.3, 0.5]])).round(12).tolist()
    [[0.4, 0.3, 0.2]]
    """
    shifted = values - values[:, :1]
    if clusters is not None and not clusters.are_single:
        return np.stack([values[:, 0] + shifted[:, others].mean(axis=1) for others in clusters.without()], axis=1)
    return values[:, :1] + (shifted.sum(axis=1, keepdims=True) - shifted) / (values.shape[1] - 1)


@dataclass(frozen=True)
class Anova:
    """Sums of squares, degrees of freedom, F and p of runs and of queries; nan where the error is 0 up to rounding."""

    ss_runs: float
    ss_queries: float
    ss_error: float
    df_runs: int
    df_queries: int
    df_error: int
    ms_error: float
    f_runs: float
    f_queries: float
    p_runs: float
    p_queries: float


@dataclass(frozen=True)
class Friedman:
    """Friedman's chi-square, its degrees of freedom and p; nan where every query has equal scores alone."""

    chi2: float
    df: int
    p: float


def anova(values: FloatArray) -> Anova:
    """The two-way analysis of variance of runs and queries, shape (R, n), both at least 2.

    SS_runs = n sum (row mean - mean)^2, SS_queries = R sum (column mean - mean)^2, SS_error is the rest, with
    (R - 1)(n - 1) degrees of freedom.

    By hand: means of rows 2 and 4, of columns 2 and 4, residuals -1, 1, 1, -1.

    >>> result = anova(np.array([[0.0, 4.0], [4.0, 4.0]]))
    >>> result.ss_runs, result.ss_queries, result.ss_error, result.f_runs
    (4.0, 4.0, 4.0, 1.0)
    """
    from scipy.special import fdtrc

    n_runs, n_queries = values.shape
    of_runs, of_queries, mean = values.mean(axis=1), values.mean(axis=0), float(values.mean())
    residuals = values - of_runs[:, None] - of_queries + mean
    residuals[np.abs(residuals) <= ROUNDING * np.abs(values).max(initial=0.0)] = 0.0
    ss_runs = n_queries * float(((of_runs - mean) ** 2).sum())
    ss_queries = n_runs * float(((of_queries - mean) ** 2).sum())
    ss_error, df = float((residuals**2).sum()), (n_runs - 1) * (n_queries - 1)
    ms_error = ss_error / df
    f_runs, f_queries = (
        ss / (size - 1) / ms_error if ms_error > 0 else float("nan")
        for ss, size in ((ss_runs, n_runs), (ss_queries, n_queries))
    )
    return Anova(
        ss_runs=ss_runs,
        ss_queries=ss_queries,
        ss_error=ss_error,
        df_runs=n_runs - 1,
        df_queries=n_queries - 1,
        df_error=df,
        ms_error=ms_error,
        f_runs=f_runs,
        f_queries=f_queries,
        p_runs=float(fdtrc(n_runs - 1, df, f_runs)),
        p_queries=float(fdtrc(n_queries - 1, df, f_queries)),
    )


def friedman(values: FloatArray) -> Friedman:
    """Friedman's test of runs by their ranks on each query, (R, n), with the correction for ties.

    chi2 = [12 / (n R (R + 1)) sum (rank sum)^2 - 3 n (R + 1)] / [1 - sum (t^3 - t) / (n R (R^2 - 1))], df = R - 1.

    Three runs in one order on two queries: ranks 2, 4, 6, so 12 / 24 * 56 - 24 = 4.

    >>> friedman(np.array([[0.1, 0.2], [0.2, 0.3], [0.3, 0.4]])).chi2
    4.0
    """
    from scipy.special import chdtrc

    n_runs, n_queries = values.shape
    ranks = mid_ranks(np.ascontiguousarray(values.T))
    centred = ranks - (n_runs + 1) / 2
    spread = float((centred**2).sum())  # n R (R^2 - 1) / 12 without ties; the ratio has their correction in it
    df = n_runs - 1
    if spread == 0:
        return Friedman(float("nan"), df, float("nan"))
    chi2 = df * n_queries * float((centred.sum(axis=0) ** 2).sum()) / (n_queries * spread)
    return Friedman(chi2, df, float(chdtrc(df, chi2)))
