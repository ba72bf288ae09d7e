"""What is said of wrong usage: the error itself, and below it the line that helps, such as the corrected command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from biasvar_cli.console.terminal import Session
from biasvar_cli.errors import MissingQrels, UsageError
from biasvar_cli.tables.rounding import printable
from biasvar_cli.words import shell_word


class Refusal(click.UsageError):
    """Wrong usage that a request or the data refuse, as click's own errors are: with the context of the command."""

    def __init__(self, error: UsageError, context: click.Context) -> None:
        super().__init__(error.typed, context)
        self.error = error


@contextmanager
def refusals(context: click.Context) -> Iterator[None]:
    """Raise `Refusal` of a command for a `UsageError`, and let an error of click's parser know the command."""
    try:
        yield
    except UsageError as error:
        raise Refusal(error, context) from None
    except click.UsageError as error:
        error.ctx = error.ctx or context
        raise


def messages(error: click.ClickException) -> list[str]:
    """What is wrong, in the style of our own errors: no capital, no full stop; one fault a line.

    >>> messages(click.NoSuchOption("--tpo", possibilities=["--top", "--sort"]))
    ["no such option '--tpo'; did you mean --top?"]
    """
    if isinstance(error, Refusal):
        return error.message.split("\n")
    near = getattr(error, "possibilities", None) or ()  # of an option, or of a command
    message = error.message if near else error.format_message()
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return [f"{message[:1].lower()}{message[1:].removesuffix('.')}{hint}"]


def advice(error: click.UsageError) -> list[str]:
    """The lines below the message: the corrected command, or else the usage where that helps, and what has help."""
    context = error.ctx
    if context is None:
        return []
    if isinstance(error, Refusal) and isinstance(error.error, MissingQrels) and len(error.error.qrels) == 1:
        command = _with_qrels(context, error.error.qrels[0])
        if command == printable(command):
            return [command]
    unknown_command = isinstance(context.command, click.Group) and not isinstance(error, click.NoSuchOption)
    usage = [context.get_usage()] if unknown_command or isinstance(error, click.MissingParameter) else []
    return [*usage, f"Try '{context.command_path} -h' for help."]


def _with_qrels(context: click.Context, qrels: str) -> str:
    """The command as it was typed, with one of its inputs as the judgments."""
    session = context.find_object(Session)
    names = context.command_path.split()
    typed = [] if session is None else session.arguments[len(names) - 1 :]
    takes_value = {
        name
        for option in context.command.params
        if isinstance(option, click.Option) and not option.is_flag
        for name in option.opts
    }
    return " ".join(map(shell_word, [*names, *with_qrels(typed, qrels, takes_value)]))


def with_qrels(typed: Sequence[str], qrels: str, takes_value: set[str]) -> list[str]:
    """The arguments of a command with ``-q`` before the first input that is the file ``qrels``, at the end without one.

    The file is an input no more, nor the value of another option; ``takes_value`` are the options that have one.

    >>> with_qrels(["runs", "qrels.txt", "-m", "AP"], "qrels.txt", {"-m"})
    ['runs', '-q', 'qrels.txt', '-m', 'AP']
    >>> with_qrels(["runs", "--pool", "q", "--", "q"], "q", {"--pool"})
    ['runs', '-q', 'q', '--']
    """
    words: list[str] = []
    position = end_of_options = None
    rest = list(typed)
    while rest:
        word = rest.pop(0)
        option, _, value = word.partition("=")
        if end_of_options is None and word == "--":
            end_of_options = len(words)
            words.append(word)
        elif end_of_options is None and word in takes_value and rest:
            value = rest.pop(0)
            words += [] if value == qrels else [word, value]
        elif end_of_options is None and option in takes_value and value == qrels:
            continue
        elif word == qrels:
            position = len(words) if position is None else position
        else:
            words.append(word)
    last = len(words) if end_of_options is None else end_of_options
    position = last if position is None else min(position, last)
    return [*words[:position], "-q", qrels, *words[position:]]
