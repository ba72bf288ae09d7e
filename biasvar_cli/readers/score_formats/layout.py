"""The records of a file of scores, one for each value, and their layout: arrays of values and of indices.

Plain csv and tsv are read as arrays, millions of values in seconds. These readers make no guesses: a text that needs
the tolerant rules of the other readers, or has an error whose line they name, is left to them.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.names import SUMMARIES, summary
from biasvar_cli.readers.text import finite_number, hole_fault, is_hole, quoted

_BLOCK = 1 << 20  # bytes that Arrow parses at once; a row has to fit into them
_SPARSE = 4  # entries of the cube for each value; if there are more, the other readers look at the file
_LONGEST = 1000  # characters of a query id
_MOST_EMPTY = 50  # entries of the cube for each value; if there are more, the columns are not what they seem


class Record(NamedTuple):
    """One value of a file as ``text``; ``column`` is its place in the line as messages name it."""

    line: int | None
    run: str
    measure: str | None
    query: str
    text: str
    column: str


class Hole(NamedTuple):
    """A cell without a score; ``what`` is the message about it, without a remedy.

    ``is_fault`` is true for a text that is not a finite number, and false for an empty cell, NA and the like.
    """

    run: str
    measure: str | None
    query: str
    line: int | None
    what: str
    is_fault: bool = False


class Layout(NamedTuple):
    """The records of a file as arrays: ``indices``, (n_records, 3), of run, measure and query.

    ``decimals`` is the number of decimals of each value in the file, 16 for a value with an exponent. ``holes`` are the
    cells without a value.
    """

    path: str
    runs: list[str]
    measures: list[str | None]
    queries: list[str]
    indices: IntArray
    values: FloatArray
    lines: Sequence[int | None]
    decimals: IntArray
    holes: Sequence[Hole] = ()

    def belongs(self, axis: int, selection: Sequence[int]) -> BoolArray:
        """Which records belong to the selected runs (axis 0), measures (1) or queries (2)."""
        is_selected: BoolArray = np.zeros(len((self.runs, self.measures, self.queries)[axis]), dtype=bool)
        is_selected[list(selection)] = True
        return is_selected[self.indices[:, axis]]

    def rounding(self, records: BoolArray) -> float:
        """The largest error by rounding of these records: half a unit of the last decimal of the most exact one."""
        return float(0.5 * 10.0 ** -self.decimals[records].max(initial=0))

    def name_of(self, record: int) -> str:
        """A record as messages name it: ``AP of bm25 on query 301``."""
        run, measure, query = self.indices[record]
        what = self.measures[measure] or "the score"
        return f"{what} of {quoted(self.runs[run])} on query {quoted(self.queries[query])}"


def layout_of(records: Iterable[Record], path: str, remedy: str = "keep one") -> Layout:
    """The layout of records; empty cells, NA and the like become holes.

    A text that is not a finite number becomes a hole, too: whether it is an error depends on the chosen measures.
    Raises `DataError` for a value that is given twice, with this ``remedy``, and for an empty name.

    >>> cells = (("301", "0.25"), ("302", ""))
    >>> records = [Record(2, "bm25", "AP", query, text, "column bm25") for query, text in cells]
    >>> layout_of(records, "ap.csv").holes
    [Hole(run='bm25', measure='AP', query='302', line=2, what='column bm25 is empty', is_fault=False)]
    """
    runs: dict[str, int] = {}
    measures: dict[str | None, int] = {}
    queries: dict[str, int] = {}
    indices, values, lines, decimals = [], [], [], []
    holes: list[Hole] = []
    for line, run, measure, query, text, column in records:
        if not (run and query and len(query) < _LONGEST):
            what = "name of the run" if not run else "query id"
            raise DataError(f"the {what} is {'too long' if run and query else 'empty'}", path=path, line=line)
        record_indices = (
            runs.setdefault(run, len(runs)),
            measures.setdefault(measure, len(measures)),
            queries.setdefault(query, len(queries)),
        )
        if is_hole(text):
            holes.append(Hole(run, measure, query, line, f"{column} {hole_fault(text)}"))
            continue
        try:
            values.append(finite_number(text, column, path, line))
        except DataError as error:
            holes.append(Hole(run, measure, query, line, error.what, is_fault=True))
            continue
        indices.append(record_indices)
        lines.append(line)
        decimals.append(16 if "e" in text or "E" in text else len(text.partition(".")[2]))
    if not values and not holes:
        raise DataError("the file has no scores", path=path)
    numbers = np.array(indices, dtype=np.int64).reshape(-1, 3)
    columns = numbers, np.array(values, dtype=np.float64), lines, np.array(decimals, dtype=np.int64)
    layout = Layout(path, list(runs), list(measures), list(queries), *columns, holes)
    if len(set(indices)) < len(indices):
        raise _repeated(layout, remedy)
    return layout


def _repeated(layout: Layout, remedy: str) -> DataError:
    """The error for the first value that is given twice, with both lines."""
    order = np.lexsort((np.arange(len(layout.indices)), *layout.indices.T))
    ordered = layout.indices[order]
    second = int(order[1:][(ordered[1:] == ordered[:-1]).all(axis=1)].min())
    first = layout.lines[int(np.flatnonzero((layout.indices == layout.indices[second]).all(axis=1))[0])]
    earlier = "" if first is None else f", first in line {first}"
    what = f"{layout.name_of(second)} is given twice{earlier}"
    return DataError(f"{what}; {remedy}", path=layout.path, line=layout.lines[second])


def cube_of(layout: Layout) -> FloatArray:
    """The values as an array of the shape (n_runs, n_measures, n_queries), nan where there is no value.

    Raises `DataError` if nearly all entries would be nan.
    """
    shape = (len(layout.runs), len(layout.measures), len(layout.queries))
    if math.prod(shape) > max(10_000_000, _MOST_EMPTY * len(layout.values)):
        sizes = f"{shape[0]} runs, {shape[1]} measures and {shape[2]} queries"
        raise DataError(
            f"{len(layout.values)} scores for {sizes}: the columns contain something else", path=layout.path
        )
    cube = np.full(shape, np.nan)
    cube[tuple(layout.indices.T)] = layout.values
    return cube


def plain_header(data: bytes) -> list[str]:
    """The header of a csv or tsv, if its names are distinct, without quotes, and stripped; else an empty list.

    >>> plain_header(b"run,query_id,score\\nbm25,301,0.25\\n"), plain_header(b'"run",query_id,score\\n')
    (['run', 'query_id', 'score'], [])
    """
    line = data[: max(data.find(b"\n"), 0)]
    if not line or line.startswith(b"sep=") or any(odd in line for odd in (b";", b'"')):
        return []
    try:
        names = line.decode("utf-8").split(_delimiter(line))
    except UnicodeDecodeError:
        return []
    return names if all(name == name.strip() for name in names) and len(set(names)) == len(names) else []


def csv_columns(data: bytes, header: Sequence[str], words: Sequence[str], numbers: Sequence[str]) -> pa.Table | None:
    """The columns of a text with a `plain_header`; columns of ``words`` become dictionaries.

    None if a cell in a column of ``numbers`` is not a number, and for quotes, blank lines and a row of another length.
    """
    if any(odd in data for odd in (b'"', b"\r", b"\n\n")):
        return None
    csv = pyarrow.csv
    names = pa.dictionary(pa.int32(), pa.string())
    first = data.find(b"\n")
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(
                column_names=header, skip_rows=1, block_size=max(_BLOCK, 100 * first), use_threads=False
            ),
            parse_options=csv.ParseOptions(delimiter=_delimiter(data[:first]), quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={
                    **dict.fromkeys(header, pa.string()),  # all columns have to be UTF-8
                    **dict.fromkeys(words, names),
                    **dict.fromkeys(numbers, pa.float64()),
                },
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table.unify_dictionaries() if len(table) else None


def plain_layout(
    path: str,
    names: Sequence[Sequence[Any]],
    indices: IntArray,
    values: FloatArray,
    lines: Sequence[int | None],
    *,
    runs_named: bool = True,
) -> Layout | None:
    """The layout of values with these ``names`` of runs, measures and queries; None if the other readers have to look.

    ``indices``, (n_values, 3), are indices of names; ``values`` and ``lines`` have the shape (n_values,). A measure may
    be None. Without ``runs_named`` the run has the name of the file, which may be any.
    """
    runs, measures, queries = names
    if not all(isinstance(name, str) and is_plain(name) for name in [*(runs if runs_named else ()), *queries]):
        return None
    if not all(name is None or (isinstance(name, str) and 0 < len(name.strip()) == len(name)) for name in measures):
        return None
    spellings = [None if name is None else canonical(name) for name in measures]
    index_of = {name: index for index, name in enumerate(dict.fromkeys(spellings))}
    if len(index_of) < len(measures):
        indices[:, 1] = np.array([index_of[name] for name in spellings])[indices[:, 1]]
    shape = (len(runs), len(index_of), len(queries))
    if not np.isfinite(values).all() or math.prod(shape) > _SPARSE * len(indices):
        return None
    if (np.bincount(np.ravel_multi_index(tuple(indices.T), shape)) > 1).any():  # a value is given twice
        return None
    decimals = np.broadcast_to(np.int64(0), len(values))  # only checks of summaries need them, and there are none here
    return Layout(path, list(runs), list(index_of), list(queries), indices, values, lines, decimals)


def _delimiter(header: bytes) -> str:
    return "\t" if b"\t" in header else ","


def is_plain(name: str) -> bool:
    """Whether a name is stripped, neither empty nor too long, and not the name of a summary.

    >>> is_plain("bm25"), is_plain("mean"), is_plain(" bm25")
    (True, False, False)
    """
    return name == name.strip() and 0 < len(name) < _LONGEST and name not in SUMMARIES and summary(name) is None
