"""Confidence intervals: how far every number would move with other queries of the same kind, or with other runs.

The estimand is the number that the same runs would have on infinitely many queries from the population these are a
sample of; the target `best` is then the maximum over the same runs, and it is resampled with its queries. One way to
make an interval does not cover for every quantity, so each has its own rule:

* bias, mean and both totals: BCa; bias^2: the image of bias's interval under squaring;
* both variances: the t interval of the jackknifed logarithm, since a variance is skewed and its percentiles too narrow;
* correlations over the runs: `over_queries`, or percentiles as `r_intervals` has them.

`benchmarks/coverage.py` measures how often the intervals hold the truth.

Sources: Efron, "Better bootstrap confidence intervals", JASA 82, 1987 (BCa); Davison and Hinkley, Bootstrap Methods and
their Application, 1997 (percentile); Miller, "Jackknifing variances", Annals of Mathematical Statistics 39, 1968.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.moments import Deviations, Moments
from biasvar_cli.decomposition.over_queries import over_queries
from biasvar_cli.decomposition.r_intervals import CorrelationIntervals, r_intervals
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.bootstrap import (
    Rule,
    bca,
    log_jackknife_t,
    percentile,
    require_resamples,
    resample_weights,
)
from biasvar_cli.stats.streams import Stream, generator
from biasvar_cli.words import QUANTITIES, IntervalMethod

NoInterval = Literal["one-query", "mean-only", "no-variance", "one-query-has-all-variance"]

_VALUES = 2**22  # of one quantity, over runs and resamples, that are held at a time: 32 MB
_RULES: dict[str, Rule] = {"var": "log-jackknife-t", "var_gap": "log-jackknife-t"}  # the others have BCa


@dataclass(frozen=True, eq=False)
class Interval:
    """The intervals of one quantity, arrays of the shape (n_runs,), in the order of the runs.

    ``reason`` says, where the ends are nan, why: there is only ``one-query``, the target is ``mean-only``, or for a
    variance there is ``no-variance``, or none without one query. Otherwise it is None.
    """

    low: FloatArray
    high: FloatArray
    rule: Rule
    reason: tuple[NoInterval | None, ...]


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
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    method: IntervalMethod = "auto",
) -> Intervals:
    """The intervals of every run over queries, by the rules above or by percentiles alone.

    All runs and the target share the same resamples. By percentiles, too, bias^2 has the image of
    bias's interval: the percentiles of its own are never 0. Memory is bounded whatever the numbers of runs, queries and
    resamples.

    Raises `UsageError` for a level outside (0, 1), and for resamples too few to have one beyond each end.

    By hand, for the scores 0, .2 and .4: the variance is .08 / 3, and without each query in turn .01, .04 and .01. The
    pseudo-values of its logarithm, 3 ln .02667 - 2 ln .01 or .04, are -1.6627, -4.4353 and -1.6627, with mean -2.5869
    and standard error .9242, and t with two degrees of freedom is 4.3027 at .975: exp(-2.5869 -+ 3.9766).

    >>> from biasvar_cli.decomposition.target import given_mean
    >>> runs = ScoreMatrix(np.array([[0.0, 0.2, 0.4]]), ("A",), ("q1", "q2", "q3"), "AP")
    >>> found = intervals(runs, given_mean(0.45))
    >>> found.var.low.round(5).tolist(), found.var.high.round(3).tolist(), found.var_gap.reason
    ([0.00141], [4.013], ('mean-only',))
    """
    require_resamples(level, n_resamples)
    data, step = Deviations.of(scores, target), max(1, _VALUES // n_resamples)
    blocks = [data.of_runs(slice(start, start + step)) for start in range(0, scores.n_runs, step)]
    found = [_columns(block, level, n_resamples, seed, method) for block in blocks]
    columns = {name: _joined([each[name] for each in found]) for name in found[0]}
    if target.scores is None:
        for name in ("var_gap", "total_gap"):
            columns[name] = _nothing(scores.n_runs, columns[name].rule, "mean-only")
    correlation, *ranks = _correlations(scores, target, level, n_resamples, seed, method)
    return Intervals(level, n_resamples, seed, method, **columns, correlation=correlation, ranks=tuple(ranks))


def _correlations(
    scores: ScoreMatrix, target: VirtualTarget, level: float, n_resamples: int, seed: int, method: IntervalMethod
) -> list[CorrelationIntervals]:
    """The intervals of Pearson's r over queries, and those of the rank correlations, which percentiles do not have."""
    if method == "percentile":
        return [r_intervals(scores, target, level=level, n_resamples=n_resamples, seed=seed, method=method)]
    return [
        CorrelationIntervals(coefficient, "topics", level, n_resamples, seed, forms["score"], forms["gap"])
        for coefficient, forms in over_queries(scores, target, level=level, seed=seed).items()
    ]


def _columns(
    data: Deviations, level: float, n_resamples: int, seed: int, method: IntervalMethod
) -> dict[str, Interval]:
    """The intervals of some runs, by the names of the columns."""
    n_runs, n_queries = data.score.shape
    estimate, found = data.moments, {}
    drawn = np.empty((len(fields(Moments)), n_runs, n_resamples))
    start = 0
    for weights in resample_weights(n_queries, n_resamples, generator(Stream.QUERIES, seed)):
        for rows, each in zip(drawn, vars(data.resampled(weights)).values(), strict=True):
            rows[:, start : start + len(weights)] = each.T
        start += len(weights)
    resampled = Moments(*drawn)
    left_out = data.left_out() if n_queries > 1 else resampled
    for name in (each for each in QUANTITIES if each != "bias2"):  # which has the image of bias's interval
        values: list[FloatArray] = [getattr(each, name) for each in (estimate, resampled, left_out)]
        rule: Rule = "percentile" if method == "percentile" else _RULES.get(name, "bca")
        found[name] = _nothing(n_runs, rule, "one-query") if n_queries == 1 else _interval(rule, level, *values)
        if name == "bias":
            found["bias2"] = _squared(found[name])
    return found


def _interval(rule: Rule, level: float, estimate: FloatArray, resampled: FloatArray, left_out: FloatArray) -> Interval:
    """The intervals of one quantity by one rule: (R,), (R, B), (R, n)."""
    reason: list[NoInterval | None] = [None] * len(estimate)
    if rule == "log-jackknife-t":
        low, high = log_jackknife_t(estimate, left_out, level)
        for run in np.flatnonzero(np.isnan(low)):
            reason[run] = "one-query-has-all-variance" if estimate[run] > 0 else "no-variance"
    elif rule == "bca":
        low, high = bca(resampled, estimate, left_out, level)
    else:
        low, high = percentile(resampled, level)
    return Interval(low, high, rule, tuple(reason))


def _squared(of_bias: Interval) -> Interval:
    """The image under squaring: it reaches down to 0 where the interval contains 0."""
    low2, high2 = of_bias.low**2, of_bias.high**2
    across = (of_bias.low <= 0) & (of_bias.high >= 0)
    low: FloatArray = np.where(across, 0.0, np.minimum(low2, high2))
    return Interval(low, np.maximum(low2, high2), of_bias.rule, of_bias.reason)


def _nothing(n_runs: int, rule: Rule, reason: NoInterval) -> Interval:
    return Interval(np.full(n_runs, np.nan), np.full(n_runs, np.nan), rule, (reason,) * n_runs)


def _joined(parts: list[Interval]) -> Interval:
    low, high = (np.concatenate([getattr(each, end) for each in parts]) for end in ("low", "high"))
    return Interval(low, high, parts[0].rule, sum((each.reason for each in parts), ()))
