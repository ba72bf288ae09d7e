"""Which runs differ: paired tests of all pairs of runs, or of all other runs against a baseline.

The queries are taken for a random sample. Every run has a number on every query, its score or a loss
(`differences.values_to_compare`), and the tests compare the means of these numbers over the queries.

Some tests (t, for example) give the p-value of each pair alone, and a correction adjusts these for the number of pairs;
others allow for all pairs together themselves (`stats.significance.TESTS`). Several tests may be computed, but only the
first one named, after its correction, decides which runs are called different; if none is named, the step-down test
(`stats.step_down`) decides. With fewer than 6 queries no test decides, because p-values of so few depend more on the
assumptions of the test than on the scores.

The sources of the tests stand in their modules in `stats`. What the pairs say of each run is in `ranks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isinf, isnan, nan
from typing import Self

import numpy as np

from biasvar_cli.analyses.compare.differences import PairDifferences
from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.progress import finished
from biasvar_cli.specs.limits import FEWEST_QUERIES, is_significant
from biasvar_cli.stats import step_down
from biasvar_cli.stats.paired import Tested
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Test, primary_words
from biasvar_cli.tables.table import at_least
from biasvar_cli.words import QUERIES


@dataclass(frozen=True, eq=False)
class PairTests(PairDifferences):
    """Paired tests of all pairs of runs, or of all pairs with a baseline.

    Arrays have the shape (n_pairs,) unless their docstring says otherwise, and are computed when they are first used.
    Each test has random numbers of its own, so that no test depends on which others are computed.

    Two systems on 20 queries (Sakai's book); the program elinor prints .0742 for half the width of the interval.

    >>> from biasvar_cli.analyses.compare import CompareRequest
    >>> x = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
    >>> y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
    >>> request = CompareRequest(test=("t", "randomisation"), samples=40_000)
    >>> tests = PairTests(("Y", "X"), np.array([y, x]), request)
    >>> tests.runs[tests.run[0]], round(float(tests.delta[0]), 6), round(float(tests.t[0]), 4)
    ('X', 0.075, 2.1158)
    >>> round(float(tests.high[0] - tests.delta[0]), 4)
    0.0742
    >>> {test: round(float(p[0]), 4) for test, p in tests.p.items()}  # randomisation: all 2^15 signs, not samples
    {'t': 0.0478, 'randomisation': 0.0659}

    Two pairs with the best of three runs, whose p-values allow for all three pairs:

    >>> values = np.array([[0.5, 0.6, 0.4], [0.1, 0.2, 0.3], [0.3, 0.1, 0.2]])
    >>> all_pairs = PairTests(("a", "b", "c"), values, CompareRequest(test=("t",)))
    >>> top = all_pairs.against_top(0)
    >>> [top.runs[run] for run in top.run], top.delta.round(1).tolist(), top.n_family
    (['b', 'c'], [-0.3, -0.3], 3)
    """

    def against_top(self, top: int) -> Self:
        """The tests of the pairs with one run, the best one, taken from these tests of all pairs."""
        return replace(self, baseline=top, all_pairs=self)

    @property
    def family_low(self) -> FloatArray:
        """The lower end of the simultaneous interval of ``delta``, the one that agrees with the test that decides."""
        return self.delta - self._family_half_width

    @property
    def family_high(self) -> FloatArray:
        """The upper end of the simultaneous interval of ``delta``."""
        return self.delta + self._family_half_width

    @cached_property
    def _family_half_width(self) -> FloatArray:
        """Half the width of the intervals that the test that decides inverts, for all pairs of its family together.

        The step-down test and Tukey's have the critical difference of the first step, of all pairs. A test of single
        pairs with Holm's or Bonferroni's correction of m pairs has Student's t at 1 - (1 - level) / (2 m), which is
        Bonferroni's interval. Where no test decides, and for p-values that bound no chance of any false difference,
        there is none: nan. Neither is there where no difference would be significant.

        >>> from biasvar_cli.analyses.compare import CompareRequest
        >>> values = np.array([[5, 6, 4, 7, 3, 5], [1, 2, 3, 2, 1, 4], [3, 1, 2, 0, 0, 0]]) / 10
        >>> tests = PairTests(("a", "b", "c"), values, CompareRequest(test=("t",)))
        >>> (tests.family_high - tests.delta).round(4).tolist()  # t of 5 degrees of freedom at 1 - .05 / 6 is 3.5341
        [0.2485, 0.2886, 0.28]
        """
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        none = np.full(len(self.delta), nan)
        if self.why_undecided is not None or not test.of_means:
            return none
        if not test.corrected:
            half = self._deciding_result.half_width
            return none if half is None or isinf(half) else np.full(len(self.delta), half)
        if self.n_family > 1 and (correction is None or not correction.of_any):
            return none
        return self._t_half_width(self.n_family)

    @property
    def has_family_intervals(self) -> bool:
        """Whether there is any simultaneous interval."""
        return not bool(np.isnan(self._family_half_width).all())

    @property
    def contradicted(self) -> BoolArray:
        """Whether the test says otherwise of a pair than its interval for people, as which side of 0 it is on.

        A later step of the test may call runs different whose simultaneous interval contains 0.
        """
        low, high = (self.family_low, self.family_high) if self.has_family_intervals else (self.low, self.high)
        contradicted: BoolArray = ((low <= 0) & (high >= 0)) == self.differs
        return contradicted & ~np.isnan(low)

    @cached_property
    def tested(self) -> Mapping[Test, Tested | step_down.StepDown]:
        """The result of each test of the request, in the order of `TESTS`."""
        if self.all_pairs is not None:
            tests = self.all_pairs.tested.items()
            return {test: tested._replace(p=tested.p[self._indices]) for test, tested in tests}
        return {test: self.primary if test == PRIMARY else self._result_of(test) for test in self.request.tests}

    @cached_property
    def primary(self) -> step_down.StepDown:
        """The result of the step-down test, which is computed even if the request does not name it."""
        if self.all_pairs is not None:
            return self.all_pairs.primary._replace(p=self.all_pairs.primary.p[self._indices])
        result = self._result_of(PRIMARY)
        assert isinstance(result, step_down.StepDown), "the primary test is a step-down test"
        return result

    def _result_of(self, test: Test) -> Tested | step_down.StepDown:
        """The result of one test; all its numbers are nan with fewer than 6 clusters."""
        request = self.request
        if self.units.are_few and test != PRIMARY:
            finished("tested", request.samples if TESTS[test].stream else 0)
            return Tested(np.full(len(self.rows.pairs.first), nan), None if TESTS[test].corrected else nan)
        if self.systems is not None and test == "t":
            return Tested(self.systems.p)
        return TESTS[test](
            self.rows,
            level=request.level,
            n_samples=request.samples,
            seed=request.seed,
            jobs=request.jobs,
        )

    @property
    def p(self) -> Mapping[Test, FloatArray]:
        """The p-values of each test of the request."""
        return {test: tested.p for test, tested in self.tested.items()}

    @cached_property
    def adjusted(self) -> Mapping[Test, FloatArray]:
        """The p-values after the correction, of the tests that need one; empty if the request has no correction."""
        if self.all_pairs is not None:
            return {test: p[self._indices] for test, p in self.all_pairs.adjusted.items()}
        if self.request.correction not in CORRECTIONS:
            return {}
        adjust = CORRECTIONS[self.request.correction].adjust
        return {test: adjust(p) for test, p in self.p.items() if TESTS[test].corrected}

    @property
    def deciding(self) -> Test:
        """The test that decides which runs are called different."""
        return self.request.deciding

    @property
    def deciding_p(self) -> FloatArray:
        """The p-values of the test that decides, after the correction where it needs one."""
        return self.adjusted.get(self.deciding, self._deciding_result.p)

    @property
    def critical_difference(self) -> float:
        """The critical difference of the test that decides; nan where it has none.

        The means of two runs that differ by more than this are significantly different.
        """
        critical = self._deciding_result.critical
        return nan if critical is None else critical

    @property
    def _deciding_result(self) -> Tested | step_down.StepDown:
        return self.primary if self.deciding == PRIMARY else self.tested[self.deciding]

    @cached_property
    def why_undecided(self) -> str | None:
        """The reason why the test cannot call runs different, in words; None if it can."""
        request, test = self.request, TESTS[self.deciding]
        if self.units.n < FEWEST_QUERIES:
            return f"that takes {at_least(self.units)}"
        if self.deciding == PRIMARY:
            are_few = step_down.too_few_samples(self.units.n, self.n_family, request.level, request.samples)
        elif not test.corrected:
            are_few = isnan(self.critical_difference)
        elif not test.stream:  # a test that draws no samples
            are_few = False
        else:
            least_p = np.full(self.n_family, 1 / (request.samples + 1))
            if request.correction in CORRECTIONS:
                least_p = CORRECTIONS[request.correction].adjust(least_p)
            are_few = not is_significant(least_p, request.level).any()
        if not are_few:
            return None
        pairs = f" and {self.n_family} pairs" if self.deciding in self.adjusted and self.n_family > 1 else ""
        return f"{request.samples} samples are too few for this level{pairs}; raise --samples"

    @property
    def critical(self) -> Mapping[Test, float]:
        """The critical differences of the tests that allow for all pairs together, always of the step-down test.

        A critical difference is nan where too few queries or samples leave it undefined.
        """
        if self.systems is not None:
            return {PRIMARY: nan}
        results = {**self.tested, PRIMARY: self.primary}
        return {test: result.critical for test, result in results.items() if result.critical is not None}

    @cached_property
    def differs(self) -> BoolArray:
        """Whether the test that decides calls the runs of a pair different; the one with the better mean is the better.

        Wilcoxon's test and the sign test do not compare means. They call no pair different in which the run with the
        worse mean is better on more queries.
        """
        if self.why_undecided is not None:
            return np.zeros(len(self.delta), dtype=bool)
        differs: BoolArray = is_significant(self.deciding_p, self.request.level)
        if not TESTS[self.deciding].of_means:
            differs &= self.gain * (self.wins - self.losses) > 0
        return differs

    @property
    def n_family(self) -> int:
        """The number of pairs that adjusted p-values allow for: of all pairs if ``all_pairs`` were tested."""
        return len(self.delta if self.all_pairs is None else self.all_pairs.delta)

    @property
    def deciding_words(self) -> str:
        """The test that decides, in words, with its correction if there are several pairs to correct for."""
        test, correction = TESTS[self.deciding], CORRECTIONS.get(self.request.correction)
        if not test.corrected:  # and the step-down test steps over several pairs
            return self.words(self.deciding).removeprefix("step-down " if self.n_family == 1 else "")
        words = test.meaning.removeprefix("the ").removeprefix("paired ")
        words = words if self.systems is None else f"{words} over {QUERIES} and runs"
        return words if correction is None or self.n_family == 1 else f"{words} with {correction.words} correction"

    def words(self, test: Test) -> str:
        """A test in words; the words of the step-down test depend on the numbers of queries and of pairs.

        A single pair on few queries is tested by another bootstrap in its place (`step_down.method_for`).
        """
        if self.systems is not None and test == "t":
            return f"t over {QUERIES} and runs"
        method = step_down.method_for(self.units.n, self.n_family)
        return primary_words(method) if test == PRIMARY else TESTS[test].words
