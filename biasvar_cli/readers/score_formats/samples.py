"""The output of evaluators of language models, in JSON or as a table with a row for each question.

The programs are lm-evaluation-harness, inspect_ai, HELM, lighteval, Every Eval Ever, FastChat, deepeval, ragas and
mteb; `programs` has their keys. A sample is the answer of one run to one question, with its scores; numbers in JSON are
`text.Number`. A mean that a program prints is compared with the scores. The module is long because all programs share
the making of scores from samples.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.items import Facts, fingerprint, item_name, items_of
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import is_item
from biasvar_cli.readers.score_formats.programs import (
    DEEPEVAL,
    EVERY_EVAL_EVER,
    HELM,
    INSPECT,
    LIGHTEVAL,
    LM_EVAL,
    QUESTIONS,
    SampleColumns,
    below,
    columns_of,
    list_of,
    of_lighteval,
)
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import Cells, ScoreOptions, TableFormat
from biasvar_cli.readers.sources import is_url, run_name
from biasvar_cli.readers.text import NUMBER, Number, is_hole, quoted, value_text
from biasvar_cli.words import argument, examples

_Numbered = tuple[int | None, Any]  # a record with the number of its line

# CORRECT, PARTIAL, INCORRECT and NOANSWER, and other words that value_to_float accepts (inspect_ai, scorer/_metric.py)
_GRADES = {"c": "1", "p": "0.5", "i": "0", "n": "0", "yes": "1", "true": "1", "no": "0", "false": "0"}


class _Sample(NamedTuple):
    """A record: the ids of its run, epoch, query and turn, "" for one that it lacks, its scores, and its item."""

    line: int | None
    run: str
    epoch: str
    query: str
    turn: str
    scores: dict[str, Any]
    facts: Facts


def _scores_of_samples(
    samples: Sequence[_Numbered],
    columns: SampleColumns,
    path: str,
    options: ScoreOptions,
    run: str = "",
    *,
    by_file: bool = True,
    facts: Facts = MappingProxyType({}),
) -> ScoreFile:
    """The scores in the records of a program; the run is called ``run``, by default by the name of the file.

    ``facts`` are facts about all items. ``by_file`` is false for a file that names its run. Several epochs become runs
    RUN-epoch1, RUN-epoch2 and so on. ``--id-column`` names another key for the question.

    A column is a measure if at least half of its values are numbers. Other columns are left out, with an oddity if they
    have some numbers. Raises `DataError` for a record that lacks a needed key, and for any other value of a measure.

    >>> samples = [(1, {"id": "301", "answer": "no", "judge": Number("0.5")})]
    >>> file = _scores_of_samples(samples, columns_of(samples[0][1]), "llama.jsonl", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('llama.jsonl',), ('judge',), ('301',), [[[0.5]]])
    """
    key = options.id_column
    if key is not None and key != "none" and key != columns.query:
        columns, facts = columns.of_ids(key), {}
        samples = [(line, _with_id(line, record, key, path)) for line, record in samples]
    parsed = [_sample(line, record, columns, path) for line, record in samples]
    if len({sample.turn for sample in parsed}) > 1:
        parsed = [sample._replace(query=f"{sample.query}-turn{sample.turn}") for sample in parsed]
    items = items_of(((sample.line, sample.query, {**facts, **sample.facts}) for sample in parsed), path)
    measures, left_out = {}, []
    for name in dict.fromkeys(name for sample in parsed for name in sample.scores):
        values = [value for sample in parsed if (value := sample.scores.get(name)) is not None]
        if 0 < 2 * sum(_score(value, columns) is not None for value in values) >= len(values):
            measures[name] = canonical(name)
        elif any(isinstance(value, Number | bool) for value in values):
            left_out.append(name)
    if not measures or ("loglikelihood" in measures and "perplexity" in options.measures):
        raise DataError(_no_scores(columns, parsed, measures), path=path, line=parsed[0].line if parsed else None)
    has_epochs = len({sample.epoch for sample in parsed}) > 1
    questions: dict[tuple[str, str], tuple[int | None, str]] = {}
    scored: set[tuple[str, str, str]] = set()

    def records() -> Iterator[Record]:
        for line, sample_run, epoch, query, _, scores, _ in parsed:
            run_of_sample = f"{sample_run or run or run_name(path)}{f'-epoch{epoch}' if has_epochs else ''}"
            place = f"of {columns.query} {quoted(query)}" + (f" in epoch {epoch}" if epoch else "")
            for name, value in scores.items():
                if name in measures:
                    text = _score(value, columns) or value_text(value)
                    yield Record(line, run_of_sample, measures[name], query, text, f"{quoted(name)} {place}")
                    scored.add((run_of_sample, query, name))
            questions.setdefault((run_of_sample, query), (line, place))
        for (run_of_sample, query), (line, place) in questions.items():
            for name in measures:
                if (run_of_sample, query, name) not in scored:
                    yield Record(line, run_of_sample, measures[name], query, "", f"{quoted(name)} {place}")

    remedy = "keep one, or add a key called run that tells them apart"
    layout = layout_of(records(), path, remedy)
    what = "columns left out, in which most values are not numbers"
    oddities = [Oddity(what, path, 0, examples(left_out), "file")] if left_out else []
    file_is_run = by_file and not (columns.run or has_epochs)
    file = options.assemble(layout, runs_named=not file_is_run, oddities=oddities)
    return replace(file, absent_is_zero=False, items=items)


def _no_scores(columns: SampleColumns, samples: Sequence[_Sample], measures: Mapping[str, str]) -> str:
    """The error for samples without scores, or without the wanted ones, with the remedy."""
    if measures:
        remedy = f"choose it with {argument(measure='loglikelihood')}"
        return f"the perplexity of a sample is its log-likelihood, of which more is better; {remedy}"
    what = f"the {columns.program} records have no scores"
    scores = samples[0].scores if samples else {}
    lists = [name for name, value in scores.items() if isinstance(value, list)]
    if lists:
        reason = f"{examples(lists)}: lists, such as a log-likelihood and a weight, from which one figure is computed"
        remedy = "add a key with a number to every sample and to its list of metrics"
        return f"{what} ({reason} for all samples together); {remedy}"
    texts = {name: value for name, value in scores.items() if isinstance(value, str)}
    first = [f"{quoted(name)} is the text {quoted(texts[name])}" for name in texts if name not in columns.items]
    return f"{what} ({examples(first)})" if first else what


def _with_id(line: int | None, record: Any, key: str, path: str) -> Any:
    """The record with a value that can be an id under this key. Raises `DataError` for a record without the key."""
    if not isinstance(record, dict) or not record.get(key):
        keys = examples(list(record), 8) if isinstance(record, dict) else quoted(value_text(record))
        what = f"expected a record with the key {quoted(key)}, found {keys}"
        raise DataError(f"{what}; name another with {argument('id_column')}", path=path, line=line)
    return {**record, key: fingerprint(record[key])}


def _sample(line: int | None, record: Any, columns: SampleColumns, path: str) -> _Sample:
    """The sample in a record. Raises `DataError` for a missing key, and for an id that is neither text nor a number."""
    lacking = [key for key in sorted(columns.needed) if not isinstance(record, dict) or key not in record]
    if lacking:
        what = f"expected a record of {columns.program} with the key {quoted(lacking[0])}"
        raise DataError(f"{what}, like the first; found {quoted(value_text(record))}", path=path, line=line)
    keys, ids = (columns.run, columns.epoch, columns.query, columns.turn), []
    for key in keys:
        name = record.get(key) if key else ""
        if not isinstance(name, str) or (key and not name.strip()):
            what = f"{key} should be a name or a number, found {quoted(value_text(name))}"
            raise DataError(what, path=path, line=line)
        ids.append(" ".join(name.split()))
    scores: dict[str, Any] = {}
    for name, value in columns.scores(record):
        if name in scores:
            what = f"{quoted(name)} of {columns.query} {quoted(ids[2])} is given twice; keep one"
            raise DataError(what, path=path, line=line)
        if name not in keys and name not in columns.text:
            scores[name] = value
    run, epoch, query, turn = ids
    return _Sample(line, run, epoch, query, turn, scores, columns.facts(record))


def _score(value: Any, columns: SampleColumns) -> str | None:
    """A number, truth value or grade as the text of a number; None for any other value."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, Number):
        return value
    if not columns.graded or not isinstance(value, str):
        return None
    return value if NUMBER.fullmatch(value) else _GRADES.get(value.lower())


_LM_EVAL_FILE = re.compile(r"samples_.+_\d{4}-\d\d-\d\dT.*\.jsonl(\.\w+)?")
_LIGHTEVAL_FILE, _DATE = re.compile(r"details_.+_\d{4}-\d\d-\d\dT.*"), re.compile(r"\d{4}-\d\d-\d\dT")
_TASK = re.compile(r"((?:samples|details)_.+_)\d{4}-\d\d-\d\dT")
_HELM_FILE = "per_instance_stats.json"
_REVISION = re.compile(r"[0-9a-f]{7,40}|no_revision_available|external|\d+")
_MTEB = {"scores", "mteb_version", "dataset_revision"}
_KEYS_OF_PAIRS = (  # in judgments of pairs: FastChat, AlpacaEval
    {"model_1", "model_2", "g1_winner"},
    {"generator_1", "generator_2", "output_1", "output_2"},
)
_TOLERANCE = 1e-6  # relative and absolute, of a printed mean


def of_records(records: Sequence[_Numbered], path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores in records, in a list or one a line; None if the first record is not a sample.

    A run has the name of its model's folder if the file has the name that its program gives: samples_TASK_DATE.jsonl of
    lm-evaluation-harness, per_instance_stats.json of HELM, MODEL/DATE/details_TASK_DATE.parquet of lighteval.
    """
    first = of_lighteval(records[0][1]) if records else None
    if isinstance(first, dict) and any(keys <= set(first) for keys in _KEYS_OF_PAIRS):
        single = " such as JUDGE_single.jsonl" if "g1_winner" in first else ""
        what = f"judgments of pairs have no score for a model; give judgments of single answers{single}"
        raise DataError(what, path=path)
    if isinstance(first, dict) and {"name", "count", "mean"} <= set(first) and isinstance(first["name"], dict):
        remedy = f"the scores of instances are in {_HELM_FILE} beside it: {argument(glob=_HELM_FILE)}"
        raise DataError(f"statistics of HELM, which are averages only; {remedy}", path=path)
    columns = columns_of(first) if isinstance(first, dict) and options.orient is None else None
    if columns is None:
        return None
    if columns is LIGHTEVAL:
        records = [(line, of_lighteval(record)) for line, record in records]
    if columns is HELM:  # each perturbation of an instance has a further record
        records = [(line, record) for line, record in records if not below(record, "perturbation")]
    if columns is EVERY_EVAL_EVER:  # only the raw input is the same for all models
        records = [
            (line, {**record, "input": below(record, "input", "raw")} if isinstance(record, dict) else record)
            for line, record in records
        ]
    name = run_name(path)
    folder, model = _folder(path), ""
    if (columns is LM_EVAL and _LM_EVAL_FILE.fullmatch(name)) or (columns is HELM and name == _HELM_FILE):
        model = folder.name
    elif columns is LIGHTEVAL and _LIGHTEVAL_FILE.fullmatch(name):
        model = folder.parent.name if _DATE.match(folder.name) else folder.name
    return _scores_of_samples(records, columns, path, options, model)


def files_of_task(path: str) -> str | None:
    """The pattern of all models' files for the task of this file; None for a file with any other name.

    >>> files_of_task("llama-3/samples_squad_2026-08-21T10-15-00.000000.jsonl"), files_of_task("squad.jsonl")
    ('samples_squad_*', None)
    """
    match = _TASK.match(Path(path).name)
    return f"{match[1]}*" if match else None


def of_document(document: Mapping[str, Any], path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores in a JSON object of one of the programs; None for any other object."""
    if {"eval", "status"} <= set(document):
        return _inspect_log(document, path, options)
    if "testCases" in document:
        return _deepeval_run(document, path, options)
    if ("task_name" in document and _MTEB & set(document)) or "mteb_dataset_name" in document:
        return _mteb_task(document, path, options)
    if {"results", "config_general", "versions"} <= set(document):
        what = "has averages only; give details_TASK_DATE.parquet, which lighteval writes if told to save details"
        raise DataError(what, path=path)
    if {"results", "configs", "n-shot"} <= set(document):
        what = "has averages only; give the files samples_TASK_DATE.jsonl that lm-evaluation-harness writes with"
        raise DataError(f"{what} --log_samples", path=path)
    return None


def _inspect_log(document: Mapping[str, Any], path: str, options: ScoreOptions) -> ScoreFile:
    """The scores in a log of inspect_ai; the run is the model."""
    samples, spec = document.get("samples"), document["eval"]
    model = spec.get("model") if isinstance(spec, dict) else None
    if not isinstance(samples, list) or not samples or not isinstance(model, str):
        remedy = "give the whole output of inspect log dump"
        raise DataError(f"a log of inspect_ai without a model or samples; {remedy}", path=path)
    records, task = [(None, sample) for sample in samples], spec.get("task")
    facts = {"task": task} if isinstance(task, str) else {}
    file = _scores_of_samples(records, INSPECT, path, options, model, by_file=False, facts=facts)
    file = replace(file, model=model)
    if document["status"] != "success":
        what = f"a log whose status is {quoted(value_text(document['status']))}"
        file = replace(file, oddities=(*file.oddities, Oddity(what, path, 0, "the evaluation did not end", "file")))
    means: dict[str, Any] = {}
    for score in list_of(below(document, "results", "scores")):
        metrics = [below(score, "metrics", name, "value") for name in ("accuracy", "mean")]
        if below(score, "reducer") in (None, "mean"):
            means[value_text(below(score, "name"))] = next((mean for mean in metrics if mean is not None), None)
    return _compared(file, means)


def _deepeval_run(document: Mapping[str, Any], path: str, options: ScoreOptions) -> ScoreFile:
    """The scores in a test run of deepeval; its test cases, conversations too, are queries called by their names."""
    cases = [case for key in ("testCases", "conversationalTestCases") for case in list_of(document.get(key))]
    if not cases:
        raise DataError("a test run of deepeval without test cases", path=path)
    file = _scores_of_samples([(None, case) for case in cases], DEEPEVAL, path, options)
    means: dict[str, Any] = {}
    for metric in list_of(document.get("metricsScores")):
        scores: list[str] = [value_text(score) for score in list_of(below(metric, "scores"))]
        if scores and all(map(NUMBER.fullmatch, scores)):
            means[value_text(below(metric, "metric"))] = _mean(scores)
    return _compared(file, means)


def _mteb_task(document: Mapping[str, Any], path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of a model on one task, which is a query of the model's run.

    The score is the mean over splits and subsets, as in mteb's `TaskResult.get_score`.
    """
    if "task_name" not in document:
        raise DataError("results of mteb before 1.11 have no main scores; load and save them with mteb", path=path)
    scores = document.get("scores") or {}
    entries = [entry for split in scores.values() for entry in list_of(split)] if isinstance(scores, dict) else [scores]
    if not all(isinstance(entry, dict) for entry in entries):
        raise DataError("expected {split: [{main_score: value}]} under scores, as mteb writes", path=path)
    task, entries = value_text(document["task_name"]), entries or [{}]
    names = [name for name in entries[0] if all(isinstance(entry.get(name), Number) for entry in entries)]
    records = []
    for name in dict.fromkeys(("main_score", *names)):
        values = [value_text(entry.get(name)) for entry in entries]
        wrong = [value for value in values if not NUMBER.fullmatch(value)]
        mean = (wrong or values)[0] if wrong or len(values) == 1 else _mean(values)
        records.append(Record(None, _model(path), canonical(name), task, mean, f"{name} of task {quoted(task)}"))
    oddities = []
    if len(scores) > 1:
        oddities.append(Oddity("tasks with several splits, whose mean is read", _model(path), 1, "task"))
    file = options.assemble(layout_of(records, path), oddities=oddities)
    others = tuple(str(name) for name in file.measures if name != "main_score")
    pairs = [(split, entry) for split, entries_of_split in scores.items() for entry in list_of(entries_of_split)]
    parts = [f"{split}/{value_text(below(entry, 'hf_subset'))}" for split, entry in pairs]
    facts = {"splits and subsets": fingerprint(", ".join(sorted(parts)))} if parts else {}
    revision = document.get("dataset_revision")
    if isinstance(revision, str):
        facts["dataset_revision"] = revision
    return replace(file, others=others, is_part=True, absent_is_zero=False, items={task: facts})


def of_cells(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores in a table with a row for each question, such as ragas' ``result.to_pandas().to_csv(...)``."""
    samples = [(line, dict(zip(table.header, map(_value, cells), strict=True))) for line, cells in table.rows]
    columns = columns_of(samples[0][1])
    assert columns is not None
    return _scores_of_samples(samples, columns, table.path, options)


def _are_samples(table: Cells, options: ScoreOptions) -> bool:
    """Whether the rows of a table are samples; False unless they are in a list."""
    if options.orient is not None or not may_be_samples(table):
        return False
    if options.id_column not in (None, item_name(table.header)):
        return False
    cells = [] if not isinstance(table.rows, list) or not table.rows else table.rows[0][1]
    first = dict(zip(table.header, map(_value, cells), strict=False))
    return len(set(table.header)) == len(first) and columns_of(first) is not None


def may_be_samples(table: Cells) -> bool:
    """Whether the header of a table has items or questions, so that its rows may be samples.

    >>> may_be_samples(Cells("f", 1, ["sample_id", "judge"], [])), may_be_samples(Cells("f", 1, ["topic", "bm25"], []))
    (True, False)
    """
    return any(is_item(name) or name in QUESTIONS for name in table.header)


def _value(cell: str) -> Any:
    """The value of a cell, as in JSON."""
    if is_hole(cell):
        return None
    return Number(cell) if NUMBER.fullmatch(cell) else {"true": True, "false": False}.get(cell.lower(), cell)


def _mean(numbers: Sequence[str]) -> str:
    return repr(math.fsum(map(float, numbers)) / len(numbers))


def _folder(path: str) -> Path:
    """The folder that a file is in."""
    return Path(path if is_url(path) else os.path.abspath(path)).parent  # noqa: PTH100


def _model(path: str) -> str:
    """The model of a result of mteb: the folder above the revision, MODEL/REVISION/TASK.json, or MODEL/TASK.json."""
    folder = _folder(path)
    has_revision = _REVISION.fullmatch(folder.name) or (not is_url(path) and (folder / "model_meta.json").exists())
    model = folder.parent.name if has_revision else folder.name
    if not model:
        raise DataError("no folder names the model; mteb writes MODEL/REVISION/TASK.json", path=path)
    return model


def _compared(file: ScoreFile, means: Mapping[str, Any]) -> ScoreFile:
    """The file, with an oddity for each printed mean that differs from the mean of the scores."""
    oddities = []
    for name, mean in means.items():
        if not isinstance(mean, str) or not NUMBER.fullmatch(mean) or canonical(name) not in file.measures:
            continue
        values = file.values[:, file.measures.index(canonical(name))]
        scored = values[:, ~np.isnan(values).all(axis=0)]
        if not scored.size:
            continue
        computed = float(np.nanmean(np.nanmean(scored, axis=0)))
        if not math.isclose(float(mean), computed, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            difference = f"{quoted(name)} is {float(mean):.6g}, but its scores have the mean {computed:.6g}"
            oddities.append(
                Oddity("a mean in the file is not the mean of its scores", file.path, 0, difference, "file")
            )
    return replace(file, oddities=(*file.oddities, *oddities))


TABLE = TableFormat(
    _are_samples,
    of_cells,
    {
        "ragas.csv": "user_input,response,reference,faithfulness,answer_relevancy\n"
        'Who wrote Emma?,Jane Austen.,Jane Austen,0.5,1.0\nWhen?,"In 1815, in London.",1815,1.0,0.75\n'
    },
)
EXAMPLES = {
    "koala_samples.jsonl": "".join(
        f'{{"schema_version": "0.2.1", "evaluation_id": "rivers/koala/1", "model_id": "org/koala", "evaluation_name": '
        f'"rivers", "sample_id": "{query}", "interaction_type": "single_turn", "input": {{"raw": "{raw}", "reference": '
        f'["x"]}}, "output": {{"raw": ["x"]}}, "answer_attribution": [], "evaluation": {{"is_correct": true, "score": '
        f"{score}}}}}\n"
        for query, raw, score in ((301, "Who?", 0.5), (302, "When?", 1.0))
    ),
    "koala/per_instance_stats.json": """\
[
  {"instance_id": "301", "train_trial_index": 0, "stats": [{"name": {"name": "f1", "split": "test"}, "mean": 0.5}]},
  {"instance_id": "302", "train_trial_index": 0, "stats": [{"name": {"name": "f1", "split": "test"}, "mean": 1.0}]}
]
""",
    "details.jsonl": "".join(
        f'{{"doc": {{"id": "{query}", "query": "{text}", "choices": ["x"], "gold_index": 0, "task_name": "squad"}}, '
        f'"metric": {{"f1": {f1}}}, "model_response": {{"text": ["x"]}}}}\n'
        for query, text, f1 in ((301, "Who?", 0.5), (302, "When?", 1.0))
    ),
    "llama-3/samples_squad_2026-08-21T10-15-00.000000.jsonl": "".join(
        f'{{"doc_id": {query}, "doc": {{"question": "Who?"}}, "target": "{target}", "resps": [["42"]], '
        f'"filtered_resps": ["42"], "filter": "none", "metrics": ["f1"], "f1": {f1}}}\n'
        for query, target, f1 in ((301, "42 men", 0.5), (302, "42", 1.0))
    ),
    "inspect.json": """\
{
  "version": 2,
  "status": "success",
  "eval": {"task": "trivia", "model": "openai/gpt-4o"},
  "results": {
    "scores": [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.75}}}]
  },
  "samples": [
    {"id": 301, "epoch": 1, "input": "Who?", "target": "Ann", "scores": {"match": {"value": "P", "answer": "Anna"}}},
    {"id": 302, "epoch": 1, "input": "When?", "target": "1815", "scores": {"match": {"value": "C", "answer": "1815"}}}
  ]
}
""",
    "test_run.json": """\
{
  "testCases": [
    {"name": "301", "input": "Who?", "metricsData": [{"name": "Answer Relevancy", "success": true, "score": 0.5}]},
    {"name": "302", "input": "When?", "metricsData": [{"name": "Answer Relevancy", "success": true, "score": 1.0}]}
  ],
  "metricsScores": [{"metric": "Answer Relevancy", "scores": [0.5, 1.0], "passes": 2, "fails": 0, "errors": 0}]
}
""",
    "answers.jsonl": '{"model": "llama-3", "question_id": "301", "answer": "Ann.", "helpful": 0.5}\n'
    '{"model": "llama-3", "question_id": "302", "answer": "In 1815.", "helpful": 1.0}\n',
    "e5-base/no_revision_available/SciFact.json": """\
{
  "task_name": "SciFact",
  "mteb_version": "2.20.0",
  "scores": {"test": [{"main_score": 0.5, "ndcg_at_10": 0.5, "map_at_10": 0.45, "hf_subset": "default"}]}
}
""",
}
