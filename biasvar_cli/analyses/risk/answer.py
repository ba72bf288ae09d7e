"""Risk of the runs of a track against baselines."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import for_rows
from biasvar_cli.analyses.risk import RiskRequest, inference, losses
from biasvar_cli.analyses.risk.systems import RiskSystems
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.decompose import Decomposition, best_of_runs, decompose
from biasvar_cli.errors import UsageError, full_name
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.targets import AnswerOfScores, Baseline, best_run, make_baseline, with_listed_rows
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.stats.correlation import Correlations, correlations
from biasvar_cli.words import Better, argument


class AlphaRisk(NamedTuple):
    """What depends on one alpha; arrays of the shape (n_runs,), ends of intervals or None."""

    risk: losses.AtAlpha
    z_risk: FloatArray
    geo_risk: FloatArray
    u_ends: inference.Ends | None
    geo_ends: inference.Ends | None


@dataclass(frozen=True, eq=False)
class RiskAnswer(AnswerOfScores):
    """Runs compared with one baseline under one measure.

    ``precision`` are the scores of P@K, of which R-Loss is made, or None. What takes long is computed when it is first
    used.
    """

    request: RiskRequest
    scored: Scored
    baseline: Baseline
    precision: Scored | None = None

    @property
    def scores(self) -> ScoreMatrix:
        return self.scored.scores

    @cached_property
    def risk(self) -> losses.Risk:
        """Wins, losses, gains, and U_risk and T_risk at every alpha."""
        return losses.risk(self.scores, self.baseline.scores, self.request.alpha, tie_eps=self.request.tie_eps)

    @cached_property
    def geo(self) -> losses.GeoRisk:
        """Z_risk and GeoRisk, which know no baseline."""
        return losses.geo_risk(self.scores, with_listed_rows(self.scored), self.request.alpha)

    @cached_property
    def r_loss(self) -> FloatArray | None:
        """R-Loss, K times F_risk under P@K, shape (n_runs,); None where it is not asked for."""
        if self.precision is None or self.request.r_loss is None:
            return None
        baseline = with_listed_rows(self.precision).row(str(self.baseline.run))
        return losses.risk(self.precision.scores, baseline, (0.0,)).risk * float(self.request.r_loss)

    @cached_property
    def tests(self) -> RiskSystems | None:
        """The tests of systems, whatever their runs; None for tests of the rows as they are."""
        if self.scores.replicates is None or self.request.infer == "runs":
            return None
        request = self.request
        pool = with_listed_rows(self.scored)
        return RiskSystems(self.scores, pool, self.baseline, request.paired_replicates, request.half_width)

    @cached_property
    def intervals(self) -> inference.RiskIntervals | None:
        """Intervals of U_risk and GeoRisk; None where none are asked for."""
        if self.request.ci is None:
            return None
        return inference.risk_intervals(
            self.scores,
            with_listed_rows(self.scored),
            self.baseline.scores,
            self.request.alpha,
            level=self.request.ci,
            n_resamples=self.request.n_resamples,
            seed=self.request.seed,
            systems=self.tests,
        )

    @cached_property
    def at(self) -> Mapping[str, AlphaRisk]:
        """What depends on alpha, by the alpha as columns write it."""
        none = (None,) * len(self.risk.at)
        ends = self.intervals or (none, none)
        parts = zip(self.risk.at, self.geo.z_risk, self.geo.geo_risk, *ends, strict=True)
        return {f"{part[0].alpha:g}": AlphaRisk(*part) for part in parts}

    @cached_property
    def losers(self) -> losses.Losers:
        """How many runs lose on every query."""
        return losses.losers(self.scores, self.baseline.scores, tie_eps=self.request.tie_eps)

    @cached_property
    def decomposition(self) -> Decomposition | None:
        """bias², variance and total against the target best; None where it is not asked for."""
        return decompose(self.scores, best_of_runs(self.scored.pool)) if self.request.with_decomposition else None

    @cached_property
    def ranks(self) -> list[Correlations]:
        """How alike GeoRisk, of each alpha, and the decomposition's total order the runs."""
        assert self.decomposition is not None, "there is no total without a decomposition"
        return [correlations(geo_risk, -self.decomposition.total) for geo_risk in self.geo.geo_risk]

    @cached_property
    def verdicts(self) -> inference.RiskVerdicts | None:
        """Which runs are safe and which risky, at the alpha that people are shown.

        None against `best`, below which every run is, and where the baseline is alone.
        """
        baseline = self.baseline
        if baseline.spec.kind == "best" or self.runs == (baseline.run,):
            return None
        return inference.risk_verdicts(
            self.scores,
            baseline.scores,
            self.request.main_alpha,
            baseline_run=baseline.run,
            chosen_of=with_listed_rows(self.scored) if baseline.spec.kind == "top" else None,
            alphas=self.request.alpha,
            seed=self.request.seed,
            jobs=self.request.jobs,
            systems=self.tests,
        )

    @property
    def verdict(self) -> list[str | None]:
        """What each run is called: safe, risky or neither; None for the baseline, and where nothing is tested."""
        if (verdicts := self.verdicts) is None:
            return [None] * self.n_runs
        rows = zip(verdicts.safe, verdicts.risky, np.isnan(verdicts.mean_p), strict=True)
        return [None if none else "safe" if safe else "risky" if risky else "neither" for safe, risky, none in rows]

    @property
    def mean_p(self) -> FloatArray:
        """The adjusted p of the mean difference of each run, (n_runs,)."""
        return np.full(self.n_runs, np.nan) if self.verdicts is None else self.verdicts.mean_p

    @property
    def risk_p(self) -> Mapping[str, FloatArray]:
        """The adjusted p of U_risk of each run, (n_runs,), by the alpha as columns write it."""
        p = dict.fromkeys(self.request.alpha, self.mean_p) if self.verdicts is None else self.verdicts.risk_p_at
        return {f"{alpha:g}": p[alpha] for alpha in self.request.alpha}

    def run_or_best(self, name: str | None) -> str:
        """The run that is looked at: the one named, or else the best by mean, other than the baseline."""
        if name is not None:
            return full_name(argument(run=name), name, self.runs)
        return best_run(self.scores.select([run for run in self.runs if run != self.baseline.run]))


@dataclass(frozen=True, eq=False)
class RunQueries:
    """One run on every query, (n_queries,)."""

    answer: RiskAnswer
    scores: FloatArray

    @property
    def better(self) -> Better:
        return self.answer.better

    @cached_property
    def delta(self) -> FloatArray:
        """The differences from the baseline."""
        return losses.differences(self.scores, self.answer.baseline.scores)

    @property
    def t_risk(self) -> Mapping[str, FloatArray]:
        """T_risk of single queries, by alpha as columns write it."""
        baseline = self.answer.baseline.scores
        return {f"{alpha:g}": losses.per_query(self.scores, baseline, alpha) for alpha in self.answer.request.alpha}


def answer(track: Track, request: RiskRequest) -> list[RiskAnswer]:
    """The runs against every baseline, for every measure of a track.

    Raises `DataError` for a baseline that is not there, `UsageError` for R-Loss of scores without their runs.
    """
    track, precision = track.in_clusters(request.clusters), None
    if request.precision is not None:
        precision = track.auxiliary.get(request.precision)
        if precision is None:
            raise UsageError("needs runs and their qrels", option="r_loss")
    return [
        RiskAnswer(for_rows(request, scored.scores), scored, make_baseline(spec, scored), precision)
        for scored in track.scored
        for spec in request.specs
    ]
