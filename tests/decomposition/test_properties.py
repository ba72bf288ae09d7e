"""Identities and invariances of the decomposition, on random matrices."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import UNIT, book, close, matrix_of, perfect_of, score_arrays, scores_of
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.decomposition.decompose import (
    best_of_runs,
    decompose,
    log_target,
    mean_target,
    pareto_front,
    run_target,
    weighted_total,
)
from biasvar_cli.scores import LogTransform
from biasvar_cli.stats.correlation import correlations

MATRICES = score_arrays((2, 8), (1, 12), UNIT)


@given(MATRICES)
def test_totals_are_the_squared_errors_they_stand_for(values):
    matrix = matrix_of(values)
    target = best_of_runs(matrix)
    result = decompose(matrix, target)
    assert close(result.total, ((values - target.mean) ** 2).mean(axis=1))
    assert close(result.total_gap, ((values - target.scores) ** 2).mean(axis=1))
    perfect = decompose(matrix, perfect_of(matrix.n_queries))
    assert close(perfect.total, ((values - 1) ** 2).mean(axis=1))


@given(MATRICES)
def test_gap_variance_is_made_of_both_variances_and_the_covariance(values):
    matrix = matrix_of(values)
    target = best_of_runs(matrix)
    result = decompose(matrix, target)
    covariance = ((values - values.mean(axis=1, keepdims=True)) * (target.scores - target.mean)).mean(axis=1)
    assert close(result.var_gap, target.var + result.var - 2 * covariance)
    cross = 2 * ((values - target.scores) * (target.scores - 1)).mean(axis=1)
    assert close(
        decompose(matrix, perfect_of(matrix.n_queries)).total,
        result.total_gap + ((target.scores - 1) ** 2).mean() + cross,
    )  # SIGIR'13 Eq. 8, cross term included


@given(MATRICES)
def test_the_target_as_a_run_has_no_bias_and_no_gap(values):
    matrix = matrix_of(np.vstack([values, values.max(axis=0)]))
    result = decompose(matrix, best_of_runs(matrix))
    assert (result.bias[-1], result.var_gap[-1], result.total_gap[-1]) == (0, 0, 0)
    assert result.total[-1] == pytest.approx(result.target.var, abs=1e-12)


@given(MATRICES)
def test_a_constant_target_makes_both_forms_one(values):
    result = decompose(matrix_of(values), perfect_of(values.shape[1]))
    assert close(result.var, result.var_gap)


@given(MATRICES, st.floats(0, 2))
def test_total_is_linear_in_the_mean_and_two_runs_tie_at_their_switch_point(values, mean):
    matrix = matrix_of(values)
    square = (values**2).mean(axis=1)
    mu = values.mean(axis=1)
    assert close(decompose(matrix, mean_target(mean)).total, square - 2 * mean * mu + mean**2)
    if abs(mu[0] - mu[1]) > 1e-3:
        switch = (square[0] - square[1]) / (2 * (mu[0] - mu[1]))
        totals = decompose(matrix, mean_target(switch)).total
        assert totals[0] == pytest.approx(totals[1], abs=1e-9 * max(1, switch**2))


@given(MATRICES)
def test_rank_correlations_are_those_of_the_mean_and_independent_of_the_target(values):
    matrix = matrix_of(values)
    best, perfect = decompose(matrix, best_of_runs(matrix)), decompose(matrix, perfect_of(matrix.n_queries))
    of_mean = correlations(np.round(best.mean, 12), best.var)
    for result in (best, perfect):
        found = correlations(result.bias2, result.var)
        if np.isnan(found.spearman) or np.isnan(of_mean.spearman) or result.bias.min() < 1e-3:
            continue  # bias² near 0 flattens differences below the tolerance for ties
        assert found.spearman == pytest.approx(-of_mean.spearman, abs=1e-9)
        assert found.kendall == pytest.approx(-of_mean.kendall, abs=1e-9)


@given(MATRICES, st.randoms())
def test_order_of_runs_and_queries_changes_no_number(values, random):
    runs, queries = list(range(values.shape[0])), list(range(values.shape[1]))
    random.shuffle(runs)
    random.shuffle(queries)
    one_way = decompose(matrix_of(values), best_of_runs(matrix_of(values)))
    other = matrix_of(values[runs][:, queries])
    other_way = decompose(other, best_of_runs(other))
    for name in ("mean", "bias", "var", "var_gap"):
        assert close(getattr(one_way, name)[runs], getattr(other_way, name))


@given(MATRICES, st.integers(2, 4))
def test_repeating_the_queries_changes_no_number(values, times):
    once, more = matrix_of(values), matrix_of(np.tile(values, times))
    first, second = decompose(once, best_of_runs(once)), decompose(more, best_of_runs(more))
    for name in ("mean", "bias", "var", "var_gap", "total", "total_gap"):
        assert close(getattr(first, name), getattr(second, name))


@given(MATRICES, st.floats(0.1, 10), st.floats(-1, 1))
def test_scaling_and_shifting(values, factor, shift):
    matrix, moved = matrix_of(values), matrix_of(values * factor + shift)
    first, second = decompose(matrix, best_of_runs(matrix)), decompose(moved, best_of_runs(moved))
    assert np.allclose(second.bias, factor * first.bias, atol=1e-11)
    for name in ("bias2", "var", "var_gap", "total", "total_gap"):
        assert np.allclose(getattr(second, name), factor**2 * getattr(first, name), atol=1e-10)


@given(MATRICES)
def test_repeating_a_run_leaves_the_others_as_they_are(values):
    matrix, more = matrix_of(values), matrix_of(np.vstack([values, values[:1]]))
    first, second = decompose(matrix, best_of_runs(matrix)), decompose(more, best_of_runs(more))
    assert np.array_equal(first.total, second.total[:-1])
    assert np.array_equal(first.total_gap, second.total_gap[:-1])


@given(MATRICES, st.data())
def test_a_further_run_raises_every_bias_by_the_same_and_no_variance(values, data):
    further = data.draw(scores_of((values.shape[1],), UNIT))
    matrix, more = matrix_of(values), matrix_of(np.vstack([values, further]))
    first, second = decompose(matrix, best_of_runs(matrix)), decompose(more, best_of_runs(more))
    assert (second.target.scores >= first.target.scores).all()
    growth = second.bias[:-1] - first.bias
    assert close(growth, growth[0])
    assert growth[0] >= -1e-15
    assert np.array_equal(second.var[:-1], first.var)


@given(MATRICES)
def test_bounds_of_the_best_target(values):
    matrix = matrix_of(values)
    result = decompose(matrix, best_of_runs(matrix))
    assert (result.bias >= -1e-15).all()
    for row, bias in zip(values, result.bias, strict=True):
        assert (abs(bias) < 1e-12) == np.array_equal(row, result.target.scores)
    assert (result.var <= result.mean * (1 - result.mean) + 1e-12).all()
    assert (result.bias <= decompose(matrix, perfect_of(matrix.n_queries)).bias + 1e-12).all()


@given(MATRICES)
def test_constant_runs_have_no_variance_at_all(values):
    flat = matrix_of(np.repeat(values[:, :1], 7, axis=1))
    assert (decompose(flat, best_of_runs(flat)).var == 0).all()


@given(MATRICES.filter(lambda values: len(values) >= 3))
def test_the_front_is_what_no_run_beats_in_both(values):
    matrix = matrix_of(values)
    result = decompose(matrix, best_of_runs(matrix))
    b, v = result.bias2, result.var
    more_b, more_v = (np.subtract.outer(each, each) / (each.max() or 1.0) for each in (b, v))  # of row over column
    at_most, less = (more_b < 1e-12) & (more_v < 1e-12), (more_b < -1e-12) | (more_v < -1e-12)
    beaten = (at_most & less).any(axis=0)
    assert pareto_front(b, v).tolist() == [not each for each in beaten]
    for weights in ((1, 1), (1, 3), (5, 1)):
        assert pareto_front(b, v)[np.argmin(weighted_total(result, *weights))]


@given(MATRICES)
def test_log_form_is_the_log_of_geometric_means(values):
    transform = LogTransform("floor", 1e-5)
    matrix = matrix_of(values)
    result = decompose(transform.matrix(matrix), log_target(best_of_runs(matrix), transform))
    floored = np.maximum(values, 1e-5)
    gmap = np.prod(floored ** (1 / values.shape[1]), axis=1)
    assert np.allclose(np.exp(result.mean), gmap, rtol=1e-9)
    target = np.prod(floored.max(axis=0) ** (1 / values.shape[1]))
    assert np.allclose(np.exp(-result.bias), gmap / target, rtol=1e-9)
    assert (np.exp(result.mean) <= floored.mean(axis=1) * (1 + 1e-12)).all()


def test_worked_numbers_of_sakai_s_book_data():
    # In tenths, the sums and the sums of squares of X are 69 and 331, of Y 54 and 202, of Z 49 and 157; of their gaps
    # 13 and 29, 28 and 60, 33 and 139; the target's sum is 82. So Var X is 3.31 / 20 - .345^2, Var of its gap
    # .29 / 20 - .065^2.
    matrix = book()
    result = decompose(matrix, best_of_runs(matrix))
    assert result.target.mean == pytest.approx(0.41)
    columns = (result.mean, result.bias, result.bias2, result.var, result.total, result.var_gap, result.total_gap)
    expected = [
        (0.345, 0.065, 0.004225, 0.046475, 0.050700, 0.010275, 0.014500),
        (0.270, 0.140, 0.019600, 0.028100, 0.047700, 0.010400, 0.030000),
        (0.245, 0.165, 0.027225, 0.018475, 0.045700, 0.042275, 0.069500),
    ]
    assert np.column_stack(columns) == pytest.approx(np.array(expected), abs=1e-12)


def test_a_run_that_is_the_target_has_the_target_s_numbers():
    matrix = matrix_of([[0.3, 0.1], [0.7, 0.2]])
    result = decompose(matrix, run_target(matrix, "r1"))
    assert (result.bias[1], result.var_gap[1]) == (0, 0)


def test_one_query_has_no_variance():
    result = decompose(matrix_of([[0.3], [0.5]]), best_of_runs(matrix_of([[0.3], [0.5]])))
    assert result.var.tolist() == [0, 0]
    assert result.total.tolist() == pytest.approx([0.04, 0])
