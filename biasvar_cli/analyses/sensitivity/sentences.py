"""What the text says of a ranking: whether the winner stays the winner, and whether the ranking stays the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from math import exp, isfinite

import numpy as np

from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer
from biasvar_cli.analyses.sensitivity.targets import OtherTarget, TargetOrders, perfect_utility
from biasvar_cli.arrays import ROUNDING, is_least
from biasvar_cli.scores import in_unit, in_unit_ends
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.order import chance_note, is_chance, order_notes
from biasvar_cli.tables.table import Note, listed, plain, share_words
from biasvar_cli.tables.view import shown_note
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted, either, in_nouns

Words = Callable[[SensitivityAnswer], Iterator[Note]]

_NAMED = 3  # runs or queries named in a sentence
_FOR_PROGRAMS = either("--columns, csv, JSON", "in the frame")
_NEAR_ONE = 0.995  # a tau that two digits show as 1.00
_OTHERS: dict[OtherTarget, str] = {  # what these targets are the best of
    "leave-one-run-out": "the other runs",
    "leave-one-team-out": "the other teams' runs",
}


def verdict_notes(answer: SensitivityAnswer, table: str) -> Iterator[Note]:
    """The answer to the question of a table."""
    if answer.scores.n_runs == 1:
        yield Note(f"There is only one {RUN}, and no ranking.")
    else:
        yield from _VERDICTS[table](answer)


def table_notes(answer: SensitivityAnswer, table: str, top: int | None, n_rows: int) -> Iterator[Note]:
    """The lines under a table of ``n_rows`` rows, of which the first ``top`` are shown."""
    yield from shown_note(top, n_rows)
    yield from _NOTES[table](answer)


def table_details(answer: SensitivityAnswer, table: str) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    if table == "targets":
        if answer.scores.n_runs > 1:
            yield from _range_notes(answer)
        yield Note(f"The mean of leave-one-run-out is that of the targets of all {RUNS}, each of which has its own.")
    if table == "runs":
        yield Note(f"of_track: the share of the {RUN}'s variance that the mean scores of the {QUERIES} explain.")
        yield Note(
            f"needed: how many {QUERIES} ln var needs for an interval of ± the number of {argument('precision')}."
        )
        yield Note(f"bias_loro ({_FOR_PROGRAMS}): the bias against the best of the other {RUNS}.")
        yield Note(
            f"slope ({_FOR_PROGRAMS}): by how much the {RUN}'s score changes with the mean score of {QUERY:a} "
            f"over the {RUNS}; above 1 the {RUN} makes the differences between {QUERIES} larger."
        )
        if answer.teams is not None:
            yield Note(f"bias_loto ({_FOR_PROGRAMS}): the bias against the best of the other teams' {RUNS}.")
    if table == "reliability":
        yield Note(f"All {QUERIES} together are more reliable than either half.")
    if table == "mean":
        yield Note(f"tau_ap is the mean of tau_AP over all orders of tied {RUNS}.")


def _targets_verdict(answer: SensitivityAnswer) -> Iterator[Note]:
    yield _winner_note(answer)
    yield from _share_notes(answer)
    yield from _query_notes(answer)
    if is_chance(answer.halves, "total"):
        yield chance_note(answer.halves, "total")
    else:
        yield from _ranking_notes(answer)


def _winner_note(answer: SensitivityAnswer) -> Note:
    """The runs of the least total, the means of the target for which they have it, and the targets without them."""
    given, *others = answer.targets.targets
    least, (low, high), values = given.score.least, answer.winning_means, list[float]()
    escaped = plain if low < high else str  # braces mean values where there are any
    text = f"{escaped(_names(least))} {_verb(least, 'has', 'have')} the least total error"
    low, high = in_unit_ends(low, high, answer.better)
    if low < high:
        words = {
            (True, True): "against every target with a mean from {} to {} (now {})",
            (True, False): "against every target with a mean of {} or more (now {})",
            (False, True): "against every target with a mean of {} or less (now {})",
            (False, False): "against every target",
        }[isfinite(low), isfinite(high)]
        ends = [value for value in (low, high) if isfinite(value)]
        now = in_unit(answer.switches.mean, answer.better)
        text, values = f"{text}, and {_verb(least, 'keeps', 'keep')} it {words}", [*ends, now]
    winners: dict[tuple[str, ...], list[str]] = {}
    for orders in others:
        if orders.kind not in _OTHERS and orders.score.least and orders.score.least != least:
            winners.setdefault(orders.score.least, []).append(orders.label)
    changed = [
        f"{_names(runs)} {_verb(runs, 'has', 'have')} it against {listed(labels)}" for runs, labels in winners.items()
    ]
    return Note("; ".join([text, *map(escaped, changed)]) + ".", tuple(values), signed=False)


def _share_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    """Whether the winner is first without its own share of the target too."""
    given, *others = answer.targets.targets
    for orders in others:
        if orders.kind == "leave-one-run-out" and answer.scores.n_runs == answer.targeted.pool.n_runs == 2:
            yield Note(f"Of 2 {RUNS} {orders.label} measures one against the other, so that both have the same bias².")
        elif orders.kind in _OTHERS and orders.score.least:
            text = f"Against the best of {in_nouns(_OTHERS[orders.kind])} ({orders.label})"
            if orders.score.least == given.score.least:
                yield Note(f"{text}, {_names(given.score.least)} {_verb(given.score.least, 'is', 'are')} first too.")
            else:
                first = f"{_names(orders.score.least)} {_verb(orders.score.least, 'is', 'are')} first"
                behind = [run for run in given.score.least if run not in orders.score.least]
                ranked = f" and {_ranks(answer, orders, behind)}" if behind else ""
                yield Note(f"{text}, {first}{ranked}.")


def _ranks(answer: SensitivityAnswer, orders: TargetOrders, runs: Sequence[str]) -> str:
    """The ranks that some runs have under a target, in words."""
    ranks = [int(orders.score.rank[answer.scores.runs.index(run)]) for run in runs]
    if len(set(ranks)) == 1:
        return f"{_names(runs)} {_verb(runs, 'has', 'have')} rank {ranks[0]}"
    return listed([f"{run} has rank {rank}" for run, rank in zip(runs, ranks, strict=True)], _NAMED)


def _names(runs: Sequence[str]) -> str:
    return listed(runs, _NAMED)


def _query_names(queries: Sequence[str]) -> str:
    """Queries that change something, with their verb."""
    if len(queries) == 1:
        return f"{QUERY} {queries[0]} changes"
    return f"{QUERIES} {listed(queries, _NAMED)} change"


def _verb(runs: Sequence[str], one: str, several: str) -> str:
    """The form of a verb that goes with so many runs."""
    return one if len(runs) == 1 else several


def _query_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    """The queries without which another run has the least total; nothing of one query."""
    influence, least = answer.influence, answer.targets.given.score.least
    if not influence.queries:
        return
    without = [list(compress(answer.scores.runs, column)) for column in influence.least.T]
    rows = [index for index in influence.order if not set(least).intersection(without[index])]
    changed = [influence.queries[index] for index in rows]
    if not changed and all(set(runs) == set(least) for runs in without):
        yield Note(f"Leaving out any one {QUERY} does not change which {RUN} has the least total.")
    elif not changed:
        one_of = "one of " * (len(least) > 1)
        yield Note(f"Whichever {QUERY} is left out, {one_of}{_names(least)} has the least total, alone or tied.")
    elif len(changed) == 1:
        first = without[rows[0]]
        yield Note(f"Without {QUERY} {changed[0]}, {_names(first)} {_verb(first, 'has', 'have')} the least total.")
    else:
        few = f"Without one of {len(changed)} of the {answer.scores.n_queries} {QUERIES} ({listed(changed, _NAMED)})"
        yield Note(f"{few} another {RUN} has the least total.")


def _ranking_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    """Under which target the ranking differs most, and by how much."""
    others = answer.targets.targets[1:]
    defined = [orders for orders in others if isfinite(orders.score.kendall)]
    if not defined:
        return
    taus = np.array([orders.score.kendall for orders in defined])
    tau, lowest = float(taus.min()), [orders.label for orders in compress(defined, is_least(taus))]
    if tau >= 1 - ROUNDING:
        yield Note("The ranking by total is the same against all of these targets.")
        return
    pairs = share_words((1 - tau) / 2)
    text = f"The ranking by total changes most against {plain(listed(lowest))}: {pairs} pairs of {RUNS} change places"
    yield Note(f"{text} (Kendall's tau {{}}).", (tau,), signed=False, digits=2 if tau < _NEAR_ONE else None)


def _range_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    """The means of the target for which the whole ranking stays, and which runs change places beyond them."""
    low, high = in_unit_ends(*answer.ranking_means, answer.better)
    text = "The ranking by total stays exactly as it is"
    if low >= high:
        yield Note(f"{RUNS:title} with equal totals change places as soon as the target's mean changes.")
        return
    ends = [(words, value) for words, value in (("below", low), ("above", high)) if isfinite(value)]
    if not ends:
        yield Note(f"{text} against every target.")
        return
    span = "from {} to {}" if len(ends) == 2 else "{} or more" if isfinite(low) else "{} or less"
    swapped = [(words, _swapped(answer, in_unit(value, answer.better))) for words, value in ends]
    swaps = ", and ".join(f"{words} it {names} change places" for words, names in swapped)
    values = (in_unit(answer.switches.mean, answer.better), *(value for _, value in ends))
    yield Note(f"{text} while the target's mean (now {{}}) is {span}; {swaps}.", values, signed=False)


def _swapped(answer: SensitivityAnswer, mean: float) -> str:
    """The neighbours in the ranking that change places at a mean of the target, a utility."""
    switches, runs = answer.switches, answer.scores.runs
    rank = int(np.nanargmin(np.abs(switches.point - mean)))
    return f"{plain(runs[switches.order[rank]])} and {plain(runs[switches.order[rank + 1]])}"


def _runs_verdict(answer: SensitivityAnswer) -> Iterator[Note]:
    yield from _moved_notes(answer)
    unique, precision = answer.targets.run_out.unique, answer.precision
    if isfinite(unique.max()) and unique.max() > 0:
        most = list(compress(answer.scores.runs, is_least(-unique)))
        names = plain(f"{'any one of ' * (len(most) > 1)}{_names(most)}")
        falls = _falls(answer)
        yield Note(f"The target's mean {falls} most without {names}, by {{}}.", (float(unique.max()),), signed=False)
    if precision.n_defined:
        interval = (
            f"a {100 * precision.level:g} % interval of its variance within a factor of {exp(precision.wanted):.2f}"
        )
        there = f"there are {answer.scores.n_queries}"
        yield Note(f"The median {RUN} needs {precision.median:.0f} {QUERIES} for {interval} (needed); {there}.")


def _falls(answer: SensitivityAnswer) -> str:
    """How the target's mean changes without a run."""
    return "falls" if answer.better == "more" else "rises"


def _moved_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    """How many ranks differ without a run's own share of the target, and the largest difference."""
    given = answer.targets.given.score
    others = next((orders for orders in answer.targets.targets if orders.kind == "leave-one-run-out"), None)
    if others is None or np.isnan(others.score.rank).any():
        return
    moves = np.abs(others.score.rank - given.rank)
    n_moved, runs = int((moves > 0).sum()), answer.scores.runs
    against = f"against the best of the other {RUNS}"
    if not n_moved:
        yield Note(f"All {RUNS} have the same rank {against} (rank_loro).")
        return
    most = np.flatnonzero(is_least(-moves)).tolist()
    change = listed([f"{runs[run]}, from {given.rank[run]:.0f} to {others.score.rank[run]:.0f}" for run in most], 1)
    few = f"{n_moved} of {len(runs)} {RUNS} {'has' if n_moved == 1 else 'have'} another rank {against} (rank_loro)"
    yield Note(f"{few}; the largest change: {change}." if n_moved > 1 else f"{few}: {change}.")


def _perfect(answer: SensitivityAnswer) -> str:
    """The mean of a perfect target."""
    return f"{in_unit(perfect_utility(answer.targeted.pool), answer.better):g}"


def _neighbours_verdict(answer: SensitivityAnswer) -> Iterator[Note]:
    yield from _range_notes(answer)
    switches = answer.switches
    is_known = answer.mean_range == (0.0, 1.0) if answer.better == "more" else isfinite(answer.mean_range[1])
    if switches.mean < perfect_utility(answer.targeted.pool) and is_known:
        few = f"{int(switches.within.sum())} of {len(switches.within)} pairs of neighbours change places"
        yield Note(f"{few} between the target's mean and {_perfect(answer)}, the mean of a perfect target.")


def _queries_verdict(answer: SensitivityAnswer) -> Iterator[Note]:
    influence = answer.influence
    if not influence.queries:
        yield Note(f"There is only one {QUERY}, which cannot be left out.")
        return
    yield from _query_notes(answer)
    known = influence.pearson[np.isfinite(influence.pearson)]
    if len(known) and isfinite(influence.whole):
        text = f"Pearson's r of bias² and variance is {{}}; without one {QUERY} it is from {{}} to {{}}"
        least_shift = -np.where(np.isfinite(influence.shift), np.abs(influence.shift), 0.0)
        most = list(compress(influence.queries, is_least(least_shift)))
        values = (influence.whole, float(known.min()), float(known.max()))
        yield Note(f"{text}, and {plain(_query_names(most))} it most.", values)


def _reliability_verdict(answer: SensitivityAnswer) -> Iterator[Note]:
    yield from order_notes(answer.halves, "mean")
    if is_chance(answer.halves, "total"):
        yield chance_note(answer.halves, "total")
    else:
        yield from order_notes(answer.halves, "total")


def _mean_verdict(answer: SensitivityAnswer) -> Iterator[Note]:
    given, means = answer.targets.given, answer.scores.values.mean(axis=1)
    best = np.flatnonzero(is_least(-means)).tolist()
    if isfinite(given.score.rank[best[0]]):
        names = plain(_names([answer.scores.runs[run] for run in best]))
        numbers = sorted({int(given.score.rank[run]) for run in best})
        rank = f"rank{'s' * (len(numbers) > 1)} {listed([str(number) for number in numbers])}"
        text = f"Best mean: {names} ({{}}), with {rank} of {answer.scores.n_runs} by total."
        yield Note(text, (in_unit(float(means[best[0]]), answer.better),), signed=False)
    defined = [orders for orders in answer.targets.targets if isfinite(orders.score.by_mean)]
    if not defined:
        return
    taus = np.array([orders.score.by_mean for orders in defined])
    lowest = [orders.label for orders in compress(defined, is_least(taus))]
    text, values = "Kendall's tau of the rankings by total and by mean is {}", [given.score.by_mean]
    if given.label not in lowest:
        text, values = f"{text}, and lowest, {{}}, against {plain(listed(lowest))}", [*values, float(taus.min())]
    yield Note(f"{text}.", tuple(values), signed=False, digits=2)


def _targets_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    yield from _ranking_notes(answer) if is_chance(answer.halves, "total") else order_notes(answer.halves, "total")
    first = "tau: Kendall's tau of the ranking by total with the first row's (1: the same, -1: reversed)"
    yield Note(f"{first}; tau_gap, least_total_gap: by total_gap.")
    if any(orders.kind == "quantile" for orders in answer.targets.targets):
        quantile = "Q" if answer.better == "more" else "1 - Q"
        perfect = f"{_perfect(answer)} on every {QUERY}"
        yield Note(f"best:Q: quantile {quantile} of the scores of each {QUERY} over the {RUNS}; perfect: {perfect}.")
    yield from _undefined_notes(answer)


def _undefined_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    """Why a row, or the gap form, has no numbers."""
    if answer.target.scores is None:
        yield Note(f"No gap form (-) of the first row: the target is a mean alone, without a score per {QUERY}.")
    gone = [orders.label for orders in answer.targets.targets if orders.mean != orders.mean]
    if gone:
        yield Note(f"No numbers (-) for {listed(gone)}: without the {RUN}, or its team, no {RUN} is left.")
    if answer.scores.n_runs < LEAST_POINTS:
        yield Note(f"No tau (-) of {counted(answer.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed.")


def _runs_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    yield Note(
        f"rank: by total; rank_loro: against the best of the other {RUNS}; rank_perfect: against {_perfect(answer)} on "
        f"every {QUERY}."
    )
    text = f"switch: the {RUN} changes places with no other while the target's mean (now {{}}) is between these"
    none = "; -: no possible mean" if any(map(isfinite, answer.mean_range)) else ""
    yield Note(f"{text}{none}.", (in_unit(answer.switches.mean, answer.better),), signed=False)
    team = "; team_unique: without its team" if answer.teams is not None else ""
    text = f"unique: by how much the target's mean {_falls(answer)} without the {RUN}{team}"
    yield Note(f"{text}.")


def _neighbours_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    text = "switch: the target's mean, now {}, at which both have the same total and change places"
    yield Note(f"{text}; -: at no possible mean.", (in_unit(answer.switches.mean, answer.better),), signed=False)
    perfect = f"{_perfect(answer)}, the mean of a perfect target"
    yield Note(f"before_perfect (*): switch is between the target's mean and {perfect}.")


def _queries_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    if answer.influence.queries:
        yield Note(
            f"Each row is the result without one {QUERY}. shift: pearson minus r of all {QUERIES}; largest first."
        )


def _reliability_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    halves = answer.halves
    text = f"tau: Kendall's tau of the rankings on two random halves, {counted(halves.half, 'query')} each"
    yield Note(f"{text} (mean of {counted(halves.n_splits, 'split')}; 1: the same, 0: unrelated).")


def _mean_notes(answer: SensitivityAnswer) -> Iterator[Note]:
    yield Note(
        "tau: Kendall's tau of the rankings by total and by mean, best first; tau_gap: by total_gap and by mean."
    )
    yield Note("tau_ap, tau_ap_gap: the same with more weight for the top of the ranking by total, or by total_gap.")
    yield from _undefined_notes(answer)


_VERDICTS: dict[str, Words] = {
    "targets": _targets_verdict,
    "runs": _runs_verdict,
    "neighbours": _neighbours_verdict,
    "queries": _queries_verdict,
    "reliability": _reliability_verdict,
    "mean": _mean_verdict,
}
_NOTES: dict[str, Words] = {
    "targets": _targets_notes,
    "runs": _runs_notes,
    "neighbours": _neighbours_notes,
    "queries": _queries_notes,
    "reliability": _reliability_notes,
    "mean": _mean_notes,
}
