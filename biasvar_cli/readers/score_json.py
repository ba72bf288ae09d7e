"""JSON to scores: our own, records of ir_measures and PyTerrier, and objects within objects, as pytrec_eval gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.json_text import loads, unexpected, unrepeated, value_text
from biasvar_cli.readers.score_layout import Record
from biasvar_cli.readers.score_names import is_known, named
from biasvar_cli.readers.score_objects import of_objects
from biasvar_cli.readers.score_pandas import Columns, table_of
from biasvar_cli.readers.score_records import ScoreFile, assemble
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
        return of_objects(document, path, orient, measure, allow_range)
    raise unexpected(document, path)


def _has_averages(document: dict[str, Any]) -> bool:
    """Whether an object is {measure: value}, or a report of ranx."""
    flat = not any(isinstance(value, dict | list) for value in document.values())
    return bool(document) and ((flat and all(map(is_known, document))) or {"metrics", "model_names"} <= set(document))


def _cells(table: Columns, path: str) -> Cells:
    """A DataFrame in JSON as a table, which pandas writes in one line."""
    header, rows = table
    if len(header) < 2 or not rows or any(len(row) != len(header) for row in rows):
        raise unexpected(dict.fromkeys(header, rows), path)
    return Cells(
        path, 1, [name.strip() for name in header], [(1, [value_text(cell).strip() for cell in row]) for row in rows]
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
        raise unexpected(first, path, line)
    others = [key for key in first if named(key, "run") or (named(key, "query") and key != "query_id")]
    if {"measure", "value"} <= set(first) and not others:
        found = _of_ir_measures(records, path)
        remedy = "keep one, or add a key called run that tells them apart"
        return assemble(found, path, means="optional", runs_named=False, allow_range=allow_range, remedy=remedy)
    header = [key.strip() for key in first]
    rows = []
    for number, record in records:
        if not isinstance(record, dict) or list(record) != list(first):
            keys = shown(", ".join(header))
            raise DataError(f"expected an object with the keys {keys}, as the first has", path=path, line=number)
        rows.append((number, [value_text(value).strip() for value in record.values()]))
    if len(header) < 2 or any(isinstance(value, dict | list) for value in first.values()):
        raise unexpected(first, path, line)
    return Cells(path, line, header, rows)


def _of_ir_measures(records: Sequence[_Numbered], path: str) -> Iterator[Record]:
    run = run_name(path)
    for number, record in records:
        if not isinstance(record, dict) or not {"measure", "value"} <= set(record):
            raise unexpected(record, path, number)
        if "query_id" not in record:
            raise DataError(f"has averages only; {AVERAGES}", path=path, line=number)
        query, measure = _name(record["query_id"], path, number), _name(record["measure"], path, number)
        column = f"{measure} of query {query}"
        yield Record(number, run, canonical(measure), query, value_text(record["value"]), column)


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
                    yield Record(None, run, name, query, value_text(score), f"the score of run {run} on query {query}")
    except (KeyError, TypeError):
        raise unexpected(document, path) from None


def _name(value: object, path: str, line: int | None = None) -> str:
    if not isinstance(value, str):
        raise DataError(f"expected a name, found {shown(value_text(value))}", path=path, line=line)
    return value
