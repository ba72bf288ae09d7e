"""The decomposition of the runs of a track against targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from biasvar_cli.analyses.decompose import DecomposeRequest
from biasvar_cli.arrays import BoolArray, FloatArray, IntArray, ranks
from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.decompose import Decomposition, decompose, pareto_front, weighted_total
from biasvar_cli.decomposition.generalised import TradeoffRow, single_rows
from biasvar_cli.decomposition.reliability import SplitHalf, split_half
from biasvar_cli.errors import UsageError
from biasvar_cli.readers.maps import read_teams
from biasvar_cli.scoring.targets import TargetedAnswer, listed_run, log_transform, targeted_scores, targeted_track
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs.baselines import parse_run_baseline
from biasvar_cli.specs.limits import LEVEL, RESAMPLES
from biasvar_cli.words import argument

if TYPE_CHECKING:
    from biasvar_cli.decomposition.baseline import Comparisons
    from biasvar_cli.decomposition.intervals import CorrelationIntervals, Intervals
    from biasvar_cli.nulls.models import Null
    from biasvar_cli.nulls.verdicts import RowNull


@dataclass(frozen=True, eq=False)
class DecomposeAnswer(TargetedAnswer[DecomposeRequest]):
    """The runs under one measure against one target; ``teams`` maps runs to teams, where these are drawn.

    The baseline was chosen as the run of the best mean if it ``is_top``. ``drawn`` are null models that were drawn for
    other analyses too, None for those that the request asks for. What takes long is computed when it is first used.
    """

    teams: Mapping[str, str] | None = None
    is_top: bool = False
    drawn: Null | None = None

    @cached_property
    def result(self) -> Decomposition:
        """Bias, variance and total in both forms."""
        return decompose(self.scores, self.target)

    @cached_property
    def replicates(self) -> Decomposition | None:
        """Bias, variance and total of the runs of each system, every one by itself; None where rows are runs."""
        replicates = self.scores.replicates
        return None if replicates is None else decompose(replicates.runs, self.target)

    @cached_property
    def rank(self) -> IntArray | None:
        """The rank of each run by total, (n_runs,), the lower one of equal totals; None where it is not asked for."""
        return ranks(self.result.total) if self.request.rank else None

    @cached_property
    def total_w(self) -> FloatArray | None:
        """The weighted total, (n_runs,); None where it is not asked for."""
        return None if self.request.weights is None else weighted_total(self.result, *self.request.weights)

    @cached_property
    def front(self) -> BoolArray:
        """Which runs are on the Pareto front of the score form, (n_runs,)."""
        return pareto_front(self.result.bias2, self.result.var)

    @cached_property
    def rows(self) -> list[TradeoffRow]:
        """The correlations of bias² and variance over the runs, score form and gap form."""
        return single_rows(self.result)

    @cached_property
    def null(self) -> Null | None:
        """What the null models say of the correlations; None where they are not asked for."""
        if self.drawn is not None or self.request.null is None:
            return self.drawn

        from biasvar_cli.nulls.models import null_models

        return null_models(self.targeted, self.rows, Design(), self.request.null)

    @property
    def by_null(self) -> list[RowNull | None] | None:
        """What the null models say of each row; None where none were drawn."""
        null = self.null
        return [null.of(row) for row in self.rows] if null is not None and null.fitted and null.n_samples else None

    @cached_property
    def halves(self) -> SplitHalf:
        """How far the order of the runs can be relied on."""
        return split_half(self.scores, self.target, seed=self.request.seed)

    @property
    def z(self) -> Sequence[float | None] | FloatArray | None:
        """The stability of each run, (n_runs,), None for each where it is undefined; None where it is not asked for."""
        if not self.request.stability:
            return None
        stability = self.null.stability if self.null is not None else None
        return [None] * len(self.result.runs) if stability is None else stability.z

    @cached_property
    def coarser(self) -> Decomposition | None:
        """The decomposition of logarithms with ten times the constant; None where the scores are no logarithms."""
        transform = log_transform(self.request)
        if transform is None:
            return None
        other = targeted_scores(self.scored, self.target.spec, replace(transform, eps=10 * transform.eps))
        return decompose(other.scores, other.target)

    @cached_property
    def intervals(self) -> Intervals | None:
        """Intervals of every quantity and of its correlations over queries; None where none are asked for."""
        request = self.request
        if request.ci is None:
            return None

        from biasvar_cli.decomposition.intervals import intervals

        return intervals(
            self.scores,
            self.target,
            level=request.ci,
            n_resamples=request.resamples or RESAMPLES,
            seed=request.seed,
            method=request.ci_method or "auto",
        )

    @cached_property
    def correlation_intervals(self) -> list[CorrelationIntervals]:
        """Intervals of the correlations, over queries first."""
        intervals = self.intervals
        if intervals is None:
            return []

        from biasvar_cli.decomposition.intervals import r_intervals

        others = [
            r_intervals(
                self.scores,
                self.target,
                over=over,
                teams=self.teams,
                level=intervals.level,
                n_resamples=intervals.n_resamples,
                seed=intervals.seed,
                method=intervals.method,
            )
            for over in dict.fromkeys(self.request.over)
        ]
        return [intervals.correlation, *intervals.ranks, *others]

    @cached_property
    def compared(self) -> Comparisons | None:
        """Every run against the baseline; None where there is none."""
        if self.request.baseline is None:
            return None

        from biasvar_cli.decomposition.baseline import compare

        name, level = str(parse_run_baseline(self.request.baseline).name), self.request.ci or LEVEL
        return compare(self.scores, self.target, name, level=level, all_pairs=self.is_top)


def answer(track: Track, request: DecomposeRequest) -> list[DecomposeAnswer]:
    """The decomposition for every measure of a track and every target.

    Raises what `make_target` and `full_name` raise, `DataError` for a run without a team where teams are drawn, and
    `UsageError` for the stability of systems of several runs: means over more runs vary less.
    """
    if request.stability and track.scored[0].scores.replicates is not None:
        vary = f"with {argument('replicates')} the means of systems of more runs vary less"
        reason = f"is of single runs; {vary}; leave one of the two out"
        raise UsageError(reason, option="stability")
    track = track.in_clusters(request.clusters)
    teams = None
    if request.teams is not None:
        from biasvar_cli.decomposition.intervals import require_teams

        teams = read_teams(request.teams)
        require_teams(track.scored[0].scores.runs, teams)
    spec = None if request.baseline is None else parse_run_baseline(request.baseline)
    is_top = spec is not None and spec.kind == "top"
    answers = []
    for scored, targeted in targeted_track(track, request):
        if spec is not None:
            request = replace(request, baseline=f"run:{listed_run(spec, targeted.scores)!s}")
        answers.append(DecomposeAnswer(request, scored, targeted, teams, is_top))
    return answers
