"""Scores in memory in any form that a notebook has them: DataFrames, dicts, arrays, records of ir-measures.

A DataFrame of scores has a row a score, a row a query, or a row a query and run.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import canonical, is_measure_object, spelled_names
from biasvar_cli.notebook import frames
from biasvar_cli.notebook.frames import Frame, opened, short, with_records
from biasvar_cli.notebook.memory import are_documents, paths_and_runs
from biasvar_cli.notebook.nested_scores import checked_names, has_measures, is_plain_row, scores_in, scores_of_array
from biasvar_cli.readers.score_formats import parse_cells
from biasvar_cli.readers.score_formats.items import item_name
from biasvar_cli.readers.score_formats.names import is_like_a_measure, named_as_measures, role_columns
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import Cells, ScoreOptions
from biasvar_cli.readers.text import NUMBER
from biasvar_cli.scoring.scorer import LoadedSource
from biasvar_cli.words import Orient, counted, examples


def sources_of(
    scores: Any,
    measures: tuple[str, ...],
    reading: Mapping[str, Any],
    argument: str = "scores",
    *,
    runs: object = None,
    queries: object = None,
) -> tuple[LoadedSource, ...]:
    """The scores in what is in memory; none where it is something else, such as paths.

    ``measures`` are the names asked for, ``reading`` the options of how inputs are read. ``runs`` and ``queries`` are
    the names of an array, ``queries`` those of lists by run as well. Raises `UsageError` for what lacks names, and for
    names beside what has its own; `DataError` for bad scores.

    >>> sources_of(["ap.csv"], (), {})
    ()
    >>> (source,) = sources_of({"bm25": [0.25, 0.5]}, ("AP",), {}, queries=["q1", "q2"])
    >>> source.content.values.tolist()
    [[[0.25, 0.5]]]
    """
    values = opened(scores)
    options = {name: reading[name] for name in ("orient", "id_column", "allow_range") if name in reading}
    plain = _plain(values, argument, runs, queries)
    if reading.get("orient") == "runs" and (plain is not None or isinstance(values, Mapping)):
        raise UsageError("orient: the scores of an array or a dict do not lie the other way round; transpose an array")
    wanted, allow_range = tuple(spelled_names(measures)), bool(reading.get("allow_range", False))
    if plain is not None:
        measure = wanted[0] if len(wanted) == 1 else None
        return (scores_of_array(*plain, argument, measure=measure, allow_range=allow_range),)
    if isinstance(values, Mapping) and values and all(isinstance(value, pd.DataFrame) for value in values.values()):
        return tuple(_run_source(str(name), frame, measures, options, argument) for name, frame in values.items())
    if isinstance(values, Mapping):
        by_query = reading.get("orient") == "queries"
        return (scores_in(values, argument, measures=wanted, by_query=by_query, allow_range=allow_range),)
    records = with_records(values)
    if not isinstance(records, pd.DataFrame):
        return ()
    where = "the DataFrame of scores" if argument == "scores" else "the DataFrame of the pool"
    where = where if isinstance(values, pd.DataFrame) else argument
    return (scores_of(records, measures=measures, where=where, **options),)


def refuse_names(runs: object, queries: object) -> None:
    """Raise `UsageError` for the names of an array beside what has its own."""
    for argument, names in (("runs", runs), ("queries", queries)):
        if names is not None:
            raise UsageError(f"{argument}: runs= and queries= are the names of an array, and this has its own")


def _plain(values: Any, argument: str, runs: object, queries: object) -> tuple[Any, list[str], list[str]] | None:
    """An array with a row a query, the names of its runs and its queries; None for what has its own names."""
    by_run = isinstance(values, Mapping) and bool(values) and all(map(is_plain_row, values.values()))
    is_array = isinstance(values, np.ndarray) and (values.ndim > 1 or values.dtype.kind not in "USO")
    if by_run:
        refuse_names(runs, None)
        if queries is None:
            raise UsageError(f"{argument}: lists of scores do not name their queries; give queries=[...]")
        ids = checked_names("queries", queries)
        for name, row in values.items():
            if np.ndim(row) != 1 or len(row) != len(ids):
                there = counted(len(row), "score") if np.ndim(row) == 1 else f"an array of {np.ndim(row)} axes"
                wanted = f"a score for each of {counted(len(ids), 'query')}"
                raise UsageError(f"{argument}: run {name} should have {wanted}, found {there}")
        array = np.array([list(row) for row in values.values()], dtype=object).T
        return array, checked_names(argument, values.keys()), ids
    if isinstance(values, str | Mapping | pd.DataFrame) or (runs is None and not is_array):
        refuse_names(runs, queries)
        return None
    if runs is None or queries is None:
        lacking = [f"{name}=[...]" for name, names in (("runs", runs), ("queries", queries)) if names is None]
        raise UsageError(f"{argument}: an array does not name its rows and columns; give {' and '.join(lacking)}")
    return values, checked_names("runs", runs), checked_names("queries", queries)


def pool_of(
    pool: Any, measures: tuple[str, ...], reading: Mapping[str, Any], *, has_qrels: bool
) -> tuple[tuple[str, ...], tuple[LoadedSource, ...]]:
    """The paths of a pool, and what of it is in memory: runs where there are judgments for them, or else scores."""
    values = opened(pool)
    are_runs = are_documents(values)
    if has_qrels and isinstance(values, Mapping) and not are_runs:
        tables = [with_records(value) for value in values.values()]
        if tables and all(isinstance(table, pd.DataFrame) for table in tables):
            headers = [[str(name) for name in table.columns] for table in tables]
            are_runs = any(frames.columns_of(header, frames.DOCUMENT) for header in headers)
        else:
            are_runs = not has_measures(values, spelled_names(measures))
    sources = () if are_runs else sources_of(values, measures, reading, "pool")
    return ((), sources) if sources else paths_and_runs(values, "pool run", "pool")


def _run_source(
    name: str, frame: pd.DataFrame, measures: tuple[str, ...], options: Mapping[str, Any], argument: str
) -> LoadedSource:
    """A DataFrame that has the scores of one run, whose name it does not say."""
    source = scores_of(frame, measures=measures, where=f"{argument} of {name}", **options)
    content = source.content
    assert isinstance(content, ScoreFile), "a DataFrame of scores has scores"
    if not content.is_run:
        what = f"expected the scores of one run, a row a query and a column a measure, found {examples(content.runs)}"
        raise DataError(what, path=source.path)
    return replace(source, name=name, content=content.named(name))


_ROLES = ("query", "run", "measure", "score")
_SHAPE = "a DataFrame of scores has a row for each query and a column for each run"


class _Scores(NamedTuple):
    """A DataFrame with its index as columns: ``id_column`` has the ids of a matrix; without ids, rows are ``counted``.

    ``unnamed``: nothing says that the ids are those of queries.
    """

    frame: Frame
    id_column: str
    counted: bool = False
    unnamed: bool = False

    @property
    def is_long(self) -> bool:
        header = self.frame.header
        return bool(frames.columns_of(header, frames.QUERY) and role_columns(header, "score"))


def scores_of(
    frame: pd.DataFrame,
    *,
    measures: Sequence[str] = (),
    orient: Orient | None = None,
    id_column: str | None = None,
    allow_range: bool = False,
    where: str = "the DataFrame of scores",
) -> LoadedSource:
    """Scores in memory as a csv has them: a row a query and a column a run, or a row a score.

    ``measures`` are the names of those asked for. The queries are the column of ids (``qid``, ``query_id``, ...) or the
    index; an index that only counts is none. Columns that are named as measures are those of one run, see
    `readers.score_formats.parse_cells`.

    >>> frame = pd.DataFrame({"A": [0.3, 0.1], "B": [0.6, 0.08]}, index=["q1", "q2"])
    >>> scores_of(frame, measures=["AP"], where="scores").content.queries
    ('q1', 'q2')
    """
    if orient == "runs":
        raise UsageError(f"orient: {_SHAPE}; transpose it, as frame.T does")
    scores = _with_index(frame, where, id_column)
    rows: Sequence[int] = range(1, scores.frame.n_rows + 1)
    header = scores.frame.header
    others = any(role_columns(header, role) for role in ("run", "score"))
    if not others and not scores.counted and len(role_columns(header, "measure")) == 1:  # a block for each measure
        scores, rows = _score_rows(scores)
    if not scores.is_long:
        _refuse_transposed(frame, scores, orient)
    lists = scores.frame
    floats = frozenset(column for column in role_columns(lists.header, "run") if _has_floats(lists, column))
    table = Cells(where, None, lists.header, _rows(scores), frozenset() if scores.is_long else floats)
    if orient is None and scores.unnamed and not scores.is_long:
        _refuse_measures(table, measures)
    is_named = scores.is_long and bool(role_columns(lists.header, "query"))  # as in files, which do not know ranx' q_id
    with frames.in_rows(where, rows):
        content = parse_cells(
            table,
            ScoreOptions(
                orient=orient,
                rows="queries",
                id_column=None if is_named and id_column is None else scores.id_column,
                measures=tuple(spelled_names(measures)),
                allow_range=allow_range,
            ),
        )
    in_rows = [
        hole._replace(line=None, what=f"row {rows[(hole.line or 1) - 1]}: {hole.what}") for hole in content.holes
    ]
    content = replace(content, holes=tuple(in_rows))
    if content.is_run:
        content = content.named("run")
    return LoadedSource("scores", where, content=replace(content, numbered=scores.counted))


def _with_index(frame: pd.DataFrame, where: str, chosen: str | None) -> _Scores:
    """A DataFrame whose index is a column where it has ids or the like; without any ids the rows are counted."""
    table = frames.frame_of(frame, where)
    levels = frame.index.names
    if len(levels) > 1 and None in levels:
        raise DataError("the index has a level without a name; name it, or drop it with reset_index", path=where)
    for number, level in reversed(list(enumerate(levels))):
        if level is not None and (len(levels) > 1 or any(role_columns([str(level)], role) for role in _ROLES)):
            table = _with_level(table, str(level), frame.index.get_level_values(number).tolist())
    if chosen is not None and chosen != "none":
        if chosen not in table.header:
            raise UsageError(f"id_column: there is no column {chosen!r}; there are {', '.join(table.header)}")
        return _Scores(table, chosen)
    queries = frames.columns_of(table.header, frames.QUERY)
    if queries and chosen is None:
        return _Scores(*_one_of(table, queries))
    counted = chosen == "none" or (
        len(levels) == 1 and levels[0] is None and frame.index.equals(pd.RangeIndex(len(frame)))
    )
    ids = list(range(1, len(frame) + 1)) if counted or len(levels) > 1 else frame.index.tolist()
    header = [name for column, name in enumerate(table.header) if column not in queries]
    columns = [cells for column, cells in enumerate(table.columns) if column not in queries]
    return _Scores(
        Frame(where, ["query_id", *header], [ids, *columns]), "query_id", counted, frame.index.names == [None]
    )


def _score_rows(scores: _Scores) -> tuple[_Scores, list[int]]:
    """Blocks of measures, as `Scores.frame` has them, with a row a score, and the row of each, from 1 on."""
    header, columns = scores.frame.header, scores.frame.columns
    (measure,) = role_columns(header, "measure")
    query = header.index(scores.id_column)
    runs = [column for column in range(len(header)) if column not in (measure, query)]
    rows = [row for _ in runs for row in range(scores.frame.n_rows)]
    names_of_rows = [header[run] for run in runs for _ in range(scores.frame.n_rows)]
    cells = [[columns[column][row] for row in rows] for column in (query, measure)]
    values = [value for run in runs for value in columns[run]]
    names = ["run", "query_id", "measure", "score"]
    frame = Frame(scores.frame.where, names, [names_of_rows, *cells, values])
    return _Scores(frame, "query_id"), [row + 1 for row in rows]


def _one_of(frame: Frame, queries: Sequence[int]) -> tuple[Frame, str]:
    """The DataFrame with one column of queries, and its name. Raises `DataError` where others differ from it."""
    first, rivals = frames.chosen(frame, frames.QUERY)
    if rivals:
        what = f"columns {frame.header[first]} and {frame.header[rivals[0]]} could both have the ids of the queries"
        raise DataError(f"{what}; say which has with id_column={frame.header[first]!r}", path=frame.where)
    rest = [column for column in range(len(frame.header)) if column == first or column not in queries]
    header, columns = [frame.header[column] for column in rest], [frame.columns[column] for column in rest]
    return Frame(frame.where, header, columns), frame.header[first]


def _with_level(frame: Frame, name: str, cells: list[Any]) -> Frame:
    """The DataFrame with a level of its index as its first column, unless it is a column already."""
    if name not in frame.header:
        return frame._replace(header=[name, *frame.header], columns=[cells, *frame.columns])
    if frames.first_difference(cells, frame.columns[frame.header.index(name)]) is not None:
        what = f"the index and a column are both called {name}, and differ"
        raise DataError(f"{what}; drop one, as reset_index(drop=True) does", path=frame.where)
    return frame


def _refuse_transposed(frame: pd.DataFrame, scores: _Scores, orient: Orient | None) -> None:
    """Raise for a matrix whose rows are named as runs, or its columns as queries."""
    lists = scores.frame
    runs = [column for column in role_columns(lists.header, "run") if not _has_floats(lists, column)]
    if runs and lists.header[0] == "query_id" and "query_id" not in (*frame.columns, *frame.index.names):
        what = f"{lists.header[runs[0]]} names the rows, which are runs"
        if all(map(is_like_a_measure, (name for name in lists.header[1:] if name != lists.header[runs[0]]))):
            raise DataError(f"{what}, and these are their averages; give the scores of every query", path=lists.where)
        raise DataError(f"{what}; {_SHAPE}: transpose it, as frame.T does", path=lists.where)
    if orient is not None or scores.counted:
        return
    ids = lists.columns[lists.header.index(scores.id_column)]
    across = [name for name in lists.header if name != scores.id_column]
    named_so = frame.columns.name is not None and bool(role_columns([str(frame.columns.name)], "query"))
    numbers = all(map(NUMBER.fullmatch, across)) and not any(NUMBER.fullmatch(str(value)) for value in ids)
    if named_so or numbers:
        what = f"are the rows queries or runs? The columns are {', '.join(across[:2])}, the first row is {ids[0]}"
        raise DataError(f"{what}; {_SHAPE}: transpose it, or say orient='queries'", path=lists.where)


def _refuse_measures(table: Cells, measures: Collection[str]) -> None:
    """Raise for columns that are named as measures where nothing says that the rows are queries."""
    chosen = tuple(map(canonical, measures))
    named = named_as_measures(table.header, list(table.rows), range(1, len(table.header)), chosen)
    if named:
        what = f"{table.header[named[0]]} is a measure: name the index qid if these are the scores of one run"
        raise DataError(f"{what}, or say orient='queries' if it is the name of a run", path=table.path)


def _has_floats(frame: Frame, column: int) -> bool:
    """Whether a column has floats in it, which are no names."""
    return any(isinstance(value, float) and not frames.is_missing(value) for value in frame.columns[column])


def _rows(scores: _Scores) -> list[tuple[int, list[str]]]:
    """The cells as text. Raises `DataError`, with the row, for what no cell of its column can be."""
    header, long = scores.frame.header, scores.is_long
    roles = {column: role for role in reversed(_ROLES) for column in role_columns(header, role)}
    roles[header.index(scores.id_column)] = "query"
    texts = [_cells(scores.frame, column, roles.get(column), long=long) for column in range(len(header))]
    return [(row, list(cells)) for row, cells in enumerate(zip(*texts, strict=True), 1)]


def _cells(frame: Frame, column: int, role: str | None, *, long: bool) -> list[str]:
    """The cells of a column as text; a number has all its digits."""
    if role == "query" or (long and role == "run"):
        return frames.names(frame, column)
    if long and role is None and item_name([frame.header[column]]) is None:
        return [""] * frame.n_rows
    name, texts = frame.header[column], []
    for row, value in enumerate(frame.columns[column], 1):
        number = frames.number_of(value)
        if long and role == "measure":
            if not (isinstance(value, str) and value.strip()) and not is_measure_object(value):
                raise frame.error(row, f"{name} should be a measure, found {short(value)}")
            texts.append(str(value).strip())
        elif number is not None and not isinstance(value, str):
            texts.append(str(value) if frames.is_whole(value) else repr(number))
        elif isinstance(value, bool) or (frames.is_missing(value) and (long or role == "run")):
            raise frame.error(row, f"column {name}: {frames.number_fault(value)}")
        else:
            texts.append("" if frames.is_missing(value) else str(value).strip())
    return texts
