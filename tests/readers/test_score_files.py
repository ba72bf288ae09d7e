"""Score files to arrays: every format, every check, and no guess. Expected values are written by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
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
SCORE_ALL = "give every query a score, 0 if nothing was found"
WITHOUT = "give every query a score; --topics intersection leaves out those without"  # of an unknown measure
LEAVE_OUT = f"{SCORE_ALL}; --topics intersection leaves out those without"
HOLE = f"a hole; {LEAVE_OUT}"
AGAIN = "is given twice, first in line"
ONE_FILE = "keep one, and give every run a file of its own"
CUT = "[no `all` row, so the file may be cut off: in f (1 measure)]"
NO_MEANS = "[the `all` rows are not the means of the others: in f (1 measure)]"
OTHER_JSON = (
    "expected {query: {measure: value}}, {run: {query: score}}, {run: {query: {measure: value}}}, records of query_id, "
    "measure and value, or what biasvar scores -f json writes"
)


def read(text: str | bytes, path: str = "f", **options: Any) -> ScoreFile:
    data = text.encode() if isinstance(text, str) else text
    kind = recognise(data)
    if kind in (None, "run", "qrels"):
        raise DataError("not recognised", path=path)
    measure = options.pop("measure", None)
    return parse_scores(data, path, kind, ScoreOptions(**options, measures=(measure,) if measure else ()))


def whole(file: ScoreFile) -> ScoreFile:
    """The file, whose measures are all asked for. Raises what stops them: the first cell without a score."""
    hole = file.first_hole(file.measures)
    if hole is not None:
        raise hole
    return file


def error(text: str | bytes, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        whole(read(text, **options))
    return caught.value.typed


def held(text: str | bytes, path: str = "f", **options: Any) -> str:
    """All that is read from a text: ``run measure query=score ...; ...``, and oddities in brackets.

    A measure that is not known is ?, a score that is not there is -, and ids that are row numbers begin with #.
    """
    file = read(text, path, **options)
    queries = [f"{'#' * file.numbered}{query}" for query in file.queries]
    rows = []
    for run, by_measure in zip(file.runs, file.values.tolist(), strict=True):
        for measure, values in zip(file.measures, by_measure, strict=True):
            scores = ("-" if np.isnan(value) else f"{value:.9g}" for value in values)
            rows.append(" ".join([run, measure or "?", *map("=".join, zip(queries, scores, strict=True))]))
    return "; ".join([*rows, *(f"[{odd.what}: in {odd.where} ({odd.extent})]" for odd in file.oddities)])


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


def test_trec_eval_output_is_one_run_named_by_its_file_without_text_rows_and_averages():
    expected = "bm25.eval NumRet 301=3 302=2; bm25.eval AP 301=0.3 302=0.1001"
    assert held(TREC_EVAL_9, "runs/input.bm25.eval.gz") == expected


def test_names_of_trec_eval_7_and_8_are_mapped():
    text = "R-prec         \t9\t0.5\nP5             \t9\t0.25\nircl_prn.0.10  \t9\t0.75\n11-pt_avg      \t9\t0.4\n"
    expected = "f Rprec 9=0.5; f P@5 9=0.25; f IPrec@0.1 9=0.75; f 11-pt_avg 9=0.4"
    assert held(text + text.replace("\t9\t", "\tall\t")) == expected


def test_queries_come_in_natural_order_and_runs_and_measures_as_in_the_file():
    text = "P_5\t10\t0.4\nmap\t10\t0.1\nP_5\t9\t0.6\nmap\t9\t0.3\nP_5\tall\t0.5\nmap\tall\t0.2\n"
    assert held(text) == "f P@5 9=0.6 10=0.4; f AP 9=0.3 10=0.1"


def test_a_measure_that_lacks_a_query_has_nan_there():
    text = "map\t1\t0.3\nP_5\t1\t0.4\nmap\t2\t0.1\nmap\tall\t0.2\nP_5\tall\t0.4\n"
    assert held(text) == "f AP 1=0.3 2=0.1; f P@5 1=0.4 2=-"


def test_a_file_without_all_rows_may_be_cut_off_and_the_measures_that_lack_theirs_are_counted():
    assert held("map                   \t301\t0.3\n") == f"f AP 301=0.3; {CUT}"
    cut = TREC_EVAL_9[: TREC_EVAL_9.index("map                   \tall")]
    assert held(cut) == f"f NumRet 301=3 302=2; f AP 301=0.3 302=0.1001; {CUT}"


def test_ir_measures_may_leave_out_its_all_rows_but_not_one_of_them():
    lines, jsonl = "", ""
    for query, value in (("301", "0.3000"), ("302", "0.1000")):
        lines += f"{query}\tAP\t{value}\n"
        jsonl += f'{{"query_id": "{query}", "measure": "AP", "value": {value}}}\n'
    found = Oddity("no `all` rows", "f", 1, "measure", notice="no `all` rows")
    assert read(lines).oddities == read(jsonl).oddities == (found,)
    assert held(f"{lines}301\tRR\t0.5\n302\tRR\t0.5\nall\tAP\t0.2000\n").endswith(CUT)


@pytest.mark.parametrize(("mean", "right"), [("0.1999", 1), ("0.2000", 1), ("0.2001", 1), ("0.2002", 0), ("0.1998", 0)])
def test_a_mean_may_differ_by_rounding_alone(mean, right):
    text = f"map\t1\t0.3000\nmap\t2\t0.1000\nmap\tall\t{mean}\n"
    assert held(text) == "f AP 1=0.3 2=0.1" + ("" if right else f"; {NO_MEANS}")


@pytest.mark.parametrize("count", ["num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"])
def test_the_all_row_of_a_count_is_the_sum(count):
    assert read(f"{count}\t1\t3\n{count}\t2\t2\n{count}\tall\t5\n").oddities == ()
    assert held(f"{count}\t1\t3\n{count}\t2\t2\n{count}\tall\t4\n").endswith(NO_MEANS)


def test_trec_eval_9_with_c_counts_topics_without_rows_and_that_is_said():
    rows = "num_rel\t301\t1\nmap\t301\t1.0000\nP_5\t301\t0.0000\nnum_rel\t302\t1\nmap\t302\t0.5000\nP_5\t302\t0.0000\n"
    what = "the `all` rows count topics that have no row, as trec_eval 9 does with -c: in f (3 topics)"
    assert held(f"{rows}num_q\tall\t5\nnum_rel\tall\t4\nmap\tall\t0.3000\nP_5\tall\t0.0000\n") == (
        f"f NumRel 301=1 302=1; f AP 301=1 302=0.5; f P@5 301=0 302=0; [{what}]"
    )


def test_a_mean_over_neither_the_rows_nor_num_q_is_wrong():
    assert held("map\t301\t1.0000\nmap\t302\t0.5000\nnum_q\tall\t5\nmap\tall\t0.4000\n").endswith(NO_MEANS)


BAD_LINES = {
    **{f"map\t302\t{value}": f"map of query 302: {value} is not a number" for value in ("abc", "0x1", "1_0")},
    **{f"map\t302\t{value}": f"map of query 302: {value} is not finite" for value in ("inf", "1e999")},
    "map\t302\t-nan": f"map of query 302 is -nan, {HOLE}",
    "map\t302": f"expected 3 columns, measure, query and value, found 2; if these are averages only, {WITH_Q}",
    "map 302 0.5 7": "expected 3 columns, measure, query and value, found 4",
    "map\t301\t0.5": f"AP of f on query 301 {AGAIN} 1; {ONE_FILE}",
    "AP\t301\t0.5": f"AP of f on query 301 {AGAIN} 1; {ONE_FILE}",  # two names of one measure
}


@pytest.mark.parametrize(("line", "message"), BAD_LINES.items())
def test_a_bad_line_of_an_evaluation_is_named(line, message):
    with pytest.raises(DataError) as caught:
        whole(parse_scores(f"map\t301\t0.5\n{line}\nmap\tall\t0.5\n".encode(), "f", "evaluation"))
    assert caught.value.typed == f"f:2: {message}"


def test_averages_alone_ask_for_q():
    assert error("runid\tall\tbm25\nnum_q\tall\t50\nmap\tall\t0.2500\n") == f"f: has only the averages of f; {WITH_Q}"
    message = f"f:1: expected 3 columns, measure, query and value, found 2; if these are averages only, {WITH_Q}"
    assert error("AP\t0.3333\nP@5\t0.0667\n") == message  # of ir_measures


def test_text_that_is_not_utf_8_is_named_by_its_line():
    assert error(b"map\t301\t0.5\nmap\t30\xe9\t0.5\n") == "f:2: not UTF-8 text: byte 0xe9; save it as UTF-8"


# ---- ir_measures, and how its order of columns differs from trec_eval's


def test_measures_with_commas_and_quotes_keep_their_names():
    text = "301\tnDCG(dcg='exp-log2')@20\t0.5\n301\tP(rel=2,judged_only=True)@5\t0.2\n"
    assert read(text).measures == ("nDCG(dcg='exp-log2')@20", "P(rel=2,judged_only=True)@5")


def test_num_q_per_query_is_no_number_of_topics():
    text = "1\tNumQ\t1.0\n1\tAP\t0.5\n2\tNumQ\t0.0\n2\tAP\t0.0\nall\tAP\t0.25\nall\tNumQ\t1.0\n"
    assert held(text) == "f NumQ 1=1 2=0; f AP 1=0.5 2=0"


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
def test_the_column_of_measures_is_found_by_content(text, measure, query):
    file = read(text)
    assert (file.measures, file.queries[0]) == ((measure,), query)


def test_an_order_of_columns_that_cannot_be_reported_is_an_error():
    assert error("D#-nDCG\tq1\t0.5\nD#-nDCG\tq2\t0.5\n") == (
        "f:1: cannot tell whether column 1 or column 2 has the measures; keep the `all` rows, or make it a csv with "
        "the header query_id,measure,score"
    )


def test_one_json_line_is_enough():
    assert held('{"query_id": "301", "measure": "map", "value": 1e-04}').startswith("f AP 301=0.0001; ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"measure": "AP", "value": 1.0}', f"has averages only; {WITH_Q}"),
        ('{"query_id": "2", "measure": "AP", "value": null}', f"AP of query 2 is null, {HOLE}"),
        ('{"query_id": "2", "measure": "AP", "value": [1]}', 'AP of query 2: ["1"] is not a number'),
        ('{"query_id": null, "measure": "AP", "value": 1}', "expected a name, found null"),
        ('{"query_id": "1", "measure": "AP", "value": 1}',
         f"AP of f on query 1 {AGAIN} 1; keep one, or add a key called run that tells them apart"),
        ("x", "cannot be read as JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[1]", f"JSON, but not scores in a form that is read: found a list of 1 that starts with 1; {OTHER_JSON}"),
    ],
)  # fmt: skip
def test_a_bad_json_line_is_named(line, message):
    assert error(f'{{"query_id": "1", "measure": "AP", "value": 0.5}}\n{line}\n') == f"f:2: {message}"


# ---- long tables


def test_a_long_table_may_have_its_columns_in_any_order_and_further_ones():
    text = "note,score,measure,topic,system\na,0.5,map,302,B\nb,0.25,map,301,A\nc,1e-04,map,301,B\n,0.75,P_5,301,A\n"
    expected = "B AP 301=0.0001 302=0.5; B P@5 301=- 302=-; A AP 301=0.25 302=-; A P@5 301=0.75 302=-"
    assert held(text) == expected


def test_a_long_table_without_runs_is_the_run_of_its_file():
    assert held("query_id,measure,score\n301,map,0.5\n", "input.bm25.gz") == "bm25 AP 301=0.5"


@pytest.mark.parametrize(("asked", "found"), [(None, None), ("map", "AP"), ("D#-nDCG", "D#-nDCG")])
def test_a_long_table_without_measures_takes_the_one_asked_for(asked, found):
    for text in (
        "run,query_id,score\nbm25,301,0.5\n",
        "run,query_id,measure,score\nbm25,301,,0.5\n",
        "qid,score\n1,0\n",
    ):
        assert read(text, measure=asked).measures == (found,)


def test_the_measure_asked_for_does_not_rename_one_in_the_file():
    assert read("run,query_id,measure,score\nbm25,301,map,0.5\n", measure="P@5").measures == ("AP",)


def test_all_rows_of_a_long_table_are_no_query_and_are_compared():
    text = "run,query_id,measure,score\nA,1,AP,0.50\nA,2,AP,0.25\nA,all,AP,0.37\nB,1,AP,0.50\nB,all,AP,0.50\n"
    expected = "A AP 1=0.5 2=0.25; B AP 1=0.5 2=-; [summaries left out: in f (all over the queries)]"
    assert held(text) == expected
    assert error(text.replace("B,all,AP,0.50", "B,all,AP,0.40")) == (
        "f:6: AP of B on query all is 0.4, but the mean or sum of the others is 0.5: leave out all if it is a "
        "summary, or rename it if it is a query"
    )


OR_MATRIX = "Add a column of runs or measures to a long table, or give --orient queries for a matrix"


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        ("run,query_id,measure,score", "A,1,AP,1\nB,1,AP,1\nA,1,map,0", f":4: AP of A on query 1 {AGAIN} 2; keep one"),
        ("run,query_id,measure,score", "A,1,AP,x", ":2: column score: x is not a number"),
        ("run,query_id,measure,score", "A,1,AP,", f":2: column score is empty; {LEAVE_OUT}"),
        ("run,query_id,measure,score", ",1,AP,0.5", ":2: the name of the run is empty"),
        ("run,query_id,measure,score", "A,,AP,0.5", ":2: the query id is empty"),
        ("run,query_id,measure,score", "A,1,AP,0.5\nA,2,0.5", ":3: expected 4 columns, as in the header, found 3"),
        ("run,query_id,topic,measure,score", "A,1,1,AP,0.5",
         ":1: columns query_id and topic could both be the query; say which with --id-column query_id"),
        ("topic,bm25,score", "1,0.5,0.25", f":1: is column bm25 a run, beside score? {OR_MATRIX}"),
        ("run,query_id,measure,score", "A,all,AP,0.5", f": has only the averages of A; {WITH_Q}"),
        ("run,query_id,measure,score", "", ": the file has a header and no scores"),
    ],
)  # fmt: skip
def test_a_bad_long_table_is_refused(header, rows, message):
    assert error(f"{header}\n{rows}\n") == f"f{message}"


def test_orient_makes_a_matrix_of_a_run_called_score():
    assert held("topic,bm25,score\n1,0.5,0.25\n", orient="queries") == "bm25 ? 1=0.5; score ? 1=0.25"


# ---- wide tables: gdeval, ndeval


def test_gdeval_output_has_ir_measures_names_and_no_query_amean():
    text = "runid,topic,ndcg@20,err@20\nbm25,51,0.10000,0.20000\nbm25,52,0.30001,0.40000\nbm25,amean,0.20001,0.30000\n"
    expected = "bm25 nDCG(dcg='exp-log2')@20 51=0.1 52=0.30001; bm25 ERR@20 51=0.2 52=0.4"
    assert held(text) == expected
    wrong = "; [the `amean` rows are not the means of the others: in bm25 (1 measure)]"
    assert held(text.replace("0.20001,0.30000", "0.20002,0.30001")) == expected + wrong  # at the printed decimals


def test_ndeval_output_keeps_its_names():
    text = "runid,topic,ERR-IA@5,alpha-nDCG@20,strec@10\nr,1,0.100000,0.200000,0.300000\nr,amean,0.1,0.2,0.300000\n"
    assert held(text) == "r ERR-IA@5 1=0.1; r alpha-nDCG@20 1=0.2; r strec@10 1=0.3"


def test_a_topic_and_measures_are_the_run_of_the_file():
    text = "topic,map,P_5\n301,0.25,0.4\n302,0.5,0.6\n"
    assert held(text, "bm25.csv") == "bm25.csv AP 301=0.25 302=0.5; bm25.csv P@5 301=0.4 302=0.6"


def test_a_wide_table_names_all_its_measures():
    assert error("run,topic,AP,\nA,1,0.5,0.5\n") == "f:1: column 4 has no name"


def test_a_column_of_scores_is_not_taken_for_the_names_of_runs():
    assert error("topic,system,baseline\n1,0.5,0.25\n") == (
        "f:2: column system should name runs, but 0.5 looks like a score; give --id-column topic if it has the scores "
        "of a run, or rename it"
    )


# ---- matrices


@pytest.mark.parametrize("first", ["0.5", "0.0", "1"])
def test_fractions_or_repeated_values_in_the_first_column_are_scores_of_queries_that_are_numbered(first):
    second = "1" if first == "0.5" else first
    expected = f"A ? #1={float(first):g} #2={second.removesuffix('.0')}; B ? #1=0.0001 #2=0"
    assert held(f'"A","B"\n{first},1e-04\n{second},0\n') == expected


@pytest.mark.parametrize(
    ("corner", "measure"),
    [
        *((name, "?") for name in ("topic", "query", "query_id", "qid", "Topic", "")),
        *(("AP", "AP"), ("ndcg_cut_20", "nDCG@20"), ("P(rel=2)@10", "P(rel=2)@10")),
    ],
)
def test_a_first_column_under_the_name_of_an_id_or_a_measure_holds_ids(corner, measure):
    assert held(f'"{corner}",A,B\n302,0.5,0.25\n301,1,0\n') == f"A {measure} 301=1 302=0.5; B {measure} 301=0 302=0.25"


@pytest.mark.parametrize("corner", ["topic", "anything"])
def test_a_first_column_with_words_holds_ids(corner):
    assert held(f"{corner},A,B\nq2,0.5,0.25\n7,1,0\n") == "A ? 7=1 q2=0.5; B ? 7=0 q2=0.25"


def test_distinct_whole_numbers_under_another_name_are_refused_until_the_ids_are_named_or_denied():
    text = "A,B\n301,0.25\n302,0.5\n"
    assert error(text) == (
        "f:1: column A has distinct whole numbers: ids or scores? Say which with --id-column NAME | none"
    )
    assert held(text, id_column="none") == "A ? #1=301 #2=302; B ? #1=0.25 #2=0.5"
    assert held(text, id_column="A") == held("B,A\n0.25,301\n0.5,302\n", id_column="A") == "B ? 301=0.25 302=0.5"
    assert error(text, id_column="C") == "f:1: 0 columns are called 'C' (--id-column); the first column is A"


def test_scores_under_the_name_of_an_id_are_refused():
    assert error("AP,P@5\n0.5,0.25\n0.25,0.5\n") == (
        "f:2: column AP should have ids, but 0.5 looks like a score; name the ids with --id-column NAME | none"
    )


def test_rows_are_runs_where_numbers_name_the_columns_alone():
    text, expected = "AP,802,801\nbm25,0.5,0.25\nrm3,1,0\n", "bm25 AP 801=0.25 802=0.5; rm3 AP 801=0 802=1"
    assert held(text) == held(text.replace(",", "\t")) == expected  # which is no evaluation


@pytest.mark.parametrize(
    "text",
    [
        "AP,1,2\n301,0.5,0.25\n302,1,0\n",  # numbers both ways
        "topic,1,2\n301,0.5,0.25\n302,1,0\n",
        "topic,801,802\nq1,0.5,0.25\n",  # the header says queries, the names say runs
        "run,q1,q2\nbm25,0.5,0.25\n",  # the header says runs, the names do not say queries
    ],
)
def test_rows_that_may_be_either_are_refused(text):
    corner, first = text.split(",")[:2]
    row = text.splitlines()[1].partition(",")[0]
    assert error(text) == (
        f"f:1: are the rows queries or runs? the header has {corner} and {first}, the first row {row}; say which with "
        "--orient queries | runs"
    )


def test_averages_of_runs_are_no_scores_of_queries():
    message = (
        "f:1: name and map: the table has only averages, a row for each run; save the scores of every query instead"
    )
    assert error("name,map,P_5\nbm25,0.25,0.4\nrm3,0.3,0.4\n") == message


@pytest.mark.parametrize("corner", ["team", "", "AP"])
def test_columns_called_by_measures_are_not_taken_for_runs(corner):
    assert error(f"{corner},map,P_5\nbm25,0.25,0.4\n") == (
        "f:1: map is a measure: call the first column topic if these are the scores of one run, else give --orient "
        "queries | runs"
    )


def test_orient_says_what_rows_are():
    text = "AP,1,2\n301,0.5,0.25\n302,1,0\n"
    assert held(text, orient="queries") == "1 AP 301=0.5 302=1; 2 AP 301=0.25 302=0"
    assert held(text, orient="runs") == "301 AP 1=0.5 2=0.25; 302 AP 1=1 2=0"
    assert read("AP,801,802\nbm25,0.5,0.25\n", orient="queries").runs == ("801", "802")  # and overrules the usual
    assert read("topic,q1,q2\nbm25,0.5,0.25\n", orient="runs").runs == ("bm25",)


def test_rows_without_ids_are_no_runs():
    message = "no column has the names of the runs in the rows (--orient runs); name it with --id-column NAME"
    assert error("A,B\n0.5,0.25\n0.2,0.3\n", orient="runs") == f"f:1: {message}"


@pytest.mark.parametrize(
    ("corner", "asked", "found"),
    [
        ("map", None, "AP"),
        ("topic", None, None),
        ("topic", "ndcg_cut_20", "nDCG@20"),
        ("topic", "D#-nDCG", "D#-nDCG"),
        ("D#-nDCG", "D#-nDCG", "D#-nDCG"),
        ("map", "AP", "AP"),
        ("AP", "P@5", "AP"),  # so that -m P@5 finds that the file does not hold it
    ],
)
def test_the_measure_of_a_matrix_is_its_first_header_cell_or_the_one_asked_for(corner, asked, found):
    assert read(f"{corner},A,B\n301,0.5,0.25\n", measure=asked).measures == (found,)


def test_a_header_one_cell_short_lacks_the_one_above_the_ids():
    for text in ('"A"\t"B"\n"301"\t0.5\t0.25\n', "A,B\n301,0.5,0.25\n", "\tA\tB\n301\t0.5\t0.25\n"):
        assert held(text) == "A ? 301=0.5; B ? 301=0.25"


def test_quoted_names_may_hold_commas_and_line_ends():
    text = 'topic,"a,b","c ""d""","e\nf"\r\n301,0.5,0.25,0\r\n302,x,0,0\r\n'
    assert error(text) == "f:4: column a,b: x is not a number"
    assert read(text.replace("x", "1")).runs == ("a,b", 'c "d"', "e\nf")


BAD_MATRICES = {
    "topic,A,B\n1,0.5,x\n": "f:2: column B: x is not a number",
    "topic,A,B\n1,0.5,inf\n": "f:2: column B: inf is not finite",
    "topic,A,B\n1,,1\n": f"f:2: column A is empty; {WITHOUT}",
    "topic,A,B\n\n1,NA,1\n": f"f:3: column A is NA, a hole; {WITHOUT}",
    "A,B\n0.5,1\nNA,1\n": f"f:3: column A is NA, a hole; {WITHOUT}",
    "A,B\n0.5,nan\n0.1,1\n": f"f:2: column B is nan, a hole; {WITHOUT}",
    "topic\tA\tB\n1\tNA\t1\n": f"f:2: column A is NA, a hole; {WITHOUT}",
    "topic,A,B\n1,0.5,1\n2,0.5\n": "f:3: expected 3 columns, as in the header, found 2",
    "topic,A,B\n1,0.5,1\n2,0.5,1,1\n": "f:3: expected 3 columns, as in the header, found 4",
    "topic,A,A\n1,0.5,1\n": "f:1: two columns are called A; rename one",
    "topic,A,\n1,0.5,1\n": "f:1: column 3 has no name",
    "topic,A\n1,0.5\n2,0.5\n1,1\n": "f:4: two rows are called 1, the first in line 2; keep one",
    "topic,A\n,0.5\n": "f:2: the query id is empty",
    "0.5,0.25\n0.1,0.2\n": "f:1: expected a header with names, found numbers; name the columns",
    "301,0.25\n302,0.2\n": "f:1: expected a header with names, found numbers; name the columns",
    "bm25,0.5,0.25\nrm3,0.1,0.2\n": "f:1: expected a header with names, found numbers; name the columns",
    'topic,A\n1,"0.5\n2,1\n': "f:2: cannot be read as a table: unexpected end of data; check the quotes",
    'topic,A\n1,"0.5"5\n': "f:2: cannot be read as a table: ',' expected after '\"'; check the quotes",
}


@pytest.mark.parametrize(("text", "message"), BAD_MATRICES.items())
def test_a_bad_matrix_is_refused(text, message):
    assert error(text) == message


# ---- our own output


def test_our_json_is_read():
    runs = [{"run": "A", "scores": [0.5, 1e-05]}, {"run": "B", "scores": [1, 0]}]
    one = {"measure": "AP", "queries": ["9", "10"], "runs": runs}
    other = {"measure": None, "queries": ["9"], "runs": [{"run": "A", "scores": [0.25]}]}
    text = json.dumps({"version": "1.0", "results": [one, other], "warnings": []}, indent=1)
    assert held(text) == "A AP 9=0.5 10=1e-05; A ? 9=0.25 10=-; B AP 9=1 10=0; B ? 9=- 10=-"


BAD_SCORES = {
    "[0.5, null]": f"the score of run A on query 2 is null, {HOLE}",
    "[0.5, NaN]": f"the score of run A on query 2 is NaN, {HOLE}",
    "[0.5, true]": "the score of run A on query 2: true is not a number",
    "[0.5]": "run A does not have one score for each of the queries",
    '"ab"': "run A does not have one score for each of the queries",
}


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES.items())
def test_bad_scores_in_our_json_are_named(scores, message):
    runs = f'{{"measure": "AP", "queries": ["1", "2"], "runs": [{{"run": "A", "scores": {scores}}}]}}'
    assert error(f'{{"results": [{runs}]}}') == f"f: {message}"


OTHER_DOCUMENTS = {
    "[]": "an empty object or list",
    "{}": "an empty object or list",
    '{"results": 1}': "an object with 1 entry, such as results",
    '{"results": [1]}': "an object with 1 entry, such as results",
    '{"results": [{"measure": "AP", "runs": []}]}': "an object with 1 entry, such as results",
    "[1, 2]": "a list of 2 that starts with 1",
    '{"runs": {"bm25": {"1": 1}}, "year": 2012}': "an object with 2 entries, such as runs, the first with bm25",
}


@pytest.mark.parametrize(("text", "found"), OTHER_DOCUMENTS.items())
def test_other_json_is_refused_with_what_was_found_and_expected(text, found):
    message = f"f: JSON, but not scores in a form that is read: found {found}; {OTHER_JSON}"
    assert error(text).replace("f:1:", "f:") == message


@pytest.mark.parametrize("text", ["[" * 100_000, '{"results": []}', "{nonsense"])
def test_json_that_holds_no_scores_is_refused(text):
    assert error(text).startswith("f:")


# ---- what a file is


KINDS = {
    "runid                 \tall\tbm25\nmap  \t1\t0.5\n": "evaluation",
    "map 301 0.5\n": "evaluation",
    "map\t301\tabc\nP_5\t301\t0.5\n": "evaluation",
    "nDCG(dcg='exp-log2',judged_only=True)@20\t1\t0.5\n" * 2: "evaluation",
    "query_id\tmeasure\tvalue\n301\tAP\t0.5\n": "table",
    "runid\ttopic\tscore\nbm25\t301\t0.5\n": "table",
    "score\tmeasure\trun\tquery_id\n0.5\tAP\tbm25\tq1\n": "table",
    "run\tquery_id\tmeasure\tscore\nrun\t301\tAP\t0.5\n": "table",
    "topic\tA\tB\tC\tD\tE\n301\t0.1\t0.2\t0.3\t0.4\tNA\n": "table",
    "topic , A , B\n301 , 0.1 , 0.2\n": "table",
    "topic\tA\tB\tC\tD\tE\n301\t0.1\t0.2\t0.3\t0.4\t0.5\n": "table",
    "score\tmeasure\tquery_id\n0.5\tAP\tq1\n": "table",
    "topic, A, B\n301, 0.1, 0.2\n": "table",
    "topic, A, B, C\n301, 1, 2, 3\n": "table",
    "301 Q0 doc,1 1 2.5 tag\n301 Q0 doc,2 2 2.4 tag\n": "run",
    '{"results": []}': "json",
    "301 0 doc,1 1\n301 0 doc,2 0\n": "qrels",
    "q1\t0\t17\t1\nq2\t0\t18\t0\n": "qrels",
    "301\tQ0\tdoc\t1\t2.5\t1\n302\tQ0\tdoc\t1\t2.5\t1\n": "run",
    "AP\t801\t802\t803\nbm25\t0.5\t0.25\t0.1\n": "table",
    "topic\tbm25\trm3\tx\nq1\t0.5\t0.25\t0.1\n": "table",
    "301 0 FT911-1 0.5\n": None,
    "q1 Q0 d1 1\nq1 Q0 d2 0\n": "qrels",
    "AP\t0.3333\n": "evaluation",
    "num_ret 301 17\nmap 301 0.5\n": "evaluation",
    "three plain words\nand some more\n": None,
    "Runs of 2012.\n": None,
    "": None,
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items())
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
def test_real_matrices_are_read_right(shared, name, n_runs, n_queries, numbered, measure):
    path = str(shared / "score-matrices" / f"{name}.csv")
    file = read(read_bytes(path), path)
    assert (file.values.shape, file.numbered, file.measures) == ((n_runs, 1, n_queries), numbered, (measure,))
    assert (len(file.queries), file.oddities) == (n_queries, ())
    with Path(path).open(newline="") as stream:
        header, *rows = csv.reader(stream)
    if numbered:
        assert file.runs == tuple(header)
        assert file.values[:, 0].T.tolist() == [[float(cell) for cell in row] for row in rows]
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


NAMES = st.text("aBéß検١²7._-,;:\"'#=+@/\\|(){}[]<>%$~^€\U0001f600", min_size=1, max_size=8)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[float]]]:
    """Runs, queries in natural order, and a score of each run on each query."""
    words = NAMES.filter(lambda name: not NUMBER.fullmatch(name))
    plain = words.filter(lambda name: not says_something(name))
    runs = draw(st.lists(plain, min_size=1, max_size=4, unique_by=str.lower))
    queries = sorted(f"q{query}" for query in draw(st.sets(st.integers(1, 99), min_size=1, max_size=4)))
    return runs, queries, [[draw(SCORES) for _ in queries] for _ in runs]


def expected(runs: list[str], queries: list[str], values: list[list[float]]) -> str:
    """What ``held`` gives of AP."""
    rows = (zip(queries, (f"{value:.9g}" for value in row), strict=True) for row in values)
    return "; ".join(f"{run} AP {' '.join(map('='.join, row))}" for run, row in zip(runs, rows, strict=True))


@given(matrices(), st.sampled_from([",", "\t"]))
def test_a_matrix_comes_back_as_it_was_written(drawn, delimiter):
    runs, queries, values = drawn
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["AP", *runs])
    writer.writerows([query, *column] for query, column in zip(queries, zip(*values, strict=True), strict=True))
    assert held(out.getvalue()) == expected(*drawn)
    assert read(out.getvalue()).values[:, 0].tolist() == values


@given(matrices())
def test_our_json_comes_back_as_it_was_written(drawn):
    runs, queries, values = drawn
    rows = [{"run": run, "scores": row} for run, row in zip(runs, values, strict=True)]
    text = json.dumps({"results": [{"measure": "AP", "queries": queries, "runs": rows}]})
    assert held(text) == expected(*drawn)
    assert read(text).values[:, 0].tolist() == values


@given(st.dictionaries(st.integers(1, 999), st.integers(0, 10_000), min_size=1, max_size=6), st.booleans())
def test_an_evaluation_comes_back_as_it_was_written(drawn, query_first):
    queries, values = sorted(drawn), [drawn[query] / 10_000 for query in sorted(drawn)]
    scores = dict(zip(map(str, queries), values, strict=True))
    cells = [(query, f"{'map':22}", f"{value:.4f}") for query, value in (*scores.items(), ("all", np.mean(values)))]
    text = "".join("\t".join(line if query_first else (line[1], line[0], line[2])) + "\n" for line in cells)
    assert held(text) == expected(["f"], list(scores), [values])
