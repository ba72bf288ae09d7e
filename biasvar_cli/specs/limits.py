"""Ranges of numbers that are arguments, and the levels of intervals and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.errors import UsageError, warn
from biasvar_cli.words import argument, listed

if TYPE_CHECKING:
    from biasvar_cli.arrays import FloatArray

FEWEST_QUERIES = 6  # of a test or an interval, or clusters of them
LEVEL = 0.95  # of intervals and tests, where none is asked for
RESAMPLES = 2000  # of bootstrap intervals, where no number is asked for
MAX_GRADE = 4  # of judgments, for ERR
DASK_TIMEOUT = 30  # seconds that a cluster is waited for


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
        if not isinstance(number, int | float) or (isinstance(number, float) and isnan(number)):
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
    "depth": _COUNT,
    "detect": Limits(0, inf, open_least=True, open_most=True),
    "digits": Limits(0, 17),  # which distinguish all doubles
    "eps": Limits(0, 1e100, open_least=True),
    "epsilon": _SHARE,
    "grade": Limits(1, 1_000_000),
    "half_width": Limits(0, inf, open_least=True, open_most=True),
    "highest_alpha": Limits(0, 1_000_000, open_least=True),
    "jobs": Limits(1, 1024),
    "level": _LEVEL,
    "max_grade": Limits(1, 1000),  # beyond 1023, 2^grade is no number
    "max_size": Limits(1, 1024**5),
    "null_samples": Limits(100, _SAMPLES.most),
    "power": Limits(0.5, 1, open_most=True),
    "precision": Limits(1e-4, 100),  # half an interval of ln var
    "r_loss": _COUNT,  # documents
    "rarefied": _COUNT,
    "repeats": _SAMPLES,
    "resamples": _SAMPLES,
    "samples": Limits(100, 1_000_000),
    "seed": Limits(0, 2**64 - 1),
    "splits": Limits(1, 1_000_000),
    "subset_size": _COUNT,
    "tie_eps": Limits(0, inf, open_most=True),
    "top": _COUNT,
    "weights": Limits(0, 1e100),  # of larger ones a sum may be no number
}


def require_limits(request: object) -> None:
    """Raise `UsageError` for a number of a request, or one of several, that is not within the limits of its name.

    Warns of a level below 0.5, which was probably meant as a p-value.

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
            if LIMITS[name].noun == "level" and number < 0.5:
                meant = argument(**{name: threshold(number)})
                warn(f"{argument(**{name: number})} is a level of confidence, 1 - p: for p < {number:g} it is {meant}")


def require_one(option: str, values: Iterable[object]) -> None:
    """Raise `UsageError` where different values of an option are given and one thing is looked at.

    >>> require_one("target", ["best", "perfect"])
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: target: expected one, found best and perfect
    """
    names = dict.fromkeys(map(str, values))
    if len(names) > 1:
        raise UsageError(f"expected one, found {listed(names, None)}", option=option)


_DIGITS = 12  # of p and of 1 - level, beyond which they differ by rounding alone


def threshold(level: float) -> float:
    """1 - level, the p below which a difference is significant, as a person writes it.

    >>> 1 - 0.95, threshold(0.95)
    (0.050000000000000044, 0.05)
    """
    return round(1 - level, _DIGITS)


def is_significant(p: FloatArray | float, level: float) -> Any:
    """Whether p is below 1 - level, of any shape: the one comparison of the two, both rounded to 12 digits.

    A p equal to 1 - level is not below it, whatever the last digits of either; nan, which was not tested, is not.

    >>> import numpy as np
    >>> is_significant(np.array([0.049, 0.05, 0.1 * 0.5, np.nan]), 0.95).tolist()
    [True, False, False, False]
    """
    import numpy as np

    return np.round(p, _DIGITS) < threshold(level)
