"""The unpacked content of a file, up to a limit of size: a few bytes can unpack to more than any memory holds.

A Parquet file is read as the csv of its table. The first line of the csv is the header, so that a message about row 1
says line 2.
"""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

try:
    from isal import isal_zlib as inflating  # the extra gzip: the same bytes in half the time
except ImportError:
    inflating = zlib

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.specs.limits import LIMITS
from biasvar_cli.words import argument, either

MOST = 2 << 30  # bytes of an unpacked file, unless max_size sets another limit
_SMALL, _RATIO = 64 << 20, 500  # compression makes real runs 4 to 10 times smaller, the most regular ones 150 times
_PIECE = 1 << 20
_UNITS = "KMGT"
_SIZE = re.compile(rf"(\d{{1,18}}(?:\.\d{{1,18}})?)\s*(?:([{_UNITS}])(?:iB|B)?|B)?", re.ASCII | re.IGNORECASE)
_CONTENT = re.compile(rb"[^\0]")
PARQUET = b"PAR1"  # the first bytes of a Parquet file
_ROWS = 4096  # written as csv at once
_NAMELESS = "__index_level_0__"  # what pandas calls an index without a name
_CUT_OFF = (EOFError, OSError, ValueError, zlib.error, inflating.error, lzma.LZMAError)


def parse_size(text: str) -> int:
    """A number of bytes from text such as 500M, where K, M, G and T are powers of 1024. Raises `UsageError`.

    >>> parse_size("4G"), parse_size("1.5 MiB"), parse_size("1000")
    (4294967296, 1572864, 1000)
    >>> parse_size("0")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: '0' is not a size from 1 to 1024T; write it as 500M or 4G
    """
    match = _SIZE.fullmatch(text.strip())
    size = float(match[1]) * 1024 ** (1 + _UNITS.index(match[2].upper()) if match[2] else 0) if match else 0
    if size not in LIMITS["max_size"]:
        most = size_text(int(LIMITS["max_size"].most))
        raise UsageError(f"{text[:60]!r} is not a size from 1 to {most}; write it as 500M or 4G")
    return int(size)


def size_text(size: int) -> str:
    """A number of bytes as text that `parse_size` reads, in the largest unit of which it is a whole number.

    >>> size_text(2 << 30), size_text(1536), size_text(1000)
    ('2G', '1536', '1000')
    """
    power = next((power for power in (4, 3, 2, 1) if size and size % 1024**power == 0), 0)
    return f"{size // 1024**power}{' KMGT'[power].strip()}"


def read_up_to(file: BinaryIO, path: str, max_size: int | None, expected: int = 0) -> bytes:
    """The rest of an open file, of which ``expected`` bytes are read at once.

    Raises `DataError` for more than ``max_size`` bytes (None: 2 GiB), also of an endless pipe or a file that grows.
    """
    most = max_size or MOST

    def pieces() -> Iterator[bytes]:
        length = min(expected, most) + 1
        while piece := file.read(length):
            yield piece
            length = _PIECE
        if piece is None:
            raise DataError("cannot be read: it has no data at the moment", path=path)

    content = _joined(pieces(), most)
    if len(content) > most:
        raise _too_large(path, most)
    return content


def unpacked(data: bytes, path: str, max_size: int | None = None) -> bytes:
    """The content of a file, decompressed if its first bytes are those of gzip, bzip2, xz or zstd (all members).

    Raises `DataError` for a file that is cut off or damaged, and for more than ``max_size`` bytes. None stands for
    2 GiB; then content of more than 64 MiB may also be at most 500 times the size of the file.

    >>> import gzip
    >>> unpacked(gzip.compress(b"301 Q0 a 1 2 bm25"), "bm25.gz")
    b'301 Q0 a 1 2 bm25'
    >>> unpacked(gzip.compress(b"301 Q0 a 1 2 bm25"), "bm25.gz", max_size=16)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: bm25.gz: holds more than 16 bytes; for more give max_size, such as max_size=32
    """
    unpack = next((unpack for magic, unpack in _FORMATS if data.startswith(magic)), None)
    if unpack is None:
        return data
    most = max_size or min(MOST, max(_SMALL, _RATIO * len(data)))
    try:
        content = _joined(unpack(data, most), most)
    except _CUT_OFF as error:
        raise DataError(f"the compressed file is cut off or damaged ({error})", path=path) from None
    if len(content) > most:
        if max_size or most == MOST:
            raise _too_large(path, most)
        what = f"unpacks to more than {_RATIO} times its own size and more than {_SMALL >> 20} MiB"
        size = either(f"--max-size {size_text(MOST)}", f"max_size={MOST}")
        raise DataError(f"{what}; if that is right, allow it with {size}", path=path)
    return content


def _too_large(path: str, most: int) -> DataError:
    size = f"{most / 1024**3:.4g} GiB" if most >= 1 << 30 else f"{most} bytes"
    example = either(f"--max-size {size_text(2 * most)}", f"max_size={2 * most}")
    return DataError(f"holds more than {size}; for more give {argument('max_size')}, such as {example}", path=path)


def _joined(pieces: Iterator[bytes], most: int) -> bytes:
    """The pieces as one, as far as the first piece that exceeds ``most`` bytes; a single piece is not copied."""
    whole = io.BytesIO(next(pieces, b""))
    size = whole.seek(0, io.SEEK_END)
    while size <= most and (piece := next(pieces, None)) is not None:
        size += whole.write(piece)
    return whole.getvalue()


def _members(data: bytes, most: int, new: Callable[[], Any]) -> Iterator[bytes]:
    """The content of all compressed streams of a file, in pieces, until there are more than ``most`` bytes.

    Python's functions silently drop data after a damaged second stream, and copy the rest of the file for each stream.
    """
    size, start, stream = 0, 0, new()
    while start < len(data) and size <= most:
        if stream.eof:
            stream = new()
        packed = memoryview(data)[start : start + _PIECE]
        piece = stream.decompress(packed, most + 1 - size)
        yield piece
        size, start = size + len(piece), start + len(packed)
        if stream.eof:
            rest = _CONTENT.search(data, start - len(stream.unused_data))  # after padding of zeros
            start = rest.start() if rest else len(data)
    if size <= most and not stream.eof:
        raise EOFError("it ends too early")


def _zstd(data: bytes, most: int) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        while piece := stream.read(min(_PIECE, most + 1)):
            yield piece


_FORMATS: tuple[tuple[bytes, Callable[[bytes, int], Iterator[bytes]]], ...] = (
    (b"\x1f\x8b", partial(_members, new=lambda: inflating.decompressobj(wbits=zlib.MAX_WBITS | 16))),
    (b"BZh", partial(_members, new=bz2.BZ2Decompressor)),
    (b"\xfd7zXZ\x00", partial(_members, new=lzma.LZMADecompressor)),
    (b"\x28\xb5\x2f\xfd", _zstd),
)


def as_log(data: bytes, path: str, max_size: int | None = None) -> bytes:
    """The JSON of inspect_ai's log in a ZIP archive, FILE.eval; any other archive is returned as it is.

    The JSON is ``header.json``, or ``_journal/start.json`` of an evaluation that did not end, with the samples in
    ``samples/``, one a line. Raises `DataError` for a log that is cut off or damaged, and for more than ``max_size``
    bytes (None: as `unpacked`).
    """
    import zipfile

    most = max_size or min(MOST, max(_SMALL, _RATIO * len(data)))
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = {entry.filename: entry for entry in archive.infolist()}
        headers = [entries[name] for name in ("header.json", "_journal/start.json") if name in entries]
        if not headers:
            return data
        samples = [entry for name, entry in entries.items() if name.startswith("samples/") and name.endswith(".json")]
        if sum(entry.file_size for entry in (headers[0], *samples)) > most:
            raise _too_large(path, most)
        header = archive.read(headers[0]).strip()
        texts = [archive.read(entry).strip().replace(b"\n", b" ") for entry in samples]  # read checks size and CRC
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, *_CUT_OFF) as error:
        if not path.endswith(".eval"):
            return data
        remedy = "inspect log dump FILE prints a log as JSON"
        raise DataError(f"the log is cut off or damaged ({error}); {remedy}", path=path) from None
    status = b"" if headers[0].filename == "header.json" else b'"status": "started", '
    return b"{" + status + b'"samples": [\n' + b",\n".join(texts) + b"\n],\n" + header.removeprefix(b"{")


def as_csv(data: bytes, path: str, max_size: int | None = None) -> bytes:
    """The csv of a Parquet file, with an index of pandas first; a list or an object in a cell becomes JSON.

    A file with a column of objects of metrics, as lighteval writes it, becomes JSON lines. Raises `DataError` for a
    file that is cut off or damaged, for a type that csv cannot write, and for more than ``max_size`` bytes (None:
    2 GiB).

    >>> import pyarrow as pa, pyarrow.parquet
    >>> out = io.BytesIO()
    >>> pyarrow.parquet.write_table(pa.table({"topic": [301, 302], "bm25": [0.25, None]}), out)
    >>> as_csv(out.getvalue(), "ap.parquet").decode().splitlines()
    ['topic,bm25', '301,0.25', '302,']
    """
    import csv

    import pyarrow as pa
    from pyarrow import parquet

    most = max_size or MOST
    try:
        file = parquet.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        schema = file.schema_arrow
        objects = [name for name in schema.names if pa.types.is_struct(schema.field(name).type)]
        if not _METRICS.isdisjoint(objects):
            return _json_lines(file, path, most)
        index = _index_columns(schema.metadata or {})
        order = sorted(range(len(schema.names)), key=lambda column: schema.names[column] not in index)
        names = ["" if schema.names[column] == _NAMELESS else schema.names[column] for column in order]
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(names)
        out = io.BytesIO(header.getvalue().encode())
        size = out.seek(0, io.SEEK_END)
        for batch in file.iter_batches(batch_size=_ROWS, use_threads=False):
            size += out.write(_csv_lines([batch.column(column) for column in order]))
            if size > most:
                raise _too_large(path, most)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        what = str(error).split("\n")[0][:200]
        raise DataError(f"the Parquet file is cut off or damaged ({what}); write it again", path=path) from None
    return out.getvalue()


_METRICS = frozenset({"metric", "metrics", "__metric__"})
_RESPONSES = ("model_response", "__model_response__", "predictions")  # long columns without scores


def _json_lines(file: Any, path: str, most: int) -> bytes:
    """The rows of an open Parquet file as JSON lines, without responses of models."""
    import json

    out, size = io.BytesIO(), 0
    columns = [name for name in file.schema_arrow.names if name not in _RESPONSES]
    for batch in file.iter_batches(batch_size=_ROWS, columns=columns, use_threads=False):
        for record in batch.to_pylist():
            size += out.write(json.dumps(record, default=str).encode() + b"\n")
            if size > most:
                raise _too_large(path, most)
    return out.getvalue()


def _index_columns(metadata: Mapping[bytes, bytes]) -> Sequence[object]:
    """The names of the columns that are an index of pandas. Raises ValueError for metadata that pandas does not write.

    >>> _index_columns({b"pandas": b'{"index_columns": ["topic"]}'}), _index_columns({})
    (['topic'], [])
    """
    import json

    description = json.loads(metadata.get(b"pandas", b"{}"))
    index = description.get("index_columns", []) if isinstance(description, dict) else None
    if not isinstance(index, list):
        raise ValueError("the metadata of pandas have no list of index_columns")
    return index


def _csv_lines(columns: Sequence[Any]) -> bytes:
    """The lines of csv for some columns; if any text needs quotes, all texts get them."""

    import json

    import pyarrow as pa
    import pyarrow.csv

    plain = [
        pa.array([None if cell is None else json.dumps(cell, default=str) for cell in column.to_pylist()])
        if pa.types.is_nested(column.type)  # csv has no text for it
        else column
        for column in columns
    ]
    table, out = pa.table(plain, names=list(map(str, range(len(plain))))), io.BytesIO()
    try:
        pyarrow.csv.write_csv(table, out, pyarrow.csv.WriteOptions(include_header=False, quoting_style="none"))
    except pa.ArrowInvalid:
        out = io.BytesIO()
        pyarrow.csv.write_csv(table, out, pyarrow.csv.WriteOptions(include_header=False, quoting_style="needed"))
    return out.getvalue()
