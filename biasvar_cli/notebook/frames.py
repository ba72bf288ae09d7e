"""What a notebook has in memory: the columns of a DataFrame and their cells, and objects of ranx and ir-measures.

Rows are counted from 1. Objects of other packages are known by their attributes alone: neither package is imported.
Values are not changed.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from math import isfinite, isinf, isnan
from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
import pandas as pd

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats.names import (
    DOCUMENT_NAMES,
    GRADE_NAMES,
    LESS_USUAL,
    QUERY_NAMES,
    RANKED,
    RANKED_FOR,
    RUN_NAMES,
    plain,
)
from biasvar_cli.readers.text import NUMBER
from biasvar_cli.specs.requests import QueryClusters

_LINE = re.compile(r"in line (\d+)")


class Role(NamedTuple):
    """The names of a column with a role: a table's column is the one with the first of these ``names`` that it has.

    ``others`` are names that count where a table has none of these. ``ids``: a table may have further columns of ids,
    such as numbers by which a program counts; they are left out, and a message mentions them only if no id is judged.
    """

    noun: str
    names: tuple[str, ...]
    others: tuple[str, ...] = ()
    ids: bool = False


QUERY = Role("the queries", QUERY_NAMES, LESS_USUAL["query"], ids=True)
TOPIC = Role("the queries", QUERY_NAMES, (*LESS_USUAL["query"], *RANKED_FOR), ids=True)  # beside documents
DOCUMENT = Role("the documents", DOCUMENT_NAMES, RANKED, ids=True)
SCORE = Role("the scores", ("score",))
GRADE = Role("the grades", GRADE_NAMES)
RUN = Role("the names of the runs", RUN_NAMES, LESS_USUAL["run"])
_CLUSTER = Role("the clusters", ("cluster",))
SUBTOPIC = Role("the subtopics", ("subtopic_id", "subtopic"), ("iteration", "iter"))


class Frame(NamedTuple):
    """A DataFrame as lists: ``header`` has the names of the columns as text, ``columns`` their cells."""

    where: str
    header: list[str]
    columns: list[list[Any]]

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def error(self, row: int, what: str) -> DataError:
        """The error of a row, counted from 1."""
        return DataError(f"row {row}: {what}", path=self.where)


ClustersLike = QueryClusters | pd.DataFrame


def clusters_named(clusters: ClustersLike | None) -> QueryClusters | None:
    """The cluster of each query as a dict, of a DataFrame with a column of queries and the column cluster.

    A file, a pattern and a mapping stay as they are, but for ids that are numbers. Raises `DataError` for a DataFrame
    without these columns, and for a query that has two clusters.

    >>> clusters_named(pd.DataFrame({"qid": [1, 2], "cluster": ["a", "a"]}))
    {'1': 'a', '2': 'a'}
    """
    if not isinstance(clusters, pd.DataFrame):
        if isinstance(clusters, Mapping):
            return {str(query): str(cluster) for query, cluster in clusters.items()}
        return clusters
    frame = frame_of(clusters, "clusters")
    column, _ = chosen(frame, QUERY)
    of_query: dict[str, str] = {}
    named = zip(ids(frame, column), names(frame, chosen(frame, _CLUSTER)[0]), strict=True)
    for row, (query, cluster) in enumerate(named, 1):
        if of_query.setdefault(query, cluster) != cluster:
            raise frame.error(row, f"query {query} is in cluster {of_query[query]} and in {cluster}; keep one")
    return of_query


def frame_of(frame: pd.DataFrame, where: str) -> Frame:
    """A DataFrame as lists. Raises `DataError` for one without rows or columns, and for several levels of columns.

    >>> frame_of(pd.DataFrame({"qid": ["q1"], "score": [2.5]}), "runs")
    Frame(where='runs', header=['qid', 'score'], columns=[['q1'], [2.5]])
    """
    if frame.columns.nlevels > 1:
        raise DataError("the columns have several levels; give them one", path=where)
    if not len(frame.columns) or not len(frame):
        raise DataError(f"the DataFrame has no {'rows' if len(frame.columns) else 'columns'}", path=where)
    header = ["" if is_missing(name) else str(name).strip() for name in frame.columns]
    return Frame(where, header, [frame.iloc[:, column].tolist() for column in range(len(header))])


@contextmanager
def in_rows(where: str, rows: Sequence[int]) -> Iterator[None]:
    """Turn the lines of errors into rows: ``rows`` has that of each line, from line 1 on.

    >>> with in_rows("runs", [7]):
    ...     raise DataError("score nan is not finite", path="runs", line=1)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: runs: row 7: score nan is not finite
    """
    try:
        yield
    except DataError as error:
        if error.path != where or error.line is None:
            raise
        what = _LINE.sub(lambda line: f"in row {rows[int(line[1]) - 1]}", error.what)
        raise DataError(f"row {rows[error.line - 1]}: {what}", path=where) from None


def columns_of(header: Sequence[str], role: Role) -> list[int]:
    """The columns that could have a role, the one that is meant first.

    >>> columns_of(["docid", "qid", "docno"], DOCUMENT), columns_of(["name", "score"], RUN)
    ([2, 0], [0])
    """
    names = [plain(name) for name in header]
    for known in (role.names, role.others):
        columns = [column for wanted in known for column, name in enumerate(names) if name == wanted]
        if columns:
            return columns
    return []


def chosen(frame: Frame, role: Role) -> tuple[int, list[int]]:
    """The column with a role, and others of different ids that could have it too.

    Raises `DataError` where there is no such column, where two have one name, and where two that could have a role
    other than that of ids differ.
    """
    columns = columns_of(frame.header, role)
    if not columns:
        what = f"there is no column {' or '.join(role.names[:3])}; it has {', '.join(frame.header)}"
        raise DataError(what, path=frame.where)
    first, *others = columns
    rows = {column: first_difference(frame.columns[first], frame.columns[column]) for column in others}
    rivals = [column for column, row in rows.items() if row is not None]
    for rival in rivals:
        one, two = frame.header[first], frame.header[rival]
        if one == two:
            raise DataError(f"two columns are called {one}; drop one", path=frame.where)
        if not role.ids:
            row = rows[rival]
            what = f"columns {one} and {two} could both have {role.noun}, and differ in row {row}"
            raise DataError(f"{what}; drop or rename one", path=frame.where)
    return first, rivals


def first_difference(one: Sequence[Any], two: Sequence[Any]) -> int | None:
    """The first row in which two columns differ as text, counted from 1; None if none does."""
    return next(
        (row for row, cells in enumerate(zip(one, two, strict=True), 1) if str(cells[0]) != str(cells[1])), None
    )


def left_out(frame: Frame, column: int, rivals: Sequence[int], noun: str) -> str:
    """The message on columns of ids that were left out, for the case that no id is judged; empty without any."""
    if not rivals:
        return ""
    other = " and ".join(f"{frame.header[rival]} ({quoted_value(frame.columns[rival][0])})" for rival in rivals)
    used = f"{frame.header[column]} ({quoted_value(frame.columns[column][0])})"
    return f"the {noun} of {frame.where} are those of column {used}, beside {other}: drop the column that is not meant"


def ids(frame: Frame, column: int) -> list[str]:
    """A column of ids as text: text without blanks, or whole numbers. Raises `DataError`, with the row, for others."""
    return _texts(frame, column, "an id, text without blanks", lambda value: value.split() == [value])


def names(frame: Frame, column: int) -> list[str]:
    """A column of names as text, which may have blanks in it. Raises `DataError`, with the row, for others."""
    return _texts(frame, column, "text", lambda value: bool(value.strip()))


def _texts(frame: Frame, column: int, expected: str, is_expected: Callable[[str], bool]) -> list[str]:
    for row, value in enumerate(frame.columns[column], 1):
        if not (_is_word(value) and is_expected(value)) and not is_whole(value):
            remedy = "take the blanks out" if isinstance(value, str) else "convert the column to text"
            if is_missing(value) or (isinstance(value, str) and not value.strip()):
                remedy = "fill it in, or leave the row out"
            raise frame.error(row, f"{frame.header[column]} should be {expected}, found {short(value)}; {remedy}")
    return [str(value).strip() for value in frame.columns[column]]


def number_of(value: Any) -> float | None:
    """A finite number as it is given: a number, or the text of one; None for anything else, True and False too.

    >>> number_of(2), number_of("2.5"), number_of(Decimal("0.5")), number_of(None), number_of(True)
    (2.0, 2.5, 0.5, None, None)
    """
    if type(value) is float:
        return value if isfinite(value) else None
    if isinstance(value, bool) or is_missing(value):
        return None
    if not isinstance(value, Real | Decimal) and not (isinstance(value, str) and NUMBER.fullmatch(value.strip())):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if isinf(number) else number


def number_fault(value: object, noun: str = "score") -> str:
    """What is wrong with a value that `number_of` refuses."""
    finite = is_missing(value) or isinstance(value, bool) or not isinstance(value, Real | Decimal)
    return f"{noun} {short(value)} is not {'a number' if finite else 'finite'}"


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, which True is not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, nan, NaT, NA.

    >>> [is_missing(value) for value in (None, float("nan"), pd.NA, pd.NaT, Decimal("nan"), 0, "")]
    [True, True, True, True, True, False, False]
    """
    if isinstance(value, Decimal):
        return value.is_nan()
    return (
        value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float | np.floating) and isnan(value))
    )


def _is_word(value: Any) -> bool:
    """Whether a value is text that a file of UTF-8 can have in it."""
    try:
        return isinstance(value, str) and bool(value.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def is_text(value: Any) -> bool:
    """Whether a value is text that a path, a pattern or a name can be."""
    try:
        return isinstance(value, str) and "\0" not in value and bool(value.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return False


def quoted_value(value: Any) -> str:
    """A value as a message shows it: a plain value itself, any other by its type.

    >>> quoted_value("bm25"), quoted_value(float("nan")), quoted_value([1])
    ("'bm25'", 'nan', 'a list')
    """
    if value is None or isinstance(value, str | bool | int | float | np.generic):
        return short(value.item() if isinstance(value, np.generic) else value)
    word = type(value).__name__
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def short(value: object) -> str:
    """A value as Python writes it, cut if it is long; its type if Python refuses to write it.

    >>> short("bm25"), len(short("9" * 100)), short(10**5000)
    ("'bm25'", 60, 'a int')
    """
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


@runtime_checkable
class RanxRun(Protocol):
    """A ``ranx.Run``."""

    @property
    def run(self) -> Any: ...

    @property
    def name(self) -> Any: ...

    def to_dict(self) -> Any: ...


@runtime_checkable
class RanxQrels(Protocol):
    """A ``ranx.Qrels``."""

    @property
    def qrels(self) -> Any: ...

    def to_dict(self) -> Any: ...


@runtime_checkable
class Retrieved(Protocol):
    """An ``ir_measures.ScoredDoc``."""

    @property
    def query_id(self) -> Any: ...

    @property
    def doc_id(self) -> Any: ...

    @property
    def score(self) -> Any: ...


@runtime_checkable
class Judgment(Protocol):
    """An ``ir_measures.Qrel``."""

    @property
    def query_id(self) -> Any: ...

    @property
    def doc_id(self) -> Any: ...

    @property
    def relevance(self) -> Any: ...


@runtime_checkable
class Value(Protocol):
    """An ``ir_measures.Metric``: what a measure gives for one query."""

    @property
    def query_id(self) -> Any: ...

    @property
    def measure(self) -> Any: ...

    @property
    def value(self) -> Any: ...


_COLUMNS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Retrieved, ("query_id", "doc_id", "score")),
    (Judgment, ("query_id", "doc_id", "relevance")),
    (Value, ("query_id", "measure", "value")),
)


def is_ranx_run(value: object) -> TypeGuard[RanxRun]:
    """Whether a value is a run of ranx; a DataFrame may have columns that are called as its attributes are."""
    return isinstance(value, RanxRun) and not isinstance(value, pd.DataFrame | pd.Series | Mapping)


def is_ranx_qrels(value: object) -> TypeGuard[RanxQrels]:
    """Whether a value is ranx' relevance judgments."""
    return isinstance(value, RanxQrels) and not isinstance(value, pd.DataFrame | pd.Series | Mapping)


def opened(values: Any) -> Any:
    """A generator as a list, inside a dict too; any other value as it is.

    >>> opened(path for path in ("a.gz", "b.gz")), opened("a.gz")
    (['a.gz', 'b.gz'], 'a.gz')
    """
    if isinstance(values, Mapping):
        return {name: opened(value) if hasattr(value, "__next__") else value for name, value in values.items()}
    return list(values) if hasattr(values, "__next__") else values


def with_records(value: Any) -> Any:
    """Records of ir-measures as a DataFrame, a row a record; other values as they are.

    >>> import ir_measures
    >>> with_records([ir_measures.ScoredDoc("q1", "d1", 2.5)]).to_dict("list")
    {'query_id': ['q1'], 'doc_id': ['d1'], 'score': [2.5]}
    >>> with_records(["a.gz"])
    ['a.gz']
    """
    if not isinstance(value, list | tuple) or not value or isinstance(value[0], str | os.PathLike):
        return value
    samples = {type(record): record for record in value}.values()
    for kind, names in _COLUMNS:
        if all(isinstance(record, kind) for record in samples):
            columns = {name: [getattr(record, name) for record in value] for name in names}
            if kind is Judgment and all(hasattr(record, "iteration") for record in samples):
                columns["iteration"] = [record.iteration for record in value]
            return pd.DataFrame(columns, dtype=object)
    return value
