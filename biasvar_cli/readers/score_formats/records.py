"""The result of the readers of score files: checked scores of runs on queries, as arrays, without summaries.

trec_eval and ir_measures print rows of means (``all``); other tables may have summaries over queries or over runs. Such
rows and columns are compared with the scores that they summarise, and left out.
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
    is_judged,
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
    """Which printed means differ from the means of the rows, and which ones can be explained by topics without a row.

    ``differs`` and ``counts_missing`` have the shape (n_runs, n_measures). ``missing`` is the number of topics without
    a row, shape (n_runs,), nan unless num_q says how many topics there are.
    """

    differs: BoolArray
    counts_missing: BoolArray
    missing: FloatArray

    def missing_topics(self, label: str, runs: Sequence[str], means: BoolArray) -> list[Oddity]:
        """The oddities of topics without a row, for the runs with any of these ``means``, (n_runs, n_measures)."""
        what = f"the `{label}` rows count topics that have no row, as trec_eval 9 does with -c"
        indices = np.flatnonzero(means.any(axis=1)).tolist()
        return [Oddity(what, runs[index], int(self.missing[index]), "topic") for index in indices]


def _compared_means(
    measures: Sequence[str | None], rows: FloatArray, means: FloatArray, label: str, rounding: float = 0.0
) -> _ComparedMeans:
    """Compare the means in the rows called ``label``, shape (n_runs, n_measures), with the values of the queries.

    ``rows`` are these values, shape (n_runs, n_measures, n_queries), nan where there is none. ``rounding`` is the
    largest difference that rounding explains. Under ``all`` a count has its sum. trec_eval 9 with -c divides by num_q,
    which counts topics without a row too.

    >>> _compared_means(["AP"], np.array([[[0.5, 0.25]]]), np.array([[0.5]]), "all", rounding=1e-4).differs.tolist()
    [[True]]
    """
    has_value = ~np.isnan(rows)
    n_rows, sums = has_value.sum(axis=2), rows.sum(axis=2, where=has_value)
    names = [(name or "").partition("(")[0].partition("@")[0] for name in measures]
    is_sum = np.array([label == "all" and (name.startswith("num_") or name in COUNTS) for name in names])
    n_topics = np.full((len(means), 1), np.nan)
    if "NumQ" in measures:
        column = measures.index("NumQ")
        is_stated = np.isnan(rows[:, column]).all(axis=1) & (means[:, column] > 0)
        n_topics[is_stated, 0] = means[is_stated, column]
    tolerance = np.where(is_sum, 0.0, rounding) + LAST_DIGITS * (1 + np.abs(means))
    with np.errstate(all="ignore"):
        differs = (n_rows > 0) & (np.abs(means - np.where(is_sum, sums, sums / n_rows)) > tolerance)
        fits = np.where(is_sum, means >= sums, np.abs(means - sums / n_topics) <= tolerance)
        return _ComparedMeans(differs, (n_topics > n_rows) & fits, n_topics[:, 0] - n_rows.max(axis=1))


def _odd_means(layout: Layout, runs: Sequence[str], rows: FloatArray, cube: FloatArray, means: Means) -> list[Oddity]:
    """The oddities of the rows of means that a program printed for ``runs``.

    ``rows``, shape (n_runs, n_measures, n_queries), are the values of the queries; ``cube`` has the means too.
    ``means`` is the habit of the program, as in `records.assemble`. If a measure has values on queries and no mean, the
    file may be cut off; for a program that can omit all means, their absence is only a notice.
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
            oddities += compared.missing_topics(label, runs, compared.differs & compared.counts_missing)
            numbers = (compared.differs & ~compared.counts_missing).sum(axis=1).tolist()
            oddities += _odd(f"the `{label}` rows are not the means of the others", runs, numbers)
    if means == "usual":
        return oddities
    lacking = ~np.isnan(rows).all(axis=2) & np.isnan(any_mean)
    numbers = lacking[:, [measure != _NO_MEAN for measure in layout.measures]].sum(axis=1).tolist()
    if means == "optional" and np.isnan(any_mean).all():
        return oddities + _odd("no `all` rows", runs, numbers, notice="no `all` rows")
    return oddities + _odd("no `all` row, so the file may be cut off", runs, numbers)


def _odd(what: str, runs: Sequence[str], numbers: Sequence[int], notice: str = "") -> list[Oddity]:
    """The oddities of the runs, each with the number of its odd measures; none for the number 0."""
    return [
        Oddity(what, run, number, "measure", notice=notice) for run, number in zip(runs, numbers, strict=True) if number
    ]


class _Summary(NamedTuple):
    """A row or a column with the name of a summary, which is a run (axis 0) or a query (axis 2) of the layout.

    ``records`` are its values, and ``others`` the values of runs and queries that are no summaries. ``members`` are the
    indices of the runs (axis 2) or queries (axis 0) on which it has values.
    """

    name: str
    axis: Literal[0, 2]
    records: BoolArray
    others: BoolArray
    members: Sequence[int]


def _without_summaries(
    layout: Layout, cube: FloatArray, *, runs_named: bool, printed: bool
) -> tuple[list[int], list[int], list[Oddity]]:
    """The indices of the runs and of the queries that are no summaries, and the oddities of the summaries.

    A summary has the name of a statistic, such as mean, and equals that statistic of the other values. Without
    ``runs_named`` the file itself is the run, whatever its name. If the program that wrote the file has ``printed`` the
    rows of means, see `_odd_means` for these. Raises `DataError` for a row or a column that has the name of a statistic
    and does not equal it.
    """
    expected = SUMMARIES if printed else ()
    unprinted = [index for index, name in enumerate(layout.queries) if name not in expected]
    queries = [index for index in unprinted if summary(layout.queries[index]) is None]
    runs = [index for index, name in enumerate(layout.runs) if not (runs_named and summary(name))]
    if not runs:
        what = f"the only run is called {quoted(layout.runs[0])}, like a summary of runs"
        raise DataError(f"{what}; give it another name, or add the runs", path=layout.path)
    if not queries or (len(runs) == len(layout.runs) and len(queries) == len(unprinted)):
        return runs, queries, []
    of_run, of_query = layout.belongs(0, runs), layout.belongs(2, queries)
    rows = cube[runs][:, :, queries]
    names_of_runs = [layout.runs[run] for run in runs]
    oddities, names = [], []
    for index in sorted(set(unprinted) - set(queries)):
        entries = of_run & (layout.indices[:, 2] == index)
        part = _Summary(layout.queries[index], 2, entries, of_run & of_query, runs)
        rounding = layout.rounding(part.records) + layout.rounding(part.others)
        stated = cube[runs, :, index]
        compared = _compared_means(layout.measures, rows, stated, part.name, rounding)
        counts_missing = compared.counts_missing & (part.name in SUMMARIES)  # only trec_eval's all does
        equal = _equal(layout, part, rows, stated, counts_missing)
        oddities += compared.missing_topics(part.name, names_of_runs, counts_missing & ~equal)
        names.append(f"{quoted(part.name)} over the queries")
    for index in sorted(set(range(len(layout.runs))) - set(runs)):
        entries = of_query & (layout.indices[:, 0] == index)
        part = _Summary(layout.runs[index], 0, entries, of_run & of_query, queries)
        _equal(layout, part, np.moveaxis(rows, 0, -1), cube[index][:, queries])
        names.append(f"{quoted(part.name)} over the runs")
    return runs, queries, [*oddities, Oddity("summaries left out", layout.path, 0, examples(names), "file")]


def _equal(
    layout: Layout, part: _Summary, values: FloatArray, stated: FloatArray, explained: BoolArray | bool = False
) -> BoolArray:
    """Where the ``stated`` values of a summary equal the statistic of the last axis of the ``values``.

    Raises `DataError`, with its line, for the first stated value that is neither equal nor ``explained`` otherwise.
    """
    meaning = str(summary(part.name))
    are_whole = not (values[~np.isnan(values)] % 1).any()  # whole numbers have not been rounded
    slack = 0.0 if are_whole else layout.rounding(part.others)
    equal = equals_summary(meaning, stated, values, slack=slack, printed=layout.rounding(part.records))
    wrong = ~np.isnan(stated) & ~np.isnan(values).all(axis=-1) & ~(equal | explained)
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

    ``values`` has the shape (n_runs, n_measures, n_queries), in the units of the measures, nan where the file has no
    value. ``runs`` and ``measures`` are in the order of the file, ``queries`` in natural order. A measure has the
    spelling of `measures.canonical`, or is None if the file names no measure. ``holes`` are the cells without a score.

    ``numbered``: the query ids are row numbers, for the file has no ids.
    ``is_run``: the file names no run, but is one; ``tags`` are the run tags in it.
    ``is_part``: other files may have further queries of the same run.
    ``others``: measures with unknown names, beside known ones; they are read if they are wanted.
    ``absent_is_zero``: if true, a run found nothing for a query that it lacks, as TREC counts; if false, it did not run
    the query; if None, the names of the measures decide, see `zero`.
    ``items``: facts about the item of each query.
    ``model``: the model after which the file names its runs, as other files may too; empty if there is none.
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
        """Whether a score that a run lacks is 0: as `absent_is_zero` says, or else for known and unnamed measures."""
        if self.absent_is_zero is None:
            return measure is None or (is_like_a_measure(measure) and not is_judged(measure))
        return self.absent_is_zero

    @property
    def may_lack_items(self) -> bool:
        """Whether a run did not run the queries that it lacks, whatever the measure."""
        return not any(map(self.zero, self.measures))

    def first_hole(self, measures: Collection[str | None], *, faults_only: bool = False) -> DataError | None:
        """The error for the first cell without a score under these measures; None if there is no such cell."""
        holes = (hole for hole in self.holes if hole.measure in measures and (hole.is_fault or not faults_only))
        hole = next(holes, None)
        if hole is None:
            return None
        if hole.is_fault:
            return DataError(hole.what, path=self.path, line=hole.line)
        may_be_zero = self.absent_is_zero is not False and hole.measure is not None and is_measure(hole.measure)
        remedy = f"{SCORE_ALL}, 0 if nothing was found" if may_be_zero else SCORE_ALL
        otherwise = f"{argument(topics='intersection')} leaves out those without"
        return DataError(f"{hole.what}; {remedy}; {otherwise}", path=self.path, line=hole.line)

    def holes_of(self, measures: Collection[str | None]) -> list[Oddity]:
        """The oddities of the runs that lack scores under these measures, with the queries."""
        queries: dict[str, set[str]] = {}
        for hole in self.holes:
            if hole.measure in measures:
                queries.setdefault(self.runs[0] if self.is_run else hole.run, set()).add(hole.query)
        left_out = in_nouns("no score for a query, left out of all runs")
        what = f"{left_out} ({argument(topics='intersection')})"
        return [
            Oddity(what, run, 0, f"{counted(len(lacking), 'query')}: {examples(natural_order(lacking))}")
            for run, lacking in queries.items()
        ]

    def others_but(self, measures: Collection[str | None]) -> tuple[Oddity, ...]:
        """The oddity of the ``others`` that are not among these measures, and so left out."""
        names = [name for name in self.others if name not in measures and not self.is_part]
        return (Oddity(_NO_MEASURES, self.path, 0, examples(names), "file"),) if names else ()

    def named(self, name: str, *oddities: Oddity) -> ScoreFile:
        """The file of one run under another name, with further oddities."""
        renamed = [odd._replace(where=name) if odd.where == self.runs[0] else odd for odd in self.oddities]
        return replace(self, runs=(name,), oddities=(*renamed, *oddities))

    def with_model(self, name: str) -> ScoreFile:
        """The file with another name in place of the model's in the names of its runs."""
        new_names = {run: f"{name}{run.removeprefix(self.model)}" for run in self.runs}
        oddities = tuple(odd._replace(where=new_names.get(odd.where, odd.where)) for odd in self.oddities)
        holes = tuple(hole._replace(run=new_names.get(hole.run, hole.run)) for hole in self.holes)
        return replace(self, runs=tuple(new_names.values()), oddities=oddities, holes=holes)


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
    """The score file of a layout, without summaries of the queries (``all``, ``mean``) or of the runs.

    ``means`` is the habit of the program that wrote the file: it may print rows of means (``usual``); it always does,
    so that a measure without a mean is an oddity (``expected``); or it can omit them, so that a file without any means
    is only a notice (``optional``). These rows are compared with the values of the queries and left out. Without
    ``means``, and for other rows, see `_without_summaries`. ``runs_named`` is false if the file itself is the run;
    ``oddities`` are those of its reader.

    Raises `DataError` for a run that has only means, for a text that is not a finite number and, unless
    ``allow_range``, for a value out of the range of its measure. If any measures are ``wanted``, only their ranges
    matter, and such texts become holes.

    >>> from biasvar_cli.readers.score_formats.layout import Record, layout_of
    >>> file = assemble(layout_of([Record(1, "bm25", "AP", "301", "0.25", "value")], "bm25.txt"))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    path, cube = layout.path, cube_of(layout)
    fault = next((hole for hole in layout.holes if hole.is_fault), None)
    if fault is not None and not wanted:
        raise DataError(fault.what, path=path, line=fault.line)
    printed = means is not None
    run_rows, query_columns, odd_summaries = _without_summaries(layout, cube, runs_named=runs_named, printed=printed)
    if not allow_range:
        _refuse_out_of_range(layout, run_rows, query_columns, wanted)
    index_of = {layout.queries[index]: index for index in query_columns}
    queries = natural_order(index_of)
    rows: FloatArray = cube[np.ix_(run_rows, range(len(layout.measures)), [index_of[query] for query in queries])]
    has_scores: BoolArray = np.any(~np.isnan(rows), axis=2)
    runs = [layout.runs[index] for index in run_rows]
    with_holes = {hole.run for hole in layout.holes}
    for run in np.flatnonzero(~has_scores.any(axis=1)):
        if runs[run] not in with_holes or not queries:
            raise DataError(f"has only the averages of {quoted(runs[run])}; {AVERAGES}", path=path)
    scored = np.flatnonzero(has_scores.any(axis=0) | ~has_scores.any())
    measures = tuple(layout.measures[index] for index in scored)
    odd_means = _odd_means(layout, runs, rows, cube[run_rows], means) if means else []
    all_oddities = (*oddities, *odd_summaries, *odd_means)
    values = rows if len(scored) == len(layout.measures) else rows[:, scored]
    is_run, holes = not runs_named, tuple(layout.holes)
    return ScoreFile(path, tuple(runs), measures, tuple(queries), values, numbered, all_oddities, is_run, holes=holes)


def _refuse_out_of_range(
    layout: Layout, runs: Sequence[int], queries: Sequence[int], wanted: Collection[str | None]
) -> None:
    """Raise `DataError` for the first score of these runs and queries that its measure cannot have.

    If any measures are ``wanted``, in any case of letters, others are not checked.
    """
    names = {str(name).lower() for name in wanted}
    for index, measure in enumerate(layout.measures):
        bounds = value_range(measure) if measure is not None else None
        if bounds is None or (wanted and str(measure).lower() not in names):
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
    """The first row of only whole numbers, one of them above 1, in a matrix, (n, m), of scores from 0 to 1.

    Such a row has counts or ids. None if there is none, if other rows have scores below 0 or above 1, or if they have
    no fractions.

    >>> whole_numbers_among_fractions(np.array([[0.25, 0.5], [301, 302]]))
    1
    """
    with np.errstate(invalid="ignore"):
        are_whole: BoolArray = np.all(np.isnan(values) | (values == np.round(values)), axis=1)
        suspect = are_whole & (np.nan_to_num(values).max(axis=1) > 1)
        others = values[~suspect]
        others = others[~np.isnan(others)]
        are_shares = others.size > 0 and others.min() >= 0 and others.max() <= 1
        if suspect.any() and are_shares and np.any(others != np.round(others)):
            return int(np.flatnonzero(suspect)[0])
    return None
