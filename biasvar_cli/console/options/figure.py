"""What the figures share: how they look, where they go, and the one measure and target that most of them are of."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import (
    OUTPUT,
    Command,
    Decorator,
    HeadedCommand,
    command,
    group,
    option,
    together,
)
from biasvar_cli.console.options.output import file_options
from biasvar_cli.console.output import Destination
from biasvar_cli.drawing.converter import start_early
from biasvar_cli.drawing.export import FORMATS, format_of
from biasvar_cli.drawing.style import COLUMNS, THEMES, Spec, style_of


def figure(name: str) -> Callable[[Command], HeadedCommand]:
    """A figure of score files or runs as a command, whose help leaves the details of the input to ``decompose``."""
    return _figure(name, "sample_runs -q qrels/npl.qrels.txt", details_of="decompose")


def model_figure(name: str) -> Callable[[Command], HeadedCommand]:
    """A figure of query models as a command, whose help leaves the details of the input to ``models``."""
    return _figure(name, "sample_models --true sample_models/true.tsv.gz", details_of="models")


def manifest_figure(name: str) -> Callable[[Command], HeadedCommand]:
    """A figure of the tracks of a manifest as a command."""
    return _figure(name, "docs/tracks.toml")


def _figure(name: str, inputs: str, **attributes: Any) -> Callable[[Command], HeadedCommand]:
    """A figure as a command, with examples that draw these ``inputs``."""

    def decorate(function: Command) -> HeadedCommand:
        start = f"biasvar plot {name} {inputs}"
        examples = f"\b\n{start} -o {name}.pdf\n{start} --width two -o {name}.svg"
        return command(name, help=f"{inspect.cleandoc(function.__doc__ or '')}\n\n{examples}", **attributes)(function)

    return decorate


def figure_options() -> Decorator:
    """How a figure looks and where it goes: ``style`` and ``output``."""
    formats = ", ".join(f".{name}" for name in FORMATS)
    return together(
        group("style", style_of, *_LOOKS),
        file_options(f"Write to FILE; its suffix is the format: {formats}.", _require_figure),
    )


def write_figure(spec: Spec, output: Destination) -> None:
    """Write a figure in the format of its file."""
    output.write(FORMATS[format_of(str(output.file), "-o")](spec))


_LOOKS = (
    option(
        OUTPUT,
        "--width",
        default="one",
        show_default=True,
        metavar=f"{'|'.join(COLUMNS)}|Ncm",
        shell_complete=completion.words(*COLUMNS),
        brief="One column of a paper (default), two, or centimetres.",
        help="One column of a paper (8.5 cm), two (17.8 cm), or centimetres.",
    ),
    option(
        OUTPUT,
        "--theme",
        type=click.Choice(tuple(THEMES)),
        default="light",
        show_default=True,
        help="Light or dark background.",
    ),
    option(OUTPUT, "--title/--no-title", default=True, show_default=True, help="Title and caption in the figure."),
)


def _require_figure(file: str) -> None:
    """Refuse a file that no figure can go to: its suffix names no format. Any other will need its converter."""
    if format_of(file, "-o") != "json":
        start_early()
