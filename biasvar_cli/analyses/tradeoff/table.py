"""The correlations of bias² and variance under query samples, their data, and families of runs, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail, TradeoffAnswer
from biasvar_cli.analyses.tradeoff.columns import TABLES
from biasvar_cli.analyses.tradeoff.sentences import (
    detail_notes,
    detail_verdict,
    families_notes,
    families_verdict,
    label,
    reading_order,
    tradeoff_details,
    tradeoff_notes,
    verdict_notes,
)
from biasvar_cli.decomposition.tradeoff import TradeoffRow, of_single
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.registry import BESIDE
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.null import NULL_INTERVAL, NULL_KEYS, how_notes, null_document
from biasvar_cli.tables.quantities import NULL
from biasvar_cli.tables.replicates import with_systems
from biasvar_cli.tables.table import Table, document_of, evaluated, signature
from biasvar_cli.tables.view import View, row_order, rows_of
from biasvar_cli.words import in_nouns

_OF_NULL = frozenset(column.name for column in NULL)
(_RANGE,) = NULL_INTERVAL.values()
_AS_ROWS = View(format="csv")


def tradeoff_tables(answer: TradeoffAnswer, view: View) -> list[Table]:
    """The tables that the request asks for; in JSON the null models of a row are the keys `NULL_KEYS`, no columns."""
    if answer.request.detail is not None:
        return [detail_table(detail, view) for detail in answer.details]
    return [(families_table if answer.request.families is not None else tradeoff_table)(answer, view)]


@with_systems("scores")
def tradeoff_table(answer: TradeoffAnswer, view: View = _AS_ROWS) -> Table:
    """One row per sampling and form: the table of CIKM'14 for one track, one measure and one target.

    People are shown samplings by their letters in CIKM'14, and no row twice. Raises `UsageError` for a column to sort
    by that is not there.
    """
    cells = _cells("samplings", Correlated(answer, answer.rows, nested=view.for_json))
    usual = reading_order(answer) if view.is_best_first else list(range(len(answer.rows)))
    order = [usual[row] for row in _sorted(cells.rows(usual), "samplings", "sampling", view)][: view.top]
    table = Table.of(
        _title(answer),
        cells.rows(order),
        verdict=tuple(verdict_notes(answer)),
        notes=tuple(tradeoff_notes(answer, view.top)),
        details=tuple(tradeoff_details(answer)),
        appendix=null_models_table(answer),
        intervals=NULL_INTERVAL,
        hidden=_OF_NULL if answer.null is not None and not answer.null.fitted else frozenset(),
        more=("biasvar decompose", "biasvar plot tradeoff"),
        name="tradeoff",
        signature=_signature(answer, answer.null),
        document=_document(answer),
    )
    return _for_people(table, [answer.rows[index] for index in order]) if view.for_people else table


def _for_people(table: Table, rows: Sequence[TradeoffRow]) -> Table:
    """The table with samplings by their letters, without columns that say nothing of most rows."""
    sizes = {row.sampling.size for row in rows if row.sampling.kind not in ("single", "groups")}
    hidden = {"normalised", *(column.name for column in NULL if column.name not in _RANGE)}
    if len(sizes) < 2:
        hidden.add("subset_size")
    columns = {**table.columns, "sampling": [label(row.sampling) for row in rows]}
    return replace(table, columns=columns, hidden=table.hidden | hidden)


def null_models_table(answer: TradeoffAnswer) -> tuple[Table, ...]:
    """Pearson's r over single queries under each null model, as a small table; none where one is missing."""
    score, null = of_single(answer.rows)["score"], answer.null
    row_null, beside = (None, {}) if null is None else (null.of(score), null.beside(score))
    if row_null is None or not beside:
        return ()
    models = {**row_null.models, **{name: model.both_tails for name, model in beside.items()}}
    if any(isnan(model.median) for model in models.values()):
        return ()
    columns: dict[str, list[Any]] = {"null model": list(models)}
    for name in ("median", "low", "high", "p_lower", "p_upper"):
        columns[name] = [getattr(model, name) for model in models.values()]
    return (
        Table(
            "Pearson's r of (a) single, score form, in each null model",
            columns,
            notes=(
                "p_lower, p_upper: how often a simulated r is as low, or as high, as that of the data.",
                *(
                    in_nouns(f"{model.name}: {model.words}. {model.undeciding}; it has no part in the verdict.")
                    for model in BESIDE
                ),
            ),
            intervals={"95 %": ("low", "high")},
            signed=frozenset({"median", "low"}),
        ),
    )


@with_systems("answer.scores")
def detail_table(detail: Detail, view: View) -> Table:
    """One row per run under one sampling: the data of CIKM'14 Figure 1, with the runs of least error marked.

    Raises `UsageError` for a column to sort by that is not there.
    """
    cells, document = filled(TABLES["detail"], detail), _document(detail.answer)
    keys = {name: cells.columns[name][0] for name, column in cells.declared.items() if column.key}
    order = _sorted(cells, "detail", "run", view, usual="bias2" if view.is_best_first else "run")
    return Table.of(
        _title(detail.answer),
        rows_of(cells, order, view),
        verdict=tuple(detail_verdict(detail)),
        notes=tuple(detail_notes(detail)),
        hidden=frozenset() if any(map(_defined, cells.columns["between"])) else frozenset({"between"}),
        more=("biasvar tradeoff",),
        name="tradeoff",
        signature=_signature(detail.answer, None),
        document=document | {name: value for name, value in keys.items() if name not in document},
        rows_key="runs",
    )


@with_systems("scores")
def families_table(answer: TradeoffAnswer, view: View = _AS_ROWS) -> Table:
    """One row per family and form: the correlation within it, and its members below the baseline in both.

    The null models stand where `tradeoff_table` has them; families of few members have none. Raises `UsageError` for a
    column to sort by that is not there.
    """
    pairs = [(family, row) for family in answer.families for row in family.rows]
    table = Correlated(answer, [row for _, row in pairs], [family for family, _ in pairs], view.for_json)
    cells = _cells("families", table)
    cells = cells.rows(_sorted(cells, "families", "family", view)[: view.top])
    without = {name for name in _OF_NULL & cells.columns.keys() if not any(map(_defined, cells.columns[name]))}
    return Table.of(
        _title(answer),
        cells,
        verdict=tuple(families_verdict(answer)),
        notes=tuple(families_notes(answer)),
        details=tuple(how_notes(answer.null)),
        intervals=NULL_INTERVAL,
        hidden=frozenset({"null_r", *without} if view.for_people else ()),
        more=("biasvar tradeoff",),
        name="tradeoff-families",
        signature=_signature(answer, answer.null),
        document=_document(answer),
        rows_key="families",
    )


def _defined(value: Any) -> bool:
    return value is not None and value == value


def _sorted(cells: Cells, table: str, names: str, view: View, usual: str | None = None) -> list[int]:
    """The order of the rows; as they are where neither one is asked for nor there is a usual one."""
    sort = view.sort or usual
    if sort is None:
        return list(range(len(cells.columns[names])))
    return row_order(cells.columns, sort, names=names, declared=TABLES[table])


def _cells(name: str, table: Correlated) -> Cells:
    """The columns of a table of correlations; in JSON the null models of a row are documents."""
    cells, null = filled(TABLES[name], table), table.answer.null
    if null is None or not table.nested:
        return cells
    documents = [null_document(row, null) for row in table.rows]
    nested: dict[str, list[Any]] = {key: [document[key] for document in documents] for key in NULL_KEYS}
    behind: dict[str, list[Any]] = {key: cells.columns.pop(key) for key in ("n_below", "below") if key in cells.columns}
    return Cells({**cells.columns, **nested, **behind}, cells.declared)


def _title(answer: TradeoffAnswer) -> str:
    return evaluated(answer.measure, answer.scores.n_runs, answer.scores.n_queries, answer.target)


def _signature(answer: TradeoffAnswer, null: Null | None) -> str:
    design, transform = answer.request.design, log_transform(answer.request)
    words = [] if transform is None else [f"ln {transform.form} {transform.eps:g}"]
    if answer.request.families is None:
        words += design.words(answer.scores.n_queries)
    return signature(answer.measure, answer.scored.basis, *words, target=answer.target, null=null)


def _document(answer: TradeoffAnswer) -> dict[str, Any]:
    return document_of(answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries)


VIEW = View


def tables(answers: Sequence[TradeoffAnswer], view: View) -> list[Table]:
    """The tables of every answer."""
    return [table for answer in answers for table in tradeoff_tables(answer, view)]
