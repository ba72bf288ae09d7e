"""What may be asked of runs that are compared, and the columns of the tables of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, isinf, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, Function, same_setting, setting
from biasvar_cli.specs.baselines import parse_run_baselines
from biasvar_cli.specs.limits import LEVEL, threshold
from biasvar_cli.specs.requests import QueryClusters, SampledRequest, TargetedRequest
from biasvar_cli.stats import significance
from biasvar_cli.stats.significance import CORRECTIONS, FAMILY_TESTS, PRIMARY, TESTS, USUAL_RESAMPLES, Correction, Test
from biasvar_cli.tables.column import MEASURE, RUN, TARGET, Column, Declared, Family, attribute
from biasvar_cli.words import RUNS, argument, listed

if TYPE_CHECKING:
    from biasvar_cli.analyses.compare.answer import CompareAnswer
    from biasvar_cli.arrays import FloatArray
    from biasvar_cli.score_matrix import ScoreMatrix
    from biasvar_cli.specs.baselines import BaselineSpec


Of = Literal["mean", "total", "total_gap"]
Marks = Literal["signs", "letters"]
Infer = Literal["systems", "runs"]


@dataclass(frozen=True, kw_only=True)
class CompareRequest(TargetedRequest):
    """Which tests of which pairs of runs, and what is computed beside.

    Without a ``baseline`` all pairs of runs are compared; every baseline, run:NAME (or NAME) or top, gives an answer of
    its own. ``test`` are the tests whose p-values are shown; the first one, after its ``correction``, decides which
    runs differ.
    ``of`` says what is compared, for a total the total error against each ``target``. p below 1 - ``level`` is
    significant. ``samples`` are those of tests that draw some, ``splits`` the random halves for swaps. ``power`` is the
    probability with which a difference is to be found; ``detect`` asks for the number of queries that find this one.
    With ``marks`` of letters every run has a letter, and behind its mean stand those of the runs that it is
    significantly better than.
    Queries of one of the ``clusters`` are drawn together (`scoring.labels`). Of systems with several runs ``infer``
    says whether the tests are about the systems, whatever their runs, or about these runs alone (`for_rows`);
    ``paired_replicates`` that their runs belong together, and ``half_width`` asks for the numbers of runs and of
    queries that an interval of plus and minus so much takes.

    Raises `UsageError` for what cannot be asked.
    """

    baseline: tuple[str, ...] = setting(
        (),
        COMMON,
        "Compare every run with this one, not with every other: NAME, run:NAME, or top for the run with the best mean. "
        "Repeatable.",
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare every run with this one.",
    )
    test: tuple[Test, ...] = setting(
        significance.USUAL,
        STATISTICS,
        "Paired test whose p-values are shown; the first one named decides which runs differ. Repeatable. "
        f"Default: {', '.join(significance.USUAL)}.",
        show_default=False,
    )
    correction: Correction = setting(
        "holm", STATISTICS, f"Correction of p-values for many pairs; {' and '.join(FAMILY_TESTS)} need none."
    )
    of: Of = setting("mean", STATISTICS, "Compare mean scores, or total errors (lower is better).")
    level: float = setting(LEVEL, STATISTICS, "Level of confidence: p below 1 - LEVEL is significant.", metavar="LEVEL")
    samples: int = setting(
        USUAL_RESAMPLES, STATISTICS, "Number of random samples, for the tests that draw them.", metavar="N"
    )
    power: float = setting(
        0.8,
        STATISTICS,
        "Report the difference that a t test of one pair finds with this probability, at least 0.5.",
        metavar="P",
    )
    detect: float | None = setting(
        None,
        STATISTICS,
        "Report how many queries a t test of one pair needs to find a difference of X.",
        metavar="X",
    )
    splits: int = setting(
        1000,
        STATISTICS,
        lambda of_command: f"Random splits of the queries into halves{', for --table swap' if of_command else ''}.",
        metavar="N",
    )
    marks: Marks = setting(
        "signs",
        STATISTICS,
        "What stands behind a mean: signs, or the letters of the runs that this one is significantly better than. "
        "Letters are of all pairs of at most 26 runs.",
    )
    infer: Infer = setting(
        "systems",
        STATISTICS,
        "With --replicates: whether systems differ, so that other runs (seeds) of them would too, by a t test over "
        "queries and runs; or these runs alone.",
    )
    paired_replicates: bool = setting(
        False,
        STATISTICS,
        "With --replicates: runs of the same number belong together (folds, shared seeds).",
    )
    half_width: float | None = setting(
        None,
        STATISTICS,
        "With --replicates: report how many runs of a system, or queries, an interval of plus and minus W takes.",
        metavar="W",
    )
    clusters: QueryClusters | None = same_setting(SampledRequest, "clusters")
    seed: int = same_setting(SampledRequest, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.marks == "letters" and self.baseline:
            raise UsageError("letters are of all pairs of runs: leave out the baseline", option="marks")
        is_named = any(spec.kind == "run" for spec in self.specs)
        for test in self.tests:
            if is_named and TESTS[test].family == "all":
                raise UsageError(f"{test} is of all pairs of runs, and a baseline tests some of them", option="test")
            if self.clusters is not None and not TESTS[test].clustered:
                known = listed([name for name, record in TESTS.items() if record.clustered], None)
                reason = f"{test} takes queries for independent; with {argument('clusters')} there are {known}"
                raise UsageError(reason, option="test")

    @classmethod
    def of_one_test(cls, request: Any, *baseline: str) -> CompareRequest:
        """The test of another request, which names one, as `compare` makes it. Raises `UsageError` as here."""
        names = ("correction", "level", "samples", *_SYSTEM_SETTINGS, "clusters", "seed", "jobs")
        return cls(test=(request.test,), baseline=baseline, **{name: getattr(request, name) for name in names})

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The baselines, each run once, by the last of its names."""
        return parse_run_baselines(self.baseline)

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests, each once, in the order of `TESTS`."""
        return tuple(test for test in TESTS if test in self.test)

    @property
    def deciding(self) -> Test:
        """The test that says which runs differ: the first one named."""
        return self.test[0] if self.test else PRIMARY

    @property
    def n_families(self) -> int:
        """How many times the tests are made: once for all pairs, and once for every baseline that is named."""
        kinds = [spec.kind for spec in self.specs]
        return (not kinds or "top" in kinds) + kinds.count("run")

    @property
    def lower_is_better(self) -> bool:
        return self.of != "mean"

    @property
    def threshold(self) -> float:
        """The p below which a pair differs."""
        return threshold(self.level)


_SYSTEM_SETTINGS = ("infer", "paired_replicates", "half_width")  # of tests of systems that have several runs
Request = TypeVar("Request")


def for_rows(request: Request, scores: ScoreMatrix) -> Request:
    """A request of `compare`, or of an analysis with one test or none to choose, as it is for rows of some scores.

    Where a system has several runs and systems are asked for, the test is t alone: no other one allows for the runs.
    Where none has, `infer` is "runs". Raises `UsageError` for another test that was named, and for what only systems of
    several runs have.
    """
    untyped: Any = request
    several = scores.replicates is not None and bool(scores.replicates.sizes.max() > 1)
    if not several:
        for name in ("paired_replicates", "half_width"):
            if getattr(untyped, name):
                raise UsageError(f"needs systems of several runs ({argument('replicates')})", option=name)
    result: Request
    if not several or untyped.infer == "runs":
        result = replace(untyped, infer="runs")
        return result
    if not hasattr(untyped, "test"):
        return request
    of_one = isinstance(untyped.test, str)
    others = [test for test in ((untyped.test,) if of_one else untyped.test) if test not in (PRIMARY, "t")]
    if others:
        reason = f"{others[0]} is of these runs of the systems alone, as {argument(infer='runs')} has it"
        raise UsageError(f"{reason}; systems are tested by t", option="test")
    result = replace(untyped, test="t" if of_one else ("t",))
    return result


FUNCTION = Function(
    CompareRequest,
    """Which differences are significant: paired tests of all pairs, or against a baseline, run:NAME or top.

    ``frame()`` has a row a run, with a baseline a row a pair; ``frame("pairs")``, ``frame("power")`` and
    ``frame("swap")`` are the other tables of ``biasvar compare``. ``clusters`` may also be the cluster of each query,
    as a dict or a DataFrame.
    """,
    first="baseline",
    tables=lambda request: ("pairs", "runs", "power", "swap") if request.baseline else (),
)


_OF = "what is compared: `mean`, `total` or `total_gap`"
_BASELINE = "the run that the others are compared with, where several are asked for"
_KEYS: Declared[CompareAnswer] = (MEASURE, TARGET, Column("of", _OF, "request.of", key=True))
_BASELINES = (Column[Any]("baseline", _BASELINE, "baseline_name", key=True),)
_WITH_BASELINE = (*_KEYS, Family[Any, Any](lambda answer: {} if answer.is_single else {"": answer}, _BASELINES, ("",)))


def _counts(answer: CompareAnswer, side: str) -> Any:
    """The number of runs that each run beats or is beaten by; None for every run where not all pairs are tested."""
    counts = getattr(answer.ranks, side)
    return [None] * len(answer.runs) if counts is None else counts


_worse = partial(_counts, side="n_beaten_by")


def _bar(answer: CompareAnswer, side: int) -> Any:
    """One end of the comparison bars; None for every run where there are none."""
    half = answer.tests.critical_difference / 2
    bars = answer.ranks.n_beaten is not None and isfinite(half)
    return answer.means + side * half if bars else [None] * len(answer.runs)


def _beaten(answer: CompareAnswer) -> list[str] | None:
    """The letters of the runs that each run is better than; None where none are asked for."""
    return None if answer.letters is None else answer.ranks.letters_beaten(answer.letters)


def letters_note(letters: Sequence[str]) -> str:
    """What the letters behind means are."""
    ends = f"{min(letters)} to {max(letters)}"
    return f"Letters {ends} behind a mean name the {RUNS} that this one is significantly better than"


LETTER = "the letter of the run, `a` for the best mean"
BEATEN = "the letters of the runs that this one is significantly better than, by the test that decides"
_MEAN = "the mean of what is compared: the mean score, or the total error, of which less is better"
_LOW_BAR = (
    "the lower end of the comparison bar, `mean` minus half the critical difference of the test that decides, the "
    "step-down test or Tukey's; it is no confidence interval; empty without a critical difference"
)
_HIGH_BAR = "the upper end, `mean` plus half of it; two runs whose bars do not overlap differ significantly"
_BETTER = "the number of runs that this one is significantly better than, by the test that decides: the first `--test`"
_BEST = "whether no run is significantly better (`yes` for people, `true` and `false` elsewhere)"
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
    Column("letter", LETTER, "letters", option="--marks letters"),
    Column("mean", _MEAN, "means", kind="score"),
    Column("low", _LOW_BAR, partial(_bar, side=-1), hidden=True, kind="score", other_end="high"),
    Column("high", _HIGH_BAR, partial(_bar, side=1), hidden=True, kind="score", other_end="low"),
    Column("better", _BETTER, partial(_counts, side="n_beaten"), head="beats"),
    Column("worse", "the number of runs that are significantly better than this one", _worse, head="beaten by"),
    Column("best", _BEST, lambda a: [n if n is None else bool(n == 0) for n in _worse(a)], head="top group"),
    Column("rank_low", _RANK_LOW, lambda answer: answer.ranks.ends[0], priority=1),
    Column("rank_high", _RANK_HIGH, lambda answer: answer.ranks.ends[1], priority=1),
    Column("beaten", BEATEN, _beaten, hidden=True, option="--marks letters"),
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
_DELTA = (
    "the mean, or the total, of `run` minus that of `versus`; of totals less is better, and for a measure of which "
    "less is better the means are subtracted the other way round"
)
_LOW = "the lower end of the t interval of `delta`, for this pair alone"
_FAMILY_LOW = (
    "the lower end of the interval of `delta` that the test that decides gives for all its pairs together: `delta` "
    "minus the critical difference of all of them (step-down, Tukey), or Bonferroni's t interval (a test of single "
    "pairs with Holm's or Bonferroni's correction); empty where there is none. A later step of the test may call runs "
    "different whose interval contains 0"
)
_ES = "`delta` over the standard deviation of the differences of single queries"
_ES_E2 = "`delta` over the residual standard deviation of all runs, as in the analysis of variance"
_DF = "the degrees of freedom of the t test over queries and runs (Satterthwaite); empty for `--infer runs`"
_SHARE = "the share of the squared standard error of `delta` that is due to the runs of the systems, such as seeds"
_RUNS_NEEDED = "how many runs each system needs for an interval of plus and minus W; empty where no number will do"
_QUERIES_NEEDED = "how many queries such an interval needs with these runs; empty where no number will do"
_of_system = partial(Column[Any], of_replicates=True, option="--replicates")
SYSTEM_COLUMNS: tuple[Column[Any], ...] = (  # of pairs of systems that have several runs
    _of_system("df", _DF, "tests.df", hidden=True),
    _of_system("share_replicates", _SHARE, "tests.share_replicates", head="share of runs", priority=4),
    _of_system("replicates_needed", _RUNS_NEEDED, "tests.replicates_needed", head="runs needed", option="--half-width"),
    _of_system("queries_needed", _QUERIES_NEEDED, "tests.queries_needed", head="queries needed", option="--half-width"),
)
_PAIRS: Declared[CompareAnswer] = (
    *_KEYS,
    Column("run", _RUN, partial(_names, side="run")),
    Column("versus", "the other run; with a baseline, always this", partial(_names, side="versus")),
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
    Column("family_low", _FAMILY_LOW, "tests.family_low", priority=2, signed=True),
    Column("family_high", "the upper end", "tests.family_high", priority=2, signed=True),
    *SYSTEM_COLUMNS,
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
    Column("swaps", _SWAPS, "compared.swaps.swaps", priority=1),
    Column("rate", "`swaps` / `n`; empty for an empty bin", "compared.swaps.rate", head="swap rate"),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS, "pairs": _PAIRS, "power": _POWER, "swap": _SWAP}
