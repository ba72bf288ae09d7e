"""How a ranking of the runs depends on its target, on single queries, and on chance.

The total error of a run against a target of mean m is E S^2 - 2 m E S + m^2 (SIGIR'13 Eq. 3, written out): the mean of
the target is the rate at which effectiveness is exchanged for stability, so that another target ranks otherwise. Two
runs of unlike means have the same total at one m, their switch point.

Source: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013, for the total.
Targets that leave out the run itself or its team, and the switch points, are derived here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from biasvar_cli.analyses.sensitivity import SensitivityRequest
from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray, difference, equalised, is_least, ranks
from biasvar_cli.decomposition.contribution import LeftOut, best_of_others
from biasvar_cli.decomposition.decompose import Moments, TargetedScores, VirtualTarget, decompose, moments
from biasvar_cli.decomposition.reliability import Origin, Precision, SplitHalf, origin, precision, split_half
from biasvar_cli.errors import DataError
from biasvar_cli.readers.maps import read_teams
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.targets import TargetedAnswer, targeted_track, utility_range
from biasvar_cli.scoring.track import Track
from biasvar_cli.stats.correlation import kendall, pearson, tau_ap
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance
from biasvar_cli.words import counted, examples

OtherTarget = Literal["given", "best", "leave-one-run-out", "leave-one-team-out", "perfect", "quantile"]
_QUANTILES = (0.95, 0.9, 0.75)


@dataclass(frozen=True, eq=False)
class RunOrder:
    """The runs by one total error: arrays of the shape (n_runs,), all nan where the total is undefined.

    ``rank`` is 1 for the least total, and equal for totals that are equal up to rounding. ``kendall`` is tau-b of this
    total and of that against the target that was asked for, nan if undefined; ``least`` names the runs of rank 1.
    ``by_mean`` and ``by_mean_ap`` are Kendall's tau-b and tau_AP of the rankings by this total and by mean, the best
    first in both; the places of tau_AP are those by total.
    """

    total: FloatArray
    rank: FloatArray
    kendall: float
    least: tuple[str, ...]
    by_mean: float
    by_mean_ap: float


@dataclass(frozen=True, eq=False)
class TargetOrders:
    """The runs against one target, in the score form and in the gap form.

    ``label`` is the word for the target on the command line, or what the target leaves out. ``mean`` is the mean of the
    target; where each run has its target, it is the mean of their means. A run without a target, because no other run
    is left, has nan.
    """

    kind: OtherTarget
    label: str
    mean: float
    score: RunOrder
    gap: RunOrder


@dataclass(frozen=True, eq=False)
class TargetSensitivity:
    """The runs under several targets, the first of which is the one asked for.

    ``run_out`` and ``team_out`` are the changes from leaving out each run, and its whole team; nan where no run is
    left, and ``team_out`` is nan without teams.
    """

    runs: tuple[str, ...]
    targets: tuple[TargetOrders, ...]
    run_out: LeftOut
    team_out: LeftOut

    @property
    def first(self) -> TargetOrders:
        """The runs under the target of the request."""
        return self.targets[0]


def target_sensitivity(targeted: TargetedScores, teams: Mapping[str, str] | None = None) -> TargetSensitivity:
    """Rank the listed runs by their totals against other targets than the one asked for.

    These are the best of the pool, the best without the run itself, the best without the run's team where ``teams`` has
    one for every run of the pool, a perfect target where all scores are from 0 to 1 or where less is better and the
    least score is known, and three quantiles of the pool; logarithms have neither of the last two. Runs of one team are
    often near copies, which hide their unique contributions (`LeftOut.of`); leaving the team out shows them. If the
    best of the pool is the target asked for, it comes first and only once. Raises `DataError` for a run of the pool
    without a team.

    The model A, and B and C, of one team, of SIGIR'13, Table 1. The best has .65 and .1; without A .65 and .08, without
    C .6 and .1, without B what it has, and without the team of both it is A:

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> result = target_sensitivity(TargetedScores(runs, runs, best_of_runs(runs)), {"A": "a", "B": "b", "C": "b"})
    >>> result.run_out.unique.round(6).tolist(), result.team_out.unique.round(6).tolist()
    ([0.01, 0.0, 0.025], [0.01, 0.175, 0.175])
    >>> result.run_out.bias.round(6).tolist()  # .365 - .2, .375 - .34, .35 - .34
    [0.165, 0.035, 0.01]
    >>> [(orders.label, orders.score.least) for orders in result.targets[:4]]
    [('best', ('A',)), ('leave-one-run-out', ('A',)), ('leave-one-team-out', ('A',)), ('perfect', ('B',))]
    """
    scores, pool, target = targeted.scores, targeted.pool, targeted.target
    index = {run: row for row, run in enumerate(pool.runs)}
    listed = [index[run] for run in scores.runs]
    best = pool.values.max(axis=0)
    others = best_of_others(pool)[listed]
    other_teams = np.full(others.shape, np.nan) if teams is None else _best_of_other_teams(pool, teams)[listed]
    is_best = target.scores is not None and np.array_equal(target.scores, best)
    first = moments(scores.values, target.scores, target.mean, scores.within)

    def orders(kind: OtherTarget, target_scores: FloatArray, label: str = "") -> TargetOrders:
        """The runs against one target for all runs, (n_queries,), or one for each, (n_runs, n_queries)."""
        mean = target_scores.mean(axis=-1)
        errors = moments(scores.values, target_scores, mean, scores.within)
        by_total = _run_order(errors.total, first.total, scores), _run_order(errors.total_gap, first.total_gap, scores)
        return TargetOrders(kind, label or kind, float(np.mean(mean)), *by_total)

    by_total = _run_order(first.total, first.total, scores), _run_order(first.total_gap, first.total_gap, scores)
    kind: OtherTarget = "best" if is_best else "given"
    targets = [TargetOrders(kind, "best" if is_best else target.label, target.mean, *by_total)]
    targets += [] if is_best else [orders("best", best)]
    targets.append(orders("leave-one-run-out", others))
    if teams is not None:
        targets.append(orders("leave-one-team-out", other_teams))
    if not targeted.logs:
        perfect = _perfect_utility(pool)
        if _are_shares(pool) or (pool.better == "less" and np.isfinite(perfect) and pool.values.max() <= perfect):
            targets += [orders("perfect", np.full(scores.n_queries, perfect))] if target.kind != "perfect" else []
        quantile = target.spec.number if target.kind == "best" else None
        shares = [share for share in _QUANTILES if share != quantile]
        targets += [orders("quantile", np.quantile(pool.values, share, axis=0), f"best:{share:g}") for share in shares]
    return TargetSensitivity(
        runs=scores.runs,
        targets=tuple(targets),
        run_out=LeftOut.of(scores.values, best, others),
        team_out=LeftOut.of(scores.values, best, other_teams),
    )


def _are_shares(pool: ScoreMatrix) -> bool:
    """Whether all utilities are from 0 to 1."""
    return bool(pool.values.min() >= 0 and pool.values.max() <= 1)


def _perfect_utility(pool: ScoreMatrix) -> float:
    """The utility of a perfect score: 1, or where less is better the least score with its sign changed, nan for none.

    >>> costs = ScoreMatrix(np.array([[2.0, 0.0]]), ("A",), ("q1", "q2"), "ESL").oriented("less")
    >>> _perfect_utility(costs), _perfect_utility(costs.in_unit)
    (0.0, 1.0)
    """
    if pool.better == "more":
        return 1.0
    largest = (utility_range(pool) or (-np.inf, np.inf))[1]
    return largest if np.isfinite(largest) else 1.0 if _are_shares(pool) else float("nan")


def _run_order(total: FloatArray, first: FloatArray, scores: ScoreMatrix) -> RunOrder:
    """The runs by a total; ``first`` is that against the target of the request."""
    if np.isnan(total).any():
        return RunOrder(total, np.full(len(total), np.nan), np.nan, (), np.nan, np.nan)
    rank = ranks(total)
    least = tuple(run for run, number in zip(scores.runs, rank, strict=True) if number == 1)
    below = -scores.values.mean(axis=1)
    by_mean, by_mean_ap = kendall(total, below).item(), tau_ap(total, below)
    return RunOrder(total, rank.astype(np.float64), kendall(total, first).item(), least, by_mean, by_mean_ap)


def _best_of_other_teams(pool: ScoreMatrix, teams: Mapping[str, str]) -> FloatArray:
    """For each run and query the best score of the runs of other teams, nan where there is none; like the pool."""
    absent = [run for run in pool.runs if run not in teams]
    if absent:
        raise DataError(f"teams: no team for {counted(len(absent), 'run')}: {examples(absent)}")
    team = np.array([teams[run] for run in pool.runs])
    best = np.full(pool.values.shape, np.nan)
    for name in sorted({teams[run] for run in pool.runs}):
        if (team != name).any():
            best[team == name] = pool.values[team != name].max(axis=0)
    return best


@dataclass(frozen=True, eq=False)
class SwitchPoints:
    """The means of the target at which the ranking by total changes, in the score form.

    ``order`` has the indices of the runs from the least total up, (n_runs,). ``point``, (n_runs - 1,), is the mean at
    which each run of this order and the next one change places, nan if they never do; ``within`` is whether this mean
    is between the present ``mean`` and that of a perfect target. ``low`` and ``high``, (n_runs,) in the order of the
    runs, are the nearest means below and above at which the run changes places with any other, infinite if there are
    none.
    """

    mean: float
    order: IntArray
    point: FloatArray
    within: BoolArray
    low: FloatArray
    high: FloatArray


def switch_point(f: FloatArray, g: FloatArray, more_var: FloatArray | float = 0.0) -> FloatArray:
    """The mean of the target at which two runs have the same total: scores (..., n) and (..., n) give (...).

    m* = (E S_f^2 - E S_g^2) / (2 (E S_f - E S_g)); nan where the means are equal. Above m* the run of the higher mean
    has the smaller total, below it the other one. Of means over replicates ``more_var``, (...), is by how much the
    variance of f's replicates is above that of g's.

    The runs A and B of SIGIR'13, Table 1: (.05 - .1832) / (2 (.2 - .34)):

    >>> round(float(switch_point(np.array([0.3, 0.1]), np.array([0.6, 0.08]))), 6)
    0.475714
    """
    gap = np.asarray(difference(np.asarray(f.mean(axis=-1)), np.asarray(g.mean(axis=-1))))
    point: FloatArray = np.full(gap.shape, np.nan)
    np.divide((difference(f, g) * (f + g)).mean(axis=-1) + more_var, 2 * gap, out=point, where=gap != 0)
    return point


def switch_points(scores: ScoreMatrix, target: VirtualTarget, perfect: float = 1.0) -> SwitchPoints:
    """The means of the target at which the ranking by total changes, in the score form.

    Between two neighbours in the ranking it changes at their `switch_point`, and the nearest of these on either side is
    the end of the present ranking. A run keeps its own rank up to the nearest switch point with any run. Runs that are
    equal now, up to rounding, switch at the present mean. ``perfect`` is the utility of a perfect score.

    With a target of mean .45 A is before B and C (SIGIR'13, Table 1); B and C have equal means and never switch:

    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> points = switch_points(runs, mean_target(0.45))
    >>> points.order.tolist(), points.point.round(6).tolist(), points.within.tolist()
    ([0, 1, 2], [0.475714, nan], [True, False])
    >>> points.low.tolist(), points.high.round(4).tolist()
    ([-inf, -inf, -inf], [0.4757, 0.4757, 0.5775])
    """
    values, mean = scores.values, target.mean
    within = np.zeros(scores.n_runs) if scores.within is None else scores.within.mean(axis=1)
    order = np.argsort(equalised(moments(values, None, mean, scores.within).total), kind="stable")
    low, high = np.full(scores.n_runs, -np.inf), np.full(scores.n_runs, np.inf)
    for run, row in enumerate(values):
        points = _snapped(switch_point(row, values, within[run] - within), mean)
        low[run] = points.max(where=points <= mean, initial=-np.inf)
        high[run] = points.min(where=points >= mean, initial=np.inf)
    first, second = order[:-1], order[1:]
    point = _snapped(switch_point(values[first], values[second], within[first] - within[second]), mean)
    between = (min(mean, perfect) <= point) & (point <= max(mean, perfect)) & np.isfinite(perfect)
    return SwitchPoints(mean, order, point, between, low, high)


def _snapped(points: FloatArray, mean: float) -> FloatArray:
    """The switch points, and exactly the mean where they differ from it by rounding alone."""
    return np.where(np.abs(points - mean) <= ROUNDING * max(1.0, abs(mean)), mean, points)


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

    @property
    def shift(self) -> FloatArray:
        return self.pearson - self.whole

    @property
    def order(self) -> IntArray:
        return np.argsort(-equalised(np.abs(self.shift)), kind="stable")


def influence(scores: ScoreMatrix, target: VirtualTarget) -> Influence:
    """Leave each query out in turn, for the runs and for the target.

    The target's scores of the other queries do not change; a target that is a mean alone stays as it is, and has no gap
    form. One query cannot be left out: there is no influence then.

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
        none = np.empty(0)
        return Influence((), float("nan"), none, none, none, np.empty((0, 0), dtype=bool))
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
        return switch_points(self.scores, self.target, self.perfect)

    @property
    def perfect(self) -> float:
        """The utility of a perfect score; nan where it is not known, as for logs."""
        return np.nan if self.targeted.logs else _perfect_utility(self.targeted.pool)

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
        return influence(self.scores, self.target)

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
