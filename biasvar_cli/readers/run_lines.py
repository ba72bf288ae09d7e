"""The lines of a TREC run: what is a record, and the columns that they make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.columns import distinct, flat, values_of
from biasvar_cli.readers.lines import first_number
from biasvar_cli.readers.text import DECIMAL, NOT_FINITE
from biasvar_cli.readers.trec import Format, read_columns, records, shown_word, topic_places

_NUMBER = re.compile(DECIMAL.encode())
_NOT_FINITE = re.compile(NOT_FINITE.encode(), re.IGNORECASE)
_TYPES: Mapping[str, Any] = {
    "topic": pa.binary(),
    "iteration": None,
    "doc": pa.binary(),
    "rank": None,
    "score": pa.float64(),
    "tag": pa.binary(),
}


class RunColumns(NamedTuple):
    """The columns of a run, shape (n_lines,) each; ``places`` has the topics, ``topic`` their indices.

    ``docs`` and ``ranks`` are in several chunks if the text is large. ``extra`` counts the lines with more than six
    columns. ``pieces`` has of each piece of the text its first byte, its end, and the number of its records.
    """

    places: Mapping[bytes, int]
    topic: IntArray
    docs: pa.BinaryArray | pa.ChunkedArray
    scores: FloatArray
    ranks: pa.Array | pa.ChunkedArray | None
    tags: Sequence[bytes]
    extra: int
    pieces: Sequence[tuple[int, int, int]]


def run_columns(data: bytes, path: str, *, ranks: bool = False) -> RunColumns:
    """The columns of a run's text. Raises `DataError`, with the line, and for a text without a record.

    >>> text = b"301 Q0 a 1 2.5 bm25\\n# a comment\\n301 Q0 b 2 2 bm25 more\\n"
    >>> columns = run_columns(text, "bm25")
    >>> columns.docs.to_pylist(), columns.scores.tolist(), columns.extra
    ([b'a', b'b'], [2.5, 2.0], 1)
    """
    form = _format(ranks)
    places: dict[bytes, int] = {}
    tags: dict[bytes, None] = {}
    topic, scores = np.empty(0, np.int64), np.empty(0, np.float64)
    docs: list[pa.BinaryArray] = []
    words: list[pa.BinaryArray] = []
    pieces: list[tuple[int, int, int]] = []
    done = extra = 0
    for piece, table, beyond in read_columns(data, path, form):
        if not done and piece.end < len(data):  # room for all that is to come: no second copy at the end
            most = data.count(b"\n") + data.count(b"\r") + 1
            topic, scores = np.empty(most, np.int64), np.empty(most, np.float64)
        topic = _put(topic, done, topic_places(table["topic"], places))
        scores = _put(scores, done, values_of(table["score"]))
        docs.append(flat(table["doc"], path))
        if ranks:
            words.append(flat(table["rank"]))
        tags.update(dict.fromkeys(distinct(table["tag"])))
        pieces.append((piece.start, piece.end, len(table)))
        done, extra = done + len(table), extra + beyond
    if not pieces:
        raise DataError("the file has no results", path=path)
    rank_words = _one_column(words) if ranks else None
    return RunColumns(places, topic[:done], _one_column(docs), scores[:done], rank_words, list(tags), extra, pieces)


def repeated_document(data: bytes, path: str, columns: RunColumns, again: int, first: int) -> DataError:
    """The error of the record that lists a document again; both records by their place among all, from 0."""
    before, _ = _numbered_record(data, path, columns, first)
    number, words = _numbered_record(data, path, columns, again)
    topic, doc = shown_word(words[0]), shown_word(words[2])
    what = f"document {doc} is listed twice for topic {topic}, first in line {before}"
    return DataError(what, path=path, line=number)


def _numbered_record(data: bytes, path: str, columns: RunColumns, place: int) -> tuple[int, list[bytes]]:
    """The line number and the words of one record, for which its piece alone is read again."""
    for start, end, number in columns.pieces:
        if place < number:
            found = records(data[start:end], path, _format(ranks=False), first_number(data, start))
            return next(islice(found, place, None))
        place -= number
    raise AssertionError("a record was counted and not found")


def _put(room: Any, done: int, values: Any) -> Any:
    """The values of a piece, after those ``done`` before it; a text of one piece needs no further room."""
    if not len(room):
        return values
    room[done : done + len(values)] = values
    return room


def _one_column(arrays: Sequence[pa.Array]) -> pa.Array | pa.ChunkedArray:
    return arrays[0] if len(arrays) == 1 else pa.chunked_array(arrays)


def _is_record(words: list[bytes]) -> bool:
    return len(words) >= 6 and bool(_NUMBER.fullmatch(words[4]) or _NOT_FINITE.fullmatch(words[4]))


def _record(line: bytes, words: list[bytes], path: str, number: int) -> list[bytes] | None:
    """The words of a line of a run, by the tolerant rules; None for a comment. Raises `DataError` for any other."""
    if line.startswith(b"#") and not _is_record(words):
        return None
    if len(words) < 6:
        raise DataError(f"expected 6 columns, found {len(words)}", path=path, line=number)
    score = words[4]
    if _NOT_FINITE.fullmatch(score) or (_NUMBER.fullmatch(score) and not np.isfinite(float(score))):
        raise DataError(f"score {shown_word(score)} is not finite", path=path, line=number)
    if not _NUMBER.fullmatch(score):
        what = "score" if len(words) == 6 else f"expected 6 columns, found {len(words)}, and column 5"
        raise DataError(f"{what} {shown_word(score)} is not a number", path=path, line=number)
    return words


def _all_finite(table: pa.Table) -> bool:
    return bool(np.isfinite(values_of(table["score"])).all())


def _format(ranks: bool) -> Format:
    types = {**_TYPES, "rank": pa.binary()} if ranks else _TYPES
    return Format(types, _record, _all_finite, open=True)
