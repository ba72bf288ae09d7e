"""Columns of text as Arrow arrays: their values and hashes, repeated pairs, and topics as indices."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers import kernels

HashArray = np.ndarray[Any, np.dtype[np.uint64]]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits well mixed: 2^64 / the golden ratio


def flat(column: pa.ChunkedArray, path: str = "") -> pa.Array:
    """A column in one chunk. Raises `DataError` for more than 2 GB of text.

    >>> flat(pa.chunked_array([[1], [2]])).to_pylist()
    [1, 2]
    """
    combined = column.combine_chunks()
    if not isinstance(combined, pa.ChunkedArray):
        return combined
    if combined.num_chunks > 1:
        raise DataError("too large for one file: split it by topic", path=path)
    return combined.chunk(0)


def values_of(column: pa.Array | pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """The numbers of an Arrow column without nulls as a read-only array, shape (n,), on the same memory.

    Arrow's ``to_numpy`` imports pandas, which takes longer than a small track does.

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
    """The entries of a column at these positions, shape (n,).

    The positions are passed as a buffer: ``pa.array`` would import pandas, which takes longer than a small track does.

    >>> taken(pa.array([b"a", b"b"]), np.array([1, 0])).to_pylist()
    [b'b', b'a']
    """
    positions = np.ascontiguousarray(lines, dtype=np.int64)
    return kernels.take(column, pa.Array.from_buffers(pa.int64(), len(positions), [None, pa.py_buffer(positions)]))


def words_of(words: Sequence[bytes]) -> pa.BinaryArray:
    """Words as a column, shape (n,), made from buffers for the reason that `taken` gives.

    >>> words_of([b"a", b"bc"]).to_pylist()
    [b'a', b'bc']
    """
    ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
    return pa.Array.from_buffers(pa.binary(), len(words), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(words))])


def selected(column: pa.Array | pa.ChunkedArray, lines: IntArray) -> pa.Array:
    """The entries of a column at these ascending positions, in one chunk, shape (n,), n at least 1.

    >>> selected(pa.chunked_array([[b"a", b"b"], [b"c"]]), np.array([0, 2])).to_pylist()
    [b'a', b'c']
    """
    start, end = int(lines[0]), int(lines[-1]) + 1
    if end - start == len(lines):
        part = column.slice(start, len(lines))
        return flat(part) if isinstance(part, pa.ChunkedArray) else part
    if not isinstance(column, pa.ChunkedArray):
        return taken(column, lines)
    starts = np.cumsum([0, *map(len, column.chunks)])
    bounds = np.searchsorted(lines, starts)
    positions = [lines[bounds[index] : bounds[index + 1]] - starts[index] for index in range(column.num_chunks)]
    return flat(pa.chunked_array([taken(*pair) for pair in zip(column.chunks, positions, strict=True)]))


def distinct(column: pa.ChunkedArray) -> list[bytes]:
    """The distinct words of a column, in order of appearance.

    >>> distinct(pa.chunked_array([[b"x", b"x", b"y", b"x"]]))
    [b'x', b'y']
    """
    words: dict[bytes, None] = {}
    for chunk in filter(len, column.chunks):
        first, bounds = chunk[0].as_py(), _bounds(chunk)
        text = chunk.buffers()[2][int(bounds[0]) : int(bounds[-1])].to_pybytes()
        if (np.diff(bounds) == len(first)).all() and text == first * len(chunk):  # the usual case: one run tag
            words[first] = None
        else:
            words.update(dict.fromkeys(kernels.unique(chunk).to_pylist()))
    return list(words)


def has_repeats(topic: IntArray, docs: pa.BinaryArray, hashes: HashArray) -> bool:
    """Whether a (topic, document) pair occurs more than once.

    All three have the shape (n,). ``hashes`` are the hashes of the documents; the documents themselves are compared
    only if two pairs have the same hash.

    >>> docs = pa.array([b"a", b"b", b"a"], pa.binary())
    >>> has_repeats(np.array([0, 0, 1]), docs, word_hashes(docs))
    False
    """
    keys = pair_hashes(topic, hashes)
    keys.sort()
    if not (keys[1:] == keys[:-1]).any():
        return False
    pairs = _pairs(topic, docs)
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())


def first_repeat(topic: IntArray, docs: pa.BinaryArray) -> tuple[int, int]:
    """The position of the first repeated (topic, document) pair, and the position where the same pair occurs first.

    At least one pair has to occur twice.

    >>> first_repeat(np.array([0, 1, 0, 0, 1]), pa.array([b"a", b"b", b"b", b"a", b"b"], pa.binary()))
    (3, 0)
    """
    pairs = _pairs(topic, docs)
    order = np.argsort(pairs, kind="stable")
    same = np.flatnonzero(pairs[order][1:] == pairs[order][:-1])
    again = int(order[same + 1].min())
    return again, int(np.argmax(pairs == pairs[again]))


def _pairs(topic: IntArray, docs: pa.BinaryArray) -> IntArray:
    """A number for each (topic, document) pair, shape (n,); two pairs have the same number only if they are equal."""
    encoded = kernels.dictionary_encode(docs)
    return np.asarray(topic * len(encoded.dictionary) + values_of(encoded.indices))


def pair_hashes(topic: IntArray, hashes: HashArray) -> HashArray:
    """A hash of 64 bits for each pair of a topic and the hash of a word, shape (n,); its leading bits are uniform.

    >>> keys = pair_hashes(np.array([0, 0, 1]), np.array([7, 8, 7], dtype=np.uint64))
    >>> len(set(keys.tolist()))
    3
    """
    keys = hashes + topic.astype(np.uint64) * _MULTIPLIER
    keys ^= keys >> np.uint64(32)
    keys *= _MULTIPLIER
    return keys


def word_hashes(words: pa.BinaryArray) -> HashArray:
    """A hash of 64 bits for each word, shape (n,): equal words have equal hashes, different words nearly never.

    The hash combines pieces of eight bytes, from the end of the word to its start. The first eight bytes are one piece,
    even if it overlaps the next one; a shorter word is one piece. Arrow's dictionary takes three times as long.

    >>> hashes = word_hashes(pa.array([b"a", b"b", b"a"], pa.binary()))
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    memory = words.buffers()[2]
    if memory is None:
        return np.zeros(len(words), dtype=np.uint64)
    bounds = _bounds(words).astype(np.int64)
    length = np.diff(bounds)
    longest = int(length.max(initial=0))
    if longest >= 8 and (length == longest).all():
        return _hashes_of_equal(memory, int(bounds[0]), len(words), longest)
    text = np.zeros(len(memory) + 8, dtype=np.uint8)
    text[8:] = np.frombuffer(memory, np.uint8)
    before = np.ndarray((len(memory) + 1,), "<u8", text, strides=(1,))  # before[end] are the 8 bytes before end
    start, end = bounds[:-1], bounds[1:]
    result: HashArray = before[end] >> (8 * (8 - np.minimum(length, 8)).astype(np.uint64))
    result += length.astype(np.uint64) * _MULTIPLIER
    longer = np.arange(len(words))
    for done in range(8, longest, 8):
        longer = longer[length[longer] > done]
        piece = before[np.maximum(end[longer] - done, start[longer] + 8)]
        result[longer] = result[longer] * _MULTIPLIER + piece
    return result


def _hashes_of_equal(memory: pa.Buffer, start: int, number: int, length: int) -> HashArray:
    """The hashes of words of the same ``length``, at least 8: six times as fast, for no text is copied."""

    def piece(done: int) -> HashArray:
        first = start + max(length - done, 8) - 8
        return np.ndarray((number,), "<u8", memory, offset=first, strides=(length,))

    result: HashArray = piece(0) + np.uint64(length * int(_MULTIPLIER) % 2**64)
    for done in range(8, length, 8):
        result *= _MULTIPLIER
        result += piece(done)
    return result


_CUTS = 100  # changes of length between neighbouring topics; where there are more, Arrow finds the blocks
_FEW = 1000  # words: up to this number a list in Python is faster than Arrow's dictionary


def topic_indices(column: pa.ChunkedArray, topics: dict[bytes, int]) -> IntArray:
    """The topic of each line as its index in ``topics``, shape (n_lines,); new topics are added to ``topics``.

    >>> topics = {b"301": 0}
    >>> topic_indices(pa.chunked_array([[b"302", b"301"]]), topics).tolist(), topics
    ([1, 0], {b'301': 0, b'302': 1})
    """
    words = flat(column)
    if len(words) <= _FEW:
        listed = _listed(words)
        for word in dict.fromkeys(listed):
            topics.setdefault(word, len(topics))
        return np.fromiter(map(topics.__getitem__, listed), np.int64, len(listed))
    starts = _block_starts(words)  # the lines of a topic usually stand together
    encoded = kernels.dictionary_encode(taken(words, starts))
    known = np.array([topics.setdefault(word, len(topics)) for word in encoded.dictionary.to_pylist()], dtype=np.int64)
    return np.repeat(known[values_of(encoded.indices)], np.diff(starts, append=len(words)))


def _bounds(words: pa.BinaryArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Where the words of a column start in its memory, and where the last one ends, shape (n + 1,)."""
    _, offsets, _ = words.buffers()
    return np.frombuffer(offsets, np.int32)[words.offset : words.offset + len(words) + 1]


def _listed(words: pa.BinaryArray) -> list[bytes]:
    """The words of a short column; Arrow's ``to_pylist`` makes an object of each word first, which is slower."""
    bounds = _bounds(words).tolist()
    text = words.buffers()[2].slice(bounds[0], bounds[-1] - bounds[0]).to_pybytes()
    return [text[start - bounds[0] : end - bounds[0]] for start, end in pairwise(bounds)]


def lengths(words: pa.BinaryArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    """How many bytes each word has, shape (n,).

    >>> lengths(pa.array([b"a", b"bcd"], pa.binary())).tolist()
    [1, 3]
    """
    return np.diff(_bounds(words))


def _block_starts(words: pa.BinaryArray) -> IntArray:
    """Where a word differs from the one before, shape (n_blocks,); the first word starts a block.

    >>> _block_starts(pa.array([b"8", b"9", b"9", b"10", b"11"], pa.binary())).tolist()
    [0, 1, 3, 4]
    """
    bounds, sizes = _bounds(words), lengths(words)
    cuts = [0, *(np.flatnonzero(sizes[1:] != sizes[:-1]) + 1).tolist(), len(words)]
    if len(cuts) > _CUTS:
        return np.insert(values_of(kernels.run_ends(words))[:-1], 0, 0)
    text, starts = np.frombuffer(words.buffers()[2], np.uint8), [np.array(cuts[:-1], dtype=np.int64)]
    for start, end in pairwise(cuts):  # words of one length: their bytes are compared at once
        length, letters = int(sizes[start]), text[int(bounds[start]) : int(bounds[end])]
        starts.append(np.flatnonzero(letters[length:] != letters[:-length]) // length + start + 1)
    sorted_starts: IntArray = np.sort(np.concatenate(starts))  # np.unique would load the masked arrays of numpy
    first_of_equal: IntArray = sorted_starts[np.insert(sorted_starts[1:] != sorted_starts[:-1], 0, True)]
    return first_of_equal
