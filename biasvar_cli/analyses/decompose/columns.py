"""The columns of the table of a decomposition."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import MEASURE, QUANTITIES, REPLICATES, RUN, TARGET

if TYPE_CHECKING:
    from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
    from biasvar_cli.decomposition.baseline import Compared

SHOWN_ENDS = ("bias2", "var", "total")  # whose intervals people see
_PRIORITIES = {"bias2": 6, "var": 5, "total": 2, "d_bias": 3, "d_total": 1, "ratio_var": 2}  # of what is added
_COMPARED = (  # name, meaning, and head in LaTeX of a difference or ratio of a run and the baseline
    ("d_bias", "the run's bias minus the baseline's", "$\\Delta$ bias", True),
    ("d_total", "the difference of the totals", "$\\Delta$ total", True),
    ("d_total_gap", "the difference of the totals of the gap form", "$\\Delta$ total (gap)", False),
    ("ratio_var", "the ratio of the variances", "variance ratio", True),
    ("ratio_var_gap", "the ratio of the variances of the gap", "variance ratio (gap)", False),
)


def _ends(name: str) -> tuple[Column[DecomposeAnswer], ...]:
    """The two ends of the intervals of a quantity."""
    of = attrgetter(f"{name}.low", f"{name}.high")
    ends = QUANTITIES[name].ends(of, option="--ci", shown=name in SHOWN_ENDS, priority=_PRIORITIES.get(name, 0))
    return tuple(column.on(attrgetter("intervals")) for column in ends)


def _compared(name: str, meaning: str, latex: str, shown: bool) -> tuple[Column[DecomposeAnswer], ...]:
    """A difference or ratio, its interval, its p, and that p after Holm."""
    priority = _PRIORITIES.get(name, 0)
    p = "the two-sided p of no difference from the baseline"
    value: Column[Compared] = Column(
        name, meaning, attrgetter("value"), latex=latex, better="less", shown=shown, priority=priority
    )
    columns = (
        value,
        *value.ends(attrgetter("low", "high"), shown=False),
        value.part("_p", p, attrgetter("p"), "$p$", shown=False),
        value.part(
            "_holm",
            f"{p}, adjusted for all runs compared (Holm), or with `--baseline top` for all pairs of runs",
            attrgetter("p_holm"),
            "$p$ (Holm)",
            shown=shown,
            priority=priority,
        ),
    )
    of = attrgetter(name.partition("_")[2])
    return tuple(column.optional("--baseline").on(of).on(attrgetter("compared")) for column in columns)


_RUNS: Declared[DecomposeAnswer] = (
    MEASURE,
    TARGET,
    *(column.on(attrgetter("result")) for column in (RUN, *QUANTITIES.values())),
    *(column.on(attrgetter("result.parts")) for column in REPLICATES),
    Column(
        "rank",
        "1 for the least `total`; equal totals share the lower rank",
        lambda answer: answer.rank,
        better="less",
        option="--rank",
    ),
    Column(
        "total_w",
        "WB `bias2` + WV `var`, the weights being those of `--weights WB,WV`",
        lambda answer: answer.total_w,
        latex="weighted total",
        better="less",
        option="--weights",
    ),
    Column(
        "pareto",
        "whether no other run has at most the same `bias2` and `var` and less of one of them (`*` for people, `true` "
        "and `false` elsewhere)",
        lambda answer: answer.front if answer.request.pareto else None,
        latex="Pareto front",
        better="more",
        option="--pareto",
    ),
    Column(
        "stability",
        "by how many standard deviations the run's variance is above that of simulated runs with the same mean; of "
        "three null models, the value nearest to 0; well below 0: steadier than its mean implies",
        lambda answer: answer.z,
        option="--stability",
    ),
    *(column for name in QUANTITIES for column in _ends(name)),
    *(column for each in _COMPARED for column in _compared(*each)),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS}
