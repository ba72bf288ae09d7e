"""Qrels, the relevance judgments of TREC, as columns; and JSON of qrels or a run, as ranx and pytrec_eval write it."""

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
RELEVANT = 1  # the lowest grade of a relevant document, unless a measure sets another ``rel``
_UNLESS_A_RUN = "write whole grades, unless this is a run"


class RunAsQrels(DataError):
    """A file that should have relevance judgments has a run."""


class Recognised(NamedTuple):
    """The ``kind`` of a text, and the text; a run in JSON or as a table, and qrels in JSON, become lines of TREC.

    ``doubt`` has the oddity if the text could also be of another kind.
    """

    kind: str | None
    text: bytes
    doubt: tuple[Oddity, ...] = ()


def recognised(
    data: bytes, path: str, orient: Orient | None = None, topics: Collection[str] = (), *, named: bool = False
) -> Recognised:
    """The kind of a text, see `score_formats.recognise`.

    Small whole numbers may be grades or the scores of a run. They are read as scores, with a doubt, if the user
    ``named`` the file and it has results for the judged ``topics``; in a file of a folder they are grades. Raises
    `DataError` for a score that is not a finite number, and for a row whose length differs from the header's.
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


def _doubt(path: str, n_scores: int) -> tuple[Oddity, ...]:
    what = f"whole numbers up to {MOST_GRADE} are read as the scores of a run; if they are grades"
    remedy = f"give the file with {argument('qrels')}, or leave it out"
    return (Oddity(f"{what}, {remedy}", path, n_scores, "score", "file"),)


def _as_lines(data: bytes, path: str, topics: Collection[str] = (), *, named: bool = False) -> Recognised:
    """The kind of a JSON text: a run or qrels, whose text becomes lines of TREC, or else ``json``, with its text as is.

    Documents distinguish runs from scores: a typical document is in the results of less than half the topics, but a
    run or measure has scores for nearly all queries. A text is also a run if its outer keys are judged ``topics`` and
    its inner keys are neither measures nor topics. Raises `DataError` for a score that is not a finite number.

    >>> kind, lines, _ = _as_lines(b'{"301": {"a": 1.5, "b": 2.25}, "302": {"c": 2.0}}', "runs/bm25")
    >>> kind, lines.decode().splitlines()
    ('run', ['301 Q0 b 1 2.25 bm25', '301 Q0 a 2 1.5 bm25', '302 Q0 c 1 2.0 bm25'])
    >>> _as_lines(b'{"bm25": {"301": 0.5}, "rm3": {"301": 0.25}}', "ap.json").kind
    'json'
    """
    doubt: tuple[Oddity, ...] = ()
    try:
        document: Any = None if json_scores.is_scores_json(data) else loads(decoded(data, path), path)
    except (ValueError, DataError):  # the reader of scores explains the error
        document = None
    tag = "_".join(run_name(path).split())
    if isinstance(document, dict) and _PREDICTED_BY in document:
        tag, document = _predictions(document, path)
    elif not (_holds_documents(document) or _are_results_of(topics, document)):
        return Recognised("json", data)
    else:
        numbers = [number for results in document.values() for number in results.values()]
        if all(map(_WHOLE.fullmatch, numbers)) and max(map(int, numbers)) <= MOST_GRADE:
            if not (named and _are_results_of(topics, document)):
                return Recognised("qrels", _judgment_lines(data, path))
            doubt = _doubt(path, len(numbers))
    lines = []
    for topic, results in document.items():
        for doc, score in results.items():
            if not (NUMBER.fullmatch(score) and math.isfinite(float(score))):
                what = f"score {quoted(score)} of {_named(topic, doc)} is not a finite number"
                raise DataError(what, path=path)
        for rank, doc in enumerate(sorted(results, key=lambda doc: -float(results[doc])), 1):
            lines.append(f"{_id(topic, path)} Q0 {_id(doc, path)} {rank} {results[doc]} {tag}\n")
    return Recognised("run", "".join(lines).encode(), doubt)


def _predictions(document: dict[str, Any], path: str) -> tuple[str, Any]:
    """The model of mteb's TASK_predictions.json, as a tag, and its results, {topic: {document: score}}.

    The file is {subset: {split: results}}. Raises `DataError` unless it has the results of one subset and split.
    """
    splits = {
        f"{subset}/{split}": results
        for subset, by_split in document.items()
        if subset != _PREDICTED_BY and isinstance(by_split, dict)
        for split, results in by_split.items()
    }
    if len(splits) != 1 or not _are_objects(next(iter(splits.values()))):
        what = "predictions of mteb should have the results of one subset and split, {topic: {document: score}}"
        raise DataError(f"{what}, found {examples(list(splits)) or 'none'}; keep one in the file", path=path)
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
    for topic, judgments in document.items():
        for doc, grade in judgments.items():
            if not GRADE.fullmatch(grade):
                what = f"grade {quoted(grade)} of {_named(topic, doc)} is not an integer"
                raise RunAsQrels(f"{what}; {_UNLESS_A_RUN}", path=path)
            lines.append(f"{_id(topic, path)} 0 {_id(doc, path)} {grade}\n")
    return "".join(lines).encode()


def _holds_documents(document: Any) -> bool:
    """Whether the inner keys of an object of objects are documents, and not measures, queries or runs."""
    if not _are_objects(document) or any(names.is_known(key) or names.is_id(key) for key in document):
        return False
    filled = [entries for entries in document.values() if entries]
    n_values = sum(map(len, filled))
    inner = set().union(*filled)
    n_numbers = sum(bool(NUMBER.fullmatch(value)) for entries in filled for value in entries.values())
    if len(filled) < 2 or 2 * n_numbers <= n_values or (nested.are_queries(inner) and not nested.are_queries(document)):
        return False
    return 2 * n_values < len(inner) * len(filled) or len(inner) == n_values


def _are_results_of(topics: Collection[str], document: Any) -> bool:
    """Whether the outer keys of an object of objects are these topics, and its inner keys can only be documents."""
    if not topics or not _are_objects(document) or document.keys().isdisjoint(topics):
        return False
    inner = set().union(*document.values())
    return bool(inner) and not inner <= set(topics) and not nested.are_measures(inner)


def _are_objects(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(entries, dict) and all(isinstance(value, str) for value in entries.values())
        for entries in document.values()
    )


def _id(word: str, path: str) -> str:
    if not word or len(word.split()) != 1 or word != word.strip():
        raise DataError(f"the id {quoted(word)} is empty or has a blank{NO_ID}", path=path)
    return word


def _named(topic: str, doc: str) -> str:
    return f"document {quoted(doc)} of topic {quoted(topic)}"


_INTEGER = re.compile(GRADE.pattern.encode())
_NEEDED = "judgments have 4 columns, topic iteration document grade"


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments, one entry a line: topics, documents (bytes) and integer grades, shape (n_lines,).

    ``iterations`` is column 2. If ``subtopics`` is true, it has subtopics, and a document is judged once per subtopic.
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
        """How many judgments of each topic are at least `RELEVANT`, shape (n_topics,)."""
        return np.bincount(self.topic[self.grades >= RELEVANT], minlength=len(self.topics))


def read_qrels(path: str, *, max_size: int | None = None) -> Qrels:
    """Read qrels: four columns, topic, iteration or subtopic, document, integer grade (negative ones included).

    A pair judged twice with the same grade is an oddity; with two grades it is an error, unless column 2 names a
    subtopic for each. Raises `DataError`, with the line; ``max_size`` as in `read_bytes`.
    """
    return parse_qrels(read_bytes(path, max_size=max_size), path)


def parse_qrels(data: bytes, path: str) -> Qrels:
    """The qrels in a text, as `read_qrels` reads them.

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
    n_repeated = len(topic) - len(first)
    oddities = (Oddity("judgments given twice", path, n_repeated, "line"),) if n_repeated else ()
    docs, iterations = columns.taken(docs, first), columns.taken(iterations, first)
    return Qrels(path, topics, topic[first], docs, grades[first], iterations, subtopics, oddities)


def _record(line: bytes, words: list[bytes], path: str, number: int) -> list[bytes] | None:
    """The words of a judgment; None for a comment, which starts with ``#``. Raises `DataError` for any other line."""
    if len(words) == 4 and _INTEGER.fullmatch(words[3]):
        return words
    if line.startswith(b"#"):
        return None
    if len(words) != 4:
        has_commas = len(words) == 1 and line.count(b",") > 2
        commas = "; separate the columns with blanks or tabs, not commas" if has_commas else ""
        names = ": topic, iteration, document and grade, or a header" if len(words) < 6 and not commas else ""
        raise DataError(f"expected 4 columns, found {len(words)}{commas}{names}", path=path, line=number)
    fault = "is too large" if INTEGER_WORD.fullmatch(words[3]) else "is not an integer"
    if is_fraction(words[3].decode("utf-8", "replace")):
        fault = f"{fault}; {_UNLESS_A_RUN}"
    raise DataError(f"grade {delimited.quoted_word(words[3])} {fault}", path=path, line=number)


def _grade(word: bytes) -> int:
    return int(word.partition(b".")[0])


_FORMAT = delimited.Format(
    dict.fromkeys(("topic", "iteration", "doc", "grade"), pa.binary()),  # no integers, for Arrow would accept 0x1
    _record,
    lambda table: all(map(_INTEGER.fullmatch, kernels.unique(table["grade"]).to_pylist())),
)


def _repeated_judgments(data: bytes, path: str) -> tuple[bool, IntArray]:
    """Whether column 2 has subtopics, and the positions of the records without repeated judgments.

    Raises `DataError` if a document has two grades.
    """
    judged: dict[tuple[bytes, bytes, bytes], tuple[int, int]] = {}
    pairs: set[tuple[bytes, bytes]] = set()
    positions = []
    for position, (line, (topic, iteration, doc, word)) in enumerate(delimited.records(data, path, _FORMAT)):
        grade = _grade(word)
        first, first_grade = judged.setdefault((topic, iteration, doc), (line, grade))
        if first == line:
            positions.append(position)
            pairs.add((topic, doc))
        elif first_grade != grade:
            what = f"document {delimited.quoted_word(doc)} of topic {delimited.quoted_word(topic)} has grade {grade}"
            raise DataError(f"{what}, but {first_grade} in line {first}; keep one", path=path, line=line)
    return len(pairs) < len(positions), np.array(positions)
