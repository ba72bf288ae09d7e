"""How far a ranking of the runs can be relied on: halves of the queries, how many are needed, what makes the variance.

Sources: split halves of the topics after Zobel, SIGIR 1998, and Voorhees and Buckley, SIGIR 2002, with Kendall's tau-b
between the two rankings; the jackknife of ln Var: Miller, "Jackknifing variances", Annals of Mathematical Statistics
39, 1968; the regression on the means is that of Finlay and Wilkinson, Australian Journal of Agricultural Research 14,
1963, with queries in place of environments and runs in place of varieties.
"""

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray
from biasvar_cli.decomposition.decompose import VirtualTarget, moments
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.limits import LEVEL
from biasvar_cli.stats import correlation, monte_carlo, paired
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance, population_variance
from biasvar_cli.words import RANKED

_SCORES_AT_ONCE = 2**14  # few enough for the cache


@dataclass(frozen=True)
class SplitHalf:
    """Kendall's tau-b between the rankings of the runs in two random halves of the queries, the mean over the splits.

    Each is nan where no split has one; ``n_undefined`` counts the splits that lack one of those that are not nan (a
    half on which all runs are equal). ``half`` queries are in each half, or clusters of them if they are
    ``of_clusters``; of an odd number one is in neither.
    """

    n_splits: int
    half: int
    n_undefined: int
    bias: float
    var: float
    total: float
    var_gap: float
    total_gap: float
    of_clusters: bool = False


@dataclass(frozen=True, eq=False)
class Precision:
    """How well Var of each run is known; arrays of the shape (n_runs,), nan where a variance has no interval.

    ``half_width`` is that of the interval of ln Var, so that .1 is about 10 % of Var. ``needed`` is how many queries
    bring it down to ``wanted``. ``median`` is the median of ``needed`` over the ``n_defined`` runs that have one.
    """

    wanted: float
    level: float
    half_width: FloatArray
    needed: FloatArray

    @property
    def n_defined(self) -> int:
        return int(np.isfinite(self.needed).sum())

    @property
    def median(self) -> float:
        return float(np.median(self.needed[np.isfinite(self.needed)])) if self.n_defined else float("nan")


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the variance of each run comes from; arrays of the shape (n_runs,).

    ``slope`` is by how much the run's score changes with the mean score of a query over the pool: above 1 it amplifies
    the difficulty of the track, below 1 it damps it. ``of_track`` is slope^2 Var(query means), ``rest`` what remains
    of the run's variance, and ``share`` is of_track / Var, nan for a run without variance. All four are nan where the
    query means do not vary.
    """

    slope: FloatArray
    of_track: FloatArray
    rest: FloatArray
    share: FloatArray


def split_half(scores: ScoreMatrix, target: VirtualTarget, *, n_splits: int = 100, seed: int = 0) -> SplitHalf:
    """Rank the runs on two random halves of the queries and compare the rankings, on average over the splits.

    Both halves have n // 2 queries, and of an odd number one query, another each time, is in neither: rankings from
    unequal halves would not be equally reliable. The target's scores are those of the half. Its bias is with its sign,
    which ranks like the mean. Half the queries say less than all of them, so that tau is too low for the whole ranking.
    The same seed gives the same splits, for any runs. Queries of one cluster are in the same half: halves then have as
    many clusters, of maybe different sizes.

    Runs that are apart by the same on every query are ranked alike by any half, and vary alike:

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> values = np.array([[0.1], [0.2], [0.4]]) + np.array([0.0, 0.1, 0.3, 0.5])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2", "q3", "q4"), "AP")
    >>> found = split_half(runs, best_of_runs(runs))
    >>> found.bias, found.var, found.total
    (1.0, nan, 1.0)
    """
    units = scores.units
    n, half = units.n, units.n // 2
    taus = np.full((len(RANKED), n_splits), np.nan)
    if half and scores.n_runs >= correlation.LEAST_POINTS:
        rng = monte_carlo.generator(monte_carlo.Stream.HALVES, seed, n)
        order = rng.permuted(np.tile(np.arange(n), (n_splits, 1)), axis=1)
        one, other = (_errors(scores, target, part) for part in (order[:, :half], order[:, half : 2 * half]))
        taus = np.array([correlation.kendall(a, b) for a, b in zip(one, other, strict=True)])
    known = np.isfinite(taus)
    some = known.any(axis=1)
    means = np.full(len(RANKED), np.nan)
    np.divide(np.where(known, taus, 0).sum(axis=1), known.sum(axis=1), out=means, where=some)
    n_undefined = int((~known[some]).any(axis=0).sum())
    by_name = dict(zip(RANKED, means.tolist(), strict=True))
    return SplitHalf(n_splits, half, n_undefined, **by_name, of_clusters=scores.clusters is not None)


def precision(
    values: FloatArray, wanted: float, *, level: float = LEVEL, within: FloatArray | None = None
) -> Precision:
    """How many queries bring the half-width of the interval of ln Var down to ``wanted``, > 0; values (n_runs, n).

    Where the values are means over replicates, ``within`` has the variances of these, of the same shape.

    The half-width is t s / sqrt(n), with the standard deviation s of the jackknife's pseudo-values of ln Var, divisor
    n - 1, and the quantile t for n - 1 degrees of freedom. As it falls with 1 / sqrt(n), n (half-width / wanted)^2
    queries are needed, rounded up. With gaps T - S in place of scores it is about the variance of the gap. A run has no
    interval if its variance is 0, also without one query, and for n < 2.

    Of .1, .3, .5 the variances without one value are .01, .04 and .01, the pseudo-values -2 ln .01 and so on up to a
    constant; s = 2 ln 4 / sqrt(3), and t = 4.302653:

    >>> found = precision(np.array([[0.1, 0.3, 0.5]]), 0.5)
    >>> found.half_width.round(4).tolist(), found.needed.tolist()  # 4.302653 * 1.600755 / sqrt(3)
    ([3.9765], [190.0])
    """
    n_runs, n = values.shape
    half_width, needed = np.full(n_runs, np.nan), np.full(n_runs, np.nan)
    if n >= 2:
        left = leave_one_out_variance(values) + (0.0 if within is None else leave_one_out_mean(within))
        defined = (left > (ROUNDING * np.abs(values).max()) ** 2).all(axis=1)
        # pseudo-values n ln Var - (n - 1) ln Var_q: their standard deviation is n - 1 times that of ln Var_q
        error = (n - 1) * np.sqrt(population_variance(np.log(left[defined])) / (n - 1))
        half_width[defined] = paired.t_quantile((1 + level) / 2, n - 1) * error
        needed[defined] = np.maximum(np.ceil(n * (half_width[defined] / wanted) ** 2), 2)
    return Precision(wanted, level, half_width, needed)


def origin(scores: ScoreMatrix, pool: ScoreMatrix) -> Origin:
    """Regress the scores of each run on the mean score of each query over the pool, on the same queries.

    Var_f = slope^2 Var(d) + residual variance, where d_q is the mean of query q and slope = Cov(S_f, d) / Var(d). The
    slopes of the pool's own runs are 1 on average. A run is part of the mean that it is regressed on, which matters
    in small pools: of a pool of one run all of the variance is the track's.

    The query means are .2 and .4; the first run doubles their difference, the second has none:

    >>> runs = ScoreMatrix(np.array([[0.1, 0.5], [0.3, 0.3]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> found = origin(runs, runs)
    >>> found.slope.round(6).tolist(), found.of_track.round(6).tolist(), found.share.round(6).tolist()
    ([2.0, 0.0], [0.04, 0.0], [1.0, nan])
    """
    values, means = scores.values, pool.values.mean(axis=0)
    of_replicates = 0.0 if scores.within is None else scores.within.mean(axis=1)
    spread, var = float(population_variance(means)), population_variance(values) + of_replicates
    nothing = np.full(scores.n_runs, np.nan)
    if spread <= (ROUNDING * float(np.abs(pool.values).max())) ** 2:
        return Origin(nothing, nothing, nothing, nothing)
    deviations = means - means.mean()
    slope = (values - values[:, :1]) @ deviations / (deviations @ deviations)
    of_track = slope**2 * spread
    residual = population_variance(values - slope[:, None] * means) + of_replicates
    share = np.divide(of_track, var, out=nothing, where=var > 0)
    return Origin(slope, of_track, residual, np.minimum(share, 1))


def _errors(scores: ScoreMatrix, target: VirtualTarget, chosen: IntArray) -> FloatArray:
    """The errors that runs are ranked by, on the queries of some clusters or single queries, (B, k): (5, B, n_runs).

    Deviations are those of the chosen queries alone: runs that are constant on them have a variance of exactly 0.
    """
    units, values, within = scores.units, scores.values, scores.within
    ranked_by = np.empty((len(RANKED), len(chosen), len(values)))
    at_once = max(1, _SCORES_AT_ONCE // max(1, values[:, chosen[0]].size)) if units.are_single else 1
    for start in range(0, len(chosen), at_once):
        queries = np.sort(chosen[start : start + at_once])  # sorted and taken, they are read in the order of memory
        if not units.are_single:
            queries = np.flatnonzero(np.isin(units.of_query, queries))[None]
        best = None if target.scores is None else target.scores[queries]
        of_replicates = None if within is None else within[:, queries]
        errors = moments(
            np.take(values, queries, axis=1), best, target.mean if best is None else best.mean(axis=1), of_replicates
        )
        ranked_by[:, start : start + at_once] = [getattr(errors, name).T for name in RANKED]
    return ranked_by
