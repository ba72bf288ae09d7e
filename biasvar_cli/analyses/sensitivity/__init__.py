"""What may be asked of the sensitivity of a ranking, and the columns of the tables of the answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import compress
from math import isfinite
from typing import TYPE_CHECKING, Any

from biasvar_cli.settings import STATISTICS, Function, same_setting, setting
from biasvar_cli.specs.requests import SampledRequest, TargetedRequest
from biasvar_cli.tables.column import BIAS_LORO, MEASURE, QUANTITIES, QUERY, RUN, TARGET, UNIQUE, Column, Declared
from biasvar_cli.words import RANKED

if TYPE_CHECKING:
    from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer, TargetOrders


@dataclass(frozen=True, kw_only=True)
class SensitivityRequest(TargetedRequest):
    """Targets, each with an answer of its own, and the parameters of random halves and of precision.

    Raises `UsageError` for a request that cannot be answered.
    """

    teams: str | None = setting(
        None, STATISTICS, "A csv of run,team, or a list of Evalbase: leave out the whole team of a run too.", file=True
    )
    splits: int = setting(
        100, STATISTICS, "How often to split the queries into random halves.", metavar="N", limits="repeats"
    )  # fewer than of swaps, for all splits are in memory at once
    precision: float = setting(
        0.2, STATISTICS, "Say how many queries ln var needs for an interval of ± W.", metavar="W"
    )
    seed: int = same_setting(SampledRequest, "seed")

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets and teams are read from."""
        return super().files if self.teams is None else (*super().files, self.teams)


FUNCTION = Function(
    SensitivityRequest,
    """How far the ranking of the runs by total depends on the target, on single runs and queries, and on chance.

    ``frame()`` has the ranking against other targets; ``frame("runs")``, ``frame("neighbours")``, ``frame("queries")``,
    ``frame("reliability")`` and ``frame("mean")`` are the other tables of ``biasvar sensitivity``.
    """,
)


_TAU, _TAU_GAP = "$\\tau$", "$\\tau$ (gap)"
_TAU_AP, _TAU_AP_GAP = "$\\tau_{\\mathrm{AP}}$", "$\\tau_{\\mathrm{AP}}$ (gap)"


def _finite(values: Iterable[float], number: type = float) -> list[Any]:
    """The values as numbers of a type, None for those that are not finite."""
    return [number(value) if isfinite(value) else None for value in values]


_UNDER = "the target: the one asked for, `best`, the best without the run or its team, `perfect`, quantiles"
_BY_TOTAL = "Kendall's tau-b of the ranking by total with that in the first row"
_LEAST_TOTAL = "the runs of least total, separated by a space"
_LEAST_GAP = "those of least total_gap"
_GAP = "the same of the rankings by total_gap"
_UNDER_TARGET: tuple[Column[TargetOrders], ...] = (
    Column("under", _UNDER, "label"),
    Column("mean", "the target's mean; where every run has its own, the mean of these", kind="score"),
    Column("tau", _BY_TOTAL, "score.kendall", latex=_TAU, signed=True),
    Column("tau_gap", _GAP, "gap.kendall", latex=_TAU_GAP, signed=True, priority=2),
    Column("least_total", _LEAST_TOTAL, lambda orders: list(orders.score.least)),
    Column("least_total_gap", _LEAST_GAP, lambda orders: list(orders.gap.least), latex="least total (gap)", priority=3),
)
_TARGETS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    *(column.over("targets.targets") for column in _UNDER_TARGET),
)


def _ranks(name: str, label: str, meaning: str, **others: Any) -> Column[SensitivityAnswer]:
    """The ranks under one of the targets; None where this target is not used."""

    def ranks(a: SensitivityAnswer) -> list[int | None] | None:
        return next((_finite(orders.score.rank, int) for orders in a.targets.targets if orders.label == label), None)

    return Column(name, meaning, ranks, better="less", **others)


_RANK = "the rank by it; equal totals share the lower rank"
_RANK_LORO = "the rank where each run is left out of its target"
_BEFORE_PERFECT = (
    "whether `switch` lies between the target's mean and that of a perfect target, such as 1; false too where that is "
    "not known, as for `--log`"
)
_RANK_PERFECT = "the rank under `perfect`; there for scores from 0 to 1"
_BIAS_LOTO = "the bias against the best of the other teams' runs"
_TEAM_UNIQUE = "what the target's mean would lose without the team"
_BELOW = "the nearest mean of the target below the present one at which the run changes places with another"
_ABOVE = "the nearest mean above the present one at which it does"
_SLOPE = "the slope of its scores on the mean scores of the queries over the pool; above 1 it amplifies difficulty"
_OF_TRACK = "the share of its variance that the mean scores of the queries explain"
_NEEDED = "queries for which ln var has an interval of half-width `--precision`"
_TEAM: tuple[Column[Any], ...] = (
    Column("bias_loto", _BIAS_LOTO, "bias", latex="bias without the team", better="less", hidden=True),
    Column("team_unique", _TEAM_UNIQUE, "unique", latex="unique (team)", better="more", priority=2),
)
_SWITCH_LOW: Column[SensitivityAnswer] = Column(
    "switch_low", _BELOW, lambda a: _finite(a.switches.low), latex="switch, below", kind="score", priority=2
)
_SWITCH_HIGH: Column[SensitivityAnswer] = Column(
    "switch_high", _ABOVE, lambda a: _finite(a.switches.high), latex="switch, above", kind="score"
)
_RUNS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    RUN.on("targets"),
    QUANTITIES["total"].on("targets.first.score"),
    Column("rank", _RANK, lambda a: _finite(a.targets.first.score.rank, int), better="less"),
    _ranks("rank_loro", "leave-one-run-out", _RANK_LORO, latex="rank without the run", priority=1),
    _ranks("rank_perfect", "perfect", _RANK_PERFECT, latex="rank (perfect)", priority=4),
    replace(BIAS_LORO, hidden=True).on("targets.run_out"),
    replace(UNIQUE, priority=3).on("targets.run_out"),
    *(column.on(lambda a: None if a.teams is None else a.targets.team_out).optional("--teams") for column in _TEAM),
    replace(_SWITCH_LOW, other_end="switch_high"),
    replace(_SWITCH_HIGH, other_end="switch_low"),
    Column("slope", _SLOPE, "origin.slope", hidden=True),
    Column("of_track", _OF_TRACK, "origin.share", latex="share of the track", priority=6),
    Column("needed", _NEEDED, lambda a: _finite(a.precision.needed, int), priority=5),
)

_BY_RANK = "the rank by total, 1 for the least; of equal totals one comes first"
_SWITCH = "the mean of the target at which the two have the same total; empty if their means are equal"
_NEIGHBOURS: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column("rank", _BY_RANK, lambda a: range(1, a.scores.n_runs)),
    Column("run", "the run of that rank", lambda a: [a.scores.runs[run] for run in a.switches.order[:-1]]),
    Column("next", "the run of the next rank", lambda a: [a.scores.runs[run] for run in a.switches.order[1:]]),
    Column("switch", _SWITCH, lambda a: _finite(a.switches.point), kind="score"),
    Column("before_perfect", _BEFORE_PERFECT, "switches.within"),
)


def _least_without(a: SensitivityAnswer) -> list[list[str]]:
    """For each query left out, the runs of least total; those that have it with all queries come first."""
    first = a.targets.first.score.least
    least = (list(compress(a.scores.runs, column)) for column in a.influence.least.T)
    return [sorted(runs, key=lambda run: run not in first) for runs in least]


_R, _R_GAP = "Pearson's $r$", "Pearson's $r$ (gap)"
_GAP_WITHOUT = "Pearson's r without it, gap form"
_LEAST = "the run of least total without it; of tied ones one that has it with all queries, if there is one"
_TIED = "the other runs of this total, separated by a space"
_QUERIES: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    replace(QUERY, meaning="the query that is left out").on("influence"),
    Column("pearson", "Pearson's r without it, score form", "influence.pearson", latex=_R, signed=True),
    Column("shift", "`pearson` minus r of all queries", "influence.shift", signed=True),
    Column("pearson_gap", _GAP_WITHOUT, "influence.pearson_gap", latex=_R_GAP, signed=True, priority=2),
    Column("target_mean", "the target's mean without it", "influence.mean", priority=1, kind="score"),
    Column("least_total", _LEAST, lambda a: [runs[0] for runs in _least_without(a)]),
    Column("tied", _TIED, lambda a: [runs[1:] for runs in _least_without(a)], hidden=True),
)

_RANKING = "the column by which the runs are ranked"
_BETWEEN_HALVES = "Kendall's tau-b between the rankings in two halves of the queries, the mean over the splits"
_HEADINGS = {name: QUANTITIES[name].heading for name in RANKED}
_RELIABILITY: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    Column("ranking", _RANKING, lambda _: RANKED, cell_headings=_HEADINGS),
    Column("tau", _BETWEEN_HALVES, lambda a: [getattr(a.halves, name) for name in RANKED], latex=_TAU, signed=True),
)

_BY_MEAN = "Kendall's tau-b of the rankings by total and by mean, the best first"
_BY_MEAN_AP = (
    "tau_AP of the same, with the ranks by total: a change near the top of this ranking weighs most; the mean over all "
    "orders of tied runs"
)
_GAP_BY_MEAN = "Kendall's tau-b of the rankings by total_gap and by mean"
_GAP_BY_MEAN_AP = "tau_AP of these, with the ranks by total_gap"
_BESIDE_MEAN: tuple[Column[TargetOrders], ...] = (
    Column("under", "the target, as in `targets`", "label"),
    Column("tau", _BY_MEAN, "score.by_mean", latex=_TAU, signed=True),
    Column("tau_ap", _BY_MEAN_AP, "score.by_mean_ap", latex=_TAU_AP, signed=True),
    Column("tau_gap", _GAP_BY_MEAN, "gap.by_mean", latex=_TAU_GAP, signed=True, priority=1),
    Column("tau_ap_gap", _GAP_BY_MEAN_AP, "gap.by_mean_ap", latex=_TAU_AP_GAP, signed=True, priority=2),
)
_MEAN: Declared[SensitivityAnswer] = (
    MEASURE,
    TARGET,
    *(column.over("targets.targets") for column in _BESIDE_MEAN),
)
TABLES: dict[str, Declared[Any]] = {
    "targets": _TARGETS,
    "runs": _RUNS,
    "neighbours": _NEIGHBOURS,
    "queries": _QUERIES,
    "reliability": _RELIABILITY,
    "mean": _MEAN,
}
