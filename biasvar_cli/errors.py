"""Errors and warnings that a user can do something about; no terminal is known here."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from biasvar_cli.words import counted, examples, near_names


class BiasVarError(Exception):
    """Something the user can mend. ``str()`` of it is the whole message: place, value, remedy.

    ``exit_code`` is what the command line ends with: 1 for data, 2 for usage.
    """

    exit_code = 1


class DataError(BiasVarError):
    """What a file holds is wrong: ``path:line: what is wrong, what was found, what to do``.

    >>> print(DataError("expected 6 columns, found 5", path="runs/bm25.gz", line=17))
    runs/bm25.gz:17: expected 6 columns, found 5
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        place = "" if path is None else path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {message}" if place else message)


class DataErrors(BiasVarError):
    """Several files are wrong: the first error of each, one a line."""

    def __init__(self, errors: list[DataError]) -> None:
        self.errors = errors
        super().__init__("\n".join(str(error) for error in errors))


class UsageError(BiasVarError):
    """What was typed cannot be done, whatever the files hold."""

    exit_code = 2


class DataWarning(UserWarning):
    """Worth saying, no reason to stop."""


class Oddity(NamedTuple):
    """One kind of oddity in one run or file: ``what`` is the kind in words, ``number`` of ``unit`` have it.

    ``unit`` is a noun in the singular. A number of 0 stands for an oddity that is not counted; ``unit`` then says more.
    """

    what: str
    where: str
    number: int
    unit: str

    @property
    def extent(self) -> str:
        """The number with its unit, or the unit alone: ``2 topics``."""
        return counted(self.number, self.unit) if self.number else self.unit


_kept: ContextVar[list[str] | None] = ContextVar("_kept", default=None)


def warn(message: str) -> None:
    """Tell one `DataWarning`, of the code that calls, unless the warnings are kept (`keep_warnings`)."""
    kept = _kept.get()
    if kept is None:
        warnings.warn(message, DataWarning, stacklevel=3)
    else:
        kept.append(message)


@contextmanager
def keep_warnings() -> Iterator[list[str]]:
    """Keep what `warn` would tell, in this thread, as a list: for work of which several are under way at once.

    >>> with keep_warnings() as kept:
    ...     warn("two topics are missing")
    >>> kept
    ['two topics are missing']
    """
    kept: list[str] = []
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def warn_oddities(oddities: Iterable[Oddity], *, examples: int = 3) -> None:
    """One `DataWarning` per kind, with the number of runs or files and the first examples by name.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_oddities([Oddity("no results, scored 0", run, 2, "topic") for run in ("b", "a")])
    >>> print(told[0].message)
    no results, scored 0: in 2 runs: a (2 topics), b (2 topics)
    """
    kinds: dict[str, list[Oddity]] = {}
    for oddity in oddities:
        kinds.setdefault(oddity.what, []).append(oddity)
    for what, found in kinds.items():
        found.sort(key=lambda oddity: (oddity.where, oddity.number))
        shown = ", ".join(f"{odd.where} ({odd.extent})" for odd in found[:examples])
        rest = f" and {len(found) - examples} more" if len(found) > examples else ""
        place = "in" if len(found) == 1 else f"in {len(found)} runs:"
        warn(f"{what}: {place} {shown}{rest}")


def absent_run(asked: str, name: str, runs: Sequence[str]) -> DataError:
    """The error of an option that names a run that is not there: the nearest names, or else the first ones.

    >>> print(absent_run("--versus bm52", "bm52", ["bm25", "ql"]))
    --versus bm52: there is no such run; did you mean bm25?
    """
    near = near_names(name, runs)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the runs are {examples(runs, 5)}"
    return DataError(f"{asked}: there is no such run; {hint}")
