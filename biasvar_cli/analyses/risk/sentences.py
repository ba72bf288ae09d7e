"""What the text says of risk: the baseline, which runs are safe and which risky, by which test, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskAnswer
from biasvar_cli.analyses.risk.inference import RiskVerdicts
from biasvar_cli.arrays import BoolArray, FloatArray, equalised, is_least
from biasvar_cli.scoring.targets import best_run
from biasvar_cli.specs import FEWEST_QUERIES, LEVEL, threshold
from biasvar_cli.stats.significance import primary_words
from biasvar_cli.stats.step_down import method_for
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import above, at_least, below, best_baseline_note, evaluated, listed
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted, either, in_nouns, verb

_NO_GEO_RISK = {
    "negative": "z_risk, geo_risk and gmap are undefined (-): there is a negative score.",
    "one-run": "z_risk and geo_risk are undefined (-): there is only one run.",
}
_OF_COSTS = "z_risk, geo_risk and gmap are undefined (-): they are of scores of which more is better."
_NAMED = 4  # runs of a verdict
_TIMES = {1.0: "once", 2.0: "twice"}


def title_of(answer: RiskAnswer) -> str:
    """What was evaluated, and the baseline with its mean: the first line."""
    scores, baseline = answer.scores, answer.baseline
    line = evaluated(answer.measure, scores.n_runs, scores.n_queries, n_clusters=scores.n_clusters).removesuffix(".")
    words = baseline_words(answer)
    if baseline.kind in ("mean", "median"):
        words = f"{words} on each {QUERY}"
    if baseline.spec.kind == "top":
        words = f"{words}, which has the best mean"
    return f"{line}. Baseline: {words}, mean {num(baseline.in_unit.mean)}"


def baseline_words(answer: RiskAnswer) -> str:
    """The baseline in words."""
    baseline = answer.baseline
    pool = f"the {RUNS}" if baseline.n_pool == answer.scores.n_runs else f"a pool of {counted(baseline.n_pool, 'run')}"
    return {
        "mean": f"the mean of {pool}",
        "median": f"the median of {pool}",
        "best": f"the best score of each {QUERY} over {pool}",
        "file": f"the scores in {baseline.spec.name}",
        "run": f"the {RUN} {baseline.run}",
    }[baseline.kind]


def why_no_claims(answer: RiskAnswer) -> str:
    """Why no run is called safe or risky; empty where runs are."""
    kind, n_queries = answer.baseline.spec.kind, answer.risk.n_queries
    if kind == "best":
        return "Every difference from the best scores is a loss or a tie: u_risk_A is -(1 + A) times the bias."
    if answer.scores.runs == (answer.baseline.run,):
        return f"The baseline is the only {RUN}: there is nothing to compare."
    if n_queries < FEWEST_QUERIES:
        few = f"{counted(n_queries, 'query')} {verb(n_queries, 'tells', 'tell')} little"
        return f"No {RUN} is called safe or risky: {few}; the test needs at least {FEWEST_QUERIES}."
    if answer.scores.units.are_few:
        return f"No {RUN} is called safe or risky: that takes {at_least(answer.scores.units)}."
    return ""


def verdict_notes(answer: RiskAnswer) -> Iterator[str]:
    """Which runs are safe, which risky and which neither, and by which test; or why nothing is said of that."""
    why = why_no_claims(answer)
    if why:
        yield why
    elif answer.verdicts is not None:
        yield from _claims(answer, answer.verdicts)


def _claims(answer: RiskAnswer, verdicts: RiskVerdicts) -> Iterator[str]:
    if verdicts.n_pairs is not None:
        yield from _claims_beside_top(answer, verdicts, verdicts.n_pairs)
        return
    safe, risky = _claimed(answer, verdicts)
    runs, wins, losses = answer.risk.runs, answer.risk.wins, answer.risk.losses
    of_all, u_risk = f"of {counted(verdicts.n_compared, 'run')}", f"u_risk_{verdicts.alpha:g}"
    names = [f"{runs[run]} ({wins[run]}, {losses[run]})" for run in safe]
    names[:1] = [f"{runs[run]} (wins {wins[run]}, losses {losses[run]})" for run in safe[:1]]
    meaning = f"mean significantly {above(answer.better)} the baseline's, {u_risk} above 0"
    yield f"Safe ({meaning}): {_number(names, of_all)}."
    yield f"Risky ({u_risk} significantly below 0): {_number([runs[run] for run in risky], of_all)}."
    yield from _neither(verdicts.n_compared - len(safe) - len(risky), any_claim=bool(safe or risky))
    method = primary_words(method_for(answer.scores.units.n, verdicts.n_compared))
    family = f", adjusted for {verdicts.n_compared} {RUNS}" if verdicts.n_compared > 1 else ""
    test = f"two-sided {method}, p < {threshold(LEVEL):g}{family}"
    yield f"Tests: {test}; of mean differences for safe, of {u_risk} for risky."


def _claims_beside_top(answer: RiskAnswer, verdicts: RiskVerdicts, n_pairs: int) -> Iterator[str]:
    """Which runs are risky beside the best one, which was chosen for that."""
    top, u_risk, (_, risky) = answer.baseline.run, f"u_risk_{verdicts.alpha:g}", _claimed(answer, verdicts)
    number = _number([answer.risk.runs[run] for run in risky], f"of {counted(verdicts.n_compared, 'run')}")
    yield f"Risky (mean significantly below that of {top}, and so {u_risk} below 0): {number}."
    yield from _neither(verdicts.n_compared - len(risky), any_claim=bool(risky))
    method = primary_words(method_for(answer.scores.units.n, n_pairs))
    all_pairs = f"all {n_pairs} pairs of {RUNS} together, since {top} was chosen for its mean"
    family = verb(n_pairs, "one pair", all_pairs)
    yield f"Test: two-sided {method} of mean differences, p < {threshold(LEVEL):g} for {family}."


def _number(names: Sequence[str], of_all: str) -> str:
    """How many runs these are of all, and the first of them."""
    return f"{len(names)} {of_all}: {listed(names, _NAMED)}" if names else f"none {of_all}"


def _neither(n_runs: int, *, any_claim: bool) -> Iterator[str]:
    """How many runs are neither safe nor risky."""
    if n_runs == 0:
        return
    if any_claim:
        others = verb(n_runs, f"the other {RUN}", f"the other {n_runs} {RUNS}")
    else:
        others = verb(n_runs, f"the one {RUN}", f"all {n_runs} {RUNS}")
    yield f"Neither: {others}, for which these {QUERIES} do not decide."


def _claimed(answer: RiskAnswer, verdicts: RiskVerdicts) -> tuple[list[int], list[int]]:
    """The rows of the safe runs, that of the largest U_risk first, and of the risky ones, the least first."""
    (at,) = (at for at in answer.risk.at if at.alpha == verdicts.alpha)
    u_risk = equalised(at.u_risk)
    return _ordered(verdicts.safe, -u_risk), _ordered(verdicts.risky, u_risk)


def times(factor: float) -> str:
    """How often something counts.

    >>> times(2.0), times(3.5)
    ('twice', '3.5 times')
    """
    return _TIMES.get(factor, f"{factor:g} times")


def run_notes(answer: RiskAnswer) -> Iterator[str]:
    """The lines under the runs: what decides a verdict, what is undefined, and how to choose another baseline."""
    alpha, verdicts = answer.request.main_alpha, answer.verdicts
    if answer.better == "less":
        yield "Less is better: a gain is a score below the baseline's, and u_risk is that of the negated scores."
    if answer.baseline.spec.kind == "run" and best_run(answer.scores) == answer.baseline.run:
        yield from best_baseline_note(answer.baseline.run, answer.scores.n_runs)
    if verdicts is not None and verdicts.n_pairs is None and verdicts.risky.any() and alpha > 0:
        yield f"{RUN:A} can be risky with the baseline's mean: equal gains and losses make u_risk_{alpha:g} negative."
    yield (
        f"u_risk_{alpha:g}: reward - (1 + alpha) risk, mean gain and mean loss over all {QUERIES}, alpha = {alpha:g}. "
        f"t_risk_{alpha:g}: that over its standard error, which is not the test of risky."
    )
    if answer.geo.reason is not None:
        costs = answer.better == "less" and answer.geo.reason == "negative"
        yield in_nouns(_OF_COSTS if costs else _NO_GEO_RISK[answer.geo.reason])
    undefined = int(np.isnan(answer.risk.at[0].t_risk).sum())
    if undefined:
        why = f"there is one {QUERY}" if answer.risk.n_queries == 1 else "every difference is the same"
        why = f"that takes {at_least(answer.scores.units)}" if answer.scores.units.are_few else why
        yield f"t_risk is undefined (-) for {counted(undefined, 'run')}: {why}."
    yield _baseline_note(answer)


def caption_notes(answer: RiskAnswer) -> Iterator[str]:
    """What the caption of a table has to say: how much losses count."""
    alpha = answer.request.main_alpha
    if alpha > 0:
        yield f"Losses count {times(1 + alpha)} where alpha = {alpha:g}"


def _baseline_note(answer: RiskAnswer) -> str:
    """How to choose another baseline."""
    if answer.baseline.kind == "mean":
        good = f"Almost every good {RUN} is {above(answer.better)} this baseline"
        return f"{good}. For another, such as {RUN:a}: {argument('baseline RUN')}."
    others = "RUN, top, mean, median, best or file:PATH"
    return f"For another baseline: {either(f'--baseline {others}', f'baseline, {others}')}."


def verdict_details(answer: RiskAnswer) -> Iterator[str]:
    """All safe and risky runs, which runs deviate most, how the claims were tested, and what t_risk does not say."""
    verdicts, runs = answer.verdicts, answer.risk.runs
    if verdicts is not None and answer.scores.units.n >= FEWEST_QUERIES:
        for word, claimed in zip(("safe", "risky"), _claimed(answer, verdicts), strict=True):
            if len(claimed) > _NAMED:
                yield f"All {word} {RUNS}: {listed([runs[run] for run in claimed], len(claimed))}."
        if verdicts.n_compared > 1 and verdicts.n_pairs is None:
            deviant = _ordered(verdicts.deviant, -equalised(verdicts.deviation))
            number = _number([runs[run] for run in deviant], f"of {counted(verdicts.n_compared, 'run')}")
            yield f"Deviates significantly more from the baseline, up or down, than the other {RUNS}: {number}."
        drawn = f"{verdicts.n_resamples} resamples, seed {verdicts.seed}"
        if verdicts.n_pairs is None:
            tests = f"Safe, risky and deviating {RUNS} come from separate tests ({drawn})"
        else:
            tests = f"No {RUN} is safe beside the one with the best mean. The test has {drawn}"
        yield f"{tests}. {RUN:A} that is not called risky may be risky all the same."
    yield (
        f"t_risk_A and t_risk_A_p are of one {RUN} alone, not adjusted for {counted(len(runs), 'run')}. At A = 0, "
        f"t_risk_A is the statistic of the paired t test. For A above 0 and enough {QUERIES} it is below -2 for a "
        f"{RUN} that merely differs from the baseline with the same mean: that is no test of more risk than chance."
    )


def _ordered(claimed: BoolArray, order: FloatArray) -> list[int]:
    """The rows of the claimed runs, in ascending order of some numbers, (n_runs,)."""
    return [run for run in np.argsort(order, kind="stable").tolist() if claimed[run]]


def losers_notes(answer: RiskAnswer) -> Iterator[str]:
    """On which query most runs lose, and which loss is the largest."""
    losers, n_runs, side = answer.losers, answer.scores.n_runs, below(answer.better)
    if not losers.losses.any():
        yield f"No {RUN} is {side} the baseline on any {QUERY}."
        return
    n_losses = int(losers.losses.max())
    most = [losers.queries[query] for query in np.flatnonzero(losers.losses == n_losses)]
    runs = f"{n_losses} of {counted(n_runs, 'run')} {verb(n_losses, 'is', 'are')}"
    if len(most) == 1:
        yield f"{QUERY:title} {most[0]} has the most losses: {runs} {side} the baseline there."
    else:
        names = f" ({listed(most, _NAMED)})" if 2 * len(most) < len(losers.queries) else ""
        tied = f"{len(most)} of {len(losers.queries)} {QUERIES}{names} have the most losses"
        yield f"{tied}: on {QUERY:a} of these {runs} {side} the baseline."
    first, *others = np.flatnonzero(is_least(-losers.largest_loss)).tolist()
    loss = f"{num(losers.largest_loss[first])}, of {losers.run[first]} on {QUERY} {losers.queries[first]}"
    more = f"; as large on {counted(len(others), f'other {QUERY}')}" if others else ""
    yield f"Largest loss: {loss}{more}."


def losses_notes(answer: RiskAnswer, run: str, delta: FloatArray) -> Iterator[str]:
    """On how many queries a run wins and loses, and where it loses most."""
    n_wins, n_losses = int((delta > 0).sum()), int((delta < 0).sum())
    wins = f"{above(answer.better)} the baseline on {n_wins} of {counted(len(delta), 'query')}"
    mean = num(delta.mean(), signed=True)
    yield f"{run} is {wins} and {below(answer.better)} on {n_losses}; its mean difference is {mean}."
    if n_losses:
        worst = [answer.scores.queries[query] for query in np.flatnonzero(is_least(delta))]
        queries = f"{verb(len(worst), f'{QUERY}', f'{QUERIES}')} {listed(worst, _NAMED)}"
        yield f"Its largest loss is {num(-delta.min())}, on {queries}."
