"""Where input comes from: paths, directories, standard input; decompression; what a file is, by its content."""

from __future__ import annotations

import bz2
import csv
import fnmatch
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from biasvar_cli.errors import DataError

Kind = Literal["run", "qrels", "evaluation", "table", "json"]

STDIN = "-"
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_LOOKS_LIKE = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (unpack it first)"),
    (b"\x89PNG", "a PNG picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
)


@dataclass(frozen=True, order=True)
class Source:
    """One input file: ``name`` is the run's name by its file, ``path`` the file as the user named it."""

    name: str
    path: str

    @property
    def identity(self) -> str:
        """The same for two names of one file."""
        return self.path if self.path == STDIN else os.path.realpath(self.path)


def run_name(path: str) -> str:
    """The name of a run by its file: without folder, leading ``input.`` and compression suffix, nothing else.

    >>> run_name("runs/input.sab20.1.blind.gz"), run_name("CBOWexp.0"), run_name("-")
    ('sab20.1.blind', 'CBOWexp.0', 'stdin')
    """
    if path == STDIN:
        return "stdin"
    name = Path(path).name
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            name = name.removesuffix(suffix)
            break
    return name.removeprefix("input.") or name


def expand(inputs: Sequence[str], *, glob: str | None = None) -> list[Source]:
    """The files that INPUTS name, in order of name and path; a directory stands for its visible files.

    A file named twice, whatever the spelling, counts once. Raises `DataError` for a directory without a file.
    """
    found: dict[str, Source] = {}
    for name in inputs:
        paths = [name] if name == STDIN or not Path(name).is_dir() else _listing(name, glob)
        for path in paths:
            source = Source(run_name(path), path)
            known = found.get(source.identity)
            found[source.identity] = source if known is None else min(known, source)
    return sorted(found.values())


def _listing(folder: str, glob: str | None) -> list[str]:
    try:
        names = sorted(
            entry.name for entry in Path(folder).iterdir() if not entry.name.startswith(".") and not entry.is_dir()
        )
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=folder) from None
    if not names:
        raise DataError("the directory holds no file (subdirectories are not searched)", path=folder)
    wanted = [name for name in names if glob is None or fnmatch.fnmatchcase(name, glob)]
    if not wanted:
        raise DataError(f"no file in the directory matches --glob {glob!r}; it holds {names[0]}", path=folder)
    return [str(Path(folder) / name) for name in wanted]


def read_bytes(path: str) -> bytes:
    """The content of a file or of standard input, decompressed by content (gzip, bzip2, xz, zstd), without a BOM.

    Raises `DataError` for a file that cannot be read, is cut off, damaged, or no text.
    """
    try:
        data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    data = _decompressed(data, path).removeprefix(b"\xef\xbb\xbf")
    for magic, meaning in _LOOKS_LIKE:
        if data.startswith(magic):
            raise DataError(f"not a text file, but {meaning}", path=path)
    if data[257:262] == b"ustar":
        raise DataError("not a text file, but a tar archive (unpack it first)", path=path)
    if b"\x00" in data:
        raise DataError(f"not a text file: NUL byte at offset {data.index(0)}", path=path)
    return data


def _decompressed(data: bytes, path: str) -> bytes:
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        if data.startswith(b"BZh"):
            return bz2.decompress(data)
        if data.startswith(b"\xfd7zXZ\x00"):
            return lzma.decompress(data)
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            return _zstd(data)
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"the compressed file is cut off or damaged ({error})", path=path) from None
    return data


def _zstd(data: bytes) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        content: bytes = stream.read()
    return content


def record_lines(data: bytes, most: int = 20) -> list[bytes]:
    """The first lines that hold anything and do not start with ``#``, stripped of white space at their ends."""
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


def recognise(data: bytes) -> Kind | None:
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
    lines = record_lines(data)
    if not lines:
        return None
    if lines[0].startswith((b"{", b"[")):
        return "json"
    columns = [line.split() for line in lines]
    if any(len(words) >= 6 and _NUMBER.fullmatch(words[4]) for words in columns) and not _tab_table(lines):
        return "run"
    if _comma_table(lines) or _tab_table(lines):
        return "table"
    width = len(columns[0])
    if width == 3:
        return "evaluation"
    if width == 4:
        return "qrels" if any(len(words) == 4 and _INTEGER.fullmatch(words[3]) for words in columns) else None
    return "run" if width >= 5 and any(_NUMBER.fullmatch(words[-2]) for words in columns if len(words) > 4) else None


def _comma_table(lines: list[bytes]) -> bool:
    """Whether the first lines are csv: all of them hold the same number of commas outside quotes, at least one."""
    rows = list(csv.reader(line.decode("utf-8", "replace") for line in lines))
    return len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows[:2])


def _tab_table(lines: list[bytes]) -> bool:
    """Whether the first lines are tsv with a header: tabs alone, names above, numbers below from column 2 on."""
    rows = [[cell.strip().strip(b'"') for cell in line.split(b"\t")] for line in lines[:2]]
    if len(rows) < 2 or len(rows[0]) < 2 or len(rows[0]) != len(rows[1]):
        return False
    names = [_NUMBER.fullmatch(cell) is None for cell in rows[0]]
    numbers = [_NUMBER.fullmatch(cell) is not None for cell in rows[1]]
    if names[-1] and numbers[-1]:
        return not _evaluation_row(rows[0])
    return len(rows[0]) > 3 and names[0] and all(numbers[1:]) and rows[0][0] != rows[1][0]


def _evaluation_row(row: list[bytes]) -> bool:
    return len(row) == 3 and row[0] in (b"runid", b"relstring")
