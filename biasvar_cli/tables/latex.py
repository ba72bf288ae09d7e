"""Tables in LaTeX, which need the package booktabs, and amssymb for the mark of runs below the best one.

A table is set in the largest type that fits one column of an article in two columns (`sized`). A column is 229 points
wide in LaTeX's own article with letters of 10 points; ACM's and IEEE's are wider. A table that is too wide in any type
spans both columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from biasvar_cli.tables.layout import (
    FILE_WIDTH,
    HIGHLIGHT,
    PLUS_MINUS,
    Layout,
    TextColumn,
    latex_cell,
    text_columns,
    wrapped,
)
from biasvar_cli.words import argument, listed

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table


_COLUMN, _PAGE = 229.0, 469.0  # points
# Commands for a table, the width of letters relative to letters of 10 points, and the space on either side of a column.
_SIZES = (
    ("", 1.0, 6.0),
    ("\\small", 0.925, 6.0),
    ("\\small\\setlength{\\tabcolsep}{3pt}", 0.925, 3.0),
    ("\\footnotesize\\setlength{\\tabcolsep}{3pt}", 0.85, 3.0),
)
_SMALLEST = "\\scriptsize\\setlength{\\tabcolsep}{2pt}"
_NARROW, _WIDE = "ijltfrI.,:;|!'()[]-/ ", "mwMW@%"
_COMMANDS = re.compile(r"\\([a-zA-Z]+)|[${}^\\]")
_P = re.compile(r"\bp (\\textless\{\}|=) 0?(\.?\d+)")


def latex(tables: Sequence[Table], layout: Layout) -> str:
    """LaTeX tables with captions; verdict and notes are comments."""
    return layout.joined(tables, _as_latex, _comments(layout.last_lines(tables)))


def _as_latex(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in LaTeX, with verdict and notes as comments before the table."""
    for part in layout.parts(table):
        lines = _comments(map(layout.words, (*part.verdict, *part.notes)))
        yield [*lines, *(_latex_table(part, layout) if part.columns else [])]
    if layout.notes == "full":
        yield _comments(map(layout.words, layout.details(table)))
    yield []


def _comments(lines: Iterable[str]) -> list[str]:
    return [f"% {part}" for line in lines for part in wrapped(line, FILE_WIDTH)]


def _latex_table(table: Table, layout: Layout) -> list[str]:
    """A table with its caption and label, the best value of each column in bold, and a comment if it is wide."""
    columns = text_columns(table, layout.digits)
    rows = [list(row) for row in zip(*(_cells(table, column) for column in columns), strict=True)]
    last = None if table.target_row is None else [latex_cell(column.last) for column in columns]
    groups = [latex_cell(table.groups.get(column.column_name, "")) for column in columns]
    heads, numeric = zip(*((column.latex_head, column.right) for column in columns), strict=True)
    body = tabular(heads, rows, last, numeric, groups)
    words = [layout.words(table.title).removesuffix(".")]
    if any(column.best for column in columns):
        of_all = "" if table.n_rows is None else f", of all {table.n_rows} rows"
        words.append(f"Bold: the best value in each column{of_all}")
    if table.below:
        words.append(f"Below the first rows: {listed(f'{name} (number {row})' for name, row in table.below)}")
    words += [layout.words(note).removesuffix(".") for note in table.caption]
    keys = [str(table.columns[key][0] or "") for key in table.keys if table.columns[key]]
    label = _table_label(table.name, *keys) if table.name else ""
    size, spans = sized(columns)
    wide = ["This table spans both columns of an article in two columns."] if spans else []
    if size == _SMALLEST:
        wide.append(layout.words(f"It may be wider than they are; {argument('columns')} chooses fewer columns."))
    return [
        *_comments(wide),
        _floated(body, " ".join(f"{_sentence(part)}." for part in words), label, size=size, spans=spans),
    ]


def sized(columns: Sequence[TextColumn]) -> tuple[str, bool]:
    r"""The largest size of letters in which a table fits, and whether it spans both columns of the page.

    >>> def columns(width): return [TextColumn("n" * width, ["0" * width], True, "n", "n")] * 4
    >>> for width in (9, 11, 12, 13): print(*sized(columns(width)))
     False
    \small\setlength{\tabcolsep}{3pt} False
    \footnotesize\setlength{\tabcolsep}{3pt} False
     True
    """
    natural = sum(_points(column) for column in columns)
    for limit in (_COLUMN, _PAGE):
        for size, factor, space in _SIZES:
            if factor * natural + 2 * space * len(columns) <= limit:
                return size, limit == _PAGE
    return _SMALLEST, True


def _points(column: TextColumn) -> float:
    """The approximate width of a column in points, in letters of 10 points."""
    behind = [f"{mark} {spread}" if spread else mark for mark, spread in zip_longest(column.marks, column.spreads)]
    longest = max(map(_text_points, behind), default=0.0)
    cells = [_text_points(cell) * (1.15 if cell == column.best else 1.0) for cell in (*column.cells, column.last)]
    head = _COMMANDS.sub(lambda match: "n" if match[1] else "", column.latex_head)
    return max(_text_points(head), max(cells) + longest)


def _text_points(text: str) -> float:
    """The approximate width of text in points, in letters of 10 points.

    >>> round(_text_points("bm25"), 1), round(_text_points("il."), 1)
    (24.4, 9.6)
    """
    return sum(map(_sign_points, text))


def _sign_points(sign: str) -> float:
    if sign in _NARROW:
        return 3.2
    if sign in _WIDE:
        return 8.8
    return 7.2 if sign.isupper() or sign == "_" else 5.0 if sign.isdecimal() or sign in "aceosz" else 5.6


def _cells(table: Table, column: TextColumn) -> list[str]:
    """The cells of a column in LaTeX; a cell that names a column has that column's LaTeX head."""
    declared = table.declared.get(column.column_name)
    headings = declared.cell_headings if declared else {}
    cells = []
    for cell in column.cells:
        name = cell.removesuffix(f" {HIGHLIGHT}")
        word = headings.get(cell) or _with_star(name)
        cells.append(f"\\textbf{{{word}}}" if column.best == cell or name != cell else word)
    return _with_spreads(_with_marks(cells, column.marks), column.spreads)


def _with_marks(cells: Sequence[str], marks: Sequence[str]) -> list[str]:
    r"""Cells with their marks, and space for the longest mark behind each cell, so that decimal points are aligned.

    >>> print(*_with_marks(["0.33", "0.25"], ["", "▽"]), sep=" & ")
    0.33\hphantom{$^{\triangledown}$} & 0.25$^{\triangledown}$
    >>> print(*_with_marks(["0.33", "0.25", "0.20"], ["bc", "c", ""]), sep=" & ")
    0.33$^{bc}$ & 0.25\rlap{$^{c}$}\hphantom{$^{bc}$} & 0.20\hphantom{$^{bc}$}
    """
    if not any(marks):
        return list(cells)
    longest = max(marks, key=lambda mark: (len(mark), mark))

    def behind(mark: str) -> str:
        if len(mark) == len(longest):
            return _raised(mark)
        return (f"\\rlap{{{_raised(mark)}}}" if mark else "") + f"\\hphantom{{{_raised(longest)}}}"

    return [f"{cell}{behind(mark)}" for cell, mark in zip(cells, marks, strict=True)]


def _raised(mark: str) -> str:
    """A mark in LaTeX: letters are raised, and other marks have commands that raise them."""
    return f"$^{{{mark}}}$" if mark.isalpha() else latex_cell(mark)


def _with_spreads(cells: Sequence[str], spreads: Sequence[str]) -> list[str]:
    r"""Cells with their spreads after ±; cells without a spread have as much space, so that numbers are aligned.

    >>> print(*_with_spreads(["0.33", "0.25"], ["0.06", ""]), sep=" & ")
    0.33 $\pm$ 0.06 & 0.25\phantom{ $\pm$ 0.06}
    """
    behind = [f" {latex_cell(PLUS_MINUS)} {spread}" if spread else "" for spread in spreads]
    blank = f"\\phantom{{{max(behind, key=len)}}}" if any(behind) else ""
    return [f"{cell}{spread or blank}" for cell, spread in zip(cells, behind or [""] * len(cells), strict=True)]


def _with_star(text: str) -> str:
    """Text in LaTeX; an asterisk at the beginning is a raised mark."""
    mark, rest = ("$^{*}$", text[1:]) if text == "*" or text.startswith("* ") else ("", text)
    return f"{mark}{latex_cell(rest)}"


def _sentence(text: str) -> str:
    r"""A sentence of a caption in LaTeX, with p-values as papers print them.

    >>> print(_sentence("A differs (p < 0.05), B does not (p = 0.31)"))
    A differs ($p<.05$), B does not ($p=.31$)
    """
    return _P.sub(lambda match: f"$p{'=' if match[1] == '=' else '<'}{match[2]}$", _with_star(text))


def _floated(body: str, caption: str, label: str, *, size: str = "", spans: bool = False) -> str:
    r"""A table with its caption, in LaTeX, and its label, unless that is empty.

    ``size`` are commands for the whole table; a table that ``spans`` both columns of an article is a ``table*``.

    >>> print(_floated("...", "Two runs.", "tab:runs"))
    \begin{table}
    \centering
    \caption{Two runs.}
    \label{tab:runs}
    ...
    \end{table}
    """
    named = [f"\\label{{{label}}}"] if label else []
    name, sizes = "table*" if spans else "table", [size] if size else []
    lines = [f"\\begin{{{name}}}", "\\centering", f"\\caption{{{caption}}}", *named, *sizes, body, f"\\end{{{name}}}"]
    return "\n".join(lines)


def _table_label(*words: str) -> str:
    """A label of words; only letters and digits are kept.

    >>> _table_label("decompose", "nDCG@10", "best:0.9")
    'tab:decompose-ndcg-10-best-0-9'
    """
    return "tab:" + re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


def tabular(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    last: Sequence[str] | None,
    numeric: Sequence[bool],
    groups: Sequence[str] = (),
) -> str:
    r"""A tabular of heads and cells, which are in LaTeX already.

    ``last`` is a row under a second rule, or None. Columns that are ``numeric`` are aligned to the right. ``groups``
    are headings over the heads, "" for none; equal neighbours are joined.

    >>> print(tabular(["run", "bias$^2$"], [["a\\_b", "0.25"]], ["target (best)", "0.00"], [False, True]))
    \begin{tabular}{lr}
    \toprule
     run           & bias$^2$ \\
    \midrule
     a\_b          &     0.25 \\
    \midrule
     target (best) &     0.00 \\
    \bottomrule
    \end{tabular}
    """
    body = [*rows, *([last] if last is not None else [])]
    widths = [max(len(row[column]) for row in [head, *body]) for column in range(len(head))]
    lines = [_line(row, widths, numeric) for row in body]
    foot = [] if last is None else ["\\midrule", lines.pop()]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}",
            "\\toprule",
            *_over(groups),
            _line(head, widths, numeric),
            "\\midrule",
            *lines,
            *foot,
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def _over(groups: Sequence[str]) -> list[str]:
    r"""The row of groups over the heads, and the rules under it; nothing without groups.

    >>> _over(["", "AP", "AP"])
    [' & \\multicolumn{2}{c}{AP} \\\\', '\\cmidrule(lr){2-3}']
    """
    if not any(groups):
        return []
    cells, rules, first = [], [], 1
    for group, same in groupby(groups):
        size = len(list(same))
        cells.append(f"\\multicolumn{{{size}}}{{c}}{{{group}}}" if group else " & " * (size - 1))
        rules += [f"\\cmidrule(lr){{{first}-{first + size - 1}}}"] if group else []
        first += size
    return [f"{' & '.join(cells)} \\\\", "".join(rules)]


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    r"""One row. ``{}`` before a first ``[`` or ``*`` keeps LaTeX from reading it as an argument of the row above."""
    padded = [
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    ]
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return f" {guard}{' & '.join(padded)} \\\\"
