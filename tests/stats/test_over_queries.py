"""Intervals of correlations over queries: the worked figures of real tracks, co-moments by enumeration, odd targets."""

from __future__ import annotations

import itertools
from itertools import chain

import numpy as np
import pytest
from conftest import TENTHS, matrix_of, perfect_of, real_matrix, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from scipy import stats

from biasvar_cli.decomposition.decompose import Deviations, best_of_runs, mean_target, run_target
from biasvar_cli.decomposition.intervals import r_intervals
from biasvar_cli.decomposition.over_queries import by_co_moments, by_linear_terms, over_queries, random_subsets
from biasvar_cli.errors import DataWarning, keep_warnings
from biasvar_cli.stats.attenuated import LATENT, Attenuated, Kernel, inverted, unbiased_covariance, without_noise
from biasvar_cli.words import COEFFICIENTS, FORMS

pytestmark = pytest.mark.filterwarnings("ignore:with .* the intervals of correlations are too narrow")
SCORES = np.random.default_rng(5).beta(0.8, 1.6, size=(32, 20)) ** np.linspace(0.5, 1.8, 32)[:, None]


def quadruples(one, other):
    """The mean over ordered quadruples of distinct queries of the covariance over runs of h1(i, j) and h2(k, l)."""
    found = []
    for i, j, k, l in itertools.permutations(range(one.shape[1]), 4):  # noqa: E741
        h1, h2 = one[:, i, j], other[:, k, l]
        found.append(np.mean((h1 - h1.mean()) * (h2 - h2.mean())))
    return np.mean(found)


def kernels(values, gaps):
    products = gaps[:, :, None] * gaps[:, None, :]
    return products, (values[:, :, None] - values[:, None, :]) ** 2 / 2


@examples(10)
@given(score_arrays((2, 5), (5, 6), TENTHS), st.sampled_from([0.0, 1.0, 100.0]))
def test_co_moments_are_those_of_all_quadruples_written_out(values, target):
    gaps = target - values
    by_hand = kernels(values, gaps)
    for one, other in ((0, 0), (1, 1), (0, 1)):
        ours = Kernel.squared_mean(gaps), Kernel.variance(values)
        whole, without = unbiased_covariance(ours[one], ours[other])
        scale = max(1.0, target) ** (4 - one - other)
        assert whole == pytest.approx(quadruples(by_hand[one], by_hand[other]), abs=1e-12 * scale)
        for query, found in enumerate(without):
            left = [np.delete(np.delete(each, query, 1), query, 2) for each in by_hand]
            assert found == pytest.approx(quadruples(left[one], left[other]), abs=1e-12 * scale)


def test_co_moments_of_few_runs_and_many_queries_are_those_of_matrices():
    """Fewer runs than queries are summed in another order than more runs; the closed form on matrices h(i, j)."""
    for shape in ((3, 40), (40, 6)):
        values = np.random.default_rng(1).random(shape)
        n = shape[1]
        ours = unbiased_covariance(Kernel.squared_mean(1 - values), Kernel.variance(values))[0]
        h1, h2 = ((h - h.mean(axis=0)) * (1 - np.eye(n)) for h in kernels(values, 1 - values))
        ends = (h1.sum(axis=2) * h2.sum(axis=2)).sum(axis=1)
        of_runs = h1.sum(axis=(1, 2)) * h2.sum(axis=(1, 2)) - 4 * ends + 2 * (h1 * h2).sum(axis=(1, 2))
        assert ours == pytest.approx(of_runs.mean() / (n * (n - 1) * (n - 2) * (n - 3)), abs=1e-13)


def test_a_large_part_that_all_runs_share_costs_no_digits():
    gaps = np.random.default_rng(2).random((6, 7)) + 1e6
    kernel, h = Kernel.squared_mean(gaps), gaps[:, :, None] * gaps[:, None, :]
    h -= h.mean(axis=0)  # near 1e6, of 1e12
    assert unbiased_covariance(kernel, kernel)[0] == pytest.approx(quadruples(h, h), rel=1e-5)


# TREC-5 and TREC-3 ad hoc, AP, target best, t = 2.009575, worked by another program.
WORKED = {
    ("trec5-adhoc-ap", "score"): (-0.879227, -0.069206, 0.858093, -1, -0.788601),
    ("trec5-adhoc-ap", "gap"): (0.731351, 0.068796, 0.835558, 0.528175, 0.961378),
    ("trec3-adhoc-ap", "score"): (-0.864039, None, None, -0.964589, -0.828434),
    ("trec3-adhoc-ap", "gap"): (0.871316, None, None, 0.809032, 1),
}
UNBIASED = {  # 10^6 U in the order xx, yy, xy
    "score": (1257.364194, 190.327129, -466.380278),
    "gap": (1257.364194, 74.209537, 250.569486),
}
RANKS_WITHOUT_ONE = {  # TREC-5, with the jackknife in place of random subsets
    ("spearman", "score"): (-0.978777, -0.472314),
    ("spearman", "gap"): (0.465538, 0.954015),
    ("kendall", "score"): (-0.893181, -0.377933),
    ("kendall", "gap"): (0.374649, 0.799783),
}


@pytest.mark.parametrize(("name", "form"), WORKED)
def test_the_worked_intervals_of_r(shared, name, form):
    r, shift, scale, low, high = WORKED[name, form]
    runs = real_matrix(shared, name)
    target = best_of_runs(runs)
    found = over_queries(runs, target, ["pearson"])["pearson"][form]
    assert (found.estimate, found.low, found.high) == pytest.approx((r, low, high), abs=1e-6)
    assert (found.rule, found.n_undefined, found.reason) == ("test-inversion", 0, None)
    seen = by_co_moments(Deviations.of(runs, target), form)
    if shift is not None:
        assert [each[0] for each in seen] == pytest.approx([r, shift, scale], abs=1e-6)
        assert found.corrected == pytest.approx((r - shift) / scale, abs=3e-6)
    assert getattr(r_intervals(runs, target, seed=9, n_resamples=40), form) == found  # nothing is drawn


@pytest.mark.parametrize("form", FORMS)
def test_the_worked_co_moments(shared, form):
    runs = real_matrix(shared, "trec5-adhoc-ap")
    gaps = runs.values.max(axis=0) - runs.values
    x, y = Kernel.squared_mean(gaps), Kernel.variance(runs.values if form == "score" else gaps)
    found = [1e6 * unbiased_covariance(*each)[0] for each in ((x, x), (y, y), (x, y))]
    assert found == pytest.approx(UNBIASED[form], abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_the_worked_intervals_of_ranks(shared, form):
    runs = real_matrix(shared, "trec5-adhoc-ap")
    data = Deviations.of(runs, best_of_runs(runs))
    without_one = [np.array([np.delete(np.arange(50), query) for query in range(50)])]
    for name, seen in by_linear_terms(data, form, ["spearman", "kendall"], without_one).items():
        whole, parts = (Attenuated(*(each[some] for each in seen)) for some in (0, slice(1, None)))
        found = inverted(whole, parts, LATENT[name], quantile=stats.t.ppf(0.975, 49), inflation=49)
        assert found == pytest.approx(RANKS_WITHOUT_ONE[name, form], abs=1e-6)


def test_intervals_of_ranks_are_near_the_jackknife_s_and_drawn_by_the_seed(shared):
    """Random subsets without a fifth of the queries: ends differ by their standard error, but not by much."""
    runs = real_matrix(shared, "trec5-adhoc-ap")
    first, again, other = (over_queries(runs, best_of_runs(runs), seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first["pearson"] == other["pearson"]
    for (name, form), worked in RANKS_WITHOUT_ONE.items():
        one, two = first[name][form], other[name][form]
        assert one != two
        assert (one.low, one.high) == pytest.approx(worked, abs=0.12)
        assert one.low == pytest.approx(two.low, abs=0.03)


def test_random_subsets_leave_out_as_many_queries_each_and_every_query_as_often():
    kept = np.concatenate([*random_subsets(20, 4, 0, size=150)])
    assert (kept == next(random_subsets(20, 4, 0))).all()
    assert kept.shape == (500, 16)
    assert all(len(set(each)) == 16 for each in kept.tolist())
    assert np.bincount(kept.ravel()).min() > 360  # 400 expected, standard deviation 9


@given(
    st.floats(-0.99, 0.99),
    st.floats(-0.3, 0.3),
    st.floats(0.05, 1),
    st.floats(0.01, 0.8),
    st.sampled_from(COEFFICIENTS),
)
def test_ends_are_where_the_test_begins_to_reject(observed, shift, scale, spread, name):
    whole = Attenuated(*map(np.array, (observed, shift, scale)))
    latent = LATENT[name]
    z = np.arctanh(latent.of(np.array(observed)))
    parts = Attenuated(latent.back(np.tanh(z + np.array([-spread, spread]))), np.full(2, shift), np.full(2, scale))
    low, high = inverted(whole, parts, latent, quantile=2.0, inflation=1.0)
    assert -1 <= low <= high <= 1
    for rho in np.linspace(-1, 1, 41):  # s is the spread, whatever rho
        h = z - np.arctanh(np.clip(scale * latent.of(rho) + shift, -1 + 1e-12, 1 - 1e-12))
        if abs(h) < 2 * spread - 1e-6:
            assert low <= rho <= high
        elif abs(h) > 2 * spread + 1e-6:
            assert rho <= low or rho >= high
    if abs(corrected := without_noise(whole, latent)) < 1:
        assert low - 1e-9 <= corrected <= high + 1e-9


@pytest.mark.parametrize(("observed", "expected"), [(0.9, (0, 1)), (-0.9, (-1, 0)), (0.1, (-1, 1))])
def test_where_noise_is_all_there_is_only_the_sign_may_be_known(observed, expected):
    parts = Attenuated(np.tanh(np.arctanh(observed) + np.array([-0.3, 0.3])), np.zeros(2), np.zeros(2))
    whole = Attenuated(*map(np.array, (observed, 0.0, 0.0)))
    assert inverted(whole, parts, LATENT["pearson"], quantile=2, inflation=1) == expected
    assert np.isnan(without_noise(whole, LATENT["pearson"]))


def ends(found):
    of_forms = ((name, form, r) for name, forms in found.items() for form, r in forms.items())
    return {(name, form): (r.low, r.high, r.corrected) for name, form, r in of_forms}


@examples(15)
@given(
    score_arrays((1, 6), (1, 8), TENTHS),
    st.sampled_from(["best", "perfect", "mean", "run"]),
    st.sampled_from([0.5, 0.9]),
)
def test_every_correlation_has_its_ends_in_order_or_a_reason(values, kind, level):
    runs = matrix_of(values)
    with keep_warnings():
        targets = {"best": best_of_runs(runs), "perfect": perfect_of(runs.n_queries), "mean": mean_target(0.6)}
        target = targets.get(kind) or run_target(runs, "r0")
        some, more = (over_queries(runs, target, level=each) for each in (level, 0.97))
    for name, form in itertools.product(COEFFICIENTS, FORMS):
        each, wider = some[name][form], more[name][form]
        if each.reason is not None:
            assert np.isnan([each.low, each.high, each.corrected]).all()
            assert each.reason == wider.reason
        else:
            assert -1 <= each.low <= each.high <= 1
            assert wider.low - 1e-12 <= each.low <= each.high <= wider.high + 1e-12
            assert (runs.n_queries >= 5, runs.n_runs >= 3) == (True, True)
            assert np.isnan(each.corrected) or each.low - 1e-9 <= each.corrected <= each.high + 1e-9


def test_fewer_than_five_queries_or_three_runs_have_none():
    def reasons(values):
        found = over_queries(matrix_of(values), perfect_of(values.shape[1]))
        return {of_form.reason for forms in found.values() for of_form in forms.values()}

    assert reasons(SCORES[:, :4]) == {"few-queries"}
    assert reasons(SCORES[:2]) == reasons(np.repeat(SCORES[:1], 4, axis=0)) == {"undefined"}
    assert reasons(SCORES[:, :5]) == reasons(SCORES[:3]) == {None}


def test_a_target_that_is_a_mean_has_no_gap_form_and_is_a_constant_in_the_score_form():
    runs = matrix_of(SCORES)
    found, one = over_queries(runs, mean_target(1.0)), over_queries(runs, perfect_of(20))
    for name in COEFFICIENTS:
        gap = found[name]["gap"]
        assert gap.reason == "mean-only"
        assert np.isnan([gap.estimate, gap.low, gap.high, gap.corrected]).all()
        assert ends(found)[name, "score"] == pytest.approx(ends(one)[name, "score"], abs=1e-9)
        assert ends(one)[name, "score"] == pytest.approx(ends(one)[name, "gap"], abs=1e-9)  # 1 - S varies as S does


def test_scale_and_order_of_runs_and_queries_change_nothing():
    runs = matrix_of(SCORES)
    plain = ends(over_queries(runs, best_of_runs(runs), ["pearson"]))
    rng = np.random.default_rng(0)
    for values in (SCORES * 1e-60, SCORES + 5, SCORES[:, rng.permutation(20)], rng.permutation(SCORES)):
        other = matrix_of(values)
        found = ends(over_queries(other, best_of_runs(other), ["pearson"]))
        assert [*chain(*found.values())] == pytest.approx([*chain(*plain.values())], abs=1e-7)
    one, large = (ends(over_queries(of, best_of_runs(of))) for of in (runs, matrix_of(SCORES * 1e60)))
    assert [*chain(*large.values())] == pytest.approx([*chain(*one.values())], abs=1e-9)


def test_below_thirty_runs_there_is_a_warning():
    message = "with 29 runs the intervals of correlations are too narrow; 30 or more are needed"
    with pytest.warns(DataWarning, match=message):
        over_queries(matrix_of(SCORES[:29]), perfect_of(20), level=0.9)
    for values in (SCORES[:30], SCORES[:2], SCORES[:29, :4]):  # enough; none to warn of
        with keep_warnings() as kept:
            over_queries(matrix_of(values), perfect_of(values.shape[1]))
        assert kept.warnings == []


def test_the_interval_holds_the_truth_where_noise_hides_it_and_leaves_out_the_data_s_own():
    """200 runs of Beta(20 m, 20 (1 - m)) scores, m from .2 to .3: on all queries bias^2 is (1 - m)^2, the variance
    m (1 - m) / 21, and their correlation near -1; on 60 queries both scatter by more than the runs differ.
    """
    mean = np.linspace(0.2, 0.3, 200)
    a, b = 20 * mean[:, None], 20 * (1 - mean[:, None])
    runs = matrix_of(np.random.default_rng(0).beta(a, b, size=(200, 60)))
    truth = np.corrcoef((1 - mean) ** 2, mean * (1 - mean) / 21)[0, 1]
    found = over_queries(runs, perfect_of(60))
    for name in COEFFICIENTS:
        score = found[name]["score"]
        assert score.low <= (truth if name == "pearson" else -1) <= score.high < score.estimate
        assert score.corrected < -0.9
