"""What may be asked of unjudged documents, and the columns of the tables of runs and teams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, setting
from biasvar_cli.specs.limits import require_limits
from biasvar_cli.specs.requests import AnalysisRequest
from biasvar_cli.tables.column import MEAN, MEASURE, RUN, Column, Declared, attribute
from biasvar_cli.words import argument

if TYPE_CHECKING:
    from biasvar_cli.analyses.unjudged.answer import UnjudgedAnswer

NEEDS = "biasvar unjudged"


@dataclass(frozen=True, kw_only=True)
class UnjudgedRequest(AnalysisRequest):
    """Which ``grade`` an unjudged document could have, None for the highest that occurs, and whose pool is taken apart.

    ``teams`` is a csv of run,team, ``contributors`` a list of the runs that were pooled, by default all, and ``depth``
    how many of their documents were judged, by default the most that all of them have judged on every query.

    Raises `UsageError` for what cannot be asked.
    """

    grade: int | None = setting(
        None,
        COMMON,
        "The grade that an unjudged document could have. Default: the highest that occurs.",
        metavar="G",
    )
    teams: str | None = setting(
        None,
        COMMON,
        "A csv of run,team, or a list of Evalbase: leave out what each team alone gave to the pool.",
        file=True,
        brief="A csv of run,team: leave each team out of the pool.",
    )
    contributors: str | None = setting(
        None,
        STATISTICS,
        "With --teams: the runs that were pooled, a name a line, or the column run of a csv. Default: all runs.",
        file=True,
    )
    depth: int | None = setting(
        None,
        STATISTICS,
        "With --teams: how many documents of each pooled run were judged. Default: as many as are judged of all.",
        metavar="D",
    )

    def __post_init__(self) -> None:
        require_limits(self)
        for option in ("contributors", "depth"):
            if getattr(self, option) is not None and self.teams is None:
                raise UsageError(f"says which pool teams are left out of; it needs {argument('teams')}", option=option)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that teams and pooled runs are read from."""
        return tuple(file for file in (self.teams, self.contributors) if file is not None)

    @property
    def of_documents(self) -> str:
        """What needs the documents of runs, as an error names it."""
        return NEEDS


_HIGH = (
    "the highest mean that the run could have, if its unjudged documents had the grade: those of them that raise it "
    "most on each query (METHOD)"
)
_UNJUDGED = "the share of unjudged documents in the first k of the measure, in the first 10 where it has no cutoff"
_BEST = (
    "the best rank possible: 1 + the runs that stay above it whatever unjudged documents are; where `exact` is false, "
    "if its own unjudged documents alone counted"
)
_WORST = (
    "the worst rank possible: n less the runs that stay below it whatever unjudged documents are; where `exact` is "
    "false, if those of every other run counted and its own did not"
)
_OUT = "its mean without what its team alone gave to the pool"
_RANK_OUT = "its rank by it among all runs, scored under the same judgments"
_BIAS2_HIGH = "that of `high` to the mean of the best scores, every run at its highest; empty for systems"
_RUNS: Declared[UnjudgedAnswer] = (
    MEASURE,
    RUN,
    replace(MEAN, meaning="the mean score, an unjudged document counting as not relevant"),
    Column("high", _HIGH.replace(" (METHOD)", ""), kind="score"),
    Column("unjudged", _UNJUDGED, priority=2),
    Column("rank", "the rank by `mean`; runs of equal means share the lower rank", "rank", better="less"),
    Column("best_rank", _BEST, priority=1),
    Column("worst_rank", _WORST, priority=1),
    *(
        Column(name, meaning, f"left_out.{name}", **others).on("if_teams").optional("--teams")  # type: ignore[arg-type]
        for name, meaning, others in (
            ("score_out", _OUT, {"priority": 2}),
            ("rank_out", _RANK_OUT, {"priority": 2}),
        )
    ),
    Column("bias2", "`(target - mean)²`, against the best score of each query; empty for systems", hidden=True),
    Column("bias2_high", _BIAS2_HIGH, hidden=True),
    Column("total", "`bias2` and the variance over the queries; empty for systems", hidden=True),
    Column("total_high", "the same where every run is at its highest; empty for systems", hidden=True),
)
_TEAMS: Declared[UnjudgedAnswer] = (
    MEASURE,
    *(
        column.on("teams")
        for column in (
            attribute("team", "the team"),
            attribute("n_runs", "how many of its runs were pooled", head="pooled"),
            attribute("n_documents", "judged documents that only they contributed to the pool", head="documents"),
            attribute("best_run", "its best run", head="best run"),
            attribute("score", "the mean of that run", kind="score"),
            attribute("score_out", "the mean without these documents", kind="score"),
            attribute("rank", "its rank among all runs"),
            attribute("rank_out", "the rank without these documents"),
        )
    ),
)
TABLES: dict[str, Declared[UnjudgedAnswer]] = {"runs": _RUNS, "teams": _TEAMS}
