"""Leaderboards: the scores of several runs in one file, as TREC AutoJudge writes them.

A line has a run, a measure, a topic and a value; AutoJudge calls the two orders ``tot`` and ``ir_measures``. In files
that people join, and in its ``rag4reports``, the topic comes first. Its ``ranking`` has the six columns of a run, with
a run as the document, 0 as the rank and the measure as the tag (autojudge-base 0.3.15, leaderboard.py;
autojudge-evaluate 0.3.18, eval_results/io.py).
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.evaluations import measure_column, rows_of, words_of
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import SUMMARIES, is_known
from biasvar_cli.readers.score_formats.nested import are_queries
from biasvar_cli.readers.score_formats.records import Means, ScoreFile
from biasvar_cli.readers.score_formats.tables import ScoreFormat, ScoreOptions
from biasvar_cli.readers.text import INTEGER_WORD, Row, is_name, plain_text, quoted

_TRUTH = {"True": "1", "False": "0", "true": "1", "false": "0"}  # values of AutoJudge's yes-or-no measures
_REMEDY = "Make it a csv with the header run,measure,query_id,score"
_NAME_COLUMNS = "make it a csv whose header says what each column is: run, query_id, measure, score"


def _is_leaderboard(lines: Sequence[bytes]) -> bool:
    """Whether lines have four columns, the last one a value, and are not judgments, which have four columns too.

    If no column has only known measures, the values must be fractions, and the names of runs must not be numbers.
    """
    if len(lines[0].split()) != 4 and lines[0].count(b"\t") != 3:
        return False
    rows = [words_of(line.decode("utf-8", "replace"), 4) for line in lines]
    if any(len(row) != 4 or not _is_value(row[3]) for row in rows):
        return False
    columns = [column for column in (1, 2) if all(is_name(row[column].encode()) for row in rows)]
    if any(all(is_known(row[column]) for row in rows) for column in (*columns, *_first_measure(rows))):
        return True
    has_integers = any(INTEGER_WORD.fullmatch(row[3].encode()) for row in rows)
    return bool(columns) and not has_integers and all(is_name(row[0].encode()) for row in rows)


def _is_value(word: str) -> bool:
    """Whether a word is a number, a truth value, or None, which stands for a missing score."""
    return word in _TRUTH or word == "None" or not is_name(word.encode())


def _first_measure(rows: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The first column, if all its names are known measures, and no single letters, which may be names of runs."""
    return (0,) if all(len(row[0]) > 1 and is_known(row[0]) for row in rows) else ()


def _topic_column(rows: Sequence[Row], other: int) -> int | None:
    """The column of topics, the first one or the ``other`` one; the remaining one has runs. None if both may.

    A column has topics if it contains ``all``, or else if only its names look like queries. If neither column does, the
    first one has runs, as AutoJudge writes them, provided that it has fewer names.
    """
    names = {column: {words[column] for _, words in rows} for column in (0, other)}
    evidence: tuple[Callable[[int], bool], ...] = (
        lambda column: not names[column].isdisjoint(SUMMARIES),
        lambda column: are_queries(names[column]),
    )
    for fits in evidence:
        columns = [column for column in names if fits(column)]
        if columns:
            return columns[0] if len(columns) == 1 else None
    return other if len(names[0]) < len(names[other]) else None


def resembles_leaderboard(lines: Sequence[bytes]) -> bool:
    """Whether most lines, and the first one, are lines of a leaderboard; the other lines are then errors in it."""
    rows = [line for line in lines if _is_leaderboard([line])]
    return 2 * len(rows) > len(lines) and rows[0] == lines[0] and _is_leaderboard(rows)


def _read_leaderboard(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of the runs in the first column, or in another one if the first has the topics.

    Raises `DataError` if the order of the columns is unclear.

    >>> text = b"bm25\\tf1\\t301\\t0.5\\nbm25\\tf1\\t302\\t1.0\\nbm25\\tf1\\tall\\t0.75\\n"
    >>> file = _read_leaderboard(text, "judge.txt", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('f1',), ('301', '302'), [[[0.5, 1.0]]])
    """
    rows = rows_of(plain_text(data, path), path, "run, measure, topic and value")
    column = measure_column(rows, 1, all_known=True, padded=False)
    line, first = rows[0]
    if _first_measure([words for _, words in rows]) and (column is None or not is_known(first[column])):
        what = f"column 1 has measures, such as {quoted(first[0])}, but which of the others has the runs is unclear"
        raise DataError(f"{what}; {_NAME_COLUMNS}", path=path, line=line)
    if column is None:
        what = f"is {quoted(first[1])} or {quoted(first[2])} the measure?"
        orders = "The columns may be run measure topic value or run topic measure value"
        raise DataError(f"{what} {orders}. {_REMEDY}", path=path, line=line)
    names = {words[column] for _, words in rows}
    if 2 * len(names) > max(len(rows), 2) and not any(map(is_known, names)):
        what = f"{len(names)} measures in {len(rows)} rows, such as {quoted(first[column])}"
        raise DataError(f"{what}: are they documents? {_REMEDY}", path=path, line=line)
    topics = _topic_column(rows, 3 - column)
    if topics is None:
        what = f"is {quoted(first[0])} or {quoted(first[3 - column])} the run?"
        raise DataError(f"{what} Either column may have the runs or the topics; {_NAME_COLUMNS}", path=path, line=line)
    runs = 3 - column - topics
    entries = [Entry(line, words[runs], words[column], words[topics], words[3]) for line, words in rows]
    return scores_of(entries, path, options)


LEADERBOARD = ScoreFormat(
    "leaderboard",
    _is_leaderboard,
    _read_leaderboard,
    {
        "leaderboard.txt": "bm25\tmap\t301\t0.5\nbm25\tmap\t302\t1.0\nbm25\tmap\tall\t0.75\n"
        "rm3\tmap\t301\t0.25\nrm3\tmap\t302\t0.5\nrm3\tmap\tall\t0.375\n",
        "leaderboard-by-topic.txt": "bm25\t301\tAP\t0.5\nbm25\t302\tAP\t1.0\nbm25\tall\tAP\t0.75\n"
        "rm3\t301\tAP\t0.25\nrm3\t302\tAP\t0.5\nrm3\tall\tAP\t0.375\n",
    },
)


class Entry(NamedTuple):
    """A line of a leaderboard."""

    line: int | None
    run: str
    measure: str
    topic: str
    value: str


def scores_of(entries: Sequence[Entry], path: str, options: ScoreOptions) -> ScoreFile:
    """The scores in a leaderboard; its rows of ``all`` are compared with the other rows and left out."""

    def records() -> Iterator[Record]:
        for line, run, measure, topic, value in entries:
            column = f"{measure} of topic {topic}"
            yield Record(line, run, canonical(measure), topic, _TRUTH.get(value, value), column)

    with_topics = {entry.measure for entry in entries if entry.topic not in SUMMARIES}
    means: Means = "optional" if with_topics >= {entry.measure for entry in entries} else "usual"
    return options.assemble(layout_of(records(), path), means=means)


def _is_ranking(lines: Sequence[bytes]) -> bool:
    """Whether most lines have six columns with the rank 0, and runs and measures in place of documents and tags.

    Any of these shows it: a topic ``all``, tags that are known measures, a document with several tags, or lines that
    change the topic each time and repeat the documents.
    """
    if lines[0].split()[3:4] != [b"0"]:
        return False
    words = [line.decode("utf-8", "replace").split() for line in lines]
    rows = [row for row in words if len(row) == 6 and row[3] == "0" and _is_value(row[4])]
    if 2 * len(rows) <= len(lines) or len(rows) < 2:
        return False
    topics, runs = {row[0] for row in rows}, {row[2] for row in rows}
    return (
        not topics.isdisjoint(SUMMARIES)
        or all(len(row[5]) > 1 and is_known(row[5]) for row in rows)
        or len({(row[0], row[2]) for row in rows}) < len({tuple(row) for row in rows})
        or (2 * len(runs) <= len(rows) and all(row[0] != other[0] for row, other in pairwise(rows)))
    )


def _read_ranking(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores in a leaderboard that has the columns of a run.

    >>> text = b"301 Q0 bm25 0 0.5 map\\n302 Q0 bm25 0 1.0 map\\nall Q0 bm25 0 0.75 map\\n"
    >>> file = _read_ranking(text, "judge.ranking", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301', '302'), [[[0.5, 1.0]]])
    """
    rows = rows_of(plain_text(data, path), path, "topic, Q0, run, rank, value and measure")
    entries = [Entry(line, run, measure, topic, value) for line, (topic, _, run, _, value, measure) in rows]
    return scores_of(entries, path, options)


RANKING = ScoreFormat(
    "ranking",
    _is_ranking,
    _read_ranking,
    {
        "leaderboard.ranking": "301\tQ0\tbm25\t0\t0.5\tmap\n302\tQ0\tbm25\t0\t1.0\tmap\n"
        "all\tQ0\tbm25\t0\t0.75\tmap\n301\tQ0\trm3\t0\t0.25\tmap\n302\tQ0\trm3\t0\t0.5\tmap\n"
        "all\tQ0\trm3\t0\t0.375\tmap\n"
    },
)
