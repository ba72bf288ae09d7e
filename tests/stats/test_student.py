"""Student's t against scipy and against closed forms; variances without one value against their definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import UNIT, matrix_of, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.stats import paired
from biasvar_cli.stats.paired import t_quantile, t_test_p
from biasvar_cli.stats.variance import leave_one_out_variance, population_variance

DEGREES = (1, 2, 3, 4, 5, 7, 10, 19, 30, 60, 149, 250, 500, 1000)
COARSE = st.integers(0, 2).map(lambda value: value / 2)
ROWS = score_arrays((1, 4), (2, 9), UNIT, COARSE)


@pytest.mark.parametrize("df", DEGREES)
def test_p_is_scipy_s(df):
    t = np.concatenate([np.linspace(0, 40, 801), np.logspace(-3, 1.6, 100)])  # below, scipy itself loses digits
    expected = 2 * stats.t.sf(t, df)
    assert t_test_p(t, df) == pytest.approx(expected, rel=1e-12, abs=1e-300)
    assert np.array_equal(t_test_p(-t, df), t_test_p(t, df))


@given(st.floats(1e-12, 1e12))
def test_p_of_one_and_two_degrees_of_freedom_are_their_closed_forms(t):
    assert t_test_p(t, 1) == pytest.approx(2 / math.pi * math.atan2(1, t), rel=1e-13)
    root = math.sqrt(2 + t * t)
    assert t_test_p(t, 2) == pytest.approx(2 / (root * (root + t)), rel=1e-13)


def test_p_at_its_ends():
    t = np.array([[0.0, np.inf], [-np.inf, np.nan]])
    assert np.array_equal(t_test_p(t, 7), [[1, 0], [0, np.nan]], equal_nan=True)
    assert t_test_p(1e200, 3) == 0
    assert t_test_p(np.array([]), 3).shape == (0,)


@pytest.mark.parametrize("df", DEGREES)
def test_quantile_is_scipy_s(df):
    for probability in (1e-12, 1e-6, 0.005, 0.025, 0.2, 0.45, 0.55, 0.9, 0.95, 0.975, 0.995, 0.9999):
        assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-12)


@given(st.integers(1, 1000), st.floats(1e-50, 0.5))
def test_quantile_and_p_are_inverse(df, tail):
    t = t_quantile(tail, df)
    assert t <= 0
    assert t_test_p(t, df) == pytest.approx(2 * tail, rel=1e-11)


@given(ROWS)
def test_variances_without_each_value_are_those_of_the_others(values):
    found = leave_one_out_variance(values)
    for q in range(values.shape[1]):
        others = np.delete(values, q, axis=1)
        assert np.allclose(found[:, q], population_variance(others), rtol=1e-12, atol=1e-15)
        assert (found[np.ptp(others, axis=1) == 0, q] == 0).all()


def test_variance_without_the_value_that_has_nearly_all_of_it_loses_no_digit():
    values = matrix_of([[1e8, 0.1, 0.2, 0.3], [0.0, 0.0, 0.0, 1.0]]).values
    assert leave_one_out_variance(values)[0, 0] == pytest.approx(0.02 / 3, rel=1e-12)
    assert leave_one_out_variance(values)[1].tolist() == pytest.approx([2 / 9, 2 / 9, 2 / 9, 0])


def test_pairs_that_are_worked_on_in_parts_have_the_t_of_scipy(monkeypatch):
    monkeypatch.setattr(paired, "_IN_CACHE", 20)  # two pairs of ten queries at a time
    values = np.random.default_rng(0).random((5, 10))
    found, pairs = paired.PairedRows(values).moments, paired.Pairs.of_all(5)
    assert found.student.t == pytest.approx(
        stats.ttest_rel(values[pairs.first], values[pairs.second], axis=1).statistic
    )
    assert found.above.tolist() == (values[pairs.first] > values[pairs.second]).sum(axis=1).tolist()
