"""A decomposition as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.tradeoff import Tradeoff, TradeoffRow, single_rows
from biasvar_cli.arrays import settle
from biasvar_cli.decomposition.decompose import Decomposition, decompose, pareto_front, weighted_total
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.targets import aim
from biasvar_cli.scoring.track import Scored
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.null import (
    gap_notes,
    how_notes,
    null_document,
    null_note,
    shuffled_notes,
    stability_document,
    stability_notes,
)
from biasvar_cli.tables.table import (
    KEYS,
    Extra,
    Note,
    Table,
    document_of,
    keyed,
    listed,
    measure_words,
    plain,
    row_order,
    target_words,
)
from biasvar_cli.target_spec import TargetSpec
from biasvar_cli.words import QUANTITIES, VAR, counted

if TYPE_CHECKING:
    from biasvar_cli.analyses.null import Null
    from biasvar_cli.decomposition.target import VirtualTarget


@dataclass(frozen=True, kw_only=True)
class DecompositionView:
    """Which rows and columns of a decomposition to show: no choice here changes a number."""

    sort: str = "total"
    top: int | None = None
    rank: bool = False
    pareto: bool = False
    weights: tuple[float, float] | None = None
    stability: bool = False


def decomposition_table(
    result: Decomposition,
    correlations: Tradeoff,
    *,
    view: DecompositionView,
    null: Null | None = None,
    log: Note | None = None,
    extras: Sequence[Extra] = (),
) -> Table:
    """One row per run, sorted and cut as ``view`` says, the correlations in the notes beside their null models.

    Raises `UsageError` for a column to sort by that is not there.
    """
    measure, target = result.measure, result.target
    front = pareto_front(result.bias2, result.var).tolist()
    columns = _columns(result, view, front, null, extras)
    order = row_order(columns, view.sort)
    on_front = listed([result.runs[index] for index in order if front[index]])
    of_tradeoff = single_rows(correlations, result.n_queries)
    notes = [
        *(_correlation_note(row, result) for row in of_tradeoff),
        *(_null_notes(of_tradeoff, null, view) if null is not None else []),
        Note("Pareto front (no other run is at least as low on both bias² and variance and lower on one): " + on_front),
        Note(f"{target_words(target)}. bias = target mean - run mean; var has divisor n (population)"),
        *([log] if log else []),
        *(note for extra in extras for note in extra.notes),
        *_row_notes(result, view),
    ]
    shown = {name: [column[index] for index in order[: view.top]] for name, column in columns.items()}
    return Table(
        title=_title(result),
        columns=keyed(measure, target, shown),
        keys=KEYS,
        notes=tuple(notes),
        target_row=_target_row(target),
        document=_document(result, of_tradeoff, view, null, extras),
        rows_key="runs",
        hidden=frozenset().union(*(extra.hidden for extra in extras)),
    )


def _columns(
    result: Decomposition, view: DecompositionView, front: list[bool], null: Null | None, extras: Sequence[Extra]
) -> dict[str, list[Any]]:
    """The quantities of every run, in the order of the runs, then what options add."""
    columns: dict[str, list[Any]] = {"run": list(result.runs)}
    columns |= {name: getattr(result, name).tolist() for name in QUANTITIES}
    if view.rank:
        total = settle(result.total)
        columns["rank"] = (np.searchsorted(np.sort(total), total) + 1).tolist()
    if view.weights is not None:
        columns["total_w"] = weighted_total(result, *view.weights).tolist()
    if view.pareto:
        columns["pareto"] = front
    if view.stability:
        found = null.stability if null is not None else None
        columns["stability"] = [None] * len(front) if found is None else found.z.tolist()
    for extra in extras:
        columns |= extra.columns
    return columns


def _document(
    result: Decomposition,
    rows: Sequence[TradeoffRow],
    view: DecompositionView,
    null: Null | None,
    extras: Sequence[Extra],
) -> dict[str, Any]:
    return {
        **document_of(result.measure, result.target, len(result.runs), result.n_queries),
        "runs": None,
        "tradeoff": {row.form: {**vars(row.correlations), **null_document(row, null)} for row in rows},
        **({"stability": stability_document(null)} if view.stability and null is not None else {}),
        **{key: held for extra in extras for key, held in extra.document.items()},
    }


def log_note(scored: Scored, spec: TargetSpec, transform: LogTransform, result: Decomposition) -> Note:
    """What a log transform did to the scores, and how much depends on its constant: the same with ten times that."""
    scores, coarser = scored.scores, transform.with_eps(10 * transform.eps)
    other_aim = aim(scored, spec, coarser)
    other = decompose(other_aim.scores, other_aim.target)
    floored = int((scores.values < transform.eps).sum())
    inner = f"max(score, {transform.eps:g})" if transform.form == "floor" else f"score + {transform.eps:g}"
    least, least_other = (each.runs[int(each.total.argmin())] for each in (result, other))
    few = f"{floored} of {scores.values.size} scores lie below {transform.eps:g}"
    text = (
        f"Scores are ln({inner}); mean is the log of the geometric mean of {inner}. {few}. "
        f"Least total: {plain(least)}, {{}}; with {coarser.eps:g} instead: {plain(least_other)}, {{}}"
    )
    return Note(text, (float(result.total.min()), float(other.total.min())), signed=False)


def _title(result: Decomposition) -> str:
    return (
        f"Bias-variance of {measure_words(result.measure)}, target {result.target.label}: "
        f"{counted(len(result.runs), 'run')}, {counted(result.n_queries, 'query')}"
    )


def _target_row(target: VirtualTarget) -> dict[str, Any]:
    """The target as a run: its error is its variance, and the gap to itself is 0."""
    gap = 0.0 if target.scores is not None else float("nan")
    values = (target.mean, 0.0, 0.0, target.var, target.var, gap, gap)
    return {"run": f"target ({target.label})", **dict(zip(QUANTITIES, values, strict=True))}


def _row_notes(result: Decomposition, view: DecompositionView) -> list[Note]:
    """What is to be known of the rows: weights, and rows that are not shown."""
    notes = []
    n_runs = len(result.runs)
    if view.weights is not None:
        notes.append(Note(f"total_w = {view.weights[0]:g} bias² + {view.weights[1]:g} variance"))
    if view.top is not None and view.top < n_runs:
        notes.append(Note(f"{view.top} of {n_runs} runs shown; every number is of all {n_runs}"))
    return notes


def _null_notes(rows: Sequence[TradeoffRow], null: Null, view: DecompositionView) -> list[Note]:
    """What the null models say of the score form and of the gap form, and with ``--stability`` of single runs."""
    score, gap = rows
    return [
        null_note(score, null),
        *gap_notes(gap, null),
        *shuffled_notes(score, null),
        *how_notes(null),
        *(stability_notes(null) if view.stability else []),
    ]


def _correlation_note(row: TradeoffRow, result: Decomposition) -> Note:
    form, values = f"{row.form} form ({VAR[row.form]})", row.correlations
    text = f"Correlation of bias² and variance over the runs, {form}: Pearson {{}}, Spearman {{}}, Kendall {{}}"
    return Note(text + _why_undefined(row, result), tuple(vars(values).values()))


def _why_undefined(row: TradeoffRow, result: Decomposition) -> str:
    if row.correlations.pearson == row.correlations.pearson:
        return ""
    if row.form == "gap" and result.target.scores is None:
        return " (a target that is a mean alone has no gap form)"
    if len(result.runs) < LEAST_POINTS:
        return f" (undefined for {counted(len(result.runs), 'run')}: at least {LEAST_POINTS} are needed)"
    return " (undefined: bias² or variance is the same for every run)"
