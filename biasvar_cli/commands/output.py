"""Where a result goes and how it looks; a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from biasvar_cli.commands.terminal import Session, told
from biasvar_cli.errors import BiasVarError
from biasvar_cli.tables.render import FORMATS, ROUNDED
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table

Command = TypeVar("Command", bound=Callable[..., Any])


def decorated(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """A command with several options, the first on top in its help."""
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where the result goes and how it looks."""

    format: str
    file: str | None
    strict: bool
    digits: int = 4

    def emit(self, tables: Sequence[Table]) -> None:
        """Render tables and write them, unless ``strict`` finds a warning told."""
        self.write(FORMATS[self.format](tables, self.digits, told()))

    def write(self, text: str) -> None:
        """Write a result whole or not at all."""
        if self.strict and told():
            raise StrictError(f"{counted(len(told()), 'warning')}, and --strict allows none; nothing was written")
        data = text.encode("utf-8", "backslashreplace")
        if self.file is None or self.file == "-":
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_whole(self.file, data)


def output_options(formats: Sequence[str], default: str) -> Callable[[Command], Command]:
    """The options that shape and place a result; the command hands them to `output_of`."""
    options = [
        click.option(
            "-f",
            "--format",
            "format",
            type=click.Choice(formats),
            default=default,
            show_default=True,
            help="Output format.",
        ),
        click.option(
            "-o",
            "--output",
            "file",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Write to FILE, whole or not at all.",
        ),
        click.option("--strict", is_flag=True, help="Make warnings errors: exit 1, nothing on stdout."),
        click.option(
            "--quiet",
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_set_quiet,
            help="No progress and no warnings on stderr.",
        ),
    ]
    if set(formats) & set(ROUNDED):
        digits = click.option(
            "--digits",
            type=click.IntRange(0, 17),
            default=4,
            show_default=True,
            help=f"Decimals in {', '.join(ROUNDED)}.",
        )
        options.insert(2, digits)
    return lambda command: decorated(command, options)


def output_of(options: dict[str, Any]) -> Output:
    """The options of `output_options`, taken out of a command's own, as one value."""
    return Output(**{name: options.pop(name) for name in ("format", "file", "digits", "strict") if name in options})


class StrictError(BiasVarError):
    """There were warnings, and the user wants none."""


def _set_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    found = context.find_object(Session)
    if found is not None and value:
        found.quiet = True


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
