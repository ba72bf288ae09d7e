"""Scores in dicts and arrays as what files of scores hold.

The keys of a dict have to show what they are, as those of a file of JSON do: nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import canonical, is_measure_object
from biasvar_cli.notebook import frames
from biasvar_cli.notebook.frames import short, shown_value
from biasvar_cli.notebook.packages import Value, with_records
from biasvar_cli.readers.score_formats.json_objects import are_queries
from biasvar_cli.readers.score_formats.layout import Layout, Record, layout_of
from biasvar_cli.readers.score_formats.names import is_count, is_known, is_like_a_measure, summary
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble, whole_numbers_among_fractions
from biasvar_cli.scoring.scorer import LoadedSource
from biasvar_cli.words import examples

_FORMS = (
    "{run: {query: score}}, {run: {query: {measure: value}}}, {run: DataFrame}, {run: records of ir_measures}, or "
    "{query: {measure: value}} for one run"
)
_RUNS = "retrieved documents go to evaluate, with their judgments"
_DIGITS = 16  # decimals of a number that was never printed


class _Cell(NamedTuple):
    """One value by its keys; a measure of None is not named."""

    run: str
    measure: str | None
    query: str
    value: Any

    @property
    def name(self) -> str:
        return f"{self.measure or 'the score'} of {self.run} on query {self.query}"


def scores_in(
    nested: Mapping[Any, Any],
    where: str,
    *,
    measures: Sequence[str] = (),
    by_query: bool = False,
    allow_range: bool = False,
) -> LoadedSource:
    """Scores in a dict of dicts: by run and query, by run, query and measure, or by query and measure for one run.

    ``measures`` are the names of those asked for, by ir-measures' spelling; ``by_query`` says that the outer keys are
    queries. Measures may stand outside the queries, as ranx has them. Raises `DataError` where the keys do not show
    what they are, and for a score that is no finite number.

    >>> source = scores_in({"bm25": {"q1": {"map": 0.25}}, "rm3": {"q1": {"map": 0.5}}}, "scores")
    >>> source.content.runs, source.content.measures, source.content.values.tolist()
    (('bm25', 'rm3'), ('AP',), [[[0.25]], [[0.5]]])
    """
    document = {_name(key, where): _level(value, where) for key, value in nested.items()}
    if len(document) < len(nested):
        raise DataError("two keys are the same as text; keep one", path=where)
    is_one_run = False
    if not document or not all(isinstance(value, Mapping) and value for value in document.values()):
        raise DataError(f"expected {_FORMS}; found {_described(nested)}", path=where)
    deep = [isinstance(value, Mapping) for by in document.values() for value in by.values()]
    if all(deep):
        cells = _of_three(document, where, measures)
    elif any(deep):
        raise DataError(f"expected {_FORMS}; found dicts and other values side by side", path=where)
    else:
        cells, is_one_run = _of_two(document, where, measures, by_query=by_query)
    default = canonical(measures[0]) if len(measures) == 1 else None
    layout = layout_of(_records(cells, default, where), where)
    file = assemble(layout, runs_named=not is_one_run, allow_range=allow_range)
    named = dict.fromkeys(name for name in file.measures if name is not None)
    others = tuple(name for name in named if not (is_like_a_measure(name) or name in measures))
    if len(others) < len(named):
        file = replace(file, others=others)
    return _source(file, where, allow_range=allow_range)


def scores_of_array(
    values: Any,
    runs: Sequence[str],
    queries: Sequence[str],
    where: str,
    *,
    measure: str | None = None,
    allow_range: bool = False,
) -> LoadedSource:
    """Scores in an array of the shape (n_queries, n_runs), as a DataFrame has them, whose names are given beside it.

    Raises `UsageError` for names that do not fit the shape, `DataError` for a score that is no finite number.

    >>> source = scores_of_array(np.array([[0.3, 0.6], [0.1, 0.08]]), ["A", "B"], ["301", "302"], "scores")
    >>> source.content.runs, source.content.queries, source.content.values.tolist()
    (('A', 'B'), ('301', '302'), [[[0.3, 0.1]], [[0.6, 0.08]]])
    """
    table = _table(values, where)
    shape = (len(queries), len(runs))
    if table.shape != shape:
        expected = f"a row a query and a column a run, {shape} by the names"
        remedy = "; transpose it, as array.T does" if table.shape == shape[::-1] else ""
        raise UsageError(f"{where}: expected {expected}, found the shape {table.shape}{remedy}")
    own = np.array(
        [
            _number(table[down, across], (run, query), where)
            for across, run in enumerate(runs)
            for down, query in enumerate(queries)
        ]
    )
    indices = np.stack(
        [axis.ravel() for axis in np.meshgrid(range(len(runs)), [0], range(len(queries)), indexing="ij")]
    )
    name = None if measure is None else canonical(measure)
    lines, decimals = [None] * own.size, np.full(own.size, _DIGITS)
    layout = Layout(where, list(runs), [name], list(queries), indices.T, own, lines, decimals)
    return _source(assemble(layout, allow_range=allow_range), where, allow_range=allow_range)


def names_given(argument: str, names: object) -> list[str]:
    """The names of the runs or of the queries of an array, each once. Raises `UsageError` for others.

    >>> names_given("queries", range(301, 303))
    ['301', '302']
    """
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise UsageError(f"{argument}: expected a list of names, found {shown_value(names)}")
    every = list(names)
    for name in every:
        if not _is_name(name):
            raise UsageError(f"{argument}: expected names as text, found {short(name)}")
    texts = [str(name).strip() for name in every]
    if not texts:
        raise UsageError(f"{argument}: expected names, found none")
    repeated = [name for name, count in Counter(texts).items() if count > 1]
    if repeated:
        raise UsageError(f"{argument}: two are called {repeated[0]}")
    return texts


def is_plain_row(value: Any) -> bool:
    """Whether a value has scores without the ids of queries: a list or an array, or a Series whose index only counts.

    >>> is_plain_row([0.25, 0.5]), is_plain_row(pd.Series([0.25], index=["q1"])), is_plain_row({"q1": 0.25})
    (True, False, False)
    """
    if isinstance(value, pd.Series):
        return bool(value.index.equals(pd.RangeIndex(len(value))) and value.index.name is None)
    return isinstance(value, np.ndarray) or (
        isinstance(value, list | tuple) and not (value and isinstance(value[0], Value))
    )


def has_measures(nested: Mapping[Any, Any], asked: Collection[str] = ()) -> bool:
    """Whether a dict by run has scores by query and measure below, and not retrieved documents.

    >>> has_measures({"bm25": {"q1": {"map": 0.25}}}), has_measures({"bm25": {"q1": {"FT911-1": 2.5}}})
    (True, False)
    """
    below = [value for value in nested.values() if isinstance(value, Mapping)]
    inner = [key for by in below for key in by]
    innermost = [key for by in below for value in by.values() if isinstance(value, Mapping) for key in value]
    return any(_is_measure(key, asked) for key in innermost) or (
        bool(innermost) and all(_is_measure(key, asked) for key in inner)
    )


def _source(file: ScoreFile, where: str, *, allow_range: bool) -> LoadedSource:
    """The scores as a source. Raises `DataError` for counts or ids among scores of a measure that is not named."""
    odd = None if allow_range or file.measures != (None,) else whole_numbers_among_fractions(file.values[:, 0])
    if odd is not None:
        what = f"{file.runs[odd]} has whole numbers above 1, all others have scores from 0 to 1"
        raise DataError(f"{what}; leave it out if it has counts, or give measure= or allow_range=True", path=where)
    return LoadedSource("scores", where, content=file.named("run") if file.is_run else file)


def _level(value: Any, where: str) -> Any:
    """What stands below a key: a Series and records of ir-measures as dicts, other values as they are."""
    if isinstance(value, pd.Series):
        if not value.index.is_unique:
            raise DataError(
                f"the index of a Series has {short(value.index[value.index.duplicated()][0])} twice", path=where
            )
        return value.to_dict()
    table = with_records(value)
    if not (isinstance(table, pd.DataFrame) and not isinstance(value, pd.DataFrame)):
        return value
    by_query: dict[Any, dict[str, Any]] = {}
    for query, measure, number in zip(*(table[name] for name in table.columns), strict=True):
        values = by_query.setdefault(query, {})
        if str(measure) in values:
            raise DataError(f"{measure} on query {query} is given twice; keep one", path=where)
        values[str(measure)] = number
    return by_query


def _of_three(document: Mapping[str, Any], where: str, asked: Sequence[str]) -> list[_Cell]:
    """The values of {run: {query: {measure: value}}} or of {run: {measure: {query: value}}}."""
    inner = [key for by in document.values() for key in by]
    innermost = [key for by in document.values() for values in by.values() for key in values]
    measure_first = all(_is_measure(key, asked) for key in inner) and not all(
        _is_measure(key, asked) for key in innermost
    )
    queries, measures = (innermost, inner) if measure_first else (inner, innermost)
    if not any(_is_measure(key, asked) for key in measures):
        what = f"{short(measures[0]) if measures else 'nothing'} is no measure that is known"
        raise DataError(f"{what}; name it with measure= if it is one; {_RUNS}", path=where)
    if are_queries(document) and not are_queries(map(str, queries)):
        what = f"is {short(next(iter(document)))} a query, and {short(queries[0])} a run?"
        raise DataError(f"{what} Give {{run: {{query: {{measure: value}}}}}}", path=where)
    cells = []
    for run, by in document.items():
        for one, values in by.items():
            for two, value in values.items():
                measure, query = (one, two) if measure_first else (two, one)
                cells.append(_Cell(run, str(measure), _name(query, where), value))
    return cells


def _of_two(
    document: Mapping[str, Any], where: str, asked: Sequence[str], *, by_query: bool
) -> tuple[list[_Cell], bool]:
    """The values of {query: {measure: value}}, {measure: {query: value}} or {run: {query: score}}.

    Whether they are those of one run stands beside them: the first two are.
    """
    inner = list(dict.fromkeys(key for by in document.values() for key in by))
    known = [key for key in inner if _is_measure(key, asked) and not is_count(str(key))]
    outer_known = all(_is_measure(key, asked) for key in document)
    pairs = [(one, two, value) for one, by in document.items() for two, value in by.items()]
    if by_query or (are_queries(document) and 2 * len(known) >= len(inner)):
        return [_Cell("run", str(measure), query, value) for query, measure, value in pairs], True
    if all(_is_measure(key, asked) for key in inner) and not outer_known:
        what = f"is {short(next(iter(document)))} a query or a run?"
        remedy = "Say orient='queries' if all of the keys are queries; averages of runs cannot be used"
        raise DataError(f"{what} {remedy}", path=where)
    if outer_known and not all(_is_measure(key, asked) for key in inner):
        return [_Cell("run", measure, _name(query, where), value) for measure, query, value in pairs], True
    _check_runs(document, inner, where)
    return [_Cell(run, None, _name(query, where), value) for run, query, value in pairs], False


def _check_runs(document: Mapping[str, Any], queries: Sequence[Any], where: str) -> None:
    """Raise `DataError` unless the outer keys can be runs and those below queries."""
    measure = next((run for run in document if is_known(run) and not summary(run)), None)
    if measure is not None:
        what = f"are the keys measures or runs? {measure} is named as a measure"
        raise DataError(f"{what}; give {{run: {{query: {{measure: value}}}}}}", path=where)
    total = sum(map(len, document.values()))
    scattered = len(document) > 1 and 2 * total <= len(queries) * len(document)
    if scattered or are_queries(document):
        what = f"is {short(next(iter(document)))} a query? Scores are {{run: {{query: score}}}}"
        raise DataError(f"{what}, and {_RUNS}; names of runs that look like ids need a DataFrame", path=where)


def _is_measure(name: Any, asked: Collection[str]) -> bool:
    if is_measure_object(name):
        return True
    return isinstance(name, str) and (is_known(name) or canonical(name) in asked)


def _records(cells: Sequence[_Cell], default: str | None, where: str) -> Iterator[Record]:
    for cell in cells:
        number = frames.number_of(cell.value)
        if number is None:
            raise DataError(f"{frames.number_fault(cell.value)} ({cell.name})", path=where)
        measure = default if cell.measure is None else canonical(cell.measure)
        yield Record(None, cell.run, measure, cell.query, repr(number), cell.name)


def _table(values: Any, where: str) -> np.ndarray[Any, Any]:
    """An array of two axes, with None for what is masked."""
    try:
        table = np.asarray(values)
    except ValueError:
        table = np.asarray(None)
    if isinstance(values, np.ma.MaskedArray):
        table = table.astype(object)
        table[np.ma.getmaskarray(values)] = None
    if table.ndim != 2:
        what = f"an array of the shape {table.shape}" if table.ndim else shown_value(values)
        raise UsageError(f"{where}: expected an array with a row a query and a column a run, found {what}")
    return table


def _number(value: Any, at: tuple[str, str], where: str) -> float:
    plain = value.item() if isinstance(value, np.generic) else value
    number = frames.number_of(plain)
    if number is None:
        run, query = at
        raise DataError(f"{frames.number_fault(plain)} (run {run}, query {query})", path=where)
    return number


def _is_name(name: Any) -> bool:
    return frames.is_whole(name) or (frames.is_text(name) and bool(name.strip()))


def _name(name: Any, where: str) -> str:
    """A key that is a name, as text. Raises `DataError` for any other."""
    if is_measure_object(name):
        return str(name)
    if not _is_name(name):
        raise DataError(f"expected names as text, found the key {short(name)}", path=where)
    return str(name).strip()


def _described(nested: Mapping[Any, Any]) -> str:
    if not nested:
        return "an empty dict"
    kinds = examples(list(dict.fromkeys(str(shown_value(value)) for value in nested.values())))
    return f"{kinds} under {short(next(iter(nested)))}"
