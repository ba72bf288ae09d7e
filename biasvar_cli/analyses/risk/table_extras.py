"""What options add to a table of risk: the decomposition, and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.analyses.risk.answer import RiskOfRuns
from biasvar_cli.analyses.risk.intervals import Ends, RiskIntervals
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.tables.table import Extra, Note, Table
from biasvar_cli.words import counted


def decomposition_extra(found: RiskOfRuns, result: Decomposition, ranks: Sequence[Correlations]) -> Extra:
    """bias², variance and total of every run; ``ranks`` correlate GeoRisk, of each alpha, with -total."""
    main, alphas = found.main_alpha, found.geo.alphas
    held = [
        {"alpha": alpha, "spearman": r.spearman, "kendall": r.kendall} for alpha, r in zip(alphas, ranks, strict=True)
    ]
    return Extra(
        {name: getattr(result, name).tolist() for name in ("bias2", "var", "total")},
        frozenset({"reward", "risk"}),
        document={"decomposition": {"target": result.target.label, "geo_risk_and_total": held}},
        second=(_agreement(f"geo_risk_{main:g}", result.target.label, ranks[alphas.index(main)]),),
    )


def _agreement(geo_risk: str, target: str, ranks: Correlations) -> Table:
    """How alike the orders by GeoRisk and by total are."""
    title = f"Order by {geo_risk} and order by total (target {target}): 1 the same, -1 reversed"
    columns: dict[str, list[Any]] = {"spearman": [ranks.spearman], "kendall": [ranks.kendall]}
    return Table(title, columns, signed=frozenset(columns))


def intervals_extra(found: RiskOfRuns, intervals: RiskIntervals) -> Extra:
    """The ends of the intervals of u_risk and geo_risk; people are shown those of the main alpha's u_risk."""
    columns: dict[str, list[Any]] = {}
    for name in ("u_risk", "geo_risk"):
        ends: tuple[Ends, ...] = getattr(intervals, name)
        for alpha, each in zip(found.geo.alphas, ends, strict=True):
            columns[f"{name}_{alpha:g}_low"] = each.low.tolist()
            columns[f"{name}_{alpha:g}_high"] = each.high.tolist()
    main = f"u_risk_{found.main_alpha:g}"
    level, made = f"{100 * intervals.level:g} %", f"{counted(intervals.n_resamples, 'resample')}, seed {intervals.seed}"
    missing = (Note("No intervals: one query has no spread."),) if found.risk.n_queries == 1 else ()
    rules = f"of u_risk by Student's t, of geo_risk by BCa ({made}); --columns shows those of geo_risk too."
    details = (Note(f"Intervals of {level} are for new queries of the same kind; {rules}"),)
    held = {
        "level": intervals.level,
        "resamples": intervals.n_resamples,
        "seed": intervals.seed,
        "u_risk": "t",
        "geo_risk": "bca",
    }
    return Extra(
        columns,
        frozenset({"ri", "reward", "risk", *columns} - {f"{main}_low", f"{main}_high"}),
        missing,
        {"intervals": held},
        details=() if missing else details,
        intervals={
            f"{name.removesuffix('_low')} {level}": (name, f"{name.removesuffix('low')}high")
            for name in columns
            if name.endswith("_low")
        },
    )
