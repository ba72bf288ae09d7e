"""What options add to a table of query models: intervals, a baseline, and families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biasvar_cli.decomposition.baseline import Compared, Comparisons
from biasvar_cli.decomposition.intervals import Intervals
from biasvar_cli.query_models.estimation import Sum
from biasvar_cli.scoring.families import Family
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.table import Extra, Note, Table, plain, records
from biasvar_cli.words import COEFFICIENTS, counted

_PARTS = {"": "value", "_low": "low", "_high": "high", "_p": "p", "_holm": "p_holm"}


def intervals_extra(found: Intervals, sum_: Sum) -> Extra:
    """The ends of the intervals of every quantity as columns, and those of the correlations as a small table."""
    names = [name for name in ("bias", "bias2", "var", "total") if sum_ == "squared" or name != "total"]
    columns: dict[str, list[Any]] = {}
    for name in names:
        for end in ("low", "high"):
            columns[f"{name}_est_{end}"] = getattr(getattr(found, name), end).tolist()
    level = f"{100 * found.level:g} %"
    correlation = [
        {"coefficient": each.coefficient, **{part: getattr(each.score, part) for part in ("estimate", "low", "high")}}
        for each in (found.correlation, *found.ranks)
    ]
    how = f"{level} intervals for new queries of the same kind: BCa, of variances log-jackknife-t"
    made = f"{counted(found.n_resamples, 'resample')} of the queries, seed {found.seed}"
    return Extra(
        columns,
        hidden=frozenset(("bias2_est_low", "bias2_est_high")),
        details=(Note(f"{how}; {made}"),),
        intervals={f"{name}_est {level}": (f"{name}_est_low", f"{name}_est_high") for name in names},
        second=(_correlation_intervals(correlation, level),) if any(map(_has_ends, correlation)) else (),
        document={
            "intervals": {
                "level": found.level,
                "resamples": found.n_resamples,
                "seed": found.seed,
                "tradeoff": {each.pop("coefficient"): each for each in map(dict, correlation)},
            }
        },
    )


def _has_ends(row: dict[str, Any]) -> bool:
    return bool(row["low"] == row["low"])


def _correlation_intervals(rows: Sequence[dict[str, Any]], level: str) -> Table:
    columns = {name: [row[name] for row in rows] for name in ("coefficient", "estimate", "low", "high")}
    note = "The interval is about the correlation without the noise that these queries add; it may leave this one out"
    return Table(
        "Intervals of the correlations",
        columns,
        notes=(Note(note),),
        intervals={level: ("low", "high")},
        signed=frozenset(("estimate", "low")),
    )


def below_of(found: Comparisons) -> tuple[list[str], list[str]]:
    """The models with less bias and less variance than the baseline; and those of them whose intervals both say so."""
    below = (found.bias.value < 0) & (found.var.value < 1)
    certain = below & (found.bias.high < 0) & (found.var.high < 1)
    names = np.array(found.runs, dtype=object)
    return names[below].tolist(), names[certain].tolist()


def baseline_extra(found: Comparisons, sum_: Sum) -> Extra:
    """Every model beside the baseline, with intervals: differences of bias and total, ratios of variances."""
    columns: dict[str, list[Any]] = {}
    kinds = {"bias": "d_bias_est", "total": "d_total_est", "var": "ratio_var_est"}
    for name, head in kinds.items():
        compared: Compared = getattr(found, name)
        if name != "total" or sum_ == "squared":
            columns |= {f"{head}{suffix}": getattr(compared, part).tolist() for suffix, part in _PARTS.items()}
    below, certain = below_of(found)
    return Extra(
        columns,
        hidden=frozenset(columns),
        details=(
            Note(
                "d_: a model's value minus the baseline's (paired t tests over queries); ratio_: its variance over the "
                "baseline's (jackknife of the logarithm); _holm: p adjusted for all models"
            ),
        ),
        notes=() if below else (Note(f"No model has less bias² and less variance than {plain(found.baseline)}"),),
        second=(_below_table(found, columns, below, certain),) if below else (),
        document={
            "baseline": {"model": found.baseline, "level": found.level, "below": below, "below_by_interval": certain}
        },
    )


def _below_table(found: Comparisons, columns: dict[str, list[Any]], below: list[str], certain: list[str]) -> Table:
    """The models with less of both than the baseline, with the intervals of both."""
    at, level = [found.runs.index(name) for name in below], f"{100 * found.level:g} %"
    wanted = [f"{head}{end}" for head in ("d_bias_est", "ratio_var_est") for end in ("", "_low", "_high")]
    n_others = len(found.runs) - 1
    few = f"{len(below)} of {counted(n_others, 'model')}" if n_others != len(below) else f"all {n_others} models"
    title = f"Less bias² and less variance than {found.baseline}: {few}; {len(certain)} with both intervals beyond it"
    return Table(
        title,
        {
            "model": below,
            **{name: [columns[name][index] for index in at] for name in wanted},
            "both": [name in certain for name in below],
        },
        intervals={
            f"d_bias {level}": ("d_bias_est_low", "d_bias_est_high"),
            f"ratio_var {level}": ("ratio_var_est_low", "ratio_var_est_high"),
        },
        signed=frozenset(("d_bias_est", "d_bias_est_low")),
    )


def families_extra(found: Sequence[Family], baseline: str | None, certain: Sequence[str], n_models: int) -> Extra:
    """The correlation within each family, and its members with less of both than the baseline."""
    columns: dict[str, list[Any]] = {
        "family": [family.name for family in found],
        "n_models": [len(family.members) for family in found],
        **{name: [getattr(family.rows[0].correlations, name) for family in found] for name in COEFFICIENTS},
    }
    if baseline is not None:
        below = [family.below_score or () for family in found]
        columns |= {
            "n_below": [len(each) for each in below],
            "by_interval": [sum(name in certain for name in each) for each in below],
            "below": [list(each) for each in below],
        }
    alone = n_models - sum(len(family.members) for family in found)
    notes = [Note(f"below: less bias² and less variance than {baseline}; by_interval: with both intervals beyond it")]
    details = [Note(f"None (-) of fewer than {LEAST_POINTS} members")]
    details += [Note(f"{counted(alone, 'model')} in no family")] if alone else []
    rows = [{**row, "members": list(family.members)} for row, family in zip(records(columns), found, strict=True)]
    table = Table(
        "Correlation of bias² and variance within families",
        columns,
        notes=tuple(notes) if baseline is not None else (),
        details=tuple(details),
        signed=frozenset(COEFFICIENTS),
    )
    return Extra(second=(table,), document={"families": rows})
