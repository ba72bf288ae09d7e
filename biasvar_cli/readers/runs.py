"""TREC runs to columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.columns import HashArray, distinct, flat, has_repeats, values_of, word_hashes
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import DECIMAL, NOT_FINITE, line_feeds
from biasvar_cli.readers.trec import arrow_table, numbered_lines, shown_word, topics_of, word_table

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

NameBy = Literal["file", "tag"]


@dataclass(frozen=True, eq=False)
class Run:
    """The results of one run, one entry a line, in the order of the file.

    ``topics`` are the query ids in order of first appearance; ``topic`` has the shape (n_lines,) and indexes them.
    ``docs`` are the document ids as bytes and ``scores`` the retrieval scores, finite; both have the shape (n_lines,).
    No (topic, document) pair occurs twice. ``tags`` are the distinct run tags in order of appearance. ``ranks`` is the
    rank column as it stands, which only a check looks at, or None if it was not asked for.
    """

    name: str
    path: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    topic: IntArray
    docs: pa.BinaryArray
    scores: FloatArray
    oddities: tuple[Oddity, ...] = ()
    ranks: pa.Array | None = None

    @cached_property
    def hashes(self) -> HashArray:
        """A hash of 64 bits for each document, shape (n_lines,)."""
        return word_hashes(self.docs)


def parse_run(data: bytes, path: str, *, name_by: NameBy = "file", ranks: bool = False) -> Run:
    """The run in a text: six columns, topic, iteration, document, rank, score, tag; ``ranks`` keeps the rank column.

    Columns beyond the sixth are ignored, as trec_eval does, if column 5 is a number; so are blank lines, and lines that
    start with ``#`` and are no record. Raises `DataError`, with the line, for anything else, for a score that is not
    finite, and for a document listed twice under a topic.

    >>> run = parse_run(b"301 Q0 FT911-1 1 2.5 bm25\\n301 Q0 FT911-2 2 1e-04 bm25\\n", "runs/input.bm25.gz")
    >>> run.name, run.tags, run.topics, run.scores.tolist()
    ('bm25', ('bm25',), ('301',), [2.5, 0.0001])
    >>> parse_run(b"301 Q0 FT911-1 1 2.5\\n", "runs/bm25.gz")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: runs/bm25.gz:1: expected 6 columns, found 5
    """
    data = line_feeds(data)
    table = arrow_table(data, {**_TYPES, "rank": pa.binary()} if ranks else _TYPES)
    oddities = []
    if table is None or not np.isfinite(values_of(table["score"])).all():
        table, extra = _by_line(data, path)
        if extra:
            oddities.append(Oddity("columns beyond the sixth ignored", run_name(path), extra, "line"))
    if not len(table):
        raise DataError("the file has no results", path=path)
    topic, topics = topics_of(table["topic"], data, path)
    docs = flat(table["doc"], path)
    tags = tuple(tag.decode("utf-8", "replace") for tag in distinct(table["tag"]))
    name = _name(path, tags, name_by)
    if name_by == "file":
        oddities += _odd_tags(name, tags)
    scores = np.asarray(values_of(table["score"]), dtype=np.float64)
    rank_column = flat(table["rank"]) if ranks else None
    run = Run(name, path, tags, topics, topic, docs, scores, tuple(oddities), rank_column)
    if has_repeats(topic, docs, run.hashes):
        raise _repeated_document(data, path)
    return run


def _name(path: str, tags: tuple[str, ...], name_by: NameBy) -> str:
    if name_by == "file":
        return run_name(path)
    if len(tags) > 1:
        raise DataError(f"--name-by tag needs one run tag in the file, found {' and '.join(tags[:2])}", path=path)
    return tags[0]


def _odd_tags(name: str, tags: tuple[str, ...]) -> list[Oddity]:
    if len(tags) > 1:
        return [Oddity("more than one run tag", name, len(tags), "tag")]
    return [Oddity("the run tag is not the file's name", name, 0, f"tag {tags[0]}")] if tags[0] != name else []


def _is_record(words: list[bytes]) -> bool:
    return len(words) >= 6 and bool(_NUMBER.fullmatch(words[4]) or _NOT_FINITE.fullmatch(words[4]))


def _records(data: bytes, path: str) -> Iterator[tuple[int, list[bytes]]]:
    """The records of a run with their line numbers, by the tolerant rules."""
    for number, line, words in numbered_lines(data):
        if line.startswith(b"#") and not _is_record(words):
            continue
        if len(words) < 6:
            raise DataError(f"expected 6 columns, found {len(words)}", path=path, line=number)
        score = words[4]
        if _NOT_FINITE.fullmatch(score) or (_NUMBER.fullmatch(score) and not np.isfinite(float(score))):
            raise DataError(f"score {shown_word(score)} is not finite", path=path, line=number)
        if not _NUMBER.fullmatch(score):
            what = "score" if len(words) == 6 else f"expected 6 columns, found {len(words)}, and column 5"
            raise DataError(f"{what} {shown_word(score)} is not a number", path=path, line=number)
        yield number, words


def _by_line(data: bytes, path: str) -> tuple[pa.Table, int]:
    """The columns of a run and the number of lines with more than six columns."""
    records = [words for _, words in _records(data, path)]
    table = word_table(records, {"topic": 0, "doc": 2, "rank": 3, "tag": 5})
    scores = pa.array([float(words[4]) for words in records], pa.float64())
    return table.append_column("score", scores), sum(len(words) > 6 for words in records)


def _repeated_document(data: bytes, path: str) -> DataError:
    """The error of the first line that lists a document again."""
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, words in _records(data, path):
        first = seen.setdefault((words[0], words[2]), number)
        if first != number:
            topic, doc = shown_word(words[0]), shown_word(words[2])
            what = f"document {doc} is listed twice for topic {topic}, first in line {first}"
            return DataError(what, path=path, line=number)
    raise AssertionError("a repeated pair was counted and not found")
