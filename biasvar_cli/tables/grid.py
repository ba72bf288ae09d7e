"""Cells as lines: columns of text, or a table of markdown, aligned by what characters take of a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

SPACE = 2  # between columns of text
_HEAD = 2  # by which a column is wider than its head, at least
_WIDE = frozenset("WF")  # of Unicode's annex 11, East Asian Width
_NO_WIDTH = frozenset({"Mn", "Me", "Cf"})  # marks on another character, and what only formats


def display_width(text: str) -> int:
    """The columns of a terminal that a text takes: two for wide characters of East Asia, none for combining marks.

    Python's tables of Unicode tell, so that a table has the same bytes whatever else is installed.

    >>> display_width("bm25"), display_width("実行一"), display_width("e\\u0301")
    (4, 6, 1)
    """
    if text.isascii():
        return len(text)
    visible = (character for character in text if unicodedata.category(character) not in _NO_WIDTH)
    return sum(2 if unicodedata.east_asian_width(character) in _WIDE else 1 for character in visible)


def text_lines(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    last: Sequence[str] | None = None,
    *,
    ruled: bool = True,
) -> list[str]:
    """Heads, a rule, and rows; ``last`` is a row below a second rule. Heads may have several lines.

    ``right`` says which columns are set to the right. Only ``ruled`` lines have rules.

    >>> print("\\n".join(text_lines(["run", "mean"], [["実行一", "0.25"], ["bm25", "0.3"]], [False, True])))
    run       mean
    ------  ------
    実行一    0.25
    bm25       0.3
    """
    bottom = [] if last is None else [last]
    widths = _widths(heads, [*rows, *bottom])
    rule = [["-" * width for width in widths]] if ruled else []
    head_lines = zip(*(head.split("\n") for head in heads), strict=True)
    lines = [*head_lines, *rule, *rows, *(rule if bottom else []), *bottom]
    return [(" " * SPACE).join(_padded(line, widths, right)).rstrip() for line in lines]


def markdown_lines(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """A table of GitHub's markdown, whose source is aligned too.

    >>> print("\\n".join(markdown_lines(["run", "mean"], [["bm25", "0.25"]], [False, True])))
    | run   |   mean |
    |-------|--------|
    | bm25  |   0.25 |
    """
    widths = _widths(heads, rows)
    first, *body = (f"| {' | '.join(_padded(row, widths, right))} |" for row in [heads, *rows])
    return [first, f"|{'|'.join('-' * (width + 2) for width in widths)}|", *body]


def column_width(head: str, cells: Iterable[str]) -> int:
    """How wide a column is: its widest cell, or the widest line of its head and a little more."""
    return max(max(map(display_width, head.split("\n"))) + _HEAD, *map(display_width, cells), 0)


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    columns = zip(*rows, strict=True) if rows else [()] * len(heads)
    return [column_width(head, column) for head, column in zip(heads, columns, strict=True)]


def _padded(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    blanks = [" " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]
    return [blank + cell if end else cell + blank for cell, blank, end in zip(row, blanks, right, strict=True)]
