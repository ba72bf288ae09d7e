"""What the text says of tests of systems that have several runs: what they ask, and what more runs or queries would do.

The runs of a system are called runs, whatever the noun for the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Protocol

import numpy as np

from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import IntArray
from biasvar_cli.tables.rounding import num
from biasvar_cli.words import QUERIES, argument, listed, verb

_MOST = 4  # systems in a sentence
HALF = 0.5  # of the squared standard error, from which on more runs of a system help more than more queries
_ROUGH = 5  # runs of a system, below which numbers of runs and queries are rough

OF_RUNS = "The tests are of these means, so they are about these runs of a system, not about others"


class Systems(Protocol):
    """How many runs each system has, and whether those of one number belong together."""

    @property
    def sizes(self) -> IntArray: ...

    @property
    def paired(self) -> bool: ...


def pair_notes(tests: PairTests | None, *, typed: bool = True) -> Iterator[str]:
    """`system_notes` on tests of pairs."""
    yield from system_notes(*((), None) if tests is None else (tests.runs, tests.systems), typed=typed)


def system_notes(runs: Sequence[str], systems: Systems | None, *, typed: bool = True) -> Iterator[str]:
    """Whether tests are about systems or about these runs of them, and which of the ``runs`` are taken as they are.

    Where notes are ``typed`` they name the option of the other question, which no caption does.
    """
    if systems is None:
        yield f"{OF_RUNS} ({argument(infer='systems')})." if typed else f"{OF_RUNS}."
        return
    paired = ", and the runs of one number belong together" if systems.paired else ""
    about = f"whether other runs of these systems, and other {QUERIES}, would say so too{paired}"
    yield f"The tests ask {about}" + (f"; {argument(infer='runs')} is about these runs alone." if typed else ".")
    single = [str(runs[row]) for row in np.flatnonzero(systems.sizes == 1).tolist()]
    if single:
        is_taken = verb(
            len(single), "has one run and is taken as it is: its", "have one run and are taken as they are: their"
        )
        yield f"{listed(single, _MOST)} {is_taken} luck is not counted."
    if 2 in systems.sizes:
        yield f"Two runs of a system tell little of others: a third one tells more than any number of {QUERIES}."


def more_runs_notes(tests: PairTests) -> Iterator[str]:
    """Of how many pairs that do not differ most of the error is due to the runs of the systems."""
    if tests.systems is None or tests.plans is None or tests.why_undecided is not None:
        return
    of_runs = [plan.share > HALF for plan, differs in zip(tests.plans, tests.differs, strict=True) if not differs]
    n = sum(of_runs)
    if n:
        which = "the pair" if len(of_runs) == 1 else f"{n} of the {len(of_runs)} pairs"
        yield more_runs_words(f"{which} that {verb(len(of_runs), 'does', 'do')} not differ")


def more_runs_words(which: str) -> str:
    """That more runs of systems would tell more than more queries of some comparisons."""
    error = f"Most of the squared standard error of {which} is due to the runs of the systems"
    return f"{error}: more runs, not more {QUERIES}, would tell more."


def share_words(tests: PairTests, pair: int) -> str:
    """How much of the squared standard error of a pair is due to runs, and what would lower it."""
    assert tests.plans is not None, "systems are tested"
    share = tests.plans[pair].share
    if isnan(share):
        return ""
    more = f": more runs, not more {QUERIES}" if share > HALF and not tests.differs[pair] else ""
    return f"{num(100 * share, 2)} % of the squared standard error is due to the runs{more}"


def needed_words(tests: PairTests, pair: int) -> str:
    """How many runs or queries the half-width of the request takes."""
    runs, queries, half_width = tests.replicates_needed, tests.queries_needed, tests.request.half_width
    if runs is None or queries is None or half_width is None or tests.systems is None:
        return ""
    about = "about " if _is_rough(tests.systems) else ""
    n_runs = "no number of runs will do" if runs[pair] is None else f"{about}{runs[pair]} runs of each system"
    n_queries = f"no number of {QUERIES} will do" if queries[pair] is None else f"{about}{queries[pair]} {QUERIES}"
    return f"For an interval of ±{half_width:g}: {n_runs}, or {n_queries}"


def needed_notes(systems: Systems | None, half_width: float | None, level: float) -> Iterator[str]:
    """What the columns of the numbers of runs and of queries mean."""
    if half_width is None or systems is None:
        return
    rough = f" With fewer than {_ROUGH} runs of a system the numbers are rough." if _is_rough(systems) else ""
    meant = f"for an interval of ±{half_width:g} ({100 * level:g} %)"
    yield f"runs needed of each system, queries needed: {meant}; - : no number will do.{rough}"


def _is_rough(systems: Systems) -> bool:
    several = systems.sizes[systems.sizes > 1]
    return bool(several.min(initial=_ROUGH) < _ROUGH)
