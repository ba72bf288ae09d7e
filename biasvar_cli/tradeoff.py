"""The correlation of bias² and variance over runs, in both forms (CIKM'14; Kendall after Sakai 2013)."""

from __future__ import annotations

from dataclasses import dataclass

from biasvar_cli.correlation import Correlations, correlations
from biasvar_cli.decomposition import Decomposition


@dataclass(frozen=True)
class Tradeoff:
    """Correlations of bias² with the variance of the score form and with that of the gap form."""

    score: Correlations
    gap: Correlations


def tradeoff(result: Decomposition) -> Tradeoff:
    """Correlate bias² and variance over the runs of a decomposition; nan where a correlation is undefined.

    A negative value alone shows no tradeoff: bounded scores have a negative correlation of their own.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition import decompose
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.target import run_target
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03], [0.7, 0.2]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C", "T"), ("q1", "q2"), "AP")
    >>> round(tradeoff(decompose(runs, run_target(runs, "T"))).score.spearman, 6)  # ranks by hand: -1.5 / sqrt(4.5 * 5)
    -0.316228
    """
    return Tradeoff(correlations(result.bias2, result.var), correlations(result.bias2, result.var_gap))
