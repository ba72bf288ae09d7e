"""Risk against a baseline as tables: its runs, its queries, or the queries of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskOfRuns
from biasvar_cli.analyses.risk.losses import Losers, apart, per_query
from biasvar_cli.analyses.risk.sentences import baseline_note, run_notes, shown_notes
from biasvar_cli.analyses.risk.verdict_sentences import verdict_details
from biasvar_cli.arrays import FloatArray
from biasvar_cli.tables.table import Extra, Note, Table, measure_words, plain, row_order
from biasvar_cli.words import counted

KEYS = ("measure", "baseline")  # the first columns of a table of risk
_COUNTS = ("wins", "ties", "losses")
_OF_RISK = ("mean", "delta", *_COUNTS, "ri", "lt_init", "reward", "risk")
_HIDDEN = ("ties", "lt_init", "gmap", "break_even")
_BREAK_EVEN = Note(
    "break_even: delta / risk, the A at which u_risk_A is 0; none (-) where delta is not above 0 or no query is lost."
)

RiskTable = Literal["runs", "queries", "run"]


@dataclass(frozen=True, kw_only=True)
class RiskView:
    """Which rows to show, and in which order: no choice here changes a number."""

    sort: str
    top: int | None = None
    for_people: bool = True


def default_sort(alphas: Sequence[float]) -> str:
    """The order that people read: by U_risk of the first alpha above 0, the best run first.

    >>> default_sort((0.0, 2.5, 5.0))
    '-u_risk_2.5'
    """
    return f"-u_risk_{next((alpha for alpha in alphas if alpha > 0), alphas[0]):g}"


def runs_table(found: RiskOfRuns, *, view: RiskView, extras: Sequence[Extra] = ()) -> Table:
    """One row a run. Raises `UsageError` for a column to sort by that is not there."""
    columns = _run_columns(found)
    for extra in extras:
        columns |= extra.columns
    order = row_order(columns, view.sort)[: view.top]
    shown = {name: [column[index] for index in order] for name, column in columns.items()}
    hidden = _hidden(found).union(*(extra.hidden for extra in extras))
    return Table(
        title=_title("Risk", found),
        columns=_keyed(found, shown),
        keys=KEYS,
        notes=(
            *shown_notes(view.top, len(found.risk.runs)),
            *run_notes(found, hidden),
            *(note for each in extras for note in each.notes),
        ),
        details=(
            _order_note(found),
            *verdict_details(found),
            _BREAK_EVEN,
            *(note for each in extras for note in each.details),
        ),
        second=tuple(each for extra in extras for each in extra.second),
        intervals={head: ends for extra in extras for head, ends in extra.intervals.items()},
        document={
            **_document(found),
            "runs": None,
            **{key: each for extra in extras for key, each in extra.document.items()},
        },
        rows_key="runs",
        hidden=hidden,
    )


def queries_table(found: RiskOfRuns, losers: Losers, *, view: RiskView) -> Table:
    """One row a query: how many runs lose there. People read the queries with most losses first."""
    columns: dict[str, list[Any]] = {
        "query_id": list(losers.queries),
        "score": found.baseline.scores.tolist(),
        "mean": losers.mean.tolist(),
        **{name: getattr(losers, name).tolist() for name in _COUNTS},
        "largest_loss": losers.largest_loss.tolist(),
        "run": list(losers.run),
    }
    order = list(range(len(losers.queries)))
    if view.for_people:
        order.sort(key=lambda index: -columns["losses"][index])
    return Table(
        title=_title("Losses on every query", found),
        columns=_keyed(
            found, {name: [column[index] for index in order[: view.top]] for name, column in columns.items()}
        ),
        keys=KEYS,
        notes=(
            *shown_notes(view.top, len(order), "query"),
            baseline_note(found),
            Note(
                "score: the baseline's; mean: of all runs; wins, ties, losses: runs above, at and below the baseline."
            ),
            Note("largest_loss: how far the worst run is below the baseline; run: which run that is."),
        ),
        document=_document(found),
        rows_key="queries",
    )


def run_table(found: RiskOfRuns, run: str, *, view: RiskView) -> Table:
    """One row a query of one run, its largest losses first: T_risk of single queries."""
    scores, baseline = found.scores.row(run), found.baseline.scores
    delta = apart(scores, baseline)
    order = np.argsort(delta, kind="stable")[: view.top]
    columns = {"score": scores, "baseline_score": baseline, "delta": delta}
    columns |= {f"t_risk_{alpha:g}": per_query(scores, baseline, alpha) for alpha in found.geo.alphas}
    rows = {"query_id": [found.scores.queries[index] for index in order]}
    return Table(
        title=_title(f"Queries of {run}", found),
        columns=_keyed(found, {**rows, **{name: each[order].tolist() for name, each in columns.items()}}),
        keys=KEYS,
        notes=(
            *shown_notes(view.top, len(delta), "query"),
            _losses_note(found, run, delta),
            baseline_note(found),
            Note("t_risk_A: delta, counted 1 + A times where it is a loss, over the standard deviation of these."),
        ),
        document={**_document(found), "run": run},
        rows_key="queries",
    )


def _run_columns(found: RiskOfRuns) -> dict[str, list[Any]]:
    risk, geo = found.risk, found.geo
    columns: dict[str, list[Any]] = {"run": list(risk.runs)}
    columns |= {name: getattr(risk, name).tolist() for name in _OF_RISK}
    columns["gmap"] = geo.gmap.tolist()
    for index, each in enumerate(risk.at):
        alpha = f"{each.alpha:g}"
        columns[f"u_risk_{alpha}"] = each.u_risk.tolist()
        columns[f"t_risk_{alpha}"] = each.t_risk.tolist()
        columns[f"t_risk_{alpha}_p"] = each.p.tolist()
        columns[f"z_risk_{alpha}"] = geo.z_risk[index].tolist()
        columns[f"geo_risk_{alpha}"] = geo.geo_risk[index].tolist()
    columns["break_even"] = risk.break_even.tolist()
    if found.r_loss is not None:
        columns["r_loss"] = found.r_loss.tolist()
    return columns


def _hidden(found: RiskOfRuns) -> frozenset[str]:
    """The columns that people are not shown: one alpha is enough for them."""
    kept = {f"{name}_{found.main_alpha:g}" for name in ("u_risk", "t_risk", "geo_risk")}
    of_alphas = {
        name for name in _run_columns(found) if name.startswith(("u_risk_", "t_risk_", "z_risk_", "geo_risk_"))
    }
    return frozenset((of_alphas - kept) | set(_HIDDEN))


def _keyed(found: RiskOfRuns, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    n_rows = len(next(iter(columns.values())))
    return {"measure": [found.scores.measure] * n_rows, "baseline": [found.baseline.label] * n_rows, **columns}


def _document(found: RiskOfRuns) -> dict[str, Any]:
    baseline = {name: getattr(found.baseline, name) for name in ("kind", "label", "mean", "var", "n_pool")}
    return {
        "measure": found.scores.measure,
        "baseline": baseline,
        "alphas": list(found.geo.alphas),
        "r_loss_k": found.r_loss_k,
        "n_runs": found.scores.n_runs,
        "n_queries": found.scores.n_queries,
    }


def _title(what: str, found: RiskOfRuns) -> str:
    scores = found.scores
    size = f"{counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}"
    label = "the mean of all runs (the default baseline)" if found.baseline.kind == "mean" else found.baseline.label
    return f"{what}, {measure_words(scores.measure)} against {label}: {size}"


def _order_note(found: RiskOfRuns) -> Note:
    """Which run is best by what: the same one, or another where losses weigh more."""
    main = f"{found.main_alpha:g}"
    columns = _run_columns(found)
    by: dict[str, list[str]] = {}
    for name in ("mean", f"u_risk_{main}", f"t_risk_{main}", f"geo_risk_{main}"):
        best = row_order(columns, f"-{name}")[0]
        if columns[name][best] == columns[name][best]:
            by.setdefault(columns["run"][best], []).append(name)
    return Note("Best " + "; ".join(f"by {', '.join(names)}: {run}" for run, names in by.items()) + ".")


def _losses_note(found: RiskOfRuns, run: str, delta: FloatArray) -> Note:
    """On how many queries a run loses, and where most."""
    n_losses, worst = int((delta < 0).sum()), int(delta.argmin())
    text = f"{run} is below the baseline on {n_losses} of {counted(len(delta), 'query')}"
    if not n_losses:
        return Note(f"{text}.")
    text = f"{plain(text)}; the largest loss is {{}}, on query "
    return Note(f"{text}{plain(found.scores.queries[worst])}.", (-float(delta[worst]),), signed=False)
