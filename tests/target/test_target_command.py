"""``biasvar target``: its tables, what may be asked, and what its columns mean."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import by_scipy
import numpy as np
import pytest
from conftest import ROOT, only, real_matrix, rows_of

C2 = [[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]]  # worked in test_target.py


@pytest.fixture
def scores(written) -> Path:
    rows = zip(("q1", "q2", "q3", "q4"), *C2, strict=True)
    path: Path = written("AP,r1,r2,r3\n" + "".join(",".join(map(str, row)) + "\n" for row in rows), "c2.csv")
    return path


def test_one_run_supplies_a_third_of_trec_6(biasvar, shared):
    found = only(biasvar("target", shared / "score-matrices" / "trec6-adhoc-ap.csv", "-f", "json"))
    leading = max(found["runs"], key=lambda row: row["supplied"])
    assert (leading["run"], leading["supplied"], leading["alone"]) == ("run70", 16, 16)
    lost = by_scipy.given_up(real_matrix(shared, "trec6-adhoc-ap").values)
    assert ((lost > 0).sum(axis=1).max(), lost.mean(axis=1).max()) == (16, pytest.approx(0.047, abs=5e-4))
    assert leading["unique"] == pytest.approx(lost.mean(axis=1).max(), abs=1e-12)
    assert (found["n_runs"], found["n_queries"], found["target"]["n_pool"]) == (74, 50, 74)


@pytest.mark.parametrize(("name", "tied"), [("trec5-adhoc-ap", 1), ("web2010-ndcg20", 1), ("web2011-ndcg20", 2)])
def test_tied_best_scores_are_counted(biasvar, said, shared, name, tied):
    path, best = shared / "score-matrices" / f"{name}.csv", real_matrix(shared, name).values.max(axis=0)
    _, counts = np.unique(best, return_counts=True)
    assert len(best) - len(counts) == tied
    found = only(biasvar("target", path, "-f", "json"))["queries"]
    assert len(found) - len({row["score"] for row in found}) == tied
    assert f"{counts[counts > 1].sum()} of the queries are tied, in order of their ids." in said("target", path)


def test_text_of_the_queries_in_full(biasvar, scores):
    # standard deviation of .6, .2, .5, .25: the root of (.0451563 + .0351563 + .0126563 + .0189063) / 4
    assert biasvar("target", scores).out == (
        "AP of 3 runs on 4 queries. Virtual target: the best score of each query over the runs, mean 0.3875\n"
        "\n"
        "Over the queries the target's score is from 0.2000 to 0.6000 (standard deviation 0.1672).\n"
        "Hardest queries by the best score of the runs: q2 (0.2000), q4 (0.2500) and q3 (0.5000); easiest: q1\n"
        "  (0.6000).\n"
        "All 3 runs have the best score on at least one query. Most often alone: r3 (2 queries) and r2 (1).\n"
        "\n"
        "query_id      score  suppliers        mean      sd    difficulty    group\n"
        "----------  -------  -------------  ------  ------  ------------  -------\n"
        "q2           0.2000  r3             0.1267  0.0525             1        1\n"
        "q4           0.2500  r3             0.1833  0.0624             2        1\n"
        "q3           0.5000  r1 and 1 more  0.3667  0.1886             3        1\n"
        "q1           0.6000  r2             0.4500  0.1225             4        1\n"
        "----------  -------  -------------  ------  ------  ------------  -------\n"
        "mean         0.3875                 0.2817\n"
        "\n"
        "suppliers: the runs that have this score, ties included. mean, sd: of the scores of all 3 runs.\n"
        "difficulty: 1 is the hardest query (lowest best score); group: 1 has the hardest 10, 2 the next 10.\n"
        "More runs make a higher target: compare only targets of equally many runs (--rarefied R).\n"
        "More: --notes full, --table runs, --table rarefied\n"
    )


def test_text_of_the_runs_puts_the_leading_supplier_first(biasvar, said, scores):
    text = said("target", scores, "--table", "runs")
    assert "r2 2 1 0.0375 0.0675 0.0300 r3 2 2 0.0375 0.1375 0.1000 r1 1 0 0.0000 0.1125 0.1125" in text
    assert "falls most without any one of r2 and r3, by 0.0375." in text
    machine = rows_of(biasvar("target", scores, "--table", "runs", "-f", "csv"))
    assert [row["run"] for row in machine] == ["r1", "r2", "r3"]


def test_text_of_the_numbers_of_runs(said, scores):
    text = said("target", scores, "--table", "rarefied")
    assert "from 0.2817 for one run to 0.3875 for all 3: half of the rise takes 2 runs, nine tenths 3." in text
    assert "n_runs mean -------- ------ 1 0.2817 2 0.3625 3 0.3875" in text


def test_a_larger_pool_has_its_mean_at_ten_and_thirty_runs(biasvar, said, shared):
    path = shared / "score-matrices" / "trec5-adhoc-ap.csv"
    ten, thirty = (only(biasvar("target", path, "-f", "json"))["rarefied"][at]["mean"] for at in (9, 29))
    for table in ("queries", "runs"):
        means = f"expected mean {ten:.3f} with 10 and {thirty:.3f} with 30 of these runs"
        assert means in said("target", path, "--table", table, "--digits", 3)


def test_json_has_all_three_tables_whichever_is_shown(biasvar, scores):
    of_queries, of_runs = (biasvar("target", scores, "--table", name, "-f", "json") for name in ("queries", "runs"))
    assert of_queries == of_runs
    found = only(of_runs)
    q3, r2 = found["queries"][2], found["runs"][1]
    deviation = pytest.approx(math.sqrt(0.32 / 9))  # of .4/3, .4/3 and -.8/3
    assert list(q3.values()) == ["q3", 0.5, ["r1", "r2"], 2, pytest.approx(1.1 / 3), deviation, 3, 1]
    assert list(r2.values()) == ["r2", 2, 1, *map(pytest.approx, (0.0375, 0.0675, 0.03))]
    assert [row["n_runs"] for row in found["rarefied"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("queries", "query_id,score,suppliers,n_suppliers,mean,sd,difficulty,group"),
        ("runs", "run,supplied,alone,unique,bias,bias_loro"),
        ("rarefied", "n_runs,mean"),
    ],
)
def test_csv_and_tsv_of_each_table_have_the_fixed_columns(biasvar, scores, table, columns):
    text = biasvar("target", scores, "--table", table, "-f", "csv").out
    assert text.splitlines()[0] == f"measure,target,{columns}"
    assert biasvar("target", scores, "--table", table, "-f", "tsv").out == text.replace(",", "\t")


def test_many_suppliers_are_cut_for_people_and_whole_for_machines(biasvar, said, written):
    path = written("RR,A,B,C,D,E\nq1,1,1,1,1,1\nq2,0,1,1,1,1\nq3,0,0,0,1,0.5\n")
    text = said("target", path)
    assert "A and 4 more" in text
    assert "B and 3 more" in text
    some = "4 of 5 runs have the best score on at least one query, the other one on none"
    assert f"{some} (not counting 1 query on which all runs do). Most often alone: D (1 query)." in text
    assert "n_suppliers" not in text
    assert "n_suppliers" in said("target", path, "--columns", "suppliers,n_suppliers")
    assert [row["suppliers"] for row in rows_of(biasvar("target", path, "-f", "csv"))] == ["A B C D E", "B C D E", "D"]


def test_a_target_that_no_run_reaches_has_no_supplier(biasvar, said, scores):
    arguments = ("target", scores, "--target", "perfect")
    assert [row["suppliers"] for row in rows_of(biasvar(*arguments, "-f", "csv"))] == [""] * 4
    found = only(biasvar(*arguments, "-f", "json"))
    assert [row["suppliers"] for row in found["queries"]] == [[]] * 4
    assert [row["unique"] for row in found["runs"]] == [None] * 3
    text = said(*arguments, "--table", "runs")
    assert "unique and bias_loro are undefined (-): of --target best only, not of perfect." in text
    assert "No run reaches the target's score on any query." in text


def test_the_csv_is_a_target_and_gives_the_same_numbers_to_the_last_bit(biasvar, shared, tmp_path):
    kept = tmp_path / "target.csv"
    for name in ("trec3-adhoc-ap", "web2011-err20"):
        path = shared / "score-matrices" / f"{name}.csv"
        assert biasvar("target", path, "-f", "csv", "-o", kept) == (0, "", "")
        best = rows_of(biasvar("decompose", path, "-f", "csv"))
        again = rows_of(biasvar("decompose", path, "--target", f"file:{kept}", "-f", "csv"))
        assert [{**row, "target": ""} for row in again] == [{**row, "target": ""} for row in best]


def test_a_rarefied_target_says_so(biasvar, said, scores):
    text = said("target", scores, "--rarefied", 2)
    assert "the best score of each query over 2 runs, expected over all draws from the runs, mean 0.3625" in text
    assert "overestimates" not in said("target", scores, "--rarefied", 2, "--notes", "full")
    two, three, best = (
        only(biasvar("target", scores, *words, "-f", "json")) for words in (("--rarefied", 2), ("--rarefied", 3), ())
    )
    assert (two["target"]["label"], two["target"]["n_pool"]) == ("expected best of 2 runs", 3)
    assert [row["score"] for row in two["queries"]] == pytest.approx([0.55, 0.5 / 3, 0.5, 0.7 / 3])
    assert {**three, "target": None, "signature": ""} == {**best, "target": None, "signature": ""}


def test_runs_of_the_pool_supply_and_are_listed(biasvar, scores, written):
    pool = written("AP,x\nq1,0.7\nq2,0\nq3,0.5\nq4,0\n", "pool.csv")
    found = only(biasvar("target", scores, "--pool", pool, "-f", "json"))
    assert (found["n_runs"], found["target"]["n_pool"]) == (4, 4)
    assert {row["run"]: row["supplied"] for row in found["runs"]} == {"r1": 1, "r2": 1, "r3": 2, "x": 2}
    assert found["queries"][2]["suppliers"] == ["r1", "r2", "x"]
    assert {row["run"]: row["unique"] for row in found["runs"]}["x"] == pytest.approx(0.1 / 4)


def test_one_run_alone(biasvar, said, written):
    path = written("AP,A\nq1,0.3\nq2,0.1\n")
    result = biasvar("target", path, "-f", "json")
    (row,) = only(result)["runs"]
    assert list(row.values()) == ["A", 2, 2, None, 0, None]
    message = "the pool is one run: the target equals A, and its bias is 0"
    assert json.loads(result.out)["warnings"] == [message]
    text = said("target", path, "--table", "runs")
    assert "unique and bias_loro are undefined (-): there is no other run." in text
    assert "The target is the run A itself." in text


@pytest.mark.parametrize(("difficulty", "ranks", "groups"), [("best", "312", "211"), ("mean", "123", "112")])
def test_difficulty_and_size_of_groups_are_chosen(biasvar, said, written, difficulty, ranks, groups):
    path = written("AP,A,B\nq1,0.9,0\nq2,0.5,0.5\nq3,0.4,0.8\n")  # best .9, .5, .8; mean .45, .5, .6
    words = ("target", path, "--difficulty", difficulty, "--subset-size", 2)
    rows = rows_of(biasvar(*words, "-f", "csv"))
    assert ["".join(row[name] for row in rows) for name in ("difficulty", "group")] == [ranks, groups]
    assert f"(lowest {difficulty} score); group: 1 has the hardest 2, 2 the next 2." in said(*words)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--target mean:0.4", 2, "--target: mean:0.4 has no score per query"),
        ("--target run:r9", 1, "there is no such run; the runs are r1, r2, r3"),
        ("--target ideal", 2, "--target ideal needs qrels"),
        ("--target file:nowhere.csv", 1, "nowhere.csv: "),
        ("--rarefied 4", 1, "4 runs cannot be drawn from a pool of 3; --rarefied is at most that"),
        ("--rarefied 2 --target perfect", 2, "--rarefied: needs the target best, not perfect"),
        ("--rarefied 2 --table rarefied", 2, "leave --target and --rarefied out"),
        ("--table rarefied --target run:r1", 2, "--table rarefied shows --target best"),
        ("-m RR", 1, "has no RR"),
    ],
)
def test_what_cannot_be_asked_is_refused(refused, scores, options, code, message):
    refused(code, message, "target", scores, *options.split())


def test_target_does_without_pandas_and_scipy():
    code = "import sys; from biasvar_cli.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, "target", "sample_runs", "-q", "qrels/npl.qrels.txt"]
    result = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    assert result.stdout
    assert not {"pandas", "scipy"} & set(result.stderr.split())


def test_queries_that_are_tied_are_named_together_and_half_of_the_track_is_counted(said, drawn, written):
    """By hand, the best scores: 1, .8, .2, .2, 1, .4, 1, 1 of q1 to q8; of the same without q7 and q8, 2 of 6 are 1."""
    rows = ["q1,1,1", "q2,.8,.5", "q3,.2,.1", "q4,.2,.2", "q5,1,1", "q6,.4,.3", "q7,.9,1", "q8,1,.1"]
    path = written("\n".join(["AP,A,B", *rows]) + "\n")
    hardest = "Hardest queries by the best score of the runs: q3 and q4 (0.2000), q6 (0.4000)"
    text = said("target", path)
    assert f"{hardest}; easiest: 4 of the 8 queries, which are tied (1.0000)." in text
    assert "2 the next 10. 6 of the queries are tied, in order of their ids." in text
    for figure in ("target", "queries"):
        words = " ".join(json.dumps(drawn(figure, path)).split())
        assert "6 of 8 queries are tied; ties are ordered by query id" in words
    written("\n".join(["AP,A,B", *rows[:6]]) + "\n")
    assert f"{hardest}; easiest: q1 and q5 (1.0000)." in said("target", path)


def test_a_figure_may_be_of_logarithms(biasvar, drawn, scores):
    curve = drawn("rarefaction", scores, "--log", "floor")["datasets"]["means"]
    assert curve[0]["mean"] == pytest.approx(np.mean(np.log(C2)))
