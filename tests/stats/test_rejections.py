"""Which rows differ from one, without p of every pair: the answers of the test of all pairs."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from conftest import COARSE, UNIT, real_matrix, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.specs import is_significant
from biasvar_cli.stats import step_down
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.step_down import differs_from, significant_signs, step_down_of_pairs, too_few_samples


def drawn(n_samples: int = 500, done=lambda _: None) -> Draws:
    return Draws(n_samples, partial(generator, Stream.STEP_DOWN, 0), 1, done)


def by_p(rows: np.ndarray, row: int, level: float, n_samples: int = 500) -> list[bool]:
    """The same by the p-values of all pairs."""
    p, pairs = step_down_of_pairs(rows, level, drawn(n_samples)).p, Pairs.of_all(len(rows))
    below = {frozenset(pair) for pair in np.transpose(pairs)[is_significant(p, level)].tolist()}
    return [frozenset((row, other)) in below for other in range(len(rows))]


@examples(150)
@given(score_arrays((1, 9), (4, 12), UNIT, COARSE), st.sampled_from((0.5, 0.8, 0.95)), st.data())
def test_they_are_the_pairs_whose_p_is_below_the_level(rows, level, data):
    row = data.draw(st.integers(0, len(rows) - 1))
    rows = rows + np.arange(len(rows))[:, None] * data.draw(st.sampled_from((0.0, 0.2)))
    assert differs_from(rows, row, level, drawn()).tolist() == by_p(rows, row, level)


@pytest.mark.parametrize("name", ["trec5-adhoc-ap", "web2010-err20"])
def test_of_real_runs_too_whether_the_resamples_are_in_memory_or_not(shared, name, monkeypatch):
    rows = real_matrix(shared, name).values
    row = int(rows.mean(axis=1).argmax())
    expected = by_p(rows, row, 0.95)
    assert 0 < sum(expected) < len(rows) - 1
    finished = []
    assert differs_from(rows, row, 0.95, drawn(done=finished.append)).tolist() == expected
    monkeypatch.setattr(step_down, "_IN_MEMORY", 0)
    assert differs_from(rows, row, 0.95, drawn(done=finished.append)).tolist() == expected
    assert sum(finished) == 1000


def test_too_few_samples_reject_nothing():
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
