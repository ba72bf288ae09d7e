"""Tables to text. The only rounding is here, and no number that is not zero prints as zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.tables.data_formats import csv, json_document, parquet, tsv
from biasvar_cli.tables.escapes import MARKDOWN, latex_cell
from biasvar_cli.tables.latex import floated, table_label, tabular
from biasvar_cli.tables.layout import FILE_WIDTH, Layout, last_lines, whole, wrapped
from biasvar_cli.tables.quantities import SHARED

if TYPE_CHECKING:
    from biasvar_cli.tables.column import Column
    from biasvar_cli.tables.table import Note, Table

Render = Callable[[Sequence["Table"], Layout], str | bytes]
Blocks = Callable[["Table", Layout], Iterator[list[str]]]


def number(value: Any, digits: int) -> str:
    """A cell for people: rounded, ``-`` for undefined, ``*`` for true; small but not zero is never shown as zero.

    >>> [number(value, 4) for value in (0.25, 0.00001, -0.00001, 0.0, float("nan"), 3, True, False, "bm25")]
    ['0.2500', '<.0001', '>-.0001', '0.0000', '-', '3', '*', '', 'bm25']
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
    if value == 0 or float(text) != 0:
        return text
    least = f"{10.0**-digits:.{digits}f}".removeprefix("0")
    return f"<{least}" if value > 0 else f">-{least}"


def with_sign(value: Any, digits: int, *, signed: bool) -> str:
    """A cell as `number` has it, with the plus of a positive number where numbers are ``signed``.

    >>> with_sign(0.25, 2, signed=True), with_sign(-0.25, 2, signed=True), with_sign(0.0, 2, signed=True)
    ('+0.25', '-0.25', '0.00')
    """
    text = number(value, digits)
    return f"+{text}" if signed and isinstance(value, float) and value > 0 and text[0] != "<" else text


def printable(text: str) -> str:
    r"""Text without characters that move a cursor: they are shown as escapes.

    >>> print(printable("bm25\x1b[2J\n"))
    bm25\x1b[2J\n
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def text(tables: Sequence[Table], layout: Layout) -> str:
    """Plain text: title, verdict, columns, the target's row under a rule, notes, small tables, and the last lines.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Note, Table
    >>> verdict, notes = (Note("Best: A, {}", (0.25,), signed=False),), (Note("One run has no rank."),)
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
    last = [line for each in last_lines(tables, layout) for line in wrapped(each, layout.width)]
    return _joined(tables, layout, _as_text, last)


def markdown(tables: Sequence[Table], layout: Layout) -> str:
    """GitHub's markdown: title in bold, verdict, table, notes as a list."""
    return _joined(tables, layout, _as_markdown, [_item(line) for line in last_lines(tables, layout)])


def latex(tables: Sequence[Table], layout: Layout) -> str:
    """LaTeX tables for the package booktabs, with captions; verdict and notes are comments."""
    return _joined(tables, layout, _as_latex, _comments(last_lines(tables, layout)))


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


_SPACE = 2  # between columns of text


def _body(table: Table, columns: Sequence[_Column], style: str) -> str:
    """The rows of a table with their heads, and the target's row under a rule."""
    from tabulate import SEPARATING_LINE, tabulate

    if style == "github":
        columns = [column.in_markdown(bold=table.emphasis) for column in columns]
    rows: list[Any] = [list(row) for row in _rows([column.marked() for column in columns])]
    last = _last_row(table, columns)
    if last is not None:
        rows += [SEPARATING_LINE, last] if style == "simple" else [list(map(_for_markdown, last))]
    align = ["right" if column.right else "left" for column in columns]
    heads = [column.name if style == "simple" else column.head for column in columns]
    body = tabulate(rows, headers=heads, tablefmt=style, disable_numparse=True, colalign=align if rows else None)
    return "\n".join(line.rstrip() for line in body.replace(_NO_MARK, " ").split("\n")) if _NO_MARK in body else body


_NO_MARK = "\ue000"  # a blank that stays at the end of a cell; no name has it, since it is not printable


class _Column(NamedTuple):
    """A column for people: its head, its cells as text, whether they are set to the right, and how it was declared.

    ``last`` is its cell in the target's row, empty where there is none. Its ``name`` has a line for the group of
    columns that it belongs to. ``marks`` are the signs behind the cells, none or one for each. ``best`` is the cell of
    the best value, None where no value is better than the others.
    """

    name: str
    cells: list[str]
    right: bool
    own: str
    last: str = ""
    declared: Column[Any] | None = None
    marks: Sequence[str] = ()
    best: str | None = None

    @property
    def head(self) -> str:
        """The head in one line."""
        return self.name.replace("\n", " ").strip()

    def marked(self) -> _Column:
        """The same column with the marks in its cells."""
        if not any(self.marks):
            return self
        cells = [f"{cell}{mark or _NO_MARK}" for cell, mark in zip(self.cells, self.marks, strict=True)]
        return self._replace(cells=cells, marks=())

    def in_markdown(self, *, bold: bool) -> _Column:
        """The same column with cells and marks as markdown has them, the best in ``bold`` if that is wanted."""
        cells = [
            f"**{_for_markdown(cell)}**" if bold and cell == self.best else _for_markdown(cell) for cell in self.cells
        ]
        return self._replace(cells=cells, marks=[_for_markdown(mark) for mark in self.marks])

    @property
    def width(self) -> int:
        """The columns of a terminal that it takes, with the space behind it; tabulate gives heads two more."""
        heads = [len(line) + 2 for line in self.name.split("\n")]
        return max(*heads, len(self.last), *(len(cell) + any(self.marks) for cell in self.cells)) + _SPACE

    @property
    def priority(self) -> int:
        """What is left out first where there is not enough width."""
        return 0 if self.declared is None else self.declared.priority


def _for_people(table: Table, digits: int) -> list[_Column]:
    """The columns that people see, the two ends of an interval as one."""
    shown = {name: column for name, column in table.columns.items() if name not in {*table.keys, *table.hidden}}
    pairs = {low: (head, high) for head, (low, high) in table.intervals.items() if {low, high} <= shown.keys()}
    joined = {high for _, high in pairs.values()}
    shown_columns, target_row = [], table.target_row or {}
    for name, column in shown.items():
        if name in pairs:
            head, high = pairs[name]
            signed = name in table.signed
            ends = zip(column, shown[high], strict=True)
            cells = [_interval(low, top, digits, signed=signed) for low, top in ends]
            shown_columns.append(_Column(_interval_head(table, head), cells, True, head, "", table.declared.get(name)))
        elif name not in joined:
            cells = [with_sign(value, digits, signed=name in table.signed) for value in column]
            declared = table.declared.get(name) or SHARED.get(name)
            head = (declared.head if declared else "") or name
            last = number(target_row[name], digits) if name in target_row else ""
            head = f"{table.groups.get(name, '')}\n{head}" if table.groups else head
            right, best = is_numeric(column), _best(declared, column, cells)
            marks = table.marks.get(name, ())
            shown_columns.append(_Column(head, cells, right, name, last, declared, marks, best))
    return shown_columns


def _fitted(columns: Sequence[_Column], layout: Layout) -> tuple[list[_Column], list[str]]:
    """The columns that there is the width for, and the heads of those left out."""
    shown, names = list(columns), []
    while not layout.wide and sum(column.width for column in shown) - _SPACE > layout.width:
        last = max(reversed(shown), key=lambda column: column.priority)
        if not last.priority:
            break
        shown.remove(last)
        names.append(last.name)
    return shown, [column.head for column in columns if column.name in names]


def _interval_head(table: Table, name: str) -> str:
    """The head of an interval, which is named by its column and its level."""
    own, _, level = name.partition(" ")
    column = table.declared.get(own) or SHARED.get(own)
    return f"{column.head} {level}" if column is not None and column.head else name


def _latex_head(table: Table, name: str) -> str:
    """The head of a column in LaTeX, or of an interval, which is named by its column and its level."""
    own, _, level = (name, "", "") if name in table.declared else name.partition(" ")
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
    yield wrapped(in_words(table.title, layout.digits), layout.width)
    yield _wrapped_notes(table.verdict, layout)
    yield from _rows_and_notes(table, layout, "simple")
    for each in [*whole(table, layout)][1:]:
        body, notes = _rows_and_notes(each, layout, "plain")
        yield [*wrapped(in_words(each.title, layout.digits), layout.width), *body]
        yield notes
    if layout.notes == "full":
        yield _wrapped_notes(_details(table, layout), layout)


def _rows_and_notes(table: Table, layout: Layout, style: str) -> Iterator[list[str]]:
    """The rows, with the columns that there is the width for, and the notes."""
    columns, left_out = _fitted(_for_people(table, layout.digits), layout) if table.columns else ([], [])
    yield [_body(table, columns, style)] if table.columns else []
    rest = [f"Columns left out: {', '.join(left_out)} (--wide shows them)"] if left_out else []
    yield _wrapped_notes([*rest, *table.notes], layout)


def _details(table: Table, layout: Layout) -> Iterator[Note | str]:
    """What ``--notes full`` adds under everything else, the signature last."""
    yield from (note for each in whole(table, layout) for note in each.details)
    if table.signature:
        yield f"Signature: {table.signature}"


def _wrapped_notes(notes: Iterable[Note | str], layout: Layout) -> list[str]:
    return [line for note in notes for line in wrapped(in_words(note, layout.digits), layout.width)]


def _as_markdown(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in markdown: titles in bold, notes as a list."""
    for each in whole(table, layout):
        yield [f"**{_for_markdown(in_words(each.title, layout.digits))}**"]
        yield [_for_markdown(in_words(note, layout.digits)) + "  " for note in each.verdict]
        yield [_body(each, _for_people(each, layout.digits), "github")] if each.columns else []
        yield [_item(in_words(note, layout.digits)) for note in each.notes]
    if layout.notes == "full":
        yield [_item(in_words(note, layout.digits)) for note in _details(table, layout)]


def _item(line: str) -> str:
    return f"* {_for_markdown(line)}"


def _as_latex(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in LaTeX: verdict and notes as comments before it."""
    for each in whole(table, layout):
        notes = [*each.verdict, *each.notes]
        lines = _comments(in_words(note, layout.digits) for note in notes)
        yield [*lines, *([_latex_table(each, layout.digits)] if each.columns else [])]
    if layout.notes == "full":
        yield _comments(in_words(note, layout.digits) for note in _details(table, layout))
    yield []


def _comments(lines: Iterable[str]) -> list[str]:
    return [f"% {part}" for line in lines for part in wrapped(line, FILE_WIDTH)]


def _latex_table(table: Table, digits: int) -> str:
    """A table with its caption and label, the best value of each column in bold."""
    columns = _for_people(table, digits)
    heads = [_latex_head(table, column.own) for column in columns]
    rows = [list(row) for row in _rows([_in_latex(table, column) for column in columns])]
    last = _last_row(table, columns)
    groups = [latex_cell(table.groups.get(column.own, "")) for column in columns]
    body = tabular(heads, rows, last and list(map(latex_cell, last)), [column.right for column in columns], groups)
    words = [in_words(table.title, digits).removesuffix(".")]
    words += ["Bold: the best value in each column of this table"] if any(column.best for column in columns) else []
    words += [in_words(note, digits).removesuffix(".") for note in table.caption]
    keys = [str(table.columns[key][0] or "") for key in table.keys if table.columns[key]]
    label = table_label(table.name, *keys) if table.name else ""
    return floated(body, " ".join(f"{_with_star(part)}." for part in words), label)


def _best(declared: Column[Any] | None, values: Sequence[Any], cells: Sequence[str]) -> str | None:
    """The best value of a column as its cells have it; None where no value is better than the others."""
    better = declared.better if declared is not None else ""
    numbers = [
        (value, cell)
        for value, cell in zip(values, cells, strict=True)
        if isinstance(value, float | int) and not isinstance(value, bool) and value == value
    ]
    if not better or len({cell for _, cell in numbers}) < 2:
        return None
    return (max if better == "more" else min)(numbers)[1]


def _rows(columns: Sequence[_Column]) -> Iterator[tuple[str, ...]]:
    return zip(*(column.cells for column in columns), strict=True)


def _with_star(text: str) -> str:
    """Words in LaTeX; an asterisk before them, or alone, is a mark."""
    mark, rest = ("$^{*}$", text[1:]) if text == "*" or text.startswith("* ") else ("", text)
    return f"{mark}{latex_cell(rest)}"


def _in_latex(table: Table, column: _Column) -> _Column:
    """A column with the cells of LaTeX; what names a column of another table has its head."""
    declared = table.declared.get(column.own)
    headings = declared.cell_headings if declared else {}
    words = [headings.get(cell) or latex_cell(cell) for cell in column.cells]
    bold = [
        f"\\textbf{{{word}}}" if column.best == cell else word for word, cell in zip(words, column.cells, strict=True)
    ]
    marks = [_with_star(mark) for mark in column.marks]
    cells = [f"{cell}{mark}" for cell, mark in zip(bold, marks, strict=True)] if marks else bold
    return column._replace(cells=cells)


def _last_row(table: Table, columns: Sequence[_Column]) -> list[str] | None:
    """The target's row under those of runs, if there is one."""
    return None if table.target_row is None else [column.last for column in columns]


def _joined(tables: Sequence[Table], layout: Layout, blocks_of: Blocks, last: Sequence[str]) -> str:
    """All tables, with the last lines in the last block."""
    blocks = [block for table in tables for block in blocks_of(table, layout)]
    blocks = [*blocks[:-1], [*blocks[-1], *last]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _for_markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\g<0>", text)


def in_words(note: Note | str, digits: int) -> str:
    """A note with its values as tables print numbers.

    >>> from biasvar_cli.tables.table import Note
    >>> in_words(Note("r is {}, of {}", (0.25, -0.5), signed=(True, False)), 2)
    'r is +0.25, of -0.50'
    """
    if isinstance(note, str):
        return printable(note)
    flags = (note.signed,) * len(note.values) if isinstance(note.signed, bool) else note.signed
    most = note.digits if isinstance(note.digits, tuple) else (note.digits,) * len(note.values)
    numbers = [
        with_sign(value, digits if least is None else min(digits, least), signed=flag)
        for value, flag, least in zip(note.values, flags, most, strict=True)
    ]
    return printable(note.text.format(*numbers) if note.values else note.text)


def is_numeric(column: Sequence[Any]) -> bool:
    """Whether a column holds nothing but numbers and gaps, and so is set to the right.

    >>> is_numeric([1, None, 0.5]), is_numeric(["1"])
    (True, False)
    """
    return all(value is None or isinstance(value, int | float) for value in column)
