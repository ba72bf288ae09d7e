"""The query models of SIGIR 2013 and IP&M 2014, and how documents are ranked under them.

A query model is a distribution over terms, p(w | model). Documents are ranked by the sum over terms of
p(w | model) ln p(w | d), with p(w | d) = (tf + mu p(w | C)) / (length + mu), which is Dirichlet smoothing. Scores are
rounded to six decimals, and equal ones are ordered by document id, descending. The feedback documents are the first 30
under ``orig``.

* ``orig``: the terms of the query, p(w) = tf / length.
* ``rm``: RM1 (Lavrenko and Croft 2001): the feedback documents' tf / length, weighted by p(q | d), the smoothed
  likelihood of the whole query; cut to the 100 heaviest terms.
* ``comb-L``, L = 0.1 to 0.9: L orig + (1 - L) rm.
* ``nrr-R``, R = 0.1 to 1.0: rm after the first ceil(R n) of the n feedback documents that are not relevant are removed.
* ``rmw-S``: rm with the weights p(q | d)^(1/S), flatter the larger S is; ``inf`` is uniform.
* ``relw-S``: the same over the relevant feedback documents (S = 1 is ``nrr-1.0``).
* ``rel-fb``: the relevant feedback documents with equal weights, cut to 100 terms.
* ``true``: all relevant documents with equal weights, all terms.

Without a relevant feedback document ``nrr-1.0``, ``relw-S`` and ``rel-fb`` are ``orig``.

``comb``, ``nrr`` and ``rel-fb`` (there called the target model) are those of Zhang, Song, Wang, Hou: Bias-Variance
Decomposition of IR Evaluation, SIGIR 2013. ``rmw``, ``relw`` and ``true`` are reconstructions of what the same authors
name in IP&M 50(1), 2014.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from collection import Collection, FloatArray, IntArray
from scipy import sparse

COMB = [f"comb-0.{tenths}" for tenths in range(1, 10)]
NRR = [f"nrr-{tenths // 10}.{tenths % 10}" for tenths in range(1, 11)]
RMW = ["rmw-02", "rmw-04", "rmw-08", "rmw-16", "rmw-inf"]
RELW = ["relw-02", "relw-04", "relw-08", "relw-16"]
SIGIR_2013 = ["orig", "rm", *COMB, *NRR, "rel-fb"]
NAMES = [*SIGIR_2013, *RMW, *RELW, "true"]

_EXACT = 12  # decimals: weights that differ by less are equal, whatever the order in which they were summed


@dataclass(frozen=True)
class Settings:
    """Of Dirichlet smoothing, the number of feedback documents, and that of expansion terms."""

    mu: int
    feedback: int = 30
    terms: int = 100


class Index(NamedTuple):
    """What the rankings need of the documents' counts."""

    excess: sparse.csr_matrix  # ln(1 + tf / (mu p(w | C))): how far a term is above what the background gives it
    background: FloatArray  # ln(mu p(w | C)), (n_terms,)
    norm: FloatArray  # ln(length + mu), (n_documents,)
    share: sparse.csr_matrix  # tf / length


class Feedback(NamedTuple):
    """The feedback documents of a query, best first."""

    documents: IntArray
    log_likelihood: FloatArray  # ln p(q | d), up to a constant
    relevant: np.ndarray[tuple[int], np.dtype[np.bool_]]


class Ranking(NamedTuple):
    """Documents, best first, and their scores in millionths."""

    documents: IntArray
    scores: IntArray


def default_mu(collection: Collection) -> int:
    """Four times the mean length of the documents, rounded to tens."""
    return round(4 * float(collection.counts.sum()) / len(collection.documents) / 10) * 10


def index_of(collection: Collection, mu: int) -> Index:
    """Work out for all rankings what depends on the documents alone."""
    counts = collection.counts
    length = np.asarray(counts.sum(axis=1)).ravel()
    background = mu * np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
    excess = counts.copy()
    excess.data = np.log1p(counts.data / background[counts.indices])
    share = sparse.csr_matrix(sparse.diags(1 / np.maximum(length, 1)) @ counts)
    return Index(excess, np.log(background), np.log(length + mu), share)


def scores_of(index: Index, models: FloatArray) -> FloatArray:
    """The sum over terms of p(w | model) ln p(w | d); models (k, n_terms) give scores (k, n_documents)."""
    weighted: FloatArray = (index.excess @ models.T).T
    constant: FloatArray = (models @ index.background)[:, None] - models.sum(axis=1)[:, None] * index.norm
    return weighted + constant


def rank(scores: FloatArray, depth: int) -> Ranking:
    """The ``depth`` best documents of one model; of equal ones those with the later id come first.

    >>> rank(np.array([-2.5, -1.5, -3.5, -1.5]), 3).documents.tolist()
    [3, 1, 0]
    """
    millionths = np.rint(1e6 * scores).astype(np.int64)
    worse = -(millionths * len(scores) + np.arange(len(scores)))
    kept = np.argpartition(worse, depth - 1)[:depth] if depth < len(scores) else np.arange(len(scores))
    order = kept[np.argsort(worse[kept])]
    return Ranking(order, millionths[order])


def original(counts: FloatArray) -> FloatArray:
    """The model of a query from its counts of terms, (n_terms,): p(w) = tf / length."""
    return counts / float(counts.sum())


def feedback_of(index: Index, counts: FloatArray, relevant: IntArray, n: int) -> Feedback:
    """The first ``n`` documents under the original query."""
    scores = scores_of(index, original(counts)[None])[0]
    documents = rank(scores, n).documents
    return Feedback(documents, counts.sum() * scores[documents], np.isin(documents, relevant))


def query_models(index: Index, counts: FloatArray, relevant: IntArray, settings: Settings) -> dict[str, FloatArray]:
    """Every model of ``NAMES`` for one query, from its counts of terms, (n_terms,), and its relevant documents."""
    query, found = original(counts), feedback_of(index, counts, relevant, settings.feedback)
    shares = index.share[found.documents].T.tocsr()  # (n_terms, n_documents)

    def mean_of(kept: IntArray, smoothness: float) -> FloatArray:
        if not len(kept):
            return query
        weights = np.zeros(len(found.documents))
        weights[kept] = _flattened(found.log_likelihood[kept], smoothness)
        return cut(shares @ weights, settings.terms)

    everything, right = np.arange(len(found.documents)), np.flatnonzero(found.relevant)
    rm = mean_of(everything, 1)
    models = {"orig": query, "rm": rm, "rel-fb": mean_of(right, np.inf)}
    models |= {f"comb-{share}": share * query + (1 - share) * rm for share in (k / 10 for k in range(1, 10))}
    models |= {name: mean_of(kept, 1) for name, kept in zip(NRR, _removals(found), strict=True)}
    models |= {name: mean_of(everything, _smoothness(name)) for name in RMW}
    models |= {name: mean_of(right, _smoothness(name)) for name in RELW}
    return models | {"true": cut(np.asarray(index.share[relevant].sum(axis=0)).ravel(), len(counts))}


def cut(weights: FloatArray, n_terms: int) -> FloatArray:
    """Keep the ``n_terms`` heaviest terms, of equal ones those first in order, and divide by their sum.

    >>> cut(np.array([0.1, 0.2, 0.1, 0.6]), 3).round(4).tolist()
    [0.1111, 0.2222, 0.0, 0.6667]
    """
    kept = np.argsort(-np.round(weights, _EXACT), kind="stable")[:n_terms]
    model = np.zeros_like(weights)
    model[kept] = weights[kept]
    return model / float(model.sum())


def _removals(found: Feedback) -> Iterator[IntArray]:
    """What is left of the feedback documents at each rate of removal, a tenth to all."""
    wrong = np.flatnonzero(~found.relevant)
    for tenths in range(1, 11):
        n_removed = -(-tenths * len(wrong) // 10)
        yield np.delete(np.arange(len(found.documents)), wrong[:n_removed])


def _flattened(log_likelihood: FloatArray, smoothness: float) -> FloatArray:
    """Weights in proportion to p(q | d)^(1 / smoothness)."""
    weights: FloatArray = np.exp((log_likelihood - log_likelihood.max()) / smoothness)
    return weights / float(weights.sum())


def _smoothness(name: str) -> float:
    return float(name.rpartition("-")[2])
