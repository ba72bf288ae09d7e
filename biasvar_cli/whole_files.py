"""Files that are written whole, with their former permissions, or not at all.

A file is written beside its place under another name, which it then gets in one step. An interrupt that ends the
program at once has to remove what is `unfinished` (`console.streams`).
"""

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from biasvar_cli import words
from biasvar_cli.errors import BiasVarError

unfinished: set[str] = set()  # files that must not be left behind by an interrupt

_ABANDONED = 3600  # seconds after which an unfinished file is nobody's any more
_PATIENCE = 1.0  # seconds
_NO_NAME_ON_WINDOWS = re.compile(
    r"(?P<device>(con|prn|aux|nul|com\d|lpt\d)\s*\..*)|.*(?P<sign>[<>:\"|?*]).*", re.IGNORECASE
)


def require_writable(path: str) -> None:
    """Raises `BiasVarError` where a file cannot be written, before anything is computed for it."""
    with _errors_of_writing(path):
        _target(path)


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it is either wholly there or as it was; a pipe or device is written to as it is.

    A file that is replaced keeps its permissions and its group. What an earlier writer of the same file left when it
    was killed, an hour ago or more, is removed. Raises `BiasVarError` if it cannot be written.
    """
    with _errors_of_writing(path):
        target, former = _target(path)
        if former is not None and not stat.S_ISREG(former.st_mode):
            Path(path).write_bytes(data)
            return
        prefix = _prefix(target)
        with contextlib.suppress(OSError):  # of a folder that may be written and not read
            _remove_left_behind(target.parent, prefix)
        name = str(target.with_name(f"{prefix}{os.getpid()}-{time.monotonic_ns()}"))
        unfinished.add(name)
        try:
            with open(name, "xb", opener=_private if former is not None else None) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if former is not None:
                if hasattr(os, "chown"):
                    with contextlib.suppress(OSError):
                        os.chown(name, -1, former.st_gid)
                Path(name).chmod(stat.S_IMODE(former.st_mode))
            _rename(name, target)
        finally:
            Path(name).unlink(missing_ok=True)
            unfinished.discard(name)


@contextlib.contextmanager
def _errors_of_writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BiasVarError(f"{path}: cannot be written: {error.strerror or error}") from None


def _target(path: str) -> tuple[Path, os.stat_result | None]:
    """The file that a name leads to, and what is there already. Raises OSError where nothing can be written there."""
    try:
        former = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        former = None
    target, error = Path(os.path.realpath(path)), 0
    if words.ON_WINDOWS and (fault := fault_on_windows(Path(path).name)):
        raise OSError(errno.EINVAL, fault)
    if former is not None and stat.S_ISDIR(former.st_mode):
        error = errno.EISDIR
    elif former is not None and not os.access(path, os.W_OK):
        error = errno.EACCES
    elif former is None or stat.S_ISREG(former.st_mode):
        if not target.parent.is_dir():
            error = errno.ENOENT
        elif not os.access(target.parent, os.W_OK | os.X_OK):
            error = errno.EACCES
    if error:
        raise OSError(error, os.strerror(error))
    return target, former


def fault_on_windows(name: str) -> str | None:
    """Why Windows has no file of this name, without its folder; None where it may have one.

    What is written to ``aux.csv`` goes to a device, and to ``bm25:ap.csv`` into a part of the file bm25 that no folder
    shows. The names of devices alone, such as ``NUL``, are written to as `write_whole` writes to devices.

    >>> fault_on_windows("aux.csv"), fault_on_windows("auxiliary.csv")
    ('on Windows aux is the name of a device', None)
    """
    match = _NO_NAME_ON_WINDOWS.fullmatch(name)
    if match is None:
        return None
    if match["sign"]:
        return f"on Windows no file name has a {match['sign']}"
    return f"on Windows {name.partition('.')[0]} is the name of a device"


def _prefix(target: Path) -> str:
    """How the names of new files begin that are to replace this one, however long its own name is."""
    import hashlib

    return f".biasvar-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"


def _rename(name: str, target: Path) -> None:
    """Give a new file its name. Windows does not as long as a program has the old one open: maybe only for a moment."""
    refused_at = time.monotonic() + _PATIENCE
    while True:
        try:
            os.replace(name, target)  # noqa: PTH105
        except PermissionError:
            if not words.ON_WINDOWS:
                raise
            if time.monotonic() >= refused_at:
                raise OSError(errno.EACCES, "it may not be replaced, or another program has it open") from None
            time.sleep(_PATIENCE / 20)
        else:
            return


def _private(name: str, flags: int) -> int:
    """Open a file that nobody else may read until it has the permissions of the one that it replaces."""
    return os.open(name, flags, 0o600)


def _remove_left_behind(folder: Path, prefix: str) -> None:
    """Remove the files of writers that were killed: a young file may still be written."""
    for path in [path for path in folder.iterdir() if path.name.startswith(prefix)]:
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                path.unlink()
