"""Confidence intervals of the correlation of bias^2 and variance over the runs.

Over queries alone the interval of `over_queries`. Over queries and teams, the basic interval; percentiles where runs or
teams alone are resampled. Resampled queries add scatter to bias^2 and variance of every run, which weakens a
correlation: percentiles hardly reach the number that they are about, and the basic interval takes the shift off.
Resampled runs make no shift, but a skew, which percentiles follow.

Sources: Davison and Hinkley, Bootstrap Methods and their Application, 1997 (basic, percentile); queries and runs
together: Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1, 2007; teams: Field and Welsh,
"Bootstrapping clustered data", JRSS B 69, 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.decomposition.moments import Deviations
from biasvar_cli.decomposition.over_queries import CorrelationInterval, NoCorrelation, over_queries
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.bootstrap import Rule, percentile, require_resamples, resample_weights
from biasvar_cli.stats.correlation import LEAST_POINTS, pearson, weighted_pearson
from biasvar_cli.stats.streams import Stream, generator
from biasvar_cli.words import Coefficient, IntervalMethod, Redrawn, counted, examples

Over = Literal["topics", Redrawn]

_NAN = float("nan")


@dataclass(frozen=True)
class CorrelationIntervals:
    """The intervals of a correlation in the score form and in the gap form: for new ones of ``over``."""

    coefficient: Coefficient
    over: Over
    level: float
    n_resamples: int
    seed: int
    score: CorrelationInterval
    gap: CorrelationInterval


def r_intervals(
    scores: ScoreMatrix,
    target: VirtualTarget,
    *,
    over: Over = "topics",
    teams: Mapping[str, str] | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    method: IntervalMethod = "auto",
) -> CorrelationIntervals:
    """The interval of Pearson's r of bias^2 and variance over queries, runs, teams, or queries and teams at once.

    Over ``topics`` the runs stay, and the target goes with its queries: what would r be for these runs on all queries?
    Over ``runs`` or ``teams`` the queries and the target stay: what would it be for all systems of the kind?
    The runs of a team are near-copies, so with a map from run to team whole teams are drawn. ``both`` draws queries,
    and independently teams, or runs if there is no map.

    Raises `UsageError` as `intervals` does and for ``teams`` without a map, `DataError` for a run without a team.

    >>> from biasvar_cli.decomposition.target import best_of_runs
    >>> values = np.array([[0.3, 0.1, 0.2], [0.6, 0.08, 0.5], [0.65, 0.03, 0.4], [0.2, 0.2, 0.1]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C", "D"), ("q1", "q2", "q3"), "AP")
    >>> r_intervals(runs, best_of_runs(runs), over="teams", teams=dict.fromkeys(runs.runs, "t")).score.reason
    'few-teams'
    """
    require_resamples(level, n_resamples)
    if over == "topics" and method == "auto":
        forms = over_queries(scores, target, ["pearson"], level=level, seed=seed)["pearson"]
        return CorrelationIntervals("pearson", over, level, n_resamples, seed, forms["score"], forms["gap"])
    data = Deviations.of(scores, target)
    units = None if over == "topics" else _units(scores.runs, over, teams)
    few: NoCorrelation | None = "few-teams" if units is not None and units.max() + 1 < LEAST_POINTS else None
    rule: Rule = "basic" if method == "auto" and over == "both" else "percentile"
    score, gap = (
        _correlation_interval(pearson(data.moments.bias2, var).item(), resampled, level, rule, few)
        for var, resampled in zip(
            (data.moments.var, data.moments.var_gap), _resampled_r(data, units, over, n_resamples, seed), strict=True
        )
    )
    if target.scores is None:
        gap = CorrelationInterval(_NAN, _NAN, _NAN, rule, n_resamples, "mean-only")
    return CorrelationIntervals("pearson", over, level, n_resamples, seed, score, gap)


def require_teams(runs: tuple[str, ...], teams: Mapping[str, str]) -> None:
    """Raise `DataError` for runs without a team."""
    absent = [run for run in runs if run not in teams]
    if absent:
        raise DataError(f"no team for {counted(len(absent), 'run')}: {examples(absent)}")


def _resampled_r(
    data: Deviations, units: IntArray | None, over: Over, n_resamples: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """r of every resample in the score form and in the gap form, each (B,); ``units`` (R,) are drawn unless None."""
    moments, share = data.moments, None
    by_query = resample_weights(data.score.shape[1], n_resamples, generator(Stream.QUERIES, seed))
    n_units = 1 if units is None else int(units.max()) + 1
    by_unit = resample_weights(n_units, n_resamples, generator(Stream.RUNS, seed))
    score, gap = [], []
    for query_weights, unit_weights in zip(by_query, by_unit, strict=True):
        if over in ("topics", "both"):
            moments = data.resampled(query_weights)
        if units is not None:
            share = unit_weights[:, units]
        score.append(weighted_pearson(moments.bias2, moments.var, share))
        gap.append(weighted_pearson(moments.bias2, moments.var_gap, share))
    return np.concatenate(score), np.concatenate(gap)


def _correlation_interval(
    estimate: float, resampled: FloatArray, level: float, rule: Rule, reason: NoCorrelation | None
) -> CorrelationInterval:
    """The basic interval [2 r - upper quantile, 2 r - lower quantile] in [-1, 1], or the quantiles themselves."""
    known = resampled[np.isfinite(resampled)]
    if np.isnan(estimate):
        reason = reason or "undefined"
    elif 2 * len(known) < len(resampled):
        reason = reason or "resamples-undefined"
    if reason is not None:
        return CorrelationInterval(estimate, _NAN, _NAN, rule, len(resampled) - len(known), reason)
    (low,), (high,) = percentile(known[None], level)
    if rule == "basic":
        low, high = np.clip([2 * estimate - high, 2 * estimate - low], -1, 1)
    return CorrelationInterval(estimate, float(low), float(high), rule, len(resampled) - len(known), None)


def _units(runs: tuple[str, ...], over: Over, teams: Mapping[str, str] | None) -> IntArray:
    """The number of the unit that each run is drawn with, (R,): its own, or that of its team."""
    if over == "runs" or (over == "both" and teams is None):
        return np.arange(len(runs))
    if teams is None:
        raise UsageError("a bootstrap over teams needs a map from run to team")
    require_teams(runs, teams)
    number = {team: at for at, team in enumerate(sorted({teams[run] for run in runs}))}
    return np.array([number[teams[run]] for run in runs])
