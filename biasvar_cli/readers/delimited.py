"""Texts of lines, such as TREC's runs and qrels, read into columns.

A text is read in pieces of some megabytes. Arrow parses a piece in the usual shape (one separator, the right number of
columns). In any other piece, the lines of another shape are rewritten first, by the tolerant rules of trec_eval. A
piece that Arrow refuses even then is read line by line, which also finds the line of an error.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from biasvar_cli.errors import DataError
from biasvar_cli.readers.text import line_feeds, quoted

_PIECE = 1 << 22  # bytes; a piece is freed before the next one is read, so that only the columns take memory
_LINE_END = re.compile(rb"\r\n?|\n")
_IN_CACHE = 1 << 17
_WHITE = b"\t\v\f"
_TO_SPACES = bytes.maketrans(_WHITE, b" " * len(_WHITE))
_BLOCK = 1 << 22  # bytes that Arrow parses at once: a whole piece
_WIDEST = 100  # further columns that Arrow skips; lines with more are cut before Arrow parses them


class Piece(NamedTuple):
    """Whole lines of a text, from the byte ``start`` to the byte ``end``; each line end has become a line feed."""

    start: int
    end: int
    text: bytes


def pieces(data: bytes) -> Iterator[Piece]:
    """A text in pieces of whole lines, of some megabytes each; a smaller text is one piece.

    >>> [tuple(piece) for piece in pieces(b"301 0 a 1\\r\\n301 0 b 2")]
    [(0, 20, b'301 0 a 1\\n301 0 b 2')]
    """
    start = 0
    while start < len(data):
        line_end = _LINE_END.search(data, start + _PIECE)
        end = line_end.end() if line_end else len(data)
        yield Piece(start, end, line_feeds(data[start:end]))
        start = end


def first_number(data: bytes, start: int) -> int:
    """The number of the line that starts at the byte ``start``, from 1.

    >>> first_number(b"one\\r\\ntwo\\rthree\\n", 9)
    3
    """
    ends = data.count(b"\n", 0, start) + data.count(b"\r", 0, start) - data.count(b"\r\n", 0, start)
    return ends + 1


def _numbered_lines(data: bytes, number: int = 1) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and words of every line that is not blank; the first line has this ``number``.

    >>> list(_numbered_lines(b"\\n301 0\\tFT911-1 2\\n"))
    [(2, b'301 0\\tFT911-1 2', [b'301', b'0', b'FT911-1', b'2'])]
    """
    for piece in pieces(data):
        lines = piece.text.split(b"\n")
        for position, line in enumerate(lines, number):
            words = line.split()
            if words:
                yield position, line, words
        number += len(lines) - 1


def _even_separator(text: bytes) -> str | None:
    """The separator, if it is a single space between all columns, or a single tab; None for any other white space.

    None also for a text with blank lines, or with white space at its start or end.

    >>> _even_separator(b"301 0 a 1\\n301 0 b 2\\n"), _even_separator(b"301\\t0\\ta\\t1\\n")
    (' ', '\\t')
    >>> _even_separator(b"301 0 a  1\\n"), _even_separator(b"301\\t0 a 1\\n")
    (None, None)
    """
    tabs = b"\t" in text
    if text[:1].isspace() or text[-1:] in (b" ", b"\t") or b"\v" in text or b"\f" in text or (tabs and b" " in text):
        return None
    codes = np.frombuffer(text, dtype=np.uint8)
    for start in range(0, len(codes), _IN_CACHE):  # a whole piece at once would be slower: it needs fresh memory
        white = codes[start : start + _IN_CACHE + 1] <= ord(" ")
        if (white[1:] & white[:-1]).any():
            return None
    return "\t" if tabs else " "


def _one_space(text: bytes) -> bytes:
    """The lines of a text with one space in place of any white space between words, and none at their ends.

    No line is dropped, so line numbers stay.

    >>> _one_space(b"\\n301 0\\t a  1 \\n")
    b'\\n301 0 a 1\\n'
    """
    text = text.translate(_TO_SPACES)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


class Format(NamedTuple):
    """A format of lines: ``types`` maps the names of its columns to Arrow types; a column of type None is left out.

    ``record`` takes a line, its words, and the path and line number for an error. It returns the words of a record,
    None for a line to skip, such as a comment, and raises `DataError` for any other line. ``fits`` says whether the
    columns that Arrow has parsed keep the rules of ``record``, for Arrow accepts more. An ``open`` format allows
    further columns, which are left out. ``doubtful`` replaces ``types`` for lines that have further columns or mix
    tabs and spaces, in which a word may be in the wrong column.
    """

    types: Mapping[str, Any]
    record: Callable[[bytes, list[bytes], str, int], list[bytes] | None]
    fits: Callable[[pa.Table], bool]
    open: bool = False
    doubtful: Mapping[str, Any] | None = None


def read_columns(data: bytes, path: str, form: Format) -> Iterator[tuple[Piece, pa.Table, int]]:
    """The pieces of a text that have records, their columns, and how many lines have further columns.

    Raises `DataError`, with the line.

    >>> form = Format({"topic": pa.binary(), "grade": pa.int64()}, lambda line, words, path, number: words, bool)
    >>> [table.to_pydict() for _, table, _ in read_columns(b"301 2\\n\\n301\\t1\\n", "a", form)]
    [{'topic': [b'301', b'301'], 'grade': [2, 1]}]
    """
    for piece in pieces(data):
        separator, text = _even_separator(piece.text), piece.text
        if separator is None:
            separator, text = " ", _one_space(text).strip()
        end = text.find(b"\n")
        words = text.count(separator.encode(), 0, end if end >= 0 else len(text)) + 1
        beyond = words - len(form.types) if form.open else 0
        beyond = beyond if 0 < beyond <= _WIDEST else 0
        is_doubtful = beyond > 0 or (b"\t" in piece.text and b" " in piece.text)
        types = form.doubtful if is_doubtful and form.doubtful is not None else form.types
        table = _arrow_table(text, types, beyond=beyond, separator=separator)
        extra = len(table) if table is not None and beyond else 0
        if table is None:
            text, extra = _mended(piece.text, form)
            table = _arrow_table(text, types)
        if table is None or not form.fits(table):
            lines = [words for _, words in records(piece.text, path, form, first_number(data, piece.start))]
            extra = sum(len(words) > len(form.types) for words in lines)
            table = _word_table(lines, form.types)
        if len(table):
            yield piece, table, extra


def _arrow_table(text: bytes, types: Mapping[str, Any], *, beyond: int = 0, separator: str = " ") -> pa.Table | None:
    """The columns of a text in the usual shape; None for an empty text, or one in any other shape.

    Columns of type None are left out, and so are ``beyond`` further columns.

    >>> types = {"topic": pa.binary(), "iteration": None, "doc": pa.binary(), "grade": pa.int64()}
    >>> _arrow_table(b"301 0 FT911-1 2\\n", types).to_pydict()
    {'topic': [b'301'], 'doc': [b'FT911-1'], 'grade': [2]}
    >>> _arrow_table(b"301 0 FT911-1\\n", types) is None
    True
    """
    wanted = {name: kind for name, kind in types.items() if kind is not None}
    names = [*types, *map(str, range(beyond))]
    try:
        return csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(column_names=names, use_threads=False, block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=separator, quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types=wanted, include_columns=list(wanted), null_values=[], check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def records(text: bytes, path: str, form: Format, first: int = 1) -> Iterator[tuple[int, list[bytes]]]:
    """The records of a text, one by one, with their line numbers; its first line has the number ``first``.

    Raises `DataError`, with the line.
    """
    for number, line, words in _numbered_lines(text, first):
        record = form.record(line, words, path, number)
        if record is not None:
            yield number, record


def _word_table(lines: Sequence[Sequence[bytes]], types: Mapping[str, Any]) -> pa.Table:
    """The columns of records that were read line by line; columns of type None are left out.

    >>> _word_table([[b"301", b"0", b"2"]], {"topic": pa.binary(), "iteration": None, "grade": pa.int64()}).to_pydict()
    {'topic': [b'301'], 'grade': [2]}
    """
    numbers = {pa.int64(): int, pa.float64(): float}
    return pa.table(
        {
            name: pa.array([numbers.get(kind, bytes)(words[position]) for words in lines], kind)
            for position, (name, kind) in enumerate(types.items())
            if kind is not None
        }
    )


def topic_names(topics: Iterable[bytes], data: bytes, path: str) -> tuple[str, ...]:
    """The topics as text. Raises `DataError`, with the line in ``data``, for a topic that is not UTF-8."""
    names = []
    for topic in topics:
        try:
            names.append(topic.decode("utf-8"))
        except UnicodeDecodeError:
            line = next((number for number, _, words in _numbered_lines(data) if words[0] == topic), None)
            what = f"the id {quoted_word(topic)} is not UTF-8 text; save it as UTF-8"
            raise DataError(what, path=path, line=line) from None
    return tuple(names)


def quoted_word(word: bytes) -> str:
    """A word as a message shows it.

    >>> quoted_word(b"FT911-1"), quoted_word(b"caf\\xe9")
    ('FT911-1', 'caf\\\\xe9')
    """
    return quoted(word.decode("utf-8", "backslashreplace"))


def _mended(text: bytes, form: Format) -> tuple[bytes, int]:
    """A text whose lines have just the columns of the format, with one space between, and how many had further ones.

    The text is empty if a line is wrong: reading line by line then finds the first error.
    """
    width, extra = len(form.types), 0
    originals = text.split(b"\n")
    lines = _one_space(text).split(b"\n")
    for position, line in enumerate(lines):
        if line.count(b" ") != width - 1 or line.startswith(b"#"):
            words = line.split()
            try:
                record = form.record(originals[position], words, "", 0) if words else None
            except DataError:
                return b"", 0
            extra += len(words) > width and record is not None
            lines[position] = b" ".join(record[:width]) if record is not None else b""
    return b"\n".join(lines).strip(), extra
