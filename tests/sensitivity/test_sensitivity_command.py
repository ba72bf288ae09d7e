"""``biasvar sensitivity``, and what stands beside a decomposition: reliability of rankings, comparison with a run."""

from __future__ import annotations

import pytest
from conftest import SAMPLE, only, rows_of

from biasvar_cli.analyses.sensitivity import TABLES

pytestmark = pytest.mark.usefixtures("in_the_checkout")
PAPER = "AP,A,B,C,C2,T\nq1,0.3,0.6,0.65,0.32,0.7\nq2,0.1,0.08,0.03,0.11,0.2\n"


@pytest.fixture
def paper(written):
    return written(PAPER, "paper.csv")


@pytest.fixture
def covid(shared):
    folder = shared / "covid-round1"
    return "sensitivity", folder / "runs", "-q", folder / "qrels.txt", "-m", "nDCG@10", "--quiet"


@pytest.mark.parametrize("name", TABLES)
def test_json_holds_every_table_and_csv_the_one_asked_for(biasvar, name):
    found = only(biasvar("sensitivity", *SAMPLE, "-f", "json"))[name]
    rows = rows_of(biasvar("sensitivity", *SAMPLE, "-f", "csv", "--table", name))
    assert len(rows) == len(found) > 0
    assert list(rows[0]) == ["measure", "target", *found[0]]
    for row, document in zip(rows, found, strict=True):
        for key, value in document.items():
            value = " ".join(value) if isinstance(value, list) else "" if value is None else value
            assert row[key] == (str(value).lower() if isinstance(value, bool) else str(value))


def test_the_ranking_by_mean_of_the_paper(biasvar, paper):
    """SIGIR'13, Table 1, target mean .45: totals .0725, .0797, .1082, .06625, .0625 of A, B, C, C', T.

    T (mean .45), C' (.215), A (.2), B (.34), C (.34): of the runs above it, T stands over C', both over A, T alone over
    B, and T over C with B tied: C(i) = 1, 2, 1, 1.5. tau_AP = 2/4 (1 + 2/2 + 1/3 + 1.5/4) - 1 = .354167. Of 9 pairs
    that are not tied 5 are in the same order and 4 in another: tau-b = 1 / sqrt(10 * 9).
    """
    rows = only(biasvar("sensitivity", paper, "--target", "mean:0.45", "-f", "json"))["mean"]
    (row,) = (row for row in rows if row["under"] == "mean:0.45")
    assert (row["tau"], row["tau_ap"]) == (pytest.approx(1 / 90**0.5), pytest.approx(0.354167, abs=5e-7))
    assert (row["tau_gap"], row["tau_ap_gap"]) == (None, None)


def test_teams_are_left_out_as_a_whole(biasvar, refused, paper, written):
    teams = written("run,team\nA,x\nB,y\nC,y\nC2,x\nT,z\n", "teams.csv")
    found = only(biasvar("sensitivity", paper, "--teams", teams, "-f", "json"))
    assert [row["under"] for row in found["targets"]][:3] == ["best", "leave-one-run-out", "leave-one-team-out"]
    held = {row["run"]: row for row in found["runs"]}
    assert held["T"]["team_unique"] == pytest.approx((0.05 + 0.09) / 2)
    assert held["B"]["team_unique"] == 0
    refused(1, "no team for 4 runs", "sensitivity", paper, "--teams", written("run,team\nA,x\n", "teams.csv"))


def test_text_says_whether_winner_and_ranking_stay(biasvar, covid):
    _, verdict, table, *_ = biasvar(*covid).out.split("\n\n")
    assert " ".join(verdict.split()) == (
        "BBGhelani1 and BBGhelani2 have the least total error, and remain first for any target mean of at least "
        "0.8428 (now 0.8653); xj4wang_run1 is first against best:0.95, best:0.9 and best:0.75. "
        "Against the best of the other runs (leave-one-run-out), xj4wang_run1 is first and BBGhelani1 and BBGhelani2 "
        "have rank 2. "
        "Without one of 8 of the 30 queries (15, 30, 25 and 5 more) another run has the least total. "
        "The ranking by total changes most against best:0.75: 1 in 12 pairs of runs changes places (Kendall's tau "
        "0.83)."
    )
    assert "BBGhelani1 and 1 more" in table
    found = only(biasvar(*covid, "-f", "json"))
    winner = found["runs"][0]
    assert (winner["rank"], winner["switch_low"]) == (1, pytest.approx(0.8428, abs=5e-5))
    assert winner["switch_high"] > 1  # no mean that nDCG has
    assert sum(row["least_total"] not in found["targets"][0]["least_total"] for row in found["queries"]) == 8
    assert min(row["tau"] for row in found["targets"]) == pytest.approx(0.83, abs=5e-3)


def test_no_switch_that_the_measure_does_not_allow_is_shown_as_a_number(biasvar, covid):
    rows = {row["run"]: row for row in only(biasvar(*covid, "-f", "json"))["neighbours"]}
    assert rows["ERST_PROSE"]["switch"] == pytest.approx(-0.3154, abs=5e-5)
    assert rows["yn-r1-concepttext"]["switch"] == pytest.approx(1.6493, abs=5e-5)
    shown = [biasvar(*covid, "--table", table, "--wide").out for table in ("runs", "neighbours")]
    assert all(number not in text for text in shown for number in ("0.3154", "1.6493"))
    (line,) = [line for line in shown[0].splitlines() if line.startswith("run3 ")]
    assert "[0.7151, -]" in line


def test_logs_have_no_range_and_keep_their_switches(biasvar, paper):
    text = biasvar("sensitivity", paper, "--log", "floor", "--table", "runs").out
    assert "[-" in text


@pytest.mark.parametrize(
    ("table", "answer"),
    [
        ("queries", "Pearson's r of bias² and variance is -0.6543; without one query it is from"),
        ("runs", "The median run needs "),
        ("runs", " run total rank rank_loro rank_perfect "),
        ("neighbours", "The ranking by total stays exactly as it is while the target's mean (now 0.4493) is from"),
    ],
)
def test_text_of_the_other_tables_opens_with_their_answer(said, table, answer):
    assert answer in said("sensitivity", *SAMPLE, "--table", table)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("targets", "the queries order 5 in 10 pairs of runs differently (two random orders: 5 in 10)."),
        ("targets", "most against perfect: 8 in 10 pairs of runs change places (Kendall's tau -0.50)."),
        ("reliability", "The order by total is not reliable: two random halves of the queries order 5 in 10 pairs of"),
        ("mean", "Best mean: rm-cata-filtered"),
        ("mean", "with rank 7 of 8 by total."),
    ],
)
def test_text_says_where_the_ranking_is_chance(said, shared, table, sentence):
    web = shared / "web2012-indri"
    words = ("sensitivity", web / "runs", "-q", web / "qrels.txt", "-m", "nDCG@10", "--quiet")
    assert sentence in said(*words, "--table", table)


def test_text_says_where_no_target_changes_the_order(biasvar, written):
    # the better of two runs is also the more stable one, so that its total is less under every target
    path = written("AP,A,B,C,D\n" + "".join(f"q{n},.8,.8,.65,.39\np{n},.8,.6,.35,.01\n" for n in range(3)))
    text = biasvar("sensitivity", path).out
    assert {line.split()[2] for line in text.split("\n\n")[2].splitlines()[2:]} == {"+1.0000"}
    assert "\nThe ranking by total is the same against all of these targets.\n" in text
    assert "A has the least total error, and remains first for any target" in text
    assert "changes most" not in text


@pytest.mark.parametrize("options", [("-f", "json"), *(("--table", table) for table in TABLES)])
@pytest.mark.parametrize(
    "matrix",
    [
        "f\n1,.1\n2,.3\n",
        "f,g\n1,.1,.2\n",
        "f,g,h\n1,0,0,0\n2,0,0,0\n",
        "f,g,h\n1,.1,.1,.1\n2,.3,.3,.3\n3,.2,.2,.2\n",
        "f,g,h\n1,5,7,9\n2,-3,2,1\n3,4,4,4\n",
    ],
)
def test_degenerate_data_have_dashes_and_no_warning(biasvar, written, matrix, options):
    result = biasvar("sensitivity", written(f"topic,{matrix}"), *options, "--quiet")
    assert (result.code, result.err) == (0, "")
    assert "nan" not in result.out
    assert "inf" not in result.out


def test_people_see_the_main_columns_of_a_comparison(biasvar):
    text = biasvar("decompose", *SAMPLE, "--baseline", "rm", "--no-null", "--wide").out
    assert "d_bias    d_bias_holm    d_total    d_total_holm    ratio_var    ratio_var_holm" in text
    assert "d_: minus rm; ratio_: over rm; _holm: p, adjusted for all runs" in text
    assert "d_bias_low" not in text


@pytest.mark.parametrize(
    ("matrix", "options", "reason"),
    [
        ("f,g\n1,.1,.2\n", "f", "one query has no spread"),
        ("f,g\n1,.1,.2\n", "f", "No test of bias"),
        ("f,g\n1,.1,.2\n2,.1,.4\n3,.1,.7\n", "f", "The variance of run f is 0: no test of var."),
        ("f,g\n1,.1,.2\n2,.1,.4\n3,.1,.7\n", "g --target mean:0.5", "the target is a mean alone"),
        ("f,g,h\n1,.1,.2,.3\n2,.1,.4,.1\n3,.5,.7,.2\n", "f", "Without query 3 the variance of run f is 0: no test of"),
        ("f,g,h\n1,.1,.2,.3\n2,.1,.4,.1\n3,.5,.7,.2\n", "g", "Without query 3 the variance of run f is 0: no test of"),
    ],
)
def test_comparison_where_there_is_no_test_says_why(said, written, matrix, options, reason):
    words = ("--no-null", "--quiet", "--baseline", *options.split())
    assert reason in said("decompose", written(f"topic,{matrix}"), *words)


def test_reliability_stands_beside_every_ranking_for_people(biasvar, said, shared):
    words = ("decompose", shared / "score-matrices" / "trec5-adhoc-ap.csv", "--no-null")
    splits = "between random halves of the queries, 25 queries each (mean of 100 splits): by bias"
    assert splits in said(*words, "--top", 1, "--notes", "full")
    found = only(biasvar(*words, "-f", "json"))["reliability"]
    assert 0.54 <= found["bias"] <= 0.84
    assert 0.25 <= found["var"] <= 0.62


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--precision 0", "--precision"),
        ("--precision 1e-200", "--precision"),
        ("--teams none.csv", "--teams"),
        ("--target best:", "best:"),
        ("--teams - -", "can be read only once"),
    ],
)
def test_bad_options_are_refused(refused, options, message):
    refused(2, message, "sensitivity", *SAMPLE, *options.split())


def test_two_runs_are_measured_against_each_other(said, written):
    text = said("sensitivity", written("AP,a,b\nq1,.5,.2\nq2,.6,.3\nq3,.1,.9\n"))
    assert "Of 2 runs leave-one-run-out measures one against the other, so that both have the same bias²." in text
    assert "Against the best of the other runs" not in text


def test_the_run_that_leads_without_one_query_is_named(said, written):
    """a has bias 0.5 and variance 0.13, b 0.37 and 0.02; without q3 0.25 and 0.0025, 0.3 and 0.01."""
    text = said("sensitivity", written("AP,a,b\nq1,.8,.6\nq2,.7,.8\nq3,0,.5\n"), "--target", "perfect")
    assert "b has the least total error" in text
    assert "Without query q3, a has the least total." in text


def test_no_mean_of_a_perfect_target_is_named_for_logs(biasvar):
    """A perfect score of 1 is 0 or a little more as a log, so switch points of logs are not compared with 1."""
    of_logs = biasvar("sensitivity", *SAMPLE, "--log", "add", "--table", "neighbours")
    assert "switch: the target's mean, now " in of_logs.out
    assert "before_perfect (*)" not in of_logs.out
    assert "perfect target" not in of_logs.out
    rows = rows_of(biasvar("sensitivity", *SAMPLE, "--log", "add", "--table", "neighbours", "-f", "csv"))
    assert {row["before_perfect"] for row in rows} == {"false"}
    assert "before_perfect (*)" in biasvar("sensitivity", *SAMPLE, "--table", "neighbours").out
