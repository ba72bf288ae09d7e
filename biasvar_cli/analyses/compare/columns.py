"""The columns of the tables of compared runs; those of p-values are made from the records of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Correction, Test
from biasvar_cli.tables.column import Column, Declared, Family
from biasvar_cli.tables.quantities import MEASURE, RUN, TARGET

if TYPE_CHECKING:
    from biasvar_cli.analyses.compare.answer import CompareAnswer
    from biasvar_cli.arrays import FloatArray

_KEYS: Declared[CompareAnswer] = (
    MEASURE,
    TARGET,
    Column("of", "what is compared: `mean`, `total` or `total_gap`", lambda answer: answer.request.of, key=True),
)
_BASELINE: Column[CompareAnswer] = Column(
    "baseline",
    "the run that the others are compared with, where several are asked for",
    lambda answer: answer.baseline_name,
    key=True,
)
_WITH_BASELINE: Declared[CompareAnswer] = (
    *_KEYS,
    Family(lambda answer: {"": answer} if not answer.is_single else {}, (_BASELINE,), ("",)),
)


def _counts(answer: CompareAnswer, side: str) -> Any:
    """How many runs each run beats or is beaten by; None for every run where not all pairs are tested."""
    counts = getattr(answer.tests, side)
    return [None] * len(answer.runs) if counts is None else counts


def _bar(answer: CompareAnswer, side: int) -> Any:
    """One end of the comparison bars; None for every run where there are none."""
    half = answer.tests.critical_difference / 2
    means = answer.compared.values.mean(axis=1)
    bars = answer.tests.n_beaten is not None and half < float("inf")  # it may be nan too
    return means + side * half if bars else [None] * len(means)


_RUNS: Declared[CompareAnswer] = (
    *_WITH_BASELINE,
    RUN,
    Column(
        "mean",
        "the mean of what is compared: the mean score, or the total error, of which less is better",
        lambda a: a.compared.values.mean(axis=1),
        kind="score",
    ),
    Column(
        "low",
        "the lower end of the comparison bar, `mean` minus half the critical difference of the test that decides, the "
        "step-down test or Tukey's; it is no confidence interval; empty without a critical difference",
        lambda a: _bar(a, -1),
        shown=False,
        kind="score",
        other_end="high",
    ),
    Column(
        "high",
        "the upper end, `mean` plus half of it; two runs whose bars do not overlap differ significantly",
        lambda a: _bar(a, 1),
        shown=False,
        kind="score",
        other_end="low",
    ),
    Column(
        "better",
        "the number of runs that this one is significantly better than, by the test that decides: the first `--test`",
        lambda a: _counts(a, "n_beaten"),
        head="beats",
        latex="beats",
    ),
    Column(
        "worse",
        "the number of runs that are significantly better than this one",
        lambda a: _counts(a, "n_beaten_by"),
        head="beaten by",
        latex="beaten by",
    ),
    Column(
        "best",
        "whether no run is significantly better (`*` for people, `true` and `false` elsewhere)",
        lambda a: [None if count is None else bool(count == 0) for count in _counts(a, "n_beaten_by")],
        head="top group",
        latex="top group",
    ),
)


def _t(answer: CompareAnswer) -> FloatArray | None:
    """The statistics of the t test, nan for an infinite one, which JSON does not have; None without the test."""
    if "t" not in answer.request.tests:
        return None
    t = answer.tests.t.copy()
    t[abs(t) == float("inf")] = float("nan")
    return t


def p_head(test: Test, correction: Correction = "none") -> str:
    """The head of a column of p-values.

    >>> p_head("t"), p_head("t", "bh")
    ('p (t)', 'p (t, Benjamini-Hochberg)')
    """
    words = [TESTS[test].latex.strip("$")]
    words += [CORRECTIONS[correction].latex.replace("--", "-")] if correction in CORRECTIONS else []
    return f"p ({', '.join(words)})"


def _p_columns() -> Iterator[Column[CompareAnswer]]:
    """p of every test, and p after every correction for those of single pairs."""
    for name, test in TESTS.items():
        yield _p_column(name)
        if test.corrected:
            yield from (_corrected_column(name, correction) for correction in CORRECTIONS)


def _p_column(name: Test) -> Column[CompareAnswer]:
    test = TESTS[name]
    together = {
        "pair": "for this pair alone",
        "all": "for all pairs together",
        "compared": "for all pairs together, or all with the baseline; empty with fewer than 6 queries",
    }
    return Column(
        f"{name}_p",
        f"p of {test.meaning}, {together[test.family]}",
        lambda answer: answer.tests.p.get(name),
        head=p_head(name),
        latex=f"$p$ ({test.latex})",
        priority=0 if name == PRIMARY else 3,
        option=f"--test {name}",
    )


def _corrected_column(name: Test, correction: Correction) -> Column[CompareAnswer]:
    test, words = TESTS[name], CORRECTIONS[correction]
    return Column(
        f"{name}_{correction}",
        f"that p after {words.words} correction",
        lambda answer: answer.tests.adjusted.get(name) if answer.request.correction == correction else None,
        head=p_head(name, correction),
        latex=f"$p$ ({test.latex}, {words.latex})",
        priority=3,
        option=f"--correction {correction}",
    )


_PAIRS: Declared[CompareAnswer] = (
    *_KEYS,
    Column(
        "run",
        "the better run of the pair; with a baseline, the run that is compared with it",
        lambda a: [a.runs[place] for place in a.tests.run],
    ),
    Column(
        "versus",
        "the other run; with a baseline, always this",
        lambda a: [a.runs[place] for place in a.tests.versus],
    ),
    Column(
        "delta",
        "the mean, or the total, of `run` minus that of `versus`; of totals less is better, and for a measure of which "
        "less is better the means are subtracted the other way round",
        lambda a: a.tests.delta,
        latex="$\\Delta$",
        signed=True,
    ),
    Column(
        "low",
        "the lower end of the t interval of `delta`, for this pair alone",
        lambda a: a.tests.low,
        priority=2,
        signed=True,
    ),
    Column("high", "the upper end", lambda a: a.tests.high, priority=2, signed=True),
    Column(
        "es",
        "`delta` over the standard deviation of the differences of single queries",
        lambda a: a.tests.es,
        head="effect size",
        latex="effect size",
        priority=5,
        signed=True,
    ),
    Column(
        "es_e2",
        "`delta` over the residual standard deviation of all runs, as in the analysis of variance",
        lambda a: a.tests.es_e2,
        head="effect size (ANOVA)",
        latex="effect size (ANOVA)",
        shown=False,
    ),
    Column("wins", "queries on which `run` is better", lambda a: a.tests.wins, priority=4),
    Column("ties", "queries on which both are equal", lambda a: a.tests.ties, shown=False),
    Column("losses", "queries on which `versus` is better", lambda a: a.tests.losses, priority=4),
    Column("t", "the statistic of the paired t test", _t, latex="$t$", shown=False, option="--test t"),
    *_p_columns(),
)


def _of_power(name: str, meaning: str, head: str = "", priority: int = 0) -> Column[CompareAnswer]:
    """A column that reads its attribute of every `Power`."""

    def values(answer: CompareAnswer) -> list[Any]:
        return [getattr(row, name) for row in answer.power]

    return Column(name, meaning, values, head=head, latex=head, priority=priority)


_POWER: Declared[CompareAnswer] = (
    *_WITH_BASELINE,
    _of_power("test", "the test"),
    _of_power("correction", "that of its p-values; empty for p-values as they are"),
    _of_power("n_pairs", "the number of pairs tested", "pairs", 1),
    _of_power(
        "n_significant",
        "the number of pairs with p below 1 - LEVEL; empty where there are too few queries for the test",
        "significant",
    ),
    _of_power("share", "the share of pairs with p below 1 - LEVEL: the discriminative power"),
    _of_power(
        "smallest_significant",
        "the smallest difference, without its sign, of a pair that differs significantly",
        "smallest significant",
        2,
    ),
    _of_power(
        "largest_not_significant",
        "the largest difference of a pair that does not differ significantly",
        "largest not significant",
        2,
    ),
)
_SWAP: Declared[CompareAnswer] = (
    *_WITH_BASELINE,
    Column(
        "low",
        "the lower end of a bin of differences on the first half, without their sign; it belongs to the bin",
        lambda a: a.compared.swaps.low,
        head="difference from",
        latex="difference from",
    ),
    Column(
        "high",
        "the upper end; empty for the last bin",
        lambda a: [*a.compared.swaps.low[1:].tolist(), None],
        head="to",
        latex="to",
    ),
    Column(
        "n",
        "the number of comparisons, a pair of runs on one split each, whose difference is in the bin",
        lambda a: a.compared.swaps.n,
        head="comparisons",
        latex="comparisons",
    ),
    Column(
        "swaps",
        "the number of comparisons whose difference has the other sign on the second half",
        lambda a: a.compared.swaps.swaps,
    ),
    Column(
        "rate",
        "`swaps` / `n`; empty for an empty bin",
        lambda a: a.compared.swaps.rate,
        head="swap rate",
        latex="swap rate",
    ),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS, "pairs": _PAIRS, "power": _POWER, "swap": _SWAP}
