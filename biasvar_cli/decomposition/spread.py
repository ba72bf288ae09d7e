"""How far apart the true means of the runs are under two judges: the ratio of their spreads, its interval and its test.

The true mean of a run is that over all queries of the kind at hand. Means over n queries scatter more than true means
do, by their noise, and the noise of two judges differs; the slope of the means under one judge on those under the other
is drawn to 0 by it. So the variance of the true means is estimated without bias, from products of different queries.

Sources: the estimate is a U-statistic, and its jackknife is that of Arvesen, "Jackknifing U-statistics", Annals of
Mathematical Statistics 40, 1969; the interval of the ratio is that of Fieller, "Some problems in interval estimation",
Journal of the Royal Statistical Society B 16, 1954. `benchmarks/judge_spread.py` measures how often the test errs.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, settled
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.specs.limits import FEWEST_QUERIES, LEVEL
from biasvar_cli.stats.paired import paired_t, t_quantile


class Spread(NamedTuple):
    """The spread of the runs under a judge beside that under the reference.

    ``variances`` of the true means are those under the reference and under the judge. ``p`` is that of the test that
    these are equal, with the statistic ``t``; ``ratio`` is the root of the second over the first, 2 where the judge
    spreads the runs twice as far, between ``low`` and ``high`` at the level. All three are nan where the reference's
    own spread is not above its noise; all but the variances are nan for fewer than 6 queries or clusters.
    """

    variances: tuple[float, float]
    t: float
    p: float
    ratio: float
    low: float
    high: float


def spread(
    reference: FloatArray, other: FloatArray, clusters: Clusters | None = None, *, level: float = LEVEL
) -> Spread:
    """Compare the spread of the true means of R runs under two judges; scores A and B on n queries, (R, n).

    With a_rq = A_rq - A_.q, C clusters of m_c queries (single ones, without ``clusters``) and S_rc the sum of a_rq
    over a cluster:

           V_a = (sum_r (sum_c S_rc)^2 - sum_rc S_rc^2) / ((R - 1) (n^2 - sum_c m_c^2)), and V_b likewise
           P_c = C (V_b - V_a) - (C - 1) (V_b - V_a without c), the pseudo-values, with the mean T
           t   = T / se, se^2 = sum_c (P_c - T)^2 / (C (C - 1)), and C - 1 degrees of freedom

       Of single queries T is V_b - V_a itself.
    The expectation of V_a is the variance of the true means with the divisor R - 1, whatever the law of the scores. The
    ends of the interval of V_b / V_a are the roots of (V_b - x V_a)^2 = (quantile of t)^2 k(x), where k(x) is the
    squared standard error of V_b - x V_a, by the covariances of both judges' pseudo-values. Swapping the judges
    changes the sign of T and takes the reciprocals of ratio and ends. A single run has no spread: all is nan.

       Four runs on eight queries:

       >>> a = np.array([[9, 8, 7, 9, 6, 8, 9, 7], [7, 6, 6, 8, 4, 5, 8, 6], [4, 5, 3, 6, 2, 4, 5, 3]])
    >>> b = np.array([[8, 8, 7, 9, 7, 8, 8, 7], [8, 6, 7, 8, 6, 6, 8, 7], [6, 7, 5, 7, 5, 6, 6, 5]])
    >>> a, b = (np.vstack(rows) for rows in ((a, [3, 2, 1, 4, 2, 1, 3, 2]), (b, [6, 4, 4, 6, 5, 4, 5, 5])))
    >>> tested = spread(a / 10, b / 10)
       >>> [round(value, 6) for value in (*tested.variances, *tested[1:])]
       [0.060714, 0.015476, -9.072655, 4e-05, 0.504878, 0.444912, 0.561258]
    """
    units = units_of(reference.shape[1], clusters)
    n_units = units.n
    largest = float(max(np.abs(reference).max(), np.abs(other).max())) or 1.0
    if len(reference) < 2 or n_units < 2:
        return Spread((nan, nan), nan, nan, nan, nan, nan)
    (one, of_one), (two, of_two) = (_variances(values / largest, units) for values in (reference, other))
    variances = one * largest**2, two * largest**2
    if n_units < FEWEST_QUERIES:
        return Spread(variances, nan, nan, nan, nan, nan)
    rounding = ROUNDING * n_units
    pseudo = np.array([n_units * whole - (n_units - 1) * parts for whole, parts in ((one, of_one), (two, of_two))])
    differences = pseudo[1] - pseudo[0]
    student = paired_t(settled(differences, rounding)[None])
    t, p = float(student.t[0]), float(student.p[0])
    k = np.cov(pseudo) / n_units
    return Spread(variances, t, p, *_ratio(one, two, k, t_quantile((1 + level) / 2, n_units - 1), rounding))


def true_slope(reference: FloatArray, other: FloatArray, clusters: Clusters | None = None) -> float:
    """The slope of the runs' true means under a judge on those under the reference; scores A and B, (R, n).

    It is V_ab / V_a, where V_ab has products S_rc S'_rc of both judges in place of the squares of `spread`, so that the
    noise of A's means does not draw it to 0; 1 where V_a is not above 0.

    The slope of the means themselves is 1 here:

    >>> a, b = np.array([[0.6, 0.4, 0.2], [0.0, 0.2, 0.1]]), np.array([[0.5, 0.4, 0.3], [0.1, 0.2, 0.0]])
    >>> round(true_slope(a, b), 6)  # a_rq of the first run .3 .1 .05, b_rq .2 .1 .15: (.45^2 - .0775) / (.45^2 - .1025)
    1.25
    """
    units = units_of(reference.shape[1], clusters)
    largest = float(np.abs(reference).max()) or 1.0
    a, b = (units.sums(scores - scores.mean(axis=0)) / largest for scores in (reference, other))
    square, product = (float((a.sum(axis=1) @ of.sum(axis=1)) - (a * of).sum()) for of in (a, b))
    return product / square if square > ROUNDING * a.size else 1.0


def _variances(values: FloatArray, units: Clusters) -> tuple[float, FloatArray]:
    """V of scores, (R, n), and V without each cluster in turn, (C,)."""
    sums = units.sums(values - values.mean(axis=0))
    of_runs, squares, sizes = sums.sum(axis=1), (sums**2).sum(axis=0), units.sizes
    size, pairs = sizes.sum(), (sizes**2).sum()
    whole = ((of_runs**2).sum() - squares.sum()) / (size**2 - pairs)
    without = ((of_runs[:, None] - sums) ** 2).sum(axis=0) - (squares.sum() - squares)
    left = (size - sizes) ** 2 - (pairs - sizes**2)
    with np.errstate(invalid="ignore"):  # of two queries nothing is left to compare
        return float(whole) / (len(values) - 1), without / left / (len(values) - 1)


def _ratio(one: float, two: float, k: FloatArray, quantile: float, rounding: float) -> tuple[float, float, float]:
    """The root of V_b / V_a and the ends of its interval by Fieller; nan where V_a is not above its noise."""
    square = quantile**2 * k
    x2, x1, x0 = one**2 - square[0, 0], one * two - square[0, 1], two**2 - square[1, 1]
    if one <= rounding or x2 <= 0:
        return nan, nan, nan
    reach = sqrt(max(x1**2 - x2 * x0, 0.0))
    ratio, low, high = (sqrt(max(value, 0.0)) for value in (two / one, (x1 - reach) / x2, (x1 + reach) / x2))
    return ratio, low, high
