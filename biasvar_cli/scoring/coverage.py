"""How much of the top of runs is judged, and whether the qrels can be the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.readers.qrels import RELEVANT, Qrels
from biasvar_cli.scoring.ranking import Ranking
from biasvar_cli.words import argument

TOP = 10  # documents of a topic: the judged ones among them are counted
MOSTLY = 0.5  # of them
_NEARLY_ALL = 0.95


class Coverage(NamedTuple):
    """The first `TOP` documents of each query of a run: what share is not judged, and of those that could be judged.

    A query has no more documents that could be judged than it has judgments: where these are few, as in MS MARCO, most
    of the top of a good run is not judged, but not most of what could be.
    """

    unjudged: float = 0.0
    missing: float = 0.0

    @classmethod
    def of(cls, ranking: Ranking) -> Coverage:
        """Those of a ranking."""
        return cls(ranking.unjudged_share(TOP), ranking.missing_share(TOP))


ALL_JUDGED = Coverage()


class Doubt(NamedTuple):
    """A sentence that doubts the qrels, and whether it is a reason to stop."""

    level: Literal["error", "warning"]
    what: str


def lists_irrelevant(qrels: Qrels) -> bool:
    """Whether documents that are not relevant are listed: else what is not judged may have been judged so."""
    return bool((qrels.grades < RELEVANT).any())


def doubt(qrels: Qrels, runs: Sequence[Coverage]) -> Doubt | None:
    """Whether the runs have too few judged documents for these qrels; None where there is no doubt, or no run.

    An error where nearly all of the top of every run is not judged; a warning where most of it is not, in most of the
    runs. Where the qrels list relevant documents alone, there is a doubt only where nearly all are missing.

    >>> from biasvar_cli.readers.qrels import parse_qrels
    >>> judged = parse_qrels(b"1 0 a 1\\n1 0 b 0", "qrels.txt")
    >>> doubt(judged, [Coverage(0.75, 0.6), Coverage(0.8, 0.7), Coverage(0.2, 0.2)]).what
    '75 % of the top 10 is unjudged (median of 3 runs): are these the right qrels (qrels.txt)?'
    >>> doubt(judged, [Coverage(0.97, 0.96)]).level
    'error'
    >>> doubt(judged, [Coverage(0.97, 0.5)])
    """
    limit = MOSTLY if lists_irrelevant(qrels) else _NEARLY_ALL
    if 2 * sum(run.missing > limit for run in runs) <= len(runs):
        return None
    among = f" (median of {len(runs)} runs)" if len(runs) > 1 else ""
    share = f"{100 * float(np.median([run.unjudged for run in runs])):.0f} % of the top {TOP} is unjudged{among}"
    what = f"{share}: are these the right qrels ({qrels.path})?"
    if not all(run.missing > _NEARLY_ALL for run in runs):
        return Doubt("warning", what)
    return Doubt("error", f"{what} {argument(allow_unjudged=True)} computes scores all the same")
