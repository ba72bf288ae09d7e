"""The rows of a table: which rows are shown, in which order, and whether this order is reliable.

The reliability of an order is Kendall's tau between the orders on random halves of the queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import chain
from math import isnan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import numpy as np

from biasvar_cli.arrays import equalised
from biasvar_cli.errors import UsageError, warn
from biasvar_cli.tables.column import Cells, Column, Declared, added_by, expanded
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.tables.rounding import in_words, num
from biasvar_cli.tables.table import Table, direction_notes, measure_words, share_words
from biasvar_cli.words import QUERIES, RANKED, RUNS, USUAL_NOUNS, argument, counted, in_nouns, is_highlighted, listed

if TYPE_CHECKING:
    from biasvar_cli.decomposition.decompose import TargetedScores
    from biasvar_cli.decomposition.reliability import SplitHalf
    from biasvar_cli.score_matrix import Replicates


@dataclass(frozen=True, kw_only=True)
class View:
    """Which rows of a table to show, in which order and format. No choice here changes a number.

    Attributes
    ----------
    sort
        A column, with a minus before it for descending order, or None for the default order.
    top
        The number of rows, None for all.
    table
        The name of one of several tables of an analysis.
    format
        One of `render.FORMATS`.
    best_first
        Whether the best row comes first in the default order. None stands for true if people read the format or there
        is a ``top``, so that the top rows are the same in every format; rows for scripts are in order of their names.

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
        """Whether the format is for people, with sentences."""
        return FORMATS[self.format].for_people

    @property
    def rows_alone(self) -> bool:
        """Whether the format has only rows."""
        return FORMATS[self.format].rows_alone

    @property
    def for_json(self) -> bool:
        """Whether the format is JSON, which has all tables of the answer."""
        return self.format == "json"

    @property
    def is_best_first(self) -> bool:
        """Whether the best row comes first in the default order."""
        return self.for_people or self.top is not None if self.best_first is None else self.best_first


def row_order(
    columns: Mapping[str, Sequence[Any]], column: str, *, names: str = "run", declared: Declared[Any] = ()
) -> list[int]:
    """The rows in ascending order of a column, or descending for ``-COLUMN``; rows without a value come last.

    Rows with equal values are in order of the column ``names``, or keep their order if that is empty. Raises
    `UsageError` for an unknown column; the message uses ``declared``, the columns that the table may have.

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
    """The first rows of an order and, for people, the rows of highlighted runs among the rest.

    >>> from biasvar_cli.words import RunName
    >>> cells = Cells({"run": ["A", "B", RunName("C", highlighted=True)]}, {})
    >>> rows_of(cells, [0, 1, 2], View(top=1)).below, rows_of(cells, [0, 1, 2], View(top=1, format="csv")).columns
    ((('C', 3),), {'run': ['A']})
    """
    runs = cells.columns.get("run", [])
    if view.top is None or not view.for_people:
        return cells.rows(order[: view.top])
    of_runs = len(set(runs)) == len(runs)
    below = [row for row in range(view.top, len(order)) if runs and of_runs and is_highlighted(runs[order[row]])]
    rows = [*order[: view.top], *(order[row] for row in below)]
    elsewhere = {name for name, column in cells.declared.items() if not _has_best(column, cells.columns[name], rows)}
    return cells.rows(rows)._replace(
        below=tuple((runs[order[row]], row + 1) for row in below),
        n_rows=len(order),
        best_elsewhere=frozenset(elsewhere),
    )


def _has_best(column: Column[Any], values: Sequence[Any], rows: Sequence[int]) -> bool:
    """Whether the best value of a column is in some rows; true if the column has no best value.

    >>> mean = Column("mean", "the mean score", better="more")
    >>> _has_best(mean, [0.2, 0.5, 0.5], [0, 2]), _has_best(mean, [0.2, 0.5, None], [0, 2])
    (True, False)
    """
    numbers = [value for value in values if isinstance(value, float | int) and not isnan(value)]
    if not column.better or not numbers:
        return True
    best = max(numbers) if (column.better == "more") != column.turned else min(numbers)
    return best in [values[row] for row in rows]


def chosen_rows(cells: Cells, view: View, *, names: str, declared: Declared[Any] = ()) -> Cells:
    """The rows of a view, in the order of the cells if the view has none. Raises what `row_order` raises.

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
    """A note on the number of rows if ``top`` leaves some out; ``noun`` names the rows if all numbers are of all rows.

    >>> [*top_note(3, 143, "run"), *top_note(3, 8), *top_note(3, 3)]
    ['3 of 143 runs shown; every number is of all 143.', '3 of 8 rows shown; --top changes no number.']
    """
    if top is None or top >= n:
        return ()
    after = f"every number is of all {n}" if noun else "--top changes no number"
    return (f"{top} of {counted(n, noun or 'row')} shown; {after}.",)


_Rest = ParamSpec("_Rest")
_TableOf = Callable[Concatenate[Any, _Rest], Table]


def with_row_notes(
    path: str, *notes: str | Callable[[Any], Iterable[str]], details: tuple[str, ...] = ()
) -> Callable[[_TableOf[_Rest]], _TableOf[_Rest]]:
    """A decorator of a function that makes the table of an answer; it adds notes on the rows.

    A note says when less of the measure is better. For systems of several runs, notes say how many runs each has and
    which numbers are computed from means over them, and JSON lists the runs.

    Parameters
    ----------
    path
        The attribute of the answer that is the score matrix.
    notes
        Sentences on systems of several runs, or functions from the answer to sentences.
    details
        Sentences on systems of several runs that ``--notes full`` adds.
    """
    matrix, in_usual_runs = (
        attrgetter(path),
        partial(in_nouns, runs=False),
    )  # "runs" are the runs of a system here, whatever the rows are called

    def decorated(table_of: _TableOf[_Rest]) -> _TableOf[_Rest]:
        @wraps(table_of)
        def table(answer: Any, /, *arguments: _Rest.args, **named: _Rest.kwargs) -> Table:
            scores = matrix(answer)
            made = table_of(answer, *arguments, **named)
            made = replace(made, notes=(*made.notes, *direction_notes(scores.measure, scores.better)))
            replicates: Replicates | None = scores.replicates
            if replicates is None:
                return made
            lists = ((note,) if isinstance(note, str) else note(answer) for note in notes)
            sentences = map(in_usual_runs, chain.from_iterable(lists))
            return replace(
                made,
                notes=(
                    *made.notes,
                    row_note(sizes_words(replicates)),
                    *sentences,
                ),
                details=(*made.details, *map(in_usual_runs, details), *member_notes(replicates)),
                document={**made.document, "systems": {name: list(runs) for name, runs in replicates.members.items()}},
            )

        return table

    return decorated


def row_note(sizes: str) -> str:
    """A sentence on the number of systems, the number of their runs, and their scores."""
    return f"Rows are systems: {sizes}. Scores are means over these runs."


def sizes_words(replicates: Replicates) -> str:
    """The number of systems and of their runs, in words.

    >>> import numpy as np
    >>> from biasvar_cli.score_matrix import Replicates, ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3], [0.5], [0.4]]), ("A-1", "A-2", "B"), ("q1",), "AP")
    >>> sizes_words(Replicates(runs, {"A-1": "A", "A-2": "A", "B": "B"}))
    '2 systems with 1 to 2 runs each (3 runs in all)'
    """
    least, most = int(replicates.sizes.min()), int(replicates.sizes.max())
    systems, runs = counted(len(replicates.sizes), "system"), counted(replicates.runs.n_runs, "run", USUAL_NOUNS)
    most_runs = counted(most, "run", USUAL_NOUNS)
    if len(replicates.sizes) == 1:
        return f"{systems} with {runs}"
    number = most_runs if least == most else f"{least} to {most_runs}"
    return f"{systems} with {number} each ({runs} in all)"


def member_notes(replicates: Replicates) -> Iterator[str]:
    """A note that lists the runs of each system of several runs."""
    several = [f"{name} ({listed(runs, None)})" for name, runs in replicates.members.items() if len(runs) > 1]
    if several:
        yield f"Systems of several runs: {'; '.join(several)}."


_CHANCE = 0.3
_LEAST_HALF = 5  # queries, or clusters of queries; with fewer there is a note on the order, and no warning
_RANKS_LIKE = {"mean": "bias", "rank": "total"}


def ranked_by(sort: str) -> str | None:
    """The column of a row order, without its direction; None for a column that the halves do not rank by.

    >>> ranked_by("-mean"), ranked_by("run")
    ('mean', None)
    """
    name = sort.removeprefix("-")
    return name if _RANKS_LIKE.get(name, name) in RANKED else None


def is_chance(halves: SplitHalf, sort: str) -> bool:
    """Whether the order of the rows is close to chance; false for halves of very few queries, which cannot show it."""
    name = ranked_by(sort)
    return name is not None and halves.half >= _LEAST_HALF and _tau(halves, name) < _CHANCE


def order_notes(halves: SplitHalf, sort: str) -> Iterator[str]:
    """A note on the share of the pairs of runs that two halves of the queries order differently; none if undefined.

    The order is by the column of the rows, or by total if the halves do not rank by that column. The share is
    (1 - tau) / 2, which is exact without ties.
    """
    name = ranked_by(sort) or "total"
    tau = _tau(halves, name)
    if halves.half < 2 or isnan(tau):
        return
    other = "total" if name in ("var", "var_gap") else "var"
    beside = _tau(halves, other)
    others = "" if isnan(beside) else f" (by {other}: {_changed(beside)})"
    pairs = _changed(tau).replace("none", "no")
    change = "changes" if pairs.startswith("1 in") else "change"
    yield f"Split-half check: {pairs} pairs of {RUNS} {change} order by {name}{others}."


def order_warning(halves: SplitHalf, name: str, remedy: str) -> str:
    """The warning of an order by ``name`` that is close to chance; it names the order by mean if that is not."""
    text = _unreliable(halves, name)
    if _RANKS_LIKE.get(name, name) != "bias" and halves.bias >= _CHANCE:
        return f"{text} (by mean {_changed(halves.bias)}{remedy})"
    return f"{text}; more {QUERIES} are needed (biasvar sensitivity)"


def chance_note(halves: SplitHalf, name: str) -> str:
    """A sentence on an order that is close to chance."""
    text = _unreliable(halves, name)
    return f"{text[0].upper()}{text[1:]} (two random orders: {_changed(0)})."


def _unreliable(halves: SplitHalf, name: str) -> str:
    """The statement that an order is not reliable."""
    pairs = f"{_changed(_tau(halves, name))} pairs of {RUNS}"
    return f"the order by {name} is not reliable: two random halves of the {QUERIES} order {pairs} differently"


def _changed(tau: float) -> str:
    """The share of the pairs of runs that two rankings order differently, by Kendall's tau between them."""
    return share_words((1 - tau) / 2)


def warn_of_chance(halves: SplitHalf, sort: str, targeted: TargetedScores, *, remedy: str = "") -> None:
    """Warn of rows in an order that is close to chance; ``remedy`` says how to order them by mean."""
    name = ranked_by(sort)
    if name is not None and is_chance(halves, sort):
        evaluation = f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}"
        warn(f"{evaluation}: {in_words(order_warning(halves, name, remedy), 2)}")


def order_details(halves: SplitHalf) -> Iterator[str]:
    """A note with Kendall's tau between the orders on two halves of the queries, by every column."""
    if halves.half > 1:
        taus = ", ".join(f"by {name} {num(getattr(halves, name))}" for name in RANKED)
        half = counted(halves.half, "cluster" if halves.of_clusters else "query")
        yield (
            f"Kendall's tau of the orders between random halves of the {QUERIES}, {half} each "
            f"(mean of {halves.n_splits} splits): {taus}"
        )


def _tau(halves: SplitHalf, name: str) -> float:
    tau: float = getattr(halves, _RANKS_LIKE.get(name, name))
    return tau
