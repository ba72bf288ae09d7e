"""Calibrated means and differences: worked numbers, ppi_py, identities, a real track."""

from __future__ import annotations

from functools import partial

import conftest
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_judge_differences import judged, judges

from biasvar_cli.decomposition.calibrated import Calibrated, weight
from biasvar_cli.errors import keep_warnings
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.step_down import step_down_of_pairs

close = partial(conftest.close, tolerance=6e-7, relative=0)
Y = np.array([[0.9, 0.5, 0.1, 0.6, 0.7, 0.4], [0.6, 0.4, 0.2, 0.5, 0.3, 0.4], [0.3, 0.3, 0.0, 0.4, 0.2, 0.5]])
F = np.array([[0.8, 0.8, 0.4, 0.7, 0.6, 0.6], [0.7, 0.5, 0.5, 0.6, 0.6, 0.5], [0.5, 0.6, 0.1, 0.6, 0.5, 0.5]])
G = np.array(
    [
        [0.7, 0.9, 0.5, 0.6, 0.8, 0.4, 0.7, 0.6],
        [0.6, 0.7, 0.4, 0.6, 0.6, 0.5, 0.5, 0.6],
        [0.4, 0.6, 0.2, 0.5, 0.5, 0.3, 0.6, 0.4],
    ]
)


def draws(n_samples: int = 999) -> Draws:
    return Draws(n_samples, partial(generator, Stream.STEP_DOWN, 0))


def test_worked_example():
    found = Calibrated(Y, F, G)
    assert close([found.lambda_level, found.lambda_differences], [0.814297, 0.329055])
    assert close(found.parts[0][0], [0.313262, -0.070564, -0.193369, 0.062342, 0.227597, -0.056229])
    runs = found.runs()
    assert close(runs.value, [0.527942, 0.393237, 0.268344])
    assert close(runs.error, [0.096129, 0.047671, 0.064192])
    low, high = runs.interval(0.95)
    assert close([runs.df[0], low[0], high[0]], [5.569162, 0.288240, 0.767644])
    pairs = found.differences(Pairs.of_all(3))
    assert close(pairs.value, [0.134704, 0.259597, 0.124893])
    assert close([pairs.error[0], pairs.error[2], pairs.df[0]], [0.077303, 0.046167, 5.296717])
    assert close(pairs.p, [0.138586, 0.052719, 0.036960])
    assert close(found.sample_p(), 0.867987)
    assert close(found.sample_p(), stats.ttest_ind(F.mean(axis=0), G.mean(axis=0), equal_var=False).pvalue)


def test_estimates_with_a_fixed_weight_are_those_of_ppi_py():
    """ppi_py 0.2.3, whose interval is by the normal distribution and variances with the divisors n and N:

    ppi_mean_pointestimate(Y[1], F[1], G[1], lam=0.5), ppi_mean_ci(Y[1], F[1], G[1], alpha=0.05, lam=0.5)
    (array([0.39791667]), (array([0.30751068]), array([0.48832266])))
    """
    found = Calibrated(Y[1:2], F[1:2], G[1:2])
    found.__dict__["lambda_level"] = 0.5
    (value,) = found.runs().value
    both, alone = found.parts
    reach = stats.norm.ppf(0.975) * np.sqrt(both.var() / 6 + alone.var() / 8)
    ends = [0.3075106782884614, 0.488322655044872]
    assert close([value, value - reach, value + reach], [0.3979166666666667, *ends], tolerance=1e-12)


@given(judges(3, (2, 5), (6, 9)))
def test_the_weight_is_pooled_over_rows_by_covariances(scores):
    y, f, g = scores
    covariances = sum(np.cov(one, two)[0, 1] for one, two in zip(y, f, strict=True))
    variances = np.var(np.hstack([f, g]), axis=1, ddof=1).sum()
    if variances > 1e-6:
        assert close(weight(y, f, g), np.clip(covariances / (2 * variances), 0, 1), tolerance=1e-9)


@given(judges(2, (2, 5), (6, 9)), st.integers(6, 9))
def test_with_a_judge_that_does_not_vary_everything_is_that_of_people_alone(scores, n_alone):
    y, other = scores
    constant = np.full_like(other, 0.3)
    found = Calibrated(y, constant, np.full((len(y), n_alone), 0.3))
    assert (found.lambda_level, found.lambda_differences) == (0, 0)
    assert (found.parts[0] == y).all()
    n, runs = y.shape[1], found.runs()
    varies = np.ptp(y, axis=1) > 1e-9
    assert close(runs.value, y.mean(axis=1), tolerance=1e-12)
    assert close(runs.error[varies], stats.sem(y[varies], axis=1), tolerance=1e-12)
    assert close(runs.df[varies], n - 1, tolerance=1e-9)
    assert close(runs.worth[varies], n, tolerance=1e-9)
    alone = step_down_of_pairs(y, 0.95, draws(200)).p
    if len(y) > 2:
        assert found.p_of_pairs(0.95, draws(200)).tolist() == alone.tolist()


def test_a_judge_that_copies_people_gives_all_queries():
    """n and N queries with the same scores, many times over: the divisors n - 1 and N - 1 do not matter."""
    y = np.repeat(np.random.default_rng(0).random((3, 50)), 20, axis=1)
    found = Calibrated(y, y, np.tile(y, 3))
    assert close(found.runs().worth, 4000, tolerance=15)
    assert close(found.differences(Pairs.of_all(3)).worth, 4000, tolerance=15)
    assert close(found.runs().value, y.mean(axis=1), tolerance=1e-12)


@given(judges(3, (3, 5), (6, 9)), st.sampled_from((0.1, -0.3)))
def test_a_judge_that_is_lenient_by_a_constant_changes_nothing(scores, shift):
    y, f, g = scores
    one, two = Calibrated(y, f, g), Calibrated(y, f + shift, g + shift)
    assert close(one.lambda_differences, two.lambda_differences, tolerance=1e-9)
    assert close(one.runs().value, two.runs().value, tolerance=1e-9)


def test_two_runs_are_tested_by_t():
    found = Calibrated(Y[:2], F[:2], G[:2])
    assert found.p_of_pairs(0.95, draws()) == pytest.approx(found.differences(Pairs.of_all(2)).p)


def test_queries_needed_reach_the_half_width_and_one_fewer_does_not():
    rng = np.random.default_rng(1)
    y = rng.random((4, 20))
    f, g = y + 0.2 * rng.random(y.shape), rng.random((4, 200))
    found = Calibrated(y, f, g)
    needed = [found.queries_needed(width, 0.95) for width in (0.3, 0.1, 0.05)]
    assert needed == sorted(needed)
    assert Calibrated(y, np.zeros_like(f), np.zeros_like(g)).queries_needed(0.1, 0.95) > needed[1]
    alone = Calibrated(y, np.zeros_like(f), np.zeros_like(g))
    centred = y - y.mean(axis=0)
    variance = 2 / 3 * centred.var(axis=1, ddof=1).sum()  # of a difference, the mean over the pairs
    n = alone.queries_needed(0.1, 0.95)
    widths = [stats.t.ppf(0.975, m - 1) * np.sqrt(variance / m) for m in (n - 1, n)]
    assert widths[0] > 0.1 >= widths[1]


# ---- 63 runs of TREC Deep Learning 2021: people judge the first 25 topics


@pytest.fixture(scope="module")
def track(shared):
    folder = shared / "dl21-judges"
    scores = [judged(folder / "runs", folder / "qrels" / f"{name}.txt") for name in ("human", "umbrela-gpt-4o")]
    request = TrackRequest(
        inputs=(str(folder / "runs"),), qrels=str(folder / "qrels" / "human.txt"), measures=("nDCG@10",)
    )
    with keep_warnings():
        matrix = load_track(request).scored[0].scores
    places = [matrix.queries.index(query) for query in natural_order(matrix.queries)]
    return matrix.runs, *(values[:, places] for values in scores)


def calibrated(track, change=lambda values: values):
    runs, people, model = track
    y, f = change(people), change(model)
    return runs, Calibrated(y[:, :25], f[:, :25], f[:, 25:])


def test_means_of_a_real_track(track):
    runs, found = calibrated(track)
    assert close([found.lambda_level, found.lambda_differences], [0.243633, 0.428467])
    of_runs = found.runs()
    low, high = of_runs.interval(0.95)
    expected = {
        "pash_f1": (0.720301, 0.652468, 0.788133),
        "Fast_ForwardP_2": (0.525975, 0.459079, 0.592872),
        "yorku21_c": (0.663403, 0.593195, 0.733611),
    }
    for run, numbers in expected.items():
        row = runs.index(run)
        assert close([of_runs.value[row], low[row], high[row]], numbers)
    assert close([of_runs.error[runs.index("pash_f1")]], [0.032924])
    assert close(
        [of_runs.df[runs.index(run)] for run in ("pash_f1", "Fast_ForwardP_2")], [24.8203, 27.0926], tolerance=6e-5
    )
    people = Calibrated(found.people, np.zeros_like(found.model), np.zeros_like(found.alone)).runs()
    ends = people.interval(0.95)
    row = runs.index("pash_f1")
    assert close([people.value[row], ends[0][row], ends[1][row]], [0.704738, 0.641790, 0.767686])
    one, two = (runs.index(f"Fast_ForwardP_{number}") for number in (2, 5))
    pair = found.differences(Pairs(np.array([one]), np.array([two])))
    assert close([pair.value[0], pair.error[0], pair.p[0]], [0.036793, 0.014710, 0.016603])
    assert close(pair.df, 39.7427, tolerance=6e-5)


def test_significant_pairs_of_a_real_track(track):
    """By Holm's correction of t the numbers are exact; the step-down test has a Monte Carlo error."""
    _, found = calibrated(track)
    alone = Calibrated(found.people, np.zeros_like(found.model), np.zeros_like(found.alone))
    for of, by_holm, by_step_down in ((alone, 211, 316), (found, 550, 610)):
        p = np.sort(of.differences(Pairs.of_all(63)).p)
        assert np.flatnonzero(p * np.arange(len(p), 0, -1) >= 0.05)[0] == by_holm
        assert abs(np.count_nonzero(of.p_of_pairs(0.95, draws()) < 0.05) - by_step_down) < 50


@pytest.mark.parametrize(
    ("change", "weights", "value", "numbers"),
    [
        (lambda s: s.max(axis=0) - s, [0.360256, 0.428467], 0.097707, {"low": 0.043875, "high": 0.151539}),
        (lambda s: (s.max(axis=0) - s) ** 2, [0.557509, 0.440391], 0.022629, {"error": 0.011168}),
    ],
)
def test_gaps_of_a_real_track(track, change, weights, value, numbers):
    runs, found = calibrated(track, change)
    row, of_runs = runs.index("pash_f1"), found.runs()
    low, high = of_runs.interval(0.95)
    assert close([found.lambda_level, found.lambda_differences, of_runs.value[row]], [*weights, value])
    of_row = {"low": low[row], "high": high[row], "error": of_runs.error[row]}
    assert close([of_row[name] for name in numbers], [*numbers.values()])
