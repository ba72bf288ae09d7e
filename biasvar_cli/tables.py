"""Results to tables; all wording of titles, columns and notes is here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasvar_cli.checks import FileReport, Finding
from biasvar_cli.correlation import Correlations
from biasvar_cli.decomposition import Decomposition, pareto_front, weighted_total
from biasvar_cli.errors import UsageError, counted
from biasvar_cli.scores import LogTransform, ScoreMatrix, settle
from biasvar_cli.track import Track
from biasvar_cli.tradeoff import Tradeoff

if TYPE_CHECKING:
    import pandas as pd

    from biasvar_cli.target import VirtualTarget

_COLUMNS = ("run", "mean", "bias", "bias2", "var", "total", "var_gap", "total_gap")


class Note(NamedTuple):
    """A line under a table; every ``{}`` in ``text`` stands for one of ``values``, which are rounded when printed."""

    text: str
    values: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """Unrounded columns with their words; every column is a list of plain values of the same length.

    ``keys`` are the leading columns that are the same in every row. ``target_row`` is a last row for people, not for
    machines; ``document`` is the same result for JSON, in which ``rows_key`` names the list that the rows become.

    >>> table = Table("Two runs", {"run": ["A", "B"], "mean": [0.2, 0.34]})
    >>> list(table.rows())
    [('A', 0.2), ('B', 0.34)]
    >>> table.frame()["mean"].max()  # a pandas DataFrame, for work in a notebook
    np.float64(0.34)
    """

    title: str
    columns: Mapping[str, list[Any]]
    keys: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    target_row: Mapping[str, Any] | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    rows_key: str = "rows"

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, one tuple each, in the order of the columns."""
        return zip(*self.columns.values(), strict=True)

    def frame(self) -> pd.DataFrame:
        """The columns as a DataFrame. pandas is imported here, not by every command: it takes 0.2 s."""
        import pandas as pd

        return pd.DataFrame(self.columns)


@dataclass(frozen=True, kw_only=True)
class View:
    """Which rows and columns of a decomposition to show: no choice here changes a number."""

    sort: str = "total"
    top: int | None = None
    rank: bool = False
    pareto: bool = False
    weights: tuple[float, float] | None = None


def decomposition_table(
    result: Decomposition, correlations: Tradeoff, *, track: Track, view: View, log: Note | None = None
) -> Table:
    """One row per run, sorted and cut as ``view`` says, the correlations in the notes.

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
    order = row_order(columns, view.sort)
    on_front = [result.runs[index] for index in order if front[index]]
    order = order[: view.top]
    measure, target = result.measure, result.target
    shown = {name: [column[index] for index in order] for name, column in columns.items()}
    return Table(
        title=_title(result),
        columns={"measure": [measure] * len(order), "target": [target.label] * len(order), **shown},
        keys=("measure", "target"),
        notes=_notes(result, correlations, track, view, on_front, log),
        target_row=_target_row(target),
        document={
            "measure": measure,
            "target": {name: getattr(target, name) for name in ("kind", "label", "mean", "var", "n_pool")},
            "n_runs": len(result.runs),
            "n_queries": result.n_queries,
            "runs": None,
            "tradeoff": {"score": vars(correlations.score), "gap": vars(correlations.gap)},
        },
        rows_key="runs",
    )


def row_order(columns: Mapping[str, Sequence[Any]], column: str) -> list[int]:
    """The rows in ascending order of a column, or descending for ``-COLUMN``; equal ones, and nan, by run name.

    Raises `UsageError` for a column that is not there.

    >>> row_order({"run": ["B", "A", "C"], "mean": [0.5, 0.5, 0.7]}, "-mean")
    [2, 1, 0]
    """
    name, descending = column.removeprefix("-"), column.startswith("-")
    if name not in columns:
        raise UsageError(f"--sort {column}: there is no column {name}; the columns are {', '.join(columns)}")
    values = columns[name]
    if all(isinstance(value, float) for value in values):
        values = settle(np.array(values)).tolist()
    by_name = sorted(range(len(values)), key=lambda index: str(columns["run"][index]))
    defined = [index for index in by_name if values[index] == values[index]]
    undefined = [index for index in by_name if values[index] != values[index]]
    return sorted(defined, key=lambda index: values[index], reverse=descending) + undefined


def log_note(
    transform: LogTransform, scores: ScoreMatrix, result: Decomposition, coarser: LogTransform, other: Decomposition
) -> Note:
    """What a log transform did to the scores, and how much rests on its constant: the same with ten times of it."""
    floored = int((scores.values < transform.eps).sum())
    form = f"ln max(score, {transform.eps:g})" if transform.form == "floor" else f"ln(score + {transform.eps:g})"
    least, least_other = (each.runs[int(each.total.argmin())] for each in (result, other))
    text = (
        f"Scores are {form}; mean is the log of the geometric mean. {floored} of {scores.values.size} scores lie below "
        f"{transform.eps:g}. Least total: {_plain(least)}, {{}}; with {coarser.eps:g} instead: {_plain(least_other)}, "
        "{}"
    )
    return Note(text, (float(result.total.min()), float(other.total.min())))


def _plain(name: str) -> str:
    """A name as it may stand in the text of a note that holds values."""
    return name.replace("{", "{{").replace("}", "}}")


def scores_table(scores: ScoreMatrix) -> Table:
    """One row per run and query, run by run.

    >>> matrix = ScoreMatrix(np.array([[0.5, 0.25]]), ("bm25",), ("1", "2"), "AP")
    >>> list(scores_table(matrix).rows())
    [('bm25', '1', 'AP', 0.5), ('bm25', '2', 'AP', 0.25)]
    """
    n_rows = scores.n_runs * scores.n_queries
    columns: dict[str, list[Any]] = {
        "run": [run for run in scores.runs for _ in scores.queries],
        "query_id": list(scores.queries) * scores.n_runs,
        "measure": [scores.measure] * n_rows,
        "score": scores.values.ravel().tolist(),
    }
    rows = [{"run": run, "scores": row} for run, row in zip(scores.runs, scores.values.tolist(), strict=True)]
    document = {"measure": scores.measure, "queries": list(scores.queries), "runs": rows}
    return Table(f"Scores: {measure_words(scores.measure)}", columns, document=document, rows_key="")


def measure_words(measure: str | None) -> str:
    """A measure's name as titles have it.

    >>> measure_words("AP"), measure_words(None)
    ('AP', 'unknown measure')
    """
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
    log: Note | None,
) -> tuple[Note, ...]:
    n_runs = len(result.runs)
    notes = [
        _correlation_note("score form (var)", correlations.score, result),
        _correlation_note("gap form (var_gap)", correlations.gap, result),
        Note(
            "Pareto front (no other run has as little of both bias² and variance, and less of one): " + _listed(front)
        ),
        Note(_target_words(result)),
        *([log] if log else []),
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
    if target.kind == "best" and ":" in target.label:
        what = f"quantile {target.label.partition(':')[2]} of each query's scores over {counted(target.n_pool, 'run')}"
    return f"Target {target.label}: {what}. bias = target mean - run mean; var has divisor n (population)"


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def check_table(reports: Sequence[FileReport]) -> Table:
    """One row per finding, and one for every file without any."""
    found = [(report, finding) for report in reports for finding in report.findings or (Finding("ok", ""),)]
    columns: dict[str, list[Any]] = {
        "file": [report.path for report, _ in found],
        "kind": [report.kind for report, _ in found],
        "queries": [report.n_queries for report, _ in found],
        "lines": [report.n_lines for report, _ in found],
        **{name: [getattr(finding, name) for _, finding in found] for name in ("level", "what", "number", "unit")},
    }
    n_errors = sum(report.has_error for report in reports)
    odd = sum(bool(report.findings) and not report.has_error for report in reports)
    return Table(
        title=f"Check: {counted(len(reports), 'file')}, {n_errors} with errors, {odd} more with oddities",
        columns=columns,
        document={
            "files": [
                {
                    "path": report.path,
                    "kind": report.kind,
                    "runs": list(report.runs),
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
