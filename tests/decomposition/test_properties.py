"""Identities and invariances of the decomposition, on random matrices."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import UNIT, aimed, book, close, matrix_of, perfect_of, score_arrays
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.decomposition.decompose import (
    best_of_runs,
    decompose,
    log_target,
    mean_target,
    pareto_front,
    weighted_total,
)
from biasvar_cli.score_matrix import LogTransform

MATRICES = score_arrays((2, 8), (1, 12), UNIT)


@given(MATRICES, st.sampled_from(["best", "perfect"]))
def test_every_number_is_that_of_its_definition_by_numpy(values, kind):
    """Invariances that follow from these, such as the same numbers in any order of the queries, need no test."""
    matrix = matrix_of(values)
    target = best_of_runs(matrix) if kind == "best" else perfect_of(matrix.n_queries)
    result, best = decompose(matrix, target), values.max(axis=0) if kind == "best" else np.ones(matrix.n_queries)
    assert close(result.mean, values.mean(axis=1))
    assert close(result.bias, best.mean() - values.mean(axis=1))
    assert close(result.bias2, (best.mean() - values.mean(axis=1)) ** 2)
    assert close(result.var, values.var(axis=1))
    assert close(result.var_gap, (best - values).var(axis=1))
    assert close(result.total, ((values - best.mean()) ** 2).mean(axis=1))
    assert close(result.total_gap, ((values - best) ** 2).mean(axis=1))
    assert close(decompose(matrix, mean_target(0.4)).total, ((values - 0.4) ** 2).mean(axis=1))


@given(MATRICES, st.randoms(), st.integers(1, 9))
def test_order_copies_size_and_origin_of_the_scores_change_nothing_else(values, random, size):
    plain, order = decompose(*aimed(values)), random.sample(range(values.shape[1]), values.shape[1])
    for scores, unit in ((values[:, order], 1), (np.tile(values, 3), 1), (values + size, 1), (size * values, size)):
        other = decompose(*aimed(scores))
        assert close(other.bias, unit * plain.bias)
        for name in ("bias2", "var", "total", "var_gap", "total_gap"):
            assert close(getattr(other, name), unit**2 * getattr(plain, name), 1e-10), name
    assert (plain.bias >= 0).all()
    assert (plain.var <= plain.mean * (1 - plain.mean) + 1e-12).all()


@given(MATRICES)
def test_the_target_as_a_run_has_no_bias_and_no_gap(values):
    matrix = matrix_of(np.vstack([values, values.max(axis=0)]))
    result = decompose(matrix, best_of_runs(matrix))
    assert (result.bias[-1], result.var_gap[-1], result.total_gap[-1]) == (0, 0, 0)
    assert result.total[-1] == pytest.approx(result.target.var, abs=1e-12)


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
