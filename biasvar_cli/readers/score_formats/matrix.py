"""Score matrices: runs x queries under one measure, with runs or queries as rows, and ids and a header or not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import out_of_range
from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_count, is_measure, value_range
from biasvar_cli.measures.catalogue import cost_of, sounds_like_a_cost
from biasvar_cli.readers.columns import values_of
from biasvar_cli.readers.score_formats import names
from biasvar_cli.readers.score_formats.crossed import crossed
from biasvar_cli.readers.score_formats.layout import Record, csv_columns, is_plain, layout_of, plain_header
from biasvar_cli.readers.score_formats.records import ALLOW, ScoreFile, whole_numbers_among_fractions
from biasvar_cli.readers.score_formats.tables import Cells, ScoreFormat, ScoreOptions, TableFormat
from biasvar_cli.readers.sources import names_files, read_bytes
from biasvar_cli.readers.text import HOLES, NUMBER, is_fraction, is_fraction_word, is_name, plain_text, quoted
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.words import argument, counted, examples


def columns_of(table: Cells, chosen: str | None, measured: str | None) -> tuple[int | None, list[int], list[int]]:
    """The column of ids of a matrix (None: no column), the columns of scores, and the columns that are left out.

    ``chosen`` is the value of ``--id-column``. Without it, the column of ids is a column with a name of ids, wherever
    it stands, or the first column, if that has no name, the name of the measure (``measured``), or words; a first
    column with fractions or with repeated numbers has scores. Row numbers without a name before the ids are left out.
    With ``chosen``, a column without fractions is left out if it has no name, a name of ids or a count, or only words.

    Raises `DataError` if the column of ids may have scores, for a second column of ids, for a count, and for distinct
    whole numbers in a first column with another name.

    >>> columns_of(Cells("ap.csv", 1, ["", "topic", "bm25"], [(2, ["1", "301", "0.25"])]), None, None)
    (1, [2], [0])
    """
    header = table.header
    if chosen is None:
        at = _id_column(table, measured)
        before = [column for column in range(at or 0) if names.is_nameless(header[column])]
        left_out = [column for column in before if not table.has_fraction(column)]  # row numbers
    else:
        if chosen != "none" and header.count(chosen) != 1:
            what = f"{header.count(chosen)} columns are called {chosen!r} ({argument('id_column')})"
            raise table.error(f"{what}; the first column is {quoted(header[0])}")
        at = None if chosen == "none" else header.index(chosen)
        left_out = [column for column in range(len(header)) if column != at and _has_no_scores(table, column)]
    score_columns = [column for column in range(len(header)) if column != at and column not in left_out]
    for column in score_columns if chosen is None else ():
        if names.is_id_or_count(header[column]):
            what = f"column {quoted(header[column])} is named like ids or a count, not like a run"
            ids = argument(id_column="NAME" if at is None or not header[at] else quoted(header[at]))
            raise table.error(f"{what}; {ids}, the column of ids, leaves it out; rename it if it is a run")
    if not score_columns:
        raise table.error("there is no column of scores")
    return at, score_columns, left_out


def _names_ids(name: str, measured: str | None) -> bool:
    """Whether a first column of this name has ids: its name is a word for ids, empty, or the name of a measure.

    >>> _names_ids("topic", None), _names_ids("AP", None), _names_ids("mine", "mine"), _names_ids("bm25", None)
    (True, True, True, False)
    """
    return _is_id_name(name) or not name or is_measure(name) or (measured is not None and canonical(name) == measured)


def _is_id_name(name: str) -> bool:
    return names.named(name, "query") or names.named(name, "run")


def _id_column(table: Cells, measured: str | None) -> int | None:
    """The column of ids, by its name or by the cells of the first column; None if the first column has scores.

    Raises `DataError` if the column is ambiguous, or has a fraction.
    """
    header = table.header
    by_name = [column for column, name in enumerate(header) if _is_id_name(name)] or names.role_columns(header, "query")
    first_has_ids = _names_ids(header[0], measured)
    if by_name:
        columns: list[int] = sorted({*by_name, *([0] if first_has_ids and not names.is_nameless(header[0]) else ())})
        if len(columns) > 1:
            both = f"columns {quoted(header[columns[0]])} and {quoted(header[columns[1]])} could both have the ids"
            ids = argument(id_column=quoted(header[columns[0]]))
            raise table.error(f"{both}; say which does with {ids}, and the other is left out")
        column = columns[0]
    else:
        column, cells = 0, [row[0] for _, row in table.rows]
        if not first_has_ids and all(map(_is_number, cells)):
            numbers = [float(cell) for cell in cells if NUMBER.fullmatch(cell)]
            if len(numbers) < len(cells) or any(map(is_fraction, cells)) or len(set(numbers)) < len(numbers):
                return None
            what = f"column {quoted(header[0])} has distinct whole numbers: ids or scores?"
            raise table.error(f"{what} Say which with {argument('id_column NAME | none')}")
    for line, cells in table.rows:
        if is_fraction(cells[column]):
            what = f"column {quoted(header[column])} should have ids, but {cells[column]} looks like a score"
            raise table._replace(line=line).error(f"{what}; name the ids with {argument('id_column NAME | none')}")
    return column


def _has_no_scores(table: Cells, column: int) -> bool:
    """Whether a column has no fractions, and no name, a name of ids or a count, only words, or only objects of JSON."""
    name = table.header[column]
    if column in table.numbers:
        return False
    has_words = all(cells[column][:1].isalpha() and not _is_number(cells[column]) for _, cells in table.rows)
    has_text = has_words or all(cells[column].startswith(("{", "[")) for _, cells in table.rows)
    return (has_text or names.is_nameless(name) or names.is_id_or_count(name)) and not table.has_fraction(column)


def _is_number(cell: str) -> bool:
    """Whether a cell is a number or a hole."""
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in HOLES


class _Matrix(NamedTuple):
    """The columns of ``scores``, their ``names``, and the ``ids`` and line numbers of the rows.

    ``corner`` is the name of the column of ids, None without such a column.
    """

    table: Cells
    scores: Sequence[int]
    names: list[str]
    corner: str | None
    ids: list[str]
    lines: Sequence[int]


def _parse_matrix(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores of a matrix; for its column of ids, and for columns without scores, see `columns_of`.

    Rows are queries, with numbers from 1 if they have no ids. They are runs if the names of all other columns are
    numbers, but not the ids, and if ``--orient`` says so. Raises `DataError` for errors, and for an ambiguous matrix.

    >>> from biasvar_cli.readers.score_formats.tables import read_table
    >>> file = _parse_matrix(read_table("AP,801,802\\nbm25,0.5,0.25\\n", "ap.csv"), ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('801', '802'), [[[0.5, 0.25]]])
    """
    header = table.header
    if all(map(NUMBER.fullmatch, header)) or (is_fraction(header[-1]) and header[0].isdigit()):
        raise _no_header(table)
    orient, chosen = options.orient or options.rows, options.id_column
    if orient is None and chosen is None and names.is_nameless(header[0]) and all(map(names.is_known, header[1:])):
        raise _measures_across(table, "", header[1])
    table = table.listed()
    rows = list(table.rows)
    _refuse_averages(table, options)
    at, score_columns, left_out = columns_of(table, chosen, options.measure)
    ids = [str(count) if at is None else cells[at] for count, (_, cells) in enumerate(rows, 1)]
    heads, lines = [header[column] for column in score_columns], [line for line, _ in rows]
    matrix = _Matrix(table, score_columns, heads, None if at is None else header[at], ids, lines)
    judged = [name for name in heads if names.is_judged(name)] if orient is None else []
    if judged:
        raise _measures_across(table, "", judged[0])
    _refuse_measures(matrix)
    _check_names(matrix)
    if at is not None and chosen is None:
        _refuse_words(table, header[at], score_columns)
    for key, (line, cells) in zip(ids, rows, strict=True):
        is_scored = chosen is not None and any(is_fraction(cells[column]) for column in score_columns)
        if names.is_id_or_count(key) and not is_scored:
            what = f"row {quoted(key)} is named like ids or a count, not like a run or a query"
            raise DataError(f"{what}; leave it out, or rename it", path=table.path, line=line)
    by_run = _rows_are_runs(matrix, orient, guess_header=chosen is None)
    corner = matrix.corner or ""
    is_measured = is_measure(corner) or cost_of(corner) is not None
    measures = names.named_as_measures(header, rows, score_columns) if orient is None and not is_measured else []
    if measures:
        raise _measures_across(table, corner, header[measures[0]])
    measure = canonical(corner) if is_measured else options.measure

    def records() -> Iterator[Record]:
        columns = [(index, name, f"column {quoted(name)}") for index, name in zip(score_columns, heads, strict=True)]
        for key, (line, cells) in zip(ids, rows, strict=True):
            for index, name, column in columns:
                run, query = (key, name) if by_run else (name, key)
                yield Record(line, run, measure, query, cells[index], column)

    layout = layout_of(records(), table.path)
    oddities = table.left_out(left_out)
    file = options.assemble(layout, numbered=at is None, oddities=oddities)
    if at is not None and not by_run:
        file = replace(file, items=table.items(at, score_columns))
    if not (options.allow_range or chosen == "none" or (measure and is_count(measure))):
        _refuse_whole_numbers(file, matrix, by_run)
    return file


def matrix_arrays(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores of a matrix in plain csv or tsv, whose first column has the ids; None for any other text.

    None also where the other reader has to look: for a name that may stand for a measure, ids, a count or a summary,
    quotes, white space around a name, a name that is given twice, and a value that is not a finite number.

    >>> file = matrix_arrays(b"topic,bm25,rm3\\n301,0.5,0.25\\n302,1,0\\n", "ap.csv", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25', 'rm3'), (None,), ('301', '302'), [[[0.5, 1.0]], [[0.25, 0.0]]])
    >>> matrix_arrays(b"topic,bm25,mean\\n301,0.5,0.5\\n", "ap.csv", ScoreOptions()) is None
    True
    """
    header = plain_header(data)
    corner, others = "".join(header[:1]), header[1:]
    if not (others and _names_ids(corner, options.measure)) or names.is_document(corner):
        return None
    for name in others:
        if (
            _ERROR_OF_MEAN.search(name)
            or not is_plain(name)
            or names.is_nameless(name)
            or names.is_id_or_count(name)
            or names.is_document(name)
        ):
            return None
        has_role = any(names.role_columns([name], role) for role in ("measure", "score"))
        if has_role or canonical(name) in options.names or names.is_like_a_measure(name):
            return None
    columns = csv_columns(data, header, [], others)
    if columns is None or all(cost_of(name) is not None for name in others) or crossed(others):
        return None
    ids = columns.column(0).to_pylist()
    doubtful = any(not is_plain(key) or is_fraction(key) or names.is_id_or_count(key) for key in ids)
    if doubtful or len(set(ids)) < len(ids) or any(map(names.is_known, ids[:2])):
        return None
    table = Cells(path, 1, header, [])
    matrix = _Matrix(table, range(1, len(header)), others, corner, ids, range(2, len(ids) + 2))
    by_run = _rows_are_runs(matrix, options.orient or options.rows, guess_header=True)
    values = np.array([values_of(columns.column(at)) for at in range(1, len(header))])
    runs, queries, cube = (ids, others, values.T) if by_run else (others, ids, values)
    measure = canonical(corner) if is_measure(corner) else options.measure
    bounds = value_range(measure) if measure and not options.allow_range else None
    if not np.isfinite(values).all() or (bounds is not None and out_of_range(values, bounds).any()):
        return None
    number = {query: index for index, query in enumerate(queries)}
    ordered = natural_order(number)
    rows = np.ascontiguousarray(cube if ordered == queries else cube[:, [number[query] for query in ordered]])
    file = ScoreFile(path, tuple(runs), (measure,), tuple(ordered), rows[:, None], numbered=False, oddities=())
    if not (options.allow_range or (measure and is_count(measure))):
        _refuse_whole_numbers(file, matrix, by_run)
    return file


def _refuse_whole_numbers(file: ScoreFile, matrix: _Matrix, by_run: bool) -> None:
    """Raise `DataError` for a column or a row of whole numbers above 1 if all others have scores from 0 to 1."""
    values = file.values[:, 0]
    for across in (True, False):
        by_name = across != by_run
        row = whole_numbers_among_fractions(values if by_name else values.T)
        if row is not None:
            name = (file.runs if by_name else file.queries)[row]
            line = matrix.table.line if across else matrix.lines[matrix.ids.index(name)]
            what = f"{'column' if across else 'row'} {quoted(name)} has whole numbers above 1"
            ids = f"give {argument(id_column=quoted(name))} if it has ids, " if across else ""
            remedy = f"{ids}leave it out if it has counts; {ALLOW}"
            raise DataError(f"{what}, all others have scores from 0 to 1; {remedy}", path=matrix.table.path, line=line)


def _refuse_measures(matrix: _Matrix) -> None:
    """Raise `DataError` if the rows are measures, as in a DataFrame of pytrec_eval's results that lacks ``.T``."""
    ids = [key for key in matrix.ids if not names.summary(key)] or matrix.ids
    if matrix.corner is None or names.named(matrix.corner, "query"):
        return
    may_be_queries = all(re.fullmatch(r"[A-Za-z]\d+", key) for key in ids)  # such as P1, P2, ...
    are_measures = not may_be_queries and all(len(key) > 1 and names.is_known(key) for key in ids)
    if are_measures or names.named(matrix.corner, "measure"):
        what = f"the rows are measures, {examples(matrix.ids)}: write a row for each query"
        raise matrix.table.error(f"{what} (.T transposes a table of pandas); averages of runs cannot be used")


def _check_names(matrix: _Matrix) -> None:
    """Raise `DataError` for a column without a name, and for a name or an id that occurs twice."""
    earlier: set[str] = set()
    for column, name in zip(matrix.scores, matrix.names, strict=True):
        if not name:
            raise matrix.table.error(f"column {column + 1} has no name")
        if name in earlier:
            raise matrix.table.error(f"two columns are called {quoted(name)}; rename one")
        earlier.add(name)
    lines: dict[str, int] = {}
    for key, line in zip(matrix.ids, matrix.lines, strict=True):
        first = lines.setdefault(key, line)
        if first != line:
            what, remedy = f"two rows are called {quoted(key)}, the first in line {first}", "keep one"
            if names.is_item(matrix.corner or ""):
                what = f"{matrix.corner} {quoted(key)} is given twice, first in line {first}"
                remedy = "keep one, or add a column called run that tells them apart"
            elif len(matrix.table.header) > 2:
                remedy = "keep one, or call the column of queries query_id, and the column of runs run"
                rows = list(matrix.table.rows)
                columns = [column for column, name in enumerate(matrix.table.header) if name != matrix.corner]
                texts = [matrix.table.header[column] for column in columns if not names.has_numbers(rows, column)]
                if texts:
                    remedy += f", or {quoted(texts[0])} docno if these are the results of a run"
            raise DataError(f"{what}; {remedy}", path=matrix.table.path, line=line)


def _rows_are_runs(matrix: _Matrix, orient: str | None, *, guess_header: bool) -> bool:
    """Whether rows are runs: if the names of all columns are numbers, and not the ids. ``orient`` overrides this.

    Raises `DataError` if rows and columns could both be the runs, and if the columns are measures.
    """
    table, corner = matrix.table, matrix.corner
    heads = [name for name in matrix.names if not names.summary(name)] or matrix.names
    ids = [key for key in matrix.ids if not names.summary(key)] or matrix.ids
    n_numbers = sum(bool(NUMBER.fullmatch(name)) for name in heads)
    heads_are_numbers = n_numbers == len(heads)
    if corner is None:
        if orient == "runs":
            what = f"no column has the names of the runs in the rows ({argument(orient='runs')})"
            raise table.error(f"{what}; name it with {argument('id_column NAME')}")
        return False
    if heads_are_numbers and guess_header and not _names_ids(corner, None) and any(map(is_fraction, heads)):
        raise _no_header(table)
    if orient is not None:
        return orient == "runs"
    if all(map(names.is_known, heads)):
        raise _measures_across(table, corner, matrix.names[0])
    n_number_ids = sum(bool(NUMBER.fullmatch(key)) for key in ids)
    has_queries, has_runs = names.named(corner, "query"), names.named(corner, "run")
    if heads_are_numbers:
        is_ambiguous = has_queries or n_number_ids == len(ids)
    else:
        is_ambiguous = has_runs or (2 * n_numbers > len(heads) and not (has_queries or n_number_ids))
    if is_ambiguous:
        cells = f"the header has {quoted(corner)} and {quoted(heads[0])}, the first row {quoted(ids[0])}"
        remedy = f"say which with {argument('orient queries | runs')}"
        raise table.error(f"are the rows queries or runs? {cells}; {remedy}")
    return heads_are_numbers


_ERROR_OF_MEAN = re.compile(r"(^|_)(std_?err|standard_error)$")  # stands only beside means; sem may be a run
_TRAINING = ("epoch", "steps", "step", "iteration", "checkpoint")


def _refuse_averages(table: Cells, options: ScoreOptions) -> None:
    """Raise `DataError` for a table of averages: rows of runs, or of steps of a training, and columns of measures.

    At least half of its columns of numbers have names of measures. With ``--orient queries`` the rows are queries,
    unless they are steps of a training.
    """
    header = table.header
    first = next((index for index, name in enumerate(header) if not names.is_nameless(name)), 0)
    is_log, is_runs = names.plain(header[first]) in _TRAINING, names.named(header[first], "run")
    errors = [name for name in header if _ERROR_OF_MEAN.search(names.plain(name))]
    if errors and options.orient != "queries":
        raise _averages(table, header[first], errors[0], "run")
    if not is_log and not (is_runs and options.orient != "queries"):
        return
    others = [index for index in range(len(header)) if index != first and names.plain(header[index]) not in _TRAINING]
    numbers = [index for index in others if names.has_numbers(list(table.rows), index)]
    words = [header[index].replace("_", " ") if is_log else header[index] for index in numbers]  # eval_ndcg@10
    logged = [names.is_measured(name) or (is_log and sounds_like_a_cost(name)) for name in words]
    measures = list(compress(numbers, logged))
    if measures and 2 * len(measures) >= len(numbers):
        raise _averages(table, header[first], header[measures[0]], "step of a training" if is_log else "run")


def _refuse_words(table: Cells, ids: str, columns: Sequence[int]) -> None:
    """Raise `DataError` for a column without numbers beside columns with numbers, such as texts beside scores."""
    words = [column for column in columns if not any(_is_number(cells[column]) for _, cells in table.rows)]
    numbers = [quoted(table.header[column]) for column in columns if column not in words]
    rows = list(table.rows)
    if words and numbers and len(rows) > 1:
        first = quoted(str(rows[0][1][words[0]]))
        what = f"column {quoted(table.header[words[0]])} has no numbers, but text such as {first}"
        measure = f"if {numbers[0]} is a measure, choose it with {argument(measure=numbers[0])}; "
        left_out = f"{argument(id_column=quoted(ids))} leaves columns of words out"
        remedy = left_out if ids else "leave columns of words out, and give the first column a name"
        raise table.error(f"{what}; {measure if len(numbers) == 1 else ''}{remedy}")


def _averages(table: Cells, corner: str, name: str, row: str) -> DataError:
    what = f"{quoted(corner)} and {quoted(name)}: the table has only averages, a row for each {row}"
    return table.error(f"{what}; save the scores of every query instead")


def _measures_across(table: Cells, corner: str, name: str) -> DataError:
    """The error for a header of ids and measures: these are the scores of one run, or averages of several."""
    first = quoted(name)
    if names.named(corner, "run"):
        return _averages(table, corner, name, "run")
    ids = "call the first column topic"
    if names.is_judged(name):
        ids = f"call the column of ids topic, or number the rows with {argument(id_column='none')},"
    what = f"{first} is a measure: {ids} if these are the scores of one run"
    return table.error(f"{what}, else give {argument('orient queries | runs')}")


def _no_header(table: Cells) -> DataError:
    return table.error("expected a header with names, found numbers; name the columns")


FORMAT = TableFormat(
    lambda *_: True,
    _parse_matrix,
    {"ap.csv": "AP,bm25,rm3\n301,0.5,0.25\n302,1.0,0.5\n"},
    matrix_arrays,
)


def _are_numbers(lines: Sequence[bytes]) -> bool:
    """Whether all words are numbers, at least two in the first line, and some are fractions.

    Runs, qrels and evaluations may have only numbers too, so only ``--orient queries`` makes such a text a matrix.
    """
    words = [line.split() for line in lines]
    numbers = [word for line in words for word in line]
    return len(words[0]) > 1 and not any(map(is_name, numbers)) and any(map(is_fraction_word, numbers))


def _read_bare(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of a matrix of numbers alone: its queries are numbered, and so are its runs.

    A file beside the matrix may name the runs, see `sources.names_files`. Raises `DataError`, with the line, for a row
    whose length differs from the first one.

    >>> file = _read_bare(b"0.5 0.25\\n1 0.5\\n", "ap.mat", ScoreOptions(orient="queries", measures=("AP",)))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('1', '2'), ('AP',), ('1', '2'), [[[0.5, 1.0]], [[0.25, 0.5]]])
    """
    lines = enumerate(plain_text(data, path).split("\n"), 1)
    rows = [(number, line.split()) for number, line in lines if line.strip() and not line.startswith("#")]
    width, files = len(rows[0][1]), names_files(path)
    if len(files) > 1:
        raise DataError(f"both {' and '.join(files)} name its runs; remove one", path=path)
    runs = list(map(str, range(1, width + 1)))
    for file in files:  # one at most
        runs = [name.strip() for name in plain_text(read_bytes(file), file).split("\n") if name.strip()]
        if len(runs) != width:
            what = f"the file has {counted(len(runs), 'name')} for {counted(width, 'column')}; give a name for each"
            raise DataError(what, path=file)
        if len(set(runs)) < width:
            raise DataError("two runs have the same name; rename one", path=file)

    def records() -> Iterator[Record]:
        for query, (number, cells) in enumerate(rows, 1):
            if len(cells) != width:
                what = f"expected {counted(width, 'column')}, as in the first row, found {len(cells)}"
                raise DataError(what, path=path, line=number)
            for run, cell in zip(runs, cells, strict=True):
                yield Record(number, run, options.measure, str(query), cell, f"column {quoted(run)}")

    return options.assemble(layout_of(records(), path), numbered=True)


BARE = ScoreFormat("matrix", _are_numbers, _read_bare, {"ap.mat": "0.5 0.25\n1.0 0.5\n"})
