"""Correlations equal scipy's wherever scipy's are defined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.stats.correlation import correlations, kendall, pearson, pearson_without, spearman

VALUES = st.integers(-6, 6).map(lambda value: value / 4)
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=3, max_size=40).map(lambda pairs: np.array(pairs, dtype=float).T)


def varies(pair: np.ndarray) -> bool:
    return bool((np.ptp(pair, axis=1) > 0).all())


@given(PAIRS.filter(varies))
def test_equal_to_scipy_on_data_full_of_ties(pair):
    x, y = pair
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=3, max_size=30))
def test_never_beyond_one_and_never_a_warning(pairs):
    x, y = np.array(pairs).T
    found = correlations(x, y)
    for value in (found.pearson, found.spearman, found.kendall):
        assert np.isnan(value) or abs(value) <= 1


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0, 2], [2.0, 1]),
        ([1.0, 1, 1], [1.0, 2, 3]),
        ([1.0, 2, np.nan], [1.0, 2, 3]),
        ([], []),
        ([0.0] * 4, [0.0] * 4),
    ],
)
def test_undefined_is_nan_for_two_points_and_for_constants(x, y):
    found = correlations(np.array(x), np.array(y))
    assert np.isnan([found.pearson, found.spearman, found.kendall]).all()


def test_values_apart_by_rounding_alone_are_ties():
    x = np.array([0.1 + 0.2, 0.3, 0.5, 0.7])
    assert kendall(x, np.array([1.0, 2, 3, 4])) == kendall(np.array([0.3, 0.3, 0.5, 0.7]), np.array([1.0, 2, 3, 4]))


def test_tiny_values_do_not_underflow():
    x = np.array([1e-200, 2e-200, 4e-200])
    assert pearson(x, x) == pytest.approx(1, abs=1e-15)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.1 + 0.2, 0.3, 0.0, 1e9, 1e-9, -4.0]) | st.floats(-9, 9), st.floats(-9, 9)),
        max_size=12,
    )
)
def test_without_each_point_is_pearson_of_the_others(pairs):
    x, y = np.array(pairs).reshape(-1, 2).T
    expected = [pearson(np.delete(x, point), np.delete(y, point)) for point in range(len(x))]
    assert np.allclose(pearson_without(x, y), expected, atol=1e-6, equal_nan=True)
