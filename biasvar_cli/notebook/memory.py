"""DataFrames and dicts as what files hold: runs and relevance judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.notebook import frames
from biasvar_cli.notebook.frames import Frame, in_rows, is_text, short, shown_value
from biasvar_cli.readers.qrels import Qrels, parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.scoring.scorer import LoadedSource
from biasvar_cli.words import examples

Path = str | os.PathLike[str]
Runs = Path | Iterable[Path] | pd.DataFrame | Mapping[str, Any]
Judgments = Path | pd.DataFrame | Mapping[str, Mapping[str, int]]

JUDGMENTS = "the judgments"  # what messages call those in memory


class Judged(NamedTuple):
    """Judgments in memory, and which columns of ids were left out, in words."""

    qrels: Qrels
    left_out: str


class _Pairs(NamedTuple):
    """Pairs of a query and a document, each with a number as it was given, and the row that it stands in.

    ``in_dict``: they come from a dict, where a row says nothing.
    """

    where: str
    queries: list[str]
    docs: list[str]
    numbers: list[Any]
    rows: Sequence[int]
    in_dict: bool = False
    left_out: str = ""

    def error(self, index: int, what: str) -> DataError:
        """The error of one of the pairs, with its place."""
        if self.in_dict:
            return DataError(f"{what} (query {self.queries[index]}, document {self.docs[index]})", path=self.where)
        return DataError(f"row {self.rows[index]}: {what}", path=self.where)


def paths_and_runs(
    runs: Runs, what: str = "run", argument: str = "runs"
) -> tuple[tuple[str, ...], tuple[LoadedSource, ...]]:
    """What is to be read, and what is in memory: one of the two is empty. Raises `DataError` for a bad run.

    ``what`` is what messages call a run, ``argument`` that of the function.

    >>> paths_and_runs(["runs/bm25.gz", "runs/ql.gz"])
    (('runs/bm25.gz', 'runs/ql.gz'), ())
    >>> [run.name for run in paths_and_runs({"bm25": {"q1": {"d1": 2.5}}})[1]]
    ['bm25']
    """
    if not isinstance(runs, pd.DataFrame | Mapping):
        return paths(runs, argument), ()
    named = list(_by_run(runs, what, argument) if isinstance(runs, pd.DataFrame) else _named(runs, what, argument))
    if len({name for name, _ in named}) < len(named):
        raise DataError(f"two {what}s have one name: {examples(sorted(name for name, _ in named))}")
    return (), tuple(_run_of(name, pairs) for name, pairs in named)


def has_scores(frame: pd.DataFrame) -> bool:
    """Whether a DataFrame is one of scores, and not of retrieved documents.

    >>> has_scores(pd.DataFrame({"A": [0.3], "B": [0.6]})), has_scores(pd.DataFrame(columns=["qid", "docno", "score"]))
    (True, False)
    """
    return not frames.columns_of([str(name) for name in frame.columns], frames.DOCUMENT)


def is_of_documents(frame: pd.DataFrame) -> bool:
    """Whether a DataFrame has queries, documents and scores: a run.

    >>> is_of_documents(pd.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [1.0]}))
    True
    """
    header = [str(name) for name in frame.columns]
    return all(frames.columns_of(header, role) for role in (frames.QUERY, frames.DOCUMENT, frames.SCORE))


def paths(names: Path | Iterable[Path], argument: str, other: str = "a dict") -> tuple[str, ...]:
    """Paths as text. Raises `UsageError` for what is none, with the name of the argument and what it may be besides.

    >>> paths("runs", "runs"), paths(["a.csv", "b.csv"], "scores")
    (('runs',), ('a.csv', 'b.csv'))
    """
    try:
        several = [names] if isinstance(names, str | bytes | os.PathLike) else list(names)
    except TypeError:
        several = [names]  # type: ignore[list-item]
    for name in several:
        if not isinstance(name, str | os.PathLike):
            raise UsageError(f"{argument}: expected paths, a DataFrame or {other}, found {type(name).__name__}")
    if not several:
        raise UsageError(f"{argument}: expected at least one path, found none")
    return tuple(path_of(name, argument) for name in several)


def path_of(name: Path, argument: str) -> str:
    """A path as text. Raises `UsageError` for one that no file can have.

    >>> path_of("runs/bm25.gz", "runs")
    'runs/bm25.gz'
    """
    text = os.fspath(name)
    if not is_text(text):
        raise UsageError(f"{argument}: expected a path, found {shown_value(text)}")
    return text


def qrels_of(judgments: object) -> Judged:
    """Judgments in memory as a file of qrels has them: columns of query, document and grade, or a dict of dicts.

    >>> qrels_of({"q1": {"d1": 1, "d2": 0}}).qrels.grades.tolist()
    [1, 0]
    """
    if not isinstance(judgments, pd.DataFrame | Mapping):
        shape = "a path, a DataFrame or {query: {document: grade}}"
        raise UsageError(f"qrels: expected {shape}, found {shown_value(judgments)}")
    others: list[str] | None = None
    if isinstance(judgments, pd.DataFrame):
        frame = _frame(judgments, JUDGMENTS)
        pairs = _pairs(frame, frames.GRADE)
        second = frames.columns_of(frame.header, frames.SUBTOPIC)
        others = frames.ids(frame, second[0]) if second else None
    else:
        pairs = _pairs_in(judgments, JUDGMENTS)
    grades = [str(_grade(pairs, index)) for index in range(len(pairs.numbers))]
    lines = zip(pairs.queries, others or ["0"] * len(grades), pairs.docs, grades, strict=True)
    text = "".join(f"{' '.join(line)}\n" for line in lines)
    if not text:
        raise DataError("qrels: there are no judgments")
    with in_rows(JUDGMENTS, pairs.rows):
        return Judged(parse_qrels(text.encode(), JUDGMENTS), pairs.left_out)


def _run_of(name: str, pairs: _Pairs) -> LoadedSource:
    """A run in memory, as a file of six columns has it."""
    if not pairs.numbers:
        raise DataError("there are no results", path=pairs.where)
    numbers = [_number(pairs, index, "score") for index in range(len(pairs.numbers))]
    rows = zip(pairs.queries, pairs.docs, numbers, strict=True)
    text = "".join(f"{query} Q0 {doc} 0 {score!r} run\n" for query, doc, score in rows)
    with in_rows(pairs.where, pairs.rows):
        run = parse_run(text.encode(), pairs.where, name_by="tag")
    return LoadedSource(name, pairs.where, content=replace(run, name=name), left_out=pairs.left_out)


def _frame(frame: pd.DataFrame, where: str) -> Frame:
    """A DataFrame of documents as lists. Raises `DataError` where its index has what should be columns."""
    table = frames.frame_of(frame, where)
    roles = (frames.QUERY, frames.DOCUMENT, frames.RUN)
    for level in frame.index.names:
        role = next((role for role in roles if level is not None and frames.columns_of([str(level)], role)), None)
        if role is not None and not frames.columns_of(table.header, role):
            what = f"the index has {role.noun}, {level}"
            raise DataError(f"{what}: make it a column with reset_index()", path=where)
    if frame.index.nlevels > 1 and None in frame.index.names and not frames.columns_of(table.header, frames.RUN):
        what = "the index has several levels, one of them without a name, which may have the names of the runs"
        raise DataError(f"{what}; make it a column called run, or drop it with reset_index(drop=True)", path=where)
    return table


def _pairs(frame: Frame, number: frames.Role) -> _Pairs:
    """The queries, the documents and the numbers of a DataFrame."""
    query, other_queries = frames.chosen(frame, frames.QUERY)
    doc, other_docs = frames.chosen(frame, frames.DOCUMENT)
    if not frames.columns_of(frame.header, number):
        swapped = frames.SCORE if number is frames.GRADE else frames.GRADE
        if frames.columns_of(frame.header, swapped):
            what = f"there is no column {' or '.join(number.names[:3])}; it has {', '.join(frame.header)}"
            remedy = "runs and judgments look swapped: give the runs first, then the judgments"
            raise DataError(f"{what}; {remedy}", path=frame.where)
    column, _ = frames.chosen(frame, number)
    sides = ((query, other_queries, "ids of the queries"), (doc, other_docs, "ids of the documents"))
    left_out = [frames.left_out(frame, *side) for side in sides]
    return _Pairs(
        frame.where,
        frames.ids(frame, query),
        frames.ids(frame, doc),
        frame.columns[column],
        range(1, frame.n_rows + 1),
        left_out="; ".join(filter(None, left_out)),
    )


def _by_run(frame: pd.DataFrame, what: str, argument: str) -> Iterator[tuple[str, _Pairs]]:
    """The runs in a DataFrame, by its column of runs; without one it is a single run called ``run``."""
    table = _frame(frame, argument)
    if not frames.columns_of(table.header, frames.RUN):
        yield "run", _pairs(table._replace(where=f"{what} run"), frames.SCORE)
        return
    pairs = _pairs(table, frames.SCORE)
    column, _ = frames.chosen(table, frames.RUN)
    members: dict[str, list[int]] = {}
    for index, name in enumerate(frames.names(table, column)):
        members.setdefault(name, []).append(index)
    for name, own in sorted(members.items()):
        queries, docs, numbers = ([cells[index] for index in own] for cells in pairs[1:4])
        yield (
            name,
            _Pairs(f"{what} {name}", queries, docs, numbers, [index + 1 for index in own], left_out=pairs.left_out),
        )


def _named(runs: Mapping[str, Any], what: str, argument: str) -> Iterator[tuple[str, _Pairs]]:
    """Runs by name; where the values of a dict of dicts are numbers, it is a single run called ``run``."""
    if not runs:
        raise DataError(f"{argument}: there are no runs in the dict")
    for run in runs.values():
        if not isinstance(run, Mapping | pd.DataFrame):
            shape = "{run: DataFrame}, {query: {document: score}} or {run: {query: {document: score}}}"
            raise UsageError(f"{argument}: expected runs as {shape}, found a {type(run).__name__} in a dict")
    inner = [value for run in runs.values() if isinstance(run, Mapping) for value in run.values()]
    if inner and not isinstance(inner[0], Mapping):
        yield "run", _pairs_in(runs, f"{what} run")
        return
    for name, run in runs.items():
        if not (frames.is_whole(name) or (isinstance(name, str) and name.strip())):
            raise DataError(f"{argument}: the name of a run should be text, found {short(name)}")
        where = f"{what} {name}"
        yield (
            str(name),
            _pairs(_frame(run, where), frames.SCORE) if isinstance(run, pd.DataFrame) else _pairs_in(run, where),
        )


def _pairs_in(nested: Mapping[str, Any], where: str) -> _Pairs:
    """The queries, the documents and the numbers of a dict of dicts."""
    for query, graded in nested.items():
        if not isinstance(graded, Mapping):
            raise DataError(f"expected a dict of documents for query {query}, found {short(graded)}", path=where)
    rows = [(query, doc, number) for query, graded in nested.items() for doc, number in graded.items()]
    queries, docs, numbers = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    frame = Frame(where, ["query_id", "doc_id"], [queries, docs])
    return _Pairs(where, frames.ids(frame, 0), frames.ids(frame, 1), numbers, range(1, len(rows) + 1), in_dict=True)


def _number(pairs: _Pairs, index: int, noun: str) -> float:
    value = pairs.numbers[index]
    number = frames.number_of(value)
    if number is None:
        raise pairs.error(index, frames.number_fault(value, noun))
    return number


def _grade(pairs: _Pairs, index: int) -> int:
    """A grade; True and False are 1 and 0."""
    value = pairs.numbers[index]
    number = float(value) if isinstance(value, bool) else _number(pairs, index, "grade")
    if not number.is_integer():
        raise pairs.error(index, f"grade {short(value)} is not a whole number")
    return int(number)
