"""Where input comes from: paths, directories, standard input; decompression; what a file is, by its content."""

from __future__ import annotations

import bz2
import contextlib
import csv
import fnmatch
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from biasvar_cli.errors import DataError, UsageError

Kind = Literal["run", "qrels", "evaluation", "table", "json"]

STDIN = "-"
QUERY_NAMES = ("query", "query_id", "qid", "topic")  # what tables of scores call the columns of queries and of scores
SCORE_NAMES = ("score", "value")
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
        raise DataError("the directory holds no visible file (subdirectories are not searched)", path=folder)
    wanted = [name for name in names if glob is None or fnmatch.fnmatchcase(name, glob)]
    if not wanted:
        raise DataError(f"no file in the directory matches --glob {glob!r}; it holds {names[0]}", path=folder)
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
    """The file system of a URL and the place in it; what goes wrong there is a `DataError`."""
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


def record_lines(data: bytes, most: int = 20) -> list[bytes]:
    """The first lines that hold anything and do not start with ``#``, stripped of white space at their ends.

    >>> record_lines(b"# made by hand\\n\\n301 Q0 a 1 2 bm25 \\n")
    [b'301 Q0 a 1 2 bm25']
    """
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


def unrecognised(data: bytes) -> str:
    """What to say of a text that is none of the kinds.

    >>> unrecognised(b""), unrecognised(b"# nothing")
    ('the file is empty', 'the file holds nothing but comments')
    """
    if not data.strip():
        return "the file is empty"
    if not record_lines(data, 1):
        return "the file holds nothing but comments"
    return "neither a TREC run nor a file of scores"


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
    if _tab_table(lines):
        return "table"
    if any(len(words) >= 6 and _NUMBER.fullmatch(words[4]) and _no_commas(words[:2]) for words in columns):
        return "run"
    if all(len(words) == 4 and _INTEGER.fullmatch(words[3]) and _no_commas(words[:2]) for words in columns):
        return "qrels"
    if all(map(_evaluation_row, lines)):
        return "evaluation"
    if _comma_table(lines):
        return "table"
    width = len(columns[0])
    if width == 3 and any(map(_evaluation_row, lines)):
        return "evaluation"
    if width == 2 and _is_name(columns[0][0]) and _is_fraction(columns[0][1]):  # averages alone, as the parser says
        return "evaluation"
    if width == 4:
        return "qrels" if any(len(words) == 4 and _INTEGER.fullmatch(words[3]) for words in columns) else None
    return "run" if 2 * sum(map(_resembles_run, columns)) > len(columns) else None


def _resembles_run(words: list[bytes]) -> bool:
    """Whether a line that is no record of a run is likely meant as one."""
    return len(words) > 4 and (words[1] == b"Q0" or any(map(_NUMBER.fullmatch, words[3:5])))


def _comma_table(lines: list[bytes]) -> bool:
    """Whether the first lines are csv: two cells or more in the header and in the row below, if it ends there."""
    goes_on = lines[0].count(b'"') % 2
    if not all(len(_comma_cells(line)) > 1 for line in lines[: 1 if goes_on else 2]):
        return False
    if len(lines) == 1:
        return b", " not in lines[0]
    cells = (cell.strip().encode() for line in lines[1:] for cell in _comma_cells(line))
    return bool(goes_on) or any(map(_NUMBER.fullmatch, cells))  # prose has commas too, but no numbers of its own


def _comma_cells(line: bytes) -> list[str]:
    text = line.decode("utf-8", "replace")
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return text.split(",")


def _tab_table(lines: list[bytes]) -> bool:
    """Whether the first lines are tsv with a header: tabs alone, names above, numbers below from column 2 on.

    The names may be whole numbers, which then differ from each other, beside another name in column 1. What is below
    names of a query and a score may be anything.
    """
    if len(lines) < 2:
        return False
    header, row = ([cell.strip().strip(b'"') for cell in line.split(b"\t")] for line in lines[:2])
    if len(row) == len(header) + 1:
        header = [b"", *header]
    if len(header) < 2 or len(header) != len(row):
        return False
    if _names_scores(header):
        return True
    if _text_row(header) or _goes_on(header, row):
        return False
    if _is_name(header[-1]) and not _is_name(row[-1]):
        return True
    if any(_is_name(cell) and cell.upper() not in (b"", b"NA") for cell in row[1:]):
        return False
    if all(map(_is_name, header[1:])):
        return not all(map(_is_name, row[1:]))
    whole = all(map(_INTEGER.fullmatch, header[1:])) and len(set(header[1:])) == len(header) - 1
    qrels_like = len(row) == 4 and all(map(_INTEGER.fullmatch, row[1:]))
    return whole and _is_name(header[0]) and len(row) > 2 and not qrels_like


def _names_scores(header: list[bytes]) -> bool:
    """Whether names of a header say that a row is the score of a query."""
    names = {cell.decode("utf-8", "replace").lower() for cell in header}
    return not (names.isdisjoint(QUERY_NAMES) or names.isdisjoint(SCORE_NAMES))


def _goes_on(above: list[bytes], below: list[bytes]) -> bool:
    """Whether a line shares an id with the line above it, as in runs, qrels and evaluations and under no header."""
    return above[0] == below[0] or (above[1] == below[1] and (len(below) == 3 or _is_name(below[1])))


def _is_name(cell: bytes) -> bool:
    return _NUMBER.fullmatch(cell) is None


def _is_fraction(cell: bytes) -> bool:
    return not _is_name(cell) and cell.find(b".") not in (-1, len(cell) - 1)


def _no_commas(words: list[bytes]) -> bool:
    return not any(b"," in word for word in words)


def _evaluation_row(line: bytes) -> bool:
    """Whether a line has three columns, the last a number, as trec_eval and ir_measures print, or is a row of text.

    Without tabs the number must be a fraction, since prose may end in a year.
    """
    cells = [cell.strip() for cell in line.split(b"\t")]
    tabs = len(cells) == 3
    words = cells if tabs else line.split()
    if len(words) != 3 or not (tabs or _no_commas(words)):
        return False
    return _text_row(words) or (not _is_name(words[2]) if tabs else _is_fraction(words[2]))


def _text_row(words: list[bytes]) -> bool:
    return words[0] == b"relstring" or words[:2] == [b"runid", b"all"]
