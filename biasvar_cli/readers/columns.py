"""Arrow columns as arrays, without what Arrow imports pandas for, and the search for repeated pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from biasvar_cli.errors import DataError

IntArray = np.ndarray[Any, np.dtype[np.int64]]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits well mixed: 2^64 / the golden ratio


def flat(column: pa.ChunkedArray, path: str = "") -> pa.Array:
    """A column in one piece, which holds at most 2 GB of text; raises `DataError` for more.

    >>> flat(pa.chunked_array([[1], [2]])).to_pylist()
    [1, 2]
    """
    whole = column.combine_chunks()
    if not isinstance(whole, pa.ChunkedArray):
        return whole
    if whole.num_chunks > 1:
        raise DataError("too large for one file: split it by topic", path=path)
    return whole.chunk(0)


def values_of(column: pa.Array | pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """The numbers of an Arrow column without nulls as a read-only array, shape (n,), on the same memory.

    Arrow's own ``to_numpy`` imports pandas, which takes longer than a small track does.

    >>> values_of(pa.array([1.5, 2.5])).tolist()
    [1.5, 2.5]
    """
    piece = flat(column) if isinstance(column, pa.ChunkedArray) else column
    dtype = {pa.int32(): np.int32, pa.int64(): np.int64, pa.uint64(): np.uint64, pa.float64(): np.float64}[piece.type]
    memory = piece.buffers()[1]
    if memory is None:
        return np.empty(0, dtype)
    return np.frombuffer(memory, dtype)[piece.offset : piece.offset + len(piece)]


def taken(column: pa.Array, lines: IntArray) -> pa.Array:
    """The entries of a column at these places, shape (n,).

    The places go over as a buffer: ``pa.array`` would import pandas, which takes longer than a small track does.

    >>> taken(pa.array([b"a", b"b"]), np.array([1, 0])).to_pylist()
    [b'b', b'a']
    """
    places = np.ascontiguousarray(lines, dtype=np.int64)
    return column.take(pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)]))


def distinct(column: pa.ChunkedArray) -> list[bytes]:
    """The distinct words of a column, in order of appearance.

    >>> distinct(pa.chunked_array([[b"x", b"x", b"y", b"x"]]))
    [b'x', b'y']
    """
    words: list[bytes] = pc.run_end_encode(flat(column), run_end_type=pa.int64()).values.unique().to_pylist()
    return words


def has_repeats(topic: IntArray, docs: pa.BinaryArray) -> bool:
    """Whether a (topic, document) pair occurs more than once: first by hashes, and where two are equal for sure.

    >>> has_repeats(np.array([0, 0, 1]), pa.array([b"a", b"b", b"a"], pa.binary()))
    False
    """
    keys = _hashes(docs) + topic.astype(np.uint64) * _MULTIPLIER
    keys.sort()
    if not (keys[1:] == keys[:-1]).any():
        return False
    encoded = docs.dictionary_encode()
    pairs = topic * len(encoded.dictionary) + values_of(encoded.indices)
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())


def _hashes(words: pa.BinaryArray) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A hash of 64 bits for each word, shape (n,): equal words have equal ones, and others nearly never.

    A word is taken in pieces of eight bytes from its end; the last piece overlaps the one before, or is shorter if
    the word is. Arrow's own dictionary of the words would take three times as long.
    """
    _, offsets, memory = words.buffers()
    if memory is None:
        return np.zeros(len(words), dtype=np.uint64)
    bounds = np.frombuffer(offsets, np.int32)[words.offset : words.offset + len(words) + 1].astype(np.int64)
    start, end = bounds[:-1], bounds[1:]
    length = end - start
    text = np.zeros(len(memory) + 8, dtype=np.uint8)
    text[8:] = np.frombuffer(memory, np.uint8)
    pieces = np.ndarray((len(memory) + 1,), "<u8", text, strides=(1,))  # pieces[end] are the 8 bytes before end
    spare = 8 * (8 - np.minimum(length, 8)).astype(np.uint64)
    result: np.ndarray[Any, np.dtype[np.uint64]] = (pieces[end] >> spare) + length.astype(np.uint64) * _MULTIPLIER
    for taken_already in range(8, int(length.max(initial=0)), 8):
        piece = pieces[np.maximum(end - taken_already, np.minimum(start + 8, end))]
        result = result * _MULTIPLIER + np.where(length > taken_already, piece, np.uint64(0))
    return result
