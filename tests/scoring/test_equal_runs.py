"""Runs that cannot be told apart are named in a notice, and count as they did."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import matrix_of, only, rows_of

from biasvar_cli.scoring.equal_runs import equal_runs, near_runs

QRELS = "1 0 a 1\n2 0 a 1\n2 0 b 1\n"
RUN = ((1, "a"), (1, "c"), (2, "b"), (2, "a"))
OWN = "and all of them are counted"

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


def write_run(name: str, results: tuple[tuple[int, str], ...] = RUN, tag: str = "t", start: float = 9.0) -> None:
    lines = [f"{topic} Q0 {doc} {place} {start - place} {tag}\n" for place, (topic, doc) in enumerate(results)]
    Path("runs").mkdir(exist_ok=True)
    Path("runs", name).write_text("".join(lines))


@pytest.fixture
def runs(in_an_empty_folder: None) -> None:
    """One ranking in three files, and two other runs, one of which has the same AP."""
    write_run("a")
    write_run("b", tag="another", start=99.0)  # other scores, another tag
    write_run("c", (*RUN[2:], *RUN[:2]))  # topics in another order
    write_run("d", ((1, "a"), (1, "x"), (2, "a"), (2, "b")))
    write_run("e", ((1, "c"), (1, "a"), (2, "b"), (2, "a")))
    Path("qrels").write_text(QRELS)


def notices(result: tuple[int, str, str]) -> list[str]:
    found: list[str] = json.loads(result[1])["notices"]
    return found


@pytest.mark.usefixtures("runs")
def test_check_names_runs_with_the_same_results_in_the_same_order(biasvar):
    rows = rows_of(biasvar("check", "runs", "-q", "qrels", "-f", "csv"))
    what = f"the same ranking as another run, {OWN}: a = b = c"
    found = {row["file"]: row for row in rows if row["what"] == what}
    assert list(found) == ["runs/a", "runs/b", "runs/c"]
    assert all((row["level"], row["notice"]) == ("oddity", "true") for row in found.values())
    result = biasvar("check", "runs", "-q", "qrels", "--strict")
    assert (result.code, result.err) == (0, "")
    assert "the same ranking as another run" in result.out


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("command", ["decompose", "scores"])
def test_commands_notice_runs_with_the_same_scores(biasvar, command):
    given = ("runs", "-q", "qrels", "-m", "AP", "-m", "P@2", "-f", "json", "--strict")
    found = notices(biasvar(command, *given))
    assert f"4 runs have the same AP on every query as another run, {OWN}: a = b = c and 1 more" in found  # and d
    assert f"5 runs have the same P@2 on every query as another run, {OWN}: a = b = c and 2 more" in found


@pytest.mark.usefixtures("runs")
def test_the_runs_count_as_before_and_the_text_says_so_in_a_line(biasvar):
    result = biasvar("decompose", "runs", "-q", "qrels", "--no-null")
    assert result.err == ""
    assert f"4 runs have the same AP on every query as another run, {OWN}: a = b = c and 1 more" in " ".join(
        result.out.split()
    )
    assert only(biasvar("decompose", "runs", "-q", "qrels", "-f", "json"))["n_runs"] == 5


def test_measures_with_the_same_groups_share_a_notice_and_others_do_not(biasvar):
    Path("s.csv").write_text(
        "run,query_id,AP,nDCG,RR\n"
        "a,1,.5,.5,1\na,2,.25,.5,1\nb,1,.5,.5,1\nb,2,.25,.5,1\nc,1,.5,.25,1\nc,2,.5,.5,1\nd,1,0,0,0\nd,2,0,0,0\n"
        "e,1,0,-0.0,0\ne,2,0,0,0\n"
    )
    found = notices(biasvar("decompose", "s.csv", "-m", "AP nDCG RR", "--no-null", "-f", "json"))
    assert found == [
        f"2 runs have the same AP and nDCG on every query as another run, {OWN}: a = b",
        f"3 runs have the same RR on every query as another run, {OWN}: a = b = c",
        "2 runs have AP, nDCG and RR 0 on every query: d, e",
    ]
    files = json.loads(biasvar("check", "s.csv", "-f", "json").out)["results"][0]["files"]
    assert files[0]["oddities"] == [
        {"what": "scores of nothing but 0: d, e", "number": None, "unit": "", "notice": False},
        {"what": f"the same scores as another run, {OWN}: a = b", "number": 2, "unit": "runs", "notice": True},
    ]


def test_many_groups_are_counted_and_the_first_are_named(biasvar):
    rows = [[(1 + run // 2) / query / 10 for run in range(10)] for query in (1, 2, 3)]
    pd.DataFrame(rows, columns=[f"r{run}" for run in range(10)]).rename_axis("AP").to_csv("m.csv")
    (found,) = notices(biasvar("decompose", "m.csv", "--no-null", "-f", "json"))
    assert found.endswith(": r0 = r1; r2 = r3; and 3 more groups")
    assert found.startswith("10 runs have the same AP")


def test_the_pool_counts_too_and_near_scores_are_not_equal(biasvar):
    Path("a.csv").write_text("AP,a,near\n1,.5,.5\n2,.25,.25000000000000006\n")
    Path("b.csv").write_text("AP,b\n1,.5\n2,.25\n")
    (found,) = notices(biasvar("decompose", "a.csv", "--pool", "b.csv", "--no-null", "-f", "json"))
    assert found.endswith(": a = b")


def test_a_byte_of_another_document_or_topic_makes_another_run(biasvar):
    write_run("a", ((1, "ab"), (1, "c"), (2, "d")))
    write_run("b", ((1, "a"), (1, "bc"), (2, "d")))  # the same letters
    write_run("c", ((1, "ab"), (2, "c"), (2, "d")))  # another topic
    write_run("d", ((1, "c"), (1, "ab"), (2, "d")))  # another order
    assert "the same ranking" not in biasvar("check", "runs").out


@pytest.mark.parametrize("n_runs", [1, 2])
def test_equal_runs_of_a_matrix_of_zeros(n_runs):
    scores = matrix_of(np.zeros((n_runs, 2)))
    assert equal_runs(scores) == ([], scores.runs)


def test_equal_runs_of_a_real_track(shared, biasvar):
    """Three teams of TREC-COVID, round 1, submitted the same ranking under two or three names."""
    folder = shared / "covid-round1"
    some = [path for path in (folder / "runs").iterdir() if path.name[0] in "Cuw"]
    rows = rows_of(biasvar("check", *some, "-q", folder / "qrels.txt", "-f", "csv", "--quiet"))
    found = {row["file"].rpartition("/")[2] for row in rows if row["what"].startswith("the same ranking")}
    expected = "CincyMedIR-run2 CincyMedIR-run3 uogTrDPH_QE uogTrDPH_QE_QQ wistud_bing wistud_indri wistud_noSearch"
    assert found == {f"{name}.gz" for name in expected.split()}


NEAR = "and all of them are counted: b and c"


def pairs_within(values: np.ndarray, share: float) -> list[tuple[int, int]]:
    """By the definition: every pair whose root mean square difference is above 0 and below a share of that of all."""
    pairs = list(itertools.combinations(range(len(values)), 2))
    squares = [np.mean((values[one] - values[two]) ** 2) for one, two in pairs]
    limit = share * np.sqrt(np.mean(squares))
    return [pair for pair, square in zip(pairs, squares, strict=True) if 0 < np.sqrt(square) < limit]


@pytest.mark.parametrize("seed", range(5))
def test_near_runs_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((12, 9))
    values[3] = values[7] + rng.normal(0, 0.002, 9)
    values[5] = values[1] + rng.normal(0, 0.006, 9)
    values[4], values[8] = values[2], 0.0
    expected = [(f"r{one}", f"r{two}") for one, two in pairs_within(values, 0.01)]
    assert expected
    assert near_runs(matrix_of(values)) == expected


def test_no_two_runs_alone_are_near_and_equal_ones_are_equal():
    assert near_runs(matrix_of([[0.5, 0.5], [0.5, 0.5001]])) == []
    assert near_runs(matrix_of([[0.5, 0.5], [0.5, 0.5], [0.1, 0.9]])) == []
    assert near_runs(matrix_of([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])) == []
    assert near_runs(matrix_of([[0.5, 0.5], [0.5, 0.5001], [0.1, 0.9]])) == [("r0", "r1")]


@pytest.mark.parametrize("command", ["decompose", "summary"])
def test_commands_notice_runs_with_nearly_the_same_scores(biasvar, command):
    Path("ap.csv").write_text("AP,a,b,c\n1,.5,.2,.2\n2,.1,.4,.4001\n3,.3,.3,.3\n")
    result = biasvar(command, "ap.csv", "-f", "json", "--strict")
    assert (result.code, result.err) == (0, "")
    assert notices(result) == [f"2 runs have nearly the same AP as another run, {NEAR}"]
