"""Pairs are counted by merging: the same numbers as pair by pair, in time that does not grow with the square."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mutations import examples
from scipy import stats

from biasvar_cli.stats.correlation import all_correlations, concordance, inversions, kendall


def _pairs(values: np.ndarray) -> np.ndarray:
    """The sign of the difference of every two values, each pair once."""
    first, second = np.triu_indices(len(values), 1)
    return np.sign(values[second] - values[first])


@examples(40)
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


def test_no_rows_have_no_counts():
    assert inversions(np.empty((0, 5), dtype=np.int64)).tolist() == []


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
