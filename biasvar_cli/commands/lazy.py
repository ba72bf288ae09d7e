"""Commands that are imported when they are asked for, so that none waits for the options of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import NamedTuple

import click


class Place(NamedTuple):
    """Where a command is found, as ``module:name`` of this package, and what the list of commands says of it."""

    path: str
    short_help: str


class LazyCommands(MutableMapping[str, click.Command]):
    """The commands of a group by name, in the order of ``places``.

    >>> commands = LazyCommands({"check": Place("check:check", "What is wrong or odd in the files.")})
    >>> list(commands), commands["check"].short_help
    (['check'], 'What is wrong or odd in the files.')
    """

    def __init__(self, places: Mapping[str, Place]) -> None:
        self.places = dict(places)
        self._found: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._found:
            path, short_help = self.places[name]
            module, _, attribute = path.partition(":")
            command: click.Command = getattr(import_module(f"{__package__}.{module}"), attribute)
            command.short_help = short_help
            self._found[name] = command
        return self._found[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.places[name] = Place("", command.short_help or "")
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self.places[name]
        self._found.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places
