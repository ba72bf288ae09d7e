"""JSON to scores: records of ir_measures and PyTerrier, pandas' ``to_json``, our own, and objects within objects.

What ``biasvar scores -f json`` writes is read as arrays where it is as it was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats import samples
from biasvar_cli.readers.score_formats.format import Cells, ScoreFormat, ScoreOptions
from biasvar_cli.readers.score_formats.json_objects import (
    Number,
    loads,
    name_text,
    of_objects,
    unexpected,
    unrepeated,
    value_text,
)
from biasvar_cli.readers.score_formats.layout import Layout, Record, layout_of, plain_layout
from biasvar_cli.readers.score_formats.names import is_known, named
from biasvar_cli.readers.score_formats.records import AVERAGES, ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import decoded, line_feeds, quoted

_SCORES_JSON = re.compile(rb'\{\s*("version"\s*:\s*"[^"\\]{0,100}"\s*,\s*)?"results"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_Columns = tuple[list[str], list[list[Any]]]
_Numbered = tuple[int, Any]


def is_scores_json(data: bytes) -> bool:
    """Whether a JSON text starts as that of ``scores`` does.

    >>> is_scores_json(b'{"version": "1.0", "results": []}'), is_scores_json(b'{"301": {"map": 0.25}}')
    (True, False)
    """
    return _SCORES_JSON.match(data) is not None


def scores_json_arrays(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores of the JSON that ``scores`` writes; None for any other text, and for what needs a second look.

    >>> text = b'{"results": [{"measure": "AP", "queries": ["301"], "runs": [{"run": "bm25", "scores": [0.25]}]}]}'
    >>> file = scores_json_arrays(text, "scores.json", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    layout = _scores_json_layout(data, path) if is_scores_json(data) else None
    return layout and assemble(layout, allow_range=options.allow_range)


def _scores_json_layout(data: bytes, path: str) -> Layout | None:
    names: tuple[dict[Any, int], ...] = ({}, {}, {})  # of runs, measures and queries
    places, values = [], []
    try:
        for result in json.loads(data, object_pairs_hook=_once)["results"]:
            scores = [row["scores"] for row in result["runs"]]
            if any(not set(map(type, row)) <= {float, int} for row in scores):
                return None
            matrix = np.array(scores, dtype=np.float64)
            if matrix.ndim != 2 or matrix.shape[1] != len(result["queries"]):
                return None
            axes = ([row["run"] for row in result["runs"]], [result["measure"]], result["queries"])
            at = np.meshgrid(*map(_numbers, axes, names), indexing="ij")
            places.append(np.stack([index.ravel() for index in at], axis=1))
            values.append(matrix.ravel())
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    if not sum(map(len, values)):
        return None
    whole = np.concatenate(values)
    return plain_layout(path, list(map(list, names)), np.concatenate(places), whole, [None] * len(whole))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that has no key twice."""
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a key twice")
    return unique


def _numbers(names: Iterable[Any], known: dict[Any, int]) -> IntArray:
    """The numbers of names by their first appearance."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _scores_json_records(document: Any, path: str) -> Iterator[Record]:
    """The records of ``biasvar scores -f json``, whose line numbers would say nothing."""
    try:
        for result in document["results"]:
            measure = result["measure"]
            name = None if measure is None else canonical(name_text(measure, path))
            queries = [name_text(query, path) for query in result["queries"]]
            for row in result["runs"]:
                run, scores = name_text(row["run"], path), row["scores"]
                if not isinstance(scores, list) or len(scores) != len(queries):
                    raise DataError(f"run {quoted(run)} does not have one score for each of the queries", path=path)
                for query, score in zip(queries, scores, strict=True):
                    yield Record(None, run, name, query, value_text(score), f"the score of run {run} on query {query}")
    except (KeyError, TypeError):
        raise unexpected(document, path) from None


def _read(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | Cells:
    return scores_json_arrays(data, path, options) or parse_json(decoded(line_feeds(data), path), path, options)


def parse_json(text: str, path: str, options: ScoreOptions) -> ScoreFile | Cells:
    """The scores in a JSON text, or in one of an object a line; records of further keys come out as a table.

    The measure asked for is used where the text names none; with ``orient`` as queries, outer keys that look like no
    query ids are queries all the same. Raises `DataError` for JSON of another form, for a key that an object
    has twice, and for what `records.assemble` refuses.

    >>> file = parse_json('{"301": {"map": 0.25}, "302": {"map": 0.5}}', "bm25.json", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25.json',), ('AP',), ('301', '302'), [[[0.25, 0.5]]])
    """
    try:
        document = unrepeated(loads(text), path)
    except ValueError as error:
        _refuse_unfinished(text, error, path)
        return _of_records(_lines(text, path), path, options)
    if isinstance(document, list) and document and isinstance(document[0], dict):
        return _of_records(_elements(text), path, options)
    if not isinstance(document, dict):
        raise unexpected(document, path)
    file = samples.of_document(document, path, options) or samples.of_records([(1, document)], path, options)
    if file is not None:
        return file
    if "results" in document:
        return assemble(layout_of(_scores_json_records(document, path), path), allow_range=options.allow_range)
    if "value" in document and not isinstance(document["value"], dict):
        return _of_records([(1, document)], path, options)
    table = _data_frame(document)
    if table is not None:
        return _cells(table, path)
    flat = not any(isinstance(value, dict | list) for value in document.values())
    is_report = {"metrics", "model_names"} <= set(document)  # of ranx
    if document and ((flat and all(map(is_known, document))) or is_report):
        raise DataError("has averages only; save the scores of every query", path=path)
    if not document:
        raise unexpected(document, path)
    return of_objects(document, path, options)


def _refuse_unfinished(text: str, error: ValueError, path: str) -> None:
    """Raise `DataError` for one JSON value over several lines that is cut off or wrong, with the line of the fault.

    In JSON lines the first line is a value, or else that line is wrong.
    """
    if isinstance(error, json.JSONDecodeError) and text.lstrip().partition("\n")[0].rstrip() in ("{", "["):
        raise DataError(f"cannot be read as JSON: {error.msg}; it may be cut off", path=path, line=error.lineno)


def _cells(table: _Columns, path: str) -> Cells:
    """A DataFrame in JSON as a table, which pandas writes in one line."""
    header, rows = table
    if len(header) < 2 or not rows or any(len(row) != len(header) for row in rows):
        raise unexpected(dict.fromkeys(header, rows), path)
    return Cells(
        path, 1, [name.strip() for name in header], [(1, [value_text(cell).strip() for cell in row]) for row in rows]
    )


def _lines(text: str, path: str) -> list[_Numbered]:
    """The JSON values of a text that has one a line, with the numbers of their lines."""
    values = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                parsed = loads(line)
            except ValueError as error:
                raise DataError(f"cannot be read as JSON: {error}", path=path, line=number) from None
            values.append((number, unrepeated(parsed, path, number)))
    return values


def _elements(text: str) -> list[_Numbered]:
    """The elements of a JSON list, with the numbers of the lines that they start in."""
    decoder = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number)
    elements: list[_Numbered] = []
    line, seen, start = 1, 0, text.index("[") + 1
    while True:
        between = _BETWEEN.match(text, start)
        start = between.end() if between else start
        if text[start] == "]":
            return elements
        line += text.count("\n", seen, start)
        seen = start
        value, start = decoder.raw_decode(text, start)
        elements.append((line, value))


def _of_records(records: Sequence[_Numbered], path: str, options: ScoreOptions) -> ScoreFile | Cells:
    """Records of ir_measures, whose run is the file, or a table with the keys of the first record as its header."""
    file = samples.of_records(records, path, options)
    if file is not None:
        return file
    line, first = records[0] if records else (1, None)
    if not isinstance(first, dict) or not first:
        raise unexpected(first, path, line)
    others = [key for key in first if named(key, "run") or (named(key, "query") and key != "query_id")]
    if {"measure", "value"} <= set(first) and not others:
        remedy = "keep one, or add a key called run that tells them apart"
        layout = layout_of(_of_ir_measures(records, path), path, remedy)
        return assemble(layout, means="optional", runs_named=False, allow_range=options.allow_range)
    header = [key.strip() for key in first]
    rows = []
    for number, record in records:
        if not isinstance(record, dict) or list(record) != list(first):
            keys = quoted(", ".join(header))
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
        query, measure = name_text(record["query_id"], path, number), name_text(record["measure"], path, number)
        column = f"{measure} of query {query}"
        yield Record(number, run, canonical(measure), query, value_text(record["value"]), column)


def _data_frame(document: dict[str, Any]) -> _Columns | None:
    """The header and the rows of a DataFrame in JSON, None for any other object.

    ``split`` and ``table`` are known by their keys, ``columns`` and ``index`` by a column of queries, beside which no
    key is the name of a run. Row labels come first, without a name.

    >>> _data_frame({"columns": ["qid", "bm25"], "index": [0, 1], "data": [["301", "0.5"], ["302", "0.25"]]})
    (['', 'qid', 'bm25'], [[0, '301', '0.5'], [1, '302', '0.25']])
    >>> _data_frame({"qid": {"0": "301", "1": "302"}, "bm25": {"0": "0.5", "1": "0.25"}})
    (['', 'qid', 'bm25'], [['0', '301', '0.5'], ['1', '302', '0.25']])
    >>> _data_frame({"bm25": {"301": "0.5", "302": "0.25"}}) is None
    True
    """
    if {"columns", "data"} <= set(document) <= {"columns", "index", "data"}:
        return _split(document["columns"], document.get("index"), document["data"])
    if set(document) == {"schema", "data"}:
        return _rows_of_objects(document["data"])
    if not document or not all(isinstance(value, dict) for value in document.values()):
        return None
    if any(named(key, "query") for key in document):
        labels = list(next(iter(document.values())))
        rows = [[label, *(column.get(label) for column in document.values())] for label in labels]
        whole = all(list(column) == labels for column in document.values())
        return (["", *document], rows) if whole else None
    if all(any(named(key, "query") for key in row) for row in document.values()):
        return _rows_of_objects(list(document.values()))
    return None


def _split(names: object, labels: object, rows: object) -> _Columns | None:
    if not (isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows)):
        return None
    if not isinstance(labels, list):
        return list(map(str, names)), rows
    if len(labels) != len(rows):
        return None
    return ["", *map(str, names)], [[label, *row] for label, row in zip(labels, rows, strict=True)]


def _rows_of_objects(rows: object) -> _Columns | None:
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        return None
    header = list(rows[0])
    return (header, [list(row.values()) for row in rows]) if all(list(row) == header for row in rows) else None


FORMAT = ScoreFormat(
    "json",
    lambda lines: lines[0].startswith((b"{", b"[")),
    _read,
    {
        "bm25.jsonl": '{"query_id": "301", "measure": "AP", "value": 0.5}\n'
        '{"query_id": "302", "measure": "AP", "value": 1.0}\n{"query_id": "all", "measure": "AP", "value": 0.75}\n',
        "results.json": '{"301": {"map": 0.5, "P_5": 0.2}, "302": {"map": 1.0, "P_5": 0.4}}\n',
        "runs.json": '{"bm25": {"301": 0.5, "302": 1.0}, "rm3": {"301": 0.25, "302": 0.5}}\n',
        **samples.EXAMPLES,
    },
)
