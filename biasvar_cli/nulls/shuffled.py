"""The null model `shuffled`: the scores of each query in a random order over the runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.nulls.model import NullModel
from biasvar_cli.nulls.surface import Surface
from biasvar_cli.stats.monte_carlo import AT_ONCE, by_threads


@dataclass(frozen=True, eq=False)
class ShuffledScores:
    """A sampler that shuffles each query's scores among the runs (the null of the randomised Tukey HSD), (R, n).

    The best score of every query, and with it the target and its difficulty, stays as it is.
    """

    values: FloatArray

    def draw(self, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
        """Samples, shape (n_samples, n_runs, n_queries); some at a time have a generator of their own.

        >>> sampler = ShuffledScores(np.array([[0.1, 0.4], [0.3, 0.2]]))
        >>> sampler.draw(np.random.default_rng(0), 5).max(axis=1).tolist() == [[0.3, 0.4]] * 5
        True
        """
        samples = np.empty((n_samples, *self.values.shape))
        starts = range(0, n_samples, AT_ONCE)

        def fill(start: int, own: np.random.Generator) -> None:
            some = samples[start : start + AT_ONCE]
            own.permuted(np.broadcast_to(self.values, some.shape), axis=1, out=some)

        by_threads(lambda item: fill(*item), list(zip(starts, rng.spawn(len(starts)), strict=True)), jobs)
        return samples


def fit(surface: Surface) -> ShuffledScores:
    """Nothing is fitted."""
    return ShuffledScores(surface.values)


SHUFFLED = NullModel("shuffled", "scores are shuffled among the runs within each query", fit)
