"""Runs and relevance judgments in JSON, {topic: {document: number}}, as ranx and pytrec_eval have them."""

from __future__ import annotations

import math
import re
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats.json_objects import are_queries, loads, unrepeated
from biasvar_cli.readers.score_formats.json_scores import is_own
from biasvar_cli.readers.score_formats.names import is_id, is_known
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, decoded, shown

_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_MOST_GRADE = 10  # whole numbers up to it are grades, others are scores


class RunAsQrels(DataError):
    """What should be relevance judgments is a run."""


def as_lines(data: bytes, path: str) -> tuple[str, bytes]:
    """What a JSON text is: a run or qrels, as the lines that TREC has for them, or else ``json`` and as it was.

    A run is told from scores by its documents: most are not in the results of half the topics, where runs and measures
    have nearly all queries. Raises `DataError` for a score that is no finite number.

    >>> kind, lines = as_lines(b'{"301": {"a": 1.5, "b": 2.25}, "302": {"c": 2.0}}', "runs/bm25")
    >>> kind, lines.decode().splitlines()
    ('run', ['301 Q0 b 1 2.25 bm25', '301 Q0 a 2 1.5 bm25', '302 Q0 c 1 2.0 bm25'])
    >>> as_lines(b'{"bm25": {"301": 0.5}, "rm3": {"301": 0.25}}', "ap.json")[0]
    'json'
    """
    if is_own(data):
        return "json", data
    try:
        parsed = loads(decoded(data, path))
    except ValueError:
        return "json", data
    if parsed.repeated is not None or not _holds_documents(parsed.value):
        return "json", data
    numbers = [number for by in parsed.value.values() for number in by.values()]
    if all(map(_WHOLE.fullmatch, numbers)) and max(map(int, numbers)) <= _MOST_GRADE:
        return "qrels", judgment_lines(data, path)
    tag = run_name(path)
    return "run", "".join(_results(topic, by, tag, path) for topic, by in parsed.value.items()).encode()


def judgment_lines(data: bytes, path: str) -> bytes:
    """The lines of TREC for judgments in JSON. Raises `DataError` for anything else.

    >>> judgment_lines(b'{"301": {"FT911-1": 2}}', "qrels.json")
    b'301 0 FT911-1 2\\n'
    """
    try:
        document = unrepeated(loads(decoded(data, path)), path)
    except ValueError as error:
        raise DataError(f"cannot be read as JSON: {error}", path=path) from None
    if not _are_objects(document):
        raise DataError("judgments in JSON are {topic: {document: grade}}; this is something else", path=path)
    lines = []
    for topic, by in document.items():
        for doc, grade in by.items():
            if not _WHOLE.fullmatch(grade):
                what = f"grade {shown(grade)} of {_place(topic, doc)} is not an integer"
                raise RunAsQrels(f"{what}: this is a run", path=path)
            lines.append(f"{_id(topic, path)} 0 {_id(doc, path)} {grade}\n")
    return "".join(lines).encode()


def _results(topic: str, by: dict[str, str], tag: str, path: str) -> str:
    for doc, score in by.items():
        if not (NUMBER.fullmatch(score) and math.isfinite(float(score))):
            raise DataError(f"score {shown(score)} of {_place(topic, doc)} is no finite number", path=path)
    ordered = sorted(by, key=lambda doc: -float(by[doc]))
    word = "_".join(tag.split())
    return "".join(
        f"{_id(topic, path)} Q0 {_id(doc, path)} {rank} {by[doc]} {word}\n" for rank, doc in enumerate(ordered, 1)
    )


def _holds_documents(document: Any) -> bool:
    """Whether an object of objects has documents below topics, rather than measures, queries or runs."""
    if not _are_objects(document) or any(is_known(key) or is_id(key) for key in document):
        return False
    filled = [by for by in document.values() if by]
    total = sum(map(len, filled))
    inner = set().union(*filled)
    numbers = sum(bool(NUMBER.fullmatch(value)) for by in filled for value in by.values())
    if len(filled) < 2 or 2 * numbers <= total or (are_queries(inner) and not are_queries(document)):
        return False
    return 2 * total < len(inner) * len(filled) or len(inner) == total


def _are_objects(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(by, dict) and all(isinstance(value, str) for value in by.values()) for by in document.values()
    )


def _id(word: str, path: str) -> str:
    if not word or len(word.split()) != 1 or word != word.strip():
        raise DataError(f"the id {shown(word)} is empty or has a blank, which no id of TREC has", path=path)
    return word


def _place(topic: str, doc: str) -> str:
    return f"document {shown(doc)} of topic {shown(topic)}"
