"""What may be asked of a summary, and its columns: those of each measure, in a manifest of each track and measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.analyses.compare import BEATEN, LETTER, CompareRequest, Infer, Marks
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, same_setting, setting
from biasvar_cli.specs.baselines import BaselineSpec, parse_run_baseline
from biasvar_cli.specs.requests import QueryClusters, TargetedRequest
from biasvar_cli.stats.significance import PRIMARY, Correction, Test
from biasvar_cli.tables.column import QUANTITIES, RUN, Column, Declared, Family

if TYPE_CHECKING:
    from biasvar_cli.analyses.summary.answer import MeasureAnswer, SummaryAnswer
    from biasvar_cli.words import Better


ERRORS = ("bias2", "var", "total")  # that stand beside a mean
SPREAD = "sd_replicates"  # of the means of the runs of a system


@dataclass(frozen=True, kw_only=True)
class SummaryRequest(TargetedRequest):
    """What the runs are compared with, and what is shown beside their means.

    Without a ``baseline``, NAME, run:NAME or top, the runs are compared with the best one of each measure, by the test
    of all pairs; top is the best one of the first measure. The ``test``, after its ``correction``, decides the marks. p
    below 1 - ``level`` is significant; ``samples`` are those of the test. With ``marks`` of letters every run has a
    letter, and behind a mean stand those of the runs that it is significantly better than. With ``errors`` bias²,
    variance and total against the ``target``, of which there is one, stand beside each mean, with ``counts`` the
    numbers of queries that are won and lost.

    Raises `UsageError` for what cannot be asked.
    """

    baseline: str | None = setting(
        None,
        COMMON,
        "Compare the runs with this one, and not with the best one of each measure: NAME, run:NAME, or top for the "
        "best one of the first measure.",
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare the runs with this one.",
    )
    errors: bool = setting(False, COMMON, "Show bias², variance and total beside each mean.")
    counts: bool = setting(
        False,
        STATISTICS,
        "Show beside each mean on how many queries the run is better and worse than the baseline, or the best run.",
    )
    test: Test = setting(PRIMARY, STATISTICS, "Paired test that decides the marks.")
    correction: Correction = same_setting(CompareRequest, "correction")
    level: float = same_setting(CompareRequest, "level")
    samples: int = same_setting(CompareRequest, "samples")
    marks: Marks = same_setting(CompareRequest, "marks")
    infer: Infer = same_setting(CompareRequest, "infer")
    paired_replicates: bool = same_setting(CompareRequest, "paired_replicates")
    half_width: float | None = same_setting(CompareRequest, "half_width")
    clusters: QueryClusters | None = same_setting(CompareRequest, "clusters")
    seed: int = same_setting(CompareRequest, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.targets) > 1:
            raise UsageError(f"the table has one target, found {' and '.join(self.target)}", option="target")
        compared = CompareRequest.of_one_test(self, *([] if self.baseline is None else [self.baseline]))
        replace(compared, marks=self.marks)  # refuses what compare does

    @property
    def spec(self) -> BaselineSpec | None:
        """What the others are compared with, None for the best one of each measure."""
        return None if self.baseline is None else parse_run_baseline(self.baseline)


DIGITS, PERCENT_DIGITS = 3, 1  # of means, and of means times 100


class Part(NamedTuple):
    """A measure of an answer, whose values are to be in the order of all its runs."""

    answer: SummaryAnswer
    measure: MeasureAnswer

    @property
    def better(self) -> Better:
        """Whether more or less of the measure is better."""
        return self.measure.better


def _parts(answer: SummaryAnswer) -> dict[str, Part]:
    return {measure.label: Part(answer, measure) for measure in answer.measures}


def _aligned(values: Callable[[MeasureAnswer], Any] | str, missing: Any = nan) -> Callable[[Part], Any]:
    """The values of a measure, or what is at a path of it, in the order of all runs; None where not asked for."""
    values_of = attrgetter(values) if isinstance(values, str) else values

    def of(part: Part) -> Any:
        column = values_of(part.measure)
        return None if column is None else part.answer.aligned(part.measure, column, missing)

    return of


def _count(measure: MeasureAnswer, side: str) -> list[int | None] | None:
    """The queries that each run wins or loses against the run compared with; None where they are not asked for."""
    return measure.counts(side) if measure.request.counts else None


def _beaten(part: Part) -> list[str] | None:
    """The letters of the runs that each run is better than; None where none are asked for."""
    beaten = part.answer.beaten(part.measure)
    return None if beaten is None else part.answer.aligned(part.measure, beaten, "")


_MEAN = (
    "the mean score of the run under a measure; `TRACK/MEASURE` with a manifest; empty for a run that is not in "
    "the track"
)
_SPREAD = "the standard deviation, divisor K - 1, of the means of the system's K runs; empty for a system of one run"
_P = (
    "p of no difference from the baseline, by the test that decides, after its correction, for all runs "
    "compared with it; without a baseline, p of no difference from the best run, which allows for "
    "all pairs, as with `--baseline top`; empty for the run compared with and for fewer than 6 queries"
)
_MARK = (
    "`better` or `worse`, significantly so, than the baseline; without one `not-below-best`, the best run "
    "and all that are not significantly below it; else empty"
)
_WINS = (
    "the number of queries on which the run is better than the baseline, or without one than the best run; empty for "
    "this run itself and for fewer than 6 queries"
)
_BEATEN = f"{BEATEN}; under this measure"
_RANK_LOW = (
    "the least rank of the run by its mean that the test leaves open, 1 + the number of runs that are significantly "
    "better, as in `biasvar compare`; with `--baseline NAME` only the baseline has one"
)
_RANK_HIGH = "the greatest rank, the number of runs minus those that are significantly worse"
_OF_MEASURE: tuple[Column[Part], ...] = (
    Column("{}", _MEAN, _aligned("mean"), kind="score"),
    Column(
        f"{{}}_{SPREAD}", _SPREAD, _aligned("spread"), latex="sd over replicates", hidden=True, option="--replicates"
    ),
    Column("{}_p", _P, _aligned(lambda of: of.p if of.with_p else None), latex="$p$", hidden=True),
    Column("{}_mark", _MARK, _aligned(lambda of: [mark or "" for mark in of.marks], ""), latex="mark", hidden=True),
    Column("{}_beaten", _BEATEN, _beaten, latex="beaten", hidden=True, option="--marks letters"),
    *(
        Column(
            f"{{}}_{name}",
            f"{QUANTITIES[name].meaning}; under this measure",
            _aligned(methodcaller("error", name)),
            head=QUANTITIES[name].head or name,
            latex=QUANTITIES[name].heading,
            better=QUANTITIES[name].better,
            option="--errors",
        )
        for name in ERRORS
    ),
    Column(
        "{}_wins", _WINS, _aligned(partial(_count, side="wins"), None), head="wins", latex="wins", option="--counts"
    ),
    Column(
        "{}_losses",
        "the number on which it is worse",
        _aligned(partial(_count, side="losses"), None),
        head="losses",
        latex="losses",
        option="--counts",
    ),
)


def _ranks(end: int) -> Callable[[Part], Any]:
    """The least or the greatest rank of each run; None where ranks are not wanted."""
    return _aligned(lambda of: of.ranks[end] if of.with_p else None, None)


_RANKS: tuple[Column[Part], ...] = (
    Column("{}_rank_low", _RANK_LOW, _ranks(0), latex="least rank", hidden=True),
    Column("{}_rank_high", _RANK_HIGH, _ranks(1), latex="greatest rank", hidden=True),
)
_RUNS: Declared[SummaryAnswer] = (
    Column(RUN.name, "the name of the run, as `--names` has it", "run_labels"),
    Column("letter", f"{LETTER} of the first measure", "letters", option="--marks letters"),
    Family(_parts, _OF_MEASURE, ("AP",), "MEASURE"),
    Family(_parts, _RANKS, ("AP",), "MEASURE"),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS}
