"""What is known of the risk of runs against a baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace

from biasvar_cli.analyses.risk.georisk import GeoRisk
from biasvar_cli.analyses.risk.losses import Risk
from biasvar_cli.analyses.risk.verdicts import RiskVerdicts, risk_verdicts
from biasvar_cli.arrays import FloatArray
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.baselines import Baseline
from biasvar_cli.stats.monte_carlo import Done, unwatched


@dataclass(frozen=True, eq=False)
class RiskOfRuns:
    """Runs compared with a baseline: ``r_loss`` of shape (n_runs,) is that of ``r_loss_k`` documents, or None.

    ``verdicts`` are those at `main_alpha`; None where there are none (`judged`), and where nobody reads them.
    """

    scores: ScoreMatrix
    baseline: Baseline
    risk: Risk
    geo: GeoRisk
    r_loss: FloatArray | None = None
    r_loss_k: int | None = None
    verdicts: RiskVerdicts | None = None

    @property
    def main_alpha(self) -> float:
        """The alpha that people are shown: the first above 0, else the first."""
        return next((alpha for alpha in self.geo.alphas if alpha > 0), self.geo.alphas[0])


def judged(found: RiskOfRuns, *, seed: int = 0, jobs: int = 1, done: Done = unwatched) -> RiskOfRuns:
    """The same with its verdicts, at the alpha that people are shown; without any against `best` and `top`.

    Every run is below the best scores, and the run of the best mean was chosen by the scores that would be tested. Nor
    are there any of the baseline alone.
    """
    baseline = found.baseline
    if baseline.spec.kind in ("best", "top") or found.risk.runs == (baseline.run,):
        return found
    verdicts = risk_verdicts(
        found.scores,
        baseline.scores,
        found.main_alpha,
        baseline_run=baseline.run,
        seed=seed,
        jobs=jobs,
        done=done,
    )
    return replace(found, verdicts=verdicts)
