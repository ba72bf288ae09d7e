"""The primary test: every resample of a small example, a real track beside another program, few queries, edges."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from itertools import product
from math import ceil

import numpy as np
import pytest
from conftest import COARSE, UNIT, RealData, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from scipy import stats

from biasvar_cli.analyses.compare import CompareRequest
from biasvar_cli.analyses.compare.answer import power_of_tests
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.progress import watched
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.specs.limits import is_significant
from biasvar_cli.stats import steps
from biasvar_cli.stats.monte_carlo import Draws
from biasvar_cli.stats.paired import PairedRows, Pairs
from biasvar_cli.stats.significance import TESTS, USUAL_RESAMPLES, Test
from biasvar_cli.stats.step_down import StepDown, mapped_p, raw_threshold, step_down, step_down_of_pairs, step_down_p
from biasvar_cli.stats.steps import TOLERANCE

TENTHS = ("987989", "544554", "445534", "121021", "877868")  # of runs A to E on 6 queries
FIVE = np.array([[int(tenth) / 10 for tenth in row] for row in TENTHS])
BLOCK = 250  # resamples that are drawn together


class Enumeration:
    """In place of a generator: the draws of one block, of all n^n draws of n queries."""

    def __init__(self, n_queries: int, block: int) -> None:
        self.every, self.block = draws_of(n_queries), block

    def integers(self, low: int, high: int, size: tuple[int, int]) -> IntArray:
        assert (low, high) == (0, self.every.shape[1])
        start = BLOCK * self.block
        return self.every[start : start + size[0]].copy()


@cache
def draws_of(n_queries: int) -> IntArray:
    """All draws of n queries, a row each."""
    return np.array(list(product(range(n_queries), repeat=n_queries)))


def unmapped(found: StepDown, n_queries: int, n_resamples: int) -> FloatArray:
    """The share of resamples that reach each difference, of its p: the inverse of the map, by scipy's distributions."""
    factor = np.sqrt((n_queries - 1) / n_queries)
    raw = 2 * stats.norm.sf(stats.t.isf(found.p / 2, n_queries - 1) / factor)
    return (raw * (n_resamples + 1) - 1) / n_resamples


def enumerated(function, rows: FloatArray) -> StepDown:
    return function(rows, 0.95, Draws(6**6, lambda block: Enumeration(6, block)))


@pytest.fixture
def trec5(shared: RealData) -> ScoreMatrix:
    return load_track(TrackRequest(inputs=(str(shared / "score-matrices" / "trec5-adhoc-ap.csv"),))).scored[0].scores


# ---- worked figures


def test_the_map_from_a_share_of_resamples_to_p():
    assert [float(mapped_p(0.05, n)) for n in (10, 25, 50)] == pytest.approx([0.095907, 0.066772, 0.058113], abs=5.1e-7)
    assert float(mapped_p(1e-4, 6)) == pytest.approx(0.016360, abs=5.1e-7)
    assert raw_threshold(0.95, 6) == pytest.approx(0.00486361, abs=5.1e-9)


def test_all_pairs_on_every_resample_of_six_queries():
    found = enumerated(step_down_of_pairs, FIVE)
    pairs = list(zip(*Pairs.of_all(5), strict=True))
    worked = {(0, 4): (0.014489, 0.075985), (1, 2): (0.521048, 0.583442)}
    for pair, share in zip(pairs, unmapped(found, 6, 6**6), strict=True):
        expected = worked.get(pair, (0, None))
        assert share == pytest.approx(expected[0], abs=1e-6 if pair in worked else 1e-9)
        assert pair not in worked or mapped_p(share, 6) == pytest.approx(expected[1], abs=1e-6)
    assert (found.critical, found.method) == (pytest.approx(0.1, abs=1e-9), "step-down")


def test_one_run_against_the_others_on_every_resample_of_six_queries():
    found = enumerated(step_down, FIVE[1:] - FIVE[0])
    share = unmapped(found, 6, 6**6)
    assert share == pytest.approx([0, 0, 0, 0.000043], abs=5.1e-7)
    assert float(mapped_p(share[3], 6)) == pytest.approx(0.013501, abs=5.1e-6)


@pytest.mark.parametrize(("pair", "share"), [((1, 2), 0.4686), ((0, 4), 0.001072)])
def test_one_pair_on_every_resample_of_six_queries(pair: tuple[int, int], share: float):
    found = enumerated(step_down_of_pairs, FIVE[list(pair)])
    exact = (found.p[0] * (6**6 + 1) - 1) / 6**6
    assert (exact, found.method) == (pytest.approx(share, abs=5.1e-5 if share > 0.1 else 5.1e-7), "studentised")


def test_all_pairs_of_a_real_track(trec5: ScoreMatrix):
    found = step_down_of_pairs(trec5.values, 0.95, Draws(USUAL_RESAMPLES, np.random.default_rng))
    assert int((found.p < 0.05).sum()) == pytest.approx(483, abs=15)
    assert found.critical == pytest.approx(0.1073, abs=0.0015)
    one, other = sorted((trec5.runs.index("run4"), trec5.runs.index("run12")))
    place = list(zip(*Pairs.of_all(61), strict=True)).index((one, other))
    assert found.p[place] == pytest.approx(0.6145, abs=0.03)


def test_a_real_track_against_its_first_run(trec5: ScoreMatrix):
    found = step_down(trec5.values - trec5.row("run1"), 0.95, Draws(USUAL_RESAMPLES, np.random.default_rng))
    assert int((found.p < 0.05).sum()) == pytest.approx(19, abs=1)
    assert found.critical == pytest.approx(0.0841, abs=0.0015)


# ---- what p and the critical difference mean


def by_definition(differences: FloatArray, drawn: list[IntArray], level: float) -> tuple[list[float], float, float]:
    """Raw p of each difference, and both critical differences, resample by resample and step by step.

    The second one is that of the first step.
    """
    n_queries = differences.shape[1]
    tolerance = TOLERANCE * np.abs(differences).max()
    means = differences.mean(axis=1)
    order = sorted(range(len(means)), key=lambda index: -abs(means[index]))
    moved = np.array([differences[:, queries].mean(axis=1) - means for queries in drawn])
    raw, last, critical, first, n = [0.0] * len(means), 0.0, None, None, len(drawn)
    k = ceil(raw_threshold(level, n_queries) * (n + 1)) - 1
    for step, index in enumerate(order):
        maxima = np.sort(np.abs(moved[:, order[step:]]).max(axis=1))
        last = raw[index] = max(last, (1 + int((maxima >= abs(means[index]) - tolerance).sum())) / (n + 1))
        first = float(maxima[-k]) if first is None else first
        if critical is None and (mapped_p(last, n_queries) >= 1 - level or index == order[-1]):
            critical = float(maxima[-k])
    assert critical is not None
    assert first is not None
    return raw, critical, first


@given(score_arrays((3, 5), (6, 12), UNIT, COARSE))
@examples(15)
def test_both_families_are_the_definition(values: FloatArray):
    n = values.shape[1]
    drawn = [row for block in range(2) for row in np.random.default_rng(block).integers(0, n, size=(250, n))]
    pairs = Pairs.of_all(len(values))
    differences = values[pairs.first] - values[pairs.second]
    draws, others = Draws(500, np.random.default_rng), values[1:] - values[0]
    families = (step_down_of_pairs(values, 0.9, draws), step_down(others, 0.9, draws))
    for found, rows in zip(families, (differences, others), strict=True):
        if np.ptp(rows) > 1e-6:  # of smaller ones the definition has no scale
            raw, critical, first = by_definition(rows, drawn, 0.9)
            assert found.p == pytest.approx(mapped_p(np.array(raw), n), abs=1e-12)
            assert (found.critical, found.half_width) == pytest.approx((critical, first), abs=1e-9)


@given(score_arrays((2, 5), (6, 30), UNIT, COARSE))
@examples(20)
def test_p_is_below_the_level_exactly_where_the_critical_difference_is_exceeded(values: FloatArray):
    pairs = Pairs.of_all(len(values))
    size = np.abs((values[pairs.first] - values[pairs.second]).mean(axis=1))
    for level in (0.8, 0.95):
        found = step_down_of_pairs(values, level, Draws(400, np.random.default_rng))
        if np.isfinite(found.critical):
            beyond = size > found.critical + 1e-9 * np.ptp(values, axis=0).max(initial=0)
            assert (is_significant(found.p, level) == beyond).all()
        else:
            assert not is_significant(found.p, level).any()


@pytest.mark.parametrize("factor", [1e-200, 1e9, 1e200])
def test_the_size_of_the_scores_changes_no_p(factor: float):
    values = np.random.default_rng(2).beta(1, 3, size=(4, 12)).round(1)
    draws = Draws(500, np.random.default_rng)
    one, other = (step_down_of_pairs(each, 0.95, draws) for each in (values, factor * values))
    assert one.p.tolist() == other.p.tolist()
    assert other.critical == pytest.approx(factor * one.critical)


# ---- few queries, equal rows, few resamples


@pytest.mark.parametrize("n_queries", [2, 5])
def test_below_six_queries_nothing_is_tested(n_queries: int):
    drawn: list[int] = []
    with watched("tested", lambda number, _: drawn.append(number)):
        found = step_down_of_pairs(FIVE[:, :n_queries], 0.95, Draws(500, np.random.default_rng))
    assert (found.method, sum(drawn)) == ("none", 500)
    assert np.isnan([*found.p, found.critical]).all()


@pytest.mark.parametrize(("n_queries", "method"), [(6, "studentised"), (24, "studentised"), (25, "step-down")])
def test_a_single_pair_is_studentised_below_25_queries(n_queries: int, method: str):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, n_queries))
    assert step_down_of_pairs(values[:2], 0.95, Draws(200, np.random.default_rng)).method == method
    assert step_down_of_pairs(values, 0.95, Draws(200, np.random.default_rng)).method == "step-down"


@pytest.mark.parametrize("n_queries", [6, 24, 25, 50])
def test_equal_rows_have_p_1(n_queries: int):
    row = np.random.default_rng(0).random(n_queries)
    alone, among, all_equal = (
        step_down_of_pairs(np.array([row, row + 1e-17, *others]), 0.95, Draws(300, np.random.default_rng))
        for others in ((), (np.roll(row, 1),), (row - 1e-17,))
    )
    assert (alone.p.tolist(), alone.critical) == ([1.0], 0.0)
    assert among.p[0] == 1
    assert all_equal.p.tolist() == [1.0] * 3


def test_a_constant_difference_has_the_least_p():
    rows = np.array([np.linspace(0.1, 0.9, 8), np.linspace(0.1, 0.9, 8) + 0.05])
    found = step_down_of_pairs(rows, 0.95, Draws(999, np.random.default_rng))
    assert (found.p.tolist(), found.critical) == ([0.001], pytest.approx(0, abs=1e-12))


def test_too_few_resamples_for_the_level_have_no_critical_difference():
    found = step_down_of_pairs(FIVE, 0.95, Draws(204, np.random.default_rng))  # 1 / 205 is above a0 of 6 queries
    assert np.isnan(found.critical)
    assert (found.p >= 0.05).all()
    assert np.isfinite(step_down_of_pairs(FIVE, 0.95, Draws(411, np.random.default_rng)).critical)


def test_the_threads_change_nothing():
    values = np.random.default_rng(0).beta(1, 3, size=(8, 30))
    one, two = (step_down_of_pairs(values, 0.95, Draws(900, np.random.default_rng, jobs=jobs)) for jobs in (1, 2))
    assert (one.p.tolist(), one.critical) == (two.p.tolist(), two.critical)


# ---- p beside the level


@pytest.mark.parametrize("level", [0.9, 0.95, 0.975, 0.99, 0.999, 0.9999])
def test_a_p_of_one_minus_the_level_is_not_below_it(level: float):
    p = float(1 - Decimal(str(level)))  # as it is written: 1 - 0.95 is 0.050000000000000044
    assert not is_significant(p, level)
    assert is_significant(np.nextafter(p, 0) - 1e-11, level)
    assert not is_significant(np.array([np.nan, p * 3 / 3, p + 1e-15, p - 1e-15]), level).any()


@pytest.mark.parametrize("test", ["tukey", "stepdown"])
@given(st.integers(0, 2**32 - 1))
@examples(30)
def test_one_in_twenty_of_the_samples_is_not_significant(test: Test, seed: int):
    """p of two rows is (1 + #) / 100: counted in hundredths, and on the same side as the critical difference."""
    rows = PairedRows(np.random.default_rng(seed).integers(0, 11, size=(2, 9)) / 10 + [[0.0], [0.25]])
    found = TESTS[test](rows, level=0.95, n_samples=99)
    hundredths = round(100 * float(found.p[0]))
    assert found.p[0] == pytest.approx(hundredths / 100, abs=1e-15)
    beyond = abs(rows.moments.student.mean[0]) > found.critical + 1e-9
    assert bool(is_significant(found.p, 0.95)[0]) == (hundredths < 5) == beyond


def test_pairs_of_a_real_track_are_counted_below_one_in_twenty(trec5: ScoreMatrix):
    """Some p of Tukey's test are .05 exactly, with 199 samples; the power table counts those below it."""
    tests = PairTests(trec5.runs, trec5.values, CompareRequest(test=("tukey",), samples=199))
    parts = (200 * tests.p["tukey"]).round().astype(int)
    (row,) = power_of_tests(tests)
    assert (parts == 10).any()
    assert row.n_significant == int((parts < 10).sum())


@examples(20)
@given(score_arrays((1, 4), (4, 30), UNIT, COARSE), st.integers(1, 3))
def test_families_that_are_drawn_together_have_the_p_of_each_alone(rows: FloatArray, n_families: int):
    families, draws = [rows - 0.4 * number for number in range(n_families)], Draws(300, np.random.default_rng)
    for family, p in zip(families, step_down_p(families, 0.95, draws), strict=True):
        np.testing.assert_array_equal(p, step_down(family, 0.95, draws).p)


@pytest.mark.parametrize("is_kept", [True, False])
def test_resamples_of_all_pairs_are_drawn_again_only_where_they_are_too_many_to_keep(monkeypatch, is_kept):
    drawn, n_blocks = [], 2
    monkeypatch.setattr(steps, "_IN_MEMORY", 4 * BLOCK * n_blocks if is_kept else 0)
    rows = np.random.default_rng(0).normal(size=(4, 30)) + np.arange(4)[:, None]
    draws = Draws(BLOCK * n_blocks, lambda block: drawn.append(block) or np.random.default_rng(block))
    with watched("tested", lambda number, _: finished.append(number)):
        finished: list[int] = []
        step_down_of_pairs(rows, 0.95, draws)
    assert drawn == [0, *range(n_blocks), *([] if is_kept else range(n_blocks))]  # the first block shows the sizes
    assert sum(finished) == BLOCK * n_blocks
