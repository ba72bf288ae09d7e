"""JSON to scores: our own, records of ir_measures and PyTerrier, and objects within objects, as pytrec_eval gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.json_text import are_queries, loads, unrepeated
from biasvar_cli.readers.score_layout import Record
from biasvar_cli.readers.score_names import is_count, is_id, is_known, named
from biasvar_cli.readers.score_pandas import Columns, table_of
from biasvar_cli.readers.score_ranges import ALLOW, whole_numbers_among_fractions
from biasvar_cli.readers.score_records import ScoreFile, assemble
from biasvar_cli.readers.score_summaries import summary
from biasvar_cli.readers.score_tables import Cells, Orient
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import shown

AVERAGES = "evaluate again with -q, which prints every query"
_BETWEEN = re.compile(r"[\s,]*")

_Numbered = tuple[int, Any]


def parse_json(
    text: str, path: str, *, orient: Orient | None = None, measure: str | None = None, allow_range: bool = False
) -> ScoreFile | Cells:
    """The scores in a JSON text, or in one of an object a line; records of further keys come out as a table.

    ``measure`` is used where the text names none; with ``orient`` as queries, outer keys that look like no query ids
    are queries all the same. Raises `DataError` for JSON of another form, for a key that an object
    has twice, and for what `score_records.assemble` refuses.

    >>> file = parse_json('{"301": {"map": 0.25}, "302": {"map": 0.5}}', "bm25.json")
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25.json',), ('AP',), ('301', '302'), [[[0.25, 0.5]]])
    """
    try:
        document = unrepeated(loads(text), path)
    except ValueError:
        return _of_records(_lines(text, path), path, allow_range)
    if isinstance(document, dict) and "results" in document:
        return assemble(_own_results(document, path), path, allow_range=allow_range)
    if isinstance(document, dict) and "value" in document and not isinstance(document["value"], dict):
        return _of_records([(1, document)], path, allow_range)
    table = table_of(document) if isinstance(document, dict) else None
    if table is not None:
        return _cells(table, path)
    if isinstance(document, list) and document and isinstance(document[0], dict):
        return _of_records(_elements(text), path, allow_range)
    if isinstance(document, dict) and _has_averages(document):
        raise DataError("has averages only; save the scores of every query", path=path)
    if isinstance(document, dict) and document:
        return _of_objects(document, path, orient, measure, allow_range)
    raise _unexpected(path)


def _has_averages(document: dict[str, Any]) -> bool:
    """Whether an object is {measure: value}, or a report of ranx."""
    flat = not any(isinstance(value, dict | list) for value in document.values())
    return bool(document) and ((flat and all(map(is_known, document))) or {"metrics", "model_names"} <= set(document))


def _cells(table: Columns, path: str) -> Cells:
    """A DataFrame in JSON as a table, which pandas writes in one line."""
    header, rows = table
    if len(header) < 2 or not rows or any(len(row) != len(header) for row in rows):
        raise _unexpected(path)
    return Cells(
        path, 1, [name.strip() for name in header], [(1, [_value(cell).strip() for cell in row]) for row in rows]
    )


def _lines(text: str, path: str) -> list[_Numbered]:
    """The JSON values of a text that has one a line, with the numbers of their lines."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                parsed = loads(line)
            except ValueError as error:
                raise DataError(f"cannot be read as JSON: {error}", path=path, line=number) from None
            found.append((number, unrepeated(parsed, path, number)))
    return found


def _elements(text: str) -> list[_Numbered]:
    """The elements of a JSON list, with the numbers of the lines that they start in."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    found: list[_Numbered] = []
    line, seen, start = 1, 0, text.index("[") + 1
    while True:
        between = _BETWEEN.match(text, start)
        start = between.end() if between else start
        if text[start] == "]":
            return found
        line += text.count("\n", seen, start)
        seen = start
        value, start = decoder.raw_decode(text, start)
        found.append((line, value))


def _of_records(records: Sequence[_Numbered], path: str, allow_range: bool) -> ScoreFile | Cells:
    """Records of ir_measures, whose run is the file, or a table with the keys of the first record as its header."""
    line, first = records[0] if records else (1, None)
    if not isinstance(first, dict) or not first:
        raise _unexpected(path, line)
    others = [key for key in first if named(key, "run") or (named(key, "query") and key != "query_id")]
    if {"measure", "value"} <= set(first) and not others:
        found = _of_ir_measures(records, path)
        remedy = "keep one, or add a key called run that tells them apart"
        return assemble(found, path, means="expected", runs_named=False, allow_range=allow_range, remedy=remedy)
    header = [key.strip() for key in first]
    rows = []
    for number, record in records:
        if not isinstance(record, dict) or list(record) != list(first):
            keys = shown(", ".join(header))
            raise DataError(f"expected an object with the keys {keys}, as the first has", path=path, line=number)
        rows.append((number, [_value(value).strip() for value in record.values()]))
    if len(header) < 2 or any(isinstance(value, dict | list) for value in first.values()):
        raise _unexpected(path, line)
    return Cells(path, line, header, rows)


def _of_ir_measures(records: Sequence[_Numbered], path: str) -> Iterator[Record]:
    run = run_name(path)
    for number, record in records:
        if not isinstance(record, dict) or not {"measure", "value"} <= set(record):
            raise _unexpected(path, number)
        if "query_id" not in record:
            raise DataError(f"has averages only; {AVERAGES}", path=path, line=number)
        query, measure = _name(record["query_id"], path, number), _name(record["measure"], path, number)
        column = f"{measure} of query {query}"
        yield Record(number, run, canonical(measure), query, _value(record["value"]), column)


def _own_results(document: Any, path: str) -> Iterator[Record]:
    """The records of ``biasvar scores -f json``, whose line numbers would say nothing."""
    try:
        for result in document["results"]:
            measure = result["measure"]
            name = None if measure is None else canonical(_name(measure, path))
            queries = [_name(query, path) for query in result["queries"]]
            for row in result["runs"]:
                run, scores = _name(row["run"], path), row["scores"]
                if not isinstance(scores, list) or len(scores) != len(queries):
                    raise DataError(f"run {shown(run)} does not have one score for each of the queries", path=path)
                for query, score in zip(queries, scores, strict=True):
                    yield Record(None, run, name, query, _value(score), f"the score of run {run} on query {query}")
    except (KeyError, TypeError):
        raise _unexpected(path) from None


def _of_objects(
    document: dict[str, Any], path: str, orient: Orient | None, measure: str | None, allow_range: bool
) -> ScoreFile:
    """Objects within objects: {query: {measure: value}}, {measure: {query: value}}, {run: {query: score}},
    {run: {query: {measure: value}}} or {run: {measure: {query: value}}}.

    What the keys are has to show in them: a run as ranx and pytrec_eval have it, {query: {document: score}}, looks the
    same.
    """
    inner = _keys_below([document], path)
    values = [value for below in document.values() for value in below.values()]
    own, default = run_name(path), canonical(measure) if measure else None
    if any(isinstance(value, dict) for value in values):
        records = _of_three(document, inner, path)
    elif all(map(is_known, inner)) and not all(map(is_known, document)):
        if orient != "queries" and not are_queries(document):
            what = f"is {shown(next(iter(document)))} a query or a run? Say --orient queries if all of them are queries"
            raise DataError(f"{what}; averages of runs cannot be used", path=path)
        records = [(own, name, query, value) for query, by in document.items() for name, value in by.items()]
    elif all(map(is_known, document)) and not all(map(is_known, inner)):
        records = [(own, name, query, value) for name, by in document.items() for query, value in by.items()]
    else:
        _check_runs(document, inner, path)
        records = [(run, None, query, value) for run, by in document.items() for query, value in by.items()]
    found = assemble(_named_records(records, default), path, runs_named=records[0][0] != own, allow_range=allow_range)
    odd = None if allow_range or found.measures != (None,) else whole_numbers_among_fractions(found.values[:, 0])
    if odd is not None:
        what = f"{shown(found.runs[odd])} has whole numbers above 1, all others have scores from 0 to 1"
        raise DataError(f"{what}; leave it out if it has counts; {ALLOW}", path=path)
    return found


def _of_three(document: dict[str, Any], inner: dict[str, None], path: str) -> list[tuple[str, str | None, str, Any]]:
    """The run, measure, query and value of {run: {query: {measure: value}}} or of {run: {measure: {query: value}}}."""
    innermost = _keys_below(list(document.values()), path)
    measure_first = all(map(is_known, inner)) and not all(map(is_known, innermost))
    queries = innermost if measure_first else inner
    if not all(map(is_known, inner if measure_first else innermost)):
        raise _unexpected(path)
    if are_queries(document) and not are_queries(queries):
        raise _unexpected(path)
    triples = [
        (run, one, two, value)
        for run, by in document.items()
        for one, under in by.items()
        for two, value in under.items()
    ]
    return [(run, one, two, value) if measure_first else (run, two, one, value) for run, one, two, value in triples]


def _named_records(records: Sequence[tuple[str, str | None, str, Any]], default: str | None) -> Iterator[Record]:
    for run, name, query, value in records:
        measure = default if name is None else canonical(name)
        column = f"{name or 'the score'} of {shown(run)} on query {shown(query)}"
        yield Record(None, run.strip(), measure, query.strip(), _value(value), column)


def _keys_below(objects: Sequence[dict[str, Any]], path: str) -> dict[str, None]:
    """The keys of the objects in these objects. Raises `DataError` where something else is in them, or nothing."""
    below = [value for each in objects for value in each.values()]
    if not below or not all(isinstance(value, dict) and value for value in below):
        raise _unexpected(path)
    return {key: None for value in below for key in value}


def _check_runs(document: dict[str, Any], queries: dict[str, None], path: str) -> None:
    """Raise `DataError` unless the keys are runs and those below are queries, some of them of all runs."""
    measure = next((run for run in document if is_known(run) and not summary(run)), None)
    if measure is not None:
        other = next(run for run in document if not is_known(run))
        what = f"are the keys measures or runs? {shown(measure)} is a measure, {shown(other)} is not known as one"
        raise DataError(f"{what}; make it a csv with the header run,query_id,measure,score", path=path)
    wrong = next((run for run in document if is_id(run) or is_count(run)), None)
    if wrong is not None:
        what = f"{shown(wrong)} is named like ids or a count, not like a run"
        raise DataError(f"{what}; make it a csv with a column of query ids, or leave it out", path=path)
    shared = set.intersection(*(set(by) for by in document.values()))
    if are_queries(document) and not are_queries(queries):
        what = "is this a run, {query: {document: score}}, or scores, {query: {run: score}}?"
        remedy = "Write a run with 6 columns (ranx: run.save(path, kind='trec')), scores as {run: {query: score}}"
        raise DataError(f"{what} {remedy}", path=path)
    if not are_queries(queries) or are_queries(document) or not shared:
        raise _unexpected(path)


def _name(value: object, path: str, line: int | None = None) -> str:
    if not isinstance(value, str):
        raise DataError(f"expected a name, found {shown(_value(value))}", path=path, line=line)
    return value


def _value(value: object) -> str:
    """A JSON value as text: a number as it stood there."""
    return value if isinstance(value, str) else json.dumps(value)


def _unexpected(path: str, line: int | None = None) -> DataError:
    forms = (
        "what biasvar scores -f json writes; records of query_id, measure and value, and maybe run, as ir_measures and "
        "PyTerrier have them; {query: {measure: value}}; {run: {query: score}}; {run: {query: {measure: value}}}"
    )
    return DataError(f"JSON, but not of a form that is read as scores: {forms}", path=path, line=line)
