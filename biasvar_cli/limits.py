"""The ranges of numbers that a user gives, by the name of the argument: the command line and notebooks refuse alike."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from biasvar_cli.errors import UsageError


class Limits(NamedTuple):
    """A range, and what its numbers are called; ``open_least`` and ``open_most`` say that an end is not in it.

    >>> 0.5 in Limits(0, 1, open_least=True), 0 in Limits(0, 1, open_least=True), float("nan") in Limits(0, 1)
    (True, False, False)
    """

    least: float
    most: float = inf
    open_least: bool = False
    open_most: bool = False
    noun: str = "number"

    def expected(self, *, whole: bool = False, several: bool = False) -> str:
        """What is expected of a number, or of ``several``, in words.

        >>> Limits(1, 10).expected(whole=True), Limits(0, 1, True, True, "level").expected(several=True)
        ('a whole number from 1 to 10', 'levels between 0 and 1')
        """
        noun = f"{'whole ' if whole else ''}{self.noun}"
        return f"{noun}s {self.words}" if several else f"a {noun} {self.words}"

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int | float) or number != number:
            return False
        above = number > self.least if self.open_least else number >= self.least
        return above and (number < self.most if self.open_most else number <= self.most)

    @property
    def words(self) -> str:
        """The range in words.

        >>> [Limits(*ends).words for ends in ((1, 10), (0, 1, True, True), (0, inf, True, True), (0.5, 1, False, True))]
        ['from 1 to 10', 'between 0 and 1', 'above 0', 'of at least 0.5 and below 1']
        """
        least, most = (str(end) if isinstance(end, int) else f"{end:g}" for end in (self.least, self.most))
        if self.most < inf and self.open_least == self.open_most:
            return f"between {least} and {most}" if self.open_least else f"from {least} to {most}"
        upper = "" if self.most == inf else f" and {'below' if self.open_most else 'at most'} {most}"
        return f"{'above' if self.open_least else 'of at least'} {least}{upper}"


_SHARE = Limits(0, 1, open_least=True, open_most=True)
_LEVEL = _SHARE._replace(noun="level")
_SAMPLES = Limits(1, 100_000)  # some kB each on a track of sixty runs: as many as a machine has room for
_COUNT = Limits(1, 1_000_000)  # more than a track has runs or queries

LIMITS: Mapping[str, Limits] = {
    "alpha": Limits(0, 1_000_000),
    "ci": _LEVEL,
    "count": _COUNT,
    "dask_timeout": Limits(1, 86_400),  # seconds: a day
    "detect": Limits(0, inf, open_least=True, open_most=True),
    "digits": Limits(0, 17),  # which distinguish all doubles
    "eps": Limits(0, 1e100, open_least=True),
    "epsilon": _SHARE,
    "highest_alpha": Limits(0, 1_000_000, open_least=True),
    "jobs": Limits(1, 1024),
    "level": _LEVEL,
    "max_grade": Limits(1, 1000),  # beyond 1023, 2^grade is no number
    "max_size": Limits(1, 1024**5),
    "null_samples": Limits(100, _SAMPLES.most),
    "power": Limits(0.5, 1, open_most=True),
    "precision": Limits(1e-4, 100),  # half an interval of ln var
    "r_loss": _COUNT,  # documents
    "repeats": _SAMPLES,
    "resamples": _SAMPLES,
    "samples": Limits(100, 1_000_000),
    "seed": Limits(0, 2**64 - 1),
    "splits": Limits(1, 1_000_000),
    "subset_size": _COUNT,
    "tie_eps": Limits(0, inf, open_most=True),
}


def require_limits(request: object) -> None:
    """Raise `UsageError` for a number of a request, or one of several, that is not within the limits of its name.

    >>> class Request:
    ...     tie_eps = -1.0
    >>> require_limits(Request())
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: tie_eps: expected a number of at least 0, found -1
    """
    for name in LIMITS:
        value = getattr(request, name, None)
        several = isinstance(value, tuple)
        for number in value if isinstance(value, tuple) else () if value is None else (value,):
            if isinstance(number, int | float) and number not in LIMITS[name]:
                reason = f"expected {LIMITS[name].expected(whole=isinstance(number, int), several=several)}"
                raise UsageError(f"{reason}, found {number:g}", option=name)


def available_cores() -> int:
    """The cores this process may run on.

    >>> available_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
