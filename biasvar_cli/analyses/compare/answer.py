"""What is known of which runs of a track differ, and how many pairs each test finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, Literal

from biasvar_cli.analyses.compare.discrimination import Power, SampleSize
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.swaps import Swaps
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.stats.step_down import Method, StepDown
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
METHODS: dict[Method, str] = {
    "step-down": TEST_NAMES["stepdown"],
    "studentised": TEST_NAMES["bootstrap"],
    "none": TEST_NAMES["stepdown"],
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
    def primary(self) -> StepDown:
        """The test that says which runs differ."""
        assert self.tests.primary is not None, "tables are made where the primary test was"
        return self.tests.primary

    @property
    def primary_name(self) -> str:
        """The primary test in words."""
        return name_of("stepdown", self.tests)

    @property
    def baseline(self) -> str | None:
        """The run that all others are compared with."""
        return None if self.tests.baseline is None else self.tests.runs[self.tests.baseline]

    @property
    def threshold(self) -> float:
        """The p below which a pair differs."""
        return 1 - self.tests.request.level


def name_of(test: str, found: PairTests) -> str:
    """A test in words; a single pair on few queries has another one in the place of the step-down bootstrap."""
    if test == "stepdown" and found.primary is not None:
        return METHODS[found.primary.method]
    return TEST_NAMES[test]


def tests_table(found: PairResults) -> Table:
    """How many pairs each test finds, and from which difference on the tests of all pairs do."""
    columns: dict[str, list[Any]] = {
        "test": [test_words(each, found.tests) for each in found.power],
        "pairs": [each.n_significant for each in found.power],
        "share": [each.share for each in found.power],
    }
    critical = [found.tests.critical.get(each.test, nan) for each in found.power]
    if any(isfinite(value) for value in critical):
        columns["critical difference"] = [value if isfinite(value) else None for value in critical]
    return Table(f"Pairs of runs that differ (p below {found.threshold:g}), of {len(found.tests.delta)}", columns)


def test_words(each: Power, found: PairTests) -> str:
    """A test and its correction: paired t with Holm's correction."""
    after = f" with {CORRECTIONS[each.correction]} correction" if each.correction is not None else ""
    return f"{name_of(each.test, found)}{after}"
