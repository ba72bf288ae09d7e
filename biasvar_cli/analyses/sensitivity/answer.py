"""What is known of how a ranking depends on its target and its queries."""

from __future__ import annotations

from dataclasses import dataclass

from biasvar_cli.analyses.sensitivity.influence import Influence
from biasvar_cli.analyses.sensitivity.switching import SwitchPoints
from biasvar_cli.analyses.sensitivity.targets import TargetSensitivity, UnderTarget
from biasvar_cli.decomposition.reliability import Origin, Precision, SplitHalf
from biasvar_cli.decomposition.target import TargetedScores


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """All that is known of how one decomposition depends on its target and its queries."""

    targeted: TargetedScores
    targets: TargetSensitivity
    switches: SwitchPoints
    influence: Influence | None
    halves: SplitHalf
    precision: Precision
    origin: Origin
    has_teams: bool


def name_of(each: UnderTarget, found: Sensitivity) -> str:
    """A target as the user would ask for it, or what it leaves out."""
    if each.kind == "given":
        return found.targeted.target.label
    return f"best:{each.quantile:g}" if each.kind == "quantile" else each.kind
