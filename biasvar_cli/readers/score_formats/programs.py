"""The programs that write samples: how to recognise their records, and which keys have the question and the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from biasvar_cli.readers.score_formats.items import fingerprint, item_name
from biasvar_cli.readers.score_formats.names import is_item, role_columns
from biasvar_cli.readers.text import Number, value_text

Scores = Iterable[tuple[str, Any]]


class SampleColumns(NamedTuple):
    """The columns of a program's records, which have all ``needed`` keys.

    ``query``, ``run`` and ``epoch`` are the keys of the question, the run and the repetition, empty if the records have
    no such key. ``scores`` yields the names of measures and their values; keys in ``text`` are not measures. With
    ``graded`` a value may be a letter. ``items`` are the keys that identify the item of the question. ``turn`` is the
    key of the turn in a conversation; each turn is a query.
    """

    program: str
    needed: frozenset[str]
    query: str
    scores: Callable[[Mapping[str, Any]], Scores]
    run: str = ""
    epoch: str = ""
    text: frozenset[str] = frozenset()
    graded: bool = False
    items: tuple[str, ...] = ()
    turn: str = ""

    def of_ids(self, key: str) -> SampleColumns:
        """The columns with another key for the question, such as its text."""
        return self._replace(query=key, items=(), text=self.text | {self.query, key})

    def facts(self, record: Mapping[str, Any]) -> dict[str, str]:
        """The facts about the item in a record."""
        values = ((key, record.get(key)) for key in self.items)
        return {key: fingerprint(value) for key, value in values if value and not isinstance(value, Number | bool)}


_OF_A_SAMPLE = {"perplexity": "loglikelihood"}


def _lm_eval_scores(record: Mapping[str, Any]) -> Scores:
    """The metrics that a sample lists; with a filter other than none, they are called ``acc,FILTER``, as in results.

    The perplexity of a sample is renamed, for its value is the log-likelihood, from which the harness computes one
    perplexity for all samples (lm_eval/api/metrics.py, ``perplexity``).
    """
    suffix = "" if record.get("filter", "none") == "none" else f",{value_text(record['filter'])}"
    names = record.get("metrics")
    if isinstance(names, list):
        scores = [(value_text(name), record.get(value_text(name))) for name in names if name != "bypass"]
    else:
        scores = [(name, value) for name, value in record.items() if isinstance(value, Number | bool)]
    return [(f"{_OF_A_SAMPLE.get(name, name)}{suffix}", value) for name, value in scores]


def _inspect_scores(record: Mapping[str, Any]) -> Scores:
    """The score of each scorer; if it is an object, its entries are called SCORER.KEY."""
    for scorer, score in record["scores"].items() if isinstance(record["scores"], dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            yield from ((f"{scorer}.{key}", part) for key, part in value.items())
        else:
            yield scorer, value


def _fastchat_scores(record: Mapping[str, Any]) -> Scores:
    """The rating of an answer; FastChat writes -1 if it found none (llm_judge/common.py, ``run_judge_single``)."""
    yield "score", None if record["score"] == "-1" else record["score"]


def _helm_scores(record: Mapping[str, Any]) -> Scores:
    """The mean of each statistic of an instance (helm/benchmark/metrics/statistic.py, ``Stat``)."""
    for stat in list_of(record["stats"]):
        name = below(stat, "name", "name")
        if isinstance(name, str):
            yield name, below(stat, "mean")


def _lighteval_scores(record: Mapping[str, Any]) -> Scores:
    """The metrics of a sample, without those of the whole corpus, which are objects here (``CorpusMetricInput``)."""
    return [(name, value) for name, value in record["metric"].items() if not isinstance(value, dict | list)]


def of_lighteval(record: Any) -> Any:
    """A record of lighteval with its nested id, question and task moved up; any other value as it is.

    The columns are ``doc`` and ``metric`` in 0.13, and ``__doc__`` and ``__metric__`` in earlier versions. Up to 0.7
    there is no id: the question in ``example`` takes its place.

    >>> of_lighteval({"__doc__": {"id": "7", "query": "Who?"}, "__metric__": {"em": "1"}})
    {'metric': {'em': '1'}, 'id': '7', 'query': 'Who?', 'task_name': None}
    """
    doc, metric = (below(record, key) or below(record, f"__{key}__") for key in ("doc", "metric"))
    if isinstance(doc, dict) and isinstance(metric, dict):
        return {"metric": metric, **{key: doc.get(key) for key in ("id", "query", "task_name")}}
    if isinstance(below(record, "metrics"), dict) and {"example", "full_prompt"} <= set(record):
        return {"metric": record["metrics"], "id": record["example"], "query": None, "task_name": None}
    return record


def _deepeval_scores(record: Mapping[str, Any]) -> Scores:
    for metric in list_of(record.get("metricsData")):
        if isinstance(metric, dict) and "name" in metric:
            yield value_text(metric["name"]), metric.get("score")


LM_EVAL = SampleColumns(
    "lm-evaluation-harness",
    frozenset({"doc_id", "doc", "target", "filtered_resps"}),
    "doc_id",
    _lm_eval_scores,
    text=frozenset({"doc_id", "target"}),
    items=("doc", "doc_hash"),
)
INSPECT = SampleColumns(
    "inspect_ai",
    frozenset({"id", "epoch", "input", "scores"}),
    "id",
    _inspect_scores,
    epoch="epoch",
    graded=True,
    items=("input",),
)
EVERY_EVAL_EVER = SampleColumns(
    "Every Eval Ever",
    frozenset({"sample_id", "model_id", "evaluation_name", "evaluation"}),
    "sample_id",
    lambda record: [("score", below(record, "evaluation", "score"))],
    run="model_id",
    items=("evaluation_name", "input", "sample_hash"),
)
HELM = SampleColumns(
    "HELM",
    frozenset({"instance_id", "train_trial_index", "stats"}),
    "instance_id",
    _helm_scores,
    epoch="train_trial_index",
)
_FASTCHAT = SampleColumns(
    "FastChat",
    frozenset({"question_id", "model", "judge", "score", "turn"}),
    "question_id",
    _fastchat_scores,
    run="model",
    turn="turn",
)
LIGHTEVAL = SampleColumns(
    "lighteval",
    frozenset({"id", "query", "metric", "task_name"}),
    "id",
    _lighteval_scores,
    items=("query", "task_name"),
)
DEEPEVAL = SampleColumns("deepeval", frozenset({"name"}), "name", _deepeval_scores, items=("input", "scenario"))
_BY_KEYS = (LM_EVAL, INSPECT, _FASTCHAT, EVERY_EVAL_EVER, HELM, LIGHTEVAL)  # programs that their keys identify
_RAGAS_TEXT = frozenset(
    {
        *("user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids"),
        *("response", "multi_responses", "reference", "rubrics", "persona_name", "query_style", "query_length"),
        *("reference_tool_calls", "reference_topics"),
    }
)
_RAGAS_OLD_TEXT = frozenset({"question", "contexts", "answer", "ground_truth", "ground_truths"})
_RAGAS = (("user_input", _RAGAS_TEXT), ("question", _RAGAS_OLD_TEXT))
QUESTIONS = tuple(question for question, _ in _RAGAS)


def columns_of(first: Mapping[str, Any]) -> SampleColumns | None:
    """The columns of records, by the first record; None if it is not a sample.

    A record of an unknown program is a sample if it has the id of an item, and any value that is not a number.

    >>> columns_of({"user_input": "Why?", "response": "So.", "faithfulness": Number("0.5")}).program
    'ragas'
    >>> columns_of({"id": "a", "answer": "So.", "judge": Number("0.5")}).query
    'id'
    >>> columns_of({"id": "a", "bm25": Number("0.5")}) is None, columns_of({"topic": "301", "note": "odd"}) is None
    (True, True)
    """
    program = next((columns for columns in _BY_KEYS if columns.needed <= set(first)), None)
    if program is not None:
        return program
    header = [key for key in first if not isinstance(first[key], dict)]
    roles = {role: [header[at] for at in role_columns(header, role)] for role in ("query", "run", "score", "measure")}
    if roles["measure"] or (roles["run"] and roles["score"]) or any(len(roles[role]) > 1 for role in ("query", "run")):
        return None
    query, run = "".join(roles["query"]), "".join(roles["run"])
    for question, text in _RAGAS:
        if question in first and len(text & set(first)) > 1:
            columns = SampleColumns("ragas", frozenset({question}), question, _entries, run, "", text)
            return columns._replace(query=query, items=(question,)) if is_item(query) else columns
    others = [value for key, value in first.items() if key not in (query, run)]
    if is_item(query) and any(not isinstance(value, Number) and value is not None for value in others):
        item = item_name((key for key, value in first.items() if not isinstance(value, Number)), (query, run))
        return SampleColumns("JSON", frozenset({query}), query, _entries, run, items=(item,) if item else ())
    return None


def _entries(record: Mapping[str, Any]) -> Scores:
    """All entries; an object of metrics is replaced by its entries."""
    for name, value in record.items():
        is_object = name in _METRICS and isinstance(value, dict)
        yield from value.items() if is_object else ((name, value),)


_METRICS = ("metric", "metrics", "__metric__", "scores")  # objects of scores by the names of measures


def below(value: Any, *keys: str) -> Any:
    """The nested value under these keys, None if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
