"""The correlations of bias² and variance under a table of runs, beside their null models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.tradeoff import TradeoffRow
from biasvar_cli.nulls.models import Null
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.null import NULL_INTERVAL, SIGNED, gap_notes, how_notes, null_columns, null_note
from biasvar_cli.tables.table import Note, Table
from biasvar_cli.words import COEFFICIENTS, counted


def correlation_table(
    result: Decomposition, rows: Sequence[TradeoffRow], null: Null | None, notes: Sequence[Note]
) -> Table:
    """A small table of both forms; under it what follows from the null models, then ``notes``."""
    columns: dict[str, list[Any]] = {
        "form": [row.form for row in rows],
        **{name: [getattr(row.correlations, name) for row in rows] for name in COEFFICIENTS},
    }
    if null is not None and null.fitted and null.n_samples:
        columns |= null_columns(rows, null)
    score, gap = rows
    known = score.correlations.pearson == score.correlations.pearson
    return Table(
        f"Correlation of bias² and variance over {counted(len(result.runs), 'run')}",
        columns,
        notes=(
            *([null_note(score, null)] if known else []),
            *(gap_notes(gap, null) if null is not None else ()),
            *_why_undefined(rows, result),
            *notes,
        ),
        details=tuple(how_notes(null, score)) if null is not None else (),
        intervals=NULL_INTERVAL,
        signed=SIGNED,
    )


def _why_undefined(rows: Sequence[TradeoffRow], result: Decomposition) -> list[Note]:
    """Why there is no correlation (-), once for all forms without one."""
    missing = [row.form for row in rows if row.correlations.pearson != row.correlations.pearson]
    if not missing:
        return []
    if len(result.runs) < LEAST_POINTS:
        return [Note(f"No correlation (-) over {counted(len(result.runs), 'run')}: at least {LEAST_POINTS} are needed")]
    notes = []
    if result.target.scores is None:
        missing.remove("gap")
        notes.append(Note("No gap form (-): the target is a mean alone, without a score per query"))
    if missing:
        form = f"{missing[0].capitalize()} form: n" if len(missing) == 1 else "N"
        notes.append(Note(f"{form}o correlation (-): bias² or variance is the same for every run"))
    return notes
