"""What every null model is: a name, its meaning, and a law of scores about their expected values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.nulls.quantiles import Deviates
from biasvar_cli.stats.monte_carlo import by_threads

if TYPE_CHECKING:
    from biasvar_cli.nulls.surface import Surface

_CELLS_AT_ONCE = 2**18  # scores that a thread draws at a time


class Sampler(Protocol):
    """A fitted model, which draws samples of the whole matrix: the same ones by any number of threads."""

    def draw(self, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
        """Samples, shape (n_samples, n_runs, n_queries)."""
        ...


@dataclass(frozen=True)
class NullModel:
    """A null model: its ``name`` in keys and options, its meaning in ``words``, and how it is fitted to a surface."""

    name: str
    words: str
    fit: Callable[[Surface], Sampler]


class Law(Protocol):
    """The distribution of a score about its expected value."""

    def scores(self, queries: slice, deviates: Deviates, rng: np.random.Generator) -> FloatArray:
        """Scores of all runs on some queries, (n_runs, n_queries, n_samples), at these deviates."""
        ...


@dataclass(frozen=True, eq=False)
class CorrelatedScores:
    """A sampler whose scores have a law about their expected value, and the runs' own correlation.

    z* = Z G / sqrt(n) with the normal scores Z of the residuals, (R, n), and a standard normal G: every new query is
    drawn with the runs' own correlation. With Z' = Q U (Householder) that is U' (Q' G) / sqrt(n), where Q' G is
    standard normal too, of as many rows as there are runs or queries, whichever are fewer.
    """

    surface: Surface
    law: Law

    def draw(self, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
        """Samples, shape (n_samples, n_runs, n_queries).

        Models that are fitted to one surface make the same deviates of one generator. Some queries at a time have a
        generator of their own; the threads change nothing in the samples.
        """
        n_runs, n_queries = self.surface.values.shape
        factor = self.surface.factor
        samples = np.empty((n_samples, n_runs, n_queries))
        at_once = max(1, _CELLS_AT_ONCE // (n_runs * n_samples))
        starts = range(0, n_queries, at_once)

        def fill(start: int, own: np.random.Generator) -> None:
            some = slice(start, min(start + at_once, n_queries))
            normal = own.standard_normal((factor.shape[1], (some.stop - start) * n_samples))
            z = (factor @ normal).reshape(n_runs, some.stop - start, n_samples)
            samples[:, :, some] = self.law.scores(some, Deviates.of(z), own).transpose(2, 0, 1)

        by_threads(lambda item: fill(*item), list(zip(starts, rng.spawn(len(starts)), strict=True)), jobs)
        fixed = self.surface.fixed
        samples[:, :, fixed] = self.surface.values[:, fixed]
        return samples
