"""What a ranking depends on, as tables and in words: targets, single queries, halves of the queries, and chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, isfinite

from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer
from biasvar_cli.analyses.sensitivity.columns import TABLES
from biasvar_cli.arrays import ROUNDING
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.order import is_chance, order_notes
from biasvar_cli.tables.table import Note, Table, about, document_of, listed, plain, row_order
from biasvar_cli.words import counted

_NEAR_ONE = 0.995  # a tau that two digits show as 1.00
_TAU = "1 the same, 0 unrelated, -1 reversed"


def sensitivity_table(answer: SensitivityAnswer, table: str) -> Table:
    """One of the tables of `TABLES`; its JSON has all of them."""
    tables = {name: _cells(answer, name) for name in TABLES}
    title, notes = _WORDS[table]
    about_scores = answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries
    ends = {"low": answer.switches.lowest, "high": answer.switches.highest}
    return Table.of(
        f"{title}: {about(*about_scores)}",
        tables[table],
        notes=tuple(notes(answer)),
        details=tuple(_details(answer, table)),
        intervals={"switch": ("switch_low", "switch_high")},
        document={
            **document_of(*about_scores),
            **{name: cells.records() for name, cells in tables.items()},
            "ranking_holds": {name: end if isfinite(end) else None for name, end in ends.items()},
        },
        rows_key=table,
    )


def _cells(answer: SensitivityAnswer, table: str) -> Cells:
    """The cells of a table: runs by rank, queries by what leaving them out changes."""
    cells = filled(TABLES[table], answer)
    if table == "queries":
        return cells.rows(answer.influence.order)
    return cells.rows(row_order(cells.columns, "rank")) if table == "runs" else cells


def _details(answer: SensitivityAnswer, table: str) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    if table == "targets":
        yield Note("leave-one-run-out: mean is the mean of the targets of all runs.")
    if table == "runs":
        yield Note("bias_loro (--columns, csv, JSON): the bias against the best of the other runs.")
        yield Note(
            "slope (--columns, csv, JSON): the change of the run's score with the mean score of a query over the "
            "pool; above 1 the run makes the differences between queries greater."
        )
        if answer.teams is not None:
            yield Note("bias_loto (--columns, csv, JSON): the bias against the best of the other teams' runs.")
    if table == "reliability":
        yield Note("All queries together are more reliable than either half.")
    if table == "mean":
        yield Note("tau_ap: the mean of tau_AP over all orders of tied runs.")


def _of_targets(answer: SensitivityAnswer) -> Iterator[Note]:
    yield from _lowest(answer)
    low, high = answer.switches.lowest, answer.switches.highest
    bounds = [(words, value) for words, value in (("from {}", low), ("to {}", high)) if isfinite(value)]
    if bounds:
        means, values = " ".join(words for words, _ in bounds), tuple(value for _, value in bounds)
        text = f"The order by total is the same for targets whose mean is {means} (now {{}})."
        yield Note(text, (*values, answer.switches.mean), signed=False)
    else:
        yield Note("The order by total is the same whatever the target's mean.")
    if is_chance(answer.halves, "total"):
        text = "The order by total is close to chance: Kendall's tau {} between random halves of the queries."
        yield Note(text, (answer.halves.total,), signed=False, digits=2)
    else:
        yield from order_notes(answer.halves, "total")
    yield Note(f"tau, tau_gap: agreement with the first row; {_TAU}.")
    yield Note("leave-one-run-out: every run against the best of the others. least_total: the best run by total.")
    yield from _undefined_targets(answer)


def _lowest(answer: SensitivityAnswer) -> Iterator[Note]:
    """Under which target the order differs most, and under which another run is best."""
    given, *others = answer.targets.targets
    defined = [orders for orders in others if isfinite(orders.score.kendall)]
    if defined:
        lowest = min(defined, key=lambda orders: orders.score.kendall)
        tau = lowest.score.kendall
        if tau >= 1 - ROUNDING and len(defined) == len(others):
            yield Note("The order by total is the same under all of these targets.")
            return
        if tau < 1 - ROUNDING:
            text = f"The order by total differs most under {plain(lowest.label)}: tau {{}}."
            yield Note(text, (tau,), digits=2 if tau < _NEAR_ONE else None)
    changed = [orders.label for orders in others if orders.score.least and orders.score.least != given.score.least]
    if changed:
        yield Note(f"Another run has the least total under {listed(changed)}.")
    elif others:
        yield Note("The run of least total is the same under all of them.")


def _undefined_targets(answer: SensitivityAnswer) -> Iterator[Note]:
    """Why a row, or the gap form, has no numbers."""
    if answer.target.scores is None:
        yield Note("Undefined (-): a target that is a mean alone has no gap form.")
    gone = [orders.label for orders in answer.targets.targets if orders.mean != orders.mean]
    if gone:
        yield Note(f"Undefined (-): without the run, or its team, no run is left for {', '.join(gone)}.")
    if answer.scores.n_runs < LEAST_POINTS:
        yield Note(f"No tau of {counted(answer.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed.")


def _of_runs(answer: SensitivityAnswer) -> Iterator[Note]:
    wanted, level, n_queries = answer.precision.wanted, answer.precision.level, answer.scores.n_queries
    ranks = ["rank_loro: against the best of the other runs"]
    if any(orders.kind == "perfect" for orders in answer.targets.targets):
        ranks.append("rank_perfect: against all 1")
    yield Note(f"rank: by total; {'; '.join(ranks)}.")
    team = "; team_unique: without its whole team, - where no other team is left" if answer.teams is not None else ""
    yield Note(f"unique: what the target's mean would lose without the run{team}.")
    text = "switch: while the target's mean, now {}, is within, no run changes places with this one."
    yield Note(text, (answer.switches.mean,), signed=False)
    yield Note("of_track: the share of the run's variance that follows how hard queries are for all runs.")
    factor = f"a factor {exp(wanted):.2f} ({100 * level:g} %)"
    median = f"; median {answer.precision.median:.0f}, there are {n_queries}" if answer.precision.n_defined else ""
    yield Note(f"needed: queries until var is known to {factor}{median}.")


def _of_neighbours(answer: SensitivityAnswer) -> Iterator[Note]:
    text = "switch: the target's mean, now {}, at which run and next have the same total and change places."
    yield Note(text, (answer.switches.mean,), signed=False)
    yield Note("before_perfect (*): that lies between the target's mean and 1, the mean of a perfect target.")


def _of_queries(answer: SensitivityAnswer) -> Iterator[Note]:
    if answer.scores.n_queries == 1:
        yield Note("There is one query only, which cannot be left out.")
        return
    influence, runs, least = answer.influence, answer.scores.runs, answer.targets.given.score.least
    changed = [influence.queries[index] for index in influence.order if runs[influence.least[index]] not in least]
    yield Note("Each row leaves one query out; those that change r, Pearson's correlation, most come first.")
    yield Note("shift: pearson minus the r of all queries, {}.", (influence.whole,))
    if changed:
        without = f"one of {len(changed)} queries" if len(changed) > 1 else "1 query"
        yield Note(f"Without {without} another run has the least total: {listed(changed)}.")
    else:
        yield Note("Without any one query the run of least total stays the same.")


def _of_reliability(answer: SensitivityAnswer) -> Iterator[Note]:
    halves = answer.halves
    yield Note(
        f"tau: agreement of the orders from two random halves of {counted(halves.half, 'query')}, mean of "
        f"{counted(halves.n_splits, 'split')}."
    )
    yield Note(f"It is Kendall's tau: {_TAU}.")
    if is_chance(halves, "total"):
        yield Note("The order by total is close to chance here.")


def _of_mean(answer: SensitivityAnswer) -> Iterator[Note]:
    best = int(answer.scores.values.mean(axis=1).argmax())
    rank = answer.targets.given.score.rank[best]
    if isfinite(rank):
        text = f"is at place {rank:.0f} of {counted(answer.scores.n_runs, 'run')} by total"
        yield Note(f"The run with the best mean, {answer.scores.runs[best]}, {text}.")
    yield Note("tau: agreement of the orders by total and by mean (tau_gap: by total_gap), the best first.")
    yield Note(f"It is Kendall's tau: {_TAU}.")
    yield Note("tau_ap, tau_ap_gap: the same, but the top of the order by total, or total_gap, weighs most.")
    yield from _undefined_targets(answer)


_WORDS: dict[str, tuple[str, Callable[[SensitivityAnswer], Iterator[Note]]]] = {
    "targets": ("The order of the runs under other targets", _of_targets),
    "runs": ("What each run's place depends on", _of_runs),
    "neighbours": ("Switch points of neighbours in the order by total", _of_neighbours),
    "queries": ("Without single queries", _of_queries),
    "reliability": ("Reliability of the orders", _of_reliability),
    "mean": ("The orders by total and by mean", _of_mean),
}
