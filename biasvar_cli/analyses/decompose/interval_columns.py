"""Confidence intervals beside a decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biasvar_cli.decomposition.intervals import Interval, Intervals
from biasvar_cli.decomposition.over_queries import CorrelationInterval
from biasvar_cli.decomposition.r_intervals import CorrelationIntervals
from biasvar_cli.stats.co_moments import LEAST_QUERIES
from biasvar_cli.tables.table import Extra, Note, Table
from biasvar_cli.words import COEFFICIENTS, FORMS, QUANTITIES, Coefficient, Form, counted

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
_CORRECTED = (
    "corrected: without the noise that the queries at hand add, which weakens or shifts a correlation; the interval is "
    "about that, and may leave out the correlation of these queries itself"
)
_ALL_NOISE = "; none (-) where this noise is all that the runs differ by"
_OVER = {
    "topics": "queries",
    "runs": "runs",
    "teams": "teams",
    "both": "queries and runs",
}


def interval_extra(found: Intervals, others: Sequence[CorrelationIntervals] = (), *, of_teams: bool = False) -> Extra:
    """The ends of every interval as columns, and those of correlations, over queries and others, as a small table.

    ``of_teams`` says that what is drawn beside queries are teams and not runs.
    """
    columns: dict[str, list[Any]] = {}
    for name in QUANTITIES:
        interval: Interval = getattr(found, name)
        columns[f"{name}_low"], columns[f"{name}_high"] = interval.low.tolist(), interval.high.tolist()
    shown = {f"{name}_{end}" for name in _SHOWN for end in ("low", "high")}
    percent = f"{100 * found.level:g} %"
    correlations = [found.correlation, *found.ranks, *others]
    over = _OVER | ({"both": "queries and teams"} if of_teams else {})
    return Extra(
        columns,
        frozenset(columns) - shown,
        notes=(*_missing(found), *_without(correlations, over)),
        document={
            "intervals": {
                "level": found.level,
                "resamples": found.n_resamples,
                "seed": found.seed,
                "method": found.method,
                **{name: _documents(name, correlations) for name in COEFFICIENTS},
            }
        },
        details=(_how(found, percent), *_details(correlations, over)),
        second=_table(correlations, percent, over),
        intervals={f"{name} {percent}": (f"{name}_low", f"{name}_high") for name in _SHOWN},
    )


def _how(found: Intervals, percent: str) -> Note:
    rules = "percentiles, variances too" if found.method == "percentile" else "BCa, of variances log-jackknife-t"
    made = f"{counted(found.n_resamples, 'resample')} of the queries, seed {found.seed}"
    return Note(
        f"{percent} intervals of runs: for new queries of the same kind and the best of the same runs: {rules}; {made}"
    )


def _table(correlations: Sequence[CorrelationIntervals], percent: str, over: Mapping[str, str]) -> tuple[Table, ...]:
    """The intervals of the correlations as a small table; none where there is not one."""
    rows = [
        (over[found.over], form, found.coefficient, each.estimate, each.low, each.high, each.corrected)
        for found, form, each in _each(correlations)
        if each.reason is None
    ]
    if not rows:
        return ()
    names = ("for new", "form", "coefficient", "value", "low", "high", "corrected")
    columns = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    if all(value is None or value != value for value in columns["corrected"]) and not _inverted(correlations):
        del columns["corrected"]
    title = f"{percent} intervals of the correlations"
    return (Table(title, columns, intervals={percent: ("low", "high")}, signed=_SIGNED),)


_SIGNED = frozenset({"value", "low", "high", "corrected"})


def _each(
    correlations: Sequence[CorrelationIntervals],
) -> Iterator[tuple[CorrelationIntervals, Form, CorrelationInterval]]:
    """Every interval with its coefficient and form."""
    for found in correlations:
        for form in FORMS:
            yield found, form, getattr(found, form)


def _inverted(correlations: Sequence[CorrelationIntervals]) -> list[CorrelationInterval]:
    """The intervals that know the correlation without the noise of the queries."""
    return [each for _, __, each in _each(correlations) if each.reason is None and each.rule == "test-inversion"]


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


def _without(correlations: Sequence[CorrelationIntervals], over: Mapping[str, str]) -> list[Note]:
    """Which correlations have no interval, and why."""
    missing: dict[str, list[str]] = {}
    for found, form, each in _each(correlations):
        if each.reason is not None:
            why = f"{form} form, for new {over[found.over]}: {_NO_CORRELATION[each.reason]}"
            missing.setdefault(why, []).append(found.coefficient)
    return [Note(f"No interval of {', '.join(names)}, {why}") for why, names in missing.items()]


def _details(correlations: Sequence[CorrelationIntervals], over: Mapping[str, str]) -> list[Note]:
    """The rules of the intervals of correlations, what they left out, and what is corrected."""
    rules: dict[str, list[str]] = {}
    notes = []
    for found, form, each in _each(correlations):
        if each.reason is not None:
            continue
        rules.setdefault(each.rule, []).append(over[found.over])
        if each.n_undefined:
            kind = "subset" if each.rule == "test-inversion" else "resample"
            what = f"{found.coefficient}, {form} form, for new {over[found.over]}"
            notes.append(Note(f"{what}: {counted(each.n_undefined, kind)} without a correlation left out"))
    for rule, names in rules.items():
        notes.append(Note(f"Intervals of correlations for new {', '.join(dict.fromkeys(names))}: {rule}"))
    inverted = _inverted(correlations)
    unknown = _ALL_NOISE if any(each.corrected != each.corrected for each in inverted) else ""
    return [*notes, Note(_CORRECTED + unknown)] if inverted else notes


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
