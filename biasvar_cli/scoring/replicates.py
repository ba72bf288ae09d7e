"""Which runs are replicates of one system: by a pattern of names, by a file, or as a notebook says."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence

from biasvar_cli.errors import DataError, UsageError, warn
from biasvar_cli.readers.maps import read_systems
from biasvar_cli.specs import Systems, is_file
from biasvar_cli.words import argument, counted, examples

_FILE = "a csv of run,system"


def systems_of(runs: Sequence[str], replicates: Systems) -> dict[str, str]:
    """The system of each run: itself where nothing else is said of it.

    ``replicates`` is the path of a csv of run,system, the same as a mapping, or a regular expression. One with a group
    has to match the whole name of a run, and the group is the name of its system; what one without a group matches is
    left out of the name.

    Raises `UsageError` for what is no regular expression and for a name that is empty or no text, and `DataError` where
    no run has a system, where every run is a system of its own, where a pattern makes one system of all runs, and where
    a run that is a system of its own has the name of another one.

    >>> runs = ["bm25", "bert-seed1", "bert-seed2", "t5-seed1"]
    >>> systems_of(runs, "-seed[0-9]+")
    {'bm25': 'bm25', 'bert-seed1': 'bert', 'bert-seed2': 'bert', 't5-seed1': 't5'}
    >>> systems_of(runs, "(.*)-seed[0-9]+") == systems_of(runs, "-seed[0-9]+")
    True
    >>> systems_of(runs, "-fold[0-9]+")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: replicates='-fold[0-9]+': no file of that name, and no run matches; the runs are \
bm25, bert-seed1, ...
    """
    text = os.fspath(replicates) if isinstance(replicates, os.PathLike) else replicates
    if not isinstance(text, str | Mapping):
        raise UsageError(f"expected a pattern of names or {_FILE}, found {text!r}", option="replicates")
    is_listed = isinstance(text, Mapping) or is_file(text)
    if isinstance(text, str) and not is_listed:
        option = argument(replicates=text)
        systems = _by_pattern(option, text, runs)
        if len(set(systems.values())) == 1 and len(systems) == len(runs) > 1:
            one = next(iter(systems.values()))
            raise DataError(f"{option}: makes one system, {one}, of all {len(runs)} runs; {_FILE} can say so")
    else:
        option = argument(replicates=text) if isinstance(text, str) else argument("replicates")
        systems = _listed(option, text, runs)
    _require_systems(option, systems, runs, is_listed=is_listed)
    return {run: systems.get(run, run) for run in runs}


def compiled_pattern(pattern: str, *, option: str = "replicates", noun: str = "system") -> re.Pattern[str]:
    """A pattern of names, whose group is the name of a ``noun``.

    Raises `UsageError` for what is no regular expression, and for several groups.
    """
    option = argument(**{option: pattern})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # of a set in a set, which will mean something else
            compiled = re.compile(pattern)
    except (re.error, FutureWarning) as error:
        raise UsageError(f"{option}: no file of that name, and no regular expression: {error}") from None
    if compiled.groups > 1:
        raise UsageError(
            f"{option}: has {compiled.groups} groups, and one is the name of the {noun}; write the others as (?:...)"
        )
    return compiled


def _by_pattern(option: str, pattern: str, runs: Sequence[str]) -> dict[str, str]:
    """The systems of the runs that a pattern matches."""
    compiled = compiled_pattern(pattern)
    systems: dict[str, str] = {}
    for run in runs:
        match = compiled.fullmatch(run) if compiled.groups else compiled.search(run)
        if match is None or (not compiled.groups and not match[0]):
            continue
        systems[run] = (match[1] or "") if compiled.groups else run[: match.start()] + run[match.end() :]
        if not systems[run]:
            raise DataError(f"{option}: leaves no name for the system of {run}; match a part of the name only")
    if not systems:
        whole = " as a whole (its group is the name of the system)" if compiled.groups else ""
        raise DataError(f"{option}: no file of that name, and no run matches{whole}; the runs are {examples(runs, 2)}")
    return systems


def _listed(option: str, replicates: str | Mapping[str, str], runs: Sequence[str]) -> dict[str, str]:
    """The systems of the runs that a file or a mapping lists; others that it lists are left out with a warning."""
    listed = _as_text(replicates) if isinstance(replicates, Mapping) else read_systems(replicates)
    absent = sorted(listed.keys() - set(runs))
    if len(absent) == len(listed):
        raise DataError(f"{option}: none of the runs is listed; the runs are {examples(runs, 2)}")
    if absent:
        warn(f"{option}: {counted(len(absent), 'run')} outside the evaluated ones left out: {examples(absent)}")
    return {run: system for run, system in listed.items() if run in set(runs)}


def _as_text(replicates: Mapping[str, str]) -> dict[str, str]:
    """A mapping as it is; raises `UsageError` where a name of it is no text or empty."""
    for pair in replicates.items():
        for name in pair:
            if not isinstance(name, str) or not name:
                raise UsageError(
                    f"expected the name of the system of each run, found {dict([pair])!r}", option="replicates"
                )
    return dict(replicates)


def _require_systems(option: str, systems: Mapping[str, str], runs: Sequence[str], *, is_listed: bool) -> None:
    """Raise `DataError` where no system has two runs, or where a name is that of a system and of another run."""
    if len(set(systems.values())) == len(systems):
        pairs = ", ".join(f"{run} is of {system}" for run, system in list(systems.items())[:2])
        raise DataError(f"{option}: no two runs are of one system: {pairs}")
    named = set(systems.values())
    for run in runs:
        if run in named and systems.get(run, run) == run and run not in systems:
            replicates = [other for other, system in systems.items() if system == run]
            remedy = f"list {run} too" if is_listed else f"list the systems in {_FILE}, {run} too"
            what = f"{run} is a run, and the name of the system of {examples(replicates)}"
            raise DataError(f"{option}: {what}; {remedy}, as a run of that system or of another one")
