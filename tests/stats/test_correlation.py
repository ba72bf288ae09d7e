"""Correlations and tau_AP: by scipy, by another program, by their definitions, and pairs counted by merging."""

from __future__ import annotations

import tracemalloc
from functools import partial
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mutations import examples
from scipy import stats

from biasvar_cli.stats import correlation
from biasvar_cli.stats.correlation import (
    all_correlations,
    concordance,
    correlations,
    inversions,
    kendall,
    pearson,
    pearson_without,
    tau_ap,
    weighted_pearson,
)
from biasvar_cli.words import COEFFICIENTS

TENTHS = st.integers(-4, 4).map(lambda value: value / 10)
PAIRS = st.tuples(st.just(2), st.integers(1, 5), st.integers(1, 12)).flatmap(partial(arrays, float, elements=TENTHS))


ODD = [[1, np.nan, 3], [1, np.inf, 3], [2, 2, 2], [1e-200, 2e-200, 4e-200], [0.1 + 0.2, 0.3, 1]]


@given(PAIRS)
@example(np.array([ODD, [[1, 2, 3]] * 5]))
def test_batched_correlations_equal_single_ones_and_scipy(pair):
    batch = zip(*all_correlations(*pair), *pair, strict=True)
    for *found, x, y in batch:
        one = correlation.correlations(x, y)
        assert found == pytest.approx([getattr(one, name) for name in COEFFICIENTS], abs=1e-12, nan_ok=True)
        if len(x) < 3 or not np.isfinite(x).all() or np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan(found).all()
        elif min(np.ptp(x), np.ptp(y)) > 1e-9:
            scipy_s = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
            of_rounded = [coefficient(x.round(12), y).statistic for coefficient in scipy_s]
            assert found == pytest.approx(of_rounded, abs=1e-12)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=3, max_size=30))
def test_never_beyond_one_and_never_a_warning(pairs):
    x, y = np.array(pairs).T
    found = correlations(x, y)
    for value in (found.pearson, found.spearman, found.kendall):
        assert np.isnan(value) or abs(value) <= 1


def test_values_apart_by_rounding_alone_are_ties():
    x = np.array([0.1 + 0.2, 0.3, 0.5, 0.7])
    assert kendall(x, np.array([1.0, 2, 3, 4])) == kendall(np.array([0.3, 0.3, 0.5, 0.7]), np.array([1.0, 2, 3, 4]))


def test_two_weighted_values_have_no_correlation():
    assert np.isnan(weighted_pearson(np.array([1.0, 2]), np.array([1.0, 3]))).all()


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


def _pairs(values: np.ndarray) -> np.ndarray:
    """The sign of the difference of every two values, each pair once."""
    first, second = np.triu_indices(len(values), 1)
    return np.sign(values[second] - values[first])


@examples(15)
@given(st.integers(1, 300), st.integers(1, 400), st.integers(0, 2**32 - 1))
@example(64, 1000, 0)
@example(65, 3, 0)
@example(129, 2**31 - 2, 0)
def test_pairs_are_counted_as_one_by_one(n, largest, seed):
    x, y = np.random.default_rng(seed).integers(0, largest + 1, size=(2, 3, n))
    score, untied_x, untied_y = concordance(x, y)
    for row in range(3):
        of_x, of_y = _pairs(x[row]), _pairs(y[row])
        assert score[row] == (of_x * of_y).sum()
        assert (untied_x[row], untied_y[row]) == (np.count_nonzero(of_x), np.count_nonzero(of_y))
        assert inversions(y)[row] == (of_y < 0).sum()


@pytest.mark.parametrize("digits", [1, 3, 9])
def test_long_rows_have_the_correlations_of_scipy(digits):
    x, y = np.random.default_rng(digits).random((2, 2, 5000)).round(digits)
    y[1] = (x[1] - y[1] / 3).round(digits)
    for name, found in zip(("pearsonr", "spearmanr", "kendalltau"), all_correlations(x, y), strict=True):
        expected = [getattr(stats, name)(*pair).statistic for pair in zip(x, y, strict=True)]
        assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_a_row_of_many_values_takes_little_more_than_its_values():
    """Pair by pair, a row of 6000 values is 18 million comparisons of two bytes."""
    x, y = np.random.default_rng(0).random((2, 2, 6000))
    tracemalloc.start()
    found = kendall(x, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000
    assert found == pytest.approx([stats.kendalltau(*pair).statistic for pair in zip(x, y, strict=True)], abs=1e-12)


def by_definition(places: list[int], other: list[int]) -> float:
    """2 / (N - 1) sum C(i) / (i - 1) - 1 of two orders of the same items, first to last."""
    total = 0.0
    for i in range(1, len(places)):
        above = other[: other.index(places[i])]
        total += sum(each in above for each in places[:i]) / i
    return 2 * total / (len(places) - 1) - 1


def orders(numbers: list[int]) -> list[list[int]]:
    """All orders of the items whose numbers ascend."""
    found = [list(order) for order in permutations(range(len(numbers)))]
    return [order for order in found if all(numbers[a] <= numbers[b] for a, b in pairwise(order))]


def test_tau_ap_has_the_numbers_of_ircor():
    # R package ircor, manual of tauAP, its first and third figures: x are true scores and y estimated ones, the highest
    # first; then y has ties, for which tauAP_a is the mean over their orders
    x = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
    y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])
    assert tau_ap(-y, -x) == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(-y.round(1), -x) == pytest.approx(0.39903, abs=5e-6)


@examples(15)
@given(st.integers(3, 5).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)))
def test_ties_in_tau_ap_are_the_mean_over_all_their_orders(numbers: tuple[list[int], list[int]]):
    one, two = numbers
    found = tau_ap(np.array(one, dtype=float), np.array(two, dtype=float))
    if len(set(one)) == 1 or len(set(two)) == 1:
        assert np.isnan(found)
        return
    every = [by_definition(first, second) for first in orders(one) for second in orders(two)]
    assert found == pytest.approx(sum(every) / len(every), abs=1e-12)


def test_tau_ap_is_undefined_for_fewer_than_three_and_for_one_tie():
    for one, two in (([1, 2], [1, 2]), ([1, 2, 3], [0.1 + 0.2, 0.3, 0.3]), ([1, 2, np.nan], [1, 2, 3])):
        assert np.isnan(tau_ap(np.array(one, dtype=float), np.array(two, dtype=float)))
