"""The output formats of tables: text for people, and files for programs."""

from __future__ import annotations

import csv as csv_module
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.tables.latex import latex
from biasvar_cli.tables.layout import NO_MARK, Layout, TextColumn, markdown_text, text_columns, wrapped
from biasvar_cli.tables.narrow import body as narrow_body
from biasvar_cli.tables.narrow import fitted
from biasvar_cli.words import VERSION

if TYPE_CHECKING:
    import pyarrow as pa

    from biasvar_cli.tables.table import Table


_UNSEEN = re.compile(r"[^\x20-\x7e\n]")  # candidates: all but printable ASCII and line feeds


def csv(tables: Sequence[Table], _: Layout) -> str:
    """Comma-separated values at full precision, one header, undefined numbers empty.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Table
    >>> csv([Table("One run", {"run": ["A"], "mean": [float("nan")]})], Layout())
    'run,mean\\nA,\\n'
    """
    return _separated(tables, ",")


def tsv(tables: Sequence[Table], _: Layout) -> str:
    """Tab-separated values at full precision.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Table
    >>> tsv([Table("One run", {"run": ["A"], "mean": [0.25]})], Layout())
    'run\\tmean\\nA\\t0.25\\n'
    """
    return _separated(tables, "\t")


def parquet(tables: Sequence[Table], _: Layout) -> bytes:
    """Apache Parquet with the columns of csv, undefined numbers null; binary, for a file or a pipe.

    >>> import io
    >>> import pyarrow.parquet
    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Table
    >>> data = parquet([Table("Two runs", {"run": ["A", "B"], "mean": [0.25, float("nan")]})], Layout())
    >>> pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    [{'run': 'A', 'mean': 0.25}, {'run': 'B', 'mean': None}]
    """
    import pyarrow as pa
    from pyarrow import parquet as pq

    columns = {name: [cell for table in tables for cell in table.columns[name]] for name in tables[0].columns}
    arrays = {name: _arrow(column, of_words=name in tables[0].keys) for name, column in columns.items()}
    out = BytesIO()
    pq.write_table(pa.table(arrays), out)
    return out.getvalue()


def _arrow(column: Sequence[Any], *, of_words: bool) -> pa.Array:
    """A column of booleans, whole numbers, numbers or text; one without values is text if ``of_words``."""
    import pyarrow as pa

    cells = [" ".join(cell) if isinstance(cell, list) else None if cell != cell else cell for cell in column]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds == {int}:
        return pa.array(cells, pa.int64())
    if kinds <= {int, float} and not (of_words and not kinds):
        return pa.array(cells, pa.float64())
    return pa.array([None if cell is None else str(_cell(cell)) for cell in cells], pa.string())


def _json_document(tables: Sequence[Table], layout: Layout) -> str:
    """JSON at full precision, undefined numbers null, with the version, the warnings and the notices.

    Characters of names that are not printable are escaped.
    """
    text = json.dumps(document(tables, layout), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return _UNSEEN.sub(lambda sign: sign[0] if sign[0].isprintable() else json.dumps(sign[0])[1:-1], text)


def document(tables: Sequence[Table], layout: Layout) -> dict[str, Any]:
    """The content of JSON: results, version, warnings and notices; undefined numbers are None."""
    results = []
    for table in tables:
        names = [name for name in table.columns if name not in table.keys]
        rows = [dict(zip(names, row[len(table.keys) :], strict=True)) for row in table.rows()]
        result = {**table.document, table.rows_key: rows} if table.rows_key else dict(table.document)
        signed = table.signature and "signature" not in table.top
        results.append(result | ({"signature": table.signature} if signed else {}))
    messages = {"warnings": list(layout.warnings), "notices": list(layout.notices)}
    top = {key: value for table in tables for key, value in table.top.items()}
    whole: dict[str, Any] = _plain({"version": VERSION, **top, "results": results, **messages})
    return whole


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
    if "\r" not in out.getvalue():
        return out.getvalue()
    lines = []
    for row in rows():  # before Python 3.13 a carriage return is quoted only if lines end in it
        out = StringIO()
        csv_module.writer(out, delimiter=separator, lineterminator="\r\n").writerow(row)
        lines.append(out.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def _cell(value: Any) -> Any:
    """A value in csv and tsv: an undefined value is empty, and booleans are ``true`` and ``false``."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, list):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else value


def _plain(value: Any) -> Any:
    """The same document with undefined numbers as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and isnan(value) else value


Render = Callable[[Sequence["Table"], Layout], str | bytes]


def text(tables: Sequence[Table], layout: Layout) -> str:
    """Plain text: title, verdict, rows, the target's row under a rule, notes, small tables, and the last lines.

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
    last = [line for sentence in layout.last_lines(tables) for line in wrapped(sentence, layout.width)]
    return layout.joined(tables, _as_text, last)


def markdown(tables: Sequence[Table], layout: Layout) -> str:
    """GitHub's markdown: title in bold, verdict, table, notes as a list."""
    return layout.joined(tables, _as_markdown, [_item(line) for line in layout.last_lines(tables)])


class Format(NamedTuple):
    """An output format: the function that renders tables, and the suffix of files.

    Numbers are rounded and explained ``for_people``, and have full precision for programs. A format with ``rows_alone``
    has only the rows of one table. A ``binary`` format is not text.
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
    "json": Format(_json_document, ".json"),
}
ROUNDED = tuple(name for name, form in FORMATS.items() if form.for_people)
FOR_PROGRAMS = tuple(name for name, form in FORMATS.items() if not form.for_people)
ROWS_ALONE = tuple(name for name, form in FORMATS.items() if form.rows_alone)
BINARY = tuple(name for name, form in FORMATS.items() if form.binary)
SUFFIXES = {form.suffix: name for name, form in FORMATS.items()}


def _as_text(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in plain text, which are separated by empty lines."""
    yield layout.lines([table.title])
    yield layout.lines(table.verdict)
    yield from _rows_and_notes(table, layout, "simple", layout.highlight_notes(table))
    for part in [*layout.parts(table)][1:]:
        body, notes = _rows_and_notes(part, layout, "plain")
        yield [*layout.lines([part.title]), *body]
        yield notes
    if layout.notes == "full":
        yield layout.lines(layout.details(table))


def _rows_and_notes(table: Table, layout: Layout, style: str, marks: Iterable[str] = ()) -> Iterator[list[str]]:
    """Two blocks: the rows, with the columns that fit the width, and the notes, which begin with ``marks``."""
    columns = text_columns(table, layout.digits) if table.columns else []
    visible = columns if layout.wide else fitted(columns, layout.width)
    yield [_body(table, visible, style)] if columns else []
    names = {column.column_name for column in visible}
    left_out = [column.head for column in columns if column.column_name not in names]
    rest = [f"Hidden ({'--wide' if layout.typed else 'wide=True'}): {', '.join(left_out)}"] if left_out else []
    yield layout.lines([*marks, *rest, *table.notes])


def _body(table: Table, columns: Sequence[TextColumn], style: str) -> str:
    """The heads and rows of a table, and the target's row under a rule."""
    from tabulate import SEPARATING_LINE, tabulate

    if any(column.narrow for column in columns):
        return narrow_body(columns, ruled=style == "simple", last=table.target_row is not None).replace(NO_MARK, " ")
    if style == "github":
        columns = [column.in_markdown(bold=table.emphasis) for column in columns]
    rows: list[Any] = [list(row) for row in zip(*(column.marked().cells for column in columns), strict=True)]
    if table.target_row is not None:
        last = [column.last for column in columns]
        rows += [SEPARATING_LINE, last] if style == "simple" else [list(map(markdown_text, last))]
    align = ["right" if column.right else "left" for column in columns]
    heads = [column.name if style == "simple" else column.head for column in columns]
    body = tabulate(rows, headers=heads, tablefmt=style, disable_numparse=True, colalign=align if rows else None)
    return "\n".join(line.rstrip() for line in body.replace(NO_MARK, " ").split("\n")) if NO_MARK in body else body


def _as_markdown(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in markdown: titles in bold, notes as a list."""
    for part in layout.parts(table):
        yield [f"**{markdown_text(layout.words(part.title))}**"]
        yield [markdown_text(layout.words(note)) + "  " for note in part.verdict]
        yield [_body(part, text_columns(part, layout.digits), "github")] if part.columns else []
        marks = layout.highlight_notes(table) if part is table else ()
        yield [_item(layout.words(note)) for note in (*marks, *part.notes)]
    if layout.notes == "full":
        yield [_item(layout.words(note)) for note in layout.details(table)]


def _item(line: str) -> str:
    return f"* {markdown_text(line)}"
