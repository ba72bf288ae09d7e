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
    """
    return Tradeoff(correlations(result.bias2, result.var), correlations(result.bias2, result.var_gap))
