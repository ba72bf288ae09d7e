"""Lines of large texts: pieces of whole lines, the numbers of lines, white space within them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from biasvar_cli.readers.text import line_feeds

_PIECE = 1 << 22  # bytes: what is made of a piece is let go before the next one, so that only the result takes memory
_IN_CACHE = 1 << 17
_WHITE = b"\t\v\f"
_TO_SPACES = bytes.maketrans(_WHITE, b" " * len(_WHITE))


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
        for place, line in enumerate(lines, number):
            words = line.split()
            if words:
                yield place, line, words
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
            place = data.find(ending, near, near + _PIECE)
            if place >= 0:
                return place + (2 if data[place : place + 2] == b"\r\n" else 1)
        near += _PIECE
    return len(data)
