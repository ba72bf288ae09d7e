"""Confidence intervals: how far every number would move with other queries of the same kind, or with other runs.

The estimand is the number that the same runs would have on infinitely many queries from the population these are a
sample of; the target `best` is then the maximum over the same runs, and it is resampled with its queries. One way to
make an interval does not cover for every quantity, so each has its own rule:

* bias, mean and both totals: BCa; bias^2: the image of bias's interval under squaring;
* both variances: the t interval of the jackknifed logarithm, since a variance is skewed and its percentiles too narrow;
* correlations over the runs: over queries alone the interval of `over_queries`, over queries and teams the basic
  interval, and percentiles where runs or teams alone are resampled. Resampled queries add scatter to bias^2 and
  variance of every run, which weakens a correlation: percentiles hardly reach the number that they are about, and the
  basic interval takes the shift off. Resampled runs make no shift, but a skew, which percentiles follow.

`benchmarks/coverage.py` measures how often the intervals hold the truth.

Sources: Efron, "Better bootstrap confidence intervals", JASA 82, 1987 (BCa); Davison and Hinkley, Bootstrap Methods and
their Application, 1997 (basic, percentile); Miller, "Jackknifing variances", Annals of Mathematical Statistics 39,
1968; queries and runs together: Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1, 2007; teams: Field
and Welsh, "Bootstrapping clustered data", JRSS B 69, 2007.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.decomposition.decompose import Deviations, Moments, VirtualTarget
from biasvar_cli.decomposition.over_queries import CorrelationInterval, NoCorrelation, over_queries
from biasvar_cli.errors import DataError
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.limits import LEVEL, RESAMPLES
from biasvar_cli.stats.correlation import LEAST_POINTS, pearson, weighted_pearson
from biasvar_cli.stats.monte_carlo import Stream, generator
from biasvar_cli.stats.resampling import Rule, bca, log_jackknife_t, percentile, require_resamples, resample_weights
from biasvar_cli.words import FORMS, QUANTITIES, RUN, RUNS, Coefficient, IntervalMethod, Redrawn, counted, examples

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
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
    method: IntervalMethod = "auto",
) -> CorrelationIntervals:
    """The interval of Pearson's r of bias^2 and variance over queries, runs, teams, or queries and teams at once.

    Over ``topics`` the runs stay, and the target goes with its queries: what would r be for these runs on all queries?
    Over ``runs`` or ``teams`` the queries and the target stay: what would it be for all systems of the kind?
    The runs of a team are near-copies, so with a map from run to team whole teams are drawn. ``both`` draws queries,
    and independently teams, or runs if there is no map.

    Raises `UsageError` as `intervals` does, `DataError` for a run without a team.

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
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
    units = None if over == "topics" else np.arange(scores.n_runs)
    if over in ("teams", "both") and teams is not None:
        require_teams(scores.runs, teams)
        number = {team: at for at, team in enumerate(sorted({teams[run] for run in scores.runs}))}
        units = np.array([number[teams[run]] for run in scores.runs])
    few: NoCorrelation | None = "few-teams" if units is not None and units.max() + 1 < LEAST_POINTS else None
    if over in ("topics", "both") and data.units.are_few:
        few = "few-clusters"
    rule: Rule = "basic" if method == "auto" and over == "both" else "percentile"
    estimates = (pearson(data.moments.bias2, data.moments.variance(form)).item() for form in FORMS)
    resampled = _resampled_r(data, units, over, n_resamples, seed)
    score, gap = (
        _correlation_interval(estimate, r, level, rule, few) for estimate, r in zip(estimates, resampled, strict=True)
    )
    if target.scores is None:
        gap = CorrelationInterval(_NAN, _NAN, _NAN, rule, n_resamples, "mean-only")
    return CorrelationIntervals("pearson", over, level, n_resamples, seed, score, gap)


def require_teams(runs: tuple[str, ...], teams: Mapping[str, str]) -> None:
    """Raise `DataError` for runs without a team."""
    absent = [run for run in runs if run not in teams]
    if absent:
        remedy = f"; name {RUNS}, not their runs" if str(RUN) == "system" else ""
        raise DataError(f"no team for {counted(len(absent), 'run')}: {examples(absent)}{remedy}")


def _resampled_r(data: Deviations, units: IntArray | None, over: Over, n_resamples: int, seed: int) -> list[FloatArray]:
    """r of every resample in the score form and in the gap form, each (B,); ``units`` (R,) are drawn unless None."""
    moments, share = data.moments, None
    by_query = resample_weights(data.units, n_resamples, generator(Stream.QUERIES, seed))
    n_units = 1 if units is None else int(units.max()) + 1
    by_unit = resample_weights(n_units, n_resamples, generator(Stream.RUNS, seed))
    blocks = []
    for query_weights, unit_weights in zip(by_query, by_unit, strict=True):
        if over in ("topics", "both"):
            moments = data.resampled(query_weights)
        if units is not None:
            share = unit_weights[:, units]
        blocks.append([weighted_pearson(moments.bias2, moments.variance(form), share) for form in FORMS])
    return [np.concatenate(of_form) for of_form in zip(*blocks, strict=True)]


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


_NoInterval = Literal["one-query", "few-clusters", "mean-only", "no-variance", "one-query-has-all-variance"]

_VALUES = 2**22  # of one quantity, over runs and resamples, that are held at a time: 32 MB
_RULES: dict[str, Rule] = {"var": "log-jackknife-t", "var_gap": "log-jackknife-t"}  # the others have BCa


@dataclass(frozen=True, eq=False)
class Interval:
    """The intervals of one quantity, arrays of the shape (n_runs,), in the order of the runs.

    ``reason`` says, where the ends are nan, why: there is only ``one-query``, there are ``few-clusters``, the target is
    ``mean-only``, or for a variance there is ``no-variance``, or none without one query. Otherwise it is None.
    """

    low: FloatArray
    high: FloatArray
    rule: Rule
    reason: tuple[_NoInterval | None, ...]


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of every column of a decomposition, of r over queries, and of the rank correlations if any."""

    level: float
    n_resamples: int
    seed: int
    method: IntervalMethod
    mean: Interval
    bias: Interval
    bias2: Interval
    var: Interval
    total: Interval
    var_gap: Interval
    total_gap: Interval
    correlation: CorrelationIntervals
    ranks: tuple[CorrelationIntervals, ...]


def intervals(
    scores: ScoreMatrix,
    target: VirtualTarget,
    *,
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
    method: IntervalMethod = "auto",
) -> Intervals:
    """The intervals of every run over queries, by the rules above or by percentiles alone.

    All runs and the target share the same resamples. Queries in clusters are drawn, and left out, together. By
    percentiles, too, bias^2 has the image of bias's interval: the percentiles of its own are never 0. Memory is bounded
    whatever the numbers of runs, queries and resamples.

    Raises `UsageError` for resamples too few to have one beyond each end.

    By hand, for the scores 0, .2 and .4: the variance is .08 / 3, and without each query in turn .01, .04 and .01. The
    pseudo-values of its logarithm, 3 ln .02667 - 2 ln .01 or .04, are -1.6627, -4.4353 and -1.6627, with mean -2.5869
    and standard error .9242, and t with two degrees of freedom is 4.3027 at .975: exp(-2.5869 -+ 3.9766).

    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> runs = ScoreMatrix(np.array([[0.0, 0.2, 0.4]]), ("A",), ("q1", "q2", "q3"), "AP")
    >>> found = intervals(runs, mean_target(0.45))
    >>> found.var.low.round(5).tolist(), found.var.high.round(3).tolist(), found.var_gap.reason
    ([0.00141], [4.013], ('mean-only',))
    """
    require_resamples(level, n_resamples)
    data, step = Deviations.of(scores, target), max(1, _VALUES // n_resamples)
    blocks = [data.of_runs(slice(start, start + step)) for start in range(0, scores.n_runs, step)]
    parts = [_columns(block, level, n_resamples, seed, method) for block in blocks]
    columns = {}
    for name, first in parts[0].items():
        low, high = (np.concatenate([getattr(part[name], end) for part in parts]) for end in ("low", "high"))
        columns[name] = Interval(low, high, first.rule, sum((part[name].reason for part in parts), ()))
    if target.scores is None:
        for name in ("var_gap", "total_gap"):
            columns[name] = _nothing(scores.n_runs, columns[name].rule, "mean-only")
    if method == "percentile":  # rank correlations have none
        correlations = [r_intervals(scores, target, level=level, n_resamples=n_resamples, seed=seed, method=method)]
    else:
        correlations = [
            CorrelationIntervals(coefficient, "topics", level, n_resamples, seed, forms["score"], forms["gap"])
            for coefficient, forms in over_queries(scores, target, level=level, seed=seed).items()
        ]
    correlation, *ranks = correlations
    return Intervals(level, n_resamples, seed, method, **columns, correlation=correlation, ranks=tuple(ranks))


def _columns(
    data: Deviations, level: float, n_resamples: int, seed: int, method: IntervalMethod
) -> dict[str, Interval]:
    """The intervals of some runs, by the names of the columns."""
    n_runs, n_queries = data.score.shape
    estimate, columns = data.moments, {}
    drawn = np.empty((len(fields(Moments)), n_runs, n_resamples))
    start = 0
    for weights in resample_weights(data.units, n_resamples, generator(Stream.QUERIES, seed)):
        for rows, values in zip(drawn, vars(data.resampled(weights)).values(), strict=True):
            rows[:, start : start + len(weights)] = values.T
        start += len(weights)
    resampled = Moments(*drawn)
    left_out = data.left_out() if data.units.n > 1 else resampled
    none: _NoInterval | None = "one-query" if n_queries == 1 else "few-clusters" if data.units.are_few else None
    for name in (quantity for quantity in QUANTITIES if quantity != "bias2"):  # which has the image of bias's interval
        arrays: list[FloatArray] = [getattr(errors, name) for errors in (estimate, resampled, left_out)]
        rule: Rule = "percentile" if method == "percentile" else _RULES.get(name, "bca")
        columns[name] = _interval(rule, level, *arrays) if none is None else _nothing(n_runs, rule, none)
    bias = columns["bias"]  # its image under squaring reaches down to 0 where the interval contains 0
    squares = np.square([bias.low, bias.high])
    low = np.where((bias.low <= 0) & (bias.high >= 0), 0.0, squares.min(axis=0))
    return columns | {"bias2": Interval(low, squares.max(axis=0), bias.rule, bias.reason)}


def _interval(rule: Rule, level: float, estimate: FloatArray, resampled: FloatArray, left_out: FloatArray) -> Interval:
    """The intervals of one quantity by one rule: (R,), (R, B), (R, n)."""
    reason: list[_NoInterval | None] = [None] * len(estimate)
    if rule == "log-jackknife-t":
        low, high = log_jackknife_t(estimate, left_out, level)
        for run in np.flatnonzero(np.isnan(low)):
            reason[run] = "one-query-has-all-variance" if estimate[run] > 0 else "no-variance"
    elif rule == "bca":
        low, high = bca(resampled, estimate, left_out, level)
    else:
        low, high = percentile(resampled, level)
    return Interval(low, high, rule, tuple(reason))


def _nothing(n_runs: int, rule: Rule, reason: _NoInterval) -> Interval:
    return Interval(np.full(n_runs, np.nan), np.full(n_runs, np.nan), rule, (reason,) * n_runs)
