"""Whether the order of the rows can be relied on: Kendall's tau between random halves of the queries, in words."""

from __future__ import annotations

from typing import Any

from biasvar_cli.decomposition.decompose import TargetedScores
from biasvar_cli.decomposition.reliability import SplitHalf
from biasvar_cli.errors import warn
from biasvar_cli.tables.render import in_words
from biasvar_cli.tables.table import Note, measure_words, share_words
from biasvar_cli.words import RANKED, counted

_CHANCE = 0.3
_LEAST_HALF = 5  # queries; of fewer, a line says that the order is close to chance, and no warning
_RANKS_LIKE = {"mean": "bias", "rank": "total"}
_BETWEEN = "between random halves of the queries"


def ranked_by(sort: str) -> str | None:
    """The column, without its direction, that a row order is of; None where the halves say nothing of its order.

    >>> ranked_by("-mean"), ranked_by("run")
    ('mean', None)
    """
    name = sort.removeprefix("-")
    return name if _RANKS_LIKE.get(name, name) in RANKED else None


def is_chance(halves: SplitHalf, sort: str) -> bool:
    """Whether the order of the rows is close to that of chance; halves of very few queries do not tell."""
    name = ranked_by(sort)
    return name is not None and halves.half >= _LEAST_HALF and _tau(halves, name) < _CHANCE


def order_notes(halves: SplitHalf, sort: str) -> tuple[Note, ...]:
    """How many pairs of runs two halves of the queries order differently, by the column of the order; none if unknown.

    The share of the pairs is (1 - tau) / 2, exact where no runs are equal.
    """
    name = ranked_by(sort) or "total"
    tau = _tau(halves, name)
    if halves.half < 2 or tau != tau:
        return ()
    other = "total" if name in ("var", "var_gap") else "var"
    beside = _tau(halves, other)
    others = f" (by {other}: {_changed(beside)})" if beside == beside else ""
    pairs = _changed(tau).replace("none", "no")
    return (Note(f"Two random halves of the queries order {pairs} pairs of runs differently by {name}{others}."),)


def order_warning(halves: SplitHalf, sort: str) -> Note:
    """What to say where the order of the rows is close to chance, and which order is not."""
    name = ranked_by(sort) or "total"
    pairs = f"{_changed(_tau(halves, name))} pairs of runs"
    text = f"the order by {name} is not reliable: two random halves of the queries order {pairs} differently"
    if _RANKS_LIKE.get(name, name) != "bias" and halves.bias >= _CHANCE:
        return Note(f"{text} (by mean {_changed(halves.bias)}: --sort -mean)")
    return Note(f"{text}; more queries are needed (biasvar sensitivity)")


def _changed(tau: float) -> str:
    """The share of the pairs of runs that two rankings order differently, by Kendall's tau between them."""
    return share_words((1 - tau) / 2)


def warn_of_chance(halves: SplitHalf, sort: str, targeted: TargetedScores) -> None:
    """Warn where people are shown rows in an order that is close to chance."""
    if is_chance(halves, sort):
        of = f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}"
        warn(f"{of}: {in_words(order_warning(halves, sort), 2)}")


def order_details(halves: SplitHalf) -> tuple[Note, ...]:
    """Kendall's tau of every order between two halves of the queries, said where these are more than one query."""
    text = (
        f"Kendall's tau of the orders {_BETWEEN}, {counted(halves.half, 'query')} each (mean of {halves.n_splits} "
        "splits): by bias {}, by var {}, by total {}, by total_gap {}"
    )
    values = (halves.bias, halves.var, halves.total, halves.total_gap)
    return (Note(text, values, signed=False),) if halves.half > 1 else ()


def order_document(halves: SplitHalf) -> dict[str, Any]:
    """The key ``reliability`` of a decomposition."""
    return {"half": halves.half, "n_splits": halves.n_splits, **{name: getattr(halves, name) for name in RANKED}}


def _tau(halves: SplitHalf, name: str) -> float:
    tau: float = getattr(halves, _RANKS_LIKE.get(name, name))
    return tau
