"""Tables with a column of topics and a column of documents: runs and judgments, which become lines of TREC.

Such tables are judgments of BEIR and mteb (``query-id corpus-id score``), DataFrames of PyTerrier, ranx and
ir_measures, and data of recommender systems (``user_id,item_id,rating``). Only the header tells what a column is.
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats import names
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import (
    NUMBER,
    Row,
    decoded,
    is_fraction,
    line_feeds,
    loads,
    of_length,
    plain_text,
    quoted,
    separator,
    table_rows,
    value_text,
)
from biasvar_cli.words import examples

GRADE = re.compile(r"[+-]?\d{1,18}(\.0*)?", re.ASCII)  # pandas writes 1 as 1.0 if another grade is missing
NO_ID = ", which no id of TREC may be; change it in the runs and in the judgments"
MOST_GRADE = 10  # whole numbers up to this one may be grades, larger ones are scores
_SCORES, _GRADES = ("score",), (*names.GRADE_NAMES, "rating")
_SECOND, _RANKS = ("iteration", "iter", "subtopic_id", "subtopic", "q0"), ("rank",)


@dataclass(frozen=True)
class ResultTable:
    """The rows of a table of documents, and the numbers of its columns, None for a column that it lacks.

    ``second`` is the column of iterations or subtopics, the second one of qrels.
    """

    path: str
    header: Sequence[str]
    rows: Sequence[Row]
    topic: int
    document: int
    score: int | None
    grade: int | None
    second: int | None
    rank: int | None
    run: int | None

    @property
    def has_judgments(self) -> bool:
        """Whether the table has judgments: grades, or small whole numbers called ``score``, as in BEIR."""
        if self.score is None or self.rank is not None or self.run is not None:
            return self.score is None
        words = {cells[self.score] for _, cells in self.rows}
        return self.grade is not None or all(GRADE.fullmatch(word) and float(word) <= MOST_GRADE for word in words)

    @property
    def may_be_run(self) -> bool:
        """Whether judgments called ``score`` may be the scores of a run; a column such as ``corpus-id`` is BEIR's."""
        return self.grade is None and self.score is not None and "corpus" not in names.plain(self.header[self.document])

    @property
    def topics(self) -> set[str]:
        """The ids of the topics."""
        return {cells[self.topic] for _, cells in self.rows}

    def judgment_lines(self) -> bytes:
        """The rows as lines of qrels, with their line numbers. Raises `DataError` for an id that TREC cannot have."""
        grade = self.score if self.grade is None else self.grade
        assert grade is not None, "a table of results has scores or grades"
        seconds = ["0"] * len(self.rows) if self.second is None else self._words(self.second)
        columns = self._words(self.topic), seconds, self._words(self.document), self._words(grade)
        return self._at_their_lines(" ".join(words) for words in zip(*columns, strict=True))

    def run_lines(self) -> bytes:
        """The rows as lines of a run, with their line numbers; ranks follow the scores, and ties the order of the rows.

        Raises `DataError` for an id that no such line can have, and for several runs.
        """
        assert self.score is not None, "a table of results has scores"
        tags = dict.fromkeys(cells[self.run] for _, cells in self.rows) if self.run is not None else {}
        if len(tags) > 1:
            what = f"column {quoted(self.header[self.run or 0])} has {len(tags)} runs, {examples(list(tags))}"
            raise DataError(f"{what}; write a file for each run", path=self.path)
        topics, documents, scores = map(self._words, (self.topic, self.document, self.score))
        values = [float(score) if NUMBER.fullmatch(score) else 0.0 for score in scores]  # the reader of runs refuses it
        order = sorted(range(len(scores)), key=lambda row: -values[row])
        depth, ranks = dict.fromkeys(topics, 0), [0] * len(scores)
        for row in order:
            depth[topics[row]] += 1
            ranks[row] = depth[topics[row]]
        tag = "_".join("".join(tags).split()) or "_".join(run_name(self.path).split())
        rows = zip(topics, documents, ranks, scores, strict=True)
        return self._at_their_lines(
            f"{topic} Q0 {document} {rank} {score} {tag}" for topic, document, rank, score in rows
        )

    def _words(self, column: int) -> list[str]:
        """The cells of a column. Raises `DataError` for a cell that is not one word."""
        for line, cells in self.rows:
            if len(cells[column].split()) != 1:
                what = f"{quoted(self.header[column])} {quoted(cells[column])} is empty or has a blank"
                raise DataError(f"{what}{NO_ID}", path=self.path, line=line)
        return [cells[column] for _, cells in self.rows]

    def _at_their_lines(self, texts: Iterator[str]) -> bytes:
        """The texts of the rows, with empty lines between them so that each keeps its line number."""
        lines: list[str] = []
        for (line, _), text in zip(self.rows, texts, strict=True):
            lines += [""] * (line - 1 - len(lines))
            lines.append(text)
        return "\n".join([*lines, ""]).encode()


def result_table(data: bytes, path: str) -> ResultTable | None:
    """The table of documents in a text; None for any other text. Raises `DataError` for a row of another length.

    The separator of columns may be a comma, a semicolon, a tab or blanks; or the rows are objects of JSON.

    >>> table = result_table(b"query-id\\tcorpus-id\\tscore\\nq1\\td1\\t2\\n", "test.tsv")
    >>> table.has_judgments, table.judgment_lines()
    (True, b'\\nq1 0 d1 2\\n')
    >>> result_table(b"topic,bm25\\n301,0.5\\n", "ap.csv") is None
    True
    """
    start = data.lstrip()
    is_json = start.startswith((b"{", b"["))
    line = start[:_START].partition(b"}")[0] if is_json else start[: max(start.find(b"\n"), 0)]
    if not _NAMED.search(line) or (is_json and line.count(b"{") != 1):
        return None
    if is_json:
        return _table_of_objects(data, path, line.decode("utf-8", "replace") + "}")
    first = line.decode("utf-8", "replace")
    delimiter, hinted = separator(first)
    blanks = not hinted and delimiter not in first
    header = first.split() if blanks else [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]
    if not _are_columns(header):
        return None
    text = decoded(line_feeds(data, quotes=True), path)
    rows = ((number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return _table_of(header, list(rows if blanks else table_rows(text, path))[1:], path)


def _table_of_objects(data: bytes, path: str, first: str) -> ResultTable | None:
    """The table in a list of objects, or in one object a line; None for any other JSON.

    ``first`` is the text as far as the end of the first object.
    """
    try:
        header = list(json.loads(first.lstrip("[ \t\r\n")))
        if not _are_columns(header):
            return None
        text = plain_text(data, path)
        if text.lstrip().startswith("["):
            objects = list(enumerate(loads(text, path), 1))
        else:
            lines = enumerate(text.split("\n"), 1)
            objects = [(number, loads(line, path, number)) for number, line in lines if line.strip()]
        rows = [(number, [value_text(value) for value in record.values()]) for number, record in objects]
    except (ValueError, AttributeError, RecursionError):
        return None
    return _table_of(header, rows, path)


def _are_columns(header: Sequence[str]) -> bool:
    """Whether a header has topics, documents, and scores or grades, but no measures."""
    has_numbers = _column(header, (*_SCORES, *_GRADES)) is not None
    has_measures = any(names.named(name, "measure") for name in header)
    return has_numbers and not has_measures and names.topic_and_document(header) is not None


def _table_of(header: Sequence[str], rows: Sequence[Row], path: str) -> ResultTable | None:
    """The table of these rows; None if the cells show that it is something else."""
    table = list(of_length(rows, len(header), path))
    columns = names.topic_and_document(header)
    assert columns is not None, "a table of results has topics and documents"
    topic, document = columns
    topics = [cells[topic] for _, cells in table]
    if not table or any(is_fraction(cells[document]) for _, cells in table):
        return None  # numbers of a run with the name of documents
    if names.plain(header[topic]) in names.RANKED_FOR and len(set(topics)) == len(topics):
        return None  # one answer for each user
    run = next((index for index in names.role_columns(header, "run") if index not in columns), None)
    score, grade, second, rank = (_column(header, known) for known in (_SCORES, _GRADES, _SECOND, _RANKS))
    return ResultTable(path, header, table, topic, document, score, grade, second, rank, run)


_START = 1 << 12  # bytes of JSON in which the first object has to end if it is a row
_NAMED = re.compile("|".join((*names.DOCUMENT_NAMES, *names.RANKED)).replace("_", "[ _.-]").encode(), re.IGNORECASE)


def _column(header: Sequence[str], known: Sequence[str]) -> int | None:
    """The column with the first of the known names that the header has."""
    plain = [names.plain(name) for name in header]
    return next((plain.index(name) for name in known if name in plain), None)
