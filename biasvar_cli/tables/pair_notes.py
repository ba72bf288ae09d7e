"""What is known of pairs of runs, and the sentences under its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np

from biasvar_cli.analyses.discrimination import Power, SampleSize
from biasvar_cli.analyses.pairs import TOGETHER, PairTests
from biasvar_cli.analyses.swaps import TOLERATED, Swaps
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.stats.two_way import Anova, Friedman
from biasvar_cli.tables.table import Note
from biasvar_cli.words import counted

CompareTable = Literal["runs", "pairs", "power", "swap"]
TEST_NAMES = {
    "t": "paired t",
    "randomisation": "randomisation",
    "bootstrap": "studentised bootstrap",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
    "tukey": "randomised Tukey HSD",
    "stepdown": "step-down bootstrap",
}
_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini and Hochberg"}


@dataclass(frozen=True, eq=False)
class PairResults:
    """All that is known of which runs of a track differ; ``swaps`` is None where it was not asked for."""

    measure: str | None
    target: VirtualTarget
    tests: PairTests
    power: Sequence[Power]
    size: SampleSize
    anova: Anova
    friedman: Friedman
    swaps: Swaps | None

    @property
    def critical(self) -> tuple[str, float]:
        """The test of all pairs whose critical difference the table of runs has, and that difference."""
        name = next((test for test in TOGETHER if test in self.tests.p), "stepdown")
        return name, self.tests.critical[name]


def notes_of(found: PairResults, table: CompareTable, *, n_rows: int, n_all: int) -> Iterator[Note]:
    """The sentences under one of the tables, of which ``n_rows`` of ``n_all`` rows are shown."""
    if n_rows < n_all:
        yield Note(f"{n_rows} of {n_all} rows shown; every number is of all runs")
    yield from {"runs": _of_runs, "pairs": _of_pairs, "power": _of_power, "swap": _of_swaps}[table](found)


def _of_runs(found: PairResults) -> Iterator[Note]:
    name, critical = found.critical
    level = 100 * found.tests.request.level
    if found.tests.baseline is not None:
        yield Note("With a baseline only pairs with it are tested, so runs have no intervals here: --table pairs")
    elif np.isfinite(critical):
        yield Note(
            f"low, high: runs whose intervals do not overlap differ ({level:g} % for all pairs together, "
            f"{TEST_NAMES[name]}); better, worse: runs that a run beats and loses to; best: not beaten by the best"
        )
        yield Note("Critical difference of two runs: {}", (critical,), signed=False)
    else:
        yield Note("No intervals: ask for --test stepdown or tukey, with enough --samples")
    yield from _found(found)
    yield from _track(found)


def _of_pairs(found: PairResults) -> Iterator[Note]:
    level, correction = 100 * found.tests.request.level, found.tests.request.correction
    yield Note(
        f"delta: run minus versus, with its t interval ({level:g} %, for this pair alone); es: delta over its deviation"
    )
    if correction in _CORRECTIONS:
        yield Note(
            f"_{correction}: p adjusted for all {counted(len(found.tests.delta), 'pair')} ({_CORRECTIONS[correction]})"
        )
    yield from _found(found)


def _of_power(found: PairResults) -> Iterator[Note]:
    level = 1 - found.tests.request.level
    yield Note(f"significant: p below {level:g}; a high share says that the measure tells runs apart on these queries")
    yield from _track(found)


def _of_swaps(found: PairResults) -> Iterator[Note]:
    swaps = found.swaps
    assert swaps is not None, "swaps are counted where they are shown"
    yield Note(
        f"{counted(swaps.n_splits, 'split')} of the queries into two halves of {swaps.half}. rate: of the pairs "
        "that are low to high apart on one half, the share that is the other way round on the other"
    )
    if swaps.needed == swaps.needed:
        yield Note(
            f"At most {100 * TOLERATED:g} % are swaps from a difference of {{}} on; the share of comparisons as large "
            "is {}",
            (swaps.needed, swaps.share),
            signed=False,
        )
    else:
        yield Note(f"More than {100 * TOLERATED:g} % are swaps among the largest differences too")


def _found(found: PairResults) -> Iterator[Note]:
    """How many pairs each test finds."""
    parts = []
    for each in found.power:
        after = f" ({_CORRECTIONS[each.correction]})" if each.correction is not None else ""
        parts.append(f"{TEST_NAMES[each.test]}{after} {each.n_significant}")
    yield Note(f"Pairs that differ, of {len(found.tests.delta)}: {', '.join(parts)}")
    if {"wilcoxon", "sign"} & set(found.tests.p):
        yield Note("Wilcoxon and sign test another hypothesis than equal means; on real scores they reject too often")


def _track(found: PairResults) -> Iterator[Note]:
    """All runs at once, and what so many queries can find."""
    anova, friedman, size = found.anova, found.friedman, found.size
    yield Note(
        f"All runs equal? ANOVA F({anova.df_runs}, {anova.df_error}) = {{}}, p {{}}; "
        f"Friedman's chi-square({friedman.df}) = {{}}, p {{}}",
        (anova.f_runs, anova.p_runs, friedman.chi2, friedman.p),
        signed=False,
    )
    n_queries = counted(found.tests.values.shape[1], "query")
    text = f"With {n_queries} a t test finds a difference of {{}} with power {size.power:g}"
    if size.detect == size.detect:
        text += f"; for {size.detect:g} it needs {ceil(size.queries)} queries"
    yield Note(f"{text} (median pair)", (size.detectable,), signed=False)
