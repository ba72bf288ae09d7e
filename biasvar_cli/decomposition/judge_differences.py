"""The same runs under the judgments of two judges: how their scores differ, what stays true, whom a judge favours.

A judge is whoever says which documents are relevant: people, a language model, a pool that was judged again. The scores
of R runs on n queries are two matrices, A under the reference and B under the other judge. Their difference splits as
exactly as an error splits into bias^2 and variance (`judge_split`).

Sources: the split and the test of favour are derived here; that a pair of runs can be significant under both judges, in
one or in opposite directions, or under one of them alone: Moffat, Scholer and Thomas, "Models and metrics: IR
evaluation as a user process", ADCS 2012, and Ferro and Sanderson, "Improving the accuracy of system performance
estimation by using shards", SIGIR 2019. `benchmarks/judge_favour.py` measures how often the test of favour errs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray, settled
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.decomposition.decompose import Moments
from biasvar_cli.decomposition.generalised import ease
from biasvar_cli.decomposition.spread import true_slope
from biasvar_cli.specs.limits import FEWEST_QUERIES, is_significant
from biasvar_cli.stats import correlation, monte_carlo, paired, step_down, variance


@dataclass(frozen=True)
class JudgeSplit:
    """The mean squared difference of two judges, ``msd``, and its five parts, whose sum it is.

    ``mean`` is the mean score under the other judge, ``slope`` that of its run means on those of the reference, nan
    where these do not vary. ``shift`` moves all scores alike and ``query`` those of a query: neither changes a
    difference of two run means. ``compression`` is what the slope does to these; ``favour`` is the rest of the run
    means. ``rest`` differs by run and query, and changes no mean. With a slope above 0 it is ``favour`` alone that
    changes the order of the means.
    """

    mean: float
    slope: float
    msd: float
    shift: float
    query: float
    compression: float
    favour: float
    rest: float


class _Effects(NamedTuple):
    """B - A = shift + of_runs + of_queries + rest, and the deviations of A's run means, which of_runs is regressed on.

    ``of_runs`` and ``means`` have the shape (R,), ``of_queries`` (n,), ``rest`` (R, n); all have a mean of 0, ``rest``
    in every row and column. ``tilt`` is slope - 1, nan where ``means`` are 0. What is rounding of the largest score is
    exactly 0.
    """

    shift: float
    of_runs: FloatArray
    of_queries: FloatArray
    rest: FloatArray
    means: FloatArray
    tilt: float
    rounding: float

    @classmethod
    def of(cls, reference: FloatArray, other: FloatArray) -> _Effects:
        """The effects of two matrices of the shape (R, n)."""
        assert reference.shape == other.shape, "both judges have the same runs and queries"
        rounding = ROUNDING * float(max(np.abs(reference).max(), np.abs(other).max()))
        differences = other - reference
        first = differences[0, 0]
        moved = settled(differences - first, rounding)
        shift = moved.mean()
        of_runs = settled(moved.mean(axis=1) - shift, rounding)
        of_queries = settled(moved.mean(axis=0) - shift, rounding)
        rest = settled(moved - shift - of_runs[:, None] - of_queries, rounding)
        means = reference.mean(axis=1)
        means = settled(means - means.mean(), rounding)
        largest, tilt = float(np.abs(means).max()), nan
        if largest:
            unit = means / largest  # no square underflows
            tilt = float(unit @ of_runs / (unit @ unit) / largest)
        return cls(float(first + shift), of_runs, of_queries, rest, means, tilt, rounding)

    @property
    def residuals(self) -> FloatArray:
        """The run means of B less the line through them, (R,): with an undefined slope, less their mean."""
        return settled(self.of_runs - np.nan_to_num(self.tilt) * self.means, self.rounding)


def judge_split(reference: FloatArray, other: FloatArray) -> JudgeSplit:
    """Split the mean squared difference of two matrices of scores, A and B, both of the shape (R, n).

    With d = B - A, and a_r and b_r the means of a run over the queries under A and B:

        msd         = E_rq d^2
        shift       = (E_rq d)^2
        query       = Var_q(E_r d)
        compression = (slope - 1)^2 Var_r(a), where slope = Cov_r(a, b) / Var_r(a)
        favour      = Var_r(b - slope a)
        rest        = E_rq (d_rq - d_r. - d_.q + d_..)^2

    All variances have the divisor n. msd is the sum of the five parts: effects of runs and queries and the rest are
    orthogonal, and so are the line and its residuals, hence compression + favour = Var_r(b - a). Where a does not vary,
    and so for a single run, the slope is nan, compression 0, and favour Var_r(b). Scores of which less is better are
    utilities, -S, and have the same parts.

    Four runs on three queries, by hand: the run means are .5, .4, .2, .1 and .666667, .566667, .4, .366667.

    >>> a = np.array([[0.9, 0.5, 0.1], [0.6, 0.4, 0.2], [0.3, 0.3, 0.0], [0.2, 0.0, 0.1]])
    >>> b = np.array([[0.8, 0.8, 0.4], [0.7, 0.5, 0.5], [0.5, 0.6, 0.1], [0.4, 0.4, 0.3]])
    >>> split = judge_split(a, b)
    >>> round(split.mean, 6), round(split.slope, 6), round(split.msd, 6)
    (0.5, 0.766667, 0.056667)
    >>> [round(part, 6) for part in (split.shift, split.query, split.compression, split.favour, split.rest)]
    [0.04, 0.005417, 0.001361, 0.000306, 0.009583]
    """
    effects = _Effects.of(reference, other)
    compression = float(np.nan_to_num(effects.tilt) ** 2 * variance.population_variance(effects.means))
    return JudgeSplit(
        mean=float(other.mean()),
        slope=1 + effects.tilt,
        msd=float(((other - reference) ** 2).mean()),
        shift=effects.shift**2,
        query=float(variance.population_variance(effects.of_queries)),
        compression=compression,
        favour=float(variance.population_variance(effects.residuals)),
        rest=float((effects.rest**2).mean()),
    )


class PassesSplit(NamedTuple):
    """The split of the mean of several passes of a judge, and the variance between the passes; nan for one pass."""

    of_mean: JudgeSplit
    var_passes: float


def passes_split(reference: FloatArray, passes: FloatArray) -> PassesSplit:
    """Split the difference between a reference, A of (R, n), and K passes of one judge, B of (K, R, n).

    With the mean of the passes B. = E_k B_k, each cell has E_k (B_k - A)^2 = (B. - A)^2 + Var_k(B), since the
    deviations B_k - B. have a mean of 0 over the passes. On average over runs and queries:

        E_k msd(A, B_k) = msd(A, B.) + var_passes, where var_passes = E_rq Var_k(B), with the divisor K

    The parts of msd(A, B.) are those of `judge_split`. Each of them is the squared length of a projection of B - A,
    which is linear in B; so the same holds of every part, and var_passes has five parts too, those of the split of
    B_k and B. along A's means. A pass of its own differs from the reference by the sum of the two.

    They describe these K passes. Among all that the judge might have made, var_passes is too small by the factor
    (K - 1) / K on average, and msd(A, B.) is too large by var_passes / (K - 1), for the mean keeps a K-th of the
    scatter. For K = 1 var_passes is nan: one pass says nothing of others.

    By hand: the passes differ from A by .1 and .3 on one query, by 0 and 0 on the other; E_k msd = (.005 + .045) / 2,
    msd of the mean is .2^2 / 2, and the variances between the passes are .01 and 0:

    >>> a = np.array([[0.2, 0.5]])
    >>> of_mean, var_passes = passes_split(a, np.array([[[0.3, 0.5]], [[0.5, 0.5]]]))
    >>> round(of_mean.msd, 6), round(var_passes, 6)
    (0.02, 0.005)
    """
    assert passes.ndim == 3, "passes, runs and queries"
    of_mean = judge_split(reference, passes.mean(axis=0))
    if len(passes) == 1:
        return PassesSplit(of_mean, nan)
    return PassesSplit(of_mean, float(variance.population_variance(np.moveaxis(passes, 0, -1)).mean()))


class RankingTaus(NamedTuple):
    """Kendall's tau-b between the rankings of the runs under two judges, by each quantity; nan where undefined."""

    mean: float
    total: float
    var: float
    total_gap: float
    var_gap: float


def ranking_taus(reference: Moments, other: Moments) -> RankingTaus:
    """Compare the rankings of the runs by five quantities under two judges; moments with arrays of the shape (R,).

    The errors under a judge are those against the target under this judge: by default its own best score of each query.
    Undefined for fewer than three runs, and where all runs are equal under a judge.

    The runs of `judge_split`, by scipy's kendalltau:

    >>> from biasvar_cli.decomposition.decompose import moments
    >>> a = np.array([[0.9, 0.5, 0.1], [0.6, 0.4, 0.2], [0.3, 0.3, 0.0], [0.2, 0.0, 0.1]])
    >>> b = np.array([[0.8, 0.8, 0.4], [0.7, 0.5, 0.5], [0.5, 0.6, 0.1], [0.4, 0.4, 0.3]])
    >>> taus = ranking_taus(*(moments(values, values.max(axis=0), values.max(axis=0).mean()) for values in (a, b)))
    >>> [round(tau, 6) for tau in taus]
    [1.0, 0.666667, 0.333333, 1.0, 0.333333]
    """
    return RankingTaus(
        *(correlation.kendall(getattr(reference, name), getattr(other, name)).item() for name in RankingTaus._fields)
    )


class PairClasses(NamedTuple):
    """How many pairs of runs are significantly different under two judges.

    ``both`` are significant under both in the same direction, ``reversed`` under both in opposite directions, ``lost``
    under the reference alone, ``gained`` under the other judge alone, ``neither`` under none.
    """

    both: int
    reversed: int
    lost: int
    gained: int
    neither: int


def pair_classes(reference: IntArray, other: IntArray) -> PairClasses:
    """Count the pairs by what two judges say of them: `stats.step_down.significant_signs` under both, (k,).

    >>> pair_classes(np.array([1, 1, -1, 0, 0, 0]), np.array([1, -1, 0, 1, -1, 0]))
    PairClasses(both=1, reversed=1, lost=1, gained=2, neither=1)
    """
    assert reference.shape == other.shape, "both judges have the same pairs"
    product, before, after = reference * other, reference != 0, other != 0
    classes = (product > 0, product < 0, before & ~after, after & ~before, ~before & ~after)
    return PairClasses(*(int(np.count_nonzero(pairs)) for pairs in classes))


class HardestShared(NamedTuple):
    """How many of the ``size`` hardest queries under a judge are among the hardest under another one, too."""

    shared: float
    size: int


def hardest_shared(reference: FloatArray, other: FloatArray) -> HardestShared:
    """Compare the hardest tenth of the queries, rounded up, under two judges; matrices of scores of the shape (R, n).

    The order is that of `ease`. Of t queries that tie for the last s places of the tenth, each is in it with the weight
    s / t: of both weights of a query the lesser one counts, so that the order of tied queries does not matter and a
    judge has all of its hardest queries in common with itself.

    Of 11 queries two are the hardest: the first and the second, and the first and one of the third and the fourth:

    >>> scores, tied = np.linspace(0.0, 1.0, 11), np.array([0.0, 0.9, 0.1, 0.1, *[0.9] * 7])
    >>> hardest_shared(scores[None], tied[None])
    HardestShared(shared=1.0, size=2)
    """
    size = -(-reference.shape[1] // 10)
    weights = np.minimum(_among_hardest(ease(reference), size), _among_hardest(ease(other), size))
    return HardestShared(float(weights.sum()), size)


def _among_hardest(scores: FloatArray, size: int) -> FloatArray:
    """The weight with which each query is among the ``size`` queries of the lowest scores, (n,)."""
    limit = np.sort(scores)[size - 1]
    below, tied = scores < limit, scores == limit
    return below + tied * ((size - np.count_nonzero(below)) / np.count_nonzero(tied))


class Favour(NamedTuple):
    """By how much a judge favours each run, and p of the test that it does not: arrays of the shape (R,).

    ``residual`` is the distance of the run's mean from the line of all runs, positive for a run that the judge likes,
    and ``p`` that of its test. ``curve_p`` is that of the distance from the parabola through the means, 1 where it has
    another sign than the residual. Both are nan where ``method`` is none, for the queries are too few.
    """

    residual: FloatArray
    p: FloatArray
    curve_p: FloatArray
    method: step_down.Method

    def signs(self, level: float, *, curved: bool = False) -> IntArray:
        """1 for the favoured runs, p below 1 - level and a residual above 0, -1 for disfavoured ones, 0 for others.

        Where the means may be ``curved``, ``curve_p`` has to be below it too.
        """
        p = np.maximum(self.p, self.curve_p) if curved else self.p
        return np.where(is_significant(p, level), np.sign(self.residual), 0).astype(np.int64)


def favour(
    reference: FloatArray, other: FloatArray, level: float, draws: monte_carlo.Draws, clusters: Clusters | None = None
) -> Favour:
    """Test which runs a judge favours beside the reference; scores of both, (R, n).

    D_rq = (B_rq - B_.q) - slope (A_rq - A_.q) has as its mean over the queries the residual of run r from the line of
    B's run means on A's (`judge_split`); with an undefined slope, 1 takes its place, which does not change the
    residual. The means of the rows of D are tested by the step-down bootstrap over all runs, with the slope as it is
    estimated. Without the slope, a judge that merely tells runs less apart would seem to favour weak runs and to
    disfavour strong ones.

    Where the means lie on a curve, as under a lenient judge whose best scores cannot rise any more, the runs at its
    ends are far from the line, though no run is favoured. So the same test is made of the distances from the parabola
    through the means. The slope in it is that of the true means (`spread.true_slope`): the noise of A's means draws
    the slope of the means themselves to 0, so that beside a noisy reference good runs lie above the line and poor ones
    below it. With three runs or fewer no distance from a parabola is left, and `curve_p` is 1.

    Favour is relative to the runs at hand. Among few runs a favoured one draws the line to itself, so that others may
    be called disfavoured.

    The runs of `judge_split`, on too few queries for a test:

    >>> a = np.array([[0.9, 0.5, 0.1], [0.6, 0.4, 0.2], [0.3, 0.3, 0.0], [0.2, 0.0, 0.1]])
    >>> b = np.array([[0.8, 0.8, 0.4], [0.7, 0.5, 0.5], [0.5, 0.6, 0.1], [0.4, 0.4, 0.3]])
    >>> tested = favour(a, b, 0.95, monte_carlo.Draws(999, np.random.default_rng))
    >>> tested.residual.round(6).tolist(), tested.method
    ([0.013333, -0.01, -0.023333, 0.02], 'none')
    """
    effects = _Effects.of(reference, other)
    residual = effects.residuals
    deviations = reference - reference.mean(axis=0)
    from_line = effects.rest + effects.of_runs[:, None] - np.nan_to_num(effects.tilt) * deviations
    from_line = settled(from_line, effects.rounding)
    tested = step_down.step_down(from_line, level, draws, clusters=clusters)
    if tested.method == "none" or not np.isfinite(effects.tilt):
        return Favour(residual, tested.p, tested.p, tested.method)
    drawn = true_slope(reference, other, clusters) - 1 - effects.tilt
    from_curve = from_line - _bend(effects.means, residual, deviations) - drawn * deviations
    from_curve = settled(from_curve, effects.rounding)
    of_curve = step_down.step_down(from_curve, level, draws._replace(again=True), clusters=clusters)
    alike = np.sign(from_curve.mean(axis=1)) == np.sign(residual)
    return Favour(residual, tested.p, np.where(alike, of_curve.p, 1.0), tested.method)


def _bend(means: FloatArray, residual: FloatArray, deviations: FloatArray) -> FloatArray:
    """What a parabola takes from the distances of the run means from their line, (R,), by query: (R, n).

    With x the means, and w what is left of x^2 after its line on x, the parabola takes c w_r of the residual, where
    c = w residual / w w. A query moves x_r by A_rq - A_.q - x_r, and the parabola by c w'(x_r) times that, less its
    mean over the runs. 0 where the means have fewer than three values.
    """
    unit = means / np.abs(means).max()
    square = unit**2 - (unit**2).mean()
    slope = float(unit @ square / (unit @ unit))
    left = settled(square - slope * unit, ROUNDING * len(unit))
    if not left.any():
        return np.zeros_like(deviations)
    derivative = (2 * unit - slope) / np.abs(means).max()
    moved = derivative[:, None] * (deviations - means[:, None])
    return left @ residual / (left @ left) * (left[:, None] + moved - moved.mean(axis=0))


def mean_p(reference: FloatArray, other: FloatArray, clusters: Clusters | None = None) -> float:
    """p of the test that a judge's scores have the reference's mean, that it is not lenient or strict; scores (R, n).

    It is the t test over the n queries of the mean differences E_r (B_rq - A_rq), with n - 1 degrees of freedom; nan
    for fewer than 6 queries. Clusters of queries, where there are any, take their place.

    >>> a = np.linspace(0.1, 0.8, 5)[:, None] + np.array([0.0, 0.05, 0.1, 0.0, 0.05, 0.1])
    >>> mean_p(a, a + 0.1), mean_p(a, a)
    (0.0, 1.0)
    """
    units = units_of(reference.shape[1], clusters)
    if units.n < FEWEST_QUERIES:
        return nan
    effects = _Effects.of(reference, other)
    values = units.terms(effects.shift + effects.of_queries)
    deviations = settled(values - values.mean(), effects.rounding)
    mean = float(settled(values.mean(), effects.rounding))
    error = float(np.sqrt((deviations**2).sum() / (len(values) - 1) / len(values)))
    if error == 0:
        return 0.0 if mean else 1.0
    return float(paired.t_test_p(mean / error, len(values) - 1))
