"""What the text says of a decomposition: rows, logarithms, intervals, the comparison with a baseline, stability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from statistics import median, pstdev
from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.arrays import FloatArray, difference, equalised, in_order, is_below, is_least, ranks
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.scores import in_unit
from biasvar_cli.scoring.targets import best_run, log_transform
from biasvar_cli.specs import FEWEST_QUERIES, LEVEL, is_significant
from biasvar_cli.stats.correlation import LEAST_POINTS, kendall
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance, population_variance
from biasvar_cli.tables.null import gap_notes, null_note, one_run_notes
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.row_notes import order_details
from biasvar_cli.tables.table import CLOSE, UNRELATED, below, best_baseline_note, listed, minus, relation
from biasvar_cli.tables.view import top_note
from biasvar_cli.words import (
    COEFFICIENTS,
    FORMS,
    QUANTITIES,
    QUERIES,
    QUERY,
    RUN,
    RUNS,
    TOTAL,
    Form,
    counted,
    either,
    in_nouns,
    verb,
)

if TYPE_CHECKING:
    from biasvar_cli.decomposition.baseline import Comparisons
    from biasvar_cli.decomposition.intervals import CorrelationIntervals, Intervals
    from biasvar_cli.decomposition.over_queries import CorrelationInterval
    from biasvar_cli.nulls.models import Null
    from biasvar_cli.nulls.statistic import Stability

ONE_REPLICATE = (
    "total is the mean squared error of one run of a system, drawn at random. As an estimate for all runs that a "
    "system might have, var_replicates is too small by the factor (runs - 1) / runs on average, and var_queries is too "
    "large by var_replicates / (runs - 1) - sd_replicates² / runs; neither is corrected."
)
OF_SYSTEMS = (
    "var = var_queries (of a system's mean scores over queries) + var_replicates (of its runs on a query, mean over "
    "queries); sd_replicates: of the means of its runs. - : a system of one run."
)
_LOW_SCORES = "low scores vary little"  # why runs that are below the median mean are on a front
_NAMED = 4  # runs of the Pareto front
_REASONS = {  # of all runs
    "one-query": "one query has no spread",
    "few-clusters": f"at least {FEWEST_QUERIES} clusters are needed",
    "mean-only": "the target is a mean alone",
}
_NO_CORRELATION = {
    "mean-only": "the target is a mean alone",
    "undefined": "r is undefined",
    "replicates": "there is none for systems of several runs",
    "clusters": "there is none for queries in clusters, but with --ci-method percentile",
    "few-queries": "at least {} queries are needed",
    "few-clusters": f"at least {FEWEST_QUERIES} clusters are needed",
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


def verdict_notes(answer: DecomposeAnswer, forms: Sequence[Form]) -> Iterator[str]:
    """The least total, in the first of the forms that are shown, the ranking by it and by mean, and the tradeoff."""
    yield _least_note(answer.result, forms[0])
    if len(answer.result.runs) > 1:
        yield from _ranking_notes(answer.result)
    yield from _replicate_notes(answer.result)
    if len(answer.result.runs) >= LEAST_POINTS:
        yield null_note(answer.rows[0], answer.null)
        yield from one_run_notes(answer.result, answer.rows[0], answer.null)
        if answer.null is not None and "gap" in forms:
            yield from gap_notes(answer.rows[1], answer.null)


def _least_note(result: Decomposition, form: Form) -> str:
    """The run of the least total of a form, and the next one or the best by mean."""
    total: FloatArray = getattr(result, TOTAL[form])
    if np.isnan(total[0]):
        return f"No total of the gap form: the target has no score per {QUERY}."
    order, rank = in_order(total, result.runs), ranks(total)
    first = [run for run in order if rank[run] == 1]
    of_gap = " of the gap form" if form == "gap" else ""
    text = f"Least total error{of_gap}: {_names(result, first)} ({num(total[order[0]])})"
    best = np.flatnonzero(is_least(-result.mean)).tolist()
    rest = [run for run in order if run not in first]
    if not rest:
        return f"{text}."
    if set(best) & set(first):
        which = "which has" if len(first) == 1 else "which have" if set(best) >= set(first) else "one of which has"
        return f"{text}, {which} the best mean too; next {_names(result, rest[:1])} ({num(total[rest[0]])})."
    mean = num(in_unit(float(result.mean[best[0]]), result.better))
    by_total = f", rank {rank[best[0]]} by total" if len(best) == 1 else ""
    return f"{text}. Best mean: {_names(result, best)} ({mean}){by_total}."


def _names(result: Decomposition, runs: Sequence[int]) -> str:
    return listed([result.runs[run] for run in runs], 3)


def _ranking_notes(result: Decomposition) -> Iterator[str]:
    """How far the ranking by total is that by mean and, where it is not close to it, why."""
    tau = float(kendall(result.total, result.bias))
    if isnan(tau):
        return
    tau_words = num(tau, 2, signed=relation(tau) != CLOSE)
    text = f"Ranking by total {relation(tau)} ranking by mean (Kendall's tau {tau_words})"
    if relation(tau) == CLOSE:
        yield f"{text}."
        return
    caution = f"{either('--sort -mean ranks by mean', 'see the column mean')}."
    with_mean = float(kendall(result.mean, result.var))
    if with_mean > 0 and relation(with_mean) != UNRELATED:
        rises = "rises" if result.better == "more" else "falls"
        with_mean_words = f"variance {rises} with the mean (Kendall's tau {num(with_mean, 2)})"
        caution = f"Here {with_mean_words}, so a low total need not mean a good {RUN}: {caution}"
    yield f"{text}, because {_reason(result)}. {caution}"


def _reason(result: Decomposition) -> str:
    """Why the ranking by total is not that by mean."""
    above = int((equalised(result.bias) < 0).sum())
    if above and relation(float(kendall(result.bias2, result.bias))) != CLOSE:
        higher, has = "higher" if result.better == "more" else "lower", verb(above, "has", "have")
        return f"{counted(above, 'run')} {has} a {higher} mean than the target, and bias² counts that as an error too"
    var, bias2 = (pstdev(values.tolist()) for values in (result.var, result.bias2))
    if var > bias2:
        return f"the {RUNS} differ more in variance (standard deviation {num(var, 4)}) than in bias² ({num(bias2, 4)})"
    return f"differences in variance (standard deviation {num(var, 4)}) add to those in bias² ({num(bias2, 4)})"


def _replicate_notes(result: Decomposition) -> Iterator[str]:
    """How much of the variance of the systems is between their replicates, the least and the most."""
    parts = result.parts
    if parts is None:
        return
    share = np.divide(parts.replicates, result.var, out=np.full(len(result.runs), np.nan), where=result.var > 0)
    known = sorted(np.flatnonzero(np.isfinite(share)).tolist(), key=lambda row: (share[row], result.runs[row]))
    if not known:
        return
    ends = known if len(known) < 3 else [known[0], known[-1]]
    percents = [_percent(float(share[row])) for row in ends]
    words = percents[0]
    if len(set(percents)) > 1:
        words = " to ".join(f"{percent} ({_names(result, [row])})" for percent, row in zip(percents, ends, strict=True))
    largest = max(known, key=lambda row: (parts.sd[row], -row))
    yield (
        f"Replicates account for {words} of the variance of a system; the means of its runs have a standard deviation "
        f"of up to {num(parts.sd[largest])} ({_names(result, [largest])})."
    )


def _percent(share: float) -> str:
    """A share in words; 0 % is exactly 0.

    >>> _percent(0.0), _percent(0.001), _percent(0.126)
    ('0 %', 'less than 1 %', '13 %')
    """
    return "less than 1 %" if 0 < share < 0.005 else f"{round(100 * share)} %"


def run_notes(answer: DecomposeAnswer, forms: Sequence[Form], on_front: list[str], top: int | None) -> Iterator[str]:
    """The lines under the runs; ``on_front`` are those on the Pareto front, of which ``top`` rows are shown."""
    n_runs, better = len(answer.result.runs), answer.better
    over = f"over {QUERIES}" if answer.result.parts is None else f"over {QUERIES} and the runs of a system"
    bias = minus("target mean", "mean", better)
    yield f"bias: {bias}; var: variance {over}; total: bias² + var. Low scores have low var."
    if "gap" in forms:
        yield f"var_gap: variance of {minus('target', 'score', better)} over the {QUERIES}. total_gap: bias² + var_gap."
    if n_runs >= LEAST_POINTS:
        yield from _correlation_notes(answer, forms)
    if n_runs > 1:
        front = f"Pareto front (no {RUN} has less of both): {_front_words(answer, on_front)}"
        yield " ".join([*top_note(top, n_runs, "run"), front])
    yield from log_notes(answer)[0]
    if answer.request.weights is not None:
        yield "total_w: {:g} bias² + {:g} var".format(*answer.request.weights)
    if answer.intervals is not None:
        yield from _missing(answer, answer.intervals, QUANTITIES, "interval")
    yield from _no_correlation_intervals(answer)
    if answer.compared is not None:
        baseline, n_runs = answer.compared.baseline, len(answer.compared.runs)
        family = f"all {RUNS}"
        if answer.is_top:
            family = f"all {n_runs * (n_runs - 1) // 2} pairs of {RUNS}, since {baseline} was chosen for its mean"
        elif best_run(answer.targeted.scores) == baseline:
            yield from best_baseline_note(baseline, n_runs)
        yield f"d_: minus {baseline}; ratio_: over {baseline}; _holm: p, adjusted for {family}"
        yield from _missing(answer, answer.compared, _COMPARED, "test")


def _correlation_notes(answer: DecomposeAnswer, forms: Sequence[Form]) -> Iterator[str]:
    """The three correlations of the papers, of each form that is shown."""
    for row in answer.rows:
        if row.form in forms and not isnan(row.correlations.pearson):
            pearson, spearman, kendall = (num(getattr(row.correlations, name), signed=True) for name in COEFFICIENTS)
            over = f"{'variance' if row.form == 'score' else 'var_gap'} over {len(answer.result.runs)} {RUNS}"
            yield f"Correlation of bias² and {over}: Pearson {pearson}, Spearman {spearman}, Kendall {kendall}"


def _front_words(answer: DecomposeAnswer, on_front: list[str]) -> str:
    """The runs on the Pareto front; where some are below the median mean, those from it upwards."""
    result = answer.result
    low_runs = is_below(result.mean, median(result.mean.tolist()))
    of_low_mean = {run for run, is_low in zip(result.runs, low_runs, strict=True) if is_low}
    high = [run for run in on_front if run not in of_low_mean]
    if len(high) == len(on_front):
        return listed(high, _NAMED)
    why = f" ({_LOW_SCORES})" if result.better == "more" else ""
    low = f"{counted(len(on_front) - len(high), 'run')} {below(result.better)} the median mean{why}"
    return f"{listed(high, _NAMED)}, and {low}" if high else low


def run_details(answer: DecomposeAnswer, on_front: list[str]) -> Iterator[str]:
    """What ``--notes full`` adds under the runs."""
    yield "var has divisor n (population)"
    yield f"All of the Pareto front: {listed(on_front, 999)}"
    yield from log_notes(answer)[1]
    yield from _interval_details(answer)
    if answer.compared is not None:
        queries = queries_drawn(answer)
        yield (
            f"d_ has paired t tests over {queries} (d_total allows for the target's mean being that of these "
            f"{QUERIES}), ratio_ the jackknife of its logarithm; the intervals in csv and JSON are of "
            f"{100 * answer.compared.level:g} %"
        )
    yield from order_details(answer.halves)
    if answer.request.stability and answer.null is not None:
        yield from _stability_details(answer.null)


def log_notes(answer: DecomposeAnswer) -> tuple[list[str], list[str]]:
    """What a log transform did to the scores, and how much depends on its constant: for everybody, and as details.

    Everybody is told of a constant that decides, which is so where another run has the least total with ten times it.
    """
    transform, other, result = log_transform(answer.request), answer.coarser, answer.result
    if transform is None or other is None:
        return [], []
    values, eps = answer.scored.scores.in_unit.of_single_runs, transform.eps
    inner = f"max(score, {eps:g})" if transform.form == "floor" else f"score + {eps:g}"
    logarithms = f"Scores are ln({inner}); {int((values < eps).sum())} of {values.size} scores lie below {eps:g}"
    geometric = f"mean: the log of the geometric mean of {inner}"
    least, least_other = (np.flatnonzero(is_least(errors.total)).tolist() for errors in (result, other))
    same = [run for run in least_other if run in least]
    changed, total = f"With {10 * eps:g} in place of {eps:g}, the least total", num(other.total.min())
    if same:
        return [logarithms], [f"{changed} is still that of {_names(other, same)}, {total}", geometric]
    return [logarithms, f"{changed} would be that of {_names(other, least_other)}, {total}"], [geometric]


def undefined_notes(answer: DecomposeAnswer, forms: Sequence[Form]) -> Iterator[str]:
    """Why there is no correlation, once for all forms that are shown without one."""
    result = answer.result
    missing = [row.form for row in answer.rows if row.form in forms and isnan(row.correlations.pearson)]
    if missing and len(result.runs) < LEAST_POINTS:
        yield f"No correlation over {counted(len(result.runs), 'run')}: at least {LEAST_POINTS} are needed"
        return
    if result.target.scores is None and "gap" in missing:
        missing.remove("gap")
        yield f"No gap form: the target is a mean alone, without a score per {QUERY}"
    if len(missing) == 1:
        yield f"{missing[0].capitalize()} form: no correlation: bias² or variance is the same for every {RUN}"
    elif missing:
        yield f"No correlation: bias² or variance is the same for every {RUN}"


def known_intervals(answer: DecomposeAnswer) -> Iterator[tuple[CorrelationIntervals, Form, CorrelationInterval]]:
    """Every interval of a correlation that is defined, with its coefficient and form."""
    return (row for row in _correlation_intervals(answer) if row[-1].reason is None)


def queries_drawn(answer: DecomposeAnswer) -> str:
    """What is drawn of the queries: these, or clusters of them."""
    return str(QUERIES) if answer.targeted.scores.clusters is None else f"clusters of {QUERIES}"


def redrawn(answer: DecomposeAnswer, coefficient: CorrelationIntervals) -> str:
    """What is resampled for an interval of a correlation: queries, runs, teams or both."""
    queries = queries_drawn(answer)
    both = f"{queries} and {RUNS}" if answer.teams is None else f"{queries} and teams"
    return {"topics": queries, "runs": str(RUNS), "teams": "teams", "both": both}[coefficient.over]


def _correlation_intervals(
    answer: DecomposeAnswer,
) -> Iterator[tuple[CorrelationIntervals, Form, CorrelationInterval]]:
    coefficients = answer.correlation_intervals
    return ((coefficient, form, getattr(coefficient, form)) for coefficient in coefficients for form in FORMS)


def _missing(
    answer: DecomposeAnswer, results: Intervals | Comparisons, names: tuple[str, ...], what: str
) -> Iterator[str]:
    """Why some quantities have no interval or test, each reason once."""
    reasons = {name: getattr(results, name).reason for name in names}
    for reason, why in _REASONS.items():
        counts = {name: by_run.count(reason) for name, by_run in reasons.items() if reason in by_run}
        if counts:
            yield f"No {what} of {', '.join(counts)} for {counted(max(counts.values()), 'run')}: {why}."
    compared = answer.compared if results is answer.compared else None
    baseline = None if compared is None else compared.runs.index(compared.baseline)
    for name in ("var", "var_gap"):
        runs = [run for run, reason in enumerate(reasons[name]) if reason == "no-variance"]
        if runs:
            yield f"{_without_variance(answer, name, runs, baseline)} is 0: no {what} of {name}."
        runs = [run for run, reason in enumerate(reasons[name]) if reason == "one-query-has-all-variance"]
        if runs:
            yield f"{_without_query(answer, name, runs, baseline)}: no {what} of {name}."


def _without_variance(answer: DecomposeAnswer, name: str, runs: list[int], baseline: int | None) -> str:
    """The runs, or the baseline that they are compared with, whose variance is 0."""
    within = answer.targeted.scores.within
    var = population_variance(_deviating(answer, name)) + (0.0 if within is None else within.mean(axis=1))
    if baseline is not None and var[baseline] <= var[runs].min():
        runs = [baseline]
    return f"The {_VARIANCES[name]} of {verb(len(runs), str(RUN), str(RUNS))} {_names(answer.result, runs)}"


def _without_query(answer: DecomposeAnswer, name: str, runs: list[int], baseline: int | None) -> str:
    """The run, or the baseline that all are compared with, and the query that alone makes its variance."""
    within, units = answer.targeted.scores.within, answer.targeted.scores.units
    of_replicates = 0.0 if within is None else leave_one_out_mean(within, units)
    left = leave_one_out_variance(_deviating(answer, name), units) + of_replicates
    if baseline is not None and left[baseline].min() <= left[runs].min():
        runs = [baseline]
    first = int(np.flatnonzero(units.of_query == left[runs[0]].argmin())[0])
    query = f"{QUERY} {answer.targeted.scores.queries[first]}"
    one = f"one {QUERY}"
    if not units.are_single:
        query, one = f"the cluster of {query}", "one cluster"
    others = f" (as without {one} that of {_names(answer.result, runs[1:])})" if len(runs) > 1 else ""
    return f"Without {query} the {_VARIANCES[name]} of {RUN} {_names(answer.result, runs[:1])} is 0{others}"


def _deviating(answer: DecomposeAnswer, name: str) -> FloatArray:
    """The scores, or the gaps to the target, that a variance is of: (R, n)."""
    values, target = answer.targeted.scores.values, answer.target.scores
    if name == "var":
        return values
    assert target is not None, "a target that is a mean alone has another reason"
    return difference(target, values)


def _no_correlation_intervals(answer: DecomposeAnswer) -> Iterator[str]:
    """Which correlations have no interval, and why."""
    if answer.intervals is None:
        return

    from biasvar_cli.stats.attenuated import LEAST_QUERIES

    missing: dict[str, list[str]] = {}
    for coefficient, form, interval in _correlation_intervals(answer):
        if interval.reason is not None:
            reason = in_nouns(_NO_CORRELATION[interval.reason], runs=False).format(LEAST_QUERIES)
            why = f"{form} form, for new {redrawn(answer, coefficient)}: {reason}"
            missing.setdefault(why, []).append(coefficient.coefficient)
    for why, names in missing.items():
        yield f"No interval of {', '.join(names)}, {why}"


def _interval_details(answer: DecomposeAnswer) -> Iterator[str]:
    """The rules of the intervals, what those of correlations left out, and what is corrected."""
    intervals = answer.intervals
    if intervals is None:
        return
    how = "percentiles, variances too" if intervals.method == "percentile" else "BCa, of variances log-jackknife-t"
    queries = queries_drawn(answer)
    resamples = f"{counted(intervals.n_resamples, 'resample')} of the {queries}, seed {intervals.seed}"
    yield (
        f"{100 * intervals.level:g} % intervals of {RUNS}: for new {queries} of the same kind and the best of the same "
        f"{RUNS}: {how}; {resamples}"
    )
    rules: dict[str, dict[str, None]] = {}
    is_corrected, all_noise = False, ""
    for coefficient, form, interval in known_intervals(answer):
        units = redrawn(answer, coefficient)
        rules.setdefault(interval.rule, {})[units] = None
        if interval.rule == "test-inversion":
            is_corrected = True
            all_noise = _ALL_NOISE if isnan(interval.corrected) else all_noise
        if interval.n_undefined:
            samples = counted(interval.n_undefined, "subset" if interval.rule == "test-inversion" else "resample")
            what = f"{coefficient.coefficient}, {form} form, for new {units}"
            yield f"{what}: {samples} without a correlation left out"
    for rule, sorts in rules.items():
        yield f"Intervals of correlations for new {', '.join(sorts)}: {rule}"
    if is_corrected:
        yield in_nouns(f"{_CORRECTED}{all_noise}")


def stability_notes(stability: Stability) -> Iterator[str]:
    """What H and D are and say beside the null models, and how many runs have no stability, if any."""
    spread, trend = stability.spread_null.p, stability.trend_null.p
    spreads = _beside(spread, "larger than" if is_significant(spread, LEVEL) else "as")
    sign = "higher" if stability.trend > stability.trend_null.median else "lower"
    trends = _beside(trend, f"{sign} than" if is_significant(trend, LEVEL) else "as")
    yield (
        f"H: standard deviation of stability over the {RUNS}, {spreads}; D: Spearman's correlation of stability and "
        f"mean, {trends}."
    )
    number = int(np.isnan(stability.z).sum())
    if number:
        yield f"No stability (-) of {counted(number, 'run')}, whose mean is 0 or 1 or whose samples do not vary."


def _beside(p: float, more: str) -> str:
    """How a number relates to the null models, where it is defined."""
    return "which is undefined here" if isnan(p) else f"here {more} in the null models"


def _stability_details(null: Null) -> Iterator[str]:
    """Why stability is not defined, and the correlation across halves of the queries."""
    if null.stability is None:
        yield f"Stability is not defined: {null.why}."
    halves = null.cross_half
    if halves is not None:
        other, same = (num(correlations.pearson, signed=True) for correlations in (halves.other, halves.same))
        yield (
            f"Without a model: r of bias² on one half of the {QUERIES} and variance on the other is {other}, on the "
            f"same half {same} (means over random halves)."
        )
