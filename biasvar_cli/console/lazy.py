"""Commands that are imported when they are asked for, so that none waits for the options of the others.

Start-up is part of the product: ``--help`` imports nothing but click. `decompose` imports neither pandas nor scipy,
which takes some care: ``pa.array``, ``to_numpy`` and ``fill_null`` of pyarrow import pandas, so the hot path uses
``readers.columns`` instead, and ``numpy.unique`` imports numpy.ma (6 ms). scipy.special is imported in the functions
that need a distribution. Tests watch over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module

import click


class LazyCommands(MutableMapping[str, click.Command]):
    """The commands of a group by name, in the order of ``paths``: where each is, as ``module:name`` of the program.

    >>> commands = LazyCommands({"check": "analyses.check.command:check"})
    >>> list(commands), commands["check"].name
    (['check'], 'check')
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        self.paths = dict(paths)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module, _, attribute = self.paths[name].partition(":")
            self._loaded[name] = getattr(import_module(f"biasvar_cli.{module}"), attribute)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.paths[name] = ""
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self.paths[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, name: object) -> bool:
        return name in self.paths
