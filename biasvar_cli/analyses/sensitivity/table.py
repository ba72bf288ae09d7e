"""What a ranking depends on, as tables: targets, single queries, halves of the queries, the origin of the variance.

And how far it is the ranking by mean.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from biasvar_cli.analyses.sensitivity.answer import Sensitivity, name_of
from biasvar_cli.analyses.sensitivity.sentences import details_of, notes_of
from biasvar_cli.tables.table import KEYS, Table, about, document_of, keyed, records
from biasvar_cli.words import FORMS, RANKED, TOTAL

KINDS = ("targets", "runs", "neighbours", "queries", "reliability", "mean")


def sensitivity_table(found: Sensitivity, kind: str) -> Table:
    """One of the tables `KINDS`; JSON has all of them."""
    tables = {name: _COLUMNS[name](found) for name in KINDS}
    scores, target = found.targeted.scores, found.targeted.target
    holds = {"low": _finite(found.switches.lowest), "high": _finite(found.switches.highest)}
    return Table(
        title=f"{_TITLES[kind]}: {about(scores.measure, target, scores.n_runs, scores.n_queries)}",
        columns=keyed(scores.measure, target, tables[kind]),
        keys=KEYS,
        notes=tuple(notes_of(found, kind)),
        details=tuple(details_of(found, kind)),
        intervals={"switch": ("switch_low", "switch_high")},
        signed=_SIGNED,
        hidden=_HIDDEN,
        document={
            **document_of(scores.measure, target, scores.n_runs, scores.n_queries),
            **{name: records(columns) for name, columns in tables.items()},
            "ranking_holds": holds,
        },
        rows_key=kind,
    )


def _targets(found: Sensitivity) -> dict[str, list[Any]]:
    rows = found.targets.targets
    return {
        "under": [name_of(each, found) for each in rows],
        "mean": [each.mean for each in rows],
        "tau": [each.score.kendall for each in rows],
        "tau_gap": [each.gap.kendall for each in rows],
        **{f"least_{TOTAL[form]}": [list(getattr(each, form).least) for each in rows] for form in FORMS},
    }


def _runs(found: Sensitivity) -> dict[str, list[Any]]:
    targets, switches, first = found.targets, found.switches, found.targets.targets[0]
    ranks = {name_of(each, found): each for each in targets.targets}
    columns: dict[str, list[Any]] = {
        "run": list(targets.runs),
        "total": first.score.total.tolist(),
        "rank": _whole(first.score.rank),
    }
    for name, column in (("leave-one-run-out", "rank_loro"), ("perfect", "rank_perfect")):
        if name in ranks:
            columns[column] = _whole(ranks[name].score.rank)
    columns |= {name: getattr(targets, name).tolist() for name in ("bias_loro", "unique")}
    if found.has_teams:
        columns |= {name: getattr(targets, name).tolist() for name in ("bias_loto", "team_unique")}
    columns |= {
        "switch_low": [_finite(value) for value in switches.low.tolist()],
        "switch_high": [_finite(value) for value in switches.high.tolist()],
        "slope": found.origin.slope.tolist(),
        "of_track": found.origin.share.tolist(),
        "needed": _whole(found.precision.needed),
    }
    order = sorted(range(len(targets.runs)), key=lambda index: (columns["rank"][index] or 0, targets.runs[index]))
    return {name: [column[index] for index in order] for name, column in columns.items()}


def _neighbours(found: Sensitivity) -> dict[str, list[Any]]:
    switches = found.switches
    runs = [switches.runs[index] for index in switches.order]
    return {
        "rank": list(range(1, len(runs))),
        "run": runs[:-1],
        "next": runs[1:],
        "switch": [_finite(value) for value in switches.point.tolist()],
        "before_perfect": switches.within.tolist(),
    }


def _queries(found: Sensitivity) -> dict[str, list[Any]]:
    if found.influence is None:
        return {name: [] for name in ("query_id", "pearson", "shift", "pearson_gap", "target_mean", "least_total")}
    one, runs = found.influence, found.targeted.scores.runs
    columns: dict[str, list[Any]] = {
        "query_id": list(one.queries),
        "pearson": one.pearson.tolist(),
        "shift": one.shift.tolist(),
        "pearson_gap": one.pearson_gap.tolist(),
        "target_mean": one.mean.tolist(),
        "least_total": [runs[index] for index in one.least.tolist()],
    }
    return {name: [column[index] for index in one.order] for name, column in columns.items()}


def _reliability_columns(found: Sensitivity) -> dict[str, list[Any]]:
    return {"ranking": list(RANKED), "tau": [getattr(found.halves, name) for name in RANKED]}


def _mean(found: Sensitivity) -> dict[str, list[Any]]:
    rows = found.targets.targets
    return {
        "under": [name_of(each, found) for each in rows],
        "tau": [each.score.by_mean for each in rows],
        "tau_ap": [each.score.by_mean_ap for each in rows],
        "tau_gap": [each.gap.by_mean for each in rows],
        "tau_ap_gap": [each.gap.by_mean_ap for each in rows],
    }


_SIGNED = frozenset({"tau", "tau_gap", "tau_ap", "tau_ap_gap", "pearson", "shift", "pearson_gap"})
_HIDDEN = frozenset({"bias_loro", "bias_loto", "slope"})
_TITLES = {
    "targets": "The order of the runs under other targets",
    "runs": "What each run's place depends on",
    "neighbours": "Switch points of neighbours in the order by total",
    "queries": "Without single queries",
    "reliability": "Reliability of the orders",
    "mean": "The orders by total and by mean",
}
_COLUMNS = {
    "targets": _targets,
    "runs": _runs,
    "neighbours": _neighbours,
    "queries": _queries,
    "reliability": _reliability_columns,
    "mean": _mean,
}


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _whole(values: Any) -> list[int | None]:
    return [int(value) if np.isfinite(value) else None for value in values]
