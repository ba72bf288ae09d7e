"""What is asked of a page, and what it shows of one measure and one target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.analyses.compare import answer as compare
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.analyses.decompose import answer as decompose
from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table
from biasvar_cli.analyses.risk import answer as risk
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.analyses.risk.table import RiskView, risk_table
from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.analyses.target.table import target_table
from biasvar_cli.analyses.tracks.request import TracksRequest
from biasvar_cli.analyses.tradeoff import answer as tradeoffs
from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.analyses.tradeoff.table import families_table, reading_order, sampling_words, tradeoff_table
from biasvar_cli.page.drawings import Drawing, correlations_drawn, growth_drawn
from biasvar_cli.page.script_data import panel_data
from biasvar_cli.page.sheet import DIGITS, Sheet, document, sheet, sheet_in_order
from biasvar_cli.scores import in_unit
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs import TargetSpec
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.significance import PRIMARY
from biasvar_cli.tables.rounding import in_words, printable
from biasvar_cli.tables.row_notes import warn_of_chance
from biasvar_cli.tables.table import Table, measure_words
from biasvar_cli.tables.view import View, row_order

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.specs import NullRequest, TargetedRequest

_OPENS_BY = "total"  # the order of the runs when the page opens
_CORRELATION = "Correlation of bias² and variance"


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """What a page shows of a track.

    ``groups`` is a file of groups of queries, ``families`` a file of their members or a pattern. ``baseline`` is a run,
    of which the beginning of the name will do, and ``tracks`` are those of a manifest, of which ``jobs`` are computed
    at once.

    Raises `UsageError` for what cannot be asked of the tracks.
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
            assert self.of_tracks.jobs, "a request is checked where it is made"

    @cached_property
    def of_tracks(self) -> TracksRequest:
        """What is asked of the tracks of the manifest."""
        null = replace(self.null, stability=False) if self.null is not None else None
        return TracksRequest(design=self.design, null=null, jobs=self.jobs)


class Panel(NamedTuple):
    """One tab: tables, the sentences under its heading, and the data of the figures."""

    key: str
    label: str
    lead: list[str]
    baseline: str
    runs: Sheet
    compared: Sheet | None
    risk: Sheet | None
    tradeoff: Sheet
    correlations: list[Drawing]
    families: Sheet | None
    queries: Sheet | None
    suppliers: Sheet | None
    growth: list[str]
    rarefied: Drawing | None
    data: dict[str, Any]

    @property
    def sheets(self) -> list[Sheet]:
        """The tables that are there."""
        return [part for part in self if isinstance(part, Sheet)]


def panel(key: str, scored: Scored, spec: TargetSpec, request: PageRequest, *, done: Done = unwatched) -> Panel:
    """The analyses of one measure and target; the baseline of the request is the whole name of a run.

    ``done`` is called with the number of samples that were just drawn.
    """
    correlated = _correlated(scored, spec, request, done)
    targeted, wanted = correlated.targeted, _decompose_request(scored, spec, request)
    decomposed = decompose.DecomposeAnswer(wanted, scored, targeted, drawn=correlated.null)
    runs = _runs(decomposed)
    samples = TargetRequest(difficulty=request.design.difficulty, subset_size=request.design.first_size)
    target = TargetAnswer(samples, scored, targeted)
    compared = _compared(scored, spec, request)
    order = row_order(runs.columns, _OPENS_BY)
    measure = printable(measure_words(targeted.scores.measure))
    return Panel(
        key=key,
        label=f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}",
        lead=[in_words(note, DIGITS) for note in runs.verdict],
        baseline=printable(request.baseline) if request.baseline is not None else "",
        runs=sheet(f"{key}-runs", runs, order=order),
        compared=(
            None
            if compared is None
            else sheet_in_order(f"{key}-compare", partial(compare_table, compared), CompareView(table="runs"))
        ),
        risk=_risk(key, scored, request.baseline, request.design.seed),
        tradeoff=sheet_in_order(f"{key}-tradeoff", partial(tradeoff_table, correlated), View(), words=_CORRELATION),
        correlations=_correlations(correlated),
        families=(
            sheet(
                f"{key}-families",
                families_table(correlated, View(format="csv")),
                words=f"{_CORRELATION} within families",
            )
            if request.families is not None
            else None
        ),
        **_target(key, target, measure),
        data={
            "key": key,
            "measure": measure,
            "better": decomposed.result.better,
            "order": order,
            **panel_data(decomposed, target, compared, correlated.families),
        },
    )


def _correlated(scored: Scored, spec: TargetSpec, request: PageRequest, done: Done) -> tradeoffs.TradeoffAnswer:
    null = request.null
    if null is not None and scored.scores.replicates is not None:
        null = replace(null, stability=False)
    wanted = TradeoffRequest(
        target=(spec.text,),
        log=request.targeted.log,
        eps=request.targeted.eps,
        design=request.design,
        groups=request.groups,
        null=null,
        families=request.families,
        with_samplings=True,
    )
    (answer,) = tradeoffs.answer(Track((scored,)), wanted, done=done)
    return answer


def _correlations(answer: tradeoffs.TradeoffAnswer) -> list[Drawing]:
    """The figures of the correlations, their samplings in the order of the table."""
    numbers = document(tradeoff_table(answer, View(format="json")))["rows"]
    rows = []
    for index in reading_order(answer):
        row = answer.rows[index]
        rows.append((sampling_words(row.sampling) + ", gap form" * (row.form == "gap"), numbers[index]))
    if answer.null is None:
        return correlations_drawn(rows, "no null model was asked for")
    return correlations_drawn(rows, "" if answer.null.fitted else f"no null model: {printable(answer.null.why)}")


def _decompose_request(scored: Scored, spec: TargetSpec, request: PageRequest) -> DecomposeRequest:
    return DecomposeRequest(
        rank=True,
        pareto=True,
        target=(spec.text,),
        log=request.targeted.log,
        eps=request.targeted.eps,
        stability=request.null is not None and scored.scores.replicates is None,
        baseline=None if request.baseline is None else f"run:{request.baseline!s}",
        seed=request.design.seed,
    )


def _runs(answer: decompose.DecomposeAnswer) -> Table:
    """The table of the runs, whose title says what they are compared with."""
    warn_of_chance(answer.halves, _OPENS_BY, answer.targeted)
    table = decompose_table(answer, DecomposeView(sort="run", form="both", format="json"))
    if answer.compared is None:
        return table
    return replace(table, title=f"{table.title}; d_, ratio_: against {answer.compared.baseline}")


def _risk(key: str, scored: Scored, baseline: str | None, seed: int) -> Sheet | None:
    """The table of ``risk`` against the baseline, of the scores themselves; None where no run is named."""
    if baseline is None:
        return None
    (answer,) = risk.answer(Track((scored,)), RiskRequest(baseline=(f"run:{baseline!s}",), seed=seed))
    return sheet(f"{key}-risk", risk_table(answer, RiskView()))


def _compared(scored: Scored, spec: TargetSpec, request: PageRequest) -> compare.CompareAnswer | None:
    """All pairs of the runs, by the primary test alone; None for a single query, which no test is of."""
    if scored.scores.n_queries < 2:
        return None
    log, eps = request.targeted.log, request.targeted.eps
    wanted = CompareRequest(test=(PRIMARY,), target=(spec.text,), log=log, eps=eps, seed=request.design.seed)
    (answer,) = compare.answer(Track((scored,)), wanted)
    return answer


def _target(key: str, answer: TargetAnswer, measure: str) -> dict[str, Any]:
    """The target by query and by supplier, and how it grows with the pool; nothing for a target that is a mean alone.

    Only the best score of all runs grows with their number.
    """
    if answer.target.scores is None:
        return {"queries": None, "suppliers": None, "growth": [], "rarefied": None}
    queries = target_table(answer, View(table="queries", format="json", best_first=True))
    people = target_table(answer, View(table="queries"))
    sheets = {
        "queries": sheet(f"{key}-queries", queries, people=people),
        "suppliers": sheet(f"{key}-suppliers", target_table(answer, View(table="runs"))),
    }
    if not answer.target.is_best:
        return {**sheets, "growth": [], "rarefied": None}
    growth = target_table(answer, View(table="rarefied")).verdict
    means = [in_unit(mean, answer.better) for mean in answer.means.tolist()]
    return {**sheets, "growth": [in_words(note, DIGITS) for note in growth], "rarefied": growth_drawn(means, measure)}
