"""Which rows of a table are shown, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasvar_cli.arrays import equalised
from biasvar_cli.errors import UsageError
from biasvar_cli.tables.column import Cells, Column, Declared, added_by, expanded
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.words import argument, counted, is_highlighted


@dataclass(frozen=True, kw_only=True)
class View:
    """Which rows of a table to show, in which order and format: no choice here changes a number.

    ``sort`` is a column, behind a minus for descending order, or None for the usual order; ``top`` is how many rows,
    None for all. ``table`` is that of an analysis with several tables. ``format`` is one of `render.FORMATS`. In the
    usual order the best row comes first with ``best_first``. Where that is None, it does so for people, and where only
    the ``top`` rows are wanted, which are the same in every format; scripts look rows up by name.

    >>> View().is_best_first, View(format="csv").is_best_first, View(format="csv", top=5).is_best_first
    (True, False, True)
    """

    sort: str | None = None
    top: int | None = None
    table: str = ""
    format: str = "text"
    best_first: bool | None = None

    @property
    def for_people(self) -> bool:
        """Whether people read the format, who are shown sentences."""
        return FORMATS[self.format].for_people

    @property
    def rows_alone(self) -> bool:
        """Whether the format has no place for anything but the rows."""
        return FORMATS[self.format].rows_alone

    @property
    def for_json(self) -> bool:
        """Whether the whole result is wanted, with all of its tables."""
        return self.format == "json"

    @property
    def is_best_first(self) -> bool:
        """Whether the best row comes first where no order is asked for."""
        return self.for_people or self.top is not None if self.best_first is None else self.best_first


def row_order(
    columns: Mapping[str, Sequence[Any]], column: str, *, names: str = "run", declared: Declared[Any] = ()
) -> list[int]:
    """The rows in ascending order of a column, or descending for ``-COLUMN``; rows without a value come last.

    Equal rows are in order of the column ``names``, or as they are where that is empty. Raises `UsageError` for a
    column that is not there; ``declared`` are all that there may be.

    >>> row_order({"run": ["B", "A", "C"], "mean": [0.5, 0.5, 0.7]}, "-mean")
    [2, 1, 0]
    >>> row_order({"run": ["B", "A", "C"], "rank": [2, 2, None]}, "rank", names="")
    [0, 1, 2]
    """
    name, descending = column.removeprefix("-"), column.startswith("-")
    keys = {key.name for key in declared if isinstance(key, Column) and key.key}
    if name not in columns or name in keys:
        hint = (
            added_by(name, expanded(declared))
            or f"the columns are {', '.join(name for name in columns if name not in keys)}"
        )
        raise UsageError(f"{argument(sort=column)}: there is no column {name}; {hint}")
    values = columns[name]
    if all(isinstance(value, float) for value in values):
        values = equalised(np.array(values)).tolist()
    by_name = list(range(len(values)))
    if names:
        by_name.sort(key=lambda index: str(columns[names][index]))
    undefined = [index for index in by_name if values[index] is None or values[index] != values[index]]
    defined = [index for index in by_name if values[index] is not None and values[index] == values[index]]
    return sorted(defined, key=lambda index: values[index], reverse=descending) + undefined


def rows_of(cells: Cells, order: Sequence[int], view: View) -> Cells:
    """The first rows of an order; people are shown those of highlighted runs below them, where rows are runs.

    >>> from biasvar_cli.words import RunName
    >>> cells = Cells({"run": ["A", "B", RunName("C", highlighted=True)]}, {})
    >>> rows_of(cells, [0, 1, 2], View(top=1)).below, rows_of(cells, [0, 1, 2], View(top=1, format="csv")).columns
    ((('C', 3),), {'run': ['A']})
    """
    runs = cells.columns.get("run", [])
    if view.top is None or not view.for_people or len(set(runs)) < len(runs):
        return cells.rows(order[: view.top])
    below = [row for row in range(view.top, len(order)) if runs and is_highlighted(runs[order[row]])]
    rows = cells.rows([*order[: view.top], *(order[row] for row in below)])
    return rows._replace(below=tuple((runs[order[row]], row + 1) for row in below))


def chosen_rows(cells: Cells, view: View, *, names: str, declared: Declared[Any] = ()) -> Cells:
    """The rows of a view; where it has no order, that of the cells. Raises what `row_order` raises.

    >>> from biasvar_cli.tables.column import Column, filled
    >>> cells = filled([Column("run", "the run", lambda _: ["B", "A"])], None)
    >>> chosen_rows(cells, View(sort="run", top=1), names="run").columns
    {'run': ['A']}
    """
    order = list(range(len(next(iter(cells.columns.values()), []))))
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names=names, declared=declared)
    return rows_of(cells, order, view)


def top_note(top: int | None, n: int, noun: str = "") -> tuple[str, ...]:
    """How many rows are shown, where ``top`` leaves some out; ``noun`` is what the numbers are of, if the rows are.

    >>> [*top_note(3, 143, "run"), *top_note(3, 8), *top_note(3, 3)]
    ['3 of 143 runs shown; every number is of all 143.', '3 of 8 rows shown; --top changes no number.']
    """
    if top is None or top >= n:
        return ()
    after = f"every number is of all {n}" if noun else "--top changes no number"
    return (f"{top} of {counted(n, noun or 'row')} shown; {after}.",)
