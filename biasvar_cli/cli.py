"""The command group, and the one boundary where errors and warnings meet the terminal."""

import os
import sys
import warnings
from collections import UserDict
from collections.abc import Sequence
from importlib import import_module
from typing import Any, cast

import click

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.console import streams, terminal
from biasvar_cli.console.help import HelpedGroup, advice, glossary, messages, printing
from biasvar_cli.errors import BiasVarError, DataNotice, DataWarning, exhausted
from biasvar_cli.words import VERSION, as_typed, printable

_LONGEST_LINE = 900
_RESULTS = "Show the results"
_LISTED = [  # heading, name, what it shows
    *((analysis.heading, analysis.name, analysis.summary) for analysis in ANALYSES),
    (_RESULTS, "plot", "The papers' figures, as PDF, SVG, PNG or Vega-Lite."),
    (_RESULTS, "report", "One interactive page of everything, in one file."),
]


class _LazyCommands(UserDict[str, Any]):
    """The commands of a group by name, in order: at first where each is, as ``module:name`` of the program.

    A command is imported when it is asked for, so that none waits for the options of the others.

    >>> commands = _LazyCommands({"check": "analyses.check.command:check"})
    >>> list(commands), commands["check"].name
    (['check'], 'check')
    """

    def __getitem__(self, name: str) -> click.Command:
        command = self.data[name]
        if isinstance(command, str):
            module, _, attribute = command.partition(":")
            command = self.data[name] = getattr(import_module(f"biasvar_cli.{module}"), attribute)
        return cast("click.Command", command)

    def get(self, name: str, default: Any = None) -> Any:
        """The command, or the default for a name that is not there; a KeyError of its module is no such name."""
        return self[name] if name in self.data else default


_FIGURES = _LazyCommands({name: analysis.figure_path(name) for analysis in ANALYSES for name in analysis.figures})


class _Program(HelpedGroup):
    """The group of all commands, which lists them in the order of the work."""

    def format_usual(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for _, name, summary in _LISTED])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under headings, then the options."""
        width = max(len(name) for _, name, _ in _LISTED)
        for heading in dict.fromkeys(heading for heading, *_ in _LISTED):
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(width), summary) for group, name, summary in _LISTED if group == heading]
                )
        click.Command.format_options(self, ctx, formatter)


class _Figures(HelpedGroup):
    """A group that calls its commands figures."""

    def format_usual(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the figures."""
        self.format_commands(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands:
            ctx.fail(f"no such figure '{args[0]}'; it is one of {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Figures"):
            formatter.write_dl(
                [(name, figure.shows) for analysis in ANALYSES for name, figure in analysis.figures.items()]
            )


@click.group(
    cls=_Program,
    commands=_LazyCommands(
        {analysis.name: analysis.command_path for analysis in ANALYSES}
        | {"plot": "cli:plot", "report": "page.command:report"}
    ),
    context_settings={"help_option_names": ["--help"], "max_content_width": 110},
)
@click.version_option(VERSION, message="%(prog)s %(version)s")
@click.option(
    "--words",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=printing(glossary),
    help="Show what the words in tables and sentences mean, and exit.",
)
def biasvar() -> None:
    """Find the best retrieval run, which differences are significant, and which runs serve all queries evenly.

    summary is the table of a paper, compare tests differences, profile looks at one run, decompose splits the error of
    every run into bias² and variance, and tradeoff asks whether effective runs vary more.

    Every run is measured against a virtual target, by default the best score of each query over all runs. bias² says
    how far the run's mean is from the target's, variance how unevenly the run serves the queries.

    \b
    biasvar summary sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10
    """


@click.group(cls=_Figures, commands=_FIGURES, subcommand_metavar="FIGURE INPUTS...")
def plot() -> None:
    """The papers' figures, for a publication, as PDF, SVG, PNG or Vega-Lite (.json).

    INPUTS are as for decompose; for trend one MANIFEST.toml, as for tracks; for estimation query models, as for models.
    All but .json needs the extra plot; in a checkout: pip install -e '.[plot]'.

    \b
    biasvar plot plane sample_runs -q qrels/npl.qrels.txt -o plane.pdf
    biasvar plot trend docs/tracks.toml -o trend.svg
    biasvar plot plane sample_runs -q qrels/npl.qrels.txt --families '(comb|nrr)-(.*)' -o plane.pdf
    biasvar plot ranked sample_runs -q qrels/npl.qrels.txt -m nDCG@10 --width two -o ranked.pdf
    biasvar plot plane -h
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 done, 1 bad data, 2 wrong usage, 130 interrupted."""
    for library in ("OPENBLAS", "MKL"):  # their threads would wait for ours; read when numpy is imported
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own pools keep what is freed; read on import
    with warnings.catch_warnings(record=True) as recorded:
        for category in (DataWarning, DataNotice):
            warnings.simplefilter("always", category)
        typed = sys.argv[1:] if arguments is None else list(arguments)
        session = terminal.Session(recorded, typed)
        code = _run(typed, session)
    if session.quiet:
        return code
    for message in dict.fromkeys(
        record.message.typed for record in recorded if isinstance(record.message, DataWarning)
    ):
        _print_line(f"warning: {message}")
    for record in recorded:
        if not issubclass(record.category, (DataWarning, DataNotice)):
            warnings.showwarning(record.message, record.category, record.filename, record.lineno)
    return code


def _run(arguments: Sequence[str], session: terminal.Session) -> int:
    try:
        if "_BIASVAR_COMPLETE" in os.environ:  # a shell asks, which click answers
            from biasvar_cli.console.completion import register

            register(os.environ["_BIASVAR_COMPLETE"])
        code = biasvar.main(arguments, prog_name="biasvar", standalone_mode=False, obj=session)
        sys.stdout.flush()
    except click.ClickException as error:
        for line in messages(error):
            _print_line(f"error: {line}")
        for line in advice(error) if isinstance(error, click.UsageError) else ():
            click.echo(line, err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _print_line("interrupted")
        return streams.INTERRUPTED
    except BiasVarError as error:
        for line in error.typed.split("\n"):
            _print_line(f"error: {line}")
        return error.exit_code
    except streams.ClosedPipe:
        return 0
    except Exception as error:
        words = _unforeseen(error)
        if words is None:
            raise
        _print_line(f"error: {words}")
        return 1
    return code if isinstance(code, int) else 0


def _print_line(text: str) -> None:
    """One line on stderr: what cannot be shown as an escape, what is endless cut."""
    line = printable(f"biasvar: {text}")
    click.echo(line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}...", err=True)


def _unforeseen(error: Exception) -> str | None:
    """What the system refused, in words; None for anything else, which is our own mistake."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return as_typed(exhausted(error) or "") or (str(error) if isinstance(error, OSError) else None)
