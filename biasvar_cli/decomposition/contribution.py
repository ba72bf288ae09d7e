"""The virtual target taken apart: who supplies it, what each run gives to it, how hard its queries are.

Sources: CIKM'14: Zhang et al., "Generalized Bias-Variance Evaluation of TREC Participated Systems", CIKM 2014 (the best
score of each query as the target, and as its difficulty). Leaving a run out and the rarefied target are derived here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray, difference
from biasvar_cli.decomposition.decompose import VirtualTarget, decompose
from biasvar_cli.decomposition.generalised import by_difficulty, ease
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.targets import BEST
from biasvar_cli.stats.variance import population_variance
from biasvar_cli.words import QUERY, RUNS, DifficultyKey, argument, counted


class LeftOut(NamedTuple):
    """What leaving out a run, or its team, changes; arrays of the shape (n_runs,).

    ``unique`` is what the mean of the best scores loses, ``bias`` the bias of the run against the best of the others.
    """

    unique: FloatArray
    bias: FloatArray

    @classmethod
    def of(cls, values: FloatArray, best: FloatArray, others: FloatArray) -> LeftOut:
        """From the runs' scores, the best of all, (n_queries,), and the best of the others for each run.

        Unique contribution of run f: U_f = mean over queries of S*[q] - T_f[q], where S* is the best of all runs and
        T_f that of the others; Bias_LORO(f) = mean(T_f) - mean(S_f) = Bias(f) - U_f, which is negative for a run of a
        higher mean than all others at their best. A run that occurs twice has U_f = 0. Both are nan where there are no
        others: ``others`` is nan there.

        >>> LeftOut.of(np.array([[0.3, 0.5]]), np.array([0.6, 0.5]), np.array([[0.6, 0.1]])).unique.round(6).tolist()
        [0.2]
        """
        return cls(difference(best, others).mean(axis=1), difference(others.mean(axis=1), values.mean(axis=1)))


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each run of a pool gives to a target; arrays of shape (n_runs,) in the order of the pool's runs.

    ``supplies``, shape (n_runs, n_queries), is whether the run reaches the target's score on the query; ``supplied``
    counts these queries, ``alone`` those that no other run reaches. ``bias`` is the target's mean minus the run's.
    ``left_out`` is what leaving the run out changes; it is nan unless the target is the best of the pool, and for a
    pool of one run.
    """

    pool: ScoreMatrix
    target: VirtualTarget
    supplies: BoolArray
    bias: FloatArray
    left_out: LeftOut

    @property
    def supplied(self) -> IntArray:
        return self.supplies.sum(axis=1)

    @property
    def alone(self) -> IntArray:
        return (self.supplies & (self.supplies.sum(axis=0) == 1)).sum(axis=1)

    @property
    def order(self) -> list[int]:
        """The runs by how many queries they supply, most first, equal ones by name."""
        supplied, runs = self.supplied, self.pool.runs
        return sorted(range(self.pool.n_runs), key=lambda run: (-supplied[run], runs[run]))


@dataclass(frozen=True, eq=False)
class Difficulty:
    """How hard each query is for a pool; every array has the shape (n_queries,), in the order of the queries.

    ``mean`` and ``sd`` (divisor n_runs) are of the query's scores over the runs. ``rank`` is 1 for the hardest query,
    ``group`` 1 for the hardest ``subset_size`` queries. ``alike`` is how many queries are as hard as the query, itself
    included; ``n_tied`` queries are as hard as one before them.
    """

    key: DifficultyKey
    subset_size: int
    mean: FloatArray
    sd: FloatArray
    rank: IntArray
    group: IntArray
    alike: IntArray
    n_tied: int


def contributions(pool: ScoreMatrix, target: VirtualTarget) -> Contributions:
    """Who reaches the target where, and the target's mean without each run.

    A run reaches a score that differs from its own by rounding alone. For leaving a run out see `LeftOut.of`. Raises
    `UsageError` for a target that is a mean alone.

    Three runs whose best scores are .60, .20, .50 and .25. The first only shares q3; without the second, q1 falls to
    .45 and the mean by .15/4; without the third, q2 falls by .10 and q4 by .05:

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> pool = ScoreMatrix(values, ("r1", "r2", "r3"), ("q1", "q2", "q3", "q4"), "AP")
    >>> result = contributions(pool, best_of_runs(pool))
    >>> result.supplied.tolist(), result.alone.tolist()
    ([1, 2, 2], [0, 1, 2])
    >>> result.left_out.unique.round(6).tolist()
    [0.0, 0.0375, 0.0375]
    >>> result.bias.round(6).tolist(), result.left_out.bias.round(6).tolist()
    ([0.1125, 0.0675, 0.1375], [0.1125, 0.03, 0.1])
    """
    if target.scores is None:
        what = f"it has no score per {QUERY} that {RUNS} could supply"
        raise UsageError(f"the target {target.label} is a mean alone: {what}")
    best = pool.values.max(axis=0)
    is_best = target.spec.form.of_pool and np.array_equal(target.scores, best)
    others = best_of_others(pool) if is_best else np.full(pool.values.shape, np.nan)
    supplies = difference(target.scores, pool.values) <= 0
    left_out = LeftOut.of(pool.values, best, others)
    return Contributions(pool, target, supplies, decompose(pool, target).bias, left_out)


def best_of_others(pool: ScoreMatrix) -> FloatArray:
    """For each run and query the best score of the other runs, shape (n_runs, n_queries); nan for a single run.

    That is the best of all, and for the run that has it the second best, which may be as good.

    >>> pool = ScoreMatrix(np.array([[0.3, 0.5], [0.6, 0.5], [0.4, 0.1]]), ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> best_of_others(pool).tolist()
    [[0.6, 0.5], [0.4, 0.5], [0.6, 0.5]]
    """
    if pool.n_runs == 1:
        return np.full(pool.values.shape, np.nan)
    second, best = np.partition(pool.values, -2, axis=0)[-2:]
    return np.where(pool.values == best, second, best)


def difficulty(pool: ScoreMatrix, *, key: DifficultyKey = "best", subset_size: int = 10) -> Difficulty:
    """Rank and group the queries from hard to easy, by the pool's best score or by its mean: a lower one is harder.

    Queries that are equally hard up to rounding keep their order. Groups hold ``subset_size`` queries each, the last
    one the rest (CIKM'14: ten). Two runs on five queries, in groups of two; q2 and q3 have the same best score:

    >>> values = np.array([[0.1, 0.2, 0.3, 0.4, 0.6], [0.05, 0.3, 0.2, 0.5, 0.45]])
    >>> pool = ScoreMatrix(values, ("f", "g"), ("q1", "q2", "q3", "q4", "q5"), "AP")
    >>> hardness = difficulty(pool, subset_size=2)
    >>> hardness.rank.tolist(), hardness.group.tolist(), hardness.alike.tolist(), hardness.n_tied
    ([1, 2, 3, 4, 5], [1, 1, 2, 2, 3], [1, 2, 2, 1, 1], 1)
    """
    mean = pool.values.mean(axis=0)
    rank = np.empty(pool.n_queries, dtype=np.int64)
    rank[by_difficulty(pool.values, key)] = np.arange(pool.n_queries)
    sd = np.sqrt(population_variance(pool.values.T))
    _, level, sizes = np.unique(ease(pool.values, key), return_inverse=True, return_counts=True)
    n_tied = pool.n_queries - len(sizes)
    return Difficulty(key, subset_size, mean, sd, rank + 1, rank // subset_size + 1, sizes[level], n_tied)


def rarefied(pool: ScoreMatrix, n_drawn: int) -> FloatArray:
    """The expected best score of each query over ``n_drawn`` runs drawn from the pool, exact, shape (n_queries,).

    T_r[q] = sum over j = r..R of a_(j) C(j-1, r-1) / C(R, r), where a_(1) <= ... <= a_(R) are the scores of q: a_(j) is
    the best of a draw that holds it and r - 1 of the j - 1 below. r = R is the maximum itself, r = 1 the mean. Targets
    of pools of different sizes can be compared at the same r. Raises `DataError` if the pool is smaller than r.

    Of .30, .45 and .60 the three pairs have the maxima .45, .60 and .60, which is .55 on average:

    >>> pool = ScoreMatrix(np.array([[0.30], [0.60], [0.45]]), ("r1", "r2", "r3"), ("q1",), "AP")
    >>> [rarefied(pool, n_drawn).round(6).tolist() for n_drawn in (1, 2, 3)]
    [[0.45], [0.55], [0.6]]
    """
    if n_drawn > pool.n_runs:
        what = f"{counted(n_drawn, 'run')} cannot be drawn from a pool of {pool.n_runs}"
        raise DataError(f"{what}; {argument('rarefied')} is at most that")
    return _expected_best(np.sort(pool.values, axis=0), n_drawn)


def rarefied_target(pool: ScoreMatrix, n_drawn: int) -> VirtualTarget:
    """The rarefied scores as a target, made from the whole pool. Raises `DataError` if the pool is smaller.

    >>> pool = ScoreMatrix(np.array([[0.30], [0.60], [0.45]]), ("r1", "r2", "r3"), ("q1",), "AP")
    >>> target = rarefied_target(pool, 2)
    >>> target.label, round(target.mean, 6), target.n_pool
    ('expected best of 2 runs', 0.55, 3)
    """
    return replace(VirtualTarget.of(BEST, rarefied(pool, n_drawn), pool.n_runs, pool.better), n_drawn=n_drawn)


def rarefied_means(pool: ScoreMatrix) -> FloatArray:
    """The mean of the rarefied target for 1, 2, ... n_runs runs, shape (n_runs,); it never falls.

    The sum over j is the same for every query, so the mean over queries can be taken first.

    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> pool = ScoreMatrix(values, ("r1", "r2", "r3"), ("q1", "q2", "q3", "q4"), "AP")
    >>> rarefied_means(pool).round(6).tolist()
    [0.281667, 0.3625, 0.3875]
    """
    ascending = np.sort(pool.values, axis=0).mean(axis=1, keepdims=True)
    return np.array([_expected_best(ascending, n_drawn)[0] for n_drawn in range(1, pool.n_runs + 1)])


def _expected_best(ascending: FloatArray, n_drawn: int) -> FloatArray:
    """The expected maximum of ``n_drawn`` of the rows, shape (n, m) in ascending order, gives (m,).

    As the maximum minus the expected shortfall, so that rows which are all equal give exactly their value. The chances
    C(j-1, r-1) / C(R, r) are made from the top down, as r/R and the ratios (j - r)/(j - 1) of neighbours: all at most
    1, so nothing can overflow.
    """
    rank = np.arange(len(ascending), n_drawn, -1)
    downward = n_drawn / len(ascending) * np.cumprod(np.concatenate(([1.0], (rank - n_drawn) / (rank - 1))))
    chances = np.concatenate((np.zeros(n_drawn - 1), downward[::-1]))
    return ascending[-1] - (chances[:, None] * (ascending[-1] - ascending)).sum(axis=0)
