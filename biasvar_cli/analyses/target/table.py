"""A virtual target as tables: its queries, the runs it is made of, and what fewer runs would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.analyses.target.columns import TABLES
from biasvar_cli.analyses.target.sentences import first_of, table_details, table_notes, verdict_notes
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.replicates import with_systems
from biasvar_cli.tables.table import Table, document_of, evaluated, signature
from biasvar_cli.tables.view import View, row_order

_USUAL = {"queries": "difficulty", "runs": "-supplied", "rarefied": "n_runs"}  # order for people, and with --top
_NAMES = {"queries": "", "runs": "run", "rarefied": ""}  # what equal rows are ordered by, or nothing


@dataclass(frozen=True, kw_only=True)
class TargetView(View):
    """Which of the three tables to show, and which of its rows.

    People read the best rows first, and the first supplier of a query.
    """

    table: str = "queries"


@with_systems("targeted.scores")
def target_table(answer: TargetAnswer, view: TargetView) -> Table:
    """One of the three tables as ``view`` says; its JSON holds all three.

    Raises `UsageError` for a column to sort by that is not there.
    """
    tables = {name: filled(columns, answer) for name, columns in TABLES.items()}
    cells, n_rows = tables[view.table], len(next(iter(tables[view.table].columns.values())))
    sort = view.sort or (_USUAL[view.table] if view.is_best_first else None)
    order = list(range(n_rows))
    if sort is not None:
        order = row_order(cells.columns, sort, names=_NAMES[view.table], declared=TABLES[view.table])
    tables[view.table] = cells = cells.rows(order[: view.top])
    document = {name: own.records() for name, own in tables.items()}
    if view.table == "queries":
        joined = first_of if view.for_people else _spaced
        cells.columns["suppliers"] = [joined(names) for names in cells.columns["suppliers"]]
    mean = {"query_id": "mean", "score": answer.target.mean, "mean": float(answer.difficulty.mean.mean())}
    n_runs, n_queries = answer.pool.n_runs, answer.pool.n_queries
    return Table.of(
        evaluated(answer.measure, n_runs, n_queries, answer.target),
        cells,
        verdict=tuple(verdict_notes(answer, view.table)),
        notes=tuple(table_notes(answer, view.table, view.top, n_rows)),
        details=tuple(table_details(answer, view.table)),
        more=tuple(f"--table {name}" for name in _others(answer, view.table)),
        name="target" if view.table == "queries" else f"target-{view.table}",
        signature=_signature(answer),
        target_row=mean if view.table == "queries" else None,
        document={**document_of(answer.measure, answer.target, n_runs, n_queries), **document},
        rows_key="",
    )


def _others(answer: TargetAnswer, table: str) -> list[str]:
    """The other tables that there are of a target."""
    return [name for name in TABLES if name != table and (name != "rarefied" or answer.target.is_best)]


def _spaced(suppliers: list[str]) -> str | None:
    """All suppliers of one query in a cell for programs."""
    return " ".join(suppliers) or None


def _signature(answer: TargetAnswer) -> str:
    request = answer.request
    groups = f"difficulty {request.difficulty} in groups of {request.subset_size}"
    return signature(answer.measure, answer.scored.basis, groups, target=answer.target)


VIEW = TargetView


def tables(answers: Sequence[TargetAnswer], view: TargetView) -> list[Table]:
    """A table for each answer."""
    return [target_table(answer, view) for answer in answers]
