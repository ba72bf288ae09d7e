"""The remedies that a message prints, as the options of a second try of the same command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from biasvar_cli.cli import biasvar as program

_NAMED = re.compile(r"(?<![\w-])(--[a-z][a-z-]+|-[mq])(?: ('[^']*'|[^\s;,:()]+)((?: \| [\w.-]+)*))?")
_ABOVE = "give the folder above both with |did you mean "  # other inputs, which a test of its own tries; a slip
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
    for option, value, others in _NAMED.findall(re.split(_ABOVE, message)[0]):
        if option not in known or any(name in command for name in known[option].opts):
            continue
        listed = _LISTED.search(message) if option == "--measure" else None
        if known[option].is_flag:
            yield [[option]]
        elif listed is not None:
            yield [[option, listed[1]]]
        elif value and not re.fullmatch(r"[A-Z|.=]+", value) and (option != "-q" or Path(value).exists()):
            yield [[option, word.strip("'")] for word in [value, *others.split(" | ")[1:]]]


def fruitless(run: Callable[..., Any], command: Sequence[str]) -> list[str]:
    """The remedies of a refused command that lead no further: a second try has the same errors, or nothing is left."""

    def errors(words: str) -> set[str]:
        return {line for line in words.splitlines() if "error:" in line}

    refused = run(*command)
    tries = {tuple(way): run(*command, *way) for ways in remedies(refused.err, command) for way in ways}
    return [
        " ".join(ways[0])
        for ways in remedies(refused.err, command)
        if all(
            tries[tuple(way)].code != 0
            and (errors(refused.err) <= errors(tries[tuple(way)].err) or "leaves out every" in tries[tuple(way)].err)
            for way in ways
        )
    ]
