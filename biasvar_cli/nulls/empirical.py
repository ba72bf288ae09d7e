"""The null model `empirical`: scores follow the law that the data's own scores of that expected value have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.nulls.margins import EDGE, expectations, newton_step
from biasvar_cli.nulls.model import CorrelatedScores, NullModel
from biasvar_cli.nulls.quantiles import PROBABILITIES, WEIGHTS, Deviates
from biasvar_cli.nulls.surface import Surface

_FOLDS = 5
_NEWTON_STEPS = 6
_FARTHEST = 30.0  # of a run's effectiveness, on the logit scale
_MOST_BINS = 14
_CELLS_OF_A_BIN = 20  # scores for every bin
_LEAST_CELLS = 8  # of a bin that is kept


@dataclass(frozen=True, eq=False)
class BinnedLaw:
    """The laws of the scores in bins of their expected value, and how a cell is drawn from them.

    ``tables`` has the quantiles of each bin, (n_bins, len(Z)), in order of their means. A score is drawn from the bin
    at ``lower`` (R, n), or with the probability ``upper`` from the next; then it is multiplied by ``shrinking`` (below
    the least mean), and its distance from 1 by ``stretching`` (above the largest): 1 in between.
    """

    tables: FloatArray
    lower: IntArray
    upper: FloatArray
    shrinking: FloatArray
    stretching: FloatArray

    @classmethod
    def of(cls, expected: FloatArray, tables: FloatArray) -> BinnedLaw:
        """Laws mixed so that each cell has its expected score, (R, n).

        >>> law = BinnedLaw.of(np.array([[0.1, 0.5, 0.9]]), np.array([[0.2] * 37, [0.6] * 37]))
        >>> law.lower.tolist(), law.upper.round(9).tolist(), law.shrinking.round(9).tolist()
        ([[0, 0, 0]], [[0.0, 0.75, 1.0]], [[0.5, 1.0, 1.0]])
        >>> law.stretching.round(9).tolist()  # .9 = 1 - (1 - .6) / 4
        [[1.0, 1.0, 0.25]]
        """
        means = tables @ WEIGHTS
        order = np.argsort(means, kind="stable")
        means, tables = means[order], tables[order]
        lower = np.clip(np.searchsorted(means, expected, side="right") - 1, 0, max(0, len(means) - 2))
        next_up = np.minimum(lower + 1, len(means) - 1)
        width = means[next_up] - means[lower]
        upper = np.divide(expected - means[lower], width, out=np.zeros(expected.shape), where=width > 0)
        least, most = means[0], means[-1]
        shrinking = np.where(expected < least, expected / max(least, EDGE), 1.0)
        stretching = np.where(expected > most, (1 - expected) / max(1 - most, EDGE), 1.0)
        return cls(tables, lower.astype(np.int64), np.clip(upper, 0, 1), shrinking, stretching)

    def scores(self, queries: slice, deviates: Deviates, rng: np.random.Generator) -> FloatArray:
        """The quantile at each deviate of one of the two bins whose means enclose the expected score."""
        upper = self.upper[:, queries, None]
        rows = self.lower[:, queries, None] + (rng.random(deviates.below.shape, dtype=np.float32) < upper)
        scores = deviates.read(self.tables, rows)
        shrinking, stretching = self.shrinking[:, queries, None], self.stretching[:, queries, None]
        if (shrinking < 1).any():
            scores *= shrinking
        if (stretching < 1).any():
            scores = 1 - (1 - scores) * stretching
        return scores


def cross_fitted(surface: Surface) -> FloatArray:
    """The expected scores of interior cells, (r, k), each from the run's scores on other queries.

    The k-th query in order of difficulty is in fold k mod 5. For each fold a run's effectiveness is fitted again, by
    six Newton steps of Rasch's equation over the queries of the other folds, and drawn to the mean by the squared
    factor of the surface's own shrinking: a run's luck on a query is not part of what is expected of it there.
    """
    runs, queries = surface.runs, surface.queries
    values, difficulty = surface.values[np.ix_(runs, queries)], surface.difficulty[queries]
    start, near = surface.effectiveness[runs], surface.shrunk_effectiveness[runs]
    centre, sd = start.mean(), start.std(ddof=0)
    factor = (near.std(ddof=0) / sd) ** 2 if sd > 0 else 0.0
    fold = np.empty(len(difficulty), dtype=np.int64)
    fold[np.argsort(difficulty, kind="stable")] = np.arange(len(difficulty)) % _FOLDS
    expected = np.empty(values.shape)
    for number in range(_FOLDS):
        own, others = fold == number, fold != number
        run = start
        for _ in range(_NEWTON_STEPS):
            step = newton_step(values[:, others].mean(axis=1), *expectations(run[:, None] + difficulty[others]), axis=1)
            run = np.clip(run + step, -_FARTHEST, _FARTHEST)
        run = centre + factor * (run - centre)
        expected[:, own] = expectations(surface.link.logit(run[:, None], difficulty[own]))[0]
    return np.asarray(np.clip(expected, EDGE, 1 - EDGE))


def bin_tables(values: FloatArray, expected: FloatArray) -> FloatArray:
    """The quantiles of the scores in bins of their expected value, cells (N,) each: (n_bins, len(Z)).

    Cells in order of their expected value v are cut into min(14, N / 20) bins of equal sums of v (1 - v); bins of fewer
    than 8 are left out. A quantile at u is interpolated at the place u m - 1/2 of a bin's m sorted scores.
    Raises `DataError` where no bin is left.

    >>> bin_tables(np.linspace(0, 1, 20), np.full(20, 0.5))[0, [0, 18, 36]].round(3).tolist()
    [0.0, 0.5, 1.0]
    """
    order = np.argsort(expected, kind="stable")
    scores, v = values[order], expected[order]
    running = np.cumsum(v * (1 - v))
    n_bins = min(_MOST_BINS, max(1, len(scores) // _CELLS_OF_A_BIN))
    number = np.minimum(n_bins - 1, np.floor(n_bins * running / running[-1]).astype(np.int64))
    bins = [np.sort(scores[number == index]) for index in range(n_bins)]
    kept = [some for some in bins if len(some) >= _LEAST_CELLS]
    if not kept:
        raise DataError("the null models need more scores: too few are on queries and of runs that are not all 0 or 1")
    return np.stack([np.interp(PROBABILITIES * len(some) - 0.5, np.arange(len(some)), some) for some in kept])


def fit(surface: Surface) -> CorrelatedScores:
    """The laws of bins of the cross-fitted expected scores, mixed to the expected scores of the surface."""
    cells = np.ix_(surface.runs, surface.queries)
    tables = bin_tables(surface.values[cells].reshape(-1), cross_fitted(surface).reshape(-1))
    return CorrelatedScores(surface, BinnedLaw.of(surface.expected, tables))


EMPIRICAL = NullModel("empirical", "scores scatter about their expected values as the data's own scores do", fit)
