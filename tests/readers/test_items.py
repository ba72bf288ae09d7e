"""The same id with another item is an error; what was not run is not 0; holes are judged by the measures asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import assert_refused, rows_of

import biasvar_cli as bv
from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats.items import fingerprint

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")

QUESTIONS = [f"Which river is number {number}?" for number in range(8)]
ORDERS = {"alpha": QUESTIONS, "beta": [QUESTIONS[-1], *QUESTIONS[1:-1], QUESTIONS[0]]}  # the first and the last changed
SCORES = {"alpha": [0.0, 0, 1, 1, 0, 1, 0, 1], "beta": [1.0, 0, 1, 1, 1, 1, 0, 1]}  # in the order of QUESTIONS


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def lm_eval(model: str, order: list[str], *, hashed: bool = True) -> tuple[str, str]:
    def record(doc_id: int, question: str) -> dict[str, Any]:
        said = {"doc": {"question": question}, "doc_hash": f"h{QUESTIONS.index(question)}"}
        score = SCORES[model][QUESTIONS.index(question)]
        rest = {"target": "x", "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"], "acc": score}
        return {"doc_id": doc_id, **(said if hashed else {"doc": said["doc"]}), **rest}

    text = lines([record(number, question) for number, question in enumerate(order)])
    return f"{model}/samples_rivers_2026-05-01T10-00-00.000000.jsonl", text


def inspect(model: str, order: list[str], *, task: str = "rivers", chat: bool = False) -> tuple[str, str]:
    def sample(number: int, question: str) -> dict[str, Any]:
        said = [{"id": f"{model}{number}", "role": "user", "content": question}] if chat else question
        value = SCORES[model][QUESTIONS.index(question)]
        return {"id": number, "epoch": 1, "input": said, "target": "x", "scores": {"match": {"value": value}}}

    samples = [sample(number, question) for number, question in enumerate(order, 1)]
    log = {"version": 2, "status": "success", "eval": {"task": task, "model": model}, "samples": samples}
    return f"{model}.json", json.dumps(log)


def deepeval(model: str, order: list[str]) -> tuple[str, str]:
    def case(number: int, question: str) -> dict[str, Any]:
        metric = {"name": "Relevancy", "score": SCORES[model][QUESTIONS.index(question)]}
        return {"name": f"test_case_{number}", "input": question, "metricsData": [metric]}

    return f"{model}.json", json.dumps({"testCases": [case(*numbered) for numbered in enumerate(order)]})


def records(model: str, order: list[str], key: str = "question") -> tuple[str, str]:
    scores = [SCORES[model][QUESTIONS.index(question)] for question in order]
    rows = [{"id": number, key: question} for number, question in enumerate(order)]
    return f"{model}.jsonl", lines(
        [{**row, "answer": model, "helpful": score} for row, score in zip(rows, scores, strict=True)]
    )


def table(model: str, order: list[str], header: str) -> tuple[str, str]:
    """A csv whose header names the columns; ``question`` stands for the text, other names of words for a word."""
    rows = []
    for number, question in enumerate(order):
        cells = {"run": model, "measure": "F1", "response": "A river.", "reference": "It."}
        score = SCORES[model][QUESTIONS.index(question)]
        names = header.split(",")
        ids = dict.fromkeys(("qid", "question_id"), str(number))
        texts = dict.fromkeys(("question", "query_text", "user_input"), question)
        rows.append(",".join((ids | texts | cells).get(name, str(score)) for name in names))
    return f"{model}.csv", "\n".join([header, *rows, ""])


FORMS: dict[str, tuple[Any, str, tuple[str, ...]]] = {  # the files of a model, the key that tells items apart, options
    "lm-eval": (lm_eval, "doc_hash", ("--recursive",)),
    "lm-eval without hashes": (lambda *of: lm_eval(*of, hashed=False), "doc", ("--recursive",)),
    "inspect_ai": (inspect, "input", ()),
    "inspect_ai, messages": (lambda *of: inspect(*of, chat=True), "input", ()),
    "deepeval": (deepeval, "input", ()),
    "records": (records, "question", ()),
    "records, prompts": (lambda *of: records(*of, key="prompt"), "prompt", ()),
    "ragas": (lambda *of: table(*of, "question_id,user_input,response,reference,faithfulness"), "user_input", ()),
    "long": (lambda *of: table(*of, "run,qid,question,measure,value"), "question", ("-m", "F1")),
    "wide": (lambda *of: table(*of, "qid,query_text,AP,RR"), "query_text", ("-m", "AP")),
}


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path("runs", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def pair(form: Any, orders: dict[str, list[str]] = ORDERS) -> None:
    write(dict(form(model, order) for model, order in orders.items()))


@pytest.mark.parametrize(("form", "key", "options"), FORMS.values(), ids=list(FORMS))
def test_the_same_id_with_another_item_is_an_error_whose_remedy_pairs_by_item(biasvar, form, key, options):
    pair(form)
    refused = biasvar("compare", "runs", *options)
    assert (refused.code, refused.out) == (1, "")
    said = refused.err.splitlines()[0]
    assert "2 of 8 queries are other items than in" in said
    assert "number 0" in said.replace("...", "Which river is ")
    assert "number 7" in said.replace("...", "Which river is ")
    assert said.endswith(f"pair by item with --id-column {key}")
    checked = biasvar("check", "runs", *(option for option in options if option == "--recursive"), "-f", "json")
    assert checked.code == 1
    assert "2 of 8 queries are other items" in checked.out
    rows = rows_of(biasvar("scores", "runs", *options, "--id-column", key, "-f", "csv"))
    by_run = {run: sorted(row["query_id"] for row in rows if row["run"] == run) for run in {row["run"] for row in rows}}
    assert len(set(map(tuple, by_run.values()))) == 1
    pairs = rows_of(
        biasvar("compare", "runs", *options, "--id-column", key, "--table", "pairs", "-f", "csv", "--quiet")
    )
    assert abs(float(pairs[0]["delta"])) == pytest.approx(0.25)  # beta is right on two items more, by hand


@pytest.mark.parametrize(("form", "key", "options"), FORMS.values(), ids=list(FORMS))
def test_the_same_items_are_read_as_before(biasvar, form, key, options):
    pair(form, dict.fromkeys(ORDERS, QUESTIONS))
    assert biasvar("compare", "runs", *options).code == 0


def test_two_tasks_are_other_items(biasvar):
    write(dict([inspect("alpha", QUESTIONS), inspect("beta", QUESTIONS, task="lakes")]))
    said = "(task of 1: rivers there, lakes here); give the results of one task, or pair by item with --id-column input"
    assert said in biasvar("compare", "runs").err
    assert biasvar("compare", "runs", "--id-column", "input").code == 0
    other = inspect("beta", QUESTIONS, task="lakes")[1].replace("river", "lake")
    write({"beta.json": other})
    assert biasvar("compare", "runs").err.endswith("lakes here); give the results of one task\n")
    name, text = lm_eval("beta", QUESTIONS)
    write(dict([lm_eval("alpha", QUESTIONS), (name, text.replace("river", "lake").replace('"h', '"l'))]))
    assert "they have no item in common" in biasvar("compare", "runs", "--recursive", "--glob", "samples_*").err


def test_an_item_that_an_id_has_twice_in_a_file_is_an_error(biasvar):
    text = "run,qid,question,measure,value\na,1,Who?,F1,1\nb,1,When?,F1,0\n"
    write({"f.csv": text})
    assert "f.csv:3: 1 is two items: question Who? before, When? here" in biasvar("scores", "runs").err
    write({"f.csv": text.replace("When?", " Who?")})
    assert biasvar("scores", "runs").code == 0


def mteb(splits: dict[str, Any] | None, revision: str = "r1") -> str:
    return json.dumps({"task_name": "T", "mteb_version": "2.20.0", "dataset_revision": revision, "scores": splits})


def subset(name: str = "default", **scores: Any) -> dict[str, Any]:
    return {"hf_subset": name, **(scores or {"main_score": 0.5})}


ONE = {"test": [subset()]}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (mteb(ONE, "r2"), "dataset_revision of T: r1 there, r2 here"),
        (mteb({"dev": [subset()]}), "splits and subsets of T: test/default there, dev/default here"),
        (mteb({"test": [subset(), subset("fr")]}), 'test/default there, "test/default, test/fr" here'),
    ],
)
def test_results_on_other_data_are_not_compared(biasvar, other, said):
    for model, text in (("a", mteb(ONE)), ("b", other)):
        write({f"{model}/external/T.json": text, f"{model}/external/U.json": mteb(ONE).replace('"T"', '"U"')})
    options = ("runs", "--recursive", "--unit", "task")
    refused = biasvar("compare", *options)
    assert refused.code == 1
    assert said in refused.err
    assert refused.err.endswith("or leave the task out with --exclude T.json\n")
    assert "other items" in "".join(biasvar("check", *options[:2], "-f", "json").out) or "another item" in refused.err
    assert biasvar("scores", *options, "--exclude", "T.json").code == 0


def test_long_texts_are_told_apart_by_what_differs(biasvar):
    long = ["Once upon a time. " * 40 + end for end in ("One", "Two")]
    for name, text in zip("ab", long, strict=True):
        write({f"{name}.jsonl": lines([{"id": 1, "question": text, "answer": "x", "helpful": 1}])})
    said = biasvar("compare", "runs").err
    assert fingerprint(long[0])[-14:] in said
    assert fingerprint(long[1])[-14:] in said


def test_dataframes_are_held_to_the_same():
    frame = pd.DataFrame({"run": ["a", "b"], "qid": ["1", "1"], "question": ["Who?", "When?"], "score": [1.0, 0.5]})
    with pytest.raises(DataError, match=r"row 2: 1 is two items: question Who\? before, When\? here"):
        bv.decompose(frame, null=False)
    assert len(bv.decompose(frame.assign(question="Who?"), null=False).frame()) == 2


def test_judges_of_other_items_are_not_compared(biasvar):
    for name, order in (("human", QUESTIONS), ("llm", ORDERS["beta"])):
        rows = [f"{run},{number},{text},F1,0.{number}" for run in "ab" for number, text in enumerate(order)]
        write({f"{name}.csv": "\n".join(["run,qid,question,measure,value", *rows, ""])})
    said = biasvar("judges", "runs/human.csv", "runs/llm.csv").err
    assert "llm: 2 of 8 queries are other items than in human (question of 0: " in said


# ---- what was not run is not 0

LEAVES_OUT = "evaluate the queries that all runs have with --topics intersection\n"


@pytest.mark.parametrize("form", ["lm-eval", "inspect_ai", "deepeval", "records", "ragas"])
def test_an_item_that_was_not_run_does_not_count_as_0(biasvar, form):
    make, _, options = FORMS[form]
    pair(make, {"alpha": QUESTIONS, "beta": QUESTIONS[:5]})  # as --limit 5 does
    refused = biasvar("compare", "runs", *options)
    assert (refused.code, refused.out) == (1, "")
    assert " on 3 queries (" in refused.err
    assert "what was not run does not count as 0" in refused.err
    assert LEAVES_OUT in refused.err
    rows = rows_of(biasvar("scores", "runs", *options, "--topics", "intersection", "-f", "csv"))
    assert len({row["query_id"] for row in rows}) == 5
    checked = biasvar("check", "runs", *options, "-f", "json")
    assert "has no score on 3 queries that other runs have" in checked.out


def test_leaderboards_of_judges_need_every_topic_and_those_of_rankings_count_0(biasvar):
    text = "a\tgrade\t1\t.5\na\tgrade\t2\t.5\nb\tgrade\t1\t.5\n"
    write({"leaderboard": text})
    assert biasvar("scores", "runs").err.endswith(LEAVES_OUT)
    assert len(rows_of(biasvar("scores", "runs", "--topics", "intersection", "-f", "csv"))) == 2
    write({"leaderboard": text.replace("grade", "map")})
    counted = biasvar("scores", "runs", "-f", "csv")
    assert counted.code == 0
    assert "no results for a query, scored 0" in counted.err


LACKING = {
    "null": {"match": {"value": None}},
    "nan": {"match": {"value": float("nan")}},
    "no key": {"other": {"value": 1.0}},
    "no value": {"match": {}},
    "no scores": None,
}


@pytest.mark.parametrize("scores", LACKING.values(), ids=list(LACKING))
def test_a_failed_sample_is_no_score_however_it_is_written(biasvar, scores):
    name, text = inspect("beta", QUESTIONS)
    log = json.loads(text)
    log["samples"][0]["scores"] = scores
    write(dict([inspect("alpha", QUESTIONS), (name, json.dumps(log))]))
    refused = biasvar("compare", "runs", "-m", "match")
    assert refused.code == 1
    assert "match of id 1 in epoch 1 " in refused.err
    assert "give every query a score; --topics intersection leaves out those without" in refused.err
    found = biasvar("scores", "runs", "-m", "match", "--topics", "intersection", "-f", "csv")
    assert len({row["query_id"] for row in rows_of(found)}) == 7
    assert "no score for a query, left out of all runs" in found.err


@pytest.mark.parametrize("splits", [None, {}, {"test": [subset(main_score=None)]}, {"test": [subset(ndcg_at_10=0.5)]}])
def test_a_task_without_a_main_score_is_no_score_however_it_is_written(biasvar, splits):
    for model, scores in (("a", ONE), ("b", splits)):
        write({f"{model}/external/T.json": mteb(scores), f"{model}/external/U.json": mteb(ONE).replace('"T"', '"U"')})
    options = ("scores", "runs", "--recursive", "--unit", "task")
    assert "main_score of task T is null, a hole; give every query a score; --topics" in biasvar(*options).err
    assert biasvar(*options, "--topics", "intersection").code == 0


def test_scores_of_nothing_but_0_are_a_warning(biasvar):
    write({"ap.csv": "AP,bm25,dead\n1,.5,0\n2,.25,0\n"})
    for command in (("decompose", "runs"), ("scores", "runs"), ("compare", "runs"), ("profile", "bm25", "runs")):
        assert "warning: scores of nothing but 0: in dead (AP)" in biasvar(*command).err, command
    assert "scores of nothing but 0: dead" in biasvar("check", "runs", "-f", "json").out
    write({"ap.csv": "1 Q0 a 1 2 dead\n", "qrels": "1 0 a 0\n1 0 b 1\n"})
    assert "scores of nothing but 0" in biasvar("check", "runs/ap.csv", "-q", "runs/qrels", "-f", "json").out


# ---- holes are judged after the measures are chosen

HOLED = {
    "ragas": "user_input,response,reference,faithfulness,relevancy\nWho?,Ann.,Ann,1,\nWhen?,1815.,1815,0,1\n",
    "wide": "qid,AP,RR\n1,1,\n2,0,1\n",
    "long": "run,qid,measure,value\na,1,AP,1\na,1,RR,NA\na,2,AP,0\na,2,RR,1\n",
    "records": lines([{"id": 1, "text": "x", "AP": 1, "RR": None}, {"id": 2, "text": "x", "AP": 0, "RR": 1}]),
    "deepeval": json.dumps(
        {
            "testCases": [
                {"name": "1", "metricsData": [{"name": "AP", "score": 1}, {"name": "RR", "score": None}]},
                {"name": "2", "metricsData": [{"name": "AP", "score": 0}, {"name": "RR", "score": 1}]},
            ]
        }
    ),
    "inspect_ai": json.dumps(
        {
            "status": "success",
            "eval": {"model": "a"},
            "samples": [
                {"id": 1, "epoch": 1, "input": "x", "scores": {"AP": {"value": 1}, "RR": {"value": None}}},
                {"id": 2, "epoch": 1, "input": "x", "scores": {"AP": {"value": 0}, "RR": {"value": 1}}},
            ],
        }
    ),
    "pytrec_eval": '{"1": {"map": 1, "recip_rank": null}, "2": {"map": 0, "recip_rank": 1}}',
    "trec_eval": "map\t1\t1\nmap\t2\t0\nmap\tall\t.5\nrecip_rank\t1\tnan\nrecip_rank\t2\t1\nrecip_rank\tall\t1\n",
    "ir_measures": lines(
        [
            {"query_id": q, "measure": m, "value": v}
            for q, m, v in zip("1122", ("AP", "RR") * 2, (1, None, 0, 1), strict=True)
        ]
    ),
}


@pytest.mark.parametrize("text", HOLED.values(), ids=list(HOLED))
def test_a_hole_in_a_measure_that_was_not_asked_for_stops_nothing(biasvar, text):
    write({"f": text})
    one, other = ("faithfulness", "relevancy") if "faithfulness" in text else ("AP", "RR")
    found = biasvar("scores", "runs", "-m", one, "-f", "csv", "--quiet")
    assert sorted(float(row["score"]) for row in rows_of(found)) == [0.0, 1.0]
    refused = biasvar("scores", "runs", "-m", other)
    assert refused.code == 1
    assert "--topics intersection leaves out those without" in refused.err
    left = rows_of(biasvar("scores", "runs", "-m", other, "--topics", "intersection", "-f", "csv", "--quiet"))
    assert [float(row["score"]) for row in left] == [1.0]


def test_zero_is_offered_for_rankings_and_not_for_judges(biasvar):
    write({"f": "qid,AP,helpful\n1,,1\n2,.5,\n"})
    assert "is empty; give every query a score, 0 if nothing was found;" in biasvar("scores", "runs", "-m", "AP").err
    assert "is empty; give every query a score; --topics" in biasvar("scores", "runs", "-m", "helpful").err


def test_a_hole_in_a_dataframe_is_named_by_its_row():
    frame = pd.DataFrame({"qid": ["1", "2"], "AP": [0.5, None], "RR": [0.5, 1.0]})
    assert len(bv.decompose(frame, measure="RR", target="perfect", null=False).frame()) == 1
    with pytest.raises(DataError, match="row 2: column AP is empty"):
        bv.decompose(frame, measure="AP", target="perfect", null=False)


# ---- what the harness has beside scores


def test_lists_of_log_likelihoods_are_said_to_be_no_scores(biasvar):
    name, text = lm_eval("alpha", QUESTIONS)
    lists = text.replace('["acc"]', '["word_perplexity"]').replace('"acc": ', '"word_perplexity": [-2.5, 40], "z": ')
    write({name: lists})
    why = "word_perplexity: lists, such as a log-likelihood and a weight, from which one figure is computed for all "
    said = f"the lm-evaluation-harness records have no scores ({why}samples together); add a key with a number to every"
    assert_refused(biasvar("scores", "runs", "--recursive"), 1, f"runs/{name}:1: {said}")


def test_a_perplexity_of_a_sample_is_a_log_likelihood(biasvar):
    for model in ORDERS:
        name, text = lm_eval(model, QUESTIONS)
        write({name: text.replace('"acc"', '"perplexity"').replace('perplexity": ', 'perplexity": -2.5, "z": ')})
    options = ("scores", "runs", "--recursive", "-f", "csv")
    assert {float(row["score"]) for row in rows_of(biasvar(*options))} == {-2.5}
    assert rows_of(biasvar(*options, "-m", "loglikelihood"))[0]["measure"] == "loglikelihood"
    assert "of which more is better; choose it with -m loglikelihood" in biasvar(*options, "-m", "perplexity").err


def test_judgments_of_fastchat_are_ratings_of_turns(biasvar):
    """A rating of -1 is one that could not be read; show_result.py leaves it out of the means."""
    base = {"judge": ["gpt-4", "single-v1"], "user_prompt": "p", "judgment": "[[7]]", "tstamp": 1.5}
    ratings = {("a", 1): 7.0, ("a", 2): -1, ("b", 1): 8.0, ("b", 2): 6.0}
    records = [{"question_id": 81, "model": m, **base, "score": s, "turn": t} for (m, t), s in ratings.items()]
    write({"judgment.jsonl": lines(records)})
    assert "score of question_id 81-turn2 is null, a hole" in biasvar("scores", "runs").err
    found = rows_of(biasvar("scores", "runs", "--topics", "intersection", "-f", "csv", "--quiet"))
    assert [(row["run"], row["query_id"], float(row["score"])) for row in found] == [
        ("a", "81-turn1", 7.0),
        ("b", "81-turn1", 8.0),
    ]
    write({"judgment.jsonl": lines([record for record in records if record["turn"] == 1])})
    assert [row["query_id"] for row in rows_of(biasvar("scores", "runs", "-f", "csv"))] == ["81", "81"]
