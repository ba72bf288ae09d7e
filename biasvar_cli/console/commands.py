"""Build the commands of analyses and figures from their requests, and lead each from its files to its output."""

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from biasvar_cli.console import completion, shared_options
from biasvar_cli.console.options import (
    Command,
    Decorator,
    argument,
    command,
    group,
    option,
    option_of,
    request_of,
    request_options,
    together,
)
from biasvar_cli.console.output import Destination, Output, Rows, file_options, output_options, require_separate
from biasvar_cli.console.terminal import load, progress, session, simulating
from biasvar_cli.drawing.converter import start_early
from biasvar_cli.drawing.export import CAPTIONS, FIGURE_FORMATS, caption_of, format_of
from biasvar_cli.drawing.style import COLUMNS, THEMES, Spec, Style, style_of
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.settings import OUTPUT, Completion
from biasvar_cli.specs.limits import require_one
from biasvar_cli.specs.requests import AnalysisRequest
from biasvar_cli.tables.column import Declared
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.whole_files import require_writable, write_whole


@dataclass(frozen=True, kw_only=True)
class FigureOutput(Destination):
    """The file of a figure, and the file of its ``caption``; None writes the caption to standard error."""

    caption: str | None

    @property
    def files(self) -> Mapping[str, str]:
        """The files that are written; the keys are the options as typed."""
        return {**super().files, **({} if self.caption is None else {f"--caption {self.caption}": self.caption})}


def figure(
    name: str, inputs: str = "sample_runs -q qrels/npl.qrels.txt", details_of: str | None = "decompose"
) -> Callable[[Command], click.Command]:
    """Turn a function that draws a figure into a command, whose examples draw these ``inputs``.

    The help refers to the command ``details_of`` for the details of the input.
    """

    def decorate(function: Command) -> click.Command:
        start = f"biasvar plot {name} {inputs}"
        examples = f"\b\n{start} -o {name}.pdf\n{start} --width two -o {name}.svg"
        words = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{examples}"
        return command(name, help=words, details_of=details_of)(function)

    return decorate


def figure_options() -> Decorator:
    """The options of a figure's looks, as ``style``, and of its file and caption, as ``output``."""
    formats = ", ".join(f".{name}" for name in FIGURE_FORMATS)
    return together(
        group("style", style_of, *_LOOKS),
        file_options(
            f"Write to FILE; its suffix is the format: {formats}.", _require_figure, _CAPTION, build=_figure_output
        ),
    )


def write_figure(spec: Spec, output: FigureOutput) -> None:
    """Write a figure in the format of its file, and its caption to a file or, unless quiet, to standard error."""
    output.write(FIGURE_FORMATS[format_of(str(output.file), "-o")](spec))
    caption = caption_of(spec)
    if output.caption is not None:
        name = click.get_current_context().info_name or ""
        write_whole(output.caption, CAPTIONS[_suffix(output.caption)](caption, name).encode())
    elif not session().quiet:
        click.echo(f"caption: {caption}", err=True)


def _figure_output(file: str, caption: str | None, strict: bool) -> FigureOutput:
    """Raises `click.UsageError` for a caption with another suffix, and for a caption in the file of the figure."""
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
        shell_complete=completion.of(Completion(tuple(COLUMNS))),
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
    """Refuse a file whose suffix names no format; start the converter early for all formats that need it."""
    if format_of(file, "-o") != "json":
        start_early()


def analysis_command(
    request: type,
    tables: Mapping[str, Declared[Any]],
    *more: Decorator,
    order: str,
    by: str = "run",
    without: tuple[str, ...] = (),
    first: str = "",
    inputs: Decorator | None = None,
    **layout: Any,
) -> Callable[[Command], click.Command]:
    """The command of an analysis: inputs, the settings of its request, ``more`` options, rows and output.

    Parameters
    ----------
    order, by
        The default order of the rows in words: for people, and for scripts.
    without
        Settings of the request that only figures have.
    first
        A field of the request that is an argument before the inputs.
    inputs
        The options of the inputs, where they are not `shared_options.input_options`.
    layout
        Further arguments of `output_options`.
    """
    return lambda function: command()(
        _with_argument(
            first,
            inputs or shared_options.input_options(),
            request_options(request, without=(*without, first)),
            *more,
            shared_options.row_options(tables, order, by),
            output_options(sorted(FORMATS), "text", tables, **layout),
        )(function)
    )


def _with_argument(name: str, *options: Decorator) -> Decorator:
    """Options, preceded by an argument that sets the field ``name`` of ``request``; an empty name adds none."""
    if not name:
        return together(*options)

    def decorate(function: Command) -> Command:
        @wraps(function)
        def with_field(request: Any, **typed: Any) -> Any:
            return function(request=replace(request, **{name: typed.pop(name)}), **typed)

        return together(argument(name, metavar=name.upper()), *options)(with_field)

    return Decorator(decorate, ())


def table_option(tables: Mapping[str, Declared[Any]], words: str, brief: str, *, first: bool = True) -> Decorator:
    """``--table``, the table to show. Where the ``first`` is not always the default, ``words`` name the default."""
    default = {"default": next(iter(tables)), "show_default": True} if first else {}
    return option(OUTPUT, "--table", brief=brief, type=click.Choice(list(tables)), help=words, **default)


def emit(
    analysis: str,
    inputs: TrackRequest,
    request: Any,
    rows: Rows,
    output: Output,
    *,
    samples: Callable[[int, Any], int] | None = None,
    **view: Any,
) -> None:
    """Answer a request and write the tables of the answer; ``view`` has further fields of the view.

    ``samples`` computes the length of the progress bar of a test that draws samples, from the number of measures and
    the view. The length for null models is computed from the request.
    """
    require_separate(output, inputs, *request.files)
    answers, tables = _rooms(analysis, "answer", "table")
    viewed = output.view(rows, tables.VIEW, **view)
    request, track = replace(request, jobs=inputs.jobs), load(_with_documents(inputs, request))
    n_targets = len(request.targets) if request.null is not None else 0
    simulated = simulating(track, n_targets, request.null)
    with progress("tested", samples(len(track.scored), viewed)) if samples else simulated:
        made = tables.tables(answers.answer(track, request), viewed)
    output.emit(made)


def figure_command(
    analysis: str,
    name: str,
    request: type,
    fields: tuple[str | Decorator, ...],
    words: str,
    *more: Decorator,
    several: bool = False,
    first: str = "",
    arguments: Callable[[Any], Mapping[str, Any]] = lambda _: {},
) -> click.Command:
    """The command of a figure, with settings of the request and ``more`` options.

    A figure shows one target and one baseline.

    Parameters
    ----------
    fields
        Names of fields of the request, or options that replace a field.
    words
        The help of the command.
    several
        Whether the figure shows several measures.
    first
        A field that is an argument before the inputs; the examples give it the value ``rm``.
    arguments
        A function from the request to further arguments of the function that draws the figure.
    """

    def draw(
        inputs: TrackRequest,
        request: Any,
        output: FigureOutput,
        style: Style,
        families: shared_options.FamilyChoice | None = None,
        null: shared_options.NullChoice | None = None,
        **options: Any,
    ) -> None:
        for one in ("target", "baseline"):
            if one in fields:
                require_one(one, getattr(request, one))
        file = None if families is None else families.file
        require_separate(output, inputs, *request.files, file)
        if families is not None:
            options |= {"families": families.read(), "baseline": families.baseline}
        if null is not None:
            request = replace(request, null=null.request(seed=request.design.seed, jobs=inputs.jobs, shuffled=False))
        answers, figures = _rooms(analysis, "answer", "figures")
        made = answers.answer(load(_with_documents(inputs, request)), replace(request, jobs=inputs.jobs))
        write_figure(figures.FIGURES[name](made, style=style, **options, **arguments(request)), output)

    draw.__doc__ = words
    settings = (option_of(request, field, of_command=False) if isinstance(field, str) else field for field in fields)
    grouped = request_of(request, *settings)
    options = (shared_options.input_options(several=several), grouped, *more, figure_options())
    draw = _with_argument(first, *options)(draw)
    return figure(name, "rm sample_runs -q qrels/npl.qrels.txt")(draw) if first else figure(name)(draw)


def _rooms(analysis: str, *names: str) -> list[Any]:
    return [import_module(f"biasvar_cli.analyses.{analysis}.{name}") for name in names]


def _with_documents(inputs: TrackRequest, request: AnalysisRequest) -> TrackRequest:
    """The inputs, read with their documents if the request needs the documents of runs."""
    needs = request.of_documents
    return replace(inputs, documents=True, needs_runs=needs) if needs else inputs
