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


def cleaned(value: Any) -> Any:
    """A part of a specification as JSON has it: names without control characters, an undefined number as null.

    Axes and legends list the names that rows hold, so both have to be cleaned alike.

    >>> cleaned({"run": "a\\u202eb", "mean": float("nan")})
    {'run': 'a\\\\u202eb', 'mean': None}
    """
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: cleaned(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(each) for each in value]
    return None if value != value else value
