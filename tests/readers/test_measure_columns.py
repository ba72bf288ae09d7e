"""Tables of measures and matrices of runs that look alike: what is read, what is warned of, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import assert_refused, rows_of
from hypothesis import given
from hypothesis import strategies as st

import biasvar_cli as bv

TIMED = "qid,AP,nDCG@10,latency\n301,0.5,0.6,12.5\n302,1,1,13.5\n"
LEFT_OUT = "columns not named as measures left out; -m NAME reads one, --orient queries takes all columns for runs"


@pytest.fixture
def scores(biasvar: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """The command ``scores`` on a table: the result, with its scores as ``found``, {(run, query): score}."""

    def call(text: str, *options: str) -> Any:
        (tmp_path / "t.csv").write_text(text)
        result = biasvar("scores", tmp_path / "t.csv", "-f", "csv", *options)
        rows = [] if result.code else rows_of(result)
        return result, {(row["run"], row["query_id"]): float(row["score"]) for row in rows}

    return call


AP = {("t.csv", "301"): 0.5, ("t.csv", "302"): 1.0}


def test_a_table_of_measures_is_one_whatever_stands_beside_them(scores):
    result, found = scores(TIMED, "-m", "AP")
    assert found == AP
    assert LEFT_OUT in result.err
    assert "(latency)" in result.err
    result, found = scores(TIMED, "-m", "latency")
    assert (found, result.err) == ({("t.csv", "301"): 12.5, ("t.csv", "302"): 13.5}, "")
    result, found = scores(TIMED, "-m", "AP latency")
    assert (len(rows_of(result)), result.err) == (4, "")
    result, _ = scores(TIMED)
    assert "t.csv: has 2 measures; choose with -m: AP, nDCG@10; latency can be chosen too" in result.err


ROWS = {
    **{f"{name},latency": "{},{},12.5" for name in ("qid,AP", "topic,map", "query,P_5", "qid,ndcg@10")},
    "topic,year,AP": "{},2012,{}",
    "qid,AP,title": "{},{},word",
}


@pytest.mark.parametrize(("header", "row"), ROWS.items())
def test_the_only_measure_is_read_without_being_asked_for(scores, header, row):
    result, found = scores(f"{header}\n{row.format(301, 0.5)}\n{row.format(302, 1)}\n")
    assert found == AP
    assert "left out" in result.err


@pytest.mark.parametrize("other", ["\t", ";", "json"])
def test_other_forms_of_the_table_are_read_alike(scores, other):
    header, *rows = [line.split(",") for line in TIMED.splitlines()]
    text = json.dumps([dict(zip(header, row, strict=True)) for row in rows])
    result, found = scores(text if other == "json" else TIMED.replace(",", other), "-m", "AP")
    assert found == AP
    assert LEFT_OUT in result.err


def test_objects_of_queries_are_read_alike(scores):
    document = json.dumps({"301": {"map": 0.5, "latency": 12.5}, "302": {"map": 1.0, "latency": 13.5}})
    result, found = scores(document)
    assert found == AP
    assert LEFT_OUT in result.err
    assert scores(document, "-m", "latency")[1][("t.csv", "302")] == 13.5


def test_a_run_may_be_called_run_or_doc(scores):
    """What programs call a run without a name, and what a column of documents is called."""
    assert scores('{"run": {"q1": 0.3, "q2": 0.5}}')[1] == {("run", "q1"): 0.3, ("run", "q2"): 0.5}
    matrix = "topic,doc,rm3\n301,0.5,0.25\n302,0.25,0.5\n"
    assert list(scores(matrix)[1]) == [("doc", "301"), ("doc", "302"), ("rm3", "301"), ("rm3", "302")]


def test_a_table_with_a_column_of_runs_has_measures_in_all_others(scores):
    text = "run,qid,AP,latency\na,301,0.5,12\na,302,1,13\nb,301,0.25,7\nb,302,0.5,8\n"
    result, found = scores(text)
    assert found == {("a", "301"): 0.5, ("a", "302"): 1.0, ("b", "301"): 0.25, ("b", "302"): 0.5}
    assert LEFT_OUT in result.err
    assert scores(text, "-m", "latency")[1][("b", "302")] == 8.0
    unknown = scores("run,qid,D#-nDCG,I-rec\na,301,0.5,0.2\n")[0]
    assert "has 2 measures; choose with -m: D#-nDCG, I-rec\n" in unknown.err
    result, found = scores("run,qid,D#-nDCG,I-rec\na,301,0.5,0.2\n", "-m", "I-rec")
    assert (found, result.err) == ({("a", "301"): 0.2}, "")


MATRIX = "topic,bm25,rm3,ql,{}\n301,0.5,0.25,0.75,0.1\n302,1,0.5,0.125,0.2\n"


@pytest.mark.parametrize("name", ["AP", "P5", "nDCG@10", "recip_rank", "hits@5"])
def test_a_run_called_like_a_measure_needs_orient(scores, name):
    result, _ = scores(MATRIX.format(name))
    assert (result.code, result.out) == (1, "")
    assert f"t.csv:1: are the columns runs or measures? {name} is the name of a measure, bm25 is not; " in result.err
    result, found = scores(MATRIX.format(name), "--orient", "queries")
    assert (len(found), found[(name, "302")], result.err) == (8, 0.2, "")
    result, found = scores(MATRIX.format(name), "-m", name)
    assert found == {("t.csv", "301"): 0.1, ("t.csv", "302"): 0.2}
    assert "(bm25, rm3, ql)" in result.err
    result, _ = scores(MATRIX.format(name), "-m", name, "-m", "rm3")
    assert (len(rows_of(result)), "(bm25, ql)" in result.err) == (4, True)


@pytest.mark.parametrize("name", ["dirichlet", "G", "R", "bm25.1", "ap_2", "run1"])
def test_a_run_called_otherwise_needs_nothing(scores, name):
    result, found = scores(MATRIX.format(name))
    assert (len(found), found[(name, "302")], result.err) == (8, 0.2, "")


@pytest.mark.parametrize(("corner", "code"), [("AP", 0), ("", 1), ("no", 1)])
def test_where_nothing_says_that_rows_are_queries_a_measure_is_refused(scores, corner, code):
    """The name of a measure in the corner says that the columns are runs."""
    result, found = scores(f"{corner},P5,other\n301a,0.5,0.25\n302a,1,0.5\n")
    assert (result.code, len(found)) == (code, 0 if code else 4)
    assert code == 0 or "P5 is a measure: call the first column topic" in result.err


def test_the_mean_of_the_runs_is_no_measure(scores):
    text = "topic,bm25,rm3,map\n301,0.5,0.25,0.375\n302,1,0.5,0.75\n"
    result, found = scores(text)
    assert set(found) == {("bm25", "301"), ("bm25", "302"), ("rm3", "301"), ("rm3", "302")}
    assert "summaries left out" in result.err
    result, _ = scores(text.replace("0.375", "0.9"))
    assert (result.code, result.out) == (1, "")


def test_a_column_with_holes_is_read_only_if_asked_for(scores):
    text = "qid,AP,latency\n301,0.5,\n302,1,13.5\n"
    result, found = scores(text)
    assert found == AP
    assert "column 3, latency" in result.err
    for asked in ("latency", "AP latency"):
        assert "t.csv:2: column latency is empty" in scores(text, "-m", asked)[0].err


ODD = (  # the scores of run A on 301, under AP and nDCG, in forms that name both measures
    "run,qid,AP,nDCG\nA,301,0.5,{}\n",
    "run,qid,measure,score\nA,301,AP,0.5\nA,301,nDCG,{}\n",
    "map\t301\t0.5\nndcg\t301\t{}\n",
    '{{"A": {{"301": {{"map": 0.5, "ndcg": {}}}}}}}\n',
    '{{"query_id": "301", "measure": "AP", "value": 0.5}}\n{{"query_id": "301", "measure": "nDCG", "value": {}}}\n',
)


@pytest.mark.parametrize("value", ["55", "error", "inf"])
@pytest.mark.parametrize("form", ODD)
def test_values_are_judged_after_measures_are_chosen(scores, form, value):
    """What is out of its range, no number or infinite stops a command only where its measure is read."""
    value = {"error": '"error"', "inf": "Infinity"}.get(value, value) if form.startswith("{") else value
    result, found = scores(form.format(value), "-m", "map")
    assert (list(found.values()), "error" in result.err) == ([0.5], False)
    for options in (("-m", "ndcg"), ("-m", "NDCG", "--topics", "intersection"), ()):
        result, _ = scores(form.format(value), *options)
        assert (result.code, result.out) == (1, "")
        said = ("is 55, but nDCG is from 0 to 1", "error is not a number", "is not finite")
        assert any(words in result.err for words in said)


@pytest.mark.parametrize("header", ["topic,bm25,{}", "topic,map,{}"])
def test_a_column_of_fractions_is_never_left_out_for_its_name(scores, header):
    """Neither for having none, nor for one that a program gave it; whole numbers without a name are row numbers."""
    text = f"{header}\n301,0.25,{{}}\n302,0.5,{{}}\n"
    for options in ((), ("--id-column", "topic")):
        result, _ = scores(text.format("", 0.5, 0.6), *options)
        assert (result.code, "column 3 has no name" in result.err) == (1, True)
    if "bm25" in header:
        _, found = scores(text.format("Unnamed: 2", 0.5, 0.6), "--id-column", "topic")
        assert found[("Unnamed: 2", "301")] == 0.5
        result, found = scores(text.format("", 1, 2), "--id-column", "topic")
        assert len(found) == 2
        assert "column 3, without a name" in result.err


# ---- names of items, such as question_id: ids of queries, in a table that has no other ones


ITEMS = ("question_id", "sample_id", "item_id", "example_id", "doc_id", "idx", "id")


@pytest.mark.parametrize("name", [*ITEMS, "Sample ID", "ID"])
def test_an_item_is_a_query(scores, name):
    long, matrix = f"model,{name},score\nA,1,0.5\nA,2,1\nB,1,0\nB,2,0.25\n", f"{name},A,B\n1,0.5,0\n2,1,0.25\n"
    wide = f"model,{name},judge,latency\nA,1,0.5,2\nA,2,1,3\nB,1,0,4\nB,2,0.25,5\n"
    expected = {("A", "1"): 0.5, ("A", "2"): 1.0, ("B", "1"): 0.0, ("B", "2"): 0.25}
    for text, options in ((long, ()), (matrix, ()), (wide, ("-m", "judge"))):
        assert scores(text, *options)[1] == expected


def test_a_column_named_as_queries_are_comes_first(scores):
    for name in ("query_id", "question_id"):
        assert scores(f"id,{name},model,score\n7,301,A,0.5\n8,302,A,1\n")[1] == {("A", "301"): 0.5, ("A", "302"): 1.0}


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_beside_topics_is_no_run(scores, name):
    result, _ = scores(f"topic,{name},A\n301,7,0.5\n302,8,1\n")
    assert (result.code, result.out) == (1, "")


@pytest.mark.parametrize(("name", "others"), [("id", "A,B"), ("doc_id", "score"), ("idx", "f1,accuracy")])
def test_an_item_given_twice_is_refused_as_a_query(scores, name, others):
    row = ",".join(["0.5"] * len(others.split(",")))
    result, _ = scores(f"{name},{others}\n1,{row}\n2,{row}\n1,{row}\n")
    assert (result.code, result.out) == (1, "")
    assert "t.csv:4: " in result.err
    assert "is given twice, first in line 2; keep one, or add a column called run" in result.err
    assert "two rows" not in result.err


# ---- a column for each run under each measure, as a pivot has them

PIVOTS = (  # with the map of the two runs first and third
    *("A_map,A_ndcg_cut_10,B_map,B_ndcg_cut_10", "A.map,A.P_5,B.map,B.time", "A map,A ndcg@10,B map,B ndcg@10"),
    *("map_A,ndcg_A,map_B,ndcg_B", "A/map,A/latency,B/map,B/latency", "A: map,A: ndcg,B: map,B: rr"),
)


@pytest.mark.parametrize("header", PIVOTS)
def test_runs_under_several_measures_are_no_runs(scores, header):
    text = f"query,{header}\n301,0.5,0.6,0.25,0.4\n302,1,0.9,0.75,0.8\n"
    result, _ = scores(text)
    assert (result.code, result.out) == (1, "")
    assert "are named as two measures of A; choose one with -m map, or say --orient queries" in result.err
    result, found = scores(text, "-m", "map")
    assert found == {("A", "301"): 0.5, ("A", "302"): 1.0, ("B", "301"): 0.25, ("B", "302"): 0.75}
    assert len(scores(text, "--orient", "queries")[1]) == 8


@pytest.mark.parametrize(
    "header", ["bm25_map,rm3_map,ql_map", "bm25,bm25_map,rm3_map", "r_r1,r_r2,s_r1", "a_b,a_c,d_b"]
)
def test_runs_called_after_one_measure_are_runs(scores, header):
    result, found = scores(f"query,{header}\n301,0.5,0.6,0.25\n302,1,0.9,0.75\n")
    assert (len(found), result.err) == (6, "")


def test_objects_of_runs_under_several_measures_are_refused(scores):
    values = {"A_map": {"301": 0.5}, "A_ndcg": {"301": 0.6}, "B_map": {"301": 0.25}}
    what = "A_map and A_ndcg are named as two measures of A"
    assert what in scores(json.dumps(values))[0].err
    for form in (values, pd.DataFrame(values)):
        with pytest.raises(bv.BiasVarError, match=what):
            bv.decompose(form, null=False)


def test_a_run_without_the_measure_is_refused(scores):
    result, _ = scores("query,A_map,A_ndcg,B_ndcg\n301,0.5,0.6,0.25\n", "-m", "map")
    assert "t.csv:1: no column has AP of B; add one, or leave B out" in result.err


# ---- scores of judges: their names are those of measures, and the queries may be rows alone

JUDGED = (
    "faithfulness,answer_relevancy\n0.5,1\n1,0.25\n",
    "response,reference,faithfulness,answer_relevancy\nJane,Jane A.,0.5,1\n1815,In 1815,1,0.25\n",
    ',response,faithfulness,"factual_correctness(mode=f1)"\n0,Jane,0.5,1\n1,1815,1,0.25\n',
    '[{"contexts": ["a"], "faithfulness": 0.5}, {"contexts": ["a"], "faithfulness": 1}]',
)


@pytest.mark.parametrize("text", JUDGED)
def test_measures_of_judges_are_no_runs(scores, text):
    result, _ = scores(text)
    assert (result.code, result.out) == (1, "")
    assert (
        "faithfulness is a measure: call the column of ids topic, or number the rows with --id-column none"
        in result.err
    )
    result, found = scores(text, "--id-column", "none", "-m", "faithfulness")
    assert found == {("t.csv", "1"): 0.5, ("t.csv", "2"): 1.0}


def test_what_a_judge_says_in_words_is_left_out(scores):
    for name in ("judgment", "Explanation", "feedback"):
        result, found = scores(f"query_id,{name},score\n301,Good,0.5\n302,Bad,1\n")
        assert found == AP
        assert f"t.csv (column 2, {name})" in result.err
    lines = [json.dumps({"query_id": query, "judgment": {"text": "Good"}, "score": 1}) for query in ("301", "302")]
    assert scores("\n".join(lines))[1] == {("t.csv", "301"): 1.0, ("t.csv", "302"): 1.0}
    assert scores("query_id,judgment,score\n301,3,0.5\n")[0].code == 1  # a run?


def test_without_a_measure_nothing_says_that_an_absent_query_is_0(biasvar, written):
    path = written('{"A": {"q1": 0.5, "q2": 0.25}, "B": {"q1": 0.25}}')
    assert_refused(biasvar("scores", path), 1, "run B has no score on 1 query (q2)", "--topics intersection", "-m AP")
    assert [row["score"] for row in rows_of(biasvar("scores", path, "-m", "AP"))] == ["0.5", "0.25", "0.25", "0.0"]
    assert biasvar("scores", path, "--topics", "intersection").code == 0


# ---- DataFrames

FRAME = pd.DataFrame({"qid": ["301", "302"], "AP": [0.5, 1.0], "nDCG@10": [0.6, 1.0], "latency": [12.5, 13.5]})


def means(frame: pd.DataFrame, **options: Any) -> dict[str, float]:
    result: dict[str, float] = bv.decompose(frame, null=False, **options).frame()["mean"].to_dict()
    return result


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_a_frame_of_measures_is_one_run_s():
    for frame in (FRAME, FRAME.set_index("qid"), FRAME[["latency", "qid", "nDCG@10", "AP"]]):
        assert means(frame, measure="AP") == {"run": 0.75}
        assert means(frame, measure="latency") == {"run": 13.0}
    several = pd.concat([FRAME.assign(run="a"), FRAME.assign(run="b", AP=[0.25, 0.5])])
    assert means(several, measure="ap") == {"a": 0.75, "b": 0.375}
    with pytest.warns(bv.DataWarning, match="left out.*latency"):
        means(FRAME, measure="AP")
    with pytest.raises(bv.BiasVarError, match="has 2 measures; choose with measure: AP, nDCG@10"):
        means(FRAME)
    assert means(FRAME, orient="queries", measure="AP", allow_range=True) == {"AP": 0.75, "nDCG@10": 0.8, "latency": 13}


@pytest.mark.filterwarnings("ignore:the pool is one run")
def test_a_frame_of_runs_one_of_which_is_called_like_a_measure_needs_orient():
    wide = pd.DataFrame({"bm25": [0.5, 1.0], "rm3": [0.25, 0.5], "P5": [0.1, 0.2]}, index=["301", "302"])
    for frame in (wide, wide.reset_index(drop=True), wide.rename_axis("qid"), wide[["P5"]]):
        if list(frame.columns) != ["P5"]:
            with pytest.raises(bv.BiasVarError, match="orient"):
                means(frame)
        assert means(frame, orient="queries")["P5"] == pytest.approx(0.15)


def test_averages_are_no_scores_of_queries():
    """What PyTerrier's ``Experiment`` gives without ``perquery``."""
    averages = pd.DataFrame({"name": ["bm25", "rm3"], "map": [0.25, 0.5], "P_10": [0.5, 0.75]})
    with pytest.raises(bv.BiasVarError, match="name names the rows, which are runs, and these are their averages"):
        means(averages, measure="map")
    with pytest.raises(bv.BiasVarError, match="map is a measure: name the index qid"):
        means(averages.drop(columns="name").set_axis(["bm25", "rm3"]), measure="map")


NAMES = st.sampled_from(["AP", "nDCG@10", "P_5", "map", "latency", "bm25", "rm3", "G", "num_rel", "year", "title", ""])


@given(st.lists(NAMES, min_size=1, max_size=5, unique=True), st.booleans(), st.booleans())
def test_no_column_becomes_a_run_beside_a_measure(tmp_path_factory, biasvar, names, orient, asked):
    """Without ``--orient``, what is read beside measures is a measure, and all that is left out is said to be."""
    path = tmp_path_factory.mktemp("t") / "t.csv"
    rows = [[f"{0.125 * (place + number):g}" for place in range(len(names))] for number in (1, 2)]
    body = [",".join([str(300 + number), *row]) for number, row in enumerate(rows)]
    path.write_text("\n".join([",".join(["topic", *names]), *body]) + "\n")
    options = (*(("--orient", "queries") if orient else ()), *(("-m", "AP") if asked else ()), "--allow-range")
    result = biasvar("scores", path, "-f", "csv", *options)
    if result.code:
        return
    runs = {row["run"] for row in rows_of(result)}
    if runs == {"t.csv"}:
        assert not orient
        read = {row["measure"] for row in rows_of(result)}
        assert len(read) == 1
        only_measures = set(names) <= {"AP", "nDCG@10", "P_5", "map", "G", "num_rel"}  # G is one of trec_eval's
        assert len(names) == 1 or (asked and only_measures) or "left out" in result.err
    else:
        assert runs <= set(names)
        assert orient or not runs & {"AP", "nDCG@10", "P_5"}
