"""The content of a page of a track: a panel for each measure and target, and further sections.

The module is long because it builds all sections of the page, in their order. Importing the module of an analysis'
tables, such as ``compare.table``, also loads the module of its answers, ``compare.answer``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from biasvar_cli.analyses import compare, decompose, judges, profile, risk, summary, target, tracks, tradeoff, unjudged
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table, total_notes, tradeoff_notes
from biasvar_cli.analyses.judges.calibration import is_possible
from biasvar_cli.analyses.judges.table import judges_table
from biasvar_cli.analyses.profile.table import profile_table
from biasvar_cli.analyses.risk.table import RiskView, risk_table
from biasvar_cli.analyses.summary.table import SummaryView, summary_table
from biasvar_cli.analyses.target.table import target_table
from biasvar_cli.analyses.tracks import TracksRequest
from biasvar_cli.analyses.tracks.table import TracksView, tracks_table
from biasvar_cli.analyses.tradeoff.table import families_table, tradeoff_table
from biasvar_cli.analyses.unjudged.table import unjudged_table
from biasvar_cli.decomposition import Design
from biasvar_cli.errors import DataError, full_name
from biasvar_cli.page.figures import Figures, of_calibrated, of_judges, of_panel, of_runs, of_tracks
from biasvar_cli.page.pictures import Picture, Pictures
from biasvar_cli.page.script import DIGITS, Sheet, blank_sheet, panel_data, sheet, sheet_in_order
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.scoring.judged_tracks import Judges
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs.requests import NullRequest, TargetedRequest
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.stats.significance import PRIMARY
from biasvar_cli.tables.column import Column, expanded
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.rows import View, row_order, warn_of_chance
from biasvar_cli.tables.table import Table, measure_words
from biasvar_cli.words import (
    FORMS,
    QUERIES,
    RUN,
    RUNS,
    Nouns,
    RunName,
    argument,
    as_typed,
    in_python,
    printable,
    worded,
)

_OPENS_BY = "total"  # the order of the runs when the page opens
_FIRST = ("run", "mean", "total")  # the columns that fit on a telephone
_CORRELATION = "Correlation of bias² and variance"
_SECOND = Column[Any]("second", "the value of the second run")
_OF_RUN: tuple[Column[Any], ...] = (  # columns of a run on each query
    *(column for column in expanded(target.TABLES["queries"]) if column.name in ("query_id", "difficulty")),
    Column("target", "the target's score on the query"),
    Column("score", "the score on the query", better="more", kind="score"),
    Column("gap", "target minus score"),
    _SECOND,
    Column("difference", "score of the run minus that of the second run", better="more"),
    Column("outcome", "win, tie or loss of the run against the second run"),
)
_OF_TARGET = {"target", "gap"}  # the columns that need the target's score of each query
_PROFILE = {column.name: column for column in expanded(profile.TABLES["quantities"])}
_OF_QUANTITIES = (*(_PROFILE[name] for name in ("quantity", "value", "rank", "best")), _SECOND, _PROFILE["median"])

_TREND_TITLES = {
    "tracks": "Correlation of bias² and variance over the runs of each track",
    "null": "Null models of each correlation",
    "trends": "Trends over the years of a series",
}


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """The settings of a page.

    ``groups`` is a file of groups of queries, ``families`` a file of members or a pattern. ``baseline`` is the name of
    a run, or its beginning. ``tracks`` are the tracks of a manifest; ``jobs`` of them are computed at once.

    Raises `UsageError` for settings that `TracksRequest` refuses.
    """

    targeted: TargetedRequest
    design: Design
    null: NullRequest | None
    groups: str | None = None
    families: str | None = None
    baseline: str | None = None
    tracks: Sequence[ManifestTrack] | None = None
    jobs: int = 1

    def __post_init__(self) -> None:
        if self.tracks is not None:
            assert self.of_tracks.jobs, "making the request checks it"

    @cached_property
    def of_tracks(self) -> TracksRequest:
        """The request for the tracks of the manifest."""
        null = replace(self.null, stability=False) if self.null is not None else None
        return TracksRequest(design=self.design, null=null, jobs=self.jobs)

    def against(self, *targets: str) -> dict[str, Any]:
        """The fields of an analysis' request that say what runs are measured against: targets and logarithms."""
        return {"target": targets, "log": self.targeted.log, "eps": self.targeted.eps}


class Answer(NamedTuple):
    """A question at the top of the page, and the sentences that answer it."""

    question: str
    sentences: list[str]


class Profile(NamedTuple):
    """The profile of a highlighted run; ``place`` is its index in the names of the page."""

    run: str
    place: int
    sheet: Sheet


class Panel(NamedTuple):
    """One tab: the answers under its heading, tables, and the data of the figures.

    ``answers`` say which run is best, which has the least total error, and whether there is a tradeoff. ``pictures``
    are the figures by name, some of them for each form or coefficient.
    """

    key: str
    label: str
    answers: tuple[Answer, Answer, Answer]
    baseline: str
    quantities: Sheet
    of_queries: Sheet
    runs: Sheet
    compared: Sheet | None
    risk: Sheet | None
    tradeoff: Sheet
    families: Sheet | None
    pictures: Figures
    data: dict[str, Any]
    queries: Sheet | None = None
    suppliers: Sheet | None = None
    growth: Sequence[str] = ()
    profiles: Sequence[Profile] = ()

    @property
    def sheets(self) -> list[Sheet]:
        """All tables of the panel."""
        return [part for part in self if isinstance(part, Sheet)] + [profile.sheet for profile in self.profiles]


@dataclass(frozen=True, kw_only=True)
class TrendSection:
    """The tracks of a manifest over the years: their tables, and the figure of each coefficient."""

    sheets: Sequence[Sheet]
    pictures: Sequence[Picture]


class Content(NamedTuple):
    """The content of a page. ``names`` are the listed runs, in the order of the scores of every panel.

    ``baseline`` is the second run when the page opens. ``summary`` has the means of all measures, None for a single
    measure. ``judges`` are tables of what other judgments change, for each measure, and ``judged`` and
    ``calibrated`` their figures. ``can_draw`` is False without a converter, and then there are no figures.
    ``unjudged`` maps names of runs, as people see them, to shares of unjudged documents, for the runs with more
    than half. ``possible`` are tables of what unjudged documents can change, for each measure.
    """

    summary: Sheet | None
    panels: Sequence[Panel]
    names: Sequence[str]
    baseline: str | None
    trend: TrendSection | None
    judges: Sequence[Sheet] = ()
    judged: Sequence[Sequence[Picture]] = ()
    calibrated: Sequence[Sequence[Picture]] = ()
    can_draw: bool = True
    unjudged: Mapping[str, str] = MappingProxyType({})
    possible: Sequence[Sheet] = ()


def content(track: Track, request: PageRequest, *, judged: Judges | None = None) -> Content:
    """The content of a page; ``judged`` is the track under several judgments.

    Raises `DataError` for a single run, and for a baseline that is not among the runs.
    """
    names = track.scored[0].scores.runs
    if len(names) < 2:
        raise DataError(f"the report compares {RUNS}: it needs at least 2, found 1 {RUN}: {names[0]}")
    if request.baseline == "top" and "top" not in names:
        best = track.scored[0].scores
        run = best.runs[int(best.values.mean(axis=1).argmax())]
        what = "a page compares with one run under all measures, so give its name"
        raise DataError(f"{argument(baseline='top')}: {what}; {run} has the best mean {best.measure or 'score'}")
    if request.baseline is not None:
        request = replace(request, baseline=full_name(argument(baseline=request.baseline), request.baseline, names))
    track = track.unmarked  # on the page, the reader marks runs
    pairs = [(scored, spec) for scored in track.scored for spec in request.targeted.targets]
    marked = in_order_of_naming(names)
    with Pictures(names) as pictures:
        panels = [
            panel(f"t{index}", *pair, request, pictures)._replace(
                profiles=[_profile(f"t{index}-profile{names.index(run)}", run, *pair, request) for run in marked]
            )
            for index, pair in enumerate(pairs)
        ]
        with worded(Nouns()):  # tracks of the manifest have queries and runs, whatever this track calls them
            trend = _trend(request.tracks, request.of_tracks, pictures) if request.tracks is not None else None
        sheets, figures, calibrated = ([], [], []) if judged is None else _judges(judged, request, pictures)
        shares = {printable(name): track.unjudged[name] for name in names if name in track.unjudged}
        return Content(
            summary=_summary(track, request),
            panels=panels,
            names=names,
            baseline=request.baseline,
            trend=trend,
            judges=sheets,
            judged=figures,
            calibrated=calibrated,
            can_draw=pictures.can_draw,
            unjudged=shares,
            possible=_possible(track),
        )


def _summary(track: Track, request: PageRequest) -> Sheet | None:
    """The table of ``summary``, with the means of all measures; None for a single measure."""
    if len(track.scored) < 2:
        return None
    summary_request = summary.SummaryRequest(
        **request.against(*request.targeted.target[:1]),
        baseline=None if request.baseline is None else f"run:{request.baseline!s}",
        seed=request.design.seed,
        jobs=request.jobs,
    )
    (spec,) = summary_request.targets
    result = summary.answer.answer([summary.answer.NamedTrack(None, track, spec)], summary_request, with_p=False)
    return sheet_in_order("summary", partial(summary_table, result), SummaryView(), digits=summary.DIGITS)


def _judges(
    loaded: Judges, request: PageRequest, pictures: Pictures
) -> tuple[list[Sheet], list[Sequence[Picture]], list[Sequence[Picture]]]:
    """What other judgments change: a table and a figure for each measure, against the first target.

    If judges alone judged enough further queries, tables and figures of calibrated runs follow.
    """
    judges_request = judges.JudgesRequest(
        target=request.targeted.target[:1], seed=request.design.seed, jobs=request.jobs
    )
    answers = judges.answer.answer(loaded, judges_request, with_verdicts=False)
    figures = of_judges(answers, pictures)
    sheets = [
        sheet_in_order(f"judges{number}-judges", partial(judges_table, answer), View(table="judges"))
        for number, answer in enumerate(answers)
    ]
    if not is_possible(loaded):
        return sheets, figures, []
    calibrated = judges.answer.answer(loaded, replace(judges_request, calibrate=True), with_verdicts=False)
    words = "Few queries judged by the reference, more by judges alone"
    sheets += [
        sheet(f"judges{number}-runs", judges_table(answer, View(table="runs")), words=words)
        for number, answer in enumerate(calibrated)
    ]
    return sheets, figures, of_calibrated(calibrated, pictures)


def _possible(track: Track) -> list[Sheet]:
    """What unjudged documents can change: a table for each measure whose highest value is known."""
    bounded = unjudged.answer.bounded(track)
    answers = [] if bounded is None else unjudged.answer.answer(bounded, unjudged.UnjudgedRequest())
    return [
        sheet_in_order(f"unjudged{number}-runs", partial(unjudged_table, answer), View(table="runs"))
        for number, answer in enumerate(answers)
    ]


def in_order_of_naming(names: Iterable[str]) -> list[RunName]:
    """The highlighted runs, in the order in which the user named them."""
    marked = [name for name in names if isinstance(name, RunName) and name.highlighted]
    return sorted(marked, key=lambda name: name.highlighted)


def _profile(key: str, run: str, scored: Scored, spec: TargetSpec, request: PageRequest) -> Profile:
    """The profile of a run under one measure and target."""
    profile_request = profile.ProfileRequest(
        **request.against(spec.text),
        run=f"{run!s}",
        baseline=() if request.baseline in (None, run) else (f"run:{request.baseline!s}",),
        seed=request.design.seed,
        jobs=request.jobs,
    )
    (answer,) = profile.answer.answer(Track((scored,)), profile_request)
    table = sheet_in_order(f"{key}-profile", partial(profile_table, answer), View(table="quantities"))
    return Profile(f"{run}", scored.scores.runs.index(run), table)


def _trend(listed: Sequence[ManifestTrack], request: TracksRequest, pictures: Pictures) -> TrendSection:
    """The tracks of a manifest; a broken track is an error here, while ``biasvar tracks`` leaves it out."""
    result = tracks.answer.answer(listed, request, complete=True)
    tables = [
        replace(tracks_table(result, TracksView(table=name)), title=title) for name, title in _TREND_TITLES.items()
    ]
    sheets = [sheet(f"trend-{table.rows_key}", table) for table in tables]
    return TrendSection(sheets=[table for table in sheets if table.rows], pictures=of_tracks(result, pictures))


def panel(key: str, scored: Scored, spec: TargetSpec, request: PageRequest, pictures: Pictures) -> Panel:
    """The analyses of one measure and target; the baseline of the request has to be the whole name of a run."""
    decompose_request = _decompose_request(scored, spec, request)
    (first,) = decompose.answer.answer(Track((scored,)), replace(decompose_request, stability=False))
    # The figures are drawn in the background, while null models are simulated.
    figures = of_runs(key, first, request.families, pictures)
    correlated = _correlated(scored, spec, request)
    targeted = correlated.targeted
    decomposed = decompose.answer.DecomposeAnswer(decompose_request, scored, targeted, drawn=correlated.null)
    runs = _runs(decomposed)
    samples = target.TargetRequest(difficulty=request.design.difficulty, subset_size=request.design.first_size)
    goal = target.answer.TargetAnswer(samples, scored, targeted)
    compared = _compared(scored, spec, request)
    differences = None
    if compared is not None:
        differences = sheet_in_order(f"{key}-compare", partial(compare_table, compared), CompareView(table="runs"))
    families = None
    if request.families is not None:
        table = families_table(correlated, View(format="csv"))
        families = sheet(f"{key}-families", table, words=f"{_CORRELATION} within families")
    data = panel_data(decomposed, goal, compared, correlated.families)
    against = _against(scored, request.baseline, request.design.seed)
    more = of_panel(
        key,
        pictures,
        correlated=correlated,
        compared=compared if data["apart"]["critical"] is not None else None,
        against=against,
        goal=goal,
    )
    order = row_order(runs.columns, _OPENS_BY)
    measure = printable(measure_words(targeted.scores.measure))
    return Panel(
        key=key,
        label=f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}",
        answers=(
            Answer(f"Which {RUN} is best?", _best(differences, data["apart"]["words"])),
            Answer(f"Which {RUN} has the least total error?", _sentences(total_notes(decomposed, FORMS[0]), in_python)),
            Answer("Is there a tradeoff?", _sentences(tradeoff_notes(decomposed, FORMS))),
        ),
        baseline=printable(request.baseline) if request.baseline is not None else "",
        runs=sheet(f"{key}-runs", runs, order=order, first=_FIRST),
        compared=differences,
        quantities=blank_sheet(f"{key}-quantities", f"Quantities of the chosen {RUN}", _OF_QUANTITIES, {"quantity"}),
        of_queries=blank_sheet(
            f"{key}-own",
            f"{QUERIES:title} of the chosen {RUN}",
            [
                column.towards(goal.better)
                for column in _OF_RUN
                if goal.target.scores is not None or column.name not in _OF_TARGET
            ],
            {"query_id", "outcome"},
        ),
        risk=_risk(key, against),
        tradeoff=sheet_in_order(f"{key}-tradeoff", partial(tradeoff_table, correlated), View(), words=_CORRELATION),
        families=families,
        pictures={**figures, **more},
        **_target(key, goal),
        data={
            "key": key,
            "measure": measure,
            "better": decomposed.result.better,
            "order": order,
            **data,
        },
    )


def _sentences(notes: Iterable[str], wording: Callable[[str], str] = as_typed) -> list[str]:
    return [in_words(note, DIGITS, wording) for note in notes]


def _best(differences: Sheet | None, untested: str) -> list[str]:
    """The sentences of `compare` on the best run, the runs that do not differ from it, and the test.

    Without ``differences``, the reason why nothing is tested.
    """
    if differences is None:
        return [f"{untested[0].upper()}{untested[1:]}."]
    lines = differences.verdict
    return [*lines[:2], *lines[2:][-1:]]


def _correlated(scored: Scored, spec: TargetSpec, request: PageRequest) -> tradeoff.answer.TradeoffAnswer:
    """The tradeoff under all samplings; systems of several runs have no null model of stability."""
    null = request.null
    if null is not None and scored.scores.replicates is not None:
        null = replace(null, stability=False)
    tradeoff_request = tradeoff.TradeoffRequest(
        **request.against(spec.text),
        design=request.design,
        groups=request.groups,
        null=null,
        families=request.families,
        with_samplings=True,
    )
    (answer,) = tradeoff.answer.answer(Track((scored,)), tradeoff_request)
    return answer


def _decompose_request(scored: Scored, spec: TargetSpec, request: PageRequest) -> decompose.DecomposeRequest:
    return decompose.DecomposeRequest(
        **request.against(spec.text),
        rank=True,
        pareto=True,
        stability=request.null is not None and scored.scores.replicates is None,
        baseline=None if request.baseline is None else f"run:{request.baseline!s}",
        seed=request.design.seed,
    )


def _runs(answer: decompose.answer.DecomposeAnswer) -> Table:
    """The table of the runs; its title names the baseline, if there is one."""
    warn_of_chance(answer.halves, _OPENS_BY, answer.targeted)
    table = decompose_table(answer, DecomposeView(sort="run", form="both", format="json"))
    if answer.compared is None:
        return table
    return replace(table, title=f"{table.title}; d_, ratio_: against {answer.compared.baseline}")


def _against(scored: Scored, baseline: str | None, seed: int) -> risk.answer.RiskAnswer | None:
    """The risk against the baseline, from the scores without logarithms; None without a baseline."""
    if baseline is None:
        return None
    (answer,) = risk.answer.answer(Track((scored,)), risk.RiskRequest(baseline=(f"run:{baseline!s}",), seed=seed))
    return answer


def _risk(key: str, answer: risk.answer.RiskAnswer | None) -> Sheet | None:
    """The table of ``risk``."""
    return None if answer is None else sheet(f"{key}-risk", risk_table(answer, RiskView()))


def _compared(scored: Scored, spec: TargetSpec, request: PageRequest) -> compare.answer.CompareAnswer | None:
    """All pairs of the runs, by the primary test alone; None for a single query, on which no test is possible."""
    if scored.scores.n_queries < 2:
        return None
    compare_request = compare.CompareRequest(**request.against(spec.text), test=(PRIMARY,), seed=request.design.seed)
    (answer,) = compare.answer.answer(Track((scored,)), compare_request)
    return answer


def _target(key: str, answer: target.answer.TargetAnswer) -> dict[str, Any]:
    """The target by query and by supplier, and how it grows with the pool, as fields of `Panel`.

    A target whose mean alone is known has none of these; only the best score of all runs grows with their number.
    """
    if answer.target.scores is None:
        return {}
    queries = target_table(answer, View(table="queries", format="json", best_first=True))
    people = target_table(answer, View(table="queries"))
    sheets: dict[str, Any] = {
        "queries": sheet(f"{key}-queries", queries, people=people),
        "suppliers": sheet(f"{key}-suppliers", target_table(answer, View(table="runs"))),
    }
    if not answer.target.is_best:
        return sheets
    return {**sheets, "growth": _sentences(target_table(answer, View(table="rarefied")).verdict)}
