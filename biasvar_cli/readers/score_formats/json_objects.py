"""JSON objects: their values with the numbers as text, and objects within objects to scores.

pytrec_eval, ranx and dicts of dicts in Python have scores in objects within objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.format import ScoreOptions
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import is_count, is_id_or_count, is_known, is_like_a_measure, summary
from biasvar_cli.readers.score_formats.records import ALLOW, ScoreFile, assemble, whole_numbers_among_fractions
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import shown
from biasvar_cli.words import argument, counted

_QUERY_ID = re.compile(r"(q|query|topic)?[ _-]?\d+([._-]\d+)*", re.IGNORECASE)


class Parsed(NamedTuple):
    """A JSON value, its numbers as text, and the first key that an object in it has twice, None if there is none."""

    value: Any
    repeated: str | None


def loads(text: str) -> Parsed:
    """A JSON text. Raises ValueError for what is none.

    >>> loads('{"301": {"map": 0.250}}')
    Parsed(value={'301': {'map': '0.250'}}, repeated=None)
    """
    repeated: list[str] = []

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        unique: dict[str, Any] = {}
        for key, value in entries:
            if key in unique:
                repeated.append(key)
            unique[key] = value
        return unique

    try:
        value = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return Parsed(value, repeated[0] if repeated else None)


def unrepeated(parsed: Parsed, path: str, line: int | None = None) -> Any:
    """The value. Raises `DataError` if an object in it has a key twice."""
    if parsed.repeated is not None:
        what = f"an object has the key {shown(parsed.repeated)} twice"
        raise DataError(f"{what}; keep one", path=path, line=line)
    return parsed.value


def are_queries(names: Iterable[str]) -> bool:
    """Whether names look like query ids: numbers, maybe after a word.

    >>> are_queries(["301", "q302", "topic-303"]), are_queries(["FT911-1"])
    (True, False)
    """
    return all(map(_QUERY_ID.fullmatch, names))


def value_text(value: object) -> str:
    """A JSON value as text: a number as it stood there.

    >>> value_text("0.250"), value_text(None)
    ('0.250', 'null')
    """
    return value if isinstance(value, str) else json.dumps(value)


def name_text(value: object, path: str, line: int | None = None) -> str:
    """A JSON value that is a name. Raises `DataError` for any other value."""
    if not isinstance(value, str):
        raise DataError(f"expected a name, found {shown(value_text(value))}", path=path, line=line)
    return value


def unexpected(value: object, path: str, line: int | None = None) -> DataError:
    """The error of JSON that holds no scores in any form that is read, with what it holds.

    >>> print(str(unexpected([1, 2], "ap.json")).partition(";")[0])
    ap.json: JSON, but not scores in a form that is read: found a list of 2, from 1 on
    """
    forms = (
        "expected {query: {measure: value}}, {run: {query: score}}, {run: {query: {measure: value}}}, records of "
        "query_id, measure and value, or what biasvar scores -f json writes"
    )
    what = f"JSON, but not scores in a form that is read: found {_described(value)}"
    return DataError(f"{what}; {forms}", path=path, line=line)


def _described(value: object) -> str:
    if isinstance(value, dict) and value:
        key, below = next(iter(value.items()))
        inner = f", the first with {shown(str(next(iter(below))))}" if isinstance(below, dict) and below else ""
        return f"an object with {counted(len(value), 'entry')}, such as {shown(key)}{inner}"
    if isinstance(value, list) and value:
        return f"a list of {len(value)}, from {shown(value_text(value[0]))} on"
    return "an empty object or list" if isinstance(value, dict | list) else shown(value_text(value))


class _Value(NamedTuple):
    """A value by its keys; a run of None is that of the file, a measure of None is not named."""

    run: str | None
    measure: str | None
    query: str
    value: Any


def of_objects(document: dict[str, Any], path: str, options: ScoreOptions) -> ScoreFile:
    """Objects within objects: {query: {measure: value}}, {measure: {query: value}}, {run: {query: score}},
    {run: {query: {measure: value}}} or {run: {measure: {query: value}}}.

    What the keys are has to show in them. Raises `DataError` where it does not.
    """
    values = _values(document, path, options.orient)
    layout = layout_of(_records(values, options.measure, path), path, holes=options.holes)
    file = assemble(layout, runs_named=values[0].run is not None, allow_range=options.allow_range)
    names = dict.fromkeys(value.measure for value in values if value.measure is not None)
    unlike = {canonical(name) for name in names if not is_like_a_measure(name)}
    if unlike and len(unlike) < len(file.measures):
        file = replace(file, others=tuple(name for name in file.measures if name in unlike and name is not None))
    odd = None if options.allow_range or file.measures != (None,) else whole_numbers_among_fractions(file.values[:, 0])
    if odd is not None:
        what = f"{shown(file.runs[odd])} has whole numbers above 1, all others have scores from 0 to 1"
        raise DataError(f"{what}; leave it out if it has counts; {ALLOW}", path=path)
    return file


def _values(document: dict[str, Any], path: str, orient: str | None) -> list[_Value]:
    inner = _keys_below([document], path)
    pairs = [(one, two, value) for one, by in document.items() for two, value in by.items()]
    if any(isinstance(value, dict) for _, _, value in pairs):
        return _of_three(document, inner, path)
    if all(map(is_known, inner)) and not all(map(is_known, document)):
        if orient != "queries" and not are_queries(document):
            what = f"is {shown(next(iter(document)))} a query or a run?"
            remedy = f"Say {argument(orient='queries')} if all of them are queries"
            raise DataError(f"{what} {remedy}; averages of runs cannot be used", path=path)
        return [_Value(None, measure, query, value) for query, measure, value in pairs]
    if are_queries(document) and _mostly_measures(inner):
        return [_Value(None, measure, query, value) for query, measure, value in pairs]
    if all(map(is_known, document)) and not all(map(is_known, inner)):
        return [_Value(None, measure, query, value) for measure, query, value in pairs]
    _check_runs(document, inner, path)
    return [_Value(run, None, query, value) for run, query, value in pairs]


def _mostly_measures(names: Iterable[str]) -> bool:
    """Whether at least half of some names are those of measures, as beside the queries of a table."""
    known = [len(name) > 1 and is_known(name) and not is_count(name) for name in names]
    return any(known) and 2 * sum(known) >= len(known)


def _of_three(document: dict[str, Any], inner: dict[str, None], path: str) -> list[_Value]:
    """The values of {run: {query: {measure: value}}} or of {run: {measure: {query: value}}}."""
    innermost = _keys_below(list(document.values()), path)
    measure_first = all(map(is_known, inner)) and not all(map(is_known, innermost))
    queries = innermost if measure_first else inner
    if not all(map(is_known, inner if measure_first else innermost)):
        raise unexpected(document, path)
    if are_queries(document) and not are_queries(queries):
        raise unexpected(document, path)
    values = []
    for run, by in document.items():
        for one, values_by in by.items():
            for two, value in values_by.items():
                values.append(_Value(run, one, two, value) if measure_first else _Value(run, two, one, value))
    return values


def _records(values: Sequence[_Value], default: str | None, path: str) -> Iterator[Record]:
    own = run_name(path)
    for run, name, query, value in values:
        measure = default if name is None else canonical(name)
        called = own if run is None else run.strip()
        column = f"{name or 'the score'} of {shown(called)} on query {shown(query)}"
        yield Record(None, called, measure, query.strip(), value_text(value), column)


def _keys_below(objects: Sequence[dict[str, Any]], path: str) -> dict[str, None]:
    """The keys of the objects in these objects. Raises `DataError` where something else is in them, or nothing."""
    below = [value for outer in objects for value in outer.values()]
    if not below or not all(isinstance(value, dict) and value for value in below):
        raise unexpected(objects[0] if objects else {}, path)
    return {key: None for value in below for key in value}


def _check_runs(document: dict[str, Any], queries: dict[str, None], path: str) -> None:
    """Raise `DataError` unless the keys are runs and those below are queries, some of them of all runs."""
    measure = next((run for run in document if is_known(run) and not summary(run)), None)
    other = next((run for run in document if not is_known(run)), None)
    if measure is not None and other is not None:
        what = f"are the keys measures or runs? {shown(measure)} is a measure, {shown(other)} is not known as one"
        raise DataError(f"{what}; make it a csv with the header run,query_id,measure,score", path=path)
    wrong = next((run for run in document if is_id_or_count(run)), None)
    if wrong is not None and list(document) != ["run"]:  # what programs call a run without a name
        what = f"{shown(wrong)} is named like ids or a count, not like a run"
        raise DataError(f"{what}; make it a csv with a column of query ids, or leave it out", path=path)
    if are_queries(document) and not are_queries(queries):
        what = "is this a run, {query: {document: score}}, or scores, {query: {run: score}}?"
        remedy = "Write a run with 6 columns (ranx: run.save(path, kind='trec')), scores as {run: {query: score}}"
        raise DataError(f"{what} {remedy}", path=path)
    shared = set.intersection(*(set(by) for by in document.values()))
    if not are_queries(queries) or are_queries(document) or not shared:
        raise unexpected(document, path)
