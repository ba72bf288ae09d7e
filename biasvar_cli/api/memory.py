"""DataFrames and dicts as what files hold: runs, relevance judgments, scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.readers.qrels import Qrels, parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.readers.score_files import parse_scores
from biasvar_cli.readers.score_names import QUERY_NAMES, places_of
from biasvar_cli.scoring.scorer import Held
from biasvar_cli.words import examples

Path = str | os.PathLike[str]
Runs = Path | Iterable[Path] | pd.DataFrame | Mapping[str, Any]
Judgments = Path | pd.DataFrame | Mapping[str, Mapping[str, int]]

_DOCUMENTS = ("docno", "doc_id", "docid", "document")
_SCORES = ("score",)
_GRADES = ("label", "relevance", "rel", "grade")
_SECOND = ("subtopic_id", "subtopic", "iteration", "iter")


def paths_and_runs(runs: Runs, what: str = "run") -> tuple[tuple[str, ...], tuple[Held, ...]]:
    """What is to be read, and what is in memory: one of the two is empty. Raises `DataError` for a bad run.

    ``what`` is what messages call a run.

    >>> paths_and_runs(["runs/bm25.gz", "runs/ql.gz"])
    (('runs/bm25.gz', 'runs/ql.gz'), ())
    >>> [held.name for held in paths_and_runs({"bm25": {"q1": {"d1": 2.5}}})[1]]
    ['bm25']
    """
    if not isinstance(runs, pd.DataFrame | Mapping):
        return paths(runs), ()
    named = list(_by_run(runs) if isinstance(runs, pd.DataFrame) else _named(runs))
    if len({name for name, _ in named}) < len(named):
        raise DataError(f"two {what}s have one name: {examples(sorted(name for name, _ in named))}")
    return (), tuple(_held(name, f"{what} {name}", run) for name, run in named)


def has_scores(frame: pd.DataFrame) -> bool:
    """Whether a DataFrame is one of scores, and not of retrieved documents.

    >>> has_scores(pd.DataFrame({"A": [0.3], "B": [0.6]})), has_scores(pd.DataFrame(columns=["qid", "docno", "score"]))
    (True, False)
    """
    return not _places(frame, _DOCUMENTS)


def paths(names: Path | Iterable[Path]) -> tuple[str, ...]:
    """Paths as text. Raises `UsageError` for what is none.

    >>> paths("runs"), paths(["a.csv", "b.csv"])
    (('runs',), ('a.csv', 'b.csv'))
    """
    several = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    for name in several:
        if not isinstance(name, str | os.PathLike):
            raise UsageError(f"expected paths, a DataFrame or a dict, found {type(name).__name__}")
    if not several:
        raise UsageError("expected at least one path, found none")
    return tuple(os.fspath(name) for name in several)


def qrels_of(judgments: pd.DataFrame | Mapping[str, Mapping[str, int]]) -> Qrels:
    """Judgments in memory as a file of qrels has them: columns of query, document and grade, or a dict of dicts.

    >>> qrels_of({"q1": {"d1": 1, "d2": 0}}).grades.tolist()
    [1, 0]
    """
    where = "the judgments"
    frame = judgments if isinstance(judgments, pd.DataFrame) else _frame_of(judgments, _GRADES[0], where)
    query, doc, grade = (_column(frame, role, where) for role in ("query", _DOCUMENTS, _GRADES))
    second = next((name for name in frame.columns if str(name).lower() in _SECOND), None)
    others = ["0"] * len(frame) if second is None else _ids(frame[second], where)
    grades = [str(_grade(value, where)) for value in frame[grade].tolist()]
    rows = zip(_ids(frame[query], where), others, _ids(frame[doc], where), grades, strict=True)
    return parse_qrels("".join(f"{' '.join(row)}\n" for row in rows).encode(), where)


def scores_of(
    frame: pd.DataFrame,
    *,
    measure: str | None = None,
    allow_range: bool = False,
    where: str = "the DataFrame of scores",
) -> Held:
    """Scores in memory as a csv has them: a row a query and a column a run, or a row a score.

    The queries are the column of ids (``qid``, ``query_id``, ...) or the index; an index that only counts is none.

    >>> frame = pd.DataFrame({"A": [0.3, 0.1], "B": [0.6, 0.08]}, index=["q1", "q2"])
    >>> scores_of(frame, measure="AP", where="scores").content.queries
    ('q1', 'q2')
    """
    if frame.columns.nlevels > 1:
        raise UsageError("expected one level of columns in the DataFrame of scores, found several")
    frame = frame.reset_index() if frame.index.nlevels > 1 else frame
    header = [str(name) for name in frame.columns]
    ids = places_of(header, "query")
    long = bool(ids and places_of(header, "score"))
    counts = not ids and frame.index.equals(pd.RangeIndex(len(frame))) and frame.index.name is None
    content = parse_scores(
        (frame.set_axis(frame.index + 1) if counts else frame).to_csv(index=not ids, index_label="query_id").encode(),
        where,
        "table",
        orient=None if long else "queries",
        id_column=None if long else header[ids[0]] if ids else "query_id",
        measure=measure,
        allow_range=allow_range,
    )
    return Held("scores", where, content=replace(content, numbered=counts))


def _held(name: str, where: str, run: pd.DataFrame | Mapping[str, Any]) -> Held:
    """A run in memory, as a file of six columns has it."""
    frame = run if isinstance(run, pd.DataFrame) else _frame_of(run, "score", where)
    query, doc, score = (_column(frame, role, where) for role in ("query", _DOCUMENTS, _SCORES))
    numbers = [_number(value, where) for value in frame[score].tolist()]
    rows = zip(_ids(frame[query], where), _ids(frame[doc], where), numbers, strict=True)
    text = "".join(f"{query} Q0 {doc} 0 {score!r} run\n" for query, doc, score in rows)
    if not text:
        raise DataError("there are no results", path=where)
    return Held(name, where, content=replace(parse_run(text.encode(), where, name_by="tag"), name=name))


def _by_run(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The runs in a DataFrame, by its column of runs; without one it is a single run called ``run``."""
    found = places_of([str(name) for name in frame.columns], "run")
    if not found:
        yield "run", frame
        return
    for name, rows in frame.groupby(frame.columns[found[0]], sort=True):
        yield str(name), rows


def _named(runs: Mapping[str, Any]) -> Iterator[tuple[str, pd.DataFrame | Mapping[str, Any]]]:
    """Runs by name; where the values of a dict of dicts are numbers, it is a single run called ``run``."""
    for each in runs.values():
        if not isinstance(each, Mapping | pd.DataFrame):
            shape = "{run: DataFrame}, {query: {document: score}} or {run: {query: {document: score}}}"
            raise UsageError(f"expected runs as {shape}, found a {type(each).__name__} in a dict")
    inner = [value for each in runs.values() if isinstance(each, Mapping) for value in each.values()]
    if inner and not isinstance(inner[0], Mapping):
        yield "run", runs
    else:
        yield from ((str(name), run) for name, run in runs.items())


def _frame_of(nested: Mapping[str, Any], value: str, where: str) -> pd.DataFrame:
    """A dict of dicts as a DataFrame: a row a query and document."""
    for query, found in nested.items():
        if not isinstance(found, Mapping):
            raise DataError(f"expected a dict of documents for query {query}, found {found!r}", path=where)
    rows = [(query, doc, number) for query, found in nested.items() for doc, number in found.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value], dtype=object)


def _column(frame: pd.DataFrame, role: str | Sequence[str], where: str) -> Any:
    """The column with a role, or with one of some names. Raises `DataError` where there is none."""
    found = _places(frame, role)
    if not found:
        names, header = QUERY_NAMES if isinstance(role, str) else role, ", ".join(map(str, frame.columns))
        what = f"there is no column {' or '.join(names[:3])}; it has {header}"
        raise DataError(what + _swapped(frame, role), path=where)
    return frame.columns[found[0]]


def _swapped(frame: pd.DataFrame, role: str | Sequence[str]) -> str:
    """What to say where a run has grades and no scores, or judgments have scores and no grades."""
    if (role == _SCORES and _places(frame, _GRADES)) or (role == _GRADES and _places(frame, _SCORES)):
        return "; runs and judgments look swapped: give the runs first, then the judgments"
    return ""


def _places(frame: pd.DataFrame, role: str | Sequence[str]) -> list[int]:
    header = [str(name) for name in frame.columns]
    if isinstance(role, str):
        return places_of(header, role)
    return [index for index, name in enumerate(header) if name.lower() in role]


def _ids(column: pd.Series[Any], where: str) -> list[str]:
    """Ids as text: text without blanks, or whole numbers. Raises `DataError` for others."""
    found = column.tolist()
    for row, value in enumerate(found, 1):
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not is_whole and not (isinstance(value, str) and len(value.split()) == 1 and value == value.strip()):
            what = f"row {row}: {column.name} should be an id, text without blanks, found {value!r}"
            raise DataError(f"{what}; convert the column to text", path=where)
    return [str(value) for value in found]


def _number(value: Any, where: str) -> float:
    if not isinstance(value, Real):
        raise DataError(f"score {value!r} is not a number", path=where)
    return float(value)


def _grade(value: Any, where: str) -> int:
    if not isinstance(value, Real) or not float(value).is_integer():
        raise DataError(f"grade {value!r} is not a whole number", path=where)
    return int(float(value))
