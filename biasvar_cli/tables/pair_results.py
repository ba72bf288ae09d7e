"""What is known of which runs of a track differ, and how many pairs each test finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, Literal

from biasvar_cli.analyses.discrimination import Power, SampleSize
from biasvar_cli.analyses.pairs import TOGETHER, PairTests
from biasvar_cli.analyses.swaps import Swaps
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.stats.two_way import Anova, Friedman
from biasvar_cli.tables.table import Table

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
CORRECTIONS = {"holm": "Holm's", "bonferroni": "Bonferroni's", "bh": "Benjamini and Hochberg's"}


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

    @property
    def threshold(self) -> float:
        """The p below which a pair differs."""
        return 1 - self.tests.request.level


def tests_table(found: PairResults) -> Table:
    """How many pairs each test finds, and from which difference on the tests of all pairs do."""
    columns: dict[str, list[Any]] = {
        "test": [test_words(each) for each in found.power],
        "pairs": [each.n_significant for each in found.power],
        "share": [each.share for each in found.power],
    }
    critical = [found.tests.critical.get(each.test, nan) for each in found.power]
    if any(isfinite(value) for value in critical):
        columns["critical difference"] = [value if isfinite(value) else None for value in critical]
    return Table(f"Pairs of runs that differ (p below {found.threshold:g}), of {len(found.tests.delta)}", columns)


def test_words(each: Power) -> str:
    """A test and its correction.

    >>> test_words(Power("t", "holm", 28, 12, 12 / 28, 0.06, 0.03))
    "paired t with Holm's correction"
    """
    after = f" with {CORRECTIONS[each.correction]} correction" if each.correction is not None else ""
    return f"{TEST_NAMES[each.test]}{after}"
