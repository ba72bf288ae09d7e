"""Systems of several runs from files, through the command line: the worked example and what shapes the target."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import only, rows_of

RUNS = """AP,A-1,A-2,A-3,B-1,B-2,C
q1,.30,.50,.40,.60,.40,.45
q2,.10,.20,.30,.08,.12,.20
q3,.50,.50,.20,.50,.30,.10
"""
COLUMNS = ["mean", "bias2", "var", "total", "var_gap", "total_gap", "var_queries", "var_replicates", "sd_replicates"]
WORKED = {  # docs/definitions.md, "Replicates"
    "A": (3, ".333333 .001111 .020000 .021111 .013333 .014444 .008889 .011111 .057735"),
    "B": (2, ".333333 .001111 .035689 .036800 .009022 .010133 .028889 .006800 .084853"),
    "C": (1, ".250000 .013611 .021667 .035278 .017222 .030833"),
}
BY_NAME = ("--replicates", "-[0-9]", "--quiet")


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Six runs on three queries, and a target."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.csv").write_text(RUNS)
    (tmp_path / "target.csv").write_text("query_id,score\nq1,.5\nq2,.2\nq3,.4\n")
    (tmp_path / "systems.csv").write_text("run,system\nA-1,A\nA-2,A\nA-3,A\nB-1,B\nB-2,B\n")


@pytest.mark.parametrize("replicates", ["-[0-9]", "([A-Z])-.*", "systems.csv"])
def test_the_worked_example(biasvar, replicates):
    words = ("decompose", "runs.csv", "--target", "file:target.csv", "--replicates", replicates, "-f", "csv")
    rows = rows_of(biasvar(*words))
    assert [row["run"] for row in rows] == list(WORKED)
    for row in rows:
        n_replicates, numbers = WORKED[row["run"]]
        assert row["n_replicates"] == str(n_replicates)
        for name, number in zip(COLUMNS, numbers.split(), strict=False):
            assert f"{float(row[name]):.6f}" == f"0{number}", (row["run"], name)
    assert [rows[2][name] for name in COLUMNS[6:]] == ["", "", ""]


def test_json_lists_the_runs_of_each_system_and_has_null_for_a_system_of_one_run(biasvar):
    result = only(biasvar("decompose", "runs.csv", "--target", "file:target.csv", *BY_NAME, "-f", "json"))
    assert result["systems"] == {"A": ["A-1", "A-2", "A-3"], "B": ["B-1", "B-2"], "C": ["C"]}
    assert (result["n_runs"], result["target"]["n_pool"]) == (3, 0)
    assert [result["runs"][2][name] for name in COLUMNS[6:]] == [None, None, None]


def test_no_lucky_replicate_shapes_the_best_target(biasvar):
    result = only(biasvar("decompose", "runs.csv", *BY_NAME, "-f", "json"))
    assert result["target"]["n_pool"] == 3
    assert result["target"]["mean"] == pytest.approx(np.mean([0.5, 0.2, 0.4]))  # of B on q1 and q3, A and C on q2


def test_runs_of_the_pool_join_the_mean_of_their_system_in_the_target_alone(biasvar, written):
    written("AP,A-8,A-9,D-1\nq1,.9,.7,1\nq2,.2,.2,0\nq3,.5,.3,0\n", "pool.csv")
    words = ("decompose", "runs.csv", *BY_NAME, "-f", "json")
    alone, result = (only(biasvar(*words, *options)) for options in ((), ("--pool", "pool.csv")))
    assert result["systems"] == alone["systems"]
    for row, other in zip(result["runs"], alone["runs"], strict=True):
        assert all(row[name] == other[name] for name in ("mean", "var", *COLUMNS[6:]))
    assert result["target"]["n_pool"] == 4
    assert result["target"]["mean"] == pytest.approx((1 + 0.2 + 0.4) / 3)  # D; A (.56, .2, .4), and C on q2; B on q3
    of_a = only(biasvar(*words, "--pool", "pool.csv", "--target", "run:A"))
    assert of_a["target"]["mean"] == pytest.approx(np.mean([2.8 / 5, 1 / 5, 2 / 5]))


def test_a_target_and_a_baseline_are_systems(biasvar, refused):
    result = only(biasvar("decompose", "runs.csv", "--target", "run:B", *BY_NAME, "-f", "json"))
    system = result["runs"][1]
    assert (system["bias"], system["var_gap"]) == (0, pytest.approx(system["var_replicates"]))
    a, b, _ = only(biasvar("decompose", "runs.csv", "--baseline", "B", *BY_NAME, "-f", "json"))["runs"]
    for name in ("total", "total_gap", "bias"):
        assert a[f"d_{name}"] == pytest.approx(a[name] - b[name], abs=1e-12)
    assert a["ratio_var"] == pytest.approx(a["var"] / b["var"])
    for option, there_are in (("--target run:B-1", "; the systems are A, B, C"), ("--baseline B-1", "")):
        message = f"{option}: there is no such system{there_are}"
        refused(1, message, "decompose", "runs.csv", *option.split(), *BY_NAME)


def test_a_replicate_that_lacks_a_query_scores_0_there_with_a_warning(biasvar, tmp_path):
    head, *rows = (line.split(",") for line in RUNS.splitlines())
    (tmp_path / "scores").mkdir()
    for number, run in enumerate(head[1:], 1):
        lines = [f"map\t{row[0]}\t{row[number]}\n" for row in rows]
        (tmp_path / "scores" / run).write_text("".join(lines[1:] if run == "A-2" else lines))
    result = biasvar("decompose", "scores", "--replicates", "-[0-9]", "-f", "csv")
    assert "A-2" in result.err
    assert "warning" in result.err
    row = rows_of(result)[0]
    values = np.array([[0.3, 0.1, 0.5], [0, 0.2, 0.5], [0.4, 0.3, 0.2]])
    expected = [values.mean(), values.var(), values.var(axis=0).mean()]
    assert [float(row[name]) for name in ("mean", "var", "var_replicates")] == pytest.approx(expected)


@pytest.mark.parametrize(("pattern", "code"), [("(A)-(.)", 2), ("[", 2), ("", 2), ("-x", 1), ("(.*)", 1), (".*", 1)])
def test_wrong_usage_has_exit_code_2_and_wrong_data_1(refused, pattern, code):
    refused(code, "--replicates", "decompose", "runs.csv", "--replicates", pattern)


def test_there_is_no_verdict_on_systems_of_several_runs(biasvar, said, written):
    # the rule for runs would call too many tracks stronger: benchmarks/replicate_verdicts.py
    rng = np.random.default_rng(0)
    values = rng.beta(1 + rng.random((15, 1)), 2, size=(15, 20)).repeat(2, axis=0) * rng.uniform(0.9, 1, (30, 20))
    head = ",".join(f"S{number // 2:02}-{number % 2}" for number in range(30))
    rows = [f"q{query},{','.join(map(str, column))}" for query, column in enumerate(values.T)]
    command = ("decompose", written("\n".join([f"AP,{head}", *rows])), "--null-samples", "100", "--quiet")
    replicates = (*command, "--replicates", "-[01]")
    runs, systems = (
        only(biasvar(*words, "-f", "json"))["tradeoff"]["score"]["null"] for words in (command, replicates)
    )
    assert (runs["verdict"] is not None, runs["reason"]) == (True, None)
    reason = "a verdict on systems of several runs would be wrong too often"
    assert (systems["verdict"], systems["reason"], systems["pearson"]["p"]) == (None, reason, None)
    assert systems["pearson"]["low"] < systems["pearson"]["high"]
    assert "vidence of a tradeoff" not in said(*replicates)


@pytest.mark.parametrize(
    ("scores", "share"),
    [
        (RUNS, "19 % (B) to 56 % (A) of the variance of a system"),
        ("AP,A-1,A-2,B-1,B-2\nq1,.3,.3,.6,.6\nq2,.1,.1,.08,.08\n", "0 % of the variance of a system"),
        ("AP,A-1,A-2,B-1,B-2\nq1,.3,.3,.6,.61\nq2,.1,.1,.08,.08\n", "0 % (A) to less than 1 % (B)"),
    ],
)
def test_the_share_of_the_replicates_is_said(said, written, scores, share):
    assert f"Replicates account for {share}" in said("decompose", written(scores), *BY_NAME)


def test_scores_below_the_floor_are_those_of_the_runs(biasvar, written):
    path = written("AP,A-1,A-2,B\nq1,0,.5,.4\nq2,.2,0,.3\nq3,.4,.6,0\n")
    result = biasvar("decompose", path, "--log", "floor", *BY_NAME)
    assert "3 of 9 scores lie below 1e-05" in result.out
    figure = biasvar("plot", "total", path, "--log", "floor", "--replicates", "-[0-9]", "-o", "total.json")
    assert "3 of 9 lie below 1e-05" in figure.err


@pytest.mark.parametrize("baseline", ["A", "top"])
def test_a_baseline_has_the_scores_that_it_is_listed_with(biasvar, written, baseline):
    pool = written("AP,A-8,B-8\nq1,.9,.9\nq2,.9,.9\nq3,.9,.9\n", "pool.csv")
    two = written("AP,A-1,A-2,B-1\nq1,.3,.5,.3\nq2,.1,.2,.1\nq3,.5,.5,.2\n")
    words = ("risk", two, "--pool", pool, "--baseline", baseline, *BY_NAME)
    rows = {row["run"]: row for row in rows_of(biasvar(*words, "-f", "csv"))}
    assert (float(rows["A"]["delta"]), rows["A"]["wins"], rows["A"]["losses"]) == (0, "0", "0")
    assert float(rows["B"]["delta"]) == pytest.approx((0.6 - 1.05) / 3)
    if baseline == "top":
        assert "Baseline: the system A, which has the best mean" in biasvar(*words).out
