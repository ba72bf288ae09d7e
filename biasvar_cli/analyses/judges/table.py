"""Judges as tables: a row a judge, a run under a judge, or a query under a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biasvar_cli.analyses.judges.answer import JudgesAnswer
from biasvar_cli.analyses.judges.columns import TABLES
from biasvar_cli.analyses.judges.sentences import details_under, evaluated_note, notes_under, verdict
from biasvar_cli.scores import in_unit
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.table import Table, clusters_document, signature
from biasvar_cli.tables.view import View, row_order, top_note

_NAMED_BY = {"judges": "judge", "runs": "run", "queries": "query_id"}
_SIGNS = {"favoured": "+", "disfavoured": "-"}


@dataclass(frozen=True, kw_only=True)
class JudgesView(View):
    """Which table, and which of its rows."""

    table: str = "judges"


VIEW = JudgesView


def tables(answers: Sequence[JudgesAnswer], view: JudgesView) -> list[Table]:
    """A table for each measure."""
    return [judges_table(answer, view) for answer in answers]


def judges_table(answer: JudgesAnswer, view: JudgesView) -> Table:
    """One of the three tables; JSON has the judges and the runs. Raises `UsageError` for a column that is not there."""
    cells = filled(TABLES[view.table], answer)
    n_rows = len(cells.columns["judge"])
    order = _order(cells, view)[: view.top]
    if view.for_json:
        return Table.of(
            "",
            cells.rows(order),
            document=_document(answer, cells.rows(order), view),
            signature=_signature(answer),
            rows_key="",
        )
    people = view.for_people
    return Table.of(
        evaluated_note(answer) if people else "",
        cells.rows(order),
        verdict=verdict(answer) if people else (),
        notes=(*notes_under(answer, view.table), *top_note(view.top, n_rows)) if people else (),
        details=tuple(details_under(answer)) if people else (),
        caption=tuple(notes_under(answer, view.table)) if people else (),
        more=() if view.table != "judges" else ("--table runs", "--table queries"),
        name="judges" if view.table == "judges" else f"judges-{view.table}",
        signature=_signature(answer),
    )


def _order(cells: Cells, view: JudgesView) -> list[int]:
    """The rows: judges as they were given; under each, for people what differs most first, for scripts by name."""
    if view.sort is not None:
        return row_order(cells.columns, view.sort, names=_NAMED_BY[view.table], declared=TABLES[view.table])
    rows = list(range(len(cells.columns["judge"])))
    if view.table == "judges" or not view.is_best_first:
        return rows
    judges = list(dict.fromkeys(cells.columns["judge"]))
    column = cells.columns["residual" if view.table == "runs" else "difference"]
    return sorted(rows, key=lambda row: (judges.index(cells.columns["judge"][row]), -abs(round(column[row], 12)), row))


def _signature(answer: JudgesAnswer) -> str:
    request, reference = answer.request, answer.reference
    names = ", ".join(judge.name for judge in answer.judges)
    passes = [] if request.replicates is None else [f"passes {request.replicates}"]
    return signature(
        answer.measure,
        reference.scored.basis,
        f"judges {names} beside {reference.name}",
        *passes,
        f"level {request.level:g} of {request.samples} samples seed {request.seed}",
        target=reference.decomposed.target,
    )


def _document(answer: JudgesAnswer, chosen: Cells, view: JudgesView) -> dict[str, Any]:
    """The judges and the runs in JSON, and the queries where these are asked for."""
    reference = answer.reference
    rows = {table: filled(TABLES[table], answer).records() for table in ("judges", "runs")}
    rows[view.table] = chosen.records()
    for run in rows["runs"]:
        run["mark"] = run["mark"] or None
    halves = reference.decomposed.halves
    return {
        "measure": answer.measure,
        "reference": reference.name,
        "n_runs": answer.n_runs,
        "n_queries": answer.n_queries,
        **clusters_document(answer.n_clusters),
        "mean": in_unit(reference.mean, answer.better),
        "n_significant": reference.n_significant,
        "halves_tau": halves.bias,
        "pearson": reference.pearson,
        "verdict": reference.verdict,
        **rows,
        "better": answer.better,
        "halves_tau_var": halves.var,
        "best": reference.best,
        "level": answer.request.level,
    }
