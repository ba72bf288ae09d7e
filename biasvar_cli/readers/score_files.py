"""Score files to arrays: output of trec_eval, ir_measures, gdeval and ndeval, tables, matrices, and our own JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.recognise import FileKind
from biasvar_cli.readers.runs import NameBy
from biasvar_cli.readers.score_arrays import own_layout, plain_layout
from biasvar_cli.readers.score_json import AVERAGES, parse_json
from biasvar_cli.readers.score_layout import Record
from biasvar_cli.readers.score_matrices import parse_matrix
from biasvar_cli.readers.score_means import SUMMARIES
from biasvar_cli.readers.score_names import is_known
from biasvar_cli.readers.score_records import Means, ScoreFile, assemble, assembled
from biasvar_cli.readers.score_tables import Cells, Orient, read_table, records_of
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, decoded, line_feeds, shown

_TEXT_ROWS = ("runid", "relstring")
_MOST_UNKNOWN = 200  # measures that no program is known for; trec_eval's all_trec are about 150, all of them known


class _Line(NamedTuple):
    """Three columns of an evaluation; ``padded``: blanks fill up the first one, as in trec_eval's output."""

    number: int
    columns: tuple[str, str, str]
    padded: bool


def parse_scores(
    data: bytes,
    path: str,
    kind: FileKind,
    *,
    name: str | None = None,
    name_by: NameBy = "file",
    orient: Orient | None = None,
    id_column: str | None = None,
    measure: str | None = None,
    asked: Collection[str] = (),
    allow_range: bool = False,
) -> ScoreFile:
    """The scores in a file of a ``kind`` that `recognise.recognise` found: ``evaluation``, ``table`` or ``json``.

    ``name`` is what a file that names no run is called, None for the name of the path; by ``tag`` it is the ``runid``
    of trec_eval, where there is one. ``orient`` and ``id_column`` say what the rows of a matrix are and which column
    has their ids; ``measure`` is its measure where the file names none, and ``asked`` has all the measures that are
    asked for. Raises `DataError`, with the line, for what is wrong, for what is ambiguous, and unless ``allow_range``
    for a score that its measure cannot have.

    >>> file = parse_scores(b"map  \\t301\\t0.2500\\nmap  \\tall\\t0.2500\\n", "runs/bm25.eval", "evaluation")
    >>> file.runs, file.measures, file.queries, file.values.tolist(), file.oddities
    (('bm25.eval',), ('AP',), ('301',), [[[0.25]]], ())
    """
    assert kind in ("evaluation", "table", "json"), "runs and qrels are read elsewhere"
    layout = own_layout(data, path) if kind == "json" else None
    if kind == "table" and id_column is None:
        layout = plain_layout(data, path)
    if layout is not None:
        return assembled(layout, allow_range=allow_range)
    text = decoded(line_feeds(data, quotes=kind == "table"), path)
    found = _parsed(
        text,
        path,
        kind,
        orient=orient,
        id_column=id_column,
        measure=measure,
        asked=asked,
        allow_range=allow_range,
    )
    if not found.is_run:
        return found
    own = run_name(path) if name is None else name
    if name_by != "tag":
        return found.named(own)
    tag = _tag(text, path) if kind == "evaluation" else None
    if tag is None:
        return found.named(own, Oddity("no run tag, so named by the file", own, 0, f"file {path}"))
    return found.named(tag)


def _parsed(
    text: str,
    path: str,
    kind: FileKind,
    *,
    orient: Orient | None,
    id_column: str | None,
    measure: str | None,
    asked: Collection[str],
    allow_range: bool,
) -> ScoreFile:
    """The scores in a text; a file that names no run is called by its path."""
    if kind == "evaluation":
        lines, place = _evaluation_lines(text, path)
        means: Means = "optional" if place else "expected"
        remedy = "keep one, and give every run a file of its own"
        records = _evaluation(lines, place, path)
        return assemble(records, path, means=means, runs_named=False, allow_range=allow_range, remedy=remedy)
    if kind == "table":
        found: ScoreFile | Cells = read_table(text, path)
    else:
        found = parse_json(
            text, path, orient=orient, measure=canonical(measure) if measure else None, allow_range=allow_range
        )
    if isinstance(found, ScoreFile):
        return found
    return parse_cells(found, orient=orient, id_column=id_column, measure=measure, asked=asked, allow_range=allow_range)


def parse_cells(
    table: Cells,
    *,
    orient: Orient | None = None,
    rows: Orient | None = None,
    id_column: str | None = None,
    measure: str | None = None,
    asked: Collection[str] = (),
    allow_range: bool = False,
) -> ScoreFile:
    """The scores in a table, for which see `parse_scores`.

    ``rows`` is what the rows of a matrix are where ``orient`` does not say so, None to tell by their names.
    """
    name = canonical(measure) if measure else None
    names = {*([name] if name else []), *map(canonical, asked)}
    found = records_of(table, orient=orient, id_column=id_column, measure=name, asked=names)
    if isinstance(found, Cells):
        return parse_matrix(found, orient=orient or rows, id_column=id_column, measure=measure, allow_range=allow_range)
    scores = assemble(
        found.records,
        table.path,
        means=found.means,
        runs_named=found.runs_named,
        allow_range=allow_range,
        remedy=found.remedy,
        oddities=found.oddities,
    )
    return replace(scores, others=tuple(name for name in found.others if name in scores.measures))


def _tag(text: str, path: str) -> str | None:
    """The run tag that trec_eval prints, None where it does not. Raises `DataError` for two."""
    tags = dict.fromkeys(line.columns[2] for line in _three_columns(text, path) if line.columns[:2] == ("runid", "all"))
    if len(tags) > 1:
        raise DataError(f"--name-by tag needs one runid in the file, found {' and '.join(list(tags)[:2])}", path=path)
    return next(iter(tags), None)


def _evaluation_lines(text: str, path: str) -> tuple[list[_Line], int]:
    """The lines, and which column has the measures: 0 in trec_eval's output, 1 in that of ir_measures."""
    lines = list(_three_columns(text, path))
    if not lines:
        raise DataError("the file has no scores", path=path)
    place = _measure_column(lines, path)
    _refuse_documents(lines, place, path)
    return lines, place


def _evaluation(lines: Sequence[_Line], place: int, path: str) -> Iterator[Record]:
    """The records of trec_eval's output (measure, query, value) or ir_measures' (query, measure, value)."""
    run = run_name(path)
    for number, columns, _ in lines:
        measure, query = columns[place], columns[1 - place]
        if place == 0 and measure in _TEXT_ROWS:
            continue
        if NUMBER.fullmatch(measure):
            what = f"column {place + 1} should have measures, but {shown(measure)} is a number"
            raise DataError(f"{what}; a table needs a header, topic and the names of runs", path=path, line=number)
        yield Record(number, run, canonical(measure), query, columns[2], f"{measure} of query {query}")


def _three_columns(text: str, path: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split("\t")
        words = [cell.strip() for cell in cells] if len(cells) == 3 else line.split()
        if len(words) == 3:
            yield _Line(number, (words[0], words[1], words[2]), len(cells) == 3 and cells[0] != cells[0].rstrip())
        elif words and not line.startswith("#"):
            remedy = f"; if these are averages only, {AVERAGES}" if len(words) == 2 else ""
            raise DataError(
                f"expected 3 columns, measure, query and value, found {len(words)}{remedy}", path=path, line=number
            )


def _refuse_documents(lines: Sequence[_Line], place: int, path: str) -> None:
    """Raise `DataError` where the measures would be documents: unknown names, and new ones in nearly every row.

    The measures of an evaluation come again with every query, so that it has about as many rows as measures times
    queries.
    """
    rows = [line.columns for line in lines if line.columns[0] not in _TEXT_ROWS]
    names = dict.fromkeys(columns[place] for columns in rows)
    queries = {columns[1 - place] for columns in rows}
    rare = 2 * len(names) > len(rows) or 2 * len(rows) < len(names) * len(queries)
    if not (rare and len(names) > 1) and len(names) <= _MOST_UNKNOWN:
        return
    some = list(names)[:_MOST_UNKNOWN]
    if 2 * sum(map(is_known, some)) < len(some):
        taken = f"column {place + 1} was taken for measures: {len(names)} names in {len(rows)} rows, such as "
        what = f"this looks like topic, document and score ({taken}{shown(some[0])})"
        remedy = "write a run with 6 columns, topic Q0 document rank score tag, or give a query model to biasvar models"
        raise DataError(f"{what}; {remedy}", path=path, line=lines[0].number)


def _measure_column(lines: Sequence[_Line], path: str) -> int:
    """Which of the first two columns has the measures: by the first kind of evidence that fits only one of them."""
    evidence: tuple[Callable[[int], bool], ...] = (
        lambda place: any(line.columns[1 - place] in SUMMARIES for line in lines),
        lambda place: any(map(is_known, {line.columns[place] for line in lines})),
        lambda place: place == 0 and any(line.padded for line in lines),
        lambda place: all(line.columns[1 - place].isdigit() for line in lines),
    )
    for fits in evidence:
        places = [place for place in (0, 1) if fits(place)]
        if len(places) == 1:
            return places[0]
    for place in (1, 0) if len(lines) > _MOST_UNKNOWN else ():
        _refuse_documents(lines, place, path)
    raise DataError(
        "cannot tell whether column 1 or column 2 has the measures; keep the `all` rows, or make it a csv with the "
        "header query_id,measure,score",
        path=path,
        line=lines[0].number,
    )
