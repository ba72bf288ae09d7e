"""The null models beside correlations: columns and sentences for people, keys for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.analyses.families import LEAST_MEMBERS
from biasvar_cli.analyses.null import Null
from biasvar_cli.analyses.tradeoff import TradeoffRow
from biasvar_cli.stats.monte_carlo import Simulated
from biasvar_cli.tables.table import Note
from biasvar_cli.words import COEFFICIENTS, counted

_LEVEL = 0.05
ALONE = "A negative r alone shows no tradeoff: bounded scores have a negative correlation of their own"
SIGNED = frozenset({*COEFFICIENTS, "null_r", "null_low"})  # columns with a plus
NULL_INTERVAL = {"null 95 %": ("null_low", "null_high")}
_POSITIVE = "r is not negative, so bias² and variance show no tradeoff"
_NO_EVIDENCE = "so no evidence of a tradeoff"
_GAP_MEANS = {
    "below": "less gap variance goes with bias than means alone make",
    "inside": "what means alone make",
    "above": "more gap variance goes with bias than means alone make",
}
_SHOW = "Runs with the same means and no stability of their own would show r = {}."


def null_document(row: TradeoffRow, null: Null | None) -> dict[str, Any]:
    """The keys ``null`` and ``null_exchangeable`` of a row, where null models were asked for."""
    if null is None:
        return {}
    found = {"null": null.of(row), "null_exchangeable": null.shuffled(row)}
    return {name: None if model is None else model.document() for name, model in found.items()}


def null_columns(rows: Sequence[TradeoffRow], null: Null) -> dict[str, list[Any]]:
    """Pearson's r of simulated runs without a stability of their own, for people."""
    held = [null.of(row) for row in rows]
    pearson = [None if common is None else common.pearson for common in held]
    names = {"null_r": "median", "null_low": "low", "null_high": "high", "p": "p"}
    return {name: [getattr(found, place, None) for found in pearson] for name, place in names.items()}


def null_note(row: TradeoffRow, null: Null | None, n_runs: int = LEAST_MEMBERS) -> Note:
    """What follows from the null model for the score form, in words; ``n_runs`` few are said to be few.

    Only here may a text say tradeoff: the null model stands beside it.
    """
    observed = row.correlations.pearson
    if observed != observed:
        return Note("Score form: r is undefined (-), so there is nothing to compare")
    common = null.of(row) if null is not None else None
    if common is None and observed >= 0:
        return Note(f"Score form: {_POSITIVE}.")
    if null is None:
        return Note(f"{ALONE} (--null simulates it)")
    if common is None:
        reason = f": {null.why}" if null.n_samples else ""  # a track that is too large is warned of
        return Note(f"Score form: nothing to compare r with{reason}. {ALONE}")
    found = common.pearson
    if found.median != found.median:
        return Note(f"Score form: nothing to compare r with: r of every simulated track is undefined. {ALONE}")
    few = f", though {n_runs} runs are few" if n_runs < LEAST_MEMBERS else ""
    return Note(f"Score form: {_verdict(observed, found)}{few}. {_SHOW}", (found.median,), digits=2)


def _verdict(observed: float, found: Simulated) -> str:
    """What the null model says of the observed correlation, in words.

    >>> _verdict(-0.88, Simulated(-0.95, -0.97, -0.90, 0.02, 500, 0))
    'weaker than the null model, so no evidence of a tradeoff'
    >>> _verdict(-0.88, Simulated(-0.90, -0.97, -0.80, 0.52, 500, 0))
    'no clear difference from the null model, so no evidence of a tradeoff'
    >>> _verdict(0.2, Simulated(0.1, -0.97, 0.90, 0.5, 500, 0))
    'r is not negative, so bias² and variance show no tradeoff'
    """
    if observed >= 0:
        return _POSITIVE
    if not found.p <= _LEVEL:
        return f"no clear difference from the null model, {_NO_EVIDENCE}"
    if observed > found.median:
        return f"weaker than the null model, {_NO_EVIDENCE}"
    return "stronger than the null model: a tradeoff beyond what the means alone make"


def gap_notes(row: TradeoffRow, null: Null) -> list[Note]:
    """What the null model says of the gap form, for which it gives no p; nothing where that is undefined."""
    common, observed = null.of(row), row.correlations.pearson
    if common is None or common.pearson.median != common.pearson.median or observed != observed:
        return []
    found = common.pearson
    place = "below" if observed < found.low else "above" if observed > found.high else "inside"
    return [Note(f"Gap form: {place} the null model's 95 %: {_GAP_MEANS[place]}. No p.")]


def how_notes(null: Null, row: TradeoffRow | None = None) -> list[Note]:
    """How the null model was made, and how many samples of a row were left out; none where nothing was drawn."""
    if not null.n_samples or null.common is None:
        return []
    common = null.of(row) if row is not None else None
    lost = common.pearson.n_undefined if common is not None else 0
    left_out = f"; {counted(lost, 'sample')} without r left out" if lost else ""
    return [
        Note(
            f"Null model: {null.n_samples} simulated tracks, seed {null.seed}, whose runs have the same means and no "
            f"stability of their own; median, 95 % interval and two-sided p of their r{left_out}"
        ),
        Note("No p for the gap form: it would depend on how scores are simulated"),
        Note("Bounded scores alone make most of a negative r; real differences in stability weaken it"),
    ]
