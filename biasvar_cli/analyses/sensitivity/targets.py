"""How much of a result depends on the target.

The total error of a run against a target of mean m is E S^2 - 2 m E S + m^2 (SIGIR'13 Eq. 3, written out): the mean of
the target is the rate at which effectiveness is exchanged for stability, so that another target ranks otherwise.

Source: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013. Targets that leave
out the run itself or its team are derived here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray, difference, equalised
from biasvar_cli.decomposition.contribution import best_of_others
from biasvar_cli.decomposition.moments import moments
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.errors import DataError
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.correlation import kendall, tau_ap
from biasvar_cli.words import counted, examples

OtherTarget = Literal["given", "best", "leave-one-run-out", "leave-one-team-out", "perfect", "quantile"]
QUANTILES = (0.95, 0.9, 0.75)


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
class UnderTarget:
    """The runs against one target, in the score form and in the gap form.

    ``mean`` is the target's mean, or where every run has a target of its own the mean of their means. ``quantile`` is
    that of the pool's scores, else None. A run for which there is no target (no run is left) has nan.
    """

    kind: OtherTarget
    quantile: float | None
    mean: float
    score: RunOrder
    gap: RunOrder


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


def target_sensitivity(targeted: TargetedScores, teams: Mapping[str, str] | None = None) -> TargetSensitivity:
    """Rank the listed runs by their totals against other targets than the one asked for.

    These are the best of the pool, the best without the run itself, the best without the run's team where ``teams`` has
    one for every run of the pool, a perfect target where all scores are from 0 to 1, and three quantiles of the pool;
    logarithms have neither of the last two.
    Leaving a run f out, Bias_LORO(f) = Bias(f) - U_f against the best, where U_f >= 0 is its unique contribution; runs
    of one team are often near copies, which hide it, and leaving the team out shows it. A target that is the best of
    the pool already stands first and only once. Raises `DataError` for a run of the pool without a team.

    The model A, and B and C, of one team, of SIGIR'13, Table 1. The best has .65 and .1; without A .65 and .08, without
    C .6 and .1, without B what it has, and without the team of both it is A:

    >>> from biasvar_cli.decomposition.target import best_of_runs
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> found = target_sensitivity(TargetedScores(runs, runs, best_of_runs(runs)), {"A": "a", "B": "b", "C": "b"})
    >>> found.unique.round(6).tolist(), found.team_unique.round(6).tolist()
    ([0.01, 0.0, 0.025], [0.01, 0.175, 0.175])
    >>> found.bias_loro.round(6).tolist()  # .365 - .2, .375 - .34, .35 - .34
    [0.165, 0.035, 0.01]
    >>> [(each.kind, each.score.least) for each in found.targets if each.quantile is None]
    [('best', ('A',)), ('leave-one-run-out', ('A',)), ('leave-one-team-out', ('A',)), ('perfect', ('B',))]
    """
    scores, pool = targeted.scores, targeted.pool
    place = {run: index for index, run in enumerate(pool.runs)}
    listed = [place[run] for run in scores.runs]
    undefined = np.full(scores.values.shape, np.nan)
    best = pool.values.max(axis=0)
    others = best_of_others(pool)[listed] if pool.n_runs > 1 else undefined
    other_teams = undefined if teams is None else _best_of_other_teams(pool, teams)[listed]
    given = targeted.target.scores
    first: OtherTarget = "best" if given is not None and np.array_equal(given, best) else "given"
    targets = [_Target(first, given, targeted.target.mean)]
    if first == "given":
        targets.append(_target("best", best))
    targets.append(_target("leave-one-run-out", others))
    if teams is not None:
        targets.append(_target("leave-one-team-out", other_teams))
    if not targeted.logs:
        if pool.values.min() >= 0 and pool.values.max() <= 1 and targeted.target.kind != "perfect":
            targets.append(_target("perfect", np.ones(scores.n_queries)))
        asked = targeted.target.spec.number if targeted.target.kind == "best" else None
        quantiles = [each for each in QUANTILES if each != asked]
        targets.extend(_target("quantile", np.quantile(pool.values, each, axis=0), each) for each in quantiles)

    plain = _totals(scores, targets[0])
    return TargetSensitivity(
        runs=scores.runs,
        targets=tuple(_under(scores, target, plain) for target in targets),
        bias_loro=difference(others.mean(axis=1), scores.values.mean(axis=1)),
        unique=difference(best, others).mean(axis=1),
        bias_loto=difference(other_teams.mean(axis=1), scores.values.mean(axis=1)),
        team_unique=difference(best, other_teams).mean(axis=1),
    )


class _Target(NamedTuple):
    """A target for all runs, scores (n_queries,) and a mean, or one for each, (n_runs, n_queries) and (n_runs,)."""

    kind: OtherTarget
    scores: FloatArray | None
    mean: FloatArray | float
    quantile: float | None = None


def _target(kind: OtherTarget, scores: FloatArray, quantile: float | None = None) -> _Target:
    return _Target(kind, scores, scores.mean(axis=-1), quantile)


def _totals(scores: ScoreMatrix, target: _Target) -> tuple[FloatArray, FloatArray]:
    """The totals of both forms, (n_runs,) each."""
    found = moments(scores.values, target.scores, target.mean)
    return found.total, found.total_gap


def _under(scores: ScoreMatrix, target: _Target, plain: tuple[FloatArray, FloatArray]) -> UnderTarget:
    score, gap = (_run_order(total, other, scores) for total, other in zip(_totals(scores, target), plain, strict=True))
    return UnderTarget(target.kind, target.quantile, float(np.mean(target.mean)), score, gap)


def _run_order(total: FloatArray, plain: FloatArray, scores: ScoreMatrix) -> RunOrder:
    nan = float("nan")
    if np.isnan(total).any():
        return RunOrder(total, np.full(len(total), np.nan), nan, (), nan, nan)
    settled = equalised(total)
    rank = np.searchsorted(np.sort(settled), settled).astype(np.float64) + 1
    least = tuple(run for run, place in zip(scores.runs, rank, strict=True) if place == 1)
    below = -scores.values.mean(axis=1)
    by_mean, by_mean_ap = kendall(total, below).item(), tau_ap(total, below)
    return RunOrder(total, rank, kendall(total, plain).item(), least, by_mean, by_mean_ap)


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
