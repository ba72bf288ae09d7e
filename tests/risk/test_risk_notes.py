"""Every sentence of risk, on answers to scores whose gains and losses are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import assert_says, spaced, track_of

from biasvar_cli.analyses.risk import RiskRequest
from biasvar_cli.analyses.risk import answer as risk
from biasvar_cli.analyses.risk import table as notes
from biasvar_cli.analyses.risk.answer import RiskAnswer
from biasvar_cli.analyses.risk.table import RiskView, risk_table

pytestmark = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
FAR = spaced(0.6, 0.4, 0.2)
MANY = spaced(0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
NEAR = spaced(0.5, 0.501, 0.499)
SHIFTED = np.array([[0.5, 0.4, 0.3, 0.2, 0.1, 0.6, 0.7]] * 2) + np.array([[0.1], [0.0]])  # the same on every query
R1 = ("r1",)
U = "u_risk_1: reward - (1 + alpha) risk, mean gain and mean loss over all queries, alpha = 1. t_risk_1: that …risky."


def answer(values: object, *, better: Any = "more", clusters: str = "", **asked: Any) -> RiskAnswer:
    return risk.answer(track_of(values, better=better, clusters=clusters), RiskRequest(**asked))[0]


def safe(text: str, side: str = "above") -> str:
    return f"Safe (mean significantly {side} the baseline's, u_risk_1 above 0): {text}."


RISKY = "Risky (u_risk_1 significantly below 0): {}.".format
STEPDOWN = "two-sided step-down bootstrap"
TESTS = "Tests: two-sided {}, p < 0.05{}; of mean differences for safe, of u_risk_1 for risky.".format
TWO_RUNS = ", adjusted for 2 runs"


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (FAR, {"baseline": R1}, (f"{safe('1 of 2 runs: r0 (wins 8, losses 0)')} {RISKY('1 of 2 runs: r2')} "
         f"{TESTS('step-down bootstrap', TWO_RUNS)}")),
        (MANY, {"baseline": ("r5",)},
         (f"{safe('5 of 5 runs: r0 (wins 8, losses 0), r1 (8, 0), r2 (8, 0), r3 (8, 0) and 1 more')} "
         f"{RISKY('none of 5 runs')} {TESTS('step-down bootstrap', ', adjusted for 5 runs')}")),
        (MANY, {"baseline": ("top",)}, ("Risky (mean significantly below that of r0, and so u_risk_1 below 0): 5 of 5 "
         "runs: r5, r4, r3, r2 and 1 more. Test: two-sided step-down bootstrap of mean differences, p < 0.05 for all "
         "15 pairs of runs together, since r0 was chosen for its mean.")),
        (FAR[:2], {"baseline": ("top",)}, "Risky (…): 1 of 1 run: r1. Test: two-sided …, p < 0.05 for one pair."),
        (FAR[:2], {"baseline": R1}, (f"{safe('1 of 1 run: r0 (wins 8, losses 0)')} {RISKY('none of 1 run')} "
         f"{TESTS('studentised bootstrap', '')}")),
        (NEAR, {"baseline": ("r0",), "alpha": (0.0,)}, ("Safe (…u_risk_0 above 0): none of 2 runs. Risky (…): none "
         "of 2 runs. Neither: both runs, for which these queries do not decide. …")),
        (NEAR[:2], {"baseline": ("r0",), "alpha": (0.0,)}, ("Safe (…): none of 1 run. Risky (…): none of 1 run. "
         "Neither: the one run, for which …")),
        (np.vstack([NEAR[:2], FAR[2:]]), {"baseline": ("r0",), "alpha": (0.0,)}, ("…Risky (…): 1 of 2 runs: r2. "
         "Neither: the other run, for which …")),
        (np.vstack([NEAR, FAR[2:]]), {"baseline": ("r0",), "alpha": (0.0,)}, ("…Risky (…): 1 of 3 runs: r3. Neither: "
         "the other 2 runs, for which …")),
        (FAR, {"baseline": ("best",)}, ("Every difference from the best scores is a loss or a tie: u_risk_A is -(1 + "
         "A) times the bias.")),
        (FAR[:1], {"baseline": ("r0",)}, "The baseline is the only run: there is nothing to compare."),
        (FAR[:, :5], {"baseline": R1}, ("No run is called safe or risky: that takes at least 6 queries, and there are "
         "5.")),
    ],
)  # fmt: skip
def test_safe_and_risky_runs(values: np.ndarray, asked: dict[str, Any], text: str):
    """Of FAR and MANY every run is above the next on all eight queries."""
    assert_says(
        notes._verdict_notes(answer(values, **asked)),
        text,
    )


def test_of_costs_a_safe_run_is_below_the_baseline():
    less = answer(FAR, better="less", baseline=R1)
    assert_says(
        notes._verdict_notes(less),
        f"{safe('1 of 2 runs: r2 (wins 8, losses 0)', 'below')} …: 1 of 2 runs: r0. …",
    )
    assert_says(
        notes._notes(less),
        f"Less is better: a gain is a score below the baseline's, and u_risk is that of the negated scores. … {U} "
        "z_risk, geo_risk and gmap are undefined (-): they are of scores of which more is better. For another …",
    )
    assert_says(notes._notes(answer(FAR, better="less")), "…Almost every good run is below this baseline. …")


ANOTHER = "For another baseline: --baseline RUN, top, mean, median, best or file:PATH."
CAN_BE = "A run can be risky with the baseline's mean: equal gains and losses make u_risk_1 negative."


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (FAR, {}, (f"{CAN_BE} {U} Almost every good run is above this baseline. For another, such as a run: --baseline "
         "RUN.")),
        (FAR, {"baseline": R1}, f"{CAN_BE} {U} {ANOTHER}"),
        (FAR, {"baseline": R1, "alpha": (0.0,)}, (f"{U.replace('_1', '_0').replace('alpha = 1', 'alpha = 0')} "
         f"{ANOTHER}")),
        (FAR, {"baseline": ("top",)}, f"{U} {ANOTHER}"),
        (FAR, {"baseline": ("r0",)}, f"r0 has the best mean. If …choice. {CAN_BE} {U} {ANOTHER}"),
        (FAR[:1], {"baseline": ("r0",)}, (f"{U} z_risk and geo_risk are undefined (-): there is only one run. "
         f"{ANOTHER}")),
        (FAR - 0.5, {"baseline": R1}, ("…z_risk, geo_risk and gmap are undefined (-): there is a negative score. "
         f"{ANOTHER}")),
        (SHIFTED, {"baseline": R1}, f"{U} t_risk is undefined (-) for 1 run: every difference is the same. {ANOTHER}"),
        (FAR[:, :1], {"baseline": R1, "ci": 0.9}, (f"{U} t_risk is undefined (-) for 2 runs: there is one query. "
         f"{ANOTHER} No intervals: one query has no spread.")),
        (FAR, {"baseline": ("median",)}, f"… {ANOTHER}"),
    ],
)  # fmt: skip
def test_the_lines_under_the_runs(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._notes(answer(values, **asked)), text)


def test_of_few_clusters_nothing_is_told():
    few = answer(FAR, clusters="aabbccdd", baseline=R1, ci=0.9)
    assert_says(
        notes._verdict_notes(few), "No run is called safe or risky: that takes at least 6 clusters, and there are 4."
    )
    assert_says(
        notes._notes(few),
        f"{U} t_risk is undefined (-) for 3 runs: that takes at least 6 clusters, and there are 4. {ANOTHER} No "
        "intervals: that takes at least 6 clusters, and there are 4.",
    )


@pytest.mark.parametrize(
    ("values", "asked", "parts", "absent"),
    [
        (FAR, {"baseline": R1}, ["Best by mean, u_risk_1, t_risk_1, geo_risk_1: r0.", ("Deviates significantly more "
         "from the baseline, up or down, than the other runs: "), ("Safe, risky and deviating runs come from separate "
         "tests ("), "not adjusted for 3 runs."], ["All ", "Intervals of"]),
        (MANY, {"baseline": ("r5",)}, ["All safe runs: r0, r1, r2, r3 and r4. Deviates"], ["All risky"]),
        (MANY, {"baseline": ("r0",)}, ["All risky runs: r5, r4, r3, r2 and r1. Deviates"], ["All safe"]),
        (MANY, {"baseline": ("top",)}, [("No run is safe beside the one with the best mean. The test "
         "has ")], ["Deviates", "separate tests"]),
        (FAR[:2], {"baseline": R1}, ["Safe, risky and deviating runs"], ["Deviates"]),
        (FAR[:, :5], {"baseline": R1}, ["Best by mean"], ["Safe, risky"]),
        (FAR, {"baseline": R1, "ci": 0.9, "resamples": 200}, [("Intervals of 90 % are for new queries of the same "
         "kind: of u_risk by Student's t, of geo_risk by BCa (200 resamples, seed 0).")], []),
        (FAR[:, :1], {"baseline": R1, "ci": 0.9}, ["Best by mean, u_risk_1, geo_risk_1: r0."],
         ["Intervals of", "by t_risk_1"]),
    ],
)  # fmt: skip
def test_what_full_notes_add(values: np.ndarray, asked: dict[str, Any], parts: list[str], absent: list[str]):
    found = answer(values, **asked)
    said = " ".join(notes._details(found, notes.filled(notes.TABLES["runs"], found)))
    assert [part for part in parts if part not in said] == [], said
    assert [part for part in absent if part in said] == []


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        ([[0.5, 0.5], [0.5, 0.6]], {"baseline": ("r0",)}, "No run is below the baseline on any query."),
        ([[0.5] * 4, [0.4, 0.6, 0.6, 0.6], [0.3, 0.6, 0.4, 0.6]], {"baseline": ("r0",)}, ("Query q0 has the most "
         "losses: 2 of 3 runs are below the baseline there. Largest loss: 0.2000, of r2 on query q0.")),
        ([[0.5] * 4, [0.4, 0.6, 0.6, 0.6]], {"baseline": ("r0",)}, ("Query q0 has the most losses: 1 of 2 runs is "
         "below the baseline there. Largest loss: 0.1000, of r1 on query q0.")),
        ([[0.5] * 5, [0.4, 0.4, 0.6, 0.6, 0.6]], {"baseline": ("r0",)}, ("2 of 5 queries (q0 and q1) have the most "
         "losses: on a query of these 1 of 2 runs is below the baseline. Largest loss: 0.1000, of r1 on query q0; as "
         "large on 1 other query.")),
        ([[0.5] * 4, [0.4, 0.3, 0.6, 0.6]], {"baseline": ("r0",)}, ("2 of 4 queries have the most losses: … Largest "
         "loss: 0.2000, of r1 on query q1.")),
    ],
)  # fmt: skip
def test_the_queries_with_most_losses(values: Any, asked: dict[str, Any], text: str):
    assert_says(notes._losers_notes(answer(values, **asked)), text)


@pytest.mark.parametrize(
    ("better", "run", "text"),
    [
        ("more", "r1", ("r1 is above the baseline on 2 of 4 queries and below on 1; its mean difference is +0.0250. "
         "Its largest loss is 0.1000, on query q0.")),
        ("more", "r2", ("r2 is above the baseline on 1 of 4 queries and below on 2; its mean difference is -0.0250. "
         "Its largest loss is 0.1000, on queries q0 and q1.")),
        ("more", "r0", "r0 is above the baseline on 0 of 4 queries and below on 0; its mean difference is 0.0000."),
        ("less", "r1", ("r1 is below the baseline on 1 of 4 queries and above on 2; its mean difference is -0.0250. "
         "Its largest loss is 0.1000, on queries q1 and q2.")),
    ],
)  # fmt: skip
def test_one_run_on_every_query(better: Any, run: str, text: str):
    values = [[0.5] * 4, [0.4, 0.6, 0.6, 0.5], [0.4, 0.4, 0.6, 0.5]]
    made = risk_table(answer(values, better=better, baseline=("r0",)), RiskView(table=f"run:{run}"))
    assert_says(made.verdict, text)


@pytest.mark.parametrize(
    ("baseline", "text"),
    [
        ("mean", "the mean of the runs on each query, mean 0.4000"),
        ("median", "the median of the runs on each query, mean 0.4…"),
        ("best", "the best score of each query over the runs, mean 0.6000"),
        ("r1", "the run r1, mean 0.4000"),
        ("top", "the run r0, which has the best mean, mean 0.6000"),
    ],
)
def test_the_title_names_the_baseline(baseline: str, text: str):
    assert_says(notes.title_of(answer(FAR, baseline=(baseline,))), f"AP of 3 runs on 8 queries. Baseline: {text}")


def test_a_pool_of_other_runs_is_named():
    (found,) = risk.answer(track_of(FAR[:2], FAR), RiskRequest(baseline=("mean",)))
    assert_says(
        notes.title_of(found),
        "AP of 2 runs on 8 queries. Baseline: the mean of a pool of 3 runs on each query, mean 0.4000",
    )


@pytest.mark.parametrize(
    ("view", "first"),
    [
        (RiskView(), "r0"),
        (RiskView(format="csv"), "r0"),
        (RiskView(sort="mean"), "r1"),
        (RiskView(table="queries"), "q1"),
        (RiskView(table="queries", format="csv"), "q0"),
        (RiskView(table="queries", sort="-losses"), "q1"),
        (RiskView(table="run:r1"), "q1"),
        (RiskView(table="run:r1", sort="-delta"), "q0"),
    ],
)
def test_people_read_the_best_run_and_the_most_losses_first(view: RiskView, first: str):
    """Both other runs lose on q1 and q2, and one on q0; that of r1 on q1 is the largest."""
    made = risk_table(answer([[0.6, 0.9, 0.5], [0.5, 0.6, 0.4], [0.6, 0.5, 0.4]], baseline=("r0",)), view)
    assert made.columns["run" if view.table == "runs" else "query_id"][0] == first


def test_losses_count_more_where_alpha_is_above_0():
    assert risk_table(answer(FAR), RiskView()).caption == ("A loss counts 2 times where alpha = 1",)
    assert risk_table(answer(FAR, alpha=(0.0,)), RiskView()).caption == ()
    for view in (RiskView(), RiskView(format="csv")):
        made = risk_table(answer(FAR), view)
        assert (bool(made.verdict), bool(made.notes), bool(made.details)) == (view.for_people,) * 3
    assert "verdict" in risk_table(answer(FAR[:, :5]), RiskView()).hidden
    assert "verdict" not in risk_table(answer(FAR), RiskView()).hidden
