"""Whether the order of the rows can be relied on: Kendall's tau between random halves of the queries, in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any

from biasvar_cli.decomposition.decompose import TargetedScores
from biasvar_cli.decomposition.reliability import SplitHalf
from biasvar_cli.errors import warn
from biasvar_cli.tables.rounding import in_words, num
from biasvar_cli.tables.table import measure_words, share_words
from biasvar_cli.words import QUERIES, RANKED, RUNS, counted

_CHANCE = 0.3
_LEAST_HALF = 5  # queries; with fewer there is a line on the order, and no warning
_RANKS_LIKE = {"mean": "bias", "rank": "total"}


def ranked_by(sort: str) -> str | None:
    """The column of a row order, without its direction; None for a column whose order the halves do not cover.

    >>> ranked_by("-mean"), ranked_by("run")
    ('mean', None)
    """
    name = sort.removeprefix("-")
    return name if _RANKS_LIKE.get(name, name) in RANKED else None


def is_chance(halves: SplitHalf, sort: str) -> bool:
    """Whether the order of the rows is close to chance; halves of very few queries cannot show this."""
    name = ranked_by(sort)
    return name is not None and halves.half >= _LEAST_HALF and _tau(halves, name) < _CHANCE


def order_notes(halves: SplitHalf, sort: str) -> Iterator[str]:
    """How many pairs of runs are in another order on another half of the queries; no line where that is not known.

    The share of the pairs is (1 - tau) / 2, which is exact where no two runs are equal.
    """
    name = ranked_by(sort) or "total"
    tau = _tau(halves, name)
    if halves.half < 2 or isnan(tau):
        return
    other = "total" if name in ("var", "var_gap") else "var"
    beside = _tau(halves, other)
    others = "" if isnan(beside) else f" (by {other}: {_changed(beside)})"
    pairs = _changed(tau).replace("none", "no")
    change = "changes" if pairs.startswith("1 in") else "change"
    yield f"Split-half check: {pairs} pairs of {RUNS} {change} order by {name}{others}."


def order_warning(halves: SplitHalf, sort: str) -> str:
    """The warning of an order that is close to chance, with an order that is not, if there is one."""
    name, text = ranked_by(sort) or "total", _unreliable(halves, sort)
    if _RANKS_LIKE.get(name, name) != "bias" and halves.bias >= _CHANCE:
        return f"{text} (by mean {_changed(halves.bias)}: --sort -mean)"
    return f"{text}; more {QUERIES} are needed (biasvar sensitivity)"


def chance_note(halves: SplitHalf, sort: str) -> str:
    """A sentence on an order that is close to chance."""
    text = _unreliable(halves, sort)
    return f"{text[0].upper()}{text[1:]} (two random orders: {_changed(0)})."


def _unreliable(halves: SplitHalf, sort: str) -> str:
    name = ranked_by(sort) or "total"
    pairs = f"{_changed(_tau(halves, name))} pairs of {RUNS}"
    return f"the order by {name} is not reliable: two random halves of the {QUERIES} order {pairs} differently"


def _changed(tau: float) -> str:
    """The share of the pairs of runs that two rankings order differently, by Kendall's tau between them."""
    return share_words((1 - tau) / 2)


def warn_of_chance(halves: SplitHalf, sort: str, targeted: TargetedScores) -> None:
    """Warn people of rows in an order that is close to chance."""
    if is_chance(halves, sort):
        evaluation = f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}"
        warn(f"{evaluation}: {in_words(order_warning(halves, sort), 2)}")


def order_details(halves: SplitHalf) -> Iterator[str]:
    """Kendall's tau between the orders on two halves of the queries, by every column, for halves of several queries."""
    if halves.half > 1:
        taus = ", ".join(f"by {name} {num(getattr(halves, name))}" for name in ("bias", "var", "total", "total_gap"))
        yield (
            f"Kendall's tau of the orders between random halves of the {QUERIES}, {counted(halves.half, 'query')} each "
            f"(mean of {halves.n_splits} splits): {taus}"
        )


def order_document(halves: SplitHalf) -> dict[str, Any]:
    """The key ``reliability`` of a decomposition."""
    return {"half": halves.half, "n_splits": halves.n_splits, **{name: getattr(halves, name) for name in RANKED}}


def _tau(halves: SplitHalf, name: str) -> float:
    tau: float = getattr(halves, _RANKS_LIKE.get(name, name))
    return tau
