"""Where a result goes and how it looks; a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from biasvar_cli.commands.terminal import reported
from biasvar_cli.errors import BiasVarError
from biasvar_cli.tables.render import FORMATS, ROUNDED
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a result goes: a file, or standard output for None and ``-``; ``strict`` refuses it after a warning."""

    file: str | None
    strict: bool

    def write(self, result: str | bytes) -> None:
        """Write a result whole or not at all. Raises `StrictError` where ``strict`` finds a warning."""
        found = reported()
        if self.strict and found:
            raise StrictError(f"{counted(len(found), 'warning')}, and --strict allows none; nothing was written")
        data = result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result
        if self.file is None or self.file == "-":
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_whole(self.file, data)


@dataclass(frozen=True, kw_only=True)
class Output(Destination):
    """Where tables go and how they look."""

    format: str
    digits: int = 4

    @property
    def rows_alone(self) -> bool:
        """Whether the format has rows and no place for notes."""
        return self.format in ("csv", "tsv")

    def emit(self, tables: Sequence[Table]) -> None:
        """Render tables and write them."""
        self.write(FORMATS[self.format](tables, self.digits, reported()))


class StrictError(BiasVarError):
    """There were warnings, and the user wants none."""


def require_folder(path: str) -> None:
    """Raises `BiasVarError` where a file could not be written, before anything is computed for it."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        missing = errno.EACCES if folder.is_dir() else errno.ENOENT
        raise BiasVarError(f"{path}: cannot be written: {os.strerror(missing)}")


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it is either wholly there or as it was; a pipe or device is written to as it is.

    Raises `BiasVarError` if it cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)
            return
        _replace(target, data)
    except OSError as error:
        raise BiasVarError(
            f"{path}: cannot be written: {error.strerror or errno.errorcode.get(error.errno or 0)}"
        ) from None


def _replace(target: Path, data: bytes) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)  # noqa: PTH101
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


SortDefault = Literal["total", "run"]


def default_sort(format: str) -> SortDefault:  # noqa: A002
    """People read the best run first; scripts look runs up by name."""
    return "total" if format in ROUNDED else "run"
