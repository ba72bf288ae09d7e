"""What the figures share: how they look, where they go, and the one measure and target that most of them are of."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from biasvar_cli.console import completion
from biasvar_cli.console.options import Command, Decorator, HeadedCommand, command, group, option, together
from biasvar_cli.console.output import Destination, file_options
from biasvar_cli.console.terminal import session
from biasvar_cli.drawing.converter import start_early
from biasvar_cli.drawing.export import CAPTIONS, FORMATS, caption_of, format_of
from biasvar_cli.drawing.style import COLUMNS, THEMES, Spec, style_of
from biasvar_cli.settings import OUTPUT
from biasvar_cli.whole_files import require_writable, write_whole


@dataclass(frozen=True, kw_only=True)
class FigureOutput(Destination):
    """Where a figure goes, and its caption: a file, or standard error for None."""

    caption: str | None

    @property
    def files(self) -> Mapping[str, str]:
        """What is written, by the option as typed."""
        return {**super().files, **({} if self.caption is None else {f"--caption {self.caption}": self.caption})}


def figure(name: str, *before: str) -> Callable[[Command], HeadedCommand]:
    """A figure of score files or runs as a command, whose help leaves the details of the input to ``decompose``.

    ``before`` are words that its examples have before the inputs.
    """
    return _figure(name, " ".join([*before, "sample_runs -q qrels/npl.qrels.txt"]), details_of="decompose")


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
    """How a figure looks and where it goes with its caption: ``style`` and ``output``."""
    formats = ", ".join(f".{name}" for name in FORMATS)
    return together(
        group("style", style_of, *_LOOKS),
        file_options(
            f"Write to FILE; its suffix is the format: {formats}.", _require_figure, _CAPTION, build=_figure_output
        ),
    )


def write_figure(spec: Spec, output: FigureOutput) -> None:
    """Write a figure in the format of its file, and its caption to a file or, unless quiet, to standard error."""
    output.write(FORMATS[format_of(str(output.file), "-o")](spec))
    caption = caption_of(spec)
    if output.caption is not None:
        name = click.get_current_context().info_name or ""
        write_whole(output.caption, CAPTIONS[_suffix(output.caption)](caption, name).encode())
    elif not session().quiet:
        click.echo(f"caption: {caption}", err=True)


def _figure_output(file: str, caption: str | None, strict: bool) -> FigureOutput:
    """Raises `click.UsageError` for a caption of another suffix, and for one in the file of the figure."""
    if caption is not None:
        if _suffix(caption) not in CAPTIONS:
            known = " or ".join(f".{suffix}" for suffix in CAPTIONS)
            raise click.UsageError(f"--caption {caption}: a caption's name ends in {known}")
        if os.path.realpath(caption) == os.path.realpath(file):
            raise click.UsageError(f"--caption {caption} is the file of the figure")
        require_writable(caption)
    return FigureOutput(file=file, caption=caption, strict=strict)


def _suffix(file: str) -> str:
    return Path(file).suffix.removeprefix(".").lower()


_CAPTION = option(
    OUTPUT,
    "--caption",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    brief="Write the caption to FILE, .txt or .tex.",
    help="Write the caption to FILE, as .txt or, with its label, as .tex. Default: standard error.",
)


_LOOKS = (
    option(
        OUTPUT,
        "--width",
        default="one",
        show_default=True,
        metavar=f"{'|'.join(COLUMNS)}|Ncm",
        shell_complete=completion.words(*COLUMNS),
        brief="One column of a paper (default), two, the text of LNCS, or centimetres.",
        help="One column of ACM (8.5 cm), two (17.8 cm), the text of Springer's LNCS (12.2 cm), or centimetres.",
    ),
    option(
        OUTPUT,
        "--theme",
        type=click.Choice(tuple(THEMES)),
        default="light",
        show_default=True,
        help="Light or dark background.",
    ),
    option(
        OUTPUT,
        "--title/--no-title",
        default=True,
        show_default=True,
        help="Title and what was evaluated, in the figure.",
    ),
)


def _require_figure(file: str) -> None:
    """Refuse a file that no figure can go to: its suffix names no format. Any other will need its converter."""
    if format_of(file, "-o") != "json":
        start_early()
