"""Where input comes from: paths, directories, URLs, standard input; decompression."""

from __future__ import annotations

import bz2
import contextlib
import fnmatch
import gzip
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasvar_cli.errors import DataError, UsageError

STDIN = "-"
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
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
        return self.path if self.path == STDIN or is_url(self.path) else os.path.realpath(self.path)


def run_name(path: str) -> str:
    """The name of a run by its file: without folder, leading ``input.`` and compression suffix, nothing else.

    >>> run_name("runs/input.sab20.1.blind.gz"), run_name("CBOWexp.0"), run_name("-")
    ('sab20.1.blind', 'CBOWexp.0', 'stdin')
    """
    if path == STDIN:
        return "stdin"
    name = os.fsencode(Path(path).name).decode("utf-8", "replace")
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
        paths = _listing(name, glob) if _is_directory(name) else [name]
        for path in paths:
            source = Source(run_name(path), path)
            known = found.get(source.identity)
            found[source.identity] = source if known is None else min(known, source)
    return sorted(found.values())


def is_url(path: str) -> bool:
    """Whether a path is a URL, such as ``s3://bucket/runs``, and not a file of this machine.

    >>> is_url("s3://bucket/runs/bm25.gz"), is_url("runs/bm25.gz"), is_url("-")
    (True, False, False)
    """
    return "://" in path


def _is_directory(path: str) -> bool:
    if path == STDIN:
        return False
    if is_url(path):
        with _remote(path) as (system, place):
            return bool(system.isdir(place))
    return Path(path).is_dir()


def _listing(folder: str, glob: str | None) -> list[str]:
    """The visible files of a directory, by name, narrowed by ``glob``."""
    names = sorted(name for name in _files_in(folder) if not name.startswith("."))
    if not names:
        raise DataError("the directory has no visible file (subdirectories are not searched)", path=folder)
    wanted = [name for name in names if glob is None or fnmatch.fnmatchcase(name, glob)]
    if not wanted:
        raise DataError(f"no file in the directory matches --glob {glob!r}; it has {names[0]}", path=folder)
    return [f"{folder.rstrip('/')}/{name}" if is_url(folder) else str(Path(folder) / name) for name in wanted]


def _files_in(folder: str) -> list[str]:
    if is_url(folder):
        with _remote(folder) as (system, place):
            return [Path(entry["name"]).name for entry in system.ls(place, detail=True) if entry["type"] == "file"]
    try:
        return [entry.name for entry in Path(folder).iterdir() if not entry.is_dir()]
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=folder) from None


@contextlib.contextmanager
def _remote(url: str) -> Iterator[tuple[Any, str]]:
    """The file system of a URL and the place in it. Raises `DataError` for what goes wrong there."""
    try:
        import fsspec
    except ImportError:
        raise UsageError(f"{url}: URLs need another package: pip install 'biasvar-cli[dask]'") from None
    try:
        yield fsspec.core.url_to_fs(url)
    except Exception as error:  # every kind of store fails in its own way
        raise DataError(f"cannot be read: {type(error).__name__}: {error}", path=url) from None


def read_bytes(path: str) -> bytes:
    """The content of a file, a URL or standard input, decompressed by content (gzip, bzip2, xz, zstd), without a BOM.

    Raises `DataError` for a file that cannot be read, is cut off, damaged, or no text.
    """
    data = _decompressed(_raw(path), path).removeprefix(b"\xef\xbb\xbf")
    for magic, meaning in _LOOKS_LIKE:
        if data.startswith(magic):
            raise DataError(f"not a text file, but {meaning}", path=path)
    if data[257:262] == b"ustar":
        raise DataError("not a text file, but a tar archive (unpack it first)", path=path)
    if b"\x00" in data:
        raise DataError(f"not a text file: NUL byte at offset {data.index(0)}", path=path)
    return data


def _raw(path: str) -> bytes:
    if is_url(path):
        with _remote(path) as (system, place):
            content: bytes = system.cat_file(place)
            return content
    try:
        return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None


def _decompressed(data: bytes, path: str) -> bytes:
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        if data.startswith(b"BZh"):
            return _members(data, bz2.BZ2Decompressor)
        if data.startswith(b"\xfd7zXZ\x00"):
            return _members(data, lzma.LZMADecompressor)
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            return _zstd(data)
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"the compressed file is cut off or damaged ({error})", path=path) from None
    return data


def _members(data: bytes, new: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]) -> bytes:
    """Every compressed stream of a file; Python's own functions drop what follows a damaged second one."""
    parts = []
    while data:
        stream = new()
        parts.append(stream.decompress(data))
        if not stream.eof:
            raise EOFError("it ends too early")
        data = stream.unused_data.lstrip(b"\0")
    return b"".join(parts)


def _zstd(data: bytes) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        content: bytes = stream.read()
    return content
