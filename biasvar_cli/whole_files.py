"""Files that are written whole, with the permissions that they had, or not at all.

A file is written beside its place under another name, which it then gets in one step. An interrupt that ends the
program at once has to remove what is `unfinished` (`console.streams`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from biasvar_cli.errors import BiasVarError

unfinished: set[str] = set()  # files that must not be left behind by an interrupt


def require_writable(path: str) -> None:
    """Raises `BiasVarError` where a file cannot be written, before anything is computed for it."""
    with _named(path):
        _target(path)


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it is either wholly there or as it was; a pipe or device is written to as it is.

    A file that is replaced keeps its permissions and, as far as the system lets us, its owner. What an earlier writer
    of the same file left when it was killed is removed. Raises `BiasVarError` if it cannot be written.
    """
    with _named(path):
        target, former = _target(path)
        if former is None or stat.S_ISREG(former.st_mode):
            _replace(target, data, former)
        else:
            Path(path).write_bytes(data)


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
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


def _replace(target: Path, data: bytes, former: os.stat_result | None) -> None:
    import hashlib

    prefix = f".biasvar-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"  # however long the name is
    _remove_left_behind(target.parent, prefix)
    with _temporary(target.parent, prefix) as name:
        with open(name, "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _make_like(name, target, former)
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
        for path in [path for path in folder.iterdir() if path.name.startswith(prefix)]:
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


def _make_like(name: str, target: Path, former: os.stat_result | None) -> None:
    """Give a new file the permissions and the owner of the one that it replaces, or those of any new file."""
    import shutil  # 3 ms, of which the start of the program needs none

    if former is None:
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # noqa: PTH101
        return
    for owner in (former.st_uid, -1):
        with contextlib.suppress(OSError):
            os.chown(name, owner, former.st_gid)
            break
    shutil.copystat(target, name)
    os.utime(name)
