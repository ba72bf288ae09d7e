"""The command group, and the one boundary where errors and warnings meet the terminal."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

import click

from biasvar_cli import __version__
from biasvar_cli.commands.lazy import LazyCommands, Place
from biasvar_cli.commands.streams import INTERRUPTED, ClosedPipe
from biasvar_cli.commands.terminal import Session
from biasvar_cli.errors import BiasVarError, DataNotice, DataWarning, exhausted
from biasvar_cli.tables.render import printable

_LONGEST_LINE = 900


_COMMANDS = {  # in the order of the work
    "Look at the files": {
        "check": Place("check:check", "What is wrong or odd in the files, without computing."),
        "scores": Place("scores:scores", "The score of every run on every query."),
    },
    "Evaluate the runs of a track": {
        "decompose": Place("decompose:decompose", "Bias², variance and total error of every run."),
        "tradeoff": Place("tradeoff:tradeoff", "Correlation of bias² and variance under query samples."),
        "target": Place("target:target", "The virtual target: its score and suppliers on every query."),
        "sensitivity": Place("sensitivity:sensitivity", "What a ranking depends on: target, single queries, chance."),
        "risk": Place("risk:risk", "Wins, losses and risk of every run against a baseline."),
        "compare": Place("compare:compare", "Which runs differ: paired tests over all pairs, or against a baseline."),
    },
    "Evaluate query models": {
        "models": Place("models:models", "Query models against the true one: estimation bias², variance and total."),
    },
    "Compare tracks": {
        "tracks": Place("tracks:tracks", "The tradeoff over many tracks and years, and its trend."),
    },
    "Show the results": {
        "plot": Place("plot.command:plot", "The papers' figures, as PDF, SVG, PNG or Vega-Lite."),
        "report": Place("report:report", "One interactive page of everything, in one file."),
    },
}


class _Program(click.Group):
    """The group of all commands, which lists them in the order of the work."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under headings, then the options."""
        width = max(len(name) for places in _COMMANDS.values() for name in places)
        for heading, places in _COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), place.short_help) for name, place in places.items()])
        click.Command.format_options(self, ctx, formatter)


@click.group(
    cls=_Program,
    commands=LazyCommands({name: place for places in _COMMANDS.values() for name, place in places.items()}),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def biasvar() -> None:
    """Bias, variance and total error of retrieval runs, and how they correlate over a TREC track.

    Every run is measured against a virtual target, by default the best score of each query over all runs. bias² says
    how far the run's mean is from the target's, variance how unevenly the run serves the queries.

    \b
    biasvar decompose sample_runs -q qrels/npl.qrels.txt
    biasvar decompose -h
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 done, 1 bad data, 2 wrong usage, 130 interrupted."""
    for library in ("OPENBLAS", "MKL"):  # their threads would wait for ours; read when numpy is imported
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    with warnings.catch_warnings(record=True) as recorded:
        for category in (DataWarning, DataNotice):
            warnings.simplefilter("always", category)
        session = Session(recorded)
        if "_BIASVAR_COMPLETE" in os.environ:  # a shell asks, which click answers
            from biasvar_cli.commands.bash import register

            register()
        code = _run(arguments, session)
    if not session.quiet:
        _show_warnings(recorded)
    return code


def _run(arguments: Sequence[str] | None, session: Session) -> int:
    try:
        code = biasvar.main(arguments, prog_name="biasvar", standalone_mode=False, obj=session)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _print_line("interrupted")
        return INTERRUPTED
    except BiasVarError as error:
        for line in str(error).split("\n"):
            _print_line(f"error: {line}")
        return error.exit_code
    except ClosedPipe:
        return 0
    except Exception as error:
        words = _unforeseen(error)
        if words is None:
            raise
        _print_line(f"error: {words}")
        return 1
    return code if isinstance(code, int) else 0


def _show_warnings(recorded: Sequence[warnings.WarningMessage]) -> None:
    """Data warnings on stderr, each once, and no notice; any other warning as Python shows it."""
    for message in dict.fromkeys(str(each.message) for each in recorded if issubclass(each.category, DataWarning)):
        _print_line(f"warning: {message}")
    for each in recorded:
        if not issubclass(each.category, (DataWarning, DataNotice)):
            warnings.showwarning(each.message, each.category, each.filename, each.lineno)


def _print_line(text: str) -> None:
    """One line on stderr: what cannot be shown as an escape, what is endless cut."""
    line = printable(f"biasvar: {text}")
    click.echo(line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}...", err=True)


def _unforeseen(error: Exception) -> str | None:
    """What the system refused, in words; None for anything else, which is our own mistake."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return exhausted(error) or (str(error) if isinstance(error, OSError) else None)
