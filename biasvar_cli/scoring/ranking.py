"""Runs in rank order, with the grade of every document.

There is one tie rule, and it is here: score descending, compared as 32-bit floats as trec_eval up to version 9
does, then document id descending as bytes. Whatever computes a measure sees a ranking in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.readers import kernels
from biasvar_cli.readers.columns import HashArray, pair_hashes, taken, values_of, word_hashes
from biasvar_cli.readers.qrels import RELEVANT, Qrels
from biasvar_cli.readers.runs import Part, Run
from biasvar_cli.words import TiePrecision

_SMALL = 5000  # results whose judgments are looked up at once
_BUCKETS_PER_KEY = 4  # or up to twice that: few keys share a bucket, and the table of 4 bytes each stays small
Array = TypeVar("Array", FloatArray, IntArray)


def rank_order(
    topic: IntArray, scores: FloatArray, docs: pa.Array, *, precision: TiePrecision = "single"
) -> tuple[IntArray, IntArray]:
    """The order of lines by topic, score descending, document id descending as bytes; and the topics with ties.

    All three columns have the shape (n_lines,), and so has the order, which indexes them. ``precision`` single
    compares scores as 32-bit floats (trec_eval up to 9), double as they are (trec_eval 10, gdeval).

    >>> order, tied = rank_order(np.array([0, 0, 0]), np.array([1.0, 2.0, 1.0]), pa.array([b"a", b"b", b"c"]))
    >>> order.tolist(), tied.tolist()
    ([1, 2, 0], [0])
    """
    with np.errstate(over="ignore"):  # beyond the 32-bit range scores tie as infinities, as they do in trec_eval
        keys = scores.astype(np.float32) if precision == "single" else scores
    same, falls = topic[1:] == topic[:-1], keys[1:] <= keys[:-1]
    in_order = bool(np.all((topic[1:] > topic[:-1]) | (same & falls)))
    order = np.arange(len(topic)) if in_order else np.lexsort((-keys, topic))
    topics, values = (topic, keys) if in_order else (topic[order], keys[order])
    equal = (topics[1:] == topics[:-1]) & (values[1:] == values[:-1])
    if equal.any():
        _order_ties(order, equal, docs)
    tied = topics[1:][equal]
    return order, tied[np.append(True, tied[1:] != tied[:-1])[: len(tied)]]


def _order_ties(order: IntArray, equal: BoolArray, docs: pa.Array) -> None:
    """Put ties in order of document id, descending, in place; ``equal`` says which entry ties with the next one."""
    starts = np.flatnonzero(np.insert(equal, 0, False) < np.append(equal, False))
    sizes = np.flatnonzero(np.insert(equal, 0, False) > np.append(equal, False)) - starts + 1
    pairs = starts[sizes == 2]
    first, second = order[pairs], order[pairs + 1]
    wrong = values_of(kernels.less(taken(docs, first), taken(docs, second))) == 1
    order[pairs] = np.where(wrong, second, first)
    order[pairs + 1] = np.where(wrong, first, second)
    groups = np.flatnonzero(sizes > 2)
    if len(groups):
        group = np.repeat(groups, sizes[groups])
        entries = starts[group] + position(group, len(sizes))
        falling = kernels.descending_ranks(taken(docs, order[entries]))
        order[entries] = order[entries][np.lexsort((values_of(falling), group))]


class KeyIndex(NamedTuple):
    """Keys of 64 bits that ascend, and the first key of each bucket, or -1: a key's bucket are its leading bits."""

    keys: HashArray
    first: np.ndarray[Any, np.dtype[np.int32]]

    @classmethod
    def of(cls, keys: HashArray) -> KeyIndex:
        index = cls(keys, np.full(1 << max(10, (_BUCKETS_PER_KEY * len(keys)).bit_length()), -1, dtype=np.int32))
        index.first[index._buckets(keys)[::-1]] = np.arange(len(keys))[::-1]
        return index

    def lookup(self, sought: HashArray) -> tuple[IntArray, IntArray]:
        """Which of the sought keys there are, and where: two arrays of one shape, the first one ascends.

        >>> index = KeyIndex.of(np.array([2, 5, 7], dtype=np.uint64))
        >>> [part.tolist() for part in index.lookup(np.array([7, 3, 2], dtype=np.uint64))]
        [[0, 2], [2, 0]]
        """
        position = self.first[self._buckets(sought)]
        present = unsure = np.flatnonzero(position >= 0)
        while len(unsure):  # two in one bucket are rare
            theirs, ours = self.keys[position[unsure]], sought[unsure]
            position[unsure[theirs > ours]] = -1
            unsure = unsure[theirs < ours]
            position[unsure] += 1
            position[unsure[position[unsure] == len(self.keys)]] = -1
            unsure = unsure[position[unsure] >= 0]
        present = present[position[present] >= 0]
        return present, position[present].astype(np.int64)

    def _buckets(self, keys: HashArray) -> IntArray:
        return (keys >> np.uint64(65 - len(self.first).bit_length())).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Judgments:
    """Qrels indexed for joining with runs, over the queries that are evaluated; each pair of query and document once.

    ``query`` (an index into ``queries``), ``docs`` (bytes) and ``grade`` have the shape (n_judgments,), in ascending
    order of the keys of ``index``, the hashes of the pairs.
    """

    queries: tuple[str, ...]
    query: IntArray
    docs: pa.BinaryArray
    grade: IntArray
    index: KeyIndex

    @classmethod
    def of(cls, qrels: Qrels, queries: Sequence[str]) -> Judgments:
        """Index the judgments of these queries; a pair judged for several subtopics keeps its highest grade."""
        index = {query: row for row, query in enumerate(queries)}
        query = np.array([index.get(topic, -1) for topic in qrels.topics])[qrels.topic]
        encoded = kernels.dictionary_encode(qrels.docs)
        pairs = query * len(encoded.dictionary) + values_of(encoded.indices)
        lines = np.lexsort((qrels.grades, pairs))
        lines = lines[query[lines] >= 0]
        lines = lines[np.append(pairs[lines][1:] != pairs[lines][:-1], True)]
        keys = pair_hashes(query[lines], word_hashes(qrels.docs)[lines])
        by_key = np.argsort(keys, kind="stable")
        lines, keys = lines[by_key], keys[by_key]
        return cls(tuple(queries), query[lines], taken(qrels.docs, lines), qrels.grades[lines], KeyIndex.of(keys))

    def relevant(self, rel: int) -> IntArray:
        """How many documents of each query have grade ``rel`` or more, shape (n_queries,)."""
        return self.once(("relevant", rel), lambda: self.count(rel))

    @cached_property
    def sizes(self) -> IntArray:
        """How many documents of each query are judged, shape (n_queries,)."""
        return np.bincount(self.query, minlength=len(self.queries))

    def once(self, key: Hashable, make: Callable[[], Array]) -> Array:
        """The result of ``make``, which depends on the judgments alone: computed once and kept under ``key``."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def count(self, least: int, below: float = np.inf) -> IntArray:
        """How many documents of each query have a grade from ``least`` to less than ``below``, shape (n_queries,)."""
        return np.bincount(self.query[(self.grade >= least) & (self.grade < below)], minlength=len(self.queries))

    @cached_property
    def _relevant(self) -> tuple[IntArray, KeyIndex]:
        """The relevant judgments and the index of their keys: a small one, in which most documents of a run are not."""
        relevant = np.flatnonzero(self.grade >= RELEVANT)
        return relevant, KeyIndex.of(self.index.keys[relevant])

    def judge(self, run: Run) -> Ranking:
        """The run's ranking of the evaluated queries, with the grade of every document.

        Of a large run, which is ranked in parts, few other documents than the judged ones have an entry.
        """
        return joined([ranking.in_whole_run(part) for part, ranking in self.judge_parts(run)])

    def judge_parts(
        self, run: Run, *, precision: TiePrecision = "single", top: int | None = None, relevant: bool = False
    ) -> Iterator[tuple[Part, Ranking]]:
        """The parts of a run, one unless it is large, and the ranking of each.

        With a ``top`` the judged documents have an entry, all those down to this rank, and few others: ranks are the
        same, and most documents of a run are not judged. With ``relevant`` other judged documents below it than the
        relevant ones are not looked up, unless the part is so small that one look suffices for all.
        """
        index = {query: row for row, query in enumerate(self.queries)}
        for part in run.parts():
            docs, hashes, scores = part.run.docs, part.run.hashes, part.run.scores
            query = np.array([index.get(topic, -1) for topic in part.run.topics], dtype=np.int64)[part.run.topic]
            lines = np.flatnonzero(query >= 0) if (query < 0).any() else None
            if lines is not None:
                query, docs, hashes, scores = query[lines], taken(docs, lines), hashes[lines], scores[lines]
            order, tied = rank_order(query, scores, docs, precision=precision)
            retrieved: IntArray = np.bincount(query, minlength=len(self.queries))
            starts: IntArray = np.cumsum(retrieved) - retrieved
            relevant = relevant and len(query) > _SMALL
            judgment = self._judgments(query, docs, hashes, relevant=relevant)
            entries = np.arange(len(order))
            if top is not None:
                wanted = judgment[order] >= 0
                wanted[:1] = True
                ranks = np.arange(min(top, int(retrieved.max(initial=0))))
                first = (starts[:, None] + ranks)[ranks < retrieved[:, None]]
                wanted[first], first = True, order[first]
                if relevant:
                    judgment[first] = self._judgments(query[first], taken(docs, first), hashes[first])
                entries = np.flatnonzero(wanted)
                order = order[entries]
            query, judgment, key = query[order], judgment[order], pair_hashes(query[order], hashes[order])
            judged, line = judgment >= 0, order if lines is None else lines[order]
            grade, rank = np.where(judged, self.grade[judgment], 0), entries - starts[query] + 1
            yield part, Ranking(self, line, query, rank, grade, judged, judgment, key, tied, retrieved)

    def _judgments(
        self, query: IntArray, docs: pa.BinaryArray, hashes: HashArray, *, relevant: bool = False
    ) -> IntArray:
        """The judgment of each pair of a query and a document, shape (n,), -1 for a pair that is not judged.

        With ``relevant`` -1 too for a pair that is judged not relevant. Pairs are found by hash and then compared byte
        by byte. If ever two of them shared a hash, all of them would be looked up by their bytes only.
        """
        lines, index = self._relevant if relevant else (None, self.index)
        matched, theirs = index.lookup(pair_hashes(query, hashes))
        theirs = theirs if lines is None else lines[theirs]
        same_doc = values_of(kernels.equal(taken(docs, matched), taken(self.docs, theirs))) == 1
        if not self._shared_keys and same_doc.all() and (self.query[theirs] == query[matched]).all():
            judgment = np.full(len(query), -1)
            judgment[matched] = theirs
            return judgment
        encoded = kernels.dictionary_encode(pa.chunked_array([self.docs, docs])).combine_chunks()
        word = values_of(encoded.indices).astype(np.int64)
        pairs = np.concatenate([self.query, query]) * len(encoded.dictionary) + word
        judged, sought = np.split(pairs, [len(self.docs)])
        order = np.argsort(judged)
        judgment = order[np.minimum(np.searchsorted(judged, sought, sorter=order), len(order) - 1)]
        wanted = self.grade[judgment] >= RELEVANT if relevant else True
        return np.where((judged[judgment] == sought) & wanted, judgment, -1)

    @cached_property
    def _shared_keys(self) -> bool:
        """Whether two pairs have the same hash."""
        return bool((self.index.keys[1:] == self.index.keys[:-1]).any())


@dataclass(frozen=True, eq=False)
class Ranking:
    """A run in rank order over the evaluated queries, one entry a retrieved document, queries ascending.

    ``line`` indexes the run's own columns; ``query`` indexes ``judgments.queries``; ``rank`` counts from 1 within
    the query; ``grade`` is 0 where ``judged`` is false. ``judgment`` indexes the judgments, -1 for a document that is
    not judged, and ``key`` is the hash of the query and the document. All have the shape (n_entries,). ``tied`` are the
    queries in which scores tie. ``retrieved``, shape (n_queries,), is how many documents each query retrieves: one that
    is not judged need not have an entry, since ranks and measures are the same without.
    """

    judgments: Judgments
    line: IntArray
    query: IntArray
    rank: IntArray
    grade: IntArray
    judged: BoolArray
    judgment: IntArray
    key: HashArray
    tied: IntArray
    retrieved: IntArray

    @property
    def n_queries(self) -> int:
        return len(self.judgments.queries)

    def unjudged_share(self, depth: int) -> float:
        """The share of the documents down to a rank, over all queries, that are not judged.

        1 less the Judged@depth of all queries together, those with fewer documents counting these alone.

        >>> from biasvar_cli.readers.qrels import parse_qrels
        >>> from biasvar_cli.readers.runs import parse_run
        >>> run = parse_run(b"301 Q0 a 1 3 bm25\\n301 Q0 b 2 2 bm25\\n301 Q0 c 3 1 bm25\\n302 Q0 a 1 1 bm25", "bm25")
        >>> ranking = Judgments.of(parse_qrels(b"301 0 a 1\\n302 0 b 1", "qrels"), ["301", "302"]).judge(run)
        >>> ranking.unjudged_share(1), ranking.unjudged_share(10)
        (0.5, 0.75)
        """
        return float(1 - self._judged_within(depth) / np.minimum(self.retrieved, depth).sum())

    def missing_share(self, depth: int) -> float:
        """The same share of as many documents as could be judged: of a query, no more than there are judgments.

        Where one document of a query is judged, 1 less the success at that depth.

        >>> from biasvar_cli.readers.qrels import parse_qrels
        >>> from biasvar_cli.readers.runs import parse_run
        >>> run = parse_run(b"301 Q0 a 1 3 bm25\\n301 Q0 b 2 2 bm25\\n302 Q0 a 1 1 bm25", "bm25")
        >>> ranking = Judgments.of(parse_qrels(b"301 0 a 1\\n302 0 b 1", "qrels"), ["301", "302"]).judge(run)
        >>> ranking.missing_share(10)
        0.5
        """
        possible = np.minimum(np.minimum(self.retrieved, depth), self.judgments.sizes).sum()
        return float(1 - self._judged_within(depth) / possible) if possible else 0.0

    def _judged_within(self, depth: int) -> int:
        return int(np.count_nonzero(self.judged & (self.rank <= depth)))

    def only_judged(self) -> Ranking:
        """The ranking of the documents of grade 0 or more alone, as trec_eval -J has it, with ranks closed up."""
        kept = self._entries(self.judged & (self.grade >= 0))
        rank = position(kept.query, self.n_queries) + 1
        return replace(kept, rank=rank, retrieved=np.bincount(kept.query, minlength=self.n_queries))

    def in_whole_run(self, part: Part, *, unjudged_to: int | None = 0) -> Ranking:
        """The ranking of a part as one of the whole run: ``line`` indexes the columns of the run.

        Of several parts the entries are those of judged documents, of others down to a rank (None: of all), and the
        first of all.
        """
        if part.lines is None:
            return self
        keep = self.judged | (self.rank <= (np.inf if unjudged_to is None else unjudged_to))
        keep[:1] = True
        kept = self._entries(keep)
        return replace(kept, line=part.lines_of(kept.line))

    def down_to(self, depth: int) -> Ranking:
        """The entries of the first documents of each query."""
        return self._entries(self.rank <= depth)

    def _entries(self, keep: BoolArray | IntArray) -> Ranking:
        columns = {name: getattr(self, name)[keep] for name in _COLUMNS}
        return replace(self, **columns)

    def relevant(self, rel: int, cutoff: int | None = None) -> tuple[IntArray, IntArray, IntArray]:
        """Of the retrieved documents of grade ``rel`` or more: query, rank, and how many of them there are so far.

        With a ``cutoff``, those down to this rank alone.
        """
        keep = self.judged & (self.grade >= rel)
        if cutoff is not None:
            keep &= self.rank <= cutoff
        query = self.query[keep]
        return query, self.rank[keep], position(query, self.n_queries) + 1


_COLUMNS = ("line", "query", "rank", "grade", "judged", "judgment", "key")  # of a ranking, one entry a document


def joined(rankings: Sequence[Ranking]) -> Ranking:
    """The rankings of all parts of one run as one."""
    if len(rankings) == 1:
        return rankings[0]
    columns = {name: np.concatenate([getattr(ranking, name) for ranking in rankings]) for name in _COLUMNS}
    by_query = np.argsort(columns["query"], kind="stable")  # a query is whole in one part, by rank
    tied = np.sort(np.concatenate([ranking.tied for ranking in rankings]))
    retrieved: IntArray = np.sum([ranking.retrieved for ranking in rankings], axis=0)
    return Ranking(
        rankings[0].judgments,
        **{name: column[by_query] for name, column in columns.items()},
        tied=tied,
        retrieved=retrieved,
    )


def position(query: IntArray, n_queries: int) -> IntArray:
    """The number of each entry within its query, from 0, shape (n,); ``query`` ascends.

    >>> position(np.array([0, 0, 2]), 3).tolist()
    [0, 1, 0]
    """
    starts = np.searchsorted(query, np.arange(n_queries))
    return np.arange(len(query)) - starts[query]
