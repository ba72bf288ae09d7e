"""Which rows the primary test finds different, all pairs of them or from one, without the p-value of every pair.

The p-values of `step_down.step_down_of_pairs` ascend from the largest mean difference to the smallest, so that the
pairs with p below 1 - level are those whose difference has at least a certain size. This size is found in a few steps.
In each one the largest differences of the resamples are taken over all pairs that are not rejected yet, and every size
that they reach seldom enough is rejected; the sizes that are left go through the next step, until none is rejected.

A pair is left if its means are close; the largest differences are those of windows of rows (`stats.steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.specs import is_significant
from biasvar_cli.stats.monte_carlo import Draws, unwatched
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.resampling import resample_weights
from biasvar_cli.stats.step_down import (
    TOLERANCE,
    largest_difference,
    less_the_first,
    mapped_p,
    method_for,
    step_down,
)
from biasvar_cli.stats.steps import Windows, largest_differences

_IN_MEMORY = 2**25  # numbers of all resamples; of more rows the resamples are drawn again in each step


def differs_from(rows: FloatArray, row: int, level: float, draws: Draws) -> BoolArray:
    """Whether p of each row and one ``row`` is below 1 - level, in the test of all pairs of R rows, (R, n): (R,).

    The answer is that of `step_down.step_down_of_pairs` with the same draws. It is False for the row itself, and for
    all of them where p is undefined.

    >>> rows = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.1]])
    >>> differs_from(rows, 0, 0.95, Draws(999, np.random.default_rng)).tolist()
    [False, True, True, True]
    """
    signs, pairs = significant_signs(rows, level, draws), Pairs.of_all(len(rows))
    differs = np.zeros(len(rows), dtype=bool)
    if signs is not None:
        differs[pairs.second[(pairs.first == row) & (signs != 0)]] = True
        differs[pairs.first[(pairs.second == row) & (signs != 0)]] = True
    return differs


def significant_signs(rows: FloatArray, level: float, draws: Draws) -> IntArray | None:
    """Which of two rows has the larger mean, where p is below 1 - level in the test of all pairs of R rows, (R, n).

    1 for the first row of a pair, -1 for the second, 0 where p is not below 1 - level; pairs as in `Pairs.of_all`,
    (R (R - 1) / 2,). None where p is undefined, for fewer than 6 queries.

    >>> rows = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.1], [0.5], [0.1], [0.1]])
    >>> significant_signs(rows, 0.95, Draws(999, np.random.default_rng)).tolist()
    [-1, 0, 0, 1, 1, 0]
    """
    near, pairs = less_the_first(rows), Pairs.of_all(len(rows))
    n_pairs = len(pairs.first)
    if n_pairs == 0 or method_for(rows.shape[1], n_pairs) == "none":
        draws.done(draws.n_samples)
        return np.zeros(0, dtype=np.int64) if n_pairs == 0 else None
    if n_pairs == 1:
        significant = is_significant(step_down(near[1:], level, draws).p, level)
        return np.where(significant, np.sign(near[0].mean() - near[1].mean()), 0).astype(np.int64)
    near = near / largest_difference(near)
    means = near.mean(axis=1)
    delta = means[pairs.first] - means[pairs.second]
    significant = np.abs(delta) >= _least_rejected(near, means, np.abs(delta), level, draws)
    return np.where(significant, np.sign(delta), 0).astype(np.int64)


def _least_rejected(rows: FloatArray, means: FloatArray, sizes: FloatArray, level: float, draws: Draws) -> float:
    """The smallest of the sizes of mean differences with p below 1 - level; infinite where there is none."""
    order = np.argsort(means, kind="stable")
    sizes = np.unique(sizes)[::-1]
    resampled = _drawn(rows, means, order, draws)
    n_rejected = 0
    while n_rejected < len(sizes):
        windows = [Windows.within(means[order], sizes[n_rejected])]
        largest = np.sort(np.concatenate([largest_differences(drift, windows)[0] for drift in resampled()]))
        n_reached = len(largest) - np.searchsorted(largest, sizes[n_rejected:] - TOLERANCE)
        p = mapped_p((1 + n_reached) / (draws.n_samples + 1), rows.shape[1])
        n_more = int(np.count_nonzero(is_significant(p, level)))
        if n_more == 0:
            break
        n_rejected += n_more
    return float(sizes[n_rejected - 1]) if n_rejected else np.inf


def _drawn(
    rows: FloatArray, means: FloatArray, order: IntArray, draws: Draws
) -> Callable[[], Iterator[FloatArray] | list[FloatArray]]:
    """What gives the means of the resamples less those of the data, (R, some) in an order of the rows, each time."""

    def drift(rng: np.random.Generator, n_drawn: int) -> FloatArray:
        weights = next(resample_weights(rows.shape[1], n_drawn, rng))
        moved: FloatArray = (rows @ weights.T - means[:, None])[order]
        return moved

    if len(rows) * draws.n_samples <= _IN_MEMORY:
        blocks = list(draws.blocks(drift))
        return lambda: blocks
    draws.done(draws.n_samples)
    return lambda: draws._replace(done=unwatched).blocks(drift)
