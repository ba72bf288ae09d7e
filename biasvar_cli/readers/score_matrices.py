"""Score matrices: runs x queries under one measure, either way round, with or without a column of ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_count, is_measure
from biasvar_cli.readers.measure_columns import named_as_measures
from biasvar_cli.readers.score_columns import columns_of, names_ids
from biasvar_cli.readers.score_layout import Record
from biasvar_cli.readers.score_names import is_count as is_count_name
from biasvar_cli.readers.score_names import is_id, is_known, is_nameless, named
from biasvar_cli.readers.score_ranges import ALLOW, whole_numbers_among_fractions
from biasvar_cli.readers.score_records import ScoreFile, assemble, is_fraction
from biasvar_cli.readers.score_summaries import summary
from biasvar_cli.readers.score_tables import Cells, Orient, said
from biasvar_cli.readers.text import NUMBER, Row, shown


class _Matrix(NamedTuple):
    """Column ``at`` (None: no column) has the ``ids``, those at ``places``, called ``names``, the scores."""

    table: Cells
    rows: list[Row]
    at: int | None
    places: list[int]
    names: list[str]
    ids: list[str]


def parse_matrix(
    table: Cells,
    *,
    orient: Orient | None = None,
    id_column: str | None = None,
    measure: str | None = None,
    allow_range: bool = False,
) -> ScoreFile:
    """The scores of a matrix, by the rules of ``--id-column`` and ``--orient`` in the interface.

    For the column of ids, and for columns that are no scores, see `score_columns.columns_of`. Rows are queries,
    numbered if they have no ids, unless numbers name the other columns and no row: then rows are runs. Raises
    `DataError` for what is wrong, and for what stays ambiguous.

    >>> from biasvar_cli.readers.score_tables import read_table
    >>> file = parse_matrix(read_table("AP,801,802\\nbm25,0.5,0.25\\n", "ap.csv"))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('801', '802'), [[[0.5, 0.25]]])
    """
    if all(map(NUMBER.fullmatch, table.header)) or (is_fraction(table.header[-1]) and table.header[0].isdigit()):
        raise _no_header(table)
    if orient is None and id_column is None and is_nameless(table.header[0]) and all(map(is_known, table.header[1:])):
        raise _measures_across(table, "", table.header[1])
    rows = list(table.rows)
    measured = canonical(measure) if measure else None
    at, places, left_out = columns_of(table, rows, id_column, measured)
    ids = [str(count) if at is None else cells[at] for count, (_, cells) in enumerate(rows, 1)]
    matrix = _Matrix(table, rows, at, places, [table.header[index] for index in places], ids)
    _check_names(matrix)
    _refuse_counts(matrix, asked=id_column is not None)
    by_run = _rows_are_runs(matrix, orient, guess_header=id_column is None)
    corner = "" if at is None else table.header[at]
    named = named_as_measures(table.header, rows, places) if orient is None and not is_measure(corner) else []
    if named:
        raise _measures_across(table, corner, table.header[named[0]])
    name = canonical(corner) if is_measure(corner) else measured
    found = assemble(
        _records(matrix, by_run, name),
        table.path,
        numbered=at is None,
        allow_range=allow_range,
        oddities=said(table, left_out),
    )
    if not (allow_range or id_column == "none" or (name and is_count(name))):
        _refuse_whole_numbers(found, matrix, by_run)
    return found


def _refuse_whole_numbers(file: ScoreFile, matrix: _Matrix, by_run: bool) -> None:
    """Raise `DataError` for a column or a row of whole numbers above 1 among scores from 0 to 1."""
    values = file.values[:, 0]
    for across in (True, False):
        by_name = across != by_run
        row = whole_numbers_among_fractions(values if by_name else values.T)
        if row is not None:
            name = (file.runs if by_name else file.queries)[row]
            line = matrix.table.line if across else matrix.rows[matrix.ids.index(name)][0]
            place = f"{'column' if across else 'row'} {shown(name)}"
            what = f"{place} has whole numbers above 1, all others have scores from 0 to 1"
            ids = f"give --id-column {shown(name)} if it has ids, " if across else ""
            raise DataError(f"{what}; {ids}leave it out if it has counts; {ALLOW}", path=matrix.table.path, line=line)


def _records(matrix: _Matrix, by_run: bool, measure: str | None) -> Iterator[Record]:
    columns = [(index, name, f"column {shown(name)}") for index, name in zip(matrix.places, matrix.names, strict=True)]
    for key, (line, cells) in zip(matrix.ids, matrix.rows, strict=True):
        for index, name, column in columns:
            run, query = (key, name) if by_run else (name, key)
            yield Record(line, run, measure, query, cells[index], column)


def _check_names(matrix: _Matrix) -> None:
    """Raise `DataError` for a column without a name, and for a name or an id that occurs twice."""
    path, top = matrix.table.path, matrix.table.line
    known: set[str] = set()
    for place, name in zip(matrix.places, matrix.names, strict=True):
        if not name:
            raise DataError(f"column {place + 1} has no name", path=path, line=top)
        if name in known:
            raise DataError(f"two columns are called {shown(name)}; rename one", path=path, line=top)
        known.add(name)
    lines: dict[str, int] = {}
    for key, (line, _) in zip(matrix.ids, matrix.rows, strict=True):
        first = lines.setdefault(key, line)
        if first != line:
            what = f"two rows are called {shown(key)}, the first in line {first}"
            raise DataError(f"{what}; keep one", path=path, line=line)


def _refuse_counts(matrix: _Matrix, *, asked: bool) -> None:
    """Raise `DataError` for a row that is named like ids or a count; where the ids were ``asked`` for, unless it has
    fractions.
    """
    for key, (line, cells) in zip(matrix.ids, matrix.rows, strict=True):
        if (is_id(key) or is_count_name(key)) and not (asked and any(is_fraction(cells[at]) for at in matrix.places)):
            what = f"row {shown(key)} is named like ids or a count, not like a run or a query"
            raise DataError(f"{what}; leave it out, or rename it", path=matrix.table.path, line=line)


def _rows_are_runs(matrix: _Matrix, orient: Orient | None, *, guess_header: bool) -> bool:
    """Whether rows are runs: with ids, if only the other names are numbers; ``--orient`` overrides all guesses."""
    table = matrix.table
    names = [name for name in matrix.names if not summary(name)] or matrix.names
    ids = [key for key in matrix.ids if not summary(key)] or matrix.ids
    numbers = sum(bool(NUMBER.fullmatch(name)) for name in names)
    across = numbers == len(names)
    if matrix.at is None:
        if orient == "runs":
            what = "no column names the runs that the rows are (--orient runs)"
            raise DataError(f"{what}; say with --id-column NAME which does", path=table.path, line=table.line)
        return False
    corner = table.header[matrix.at]
    if across and guess_header and not names_ids(corner, None) and any(map(is_fraction, names)):
        raise _no_header(table)
    if orient is not None:
        return orient == "runs"
    if all(map(is_known, names)):
        raise _measures_across(table, corner, matrix.names[0])
    down = sum(bool(NUMBER.fullmatch(key)) for key in ids)
    of_queries, of_runs = named(corner, "query"), named(corner, "run")
    mixed = 2 * numbers > len(names) and not (of_queries or down)
    if (of_queries or down == len(ids)) if across else (of_runs or mixed):
        found = f"the header has {shown(corner)} and {shown(names[0])}, the first row {shown(ids[0])}"
        what = f"are the rows queries or runs? {found}"
        raise DataError(f"{what}; say so with --orient queries | runs", path=table.path, line=table.line)
    return across


def _measures_across(table: Cells, corner: str, name: str) -> DataError:
    """The error of a header that has measures alone beside the ids: of one run, or averages of several."""
    first = shown(name)
    if named(corner, "run"):
        what = f"{shown(corner)} and {first}: has only averages, a row for each run"
        return DataError(f"{what}; save the scores of every query instead", path=table.path, line=table.line)
    what = f"{first} is a measure: call the first column topic if these are the scores of one run"
    return DataError(f"{what}, else give --orient queries | runs", path=table.path, line=table.line)


def _no_header(table: Cells) -> DataError:
    return DataError("expected a header with names, found numbers; name the columns", path=table.path, line=table.line)
