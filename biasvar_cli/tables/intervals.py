"""Confidence intervals beside a decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from biasvar_cli.analyses.intervals import Interval, Intervals
from biasvar_cli.analyses.over_queries import CorrelationInterval
from biasvar_cli.analyses.r_intervals import CorrelationIntervals
from biasvar_cli.stats.co_moments import LEAST_QUERIES
from biasvar_cli.tables.table import Extra, Note
from biasvar_cli.words import COEFFICIENTS, FORMS, QUANTITIES, Coefficient, counted

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
    "few-queries": f"at least {LEAST_QUERIES} queries are needed",
    "few-teams": "there are fewer than three teams",
    "resamples-undefined": "r of most resamples is undefined",
    "subsets-undefined": "without some of the queries it is undefined",
}
_COEFFICIENTS: dict[Coefficient, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau",
}
_CORRECTED = (
    "corrected: without the noise that the queries at hand add, which weakens or shifts a correlation; the interval is "
    "about that, and may leave out the correlation of these queries itself"
)
_ALL_NOISE = "; none (-) where this noise is all that the runs differ by"
_OVER = {
    "topics": "new queries of the same kind, the same runs",
    "runs": "new runs, the same queries and target",
    "teams": "new teams, the same queries and target",
    "both": "new queries and new runs or teams",
}


def interval_extra(found: Intervals, others: Sequence[CorrelationIntervals] = ()) -> Extra:
    """The ends of every interval as columns, and those of correlations, over queries and other things, as notes."""
    columns: dict[str, list[Any]] = {}
    for name in QUANTITIES:
        interval: Interval = getattr(found, name)
        columns[f"{name}_low"], columns[f"{name}_high"] = interval.low.tolist(), interval.high.tolist()
    shown = {f"{name}_{end}" for name in _SHOWN for end in ("low", "high")}
    level = f"{100 * found.level:g} % intervals (_low, _high)"
    how = f"{level} for new queries of the same kind and the best of the same runs: "
    rules = "percentiles, variances too" if found.method == "percentile" else "BCa, of variances log-jackknife-t"
    made = f"{counted(found.n_resamples, 'resample')} of the queries, seed {found.seed}"
    correlations = [found.correlation, *found.ranks, *others]
    notes = [Note(f"{how}{rules}; {made}"), *_missing(found)]
    notes += _correlation_notes(correlations)
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
                **{name: _documents(name, correlations) for name in COEFFICIENTS},
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


def _correlation_notes(correlations: Sequence[CorrelationIntervals]) -> list[Note]:
    notes, missing, corrected = [], dict[str, list[str]](), list[float]()
    for found in correlations:
        for form in FORMS:
            each: CorrelationInterval = getattr(found, form)
            name, over = _COEFFICIENTS[found.coefficient], _OVER[found.over]
            if each.reason is not None:
                missing.setdefault(f"{form} form, for {over}: {_NO_CORRELATION[each.reason]}", []).append(name)
                continue
            inverted = each.rule == "test-inversion"
            left_out = f"; {counted(each.n_undefined, 'subset' if inverted else 'resample')} without r left out"
            text = f"{name}, {form} form: {{}} [{{}}, {{}}]{', corrected {},' * inverted} for {over} ({each.rule})"
            values = (each.estimate, each.low, each.high, *([each.corrected] if inverted else []))
            notes.append(Note(text + left_out * (each.n_undefined > 0), values))
            corrected += [each.corrected] * inverted
    notes += [Note(f"No interval of {', '.join(names)}, {why}") for why, names in missing.items()]
    unknown = _ALL_NOISE if any(value != value for value in corrected) else ""
    return [*notes, Note(_CORRECTED + unknown)] if corrected else notes


def _documents(coefficient: Coefficient, correlations: Sequence[CorrelationIntervals]) -> list[dict[str, Any]]:
    """What JSON holds of one coefficient: its intervals in both forms, over queries first."""
    return [
        {"over": each.over, **{form: _ends(getattr(each, form)) for form in FORMS}}
        for each in correlations
        if each.coefficient == coefficient
    ]


def _ends(each: CorrelationInterval) -> dict[str, Any]:
    ends = {"value": each.estimate, "low": each.low, "high": each.high, "method": each.rule}
    return {**ends, "corrected": each.corrected}
