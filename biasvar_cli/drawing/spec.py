"""Parts of a Vega-Lite specification, as plain dicts."""

from __future__ import annotations

from typing import Any

from biasvar_cli.tables.render import printable

Spec = dict[str, Any]
Datum = dict[str, Any]  # one row of a dataset
Rows = list[Datum]


def layer(data: str, mark: str, encoding: Spec, **properties: Any) -> Spec:
    """One layer: marks of one kind, of the rows of one of the figure's datasets."""
    return {"data": {"name": data}, "mark": {"type": mark, **properties}, "encoding": encoding}


# What every object of JavaScript has: Vega groups rows in plain objects, and would take these for groups of its own.
_JAVASCRIPT_NAMES = frozenset(
    {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
     "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)  # fmt: skip


def cleaned(value: Any) -> Any:
    """A part of a specification as JSON has it: names without control characters, an undefined number as null.

    A name that every object of JavaScript has gets a blank at its end, which is not seen. Axes and legends list the
    names that rows hold, so both have to be cleaned alike.

    >>> cleaned({"run": "a\\u202eb", "mean": float("nan"), "best": "constructor"})
    {'run': 'a\\\\u202eb', 'mean': None, 'best': 'constructor '}
    """
    if isinstance(value, str):
        return f"{printable(value)} " if value.rstrip(" ") in _JAVASCRIPT_NAMES else printable(value)
    if isinstance(value, dict):
        return {key: cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(part) for part in value]
    return None if value != value else value
