"""How a ranking of the runs depends on its target, on single queries, and on chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from biasvar_cli.analyses.sensitivity.influence import Influence, influence
from biasvar_cli.analyses.sensitivity.request import SensitivityRequest
from biasvar_cli.analyses.sensitivity.targets import SwitchPoints, TargetSensitivity, switch_points, target_sensitivity
from biasvar_cli.decomposition.reliability import Origin, Precision, SplitHalf, origin, precision, split_half
from biasvar_cli.decomposition.target import TargetedScores, VirtualTarget
from biasvar_cli.readers.maps import read_teams
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.targets import targeted_track
from biasvar_cli.scoring.track import Track


@dataclass(frozen=True, eq=False)
class SensitivityAnswer:
    """The ranking under one measure and target; ``teams`` are those of the runs, or None."""

    request: SensitivityRequest
    targeted: TargetedScores
    teams: Mapping[str, str] | None = None

    @property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs."""
        return self.targeted.scores

    @property
    def target(self) -> VirtualTarget:
        return self.targeted.target

    @property
    def measure(self) -> str | None:
        return self.scores.measure

    @cached_property
    def targets(self) -> TargetSensitivity:
        """The runs under other targets."""
        return target_sensitivity(self.targeted, self.teams)

    @cached_property
    def switches(self) -> SwitchPoints:
        """The means of the target at which runs change places."""
        return switch_points(self.scores, self.target)

    @cached_property
    def influence(self) -> Influence:
        """What becomes of the result without each query; of no query where there is one only."""
        return influence(self.scores, self.target) if self.scores.n_queries > 1 else Influence.of_none()

    @cached_property
    def halves(self) -> SplitHalf:
        """The rankings on random halves of the queries."""
        return split_half(self.scores, self.target, n_splits=self.request.splits, seed=self.request.seed)

    @cached_property
    def precision(self) -> Precision:
        """How many queries the variance of each run needs."""
        return precision(self.scores.values, self.request.precision)

    @cached_property
    def origin(self) -> Origin:
        """Where the variance of each run comes from."""
        return origin(self.scores, self.targeted.pool)


def answer(track: Track, request: SensitivityRequest) -> list[SensitivityAnswer]:
    """The rankings against every target, for every measure of a track; raises what `make_target` raises.

    Raises `DataError` for teams that cannot be read.
    """
    teams = read_teams(request.teams) if request.teams is not None else None
    return [SensitivityAnswer(request, targeted, teams) for _, targeted in targeted_track(track, request)]
