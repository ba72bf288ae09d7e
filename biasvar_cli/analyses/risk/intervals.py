"""Confidence intervals of U_risk and GeoRisk over queries.

The estimand is the number that the same runs would have on infinitely many queries from the population these are a
sample of. The baseline is drawn with its queries; a baseline `top` stays the run that it is.

* U_risk: the t interval of a mean, with the standard error that T_risk has; BCa covers less often.
* GeoRisk: BCa (Efron 1987); the means of runs and queries, and so the expected scores, are made anew in every resample.

`benchmarks/risk_coverage.py` measures how often they hold the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.risk.georisk import geo_risk
from biasvar_cli.analyses.risk.losses import differences, weighed
from biasvar_cli.arrays import FloatArray
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.monte_carlo import Stream, generator
from biasvar_cli.stats.paired import paired_t, t_quantile
from biasvar_cli.stats.resampling import bca, require_resamples, resample_weights

_VALUES = 2**22  # that are held at a time: 32 MB


class Ends(NamedTuple):
    """The ends of an interval of every run, each of the shape (n_runs,); nan where there is none."""

    low: FloatArray
    high: FloatArray


class RiskIntervals(NamedTuple):
    """The intervals of U_risk and of GeoRisk, one for each alpha."""

    level: float
    n_resamples: int
    seed: int
    u_risk: tuple[Ends, ...]
    geo_risk: tuple[Ends, ...]


def risk_intervals(
    scores: ScoreMatrix,
    pool: ScoreMatrix,
    baseline: FloatArray,
    alphas: Sequence[float],
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> RiskIntervals:
    """The intervals of runs of a pool against a baseline, shape (n_queries,).

    Memory is bounded whatever the numbers of runs and resamples. There is none for one query, and none of GeoRisk where
    there is no GeoRisk. Raises `UsageError` for a level outside (0, 1), and for resamples too few to have one beyond
    each end.

    By hand: differences of .3, -.02, 0 and -.1 have the mean .045 and the standard deviation .175404, and t with three
    degrees of freedom is 3.182446 at .975: .045 -+ 3.182446 * .175404 / 2.

    >>> values = np.array([[0.6, 0.08, 0.5, 0.1], [0.3, 0.1, 0.5, 0.2]])
    >>> runs = ScoreMatrix(values, ("f", "b"), ("q1", "q2", "q3", "q4"), "AP")
    >>> found = risk_intervals(runs, runs, values[1], [0])
    >>> round(float(found.u_risk[0].low[0]), 5), round(float(found.u_risk[0].high[0]), 5)
    (-0.23411, 0.32411)
    """
    require_resamples(level, n_resamples)
    nothing = Ends(np.full(scores.n_runs, np.nan), np.full(scores.n_runs, np.nan))
    if scores.n_queries == 1:
        return RiskIntervals(level, n_resamples, seed, (nothing,) * len(alphas), (nothing,) * len(alphas))
    gains = differences(scores.values, baseline)
    of_u = tuple(_u_ends(weighed(gains, alpha), level) for alpha in alphas)
    geo = geo_risk(scores, pool, alphas)
    if geo.reason is not None:
        return RiskIntervals(level, n_resamples, seed, of_u, (nothing,) * len(alphas))
    of_queries, step = pool.values.sum(axis=0), max(1, _VALUES // (n_resamples * len(alphas)))
    ends = np.empty((len(alphas), 2, scores.n_runs))
    for start in range(0, scores.n_runs, step):
        runs = slice(start, start + step)
        drawn = resample_weights(scores.n_queries, n_resamples, generator(Stream.QUERIES, seed))
        some = [resampled_geo_risk(scores.values[runs], of_queries, weights, alphas) for weights in drawn]
        left = resampled_geo_risk(scores.values[runs], of_queries, _leave_one_out(scores.n_queries), alphas)
        resampled = np.concatenate(some, axis=2)
        for index, estimate in enumerate(geo.geo_risk[:, runs]):
            ends[index][:, runs] = bca(resampled[index], estimate, left[index], level)
    return RiskIntervals(level, n_resamples, seed, of_u, tuple(Ends(*each) for each in ends))


def resampled_geo_risk(
    values: FloatArray, of_queries: FloatArray, weights: FloatArray, alphas: Sequence[float]
) -> FloatArray:
    """GeoRisk under weights of the queries, (B, n), each row of sum 1: (n_alphas, n_runs, B).

    With the weighted means m_f of a run and M of the queries' sums g_q over the pool, e = m_f g_q / M = a g_q, and
    z = S / sqrt(a g_q) - sqrt(a g_q), below 0 where S / g_q < a.

    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> resampled_geo_risk(values, values.sum(axis=0), np.full((1, 4), 0.25), [1]).round(6).tolist()
    [[[0.360767], [0.377157], [0.345253]]]
    """
    from scipy.special import ndtr

    used = of_queries > 0
    g, w = of_queries[used], weights[:, used]
    root = np.sqrt(g)
    whole = w @ g
    found = np.empty((len(alphas), len(values), len(weights)))
    step = max(1, _VALUES // max(1, len(g)))
    for run, row in enumerate(values):
        score, mean = row[used], weights @ row
        for start in range(0, len(weights), step):
            some = slice(start, start + step)
            of = w[some]
            share = np.divide(mean[some], whole[some], out=np.zeros(len(of)), where=whole[some] > 0)
            below = of * (score < share[:, None] * g)
            parts = [(each @ (score / root), each @ root) for each in (of, below)]
            at = np.sqrt(share)
            all_z, low_z = (
                np.divide(first, at, out=np.zeros(len(of)), where=at > 0) - at * second for first, second in parts
            )
            for index, alpha in enumerate(alphas):
                found[index, run, some] = np.sqrt(mean[some] * ndtr(all_z + alpha * low_z))
    return found


def _u_ends(found: FloatArray, level: float) -> Ends:
    """mean -+ t s / sqrt n of each row, (n_runs, n_queries)."""
    n, tested = found.shape[1], paired_t(found)
    half = t_quantile((1 + level) / 2, n - 1) * tested.sd / np.sqrt(n)
    return Ends(tested.mean - half, tested.mean + half)


def _leave_one_out(n_queries: int) -> FloatArray:
    """The weights of the queries without each one in turn, (n_queries, n_queries)."""
    return (1 - np.eye(n_queries)) / (n_queries - 1)
