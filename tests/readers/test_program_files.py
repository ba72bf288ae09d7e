"""Files that other programs wrote: pytrec_eval, ir_measures, ranx, pandas. All give the same scores.

pytrec_eval, ir_measures and pandas write theirs here; those of ranx were written by version 0.3.21. The average
precision is worked out by hand: the documents a and b of topic 301 are at ranks 2 and 3, (1/2 + 2/3) / 2 = 7/12;
document c of topic 302 is at rank 2, 1/2.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import assert_refused, only

QRELS = "301 0 a 2\n301 0 b 1\n302 0 c 1\n"
RUN = "301 Q0 x 1 2.25 t\n301 Q0 a 2 1.5 t\n301 Q0 b 3 0.5 t\n302 Q0 y 1 3.0 t\n302 Q0 c 2 1.0 t\n"
AP = pytest.approx({"301": 7 / 12, "302": 1 / 2}, abs=1e-9)

RANX_RUN = json.dumps({"301": {"x": 2.25, "a": 1.5, "b": 0.5}, "302": {"y": 3.0, "c": 1.0}}, indent=2)
RANX_QRELS = json.dumps({"301": {"a": 2, "b": 1}, "302": {"c": 1}}, indent=2)
RANX_SCORES = (
    '{"map": {"301": 0.5833333333333333, "302": 0.5}, "precision@2": {"301": 0.5, "302": 0.5}, '
    '"hits@2": {"301": 1.0, "302": 1.0}, "mrr": {"301": 0.5, "302": 0.5}}'
)
RANX_REPORT = (
    '{"stat_test": "student", "metrics": ["map"], "model_names": ["bm25", "ql"], "bm25": {"scores": {"map": 0.54}, '
    '"comparisons": {"ql": {"map": 0.20}}, "win_tie_loss": {"ql": {"map": {"W": 0, "T": 0, "L": 2}}}}, "ql": '
    '{"scores": {"map": 0.91}, "comparisons": {"bm25": {"map": 0.20}}, "win_tie_loss": {}}}'
)
RANX_FRAME = ",model_names,map,precision@2\n0,bm25,0.54,0.5\n1,ql,0.91,0.5\n"

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


@pytest.fixture
def scores(biasvar: Any) -> Any:
    """The AP of each run and query in a file, read with further options."""

    def read(content: str, *options: str) -> dict[str, dict[str, float]]:
        Path("bm25").write_text(content)
        Path("qrels").write_text(QRELS)
        result = only(biasvar("scores", "bm25", *options, "-m", "AP", "-f", "json", "--quiet"))
        return {row["run"]: dict(zip(result["queries"], row["scores"], strict=True)) for row in result["runs"]}

    return read


@pytest.fixture
def refusal(biasvar: Any) -> Any:
    def refused(content: str, *options: str) -> str:
        Path("bm25").write_text(content)
        result = biasvar("decompose", "bm25", *options)
        assert (result.code, result.out) == (1, "")
        return str(result.err)

    return refused


def evaluated() -> dict[str, dict[str, float]]:
    """What pytrec_eval gives for the run."""
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(QRELS.splitlines()), {"map", "num_ret", "P_5"})
    found: dict[str, dict[str, float]] = evaluator.evaluate(pytrec_eval.parse_run(RUN.splitlines()))
    return found


def test_pytrec_eval_as_json_and_as_a_table(scores: Any) -> None:
    pandas = pytest.importorskip("pandas")
    found = evaluated()
    frame = pandas.DataFrame.from_dict(found, orient="index")
    for text in (json.dumps(found), json.dumps(found, indent=1), frame.rename_axis("qid").to_csv(), frame.to_json()):
        assert scores(text) == {"bm25": AP}
    assert scores(json.dumps({"bm25": found, "ql": found})) == {"bm25": AP, "ql": AP}


def test_a_table_of_measures_whose_ids_have_no_name_is_refused_with_the_remedy(refusal: Any) -> None:
    pandas = pytest.importorskip("pandas")
    assert "num_ret is a measure: call the first column topic if these are the scores of one run" in refusal(
        pandas.DataFrame.from_dict(evaluated(), orient="index")[["num_ret", "map"]].to_csv()
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ir_measures uses what Python 3.14 has no more
@pytest.mark.parametrize("options", [(), ("-o", "jsonl"), ("-n",), ("-n", "-o", "jsonl")])
def test_the_command_of_ir_measures(
    scores: Any, refusal: Any, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    from ir_measures.__main__ import main_cli

    def printed(*more: str) -> str:
        monkeypatch.setattr(sys, "argv", ["ir_measures", "qrels", "run", "AP", "P@2", "-p", "15", *options, *more])
        with contextlib.redirect_stdout(io.StringIO()) as text:
            main_cli()
        return text.getvalue()

    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    assert scores(printed("-q")) == {"bm25": AP}
    if "-n" not in options:
        assert "averages only" in refusal(printed())


def test_the_scores_of_ranx(scores: Any) -> None:
    assert scores(RANX_SCORES) == {"bm25": AP}
    assert scores(f'{{"bm25": {RANX_SCORES}, "ql": {RANX_SCORES}}}') == {"bm25": AP, "ql": AP}


@pytest.mark.parametrize("averages", [RANX_REPORT, RANX_FRAME, '{"map": 0.54, "precision@2": 0.5}'])
def test_averages_of_ranx_are_refused(refusal: Any, averages: str) -> None:
    assert "has averages only" in refusal(averages) or "has only averages" in refusal(averages)


def test_averages_of_runs_are_not_taken_for_queries(refusal: Any, scores: Any) -> None:
    averages = '{"bm25": {"map": 0.5, "mrr": 0.4}, "ql": {"map": 0.6, "mrr": 0.4}}'
    assert "is bm25 a query or a run? Say --orient queries if all of them are queries" in refusal(averages)
    assert scores(averages, "--orient", "queries") == {"bm25": {"bm25": 0.5, "ql": 0.6}}


def test_runs_and_qrels_of_ranx(scores: Any) -> None:
    for qrels in (RANX_QRELS, QRELS):
        Path("judged").write_text(qrels)
        for run in (RANX_RUN, json.dumps(json.loads(RANX_RUN)), RUN):
            assert scores(run, "-q", "judged") == {"bm25": AP}


def test_a_run_in_json_is_a_run_in_every_respect(biasvar: Any) -> None:
    for name, text in (("qrels", RANX_QRELS), ("bm25", RANX_RUN)):
        Path(name).write_text(text)
    result = biasvar("check", "bm25", "-q", "qrels", "-f", "json")
    qrels, run = json.loads(result.out)["results"][0]["files"]
    assert (result.code, qrels["kind"], run["kind"], run["errors"]) == (0, "qrels", "run", [])
    assert "TREC runs need relevance judgments: add -q QRELS\n" in biasvar("decompose", "bm25").err
    swapped = biasvar("decompose", "qrels", "-q", "bm25")
    assert_refused(swapped, 1, "this is a run, and qrels is shaped like qrels; is it the other way round?")


WRONG_RUNS = {
    '{"301": {"a": NaN, "b": 1.0}, "302": {"c": 2.0}}': "score NaN of document a of topic 301 is not ",
    '{"301": {"a": 1e999, "b": 1}, "302": {"c": 2}}': "score 1e999 of document a of topic 301 is not ",
    '{"301": {"a b": 1.5, "b": 1}, "302": {"c": 2}}': "the id a b is empty or has a blank",
    '{"301": {"a": 1.5, "a": 2.5}, "302": {"c": 2}}': "an object has the key a twice; keep one",
}


@pytest.mark.parametrize(("text", "message"), WRONG_RUNS.items())
def test_a_run_in_json_that_is_wrong_or_may_be_something_else_is_refused(refusal: Any, text: str, message: str) -> None:
    Path("qrels").write_text(QRELS)
    assert message in refusal(text, "-q", "qrels")


def test_scores_that_lack_queries_are_not_taken_for_a_run(scores: Any) -> None:
    text = '{"bm25": {"301": 0.25, "302": 0.5}, "ql": {"301": 0.5}}'
    assert scores(text) == {"bm25": {"301": 0.25, "302": 0.5}, "ql": {"301": 0.5, "302": 0.0}}


def test_documents_that_topics_share_need_judgments_to_be_a_run(refusal: Any, scores: Any) -> None:
    """Alone, {query: {document: score}} may have runs for documents; with judged topics outside it is a run."""
    shared = '{"301": {"a": 1.5, "b": 1.0}, "302": {"a": 0.5, "b": 2.0}}'
    assert "is this a run, {query: {document: score}}, or scores" in refusal(shared)
    Path("judged").write_text("301 0 a 1\n302 0 a 1\n")
    assert scores(shared, "-q", "judged") == {"bm25": {"301": 1.0, "302": 0.5}}
    measures = '{"301": {"map": 0.25}, "302": {"map": 0.75}}'
    assert scores(measures, "-q", "qrels") == {"bm25": {"301": 0.25, "302": 0.75}}
    by_run = '{"bm25": {"301": 0.25, "302": 0.75}}'
    assert scores(by_run, "-q", "qrels") == {"bm25": {"301": 0.25, "302": 0.75}}


# ---- three columns


def three(lines: int, per_topic: int, *, documents: int, topic: str = "{}", order: str = "tds") -> str:
    """Lines of topic, document and score; of so many documents, so that some come again under other topics."""
    found = []
    for number in range(lines):
        document, score = f"FT{number % documents}-1", f"{9 - number / lines:.4f}"
        words = {"t": topic.format(301 + number // per_topic), "d": document, "s": score}
        found.append(" ".join(words[key] for key in order))
    return "\n".join(found) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        three(400, 20, documents=10_000),
        three(2048, 1000, documents=10_000),
        three(1000, 100, documents=700),  # a small collection: every document under one topic or two
        three(6000, 300, documents=400),  # and one where most documents are under most topics
        three(20, 20, documents=20),  # one topic
        three(400, 20, documents=10_000, topic="q{}"),
        three(400, 20, documents=10_000, order="dts"),
    ],
)
def test_documents_are_not_taken_for_measures(refusal: Any, text: str) -> None:
    message = refusal(text)
    assert "names in" in message
    assert "this looks like topic, document and score, not measures (column " in message
    assert " names in " in message
    assert (
        "write a run with 6 columns, topic Q0 document rank score tag, or give a query model to biasvar mod" in message
    )


def test_an_evaluation_of_measures_that_nobody_knows_is_read(biasvar: Any) -> None:
    """Twenty measures on ten queries, one of which lacks half of them."""
    pairs = [(measure, query) for query in range(10) for measure in range(20 if query else 10)]
    Path("bm25").write_text("".join(f"own-{measure}\t{query}\t0.{measure:02}{query}\n" for measure, query in pairs))
    result = biasvar("scores", "bm25", "-m", "own-3", "-f", "csv", "--quiet")
    assert result.out.splitlines()[1] == "bm25,0,own-3,0.03"


def test_decimal_commas_between_tabs_are_refused_with_the_number_to_write(refusal: Any) -> None:
    for text in ("map\t301\t0,25\nmap\t302\t0,5\n", "map 301 0,25\nmap 302 0,5\n"):
        assert "if 0,25 is a number, write it with a point" in refusal(text)
