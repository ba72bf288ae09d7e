"""JSON values with their numbers as text, and what names in them stand for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.readers.text import shown
from biasvar_cli.words import counted

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

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        held: dict[str, Any] = {}
        for key, value in found:
            if key in held:
                repeated.append(key)
            held[key] = value
        return held

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


def unexpected(value: object, path: str, line: int | None = None) -> DataError:
    """The error of JSON that holds no scores in any form that is read, with what it holds.

    >>> print(str(unexpected([1, 2], "ap.json")).partition(";")[0])
    ap.json: JSON, but not scores in a form that is read: found a list of 2, from 1 on
    """
    forms = (
        "expected {query: {measure: value}}, {run: {query: score}}, {run: {query: {measure: value}}}, records of "
        "query_id, measure and value, or what biasvar scores -f json writes"
    )
    what = f"JSON, but not scores in a form that is read: found {_found(value)}"
    return DataError(f"{what}; {forms}", path=path, line=line)


def _found(value: object) -> str:
    if isinstance(value, dict) and value:
        key, below = next(iter(value.items()))
        inner = f", the first with {shown(str(next(iter(below))))}" if isinstance(below, dict) and below else ""
        return f"an object with {counted(len(value), 'entry')}, such as {shown(key)}{inner}"
    if isinstance(value, list) and value:
        return f"a list of {len(value)}, from {shown(value_text(value[0]))} on"
    return "an empty object or list" if isinstance(value, dict | list) else shown(value_text(value))
