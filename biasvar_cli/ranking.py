"""Runs in rank order, with the grade of every document.

The tie rule lives here, and it is one: score descending, compared as 32-bit floats as trec_eval up to version 9
does, then document id descending as bytes. Whatever computes a measure sees a ranking in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from biasvar_cli.readers.columns import IntArray, taken, values_of
from biasvar_cli.readers.trec import Qrels, Run
from biasvar_cli.scores import FloatArray

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
_LARGEST_TABLE = 1 << 23  # entries of 4 bytes in the table of judged pairs; beyond that they are searched for
TiePrecision = Literal["single", "double"]


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
    return order, np.unique(topics[1:][equal])


def _order_ties(order: IntArray, equal: BoolArray, docs: pa.Array) -> None:
    """Put ties in order of document id, descending, in place; ``equal`` says which entry ties with the next one."""
    starts = np.flatnonzero(np.insert(equal, 0, False) < np.append(equal, False))
    sizes = np.flatnonzero(np.insert(equal, 0, False) > np.append(equal, False)) - starts + 1
    pairs = starts[sizes == 2]
    first, second = order[pairs], order[pairs + 1]
    wrong = _are_true(pc.less(taken(docs, first), taken(docs, second)))
    order[pairs] = np.where(wrong, second, first)
    order[pairs + 1] = np.where(wrong, first, second)
    groups = np.flatnonzero(sizes > 2)
    if len(groups):
        group = np.repeat(groups, sizes[groups])
        place = starts[group] + position(group, len(sizes))
        falling = pc.rank(taken(docs, order[place]), sort_keys="descending", tiebreaker="first")
        order[place] = order[place][np.lexsort((values_of(falling), group))]


def _are_true(column: pa.Array) -> BoolArray:
    true: BoolArray = values_of(pc.cast(column, pa.int32())) == 1
    return true


def _places_in(known: pa.Array, words: pa.Array) -> IntArray:
    """Where each word stands among the known ones, shape (len(words),), -1 if it is not there."""
    place = pc.index_in(words, value_set=known)
    return np.where(_are_true(pc.is_valid(place)), values_of(place), np.int64(-1))


@dataclass(frozen=True, eq=False)
class Judgments:
    """Qrels indexed for joining with runs, over the queries that are evaluated.

    ``query``, ``grade`` have the shape (n_judgments,): index of the query and grade. ``docs`` are the distinct
    documents, ``keys`` the ascending pairs query * n_docs + document that ``query`` and ``grade`` belong to, and
    ``place`` the index into ``grade`` by such a pair, -1 where there is none; None where it would be too large.
    """

    queries: tuple[str, ...]
    docs: pa.Array
    keys: IntArray
    grade: IntArray
    place: np.ndarray[Any, np.dtype[np.int32]] | None

    @classmethod
    def of(cls, qrels: Qrels, queries: Sequence[str]) -> Judgments:
        """Index the judgments of these queries; a pair judged for several subtopics keeps its highest grade."""
        index = {query: place for place, query in enumerate(queries)}
        query = np.array([index.get(topic, -1) for topic in qrels.topics])[qrels.topic]
        encoded = qrels.docs.dictionary_encode()
        docs = encoded.dictionary
        keys = query * len(docs) + values_of(encoded.indices)
        order = np.lexsort((qrels.grades, keys))
        order = order[query[order] >= 0]
        order = order[np.append(keys[order][1:] != keys[order][:-1], True)]
        size = len(queries) * len(docs)
        place = None
        if size <= _LARGEST_TABLE:
            place = np.full(size, -1, dtype=np.int32)
            place[keys[order]] = np.arange(len(order))
        return cls(tuple(queries), docs, keys[order], qrels.grades[order], place)

    @cached_property
    def query(self) -> IntArray:
        return self.keys // len(self.docs)

    def relevant(self, rel: int) -> IntArray:
        """How many documents of each query have grade ``rel`` or more, shape (n_queries,)."""
        return np.bincount(self.query[self.grade >= rel], minlength=len(self.queries))

    def count(self, least: int, below: int) -> IntArray:
        """How many documents of each query have a grade from ``least`` to less than ``below``, shape (n_queries,)."""
        return np.bincount(self.query[(self.grade >= least) & (self.grade < below)], minlength=len(self.queries))

    def judge(self, run: Run, *, precision: TiePrecision = "single") -> Ranking:
        """The run's ranking of the evaluated queries, with the grade of every document."""
        index = {query: place for place, query in enumerate(self.queries)}
        query = np.array([index.get(topic, -1) for topic in run.topics], dtype=np.int64)[run.topic]
        line = np.flatnonzero(query >= 0) if (query < 0).any() else slice(None)
        docs = run.docs if isinstance(line, slice) else taken(run.docs, line)
        order, tied = rank_order(query[line], run.scores[line], docs, precision=precision)
        lines = np.arange(len(query))[line][order]
        query = query[lines]
        place = self._places(query, _places_in(self.docs, run.docs)[lines])
        judged = place >= 0
        rank = position(query, len(self.queries)) + 1
        grade = np.where(judged, self.grade[place], 0)
        return Ranking(self, lines, query, rank, grade, judged, tied)

    def _places(self, query: IntArray, doc: IntArray) -> IntArray:
        """The index into ``grade`` of pairs of a query and a document, shape (n,), -1 for a pair that is not judged."""
        keys = query * len(self.docs) + doc
        if self.place is not None:
            return np.where(doc >= 0, self.place[keys], -1)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where((doc >= 0) & (self.keys[place] == keys), place, -1)


@dataclass(frozen=True, eq=False)
class Ranking:
    """A run in rank order over the evaluated queries, one entry a retrieved document, queries ascending.

    ``line`` indexes the run's own columns; ``query`` indexes ``judgments.queries``; ``rank`` counts from 1 within
    the query; ``grade`` is 0 where ``judged`` is false. All have the shape (n_retrieved,). ``tied`` are the
    queries in which scores tie.
    """

    judgments: Judgments
    line: IntArray
    query: IntArray
    rank: IntArray
    grade: IntArray
    judged: BoolArray
    tied: IntArray

    @property
    def n_queries(self) -> int:
        return len(self.judgments.queries)

    @cached_property
    def retrieved(self) -> IntArray:
        """How many documents each query retrieves, shape (n_queries,)."""
        return np.bincount(self.query, minlength=self.n_queries)

    def only_judged(self) -> Ranking:
        """The ranking without what is not judged or has a negative grade, as trec_eval -J has it; ranks closed up."""
        keep = self.judged & (self.grade >= 0)
        query = self.query[keep]
        rank = position(query, self.n_queries) + 1
        return Ranking(self.judgments, self.line[keep], query, rank, self.grade[keep], self.judged[keep], self.tied)

    def relevant(self, rel: int) -> tuple[IntArray, IntArray, IntArray]:
        """Of the retrieved documents of grade ``rel`` or more: query, rank, and how many have come up to each."""
        keep = self.judged & (self.grade >= rel)
        query = self.query[keep]
        return query, self.rank[keep], position(query, self.n_queries) + 1


def position(query: IntArray, n_queries: int) -> IntArray:
    """The place of each entry within its query, from 0, shape (n,); ``query`` ascends.

    >>> position(np.array([0, 0, 2]), 3).tolist()
    [0, 1, 0]
    """
    starts = np.searchsorted(query, np.arange(n_queries))
    place: IntArray = np.arange(len(query)) - starts[query]
    return place
