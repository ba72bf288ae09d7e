"""What a ranking depends on, as tables: targets, single queries, halves of the queries, the origin of the variance.

And how far it is the ranking by mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from biasvar_cli.analyses.influence import Influence
from biasvar_cli.analyses.reliability import Origin, Precision, SplitHalf
from biasvar_cli.analyses.sensitivity import TargetSensitivity, UnderTarget
from biasvar_cli.analyses.switching import SwitchPoints
from biasvar_cli.decomposition.target import Aim
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.table import KEYS, Note, Table, about, document_of, keyed, listed, records
from biasvar_cli.words import FORMS, RANKED, TOTAL, counted

KINDS = ("targets", "runs", "neighbours", "queries", "reliability", "mean")


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """All that is known of how one decomposition depends on its target and its queries."""

    aim: Aim
    targets: TargetSensitivity
    switches: SwitchPoints
    influence: Influence | None
    halves: SplitHalf
    precision: Precision
    origin: Origin
    has_teams: bool


def sensitivity_table(found: Sensitivity, kind: str) -> Table:
    """One of the tables `KINDS`; JSON has all of them."""
    tables = {name: _COLUMNS[name](found) for name in KINDS}
    scores, target = found.aim.scores, found.aim.target
    holds = {"low": _finite(found.switches.lowest), "high": _finite(found.switches.highest)}
    return Table(
        title=f"{_TITLES[kind]}: {about(scores.measure, target, scores.n_runs, scores.n_queries)}",
        columns=keyed(scores.measure, target, tables[kind]),
        keys=KEYS,
        notes=tuple(_NOTES[kind](found)),
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
        "under": [_name(each, found) for each in rows],
        "mean": [each.mean for each in rows],
        "tau": [each.score.kendall for each in rows],
        "tau_gap": [each.gap.kendall for each in rows],
        **{f"least_{TOTAL[form]}": [list(getattr(each, form).least) for each in rows] for form in FORMS},
    }


def _targets_notes(found: Sensitivity) -> list[Note]:
    low, high = found.switches.lowest, found.switches.highest
    bounds = [(words, value) for words, value in (("from {}", low), ("to {}", high)) if isfinite(value)]
    text = "The ranking by total in the score form is as it is for targets whose mean is "
    ranking = " ".join(words for words, _ in bounds) or "anything"
    return [
        Note(
            "tau, tau_gap: Kendall's tau-b of the ranking by total, or total_gap, with that under the target asked for"
        ),
        Note("leave-one-run-out: every run against the best of the others; the mean is that of these targets"),
        Note(text + ranking, tuple(value for _, value in bounds), signed=False),
        *_undefined_targets(found),
    ]


def _undefined_targets(found: Sensitivity) -> list[Note]:
    """Why a row, or the gap form, has no numbers."""
    notes = []
    if found.aim.target.scores is None:
        notes.append(Note("Undefined (-): a target that is a mean alone has no gap form"))
    gone = [_name(each, found) for each in found.targets.targets if each.mean != each.mean]
    if gone:
        notes.append(Note(f"Undefined (-): without the run, or its team, no run is left for {', '.join(gone)}"))
    if found.aim.scores.n_runs < LEAST_POINTS:
        notes.append(Note(f"No tau of {counted(found.aim.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed"))
    return notes


def _runs(found: Sensitivity) -> dict[str, list[Any]]:
    targets, switches, first = found.targets, found.switches, found.targets.targets[0]
    ranks = {_name(each, found): each for each in targets.targets}
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


def _runs_notes(found: Sensitivity) -> list[Note]:
    wanted, level = found.precision.wanted, found.precision.level
    notes = [
        Note(
            "bias_loro: bias against the best of the other runs; unique: what the target's mean would lose without it"
        ),
        *_team_notes(found),
        Note("switch_low, switch_high: the nearest means of the target at which this run changes places with another"),
        Note(
            "slope: how much the run's score changes with the mean score of a query over the pool, above 1 amplifies "
            "the track's difficulty; of_track: the share of its variance that this is, the rest is its own"
        ),
    ]
    text = f"needed: queries for which the {100 * level:g} % interval of var is exp(±{wanted:g}) times it; median "
    if found.precision.n_defined:
        notes.append(Note(text + f"{found.precision.median:.0f}, there are {found.aim.scores.n_queries}"))
    return notes


def _team_notes(found: Sensitivity) -> list[Note]:
    text = "bias_loto, team_unique: the same without the whole team of the run; - where no other team is left"
    return [Note(text)] if found.has_teams else []


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


def _neighbours_notes(found: Sensitivity) -> list[Note]:
    return [
        Note(
            "switch: the mean of the target, now {}, at which run and next have the same total",
            (found.switches.mean,),
            False,
        ),
        Note("before_perfect: whether that lies between the target's mean and 1"),
    ]


def _queries(found: Sensitivity) -> dict[str, list[Any]]:
    if found.influence is None:
        return {name: [] for name in ("query_id", "pearson", "shift", "pearson_gap", "target_mean", "least_total")}
    one, runs = found.influence, found.aim.scores.runs
    columns: dict[str, list[Any]] = {
        "query_id": list(one.queries),
        "pearson": one.pearson.tolist(),
        "shift": one.shift.tolist(),
        "pearson_gap": one.pearson_gap.tolist(),
        "target_mean": one.mean.tolist(),
        "least_total": [runs[index] for index in one.least.tolist()],
    }
    return {name: [column[index] for index in one.order] for name, column in columns.items()}


def _queries_notes(found: Sensitivity) -> list[Note]:
    if found.influence is None:
        return [Note("There is one query only, which cannot be left out")]
    columns = _queries(found)
    now = found.targets.targets[0].score.least
    changed = [query for query, run in zip(columns["query_id"], columns["least_total"], strict=True) if run not in now]
    return [
        Note(
            "Each row is the result without that query, those first that move r most; r of all is {}",
            (found.influence.whole,),
        ),
        Note(f"Without {counted(len(changed), 'query')} another run has the least total: {listed(changed) or 'none'}"),
    ]


def _reliability_columns(found: Sensitivity) -> dict[str, list[Any]]:
    return {"ranking": list(RANKED), "tau": [getattr(found.halves, name) for name in RANKED]}


def _reliability_notes(found: Sensitivity) -> list[Note]:
    halves = found.halves
    return [
        Note(
            f"tau: Kendall's tau-b between the rankings in two random halves of {counted(halves.half, 'query')}, the "
            f"mean of {counted(halves.n_splits, 'split')}; all queries together are more reliable than that"
        )
    ]


def _mean(found: Sensitivity) -> dict[str, list[Any]]:
    rows = found.targets.targets
    return {
        "under": [_name(each, found) for each in rows],
        "tau": [each.score.by_mean for each in rows],
        "tau_ap": [each.score.by_mean_ap for each in rows],
        "tau_gap": [each.gap.by_mean for each in rows],
        "tau_ap_gap": [each.gap.by_mean_ap for each in rows],
    }


def _mean_notes(found: Sensitivity) -> list[Note]:
    return [
        Note(
            "tau, tau_gap: Kendall's tau-b between the rankings by total, or total_gap, and by mean, the best run first"
        ),
        Note(
            "tau_ap, tau_ap_gap: tau_AP of the same rankings; what is in another order near the top of the ranking by "
            "total weighs most"
        ),
        *_undefined_targets(found),
    ]


_TITLES = {
    "targets": "The ranking under other targets",
    "runs": "What each run's place depends on",
    "neighbours": "Switch points of neighbours in the ranking by total",
    "queries": "Without single queries",
    "reliability": "Reliability of rankings",
    "mean": "The rankings by total and by mean",
}
_COLUMNS = {
    "targets": _targets,
    "runs": _runs,
    "neighbours": _neighbours,
    "queries": _queries,
    "reliability": _reliability_columns,
    "mean": _mean,
}
_NOTES = {
    "targets": _targets_notes,
    "runs": _runs_notes,
    "neighbours": _neighbours_notes,
    "queries": _queries_notes,
    "reliability": _reliability_notes,
    "mean": _mean_notes,
}


def _name(each: UnderTarget, found: Sensitivity) -> str:
    """A target as the user would ask for it, or what it leaves out."""
    if each.kind == "given":
        return found.aim.target.label
    return f"best:{each.quantile:g}" if each.kind == "quantile" else each.kind


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _whole(values: Any) -> list[int | None]:
    return [int(value) if np.isfinite(value) else None for value in values]
