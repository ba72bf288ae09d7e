"""Measures of simulated rankings, for many runs and queries at once, written without the program that they test.

A run ranks the documents of a query by their relevance times the run's signal, plus noise. ``grades`` are those of the
ranked documents, shape (R, n, D), the first rank first; every relevant document of a query is among them. The measures
have the shape (R, n) and the conventions of trec_eval (AP, RR, P@k, nDCG@k with the grade as gain) and gdeval (ERR@k).
"""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray

SHARED = 0.3  # of the variance of the noise: the part that all runs have in common


def ranked_grades(rng: np.random.Generator, signal: FloatArray, judged: IntArray) -> IntArray:
    """The grades in the order of each run, (R, n, D), for a ``signal`` (R, n) and the grades of the documents (n, D).

    A document of grade g > 0 has the utility 1 + (g - 1) / 2, others 0; a run orders by signal x utility + noise,
    of the variance of which all runs have a share of .3 in common. Runs with the same signal thus have one law.

    >>> grades = ranked_grades(np.random.default_rng(0), np.array([[50.0], [50.0]]), np.array([[0, 2, 0, 1]]))
    >>> grades.tolist()
    [[[2, 1, 0, 0]], [[2, 1, 0, 0]]]
    """
    utility = np.where(judged > 0, (judged + 1) / 2, 0.0)
    shape = (*signal.shape, judged.shape[1])
    noise = np.sqrt(SHARED) * rng.standard_normal(shape[1:]) + np.sqrt(1 - SHARED) * rng.standard_normal(shape)
    order = np.argsort(-(signal[..., None] * utility + noise), axis=2)
    ranked: IntArray = np.take_along_axis(np.broadcast_to(judged, shape), order, axis=2)
    return ranked


def average_precision(grades: IntArray) -> FloatArray:
    """AP = (1 / m) sum over relevant documents of the precision at their rank, m the relevant documents of the query.

    >>> average_precision(np.array([[[1, 0, 2, 0]]])).round(6).tolist()  # (1/1 + 2/3) / 2
    [[0.833333]]
    """
    relevant = grades > 0
    found = np.cumsum(relevant, axis=2)
    precision = found / np.arange(1, grades.shape[2] + 1)
    return np.asarray((precision * relevant).sum(axis=2) / np.maximum(found[..., -1], 1))


def precision(grades: IntArray, cutoff: int = 10) -> FloatArray:
    """P@k = relevant documents in the top k / k.

    >>> precision(np.array([[[1, 0, 2, 0]]]), 2).tolist()
    [[0.5]]
    """
    return np.asarray((grades[..., :cutoff] > 0).sum(axis=2) / cutoff)


def reciprocal_rank(grades: IntArray) -> FloatArray:
    """RR = 1 / rank of the first relevant document, 0 without any.

    >>> reciprocal_rank(np.array([[[0, 0, 2, 1]], [[0, 0, 0, 0]]])).round(6).tolist()
    [[0.333333], [0.0]]
    """
    relevant = grades > 0
    return np.where(relevant.any(axis=2), 1 / (relevant.argmax(axis=2) + 1), 0.0)


def ndcg(grades: IntArray, cutoff: int = 10) -> FloatArray:
    """nDCG@k = DCG / DCG of the ideal order, DCG = sum of grade / log2(rank + 1) up to rank k; 0 without any relevant.

    >>> ndcg(np.array([[[1, 0, 2, 0]]]), 3).round(6).tolist()  # (1 + 2 / log2 4) / (2 + 1 / log2 3)
    [[0.760188]]
    """
    ideal = -np.sort(-grades, axis=2)
    discount = 1 / np.log2(np.arange(2, min(cutoff, grades.shape[2]) + 2))
    gained, best = (each[..., :cutoff] @ discount for each in (grades, ideal))
    return np.divide(gained, best, out=np.zeros(gained.shape), where=best > 0)


def expected_reciprocal_rank(grades: IntArray, cutoff: int = 20, max_grade: int = 4) -> FloatArray:
    """ERR@k = sum over ranks of R(g) / rank times the product of 1 - R above, R(g) = (2^g - 1) / 2^max_grade.

    >>> expected_reciprocal_rank(np.array([[[1, 0, 2, 0]]])).round(6).tolist()  # 1/16 + 15/16 * 3/16 / 3
    [[0.121094]]
    """
    stop = (2.0 ** grades[..., :cutoff] - 1) / 2.0**max_grade
    reach = np.cumprod(1 - stop, axis=2)
    before = np.concatenate([np.ones((*stop.shape[:2], 1)), reach[..., :-1]], axis=2)
    return np.asarray((stop * before / np.arange(1, stop.shape[2] + 1)).sum(axis=2))
