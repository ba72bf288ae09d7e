"""The type of a format of score files, and the formats of tables with a column of queries.

A long table has a row for each score, with columns of queries, scores, and runs or measures or both. A wide table, such
as gdeval's and ndeval's, has a column for each measure, beside the queries and perhaps the runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.measures.catalogue import cost_of
from biasvar_cli.readers.columns import flat, values_of
from biasvar_cli.readers.score_formats import names
from biasvar_cli.readers.score_formats.items import Items, fingerprint, item_name, items_of
from biasvar_cli.readers.score_formats.layout import Record, csv_columns, layout_of, plain_header, plain_layout
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, Row, is_fraction, is_hole, of_length, quoted, separator, table_rows
from biasvar_cli.words import Orient, argument, examples


class Cells(NamedTuple):
    """The stripped cells of a table: a header, and rows of the same length with their line numbers.

    ``line`` is the line number of the header, None without one. ``numbers`` are columns that have numbers and cannot
    have names, whatever they are called. ``roles`` are the possible columns of each role, see `with_roles`.
    """

    path: str
    line: int | None
    header: list[str]
    rows: Iterable[Row]
    numbers: frozenset[int] = frozenset()
    roles: Mapping[str, list[int]] = MappingProxyType({})

    def error(self, what: str) -> DataError:
        """An error in the line of the header."""
        return DataError(what, path=self.path, line=self.line)

    def id_column(self, options: ScoreOptions) -> str | None:
        """The column that ``--id-column`` names, None without such a column."""
        return options.id_column if options.id_column != "none" and options.id_column in self.header else None

    def ids_beside(self, options: ScoreOptions) -> str | None:
        """The first column, if another column is a wanted measure by its name, and no column is known to have queries.

        None if the first column cannot have ids.
        """
        first, *others = self.header
        is_free = options.id_column is None and options.orient is None and bool(first) and not is_measure(first)
        if not is_free or names.role_columns(self.header, "query") or names.role_columns(self.header, "measure"):
            return None
        ids = [cells[0] for _, cells in self.rows]
        is_wanted = any(canonical(name) in options.names for name in others)
        return first if is_wanted and len(set(ids)) == len(ids) and not self.has_fraction(0) else None

    def listed(self) -> Cells:
        """The table with its rows in a list, which can be read more than once."""
        return self._replace(rows=list(self.rows))

    def numbered(self) -> Cells:
        """The table with the numbers of its rows as the first column, in place of one without a name."""
        first = 1 if names.is_nameless(self.header[0]) else 0
        rows = [(line, [str(number), *cells[first:]]) for number, (line, cells) in enumerate(self.rows, 1)]
        return self._replace(header=["query_id", *self.header[first:]], rows=rows, numbers=frozenset())

    def has_fraction(self, column: int) -> bool:
        """Whether a column has a fraction, and so neither ids nor names; the rows must be a list."""
        return any(is_fraction(cells[column]) for _, cells in self.rows)

    def left_out(self, columns: Sequence[int]) -> tuple[Oddity, ...]:
        """The oddity of columns that are left out because they have no scores."""
        if not columns:
            return ()
        names = (quoted(self.header[column]) if self.header[column] else "without a name" for column in columns)
        words = [f"column {column + 1}, {name}" for column, name in zip(columns, names, strict=True)]
        return (Oddity("columns that hold no scores left out", self.path, 0, examples(words), "file"),)

    def with_roles(self, id_column: str | None = None) -> Cells:
        """The table with the columns that may have its runs, queries, measures and scores, according to their names.

        If ``id_column`` is a column, it has the queries; then a column with fractions has no runs, whatever its name.
        """
        roles = {role: names.role_columns(self.header, role) for role in ("run", "query", "measure", "score")}
        if roles["run"] and roles["score"] and not roles["query"]:
            users = [column for column, name in enumerate(self.header) if names.plain(name) in names.RANKED_FOR]
            roles["query"] = [column for column in users if not self.has_fraction(column)][:1]
        if id_column is not None and self.header.count(id_column) == 1:
            query = self.header.index(id_column)
            roles = {role: [column for column in columns if column != query] for role, columns in roles.items()}
            roles["query"] = [query]
            roles["run"] = [column for column in roles["run"] if not self.has_fraction(column)]
        roles["run"] = [column for column in roles["run"] if column not in self.numbers]
        return self._replace(roles={role: columns for role, columns in roles.items() if columns})

    def items(self, query: int, others: Collection[int] = ()) -> Items:
        """The items that the queries in a column stand for, from the column of items; the rows must be a list."""
        name = self.item_name(query, others)
        if name is None:
            return {}
        item = self.header.index(name)
        texts = [(line, cells[query], cells[item]) for line, cells in self.rows if not is_hole(cells[item])]
        if all(NUMBER.fullmatch(text) for _, _, text in texts):
            return {}
        return items_of(((line, key, {name: fingerprint(text)}) for line, key, text in texts), self.path)

    def item_name(self, query: int, others: Collection[int] = ()) -> str | None:
        """The name of the column of items, which is neither the column of queries nor one of the others; or None."""
        return item_name(self.header, [self.header[column] for column in (query, *others)])

    def only(self, role: str) -> int:
        """The column of a role. Raises `DataError` if several columns may have the role."""
        columns = self.roles[role]
        if len(columns) > 1:
            names = " and ".join(self.header[column] for column in columns[:2])
            ids = argument(id_column=quoted(self.header[columns[0]]))
            remedy = f"say which with {ids}" if role == "query" else "keep one"
            raise self.error(f"columns {names} could both be the {role}; {remedy}")
        return columns[0]


def read_table(text: str, path: str) -> Cells:
    """The header and the rows of a csv or tsv; for the separator see `text.separator`.

    Raises `DataError` for a header of less than two names, and for a table without rows; reading the rows raises it for
    a line that cannot be read or has another number of cells. If a header lacks its first cell, as R's write.table
    writes it, an empty cell is added, see `_check_short`.

    >>> table = read_table("bm25\\trm3\\n301\\t0.25\\t0.5\\n", "ap.tsv")
    >>> table.header, list(table.rows)
    (['', 'bm25', 'rm3'], [(2, ['301', '0.25', '0.5'])])
    """
    rows = table_rows(text, path)
    line, header = next(rows, (None, []))
    if line is None:
        raise DataError("the file has no scores", path=path)
    if len(header) < 2:
        raise DataError(f"expected a header with names, found {quoted(header[0])}", path=path, line=line)
    second = next(rows, None)
    if second is None:
        raise DataError("the file has a header and no scores", path=path)
    rows = chain([second], rows)
    if len(second[1]) == len(header) + 1:
        listed = list(of_length(rows, len(header) + 1, path))
        _check_short(header, listed, path, commas=separator(text)[0] == ",")
        return Cells(path, line, ["", *header], listed)
    return Cells(path, line, header, of_length(rows, len(header), path))


def _check_short(header: Sequence[str], rows: Sequence[Row], path: str, *, commas: bool) -> None:
    """Raise `DataError` unless the column whose name the header lacks has ids or row numbers.

    Ids are distinct, and not fractions; beside a column with a name of ids, they have to be the row numbers 1, 2, 3...
    If ``commas`` separate the cells, some number needs a decimal point, or else commas could be decimal ones.
    """
    line, cells = rows[0]
    ids = [row[0] for _, row in rows]
    id_columns = [column for column, name in enumerate(header, 1) if names.is_id(name)]
    are_ids = not any(is_fraction(row[column]) for _, row in rows for column in (0, *id_columns))
    are_free = not id_columns or ids == [str(number) for number in range(1, len(ids) + 1)]
    has_points = not commas or any("." in cell and NUMBER.fullmatch(cell) for _, row in rows for cell in row[1:])
    if is_measure(header[0]) or "" in ids or len(set(ids)) < len(ids) or not (are_ids and are_free and has_points):
        what = f"expected {len(header)} columns, as in the header, found {len(cells)}"
        decimal = "; if the numbers have decimal commas, write points, or separate the cells by ;"
        raise DataError(f"{what}: name every column{'' if has_points else decimal}", path=path, line=line)


@dataclass(frozen=True)
class ScoreOptions:
    """How to read files of scores.

    ``orient`` says what the rows of a matrix are, ``id_column`` which column has their ids; ``rows`` is the default of
    ``orient``. ``measures`` are the wanted ones; a single one is the measure of a file that names none. Without
    ``allow_range`` a score that its measure cannot have is an error.
    """

    orient: Orient | None = None
    id_column: str | None = None
    measures: tuple[str, ...] = ()
    allow_range: bool = False
    rows: Orient | None = None

    @property
    def measure(self) -> str | None:
        """The wanted measure in ir-measures' spelling, if there is just one, or else None."""
        return canonical(self.measures[0]) if len(self.measures) == 1 else None

    @cached_property
    def names(self) -> frozenset[str]:
        """The wanted measures in ir-measures' spelling."""
        return frozenset(map(canonical, self.measures))

    @cached_property
    def assemble(self) -> partial[ScoreFile]:
        """`records.assemble` with these options."""
        return partial(assemble, allow_range=self.allow_range, wanted=self.names)


USUAL = ScoreOptions()


class ScoreFormat(NamedTuple):
    """A format of score files.

    ``recognise`` takes the first lines of a text, stripped, without blank lines and comments. ``read`` takes the text
    and the path for messages; if it returns `Cells`, `TABLE_FORMATS` read them. ``examples`` maps names of files to
    texts, which docs/inputs.md shows; all have the AP of one or two runs on the queries 301 and 302. ``hint`` describes
    the format in the error for a text of no known format.
    """

    kind: str
    recognise: Callable[[Sequence[bytes]], bool]
    read: Callable[[bytes, str, ScoreOptions], ScoreFile | Cells]
    examples: Mapping[str, str]
    hint: str = ""


class TableFormat(NamedTuple):
    """A format of tables, which ``recognise`` tells from the header and the roles of the columns.

    ``by_arrays`` reads the same numbers from a text in the usual shape in a hundredth of the time, and returns None for
    any other text.
    """

    recognise: Callable[[Cells, ScoreOptions], bool]
    read: Callable[[Cells, ScoreOptions], ScoreFile]
    examples: Mapping[str, str]
    by_arrays: Callable[[bytes, str, ScoreOptions], ScoreFile | None] | None = None


def _is_long(table: Cells, options: ScoreOptions) -> bool:
    """Whether a table has columns of queries and scores.

    Without runs and measures it is not long if ``orient`` makes it a matrix, or its scores are a wanted measure.
    """
    if not {"query", "score"} <= set(table.roles):
        return False
    return bool({"run", "measure"} & set(table.roles)) or not (options.orient or _is_wanted(table, options))


def _is_wanted(table: Cells, options: ScoreOptions) -> bool:
    """Whether a column called ``score`` or the like is a wanted measure by that name, and one of several columns."""
    score_names = [canonical(table.header[column]) for column in table.roles.get("score", ())]
    return len(table.header) > 2 and any(name in options.names for name in score_names)


def _read_long(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores of a long table; without a column of runs, the file is one run."""
    columns = {role: table.only(role) for role in table.roles}
    others = [name for index, name in enumerate(table.header) if name and index not in columns.values()]
    words: list[int] = []
    if others and not {"run", "measure"} & set(columns):
        table = table.listed()
        rows = list(table.rows)
        said = [index for index, name in enumerate(table.header) if names.plain(name) in names.WORDS_OF_A_JUDGE]
        words = [index for index in said if not names.has_numbers(rows, index)]
        others = [name for name in others if name not in [table.header[index] for index in words]]
    if others and not {"run", "measure"} & set(columns):
        what = f"is column {quoted(others[0])} a run, beside {table.header[columns['score']]}?"
        matrix = f"or give {argument(orient='queries')} for a matrix"
        raise table.error(f"{what} Add a column of runs or measures to a long table, {matrix}")
    lacking = [role for role in ("run", "measure") if role not in columns]
    remedy = "keep one"
    if lacking:
        unread = f" (columns not read: {quoted(', '.join(others))})" if others else ""
        remedy = f"keep one, or add a column called {' or '.join(lacking)} that tells them apart{unread}"

    def records() -> Iterator[Record]:
        run_column, measure_column = columns.get("run"), columns.get("measure")
        file_run, default, place = run_name(table.path), options.measure, f"column {table.header[columns['score']]}"
        for line, cells in table.rows:
            run = file_run if run_column is None else cells[run_column]
            measure = default if measure_column is None else canonical(cells[measure_column]) or default
            yield Record(line, run, measure, cells[columns["query"]], cells[columns["score"]], place)

    if table.item_name(columns["query"], columns.values()) is not None:
        table = table.listed()
    layout = layout_of(records(), table.path, remedy)
    file = options.assemble(layout, runs_named="run" in columns, oddities=table.left_out(words))
    return replace(file, items=table.items(columns["query"], columns.values()), absent_is_zero=_absent_is_zero(table))


def _absent_is_zero(table: Cells) -> bool | None:
    """Whether a run has the score 0 on a query that it lacks; False for items and tasks, None where measures decide."""
    query = table.header[table.roles["query"][0]]
    return None if "measure" in table.roles else not names.is_item(query)


def long_arrays(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores of a long table in plain csv or tsv; None for any other text.

    None also where the other reader has to look: for a value that is not a finite number or is given twice, a row of
    another length, quotes, a name with white space around it, and a name that may stand for a summary.

    >>> text = b"run,query_id,measure,score\\nbm25,301,AP,0.25\\nbm25,302,AP,0.5\\n"
    >>> file = long_arrays(text, "scores.csv", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301', '302'), [[[0.25, 0.5]]])
    >>> long_arrays(b"topic,bm25\\n301,0.25\\n", "ap.csv", ScoreOptions()) is None
    True
    """
    table = Cells(path, 1, plain_header(data), []).with_roles()
    header, roles = table.header, table.roles
    if any(map(names.is_document, header)) or not _is_long(table, options):
        return None
    if any(len(columns) > 1 for columns in roles.values()) or not ({"run", "measure"} & set(roles) or len(header) == 2):
        return None
    at = {role: header[columns[0]] for role, columns in roles.items()}
    if item_name(header, at.values()) is not None:
        return None
    columns = csv_columns(data, header, [name for role, name in at.items() if role != "score"], [at["score"]])
    if columns is None:
        return None
    values = values_of(columns[at["score"]])
    axes: list[list[str | None]] = [[run_name(path)], [options.measure], []]
    indices = np.zeros((len(values), 3), dtype=np.int64)
    for axis, role in enumerate(("run", "measure", "query")):
        if role in at:
            words = flat(columns[at[role]])
            axes[axis] = words.dictionary.to_pylist()
            indices[:, axis] = values_of(words.indices)
    layout = plain_layout(path, axes, indices, values, range(2, len(values) + 2), runs_named="run" in at)
    if layout is None:
        return None
    return replace(options.assemble(layout, runs_named="run" in at), absent_is_zero=_absent_is_zero(table))


LONG = TableFormat(
    _is_long,
    _read_long,
    {"scores.csv": "name,qid,measure,value\nbm25,301,map,0.5\nbm25,302,map,1.0\nrm3,301,map,0.25\nrm3,302,map,0.5\n"},
    long_arrays,
)


_GDEVAL = {"ndcg": "nDCG(dcg='exp-log2')", "err": "ERR"}  # gdeval's nDCG has gains 2^grade - 1


def _is_wide(table: Cells, options: ScoreOptions) -> bool:
    """Whether a table has a column for each measure: it has columns of runs and queries, or its names are measures'.

    If only some columns beside the queries have names of measures, the table is wide if these are at least as many as
    the others, or if one of them is wanted. If ``--id-column`` names a column, columns named like an id or a count do
    not matter. Raises `DataError` if most columns have other names, and may be runs.
    """
    header, roles = table.header, table.roles
    with_role = {column for role in ("run", "query") for column in roles.get(role, ())}
    others = [column for column, name in enumerate(header) if not names.is_nameless(name) and column not in with_role]
    if table.id_column(options) is not None:
        others = [column for column in others if not _is_id_or_count(header[column])]
    if not others or ("score" in roles and not _is_wanted(table, options)) or "query" not in roles:
        return False
    if "run" in roles or options.orient is not None:
        return "run" in roles
    heads = {header[column] for column in others}
    if all(is_measure(name) or cost_of(name) is not None for name in heads) or "F1" in heads <= {"P", "R", "F1"}:
        return True
    rows = list(table.rows)
    measures = names.named_as_measures(header, rows, others, options.names)
    if measures and not any(canonical(header[column]) in options.names for column in measures):
        unlike = names.unlike_measures(header, rows, [column for column in others if column not in measures])
        if len(unlike) > len(measures):
            measure, other = quoted(header[measures[0]]), quoted(header[unlike[0]])
            what = f"are the columns runs or measures? {measure} is the name of a measure, {other} is not"
            runs = f"give {argument(orient='queries')} if they are runs"
            raise table.error(f"{what}; {runs}, or {argument(measure=measure)} if they are measures")
    return bool(measures)


def _read_wide(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores in gdeval's and ndeval's csv, and in similar tables.

    Columns of row numbers are left out, and if ``--id-column`` names a column, so are columns of other ids and counts;
    but a column with fractions has scores, whatever its name. If some columns have names of measures, a column with
    another name is read if it is wanted, or has a number in every row.
    """
    header, has_id_column = table.header, table.id_column(options) is not None
    query_at, run_at = table.only("query"), table.only("run") if "run" in table.roles else None
    left_out, measured = [], []
    for index, name in enumerate(header):
        if index in (query_at, run_at):
            continue
        has_row_numbers = names.is_nameless(name) and (index == 0 or has_id_column)
        if (has_row_numbers or (has_id_column and _is_id_or_count(name))) and not table.has_fraction(index):
            left_out.append(index)
        elif not name:
            raise table.error(f"column {index + 1} has no name")
        else:
            measured.append(index)
    unlike = [index for index in measured if not names.is_like_a_measure(header[index])]
    are_costs = all(cost_of(header[index]) is not None for index in unlike)
    mixed = len(unlike) < len(measured) or (run_at is None and not are_costs)
    others = [index for index in unlike if mixed and canonical(header[index]) not in options.names]
    rows = list(table.rows) if unlike else []
    words = [index for index in others if not names.is_full(rows, index)]
    words += [index for index in unlike if index not in words and names.has_words(rows, index)]
    gdeval = [name.lower() for name in header[:2]] == ["runid", "topic"]
    measures = {index: header[index] for index in measured if index not in words}

    def records() -> Iterator[Record]:
        columns = []
        for index, name in measures.items():
            measure = re.sub(r"^(ndcg|err)(?=@\d+$)", lambda match: _GDEVAL[match[0]], name) if gdeval else name
            columns.append((index, canonical(measure), f"column {name}"))
        run, are_numbers = run_name(table.path), run_at is not None
        for line, cells in table.rows:
            if run_at is not None:
                run = cells[run_at]
                if is_fraction(run):
                    what = f"column {header[run_at]} should name runs, but {run} looks like a score"
                    remedy = f"give {argument(id_column=header[query_at])} if it has the scores of a run, or rename it"
                    raise DataError(f"{what}; {remedy}", path=table.path, line=line)
                are_numbers = are_numbers and NUMBER.fullmatch(run) is not None
            for index, measure, column in columns:
                yield Record(line, run, measure, cells[query_at], cells[index], column)
        if run_at is not None and are_numbers and not any(map(is_measure, measures.values())):
            remedy = "rename it if it has scores, or name the measures as ir-measures or trec_eval do"
            raise table.error(f"column {header[run_at]} should name runs, but has numbers alone; {remedy}")

    remedy = "keep one" if run_at is not None else "keep one, or add a column called run that tells them apart"
    scores = options.assemble(
        layout_of(records(), table.path, remedy),
        means="usual" if gdeval else None,
        runs_named=run_at is not None,
        oddities=table.left_out(sorted([*left_out, *words])),
    )
    unwanted = [canonical(header[index]) for index in others if index not in words]
    items = table.items(query_at, () if run_at is None else (run_at,))
    return replace(scores, others=tuple(name for name in unwanted if name in scores.measures), items=items)


def _is_id_or_count(name: str) -> bool:
    """Whether a column of this name has ids or a count, and no measure."""
    return not is_measure(name) and names.is_id_or_count(name)


WIDE = TableFormat(
    _is_wide, _read_wide, {"measures.csv": "topic,map,P_5,latency\n301,0.5,0.2,12.5\n302,1.0,0.4,13.5\n"}
)
