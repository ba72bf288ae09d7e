"""Runs and judgments as tables with a header: which tables they are, what is read, and what is left to scores."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import assert_refused, only, rows_of

import biasvar_cli as bv

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")
RESULTS = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d3", 0.5), ("q2", "d1", 0.75)]
JUDGED = [("q1", "d2", 1), ("q1", "d1", 0), ("q2", "d1", 2)]
RR = {"q1": 0.5, "q2": 1.0}  # d2 is the second of q1, d1 the first of q2


def write(name: str, header: str, rows: Any) -> str:
    """A table in the form that the suffix says."""
    frame = pd.DataFrame(rows, columns=header.split(","))
    out = io.BytesIO()
    match name.partition(".")[2]:
        case "csv":
            frame.to_csv(out, index=False)
        case "tsv":
            frame.to_csv(out, index=False, sep="\t")
        case "txt":
            frame.to_csv(out, index=False, sep=" ")
        case "parquet":
            frame.to_parquet(out, index=False)
        case "jsonl":
            frame.to_json(out, orient="records", lines=True)
        case "json":
            frame.to_json(out, orient="records")
    Path(name).write_bytes(out.getvalue())
    return name


def rr(result: Any) -> dict[str, float]:
    return {row["query_id"]: float(row["score"]) for row in rows_of(result)}


ID_NAMES = (
    "q_id,doc_id",
    "user_id,item_id",
    "query_text,doc_id",
    "qidx,doc_id",
    "query-id,corpus-id",
    "qid,docno",
    "user,item",
    "session_id,asin",
    "userId,movieId",
)


@pytest.mark.parametrize(
    ("form", "names"),
    [*(("csv", names) for names in ID_NAMES), *((form, ID_NAMES[0]) for form in ("tsv", "parquet", "jsonl", "json"))],
)
def test_a_run_as_a_table_is_a_run(biasvar, form, names):
    """These were read as scores of one document each, under the ids of documents."""
    write("qrels.txt", f"{names},rel", JUDGED)
    run = write(f"run.{form}", f"{names},score", RESULTS)
    assert rr(biasvar("scores", run, "-q", "qrels.txt", "-m", "RR")) == RR
    assert_refused(biasvar("compare", run), 2, "add -q QRELS")
    (report,) = only(biasvar("check", run, "-f", "json"))["files"]
    assert (report["kind"], report["queries"], report["lines"], report["oddities"]) == ("run", 2, 4, [])


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl", "json", "txt"])
@pytest.mark.parametrize("header", ["query-id,corpus-id,score", "qid,docno,label", "query_id,doc_id,relevance"])
def test_judgments_as_tables_are_judgments(biasvar, form, header):
    """BEIR and mteb have them so, and DataFrames of PyTerrier and ir_measures."""
    qrels = write(f"qrels.{form}", header, JUDGED)
    run = write("run.csv", "qid,docno,score", RESULTS)
    assert rr(biasvar("scores", run, "-q", qrels, "-m", "RR")) == RR
    if form != "txt":
        result = biasvar("scores", run, qrels, "-q", write("other.csv", header, JUDGED), "-m", "RR")
        assert rr(result) == RR
        assert f"1 file shaped like qrels left out: {qrels}" in result.err


def test_columns_may_stand_in_any_order_and_grades_may_be_whole_fractions(biasvar):
    rows = [(f"{grade}.0", query, document, "0") for query, document, grade in JUDGED]
    qrels = write("qrels.csv", "relevance,query_id,doc_id,iteration", rows)
    rows = [(rank, document, score, query, "words") for rank, (query, document, score) in enumerate(RESULTS)]
    run = write("run.csv", "rank,docno,score,qid,query", rows)  # PyTerrier has the words of a query in query
    assert rr(biasvar("scores", run, "-q", qrels, "-m", "RR")) == RR


def test_a_notebook_knows_the_same_names():
    frame = pd.DataFrame(RESULTS, columns=["user_id", "item_id", "score"])
    judged = pd.DataFrame(JUDGED, columns=["query-id", "corpus-id", "score"])
    assert bv.evaluate(frame, judged, "RR").frame()["run"].to_dict() == RR


WRONG = {
    ("q1,d1,2.5\nq1,d 2,1.5\n", "run.csv:3: doc_id d 2 is empty or has a blank"): 1,
    ("q1,d1,2.5\nq1,,1.5\n", "run.csv:3: doc_id '' is empty or has a blank"): 1,
    ("q1,d1,2.5\nq1,d2,x\n", "run.csv:3: score x is not a number"): 1,
    ("q1,d1,2.5\nq1,d2\n", "run.csv:3: expected 3 columns, as in the header, found 2"): 1,
    ("q1,d1,2.5\n\nq1,d1,1.5\n", "run.csv:4: document d1 is listed twice for topic q1, first in line 2"): 1,
}


@pytest.mark.parametrize(("rows", "message"), WRONG)
def test_what_is_wrong_is_said_with_its_line(biasvar, rows, message):
    Path("run.csv").write_text(f"query_id,doc_id,score\n{rows}")
    write("qrels.txt", "qid,docno,rel", JUDGED)
    assert_refused(biasvar("scores", "run.csv", "-q", "qrels.txt"), 1, message)


def test_several_runs_in_one_table_are_refused(biasvar):
    rows = [(name, *row) for name in ("A", "B") for row in RESULTS]
    run = write("run.csv", "run,qid,docno,score", rows)
    write("qrels.txt", "qid,docno,rel", JUDGED)
    message = "column run has 2 runs, A, B; write a file for each run"
    assert_refused(biasvar("scores", run, "-q", "qrels.txt"), 1, message)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("user_id,item_id,ndcg2", RESULTS),  # the column of scores has another name
        ("user,doc_id,acc", RESULTS[:3]),
    ],
)
def test_items_whose_topics_repeat_are_no_queries(biasvar, header, rows):
    topic, item, _ = header.split(",")
    message = f"ids in column {topic} repeat, with different ids in column {item}: are these the results of a run?"
    assert_refused(biasvar("compare", write("f.csv", header, rows)), 1, message, "call the column of scores score")


@pytest.mark.parametrize(
    ("header", "rows", "queries"),
    [
        ("doc_id,user,score", [("a", "Why?", 0.5), ("b", "How?", 1.0)], ["a", "b"]),  # an answer to each user
        ("item_id,run,score", [("a", "A", 0.5), ("b", "A", 1.0)], ["a", "b"]),
        ("user_id,score", [("u1", 0.5), ("u2", 1.0)], ["u1", "u2"]),
        ("conversation_id,question_id,judge", [("c", "q1", 0.5), ("c", "q2", 1.0)], ["q1", "q2"]),
    ],
)
def test_scores_of_items_are_scores(biasvar, header, rows, queries):
    result = biasvar("scores", write("f.csv", header, rows))
    assert [row["query_id"] for row in rows_of(result)] == queries


# ---- lines of TREC that are nearly right


@pytest.mark.parametrize("end", ["\tr", "", "\tmy run"])
def test_a_document_id_with_a_blank_stops(biasvar, end):
    """Its second word stood in the column of ranks, and the rank in that of scores: the order was turned round."""
    Path("run").write_text(f"q1\tQ0\tNew York\t1\t9{end}\nq1\tQ0\tOld York\t2\t8{end}\n")
    Path("qrels").write_text("q1 0 New 1\n")
    message = "run:1: column 4 should have the rank, found York; if a document id has a blank in it, write it without"
    assert_refused(biasvar("scores", "run", "-q", "qrels"), 1, message)


def test_a_document_id_with_a_number_behind_its_blank_stops(biasvar):
    """The number is no rank, however like one it is."""
    Path("run").write_text("q1\tQ0\tdoc 2\t1\t9\tr\nq1\tQ0\tpage 1\t2\t8\tr\n")
    Path("qrels").write_text("q1 0 doc 1\n")
    assert_refused(
        biasvar("scores", "run", "-q", "qrels"), 1, "run:1: document doc 2 has a blank; if a document id has"
    )


def test_a_blank_in_an_id_takes_no_tag_s_place(biasvar, in_an_empty_folder):
    """Between tabs, ``a 5`` with a rank and a score but no tag has six words; a run with such a tag is read."""
    Path("qrels").write_text("q1 0 a 1\n")
    Path("run").write_text("q1\tQ0\ta 5\t1\t2.5\nq1\tQ0\tb 6\t2\t1.5\n")
    assert_refused(biasvar("scores", "run", "-q", "qrels"), 1, "run:1: document a 5 has a blank")
    Path("run").write_text("q1\tQ0\ta 1\t2.5\t7\nq1\tQ0\tb 2\t1.5\t7\n")
    assert [row["score"] for row in rows_of(biasvar("scores", "run", "-q", "qrels", "-m", "AP"))] == ["1.0"]


def test_a_tag_with_blanks_and_a_rank_that_is_a_word_do_not_stop(biasvar):
    Path("a").write_text("q1\tQ0\td1\t1\t9\tmy run\nq1\tQ0\td2\t2\t8\tmy run\n")
    Path("b").write_text("q1 Q0 d1 x 9 r\nq1 Q0\td2 y 8 r\n")
    Path("qrels").write_text("q1 0 d2 1\n")
    assert [row["score"] for row in rows_of(biasvar("scores", "a", "b", "-q", "qrels", "-m", "RR"))] == ["0.5"] * 2


@pytest.mark.parametrize("rows", [[("q1", "d1", 1), ("q1", "d2", 2)], [("1", "7", 1), ("1", "8", 2), ("2", "7", 1)]])
def test_three_columns_with_ranks_are_a_run_of_ms_marco(biasvar, rows):
    Path("run.tsv").write_text("".join(f"{query}\t{document}\t{rank}\n" for query, document, rank in rows))
    message = "this looks like topic, document and rank, as in a run of MS MARCO"
    assert_refused(biasvar("scores", "run.tsv"), 1, message, "write a run with 6 columns", "whose scores fall")


# ---- averages


@pytest.mark.parametrize(
    "text",
    [
        "epoch,steps,NDCG@10,MAP\n0,100,0.5,0.25\n1,200,0.5,0.5\n",
        "step,cosine-MRR@10\n100,0.5\n200,0.25\n",
        "run,team,ndcg@10,rbp@10,err@20\na,x,0.5,0.25,0.5\nb,y,0.5,0.25,0.5\n",
        ",name,map,map +,map p-value\n0,bm25,0.5,,\n1,dph,0.25,8.0,0.25\n",
    ],
)
@pytest.mark.parametrize("orient", [(), ("--orient", "runs")])
def test_averages_are_refused_whatever_is_said_of_the_rows(biasvar, written, text, orient):
    assert_refused(biasvar("compare", written(text), *orient), 1, "has only averages, a row for each")


def test_a_matrix_with_a_row_a_run_is_still_read(biasvar, written):
    path = written("run,q1,q2\nbm25,0.5,0.25\nql,0.25,0.5\n")
    assert len(rows_of(biasvar("scores", path, "--orient", "runs"))) == 4


WHOLE = [("q1", "d1", 3), ("q1", "d2", 2), ("q2", "d3", 1), ("q2", "d1", 2)]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "nested.json"])
def test_whole_numbers_are_scores_where_the_file_is_named_and_judgments_in_a_folder(biasvar, form):
    name, qrels = f"run.{form}", write("qrels.txt", "qid,docno,label", JUDGED)
    if form == "nested.json":
        Path(name).write_text('{"q1": {"d1": 3, "d2": 2}, "q2": {"d3": 1, "d1": 2}}')
    else:
        write(name, "query,docno,score", WHOLE)
    named = biasvar("scores", name, "-q", qrels, "-m", "RR", "-f", "csv")
    assert rr(named) == RR
    assert "whole numbers up to 10 are read as the scores of a run" in named.err
    folder = biasvar("scores", ".", "-q", qrels, "-m", "RR")
    assert folder.code == 1
    assert f"1 file shaped like qrels left out: {name}" in folder.err
    alone = biasvar("scores", name, "-m", "RR")
    assert alone.code == 1
    assert (f"if {name} is a run, name it as an input, beside -q" in alone.err) != (
        "A run needs judgments" in alone.err
    )


@pytest.mark.parametrize("text", ["qid,question,em\n{}", "em,qid,question\n{}", "topic,comment,bm25,rm3\n{}"])
def test_a_column_of_words_is_named_with_what_leaves_it_out(biasvar, written, text):
    cells = {
        "qid": "q{}",
        "topic": "{}",
        "question": "who is it",
        "comment": "good",
        "em": "1",
        "bm25": ".5",
        "rm3": ".2",
    }
    header = text.partition("\n")[0].split(",")
    path = written(text.format("\n".join(",".join(cells[name].format(row) for name in header) for row in range(8))))
    refused = biasvar("scores", path)
    assert (
        refused.code,
        f"column {next(name for name in header if name[0] in 'qc' and name != 'qid')}" in refused.err,
    ) == (1, True)
    ids = next(name for name in ("qid", "topic") if name in header)
    assert f"--id-column {ids} leaves columns of words out" in refused.err
    assert ("choose it with -m em" in refused.err) == ("em" in header)
    assert biasvar("scores", path, "--id-column", ids).code == 0


@pytest.mark.parametrize("options", [(), ("--orient", "runs"), ("--orient", "runs", "-m", "helpfulness")])
def test_the_scores_of_judges_and_leaderboards_are_not_said_to_be_0(biasvar, written, options):
    path = written("model,task1,task2,task3\nalpha,.5,.25,.75\nbeta,.5,,.25\n", "board.csv")
    refused = biasvar("scores", path, *options)
    assert refused.code == 1
    assert "if nothing was found" not in refused.err
