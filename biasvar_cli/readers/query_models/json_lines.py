"""Query models as JSON: ``{"qid": ..., "model": {"term": weight}}`` a line, or one array of such objects.

PyTerrier's ``query_toks`` stands for ``model``, and where there is neither, ``query`` is read as Terrier does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, collected
from biasvar_cli.readers.query_models.terrier import IDS, each_once, require_once, terrier_weights, weighted
from biasvar_cli.readers.text import shown

_MODELS = ("model", "query_toks")
_BLANK = re.compile(r"[ \t\r\n]*")


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
        for line, item in _objects(text, path):
            query = _id(item, path, line)
            require_once(query, line, first, path)
            yield from weighted(line, query, _terms(item, path, line), path)

    return collected(entries(), path)


def _objects(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object with the number of its line; those of an array have the line that it begins in."""
    if text.lstrip().startswith("["):
        yield from _in_array(text, path)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            value, end = _value(line, len(line) - len(line.lstrip()), path, number)
            if line[end:].strip():
                raise DataError(f"not JSON: Extra data in column {end + 1}", path=path, line=number)
            yield number, _object(value, path, number)


def _in_array(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of an array, read one at a time, so that each has its line."""
    at, line = text.index("[") + 1, text.count("\n", 0, text.index("[")) + 1
    expected = "]"  # or an object; behind an object, ] or a comma
    while True:
        start = _not_blank(text, at)
        line += text.count("\n", at, start)
        mark = text[start : start + 1]
        if mark == "]" and expected != "{":
            break
        if expected == ",":
            if mark != ",":
                raise DataError("not JSON: expected a comma or ] behind the object", path=path, line=line)
            at, expected = start + 1, "{"
            continue
        value, at = _value(text, start, path, line)
        yield line, _object(value, path, line)
        line += text.count("\n", start, at)
        expected = ","
    rest = _not_blank(text, start + 1)
    if rest < len(text):
        raise DataError("not JSON: Extra data behind ]", path=path, line=line + text.count("\n", start, rest))


def _not_blank(text: str, at: int) -> int:
    """Where the next character stands that is not blank; the end of the text without one."""
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _value(text: str, at: int, path: str, line: int) -> tuple[Any, int]:
    """The value that begins at a place of a text, in a line, and where it ends."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return each_once(items, path, line)

    try:
        return json.JSONDecoder(object_pairs_hook=pairs).raw_decode(text, at)
    except json.JSONDecodeError as error:
        where = line + text.count("\n", at, error.pos)
        raise DataError(f"not JSON: {error.msg} in column {error.colno}", path=path, line=where) from None
    except ValueError:
        raise DataError("a number has too many digits to be read", path=path, line=line) from None
    except RecursionError:
        raise DataError("not the weights of terms: too many brackets within each other", path=path, line=line) from None


def _object(value: Any, path: str, line: int) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    expected = 'expected {"qid": ..., "model": {term: weight}}'
    raise DataError(f"{expected}, found {shown(json.dumps(value))}", path=path, line=line)


def _id(item: dict[str, Any], path: str, line: int) -> str:
    name = next((name for name in IDS if name in item), None)
    if name is None or isinstance(item[name], dict | list | float | bool | None):
        shown_id = shown(", ".join(item)) if name is None else shown(json.dumps(item[name]))
        raise DataError(f"expected qid, the id of the query, found {shown_id}", path=path, line=line)
    return str(item[name]).strip()


def _terms(item: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    name = next((name for name in _MODELS if name in item), None)
    if name is None:
        if isinstance(item.get("query"), str):
            return terrier_weights(item["query"], path, line)
        raise DataError(f"expected model, the weights of terms, found {shown(', '.join(item))}", path=path, line=line)
    terms = item[name]
    if not isinstance(terms, dict):
        raise DataError(f"{name}: expected {{term: weight}}, found {shown(json.dumps(terms))}", path=path, line=line)
    for term, weight in terms.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            what = f"the weight of {shown(term)} is no number: {shown(json.dumps(weight))}"
            raise DataError(what, path=path, line=line)
    return terms
