"""Query models as JSON: ``{"qid": ..., "model": {"term": weight}}`` a line, or one array of such objects.

PyTerrier's ``query_toks`` stands for ``model``, and where there is neither, ``query`` is read as Terrier does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.languages import terrier_weights
from biasvar_cli.readers.query_models.rows import IDS, ModelRows, Opened, collected_queries, unique_pairs
from biasvar_cli.readers.text import quoted

_MODELS = ("model", "query_toks")
_BLANK = re.compile(r"[ \t\r\n]*")


def recognise(file: Opened) -> bool:
    """Whether the first line of a file begins an object, or an array of objects."""
    return file.first.lstrip().startswith(("{", "[{")) or file.first.strip() == "["


def read(text: str, path: str) -> ModelRows:
    """The terms of every query.

    Raises `DataError`, with the line, for what is no such object, a key given twice, a query given twice, and a weight
    that is no number.

    >>> rows = read('{"qid": "301", "model": {"dog": 0.6, "cat": 0.4}}\\n', "rm.jsonl")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['dog', 'cat'], [0.6, 0.4])
    """
    queries = ((line, _id(content, path, line), content) for line, content in _objects(text, path))
    return collected_queries(queries, _terms, path)


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
    blanks = _BLANK.match(text, at)
    return blanks.end() if blanks else at


def _value(text: str, at: int, path: str, line: int) -> tuple[Any, int]:
    """The value that begins at a place of a text, in a line, and where it ends."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return unique_pairs(items, path, line)

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
    raise DataError(f"{expected}, found {quoted(json.dumps(value))}", path=path, line=line)


def _id(content: dict[str, Any], path: str, line: int) -> str:
    name = next((name for name in IDS if name in content), None)
    if name is None or isinstance(content[name], dict | list | float | bool | None):
        value = quoted(", ".join(content)) if name is None else quoted(json.dumps(content[name]))
        raise DataError(f"expected qid, the id of the query, found {value}", path=path, line=line)
    return str(content[name]).strip()


def _terms(content: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    name = next((name for name in _MODELS if name in content), None)
    if name is None:
        if isinstance(content.get("query"), str):
            return terrier_weights(content["query"], path, line)
        raise DataError(
            f"expected model, the weights of terms, found {quoted(', '.join(content))}", path=path, line=line
        )
    terms = content[name]
    if not isinstance(terms, dict):
        raise DataError(f"{name}: expected {{term: weight}}, found {quoted(json.dumps(terms))}", path=path, line=line)
    for term, weight in terms.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            what = f"the weight of {quoted(term)} is no number: {quoted(json.dumps(weight))}"
            raise DataError(what, path=path, line=line)
    return terms
