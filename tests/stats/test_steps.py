"""Which pairs are rejected, and the steps of all pairs in windows: the answers of the same test pair by pair."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from conftest import COARSE, UNIT, real_matrix, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.progress import watched
from biasvar_cli.specs.limits import is_significant
from biasvar_cli.stats import step_down, steps
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.step_down import differs_from, significant_signs, step_down_of_pairs, too_few_samples
from biasvar_cli.stats.steps import Steps, StepsOfAllPairs


def drawn(n_samples: int = 500) -> Draws:
    return Draws(n_samples, partial(generator, Stream.STEP_DOWN, 0))


def by_p(rows: np.ndarray, row: int, level: float, n_samples: int = 500) -> list[bool]:
    """The same by the p-values of all pairs."""
    p, pairs = step_down_of_pairs(rows, level, drawn(n_samples)).p, Pairs.of_all(len(rows))
    below = {frozenset(pair) for pair in np.transpose(pairs)[is_significant(p, level)].tolist()}
    return [frozenset((row, other)) in below for other in range(len(rows))]


@examples(50)
@given(score_arrays((1, 9), (4, 12), UNIT, COARSE), st.sampled_from((0.5, 0.8, 0.95)), st.data())
def test_rejections_are_the_pairs_whose_p_is_below_the_level(rows, level, data):
    row = data.draw(st.integers(0, len(rows) - 1))
    rows = rows + np.arange(len(rows))[:, None] * data.draw(st.sampled_from((0.0, 0.2)))
    assert differs_from(rows, row, level, drawn()).tolist() == by_p(rows, row, level)


@pytest.mark.parametrize("name", ["trec5-adhoc-ap", "web2010-err20"])
def test_rejections_of_real_runs_whether_the_resamples_are_in_memory_or_not(shared, name, monkeypatch):
    rows = real_matrix(shared, name).values
    row = int(rows.mean(axis=1).argmax())
    expected = by_p(rows, row, 0.95)
    assert 0 < sum(expected) < len(rows) - 1
    finished = []
    with watched("tested", lambda number, _: finished.append(number)):
        assert differs_from(rows, row, 0.95, drawn()).tolist() == expected
        monkeypatch.setattr(step_down, "_IN_MEMORY", 0)
        assert differs_from(rows, row, 0.95, drawn()).tolist() == expected
    assert sum(finished) == 1000


def test_with_too_few_samples_nothing_is_rejected():
    rows = np.random.default_rng(0).random((5, 30)) * 0.01 + np.arange(5)[:, None]
    assert too_few_samples(30, 10, 0.999, 500)
    assert not differs_from(rows, 4, 0.999, drawn()).any()
    assert not too_few_samples(30, 10, 0.95, 500)
    assert differs_from(rows, 4, 0.95, drawn()).sum() == 4
    assert not too_few_samples(5, 10, 0.95, 500)


@given(score_arrays((1, 9), (4, 12), UNIT, COARSE), st.sampled_from((0.5, 0.8, 0.95)), st.sampled_from((0.0, 0.2)))
def test_signs_of_all_pairs_are_those_of_the_means_where_p_is_below_the_level(rows, level, apart):
    rows = rows + np.arange(len(rows))[::-1, None] * apart
    p, pairs, means = step_down_of_pairs(rows, level, drawn()).p, Pairs.of_all(len(rows)), rows.mean(axis=1)
    signs = significant_signs(rows, level, drawn())
    if signs is None:
        assert np.isnan(p).all()
        assert len(p) > 0
    else:
        assert signs.tolist() == np.where(p < 1 - level, np.sign(means[pairs.first] - means[pairs.second]), 0).tolist()


def assert_same(rows: np.ndarray, n_samples: int, starts: list[int]) -> None:
    draws = drawn(n_samples)
    one_by_one, in_windows = Steps(rows, Pairs.of_all(len(rows))), StepsOfAllPairs(rows)
    # of pairs of one size the first step counts for all: no p is below that of a larger difference
    reached = (np.maximum.accumulate(some.reached(draws).n_resamples) for some in (one_by_one, in_windows))
    assert np.array_equal(*reached)
    for start in starts:
        assert np.array_equal(one_by_one.largest(start, draws), in_windows.largest(start, draws))


@examples(50)
@given(score_arrays((3, 12), (6, 9), UNIT, COARSE), st.sampled_from((0.0, 0.2, 3.0)), st.data())
def test_steps_of_all_pairs_are_those_of_pair_by_pair(rows, apart, data):
    rows = rows + apart * np.arange(len(rows))[:, None]
    n_pairs = len(rows) * (len(rows) - 1) // 2
    assert_same(rows, 60, data.draw(st.lists(st.integers(0, n_pairs - 1), max_size=3)))


@pytest.mark.parametrize("name", ["trec5-adhoc-ap", "web2010-err20"])
def test_steps_of_real_runs_too(shared, name):
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
    StepsOfAllPairs(rows).reached(drawn(n_samples))
    assert n_looked_at < n_rows * (n_rows - 1) / 2 * n_samples / 5
