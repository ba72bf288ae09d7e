"""What depends on the target and on single queries: other targets, switch points, leaving queries out."""

from __future__ import annotations

from functools import partial

import by_scipy
import conftest
import numpy as np
import pytest
from conftest import COARSE, REAL_MATRICES, UNIT, matrix_of, real_matrix, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from biasvar_cli.analyses.sensitivity.answer import (
    TargetOrders,
    TargetSensitivity,
    influence,
    switch_point,
    switch_points,
    target_sensitivity,
)
from biasvar_cli.decomposition.contribution import contributions
from biasvar_cli.decomposition.decompose import (
    TargetedScores,
    VirtualTarget,
    best_of_runs,
    decompose,
    mean_target,
    run_target,
)
from biasvar_cli.errors import DataError
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.targets import BEST
from biasvar_cli.stats import correlation

MATRICES = score_arrays((2, 8), (1, 12), UNIT, COARSE)
WIDE = score_arrays((3, 7), (3, 12), UNIT)
close = partial(conftest.close, nan=True)
SIGIR = {"A": [0.3, 0.1], "B": [0.6, 0.08], "C": [0.65, 0.03], "C'": [0.32, 0.11]}  # SIGIR'13, Table 1
KINDS = ["best", "leave-one-run-out", "perfect", "quantile", "quantile", "quantile"]


def targeted_of(values: object, target: VirtualTarget | None = None) -> TargetedScores:
    matrix = matrix_of(values)
    return TargetedScores(matrix, matrix, target or best_of_runs(matrix))


def under(found: TargetSensitivity, kind: str) -> TargetOrders:
    (one,) = [each for each in found.targets if each.kind == kind]
    return one


# ---- other targets


def test_the_runs_of_sigir_under_every_target():
    # SIGIR'13, Table 1. The best of A, B, C, C' is (.65, .11), mean .38; the means are .2, .34, .34, .215. Without C
    # it is (.6, .11), without C' (.65, .1), without A or B as it is; without the team of B and C (.32, .11).
    runs = ScoreMatrix(np.array(list(SIGIR.values())), tuple(SIGIR), ("q1", "q2"), "AP")
    teams = {"A": "ours", "B": "theirs", "C": "theirs", "C'": "ours"}
    found = target_sensitivity(TargetedScores(runs, runs, best_of_runs(runs)), teams)
    kinds = [each.kind for each in found.targets]
    assert kinds == [*KINDS[:2], "leave-one-team-out", *KINDS[2:]]
    assert close(found.run_out.unique, [0, 0, 0.025, 0.005])
    assert close(found.run_out.bias, [0.18, 0.04, 0.015, 0.16])
    assert close(found.team_out.unique, [0.015, 0.165, 0.165, 0.015])  # ours leaves (.65, .08), theirs (.32, .11)
    assert close(found.team_out.bias, [0.165, -0.125, -0.125, 0.15])
    assert close([each.mean for each in found.targets[:4]], [0.38, 0.3725, (2 * 0.365 + 2 * 0.215) / 4, 1])
    assert close(under(found, "perfect").score.total, [0.65, 0.5032, 0.5317, 0.62725])
    assert under(found, "perfect").score.rank.tolist() == [4, 1, 2, 3]
    assert under(found, "perfect").score.least == ("B",)
    # totals against the mean .38: .0324 + .01, .0016 + .0676, .0016 + .0961, .027225 + .011025
    assert close(under(found, "best").score.total, [0.0424, 0.0692, 0.0977, 0.03825])
    assert under(found, "best").score.rank.tolist() == [2, 3, 4, 1]
    assert under(found, "best").score.kendall == 1
    assert under(found, "perfect").score.kendall == pytest.approx(-1 / 3)  # 2 of 6 pairs keep their order


@given(MATRICES)
def test_leaving_runs_out_agrees_with_their_contributions(values):
    targeted = targeted_of(values)
    found = target_sensitivity(targeted)
    expected = contributions(targeted.pool, targeted.target)
    assert close(found.run_out.unique, expected.left_out.unique)
    assert close(found.run_out.bias, expected.left_out.bias)
    assert close(found.run_out.bias + found.run_out.unique, expected.bias)
    assert np.isnan(found.team_out.bias).all()
    assert [each.kind for each in found.targets] == KINDS


@given(MATRICES, st.data())
def test_totals_under_each_target_are_the_squared_errors(values, data):
    number = len(values)
    team = data.draw(st.lists(st.sampled_from("ab"), min_size=number, max_size=number))
    targeted = targeted_of(values)
    found = target_sensitivity(targeted, {f"r{i}": each for i, each in enumerate(team)})
    targets = {"best": [values.max(axis=0)] * number, "perfect": [np.ones(values.shape[1])] * number}
    targets["leave-one-run-out"] = [np.delete(values, i, axis=0).max(axis=0) for i in range(number)]
    if len(set(team)) == 2:
        strangers = [values[[other != each for other in team]].max(axis=0) for each in team]
        targets["leave-one-team-out"] = strangers
        assert close(found.team_out.bias + found.team_out.unique, decompose(targeted.scores, targeted.target).bias)
        assert (found.team_out.unique >= found.run_out.unique - 1e-12).all()
    else:
        one = under(found, "leave-one-team-out")
        assert np.isnan([one.mean, one.score.kendall, *one.score.total, *one.gap.rank]).all()
        assert one.score.least == ()
    for kind, target in targets.items():
        one = under(found, kind)
        assert one.mean == pytest.approx(np.mean(target), abs=1e-12)
        errors = [((row - own.mean()) ** 2).mean() for row, own in zip(values, target, strict=True)]
        gaps = [((row - own) ** 2).mean() for row, own in zip(values, target, strict=True)]
        assert close(one.score.total, errors)
        assert close(one.gap.total, gaps)
        assert close(one.score.kendall, correlation.kendall(np.array(errors), found.targets[0].score.total), 1e-9)
        settled = np.round(errors, 11)
        assert f"r{settled.argmin()}" in one.score.least
    quantiles = [each for each in found.targets if each.kind == "quantile"]
    assert [each.label for each in quantiles] == ["best:0.95", "best:0.9", "best:0.75"]
    assert close(quantiles[0].mean, np.quantile(values, 0.95, axis=0).mean())


@given(MATRICES, st.data())
def test_a_further_run_raises_every_bias_and_no_unique_contribution(values, data):
    more = np.vstack([values, data.draw(arrays(float, values.shape[1], elements=UNIT))])
    first, second = (target_sensitivity(targeted_of(each)).run_out for each in (values, more))
    assert (second.unique[:-1] <= first.unique + 1e-12).all()
    assert (second.bias[:-1] >= first.bias - 1e-12).all()


def both(values: object) -> tuple[ScoreMatrix, VirtualTarget]:
    return targeted_of(values).scores, targeted_of(values).target


def test_another_target_stands_first_and_the_best_second():
    values = [[0.3, 0.1, 0.5], [0.6, 0.08, 0.2], [0.2, 0.4, 0.1]]
    found = target_sensitivity(targeted_of(values, run_target(matrix_of(values), "r0")))
    assert [each.kind for each in found.targets] == ["given", *KINDS]
    assert found.targets[0].score.kendall == 1
    assert found.targets[0].gap.least == ("r0",)
    mean = target_sensitivity(targeted_of(values, mean_target(0.45)))
    assert mean.targets[0].mean == 0.45
    assert close(mean.targets[0].score.total, decompose(matrix_of(values), mean_target(0.45)).total)
    assert np.isnan(mean.targets[0].gap.total).all()
    assert mean.targets[0].gap.least == ()
    assert np.isnan(mean.targets[1].gap.kendall)


def test_the_pool_s_further_runs_make_targets_and_have_no_row():
    pool = matrix_of([[0.3, 0.1, 0.5], [0.6, 0.08, 0.2], [0.7, 0.4, 0.9]])
    listed = pool.select(["r1", "r0"])
    found = target_sensitivity(TargetedScores(listed, pool, best_of_runs(pool)), {"r0": "a", "r1": "b", "r2": "a"})
    assert found.runs == ("r1", "r0")
    assert found.run_out.unique.tolist() == [0, 0]
    assert close(found.team_out.unique, [0, ((0.7 - 0.6) + (0.4 - 0.08) + (0.9 - 0.2)) / 3])


def test_one_run_has_no_others():
    matrix = matrix_of([[0.3, 0.1]])
    target = VirtualTarget(BEST, 0.2, np.array([0.3, 0.1]), 1)
    found = target_sensitivity(TargetedScores(matrix, matrix, target), {"r0": "a"})
    assert np.isnan([found.run_out.unique, found.run_out.bias, found.team_out.unique, found.team_out.bias]).all()
    assert np.isnan(under(found, "leave-one-run-out").mean)
    assert under(found, "best").score.least == ("r0",)


def test_scores_beyond_1_have_no_perfect_target():
    found = target_sensitivity(targeted_of([[3.0, 1.0], [2.0, 5.0]]))
    assert "perfect" not in [each.kind for each in found.targets]


def test_equal_totals_have_one_rank():
    found = target_sensitivity(targeted_of([[0.1, 0.2], [0.2, 0.1], [0.9, 0.9]])).targets[0].score
    assert found.rank.tolist() == [2, 2, 1]
    assert found.least == ("r2",)


def test_every_run_of_the_pool_needs_a_team():
    with pytest.raises(DataError, match="no team for 2 runs: r1, r2"):
        target_sensitivity(targeted_of([[0.1, 0.2], [0.2, 0.1], [0.9, 0.1]]), {"r0": "a"})


# ---- switch points


@pytest.mark.parametrize(
    ("f", "g", "point"),
    [("A", "B", 0.475714), ("A", "C", 0.5775), ("A", "C'", 0.241667), ("C", "C'", 0.6178), ("B", "C'", 0.5038)],
)
def test_switch_points_of_sigir(f, g, point):
    # (E S_f^2 - E S_g^2) / (2 (mean_f - mean_g)); for A and B (.05 - .1832) / (2 (.2 - .34))
    for one, other in ((f, g), (g, f)):
        assert switch_point(np.array(SIGIR[one]), np.array(SIGIR[other])) == pytest.approx(point, abs=5.1e-7)


def test_runs_of_equal_means_never_switch():
    assert np.isnan(switch_point(np.array(SIGIR["B"]), np.array(SIGIR["C"])))
    assert np.isnan(switch_point(np.array(SIGIR["B"]), np.array(SIGIR["B"])))


def test_ranking_of_sigir_and_how_far_it_holds():
    # Against the mean .45 the totals are .0725, .0797, .1082 and .06625: C', A, B, C. A and C' change at .241667, A and
    # B at .475714, C' and B at .5038, A and C at .5775, C' and C at .6178, B and C never.
    runs = ScoreMatrix(np.array(list(SIGIR.values())), tuple(SIGIR), ("q1", "q2"), "AP")
    found = switch_points(runs, mean_target(0.45))
    assert found.order.tolist() == [3, 0, 1, 2]
    assert found.point == pytest.approx([0.241667, 0.475714, np.nan], abs=5.1e-7, nan_ok=True)
    assert found.within.tolist() == [False, True, False]
    assert found.low == pytest.approx([0.241667, -np.inf, -np.inf, 0.241667], abs=5.1e-7)
    assert found.high == pytest.approx([0.475714, 0.475714, 0.5775, 0.5038], abs=5.1e-7)
    assert (found.low.max(), found.high.min()) == pytest.approx((0.241667, 0.475714), abs=5.1e-7)


@given(MATRICES)
def test_the_ranking_is_the_same_up_to_the_nearest_switch_point_and_another_beyond(values):
    matrix = matrix_of(values)
    found = switch_points(matrix, best_of_runs(matrix))

    def order(mean: float) -> list[int]:
        return np.argsort(np.round(decompose(matrix, mean_target(mean)).total, 11), kind="stable").tolist()

    assert found.low.max() <= found.mean <= found.high.min()
    neighbours = found.point[~np.isnan(found.point)]
    nearest = neighbours[neighbours >= found.mean].min(initial=np.inf)
    assert found.high.min() == pytest.approx(nearest, rel=1e-9)  # the first change is one of neighbours
    assert found.low.max() == pytest.approx(neighbours[neighbours <= found.mean].max(initial=-np.inf), rel=1e-9)
    if found.high.min() - found.low.max() > 1e-3 and found.low.max() < found.mean < found.high.min():
        totals = decompose(matrix, mean_target(found.mean)).total
        if len(totals) < 2 or np.diff(np.sort(totals)).min() > 1e-9:
            assert order(found.mean) == found.order.tolist()
            for end, way in ((found.low.max(), -1), (found.high.min(), 1)):
                if abs(end) < 10:
                    inside = found.mean + 0.9 * (end - found.mean)
                    assert np.diff(decompose(matrix, mean_target(inside)).total[found.order]).min() > -1e-9
                    beyond = decompose(matrix, mean_target(end + 0.01 * way)).total[found.order]
                    assert np.diff(beyond).min() < 0


@given(MATRICES)
def test_two_runs_tie_at_their_switch_point(values):
    point = switch_point(values[0], values[1])
    if abs(point) < 100:  # not nan
        totals = decompose(matrix_of(values[:2]), mean_target(float(point))).total
        assert totals[0] == pytest.approx(totals[1], abs=1e-9 * max(1, point**2))


def test_runs_that_are_equal_now_switch_here():
    values = [[0.1, 0.3], [0.4, 0.4]]  # mean .2 and .4; second moments .05 and .16; m* = .11 / .4
    found = switch_points(matrix_of(values), mean_target(0.275))
    assert found.point.tolist() == [0.275]
    assert (found.low.max(), found.high.min()) == (0.275, 0.275)
    assert found.within.tolist() == [True]


def test_one_run_never_switches():
    found = switch_points(matrix_of([[0.1, 0.3]]), mean_target(0.5))
    assert found.point.shape == found.within.shape == (0,)
    assert (found.low.max(), found.high.min()) == (-np.inf, np.inf)


# ---- single queries


@given(WIDE)
def test_leaving_a_query_out_is_a_decomposition_without_it(values):
    matrix = matrix_of(values)
    found = influence(matrix, best_of_runs(matrix))
    for q in range(matrix.n_queries):
        less = matrix_of(np.delete(values, q, axis=1))
        result = decompose(less, best_of_runs(less))
        assert found.mean[q] == pytest.approx(result.target.mean, abs=1e-12)
        assert close(found.pearson[q], correlation.pearson(result.bias2, result.var), 1e-7)
        assert close(found.pearson_gap[q], correlation.pearson(result.bias2, result.var_gap), 1e-7)
        assert found.least[:, q].any()
        assert result.total[found.least[:, q]] == pytest.approx(result.total.min(), abs=1e-12)
    whole = decompose(matrix, best_of_runs(matrix))
    assert close(found.whole, correlation.pearson(whole.bias2, whole.var))
    size = np.abs(found.shift[found.order])
    assert sorted(found.order) == list(range(matrix.n_queries))
    assert (np.diff(size[np.isfinite(size)]) <= 1e-9).all()
    assert not np.isnan(size[: np.isfinite(size).sum()]).any()


def test_a_target_that_is_a_mean_alone_stays_as_it_is():
    found = influence(matrix_of([[0.3, 0.1, 0.2], [0.6, 0.08, 0.4], [0.2, 0.2, 0.5]]), mean_target(0.45))
    assert found.mean.tolist() == [0.45, 0.45, 0.45]
    assert np.isnan(found.pearson_gap).all()
    assert np.isfinite(found.pearson).all()


def test_one_query_cannot_be_left_out_and_two_leave_no_variance():
    assert influence(*both([[0.3], [0.5], [0.1]])).queries == ()
    found = influence(*both([[0.3, 0.2], [0.5, 0.1], [0.1, 0.6]]))
    assert np.isnan(found.pearson).all()
    assert [np.flatnonzero(runs).tolist() for runs in found.least.T] == [[2], [1]]  # the best of the other query


# ---- real scores


@pytest.mark.parametrize("name", REAL_MATRICES)
def test_figures_of_the_matrices(shared, name):
    matrix = real_matrix(shared, name)
    found = target_sensitivity(TargetedScores(matrix, matrix, best_of_runs(matrix)))
    values, columns = matrix.values, by_scipy.errors(matrix.values)
    without = values.max(axis=0) - by_scipy.given_up(values)  # the target without each run
    assert close(found.run_out.unique, by_scipy.given_up(values).mean(axis=1))
    assert close(found.run_out.bias, without.mean(axis=1) - columns["mean"])
    for kind, total in (
        ("leave-one-run-out", (without.mean(axis=1) - columns["mean"]) ** 2 + columns["var"]),
        ("perfect", ((1 - values) ** 2).mean(axis=1)),
    ):
        expected = stats.kendalltau(np.round(total, 12), np.round(columns["total"], 12)).statistic
        assert under(found, kind).score.kendall == pytest.approx(expected, abs=1e-9), kind
