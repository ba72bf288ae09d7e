"""Sentences of decompose on scores whose means and variances are known; others are in test_decompose_text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says, spaced, swinging, track_of

from biasvar_cli.analyses.decompose import DecomposeRequest, interval_words
from biasvar_cli.analyses.decompose import answer as decompose
from biasvar_cli.analyses.decompose import table as notes
from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.statistic import CrossHalf, Stability
from biasvar_cli.scoring.track import Track
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.stats.monte_carlo import Simulated

pytestmark = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
PERFECT, GIVEN = ("perfect",), ("mean:0.9",)
STEADY = swinging((0.6, 0.1), (0.5, 0.2), (0.4, 0.3))  # against 1 the totals are .17, .29 and .45
CROSSED = swinging((0.6, 0.4), (0.55, 0.1), (0.3, 0.1))  # .32, .2125 and .50


def answer(values: object, track: Track | None = None, **asked: Any) -> DecomposeAnswer:
    request = DecomposeRequest(**{"null": None, "target": PERFECT, **asked})
    return decompose.answer(track_of(values) if track is None else track, request)[0]


@pytest.mark.parametrize(
    ("values", "form", "asked", "text"),
    [
        (STEADY, "score", {}, "Least total error: r0 (0.1700), which has the best mean too; next r1 (0.2900)."),
        (STEADY[:1], "score", {}, "Least total error: r0 (0.1700)."),
        (
            STEADY[[0, 0, 1]],
            "score",
            {},
            ("Least total error: r0 and r1 (0.1700), which have the best mean too; next r2 (0.2900)."),
        ),
        (
            swinging((0.6, 0.3), (0.5, 0.0), (0.5, 0.4)),
            "score",
            {},
            ("Least total error: r0 and r1 (0.2500), one of which has the best mean too; next r2 (0.4100)."),
        ),
        (CROSSED, "score", {}, "Least total error: r1 (0.2125). Best mean: r0 (0.6000), rank 2 by total."),
        (CROSSED[[0, 1, 0]], "score", {}, "Least total error: r1 (0.2125). Best mean: r0 and r2 (0.6000)."),
        (
            STEADY,
            "gap",
            {},
            ("Least total error of the gap form: r0 (0.1700), which has the best mean too; next r1 (0.2900)."),
        ),
        (STEADY, "gap", {"target": GIVEN}, "No total of the gap form: the target has no score per query."),
    ],
)
def test_the_least_total(values: np.ndarray, form: Any, asked: dict[str, Any], text: str):
    assert_says(notes._least_note(answer(values, **asked).result, form), text)


def test_of_costs_the_best_mean_is_the_least():
    least = answer(None, track_of(CROSSED, better="less"), target=("best",))
    assert_says(notes._least_note(least.result, "score"), "Least total error: r2 (…), which has the best mean too; …")


FORMS = ("score", "gap")
R = "Correlation of bias² and {} over 3 runs: Pearson {}, Spearman {}, Kendall {}".format
SCORE = "bias: target mean - mean; var: variance over queries; total: bias² + var. Low scores have low var."
GAP = "var_gap: variance of target - score over the queries. total_gap: bias² + var_gap."
FRONT = "Pareto front (no run has less of both): r0"
LINEAR = swinging((0.4, 0.1**0.5), (0.5, 0.21**0.5), (0.6, 0.3**0.5))  # bias² .36, .25, .16 and variance .1, .21, .3
SAME_VAR = swinging((0.4, 0.2), (0.5, 0.2), (0.6, 0.2))
RISING = R("variance", "+0.9…", "+1.0000", "+1.0000")
NO_GAP = "No gap form: the target is a mean alone, without a score per query"
SAME = "no correlation: bias² or variance is the same for every run"


@pytest.mark.parametrize(
    ("values", "forms", "asked", "text"),
    [
        (LINEAR, ("score",), {}, f"{SCORE} {R('variance', '-1.0000', '-1.0000', '-1.0000')} {FRONT[:-2]}…"),
        (STEADY, FORMS, {}, f"{SCORE} {GAP} {RISING} {RISING.replace('variance', 'var_gap')} {FRONT}"),
        (SAME_VAR, ("score",), {}, f"{SCORE} {FRONT[:-2]}r2 Score form: {SAME}"),
        (SAME_VAR, FORMS, {}, f"{SCORE} {GAP} {FRONT[:-2]}r2 {SAME.capitalize()}"),
        (STEADY, FORMS, {"target": GIVEN}, f"{SCORE} {GAP} {RISING} {FRONT} {NO_GAP}"),
        (SAME_VAR, FORMS, {"target": GIVEN}, f"{SCORE} {GAP} {FRONT[:-2]}r2 {NO_GAP} Score form: {SAME}"),
        (STEADY[:2], FORMS, {}, f"{SCORE} {GAP} {FRONT} No correlation over 2 runs: at least 3 are needed"),
        (STEADY[:1], ("score",), {}, f"{SCORE} No correlation over 1 run: at least 3 are needed"),
        (STEADY, ("score",), {"weights": (2.0, 0.5)}, f"{SCORE} … {FRONT} total_w: 2 bias² + 0.5 var"),
    ],
)
def test_the_lines_under_the_runs(values: np.ndarray, forms: Any, asked: dict[str, Any], text: str):
    found = answer(values, **asked)
    assert_says(notes._notes(found, forms, front(found), None), text)


def front(found: DecomposeAnswer) -> list[str]:
    return [run for run, is_on in zip(found.scores.runs, found.front, strict=True) if is_on]


@pytest.mark.parametrize(
    ("values", "better", "text"),
    [
        (
            swinging((0.6, 0.3), (0.5, 0.2), (0.4, 0.1)),
            "more",
            ("r0 and r1, and 1 run below the median mean (low scores vary little)"),
        ),
        (
            swinging((0.6, 0.3), (0.5, 0.4), (0.4, 0.1)),
            "more",
            ("r0, and 1 run below the median mean (low scores vary little)"),
        ),
        (STEADY, "more", "r0"),
        (swinging((0.4, 0.3), (0.5, 0.2), (0.6, 0.1)), "less", "r0 and r1, and 1 run above the median mean"),
    ],
)
def test_runs_of_low_means_on_the_front_are_counted(values: np.ndarray, better: Any, text: str):
    found = answer(None, track_of(values, better=better), target=("best",))
    assert_says(notes._front_words(found.result, front(found)), text)


def test_of_low_runs_alone_the_front_has_their_number():
    assert_says(
        notes._front_words(answer(STEADY).result, ["r2"]), "1 run below the median mean (low scores vary little)"
    )


WHY = (
    "because differences in variance (standard deviation 0.0707) add to those in bias² (0.1466). Here variance rises "
    "with the mean (Kendall's tau 0.82), so a low total need not mean a good run: --sort -mean ranks by mean."
)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (STEADY, "Ranking by total is close to ranking by mean (Kendall's tau 1.00)."),
        (CROSSED, f"Ranking by total differs from ranking by mean (Kendall's tau +0.33), {WHY}"),
        (SAME_VAR[:1].repeat(3, 0), ""),
    ],
)
def test_the_ranking_by_total(values: np.ndarray, text: str):
    """Variances of .16, .01 and .01 have a standard deviation of .0707; one pair of three is in one order by both."""
    assert_says(notes._ranking_notes(answer(values).result), text)


@pytest.mark.parametrize(
    ("within", "text"),
    [
        (None, ""),
        (((0.0, 0.0), (0.0, 0.0)), "Replicates account for 0 % of the variance of a system; … of up to 0.0000 (A)."),
        (
            ((0.1, 0.1), (0.0, 0.0)),
            (
                "Replicates account for 0 % (B) to 20 % (A) of the variance of a system; the means of its runs have a "
                "standard deviation of up to … (A)."
            ),
        ),
        (((0.01, 0.01), (0.01, 0.01)), "Replicates account for less than 1 % of the variance …"),
    ],
)
def test_the_share_of_replicates(within: Any, text: str):
    """Two runs of a system that are .1 above and below their mean have a variance of .01, beside .04 over queries."""
    assert_says(notes._replicate_notes(_systems(within).result), text)


def _systems(within: Any) -> DecomposeAnswer:
    values = swinging((0.5, 0.2), (0.6, 0.2), n_queries=4)
    if within is None:
        return answer(values)
    runs = np.vstack(
        [row + sign * np.array(apart)[0] for row, apart in zip(values, within, strict=True) for sign in (1, -1)]
    )
    track = track_of(runs)
    return answer(None, track.of_systems({"r0": "A", "r1": "A", "r2": "B", "r3": "B"}))


def test_without_any_variance_replicates_have_no_share():
    track = track_of(np.full((4, 3), 0.5)).of_systems({"r0": "A", "r1": "A", "r2": "B", "r3": "B"})
    assert_says(notes._replicate_notes(answer(None, track).result), "")


def simulated(p: float, median: float = 0.5) -> Simulated:
    return Simulated(median, 0.1, 0.9, p, 500, 0)


@pytest.mark.parametrize(
    ("p_spread", "p_trend", "trend", "z", "text"),
    [
        (
            0.01,
            0.01,
            0.8,
            0.0,
            (
                "H: standard deviation of stability over the runs, here larger than in the null models; D: Spearman's "
                "correlation of stability and mean, here higher than in the null models."
            ),
        ),
        (0.2, 0.01, 0.2, 0.0, "…runs, here as in the null models; D: …mean, here lower than in the null models."),
        (
            np.nan,
            np.nan,
            0.8,
            np.nan,
            (
                "…runs, which is undefined here; D: …mean, which is undefined here. No stability (-) of 1 run, whose "
                "mean is 0 or 1 or whose samples do not vary."
            ),
        ),
    ],
)
def test_stability_beside_the_null_models(p_spread: float, p_trend: float, trend: float, z: float, text: str):
    stability = Stability(np.array([0.0, z]), 1.5, simulated(p_spread), trend, simulated(p_trend))
    assert_says(notes._stability_notes(stability), text)


def null_of(stability: bool, halves: bool) -> Null:
    made = Stability(np.zeros(3), 1.5, simulated(0.2), 0.4, simulated(0.2)) if stability else None
    r = (Correlations(-0.25, 0.0, 0.0), Correlations(-0.5, 0.0, 0.0))
    return Null({}, {}, "found 3", 500, 0, made, CrossHalf(*r) if halves else None)


@pytest.mark.parametrize(
    ("asked", "stability", "halves", "details", "keys"),
    [
        (False, True, True, "", None),
        (True, False, False, " Stability is not defined: found 3.", {"H", "D"}),
        (
            True,
            False,
            True,
            (
                " Stability is not defined: found 3. Without a model: r of bias² on one half of the queries and "
                "variance on the other is -0.2500, on the same half -0.5000 (means over random halves)."
            ),
            {"H", "D", "cross_half"},
        ),
        (True, True, False, "", {"H", "D"}),
    ],
)
def test_stability_is_of_those_who_ask_for_it(asked: bool, stability: bool, halves: bool, details: str, keys: Any):
    found = replace(answer(STEADY, stability=asked), drawn=null_of(stability, halves))
    *_, order = notes._details(answer(STEADY), ["r0"])
    said = " ".join(["var has divisor n (population) All of the Pareto front: r0", order])
    assert_says(notes._details(found, ["r0"]), f"{notes_in_words(said)}{details}")
    document = notes._document(found)
    assert document.get("stability") is None if keys is None else document["stability"].keys() == keys
    assert len([*notes._stability_table(found)]) == (asked and stability)
    if asked:
        assert (document["stability"]["H"] is None) != stability


def notes_in_words(text: str) -> str:
    return text.partition("Kendall's tau of the orders")[0] + "Kendall's tau of the orders …"


def test_intervals_and_baselines_have_their_lines():
    of_ci = answer(spaced(0.6, 0.5, 0.4, 0.3), ci=0.9, resamples=200, baseline="r1", target=("best",))
    assert_says(
        interval_words.baseline_notes(of_ci),
        "d_: minus r1; ratio_: over r1; _holm: p, adjusted for all runs The "
        "variance of target - score of run r0 is 0: no test of var_gap.",
    )
    best = answer(spaced(0.6, 0.5, 0.4), baseline="r0", target=("best",))
    assert_says(interval_words.baseline_notes(best), "r0 has the best mean. If …choice. d_: minus r0; …all runs…")
    top = answer(spaced(0.6, 0.5, 0.4), baseline="top", target=("best",))
    assert_says(
        interval_words.baseline_notes(top),
        "d_: minus r0; ratio_: over r0; _holm: p, adjusted for all 3 pairs of runs, since r0 was chosen for its mean…",
    )
    assert_says(interval_words.baseline_notes(answer(STEADY)), "")


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (swinging((0.6, 0.2), (0.5, 0.0), (0.4, 0.1)), {}, "…The variance of run r1 is 0: no test of var.…"),
        (swinging((0.6, 0.0), (0.5, 0.1), (0.4, 0.1)), {}, "…The variance of run r0 is 0: no test of var.…"),
        (
            np.array([[0.5, 0.6, 0.4, 0.5, 0.6, 0.7], [0.9] + [0.3] * 5]),
            {},
            ("…Without query q0 the variance of run r1 is 0: no test of var.…"),
        ),
        (
            np.array([[0.9] + [0.3] * 5, [0.5, 0.6, 0.4, 0.5, 0.6, 0.7], [0.8] + [0.2] * 5]),
            {},
            ("…Without query q0 the variance of run r0 is 0: no test of var.…"),
        ),
    ],
)
def test_a_variance_of_0_has_no_test(values: np.ndarray, asked: dict[str, Any], text: str):
    """A baseline without variance is named in place of all runs that are compared with it."""
    assert_says(interval_words.baseline_notes(answer(values, baseline="r0", **asked)), text)


@pytest.mark.parametrize(
    ("track", "asked", "text"),
    [
        (track_of(STEADY), {"null": None}, ""),
        (
            track_of(STEADY[:, :1]),
            {"ci": 0.9, "resamples": 200},
            ("No interval of mean, … for 3 runs: one query has no spread. …"),
        ),
        (
            track_of(STEADY),
            {"ci": 0.9, "resamples": 200, "target": GIVEN},
            ("…No interval of …var_gap, total_gap for 3 runs: the target is a mean alone. …"),
        ),
        (
            track_of(STEADY, clusters="aabbccdd"),
            {"ci": 0.9, "resamples": 200},
            ("No interval of … for 3 runs: at least 6 clusters are needed. …"),
        ),
    ],
)
def test_an_interval_that_is_missing_has_a_reason(track: Track, asked: dict[str, Any], text: str):
    assert_says(interval_words.interval_notes(answer(None, track, **asked)), text)


@pytest.mark.parametrize(
    ("view", "more", "first"),
    [
        (DecomposeView(), ("--form both (gaps)", "biasvar report"), "r0"),
        (DecomposeView(form="both"), ("biasvar report",), "r0"),
        (DecomposeView(form="gap", sort="mean"), ("biasvar report",), "r2"),
        (DecomposeView(top=1), ("--form both (gaps)", "biasvar report"), "r0"),
    ],
)
def test_the_table_has_the_form_and_the_order_of_its_view(view: DecomposeView, more: tuple[str, ...], first: str):
    table = decompose_table(answer(STEADY, target=("best",)), view)
    assert (table.more, table.columns["run"][0]) == (more, first)
    assert {"var_gap", "total_gap"} & table.hidden == (set() if view.form != "score" else {"var_gap", "total_gap"})
    (correlations,) = notes.tables([answer(STEADY)], replace(view, table="correlations"))
    assert correlations.columns["form"] == ["score", "gap"]


def test_what_intervals_of_systems_are_about():
    assert_says(notes._inference_notes(answer(STEADY)), "")
    assert_says(
        notes._inference_notes(answer(STEADY, ci=0.9)),
        "Intervals are about other queries and these runs of a system, …",
    )
    both = answer(STEADY, ci=0.9, baseline="r0")
    assert_says(notes._inference_notes(both), "Intervals and tests against the baseline are about …")


def test_a_logarithm_names_its_constant():
    """Of .0 and .5 with .1 added the logarithm is spoken of as such, and one score of four lies below .1."""
    values = np.array([[0.0, 0.5], [0.4, 0.6]])
    assert_says(
        notes._log_notes(answer(values, log="add", eps=0.1, target=("best",)))[0],
        "Scores are ln(score + 0.1); 1 of 4 scores lie below 0.1…",
    )
    assert_says(
        notes._log_notes(answer(values, log="floor", eps=0.1, target=("best",)))[1],
        "…mean: the log of the geometric mean of max(score, 0.1)",
    )


_LEVELS = np.linspace(0.2, 0.7, 12)[:, None]
RANDOM = np.clip(
    _LEVELS + np.random.default_rng(7).normal(0, 0.1, (12, 30)) * (1 - _LEVELS), 0, 1
)  # with more of either there is an interval of everything


@pytest.mark.parametrize(
    ("over", "units"),
    [((), ["queries"]), (("runs", "both"), ["queries", "runs", "queries and runs"])],
)
def test_intervals_of_correlations_are_a_table_and_a_document(over: tuple[str, ...], units: list[str]):
    found = answer(RANDOM, ci=0.9, resamples=60, over=over, target=("best",))
    (made,) = interval_words.interval_table(found)
    assert made.title == "90 % intervals of the correlations"
    assert [*dict.fromkeys(made.columns["for new"])] == units
    assert all(low <= high for low, high in zip(made.columns["low"], made.columns["high"], strict=True))
    assert ("corrected" in made.columns) == any(
        each.score.rule == "test-inversion" for each in found.correlation_intervals
    )
    document = interval_words.interval_document(found, found.intervals)
    assert (document["level"], document["resamples"]) == (0.9, 60)
    rows = document["pearson"]
    assert [row["over"] for row in rows] == ["topics", *over]
    shown = dict(zip(zip(*(made.columns[name] for name in ("for new", "form", "coefficient")), strict=True),
                     made.columns["low"], strict=True))  # fmt: skip
    for row, unit in zip(rows, units, strict=True):
        assert row["gap"]["low"] == shown[unit, "gap", "pearson"]
    said = " ".join(interval_words.interval_details(found))
    assert (
        "for new queries of the same kind and the best of the same runs: BCa, of variances log-jackknife-t; 60" in said
    )
    assert all(f"Intervals of correlations for new {unit}" in said or f", {unit}" in said for unit in units)


def test_without_intervals_there_is_no_table_of_them():
    assert [*interval_words.interval_table(answer(STEADY))] == []
    assert [*interval_words.interval_table(answer(STEADY[:2], ci=0.9, resamples=50))] == []  # of two runs
    compared = answer(RANDOM, baseline="r1", target=("best",))
    assert_says(interval_words.interval_details(compared), "d_ has paired t tests over queries …of 95 %")
