"""The bootstrap test of each pair of rows by its t.

Source: the shifted, studentised bootstrap of a pair: Sakai, SIGIR 2006 (Sakai 2013, slide 47).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.stats.bootstrap import resample_weights
from biasvar_cli.stats.monte_carlo import Done, blocks, unwatched
from biasvar_cli.stats.pairs import Pairs

if TYPE_CHECKING:
    from biasvar_cli.stats.monte_carlo import Generators

_TIED = 1e-9  # of a squared t


def studentised_p(
    values: FloatArray,
    pairs: Pairs,
    n_samples: int,
    generators: Generators,
    *,
    jobs: int = 1,
    done: Done = unwatched,
) -> FloatArray:
    """The studentised bootstrap test of every pair, two-sided; rows of the shape (R, n) give (k,).

    The differences are shifted to a mean of 0 and drawn with replacement, the same columns for all pairs:
    p = (1 + #{abs(t*) >= abs(t)}) / (n_samples + 1). A resample without variance counts if its mean is not 0, for its t
    is infinite, and not if it is 0. Equal rows have p 1.

    >>> values = np.array([[0.5, 0.4, 0.6, 0.45], [0.1, 0.0, 0.2, 0.05]])
    >>> studentised_p(values, Pairs.of_all(2), 99, np.random.default_rng).tolist()  # a constant difference
    [0.01]
    """
    n = values.shape[1]
    rows = values / (np.abs(values).max(initial=0.0) or 1.0)
    mean, least = np.empty(len(pairs.first)), np.empty((len(pairs.first), n))
    for place, z in pairs.differences(rows):
        mean[place] = z.mean(axis=1)
        squares = (z - mean[place, None]) ** 2
        second_moment = squares.mean(axis=1) + mean[place] ** 2
        share = np.divide(mean[place] ** 2, second_moment, out=np.ones(len(z)), where=second_moment > 0)
        least[place] = squares * share[:, None] * (1 - _TIED) + ROUNDING**2

    def exceeding(rng: np.random.Generator, size: int) -> IntArray:
        """t*^2 >= t^2 is m*^2 >= share E* of the squares, for the mean m* of a resample, without a division by 0."""
        weights = next(resample_weights(n, size, rng))
        means = rows @ weights.T
        count = np.empty(len(mean), dtype=np.int64)
        for row, place in pairs.fans():
            moved = means[row] - means[pairs.second[place]]
            moved -= mean[place, None]
            moved *= moved
            count[place] = np.count_nonzero(moved >= least[place] @ weights.T, axis=1)
        return count

    counts = blocks(exceeding, n_samples, generators, jobs=jobs, done=done)
    counted: IntArray = sum(counts, np.zeros(len(mean), dtype=np.int64))
    return np.where(np.abs(mean) <= ROUNDING, 1.0, (1 + counted) / (n_samples + 1))
