"""DataFrames and dicts as what files hold: runs and relevance judgments."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.notebook import frames
from biasvar_cli.notebook.frames import RanxRun, Retrieved, is_ranx_run, opened, quoted_value, short, with_records
from biasvar_cli.readers.qrels import Qrels, parse_qrels
from biasvar_cli.readers.result_tables import MOST_GRADE
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.scoring.scorer import LoadedSource
from biasvar_cli.words import examples

Path = str | os.PathLike[str]
Runs = Path | pd.DataFrame | Mapping[str, Any] | RanxRun | Iterable[Path] | Iterable[RanxRun] | Iterable[Retrieved]
Judgments = Path | pd.DataFrame | Mapping[str, Mapping[str, int]] | frames.RanxQrels | Iterable[frames.Judgment]

JUDGMENTS = "the judgments"  # what messages call those in memory
_SWAPPED = "runs and judgments look swapped: give the runs first, then the judgments"


class Judged(NamedTuple):
    """Judgments in memory, and which columns of ids were left out, in words."""

    qrels: Qrels
    left_out: str


class _Pairs(NamedTuple):
    """Pairs of a query and a document, each with a number as it was given, and the row that it stands in.

    ``in_dict``: the pairs come from a dict, which has no rows.
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
    values = with_records(opened(runs))
    if is_ranx_run(values):
        values = {values.name or "run": values}
    if isinstance(values, pd.DataFrame):
        named = list(_pairs_in_frame(values, what, argument))
    elif isinstance(values, Mapping):
        named = list(_pairs_in_dict(values, what, argument))
    elif isinstance(values, list | tuple) and values and all(map(is_ranx_run, values)):
        for number, run in enumerate(values, 1):
            if not isinstance(run.name, str) or not run.name.strip():
                lack = f"run {number} of the list has no name"
                raise UsageError(f"{argument}: {lack}; name it, as Run(..., name='bm25') does, or give {{name: run}}")
        named = [(run.name.strip(), _pairs_of(run, f"{what} {run.name.strip()}")) for run in values]
    else:
        return paths(values, argument), ()
    if len({name for name, _ in named}) < len(named):
        raise DataError(f"two {what}s have one name: {examples(sorted(name for name, _ in named))}")
    return (), tuple(_run_of(name, pairs) for name, pairs in named)


def are_documents(values: Any) -> bool:
    """Whether what is in memory are retrieved documents, with their scores: a run or several.

    A dict of dicts does not say so: the keys below may be measures.

    >>> are_documents(pd.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [1.0]})), are_documents(["bm25.gz"])
    (True, False)
    """
    table = with_records(values)
    if isinstance(table, pd.DataFrame):
        header = [str(name) for name in table.columns]
        return all(frames.columns_of(header, role) for role in (frames.TOPIC, frames.DOCUMENT, frames.SCORE))
    if isinstance(table, Mapping | list | tuple):
        runs = list(table.values() if isinstance(table, Mapping) else table)
        return bool(runs) and all(
            is_ranx_run(run) or (isinstance(table, Mapping) and not isinstance(run, Mapping) and are_documents(run))
            for run in runs
        )
    return is_ranx_run(table)


def paths(names: Any, argument: str, other: str = "a dict") -> tuple[str, ...]:
    """Paths as text. Raises `UsageError` for anything else; it names the argument and what ``other`` form it may have.

    >>> paths("runs", "runs"), paths(["a.csv", "b.csv"], "scores")
    (('runs',), ('a.csv', 'b.csv'))
    """
    if frames.is_ranx_qrels(names):
        raise UsageError(f"{argument}: found judgments; {_SWAPPED}")
    try:
        several: list[Any] = [names] if isinstance(names, str | bytes | os.PathLike) else list(names)
    except TypeError:
        several = [names]
    for name in several:
        if isinstance(name, pd.DataFrame | Mapping) and names is not name:
            what = f"found a list with {quoted_value(name)}, which says no name"
            raise UsageError(f"{argument}: {what}; give a dict, {{run: {type(name).__name__}}}")
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
    if not frames.is_text(text):
        raise UsageError(f"{argument}: expected a path, found {quoted_value(text)}")
    return text


def qrels_of(judgments: object) -> Judged:
    """Judgments in memory as a file of qrels has them: columns of query, document and grade, or a dict of dicts.

    >>> qrels_of({"q1": {"d1": 1, "d2": 0}}).qrels.grades.tolist()
    [1, 0]
    """
    values = with_records(opened(judgments))
    if is_ranx_run(values):
        raise UsageError(f"qrels: found a run; {_SWAPPED}")
    if frames.is_ranx_qrels(values):
        values = values.to_dict()
    if not isinstance(values, pd.DataFrame | Mapping):
        shape = "a path, a DataFrame or {query: {document: grade}}"
        raise UsageError(f"qrels: expected {shape}, found {quoted_value(judgments)}")
    others: list[str] | None = None
    if isinstance(values, pd.DataFrame):
        frame = _frame(values, JUDGMENTS)
        pairs = _pairs(frame, _grade_called_score(frame) or frames.GRADE)
        second = frames.columns_of(frame.header, frames.SUBTOPIC)
        others = frames.ids(frame, second[0]) if second else None
    else:
        pairs = _pairs_in(values, JUDGMENTS)
    grades = []
    for index, value in enumerate(pairs.numbers):
        grade = (
            float(value) if isinstance(value, bool) else _number(pairs, index, "grade")
        )  # True and False are 1 and 0
        if not grade.is_integer():
            raise pairs.error(index, f"grade {short(value)} is not a whole number")
        grades.append(str(int(grade)))
    lines = zip(pairs.queries, others or ["0"] * len(grades), pairs.docs, grades, strict=True)
    text = "".join(f"{' '.join(line)}\n" for line in lines)
    if not text:
        raise DataError("qrels: there are no judgments")
    with frames.in_rows(JUDGMENTS, pairs.rows):
        return Judged(parse_qrels(text.encode(), JUDGMENTS), pairs.left_out)


def _grade_called_score(frame: frames.Frame) -> frames.Role | None:
    """The column of grades that ranx, BEIR and mteb call score: small whole numbers beside no other grade."""
    columns = frames.columns_of(frame.header, frames.SCORE)
    if len(columns) != 1 or frames.columns_of(frame.header, frames.GRADE):
        return None
    cells = frame.columns[columns[0]]
    whole = all(frames.is_whole(cell) and cell <= MOST_GRADE for cell in cells)
    return frames.Role(frames.GRADE.noun, frames.SCORE.names) if whole else None


def _run_of(name: str, pairs: _Pairs) -> LoadedSource:
    """A run in memory, as a file of six columns has it."""
    if not pairs.numbers:
        raise DataError("there are no results", path=pairs.where)
    numbers = [_number(pairs, index, "score") for index in range(len(pairs.numbers))]
    rows = zip(pairs.queries, pairs.docs, numbers, strict=True)
    text = "".join(f"{query} Q0 {doc} 0 {score!r} run\n" for query, doc, score in rows)
    with frames.in_rows(pairs.where, pairs.rows):
        run = parse_run(text.encode(), pairs.where, name_by="tag")
    return LoadedSource(name, pairs.where, content=replace(run, name=name), left_out=pairs.left_out)


def _frame(frame: pd.DataFrame, where: str) -> frames.Frame:
    """A DataFrame of documents as lists. Raises `DataError` where its index has what should be columns."""
    table = frames.frame_of(frame, where)
    roles = (frames.TOPIC, frames.DOCUMENT, frames.RUN)
    for level in frame.index.names:
        role = next((role for role in roles if level is not None and frames.columns_of([str(level)], role)), None)
        if role is not None and not frames.columns_of(table.header, role):
            what = f"the index has {role.noun}, {level}"
            raise DataError(f"{what}: make it a column with reset_index()", path=where)
    if frame.index.nlevels > 1 and None in frame.index.names and not frames.columns_of(table.header, frames.RUN):
        what = "the index has several levels, one of them without a name, which may have the names of the runs"
        raise DataError(f"{what}; make it a column called run, or drop it with reset_index(drop=True)", path=where)
    return table


def _pairs(frame: frames.Frame, number: frames.Role) -> _Pairs:
    """The queries, the documents and the numbers of a DataFrame."""
    query, other_queries = frames.chosen(frame, frames.TOPIC)
    doc, other_docs = frames.chosen(frame, frames.DOCUMENT)
    if not frames.columns_of(frame.header, number):
        swapped = frames.SCORE if number is frames.GRADE else frames.GRADE
        if frames.columns_of(frame.header, swapped):
            what = f"there is no column {' or '.join(number.names[:3])}; it has {', '.join(frame.header)}"
            raise DataError(f"{what}; {_SWAPPED}", path=frame.where)
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


def _pairs_in_frame(frame: pd.DataFrame, what: str, argument: str) -> Iterator[tuple[str, _Pairs]]:
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
    for name, indices in sorted(members.items()):
        queries, docs, numbers = ([cells[index] for index in indices] for cells in pairs[1:4])
        rows = [index + 1 for index in indices]
        yield name, _Pairs(f"{what} {name}", queries, docs, numbers, rows, left_out=pairs.left_out)


def _pairs_in_dict(runs: Mapping[str, Any], what: str, argument: str) -> Iterator[tuple[str, _Pairs]]:
    """Runs by name; where the values of a dict of dicts are numbers, it is a single run called ``run``."""
    if not runs:
        raise DataError(f"{argument}: there are no runs in the dict")
    by_name = {name: with_records(run) for name, run in runs.items()}
    for run in by_name.values():
        if not (isinstance(run, Mapping | pd.DataFrame) or is_ranx_run(run)):
            shape = "{run: DataFrame}, {query: {document: score}} or {run: {query: {document: score}}}"
            raise UsageError(f"{argument}: expected runs as {shape}, found a {type(run).__name__} in a dict")
    inner = [value for run in by_name.values() if isinstance(run, Mapping) for value in run.values()]
    if inner and not isinstance(inner[0], Mapping):
        yield "run", _pairs_in(by_name, f"{what} run")
        return
    for name, run in by_name.items():
        if not (frames.is_whole(name) or (isinstance(name, str) and name.strip())):
            raise DataError(f"{argument}: the name of a run should be text, found {short(name)}")
        yield str(name), _pairs_of(run, f"{what} {name}")


def _pairs_of(run: Any, where: str) -> _Pairs:
    """The queries, the documents and the scores of one run."""
    if isinstance(run, pd.DataFrame):
        return _pairs(_frame(run, where), frames.SCORE)
    nested: Mapping[str, Any] = run.to_dict() if is_ranx_run(run) else run
    return _pairs_in(nested, where)


def _pairs_in(nested: Mapping[str, Any], where: str) -> _Pairs:
    """The queries, the documents and the numbers of a dict of dicts."""
    for query, graded in nested.items():
        if not isinstance(graded, Mapping):
            raise DataError(f"expected a dict of documents for query {query}, found {short(graded)}", path=where)
    rows = [(query, doc, number) for query, graded in nested.items() for doc, number in graded.items()]
    queries, docs, numbers = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    frame = frames.Frame(where, ["query_id", "doc_id"], [queries, docs])
    return _Pairs(where, frames.ids(frame, 0), frames.ids(frame, 1), numbers, range(1, len(rows) + 1), in_dict=True)


def _number(pairs: _Pairs, index: int, noun: str) -> float:
    value = pairs.numbers[index]
    number = frames.number_of(value)
    if number is None:
        raise pairs.error(index, frames.number_fault(value, noun))
    return number
