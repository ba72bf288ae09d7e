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


def group(key: str, build: Callable[..., object], *options: Decorator) -> Decorator:
    """A decorator that adds options to a command, and passes it as ``key`` what ``build`` makes of exactly these.

    Groups are built in the order of the decorators of a command, before its body runs.

    >>> seconds = group("time", lambda hours, minutes: 3600 * hours + 60 * minutes,
    ...                 click.option("--hours", default=0), click.option("--minutes", default=0))
    >>> command = click.command()(seconds(lambda time: time))
    >>> command.main(["--hours", "1", "--minutes", "2"], standalone_mode=False)
    3720
    """
    add = together(*options)
    own = [str(parameter.name) for parameter in click.command(add(lambda: None)).params if parameter.expose_value]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_value(**typed: Any) -> Any:
            try:
                result = build(**{name: typed[name] for name in own})
            except UsageError as error:
                if error.option is None:
                    raise
                raise click.UsageError(f"{error.typed}.") from None
            others = {name: value for name, value in typed.items() if name not in own}
            return command(**others, **{key: result})

        return add(with_value)

    return decorate
