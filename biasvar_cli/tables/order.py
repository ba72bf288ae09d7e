"""Whether the order of the rows can be relied on: Kendall's tau between random halves of the queries, in words."""

from __future__ import annotations

from typing import Any

from biasvar_cli.decomposition.decompose import TargetedScores
from biasvar_cli.decomposition.reliability import SplitHalf
from biasvar_cli.errors import warn
from biasvar_cli.tables.render import in_words
from biasvar_cli.tables.table import Note, measure_words
from biasvar_cli.words import RANKED, counted

_STABLE, _CHANCE = 0.7, 0.3
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


def is_chance(found: SplitHalf, sort: str) -> bool:
    """Whether the order of the rows is close to that of chance; halves of very few queries do not tell."""
    name = ranked_by(sort)
    return name is not None and found.half >= _LEAST_HALF and _tau(found, name) < _CHANCE


def order_notes(found: SplitHalf, sort: str) -> tuple[Note, ...]:
    """How stable the order of the rows is, that by total for another one; none where that is unknown."""
    name = ranked_by(sort) or "total"
    tau = _tau(found, name)
    if found.half < 2 or tau != tau:
        return ()
    if is_chance(found, sort):
        note = order_warning(found, sort)
        return (note._replace(text=f"T{note.text[1:]}."),)
    stable = "stable" if tau >= _STABLE else "partly stable" if tau >= _CHANCE else "close to chance"
    other = "total" if name in ("var", "var_gap") else "var"
    known = _tau(found, other)
    beside, values = (f" (by {other} {{}})", (tau, known)) if known == known else ("", (tau,))
    text = f"The order by {name} is {stable}: Kendall's tau {{}} {_BETWEEN}{beside}."
    return (Note(text, values, signed=False, digits=2),)


def order_warning(found: SplitHalf, sort: str) -> Note:
    """What to say where the order of the rows is close to chance, and which order is not."""
    name = ranked_by(sort) or "total"
    text = f"the order by {name} is close to chance: Kendall's tau {{}} {_BETWEEN}"
    tau, of_mean = _tau(found, name), found.bias
    if _RANKS_LIKE.get(name, name) != "bias" and of_mean >= _CHANCE:
        return Note(f"{text}; --sort -mean orders by effectiveness (tau {{}})", (tau, of_mean), signed=False, digits=2)
    return Note(f"{text}; more queries are needed (biasvar sensitivity)", (tau,), signed=False, digits=2)


def warn_of_chance(found: SplitHalf, sort: str, targeted: TargetedScores) -> None:
    """Warn where people are shown rows in an order that is close to chance."""
    if is_chance(found, sort):
        of = f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}"
        warn(f"{of}: {in_words(order_warning(found, sort), 2)}")


def order_details(found: SplitHalf) -> tuple[Note, ...]:
    """Kendall's tau of every order between two halves of the queries, said where these are more than one query."""
    text = (
        f"Kendall's tau of the orders {_BETWEEN}, {counted(found.half, 'query')} each (mean of {found.n_splits} "
        "splits): by bias {}, by var {}, by total {}, by total_gap {}"
    )
    values = (found.bias, found.var, found.total, found.total_gap)
    return (Note(text, values, signed=False),) if found.half > 1 else ()


def order_document(halves: SplitHalf) -> dict[str, Any]:
    """The key ``reliability`` of a decomposition."""
    return {"half": halves.half, "n_splits": halves.n_splits, **{name: getattr(halves, name) for name in RANKED}}


def _tau(found: SplitHalf, name: str) -> float:
    tau: float = getattr(found, _RANKS_LIKE.get(name, name))
    return tau
