"""A LaTeX table for the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby


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
    widths = [max(len(row[place]) for row in [head, *body]) for place in range(len(head))]
    lines = [_line(row, widths, numeric) for row in body]
    foot = [] if last is None else ["\\midrule", lines.pop()]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{''.join('r' if each else 'l' for each in numeric)}}}",
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
