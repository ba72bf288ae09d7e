"""What the readers of score files give: the scores of runs on queries, checked, in arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.score_aside import set_aside
from biasvar_cli.readers.score_layout import Layout, Record, cube_of, layout_of, refuse_repeats
from biasvar_cli.readers.score_means import SUMMARIES, missing_means, wrong_means
from biasvar_cli.readers.score_ranges import refuse_out_of_range
from biasvar_cli.readers.text import NUMBER, shown
from biasvar_cli.scores import natural_order
from biasvar_cli.words import examples

Means = Literal["usual", "optional", "expected"]
_NO_MEASURES = "columns not named as measures left out; -m NAME reads one, --orient queries takes all columns for runs"


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The scores in a file, of one run or of several.

    ``values`` has the shape (n_runs, n_measures, n_queries), in the measures' own units, and is nan where the file has
    no value. ``runs`` and ``measures`` are in the order of the file, ``queries`` in natural order; a measure is
    spelled as `measures.canonical` does, and None where the file does not say it. Where ``numbered`` is true the query
    ids are row numbers, since the file has none. ``is_run`` is true where the file names no run and is one itself.
    ``others`` are those of the measures whose names are no measure's, beside some that are: they are read if asked for.
    """

    path: str
    runs: tuple[str, ...]
    measures: tuple[str | None, ...]
    queries: tuple[str, ...]
    values: FloatArray
    numbered: bool
    oddities: tuple[Oddity, ...]
    is_run: bool = False
    others: tuple[str, ...] = ()

    def others_but(self, chosen: Collection[str | None]) -> tuple[Oddity, ...]:
        """The oddity of columns whose names are no measure's, but for the chosen ones."""
        names = [name for name in self.others if name not in chosen]
        return (Oddity(_NO_MEASURES, self.path, 0, examples(names), "file"),) if names else ()

    def named(self, name: str, *oddities: Oddity) -> ScoreFile:
        """A file that is one run, under another name, with further oddities."""
        renamed = [odd._replace(where=name) if odd.where == self.runs[0] else odd for odd in self.oddities]
        return replace(self, runs=(name,), oddities=(*renamed, *oddities))


def assemble(
    records: Iterable[Record],
    path: str,
    *,
    numbered: bool = False,
    means: Means | None = None,
    runs_named: bool = True,
    allow_range: bool = False,
    remedy: str = "keep one",
    oddities: Sequence[Oddity] = (),
) -> ScoreFile:
    """The arrays that records fill, without summaries of the queries (``all``, ``mean``) or of the runs.

    ``means`` says which program wrote the file: one that prints rows of means where others have a query, ``usual``, or
    one that always does, so that a run without them is an oddity, ``expected``, or one that can be told not to, so that
    the same is a notice where there are none at all, ``optional``. Such rows are compared with their
    queries and left out; without ``means`` see `score_aside.set_aside`. ``runs_named`` is false where the file is the
    run. ``remedy`` is for values that are given twice, ``oddities`` those found before.

    Raises `DataError` for a value that is no finite number, for one given twice, for one out of the range of its
    measure unless ``allow_range``, and for a run that has means only.

    >>> file = assemble([Record(1, "bm25", "AP", "301", "0.25", "value")], "bm25.txt")
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    layout = layout_of(records, path)
    refuse_repeats(layout, remedy)
    return assembled(
        layout, numbered=numbered, means=means, runs_named=runs_named, allow_range=allow_range, oddities=oddities
    )


def assembled(
    layout: Layout,
    *,
    numbered: bool = False,
    means: Means | None = None,
    runs_named: bool = True,
    allow_range: bool = False,
    oddities: Sequence[Oddity] = (),
) -> ScoreFile:
    """`assemble` of records by number, none of which is given twice."""
    path, cube = layout.path, cube_of(layout)
    kept = set_aside(layout, cube, runs_named=runs_named, printed=means is not None)
    if not allow_range:
        refuse_out_of_range(layout, kept)
    place = {layout.queries[index]: index for index in kept.queries}
    ordered = natural_order(place)
    rows: FloatArray = cube[kept.runs][:, :, [place[query] for query in ordered]]
    scored: BoolArray = np.any(~np.isnan(rows), axis=2)
    runs = [layout.runs[index] for index in kept.runs]
    for run in np.flatnonzero(~scored.any(axis=1)):
        evaluate = "evaluate again with -q, which prints every query"
        raise DataError(f"has only the averages of {shown(runs[run])}; {evaluate}", path=path)
    there = np.flatnonzero(scored.any(axis=0))
    measures = tuple(layout.measures[index] for index in there)
    found = (*oddities, *kept.oddities, *_odd_means(layout, rows, cube, means))
    return ScoreFile(path, tuple(runs), measures, tuple(ordered), rows[:, there], numbered, found, not runs_named)


def is_fraction(text: str) -> bool:
    """Whether a text is a number that is not whole, so no id.

    >>> is_fraction("0.25"), is_fraction("301"), is_fraction("301.0"), is_fraction("bm25")
    (True, False, False, False)
    """
    return bool(NUMBER.fullmatch(text)) and not float(text).is_integer()


def _odd_means(layout: Layout, rows: FloatArray, cube: FloatArray, means: Means | None) -> list[Oddity]:
    """What is odd in the rows of means that a program printed; ``rows`` are those of the queries, ``cube`` all."""
    if means is None:
        return []
    found = []
    there = np.full(cube.shape[:2], np.nan)
    printed = layout.belongs(2, [layout.queries.index(name) for name in SUMMARIES if name in layout.queries])
    rounding = layout.rounding(printed) + layout.rounding(~printed)
    for label in SUMMARIES:
        if label in layout.queries:
            given = cube[:, :, layout.queries.index(label)]
            there = np.where(np.isnan(there), given, there)
            found += wrong_means(layout.runs, layout.measures, rows, given, label, rounding=rounding)
    if means == "usual":
        return found
    left_out = means == "optional" and bool(np.isnan(there).all())
    return found + missing_means(layout.runs, layout.measures, rows, there, left_out=left_out)
