"""A group of options, which reaches a command as one value."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from biasvar_cli.errors import UsageError

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def together(*decorators: Decorator) -> Decorator:
    """Several decorators as one; what the first adds stands first in the help."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def group(name: str, build: Callable[..., object], *options: Decorator) -> Decorator:
    """A decorator that adds options to a command, and passes it as ``name`` what ``build`` makes of exactly these.

    Groups are built in the order of the decorators of a command, before its body runs.

    >>> seconds = group("time", lambda hours, minutes: 3600 * hours + 60 * minutes,
    ...                 click.option("--hours", default=0), click.option("--minutes", default=0))
    >>> command = click.command()(seconds(lambda time: time))
    >>> command.main(["--hours", "1", "--minutes", "2"], standalone_mode=False)
    3720
    """
    add = together(*options)
    own = _names(add)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_value(**typed: Any) -> Any:
            try:
                value = build(**{each: typed[each] for each in own})
            except UsageError as error:
                if error.option is None:
                    raise
                raise click.UsageError(f"{error.typed}.") from None
            others = {each: given for each, given in typed.items() if each not in own}
            return command(**others, **{name: value})

        return add(with_value)

    return decorate


def _names(add: Decorator) -> list[str]:
    """The parameters that a command gets from some options."""
    parameters = click.command(add(lambda: None)).params
    return [str(parameter.name) for parameter in parameters if parameter.expose_value]
