"""Where a result goes and how it looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from biasvar_cli.commands.files import require_writable
from biasvar_cli.commands.options.group import Decorator, group
from biasvar_cli.commands.options.heading import COMMON, OUTPUT, option
from biasvar_cli.commands.output import Destination, Output
from biasvar_cli.commands.terminal import Session
from biasvar_cli.tables.render import ROUNDED


def output_options(formats: Sequence[str], default: str) -> Decorator:
    """The format of tables and where they go, as ``output``."""

    def output(**typed: Any) -> Output:
        return Output(file=_writable(typed.pop("file")), **typed)

    choice = option(
        COMMON,
        "-f",
        "--format",
        type=click.Choice(formats),
        default=default,
        show_default=True,
        metavar="FORMAT",
        help=f"{', '.join(formats[:-1])} or {formats[-1]}.",
    )
    digits = option(
        OUTPUT,
        "--digits",
        type=click.IntRange(0, 17),
        default=4,
        show_default=True,
        metavar="N",
        help=f"Decimals in {', '.join(ROUNDED)}.",
    )
    file = _file_option("Write to FILE: the whole output, or nothing after an error.", required=False)
    rounds = [digits] if set(formats) & set(ROUNDED) else []
    return group("output", output, choice, file, *rounds, _STRICT, _QUIET)


def file_options(what: str, require: Callable[[str], None]) -> Decorator:
    """Where one file goes, as ``output``; ``require`` refuses a name that will not do, before anything is read."""

    def destination(file: str, strict: bool) -> Destination:
        require(file)
        return Destination(file=_writable(file), strict=strict)

    return group("output", destination, _file_option(what, required=True), _STRICT, _QUIET)


def _writable(file: str | None) -> str | None:
    """The file that was typed, None for standard output; one that cannot be written is refused before any is read."""
    if file is None or file in _STDOUT:
        return None
    require_writable(file)
    return file


def _file_option(what: str, *, required: bool) -> Decorator:
    return option(
        COMMON,
        "-o",
        "--output",
        "file",
        required=required,
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help=what,
    )


def _set_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    found = context.find_object(Session)
    if found is not None and value:
        found.quiet = True


_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
_STRICT = option(OUTPUT, "--strict", is_flag=True, help="Treat warnings as errors: exit 1, write nothing.")
_QUIET = option(
    OUTPUT,
    "--quiet",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_set_quiet,
    help="No progress bar and no warnings on stderr.",
)
