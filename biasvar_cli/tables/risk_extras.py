"""What options add to a table of risk: the decomposition, and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.analyses.risk_intervals import Ends, RiskIntervals
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.tables.risk import RiskOfRuns
from biasvar_cli.tables.table import Extra, Note, plain
from biasvar_cli.words import counted


def decomposition_extra(found: RiskOfRuns, result: Decomposition, ranks: Sequence[Correlations]) -> Extra:
    """bias², variance and total of every run; ``ranks`` correlate GeoRisk, of each alpha, with -total."""
    main, alphas = found.main_alpha, found.geo.alphas
    shown = ranks[alphas.index(main)]
    text = (
        f"Order by geo_risk_{main:g} and order by total (target {plain(result.target.label)}): Spearman {{}}, "
        "Kendall {}; 1 is the same order"
    )
    held = [
        {"alpha": alpha, "spearman": r.spearman, "kendall": r.kendall} for alpha, r in zip(alphas, ranks, strict=True)
    ]
    return Extra(
        {name: getattr(result, name).tolist() for name in ("bias2", "var", "total")},
        frozenset({"reward", "risk"}),
        (Note(text, (shown.spearman, shown.kendall)),),
        {"decomposition": {"target": result.target.label, "geo_risk_and_total": held}},
    )


def intervals_extra(found: RiskOfRuns, intervals: RiskIntervals) -> Extra:
    """The ends of the intervals of u_risk and geo_risk; people are shown those of the main alpha's u_risk."""
    columns: dict[str, list[Any]] = {}
    for name in ("u_risk", "geo_risk"):
        ends: tuple[Ends, ...] = getattr(intervals, name)
        for alpha, each in zip(found.geo.alphas, ends, strict=True):
            columns[f"{name}_{alpha:g}_low"] = each.low.tolist()
            columns[f"{name}_{alpha:g}_high"] = each.high.tolist()
    main = f"u_risk_{found.main_alpha:g}"
    made = f"{counted(intervals.n_resamples, 'resample')}, seed {intervals.seed}"
    how = f"{100 * intervals.level:g} % intervals for new queries of the same kind"
    notes = [Note(f"_low, _high: {how}; of u_risk by Student's t, of geo_risk by BCa ({made})")]
    if found.risk.n_queries == 1:
        notes = [Note("No intervals: one query has no spread")]
    held = {
        "level": intervals.level,
        "resamples": intervals.n_resamples,
        "seed": intervals.seed,
        "u_risk": "t",
        "geo_risk": "bca",
    }
    hidden = frozenset({"reward", "risk", *columns} - {f"{main}_low", f"{main}_high"})
    return Extra(columns, hidden, tuple(notes), {"intervals": held})
