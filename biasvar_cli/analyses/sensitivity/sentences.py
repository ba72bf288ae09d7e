"""What stands under the tables of sensitivity: what the order depends on, and what the columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, isfinite

from biasvar_cli.analyses.sensitivity.answer import Sensitivity, name_of
from biasvar_cli.arrays import ROUNDING
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.order import is_chance, order_notes
from biasvar_cli.tables.table import Note, listed, plain
from biasvar_cli.words import counted

_NEAR_ONE = 0.995  # a tau that two digits show as 1.00
_TAU = "1 the same, 0 unrelated, -1 reversed"


def notes_of(found: Sensitivity, kind: str) -> Iterator[Note]:
    """The lines that everybody sees under one of the tables."""
    yield from _NOTES[kind](found)


def details_of(found: Sensitivity, kind: str) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    if kind == "targets":
        yield Note("leave-one-run-out: mean is the mean of the targets of all runs.")
    if kind == "runs":
        yield Note("bias_loro (--columns, csv, JSON): the bias against the best of the other runs.")
        yield Note(
            "slope (--columns, csv, JSON): the change of the run's score with the mean score of a query over the "
            "pool; above 1 the run makes the differences between queries greater."
        )
        if found.has_teams:
            yield Note("bias_loto (--columns, csv, JSON): the bias against the best of the other teams' runs.")
    if kind == "reliability":
        yield Note("All queries together are more reliable than either half.")
    if kind == "mean":
        yield Note("tau_ap: the mean of tau_AP over all orders of tied runs.")


def _of_targets(found: Sensitivity) -> Iterator[Note]:
    yield from _lowest(found)
    low, high = found.switches.lowest, found.switches.highest
    bounds = [(words, value) for words, value in (("from {}", low), ("to {}", high)) if isfinite(value)]
    if bounds:
        means, values = " ".join(words for words, _ in bounds), tuple(value for _, value in bounds)
        text = f"The order by total is the same for targets whose mean is {means} (now {{}})."
        yield Note(text, (*values, found.switches.mean), signed=False)
    else:
        yield Note("The order by total is the same whatever the target's mean.")
    yield from _halves(found)
    yield Note(f"tau, tau_gap: agreement with the first row; {_TAU}.")
    yield Note("leave-one-run-out: every run against the best of the others. least_total: the best run by total.")
    yield from _undefined_targets(found)


def _lowest(found: Sensitivity) -> Iterator[Note]:
    """Under which target the order differs most, and under which another run is best."""
    given, *others = found.targets.targets
    defined = [each for each in others if isfinite(each.score.kendall)]
    if defined:
        lowest = min(defined, key=lambda each: each.score.kendall)
        tau = lowest.score.kendall
        if tau >= 1 - ROUNDING and len(defined) == len(others):
            yield Note("The order by total is the same under all of these targets.")
            return
        if tau < 1 - ROUNDING:
            text = f"The order by total differs most under {plain(name_of(lowest, found))}: tau {{}}."
            yield Note(text, (tau,), digits=2 if tau < _NEAR_ONE else None)
    changed = [name_of(each, found) for each in others if each.score.least and each.score.least != given.score.least]
    if changed:
        yield Note(f"Another run has the least total under {listed(changed)}.")
    elif others:
        yield Note("The run of least total is the same under all of them.")


def _halves(found: Sensitivity) -> Iterator[Note]:
    """How much of the order by total is chance."""
    if not is_chance(found.halves, "total"):
        yield from order_notes(found.halves, "total")
    else:
        text = "The order by total is close to chance: Kendall's tau {} between random halves of the queries."
        yield Note(text, (found.halves.total,), signed=False, digits=2)


def _undefined_targets(found: Sensitivity) -> Iterator[Note]:
    """Why a row, or the gap form, has no numbers."""
    if found.targeted.target.scores is None:
        yield Note("Undefined (-): a target that is a mean alone has no gap form.")
    gone = [name_of(each, found) for each in found.targets.targets if each.mean != each.mean]
    if gone:
        yield Note(f"Undefined (-): without the run, or its team, no run is left for {', '.join(gone)}.")
    if found.targeted.scores.n_runs < LEAST_POINTS:
        yield Note(f"No tau of {counted(found.targeted.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed.")


def _of_runs(found: Sensitivity) -> Iterator[Note]:
    wanted, level, n_queries = found.precision.wanted, found.precision.level, found.targeted.scores.n_queries
    ranks = ["rank_loro: against the best of the other runs"]
    if any(each.kind == "perfect" for each in found.targets.targets):
        ranks.append("rank_perfect: against all 1")
    yield Note(f"rank: by total; {'; '.join(ranks)}.")
    yield Note(f"unique: what the target's mean would lose without the run{_without_team(found)}.")
    text = "switch: while the target's mean, now {}, is within, no run changes places with this one."
    yield Note(text, (found.switches.mean,), signed=False)
    yield Note("of_track: the share of the run's variance that follows how hard queries are for all runs.")
    factor = f"a factor {exp(wanted):.2f} ({100 * level:g} %)"
    median = f"; median {found.precision.median:.0f}, there are {n_queries}" if found.precision.n_defined else ""
    yield Note(f"needed: queries until var is known to {factor}{median}.")


def _without_team(found: Sensitivity) -> str:
    return "; team_unique: without its whole team, - where no other team is left" if found.has_teams else ""


def _of_neighbours(found: Sensitivity) -> Iterator[Note]:
    text = "switch: the target's mean, now {}, at which run and next have the same total and change places."
    yield Note(text, (found.switches.mean,), signed=False)
    yield Note("before_perfect (*): that lies between the target's mean and 1, the mean of a perfect target.")


def _of_queries(found: Sensitivity) -> Iterator[Note]:
    if found.influence is None:
        yield Note("There is one query only, which cannot be left out.")
        return
    one, runs = found.influence, found.targeted.scores.runs
    now = found.targets.targets[0].score.least
    changed = [one.queries[index] for index in one.order if runs[one.least[index]] not in now]
    yield Note("Each row leaves one query out; those that change r, Pearson's correlation, most come first.")
    yield Note("shift: pearson minus the r of all queries, {}.", (one.whole,))
    if changed:
        without = f"one of {len(changed)} queries" if len(changed) > 1 else "1 query"
        yield Note(f"Without {without} another run has the least total: {listed(changed)}.")
    else:
        yield Note("Without any one query the run of least total stays the same.")


def _of_reliability(found: Sensitivity) -> Iterator[Note]:
    halves = found.halves
    yield Note(
        f"tau: agreement of the orders from two random halves of {counted(halves.half, 'query')}, mean of "
        f"{counted(halves.n_splits, 'split')}."
    )
    yield Note(f"It is Kendall's tau: {_TAU}.")
    if is_chance(halves, "total"):
        yield Note("The order by total is close to chance here.")


def _best_by_mean(found: Sensitivity) -> Iterator[Note]:
    """Where the run with the best mean stands by total."""
    means, given = found.targeted.scores.values.mean(axis=1), found.targets.targets[0]
    best = int(means.argmax())
    place = given.score.rank[best]
    if isfinite(place):
        of = f"{place:.0f} of {counted(found.targeted.scores.n_runs, 'run')}"
        yield Note(f"The run with the best mean, {found.targeted.scores.runs[best]}, is at place {of} by total.")


def _of_mean(found: Sensitivity) -> Iterator[Note]:
    yield from _best_by_mean(found)
    yield Note("tau: agreement of the orders by total and by mean (tau_gap: by total_gap), the best first.")
    yield Note(f"It is Kendall's tau: {_TAU}.")
    yield Note("tau_ap, tau_ap_gap: the same, but the top of the order by total, or total_gap, weighs most.")
    yield from _undefined_targets(found)


_NOTES: dict[str, Callable[[Sensitivity], Iterator[Note]]] = {
    "targets": _of_targets,
    "runs": _of_runs,
    "neighbours": _of_neighbours,
    "queries": _of_queries,
    "reliability": _of_reliability,
    "mean": _of_mean,
}
