"""The remedies that a message prints, as the options of a second try of the same command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from biasvar_cli.cli import biasvar as program

_NAMED = re.compile(r"(?<![\w-])(--[a-z][a-z-]+|-[mq])(?: ('[^']*'|[^\s;,:()]+)((?: \| [\w.-]+)*))?")
_ABOVE = "give the folder above both with "  # in place of the inputs; a test of its own tries it
_LISTED = re.compile(r"--measure: ([^,;\s]+)")  # choose with --measure: AP, nDCG


def options_of(command: str) -> dict[str, click.Option]:
    """The options of a command of the program, by every name that may be typed."""
    parameters: list[click.Parameter] = program.commands[command].params
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
    return {name: option for option in options for name in option.opts}


def remedies(message: str, command: Sequence[str]) -> Iterator[list[list[str]]]:
    """What to add to a command, by its error: for each option that is named, one or more ways to give it.

    An option that was typed is what the message is about, and one whose value is a word in capitals or is not named
    cannot be tried.
    """
    if command[0] not in program.commands or command[0] == "plot":
        return
    known = options_of(command[0])
    for option, value, others in _NAMED.findall(message.partition(_ABOVE)[0]):
        if option not in known or any(name in command for name in known[option].opts):
            continue
        listed = _LISTED.search(message) if option == "--measure" else None
        if known[option].is_flag:
            yield [[option]]
        elif listed is not None:
            yield [[option, listed[1]]]
        elif value and not re.fullmatch(r"[A-Z|.=]+", value):
            yield [[option, word.strip("'")] for word in [value, *others.split(" | ")[1:]]]


def fruitless(run: Callable[..., Any], command: Sequence[str]) -> list[str]:
    """The remedies of a refused command that lead no further: a second try is refused in the same words."""

    def errors(words: str) -> list[str]:
        return [line for line in words.splitlines() if "warning:" not in line]

    refused = run(*command)
    tries = {tuple(way): run(*command, *way) for ways in remedies(refused.err, command) for way in ways}
    return [
        " ".join(ways[0])
        for ways in remedies(refused.err, command)
        if all(tries[tuple(way)].code != 0 and errors(tries[tuple(way)].err) == errors(refused.err) for way in ways)
    ]
