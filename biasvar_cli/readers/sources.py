"""Where input comes from: paths, directories, URLs, standard input."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasvar_cli.errors import BiasVarError, DataError, NotText, needs_extra, reading
from biasvar_cli.readers.data_sets import data_set_qrels, is_data_set
from biasvar_cli.readers.unpacking import read_up_to, unpacked

STDIN = "-"
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_LOOKS_LIKE = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (unpack it first)"),
    (b"\x89PNG", "a PNG picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet file (save it as csv)"),
    (b"\x04\x22\x4d\x18", "an LZ4 file (unpack it first)"),
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
)


@dataclass(frozen=True, order=True)
class Source:
    """One input file: ``name`` is what its run is called by the file, ``path`` the file as the user named it."""

    name: str
    path: str

    @property
    def identity(self) -> str:
        """The same for two names of one file."""
        is_elsewhere = self.path == STDIN or is_url(self.path) or is_data_set(self.path)
        return self.path if is_elsewhere else os.path.realpath(self.path)


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


def is_url(path: str) -> bool:
    """Whether a path is a URL, such as ``s3://bucket/runs``, and not a file of this machine.

    >>> is_url("s3://bucket/runs/bm25.gz"), is_url("runs/bm25.gz"), is_url("-")
    (True, False, False)
    """
    return "://" in path


def kind_of(path: str | Path) -> str:
    """What is there: a file, a folder, a pipe, a socket, a device. What cannot be looked at says so when it is read."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return "file"
    return next((name for name, is_that in _KINDS.items() if is_that(mode)), "file")


_KINDS: dict[str, Callable[[int], bool]] = {
    "folder": stat.S_ISDIR,
    "pipe": stat.S_ISFIFO,
    "socket": stat.S_ISSOCK,
    "device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
}


@contextlib.contextmanager
def remote(url: str) -> Iterator[tuple[Any, str]]:
    """The file system of a URL and the place in it. Raises `DataError` for what goes wrong there."""
    try:
        import fsspec
    except ImportError:
        raise needs_extra(f"{url}: a URL", "dask") from None
    try:
        yield fsspec.core.url_to_fs(url)
    except (BiasVarError, MemoryError):
        raise
    except Exception as error:  # every kind of store fails in its own way
        raise DataError(f"cannot be read: {type(error).__name__}: {error}", path=url) from None


def read_bytes(path: str, *, max_size: int | None = None) -> bytes:
    """The content of a file, a URL, standard input or a data set, decompressed by content (gzip, ...), without a BOM.

    Raises `DataError` for a file that cannot be read, is cut off, damaged, no text, too large for the memory, or larger
    than ``max_size`` bytes once it is unpacked; None stands for 2 GiB, and refuses what unpacks to a multiple of its
    size that no run does (`unpacking.unpacked`).
    """
    with reading(path):
        data = unpacked(_raw(path, max_size), path, max_size).removeprefix(b"\xef\xbb\xbf")
    for magic, meaning in _LOOKS_LIKE:
        if data.startswith(magic):
            raise NotText(f"not a text file, but {meaning}", path=path)
    if data[257:262] == b"ustar":
        raise NotText("not a text file, but a tar archive (unpack it first)", path=path)
    if b"\x00" in data:
        raise NotText(f"not a text file: NUL byte at offset {data.index(0)}", path=path)
    return data


def _raw(path: str, max_size: int | None) -> bytes:
    """The bytes of a file as they are there."""
    if is_data_set(path):
        return data_set_qrels(path)
    if is_url(path):
        with remote(path) as (system, place), system.open(place, "rb") as file:
            return read_up_to(file, path, max_size)
    try:
        if path == STDIN:
            return _standard_input(max_size)
        kind = kind_of(path)
        if kind in ("device", "socket"):
            raise DataError(f"is a {kind} and no file; name a file, or - for standard input", path=path)
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return read_up_to(file, path, max_size, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None


def _standard_input(max_size: int | None) -> bytes:
    try:
        file = sys.stdin.buffer
        return read_up_to(getattr(file, "raw", file), STDIN, max_size)
    except (AttributeError, OSError) as error:  # a program without the stream has None in its place
        if isinstance(error, OSError) and error.errno != errno.EBADF:
            raise
        raise DataError("cannot be read: standard input is closed", path=STDIN) from None
