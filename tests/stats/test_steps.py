"""The steps of all pairs in windows: the numbers of the same steps taken pair by pair, from few of the pairs."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from conftest import COARSE, UNIT, real_matrix, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.stats import steps
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.steps import Steps, StepsOfAllPairs


def draws_of(n_samples: int) -> Draws:
    return Draws(n_samples, partial(generator, Stream.STEP_DOWN, 0))


def assert_same(rows: np.ndarray, n_samples: int, starts: list[int]) -> None:
    draws = draws_of(n_samples)
    one_by_one, in_windows = Steps(rows, Pairs.of_all(len(rows))), StepsOfAllPairs(rows)
    # of pairs of one size the first step counts for all: no p is below that of a larger difference
    reached = (np.maximum.accumulate(some.reached(draws)) for some in (one_by_one, in_windows))
    assert np.array_equal(*reached)
    for start in starts:
        assert np.array_equal(one_by_one.largest(start, draws), in_windows.largest(start, draws))


@examples(150)
@given(score_arrays((3, 12), (6, 9), UNIT, COARSE), st.sampled_from((0.0, 0.2, 3.0)), st.data())
def test_steps_of_all_pairs_are_those_of_pair_by_pair(rows, apart, data):
    rows = rows + apart * np.arange(len(rows))[:, None]
    n_pairs = len(rows) * (len(rows) - 1) // 2
    assert_same(rows, 60, data.draw(st.lists(st.integers(0, n_pairs - 1), max_size=3)))


@pytest.mark.parametrize("name", ["trec5-adhoc-ap", "web2010-err20"])
def test_of_real_runs_too(shared, name):
    rows = real_matrix(shared, name).values
    n_pairs = len(rows) * (len(rows) - 1) // 2
    assert_same(rows, 500, [0, n_pairs // 2, n_pairs - 1])


def test_few_pairs_are_looked_at(monkeypatch):
    n_rows, n_samples, n_looked_at = 300, 500, 0
    rows = np.random.default_rng(0).normal(np.linspace(0, 0.5, n_rows)[:, None], 0.2, (n_rows, 20))
    differences = steps._differences

    def counted(drift, first, second):
        nonlocal n_looked_at
        n_looked_at += len(first) * drift.shape[1]
        return differences(drift, first, second)

    monkeypatch.setattr(steps, "_differences", counted)
    StepsOfAllPairs(rows).reached(draws_of(n_samples))
    assert n_looked_at < n_rows * (n_rows - 1) / 2 * n_samples / 5
