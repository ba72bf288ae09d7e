"""Bootstrap tests of paired rows: one pair by its t, all pairs together by steps down.

Sources: the shifted, studentised bootstrap of a pair: Sakai, SIGIR 2006 (Sakai 2013, slide 47); the step-down method:
Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica 73, 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.stats.bootstrap import resample_weights
from biasvar_cli.stats.monte_carlo import Done, blocks, unwatched
from biasvar_cli.stats.pairs import Pairs

if TYPE_CHECKING:
    from biasvar_cli.stats.monte_carlo import Generators

_AT_ONCE = 2**21  # numbers of one array
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


class StepDown(NamedTuple):
    """The adjusted p of every pair, (k,), and the largest difference of each resample, ascending, (n_samples,)."""

    p: FloatArray
    largest: FloatArray


def step_down(
    values: FloatArray,
    pairs: Pairs,
    n_samples: int,
    generators: Generators,
    *,
    jobs: int = 1,
    done: Done = unwatched,
) -> StepDown:
    """The step-down bootstrap of all pairs together, two-sided; rows of the shape (R, n) give p of (k,).

    Columns are drawn with replacement, the same for all rows; w* is a pair's mean difference in a resample less that of
    the data. In descending order of the observed differences, the p of the j-th pair is (1 + #) / (n_samples + 1) for
    the resamples in which the largest abs(w*) of it and the pairs after it reaches its own, and no less than the p of
    the pairs before it. The chance of any false rejection is at most about the level.

    >>> values = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.1]])
    >>> found = step_down(values, Pairs.of_all(4), 500, np.random.default_rng)
    >>> (found.p < 0.05).tolist()  # the first row is apart from the three others
    [True, True, True, False, False, False]
    """
    n = values.shape[1]
    tolerance = ROUNDING * np.abs(values).max(initial=0.0)
    means = values.mean(axis=1)
    observed = np.abs(means[pairs.first] - means[pairs.second])
    order = np.argsort(-observed, kind="stable")
    first, second, least = pairs.first[order], pairs.second[order], observed[order] - tolerance
    step = max(1, _AT_ONCE // max(1, len(order)))

    def of_block(rng: np.random.Generator, size: int) -> tuple[IntArray, FloatArray]:
        moved = values @ next(resample_weights(n, size, rng)).T - means[:, None]
        count, largest = np.zeros(len(order), dtype=np.int64), np.empty(size)
        for start in range(0, size, step):
            some = np.ascontiguousarray(moved[:, start : start + step])
            reached = some[first]
            reached -= some[second]
            np.abs(reached, out=reached)
            np.maximum.accumulate(reached[::-1], axis=0, out=reached[::-1])
            count += np.count_nonzero(reached >= least[:, None], axis=1)
            largest[start : start + step] = reached[0]
        return count, largest

    counted, first_maxima = np.zeros(len(order), dtype=np.int64), []
    for count, largest in blocks(of_block, n_samples, generators, jobs=jobs, done=done):
        counted += count
        first_maxima.append(largest)
    ordered = np.maximum.accumulate((1 + counted) / (n_samples + 1))
    p = np.empty(len(order))
    p[order] = ordered
    return StepDown(p, np.sort(np.concatenate(first_maxima)))


def largest_differences(values: FloatArray, n_samples: int, generators: Generators, *, jobs: int = 1) -> FloatArray:
    """The `largest` of `step_down` over all pairs of rows, (R, n), ascending, (n_samples,), and no look at each.

    It is the range of what the rows move by in a resample.

    >>> values = np.random.default_rng(0).random((5, 12))
    >>> steps = step_down(values, Pairs.of_all(5), 300, np.random.default_rng)
    >>> bool((largest_differences(values, 300, np.random.default_rng) == steps.largest).all())
    True
    """
    means = values.mean(axis=1)

    def of_block(rng: np.random.Generator, size: int) -> FloatArray:
        moved = values @ next(resample_weights(values.shape[1], size, rng)).T - means[:, None]
        ranges: FloatArray = np.ptp(moved, axis=0)
        return ranges

    found: FloatArray = np.sort(np.concatenate(list(blocks(of_block, n_samples, generators, jobs=jobs))))
    return found
