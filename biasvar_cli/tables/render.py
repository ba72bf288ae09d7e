"""Tables to text. The only rounding is here, and no number that is not zero prints as zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.tables.data_formats import csv, json_document, parquet, tsv
from biasvar_cli.tables.escapes import MARKDOWN, latex_cell
from biasvar_cli.tables.latex import tabular
from biasvar_cli.tables.layout import FILE_WIDTH, Layout, last_lines, whole, wrapped
from biasvar_cli.tables.quantities import SHARED

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Note, Table

Render = Callable[[Sequence["Table"], Layout], str | bytes]
Blocks = Callable[["Table", Layout], Iterator[list[str]]]


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


def with_sign(value: Any, digits: int, *, signed: bool) -> str:
    """A cell as `number` has it, with the plus of a positive number where numbers are ``signed``.

    >>> with_sign(0.25, 2, signed=True), with_sign(-0.25, 2, signed=True), with_sign(0.0, 2, signed=True)
    ('+0.25', '-0.25', '0.00')
    """
    plus = signed and isinstance(value, float) and value > 0
    return f"+{number(value, digits)}" if plus else number(value, digits)


def printable(text: str) -> str:
    r"""Text without characters that move a cursor: they are shown as escapes.

    >>> print(printable("bm25\x1b[2J\n"))
    bm25\x1b[2J\n
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def text(tables: Sequence[Table], layout: Layout) -> str:
    """Plain text: title, columns, the target's row under a rule, notes, small tables, and what is true of the files.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Note, Table
    >>> table = Table("One run", {"run": ["A"], "mean": [0.25]}, notes=(Note("One run has no rank."),))
    >>> print(text([table], Layout(digits=2)), end="")
    One run
    <BLANKLINE>
    run      mean
    -----  ------
    A        0.25
    <BLANKLINE>
    One run has no rank.
    """
    last = [line for each in last_lines(tables, layout) for line in wrapped(each, layout.width)]
    return _joined(tables, layout, _as_text, last)


def markdown(tables: Sequence[Table], layout: Layout) -> str:
    """GitHub's markdown: title in bold, table, notes as a list."""
    return _joined(tables, layout, _as_markdown, [_item(line) for line in last_lines(tables, layout)])


def latex(tables: Sequence[Table], layout: Layout) -> str:
    """LaTeX tabulars for the package booktabs, title and notes as comments."""
    return _joined(tables, layout, _as_latex, _comments(last_lines(tables, layout)))


FORMATS: dict[str, Render] = {
    "csv": csv,
    "json": json_document,
    "latex": latex,
    "markdown": markdown,
    "parquet": parquet,
    "text": text,
    "tsv": tsv,
}
ROUNDED = ("text", "markdown", "latex")
BINARY = ("parquet",)
SUFFIXES = {  # of output files
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".parquet": "parquet",
}


def _body(table: Table, digits: int, style: str) -> str:
    """The rows of a table with their heads, and the target's row under a rule."""
    from tabulate import SEPARATING_LINE, tabulate

    columns = _for_people(table, digits)
    rows: list[Any] = [list(row) for row in _rows(columns)]
    last = _last_row(table, [column.name for column in columns], digits)
    if last is not None:
        rows += [SEPARATING_LINE, last] if style == "simple" else [last]
    if style == "github":
        rows = [[_for_markdown(cell) for cell in row] for row in rows]
    align = ["right" if column.right else "left" for column in columns]
    heads = [column.name for column in columns]
    return tabulate(rows, headers=heads, tablefmt=style, disable_numparse=True, colalign=align if rows else None)


class _Column(NamedTuple):
    """A column for people: its head, its cells as text, whether they are set to the right, and its own name."""

    name: str
    cells: list[str]
    right: bool
    own: str


def _for_people(table: Table, digits: int) -> list[_Column]:
    """The columns that people see, the two ends of an interval as one."""
    shown = {name: column for name, column in table.columns.items() if name not in {*table.keys, *table.hidden}}
    pairs = {low: (head, high) for head, (low, high) in table.intervals.items() if {low, high} <= shown.keys()}
    joined = {high for _, high in pairs.values()}
    found = []
    for name, column in shown.items():
        if name in pairs:
            head, high = pairs[name]
            signed = name in table.signed
            ends = zip(column, shown[high], strict=True)
            cells = [_interval(low, top, digits, signed=signed) for low, top in ends]
            found.append(_Column(head, cells, True, head))
        elif name not in joined:
            cells = [with_sign(value, digits, signed=name in table.signed) for value in column]
            declared = table.declared.get(name) or SHARED.get(name)
            head = (declared.head if declared else "") or name
            found.append(_Column(head, cells, is_numeric(column), name))
    return found


def _latex_head(table: Table, name: str) -> str:
    """The head of a column in LaTeX, or of an interval, which is named by its column and its level."""
    own, _, level = name.partition(" ")
    column = table.declared.get(own) or SHARED.get(own)
    if column is None:
        return latex_cell(name.replace("_", " "))
    return f"{column.heading}, {latex_cell(level)}" if level else column.heading


def _interval(low: Any, high: Any, digits: int, *, signed: bool) -> str:
    """Both ends in one cell; ``-`` where there is no interval."""
    ends = [with_sign(end, digits, signed=signed) for end in (low, high)]
    return "-" if ends == ["-", "-"] else f"[{ends[0]}, {ends[1]}]"


def _as_text(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table as plain text, the last one its notes; an empty line stands between blocks."""
    yield wrapped(printable(table.title), layout.width)
    yield wrapped(printable(table.lead), layout.width) if table.lead else []
    yield [_body(table, layout.digits, "simple")] if table.columns else []
    yield _wrapped_notes(table.notes, layout)
    for each in table.second:
        yield [*wrapped(printable(each.title), layout.width), _body(each, layout.digits, "plain")]
        yield _wrapped_notes(each.notes, layout)
    if layout.notes == "full":
        yield _wrapped_notes([note for each in whole(table) for note in each.details], layout)


def _wrapped_notes(notes: Sequence[Note], layout: Layout) -> list[str]:
    return [line for note in notes for line in wrapped(in_words(note, layout.digits), layout.width)]


def _as_markdown(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in markdown: titles in bold, notes as a list."""
    for each in whole(table):
        yield [f"**{_for_markdown(printable(each.title))}**"]
        yield [_for_markdown(printable(each.lead))] if each.lead else []
        yield [_body(each, layout.digits, "github")] if each.columns else []
        yield [_item(in_words(note, layout.digits)) for note in each.notes]
    if layout.notes == "full":
        yield [_item(in_words(note, layout.digits)) for each in whole(table) for note in each.details]


def _item(line: str) -> str:
    return f"* {_for_markdown(line)}"


def _as_latex(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in LaTeX: title and notes as comments before it."""
    for each in whole(table):
        notes = [*each.notes, *(each.details if layout.notes == "full" else ())]
        words = (each.title, each.lead) if each.lead else (each.title,)
        lines = [*map(printable, words), *(in_words(note, layout.digits) for note in notes)]
        yield [*_comments(lines), *([_tabular(each, layout.digits)] if each.columns else [])]
    yield []


def _comments(lines: Iterable[str]) -> list[str]:
    return [f"% {part}" for line in lines for part in wrapped(line, FILE_WIDTH)]


def _tabular(table: Table, digits: int) -> str:
    columns = _for_people(table, digits)
    names, heads = [column.name for column in columns], [_latex_head(table, column.own) for column in columns]
    rows = [[_latex_cell(table, *cell) for cell in zip(names, row, strict=True)] for row in _rows(columns)]
    last = _last_row(table, names, digits)
    return tabular(heads, rows, last and list(map(latex_cell, last)), [column.right for column in columns])


def _rows(columns: Sequence[_Column]) -> Iterator[tuple[str, ...]]:
    return zip(*(column.cells for column in columns), strict=True)


def _latex_cell(table: Table, name: str, text: str) -> str:
    """A cell; what names a column of another table has its head."""
    column = table.declared.get(name)
    return (column.cell_headings.get(text) if column else None) or latex_cell(text)


def _last_row(table: Table, names: Sequence[str], digits: int) -> list[str] | None:
    """The target's row under those of runs, if there is one."""
    last = table.target_row
    return None if last is None else [number(last[name], digits) if name in last else "" for name in names]


def _joined(tables: Sequence[Table], layout: Layout, blocks_of: Blocks, last: Sequence[str]) -> str:
    """All tables, with the last lines in the last block."""
    blocks = [block for table in tables for block in blocks_of(table, layout)]
    blocks = [*blocks[:-1], [*blocks[-1], *last]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _for_markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\g<0>", text)


def in_words(note: Note, digits: int) -> str:
    """A note with its values as tables print numbers.

    >>> from biasvar_cli.tables.table import Note
    >>> in_words(Note("r is {}, of {}", (0.25, -0.5), signed=(True, False)), 2)
    'r is +0.25, of -0.50'
    """
    flags = (note.signed,) * len(note.values) if isinstance(note.signed, bool) else note.signed
    most = digits if note.digits is None else min(digits, note.digits)
    numbers = [with_sign(value, most, signed=flag) for value, flag in zip(note.values, flags, strict=True)]
    return printable(note.text.format(*numbers) if note.values else note.text)


def is_numeric(column: Sequence[Any]) -> bool:
    """Whether a column holds nothing but numbers and gaps, and so is set to the right.

    >>> is_numeric([1, None, 0.5]), is_numeric(["1"])
    (True, False)
    """
    return all(value is None or isinstance(value, int | float) for value in column)
