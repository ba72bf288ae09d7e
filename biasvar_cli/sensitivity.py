"""How much of a result hangs on the target, and on single queries.

The total error of a run against a target of mean m is E S^2 - 2 m E S + m^2 (SIGIR'13 Eq. 3, written out): the mean of
the target is the rate at which effectiveness is exchanged for stability, so that another target ranks otherwise.

Source: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013. Targets that leave
out the run itself or its team, and the switch points, are derived here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli import batch
from biasvar_cli.contribution import best_of_others
from biasvar_cli.correlation import kendall, pearson
from biasvar_cli.decomposition import decompose, population_variance
from biasvar_cli.errors import DataError, counted, examples
from biasvar_cli.sampling import IntArray
from biasvar_cli.scores import FloatArray, ScoreMatrix, difference, settle
from biasvar_cli.student import leave_one_out_variance
from biasvar_cli.target import Aim, VirtualTarget

Kind = Literal["given", "best", "leave-one-run-out", "leave-one-team-out", "perfect", "quantile"]
BoolArray = np.ndarray[tuple[int], np.dtype[np.bool_]]
QUANTILES = (0.95, 0.9, 0.75)
_ROUNDING = 1e-12  # a switch point so near to the target's mean is that mean


@dataclass(frozen=True, eq=False)
class Ranking:
    """The runs by one total error: arrays of the shape (n_runs,), all nan where the total is undefined.

    ``rank`` is 1 for the least total, and equal for totals that are equal up to rounding. ``kendall`` is tau-b of this
    total and of that against the target that was asked for, nan if undefined; ``least`` names the runs of rank 1.
    """

    total: FloatArray
    rank: FloatArray
    kendall: float
    least: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class UnderTarget:
    """The runs against one target, in the score form and in the gap form.

    ``mean`` is the target's mean, or where every run has a target of its own the mean of their means. ``quantile`` is
    that of the pool's scores, else None. A run for which there is no target (no run is left) has nan.
    """

    kind: Kind
    quantile: float | None
    mean: float
    score: Ranking
    gap: Ranking


@dataclass(frozen=True, eq=False)
class TargetSensitivity:
    """The runs under several targets, the first of which is the one asked for; arrays of the shape (n_runs,).

    ``bias_loro`` is the bias against the best of the other runs, ``bias_loto`` that against the best of other teams;
    ``unique`` and ``team_unique`` are what the mean of the best loses without the run and without its team. They are
    nan where no run is left, and those of teams where there are no teams.
    """

    runs: tuple[str, ...]
    targets: tuple[UnderTarget, ...]
    bias_loro: FloatArray
    unique: FloatArray
    bias_loto: FloatArray
    team_unique: FloatArray


@dataclass(frozen=True, eq=False)
class SwitchPoints:
    """At which means of the target the ranking by total changes, in the score form.

    ``order`` has the places of the runs from the least total up, (n_runs,). ``point``, (n_runs - 1,), is the mean at
    which the run at each place of the order and the next one change places, nan if they never do; ``within`` is whether
    that is on the way from the present ``mean`` to 1. ``low`` and ``high``, (n_runs,) in the order of ``runs``, are the
    nearest means below and above at which the run changes places with any other, infinite if there are none.
    ``lowest`` and ``highest`` bound the means under which the whole ranking is as it is.
    """

    runs: tuple[str, ...]
    mean: float
    order: IntArray
    point: FloatArray
    within: BoolArray
    low: FloatArray
    high: FloatArray

    @property
    def lowest(self) -> float:
        return float(self.low.max())

    @property
    def highest(self) -> float:
        return float(self.high.min())


@dataclass(frozen=True, eq=False)
class Influence:
    """What becomes of a result without each query in turn; arrays of the shape (n_queries,), in their order.

    ``mean`` is the target's mean, ``pearson`` and ``pearson_gap`` the correlations of bias^2 and variance over the runs
    in both forms, ``least`` and ``least_gap`` the place of the run of least total (the first one of equals; -1 if
    undefined). ``shift`` and ``shift_gap`` are these correlations minus those of all queries, which are ``whole`` and
    ``whole_gap``. ``order`` lists the queries by the size of ``shift``, the largest first and undefined ones last.
    """

    queries: tuple[str, ...]
    whole: float
    whole_gap: float
    mean: FloatArray
    pearson: FloatArray
    pearson_gap: FloatArray
    least: IntArray
    least_gap: IntArray

    @property
    def shift(self) -> FloatArray:
        return self.pearson - self.whole

    @property
    def shift_gap(self) -> FloatArray:
        return self.pearson_gap - self.whole_gap

    @property
    def order(self) -> IntArray:
        return np.argsort(-settle(np.abs(self.shift)), kind="stable")


def target_sensitivity(aim: Aim, teams: Mapping[str, str] | None = None) -> TargetSensitivity:
    """Rank the listed runs by their totals against other targets than the one asked for.

    These are the best of the pool, the best without the run itself, the best without the run's team where ``teams`` has
    one for every run of the pool, a perfect target where all scores are from 0 to 1, and three quantiles of the pool;
    logarithms have neither of the last two.
    Leaving a run f out, Bias_LORO(f) = Bias(f) - U_f against the best, where U_f >= 0 is its unique contribution; runs
    of one team are often near copies, which hide it, and leaving the team out shows it. A target that is the best of
    the pool already stands first and only once. Raises `DataError` for a run of the pool without a team.

    The model A, and B and C, of one team, of SIGIR'13, Table 1. The best has .65 and .1; without A .65 and .08, without
    C .6 and .1, without B what it has, and without the team of both it is A:

    >>> from biasvar_cli.target import best_of_runs
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> found = target_sensitivity(Aim(runs, runs, best_of_runs(runs)), {"A": "a", "B": "b", "C": "b"})
    >>> found.unique.round(6).tolist(), found.team_unique.round(6).tolist()
    ([0.01, 0.0, 0.025], [0.01, 0.175, 0.175])
    >>> found.bias_loro.round(6).tolist()  # .365 - .2, .375 - .34, .35 - .34
    [0.165, 0.035, 0.01]
    >>> [(each.kind, each.score.least) for each in found.targets if each.quantile is None]
    [('best', ('A',)), ('leave-one-run-out', ('A',)), ('leave-one-team-out', ('A',)), ('perfect', ('B',))]
    """
    scores, pool = aim.scores, aim.pool
    place = {run: index for index, run in enumerate(pool.runs)}
    listed = [place[run] for run in scores.runs]
    nobody = np.full(scores.values.shape, np.nan)
    best = pool.values.max(axis=0)
    others = best_of_others(pool)[listed] if pool.n_runs > 1 else nobody
    strangers = nobody if teams is None else _best_of_other_teams(pool, teams)[listed]
    given = aim.target.scores
    first: Kind = "best" if given is not None and np.array_equal(given, best) else "given"
    targets = [_Target(first, given, aim.target.mean)]
    if first == "given":
        targets.append(_target("best", best))
    targets.append(_target("leave-one-run-out", others))
    if teams is not None:
        targets.append(_target("leave-one-team-out", strangers))
    if not aim.logs:
        if pool.values.min() >= 0 and pool.values.max() <= 1 and aim.target.kind != "perfect":
            targets.append(_target("perfect", np.ones(scores.n_queries)))
        asked = aim.target.label.partition(":")[2] if aim.target.kind == "best" else ""
        quantiles = [each for each in QUANTILES if not asked or each != float(asked)]
        targets.extend(_target("quantile", np.quantile(pool.values, each, axis=0), each) for each in quantiles)

    plain = _totals(scores, targets[0])
    return TargetSensitivity(
        runs=scores.runs,
        targets=tuple(_under(scores, target, plain) for target in targets),
        bias_loro=difference(others.mean(axis=1), scores.values.mean(axis=1)),
        unique=difference(best, others).mean(axis=1),
        bias_loto=difference(strangers.mean(axis=1), scores.values.mean(axis=1)),
        team_unique=difference(best, strangers).mean(axis=1),
    )


def switch_point(f: FloatArray, g: FloatArray) -> FloatArray:
    """The mean of the target at which two runs have the same total: scores (..., n) and (..., n) give (...).

    m* = (E S_f^2 - E S_g^2) / (2 (E S_f - E S_g)); nan where the means are equal. Above m* the run of the higher mean
    has the smaller total, below it the other one.

    The runs A and B of SIGIR'13, Table 1: (.05 - .1832) / (2 (.2 - .34)):

    >>> switch_point(np.array([0.3, 0.1]), np.array([0.6, 0.08])).round(6)
    np.float64(0.475714)
    """
    apart = difference(f, g)
    gap = np.asarray(difference(np.asarray(f.mean(axis=-1)), np.asarray(g.mean(axis=-1))))
    point: FloatArray = np.full(gap.shape, np.nan)
    np.divide((apart * (f + g)).mean(axis=-1), 2 * gap, out=point, where=gap != 0)
    return point


def switch_points(scores: ScoreMatrix, target: VirtualTarget) -> SwitchPoints:
    """Where the ranking by total, in the score form, changes as the mean of the target moves.

    Between two neighbours in the ranking it changes at their `switch_point`, and the nearest of these on either side is
    the end of the present ranking. A run keeps its own rank up to the nearest switch point with any run. Runs that are
    equal now, up to rounding, switch at the present mean.

    With a target of mean .45 A is before B and C (SIGIR'13, Table 1); B and C have equal means and never switch:

    >>> from biasvar_cli.target import given_mean
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> found = switch_points(runs, given_mean(0.45))
    >>> found.order.tolist(), found.point.round(6).tolist(), found.within.tolist()
    ([0, 1, 2], [0.475714, nan], [True, False])
    >>> found.low.tolist(), found.high.round(4).tolist()
    ([-inf, -inf, -inf], [0.4757, 0.4757, 0.5775])
    """
    values, mean = scores.values, target.mean
    order = np.argsort(settle((mean - values.mean(axis=1)) ** 2 + population_variance(values)), kind="stable")
    low, high = np.full(scores.n_runs, -np.inf), np.full(scores.n_runs, np.inf)
    for run, row in enumerate(values):
        points = _snapped(switch_point(row, values), mean)
        low[run] = points.max(where=points <= mean, initial=-np.inf)
        high[run] = points.min(where=points >= mean, initial=np.inf)
    point = _snapped(switch_point(values[order[:-1]], values[order[1:]]), mean)
    within = (min(mean, 1.0) <= point) & (point <= max(mean, 1.0))
    return SwitchPoints(scores.runs, mean, order, point, within, low, high)


def influence(scores: ScoreMatrix, target: VirtualTarget) -> Influence:
    """Leave each query out in turn, for the runs and the target alike.

    The best of the runs on the other queries is the best of before; a target that is a mean alone stays as it is, and
    has no gap form. Raises `DataError` for one query.

    Three runs on three queries. Without q3, the bias^2 .01, .04, .09 and the variances .01, .04, .09 lie on a line:

    >>> from biasvar_cli.target import given_mean
    >>> values = np.array([[0.3, 0.5, 0.4], [0.1, 0.5, 0.1], [-0.1, 0.5, 0.9]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2", "q3"), None)
    >>> found = influence(runs, given_mean(0.5))
    >>> found.pearson.round(6)[2], found.least.tolist()[2], found.mean.tolist()
    (np.float64(1.0), 0, [0.5, 0.5, 0.5])
    """
    values, n = scores.values, scores.n_queries
    if n == 1:
        raise DataError("there is one query only, which cannot be left out")
    var = leave_one_out_variance(values)
    if target.scores is None:
        mean, var_gap = np.full(n, target.mean), np.full(values.shape, np.nan)
    else:
        mean = _leave_one_out_mean(target.scores[None])[0]
        var_gap = leave_one_out_variance(difference(target.scores, values))
    bias2 = difference(mean, _leave_one_out_mean(values)) ** 2
    whole = decompose(scores, target)
    return Influence(
        queries=scores.queries,
        whole=pearson(whole.bias2, whole.var),
        whole_gap=pearson(whole.bias2, whole.var_gap),
        mean=mean,
        pearson=batch.pearson(bias2.T, var.T),
        pearson_gap=batch.pearson(bias2.T, var_gap.T),
        least=_least(bias2 + var),
        least_gap=_least(bias2 + var_gap),
    )


class _Target(NamedTuple):
    """A target for all runs, scores (n_queries,) and a mean, or one for each, (n_runs, n_queries) and (n_runs,)."""

    kind: Kind
    scores: FloatArray | None
    mean: FloatArray | float
    quantile: float | None = None


def _target(kind: Kind, scores: FloatArray, quantile: float | None = None) -> _Target:
    return _Target(kind, scores, scores.mean(axis=-1), quantile)


def _totals(scores: ScoreMatrix, target: _Target) -> tuple[FloatArray, FloatArray]:
    """The totals of both forms, (n_runs,) each."""
    values = scores.values
    bias2 = difference(target.mean, values.mean(axis=1)) ** 2
    var_gap = np.full(scores.n_runs, np.nan)
    if target.scores is not None:
        var_gap = population_variance(difference(target.scores, values))
    return bias2 + population_variance(values), bias2 + var_gap


def _under(scores: ScoreMatrix, target: _Target, plain: tuple[FloatArray, FloatArray]) -> UnderTarget:
    score, gap = (
        _ranking(total, other, scores.runs) for total, other in zip(_totals(scores, target), plain, strict=True)
    )
    return UnderTarget(target.kind, target.quantile, float(np.mean(target.mean)), score, gap)


def _ranking(total: FloatArray, plain: FloatArray, runs: tuple[str, ...]) -> Ranking:
    if np.isnan(total).any():
        return Ranking(total, np.full(len(runs), np.nan), float("nan"), ())
    settled = settle(total)
    rank = np.searchsorted(np.sort(settled), settled).astype(np.float64) + 1
    least = tuple(run for run, place in zip(runs, rank, strict=True) if place == 1)
    return Ranking(total, rank, kendall(total, plain), least)


def _best_of_other_teams(pool: ScoreMatrix, teams: Mapping[str, str]) -> FloatArray:
    """For each run and query the best score of the runs of other teams, nan where there is none; like the pool."""
    absent = [run for run in pool.runs if run not in teams]
    if absent:
        raise DataError(f"--teams: no team for {counted(len(absent), 'run')}: {examples(absent)}")
    team = np.array([teams[run] for run in pool.runs])
    best = np.full(pool.values.shape, np.nan)
    for name in sorted({teams[run] for run in pool.runs}):
        if (team != name).any():
            best[team == name] = pool.values[team != name].max(axis=0)
    return best


def _snapped(points: FloatArray, mean: float) -> FloatArray:
    """The switch points, and exactly the mean where they differ from it by rounding alone."""
    return np.where(np.abs(points - mean) <= _ROUNDING * max(1.0, abs(mean)), mean, points)


def _leave_one_out_mean(values: FloatArray) -> FloatArray:
    """The mean of each row without each of its values in turn, (R, n) to (R, n); exact for a constant row."""
    shifted = values - values[:, :1]
    mean: FloatArray = values[:, :1] + (shifted.sum(axis=1, keepdims=True) - shifted) / (values.shape[1] - 1)
    return mean


def _least(total: FloatArray) -> IntArray:
    """The place of the least total in each column, (R, n) to (n,); equal up to rounding, the first; -1 if undefined."""
    undefined = np.isnan(total).any(axis=0)
    return np.where(undefined, -1, np.argmin(settle(np.where(undefined, 0.0, total)), axis=0))
