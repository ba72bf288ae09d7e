"""What may be asked of one run, and the columns of its quantities, of the runs compared with it, and of its queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.compare import SYSTEM_COLUMNS, CompareRequest, Infer
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, Function, same_setting, setting
from biasvar_cli.specs.baselines import BaselineSpec, parse_run_baselines
from biasvar_cli.specs.requests import QueryClusters, TargetedRequest
from biasvar_cli.stats.significance import PRIMARY, TESTS, Correction, Test
from biasvar_cli.tables.column import MEASURE, QUERY, TARGET, Column, Declared, attribute

if TYPE_CHECKING:
    from biasvar_cli.analyses.profile.answer import ProfileAnswer


@dataclass(frozen=True, kw_only=True)
class ProfileRequest(TargetedRequest):
    """The run, what it is compared with, and by which test.

    ``run`` is its name or the beginning of it. A ``baseline`` is NAME, run:NAME or top, the best of the other runs. The
    ``test``, after its ``correction``, decides which differences are significant: p below 1 - ``level``. ``samples``
    are those of the test. Queries of one of the ``clusters`` are drawn together (`scoring.labels`).

    Raises `UsageError` for what cannot be asked.
    """

    run: str = setting("", COMMON, "The run: its name, or the beginning of it.")
    baseline: tuple[str, ...] = setting(
        (),
        COMMON,
        lambda of_command: (
            "Compare the run with NAME, chosen beforehand, or with top, the best other run."
            f"{' Repeatable.' if of_command else ''}"
        ),
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare the run with this one too.",
    )
    test: Test = setting(PRIMARY, STATISTICS, "Paired test that decides which differences are significant.")
    correction: Correction = same_setting(CompareRequest, "correction")
    level: float = same_setting(CompareRequest, "level")
    samples: int = same_setting(CompareRequest, "samples")
    infer: Infer = same_setting(CompareRequest, "infer")
    paired_replicates: bool = same_setting(CompareRequest, "paired_replicates")
    half_width: float | None = same_setting(CompareRequest, "half_width")
    clusters: QueryClusters | None = same_setting(CompareRequest, "clusters")
    seed: int = same_setting(CompareRequest, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if TESTS[self.test].family == "all":
            reason = f"{self.test} is of all pairs of runs, and a profile tests those of one run"
            raise UsageError(reason, option="test")
        CompareRequest.of_one_test(self, *self.baseline)  # which refuses what `compare` does

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The baselines, each run once, by the last of its names."""
        return parse_run_baselines(self.baseline)


FUNCTION = Function(
    ProfileRequest,
    """One run: how good it is, beside the best of the others and a baseline, on which queries, how evenly.

    ``run`` is its name or the beginning of it. ``frame()`` has its quantities, ``frame("versus")`` the runs that it is
    compared with, and ``frame("queries")`` its queries, the largest loss first.
    """,
    first="run",
)


_KEYS: Declared[ProfileAnswer] = (MEASURE, TARGET, Column("run", "the run of the profile, by its full name", key=True))

_RANK = "the rank of the value among all runs, 1 the best; runs of equal values share the lower rank"
_QUANTITIES: Declared[ProfileAnswer] = (
    *_KEYS,
    *(
        column.on("quantities")
        for column in (
            attribute("quantity", "`mean`, `bias`, `bias2`, `var` or `total`, as in `biasvar decompose`", head=""),
            attribute("value", "that of the run", head="this run"),
            attribute("rank", _RANK),
            attribute("baseline", "that of the first baseline; empty without one"),
            attribute("best", "that of the best of the other runs by mean; empty for one run", head="best other"),
            attribute("median", "the median over all runs"),
        )
    ),
)

_DELTA = (
    "the mean of the run minus that of the other one; for a measure of which less is better the reverse, so that the "
    "run is better where it is above 0"
)
_LOW = "the lower end of the t interval of `delta`, for this pair alone"
_FAMILY_LOW = (
    "the lower end of the interval of `delta` that the test gives for all pairs that `p` allows for together, as in "
    "`biasvar compare`; empty where there is none"
)
_P = (
    "p of no difference, two-sided, by the test that decides, after its correction: for the pairs with the named "
    "baselines together, for the best of the others and `top` for all pairs with the run; empty with fewer than 6 "
    "queries"
)


def _of_systems(name: str) -> Callable[[ProfileAnswer], Any]:
    """A number of the tests of systems, for every run compared with; None where there is none for any."""

    def values(answer: ProfileAnswer) -> list[Any] | None:
        tested = [versus for versus in answer.compared.versus if getattr(versus.tests, name) is not None]
        return [versus.of_system(name) for versus in answer.compared.versus] if tested else None

    return values


def _calibrated(name: str, meaning: str, part: str, **others: Any) -> Column[ProfileAnswer]:
    """A column of the calibrated differences; None without a judge."""

    def values(answer: ProfileAnswer) -> list[Any] | None:
        return None if answer.calibrated is None else [getattr(pair, part) for pair in answer.calibrated]

    return Column(name, meaning, values, option="--calibrate", **others)


_CALIBRATED_LOW = "the lower end of the interval of `calibrated`, for all pairs that its p allows for together"
_CALIBRATED_P = "p of no calibrated difference, for the pairs that `p` allows for: t for one pair, else step-down"
_WORTH = "how many queries that the reference alone judged would tell as much of the difference"
_CALIBRATED = (
    _calibrated(
        "calibrated", "`delta` calibrated by the judge, with the queries that it alone judged", "delta", signed=True
    ),
    _calibrated("calibrated_low", _CALIBRATED_LOW, "low", signed=True),
    _calibrated("calibrated_high", "the upper end", "high", signed=True),
    _calibrated("calibrated_p", _CALIBRATED_P, "p", head="its p", latex="its $p$"),
    _calibrated("calibrated_worth", _WORTH, "worth", head="worth", priority=1),
)


_VERSUS: Declared[ProfileAnswer] = (
    *_KEYS,
    *(
        column.on("compared.versus")
        for column in (
            attribute("versus", "the run that it is compared with", "run"),
            attribute("role", "`best`, the best of the other runs by mean, or `baseline`"),
            attribute("mean", "the mean of that run"),
            attribute("delta", _DELTA, latex="$\\Delta$", signed=True),
            attribute("low", _LOW, signed=True, priority=1),
            attribute("high", "the upper end", signed=True, priority=1),
            attribute("p", _P, latex="$p$"),
            attribute("test", "the test that decides", "tests.deciding", hidden=True),
            attribute("wins", "queries on which the run is better", priority=2),
            attribute("ties", "queries on which both are equal", hidden=True),
            attribute("losses", "queries on which the other one is better", priority=2),
            attribute("family_low", _FAMILY_LOW, signed=True, priority=1),
            attribute("family_high", "the upper end", signed=True, priority=1),
        )
    ),
    *(replace(column, values=_of_systems(str(column.values).removeprefix("tests."))) for column in SYSTEM_COLUMNS),
    *_CALIBRATED,
)


def _on_queries(path: str) -> Callable[[ProfileAnswer], Any]:
    """What is at a path on every query; None for each of them where there is nothing."""
    values = attrgetter(path)
    return lambda answer: [None] * answer.n_queries if (made := values(answer)) is None else made


_GAIN = (
    "`score` minus `baseline`, or the reverse for a measure of which less is better: above 0 where the run is better, "
    "as `biasvar risk --table run:NAME` has it"
)
_TARGET = "that of the target, `target` in JSON; empty for a target that is a mean alone"
_OTHER = "that of the first baseline, without one that of the best of the other runs; empty for one run"
_QUERIES: Declared[ProfileAnswer] = (
    *_KEYS,
    QUERY.on("scores"),
    Column("score", "the score of the run on the query", lambda answer: answer.scores.row(answer.run), kind="score"),
    Column("target_score", _TARGET, _on_queries("target.scores"), head="target", priority=1, kind="score"),
    Column("baseline", _OTHER, _on_queries("reference_scores"), kind="score"),
    Column("delta", _GAIN, _on_queries("delta"), latex="$\\Delta$", signed=True),
)
TABLES: dict[str, Declared[Any]] = {"quantities": _QUANTITIES, "versus": _VERSUS, "queries": _QUERIES}
