"""Sentences that several tables share: targets, systems of several runs, and parts that a table may lack."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says

from biasvar_cli.decomposition.decompose import VirtualTarget, mean_target
from biasvar_cli.decomposition.reliability import SplitHalf
from biasvar_cli.errors import UsageError
from biasvar_cli.score_matrix import Replicates, ScoreMatrix
from biasvar_cli.specs.targets import parse_target
from biasvar_cli.tables import rows
from biasvar_cli.tables.column import Cells, Column
from biasvar_cli.tables.table import evaluated, signature, target_words


@pytest.mark.parametrize(
    ("target", "better", "drawn", "text"),
    [
        ("best", "more", None, "the best score of each query over the runs"),
        ("best", "more", 2, "the best score of each query over 2 runs, expected over all draws from the runs"),
        ("best:0.9", "more", None, "quantile 0.9 of the scores of each query over the runs"),
        ("best:0.9", "less", None, "quantile 0.1 of the scores of each query over the runs"),
        ("perfect", "more", None, "a score of 1 on every query"),
        ("perfect", "less", None, "a score of 0 on every query"),
        ("ideal", "more", None, "the score of an ideal ranking of the relevant documents of each query"),
        ("ideal", "less", None, "the least possible score"),
        ("run:bm25", "more", None, "the scores of bm25"),
        ("file:best.csv", "more", None, "the scores in best.csv"),
    ],
)
def test_where_the_scores_of_a_target_come_from(target: str, better: Any, drawn: int | None, text: str):
    made = VirtualTarget(parse_target(target), 0.0, np.zeros(2), 3, drawn, better)
    assert target_words(made, 3) == text
    assert target_words(made, 2) == text.replace("the runs", "a pool of 3 runs")


def test_a_given_mean_has_no_scores():
    assert_says(evaluated("AP", 2, 3, mean_target(0.45)), "AP of 2 runs on 3 queries. Target: a given mean, 0.4500")
    assert_says(evaluated(None, 1, 1), "Scores (unknown measure) of 1 run on 1 query.")
    assert signature(None, ()).endswith(" | unknown measure")


@pytest.mark.parametrize(
    ("systems", "sizes", "members"),
    [
        ("AA", "1 system with 2 runs", "Systems of several runs: A (r0 and r1)."),
        (
            "AABB",
            "2 systems with 2 runs each (4 runs in all)",
            ("Systems of several runs: A (r0 and r1); B (r2 and r3)."),
        ),
        ("AAB", "2 systems with 1 to 2 runs each (3 runs in all)", "Systems of several runs: A (r0 and r1)."),
        ("AB", "2 systems with 1 run each (2 runs in all)", ""),
    ],
)
def test_systems_of_several_runs(systems: str, sizes: str, members: str):
    names = tuple(f"r{number}" for number in range(len(systems)))
    runs = ScoreMatrix(np.zeros((len(names), 1)), names, ("q",), "AP")
    replicates = Replicates(runs, dict(zip(names, systems, strict=True)))
    assert rows.sizes_words(replicates) == sizes
    assert_says(rows.member_notes(replicates), members)


@pytest.mark.parametrize(
    ("better", "turned", "shown", "elsewhere"),
    [
        ("more", False, [0], True),
        ("more", False, [1], False),
        ("less", False, [0], False),
        ("", False, [0], False),
        ("more", True, [0], False),
    ],
)
def test_the_best_value_may_be_in_a_row_that_is_not_shown(better: Any, turned: bool, shown: list[int], elsewhere: bool):
    column = Column("mean", "the mean", better=better, turned=turned)
    assert rows._has_best(column, [0.2, 0.5], shown) != elsewhere


def test_rows_without_a_value_come_last():
    columns = {"run": ["A", "B", "C", "D"], "p": [None, 0.5, float("nan"), 0.2]}
    assert rows.row_order(columns, "p") == [3, 1, 0, 2]
    assert rows.row_order(columns, "-p") == [1, 3, 0, 2]


@pytest.mark.parametrize(
    ("form", "top", "columns", "below"),
    [("text", 1, ["A"], ()), ("text", None, ["A", "B"], ()), ("csv", 1, ["A"], ())],
)
def test_people_are_told_how_many_rows_there_are(form: str, top: int | None, columns: list[str], below: Any):
    cells = rows.rows_of(Cells({"run": ["A", "B"]}, {}), [0, 1], rows.View(top=top, format=form))
    assert (cells.columns["run"], cells.below) == (columns, below)
    assert cells.n_rows == (2 if form == "text" and top else None)


@pytest.mark.parametrize(
    ("half", "of_clusters", "text"),
    [
        (1, False, ""),
        (2, False, "…, 2 queries each (mean of 100 splits): by bias 0.8000, …"),
        (3, True, ("…, 3 clusters each …")),
    ],
)
def test_halves_of_one_query_have_no_order(half: int, of_clusters: bool, text: str):
    halves = SplitHalf(100, half, 0, *[0.8] * 5, of_clusters=of_clusters)
    assert_says(rows.order_details(halves), text)


def test_a_chance_order_is_said_as_such():
    halves = SplitHalf(100, 25, 0, *[0.1] * 5)
    assert_says(
        rows.chance_note(halves, "total"),
        "The order by total is not reliable: two random halves of the queries order 4 in 10 pairs of runs "
        "differently (two random orders: 5 in 10).",
    )
    assert rows.ranked_by("-rank") == "rank"
    assert rows.warn_of_chance(halves, "run", SimpleNamespace()) is None


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    declared = [Column("run", "the run", lambda _: [], key=True), Column("mean", "the mean", lambda _: [])]
    for name in ("-total", "run"):
        with pytest.raises(UsageError, match=f"there is no column {name.removeprefix('-')}; the columns are mean"):
            rows.row_order({"run": ["A"], "mean": [0.5]}, name, declared=declared)
