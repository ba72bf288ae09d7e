"""The content of a page: the panels of every measure and target, and the trend of a manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from biasvar_cli.analyses.judges import answer as judges
from biasvar_cli.analyses.judges.request import JudgesRequest
from biasvar_cli.analyses.judges.table import JudgesView, judges_table
from biasvar_cli.analyses.profile import answer as profile
from biasvar_cli.analyses.profile.request import ProfileRequest
from biasvar_cli.analyses.profile.table import ProfileView, profile_table
from biasvar_cli.analyses.summary import answer as summary
from biasvar_cli.analyses.summary.columns import DIGITS
from biasvar_cli.analyses.summary.request import SummaryRequest
from biasvar_cli.analyses.summary.table import SummaryView, summary_table
from biasvar_cli.analyses.tracks.answer import answer
from biasvar_cli.analyses.tracks.columns import TABLES
from biasvar_cli.analyses.tracks.request import TracksRequest
from biasvar_cli.analyses.tracks.table import TracksView, tracks_table
from biasvar_cli.errors import DataError, full_name
from biasvar_cli.page.drawings import trend_drawn
from biasvar_cli.page.page import Content, ProfileSection, TrendSection
from biasvar_cli.page.panel import PageRequest, panel
from biasvar_cli.page.sheet import Sheet, document, sheet, sheet_in_order
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.words import RUN, RUNS, Nouns, argument, is_highlighted, worded

if TYPE_CHECKING:
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.scoring.judges import Judges
    from biasvar_cli.scoring.track import Track

_TREND_TITLES = {
    "tracks": "Correlation of bias² and variance over the runs of each track",
    "null": "Null models of each correlation",
    "trends": "Trends over the years of a series",
}


def content(track: Track, request: PageRequest, *, judged: Judges | None = None, done: Done = unwatched) -> Content:
    """What a page shows, of several judges too, where they are ``judged``.

    ``done`` is called with the number of samples of null models that were just drawn.

    Raises `DataError` for a single run, and for a baseline that is not among the runs.
    """
    names = track.scored[0].scores.runs
    if len(names) < 2:
        raise DataError(f"the report compares {RUNS}: it needs at least 2, found 1 {RUN}: {names[0]}")
    if request.baseline is not None:
        request = replace(request, baseline=full_name(argument(baseline=request.baseline), request.baseline, names))
    track = track.unmarked  # the reader chooses what is marked
    pairs = [(scored, spec) for scored in track.scored for spec in request.targeted.targets]
    panels = [panel(f"t{index}", *pair, request, done=done) for index, pair in enumerate(pairs)]
    with worded(Nouns()):  # those of the tracks of the manifest
        trend = _trend(request.tracks, request.of_tracks) if request.tracks is not None else None
    sheets = [] if judged is None else _judges(judged, request)
    profiles = [
        _profile(f"profile{number}", run, track, request)
        for number, run in enumerate(name for name in names if is_highlighted(name))
    ]
    return Content(_summary(track, request), panels, names, request.baseline, trend, sheets, profiles)


def _summary(track: Track, request: PageRequest) -> Sheet | None:
    """The means of all measures in one table, as ``summary`` has it; None for one measure."""
    if len(track.scored) < 2:
        return None
    targeted = request.targeted
    wanted = SummaryRequest(
        baseline=None if request.baseline is None else f"run:{request.baseline!s}",
        target=targeted.target[:1],
        log=targeted.log,
        eps=targeted.eps,
        seed=request.design.seed,
        jobs=request.jobs,
    )
    (spec,) = wanted.targets
    result = summary.answer([summary.NamedTrack(None, track, spec)], wanted, with_p=False)
    return sheet_in_order("summary", partial(summary_table, result), SummaryView(), digits=DIGITS)


def _judges(loaded: Judges, request: PageRequest) -> list[Sheet]:
    """What other judgments change, a table for each measure, against the first target."""
    wanted = JudgesRequest(target=request.targeted.target[:1], seed=request.design.seed, jobs=request.jobs)
    return [
        sheet_in_order(f"judges{number}-judges", partial(judges_table, of_measure), JudgesView())
        for number, of_measure in enumerate(judges.answer(loaded, wanted, with_verdicts=False))
    ]


def _profile(key: str, run: str, track: Track, request: PageRequest) -> ProfileSection:
    """One run, a table for each measure, against the first target."""
    targeted, baseline = request.targeted, request.baseline
    wanted = ProfileRequest(
        run=f"{run!s}",
        baseline=() if baseline is None or baseline == run else (f"run:{baseline!s}",),
        target=targeted.target[:1],
        log=targeted.log,
        eps=targeted.eps,
        seed=request.design.seed,
        jobs=request.jobs,
    )
    sheets = [
        sheet_in_order(f"{key}-{number}-profile", partial(profile_table, of_measure), ProfileView())
        for number, of_measure in enumerate(profile.answer(track, wanted))
    ]
    return ProfileSection(f"{run}", sheets)


def _trend(tracks: Sequence[ManifestTrack], request: TracksRequest) -> TrendSection:
    """The tracks of a manifest; unlike ``tracks``, nothing is written where one is broken."""
    result = answer(tracks, request, complete=True)
    tables = [replace(tracks_table(result, TracksView(table=name)), title=_TREND_TITLES[name]) for name in TABLES]
    sheets = [sheet(f"trend-{table.rows_key}", table) for table in tables]
    whole = tracks_table(result, TracksView(format="json"))
    return TrendSection(sheets=[table for table in sheets if table.rows], correlations=trend_drawn(document(whole)))
