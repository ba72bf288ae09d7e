"""Matrices without a header, as Sakai's discpower scripts read them: a row for each topic, a column for each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats.format import ScoreFormat, ScoreOptions, is_fraction_word, is_name
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import names_files, read_bytes
from biasvar_cli.readers.text import decoded, line_feeds, quoted
from biasvar_cli.words import counted


def _recognise(lines: Sequence[bytes]) -> bool:
    """Whether all lines have the same number of numbers between blanks, two or more, and some are fractions.

    Runs, qrels and evaluations may have numbers alone, too: only ``--orient queries`` makes the lines a matrix.
    """
    words = [line.split() for line in lines]
    numbers = [word for line in words for word in line]
    return len(words[0]) > 1 and not any(map(is_name, numbers)) and any(map(is_fraction_word, numbers))


def _read(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of the runs 1, 2, 3 and so on on queries by number; a file beside it may name the runs.

    For that file see `sources.names_files`. Raises `DataError`, with the line, for a row of another length than the
    first.

    >>> file = _read(b"0.5 0.25\\n1 0.5\\n", "ap.mat", ScoreOptions(orient="queries", measures=("AP",)))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('1', '2'), ('AP',), ('1', '2'), [[[0.5, 1.0]], [[0.25, 0.5]]])
    """
    lines = enumerate(decoded(line_feeds(data), path).split("\n"), 1)
    rows = [(number, line.split()) for number, line in lines if line.strip() and not line.startswith("#")]
    runs = _runs(path, len(rows[0][1]))
    layout = layout_of(_records(rows, runs, options.measure, path), path, holes=options.holes)
    return assemble(layout, numbered=True, allow_range=options.allow_range)


def _records(
    rows: Sequence[tuple[int, list[str]]], runs: Sequence[str], measure: str | None, path: str
) -> Iterator[Record]:
    for query, (number, cells) in enumerate(rows, 1):
        if len(cells) != len(runs):
            what = f"expected {counted(len(runs), 'column')}, as in the first row, found {len(cells)}"
            raise DataError(what, path=path, line=number)
        for run, cell in zip(runs, cells, strict=True):
            yield Record(number, run, measure, str(query), cell, f"column {quoted(run)}")


def _runs(path: str, width: int) -> list[str]:
    """The names of the runs: those in the file beside the matrix, or else numbers."""
    files = names_files(path)
    if not files:
        return list(map(str, range(1, width + 1)))
    if len(files) > 1:
        raise DataError(f"both {' and '.join(files)} name its runs; remove one", path=path)
    (beside,) = files
    names = [name.strip() for name in decoded(line_feeds(read_bytes(beside)), beside).split("\n") if name.strip()]
    if len(names) != width:
        raise DataError(f"names {counted(len(names), 'run')} for {counted(width, 'column')}; name each", path=beside)
    if len(set(names)) < len(names):
        raise DataError("names a run twice; rename one", path=beside)
    return names


FORMAT = ScoreFormat("matrix", _recognise, _read, {"ap.mat": "0.5 0.25\n1.0 0.5\n"})
