"""The formats of scores, the order in which a text is compared with them, and the reading of a file of scores."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.readers.score_formats import (
    crossed,
    evaluations,
    json_scores,
    leaderboards,
    matrix,
    names,
    samples,
    tables,
)
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import USUAL, Cells, ScoreFormat, ScoreOptions, TableFormat, read_table
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import DECIMAL_COMMA, INTEGER_WORD, decoded, is_name, line_feeds, quoted
from biasvar_cli.words import NameBy, Orient, argument, as_typed, counted, either

_AS_A_RUN = "write a run with 6 columns and no header: topic Q0 document rank score tag"
_SEPARATOR_LINE = re.compile(rb'"?sep=[,;\t]?"?')
_DECIMAL_COMMA = re.compile(DECIMAL_COMMA.pattern.encode())
_MANIFEST = re.compile(rb"\[defaults\]|\[\[\s*track\s*\]\]|defaults\.\w+\s*=.*")  # the first line of a manifest


def parse_scores(
    data: bytes,
    path: str,
    kind: str,
    options: ScoreOptions = USUAL,
    *,
    name: str | None = None,
    name_by: NameBy = "file",
) -> ScoreFile:
    """The scores in a file of a ``kind`` that `recognise` returns, except ``run`` and ``qrels``.

    ``name`` is the name of the run in a file that names no run, by default `run_name` of the path; with
    ``name_by="tag"`` trec_eval's ``runid`` takes its place if the file has one. Raises `DataError`, with the line,
    for a wrong line, for ambiguous columns or rows, and, unless the options allow it, for an impossible score.

    >>> file = parse_scores(b"map  \\t301\\t0.2500\\nmap  \\tall\\t0.2500\\n", "runs/bm25.eval", "evaluation")
    >>> file.runs, file.measures, file.queries, file.values.tolist(), file.oddities
    (('bm25.eval',), ('AP',), ('301',), [[[0.25]]], ())
    """
    file = SCORE_FORMATS[kind].read(data, path, options)
    if isinstance(file, Cells):
        file = parse_cells(file, options)
    if file.model and name_by == "path" and name is not None:
        return file.with_model(name)
    if file.is_part and name_by == "path" and name is not None and "/" in name:
        return file.named(name.rpartition("/")[0])
    if not file.is_run or (name_by == "file" and file.runs[0] != run_name(path)):
        return file
    file_run = run_name(path) if name is None else name
    if name_by != "tag":
        return file.named(file_run)
    if len(file.tags) > 1:
        what = f"{argument(name_by='tag')} needs one runid in the file"
        raise DataError(f"{what}, found {' and '.join(file.tags[:2])}", path=path)
    if not file.tags:
        return file.named(file_run, Oddity("no run tag, so named by the file", file_run, 0, f"file {path}"))
    return file.named(file.tags[0])


def parse_cells(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores in a table, read by the first of `TABLE_FORMATS` that recognises its header and columns.

    Raises `DataError` if the table is a run or qrels, which have a column of documents beside the queries.

    >>> parse_cells(read_table("AP,bm25\\n301,0.25\\n302,0.5\\n", "ap.csv"), ScoreOptions()).runs
    ('bm25',)
    """
    id_column = table.id_column(options)
    table = table if id_column is None else table.listed()
    is_counted = options.id_column == "none" and options.orient is None and any(map(names.is_known, table.header))
    if is_counted and not names.role_columns(table.header, "query"):
        return replace(parse_cells(table.numbered(), replace(options, id_column=None)), numbered=True)
    if len(table.header) > 5 and table.header[1].upper() == "Q0":
        what = "these are the results of a run, but its columns are separated by commas"
        raise table.error(f"{what}; write blanks or tabs in their place")
    queries = names.role_columns(table.header, "query")
    documents = [column for column, name in enumerate(table.header) if names.is_document(name)]
    if documents and queries and documents[0] not in queries:
        table = table.listed()
        if not table.has_fraction(documents[0]):
            column = quoted(table.header[documents[0]])
            what = f"a table with the column {column} has the results of a run, or judgments"
            raise table.error(f"{what}; call the column of scores score and give {argument('qrels')}, or {_AS_A_RUN}")
    table = _refuse_results(table, options)
    if options.measures and id_column is None:
        table = table.listed()
        id_column = table.ids_beside(options)
    table = table.with_roles(id_column)
    with_role = {column for columns in table.roles.values() for column in columns}
    has_known_columns = "run" in table.roles and all(
        column in with_role or names.is_like_a_measure(name) for column, name in enumerate(table.header)
    )
    if samples.may_be_samples(table) or not (tables.LONG.recognise(table, options) or has_known_columns):
        table = table.listed()  # the cells show what the names do not
    return next(form for form in TABLE_FORMATS if form.recognise(table, options)).read(table, options)


def _refuse_results(table: Cells, options: ScoreOptions) -> Cells:
    """The table. Raises `DataError` if it has topics and items, and a topic repeats, for then it may be a run."""
    columns = names.topic_and_document(table.header) if options.orient is None and options.id_column is None else None
    if columns is None:
        return table
    table = table.listed()
    topics = [cells[columns[0]] for _, cells in table.rows]
    if len(set(topics)) < len(topics):
        topic, item = (quoted(table.header[column]) for column in columns)
        what = f"ids in column {topic} repeat, with different ids in column {item}: are these the results of a run?"
        raise table.error(
            f"{what} Then call the column of scores score and give the judgments with {argument('qrels')}"
        )
    return table


def _read_table(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | Cells:
    for form in TABLE_FORMATS if options.id_column is None else ():
        file = form.by_arrays and form.by_arrays(data, path, options)
        if file is not None:
            return file
    return read_table(decoded(line_feeds(data, quotes=True), path), path)


def _is_tsv(lines: Sequence[bytes]) -> bool:
    """Whether the first lines are tsv with a header: columns separated by tabs, names, and numbers below column 2 on.

    A header may have whole numbers as names, if they all differ and column 1 has another name. A header that names
    queries and scores may have any cells below it. A first line ``sep=`` makes any text a table.
    """
    if _SEPARATOR_LINE.fullmatch(lines[0]):
        return True
    if len(lines) < 2:
        return False
    header, row = ([cell.strip().strip(b'"') for cell in line.split(b"\t")] for line in lines[:2])
    if len(row) == len(header) + 1:
        header = [b"", *header]
    if len(header) < 2 or len(header) != len(row):
        return False
    row = [cell.replace(b",", b".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in row]  # an error later
    columns = [cell.decode("utf-8", "replace") for cell in header]
    has_queries, has_scores = (any(names.named(name, role) for name in columns) for role in ("query", "score"))
    if has_queries and has_scores:
        return True
    shares_id = header[0] == row[0] or (header[1] == row[1] and (len(row) == 3 or is_name(row[1])))
    if shares_id or evaluations.is_text_row(header):  # runs, qrels and evaluations share ids between lines
        return False
    if is_name(header[-1]) and not is_name(row[-1]):
        return True
    if any(is_name(cell) and cell.upper() not in (b"", b"NA") for cell in row[1:]):
        return False
    if has_queries or all(map(is_name, header[1:])):
        return not all(map(is_name, row[1:]))
    has_numbers = all(map(INTEGER_WORD.fullmatch, header[1:])) and len(set(header[1:])) == len(header) - 1
    is_like_qrels = len(row) == 4 and all(map(INTEGER_WORD.fullmatch, row[1:]))
    return has_numbers and is_name(header[0]) and len(row) > 2 and not is_like_qrels


def _is_csv(lines: Sequence[bytes]) -> bool:
    """Whether the first lines are csv, and not an evaluation with decimal commas."""
    is_evaluation = all(len(words) == 3 and _DECIMAL_COMMA.fullmatch(words[2]) for words in map(bytes.split, lines))
    return not is_evaluation and any(_is_separated(lines, separator) for separator in ",;")


def _is_separated(lines: Sequence[bytes], separator: str) -> bool:
    """Whether the header and the row after it have two cells or more with this separator, and some cell a number."""

    def cells(line: bytes) -> list[str]:
        return _cells(line, separator)

    unfinished = any(line.count(b'"') % 2 for line in lines[:2])  # a cell that goes on in the next line
    if not all(len(cells(line)) > 1 for line in lines[: 1 if unfinished else 2]):
        return False
    if len(lines) == 1:
        return f"{separator} ".encode() not in lines[0]
    words = (cell.strip() for line in lines[1:] for cell in cells(line))
    words = (cell.replace(",", ".", 1) if separator == ";" else cell for cell in words)
    return unfinished or not all(is_name(cell.encode()) for cell in words)  # prose has no numbers as cells


def _cells(line: bytes, separator: str) -> list[str]:
    text = line.decode("utf-8", "replace")
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error:
        return text.split(separator)


def _is_run(lines: Sequence[bytes]) -> bool:
    words = [line.split() for line in lines]
    return any(len(line) >= 6 and not is_name(line[4]) and _has_ids(line) for line in words)


def _is_judgment(words: Sequence[bytes]) -> bool:
    return len(words) == 4 and INTEGER_WORD.fullmatch(words[3]) is not None


def _has_ids(words: Sequence[bytes]) -> bool:
    return not any(b"," in word for word in words[:2])


def _resembles_run(lines: Sequence[bytes]) -> bool:
    """Whether most lines resemble the lines of a run."""
    words = [line.split() for line in lines]
    similar = [len(line) > 4 and (line[1] == b"Q0" or not all(map(is_name, line[3:5]))) for line in words]
    return len(words[0]) != 4 and 2 * sum(similar) > len(words)


class Recognised(NamedTuple):
    """A kind of text, the function that recognises it by its first lines, and a hint, as in a `ScoreFormat`."""

    kind: str
    recognise: Callable[[Sequence[bytes]], bool]
    hint: str = ""


TABLE_FORMATS: tuple[TableFormat, ...] = (samples.TABLE, tables.LONG, crossed.FORMAT, tables.WIDE, matrix.FORMAT)
ORDER: tuple[ScoreFormat | Recognised, ...] = (  # a text is of the first kind that recognises it
    json_scores.FORMAT,
    leaderboards.RANKING,
    leaderboards.LEADERBOARD,
    Recognised("table", _is_tsv),
    Recognised("run", _is_run, "a run has 6 with a number in the fifth"),
    Recognised("qrels", lambda lines: all(_is_judgment(line.split()) and _has_ids(line.split()) for line in lines)),
    evaluations.NTCIREVAL,
    evaluations.EVALUATION,
    ScoreFormat("table", _is_csv, _read_table, {}, "a table starts with names"),
    Recognised("evaluation", evaluations.resembles_evaluation),
    Recognised("qrels", lambda lines: len(lines[0].split()) == 4 and any(_is_judgment(line.split()) for line in lines)),
    Recognised("run", _resembles_run),
    Recognised("leaderboard", leaderboards.resembles_leaderboard),
)
SCORE_FORMATS = {form.kind: form for form in (*ORDER, matrix.BARE) if isinstance(form, ScoreFormat)}
_EXAMPLES = [*(form.examples for form in SCORE_FORMATS.values()), *(form.examples for form in TABLE_FORMATS)]
EXAMPLES = {name: text for examples in _EXAMPLES for name, text in examples.items()}


def recognise(data: bytes, orient: Orient | None = None) -> str | None:
    """The kind of a text: the first one in `ORDER` that recognises its first lines; None if none does.

    Numbers without a header are a ``matrix`` only if ``orient`` is queries.

    >>> recognise(b"301 Q0 FT911-1 1 2.5 bm25")
    'run'
    >>> recognise(b"301 0 FT911-1 1")
    'qrels'
    >>> recognise(b"map                   \\t301\\t0.25")
    'evaluation'
    >>> recognise(b"topic,bm25,rm3\\n301,0.25,0.5")
    'table'
    >>> recognise(b"hello") is None
    True
    """
    lines = _record_lines(data)
    if not lines or _MANIFEST.match(lines[0]):
        return None
    if orient == "queries" and matrix.BARE.recognise(lines):
        return "matrix"
    return next((form.kind for form in ORDER if form.recognise(lines)), None)


def _record_lines(data: bytes, most: int = 20) -> list[bytes]:
    """The first lines that are not blank and do not start with ``#``, stripped.

    >>> _record_lines(b"# made by hand\\n\\n301 Q0 a 1 2 bm25 \\n")
    [b'301 Q0 a 1 2 bm25']
    """
    lines: list[bytes] = []
    start = 0
    while start < len(data) and len(lines) < most:
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end].strip()
        if line and not line.startswith(b"#"):
            lines.append(line)
        start = end + 1
    return lines


def first_line(data: bytes) -> bytes:
    """The first line that is neither blank nor a comment, stripped; empty if there is none.

    >>> first_line(b"# by hand\\n301 0 FT911-1 1\\n")
    b'301 0 FT911-1 1'
    """
    return next(iter(_record_lines(data, 1)), b"")


def unrecognised(data: bytes) -> str:
    """The message for a text of no known kind: its first line, and what was expected.

    >>> unrecognised(b""), unrecognised(b"# nothing")
    ('the file is empty', 'the file has nothing but comments')
    >>> print(unrecognised(b"See the overview.").partition(" (")[0])
    neither a TREC run nor a file of scores: the first line, See the overview., has 3 columns
    """
    if not data.strip():
        return "the file is empty"
    lines = _record_lines(data)
    if not lines:
        return "the file has nothing but comments"
    if _MANIFEST.match(lines[0]):
        typed = f"tracks reads it, and report takes it as {argument('manifest FILE')}"
        remedy = either(as_typed(typed), "bv.tracks(FILE) reads it, and bv.report takes it as manifest=FILE")
        return f"a manifest of tracks, neither a run nor scores: {remedy}"
    words = [word for line in lines for word in line.split()]
    comma = next((word.decode() for word in words if _DECIMAL_COMMA.fullmatch(word)), None)
    header, *rows = (_cells(line, ",") for line in lines)
    if comma is None and len(header) > 1 and rows and len(rows[0]) == len(header):
        objects = [name for name, cell in zip(header, rows[0], strict=True) if cell.startswith(("{", "["))]
        fields = f"; make columns of the fields of {quoted(objects[0])}" if objects else ""
        return f"a table without numbers: its columns are {quoted(', '.join(header))}{fields}"
    first = quoted(lines[0].decode("utf-8", "backslashreplace"))
    excerpt = f"the first line, {first}, has {counted(len(lines[0].split()), 'column')}"
    wanted = ", ".join(form.hint for form in ORDER if form.hint)
    point = f"; if {comma} is a number, write it with a point" if comma else ""
    return f"neither a TREC run nor a file of scores: {excerpt} ({wanted}){point}"
