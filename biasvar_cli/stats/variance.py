"""Variances: of a population, and without each value in turn.

Source of the second, for the jackknife: Miller, "The jackknife: a review", Biometrika 61, 1974.
"""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import FloatArray


def population_variance(values: FloatArray) -> FloatArray:
    """The variance with divisor n (ddof=0) along the last axis: (..., n) gives (...).

    Only this variance makes bias^2 + variance equal the mean squared error. Deviations are taken from the first value
    before the mean, so that a constant row has a variance of exactly 0.

    >>> population_variance(np.array([0.3, 0.1])).round(12)  # SIGIR'13, Table 1: A
    np.float64(0.01)
    >>> population_variance(np.full(3, 0.1))
    np.float64(0.0)
    """
    shifted = values - values[..., :1]
    shifted -= shifted.mean(axis=-1, keepdims=True)
    shifted *= shifted
    variance: FloatArray = shifted.mean(axis=-1)
    return variance


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
