"""The records that every format of score files is read into, one per value, and the arrays that they fill."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.score_means import SUMMARIES, missing_means, wrong_means
from biasvar_cli.readers.text import NUMBER, finite_number, shown
from biasvar_cli.scores import natural_order

_LONGEST = 1000
_MOST_EMPTY = 50


class Record(NamedTuple):
    """One value of a file: ``text`` as it is there, ``column`` as a message calls its place in the line."""

    line: int | None
    run: str
    measure: str | None
    query: str
    text: str
    column: str


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The scores in a file, of one run or of several.

    ``values`` has the shape (n_runs, n_measures, n_queries), in the measures' own units, and is nan where the file has
    no value. ``runs`` and ``measures`` are in the order of the file, ``queries`` in natural order; a measure is
    spelled as `measures.canonical` does, and None where the file does not say it. Where ``numbered`` is true the query
    ids are row numbers, since the file has none.
    """

    path: str
    runs: tuple[str, ...]
    measures: tuple[str | None, ...]
    queries: tuple[str, ...]
    values: FloatArray
    numbered: bool
    oddities: tuple[Oddity, ...]


class _Layout(NamedTuple):
    """Records by number: ``places`` has the shape (n_records, 3) and indexes runs, measures and queries."""

    runs: list[str]
    measures: list[str | None]
    queries: list[str]
    places: IntArray
    values: FloatArray
    lines: list[int | None]
    rounding: float  # how far the printed mean may be from the mean of the printed values


def assemble(
    records: Iterable[Record], path: str, *, numbered: bool = False, means_expected: bool = False
) -> ScoreFile:
    """The arrays that records fill; rows of means (``all``, ``amean``) are compared with their queries and left out.

    ``means_expected`` makes a run without such rows an oddity. Raises `DataError` for a value that is no finite number,
    for one given twice, and for a run that has means only.

    >>> file = assemble([Record(1, "bm25", "AP", "301", "0.25", "value")], "bm25.txt")
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    layout = _layout(records, path)
    _refuse_repeats(layout, path)
    cube = _cube(layout, path)
    place = {query: index for index, query in enumerate(layout.queries)}
    ordered = natural_order([query for query in layout.queries if query not in SUMMARIES])
    rows: FloatArray = cube[:, :, [place[query] for query in ordered]]
    scored: BoolArray = np.any(~np.isnan(rows), axis=2)
    for run in np.flatnonzero(~scored.any(axis=1)):
        remedy = "evaluate again with -q, which prints every query"
        raise DataError(f"has only the averages of {shown(layout.runs[run])}; {remedy}", path=path)
    kept = np.flatnonzero(scored.any(axis=0))
    measures = tuple(layout.measures[index] for index in kept)
    oddities = _odd_means(layout, rows, cube, means_expected)
    return ScoreFile(path, tuple(layout.runs), measures, tuple(ordered), rows[:, kept], numbered, tuple(oddities))


def is_fraction(text: str) -> bool:
    """Whether a text is a number that is not whole, so no id.

    >>> is_fraction("0.25"), is_fraction("301"), is_fraction("301.0"), is_fraction("bm25")
    (True, False, False, False)
    """
    return bool(NUMBER.fullmatch(text)) and not float(text).is_integer()


def _layout(records: Iterable[Record], path: str) -> _Layout:
    runs: dict[str, int] = {}
    measures: dict[str | None, int] = {}
    queries: dict[str, int] = {}
    places, values, lines = [], [], []
    decimals = {True: 0, False: 0}
    for record in records:
        line, run, measure, query, text, column = record
        if not (run and query and len(query) < _LONGEST):
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
        mean = query in SUMMARIES
        decimals[mean] = max(decimals[mean], _decimals(text))
    if not values:
        raise DataError("the file has no scores", path=path)
    rounding = sum(0.5 * 10.0**-digits for digits in decimals.values())
    return _Layout(
        list(runs), list(measures), list(queries), np.array(places), np.array(values, dtype=np.float64), lines, rounding
    )


def _decimals(text: str) -> int:
    """How many decimals a number is printed with; many for one with an exponent."""
    return 16 if "e" in text or "E" in text else len(text.partition(".")[2])


def _refuse_repeats(layout: _Layout, path: str) -> None:
    """Raise `DataError` if a run, measure and query are given twice, naming both lines."""
    order = np.lexsort((np.arange(len(layout.places)), *layout.places.T))
    ordered = layout.places[order]
    again = order[1:][(ordered[1:] == ordered[:-1]).all(axis=1)]
    if not len(again):
        return
    second = int(again.min())
    first = layout.lines[int(np.flatnonzero((layout.places == layout.places[second]).all(axis=1))[0])]
    earlier = "" if first is None else f", first in line {first}"
    at_run, measure, at_query = layout.places[second]
    run, query = shown(layout.runs[at_run]), shown(layout.queries[at_query])
    raise DataError(
        f"{layout.measures[measure] or 'the score'} of {run} on query {query} is given twice{earlier}; keep one",
        path=path,
        line=layout.lines[second],
    )


def _cube(layout: _Layout, path: str) -> FloatArray:
    """The values as an array of the shape (n_runs, n_measures, n_queries), nan where there is none."""
    shape = (len(layout.runs), len(layout.measures), len(layout.queries))
    if math.prod(shape) > max(10_000_000, _MOST_EMPTY * len(layout.values)):
        found = f"{shape[0]} runs, {shape[1]} measures and {shape[2]} queries"
        raise DataError(f"{len(layout.values)} scores for {found}: the columns contain something else", path=path)
    cube = np.full(shape, np.nan)
    cube[tuple(layout.places.T)] = layout.values
    return cube


def _odd_means(layout: _Layout, rows: FloatArray, cube: FloatArray, expected: bool) -> list[Oddity]:
    """What is odd in the rows of means; ``rows`` are those of the queries, ``cube`` all."""
    found = []
    there = np.full(cube.shape[:2], np.nan)
    for label in SUMMARIES:
        if label in layout.queries:
            means = cube[:, :, layout.queries.index(label)]
            there = np.where(np.isnan(there), means, there)
            found += wrong_means(layout.runs, layout.measures, rows, means, label, rounding=layout.rounding)
    return found + missing_means(layout.runs, layout.measures, rows, there) if expected else found
