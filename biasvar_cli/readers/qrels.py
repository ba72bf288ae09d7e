"""Qrels, the relevance judgments of TREC, to columns; and JSON that has them or a run, as ranx and pytrec_eval do."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.readers import columns, delimited, kernels
from biasvar_cli.readers.result_tables import GRADE, MOST_GRADE, NO_ID, result_table
from biasvar_cli.readers.score_formats import first_line, json_scores, names, nested, recognise
from biasvar_cli.readers.sources import read_bytes, run_name
from biasvar_cli.readers.text import INTEGER_WORD, NUMBER, decoded, is_fraction, is_name, loads, quoted
from biasvar_cli.words import Orient, argument, examples

_PREDICTED_BY = "mteb_model_meta"
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
RELEVANT = 1  # the least grade of a relevant document, unless a measure has another ``rel``
_UNLESS_A_RUN = "write whole grades, unless this is a run"


class RunAsQrels(DataError):
    """What should be relevance judgments is a run."""


class Recognised(NamedTuple):
    """The ``kind`` of a text, and the text: a run and qrels in JSON or as a table as the lines that TREC has for them.

    ``doubt`` is what may be otherwise.
    """

    kind: str | None
    text: bytes
    doubt: tuple[Oddity, ...] = ()


def recognised(
    data: bytes, path: str, orient: Orient | None = None, topics: Collection[str] = (), *, named: bool = False
) -> Recognised:
    """The kind of a text, see `score_formats.recognise`.

    ``topics`` are those that are judged. Beside judgments, small whole numbers for them are the scores of a run in a
    file that was ``named``, which is doubtful; they are grades in a file of a folder. Raises `DataError` for a score
    that is no finite number, and for a row of a table that has another length than its header.
    """
    kind = recognise(data, orient)
    table = result_table(data, path) if kind in ("table", "json", "run") and orient is None else None
    if table is None:
        return _as_lines(data, path, topics, named=named) if kind == "json" else Recognised(kind, data)
    if not table.has_judgments:
        return Recognised("run", table.run_lines())
    if named and table.may_be_run and not table.topics.isdisjoint(topics):
        return Recognised("run", table.run_lines(), _doubt(path, len(table.rows)))
    return Recognised("qrels", data)


def _doubt(path: str, number: int) -> tuple[Oddity, ...]:
    what = f"whole numbers up to {MOST_GRADE} are read as the scores of a run; if they are grades"
    return (Oddity(f"{what}, give the file with {argument('qrels')}, or leave it out", path, number, "score", "file"),)


def _as_lines(data: bytes, path: str, topics: Collection[str] = (), *, named: bool = False) -> Recognised:
    """What a JSON text is: a run or qrels, as the lines that TREC has for them, or else ``json`` and as it was.

    A run is told from scores by its documents: most are not in the results of half the topics, where runs and measures
    have nearly all queries. Where its outer keys are among the ``topics`` that are judged, and those below are neither
    measures nor topics, it is a run in any case. Raises `DataError` for a score that is no finite number.

    >>> kind, lines, _ = _as_lines(b'{"301": {"a": 1.5, "b": 2.25}, "302": {"c": 2.0}}', "runs/bm25")
    >>> kind, lines.decode().splitlines()
    ('run', ['301 Q0 b 1 2.25 bm25', '301 Q0 a 2 1.5 bm25', '302 Q0 c 1 2.0 bm25'])
    >>> _as_lines(b'{"bm25": {"301": 0.5}, "rm3": {"301": 0.25}}', "ap.json").kind
    'json'
    """
    doubt: tuple[Oddity, ...] = ()
    try:
        document: Any = None if json_scores.is_scores_json(data) else loads(decoded(data, path), path)
    except (ValueError, DataError):  # which the reader of scores explains
        document = None
    tag = "_".join(run_name(path).split())
    if isinstance(document, dict) and _PREDICTED_BY in document:
        tag, document = _predictions(document, path)
    elif not (_holds_documents(document) or _are_results_of(topics, document)):
        return Recognised("json", data)
    else:
        numbers = [number for by in document.values() for number in by.values()]
        if all(map(_WHOLE.fullmatch, numbers)) and max(map(int, numbers)) <= MOST_GRADE:
            if not (named and _are_results_of(topics, document)):
                return Recognised("qrels", _judgment_lines(data, path))
            doubt = _doubt(path, len(numbers))
    lines = []
    for topic, by in document.items():
        for doc, score in by.items():
            if not (NUMBER.fullmatch(score) and math.isfinite(float(score))):
                raise DataError(f"score {quoted(score)} of {_judgment(topic, doc)} is no finite number", path=path)
        for rank, doc in enumerate(sorted(by, key=lambda doc: -float(by[doc])), 1):
            lines.append(f"{_id(topic, path)} Q0 {_id(doc, path)} {rank} {by[doc]} {tag}\n")
    return Recognised("run", "".join(lines).encode(), doubt)


def _predictions(document: dict[str, Any], path: str) -> tuple[str, Any]:
    """The model of mteb's TASK_predictions.json, as a tag, and its results: {topic: {document: score}}.

    They stand below the subset and the split. Raises `DataError` unless there is one of each, with results.
    """
    subsets = {name: by_split for name, by_split in document.items() if name != _PREDICTED_BY}
    below = [(name, by_split) for name, by_split in subsets.items() if isinstance(by_split, dict)]
    splits = {f"{name}/{split}": by for name, by_split in below for split, by in by_split.items()}
    if len(splits) != 1 or not _are_objects(next(iter(splits.values()))):
        named = examples(list(splits)) or "none"
        what = "predictions of mteb should have the results of one subset and split, {topic: {document: score}}"
        raise DataError(f"{what}, found {named}; keep one in the file", path=path)
    meta = document[_PREDICTED_BY]
    model = str(meta.get("model_name") or "") if isinstance(meta, dict) else ""
    return "_".join((model or run_name(path)).split()), next(iter(splits.values()))


def _judgment_lines(data: bytes, path: str) -> bytes:
    """The lines of TREC for judgments in JSON. Raises `DataError` for anything else.

    >>> _judgment_lines(b'{"301": {"FT911-1": 2}}', "qrels.json")
    b'301 0 FT911-1 2\\n'
    """
    try:
        document = loads(decoded(data, path), path)
    except ValueError as error:
        raise DataError(f"cannot be read as JSON: {error}", path=path) from None
    if not _are_objects(document):
        raise DataError("judgments in JSON are {topic: {document: grade}}; this is something else", path=path)
    lines = []
    for topic, by in document.items():
        for doc, grade in by.items():
            if not GRADE.fullmatch(grade):
                what = f"grade {quoted(grade)} of {_judgment(topic, doc)} is not an integer"
                raise RunAsQrels(f"{what}; {_UNLESS_A_RUN}", path=path)
            lines.append(f"{_id(topic, path)} 0 {_id(doc, path)} {grade}\n")
    return "".join(lines).encode()


def _holds_documents(document: Any) -> bool:
    """Whether an object of objects has documents below topics, rather than measures, queries or runs."""
    if not _are_objects(document) or any(names.is_known(key) or names.is_id(key) for key in document):
        return False
    filled = [by for by in document.values() if by]
    total = sum(map(len, filled))
    inner = set().union(*filled)
    numbers = sum(bool(NUMBER.fullmatch(value)) for by in filled for value in by.values())
    if len(filled) < 2 or 2 * numbers <= total or (nested.are_queries(inner) and not nested.are_queries(document)):
        return False
    return 2 * total < len(inner) * len(filled) or len(inner) == total


def _are_results_of(topics: Collection[str], document: Any) -> bool:
    """Whether an object of objects has these topics, and below them what can be nothing but documents."""
    if not topics or not _are_objects(document) or document.keys().isdisjoint(topics):
        return False
    inner = set().union(*document.values())
    return bool(inner) and not inner <= set(topics) and not nested.are_measures(inner)


def _are_objects(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(by, dict) and all(isinstance(value, str) for value in by.values()) for by in document.values()
    )


def _id(word: str, path: str) -> str:
    if not word or len(word.split()) != 1 or word != word.strip():
        raise DataError(f"the id {quoted(word)} is empty or has a blank{NO_ID}", path=path)
    return word


def _judgment(topic: str, doc: str) -> str:
    return f"document {quoted(doc)} of topic {quoted(topic)}"


_INTEGER = re.compile(GRADE.pattern.encode())
_NEEDED = "judgments have 4 columns, topic iteration document grade"


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments, one entry a line: topics, documents (bytes) and integer grades, shape (n_lines,).

    ``iterations`` is column 2. Where ``subtopics`` is true it names subtopics: then the same document is judged once
    per subtopic.
    """

    path: str
    topics: tuple[str, ...]
    topic: IntArray
    docs: pa.BinaryArray
    grades: IntArray
    iterations: pa.Array
    subtopics: bool
    oddities: tuple[Oddity, ...] = ()

    def relevant_counts(self) -> IntArray:
        """How many documents of each topic are `RELEVANT`, whatever the measure's ``rel``; shape (n_topics,)."""
        return np.bincount(self.topic[self.grades >= RELEVANT], minlength=len(self.topics))


def read_qrels(path: str, *, max_size: int | None = None) -> Qrels:
    """Read qrels: four columns, topic, iteration or subtopic, document, integer grade (negative ones included).

    A pair judged twice with the same grade is an oddity; with two grades it is an error, unless column 2 names a
    subtopic for each. Raises `DataError`, with the line; ``max_size`` as in `read_bytes`.
    """
    return parse_qrels(read_bytes(path, max_size=max_size), path)


def parse_qrels(data: bytes, path: str) -> Qrels:
    """`read_qrels` for a text already read.

    >>> qrels = parse_qrels(b"301 0 FT911-1 2\\n301 0 FT911-2 -1\\n", "qrels.txt")
    >>> qrels.topics, qrels.grades.tolist(), qrels.relevant_counts().tolist()
    (('301',), [2, -1], [1])
    """
    table = result_table(data, path) if is_name((first_line(data).split() or [b"0"])[-1]) else None
    if table is not None:
        data = table.judgment_lines()
    elif data.lstrip().startswith(b"{"):
        data = _judgment_lines(data, path)
    try:
        tables = [table for _, table, _ in delimited.read_columns(data, path, _FORMAT)]
    except DataError as error:
        start = first_line(data)
        kind = recognise(start)
        if kind == "run" and len(start.split()) > 5:
            raise RunAsQrels(f"{error.message}: this is a run") from None
        if kind in ("evaluation", "json"):
            raise DataError(f"{error.message}: these look like scores; {_NEEDED}") from None
        raise
    if not tables:
        raise DataError("the file has no judgments", path=path)
    table = pa.concat_tables(tables)
    known: dict[bytes, int] = {}
    topic = columns.topic_indices(table["topic"], known)
    topics = delimited.topic_names(known, data, path)
    docs, iterations = columns.flat(table["doc"], path), columns.flat(table["iteration"], path)
    words = kernels.dictionary_encode(columns.flat(table["grade"]))
    known_grades = np.array([_grade(word) for word in words.dictionary.to_pylist()])
    grades: IntArray = known_grades[columns.values_of(words.indices)]
    if not columns.has_repeats(topic, docs, columns.word_hashes(docs)):
        return Qrels(path, topics, topic, docs, grades, iterations, subtopics=False)
    subtopics, first = _repeated_judgments(data, path)
    again = len(topic) - len(first)
    oddities = (Oddity("judgments given twice", path, again, "line"),) if again else ()
    docs, iterations = columns.taken(docs, first), columns.taken(iterations, first)
    return Qrels(path, topics, topic[first], docs, grades[first], iterations, subtopics, oddities)


def _record(line: bytes, words: list[bytes], path: str, number: int) -> list[bytes] | None:
    """The words of a judgment; None for a line that starts with ``#`` and is none. Raises `DataError` for any other."""
    if len(words) == 4 and _INTEGER.fullmatch(words[3]):
        return words
    if line.startswith(b"#"):
        return None
    if len(words) != 4:
        commas = ", for commas separate none; write blanks or tabs" if len(words) == 1 and line.count(b",") > 2 else ""
        names = ": topic, iteration, document and grade, or a header" if len(words) < 6 and not commas else ""
        raise DataError(f"expected 4 columns, found {len(words)}{commas}{names}", path=path, line=number)
    fault = "is too large" if INTEGER_WORD.fullmatch(words[3]) else "is not an integer"
    if is_fraction(words[3].decode("utf-8", "replace")):
        fault = f"{fault}; {_UNLESS_A_RUN}"
    raise DataError(f"grade {delimited.quoted_word(words[3])} {fault}", path=path, line=number)


def _grade(word: bytes) -> int:
    return int(word.partition(b".")[0])


_FORMAT = delimited.Format(
    dict.fromkeys(("topic", "iteration", "doc", "grade"), pa.binary()),  # as an integer Arrow would take a grade 0x1
    _record,
    lambda table: all(map(_INTEGER.fullmatch, kernels.unique(table["grade"]).to_pylist())),
)


def _repeated_judgments(data: bytes, path: str) -> tuple[bool, IntArray]:
    """Whether column 2 names subtopics, and the lines that judge a document first, if lines repeat judgments.

    Raises `DataError` where one document has two grades.
    """
    judged: dict[tuple[bytes, bytes, bytes], tuple[int, int]] = {}
    pairs: dict[tuple[bytes, bytes], int] = {}
    lines = []
    for index, (number, (topic, iteration, doc, word)) in enumerate(delimited.records(data, path, _FORMAT)):
        grade = _grade(word)
        first, before = judged.setdefault((topic, iteration, doc), (number, grade))
        if first == number:
            lines.append(index)
            pairs.setdefault((topic, doc), number)
        elif before != grade:
            what = f"document {delimited.quoted_word(doc)} of topic {delimited.quoted_word(topic)} has grade {grade}"
            raise DataError(f"{what}, but {before} in line {first}; keep one", path=path, line=number)
    return len(pairs) < len(lines), np.array(lines)
