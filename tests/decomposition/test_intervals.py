"""Confidence intervals: scipy's BCa, the same numbers by loops and by hand, and data that have no interval."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import TENTHS, matrix_of, perfect_of, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.decomposition import intervals as inference
from biasvar_cli.decomposition.decompose import Deviations, best_of_runs, decompose, mean_target, run_target
from biasvar_cli.decomposition.intervals import intervals, r_intervals
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.stats import resampling
from biasvar_cli.stats.correlation import pearson
from biasvar_cli.stats.monte_carlo import Stream, generator
from biasvar_cli.stats.resampling import bca, log_jackknife_t, resample_weights

# of few runs: see test_over_queries
pytestmark = pytest.mark.filterwarnings("ignore:with .* the intervals of correlations are too narrow")
COLUMNS = ("mean", "bias", "bias2", "var", "total", "var_gap", "total_gap")
SCORES = np.random.default_rng(3).beta(0.6, 1.4, size=(7, 25)) ** np.linspace(0.7, 1.8, 7)[:, None]
RUNS = matrix_of(SCORES)
BEST = best_of_runs(RUNS)
MATRICES = score_arrays((2, 6), (2, 9), TENTHS)


def weights_of(n: int, n_resamples: int, stream: Stream = Stream.QUERIES, seed: int = 0) -> np.ndarray:
    return np.concatenate(list(resample_weights(n, n_resamples, generator(stream, seed))))


def n_flat(interval: inference.Interval) -> int:
    """How many intervals have no width."""
    return int(np.count_nonzero(interval.low == interval.high))


def ends(interval: inference.Interval) -> np.ndarray:
    return np.array([interval.low, interval.high])


def by_loops(values: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Every column in every resample, (R, B), each resample written out as a matrix of its own."""
    n = values.shape[1]
    drawn = []
    for row in weights:
        again = matrix_of(values[:, np.repeat(np.arange(n), np.rint(row * n).astype(int))])
        drawn.append(decompose(again, best_of_runs(again)))  # the target is the best of the resampled queries
    return {name: np.array([getattr(each, name) for each in drawn]).T for name in COLUMNS}


def test_percentiles_are_those_of_resamples_written_out():
    found = intervals(RUNS, BEST, n_resamples=300, level=0.9, method="percentile")
    drawn = by_loops(SCORES, weights_of(25, 300))
    for name in COLUMNS:
        expected = np.quantile(drawn[name], [0.05, 0.95], axis=1)
        if name == "bias2":
            expected = np.quantile(drawn["bias"], [0.05, 0.95], axis=1) ** 2  # the bias is above 0 in every resample
        assert ends(getattr(found, name)) == pytest.approx(expected, abs=1e-12), name
    for form, var in ((found.correlation.score, "var"), (found.correlation.gap, "var_gap")):
        r = [pearson(x, y) for x, y in zip(drawn["bias2"].T, drawn[var].T, strict=True)]
        assert (form.low, form.high) == pytest.approx(np.quantile(r, [0.05, 0.95]), abs=1e-12)
        assert (form.rule, form.n_undefined, form.reason) == ("percentile", 0, None)


def test_the_basic_interval_of_r_is_the_mirror_of_its_percentiles():
    basic, plain = (r_intervals(RUNS, BEST, over="both", method=method) for method in ("auto", "percentile"))
    assert basic.score.estimate == pytest.approx(np.corrcoef(*_pair(RUNS))[0, 1], abs=1e-12)
    for one, other in ((basic.score, plain.score), (basic.gap, plain.gap)):
        mirrored = 2 * one.estimate - other.high, 2 * one.estimate - other.low
        assert (one.low, one.high) == pytest.approx(np.clip(mirrored, -1, 1), abs=1e-12)
        assert one.rule == "basic"


def _pair(runs):
    result = decompose(runs, best_of_runs(runs))
    return result.bias2, result.var


@pytest.mark.parametrize("name", ["bias", "total"])
def test_bca_agrees_with_scipy(name):
    """Each draws 5000 resamples of its own; an end differs by the Monte Carlo error of a quantile, some 2 % of the
    width, and no more than 5 %.
    """
    found = getattr(intervals(RUNS, BEST, n_resamples=5000), name)
    assert found.rule == "bca"
    statistics = {
        "bias": lambda s, t, axis: (t - s).mean(axis),
        "total": lambda s, t, axis: (t.mean(axis) - s.mean(axis)) ** 2 + s.var(axis),
    }
    for run in (0, 3, 6):
        theirs = stats.bootstrap(
            (SCORES[run], BEST.scores), statistics[name], paired=True, vectorized=True, n_resamples=5000,
            method="BCa", random_state=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        width = theirs.high - theirs.low
        assert found.low[run] == pytest.approx(theirs.low, abs=0.05 * width)
        assert found.high[run] == pytest.approx(theirs.high, abs=0.05 * width)


def test_bca_by_its_formula_with_scipy_s_normal_distribution():
    rng = np.random.default_rng(0)
    resampled, left_out = rng.gamma(2, size=(4, 999)), rng.gamma(2, size=(4, 20))
    estimate = np.median(resampled, axis=1) * 1.1
    low, high = bca(resampled, estimate, left_out, 0.9)
    for run in range(4):
        d = left_out[run].mean() - left_out[run]
        a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
        z0 = stats.norm.ppf((resampled[run] < estimate[run]).mean())
        at = [stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in stats.norm.ppf([0.05, 0.95])]
        assert (low[run], high[run]) == pytest.approx(np.quantile(resampled[run], at), abs=1e-12)


def test_bca_counts_half_of_the_resamples_that_tie_with_the_estimate():
    # 30 below, 40 equal, 30 above: the mid-p is .5, so z0 = 0, and the ends are plain quantiles.
    resampled = np.repeat([0.1, 0.3, 0.8], [30, 40, 30])[None]
    low, high = bca(resampled, np.array([0.1 + 0.2]), np.array([[1.0, 2, 3]]), 0.9)
    assert (low[0], high[0]) == (0.1, 0.8)


def test_bca_of_what_never_varies_is_the_number_itself():
    low, high = bca(np.full((1, 100), 0.3), np.array([0.3]), np.full((1, 5), 0.3), 0.95)
    assert (low[0], high[0]) == (0.3, 0.3)


def test_bca_beyond_the_pole_of_its_formula_is_the_last_resample():
    # All resamples below: z0 = 2.576; left-out values of one outlier: a near 1/6; 1 - a (z0 + 3.9) < 0.
    left_out = np.ones((1, 1000))
    left_out[0, 0] = 0.0
    low, high = bca(np.linspace(0, 1, 100)[None], np.array([2.0]), left_out, 0.9999)
    assert high[0] == 1
    assert 0 <= low[0] <= 1


def test_log_jackknife_by_loops_with_scipy_s_quantile():
    found = intervals(RUNS, BEST, level=0.9)
    t = stats.t.ppf(0.95, 24)
    for values, interval in ((SCORES, found.var), (BEST.scores - SCORES, found.var_gap)):
        assert interval.rule == "log-jackknife-t"
        for run, row in enumerate(values):
            without = [np.var(np.delete(row, query)) for query in range(25)]
            pseudo = 25 * np.log(np.var(row)) - 24 * np.log(without)
            half = t * pseudo.std(ddof=1) / 5
            expected = np.exp([pseudo.mean() - half, pseudo.mean() + half])
            assert ends(interval)[:, run] == pytest.approx(expected, rel=1e-10)


def test_log_jackknife_of_four_queries_by_hand():
    # 0, 0, .3, .3: Var .0225; each query left out leaves 0, .3, .3 or 0, 0, .3 with .02. All pseudo-values are
    # 4 ln .0225 - 3 ln .02, so the interval is .0225^4 / .02^3 = .032036 alone.
    low, high = log_jackknife_t(np.array([0.0225]), np.full((1, 4), 0.02), 0.95)
    assert (low[0], high[0]) == pytest.approx((0.0225**4 / 0.02**3,) * 2)
    found = intervals(matrix_of([0, 0, 0.3, 0.3]), mean_target(0.5))
    assert ends(found.var).ravel() == pytest.approx([0.0320361] * 2, abs=5e-8)


@given(MATRICES, st.sampled_from(["auto", "percentile"]))
def test_every_interval_has_its_ends_in_order_or_a_reason(values, method):
    runs = matrix_of(values)
    target = best_of_runs(runs)
    found = intervals(runs, target, n_resamples=100, method=method)
    drawn = Deviations.of(runs, target).resampled(weights_of(runs.n_queries, 100))
    for name in COLUMNS:
        interval = getattr(found, name)
        for low, high, reason in zip(interval.low, interval.high, interval.reason, strict=True):
            assert np.isnan([low, high]).all() if reason else low <= high
    low, high = ends(found.bias)  # bias2's interval is the image of bias's under squaring
    least = np.where((low <= 0) & (high >= 0), 0, np.minimum(low**2, high**2))
    assert ends(found.bias2) == pytest.approx(np.array([least, np.maximum(low**2, high**2)]), abs=1e-12)
    assert (found.bias.low >= drawn.bias.min(axis=0) - 1e-12).all()
    assert (found.bias.high <= drawn.bias.max(axis=0) + 1e-12).all()
    assert (found.total.low >= 0).all()
    for r in (found.correlation.score, found.correlation.gap):
        assert np.isnan([r.low, r.high]).all() if r.reason else -1 <= r.low <= r.high <= 1


def test_the_target_itself_has_no_bias_and_a_reason_for_its_gap():
    found = intervals(RUNS, run_target(RUNS, "r2"))
    assert (ends(found.bias)[:, 2] == 0).all()
    assert (ends(found.total_gap)[:, 2] == 0).all()
    assert n_flat(found.bias) == 1
    assert found.var_gap.reason == (None, None, "no-variance", None, None, None, None)
    assert np.isnan(ends(found.var_gap)[:, 2]).all()


def test_a_target_that_is_a_mean_is_constant_and_has_no_gap_form():
    found = intervals(RUNS, mean_target(0.6))
    assert ends(found.bias) == pytest.approx(0.6 - ends(found.mean)[::-1], abs=2e-3)  # the mirror, but for ties
    for name in ("var_gap", "total_gap"):
        assert set(getattr(found, name).reason) == {"mean-only"}
        assert np.isnan(ends(getattr(found, name))).all()
    assert np.isnan(found.correlation.gap.estimate)
    assert found.correlation.gap.reason == "mean-only"
    assert found.correlation.score.reason is None
    perfect = intervals(RUNS, perfect_of(25))
    assert np.allclose(ends(perfect.var), ends(perfect.var_gap), rtol=1e-9)


def test_runs_that_are_zero_constant_or_alive_on_one_query():
    one = np.zeros(6)
    one[2] = 0.4
    values = np.array([np.zeros(6), np.full(6, 0.1), one, [0.1, 0.5, 0.2, 0.9, 0.3, 0.4]])
    found = intervals(matrix_of(values), perfect_of(6))
    expected = ("no-variance", "no-variance", "one-query-has-all-variance", None)
    assert found.var.reason == found.var_gap.reason == expected
    assert ends(found.bias)[:, :2].tolist() == [[1.0, 0.9], [1.0, 0.9]]
    assert n_flat(found.bias) == n_flat(found.mean) == 2
    by_percentile = intervals(matrix_of(values), perfect_of(6), method="percentile")
    assert ends(by_percentile.var)[:, :2].tolist() == [[0, 0], [0, 0]]
    assert by_percentile.var.reason == (None,) * 4


def test_scores_that_differ_by_rounding_alone_are_constant():
    flat, alone = [0.1 + 0.2, 0.3, 0.3, 0.3], [0.9, 0.3, 0.1 + 0.2, 0.3]
    found = intervals(matrix_of([flat, alone]), perfect_of(4))
    assert found.var.reason == found.var_gap.reason == ("no-variance", "one-query-has-all-variance")
    assert n_flat(found.bias) == 1


def test_two_runs_one_run_and_equal_runs_have_no_correlation():
    for values in (SCORES[:2], SCORES[:1], np.repeat(SCORES[:1], 5, axis=0)):
        runs = matrix_of(values)
        found = intervals(runs, perfect_of(25), n_resamples=100).correlation
        for r in (found.score, found.gap):
            assert (r.reason, r.n_undefined) == ("undefined", 0)
            assert np.isnan([r.estimate, r.low, r.high, r.corrected]).all()


def test_one_query_and_two_queries():
    one = intervals(matrix_of(SCORES[:, :1]), perfect_of(1))
    for name in COLUMNS:
        assert set(getattr(one, name).reason) == {"one-query"}
    assert one.correlation.score.reason == "undefined"
    two = intervals(matrix_of(SCORES[:, :2]), perfect_of(2), n_resamples=400)
    assert set(two.var.reason) == {"one-query-has-all-variance"}  # one query alone does not vary
    assert (two.bias.low < two.bias.high).all()
    assert two.correlation.score.reason == "few-queries"
    drawn = r_intervals(matrix_of(SCORES[:, :2]), perfect_of(2), n_resamples=400, method="percentile").score
    assert 150 < drawn.n_undefined < 250  # half of the resamples are of one query


def test_very_large_and_very_small_scores_give_no_warning():
    plain = intervals(matrix_of(SCORES), best_of_runs(matrix_of(SCORES)))
    for factor in (1e99, 1e-70):
        found = intervals(matrix_of(SCORES * factor), best_of_runs(matrix_of(SCORES * factor)))
        assert np.allclose(ends(found.bias) / factor, ends(plain.bias), rtol=1e-9)
        assert np.allclose(ends(found.var) / factor**2, ends(plain.var), rtol=1e-9)
        assert found.correlation.score.low == pytest.approx(plain.correlation.score.low, abs=1e-9)


def test_weights_are_multinomial_and_the_same_in_blocks_of_any_size(monkeypatch):
    whole = weights_of(25, 1000)
    monkeypatch.setattr(resampling, "_IN_CACHE", 90)  # three resamples are counted at a time
    for size in (1, 7, 1000, 5000):
        blocks = resample_weights(25, 1000, generator(Stream.QUERIES, 0), size=size)
        assert (np.concatenate(list(blocks)) == whole).all()
    assert (weights_of(25, 10) == whole[:10]).all()
    counts = whole * 25
    assert (np.rint(counts) == counts.round(12)).all()
    assert whole.sum(axis=1) == pytest.approx(1)
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.15)
    assert counts.var() == pytest.approx(1 - 1 / 25, abs=0.03)  # n p (1 - p)


def test_blocks_of_runs_change_no_number(monkeypatch):
    whole = intervals(RUNS, BEST, n_resamples=200)
    monkeypatch.setattr(inference, "_VALUES", 400)  # two runs at a time
    parts = intervals(RUNS, BEST, n_resamples=200)
    for name in COLUMNS:
        assert ends(getattr(whole, name)) == pytest.approx(ends(getattr(parts, name)), abs=1e-14)
        assert getattr(whole, name).reason == getattr(parts, name).reason


def test_the_same_seed_gives_the_same_intervals_and_another_gives_others():
    first, again, other = (intervals(RUNS, BEST, seed=seed) for seed in (1, 1, 2))
    assert (ends(first.bias) == ends(again.bias)).all()
    assert repr(first.correlation) == repr(again.correlation)
    assert repr(first.ranks) == repr(again.ranks) != repr(other.ranks)
    assert (ends(first.bias) != ends(other.bias)).any()
    assert (ends(first.var) == ends(other.var)).all()  # the jackknife draws nothing


def test_intervals_of_runs_and_teams_by_loops():
    bias2, var = _pair(RUNS)
    teams = dict(zip(RUNS.runs, "abbcdde", strict=True))
    for over, units in (("runs", range(7)), ("teams", [0, 1, 1, 2, 3, 3, 4])):
        found = r_intervals(RUNS, BEST, over=over, teams=teams, n_resamples=200)
        units = np.array(units)
        n = units.max() + 1
        drawn = []
        for row in weights_of(n, 200, stream=Stream.RUNS):
            times = np.rint(row * n).astype(int)[units]
            drawn.append(pearson(np.repeat(bias2, times), np.repeat(var, times)))
        assert found.score.n_undefined == np.isnan(drawn).sum()
        expected = np.nanquantile(drawn, [0.025, 0.975])
        assert (found.score.low, found.score.high) == pytest.approx(expected, abs=1e-12)
        assert found.score.rule == "percentile"


def test_queries_and_runs_at_once_by_loops():
    found = r_intervals(RUNS, BEST, over="both", n_resamples=200, method="percentile")
    by_query = by_loops(SCORES, weights_of(25, 200))
    drawn = []
    for resample, row in enumerate(weights_of(7, 200, stream=Stream.RUNS)):
        times = np.rint(row * 7).astype(int)
        drawn.append(pearson(*(np.repeat(by_query[name][:, resample], times) for name in ("bias2", "var_gap"))))
    assert (found.gap.low, found.gap.high) == pytest.approx(np.nanquantile(drawn, [0.025, 0.975]), abs=1e-12)
    assert r_intervals(RUNS, BEST, over="both").score.rule == "basic"


def test_a_team_is_needed_for_every_run_and_three_of_them():
    with pytest.raises(DataError, match="no team for 6 runs: r1, r2, r3"):
        r_intervals(RUNS, BEST, over="both", teams={"r0": "a"})
    two = r_intervals(RUNS, BEST, over="teams", teams=dict(zip(RUNS.runs, "aabbbba", strict=True)))
    assert two.score.reason == two.gap.reason == "few-teams"
    assert np.isfinite(two.score.estimate)
    assert np.isnan(two.score.low)


def test_too_few_resamples_for_the_level_are_refused():
    with pytest.raises(UsageError, match="needs at least 40 resamples, found 39"):
        intervals(RUNS, BEST, level=0.95, n_resamples=39)
    intervals(RUNS, BEST, level=0.95, n_resamples=40)
