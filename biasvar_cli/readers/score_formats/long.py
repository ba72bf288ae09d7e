"""Long tables: a row for each score, with columns of queries and scores, and of runs or measures or both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biasvar_cli.measures import canonical
from biasvar_cli.readers.columns import flat, values_of
from biasvar_cli.readers.score_formats.format import Cells, ScoreOptions, TableFormat
from biasvar_cli.readers.score_formats.layout import Record, csv_columns, layout_of, plain_header, plain_layout
from biasvar_cli.readers.score_formats.names import is_document
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import quoted
from biasvar_cli.words import argument


def _recognise(table: Cells, options: ScoreOptions) -> bool:
    """Whether there is a column of scores: beside runs or measures, or unless ``--orient`` says that it is a matrix."""
    is_matrix = options.orient is not None and not {"run", "measure"} & set(table.roles)
    return {"query", "score"} <= set(table.roles) and not is_matrix


def _read(table: Cells, options: ScoreOptions) -> ScoreFile:
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
    layout = layout_of(_records(table, at, options.measure), table.path, remedy, holes=options.holes)
    return assemble(layout, runs_named="run" in at, allow_range=options.allow_range)


def _records(table: Cells, at: dict[str, int], default: str | None) -> Iterator[Record]:
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
    if any(map(is_document, header)) or not _recognise(table, options):
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


FORMAT = TableFormat(
    _recognise,
    _read,
    {"scores.csv": "name,qid,measure,value\nbm25,301,map,0.5\nbm25,302,map,1.0\nrm3,301,map,0.25\nrm3,302,map,0.5\n"},
    long_arrays,
)
