"""Which column of a matrix has the ids, which have scores, and which are neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.score_names import is_count, is_id, is_nameless, named
from biasvar_cli.readers.score_records import is_fraction
from biasvar_cli.readers.score_tables import Cells
from biasvar_cli.readers.text import HOLES, NUMBER, Row, shown


class Columns(NamedTuple):
    """Column ``at`` has the ids (None: no column), those at ``places`` the scores, the others are ``left_out``."""

    at: int | None
    places: list[int]
    left_out: list[int]


def columns_of(table: Cells, rows: Sequence[Row], asked: str | None, measured: str | None) -> Columns:
    """What the columns of a matrix are, by ``--id-column`` (``asked``), by their names, and by the first one's cells.

    The column of ids is the one under the name of an id, wherever it is, or a first column without a name, under the
    measure's name (``measured``), or with words; one with fractions or with repeated numbers is one of scores. Row
    numbers without a name in front of ids are left out; with ``asked`` so is every column without fractions that has no
    name, is named like ids or a count, or has only words.

    Raises `DataError` for a column of ids that may be one of scores, for a second one, for a count, and for whole
    numbers in a first column of another name.

    >>> table = Cells("ap.csv", 1, ["", "topic", "bm25"], [(2, ["1", "301", "0.25"]), (3, ["2", "302", "0.5"])])
    >>> columns_of(table, table.rows, None, None)
    Columns(at=1, places=[2], left_out=[0])
    """
    if asked is not None:
        at = None if asked == "none" else _column_called(table, asked)
        left_out = [place for place in range(len(table.header)) if place != at and _is_none(table, rows, place)]
    else:
        at = _id_column(table, rows, measured)
        left_out = _row_numbers(table, rows, at)
    places = [place for place in range(len(table.header)) if place != at and place not in left_out]
    if asked is None:
        _refuse_others(table, at, places)
    if not places:
        raise DataError("there is no column of scores", path=table.path, line=table.line)
    return Columns(at, places, left_out)


def names_ids(name: str, measured: str | None) -> bool:
    """Whether a first column of this name is one of ids: the word for an id, no name at all, or a measure's name."""
    return is_id_name(name) or not name or is_measure(name) or (measured is not None and canonical(name) == measured)


def is_id_name(name: str) -> bool:
    """Whether a name says that a column has the ids of queries or of runs."""
    return named(name, "query") or named(name, "run")


def _id_column(table: Cells, rows: Sequence[Row], measured: str | None) -> int | None:
    """The column of ids by its name, or by the cells of the first column. Raises if unclear."""
    header = table.header
    known = [place for place, name in enumerate(header) if is_id_name(name)]
    if not known:
        return _first_column(table, rows, measured)
    first = not is_nameless(header[0]) and names_ids(header[0], measured)
    places: list[int] = sorted({*known, *([0] if first else ())})
    if len(places) > 1:
        named_so = f"columns {shown(header[places[0]])} and {shown(header[places[1]])} could both have the ids"
        remedy = f"say which does with --id-column {shown(header[places[0]])}, and the other is left out"
        raise DataError(f"{named_so}; {remedy}", path=table.path, line=table.line)
    _refuse_fractions(table, rows, places[0])
    return places[0]


def _first_column(table: Cells, rows: Sequence[Row], measured: str | None) -> int | None:
    """The first column if it has the ids, None if it has scores."""
    name = table.header[0]
    cells = [row[0] for _, row in rows]
    if names_ids(name, measured) or any(not _is_number(cell) for cell in cells):
        _refuse_fractions(table, rows, 0)
        return 0
    numbers = [float(cell) for cell in cells if NUMBER.fullmatch(cell)]
    if len(numbers) < len(cells) or any(map(is_fraction, cells)) or len(set(numbers)) < len(numbers):
        return None
    what = f"column {shown(name)} holds whole numbers, each once: ids or scores?"
    raise DataError(f"{what} Say so with --id-column NAME | none", path=table.path, line=table.line)


def _column_called(table: Cells, name: str) -> int:
    found: list[int] = [index for index, cell in enumerate(table.header) if cell == name]
    if len(found) != 1:
        what = f"{len(found)} columns are called {name!r} (--id-column)"
        raise DataError(f"{what}; the first column is {shown(table.header[0])}", path=table.path, line=table.line)
    return found[0]


def _refuse_fractions(table: Cells, rows: Sequence[Row], place: int) -> None:
    """Raise `DataError` for a fraction in a column of ids."""
    for line, cells in rows:
        if is_fraction(cells[place]):
            what = f"column {shown(table.header[place])} should hold ids, but {cells[place]} looks like a score"
            raise DataError(f"{what}; say which it is with --id-column NAME | none", path=table.path, line=line)


def _row_numbers(table: Cells, rows: Sequence[Row], at: int | None) -> list[int]:
    """The columns without a name in front of the ids, which programs write for row numbers."""
    if at is None:
        return []
    return [place for place in range(at) if is_nameless(table.header[place]) and not _has_fraction(rows, place)]


def _refuse_others(table: Cells, at: int | None, places: Sequence[int]) -> None:
    """Raise `DataError` for a column that is named like ids or a count, beside that of ids."""
    ids = "NAME" if at is None or not table.header[at] else shown(table.header[at])
    for place in places:
        name = table.header[place]
        if is_id(name) or is_count(name):
            what = f"column {shown(name)} is named like ids or a count, not like a run"
            remedy = f"--id-column {ids}, the column of ids, leaves it out; rename it if it is a run"
            raise DataError(f"{what}; {remedy}", path=table.path, line=table.line)


def _is_none(table: Cells, rows: Sequence[Row], place: int) -> bool:
    """Whether a column has no scores: no name, that of ids or of a count, or only words; and no fraction."""
    name = table.header[place]
    if place in table.numbers:
        return False
    words = all(cells[place][:1].isalpha() and not _is_number(cells[place]) for _, cells in rows)
    return (words or is_nameless(name) or is_id(name) or is_count(name)) and not _has_fraction(rows, place)


def _has_fraction(rows: Sequence[Row], place: int) -> bool:
    return any(is_fraction(cells[place]) for _, cells in rows)


def _is_number(cell: str) -> bool:
    """Whether a cell is a number or a hole."""
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in HOLES
