"""The stability of runs beyond their means (``--stability``): a small table for people, keys for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.stability import CrossHalf, Stability
from biasvar_cli.stats.monte_carlo import Simulated
from biasvar_cli.tables.table import Note, Table
from biasvar_cli.words import counted

_LEVEL = 0.05


def stability_table(null: Null) -> Table | None:
    """H and D beside the null models, each with what it says; None where they are not defined."""
    found = null.stability
    if found is None:
        return None
    models = (found.spread_null, found.trend_null)
    columns: dict[str, list[Any]] = {
        "number": ["H", "D"],
        "value": [found.spread, found.trend],
        "null": [model.median for model in models],
        **{name: [getattr(model, name) for model in models] for name in ("low", "high")},
        "p": [model.p for model in models],
        "reading": [_spread_words(found.spread_null), _trend_words(found)],
    }
    return Table(
        "Stability: how much more (above 0) or less a run varies than its mean implies, in standard deviations",
        columns,
        notes=_unscored(found),
        details=(
            Note("stability: z of the run's variance among simulated runs of its mean; nearest to 0 of three models"),
            Note(
                "H: the standard deviation of z over the runs; D: Spearman's correlation of z and mean; p: the largest"
            ),
        ),
        intervals={"95 %": ("low", "high")},
    )


def stability_details(null: Null) -> list[Note]:
    """Why stability is not defined, and the correlation across halves of the queries."""
    notes = [Note(f"stability: not defined: {null.why}")] if null.stability is None else []
    halves: CrossHalf | None = null.cross_half
    if halves is not None:
        text = (
            "Without a model: r of bias² on one half of the queries and variance on the other is {}, on the same half "
            "{} (means over random halves)"
        )
        notes.append(Note(text, (halves.other.pearson, halves.same.pearson)))
    return notes


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


def _unscored(stability: Stability) -> tuple[Note, ...]:
    """How many runs have no z, if any."""
    number = int(np.isnan(stability.z).sum())
    text = f"No stability (-) of {counted(number, 'run')}, whose mean is 0 or 1 or whose samples do not vary"
    return (Note(text),) if number else ()


def _spread_words(spread: Simulated) -> str:
    if spread.p != spread.p:
        return "undefined"
    return f"z spreads {'more than' if spread.p <= _LEVEL else 'as'} in the null models"


def _trend_words(stability: Stability) -> str:
    if stability.trend_null.p != stability.trend_null.p:
        return "undefined"
    if not stability.trend_null.p <= _LEVEL:
        return "z and mean are correlated as in the null models"
    sign = "positively" if stability.trend > 0 else "negatively"
    return f"z and mean are correlated more {sign} than in the null models"


def _simulated(found: Simulated) -> dict[str, float]:
    return {"median": found.median, "low": found.low, "high": found.high, "p": found.p}
