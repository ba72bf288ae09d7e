"""``biasvar target``: its tables, what may be asked, and what its columns mean."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import by_scipy
import numpy as np
import pytest
from conftest import ROOT, only, real_matrix, rows_of

C2 = [[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]]  # worked in test_target.py


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "ap.csv"
    rows = zip(("q1", "q2", "q3", "q4"), *C2, strict=True)
    path.write_text("AP,r1,r2,r3\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def test_one_run_supplies_a_third_of_trec_6(biasvar, shared):
    found = only(biasvar("target", shared / "score-matrices" / "trec6-adhoc-ap.csv", "-f", "json"))
    leading = max(found["runs"], key=lambda row: row["supplied"])
    assert (leading["run"], leading["supplied"], leading["alone"]) == ("run70", 16, 16)
    lost = by_scipy.given_up(real_matrix(shared, "trec6-adhoc-ap").values)
    assert (lost > 0).sum(axis=1).max() == 16
    assert leading["unique"] == pytest.approx(lost.mean(axis=1).max(), abs=1e-12)
    assert (found["n_runs"], found["n_queries"], found["target"]["n_pool"]) == (74, 50, 74)


@pytest.mark.parametrize(("name", "tied"), [("trec5-adhoc-ap", 1), ("web2010-ndcg20", 1), ("web2011-ndcg20", 2)])
def test_tied_best_scores_are_counted(biasvar, shared, name, tied):
    best = real_matrix(shared, name).values.max(axis=0)
    assert len(best) - len(np.unique(best)) == tied
    found = only(biasvar("target", shared / "score-matrices" / f"{name}.csv", "-f", "json"))["queries"]
    assert len(found) - len({row["score"] for row in found}) == tied
    _, counts = np.unique(best, return_counts=True)
    text = " ".join(biasvar("target", shared / "score-matrices" / f"{name}.csv").out.split())
    assert f"{counts[counts > 1].sum()} of the queries are tied, in order of their ids." in text


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


def _table_lines(text: str) -> list[str]:
    """The lines of the table: of the third block, after the title and the verdict."""
    return text.split("\n\n")[2].splitlines()


def test_text_of_the_runs_puts_the_leading_supplier_first(biasvar, scores):
    text = biasvar("target", scores, "--table", "runs").out
    assert _table_lines(text) == [
        "run      supplied    alone    unique    bias    bias_loro",
        "-----  ----------  -------  --------  ------  -----------",
        "r2              2        1    0.0375  0.0675       0.0300",
        "r3              2        2    0.0375  0.1375       0.1000",
        "r1              1        0    0.0000  0.1125       0.1125",
    ]
    assert "falls most without any one of r2 and r3, by 0.0375." in text
    machine = rows_of(biasvar("target", scores, "--table", "runs", "-f", "csv"))
    assert [row["run"] for row in machine] == ["r1", "r2", "r3"]


def test_text_of_the_numbers_of_runs(biasvar, scores):
    text = biasvar("target", scores, "--table", "rarefied").out
    assert "from 0.2817 for one run to 0.3875 for all 3: half of the rise takes 2 runs, nine tenths 3." in " ".join(
        text.split()
    )
    assert _table_lines(text) == [
        "  n_runs    mean",
        "--------  ------",
        "       1  0.2817",
        "       2  0.3625",
        "       3  0.3875",
    ]


def test_a_larger_pool_has_its_mean_at_ten_and_thirty_runs(biasvar, shared):
    path = shared / "score-matrices" / "trec5-adhoc-ap.csv"
    ten, thirty = (only(biasvar("target", path, "-f", "json"))["rarefied"][at]["mean"] for at in (9, 29))
    for table in ("queries", "runs"):
        text = " ".join(biasvar("target", path, "--table", table, "--digits", 3).out.split())
        assert f"expected mean {ten:.3f} with 10 and {thirty:.3f} with 30 of these runs" in text


def test_json_has_all_three_tables_whichever_is_shown(biasvar, scores):
    documents = {table: biasvar("target", scores, "--table", table, "-f", "json").out for table in ("queries", "runs")}
    assert documents["queries"] == documents["runs"]
    document = json.loads(documents["queries"])
    (found,) = document["results"]
    assert found["queries"][2] == {
        "query_id": "q3",
        "score": 0.5,
        "suppliers": ["r1", "r2"],
        "n_suppliers": 2,
        "mean": pytest.approx(1.1 / 3),
        "sd": pytest.approx(math.sqrt(0.32 / 9)),  # deviations .4/3, .4/3 and -.8/3
        "difficulty": 3,
        "group": 1,
    }
    assert found["runs"][1] == {
        "run": "r2",
        "supplied": 2,
        "alone": 1,
        "unique": pytest.approx(0.0375),
        "bias": pytest.approx(0.0675),
        "bias_loro": pytest.approx(0.03),
    }
    assert [row["n_runs"] for row in found["rarefied"]] == [1, 2, 3]


def test_csv_and_tsv_of_each_table_have_the_fixed_columns(biasvar, scores):
    columns = {
        "queries": "measure,target,query_id,score,suppliers,n_suppliers,mean,sd,difficulty,group",
        "runs": "measure,target,run,supplied,alone,unique,bias,bias_loro",
        "rarefied": "measure,target,n_runs,mean",
    }
    for table, header in columns.items():
        text = biasvar("target", scores, "--table", table, "-f", "csv").out
        assert text.splitlines()[0] == header
        assert biasvar("target", scores, "--table", table, "-f", "tsv").out == text.replace(",", "\t")


def test_many_suppliers_are_cut_for_people_and_whole_for_machines(biasvar, tmp_path):
    path = tmp_path / "rr.csv"
    path.write_text("RR,A,B,C,D,E\nq1,1,1,1,1,1\nq2,0,1,1,1,1\nq3,0,0,0,1,0.5\n")
    text = biasvar("target", path).out
    assert "A and 4 more" in text
    assert "B and 3 more" in text
    some = "4 of 5 runs have the best score on at least one query, the other one on none"
    assert f"{some} (not counting 1 query on which all runs do). Most often alone: D (1 query)." in " ".join(
        text.split()
    )
    assert "n_suppliers" not in text
    assert "n_suppliers" in biasvar("target", path, "--columns", "suppliers,n_suppliers").out
    assert [row["suppliers"] for row in rows_of(biasvar("target", path, "-f", "csv"))] == ["A B C D E", "B C D E", "D"]
    assert only(biasvar("target", path, "-f", "json"))["queries"][1]["suppliers"] == ["B", "C", "D", "E"]


def test_a_target_that_no_run_reaches_has_no_supplier(biasvar, scores):
    arguments = ("target", scores, "--target", "perfect")
    assert [row["suppliers"] for row in rows_of(biasvar(*arguments, "-f", "csv"))] == [""] * 4
    found = only(biasvar(*arguments, "-f", "json"))
    assert [row["suppliers"] for row in found["queries"]] == [[]] * 4
    assert [row["unique"] for row in found["runs"]] == [None] * 3
    text = biasvar(*arguments, "--table", "runs").out
    assert "unique and bias_loro are undefined (-): of --target best only, not of perfect." in text
    assert "No run reaches the target's score on any query." in text


def test_queries_that_no_run_answers_are_named(biasvar, tmp_path):
    path = tmp_path / "ap.csv"
    path.write_text("AP,A,B\nq1,0,0\nq2,0.5,0.2\nq3,0,0\nq4,0.1,0.3\n")
    text = biasvar("target", path).out
    assert "No run scores above 0 on 2 queries: q1 and q3." in text
    assert "Hardest other query by the best score of the runs: q4 (0.3000); easiest: q2 (0.5000)." in text
    path.write_text("AP,A,B\nq1,0.5,0\nq2,0.2,0.5\n")
    assert "All queries are equally hard: the best score of the runs is 0.5000 on each." in biasvar("target", path).out


def test_the_csv_is_a_target_and_gives_the_same_numbers_to_the_last_bit(biasvar, shared, tmp_path):
    kept = tmp_path / "target.csv"
    for name in ("trec3-adhoc-ap", "web2011-err20"):
        path = shared / "score-matrices" / f"{name}.csv"
        assert biasvar("target", path, "-f", "csv", "-o", kept) == (0, "", "")
        best = rows_of(biasvar("decompose", path, "-f", "csv"))
        again = rows_of(biasvar("decompose", path, "--target", f"file:{kept}", "-f", "csv"))
        assert [{**row, "target": ""} for row in again] == [{**row, "target": ""} for row in best]


def test_a_rarefied_target_says_so(biasvar, scores):
    text = biasvar("target", scores, "--rarefied", 2).out
    assert "the best score of each query over 2 runs, expected over all draws from the runs, mean 0.3625" in " ".join(
        text.split()
    )
    assert "overestimates" not in biasvar("target", scores, "--rarefied", 2, "--notes", "full").out
    found = only(biasvar("target", scores, "--rarefied", 2, "-f", "json"))
    assert (found["target"]["label"], found["target"]["n_pool"]) == ("expected best of 2 runs", 3)
    assert [row["score"] for row in found["queries"]] == pytest.approx([0.55, 0.5 / 3, 0.5, 0.7 / 3])
    whole = only(biasvar("target", scores, "--rarefied", 3, "-f", "json"))
    best = only(biasvar("target", scores, "-f", "json"))
    assert {**whole, "target": None, "signature": ""} == {**best, "target": None, "signature": ""}


def test_runs_of_the_pool_supply_and_are_listed(biasvar, scores, tmp_path):
    pool = tmp_path / "pool.csv"
    pool.write_text("AP,x\nq1,0.7\nq2,0\nq3,0.5\nq4,0\n")
    found = only(biasvar("target", scores, "--pool", pool, "-f", "json"))
    assert (found["n_runs"], found["target"]["n_pool"]) == (4, 4)
    assert {row["run"]: row["supplied"] for row in found["runs"]} == {"r1": 1, "r2": 1, "r3": 2, "x": 2}
    assert found["queries"][2]["suppliers"] == ["r1", "r2", "x"]
    assert {row["run"]: row["unique"] for row in found["runs"]}["x"] == pytest.approx(0.1 / 4)


def test_one_run_alone(biasvar, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("AP,A\nq1,0.3\nq2,0.1\n")
    result = biasvar("target", path, "-f", "json")
    (row,) = only(result)["runs"]
    assert row == {"run": "A", "supplied": 2, "alone": 2, "unique": None, "bias": 0, "bias_loro": None}
    message = "the pool is one run: the target equals A, and its bias is 0"
    assert json.loads(result.out)["warnings"] == [message]
    text = biasvar("target", path, "--table", "runs").out
    assert "unique and bias_loro are undefined (-): there is no other run." in text
    assert "The target is the run A itself." in text
    strict = biasvar("target", path, "--strict")
    assert (strict.code, strict.out) == (1, "")


def test_difficulty_and_size_of_groups_are_chosen(biasvar, tmp_path):
    path = tmp_path / "ap.csv"
    path.write_text("AP,A,B\nq1,0.9,0\nq2,0.5,0.5\nq3,0.4,0.8\n")  # best .9, .5, .8; mean .45, .5, .6
    best = rows_of(biasvar("target", path, "--subset-size", 2, "-f", "csv"))
    assert [(row["difficulty"], row["group"]) for row in best] == [("3", "2"), ("1", "1"), ("2", "1")]
    mean = rows_of(biasvar("target", path, "--difficulty", "mean", "--subset-size", 2, "-f", "csv"))
    assert [(row["difficulty"], row["group"]) for row in mean] == [("1", "1"), ("2", "1"), ("3", "2")]
    text = biasvar("target", path, "--difficulty", "mean", "--subset-size", 2).out
    assert "difficulty: 1 is the hardest query (lowest mean score); group: 1 has the hardest 2, 2 the next 2." in text


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--target", "mean:0.4"), 2, "--target: mean:0.4 has no score per query"),
        (("--target", "bset"), 2, "unknown target 'bset'"),
        (("--target", "run:r9"), 1, "there is no such run; the runs are r1, r2, r3"),
        (("--target", "ideal"), 2, "--target ideal needs qrels"),
        (("--target", "file:nowhere.csv"), 1, "nowhere.csv: "),
        (("--rarefied", "4"), 1, "4 runs cannot be drawn from a pool of 3; --rarefied is at most that"),
        (("--rarefied", "0"), 2, "from 1 to 1000000, found 0"),
        (("--rarefied", "2", "--target", "perfect"), 2, "--rarefied: needs the target best, not perfect"),
        (("--rarefied", "2", "--table", "rarefied"), 2, "leave --target and --rarefied out"),
        (("--table", "rarefied", "--target", "run:r1"), 2, "--table rarefied shows --target best"),
        (("--table", "all"), 2, "'all' is not one of"),
        (("--subset-size", "0"), 2, "from 1 to 1000000, found 0"),
        (("--difficulty", "median"), 2, "'median' is not one of"),
        (("-m", "RR"), 1, "has no RR"),
    ],
)
def test_errors_leave_nothing_half_written(biasvar, scores, tmp_path, options, code, message):
    out = tmp_path / "out.csv"
    out.write_text("as it was")
    result = biasvar("target", scores, *options, "-o", out)
    assert (result.code, result.out, out.read_text()) == (code, "", "as it was")
    assert message in result.err
    assert "Traceback" not in result.err


def test_same_bytes_whatever_the_order_of_inputs(biasvar, tmp_path):
    rng = np.random.default_rng(3)
    paths = []
    for run in ("a", "b", "c", "d", "e"):
        path = tmp_path / f"{run}.csv"
        rows = "".join(f"{run},{query},AP,{rng.integers(0, 5) / 4}\n" for query in range(1, 13))
        path.write_text("run,query_id,measure,score\n" + rows)
        paths.append(path)
    for options in (("-f", "json"), ("-f", "csv"), ("--table", "runs"), ("--rarefied", "3", "-f", "csv")):
        first = biasvar("target", *paths, *options)
        assert first.code == 0, first.err
        shuffled = random.Random(1).sample(paths, len(paths))  # noqa: S311
        assert biasvar("target", *shuffled, *options) == first
        assert biasvar("target", *reversed(paths), *options, "--jobs", 2) == first


def test_target_does_without_pandas_and_scipy():
    code = "import sys; from biasvar_cli.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, "target", "sample_runs", "-q", "qrels/npl.qrels.txt"]
    result = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    assert result.stdout
    assert not {"pandas", "scipy"} & set(result.stderr.split())


def test_two_runs_are_both(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text("AP,a,b\nq1,.5,.2\nq2,.3,.6\n")
    text = " ".join(biasvar("target", tmp_path / "ap.csv").out.split())
    assert "Both runs have the best score on at least one query." in text


def test_queries_that_are_tied_are_named_together_and_half_of_the_track_is_counted(biasvar, tmp_path):
    """By hand, the best scores: 1, .8, .2, .2, 1, .4, 1, 1 of q1 to q8; of the same without q7 and q8, 2 of 6 are 1."""
    path = tmp_path / "ap.csv"
    rows = ["q1,1,1", "q2,.8,.5", "q3,.2,.1", "q4,.2,.2", "q5,1,1", "q6,.4,.3", "q7,.9,1", "q8,1,.1"]
    path.write_text("\n".join(["AP,A,B", *rows]) + "\n")
    text = " ".join(biasvar("target", path).out.split())
    hardest = "Hardest queries by the best score of the runs: q3 and q4 (0.2000), q6 (0.4000)"
    assert f"{hardest}; easiest: 4 of the 8 queries, which are tied (1.0000)." in text
    assert "2 the next 10. 6 of the queries are tied, in order of their ids." in text
    path.write_text("\n".join(["AP,A,B", *rows[:6]]) + "\n")
    assert f"{hardest}; easiest: q1 and q5 (1.0000)." in " ".join(biasvar("target", path).out.split())


def test_figures_say_how_many_queries_are_tied(drawn, tmp_path):
    path = tmp_path / "ap.csv"
    path.write_text("AP,A,B\nq1,1,1\nq2,.8,.5\nq3,.2,.1\nq4,.2,.2\n")
    for figure in ("target", "queries"):
        words = " ".join(json.dumps(drawn(figure, path)).split())
        assert "2 of 4 queries are tied; ties are ordered by query id" in words


def test_a_figure_may_be_of_logarithms(biasvar, drawn, scores):
    curve = drawn("rarefaction", scores, "--log", "floor")["datasets"]["means"]
    assert curve[0]["mean"] == pytest.approx(np.mean(np.log(C2)))
