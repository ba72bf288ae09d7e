"""Tables with a column of queries: a row for each score (long), or a column for each measure (wide).

Long ones have columns of queries and scores, and of runs or measures or both; wide ones the queries, perhaps the runs,
and measures, as gdeval and ndeval write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.columns import flat, values_of
from biasvar_cli.readers.score_formats.format import Cells, ScoreOptions, TableFormat
from biasvar_cli.readers.score_formats.layout import Record, csv_columns, layout_of, plain_header, plain_layout
from biasvar_cli.readers.score_formats.names import (
    is_document,
    is_full,
    is_id_or_count,
    is_like_a_measure,
    is_nameless,
    named_as_measures,
    unlike_measures,
)
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, is_fraction, quoted
from biasvar_cli.words import argument


def _is_long(table: Cells, options: ScoreOptions) -> bool:
    """Whether there is a column of scores: beside runs or measures, or unless ``--orient`` says that it is a matrix."""
    is_matrix = options.orient is not None and not {"run", "measure"} & set(table.roles)
    return {"query", "score"} <= set(table.roles) and not is_matrix


def _read_long(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores of a table with a column of scores; without a column of runs, the file is the run."""
    at = {role: table.only(role) for role in table.roles}
    others = [name for index, name in enumerate(table.header) if name and index not in at.values()]
    if others and not {"run", "measure"} & set(at):
        what = f"is column {quoted(others[0])} a run, beside {table.header[at['score']]}?"
        raise table.error(
            f"{what} Add a column of runs or measures to a long table, "
            f"or give {argument(orient='queries')} for a matrix"
        )
    lacking = [role for role in ("run", "measure") if role not in at]
    remedy = "keep one"
    if lacking:
        unread = f" (columns not read: {quoted(', '.join(others))})" if others else ""
        remedy = f"keep one, or add a column called {' or '.join(lacking)} that tells them apart{unread}"
    layout = layout_of(_long_records(table, at, options.measure), table.path, remedy, holes=options.holes)
    return assemble(layout, runs_named="run" in at, allow_range=options.allow_range)


def _long_records(table: Cells, at: dict[str, int], default: str | None) -> Iterator[Record]:
    query_at, score_at = at["query"], at["score"]
    run_at, measure_at = at.get("run"), at.get("measure")
    name, column = run_name(table.path), f"column {table.header[score_at]}"
    for line, cells in table.rows:
        run = name if run_at is None else cells[run_at]
        measure = canonical(cells[measure_at]) or default if measure_at is not None else default
        yield Record(line, run, measure, cells[query_at], cells[score_at], column)


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
    if any(map(is_document, header)) or not _is_long(table, options):
        return None
    if any(len(columns) > 1 for columns in roles.values()) or not ({"run", "measure"} & set(roles) or len(header) == 2):
        return None
    at = {role: header[columns[0]] for role, columns in roles.items()}
    columns = csv_columns(data, header, [name for role, name in at.items() if role != "score"], [at["score"]])
    if columns is None:
        return None
    values = values_of(columns[at["score"]])
    names: list[list[str | None]] = [[run_name(path)], [options.measure], []]
    places = np.zeros((len(values), 3), dtype=np.int64)
    for axis, role in enumerate(("run", "measure", "query")):
        if role in at:
            words = flat(columns[at[role]])
            names[axis] = words.dictionary.to_pylist()
            places[:, axis] = values_of(words.indices)
    layout = plain_layout(path, names, places, values, range(2, len(values) + 2), runs_named="run" in at)
    return layout and assemble(layout, runs_named="run" in at, allow_range=options.allow_range)


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
    others = [column for column, name in enumerate(header) if not is_nameless(name) and column not in known]
    if _is_chosen(table, options):
        others = [column for column in others if not _is_beside(header[column])]
    if not others or "score" in roles or "query" not in roles:
        return False
    if "run" in roles or options.orient is not None:
        return "run" in roles
    if all(is_measure(header[column]) for column in others):
        return True
    rows = list(table.rows)
    measures = named_as_measures(header, rows, others, options.names)
    if measures and not any(canonical(header[column]) in options.names for column in measures):
        unlike = unlike_measures(header, rows, [column for column in others if column not in measures])
        if len(unlike) > len(measures):
            one, two = quoted(header[measures[0]]), quoted(header[unlike[0]])
            what = f"are the columns runs or measures? {one} is named as a measure, {two} is not"
            remedy = (
                f"say {argument(orient='queries')} if they are runs, or {argument(measure=one)} if they are measures"
            )
            raise table.error(f"{what}; {remedy}")
    return bool(measures)


def _read_wide(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores in gdeval's and ndeval's csv, and in tables like it.

    Where some columns are named as measures, one that is not is read if it is asked for, or has a number in every row.
    """
    query_at = table.only("query")
    run_at = table.only("run") if "run" in table.roles else None
    left_out, measured = [], []
    for index, name in enumerate(table.header):
        if index in (query_at, run_at):
            continue
        if _is_left_out(table, index, chosen=_is_chosen(table, options)):
            left_out.append(index)
        elif not name:
            raise table.error(f"column {index + 1} has no name")
        else:
            measured.append(index)
    unlike = [index for index in measured if not is_like_a_measure(table.header[index])]
    mixed = run_at is None or len(unlike) < len(measured)
    others = [index for index in unlike if mixed and canonical(table.header[index]) not in options.names]
    words = [index for index in others if not is_full(list(table.rows), index)]
    gdeval = [name.lower() for name in table.header[:2]] == ["runid", "topic"]
    records = _wide_records(table, query_at, run_at, [index for index in measured if index not in words], gdeval=gdeval)
    remedy = "keep one" if run_at is not None else "keep one, or add a column called run that tells them apart"
    scores = assemble(
        layout_of(records, table.path, remedy, holes=options.holes),
        means="usual" if gdeval else None,
        runs_named=run_at is not None,
        allow_range=options.allow_range,
        oddities=table.left_out(sorted([*left_out, *words])),
    )
    unasked = [canonical(table.header[index]) for index in others if index not in words]
    return replace(scores, others=tuple(name for name in unasked if name in scores.measures))


def _wide_records(
    table: Cells, query_at: int, run_at: int | None, measured: Sequence[int], *, gdeval: bool
) -> Iterator[Record]:
    measures = [table.header[index] for index in measured]
    columns = []
    for index, name in zip(measured, measures, strict=True):
        in_full = re.sub(r"^(ndcg|err)(?=@\d+$)", lambda match: _GDEVAL[match[0]], name) if gdeval else name
        columns.append((index, canonical(in_full), f"column {name}"))
    file_run, words = run_name(table.path), False
    for line, cells in table.rows:
        run = file_run if run_at is None else cells[run_at]
        if run_at is not None and is_fraction(run):
            what = f"column {table.header[run_at]} should name runs, but {run} looks like a score"
            ids = argument(id_column=table.header[query_at])
            remedy = f"give {ids} if it has the scores of a run, or rename it"
            raise DataError(f"{what}; {remedy}", path=table.path, line=line)
        words = words or not NUMBER.fullmatch(run)
        for index, measure, column in columns:
            yield Record(line, run, measure, cells[query_at], cells[index], column)
    if run_at is not None and not (words or any(map(is_measure, measures))):
        what = f"column {table.header[run_at]} should name runs, but has numbers alone"
        raise table.error(f"{what}; rename it if it has scores, or name the measures as ir-measures or trec_eval do")


def _is_chosen(table: Cells, options: ScoreOptions) -> bool:
    """Whether ``--id-column`` is the name of a column."""
    return options.id_column != "none" and options.id_column in table.header


def _is_beside(name: str) -> bool:
    return not is_measure(name) and is_id_or_count(name)


def _is_left_out(table: Cells, index: int, *, chosen: bool) -> bool:
    """Whether a column has no scores: row numbers, or, where the ids are chosen, other ids and counts.

    A fraction shows that it has scores, whatever its name.
    """
    name = table.header[index]
    may = (is_nameless(name) and (index == 0 or chosen)) or (chosen and _is_beside(name))
    return may and not table.has_fraction(index)


WIDE = TableFormat(
    _is_wide, _read_wide, {"measures.csv": "topic,map,P_5,latency\n301,0.5,0.2,12.5\n302,1.0,0.4,13.5\n"}
)
