"""What a file is, by its first lines."""

from __future__ import annotations

import csv
import re
from typing import Literal

from biasvar_cli.readers.score_names import named
from biasvar_cli.readers.text import DECIMAL, NOT_FINITE, shown
from biasvar_cli.words import counted

FileKind = Literal["run", "qrels", "evaluation", "table", "json"]

_NUMBER = re.compile(f"{DECIMAL}|{NOT_FINITE}".encode(), re.IGNORECASE)
_SEPARATOR_LINE = re.compile(rb'"?sep=[,;\t]?"?')
_DECIMAL_COMMA = re.compile(rb"[+-]?\d+,\d+([eE][+-]?\d+)?")
_INTEGER = re.compile(rb"[+-]?\d+")


def _record_lines(data: bytes, most: int = 20) -> list[bytes]:
    """The first lines that are not blank and do not start with ``#``, stripped.

    >>> _record_lines(b"# made by hand\\n\\n301 Q0 a 1 2 bm25 \\n")
    [b'301 Q0 a 1 2 bm25']
    """
    found: list[bytes] = []
    start = 0
    while start < len(data) and len(found) < most:
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end].strip()
        if line and not line.startswith(b"#"):
            found.append(line)
        start = end + 1
    return found


def first_line(data: bytes) -> bytes:
    """The first line that is neither blank nor a comment, stripped; empty if there is none.

    >>> first_line(b"# by hand\\n301 0 FT911-1 1\\n")
    b'301 0 FT911-1 1'
    """
    return next(iter(_record_lines(data, 1)), b"")


def unrecognised(data: bytes) -> str:
    """Why a text is none of the kinds, as a message says it: what it has, and what it would have to have.

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
    words = [word for line in lines for word in line.split()]
    comma = next((word.decode() for word in words if _DECIMAL_COMMA.fullmatch(word)), None)
    first = shown(lines[0].decode("utf-8", "backslashreplace"))
    found = f"the first line, {first}, has {counted(len(lines[0].split()), 'column')}"
    wanted = "a run has 6 with a number in the fifth, trec_eval -q prints 3, a table starts with names"
    point = f"; if {comma} is a number, write it with a point" if comma else ""
    return f"neither a TREC run nor a file of scores: {found} ({wanted}){point}"


def recognise(data: bytes) -> FileKind | None:
    """What a text is, by its first lines; None if it is none of the kinds.

    ``run``: TREC run. ``qrels``: relevance judgments. ``evaluation``: three columns, measure, query and value,
    in the order of trec_eval or of ir_measures. ``table``: csv or tsv with a header. ``json``: JSON.

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
    if not lines:
        return None
    if _SEPARATOR_LINE.fullmatch(lines[0]):
        return "table"
    if lines[0].startswith((b"{", b"[")):
        return "json"
    columns = [line.split() for line in lines]
    if _tab_table(lines):
        return "table"
    if any(len(words) >= 6 and _NUMBER.fullmatch(words[4]) and _no_commas(words[:2]) for words in columns):
        return "run"
    if all(len(words) == 4 and _INTEGER.fullmatch(words[3]) and _no_commas(words[:2]) for words in columns):
        return "qrels"
    if all(map(_evaluation_row, lines)):
        return "evaluation"
    if all(len(words) == 3 and _DECIMAL_COMMA.fullmatch(words[2]) for words in columns):
        return None  # an evaluation with decimal commas: they separate no cells
    if _separated_table(lines, ",") or _separated_table(lines, ";"):
        return "table"
    width = len(columns[0])
    if width == 3 and any(map(_evaluation_row, lines)):
        return "evaluation"
    if width == 2 and _is_name(columns[0][0]) and _is_fraction(columns[0][1]):  # averages only: the parser says so
        return "evaluation"
    if width == 4:
        return "qrels" if any(len(words) == 4 and _INTEGER.fullmatch(words[3]) for words in columns) else None
    return "run" if 2 * sum(map(_resembles_run, columns)) > len(columns) else None


def _resembles_run(words: list[bytes]) -> bool:
    """Whether a line that is no record of a run is likely meant as one."""
    return len(words) > 4 and (words[1] == b"Q0" or any(map(_NUMBER.fullmatch, words[3:5])))


def _separated_table(lines: list[bytes], separator: str) -> bool:
    """Whether the first lines are csv: two cells or more in the header and in a row that follows it."""
    unfinished = lines[0].count(b'"') % 2
    if not all(len(_cells(line, separator)) > 1 for line in lines[: 1 if unfinished else 2]):
        return False
    if len(lines) == 1:
        return f"{separator} ".encode() not in lines[0]
    if unfinished:
        return True
    cells = (cell.strip() for line in lines[1:] for cell in _cells(line, separator))  # prose has no cells of numbers
    return any(_NUMBER.fullmatch((cell.replace(",", ".", 1) if separator == ";" else cell).encode()) for cell in cells)


def _cells(line: bytes, separator: str) -> list[str]:
    text = line.decode("utf-8", "replace")
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error:
        return text.split(separator)


def _tab_table(lines: list[bytes]) -> bool:
    """Whether the first lines are tsv with a header: tabs alone, names above, numbers below from column 2 on.

    The names may be whole numbers, which then differ from each other, beside another name in column 1. What is below
    names of a query and a score may be anything.
    """
    if len(lines) < 2:
        return False
    header, row = ([cell.strip().strip(b'"') for cell in line.split(b"\t")] for line in lines[:2])
    if len(row) == len(header) + 1:
        header = [b"", *header]
    if len(header) < 2 or len(header) != len(row):
        return False
    row = [
        cell.replace(b",", b".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in row
    ]  # the reader refuses it
    if _names_scores(header):
        return True
    if _text_row(header) or _shares_id(header, row):
        return False
    if _is_name(header[-1]) and not _is_name(row[-1]):
        return True
    if any(_is_name(cell) and cell.upper() not in (b"", b"NA") for cell in row[1:]):
        return False
    if all(map(_is_name, header[1:])) or any(named(cell.decode("utf-8", "replace"), "query") for cell in header):
        return not all(map(_is_name, row[1:]))
    whole = all(map(_INTEGER.fullmatch, header[1:])) and len(set(header[1:])) == len(header) - 1
    qrels_like = len(row) == 4 and all(map(_INTEGER.fullmatch, row[1:]))
    return whole and _is_name(header[0]) and len(row) > 2 and not qrels_like


def _names_scores(header: list[bytes]) -> bool:
    """Whether names of a header say that a row is the score of a query."""
    names = [cell.decode("utf-8", "replace") for cell in header]
    return any(named(name, "query") for name in names) and any(named(name, "score") for name in names)


def _shares_id(above: list[bytes], below: list[bytes]) -> bool:
    """Whether two lines share an id, as they do in runs, qrels and evaluations and a header and its row do not."""
    return above[0] == below[0] or (above[1] == below[1] and (len(below) == 3 or _is_name(below[1])))


def _is_name(cell: bytes) -> bool:
    return _NUMBER.fullmatch(cell) is None


def _is_fraction(cell: bytes) -> bool:
    return not _is_name(cell) and cell.find(b".") not in (-1, len(cell) - 1)


def _no_commas(words: list[bytes]) -> bool:
    return not any(b"," in word for word in words)


def _evaluation_row(line: bytes) -> bool:
    """Whether a line has three columns, the last a number, as trec_eval and ir_measures print, or is a row of text.

    Without tabs the number must be a fraction, since prose may end in a year.
    """
    cells = [cell.strip() for cell in line.split(b"\t")]
    tabs = len(cells) == 3
    words = cells if tabs else line.split()
    if len(words) != 3 or not (tabs or _no_commas(words)):
        return False
    return _text_row(words) or (not _is_name(words[2]) if tabs else _is_fraction(words[2]))


def _text_row(words: list[bytes]) -> bool:
    return words[0] == b"relstring" or words[:2] == [b"runid", b"all"]
