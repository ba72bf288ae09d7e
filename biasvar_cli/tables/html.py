"""Tables as HTML for a notebook: sentences, a table that scrolls where it is long, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from biasvar_cli.tables.cells import ShownColumn, cell_rows, last_row, shown_columns
from biasvar_cli.tables.layout import Layout, whole
from biasvar_cli.tables.rounding import in_words

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Note, Table

_SCROLLED = "max-height: 32em; max-width: 100%; overflow: auto"
_SMALL = "margin: 0.3em 0; font-size: smaller"


def html(tables: Sequence[Table], layout: Layout) -> str:
    """What a notebook shows of tables, without scripts and colours of its own; names are escaped.

    >>> from biasvar_cli.tables.table import Table
    >>> page = html([Table("One run", {"run": ["<b>"], "mean": [0.25]})], Layout(digits=2))
    >>> "<td>&lt;b&gt;</td><td>0.25</td>" in page.replace(' style="text-align: right"', "").replace(
    ...     ' style="text-align: left"', ""
    ... )
    True
    """
    parts = [part for table in tables for each in whole(table, layout) for part in _parts(each, layout)]
    return "\n".join(['<div class="biasvar">', *parts, "</div>"])


def _parts(table: Table, layout: Layout) -> Iterator[str]:
    """The title, the sentences, the rows and the notes of one table."""
    yield f"<p><strong>{_escaped(table.title, layout)}</strong></p>"
    yield from _lines(table.verdict, layout, "margin: 0.3em 0")
    if table.columns:
        yield _body(table, shown_columns(table, layout.digits))
    yield from _lines(table.notes, layout, _SMALL)


def _lines(notes: Iterable[Note | str], layout: Layout, style: str) -> Iterator[str]:
    for note in notes:
        yield f'<p style="{style}">{_escaped(note, layout)}</p>'


def _escaped(note: Note | str, layout: Layout) -> str:
    return escape(in_words(note, layout.digits))


def _body(table: Table, columns: Sequence[ShownColumn]) -> str:
    """The rows with their heads, numbers to the right, and the target's row at the end."""
    heads = [escape(column.name.strip()).replace("\n", "<br>") for column in columns]
    rows = [_row(columns, cells, "td") for cells in cell_rows([_in_html(column, table) for column in columns])]
    last = last_row(table, columns)
    foot = "" if last is None else f"<tfoot>{_row(columns, map(escape, last), 'td')}</tfoot>"
    head, body = _row(columns, heads, "th"), "\n".join(rows)
    return f'<div style="{_SCROLLED}"><table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>{foot}</table></div>'


def _in_html(column: ShownColumn, table: Table) -> ShownColumn:
    """The same column with escaped cells and marks, the best value in bold where the table has emphasis."""
    cells = [
        f"<strong>{escape(cell)}</strong>" if table.emphasis and cell == column.best else escape(cell)
        for cell in column.cells
    ]
    marks = column.marks or [""] * len(cells)
    return column._replace(
        cells=[f"{cell}{f'<sup>{escape(mark)}</sup>' if mark else ''}" for cell, mark in zip(cells, marks, strict=True)]
    )


def _row(columns: Sequence[ShownColumn], cells: Iterable[str], tag: str) -> str:
    aligned = (
        f'<{tag} style="text-align: {"right" if column.right else "left"}">{cell}</{tag}>'
        for column, cell in zip(columns, cells, strict=True)
    )
    return f"<tr>{''.join(aligned)}</tr>"
