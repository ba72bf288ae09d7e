"""The effectiveness of runs and the difficulty of queries on the logit scale: Rasch's model of persons and items."""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, equalised
from biasvar_cli.errors import DataError

EDGE = 1e-4  # means are kept that far from 0 and 1
_LEAST_PRECISION = 0.05
_FARTHEST = 40.0  # from 0, for a parameter on the logit scale; beyond that no score differs
_SWEEPS = 500


def rasch_margins(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """s and t, of the runs and the queries, with which sigmoid(s_f + t_q) has the row and column means of the values.

    Means are kept in [1e-4, 1 - 1e-4], s and t in [-40, 40]; t has a mean of 0. Alternating Newton steps of at most 1.

    >>> run, query = rasch_margins(np.array([[0.1, 0.5, 0.3], [0.3, 0.6, 0.2]]))
    >>> fitted = 1 / (1 + np.exp(-(run[:, None] + query)))
    >>> fitted.mean(axis=1).round(9).tolist(), fitted.mean(axis=0).round(9).tolist()
    ([0.3, 0.366666667], [0.2, 0.55, 0.25])
    """
    run_mean, query_mean = (np.clip(values.mean(axis=axis), EDGE, 1 - EDGE) for axis in (1, 0))
    run, query = np.log(run_mean / (1 - run_mean)), np.zeros(len(query_mean))
    for _ in range(_SWEEPS):
        run_step = newton_step(run_mean, *expectations(run[:, None] + query), axis=1)
        run = np.clip(run + run_step, -_FARTHEST, _FARTHEST)
        query_step = newton_step(query_mean, *expectations(run[:, None] + query), axis=0)
        query = np.clip(query + query_step, -_FARTHEST, _FARTHEST)
        run, query = run + query.mean(), query - query.mean()
        if max(np.abs(run_step).max(), np.abs(query_step).max()) < 1e-12:
            break
    return run, query


def common_precision(values: FloatArray, run: FloatArray, query: FloatArray) -> float:
    """phi = sum p (1 - p) / [sum (S - p)^2 R n / ((R - 1)(n - 1))] - 1, at least .05, where p = sigmoid(s_f + t_q).

    Raises `DataError` for scores that follow from the means of runs and queries without any scatter.

    >>> common_precision(np.array([[0.3, 0.5], [0.5, 0.3]]), np.full(2, np.log(2 / 3)), np.zeros(2))  # .96 / .16 - 1
    5.0
    """
    n_runs, n_queries = values.shape
    p, spread = expectations(run[:, None] + query)
    residual = equalised(values - p)
    scatter = float((residual**2).sum()) * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1))
    if scatter <= ROUNDING * float(spread.sum()):
        raise DataError("the null models find no scatter: the means of runs and queries explain every score")
    precision: float = round(float(spread.sum()) / scatter - 1, 12)
    return max(_LEAST_PRECISION, precision)


def interior(values: FloatArray, *, axis: int) -> BoolArray:
    """Which rows (axis 1) or columns (axis 0) have a mean other than 0 and 1, by more than 1e-4.

    >>> interior(np.array([[0.0, 0.5], [0.0, 0.3]]), axis=0).tolist()
    [False, True]
    """
    mean = values.mean(axis=axis)
    return np.asarray((mean > EDGE) & (mean < 1 - EDGE))


def shrunk(parameter: FloatArray, error2: FloatArray, known: BoolArray) -> FloatArray:
    """Parameters drawn to their mean by sqrt(1 - mean squared standard error / variance), or onto it.

    Only those ``known`` take part: the errors of parameters that nothing but the edge of 1e-4 keeps finite would swamp
    all others.

    >>> shrunk(np.array([-1.0, 1.0, 9.0]), np.array([0.75, 0.75, 99.0]), np.array([True, True, False])).tolist()
    [-0.5, 0.5, 9.0]
    """
    nearer = parameter.copy()
    if known.any():
        centre, var = parameter[known].mean(), parameter[known].var(ddof=0)
        factor = np.sqrt(max(0.0, 1 - error2[known].mean() / var)) if var > 0 else 0.0
        nearer[known] = centre + factor * (parameter[known] - centre)
    return nearer


def expectations(logit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p = sigmoid(logit) and p (1 - p), of any shape.

    >>> [float(each) for each in expectations(np.array(0.0))]
    [0.5, 0.25]
    """
    p = 1 / (1 + np.exp(-logit))
    return p, p / (1 + np.exp(logit))


def newton_step(mean: FloatArray, p: FloatArray, spread: FloatArray, *, axis: int) -> FloatArray:
    """The Newton step on the logit scale towards these means of p, at most 1 in size."""
    step: FloatArray = np.clip((mean - p.mean(axis=axis)) / spread.mean(axis=axis), -1, 1)
    return step
