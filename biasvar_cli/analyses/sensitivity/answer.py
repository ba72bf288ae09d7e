"""How a ranking of the runs depends on its target, on single queries, and on chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biasvar_cli.analyses.sensitivity.request import SensitivityRequest
from biasvar_cli.analyses.sensitivity.targets import (
    SwitchPoints,
    TargetSensitivity,
    perfect_utility,
    switch_points,
    target_sensitivity,
)
from biasvar_cli.arrays import BoolArray, FloatArray, IntArray, difference, equalised, is_least
from biasvar_cli.decomposition.decompose import Moments, VirtualTarget, decompose
from biasvar_cli.decomposition.reliability import Origin, Precision, SplitHalf, origin, precision, split_half
from biasvar_cli.errors import DataError
from biasvar_cli.readers.maps import read_teams
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.targets import TargetedAnswer, targeted_track, utility_range
from biasvar_cli.scoring.track import Track
from biasvar_cli.stats.correlation import pearson
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance
from biasvar_cli.words import QUERY


@dataclass(frozen=True, eq=False)
class Influence:
    """The result without each query in turn; arrays of the shape (n_queries,), in the order of the queries.

    ``mean`` is the target's mean, ``pearson`` and ``pearson_gap`` the correlations of bias^2 and variance over the runs
    in both forms. ``least``, (n_runs, n_queries), is which runs have the least total without the query. ``shift`` is
    ``pearson`` minus that of all queries, ``whole``. ``order`` lists the queries by the size of ``shift``, the largest
    first and undefined ones last.
    """

    queries: tuple[str, ...]
    whole: float
    mean: FloatArray
    pearson: FloatArray
    pearson_gap: FloatArray
    least: BoolArray

    @classmethod
    def of_none(cls) -> Influence:
        """The influence of no query, for scores of one query."""
        none = np.empty(0)
        return cls((), float("nan"), none, none, none, np.empty((0, 0), dtype=bool))

    @property
    def shift(self) -> FloatArray:
        return self.pearson - self.whole

    @property
    def order(self) -> IntArray:
        return np.argsort(-equalised(np.abs(self.shift)), kind="stable")


def influence(scores: ScoreMatrix, target: VirtualTarget) -> Influence:
    """Leave each query out in turn, for the runs and for the target.

    The target's scores of the other queries do not change; a target that is a mean alone stays as it is, and has no gap
    form. Raises `DataError` for one query.

    Three runs on three queries. Without q3, the bias^2 .01, .04, .09 and the variances .01, .04, .09 lie on a line:

    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> values = np.array([[0.3, 0.5, 0.4], [0.1, 0.5, 0.1], [-0.1, 0.5, 0.9]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2", "q3"), None)
    >>> without = influence(runs, mean_target(0.5))
    >>> round(float(without.pearson[2]), 6), without.least[:, 2].tolist(), without.mean.tolist()
    (1.0, [True, False, False], [0.5, 0.5, 0.5])
    """
    values, n = scores.values, scores.n_queries
    if n == 1:
        raise DataError(f"there is one {QUERY} only, which cannot be left out")
    of_replicates = 0.0 if scores.within is None else leave_one_out_mean(scores.within)
    var = leave_one_out_variance(values) + of_replicates
    if target.scores is None:
        mean, var_gap = np.full(n, target.mean), np.full(values.shape, np.nan)
    else:
        mean = leave_one_out_mean(target.scores[None])[0]
        var_gap = leave_one_out_variance(difference(target.scores, values)) + of_replicates
    means = leave_one_out_mean(values)
    without = Moments.of(means, difference(mean, means), var, var_gap)
    whole = decompose(scores, target)
    return Influence(
        queries=scores.queries,
        whole=pearson(whole.bias2, whole.var).item(),
        mean=mean,
        pearson=pearson(without.bias2.T, without.var.T),
        pearson_gap=pearson(without.bias2.T, without.var_gap.T),
        least=is_least(without.total, axis=0),
    )


@dataclass(frozen=True, eq=False)
class SensitivityAnswer(TargetedAnswer[SensitivityRequest]):
    """The ranking under one measure and target; ``teams`` maps runs to teams, or is None."""

    teams: Mapping[str, str] | None = None

    @cached_property
    def targets(self) -> TargetSensitivity:
        """The runs under other targets."""
        return target_sensitivity(self.targeted, self.teams)

    @cached_property
    def switches(self) -> SwitchPoints:
        """The means of the target at which runs change places."""
        return switch_points(self.scores, self.target, perfect_utility(self.targeted.pool))

    @cached_property
    def mean_range(self) -> tuple[float, float]:
        """The least and the largest mean that a target can have; infinite where the range of the scores is not known.

        They are utilities, like the switch points. Scores from 0 to 1 of an unknown measure are taken to have this
        range.
        """
        values, nothing = self.targeted.pool.values, (-np.inf, np.inf)
        if self.targeted.logs:
            return nothing
        low, high = utility_range(self.targeted.pool) or (0.0, 1.0)
        return (low, high) if low <= values.min() and values.max() <= high else nothing

    def stable_means(self, runs: Sequence[str]) -> tuple[float, float]:
        """The lowest and the highest mean of the target with which no other run takes the place of one of these.

        Infinite where no mean that a target can have does so.
        """
        rows, (least, largest) = [self.scores.runs.index(run) for run in runs], self.mean_range
        low, high = float(self.switches.low[rows].max()), float(self.switches.high[rows].min())
        return low if low >= least else -np.inf, high if high <= largest else np.inf

    @cached_property
    def influence(self) -> Influence:
        """The result without each query in turn; of no query where there is only one."""
        return influence(self.scores, self.target) if self.scores.n_queries > 1 else Influence.of_none()

    @cached_property
    def halves(self) -> SplitHalf:
        """The rankings on random halves of the queries."""
        return split_half(self.scores, self.target, n_splits=self.request.splits, seed=self.request.seed)

    @cached_property
    def precision(self) -> Precision:
        """How many queries the variance of each run needs."""
        return precision(self.scores.values, self.request.precision, within=self.scores.within)

    @cached_property
    def origin(self) -> Origin:
        """Where the variance of each run comes from."""
        return origin(self.scores, self.targeted.pool)


def answer(track: Track, request: SensitivityRequest) -> list[SensitivityAnswer]:
    """The rankings against every target, for every measure of a track; raises what `make_target` raises.

    Raises `DataError` for teams that cannot be read.
    """
    teams = read_teams(request.teams) if request.teams is not None else None
    return [SensitivityAnswer(request, scored, targeted, teams) for scored, targeted in targeted_track(track, request)]
