"""The columns of the tables of the tradeoff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import COEFFICIENTS, FORM, MEASURE, NULL, QUANTITIES, RUN, TARGET

if TYPE_CHECKING:
    from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail
    from biasvar_cli.decomposition.design import Sampling
    from biasvar_cli.scoring.families import Family

_SAMPLING: tuple[Column[Sampling], ...] = (
    Column(
        "sampling",
        "`single` queries; `random` partitions; `random-exact`, their expectation; `difficulty`; `groups`",
        lambda sampling: sampling.kind,
    ),
    Column(
        "subset_size",
        "queries in a subset (the last one may differ); empty for `groups`",
        lambda sampling: sampling.size,
        head="size",
        latex="subset size",
    ),
    Column("normalised", "whether subset means are divided by the target's", lambda sampling: sampling.normalised),
)
_FAMILY: tuple[Column[Family], ...] = (
    Column("family", "the family", lambda family: family.name),
    Column(
        "n_runs",
        "its members among the runs",
        lambda family: len(family.members),
        head="runs",
        latex="runs",
        better="more",
    ),
)
_OVER_SUBSETS = {  # what the errors are where subsets of queries take the place of single queries
    "bias": "the target's mean minus the weighted mean of the run's subset means; normalised: 1 minus it",
    "bias2": "its square, averaged over the partitions",
    "var": "the variance of the subset means, averaged over the partitions",
    "total": "`bias2` + `var`",
    "var_gap": "the variance of the subset means of target minus score; normalised: `var`",
    "total_gap": "`bias2` + `var_gap`",
}


def _of_rows(column: Column[Any], get: Callable[[Any], Any]) -> Column[Correlated]:
    """A column of what each row has."""
    return replace(column, values=lambda table: [column.of(get(row)) for row in table.rows])


def _of_families(column: Column[Any]) -> Column[Correlated]:
    """A column of the family of each row."""
    return replace(column, values=lambda table: [column.of(family) for family in table.families])


def _of_null(column: Column[Any]) -> Column[Correlated]:
    """A column of what the null models say of each row, None where they say nothing."""
    return replace(
        column,
        values=lambda table: (
            None if table.by_null is None else [None if one is None else column.of(one) for one in table.by_null]
        ),
    )


_CORRELATIONS = (
    _of_rows(FORM, lambda row: row),
    *(_of_rows(column, attrgetter("correlations")) for column in COEFFICIENTS.values()),
)
_ROWS: Declared[Correlated] = (
    MEASURE.on(attrgetter("answer")),
    TARGET.on(attrgetter("answer")),
    *(_of_rows(column, attrgetter("sampling")) for column in _SAMPLING),
    *_CORRELATIONS,
    Column(
        "n_subsets",
        "how many subsets the means are of",
        lambda table: [row.n_subsets for row in table.rows],
        latex="subsets",
        better="more",
        shown=False,
    ),
    Column(
        "n_dropped",
        "how many were left out because the target is 0 there",
        lambda table: [row.dropped for row in table.rows],
        latex="dropped",
        shown=False,
    ),
    *map(_of_null, NULL),
)
_DETAIL: Declared[Detail] = (
    MEASURE.on(attrgetter("answer")),
    TARGET.on(attrgetter("answer")),
    *(replace(column.on(attrgetter("sampling")), key=True) for column in _SAMPLING),
    RUN.on(attrgetter("answer.decomposition")),
    QUANTITIES["mean"].on(attrgetter("answer.decomposition")),
    *(replace(QUANTITIES[name], meaning=meaning).on(attrgetter("errors")) for name, meaning in _OVER_SUBSETS.items()),
    Column(
        "between",
        "`var` over the variance over single queries: the share that lies between the subsets; not normalised",
        lambda detail: detail.between,
        priority=2,
    ),
    Column(
        "least",
        "which of `bias2`, `var` and `total` are least in this run, separated by a space",
        lambda detail: detail.least,
        priority=5,
    ),
)
_FAMILIES: Declared[Correlated] = (
    MEASURE.on(attrgetter("answer")),
    TARGET.on(attrgetter("answer")),
    *map(_of_families, _FAMILY),
    *_CORRELATIONS,
    *map(_of_null, NULL),
    Column(
        "n_below",
        "members with less bias² and less variance than that run",
        lambda table: table.below and [len(names) for names in table.below],
        latex="members below",
        shown=False,
        option="--families --baseline",
    ),
    Column(
        "below",
        "which these are, in order of their parameter, separated by a space",
        lambda table: table.below,
        shown=False,
        option="--families --baseline",
    ),
)
TABLES: dict[str, Declared[Any]] = {"samplings": _ROWS, "detail": _DETAIL, "families": _FAMILIES}
