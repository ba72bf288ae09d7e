"""Four columns without a header: which of the second and the third has the measures, and what is no leaderboard."""

from __future__ import annotations

import pytest
from test_score_files import error, held

from biasvar_cli.readers.score_formats import EXAMPLES, recognise

TOT = EXAMPLES["leaderboard.txt"]
RANKING = EXAMPLES["leaderboard.ranking"]
LINES = EXAMPLES["leaderboard.jsonl"]
BY_TOPIC = EXAMPLES["leaderboard-by-topic.txt"]
ORDERS = "The columns may be run measure topic value or run topic measure value"
REMEDY = "Make it a csv with the header run,measure,query_id,score"


@pytest.mark.parametrize("text", [TOT, BY_TOPIC], ids=["tot", "ir_measures"])
@pytest.mark.parametrize("gap", ["\t", "  ", " "])
def test_both_orders_are_read(text, gap):
    assert held(text.replace("\t", gap)) == "bm25 AP 301=0.5 302=1; rm3 AP 301=0.25 302=0.5"


@pytest.mark.parametrize(
    "text",
    [
        "a f1 301 0.5\na f1 302 1.0\n",  # topics that are numbers
        "a GRADE t1 0.5\na GRADE t2 1.0\na GRADE all 0.75\n",  # `all`
        "a nDCG@10 t1 0.5\na nDCG@10 t2 1.0\n",  # a known measure
    ],
)
def test_each_kind_of_evidence_is_enough(text):
    rows = [line.split() for line in text.splitlines()]
    swapped = "".join(f"{run} {topic} {measure} {value}\n" for run, measure, topic, value in rows)
    _, measure, query, _ = rows[0]
    assert held(text) == held(swapped)
    assert held(text).startswith(f"a {measure} {query}=0.5 {rows[1][2]}=1")


def test_yes_and_no_are_1_and_0_and_their_share_is_compared():
    """Two of four are right: 0.5, as mean_of_bools of autojudge-base's README has it."""
    values = ("True", "False", "False", "True")
    text = "".join(f"runA\tIS_MATCH\tt{topic}\t{value}\n" for topic, value in enumerate(values))
    assert held(f"{text}runA\tIS_MATCH\tall\t0.5\n") == "runA IS_MATCH t0=1 t1=0 t2=0 t3=1"


def test_an_aggregate_of_the_file_is_compared_with_its_scores():
    """The mean of 0.5 and 1.0 is 0.75; a file that says 0.85 is read with a warning."""
    wrong = "; [the `all` rows are not the means of the others: in bm25 (1 measure)]"
    assert held(TOT.replace("all\t0.75", "all\t0.85")) == held(TOT) + wrong


def test_an_aggregate_of_another_name_is_no_sign_of_a_file_that_is_cut_off():
    assert held("a\tt1\tf1\t0.5\na\tt2\tf1\t1.0\na\tall\tf1_macro\t0.75\n") == "a f1 t1=0.5 t2=1"


@pytest.mark.parametrize("text", [RANKING, LINES], ids=["ranking", "jsonl"])
def test_the_forms_of_a_ranking_and_of_json_lines_are_the_same_leaderboard(text):
    assert held(text) == held(TOT)
    wrong = "; [the `all` rows are not the means of the others: in bm25 (1 measure)]"
    assert held(text.replace("0.75", "0.85")) == held(TOT) + wrong


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (("1 Q0 a 0 .5 GRADE", "2 Q0 a 0 .7 GRADE", "1 Q0 b 0 .2 GRADE", "2 Q0 b 0 .3 GRADE"), "ranking"),
        (("1 Q0 a 0 .5 GRADE", "1 Q0 a 0 True IS_MATCH"), "ranking"),
        (("1 Q0 a 0 .5 GRADE", "all Q0 a 0 .5 GRADE"), "ranking"),
        (("1 Q0 a 0 .5 map", "1 Q0 b 0 .5 map"), "ranking"),
        (("1 Q0 a 0 9 x", "1 Q0 b 0 8 x", "2 Q0 a 0 9 x", "2 Q0 b 0 8 x"), "run"),  # of shared candidates
        (("1 Q0 a 0 .5 GRADE", "1 Q0 b 0 .7 GRADE"), "run"),  # documents of one topic, for all that it says
        (("1 Q0 a 1 .5 GRADE", "2 Q0 a 1 .7 GRADE", "1 Q0 b 2 .2 GRADE"), "run"),  # ranks are there
        (("1 Q0 a 0 9.5 bm25", "1 Q0 b 0 9.5 bm25", "2 Q0 c 0 8 bm25", "2 Q0 d 0 7 bm25"), "run"),
    ],
)
def test_a_ranking_of_runs_is_told_from_a_run(lines, kind):
    assert recognise("\n".join(lines).encode()) == kind


WRONG = {
    RANKING[:-12]: "f:6: expected 6 columns, topic, Q0, run, rank, value and measure, found 3",
    RANKING.replace("301\tQ0\trm3\t0\t0.25", "301\tQ0\trm3\t0\tgood"): "f:4: map of topic 301: good is not a number",
    TOT.replace("302\t1.0", "302\tNone"): "f:2: map of topic 302 is None, a hole",
    LINES[:-20]: "f:6: cannot be read as JSON",
    LINES.replace(
        '"302", "measure"', '"302", "name"', 1
    ): "f:2: expected an object with the keys measure, run_id, topic_id",
    LINES.replace("0.25", '"good"'): "f:4: map of topic 301: good is not a number",
    "a GRADE t1 0.5\nb GRADE t1 0.25\n": f"f:1: is GRADE or t1 the measure? {ORDERS}. {REMEDY}",
    TOT[:-16]: "f:6: expected 4 columns, run, measure, topic and value, found 1",
    TOT.replace("301\t0.25", "301\tgood"): "f:4: map of topic 301: good is not a number",
    TOT.replace("301\t0.25", "301\t1.25"): "f:4: AP of rm3 on query 301 is 1.25, but AP is from 0 to 1",
    TOT.replace("302\t0.5", "301\t0.5"): "f:5: AP of rm3 on query 301 is given twice, first in line 4",
    "q1 0 d1 0.5\nq1 0 d2 0.25\nq2 0 d3 0.5\n": f"are they documents? {REMEDY}",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_what_is_wrong_or_open_is_refused(text, message):
    assert message in error(text)


@pytest.mark.parametrize("measure", ["AP", "f1"])
@pytest.mark.parametrize("topics", [("q1", "q2"), ("301", "302"), ("2024-105", "2024-106")])
def test_topics_may_come_before_runs(topics, measure):
    """As files joined by hand have them: what looks like queries is the topics, wherever it stands."""
    one, two = topics
    rows = [(one, "runA", 0.5), (two, "runA", 0.4), (one, "runB", 0.3), (two, "runB", 0.2)]
    text = "".join(f"{topic} {run} {measure} {value}\n" for topic, run, value in rows)
    assert held(text).startswith(f"runA {measure} {one}=0.5 {two}=0.4; runB {measure} {one}=0.3 {two}=0.2")
    swapped = "".join(f"{run} {topic} {measure} {value}\n" for topic, run, value in rows)
    assert held(swapped) == held(text)


OPEN = {
    "1 301 AP 0.5\n2 301 AP 0.25\n1 302 AP 0.5\n": "is 1 or 301 the run? Either column may have the runs",
    "one x AP 0.5\ntwo x AP 0.25\none y AP 0.5\n": "is one or x the run? Either column may have the runs",
    "AP q1 runA 0.5\nAP q2 runA 0.4\n": "column 1 has measures, such as AP",
    "AP runA q1 0.5\nAP runA q2 0.4\n": "column 1 has measures, such as AP",
}


@pytest.mark.parametrize(("text", "message"), OPEN.items())
def test_an_order_that_fits_twice_is_refused_and_a_header_decides_it(text, message):
    assert message in error(text)
    assert "make it a csv whose header says what each column is: run, query_id, measure, score" in error(text)
    rows = text.replace(" ", ",")
    header = "measure,query_id,run,score" if text.startswith("AP") else "run,query_id,measure,score"
    assert held(f"{header}\n{rows}")
