"""What evaluators of language models call the columns of their records, a map a program, and how all are read.

A record, or sample, has one answer of one run to one question, with its scores. Numbers in JSON come as `Number`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.format import ScoreOptions
from biasvar_cli.readers.score_formats.json_objects import Number, value_text
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import is_item, places_of
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import quoted
from biasvar_cli.words import examples

Scores = Iterable[tuple[str, Any]]
Placed = tuple[int | None, Any]

# inspect_ai's scorer/_metric.py: CORRECT, PARTIAL, INCORRECT and NOANSWER, and what value_to_float takes for them
_GRADES = {"c": "1", "p": "0.5", "i": "0", "n": "0", "yes": "1", "true": "1", "no": "0", "false": "0"}


class SampleColumns(NamedTuple):
    """The columns of a program's records.

    A record with all of the keys ``needed`` is of the program. ``query`` is the key of the question, ``run`` that of
    the run and ``epoch`` that of the repetition, empty where the records have none. ``scores`` gives the names of
    measures and their values, of which those of the keys in ``text`` are none. With ``graded`` a value may be a letter.
    """

    program: str
    needed: frozenset[str]
    query: str
    scores: Callable[[Mapping[str, Any]], Scores]
    run: str = ""
    epoch: str = ""
    text: frozenset[str] = frozenset()
    graded: bool = False


def _of_lm_eval(record: Mapping[str, Any]) -> Scores:
    """The metrics that a sample lists; of a filter that is not the usual one, under the name in results: acc,FILTER."""
    beside = "" if record.get("filter", "none") == "none" else f",{value_text(record['filter'])}"
    names = record.get("metrics")
    if isinstance(names, list):
        return [(f"{value_text(name)}{beside}", record.get(value_text(name))) for name in names if name != "bypass"]
    return [(f"{name}{beside}", value) for name, value in record.items() if isinstance(value, Number | bool)]


def _of_inspect(record: Mapping[str, Any]) -> Scores:
    """A score of each scorer; one that is an object has several, SCORER.KEY."""
    for scorer, score in (record["scores"] or {}).items() if isinstance(record["scores"], dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            yield from ((f"{scorer}.{key}", below) for key, below in value.items())
        else:
            yield scorer, value


def _of_deepeval(record: Mapping[str, Any]) -> Scores:
    metrics = record.get("metricsData")
    for metric in metrics if isinstance(metrics, list) else ():
        if isinstance(metric, dict) and "name" in metric:
            yield value_text(metric["name"]), metric.get("score")


LM_EVAL = SampleColumns(
    "lm-evaluation-harness",
    frozenset({"doc_id", "doc", "target", "filtered_resps"}),
    "doc_id",
    _of_lm_eval,
    text=frozenset({"doc_id", "target"}),
)
INSPECT = SampleColumns(
    "inspect_ai", frozenset({"id", "epoch", "input", "scores"}), "id", _of_inspect, epoch="epoch", graded=True
)
DEEPEVAL = SampleColumns("deepeval", frozenset({"name"}), "name", _of_deepeval)
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
_PROGRAMS = (LM_EVAL, INSPECT)  # that write a record a line, or may


def columns_of(first: Mapping[str, Any]) -> SampleColumns | None:
    """The columns of records, by the first of them; None where it is no sample.

    A record of no known program is a sample if it has the id of an item, and a text, a truth value, a list or an object
    beside it.

    >>> columns_of({"user_input": "Why?", "response": "So.", "faithfulness": Number("0.5")}).program
    'ragas'
    >>> columns_of({"id": "a", "answer": "So.", "judge": Number("0.5")}).query
    'id'
    >>> columns_of({"id": "a", "bm25": Number("0.5")}) is None, columns_of({"topic": "301", "note": "odd"}) is None
    (True, True)
    """
    program = next((columns for columns in _PROGRAMS if columns.needed <= set(first)), None)
    if program is not None:
        return program
    header = list(first)
    roles = {role: [header[at] for at in places_of(header, role)] for role in ("query", "run", "score", "measure")}
    if roles["measure"] or (roles["run"] and roles["score"]) or any(len(roles[role]) > 1 for role in ("query", "run")):
        return None
    query, run = "".join(roles["query"]), "".join(roles["run"])
    for question, text in _RAGAS:
        if question in first and len(text & set(first)) > 1:
            by = query if is_item(query) else question
            return SampleColumns("ragas", frozenset({question}), by, lambda record: record.items(), run, "", text)
    others = [value for key, value in first.items() if key not in (query, run)]
    if is_item(query) and any(not isinstance(value, Number) and value is not None for value in others):
        return SampleColumns("JSON", frozenset({query}), query, lambda record: record.items(), run)
    return None


class _Sample(NamedTuple):
    line: int | None
    run: str
    epoch: str
    query: str
    scores: dict[str, Any]


def scores_of_samples(
    samples: Sequence[Placed],
    columns: SampleColumns,
    path: str,
    options: ScoreOptions,
    run: str = "",
    *,
    by_file: bool = True,
) -> ScoreFile:
    """The scores in the records of a program, whose run is called ``run``, or else by the file.

    Without ``by_file`` the file names its run. Epochs are runs RUN-epoch1, RUN-epoch2, unless there is one. Raises
    `DataError` for a record without a key that is needed, and for a score that is no number, where half of its
    measure's are; other columns are left out, with an oddity where one has some numbers.

    >>> samples = [(1, {"id": "301", "answer": "no", "judge": Number("0.5")})]
    >>> file = scores_of_samples(samples, columns_of(samples[0][1]), "llama.jsonl", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('llama.jsonl',), ('judge',), ('301',), [[[0.5]]])
    """
    read = [_sample(line, record, columns, path) for line, record in samples]
    names = dict.fromkeys(name for sample in read for name in sample.scores)
    scored = [name for name in names if _is_scored([sample.scores.get(name) for sample in read], columns)]
    if not scored:
        raise DataError(f"the {columns.program} records have no scores", path=path, line=read[0].line if read else None)
    epochs = len({sample.epoch for sample in read}) > 1
    layout = layout_of(
        _records(read, scored, columns, run or run_name(path), epochs=epochs),
        path,
        "keep one, or add a key called run that tells them apart",
        holes=options.holes,
    )
    left_out = [
        name for name in names if name not in scored and _has_number(sample.scores.get(name) for sample in read)
    ]
    what = "columns that hold numbers and more that is none left out"
    odd = [Oddity(what, path, 0, examples(left_out), "file")] if left_out else []
    of_file = by_file and not (columns.run or epochs)
    return assemble(layout, runs_named=not of_file, allow_range=options.allow_range, oddities=odd)


def _sample(line: int | None, record: Any, columns: SampleColumns, path: str) -> _Sample:
    """A record by its map. Raises `DataError` where it lacks what is needed, or has no names where it should."""
    lacking = [key for key in sorted(columns.needed) if not isinstance(record, dict) or key not in record]
    if lacking:
        what = f"expected a record of {columns.program} with the key {quoted(lacking[0])}"
        raise DataError(f"{what}, as the first has; found {quoted(value_text(record))}", path=path, line=line)
    ids = [record.get(key) if key else "" for key in (columns.run, columns.epoch, columns.query)]
    for key, name in zip((columns.run, columns.epoch, columns.query), ids, strict=True):
        if not isinstance(name, str) or (key and not name.strip()):
            what = f"{key} should be a name or a number, found {quoted(value_text(name))}"
            raise DataError(what, path=path, line=line)
    run, epoch, query = (" ".join(name.split()) for name in ids)
    roles = {columns.run, columns.epoch, columns.query, *columns.text}
    scores: dict[str, Any] = {}
    for name, value in columns.scores(record):
        if name in scores:
            what = f"{quoted(name)} of {columns.query} {quoted(query)} is given twice; keep one"
            raise DataError(what, path=path, line=line)
        if name not in roles:
            scores[name] = value
    return _Sample(line, run, epoch, query, scores)


def _score(value: Any, columns: SampleColumns) -> str | None:
    """The number that a value is, as text; None for any other value."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, Number):
        return value
    return _GRADES.get(value.lower()) if columns.graded and isinstance(value, str) else None


def _has_number(values: Iterable[Any]) -> bool:
    return any(isinstance(value, Number | bool) for value in values)


def _is_scored(values: Sequence[Any], columns: SampleColumns) -> bool:
    """Whether at least half of the values that are there are numbers."""
    there = [value for value in values if value is not None]
    return 0 < 2 * sum(_score(value, columns) is not None for value in there) >= len(there)


def _records(
    samples: Iterable[_Sample], measures: Sequence[str], columns: SampleColumns, run: str, *, epochs: bool
) -> Iterator[Record]:
    known = {name: canonical(name) for name in measures}
    for line, named, epoch, query, scores in samples:
        called = named or run
        where = f"of {columns.query} {quoted(query)}" + (f" in epoch {epoch}" if epoch else "")
        for name, value in scores.items():
            if name in known:
                score = _score(value, columns)
                text = value_text(value) if score is None else score
                by = f"{called}-epoch{epoch}" if epochs else called
                yield Record(line, by, known[name], query, text, f"{quoted(name)} {where}")
