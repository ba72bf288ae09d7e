"""The null model `by-query`: the scores of each query scatter about their expected values by a Beta law of its own."""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.nulls.beta import BetaLaw
from biasvar_cli.nulls.model import CorrelatedScores, NullModel
from biasvar_cli.nulls.surface import Surface

_LEAST_RATIO = 0.01
_SAMPLING_VARIANCE = 5.0  # of the logarithm of a query's dispersion, times the number of runs


def dispersion_ratios(surface: Surface) -> FloatArray:
    """kappa of each query, (n,): its dispersion over the common one; 1 for a query on which all runs have 0, or 1.

    l = ln[c sum (S - raw)^2 / sum psi raw (1 - raw)] over the interior runs of a query, at least ln .01, centred with
    weights w proportional to sum raw (1 - raw). kappa is proportional to exp(l sqrt(max(0, 1 - (5 / R) / sum w l^2))),
    drawn to 1 by what sampling alone makes of l, and sum w kappa = 1.
    """
    cells = np.ix_(surface.runs, surface.queries)
    raw = surface.raw[cells]
    spread = (raw * (1 - raw)).sum(axis=0)
    square = surface.correction * ((surface.values[cells] - raw) ** 2).sum(axis=0)
    weight = spread / spread.sum()
    log_ratio = np.log(np.maximum(square / (surface.dispersion * spread), _LEAST_RATIO))
    log_ratio -= weight @ log_ratio
    var = float(weight @ log_ratio**2)
    factor = np.sqrt(max(0.0, 1 - _SAMPLING_VARIANCE / len(surface.values) / var)) if var > 0 else 0.0
    ratio = np.exp(factor * log_ratio)
    ratios = np.ones(surface.values.shape[1])
    ratios[surface.queries] = ratio / (weight @ ratio)
    return ratios


def fit(surface: Surface) -> CorrelatedScores:
    """Beta(p phi_q, (1 - p) phi_q) with 1 / (phi_q + 1) = psi kappa_q, within the bounds of psi."""
    return CorrelatedScores(surface, BetaLaw.of(surface.expected, surface.dispersion * dispersion_ratios(surface)))


BY_QUERY = NullModel("by-query", "scores scatter about their expected values by a Beta law for each query", fit)
