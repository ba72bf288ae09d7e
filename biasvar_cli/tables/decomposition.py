"""A decomposition as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.tradeoff import Tradeoff, single_rows
from biasvar_cli.arrays import settle
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front, weighted_total
from biasvar_cli.scores import LogTransform, ScoreMatrix
from biasvar_cli.scoring.track import Track
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.tables.null import (
    exchangeable_notes,
    gap_notes,
    how_note,
    null_document,
    reference_note,
    stability_document,
    stability_notes,
)
from biasvar_cli.tables.table import Extra, Note, Table, document_of, listed, measure_words, plain, row_order
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.analyses.null import Null
    from biasvar_cli.decomposition.target import VirtualTarget

_COLUMNS = ("run", "mean", "bias", "bias2", "var", "total", "var_gap", "total_gap")


@dataclass(frozen=True, kw_only=True)
class View:
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
    track: Track,
    view: View,
    null: Null | None = None,
    log: Note | None = None,
    extras: Sequence[Extra] = (),
) -> Table:
    """One row per run, sorted and cut as ``view`` says, the correlations in the notes with their references.

    Raises `UsageError` for a column to sort by that is not there.
    """
    columns: dict[str, list[Any]] = {"run": list(result.runs)}
    for name in _COLUMNS[1:]:
        columns[name] = getattr(result, name).tolist()
    front = pareto_front(result.bias2, result.var).tolist()
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
    order = row_order(columns, view.sort)
    on_front = [result.runs[index] for index in order if front[index]]
    order = order[: view.top]
    measure, target = result.measure, result.target
    shown = {name: [column[index] for index in order] for name, column in columns.items()}
    return Table(
        title=_title(result),
        columns={"measure": [measure] * len(order), "target": [target.label] * len(order), **shown},
        keys=("measure", "target"),
        notes=_notes(result, correlations, track, view, on_front, null, log, extras),
        target_row=_target_row(target),
        document={
            **document_of(measure, target, len(result.runs), result.n_queries),
            "runs": None,
            "tradeoff": {
                form: {**vars(getattr(correlations, form)), **null_document(null, index)}
                for index, form in enumerate(("score", "gap"))
            },
            **_stability_document(view, null),
            **{key: held for extra in extras for key, held in extra.document.items()},
        },
        rows_key="runs",
        hidden=frozenset().union(*(extra.hidden for extra in extras)),
    )


def log_note(
    transform: LogTransform, scores: ScoreMatrix, result: Decomposition, coarser: LogTransform, other: Decomposition
) -> Note:
    """What a log transform did to the scores, and how much rests on its constant: the same with ten times of it."""
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
    gap = 0.0 if target.scores is not None else float("nan")
    values = (f"target ({target.label})", target.mean, 0.0, 0.0, target.var, target.var, gap, gap)
    return dict(zip(_COLUMNS, values, strict=True))


def _notes(
    result: Decomposition,
    correlations: Tradeoff,
    track: Track,
    view: View,
    front: Sequence[str],
    null: Null | None,
    log: Note | None,
    extras: Sequence[Extra],
) -> tuple[Note, ...]:
    n_runs = len(result.runs)
    notes = [
        _correlation_note("score form (var)", correlations.score, result),
        _correlation_note("gap form (var_gap)", correlations.gap, result),
        *_reference_notes(correlations, null, view),
        Note("Pareto front (no other run has as little of both bias² and variance, and less of one): " + listed(front)),
        Note(_target_words(result)),
        *([log] if log else []),
        *(note for extra in extras for note in extra.notes),
    ]
    if view.weights is not None:
        notes.append(Note(f"total_w = {view.weights[0]:g} bias² + {view.weights[1]:g} variance"))
    if view.top is not None and view.top < n_runs:
        notes.append(Note(f"{view.top} of {n_runs} runs shown; every number is of all {n_runs}"))
    if track.n_tied:
        tied = counted(track.n_tied, "run")
        notes.append(Note(f"Scores tie within a topic in {tied}; the order there is by document id"))
    if track.n_incomplete:
        notes.append(Note(f"{counted(track.n_incomplete, 'run')} without results for every query, scored 0 there"))
    return tuple(notes)


def _reference_notes(correlations: Tradeoff, null: Null | None, view: View) -> list[Note]:
    if null is None:
        return []
    rows = single_rows(correlations, 0)
    notes = [
        reference_note(rows[0], null, 0),
        *gap_notes(rows[1], null, 1),
        *exchangeable_notes(null),
        how_note(null),
    ]
    return notes + (stability_notes(null) if view.stability else [])


def _stability_document(view: View, null: Null | None) -> dict[str, Any]:
    return {"stability": stability_document(null)} if view.stability and null is not None else {}


def _correlation_note(form: str, values: Correlations, result: Decomposition) -> Note:
    text = f"Correlation of bias² and variance over the runs, {form}: Pearson {{}}, Spearman {{}}, Kendall {{}}"
    why = _why_undefined(form, values, result)
    return Note(text + why, (values.pearson, values.spearman, values.kendall))


def _why_undefined(form: str, values: Correlations, result: Decomposition) -> str:
    if values.pearson == values.pearson:
        return ""
    if form.startswith("gap") and result.target.scores is None:
        return " (a target that is a mean alone has no gap form)"
    if len(result.runs) < 3:
        return f" (undefined for {counted(len(result.runs), 'run')}: at least 3 are needed)"
    return " (undefined: bias² or variance is the same for every run)"


def _target_words(result: Decomposition) -> str:
    target = result.target
    what = {
        "best": f"the best score of each query over {counted(target.n_pool, 'run')}",
        "perfect": "a score of 1 on every query",
        "ideal": "the score of each query's relevant documents alone in order of grade",
        "run": "the scores of that run",
        "mean": "a given mean; it has no score per query, so no gap form",
        "file": "the scores in that file",
    }[target.kind]
    if target.kind == "best" and target.spec.number is not None:
        what = f"quantile {target.spec.number} of each query's scores over {counted(target.n_pool, 'run')}"
    return f"Target {target.label}: {what}. bias = target mean - run mean; var has divisor n (population)"
