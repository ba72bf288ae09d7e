"""Bias, variances and totals on arrays, of one score matrix or of many at once.

Source: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013, Eq. 1 to 7.

One algebra: these functions, like those of `stats.correlation`, take any leading axes, so that a matrix and five
hundred samples of one go through the same lines. Means and variances over subsets of the queries have a second,
faster form for samples in `decomposition.samples`; tests hold the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray, difference
from biasvar_cli.stats.variance import population_variance
from biasvar_cli.words import VAR, Form


@dataclass(frozen=True, eq=False)
class Moments:
    """The errors of runs, arrays of one shape (..., n_runs): of the data, of samples, or without each query.

    ``mean`` is the run's mean score, ``bias`` the target's mean minus it, ``bias2`` its square (averaged where there
    are several partitions), ``var`` the variance of the scores and ``var_gap`` that of the gap target - score, nan
    where the target is a mean alone.
    """

    mean: FloatArray
    bias: FloatArray
    bias2: FloatArray
    var: FloatArray
    var_gap: FloatArray

    @classmethod
    def of(cls, mean: FloatArray, bias: FloatArray, var: FloatArray, var_gap: FloatArray) -> Moments:
        """Moments whose bias^2 is the square of the bias."""
        return Moments(mean, bias, bias**2, var, var_gap)

    @property
    def total(self) -> FloatArray:
        """Bias^2 + variance = mean over queries of (score - the target's mean)^2 (SIGIR'13 Eq. 3)."""
        return self.bias2 + self.var

    @property
    def total_gap(self) -> FloatArray:
        """Bias^2 + variance of the gap = mean over queries of (score - target)^2 (SIGIR'13 Eq. 7)."""
        return self.bias2 + self.var_gap

    def variance(self, form: Form) -> FloatArray:
        """The variance of a form."""
        found: FloatArray = getattr(self, VAR[form])
        return found


def moments(values: FloatArray, target: FloatArray | None, mean: FloatArray | float) -> Moments:
    """The errors of scores, (..., n) to (...): of the runs of a matrix, or of many matrices.

    ``target`` has the target's scores, with any shape that broadcasts to that of the values, or is None where only its
    mean is known; ``mean`` has the target's means, with any shape that broadcasts to (...).

    The runs A, B and C of SIGIR'13, Tables 1 and 2, against its target model T:

    >>> runs, best = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]]), np.array([0.7, 0.2])
    >>> found = moments(runs, best, best.mean())
    >>> found.bias2.round(6).tolist(), found.var.round(6).tolist(), found.var_gap.round(6).tolist()
    ([0.0625, 0.0121, 0.0121], [0.01, 0.0676, 0.0961], [0.0225, 0.0001, 0.0036])
    """
    means = values.mean(axis=-1)
    bias = difference(mean, means)
    var_gap = np.full(means.shape, np.nan) if target is None else population_variance(difference(target, values))
    return Moments.of(means, bias, population_variance(values), var_gap)
