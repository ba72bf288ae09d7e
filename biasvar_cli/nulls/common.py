"""The null model `common`: every score scatters about its expected value by one Beta law."""

from __future__ import annotations

import numpy as np

from biasvar_cli.nulls.beta import BetaLaw
from biasvar_cli.nulls.model import CorrelatedScores, NullModel
from biasvar_cli.nulls.surface import Surface


def fit(surface: Surface) -> CorrelatedScores:
    """Beta(p phi, (1 - p) phi) with 1 / (phi + 1) = psi, the dispersion of the surface, for all queries."""
    dispersion = np.full(surface.values.shape[1], surface.dispersion)
    return CorrelatedScores(surface, BetaLaw.of(surface.expected, dispersion))


COMMON = NullModel("common", "scores scatter about their expected values by one Beta law", fit)
