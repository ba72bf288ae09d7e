"""The columns of the tables of compared runs; those of p-values are made from the records of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import isfinite, isinf, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Correction, Test
from biasvar_cli.tables.column import Column, Declared, Family, attribute
from biasvar_cli.tables.quantities import MEASURE, RUN, TARGET

if TYPE_CHECKING:
    from biasvar_cli.analyses.compare.answer import CompareAnswer
    from biasvar_cli.arrays import FloatArray

_OF = "what is compared: `mean`, `total` or `total_gap`"
_BASELINE = "the run that the others are compared with, where several are asked for"
_KEYS: Declared[CompareAnswer] = (MEASURE, TARGET, Column("of", _OF, "request.of", key=True))
_BASELINES = (Column[Any]("baseline", _BASELINE, "baseline_name", key=True),)
_WITH_BASELINE = (*_KEYS, Family[Any, Any](lambda answer: {} if answer.is_single else {"": answer}, _BASELINES, ("",)))


def _counts(answer: CompareAnswer, side: str) -> Any:
    """The number of runs that each run beats or is beaten by; None for every run where not all pairs are tested."""
    counts = getattr(answer.tests, side)
    return [None] * len(answer.runs) if counts is None else counts


_worse = partial(_counts, side="n_beaten_by")


def _bar(answer: CompareAnswer, side: int) -> Any:
    """One end of the comparison bars; None for every run where there are none."""
    half = answer.tests.critical_difference / 2
    bars = answer.tests.n_beaten is not None and isfinite(half)
    return answer.means + side * half if bars else [None] * len(answer.runs)


_MEAN = "the mean of what is compared: the mean score, or the total error, of which less is better"
_LOW_BAR = (
    "the lower end of the comparison bar, `mean` minus half the critical difference of the test that decides, the "
    "step-down test or Tukey's; it is no confidence interval; empty without a critical difference"
)
_HIGH_BAR = "the upper end, `mean` plus half of it; two runs whose bars do not overlap differ significantly"
_BETTER = "the number of runs that this one is significantly better than, by the test that decides: the first `--test`"
_WORSE = "the number of runs that are significantly better than this one"
_BEST = "whether no run is significantly better (`*` for people, `true` and `false` elsewhere)"
_RANK_LOW = (
    "the least rank of the run by its mean, 1 + the number of runs that are significantly better; 1 is the best rank. "
    "The ranges `rank_low` to `rank_high` of all runs hold together at the level of the test that decides; with "
    "`--baseline NAME` only the baseline has one, from the pairs with it. Empty where p-values do not allow for all "
    "pairs together (`--correction bh`, `none`), for tests that are not of means, and with fewer than 6 queries"
)
_RANK_HIGH = "the greatest rank, the number of runs minus those that are significantly worse"
_RUNS: Declared[CompareAnswer] = (
    *_WITH_BASELINE,
    RUN,
    Column("mean", _MEAN, "means", kind="score"),
    Column("low", _LOW_BAR, partial(_bar, side=-1), hidden=True, kind="score", other_end="high"),
    Column("high", _HIGH_BAR, partial(_bar, side=1), hidden=True, kind="score", other_end="low"),
    Column("better", _BETTER, partial(_counts, side="n_beaten"), head="beats"),
    Column("worse", _WORSE, _worse, head="beaten by"),
    Column("best", _BEST, lambda a: [n if n is None else bool(n == 0) for n in _worse(a)], head="top group"),
    Column("rank_low", _RANK_LOW, lambda answer: answer.tests.ranks[0], priority=1),
    Column("rank_high", _RANK_HIGH, lambda answer: answer.tests.ranks[1], priority=1),
)


def _t(answer: CompareAnswer) -> list[float] | None:
    """The statistics of the t test, nan for an infinite one, which JSON does not have; None without the test."""
    if "t" not in answer.request.tests:
        return None
    return [nan if isinf(t) else t for t in answer.tests.t.tolist()]


def p_head(test: Test, correction: Correction = "none") -> str:
    """The head of a column of p-values.

    >>> p_head("t"), p_head("t", "bh")
    ('p (t)', 'p (t, Benjamini-Hochberg)')
    """
    words = [TESTS[test].latex.strip("$")]
    words += [CORRECTIONS[correction].latex.replace("--", "-")] if correction in CORRECTIONS else []
    return f"p ({', '.join(words)})"


_FAMILIES = {
    "pair": "for this pair alone",
    "all": "for all pairs together",
    "compared": "for all pairs together, or all with the baseline; empty with fewer than 6 queries",
}


def _p_columns() -> Iterator[Column[CompareAnswer]]:
    """p of every test, and p after every correction for those of single pairs."""
    for name, test in TESTS.items():
        yield Column(
            f"{name}_p",
            f"p of {test.meaning}, {_FAMILIES[test.family]}",
            partial(_p, test=name),
            head=p_head(name),
            latex=f"$p$ ({test.latex})",
            priority=0 if name == PRIMARY else 3,
            option=f"--test {name}",
        )
        for correction, words in CORRECTIONS.items() if test.corrected else ():
            yield Column(
                f"{name}_{correction}",
                f"that p after {words.words} correction",
                partial(_p, test=name, correction=correction),
                head=p_head(name, correction),
                latex=f"$p$ ({test.latex}, {words.latex})",
                priority=3,
                option=f"--correction {correction}",
            )


def _p(answer: CompareAnswer, test: Test, correction: Correction = "none") -> FloatArray | None:
    """The p-values of a test, after a correction if there is one; None where they are not asked for."""
    if correction == "none":
        return answer.tests.p.get(test)
    return answer.tests.adjusted.get(test) if answer.request.correction == correction else None


def _names(answer: CompareAnswer, side: str) -> list[str]:
    """The names of the runs on one side of the pairs."""
    return [answer.runs[run] for run in getattr(answer.tests, side)]


_RUN = "the better run of the pair; with a baseline, the run that is compared with it"
_VERSUS = "the other run; with a baseline, always this"
_DELTA = (
    "the mean, or the total, of `run` minus that of `versus`; of totals less is better, and for a measure of which "
    "less is better the means are subtracted the other way round"
)
_LOW = "the lower end of the t interval of `delta`, for this pair alone"
_ES = "`delta` over the standard deviation of the differences of single queries"
_ES_E2 = "`delta` over the residual standard deviation of all runs, as in the analysis of variance"
_PAIRS: Declared[CompareAnswer] = (
    *_KEYS,
    Column("run", _RUN, partial(_names, side="run")),
    Column("versus", _VERSUS, partial(_names, side="versus")),
    Column("delta", _DELTA, "tests.delta", latex="$\\Delta$", signed=True),
    Column("low", _LOW, "tests.low", priority=2, signed=True),
    Column("high", "the upper end", "tests.high", priority=2, signed=True),
    Column("es", _ES, "tests.es", head="effect size", priority=5, signed=True),
    Column("es_e2", _ES_E2, "tests.es_e2", head="effect size (ANOVA)", hidden=True),
    Column("wins", "queries on which `run` is better", "tests.wins", priority=4),
    Column("ties", "queries on which both are equal", "tests.ties", hidden=True),
    Column("losses", "queries on which `versus` is better", "tests.losses", priority=4),
    Column("t", "the statistic of the paired t test", _t, latex="$t$", hidden=True, option="--test t"),
    *_p_columns(),
)

_SIGNIFICANT = "the number of pairs with p below 1 - LEVEL; empty where there are too few queries for the test"
_SMALLEST = "the smallest difference, without its sign, of a pair that differs significantly"
_LARGEST = "the largest difference of a pair that does not differ significantly"
_POWER: Declared[CompareAnswer] = (
    *_WITH_BASELINE,
    *(
        column.on(attrgetter("power"))
        for column in (
            attribute("test", "the test"),
            attribute("correction", "that of its p-values; empty for p-values as they are"),
            attribute("n_pairs", "the number of pairs tested", head="pairs", priority=1),
            attribute("n_significant", _SIGNIFICANT, head="significant"),
            attribute("share", "the share of pairs with p below 1 - LEVEL: the discriminative power"),
            attribute("smallest_significant", _SMALLEST, head="smallest significant", priority=2),
            attribute("largest_not_significant", _LARGEST, head="largest not significant", priority=2),
        )
    ),
)

_FROM = "the lower end of a bin of differences on the first half, without their sign; it belongs to the bin"
_N = "the number of comparisons, a pair of runs on one split each, whose difference is in the bin"
_SWAPS = "the number of comparisons whose difference has the other sign on the second half"
_SWAP: Declared[CompareAnswer] = (
    *_WITH_BASELINE,
    Column("low", _FROM, "compared.swaps.low", head="difference from"),
    Column("high", "the upper end; empty for the last bin", "compared.swaps.high", head="to"),
    Column("n", _N, "compared.swaps.n", head="comparisons"),
    Column("swaps", _SWAPS, "compared.swaps.swaps"),
    Column("rate", "`swaps` / `n`; empty for an empty bin", "compared.swaps.rate", head="swap rate"),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS, "pairs": _PAIRS, "power": _POWER, "swap": _SWAP}
