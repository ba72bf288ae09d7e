"""Intervals, and the comparison with a baseline, in words: what they are of, why some are missing; tables of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.arrays import difference
from biasvar_cli.scoring.targets import best_run
from biasvar_cli.specs.limits import FEWEST_QUERIES
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance, population_variance
from biasvar_cli.tables.column import COEFFICIENTS
from biasvar_cli.tables.table import Table, best_baseline_note
from biasvar_cli.words import FORMS, QUANTITIES, QUERIES, QUERY, RUN, RUNS, Form, counted, in_nouns, listed, verb

if TYPE_CHECKING:
    from biasvar_cli.decomposition.baseline import Comparisons
    from biasvar_cli.decomposition.intervals import Intervals
    from biasvar_cli.decomposition.over_queries import CorrelationInterval

_REASONS = {  # of all runs
    "one-query": "one query has no spread",
    "few-clusters": f"at least {FEWEST_QUERIES} clusters are needed",
    "mean-only": "the target is a mean alone",
}
_NO_CORRELATION = {
    **_REASONS,
    "undefined": "r is undefined",
    "replicates": "there is none for systems of several runs",
    "clusters": "there is none for queries in clusters, but with --ci-method percentile",
    "few-queries": "at least {} queries are needed",
    "few-teams": "there are fewer than three teams",
    "resamples-undefined": "r of most resamples is undefined",
    "subsets-undefined": "without some of the queries it is undefined",
}
_CORRECTED = (
    "corrected: without the noise that the queries at hand add, which weakens or shifts a correlation; the interval is "
    "about that, and may leave out the correlation of these queries itself"
)
_ALL_NOISE = "; none (-) where this noise is all that the runs differ by"
_VARIANCES = {"var": "variance", "var_gap": "variance of target - score"}
_COMPARED = ("bias", "total", "total_gap", "var", "var_gap")


def percent(answer: DecomposeAnswer) -> str:
    """The level of the intervals as heads have it; empty where there are none."""
    return "" if answer.request.ci is None else f"{100 * answer.request.ci:g} %"


def interval_table(answer: DecomposeAnswer) -> Iterator[Table]:
    """The intervals of the correlations; nothing where there is not one."""
    rows = [row for row in _correlation_intervals(answer) if row[-1].reason is None]
    if not rows:
        return
    coefficients, forms, units, intervals = map(list, zip(*rows, strict=True))
    columns: dict[str, list[Any]] = {
        "for new": units,
        "form": forms,
        "coefficient": coefficients,
        "value": [interval.estimate for interval in intervals],
        **{name: [getattr(interval, name) for interval in intervals] for name in ("low", "high", "corrected")},
    }
    if all(interval.rule != "test-inversion" for interval in intervals):
        del columns["corrected"]
    yield Table(
        f"{percent(answer)} intervals of the correlations",
        columns,
        intervals={percent(answer): ("low", "high")},
        signed=frozenset({"value", "low", "high", "corrected"}),
    )


def interval_document(answer: DecomposeAnswer, intervals: Intervals) -> dict[str, Any]:
    """How the intervals were made, and those of each coefficient in both forms, over queries first."""
    document: dict[str, Any] = {
        "level": intervals.level,
        "resamples": intervals.n_resamples,
        "seed": intervals.seed,
        "method": intervals.method,
        **{name: [] for name in COEFFICIENTS},
    }
    for coefficient in answer.correlation_intervals:
        row: dict[str, Any] = {"over": coefficient.over}
        for form in FORMS:
            interval: CorrelationInterval = getattr(coefficient, form)
            ends = {"value": interval.estimate, "low": interval.low, "high": interval.high}
            row[form] = {**ends, "method": interval.rule, "corrected": interval.corrected}
        document[coefficient.coefficient].append(row)
    return document


def interval_notes(answer: DecomposeAnswer) -> Iterator[str]:
    """Which quantities and correlations have no interval, and why."""
    if answer.intervals is None:
        return

    from biasvar_cli.stats.attenuated import LEAST_QUERIES

    yield from _missing(answer, answer.intervals, QUANTITIES, "interval")
    missing: dict[str, list[str]] = {}
    for coefficient, form, units, interval in _correlation_intervals(answer):
        if interval.reason is not None:
            reason = in_nouns(_NO_CORRELATION[interval.reason], runs=False).format(LEAST_QUERIES)
            missing.setdefault(f"{form} form, for new {units}: {reason}", []).append(coefficient)
    for why, names in missing.items():
        yield f"No interval of {', '.join(names)}, {why}"


def baseline_notes(answer: DecomposeAnswer) -> Iterator[str]:
    """What the columns of the comparison with a baseline are, and which tests are missing."""
    if answer.compared is None:
        return
    baseline, n_runs = answer.compared.baseline, len(answer.compared.runs)
    family = f"all {RUNS}"
    if answer.is_top:
        family = f"all {n_runs * (n_runs - 1) // 2} pairs of {RUNS}, since {baseline} was chosen for its mean"
    elif best_run(answer.scores) == baseline:
        yield from best_baseline_note(baseline, n_runs)
    yield f"d_: minus {baseline}; ratio_: over {baseline}; _holm: p, adjusted for {family}"
    yield from _missing(answer, answer.compared, _COMPARED, "test", answer.compared.runs.index(baseline))


def interval_details(answer: DecomposeAnswer) -> Iterator[str]:
    """The rules of the intervals and of the comparison, what those of correlations left out, and what is corrected."""
    intervals, queries = answer.intervals, _queries_drawn(answer)
    if intervals is not None:
        how = "percentiles, variances too" if intervals.method == "percentile" else "BCa, of variances log-jackknife-t"
        yield (
            f"{percent(answer)} intervals of {RUNS}: for new {queries} of the same kind and the best of the same "
            f"{RUNS}: {how}; {counted(intervals.n_resamples, 'resample')} of the {queries}, seed {intervals.seed}"
        )
    rules: dict[str, dict[str, None]] = {}
    corrected = []
    for coefficient, form, units, interval in _correlation_intervals(answer):
        if interval.reason is not None:
            continue
        is_inverted = interval.rule == "test-inversion"
        rules.setdefault(interval.rule, {})[units] = None
        if is_inverted:
            corrected.append(interval.corrected)
        if interval.n_undefined:
            samples = counted(interval.n_undefined, "subset" if is_inverted else "resample")
            yield f"{coefficient}, {form} form, for new {units}: {samples} without a correlation left out"
    for rule, sorts in rules.items():
        yield f"Intervals of correlations for new {', '.join(sorts)}: {rule}"
    if corrected:
        yield in_nouns(f"{_CORRECTED}{_ALL_NOISE if any(map(isnan, corrected)) else ''}")
    if answer.compared is not None:
        yield (
            f"d_ has paired t tests over {queries} (d_total allows for the target's mean being that of these "
            f"{QUERIES}), ratio_ the jackknife of its logarithm; the intervals in csv and JSON are of "
            f"{100 * answer.compared.level:g} %"
        )


def _queries_drawn(answer: DecomposeAnswer) -> str:
    """What is drawn of the queries: these, or clusters of them."""
    return str(QUERIES) if answer.scores.clusters is None else f"clusters of {QUERIES}"


def _correlation_intervals(answer: DecomposeAnswer) -> list[tuple[str, Form, str, CorrelationInterval]]:
    """Every interval of a correlation, with its coefficient, its form and what is resampled for it."""
    queries = _queries_drawn(answer)
    both = f"{queries} and {RUNS}" if answer.teams is None else f"{queries} and teams"
    units = {"topics": queries, "runs": str(RUNS), "teams": "teams", "both": both}
    return [
        (intervals.coefficient, form, units[intervals.over], getattr(intervals, form))
        for intervals in answer.correlation_intervals
        for form in FORMS
    ]


def _missing(
    answer: DecomposeAnswer,
    results: Intervals | Comparisons,
    names: Sequence[str],
    what: str,
    baseline: int | None = None,
) -> Iterator[str]:
    """Why some quantities have no interval, or no test against the ``baseline``, each reason once."""
    reasons = {name: getattr(results, name).reason for name in names}
    for reason, why in _REASONS.items():
        counts = {name: by_run.count(reason) for name, by_run in reasons.items() if reason in by_run}
        if counts:
            yield f"No {what} of {', '.join(counts)} for {counted(max(counts.values()), 'run')}: {why}."
    for name in _VARIANCES:
        for reason in ("no-variance", "one-query-has-all-variance"):
            runs = [run for run, of_run in enumerate(reasons[name]) if of_run == reason]
            if runs:
                yield f"{_zero_variance(answer, name, reason, runs, baseline)}: no {what} of {name}."


def _zero_variance(answer: DecomposeAnswer, name: str, reason: str, runs: list[int], baseline: int | None) -> str:
    """The runs, or the baseline that they are compared with, whose variance is 0, or is so without some query."""
    scores, units, values = answer.scores, answer.scores.units, answer.scores.values
    if name == "var_gap":
        assert answer.target.scores is not None, "a target that is a mean alone has another reason"
        values = difference(answer.target.scores, values)
    if reason == "no-variance":
        var = population_variance(values) + (0.0 if scores.within is None else scores.within.mean(axis=1))
        named = [baseline] if baseline is not None and var[baseline] <= var[runs].min() else runs
        return f"The {_VARIANCES[name]} of {verb(len(named), str(RUN), str(RUNS))} {_names(answer, named)} is 0"
    of_replicates = 0.0 if scores.within is None else leave_one_out_mean(scores.within, units)
    left = leave_one_out_variance(values, units) + of_replicates
    named = [baseline] if baseline is not None and left[baseline].min() <= left[runs].min() else runs
    first = int(np.flatnonzero(units.of_query == left[named[0]].argmin())[0])
    query, one = f"{QUERY} {scores.queries[first]}", f"one {QUERY}"
    if not units.are_single:
        query, one = f"the cluster of {query}", "one cluster"
    others = f" (as without {one} that of {_names(answer, named[1:])})" if len(named) > 1 else ""
    return f"Without {query} the {_VARIANCES[name]} of {RUN} {_names(answer, named[:1])} is 0{others}"


def _names(answer: DecomposeAnswer, runs: Sequence[int]) -> str:
    return listed([answer.scores.runs[run] for run in runs], 3)
