"""Where a result goes and how it looks; a file is written whole, with the permissions that it had, or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from biasvar_cli.console.streams import unfinished, write_to_end
from biasvar_cli.console.terminal import noticed, reported, width
from biasvar_cli.errors import BiasVarError
from biasvar_cli.tables.column import Column, Declared, expanded
from biasvar_cli.tables.layout import FILE_WIDTH, Layout, NotesChoice, with_columns
from biasvar_cli.tables.render import FORMATS, ROUNDED, ROWS_ALONE
from biasvar_cli.tables.rounding import printable
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table


ViewOf = TypeVar("ViewOf")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows as typed: ``sort`` is a column, or None for the usual order; ``top`` is how many are shown."""

    sort: str | None
    top: int | None


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a result goes: a file, or standard output for None; ``strict`` refuses it after a warning."""

    file: str | None
    strict: bool

    def write(self, result: str | bytes) -> None:
        """Write a result whole or not at all. Raises `StrictError` where ``strict`` finds a warning."""
        warnings = reported()
        if self.strict and warnings:
            raise StrictError(f"{counted(len(warnings), 'warning')}, and --strict allows none; nothing was written")
        if self.file is None:
            _print(result)
        else:
            write_whole(self.file, _bytes(result))


@dataclass(frozen=True, kw_only=True)
class Output(Destination):
    """Where tables go and how they look."""

    format: str
    digits: int = 4
    notes: NotesChoice = "short"
    wide: bool = False
    columns: tuple[str, ...] = ()
    declared: Mapping[str, Declared[Any]] = field(default_factory=dict)

    @property
    def rows_alone(self) -> bool:
        """Whether the format has rows and no place for notes."""
        return self.format in ROWS_ALONE

    @property
    def for_people(self) -> bool:
        """Whether people read the format, whose numbers are rounded."""
        return self.format in ROUNDED

    def view(self, rows: Rows, kind: Callable[..., ViewOf], **fields: Any) -> ViewOf:
        """The view of these rows in this format, of a kind that may have fields of its own."""
        return kind(sort=rows.sort, top=rows.top, format=self.format, **fields)

    def emit(self, tables: Sequence[Table]) -> None:
        """Render tables and write them. Raises `UsageError` for a chosen column that is in none."""
        layout = Layout(
            digits=self.digits,
            notes=self.notes,
            wide=self.wide or bool(self.columns),
            width=width() if self.file is None else FILE_WIDTH,
            warnings=reported(),
            notices=noticed(),
        )
        shown = with_columns(tables, self.columns, self._declared(tables)) if self.columns else tables
        self.write(FORMATS[self.format].render(shown, layout))

    def _declared(self, tables: Sequence[Table]) -> Iterator[Column[Any]]:
        """The columns that these tables, and not the other ones of the command, may have."""
        for own in (list(expanded(declared)) for declared in self.declared.values()):
            names = {column.name for column in own}
            if any(table.declared.keys() <= names for table in tables):
                yield from own


class StrictError(BiasVarError):
    """There were warnings, and the user wants none."""


def _print(result: str | bytes) -> None:
    """Write a result to standard output, to its end; a terminal is shown escapes for what would move its cursor."""
    sys.stdout.flush()
    if isinstance(result, str) and sys.stdout.isatty():
        result = "\n".join("\t".join(map(printable, line.split("\t"))) for line in result.split("\n"))
    raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    write_to_end(raw.write, sys.stdout.fileno, _bytes(result))


def _bytes(result: str | bytes) -> bytes:
    return result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result


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
