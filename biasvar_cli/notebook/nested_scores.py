"""Scores in dicts and arrays as what files of scores hold.

The keys of a dict have to show what they are, as those of a file of JSON do: nothing is guessed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import canonical, is_measure_object
from biasvar_cli.notebook import frames
from biasvar_cli.notebook.frames import Value, quoted_value, short, with_records
from biasvar_cli.readers.score_formats.layout import Layout, Record
from biasvar_cli.readers.score_formats.names import is_known
from biasvar_cli.readers.score_formats.nested import Level, UnclearKeys, entries, levels_of, nested_file
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble, whole_numbers_among_fractions
from biasvar_cli.scoring.scorer import LoadedSource
from biasvar_cli.words import examples

_WITH_MEASURES = "{run: {query: {measure: value}}}"
_FORMS = (
    "{run: {query: score}}, {run: {query: {measure: value}}}, {run: DataFrame}, {run: records of ir_measures}, or "
    "{query: {measure: value}} for one run"
)
_RUNS = "retrieved documents go to evaluate, with their judgments"
_DIGITS = 16  # decimals of a number that was never printed


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
    if not document:
        raise DataError(f"expected {_FORMS}; found an empty dict", path=where)
    if not all(isinstance(by, Mapping) and by for by in document.values()):
        kinds = examples(list(dict.fromkeys(str(quoted_value(value)) for value in nested.values())))
        raise DataError(f"expected {_FORMS}; found {kinds} under {short(next(iter(nested)))}", path=where)
    levels: tuple[Level, ...] = ("query", "measure")
    if not by_query or any(isinstance(value, Mapping) for by in document.values() for value in by.values()):
        try:
            levels = levels_of(document, _is_measure(measures))
        except UnclearKeys as unclear:
            raise _refused(unclear, document, where) from None
    n_values, n_queries = sum(map(len, document.values())), len(set().union(*document.values()))
    if levels == ("run", "query") and len(document) > 1 and 2 * n_values <= n_queries * len(document):
        raise DataError(_as_query(short(next(iter(document)))), path=where)  # so few in common may be documents
    default = canonical(measures[0]) if len(measures) == 1 else None
    records = _records(document, levels, default, where)
    file = nested_file(records, levels, where, measures=measures, allow_range=allow_range)
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
    numbers = np.empty((len(runs), len(queries)))
    for (run, query), value in np.ndenumerate(table.T):
        plain = value.item() if isinstance(value, np.generic) else value
        number = frames.number_of(plain)
        if number is None:
            what = f"{frames.number_fault(plain)} (run {runs[run]}, query {queries[query]})"
            raise DataError(what, path=where)
        numbers[run, query] = number
    indices = np.argwhere(np.ones((len(runs), 1, len(queries))))
    name = None if measure is None else canonical(measure)
    lines, decimals = [None] * numbers.size, np.full(numbers.size, _DIGITS)
    layout = Layout(where, list(runs), [name], list(queries), indices, numbers.ravel(), lines, decimals)
    return _source(assemble(layout, allow_range=allow_range), where, allow_range=allow_range)


def checked_names(argument: str, names: object) -> list[str]:
    """The names of the runs or of the queries of an array, each once. Raises `UsageError` for others.

    >>> checked_names("queries", range(301, 303))
    ['301', '302']
    """
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise UsageError(f"{argument}: expected a list of names, found {quoted_value(names)}")
    listed = list(names)
    for name in listed:
        if not _is_name(name):
            raise UsageError(f"{argument}: expected names as text, found {short(name)}")
    texts = [str(name).strip() for name in listed]
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


def has_measures(nested: Mapping[Any, Any], measures: Collection[str] = ()) -> bool:
    """Whether a dict by run has the name of a measure below, as scores have and retrieved documents do not.

    >>> has_measures({"bm25": {"q1": {"map": 0.25}}}), has_measures({"bm25": {"q1": {"FT911-1": 2.5}}})
    (True, False)
    """
    is_measure = _is_measure(measures)
    by_run = [by for by in nested.values() if isinstance(by, Mapping)]
    inner = [key for by in by_run for key in by]
    innermost = [key for by in by_run for below in by.values() if isinstance(below, Mapping) for key in below]
    return any(map(is_measure, innermost)) or (bool(innermost) and all(map(is_measure, inner)))


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


def _refused(unclear: UnclearKeys, document: Mapping[str, Any], where: str) -> DataError:
    """The error of dicts whose keys do not show what they are."""
    key, outer = short(unclear.key), short(next(iter(document)))
    what = {
        "uneven": f"expected {_FORMS}; found dicts and other values side by side, or an empty dict",
        "no measure": f"{key} is no measure that is known; name it with measure= if it is one; {_RUNS}",
        "run as query": f"is {outer} a query, and {key} a run? Give {_WITH_MEASURES}",
        "query or run": f"is {key} a query or a run? Say orient='queries' if all of the keys are queries; averages of "
        "runs cannot be used",
        "measure or run": f"are the keys measures or runs? {unclear.key} is named as a measure; give {_WITH_MEASURES}",
        "id or count": f"{key} is named like ids or a count, not like a run; leave it out, or rename it",
        "query outside": _as_query(key),
        "run and measure": f"{unclear.key}; give {{run: {{query: {{measure: score}}}}}}, or rename them",
    }
    return DataError(what[unclear.doubt], path=where)


def _as_query(key: str) -> str:
    what = f"is {key} a query? Scores are {{run: {{query: score}}}}, and {_RUNS}"
    return f"{what}; names of runs that look like ids need a DataFrame"


def _is_measure(measures: Collection[str]) -> Callable[[Any], bool]:
    """Whether a key names a measure: a known one, one of these ``measures``, or an object of ir-measures."""

    def is_measure(key: Any) -> bool:
        return is_measure_object(key) or (isinstance(key, str) and (is_known(key) or canonical(key) in measures))

    return is_measure


def _records(
    document: Mapping[str, Any], levels: tuple[Level, ...], default: str | None, where: str
) -> Iterator[Record]:
    for run, measure, key, value in entries(document, levels):
        query = _name(key, where)
        cell = f"{measure or 'the score'} of {run or 'run'} on query {query}"
        number = frames.number_of(value)
        if number is None:
            raise DataError(f"{frames.number_fault(value)} ({cell})", path=where)
        name = default if measure is None else canonical(str(measure))
        yield Record(None, run or "run", name, query, repr(number), cell)


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
        what = f"an array of the shape {table.shape}" if table.ndim else quoted_value(values)
        raise UsageError(f"{where}: expected an array with a row a query and a column a run, found {what}")
    return table


def _is_name(name: Any) -> bool:
    return frames.is_whole(name) or (frames.is_text(name) and bool(name.strip()))


def _name(name: Any, where: str) -> str:
    """A key that is a name, as text. Raises `DataError` for any other."""
    if is_measure_object(name):
        return str(name)
    if not _is_name(name):
        raise DataError(f"expected names as text, found the key {short(name)}", path=where)
    return str(name).strip()
