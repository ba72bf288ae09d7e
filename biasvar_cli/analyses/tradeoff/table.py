"""The correlations of bias² and variance under query samples, their data, and families of runs, as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from biasvar_cli.analyses.tradeoff import TABLES
from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail, TradeoffAnswer
from biasvar_cli.analyses.tradeoff.notes import (
    detail_verdict,
    families_notes,
    families_verdict,
    full_notes,
    label,
    reading_order,
    table_notes,
    verdict_notes,
)
from biasvar_cli.decomposition.generalised import of_single
from biasvar_cli.nulls import BESIDE
from biasvar_cli.tables import null_words
from biasvar_cli.tables.column import NULL, Cells, filled
from biasvar_cli.tables.null_words import NULL_INTERVAL, NULL_KEYS, how_notes
from biasvar_cli.tables.rows import View, row_order, rows_of, with_row_notes
from biasvar_cli.tables.table import Table, explained, targeted_table
from biasvar_cli.words import counted, in_nouns

VIEW = View
_OF_NULL = frozenset(column.name for column in NULL)


def tables(answers: Sequence[TradeoffAnswer], view: View) -> list[Table]:
    """The tables that the request of the answers asks for."""
    made = []
    for answer in answers:
        if answer.request.table == "detail":
            made += [detail_table(detail, view) for detail in answer.details]
        elif answer.request.table == "families":
            made.append(families_table(answer, view))
        else:  # a DataFrame has all rows, of which people see none twice
            all_rows = view.format == "csv" and view.best_first
            made.append(tradeoff_table(answer, replace(view, best_first=None) if all_rows else view))
    return made


@with_row_notes("scores")
def tradeoff_table(answer: TradeoffAnswer, view: View) -> Table:
    """One row per sampling and form: the table of CIKM'14 for one track, one measure and one target.

    People are shown samplings by their letters in CIKM'14, and no row twice. Raises `UsageError` for a column to sort
    by that is not there.
    """
    cells, null = _cells("samplings", Correlated(answer, answer.rows, nested=view.for_json)), answer.null
    order = reading_order(answer) if view.is_best_first else list(range(len(answer.rows)))
    if view.sort is not None:
        columns = cells.rows(order).columns
        order = [order[row] for row in row_order(columns, view.sort, names="sampling", declared=TABLES["samplings"])]
    order = order[: view.top]
    cells, hidden = cells.rows(order), set[str]()
    if null is not None and not null.fitted:
        hidden.update(_OF_NULL)
    if view.for_people:
        samplings = [answer.rows[row].sampling for row in order]
        cells.columns["sampling"] = [label(sampling) for sampling in samplings]
        hidden.update({"normalised"}, _OF_NULL.difference(*NULL_INTERVAL.values()))
        if len({sampling.size for sampling in samplings if sampling.kind not in ("single", "groups")}) < 2:
            hidden.add("subset_size")
    return targeted_table(
        answer,
        cells,
        answer.request.log_words,
        *answer.request.design.words(answer.scores.n_queries),
        null=null,
        verdict=tuple(verdict_notes(answer)),
        notes=tuple(table_notes(answer, view.top)),
        details=tuple(full_notes(answer)),
        appendix=tuple(_null_models(answer)),
        intervals=NULL_INTERVAL,
        hidden=frozenset(hidden),
        more=("biasvar decompose", "biasvar plot tradeoff"),
        name="tradeoff",
    )


def _null_models(answer: TradeoffAnswer) -> Iterator[Table]:
    """Pearson's r over single queries under each null model, as a small table; none where one is missing."""
    score, null = of_single(answer.rows)["score"], answer.null
    row_null, beside = (None, {}) if null is None else (null.of(score), null.beside(score))
    if row_null is None or not beside:
        return
    models = {**row_null.models, **{name: model.both_tails for name, model in beside.items()}}
    if any(isnan(model.median) for model in models.values()):
        return
    columns: dict[str, list[Any]] = {"null model": list(models)}
    for name in ("median", "low", "high", "p_lower", "p_upper"):
        columns[name] = [getattr(model, name) for model in models.values()]
    yield Table(
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
    )


@with_row_notes("answer.scores")
def detail_table(detail: Detail, view: View) -> Table:
    """One row per run under one sampling: the data of CIKM'14 Figure 1, with the runs of least error marked.

    Raises `UsageError` for a column to sort by that is not there.
    """
    cells, declared = filled(TABLES["detail"], detail), TABLES["detail"]
    order = row_order(cells.columns, view.sort or ("bias2" if view.is_best_first else "run"), declared=declared)
    sampling, errors, is_split = detail.sampling, detail.errors, bool(np.isfinite(detail.between).any())
    notes: tuple[str, ...] = ()
    if errors.n_subsets:
        dropped = f"; {errors.n_dropped} more are left out, where the target's score is 0" if errors.n_dropped else ""
        notes = (
            f"var: variance of the means over {counted(errors.n_subsets, 'subset')}{dropped}.",
            explained(cells.declared, *(["between"] if is_split else []), "least"),
        )
    return targeted_table(
        detail.answer,
        rows_of(cells, order, view),
        detail.answer.request.log_words,
        *detail.answer.request.design.words(detail.answer.scores.n_queries),
        document={"sampling": sampling.kind, "subset_size": sampling.size, "normalised": sampling.normalised},
        verdict=tuple(detail_verdict(detail)),
        notes=notes,
        hidden=frozenset() if is_split else frozenset({"between"}),
        more=("biasvar tradeoff",),
        name="tradeoff",
        rows_key="runs",
    )


@with_row_notes("scores")
def families_table(answer: TradeoffAnswer, view: View) -> Table:
    """One row per family and form: the correlation within it, and its members below the baseline in both.

    The null models stand where `tradeoff_table` has them; families of few members have none. Raises `UsageError` for a
    column to sort by that is not there.
    """
    rows = [(family, row) for family in answer.families for row in family.rows]
    correlated = Correlated(answer, [row for _, row in rows], [family for family, _ in rows], view.for_json)
    cells, declared = _cells("families", correlated), TABLES["families"]
    if view.sort is not None:
        cells = cells.rows(row_order(cells.columns, view.sort, names="family", declared=declared))
    cells = cells.rows(range(len(rows))[: view.top])
    empty = [
        name
        for name in _OF_NULL & cells.columns.keys()
        if all(value is None or (isinstance(value, float) and isnan(value)) for value in cells.columns[name])
    ]
    return targeted_table(
        answer,
        cells,
        answer.request.log_words,
        null=answer.null,
        verdict=tuple(families_verdict(answer)),
        notes=tuple(families_notes(answer)),
        details=tuple(how_notes(answer.null)),
        intervals=NULL_INTERVAL,
        hidden=frozenset({"null_r", *empty} if view.for_people else ()),
        more=("biasvar tradeoff",),
        name="tradeoff-families",
        rows_key="families",
    )


def _cells(name: str, table: Correlated) -> Cells:
    """The columns of a table of correlations; in JSON the null models of a row are the documents `NULL_KEYS`."""
    cells, null = filled(TABLES[name], table), table.answer.null
    if null is None or not table.nested:
        return cells
    documents = [null_words.null_document(row, null) for row in table.rows]
    nested: dict[str, list[Any]] = {key: [document[key] for document in documents] for key in NULL_KEYS}
    behind: dict[str, list[Any]] = {key: cells.columns.pop(key) for key in ("n_below", "below") if key in cells.columns}
    return Cells({**cells.columns, **nested, **behind}, cells.declared)
