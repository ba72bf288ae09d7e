"""Tables to text. The only rounding is here, and no number that is not zero prints as zero."""

from __future__ import annotations

import csv as csv_module
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from biasvar_cli import __version__
from biasvar_cli.tables.escapes import MARKDOWN
from biasvar_cli.tables.latex import tabular

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Note, Table

Render = Callable[[Sequence["Table"], int, Sequence[str]], str]


def number(value: Any, digits: int) -> str:
    """A cell for people: rounded, ``-`` for undefined, ``*`` for true; small but not zero is never shown as zero.

    >>> [number(value, 4) for value in (0.25, -0.00001, 0.0, float("nan"), 3, True, False, "bm25")]
    ['0.2500', '-1.0e-05', '0.0000', '-', '3', '*', '', 'bm25']
    """
    if value is None or value != value:
        return "-"
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return printable(" ".join(value))
    if isinstance(value, bool):
        return "*" if value else ""
    if not isinstance(value, float):
        return str(value)
    text = f"{value + 0.0:.{digits}f}"
    return f"{value:.1e}" if value != 0 and float(text) == 0 else text


def printable(text: str) -> str:
    r"""Text without characters that move a cursor: they are shown as escapes.

    >>> print(printable("bm25\x1b[2J\n"))
    bm25\x1b[2J\n
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def text(tables: Sequence[Table], digits: int, _: Sequence[str]) -> str:
    """Plain text: title, columns, the target's row under a rule, notes.

    >>> from biasvar_cli.tables.table import Table
    >>> print(text([Table("One run", {"run": ["A"], "mean": [0.25]})], 2, []), end="")
    One run
    <BLANKLINE>
    run      mean
    -----  ------
    A        0.25
    <BLANKLINE>
    """
    return "\n".join(_for_people(table, digits, "simple") for table in tables)


def markdown(tables: Sequence[Table], digits: int, _: Sequence[str]) -> str:
    """GitHub's markdown: title in bold, table, notes as a list."""
    return "\n".join(_for_people(table, digits, "github") for table in tables)


def latex(tables: Sequence[Table], digits: int, _: Sequence[str]) -> str:
    """LaTeX tabulars for the package booktabs, title and notes as comments."""
    return "\n".join(_for_people(table, digits, "latex") for table in tables)


def csv(tables: Sequence[Table], _: int, __: Sequence[str]) -> str:
    """Comma-separated values at full precision, one header, undefined numbers empty.

    >>> from biasvar_cli.tables.table import Table
    >>> csv([Table("One run", {"run": ["A"], "mean": [float("nan")]})], 2, [])
    'run,mean\\nA,\\n'
    """
    return _separated(tables, ",")


def tsv(tables: Sequence[Table], _: int, __: Sequence[str]) -> str:
    """Tab-separated values at full precision.

    >>> from biasvar_cli.tables.table import Table
    >>> tsv([Table("One run", {"run": ["A"], "mean": [0.25]})], 2, [])
    'run\\tmean\\nA\\t0.25\\n'
    """
    return _separated(tables, "\t")


def json_document(tables: Sequence[Table], _: int, warnings: Sequence[str]) -> str:
    """JSON at full precision, undefined numbers null, with the version and the warnings."""
    results = []
    for table in tables:
        names = [name for name in table.columns if name not in table.keys]
        rows = [dict(zip(names, row[len(table.keys) :], strict=True)) for row in table.rows()]
        results.append({**table.document, table.rows_key: rows} if table.rows_key else table.document)
    document = {"version": __version__, "results": results, "warnings": list(warnings)}
    return json.dumps(_plain(document), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


FORMATS: dict[str, Render] = {
    "csv": csv,
    "json": json_document,
    "latex": latex,
    "markdown": markdown,
    "text": text,
    "tsv": tsv,
}
ROUNDED = ("text", "markdown", "latex")


def _for_people(table: Table, digits: int, style: str) -> str:
    from tabulate import SEPARATING_LINE, tabulate

    left_out = {*table.keys, *table.hidden}
    columns = {name: column for name, column in table.columns.items() if name not in left_out}
    names = list(columns)
    rows: list[Any] = [[number(value, digits) for value in row] for row in zip(*columns.values(), strict=True)]
    last = None
    if table.target_row is not None:
        last = [number(table.target_row[name], digits) if name in table.target_row else "" for name in names]
    numeric = [is_numeric(columns[name]) for name in names]
    title, notes = printable(table.title), [in_words(note, digits) for note in table.notes]
    if style == "latex":
        return "".join(f"% {line}\n" for line in (title, *notes)) + tabular(names, rows, last, numeric) + "\n"
    if last is not None:
        rows += [SEPARATING_LINE, last] if style == "simple" else [last]
    if style == "github":
        rows = [[_for_markdown(cell) for cell in row] for row in rows]
    align = ["right" if each else "left" for each in numeric]
    body = tabulate(rows, headers=names, tablefmt=style, disable_numparse=True, colalign=align if rows else None)
    if style == "github":
        return f"**{_for_markdown(title)}**\n\n{body}\n\n" + "".join(f"* {_for_markdown(note)}\n" for note in notes)
    return f"{title}\n\n{body}\n\n" + "".join(f"{note}\n" for note in notes)


def _for_markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\g<0>", text)


def in_words(note: Note, digits: int) -> str:
    """A note with its values as tables print numbers.

    >>> from biasvar_cli.tables.table import Note
    >>> in_words(Note("r is {}, of {}", (0.25, -0.5), signed=(True, False)), 2)
    'r is +0.25, of -0.50'
    """
    flags = (note.signed,) * len(note.values) if isinstance(note.signed, bool) else note.signed
    numbers = [(number(value, digits), flag and value > 0) for value, flag in zip(note.values, flags, strict=True)]
    signed = [f"+{text}" if plus else text for text, plus in numbers]
    return printable(note.text.format(*signed) if note.values else note.text)


def is_numeric(column: Sequence[Any]) -> bool:
    """Whether a column holds nothing but numbers and gaps, and so is set to the right.

    >>> is_numeric([1, None, 0.5]), is_numeric(["1"])
    (True, False)
    """
    return all(value is None or isinstance(value, int | float) for value in column)


def _separated(tables: Sequence[Table], separator: str) -> str:
    def rows() -> Iterator[Iterable[Any]]:
        yield tables[0].columns
        for table in tables:
            yield from (map(_cell, row) for row in table.rows())

    return separated(rows, separator)


def separated(rows: Callable[[], Iterable[Iterable[Any]]], separator: str) -> str:
    r"""Rows as csv or tsv; a cell with a line feed or a carriage return is quoted, so that it can be read back.

    >>> separated(lambda: [["run", "mean"], ["a\rb", 0.25]], ",")
    'run,mean\n"a\rb",0.25\n'
    """
    out = StringIO()
    csv_module.writer(out, delimiter=separator, lineterminator="\n").writerows(rows())
    text = out.getvalue()
    return text if "\r" not in text else "".join(_line(row, separator) for row in rows())


def _line(row: Iterable[Any], separator: str) -> str:
    """One row; before Python 3.13 a carriage return is quoted only where it ends the lines."""
    out = StringIO()
    csv_module.writer(out, delimiter=separator, lineterminator="\r\n").writerow(row)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Any) -> Any:
    """A value as csv and tsv hold it: undefined is empty, true is a word."""
    if value is None or value != value:
        return ""
    if isinstance(value, list):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else value


def _plain(value: Any) -> Any:
    """The same document with undefined numbers as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    return None if value != value else value
