"""Scores in JSON: records of ir_measures and PyTerrier, pandas' ``to_json``, our own output, and nested objects.

The output of ``biasvar scores -f json`` is read as arrays if it has not been edited.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats import leaderboards, names, nested, samples
from biasvar_cli.readers.score_formats.layout import Record, layout_of, plain_layout
from biasvar_cli.readers.score_formats.records import (
    ALLOW,
    AVERAGES,
    ScoreFile,
    whole_numbers_among_fractions,
)
from biasvar_cli.readers.score_formats.tables import Cells, ScoreFormat, ScoreOptions
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import Number, array_elements, loads, plain_text, quoted, value_text
from biasvar_cli.words import argument, counted

_SCORES_JSON = re.compile(rb'\{\s*("version"\s*:\s*"[^"\\]{0,100}"\s*,\s*)?"results"\s*:\s*\[')
_DECODER = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number)
_Numbered = tuple[int, Any]
_Columns = tuple[list[str], list[list[Any]]]


def is_scores_json(data: bytes) -> bool:
    """Whether a JSON text starts like the output of the command ``scores``.

    >>> is_scores_json(b'{"version": "1.0", "results": []}'), is_scores_json(b'{"301": {"map": 0.25}}')
    (True, False)
    """
    return _SCORES_JSON.match(data) is not None


def scores_json_arrays(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores in the JSON that ``scores`` writes; None for any other text, and if the other reader has to look.

    >>> text = b'{"results": [{"measure": "AP", "queries": ["301"], "runs": [{"run": "bm25", "scores": [0.25]}]}]}'
    >>> file = scores_json_arrays(text, "scores.json", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    if not is_scores_json(data):
        return None
    known: tuple[dict[Any, int], ...] = ({}, {}, {})  # the indices of runs, measures and queries
    indices, values = [], []
    try:
        for result in json.loads(data, object_pairs_hook=_without_repeats)["results"]:
            scores = [row["scores"] for row in result["runs"]]
            if any(not set(map(type, row)) <= {float, int} for row in scores):
                return None
            matrix = np.array(scores, dtype=np.float64)
            if matrix.ndim != 2 or matrix.shape[1] != len(result["queries"]):
                return None
            runs = [row["run"] for row in result["runs"]]
            axes = zip((runs, [result["measure"]], result["queries"]), known, strict=True)
            axis_indices = ([index_of.setdefault(name, len(index_of)) for name in axis] for axis, index_of in axes)
            grid = np.stack(np.meshgrid(*axis_indices, indexing="ij"), axis=-1)
            indices.append(grid.reshape(-1, 3).astype(np.int64))
            values.append(matrix.ravel())
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    if not sum(map(len, values)):
        return None
    joined = np.concatenate(values)
    layout = plain_layout(path, list(map(list, known)), np.concatenate(indices), joined, [None] * len(joined))
    return layout and options.assemble(layout)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError for a repeated key."""
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a key twice")
    return unique


def _scores_json_records(document: Any, path: str) -> Iterator[Record]:
    """The records in the output of ``biasvar scores -f json``, without line numbers."""
    try:
        for result in document["results"]:
            measure = result["measure"]
            name = None if measure is None else canonical(_name(measure, path))
            queries = [_name(query, path) for query in result["queries"]]
            for row in result["runs"]:
                run, scores = _name(row["run"], path), row["scores"]
                if not isinstance(scores, list) or len(scores) != len(queries):
                    raise DataError(f"run {quoted(run)} does not have one score for each of the queries", path=path)
                for query, score in zip(queries, scores, strict=True):
                    yield Record(None, run, name, query, value_text(score), f"the score of run {run} on query {query}")
    except (KeyError, TypeError):
        raise _unexpected(document, path) from None


def _name(value: object, path: str, line: int | None = None) -> str:
    """A JSON value that has to be text. Raises `DataError` for any other value."""
    if not isinstance(value, str):
        raise DataError(f"expected a name, found {quoted(value_text(value))}", path=path, line=line)
    return value


def _unexpected(value: object, path: str, line: int | None = None) -> DataError:
    """The error for JSON that has no scores in any form that is read; it describes the JSON."""
    forms = (
        "expected {query: {measure: value}}, {run: {query: score}}, {run: {query: {measure: value}}}, records of "
        "query_id, measure and value, or what biasvar scores -f json writes"
    )
    what = "an empty object or list" if isinstance(value, dict | list) else quoted(value_text(value))
    if isinstance(value, dict) and value:
        key, below = next(iter(value.items()))
        inner = f", the first with {quoted(str(next(iter(below))))}" if isinstance(below, dict) and below else ""
        what = f"an object with {counted(len(value), 'entry')}, such as {quoted(key)}{inner}"
    elif isinstance(value, list) and value:
        what = f"a list of {len(value)} that starts with {quoted(value_text(value[0]))}"
    return DataError(f"JSON, but not scores in a form that is read: found {what}; {forms}", path=path, line=line)


def _read(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | Cells:
    """The scores in a JSON text, or in JSON lines; records with other keys than ir_measures' become a table.

    The measure of the options is used if the text names none. With ``orient`` queries, outer keys are queries even if
    they do not look like query ids. Raises `DataError` for JSON of another form and for a repeated key; for the other
    errors see `records.assemble`.

    >>> file = _read(b'{"301": {"map": 0.25}, "302": {"map": 0.5}}', "bm25.json", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25.json',), ('AP',), ('301', '302'), [[[0.25, 0.5]]])
    """
    file = scores_json_arrays(data, path, options)
    if file is not None:
        return file
    text = plain_text(data, path)
    try:
        document = loads(text, path)
    except ValueError as error:
        # A first line { or [ is the start of one value, which may be cut off; any other text is JSON lines.
        if isinstance(error, json.JSONDecodeError) and text.lstrip().partition("\n")[0].rstrip() in ("{", "["):
            what = f"cannot be read as JSON: {error.msg}; it may be cut off"
            raise DataError(what, path=path, line=error.lineno) from None
        return _record_scores(_lines(text, path), path, options)
    if isinstance(document, list) and document and isinstance(document[0], dict):
        elements = array_elements(text, path, lambda at, _: _DECODER.raw_decode(text, at))
        return _record_scores(list(elements), path, options)
    if not isinstance(document, dict):
        raise _unexpected(document, path)
    file = samples.of_document(document, path, options) or samples.of_records([(1, document)], path, options)
    if file is not None:
        return file
    if "results" in document:
        return options.assemble(layout_of(_scores_json_records(document, path), path))
    if "value" in document and not isinstance(document["value"], dict):
        return _record_scores([(1, document)], path, options)
    table = _data_frame(document)
    if table is not None:
        header, rows = table
        if len(header) < 2 or not rows or any(len(row) != len(header) for row in rows):
            raise _unexpected(dict.fromkeys(header, rows), path)
        cells = [(1, [value_text(cell).strip() for cell in row]) for row in rows]  # pandas writes a single line
        return Cells(path, 1, [name.strip() for name in header], cells)
    if not document:
        raise _unexpected(document, path)
    is_flat = not any(isinstance(value, dict | list) for value in document.values())
    is_report_of_ranx = {"metrics", "model_names"} <= set(document)
    if (is_flat and all(map(names.is_known, document))) or is_report_of_ranx:
        raise DataError("has averages only; save the scores of every query", path=path)
    return _object_scores(document, path, options)


def _lines(text: str, path: str) -> list[_Numbered]:
    """The JSON values of a text with one value a line, with their line numbers."""
    values = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                values.append((number, loads(line, path, number)))
            except ValueError as error:
                raise DataError(f"cannot be read as JSON: {error}", path=path, line=number) from None
    return values


def _record_scores(records: Sequence[_Numbered], path: str, options: ScoreOptions) -> ScoreFile | Cells:
    """The scores in records of ir_measures, in a file of one run; other records become a table, with keys as header."""
    file = samples.of_records(records, path, options)
    if file is not None:
        return file
    line, first = records[0] if records else (1, None)
    if not isinstance(first, dict) or not first:
        raise _unexpected(first, path, line)
    if set(first) >= _LEADERBOARD:
        return leaderboards.scores_of(_leaderboard_entries(records, path), path, options)
    others = [key for key in first if names.named(key, "run") or (names.named(key, "query") and key != "query_id")]
    if {"measure", "value"} <= set(first) and not others:
        remedy = "keep one, or add a key called run that tells them apart"

        def values() -> Iterator[Record]:
            run = run_name(path)
            for number, record in records:
                if not isinstance(record, dict) or not {"measure", "value"} <= set(record):
                    raise _unexpected(record, path, number)
                if "query_id" not in record:
                    raise DataError(f"has averages only; {AVERAGES}", path=path, line=number)
                query, measure = _name(record["query_id"], path, number), _name(record["measure"], path, number)
                column, value = f"{measure} of query {query}", value_text(record["value"])
                yield Record(number, run, canonical(measure), query, value, column)

        layout = layout_of(values(), path, remedy)
        return options.assemble(layout, means="optional", runs_named=False)
    header = [key.strip() for key in first]
    rows = []
    for number, record in records:
        if not isinstance(record, dict) or list(record) != list(first):
            keys = quoted(", ".join(header))
            raise DataError(f"expected an object with the keys {keys}, like the first", path=path, line=number)
        rows.append((number, [value_text(value).strip() for value in record.values()]))
    objects = [key for key in header if isinstance(first.get(key), dict | list)]
    are_words = all(names.plain(key) in names.WORDS_OF_A_JUDGE for key in objects)
    is_long = all(any(names.named(key, role) for key in header) for role in ("run", "score"))
    if len(header) < 2 or (objects and not (are_words or is_long or any(map(names.is_judged, header)))):
        raise _unexpected(first, path, line)
    return Cells(path, line, header, rows)


_LEADERBOARD = {"run_id", "topic_id", "measure", "value"}  # keys of TREC AutoJudge's JSON lines


def _leaderboard_entries(records: Sequence[_Numbered], path: str) -> list[leaderboards.Entry]:
    entries = []
    for line, record in records:
        if not isinstance(record, dict) or not set(record) >= _LEADERBOARD:
            what = f"expected an object with the keys {', '.join(sorted(_LEADERBOARD))}, like the first"
            raise DataError(f"{what}; found {quoted(value_text(record))}", path=path, line=line)
        run, measure, topic = (_name(record[key], path, line) for key in ("run_id", "measure", "topic_id"))
        entries.append(leaderboards.Entry(line, run, measure, topic, value_text(record["value"])))
    return entries


def _data_frame(document: dict[str, Any]) -> _Columns | None:
    """The header and the rows of a DataFrame in JSON, None for any other object.

    Keys identify pandas' forms ``split`` and ``table``; a column of queries identifies ``columns`` and ``index``. Row
    labels become a first column without a name.

    >>> _data_frame({"columns": ["qid", "bm25"], "index": [0, 1], "data": [["301", "0.5"], ["302", "0.25"]]})
    (['', 'qid', 'bm25'], [[0, '301', '0.5'], [1, '302', '0.25']])
    >>> _data_frame({"qid": {"0": "301", "1": "302"}, "bm25": {"0": "0.5", "1": "0.25"}})
    (['', 'qid', 'bm25'], [['0', '301', '0.5'], ['1', '302', '0.25']])
    >>> _data_frame({"bm25": {"301": "0.5", "302": "0.25"}}) is None
    True
    """
    if {"columns", "data"} <= set(document) <= {"columns", "index", "data"}:
        header, labels, rows = document["columns"], document.get("index"), document["data"]
        if not (isinstance(header, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows)):
            return None
        if not isinstance(labels, list):
            return list(map(str, header)), rows
        if len(labels) != len(rows):
            return None
        return ["", *map(str, header)], [[label, *row] for label, row in zip(labels, rows, strict=True)]
    if set(document) == {"schema", "data"}:
        return _rows_of_objects(document["data"])
    if not document or not all(isinstance(value, dict) for value in document.values()):
        return None
    if any(names.named(key, "query") for key in document):
        labels = list(next(iter(document.values())))
        rows = [[label, *(column.get(label) for column in document.values())] for label in labels]
        have_same_labels = all(list(column) == labels for column in document.values())
        return (["", *document], rows) if have_same_labels else None
    if all(any(names.named(key, "query") for key in row) for row in document.values()):
        return _rows_of_objects(list(document.values()))
    return None


def _rows_of_objects(rows: object) -> _Columns | None:
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        return None
    header = list(rows[0])
    return (header, [list(row.values()) for row in rows]) if all(list(row) == header for row in rows) else None


def _object_scores(document: dict[str, Any], path: str, options: ScoreOptions) -> ScoreFile:
    """The scores in objects of objects; for their levels see `nested.levels_of`.

    Raises `DataError` if the levels are unclear.
    """
    try:
        levels = nested.levels_of(document)
    except nested.UnclearKeys as unclear:
        if unclear.doubt != "query or run" or options.orient != "queries":
            raise _refused(unclear, document, path) from None
        levels = "query", "measure"
    if levels == ("run", "query"):
        # Inner keys may be documents if they do not look like queries, or if the objects share none.
        first, *others = document.values()
        if not all(map(nested.are_queries, document.values())) or not set(first).intersection(*others):
            raise _may_be_run(document, path)

    def records() -> Iterator[Record]:
        file_run = run_name(path)
        for run, name, query, value in nested.entries(document, levels):
            measure = options.measure if name is None else canonical(name)
            run_of_value = file_run if run is None else run.strip()
            column = f"{name or 'the score'} of {quoted(run_of_value)} on query {quoted(query)}"
            yield Record(None, run_of_value, measure, query.strip(), value_text(value), column)

    file = nested.nested_file(records(), levels, path, measures=options.names, allow_range=options.allow_range)
    odd = None if options.allow_range or file.measures != (None,) else whole_numbers_among_fractions(file.values[:, 0])
    if odd is not None:
        what = f"{quoted(file.runs[odd])} has whole numbers above 1, all others have scores from 0 to 1"
        raise DataError(f"{what}; leave it out if it has counts; {ALLOW}", path=path)
    return file


def _refused(unclear: nested.UnclearKeys, document: dict[str, Any], path: str) -> DataError:
    """The error for objects with unclear levels."""
    key = None if unclear.key is None else quoted(str(unclear.key))
    match unclear.doubt:
        case "query or run":
            remedy = f"Say {argument(orient='queries')} if all of them are queries; averages of runs cannot be used"
            return DataError(f"is {key} a query or a run? {remedy}", path=path)
        case "measure or run":
            other = next((name for name in document if not names.is_known(name)), None)
            if other is not None:
                what = f"are the keys measures or runs? {key} is a measure, {quoted(other)} is not known as one"
                return DataError(f"{what}; make it a csv with the header run,query_id,measure,score", path=path)
        case "id or count":
            what = f"{key} is named like ids or a count, not like a run"
            return DataError(f"{what}; make it a csv with a column of query ids, or leave it out", path=path)
        case "run and measure":
            return DataError(f"{unclear.key}; write {{run: {{query: {{measure: score}}}}}}, or rename them", path=path)
        case "query outside":
            if not nested.are_queries(key for inner in document.values() for key in inner):
                what = "is this a run, {query: {document: score}}, or scores, {query: {run: score}}?"
                return DataError(f"{what} {_WITH_JUDGMENTS}; write scores as {{run: {{query: score}}}}", path=path)
    return _may_be_run(document, path)


def _may_be_run(document: dict[str, Any], path: str) -> DataError:
    """The error for an object of unknown form; if its inner values are numbers, it says how to give a run."""
    error = _unexpected(document, path)
    values = [value for inner in document.values() if isinstance(inner, dict) for value in inner.values()]
    are_numbers = bool(values) and all(isinstance(value, Number) for value in values)
    return DataError.of(error, f". {_WITH_JUDGMENTS}") if are_numbers else error


_WITH_JUDGMENTS = f"A run needs judgments of its queries, {argument('qrels QRELS')}"


FORMAT = ScoreFormat(
    "json",
    lambda lines: lines[0].startswith((b"{", b"[")),
    _read,
    {
        "bm25.jsonl": '{"query_id": "301", "measure": "AP", "value": 0.5}\n'
        '{"query_id": "302", "measure": "AP", "value": 1.0}\n{"query_id": "all", "measure": "AP", "value": 0.75}\n',
        "results.json": '{"301": {"map": 0.5, "P_5": 0.2}, "302": {"map": 1.0, "P_5": 0.4}}\n',
        "runs.json": '{"bm25": {"301": 0.5, "302": 1.0}, "rm3": {"301": 0.25, "302": 0.5}}\n',
        "leaderboard.jsonl": "".join(
            f'{{"run_id": "{run}", "topic_id": "{topic}", "measure": "map", "value": {value}}}\n'
            for run, values in (("bm25", (0.5, 1.0, 0.75)), ("rm3", (0.25, 0.5, 0.375)))
            for topic, value in zip(("301", "302", "all"), values, strict=True)
        ),
        **samples.EXAMPLES,
    },
)
