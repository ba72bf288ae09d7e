"""The help of a command: its options under headings, each named where the option is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options.group import Decorator

if TYPE_CHECKING:
    from click.core import OptionHelpExtra

COMMON, INPUT_DETAILS, QUERY_SAMPLES, STATISTICS, OUTPUT = HEADINGS = (
    "Common",
    "Input details",
    "Query samples",
    "Statistics",
    "Output",
)
_WIDEST_NAMES = 34  # columns; longer names of an option stand on a line of their own


class HeadedOption(click.Option):
    """An option that knows its heading in the help."""

    def __init__(self, *names: Any, heading: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading

    def get_help_extra(self, ctx: click.Context) -> OptionHelpExtra:
        """What stands in brackets: the default. The range of a number is said where it is refused."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class HeadedCommand(click.Command):
    """A command whose help has its options under `HEADINGS`, in that order."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; ``--help``, which click adds, stands under the last heading."""
        records: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                records[getattr(parameter, "heading", OUTPUT)].append(record)
        for heading, found in records.items():
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found, col_max=_WIDEST_NAMES)


def option(heading: str, *names: str, **attributes: Any) -> Decorator:
    """``click.option`` with the heading under which the help shows it.

    >>> command = click.command(cls=HeadedCommand)(option(STATISTICS, "--seed", help="A number.")(lambda seed: None))
    >>> print(command.get_help(click.Context(command, info_name="demo")).replace("\\n\\n", "\\n"))
    Usage: demo [OPTIONS]
    Statistics:
      --seed TEXT  A number.
    Output:
      --help  Show this message and exit.
    """
    return click.option(*names, cls=HeadedOption, heading=heading, **attributes)


def command(name: str | None = None, **attributes: Any) -> Decorator:
    """``click.command`` whose help has headings."""
    return click.command(name, cls=HeadedCommand, **attributes)
