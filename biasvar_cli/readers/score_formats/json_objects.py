"""JSON objects: their values with the numbers as text, and objects within objects to scores.

pytrec_eval, ranx and dicts of dicts in Python have scores in objects within objects. Files of JSON and dicts in Python
are read by the same rules: the names of the keys show what they are, and nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.format import ScoreOptions
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import is_count, is_id_or_count, is_known, is_like_a_measure, summary
from biasvar_cli.readers.score_formats.records import ALLOW, ScoreFile, assemble, whole_numbers_among_fractions
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import quoted
from biasvar_cli.words import argument, counted

Level = Literal["run", "query", "measure"]
Doubt = Literal[
    "uneven", "no measure", "query or run", "measure or run", "id or count", "run as query", "query outside"
]
_LEVELS: tuple[Level, ...] = ("run", "measure", "query")
_QUERY_ID = re.compile(r"(q|query|topic)?[ _-]?\d+([._-]\d+)*", re.IGNORECASE)


class UnclearKeys(ValueError):
    """Keys that do not show what they are: the ``doubt``, and the ``key`` that raises it, None if there is none."""

    def __init__(self, doubt: Doubt, key: Any = None) -> None:
        super().__init__(doubt)
        self.doubt, self.key = doubt, key


class Entry(NamedTuple):
    """A value with its keys: a run of None is not named, neither is a measure of None."""

    run: Any
    measure: Any
    query: Any
    value: Any


def are_queries(names: Iterable[str]) -> bool:
    """Whether names look like query ids: numbers, maybe after a word.

    >>> are_queries(["301", "q302", "topic-303"]), are_queries(["FT911-1"])
    (True, False)
    """
    return all(map(_QUERY_ID.fullmatch, names))


def levels_of(document: Mapping[str, Any], is_measure: Callable[[Any], bool] = is_known) -> tuple[Level, ...]:
    """What the keys of a dict of dicts are, from the outside in.

    Two levels are those of {query: {measure: value}}, {measure: {query: value}} or {run: {query: score}}; three have
    runs outside and queries and measures either way round. ``is_measure`` tells which keys name measures. Raises
    `UnclearKeys`.

    >>> levels_of({"301": {"map": 0.25, "P_5": 0.2}}), levels_of({"bm25": {"301": 0.25}, "rm3": {"301": 0.5}})
    (('query', 'measure'), ('run', 'query'))
    >>> levels_of({"bm25": {"map": {"301": 0.25}}})
    ('run', 'measure', 'query')
    """
    second = _keys_below(document.values())
    values = [value for by in document.values() for value in by.values()]
    if any(isinstance(value, Mapping) for value in values):
        return _three_levels(document, second, _keys_below(values), is_measure)
    measures_outside, measures_below = (all(map(is_measure, keys)) for keys in (document, second))
    if are_queries(document) and _are_measures(second, is_measure):
        return "query", "measure"
    if measures_below and not measures_outside:
        raise UnclearKeys("query or run", next(iter(document)))
    if measures_outside and not measures_below:
        return "measure", "query"
    _require_runs(document)
    return "run", "query"


def entries(document: Mapping[str, Any], levels: tuple[Level, ...]) -> Iterator[Entry]:
    """The values of a dict of dicts whose keys are of these levels.

    >>> list(entries({"map": {"301": 0.25}}, ("measure", "query")))
    [Entry(run=None, measure='map', query='301', value=0.25)]
    """
    run, measure, query = (levels.index(level) if level in levels else -1 for level in _LEVELS)
    for outer, by in document.items():
        for inner, below in by.items():
            for innermost, value in below.items() if len(levels) == 3 else ((None, below),):
                keys = (outer, inner, innermost, None)
                yield Entry(keys[run], keys[measure], keys[query], value)


def _three_levels(
    document: Mapping[str, Any], second: Collection[Any], third: Collection[Any], is_measure: Callable[[Any], bool]
) -> tuple[Level, ...]:
    measure_first = all(map(is_measure, second)) and not all(map(is_measure, third))
    measures, queries = (second, third) if measure_first else (third, second)
    if not _are_measures(measures, is_measure):
        raise UnclearKeys("no measure", next(name for name in measures if not is_measure(name)))
    if are_queries(document) and not are_queries(map(str, queries)):
        raise UnclearKeys("run as query", next(iter(queries)))
    return ("run", "measure", "query") if measure_first else ("run", "query", "measure")


def _keys_below(objects: Iterable[Any]) -> Collection[Any]:
    """The keys of some objects. Raises `UnclearKeys` where one of them is something else, or has none."""
    keys: dict[Any, None] = {}
    for below in objects:
        if not isinstance(below, Mapping) or not below:
            raise UnclearKeys("uneven")
        keys |= dict.fromkeys(below)
    if not keys:
        raise UnclearKeys("uneven")
    return keys


def _are_measures(names: Collection[Any], is_measure: Callable[[Any], bool]) -> bool:
    """Whether all names are those of measures, or at least half: beside them a table may have more, such as times.

    A count or a single letter does not show that the others are measures.
    """
    known = [name for name in names if is_measure(name) and len(str(name)) > 1 and not is_count(str(name))]
    return (bool(known) and 2 * len(known) >= len(names)) or all(map(is_measure, names))


def _require_runs(names: Collection[str]) -> None:
    """Raise `UnclearKeys` unless the names can be those of runs."""
    for name in names:
        if is_known(name) and not summary(name):
            raise UnclearKeys("measure or run", name)
    unlike = next((name for name in names if is_id_or_count(name)), None)
    if unlike is not None and list(names) != ["run"]:  # what programs call a run without a name
        raise UnclearKeys("id or count", unlike)
    if are_queries(names):
        raise UnclearKeys("query outside", next(iter(names)))


class Number(str):
    """A number in JSON, as it stood there."""

    __slots__ = ()


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
        value = json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return Parsed(value, repeated[0] if repeated else None)


def unrepeated(parsed: Parsed, path: str, line: int | None = None) -> Any:
    """The value. Raises `DataError` if an object in it has a key twice."""
    if parsed.repeated is not None:
        what = f"an object has the key {quoted(parsed.repeated)} twice"
        raise DataError(f"{what}; keep one", path=path, line=line)
    return parsed.value


def value_text(value: object) -> str:
    """A JSON value as text: a number as it stood there.

    >>> value_text("0.250"), value_text(None)
    ('0.250', 'null')
    """
    return value if isinstance(value, str) else json.dumps(value)


def name_text(value: object, path: str, line: int | None = None) -> str:
    """A JSON value that is a name. Raises `DataError` for any other value."""
    if not isinstance(value, str):
        raise DataError(f"expected a name, found {quoted(value_text(value))}", path=path, line=line)
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
        inner = f", the first with {quoted(str(next(iter(below))))}" if isinstance(below, dict) and below else ""
        return f"an object with {counted(len(value), 'entry')}, such as {quoted(key)}{inner}"
    if isinstance(value, list) and value:
        return f"a list of {len(value)}, from {quoted(value_text(value[0]))} on"
    return "an empty object or list" if isinstance(value, dict | list) else quoted(value_text(value))


def of_objects(document: dict[str, Any], path: str, options: ScoreOptions) -> ScoreFile:
    """The scores in objects within objects, whose keys are told apart by `levels_of`.

    Raises `DataError` where the keys do not show what they are.
    """
    try:
        levels = levels_of(document)
    except UnclearKeys as unclear:
        if unclear.doubt != "query or run" or options.orient != "queries":
            raise _refused(unclear, document, path) from None
        levels = "query", "measure"
    if levels == ("run", "query"):
        # Keys that look like no queries, or that no run shares, may be documents.
        first, *others = document.values()
        if not all(map(are_queries, document.values())) or not set(first).intersection(*others):
            raise unexpected(document, path)
    layout = layout_of(_records(document, levels, options.measure, path), path, holes=options.holes)
    file = assemble(layout, runs_named="run" in levels, allow_range=options.allow_range)
    unlike = tuple(name for name in file.measures if name is not None and not is_like_a_measure(name))
    if len(unlike) < len(file.measures):
        file = replace(file, others=unlike)
    odd = None if options.allow_range or file.measures != (None,) else whole_numbers_among_fractions(file.values[:, 0])
    if odd is not None:
        what = f"{quoted(file.runs[odd])} has whole numbers above 1, all others have scores from 0 to 1"
        raise DataError(f"{what}; leave it out if it has counts; {ALLOW}", path=path)
    return file


def _refused(unclear: UnclearKeys, document: dict[str, Any], path: str) -> DataError:
    """The error of objects whose keys do not show what they are."""
    key = None if unclear.key is None else quoted(str(unclear.key))
    match unclear.doubt:
        case "query or run":
            remedy = f"Say {argument(orient='queries')} if all of them are queries; averages of runs cannot be used"
            return DataError(f"is {key} a query or a run? {remedy}", path=path)
        case "measure or run":
            other = next((name for name in document if not is_known(name)), None)
            if other is not None:
                what = f"are the keys measures or runs? {key} is a measure, {quoted(other)} is not known as one"
                return DataError(f"{what}; make it a csv with the header run,query_id,measure,score", path=path)
        case "id or count":
            what = f"{key} is named like ids or a count, not like a run"
            return DataError(f"{what}; make it a csv with a column of query ids, or leave it out", path=path)
        case "query outside":
            if not are_queries(query for by in document.values() for query in by):
                what = "is this a run, {query: {document: score}}, or scores, {query: {run: score}}?"
                remedy = (
                    "Write a run with 6 columns (ranx: run.save(path, kind='trec')), scores as {run: {query: score}}"
                )
                return DataError(f"{what} {remedy}, scores as {{run: {{query: score}}}}", path=path)
    return unexpected(document, path)


def _records(document: dict[str, Any], levels: tuple[Level, ...], default: str | None, path: str) -> Iterator[Record]:
    file_run = run_name(path)
    for run, name, query, value in entries(document, levels):
        measure = default if name is None else canonical(name)
        called = file_run if run is None else run.strip()
        column = f"{name or 'the score'} of {quoted(called)} on query {quoted(query)}"
        yield Record(None, called, measure, query.strip(), value_text(value), column)
