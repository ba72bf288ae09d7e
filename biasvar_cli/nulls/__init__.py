"""Null models: simulated tracks whose runs differ in nothing but their means.

Here is their list: what each is, and how it is fitted and drawn from.

A score is drawn as the quantile of its law at Phi(z) (`laws`). The deviates z of a query are correlated between runs,
as the runs' own scores are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.nulls.laws import FEW_CELLS_AT_ONCE, PROBABILITIES, BetaLaw, BinnedLaw, Deviates
from biasvar_cli.nulls.surface import EDGE, Surface, bernoulli_moments, newton_step
from biasvar_cli.stats.monte_carlo import AT_ONCE, LARGE_SAMPLE, Stream, by_threads
from biasvar_cli.words import QUERIES, RUNS

_CELLS_AT_ONCE = 2**18  # scores that a thread draws at a time
_LEAST_RATIO = 0.01
_SAMPLING_VARIANCE = 5.0  # of the logarithm of a query's dispersion, times the number of runs
_FOLDS = 5
_NEWTON_STEPS = 6
_FARTHEST = 30.0  # of a run's effectiveness, on the logit scale
_MOST_BINS = 14
_CELLS_OF_A_BIN = 20  # scores for every bin
_LEAST_CELLS = 8  # of a bin that is kept


class Sampler(Protocol):
    """A fitted model, which draws samples of the whole matrix: the same ones by any number of threads."""

    def draw(self, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
        """Samples, shape (n_samples, n_runs, n_queries)."""
        ...


@dataclass(frozen=True)
class NullModel:
    """A null model: its ``name``, its meaning in ``words``, and how it is fitted to a surface.

    A model that is not ``fitted`` needs the scores alone, as the ``values`` of anything. Models of one ``stream`` of
    random numbers share their deviates. A model that is shown beside the deciding ones has its ``key`` in JSON, and
    says in ``undeciding`` why no verdict is made of it.
    """

    name: str
    words: str
    fit: Callable[[Any], Sampler]
    stream: Stream = Stream.NULL
    fitted: bool = True
    key: str = ""
    undeciding: str = ""


def _samples(n_samples: int, n_runs: int, n_queries: int, n_models: int = 1, dtype: Any = np.float64) -> FloatArray:
    """Room for the samples of some models, (n_samples, n_models, n_runs, n_queries).

    In large samples the scores of a query lie beside each other.
    """
    if n_runs * n_queries <= LARGE_SAMPLE:
        return np.empty((n_models, n_samples, n_runs, n_queries), dtype).swapaxes(0, 1)
    return np.empty((n_models, n_samples, n_queries, n_runs), dtype).transpose(1, 0, 3, 2)


def _spawned(
    fill: Callable[[int, np.random.Generator], None], starts: Sequence[int], rng: np.random.Generator, jobs: int
) -> None:
    """``fill`` from each start on, with a generator of its own: threads change nothing in what is drawn."""
    by_threads(lambda item: fill(*item), list(zip(starts, rng.spawn(len(starts)), strict=True)), jobs)


@dataclass(frozen=True, eq=False)
class CorrelatedScores:
    """A sampler whose scores have a law about their expected value, and the runs' own correlation.

    z* = Z G / sqrt(n) with the normal scores Z of the residuals, (R, n), and a standard normal G: every new query is
    drawn with the runs' own correlation. With Z' = Q U (Householder) that is U' (Q' G) / sqrt(n), where Q' G is
    standard normal too, of as many rows as there are runs or queries, whichever are fewer.
    """

    surface: Surface
    law: BetaLaw | BinnedLaw

    def draw(self, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
        """Samples, shape (n_samples, n_runs, n_queries)."""
        return draw_together([self], rng, n_samples, jobs=jobs)[:, 0]


def draw_together(
    samplers: Sequence[CorrelatedScores], rng: np.random.Generator, n_samples: int, *, jobs: int = 1
) -> FloatArray:
    """Samples of models that are fitted to one surface, by the same deviates: (n_samples, n_models, n_runs, n_queries).

    Some queries at a time have a generator of their own; the threads change nothing in the samples. Large samples have
    32 bits.
    """
    surface = samplers[0].surface
    n_runs, n_queries = surface.values.shape
    is_large = n_runs * n_queries > LARGE_SAMPLE
    precision: Any = np.float32 if is_large else np.float64
    root = surface.correlation_root.astype(precision, copy=False)
    samples = _samples(n_samples, n_runs, n_queries, len(samplers), precision)
    at_once = max(1, (FEW_CELLS_AT_ONCE if is_large else _CELLS_AT_ONCE) // (n_runs * n_samples))

    def fill(start: int, rng: np.random.Generator) -> None:
        some = slice(start, min(start + at_once, n_queries))
        n = some.stop - start
        if is_large:
            normal = rng.standard_normal((n * n_samples, root.shape[1]), dtype=precision)
            deviates, axes = Deviates.of((normal @ root.T).reshape(n, n_samples, n_runs)), (1, 2, 0)
        else:
            normal = rng.standard_normal((root.shape[1], n * n_samples))
            deviates, axes = Deviates.of((root @ normal).reshape(n_runs, n, n_samples)), (2, 0, 1)
        for number, sampler in enumerate(samplers):
            samples[:, number, :, some] = sampler.law.scores(some, deviates, rng).transpose(axes)

    _spawned(fill, range(0, n_queries, at_once), rng, jobs)
    constant = surface.constant_queries
    samples[..., constant] = surface.values[:, constant]
    return samples


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
        samples = _samples(n_samples, *self.values.shape)[:, 0]
        starts = range(0, n_samples, AT_ONCE)

        def fill(start: int, rng: np.random.Generator) -> None:
            some = samples[start : start + AT_ONCE]
            rng.permuted(np.broadcast_to(self.values, some.shape), axis=1, out=some)

        _spawned(fill, starts, rng, jobs)
        return samples


def dispersion_ratios(surface: Surface) -> FloatArray:
    """kappa of each query, (n,): its dispersion over the common one; 1 for a query on which all runs have 0, or 1.

    l = ln[c sum (S - raw)^2 / sum psi raw (1 - raw)] over the interior runs of a query, at least ln .01, centred with
    weights w proportional to sum raw (1 - raw). kappa is proportional to exp(l sqrt(max(0, 1 - (5 / R) / sum w l^2))),
    drawn to 1 by what sampling alone makes of l, and sum w kappa = 1.
    """
    cells = surface.interior_cells
    raw = surface.raw_expected[cells]
    spread = (raw * (1 - raw)).sum(axis=0)
    square = surface.dof_correction * ((surface.values[cells] - raw) ** 2).sum(axis=0)
    weight = spread / spread.sum()
    log_ratio = np.log(np.maximum(square / (surface.dispersion * spread), _LEAST_RATIO))
    log_ratio -= weight @ log_ratio
    var = float(weight @ log_ratio**2)
    factor = np.sqrt(max(0.0, 1 - _SAMPLING_VARIANCE / len(surface.values) / var)) if var > 0 else 0.0
    ratio = np.exp(factor * log_ratio)
    ratios = np.ones(surface.values.shape[1])
    ratios[surface.interior_queries] = ratio / (weight @ ratio)
    return ratios


def cross_fitted(surface: Surface) -> FloatArray:
    """The expected scores of interior cells, (r, k), each from the run's scores on other queries.

    The k-th query in order of easiness is in fold k mod 5. For each fold a run's effectiveness is fitted again, by
    six Newton steps of Rasch's equation over the queries of the other folds, and drawn to the mean by the squared
    factor of the surface's own shrinking: a run's luck on a query is not part of what is expected of it there.
    """
    runs, queries = surface.interior_runs, surface.interior_queries
    values, easiness = surface.values[surface.interior_cells], surface.easiness[queries]
    start, near = surface.effectiveness[runs], surface.shrunk_effectiveness[runs]
    centre, sd = start.mean(), start.std(ddof=0)
    factor = (near.std(ddof=0) / sd) ** 2 if sd > 0 else 0.0
    fold = np.empty(len(easiness), dtype=np.int64)
    fold[np.argsort(easiness, kind="stable")] = np.arange(len(easiness)) % _FOLDS
    expected = np.empty(values.shape)
    for number in range(_FOLDS):
        left_out, others = fold == number, fold != number
        run = start
        for _ in range(_NEWTON_STEPS):
            moments = bernoulli_moments(run[:, None] + easiness[others])
            step = newton_step(values[:, others].mean(axis=1), *moments, axis=1)
            run = np.clip(run + step, -_FARTHEST, _FARTHEST)
        run = centre + factor * (run - centre)
        expected[:, left_out] = bernoulli_moments(surface.link.logit(run[:, None], easiness[left_out]))[0]
    return np.clip(expected, EDGE, 1 - EDGE)


def _bin_tables(values: FloatArray, expected: FloatArray) -> FloatArray:
    """The quantiles of the scores in bins of their expected value, cells (N,) each: (n_bins, len(Z)).

    Cells in order of their expected value v are cut into min(14, N / 20) bins of equal sums of v (1 - v); bins of fewer
    than 8 are left out. A quantile at u is interpolated at the place u m - 1/2 of a bin's m sorted scores.
    Raises `DataError` where no bin is left.

    >>> _bin_tables(np.linspace(0, 1, 20), np.full(20, 0.5))[0, [0, 18, 36]].round(3).tolist()
    [0.0, 0.5, 1.0]
    """
    order = np.argsort(expected, kind="stable")
    scores, v = values[order], expected[order]
    running = np.cumsum(v * (1 - v))
    n_bins = min(_MOST_BINS, max(1, len(scores) // _CELLS_OF_A_BIN))
    number = np.minimum(n_bins - 1, np.floor(n_bins * running / running[-1]).astype(np.int64))
    bins = [np.sort(scores[number == index]) for index in range(n_bins)]
    large = [scores for scores in bins if len(scores) >= _LEAST_CELLS]
    if not large:
        raise DataError(f"the null models need more {RUNS} and {QUERIES} whose scores are not all 0 or all 1")
    return np.stack([np.interp(PROBABILITIES * len(scores) - 0.5, np.arange(len(scores)), scores) for scores in large])


def _common(surface: Surface) -> CorrelatedScores:
    """Beta(p phi, (1 - p) phi) with 1 / (phi + 1) = psi, the dispersion of the surface, for all queries."""
    dispersion = np.full(surface.values.shape[1], surface.dispersion)
    return CorrelatedScores(surface, BetaLaw.of(surface.expected, dispersion))


def _by_query(surface: Surface) -> CorrelatedScores:
    """Beta(p phi_q, (1 - p) phi_q) with 1 / (phi_q + 1) = psi kappa_q, within the bounds of psi."""
    return CorrelatedScores(surface, BetaLaw.of(surface.expected, surface.dispersion * dispersion_ratios(surface)))


def _empirical(surface: Surface) -> CorrelatedScores:
    """The laws of bins of the cross-fitted expected scores, mixed to the expected scores of the surface."""
    cells = surface.interior_cells
    tables = _bin_tables(surface.values[cells].reshape(-1), cross_fitted(surface).reshape(-1))
    return CorrelatedScores(surface, BinnedLaw.of(surface.expected, tables))


COMMON = NullModel("common", "scores scatter about their expected values by one Beta law", _common)
_BY_QUERY = NullModel("by-query", "scores scatter about their expected values by a Beta law for each query", _by_query)
EMPIRICAL = NullModel("empirical", "scores scatter about their expected values as the data's own scores do", _empirical)
SHUFFLED = NullModel(
    "shuffled",
    "scores are shuffled among the runs within each query",
    lambda scores: ShuffledScores(scores.values),
    Stream.SHUFFLED,
    fitted=False,
    key="null_exchangeable",
    undeciding="Its runs do not differ in their means either, so r outside its range shows only that the means differ",
)
DECIDING = (COMMON, _BY_QUERY, EMPIRICAL)  # a verdict needs all of them; the first gives the median that is printed
BESIDE = (SHUFFLED,)  # shown beside them, where asked for
NULLS: dict[str, NullModel] = {model.name: model for model in (*DECIDING, *BESIDE)}
