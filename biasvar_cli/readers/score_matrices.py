"""Score matrices: runs x queries under one measure, either way round, with or without a column of ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.recognise import QUERY_NAMES
from biasvar_cli.readers.score_records import Record, ScoreFile, assemble, is_fraction
from biasvar_cli.readers.score_tables import RUN_NAMES, Cells, Orient
from biasvar_cli.readers.text import HOLES, NUMBER, Row, shown

_ID_NAMES = {"", "topic_id", *RUN_NAMES, *QUERY_NAMES}


class _Matrix(NamedTuple):
    """Column ``at`` (None: no column) has the ``ids``, those at ``places``, called ``names``, the scores."""

    table: Cells
    rows: list[Row]
    at: int | None
    places: list[int]
    names: list[str]
    ids: list[str]


def parse_matrix(
    table: Cells, *, orient: Orient | None = None, id_column: str | None = None, measure: str | None = None
) -> ScoreFile:
    """The scores of a matrix, by the rules of ``--id-column`` and ``--orient`` in the interface.

    A first column with words, or under the name of an id or a measure, is one of ids; one with fractions or with
    repeated numbers is one of scores. Rows are queries, numbered if they have no ids, unless numbers name the other
    columns and no row: then rows are runs. Raises `DataError` for what is wrong, and for what stays ambiguous.

    >>> from biasvar_cli.readers.score_tables import read_table
    >>> file = parse_matrix(read_table("AP,801,802\\nbm25,0.5,0.25\\n", "ap.csv"))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('801', '802'), [[[0.5, 0.25]]])
    """
    if all(map(NUMBER.fullmatch, table.header)):
        raise _no_header(table)
    rows = list(table.rows)
    measured = canonical(measure) if measure else None
    at = _id_column(table, rows, id_column, measured)
    places = [index for index in range(len(table.header)) if index != at]
    ids = [str(count) if at is None else cells[at] for count, (_, cells) in enumerate(rows, 1)]
    matrix = _Matrix(table, rows, at, places, [table.header[index] for index in places], ids)
    _check_names(matrix)
    by_run = _rows_are_runs(matrix, orient, guess_header=id_column is None)
    corner = "" if at is None else table.header[at]
    name = canonical(corner) if is_measure(corner) else measured
    return assemble(_records(matrix, by_run, name), table.path, numbered=at is None)


def _records(matrix: _Matrix, by_run: bool, measure: str | None) -> Iterator[Record]:
    columns = [(index, name, f"column {shown(name)}") for index, name in zip(matrix.places, matrix.names, strict=True)]
    for key, (line, cells) in zip(matrix.ids, matrix.rows, strict=True):
        for index, name, column in columns:
            run, query = (key, name) if by_run else (name, key)
            yield Record(line, run, measure, query, cells[index], column)


def _id_column(table: Cells, rows: Sequence[Row], asked: str | None, measured: str | None) -> int | None:
    """The column of ids: the one that ``--id-column`` names, else the first or none. Raises if unclear."""
    name = table.header[0]
    if asked == "none":
        return None
    if asked is not None:
        return _column_called(table, asked)
    cells = [(line, row[0]) for line, row in rows]
    words = any(not NUMBER.fullmatch(cell) and cell.lower() not in HOLES for _, cell in cells)
    if words or _names_ids(name, measured):
        fraction = next(((line, cell) for line, cell in cells if is_fraction(cell)), None)
        if fraction:
            line, cell = fraction
            what = f"column {shown(name)} should hold ids, but {cell} looks like a score"
            raise DataError(f"{what}; say which it is with --id-column NAME | none", path=table.path, line=line)
        return 0
    numbers = [float(cell) for _, cell in cells if NUMBER.fullmatch(cell)]
    if len(numbers) < len(cells) or any(map(is_fraction, dict(cells).values())) or len(set(numbers)) < len(numbers):
        return None
    what = f"column {shown(name)} holds whole numbers, each once: ids or scores?"
    raise DataError(f"{what} Say so with --id-column NAME | none", path=table.path, line=table.line)


def _column_called(table: Cells, name: str) -> int:
    found = [index for index, cell in enumerate(table.header) if cell == name]
    if len(found) != 1:
        what = f"{len(found)} columns are called {name!r} (--id-column)"
        raise DataError(f"{what}; the first column is {shown(table.header[0])}", path=table.path, line=table.line)
    return found[0]


def _names_ids(name: str, measured: str | None) -> bool:
    """Whether a column of this name is one of ids: the word for an id, no name at all, or a measure's name."""
    return name.lower() in _ID_NAMES or is_measure(name) or (measured is not None and canonical(name) == measured)


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


def _rows_are_runs(matrix: _Matrix, orient: Orient | None, *, guess_header: bool) -> bool:
    """Whether rows are runs: with ids, if only the other names are numbers; ``--orient`` overrides all guesses."""
    table = matrix.table
    across = all(map(NUMBER.fullmatch, matrix.names))
    if matrix.at is None:
        if orient == "runs":
            what = "no column names the runs that the rows are (--orient runs)"
            raise DataError(f"{what}; say with --id-column NAME which does", path=table.path, line=table.line)
        return False
    corner = table.header[matrix.at]
    if across and guess_header and not _names_ids(corner, None) and any(map(is_fraction, matrix.names)):
        raise _no_header(table)
    if orient is not None:
        return orient == "runs"
    if all(map(is_measure, matrix.names)):
        what = f"{shown(matrix.names[0])} is a measure: call the first column topic if these are the scores of one run"
        raise DataError(f"{what}, else give --orient queries | runs", path=table.path, line=table.line)
    down = all(map(NUMBER.fullmatch, matrix.ids))
    if (across and (down or corner.lower() in QUERY_NAMES)) or (not across and corner.lower() in RUN_NAMES):
        names = f"the header has {shown(corner)} and {shown(matrix.names[0])}, the first row {shown(matrix.ids[0])}"
        what = f"are the rows queries or runs? {names}"
        raise DataError(f"{what}; say so with --orient queries | runs", path=table.path, line=table.line)
    return across


def _no_header(table: Cells) -> DataError:
    return DataError("expected a header with names, found numbers; name the columns", path=table.path, line=table.line)
