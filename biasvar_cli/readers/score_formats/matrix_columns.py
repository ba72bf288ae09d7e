"""Which column of a matrix has the ids, which have scores, and which are neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.score_formats.format import Cells
from biasvar_cli.readers.score_formats.names import is_id_or_count, is_nameless, named
from biasvar_cli.readers.text import HOLES, NUMBER, is_fraction, shown


class Columns(NamedTuple):
    """Column ``at`` has the ids (None: no column), those at ``places`` the scores, the others are ``left_out``."""

    at: int | None
    places: list[int]
    left_out: list[int]


def columns_of(table: Cells, asked: str | None, measured: str | None) -> Columns:
    """What the columns of a matrix are, by ``--id-column`` (``asked``), by their names, and by the first one's cells.

    The column of ids is the one under the name of an id, wherever it is, or a first column without a name, under the
    measure's name (``measured``), or with words; one with fractions or with repeated numbers is one of scores. Row
    numbers without a name in front of ids are left out; with ``asked`` so is every column without fractions that has no
    name, is named like ids or a count, or has only words.

    Raises `DataError` for a column of ids that may be one of scores, for a second one, for a count, and for whole
    numbers in a first column of another name.

    >>> columns_of(Cells("ap.csv", 1, ["", "topic", "bm25"], [(2, ["1", "301", "0.25"])]), None, None)
    Columns(at=1, places=[2], left_out=[0])
    """
    if asked is None:
        at = _id_column(table, measured)
        left_out = [
            column
            for column in range(at or 0)
            if is_nameless(table.header[column]) and not table.has_fraction(column)  # row numbers in front of the ids
        ]
    else:
        at = None if asked == "none" else _column_called(table, asked)
        left_out = [column for column in range(len(table.header)) if column != at and _is_none(table, column)]
    places = [column for column in range(len(table.header)) if column != at and column not in left_out]
    if asked is None:
        _refuse_others(table, at, places)
    if not places:
        raise table.error("there is no column of scores")
    return Columns(at, places, left_out)


def names_ids(name: str, measured: str | None) -> bool:
    """Whether a first column of this name is one of ids: the word for an id, no name at all, or a measure's name.

    >>> names_ids("topic", None), names_ids("AP", None), names_ids("mine", "mine"), names_ids("bm25", None)
    (True, True, True, False)
    """
    return _is_id_name(name) or not name or is_measure(name) or (measured is not None and canonical(name) == measured)


def _is_id_name(name: str) -> bool:
    return named(name, "query") or named(name, "run")


def _id_column(table: Cells, measured: str | None) -> int | None:
    """The column of ids by its name, or by the cells of the first column. Raises `DataError` if it is unclear."""
    header = table.header
    known = [column for column, name in enumerate(header) if _is_id_name(name)]
    if not known:
        return _first_column(table, measured)
    first = not is_nameless(header[0]) and names_ids(header[0], measured)
    columns: list[int] = sorted({*known, *([0] if first else ())})
    if len(columns) > 1:
        names = f"columns {shown(header[columns[0]])} and {shown(header[columns[1]])} could both have the ids"
        remedy = f"say which does with --id-column {shown(header[columns[0]])}, and the other is left out"
        raise table.error(f"{names}; {remedy}")
    _refuse_fractions(table, columns[0])
    return columns[0]


def _first_column(table: Cells, measured: str | None) -> int | None:
    """The first column if it has the ids, None if it has scores."""
    name = table.header[0]
    cells = [row[0] for _, row in table.rows]
    if names_ids(name, measured) or not all(map(_is_number, cells)):
        _refuse_fractions(table, 0)
        return 0
    numbers = [float(cell) for cell in cells if NUMBER.fullmatch(cell)]
    if len(numbers) < len(cells) or any(map(is_fraction, cells)) or len(set(numbers)) < len(numbers):
        return None
    what = f"column {shown(name)} holds whole numbers, each once: ids or scores?"
    raise table.error(f"{what} Say so with --id-column NAME | none")


def _column_called(table: Cells, name: str) -> int:
    if table.header.count(name) != 1:
        what = f"{table.header.count(name)} columns are called {name!r} (--id-column)"
        raise table.error(f"{what}; the first column is {shown(table.header[0])}")
    return table.header.index(name)


def _refuse_fractions(table: Cells, column: int) -> None:
    """Raise `DataError` for a fraction in a column of ids."""
    for line, cells in table.rows:
        if is_fraction(cells[column]):
            what = f"column {shown(table.header[column])} should hold ids, but {cells[column]} looks like a score"
            raise table._replace(line=line).error(f"{what}; say which it is with --id-column NAME | none")


def _refuse_others(table: Cells, at: int | None, places: Sequence[int]) -> None:
    """Raise `DataError` for a column that is named like ids or a count, beside that of ids."""
    ids = "NAME" if at is None or not table.header[at] else shown(table.header[at])
    for column in places:
        name = table.header[column]
        if is_id_or_count(name):
            what = f"column {shown(name)} is named like ids or a count, not like a run"
            raise table.error(f"{what}; --id-column {ids}, the column of ids, leaves it out; rename it if it is a run")


def _is_none(table: Cells, column: int) -> bool:
    """Whether a column has no scores: no name, that of ids or of a count, or only words; and no fraction."""
    name = table.header[column]
    if column in table.numbers:
        return False
    words = all(cells[column][:1].isalpha() and not _is_number(cells[column]) for _, cells in table.rows)
    return (words or is_nameless(name) or is_id_or_count(name)) and not table.has_fraction(column)


def _is_number(cell: str) -> bool:
    """Whether a cell is a number or a hole."""
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in HOLES
