"""What is known of the risk of runs against a baseline."""

from __future__ import annotations

from dataclasses import dataclass

from biasvar_cli.analyses.georisk import GeoRisk
from biasvar_cli.analyses.risk import Risk
from biasvar_cli.arrays import FloatArray
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.baselines import Baseline


@dataclass(frozen=True, eq=False)
class RiskOfRuns:
    """Runs compared with a baseline: ``r_loss`` of shape (n_runs,) is that of ``r_loss_k`` documents, or None."""

    scores: ScoreMatrix
    baseline: Baseline
    risk: Risk
    geo: GeoRisk
    r_loss: FloatArray | None = None
    r_loss_k: int | None = None

    @property
    def main_alpha(self) -> float:
        """The alpha that people are shown: the first above 0, else the first."""
        return next((alpha for alpha in self.geo.alphas if alpha > 0), self.geo.alphas[0])
