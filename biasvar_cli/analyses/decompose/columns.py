"""The columns of the table of a decomposition."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import MEASURE, QUANTITIES, REPLICATES, RUN, TARGET

if TYPE_CHECKING:
    from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
    from biasvar_cli.decomposition.baseline import Compared

VISIBLE_INTERVALS = ("bias2", "var", "total")  # which people see
_PRIORITIES = {"bias2": 6, "var": 5, "total": 2, "d_bias": 3, "d_total": 1, "ratio_var": 2}  # of what is added
_COMPARED: tuple[Column[Compared], ...] = (  # the difference or ratio of a run and the baseline
    Column("d_bias", "the run's bias minus the baseline's", "value", latex="$\\Delta$ bias"),
    Column("d_total", "the difference of the totals", "value", latex="$\\Delta$ total"),
    Column(
        "d_total_gap",
        "the difference of the totals of the gap form",
        "value",
        latex="$\\Delta$ total (gap)",
        hidden=True,
    ),
    Column("ratio_var", "the ratio of the variances", "value", latex="variance ratio"),
    Column(
        "ratio_var_gap", "the ratio of the variances of the gap", "value", latex="variance ratio (gap)", hidden=True
    ),
)
_P = "the two-sided p of no difference from the baseline"
_P_HOLM = f"{_P}, adjusted for all runs compared (Holm), or with `--baseline top` for all pairs of runs"


def _ends(name: str) -> list[Column[DecomposeAnswer]]:
    """The two ends of the intervals of a quantity."""
    ends = attrgetter(f"{name}.low", f"{name}.high")
    visible, priority = name in VISIBLE_INTERVALS, _PRIORITIES.get(name, 0)
    columns = QUANTITIES[name].ends(ends, option="--ci", hidden=not visible, priority=priority)
    return [column.on("intervals") for column in columns]


def _compared(value: Column[Compared]) -> list[Column[DecomposeAnswer]]:
    """A difference or ratio, its interval, its p, and that p after Holm."""
    priority, quantity = _PRIORITIES.get(value.name, 0), value.name.partition("_")[2]
    columns = (
        replace(value, better="less", priority=priority),
        *value.ends(attrgetter("low", "high"), hidden=True),
        value.part("_p", _P, "p", "$p$", hidden=True),
        value.part("_holm", _P_HOLM, "p_holm", "$p$ (Holm)", hidden=value.hidden, priority=priority),
    )
    return [column.optional("--baseline").on(quantity).on("compared") for column in columns]


_TOTAL_W = "WB `bias2` + WV `var`, the weights being those of `--weights WB,WV`"
_PARETO = (
    "whether no other run has at most the same `bias2` and `var` and less of one of them (`*` for people, `true` and "
    "`false` elsewhere)"
)
_STABILITY = (
    "by how many standard deviations the run's variance is above that of simulated runs with the same mean; of three "
    "null models, the value nearest to 0; well below 0: steadier than its mean implies"
)
_RUNS: Declared[DecomposeAnswer] = (
    MEASURE,
    TARGET,
    *(column.on("result") for column in (RUN, *QUANTITIES.values())),
    *(column.on("result.parts") for column in REPLICATES),
    Column("rank", "1 for the least `total`; equal totals share the lower rank", better="less", option="--rank"),
    Column("total_w", _TOTAL_W, latex="weighted total", better="less", option="--weights"),
    Column(
        "pareto",
        _PARETO,
        lambda answer: answer.front if answer.request.pareto else None,
        latex="Pareto front",
        better="more",
        option="--pareto",
    ),
    Column("stability", _STABILITY, "z", option="--stability"),
    *(column for name in QUANTITIES for column in _ends(name)),
    *(column for value in _COMPARED for column in _compared(value)),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS}
