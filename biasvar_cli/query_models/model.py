"""QueryModel: a distribution over terms for every query; two of them on the terms of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.readers.query_models.rows import ModelRows

_SHIFT = 32  # bits: a key holds the query above, the term below


@dataclass(frozen=True, eq=False)
class Terms:
    """The numbers of terms: first those of the background, then those that the given models have beside.

    ``background`` has the probability of every term in the collection, None without one.
    """

    number: Mapping[str, int]
    background: FloatArray | None

    @classmethod
    def of(cls, counts: Mapping[str, float] | None, *models: ModelRows) -> Terms:
        """The terms of the counts and of some models, in order of their text: their order in a file is nothing."""
        known = sorted(counts) if counts is not None else []
        number = {term: index for index, term in enumerate(known)}
        for rows in models:
            for term in sorted(set(rows.terms) - number.keys()):
                number[term] = len(number)
        if counts is None:
            return cls(number, None)
        weights = np.array([counts[term] for term in known])
        return cls(number, weights / weights.max() / (weights / weights.max()).sum())

    def probability(self, terms: IntArray) -> FloatArray:
        """The background's probability of terms by their number; for one that it lacks, the least that it has.

        With such terms the probabilities sum to more than 1; who uses them divides them by their sum.
        """
        assert self.background is not None, "there is a background"
        known = np.minimum(terms, len(self.background) - 1)
        probability: FloatArray = np.where(terms < len(self.background), self.background[known], self.background.min())
        return probability


@dataclass(frozen=True, eq=False)
class QueryModel:
    """Probabilities of terms, one row for each term of each query, in order of query and term.

    ``queries`` names the queries, ``key`` has the place of the query there and the number of the term, ``probability``
    sums to 1 over every query that has a term. ``n_twice`` is how many terms stood twice in each query, (n_queries,),
    whose weights are summed, and ``lacking`` names the terms that no `Terms` has, numbered after those.
    """

    queries: tuple[str, ...]
    key: IntArray
    probability: FloatArray
    n_twice: IntArray
    lacking: tuple[str, ...]

    @classmethod
    def of(cls, rows: ModelRows, queries: Sequence[str], terms: Terms) -> QueryModel:
        """The model that rows have for some queries: weights divided by their sum, terms without weight left out.

        Terms that are in ``terms`` nowhere get numbers of this model's own, in order of their text, so that no result
        depends on which other models were read before.

        >>> rows = ModelRows("m", ["q1", "q1", "q2"], ["b", "a", "c"], np.array([3.0, 1.0, 0.0]))
        >>> model = QueryModel.of(rows, ["q1", "q2"], Terms.of(None, rows))
        >>> model.term.tolist(), model.probability.tolist(), model.empty.tolist()
        ([0, 1], [0.25, 0.75], [False, True])
        """
        index = {query: number for number, query in enumerate(queries)}
        lacking = sorted(set(rows.terms) - terms.number.keys())
        beyond = {term: len(terms.number) + index for index, term in enumerate(lacking)}
        number = {**terms.number, **beyond} if beyond else terms.number
        query = np.array([index.get(name, -1) for name in rows.queries], dtype=np.int64)
        term = np.array([number[name] for name in rows.terms], dtype=np.int64)
        used = (query >= 0) & (rows.weights > 0)
        key, weight, twice = _summed((query[used] << _SHIFT) | term[used], rows.weights[used])
        at = key >> _SHIFT
        total = np.bincount(at, weight, len(queries))
        n_twice = np.bincount(twice >> _SHIFT, minlength=len(queries))
        return cls(tuple(queries), key, weight / total[at], n_twice, tuple(lacking))

    @property
    def query(self) -> IntArray:
        """The place of the query of each row."""
        return self.key >> _SHIFT

    @property
    def term(self) -> IntArray:
        """The number of the term of each row."""
        return self.key & ((1 << _SHIFT) - 1)

    @property
    def sizes(self) -> IntArray:
        """How many terms each query has, shape (n_queries,)."""
        return np.bincount(self.query, minlength=len(self.queries))

    @property
    def empty(self) -> BoolArray:
        """Which queries have no term, shape (n_queries,)."""
        return np.asarray(self.sizes == 0)


class Aligned(NamedTuple):
    """Two models on the terms that either has: the query and the number of each term, and both probabilities."""

    query: IntArray
    term: IntArray
    true: FloatArray
    estimate: FloatArray


def aligned(true: QueryModel, estimate: QueryModel) -> Aligned:
    """The rows of the true model, then those of the estimate that it lacks, with 0 where a model lacks the term."""
    at = np.minimum(np.searchsorted(true.key, estimate.key), len(true.key) - 1)
    common = true.key[at] == estimate.key
    of_true = np.zeros(len(true.key))
    of_true[at[common]] = estimate.probability[common]
    beside = estimate.probability[~common]
    return Aligned(
        np.concatenate([true.query, estimate.query[~common]]),
        np.concatenate([true.term, estimate.term[~common]]),
        np.concatenate([true.probability, np.zeros(len(beside))]),
        np.concatenate([of_true, beside]),
    )


def _summed(key: IntArray, weight: FloatArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Ascending keys, each once, with the sums of their weights; and the keys that stood more than once."""
    order = np.argsort(key, kind="stable")
    key, weight = key[order], weight[order]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.empty(0, np.int64)
    if len(first) == len(key):
        return key, weight, key[:0]
    repeats = np.diff(np.append(first, len(key)))
    return key[first], np.add.reduceat(weight, first), key[first][repeats > 1]
