"""Tables and logs of evaluators and of pandas, as they come: what is no score is left out or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import rows_of

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")

QUERIES = [f"q{number}" for number in range(1, 9)]


def table(header: str, *rows: str) -> str:
    return "\n".join([header, *rows, ""])


def write(**files: str) -> None:
    for name, text in files.items():
        Path(name.replace("_", ".")).write_text(text, encoding="utf-8")


# ---- measures where queries should be


@pytest.mark.parametrize("corner", ["", "measure", "metric", "name"])
@pytest.mark.parametrize("options", [(), ("--orient", "runs"), ("--orient", "queries")])
def test_rows_that_are_measures_are_no_queries_and_no_runs(biasvar, corner, options):
    rows = [f"{measure},.1,.2,.3,.4" for measure in ("P_5", "ndcg_cut_10", "recip_rank")]
    write(a_csv=table(f"{corner},q1,q2,q3,q4", *rows))
    refused = biasvar("compare", "a.csv", *options)
    assert (refused.code, refused.out) == (1, "")
    assert "a.csv:1: the rows are measures, P_5, ndcg_cut_10, recip_rank: write a row for each query" in refused.err


@pytest.mark.parametrize(
    ("header", "ids"),
    [
        ("qid,bm25,bm25_sem", QUERIES),
        ("AP,bm25,sem", QUERIES),
        ("AP,user,auto", QUERIES),
        ("topic,auto,user", QUERIES),
        (",bm25,rm3", ["P1", "P2", "P10"]),
        ("qid,bm25,rm3", ["P1", "AP"]),
    ],
)
def test_names_that_may_be_of_runs_and_queries_are(biasvar, header, ids):
    write(a_csv=table(header, *(f"{query},.1{place},.3" for place, query in enumerate(ids))))
    rows = rows_of(biasvar("scores", "a.csv", "-f", "csv"))
    assert {row["run"] for row in rows} == set(header.split(",")[1:])
    assert {row["query_id"] for row in rows} == set(ids)


def test_a_column_of_standard_errors_stands_beside_averages(biasvar):
    write(a_csv=table("system,win_rate,standard_error,n_total", "A,50,1.7,805", "B,40,1.7,805"))
    for options in ((), ("--orient", "runs"), ("--id-column", "system")):
        assert "has only averages, a row for each run" in biasvar("compare", "a.csv", *options).err


def test_an_average_is_known_behind_an_arrow(biasvar):
    write(a_csv=table("task,A,B,Average ⬆️", *(f"t{number},.{number},.4,.9" for number in range(1, 7))))
    assert "leave out Average" in biasvar("compare", "a.csv").err


# ---- columns beside those that are asked for


@pytest.mark.parametrize(
    "text",
    [
        table("span.id,label,score,why", *(f"{query},good,0.{at},x" for at, query in enumerate(QUERIES))),
        table("utt,reference,score", *(f"{query},a b,0.{at}" for at, query in enumerate(QUERIES))),
        table("number,score,note", *(f"{at},0.{at},x" for at in range(8))),
        table("id,P,score", *(f"{query},-0.5,0.{at}" for at, query in enumerate(QUERIES))),
        table("run,query_id,app,score,cost", *(f"A,{query},x,0.{at},1" for at, query in enumerate(QUERIES))),
    ],
)
def test_a_column_that_is_asked_for_is_read_whatever_stands_beside_it(biasvar, text):
    write(a_csv=text)
    rows = rows_of(biasvar("scores", "a.csv", "-m", "score", "-f", "csv"))
    assert [float(row["score"]) for row in rows] == [at / 10 for at in range(8)]


def test_the_range_of_a_measure_that_is_not_asked_for_stops_nothing(biasvar):
    write(a_csv=table("id,P,F1", "s1,-0.5,0.25", "s2,0.5,0.75"))
    assert len(rows_of(biasvar("scores", "a.csv", "-m", "F1", "-f", "csv"))) == 2
    assert "a.csv:2: P of a.csv on query s1 is -0.5" in biasvar("scores", "a.csv", "-m", "P").err
    assert "is -0.5" in biasvar("compare", "a.csv").err


def test_the_first_cell_of_a_table_may_go_on_in_the_next_line(biasvar):
    write(a_csv=table("user_input,response,faithfulness", '"Who\nwrote it?","Ann\nor Bob",0.5', '"When, then?",x,1'))
    assert [row["score"] for row in rows_of(biasvar("scores", "a.csv", "-f", "csv"))] == ["1.0", "0.5"]


# ---- queries and runs under other names


@pytest.mark.parametrize("query", ["task_name", "user", "user_id", "task_id", "instance_id"])
def test_long_tables_may_call_their_queries_otherwise(biasvar, query):
    write(a_csv=table(f"model_name,{query},score", *(f"{run},{key},0.5" for run in "AB" for key in QUERIES)))
    rows = rows_of(biasvar("scores", "a.csv", "-f", "csv"))
    assert {row["run"] for row in rows} == {"A", "B"}
    assert [row["query_id"] for row in rows][:8] == QUERIES


def test_rows_of_one_name_are_no_doubles_where_the_queries_have_another_column(biasvar):
    text = table("algorithm,customer,ndcg", *(f"{run},{key},0.5" for run in ("Pop", "KNN") for key in QUERIES))
    write(a_csv=text)
    remedy = "keep one, or call the column of queries query_id, and the column of runs run"
    assert f"two rows are called Pop, the first in line 2; {remedy}" in biasvar("compare", "a.csv").err
    write(a_csv=text.replace("algorithm,customer", "run,query_id"))
    assert biasvar("compare", "a.csv").code == 0


def test_a_query_that_a_table_lacks_counts_0_for_measures_of_rankings_alone(biasvar):
    rows = [*(f"A,{query},.5" for query in QUERIES), *(f"B,{query},.5" for query in QUERIES[:6])]
    for measure, code in (("Groundedness", 1), ("nDCG@10", 0)):
        write(a_csv=table(f"run,query_id,{measure},latency", *(f"{row},2" for row in rows)))
        asked = biasvar("scores", "a.csv", "-m", measure, "-f", "csv")
        assert asked.code == code
        assert ("what was not run does not count as 0" in asked.err) is (code == 1)
    for header, code in (("run,query_id,score", 0), ("run,task_name,score", 1), ("run,measure,query_id,score", 1)):
        middle = ",faithfulness" if "measure" in header else ""
        write(a_csv=table(header, *(row.replace(",", f"{middle},", 1) for row in rows)))
        assert biasvar("scores", "a.csv", "-f", "csv").code == code
        assert biasvar("check", "a.csv").code == code


# ---- logs


def log(model: str, values: list[object], *, status: str = "success") -> str:
    samples = [
        {"id": at, "epoch": 1, "input": f"Q{at}?", "target": "x", "scores": {"match": {"value": value}}}
        for at, value in enumerate(values)
    ]
    return json.dumps({"status": status, "eval": {"task": "t", "model": model}, "samples": samples})


def test_values_of_inspect_ai_may_be_numbers_in_words(biasvar):
    write(a_json=log("m", ["0.5", "1", "C", "no"]))
    assert [row["score"] for row in rows_of(biasvar("scores", "a.json", "-f", "csv"))] == ["0.5", "1.0", "1.0", "0.0"]
    write(a_json=log("m", ["A", "F"]))
    assert "a.json: the inspect_ai records have no scores (match is the text A)" in biasvar("scores", "a.json").err


def test_two_logs_of_one_model_are_two_runs_by_their_paths(biasvar):
    write(one_json=log("m", [1, 0, 1, 0]), two_json=log("m", [1, 1, 1, 1]))
    assert "give the folder above both with --recursive --name-by path" in biasvar("compare", ".").err
    rows = rows_of(biasvar("scores", ".", "--recursive", "--name-by", "path", "-f", "csv"))
    assert {row["run"] for row in rows} == {"one.json", "two.json"}


def test_preferences_of_pairs_are_no_scores(biasvar):
    pair = {"instruction": "x", "generator_1": "a", "generator_2": "b", "output_1": "x", "output_2": "y"}
    write(a_json=json.dumps([{**pair, "instruction": f"i{at}", "preference": at % 3} for at in range(4)]))
    for options in ((), ("-m", "preference"), ("--id-column", "instruction")):
        assert "judgments of pairs have no score for a model" in biasvar("scores", "a.json", *options).err


# ---- runs in three columns, and files that are none


def test_three_columns_whose_numbers_fall_are_a_run_without_its_other_columns(biasvar):
    rows = (f"{query}\td{at}\t{1 - at / 9:.3f}" for query in QUERIES for at in range(4))
    write(rank_txt="\n".join(rows), qrels_txt="q1 0 d1 1\n")
    said = biasvar("scores", "rank.txt", "-q", "qrels.txt").err
    assert "rank.txt:1: this looks like topic, document and score" in said
    assert "write a run with 6 columns" in said


@pytest.mark.parametrize(
    ("data", "meaning"), [(b"\x93NUMPY\x01\x00", "an array of NumPy"), (b"\x80\x04\x95\x00", "a pickle of Python")]
)
def test_arrays_and_pickles_are_named(biasvar, data, meaning):
    Path("a").write_bytes(data)
    assert f"a: not a text file, but {meaning} (save it as csv" in biasvar("compare", "a").err


# ---- two scales, and averages


def test_percentages_beside_fractions_are_a_warning(biasvar):
    write(a_csv=table("task,A,B", *(f"t{at},0.{at},{at}5.5" for at in range(1, 9))))
    warning = "scores up to 100 beside runs with scores up to 1: are they percentages?: in B (scores)"
    for command in ("compare", "summary", "scores"):
        assert warning in biasvar(command, "a.csv").err
    write(a_csv=table("task,A,B", *(f"t{at},0.{at},1.{at}" for at in range(1, 9))))
    assert "percentages" not in biasvar("compare", "a.csv").err


def test_statistics_of_helm_are_averages(biasvar):
    write(stats_json=json.dumps([{"name": {"name": "em", "split": "test"}, "count": 1, "sum": 0.5, "mean": 0.5}]))
    said = biasvar("compare", "stats.json").err
    assert "stats.json: statistics of HELM, which are averages only" in said
    assert "--glob per_instance_stats.json" in said
