"""What evaluators of language models write, against their own aggregates, computed by hand here."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import rows_of

from biasvar_cli.readers.score_formats import EXAMPLES

LM_EVAL, RAGAS = "llama-3/samples_squad_2026-08-21T10-15-00.000000.jsonl", "ragas.csv"
MTEB = "e5-base/no_revision_available/SciFact.json"
HELM, EVERY_EVAL_EVER = "koala/per_instance_stats.json", "koala_samples.jsonl"
LIGHTEVAL = "details.jsonl"
FILES = (LM_EVAL, "inspect.json", "test_run.json", RAGAS, "answers.jsonl", HELM, EVERY_EVAL_EVER, LIGHTEVAL, MTEB)


def write(text: Any, name: str = "f") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text if isinstance(text, str) else json.dumps(text))


@pytest.fixture
def scores(biasvar, in_an_empty_folder):
    """The scores of a file, or of what was written before, {(run, query): score}, and what is said on stderr."""

    def call(text: Any, *options: object, name: str = "f") -> Any:
        if text is not None:
            write(text, name)
        result = biasvar("scores", name, "-f", "csv", *options)
        assert result.code == 0, result.err
        return {(row["run"], row["query_id"]): float(row["score"]) for row in rows_of(result)}, result.err

    return call


@pytest.fixture
def refused(biasvar, in_an_empty_folder):
    def call(text: Any, *options: object, name: str = "f") -> str:
        write(text, name)
        result = biasvar("scores", name, *options)
        assert (result.code, result.out) == (1, "")
        return result.err.removeprefix("biasvar: error: ")

    return call


def lm_eval(doc_id: int, **metrics: Any) -> dict[str, Any]:
    record = {"doc_id": doc_id, "doc": {"q": "Why?"}, "target": "42", "resps": [["42"]], "filtered_resps": ["42"]}
    return {**record, "filter": "none", "metrics": list(metrics), "doc_hash": "a0", **metrics}


def lines(*records: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


# ---- every format

OF_SAMPLES = [name for name in FILES if name != MTEB]
FAITHFUL = {RAGAS: ("-m", "faithfulness")}


def spoilt(name: str, score: str) -> str:
    """The example of a format with something else in place of its second score."""
    if name == RAGAS:
        return EXAMPLES[name].replace("1.0,0.75", f"{score},0.75")
    old, new = ('"value": "C"', '"value": ') if name == "inspect.json" else ('": 1.0}', '": ')
    assert old in EXAMPLES[name]
    return EXAMPLES[name].replace(old, f"{new}{score}" + "}" * old.count("}"))


@pytest.mark.parametrize("name", FILES)
def test_an_example_that_is_cut_off_is_refused_by_its_line(refused, name):
    text = EXAMPLES[name]
    cut = text[: text.rindex("1.0")] if name == RAGAS else text[: len(text.rstrip()) - 3]
    assert refused(cut + "\n" * (name == RAGAS)).startswith(f"f:{len(cut.splitlines())}: ")


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_a_score_that_is_none_is_refused_by_its_place(refused, name):
    message = refused(spoilt(name, "fine" if name == RAGAS else '"fine"'), *FAITHFUL.get(name, ()))
    place = {RAGAS: "f:3: ", LM_EVAL: "f:2: ", "answers.jsonl": "f:2: ", EVERY_EVAL_EVER: "f:2: ", HELM: "f:3: "}
    place[LIGHTEVAL] = "f:2: "
    place = place.get(name, "f: ")
    assert message.startswith(place)
    assert "fine is not a number" in message
    assert any(query in message for query in ("302", "When?"))


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_a_missing_score_is_refused_unless_the_query_may_be_left_out(refused, scores, name):
    missing = {RAGAS: "", "inspect.json": "NaN"}.get(name, "null")
    options = FAITHFUL.get(name, ())
    assert "--topics intersection leaves out those without" in refused(spoilt(name, missing), *options)
    assert list(scores(None, *options, "--topics", "intersection")[0].values()) == [0.5]


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_a_question_given_twice_is_refused(refused, name):
    new = {RAGAS: ("When?,", "Who wrote Emma?,")}.get(name, ("302", "301"))
    text = EXAMPLES[name].replace(*new).replace("When?", "Who?" if name != RAGAS else "When?")
    assert "is given twice" in refused(text, *FAITHFUL.get(name, ()))


# ---- lm-evaluation-harness: its results have the mean, "f1,none"


def test_metrics_are_those_that_a_sample_lists(scores):
    """By the aggregation `mean` of lm_eval/api/metrics.py, exact_match is (1 + 0) / 2."""
    text = lines(lm_eval(0, exact_match=1.0, f1=[1, 0]), lm_eval(1, exact_match=0.0, f1=[1, 1]))
    found, said = scores(text)
    assert found == {("f", "0"): 1.0, ("f", "1"): 0.0}
    assert sum(found.values()) / len(found) == 0.5
    assert said == ""


def test_a_filter_has_the_name_that_results_have(scores):
    strict = [{**lm_eval(doc, exact_match=value), "filter": "strict-match"} for doc, value in ((0, 1.0), (1, 0.0))]
    flexible = [{**lm_eval(doc, exact_match=1.0), "filter": "flexible-extract"} for doc in (0, 1)]
    for name, second in (("strict-match", 0.0), ("flexible-extract", 1.0)):
        found, _ = scores(lines(*strict, *flexible), "-m", f"exact_match,{name}")
        assert found == {("f", "0"): 1.0, ("f", "1"): second}


def test_samples_without_a_list_of_metrics_have_the_numbers(scores):
    """As 0.4.2 and 0.4.5 write them."""
    record = lm_eval(0, acc=1.0)
    del record["metrics"], record["filter"]
    assert scores(lines(record))[0] == {("f", "0"): 1.0}


def test_a_file_of_the_harness_has_the_name_of_its_folder(biasvar, scores):
    for model, day in (("a", 20), ("b", 21)):
        write(EXAMPLES[LM_EVAL], f"results/{model}/samples_squad_2026-08-{day}T10-15-00.000000.jsonl")
    write(EXAMPLES[LM_EVAL], "results/c/mine.jsonl")
    options = ("--recursive", "--quiet")
    assert {run for run, _ in scores(None, *options, name="results")[0]} == {"a", "b", "mine.jsonl"}
    by_path, _ = scores(None, *options, "--name-by", "path", name="results")
    assert ("a/samples_squad_2026-08-20T10-15-00.000000.jsonl", "301") in by_path
    write(EXAMPLES[LM_EVAL], "results/a/samples_arc_2026-08-21T10-15-00.000000.jsonl")
    assert "two runs are called a: " in biasvar("scores", "results", "--recursive").err


def test_averages_of_the_harness_name_the_files_of_samples(refused):
    message = refused({"results": {"squad": {"f1,none": 0.75}}, "configs": {}, "versions": {}, "n-shot": {}})
    assert "has averages only; give the files samples_TASK_DATE.jsonl" in message


# ---- inspect_ai: results have the mean over samples of the mean over epochs


def inspect(*values: Any, accuracy: float | None = None, epochs: int = 1, **log: Any) -> dict[str, Any]:
    samples = [
        {"id": at // epochs, "epoch": at % epochs + 1, "input": "?", "scores": {"match": {"value": value}}}
        for at, value in enumerate(values)
    ]
    metrics = {} if accuracy is None else {"accuracy": {"name": "accuracy", "value": accuracy}}
    results = {"scores": [{"name": "match", "scorer": "match", "reducer": "mean", "metrics": metrics}]}
    return {"status": "success", "eval": {"model": "m"}, "results": results, "samples": samples, **log}


def test_letters_and_words_are_the_numbers_of_value_to_float(scores):
    """C, P, I, N are 1, 0.5, 0, 0 in scorer/_metric.py: the accuracy is (1 + .5 + 0 + 0 + 1 + 1 + .25) / 7."""
    found, said = scores(inspect("C", "P", "I", "N", "yes", True, 0.25, accuracy=3.75 / 7))
    assert list(found.values()) == [1, 0.5, 0, 0, 1, 1, 0.25]
    assert said == ""


def test_epochs_are_replicates(biasvar, scores):
    """The mean over epochs is .5 on sample 0 and 1 on sample 1: the accuracy is .75."""
    found, said = scores(inspect("C", "I", "C", "C", accuracy=0.75, epochs=2))
    assert found == {("m-epoch1", "0"): 1, ("m-epoch1", "1"): 1, ("m-epoch2", "0"): 0, ("m-epoch2", "1"): 1}
    assert "is not the mean of its scores" not in said
    write(inspect("I", "I", "C", "I", epochs=2, eval={"model": "n"}), "g")
    result = biasvar("decompose", "f", "g", "--replicates", "-epoch[0-9]+", "-f", "csv", "--quiet")
    assert {row["run"]: float(row["mean"]) for row in rows_of(result)} == {"m": 0.75, "n": 0.25}


def test_a_mean_that_is_not_that_of_the_scores_is_a_warning(scores):
    _, said = scores(inspect("C", "I", accuracy=0.6))
    assert (
        "a mean in the file is not the mean of its scores: in f (match is 0.6, but its scores have the mean 0.5)"
        in said
    )


def test_a_scorer_with_several_values_has_a_measure_for_each(scores):
    log = inspect({"a": 1, "b": "I"}, {"a": 0, "b": "C"})
    assert scores(log, "-m", "match.a")[0] == {("m", "0"): 1, ("m", "1"): 0}
    assert scores(log, "-m", "match.b")[0] == {("m", "0"): 0, ("m", "1"): 1}


def test_samples_alone_are_runs_of_the_file(scores):
    samples = inspect("C", "I")["samples"]
    assert scores(lines(*samples))[0] == scores(samples)[0] == {("f", "0"): 1, ("f", "1"): 0}


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (inspect("C", samples=None), "without a model or samples"),
        (inspect("C", samples=[1]), "expected a record of inspect_ai with the key epoch"),
        (inspect("C", samples=[{"id": [1], "epoch": 1, "input": "", "scores": {}}]), "id should be a name or a number"),
        (inspect("C", eval={}), "without a model or samples"),
        (inspect([1, 2]), "the inspect_ai records have no scores"),
    ],
)
def test_a_log_that_is_none_is_refused(refused, log, message):
    assert message in refused(log)


def test_a_log_that_did_not_end_well_is_a_warning(scores):
    assert "a log whose status is error" in scores(inspect("C", "I", status="error"))[1]


# ---- deepeval: metricsScores lists the scores


def test_a_mean_of_deepeval_is_compared(scores):
    """The mean of the listed 0.5 and 1.0 is 0.75, that of the test cases in the second file 0.7."""
    text = EXAMPLES["test_run.json"]
    assert scores(text)[1] == ""
    _, said = scores(text.replace('"score": 0.5', '"score": 0.4'))
    assert "in f (Answer Relevancy is 0.75, but its scores have the mean 0.7)" in said


def test_conversations_are_test_cases_too(scores):
    run = json.loads(EXAMPLES["test_run.json"])
    run["conversationalTestCases"] = [{**case, "name": f"c{case['name']}", "turns": []} for case in run["testCases"]]
    assert list(scores(run)[0]) == [("f", "301"), ("f", "302"), ("f", "c301"), ("f", "c302")]
    assert list(scores({**run, "testCases": []})[0]) == [("f", "c301"), ("f", "c302")]


def test_less_is_better_of_a_share_of_faults(biasvar, in_an_empty_folder):
    Path("f").write_text(EXAMPLES["test_run.json"].replace("Answer Relevancy", "Hallucination"))
    (row,) = json.loads(biasvar("decompose", "f", "--target", "perfect", "-f", "json").out)["results"][0]["runs"]
    assert row["bias"] == 0.75  # above 0, the perfect score


# ---- ragas: its result prints the mean over questions


def ragas() -> pd.DataFrame:
    questions = {"user_input": ["Who?", "When,\nthen?"], "retrieved_contexts": [["a", "b"], []], "response": ["x", "7"]}
    return pd.DataFrame({**questions, "reference": ["x", "8"], "faithfulness": [0.5, 1.0], "bleu_score": [0, 1]})


WAYS = {
    "csv": lambda table: table.to_csv("f", index=False),
    "csv with row numbers": lambda table: table.to_csv("f"),
    "parquet": lambda table: table.to_parquet("f"),
    "json": lambda table: table.to_json("f", orient="records"),
    "json lines": lambda table: table.to_json("f", orient="records", lines=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_results_of_ragas_are_read_in_every_form(scores, way):
    """The mean of faithfulness, {'faithfulness': 0.7500}."""
    WAYS[way](ragas())
    expected = {("f", "Who?"): 0.5, ("f", "When, then?"): 1.0}
    assert scores(None, "-m", "faithfulness") == (expected, "")


def test_an_id_of_samples_is_preferred_to_the_question(scores):
    ragas().assign(sample_id=["s1", "s2"]).to_csv("f", index=False)
    assert list(scores(None, "-m", "bleu_score")[0]) == [("f", "s1"), ("f", "s2")]


def test_columns_of_ragas_0_1_are_known(scores):
    old = {"user_input": "question", "retrieved_contexts": "contexts", "response": "answer"}
    ragas().rename(columns={**old, "reference": "ground_truth"}).to_csv("f", index=False)
    assert len(scores(None, "-m", "faithfulness")[0]) == 2


# ---- other records


def test_a_column_of_runs_makes_runs(scores):
    records = [
        {"id": at, "model": model, "answer": "42", "right": model == "a", "n": at} for model in "ab" for at in (1, 2)
    ]
    expected = {("a", "1"): 1, ("a", "2"): 1, ("b", "1"): 0, ("b", "2"): 0}
    assert scores(lines(*records), "-m", "right")[0] == expected
    table = pd.DataFrame(records).assign(answer="text").to_csv(index=False)
    assert scores(table, "-m", "right")[0] == expected


def test_a_text_of_digits_is_no_score(scores):
    found, said = scores(lines({"id": 1, "answer": "42", "right": True}, {"id": 2, "answer": "43", "right": False}))
    assert (found, said) == ({("f", "1"): 1, ("f", "2"): 0}, "")


def test_records_of_numbers_alone_stay_a_matrix(scores):
    found, _ = scores(lines({"id": "q1", "bm25": 0.5}, {"id": "q2", "bm25": 1.0}))
    assert found == {("bm25", "q1"): 0.5, ("bm25", "q2"): 1.0}


# ---- mteb


def mteb(**splits: list[Any]) -> dict[str, Any]:
    entries = {split: [{"main_score": score, "hf_subset": "x"} for score in scores] for split, scores in splits.items()}
    return {"task_name": "T", "mteb_version": "2.20.0", "scores": entries}


@pytest.fixture
def results(in_an_empty_folder):
    """Two models on two tasks, one revision of each."""
    for folder, tasks in (("a/0123abc", {"T": 0.5, "U": 0.25}), ("b/main", {"T": 1.0, "U": 0.75})):
        write({"name": "x"}, f"results/{folder}/model_meta.json")
        for task, score in tasks.items():
            write({**mteb(test=[score]), "task_name": task}, f"results/{folder}/{task}.json")


def test_models_have_their_tasks(biasvar, scores, results):
    expected = {("a", "T"): 0.5, ("a", "U"): 0.25, ("b", "T"): 1.0, ("b", "U"): 0.75}
    assert scores(None, "--recursive", "--unit", "task", name="results") == (expected, "")
    assert biasvar("check", "results", "--recursive").code == 0
    assert biasvar("compare", "results", "--recursive", "--unit", "task", "-f", "csv").code == 0


def test_the_pool_may_have_parts_too(biasvar, results):
    (row,) = rows_of(biasvar("decompose", "results/a", "--pool", "results/b", "--recursive", "-f", "csv"))
    assert row["run"] == "a"
    assert float(row["bias"]) == pytest.approx(0.875 - 0.375)  # the best of both is b


def test_a_task_given_twice_is_refused(biasvar, scores, results):
    write(mteb(test=[0.75]), "results/a/89abcde/T.json")
    result = biasvar("scores", "results", "--recursive")
    assert (result.code, result.out) == (1, "")
    assert "a has scores on T in results/a/0123abc/T.json and in results/a/89abcde/T.json; leave one out" in result.err
    by_path = ("--recursive", "--name-by", "path", "--quiet")
    assert "run a/89abcde has no main_score on 1 query (U)" in biasvar("scores", "results", *by_path).err
    found, _ = scores(None, *by_path, "--topics", "intersection", name="results")
    assert {run for run, _ in found} == {"a/0123abc", "a/89abcde", "b/main"}


def test_a_task_has_the_mean_over_splits_and_subsets(scores):
    """As get_score of mteb/results/task_result.py: (0.5 + 0.25 + 0.75) / 3 = 0.5."""
    assert scores(mteb(test=[0.5, 0.25, 0.75]), name="m/main/T.json") == ({("main", "T"): 0.5}, "")
    found, said = scores(mteb(test=[0.5, 0.25], dev=[0.75]), name="m/external/T.json")
    assert found == {("m", "T"): 0.5}
    assert "tasks with several splits, whose mean is read: in m (1 task)" in said


def test_another_score_of_a_task_is_read_if_asked_for(scores):
    assert scores(EXAMPLES[MTEB], "-m", "map_at_10", name=MTEB)[0] == {("e5-base", "SciFact"): 0.45}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({**mteb(test=[0.5]), "scores": {"test": ["good"]}}, "expected {split: [{main_score: value}]} under scores"),
        ({**mteb(test=[0.5]), "scores": {"test": [{"accuracy": 0.5}]}}, "main_score of task T is null, a hole"),
        ({**mteb(test=[0.5]), "scores": {}}, "main_score of task T is null, a hole"),
        (mteb(test=[None]), "main_score of task T is null, a hole"),
        (mteb(test=["good", 0.5]), "main_score of task T: good is not a number"),
        ({"mteb_dataset_name": "T", "test": {"ap": 0.5}}, "results of mteb before 1.11"),
    ],
)  # fmt: skip
def test_a_result_that_is_none_is_refused(refused, result, message):
    assert message in refused(result, name="f/main/T.json")


# ---- logs in archives, instances


def log(name: str, files: dict[str, Any]) -> None:
    """A log of inspect_ai as it writes it since 0.3.46, with a file a sample."""
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, json.dumps(content, indent=1))


def parts(document: dict[str, Any]) -> dict[str, Any]:
    header = {key: value for key, value in document.items() if key != "samples"}
    samples = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in document["samples"]}
    return {"_journal/start.json": {"version": 2, "eval": document["eval"]}, **samples, "header.json": header}


def test_a_log_in_an_archive_is_read_as_its_json(biasvar, scores):
    document = json.loads(EXAMPLES["inspect.json"])
    expected, _ = scores(EXAMPLES["inspect.json"])
    log("a.eval", parts(document))
    assert scores(None, name="a.eval") == (expected, "")
    log("b.eval", {name: part for name, part in parts(document).items() if name != "header.json"})
    found, said = scores(None, name="b.eval")
    assert found == expected
    assert "a log whose status is started" in said
    data = Path("a.eval").read_bytes()
    for cut in (60, len(data) // 2, len(data) - 10):
        Path("c.eval").write_bytes(data[:cut])
        assert "c.eval: the log is cut off or damaged" in biasvar("scores", "c.eval").err
    at = data.index(b"samples/301_epoch_1.json") + 40  # in what is packed behind the name
    Path("c.eval").write_bytes(data[:at] + bytes(4) + data[at + 4 :])
    assert "c.eval: the log is cut off or damaged" in biasvar("scores", "c.eval").err
    assert "holds more than 64 bytes" in biasvar("scores", "a.eval", "--max-size", "64").err
    log("d.eval", {"../../evil.json": {}})
    assert "a ZIP archive (unpack it first" in biasvar("scores", "d.eval").err
    assert sorted(path.name for path in Path().iterdir()) == ["a.eval", "b.eval", "c.eval", "d.eval", "f"]


def test_perturbed_instances_of_helm_are_left_out_and_trials_are_runs(scores):
    first, second = json.loads(EXAMPLES[HELM])
    perturbed = {**first, "perturbation": {"name": "typos"}}
    assert scores([first, perturbed, second], name=HELM)[0] == {("koala", "301"): 0.5, ("koala", "302"): 1.0}
    Path(HELM).unlink()
    Path(f"{HELM}.gz").write_bytes(gzip.compress(json.dumps([first, second]).encode()))
    assert scores(None, name=f"{HELM}.gz")[0] == {("koala", "301"): 0.5, ("koala", "302"): 1.0}
    again = [{**one, "train_trial_index": 1} for one in (first, second)]
    assert set(scores([first, second, *again], name=HELM)[0]) == {
        (f"koala-epoch{trial}", query) for trial in (0, 1) for query in ("301", "302")
    }


def test_instances_are_told_apart_by_what_was_asked_and_by_the_evaluation(biasvar, refused):
    text = EXAMPLES[EVERY_EVAL_EVER]
    write(text)
    write(text.replace("koala", "emu").replace("Who?", "Where?"), "g")
    assert (
        "1 of 2 queries is another item than in f (input of 301: Who? there, Where? here)"
        in biasvar("compare", "f", "g").err
    )
    shown = text.replace("koala", "emu").replace('"raw": "Who?"', '"raw": "Who?", "formatted": "<user> Who?"')
    write(shown, "g")
    assert biasvar("scores", "f", "g").code == 0
    both = text + text.replace('"rivers"', '"lakes"')
    assert "301 is two items: evaluation_name rivers before, lakes here; give the results of one" in refused(both)


# ---- lighteval: its results_DATE.json have the mean of a metric over the samples


def details(version: str) -> list[dict[str, Any]]:
    """Three samples as lighteval 0.13, 0.8 to 0.12 and 0.7 have them; em is 1, 0 and 1, so that results have 2/3."""
    rows = []
    for number, em in enumerate((1, 0, 1)):
        doc = {"id": f"{number}", "query": f"q{number}", "task_name": "squad", "choices": ["a"], "gold_index": [0]}
        metric, response = {"em": em, "f1": em / 2, "perplexity": {"logprobs": [0.5]}}, {"text": ["a"]}
        if version == "0.7":
            rows.append(
                {"example": doc["query"], "full_prompt": "p", "gold": ["a"], "metrics": metric, "choices": ["a"]}
            )
        else:
            row = {"doc": doc, "metric": metric, "model_response": response}
            rows.append({f"__{key}__": value for key, value in row.items()} if version == "0.12" else row)
    return rows


@pytest.mark.parametrize("version", ["0.13", "0.12", "0.7"])
@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_details_of_lighteval_are_read_in_every_layout(biasvar, in_an_empty_folder, version, suffix):
    day = "2026-05-01T10-00-00.000000"
    path = Path(f"details/org/koala/{day}/details_squad|0_{day}{suffix}")
    path.parent.mkdir(parents=True)
    rows = details(version)
    pq.write_table(pa.Table.from_pylist(rows), path) if suffix == ".parquet" else path.write_text(lines(*rows))
    read = rows_of(biasvar("scores", path, "-m", "em", "-f", "csv"))
    queries = [f"q{number}" if version == "0.7" else f"{number}" for number in range(3)]
    assert [(row["run"], row["query_id"], float(row["score"])) for row in read] == [
        ("koala", query, em) for query, em in zip(queries, (1, 0, 1), strict=True)
    ]
    assert sum(float(row["score"]) for row in read) / 3 == pytest.approx(2 / 3)
    assert "choose with -m: em, f1" in biasvar("scores", path).err


def test_judgments_of_pairs_are_refused(refused):
    pair = {"question_id": 81, "model_1": "a", "model_2": "b", "g1_winner": "model_1", "turn": 1, "tstamp": 1.5}
    assert "judgments of pairs have no score for a model" in refused(lines(pair))


def test_several_tasks_of_a_model_are_read_one_at_a_time(biasvar, in_an_empty_folder):
    for model in ("koala", "emu"):
        for task in ("squad", "gsm"):
            path = Path(f"{model}/details_{task}_2026-05-01T10-00-00.jsonl")
            path.parent.mkdir(exist_ok=True)
            path.write_text(lines(*details("0.13")))
    refused = biasvar("compare", ".", "--recursive", "-m", "em").err
    assert "give the folder and --glob 'details_squad_*'" in refused
    typed = ("compare", ".", "--recursive", "-m", "em", "--glob", "details_squad_*")
    assert "em of 2 runs on 3 queries" in biasvar(*typed).out


def test_details_of_lighteval_that_are_wrong_are_refused_by_their_line(biasvar, in_an_empty_folder):
    def refusal(rows: list[dict[str, Any]], cut: int | None = None, name: str = "d.parquet") -> str:
        pq.write_table(pa.Table.from_pylist(rows), "d.parquet")
        Path("d.parquet").write_bytes(Path("d.parquet").read_bytes()[:cut])
        return biasvar("scores", name, "-m", "em").err

    one, two, three = details("0.13")
    assert "d.parquet: the Parquet file is cut off or damaged" in refusal([one, two, three], -40)
    assert "d.parquet:2: expected a record of lighteval with the key" in refusal([one, {**two, "doc": None}, three])
    assert "em of id 1 is null" in refusal([one, {**two, "metric": {"em": None, "f1": 1.0}}, three])
    again = {**three, "doc": {**three["doc"], "id": "1"}}
    assert "d.parquet:3: 1 is two items: query q1 before, q2 here" in refusal([one, two, again])
    write({"config_general": {}, "results": {"squad|0": {"em": 2 / 3}}, "versions": {}}, "results.json")
    assert "has averages only; give details_TASK_DATE.parquet" in biasvar("scores", "results.json").err


def test_an_object_of_metrics_beside_an_id_has_scores(scores):
    table = pa.table({"id": ["a", "b"], "text": ["x", "y"], "metrics": [{"em": 0.5}, {"em": 1.0}], "judge": [0.25, 1]})
    pq.write_table(table, "f")
    assert list(scores(None, "-m", "em")[0].values()) == [0.5, 1]
    assert list(scores(None, "-m", "judge")[0].values()) == [0.25, 1]


def test_predictions_of_mteb_are_a_run_of_the_model(biasvar, in_an_empty_folder):
    """By hand: the relevant document is at rank 2 of topic 1 and at rank 1 of topic 2."""
    of_topics = {"1": {"a": 0.5, "b": 0.25}, "2": {"b": 1, "a": 0}}
    predictions = {"mteb_model_meta": {"model_name": "org/e5", "revision": "r"}, "default": {"test": of_topics}}
    write(predictions, "SciFact_predictions.json")
    write("1 0 b 1\n2 0 b 1\n", "qrels")
    command = ("scores", "SciFact_predictions.json", "-q", "qrels", "-m", "RR", "--name-by", "tag", "-f", "csv")
    rows = rows_of(biasvar(*command))
    assert [(row["run"], float(row["score"])) for row in rows] == [("org/e5", 0.5), ("org/e5", 1.0)]
    for wrong in ({"default": {"test": of_topics, "dev": of_topics}}, {"default": {}}, {"default": {"test": [1]}}):
        write({"mteb_model_meta": {}, **wrong}, "SciFact_predictions.json")
        said = biasvar(*command).err
        assert "SciFact_predictions.json: predictions of mteb should have the results of one subset and split" in said
