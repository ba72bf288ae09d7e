"""What tests of pairs say of each run: the runs that it beats, their letters, and the range of its rank.

Source of the ranges: Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from string import ascii_lowercase

import numpy as np

from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.specs.limits import FEWEST_QUERIES
from biasvar_cli.stats.significance import CORRECTIONS, TESTS
from biasvar_cli.tables.table import at_least
from biasvar_cli.words import RUNS, all_of, argument, either

Ranks = list[int | None]  # of each run, 1 the best; None for a run without a rank


def letters_of(order: Sequence[int]) -> list[str]:
    """The letter of each run, shape (n_runs,), in the ``order`` of the runs, `a` for the first.

    Raises `DataError` for more runs than there are letters.

    >>> letters_of([2, 0, 1])
    ['b', 'c', 'a']
    """
    if len(order) > len(ascii_lowercase):
        few = either("name fewer as INPUTS", "evaluate fewer")
        some = f"there are letters for {len(ascii_lowercase)} {RUNS}, and {len(order)} {RUNS} to compare"
        raise DataError(f"{argument(marks='letters')}: {some}; {few}, or leave {argument('marks')} out")
    letters = dict(zip(order, ascii_lowercase, strict=False))
    return [letters[run] for run in range(len(order))]


class RunRanks:
    """The runs that each run beats and is beaten by, and the ranges of ranks that follow.

    The pairs are those of ``tests``. Where these are pairs with the best run, which was chosen by its mean, all pairs
    take their place: `PairTests.all_pairs`.
    """

    def __init__(self, tests: PairTests) -> None:
        self.tests = tests.all_pairs or tests

    @property
    def n_beaten(self) -> IntArray | None:
        """The number of runs that each run is significantly better than, shape (n_runs,).

        None where not all pairs are tested or no test decides.
        """
        return self._n_different(self.tests.run)

    @property
    def n_beaten_by(self) -> IntArray | None:
        """The number of runs that are significantly better than each run, shape (n_runs,).

        None where not all pairs are tested or no test decides.
        """
        return self._n_different(self.tests.versus)

    def _n_different(self, runs: IntArray) -> IntArray | None:
        """The number of pairs that are called different of each run among ``runs``, one of each pair."""
        if self.tests.baseline is not None or self.tests.why_undecided is not None:
            return None
        return np.bincount(runs[self.tests.differs], minlength=len(self.tests.runs))

    def letters_beaten(self, letters: Sequence[str]) -> list[str]:
        """The letters of the runs that each run is significantly better than, shape (n_runs,); "" for none.

        Letters of all runs have the shape (n_runs,). All pairs have to be tested.

        >>> from biasvar_cli.analyses.compare import CompareRequest
        >>> values = np.array([[0.5], [0.1], [0.9]]) + np.random.default_rng(0).normal(size=(3, 40)) * 0.1
        >>> RunRanks(PairTests(("A", "B", "C"), values, CompareRequest())).letters_beaten(["b", "c", "a"])
        ['c', '', 'bc']
        """
        tests = self.tests
        assert tests.baseline is None, "all pairs were tested"
        beaten: list[list[str]] = [[] for _ in tests.runs]
        for run, versus in zip(tests.run[tests.differs].tolist(), tests.versus[tests.differs].tolist(), strict=True):
            beaten[run].append(letters[versus])
        return ["".join(sorted(names)) for names in beaten]

    @property
    def why_unranked(self) -> str | None:
        """The reason why the test that decides gives no ranges of ranks, in words; None if it gives them.

        The ranges hold for all runs together only if the p-values bound the chance of any false difference. Those
        without a correction, or with Benjamini and Hochberg's, do not. A test that does not compare means says nothing
        of ranks by the mean.
        """
        tests = self.tests
        test, correction = TESTS[tests.deciding], CORRECTIONS.get(tests.request.correction)
        if tests.units.n < FEWEST_QUERIES:
            return f"ranks need {at_least(tests.units)}"
        if tests.why_undecided is not None:
            return f"{tests.request.samples} samples are too few for this level"
        if test.corrected and tests.n_family > 1 and (correction is None or not correction.of_any):
            p = "uncorrected p-values" if correction is None else f"p-values with {correction.words} correction"
            return f"{p} do not allow for {all_of(tests.n_family)} pairs together"
        return None if test.of_means else f"{test.meaning} does not compare means"

    @cached_property
    def ends(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank of each run by its mean, n_runs each; 1 is the best rank.

        The least rank is 1 + the number of runs that are significantly better, the greatest n_runs - the number of runs
        that are significantly worse. If all pairs are tested, all true ranks lie in these ranges together, with a
        probability of about the level. With a baseline it alone has a range, which holds for its rank alone; other runs
        have None. All have None if there is a reason `why_unranked`.

        >>> from biasvar_cli.analyses.compare import CompareRequest
        >>> rng = np.random.default_rng(0)
        >>> values = rng.normal(size=(4, 40)) * 0.1 + np.array([[0.5], [0.1], [0.1], [0.9]])
        >>> RunRanks(PairTests(("a", "b", "c", "d"), values, CompareRequest())).ends
        ([2, 3, 3, 1], [2, 4, 4, 1])
        >>> RunRanks(PairTests(("a", "b", "c", "d"), values, CompareRequest(), baseline=1)).ends
        ([None, 3, None, None], [None, 4, None, None])
        """
        tests, n_runs = self.tests, len(self.tests.runs)
        least, greatest = Ranks([None] * n_runs), Ranks([None] * n_runs)
        if self.why_unranked is None:
            better = np.where(tests.gain > 0, tests.run, tests.versus)[tests.differs]
            worse = np.where(tests.gain < 0, tests.run, tests.versus)[tests.differs]
            n_beaten = np.bincount(better, minlength=n_runs).tolist()
            n_beaten_by = np.bincount(worse, minlength=n_runs).tolist()
            # the only pair of two runs ranks both
            for run in range(n_runs) if tests.baseline is None or n_runs == 2 else (tests.baseline,):
                least[run], greatest[run] = 1 + n_beaten_by[run], n_runs - n_beaten[run]
        return least, greatest

    @property
    def why_not_all_ranked(self) -> str | None:
        """The reason why not all runs have a range of ranks, in words; None if all have one."""
        baseline, runs = self.tests.baseline, self.tests.runs
        if baseline is not None and self.why_unranked is None and len(runs) > 2:
            return f"the pairs with {runs[baseline]!s} are tested, which give its rank alone"
        return self.why_unranked
