"""tau_AP: by another program, by its definition, and over all orders of ties."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.stats.correlation import tau_ap


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


def test_the_numbers_of_ircor():
    # R package ircor, manual of tauAP, its first and third figures: x are true scores and y estimated ones, the highest
    # first; then y has ties, for which tauAP_a is the mean over their orders
    x = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
    y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])
    assert tau_ap(-y, -x) == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(-y.round(1), -x) == pytest.approx(0.39903, abs=5e-6)


@examples(40)
@given(st.integers(3, 5).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)))
def test_ties_are_the_mean_over_all_their_orders(numbers: tuple[list[int], list[int]]):
    one, two = numbers
    found = tau_ap(np.array(one, dtype=float), np.array(two, dtype=float))
    if len(set(one)) == 1 or len(set(two)) == 1:
        assert np.isnan(found)
        return
    every = [by_definition(first, second) for first in orders(one) for second in orders(two)]
    assert found == pytest.approx(sum(every) / len(every), abs=1e-12)


@given(st.permutations(range(9)))
def test_orders_without_ties(order: list[int]):
    numbers = np.argsort(order).astype(float)
    assert tau_ap(np.arange(9.0), numbers) == pytest.approx(by_definition(list(range(9)), order), abs=1e-12)
    assert tau_ap(numbers, numbers) == 1
    assert tau_ap(numbers, -numbers) == -1


def test_undefined():
    for one, two in (
        ([1, 2], [1, 2]),
        ([1, 1, 1], [1, 2, 3]),
        ([1, 2, 3], [0.1 + 0.2, 0.3, 0.3]),
        ([1, 2, np.nan], [1, 2, 3]),
    ):
        assert np.isnan(tau_ap(np.array(one, dtype=float), np.array(two, dtype=float)))


def test_numbers_that_differ_by_rounding_are_tied():
    assert tau_ap(np.array([0.3, 0.1 + 0.2, 0.5]), np.array([2.0, 1, 3])) == tau_ap(
        np.ones(3) * [1, 1, 2], np.array([2.0, 1, 3])
    )
