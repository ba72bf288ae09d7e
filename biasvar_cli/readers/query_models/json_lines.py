"""Query models as JSON: ``{"qid": ..., "model": {"term": weight}}`` a line, or one array of such objects.

PyTerrier's ``query_toks`` stands for ``model``, and where there is neither, ``query`` is read as Terrier does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, collected
from biasvar_cli.readers.query_models.terrier import IDS, require_once, weighted
from biasvar_cli.readers.query_models.terrier_query import terrier_weights
from biasvar_cli.readers.text import shown

_MODELS = ("model", "query_toks")


def parse_json_lines(text: str, path: str) -> ModelRows:
    """The terms of every query.

    Raises `DataError`, with the line, for what is no such object, a key given twice, a query given twice, and a weight
    that is no number.

    >>> rows = parse_json_lines('{"qid": "301", "model": {"dog": 0.6, "cat": 0.4}}\\n', "rm.jsonl")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['dog', 'cat'], [0.6, 0.4])
    """

    def entries() -> Iterator[Entry]:
        first: dict[str, int] = {}
        for line, each in _objects(text, path):
            query = _id(each, path, line)
            require_once(query, line, first, path)
            yield from weighted(line, query, _terms(each, path, line))

    return collected(entries(), path)


def _objects(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object with the number of its line; those of an array have the line that it begins in."""
    if text.lstrip().startswith("["):
        found = _loaded(text, path, None)
        yield from (
            (text[: len(text) - len(text.lstrip())].count("\n") + 1, _object(each, path, None)) for each in found
        )
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, _object(_loaded(line, path, number), path, number)


def _loaded(text: str, path: str, line: int | None) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            names = [name for name, _ in items]
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"{shown(twice)} is given twice in one object; keep one", path=path, line=line)
        return found

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        at = error.lineno if line is None else line
        raise DataError(f"not JSON: {error.msg} in column {error.colno}", path=path, line=at) from None


def _object(found: Any, path: str, line: int | None) -> dict[str, Any]:
    if isinstance(found, dict):
        return found
    expected = 'expected {"qid": ..., "model": {term: weight}}'
    raise DataError(f"{expected}, found {shown(json.dumps(found))}", path=path, line=line)


def _id(each: dict[str, Any], path: str, line: int) -> str:
    name = next((name for name in IDS if name in each), None)
    if name is None or isinstance(each[name], dict | list | float | bool | None):
        found = shown(", ".join(each)) if name is None else shown(json.dumps(each[name]))
        raise DataError(f"expected qid, the id of the query, found {found}", path=path, line=line)
    return str(each[name]).strip()


def _terms(each: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    name = next((name for name in _MODELS if name in each), None)
    if name is None:
        if isinstance(each.get("query"), str):
            return terrier_weights(each["query"], path, line)
        raise DataError(f"expected model, the weights of terms, found {shown(', '.join(each))}", path=path, line=line)
    terms = each[name]
    if not isinstance(terms, dict):
        raise DataError(f"{name}: expected {{term: weight}}, found {shown(json.dumps(terms))}", path=path, line=line)
    for term, weight in terms.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            what = f"the weight of {shown(term)} is no number: {shown(json.dumps(weight))}"
            raise DataError(what, path=path, line=line)
    return terms
