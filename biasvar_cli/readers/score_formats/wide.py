"""Wide tables: a column for each measure, beside the queries and perhaps the runs, as gdeval and ndeval write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.score_formats import names
from biasvar_cli.readers.score_formats.format import Cells, ScoreOptions, TableFormat
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, is_fraction, quoted
from biasvar_cli.words import argument

_GDEVAL = ((re.compile(r"ndcg@(\d+)"), "nDCG(dcg='exp-log2')@{}"), (re.compile(r"err@(\d+)"), "ERR@{}"))


def _recognise(table: Cells, options: ScoreOptions) -> bool:
    """Whether there is a column per measure: beside runs and queries, or others that are named as measures.

    Where some columns beside the queries are named as measures and some are not, it is a wide table if there are at
    least as many of the former, or if one of them is asked for. Where ``--id-column`` is one of the columns, what is
    named like an id or a count and no measure does not count. Raises `DataError` where most columns are not named as
    measures, and might be runs.
    """
    header, roles = table.header, table.roles
    known = {column for role in ("run", "query") for column in roles.get(role, ())}
    others = [column for column, name in enumerate(header) if not names.is_nameless(name) and column not in known]
    if _is_chosen(table, options):
        others = [column for column in others if not _is_beside(header[column])]
    if not others or "score" in roles or "query" not in roles:
        return False
    if "run" in roles or options.orient is not None:
        return "run" in roles
    if all(is_measure(header[column]) for column in others):
        return True
    rows = list(table.rows)
    measures = names.named_as_measures(header, rows, others, options.names)
    if measures and not any(canonical(header[column]) in options.names for column in measures):
        unlike = names.unlike_measures(header, rows, [column for column in others if column not in measures])
        if len(unlike) > len(measures):
            one, two = quoted(header[measures[0]]), quoted(header[unlike[0]])
            what = f"are the columns runs or measures? {one} is named as a measure, {two} is not"
            remedy = (
                f"say {argument(orient='queries')} if they are runs, or {argument(measure=one)} if they are measures"
            )
            raise table.error(f"{what}; {remedy}")
    return bool(measures)


def _read(table: Cells, options: ScoreOptions) -> ScoreFile:
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
    unlike = [index for index in measured if not names.is_like_a_measure(table.header[index])]
    mixed = run_at is None or len(unlike) < len(measured)
    others = [index for index in unlike if mixed and canonical(table.header[index]) not in options.names]
    words = [index for index in others if not names.is_full(list(table.rows), index)]
    gdeval = [name.lower() for name in table.header[:2]] == ["runid", "topic"]
    records = _records(table, query_at, run_at, [index for index in measured if index not in words], gdeval=gdeval)
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


def _records(
    table: Cells, query_at: int, run_at: int | None, measured: Sequence[int], *, gdeval: bool
) -> Iterator[Record]:
    measures = [table.header[index] for index in measured]
    columns = [
        (index, _gdeval_name(name) if gdeval else canonical(name), f"column {name}")
        for index, name in zip(measured, measures, strict=True)
    ]
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
    return not is_measure(name) and names.is_id_or_count(name)


def _is_left_out(table: Cells, index: int, *, chosen: bool) -> bool:
    """Whether a column has no scores: row numbers, or, where the ids are chosen, other ids and counts.

    A fraction shows that it has scores, whatever its name.
    """
    name = table.header[index]
    may = (names.is_nameless(name) and (index == 0 or chosen)) or (chosen and _is_beside(name))
    return may and not table.has_fraction(index)


def _gdeval_name(name: str) -> str:
    """gdeval's ``ndcg@k`` has gains 2^grade - 1, which ir-measures calls otherwise."""
    forms = (form.format(match[1]) for pattern, form in _GDEVAL if (match := pattern.fullmatch(name)))
    return canonical(next(forms, name))


FORMAT = TableFormat(_recognise, _read, {"measures.csv": "topic,map,P_5,latency\n301,0.5,0.2,12.5\n302,1.0,0.4,13.5\n"})
