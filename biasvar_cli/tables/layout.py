"""The layout of tables for people: notes, columns, the width of lines, and the last lines.

Cells are rounded and marked here, and characters with a meaning in Markdown or LaTeX are escaped. The script of the
page of `biasvar report` has the same patterns, which are therefore written such that JavaScript reads them alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan
from typing import Any, Literal, NamedTuple

from biasvar_cli.errors import UsageError
from biasvar_cli.tables.column import SHARED, Column, added_by
from biasvar_cli.tables.rounding import display_width, in_words, is_numeric, number, with_sign
from biasvar_cli.tables.table import Table
from biasvar_cli.words import NEARLY_EQUAL, argument, as_typed, in_python, is_highlighted, listed, printable

NotesChoice = Literal["short", "full"]
FILE_WIDTH = 100  # columns of text in a file or a pipe
_NARROWEST = 40
_WORDS = re.compile(
    r"[ \t\n]*[^ \t\n]+(?: %[^ \t\n]*)?"
)  # with the blanks before them; a line is not broken between 95 and %
_PARTS = re.compile(r"[^ _/:-]*[ _/:-]*")  # of a head or a long name, with the separators after them
_MOST_NOTICES = 3


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How tables are rendered.

    Attributes
    ----------
    digits
        Decimals of rounded numbers.
    notes
        Whether the notes for people are short or full.
    width, wide
        The width of lines of text, in columns; tables are not wider either, unless ``wide``.
    warnings
        The warnings, for JSON.
    notices
        The notices on the files.
    typed
        Whether the tables answer a command. Otherwise sentences name arguments of Python, and no line names further
        commands.
    """

    digits: int = 4
    notes: NotesChoice = "short"
    width: int = FILE_WIDTH
    wide: bool = False
    warnings: Sequence[str] = ()
    notices: Sequence[str] = ()
    typed: bool = True

    def words(self, sentence: str, wording: Callable[[str], str] | None = None) -> str:
        """A sentence with its numbers rounded; ``wording`` writes its arguments, by default as `typed` says."""
        return in_words(sentence, self.digits, wording or (as_typed if self.typed else in_python))

    def lines(self, sentences: Iterable[str]) -> list[str]:
        """Sentences with their numbers rounded, broken into lines of the layout's width."""
        return [line for sentence in sentences for line in wrapped(self.words(sentence), self.width)]

    def parts(self, table: Table) -> Iterator[Table]:
        """A table, the small tables under it and, with ``--notes full``, the tables of its appendix."""
        yield table
        yield from table.second
        if self.notes == "full":
            yield from table.appendix

    def details(self, table: Table) -> Iterator[str]:
        """The sentences that ``--notes full`` adds at the end, the signature last."""
        yield from (note for part in self.parts(table) for note in part.details)
        if table.signature:
            yield f"Signature: {table.signature}"

    def highlight_notes(self, table: Table, parts: Iterable[Table] | None = None) -> Iterator[str]:
        """A note on highlighted runs if a visible column has one, with the numbers of the rows below the first ones.

        ``parts`` are the tables that are shown with this one, by default all of `parts`.
        """
        visible = (
            values
            for part in parts or self.parts(table)
            for name, values in part.columns.items()
            if name not in part.hidden
        )
        if any(map(is_highlighted, chain.from_iterable(visible))):
            numbered = listed([f"{name} (number {number})" for name, number in table.below])
            first = len(next(iter(table.columns.values()))) - len(table.below)
            yield f"{HIGHLIGHT} highlighted{f'; not among the first {first}: {numbered}' if numbered else ''}."

    def last_lines(self, tables: Sequence[Table]) -> list[str]:
        """The lines under the last table: the notices, and the commands and options that show more."""
        lines = self.notices_line(tables)
        more = list(dict.fromkeys(name for table in tables for name in table.more))
        parts = [part for table in tables for part in self.parts(table)]
        if self.notes == "full":
            more.append("biasvar --words")
        elif any(part.details or part.appendix or part.signature for part in parts):
            more.insert(0, "--notes full")
        if more and self.typed:
            lines.append(f"More: {', '.join(more)}")
        line = " ".join(lines)
        return [line] if lines and display_width(line) <= self.width else lines

    def notices_line(self, tables: Sequence[Table]) -> list[str]:
        """The notices on the files in one line; none if no table shows notices.

        If there are many, the notice of runs with nearly equal scores is left out, because ``check`` does not print it.
        ``--notes full`` shows all notices.
        """
        if self.notes == "short" and not any(table.with_notices for table in tables):
            return []
        of_files = [message for message in self.notices if NEARLY_EQUAL not in message]
        many = self.notes == "short" and len(self.notices) > _MOST_NOTICES
        messages = of_files if many else self.notices
        notices = "; ".join(messages)
        if many and len(messages) > _MOST_NOTICES:
            notices = f"{len(messages)} notices on the files"
        return [f"{notices}{' (biasvar check)' if of_files and self.typed else ''}."] if notices else []

    def joined(
        self,
        tables: Sequence[Table],
        blocks_of: Callable[[Table, Layout], Iterator[list[str]]],
        last: Sequence[str],
    ) -> str:
        """The blocks of all tables, with the ``last`` lines in the last block."""
        blocks = [block for table in tables for block in blocks_of(table, self)]
        blocks = [*blocks[:-1], [*blocks[-1], *last]]
        return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def wrapped(line: str, width: int) -> list[str]:
    """A line of text broken between words into lines of a width; lines after the first are indented.

    >>> wrapped("The order by total is stable between halves.", 40)
    ['The order by total is stable between', '  halves.']
    """
    lines: list[str] = []
    for word in _WORDS.findall(line):
        if lines and display_width(lines[-1] + word) <= max(width, _NARROWEST):
            lines[-1] += word
        else:
            lines.append(f"  {word.lstrip()}" if lines else word)
    return lines or [line]


def broken(text: str, width: int) -> list[str]:
    """A cell in lines of a width, broken after a blank or, within a longer word, after a separator such as _ and -.

    >>> broken("bm25_k1_0.9 and 21 more", 10), broken("querylikelihood", 10)
    (['bm25_k1_', '0.9 and 21', 'more'], ['querylikel', 'ihood'])
    """
    lines = [""]
    for word in re.findall(r"[^ ]* *", text):
        parts = [word] if display_width(word.rstrip()) <= width else _PARTS.findall(word)
        for part in parts:
            if display_width((lines[-1] + part).rstrip()) > width:
                lines.append("")
            for sign in part:
                if sign != " " and display_width(lines[-1] + sign) > width:
                    lines.append("")
                lines[-1] += sign
    return [line.rstrip() for line in lines if line] or [""]


def with_columns(tables: Sequence[Table], names: Sequence[str], declared: Iterable[Column[Any]] = ()) -> list[Table]:
    """The tables with only the chosen columns, in that order, after the keys and the column that names the rows.

    A table without any of these columns is left out; if no table has columns, all are kept for their sentences. Raises
    `UsageError` for a name that no table has; the message uses ``declared``, the columns that tables may have.

    >>> from biasvar_cli.tables.table import Table
    >>> table = Table("Two runs", {"run": ["A", "B"], "mean": [0.2, 0.34], "bias": [0.3, 0.16]})
    >>> list(with_columns([table], ["bias"])[0].columns)
    ['run', 'bias']
    """
    possible = list(declared)
    there = list(dict.fromkeys(name for table in tables for name in table.columns))
    known = there or [column.name for column in possible]
    for name in names:
        if name not in known:
            hint = added_by(name, possible) or f"the columns are {', '.join(known)}"
            raise UsageError(f"{argument(columns=name)}: there is no such column; {hint}")
    if not there:
        return list(tables)
    chosen = []
    for table in tables:
        if set(names) & set(table.columns):
            first = next(name for name in table.columns if name not in table.keys)
            wanted = [name for name in dict.fromkeys([*table.keys, first, *names]) if name in table.columns]
            columns = {name: table.columns[name] for name in wanted}
            chosen.append(replace(table, columns=columns, hidden=table.hidden - set(names)))
    return chosen


MARKDOWN = re.compile(r"[\\|<>*`\[\]_~&#!$]|:(?=//)|(?<=\bwww)\.")  # characters with a meaning, and those of a link
LIGATURE = re.compile(r"-(?=-)|,(?=,)|`(?=`)|'(?=')|[?!](?=`)")  # characters that LaTeX would join with the next one
LATEX_SIGNS = {
    "{": "\\{",
    "}": "\\}",
    "&": "\\&",
    "%": "\\%",
    "$": "\\$",
    "#": "\\#",
    "_": "\\_",
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "²": "$^2$",
    "†": "$^{\\dagger}$",
    "‡": "$^{\\ddagger}$",
    "▽": "$^{\\triangledown}$",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
    "←": "$\\leftarrow$",
    "−": "$-$",
    "±": "$\\pm$",
    "α": "$\\alpha$",
    "ρ": "$\\rho$",
    "τ": "$\\tau$",
}


def latex_cell(text: str) -> str:
    r"""Text escaped for LaTeX, character by character; the script of `report` does the same with its cells.

    >>> latex_cell("a_b--c & 5 %")
    'a\\_b-{}-c \\& 5 \\%'
    """
    return LIGATURE.sub(r"\g<0>{}", "".join(LATEX_SIGNS.get(sign, sign) for sign in printable(text, NO_MARK)))


def markdown_text(text: str) -> str:
    r"""Text escaped for Markdown, character by character; the script of `report` does the same with its cells.

    >>> print(markdown_text("a_b|c"))
    a\_b\|c
    """
    return MARKDOWN.sub(r"\\\g<0>", printable(text, NO_MARK))


SPACE = 2  # between columns of text
NO_MARK = "\ue000"  # a blank at the end of a cell, which is not stripped; it is not printable, so that no name has it
PLUS_MINUS = "±"
HIGHLIGHT = "←"  # after the name of a highlighted run


class TextColumn(NamedTuple):
    """A column of a table for people, as text.

    Attributes
    ----------
    name
        The head; its first line may be the heading of a group of columns.
    cells
        The rounded values.
    right
        Whether the cells are aligned to the right.
    column_name
        The name of the column in the table; for an interval, the quantity and the level.
    latex_head
        The head in LaTeX.
    last
        The cell in the target's row, or empty.
    declared
        The declaration of the column, if it has one.
    marks, spreads
        The marks after the cells, and the numbers after ±: one for each cell, "" for none, or nothing.
    best
        The cell of the best value, None if no value is better than the others.
    narrow
        Whether head and cells may have several lines.
    """

    name: str
    cells: list[str]
    right: bool
    column_name: str
    latex_head: str
    last: str = ""
    declared: Column[Any] | None = None
    marks: Sequence[str] = ()
    best: str | None = None
    spreads: Sequence[str] = ()
    narrow: bool = False

    @property
    def head(self) -> str:
        """The head in one line."""
        return self.name.replace("\n", " ").strip()

    def marked(self) -> TextColumn:
        """The same column with the marks and spreads in its cells."""
        cells = self.cells
        if any(self.marks):
            behind = [f" {mark}" if mark.isalpha() else mark for mark in self.marks]
            width = max(map(len, behind))
            cells = [f"{cell}{mark}{NO_MARK * (width - len(mark))}" for cell, mark in zip(cells, behind, strict=True)]
        if any(self.spreads):
            width = max(map(len, self.spreads))
            behind = [
                f" {PLUS_MINUS} {spread:>{width}}" if spread else NO_MARK * (3 + width) for spread in self.spreads
            ]
            cells = [f"{cell}{spread}" for cell, spread in zip(cells, behind, strict=True)]
        return self._replace(cells=cells, marks=(), spreads=())

    def in_markdown(self, *, bold: bool) -> TextColumn:
        """The same column with cells and marks in Markdown, and the best one ``bold`` if that is wanted."""
        cells = [
            f"**{markdown_text(cell)}**" if bold and cell == self.best else markdown_text(cell) for cell in self.cells
        ]
        marks = [markdown_text(mark) for mark in self.marks]
        return self._replace(name=markdown_text(self.head), cells=cells, marks=marks)

    @property
    def width(self) -> int:
        """The width in columns of a terminal, with the space after it; tabulate adds two columns to a head."""
        heads = [display_width(line) + (0 if self.narrow else 2) for line in self.name.split("\n")]
        cells = [line for cell in (self.last, *self.marked().cells) for line in cell.split("\n")]
        return max(*heads, *map(display_width, cells)) + SPACE

    def narrowed(self) -> TextColumn:
        r"""The same column, with its head in several lines if it is wider than the cells.

        >>> TextColumn("before_perfect", ["0.25"], True, "", "").narrowed().name
        'before_\nperfect'
        """
        cells = [display_width(cell) for cell in (self.last, *self.marked().cells)]
        *groups, head = self.name.split("\n")
        width = max([*cells, *(display_width(part.rstrip()) for part in _PARTS.findall(head))])
        return self._replace(name="\n".join([*groups, *broken(head, width)]), narrow=True)

    def wrapped(self, width: int) -> TextColumn:
        """The same column with cells in lines of a width."""
        cells = ["\n".join(broken(cell, width)) for cell in (*self.cells, self.last)]
        return self._replace(cells=cells[:-1], last=cells[-1])

    @property
    def priority(self) -> int:
        """The priority of the declaration: columns with the highest are left out first."""
        return 0 if self.declared is None else self.declared.priority


def text_columns(table: Table, digits: int) -> list[TextColumn]:
    """The columns of a table for people; the two ends of an interval become one column."""
    visible = {name: column for name, column in table.columns.items() if name not in {*table.keys, *table.hidden}}
    pairs = {low: (head, high) for head, (low, high) in table.intervals.items() if {low, high} <= visible.keys()}
    joined = {high for _, high in pairs.values()}
    of_people, target_row = list[TextColumn](), table.target_row or {}
    for name, column in visible.items():
        if name in pairs:
            interval, high = pairs[name]
            ends = zip(column, visible[high], strict=True)
            cells = [_interval(low, top, digits, signed=name in table.signed) for low, top in ends]
            quantity, _, level = interval.partition(" ")
            of = table.declared.get(quantity) or SHARED.get(quantity)
            head = f"{of.head} {level}" if of and of.head else interval
            latex = f"{of.latex_head}, {latex_cell(level)}" if of else latex_cell(interval.replace("_", " "))
            of_people.append(TextColumn(head, cells, True, interval, latex, "", table.declared.get(name)))
        elif name not in joined:
            cells = [_cell(value, digits, signed=name in table.signed) for value in column]
            declared = table.declared.get(name) or SHARED.get(name)
            head = declared.text_head if declared else name
            latex = declared.latex_head if declared else latex_cell(name.replace("_", " "))
            last = number(target_row[name], digits) if name in target_row else ""
            head = "\n".join(map(printable, (table.groups.get(name, ""), head) if table.groups else (head,)))
            right, best = is_numeric(column), None if name in table.best_elsewhere else _best(declared, column, cells)
            marks = table.marks.get(name, ())
            spreads = ["" if isnan(spread) else number(spread, digits) for spread in table.spreads.get(name, ())]
            of_people.append(TextColumn(head, cells, right, name, latex, last, declared, marks, best, spreads))
    return of_people


def _cell(value: Any, digits: int, *, signed: bool) -> str:
    """A value as text, with a mark after the name of a highlighted run."""
    if isinstance(value, list):
        return " ".join(_cell(part, digits, signed=False) for part in value)
    text = with_sign(value, digits, signed=signed)
    return f"{text} {HIGHLIGHT}" if is_highlighted(value) else text


def _interval(low: Any, high: Any, digits: int, *, signed: bool) -> str:
    """Both ends in one cell; ranks are written ``1 to 14``, and no interval ``-``."""
    if isinstance(low, int) and isinstance(high, int):
        return f"{low}" if low == high else f"{low} to {high}"
    ends = [with_sign(end, digits, signed=signed) for end in (low, high)]
    return "-" if ends == ["-", "-"] else f"[{ends[0]}, {ends[1]}]"


def _best(declared: Column[Any] | None, values: Sequence[Any], cells: Sequence[str]) -> str | None:
    """The cell of the best value of a column; None if no value is better than the others."""
    better = declared.better if declared is not None else ""
    numbers = [
        (value, cell)
        for value, cell in zip(values, cells, strict=True)
        if isinstance(value, float | int) and not isinstance(value, bool) and not isnan(value)
    ]
    if not better or len({cell for _, cell in numbers}) < 2:
        return None
    return (max if better == "more" else min)(numbers)[1]
