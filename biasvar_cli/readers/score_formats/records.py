"""What the readers of score files give: the scores of runs on queries, checked, in arrays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, out_of_range
from biasvar_cli.errors import DataError
from biasvar_cli.measures import range_words, value_range
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.score_formats.layout import Layout, cube_of
from biasvar_cli.readers.score_formats.summary_rows import Means, Remainder, odd_means, without_summaries
from biasvar_cli.readers.text import shown
from biasvar_cli.scores import natural_order
from biasvar_cli.words import examples

ALLOW = "--allow-range reads the values as they are"
AVERAGES = "evaluate again with -q, which prints every query"
_NO_MEASURES = "columns not named as measures left out; -m NAME reads one, --orient queries takes all columns for runs"


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The scores in a file, of one run or of several.

    ``values`` has the shape (n_runs, n_measures, n_queries), in the measures' own units, and is nan where the file has
    no value. ``runs`` and ``measures`` are in the order of the file, ``queries`` in natural order; a measure is
    spelled as `measures.canonical` does, and None where the file does not say it. Where ``numbered`` is true the query
    ids are row numbers, since the file has none. ``is_run`` is true where the file names no run and is one itself;
    ``tags`` are then the run tags in it. ``others`` are those of the measures whose names are no measure's, beside
    some that are: they are read if asked for.
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
    tags: tuple[str, ...] = ()

    def others_but(self, chosen: Collection[str | None]) -> tuple[Oddity, ...]:
        """The oddity of columns whose names are no measure's, but for the chosen ones."""
        names = [name for name in self.others if name not in chosen]
        return (Oddity(_NO_MEASURES, self.path, 0, examples(names), "file"),) if names else ()

    def named(self, name: str, *oddities: Oddity) -> ScoreFile:
        """A file that is one run, under another name, with further oddities."""
        renamed = [odd._replace(where=name) if odd.where == self.runs[0] else odd for odd in self.oddities]
        return replace(self, runs=(name,), oddities=(*renamed, *oddities))


def assemble(
    layout: Layout,
    *,
    numbered: bool = False,
    means: Means | None = None,
    runs_named: bool = True,
    allow_range: bool = False,
    oddities: Sequence[Oddity] = (),
) -> ScoreFile:
    """The arrays that records fill, without summaries of the queries (``all``, ``mean``) or of the runs.

    ``means`` says which program wrote the file: one that prints rows of means where others have a query, ``usual``, or
    one that always does, so that a run without them is an oddity, ``expected``, or one that can be told not to, so that
    the same is a notice where there are none at all, ``optional``. Such rows are compared with their
    queries and left out; without ``means`` see `summary_rows.without_summaries`. ``runs_named`` is false where the file
    is the run. ``oddities`` are those found before.

    Raises `DataError` for a value out of the range of its measure unless ``allow_range``, and for a run that has means
    only.

    >>> from biasvar_cli.readers.score_formats.layout import Record, layout_of
    >>> file = assemble(layout_of([Record(1, "bm25", "AP", "301", "0.25", "value")], "bm25.txt"))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    path, cube = layout.path, cube_of(layout)
    remainder = without_summaries(layout, cube, runs_named=runs_named, printed=means is not None)
    if not allow_range:
        _refuse_out_of_range(layout, remainder)
    number = {layout.queries[index]: index for index in remainder.queries}
    ordered = natural_order(number)
    rows: FloatArray = cube[np.ix_(remainder.runs, range(len(layout.measures)), [number[query] for query in ordered])]
    scored: BoolArray = np.any(~np.isnan(rows), axis=2)
    runs = [layout.runs[index] for index in remainder.runs]
    for run in np.flatnonzero(~scored.any(axis=1)):
        raise DataError(f"has only the averages of {shown(runs[run])}; {AVERAGES}", path=path)
    there = np.flatnonzero(scored.any(axis=0))
    measures = tuple(layout.measures[index] for index in there)
    of_means = odd_means(layout, runs, rows, cube[remainder.runs], means) if means else []
    all_oddities = (*oddities, *remainder.oddities, *of_means)
    values = rows if len(there) == len(layout.measures) else rows[:, there]
    return ScoreFile(path, tuple(runs), measures, tuple(ordered), values, numbered, all_oddities, not runs_named)


def _refuse_out_of_range(layout: Layout, remainder: Remainder) -> None:
    """Raise `DataError` for the first score in the file that its measure cannot have, by `measures.value_range`."""
    for index, measure in enumerate(layout.measures):
        bounds = value_range(measure) if measure is not None else None
        if bounds is None:
            continue
        outside = out_of_range(layout.values, bounds) & (layout.places[:, 1] == index)
        if outside.any():
            outside &= layout.belongs(0, remainder.runs) & layout.belongs(2, remainder.queries)
        if outside.any():
            first = int(np.flatnonzero(outside)[0])
            value = layout.values[first]
            percent = "divide percentages by 100; " if bounds[1] == 1 and value > 1 else ""
            what = f"{layout.name_of(first)} is {value:.10g}, but {range_words(str(measure))}"
            raise DataError(f"{what}; {percent}{ALLOW}", path=layout.path, line=layout.lines[first])


def whole_numbers_among_fractions(values: FloatArray) -> int | None:
    """The first row that has whole numbers alone, one of them above 1, where all other rows are from 0 to 1.

    Such a row of a matrix, shape (n, m), counts something or is made of ids. None if there is none, or if the others
    have no fractions.

    >>> whole_numbers_among_fractions(np.array([[0.25, 0.5], [301, 302]]))
    1
    """
    with np.errstate(invalid="ignore"):
        whole: BoolArray = np.all(np.isnan(values) | (values == np.round(values)), axis=1)
        suspect = whole & (np.nan_to_num(values).max(axis=1) > 1)
        others = values[~suspect]
        usual = others.size > 0 and np.nanmin(others) >= 0 and np.nanmax(others) <= 1
        if suspect.any() and usual and np.any(others != np.round(others), where=~np.isnan(others)):
            return int(np.flatnonzero(suspect)[0])
    return None
