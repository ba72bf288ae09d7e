"""The records that every format of score files is read into, one for each value, and the same by number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.text import finite_number, shown

LONGEST = 1000  # characters of a query id
_MOST_EMPTY = 50


class Record(NamedTuple):
    """One value of a file: its ``text``, and ``column``, what a message calls its place in the line."""

    line: int | None
    run: str
    measure: str | None
    query: str
    text: str
    column: str


class Layout(NamedTuple):
    """Records by number: ``places`` has the shape (n_records, 3) and indexes runs, measures and queries.

    ``decimals`` are those that each value is printed with, many for one with an exponent.
    """

    path: str
    runs: list[str]
    measures: list[str | None]
    queries: list[str]
    places: IntArray
    values: FloatArray
    lines: Sequence[int | None]
    decimals: IntArray

    def belongs(self, axis: int, chosen: Sequence[int]) -> BoolArray:
        """Which records are of the chosen runs (axis 0), measures or queries."""
        is_chosen: BoolArray = np.zeros(len((self.runs, self.measures, self.queries)[axis]), dtype=bool)
        is_chosen[list(chosen)] = True
        return is_chosen[self.places[:, axis]]

    def rounding(self, chosen: BoolArray) -> float:
        """How far the chosen records may be from what was printed, by their decimals."""
        return float(0.5 * 10.0 ** -self.decimals[chosen].max(initial=0))

    def name_of(self, record: int) -> str:
        """A record as a message calls it: ``AP of bm25 on query 301``."""
        run, measure, query = self.places[record]
        what = self.measures[measure] or "the score"
        return f"{what} of {shown(self.runs[run])} on query {shown(self.queries[query])}"


def layout_of(records: Iterable[Record], path: str, remedy: str = "keep one") -> Layout:
    """The records by number.

    Raises `DataError` for a value that is no finite number, for one given twice, with this ``remedy``, and for a name
    that is empty.
    """
    runs: dict[str, int] = {}
    measures: dict[str | None, int] = {}
    queries: dict[str, int] = {}
    places, values, lines, decimals = [], [], [], []
    for line, run, measure, query, text, column in records:
        if not (run and query and len(query) < LONGEST):
            what = "name of the run" if not run else "query id"
            raise DataError(f"the {what} is {'too long' if run and query else 'empty'}", path=path, line=line)
        values.append(finite_number(text, column, path, line))
        places.append(
            (
                runs.setdefault(run, len(runs)),
                measures.setdefault(measure, len(measures)),
                queries.setdefault(query, len(queries)),
            )
        )
        lines.append(line)
        decimals.append(16 if "e" in text or "E" in text else len(text.partition(".")[2]))
    if not values:
        raise DataError("the file has no scores", path=path)
    columns = np.array(places), np.array(values, dtype=np.float64), lines, np.array(decimals)
    layout = Layout(path, list(runs), list(measures), list(queries), *columns)
    _refuse_repeats(layout, remedy)
    return layout


def _refuse_repeats(layout: Layout, remedy: str) -> None:
    """Raise `DataError` if a run, measure and query are given twice, naming both lines."""
    order = np.lexsort((np.arange(len(layout.places)), *layout.places.T))
    ordered = layout.places[order]
    again = order[1:][(ordered[1:] == ordered[:-1]).all(axis=1)]
    if not len(again):
        return
    second = int(again.min())
    first = layout.lines[int(np.flatnonzero((layout.places == layout.places[second]).all(axis=1))[0])]
    earlier = "" if first is None else f", first in line {first}"
    what = f"{layout.name_of(second)} is given twice{earlier}"
    raise DataError(f"{what}; {remedy}", path=layout.path, line=layout.lines[second])


def cube_of(layout: Layout) -> FloatArray:
    """The values as an array of the shape (n_runs, n_measures, n_queries), nan where there is none."""
    shape = (len(layout.runs), len(layout.measures), len(layout.queries))
    if math.prod(shape) > max(10_000_000, _MOST_EMPTY * len(layout.values)):
        sizes = f"{shape[0]} runs, {shape[1]} measures and {shape[2]} queries"
        raise DataError(
            f"{len(layout.values)} scores for {sizes}: the columns contain something else", path=layout.path
        )
    cube = np.full(shape, np.nan)
    cube[tuple(layout.places.T)] = layout.values
    return cube
