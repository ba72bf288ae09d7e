"""Tables of scores, csv or tsv: long ones have a row per value, wide ones a column per measure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.measure_columns import is_full, is_like_a_measure, named_as_measures, unlike_measures
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.score_layout import Record
from biasvar_cli.readers.score_names import is_count, is_document, is_id, is_nameless, places_of
from biasvar_cli.readers.score_records import Means, is_fraction
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, Row, separator, shown, table_rows
from biasvar_cli.words import examples

Orient = Literal["queries", "runs"]

_GDEVAL = ((re.compile(r"ndcg@(\d+)"), "nDCG(dcg='exp-log2')@{}"), (re.compile(r"err@(\d+)"), "ERR@{}"))


class Cells(NamedTuple):
    """A header of stripped cells and the rows below it, all of its length, with their line numbers.

    ``line`` is that of the header, None where it stands in no line. ``numbers`` are columns that are known to hold
    numbers and no names, whatever they are called.
    """

    path: str
    line: int | None
    header: list[str]
    rows: Iterable[Row]
    numbers: frozenset[int] = frozenset()


def read_table(text: str, path: str) -> Cells:
    """The header and the rows of a csv or tsv, by the separator that `text.separator` finds.

    Raises `DataError` for a text without a row below a header of two names or more; the rows raise it for a line that
    cannot be read or has another number of cells. A header that lacks the first cell only, as R's write.table leaves
    it out, gets an empty one, see `_short_header`.

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
        listed = list(_of_length(chain([second], rows), len(header) + 1, path))
        _check_short(header, listed, path, commas=separator(text)[0] == ",")
        return Cells(path, line, ["", *header], listed)
    return Cells(path, line, header, _of_length(chain([second], rows), len(header), path))


def _check_short(header: Sequence[str], rows: Sequence[Row], path: str, *, commas: bool) -> None:
    """Raise `DataError` unless the name that a header lacks is that of a first column of ids or row numbers.

    The ids are no fractions, each is there once, and a column that is called as ids are holds none either: then they
    are row numbers. Between ``commas``, a point in some number shows that no comma is a decimal one.
    """
    line, cells = rows[0]
    ids = [row[0] for _, row in rows]
    named = [place for place, name in enumerate(header, 1) if is_id(name)]
    plain = not any(is_fraction(row[place]) for _, row in rows for place in (0, *named))
    counting = not named or ids == [str(number) for number in range(1, len(ids) + 1)]
    pointed = not commas or any("." in cell and NUMBER.fullmatch(cell) for _, row in rows for cell in row[1:])
    if is_measure(header[0]) or "" in ids or len(set(ids)) < len(ids) or not (plain and counting and pointed):
        what = f"expected {len(header)} columns, as in the header, found {len(cells)}"
        decimal = "" if pointed else "; if the commas in the numbers are decimal ones, write points, or separate by ;"
        raise DataError(f"{what}: name every column{decimal}", path=path, line=line)


class Read(NamedTuple):
    """The records of a table, and what `score_records.assemble` has to know of it; ``others`` as in `ScoreFile`."""

    records: Iterator[Record]
    runs_named: bool
    means: Means | None
    oddities: tuple[Oddity, ...]
    remedy: str
    others: tuple[str, ...] = ()


def records_of(
    table: Cells,
    *,
    orient: Orient | None = None,
    id_column: str | None = None,
    measure: str | None = None,
    asked: Collection[str] = (),
) -> Read | Cells:
    """The records of a long or wide table; the table itself for a matrix.

    ``measure`` is used where a long table names none. The run is the file's where no column names it. A wide table has
    a column of queries and others that are named as measures, or one of runs too. Where some columns beside the queries
    are named as measures and some are not, it is a wide table if there are at least as many of the former, or if one of
    them is ``asked`` for. With ``id_column`` the rows are looked at twice.

    Raises `DataError` for columns that could mean two things.

    >>> table = read_table("run,query_id,measure,score\\nbm25,301,map,0.25\\n", "scores.csv")
    >>> list(records_of(table).records)
    [Record(line=2, run='bm25', measure='AP', query='301', text='0.25', column='column score')]
    """
    chosen = id_column != "none" and id_column in table.header
    if chosen:
        table = table._replace(rows=list(table.rows))
    table = _without_documents(table)
    roles = _roles(table, id_column if chosen else None)
    if _is_long(roles, orient):
        return _long(table, roles, measure)
    named = {place for places in roles.values() for place in places}
    if "run" not in roles or not all(
        place in named or is_like_a_measure(name) for place, name in enumerate(table.header)
    ):
        table = table._replace(rows=list(table.rows))  # names alone do not say what every column is
    if _is_wide(table, roles, orient, asked, chosen=chosen):
        return _wide(table, roles, asked, chosen=chosen)
    return table


def _without_documents(table: Cells) -> Cells:
    """The table; raises `DataError` if a column of documents beside the queries says that it is a run or qrels."""
    place = next((place for place, name in enumerate(table.header) if is_document(name)), None)
    if place is None or not places_of(table.header, "query"):
        return table
    table = table._replace(rows=list(table.rows))
    if not any(is_fraction(cells[place]) for _, cells in table.rows):
        what = f"column {shown(table.header[place])} says that these are the results of a run, or judgments, as a table"
        remedy = "write a run with 6 columns and no header: topic Q0 document rank score tag"
        raise DataError(f"{what}; {remedy}", path=table.path, line=table.line)
    return table


def _of_length(rows: Iterable[Row], width: int, path: str) -> Iterator[Row]:
    for line, cells in rows:
        if len(cells) != width:
            raise DataError(f"expected {width} columns, as in the header, found {len(cells)}", path=path, line=line)
        yield line, cells


def _roles(table: Cells, id_column: str | None) -> dict[str, list[int]]:
    """Which columns of a long or wide table could be what, by their names.

    ``--id-column`` has the queries, and a column of scores then names no runs, whatever it is called.
    """
    roles = ("run", "query", "measure", "score")
    found = {role: places_of(table.header, role) for role in roles}
    if id_column is not None and table.header.count(id_column) == 1:
        place = table.header.index(id_column)
        found = {role: [each for each in places if each != place] for role, places in found.items()}
        found["query"] = [place]
        found["run"] = [at for at in found["run"] if not any(is_fraction(cells[at]) for _, cells in table.rows)]
    found["run"] = [place for place in found["run"] if place not in table.numbers]
    return {role: columns for role, columns in found.items() if columns}


def _only(table: Cells, role: str, columns: Sequence[int]) -> int:
    if len(columns) > 1:
        named = " and ".join(table.header[column] for column in columns[:2])
        which = f"say which with --id-column {shown(table.header[columns[0]])}" if role == "query" else "keep one"
        raise DataError(f"columns {named} could both be the {role}; {which}", path=table.path, line=table.line)
    return columns[0]


def _is_long(roles: dict[str, list[int]], orient: Orient | None) -> bool:
    """Whether there is a column of scores: beside runs or measures, or unless ``--orient`` says that it is a matrix."""
    return {"query", "score"} <= set(roles) and (orient is None or "run" in roles or "measure" in roles)


def _long(table: Cells, roles: dict[str, list[int]], default: str | None) -> Read:
    """The records of a table with a column of scores; without a column of runs, the file is the run."""
    at = {role: _only(table, role, columns) for role, columns in roles.items()}
    others = [name for index, name in enumerate(table.header) if name and index not in at.values()]
    if others and not {"run", "measure"} & set(at):
        what = f"is column {shown(others[0])} a run, beside {table.header[at['score']]}?"
        remedy = "Add a column of runs or measures to a long table, or give --orient queries for a matrix"
        raise DataError(f"{what} {remedy}", path=table.path, line=table.line)
    lacking = [role for role in ("run", "measure") if role not in at]
    remedy = "keep one"
    if lacking:
        columns = f" (columns not read: {shown(', '.join(others))})" if others else ""
        remedy = f"keep one, or add a column called {' or '.join(lacking)} that tells them apart{columns}"
    return Read(_long_records(table, at, default), "run" in at, None, (), remedy)


def _long_records(table: Cells, at: dict[str, int], default: str | None) -> Iterator[Record]:
    query_at, score_at = at["query"], at["score"]
    run_at, measure_at = at.get("run"), at.get("measure")
    name, column = run_name(table.path), f"column {table.header[score_at]}"
    for line, cells in table.rows:
        run = name if run_at is None else cells[run_at]
        measure = canonical(cells[measure_at]) or default if measure_at is not None else default
        yield Record(line, run, measure, cells[query_at], cells[score_at], column)


def _is_wide(
    table: Cells, roles: dict[str, list[int]], orient: Orient | None, asked: Collection[str], *, chosen: bool
) -> bool:
    """Whether there is a column per measure: beside runs and queries, or others that are named as measures.

    Where the ids are ``chosen``, what is named like an id or a count and no measure does not count. Raises `DataError`
    where most columns are not named as measures, and might be runs.
    """
    header = table.header
    known = {column for role in ("run", "query") for column in roles.get(role, ())}
    others = [place for place, name in enumerate(header) if not is_nameless(name) and place not in known]
    if chosen:
        others = [place for place in others if not _is_beside(header[place])]
    if not others or "score" in roles or "query" not in roles:
        return False
    if "run" in roles or orient is not None:
        return "run" in roles
    if all(is_measure(header[place]) for place in others):
        return True
    rows = list(table.rows)
    named = named_as_measures(header, rows, others, asked)
    if named and not any(canonical(header[place]) in asked for place in named):
        _refuse_runs(table, rows, named, [place for place in others if place not in named])
    return bool(named)


def _refuse_runs(table: Cells, rows: Sequence[Row], named: Sequence[int], others: Sequence[int]) -> None:
    """Raise `DataError` where more of the other columns could be runs than columns are named as measures."""
    unlike = unlike_measures(table.header, rows, others)
    if len(unlike) > len(named):
        one, two = shown(table.header[named[0]]), shown(table.header[unlike[0]])
        what = f"are the columns runs or measures? {one} is named as a measure, {two} is not"
        remedy = f"say --orient queries if they are runs, or -m {one} if they are measures"
        raise DataError(f"{what}; {remedy}", path=table.path, line=table.line)


def _is_beside(name: str) -> bool:
    return not is_measure(name) and (is_id(name) or is_count(name))


def _wide(table: Cells, roles: dict[str, list[int]], asked: Collection[str], *, chosen: bool) -> Read:
    """The records of gdeval's and ndeval's csv, and of tables like it.

    Where some columns are named as measures, one that is not is read if it is ``asked`` for, or has a number in
    every row.
    """
    query_at = _only(table, "query", roles["query"])
    run_at = _only(table, "run", roles["run"]) if "run" in roles else None
    left_out, measured = [], []
    for index, name in enumerate(table.header):
        if index in (query_at, run_at):
            continue
        if _is_left_out(table, index, name, chosen=chosen):
            left_out.append(index)
        elif not name:
            raise DataError(f"column {index + 1} has no name", path=table.path, line=table.line)
        else:
            measured.append(index)
    unlike = [index for index in measured if not is_like_a_measure(table.header[index])]
    mixed = run_at is None or len(unlike) < len(measured)
    others = [index for index in unlike if mixed and canonical(table.header[index]) not in asked]
    words = [index for index in others if not is_full(list(table.rows), index)]
    gdeval = [name.lower() for name in table.header[:2]] == ["runid", "topic"]
    records = _wide_records(table, query_at, run_at, [each for each in measured if each not in words], gdeval=gdeval)
    remedy = "keep one" if run_at is not None else "keep one, or add a column called run that tells them apart"
    return Read(
        records,
        run_at is not None,
        "usual" if gdeval else None,
        said(table, sorted([*left_out, *words])),
        remedy,
        tuple(canonical(table.header[index]) for index in others if index not in words),
    )


def _is_left_out(table: Cells, place: int, name: str, *, chosen: bool) -> bool:
    """Whether a column of a wide table has no scores: row numbers, or, where the ids are chosen, other ids and counts.

    A fraction shows that it has scores, whatever its name.
    """
    may = (is_nameless(name) and (place == 0 or chosen)) or (chosen and _is_beside(name))
    return may and not any(is_fraction(cells[place]) for _, cells in table.rows)


def _wide_records(
    table: Cells, query_at: int, run_at: int | None, measured: Sequence[int], *, gdeval: bool
) -> Iterator[Record]:
    names = [table.header[index] for index in measured]
    columns = [
        (index, _gdeval_name(name) if gdeval else canonical(name), f"column {name}")
        for index, name in zip(measured, names, strict=True)
    ]
    own, words = run_name(table.path), False
    for line, cells in table.rows:
        run = own if run_at is None else cells[run_at]
        if run_at is not None and is_fraction(run):
            what = f"column {table.header[run_at]} should name runs, but {run} looks like a score"
            remedy = f"give --id-column {table.header[query_at]} if it has the scores of a run, or rename it"
            raise DataError(f"{what}; {remedy}", path=table.path, line=line)
        words = words or not NUMBER.fullmatch(run)
        for index, measure, column in columns:
            yield Record(line, run, measure, cells[query_at], cells[index], column)
    if run_at is not None and not (words or any(map(is_measure, names))):
        what = f"column {table.header[run_at]} should name runs, but has numbers alone"
        remedy = "rename it if it has scores, or name the measures as ir-measures or trec_eval do"
        raise DataError(f"{what}; {remedy}", path=table.path, line=table.line)


def said(table: Cells, columns: Sequence[int]) -> tuple[Oddity, ...]:
    """That columns are left out which are no scores."""
    if not columns:
        return ()
    names = [shown(table.header[column]) if table.header[column] else "without a name" for column in columns]
    words = [f"column {column + 1}, {name}" for column, name in zip(columns, names, strict=True)]
    return (Oddity("columns that hold no scores left out", table.path, 0, examples(words), "file"),)


def _gdeval_name(name: str) -> str:
    """gdeval's ``ndcg@k`` has gains 2^grade - 1, which ir-measures calls otherwise."""
    for pattern, form in _GDEVAL:
        match = pattern.fullmatch(name)
        if match:
            return canonical(form.format(match[1]))
    return canonical(name)
