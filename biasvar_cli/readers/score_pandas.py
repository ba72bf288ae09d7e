"""JSON of pandas' ``to_json``, in each of its orients, to a table."""

from __future__ import annotations

from typing import Any

from biasvar_cli.readers.score_names import named

Columns = tuple[list[str], list[list[Any]]]


def table_of(document: dict[str, Any]) -> Columns | None:
    """The header and the rows of a DataFrame in JSON, None for any other object.

    ``split`` and ``table`` are known by their keys, ``columns`` and ``index`` by a column of queries, beside which no
    key is the name of a run. Row labels come first, without a name.

    >>> table_of({"columns": ["qid", "bm25"], "index": [0, 1], "data": [["301", "0.5"], ["302", "0.25"]]})
    (['', 'qid', 'bm25'], [[0, '301', '0.5'], [1, '302', '0.25']])
    >>> table_of({"qid": {"0": "301", "1": "302"}, "bm25": {"0": "0.5", "1": "0.25"}})
    (['', 'qid', 'bm25'], [['0', '301', '0.5'], ['1', '302', '0.25']])
    >>> table_of({"bm25": {"301": "0.5", "302": "0.25"}}) is None
    True
    """
    if {"columns", "data"} <= set(document) <= {"columns", "index", "data"}:
        return _split(document["columns"], document.get("index"), document["data"])
    if set(document) == {"schema", "data"}:
        return _records(document["data"])
    if not document or not all(isinstance(value, dict) for value in document.values()):
        return None
    if any(named(key, "query") for key in document):
        labels = list(next(iter(document.values())))
        rows = [[label, *(column.get(label) for column in document.values())] for label in labels]
        whole = all(list(column) == labels for column in document.values())
        return (["", *document], rows) if whole else None
    if all(any(named(key, "query") for key in row) for row in document.values()):
        return _records(list(document.values()))
    return None


def _split(names: object, labels: object, rows: object) -> Columns | None:
    if not (isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows)):
        return None
    if not isinstance(labels, list):
        return list(map(str, names)), rows
    if len(labels) != len(rows):
        return None
    return ["", *map(str, names)], [[label, *row] for label, row in zip(labels, rows, strict=True)]


def _records(rows: object) -> Columns | None:
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        return None
    header = list(rows[0])
    return (header, [list(row.values()) for row in rows]) if all(list(row) == header for row in rows) else None
