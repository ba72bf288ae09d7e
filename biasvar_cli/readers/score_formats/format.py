"""What a format of score files is: how it is recognised and read, and examples of it; and the cells of a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.score_formats.names import is_document, is_id, places_of
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.text import DECIMAL, NOT_FINITE, NUMBER, Row, is_fraction, quoted, separator, table_rows
from biasvar_cli.words import Orient, argument, examples

NUMBER_WORD = re.compile(f"{DECIMAL}|{NOT_FINITE}".encode(), re.IGNORECASE)
INTEGER_WORD = re.compile(rb"[+-]?\d+")


class Cells(NamedTuple):
    """A header of stripped cells and the rows below it, all of its length, with their line numbers.

    ``line`` is that of the header, None where it stands in no line. ``numbers`` are columns that are known to hold
    numbers and no names, whatever they are called. ``roles`` are the columns by what they could be, see `with_roles`.
    """

    path: str
    line: int | None
    header: list[str]
    rows: Iterable[Row]
    numbers: frozenset[int] = frozenset()
    roles: Mapping[str, list[int]] = MappingProxyType({})

    def error(self, what: str) -> DataError:
        """An error of the header."""
        return DataError(what, path=self.path, line=self.line)

    def listed(self) -> Cells:
        """The table with its rows in a list, for more than one look at them."""
        return self._replace(rows=list(self.rows))

    def has_fraction(self, column: int) -> bool:
        """Whether a column has a fraction, so that it holds neither ids nor names; the rows must be a list."""
        return any(is_fraction(cells[column]) for _, cells in self.rows)

    def left_out(self, columns: Sequence[int]) -> tuple[Oddity, ...]:
        """The oddity of columns that are left out since they hold no scores."""
        if not columns:
            return ()
        words = [
            f"column {column + 1}, {quoted(self.header[column]) if self.header[column] else 'without a name'}"
            for column in columns
        ]
        return (Oddity("columns that hold no scores left out", self.path, 0, examples(words), "file"),)

    def with_roles(self, id_column: str | None = None) -> Cells:
        """The table with the columns of a long or wide one that could be the run, query, measure and score, by name.

        ``id_column``, where it is a column, has the queries, and a column of scores then names no runs, whatever it is
        called.
        """
        roles = {role: places_of(self.header, role) for role in ("run", "query", "measure", "score")}
        if id_column is not None and self.header.count(id_column) == 1:
            ids = self.header.index(id_column)
            roles = {role: [column for column in columns if column != ids] for role, columns in roles.items()}
            roles["query"] = [ids]
            roles["run"] = [column for column in roles["run"] if not self.has_fraction(column)]
        roles["run"] = [column for column in roles["run"] if column not in self.numbers]
        return self._replace(roles={role: columns for role, columns in roles.items() if columns})

    def only(self, role: str) -> int:
        """The one column of a role. Raises `DataError` where there are more."""
        columns = self.roles[role]
        if len(columns) > 1:
            names = " and ".join(self.header[column] for column in columns[:2])
            ids = argument(id_column=quoted(self.header[columns[0]]))
            remedy = f"say which with {ids}" if role == "query" else "keep one"
            raise self.error(f"columns {names} could both be the {role}; {remedy}")
        return columns[0]


def read_table(text: str, path: str) -> Cells:
    """The header and the rows of a csv or tsv, by the separator that `text.separator` finds.

    Raises `DataError` for a text without a row below a header of two names or more; the rows raise it for a line that
    cannot be read or has another number of cells. A header that lacks the first cell only, as R's write.table leaves
    it out, gets an empty one, see `_check_short`.

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
        raise DataError(f"expected a header with names, found {quoted(header[0])}", path=path, line=line)
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
    named = [column for column, name in enumerate(header, 1) if is_id(name)]
    plain = not any(is_fraction(row[column]) for _, row in rows for column in (0, *named))
    counting = not named or ids == [str(number) for number in range(1, len(ids) + 1)]
    pointed = not commas or any("." in cell and NUMBER.fullmatch(cell) for _, row in rows for cell in row[1:])
    if is_measure(header[0]) or "" in ids or len(set(ids)) < len(ids) or not (plain and counting and pointed):
        what = f"expected {len(header)} columns, as in the header, found {len(cells)}"
        decimal = "" if pointed else "; if the commas in the numbers are decimal ones, write points, or separate by ;"
        raise DataError(f"{what}: name every column{decimal}", path=path, line=line)


def _of_length(rows: Iterable[Row], width: int, path: str) -> Iterator[Row]:
    for line, cells in rows:
        if len(cells) != width:
            raise DataError(f"expected {width} columns, as in the header, found {len(cells)}", path=path, line=line)
        yield line, cells


def without_documents(table: Cells) -> Cells:
    """The table; raises `DataError` if a column of documents beside the queries says that it is a run or qrels."""
    column = next((column for column, name in enumerate(table.header) if is_document(name)), None)
    if column is None or column in places_of(table.header, "query") or not places_of(table.header, "query"):
        return table
    table = table.listed()
    if not table.has_fraction(column):
        what = (
            f"column {quoted(table.header[column])} says that these are the results of a run, or judgments, as a table"
        )
        raise table.error(f"{what}; write a run with 6 columns and no header: topic Q0 document rank score tag")
    return table


@dataclass(frozen=True)
class ScoreOptions:
    """How files of scores are to be read.

    ``orient`` and ``id_column`` say what the rows of a matrix are and which column has their ids, ``rows`` what the
    rows are where nothing else tells. ``measures`` are those that are wanted; one alone is the measure of a file that
    names none. Without ``allow_range`` a score that its measure cannot have is an error, and without ``holes`` a cell
    of a table that has no score.
    """

    orient: Orient | None = None
    id_column: str | None = None
    measures: tuple[str, ...] = ()
    allow_range: bool = False
    holes: bool = False
    rows: Orient | None = None

    @property
    def measure(self) -> str | None:
        """The only measure asked for, by ir-measures' spelling; None for several and for none."""
        return canonical(self.measures[0]) if len(self.measures) == 1 else None

    @cached_property
    def names(self) -> frozenset[str]:
        """The measures asked for, by ir-measures' spelling."""
        return frozenset(map(canonical, self.measures))


USUAL = ScoreOptions()


class ScoreFormat(NamedTuple):
    """A format of score files.

    ``recognise`` tells by the first lines of a text, stripped and without blank ones and comments. ``read`` takes the
    text and the path that messages name; what it gives as `Cells` is read as a table. ``examples`` are texts by the
    names of their files; all have the AP of one or two runs on the queries 301 and 302, and docs/inputs.md shows them.
    """

    kind: str
    recognise: Callable[[Sequence[bytes]], bool]
    read: Callable[[bytes, str, ScoreOptions], ScoreFile | Cells]
    examples: Mapping[str, str]


class TableFormat(NamedTuple):
    """What a table of cells may be, by its header and the roles of its columns.

    ``by_arrays`` reads a text in the usual shape in a hundredth of the time, to the same numbers, and gives None for
    any other text.
    """

    recognise: Callable[[Cells, ScoreOptions], bool]
    read: Callable[[Cells, ScoreOptions], ScoreFile]
    examples: Mapping[str, str]
    by_arrays: Callable[[bytes, str, ScoreOptions], ScoreFile | None] | None = None


def is_name(cell: bytes) -> bool:
    """Whether a cell is no number."""
    return NUMBER_WORD.fullmatch(cell) is None


def is_fraction_word(cell: bytes) -> bool:
    """Whether a word is a number with a decimal."""
    return not is_name(cell) and cell.find(b".") not in (-1, len(cell) - 1)
