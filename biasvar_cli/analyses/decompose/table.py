"""A decomposition as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.decompose.correlation_table import correlation_table
from biasvar_cli.analyses.decompose.stability_table import stability_details, stability_document, stability_table
from biasvar_cli.arrays import equalised
from biasvar_cli.decomposition.decompose import Decomposition, decompose, pareto_front, weighted_total
from biasvar_cli.decomposition.tradeoff import Tradeoff, TradeoffRow, single_rows
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.targets import targeted_scores
from biasvar_cli.scoring.track import Scored
from biasvar_cli.tables.null import null_document
from biasvar_cli.tables.order import order_details, order_document, order_notes
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
from biasvar_cli.words import QUANTITIES, counted

if TYPE_CHECKING:
    from biasvar_cli.decomposition.reliability import SplitHalf
    from biasvar_cli.decomposition.target import VirtualTarget
    from biasvar_cli.nulls.models import Null


_ON_FRONT = "Pareto front, runs to which no other is at least as low on both bias² and variance and lower on one: "
_READING = (
    "bias = target mean - mean; var: over the queries; total = bias² + var; "
    "var_gap, total_gap: the same of target - score. Less is better"
)


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
    halves: SplitHalf | None = None,
    log: Extra | None = None,
    extras: Sequence[Extra] = (),
) -> Table:
    """One row per run, sorted and cut as ``view`` says; under it the correlations beside their null model.

    ``halves`` says how far the order of the rows can be relied on, ``log`` what a transform did to the scores. Raises
    `UsageError` for a column to sort by that is not there.
    """
    measure, target = result.measure, result.target
    front = pareto_front(result.bias2, result.var).tolist()
    columns = _columns(result, view, front, null, extras)
    order = row_order(columns, view.sort)
    on_front = [result.runs[index] for index in order if front[index]]
    rows = single_rows(correlations, result.n_queries)
    shown = {name: [column[index] for index in order[: view.top]] for name, column in columns.items()}
    added = [*([log] if log is not None else []), *extras]
    notes = order_notes(halves, view.sort) if halves is not None else ()
    stable = stability_table(null) if view.stability and null is not None else None
    return Table(
        title=_title(result, view),
        columns=keyed(measure, target, shown),
        keys=KEYS,
        lead=f"{target_words(target)}. {_READING}.",
        notes=(
            _rows_note(result, view, on_front),
            *(n for each in added for n in each.notes),
        ),
        details=(
            Note("var has divisor n (population)"),
            Note(_ON_FRONT + listed(on_front, 99)),
            *(note for each in added for note in each.details),
            *(order_details(halves) if halves is not None else ()),
            *(stability_details(null) if view.stability and null is not None else ()),
        ),
        second=(
            correlation_table(result, rows, null, notes),
            *([stable] if stable is not None else []),
            *(table for each in added for table in each.second),
        ),
        intervals={head: ends for each in added for head, ends in each.intervals.items()},
        more=("biasvar report",),
        target_row=_target_row(target),
        document=_document(result, rows, view, null, extras) | _order_document(halves),
        rows_key="runs",
        hidden=frozenset().union(*(extra.hidden for extra in extras)),
    )


def _order_document(halves: SplitHalf | None) -> dict[str, Any]:
    return {} if halves is None else {"reliability": order_document(halves)}


def _columns(
    result: Decomposition, view: DecompositionView, front: list[bool], null: Null | None, extras: Sequence[Extra]
) -> dict[str, list[Any]]:
    """The quantities of every run, in the order of the runs, then what options add."""
    columns: dict[str, list[Any]] = {"run": list(result.runs)}
    columns |= {name: getattr(result, name).tolist() for name in QUANTITIES}
    if view.rank:
        total = equalised(result.total)
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


def log_extra(scored: Scored, spec: TargetSpec, transform: LogTransform, result: Decomposition) -> Extra:
    """What a log transform did to the scores, and how much depends on its constant: the same with ten times that."""
    scores, coarser = scored.scores, transform.with_eps(10 * transform.eps)
    other_aim = targeted_scores(scored, spec, coarser)
    other = decompose(other_aim.scores, other_aim.target)
    floored = int((scores.values < transform.eps).sum())
    inner = f"max(score, {transform.eps:g})" if transform.form == "floor" else f"score + {transform.eps:g}"
    least, least_other = (each.runs[int(each.total.argmin())] for each in (result, other))
    few = f"{floored} of {scores.values.size} scores lie below {transform.eps:g}"
    text = f"Least total: {plain(least)}, {{}}; with {coarser.eps:g} for {transform.eps:g}: {plain(least_other)}, {{}}"
    values = (float(result.total.min()), float(other.total.min()))
    notes = (Note(f"Scores are ln({inner}); {few}"), Note(text, values, signed=False))
    shown = 1 if least == least_other else 2  # where the constant decides, everybody is to see it
    mean = Note(f"mean: the log of the geometric mean of {inner}")
    return Extra(notes=notes[:shown], details=(*notes[shown:], mean))


def _title(result: Decomposition, view: DecompositionView) -> str:
    weights = view.weights
    weighted = f"; total_w = {weights[0]:g} bias² + {weights[1]:g} var" if weights is not None else ""
    return (
        f"Bias-variance of {measure_words(result.measure)}, target {result.target.label}: "
        f"{counted(len(result.runs), 'run')}, {counted(result.n_queries, 'query')}{weighted}"
    )


def _target_row(target: VirtualTarget) -> dict[str, Any]:
    """The target as a run: its error is its variance, and the gap to itself is 0."""
    gap = 0.0 if target.scores is not None else float("nan")
    values = (target.mean, 0.0, 0.0, target.var, target.var, gap, gap)
    return {"run": "virtual target", **dict(zip(QUANTITIES, values, strict=True))}


def _rows_note(result: Decomposition, view: DecompositionView, on_front: Sequence[str]) -> Note:
    """Which rows are shown, and which runs nobody is better than on both parts of the error."""
    n_runs = len(result.runs)
    if view.top is not None and view.top < n_runs:
        cut = f"{view.top} of {n_runs} runs shown; every number is of all {n_runs}. "
        return Note(f"{cut}Pareto front: {listed(on_front, 2)}")
    return Note(f"Pareto front (low bias² and var): {listed(on_front, 3)}")
