"""What a ranking depends on, as tables with their sentences: targets, single queries, halves of the queries."""

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from math import exp, isfinite, isnan
from typing import Any

import numpy as np

from biasvar_cli.analyses.sensitivity import TABLES
from biasvar_cli.analyses.sensitivity.answer import OtherTarget, SensitivityAnswer
from biasvar_cli.arrays import ROUNDING, is_least
from biasvar_cli.decomposition.components import components
from biasvar_cli.score_matrix import in_unit, in_unit_ends
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables import rows
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.component_words import needed_sentence, reliability_sentence
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import Table, explained, falls, share_words, targeted_table
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, counted, in_nouns, listed, verb

_Notes = Iterator[str]

VIEW = rows.View
_SWITCHES = ("switch", "switch_low", "switch_high")  # columns of means of the target
_NAMED = 3  # runs or queries named in a sentence
_NEAR_ONE = 0.995  # a tau that two digits show as 1.00
_OTHERS: dict[OtherTarget, str] = {  # what these targets are the best of
    "leave-one-run-out": "the other runs",
    "leave-one-team-out": "the other teams' runs",
}


def tables(answers: Sequence[SensitivityAnswer], view: rows.View) -> list[Table]:
    """A table for each answer."""
    return [sensitivity_table(answer, view) for answer in answers]


@rows.with_row_notes("scores")
def sensitivity_table(answer: SensitivityAnswer, view: rows.View) -> Table:
    """One of the tables of `TABLES`; nothing is computed but what the view shows.

    JSON has all of them, and between which means of the target the ranking holds. Raises `UsageError` for a column to
    sort by that is not there.
    """
    table, people, request = view.table, view.for_people, answer.request
    cells = _cells(answer, table)
    n_rows = len(next(iter(cells.columns.values())))
    verdict: tuple[str, ...] = ()
    if people and answer.scores.n_runs == 1:
        verdict = (f"There is only one {RUN}, and no ranking.",)
    elif people:
        verdict = tuple(_VERDICTS[table](answer))
    chosen = rows.chosen_rows(cells, view, names="", declared=TABLES[table])
    document: dict[str, Any] = {}
    if view.for_json:
        ends = float(answer.switches.low.max()), float(answer.switches.high.min())
        low, high = (end if isfinite(end) else None for end in in_unit_ends(*ends, answer.better))
        document = {name: _cells(answer, name).records() for name in TABLES}
        document["ranking_holds"] = {"low": low, "high": high}
    return targeted_table(
        answer,
        _for_people(answer, chosen) if people else chosen,
        answer.request.log_words,
        f"halves {request.splits} seed {request.seed}",
        f"precision {request.precision:g}",
        verdict=verdict,
        notes=(*rows.top_note(view.top, n_rows), *_notes(answer, table, cells)) if people else (),
        details=tuple(_details(answer, table, cells)) if people else (),
        intervals={"switch": ("switch_low", "switch_high")},
        more=("--table runs",) if table == "targets" else (),
        name="sensitivity" if table == "targets" else f"sensitivity-{table}",
        document=document,
        rows_key=table,
    )


def _cells(answer: SensitivityAnswer, table: str) -> Cells:
    """The cells of a table: runs by rank, queries by what leaving them out changes."""
    cells = filled(TABLES[table], answer)
    if table == "queries":
        return cells.rows(answer.influence.order)
    return cells.rows(rows.row_order(cells.columns, "rank")) if table == "runs" else cells


def _for_people(answer: SensitivityAnswer, cells: Cells) -> Cells:
    """The cells as people read them: the first of equal runs, and no mean that the measure does not allow."""
    low, high = answer.mean_range
    columns = dict(cells.columns)
    if "tied" in columns:
        least = zip(columns["least_total"], columns["tied"], strict=True)
        columns["least_total"] = [[run, *tied] for run, tied in least]
    for name, values in columns.items():
        if name in _SWITCHES:
            columns[name] = [value if value is not None and low <= value <= high else None for value in values]
        else:
            columns[name] = [(listed(value, 1) or None) if isinstance(value, list) else value for value in values]
    return Cells(columns, cells.declared)


def _targets_verdict(answer: SensitivityAnswer) -> _Notes:
    """Which runs have the least total, with which targets, and with which targets the ranking changes."""
    (first, *others), halves = answer.targets.targets, answer.halves
    least = first.score.least
    yield _winner_note(answer)
    for orders in others:
        if orders.kind == "leave-one-run-out" and answer.scores.n_runs == answer.targeted.pool.n_runs == 2:
            yield f"Of 2 {RUNS} {orders.label} measures one against the other, so that both have the same bias²."
        elif orders.kind in _OTHERS and orders.score.least:
            against = f"Against the best of {in_nouns(_OTHERS[orders.kind])} ({orders.label})"
            are_first = f"{_clause(orders.score.least, 'is', 'are')} first"
            behind = [run for run in least if run not in orders.score.least]
            ranks = [int(orders.score.rank[answer.scores.runs.index(run)]) for run in behind]
            if len(set(ranks)) == 1:
                yield f"{against}, {are_first} and {_clause(behind, 'has', 'have')} rank {ranks[0]}."
            elif behind:
                by_run = [f"{run} has rank {rank}" for run, rank in zip(behind, ranks, strict=True)]
                yield f"{against}, {are_first} and {listed(by_run, _NAMED)}."
            else:
                yield f"{against}, {are_first}{' too' * (orders.score.least == least)}."
    yield from _query_notes(answer)
    yield from [rows.chance_note(halves, "total")] if rows.is_chance(halves, "total") else _ranking_notes(answer)


def _winner_note(answer: SensitivityAnswer) -> str:
    """Which runs have the least total, for which means of the target they keep it, and which targets change it."""
    first, *others = answer.targets.targets
    least = first.score.least
    low, high = in_unit_ends(*answer.stable_means(least), answer.better)
    text = f"{_clause(least, 'has', 'have')} the least total error"
    if low < high:
        text += f", and {verb(len(least), 'remains', 'remain')} first for any target"
        if isfinite(low) and isfinite(high):
            text += f" mean {_range(low, high)} (now {_present_mean(answer)})"
        elif isfinite(low) or isfinite(high):
            end = f"least {num(low)}" if isfinite(low) else f"most {num(high)}"
            text += f" mean of at {end} (now {_present_mean(answer)})"
    winners: dict[tuple[str, ...], list[str]] = {}
    for orders in others:
        if orders.kind not in _OTHERS and orders.score.least and orders.score.least != least:
            winners.setdefault(orders.score.least, []).append(orders.label)
    changed = [f"{_clause(runs, 'is', 'are')} first against {listed(labels)}" for runs, labels in winners.items()]
    return "; ".join([text, *changed]) + "."


def _clause(runs: Sequence[str], one: str, many: str) -> str:
    """Runs, the first ones if they are many, and a verb that agrees with their number."""
    return f"{listed(runs, _NAMED)} {verb(len(runs), one, many)}"


def _query_notes(answer: SensitivityAnswer) -> _Notes:
    """The queries without which another run has the least total; nothing of one query."""
    influence, least = answer.influence, answer.targets.first.score.least
    if not influence.queries:
        return
    without = [list(compress(answer.scores.runs, column)) for column in influence.least.T]
    decisive = [index for index in influence.order if not set(least).intersection(without[index])]
    changed = [influence.queries[index] for index in decisive]
    if not changed and all(set(runs) == set(least) for runs in without):
        yield f"Leaving out any one {QUERY} does not change which {RUN} has the least total."
    elif not changed:
        winner = f"{'one of ' * (len(least) > 1)}{listed(least, _NAMED)}"
        yield f"Whichever {QUERY} is left out, {winner} has the least total, alone or tied."
    elif len(changed) == 1:
        yield f"Without {QUERY} {changed[0]}, {_clause(without[decisive[0]], 'has', 'have')} the least total."
    else:
        few = f"Without one of {len(changed)} of the {answer.scores.n_queries} {QUERIES} ({listed(changed, _NAMED)})"
        yield f"{few} another {RUN} has the least total."


def _ranking_notes(answer: SensitivityAnswer) -> _Notes:
    """Under which target the ranking differs most, and by how much."""
    defined = [orders for orders in answer.targets.targets[1:] if isfinite(orders.score.kendall)]
    if not defined:
        return
    taus = np.array([orders.score.kendall for orders in defined])
    tau, lowest = float(taus.min()), [orders.label for orders in compress(defined, is_least(taus))]
    if tau >= 1 - ROUNDING:
        yield "The ranking by total is the same against all of these targets."
        return
    share = share_words((1 - tau) / 2)
    change = f"{share} pairs of {RUNS} {'changes' if share.startswith('1 ') else 'change'} places"
    kendall = f"Kendall's tau {num(tau, 2 if tau < _NEAR_ONE else None)}"
    yield f"The ranking by total changes most against {listed(lowest)}: {change} ({kendall})."


def _range_notes(answer: SensitivityAnswer) -> _Notes:
    """Which means of the target keep the whole ranking, and which runs change places beyond them."""
    switches, runs = answer.switches, answer.scores.runs
    low, high = in_unit_ends(*answer.stable_means(runs), answer.better)
    if low >= high:
        yield f"{RUNS:title} with equal totals change places as soon as the target's mean changes."
    elif not isfinite(low) and not isfinite(high):
        yield "The ranking by total stays exactly as it is against every target."
    else:
        swaps = []
        for side, end in (("below", low), ("above", high)):
            if isfinite(end):
                rank = int(np.nanargmin(np.abs(switches.point - in_unit(end, answer.better))))
                pair = f"{runs[switches.order[rank]]} and {runs[switches.order[rank + 1]]}"
                swaps.append(f"{side} it {pair} change places")
        text = f"The ranking by total stays exactly as it is while the target's mean (now {_present_mean(answer)})"
        yield f"{text} is {_range(low, high)}; {', and '.join(swaps)}."


def _range(low: float, high: float) -> str:
    """A range that has one end or both.

    >>> from biasvar_cli.tables.rounding import in_words
    >>> [in_words(_range(*ends), 1) for ends in ((0.25, 0.5), (0.5, float("inf")), (-float("inf"), 0.5))]
    ['from 0.2 to 0.5', '0.5 or more', '0.5 or less']
    """
    if isfinite(low) and isfinite(high):
        return f"from {num(low)} to {num(high)}"
    return f"{num(low)} or more" if isfinite(low) else f"{num(high)} or less"


def _present_mean(answer: SensitivityAnswer) -> str:
    return num(answer.switches.mean, better=answer.better)


def _runs_verdict(answer: SensitivityAnswer) -> _Notes:
    """How many ranks differ without a run's share of the target, whose share is the largest, and how many queries do.

    Enough for the precision of the request, for the median run.
    """
    runs, unique, precision = answer.scores.runs, answer.targets.run_out.unique, answer.precision
    first = answer.targets.first.score
    others = next(orders.score for orders in answer.targets.targets if orders.kind == "leave-one-run-out")
    moves, against = np.abs(others.rank - first.rank), f"against the best of the other {RUNS} (rank_loro)"
    if n_moved := int((moves > 0).sum()):
        most = np.flatnonzero(is_least(-moves)).tolist()
        change = listed([f"{runs[run]}, from {first.rank[run]:.0f} to {others.rank[run]:.0f}" for run in most], 1)
        few = f"{n_moved} of {len(runs)} {RUNS} {verb(n_moved, 'has', 'have')} another rank {against}"
        yield f"{few}; the largest change: {change}." if n_moved > 1 else f"{few}: {change}."
    elif not np.isnan(moves).any():
        yield f"All {RUNS} have the same rank {against}."
    if unique.max() > 0:
        best = list(compress(runs, is_least(-unique)))
        names = f"{'any one of ' * (len(best) > 1)}{listed(best, _NAMED)}"
        yield f"The target's mean {falls(answer.better)} most without {names}, by {num(unique.max())}."
    if precision.n_defined:
        within = f"within a factor of {exp(precision.wanted):.2f}"
        interval = f"a {100 * precision.level:g} % interval of its variance {within}"
        there = f"there are {answer.scores.n_queries}"
        yield f"The median {RUN} needs {precision.median:.0f} {QUERIES} for {interval} (needed); {there}."


def _perfect(answer: SensitivityAnswer) -> str:
    """The mean of a perfect target."""
    return f"{in_unit(answer.perfect, answer.better):g}"


def _neighbours_verdict(answer: SensitivityAnswer) -> _Notes:
    yield from _range_notes(answer)
    switches = answer.switches
    is_known = answer.mean_range == (0.0, 1.0) if answer.better == "more" else isfinite(answer.mean_range[1])
    if switches.mean < answer.perfect and is_known:
        within, n = int(switches.within.sum()), len(switches.within)
        few = f"{within} of {n} pairs of neighbours {verb(within, 'changes', 'change')} places"
        if n == 1:
            few = f"The one pair of neighbours {'changes places' if within else 'does not change places'}"
        yield f"{few} between the target's mean and {_perfect(answer)}, the mean of a perfect target."


def _queries_verdict(answer: SensitivityAnswer) -> _Notes:
    influence = answer.influence
    if not influence.queries:
        yield f"There is only one {QUERY}, which cannot be left out."
        return
    yield from _query_notes(answer)
    without = influence.pearson[np.isfinite(influence.pearson)]
    if len(without) and isfinite(influence.whole):
        shifts = np.where(np.isfinite(influence.shift), np.abs(influence.shift), 0.0)
        most = list(compress(influence.queries, is_least(-shifts)))
        change = f"{verb(len(most), f'{QUERY}', f'{QUERIES}')} {_clause(most, 'changes', 'change')} it most"
        whole, low, high = (num(r, signed=True) for r in (influence.whole, without.min(), without.max()))
        text = f"Pearson's r of bias² and variance is {whole}; without one {QUERY} it is from {low} to {high}"
        yield f"{text}, and {change}."


def _reliability_verdict(answer: SensitivityAnswer) -> _Notes:
    halves, is_chance = answer.halves, rows.is_chance(answer.halves, "total")
    yield from rows.order_notes(halves, "mean")
    yield from [rows.chance_note(halves, "total")] if is_chance else rows.order_notes(halves, "total")
    if min(answer.scores.n_runs, answer.scores.n_queries) > 1 and answer.scores.clusters is None:
        parts = components(answer.scores.values)
        if not isnan(parts.reliability(parts.n_queries)):
            yield f"{reliability_sentence(parts)} {needed_sentence(parts)}"


def _mean_verdict(answer: SensitivityAnswer) -> _Notes:
    first, means = answer.targets.first, answer.scores.values.mean(axis=1)
    best = np.flatnonzero(is_least(-means)).tolist()
    if isfinite(first.score.rank[best[0]]):
        names = listed([answer.runs[run] for run in best], _NAMED)
        ranks = [str(rank) for rank in sorted({int(first.score.rank[run]) for run in best})]
        by_total = f"{verb(len(ranks), 'rank', 'ranks')} {listed(ranks)} of {answer.scores.n_runs} by total"
        yield f"Best mean: {names} ({num(means[best[0]], better=answer.better)}), with {by_total}."
    defined = [orders for orders in answer.targets.targets if isfinite(orders.score.by_mean)]
    if defined:
        taus = np.array([orders.score.by_mean for orders in defined])
        lowest = [orders.label for orders in compress(defined, is_least(taus))]
        text = f"Kendall's tau of the rankings by total and by mean is {num(first.score.by_mean, 2)}"
        lower = "" if first.label in lowest else f", and lowest, {num(taus.min(), 2)}, against {listed(lowest)}"
        yield f"{text}{lower}."


def _notes(answer: SensitivityAnswer, table: str, cells: Cells) -> _Notes:
    """The lines under a table."""
    if table == "targets":
        is_chance = rows.is_chance(answer.halves, "total")
        yield from _ranking_notes(answer) if is_chance else rows.order_notes(answer.halves, "total")
        first = "tau: Kendall's tau of the ranking by total with the first row's (1: the same, -1: reversed)"
        yield f"{first}; tau_gap, least_total_gap: by total_gap."
        if any(orders.kind == "quantile" for orders in answer.targets.targets):
            quantile = f"quantile {'Q' if answer.better == 'more' else '1 - Q'} of the scores of each {QUERY}"
            yield f"best:Q: {quantile} over the {RUNS}; perfect: {_perfect(answer)} on every {QUERY}."
    elif table == "runs":
        perfect = f"against {_perfect(answer)} on every {QUERY}"
        yield f"rank: by total; rank_loro: against the best of the other {RUNS}; rank_perfect: {perfect}."
        none = "; -: no possible mean" if any(map(isfinite, answer.mean_range)) else ""
        while_mean = f"while the target's mean (now {_present_mean(answer)}) is between these"
        yield f"switch: the {RUN} changes places with no other {while_mean}{none}."
        team = "; team_unique: without its team" if answer.teams is not None else ""
        yield f"unique: by how much the target's mean {falls(answer.better)} without the {RUN}{team}."
    elif table == "neighbours":
        switch = f"the target's mean, now {_present_mean(answer)}, at which both have the same total and change places"
        yield f"switch: {switch}; -: at no possible mean."
        if isfinite(answer.perfect):
            yield f"before_perfect (*): switch is between the target's mean and {_perfect(answer)}."
    elif table == "queries" and answer.influence.queries:
        yield f"Each row is the result without one {QUERY}. shift: pearson minus r of all {QUERIES}; largest first."
    elif table == "reliability":
        halves = answer.halves
        tau = f"Kendall's tau of the rankings on two random halves, {counted(halves.half, 'query')} each"
        yield f"tau: {tau} (mean of {counted(halves.n_splits, 'split')}; 1: the same, 0: unrelated)."
    elif table == "mean":
        yield explained(cells.declared, "tau", "tau_ap")
        yield explained(cells.declared, "tau_gap", "tau_ap_gap")
    if table in ("targets", "mean"):
        if answer.target.scores is None:
            yield f"No gap form (-) of the first row: the target is a mean alone, without a score per {QUERY}."
        undefined = [orders.label for orders in answer.targets.targets if isnan(orders.mean)]
        if undefined:
            yield f"No numbers (-) for {listed(undefined)}: without the {RUN}, or its team, no {RUN} is left."
        if answer.scores.n_runs < LEAST_POINTS:
            yield f"No tau (-) of {counted(answer.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed."


def _details(answer: SensitivityAnswer, table: str, cells: Cells) -> _Notes:
    """What ``--notes full`` adds."""
    if table == "targets":
        if answer.scores.n_runs > 1:
            yield from _range_notes(answer)
        yield explained(cells.declared, "mean")
    elif table == "runs":
        yield explained(cells.declared, "of_track", "needed")
    elif table == "reliability":
        yield f"All {QUERIES} together are more reliable than either half."


_VERDICTS: dict[str, Callable[[SensitivityAnswer], _Notes]] = {  # the answer to the question of a table
    "targets": _targets_verdict,
    "runs": _runs_verdict,
    "neighbours": _neighbours_verdict,
    "queries": _queries_verdict,
    "reliability": _reliability_verdict,
    "mean": _mean_verdict,
}
