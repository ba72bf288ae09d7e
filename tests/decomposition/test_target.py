"""The virtual target taken apart: its suppliers, leaving a run out, rarefying, difficulty."""

from __future__ import annotations

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
from biasvar_cli.decomposition.decompose import best_of_runs, mean_target, run_target
from biasvar_cli.errors import DataError, UsageError

MATRICES = score_arrays((2, 8), (1, 12), UNIT, COARSE)
C2 = [[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]]  # made up; worked below


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


@given(MATRICES, st.data())
def test_rarefied_scores_are_the_mean_over_all_subsets(values, data):
    n_drawn = data.draw(st.integers(1, len(values)))
    by_hand = np.mean([values[list(drawn)].max(axis=0) for drawn in combinations(range(len(values)), n_drawn)], axis=0)
    found = rarefied(matrix_of(values), n_drawn)
    assert found.shape == (values.shape[1],)
    assert np.array_equal(rarefied(matrix_of(values), len(values)), values.max(axis=0))  # exactly: see `contributions`
    assert close(found, by_hand)
    assert rarefied_means(matrix_of(values))[n_drawn - 1] == pytest.approx(by_hand.mean(), abs=1e-12)


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
    of_all = contributions(pool, rarefied_target(pool, 3))  # the maximum itself
    assert close(of_all.left_out.unique, [0, 0.0375, 0.0375])


def test_what_cannot_be_analysed():
    pool = matrix_of(C2)
    with pytest.raises(UsageError, match=r"mean:0\.4 is a mean alone"):
        contributions(pool, mean_target(0.4))
    with pytest.raises(DataError, match="4 runs cannot be drawn from a pool of 3"):
        rarefied(pool, 4)
