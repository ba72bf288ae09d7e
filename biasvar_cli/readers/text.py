"""What the readers share: texts, rows of tables, JSON, numbers, and how messages show a word of a file."""

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from biasvar_cli.errors import DataError

DECIMAL = r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?"  # refuses a long string of digits in one pass
NUMBER = re.compile(DECIMAL, re.ASCII)
_NUMBER_WORD = re.compile(rf"{DECIMAL}|[+-]?(nan|inf|infinity)".encode(), re.IGNORECASE)
INTEGER_WORD = re.compile(rb"[+-]?\d+")
_END_OR_CELL = re.compile(rb'\r\n?|"[^"]*"')
_AFTER_ELEMENT = re.compile(r"[ \t\r\n]*([,\]]?)[ \t\r\n]*")  # of an array in JSON
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?", re.ASCII)
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?\s*')  # a hint for Excel, in the first line
SCORE_ALL = "give every query a score"  # the remedy for a missing score
HOLES = frozenset({"", "na", "n/a", "nan", "null", "none"})

Row = tuple[int, list[str]]


def line_feeds(data: bytes, *, quotes: bool = False) -> bytes:
    """A text with line feeds as its only line ends, whichever system it was written on.

    With ``quotes``, text between double quotes is left as it is, for it is part of a cell.

    >>> line_feeds(b"one\\r\\ntwo\\rthree\\n")
    b'one\\ntwo\\nthree\\n'
    >>> line_feeds(b'"a\\rb",1\\r"c",2\\r', quotes=True)
    b'"a\\rb",1\\n"c",2\\n'
    """
    if b"\r" not in data:
        return data
    if quotes and b'"' in data:
        return _END_OR_CELL.sub(lambda match: match[0] if match[0].startswith(b'"') else b"\n", data)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def decoded(data: bytes, path: str) -> str:
    """The text of UTF-8 bytes. Raises `DataError`, with the line, for bytes that are not UTF-8.

    >>> decoded("é".encode("latin-1"), "teams.csv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: teams.csv:1: not UTF-8 text: byte 0xe9; save it as UTF-8
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start : error.start + 1].hex()
        raise DataError(f"not UTF-8 text: byte 0x{byte}; save it as UTF-8", path=path, line=line) from None


def plain_text(data: bytes, path: str) -> str:
    """The text of UTF-8 bytes, with line feeds as its only line ends; for errors see `decoded`."""
    return decoded(line_feeds(data), path)


def table_rows(text: str, path: str) -> Iterator[Row]:
    """The rows of a csv or tsv without blank ones: the number of a row's first line, and its stripped cells.

    For the separator of the cells see `separator`. Where it is a semicolon, decimal commas become points. Raises
    `DataError`, with the line, for a text that cannot be read.

    >>> list(table_rows("run,team\\n\\nbm25, waterloo\\n", "teams.csv"))
    [(1, ['run', 'team']), (3, ['bm25', 'waterloo'])]
    >>> list(table_rows("AP;bm25\\n301;0,25\\n", "ap.csv"))
    [(1, ['AP', 'bm25']), (2, ['301', '0.25'])]
    """
    delimiter, hinted = separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)

    def cells_of_rows() -> Iterator[Row]:
        start = 1
        try:
            for row in reader:
                cells = [cell.strip() for cell in row]
                if len(cells) > 1 or any(cells):
                    yield start, cells
                start = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"cannot be read as a table: {error}; check the quotes", path=path, line=start) from None

    rows = itertools.islice(cells_of_rows(), int(hinted), None)
    return _with_points(rows, path) if delimiter == ";" else rows


def of_length(rows: Iterable[Row], width: int, path: str, *, hint: bool = False) -> Iterator[Row]:
    """The rows below a header of this width. Raises `DataError` for a row of another length, with a ``hint`` if asked.

    The hint is to quote cells that contain a separator.
    """
    for line, cells in rows:
        if len(cells) != width:
            quote = "; quote a cell that contains a separator" if hint else ""
            what = f"expected {width} columns, as in the header, found {len(cells)}{quote}"
            raise DataError(what, path=path, line=line)
        yield line, cells


def separator(text: str) -> tuple[str, bool]:
    """The separator of the cells of a table, and whether its first line is a hint such as ``sep=;``.

    Without a hint, the separator is a tab if the first line that is not blank has one, a semicolon if that line has
    semicolons and no commas outside quotes, and otherwise a comma.

    >>> separator("topic;bm25\\n"), separator("topic,bm25;k1\\n"), separator("sep=;\\ntopic;bm25\\n")
    ((';', False), (',', False), (';', True))
    """
    first = next(filter(str.strip, io.StringIO(text, newline="")), "")
    hint = _SEPARATOR_LINE.fullmatch(first)
    if hint:
        return hint[1], True
    if "\t" in first:
        return "\t", False
    bare = re.sub(r'"[^"]*"', "", first)
    return (";" if ";" in bare and "," not in bare else ","), False


def _with_points(rows: Iterator[Row], path: str) -> Iterator[Row]:
    """The rows with points in place of decimal commas below the header. Raises `DataError` for a table with both."""
    yield from itertools.islice(rows, 1)
    first: dict[bool, tuple[int, str]] = {}  # the line and text of the first decimal comma (True) and point (False)
    for line, cells in rows:
        for cell in cells:
            has_comma = bool(DECIMAL_COMMA.fullmatch(cell))
            if has_comma or ("." in cell and NUMBER.fullmatch(cell)):
                first.setdefault(has_comma, (line, cell))
        if len(first) == 2:
            (point_line, point), (comma_line, comma) = first[False], first[True]
            what = f"{quoted(point)} in line {point_line} has a decimal point, {quoted(comma)} in line {comma_line}"
            raise DataError(f"{what} a decimal comma; use one", path=path, line=line)
        yield line, [cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell for cell in cells]


def finite_number(text: str, what: str, path: str, line: int | None, *, remedy: str = SCORE_ALL) -> float:
    """The finite number in a text. Raises `DataError` for any other text; its message begins with ``what``.

    ``remedy`` is the remedy for a hole.

    >>> finite_number("1e-04", "score", "ap.csv", 2)
    0.0001
    >>> finite_number("NA", "column bm25", "ap.csv", 2)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: ap.csv:2: column bm25 is NA, a hole; give every query a score
    """
    if NUMBER.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
    if is_hole(text):
        raise DataError(f"{what} {hole_fault(text)}; {remedy}", path=path, line=line)
    if DECIMAL_COMMA.fullmatch(text):
        point = text.replace(",", ".")
        raise DataError(f"{what}: {quoted(text)} has a decimal comma; write {quoted(point)}", path=path, line=line)
    fault = "is not finite" if NUMBER.fullmatch(text) or "inf" in text.lower() else "is not a number"
    raise DataError(f"{what}: {quoted(text)} {fault}", path=path, line=line)


def is_hole(text: str) -> bool:
    """Whether a cell stands for a missing value: empty, NA, nan and the like.

    >>> [is_hole(text) for text in ("", "NA", "-nan", "0")]
    [True, True, True, False]
    """
    return not text[:1].isdigit() and text.lower().lstrip("+-") in HOLES


def hole_fault(text: str) -> str:
    """The words of a message for a cell that is a hole.

    >>> hole_fault("NA"), hole_fault("")
    ('is NA, a hole', 'is empty')
    """
    return f"is {text}, a hole" if text else "is empty"


def is_fraction(text: str) -> bool:
    """Whether a text is a number that is not whole, and so cannot be an id.

    >>> is_fraction("0.25"), is_fraction("301"), is_fraction("301.0"), is_fraction("bm25")
    (True, False, False, False)
    """
    return bool(NUMBER.fullmatch(text)) and not float(text).is_integer()


def is_name(cell: bytes) -> bool:
    """Whether a cell is not a number; nan and infinity are numbers here.

    >>> is_name(b"bm25"), is_name(b"0.25"), is_name(b"NaN")
    (True, False, False)
    """
    return _NUMBER_WORD.fullmatch(cell) is None


def is_fraction_word(cell: bytes) -> bool:
    """Whether a word is a number with digits after a decimal point.

    >>> is_fraction_word(b"0.25"), is_fraction_word(b"1."), is_fraction_word(b"1")
    (True, False, False)
    """
    return not is_name(cell) and cell.find(b".") not in (-1, len(cell) - 1)


def quoted(text: str) -> str:
    """A text as a message shows it: in quotes if it has unusual characters, and cut if it is long.

    >>> quoted("bm25"), len(quoted("9" * 100))
    ('bm25', 60)
    """
    cut = text if len(text) <= 60 else f"{text[:57]}..."
    return cut if cut.isprintable() and cut else repr(cut)


class Number(str):
    """A number in JSON, with the digits of the file."""

    __slots__ = ()


def loads(text: str, path: str, line: int | None = None) -> Any:
    """The value of a JSON text, its numbers as `Number`.

    Raises ValueError for a text that is not JSON, `DataError` for an object with a key twice.

    >>> loads('{"301": {"map": 0.250}}', "ap.json")
    {'301': {'map': '0.250'}}
    """
    repeated: list[str] = []

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(entries)
        if len(unique) < len(entries):
            keys = [key for key, _ in entries]
            repeated.append(next(key for index, key in enumerate(keys) if key in keys[:index]))
        return unique

    try:
        value = json.loads(text, parse_float=Number, parse_int=Number, parse_constant=Number, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if repeated:
        raise DataError(f"an object has the key {quoted(repeated[0])} twice; keep one", path=path, line=line)
    return value


def array_elements(text: str, path: str, value_at: Callable[[int, int], tuple[Any, int]]) -> Iterator[tuple[int, Any]]:
    """The elements of the first JSON array in a text, one at a time, with the numbers of their first lines.

    ``value_at`` takes the position and the line at which a value begins; it returns the value and the position of its
    end. Raises `DataError`, with the line, if there is anything but commas between elements, or text after the array.

    >>> text = '[{"a": 1},\\n {"a": 2}]'
    >>> list(array_elements(text, "ap.json", lambda at, line: json.JSONDecoder().raw_decode(text, at)))
    [(1, {'a': 1}), (2, {'a': 2})]
    """
    opening = re.search(r"\[[ \t\r\n]*", text)
    assert opening is not None, "the text has an array"
    begin = end = opening.end()
    line, mark = text.count("\n", 0, begin) + 1, ""
    while mark != "]":
        if mark or text[begin : begin + 1] != "]":  # an empty array has no value
            value, end = value_at(begin, line)
            yield line, value
        after = _AFTER_ELEMENT.match(text, end)
        assert after is not None, "the pattern matches the empty text too"
        line, begin, mark = line + text.count("\n", begin, after.end()), after.end(), after[1]
        if not mark:
            raise DataError("not JSON: expected a comma or ] after the object", path=path, line=line)
    if begin < len(text):
        raise DataError("not JSON: extra data after ]", path=path, line=line)


def value_text(value: object) -> str:
    """A JSON value as text: text and numbers as in the file, anything else as JSON.

    >>> value_text("0.250"), value_text(None)
    ('0.250', 'null')
    """
    return value if isinstance(value, str) else json.dumps(value)
