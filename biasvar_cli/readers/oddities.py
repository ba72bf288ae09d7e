"""What is odd in a file and worth saying, but no reason to stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from biasvar_cli.errors import notice, warn
from biasvar_cli.words import counted, plural

_EXAMPLES = 3


class Oddity(NamedTuple):
    """One kind of oddity in one run or file: ``what`` is the kind in words, ``number`` of ``unit`` have it.

    ``unit`` is a noun in the singular. A number of 0 stands for an oddity that is not counted; ``unit`` then says more.
    ``holder`` is what ``where`` is: a run or a file. ``notice`` is what a run with it has, in words, where that is
    usual and changes no reading; empty for what is to be warned of.
    """

    what: str
    where: str
    number: int
    unit: str
    holder: str = "run"
    notice: str = ""

    @property
    def extent(self) -> str:
        """The number with its unit, or the unit alone: ``2 topics``."""
        return counted(self.number, self.unit) if self.number else self.unit


def warn_oddities(oddities: Iterable[Oddity]) -> None:
    """Issue one `DataWarning` per kind, with the number of runs or files and the first examples by name.

    What is a notice becomes one `DataNotice` per kind, which counts the runs; ``biasvar check`` names them.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as reported:
    ...     warnings.simplefilter("always")
    ...     warn_oddities([Oddity("no results, scored 0", run, 2, "topic") for run in ("b", "a")])
    >>> print(reported[0].message)
    no results, scored 0: in 2 runs: a (2 topics), b (2 topics)
    """
    kinds: dict[str, list[Oddity]] = {}
    for oddity in oddities:
        kinds.setdefault(oddity.what, []).append(oddity)
    for what, group in kinds.items():
        if group[0].notice:
            n_runs = len({oddity.where for oddity in group})
            have = "has" if n_runs == 1 else "have"
            notice(f"{counted(n_runs, group[0].holder)} {have} {group[0].notice}")
            continue
        group.sort(key=lambda oddity: (oddity.where, oddity.number))
        shown = ", ".join(f"{odd.where} ({odd.extent})" for odd in group[:_EXAMPLES])
        rest = f" and {len(group) - _EXAMPLES} more" if len(group) > _EXAMPLES else ""
        place = "in" if len(group) == 1 else f"in {len(group)} {plural(group[0].holder)}:"
        warn(f"{what}: {place} {shown}{rest}")
