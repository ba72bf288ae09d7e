"""Confidence intervals of U_risk and GeoRisk over queries; which runs are safe and which are risky against a baseline.

The estimand is the number that the same runs would have on infinitely many queries from the population these are a
sample of. The baseline is drawn with its queries; a baseline `top` stays the run that it is.

* U_risk: the t interval of a mean, with the standard error that T_risk has; BCa covers less often.
* GeoRisk: BCa (Efron 1987); the means of runs and queries, and so the expected scores, are made anew in every resample.

`benchmarks/risk_coverage.py` measures how often they hold the truth.

The verdicts come from tests over all runs together. With d = S_f - b on a query and delta_q(alpha) as in `losses`,

    U_risk(alpha) = (1 + alpha / 2) mean d - (alpha / 2) mean abs(d),

so that a run of the baseline's own mean that merely differs from it has E U_risk < 0 for every alpha above 0. That
t_risk is below -2 is therefore no sign of more risk than chance brings: it is true of more and more of such runs the
more queries there are. What can be tested is the sign of a mean over the queries. Three of them are:

* safe: the mean of d is above 0, and so is U_risk;
* risky at weight alpha: the mean of delta_q(alpha) is below 0: the losses, counted 1 + alpha times, exceed the gains;
* deviant: the mean of abs(d_f) - mean over the other runs of abs(d) is above 0.

Each is a test of its own, of all runs together by `stats.step_down`: any false claim of a kind has a chance of about
the level. `benchmarks/risk_verdicts.py` measures it.

A baseline that was chosen as the run of the best mean allows for all pairs of runs. Since E U_risk is never above E
mean d, a run whose mean is below the baseline's by the step-down test of all pairs is risky at every weight: p of that
mean is p of risky too. It is conservative, as it finds no run of the baseline's own mean risky. No run is safe beside
the best one, and none is called deviant.

Systems of several runs are tested, and have intervals of U_risk, by `systems`, so that other runs of them would say so
too. The intervals of GeoRisk are about the runs at hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.risk.losses import deviations, differences, geo_risk, weighed
from biasvar_cli.analyses.risk.systems import RiskSystems
from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.progress import finished
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.limits import FEWEST_QUERIES, LEVEL, RESAMPLES, is_significant
from biasvar_cli.stats import paired, resampling, significance, step_down
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.systems import SystemTests

_VALUES = 2**22  # that are held at a time: 32 MB


class Ends(NamedTuple):
    """The ends of an interval of every run, each of the shape (n_runs,); nan where there is none."""

    low: FloatArray
    high: FloatArray


class RiskIntervals(NamedTuple):
    """The intervals of U_risk and of GeoRisk, one for each alpha."""

    u_risk: tuple[Ends, ...]
    geo_risk: tuple[Ends, ...]


def risk_intervals(
    scores: ScoreMatrix,
    pool: ScoreMatrix,
    baseline: FloatArray,
    alphas: Sequence[float],
    *,
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
    systems: RiskSystems | None = None,
) -> RiskIntervals:
    """The intervals of runs of a pool against a baseline, shape (n_queries,).

    Memory is bounded whatever the numbers of runs and resamples. There is none for one query or fewer than 6 clusters,
    and none of GeoRisk where there is no GeoRisk. Raises `UsageError` for a level outside (0, 1), and for resamples too
    few to have one beyond each end. Intervals of
    U_risk of ``systems`` allow for their runs too.

    By hand: differences of .3, -.02, 0 and -.1 have the mean .045 and the standard deviation .175404, and t with three
    degrees of freedom is 3.182446 at .975: .045 -+ 3.182446 * .175404 / 2.

    >>> values = np.array([[0.6, 0.08, 0.5, 0.1], [0.3, 0.1, 0.5, 0.2]])
    >>> runs = ScoreMatrix(values, ("f", "b"), ("q1", "q2", "q3", "q4"), "AP")
    >>> result = risk_intervals(runs, runs, values[1], [0])
    >>> round(float(result.u_risk[0].low[0]), 5), round(float(result.u_risk[0].high[0]), 5)
    (-0.23411, 0.32411)
    """
    resampling.require_resamples(level, n_resamples)
    nothing = (Ends(*np.full((2, scores.n_runs), np.nan)),) * len(alphas)
    units = scores.units
    if scores.n_queries == 1 or units.are_few:
        return RiskIntervals(nothing, nothing)
    gains, t = differences(scores.values, baseline), paired.t_quantile((1 + level) / 2, units.n - 1)
    of_u: tuple[Ends, ...] = ()
    for alpha in alphas:
        tested = paired.paired_t(units.terms(weighed(gains, alpha)))
        half = t * tested.sd / np.sqrt(units.n) if systems is None else systems.u_risk(alpha).half_width(level)
        of_u = (*of_u, Ends(tested.mean - half, tested.mean + half))
    geo = geo_risk(scores, pool, alphas)
    if geo.reason is not None:
        return RiskIntervals(of_u, nothing)
    n_queries, of_queries = scores.n_queries, pool.values.sum(axis=0)
    n_together = max(1, _VALUES // max(n_resamples * len(alphas), n_queries))
    ends, n_means = np.empty((len(alphas), 2, scores.n_runs)), 0
    for start in range(0, scores.n_runs, n_together):
        runs = slice(start, start + n_together)
        rng, n_drawn = generator(Stream.QUERIES, seed), max(1, _VALUES // n_queries)
        drawn = resampling.resample_weights(units, n_resamples, rng, size=n_drawn)
        blocks = []
        for weights in drawn:
            blocks.append(resampled_geo_risk(scores.values[runs], of_queries, weights, alphas))
            before, n_means = n_means, n_means + len(weights) * len(scores.values[runs])
            finished("tested", n_means // scores.n_runs - before // scores.n_runs)
        resampled = np.concatenate(blocks, axis=2)
        left_out = left_out_geo_risk(scores.values[runs], of_queries, alphas, scores.clusters)
        for index, estimate in enumerate(geo.geo_risk[:, runs]):
            ends[index][:, runs] = resampling.bca(resampled[index], estimate, left_out[index], level)
    return RiskIntervals(of_u, tuple(Ends(low, high) for low, high in ends))


def resampled_geo_risk(
    values: FloatArray, of_queries: FloatArray, weights: FloatArray, alphas: Sequence[float]
) -> FloatArray:
    """GeoRisk under weights of the queries, (B, n), each row of sum 1: (n_alphas, n_runs, B).

    With the weighted means m_f of a run and M of the queries' sums g_q over the pool, e = m_f g_q / M = a g_q, and
    z = S / sqrt(a g_q) - sqrt(a g_q), below 0 where S / g_q < a. On most queries it is so under all of the weights, or
    under none; only the others are looked at under each.

    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> resampled_geo_risk(values, values.sum(axis=0), np.full((1, 4), 0.25), [1]).round(6).tolist()
    [[[0.360767], [0.377157], [0.345253]]]
    """
    used = of_queries > 0
    g, w, scores, mean = of_queries[used], weights[:, used], values[:, used], values @ weights.T
    whole, root = w @ g, np.sqrt(g)
    share = np.divide(mean, whole, out=np.zeros_like(mean), where=whole > 0)
    least, most = (ends[:, None] * g for ends in (share.min(axis=1), share.max(axis=1)))
    always = scores < least
    terms = np.stack([scores / root, np.broadcast_to(root, scores.shape)])
    everywhere, below = terms @ w.T, (terms * always) @ w.T
    for run, sometimes in enumerate(~always & (scores < most)):
        at = np.flatnonzero(sometimes)
        weight = w[:, at] * (scores[run, at] < share[run, :, None] * g[at])
        below[:, run] += terms[:, run, at] @ weight.T
    return _geo_risk(mean, share, everywhere, below, alphas)


def left_out_geo_risk(
    values: FloatArray, of_queries: FloatArray, alphas: Sequence[float], clusters: Clusters | None = None
) -> FloatArray:
    """GeoRisk without each of the queries in turn, for the jackknife: (n_alphas, n_runs, n); or without each cluster.

    As in `resampled_geo_risk`, under equal weights of all queries but one. The queries with S / g_q < a come first in
    the order of S / g_q, so that their sums are sums of the first in that order, less the query that is left out.

    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> result = left_out_geo_risk(values, values.sum(axis=0), [1])
    >>> three = np.delete(values, 3, axis=1)
    >>> alone = resampled_geo_risk(three, three.sum(axis=0), np.full((1, 3), 1 / 3), [1])
    >>> bool(np.allclose(result[..., 3], alone[..., 0]))
    True
    """
    if clusters is not None and not clusters.are_single:
        weights = np.array([others / others.sum() for others in clusters.without()])
        return resampled_geo_risk(values, of_queries, weights, alphas)
    n_left, root = values.shape[1] - 1, np.sqrt(of_queries)
    totals, whole = _sums_of_others(values), _sums_of_others(of_queries)
    share = np.divide(totals, whole, out=np.zeros_like(totals), where=whole > 0)
    ratio = np.divide(values, of_queries, out=np.full(values.shape, np.inf), where=of_queries > 0)
    per_root = np.divide(values, root, out=np.zeros(values.shape), where=root > 0)
    terms = np.stack([per_root, np.broadcast_to(root, values.shape)])
    below = np.empty_like(terms)
    for run, order in enumerate(np.argsort(ratio, axis=1, kind="stable")):
        n_below = np.searchsorted(ratio[run, order], share[run])
        first = np.zeros((2, n_left + 2))
        np.cumsum(terms[:, run, order], axis=1, out=first[:, 1:])
        below[:, run] = first[:, n_below] - terms[:, run] * (ratio[run] < share[run])
    return _geo_risk(totals / n_left, share, _sums_of_others(terms) / n_left, np.maximum(below, 0.0) / n_left, alphas)


def _geo_risk(
    mean: FloatArray, share: FloatArray, everywhere: FloatArray, below: FloatArray, alphas: Sequence[float]
) -> FloatArray:
    """GeoRisk of means and shares a, (R, B), and the weighted sums of S / sqrt(g) and sqrt(g): (n_alphas, R, B).

    These are over all queries and over those below their expected scores, (2, R, B).
    """
    from scipy.special import ndtr

    at = np.sqrt(share)
    z_risk, below_z = (
        np.divide(of_scores, at, out=np.zeros_like(at), where=at > 0) - at * of_roots
        for of_scores, of_roots in (everywhere, below)
    )
    return np.array([np.sqrt(mean * ndtr(z_risk + alpha * below_z)) for alpha in alphas])


def _sums_of_others(values: FloatArray) -> FloatArray:
    """The sum of all values but each one in turn along the last axis, of values >= 0: no digits are lost.

    >>> _sums_of_others(np.array([1.0, 2.0, 4.0])).tolist()
    [6.0, 5.0, 3.0]
    """
    others = np.zeros_like(values)
    others[..., 1:] = np.cumsum(values[..., :-1], axis=-1)
    others[..., :-1] += np.cumsum(values[..., :0:-1], axis=-1)[..., ::-1]
    return others


N_TESTS = 2  # besides those of U_risk, one for each alpha


@dataclass(frozen=True, eq=False)
class RiskVerdicts:
    """What is said of each run at one alpha; arrays of the shape (n_runs,), in the order of the runs.

    ``deviation`` is the mean of abs(d) less that of the other runs. ``mean_p``, ``risk_p`` and ``deviation_p`` are the
    two-sided p-values of the means of d and of delta_q(alpha) and of the deviation, each adjusted for the
    ``n_compared`` runs, or for ``n_pairs`` pairs where the baseline was chosen by its mean, else None. ``risk_p_at``
    has risk_p at every alpha that is asked for. They are nan for the baseline itself, and for all runs where there are
    too few queries for the test. ``safe``, ``risky`` and ``deviant`` are claimed where p is below 1 - `LEVEL` on the
    side in question, and of no other run.
    """

    n_compared: int
    n_pairs: int | None
    deviation: FloatArray
    mean_p: FloatArray
    risk_p: FloatArray
    deviation_p: FloatArray
    risk_p_at: Mapping[float, FloatArray]
    safe: BoolArray
    risky: BoolArray
    deviant: BoolArray


def risk_verdicts(
    scores: ScoreMatrix,
    baseline: FloatArray,
    alpha: float,
    *,
    baseline_run: str | None = None,
    chosen_of: ScoreMatrix | None = None,
    alphas: Sequence[float] = (),
    n_resamples: int = significance.USUAL_RESAMPLES,
    seed: int = 0,
    jobs: int = 1,
    systems: RiskSystems | None = None,
) -> RiskVerdicts:
    """The claims of all runs against a baseline, shape (n_queries,), at the weight ``alpha`` of losses.

    ``baseline_run`` is the run that the baseline is, which is not compared with itself; None if it is no run.
    ``chosen_of`` are the runs of which it has the best mean, if it was chosen for that. ``alphas`` are others at which
    p is wanted. Queries in
    clusters are drawn together. Where the runs are ``systems``, the tests are about these, and draw nothing.

    One run is .1 above the baseline on every query, one .1 below; the third one takes turns, and deviates as they do.
    Of equal sizes, none is larger than the others'.

    >>> turns = np.tile([0.1, -0.1], 6)
    >>> values = 0.5 + np.array([np.full(12, 0.1), np.full(12, -0.1), turns])
    >>> runs = ScoreMatrix(values, ("up", "down", "turns"), tuple("abcdefghijkl"), "AP")
    >>> result = risk_verdicts(runs, np.full(12, 0.5), 1)
    >>> result.safe.tolist(), result.risky.tolist(), result.deviant.tolist()
    ([True, False, False], [False, True, False], [False, False, False])
    """
    compared = np.array([run != baseline_run for run in scores.runs])
    gains = differences(scores.values[compared], baseline)
    draws = Draws(n_resamples, partial(generator, Stream.STEP_DOWN, seed), jobs)

    def of_runs(values: FloatArray, of_baseline: float) -> FloatArray:
        """Numbers of the runs that are compared, and that of the baseline, (n_runs,)."""
        whole = np.full(scores.n_runs, of_baseline)
        whole[compared] = values
        return whole

    def p_of_systems(tests: SystemTests) -> FloatArray:
        """p of the systems that are compared."""
        draws.finished()
        if scores.units.n < FEWEST_QUERIES:
            return np.full(len(gains), np.nan)
        return significance.holm(tests.p if len(tests.p) == len(gains) else tests.p[compared])

    weights, undefined = dict.fromkeys((alpha, *alphas)), np.full(scores.n_runs, np.nan)
    if chosen_of is None:
        with_mean = dict.fromkeys((0.0, *weights))
        families = [*(weighed(gains, weight) for weight in with_mean), deviations(gains)]
        if systems is None:
            tested = step_down.step_down_p(families, LEVEL, draws, clusters=scores.clusters)
        else:
            tested = [p_of_systems(tests) for tests in (*map(systems.u_risk, with_mean), systems.deviations(compared))]
        means = [of_runs(rows.mean(axis=1), 0.0) for rows in families]
        *at_weights, (deviation, deviation_p) = zip(means, (of_runs(p, np.nan) for p in tested), strict=True)
        at = dict(zip(with_mean, at_weights, strict=True))
        mean, mean_p = at[0.0]
    else:
        mean, deviation, deviation_p = scores.values.mean(axis=1) - baseline.mean(), undefined, undefined
        if systems is None:
            mean_p = _p_of_all_pairs(scores.runs, chosen_of, str(baseline_run), draws)
        else:
            draws.finished()
            mean_p = systems.p_beside_top() if scores.units.n >= FEWEST_QUERIES else undefined
        at = dict.fromkeys(weights, (mean, mean_p))
    u_risk, risk_p = at[alpha]
    return RiskVerdicts(
        n_compared=len(gains),
        n_pairs=None if chosen_of is None else chosen_of.n_runs * (chosen_of.n_runs - 1) // 2,
        deviation=deviation,
        mean_p=mean_p,
        risk_p=risk_p,
        deviation_p=deviation_p,
        risk_p_at={weight: at[weight][1] for weight in weights},
        safe=is_significant(mean_p, LEVEL) & (mean > 0) & (u_risk > 0),
        risky=is_significant(risk_p, LEVEL) & (u_risk < 0),
        deviant=is_significant(deviation_p, LEVEL) & (deviation > 0),
    )


def _p_of_all_pairs(runs: Sequence[str], pool: ScoreMatrix, top: str, draws: Draws) -> FloatArray:
    """p of no mean difference of each run and the ``top`` one, in the test of all pairs of a pool, (n_runs,)."""
    at, (first, second) = pool.runs.index(top), paired.Pairs.of_all(pool.n_runs)
    with_top, p = (first == at) | (second == at), np.full(pool.n_runs, np.nan)
    of_pairs = step_down.step_down_of_pairs(pool.values, LEVEL, draws, clusters=pool.clusters).p
    p[(first + second - at)[with_top]] = of_pairs[with_top]
    return p[[pool.runs.index(run) for run in runs]]
