"""Paired tests of many runs: Sakai's example, real tracks beside other programs, scipy, identities, edges."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace
from itertools import combinations, product
from typing import Any, get_args

import numpy as np
import pytest
from conftest import COARSE, UNIT, RealData, book, matrix_of, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from scipy import stats

from biasvar_cli.analyses.compare import CompareRequest, Of
from biasvar_cli.analyses.compare.answer import N_BINS, power_of_tests, sample_size, swap_rates
from biasvar_cli.analyses.compare.differences import values_to_compare
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.ranks import RunRanks
from biasvar_cli.arrays import FloatArray, ranks
from biasvar_cli.decomposition.baseline import compare
from biasvar_cli.decomposition.decompose import best_of_runs, decompose, mean_target
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.progress import watched
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import PairedRows, Pairs
from biasvar_cli.stats.resampling import exceeding_p, randomisation, shuffled_ranges
from biasvar_cli.stats.significance import (
    CORRECTIONS,
    PRIMARY,
    TESTS,
    USUAL,
    Correction,
    Test,
    benjamini_hochberg,
    bonferroni,
    holm,
)
from biasvar_cli.stats.variance import anova, friedman

TRACKS = score_arrays((2, 6), (6, 9), UNIT, COARSE)
MATRICES = score_arrays((2, 5), (2, 10), UNIT, COARSE)
EVERY = tuple(TESTS)
FEW = CompareRequest(test=EVERY, samples=200)


def compared(matrix: ScoreMatrix, *tests: Test, of: Of = "mean", samples: int = 10_000, seed: int = 0) -> PairTests:
    request = CompareRequest(test=tests, of=of, samples=samples, seed=seed)
    return PairTests(matrix.runs, values_to_compare(matrix, best_of_runs(matrix), of), request)


def real_track(shared: RealData, name: str) -> ScoreMatrix:
    return load_track(TrackRequest(inputs=(str(shared / "score-matrices" / f"{name}.csv"),))).scored[0].scores


# ---- Sakai's example


def test_pairs_of_the_book():
    # t, sign, Wilcoxon and effect sizes as the program elinor prints them; the exact p of the randomisation test counts
    # its ties; step-down and Tukey by simulation of another program, 200 000 samples, and Student's t by scipy
    found = compared(book(), *EVERY, samples=40_000)
    pairs = [(found.runs[a], found.runs[b]) for a, b in zip(found.run, found.versus, strict=True)]
    assert pairs == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    p = {test: dict(zip(pairs, values.tolist(), strict=True)) for test, values in found.p.items()}
    first = pairs[0]
    assert (found.t[0], p["t"][first]) == (pytest.approx(2.115760, abs=5.1e-7), pytest.approx(0.047797, abs=5.1e-7))
    assert p["randomisation"][first] == pytest.approx(0.065918, abs=5.1e-7)
    assert p["bootstrap"][first] == pytest.approx(0.0511, abs=0.004)
    assert p["sign"][first] == pytest.approx(0.3018, abs=5.1e-5)
    assert p["wilcoxon"][first] == pytest.approx(0.0372, abs=5.1e-5)
    assert list(p["tukey"].values()) == pytest.approx([0.304, 0.106, 0.892], abs=0.01)
    mapped = 2 * stats.t.sf(stats.norm.isf(np.array([0.1075, 0.1075, 0.547]) / 2) * np.sqrt(19 / 20), 19)
    assert list(p["stepdown"].values()) == pytest.approx(mapped, abs=0.008)
    assert found.critical["tukey"] == pytest.approx(0.11)
    assert (found.es[0], (found.high - found.delta)[0]) == pytest.approx((0.4731, 0.0742), abs=5.1e-5)
    assert found.es_e2 == pytest.approx([0.5070, 0.6760, 0.1690], abs=5.1e-5)
    assert (found.wins[0], found.losses[0], found.ties[0]) == (10, 5, 5)


def test_all_systems_of_the_book_at_once():
    # elinor prints F 2.4749 (p .0976) of systems, 2.4754 (.0086) of topics, V_E2 .021886; Friedman's test by scipy
    found, ranks = anova(book().values), friedman(book().values)
    assert (found.f_runs, found.p_runs) == (pytest.approx(2.4749, abs=5.1e-5), pytest.approx(0.0976, abs=5.1e-5))
    assert (found.f_queries, found.p_queries) == (pytest.approx(2.4754, abs=5.1e-5), pytest.approx(0.0086, abs=5.1e-5))
    assert (found.ms_error, found.df_error) == (pytest.approx(0.021886, abs=5.1e-7), 38)
    expected = stats.friedmanchisquare(*book().values)
    assert (ranks.chi2, ranks.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


# ---- real tracks, as another program has them (numpy and scipy)

REAL = ("trec5-adhoc-ap", "web2011-err20", "terabyte06-ap-named")
# pairs with p < .05: uncorrected, Holm, Bonferroni, Benjamini-Hochberg
T_COUNTS = ((1164, 470, 457, 1111), (835, 74, 71, 620), (1459, 1150, 1116, 1436))
WILCOXON_SIGN = ((1260, 1153), (915, 821), (1486, 1444))
DIFFERENCES = ((0.005744, 0.078766), (0.002305, 0.040616), (0.003130, 0.023884))  # least significant, largest not
# F and the error of ANOVA, Friedman's chi-square
ANOVA_FRIEDMAN = (
    (15.270938, 0.01525706, 1053.245368),
    (5.866040, 0.00694963, 461.025294),
    (118.912135, 0.00936564, 3572.096923),
)
TOTALS = (((997, 53), (1048, 217)), ((718, 0), (725, 2)), ((1346, 805), (1366, 982)))  # t, Holm; also of the gap form
DETECTABLE = ((0.169842, 0.068623), (0.118517, 0.047886), (0.136739, 0.031588))
DRAWN = ((0.1132, 426, 0.1073, 485), (0.0711, 138, 0.0701, 152), (0.0614, 887, 0.0417, 1116))  # Tukey, step-down
SWAP = ((0.08, 0.413), (0.07, 0.110), (0.04, 0.621))


@pytest.mark.parametrize(
    ("name", "of_t", "single", "differences", "f", "design"),
    list(zip(REAL, T_COUNTS, WILCOXON_SIGN, DIFFERENCES, ANOVA_FRIEDMAN, DETECTABLE, strict=True)),
    ids=REAL,
)
def test_exact_tests_of_real_tracks(shared: RealData, name, of_t, single, differences, f, design):
    matrix = real_track(shared, name)
    found = compared(matrix, "t", "wilcoxon", "sign")
    p = found.p["t"]
    assert tuple(int((each < 0.05).sum()) for each in (p, holm(p), bonferroni(p), benjamini_hochberg(p))) == of_t
    assert tuple(int((found.p[test] < 0.05).sum()) for test in ("wilcoxon", "sign")) == single
    t = power_of_tests(found)[0]
    assert (t.smallest_significant, t.largest_not_significant) == pytest.approx(differences, abs=5.1e-7)
    of_runs = anova(matrix.values)
    values = (of_runs.f_runs, of_runs.ms_error, friedman(matrix.values).chi2)
    assert values == pytest.approx(f, rel=5e-7)
    size = sample_size(found)
    assert (size.sd, size.detectable) == pytest.approx(design, abs=5.1e-7)


@pytest.mark.parametrize(("name", "totals"), list(zip(REAL, TOTALS, strict=True)), ids=REAL)
def test_totals_of_real_tracks(shared: RealData, name: str, totals):
    matrix = real_track(shared, name)
    for of, expected in zip(("total", "total_gap"), totals, strict=True):
        p = compared(matrix, "t", of=of).p["t"]
        assert (int((p < 0.05).sum()), int((holm(p) < 0.05).sum())) == expected


@pytest.mark.parametrize(("name", "drawn", "swap"), list(zip(REAL, DRAWN, SWAP, strict=True)), ids=REAL)
def test_drawn_tests_of_real_tracks(shared: RealData, name: str, drawn, swap):
    # 40 000 and 5000 samples there, 5000 here: critical differences to two of the last digits, counts to some pairs
    matrix = real_track(shared, name)
    found = compared(matrix, "tukey", "stepdown", samples=5000)
    tukey, n_tukey, step, n_step = drawn
    assert (found.critical["tukey"], found.critical["stepdown"]) == pytest.approx((tukey, step), abs=0.002)
    counts = [int((found.p[test] < 0.05).sum()) for test in ("tukey", "stepdown")]
    assert counts == pytest.approx([n_tukey, n_step], abs=16)
    swaps = swap_rates(matrix.values, n_splits=300)
    assert (swaps.needed, swaps.share) == (pytest.approx(swap[0], abs=0.0101), pytest.approx(swap[1], abs=0.06))


def test_the_first_pair_of_a_real_track(shared: RealData):
    found = compared(real_track(shared, "trec5-adhoc-ap"), "t", "wilcoxon", "sign")
    pairs = [(found.runs[run], found.runs[versus]) for run, versus in zip(found.run, found.versus, strict=True)]
    at = pairs.index(("run26", "run59"))
    values = (found.delta[at], found.t[at], found.p["t"][at], found.es[at], found.es_e2[at])
    assert values == pytest.approx((0.006774, 0.243508, 0.808628, 0.034437, 0.054842), abs=5.1e-7)
    assert (found.p["wilcoxon"][at], found.p["sign"][at]) == pytest.approx((0.514662, 0.322236), abs=5.1e-7)


# ---- beside scipy, and by enumeration


@given(MATRICES)
def test_tests_of_single_pairs_are_scipy_s(values: FloatArray):
    found = compared(matrix_of(values), "t", "wilcoxon", "sign")
    for index, (a, b) in enumerate(zip(found.run, found.versus, strict=True)):
        z = np.round(values[a] - values[b], 10)
        if np.ptp(z) > 1e-9:
            expected = stats.ttest_rel(values[a], values[b])
            assert (found.t[index], found.p["t"][index]) == pytest.approx(
                (expected.statistic, expected.pvalue), rel=1e-9, abs=1e-9
            )
        some = z[z != 0]
        if len(some):
            wilcoxon = stats.wilcoxon(some, method="asymptotic", correction=False).pvalue
            sign = stats.binomtest(int((some > 0).sum()), len(some)).pvalue
            assert (found.p["wilcoxon"][index], found.p["sign"][index]) == pytest.approx((wilcoxon, sign), rel=1e-9)


@given(score_arrays((2, 3), (2, 6), UNIT, COARSE))
def test_the_randomisation_test_takes_every_sign_where_it_can(values: FloatArray):
    pairs = Pairs.of_all(len(values))
    p = randomisation(PairedRows(values), Draws(1000, np.random.default_rng)).p
    for index, (a, b) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        z = values[a] - values[b]
        sums = [abs(np.dot(signs, z)) for signs in product((-1, 1), repeat=len(z))]
        assert p[index] == pytest.approx(np.mean(np.array(sums) >= abs(z.sum()) - 1e-12))


def test_the_randomisation_test_is_scipy_s_where_it_draws():
    x, y = np.random.default_rng(3).beta(1, 3, size=(2, 40))
    draws = Draws(20_000, lambda block: np.random.default_rng([5, block]))
    (ours,) = randomisation(PairedRows(np.array([x, y])), draws).p
    rng, statistic = np.random.default_rng(1), lambda x, y, axis: np.mean(x - y, axis=axis)
    options = {"permutation_type": "samples", "n_resamples": 20_000, "vectorized": True, "random_state": rng}
    assert ours == pytest.approx(stats.permutation_test((x, y), statistic, **options).pvalue, abs=0.015)


@given(score_arrays((2, 2), (3, 8), UNIT, COARSE))
@examples(15)
def test_with_two_runs_tukey_is_the_randomisation_test(values: FloatArray):
    (exact,) = randomisation(PairedRows(values), Draws(1000, np.random.default_rng)).p
    observed = np.array([abs(values[0].mean() - values[1].mean())])
    (drawn,) = exceeding_p(observed, shuffled_ranges(values, Draws(4000, np.random.default_rng)), 1e-12)
    assert drawn == pytest.approx(exact, abs=0.04)  # five standard errors


# ---- identities


@given(MATRICES)
@examples(15)
def test_totals_of_losses_are_those_of_the_decomposition(values: FloatArray):
    target = best_of_runs(matrix_of(values))
    result = decompose(matrix_of(values), target)
    for of in ("total", "total_gap"):
        means = values_to_compare(matrix_of(values), target, of).mean(axis=1)
        assert means == pytest.approx(getattr(result, of), abs=1e-12)


@given(MATRICES, st.integers(0, 4))
@examples(15)
def test_with_a_baseline_the_numbers_are_those_of_decompose(values: FloatArray, place: int):
    matrix = matrix_of(values)
    baseline, target = place % len(values), best_of_runs(matrix)
    theirs = compare(matrix, target, matrix.runs[baseline])
    for of, quantity in (("mean", theirs.bias), ("total", theirs.total), ("total_gap", theirs.total_gap)):
        sign, request = -1 if of == "mean" else 1, CompareRequest(test=("t",), of=of)
        found = PairTests(matrix.runs, values_to_compare(matrix, target, of), request, baseline)
        assert set(found.versus.tolist()) == {baseline}
        for index, run in enumerate(found.run):
            if np.isfinite(quantity.t[run]):
                assert found.delta[index] == pytest.approx(sign * quantity.value[run], abs=1e-12)
                assert found.t[index] == pytest.approx(sign * quantity.t[run], rel=1e-6, abs=1e-6)
                assert found.p["t"][index] == pytest.approx(quantity.p[run], rel=1e-6, abs=1e-9)
                assert found.adjusted["t"][index] == pytest.approx(quantity.p_holm[run], rel=1e-6, abs=1e-9)


@given(MATRICES)
@examples(15)
def test_p_is_a_probability_that_no_sample_lowers_to_0(values: FloatArray):
    matrix = matrix_of(values)
    found = PairTests(matrix.runs, values, FEW)
    for test in ("tukey", "bootstrap"):
        assert (found.p[test] >= 1 / 201).all()
    has_stepdown = values.shape[1] >= 6
    assert np.isnan(found.p["stepdown"]).all() != has_stepdown
    same = np.array([(values[a] == values[b]).all() for a, b in zip(found.run, found.versus, strict=True)])
    for test, p in found.p.items():
        if test != "stepdown" or has_stepdown:
            assert ((p >= 0) & (p <= 1)).all()
            assert (p[same] == 1).all(), test
    assert (found.p["t"][np.abs(found.delta) <= 1e-12] == 1).all()
    order = np.argsort(-np.abs(found.delta), kind="stable")
    assert not (np.diff(found.p["stepdown"][order]) < 0).any()


@given(MATRICES)
@examples(20)
def test_the_better_run_stands_first(values: FloatArray):
    matrix = matrix_of(values)
    for of, sign in (("mean", 1), ("total", -1)):
        found = compared(matrix, "t", of=of)
        assert (sign * found.delta >= 0).all()
        assert (found.wins + found.ties + found.losses == values.shape[1]).all()
        assert len(found.run) == len(list(combinations(matrix.runs, 2)))


def test_the_same_samples_whatever_the_threads():
    values = np.random.default_rng(0).beta(1, 3, size=(6, 20))

    def p_of(**options: int) -> dict[str, list[float]]:
        tests = PairTests(tuple("abcdef"), values, CompareRequest(test=EVERY, samples=700, **options))
        return {test: p.tolist() for test, p in tests.p.items()}

    assert p_of(jobs=1) == p_of(jobs=2)
    assert p_of()["tukey"] != p_of(seed=1)["tukey"]


def test_a_critical_difference_is_what_a_significant_one_exceeds(shared: RealData):
    found = compared(real_track(shared, "trec5-adhoc-ap"), "tukey", "stepdown", samples=1000)
    size = np.abs(found.delta)
    for test in ("tukey", "stepdown"):
        assert ((found.p[test] < 0.05) == (size > found.critical[test] + 1e-12)).all()


# ---- the best run as baseline


def test_the_best_run_of_a_real_track(shared: RealData):
    # by another program: 39 of 60 by the family of all pairs, 48 as if run26 had been chosen beforehand; 22 are best
    matrix = real_track(shared, "trec5-adhoc-ap")
    top = matrix.runs.index("run26")
    asked = CompareRequest(samples=1999)
    every, alone = (PairTests(matrix.runs, matrix.values, asked, baseline) for baseline in (None, top))
    assert every.against_top(top).differs.sum() == pytest.approx(39, abs=2)
    assert alone.differs.sum() == pytest.approx(48, abs=2)
    assert (RunRanks(every).n_beaten_by == 0).sum() == pytest.approx(22, abs=2)


@pytest.mark.parametrize(("n_runs", "baseline"), [(2, None), (6, 0), (12, None)])
def test_equal_runs_on_few_queries_seldom_differ(n_runs: int, baseline: int | None):
    # at 5 %, of 150 tracks 7.5; the step-down bootstrap without Student's t finds .2 and more
    names, n_found = tuple(map(str, range(n_runs))), 0
    for seed in range(150):
        values = np.random.default_rng([7, seed]).beta(1, 3, size=(n_runs, 8))
        asked = CompareRequest(test=("t",), samples=399, seed=seed)
        n_found += bool(PairTests(names, values, asked, baseline).differs.any())
    assert n_found <= 13  # two standard errors above


def test_every_sample_is_reported_once():
    values, finished = np.random.default_rng(0).beta(1, 3, size=(6, 20)), 0

    def tested(scores: FloatArray, **options: Any) -> PairTests:
        return PairTests(tuple("abcdef"), scores, CompareRequest(samples=700, **options))

    def count(number: int, _: object) -> None:
        nonlocal finished
        finished += number

    def n_finished() -> int:
        nonlocal finished
        before, finished = finished, 0
        return before

    with watched("tested", count):
        for jobs in (1, 2):
            tests = tested(values, test=EVERY, jobs=jobs)
            assert list(tests.tested) == list(EVERY)
            assert n_finished() == 700 * sum(bool(TESTS[test].stream) for test in EVERY)
        tests = tested(values, test=("t",))
        assert (list(tests.tested), n_finished()) == (["t"], 0)
        assert tests.primary.method == "step-down"  # it is made whatever is asked for, and once
        assert (tests.differs.any(), n_finished()) == (False, 700)
        tests = tested(values[:, :4], test=("randomisation",))  # 2^4 signs are taken instead
        assert (list(tests.tested), n_finished()) == (["randomisation"], 700)
        swaps = swap_rates(values, n_splits=1200)
        assert (n_finished(), swaps.n.sum()) == (1200, 1200 * 15)


def test_swaps_of_few_queries_are_counted_once_for_equal_splits():
    values = np.random.default_rng(0).random((60, 4)).round(2)
    tracemalloc.start()
    swaps = swap_rates(values, n_splits=500)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 8 * 500 * 59  # the differences of one run on all splits, and their bins
    rng = generator(Stream.SWAPS, 0)
    n = np.zeros(N_BINS, dtype=int)
    for order in rng.permuted(np.broadcast_to(np.arange(4), (500, 4)), axis=1):
        half = values[:, order[:2]].mean(axis=1)
        first, second = np.triu_indices(60, 1)
        np.add.at(n, np.minimum(np.abs(half[first] - half[second]) / 0.01 + 1e-9, N_BINS - 1).astype(int), 1)
    assert swaps.n.tolist() == n.tolist()


def test_after_an_error_no_further_block_is_started():
    started = []

    def work(rng: np.random.Generator, size: int) -> int:
        started.append(size)
        raise MemoryError

    with pytest.raises(MemoryError):
        list(Draws(100_000, np.random.default_rng, jobs=2).blocks(work))
    assert len(started) <= 2


def test_after_the_caller_ends_no_further_block_is_started():
    started, n_blocks = [], 400

    def work(rng: np.random.Generator, size: int) -> None:
        started.append(size)
        time.sleep(0.01)

    made = Draws(250 * n_blocks, np.random.default_rng, jobs=2).blocks(work)
    next(made)
    made.close()
    assert len(started) < n_blocks


# ---- swaps, power, edges


def test_swaps_by_hand():
    # .5 .5 .1 .1 against .3 .3 .3 .3: both halves are equal, or one is won and the other lost by .2
    found = swap_rates(np.array([[0.5, 0.5, 0.1, 0.1], [0.3, 0.3, 0.3, 0.3]]), n_splits=400)
    assert (found.n[0] + found.n[20], found.n.sum(), found.swaps[0]) == (400, 400, 0)
    assert found.swaps[20] == found.n[20]
    assert found.n[20] / 400 == pytest.approx(1 / 3, abs=0.08)  # two of six splits
    assert np.isnan([found.needed, found.share]).all()


def test_swaps_of_large_differences_are_counted():
    values = np.array([[0.5, 0.5, 0.1, 0.1], [0.3, 0.3, 0.3, 0.3]])
    small, large = (swap_rates(factor * values, n_splits=50) for factor in (1, 1e18))
    assert (small.n[20], small.swaps[20]) == (large.n[20], large.swaps[20])


def test_queries_needed_and_detectable_differences_are_inverse():
    values = np.random.default_rng(0).beta(1, 3, size=(4, 40))
    request = CompareRequest(test=("t",), power=0.9)
    size = sample_size(PairTests(tuple("abcd"), values, request))
    again = sample_size(PairTests(tuple("abcd"), values, replace(request, detect=size.detectable)))
    assert again.queries == pytest.approx(40)


def test_equal_runs_and_constant_differences():
    values = np.array([[0.1, 0.5, 0.3], [0.1, 0.5, 0.3], [0.2, 0.6, 0.4]])
    found = PairTests(("a", "b", "c"), values, FEW)
    same, apart, _ = range(3)  # a and b, c and a, c and b
    assert list(zip(found.run, found.versus, strict=True)) == [(0, 1), (2, 0), (2, 1)]
    assert all(p[same] == 1 for test, p in found.p.items() if test != "stepdown")  # for which 3 queries are too few
    assert (found.t[same], found.es[same], found.es_e2[same]) == (0, 0, 0)
    assert (found.p["t"][apart], found.t[apart]) == (0, np.inf)
    assert np.isnan(found.es[apart])
    assert found.low[apart] == pytest.approx(found.high[apart])
    assert found.p["bootstrap"][apart] == pytest.approx(1 / 201)


def test_what_cannot_be_compared_is_an_error():
    one = matrix_of([[0.1, 0.2]])
    with pytest.raises(DataError, match="at least 2 runs"):
        PairTests(one.runs, one.values, FEW)
    with pytest.raises(DataError, match="at least 2 queries, found 1"):
        PairTests(("a", "b"), np.array([[0.1], [0.2]]), FEW)
    with pytest.raises(UsageError, match="of: total_gap needs"):
        values_to_compare(one, mean_target(0.5), "total_gap")
    assert np.isnan(friedman(np.full((3, 4), 0.5)).chi2)
    assert np.isnan(anova(np.full((3, 4), 0.5)).f_runs)


# ---- the records of the tests


def test_every_test_of_significance_has_one_record():
    assert list(TESTS) == list(get_args(Test))
    assert [*CORRECTIONS, "none"] == list(get_args(Correction))
    assert set(USUAL) < set(TESTS)
    assert [name for name, test in TESTS.items() if test.family != "pair"] == ["tukey", PRIMARY]
    streams = [test.stream for test in TESTS.values() if test.stream]
    assert len(set(streams)) == len(streams)
    assert set(streams) < set(Stream.__members__)


# ---- ranges of ranks: of all runs together, or of one run from the pairs with it


def ranked(values: np.ndarray, request: CompareRequest, baseline: int | None = None) -> PairTests:
    return PairTests(tuple(map(str, range(len(values)))), values, request, baseline)


@examples(20)
@given(TRACKS, st.sampled_from(["stepdown", "t", "randomisation", "tukey"]), st.sampled_from(["mean", "total"]))
def test_the_rank_by_mean_is_in_its_range(values, test, of):
    """Mogstad, Romano, Shaikh and Wilhelm, 2024: a run significantly better has the better mean."""
    request = CompareRequest(test=(test,), samples=100, of=of, level=0.8)
    sign = 1 if request.lower_is_better else -1
    positions = ranks(sign * values.mean(axis=1))
    low, high = RunRanks(ranked(values, request)).ends
    assert all(least <= position <= most for least, position, most in zip(low, positions, high, strict=True))
    assert sum(least == 1 for least in low) >= 1


@examples(20)
@given(TRACKS, st.integers(0, 1))
def test_the_rank_of_one_run_comes_from_the_pairs_with_it(values, baseline):
    tests = ranked(values, CompareRequest(samples=100, level=0.8), baseline)
    n_better, n_worse = (np.count_nonzero(tests.differs & (side * tests.delta > 0)) for side in (1, -1))
    low, high = RunRanks(tests).ends
    assert (low[baseline], high[baseline]) == (1 + n_better, len(values) - n_worse)
    others = set(range(len(values))) - {baseline}
    assert len(values) == 2 or {low[run] for run in others} == {high[run] for run in others} == {None}


def test_one_pair_needs_no_correction():
    values = np.random.default_rng(0).normal(size=(2, 30)) + np.array([[0.0], [2.0]])
    for correction in ("none", "bh", "holm"):
        tests = ranked(values, CompareRequest(test=("t",), correction=correction))
        assert RunRanks(tests).ends == ([2, 1], [2, 1])


@given(score_arrays((2, 5), (6, 12), UNIT, COARSE), st.sampled_from(["t", "bootstrap", "tukey", "stepdown"]))
@examples(15)
def test_what_a_simultaneous_interval_leaves_out_differs(values: FloatArray, test: Test):
    """The reverse holds for a test in one step, and by a step-down test for the pairs of its first step."""
    names = tuple(map(str, range(len(values))))
    for correction, baseline in (("holm", None), ("bonferroni", 0)):
        if test == "tukey" and baseline is not None:
            continue
        request = CompareRequest(test=(test,), correction=correction, samples=400)
        tests = PairTests(names, values, request, baseline)
        zero = 1e-9 * np.abs(values).max(initial=0)
        left_out = (tests.family_low > zero) | (tests.family_high < -zero)
        if test != "bootstrap":  # whose interval is Student's
            assert not (left_out & ~tests.differs).any()
        if test == "t" and correction == "bonferroni":
            sure = np.minimum(np.abs(tests.family_low), np.abs(tests.family_high)) > zero
            assert (left_out == tests.differs)[sure].all()


def test_simultaneous_intervals_of_single_tests_are_bonferroni_s():
    values = np.random.default_rng(3).random((4, 12))
    for correction, m in (("holm", 6), ("bonferroni", 6), ("bh", None), ("none", None)):
        tests = PairTests(tuple("abcd"), values, CompareRequest(test=("t",), correction=correction))
        for pair, (run, versus) in enumerate(zip(tests.run, tests.versus, strict=True)):
            if m is None:
                assert np.isnan([tests.family_low[pair], tests.family_high[pair]]).all()
            else:
                result = stats.ttest_rel(values[run], values[versus]).confidence_interval(1 - 0.05 / m)
                assert (tests.family_low[pair], tests.family_high[pair]) == pytest.approx((result.low, result.high))
