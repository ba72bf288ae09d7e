"""Risk against all runs together: Z_risk, GeoRisk, and the geometric mean.

Z_risk and GeoRisk: Dinçer, Macdonald and Ounis, "Risk-sensitive evaluation and learning to rank using multiple
baselines", SIGIR 2016; the formulas are those of public programs for them, not read in the paper itself. GMAP:
Robertson, CIKM 2006; trec_eval's gm_map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.scores import LogTransform, ScoreMatrix

NoGeoRisk = Literal["negative", "one-run"]
_FLOOR = LogTransform("floor", 1e-5)


@dataclass(frozen=True, eq=False)
class GeoRisk:
    """The risk of runs within a pool: ``z_risk`` and ``geo_risk`` of the shape (n_alphas, n_runs), ``gmap`` (n_runs,).

    ``reason`` says why the first two are nan: a ``negative`` score, with which there is no ``gmap`` either, or
    ``one-run`` in the pool. Otherwise it is None.
    """

    alphas: tuple[float, ...]
    z_risk: FloatArray
    geo_risk: FloatArray
    gmap: FloatArray
    reason: NoGeoRisk | None


def geo_risk(scores: ScoreMatrix, pool: ScoreMatrix, alphas: Sequence[float]) -> GeoRisk:
    """Z_risk, GeoRisk and the geometric mean of some of the runs of a pool.

    With the sums X_f of a run, X_q of a query and N of the whole matrix, of all runs of the pool,

        e_fq = X_f X_q / N,  z_fq = (S_fq - e_fq) / sqrt(e_fq), 0 where e_fq is 0,
        Z_risk = sum over z >= 0 of z + (1 + alpha) sum over z < 0 of z,
        GeoRisk = sqrt(X_f / n Phi(Z_risk / n)), Phi the normal distribution,
        GMAP = exp(mean of ln max(S, 1e-5)).

    The expected scores e are those of runs that all find the same queries hard: a baseline that every run shares.

    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> runs = ScoreMatrix(values, ("r1", "r2", "r3"), ("q1", "q2", "q3", "q4"), "AP")
    >>> found = geo_risk(runs, runs, [0, 1])
    >>> found.z_risk.round(6).tolist()
    [[0.009464, -0.152326, 0.162411], [-0.268072, -0.558053, -0.232774]]
    >>> found.geo_risk[1].round(6).tolist(), found.gmap.round(6).tolist()
    ([0.360767, 0.377157, 0.345253], [0.234035, 0.221336, 0.217794])
    """
    undefined = np.full((len(alphas), scores.n_runs), np.nan)
    if pool.values.min() < 0:
        return GeoRisk(tuple(alphas), undefined, undefined, undefined[0], "negative")
    gmap = np.exp(_FLOOR(scores.values).mean(axis=1))
    if pool.n_runs == 1:
        return GeoRisk(tuple(alphas), undefined, undefined, gmap, "one-run")
    above, below = z_sums(scores.values, pool.values.sum(axis=0))
    z_risk = np.stack([above + (1 + alpha) * below for alpha in alphas])
    return GeoRisk(tuple(alphas), z_risk, of_z(scores.values.mean(axis=1), z_risk, scores.n_queries), gmap, None)


def z_sums(values: FloatArray, of_queries: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums of the z >= 0 and of the z < 0 of each run, (n_runs, n_queries) and the sums X_q give two of (n_runs,).

    >>> above, below = z_sums(np.array([[0.6, 0.08, 0.5, 0.1]]), np.array([1.35, 0.38, 1.1, 0.55]))
    >>> above.round(6).tolist(), below.round(6).tolist()  # z of .124134, -.168461, .129268, -.237266
    ([0.253402], [-0.405727])
    """
    total = of_queries.sum()
    expected = values.sum(axis=1, keepdims=True) * (of_queries / (total if total > 0 else 1.0))
    z = values - expected
    np.divide(z, np.sqrt(expected), out=z, where=expected > 0)
    return np.maximum(z, 0).sum(axis=1), np.minimum(z, 0).sum(axis=1)


def of_z(mean: FloatArray, z_risk: FloatArray, n_queries: int) -> FloatArray:
    """GeoRisk from the mean score and Z_risk; shapes that broadcast.

    >>> of_z(np.array([0.275]), np.array([-0.268072]), 4).round(6).tolist()
    [0.360767]
    """
    from scipy.special import ndtr

    found: FloatArray = np.sqrt(mean * ndtr(z_risk / n_queries))
    return found
