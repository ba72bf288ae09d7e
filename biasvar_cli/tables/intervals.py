"""Confidence intervals beside a decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from biasvar_cli.analyses.intervals import Interval, Intervals
from biasvar_cli.analyses.r_intervals import CorrelationInterval, CorrelationIntervals
from biasvar_cli.tables.table import Extra, Note
from biasvar_cli.words import FORMS, QUANTITIES, counted

_SHOWN = ("bias2", "var", "total")
_REASONS = {
    "one-query": "one query has no spread",
    "mean-only": "the target is a mean alone",
    "no-variance": "the variance is 0",
    "one-query-has-all-variance": "without one query the variance is 0",
}
_NO_CORRELATION = {
    "mean-only": "the target is a mean alone",
    "undefined": "r is undefined",
    "few-teams": "there are fewer than three teams",
    "resamples-undefined": "r of most resamples is undefined",
}
_OVER = {
    "topics": "new queries of the same kind, the same runs",
    "runs": "new runs, the same queries and target",
    "teams": "new teams, the same queries and target",
    "both": "new queries and new runs or teams",
}


def interval_extra(found: Intervals, others: Sequence[CorrelationIntervals] = ()) -> Extra:
    """The ends of every interval as columns, and those of r, over queries and whatever else was asked for, as notes."""
    columns: dict[str, list[Any]] = {}
    for name in QUANTITIES:
        interval: Interval = getattr(found, name)
        columns[f"{name}_low"], columns[f"{name}_high"] = interval.low.tolist(), interval.high.tolist()
    shown = {f"{name}_{end}" for name in _SHOWN for end in ("low", "high")}
    level = f"{100 * found.level:g} % intervals (_low, _high)"
    how = f"{level} for new queries of the same kind and the best of the same runs: "
    rules = "percentiles, variances too" if found.method == "percentile" else "BCa, of variances log-jackknife-t"
    made = f"{counted(found.n_resamples, 'resample')} of the queries, seed {found.seed}"
    correlations = [found.correlation, *others]
    notes = [Note(f"{how}{rules}; {made}"), *_missing(found)]
    notes += [note for each in correlations for note in _correlation_notes(each)]
    return Extra(
        columns,
        frozenset(columns) - shown,
        tuple(notes),
        {
            "intervals": {
                "level": found.level,
                "resamples": found.n_resamples,
                "seed": found.seed,
                "method": found.method,
                "pearson": [
                    {"over": each.over, **{form: _ends(getattr(each, form)) for form in FORMS}} for each in correlations
                ],
            }
        },
    )


def _missing(found: Intervals) -> list[Note]:
    """Why an interval is not there, and for how many runs."""
    held: dict[str, dict[str, int]] = {}
    for name in QUANTITIES:
        reasons = Counter(reason for reason in getattr(found, name).reason if reason is not None)
        for reason, number in reasons.items():
            held.setdefault(reason, {})[name] = number
    return [
        Note(f"No interval of {', '.join(names)} for {counted(max(names.values()), 'run')}: {_REASONS[reason]}")
        for reason, names in held.items()
    ]


def _correlation_notes(found: CorrelationIntervals) -> list[Note]:
    notes = []
    for form in FORMS:
        each: CorrelationInterval = getattr(found, form)
        if each.reason is not None:
            notes.append(
                Note(f"No interval of r, {form} form, for {_OVER[found.over]}: {_NO_CORRELATION[each.reason]}")
            )
            continue
        left_out = f"; {counted(each.n_undefined, 'resample')} without r left out" if each.n_undefined else ""
        text = f"Pearson's r, {form} form: {{}} [{{}}, {{}}] for {_OVER[found.over]} ({each.rule}){left_out}"
        notes.append(Note(text, (each.estimate, each.low, each.high)))
    return notes


def _ends(each: CorrelationInterval) -> dict[str, Any]:
    return {"value": each.estimate, "low": each.low, "high": each.high, "method": each.rule}
