"""Null models: simulated tracks whose runs differ in nothing but their means.

Here is their list: what each is, and how it is fitted and drawn from.

A score is drawn as the quantile of its law at Phi(z). The deviates z of a query are correlated between runs, as the
runs' own scores are; the laws are tables over a grid of z, and a score is read from them by two look-ups and a straight
line between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.nulls.surface import EDGE, LEAST_DISPERSION, MOST_DISPERSION, Surface, bernoulli_moments, newton_step
from biasvar_cli.stats.monte_carlo import AT_ONCE, LARGE_SAMPLE, Stream, by_threads
from biasvar_cli.words import QUERIES, RUNS

STEP = 0.2
Z = np.round(np.arange(-3.6, 3.6 + STEP / 2, STEP), 1)  # the grid of deviates
PROBABILITIES = np.array([NormalDist().cdf(z) for z in Z])  # Phi(z)
WEIGHTS = np.diff(
    [NormalDist().cdf(cut) for cut in (-np.inf, *(Z[:-1] + STEP / 2), np.inf)]
)  # normal mass about each z

_NODES = 401  # at which the density of a Beta distribution is added up
_TAIL = 45.0  # on the logit scale; beyond it the density is that of a power of x, or of 1 - x
_LOGIT_STEP = 0.25
_PRECISION_STEP = 0.25  # of the logarithm of the precision, at most
_FARTHEST_LOGIT = float(np.log((1 - EDGE) / EDGE))


class Deviates(NamedTuple):
    """Standard normal deviates, as places on the grid: the step below, and the way from there to the next in [0, 1]."""

    below: IntArray
    fraction: FloatArray

    @classmethod
    def of(cls, z: FloatArray) -> Deviates:
        """Deviates beyond the grid are put on its ends.

        >>> Deviates.of(np.array([-9.0, 0.1, 9.0]))
        Deviates(below=array([ 0, 18, 35]), fraction=array([0. , 0.5, 1. ]))
        """
        fraction = z - float(Z[0])  # of the precision of the deviates
        fraction /= STEP
        np.clip(fraction, 0, len(Z) - 1, out=fraction)
        below = np.floor(fraction)
        np.minimum(below, len(Z) - 2, out=below)
        fraction -= below
        return cls(below.astype(np.intp), fraction)

    def read(self, tables: FloatArray, rows: IntArray) -> FloatArray:
        """The quantiles at these deviates in the rows of some tables, (T, len(Z)); ``rows`` broadcast to the deviates.

        >>> Deviates.of(np.array([-3.6, 0.1, 3.6])).read(Z[None], np.zeros(3, dtype=int)).round(9).tolist()
        [-3.6, 0.1, 3.6]
        """
        flat, index = tables.reshape(-1).astype(self.fraction.dtype, copy=False), rows * len(Z) + self.below
        low = flat.take(index)
        index += 1
        high = flat.take(index)
        high -= low
        high *= self.fraction
        high += low
        return high


def _beside_deviates(cells: Any, large: bool) -> Any:
    """What belongs to cells, (n_runs, n_queries), in a shape that broadcasts to their deviates.

    These are (n_runs, n_queries, n_samples), or (n_queries, n_samples, n_runs) for large samples, whose cells are then
    met in the order in which they lie in memory.
    """
    return cells.T[:, None] if large else cells[..., None]


@dataclass(frozen=True, eq=False)
class BetaLaw:
    """Beta(p phi, (1 - p) phi), where p is the ``expected`` score of a cell and phi the precision of its query.

    ``tables`` has the quantiles for each precision and each p of a grid, (P, L, len(Z)); ``mean`` and ``precision`` are
    the places of the cells, (R, n), and of the queries, (n,), on it. Between two values of p the quantiles are mixed so
    that their mean is that of the cell.
    """

    tables: FloatArray
    mean: FloatArray
    precision: FloatArray

    @classmethod
    def of(cls, expected: FloatArray, dispersion: FloatArray) -> BetaLaw:
        """The law with these expected scores, (R, n), and dispersions psi = 1 / (phi + 1) of the queries, (n,).

        >>> law = BetaLaw.of(np.full((2, 1), 0.5), np.array([1 / 3]))  # Beta(1, 1): uniform
        >>> scores = law.scores(slice(0, 1), Deviates.of(np.tile(Z, (2, 1, 1))), np.random.default_rng(0))
        >>> scores.shape, bool(np.abs(scores - PROBABILITIES).max() < 1e-3)
        ((2, 1, 37), True)
        """
        log_precision = np.log(1 / np.clip(dispersion, LEAST_DISPERSION, MOST_DISPERSION) - 1)
        low, high = float(log_precision.min()), float(log_precision.max())
        n_precisions = 1 + int(np.ceil((high - low) / _PRECISION_STEP))
        n_means = 1 + int(np.ceil(2 * _FARTHEST_LOGIT / _LOGIT_STEP))
        means = 1 / (1 + np.exp(-np.linspace(-_FARTHEST_LOGIT, _FARTHEST_LOGIT, n_means)))
        precisions = np.exp(np.linspace(low, high, n_precisions))
        pairs = np.meshgrid(precisions, means, indexing="ij")
        tables = beta_quantiles(pairs[1].reshape(-1), pairs[0].reshape(-1)).reshape(n_precisions, n_means, len(Z))
        law = cls(
            tables.astype(np.float32 if expected.size > LARGE_SAMPLE else np.float64),
            np.interp(expected, means, np.arange(n_means)),
            np.zeros(len(dispersion)) if low == high else (log_precision - low) / (high - low) * (n_precisions - 1),
        )
        if law._is_large:
            _ = law._kept_cells  # before threads ask for them
        return law

    def scores(self, queries: slice, deviates: Deviates, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Scores of all runs on some queries, in the shape of the deviates: the quantiles of their laws there.

        Nothing is drawn.
        """
        n_runs, n_queries = self.mean[:, queries].shape
        cells = self._kept_cells[queries] if self._is_large else self._cells(queries)
        rows = _beside_deviates(np.arange(n_queries * n_runs).reshape(n_queries, n_runs).T, self._is_large)
        return deviates.read(cells.reshape(-1, len(Z)), rows)

    @property
    def _is_large(self) -> bool:
        return self.mean.size > LARGE_SAMPLE

    @cached_property
    def _kept_cells(self) -> FloatArray:
        """The quantiles of all cells, (n_queries, n_runs, len(Z)), in 32 bits: few samples are drawn at a time."""
        n_runs, n_queries = self.mean.shape
        cells: Any = np.empty((n_queries, n_runs, len(Z)), dtype=np.float32)
        step = max(1, _FEW_CELLS_AT_ONCE // n_runs)
        for start in range(0, n_queries, step):
            cells[start : start + step] = self._cells(slice(start, start + step))
        return cells

    def _cells(self, queries: slice) -> FloatArray:
        """The quantiles of the cells of some queries, (n_queries, n_runs, len(Z))."""
        precision, mean = self.precision[queries, None], self.mean[:, queries].T
        n_precisions, n_means, _ = self.tables.shape
        lower = np.clip(precision.astype(np.intp), 0, max(0, n_precisions - 2))
        below = np.clip(mean.astype(np.intp), 0, n_means - 2)
        share, above = ((x[..., None]).astype(self.tables.dtype) for x in (precision - lower, mean - below))

        def quantiles(mean: IntArray) -> FloatArray:
            of_lower = self.tables[lower, mean]
            return of_lower if n_precisions == 1 else (1 - share) * of_lower + share * self.tables[lower + 1, mean]

        return (1 - above) * quantiles(below) + above * quantiles(below + 1)


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
        of_cells = [np.clip(upper, 0, 1), shrinking, stretching]
        if expected.size > LARGE_SAMPLE:  # as their deviates are
            lower, of_cells = np.asfortranarray(lower), [np.asfortranarray(x, dtype=np.float32) for x in of_cells]
        return cls(tables, lower.astype(np.int64), *of_cells)

    def scores(self, queries: slice, deviates: Deviates, rng: np.random.Generator) -> FloatArray:
        """The quantile at each deviate of one of the two bins whose means enclose the expected score."""
        of_cells = (self.lower, self.upper, self.shrinking, self.stretching)
        is_large = self.lower.size > LARGE_SAMPLE
        lower, upper, shrinking, stretching = (_beside_deviates(x[:, queries], is_large) for x in of_cells)
        rows = lower + (rng.random(deviates.below.shape, dtype=np.float32) < upper)
        scores = deviates.read(self.tables, rows)
        if (shrinking < 1).any():
            scores *= shrinking
        if (stretching < 1).any():
            scores = 1 - (1 - scores) * stretching
        return scores


def beta_quantiles(mean: FloatArray, precision: FloatArray) -> FloatArray:
    """The quantiles of Beta(p phi, (1 - p) phi) at Phi(`Z`), for laws (L,) with mean p and precision phi: (L, len(Z)).

    The density of y = logit x, proportional to x^a (1 - x)^b, is added up by the trapezoidal rule over nodes that lie
    close together near the mean and far apart in the tails; beyond 45 from it the mass is that of e^(a y), or e^(-b y).
    Within .002 of the exact quantiles; scipy has them exactly, but its import alone costs
    more than all tables of a track.

    >>> beta_quantiles(np.array([0.5]), np.array([2.0]))[0, [0, 18, 36]].round(4).tolist()  # uniform: Phi(z) itself
    [0.0002, 0.5, 0.9998]
    """
    a, b = mean * precision, (1 - mean) * precision
    logit = np.log(mean / (1 - mean))
    width = 1 / np.sqrt(precision * mean * (1 - mean) + 0.1)
    reach = np.arcsinh((_TAIL + np.abs(logit)) / width)
    steps = np.linspace(-1, 1, _NODES) * reach[:, None]
    y = logit[:, None] + width[:, None] * np.sinh(steps)
    log_density = -a[:, None] * np.logaddexp(0, -y) - b[:, None] * np.logaddexp(0, y)
    log_density -= log_density.max(axis=1, keepdims=True)
    density = np.exp(log_density)
    pieces = (density[:, 1:] + density[:, :-1]) / 2 * np.diff(y, axis=1)
    below, above = density[:, :1] / a[:, None], density[:, -1:] / b[:, None]
    mass = np.cumsum(np.concatenate([below, pieces], axis=1), axis=1)
    total = mass[:, -1:] + above
    mass /= total
    inner = np.stack([np.interp(PROBABILITIES, *law) for law in zip(mass, y, strict=True)])
    low, high = mass[:, :1] > PROBABILITIES, mass[:, -1:] < PROBABILITIES
    with np.errstate(over="ignore", divide="ignore"):  # in tails that hold none of the probabilities
        lowest = y[:, :1] + np.log(PROBABILITIES / mass[:, :1]) / a[:, None]
        highest = y[:, -1:] - np.log((1 - PROBABILITIES) / (1 - mass[:, -1:])) / b[:, None]
        return 1 / (1 + np.exp(-np.where(low, lowest, np.where(high, highest, inner))))


_CELLS_AT_ONCE = 2**18  # scores that a thread draws at a time
_FEW_CELLS_AT_ONCE = 2**14  # where their laws have to be in the cache as well
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
    at_once = max(1, (_FEW_CELLS_AT_ONCE if is_large else _CELLS_AT_ONCE) // (n_runs * n_samples))

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
