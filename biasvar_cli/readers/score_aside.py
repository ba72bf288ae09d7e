"""What stands among the runs and the queries of a file and is neither: summaries of them, which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.score_layout import Layout
from biasvar_cli.readers.score_means import SUMMARIES, missing_topics, with_missing
from biasvar_cli.readers.score_summaries import equals_summary, summary, summed_up
from biasvar_cli.readers.text import shown
from biasvar_cli.words import examples


class Kept(NamedTuple):
    """The numbers of the runs and the queries that are left, and what is to be said of the others."""

    runs: list[int]
    queries: list[int]
    oddities: list[Oddity]


def set_aside(layout: Layout, cube: FloatArray, *, runs_named: bool, printed: bool) -> Kept:
    """Leave out runs and queries that are called as a summary is and equal that summary of the others.

    Without ``runs_named`` the file itself is the run, whatever its name. ``printed``: the program that wrote the file
    prints its rows of means, which are looked at elsewhere. Raises `DataError` for a row or a column of such a name
    that does not equal the summary.
    """
    expected = SUMMARIES if printed else ()
    named = [runs_named and summary(name) is not None for name in layout.runs]
    runs = [index for index, other in enumerate(named) if not other]
    queried = [index for index, name in enumerate(layout.queries) if name not in expected]
    queries = [index for index in queried if summary(layout.queries[index]) is None]
    others = sorted(set(queried) - set(queries))
    if not runs:
        what = f"the only run is called {shown(layout.runs[0])}, as a summary of runs is"
        raise DataError(f"{what}; give it another name, or add the runs", path=layout.path)
    if not queries:
        return Kept(runs, queries, [])
    oddities = []
    rows = cube[runs][:, :, queries]
    for index in others:
        oddities += _of_queries(layout, index, rows, cube[runs, :, index], runs)
    for index in np.flatnonzero(named).tolist():
        _check(layout, (index, None), np.moveaxis(rows, 0, -1), cube[index][:, queries], queries)
    left_out = [f"{shown(layout.queries[index])} over the queries" for index in others]
    left_out += [f"{shown(name)} over the runs" for name, other in zip(layout.runs, named, strict=True) if other]
    return Kept(runs, queries, oddities + _said(layout.path, left_out))


def _of_queries(layout: Layout, query: int, rows: FloatArray, given: FloatArray, runs: Sequence[int]) -> list[Oddity]:
    """What is odd in a summary of the queries; trec_eval's ``all`` may count topics that have no row."""
    name = layout.queries[query]
    counted = np.zeros(given.shape, dtype=bool)
    names = [layout.runs[run] for run in runs]
    if name in SUMMARIES:
        of_query = layout.places[:, 2] == query
        rounding = layout.rounding(of_query) + layout.rounding(~of_query)
        counted = with_missing(layout.measures, rows, given, name, rounding=rounding)
    equal = _check(layout, (None, query), rows, given, runs, or_else=counted)
    return missing_topics(names, layout.measures, rows, given, name, counted & ~equal)


def _check(
    layout: Layout,
    place: tuple[int | None, int | None],
    values: FloatArray,
    given: FloatArray,
    kept: Sequence[int],
    *,
    or_else: BoolArray | None = None,
) -> BoolArray:
    """Where ``given``, a summary of the runs or of the queries at ``place``, equals that of the values' last axis.

    Raises `DataError`, with the line, where it neither does so nor fits otherwise (``or_else``). ``kept`` are the
    numbers of the runs or the queries that are not summed up.
    """
    run, query = place
    axis, index = (0, run) if run is not None else (2, query)
    name = (layout.runs if run is not None else layout.queries)[index or 0]
    meaning = str(summary(name))
    own = layout.places[:, axis] == index
    slack, printed = layout.rounding(~own), layout.rounding(own)
    equal = equals_summary(meaning, given, values, slack=slack, printed=printed)
    there = ~np.isnan(given) & ~np.isnan(values).all(axis=-1)
    wrong = there & ~(equal if or_else is None else equal | or_else)
    if wrong.any():
        _refuse(layout, own, axis, wrong, kept, meaning, summed_up(meaning, values))
    return equal


def _refuse(
    layout: Layout, own: BoolArray, axis: int, wrong: BoolArray, kept: Sequence[int], meaning: str, sums: FloatArray
) -> None:
    """Raise the error of the first record that is ``wrong``, an array of measures and of the ``kept`` others."""
    order = {index: place for place, index in enumerate(kept)}
    for record in np.flatnonzero(own):
        run, measure, query = layout.places[record].tolist()
        other = query if axis == 0 else run
        if other not in order:
            continue
        at = (measure, order[other]) if axis == 0 else (order[other], measure)
        if wrong[at]:
            noun = "run" if axis == 0 else "query"
            name = (layout.runs if axis == 0 else layout.queries)[run if axis == 0 else query]
            found = f"{layout.name_of(int(record))} is {layout.values[record]:.10g}"
            what = f"{found}, but the {meaning} of the others is {sums[at]:.10g}"
            remedy = f"leave out {shown(name)} if it is a summary, or rename it if it is a {noun}"
            raise DataError(f"{what}: {remedy}", path=layout.path, line=layout.lines[record])


def _said(path: str, names: Sequence[str]) -> list[Oddity]:
    if not names:
        return []
    return [Oddity("summaries left out", path, 0, examples(names), "file")]
