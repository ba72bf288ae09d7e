"""Results to tables; all wording of titles, columns and notes is here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from biasvar_cli.checks import FileReport, Finding
from biasvar_cli.correlation import Correlations
from biasvar_cli.decomposition import Decomposition, pareto_front, weighted_total
from biasvar_cli.errors import UsageError, counted
from biasvar_cli.scores import LogTransform, ScoreMatrix, settle
from biasvar_cli.track import Track
from biasvar_cli.tradeoff import Tradeoff

if TYPE_CHECKING:
    from biasvar_cli.target import VirtualTarget

_COLUMNS = ("run", "mean", "bias", "bias2", "var", "total", "var_gap", "total_gap")


@dataclass(frozen=True, eq=False)
class Table:
    """An unrounded frame with its words. ``keys`` are the leading columns that are the same in every row.

    ``target_row`` is a last row for people, not for machines; ``document`` is the same result for JSON, in which
    ``rows_key`` names the list that the frame's rows become.
    """

    title: str
    frame: pd.DataFrame
    keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    target_row: Mapping[str, Any] | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    rows_key: str = "rows"


@dataclass(frozen=True, kw_only=True)
class View:
    """Which rows and columns of a decomposition to show: no choice here changes a number."""

    sort: str = "total"
    top: int | None = None
    rank: bool = False
    pareto: bool = False
    weights: tuple[float, float] | None = None


def decomposition_table(
    result: Decomposition, correlations: Tradeoff, *, track: Track, view: View, log: str | None = None
) -> Table:
    """One row per run, sorted and cut as ``view`` says, the correlations in the notes.

    Raises `UsageError` for a column to sort by that is not there.
    """
    frame = pd.DataFrame(
        {
            "run": result.runs,
            "mean": result.mean,
            "bias": result.bias,
            "bias2": result.bias2,
            "var": result.var,
            "total": result.total,
            "var_gap": result.var_gap,
            "total_gap": result.total_gap,
        }
    )
    front = pareto_front(result.bias2, result.var)
    if view.rank:
        frame["rank"] = pd.Series(settle(result.total)).rank(method="min").astype(int)
    if view.weights is not None:
        frame["total_w"] = weighted_total(result, *view.weights)
    if view.pareto:
        frame["pareto"] = front
    frame = sort_rows(frame, view.sort)
    shown = frame.head(view.top) if view.top is not None else frame
    on_front = frame["run"][front[frame.index]].tolist()
    measure, target = result.measure, result.target
    shown.insert(0, "measure", measure)
    shown.insert(1, "target", target.label)
    return Table(
        title=_title(result),
        frame=shown.reset_index(drop=True),
        keys=("measure", "target"),
        notes=_notes(result, correlations, track, view, on_front, len(shown), log),
        target_row=_target_row(target),
        document={
            "measure": measure,
            "target": {
                "kind": target.kind,
                "label": target.label,
                "mean": target.mean,
                "var": target.var,
                "n_pool": target.n_pool,
            },
            "n_runs": len(result.runs),
            "n_queries": result.n_queries,
            "runs": None,
            "tradeoff": {"score": vars(correlations.score), "gap": vars(correlations.gap)},
        },
        rows_key="runs",
    )


def log_note(
    transform: LogTransform, scores: ScoreMatrix, result: Decomposition, coarser: LogTransform, other: Decomposition
) -> str:
    """What a log transform did to the scores, and how much rests on its constant: the same with ten times of it."""
    floored = int((scores.values < transform.eps).sum())
    form = f"ln max(score, {transform.eps:g})" if transform.form == "floor" else f"ln(score + {transform.eps:g})"
    least, least_other = (each.runs[int(each.total.argmin())] for each in (result, other))
    return (
        f"Scores are {form}; mean is the log of the geometric mean. {floored} of {scores.values.size} scores lie below "
        f"{transform.eps:g}. Least total: {least}; with {coarser.eps:g} instead: {least_other}, its total "
        f"{other.total.min():.4g} for {result.total.min():.4g}"
    )


def sort_rows(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows in ascending order of a column, or descending for ``-COLUMN``; equal ones, and nan, by run name."""
    name, ascending = column.removeprefix("-"), not column.startswith("-")
    if name not in frame.columns:
        raise UsageError(f"--sort {column}: there is no column {name}; the columns are {', '.join(frame.columns)}")
    by_name = frame.sort_values("run", kind="stable")
    key = by_name[name]
    if key.dtype.kind == "f":
        key = pd.Series(settle(key.to_numpy()), index=key.index)
    return by_name.loc[key.sort_values(ascending=ascending, kind="stable", na_position="last").index]


def scores_table(scores: ScoreMatrix) -> Table:
    """One row per run and query, run by run."""
    frame = pd.DataFrame(
        {
            "run": [run for run in scores.runs for _ in scores.queries],
            "query_id": list(scores.queries) * scores.n_runs,
            "measure": scores.measure,
            "score": scores.values.ravel(),
        }
    )
    rows = [{"run": run, "scores": row} for run, row in zip(scores.runs, scores.values.tolist(), strict=True)]
    document = {"measure": scores.measure, "queries": list(scores.queries), "runs": rows}
    return Table(f"Scores: {measure_words(scores.measure)}", frame, document=document, rows_key="")


def measure_words(measure: str | None) -> str:
    return measure if measure is not None else "unknown measure"


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
    n_shown: int,
    log: str | None,
) -> tuple[str, ...]:
    n_runs = len(result.runs)
    notes = [
        _correlation_note("score form (var)", correlations.score, result),
        _correlation_note("gap form (var_gap)", correlations.gap, result),
        f"Pareto front (no other run has as little of both bias² and variance, and less of one): {_listed(front)}",
        _target_words(result),
        *([log] if log else []),
    ]
    if view.weights is not None:
        notes.append(f"total_w = {view.weights[0]:g} bias² + {view.weights[1]:g} variance")
    if n_shown < n_runs:
        notes.append(f"{n_shown} of {n_runs} runs shown; every number is of all {n_runs}")
    if track.n_tied:
        notes.append(f"Scores tie within a topic in {counted(track.n_tied, 'run')}; the order there is by document id")
    if track.n_incomplete:
        notes.append(f"{counted(track.n_incomplete, 'run')} without results for every query, scored 0 there")
    return tuple(notes)


def _correlation_note(form: str, values: Correlations, result: Decomposition) -> str:
    shown = ", ".join(
        f"{name} {value:+.4f}" if value == value else f"{name} -"
        for name, value in (("Pearson", values.pearson), ("Spearman", values.spearman), ("Kendall", values.kendall))
    )
    return f"Correlation of bias² and variance over the runs, {form}: {shown}{_why_undefined(form, values, result)}"


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
    if target.kind == "best" and ":" in target.label:
        what = f"quantile {target.label.partition(':')[2]} of each query's scores over {counted(target.n_pool, 'run')}"
    return f"Target {target.label}: {what}. bias = target mean - run mean; var has divisor n (population)"


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def check_table(reports: Sequence[FileReport]) -> Table:
    """One row per finding, and one for every file without any."""
    rows: list[dict[str, Any]] = []
    for report in reports:
        place = {"file": report.path, "kind": report.kind, "queries": report.n_queries, "lines": report.n_lines}
        for finding in report.findings or (None,):
            shown = finding or Finding("ok", "")
            rows.append({**place, **{key: getattr(shown, key) for key in ("level", "what", "number", "unit")}})
    frame = pd.DataFrame(rows, dtype=object)
    n_errors = sum(report.has_error for report in reports)
    odd = sum(bool(report.findings) and not report.has_error for report in reports)
    return Table(
        title=f"Check: {counted(len(reports), 'file')}, {n_errors} with errors, {odd} more with oddities",
        frame=frame,
        document={
            "files": [
                {
                    "path": report.path,
                    "kind": report.kind,
                    "run": report.name or None,
                    "queries": report.n_queries,
                    "lines": report.n_lines,
                    "errors": [finding.what for finding in report.findings if finding.level == "error"],
                    "oddities": [
                        {"what": finding.what, "number": finding.number, "unit": finding.unit}
                        for finding in report.findings
                        if finding.level == "oddity"
                    ],
                }
                for report in reports
            ]
        },
        rows_key="",
    )
