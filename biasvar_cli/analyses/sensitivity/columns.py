"""The columns of the tables of sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import compress
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import BIAS_LORO, MEASURE, QUANTITIES, QUERY, RUN, TARGET, UNIQUE
from biasvar_cli.words import RANKED

if TYPE_CHECKING:
    from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer
    from biasvar_cli.analyses.sensitivity.targets import TargetOrders


def _finite(values: Iterable[float]) -> list[float | None]:
    return [float(value) if isfinite(value) else None for value in values]


def _whole(values: Iterable[float]) -> list[int | None]:
    return [int(value) if isfinite(value) else None for value in values]


def _by_target(of: Callable[[TargetOrders], Any]) -> Callable[[SensitivityAnswer], list[Any]]:
    """The values of a column with one row for each target."""
    return lambda a: [of(orders) for orders in a.targets.targets]


def _tau(
    part: str, sign: str, meaning: str, of: Callable[[TargetOrders], float], priority: int = 0
) -> Column[SensitivityAnswer]:
    """A correlation of two rankings of the runs."""
    return Column(f"tau{part}", meaning, _by_target(of), latex=sign, signed=True, priority=priority)


def _rank(name: str, label: str, meaning: str, latex: str, priority: int) -> Column[SensitivityAnswer]:
    """The ranks under one of the targets; None where this target is not used."""

    def ranks(a: SensitivityAnswer) -> list[int | None] | None:
        return next((_whole(orders.score.rank) for orders in a.targets.targets if orders.label == label), None)

    return Column(name, meaning, ranks, latex=latex, better="less", priority=priority)


def _least_without(a: SensitivityAnswer) -> list[list[str]]:
    """The runs of least total without a query, first those that have it with all of them, for all queries in turn."""
    first = a.targets.given.score.least
    least = (list(compress(a.scores.runs, column)) for column in a.influence.least.T)
    return [sorted(runs, key=lambda run: run not in first) for runs in least]


_TAU, _TAU_GAP = "$\\tau$", "$\\tau$ (gap)"
_TAU_AP, _TAU_AP_GAP = "$\\tau_{\\mathrm{AP}}$", "$\\tau_{\\mathrm{AP}}$ (gap)"
_TARGETS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column(
        "under",
        "the target: the one asked for, `best`, the best without the run or its team, `perfect`, quantiles",
        _by_target(lambda o: o.label),
    ),
    Column(
        "mean",
        "the target's mean; where every run has its own, the mean of these",
        _by_target(lambda o: o.mean),
        kind="score",
    ),
    _tau("", _TAU, "Kendall's tau-b of the ranking by total with that in the first row", lambda o: o.score.kendall),
    _tau("_gap", _TAU_GAP, "the same of the rankings by total_gap", lambda o: o.gap.kendall, 2),
    Column("least_total", "the runs of least total, separated by a space", _by_target(lambda o: list(o.score.least))),
    Column(
        "least_total_gap",
        "those of least total_gap",
        _by_target(lambda o: list(o.gap.least)),
        latex="least total (gap)",
        priority=3,
    ),
)
_RUNS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    RUN.on(attrgetter("targets")),
    QUANTITIES["total"].on(attrgetter("targets.given.score")),
    Column(
        "rank",
        "the rank by it; equal totals share the lower rank",
        lambda a: _whole(a.targets.given.score.rank),
        better="less",
    ),
    _rank(
        "rank_loro", "leave-one-run-out", "the rank where each run is left out of its target", "rank without the run", 1
    ),
    _rank("rank_perfect", "perfect", "the rank under `perfect`; there for scores from 0 to 1", "rank (perfect)", 4),
    replace(BIAS_LORO, shown=False).on(attrgetter("targets.run_out")),
    replace(UNIQUE, priority=3).on(attrgetter("targets.run_out")),
    Column(
        "bias_loto",
        "the bias against the best of the other teams' runs",
        lambda a: a.targets.team_out.bias if a.teams is not None else None,
        latex="bias without the team",
        better="less",
        shown=False,
        option="--teams",
    ),
    Column(
        "team_unique",
        "what the target's mean would lose without the team",
        lambda a: a.targets.team_out.unique if a.teams is not None else None,
        latex="unique (team)",
        better="more",
        priority=2,
        option="--teams",
    ),
    Column(
        "switch_low",
        "the nearest mean of the target below the present one at which the run changes places with another",
        lambda a: _finite(a.switches.low),
        latex="switch, below",
        priority=2,
        kind="score",
        other_end="switch_high",
    ),
    Column(
        "switch_high",
        "the nearest mean above the present one at which it does",
        lambda a: _finite(a.switches.high),
        latex="switch, above",
        kind="score",
        other_end="switch_low",
    ),
    Column(
        "slope",
        "the slope of its scores on the mean scores of the queries over the pool; above 1 it amplifies difficulty",
        lambda a: a.origin.slope,
        shown=False,
    ),
    Column(
        "of_track",
        "the share of its variance that the mean scores of the queries explain",
        lambda a: a.origin.share,
        latex="share of the track",
        priority=6,
    ),
    Column(
        "needed",
        "queries for which ln var has an interval of half-width `--precision`",
        lambda a: _whole(a.precision.needed),
        priority=5,
    ),
)
_NEIGHBOURS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column(
        "rank",
        "the rank by total, 1 for the least; of equal totals one comes first",
        lambda a: range(1, a.scores.n_runs),
    ),
    Column("run", "the run of that rank", lambda a: [a.scores.runs[index] for index in a.switches.order[:-1]]),
    Column("next", "the run of the next rank", lambda a: [a.scores.runs[index] for index in a.switches.order[1:]]),
    Column(
        "switch",
        "the mean of the target at which the two have the same total; empty if their means are equal",
        lambda a: _finite(a.switches.point),
        kind="score",
    ),
    Column("before_perfect", "whether `switch` lies between the target's mean and 1", lambda a: a.switches.within),
)
_R = "Pearson's $r$"
_QUERIES: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    replace(QUERY, meaning="the query that is left out").on(attrgetter("influence")),
    Column("pearson", "Pearson's r without it, score form", attrgetter("influence.pearson"), latex=_R, signed=True),
    Column("shift", "`pearson` minus r of all queries", lambda a: a.influence.shift, signed=True),
    Column(
        "pearson_gap",
        "Pearson's r without it, gap form",
        attrgetter("influence.pearson_gap"),
        latex=f"{_R} (gap)",
        signed=True,
        priority=2,
    ),
    Column("target_mean", "the target's mean without it", lambda a: a.influence.mean, priority=1, kind="score"),
    Column(
        "least_total",
        "the run of least total without it; of tied ones one that has it with all queries, if there is one",
        lambda a: [runs[0] for runs in _least_without(a)],
    ),
    Column(
        "tied",
        "the other runs of this total, separated by a space",
        lambda a: [runs[1:] for runs in _least_without(a)],
        shown=False,
    ),
)
_RELIABILITY: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column(
        "ranking",
        "the column by which the runs are ranked",
        lambda _: RANKED,
        cell_headings={name: QUANTITIES[name].heading for name in RANKED},
    ),
    Column(
        "tau",
        "Kendall's tau-b between the rankings in two halves of the queries, the mean over the splits",
        lambda a: [getattr(a.halves, name) for name in RANKED],
        latex="$\\tau$",
        signed=True,
    ),
)
_MEAN: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column("under", "the target, as in `targets`", _by_target(lambda o: o.label)),
    _tau("", _TAU, "Kendall's tau-b of the rankings by total and by mean, the best first", lambda o: o.score.by_mean),
    _tau(
        "_ap",
        _TAU_AP,
        "tau_AP of the same, with the ranks by total: a change near the top of this ranking weighs most; the mean over "
        "all orders of tied runs",
        lambda o: o.score.by_mean_ap,
    ),
    _tau("_gap", _TAU_GAP, "Kendall's tau-b of the rankings by total_gap and by mean", lambda o: o.gap.by_mean, 1),
    _tau("_ap_gap", _TAU_AP_GAP, "tau_AP of these, with the ranks by total_gap", lambda o: o.gap.by_mean_ap, 2),
)
TABLES: dict[str, Declared[Any]] = {
    "targets": _TARGETS,
    "runs": _RUNS,
    "neighbours": _NEIGHBOURS,
    "queries": _QUERIES,
    "reliability": _RELIABILITY,
    "mean": _MEAN,
}
