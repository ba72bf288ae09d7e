"""How far a ranking can be relied on: random halves, queries needed, where the variance comes from."""

from __future__ import annotations

from functools import partial

import conftest
import numpy as np
import pytest
from conftest import COARSE, UNIT, matrix_of, score_arrays
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.decomposition.decompose import VirtualTarget, best_of_runs, decompose, mean_target
from biasvar_cli.decomposition.reliability import origin, precision, split_half
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.stats.correlation import kendall

RANKINGS = ("bias", "var", "total", "var_gap", "total_gap")
MATRICES = score_arrays((2, 7), (2, 11), UNIT, COARSE)
WIDE = score_arrays((3, 7), (4, 12), UNIT)
close = partial(conftest.close, tolerance=1e-9, nan=True)


# ---- random halves


@given(WIDE, st.integers(0, 5))
def test_halves_are_decompositions_of_their_own(values, seed):
    matrix = matrix_of(values)
    n, splits = matrix.n_queries, 4
    found = split_half(matrix, best_of_runs(matrix), n_splits=splits, seed=seed)
    order = np.random.default_rng([seed, n]).permuted(np.tile(np.arange(n), (splits, 1)), axis=1)
    taus = []
    for row in order:
        halves = [matrix_of(values[:, part]) for part in (row[: n // 2], row[n // 2 : n // 2 * 2])]
        one, other = (decompose(half, best_of_runs(half)) for half in halves)
        taus.append([kendall(getattr(one, name), getattr(other, name)) for name in RANKINGS])
    known = np.isfinite(taus)
    means = [np.mean([tau for tau in of_name if np.isfinite(tau)] or [np.nan]) for of_name in zip(*taus, strict=True)]
    assert close([getattr(found, name) for name in RANKINGS], means)
    assert found.n_undefined == (~known[:, known.any(axis=0)]).any(axis=1).sum()
    assert found.half == n // 2


def test_a_target_that_is_a_mean_alone_has_no_gap_form():
    matrix = matrix_of(np.random.default_rng(1).random((5, 9)))
    found, best = split_half(matrix, mean_target(0.5)), split_half(matrix, best_of_runs(matrix))
    assert np.isnan([found.var_gap, found.total_gap]).all()
    assert (found.bias, found.var) == (best.bias, best.var)
    assert np.isfinite(found.total)
    assert found.n_undefined == 0


@pytest.mark.parametrize(("n_runs", "n_queries"), [(3, 1), (3, 2), (3, 3), (2, 8), (1, 8)])
def test_what_cannot_be_ranked_is_undefined(n_runs, n_queries):
    values = np.random.default_rng(2).random((n_runs, n_queries))
    target = VirtualTarget(TargetSpec("file", "file:f", name="f"), values.max(axis=0).mean(), values.max(axis=0), 0)
    found = split_half(matrix_of(values), target)
    assert found.half == n_queries // 2
    assert np.isnan(found.var)  # one query has no variance, and two runs always lie on a line
    assert np.isnan(found.bias) == (n_runs < 3 or n_queries < 2)


# ---- queries needed


@given(WIDE, st.floats(0.05, 1))
def test_half_width_is_that_of_the_jackknife(values, wanted):
    found, n = precision(values, wanted, level=0.9), values.shape[1]
    for run, row in enumerate(values):
        left = np.array([np.delete(row, q).var() for q in range(n)])
        if left.min() < 1e-12:
            assert np.isnan([found.half_width[run], found.needed[run]]).all() or left.min() > 1e-25
        else:
            pseudo = n * np.log(row.var()) - (n - 1) * np.log(left)
            expected = stats.t.ppf(0.95, n - 1) * pseudo.std(ddof=1) / np.sqrt(n)
            assert found.half_width[run] == pytest.approx(expected, rel=1e-6, abs=1e-9)
            needed = n * (expected / wanted) ** 2
            assert max(2, needed - 1e-3) <= found.needed[run] <= max(2, needed) + 1.001
    defined = found.needed[np.isfinite(found.needed)]
    assert found.n_defined == len(defined)
    assert close(found.median, np.median(defined) if len(defined) else np.nan)


def test_runs_whose_variance_has_no_interval_are_left_out_of_the_median():
    found = precision(np.array([[0.1, 0.1, 0.1], [0.0, 0.0, 0.4], [0.1, 0.3, 0.5]]), 0.5)
    assert np.isnan(found.needed).tolist() == [True, True, False]
    assert (found.n_defined, found.median) == (1, 190)
    for values in (np.array([[0.3], [0.2]]), np.array([[0.3, 0.1]]), np.zeros((2, 4))):
        none = precision(values, 0.5)
        assert none.n_defined == 0
        assert np.isnan(none.median)


# ---- where the variance comes from


@given(MATRICES)
def test_variance_is_that_of_the_track_and_the_run_s_own(values):
    matrix = matrix_of(values)
    found, means = origin(matrix, matrix), values.mean(axis=0)
    assert np.isnan([found.slope, found.of_track, found.rest, found.share]).all() == (np.ptp(means) < 1e-9)
    assume(np.ptp(means) >= 1e-9)
    assert close(found.of_track + found.rest, values.var(axis=1))
    assert found.slope.mean() == pytest.approx(1, abs=1e-9)
    for run, row in enumerate(values):
        line = stats.linregress(means, row)
        assert found.slope[run] == pytest.approx(line.slope, abs=1e-7)
        if np.ptp(row) > 0:
            assert found.share[run] == pytest.approx(line.rvalue**2, abs=1e-7)
        else:
            assert np.isnan(found.share[run])


def test_the_pool_says_what_the_difficulty_is():
    pool = matrix_of([[0.1, 0.5, 0.3], [0.3, 0.1, 0.4], [0.2, 0.6, 0.2]])
    listed = pool.select(["r1"])
    assert close(origin(listed, pool).slope, origin(pool, pool).slope[1])
