"""The errors of runs on resampled queries and without each query, from the deviations of the data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, difference
from biasvar_cli.decomposition.decompose import decompose
from biasvar_cli.decomposition.moments import Moments
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.variance import leave_one_out_variance


class Deviations(NamedTuple):
    """The moments of the data, (R,), and the deviations of scores and gaps from their means, (R, n).

    From deviations the variances of resamples come without cancellation, and exactly 0 for constant scores. A target
    that is a mean alone has the gaps of a constant.
    """

    moments: Moments
    score: FloatArray
    gap: FloatArray

    @classmethod
    def of(cls, scores: ScoreMatrix, target: VirtualTarget) -> Deviations:
        """The deviations of the scores of runs and of their gaps to the target."""
        result = decompose(scores, target)
        best = np.array([target.mean]) if target.scores is None else target.scores
        gaps, largest = difference(best, scores.values), np.abs(scores.values).max(axis=1)
        score = _deviations(scores.values, largest)
        gap = _deviations(gaps, np.maximum(largest, np.abs(best).max()))
        var_gap = result.var if target.scores is None else result.var_gap
        var, var_gap = (np.where(each.any(axis=1), v, 0.0) for v, each in ((result.var, score), (var_gap, gap)))
        return cls(Moments.of(result.mean, result.bias, var, var_gap), score, gap)

    def of_runs(self, runs: slice) -> Deviations:
        """Some of the runs."""
        some = Moments(*(each[runs] for each in vars(self.moments).values()))
        return Deviations(some, self.score[runs], self.gap[runs])

    def resampled(self, weights: FloatArray) -> Moments:
        """The moments of resamples with these weights, (B, n): the target is drawn with its queries. (B, R)."""
        score, gap = weights @ self.score.T, weights @ self.gap.T
        return Moments.of(
            self.moments.mean + score,
            self.moments.bias + gap,
            np.maximum(weights @ (self.score**2).T - score**2, 0.0),
            np.maximum(weights @ (self.gap**2).T - gap**2, 0.0),
        )

    def left_out(self) -> Moments:
        """The moments without each query in turn, (R, n), n >= 2; a variance by rounding alone is 0."""
        others = self.score.shape[1] - 1
        return Moments.of(
            self.moments.mean[:, None] - self.score / others,
            self.moments.bias[:, None] - self.gap / others,
            _without_each(self.score),
            _without_each(self.gap),
        )


def _deviations(values: FloatArray, largest: FloatArray) -> FloatArray:
    """Each row minus its mean; exactly 0 for one that varies by no more than rounding of the largest score, (R,)."""
    shifted = values - values[:, :1]
    deviations: FloatArray = shifted - shifted.mean(axis=1, keepdims=True)
    deviations[np.abs(deviations).max(axis=1) <= ROUNDING * largest] = 0.0
    return deviations


def _without_each(deviations: FloatArray) -> FloatArray:
    """The variance without each query, (R, n); 0 where its root is below 1e-12 of the largest deviation."""
    variance = leave_one_out_variance(deviations)
    least = (ROUNDING * np.abs(deviations).max(axis=1, keepdims=True)) ** 2
    settled: FloatArray = np.where(variance <= least, 0.0, variance)
    return settled
