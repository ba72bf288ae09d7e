"""The laws of scores in null models: tables of quantiles over a grid of standard normal deviates z.

A score is the quantile of its law at Phi(z). It is read from the table by two look-ups and a straight line between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.nulls.surface import EDGE, LEAST_DISPERSION, MOST_DISPERSION
from biasvar_cli.stats.monte_carlo import LARGE_SAMPLE

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
_UNITS = np.float32(2**16 - 1)  # of a score from 0 to 1
FEW_CELLS_AT_ONCE = 2**14  # scores that a thread draws at a time, where their laws have to be in the cache as well


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

        Tables of 16 bits are in units of 1/65535.

        >>> Deviates.of(np.array([-3.6, 0.1, 3.6])).read(Z[None], np.zeros(3, dtype=int)).round(9).tolist()
        [-3.6, 0.1, 3.6]
        """
        kind, index = self.fraction.dtype, rows * len(Z) + self.below
        flat = tables.reshape(-1) if tables.dtype == np.uint16 else tables.reshape(-1).astype(kind, copy=False)
        low = flat.take(index).astype(kind, copy=False)
        index += 1
        high = flat.take(index).astype(kind, copy=False)
        high -= low
        high *= self.fraction
        high += low
        if tables.dtype == np.uint16:
            high /= _UNITS
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
        """The quantiles of all cells, (n_queries, n_runs, len(Z)), in units of 1/65535: few are drawn at a time.

        Of 16 bits each, they take half the memory of 32; the tables that they come from are less exact than a unit.
        """
        n_runs, n_queries = self.mean.shape
        cells: Any = np.empty((n_queries, n_runs, len(Z)), dtype=np.uint16)
        step = max(1, FEW_CELLS_AT_ONCE // n_runs)
        for start in range(0, n_queries, step):
            cells[start : start + step] = np.rint(self._cells(slice(start, start + step)) * _UNITS)
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
