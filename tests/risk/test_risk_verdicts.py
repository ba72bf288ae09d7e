"""Which runs are called safe, risky and deviant: a real track beside another program's figures, few queries, edges."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import COARSE, UNIT, RealData, matrix_of, score_arrays
from hypothesis import given
from mutations import examples
from scipy import stats

from biasvar_cli.analyses.risk import inference
from biasvar_cli.analyses.risk.inference import RiskVerdicts, deviations, risk_verdicts
from biasvar_cli.analyses.risk.losses import risk
from biasvar_cli.arrays import FloatArray
from biasvar_cli.scoring.request import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.significance import holm

P_VALUES = ("mean_p", "risk_p", "deviation_p")
CLAIMS = ("safe", "risky", "deviant")


def claims(found: RiskVerdicts) -> list[list[bool]]:
    return [getattr(found, name).tolist() for name in CLAIMS]


def test_a_real_track_at_a_large_weight(shared: RealData):
    # by another program: U -.252730, T -2.935817, p of t .005054, with Holm's correction .262798, step-down .13 to .14;
    # 18 runs have T below -2, 7 are claimed
    scores = load_track(TrackRequest(inputs=(str(shared / "score-matrices" / "trec5-adhoc-ap.csv"),))).scored[0].scores
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


def test_the_baseline_alone_is_compared_with_nothing():
    runs = matrix_of(np.random.default_rng(0).random((1, 10)))
    found = risk_verdicts(runs, runs.values[0], 1.0, baseline_run=runs.runs[0])
    assert (found.n_compared, claims(found)) == (0, [[False]] * 3)


def test_threads_change_nothing():
    runs = matrix_of(np.random.default_rng(0).random((5, 20)))
    one, three = (risk_verdicts(runs, np.full(20, 0.5), 1.0, jobs=jobs) for jobs in (1, 3))
    for name in P_VALUES:
        assert getattr(one, name).tolist() == getattr(three, name).tolist()


@examples(30)
@given(score_arrays((2, 5), (6, 12), UNIT, COARSE))
def test_claims_keep_their_side(values: FloatArray):
    runs, baseline = matrix_of(values), values.mean(axis=0)
    found, compared = risk_verdicts(runs, baseline, 1.0, n_resamples=199), risk(runs, baseline, (1.0,))
    assert (compared.delta[found.safe] > 0).all()
    assert (compared.at[0].u_risk[found.safe] > 0).all()
    assert (compared.at[0].u_risk[found.risky] < 0).all()
    assert not (found.safe & found.risky).any()
    assert (found.deviation[found.deviant] > 0).all()


def test_equal_runs_have_t_risk_below_minus_2_the_more_often_the_more_queries_there_are():
    # U = (1 + a / 2) mean d - a / 2 mean |d|: of normal d with mean 0 and spread 1, delta has the mean
    # -1 / 2 sqrt(2 / pi) = -.398942 at alpha 1 and the variance 2.5 - .159155, so T is about -.2607 sqrt(n)
    gains = np.random.default_rng(0).normal(size=(20_000, 25))
    for n_queries in (9, 25):
        t_risk = risk(matrix_of(gains[:, :n_queries]), np.zeros(n_queries), (1.0,)).at[0].t_risk
        expected = stats.norm.cdf(-2 + 0.398942 / np.sqrt(2.340845) * np.sqrt(n_queries))
        assert (t_risk < -2).mean() == pytest.approx(expected, abs=0.05)


def test_the_resamples_of_verdicts_are_drawn_once_for_each_test(monkeypatch):
    """Only p is needed; for a critical difference they would be drawn a second time."""
    drawn = []
    generator = inference.generator
    monkeypatch.setattr(inference, "generator", lambda *stream: drawn.append(stream[-1]) or generator(*stream))
    scores = matrix_of(np.random.default_rng(0).random((4, 30)))
    risk_verdicts(scores, scores.values[0], 1, baseline_run=scores.runs[0], n_resamples=500)
    n_tests = inference.N_TESTS + 1  # and that of U_risk at one alpha
    assert sorted(drawn) == [0] * n_tests + [1] * n_tests  # two blocks
