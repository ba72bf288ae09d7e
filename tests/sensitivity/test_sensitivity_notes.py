"""Sentences of sensitivity, on answers to scores whose totals and switch points are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says, swinging, track_of

from biasvar_cli.analyses.sensitivity import SensitivityRequest
from biasvar_cli.analyses.sensitivity import answer as sensitivity
from biasvar_cli.analyses.sensitivity import table as notes
from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer
from biasvar_cli.tables.rows import View

pytestmark = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
STEADY = swinging((0.6, 0.1), (0.5, 0.2), (0.4, 0.3))  # r0 and r1 have equal totals against a mean of .4
CROSSED = swinging((0.6, 0.4), (0.55, 0.1), (0.3, 0.1))  # r1 and r2 against .425, r0 and r2 against .7
EQUAL = swinging((0.6, 0.1), (0.6, 0.1), (0.3, 0.1))
ONE_QUERY = CROSSED[:, :1]
PERFECT = {"target": ("perfect",)}
MEAN = {"target": ("mean:0.9",)}
ONE_TEAM = dict.fromkeys(("r0", "r1", "r2"), "A")


def answer(
    values: np.ndarray, better: Any = "more", teams: dict[str, str] | None = None, **asked: Any
) -> SensitivityAnswer:
    (found,) = sensitivity.answer(track_of(values, better=better), SensitivityRequest(**{"splits": 20, **asked}))
    return replace(found, teams=teams)


FIRST_TOO = "Against the best of the other runs (leave-one-run-out), {} first too."
NO_QUERY = "Leaving out any one query does not change which run has the least total."
SAME = "The ranking by total is the same against all of these targets."


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (STEADY, PERFECT, ("r0 has the least total error, and remains first for any target mean of at least 0.4000 "
         f"(now 1.0000). {FIRST_TOO.format('r0 is')} {NO_QUERY} {SAME}")),
        (CROSSED, {}, ("r1 has the least total error, and remains first for any target mean of at least 0.4250 (now "
         f"0.7250). {FIRST_TOO.format('r1 is')} {NO_QUERY} The ranking by total changes most against best:0.95, "
         "best:0.9 and best:0.75: 3 in 10 pairs of runs change places (Kendall's tau 0.33).")),
        (CROSSED[:2], {}, ("r1 has the least total error, and remains first for any target. Of 2 runs "
         f"leave-one-run-out measures one against the other, so that both have the same bias². {NO_QUERY}")),
        (EQUAL, {}, ("r0 and r1 have the least total error, and remain first for any target mean of at least 0.4500 "
         f"(now 0.6000). {FIRST_TOO.format('r0 and r1 are')} {NO_QUERY} {SAME}")),
        (CROSSED, {"better": "less"}, ("r2 has the least total error, and remains first for any target mean of at "
         f"most 0.4250 (now 0.3000). {FIRST_TOO.format('r2 is')} {NO_QUERY} {SAME}")),
        (ONE_QUERY, {}, ("r0 has the least total error, and remains first for any target mean of at least 0.8250 (now "
         "1.0000); r0 and r1 are first against best:0.75. Against the best of the other runs (leave-one-run-out), r0 "
         "and r1 are first. The ranking …")),
        (CROSSED, {"teams": {"r0": "A", "r1": "A", "r2": "B"}}, ("… Against the best of the other teams' runs "
         "(leave-one-team-out), r1 is first too. …")),
        (swinging((0.5, 0.0), (0.6, 0.2), (0.3, 0.1)), {}, ("r0 has the least total error, and remains first for any "
         "target mean from 0.3750 to 0.7500 (now 0.6500); r1 is first against perfect. Against …")),
    ],
)  # fmt: skip
def test_the_least_total_against_other_targets(values: np.ndarray, asked: dict[str, Any], text: str):
    """Totals of means m and deviations s are equal where the target's mean is the mean of both m plus half of the
    difference of s² over that of m.
    """
    assert_says(notes._targets_verdict(answer(values, **asked)), text)


CHECK = "Split-half check: "
TAU = (
    "tau: Kendall's tau of the ranking by total with the first row's (1: the same, -1: reversed); tau_gap, "
    "least_total_gap: by total_gap. best:Q: quantile {} of the scores of each query over the runs; perfect: {} on "
    "every query."
)
USUAL = TAU.format("Q", 1)
BY_MEAN = "tau: Kendall's tau-b …. tau_gap: …"


@pytest.mark.parametrize(
    ("values", "table", "asked", "text"),
    [
        (CROSSED, "targets", {}, f"{CHECK}…. {USUAL}"),
        (CROSSED, "targets", {"better": "less"}, f"{CHECK}…. {TAU.format('1 - Q', 0)}"),
        (CROSSED[:2], "targets", {}, f"{USUAL} No tau (-) of 2 runs: at least 3 are needed."),
        (CROSSED, "targets", MEAN, (f"{CHECK}…. {USUAL} No gap form (-) of the first row: the target is a mean alone, "
         "without a score per query.")),
        (CROSSED, "targets", {"teams": ONE_TEAM}, (f"{CHECK}…. {USUAL} No numbers (-) for leave-one-team-out: without "
         "the run, or its team, no run is left.")),
        (CROSSED, "runs", {}, ("rank: by total; rank_loro: against the best of the other runs; rank_perfect: against "
         "1 on every query. switch: the run changes places with no other while the target's mean (now 0.7250) is "
         "between these; -: no possible mean. unique: by how much the target's mean falls without the run.")),
        (CROSSED, "runs", {"teams": ONE_TEAM, "better": "less"}, ("rank: …against 0 on every query. switch: …. "
         "unique: by how much the target's mean rises without the run; team_unique: without its team.")),
        (CROSSED + 5, "runs", {}, "…(now 5.7250) is between these. unique: …"),
        (CROSSED, "neighbours", {}, ("switch: the target's mean, now 0.7250, at which both have the same total and "
         "change places; -: at no possible mean. before_perfect (*): switch is between the target's mean and 1.")),
        (CROSSED, "targets", {"log": "add", "eps": 0.1}, f"{CHECK}…. {USUAL.partition(' best:Q')[0]}"),
        (CROSSED, "queries", {}, ("Each row is the result without one query. shift: pearson minus r of all queries; "
         "largest first.")),
        (ONE_QUERY, "queries", {}, ""),
        (CROSSED, "reliability", {}, ("tau: Kendall's tau of the rankings on two random halves, 4 queries each (mean "
         "of 20 splits; 1: the same, 0: unrelated).")),
        (CROSSED, "mean", {}, BY_MEAN),
        (CROSSED[:2], "mean", {}, f"{BY_MEAN} No tau (-) of 2 runs: at least 3 are needed."),
    ],
)  # fmt: skip
def test_the_lines_under_a_table(values: np.ndarray, table: str, asked: dict[str, Any], text: str):
    found = answer(values, **asked)
    assert_says(notes._notes(found, table, notes._cells(found, table)), text)


HOLDS = "The ranking by total stays exactly as it is"


@pytest.mark.parametrize(
    ("values", "table", "asked", "text"),
    [
        (CROSSED, "runs", {}, ("All runs have the same rank against the best of the other runs (rank_loro). The "
         "target's mean falls most without r0, by 0.1750. The median run needs … queries for a 95 % interval of its "
         "variance within a factor of 1.22 (needed); there are 8.")),
        (CROSSED, "runs", {"better": "less"}, "…The target's mean rises most without r2, by 0.1250. …"),
        (ONE_QUERY, "runs", {}, ("1 of 3 runs has another rank against the best of the other runs (rank_loro): r1, "
         "from 2 to 1. The target's mean falls most without r0, by 0.3500.")),
        (EQUAL, "runs", {}, ("All runs have the same rank against the best of the other runs (rank_loro). The median "
         "run needs …")),
        (CROSSED, "neighbours", {}, (f"{HOLDS} while the target's mean (now 0.7250) is 0.7000 or more; below it r0 "
         "and r2 change places. 0 of 2 pairs of neighbours change places between the target's mean and 1, the mean "
         "of a perfect target.")),
        (CROSSED, "neighbours", {"better": "less"}, (f"{HOLDS} while the target's mean (now 0.3000) is 0.4250 or "
         "less; above it r2 and r1 change places. 0 of 2 …and 0, the mean of a perfect target.")),
        (CROSSED[:2], "neighbours", {}, f"{HOLDS} against every target. The one pair of neighbours does not change …"),
        (EQUAL[:2], "neighbours", {}, f"{HOLDS} against every target. …"),
        (swinging((0.5, 0.0), (0.6, 0.2)), "neighbours", {}, (f"{HOLDS} while the target's mean (now 0.6500) is "
         "0.7500 or less; above it r0 and r1 change places. The one pair of neighbours changes places …")),
        (STEADY[:2], "neighbours", {"target": ("mean:0.4",)}, ("Runs with equal totals change places as soon as the "
         "target's mean changes. The one pair of neighbours changes places …")),
        (STEADY, "neighbours", PERFECT, (f"{HOLDS} while the target's mean (now 1.0000) is 0.4000 or more; below it "
         "r0 and r1 change places.")),
        (ONE_QUERY, "queries", {}, "There is only one query, which cannot be left out."),
        (CROSSED, "queries", {}, (f"{NO_QUERY} Pearson's r of bias² and variance is -0.5…; without one query it is "
         "from -0.6… to -0.5…, and queries q0, q2, q4 and 1 more change it most.")),
        (EQUAL[:2], "queries", {}, NO_QUERY),
        (CROSSED, "reliability", {}, (f"{CHECK}…by mean…. {CHECK}…by total…. The ranking of the runs by mean has a "
         "reliability of 0.834 with 8 queries. Of the variance: 23.9 % runs, 38.0 % queries, 38.0 % the rest. A "
         "reliability of 0.95 takes 31 queries.")),
        (ONE_QUERY, "reliability", {}, ""),
        (CROSSED, "mean", {}, ("Best mean: r0 (0.6000), with rank 2 of 3 by total. Kendall's tau of the rankings by "
         "total and by mean is 0.33, and lowest, -0.33, against best:0.95, best:0.9 and best:0.75.")),
        (EQUAL, "mean", {}, ("Best mean: r0 and r1 (0.6000), with rank 1 of 3 by total. Kendall's tau of the rankings "
         "by total and by mean is 1.00.")),
        (swinging((0.6, 0.4), (0.6, 0.1), (0.3, 0.1)), "mean", {}, ("Best mean: r0 and r1 (0.6000), with ranks 1 and "
         "2 of 3 by total. …")),
        (CROSSED[:2], "mean", {}, "Best mean: r0 (0.6000), with rank 2 of 2 by total."),
    ],
)  # fmt: skip
def test_the_answer_of_a_table(values: np.ndarray, table: str, asked: dict[str, Any], text: str):
    """Mean squares of runs and of the rest are .07 and .0116 over 7 and 14: the reliability is 1 - .0116 / .07."""
    assert_says(notes._VERDICTS[table](answer(values, **asked)), text)


@pytest.mark.parametrize(
    ("without", "text"),
    [
        ([[1, 1, 1], [0, 0, 0]], NO_QUERY),
        ([[1, 1, 1], [1, 0, 0]], "Whichever query is left out, r1 has the least total, alone or tied."),
        ([[0, 1, 1], [1, 0, 0]], "Without query q0, r0 has the least total."),
        ([[0, 0, 1], [1, 1, 0]], "Without one of 2 of the 3 queries (q0 and q1) another run has the least total."),
    ],
)
def test_the_least_total_without_a_query(without: list[list[int]], text: str):
    """``without`` says for r1 and r0 whether they have the least total without each of three queries."""
    found = answer(CROSSED[:2, :3])
    least = np.array(without, dtype=bool)[::-1]
    found.__dict__["influence"] = replace(found.influence, least=least)
    assert found.targets.first.score.least == ("r1",)
    assert_says(notes._query_notes(found), text)


@pytest.mark.parametrize("table", list(notes.TABLES))
def test_one_run_has_no_ranking(table: str):
    one = answer(CROSSED[:1])
    made = notes.sensitivity_table(one, View(table=table))
    assert made.verdict == ("There is only one run, and no ranking.",)
    assert made.name == ("sensitivity" if table == "targets" else f"sensitivity-{table}")
    for_programs = notes.sensitivity_table(one, View(table=table, format="csv"))
    assert (for_programs.verdict, for_programs.notes, for_programs.details) == ((), (), ())
    if table == "targets":
        assert "stays exactly" not in " ".join(made.details)
        assert "stays exactly" in " ".join(notes.sensitivity_table(answer(CROSSED), View(table=table)).details)


def test_runs_that_are_first_no_more_have_their_ranks(monkeypatch: pytest.MonkeyPatch):
    for name in ("_winner_note", "_query_notes", "_ranking_notes"):
        monkeypatch.setattr(notes, name, lambda _: ())
    found = answer(CROSSED)
    first, other, *_ = found.targets.targets
    orders = [
        replace(first, score=replace(first.score, least=("r0", "r1"))),
        replace(other, score=replace(other.score, least=("r2",), rank=np.array([2, 3, 1]))),
    ]
    found.__dict__["targets"] = replace(found.targets, targets=tuple(orders))
    _, ranks = notes._targets_verdict(found)
    assert_says(
        ranks,
        "Against the best of the other runs (leave-one-run-out), r2 is first and r0 has rank 2 and r1 has rank 3.",
    )


def test_people_read_the_first_of_equal_runs_and_means_that_the_measure_allows():
    """The totals of r0 and r1 are equal against 2.075 by hand: .36 + .16 - 1.2 T = .3025 + .01 - 1.1 T."""
    for table, least in {"targets": ["r0", "r1"], "queries": "r0"}.items():
        people, scripts = (notes.tables([answer(EQUAL)], View(table=table, format=form))[0] for form in ("text", "csv"))
        assert (people.columns["least_total"][0], scripts.columns["least_total"][0]) == ("r0 and 1 more", least)
    assert (people.columns["tied"][0], scripts.columns["tied"][0]) == ("r1", ["r1"])
    alone = notes.sensitivity_table(answer(CROSSED), View(table="queries"))
    assert (alone.columns["least_total"][0], alone.columns["tied"][0]) == ("r1", None)
    for form, first in (("text", None), ("csv", pytest.approx(2.075))):
        neighbours = notes.sensitivity_table(answer(CROSSED), View(table="neighbours", format=form))
        assert neighbours.columns["switch"] == [first, pytest.approx(0.7)]


def test_json_has_between_which_means_the_ranking_holds():
    """Against .725 r1, r0 and r2 are ranked, up to 2.075 and down to .7."""
    made = notes.sensitivity_table(answer(CROSSED), View(table="targets", format="json")).document
    assert made["ranking_holds"] == {"low": pytest.approx(0.7), "high": pytest.approx(2.075)}
    assert [row["run"] for row in made["runs"]] == ["r1", "r0", "r2"]
    alone = notes.sensitivity_table(answer(CROSSED[:1]), View(table="targets"))
    assert alone.verdict == ("There is only one run, and no ranking.",)
