"""The virtual target taken apart: its suppliers, leaving a run out, rarefying, difficulty."""

from __future__ import annotations

import csv
import math
from itertools import combinations

import numpy as np
import pytest
from conftest import COARSE, UNIT, close, matrix_of, score_arrays
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.decomposition.contribution import (
    best_of_others,
    contributions,
    difficulty,
    rarefied,
    rarefied_means,
    rarefied_target,
)
from biasvar_cli.decomposition.decompose import best_of_runs, decompose, mean_target, run_target
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scores import ScoreMatrix

MATRICES = score_arrays((2, 8), (1, 12), UNIT, COARSE)
C2 = [[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]]  # made up; worked below


def test_worked_example_of_three_runs():
    # Target (.60, .20, .50, .25), mean .3875; run means .275, .32, .25. Without r2, q1 falls to .45 and the
    # mean by .15/4; without r3, q2 falls to .10 and q4 to .20, the mean by .15/4 too; without r1, r2 still has .50.
    pool = matrix_of(C2)
    target = best_of_runs(pool)
    found = contributions(pool, target)
    assert target.scores.tolist() == [0.60, 0.20, 0.50, 0.25]
    assert target.mean == pytest.approx(0.3875, abs=1e-12)
    assert found.supplies.astype(int).tolist() == [[0, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]]
    assert (found.supplied.tolist(), found.alone.tolist()) == ([1, 2, 2], [0, 1, 2])
    assert close(found.left_out.unique, [0, 0.0375, 0.0375])
    assert close(found.bias, [0.1125, 0.0675, 0.1375])
    assert close(found.left_out.bias, [0.1125, 0.03, 0.10])


def test_rarefied_target_of_the_worked_example():
    # q1: the pairs of .30, .45, .60 have the maxima .45, .60, .60; q2: .10, .20, .20; q3: .50; q4: .20, .25, .25.
    pool = matrix_of(C2)
    assert close(rarefied(pool, 2), [0.55, 0.5 / 3, 0.5, 0.7 / 3])
    assert rarefied_target(pool, 2).mean == pytest.approx(0.3625, abs=1e-12)
    assert close(rarefied_means(pool), [(0.275 + 0.32 + 0.25) / 3, 0.3625, 0.3875])


def test_difficulty_of_the_worked_example_by_either_key():
    # By the best score: .20, .25, .50, .60. By the mean: q2 .38/3, q4 .55/3, q3 1.10/3, q1 1.35/3.
    pool = matrix_of(C2)
    for key in ("best", "mean"):
        found = difficulty(pool, key=key, subset_size=3)
        assert found.rank.tolist() == [4, 1, 3, 2]
        assert found.group.tolist() == [2, 1, 1, 1]
    assert close(found.mean, np.array([1.35, 0.38, 1.10, 0.55]) / 3)
    # q1: deviations -.15, .15, 0, so a variance of .045/3
    assert found.sd[0] == pytest.approx(math.sqrt(0.015), abs=1e-12)


@given(MATRICES)
def test_leaving_a_run_out_takes_its_unique_contribution_from_its_bias(values):
    pool = matrix_of(values)
    found = contributions(pool, best_of_runs(pool))
    assert close(found.left_out.bias, found.bias - found.left_out.unique)
    for index, row in enumerate(values):
        others = np.delete(values, index, axis=0).max(axis=0)
        assert np.array_equal(best_of_others(pool)[index], others)
        assert found.left_out.bias[index] == pytest.approx(others.mean() - row.mean(), abs=1e-12)
        assert found.left_out.unique[index] == pytest.approx(np.maximum(0, row - others).mean(), abs=1e-12)
        assert found.alone[index] == (row > others).sum()
        assert found.supplied[index] == (row >= others).sum()


@given(MATRICES)
def test_suppliers_are_consistent(values):
    pool = matrix_of(values)
    found = contributions(pool, best_of_runs(pool))
    per_query = found.supplies.sum(axis=0)
    assert (per_query >= 1).all()
    assert found.supplied.sum() == per_query.sum()
    assert found.alone.sum() == (per_query == 1).sum()
    assert (found.alone <= found.supplied).all()
    assert np.array_equal(found.left_out.unique > 0, found.alone > 0)
    assert np.array_equal(found.bias, decompose(pool, best_of_runs(pool)).bias)


@given(MATRICES)
def test_a_run_that_occurs_twice_has_no_unique_contribution(values):
    pool = matrix_of(np.vstack([values, values[:1]]))
    found = contributions(pool, best_of_runs(pool))
    assert found.left_out.unique[[0, -1]].tolist() == [0, 0]
    assert found.alone[[0, -1]].tolist() == [0, 0]
    assert np.array_equal(found.supplies[0], found.supplies[-1])


@given(MATRICES, st.randoms())
def test_order_of_runs_and_queries_changes_no_number(values, shuffler):
    runs, queries = list(range(values.shape[0])), list(range(values.shape[1]))
    shuffler.shuffle(runs)
    shuffler.shuffle(queries)
    one, other = matrix_of(values), matrix_of(values[runs][:, queries])
    first, second = contributions(one, best_of_runs(one)), contributions(other, best_of_runs(other))
    assert np.array_equal(first.supplies[runs][:, queries], second.supplies)
    assert close(first.bias[runs], second.bias)
    for one_out, other_out in zip(first.left_out, second.left_out, strict=True):
        assert close(one_out[runs], other_out)
    assert close(rarefied_means(one), rarefied_means(other))
    if not difficulty(one).n_tied:
        assert np.array_equal(difficulty(one).rank[queries], difficulty(other).rank)


@given(MATRICES, st.data())
def test_rarefied_scores_are_the_mean_over_all_subsets(values, data):
    n_drawn = data.draw(st.integers(1, len(values)))
    by_hand = np.mean([values[list(drawn)].max(axis=0) for drawn in combinations(range(len(values)), n_drawn)], axis=0)
    found = rarefied(matrix_of(values), n_drawn)
    assert found.shape == (values.shape[1],)
    assert close(found, by_hand)
    assert rarefied_means(matrix_of(values))[n_drawn - 1] == pytest.approx(by_hand.mean(), abs=1e-12)


@given(MATRICES)
def test_rarefied_scores_go_from_the_mean_to_the_maximum_and_never_fall(values):
    pool = matrix_of(values)
    steps = np.array([rarefied(pool, n_drawn) for n_drawn in range(1, pool.n_runs + 1)])
    assert close(steps[0], values.mean(axis=0))
    assert np.array_equal(steps[-1], values.max(axis=0))
    assert (np.diff(steps, axis=0) >= -1e-12).all()
    means = rarefied_means(pool)
    assert means[-1] == best_of_runs(pool).mean
    assert (np.diff(means) >= -1e-12).all()


def test_rarefied_scores_of_equal_runs_are_their_score_exactly():
    pool = matrix_of(np.full((7, 3), 0.1))
    assert all(rarefied(pool, n_drawn).tolist() == [0.1, 0.1, 0.1] for n_drawn in range(1, 8))


def test_rarefying_thousands_of_runs_does_not_overflow():
    # Of the scores 1/R, 2/R, ..., 1 the best of r is (r/(r+1)) (R+1)/R on average.
    n_runs = 3000
    pool = matrix_of((np.arange(n_runs)[:, None] + 1.0) / n_runs)
    n_drawn = np.arange(1, n_runs + 1)
    assert rarefied_means(pool) == pytest.approx(n_drawn / (n_drawn + 1) * (n_runs + 1) / n_runs, abs=1e-11)
    values = np.random.default_rng(0).random((1000, 50))
    found = rarefied_means(matrix_of(values))
    assert (found[0], found[-1]) == pytest.approx((values.mean(), values.max(axis=0).mean()), abs=1e-11)


def test_scores_that_differ_by_rounding_alone_are_ties():
    pool = matrix_of([[(0.6 + 0.08) / 2, 0.5], [(0.65 + 0.03) / 2, 0.1]])
    assert pool.values[0, 0] != pool.values[1, 0]
    found = contributions(pool, best_of_runs(pool))
    assert found.supplies.tolist() == [[True, True], [True, False]]
    assert (found.alone.tolist(), found.left_out.unique.tolist()) == ([1, 0], [0.2, 0])
    hard = difficulty(matrix_of([[(0.6 + 0.08) / 2, 0.5, (0.65 + 0.03) / 2]]))
    assert (hard.rank.tolist(), hard.n_tied) == ([1, 3, 2], 1)


def test_one_run_is_its_own_target_and_cannot_be_left_out():
    with pytest.warns(match="the pool is one run"):
        found = contributions(matrix_of([[0.3, 0.1]]), best_of_runs(matrix_of([[0.3, 0.1]])))
    assert (found.supplied.tolist(), found.alone.tolist(), found.bias.tolist()) == ([2], [2], [0])
    assert np.isnan([*found.left_out.unique, *found.left_out.bias]).all()
    assert rarefied_means(matrix_of([[0.3, 0.1]])).tolist() == [0.2]


def test_another_target_than_the_best_has_suppliers_and_nothing_to_leave_out():
    pool = matrix_of(C2)
    found = contributions(pool, run_target(pool, "r0"))
    assert found.supplied.tolist() == [4, 2, 3]  # r1 is it; r2 has more on q1 and as much on q3; r3 on q1, q2, q4
    assert np.isnan([*found.left_out.unique, *found.left_out.bias]).all()
    assert np.isnan(contributions(pool, rarefied_target(pool, 2)).left_out.unique).all()
    assert close(
        contributions(pool, rarefied_target(pool, 3)).left_out.unique, [0, 0.0375, 0.0375]
    )  # the maximum itself


def test_what_cannot_be_analysed():
    pool = matrix_of(C2)
    with pytest.raises(UsageError, match=r"mean:0\.4 is a mean alone"):
        contributions(pool, mean_target(0.4))
    with pytest.raises(DataError, match="4 runs cannot be drawn from a pool of 3"):
        rarefied(pool, 4)


def test_rarefied_means_of_trec_5_and_6(shared):
    # The best of r of R runs, drawn without replacement, is the j-th in ascending order in C(j-1, r-1) of C(R, r).
    folder = shared / "score-matrices"
    for name, n_runs, expected in (
        ("trec5-adhoc-ap", 61, {10: 0.368, 30: 0.421, 61: 0.445}),
        ("trec6-adhoc-ap", 74, {74: 0.559}),
    ):
        with (folder / f"{name}.csv").open() as file:
            header, *rows = csv.reader(file)
        assert len(header) == n_runs
        queries = tuple(map(str, range(len(rows))))
        pool = ScoreMatrix(np.array(rows, dtype=float).T, tuple(header), queries, "AP")
        means = rarefied_means(pool)
        ascending = np.sort(pool.values, axis=0).mean(axis=1)
        for size, mean in expected.items():
            cases = [math.comb(j - 1, size - 1) / math.comb(n_runs, size) for j in range(1, n_runs + 1)]
            assert means[size - 1] == pytest.approx(np.dot(cases, ascending), abs=1e-12)
            assert round(float(means[size - 1]), 3) == mean
