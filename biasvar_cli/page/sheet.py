"""A table as the page shows it: rounded cells for the eye, the same rows unrounded for sorting and for csv."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from biasvar_cli.tables.data_formats import json_document
from biasvar_cli.tables.layout import Layout, whole
from biasvar_cli.tables.rounding import in_words, is_numeric, number
from biasvar_cli.tables.table import Table

DIGITS = 4
_LAYOUT = Layout(digits=DIGITS, notes="full")


class Sheet(NamedTuple):
    """One table of the page.

    ``label`` is the title with the kind of table, which no other table of the page has.
    ``explained`` says what each column means, ``descends`` whether its best values are the largest ones.
    ``rows`` are the cells as they are shown, in the order of the page; ``last`` is the target's row under them, empty
    if there is none. ``data`` goes into the page as JSON: all columns, also those not shown, and the rows unrounded.
    """

    key: str
    title: str
    label: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    explained: tuple[str, ...]
    descends: tuple[bool, ...]
    rows: list[list[str]]
    last: list[str]
    notes: list[str]
    data: dict[str, Any]


def sheet(key: str, table: Table, *, order: Sequence[int] | None = None, people: Table | None = None) -> Sheet:
    """A table as the page shows it, its rows in another ``order`` if one is given.

    ``people`` is the same table with cells for people, where those differ: the csv has the cells of ``table``.

    >>> from biasvar_cli.tables.column import Column, filled
    >>> run, mean = Column("run", "the run", lambda _: "AB"), Column("mean", "the mean", lambda means: means)
    >>> shown = sheet("t", Table.of("Two runs", filled([run, mean], [0.25, 1 / 3])), order=[1, 0])
    >>> shown.rows, shown.data["rows"]
    ([['B', '0.3333'], ['A', '0.2500']], [['B', 0.3333333333333333], ['A', 0.25]])
    """
    seen = people or table
    places = range(len(next(iter(table.columns.values()), []))) if order is None else order
    names = [name for name in seen.columns if name not in {*seen.keys, *seen.hidden}]
    shown = {name: [number(seen.columns[name][place], DIGITS) for place in places] for name in names}
    last = seen.target_row or {}
    declared = [seen.declared[name] for name in names]
    return Sheet(
        key=key,
        title=in_words(seen.title, DIGITS),
        label=f"{key.rpartition('-')[2]}: {in_words(seen.title, DIGITS)}",
        columns=tuple(names),
        numeric=tuple(is_numeric(table.columns[name]) for name in names),
        explained=tuple(column.meaning.replace("`", "") for column in declared),
        descends=tuple(column.better == "more" for column in declared),
        rows=[list(row) for row in zip(*shown.values(), strict=True)],
        last=[number(last[name], DIGITS) if name in last else "" for name in names] if last else [],
        notes=[in_words(note, DIGITS) for each in whole(seen, _LAYOUT) for note in (*each.notes, *each.details)],
        data={
            "title": in_words(seen.title, DIGITS),
            "columns": list(table.columns),
            "headings": {name: column.heading for name, column in table.declared.items()},
            "rows": [[_defined(column[place]) for column in table.columns.values()] for place in places],
        },
    )


def document(table: Table) -> dict[str, Any]:
    """What ``-f json`` has for a table."""
    results: list[dict[str, Any]] = json.loads(json_document([table], _LAYOUT))["results"]
    return results[0]


def _defined(value: Any) -> Any:
    return None if value != value else value
