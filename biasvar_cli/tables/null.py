"""The reference models beside correlations: sentences for people, keys for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from biasvar_cli.correlation import Correlations
from biasvar_cli.null import Null
from biasvar_cli.reference import Reference, Stability
from biasvar_cli.tables.table import Note
from biasvar_cli.tradeoff import TradeoffRow

_LEVEL = 0.05
_P_LAST = (True, True, True, True, False)  # which values of a note have a sign: not its p


def null_document(null: Null | None, index: int) -> dict[str, Any]:
    """The keys ``null`` and ``null_exchangeable`` of a row, where a reference was asked for."""
    if null is None:
        return {}
    common = None if null.common is None else null.common[index].document()
    return {"null": common, "null_exchangeable": null.exchangeable[index].document()}


def null_columns(null: Null) -> dict[str, list[Any]]:
    """The reference of Pearson's r under the model of one common law of scatter, for people."""
    rows: Sequence[Reference | None] = [None] * len(null.exchangeable)
    if null.common is not None:
        rows = [row.pearson for row in null.common]
    names = {"null_r": "median", "null_low": "low", "null_high": "high", "p": "p"}
    return {name: [getattr(row, place, None) for row in rows] for name, place in names.items()}


def reference_note(row: TradeoffRow, null: Null, index: int) -> Note:
    """One sentence: the observed r, what runs without a stability of their own give, and what follows.

    Only here may a text say tradeoff: the reference stands beside it.
    """
    if null.common is None:
        return Note(f"No reference for the score form: {null.why}")
    observed, found = row.correlations.pearson, null.common[index].pearson
    values = (observed, found.median, found.low, found.high)
    if observed != observed or found.median != found.median:
        return Note("No reference: the correlation, or that of every sample of the model, is undefined")
    given = (
        "r = {} in the score form; runs equally effective and equally alike, but with one common law of scatter, give "
        "{} [{}, {}] (p {}): "
    )
    return Note(given + _verdict(observed, found), (*values, found.p), _P_LAST)


def _verdict(observed: float, found: Reference) -> str:
    """What the reference says of the observed correlation, in the words of the reference model.

    >>> _verdict(-0.88, Reference(-0.95, -0.97, -0.90, 0.02, 500, 0))
    'the observed tradeoff is weaker than effectiveness alone produces'
    >>> _verdict(0.2, Reference(0.1, -0.97, 0.90, 0.5, 500, 0))
    'r is not negative, so there is no tradeoff to explain'
    """
    if observed >= 0:
        return "r is not negative, so there is no tradeoff to explain"
    beyond = "stronger than" if observed < found.median else "weaker than"
    than = beyond if found.p <= _LEVEL else "no stronger than"
    return f"the observed tradeoff is {than} effectiveness alone produces"


def exchangeable_note(null: Null) -> Note:
    """The second model, which deals the scores of each query to the runs anew: of the first row."""
    found = null.exchangeable[0].pearson
    text = "Exchangeable runs, the scores of each query dealt anew, give {} [{}, {}] (p {})"
    return Note(text, (found.median, found.low, found.high, found.p), _P_LAST[1:])


def gap_note(null: Null, index: int) -> Note | None:
    """The interval of the gap form, for which the model gives no p."""
    if null.common is None:
        return None
    found = null.common[index].pearson
    if found.median != found.median:
        return None
    text = "Gap form: the same model gives {} [{}, {}]; no p, because it depends on how scatter varies with the mean"
    return Note(text, (found.median, found.low, found.high))


def how_note(null: Null) -> Note:
    """How the references were made."""
    request = null.request
    return Note(
        f"References: {request.n_samples} samples of each model, seed {request.seed}; median, 95 % interval and "
        "two-sided p. Bounded scores alone make most of a negative r; real differences in stability weaken it"
    )


def stability_notes(null: Null) -> list[Note]:
    """H and D with their references, and the correlation across halves of the queries."""
    stability, halves = null.stability, null.cross_half
    notes = [Note(f"stability: not defined: {null.why}")] if stability is None else []
    if stability is not None:
        spread, trend = stability.spread_reference, stability.trend_reference
        notes.append(
            Note(
                "stability: z of the run's variance against runs of the same mean that scatter by one common law; well "
                "below 0 is steadier than its mean predicts. H, the standard deviation of z, is {} (reference {} [{}, "
                f"{{}}], p {{}}): {_spread_words(spread)}",
                (stability.spread, spread.median, spread.low, spread.high, spread.p),
                signed=False,
            )
        )
        notes.append(
            Note(
                "D, Spearman's correlation of z and mean, is {} (reference {} [{}, {}], p {}): "
                + _trend_words(stability),
                (stability.trend, trend.median, trend.low, trend.high, trend.p),
                _P_LAST,
            )
        )
    if halves is not None:
        notes.append(
            Note(
                "Without a model: r of bias² on one half of the queries and variance on the other is {}, on the same "
                "half {} (means over random halves)",
                (halves.other.pearson, halves.same.pearson),
            )
        )
    return notes


def stability_document(null: Null) -> dict[str, Any]:
    """H, D and the correlations across halves, for programs."""
    stability, halves = null.stability, null.cross_half
    held: dict[str, Any] = {"H": None, "D": None}
    if stability is not None:
        held["H"] = {"value": stability.spread, **_reference(stability.spread_reference)}
        held["D"] = {"value": stability.trend, **_reference(stability.trend_reference)}
    if halves is not None:
        held["cross_half"] = {"other": _coefficients(halves.other), "same": _coefficients(halves.same)}
    return held


def _spread_words(spread: Reference) -> str:
    differ = "differ" if spread.p <= _LEVEL else "do not differ, as far as can be told,"
    return f"runs {differ} in stability beyond what their means imply"


def _trend_words(stability: Stability) -> str:
    if not stability.trend_reference.p <= _LEVEL:
        return "better runs are neither more nor less steady than their means imply, as far as can be told"
    return f"better runs are {'less' if stability.trend > 0 else 'more'} steady than their means imply"


def _reference(found: Reference) -> dict[str, float]:
    return {"median": found.median, "low": found.low, "high": found.high, "p": found.p}


def _coefficients(values: Correlations) -> Mapping[str, float]:
    return vars(values)
