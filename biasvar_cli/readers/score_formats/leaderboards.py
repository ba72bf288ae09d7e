"""Tables without a header in four columns: run, measure and topic, the latter two either way round, and value.

TREC AutoJudge's leaderboards have both orders, which it calls ``tot`` and ``ir_measures``. Their ``all`` rows are
compared with the others and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.format import INTEGER_WORD, ScoreFormat, ScoreOptions, is_name
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import SUMMARIES, is_known
from biasvar_cli.readers.score_formats.records import Means, ScoreFile, assemble
from biasvar_cli.readers.text import Row, decoded, line_feeds, quoted

_TRUTH = {"True": "1", "False": "0"}  # AutoJudge writes measures that are yes or no so
_REMEDY = "Make it a csv with the header run,measure,query_id,score"
_ORDERS = {1: "run measure topic value", 2: "run topic measure value"}


def _words(line: str) -> list[str]:
    cells = line.split("\t")
    return [cell.strip() for cell in cells] if len(cells) == 4 else line.split()


def _recognise(lines: Sequence[bytes]) -> bool:
    """Whether lines have four columns and a value, and are no judgments, which have four columns too.

    Without a known measure in one column, or ``all`` topics, the values must be fractions and the runs no numbers.
    """
    if len(lines[0].split()) != 4 and lines[0].count(b"\t") != 3:
        return False
    rows = [_words(line.decode("utf-8", "replace")) for line in lines]
    if any(len(row) != 4 or (is_name(row[3].encode()) and row[3] not in _TRUTH) for row in rows):
        return False
    columns = [column for column in _ORDERS if all(is_name(row[column].encode()) for row in rows)]
    if any(all(is_known(row[column]) for row in rows) for column in columns):
        return True
    whole = any(INTEGER_WORD.fullmatch(row[3].encode()) for row in rows)
    return bool(columns) and not whole and all(is_name(row[0].encode()) for row in rows)


def resembles(lines: Sequence[bytes]) -> bool:
    """Whether most lines, the first among them, are those of a leaderboard, so that the others are wrong."""
    rows = [line for line in lines if _recognise([line])]
    return 2 * len(rows) > len(lines) and rows[0] == lines[0] and _recognise(rows)


def _read(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of the runs that the first column names.

    >>> text = b"bm25\\tf1\\t301\\t0.5\\nbm25\\tf1\\t302\\t1.0\\nbm25\\tf1\\tall\\t0.75\\n"
    >>> file = _read(text, "judge.txt", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('f1',), ('301', '302'), [[[0.5, 1.0]]])
    """
    rows = list(_rows(decoded(line_feeds(data), path), path))
    if not rows:
        raise DataError("the file has no scores", path=path)
    column = _measure_column(rows, path)
    layout = layout_of(_records(rows, column), path)
    of_topics = {words[column] for _, words in rows if words[3 - column] not in SUMMARIES}
    means: Means = "optional" if of_topics >= {words[column] for _, words in rows} else "usual"
    return assemble(layout, means=means, allow_range=options.allow_range)


def _rows(text: str, path: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        words = _words(line)
        if len(words) == 4:
            yield number, words
        elif any(words) and not line.startswith("#"):
            what = f"expected 4 columns, run, measure, topic and value, found {len(words)}"
            raise DataError(what, path=path, line=number)


def _records(rows: Sequence[Row], column: int) -> Iterator[Record]:
    for line, words in rows:
        measure, topic = words[column], words[3 - column]
        value = _TRUTH.get(words[3], words[3])
        yield Record(line, words[0], canonical(measure), topic, value, f"{measure} of topic {topic}")


def _measure_column(rows: Sequence[Row], path: str) -> int:
    """Which of columns 2 and 3 has the measures: by the first kind of evidence that fits only one of them.

    That is ``all`` in the other column, names of measures in it, or whole numbers alone in the other one.
    """
    evidence: tuple[Callable[[int], bool], ...] = (
        lambda column: any(words[3 - column] in SUMMARIES for _, words in rows),
        lambda column: all(map(is_known, {words[column] for _, words in rows})),
        lambda column: any(map(is_known, {words[column] for _, words in rows})),
        lambda column: all(words[3 - column].isdigit() for _, words in rows),
    )
    line, words = rows[0]
    for fits in evidence:
        columns = [column for column in _ORDERS if fits(column)]
        if len(columns) == 1:
            names = {row[columns[0]] for _, row in rows}
            if 2 * len(names) > max(len(rows), 2) and not any(map(is_known, names)):
                what = f"{len(names)} measures in {len(rows)} rows, such as {quoted(words[columns[0]])}"
                raise DataError(f"{what}: are they documents? {_REMEDY}", path=path, line=line)
            return columns[0]
    one, two = quoted(words[1]), quoted(words[2])
    what = f"is {one} or {two} the measure? The columns may be {_ORDERS[1]} or {_ORDERS[2]}"
    raise DataError(f"{what}. {_REMEDY}", path=path, line=line)


FORMAT = ScoreFormat(
    "leaderboard",
    _recognise,
    _read,
    {
        "leaderboard.txt": "bm25\tmap\t301\t0.5\nbm25\tmap\t302\t1.0\nbm25\tmap\tall\t0.75\n"
        "rm3\tmap\t301\t0.25\nrm3\tmap\t302\t0.5\nrm3\tmap\tall\t0.375\n",
        "leaderboard-by-topic.txt": "bm25\t301\tAP\t0.5\nbm25\t302\tAP\t1.0\nbm25\tall\tAP\t0.75\n"
        "rm3\t301\tAP\t0.25\nrm3\t302\tAP\t0.5\nrm3\tall\tAP\t0.375\n",
    },
)
