"""What may be asked of many tracks, and the columns of the tables of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from biasvar_cli.errors import UsageError
from biasvar_cli.specs.limits import require_limits
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.tables.column import COEFFICIENTS, Column, Declared, attribute

if TYPE_CHECKING:
    from biasvar_cli.analyses.tracks.answer import NullRow, SeriesTrend, TracksAnswer
    from biasvar_cli.decomposition import Design


SAMPLINGS = ("single", "random", "difficulty", "normalised")
LETTERS = dict(zip(SAMPLINGS, "abcd", strict=True))  # columns of CIKM'14


@dataclass(frozen=True, kw_only=True)
class TracksRequest:
    """How the queries of every track are sampled, and what its correlations are compared with.

    ``null`` is None where no null model is wanted. ``jobs`` tracks are computed at once.

    Raises `UsageError` for what cannot be asked.
    """

    design: Design
    null: NullRequest | None = None
    jobs: int = 1

    def __post_init__(self) -> None:
        require_limits(self)
        if len(self.design.subset_size) > 1:
            raise UsageError("the tracks of a manifest take one size, the same for all", option="subset_size")


_SERIES = attribute(
    "series", "the series of tracks compared over the years; empty where the manifest names none", priority=1
)
_TRACK = (
    _SERIES,
    attribute("year", "the year of the track; empty where the manifest has none"),
    attribute("track", "the track's name"),
)
_MEASURED = (
    attribute("measure", "the measure, by ir-measures' name; empty if it is not known"),
    attribute("target", "the target, as asked for"),
)
_SAMPLED = {  # in LaTeX, in the reference, and which columns are left out first
    "single": ("single", "(a) single queries", 0),
    "random": ("random", "(b) random partitions", 4),
    "difficulty": ("by difficulty", "(c) subsets by difficulty", 3),
    "normalised": ("normalised", "(d) these, normalised", 2),
}
SIGNS = {name: column.heading.rpartition(" ")[2].strip("$\\") for name, column in COEFFICIENTS.items()}  # r, rho, tau


def _correlation(sampling: str, name: str) -> Column[TracksAnswer]:
    latex, samples, priority = _SAMPLED[sampling]
    return Column(
        f"{sampling}_{name}",
        f"correlation of bias² and variance over the runs, {samples}: {name.title()}'s coefficient",
        lambda answer: answer.quantities[f"{sampling}_{name}"],
        head=f"({LETTERS[sampling]}) {SIGNS[name]}",
        latex=f"{COEFFICIENTS[name].heading}, {latex}",
        signed=True,
        priority=priority,
    )


def _range_end(name: str, end: str) -> Column[TracksAnswer]:
    """An end of the range of the null models beside a correlation over single queries, which people are shown there."""
    return Column(
        f"single_{name}_{end}",
        f"the {'lower' if end == 'low' else 'upper'} end of the null models' range of `single_{name}`",
        lambda answer: [track.beside_single.get(name, {}).get(end) for track in answer.whole],
        latex=f"{COEFFICIENTS[name].heading}, null, {end}",
        signed=True,
        priority=1,
    )


def _teams(answer: TracksAnswer) -> list[int | None] | None:
    """The numbers of teams; None where no track has a team map."""
    numbers = [track.n_teams for track in answer.whole]
    return None if all(number is None for number in numbers) else numbers


RANGE_ENDS = {name: (_range_end(name, "low"), _range_end(name, "high")) for name in COEFFICIENTS}
_CORRELATIONS = tuple(_correlation(sampling, name) for sampling in SAMPLINGS for name in COEFFICIENTS)
_RAREFIED: Column[TracksAnswer] = Column(
    "target_rarefied",
    "the expected mean of the best of as many runs as the smallest track of the series has; empty for another target "
    "than `best`",
    lambda answer: answer.quantities["target_rarefied"],
    latex="target, rarefied",
    priority=9,
)
_SIZES = (
    attribute("n_runs", "runs evaluated", head="runs", better="more", priority=7),
    attribute("n_queries", "queries evaluated", head="queries", better="more", priority=8),
)
_TARGET_MEAN = attribute("target_mean", "the mean of the target", priority=9)
_DESCRIBED: tuple[Column[TracksAnswer], ...] = (
    *(column.on("whole") for column in (*_TRACK, *_MEASURED, *_SIZES)),
    Column("n_teams", "teams, if a track has a team map", _teams, head="teams", priority=8),
    _TARGET_MEAN.on("whole"),
    _RAREFIED,
)
_TRACKS: Declared[TracksAnswer] = (*_DESCRIBED, *_CORRELATIONS)
WITH_RANGES = (  # the range of the null models behind a correlation over single queries
    *_DESCRIBED,
    *(part for column in _CORRELATIONS for part in (column, *RANGE_ENDS.get(column.name.removeprefix("single_"), ()))),
)
HEADS = {column.name: column.head for column in _CORRELATIONS}
_HEADINGS = {name: column.heading for column in (*_CORRELATIONS, _RAREFIED) for name in (column.name, column.head)}
_MODEL = (
    "`means`, the three models in which runs differ only in their means, or `shuffled`, scores shuffled among the runs"
)
_VERDICT = "the verdict of the null models on Pearson's r over single queries, as in `tradeoff`"
NULL: tuple[Column[Sequence[NullRow]], ...] = (
    *(column if column.name == "track" else replace(column, priority=5) for column in _TRACK),
    attribute("model", _MODEL),
    attribute("quantity", "the correlation, by its column among the tracks", cell_headings=_HEADINGS),
    attribute("observed", "its value", signed=True, priority=1),
    attribute("median", "the median under the first model", head="null median", signed=True, priority=4),
    attribute("low", "the lower end of the models' range: the widest of their central 95 %", signed=True, priority=2),
    attribute("high", "the upper end of that range"),
    attribute("p", "the two-sided p of the null models", latex="$p$", priority=3),
    attribute("verdict", _VERDICT),
)
_QUANTITY = "what changes over the years: a column of the tracks, the normalised correlations first"
_TRENDS: Declared[Sequence[SeriesTrend]] = (
    _SERIES,
    *_MEASURED,
    attribute("quantity", _QUANTITY, cell_headings=_HEADINGS),
    attribute("n_years", "years with a value", "trend.n_years", head="years"),
    attribute("n_undefined", "years without", "trend.n_undefined", latex="undefined"),
    attribute("tau", "Kendall's tau-b of year and value", "trend.tau", latex="$\\tau$", signed=True),
    attribute("p", "the exact two-sided p of `tau`", "trend.p", latex="$p$"),
    attribute("least_p", "the least p that so many years can give", "trend.least_p", latex="least $p$", priority=2),
)
TABLES: dict[str, Declared[Any]] = {"tracks": _TRACKS, "null": NULL, "trends": _TRENDS}
