"""What TREC runs and qrels share: columns between white space, by Arrow or line by line.

A text is read in pieces of some megabytes. A piece in the usual shape (one separator, the right number of columns) is
parsed by Arrow. In any other piece the lines of another shape are put right first, by the tolerant rules of trec_eval.
What Arrow refuses even so is read line by line, which also names the line that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.columns import flat, values_of
from biasvar_cli.readers.text import line_feeds, quoted

_PIECE = 1 << 22  # bytes: what is made of a piece is let go before the next one, so that only the result takes memory
_IN_CACHE = 1 << 17
_WHITE = b"\t\v\f"
_TO_SPACES = bytes.maketrans(_WHITE, b" " * len(_WHITE))
_BLOCK = 1 << 22  # bytes that Arrow parses at once: a whole piece
_WIDEST = 100  # columns; a wider text is read line by line


class Piece(NamedTuple):
    """Whole lines of a text, from the byte ``start`` to the byte ``end``, with line feeds alone between them."""

    start: int
    end: int
    text: bytes


def pieces(data: bytes) -> Iterator[Piece]:
    """The text in pieces of whole lines, of some megabytes each; a smaller text is one piece.

    >>> [tuple(piece) for piece in pieces(b"301 0 a 1\\r\\n301 0 b 2")]
    [(0, 20, b'301 0 a 1\\n301 0 b 2')]
    """
    start = 0
    while start < len(data):
        end = _line_end(data, start + _PIECE)
        yield Piece(start, end, line_feeds(data[start:end]))
        start = end


def first_number(data: bytes, start: int) -> int:
    """The number of the line that starts at a byte, from 1.

    >>> first_number(b"one\\r\\ntwo\\rthree\\n", 9)
    3
    """
    ends = data.count(b"\n", 0, start) + data.count(b"\r", 0, start) - data.count(b"\r\n", 0, start)
    return ends + 1


def numbered_lines(data: bytes) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and columns of every line that is not blank.

    >>> list(numbered_lines(b"\\n301 0\\tFT911-1 2\\n"))
    [(2, b'301 0\\tFT911-1 2', [b'301', b'0', b'FT911-1', b'2'])]
    """
    number = 1
    for piece in pieces(data):
        lines = piece.text.split(b"\n")
        for position, line in enumerate(lines, number):
            words = line.split()
            if words:
                yield position, line, words
        number += len(lines) - 1


def even_separator(text: bytes) -> str | None:
    """The one white sign, a space or a tab, that stands alone between all columns; None for any other white space.

    None, too, where there is more than one line feed between lines.

    >>> even_separator(b"301 0 a 1\\n301 0 b 2\\n"), even_separator(b"301\\t0\\ta\\t1\\n")
    (' ', '\\t')
    >>> even_separator(b"301 0 a  1\\n"), even_separator(b"301\\t0 a 1\\n")
    (None, None)
    """
    tabs = b"\t" in text
    if text[:1].isspace() or b"\v" in text or b"\f" in text or (tabs and b" " in text):
        return None
    codes = np.frombuffer(text, dtype=np.uint8)
    for start in range(0, len(codes), _IN_CACHE):  # a whole piece at once spends its time on fresh memory
        white = codes[start : start + _IN_CACHE + 1] <= ord(" ")
        if (white[1:] & white[:-1]).any():
            return None
    return "\t" if tabs else " "


def one_space(text: bytes) -> bytes:
    """Every run of white space within a line as one space, and none at the ends of a line; as many lines as before.

    >>> one_space(b"\\n301 0\\t a  1 \\n")
    b'\\n301 0 a 1\\n'
    """
    text = text.translate(_TO_SPACES)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _line_end(data: bytes, near: int) -> int:
    """The end of the first line that ends at a byte or beyond it, or of the text."""
    while near < len(data):
        for ending in (b"\n", b"\r"):
            position = data.find(ending, near, near + _PIECE)
            if position >= 0:
                return position + (2 if data[position : position + 2] == b"\r\n" else 1)
        near += _PIECE
    return len(data)


class Format(NamedTuple):
    """A format of lines. ``types`` are its columns by name, None for one that is left out.

    ``record`` gives the words of a line that is a record and None for one that means nothing; it raises `DataError`
    for any other. It takes the line, its words, and the place for an error: path and line number. ``fits`` says
    whether Arrow took only what the rules allow. Columns beyond these are left out if the format is ``open``.
    """

    types: Mapping[str, Any]
    record: Callable[[bytes, list[bytes], str, int], list[bytes] | None]
    fits: Callable[[pa.Table], bool]
    open: bool = False


class Columns(NamedTuple):
    """The columns of one piece of a text; ``extra`` of its lines have more columns than the format."""

    piece: Piece
    table: pa.Table
    extra: int = 0


def read_columns(data: bytes, path: str, form: Format) -> Iterator[Columns]:
    """The records of a text, piece by piece, without the pieces that have none. Raises `DataError`, with the line.

    >>> form = Format({"topic": pa.binary(), "grade": pa.int64()}, lambda line, words, path, number: words, bool)
    >>> [found.table.to_pydict() for found in read_columns(b"301 2\\n\\n301\\t1\\n", "a", form)]
    [{'topic': [b'301', b'301'], 'grade': [2, 1]}]
    """
    for piece in pieces(data):
        columns = _by_arrow(piece, form) or _by_line(piece, path, form, first_number(data, piece.start))
        if len(columns.table):
            yield columns


def arrow_table(text: bytes, types: Mapping[str, Any], *, beyond: int = 0, separator: str = " ") -> pa.Table | None:
    """The columns of a text in the usual shape, or None for a text in any other; types of None are left out.

    ``beyond`` is the number of columns after these, which are left out as well.

    >>> types = {"topic": pa.binary(), "iteration": None, "doc": pa.binary(), "grade": pa.int64()}
    >>> arrow_table(b"301 0 FT911-1 2\\n", types).to_pydict()
    {'topic': [b'301'], 'doc': [b'FT911-1'], 'grade': [2]}
    >>> arrow_table(b"301 0 FT911-1\\n", types) is None
    True
    """
    if not text:
        return None
    csv = pyarrow.csv
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
    """The records of a text that starts with the line ``first``, with their line numbers, one by one.

    Raises `DataError`, with the line.
    """
    for position, line, words in numbered_lines(text):
        number = first - 1 + position
        record = form.record(line, words, path, number)
        if record is not None:
            yield number, record


def word_table(lines: Sequence[Sequence[bytes]], types: Mapping[str, Any]) -> pa.Table:
    """The columns of records read line by line; types of None are left out.

    >>> word_table([[b"301", b"0", b"2"]], {"topic": pa.binary(), "iteration": None, "grade": pa.int64()}).to_pydict()
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


def topic_places(column: pa.ChunkedArray, places: dict[bytes, int]) -> IntArray:
    """The first column as indices, shape (n_lines,): each topic's place among all so far, to which new ones are added.

    >>> places = {b"301": 0}
    >>> topic_places(pa.chunked_array([[b"302", b"301"]]), places).tolist(), places
    ([1, 0], {b'301': 0, b'302': 1})
    """
    blocks = pc.run_end_encode(flat(column), run_end_type=pa.int64())  # topics come in blocks: a few, not every line
    encoded = blocks.values.dictionary_encode()
    known = np.array([places.setdefault(word, len(places)) for word in encoded.dictionary.to_pylist()], dtype=np.int64)
    lengths = np.diff(values_of(blocks.run_ends), prepend=0)
    return np.repeat(known[values_of(encoded.indices)], lengths)


def topic_names(places: Mapping[bytes, int], data: bytes, path: str) -> tuple[str, ...]:
    """The topics of a text in order of appearance. Raises `DataError`, with the line, for one that is no UTF-8."""
    return tuple(_topic(word, data, path) for word in places)


def quoted_word(word: bytes) -> str:
    """A word as a message shows it.

    >>> quoted_word(b"FT911-1"), quoted_word(b"caf\\xe9")
    ('FT911-1', 'caf\\\\xe9')
    """
    return quoted(word.decode("utf-8", "backslashreplace"))


def _by_arrow(piece: Piece, form: Format) -> Columns | None:
    """The columns of a piece as Arrow reads it, once its odd lines are put right; None where Arrow cannot."""
    separator, text = even_separator(piece.text), piece.text
    if separator is None:
        separator, text = " ", one_space(text).strip()
    beyond = _words_beyond(text, form, separator)
    table = arrow_table(text, form.types, beyond=beyond, separator=separator)
    extra = len(table) if table is not None and beyond else 0
    if table is None:
        text, extra = _mended(piece.text, form)
        table = arrow_table(text, form.types)
    return Columns(piece, table, extra) if table is not None and form.fits(table) else None


def _words_beyond(text: bytes, form: Format, separator: str) -> int:
    """How many columns the first line has beyond the format's, where that is open."""
    if not form.open:
        return 0
    end = text.find(b"\n")
    beyond = text.count(separator.encode(), 0, end if end >= 0 else len(text)) + 1 - len(form.types)
    return beyond if 0 < beyond <= _WIDEST else 0


def _mended(text: bytes, form: Format) -> tuple[bytes, int]:
    """A text with the columns of its records alone and one space between them, and how many lines had more.

    Empty where a line is wrong: a line before it may be wrong in another way.
    """
    width, extra = len(form.types), 0
    originals = text.split(b"\n")
    lines = one_space(text).split(b"\n")
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


def _by_line(piece: Piece, path: str, form: Format, first: int) -> Columns:
    """The columns of a piece that starts with the line ``first``. Raises `DataError`, with the line."""
    lines = [words for _, words in records(piece.text, path, form, first)]
    extra = sum(len(words) > len(form.types) for words in lines)
    return Columns(piece, word_table(lines, form.types), extra)


def _topic(word: bytes, data: bytes, path: str) -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        line = next((number for number, _, words in numbered_lines(data) if words[0] == word), None)
        what = f"the id {quoted_word(word)} is not UTF-8 text; save it as UTF-8"
        raise DataError(what, path=path, line=line) from None
