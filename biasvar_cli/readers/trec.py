"""TREC run and qrels files to columns.

A file in the usual shape (one separator, the right number of columns) is parsed by Arrow. Whatever Arrow refuses is
read again line by line, by the tolerant rules of trec_eval or to name the line that is to blame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.readers.columns import HashArray, distinct, flat, has_repeats, taken, values_of, word_hashes
from biasvar_cli.readers.sources import read_bytes, run_name

_IN_CACHE = 1 << 17
_BLOCK = 1 << 18  # bytes that Arrow parses at once: what it makes of them stays in the cache
_WHITE = b"\t\v\f"
_TO_SPACES = bytes.maketrans(_WHITE, b" " * len(_WHITE))
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NAMED_NUMBER = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d{1,18}")
_LONG_INTEGER = re.compile(rb"[+-]?\d+")

NameBy = Literal["file", "tag"]


@dataclass(frozen=True, eq=False)
class Run:
    """The results of one run, one entry a line, in the order of the file.

    ``topics`` are the query ids in order of first appearance; ``topic`` has the shape (n_lines,) and indexes them.
    ``docs`` are the document ids as bytes and ``scores`` the retrieval scores, finite; both have the shape (n_lines,).
    No (topic, document) pair occurs twice. ``tags`` are the distinct run tags in order of appearance. ``ranks`` is the
    rank column as it stands, which nothing but a check looks at, or None if it was not asked for.
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


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments, one entry a line: topics, documents (bytes) and integer grades, shape (n_lines,).

    ``iterations`` is column 2, which holds subtopics where ``subtopics`` is true: then the same document is judged
    once per subtopic.
    """

    path: str
    topics: tuple[str, ...]
    topic: IntArray
    docs: pa.BinaryArray
    grades: IntArray
    iterations: pa.Array
    subtopics: bool
    oddities: tuple[Oddity, ...] = ()

    def relevant_counts(self) -> IntArray:
        """How many documents of each topic have grade 1 or more, whatever the measure's ``rel``; shape (n_topics,)."""
        return np.bincount(self.topic[self.grades >= 1], minlength=len(self.topics))


def read_run(path: str, *, name_by: NameBy = "file") -> Run:
    """Read a TREC run: six columns, topic, iteration, document, rank, score, tag; the rank is not used.

    Columns beyond the sixth are ignored, as trec_eval does, if column 5 is a number; so are blank lines, and lines that
    start with ``#`` and are no record. Raises `DataError`, with the line, for anything else, for a score that is not
    finite, and for a document listed twice under a topic.
    """
    return parse_run(read_bytes(path), path, name_by=name_by)


def parse_run(data: bytes, path: str, *, name_by: NameBy = "file", ranks: bool = False) -> Run:
    """`read_run` for a text already read; with ``ranks`` the rank column is kept.

    >>> run = parse_run(b"301 Q0 FT911-1 1 2.5 bm25\\n301 Q0 FT911-2 2 1e-04 bm25\\n", "runs/input.bm25.gz")
    >>> run.name, run.tags, run.topics, run.scores.tolist()
    ('bm25', ('bm25',), ('301',), [2.5, 0.0001])
    >>> parse_run(b"301 Q0 FT911-1 1 2.5\\n", "runs/bm25.gz")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: runs/bm25.gz:1: expected 6 columns, found 5
    """
    data = _line_feeds(data)
    table = _arrow_table(data, {**_RUN_TYPES, "rank": pa.binary()} if ranks else _RUN_TYPES)
    oddities: tuple[Oddity, ...] = ()
    if table is None or not np.isfinite(values_of(table["score"])).all():
        table, extra = _run_lines(data, path)
        if extra:
            oddities = (Oddity("columns beyond the sixth ignored", run_name(path), extra, "line"),)
    if not len(table):
        raise DataError("the file holds no results", path=path)
    topic, topics = _encoded(table["topic"], data, path)
    docs = flat(table["doc"], path)
    tags = tuple(tag.decode("utf-8", "replace") for tag in distinct(table["tag"]))
    name = run_name(path)
    if name_by == "tag":
        if len(tags) > 1:
            raise DataError(f"--name-by tag needs one run tag in the file, found {' and '.join(tags[:2])}", path=path)
        name = tags[0]
    elif len(tags) > 1:
        oddities = (*oddities, Oddity("more than one run tag", name, len(tags), "tag"))
    elif tags[0] != name:
        oddities = (*oddities, Oddity("the run tag is not the file's name", name, 0, f"tag {tags[0]}"))
    scores = np.asarray(values_of(table["score"]), dtype=np.float64)
    rank_column = flat(table["rank"]) if ranks else None
    run = Run(name, path, tags, topics, topic, docs, scores, oddities, rank_column)
    if has_repeats(topic, docs, run.hashes):
        raise _repeated_document(data, path)
    return run


def read_qrels(path: str) -> Qrels:
    """Read qrels: four columns, topic, iteration or subtopic, document, integer grade (negative ones included).

    A pair judged twice with the same grade is an oddity; with two grades it is an error, unless column 2 tells
    subtopics apart. Raises `DataError`, with the line.
    """
    return parse_qrels(read_bytes(path), path)


def parse_qrels(data: bytes, path: str) -> Qrels:
    """`read_qrels` for a text already read.

    >>> qrels = parse_qrels(b"301 0 FT911-1 2\\n301 0 FT911-2 -1\\n", "qrels.txt")
    >>> qrels.topics, qrels.grades.tolist(), qrels.relevant_counts().tolist()
    (('301',), [2, -1], [1])
    """
    data = _line_feeds(data)
    table = _arrow_table(data, _QRELS_TYPES)
    if table is None or not all(map(_INTEGER.fullmatch, table["grade"].unique().to_pylist())):
        table = _qrels_lines(data, path)
    if not len(table):
        raise DataError("the file holds no judgments", path=path)
    topic, topics = _encoded(table["topic"], data, path)
    docs, iterations = flat(table["doc"], path), flat(table["iteration"], path)
    grade = flat(table["grade"]).dictionary_encode()
    grades = np.array([int(word) for word in grade.dictionary.to_pylist()], dtype=np.int64)[values_of(grade.indices)]
    subtopics = False
    oddities: tuple[Oddity, ...] = ()
    if has_repeats(topic, docs, word_hashes(docs)):
        subtopics, keep = _repeated_judgments(data, path)
        if keep is not None:
            oddities = (Oddity("judgments given twice", path, len(topic) - len(keep), "line"),)
            topic, grades, docs, iterations = (
                topic[keep],
                grades[keep],
                taken(docs, keep),
                taken(iterations, keep),
            )
    return Qrels(path, topics, topic, docs, grades, iterations, subtopics, oddities)


_RUN_TYPES: Mapping[str, Any] = {
    "topic": pa.binary(),
    "iteration": None,
    "doc": pa.binary(),
    "rank": None,
    "score": pa.float64(),
    "tag": pa.binary(),
}
_QRELS_TYPES: Mapping[str, Any] = {
    "topic": pa.binary(),
    "iteration": pa.binary(),
    "doc": pa.binary(),
    "grade": pa.binary(),  # as an integer Arrow would take 0x1
}


def _line_feeds(data: bytes) -> bytes:
    """The text with line feeds alone between its lines, whichever system it was written on."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _arrow_table(data: bytes, types: Mapping[str, Any]) -> pa.Table | None:
    """The columns of a text in the usual shape, or None for a text in any other; types of None are left out."""
    if _is_uneven(data):
        data = _one_space(data).strip()
    if not data:
        return None
    csv = pyarrow.csv
    wanted = {name: kind for name, kind in types.items() if kind is not None}
    try:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=list(types), use_threads=False, block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types=wanted, include_columns=list(wanted), null_values=[], check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def _is_uneven(data: bytes) -> bool:
    """Whether the white space is anything but one space between columns and one line feed between lines."""
    if data[:1].isspace() or any(white in data for white in (b"\t", b"\v", b"\f")):
        return True
    codes = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(codes), _IN_CACHE):  # a whole file at once spends its time on fresh memory
        white = codes[start : start + _IN_CACHE + 1] <= ord(" ")
        if (white[1:] & white[:-1]).any():
            return True
    return False


def _one_space(data: bytes) -> bytes:
    """Every run of white space within a line as one space, and none at the ends of a line."""
    data = data.translate(_TO_SPACES)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n")


def _lines(data: bytes) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and columns of every line that is not blank."""
    for number, line in enumerate(data.split(b"\n"), 1):
        words = line.split()
        if words:
            yield number, line, words


def _is_record(words: list[bytes]) -> bool:
    return len(words) >= 6 and bool(_NUMBER.fullmatch(words[4]) or _NAMED_NUMBER.fullmatch(words[4]))


def _run_records(data: bytes, path: str) -> Iterator[tuple[int, list[bytes]]]:
    """The records of a run with their line numbers, by the tolerant rules."""
    for number, line, words in _lines(data):
        if line.startswith(b"#") and not _is_record(words):
            continue
        if len(words) < 6:
            raise DataError(f"expected 6 columns, found {len(words)}", path=path, line=number)
        score = words[4]
        if _NAMED_NUMBER.fullmatch(score) or (_NUMBER.fullmatch(score) and not np.isfinite(float(score))):
            raise DataError(f"score {_shown(score)} is not finite", path=path, line=number)
        if not _NUMBER.fullmatch(score):
            what = "score" if len(words) == 6 else f"expected 6 columns, found {len(words)}, and column 5"
            raise DataError(f"{what} {_shown(score)} is not a number", path=path, line=number)
        yield number, words


def _run_lines(data: bytes, path: str) -> tuple[pa.Table, int]:
    """The columns of a run and the number of lines with more than six columns."""
    records = [words for _, words in _run_records(data, path)]
    columns = {
        "topic": pa.array([words[0] for words in records], pa.binary()),
        "doc": pa.array([words[2] for words in records], pa.binary()),
        "rank": pa.array([words[3] for words in records], pa.binary()),
        "score": pa.array([float(words[4]) for words in records], pa.float64()),
        "tag": pa.array([words[5] for words in records], pa.binary()),
    }
    return pa.table(columns), sum(len(words) > 6 for words in records)


def _qrels_records(data: bytes, path: str) -> Iterator[tuple[int, list[bytes]]]:
    for number, line, words in _lines(data):
        if len(words) != 4:
            if line.startswith(b"#"):
                continue
            raise DataError(f"expected 4 columns, found {len(words)}", path=path, line=number)
        if not _INTEGER.fullmatch(words[3]):
            if line.startswith(b"#"):
                continue
            fault = "is too large" if _LONG_INTEGER.fullmatch(words[3]) else "is not an integer"
            raise DataError(f"grade {_shown(words[3])} {fault}", path=path, line=number)
        yield number, words


def _qrels_lines(data: bytes, path: str) -> pa.Table:
    records = [words for _, words in _qrels_records(data, path)]
    return pa.table(
        {
            "topic": pa.array([words[0] for words in records], pa.binary()),
            "iteration": pa.array([words[1] for words in records], pa.binary()),
            "doc": pa.array([words[2] for words in records], pa.binary()),
            "grade": pa.array([words[3] for words in records], pa.binary()),
        }
    )


def _encoded(column: pa.ChunkedArray, data: bytes, path: str) -> tuple[IntArray, tuple[str, ...]]:
    """A column of ids as indices, shape (n_lines,), and the ids they stand for, in order of appearance, as text."""
    blocks = pc.run_end_encode(flat(column), run_end_type=pa.int64())  # topics come in blocks: a few, not every line
    encoded = blocks.values.dictionary_encode()
    lengths = np.diff(values_of(blocks.run_ends), prepend=0)
    indices: IntArray = np.repeat(values_of(encoded.indices).astype(np.int64), lengths)
    return indices, tuple(_decoded(word, path, data) for word in encoded.dictionary.to_pylist())


def _decoded(word: bytes, path: str, data: bytes | None = None) -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        line = None
        if data is not None:
            line = next((number for number, _, words in _lines(data) if words[0] == word), None)
        raise DataError(f"the id {_shown(word)} is not UTF-8 text; save it as UTF-8", path=path, line=line) from None


def _repeated_document(data: bytes, path: str) -> DataError:
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, words in _run_records(data, path):
        first = seen.setdefault((words[0], words[2]), number)
        if first != number:
            return DataError(
                f"document {_shown(words[2])} is listed twice for topic {_shown(words[0])}, first in line {first}",
                path=path,
                line=number,
            )
    raise AssertionError("a repeated pair was counted and not found")


def _repeated_judgments(data: bytes, path: str) -> tuple[bool, IntArray | None]:
    """Whether column 2 tells apart what is judged twice, and the lines to keep where judgments are given twice."""
    judged: dict[tuple[bytes, bytes, bytes], tuple[int, int]] = {}
    pairs: dict[tuple[bytes, bytes], tuple[int, int]] = {}
    keep = []
    clash = None
    subtopics = False
    for index, (number, (topic, iteration, doc, grade)) in enumerate(_qrels_records(data, path)):
        first, before = judged.setdefault((topic, iteration, doc), (number, int(grade)))
        if first == number:
            keep.append(index)
            subtopics |= pairs.setdefault((topic, doc), (number, int(grade)))[0] != number
        elif before != int(grade) and clash is None:
            clash = DataError(
                f"document {_shown(doc)} of topic {_shown(topic)} has grade {int(grade)}, "
                f"but {before} in line {first}; keep one",
                path=path,
                line=number,
            )
    if clash is not None:
        raise clash
    return subtopics, np.array(keep) if len(keep) < index + 1 else None


def _shown(word: bytes) -> str:
    """A word as a message shows it: quoted if it holds anything unusual, cut if it is long."""
    text = word.decode("utf-8", "backslashreplace")
    text = text if len(text) <= 60 else text[:57] + "..."
    return text if text.isprintable() and text else repr(text)


__all__ = ["NameBy", "Qrels", "Run", "parse_qrels", "parse_run", "read_qrels", "read_run"]
