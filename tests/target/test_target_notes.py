"""Sentences of target, on answers to scores whose suppliers and difficulty are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import assert_says, track_of

from biasvar_cli.analyses.target import TargetRequest
from biasvar_cli.analyses.target import answer as target
from biasvar_cli.analyses.target import table as notes
from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.tables.rows import View

pytestmark = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
SHARED = np.array([[0.9, 0.2, 0.5], [0.6, 0.4, 0.5], [0.3, 0.1, 0.5]])  # r0 alone on q0, r1 on q1, all on q2
BOTH = np.array([[0.9, 0.2], [0.6, 0.4]])
EQUAL = np.full((3, 3), 0.5)
PAIRS = np.array([[0.9, 0.2, 0.5], [0.9, 0.4, 0.1], [0.3, 0.4, 0.5]])  # two runs on every query
PERFECT, OF_R1 = {"target": ("perfect",)}, {"target": ("run:r1",)}


def answer(values: np.ndarray, better: Any = "more", **asked: Any) -> TargetAnswer:
    return target.answer(track_of(values, better=better), TargetRequest(**asked))[0]


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (SHARED, {}, ("2 of 3 runs have the best score on at least one query, the other one on none (not counting 1 "
         "query on which all runs do). Most often alone: r0 (1 query) and r1 (1).")),
        (np.vstack([SHARED, SHARED[2:] / 2]), {},"3 of 4 runs …"),
        (BOTH, {}, "Both runs have the best score on at least one query. Most often alone: r0 (1 query) and r1 (1)."),
        (PAIRS, {}, "All 3 runs have the best score on at least one query; no run does so alone."),
        (EQUAL, {}, "All runs have the target's score on every query."),
        (EQUAL, PERFECT, "No run reaches the target's score on any query."),
        (SHARED, OF_R1, "… on at least one query…"),
        (SHARED[:1], {}, "The target is the run r0 itself."),
        (np.array([[1.0, 0.5]]), PERFECT,"…reaches the target's score on at least one query."),
        (SHARED[[0, 0, 2]], {}, ("2 of 3 runs have the best score on at least one query, the other one on none (not "
         "counting 1 query on which all runs do); no run does so alone.")),
    ],
)  # fmt: skip
def test_who_supplies_the_target(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._supplier_note(answer(values, **asked)), text)


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (SHARED, {}, "The target's mean falls most without r0, by 0.1000."),
        (PAIRS, {}, "Without any single run the target stays the same: another run has each of its scores."),
        (np.array([[0.9, 0.2], [0.1, 0.5]]), {}, "The target's mean falls most without r0, by 0.4000."),
        (np.array([[0.9, 0.1], [0.1, 0.9]]), {}, ("The target's mean falls most without any one of r0 and r1, by "
         "0.4000.")),
        (np.vstack([SHARED, SHARED[2:]]), {"better": "less"}, "Without any single run …"),
        (np.vstack([BOTH, BOTH / 2, BOTH / 3]), {}, ("The target's mean falls most without r0, by 0.1500; leaving out "
         "any one of 4 runs does not change it.")),
        (SHARED[:1], {}, "unique and bias_loro are undefined (-): there is no other run."),
        (SHARED, PERFECT, "unique and bias_loro are undefined (-): of --target best only, not of perfect."),
        (BOTH, {"better": "less"}, "The target's mean rises most without r1, by 0.1500."),
    ],
)  # fmt: skip
def test_what_the_target_loses_without_a_run(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._unique_note(answer(values, **asked)), text)


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (BOTH, {}, ("The target's mean rises from 0.5250 for one run to 0.6500 for all 2: half of the rise takes 2 "
         "runs, nine tenths 2.")),
        (EQUAL, {}, "The target does not rise with the number of runs."),
        (BOTH, {"better": "less"}, ("The target's mean falls from 0.5250 for one run to 0.4000 for all 2: half of the "
         "fall …")),
        (EQUAL, {"better": "less"}, "The target does not fall with the number of runs."),
    ],
)  # fmt: skip
def test_how_the_target_grows(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._growth_note(answer(values, **asked)), text)


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (SHARED, {}, ("Hardest queries by the best score of the runs: q1 (0.4000) and q2 (0.5000); easiest: q0 "
         "(0.9000).")),
        (SHARED, {"difficulty": "mean"}, ("Hardest queries by the mean score of the runs: q1 (0.2333) and q2 "
         "(0.5000); easiest: q0 (0.6000).")),
        (BOTH, {}, "Hardest query by the best score of the runs: q1 (0.4000); easiest: q0 (0.9000)."),
        (EQUAL, {}, "All queries are equally hard: the best score of the runs is 0.5000 on each."),
        (np.array([[0.0, 0.5, 0.5], [0.0, 0.2, 0.1]]), {}, ("No run scores above 0 on 1 query: q0. All other queries "
         "are equally hard: the best score of the runs is 0.5000 on each.")),
        (np.array([[0.0, 0.5, 0.6], [0.0, 0.2, 0.1]]), {}, ("No run scores above 0 on 1 query: q0. Hardest other "
         "query by the best score of the runs: q1 (0.5000); easiest: q2 (0.6000).")),
        (np.array([[0.0, 0.5, 0.0, 0.1], [0.0, 0.2, 0.0, 0.3]]), {}, ("No run scores above 0 on 2 queries: q0 and q2. "
         "Hardest other query by the best score of the runs: q3 (0.3000); easiest: q1 (0.5000).")),
        (np.array([[0.0, 0.5]]), {}, "No run scores above 0 on 1 query: q0."),
        (np.array([[0.0, 0.5]]), {"better": "less"}, ("Hardest query by the best score of the runs: q1 (0.5000); "
         "easiest: q0 (0.0000).")),
        (SHARED[:, :1], {}, ""),
        (np.array([[0.2, 0.2, 0.2, 0.6]]), {},("Hardest …: 3 of the 4 queries, which are tied (0.2000); easiest: q3 "
         "(0.6000).")),
        (np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]), {}, ("Hardest queries by the best score of the runs: q0 "
         "(0.1000), q1 (0.2000) and q2 (0.3000); easiest: q5 (0.6000).")),
        (np.array([[0.1, 0.2, 0.2, 0.2, 0.5, 0.6, 0.7]]), {}, ("Hardest …: q0 (0.1000), q1, q2 and 1 more (0.2000); "
         "easiest: q6 (0.7000).")),
    ],
)  # fmt: skip
def test_the_hardest_and_the_easiest_queries(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._difficulty_notes(answer(values, **asked)), text)


POOL = "More runs make a {} target: compare only targets of equally many runs (--rarefied R)."
MANY = np.linspace(0.1, 0.9, 11)[:, None] * np.ones((1, 2))


@pytest.mark.parametrize(
    ("values", "table", "asked", "text"),
    [
        (SHARED, "queries", {}, "suppliers: the runs that have this score, ties included. mean, sd: of the scores "
         "of all 3 runs. difficulty: 1 is the hardest query (lowest best score); group: 1 has the hardest 10, 2 the "
         f"next 10 {POOL.format('higher')}".replace("10 More", "10. More")),
        (SHARED[:1], "queries", {}, "…of the scores of the run. difficulty: …"),
        (EQUAL, "queries", {}, "…the next 10. 3 of the queries are tied, in order of their ids. More …"),
        (SHARED, "queries", {"better": "less", "difficulty": "mean"}, ("…1 is the hardest query (highest mean "
         f"score); … {POOL.format('lower')}")),
        (SHARED, "queries", PERFECT, "suppliers: … the next 10."),
        (SHARED, "runs", {}, ("supplied: …. alone: …. unique: by how much the target's mean falls without the run (0 "
         "where others are as good). bias: target's mean - mean; bias_loro: bias against the best of the other "
         f"runs, bias - unique. {POOL.format('higher')}")),
        (SHARED, "runs", PERFECT, "supplied: …. alone: …."),
        (SHARED, "rarefied", {}, f"mean: …. {POOL.format('higher')}"),
        (SHARED, "rarefied", PERFECT, f"mean: …. {POOL.format('higher')}"),
        (MANY, "runs", {}, ("… More runs make a higher target (expected mean 0.8927 with 10 of these runs): compare "
         "only targets of equally many runs (--rarefied 10).")),
        (MANY, "runs", {"better": "less"}, ("… More runs make a lower target (expected mean 0.1073 with 10 of these "
         "runs): …")),
        (MANY, "rarefied", {}, f"mean: …. {POOL.format('higher')}"),
    ],
)  # fmt: skip
def test_the_lines_under_a_table(values: np.ndarray, table: str, asked: dict[str, Any], text: str):
    """Of eleven runs .08 apart the best of ten is the best of all in ten cases of eleven: .9 - .08 / 11."""
    found = answer(values, **asked)
    assert_says(notes._notes(found, table, notes.filled(notes.TABLES[table], found)), text)


OVER = "The best of noisy scores overestimates the score that can be reached."


@pytest.mark.parametrize(
    ("table", "asked", "text"),
    [
        ("queries", {}, ("sd has divisor n (population). A target's score that no run has, as with --target perfect, "
         f"has no supplier. {OVER}")),
        ("runs", {}, ("unique is 0 for two runs with nearly the same scores, because either one replaces the other. "
         f"{OVER}")),
        ("rarefied", {"better": "less"}, OVER.replace("over", "under")),
        ("rarefied", PERFECT, OVER),
        ("runs", PERFECT, "unique is 0 for …other."),
    ],
)  # fmt: skip
def test_what_full_notes_add(table: str, asked: dict[str, Any], text: str):
    assert_says(notes._details(answer(SHARED, **asked), table), text)


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (SHARED, {}, ("Over the queries the target's score is from 0.4000 to 0.9000 (standard deviation 0.2160). "
         "Hardest …. 2 of 3 runs …")),
        (BOTH, {"better": "less"}, ("Over the queries the target's score is from 0.2000 to 0.6000 (standard deviation "
         "0.2000). …")),
        (EQUAL, {}, "The target has the same score on every query. All queries …"),
        (SHARED[:, :1], {}, "1 of 3 runs has the best score …"),
    ],
)  # fmt: skip
def test_the_verdict_on_the_queries(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._verdict(answer(values, **asked), "queries"), text)


@pytest.mark.parametrize(
    ("view", "first", "suppliers"),
    [
        (View(table="queries"), "q1", "r1"),
        (View(table="queries", format="csv"), "q0", "r0"),
        (View(table="queries", sort="-score"), "q0", "r0"),
        (View(table="runs"), "r0", None),
    ],
)
def test_people_read_the_hardest_query_first(view: View, first: str, suppliers: str | None):
    made = notes.target_table(answer(SHARED), view)
    assert made.columns["run" if view.table == "runs" else "query_id"][0] == first
    if suppliers:
        assert made.columns["suppliers"][0] == suppliers
        on_q2 = made.columns["suppliers"][made.columns["query_id"].index("q2")]
        assert on_q2 == ("r0 and 2 more" if view.for_people else "r0 r1 r2")
        assert made.target_row["query_id"] == "mean"
    assert made.more == tuple(f"--table {name}" for name in notes.TABLES if name != view.table)
    of_perfect = notes.target_table(answer(SHARED, **PERFECT), view)
    assert "--table rarefied" not in of_perfect.more
