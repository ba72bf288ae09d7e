"""Risk against a baseline: worked numbers, real tracks beside other programs, identities."""

from __future__ import annotations

import tracemalloc
from functools import partial

import conftest
import numpy as np
import pytest
from conftest import COARSE, UNIT, RealData, matrix_of, score_arrays
from hypothesis import assume, given
from hypothesis import strategies as st
from mutations import examples
from scipy import stats

from biasvar_cli.analyses.risk import inference
from biasvar_cli.analyses.risk.inference import (
    RiskVerdicts,
    left_out_geo_risk,
    resampled_geo_risk,
    risk_intervals,
    risk_verdicts,
)
from biasvar_cli.analyses.risk.losses import Risk, deviations, geo_risk, losers, per_query, risk
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.decompose import best_of_runs, decompose
from biasvar_cli.errors import keep_warnings
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.significance import holm

BASE, OTHER, THIRD = [0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]
ALPHAS = (0.0, 1.0, 5.0, 10.0)
MATRICES = score_arrays((2, 6), (2, 10), UNIT, COARSE)
ALPHA = st.integers(0, 40).map(lambda value: value / 4)
close = partial(conftest.close, relative=1e-9, nan=True)


def three() -> ScoreMatrix:
    return matrix_of([BASE, OTHER, THIRD])


def real_track(shared: RealData, name: str) -> ScoreMatrix:
    """A real matrix with the names of its runs."""
    with keep_warnings():  # of runs with equal scores
        return load_track(TrackRequest(inputs=(str(shared / "score-matrices" / f"{name}.csv"),))).scored[0].scores


# ---- worked numbers


def test_one_run_against_another_by_hand():
    # d = .30, -.02, 0, -.10: one win, two losses, one tie; gains .3 / 4, losses .12 / 4
    found = risk(three(), np.array(BASE), ALPHAS)
    assert [int(each[1]) for each in (found.wins, found.ties, found.losses)] == [1, 1, 2]
    assert (found.ri[1], found.lt_init[1]) == (-0.25, 0.5)
    assert close([found.reward[1], found.risk[1], found.delta[1]], [0.075, 0.03, 0.045])
    # U = .075 - (1 + a) .03
    assert close([each.u_risk[1] for each in found.at], [0.045, 0.015, -0.105, -0.255])
    # delta_q at a = 1: .3, -.04, 0, -.2; sum of squares .1316, mean .015: s = sqrt((.1316 - 4 x .015^2) / 3) = .208726
    assert found.at[1].t_risk[1] == pytest.approx(0.015 * 2 / 0.208726, abs=2e-6)
    for each, a in zip(found.at, ALPHAS, strict=True):
        weighed = [0.3, -0.02 * (1 + a), 0, -0.1 * (1 + a)]
        expected = stats.ttest_1samp(weighed, 0)
        assert (each.t_risk[1], each.p[1]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)


def test_risk_against_all_runs_by_hand():
    # sums of runs 1.10, 1.28, 1.00 and of queries 1.35, .38, 1.10, .55, of all 3.38: for the second run
    # e = .511243, .143905, .416568, .208284 and z = .124134, -.168461, .129268, -.237266
    found = geo_risk(three(), three(), (0.0, 1.0, 5.0))
    assert found.z_risk[:, 1] == pytest.approx([0.253402 - (1 + a) * 0.405727 for a in (0, 1, 5)], abs=6e-6)
    for index in range(3):
        inner = stats.norm.cdf(found.z_risk[index] / 4)
        assert found.geo_risk[index] == pytest.approx(np.sqrt(np.array([0.275, 0.32, 0.25]) * inner), rel=1e-12)
    products = [np.prod(row) ** 0.25 for row in (BASE, OTHER, THIRD)]
    assert found.gmap == pytest.approx(products, rel=1e-12)
    # the first and the second run change places when losses weigh more
    assert (found.geo_risk[0, 1] > found.geo_risk[0, 0], found.geo_risk[2, 1] > found.geo_risk[2, 0]) == (True, False)


# ---- real tracks

# By another program written from the same formulas (numpy and scipy): mean, delta, ri, risk; U, T, U, T, Z, Geo, Geo at
# alpha 1, 1, 5, 5, 1, 1, 5; GMAP, wins, losses
REAL = {
    ("trec5-adhoc-ap", "run26"): (
        ".316530 .126796 .64 .005980 .120815 6.601884 .096894 3.504507 -.929556 .394864 .341699 .171634 41 9"
    ),
    ("trec5-adhoc-ap", "run60"): (
        ".189354 -.000380 -.04 .041455 -.041835 -1.477311 -.207656 -2.734292 -6.594640 .291106 .234575 .041831 24 26"
    ),
    ("web2011-err20", "sys43"): (
        ".166559 .052701 .24 .012936 .039765 2.154860 -.011980 -.352938 -4.394680 .278292 .235663 .029622 31 19"
    ),
    ("terabyte06-ap-named", "indri06AtdnD"): (
        ".406546 .129370 .852349 .002542 .126827 13.678758 .116657 10.115250 -6.323169 .443161 .392286 .324104 138 11"
    ),
}
SUMS = {  # over the runs at alpha 1: U, Z, Geo
    "trec5-adhoc-ap": (-2.892548, -302.419999, 17.658428),
    "web2011-err20": (-1.843545, -271.670503, 14.156928),
    "terabyte06-ap-named": (-2.830254, -599.595832, 21.646472),
}


def against_mean(matrix: ScoreMatrix) -> Risk:
    return risk(matrix, matrix.values.mean(axis=0), (1.0, 5.0))


@pytest.mark.parametrize(("name", "run"), REAL)
def test_runs_of_real_tracks_as_another_program_has_them(shared: RealData, name: str, run: str):
    matrix = real_track(shared, name)
    found, geo, at = against_mean(matrix), geo_risk(matrix, matrix, (1.0, 5.0)), matrix.runs.index(run)
    values = [found.mean, found.delta, found.ri, found.risk]
    values += [each for alpha in found.at for each in (alpha.u_risk, alpha.t_risk)]
    values += [geo.z_risk[0], *geo.geo_risk, geo.gmap, found.wins, found.losses]
    assert [float(each[at]) for each in values] == pytest.approx(list(map(float, REAL[name, run].split())), abs=5.1e-7)


@pytest.mark.parametrize("name", SUMS)
def test_sums_over_the_runs_of_real_tracks(shared: RealData, name: str):
    matrix = real_track(shared, name)
    found, geo = against_mean(matrix), geo_risk(matrix, matrix, (1.0,))
    sums = (found.at[0].u_risk.sum(), geo.z_risk.sum(), geo.geo_risk.sum())
    assert sums == pytest.approx(SUMS[name], abs=5.1e-7)


@pytest.mark.parametrize(
    ("name", "best"),
    [("trec5-adhoc-ap", "run26 run26 run26 run49"), ("web2011-err20", "sys43 sys43 sys54 sys32")],
)
def test_the_best_run_by_geo_risk_changes_with_alpha(shared: RealData, name: str, best: str):
    matrix = real_track(shared, name)
    found = geo_risk(matrix, matrix, ALPHAS)
    assert [matrix.runs[int(row.argmax())] for row in found.geo_risk] == best.split()


# ---- identities


@given(MATRICES, ALPHA)
def test_u_risk_is_linear_in_alpha(values: FloatArray, alpha: float):
    assume(alpha > 0)
    found = risk(matrix_of(values), values[0], (0.0, alpha))
    assert close(found.at[1].u_risk, found.reward - (1 + alpha) * found.risk)
    assert close(found.at[1].u_risk, found.at[0].u_risk - alpha * found.risk)
    assert close(found.delta, found.reward - found.risk)
    assert close(found.ri, (found.wins - found.losses) / values.shape[1])


@given(MATRICES)
def test_t_risk_at_0_is_the_paired_t_test(values: FloatArray):
    found = risk(matrix_of(values), values[0], (0.0,)).at[0]
    for run, row in enumerate(values):
        gains = row - values[0]
        if np.ptp(gains) > 1e-9:
            expected = stats.ttest_rel(row, values[0])
            assert found.t_risk[run] == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
            assert found.p[run] == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-12)


@given(MATRICES, ALPHA)
def test_against_the_best_scores_u_risk_is_bias_and_t_risk_depends_on_no_alpha(values: FloatArray, alpha: float):
    assume(alpha > 0)
    matrix = matrix_of(values)
    target = best_of_runs(matrix)
    assert target.scores is not None
    found, bias = risk(matrix, target.scores, (0.0, alpha)), decompose(matrix, target).bias
    assert close(found.at[1].u_risk, -(1 + alpha) * bias)
    assert close(found.at[0].t_risk, found.at[1].t_risk)
    assert (found.wins == 0).all()
    assert close(found.ri, -found.lt_init)


@given(MATRICES, ALPHA)
def test_the_mean_with_the_run_itself_is_a_factor_from_the_mean_of_the_others(values: FloatArray, alpha: float):
    matrix, n_runs = matrix_of(values), len(values)
    with_itself = risk(matrix, values.mean(axis=0), (alpha,))
    for run in range(n_runs):
        others = np.delete(values, run, axis=0).mean(axis=0)
        apart = risk(matrix.select([matrix.runs[run]]), others, (alpha,))
        for one, other in ((with_itself.at[0].u_risk, apart.at[0].u_risk), (with_itself.risk, apart.risk)):
            assert one[run] == pytest.approx((1 - 1 / n_runs) * other[0], abs=1e-11)
        assert (with_itself.wins[run], with_itself.losses[run]) == (apart.wins[0], apart.losses[0])


@given(MATRICES, ALPHA)
def test_more_weight_on_losses_is_never_better(values: FloatArray, alpha: float):
    matrix, alphas = matrix_of(values), (alpha, alpha + 1)
    less, more = risk(matrix, values.mean(axis=0), alphas).at
    geo = geo_risk(matrix, matrix, alphas)
    for decreasing in ((less.u_risk, more.u_risk), geo.z_risk, geo.geo_risk):
        assert (np.diff(decreasing, axis=0) <= 1e-12).all()
    assert (geo.geo_risk[0] ** 2 <= values.mean(axis=1) + 1e-12).all()


@given(MATRICES, st.randoms(use_true_random=False))
def test_the_order_of_queries_changes_nothing(values: FloatArray, random):  # type: ignore[no-untyped-def]
    def numbers(scores: FloatArray) -> list[FloatArray]:
        at = risk(matrix_of(scores), scores.mean(axis=0), (1.0,)).at[0]
        return [at.u_risk, at.t_risk, *geo_risk(matrix_of(scores), matrix_of(scores), (1.0,)).geo_risk]

    order = random.sample(range(values.shape[1]), values.shape[1])
    assert close(numbers(values), numbers(values[:, order]))


@given(MATRICES, ALPHA)
def test_single_queries_add_up_to_t_risk(values: FloatArray, alpha: float):
    whole = risk(matrix_of(values), values[0], (alpha,)).at[0].t_risk
    for run, row in enumerate(values):
        found = per_query(row, values[0], alpha)
        if not np.isnan(found).any():
            assert found.sum() / np.sqrt(len(found)) == pytest.approx(whole[run], rel=1e-9, abs=1e-9)


@given(MATRICES)
def test_losses_of_queries_and_of_runs_are_the_same_ones(values: FloatArray):
    matrix, baseline = matrix_of(values), values.mean(axis=0)
    of_runs, of_queries = risk(matrix, baseline, (0.0,)), losers(matrix, baseline)
    for name in ("wins", "ties", "losses"):
        assert getattr(of_runs, name).sum() == getattr(of_queries, name).sum()
    for query, run in enumerate(of_queries.run):
        loss = baseline[query] - values[:, query].min()
        if run is None:
            assert loss <= 1e-12
        else:
            assert of_queries.largest_loss[query] == pytest.approx(loss)
            assert values[matrix.runs.index(run), query] == values[:, query].min()


@given(MATRICES)
def test_at_the_break_even_alpha_u_risk_is_0(values: FloatArray):
    matrix = matrix_of(values)
    found = risk(matrix, values[0], (0.0,))
    for run, alpha in enumerate(found.break_even.tolist()):
        if np.isnan(alpha):
            assert found.losses[run] == 0 or found.delta[run] <= 1e-12
        elif alpha <= 1e6:
            assert risk(matrix, values[0], (alpha,)).at[0].u_risk[run] == pytest.approx(0, abs=1e-9)


# ---- edges


def test_break_even_is_how_much_weight_of_losses_the_gains_bear():
    # d = .3, -.02, 0, -.1: .045 / .03; with gains alone, with losses alone, and with both in balance there is none:
    # .1 + .2 - .3 is 5.6e-17 in floating point
    gains = np.array([[0.3, -0.02, 0, -0.1], [0.1, 0.2, 0, 0], [-0.1, -0.2, 0, 0], [0.1, 0.2, -0.3, 0], [0.0] * 4])
    assert gains[3].sum() != 0, "the sum is rounded, or this test shows nothing"
    found = risk(matrix_of(gains), np.zeros(4), (1.0,)).break_even
    assert found[0] == pytest.approx(1.5, rel=1e-12)
    assert np.isnan(found[1:]).all()


def test_runs_of_equal_scores_tie_with_their_mean():
    # (.1 + .1 + .1) / 3 is .10000000000000002 in floating point
    values = np.full((3, 5), 0.1)
    mean = values.sum(axis=0) / 3
    assert (mean != 0.1).all(), "the sum is rounded, or this test shows nothing"
    found = risk(matrix_of(values), mean, (0.0, 5.0))
    assert found.ties.tolist() == [5, 5, 5]
    assert [each.u_risk.tolist() for each in found.at] == [[0, 0, 0], [0, 0, 0]]


def test_a_wider_tie_changes_counts_alone():
    plain, wide = (risk(three(), np.array(BASE), (1.0,), tie_eps=eps) for eps in (0.0, 0.02))
    assert ([int(x[1]) for x in (wide.wins, wide.ties, wide.losses)], wide.ri[1]) == ([1, 2, 1], 0)
    assert wide.at[0].u_risk.tolist() == plain.at[0].u_risk.tolist()
    assert wide.risk.tolist() == plain.risk.tolist()


def test_a_constant_difference_and_one_query_have_no_t():
    values = np.array([[0.25, 0.5, 0.75], [0.5, 0.75, 1.0]])
    found = risk(matrix_of(values), values[0], (0.0, 1.0))
    for each in found.at:
        assert np.isnan([each.t_risk[1], each.p[1]]).all()
        assert (each.u_risk[1], each.t_risk[0], each.p[0]) == (0.25, 0, 1)
    one = risk(matrix_of(values[:, :1]), values[0, :1], (0.0,)).at[0]
    assert (one.t_risk[0], one.p[0], one.u_risk[1]) == (0, 1, 0.25)
    assert np.isnan(one.t_risk[1])


def test_one_topic_alone_that_differs_has_a_t():
    # d = .3, 0, 0, 0: mean .075, s = .15, T = .075 / (.15 / 2) = 1; a public program gives 0 here
    found = risk(matrix_of(np.array([[0.3, 0, 0, 0]])), np.zeros(4), (1.0,)).at[0]
    assert found.t_risk[0] == pytest.approx(1, rel=1e-12)


def test_zeros_are_no_division_by_zero():
    found = geo_risk(matrix_of(np.zeros((3, 4))), matrix_of(np.zeros((3, 4))), (1.0,))
    assert found.z_risk.tolist() == found.geo_risk.tolist() == [[0, 0, 0]]
    values = np.array([[0.0, 0.0], [0.5, 0.0], [0.25, 0.0]])
    found = geo_risk(matrix_of(values), matrix_of(values), (1.0,))
    assert (found.z_risk[0, 0], found.geo_risk[0, 0]) == (0, 0)
    assert found.gmap[0] == pytest.approx(1e-5)


def test_negative_scores_and_one_run_have_no_geo_risk():
    values = np.array([[0.5, -0.1], [0.25, 0.5]])
    found = geo_risk(matrix_of(values), matrix_of(values), (1.0,))
    assert found.reason == "negative"
    assert np.isnan(np.concatenate([found.z_risk[0], found.geo_risk[0], found.gmap])).all()
    one = geo_risk(matrix_of(values[1:]), matrix_of(values[1:]), (1.0,))
    assert (one.reason, np.isnan(one.geo_risk).all()) == ("one-run", True)
    assert one.gmap[0] == pytest.approx(np.sqrt(0.125))


# ---- intervals


@given(score_arrays((2, 5), (4, 12), UNIT), ALPHA)
def test_the_interval_of_u_risk_is_that_of_scipy_s_t_test(values: FloatArray, alpha: float):
    matrix = matrix_of(values)
    made = risk_intervals(matrix, matrix, values[0], (alpha,), n_resamples=100).u_risk[0]
    for run, row in enumerate(values):
        gains = row - values[0]
        weighed = np.where(gains < 0, (1 + alpha) * gains, gains)
        if np.ptp(weighed) > 1e-6:
            expected = stats.ttest_1samp(weighed, 0).confidence_interval()
            assert (made.low[run], made.high[run]) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-9)


@given(score_arrays((2, 4), (3, 8), UNIT))
def test_geo_risk_of_a_resample_is_that_of_the_queries_drawn(values: FloatArray):
    draws = np.random.default_rng(0).integers(0, values.shape[1], size=(3, values.shape[1]))
    weights = np.array([np.bincount(each, minlength=values.shape[1]) for each in draws]) / values.shape[1]
    found = resampled_geo_risk(values, values.sum(axis=0), weights, (0.0, 2.0))
    for index, each in enumerate(draws):
        drawn = matrix_of(values[:, each])
        assert found[:, :, index] == pytest.approx(geo_risk(drawn, drawn, (0.0, 2.0)).geo_risk, abs=1e-9)


@given(MATRICES)
def test_geo_risk_without_a_query_is_that_of_the_other_queries(values: FloatArray):
    left_out = left_out_geo_risk(values, values.sum(axis=0), (0.0, 2.0))
    for query in range(values.shape[1]):
        others = matrix_of(np.delete(values, query, axis=1))
        assert left_out[:, :, query] == pytest.approx(geo_risk(others, others, (0.0, 2.0)).geo_risk, abs=1e-9)


def test_intervals_of_many_queries_need_no_matrix_of_queries_by_queries():
    matrix = matrix_of(np.random.default_rng(0).random((2, 6000)).round(4))
    tracemalloc.start()
    risk_intervals(matrix, matrix, matrix.values[0], (1.0,), n_resamples=100)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 6000**2 / 4  # weights of the queries without each one in turn


def test_intervals_need_two_queries():
    one = matrix_of([BASE[:1], OTHER[:1]])
    none = risk_intervals(one, one, one.values[0], (1.0,), n_resamples=100)
    assert np.isnan([none.u_risk[0].low, none.geo_risk[0].high]).all()


# ---- which runs are called safe, risky and deviant

P_VALUES = ("mean_p", "risk_p", "deviation_p")
CLAIMS = ("safe", "risky", "deviant")


def claims(found: RiskVerdicts) -> list[list[bool]]:
    return [getattr(found, name).tolist() for name in CLAIMS]


def test_a_real_track_at_a_large_weight(shared: RealData):
    # by another program: U -.252730, T -2.935817, p of t .005054, with Holm's correction .262798, step-down .13 to .14;
    # 18 runs have T below -2, 7 are claimed
    scores = real_track(shared, "trec5-adhoc-ap")
    baseline, place = scores.row("run1"), scores.runs.index("run5")
    at = risk(scores, baseline, (5.0,)).at[0]
    assert [each[place] for each in (at.u_risk, at.t_risk, at.p)] == pytest.approx(
        (-0.25273, -2.935817, 0.005054), abs=5e-7
    )
    others = np.array(scores.runs) != "run1"
    assert holm(at.p[others])[place - 1] == pytest.approx(0.262798, abs=5e-7)
    found = risk_verdicts(scores, baseline, 5.0, baseline_run="run1", n_resamples=40_000)
    assert found.risk_p[place] == pytest.approx(0.135, abs=0.01)
    assert ((at.t_risk < -2).sum(), found.risky.sum(), found.n_compared) == (18, 7, 60)
    assert np.isnan([getattr(found, name)[scores.runs.index("run1")] for name in P_VALUES]).all()


def test_more_noise_with_the_same_mean_is_risky_and_deviant_and_not_worse():
    # every run takes turns above and below the baseline by .01, the last one by .2: its mean d is 0, and
    # U = (1 + 1 / 2) 0 - 1 / 2 * .2 = -.1
    turns = np.tile([1.0, -1.0], 50)
    values = 0.5 + np.array([0.01 * np.roll(turns, place) for place in range(4)] + [0.2 * turns])
    found = risk_verdicts(matrix_of(values), np.full(100, 0.5), 1.0)
    assert [each[-1] for each in claims(found)] == [False, True, True]
    assert found.mean_p[-1] == pytest.approx(1)
    assert found.deviation[-1] == pytest.approx(0.19)


def test_a_better_run_is_safe_only_if_its_gains_outweigh_its_losses():
    # gains of .3 on two queries of three and losses of .2: mean d .1333, U .2 - 6 * .0667 = -.2 at alpha 5
    gains = np.tile([0.3, 0.3, -0.2], 20)
    runs = matrix_of(0.5 + np.array([gains, np.zeros(60)]))
    for alpha, safe in ((0.0, True), (1.0, True), (5.0, False)):
        found = risk_verdicts(runs, np.full(60, 0.5), alpha)
        assert found.safe.tolist() == [safe, False]
        assert found.mean_p[0] < 0.001


def test_runs_that_equal_the_baseline_are_neither():
    values = np.tile(np.linspace(0.1, 0.9, 8), (3, 1))
    found = risk_verdicts(matrix_of(values), values[0], 1.0)
    assert claims(found) == [[False] * 3] * 3
    assert [getattr(found, name).tolist() for name in P_VALUES] == [[1.0] * 3] * 3


def test_two_runs_deviate_alike_from_their_mean():
    # |a - (a + b) / 2| = |b - (a + b) / 2|, but for the rounding, which is no difference
    values = np.random.default_rng(0).random((2, 40))
    found = risk_verdicts(matrix_of(values), values.mean(axis=0), 1.0)
    assert found.deviation_p.tolist() == [1, 1]
    assert not deviations(values - values.mean(axis=0)).any()


@pytest.mark.parametrize("n_queries", [1, 2, 5])
def test_few_queries_say_nothing(n_queries: int):
    values = np.array([[0.9] * n_queries, [0.1] * n_queries, [0.5] * n_queries])
    found = risk_verdicts(matrix_of(values), np.full(n_queries, 0.5), 1.0)
    assert claims(found) == [[False] * 3] * 3
    assert np.isnan([getattr(found, name) for name in P_VALUES]).all()


@examples(20)
@given(score_arrays((2, 5), (6, 12), UNIT, COARSE))
def test_claims_keep_their_side(values: FloatArray):
    runs, baseline = matrix_of(values), values.mean(axis=0)
    found, compared = risk_verdicts(runs, baseline, 1.0, n_resamples=199), risk(runs, baseline, (1.0,))
    assert (compared.delta[found.safe] > 0).all()
    assert (compared.at[0].u_risk[found.safe] > 0).all()
    assert (compared.at[0].u_risk[found.risky] < 0).all()
    assert not (found.safe & found.risky).any()
    assert (found.deviation[found.deviant] > 0).all()


def test_the_resamples_of_verdicts_are_drawn_once_for_all_tests(monkeypatch):
    drawn = []
    generator = inference.generator
    monkeypatch.setattr(inference, "generator", lambda *stream: drawn.append(stream[-1]) or generator(*stream))
    scores = matrix_of(np.random.default_rng(0).random((4, 30)))
    risk_verdicts(scores, scores.values[0], 1, baseline_run=scores.runs[0], n_resamples=500)
    assert sorted(drawn) == [0, 1]  # two blocks
