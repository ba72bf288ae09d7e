"""The null models beside correlations: sentences for people, keys for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biasvar_cli.analyses.null import Null
from biasvar_cli.analyses.stability import Stability
from biasvar_cli.analyses.tradeoff import TradeoffRow
from biasvar_cli.stats.monte_carlo import Simulated
from biasvar_cli.tables.table import Note
from biasvar_cli.words import counted

_LEVEL = 0.05
_P_LAST = (True, True, True, True, False)  # which values of a note have a sign: not its p


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


def null_note(row: TradeoffRow, null: Null) -> Note:
    """One sentence: the observed r, what simulated runs without a stability of their own give, and what follows.

    Only here may a text say tradeoff: the null model stands beside it.
    """
    common = null.of(row)
    if common is None:
        return Note(f"No comparison in the score form: {null.why}")
    if not null.n_samples:
        return Note("No comparison in the score form: r is undefined")
    observed, found = row.correlations.pearson, common.pearson
    if found.median != found.median:
        return Note("No comparison in the score form: r of every sample of the null model is undefined")
    if observed != observed:
        return Note("No comparison in the score form: r is undefined")
    given = (
        "r = {} in the score form. Simulated runs with the same means and no stability of their own give "
        "{} [{}, {}] (p {}): "
    )
    values = (observed, found.median, found.low, found.high, found.p)
    return Note(given + _verdict(observed, found) + _left_out(found), values, _P_LAST)


def _left_out(found: Simulated) -> str:
    """How many samples of a model have no correlation, if any."""
    return f"; {counted(found.n_undefined, 'sample')} without r left out" if found.n_undefined else ""


def _verdict(observed: float, found: Simulated) -> str:
    """What the null model says of the observed correlation, in words.

    >>> _verdict(-0.88, Simulated(-0.95, -0.97, -0.90, 0.02, 500, 0))
    'the observed tradeoff is weaker than effectiveness alone produces'
    >>> _verdict(0.2, Simulated(0.1, -0.97, 0.90, 0.5, 500, 0))
    'r is not negative, so there is no tradeoff to explain'
    """
    if observed >= 0:
        return "r is not negative, so there is no tradeoff to explain"
    beyond = "stronger than" if observed < found.median else "weaker than"
    than = beyond if found.p <= _LEVEL else "no stronger than"
    return f"the observed tradeoff is {than} effectiveness alone produces"


def shuffled_notes(row: TradeoffRow, null: Null) -> list[Note]:
    """The second model, which shuffles the scores of each query among the runs; none if it is undefined."""
    shuffled = null.shuffled(row)
    if shuffled is None or shuffled.pearson.median != shuffled.pearson.median:
        return []
    found = shuffled.pearson
    text = "Shuffling scores among runs within each query gives {} [{}, {}] (p {})" + _left_out(found)
    return [Note(text, (found.median, found.low, found.high, found.p), _P_LAST[1:])]


def gap_notes(row: TradeoffRow, null: Null) -> list[Note]:
    """The interval of the gap form, for which the model gives no p; none if it is undefined."""
    common = null.of(row)
    observed = row.correlations.pearson
    if common is None or common.pearson.median != common.pearson.median or observed != observed:
        return []
    found = common.pearson
    text = (
        "r = {} in the gap form; the same null model gives {} [{}, {}]. No p-value here: it would depend on how the "
        "simulation spreads scores"
    )
    return [Note(text, (observed, found.median, found.low, found.high))]


def how_notes(null: Null) -> list[Note]:
    """How the null models were made; none where nothing was drawn."""
    if not null.n_samples:
        return []
    models = "each" if null.common is not None else "shuffled scores"
    made = f"{null.n_samples} samples of {models}, seed {null.seed}"
    text = f"Null models: {made}; median, 95 % interval and two-sided p"
    coupled = ". Bounded scores alone make most of a negative r; real differences in stability weaken it"
    return [Note(text + (coupled if null.common is not None else ""))]


def stability_notes(null: Null) -> list[Note]:
    """H and D beside the null model, and the correlation across halves of the queries."""
    stability, halves = null.stability, null.cross_half
    notes = [Note(f"stability: not defined: {null.why}")] if stability is None else _stability_notes(stability)
    if halves is not None:
        notes.append(
            Note(
                "Without a model: r of bias² on one half of the queries and variance on the other is {}, on the same "
                "half {} (means over random halves)",
                (halves.other.pearson, halves.same.pearson),
            )
        )
    return notes


def _stability_notes(stability: Stability) -> list[Note]:
    spread, trend = stability.spread_null, stability.trend_null
    return [
        Note(
            "stability: z of the run's variance against simulated runs of the same mean with no stability of their "
            "own; well below 0 is steadier than its mean predicts. H, the standard deviation of z, is {} (null model "
            f"{{}} [{{}}, {{}}], p {{}}): {_spread_words(spread)}{_unscored(stability)}",
            (stability.spread, spread.median, spread.low, spread.high, spread.p),
            signed=False,
        ),
        Note(
            "D, Spearman's correlation of z and mean, is {} (null model {} [{}, {}], p {}): " + _trend_words(stability),
            (stability.trend, trend.median, trend.low, trend.high, trend.p),
            _P_LAST,
        ),
    ]


def stability_document(null: Null) -> dict[str, Any]:
    """H, D and the correlations across halves, for programs."""
    stability, halves = null.stability, null.cross_half
    held: dict[str, Any] = {"H": None, "D": None}
    if stability is not None:
        held["H"] = {"value": stability.spread, **_simulated(stability.spread_null)}
        held["D"] = {"value": stability.trend, **_simulated(stability.trend_null)}
    if halves is not None:
        held["cross_half"] = {"other": vars(halves.other), "same": vars(halves.same)}
    return held


def _spread_words(spread: Simulated) -> str:
    if spread.p != spread.p:
        return "undefined"
    differ = "runs differ" if spread.p <= _LEVEL else "no sign that runs differ"
    return f"{differ} in stability beyond what their means imply"


def _unscored(stability: Stability) -> str:
    """How many runs have no z, if any."""
    number = int(np.isnan(stability.z).sum())
    return (
        f". {counted(number, 'run')} without z (-), whose mean is 0 or 1 or whose samples do not vary" if number else ""
    )


def _trend_words(stability: Stability) -> str:
    if stability.trend_null.p != stability.trend_null.p:
        return "undefined"
    if not stability.trend_null.p <= _LEVEL:
        return "no sign that better runs are more or less steady than their means imply"
    return f"better runs are {'less' if stability.trend > 0 else 'more'} steady than their means imply"


def _simulated(found: Simulated) -> dict[str, float]:
    return {"median": found.median, "low": found.low, "high": found.high, "p": found.p}
