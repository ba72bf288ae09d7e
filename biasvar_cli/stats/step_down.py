"""The primary test of many mean differences: a step-down bootstrap with Student's t for few queries.

It says which of K mean differences over the same n queries are not 0, with a chance of any false claim of at most about
the level. Nothing here knows a run. There are two families:

* `step_down`: K rows of differences or losses, (K, n), for example of all runs against a baseline;
* `step_down_of_pairs`: all R (R - 1) / 2 pairs of R rows, (R, n), in the order of `Pairs.of_all`.

`primary` is the one or the other, as the rows are compared. All take the level and the draws of the resamples (for
example `USUAL_RESAMPLES` from ``partial(generator, Stream.STEP_DOWN, seed)``), and give `StepDown`: p of each
difference, and the critical difference.

    tested = step_down(scores - baseline, 0.95, Draws(USUAL_RESAMPLES, partial(generator, Stream.STEP_DOWN, seed)))
    differs = is_significant(tested.p, 0.95)  # False where p is nan: with fewer than 6 queries nothing is tested

`significant_signs` and its like say which pairs differ without the p-value of every pair. The p-values of
`step_down_of_pairs` ascend from the largest mean difference to the smallest, so that the pairs with p below 1 - level
are those whose difference has at least a certain size. This size is found in a few steps. In each one the largest
differences of the resamples are taken over all pairs that are not rejected yet, and every size that they reach seldom
enough is rejected, until none is. A pair is left if its means are close; the largest differences are those of windows
of rows (`stats.steps`).

Source of the step-down method: Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica
73, 2005. Student's t in place of the normal distribution, and which test is used for few queries, are derived here;
`benchmarks/familywise.py` measures how often both err.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.specs.limits import FEWEST_QUERIES, is_significant, threshold
from biasvar_cli.stats.monte_carlo import Draws
from biasvar_cli.stats.paired import PairedRows, Pairs, t_quantile, t_test_p
from biasvar_cli.stats.resampling import critical_rank, critical_value, resample_weights
from biasvar_cli.stats.steps import (
    TOLERANCE,
    Reached,
    Steps,
    StepsOfAllPairs,
    Windows,
    largest_differences,
    reached_together,
)

Method = Literal["step-down", "studentised", "none"]

_STUDENTISED_BELOW = 25  # queries or clusters, for a single difference
_TIED = 1e-9  # of a squared t


class StepDown(NamedTuple):
    """The p-value of each difference, shape (k,), the critical difference, and the method that the queries allow.

    p is below 1 - level exactly where the size of the mean difference exceeds ``critical`` by more than rounding.
    Both are nan where the method is none; ``critical`` is also nan where too few resamples were drawn for the level. It
    is infinite where no size would do: too many resamples of a single difference have no variance. ``half_width`` is
    the critical difference of the first step: all differences together, plus and minus this, are simultaneous
    intervals. It is no less than ``critical``, and as often undefined.
    """

    p: FloatArray
    critical: float
    method: Method
    half_width: float


def method_for(n_queries: int, n_differences: int) -> Method:
    """None below 6 queries; the studentised bootstrap for one difference on fewer than 25; the step-down for all else.

    >>> method_for(5, 10), method_for(6, 10), method_for(24, 1), method_for(25, 1)
    ('none', 'step-down', 'studentised', 'step-down')
    """
    if n_queries < FEWEST_QUERIES:
        return "none"
    return "studentised" if n_differences == 1 and n_queries < _STUDENTISED_BELOW else "step-down"


def mapped_p(raw: FloatArray | float, n_queries: int) -> FloatArray:
    """2 P(t_(n-1) > z(1 - raw / 2) sqrt((n - 1) / n)), of any shape, for the share ``raw`` of resamples, above 0.

    A bootstrap of means is normal-like with the divisor n; this is the p of Student's t at the same distance.

    >>> [round(float(mapped_p(0.05, n)), 6) for n in (10, 25, 50)], float(mapped_p(1.0, 10))
    ([0.095907, 0.066772, 0.058113], 1.0)
    """
    return _p_at(raw, (n_queries - 1) / n_queries, n_queries - 1)


def _p_at(raw: FloatArray | float, shrunk: float, df: float) -> FloatArray:
    """The p of Student's t where a bootstrap whose variance is ``shrunk`` has the share ``raw`` beyond it."""
    from scipy.special import ndtri

    normal = -ndtri(np.asarray(raw, dtype=np.float64) / 2)
    return t_test_p(normal * np.sqrt(shrunk), df)


def raw_threshold(level: float, n_queries: int) -> float:
    """The share of resamples below which `mapped_p` is below a = 1 - level.

    It is a0 = 2 P(Z > t(1 - a / 2, n - 1) / sqrt((n - 1) / n)).

    >>> round(raw_threshold(0.95, 6), 8)
    0.00486361
    """
    return _raw_at(level, (n_queries - 1) / n_queries, n_queries - 1)


def _raw_at(level: float, shrunk: float, df: float) -> float:
    """The share of resamples below which `_p_at` is below 1 - level."""
    from scipy.special import ndtr

    return float(2 * ndtr(-t_quantile((1 + level) / 2, df) / np.sqrt(shrunk)))


def step_down(differences: FloatArray, level: float, draws: Draws, *, clusters: Clusters | None = None) -> StepDown:
    """The test of K mean differences, two-sided; rows of the shape (K, n) give p of (K,).

    Queries are drawn with replacement, the same for all rows; w* is the mean of a row in a resample less that of the
    data. In descending order of the observed sizes, the raw p of the j-th difference is (1 + #) / (n_samples + 1) for
    the resamples in which the largest abs(w*) of it and the differences after it reaches its own, and no less than the
    raw p before it; p is `mapped_p` of it. One difference on fewer than 25 queries is tested by the studentised
    bootstrap instead (`method_for`). Differences of a query up to 1e-10 of the largest are 0, and sizes that close are
    equal. A row of zeros has p 1. Where queries are in ``clusters``, these are drawn with all their queries, and their
    number takes the place of n.

    >>> rows = np.array([[0.4, 0.5, 0.3, 0.6, 0.4, 0.5, 0.4], [0.1, -0.1, 0.0, 0.1, -0.1, 0.0, 0.1], [0.0] * 7])
    >>> result = step_down(rows, 0.95, Draws(999, np.random.default_rng))
    >>> (result.p < 0.05).tolist(), float(result.p[2]), result.method
    ([True, False, False], 1.0, 'step-down')
    """
    steps, scale = _beside_zero(differences, clusters)
    return _tested(steps, scale, level, draws)


def step_down_p(
    families: Sequence[FloatArray], level: float, draws: Draws, *, clusters: Clusters | None = None
) -> list[FloatArray]:
    """p of `step_down` of each family of K differences over the same queries; their resamples are drawn once for all.

    >>> rows = np.random.default_rng(0).normal(size=(2, 40)) * 0.1 + np.array([[0.5], [0.0]])
    >>> draws = Draws(999, np.random.default_rng)
    >>> p, again = step_down_p([rows, rows[::-1]], 0.95, draws)
    >>> bool((p == step_down(rows, 0.95, draws).p).all()), bool((p == again[::-1]).all())
    (True, True)
    """
    n_queries = units_of(families[0].shape[1], clusters).n
    if method_for(n_queries, len(families[0])) != "step-down":
        return [step_down(rows, level, draws, clusters=clusters).p for rows in families]
    several = [_beside_zero(rows, clusters)[0] for rows in families]
    together = reached_together(several, draws)
    return [_p(steps, _in_order(reached, n_queries)) for steps, reached in zip(several, together, strict=True)]


def _beside_zero(differences: FloatArray, clusters: Clusters | None) -> tuple[Steps, float]:
    """Rows beside a row of zeros, divided by their largest number, and this."""
    scale = float(np.abs(differences).max(initial=0.0)) or 1.0
    rows = differences / scale
    rows[np.abs(rows) <= TOLERANCE] = 0.0
    size = len(rows)
    with_zero = np.vstack([rows, np.zeros(rows.shape[1])])
    return Steps(with_zero, Pairs(np.arange(size), np.full(size, size)), clusters), scale


def step_down_of_pairs(rows: FloatArray, level: float, draws: Draws, *, clusters: Clusters | None = None) -> StepDown:
    """`step_down` of the differences of all pairs of R rows, (R, n): p of (R (R - 1) / 2,), in `Pairs.of_all`'s order.

    The differences are not held in memory: their means are differences of the means of rows. Rows that differ by
    rounding alone have means that are equal up to the tolerance.

    >>> rows = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.1]])
    >>> result = step_down_of_pairs(rows, 0.95, Draws(999, np.random.default_rng))
    >>> (result.p < 0.05).tolist()  # the first row is apart from the three others
    [True, True, True, False, False, False]
    """
    near = _less_the_first(rows)
    if len(rows) == 2:
        return step_down(near[1:], level, draws, clusters=clusters)
    scale = _largest_difference(near)
    return _tested(StepsOfAllPairs(near / scale, clusters), scale, level, draws)


def step_down_of_two_samples(
    one: FloatArray, two: FloatArray, pairs: Pairs, level: float, draws: Draws
) -> tuple[FloatArray, float]:
    """p of the differences of pairs of rows, (k,), whose means are those of two samples, added up; k >= 2.

    The rows are of (R, n) and (R, N), independent samples of queries, each at least 6. With V = sum_p Var(difference of
    pair p) / n in the first sample, divisor n - 1, and W likewise in the second, p has t with (V + W)^2 / (V^2 / (n -
    1) + W^2 / (N - 1)) degrees of freedom, at z(1 - raw / 2) sqrt((V (n - 1) / n + W (N - 1) / N) / (V + W)). Where the
    second sample is 0 this is the step-down test of the first. Beside p stands half the width of simultaneous intervals
    of all differences (`StepDown`).

    >>> rows = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.1]])
    >>> draws = Draws(999, np.random.default_rng)
    >>> alone, nothing = step_down_of_pairs(rows, 0.95, draws), np.zeros((4, 9))
    >>> p, half_width = step_down_of_two_samples(rows, nothing, Pairs.of_all(4), 0.95, draws)
    >>> bool((p == alone.p).all()), round(half_width - alone.half_width, 9)
    (True, 0.0)
    """
    near = [_less_the_first(part) for part in (one, two)]
    scale = sum(map(_largest_difference, near)) if near[1].any() else _largest_difference(near[0])
    rows, others = (part / scale for part in near)
    are_all = len(pairs.first) == len(rows) * (len(rows) - 1) // 2
    steps = StepsOfAllPairs(rows, others=others) if are_all else Steps(rows, pairs, others=others)
    sizes = [part.shape[1] for part in near]
    of_one, of_two = (_variance_of_pairs(part, pairs) / (part.shape[1] - 1) for part in (rows, others))
    share = of_two / (of_one + of_two) if of_two else 0.0
    shares = list(zip((1 - share, share), sizes, strict=True))
    shrunk = sum(of * (size - 1) / size for of, size in shares)
    df = 1 / sum(of**2 / (size - 1) for of, size in shares) if share else sizes[0] - 1
    reached = steps.reached(draws)
    p = np.empty(len(steps.order))
    p[steps.order] = _p_at((1 + np.maximum.accumulate(reached.n_resamples)) / (draws.n_samples + 1), shrunk, df)
    rank = critical_rank(_raw_at(level, shrunk, df), draws.n_samples)
    return p, nan if rank < 1 else float(np.partition(reached.largest, -rank)[-rank]) * scale


def _variance_of_pairs(rows: FloatArray, pairs: Pairs) -> float:
    """The sum over pairs of the population variance of their difference."""
    return sum(float(differences.var(axis=1).sum()) for _, differences in pairs.differences(rows))


def _less_the_first(rows: FloatArray) -> FloatArray:
    """Rows minus their first one, (R, n): of the size of the differences; what differs by rounding alone is 0."""
    near: FloatArray = rows - rows[0]
    near[np.abs(near) <= ROUNDING * np.abs(rows).max(initial=0.0)] = 0.0
    return near


def _largest_difference(rows: FloatArray) -> float:
    """The largest difference of two rows on a query; 1 where no two rows differ."""
    return float(np.ptp(rows, axis=0).max(initial=0.0)) or 1.0


def too_few_samples(n_queries: int, n_differences: int, level: float, n_samples: int) -> bool:
    """Whether no difference could have a p below 1 - level, however large, for so few samples are drawn.

    >>> too_few_samples(50, 10, 0.95, 999), too_few_samples(50, 10, 0.9999, 999)
    (False, True)
    """
    method = method_for(n_queries, n_differences)
    if method == "none":
        return False
    raw = threshold(level) if method == "studentised" else raw_threshold(level, n_queries)
    return critical_rank(raw, n_samples) < 1


def primary(rows: PairedRows, level: float, draws: Draws) -> StepDown:
    """The test of rows that are compared in pairs: of all pairs, or of all others with the baseline."""
    values, baseline = rows.values, rows.baseline
    if baseline is None:
        return step_down_of_pairs(values, level, draws, clusters=rows.clusters)
    differences = np.delete(values, baseline, axis=0) - values[baseline]
    differences[np.abs(differences) <= rows.tolerance] = 0.0
    return step_down(differences, level, draws, clusters=rows.clusters)


def _tested(steps: Steps, scale: float, level: float, draws: Draws) -> StepDown:
    """The test of pairs of rows whose differences were divided by ``scale``, so that none is larger than 1.

    The critical difference of the step-down bootstrap is the k-th largest maximum of the first step with p >= 1 -
    level, of the last step if there is none, for k = ceil(a0 (n_samples + 1)) - 1 and a0 of `raw_threshold`. Which step
    that is, is known once all are counted, so its resamples are used a second time.
    """
    rows, pairs, n_pairs, n_queries = steps.rows, steps.pairs, len(steps.order), steps.units.n
    method = method_for(n_queries, n_pairs)
    if method == "none" or n_pairs == 0:
        draws.finished()
        return StepDown(np.full(n_pairs, nan), nan, method, nan)
    if method == "studentised":
        p, critical = _studentised(rows[pairs.first[0]] - rows[pairs.second[0]], steps.units, level, draws)
        return StepDown(p, critical * scale, method, critical * scale)
    reached = steps.reached(draws)
    ordered = _in_order(reached, n_queries)
    p, rank = _p(steps, ordered), critical_rank(raw_threshold(level, n_queries), draws.n_samples)
    if rank < 1:
        return StepDown(p, nan, method, nan)
    start = min(int(np.count_nonzero(is_significant(ordered, level))), n_pairs - 1)
    half_width, critical = (
        float(np.partition(largest, -rank)[-rank])
        for largest in (reached.largest, steps.largest(start, draws) if start else reached.largest)
    )
    return StepDown(p, critical * scale, method, half_width * scale)


def _in_order(reached: Reached, n_queries: int) -> FloatArray:
    """p of pairs in descending order of size."""
    n_samples = len(reached.largest)
    of_counts = mapped_p((1 + np.arange(n_samples + 1)) / (n_samples + 1), n_queries)
    return of_counts[np.maximum.accumulate(reached.n_resamples)]


def _p(steps: Steps, ordered: FloatArray) -> FloatArray:
    """p of pairs in their own order, from the order of the steps."""
    p = np.empty(len(ordered))
    p[steps.order] = ordered
    return p


def _studentised(z: FloatArray, units: Clusters, level: float, draws: Draws) -> tuple[FloatArray, float]:
    """The studentised bootstrap of one row of differences, (n,): p of (1,), and the critical difference.

    t^2 grows with q = mean^2 / mean of squares of the shifted row, which is 1 where a resample has no variance and its
    mean is not 0: p = (1 + #{q* >= q}) / (n_samples + 1). A resample of zeros does not count. Of clusters the terms
    are shifted, and the squares are those of residuals from the ratio that a mean is then (`Clusters.excess`).
    """
    mean = float(z.mean())
    shifted = units.terms(z) - mean
    shifted[np.abs(shifted) <= TOLERANCE] = 0.0
    spread = float((shifted**2).mean())

    def shares(rng: np.random.Generator, n_drawn: int) -> FloatArray:
        weights = next(resample_weights(units.n, n_drawn, rng))
        moved = weights @ shifted
        squares = weights @ shifted**2 + units.excess(weights, moved, shifted)
        return np.divide(moved**2, squares, out=np.zeros(n_drawn), where=squares > 0)

    ascending = np.sort(np.concatenate(list(draws.blocks(shares))))
    limit = critical_value(ascending, level)
    critical = float(np.sqrt(spread * limit / (1 - limit))) if not limit >= 1 - _TIED else inf
    if abs(mean) <= TOLERANCE:
        return np.ones(1), critical
    least = mean**2 / (spread + mean**2) * (1 - _TIED)
    n_reached = np.count_nonzero(ascending >= least)
    return np.array([(1 + n_reached) / (draws.n_samples + 1)]), critical


_IN_MEMORY = 2**25  # numbers of all resamples; of more rows the resamples are drawn again in each step


def differs_from(rows: FloatArray, row: int, level: float, draws: Draws, clusters: Clusters | None = None) -> BoolArray:
    """Whether p of each row and one ``row`` is below 1 - level, in the test of all pairs of R rows, (R, n): (R,).

    The answer is that of `step_down.step_down_of_pairs` with the same draws. It is False for the row itself, and for
    all of them where p is undefined.

    >>> rows = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.1]])
    >>> differs_from(rows, 0, 0.95, Draws(999, np.random.default_rng)).tolist()
    [False, True, True, True]
    """
    signs, pairs = significant_signs(rows, level, draws, clusters), Pairs.of_all(len(rows))
    differs = np.zeros(len(rows), dtype=bool)
    if signs is not None:
        differs[pairs.second[(pairs.first == row) & (signs != 0)]] = True
        differs[pairs.first[(pairs.second == row) & (signs != 0)]] = True
    return differs


def significant_signs(
    rows: FloatArray, level: float, draws: Draws, clusters: Clusters | None = None
) -> IntArray | None:
    """Which of two rows has the larger mean, where p is below 1 - level in the test of all pairs of R rows, (R, n).

    1 for the first row of a pair, -1 for the second, 0 where p is not below 1 - level; pairs as in `Pairs.of_all`,
    (R (R - 1) / 2,). None where p is undefined, for fewer than 6 queries.

    >>> rows = np.random.default_rng(0).normal(size=(4, 40)) * 0.1 + np.array([[0.1], [0.5], [0.1], [0.1]])
    >>> significant_signs(rows, 0.95, Draws(999, np.random.default_rng)).tolist()
    [-1, 0, 0, 1, 1, 0]
    """
    near, pairs = _less_the_first(rows), Pairs.of_all(len(rows))
    n_pairs, units = len(pairs.first), units_of(rows.shape[1], clusters)
    if n_pairs == 0 or method_for(units.n, n_pairs) == "none":
        draws.finished()
        return np.zeros(0, dtype=np.int64) if n_pairs == 0 else None
    if n_pairs == 1:
        significant = is_significant(step_down(near[1:], level, draws, clusters=clusters).p, level)
        return np.where(significant, np.sign(near[0].mean() - near[1].mean()), 0).astype(np.int64)
    near = near / _largest_difference(near)
    means = near.mean(axis=1)
    delta = means[pairs.first] - means[pairs.second]
    significant = np.abs(delta) >= _least_rejected(near, means, np.abs(delta), level, draws, units)
    return np.where(significant, np.sign(delta), 0).astype(np.int64)


def _least_rejected(
    rows: FloatArray, means: FloatArray, sizes: FloatArray, level: float, draws: Draws, units: Clusters
) -> float:
    """The smallest of the sizes of mean differences with p below 1 - level; infinite where there is none."""
    order, sizes, in_memory = np.argsort(means, kind="stable"), np.unique(sizes)[::-1], None

    def drift(rng: np.random.Generator, n_drawn: int) -> FloatArray:
        """The means of resamples less those of the data, in ascending order of the data's: (R, n_drawn)."""
        return (rows @ next(resample_weights(units, n_drawn, rng)).T - means[:, None])[order]

    if len(rows) * draws.n_samples <= _IN_MEMORY:
        in_memory = list(draws.blocks(drift))
    else:
        draws.finished()
    n_rejected = 0
    while n_rejected < len(sizes):
        windows = [Windows.within(means[order], sizes[n_rejected])]
        resampled = in_memory or draws._replace(again=True).blocks(drift)
        largest = np.sort(np.concatenate([largest_differences(block, windows)[0] for block in resampled]))
        n_reached = len(largest) - np.searchsorted(largest, sizes[n_rejected:] - TOLERANCE)
        p = mapped_p((1 + n_reached) / (draws.n_samples + 1), units.n)
        n_more = int(np.count_nonzero(is_significant(p, level)))
        if n_more == 0:
            break
        n_rejected += n_more
    return float(sizes[n_rejected - 1]) if n_rejected else np.inf
