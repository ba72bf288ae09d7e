"""What a format of score files is, and tables with a column of queries.

Long tables have a row for each score: columns of queries and scores, and of runs or measures or both. Wide ones have a
column for each measure, beside the queries and perhaps the runs, as gdeval and ndeval write them.
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
    """A header of stripped cells and the rows below it, all of its length, with their line numbers.

    ``line`` is the line number of the header, None if it has none. ``numbers`` are columns that are known to hold
    numbers and no names, whatever their heads. ``roles`` are the columns by the roles that they could have, see
    `with_roles`.
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

    def chosen(self, options: ScoreOptions) -> str | None:
        """The column that ``--id-column`` chooses; None where it chooses none, or one that is not there."""
        return options.id_column if options.id_column != "none" and options.id_column in self.header else None

    def ids_beside(self, options: ScoreOptions) -> str | None:
        """The first column, where another is asked for as a measure by its name and none is known to have queries."""
        first, *others = self.header
        may_be = options.id_column is None and options.orient is None and bool(first) and not is_measure(first)
        if not may_be or names.role_columns(self.header, "query") or names.role_columns(self.header, "measure"):
            return None
        ids = [cells[0] for _, cells in self.rows]
        is_asked = any(canonical(name) in options.names for name in others)
        return first if is_asked and len(set(ids)) == len(ids) and not self.has_fraction(0) else None

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
        names = (quoted(self.header[column]) if self.header[column] else "without a name" for column in columns)
        words = [f"column {column + 1}, {name}" for column, name in zip(columns, names, strict=True)]
        return (Oddity("columns that hold no scores left out", self.path, 0, examples(words), "file"),)

    def with_roles(self, id_column: str | None = None) -> Cells:
        """The table with the columns of a long or wide one that could be the run, query, measure and score, by name.

        ``id_column``, where it is a column, has the queries, and a column of scores then names no runs, whatever it is
        called.
        """
        roles = {role: names.role_columns(self.header, role) for role in ("run", "query", "measure", "score")}
        if roles["run"] and roles["score"] and not roles["query"]:
            users = [column for column, name in enumerate(self.header) if names.plain(name) in names.RANKED_FOR]
            roles["query"] = [column for column in users if not self.has_fraction(column)][:1]
        if id_column is not None and self.header.count(id_column) == 1:
            ids = self.header.index(id_column)
            roles = {role: [column for column in columns if column != ids] for role, columns in roles.items()}
            roles["query"] = [ids]
            roles["run"] = [column for column in roles["run"] if not self.has_fraction(column)]
        roles["run"] = [column for column in roles["run"] if column not in self.numbers]
        return self._replace(roles={role: columns for role, columns in roles.items() if columns})

    def items(self, query: int, others: Collection[int] = ()) -> Items:
        """Which items the queries in a column are, by the column that says so; the rows must be a list."""
        name = self.item_name(query, others)
        if name is None:
            return {}
        at = self.header.index(name)
        texts = [(line, cells[query], cells[at]) for line, cells in self.rows if not is_hole(cells[at])]
        if all(NUMBER.fullmatch(text) for _, _, text in texts):
            return {}
        return items_of(((line, key, {name: fingerprint(text)}) for line, key, text in texts), self.path)

    def item_name(self, query: int, others: Collection[int] = ()) -> str | None:
        """The column that says which items the queries in a column are, but for others; None where there is none."""
        return item_name(self.header, [self.header[column] for column in (query, *others)])

    def only(self, role: str) -> int:
        """The only column of a role. Raises `DataError` if there are several."""
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
    """Raise `DataError` unless the name that a header lacks is that of a first column of ids or row numbers.

    The ids are no fractions, each is there once, and a column that is called as ids are holds none either: then they
    are row numbers. Between ``commas``, a point in some number shows that no comma is a decimal one.
    """
    line, cells = rows[0]
    ids = [row[0] for _, row in rows]
    named = [column for column, name in enumerate(header, 1) if names.is_id(name)]
    plain = not any(is_fraction(row[column]) for _, row in rows for column in (0, *named))
    counting = not named or ids == [str(number) for number in range(1, len(ids) + 1)]
    pointed = not commas or any("." in cell and NUMBER.fullmatch(cell) for _, row in rows for cell in row[1:])
    if is_measure(header[0]) or "" in ids or len(set(ids)) < len(ids) or not (plain and counting and pointed):
        what = f"expected {len(header)} columns, as in the header, found {len(cells)}"
        decimal = "" if pointed else "; if the commas in the numbers are decimal ones, write points, or separate by ;"
        raise DataError(f"{what}: name every column{decimal}", path=path, line=line)


@dataclass(frozen=True)
class ScoreOptions:
    """How files of scores are to be read.

    ``orient`` and ``id_column`` say what the rows of a matrix are and which column has their ids, ``rows`` what the
    rows are where nothing else tells. ``measures`` are those that are wanted; one alone is the measure of a file that
    names none. Without ``allow_range`` a score that its measure cannot have is an error.
    """

    orient: Orient | None = None
    id_column: str | None = None
    measures: tuple[str, ...] = ()
    allow_range: bool = False
    rows: Orient | None = None

    @property
    def measure(self) -> str | None:
        """The only measure that is wanted, by ir-measures' spelling; None for several and for none."""
        return canonical(self.measures[0]) if len(self.measures) == 1 else None

    @cached_property
    def names(self) -> frozenset[str]:
        """The measures that are wanted, by ir-measures' spelling."""
        return frozenset(map(canonical, self.measures))

    @cached_property
    def assemble(self) -> partial[ScoreFile]:
        """`records.assemble`, which looks at the range of the measures that are wanted, or of all."""
        return partial(assemble, allow_range=self.allow_range, wanted=self.names)


USUAL = ScoreOptions()


class ScoreFormat(NamedTuple):
    """A format of score files.

    ``recognise`` tells by the first lines of a text, stripped and without blank ones and comments. ``read`` takes the
    text and the path that messages name; what it gives as `Cells` is read as a table. ``examples`` are texts by the
    names of their files; all have the AP of one or two runs on the queries 301 and 302, and docs/inputs.md shows them.
    ``hint`` is what the error of a text of no format says of this one, for some.
    """

    kind: str
    recognise: Callable[[Sequence[bytes]], bool]
    read: Callable[[bytes, str, ScoreOptions], ScoreFile | Cells]
    examples: Mapping[str, str]
    hint: str = ""


class TableFormat(NamedTuple):
    """What a table of cells may be, by its header and the roles of its columns.

    ``by_arrays`` reads a text in the usual shape in a hundredth of the time, to the same numbers, and gives None for
    any other text.
    """

    recognise: Callable[[Cells, ScoreOptions], bool]
    read: Callable[[Cells, ScoreOptions], ScoreFile]
    examples: Mapping[str, str]
    by_arrays: Callable[[bytes, str, ScoreOptions], ScoreFile | None] | None = None


def _is_long(table: Cells, options: ScoreOptions) -> bool:
    """Whether there is a column of scores: beside runs or measures, or unless ``--orient`` says that it is a matrix."""
    is_alone = not {"run", "measure"} & set(table.roles)
    is_other = is_alone and (options.orient is not None or _is_asked_for(table, options))
    return {"query", "score"} <= set(table.roles) and not is_other


def _is_asked_for(table: Cells, options: ScoreOptions) -> bool:
    """Whether the column of scores is asked for by its name, beside others, so that the columns are measures."""
    of_scores = [canonical(table.header[column]) for column in table.roles.get("score", ())]
    return len(table.header) > 2 and any(name in options.names for name in of_scores)


def _read_long(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores of a table with a column of scores; without a column of runs, the file is the run."""
    at = {role: table.only(role) for role in table.roles}
    others = [name for index, name in enumerate(table.header) if name and index not in at.values()]
    if others and not {"run", "measure"} & set(at):
        what = f"is column {quoted(others[0])} a run, beside {table.header[at['score']]}?"
        matrix = f"or give {argument(orient='queries')} for a matrix"
        raise table.error(f"{what} Add a column of runs or measures to a long table, {matrix}")
    lacking = [role for role in ("run", "measure") if role not in at]
    remedy = "keep one"
    if lacking:
        unread = f" (columns not read: {quoted(', '.join(others))})" if others else ""
        remedy = f"keep one, or add a column called {' or '.join(lacking)} that tells them apart{unread}"

    def records() -> Iterator[Record]:
        run_at, measure_at, query_at, score_at = at.get("run"), at.get("measure"), at["query"], at["score"]
        file_run, default, column = run_name(table.path), options.measure, f"column {table.header[score_at]}"
        for line, cells in table.rows:
            run = file_run if run_at is None else cells[run_at]
            measure = default if measure_at is None else canonical(cells[measure_at]) or default
            yield Record(line, run, measure, cells[query_at], cells[score_at], column)

    if table.item_name(at["query"], at.values()) is not None:
        table = table.listed()
    file = options.assemble(layout_of(records(), table.path, remedy), runs_named="run" in at)
    return replace(file, items=table.items(at["query"], at.values()), absent_is_zero=_zero(table))


def _zero(table: Cells) -> bool | None:
    """Whether a query that a run lacks counts 0 in a long table without measures: not where it is an item or a task."""
    query = table.header[table.roles["query"][0]]
    return None if "measure" in table.roles else not names.is_item(query)


def long_arrays(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores of a long table in plain csv or tsv; None for any other text.

    None, too, for what needs a second look: a value that is no finite number or is given twice, a row of another
    length, quotes, a name with white space around it, and one that may be a summary's.

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
    return layout and replace(options.assemble(layout, runs_named="run" in at), absent_is_zero=_zero(table))


LONG = TableFormat(
    _is_long,
    _read_long,
    {"scores.csv": "name,qid,measure,value\nbm25,301,map,0.5\nbm25,302,map,1.0\nrm3,301,map,0.25\nrm3,302,map,0.5\n"},
    long_arrays,
)


_GDEVAL = {"ndcg": "nDCG(dcg='exp-log2')", "err": "ERR"}  # gdeval's nDCG has gains 2^grade - 1


def _is_wide(table: Cells, options: ScoreOptions) -> bool:
    """Whether there is a column per measure: beside runs and queries, or others that are named as measures.

    Where some columns beside the queries are named as measures and some are not, it is a wide table if there are at
    least as many of the former, or if one of them is asked for. Where ``--id-column`` is one of the columns, what is
    named like an id or a count and no measure does not count. Raises `DataError` where most columns are not named as
    measures, and might be runs.
    """
    header, roles = table.header, table.roles
    known = {column for role in ("run", "query") for column in roles.get(role, ())}
    others = [column for column, name in enumerate(header) if not names.is_nameless(name) and column not in known]
    if table.chosen(options) is not None:
        others = [column for column in others if not _is_beside(header[column])]
    if not others or ("score" in roles and not _is_asked_for(table, options)) or "query" not in roles:
        return False
    if "run" in roles or options.orient is not None:
        return "run" in roles
    called = {header[column] for column in others}
    if all(is_measure(name) or cost_of(name) is not None for name in called) or "F1" in called <= {"P", "R", "F1"}:
        return True
    rows = list(table.rows)
    measures = names.named_as_measures(header, rows, others, options.names)
    if measures and not any(canonical(header[column]) in options.names for column in measures):
        unlike = names.unlike_measures(header, rows, [column for column in others if column not in measures])
        if len(unlike) > len(measures):
            one, two = quoted(header[measures[0]]), quoted(header[unlike[0]])
            what = f"are the columns runs or measures? {one} is named as a measure, {two} is not"
            runs = f"say {argument(orient='queries')} if they are runs"
            raise table.error(f"{what}; {runs}, or {argument(measure=one)} if they are measures")
    return bool(measures)


def _read_wide(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores in gdeval's and ndeval's csv, and in tables like it.

    Left out are row numbers and, where ``--id-column`` is the name of a column, other ids and counts; a fraction shows
    that a column has scores, whatever its name. Where some columns are named as measures, one that is not is read if it
    is asked for, or has a number in every row.
    """
    header, chosen = table.header, table.chosen(options) is not None
    query_at, run_at = table.only("query"), table.only("run") if "run" in table.roles else None
    left_out, measured = [], []
    for index, name in enumerate(header):
        if index in (query_at, run_at):
            continue
        numbers = names.is_nameless(name) and (index == 0 or chosen)
        if (numbers or (chosen and _is_beside(name))) and not table.has_fraction(index):
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
            in_full = re.sub(r"^(ndcg|err)(?=@\d+$)", lambda match: _GDEVAL[match[0]], name) if gdeval else name
            columns.append((index, canonical(in_full), f"column {name}"))
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
    unasked = [canonical(header[index]) for index in others if index not in words]
    items = table.items(query_at, () if run_at is None else (run_at,))
    return replace(scores, others=tuple(name for name in unasked if name in scores.measures), items=items)


def _is_beside(name: str) -> bool:
    """Whether a column of this name stands beside measures: one of ids or of a count."""
    return not is_measure(name) and names.is_id_or_count(name)


WIDE = TableFormat(
    _is_wide, _read_wide, {"measures.csv": "topic,map,P_5,latency\n301,0.5,0.2,12.5\n302,1.0,0.4,13.5\n"}
)
