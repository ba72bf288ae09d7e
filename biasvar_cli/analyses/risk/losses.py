"""Risk: how often and by how much runs lose against a baseline on single queries, and against all runs together.

Sources: RI: Sakai, Manabe and Koyama, ACM TALIP 4(2), 2005; <Init: Zighelnic and Kurland, SIGIR 2008; both in Zhang et
al., SIGIR 2013; F_risk, F_reward and U_risk: Wang, Bennett and Collins-Thompson, SIGIR 2012; T_risk: Dinçer, Macdonald
and Ounis, SIGIR 2014; R-Loss: Collins-Thompson, NIPS 2008; Z_risk and GeoRisk: Dinçer, Macdonald and Ounis,
"Risk-sensitive evaluation and learning to rank using multiple baselines", SIGIR 2016, with the formulas of public
programs for them, not read in the paper itself; GMAP: Robertson, CIKM 2006; trec_eval's gm_map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray, equalised
from biasvar_cli.clusters import Clusters
from biasvar_cli.score_matrix import LogTransform, ScoreMatrix
from biasvar_cli.stats.paired import paired_t


@dataclass(frozen=True, eq=False)
class AtAlpha:
    """What depends on the weight of losses, 1 + ``alpha``; arrays of the shape (n_runs,), in the order of the runs.

    ``t_risk`` has the two-sided ``p`` of Student's t with n_queries - 1 degrees of freedom; both are nan where every
    difference is the same and not 0, or there is one query. For ``alpha`` above 0 the hypothesis that p tests,
    E U_risk = 0, does not hold for a run that merely differs from the baseline: see `inference`.
    """

    alpha: float
    u_risk: FloatArray
    t_risk: FloatArray
    p: FloatArray

    @classmethod
    def of(cls, gains: FloatArray, alpha: float, units: Clusters) -> AtAlpha:
        """That of differences on every query, (n_runs, n_queries)."""
        weighed_gains = weighed(gains, alpha)
        none, u_risk = ~gains.any(axis=1), weighed_gains.mean(axis=1)
        if units.are_few:
            return cls(alpha, u_risk, *np.full((2, len(gains)), np.nan))
        if gains.shape[1] == 1:
            return cls(alpha, u_risk, np.where(none, 0.0, np.nan), np.where(none, 1.0, np.nan))
        tested = paired_t(units.terms(weighed_gains))
        t_risk, p = (np.where(none | (tested.sd > 0), values, np.nan) for values in (tested.t, tested.p))
        return cls(alpha, u_risk, t_risk, p)


@dataclass(frozen=True, eq=False)
class Risk:
    """Runs against a baseline; arrays of the shape (n_runs,), in the order of the runs.

    ``delta`` is the mean difference, run minus baseline; ``wins``, ``ties`` and ``losses`` count queries, ``ri`` is
    (wins - losses) / n and ``lt_init`` losses / n. ``reward`` and ``risk`` are the means of gains and of losses over
    all queries, so that delta = reward - risk. ``break_even`` is delta / risk, the alpha at which U_risk is 0; it is
    nan where delta is not above 0 or no query is lost.
    """

    runs: tuple[str, ...]
    mean: FloatArray
    delta: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray
    ri: FloatArray
    lt_init: FloatArray
    reward: FloatArray
    risk: FloatArray
    break_even: FloatArray
    at: tuple[AtAlpha, ...]


def risk(scores: ScoreMatrix, baseline: FloatArray, alphas: Sequence[float], *, tie_eps: float = 0.0) -> Risk:
    """Compare runs with a baseline, shape (n_queries,), on every query.

    With d = S_f - b on a query, and the loss d < 0 counted 1 + alpha times:

    * RI = (wins - losses) / n, <Init = losses / n;
    * F_reward = mean max(0, d), F_risk = mean max(0, -d);
    * U_risk = F_reward - (1 + alpha) F_risk, the mean of delta_q = d, or (1 + alpha) d where d < 0;
    * T_risk = U_risk / (s / sqrt n), s the standard deviation of delta_q with divisor n - 1. With alpha = 0 it is the
      statistic of the paired t test;
    * break-even alpha = mean d / F_risk: up to this weight of losses, the gains of a run outweigh its losses.

    A difference of at most 1e-12 of the larger score is 0: the mean of equal scores is not always equal to them in
    floating point. ``tie_eps`` widens what counts as a tie, and changes no other number. A run that is equal to the
    baseline on every query has T_risk 0 and p 1. Where queries are in clusters, s / sqrt n is the cluster-robust error,
    and p has C - 1 degrees of freedom (`clusters.Clusters.terms`); both are nan for fewer than 6.

    >>> runs = ScoreMatrix(np.array([[0.6, 0.08, 0.5, 0.1]]), ("f",), ("q1", "q2", "q3", "q4"), "AP")
    >>> result = risk(runs, np.array([0.3, 0.1, 0.5, 0.2]), [0, 1])
    >>> result.wins.tolist(), result.ties.tolist(), result.losses.tolist(), result.ri.tolist()
    ([1], [1], [2], [-0.25])
    >>> [at.u_risk.round(6).tolist() for at in result.at], [at.t_risk.round(6).tolist() for at in result.at]
    ([[0.045], [0.015]], [[0.5131], [0.143729]])
    >>> result.break_even.round(6).tolist()  # .045 / .03
    [1.5]
    """
    gains, n = differences(scores.values, baseline), scores.n_queries
    wins, losses = _counted(gains, scores.values, baseline, tie_eps, axis=1)
    delta, lost = gains.mean(axis=1), np.maximum(-gains, 0).mean(axis=1)
    above = delta > ROUNDING * np.abs(gains).max(axis=1, initial=0.0)  # 0 by more than rounding
    return Risk(
        runs=scores.runs,
        mean=scores.values.mean(axis=1),
        delta=delta,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        ri=(wins - losses) / n,
        lt_init=losses / n,
        reward=np.maximum(gains, 0).mean(axis=1),
        risk=lost,
        break_even=np.divide(delta, lost, out=np.full(len(delta), np.nan), where=above & (lost > 0)),
        at=tuple(AtAlpha.of(gains, alpha, scores.units) for alpha in alphas),
    )


def differences(values: FloatArray, baseline: FloatArray) -> FloatArray:
    """values - baseline, exactly 0 where they differ by at most 1e-12 of the larger; any shapes that broadcast.

    >>> differences(np.array([0.1 + 0.2, 0.4]), np.array([0.3, 0.3])).round(12).tolist()
    [0.0, 0.1]
    """
    gains: FloatArray = np.asarray(values - baseline, dtype=np.float64)
    gains[np.abs(gains) <= ROUNDING * np.maximum(np.abs(values), np.abs(baseline))] = 0.0
    return gains


def weighed(gains: FloatArray, alpha: float) -> FloatArray:
    """delta_q: a gain as it is, a loss 1 + alpha times; any shape.

    >>> weighed(np.array([0.3, -0.1]), 1).tolist()
    [0.3, -0.2]
    """
    return np.where(gains < 0, (1 + alpha) * gains, gains)


def deviations(gains: FloatArray) -> FloatArray:
    """abs(d) of each run less the mean of the other runs' on the same query, (n_runs, n_queries); 0 for a single run.

    What differs by rounding alone is exactly 0, as in `differences`.

    >>> deviations(np.array([[0.3, -0.1], [-0.3, 0.2], [0.0, 0.0]])).round(12).tolist()
    [[0.15, 0.0], [0.15, 0.15], [-0.3, -0.15]]
    """
    size = np.abs(gains)
    if len(size) < 2:
        return np.zeros_like(size)
    return differences(size, (size.sum(axis=0) - size) / (len(size) - 1))


def per_query(scores: FloatArray, baseline: FloatArray, alpha: float) -> FloatArray:
    """T_risk of single queries, delta_q / s, shape (n_queries,); nan where s is 0 or there is one query.

    Their sum over the square root of n is T_risk.

    >>> result = per_query(np.array([0.6, 0.08, 0.5, 0.1]), np.array([0.3, 0.1, 0.5, 0.2]), 1)
    >>> round(float(result.sum() / 2), 6)
    0.143729
    """
    gains = weighed(differences(scores, baseline), alpha)
    deviation = paired_t(gains[None]).sd[0] if len(gains) > 1 else 0.0
    return gains / deviation if deviation > 0 else np.full(len(gains), np.nan)


class Leader(NamedTuple):
    """The run, by its row, that has the greatest U_risk from this alpha on, until the next one leads."""

    run: int
    alpha: float


def leaders(risks: Risk, highest: float) -> list[Leader]:
    """Which runs have the greatest U_risk for alphas from 0 to ``highest``, in ascending order of alpha.

    U_risk falls along a line, delta - alpha F_risk. The lead goes from a run to that of less risk whose line it crosses
    first, at alpha = (delta_f - delta_g) / (F_risk_f - F_risk_g). Of equal lines the first run's counts.

    >>> values = np.array([[0.9, 0.1], [0.55, 0.5], [0.4, 0.4]])
    >>> runs = ScoreMatrix(values, ("bold", "safe", "last"), ("q1", "q2"), "AP")
    >>> result = risk(runs, np.array([0.5, 0.6]), [0])
    >>> [(lead.run, round(lead.alpha, 6)) for lead in leaders(result, 10)]  # -.05 - .25 a against -.025 - .05 a
    [(1, 0.0)]
    >>> result = risk(runs, np.array([0.3, 0.4]), [0])  # .15 - .15 a against .175, with no loss
    >>> [(lead.run, round(lead.alpha, 6)) for lead in leaders(result, 10)]
    [(1, 0.0)]
    >>> bold = risk(runs.select(["bold", "last"]), np.array([0.4, 0.4]), [0])  # .1 - .15 a against 0
    >>> [(lead.run, round(lead.alpha, 6)) for lead in leaders(bold, 10)]
    [(0, 0.0), (1, 0.666667)]
    """
    delta, losses = equalised(risks.delta), equalised(risks.risk)
    run = min(range(len(delta)), key=lambda index: (-delta[index], losses[index], index))
    leads = [Leader(run, 0.0)]
    while True:
        safer = np.flatnonzero(losses < losses[run])
        if not len(safer):
            return leads
        crossing = equalised((delta[run] - delta[safer]) / (losses[run] - losses[safer]))
        first = min(range(len(safer)), key=lambda index: (crossing[index], losses[safer[index]], index))
        if crossing[first] > highest:
            return leads
        run = int(safer[first])
        leads.append(Leader(run, float(crossing[first])))


@dataclass(frozen=True, eq=False)
class Losers:
    """Every query beside the baseline; arrays of the shape (n_queries,), in the order of the queries.

    ``wins``, ``ties`` and ``losses`` count runs, ``largest_loss`` is how far the worst run is below the baseline, 0
    where none is, and ``run`` its name, None where none is; of equal ones the first.
    """

    mean: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray
    largest_loss: FloatArray
    run: tuple[str | None, ...]


def losers(scores: ScoreMatrix, baseline: FloatArray, *, tie_eps: float = 0.0) -> Losers:
    """How many runs win and lose against the baseline, shape (n_queries,), on each query; ties as in `risk`.

    >>> runs = ScoreMatrix(np.array([[0.6, 0.08], [0.45, 0.2]]), ("f", "g"), ("q1", "q2"), "AP")
    >>> result = losers(runs, np.array([0.3, 0.1]))
    >>> result.losses.tolist(), result.largest_loss.round(12).tolist(), result.run
    ([0, 1], [0.0, 0.02], (None, 'f'))
    """
    gains = differences(scores.values, baseline)
    wins, losses = _counted(gains, scores.values, baseline, tie_eps, axis=0)
    worst = gains.argmin(axis=0)
    largest = np.maximum(-gains.min(axis=0), 0.0)
    return Losers(
        mean=scores.values.mean(axis=0),
        wins=wins,
        ties=scores.n_runs - wins - losses,
        losses=losses,
        largest_loss=largest,
        run=tuple(scores.runs[run] if loss > 0 else None for run, loss in zip(worst, largest, strict=True)),
    )


def _counted(
    gains: FloatArray, values: FloatArray, baseline: FloatArray, tie_eps: float, *, axis: int
) -> tuple[IntArray, IntArray]:
    """How many gains and how many losses there are along an axis, ties left out."""
    least = tie_eps + ROUNDING * np.maximum(np.abs(values), np.abs(baseline))
    wins, losses = (np.count_nonzero(sign * gains > least, axis=axis).astype(np.int64) for sign in (1, -1))
    return wins, losses


_FLOOR = LogTransform("floor", 1e-5)


@dataclass(frozen=True, eq=False)
class GeoRisk:
    """The risk of runs within a pool: ``z_risk`` and ``geo_risk`` of the shape (n_alphas, n_runs), ``gmap`` (n_runs,).

    ``reason`` says why the first two are nan: a ``negative`` score, with which there is no ``gmap`` either, or
    ``one-run`` in the pool. Otherwise it is None.
    """

    z_risk: FloatArray
    geo_risk: FloatArray
    gmap: FloatArray
    reason: Literal["negative", "one-run"] | None


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
    >>> result = geo_risk(runs, runs, [0, 1])
    >>> result.z_risk.round(6).tolist()
    [[0.009464, -0.152326, 0.162411], [-0.268072, -0.558053, -0.232774]]
    >>> result.geo_risk[1].round(6).tolist(), result.gmap.round(6).tolist()
    ([0.360767, 0.377157, 0.345253], [0.234035, 0.221336, 0.217794])
    """
    undefined = np.full((len(alphas), scores.n_runs), np.nan)
    if pool.values.min() < 0:
        return GeoRisk(undefined, undefined, undefined[0], "negative")
    gmap = np.exp(_FLOOR(scores.values).mean(axis=1))
    if pool.n_runs == 1:
        return GeoRisk(undefined, undefined, gmap, "one-run")
    above, below = _z_sums(scores.values, pool.values.sum(axis=0))
    z_risk = np.stack([above + (1 + alpha) * below for alpha in alphas])
    return GeoRisk(z_risk, _of_z(scores.values.mean(axis=1), z_risk, scores.n_queries), gmap, None)


def _z_sums(values: FloatArray, of_queries: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums of the z >= 0 and of the z < 0 of each run, (n_runs, n_queries) and the sums X_q give two of (n_runs,).

    >>> above, below = _z_sums(np.array([[0.6, 0.08, 0.5, 0.1]]), np.array([1.35, 0.38, 1.1, 0.55]))
    >>> above.round(6).tolist(), below.round(6).tolist()  # z of .124134, -.168461, .129268, -.237266
    ([0.253402], [-0.405727])
    """
    total = of_queries.sum()
    expected = values.sum(axis=1, keepdims=True) * (of_queries / (total if total > 0 else 1.0))
    z = values - expected
    np.divide(z, np.sqrt(expected), out=z, where=expected > 0)
    return np.maximum(z, 0).sum(axis=1), np.minimum(z, 0).sum(axis=1)


def _of_z(mean: FloatArray, z_risk: FloatArray, n_queries: int) -> FloatArray:
    """GeoRisk from the mean score and Z_risk; shapes that broadcast.

    >>> _of_z(np.array([0.275]), np.array([-0.268072]), 4).round(6).tolist()
    [0.360767]
    """
    from scipy.special import ndtr

    geo: FloatArray = np.sqrt(mean * ndtr(z_risk / n_queries))
    return geo
