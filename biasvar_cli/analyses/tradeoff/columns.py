"""The columns of the tables of the tradeoff."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import COEFFICIENTS, FORM, MEASURE, NULL, QUANTITIES, RUN, TARGET

if TYPE_CHECKING:
    from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail
    from biasvar_cli.decomposition.design import Sampling
    from biasvar_cli.scoring.families import Family

_KIND = "`single` queries; `random` partitions; `random-exact`, their expectation; `difficulty`; `groups`"
_SIZE = "queries in a subset (the last one may differ); empty for `groups`"
_SAMPLING: tuple[Column[Sampling], ...] = (
    Column("sampling", _KIND, "kind"),
    Column("subset_size", _SIZE, "size", head="size", latex="subset size"),
    Column("normalised", "whether subset means are divided by the target's"),
)
_FAMILY: tuple[Column[Family], ...] = (
    Column("family", "the family", "name"),
    Column("n_runs", "its members among the runs", lambda family: len(family.members), head="runs", better="more"),
)
_OVER_SUBSETS = {  # what the errors are where subsets of queries take the place of single queries
    "bias": "the target's mean minus the weighted mean of the run's subset means; normalised: 1 minus it",
    "bias2": "its square, averaged over the partitions",
    "var": "the variance of the subset means, averaged over the partitions",
    "total": "`bias2` + `var`",
    "var_gap": "the variance of the subset means of target minus score; normalised: `var`",
    "total_gap": "`bias2` + `var_gap`",
}


_N_SUBSETS = "how many subsets the means are of"
_N_DROPPED = "how many were left out because the target is 0 there"
_KEYS: tuple[Column[Any], ...] = (MEASURE.on("answer"), TARGET.on("answer"))
_CORRELATIONS: tuple[Column[Any], ...] = (
    FORM.over("rows"),
    *(column.on("correlations").over("rows") for column in COEFFICIENTS.values()),
)
_NULL: tuple[Column[Any], ...] = tuple(column.over("by_null") for column in NULL)
_ROWS: Declared[Correlated] = (
    *_KEYS,
    *(column.on("sampling").over("rows") for column in _SAMPLING),
    *_CORRELATIONS,
    Column("n_subsets", _N_SUBSETS, latex="subsets", better="more", hidden=True).over("rows"),
    Column("n_dropped", _N_DROPPED, "dropped", latex="dropped", hidden=True).over("rows"),
    *_NULL,
)
_BETWEEN = "`var` over the variance over single queries: the share that lies between the subsets; not normalised"
_LEAST = "which of `bias2`, `var` and `total` are least in this run, separated by a space"
_DETAIL: Declared[Detail] = (
    *_KEYS,
    *(replace(column.on("sampling"), key=True) for column in _SAMPLING),
    RUN.on("answer.decomposition"),
    QUANTITIES["mean"].on("answer.decomposition"),
    *(replace(QUANTITIES[name], meaning=meaning).on("errors") for name, meaning in _OVER_SUBSETS.items()),
    Column("between", _BETWEEN, priority=2),
    Column("least", _LEAST, priority=5),
)
_N_BELOW = "members with less bias² and less variance than that run"
_BELOW = "which these are, in order of their parameter, separated by a space"
_OF_BASELINE: tuple[Column[Correlated], ...] = (
    Column("n_below", _N_BELOW, lambda table: table.below and list(map(len, table.below)), latex="members below"),
    Column("below", _BELOW),
)
_FAMILIES: Declared[Correlated] = (
    *_KEYS,
    *(column.over("families") for column in _FAMILY),
    *_CORRELATIONS,
    *_NULL,
    *(replace(column, hidden=True, option="--families --baseline") for column in _OF_BASELINE),
)
TABLES: dict[str, Declared[Any]] = {"samplings": _ROWS, "detail": _DETAIL, "families": _FAMILIES}
