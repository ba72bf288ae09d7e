"""Tables of text that are too wide: fewer columns, and heads and cells in several lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from biasvar_cli.tables.layout import SPACE, TextColumn
from biasvar_cli.tables.rounding import display_width

_FEWEST = 2  # columns that are never left out
_LEAST_TEXT = 10


def fitted(columns: Sequence[TextColumn], width: int) -> list[TextColumn]:
    """The columns that fit a width.

    Columns of high priority are left out first. If the rest is still too wide, heads are broken into several lines,
    then the columns of text are made narrower together, and finally columns are left out from the right. Two columns
    are always kept.

    >>> run, mean = TextColumn("run", ["A"], False, "run", ""), TextColumn("top group", ["*"], False, "best", "")
    >>> [column.name for column in fitted([run, mean], 18)]
    ['run', 'top group']
    >>> [column.name for column in fitted([run, mean], 10)]
    ['run', 'top\\ngroup']
    """
    visible = _of_low_priority(columns, width)
    if _total_width(visible) <= width:
        return visible
    visible = _of_low_priority([column.narrowed() for column in columns], width)
    too_wide = _total_width(visible) - width
    if too_wide > 0:
        widths = [column.width - SPACE for column in visible if not column.right]
        limits = range(max(widths, default=0), _LEAST_TEXT - 1, -1)
        saved = {limit: sum(max(0, text - limit) for text in widths) for limit in limits}
        limit = next((limit for limit in limits if saved[limit] >= too_wide), _LEAST_TEXT)
        visible = [column if column.right else column.wrapped(limit) for column in visible]
    while _total_width(visible) > width and len(visible) > _FEWEST:
        visible.pop()
    return visible


def _total_width(columns: Sequence[TextColumn]) -> int:
    """The width of a table in columns of a terminal."""
    return sum(column.width for column in columns) - SPACE


def body(columns: Sequence[TextColumn], *, ruled: bool, last: bool) -> str:
    """A table whose cells may have several lines, with rules if ``ruled``, and the ``last`` cells as a last row.

    >>> print(body([TextColumn("run", ["A"], False, "", ""), TextColumn("mean", ["0.5"], True, "", "")], ruled=True,
    ...     last=False))
    run  mean
    ---  ----
    A     0.5
    """
    widths = [column.narrowed().width - SPACE for column in columns]
    rule = ["  ".join("-" * width for width in widths)]

    def lines(row: Sequence[str], *, at_bottom: bool = False) -> Iterator[str]:
        cells = [cell.split("\n") for cell in row]
        height = max(map(len, cells))
        if at_bottom:
            cells = [[""] * (height - len(cell)) + cell for cell in cells]
        for line in zip_longest(*cells, fillvalue=""):
            blanks = [" " * (width - display_width(cell)) for cell, width in zip(line, widths, strict=True)]
            padded = [
                f"{blank}{cell}" if column.right else f"{cell}{blank}"
                for column, cell, blank in zip(columns, line, blanks, strict=True)
            ]
            yield "  ".join(padded).rstrip()

    rows = zip(*(column.marked().cells for column in columns), strict=True)
    text = [*lines([column.name for column in columns], at_bottom=True), *(rule if ruled else [])]
    text += [line for row in rows for line in lines(row)]
    if last:
        text += [*(rule if ruled else []), *lines([column.last for column in columns])]
    return "\n".join(text)


def _of_low_priority(columns: Sequence[TextColumn], width: int) -> list[TextColumn]:
    """The columns without as many of the highest priorities as the width requires; columns of priority 0 are kept."""
    visible = list(columns)
    while _total_width(visible) > width:
        last = max(reversed(visible), key=lambda column: column.priority)
        if not last.priority:
            break
        visible.remove(last)
    return visible
