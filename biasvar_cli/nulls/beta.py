"""Scores with a Beta law about their expected value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.nulls.margins import EDGE
from biasvar_cli.nulls.quantiles import Deviates, Z, beta_quantiles
from biasvar_cli.nulls.surface import LEAST_DISPERSION, MOST_DISPERSION

_LOGIT_STEP = 0.25
_PRECISION_STEP = 0.25  # of the logarithm of the precision, at most
_FARTHEST_LOGIT = float(np.log((1 - EDGE) / EDGE))


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
        >>> from biasvar_cli.nulls.quantiles import PROBABILITIES
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
        return cls(
            tables,
            np.interp(expected, means, np.arange(n_means)),
            np.zeros(len(dispersion)) if low == high else (log_precision - low) / (high - low) * (n_precisions - 1),
        )

    def scores(self, queries: slice, deviates: Deviates, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """The quantile of each score's law at its deviate; nothing is drawn."""
        by_mean = _between(self.tables, self.precision[queries])
        mean = self.mean[:, queries]
        n_runs, n_queries = mean.shape
        below = np.clip(mean.astype(np.intp), 0, self.tables.shape[1] - 2)
        above = (mean - below)[..., None]
        places = np.arange(n_queries)
        cells = (1 - above) * by_mean[places, below] + above * by_mean[places, below + 1]
        rows = np.arange(n_runs * n_queries).reshape(n_runs, n_queries, 1)
        return deviates.read(cells.reshape(-1, len(Z)), rows)


def _between(tables: FloatArray, place: FloatArray) -> FloatArray:
    """Tables at some places between those there are: (P, ...) and (n,) give (n, ...)."""
    below = np.clip(place.astype(np.intp), 0, max(0, len(tables) - 2))
    above = (place - below).reshape(-1, *[1] * (tables.ndim - 1))
    found: FloatArray = (1 - above) * tables[below] + above * tables[np.minimum(below + 1, len(tables) - 1)]
    return found
