"""Tables in LaTeX, for the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from biasvar_cli.tables.layout import FILE_WIDTH, PLUS_MINUS, Layout, TextColumn, latex_cell, text_columns, wrapped

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table


def latex(tables: Sequence[Table], layout: Layout) -> str:
    """LaTeX tables for the package booktabs, with captions; verdict and notes are comments."""
    return layout.joined(tables, _as_latex, _comments(layout.last_lines(tables)))


def _as_latex(table: Table, layout: Layout) -> Iterator[list[str]]:
    """The blocks of a table in LaTeX: verdict and notes as comments before it."""
    for part in layout.parts(table):
        lines = _comments(map(layout.words, (*part.verdict, *part.notes)))
        yield [*lines, *([_latex_table(part, layout)] if part.columns else [])]
    if layout.notes == "full":
        yield _comments(map(layout.words, layout.details(table)))
    yield []


def _comments(lines: Iterable[str]) -> list[str]:
    return [f"% {part}" for line in lines for part in wrapped(line, FILE_WIDTH)]


def _latex_table(table: Table, layout: Layout) -> str:
    """A table with its caption and label, the best value of each column in bold."""
    columns = text_columns(table, layout.digits)
    rows = [list(row) for row in zip(*(_cells(table, column) for column in columns), strict=True)]
    last = None if table.target_row is None else [latex_cell(column.last) for column in columns]
    groups = [latex_cell(table.groups.get(column.column_name, "")) for column in columns]
    heads, numeric = zip(*((column.latex_head, column.right) for column in columns), strict=True)
    body = tabular(heads, rows, last, numeric, groups)
    words = [layout.words(table.title).removesuffix(".")]
    words += ["Bold: the best value in each column of this table"] if any(column.best for column in columns) else []
    notes = (*layout.highlight_notes(table, [table]), *table.caption)
    words += [layout.words(note).removesuffix(".") for note in notes]
    keys = [str(table.columns[key][0] or "") for key in table.keys if table.columns[key]]
    label = table_label(table.name, *keys) if table.name else ""
    return floated(body, " ".join(f"{_with_star(part)}." for part in words), label)


def _cells(table: Table, column: TextColumn) -> list[str]:
    """The cells of a column in LaTeX; what names a column of another table has its head."""
    declared = table.declared.get(column.column_name)
    headings = declared.cell_headings if declared else {}
    cells = []
    for cell, mark in zip(column.cells, column.marks or [""] * len(column.cells), strict=True):
        word = headings.get(cell) or latex_cell(cell)
        cells.append(f"\\textbf{{{word}}}{_with_star(mark)}" if column.best == cell else f"{word}{_with_star(mark)}")
    return _with_spreads(cells, column.spreads)


def _with_spreads(cells: Sequence[str], spreads: Sequence[str]) -> list[str]:
    r"""Cells with what is behind ±; one without it leaves as much space as the longest, so that cells stand in line.

    >>> print(*_with_spreads(["0.33", "0.25"], ["0.06", ""]), sep=" & ")
    0.33 $\pm$ 0.06 & 0.25\phantom{ $\pm$ 0.06}
    """
    behind = [f" {latex_cell(PLUS_MINUS)} {spread}" if spread else "" for spread in spreads]
    blank = f"\\phantom{{{max(behind, key=len)}}}" if any(behind) else ""
    return [f"{cell}{spread or blank}" for cell, spread in zip(cells, behind or [""] * len(cells), strict=True)]


def _with_star(text: str) -> str:
    """Words in LaTeX; an asterisk before them, or alone, is a mark."""
    mark, rest = ("$^{*}$", text[1:]) if text == "*" or text.startswith("* ") else ("", text)
    return f"{mark}{latex_cell(rest)}"


def floated(body: str, caption: str, label: str) -> str:
    r"""A tabular as a table with its caption, which LaTeX has already, and its label, unless that is empty.

    >>> print(floated("...", "Two runs.", "tab:runs"))
    \begin{table}
    \centering
    \caption{Two runs.}
    \label{tab:runs}
    ...
    \end{table}
    """
    named = [f"\\label{{{label}}}"] if label else []
    return "\n".join(["\\begin{table}", "\\centering", f"\\caption{{{caption}}}", *named, body, "\\end{table}"])


def table_label(*words: str) -> str:
    """A label of words, in which letters and digits alone are kept.

    >>> table_label("decompose", "nDCG@10", "best:0.9")
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
    r"""Heads and rounded cells, both as LaTeX has them, as a tabular.

    ``last`` is a row under a rule of its own, or None; ``numeric`` says which columns are set to the right. ``groups``
    are what stands over the heads, "" for nothing; equal ones next to each other are one.

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
    r"""The row over the heads, and the rules under its cells; nothing without groups.

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
    """One row; an empty group keeps the end of the row above from taking a first ``[`` or ``*`` for its own."""
    padded = [
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    ]
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return f" {guard}{' & '.join(padded)} \\\\"
