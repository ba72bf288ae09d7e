"""The help of a command: its options under headings, each named where the option is declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.console.options.group import Command, Decorator

if TYPE_CHECKING:
    from click.core import ParameterSource
    from click.parser import _OptionParser
    from click.types import OptionHelpExtra

COMMON, INPUT_DETAILS, QUERY_SAMPLES, STATISTICS, OUTPUT = HEADINGS = (
    "Common",
    "Input details",
    "Query samples",
    "Statistics",
    "Output",
)
_WIDEST = 32  # columns; an option's names that need more stand on a line of their own


class HeadedOption(click.Option):
    """An option that knows its heading in the help, and that is given once unless it is ``multiple``.

    click keeps the last of several values without a word. Here the parser collects them, and several are wrong usage.
    So is an empty value, such as that of a variable that a script forgot to set.
    """

    def __init__(self, *names: Any, heading: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading

    def add_to_parser(self, parser: _OptionParser, ctx: click.Context) -> None:
        """Let the parser collect all that is typed of an option that takes one value, or that is on or off."""
        if self.multiple or (self.is_flag and not self.secondary_opts):
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append_const", const=True)
            parser.add_option(obj=self, opts=self.secondary_opts, dest=self.name, action="append_const", const=False)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """What was typed, or else the default. Raises `click.UsageError` for an empty value, and several of one."""
        typed = opts.get(str(self.name))
        if not isinstance(typed, list):
            return super().consume_value(ctx, opts)
        if not ctx.resilient_parsing:  # a shell that completes a line is not interrupted
            self._refuse(typed, ctx)
        return super().consume_value(ctx, opts if self.multiple else {**opts, str(self.name): typed[-1]})

    def _refuse(self, typed: list[Any], ctx: click.Context) -> None:
        """Raise `click.UsageError` for what cannot be meant; to switch something on twice is harmless."""
        if any(isinstance(value, str) and not value.strip() for value in typed):
            raise click.UsageError(f"{self.opts[-1]} is given an empty value.", ctx)
        if self.multiple:
            return
        if self.is_flag and len(set(typed)) > 1:
            raise click.UsageError(f"{self.opts[-1]} and {self.secondary_opts[-1]} contradict each other.", ctx)
        if not self.is_flag and len(typed) > 1:
            values = " and ".join(map(str, typed))
            raise click.UsageError(f"{self.opts[-1]} takes one value and is given {len(typed)} times: {values}.", ctx)

    def get_help_extra(self, ctx: click.Context) -> OptionHelpExtra:
        """What stands in brackets: the default. The range of a number is said where it is refused."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class HeadedCommand(click.Command):
    """A command whose help has its options under `HEADINGS`, in that order.

    Where ``details_of`` names another command, that one's help explains the details of the input, and this one's only
    lists them.
    """

    def __init__(self, *arguments: Any, details_of: str | None = None, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.details_of = details_of

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; ``--help``, which click adds, stands under the last heading."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option) and not option.hidden]
        if self.details_of is not None:
            listed = [option.opts[-1] for option in options if _heading(option) == INPUT_DETAILS]
            options = [option for option in options if _heading(option) != INPUT_DETAILS]
        records = [(_heading(option), option.get_help_record(ctx) or ("", "")) for option in options]
        width = max((len(names) for _, (names, _) in records if len(names) <= _WIDEST), default=0)
        for heading in HEADINGS:
            lines = [(names.ljust(width), text) for own, (names, text) in records if own == heading]
            if lines:
                with formatter.section(heading):
                    formatter.write_dl(lines, col_max=width)
            elif heading == INPUT_DETAILS and self.details_of is not None:
                with formatter.section(f"{heading}, explained by biasvar {self.details_of} -h"):
                    formatter.write_text(" ".join(listed))


def option(heading: str, *names: str, **attributes: Any) -> Decorator:
    """``click.option`` with the heading under which the help shows it.

    >>> command = click.command(cls=HeadedCommand)(option(STATISTICS, "--seed", help="A number.")(lambda seed: None))
    >>> print(command.get_help(click.Context(command, info_name="demo")).replace("\\n\\n", "\\n"))
    Usage: demo [OPTIONS]
    Statistics:
      --seed TEXT  A number.
    Output:
      --help       Show this message and exit.
    """
    return click.option(*names, cls=HeadedOption, heading=heading, **attributes)


def _heading(option: click.Option) -> str:
    return str(getattr(option, "heading", OUTPUT))


def command(name: str | None = None, **attributes: Any) -> Callable[[Command], HeadedCommand]:
    """``click.command`` whose help has headings."""
    return click.command(name, cls=HeadedCommand, **attributes)
