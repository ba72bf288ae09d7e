"""Every sentence of unjudged, on answers with known means, bounds and ranks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says

from biasvar_cli.analyses.unjudged import table as notes
from biasvar_cli.tables.rows import View

WHOLE = (
    "Of the first 10 documents the median run has 20 % unjudged, r1 most (40 %). The virtual target, the best score "
    "of each query, has a mean of 0.7000, at most 0.9000."
)


def answer(**others: Any) -> Any:
    """Three runs with means of .6, .5 and .4, of which the first two could be the best."""
    usual = {
        "runs": ("r0", "r1", "r2"), "n_runs": 3, "order": [0, 1, 2], "mean": np.array([0.6, 0.5, 0.4]),
        "high": np.array([0.7, 0.65, 0.45]), "unjudged": np.array([0.2, 0.4, 0.1]), "depth": 10, "pool": None,
        "target_mean": 0.7, "target_high": 0.9, "n_could_be_best": 2, "only_rises": True, "exact": True,
        "n_settled": 0, "grade": 1, "teams": [], "losses": np.array([]),
    }  # fmt: skip
    return SimpleNamespace(**usual | others)


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({}, "2 of 3 runs could have the best mean: no other is above them in every case."),
        ({"exact": False}, ("2 of 3 runs could reach the best mean, 0.6000 of r0, if its own unjudged documents alone "
         "were relevant.")),
        ({"exact": False, "n_could_be_best": 1, "only_rises": False}, ("No other run could reach the best mean, "
         "0.6000 of r0, if …")),
        ({"n_could_be_best": 1}, "r0 has the best mean whatever unjudged documents are."),
        ({"n_could_be_best": 1, "only_rises": False}, "1 of 3 runs could have the best mean: …"),
        ({"n_settled": 2}, "2 of 3 … The order of the first 2 runs does not depend on unjudged documents."),
        ({"n_settled": 3}, "2 of 3 … The order of the runs does not depend on unjudged documents."),
        ({"n_settled": 1}, "2 of 3 runs could have the best mean: no other is above them in every case."),
        ({"n_settled": 2, "only_rises": False}, ("2 of 3 … Each of the first 2 runs has a higher mean than any after "
         "it could have.")),
        ({"n_runs": 1}, "The mean of r0 is 0.6000, at most 0.7000."),
    ],
)  # fmt: skip
def test_who_could_be_the_best(others: dict[str, Any], text: str):
    assert_says(notes._ranking(answer(**others)), text)


NOTHING = "No unjudged document can change a score: all that count are judged."


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({}, f"2 of 3 … {WHOLE}"),
        ({"unjudged": np.zeros(3), "high": np.array([0.6, 0.5, 0.4])}, NOTHING),
        ({"unjudged": np.zeros(3)}, "2 of 3 …"),
        ({"high": np.array([0.6, 0.5, 0.4])}, "2 of 3 …"),
        ({"pool": SimpleNamespace(contributors=["r0"], depth=5)}, f"… {WHOLE} No team of the runs was pooled."),
    ],
)  # fmt: skip
def test_how_much_is_unjudged(others: dict[str, Any], text: str):
    assert_says(notes._verdict(answer(**others)), text)


def test_what_teams_lose():
    """Of ten losses from 0 to 9 the median is 4.5, and nine in ten are at most 8."""
    pool = SimpleNamespace(contributors=["r0", "r1"], depth=5)
    row = SimpleNamespace(team="A", best_run="r0", rank=1, rank_out=4, score=0.6, score_out=0.4)
    less = SimpleNamespace(team="B", best_run="r1", rank=2, rank_out=3, score=0.5, score_out=0.1)
    found = answer(pool=pool, losses=np.arange(10), teams=[less, row])
    assert_says(
        notes._losses(found),
        "Without what its team alone gave to the pool (2 runs to depth 5), the median run of 2 teams loses 4.5 "
        "ranks, one in ten loses 8 or more, and the worst 9. The best run of A, r0, goes from rank 1 to 4 (0.6000 "
        "to 0.4000).",
    )


HIGH = "high: the highest mean if unjudged documents could have grade 1 (--grade)."
TWICE = "best and worst rank: a document that two runs retrieve counts for both."
DOCUMENTS = "documents: judged ones that only the pooled runs of the team have in their first documents."
COVER = SimpleNamespace(run="r1", depth=5, query="q3")


@pytest.mark.parametrize(
    ("table", "others", "text"),
    [
        ("runs", {}, f"{HIGH} {TWICE}"),
        ("runs", {"exact": False}, (f"{HIGH} best rank: the run's own unjudged documents alone count; worst rank: "
         "those of all others do.")),
        ("runs", {"only_rises": False}, (f"{HIGH} {TWICE} Not taken into account: relevant documents that a run does "
         "not retrieve would lower its mean.")),
        ("teams", {"pool": SimpleNamespace(depth=5, cover=None)}, DOCUMENTS),
        ("teams", {"pool": SimpleNamespace(depth=5, cover=COVER)}, (f"{DOCUMENTS} Depth 5: document 6 of r1 on query "
         "q3 is not judged; another one with --depth.")),
        ("teams", {"pool": SimpleNamespace(depth=5, cover=SimpleNamespace(run=None, depth=5))}, DOCUMENTS),
    ],
)  # fmt: skip
def test_the_lines_under_a_table(table: str, others: dict[str, Any], text: str):
    assert_says(notes._notes(answer(**others), table), text)


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (None, " | grade 1"),
        (SimpleNamespace(contributors=["r0", "r1"], depth=5), (" | grade 1 | pool of 2 runs to depth 5")),
    ],
)
def test_the_signature_has_the_pool_where_there_is_one(pool: Any, words: str):
    found = answer(pool=pool, measure="AP", scored=SimpleNamespace(basis=("3 queries",)))
    assert notes._signature(found).endswith(f"AP | 3 queries{words}")


@pytest.mark.parametrize(("pool", "teams"), [(None, []), (SimpleNamespace(contributors=["r0"], depth=5), ["row"])])
def test_json_has_teams_where_there_is_a_pool(monkeypatch: pytest.MonkeyPatch, pool: Any, teams: list[str]):
    monkeypatch.setattr(notes, "filled", lambda *_: SimpleNamespace(records=lambda: ["row"]))
    found = answer(pool=pool, measure="AP", n_queries=3, n_clusters=None)
    document = notes._document(found, View(table="runs", format="json"), ["chosen"])
    assert (document["runs"], document["teams"]) == (["chosen"], teams)
    assert document["depth"] == (5 if pool else None)
