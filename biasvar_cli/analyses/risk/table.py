"""Risk against a baseline as a table: a row a run, a row a query, or a row a query of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskAnswer, RunQueries
from biasvar_cli.analyses.risk.columns import TABLES
from biasvar_cli.analyses.risk.sentences import (
    caption_notes,
    losers_notes,
    losses_notes,
    run_notes,
    title_of,
    verdict_details,
    verdict_notes,
)
from biasvar_cli.errors import full_name
from biasvar_cli.stats.significance import USUAL_RESAMPLES
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.row_notes import with_row_notes
from biasvar_cli.tables.table import Table, at_least, clusters_document, explained, signature
from biasvar_cli.tables.view import View, row_order, rows_of, top_note
from biasvar_cli.words import QUERIES, QUERY, argument, counted

_OF_SYSTEMS = "Gains, losses and tests are of these means, so they are about these runs of a system."


@dataclass(frozen=True, kw_only=True)
class RiskView(View):
    """Which rows to show of which table: runs, queries, or run:NAME."""

    table: str = "runs"

    @property
    def run(self) -> str | None:
        """The run whose queries are shown; None where all runs are."""
        return self.table.removeprefix("run:") if self.table.startswith("run:") else None


VIEW = RiskView


def tables(answers: Sequence[RiskAnswer], view: RiskView) -> list[Table]:
    """A table for each measure and baseline."""
    return [risk_table(answer, view) for answer in answers]


@with_row_notes("scores", _OF_SYSTEMS)
def risk_table(answer: RiskAnswer, view: RiskView) -> Table:
    """The table that a view asks for. Raises `UsageError` for a column to sort by that is not there."""
    if view.run is not None:
        return _run_table(answer, view.run, view)
    return _queries_table(answer, view) if view.table == "queries" else _runs_table(answer, view)


def _runs_table(answer: RiskAnswer, view: RiskView) -> Table:
    cells = filled(TABLES["runs"], answer)
    usual = f"-u_risk_{answer.request.main_alpha:g}" if view.is_best_first else "run"
    order = row_order(cells.columns, view.sort or usual, declared=TABLES["runs"])
    agreement = _agreement(answer)
    return Table.of(
        title_of(answer),
        rows_of(cells, order, view),
        hidden=_hidden(answer, cells.columns),
        verdict=tuple(verdict_notes(answer)) if view.for_people else (),
        notes=(
            *top_note(view.top, answer.scores.n_runs, "run"),
            *(run_notes(answer) if view.for_people else ()),
            *_interval_notes(answer),
        ),
        details=(
            _order_note(answer, cells.columns),
            *(verdict_details(answer) if view.for_people else ()),
            *_meanings(answer, cells),
            *_interval_details(answer),
        ),
        second=() if agreement is None else (agreement,),
        intervals=_interval_heads(answer, cells.columns),
        caption=tuple(caption_notes(answer)),
        name="risk",
        signature=_signature(answer),
        document={**_document(answer), "runs": None, **_added_keys(answer)},
        rows_key="runs",
    )


def _queries_table(answer: RiskAnswer, view: RiskView) -> Table:
    """One row a query: how many runs lose there. People read the queries with most losses first."""
    cells = filled(TABLES["queries"], answer)
    order = list(range(answer.scores.n_queries))
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names="query_id", declared=TABLES["queries"])
    elif view.is_best_first:
        order.sort(key=lambda index: -cells.columns["losses"][index])
    return Table.of(
        title_of(answer),
        rows_of(cells, order, view),
        verdict=tuple(losers_notes(answer)),
        notes=(
            *top_note(view.top, len(order), "query"),
            explained(cells.declared, "largest_loss"),
            "This table as csv is a baseline: --baseline file:PATH.",
        ),
        name="risk-queries",
        signature=_signature(answer),
        document=_document(answer),
        rows_key="queries",
    )


def _run_table(answer: RiskAnswer, run: str, view: RiskView) -> Table:
    """One row a query of one run, its largest losses first: T_risk of single queries."""
    run = full_name(argument(table=f"run:{run}"), run, answer.scores.runs)  # by the name that people are shown
    queries = RunQueries(answer, answer.scores.row(run))
    cells = filled(TABLES["run"], queries)
    order = np.argsort(queries.delta, kind="stable").tolist()
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names="query_id", declared=TABLES["run"])
    main = f"t_risk_{answer.request.main_alpha:g}"
    return Table.of(
        title_of(answer),
        rows_of(cells, order, view),
        verdict=tuple(losses_notes(answer, run, queries.delta)),
        notes=(
            *top_note(view.top, len(queries.delta), "query"),
            explained(cells.declared, "delta"),
            explained(cells.declared, main),
        ),
        name=f"risk-{run}",
        signature=_signature(answer),
        document={**_document(answer), "run": run},
        rows_key="queries",
    )


def _hidden(answer: RiskAnswer, columns: Mapping[str, list[Any]]) -> frozenset[str]:
    """What people are not shown besides: the columns of all alphas but one."""
    main = f"{answer.request.main_alpha:g}"
    visible = {f"{name}_{main}" for name in ("u_risk", "t_risk", "geo_risk")}
    visible |= {f"u_risk_{main}_low", f"u_risk_{main}_high"}
    unsaid = {"verdict"} if set(columns["verdict"]) == {None} else set()
    return frozenset({name for name in columns if "_risk_" in name} - visible | unsaid)


def _meanings(answer: RiskAnswer, cells: Cells) -> Iterator[str]:
    """What the other columns mean that people are shown."""
    main = f"{answer.request.main_alpha:g}"
    names = ("delta", "wins", "losses", "ri", f"t_risk_{main}", f"geo_risk_{main}", f"z_risk_{main}", "r_loss")
    return (explained(cells.declared, name) for name in names if name in cells.columns)


def _signature(answer: RiskAnswer) -> str:
    request, baseline, intervals = answer.request, answer.baseline, answer.intervals
    kind = "top " if baseline.spec.kind == "top" else ""
    of_pool = f" of {baseline.n_pool}" if baseline.run is None and baseline.n_pool else ""
    words = [f"baseline {kind}{baseline.run or baseline.label!s}{of_pool}"]
    words.append(f"alpha {' '.join(f'{alpha:g}' for alpha in request.alpha)}")
    words += [f"ties within {request.tie_eps:g}"] if request.tie_eps else []
    words.append(f"stepdown {USUAL_RESAMPLES} resamples seed {request.seed}")
    if intervals is not None:
        words.append(f"intervals {intervals.level:g} of {intervals.n_resamples} resamples seed {intervals.seed}")
    return signature(answer.measure, answer.scored.basis, *words)


def _interval_heads(answer: RiskAnswer, columns: Mapping[str, list[Any]]) -> dict[str, tuple[str, str]]:
    if answer.intervals is None:
        return {}
    level = f"{100 * answer.intervals.level:g} %"
    names = [name.removesuffix("_low") for name in columns if name.endswith("_low")]
    return {f"{name} {level}": (f"{name}_low", f"{name}_high") for name in names}


def _interval_notes(answer: RiskAnswer) -> Iterator[str]:
    """Why there are no intervals of one query."""
    if answer.intervals is not None and answer.scores.n_queries == 1:
        yield f"No intervals: one {QUERY} has no spread."
    elif answer.intervals is not None and answer.scores.units.are_few:
        yield f"No intervals: that takes {at_least(answer.scores.units)}."


def _interval_details(answer: RiskAnswer) -> Iterator[str]:
    """What the intervals are for, and how they are made."""
    intervals = answer.intervals
    if intervals is not None and answer.scores.n_queries > 1 and not answer.scores.units.are_few:
        queries = QUERIES if answer.scores.clusters is None else f"clusters of {QUERIES}"
        made = f"{counted(intervals.n_resamples, 'resample')}, seed {intervals.seed}"
        yield (
            f"Intervals of {100 * intervals.level:g} % are for new {queries} of the same kind: of u_risk by Student's "
            f"t, of geo_risk by BCa ({made}). --columns shows those of geo_risk too."
        )


def _agreement(answer: RiskAnswer) -> Table | None:
    """How alike the orders by GeoRisk and by total are; None without a decomposition."""
    if answer.decomposition is None:
        return None
    main = answer.request.main_alpha
    ranks = answer.ranks[answer.request.alpha.index(main)]
    target = answer.decomposition.target.label
    title = f"Correlation of the rankings by geo_risk_{main:g} and by total (target {target}): 1 equal, -1 reversed"
    columns: dict[str, list[Any]] = {"spearman": [ranks.spearman], "kendall": [ranks.kendall]}
    return Table(title, columns, signed=frozenset(columns))


def _added_keys(answer: RiskAnswer) -> dict[str, Any]:
    """The keys of JSON that options add."""
    added: dict[str, Any] = {}
    if answer.decomposition is not None:
        ranks = [
            {"alpha": alpha, "spearman": ranks.spearman, "kendall": ranks.kendall}
            for alpha, ranks in zip(answer.request.alpha, answer.ranks, strict=True)
        ]
        added["decomposition"] = {"target": answer.decomposition.target.label, "geo_risk_and_total": ranks}
    if answer.intervals is not None:
        intervals = answer.intervals
        made = {"level": intervals.level, "resamples": intervals.n_resamples, "seed": intervals.seed}
        added["intervals"] = {**made, "u_risk": "t", "geo_risk": "bca"}
    return added


def _document(answer: RiskAnswer) -> dict[str, Any]:
    baseline = {name: getattr(answer.baseline.in_unit, name) for name in ("kind", "label", "mean", "var", "n_pool")}
    return {
        "measure": answer.scores.measure,
        "better": answer.better,
        "baseline": baseline,
        "alphas": list(answer.request.alpha),
        "r_loss_k": answer.request.r_loss,
        "n_runs": answer.scores.n_runs,
        "n_queries": answer.scores.n_queries,
        **clusters_document(answer.scores.n_clusters),
    }


def _order_note(answer: RiskAnswer, columns: Mapping[str, list[Any]]) -> str:
    """Which run is best by what: the same one, or another where losses weigh more."""
    main = f"{answer.request.main_alpha:g}"
    criteria: dict[str, list[str]] = {}
    for name in ("mean", f"u_risk_{main}", f"t_risk_{main}", f"geo_risk_{main}"):
        best = row_order(columns, f"-{name}")[0]
        if not isnan(columns[name][best]):
            criteria.setdefault(columns["run"][best], []).append(name)
    best_runs = [f"by {', '.join(names)}: {run}" for run, names in criteria.items()]
    return f"Best {'; '.join(best_runs)}."
