"""Every run against one of them: tests of bias and of both totals, ratios of variances, Holm's adjustment."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import conftest
import numpy as np
import pytest
from conftest import COARSE, UNIT, aimed, book, matrix_of, real_matrix, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.decomposition.baseline import compare
from biasvar_cli.decomposition.decompose import VirtualTarget, best_of_runs, decompose, mean_target
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.stats.significance import holm

QUANTITIES = ("bias", "total", "total_gap", "var", "var_gap")
MATRICES = score_arrays((2, 6), (2, 12), UNIT, COARSE)
WIDE = score_arrays((2, 5), (6, 14), UNIT)
close = partial(conftest.close, relative=1e-9, nan=True)


# ---- worked numbers


def test_paired_t_of_the_book():
    # the program elinor prints t 2.1158 and p .0478 for X and Y
    found = compare(book(), best_of_runs(book()), "r1").bias
    assert found.value[0] == pytest.approx(0.065 - 0.140, abs=1e-12)
    assert (-found.t[0], found.p[0]) == (pytest.approx(2.115760, abs=5.1e-7), pytest.approx(0.047797, abs=5.1e-7))
    assert found.reason == (None, "baseline", None)


def test_total_of_the_book_is_not_tested_as_if_the_target_s_mean_were_known():
    # The plain losses, with the target's mean held fixed, have t .2378 and p .8146. That is the wrong test: the mean of
    # the target is that of the same queries. Ours is the test of the corrected differences d_q.
    x, y, _ = values = book().values
    target = values.max(axis=0)
    mean = target.mean()
    plain = stats.ttest_rel((x - mean) ** 2, (y - mean) ** 2)
    assert (plain.statistic, plain.pvalue) == (pytest.approx(0.2378, abs=5.1e-5), pytest.approx(0.8146, abs=5.1e-5))
    found = compare(book(), best_of_runs(book()), "r1").total
    assert found.value[0] == pytest.approx(0.050700 - 0.047700, abs=1e-12)
    assert (found.t[0], found.p[0]) == pytest.approx((0.2563, 0.8005), abs=5.1e-5)  # scipy's, of the corrected ones
    with_known_mean = compare(book(), mean_target(mean), "r1").total
    assert with_known_mean.t[0] == pytest.approx(plain.statistic, rel=1e-12)


def test_ratio_of_variances_of_the_book():
    # ln(.046475 / .0281) is .5031, the mean of the pseudo-values .4972, and their t interval [-.120, 1.114].
    found = compare(book(), best_of_runs(book()), "r1").var
    assert np.log(found.value[0]) == pytest.approx(np.log(0.046475 / 0.0281), abs=1e-12)
    ends = np.log([found.low[0], found.high[0]])
    assert ends == pytest.approx([-0.120, 1.114], abs=5.1e-4)
    assert ends.mean() == pytest.approx(0.4972, abs=5.1e-5)
    assert ends == pytest.approx(by_hand(book().values[0], book().values[1])[:2], abs=1e-12)


def by_hand(f: np.ndarray, g: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """The ends of the interval of ln(Var_f / Var_g) and its p, by the definition of the jackknife."""
    n = len(f)
    whole = np.log(f.var() / g.var())
    pseudo = [n * whole - (n - 1) * np.log(np.delete(f, q).var() / np.delete(g, q).var()) for q in range(n)]
    error = np.std(pseudo, ddof=1) / np.sqrt(n)
    low, high = stats.t.interval(level, n - 1, np.mean(pseudo), error)
    return low, high, stats.ttest_1samp(pseudo, 0).pvalue


@given(st.lists(st.integers(0, 100).map(lambda value: value / 100), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni_s_test(p):
    # a hypothesis is rejected if every intersection that holds it is, by the least p times their number
    every = [each for size in range(1, len(p) + 1) for each in combinations(range(len(p)), size)]
    expected = [max(min(1, len(s) * min(p[i] for i in s)) for s in every if j in s) for j in range(len(p))]
    assert holm(np.array(p)) == pytest.approx(expected, abs=1e-12)
    assert holm(np.array([])).tolist() == []


# ---- against scipy and against definitions


@given(MATRICES)
def test_bias_is_scipy_s_paired_t_test(values):
    found = compare(matrix_of(values), best_of_runs(matrix_of(values)), "r0").bias
    for run, row in enumerate(values[1:], start=1):
        if np.ptp(row - values[0]) > 1e-9:
            expected = stats.ttest_rel(values[0], row)
            assert found.t[run] == pytest.approx(expected.statistic, rel=1e-12, abs=1e-12)
            assert found.p[run] == pytest.approx(expected.pvalue, rel=1e-12, abs=1e-12)
            interval = expected.confidence_interval(0.95)
            assert (found.low[run], found.high[run]) == pytest.approx((interval.low, interval.high), abs=1e-11)


@given(MATRICES)
def test_totals_are_tests_of_losses_with_the_right_means(values):
    matrix, target = aimed(values)
    result, found = decompose(matrix, target), compare(matrix, target, "r0")
    assert np.allclose(found.bias.value, result.bias - result.bias[0], atol=1e-12)
    assert np.allclose(found.total.value, result.total - result.total[0], atol=1e-12)
    assert np.allclose(found.total_gap.value, result.total_gap - result.total_gap[0], atol=1e-12)
    for run, row in enumerate(values[1:], start=1):
        loss = (row - target.mean) ** 2 - (values[0] - target.mean) ** 2
        corrected = loss - 2 * (row.mean() - values[0].mean()) * (target.scores - target.mean)
        gap = (target.scores - row) ** 2 - (target.scores - values[0]) ** 2
        for d, compared in ((corrected, found.total), (gap, found.total_gap)):
            if np.ptp(d) > 1e-9:
                expected = stats.ttest_1samp(d, 0)
                assert compared.t[run] == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
                assert compared.p[run] == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-9)


@given(WIDE)
def test_ratios_of_variances_are_the_jackknife_s(values):
    matrix = matrix_of(values)
    found = compare(matrix, best_of_runs(matrix), "r0", level=0.9)
    gaps = values.max(axis=0) - values
    for rows, compared in ((values, found.var), (gaps, found.var_gap)):
        for run, reason in enumerate(compared.reason):
            if reason is None and np.std(rows[run]) > 1e-3 < np.std(rows[0]):
                assert compared.value[run] == pytest.approx(rows[run].var() / rows[0].var(), rel=1e-9)
                if np.isfinite(compared.t[run]):
                    low, high, p = by_hand(rows[run], rows[0], 0.9)
                    assert np.log([compared.low[run], compared.high[run]]) == pytest.approx([low, high], abs=1e-6)
                    assert compared.p[run] == pytest.approx(p, abs=1e-6)


def test_error_of_the_total_is_the_bootstrap_s(shared):
    # The standard error is .97 to 1.02 of the bootstrap's, which is drawn here; with the target's mean as known it is
    # .58 to 1.04 of it.
    matrix = real_matrix(shared, "trec5-adhoc-ap")
    values = matrix.values
    n, at = matrix.n_queries, int(decompose(matrix, best_of_runs(matrix)).total.argmin())
    weight = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=4000) / n
    mean, square, goal = weight @ values.T, weight @ (values**2).T, (weight @ values.max(axis=0))[:, None]
    total = square - 2 * goal * mean + goal**2
    bootstrap = (total - total[:, [at]]).std(axis=0)
    found = compare(matrix, best_of_runs(matrix), f"r{at}").total
    others = np.arange(len(values)) != at
    reach = stats.t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1))  # the bootstrap's has the divisor n
    ratio = (found.high - found.low)[others] / 2 / reach / bootstrap[others]
    assert 0.94 < ratio.min() < np.median(ratio) < ratio.max() < 1.06
    plain = compare(matrix, mean_target(values.max(axis=0).mean()), f"r{at}").total
    assert ((plain.high - plain.low)[others] / 2 / reach / bootstrap[others]).min() < 0.9


# ---- identities and invariances


@given(WIDE)
def test_a_run_that_is_there_twice_equals_itself_and_leaves_the_other_rows(values):
    matrix, more = matrix_of(values), matrix_of(np.vstack([values, values[:1]]))
    first, second = compare(matrix, best_of_runs(matrix), "r0"), compare(more, best_of_runs(more), "r0")
    for name in QUANTITIES:
        one, other = getattr(first, name), getattr(second, name)
        assert close(one.value, other.value[:-1])
        assert close(one.p, other.p[:-1])
        equal = 1 if "var" in name else 0
        if other.reason[-1] is None:
            assert (other.value[-1], other.low[-1], other.high[-1]) == (equal, equal, equal)
            assert (other.t[-1], other.p[-1], other.p_holm[-1]) == (0, 1, 1)


@given(MATRICES)
def test_holm_s_p_is_over_the_runs_that_are_tested(values):
    found = compare(matrix_of(values), best_of_runs(matrix_of(values)), "r0")
    for name in QUANTITIES:
        compared = getattr(found, name)
        assert np.array_equal(compared.p_holm, holm(compared.p), equal_nan=True)
        assert np.array_equal(np.isnan(compared.p), [reason is not None for reason in compared.reason])
        assert np.isnan(compared.p[0])


# ---- what is degenerate


@given(score_arrays((2, 6), (3, 12), UNIT, COARSE))
def test_a_baseline_chosen_by_its_scores_is_adjusted_for_all_pairs(values):
    scores, target = aimed(values)
    chosen = scores.runs[int(values.mean(axis=1).argmax())]
    one, alone = (compare(scores, target, chosen, all_pairs=both) for both in (True, False))
    pairs = list(combinations(scores.runs, 2))
    against = {run: compare(scores, target, run) for run in scores.runs}
    for name in ("bias", "total", "total_gap", "var", "var_gap"):
        p = {pair: getattr(against[pair[1]], name).p[scores.runs.index(pair[0])] for pair in pairs}
        tested = [pair for pair in pairs if not np.isnan(p[pair])]
        adjusted = dict(zip(tested, holm(np.array([p[pair] for pair in tested])), strict=True))
        for index, run in enumerate(scores.runs):
            pair = tuple(sorted((run, chosen), key=scores.runs.index))
            expected = adjusted.get(pair, np.nan)
            assert getattr(one, name).p_holm[index] == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
        for field in ("value", "low", "high", "t", "p"):
            assert np.array_equal(*(getattr(getattr(each, name), field) for each in (one, alone)), equal_nan=True)


def test_one_query_has_no_test():
    matrix = matrix_of([[0.3], [0.5]])
    found = compare(matrix, best_of_runs(matrix), "r0")
    assert found.bias.value.tolist() == pytest.approx([0, -0.2])
    for name in QUANTITIES:
        compared = getattr(found, name)
        assert compared.reason == ("baseline", "one-query")
        assert np.isnan([compared.low, compared.high, compared.t, compared.p, compared.p_holm]).all()
    assert np.isnan(found.var.value).all()


def test_two_queries_have_one_degree_of_freedom_and_no_test_of_variances():
    matrix = matrix_of([[0.3, 0.1], [0.6, 0.08]])
    found = compare(matrix, best_of_runs(matrix), "r0")
    # differences of bias -.3 and .02: mean -.14, s .32 / sqrt 2, t = -.14 / .16, p = 1 - 2 atan(.875) / pi
    assert found.bias.t[1] == pytest.approx(-0.875)
    assert found.bias.p[1] == pytest.approx(1 - 2 * np.arctan(0.875) / np.pi)
    assert found.var.value[1] == pytest.approx(6.76)
    assert found.var.reason == ("baseline", "one-query-has-all-variance")


def test_a_target_that_is_a_mean_alone_has_no_gap_form():
    found = compare(matrix_of([[0.3, 0.1, 0.2], [0.6, 0.08, 0.4]]), mean_target(0.45), "r1")
    assert found.total.reason == (None, "baseline")
    for compared in (found.total_gap, found.var_gap):
        assert compared.reason == ("mean-only", "baseline")
        assert np.isnan([compared.value, compared.low, compared.p]).all()


def test_runs_without_variance_have_no_ratio():
    matrix = matrix_of([[0.3, 0.1, 0.2, 0.7], [0.1, 0.1, 0.1, 0.1], [0.0, 0.0, 0.0, 0.4], [0.3, 0.1, 0.2, 0.7]])
    found = compare(matrix, best_of_runs(matrix), "r0")
    assert found.var.reason == ("baseline", "no-variance", "one-query-has-all-variance", None)
    assert np.isnan(found.var.value).tolist() == [False, True, False, False]
    assert set(found.var_gap.reason) == {"baseline", "no-variance"}  # r0 is the best everywhere: its gap is 0
    assert compare(matrix, best_of_runs(matrix), "r1").var.reason[1] == "baseline"


def test_gaps_that_are_constant_up_to_rounding_have_no_variance():
    target = VirtualTarget(TargetSpec("file", "file:f", name="f"), 0.5, np.array([0.3, 0.5, 0.7]), 0)
    found = compare(matrix_of([[0.1, 0.2, 0.9], [0.2, 0.4, 0.6]]), target, "r0")
    assert found.var_gap.reason == ("baseline", "no-variance")


def test_the_same_difference_on_every_query_is_beyond_doubt_and_no_difference_is_none():
    values = np.array([0.3, 0.1, 0.2, 0.7])
    matrix = matrix_of([values, values + 0.1, values])
    found = compare(matrix, best_of_runs(matrix), "r0")
    assert (found.bias.t[1], found.bias.p[1]) == (-np.inf, 0)
    assert (found.var.value[1], found.var.low[1], found.var.high[1], found.var.p[1]) == (1, 1, 1, 1)
    assert (found.bias.t[2], found.bias.p[2], found.total.p[2], found.total_gap.p[2]) == (0, 1, 1, 1)


def test_losses_that_cancel_up_to_rounding_are_no_difference():
    # both runs are .1 away from the target everywhere
    target = VirtualTarget(TargetSpec("file", "file:f", name="f"), 0.3, np.full(3, 0.3), 0)
    found = compare(matrix_of([[0.2, 0.2, 0.2], [0.4, 0.4, 0.4]]), target, "r0")
    assert (found.total.p[1], found.total_gap.p[1]) == (1, 1)


def test_the_same_scores_in_another_order_are_no_difference():
    values = np.random.default_rng(0).random(50)
    runs = [np.random.default_rng(seed).permutation(values) for seed in range(1, 20)]
    found = compare(matrix_of([values, *runs]), mean_target(0.6), "r0")
    assert (found.bias.value == 0).all()
    assert (found.total.value == 0).all()
    assert (found.bias.p[1:] == 1).all()


def test_scores_of_any_size_are_compared_without_a_warning():
    values = np.array([[0.3, 0.1, 0.2, 0.7], [0.4, 0.1, 0.5, 0.2]])
    expected = compare(matrix_of(values), best_of_runs(matrix_of(values)), "r0")
    for size in (1e99, 1e-70):
        found = compare(matrix_of(values * size), best_of_runs(matrix_of(values * size)), "r0")
        assert all(close(getattr(found, name).p, getattr(expected, name).p) for name in QUANTITIES)
