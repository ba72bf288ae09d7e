"""What stands among the runs and the queries of a file and is neither: summaries of them, which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.score_layout import Layout
from biasvar_cli.readers.score_means import SUMMARIES, missing_topics, with_missing
from biasvar_cli.readers.score_summaries import equals_summary, summary, summed_up
from biasvar_cli.readers.text import shown
from biasvar_cli.words import examples


class Messages(NamedTuple):
    """The numbers of the runs and the queries that are left, and what is to be said of the others."""

    runs: list[int]
    queries: list[int]
    oddities: list[Oddity]


class _Summary(NamedTuple):
    """A row or a column that is called as a summary: the ``number`` of a run (axis 0) or of a query (axis 2).

    ``records`` are its own values beside the runs and queries that are left, ``others`` are theirs.
    """

    name: str
    axis: Literal[0, 2]
    number: int
    records: BoolArray
    others: BoolArray


def set_aside(layout: Layout, cube: FloatArray, *, runs_named: bool, printed: bool) -> Messages:
    """Leave out runs and queries that are called as a summary is and equal that summary of the others.

    Without ``runs_named`` the file itself is the run, whatever its name. ``printed``: the program that wrote the file
    prints its rows of means, which are looked at elsewhere. Raises `DataError` for a row or a column of such a name
    that does not equal the summary.
    """
    expected = SUMMARIES if printed else ()
    queried = [index for index, name in enumerate(layout.queries) if name not in expected]
    queries = [index for index in queried if summary(layout.queries[index]) is None]
    runs = [index for index, name in enumerate(layout.runs) if not (runs_named and summary(name))]
    if not runs:
        what = f"the only run is called {shown(layout.runs[0])}, as a summary of runs is"
        raise DataError(f"{what}; give it another name, or add the runs", path=layout.path)
    if not queries:
        return Messages(runs, queries, [])
    of_run, of_query = layout.belongs(0, runs), layout.belongs(2, queries)
    rows = cube[runs][:, :, queries]
    oddities, left_out = [], []
    for index in sorted(set(queried) - set(queries)):
        own = of_run & (layout.places[:, 2] == index)
        found = _Summary(layout.queries[index], 2, index, own, of_run & of_query)
        oddities += _of_queries(layout, found, rows, cube[runs, :, index], runs)
        left_out.append(f"{shown(found.name)} over the queries")
    for index in sorted(set(range(len(layout.runs))) - set(runs)):
        own = of_query & (layout.places[:, 0] == index)
        found = _Summary(layout.runs[index], 0, index, own, of_run & of_query)
        _check(layout, found, np.moveaxis(rows, 0, -1), cube[index][:, queries], queries)
        left_out.append(f"{shown(found.name)} over the runs")
    if left_out:
        oddities.append(Oddity("summaries left out", layout.path, 0, examples(left_out), "file"))
    return Messages(runs, queries, oddities)


def _of_queries(
    layout: Layout, found: _Summary, rows: FloatArray, given: FloatArray, runs: Sequence[int]
) -> list[Oddity]:
    """What is odd in a summary of the queries; trec_eval's ``all`` may count topics that have no row."""
    counted = np.zeros(given.shape, dtype=bool)
    if found.name in SUMMARIES:
        rounding = layout.rounding(found.records) + layout.rounding(found.others)
        counted = with_missing(layout.measures, rows, given, found.name, rounding=rounding)
    equal = _check(layout, found, rows, given, runs, or_else=counted)
    names = [layout.runs[run] for run in runs]
    return missing_topics(names, layout.measures, rows, given, found.name, counted & ~equal)


def _check(
    layout: Layout,
    found: _Summary,
    values: FloatArray,
    given: FloatArray,
    kept: Sequence[int],
    *,
    or_else: BoolArray | None = None,
) -> BoolArray:
    """Where ``given``, a summary of the values' last axis, equals it.

    Raises `DataError`, with the line, where it neither does so nor fits otherwise (``or_else``). ``kept`` are the
    numbers of the runs that a summary of the queries has, or the queries that one of the runs has.
    """
    meaning = str(summary(found.name))
    whole = not (values[~np.isnan(values)] % 1).any()  # whole numbers are not rounded ones
    slack = 0.0 if whole else layout.rounding(found.others)
    equal = equals_summary(meaning, given, values, slack=slack, printed=layout.rounding(found.records))
    there = ~np.isnan(given) & ~np.isnan(values).all(axis=-1)
    wrong = there & ~(equal if or_else is None else equal | or_else)
    if wrong.any():
        raise _other(layout, found, wrong, kept, summed_up(meaning, values))
    return equal


def _other(layout: Layout, found: _Summary, wrong: BoolArray, kept: Sequence[int], sums: FloatArray) -> DataError:
    """The error of the first record that is ``wrong``; ``wrong`` and ``sums`` have the axes of `_check`."""
    order = {index: place for place, index in enumerate(kept)}
    places = [(run, measure) if found.axis == 2 else (measure, query) for run, measure, query in layout.places.tolist()]
    for record in np.flatnonzero(found.records).tolist():
        one, two = places[record]
        at = (order[one], two) if found.axis == 2 else (one, order[two])
        if wrong[at]:
            break
    value = f"{layout.name_of(record)} is {layout.values[record]:.10g}"
    what = f"{value}, but the {summary(found.name)} of the others is {sums[at]:.10g}"
    noun = "run" if found.axis == 0 else "query"
    remedy = f"leave out {shown(found.name)} if it is a summary, or rename it if it is a {noun}"
    return DataError(f"{what}: {remedy}", path=layout.path, line=layout.lines[record])
