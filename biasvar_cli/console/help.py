"""The two helps of every command: ``-h``, a screen of what most people need, and ``--help``, which has everything."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Sequence

import click

_WIDTH, _EXAMPLES = 80, 2
_FIRST_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


def _show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(short_help(context))
        context.exit()


_SHORT = click.Option(
    ["-h", "short_help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show,
    help="Show the short help, with the options that most people use, and exit.",
)


class Helped(click.Command):
    """A command with a short help besides the long one."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters of the command, ``-h``, and ``--help``, which click adds."""
        *parameters, long_help = super().get_params(ctx)
        return [*parameters, _SHORT, long_help]

    def format_usual(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the short help lists: the options that most people use, or the commands of a group."""


class HelpedGroup(Helped, click.Group):
    """A group whose short help is shown where no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed; nothing at all is wrong usage."""
        if not args and not ctx.resilient_parsing:
            click.echo(short_help(ctx), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)


def short_help(context: click.Context) -> str:
    """The short help of a command: usage, summary, two examples, what most people use, and how to see everything."""
    command, path = context.command, context.command_path
    formatter = context.make_formatter()
    formatter.width = min(_WIDTH, context.terminal_width or shutil.get_terminal_size().columns)
    command.format_usage(context, formatter)
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(first_sentence(inspect.cleandoc(command.help or "")))
    formatter.write_paragraph()
    for example in examples(command.help or "")[:_EXAMPLES]:
        formatter.write("".join(f"  {line}\n" for line in broken(example, formatter.width - 2)))
    if isinstance(command, Helped):
        command.format_usual(context, formatter)
    formatter.write_paragraph()
    if isinstance(command, click.Group):
        what = (command.subcommand_metavar or "COMMAND").split()[0]
        formatter.write(f"For one {what.lower()}: {path} {what} -h, or --help for all of its options\n")
    else:
        formatter.write(f"All options: {path} --help\n")
    return formatter.getvalue().rstrip("\n")


def first_sentence(text: str) -> str:
    """The first sentence of a text.

    >>> first_sentence("Measure, such as P.5,10. Default: AP.")
    'Measure, such as P.5,10.'
    """
    sentence = _FIRST_SENTENCE.match(text)
    return text if sentence is None else sentence[0]


def examples(text: str) -> list[str]:
    """The lines of a help that are commands.

    >>> examples("Scores of runs.\\n\\n    biasvar check runs\\n    biasvar scores runs -q qrels\\n")
    ['biasvar check runs', 'biasvar scores runs -q qrels']
    """
    return [line.strip() for line in text.splitlines() if line.strip().startswith("biasvar ")]


def broken(command: str, width: int) -> Sequence[str]:
    """A command on lines of at most ``width`` columns, each but the first an option, which a shell reads as one.

    >>> for line in broken("biasvar check runs -q qrels", 25):
    ...     print(line)
    biasvar check runs \\
        -q qrels
    """
    if len(command) <= width:
        return [command]
    lines: list[str] = []
    for part in re.split(" (?=-)", command):
        if lines and len(lines[-1]) + 1 + len(part) <= width - 2:
            lines[-1] += f" {part}"
        else:
            lines.append(f"    {part}" if lines else part)
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]
