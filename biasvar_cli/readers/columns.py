"""Columns of text as Arrow arrays: their values, repeated pairs, and how runs and qrels of TREC are read into them.

A text is read in pieces of some megabytes. A piece in the usual shape (one separator, the right number of columns) is
parsed by Arrow. In any other piece the lines of another shape are put right first, by the tolerant rules of trec_eval.
What Arrow refuses even so is read line by line, which also names the line that is wrong.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers import kernels
from biasvar_cli.readers.text import line_feeds, quoted

HashArray = np.ndarray[Any, np.dtype[np.uint64]]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits well mixed: 2^64 / the golden ratio


def flat(column: pa.ChunkedArray, path: str = "") -> pa.Array:
    """A column in one piece, of at most 2 GB of text. Raises `DataError` for more.

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
    """The entries of a column at these positions, shape (n,).

    The positions are passed as a buffer: ``pa.array`` would import pandas, which takes longer than a small track does.

    >>> taken(pa.array([b"a", b"b"]), np.array([1, 0])).to_pylist()
    [b'b', b'a']
    """
    positions = np.ascontiguousarray(lines, dtype=np.int64)
    return kernels.take(column, pa.Array.from_buffers(pa.int64(), len(positions), [None, pa.py_buffer(positions)]))


def words_of(words: Sequence[bytes]) -> pa.BinaryArray:
    """Words as a column, shape (n,), made as `taken` makes positions.

    >>> words_of([b"a", b"bc"]).to_pylist()
    [b'a', b'bc']
    """
    ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
    return pa.Array.from_buffers(pa.binary(), len(words), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(words))])


def selected(column: pa.Array | pa.ChunkedArray, lines: IntArray) -> pa.Array:
    """The entries of a column at these positions, which ascend, in one chunk, shape (n,), n at least 1.

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
        first, (_, offsets, memory) = chunk[0].as_py(), chunk.buffers()
        bounds = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        text = memory[int(bounds[0]) : int(bounds[-1])].to_pybytes()
        if (np.diff(bounds) == len(first)).all() and text == first * len(chunk):  # one word, as run tags nearly always
            words[first] = None
        else:
            words.update(dict.fromkeys(kernels.unique(chunk).to_pylist()))
    return list(words)


def has_repeats(topic: IntArray, docs: pa.BinaryArray, hashes: HashArray) -> bool:
    """Whether a (topic, document) pair occurs more than once.

    All three have the shape (n,); ``hashes`` are the documents', and are compared first, the documents only where two
    hashes are equal.

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
    """The first place where a (topic, document) pair occurs again, and where it occurs first; one pair at least does.

    >>> first_repeat(np.array([0, 1, 0, 0, 1]), pa.array([b"a", b"b", b"b", b"a", b"b"], pa.binary()))
    (3, 0)
    """
    pairs = _pairs(topic, docs)
    order = np.argsort(pairs, kind="stable")
    same = np.flatnonzero(pairs[order][1:] == pairs[order][:-1])
    again = int(order[same + 1].min())
    return again, int(np.argmax(pairs == pairs[again]))


def _pairs(topic: IntArray, docs: pa.BinaryArray) -> IntArray:
    """A number for each (topic, document) pair, shape (n,): equal pairs have equal ones and others do not."""
    encoded = kernels.dictionary_encode(docs)
    return np.asarray(topic * len(encoded.dictionary) + values_of(encoded.indices))


def pair_hashes(topic: IntArray, hashes: HashArray) -> HashArray:
    """A hash of 64 bits for each pair of a topic and a word's hash, shape (n,), evenly spread in its leading bits.

    >>> keys = pair_hashes(np.array([0, 0, 1]), np.array([7, 8, 7], dtype=np.uint64))
    >>> len(set(keys.tolist()))
    3
    """
    keys = hashes + topic.astype(np.uint64) * _MULTIPLIER
    keys ^= keys >> np.uint64(32)
    keys *= _MULTIPLIER
    return keys


def word_hashes(words: pa.BinaryArray) -> HashArray:
    """A hash of 64 bits for each word, shape (n,): equal words have equal ones, and others nearly never.

    A word is taken in pieces of eight bytes from its end; the last piece overlaps the one before, or is shorter if
    the word is. Arrow's own dictionary of the words would take three times as long.

    >>> hashes = word_hashes(pa.array([b"a", b"b", b"a"], pa.binary()))
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    _, offsets, memory = words.buffers()
    if memory is None:
        return np.zeros(len(words), dtype=np.uint64)
    bounds = np.frombuffer(offsets, np.int32)[words.offset : words.offset + len(words) + 1].astype(np.int64)
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
    """The same hashes, six times as fast, of words that are all of one length of at least 8: read where they stand."""

    def piece(done: int) -> HashArray:
        first = start + max(length - done, 8) - 8
        return np.ndarray((number,), "<u8", memory, offset=first, strides=(length,))

    result: HashArray = piece(0) + np.uint64(length * int(_MULTIPLIER) % 2**64)
    for done in range(8, length, 8):
        result *= _MULTIPLIER
        result += piece(done)
    return result


_PIECE = 1 << 22  # bytes: what is made of a piece is let go before the next one, so that only the result takes memory
_LINE_END = re.compile(rb"\r\n?|\n")
_IN_CACHE = 1 << 17
_WHITE = b"\t\v\f"
_TO_SPACES = bytes.maketrans(_WHITE, b" " * len(_WHITE))
_CUTS = 100  # places where the length of a topic changes; more of them are left to Arrow
_FEW = 1000  # words that are sooner listed in Python than encoded by Arrow
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
        line_end = _LINE_END.search(data, start + _PIECE)
        end = line_end.end() if line_end else len(data)
        yield Piece(start, end, line_feeds(data[start:end]))
        start = end


def first_number(data: bytes, start: int) -> int:
    """The number of the line that starts at a byte, from 1.

    >>> first_number(b"one\\r\\ntwo\\rthree\\n", 9)
    3
    """
    ends = data.count(b"\n", 0, start) + data.count(b"\r", 0, start) - data.count(b"\r\n", 0, start)
    return ends + 1


def _numbered_lines(data: bytes, number: int = 1) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Number, text and columns of every line that is not blank; the first line has this ``number``.

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
    """The one white sign, a space or a tab, that stands alone between all columns; None for any other white space.

    None, too, where there is more than one line feed between lines, or white space at the end of the last.

    >>> _even_separator(b"301 0 a 1\\n301 0 b 2\\n"), _even_separator(b"301\\t0\\ta\\t1\\n")
    (' ', '\\t')
    >>> _even_separator(b"301 0 a  1\\n"), _even_separator(b"301\\t0 a 1\\n")
    (None, None)
    """
    tabs = b"\t" in text
    if text[:1].isspace() or text[-1:] in (b" ", b"\t") or b"\v" in text or b"\f" in text or (tabs and b" " in text):
        return None
    codes = np.frombuffer(text, dtype=np.uint8)
    for start in range(0, len(codes), _IN_CACHE):  # a whole piece at once spends its time on fresh memory
        white = codes[start : start + _IN_CACHE + 1] <= ord(" ")
        if (white[1:] & white[:-1]).any():
            return None
    return "\t" if tabs else " "


def _one_space(text: bytes) -> bytes:
    """Every run of white space within a line as one space, and none at the ends of a line; as many lines as before.

    >>> _one_space(b"\\n301 0\\t a  1 \\n")
    b'\\n301 0 a 1\\n'
    """
    text = text.translate(_TO_SPACES)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


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
    doubtful: Mapping[str, Any] | None = None


def read_columns(data: bytes, path: str, form: Format) -> Iterator[tuple[Piece, pa.Table, int]]:
    """The pieces of a text that have records, their columns, and how many lines have more columns than the format.

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
    """The columns of a text in the usual shape, or None for a text in any other, or empty; types of None are left out.

    ``beyond`` is the number of columns after these, which are left out as well.

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
    """The records of a text that starts with the line ``first``, with their line numbers, one by one.

    Raises `DataError`, with the line.
    """
    for number, line, words in _numbered_lines(text, first):
        record = form.record(line, words, path, number)
        if record is not None:
            yield number, record


def _word_table(lines: Sequence[Sequence[bytes]], types: Mapping[str, Any]) -> pa.Table:
    """The columns of records read line by line; types of None are left out.

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


def topic_indices(column: pa.ChunkedArray, topics: dict[bytes, int]) -> IntArray:
    """The first column as indices, shape (n_lines,): each topic's place among all so far, to which new ones are added.

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
    starts = _block_starts(words)  # topics come in blocks: a few, not every line
    encoded = kernels.dictionary_encode(taken(words, starts))
    known = np.array([topics.setdefault(word, len(topics)) for word in encoded.dictionary.to_pylist()], dtype=np.int64)
    return np.repeat(known[values_of(encoded.indices)], np.diff(starts, append=len(words)))


def _bounds(words: pa.BinaryArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Where the words of a column start in its memory, and where the last one ends, shape (n + 1,)."""
    _, offsets, _ = words.buffers()
    return np.frombuffer(offsets, np.int32)[words.offset : words.offset + len(words) + 1]


def _listed(words: pa.BinaryArray) -> list[bytes]:
    """The words of a short column, which Arrow would make one by one."""
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
        length, same = int(sizes[start]), text[int(bounds[start]) : int(bounds[end])]
        starts.append(np.flatnonzero(same[length:] != same[:-length]) // length + start + 1)
    at: IntArray = np.sort(np.concatenate(starts))  # np.unique would load the masked arrays of numpy
    distinct: IntArray = at[np.insert(at[1:] != at[:-1], 0, True)]
    return distinct


def topic_names(topics: Iterable[bytes], data: bytes, path: str) -> tuple[str, ...]:
    """The topics of a text in order of appearance. Raises `DataError`, with the line, for one that is no UTF-8."""
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
    """A text with the columns of its records alone and one space between them, and how many lines had more.

    Empty where a line is wrong: a line before it may be wrong in another way.
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
