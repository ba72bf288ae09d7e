"""A table as the page shows it: rounded cells for the eye, the same rows unrounded for sorting and for csv."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple, TypeVar

from biasvar_cli.tables import data_formats
from biasvar_cli.tables.column import Column
from biasvar_cli.tables.layout import NO_MARK, Layout, text_columns, whole
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.table import Table
from biasvar_cli.tables.view import View
from biasvar_cli.words import in_nouns

DIGITS = 4
AnyView = TypeVar("AnyView", bound=View)
_LAYOUT = Layout(digits=DIGITS, notes="full")


class Sheet(NamedTuple):
    """One table of the page.

    ``label`` is the title with the kind of table, which no other table of the page has. ``verdict`` are the sentences
    over the table. ``columns`` are the names that the columns are sorted by (the lower end of an interval), ``heads``
    what stands over them in text. ``explained`` says what each column means, ``descends`` whether its best values are
    the largest ones. ``rows`` are the cells as text has them, in the order of the page; ``last`` is the target's row
    under them, empty if there is none. ``data`` goes into the page as JSON: all columns, also those not shown, and the
    rows unrounded.
    """

    key: str
    title: str
    label: str
    verdict: list[str]
    columns: tuple[str, ...]
    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    explained: tuple[str, ...]
    descends: tuple[bool, ...]
    rows: list[list[str]]
    last: list[str]
    notes: list[str]
    data: dict[str, Any]


def sheet(
    key: str,
    table: Table,
    *,
    order: Sequence[int] | None = None,
    people: Table | None = None,
    words: str = "",
    digits: int = DIGITS,
    first: Sequence[str] = (),
) -> Sheet:
    """A table as the page shows it, its rows in another ``order`` if one is given, some columns ``first``.

    ``people`` is the same table with cells for people, where those differ: the csv has the cells of ``table``.
    ``words`` stand before the title and say what the table shows, where the title says only of what.

    >>> from biasvar_cli.tables.column import Column, filled
    >>> run, mean = Column("run", "the run", lambda _: "AB"), Column("mean", "the mean", lambda means: means)
    >>> shown = sheet("t", Table.of("Two runs", filled([run, mean], [0.25, 1 / 3])), order=[1, 0])
    >>> shown.rows, shown.data["rows"]
    ([['B', '0.3333'], ['A', '0.2500']], [['B', 0.3333333333333333], ['A', 0.25]])
    """
    seen = people or table
    rows = list(table.rows())
    indices = range(len(rows)) if order is None else order
    columns = [column.marked() for column in text_columns(seen, digits)]
    columns.sort(key=lambda column: first.index(column.column_name) if column.column_name in first else len(first))
    title = f"{words}: {in_words(seen.title, digits)}" if words else in_words(seen.title, digits)
    declared = [column.declared for column in columns]
    return Sheet(
        key=key,
        title=title,
        label=f"{in_nouns(key.rpartition('-')[2])}: {title}",
        verdict=_lines(seen.verdict, digits),
        columns=tuple(seen.intervals.get(column.column_name, (column.column_name, ""))[0] for column in columns),
        heads=tuple(column.head for column in columns),
        numeric=tuple(column.right for column in columns),
        explained=tuple(column.text_meaning if column else "" for column in declared),
        descends=tuple(column is not None and column.better == "more" for column in declared),
        rows=[[column.cells[index].replace(NO_MARK, "") for column in columns] for index in indices],
        last=[column.last for column in columns] if seen.target_row else [],
        notes=[line for part in whole(seen, _LAYOUT) for line in _lines((*part.notes, *part.details), digits)],
        data={
            "title": title,
            "columns": list(table.columns),
            "headings": {name: column.latex_head for name, column in table.declared.items()},
            "rows": [list(map(_defined, rows[index])) for index in indices],
        },
    )


def sheet_in_order(
    key: str, table: Callable[[AnyView], Table], view: AnyView, *, words: str = "", digits: int = DIGITS
) -> Sheet:
    """A table in a view for people, whose csv has the same rows in the same order."""
    rows = table(replace(view, format="csv", best_first=True))
    return sheet(key, rows, people=table(view), words=words, digits=digits)


def blank_sheet(key: str, title: str, columns: Iterable[Column[Any]], words: Collection[str]) -> Sheet:
    """A table of the chosen runs, whose rows the script makes; the columns of ``words`` hold no numbers."""
    declared = list(columns)
    names = tuple(column.name for column in declared)
    return Sheet(
        key=key,
        title=title,
        label=title,
        verdict=[],
        columns=names,
        heads=tuple(column.text_head for column in declared),
        numeric=tuple(name not in words for name in names),
        explained=tuple(column.text_meaning for column in declared),
        descends=tuple(column.better == "more" for column in declared),
        rows=[],
        last=[],
        notes=[],
        data={
            "title": title,
            "columns": list(names),
            "headings": {column.name: column.latex_head for column in declared},
            "rows": [],
        },
    )


def _lines(notes: Iterable[str], digits: int) -> list[str]:
    return [in_words(note, digits) for note in notes]


def document(table: Table) -> dict[str, Any]:
    """What ``-f json`` has for a table."""
    result: dict[str, Any] = data_formats.document([table], _LAYOUT)["results"][0]
    return result


def _defined(cell: Any) -> Any:
    return None if isinstance(cell, float) and isnan(cell) else cell
