"""TREC runs: which lines are records, and a run as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.readers import columns, delimited, kernels
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import is_name
from biasvar_cli.words import NameBy, argument

_SIGN = "if the scores are distances, change their sign"
CONTRADICTION = f"ranks contradict the scores on all topics, and scores are used; {_SIGN}"
_TAB, _BLANKS = b"\t", (b" ", b"\v", b"\f")
_SAMPLE = 1 << 10  # bytes at the start of a run, in which ranks are compared with scores
_PART = 1 << 17  # lines; what is computed from a part is freed before the next one


def _one_column(arrays: Sequence[pa.Array]) -> pa.Array | pa.ChunkedArray:
    return arrays[0] if len(arrays) == 1 else pa.chunked_array(arrays)


def _record(line: bytes, words: list[bytes], path: str, number: int) -> list[bytes] | None:
    """The words of a record, by the tolerant rules; None for a comment. Raises `DataError` for any other line."""
    score = words[4] if len(words) >= 6 else b""
    if line.startswith(b"#") and is_name(score):
        return None
    if len(words) < 6:
        raise DataError(f"expected 6 columns, found {len(words)}", path=path, line=number)
    if is_name(score):
        what = "score" if len(words) == 6 else f"expected 6 columns, found {len(words)}, and column 5"
        raise DataError(f"{what} {delimited.quoted_word(score)} is not a number", path=path, line=number)
    if not np.isfinite(float(score)):
        raise DataError(f"score {delimited.quoted_word(score)} is not finite", path=path, line=number)
    has_blank = _has_blank_in_document(line)
    if has_blank or (len(words) > 6 and is_name(words[3])):
        what = f"column 4 should have the rank, found {delimited.quoted_word(words[3])}"
        if has_blank and not is_name(words[3]):
            what = f"document {delimited.quoted_word(line.strip().split(_TAB)[2])} has a blank"
        remedy = "if a document id has a blank in it, write it without, here and in the qrels"
        raise DataError(f"{what}; {remedy}", path=path, line=number)
    return words


def _has_blank_in_document(line: bytes) -> bool:
    """Whether a line has tabs between its first three columns, and a blank within the third.

    >>> _has_blank_in_document(b"1\\tQ0\\tNew York\\t1\\t2.5"), _has_blank_in_document(b"1 Q0 d0 x\\t\\t 1 t")
    (True, False)
    """
    words = [len(cell.split()) for cell in line.strip().split(_TAB)[:3]]
    return words[:2] == [1, 1] and words[2:] > [1]


def _lacks_tag(line: bytes) -> bool:
    """Whether a line has five columns between tabs, the last two of which may be the rank and the score.

    >>> _lacks_tag(b"1\\tQ0\\ta 5\\t1\\t2.5"), _lacks_tag(b"1\\tQ0\\td0 1\\t2.5\\t7")
    (True, False)
    """
    cells = line.strip().split(_TAB)
    return len(cells) == 5 and cells[3].strip().isdigit() and not is_name(cells[4].strip())


def _format(*, ranks: bool) -> delimited.Format:
    word, rank = pa.binary(), pa.binary() if ranks else None
    types = {"topic": word, "iteration": None, "doc": word, "rank": rank, "score": pa.float64(), "tag": word}

    def fits(table: pa.Table) -> bool:
        rank_words = kernels.unique(table["rank"]).to_pylist() if "rank" in table.column_names else []
        return bool(np.isfinite(columns.values_of(table["score"])).all()) and not any(map(is_name, rank_words))

    return delimited.Format(types, _record, fits, open=True, doubtful={**types, "rank": word})


@dataclass(frozen=True, eq=False)
class Run:
    """The results of one run, one entry a line, in the order of the file.

    ``topics`` are the query ids in order of first appearance; ``topic``, shape (n_lines,), is the index of the topic of
    each line. ``docs`` are the document ids as bytes, in several chunks if the run is large, and ``scores`` the finite
    retrieval scores, both of shape (n_lines,). No (topic, document) pair occurs twice. ``tags`` are the distinct run
    tags in order of appearance. ``ranks`` are the words of the rank column, which only a check needs, or None.
    """

    name: str
    path: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    topic: IntArray
    docs: pa.BinaryArray | pa.ChunkedArray
    scores: FloatArray
    oddities: tuple[Oddity, ...] = ()
    ranks: pa.Array | pa.ChunkedArray | None = None

    @cached_property
    def hashes(self) -> columns.HashArray:
        """A hash of 64 bits for each document, shape (n_lines,), of a run whose documents are one chunk."""
        return columns.word_hashes(self.docs)

    def with_oddities(self, oddities: Sequence[Oddity]) -> Run:
        """The same run with further oddities."""
        return replace(self, oddities=(*self.oddities, *oddities)) if oddities else self

    def parts(self) -> Iterator[Part]:
        """The run in parts of whole topics, with lines in the order of the file; the documents of a part are one chunk.

        A large run has many parts, so that what is computed from it takes the memory of one part. A small run is one.
        """
        if len(self.topic) <= _PART and not isinstance(self.docs, pa.ChunkedArray):
            yield Part(self, None)
            return
        in_order = bool((self.topic[1:] >= self.topic[:-1]).all())
        by_topic = None if in_order else np.argsort(self.topic, kind="stable")
        ends = np.cumsum(np.bincount(self.topic, minlength=len(self.topics)))
        start = 0
        while start < len(self.topic):
            index = max(int(np.searchsorted(ends, start + _PART, side="right")) - 1, 0)
            end = int(ends[index]) if ends[index] > start else int(ends[index + 1])
            lines = np.arange(start, end) if by_topic is None else np.sort(by_topic[start:end])
            topic, start = self.topic[lines], end
            first = int(topic.min())
            part = replace(
                self,
                topics=self.topics[first : int(topic.max()) + 1],
                topic=topic - first,
                docs=columns.selected(self.docs, lines),
                scores=self.scores[lines],
                ranks=None if self.ranks is None else columns.selected(self.ranks, lines),
            )
            yield Part(part, lines)

    def own_results(self, within: int | None = None) -> IntArray:
        """The lines where the document has the id of the topic, as where queries are documents of the collection.

        With ``within``, only the first so many lines are looked at.
        """
        topic = self.topic[:within]
        ids = [name.encode() for name in self.topics[: int(topic.max()) + 1]]
        same_length = columns.lengths(self.docs)[:within] == np.array([len(name) for name in ids])[topic]
        if not same_length.any():  # as in nearly every collection
            return np.empty(0, np.int64)
        same_hash = columns.word_hashes(columns.words_of(ids))[topic] == self.hashes[:within]
        lines = np.flatnonzero(same_length & same_hash)
        if not len(lines):
            return lines
        docs = columns.taken(self.docs, lines).to_pylist()
        return lines[[doc == ids[index] for doc, index in zip(docs, topic[lines], strict=True)]]

    def without_own_results(self) -> Run:
        """The run without `own_results`, as BEIR evaluates it with ``ignore_identical_ids``.

        Raises `DataError` if no result is left.

        >>> run = parse_run(b"q1 Q0 q1 1 9 bm25\\nq1 Q0 a 2 8 bm25\\nq2 Q0 q1 1 9 bm25", "bm25")
        >>> run.without_own_results().docs.to_pylist()
        [b'a', b'q1']
        """
        own_results = [part.lines_of(part.run.own_results()) for part in self.parts()]
        keep = np.delete(np.arange(len(self.topic)), np.concatenate(own_results))
        if not len(keep):
            raise DataError("every result is a document with the id of its topic; none would be left", path=self.path)
        docs, ranks = columns.selected(self.docs, keep), self.ranks
        ranks = None if ranks is None else columns.selected(ranks, keep)
        return replace(self, topic=self.topic[keep], docs=docs, scores=self.scores[keep], ranks=ranks)

    def rank_faults(self) -> RankFaults:
        """What is odd in the rank column. Raises `pyarrow.ArrowInvalid` for ranks that are not integers.

        The run has to be parsed with ``ranks``.

        >>> parse_run(b"1 Q0 a 1 7 knn\\n1 Q0 b 2 8 knn\\n2 Q0 a 1 9 knn", "knn", ranks=True).rank_faults()
        RankFaults(disagreeing=1, comparable=1, repeated=0)
        """
        disagreeing = comparable = repeated = 0
        for part, _ in self.parts():
            ranks = columns.values_of(kernels.integers(part.ranks))
            order = np.lexsort((-part.scores, ranks, part.topic))
            topic, scores, ranks = part.topic[order], part.scores[order], ranks[order]
            same_topic, same_rank = topic[1:] == topic[:-1], ranks[1:] == ranks[:-1]
            disagreeing += len(np.unique(topic[1:][same_topic & (scores[1:] > scores[:-1])]))
            comparable += len(np.unique(topic[1:][same_topic & ~same_rank & (scores[1:] != scores[:-1])]))
            repeated += len(np.unique(topic[1:][same_topic & same_rank]))
        return RankFaults(disagreeing, comparable, repeated)

    def first_repeat(self) -> tuple[int, int] | None:
        """The first line that repeats a document of its topic, and the line that it repeats, from 0; or None."""
        repeats = []
        for part in self.parts():
            run = part.run
            if columns.has_repeats(run.topic, run.docs, run.hashes):
                again, first = part.lines_of(np.array(columns.first_repeat(run.topic, run.docs))).tolist()
                repeats.append((again, first))
        return min(repeats, default=None)


class RankFaults(NamedTuple):
    """How many topics have ranks that disagree with the scores, ranks to compare with scores, and repeated ranks."""

    disagreeing: int
    comparable: int
    repeated: int

    @property
    def contradict(self) -> bool:
        """Whether ranks and scores disagree on all topics on which they can be compared."""
        return 0 < self.disagreeing == self.comparable


class Part(NamedTuple):
    """Some topics of a run as a run, and the positions of its lines in the whole run, ascending; None for all lines."""

    run: Run
    lines: IntArray | None

    def lines_of(self, lines: IntArray) -> IntArray:
        """Positions in the whole run, from positions in the part."""
        return lines if self.lines is None else self.lines[lines]


def parse_run(data: bytes, path: str, *, name: str | None = None, name_by: NameBy = "file", ranks: bool = False) -> Run:
    """The run in a text of six columns: topic, iteration, document, rank, score, tag.

    ``name`` is the name of the run, by default `run_name` of the path; with ``name_by="tag"`` the run tag takes its
    place. ``ranks`` keeps the rank column.

    Columns beyond the sixth are ignored, as trec_eval does, if column 5 is a number; so are blank lines, and lines that
    start with ``#`` and are not records. Raises `DataError`, with the line, for any other line, for a score that is not
    finite, and for a document that a topic lists twice.

    >>> run = parse_run(b"301 Q0 FT911-1 1 2.5 bm25\\n301 Q0 FT911-2 2 1e-04 bm25\\n", "runs/input.bm25.gz")
    >>> run.name, run.tags, run.topics, run.scores.tolist()
    ('bm25', ('bm25',), ('301',), [2.5, 0.0001])
    >>> parse_run(b"301 Q0 FT911-1 1 2.5\\n", "runs/bm25.gz")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: runs/bm25.gz:1: expected 6 columns, found 5
    """
    reads_ranks = ranks or _may_contradict(data)
    form = _format(ranks=reads_ranks)
    topic_index: dict[bytes, int] = {}
    tag_words: dict[bytes, None] = {}
    topic, scores = np.empty(0, np.int64), np.empty(0, np.float64)
    docs: list[pa.BinaryArray] = []
    words: list[pa.BinaryArray] = []
    pieces: list[tuple[int, int, int]] = []  # the first byte of a piece, its end, and the number of its records
    done = extra = 0
    for piece, table, beyond in delimited.read_columns(data, path, form):
        if not done and piece.end < len(data):  # room for all lines of the text: no second copy at the end
            most = data.count(b"\n") + data.count(b"\r") + 1
            topic, scores = np.empty(most, np.int64), np.empty(most, np.float64)
        piece_topic = columns.topic_indices(table["topic"], topic_index)
        piece_scores = columns.values_of(table["score"])
        if len(topic):
            topic[done : done + len(table)], scores[done : done + len(table)] = piece_topic, piece_scores
        else:  # a text of one piece
            topic, scores = piece_topic, piece_scores
        docs.append(columns.flat(table["doc"], path))
        if reads_ranks:
            words.append(columns.flat(table["rank"]))
        tag_words.update(dict.fromkeys(columns.distinct(table["tag"])))
        pieces.append((piece.start, piece.end, len(table)))
        done, extra = done + len(table), extra + beyond
    if not pieces:
        raise DataError("the file has no results", path=path)
    topics = delimited.topic_names(topic_index, data, path)
    tags = tuple(tag.decode("utf-8", "replace") for tag in tag_words)
    if name_by == "tag" and len(tags) > 1:
        what = f"{argument(name_by='tag')} needs one run tag in the file"
        raise DataError(f"{what}, found {' and '.join(tags[:2])}", path=path)
    name_of_file = run_name(path) if name is None else name
    name = tags[0] if name_by == "tag" else name_of_file
    oddities = []
    is_shifted = not all(map(is_name, tag_words))  # a number in the place of the tag may be the score
    # A document id with a blank may have been read as two columns.
    may_be_split = (extra or is_shifted) and _TAB in data and any(blank in data for blank in _BLANKS)
    for number, line in enumerate(data.splitlines(), 1) if may_be_split else ():
        if _has_blank_in_document(line) and (extra or _lacks_tag(line)):
            _record(line, line.split(), path, number)
    if extra:
        oddities.append(Oddity("columns beyond the sixth ignored", name_of_file, extra, "line"))
    if name_by != "tag" and len(tags) > 1:
        oddities.append(Oddity("more than one run tag", name, len(tags), "tag"))
    elif name_by != "tag" and tags[0] != run_name(path):
        notice = "a tag that is not the file's name"
        oddities.append(Oddity("the run tag is not the file's name", name, 0, f"tag {tags[0]}", notice=notice))
    rank_words = _one_column(words) if reads_ranks else None
    run = Run(name, path, tags, topics, topic[:done], _one_column(docs), scores[:done], tuple(oddities), rank_words)
    if reads_ranks and not ranks:
        run = _without_ranks(run)
    repeated = run.first_repeat()
    if repeated is not None:
        (number, record), (before, _) = (_numbered_record(data, path, pieces, index) for index in repeated)
        what = (
            f"document {delimited.quoted_word(record[2])} is listed twice for topic {delimited.quoted_word(record[0])}"
        )
        raise DataError(f"{what}, first in line {before}", path=path, line=number)
    return run


def _may_contradict(data: bytes) -> bool:
    """Whether ranks disagree with scores at the start of a run: on its first topic that has different scores."""
    lines = data[:_SAMPLE].splitlines()[: None if len(data) <= _SAMPLE else -1]
    records = (words for words in map(bytes.split, lines) if len(words) > 5)
    try:
        for _, block in groupby(records, key=itemgetter(0)):
            falling = [score for _, score in sorted((int(words[3]), -float(words[4])) for words in block)]
            if falling[0] != falling[-1] or len(set(falling)) > 1:
                return falling != sorted(falling)
    except ValueError:
        return False
    return False


def _without_ranks(run: Run) -> Run:
    """The run without its rank column, and with an oddity if ranks contradict scores on all topics."""
    oddities = []
    with suppress(pa.ArrowInvalid):
        faults = run.rank_faults()
        if faults.contradict:
            oddities.append(Oddity(CONTRADICTION, run.name, faults.disagreeing, "topic"))
    return replace(run, ranks=None).with_oddities(oddities)


def _numbered_record(
    data: bytes, path: str, pieces: Sequence[tuple[int, int, int]], index: int
) -> tuple[int, list[bytes]]:
    """The line number and the words of the record with this index, from 0; only its piece is read again."""
    for start, end, n_records in pieces:
        if index < n_records:
            first = delimited.first_number(data, start)
            records = delimited.records(data[start:end], path, _format(ranks=False), first)
            return next(islice(records, index, None))
        index -= n_records
    raise AssertionError("a record was counted and not found")
