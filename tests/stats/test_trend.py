"""Kendall's tau-b over years, and its exact p: against scipy, against enumeration, and where it is undefined."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.stats.correlation import Trend, kendall, orders_by_inversions, trend

FEW = st.lists(st.integers(-2, 2), min_size=3, max_size=7).filter(lambda values: len(set(values)) > 1)
ORDERS = st.integers(3, 12).flatmap(lambda n: st.permutations(range(n)))


def of(*values: float) -> Trend:
    """The trend of values of 1991, 1992, ..."""
    return trend(range(1991, 1991 + len(values)), np.array(values, dtype=float))


def score(values: tuple[int, ...]) -> int:
    """Rises minus falls over all pairs."""
    return sum((b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1 :])


# ---- worked by hand


@pytest.mark.parametrize(
    ("values", "tau", "p", "least_p"),
    [
        ((0.1, 0.2, 0.3), 1, Fraction(1, 3), Fraction(1, 3)),  # 123 and 321 of 6 orders
        ((0.1, 0.3, 0.2), Fraction(1, 3), Fraction(1), Fraction(1, 3)),  # S = 1, and abs(S) >= 1 in every order
        ((-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7), -1, Fraction(2, 5040), Fraction(2, 5040)),
        ((-0.1, -0.3, -0.2, -0.4), Fraction(-2, 3), Fraction(8, 24), Fraction(2, 24)),  # 1 + 3 + 3 + 1 orders of 24
        ((0.2, 0.4, 0.1, 0.3), 0, Fraction(1), Fraction(2, 24)),
    ],
)
def test_tau_and_p_are_those_worked_by_hand(values, tau, p, least_p):
    assert of(*values) == Trend(len(values), 0, pytest.approx(float(tau)), float(p), float(least_p))


# ---- against another program and against enumeration


@given(ORDERS)
def test_equal_to_scipy_s_exact_test_for_up_to_12_years(values):
    found = of(*values)
    theirs = stats.kendalltau(range(len(values)), values, method="exact")
    assert found.tau == pytest.approx(theirs.statistic, abs=1e-12)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-12)


@given(FEW)
def test_equal_to_the_share_of_all_orders_with_ties(values):
    orders = np.array(list(permutations(values)))
    scores = np.abs(sum(np.sign(orders[:, j] - orders[:, i]) for i, j in combinations(range(len(values)), 2)))
    found, asked = of(*values), np.abs(score(tuple(values)))
    assert found.p == float(Fraction(int((scores >= asked).sum()), len(scores)))
    assert found.least_p == float(Fraction(int((scores == scores.max()).sum()), len(scores)))


@given(FEW)
def test_tau_is_the_correlation_of_the_years_and_the_values(values):
    years = np.arange(len(values), dtype=float)
    assert of(*values).tau == pytest.approx(kendall(years, np.array(values, dtype=float)), abs=1e-12)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda counts: sum(counts) < 8))
def test_inversions_are_counted_over_every_order_of_a_multiset(counts):
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    every = set(permutations(values))
    fell = [sum(b < a for i, a in enumerate(order) for b in order[i + 1 :]) for order in every]
    assert orders_by_inversions(counts) == [fell.count(k) for k in range(max(fell) + 1)]


# ---- what makes no difference, and what does


@given(FEW, st.randoms(use_true_random=False))
def test_the_order_in_which_years_are_given_makes_no_difference(values, random):
    pairs = list(zip(range(1991, 2000), values, strict=False))
    random.shuffle(pairs)
    years, shuffled = zip(*pairs, strict=True)
    assert trend(years, np.array(shuffled, dtype=float)) == of(*values)


def test_values_apart_by_rounding_alone_are_ties():
    assert of(0.1 + 0.2, 0.3, 0.5) == of(0.3, 0.3, 0.5)


def test_years_far_apart_count_as_those_in_a_row():
    assert trend([1, 1994, 9999], np.array([0.1, 0.2, 0.3])) == of(0.1, 0.2, 0.3)


# ---- undefined


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_years_without_a_value_are_left_out_and_counted(value):
    found = of(0.1, value, 0.2, 0.3, value)
    assert found == Trend(3, 2, pytest.approx(1), 1 / 3, 1 / 3)


@pytest.mark.parametrize(
    ("values", "n_years", "n_undefined"),
    [
        ((), 0, 0),
        ((0.1, math.nan, 0.2, math.nan), 2, 2),
        ((0.0, -0.0, 0.0), 3, 0),
        ((0.3, 0.1 + 0.2, 0.3), 3, 0),
    ],
)
def test_undefined_is_nan_for_fewer_than_three_years_and_for_equal_values(values, n_years, n_undefined):
    found = of(*values)
    assert (found.n_years, found.n_undefined) == (n_years, n_undefined)
    assert np.isnan([found.tau, found.p, found.least_p]).all()


@given(st.lists(st.floats(), max_size=12))
@example([0.0, 1.7976931348623157e308, -9e295])  # their difference is larger than any float
def test_any_floats_have_a_trend_or_nan_and_never_a_warning(values):
    found = of(*values)
    assert found.n_years + found.n_undefined == len(values)
    assert math.isnan(found.p) or 0 < found.p <= 1
    assert math.isnan(found.tau) == math.isnan(found.p) == math.isnan(found.least_p)
