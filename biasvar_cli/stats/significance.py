"""The tests of significance of pairs of runs, a record each, and the corrections of their p-values.

Options, columns, sentences and the reference are made from `TESTS` and `CORRECTIONS`, so nothing here imports numpy
before a test is made. The module that a record names has the statistic, its source and its worked example: a function
of the rows that are compared in pairs (`paired.PairedRows`), of the level where it tests all pairs together, and of the
`monte_carlo.Draws` where it draws samples. It gives p of every pair, and the critical difference of a test of all pairs
together.

Sources of the corrections: Holm, Scandinavian Journal of Statistics 6, 1979; Benjamini and Hochberg, Journal of the
Royal Statistical Society B 57, 1995.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from biasvar_cli.specs.limits import LEVEL

if TYPE_CHECKING:
    from biasvar_cli.arrays import FloatArray
    from biasvar_cli.stats import monte_carlo, paired, step_down

Test = Literal["t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "stepdown"]
Correction = Literal["holm", "bonferroni", "bh", "none"]

USUAL_RESAMPLES = 9_999  # p-values of the step-down test are then multiples of 1 / 10 000 before they are mapped


class PairTest(NamedTuple):
    """A test of significance of pairs.

    ``words`` name it in a sentence, ``meaning`` in the reference, ``latex`` in heads. ``function`` is what computes it,
    as ``module:name`` of `biasvar_cli.stats`. ``stream`` is the member of `monte_carlo.Stream` that its samples are
    drawn from, empty for a test that draws none. Its p-values are of each ``pair`` alone, and need a correction; or
    they allow for all that are ``compared`` together; or they do so and suppose that these are ``all`` pairs of the
    rows. ``caution`` is what a reader has to know: where the test is not ``of_means``, that is said first. With fewer
    than ``fewest`` queries that differ p is rough. ``clustered`` says that the test knows clusters of queries.
    """

    words: str
    meaning: str
    latex: str
    function: str
    stream: str = ""
    family: Literal["pair", "compared", "all"] = "pair"
    of_means: bool = True
    caution: str = ""
    fewest: int = 0
    clustered: bool = True

    @property
    def corrected(self) -> bool:
        """Whether the p-values are of each pair alone, so that a correction makes them allow for many."""
        return self.family == "pair"

    def __call__(
        self,
        rows: paired.PairedRows,
        *,
        level: float = LEVEL,
        n_samples: int = USUAL_RESAMPLES,
        seed: int = 0,
        jobs: int = 1,
    ) -> paired.Tested | step_down.StepDown:
        """The test of every pair.

        >>> import numpy as np
        >>> from biasvar_cli.stats.paired import PairedRows
        >>> rows = PairedRows(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]]))
        >>> [test(rows).p.round(6).tolist() for test in (TESTS["sign"], TESTS["randomisation"])]
        [[0.25], [0.25]]
        """
        module, name = self.function.split(":")
        test = getattr(import_module(f"biasvar_cli.stats.{module}"), name)
        if not self.stream:
            return test(rows)
        draws = self.draws(n_samples, seed=seed, jobs=jobs)
        return test(rows, draws) if self.corrected else test(rows, level, draws)

    def draws(self, n_samples: int, *, seed: int = 0, jobs: int = 1) -> monte_carlo.Draws:
        """The draws of a test that has a ``stream``."""
        from biasvar_cli.stats.monte_carlo import Draws, Stream, generator

        return Draws(n_samples, partial(generator, Stream[self.stream], seed), jobs)


_NO_MEANS = "Wilcoxon and sign do not test whether means are equal: on real scores they reject that too often."
TESTS: Mapping[Test, PairTest] = {
    "t": PairTest("paired t", "the paired t test", "$t$", "paired:t_test"),
    "randomisation": PairTest(
        "randomisation", "Fisher's randomisation test", "randomisation", "resampling:randomisation", "SIGNS"
    ),
    "bootstrap": PairTest(
        "studentised bootstrap", "the studentised bootstrap", "bootstrap", "resampling:studentised", "PAIRED"
    ),
    "wilcoxon": PairTest(
        "Wilcoxon",
        "Wilcoxon's signed rank test",
        "Wilcoxon",
        "paired:wilcoxon_test",
        of_means=False,
        caution=_NO_MEANS,
        fewest=10,
        clustered=False,
    ),
    "sign": PairTest(
        "sign", "the sign test", "sign", "paired:sign_test", of_means=False, caution=_NO_MEANS, clustered=False
    ),
    "tukey": PairTest(
        "randomised Tukey HSD",
        "the randomised Tukey HSD",
        "Tukey",
        "resampling:tukey",
        "TUKEY",
        family="all",
        caution="Tukey's test supposes runs of equal spread; the step-down test does not.",
    ),
    "stepdown": PairTest(
        "step-down bootstrap",
        "the step-down bootstrap",
        "step-down",
        "step_down:primary",
        "STEP_DOWN",
        family="compared",
    ),
}
PRIMARY: Test = "stepdown"  # which says which runs differ where no test is named
USUAL: tuple[Test, ...] = (PRIMARY, "t")  # the first one decides
FAMILY_TESTS = tuple(name for name, test in TESTS.items() if not test.corrected)  # of all pairs together
MEAN_TESTS = tuple(name for name, test in TESTS.items() if test.of_means)


def primary_words(method: step_down.Method) -> str:
    """The primary test in words, by the method that the queries allow.

    >>> primary_words("studentised"), primary_words("none")
    ('studentised bootstrap', 'step-down bootstrap')
    """
    return TESTS["bootstrap" if method == "studentised" else PRIMARY].words


def holm(p: FloatArray) -> FloatArray:
    """Holm's adjusted p of each of some p, shape (k,): the chance of any false rejection is at most the level.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none is below the one before it, nor above 1.
    p-values that are nan were not tested and do not count. By hand, .01 * 3, .03 * 2, and .04 * 1, raised to .06:

    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).round(6).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    import numpy as np

    order = _ascending(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)), 1)
    return adjusted


def bonferroni(p: FloatArray) -> FloatArray:
    """Each p times their number, at most 1, shape (k,); nan does not count.

    >>> import numpy as np
    >>> bonferroni(np.array([0.01, 0.04, np.nan, 0.5])).round(6).tolist()
    [0.03, 0.12, nan, 1.0]
    """
    import numpy as np

    return np.minimum(p * np.count_nonzero(~np.isnan(p)), 1)


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Each p times m / rank, from the largest down none above the one after it, shape (k,): the false discovery rate.

    nan does not count. By hand, .01 * 3 / 1, .03 * 3 / 2 and .04 * 3 / 3; the second is lowered to the third:

    >>> import numpy as np
    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03])).round(6).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    import numpy as np

    order = _ascending(p)
    adjusted = np.full(p.shape, np.nan)
    raised = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1)
    return adjusted


def _ascending(p: FloatArray) -> Any:
    """The places of the p that are numbers, in ascending order of p."""
    import numpy as np

    return np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]


class Adjustment(NamedTuple):
    """A correction of p-values of single pairs: its words, its name in LaTeX, and its function.

    ``of_any`` says that it bounds the chance of any false rejection, and not the expected share of false ones.
    """

    words: str
    latex: str
    adjust: Callable[[FloatArray], FloatArray]
    of_any: bool = True


CORRECTIONS: Mapping[Correction, Adjustment] = {  # without a record, p-values stay as they are
    "holm": Adjustment("Holm's", "Holm", holm),
    "bonferroni": Adjustment("Bonferroni's", "Bonferroni", bonferroni),
    "bh": Adjustment("Benjamini and Hochberg's", "Benjamini--Hochberg", benjamini_hochberg, of_any=False),
}
