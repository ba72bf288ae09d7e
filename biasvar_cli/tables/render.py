"""The output formats: what makes text of tables for people, and files for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.tables.data_formats import csv, json_document, parquet, tsv
from biasvar_cli.tables.latex import latex
from biasvar_cli.tables.layout import (
    NO_MARK,
    SPACE,
    Layout,
    TextColumn,
    cell_rows,
    details_of,
    highlight_notes,
    joined,
    last_lines,
    last_row,
    markdown_text,
    text_columns,
    whole,
    wrapped,
)
from biasvar_cli.tables.rounding import in_words

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table

Render = Callable[[Sequence["Table"], Layout], str | bytes]


def text(tables: Sequence[Table], layout: Layout) -> str:
    """Plain text: title, verdict, columns, the target's row under a rule, notes, small tables, and the last lines.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.rounding import num
    >>> from biasvar_cli.tables.table import Table
    >>> verdict, notes = (f"Best: A, {num(0.25)}",), ("One run has no rank.",)
    >>> table = Table("One run", {"run": ["A"], "mean": [0.25]}, verdict=verdict, notes=notes)
    >>> print(text([table], Layout(digits=2)), end="")
    One run
    <BLANKLINE>
    Best: A, 0.25
    <BLANKLINE>
    run      mean
    -----  ------
    A        0.25
    <BLANKLINE>
    One run has no rank.
    """
    last = [line for sentence in last_lines(tables, layout) for line in wrapped(sentence, layout.width)]
    return joined(tables, layout, _as_text, last)


def markdown(tables: Sequence[Table], layout: Layout) -> str:
    """GitHub's markdown: title in bold, verdict, table, notes as a list."""
    return joined(tables, layout, _as_markdown, [_item(line) for line in last_lines(tables, layout)])


class Format(NamedTuple):
    """An output format: what makes it of tables, and the suffix of its files.

    ``for_people`` numbers are rounded and explained, for programs they have full precision. ``rows_alone`` says that
    there is no place for anything but the rows of one table, ``binary`` that it is no text.
    """

    render: Render
    suffix: str
    for_people: bool = False
    rows_alone: bool = False
    binary: bool = False


FORMATS: Mapping[str, Format] = {
    "text": Format(text, ".txt", for_people=True),
    "markdown": Format(markdown, ".md", for_people=True),
    "latex": Format(latex, ".tex", for_people=True),
    "csv": Format(csv, ".csv", rows_alone=True),
    "tsv": Format(tsv, ".tsv", rows_alone=True),
    "parquet": Format(parquet, ".parquet", rows_alone=True, binary=True),
    "json": Format(json_document, ".json"),
}
ROUNDED = tuple(name for name, form in FORMATS.items() if form.for_people)
FOR_PROGRAMS = tuple(name for name, form in FORMATS.items() if not form.for_people)
ROWS_ALONE = tuple(name for name, form in FORMATS.items() if form.rows_alone)
BINARY = tuple(name for name, form in FORMATS.items() if form.binary)
SUFFIXES = {form.suffix: name for name, form in FORMATS.items()}


def _as_text(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table as plain text, the last one its notes; an empty line stands between blocks."""
    yield wrapped(in_words(table.title, layout.digits), layout.width)
    yield _wrapped_notes(table.verdict, layout)
    yield from _rows_and_notes(table, layout, "simple", highlight_notes(table, whole(table, layout)))
    for part in [*whole(table, layout)][1:]:
        body, notes = _rows_and_notes(part, layout, "plain")
        yield [*wrapped(in_words(part.title, layout.digits), layout.width), *body]
        yield notes
    if layout.notes == "full":
        yield _wrapped_notes(details_of(table, layout), layout)


def _rows_and_notes(table: Table, layout: Layout, style: str, marks: Iterable[str] = ()) -> Iterator[list[str]]:
    """The rows, with the columns that fit the width, and the notes, first of the ``marks`` in the rows."""
    columns, left_out = _fitted(text_columns(table, layout.digits), layout) if table.columns else ([], [])
    yield [_body(table, columns, style)] if table.columns else []
    rest = [f"Hidden (--wide): {', '.join(left_out)}"] if left_out else []
    yield _wrapped_notes([*marks, *rest, *table.notes], layout)


def _fitted(columns: Sequence[TextColumn], layout: Layout) -> tuple[list[TextColumn], list[str]]:
    """The columns that fit the width, and the heads of those left out."""
    visible, names = list(columns), []
    while not layout.wide and sum(column.width for column in visible) - SPACE > layout.width:
        last = max(reversed(visible), key=lambda column: column.priority)
        if not last.priority:
            break
        visible.remove(last)
        names.append(last.name)
    return visible, [column.head for column in columns if column.name in names]


def _body(table: Table, columns: Sequence[TextColumn], style: str) -> str:
    """The rows of a table with their heads, and the target's row under a rule."""
    from tabulate import SEPARATING_LINE, tabulate

    if style == "github":
        columns = [column.in_markdown(bold=table.emphasis) for column in columns]
    rows: list[Any] = [list(row) for row in cell_rows([column.marked() for column in columns])]
    last = last_row(table, columns)
    if last is not None:
        rows += [SEPARATING_LINE, last] if style == "simple" else [list(map(markdown_text, last))]
    align = ["right" if column.right else "left" for column in columns]
    heads = [column.name if style == "simple" else column.head for column in columns]
    body = tabulate(rows, headers=heads, tablefmt=style, disable_numparse=True, colalign=align if rows else None)
    return "\n".join(line.rstrip() for line in body.replace(NO_MARK, " ").split("\n")) if NO_MARK in body else body


def _wrapped_notes(notes: Iterable[str], layout: Layout) -> list[str]:
    return [line for note in notes for line in wrapped(in_words(note, layout.digits), layout.width)]


def _as_markdown(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in markdown: titles in bold, notes as a list."""
    for part in whole(table, layout):
        yield [f"**{markdown_text(in_words(part.title, layout.digits))}**"]
        yield [markdown_text(in_words(note, layout.digits)) + "  " for note in part.verdict]
        yield [_body(part, text_columns(part, layout.digits), "github")] if part.columns else []
        marks = highlight_notes(table, whole(table, layout)) if part is table else ()
        yield [_item(in_words(note, layout.digits)) for note in (*marks, *part.notes)]
    if layout.notes == "full":
        yield [_item(in_words(note, layout.digits)) for note in details_of(table, layout)]


def _item(line: str) -> str:
    return f"* {markdown_text(line)}"
