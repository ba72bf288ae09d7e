"""Output of trec_eval and ir_measures with ``-q``: three columns, measure and query, either way round, and value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.format import ScoreFormat, ScoreOptions, is_fraction_word, is_name
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import SUMMARIES, is_known
from biasvar_cli.readers.score_formats.records import AVERAGES, Means, ScoreFile, assemble
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, decoded, line_feeds, quoted

_TEXT_ROWS = ("runid", "relstring")
_MOST_UNKNOWN = 200  # measures that no program is known for; trec_eval's all_trec are about 150, all of them known


class _Line(NamedTuple):
    """Three columns of an evaluation; ``padded``: blanks fill up the first one, as in trec_eval's output."""

    number: int
    columns: tuple[str, str, str]
    padded: bool


def is_evaluation_row(line: bytes) -> bool:
    """Whether a line has three columns, the last a number, as trec_eval and ir_measures print, or is a row of text.

    Without tabs the number must be a fraction, since prose may end in a year.
    """
    cells = [cell.strip() for cell in line.split(b"\t")]
    tabs = len(cells) == 3
    words = cells if tabs else line.split()
    if len(words) != 3 or not (tabs or not any(b"," in word for word in words)):
        return False
    return is_text_row(words) or (not is_name(words[2]) if tabs else is_fraction_word(words[2]))


def is_text_row(words: Sequence[bytes]) -> bool:
    """Whether these are the words of a row of trec_eval's output that has no number."""
    return words[0] == b"relstring" or list(words[:2]) == [b"runid", b"all"]


def resembles(lines: Sequence[bytes]) -> bool:
    """Whether a text that is no format's may be meant as an evaluation: some rows are, or all rows are averages."""
    words = lines[0].split()
    if len(words) == 3:
        return any(map(is_evaluation_row, lines))
    return len(words) == 2 and is_name(words[0]) and is_fraction_word(words[1])


def _read(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores and the run tags of an evaluation.

    >>> file = _read(b"map  \\t301\\t0.2500\\nmap  \\tall\\t0.2500\\n", "runs/bm25.eval", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist(), file.oddities
    (('bm25.eval',), ('AP',), ('301',), [[[0.25]]], ())
    """
    lines = list(_three_columns(decoded(line_feeds(data), path), path))
    if not lines:
        raise DataError("the file has no scores", path=path)
    column = _measure_column(lines, path)
    _refuse_documents(lines, column, path)
    layout = layout_of(_records(lines, column, path), path, "keep one, and give every run a file of its own")
    means: Means = "optional" if column else "expected"
    file = assemble(layout, means=means, runs_named=False, allow_range=options.allow_range)
    tags = dict.fromkeys(line.columns[2] for line in lines if line.columns[:2] == ("runid", "all"))
    return replace(file, tags=tuple(tags))


def _records(lines: Sequence[_Line], column: int, path: str) -> Iterator[Record]:
    """The records of trec_eval's output (measure, query, value) or ir_measures' (query, measure, value)."""
    run = run_name(path)
    for number, columns, _ in lines:
        measure, query = columns[column], columns[1 - column]
        if column == 0 and measure in _TEXT_ROWS:
            continue
        if NUMBER.fullmatch(measure):
            what = f"column {column + 1} should have measures, but {quoted(measure)} is a number"
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


def _refuse_documents(lines: Sequence[_Line], column: int, path: str) -> None:
    """Raise `DataError` where the measures would be documents: unknown names, and new ones in nearly every row.

    The measures of an evaluation come again with every query, so that it has about as many rows as measures times
    queries.
    """
    rows = [line.columns for line in lines if line.columns[0] not in _TEXT_ROWS]
    names = dict.fromkeys(columns[column] for columns in rows)
    queries = {columns[1 - column] for columns in rows}
    rare = 2 * len(names) > len(rows) or 2 * len(rows) < len(names) * len(queries)
    if not (rare and len(names) > 1) and len(names) <= _MOST_UNKNOWN:
        return
    some = list(names)[:_MOST_UNKNOWN]
    if 2 * sum(map(is_known, some)) < len(some):
        taken = f"column {column + 1} was taken for measures: {len(names)} names in {len(rows)} rows, such as "
        what = f"this looks like topic, document and score ({taken}{quoted(some[0])})"
        remedy = "write a run with 6 columns, topic Q0 document rank score tag, or give a query model to biasvar models"
        raise DataError(f"{what}; {remedy}", path=path, line=lines[0].number)


def _measure_column(lines: Sequence[_Line], path: str) -> int:
    """Which of the first two columns has the measures: by the first kind of evidence that fits only one of them."""
    evidence: tuple[Callable[[int], bool], ...] = (
        lambda column: any(line.columns[1 - column] in SUMMARIES for line in lines),
        lambda column: any(map(is_known, {line.columns[column] for line in lines})),
        lambda column: column == 0 and any(line.padded for line in lines),
        lambda column: all(line.columns[1 - column].isdigit() for line in lines),
    )
    for fits in evidence:
        columns = [column for column in (0, 1) if fits(column)]
        if len(columns) == 1:
            return columns[0]
    for column in (1, 0) if len(lines) > _MOST_UNKNOWN else ():
        _refuse_documents(lines, column, path)
    raise DataError(
        "cannot tell whether column 1 or column 2 has the measures; keep the `all` rows, or make it a csv with the "
        "header query_id,measure,score",
        path=path,
        line=lines[0].number,
    )


FORMAT = ScoreFormat(
    "evaluation",
    lambda lines: all(map(is_evaluation_row, lines)),
    _read,
    {
        "bm25.eval": "".join(f"{'map':22}\t{row}\n" for row in ("301\t0.5000", "302\t1.0000", "all\t0.7500")),
        "bm25.tsv": "301\tAP\t0.5000\n302\tAP\t1.0000\nall\tAP\t0.7500\n",
    },
)
