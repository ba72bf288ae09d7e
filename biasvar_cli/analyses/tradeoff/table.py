"""The correlations of bias² and variance under query samples, their data, and families of runs, as tables."""

from __future__ import annotations

from typing import Any

from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail, TradeoffAnswer
from biasvar_cli.analyses.tradeoff.columns import TABLES
from biasvar_cli.analyses.tradeoff.sentences import (
    detail_notes,
    families_notes,
    null_models_table,
    sampling_words,
    tradeoff_details,
    tradeoff_notes,
)
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.null import NULL_INTERVAL, NULL_KEYS, how_notes, null_document
from biasvar_cli.tables.quantities import NULL
from biasvar_cli.tables.table import Table, about, document_of, row_order


def tradeoff_tables(answer: TradeoffAnswer, *, nested: bool = False, sort: str = "bias2") -> list[Table]:
    """The tables that the request asks for; ``sort`` is the order of the runs, where these are shown."""
    if answer.request.detail is not None:
        return [detail_table(detail, sort) for detail in answer.details]
    of_families = answer.request.families is not None
    return [families_table(answer, nested=nested) if of_families else tradeoff_table(answer, nested=nested)]


def tradeoff_table(answer: TradeoffAnswer, *, nested: bool = False) -> Table:
    """One row per sampling and form: the table of CIKM'14 for one track, one measure and one target.

    The null models are the keys `NULL_KEYS` of each row if ``nested``, as JSON has them, and
    columns on Pearson's r otherwise.
    """
    unfitted = answer.null is not None and not answer.null.fitted
    return Table.of(
        f"Correlation of bias² and variance over the runs: {_about(answer)}",
        _cells("samplings", Correlated(answer, answer.rows, nested=nested)),
        notes=tuple(tradeoff_notes(answer)),
        details=tuple(tradeoff_details(answer)),
        second=null_models_table(answer),
        intervals=NULL_INTERVAL,
        hidden=frozenset(column.name for column in NULL if unfitted),
        more=("biasvar decompose", "biasvar plot tradeoff"),
        document=_document(answer),
    )


def detail_table(detail: Detail, sort: str) -> Table:
    """One row per run under one sampling: the data of CIKM'14 Figure 1, with the runs of least error marked.

    Raises `UsageError` for a column to sort by that is not there.
    """
    cells, document = filled(TABLES["detail"], detail), _document(detail.answer)
    keys = {name: cells.columns[name][0] for name, column in cells.declared.items() if column.key}
    order = row_order({name: values for name, values in cells.columns.items() if name not in keys}, sort)
    return Table.of(
        f"Bias-variance over {sampling_words(detail.sampling)}: {_about(detail.answer)}",
        cells.rows(order),
        notes=tuple(detail_notes(detail)),
        document=document | {name: value for name, value in keys.items() if name not in document},
        rows_key="runs",
    )


def families_table(answer: TradeoffAnswer, *, nested: bool = False) -> Table:
    """One row per family and form: the correlation within it, and its members below the baseline in both.

    The null models stand where `tradeoff_table` has them; families of few members have none.
    """
    pairs = [(family, row) for family in answer.families for row in family.rows]
    table = Correlated(answer, [row for _, row in pairs], [family for family, _ in pairs], nested)
    return Table.of(
        f"Families: {_about(answer)}",
        _cells("families", table),
        notes=tuple(families_notes(answer)),
        details=tuple(how_notes(answer.null)) if answer.null is not None else (),
        intervals=NULL_INTERVAL,
        more=("biasvar tradeoff",),
        document=_document(answer),
        rows_key="families",
    )


def _cells(name: str, table: Correlated) -> Cells:
    """The columns of a table of correlations; in JSON the null models of a row are documents."""
    cells, null = filled(TABLES[name], table), table.answer.null
    if null is None or not table.nested:
        return cells
    documents = [null_document(row, null) for row in table.rows]
    nested: dict[str, list[Any]] = {key: [document[key] for document in documents] for key in NULL_KEYS}
    behind: dict[str, list[Any]] = {key: cells.columns.pop(key) for key in ("n_below", "below") if key in cells.columns}
    return Cells({**cells.columns, **nested, **behind}, cells.declared)


def _about(answer: TradeoffAnswer) -> str:
    return about(answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries)


def _document(answer: TradeoffAnswer) -> dict[str, Any]:
    return document_of(answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries)
