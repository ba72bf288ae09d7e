"""A summary as a table: runs and measures, in a manifest by track, with marks of significance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biasvar_cli.analyses.summary import ERRORS, SPREAD, TABLES
from biasvar_cli.analyses.summary.answer import MeasureAnswer, SummaryAnswer
from biasvar_cli.analyses.summary.notes import (
    BELOW,
    BETTER,
    WORSE,
    evaluated_note,
    legend_notes,
    paper_note,
    table_notes,
    tested_measures,
    verdict_notes,
)
from biasvar_cli.score_matrix import in_unit
from biasvar_cli.stats.significance import TESTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.layout import latex_cell
from biasvar_cli.tables.rows import View, member_notes, row_order, rows_of
from biasvar_cli.tables.table import Table, signature
from biasvar_cli.words import RUN

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
    cells, order = filled(TABLES["runs"], answer), answer.best_first
    if view.sort is not None or not view.is_best_first:
        order = row_order(cells.columns, view.sort or "run", declared=TABLES["runs"])
    if not view.for_people:
        order = order[: view.top]
        document = _document(answer, order) if view.for_json else {}
        top = {"signature": _signature(answer, errors=True)} if view.for_json else {}
        return Table.of("", cells.rows(order), document=document, top=top, rows_key="")
    headed, groups = _headed(answer, cells, view.factor)
    visible = rows_of(headed, order, view)
    legend = tuple(legend_notes(answer))
    marks = {measure.label: _marks(answer, measure, visible) for measure in answer.measures}
    is_bare = answer.letters is None and tested_measures(answer) and not any(map(any, marks.values()))
    unmarked = (f"No {RUN} shown has a mark.",) if is_bare else ()
    return Table.of(
        evaluated_note(answer),
        visible,
        verdict=verdict_notes(answer, view.factor),
        notes=(*legend, *unmarked, *table_notes(answer, top=view.top, percent=view.percent)),
        details=(
            paper_note(answer, view.factor),
            *(note for replicates in answer.systems.values() for note in member_notes(replicates)),
        ),
        caption=(*legend, *table_notes(answer, top=None, percent=view.percent, typed=False)),
        marks=marks,
        spreads={
            measure.label: visible.columns[f"{measure.label}_{SPREAD}"]
            for measure in answer.measures
            if measure.spread is not None
        },
        groups=groups,
        emphasis=True,
        more=("biasvar compare",),
        name="summary",
        signature=_signature(answer, errors=answer.request.errors),
    )


def signs(measure: MeasureAnswer) -> list[str]:
    """The sign behind the mean of each run: better or worse than the baseline, or below the best run; "" for none."""
    if measure.untested is not None:
        return [""] * measure.n_runs
    if measure.baseline is None:
        return [BELOW if mark is None else "" for mark in measure.marks]
    return [{"better": BETTER, "worse": WORSE}.get(mark or "", "") for mark in measure.marks]


def _marks(answer: SummaryAnswer, measure: MeasureAnswer, cells: Cells) -> list[str]:
    """The signs or the letters behind the means of a measure, in the order of the rows that are shown."""
    if answer.letters is not None:
        return cells.columns[f"{measure.label}_beaten"]
    by_run = dict(zip(answer.run_labels, answer.aligned(measure, signs(measure), ""), strict=True))
    return [by_run[run] for run in cells.columns["run"]]


def _headed(answer: SummaryAnswer, cells: Cells, factor: float) -> tuple[Cells, dict[str, str]]:
    """The columns as people see them, with heads and arrows, and the track and measure over those of each measure.

    Where all columns are too wide, errors are left out first, totals last, and then the later measures.
    """
    declared, columns, over = dict(cells.declared), dict(cells.columns), dict[str, str]()
    for number, measure in enumerate(answer.measures):
        label, name = measure.label, measure.measure or "score"
        is_grouped = answer.request.errors or answer.request.counts
        head = "mean" if is_grouped else name
        declared[label] = replace(declared[label], better=measure.better, head=head, latex=latex_cell(head))
        priorities = {label: number}
        for error in ERRORS if answer.request.errors else ():
            priorities[f"{label}_{error}"] = len(answer.measures) + (0 if error == "total" else 1 + number)
        for part, priority in priorities.items():
            column, arrow = declared[part], _ARROWS[declared[part].better]
            latex = f"{column.latex} {latex_cell(arrow)}"
            declared[part] = replace(column, priority=priority, head=f"{column.head} {arrow}", latex=latex)
        spread = f"{label}_{SPREAD}"
        for part in (*priorities, spread) if measure.spread is not None else priorities:
            columns[part] = [factor * value for value in columns[part]]
        words = " ".join(filter(None, (measure.track, name if is_grouped else "")))
        counts = [f"{label}_wins", f"{label}_losses"]
        over |= dict.fromkeys((*priorities, spread, *counts), words) if words else {}
    return cells._replace(columns=columns, declared=declared), over


def _signature(answer: SummaryAnswer, *, errors: bool) -> str:
    """What the numbers depend on; tracks with their measures and queries, the target where ``errors`` are shown."""
    request, first, measures = answer.request, answer.measures[0], answer.measures
    basis, targets = first.scored.basis, dict[str, None]()
    if answer.of_tracks:
        basis = tuple(dict.fromkeys(f"{measure.track}: {', '.join(measure.scored.basis)}" for measure in measures))
        targets = dict.fromkeys(f"{measure.track}: target {measure.spec.text}" for measure in measures if errors)
    corrected = f" correction {request.correction}" if TESTS[request.test].corrected else ""
    return signature(
        ", ".join(dict.fromkeys(measure.measure or "unknown measure" for measure in measures)),
        basis,
        f"{request.test}{corrected} level {request.level:g} of {request.samples} samples seed {request.seed}",
        "" if answer.baseline is None else f"baseline {'top ' * first.is_of_all_pairs}{answer.baseline_run!s}",
        request.log_words,
        *targets,
        target=first.decomposition.target if errors and not answer.of_tracks else None,
    )


def _document(answer: SummaryAnswer, order: Iterable[int]) -> dict[str, Any]:
    """The result in JSON; a number of queries that is not the same for all tracks is null."""
    sizes = {measure.n_queries for measure in answer.measures}
    clusters = {measure.n_clusters for measure in answer.measures}
    scores = [_scores(answer, measure) for measure in answer.measures]
    members = {
        track: {answer.names[name]: list(runs) for name, runs in replicates.members.items()}
        for track, replicates in answer.systems.items()
    }
    systems = members if answer.of_tracks else members.get(None)
    return {
        "n_runs": len(answer.runs),
        "n_queries": sizes.pop() if len(sizes) == 1 else None,
        **({} if answer.request.clusters is None else {"n_clusters": clusters.pop() if len(clusters) == 1 else None}),
        **({"systems": systems} if systems else {}),
        "test": answer.request.test if any(measure.untested is None for measure in answer.measures) else None,
        "level": answer.request.level,
        "baseline": answer.baseline,
        "measures": [
            {
                "measure": measure.measure,
                "track": measure.track,
                "better": measure.better,
                "best": answer.leaders(measure)[0],
                "no_ranks": measure.no_ranks,
            }
            for measure in answer.measures
        ],
        "runs": [
            {
                "run": answer.run_labels[row],
                **({} if answer.letters is None else {"letter": answer.letters[row]}),
                "scores": [records[row] for records in scores],
            }
            for row in order
        ],
        **({"infer": answer.request.infer} if systems else {}),
        "correction": answer.request.correction if TESTS[answer.request.test].corrected else None,
    }


def _scores(answer: SummaryAnswer, measure: MeasureAnswer) -> list[dict[str, Any]]:
    """What JSON has of each run under a measure, in the order of all runs; null for one that is not in the track."""
    errors = measure.decomposition
    values = {
        "mean": [in_unit(mean, measure.better) for mean in errors.mean.tolist()],
        **({} if measure.spread is None else {SPREAD: measure.spread.tolist()}),
        **{name: getattr(errors, name).tolist() for name in ("bias", *ERRORS)},
        "p": measure.p.tolist(),
        "mark": measure.marks,
        **({} if (beaten := answer.beaten(measure)) is None else {"beaten": beaten}),
        **({side: measure.counts(side) for side in ("wins", "losses")} if answer.request.counts else {}),
        "rank_low": measure.ranks[0],
        "rank_high": measure.ranks[1],
    }
    aligned = {name: answer.aligned(measure, column, None) for name, column in values.items()}
    key = {"measure": measure.measure, "track": measure.track}
    return [{**key, **dict(zip(aligned, row, strict=True))} for row in zip(*aligned.values(), strict=True)]


# ---- before the table
