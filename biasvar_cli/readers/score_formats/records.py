"""What the readers of score files give: the scores of runs on queries, checked, in arrays, without summaries.

trec_eval and ir_measures print rows of means (``all``); tables of any origin have summaries of queries or of runs. Such
rows and columns are compared with what they sum up, and left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, out_of_range
from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import COUNTS, is_measure, range_words, value_range
from biasvar_cli.readers.score_formats.items import Items
from biasvar_cli.readers.score_formats.layout import Hole, Layout, cube_of
from biasvar_cli.readers.score_formats.names import (
    LAST_DIGITS,
    SUMMARIES,
    equals_summary,
    is_like_a_measure,
    summary,
    summed_up,
)
from biasvar_cli.readers.text import SCORE_ALL, quoted
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.words import argument, counted, examples, in_nouns

Means = Literal["usual", "optional", "expected"]
_NO_MEAN = "rank_first_rel"  # trec_eval 8 prints it per query only


class _ComparedMeans(NamedTuple):
    """Which printed means are ``off`` the means of the rows, and which have ``counted`` topics without a row.

    Both have the shape (n_runs, n_measures). ``missing`` is the number of these topics, shape (n_runs,), nan where
    num_q does not say how many topics there are.
    """

    off: BoolArray
    counted: BoolArray
    missing: FloatArray

    def missing_topics(self, label: str, runs: Sequence[str], means: BoolArray) -> list[Oddity]:
        """How many topics without a row the means count, for the runs with any of these ``means``."""
        what = f"the `{label}` rows count topics that have no row, as trec_eval 9 does with -c"
        indices = np.flatnonzero(means.any(axis=1)).tolist()
        return [Oddity(what, runs[index], int(self.missing[index]), "topic") for index in indices]


def _compared_means(
    measures: Sequence[str | None], rows: FloatArray, means: FloatArray, label: str, rounding: float = 0.0
) -> _ComparedMeans:
    """Compare the means in the rows of one ``label``, shape (n_runs, n_measures), with the means of the values.

    ``rows`` are the values of the queries, shape (n_runs, n_measures, n_queries); nan is no value. ``rounding`` is how
    far a printed mean may be from the mean of the printed values. The ``all`` of a count is the sum. trec_eval 9 with
    -c divides by num_q, which counts topics that it prints no row for.

    >>> _compared_means(["AP"], np.array([[[0.5, 0.25]]]), np.array([[0.5]]), "all", rounding=1e-4).off.tolist()
    [[True]]
    """
    there = ~np.isnan(rows)
    n_rows, sums = there.sum(axis=2), rows.sum(axis=2, where=there)
    names = [(name or "").partition("(")[0].partition("@")[0] for name in measures]
    summed = np.array([label == "all" and (name.startswith("num_") or name in COUNTS) for name in names])
    evaluated = np.full((len(means), 1), np.nan)
    if "NumQ" in measures:
        column = measures.index("NumQ")
        stated = np.isnan(rows[:, column]).all(axis=1) & (means[:, column] > 0)
        evaluated[stated, 0] = means[stated, column]
    tolerance = np.where(summed, 0.0, rounding) + LAST_DIGITS * (1 + np.abs(means))
    with np.errstate(all="ignore"):
        off = (n_rows > 0) & (np.abs(means - np.where(summed, sums, sums / n_rows)) > tolerance)
        fits = np.where(summed, means >= sums, np.abs(means - sums / evaluated) <= tolerance)
        return _ComparedMeans(off, (evaluated > n_rows) & fits, evaluated[:, 0] - n_rows.max(axis=1))


def _odd_means(layout: Layout, runs: Sequence[str], rows: FloatArray, cube: FloatArray, means: Means) -> list[Oddity]:
    """What is odd in the rows of means that a program printed for ``runs``.

    ``rows``, shape (n_runs, n_measures, n_queries), are the values of the queries, ``cube`` those of means as well.

    ``means`` says what the program prints, as in `records.assemble`. A measure with values on queries and no row of
    means shows that the file is cut off, or is a notice where the program can be told to print none.
    """
    oddities: list[Oddity] = []
    any_mean = np.full(cube.shape[:2], np.nan)
    printed = layout.belongs(2, [layout.queries.index(name) for name in SUMMARIES if name in layout.queries])
    rounding = layout.rounding(printed) + layout.rounding(~printed)
    for label in SUMMARIES:
        if label in layout.queries:
            stated = cube[:, :, layout.queries.index(label)]
            any_mean = np.where(np.isnan(any_mean), stated, any_mean)
            compared = _compared_means(layout.measures, rows, stated, label, rounding)
            oddities += compared.missing_topics(label, runs, compared.off & compared.counted)
            numbers = (compared.off & ~compared.counted).sum(axis=1).tolist()
            oddities += _odd(f"the `{label}` rows are not the means of the others", runs, numbers)
    if means == "usual":
        return oddities
    lacking = ~np.isnan(rows).all(axis=2) & np.isnan(any_mean)
    numbers = lacking[:, [measure != _NO_MEAN for measure in layout.measures]].sum(axis=1).tolist()
    if means == "optional" and np.isnan(any_mean).all():
        return oddities + _odd("no `all` rows", runs, numbers, notice="no `all` rows")
    return oddities + _odd("no `all` row, so the file may be cut off", runs, numbers)


def _odd(what: str, runs: Sequence[str], numbers: Sequence[int], notice: str = "") -> list[Oddity]:
    """The oddities of the runs in which a number of measures is odd."""
    return [
        Oddity(what, run, number, "measure", notice=notice) for run, number in zip(runs, numbers, strict=True) if number
    ]


class _Summary(NamedTuple):
    """A row or a column with the name of a summary: a run (axis 0) or a query (axis 2).

    ``records`` are its own values beside the runs and queries that are no summaries, ``others`` the values of these.
    ``members`` are the numbers of the runs that a summary of the queries has, or of the queries that one of the runs
    has.
    """

    name: str
    axis: Literal[0, 2]
    records: BoolArray
    others: BoolArray
    members: Sequence[int]


def _without_summaries(
    layout: Layout, cube: FloatArray, *, runs_named: bool, printed: bool
) -> tuple[list[int], list[int], list[Oddity]]:
    """The numbers of the runs and of the queries that are no summaries, and the oddities of the summaries.

    A summary is called as one is and equals that summary of the others.

    Without ``runs_named`` the file itself is the run, whatever its name. ``printed``: the program that wrote the file
    prints its rows of means, for which see `_odd_means`. Raises `DataError` for a row or a column of such a name
    that does not equal the summary.
    """
    expected = SUMMARIES if printed else ()
    queried = [index for index, name in enumerate(layout.queries) if name not in expected]
    queries = [index for index in queried if summary(layout.queries[index]) is None]
    runs = [index for index, name in enumerate(layout.runs) if not (runs_named and summary(name))]
    if not runs:
        what = f"the only run is called {quoted(layout.runs[0])}, as a summary of runs is"
        raise DataError(f"{what}; give it another name, or add the runs", path=layout.path)
    if not queries or (len(runs) == len(layout.runs) and len(queries) == len(queried)):
        return runs, queries, []
    of_run, of_query = layout.belongs(0, runs), layout.belongs(2, queries)
    rows = cube[runs][:, :, queries]
    names_of_runs = [layout.runs[run] for run in runs]
    oddities, names = [], []
    for index in sorted(set(queried) - set(queries)):
        entries = of_run & (layout.indices[:, 2] == index)
        part = _Summary(layout.queries[index], 2, entries, of_run & of_query, runs)
        rounding = layout.rounding(part.records) + layout.rounding(part.others)
        stated = cube[runs, :, index]
        compared = _compared_means(layout.measures, rows, stated, part.name, rounding)
        counted = compared.counted & (part.name in SUMMARIES)  # trec_eval's all may count topics without a row
        equal = _equal(layout, part, rows, stated, counted)
        oddities += compared.missing_topics(part.name, names_of_runs, counted & ~equal)
        names.append(f"{quoted(part.name)} over the queries")
    for index in sorted(set(range(len(layout.runs))) - set(runs)):
        entries = of_query & (layout.indices[:, 0] == index)
        part = _Summary(layout.runs[index], 0, entries, of_run & of_query, queries)
        _equal(layout, part, np.moveaxis(rows, 0, -1), cube[index][:, queries])
        names.append(f"{quoted(part.name)} over the runs")
    return runs, queries, [*oddities, Oddity("summaries left out", layout.path, 0, examples(names), "file")]


def _equal(
    layout: Layout, part: _Summary, values: FloatArray, stated: FloatArray, otherwise: BoolArray | bool = False
) -> BoolArray:
    """Where ``stated``, a summary of the values' last axis, equals it.

    Raises `DataError`, with the line of the first such record, where it neither does so nor fits ``otherwise``.
    """
    meaning = str(summary(part.name))
    whole = not (values[~np.isnan(values)] % 1).any()  # whole numbers are not rounded ones
    slack = 0.0 if whole else layout.rounding(part.others)
    equal = equals_summary(meaning, stated, values, slack=slack, printed=layout.rounding(part.records))
    wrong = ~np.isnan(stated) & ~np.isnan(values).all(axis=-1) & ~(equal | otherwise)
    if not wrong.any():
        return equal
    order = {index: number for number, index in enumerate(part.members)}
    for record in np.flatnonzero(part.records).tolist():
        run, measure, query = layout.indices[record].tolist()
        at = (order[run], measure) if part.axis == 2 else (measure, order[query])
        if wrong[at]:
            break
    expected = summed_up(meaning, values)[at]
    what = (
        f"{layout.name_of(record)} is {layout.values[record]:.10g}, but the {meaning} of the others is {expected:.10g}"
    )
    noun = "run" if part.axis == 0 else "query"
    remedy = f"leave out {quoted(part.name)} if it is a summary, or rename it if it is a {noun}"
    raise DataError(f"{what}: {remedy}", path=layout.path, line=layout.lines[record])


ALLOW = f"{argument(allow_range=True)} reads the values as they are"
AVERAGES = "evaluate again with -q, which prints every query"
_NO_MEASURES = (
    f"columns not named as measures left out; {argument('measure NAME')} reads one, {argument(orient='queries')} takes "
    "all columns for runs"
)


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The scores in a file, of one run or of several.

    ``values`` has the shape (n_runs, n_measures, n_queries), in the units of the measures, and is nan where the file
    has no value. ``runs`` and ``measures`` are in the order of the file, ``queries`` in natural order; a measure is
    spelled as `measures.canonical` does, and None where the file does not say it. Where ``numbered`` is true the query
    ids are row numbers, since the file has none. ``is_run`` is true where the file names no run and is one itself;
    ``tags`` are then the run tags in it. ``others`` are measures with unknown names in a file that has known measures
    too: they are read if asked for. ``holes`` are the cells without a score. Where ``is_part`` is true other files may
    have further queries of its run. Where ``absent_is_zero`` is true a run found nothing for a query that it lacks, as
    TREC counts; where false the query was not run; None leaves it to the names of the measures, see `zero`. ``items``
    are the facts in the file about the item of each query. ``model`` is the model by which the file names its runs,
    as other files may do; empty for others.
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
    holes: tuple[Hole, ...] = ()
    is_part: bool = False
    absent_is_zero: bool | None = None
    items: Items = field(default_factory=dict)
    model: str = ""

    def zero(self, measure: str | None) -> bool:
        """Whether a score that a run lacks is 0: by a measure of rankings, or by none that the file names."""
        if self.absent_is_zero is None:
            return measure is None or is_like_a_measure(measure)
        return self.absent_is_zero

    @property
    def may_lack_items(self) -> bool:
        """Whether a query that a run lacks was not run, whatever the measure."""
        return not any(map(self.zero, self.measures))

    def first_hole(self, chosen: Collection[str | None]) -> DataError | None:
        """The error of the first cell without a score under the chosen measures; None where there is none."""
        hole = next((hole for hole in self.holes if hole.measure in chosen), None)
        if hole is None:
            return None
        may_be_zero = self.absent_is_zero is not False and hole.measure is not None and is_measure(hole.measure)
        remedy = f"{SCORE_ALL}, 0 if nothing was found" if may_be_zero else SCORE_ALL
        otherwise = f"{argument(topics='intersection')} leaves out those without"
        return DataError(f"{hole.what}; {remedy}; {otherwise}", path=self.path, line=hole.line)

    def holes_of(self, chosen: Collection[str | None]) -> list[Oddity]:
        """The oddities of the runs that lack scores under the chosen measures; they name the queries."""
        queries: dict[str, set[str]] = {}
        for hole in self.holes:
            if hole.measure in chosen:
                queries.setdefault(self.runs[0] if self.is_run else hole.run, set()).add(hole.query)
        left_out = in_nouns("no score for a query, left out of all runs")
        what = f"{left_out} ({argument(topics='intersection')})"
        return [
            Oddity(what, run, 0, f"{counted(len(lacking), 'query')}: {examples(natural_order(lacking))}")
            for run, lacking in queries.items()
        ]

    def others_but(self, chosen: Collection[str | None]) -> tuple[Oddity, ...]:
        """The oddity of columns whose names are no measure's, but for the chosen ones."""
        names = [name for name in self.others if name not in chosen and not self.is_part]
        return (Oddity(_NO_MEASURES, self.path, 0, examples(names), "file"),) if names else ()

    def named(self, name: str, *oddities: Oddity) -> ScoreFile:
        """A file that is one run, under another name, with further oddities."""
        renamed = [odd._replace(where=name) if odd.where == self.runs[0] else odd for odd in self.oddities]
        return replace(self, runs=(name,), oddities=(*renamed, *oddities))

    def with_model(self, name: str) -> ScoreFile:
        """A file whose runs are called by another name than that of the model."""
        called = {run: f"{name}{run.removeprefix(self.model)}" for run in self.runs}
        oddities = tuple(odd._replace(where=called.get(odd.where, odd.where)) for odd in self.oddities)
        holes = tuple(hole._replace(run=called.get(hole.run, hole.run)) for hole in self.holes)
        return replace(self, runs=tuple(called.values()), oddities=oddities, holes=holes)


def assemble(
    layout: Layout,
    *,
    numbered: bool = False,
    means: Means | None = None,
    runs_named: bool = True,
    allow_range: bool = False,
    wanted: Collection[str | None] = (),
    oddities: Sequence[Oddity] = (),
) -> ScoreFile:
    """The arrays that records fill, without summaries of the queries (``all``, ``mean``) or of the runs.

    ``means`` says which program wrote the file: one that prints rows of means where others have a query, ``usual``, or
    one that always does, so that a run without them is an oddity, ``expected``, or one that can be told not to, so that
    the same is a notice where there are none at all, ``optional``. Such rows are compared with their
    queries and left out; without ``means`` see `_without_summaries`. ``runs_named`` is false where the file is the run.
    ``oddities`` are those found before.

    Raises `DataError` for a value out of the range of its measure unless ``allow_range``, and for a run that has means
    only. A range is that of the measures ``wanted``, of all where none is.

    >>> from biasvar_cli.readers.score_formats.layout import Record, layout_of
    >>> file = assemble(layout_of([Record(1, "bm25", "AP", "301", "0.25", "value")], "bm25.txt"))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    path, cube = layout.path, cube_of(layout)
    run_rows, query_columns, summed = _without_summaries(layout, cube, runs_named=runs_named, printed=means is not None)
    if not allow_range:
        _refuse_out_of_range(layout, run_rows, query_columns, wanted)
    number = {layout.queries[index]: index for index in query_columns}
    ordered = natural_order(number)
    rows: FloatArray = cube[np.ix_(run_rows, range(len(layout.measures)), [number[query] for query in ordered])]
    scored: BoolArray = np.any(~np.isnan(rows), axis=2)
    runs = [layout.runs[index] for index in run_rows]
    with_holes = {hole.run for hole in layout.holes}
    for run in np.flatnonzero(~scored.any(axis=1)):
        if runs[run] not in with_holes:
            raise DataError(f"has only the averages of {quoted(runs[run])}; {AVERAGES}", path=path)
    there = np.flatnonzero(scored.any(axis=0) | ~scored.any())
    measures = tuple(layout.measures[index] for index in there)
    of_means = _odd_means(layout, runs, rows, cube[run_rows], means) if means else []
    all_oddities = (*oddities, *summed, *of_means)
    values = rows if len(there) == len(layout.measures) else rows[:, there]
    is_run, holes = not runs_named, tuple(layout.holes)
    return ScoreFile(path, tuple(runs), measures, tuple(ordered), values, numbered, all_oddities, is_run, holes=holes)


def _refuse_out_of_range(
    layout: Layout, runs: Sequence[int], queries: Sequence[int], wanted: Collection[str | None]
) -> None:
    """Raise `DataError` for the first score of these runs and queries that its measure, a wanted one, cannot have."""
    for index, measure in enumerate(layout.measures):
        bounds = value_range(measure) if measure is not None else None
        if bounds is None or (wanted and measure not in wanted):
            continue
        outside = out_of_range(layout.values, bounds) & (layout.indices[:, 1] == index)
        if outside.any():
            outside &= layout.belongs(0, runs) & layout.belongs(2, queries)
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
        others = others[~np.isnan(others)]
        usual = others.size > 0 and others.min() >= 0 and others.max() <= 1
        if suspect.any() and usual and np.any(others != np.round(others)):
            return int(np.flatnonzero(suspect)[0])
    return None
