"""Tables of scores, csv or tsv: long ones have a row per value, wide ones a column per measure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.recognise import QUERY_NAMES, SCORE_NAMES
from biasvar_cli.readers.score_records import Record, is_fraction
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import Row, shown, table_rows

Orient = Literal["queries", "runs"]

RUN_NAMES = ("run", "run_id", "runid", "system", "tag")
_ROLES = {"run": RUN_NAMES, "query": QUERY_NAMES, "measure": ("measure", "metric"), "score": SCORE_NAMES}
_GDEVAL = ((re.compile(r"ndcg@(\d+)"), "nDCG(dcg='exp-log2')@{}"), (re.compile(r"err@(\d+)"), "ERR@{}"))


class Cells(NamedTuple):
    """A header of stripped cells and the rows below it, all of its length, with their line numbers."""

    path: str
    line: int
    header: list[str]
    rows: Iterable[Row]


def read_table(text: str, path: str) -> Cells:
    """The header and the rows of a csv or tsv, tab-separated if there is a tab in the header.

    Raises `DataError` for a text without a row below a header of two names or more; the rows raise it for a line that
    cannot be read or has another number of cells. A header that lacks the first cell only, as R's write.table leaves
    it out, gets an empty one.

    >>> table = read_table("bm25\\trm3\\n301\\t0.25\\t0.5\\n", "ap.tsv")
    >>> table.header, list(table.rows)
    (['', 'bm25', 'rm3'], [(2, ['301', '0.25', '0.5'])])
    """
    rows = table_rows(text, path)
    first = next(rows, None)
    if first is None:
        raise DataError("the file has no scores", path=path)
    line, header = first
    if len(header) < 2:
        raise DataError(f"expected a header with names, found {shown(header[0])}", path=path, line=line)
    second = next(rows, None)
    if second is None:
        raise DataError("the file has a header and no scores", path=path)
    if len(second[1]) == len(header) + 1:
        header = ["", *header]
    return Cells(path, line, header, _of_length(chain([second], rows), len(header), path))


def records_of(table: Cells, *, orient: Orient | None = None, measure: str | None = None) -> Iterator[Record] | None:
    """The records of a long or wide table, None for a matrix; ``measure`` is used where a long table names none.

    The run is the file's where no column names it. Raises `DataError` for columns that could mean two things.

    >>> table = read_table("run,query_id,measure,score\\nbm25,301,map,0.25\\n", "scores.csv")
    >>> list(records_of(table))
    [Record(line=2, run='bm25', measure='AP', query='301', text='0.25', column='column score')]
    """
    roles = _roles(table)
    if _is_long(roles, orient):
        return _long(table, roles, measure)
    if _is_wide(table.header, roles, orient):
        return _wide(table, roles)
    return None


def _of_length(rows: Iterable[Row], width: int, path: str) -> Iterator[Row]:
    for line, cells in rows:
        if len(cells) != width:
            raise DataError(f"expected {width} columns, as in the header, found {len(cells)}", path=path, line=line)
        yield line, cells


def _roles(table: Cells) -> dict[str, list[int]]:
    """Which columns of a long or wide table could be what, by their names."""
    names = [name.lower() for name in table.header]
    found = {role: [index for index, name in enumerate(names) if name in known] for role, known in _ROLES.items()}
    return {role: columns for role, columns in found.items() if columns}


def _only(table: Cells, role: str, columns: Sequence[int]) -> int:
    if len(columns) > 1:
        named = " and ".join(table.header[column] for column in columns[:2])
        raise DataError(f"columns {named} could both be the {role}; keep one", path=table.path, line=table.line)
    return columns[0]


def _is_long(roles: dict[str, list[int]], orient: Orient | None) -> bool:
    """Whether there is a column of scores: beside runs or measures, or unless ``--orient`` says that it is a matrix."""
    return {"query", "score"} <= set(roles) and (orient is None or "run" in roles or "measure" in roles)


def _long(table: Cells, roles: dict[str, list[int]], default: str | None) -> Iterator[Record]:
    """The records of a table with a column of scores; without a column of runs, the file is the run."""
    at = {role: _only(table, role, columns) for role, columns in roles.items()}
    others = [name for index, name in enumerate(table.header) if name and index not in at.values()]
    if others and not {"run", "measure"} & set(at):
        what = f"is column {shown(others[0])} a run, beside {table.header[at['score']]}?"
        remedy = "Add a column of runs or measures to a long table, or give --orient queries for a matrix"
        raise DataError(f"{what} {remedy}", path=table.path, line=table.line)
    query_at, score_at = at["query"], at["score"]
    run_at, measure_at = at.get("run"), at.get("measure")
    name, column = run_name(table.path), f"column {table.header[score_at]}"
    for line, cells in table.rows:
        run = name if run_at is None else cells[run_at]
        measure = canonical(cells[measure_at]) or default if measure_at is not None else default
        yield Record(line, run, measure, cells[query_at], cells[score_at], column)


def _is_wide(header: Sequence[str], roles: dict[str, list[int]], orient: Orient | None) -> bool:
    """Whether there is a column per measure: beside runs and queries, or all the others named as measures."""
    known = {column for role in ("run", "query") for column in roles.get(role, ())}
    others = [name for index, name in enumerate(header) if name and index not in known]
    if not others or "score" in roles or "query" not in roles:
        return False
    return "run" in roles or (orient is None and all(map(is_measure, others)))


def _wide(table: Cells, roles: dict[str, list[int]]) -> Iterator[Record]:
    """The records of gdeval's and ndeval's csv, and of tables like it."""
    query_at = _only(table, "query", roles["query"])
    run_at = _only(table, "run", roles["run"]) if "run" in roles else None
    if "" in table.header[1:]:
        unnamed = table.header.index("", 1) + 1
        raise DataError(f"column {unnamed} has no name", path=table.path, line=table.line)
    gdeval = [name.lower() for name in table.header[:2]] == ["runid", "topic"]
    columns = [
        (index, _gdeval_name(name) if gdeval else canonical(name), f"column {name}")
        for index, name in enumerate(table.header)
        if index not in (query_at, run_at) and (name or index > 0)
    ]
    name = run_name(table.path)
    for line, cells in table.rows:
        run = name if run_at is None else cells[run_at]
        if run_at is not None and is_fraction(run):
            what = f"column {table.header[run_at]} should name runs, but {run} looks like a score"
            raise DataError(f"{what}; rename the column", path=table.path, line=line)
        for index, measure, column in columns:
            yield Record(line, run, measure, cells[query_at], cells[index], column)


def _gdeval_name(name: str) -> str:
    """gdeval's ``ndcg@k`` has gains 2^grade - 1, which ir-measures calls otherwise."""
    for pattern, form in _GDEVAL:
        match = pattern.fullmatch(name)
        if match:
            return canonical(form.format(match[1]))
    return canonical(name)
