"""The null models beside correlations: columns and sentences for people, keys for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.decomposition.tradeoff import TradeoffRow
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.registry import BESIDE, DECIDING
from biasvar_cli.tables.quantities import NULL
from biasvar_cli.tables.table import Note, plain
from biasvar_cli.words import COEFFICIENTS, counted

ALONE = "A negative r alone shows no tradeoff: bounded scores have a negative correlation of their own"
SIGNED = frozenset({*COEFFICIENTS, *(column.name for column in NULL if column.signed)})  # columns with a plus
NULL_KEYS = ("null", *(model.key for model in BESIDE))  # of a row in JSON
NULL_INTERVAL = {"null 95 %": (NULL[1].name, NULL[2].name)}
SIMULATED = "simulated runs that differ only in their means"
_CORRELATED = "bias² and variance correlate with r = {}"
_POSITIVE = "No tradeoff: bias² and variance correlate with r = {}, which is not negative"


def null_document(row: TradeoffRow, null: Null | None) -> dict[str, Any]:
    """The keys `NULL_KEYS` of a row, where null models were asked for."""
    if null is None:
        return {}
    beside = null.beside(row)
    models = dict(zip(NULL_KEYS, (null.of(row), *(beside.get(model.name) for model in BESIDE)), strict=True))
    documents = {name: None if model is None else model.document() for name, model in models.items()}
    if not null.fitted:  # no verdict, the reason, and no numbers
        nothing: dict[str, None] = dict.fromkeys(("median", "low", "high", "p"))
        documents["null"] = {"verdict": None, "reason": null.why, **dict.fromkeys(COEFFICIENTS, nothing), "models": {}}
    return documents


def null_columns(rows: Sequence[TradeoffRow], null: Null) -> dict[str, list[Any]]:
    """Pearson's r of simulated runs that differ only in their means, and the verdict, for people."""
    of_rows = [null.of(row) for row in rows]
    return {column.name: [None if one is None else column.of(one) for one in of_rows] for column in NULL}


def null_note(row: TradeoffRow, null: Null | None) -> Note:
    """What follows from the null models for the score form, in words.

    Only here may a text say tradeoff: the null models stand beside it.
    """
    observed = row.correlations.pearson
    if observed != observed:
        return Note("No verdict on a tradeoff: the correlation of bias² and variance is undefined.")
    row_null = null.of(row) if null is not None else None
    range_words = f"{SIMULATED} give {{}} to {{}}."
    if row_null is None or row_null.pearson.median != row_null.pearson.median:
        if observed >= 0:
            return Note(f"{_POSITIVE}.", (observed,), digits=2)
        return Note(f"{_why_no_range(null)} {_CORRELATED}. {ALONE}.", (observed,), digits=2)
    values = (observed, row_null.pearson.low, row_null.pearson.high)
    if observed >= 0:
        return Note(f"{_POSITIVE}; {range_words}", values, digits=2)
    if row_null.verdict == "stronger":
        text = f"Tradeoff: {_CORRELATED}, more negative than differences in means explain; {range_words}"
    elif row_null.verdict is None:
        text = f"No verdict on a tradeoff ({row_null.reason}): {_CORRELATED}; {range_words}"
    else:
        reason = f" ({row_null.reason})" if row_null.reason else ""
        text = f"No evidence of a tradeoff{reason}: {_CORRELATED}; {range_words}"
    return Note(text, values, digits=2)


def _why_no_range(null: Null | None) -> str:
    """Why nothing stands beside a correlation."""
    if null is None:
        return "No verdict on a tradeoff without null models (--null):"
    if null.why:
        return f"No verdict on a tradeoff without a null model ({plain(null.why)}):"
    return "No verdict on a tradeoff (r of every simulated track is undefined):"


def gap_notes(row: TradeoffRow, null: Null) -> list[Note]:
    """Where r of the gap form lies, for which there is no verdict; nothing where that is undefined."""
    row_null, observed = null.of(row), row.correlations.pearson
    if row_null is None or row_null.pearson.median != row_null.pearson.median or observed != observed:
        return []
    low, high = row_null.pearson.low, row_null.pearson.high
    beyond = "lower than" if observed < low else "higher than" if observed > high else "as"
    text = (
        f"Gap form: r = {{}} is {beyond} expected from the means alone ({{}} to {{}}); there is no test of this form."
    )
    return [Note(text, (observed, low, high), digits=2)]


def how_notes(null: Null, row: TradeoffRow | None = None) -> list[Note]:
    """How the null models were made, and how many samples of a row were left out; none where nothing was drawn."""
    if not null.n_samples or not null.fitted:
        return []
    row_null = null.of(row) if row is not None else None
    lost = row_null.pearson.n_undefined if row_null is not None else 0
    left_out = f"; {counted(lost, 'sample')} without r left out" if lost else ""
    meanings = "; ".join(f"{model.name}, {model.words}" for model in DECIDING)
    return [
        Note(
            f"Null models: {null.n_samples} simulated tracks of each, seed {null.seed}, in which runs differ only in "
            f"their means: {meanings}{left_out}"
        ),
        Note("Range: the widest of their central 95 %; median: that of common; p: two-sided, the largest of the three"),
        Note("Verdict: stronger or weaker where p of one tail is at most .015 in all three; the gap form has none"),
        Note("Bounded scores alone make most of a negative r; real differences in stability weaken it"),
    ]
