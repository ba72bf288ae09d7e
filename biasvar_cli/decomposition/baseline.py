"""Tests of every run against one of them: do bias, variance and total error differ significantly?

The queries are a sample of those that might have been asked, so that every test is paired over the queries.

Sources: paired t test: Student, "The probable error of a mean", Biometrika 6, 1908 (Sakai 2013, slide 42); interval of
a ratio of variances from the jackknife of its logarithm: Miller, "Jackknifing variances", Annals of Mathematical
Statistics 39, 1968; many comparisons: Holm, Scandinavian Journal of Statistics 6, 1979. That the mean of the target is
estimated too, in the total error, is derived here.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, difference
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.errors import full_name
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.limits import LEVEL
from biasvar_cli.stats import paired, significance, variance
from biasvar_cli.words import argument

_NoTest = Literal["baseline", "one-query", "few-clusters", "mean-only", "no-variance", "one-query-has-all-variance"]
_SAME = 1e-10  # logarithms of a ratio that differ by less are the same number, differently rounded


@dataclass(frozen=True, eq=False)
class Compared:
    """One quantity of every run beside the baseline run's; arrays of the shape (n_runs,), in the order of the runs.

    ``value`` is the difference, run minus baseline, or the ratio, run over baseline; ``low`` and ``high`` are the ends
    of its interval, ``t`` the statistic with n - 1 degrees of freedom for n queries or clusters, ``p`` its two-sided p,
    and ``p_holm`` that p adjusted for all runs that are compared, or for all pairs of runs (`holm`). ``reason`` says,
    where there is no test and these five are nan, why: it is the ``baseline`` itself, there is only ``one-query``, the
    target is ``mean-only``, or for a ratio one of the two has ``no-variance``, or none without one query. Otherwise it
    is None.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    t: FloatArray
    p: FloatArray
    p_holm: FloatArray
    reason: tuple[_NoTest | None, ...]


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Every run of ``runs`` against the run ``baseline``: differences of three errors, ratios of two variances.

    ``bias`` is Bias_f - Bias_g, ``total`` and ``total_gap`` are differences of total errors in the score form and in
    the gap form, ``var`` and ``var_gap`` are Var_f / Var_g in these forms. ``level`` is that of the intervals.
    """

    runs: tuple[str, ...]
    baseline: str
    n_queries: int
    level: float
    bias: Compared
    total: Compared
    total_gap: Compared
    var: Compared
    var_gap: Compared


def compare(
    scores: ScoreMatrix,
    target: VirtualTarget,
    baseline: str,
    *,
    level: float = LEVEL,
    noun: str = "run",
    all_pairs: bool = False,
) -> Comparisons:
    """Compare every run f with the run ``baseline``, g. Raises what `full_name` raises, of a ``noun``.

    * bias: paired t test on S_g - S_f, whose mean is Bias_f - Bias_g for every target.
    * total: paired t test on d_q = (S_f - m)^2 - (S_g - m)^2 - 2 (mean S_f - mean S_g)(T_q - m), where m is the mean of
      the target. Its mean is the difference of the totals. The last term has mean 0: with it the standard error knows
      that m is the mean of these queries, and would be another one on others. A target that is a mean alone is known
      without error, and the term is left out.
    * total of the gap: paired t test on (S_f - T)^2 - (S_g - T)^2.
    * variances: `variance_ratio`, of the scores and of the gaps T - S.

    Of systems S is the mean over the replicates; the variance of these on a query adds to both squares, and to both
    variances. Where queries are in clusters, these take their place (`clusters.Clusters.terms`).

    ``all_pairs`` says that the baseline was chosen by its scores, for example as the run of the best mean: ``p_holm``
    is then adjusted for all pairs of runs, under each of the five quantities. Three runs are three pairs. With p of .01
    and .04 against the first, and .03 of the other two, Holm's adjusted ones are .03, .06 and .06.

    Runs that are equal on every query have p = 1. Where the difference is the same on every query, and not 0, t is
    infinite and p is 0.

    Two systems on 20 queries (Sakai's book): the first has less bias, t(19) = 2.1158, p = .0478.

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> x = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
    >>> y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
    >>> runs = ScoreMatrix(np.array([x, y]), ("X", "Y"), tuple(map(str, range(20))), None)
    >>> result = compare(runs, best_of_runs(runs), "Y")
    >>> result.bias.value.round(6).tolist(), result.bias.t.round(4).tolist(), result.bias.p.round(4).tolist()
    ([-0.075, 0.0], [-2.1158, nan], [0.0478, nan])
    >>> result.var.value.round(6).tolist()  # .046475 / .0281
    [1.653915, 1.0]
    """
    baseline = full_name(argument(baseline=baseline), baseline, scores.runs, noun)
    n_runs, at = scores.n_runs, scores.runs.index(baseline)
    against = _against(scores, target, at, level)
    if not all_pairs:
        return against
    by_run = [against if run == at else _against(scores, target, run, level) for run in range(n_runs)]
    adjusted: dict[str, Any] = {}
    for name in ("bias", "total", "total_gap", "var", "var_gap"):
        p = np.array([getattr(comparisons, name).p for comparisons in by_run])
        of_baseline = p[at].copy()
        p[at] = p[:, at] = np.nan
        adjusted_p = significance.holm(np.concatenate([of_baseline, p[np.triu_indices(n_runs, 1)]]))[:n_runs]
        adjusted[name] = replace(getattr(against, name), p_holm=adjusted_p)
    return replace(against, **adjusted)


def _against(scores: ScoreMatrix, target: VirtualTarget, at: int, level: float) -> Comparisons:
    """Every run compared with one of them."""
    values, differences = scores.values, difference(scores.values, scores.values[at])
    both = values + scores.values[at]
    within, clusters = scores.within, scores.clusters
    of_replicates = 0.0 if within is None else difference(within, within[at])
    losses = differences * difference(both, np.full(1, 2 * target.mean))  # a^2 - b^2 = (a - b)(a + b): 0 for equal runs
    losses += of_replicates
    if target.scores is None:
        total_gap = var_gap = _untested(np.full(scores.n_runs, np.nan), at, "mean-only")
    else:
        losses -= 2 * differences.mean(axis=1, keepdims=True) * (target.scores - target.mean)
        total_gap = _differences(differences * difference(both, 2 * target.scores) + of_replicates, at, level, clusters)
        gaps = difference(target.scores, values)
        var_gap = variance_ratio(gaps, at, level=level, within=within, clusters=clusters)
    return Comparisons(
        runs=scores.runs,
        baseline=scores.runs[at],
        n_queries=scores.n_queries,
        level=level,
        bias=_differences(-differences, at, level, clusters),
        total=_differences(losses, at, level, clusters),
        total_gap=total_gap,
        var=variance_ratio(values, at, level=level, within=within, clusters=clusters),
        var_gap=var_gap,
    )


def variance_ratio(
    values: FloatArray,
    baseline: int,
    *,
    level: float = LEVEL,
    within: FloatArray | None = None,
    clusters: Clusters | None = None,
) -> Compared:
    """Var_f / Var_g of each row of values, (n_runs, n_queries), over that of the row ``baseline``.

    Where the values are means over replicates, ``within`` has the variances of these, of the same shape.

    The interval is exp(mean +- t s / sqrt(n)) of the pseudo-values n L - (n - 1) L_q of L = ln(Var_f / Var_g), where
    L_q is L without the query q, s has the divisor n - 1, and t is the quantile for n - 1 degrees of freedom; the test
    of equal variances is of the same mean and s. Its centre is L corrected for bias, so that it may lie a little beside
    the ratio of the sample's own variances, which is ``value``. The test of Pitman and Morgan, which supposes normal
    scores, rejects far too often for those of retrieval.

    A run of twice the baseline's scores has four times its variance, without doubt:

    >>> result = variance_ratio(np.array([[0.1, 0.2, 0.4], [0.2, 0.4, 0.8], [0.3, 0.3, 0.3]]), 0)
    >>> result.value.round(6).tolist(), result.low.round(6).tolist(), result.p.tolist()
    ([1.0, 4.0, nan], [nan, 4.0, nan], [nan, 0.0, nan])
    >>> result.reason
    ('baseline', None, 'no-variance')
    """
    n_runs, n = values.shape
    if n == 1:
        return _untested(np.full(n_runs, np.nan), baseline, "one-query")
    units = units_of(n, clusters)
    if units.are_few:
        return _untested(np.full(n_runs, np.nan), baseline, "few-clusters")
    var, left = variance.population_variance(values), variance.leave_one_out_variance(values, units)
    if within is not None:
        var, left = var + within.mean(axis=1), left + variance.leave_one_out_mean(within, units)
    least = (ROUNDING * np.abs(values).max()) ** 2
    varies, robust = var > least, (left > least).all(axis=1)
    log_var, log_left = (
        np.log(values, out=np.full(values.shape, np.nan), where=values > least) for values in (var, left)
    )
    whole, without = log_var - log_var[baseline], log_left - log_left[baseline]
    whole[np.abs(whole) <= _SAME] = 0.0
    moved = whole[:, None] - without
    moved[np.abs(moved) <= _SAME] = 0.0
    reasons: list[_NoTest | None] = [
        "no-variance" if not a else "one-query-has-all-variance" if not b else None
        for a, b in zip(varies & varies[baseline], robust & robust[baseline], strict=True)
    ]
    ratios = _tested(whole[:, None] + (units.n - 1) * moved, baseline, level, reasons)
    with np.errstate(over="ignore"):  # of three queries an end can be beyond every number
        ratio, low, high = np.exp(whole), np.exp(ratios.low), np.exp(ratios.high)
    return Compared(ratio, low, high, ratios.t, ratios.p, ratios.p_holm, ratios.reason)


def _differences(differences: FloatArray, baseline: int, level: float, clusters: Clusters | None) -> Compared:
    """Paired t tests of the mean of each row, (n_runs, n_queries)."""
    n_runs, n = differences.shape
    if n == 1:
        return _untested(differences[:, 0], baseline, "one-query")
    units = units_of(n, clusters)
    if units.are_few:
        return _untested(differences.mean(axis=1), baseline, "few-clusters")
    return _tested(units.terms(differences), baseline, level, [None] * n_runs)


def _tested(z: FloatArray, baseline: int, level: float, reasons: list[_NoTest | None]) -> Compared:
    """Student's test that the mean of each row is 0, where there is no reason against it; z has at least two columns.

    A row that is constant up to rounding has a standard error of 0: t is 0 if its mean is, else infinite. A mean of the
    size of rounding is 0.
    """
    n = z.shape[1]
    reasons[baseline] = "baseline"
    tested = np.array([reason is None for reason in reasons])
    mean = z[:, 0] + (z - z[:, :1]).mean(axis=1)
    mean[np.abs(mean) <= ROUNDING * np.abs(z).max(axis=1)] = 0.0
    largest = np.abs(z[tested]).max(axis=1, keepdims=True)
    unit = z[tested] / np.where(largest > 0, largest, 1)  # no square overflows
    spread = np.sqrt(variance.population_variance(unit) / (n - 1))
    spread[np.ptp(unit, axis=1) <= ROUNDING] = 0.0
    error, t, p = (np.full(len(z), np.nan) for _ in range(3))
    error[tested] = spread * largest[:, 0]
    t[tested] = np.where(mean[tested] == 0, 0.0, np.copysign(np.inf, mean[tested]))
    np.divide(mean, error, out=t, where=error > 0)
    p[tested] = paired.t_test_p(t[tested], n - 1)
    reach = paired.t_quantile((1 + level) / 2, n - 1) * error
    return Compared(mean, mean - reach, mean + reach, t, p, significance.holm(p), tuple(reasons))


def _untested(value: FloatArray, baseline: int, reason: _NoTest) -> Compared:
    """The values alone, shape (n_runs,), for one reason."""
    nothing = np.full(len(value), np.nan)
    reasons = tuple("baseline" if index == baseline else reason for index in range(len(value)))
    return Compared(value, nothing, nothing, nothing, nothing, nothing, reasons)
