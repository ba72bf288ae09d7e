"""What TREC runs and qrels share: columns between white space, by Arrow or line by line.

A file in the usual shape (one separator, the right number of columns) is parsed by Arrow. Whatever Arrow refuses is
read again line by line, by the tolerant rules of trec_eval or to name the line that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.columns import flat, values_of
from biasvar_cli.readers.text import shown

_IN_CACHE = 1 << 17
_BLOCK = 1 << 18  # bytes that Arrow parses at once: what it makes of them stays in the cache
_WHITE = b"\t\v\f"
_TO_SPACES = bytes.maketrans(_WHITE, b" " * len(_WHITE))


def arrow_table(data: bytes, types: Mapping[str, Any]) -> pa.Table | None:
    """The columns of a text in the usual shape, or None for a text in any other; types of None are left out.

    >>> types = {"topic": pa.binary(), "iteration": None, "doc": pa.binary(), "grade": pa.int64()}
    >>> arrow_table(b"301 0 FT911-1 2\\n", types).to_pydict()
    {'topic': [b'301'], 'doc': [b'FT911-1'], 'grade': [2]}
    >>> arrow_table(b"301 0 FT911-1\\n", types) is None
    True
    """
    if _is_uneven(data):
        data = _one_space(data).strip()
    if not data:
        return None
    csv = pyarrow.csv
    wanted = {name: kind for name, kind in types.items() if kind is not None}
    try:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=list(types), use_threads=False, block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types=wanted, include_columns=list(wanted), null_values=[], check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def word_table(records: Sequence[Sequence[bytes]], places: Mapping[str, int]) -> pa.Table:
    """The columns of records read line by line: for each name the words at one place.

    >>> word_table([[b"301", b"0", b"FT911-1", b"2"]], {"topic": 0, "doc": 2}).to_pydict()
    {'topic': [b'301'], 'doc': [b'FT911-1']}
    """
    return pa.table(
        {name: pa.array([words[place] for words in records], pa.binary()) for name, place in places.items()}
    )


def numbered_lines(data: bytes) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and columns of every line that is not blank.

    >>> list(numbered_lines(b"\\n301 0\\tFT911-1 2\\n"))
    [(2, b'301 0\\tFT911-1 2', [b'301', b'0', b'FT911-1', b'2'])]
    """
    for number, line in enumerate(data.split(b"\n"), 1):
        words = line.split()
        if words:
            yield number, line, words


def topics_of(column: pa.ChunkedArray, data: bytes, path: str) -> tuple[IntArray, tuple[str, ...]]:
    """The first column of ``data`` as indices, shape (n_lines,), and the topics they stand for, in order of appearance.

    Raises `DataError`, with the line, for a topic that is no UTF-8.
    """
    blocks = pc.run_end_encode(flat(column), run_end_type=pa.int64())  # topics come in blocks: a few, not every line
    encoded = blocks.values.dictionary_encode()
    lengths = np.diff(values_of(blocks.run_ends), prepend=0)
    indices: IntArray = np.repeat(values_of(encoded.indices).astype(np.int64), lengths)
    return indices, tuple(_topic(word, data, path) for word in encoded.dictionary.to_pylist())


def shown_word(word: bytes) -> str:
    """A word as a message shows it.

    >>> shown_word(b"FT911-1"), shown_word(b"caf\\xe9")
    ('FT911-1', 'caf\\\\xe9')
    """
    return shown(word.decode("utf-8", "backslashreplace"))


def _is_uneven(data: bytes) -> bool:
    """Whether the white space is anything but one space between columns and one line feed between lines."""
    if data[:1].isspace() or any(white in data for white in (b"\t", b"\v", b"\f")):
        return True
    codes = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(codes), _IN_CACHE):  # a whole file at once spends its time on fresh memory
        white = codes[start : start + _IN_CACHE + 1] <= ord(" ")
        if (white[1:] & white[:-1]).any():
            return True
    return False


def _one_space(data: bytes) -> bytes:
    """Every run of white space within a line as one space, and none at the ends of a line."""
    data = data.translate(_TO_SPACES)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n")


def _topic(word: bytes, data: bytes, path: str) -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        line = next((number for number, _, words in numbered_lines(data) if words[0] == word), None)
        what = f"the id {shown_word(word)} is not UTF-8 text; save it as UTF-8"
        raise DataError(what, path=path, line=line) from None
