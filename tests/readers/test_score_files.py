"""Score files to arrays: every format, every check, and no guess. Expected values are written by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import RealData
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import is_measure
from biasvar_cli.readers.score_formats import parse_scores, recognise
from biasvar_cli.readers.score_formats.names import is_count, is_id, is_nameless, named, summary
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import ScoreOptions
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import NUMBER

WITH_Q = "evaluate again with -q, which prints every query"
ONE_FILE = "and give every run a file of its own"
NO_RUN = "add a key called run that tells them apart"
SCORE_ALL = "give every query a score, 0 if nothing was found"
LEAVE_OUT = f"{SCORE_ALL}; --topics intersection leaves out those without"
HOLE = f"a hole; {LEAVE_OUT}"
OTHER_JSON = (
    "expected {query: {measure: value}}, {run: {query: score}}, {run: {query: {measure: value}}}, records of query_id, "
    "measure and value, or what biasvar scores -f json writes"
)


def read(text: str | bytes, path: str = "runs/bm25.txt", **options: Any) -> ScoreFile:
    data = text.encode() if isinstance(text, str) else text
    kind = recognise(data)
    assert kind is not None
    named = {name: options.pop(name) for name in ("name", "name_by") if name in options}
    measure = options.pop("measure", None)
    return parse_scores(data, path, kind, ScoreOptions(**options, measures=(measure,) if measure else ()), **named)


def error(text: str | bytes, path: str = "f", **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(text, path, **options)
    return caught.value.typed


def left_out(names: str) -> Oddity:
    return Oddity("summaries left out", "f", 0, names, "file")


def whole(file: ScoreFile) -> tuple[object, ...]:
    """Everything in a file but its path: runs, measures, queries, values (None for nan), numbered, oddities."""
    values = [[[None if np.isnan(cell) else cell for cell in row] for row in run] for run in file.values.tolist()]
    return file.runs, file.measures, file.queries, values, file.numbered, file.oddities


# ---- trec_eval


TREC_EVAL_9 = (
    "num_ret               \t301\t3\n"
    "map                   \t301\t0.3000\n"
    "relstring             \t301\t'10'\n"
    "num_ret               \t302\t2\n"
    "map                   \t302\t0.1001\n"
    "relstring             \t302\t''\n"
    "runid                 \tall\tbm25-tag\n"
    "num_q                 \tall\t2\n"
    "num_ret               \tall\t5\n"
    "map                   \tall\t0.2001\n"
    "gm_map                \tall\t0.1733\n"
)


def test_trec_eval_output_is_one_run_named_by_its_file_without_text_rows_and_averages() -> None:
    assert whole(read(TREC_EVAL_9, "runs/input.bm25.eval.gz")) == (
        ("bm25.eval",),
        ("NumRet", "AP"),
        ("301", "302"),
        [[[3.0, 2.0], [0.3, 0.1001]]],
        False,
        (),
    )


def test_names_of_trec_eval_7_and_8_are_mapped() -> None:
    text = (
        "R-prec         \t9\t0.5000\nP5             \t9\t0.2000\nircl_prn.0.10  \t9\t0.7500\n11-pt_avg      \t9\t0.4\n"
    )
    means = text.replace("\t9\t", "\tall\t")
    assert read(text + means).measures == ("Rprec", "P@5", "IPrec@0.1", "11-pt_avg")


def test_queries_come_in_natural_order_and_runs_and_measures_as_in_the_file() -> None:
    text = "P_5\t10\t0.4\nmap\t10\t0.1\nP_5\t9\t0.6\nmap\t9\t0.3\nP_5\tall\t0.5\nmap\tall\t0.2\n"
    assert whole(read(text)) == (
        ("bm25.txt",), ("P@5", "AP"), ("9", "10"), [[[0.6, 0.4], [0.3, 0.1]]], False, ()
    )  # fmt: skip


def test_a_measure_that_lacks_a_query_has_nan_there() -> None:
    text = "map\t1\t0.3\nP_5\t1\t0.4\nmap\t2\t0.1\nmap\tall\t0.2\nP_5\tall\t0.4\n"
    assert whole(read(text))[3] == [[[0.3, 0.1], [0.4, None]]]


def test_a_file_without_all_rows_may_be_cut_off() -> None:
    text = "num_ret               \t301\t3\nmap                   \t301\t0.3000\n"
    assert read(text).oddities == (Oddity("no `all` row, so the file may be cut off", "bm25.txt", 2, "measure"),)


def test_ir_measures_may_leave_out_its_all_rows_but_not_one_of_them() -> None:
    lines, jsonl = "", ""
    for query, value in (("301", "0.3000"), ("302", "0.1000")):
        lines += f"{query}\tAP\t{value}\n"
        jsonl += f'{{"query_id": "{query}", "measure": "AP", "value": {value}}}\n'
    found = Oddity("no `all` rows", "bm25.txt", 1, "measure", notice="no `all` rows")
    assert read(lines).oddities == read(jsonl).oddities == (found,)
    cut = f"{lines}301\tRR\t0.5\n302\tRR\t0.5\nall\tAP\t0.2000\n"
    assert read(cut).oddities == (Oddity("no `all` row, so the file may be cut off", "bm25.txt", 1, "measure"),)


def test_a_file_cut_off_within_the_all_rows_counts_the_measures_that_lack_theirs() -> None:
    cut = TREC_EVAL_9[: TREC_EVAL_9.index("map                   \tall")]
    assert read(cut).oddities == (Oddity("no `all` row, so the file may be cut off", "bm25.txt", 1, "measure"),)


@pytest.mark.parametrize(
    ("mean", "reported"), [("0.1999", 0), ("0.2000", 0), ("0.2001", 0), ("0.2002", 1), ("0.1998", 1)]
)
def test_a_mean_may_differ_by_rounding_alone(mean: str, reported: int) -> None:
    text = f"map\t1\t0.3000\nmap\t2\t0.1000\nmap\tall\t{mean}\n"
    assert read(text).oddities == reported * (
        Oddity("the `all` rows are not the means of the others", "bm25.txt", 1, "measure"),
    )


@pytest.mark.parametrize("count", ["num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"])
def test_the_all_row_of_a_count_is_the_sum(count: str) -> None:
    assert read(f"{count}\t1\t3\n{count}\t2\t2\n{count}\tall\t5\n").oddities == ()
    assert read(f"{count}\t1\t3\n{count}\t2\t2\n{count}\tall\t4\n").oddities == (
        Oddity("the `all` rows are not the means of the others", "bm25.txt", 1, "measure"),
    )


def test_trec_eval_9_with_c_counts_topics_without_rows_and_that_is_said() -> None:
    text = (
        "num_rel\t301\t1\nmap\t301\t1.0000\nP_5\t301\t0.0000\nnum_rel\t302\t1\nmap\t302\t0.5000\nP_5\t302\t0.0000\n"
        "num_q\tall\t5\nnum_rel\tall\t4\nmap\tall\t0.3000\nP_5\tall\t0.0000\n"
    )
    assert whole(read(text)) == (
        ("bm25.txt",),
        ("NumRel", "AP", "P@5"),
        ("301", "302"),
        [[[1.0, 1.0], [1.0, 0.5], [0.0, 0.0]]],
        False,
        (Oddity("the `all` rows count topics that have no row, as trec_eval 9 does with -c", "bm25.txt", 3, "topic"),),
    )


def test_a_mean_over_neither_the_rows_nor_num_q_is_wrong() -> None:
    text = "map\t301\t1.0000\nmap\t302\t0.5000\nnum_q\tall\t5\nmap\tall\t0.4000\n"
    assert read(text).oddities == (Oddity("the `all` rows are not the means of the others", "bm25.txt", 1, "measure"),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("map\t302\tabc", "f:2: map of query 302: abc is not a number"),
        ("map\t302\t0x1", "f:2: map of query 302: 0x1 is not a number"),
        ("map\t302\t1_0", "f:2: map of query 302: 1_0 is not a number"),
        ("map\t302\tinf", "f:2: map of query 302: inf is not finite"),
        ("map\t302\t1e999", "f:2: map of query 302: 1e999 is not finite"),
        ("map\t302\t-nan", f"f:2: map of query 302 is -nan, a hole; {SCORE_ALL}"),
        ("map\t302",
         f"f:2: expected 3 columns, measure, query and value, found 2; if these are averages only, {WITH_Q}"),
        ("map 302 0.5 7", "f:2: expected 3 columns, measure, query and value, found 4"),
        ("map\t301\t0.5", f"f:2: AP of f on query 301 is given twice, first in line 1; keep one, {ONE_FILE}"),
    ],
)  # fmt: skip
def test_a_bad_line_of_an_evaluation_is_named(line: str, message: str) -> None:
    data = f"map\t301\t0.5\n{line}\nmap\tall\t0.5\n".encode()
    with pytest.raises(DataError) as caught:
        parse_scores(data, "f", "evaluation")
    assert str(caught.value) == message


def test_two_names_of_one_measure_are_a_repetition() -> None:
    assert error("map\t1\t0.5\nAP\t1\t0.5\nmap\tall\t0.5\n") == (
        f"f:2: AP of f on query 1 is given twice, first in line 1; keep one, {ONE_FILE}"
    )


def test_averages_alone_ask_for_q() -> None:
    message = "f: has only the averages of f; evaluate again with -q, which prints every query"
    assert error("runid\tall\tbm25\nnum_q\tall\t50\nmap\tall\t0.2500\n") == message


def test_averages_of_ir_measures_ask_for_q() -> None:
    message = f"f:1: expected 3 columns, measure, query and value, found 2; if these are averages only, {WITH_Q}"
    assert error("AP\t0.3333\nP@5\t0.0667\n") == message


def test_text_that_is_not_utf_8_is_named_by_its_line() -> None:
    assert error(b"map\t301\t0.5\nmap\t30\xe9\t0.5\n") == "f:2: not UTF-8 text: byte 0xe9; save it as UTF-8"


# ---- ir_measures, and how its order of columns differs from trec_eval's


def test_measures_with_commas_and_quotes_keep_their_names() -> None:
    text = "301\tnDCG(dcg='exp-log2')@20\t0.5\n301\tP(rel=2,judged_only=True)@5\t0.2\n"
    assert read(text).measures == ("nDCG(dcg='exp-log2')@20", "P(rel=2,judged_only=True)@5")


def test_num_q_per_query_is_no_number_of_topics() -> None:
    text = "1\tNumQ\t1.0\n1\tAP\t0.5\n2\tNumQ\t0.0\n2\tAP\t0.0\nall\tAP\t0.25\nall\tNumQ\t1.0\n"
    assert whole(read(text)) == (
        ("bm25.txt",), ("NumQ", "AP"), ("1", "2"), [[[1.0, 0.0], [0.5, 0.0]]], False, ()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "measure", "query"),
    [
        ("D#-nDCG\tq1\t0.5\nD#-nDCG\tall\t0.5\n", "D#-nDCG", "q1"),  # `all` in column 2
        ("q1\tD#-nDCG\t0.5\nall\tD#-nDCG\t0.5\n", "D#-nDCG", "q1"),  # `all` in column 1
        ("map\tq1\t0.5\nmap\tq2\t0.5\n", "AP", "q1"),  # a known name
        ("q1\tmap\t0.5\nq2\tmap\t0.5\n", "AP", "q1"),
        ("Rndcg\tq1\t0.5\nRndcg\tq2\t0.5\n", "Rndcg", "q1"),  # a name of trec_eval alone
        ("D#-nDCG   \tq1\t0.5\nD#-nDCG   \tq2\t0.5\n", "D#-nDCG", "q1"),  # padded, as by trec_eval
        ("D#-nDCG\t301\t0.5\nD#-nDCG\t302\t0.5\n", "D#-nDCG", "301"),  # a column of numbers
        ("301\tD#-nDCG\t0.5\n302\tD#-nDCG\t0.5\n", "D#-nDCG", "301"),
    ],
)
def test_the_column_of_measures_is_found_by_content(text: str, measure: str, query: str) -> None:
    file = read(text)
    assert (file.measures, file.queries[0]) == ((measure,), query)


def test_an_order_of_columns_that_cannot_be_reported_is_an_error() -> None:
    assert error("D#-nDCG\tq1\t0.5\nD#-nDCG\tq2\t0.5\n") == (
        "f:1: cannot tell whether column 1 or column 2 has the measures; keep the `all` rows, or make it a csv with "
        "the header query_id,measure,score"
    )


def test_one_json_line_is_enough() -> None:
    text = '{"query_id": "301", "measure": "map", "value": 1e-04}'
    assert whole(read(text))[1:4] == (("AP",), ("301",), [[[0.0001]]])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"measure": "AP", "value": 1.0}',
         "f:2: has averages only; evaluate again with -q, which prints every query"),
        ('{"query_id": "2", "measure": "AP", "value": null}',
         f"f:2: AP of query 2 is null, a hole; {SCORE_ALL}"),
        ('{"query_id": "2", "measure": "AP", "value": [1]}', 'f:2: AP of query 2: ["1"] is not a number'),
        ('{"query_id": null, "measure": "AP", "value": 1}', "f:2: expected a name, found null"),
        ('{"query_id": "1", "measure": "AP", "value": 1}',
         f"f:2: AP of f on query 1 is given twice, first in line 1; keep one, or {NO_RUN}"),
        ("x", "f:2: cannot be read as JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[1]", f"f:2: JSON, but not scores in a form that is read: found a list of 1, from 1 on; {OTHER_JSON}"),
    ],
)  # fmt: skip
def test_a_bad_json_line_is_named(line: str, message: str) -> None:
    assert error(f'{{"query_id": "1", "measure": "AP", "value": 0.5}}\n{line}\n') == message


# ---- long tables


def test_a_long_table_may_have_its_columns_in_any_order_and_further_ones() -> None:
    text = "note,score,measure,topic,system\na,0.5,map,302,B\nb,0.25,map,301,A\nc,1e-04,map,301,B\n,0.75,P_5,301,A\n"
    assert whole(read(text)) == (
        ("B", "A"),
        ("AP", "P@5"),
        ("301", "302"),
        [[[0.0001, 0.5], [None, None]], [[0.25, None], [0.75, None]]],
        False,
        (),
    )


def test_a_long_table_without_runs_is_the_run_of_its_file() -> None:
    assert whole(read("query_id,measure,score\n301,map,0.5\n", "input.bm25.gz")) == (
        ("bm25",), ("AP",), ("301",), [[[0.5]]], False, ()
    )  # fmt: skip


@pytest.mark.parametrize(("asked", "held"), [(None, None), ("map", "AP"), ("D#-nDCG", "D#-nDCG")])
def test_a_long_table_without_measures_takes_the_one_asked_for(asked: str | None, held: str | None) -> None:
    assert read("run,query_id,score\nbm25,301,0.5\n", measure=asked).measures == (held,)
    assert read("run,query_id,measure,score\nbm25,301,,0.5\n", measure=asked).measures == (held,)
    assert read("query_id,score\n301,0.5\n", measure=asked).measures == (held,)


def test_the_measure_asked_for_does_not_rename_one_in_the_file() -> None:
    assert read("run,query_id,measure,score\nbm25,301,map,0.5\n", measure="P@5").measures == ("AP",)


def test_all_rows_of_a_long_table_are_no_query_and_are_compared() -> None:
    text = "run,query_id,measure,score\nA,1,AP,0.50\nA,2,AP,0.25\nA,all,AP,0.37\nB,1,AP,0.50\nB,all,AP,0.50\n"
    assert whole(read(text, "f")) == (
        ("A", "B"), ("AP",), ("1", "2"), [[[0.5, 0.25]], [[0.5, None]]], False, (left_out("all over the queries"),)
    )  # fmt: skip
    assert error(text.replace("B,all,AP,0.50", "B,all,AP,0.40")) == (
        "f:6: AP of B on query all is 0.4, but the mean or sum of the others is 0.5: leave out all if it is a "
        "summary, or rename it if it is a query"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,query_id,measure,score\nA,1,AP,0.5\nB,1,AP,1\nA,1,map,0.5\n",
         "f:4: AP of A on query 1 is given twice, first in line 2; keep one"),
        ("run,query_id,measure,score\nA,1,AP,x\n", "f:2: column score: x is not a number"),
        ("run,query_id,measure,score\nA,1,AP,\n",
         f"f:2: column score is empty; {LEAVE_OUT}"),
        ("run,query_id,measure,score\n,1,AP,0.5\n", "f:2: the name of the run is empty"),
        ("run,query_id,measure,score\nA,,AP,0.5\n", "f:2: the query id is empty"),
        ("run,query_id,measure,score\nA,1,AP,0.5\nA,2,0.5\n", "f:3: expected 4 columns, as in the header, found 3"),
        ("run,query_id,topic,measure,score\nA,1,1,AP,0.5\n",
         "f:1: columns query_id and topic could both be the query; say which with --id-column query_id"),
        ("topic,bm25,score\n1,0.5,0.25\n",
         ("f:1: is column bm25 a run, beside score? Add a column of runs or measures to a long table, or give --orient "
          "queries for a matrix")),
        ("run,query_id,measure,score\nA,all,AP,0.5\n",
         "f: has only the averages of A; evaluate again with -q, which prints every query"),
        ("run,query_id,measure,score\n", "f: the file has a header and no scores"),
    ],
)  # fmt: skip
def test_a_bad_long_table_is_refused(text: str, message: str) -> None:
    assert error(text) == message


def test_orient_makes_a_matrix_of_a_run_called_score() -> None:
    assert whole(read("topic,bm25,score\n1,0.5,0.25\n", orient="queries")) == (
        ("bm25", "score"), (None,), ("1",), [[[0.5]], [[0.25]]], False, ()
    )  # fmt: skip


# ---- wide tables: gdeval, ndeval


def test_gdeval_output_has_ir_measures_names_and_no_query_amean() -> None:
    text = "runid,topic,ndcg@20,err@20\nbm25,51,0.10000,0.20000\nbm25,52,0.30001,0.40000\nbm25,amean,0.20001,0.30000\n"
    assert whole(read(text, "other")) == (
        ("bm25",), ("nDCG(dcg='exp-log2')@20", "ERR@20"), ("51", "52"), [[[0.1, 0.30001], [0.2, 0.4]]], False, ()
    )  # fmt: skip


def test_a_wrong_amean_is_reported_at_the_printed_decimals() -> None:
    text = "runid,topic,ndcg@20,err@20\nbm25,51,0.10000,0.20000\nbm25,52,0.30000,0.40000\nbm25,amean,0.20002,0.30001\n"
    assert read(text).oddities == (Oddity("the `amean` rows are not the means of the others", "bm25", 1, "measure"),)


def test_ndeval_output_keeps_its_names() -> None:
    text = "runid,topic,ERR-IA@5,alpha-nDCG@20,strec@10\nr,1,0.100000,0.200000,0.300000\nr,amean,0.1,0.2,0.300000\n"
    assert whole(read(text)) == (
        ("r",), ("ERR-IA@5", "alpha-nDCG@20", "strec@10"), ("1",), [[[0.1], [0.2], [0.3]]], False, ()
    )  # fmt: skip


def test_a_topic_and_measures_are_the_run_of_the_file() -> None:
    assert whole(read("topic,map,P_5\n301,0.25,0.4\n302,0.5,0.6\n", "bm25.csv")) == (
        ("bm25.csv",), ("AP", "P@5"), ("301", "302"), [[[0.25, 0.5], [0.4, 0.6]]], False, ()
    )  # fmt: skip


def test_a_wide_table_names_all_its_measures() -> None:
    assert error("run,topic,AP,\nA,1,0.5,0.5\n") == "f:1: column 4 has no name"


def test_a_column_of_scores_is_not_taken_for_the_names_of_runs() -> None:
    assert error("topic,system,baseline\n1,0.5,0.25\n") == (
        "f:2: column system should name runs, but 0.5 looks like a score; give --id-column topic if it has the scores "
        "of a run, or rename it"
    )


# ---- matrices


def test_a_matrix_without_ids_has_its_queries_numbered() -> None:
    assert whole(read('"sys1","sys2"\n0.5,0.25\n1e-04,0\n0.5,1\n')) == (
        ("sys1", "sys2"), (None,), ("1", "2", "3"), [[[0.5, 0.0001, 0.5]], [[0.25, 0.0, 1.0]]], True, ()
    )  # fmt: skip


@pytest.mark.parametrize("first", ["0.5", "0.0", "1"])
def test_fractions_or_repeated_values_in_the_first_column_are_scores(first: str) -> None:
    second = "1" if first == "0.5" else first
    file = read(f"A,B\n{first},0.25\n{second},0.5\n")
    assert (file.runs, file.numbered) == (("A", "B"), True)


@pytest.mark.parametrize(
    "corner", ["topic", "query", "query_id", "qid", "Topic", "AP", "ndcg_cut_20", "P(rel=2)@10", ""]
)
def test_a_first_column_under_the_name_of_an_id_or_a_measure_holds_ids(corner: str) -> None:
    file = read(f'"{corner}",A,B\n302,0.5,0.25\n301,1,0\n')
    assert whole(file)[0] == ("A", "B")
    assert whole(file)[2:] == (("301", "302"), [[[1.0, 0.5]], [[0.0, 0.25]]], False, ())


@pytest.mark.parametrize("corner", ["topic", "anything", "AP"])
def test_a_first_column_with_words_holds_ids(corner: str) -> None:
    file = read(f"{corner},A,B\nq2,0.5,0.25\n7,1,0\n")
    assert (file.runs, file.queries, file.values[:, 0].tolist()) == (("A", "B"), ("7", "q2"), [[1.0, 0.5], [0.0, 0.25]])


def test_distinct_whole_numbers_under_another_name_are_refused() -> None:
    assert error("A,B\n301,0.25\n302,0.5\n") == (
        "f:1: column A holds whole numbers, each once: ids or scores? Say so with --id-column NAME | none"
    )


def test_id_column_none_makes_the_first_column_scores() -> None:
    assert whole(read("A,B\n301,0.25\n302,0.5\n", id_column="none")) == (
        ("A", "B"), (None,), ("1", "2"), [[[301.0, 302.0]], [[0.25, 0.5]]], True, ()
    )  # fmt: skip


def test_id_column_names_the_column_of_ids_wherever_it_is() -> None:
    expected = (("B",), (None,), ("301", "302"), [[[0.25, 0.5]]], False, ())
    assert whole(read("A,B\n301,0.25\n302,0.5\n", id_column="A")) == expected
    assert whole(read("B,A\n0.25,301\n0.5,302\n", id_column="A")) == expected


def test_id_column_must_name_one_column() -> None:
    assert (
        error("A,B\n301,0.25\n", id_column="C") == "f:1: 0 columns are called 'C' (--id-column); the first column is A"
    )


def test_scores_under_the_name_of_an_id_are_refused() -> None:
    assert error("AP,P@5\n0.5,0.25\n0.25,0.5\n") == (
        "f:2: column AP should hold ids, but 0.5 looks like a score; say which it is with --id-column NAME | none"
    )


def test_rows_are_runs_where_numbers_name_the_columns_alone() -> None:
    assert whole(read("AP,802,801\nbm25,0.5,0.25\nrm3,1,0\n")) == (
        ("bm25", "rm3"), ("AP",), ("801", "802"), [[[0.25, 0.5]], [[0.0, 1.0]]], False, ()
    )  # fmt: skip


def test_a_tsv_of_runs_and_two_queries_is_no_evaluation() -> None:
    assert whole(read("AP\t801\t802\nbm25\t0.5\t0.25\nrm3\t0.5\t0\n")) == (
        ("bm25", "rm3"), ("AP",), ("801", "802"), [[[0.5, 0.25]], [[0.5, 0.0]]], False, ()
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "AP,1,2\n301,0.5,0.25\n302,1,0\n",  # numbers both ways
        "topic,1,2\n301,0.5,0.25\n302,1,0\n",
        "topic,801,802\nq1,0.5,0.25\n",  # the header says queries, the names say runs
        "run,q1,q2\nbm25,0.5,0.25\n",  # the header says runs, the names do not say queries
    ],
)
def test_rows_that_may_be_either_are_refused(text: str) -> None:
    corner, first = text.split(",")[:2]
    row = text.splitlines()[1].partition(",")[0]
    assert error(text) == (
        f"f:1: are the rows queries or runs? the header has {corner} and {first}, the first row {row}; say so with "
        "--orient queries | runs"
    )


def test_averages_of_runs_are_no_scores_of_queries() -> None:
    assert error("name,map,P_5\nbm25,0.25,0.4\nrm3,0.3,0.4\n") == (
        "f:1: name and map: has only averages, a row for each run; save the scores of every query instead"
    )


@pytest.mark.parametrize("corner", ["team", "", "AP"])
def test_columns_called_by_measures_are_not_taken_for_runs(corner: str) -> None:
    assert error(f"{corner},map,P_5\nbm25,0.25,0.4\n") == (
        "f:1: map is a measure: call the first column topic if these are the scores of one run, else give --orient "
        "queries | runs"
    )


def test_orient_says_what_rows_are() -> None:
    text = "AP,1,2\n301,0.5,0.25\n302,1,0\n"
    assert whole(read(text, orient="queries")) == (
        ("1", "2"), ("AP",), ("301", "302"), [[[0.5, 1.0]], [[0.25, 0.0]]], False, ()
    )  # fmt: skip
    assert whole(read(text, orient="runs")) == (
        ("301", "302"), ("AP",), ("1", "2"), [[[0.5, 0.25]], [[1.0, 0.0]]], False, ()
    )  # fmt: skip


def test_orient_overrules_the_usual_reading() -> None:
    assert read("AP,801,802\nbm25,0.5,0.25\n", orient="queries").runs == ("801", "802")
    assert read("topic,q1,q2\nbm25,0.5,0.25\n", orient="runs").runs == ("bm25",)


def test_rows_without_ids_are_no_runs() -> None:
    assert error("A,B\n0.5,0.25\n0.2,0.3\n", orient="runs") == (
        "f:1: no column names the runs that the rows are (--orient runs); say with --id-column NAME which does"
    )


@pytest.mark.parametrize(
    ("corner", "asked", "held"),
    [
        ("AP", None, "AP"),
        ("map", None, "AP"),
        ("topic", None, None),
        ("topic", "ndcg_cut_20", "nDCG@20"),
        ("topic", "D#-nDCG", "D#-nDCG"),
        ("D#-nDCG", "D#-nDCG", "D#-nDCG"),
        ("map", "AP", "AP"),
        ("AP", "P@5", "AP"),  # so that -m P@5 finds that the file does not hold it
    ],
)
def test_the_measure_of_a_matrix_is_its_first_header_cell_or_the_one_asked_for(
    corner: str, asked: str | None, held: str | None
) -> None:
    assert read(f"{corner},A,B\n301,0.5,0.25\n", measure=asked).measures == (held,)


def test_a_header_one_cell_short_lacks_the_one_above_the_ids() -> None:
    expected = (("A", "B"), (None,), ("301", "302"), [[[0.5, 1.0]], [[0.25, 0.0]]], False, ())
    assert whole(read('"A"\t"B"\n"301"\t0.5\t0.25\n"302"\t1\t0\n')) == expected
    assert whole(read("A,B\n301,0.5,0.25\n302,1,0\n")) == expected
    assert whole(read("\tA\tB\n301\t0.5\t0.25\n302\t1\t0\n")) == expected


def test_quoted_names_may_hold_commas_and_line_ends() -> None:
    text = 'topic,"a,b","c ""d""","e\nf"\r\n301,0.5,0.25,0\r\n302,x,0,0\r\n'
    assert error(text) == "f:4: column a,b: x is not a number"
    assert read(text.replace("x", "1")).runs == ("a,b", 'c "d"', "e\nf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,A,B\n1,0.5,x\n", "f:2: column B: x is not a number"),
        ("topic,A,B\n1,0.5,inf\n", "f:2: column B: inf is not finite"),
        ("topic,A,B\n1,,1\n", f"f:2: column A is empty; {LEAVE_OUT}"),
        ("topic,A,B\n\n1,NA,1\n", f"f:3: column A is NA, {HOLE}"),
        ("A,B\n0.5,1\nNA,1\n", f"f:3: column A is NA, {HOLE}"),
        ("A,B\n0.5,nan\n0.1,1\n", f"f:2: column B is nan, {HOLE}"),
        ("topic\tA\tB\n1\tNA\t1\n", f"f:2: column A is NA, {HOLE}"),
        ("topic,A,B\n1,0.5,1\n2,0.5\n", "f:3: expected 3 columns, as in the header, found 2"),
        ("topic,A,B\n1,0.5,1\n2,0.5,1,1\n", "f:3: expected 3 columns, as in the header, found 4"),
        ("topic,A,A\n1,0.5,1\n", "f:1: two columns are called A; rename one"),
        ("topic,A,\n1,0.5,1\n", "f:1: column 3 has no name"),
        ("topic,A\n1,0.5\n2,0.5\n1,1\n", "f:4: two rows are called 1, the first in line 2; keep one"),
        ("topic,A\n,0.5\n", "f:2: the query id is empty"),
        ("0.5,0.25\n0.1,0.2\n", "f:1: expected a header with names, found numbers; name the columns"),
        ("301,0.25\n302,0.2\n", "f:1: expected a header with names, found numbers; name the columns"),
        ("bm25,0.5,0.25\nrm3,0.1,0.2\n", "f:1: expected a header with names, found numbers; name the columns"),
        ('topic,A\n1,"0.5\n2,1\n', "f:2: cannot be read as a table: unexpected end of data; check the quotes"),
        ('topic,A\n1,"0.5"5\n', "f:2: cannot be read as a table: ',' expected after '\"'; check the quotes"),
    ],
)  # fmt: skip
def test_a_bad_matrix_is_refused(text: str, message: str) -> None:
    assert error(text) == message


# ---- our own output


def test_our_json_is_read() -> None:
    results = [
        {
            "measure": "AP",
            "queries": ["9", "10"],
            "runs": [{"run": "A", "scores": [0.5, 1e-05]}, {"run": "B", "scores": [1, 0]}],
        },
        {"measure": None, "queries": ["9"], "runs": [{"run": "A", "scores": [0.25]}]},
    ]
    text = json.dumps({"version": "1.0", "results": results, "warnings": []}, indent=1)
    assert whole(read(text)) == (
        ("A", "B"),
        ("AP", None),
        ("9", "10"),
        [[[0.5, 0.00001], [0.25, None]], [[1.0, 0.0], [None, None]]],
        False,
        (),
    )


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("[0.5, null]", f"f: the score of run A on query 2 is null, a hole; {SCORE_ALL}"),
        ("[0.5, NaN]", f"f: the score of run A on query 2 is NaN, a hole; {SCORE_ALL}"),
        ("[0.5, true]", "f: the score of run A on query 2: true is not a number"),
        ("[0.5]", "f: run A does not have one score for each of the queries"),
        ('"ab"', "f: run A does not have one score for each of the queries"),
    ],
)  # fmt: skip
def test_bad_scores_in_our_json_are_named(scores: str, message: str) -> None:
    runs = f'{{"measure": "AP", "queries": ["1", "2"], "runs": [{{"run": "A", "scores": {scores}}}]}}'
    assert error(f'{{"results": [{runs}]}}') == message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[]", "an empty object or list"),
        ("{}", "an empty object or list"),
        ('{"results": 1}', "an object with 1 entry, such as results"),
        ('{"results": [1]}', "an object with 1 entry, such as results"),
        ('{"results": [{"measure": "AP", "runs": []}]}', "an object with 1 entry, such as results"),
        ("[1, 2]", "a list of 2, from 1 on"),
        ('{"runs": {"bm25": {"1": 1}}, "year": 2012}', "an object with 2 entries, such as runs, the first with bm25"),
    ],
)
def test_other_json_is_refused_with_what_was_found_and_expected(text: str, found: str) -> None:
    message = f"f: JSON, but not scores in a form that is read: found {found}; {OTHER_JSON}"
    assert error(text).replace("f:1:", "f:") == message


@pytest.mark.parametrize("text", ["[" * 100_000, '{"results": []}', "{nonsense"])
def test_json_that_holds_no_scores_is_refused(text: str) -> None:
    assert error(text).startswith("f:")


# ---- what a file is


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("runid                 \tall\tbm25\nmap  \t1\t0.5\n", "evaluation"),
        ("map 301 0.5\n", "evaluation"),
        ("map\t301\tabc\nP_5\t301\t0.5\n", "evaluation"),
        ("nDCG(dcg='exp-log2',judged_only=True)@20\t1\t0.5\nnDCG(dcg='exp-log2',judged_only=True)@20\t2\t0.5\n",
         "evaluation"),
        ("query_id\tmeasure\tvalue\n301\tAP\t0.5\n", "table"),
        ("runid\ttopic\tscore\nbm25\t301\t0.5\n", "table"),
        ("score\tmeasure\trun\tquery_id\n0.5\tAP\tbm25\tq1\n", "table"),
        ("run\tquery_id\tmeasure\tscore\nrun\t301\tAP\t0.5\n", "table"),
        ("score\tmeasure\tquery_id\n0.5\tAP\tq1\n", "table"),
        ("topic\tA\tB\tC\tD\tE\n301\t0.1\t0.2\t0.3\t0.4\t0.5\n", "table"),
        ("topic\tA\tB\tC\tD\tE\n301\t0.1\t0.2\t0.3\t0.4\tNA\n", "table"),
        ("topic , A , B\n301 , 0.1 , 0.2\n", "table"),
        ("topic, A, B\n301, 0.1, 0.2\n", "table"),
        ("topic, A, B, C\n301, 1, 2, 3\n", "table"),
        ("301 0 doc,1 1\n301 0 doc,2 0\n", "qrels"),
        ("q1\t0\t17\t1\nq2\t0\t18\t0\n", "qrels"),
        ("301 Q0 doc,1 1 2.5 tag\n301 Q0 doc,2 2 2.4 tag\n", "run"),
        ("301\tQ0\tdoc\t1\t2.5\t1\n302\tQ0\tdoc\t1\t2.5\t1\n", "run"),
        ('{"results": []}', "json"),
        ("AP\t801\t802\t803\nbm25\t0.5\t0.25\t0.1\n", "table"),
        ("topic\tbm25\trm3\tx\nq1\t0.5\t0.25\t0.1\n", "table"),
        ("301 0 FT911-1 0.5\n", None),
        ("q1 Q0 d1 1\nq1 Q0 d2 0\n", "qrels"),
        ("AP\t0.3333\n", "evaluation"),
        ("num_ret 301 17\nmap 301 0.5\n", "evaluation"),
        ("three plain words\nand some more\n", None),
        ("Runs of 2012.\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_file_is_recognised_by_its_content(text: str, kind: str | None) -> None:
    assert recognise(text.encode()) == kind


@pytest.mark.parametrize(
    ("name", "n_runs", "n_queries", "numbered", "measure"),
    [
        ("trec3-adhoc-ap", 40, 50, True, None),
        ("web2010-err20", 88, 48, True, None),
        ("terabyte06-ap-named", 61, 149, False, "AP"),
    ],
)
def test_real_matrices_are_read_right(
    shared: RealData, name: str, n_runs: int, n_queries: int, numbered: bool, measure: str | None
) -> None:
    path = str(shared / "score-matrices" / f"{name}.csv")
    file = read(read_bytes(path), path)
    assert (len(file.runs), len(file.queries), file.numbered, file.measures) == (
        n_runs,
        n_queries,
        numbered,
        (measure,),
    )
    assert (file.values.shape, file.oddities) == ((n_runs, 1, n_queries), ())
    with Path(path).open(newline="") as stream:
        header, *rows = csv.reader(stream)
    if numbered:
        assert (list(file.runs), file.values[:, 0].T.tolist()) == (
            header,
            [[float(cell) for cell in row] for row in rows],
        )
    else:
        place = [header.index(query) for query in file.queries]
        assert file.runs == tuple(row[0] for row in rows)
        assert file.values[:, 0].tolist() == [[float(row[index]) for index in place] for row in rows]


# ---- nothing but a result or an error, and what is written is read back


SCORES = st.floats(0, 1, allow_nan=False) | st.sampled_from([0.0, 1.0, 0.25])
# A run or query of such a name says what a column holds; what that means is tested above.
HEADER_WORDS = {"na", "nan", "inf", "infinity"}


def says_something(name: str) -> bool:
    """Whether a name means something in a table of scores."""
    found = is_id(name) or is_count(name) or is_nameless(name) or summary(name) or named(name, "measure")
    return bool(found or named(name, "score") or name.lower() in HEADER_WORDS or is_measure(name))


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=8)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[float]]]:
    """Runs, queries in natural order, and a score of each run on each query."""
    words = NAMES.filter(lambda name: not NUMBER.fullmatch(name))
    plain = words.filter(lambda name: not says_something(name))
    runs = draw(st.lists(plain, min_size=1, max_size=4, unique_by=str.lower))
    queries = sorted(f"q{query}" for query in draw(st.sets(st.integers(1, 99), min_size=1, max_size=4)))
    return runs, queries, [[draw(SCORES) for _ in queries] for _ in runs]


@given(matrices(), st.sampled_from([",", "\t"]))
def test_a_matrix_comes_back_as_it_was_written(
    drawn: tuple[list[str], list[str], list[list[float]]], delimiter: str
) -> None:
    runs, queries, values = drawn
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["AP", *runs])
    writer.writerows([query, *column] for query, column in zip(queries, zip(*values, strict=True), strict=True))
    data = out.getvalue().encode()
    expected = (tuple(runs), ("AP",), tuple(queries), [[row] for row in values], False, ())
    assert recognise(data) == "table"
    assert whole(parse_scores(data, "f", "table")) == expected


@given(matrices())
def test_our_json_comes_back_as_it_was_written(drawn: tuple[list[str], list[str], list[list[float]]]) -> None:
    runs, queries, values = drawn
    rows = [{"run": run, "scores": row} for run, row in zip(runs, values, strict=True)]
    text = json.dumps(
        {"version": "1", "results": [{"measure": "AP", "queries": queries, "runs": rows}], "warnings": []}
    )
    assert whole(read(text)) == (tuple(runs), ("AP",), tuple(queries), [[row] for row in values], False, ())


@given(st.dictionaries(st.integers(1, 999), st.integers(0, 10_000), min_size=1, max_size=6), st.booleans())
def test_an_evaluation_comes_back_as_it_was_written(drawn: dict[int, int], query_first: bool) -> None:
    queries = sorted(drawn)
    scores = {str(query): f"{drawn[query] / 10_000:.4f}" for query in queries}
    scores["all"] = f"{sum(drawn.values()) / 10_000 / len(drawn):.4f}"
    lines = [(query, f"{'map':22}", value) for query, value in scores.items()]
    text = "".join("\t".join(line if query_first else (line[1], line[0], line[2])) + "\n" for line in lines)
    expected = [[[drawn[query] / 10_000 for query in queries]]]
    assert whole(read(text)) == (("bm25.txt",), ("AP",), tuple(map(str, queries)), expected, False, ())
