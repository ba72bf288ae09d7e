"""What a ranking depends on, as tables: targets, single queries, halves of the queries, and chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer
from biasvar_cli.analyses.sensitivity.columns import TABLES
from biasvar_cli.analyses.sensitivity.sentences import table_details, table_notes, verdict_notes
from biasvar_cli.scores import in_unit_ends
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.replicates import with_systems
from biasvar_cli.tables.table import Table, document_of, evaluated, listed, signature
from biasvar_cli.tables.view import View, chosen_rows, row_order

_SWITCHES = ("switch", "switch_low", "switch_high")  # columns of means of the target


@dataclass(frozen=True, kw_only=True)
class SensitivityView(View):
    """Which of the tables to show, and which rows of it.

    Tables have their words ``for_people``, and the other tables too ``for_json``.
    """

    table: str = "targets"


@with_systems("scores")
def sensitivity_table(answer: SensitivityAnswer, view: SensitivityView) -> Table:
    """One of the tables of `TABLES`; JSON has all of them, and nothing is computed but what the view shows.

    Raises `UsageError` for a column to sort by that is not there.
    """
    cells, people, request = _cells(answer, view.table), view.for_people, answer.request
    n_rows = len(next(iter(cells.columns.values())))
    rows = chosen_rows(cells, view, names="", declared=TABLES[view.table])
    transform, halves = log_transform(request), f"halves {request.splits} seed {request.seed}"
    logs = [] if transform is None else [f"ln {transform.form} {transform.eps:g}"]
    words = (*logs, halves, f"precision {request.precision:g}")
    return Table.of(
        evaluated(answer.measure, answer.scores.n_runs, answer.scores.n_queries, answer.target),
        _for_people(answer, rows) if people else rows,
        verdict=tuple(verdict_notes(answer, view.table)) if people else (),
        notes=tuple(table_notes(answer, view.table, view.top, n_rows)) if people else (),
        details=tuple(table_details(answer, view.table)) if people else (),
        intervals={"switch": ("switch_low", "switch_high")},
        more=("--table runs",) if view.table == "targets" else (),
        name="sensitivity" if view.table == "targets" else f"sensitivity-{view.table}",
        signature=signature(answer.measure, answer.scored.basis, *words, target=answer.target),
        document=_document(answer) if view.for_json else {},
        rows_key=view.table,
    )


def _document(answer: SensitivityAnswer) -> dict[str, Any]:
    """All tables, and between which means of the target the ranking holds."""
    lowest, highest = in_unit_ends(answer.switches.lowest, answer.switches.highest, answer.better)
    ends = {"low": lowest, "high": highest}
    return {
        **document_of(answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries),
        **{name: _cells(answer, name).records() for name in TABLES},
        "ranking_holds": {name: end if isfinite(end) else None for name, end in ends.items()},
    }


def _cells(answer: SensitivityAnswer, table: str) -> Cells:
    """The cells of a table: runs by rank, queries by what leaving them out changes."""
    cells = filled(TABLES[table], answer)
    if table == "queries":
        return cells.rows(answer.influence.order)
    return cells.rows(row_order(cells.columns, "rank")) if table == "runs" else cells


def _for_people(answer: SensitivityAnswer, cells: Cells) -> Cells:
    """The cells as people read them: the first of equal runs, and no mean that the measure does not allow."""
    low, high = answer.mean_range
    columns = dict(cells.columns)
    if "tied" in columns:
        least = zip(columns["least_total"], columns["tied"], strict=True)
        columns["least_total"] = [[run, *tied] for run, tied in least]

    def cell(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return listed(value, 1) if value else None
        return None if name in _SWITCHES and value is not None and not low <= value <= high else value

    printed = {name: [cell(name, value) for value in values] for name, values in columns.items()}
    return Cells(printed, cells.declared)


VIEW = SensitivityView


def tables(answers: Sequence[SensitivityAnswer], view: SensitivityView) -> list[Table]:
    """A table for each answer."""
    return [sensitivity_table(answer, view) for answer in answers]
