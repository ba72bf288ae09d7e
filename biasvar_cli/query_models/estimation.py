"""Query models, the error of one on each query, and the estimation bias, variance and total of many models.

A query model is a distribution over terms for every query.

Source: IPM'14: Zhang, Song, Wang, Hou, "Bias-variance analysis in estimating true query model for information
retrieval", IP&M 50(1), 2014: "the estimation bias is the expected estimation error over all queries, while the
estimation variance is the variance of the estimation error across queries". That the total is bias^2 + variance, as in
its Eq. 6, and not bias + variance, is inferred.

Sources of the divergences: Kullback and Leibler, "On information and sufficiency", Annals of Mathematical Statistics
22, 1951; Jeffreys, Theory of Probability, 1939; Lin, "Divergence measures based on the Shannon entropy", IEEE
Transactions on Information Theory 37, 1991. IPM'14 measures the error of a query model by "the KL-divergence between
the estimated model and the true model"; neither its direction nor its smoothing is in the text that could be read: both
are inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.decomposition.decompose import Decomposition, TargetedScores, VirtualTarget, decompose
from biasvar_cli.query_models import DivergenceName, Setting, Sum
from biasvar_cli.readers.query_models.rows import ModelRows
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.targets import TargetSpec

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
        return np.where(terms < len(self.background), self.background[known], self.background.min())


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
        keys = (query[used] << _SHIFT) | term[used]
        key, inverse, n_rows = np.unique(keys, return_inverse=True, return_counts=True)
        at, weight = key >> _SHIFT, np.bincount(inverse, rows.weights[used])
        total = np.bincount(at, weight, len(queries))
        n_twice = np.bincount(at[n_rows > 1], minlength=len(queries))
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


def _kl_forward(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of KL(true || estimate) in nats, p ln(p / q), any shape; all probabilities positive.

    It punishes what the estimate lacks of the true model.

    >>> round(float(_kl_forward(np.array([0.5, 0.5]), np.array([0.25, 0.75])).sum()), 6)  # ln 2 / 2 + ln(2/3) / 2
    0.143841
    """
    return true * np.log(true / estimate)


def _kl_reverse(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of KL(estimate || true) in nats, q ln(q / p): it punishes what the true model lacks."""
    return _kl_forward(estimate, true)


def jeffreys(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of Jeffreys' divergence in nats, (p - q) ln(p / q): the sum of KL in both directions."""
    return (true - estimate) * np.log(true / estimate)


def _jensen_shannon(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of the Jensen-Shannon divergence in bits, any shape; probabilities may be 0.

    JS = KL(p || m) / 2 + KL(q || m) / 2 with m = (p + q) / 2 and logarithms of base 2: symmetric, and from 0 to 1.

    >>> float(_jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).sum())  # nothing in common
    1.0
    """
    both = true + estimate
    halves = [0.5 * one * np.log2(np.where(one > 0, 2 * one / both, 1.0)) for one in (true, estimate)]
    return halves[0] + halves[1]


def smoothed(model: FloatArray, background: FloatArray, epsilon: float | FloatArray) -> FloatArray:
    """(1 - epsilon) p(w) + epsilon p(w | background): any shapes that broadcast.

    The true model is smoothed as well as the estimate, or its divergence from itself would not be 0.

    >>> smoothed(np.array([1.0, 0.0]), np.array([0.25, 0.75]), 0.1).round(6).tolist()
    [0.925, 0.075]
    """
    return (1 - epsilon) * model + epsilon * background


class Divergence(NamedTuple):
    """A divergence: its terms from the true and the estimated probabilities, its name, its formula, and its unit."""

    terms: Callable[[FloatArray, FloatArray], FloatArray]
    title: str
    formula: str
    unit: str = "nats"


DIVERGENCES: dict[DivergenceName, Divergence] = {
    "kl-fwd": Divergence(
        _kl_forward,
        "Kullback-Leibler divergence KL(true || model)",
        "KL(true || model) = sum of p ln(p / q), in nats",
    ),
    "kl-rev": Divergence(
        _kl_reverse,
        "Kullback-Leibler divergence KL(model || true)",
        "KL(model || true) = sum of q ln(q / p), in nats",
    ),
    "jeffreys": Divergence(jeffreys, "Jeffreys divergence", "KL(true || model) + KL(model || true), in nats"),
    "js": Divergence(
        _jensen_shannon,
        "Jensen-Shannon divergence",
        "the Jensen-Shannon divergence of the true model and the model, in bits, from 0 to 1",
        unit="bits",
    ),
}


RANKED = ("bias", "var", "total")  # by which the orders of models are compared
_NOTHING_IN_COMMON = 1.0  # the largest JS: of a model without a term
_ROUNDING = 1e-9  # how far below 0 the sum of a divergence may come; no divergence is negative


def errors(true: QueryModel, estimate: QueryModel, terms: Terms, settings: Sequence[Setting]) -> FloatArray:
    """e_q = D(true_q, estimate_q) of every query under each setting, shape (n_settings, n_queries).

    Smoothing takes the background's probabilities. Each term of either model that it lacks for the query has the least
    of them, and all are divided by their new sum. Without a background all terms that either model has for the query
    are as likely as each other and as one further term. A query without a term is estimated by the background
    alone, and under JS, which has no background, has nothing in common with the true model: 1.

    The example D1: a background of .1, .2, .3 and .4, and the maximum likelihood model of the first query.

    >>> from biasvar_cli.readers.query_models.rows import ModelRows
    >>> rows = ModelRows("true", ["q1"] * 3, ["a", "b", "c"], np.array([0.5, 0.3, 0.2]))
    >>> terms = Terms.of({"a": 1, "b": 2, "c": 3, "d": 4}, rows)
    >>> true = QueryModel.of(rows, ["q1"], terms)
    >>> ml = QueryModel.of(ModelRows("ml", ["q1"], ["a"], np.array([1.0])), ["q1"], terms)
    >>> errors(true, ml, terms, [Setting("kl-fwd", 0.1), Setting("js", None)]).round(6).tolist()
    [[0.870324], [0.311278]]
    >>> errors(true, true, terms, [Setting("kl-fwd", 0.1)]).tolist()
    [[0.0]]
    """
    both, n_queries, distances = aligned(true, estimate), len(estimate.queries), []
    if terms.background is None:
        n_terms = np.bincount(both.query, minlength=n_queries)
        background, rest = 1 / (n_terms[both.query] + 1), 1 / (n_terms + 1)
    else:
        lacking = np.bincount(both.query, both.term >= len(terms.background), n_queries)
        background = terms.probability(both.term) / (1 + lacking * terms.background.min())[both.query]
        rest = np.maximum(1 - _sums(both, background, n_queries), 0.0)  # of all terms that neither model has
    for divergence, epsilon in settings:
        terms_of = DIVERGENCES[divergence].terms
        if epsilon is None:
            bits = _sums(both, terms_of(both.true, both.estimate), n_queries)
            distances.append(np.where(estimate.empty, _NOTHING_IN_COMMON, np.minimum(bits, 1.0)))
            continue
        share = np.where(estimate.empty, 1.0, epsilon)[both.query]
        estimated = smoothed(both.estimate, background, share)
        nats = _sums(both, terms_of(smoothed(both.true, background, epsilon), estimated), n_queries)
        other = estimate.empty & (rest > 0)  # elsewhere the terms that neither has are equal in both
        nats[other] += terms_of(epsilon * rest[other], rest[other])
        distances.append(nats)
    errors = np.array(distances)
    return np.where((errors < 0) & (errors > -_ROUNDING), 0.0, errors)


def _sums(both: Aligned, values: FloatArray, n_queries: int) -> FloatArray:
    """The sums of the rows' values over each query, (n_queries,)."""
    return np.bincount(both.query, values, n_queries).astype(np.float64, copy=False)


def unseen_mass(true: QueryModel, estimate: QueryModel) -> FloatArray:
    """How much of the true model is on terms that the estimate lacks, of every query: (n_queries,), from 0 to 1."""
    both = aligned(true, estimate)
    lost = _sums(both, np.where(both.estimate > 0, 0.0, both.true), len(true.queries))
    return np.minimum(lost, 1.0)


@dataclass(frozen=True, eq=False)
class Estimation:
    """Estimation bias-variance of every model under one setting; arrays of the shape (n_models,).

    ``errors`` has the error of every query, (n_models, n_queries). ``unseen`` is the mean mass of the true model on
    terms that the model lacks, ``n_terms`` the mean number of its terms. ``true`` names the true model.
    """

    setting: Setting
    models: tuple[str, ...]
    queries: tuple[str, ...]
    errors: FloatArray
    unseen: FloatArray
    n_terms: FloatArray
    true: str = "true"
    sum: Sum = "squared"

    @cached_property
    def targeted(self) -> TargetedScores:
        """The errors as scores: a score is minus an error, and the true model, whose score is 0, is the target.

        Bias, variance and total of these are those of the errors, so that everything that is known of runs is of query
        models too: families, intervals, comparisons.
        """
        scores = ScoreMatrix(-self.errors, self.models, self.queries, self.setting.divergence)
        zero = np.zeros(len(self.queries))
        return TargetedScores(
            scores, scores, VirtualTarget.of(TargetSpec("run", f"run:{self.true}", name=self.true), zero, 1)
        )

    @cached_property
    def decomposition(self) -> Decomposition:
        """The decomposition of the errors, as scores (`targeted`)."""
        return decompose(self.targeted.scores, self.targeted.target)

    @property
    def bias(self) -> FloatArray:
        """The mean of the errors; that of the true model is 0."""
        return self.decomposition.bias

    @property
    def bias2(self) -> FloatArray:
        return self.decomposition.bias2

    @property
    def var(self) -> FloatArray:
        """The population variance of the errors over the queries."""
        return self.decomposition.var

    @cached_property
    def total(self) -> FloatArray:
        """bias^2 + variance = the mean of the squared errors; or bias + variance where ``sum`` is plain."""
        return (self.bias if self.sum == "plain" else self.bias2) + self.var

    def part(self, models: Sequence[str], queries: Sequence[str]) -> Estimation:
        """The estimation of some models on some queries."""
        rows = [self.models.index(name) for name in models]
        columns = [self.queries.index(query) for query in queries]
        return replace(
            self,
            models=tuple(models),
            queries=tuple(queries),
            errors=self.errors[np.ix_(rows, columns)],
            unseen=self.unseen[rows],
            n_terms=self.n_terms[rows],
        )
