"""Output files: whole or as they were, with the owner and the permissions that they had."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from biasvar_cli.console.streams import unfinished
from biasvar_cli.errors import BiasVarError


def require_writable(path: str) -> None:
    """Raises `BiasVarError` where a file cannot be written, before anything is computed for it."""
    with _named(path):
        _place(path)


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it is either wholly there or as it was; a pipe or device is written to as it is.

    A file that is replaced keeps its permissions and, as far as the system lets us, its owner. What an earlier writer
    of the same file left when it was killed is removed. Raises `BiasVarError` if it cannot be written.
    """
    with _named(path):
        target, found = _place(path)
        if found is None or stat.S_ISREG(found.st_mode):
            _replace(target, data, found)
        else:
            Path(path).write_bytes(data)


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BiasVarError(f"{path}: cannot be written: {error.strerror or error}") from None


def _place(path: str) -> tuple[Path, os.stat_result | None]:
    """The file that a name leads to, and what is there already. Raises OSError where nothing can be written there."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        found = None
    target = Path(os.path.realpath(path))
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise _refused(errno.EISDIR)
    if found is not None and not os.access(path, os.W_OK):
        raise _refused(errno.EACCES)
    if found is None or stat.S_ISREG(found.st_mode):
        if not target.parent.is_dir():
            raise _refused(errno.ENOENT)
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise _refused(errno.EACCES)
    return target, found


def _refused(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _replace(target: Path, data: bytes, found: os.stat_result | None) -> None:
    import hashlib

    prefix = f".biasvar-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"  # however long the name is
    _remove_left_behind(target.parent, prefix)
    with _temporary(target.parent, prefix) as name:
        with open(name, "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _make_like(name, target, found)
        os.replace(name, target)  # noqa: PTH105


@contextlib.contextmanager
def _temporary(folder: Path, prefix: str) -> Iterator[str]:
    """A new file that others see is in use, by a lock on it, and that is not there after an error or an interrupt."""
    import tempfile  # 5 ms, of which --help needs none

    while True:
        handle, name = tempfile.mkstemp(dir=folder, prefix=prefix)
        _lock(handle, wait=True)
        if Path(name).exists():  # or else another writer found it before it was locked
            break
        os.close(handle)
    unfinished.add(name)
    try:
        yield name
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
    finally:
        os.close(handle)
        unfinished.discard(name)


def _remove_left_behind(folder: Path, prefix: str) -> None:
    """Remove files of writers that are no more: a lock ends with the process that holds it."""
    with contextlib.suppress(OSError):
        for path in [each for each in folder.iterdir() if each.name.startswith(prefix)]:
            with contextlib.suppress(OSError):
                handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                try:
                    if _lock(handle, wait=False):
                        path.unlink()
                finally:
                    os.close(handle)


def _lock(handle: int, *, wait: bool) -> bool:
    """Lock a file as long as it is open; False where somebody else has locked it, or locks are unknown."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _make_like(name: str, target: Path, found: os.stat_result | None) -> None:
    """Give a new file the permissions and the owner of the one that it replaces, or those of any new file."""
    import shutil

    if found is None:
        os.chmod(name, 0o666 & ~_umask())  # noqa: PTH101
        return
    for owner in (found.st_uid, -1):
        with contextlib.suppress(OSError):
            os.chown(name, owner, found.st_gid)
            break
    shutil.copystat(target, name)
    os.utime(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
