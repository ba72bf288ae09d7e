"""Bias, variance and total error of runs against a virtual target.

Sources: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013, Eq. 1 to 9;
IPM'14: the same authors, IP&M 50(1), 2014; CIKM'14: Zhang et al., "Generalized Bias-Variance Evaluation of TREC
Participated Systems", CIKM 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.decomposition.moments import Moments, moments
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scores import LARGEST, ScoreMatrix


@dataclass(frozen=True, eq=False)
class Decomposition(Moments):
    """Bias and variance of each run in both forms; every array has the shape (n_runs,), in the order of ``runs``."""

    runs: tuple[str, ...]
    measure: str | None
    n_queries: int
    target: VirtualTarget


def decompose(scores: ScoreMatrix, target: VirtualTarget) -> Decomposition:
    """Decompose the error of every run against the target, in the score form and in the gap form.

    Score form (SIGIR'13 Eq. 1 to 3): Bias = mean(T) - mean(S), Var = mean (S - mean(S))^2; needs only the target's
    mean. Gap form (Eq. 4 to 7), of rho = T - S: the same bias, Var_gap = mean (rho - mean(rho))^2. Raises `DataError`
    if the target is not on the same queries.

    The runs A, B and C of SIGIR'13, Tables 1 and 2, against its target model T:

    >>> from biasvar_cli.decomposition.target import run_target
    >>> runs = ScoreMatrix(
    ...     np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03], [0.7, 0.2]]), ("A", "B", "C", "T"), ("q1", "q2"), "AP"
    ... )
    >>> result = decompose(runs, run_target(runs, "T"))
    >>> result.bias2.round(6).tolist()
    [0.0625, 0.0121, 0.0121, 0.0]
    >>> result.var.round(6).tolist()
    [0.01, 0.0676, 0.0961, 0.0625]
    >>> result.total_gap.round(6).tolist()
    [0.085, 0.0122, 0.0157, 0.0]
    """
    target_scores = target.scores
    if target_scores is not None and target_scores.shape != (scores.n_queries,):
        raise DataError(f"the target has {len(target_scores)} queries, the runs {scores.n_queries}")
    found = moments(scores.values, target_scores, target.mean)
    return Decomposition(
        **vars(found), runs=scores.runs, measure=scores.measure, n_queries=scores.n_queries, target=target
    )


def weighted_total(result: Decomposition, weight_bias: float, weight_var: float) -> FloatArray:
    """w_b bias^2 + w_v variance (IPM'14, conclusion), shape (n_runs,); a squared error only if both weights are equal.

    Raises `UsageError` for weights that are negative, not finite or too large for a sum, and for two of 0.

    >>> from biasvar_cli.decomposition.target import given_mean
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1]]), ("A",), ("q1", "q2"), "AP")
    >>> weighted_total(decompose(runs, given_mean(0.45)), 1, 2).round(6).tolist()  # .0625 + 2 * .01
    [0.0825]
    """
    least, most = sorted((weight_bias, weight_var))
    if not (least >= 0 and 0 < most <= LARGEST):
        found = f"found {weight_bias:g},{weight_var:g}"
        raise UsageError(f"weights must be from 0 to {LARGEST:g}, and one of them above 0; {found}")
    total: FloatArray = weight_bias * result.bias2 + weight_var * result.var
    return total


def pareto_front(bias2: FloatArray, var: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether no other run is at most as large in both and smaller in one; two vectors (n_runs,) give one.

    For all positive weights the run of least weighted total is among these. Differences by rounding alone do not count.

    >>> pareto_front(np.array([0.0625, 0.0121, 0.0121]), np.array([0.01, 0.0676, 0.0961])).tolist()
    [True, True, False]
    """
    bias2, var = equalised(bias2), equalised(var)
    order = np.lexsort((var, bias2))
    front = np.zeros(len(order), dtype=bool)
    least, at = np.inf, np.inf
    for index in order:
        if var[index] < least or (var[index] == least and bias2[index] == at):
            front[index] = True
            least, at = var[index], bias2[index]
    return front
