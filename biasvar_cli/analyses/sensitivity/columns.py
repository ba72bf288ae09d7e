"""The columns of the tables of sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
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
    """The values of a column that has a row a target."""
    return lambda answer: [of(orders) for orders in answer.targets.targets]


def _rank(label: str) -> Callable[[SensitivityAnswer], list[int | None] | None]:
    """The ranks under one of the targets; None where it is not there."""
    return lambda answer: next(
        (_whole(orders.score.rank) for orders in answer.targets.targets if orders.label == label), None
    )


_TARGETS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column(
        "under",
        "the target: the one asked for, `best`, those that leave out a run or its team, `perfect`, quantiles",
        _by_target(lambda orders: orders.label),
    ),
    Column(
        "mean",
        "its mean; where every run has a target of its own, the mean of these",
        _by_target(lambda orders: orders.mean),
    ),
    Column(
        "tau",
        "Kendall's tau-b of the ranking by total with that under the target asked for",
        _by_target(lambda orders: orders.score.kendall),
        latex="$\\tau$",
        signed=True,
    ),
    Column(
        "tau_gap",
        "the same of the ranking by total_gap",
        _by_target(lambda orders: orders.gap.kendall),
        latex="$\\tau$ (gap)",
        signed=True,
    ),
    Column(
        "least_total",
        "the runs of least total, separated by a space",
        _by_target(lambda orders: list(orders.score.least)),
    ),
    Column(
        "least_total_gap",
        "the runs of least total_gap",
        _by_target(lambda orders: list(orders.gap.least)),
        latex="least total (gap)",
    ),
)
_RUNS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    RUN.on(attrgetter("targets")),
    QUANTITIES["total"].on(attrgetter("targets.given.score")),
    Column("rank", "the rank by it", lambda answer: _whole(answer.targets.given.score.rank), better="less"),
    Column(
        "rank_loro",
        "the rank where every run is measured against the best of the others",
        _rank("leave-one-run-out"),
        latex="rank without the run",
        better="less",
    ),
    Column(
        "rank_perfect",
        "the rank under the target `perfect`; there for scores from 0 to 1",
        _rank("perfect"),
        latex="rank (perfect)",
        better="less",
    ),
    replace(BIAS_LORO, shown=False).on(attrgetter("targets.run_out")),
    UNIQUE.on(attrgetter("targets.run_out")),
    Column(
        "bias_loto",
        "the bias against the best of the other teams' runs",
        lambda answer: answer.targets.team_out.bias if answer.teams is not None else None,
        latex="bias without the team",
        better="less",
        shown=False,
        option="--teams",
    ),
    Column(
        "team_unique",
        "what the target's mean would lose without the team",
        lambda answer: answer.targets.team_out.unique if answer.teams is not None else None,
        latex="unique (team)",
        better="more",
        option="--teams",
    ),
    Column(
        "switch_low",
        "the nearest mean of the target below the present one at which the run switches with another",
        lambda answer: _finite(answer.switches.low),
        latex="switch, below",
    ),
    Column("switch_high", "the nearest one above", lambda answer: _finite(answer.switches.high), latex="switch, above"),
    Column(
        "slope",
        "of the run's scores on the mean scores of the queries over the pool; above 1 amplifies difficulty",
        lambda answer: answer.origin.slope,
        shown=False,
    ),
    Column(
        "of_track",
        "the share of the run's variance that this explains",
        lambda answer: answer.origin.share,
        latex="share of the track",
    ),
    Column(
        "needed",
        "queries for which ln var has an interval of half-width `--precision`",
        lambda answer: _whole(answer.precision.needed),
    ),
)
_NEIGHBOURS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column("rank", "the place in the ranking by total", lambda answer: range(1, answer.scores.n_runs)),
    Column(
        "run",
        "the run of that place",
        lambda answer: [answer.scores.runs[index] for index in answer.switches.order[:-1]],
    ),
    Column(
        "next",
        "the run of the next place",
        lambda answer: [answer.scores.runs[index] for index in answer.switches.order[1:]],
    ),
    Column(
        "switch",
        "the target mean at which the two have the same total; empty if their means are equal",
        lambda answer: _finite(answer.switches.point),
    ),
    Column(
        "before_perfect",
        "whether that lies between the target's mean and 1",
        lambda answer: answer.switches.within,
    ),
)
_QUERIES: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    replace(QUERY, meaning="the query that is left out").on(attrgetter("influence")),
    Column(
        "pearson",
        "Pearson's r without it, score form",
        lambda answer: answer.influence.pearson,
        latex="Pearson's $r$",
        signed=True,
    ),
    Column("shift", "that minus r of all queries", lambda answer: answer.influence.shift, signed=True),
    Column(
        "pearson_gap",
        "Pearson's r without it, gap form",
        lambda answer: answer.influence.pearson_gap,
        latex="Pearson's $r$ (gap)",
        signed=True,
    ),
    Column("target_mean", "the target's mean without it", lambda answer: answer.influence.mean),
    Column(
        "least_total",
        "the run of least total without it",
        lambda answer: [answer.scores.runs[index] for index in answer.influence.least],
    ),
)
_RELIABILITY: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column(
        "ranking",
        "by what the runs are ranked",
        lambda _: RANKED,
        cell_headings={name: QUANTITIES[name].heading for name in RANKED},
    ),
    Column(
        "tau",
        "Kendall's tau-b between the rankings in two halves of the queries, the mean over the splits",
        lambda answer: [getattr(answer.halves, name) for name in RANKED],
        latex="$\\tau$",
        signed=True,
    ),
)
_MEAN: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column("under", "the target, as in `targets`", _by_target(lambda orders: orders.label)),
    Column(
        "tau",
        "Kendall's tau-b between the rankings by total and by mean, the best run first in both",
        _by_target(lambda orders: orders.score.by_mean),
        latex="$\\tau$",
        signed=True,
    ),
    Column(
        "tau_ap",
        "tau_AP of the same, with the places of the ranking by total: a change of order near its top weighs most; the "
        "mean over all orders of tied runs",
        _by_target(lambda orders: orders.score.by_mean_ap),
        latex="$\\tau_{\\mathrm{AP}}$",
        signed=True,
    ),
    Column(
        "tau_gap",
        "Kendall's tau-b between the rankings by total_gap and by mean",
        _by_target(lambda orders: orders.gap.by_mean),
        latex="$\\tau$ (gap)",
        signed=True,
    ),
    Column(
        "tau_ap_gap",
        "tau_AP of the same, with the places of the ranking by total_gap",
        _by_target(lambda orders: orders.gap.by_mean_ap),
        latex="$\\tau_{\\mathrm{AP}}$ (gap)",
        signed=True,
    ),
)
TABLES: dict[str, Declared[Any]] = {
    "targets": _TARGETS,
    "runs": _RUNS,
    "neighbours": _NEIGHBOURS,
    "queries": _QUERIES,
    "reliability": _RELIABILITY,
    "mean": _MEAN,
}
