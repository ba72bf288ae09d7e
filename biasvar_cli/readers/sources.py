"""Where input comes from: paths, directories, URLs, standard input, and data sets of ir_datasets by their ids."""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from biasvar_cli import words
from biasvar_cli.errors import BiasVarError, DataError, NotText, Unreadable, UsageError, needs_extra, reading
from biasvar_cli.readers.unpacking import PARQUET, as_csv, as_log, read_up_to, unpacked

_PREFIX = "irds:"
_NETWORK = ("requests", "urllib3", "urllib", "http", "socket", "ssl")  # packages whose errors mean a failed download
_LONGEST = 200  # characters of another program's message
STDIN = "-"
_NAMES = ".runs"
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_MODEL_SUFFIXES = (".tsv", ".csv", ".jsonl", ".json", ".txt", ".log")
_LOOKS_LIKE = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (unpack it first; save a workbook as csv)"),
    (b"\x93NUMPY", "an array of NumPy (save it as csv)"),
    (b"\x80\x04\x95", "a pickle of Python (save it as csv or JSON)"),
    (b"\x89PNG", "a PNG picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x04\x22\x4d\x18", "an LZ4 file (unpack it first)"),
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
)
_KINDS: dict[str, Callable[[int], bool]] = {
    "folder": stat.S_ISDIR,
    "pipe": stat.S_ISFIFO,
    "socket": stat.S_ISSOCK,
    "device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
}


def is_folder(path: str) -> bool:
    """Whether an input is a folder on this machine, and no URL."""
    return not is_url(path) and Path(path).is_dir()


def is_data_set(path: str) -> bool:
    """Whether an input is the id of a data set, and no path.

    >>> is_data_set("irds:vaswani"), is_data_set("qrels/vaswani.txt")
    (True, False)
    """
    return path.startswith(_PREFIX)


def _data_set_qrels(path: str) -> bytes:
    """The judgments of the data set ``irds:ID`` as a file of qrels, with its subtopics, if any, in column 2.

    Raises `UsageError` if ir_datasets is not installed, for an unknown id, and for a data set without judgments;
    `DataError` if the judgments cannot be loaded.
    """
    import logging

    if path == _PREFIX:
        raise UsageError(f"{path} has no id of a data set; give one, such as {_PREFIX}vaswani")
    disabled_level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # our error says what goes wrong, not the log of ir_datasets
    try:
        data_set, lines = _data_set(path), []
        try:
            for judgment in data_set.qrels_iter():  # few data sets have subtopics, and not all have iterations
                second = getattr(judgment, "subtopic_id", None) or getattr(judgment, "iteration", None) or "0"
                lines.append(f"{judgment.query_id} {second} {judgment.doc_id} {judgment.relevance}\n")
        except Exception as error:  # downloads fail in many ways
            raise _failed(path, error) from None
        return "".join(lines).encode()
    finally:
        logging.disable(disabled_level)


def _data_set(path: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise needs_extra(f"{path}: a data set of ir_datasets", "datasets") from None
    name = path.removeprefix(_PREFIX)
    try:
        data_set = ir_datasets.load(name)
    except KeyError:
        longer = [registered for registered in ir_datasets.registry if f"/{name}/" in f"/{registered}/"]
        near = longer[:3] or words.near_names(name, ir_datasets.registry)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{path}: ir_datasets has no data set of that id{hint}") from None
    except Exception as error:  # data sets fail in many ways
        raise _failed(path, error) from None
    if not data_set.has_qrels():
        names = [registered for registered in ir_datasets.registry if registered.startswith(f"{name}/")]
        judged = [registered for registered in names if ir_datasets.load(registered).has_qrels()]
        hint = f"; give a part of it that has, such as {words.examples(judged, 5)}" if judged else ""
        raise UsageError(f"{path}: the data set has no relevance judgments{hint}")
    return data_set


def _failed(path: str, error: Exception) -> DataError:
    """The error for a data set that cannot be loaded; the errors of ir_datasets contain the errors of all servers."""
    while error.args and isinstance(error.args[-1], list) and error.args[-1]:  # pairs of a server and its error
        last = error.args[-1][-1]
        if not (isinstance(last, tuple) and len(last) == 2 and isinstance(last[1], Exception)):
            break
        error = last[1]
    what = str(error).split("\n")[0]
    kind = type(error).__name__
    if not (isinstance(error, ConnectionError | TimeoutError) or type(error).__module__.startswith(_NETWORK)):
        return DataError(f"ir_datasets cannot load it: {kind}: {what[:_LONGEST]}", path=path)
    url = str(getattr(getattr(error, "request", None), "url", None) or "")
    why = f"{kind} at {urlsplit(url).netloc}" if url else f"{kind}: {what[:_LONGEST]}"
    remedy = "check the network, or download the judgments and give the file"
    return DataError(f"ir_datasets cannot download it ({why}); {remedy}", path=path)


@dataclass(frozen=True, order=True)
class Source:
    """One input file: ``name`` is the name of its run, ``path`` the path as the user wrote it."""

    name: str
    path: str

    @cached_property
    def identity(self) -> str:
        """The real path, which two paths of one file share; for other inputs the name itself."""
        is_elsewhere = self.path == STDIN or is_url(self.path) or is_data_set(self.path)
        return self.path if is_elsewhere else os.path.realpath(self.path)


def names_files(path: str) -> tuple[str, ...]:
    """The files beside a score matrix without a header that name its runs, one a line.

    They are called ``PATH.runs``; beside a compressed matrix, PATH may lack the suffix of compression. Broken links are
    listed too, so that reading one is an error. A URL has no such files.
    """
    if path == STDIN or is_url(path) or is_data_set(path):
        return ()
    stems = dict.fromkeys((path, _without(_SUFFIXES, path)))
    return tuple(f"{stem}{_NAMES}" for stem in stems if os.path.lexists(_located(f"{stem}{_NAMES}")))


def run_name(path: str) -> str:
    """The name of a run: the name of its file without a leading ``input.`` and without a suffix of compression.

    >>> run_name("runs/input.sab20.1.blind.gz"), run_name("CBOWexp.0"), run_name("-")
    ('sab20.1.blind', 'CBOWexp.0', 'stdin')
    """
    if path == STDIN:
        return "stdin"
    file = Path(path).name if words.ON_WINDOWS or path.endswith(("/", ".")) else path.rpartition("/")[2]
    name = _without(_SUFFIXES, file if file.isascii() else os.fsencode(file).decode("utf-8", "replace"))
    return name.removeprefix("input.") or name


def model_name(path: str) -> str:
    """The name of a query model, which pairs it with the run of the same name.

    It is the `run_name` without .tsv, .csv, .jsonl, .json, .txt or .log.

    >>> model_name("models/rm.tsv.gz"), model_name("comb-0.1"), model_name("-")
    ('rm', 'comb-0.1', 'stdin')
    """
    return _without(_MODEL_SUFFIXES, run_name(path))


def _without(suffixes: tuple[str, ...], name: str) -> str:
    """A name without the first of these suffixes that it has; a name that is only a suffix stays."""
    return name.removesuffix(next((suffix for suffix in suffixes if name.endswith(suffix) and name != suffix), ""))


def is_url(path: str) -> bool:
    """Whether a path is a URL, such as ``s3://bucket/runs``, and not a path on this machine.

    >>> is_url("s3://bucket/runs/bm25.gz"), is_url("runs/bm25.gz"), is_url("-")
    (True, False, False)
    """
    return "://" in path


_folder: ContextVar[str] = ContextVar("_folder", default="")


@contextlib.contextmanager
def relative_to(folder: str) -> Iterator[None]:
    """Meanwhile, take relative paths from this folder, such as the folder of the process that sent work to this thread.

    >>> with relative_to("/data"):
    ...     _located("runs/bm25.gz"), _located("/runs/bm25.gz")
    ('/data/runs/bm25.gz', '/runs/bm25.gz')
    """
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


def _located(path: str | Path) -> str:
    """A path, from the folder of `relative_to` if it is relative."""
    return os.path.join(_folder.get(), path)  # noqa: PTH118


def kind_of(path: str | Path) -> str:
    """The kind at a path: file, folder, pipe, socket or device.

    A path that cannot be looked up counts as a file; reading it then raises the error.
    """
    try:
        mode = os.stat(_located(path)).st_mode  # noqa: PTH116
    except OSError:
        return "file"
    return next((name for name, is_of_kind in _KINDS.items() if is_of_kind(mode)), "file")


def is_marked_hidden(path: Path) -> bool:
    """Whether a file has Windows' attribute for hidden files, such as desktop.ini; False on other systems."""
    if not words.ON_WINDOWS:
        return False
    try:
        return bool(getattr(path.stat(), "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_HIDDEN)
    except OSError:
        return False


@contextlib.contextmanager
def remote(url: str) -> Iterator[tuple[Any, str]]:
    """The file system of a URL, and the path in it. Raises `DataError` for any error of the file system."""
    try:
        import fsspec
    except ImportError:
        raise needs_extra(f"{url}: a URL", "dask") from None
    try:
        yield fsspec.core.url_to_fs(url)
    except (BiasVarError, MemoryError):
        raise
    except Exception as error:  # file systems fail in many ways
        raise DataError(f"cannot be read: {type(error).__name__}: {error}", path=url) from None


def read_bytes(path: str, *, max_size: int | None = None) -> bytes:
    """The content of a file, a URL, standard input or a data set, decompressed (see `unpacking.unpacked`), without BOM.

    A Parquet file is read as csv (`unpacking.as_csv`), a log of inspect_ai as JSON (`unpacking.as_log`).

    Raises `DataError` for a file that cannot be read, is cut off or damaged, is not text, does not fit into memory, or
    has more than ``max_size`` bytes when unpacked. None stands for 2 GiB, and for a limit of the ratio of compression.
    """
    with reading(path):
        data = unpacked(_raw(path, max_size), path, max_size).removeprefix(b"\xef\xbb\xbf")
        if data.startswith(PARQUET):
            data = as_csv(data, path, max_size)
        elif data.startswith(b"PK\x03\x04"):
            data = as_log(data, path, max_size)
    for magic, meaning in _LOOKS_LIKE:
        if data.startswith(magic):
            raise NotText(f"not a text file, but {meaning}", path=path)
    if data[257:262] == b"ustar":
        raise NotText("not a text file, but a tar archive (unpack it first)", path=path)
    if b"\x00" in data:
        raise NotText(f"not a text file: NUL byte at offset {data.index(0)}", path=path)
    return data


def _raw(path: str, max_size: int | None) -> bytes:
    """The bytes of a file, not decompressed."""
    if is_data_set(path):
        return _data_set_qrels(path)
    if is_url(path):
        with remote(path) as (system, location), system.open(location, "rb") as file:
            return read_up_to(file, path, max_size)
    if path == STDIN:
        try:
            stream = sys.stdin.buffer
            return read_up_to(getattr(stream, "raw", stream), STDIN, max_size)
        except (AttributeError, OSError) as error:  # without standard input, sys.stdin is None
            is_open = isinstance(error, OSError) and error.errno != errno.EBADF
            reason = error.strerror if isinstance(error, OSError) and is_open else "standard input is closed"
            raise DataError(f"cannot be read: {reason}", path=path) from None
    try:
        kind = kind_of(path)
        if kind in ("device", "socket"):
            raise DataError(f"is a {kind}, not a file; name a file, or - for standard input", path=path)
        opener = _open_at_once if kind == "file" else None
        with open(_located(path), "rb", buffering=0, opener=opener) as file:
            return read_up_to(file, path, max_size, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}", path=path) from None


def _open_at_once(path: str, flags: int) -> int:
    """Open a file so that reading never waits: /proc/kmsg looks like a file, but waits for news of the kernel."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
