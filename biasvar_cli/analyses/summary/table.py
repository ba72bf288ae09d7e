"""A summary as a table: runs and measures, in a manifest by track, with marks of significance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biasvar_cli.analyses.summary.answer import MeasureAnswer, SummaryAnswer
from biasvar_cli.analyses.summary.columns import TABLES
from biasvar_cli.analyses.summary.request import ERRORS, SPREAD
from biasvar_cli.analyses.summary.sentences import (
    BETTER,
    NOT_BELOW,
    WORSE,
    evaluated_note,
    legend_notes,
    notes_under,
    verdict,
)
from biasvar_cli.scores import in_unit
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.stats.significance import TESTS
from biasvar_cli.tables.column import Cells, Column, filled
from biasvar_cli.tables.layout import latex_cell
from biasvar_cli.tables.row_notes import member_notes
from biasvar_cli.tables.table import Table, signature
from biasvar_cli.tables.view import View, row_order, rows_of

_SIGNS = {"better": BETTER, "worse": WORSE, "not-below-best": NOT_BELOW}
_ARROWS = {"more": "↑", "less": "↓"}


@dataclass(frozen=True, kw_only=True)
class SummaryView(View):
    """Which rows to show; with ``percent`` people are shown all numbers times 100."""

    percent: bool = False

    @property
    def factor(self) -> float:
        """What the numbers that people are shown are multiplied by."""
        return 100.0 if self.percent and self.for_people else 1.0


VIEW = SummaryView


def tables(answers: Sequence[SummaryAnswer], view: SummaryView) -> list[Table]:
    """A table for each answer."""
    return [summary_table(answer, view) for answer in answers]


def summary_table(answer: SummaryAnswer, view: SummaryView) -> Table:
    """A row a run. Raises `UsageError` for a column to sort by that is not there."""
    cells = filled(TABLES["runs"], answer)
    order = _order(answer, cells, view)
    if not view.for_people:
        order = order[: view.top]
        document = _document(answer, order) if view.for_json else {}
        top = {"signature": _signature(answer, errors=True)} if view.for_json else {}
        return Table.of("", cells.rows(order), document=document, top=top, rows_key="")
    visible = _headed(answer, rows_of(cells, order, view), view.factor)
    legend = tuple(legend_notes(answer))
    return Table.of(
        evaluated_note(answer),
        visible,
        verdict=verdict(answer, view.factor),
        notes=(*legend, *notes_under(answer, top=view.top, percent=view.percent)),
        details=tuple(note for replicates in answer.systems.values() for note in member_notes(replicates)),
        caption=(*legend, *notes_under(answer, top=None, percent=view.percent)),
        marks={
            measure.label: [_SIGNS.get(mark, "") for mark in visible.columns[f"{measure.label}_mark"]]
            for measure in answer.measures
        },
        spreads={
            measure.label: visible.columns[f"{measure.label}_{SPREAD}"]
            for measure in answer.measures
            if measure.spread is not None
        },
        groups=_groups(answer),
        emphasis=True,
        more=("biasvar compare",),
        name="summary",
        signature=_signature(answer, errors=answer.request.errors),
    )


def _order(answer: SummaryAnswer, cells: Cells, view: SummaryView) -> list[int]:
    """The rows: the baseline and then the best by the first measure, for people; by name, for scripts."""
    if view.sort is not None or not view.is_best_first:
        return row_order(cells.columns, view.sort or "run", declared=TABLES["runs"])
    return answer.best_first


def _headed(answer: SummaryAnswer, cells: Cells, factor: float) -> Cells:
    """The columns as people see them: with heads and arrows, and what is left out first where they are too wide."""
    declared, columns = dict(cells.declared), dict(cells.columns)
    for number, measure in enumerate(answer.measures):
        head = "mean" if answer.request.errors else measure.measure or "score"
        mean = replace(declared[measure.label], better=measure.better, priority=number)
        declared[measure.label] = _with_head(mean, head, latex_cell(head))
        for label in (measure.label, *([f"{measure.label}_{SPREAD}"] if measure.spread is not None else ())):
            columns[label] = [factor * value for value in columns[label]]
        for name in ERRORS if answer.request.errors else ():
            label = f"{measure.label}_{name}"
            beyond = 0 if name == "total" else 1 + number
            column = replace(declared[label], priority=len(answer.measures) + beyond)
            declared[label] = _with_head(column, column.head, column.latex)
            columns[label] = [factor * value for value in columns[label]]
    return cells._replace(columns=columns, declared=declared)


def _with_head(column: Column[Any], head: str, latex: str) -> Column[Any]:
    """The column under a head, in text and in LaTeX, with the arrow of what is better."""
    arrow = _ARROWS[column.better]
    return replace(column, head=f"{head} {arrow}", latex=f"{latex} {latex_cell(arrow)}")


def _groups(answer: SummaryAnswer) -> dict[str, str]:
    """What stands over the columns: the track, the measure beside its errors, or both."""
    groups: dict[str, str] = {}
    for measure in answer.measures:
        words: Iterable[str | None] = (measure.track, (measure.measure or "score") if answer.request.errors else None)
        over = " ".join(word for word in words if word)
        if over:
            groups |= dict.fromkeys((measure.label, *(f"{measure.label}_{name}" for name in (SPREAD, *ERRORS))), over)
    return groups


def _signature(answer: SummaryAnswer, *, errors: bool) -> str:
    """What the numbers depend on; tracks with their measures and queries, the target where ``errors`` are shown."""
    request, first = answer.request, answer.measures[0]
    measures = ", ".join(dict.fromkeys(measure.measure or "unknown measure" for measure in answer.measures))
    basis = list(first.scored.basis)
    if answer.of_tracks:
        basis = list(
            dict.fromkeys(f"{measure.track}: {', '.join(measure.scored.basis)}" for measure in answer.measures)
        )
    corrected = f" correction {request.correction}" if TESTS[request.test].corrected else ""
    words = [f"{request.test}{corrected} level {request.level:g} of {request.samples} samples seed {request.seed}"]
    top = "top " * first.is_of_all_pairs
    words += [] if answer.baseline is None else [f"baseline {top}{answer.baseline_run!s}"]
    transform = log_transform(request)
    words += [] if transform is None else [f"ln {transform.form} {transform.eps:g}"]
    if errors and answer.of_tracks:
        words += dict.fromkeys(f"{measure.track}: target {measure.spec.text}" for measure in answer.measures)
    target = first.decomposition.target if errors and not answer.of_tracks else None
    return signature(measures, basis, *words, target=target)


def _document(answer: SummaryAnswer, order: Iterable[int]) -> dict[str, Any]:
    """The result in JSON; a number of queries that is not the same for all tracks is null."""
    sizes = {measure.scores.n_queries for measure in answer.measures}
    clusters = {measure.scores.n_clusters for measure in answer.measures}
    scores = [_scores(answer, measure) for measure in answer.measures]
    return {
        "n_runs": len(answer.runs),
        "n_queries": sizes.pop() if len(sizes) == 1 else None,
        **({} if answer.request.clusters is None else {"n_clusters": clusters.pop() if len(clusters) == 1 else None}),
        **_systems(answer),
        "test": answer.request.test if any(measure.untested is None for measure in answer.measures) else None,
        "level": answer.request.level,
        "baseline": answer.baseline,
        "measures": [
            {
                "measure": measure.measure,
                "track": measure.track,
                "better": measure.better,
                "best": answer.leaders(measure)[0],
                "no_ranks": measure.without_ranks,
            }
            for measure in answer.measures
        ],
        "runs": [{"run": answer.run_labels[row], "scores": [records[row] for records in scores]} for row in order],
        "correction": answer.request.correction if TESTS[answer.request.test].corrected else None,
    }


def _systems(answer: SummaryAnswer) -> dict[str, Any]:
    """The runs of every system by its shown name, by track where there is a manifest; nothing where rows are runs."""
    systems = {
        track: {answer.names[name]: list(runs) for name, runs in replicates.members.items()}
        for track, replicates in answer.systems.items()
    }
    return {"systems": systems if answer.of_tracks else systems[None]} if systems else {}


def _scores(answer: SummaryAnswer, measure: MeasureAnswer) -> list[dict[str, Any]]:
    """What JSON has of each run under a measure, in the order of all runs; null for one that is not in the track."""
    errors = measure.decomposition
    values = {
        "mean": [in_unit(mean, measure.better) for mean in errors.mean.tolist()],
        **({} if measure.spread is None else {SPREAD: measure.spread.tolist()}),
        **{name: getattr(errors, name).tolist() for name in ("bias", *ERRORS)},
        "p": measure.p.tolist(),
        "mark": measure.marks,
        "rank_low": measure.ranks[0],
        "rank_high": measure.ranks[1],
    }
    aligned = {name: answer.aligned(measure, column, None) for name, column in values.items()}
    key = {"measure": measure.measure, "track": measure.track}
    return [{**key, **dict(zip(aligned, row, strict=True))} for row in zip(*aligned.values(), strict=True)]
