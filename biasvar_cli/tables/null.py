"""The reference models beside correlations: sentences for people, keys for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biasvar_cli.analyses.null import Null
from biasvar_cli.analyses.stability import Stability
from biasvar_cli.analyses.tradeoff import TradeoffRow
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.stats.monte_carlo import Reference
from biasvar_cli.tables.table import Note
from biasvar_cli.words import counted

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
    if found.median != found.median:
        return Note("No reference for the score form: r of every sample of the model is undefined")
    if observed != observed:
        return Note("No comparison with the reference: r is undefined")
    given = (
        "r = {} in the score form; runs equally effective and equally alike, but with one common law of scatter, give "
        "{} [{}, {}] (p {}): "
    )
    values = (observed, found.median, found.low, found.high, found.p)
    return Note(given + _verdict(observed, found) + _left_out(found), values, _P_LAST)


def _left_out(found: Reference) -> str:
    """How many samples of a model have no correlation, if any."""
    return f"; {counted(found.n_undefined, 'sample')} without r left out" if found.n_undefined else ""


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


def exchangeable_notes(null: Null) -> list[Note]:
    """The second model, which deals the scores of each query to the runs anew: of the first row; none if undefined."""
    found = null.exchangeable[0].pearson
    if found.median != found.median:
        return []
    text = "Exchangeable runs, the scores of each query dealt anew, give {} [{}, {}] (p {})" + _left_out(found)
    return [Note(text, (found.median, found.low, found.high, found.p), _P_LAST[1:])]


def gap_notes(row: TradeoffRow, null: Null, index: int) -> list[Note]:
    """The interval of the gap form, for which the model gives no p; none if it is undefined."""
    if null.common is None:
        return []
    observed, found = row.correlations.pearson, null.common[index].pearson
    if found.median != found.median or observed != observed:
        return []
    text = "r = {} in the gap form; the same model gives {} [{}, {}]; no p, which would hang on the law of scatter"
    return [Note(text, (observed, found.median, found.low, found.high))]


def how_note(null: Null) -> Note:
    """How the references were made."""
    request = null.request
    models = "each model" if null.common is not None else "exchangeable runs"
    made = f"{request.n_samples} samples of {models}, seed {request.seed}"
    text = f"References: {made}; median, 95 % interval and two-sided p"
    coupled = ". Bounded scores alone make most of a negative r; real differences in stability weaken it"
    return Note(text + (coupled if null.common is not None else ""))


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
                f"{{}}], p {{}}): {_spread_words(spread)}{_unscored(stability)}",
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
    if spread.p != spread.p:
        return "undefined"
    differ = "differ" if spread.p <= _LEVEL else "do not differ, as far as can be told,"
    return f"runs {differ} in stability beyond what their means imply"


def _unscored(stability: Stability) -> str:
    """How many runs have no z, if any."""
    number = int(np.isnan(stability.z).sum())
    return (
        f". {counted(number, 'run')} without z (-), whose mean is 0 or 1 or whose samples do not vary" if number else ""
    )


def _trend_words(stability: Stability) -> str:
    if stability.trend_reference.p != stability.trend_reference.p:
        return "undefined"
    if not stability.trend_reference.p <= _LEVEL:
        return "better runs are neither more nor less steady than their means imply, as far as can be told"
    return f"better runs are {'less' if stability.trend > 0 else 'more'} steady than their means imply"


def _reference(found: Reference) -> dict[str, float]:
    return {"median": found.median, "low": found.low, "high": found.high, "p": found.p}


def _coefficients(values: Correlations) -> Mapping[str, float]:
    return vars(values)
