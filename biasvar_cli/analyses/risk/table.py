"""Risk against a baseline as a table, a row a run, a row a query, or a row a query of one run, and what the text says.

The text names the baseline, which runs are safe and which risky, and by which test.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from biasvar_cli.analyses.compare.system_notes import HALF, more_runs_words, needed_notes, system_notes
from biasvar_cli.analyses.risk import TABLES
from biasvar_cli.analyses.risk.answer import RiskAnswer, RunQueries
from biasvar_cli.analyses.risk.inference import RiskVerdicts
from biasvar_cli.arrays import BoolArray, FloatArray, equalised, is_least
from biasvar_cli.errors import full_name
from biasvar_cli.scoring.targets import best_run
from biasvar_cli.specs.limits import FEWEST_QUERIES, LEVEL, threshold
from biasvar_cli.stats import significance, step_down
from biasvar_cli.tables import table
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import View, chosen_rows, row_order, rows_of, top_note, with_row_notes
from biasvar_cli.tables.table import Table, above, at_least, below, evaluated, explained, signature
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, all_of, argument, counted, either, in_nouns, listed, verb

_MOST_RUNS = 4  # in a sentence


@dataclass(frozen=True, kw_only=True)
class RiskView(View):
    """Which rows to show of which table: runs, queries, or run:NAME."""

    table: str = "runs"

    @property
    def run(self) -> str | None:
        """The run whose queries are shown; None where all runs are."""
        return self.table.removeprefix("run:") if self.table.startswith("run:") else None


VIEW = RiskView


def tables(answers: Sequence[RiskAnswer], view: RiskView) -> list[Table]:
    """A table for each measure and baseline."""
    return [risk_table(answer, view) for answer in answers]


def _system_notes(answer: RiskAnswer) -> Iterator[str]:
    """What numbers of systems are of, and what tests and intervals of them are about."""
    tests, replicates = answer.tests, answer.scores.replicates
    uneven = replicates is not None and np.ptp(replicates.sizes) > 0
    yield "Gains and losses are of these means" + (
        ": the mean of fewer runs has more of both, and so a lower u_risk." if uneven else "."
    )
    yield from system_notes(() if tests is None else tests.runs, tests)
    if tests is not None:
        of_runs = "t_risk is" if answer.request.ci is None else "t_risk and the intervals of geo_risk are"
        yield f"{of_runs} about these runs alone."


@with_row_notes("scores", _system_notes)
def risk_table(answer: RiskAnswer, view: RiskView) -> Table:
    """The table that a view asks for. Raises `UsageError` for a column to sort by that is not there."""
    if view.run is not None:
        return _run_table(answer, view.run, view)
    return _queries_table(answer, view) if view.table == "queries" else _runs_table(answer, view)


def _runs_table(answer: RiskAnswer, view: RiskView) -> Table:
    cells, alpha, level = filled(TABLES["runs"], answer), answer.request.main_alpha, answer.request.ci
    main = f"{alpha:g}"
    usual = f"-u_risk_{main}" if view.is_best_first else "run"
    visible = chosen_rows(cells, replace(view, sort=view.sort or usual), names="run", declared=TABLES["runs"])
    of_main = {f"u_risk_{main}", f"t_risk_{main}", f"geo_risk_{main}", f"u_risk_{main}_low", f"u_risk_{main}_high"}
    hidden = {name for name in cells.columns if "_risk_" in name} - of_main
    hidden |= {"verdict"} if set(cells.columns["verdict"]) == {None} else set()
    heads: dict[str, tuple[str, str]] = {}
    if level is not None:
        names = [name.removesuffix("_low") for name in cells.columns if name.endswith("_low")]
        heads = {f"{name} {100 * level:g} %": (f"{name}_low", f"{name}_high") for name in names}
    second: tuple[Table, ...] = ()
    if answer.decomposition is not None:
        ranks = answer.ranks[answer.request.alpha.index(alpha)]
        columns = {"spearman": [ranks.spearman], "kendall": [ranks.kendall]}
        orders = f"by geo_risk_{main} and by total (target {answer.decomposition.target.label})"
        title = f"Correlation of the rankings {orders}: 1 equal, -1 reversed"
        second = (Table(title, columns, signed=frozenset(columns)),)
    return Table.of(
        title_of(answer),
        visible,
        hidden=frozenset(hidden),
        verdict=tuple(_verdict_notes(answer)) if view.for_people else (),
        notes=(*top_note(view.top, answer.n_runs, "run"), *(_notes(answer) if view.for_people else ())),
        details=tuple(_details(answer, cells)) if view.for_people else (),
        second=second,
        intervals=heads,
        caption=tuple(_caption(answer)) if view.for_people else (),
        name="risk",
        signature=_signature(answer),
        document={**_document(answer), "runs": None, **_added_keys(answer)},
        rows_key="runs",
    )


def _caption(answer: RiskAnswer) -> Iterator[str]:
    """What a loss counts, and what the tests of systems are about."""
    if (alpha := answer.request.main_alpha) > 0:
        yield f"A loss counts {1 + alpha:g} times where alpha = {alpha:g}"
    if answer.scores.replicates is not None:
        yield from system_notes(() if answer.tests is None else answer.tests.runs, answer.tests, typed=False)


def _queries_table(answer: RiskAnswer, view: RiskView) -> Table:
    """One row a query: how many runs lose there. People read the queries with most losses first."""
    cells, order = filled(TABLES["queries"], answer), list(range(answer.n_queries))
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names="query_id", declared=TABLES["queries"])
    elif view.is_best_first:
        order.sort(key=lambda index: -cells.columns["losses"][index])
    notes = (explained(cells.declared, "largest_loss"), "This table as csv is a baseline: --baseline file:PATH.")
    return Table.of(
        title_of(answer),
        rows_of(cells, order, view),
        verdict=tuple(_losers_notes(answer)),
        notes=(*top_note(view.top, len(order), "query"), *notes),
        name="risk-queries",
        signature=_signature(answer),
        document=_document(answer),
        rows_key="queries",
    )


def _run_table(answer: RiskAnswer, run: str, view: RiskView) -> Table:
    """One row a query of one run, its largest losses first: T_risk of single queries."""
    run = full_name(argument(table=f"run:{run}"), run, answer.runs)  # by the name that people are shown
    queries = RunQueries(answer, answer.scores.row(run))
    cells = filled(TABLES["run"], queries)
    order = np.argsort(queries.delta, kind="stable").tolist()
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names="query_id", declared=TABLES["run"])
    meanings = [explained(cells.declared, name) for name in ("delta", f"t_risk_{answer.request.main_alpha:g}")]
    delta, n_losses = queries.delta, int((queries.delta < 0).sum())
    wins = f"{above(answer.better)} the baseline on {int((delta > 0).sum())} of {counted(len(delta), 'query')}"
    mean = num(delta.mean(), signed=True)
    verdict = [f"{run} is {wins} and {below(answer.better)} on {n_losses}; its mean difference is {mean}."]
    if n_losses:
        worst = [answer.scores.queries[query] for query in np.flatnonzero(is_least(delta))]
        lost_on = f"{verb(len(worst), f'{QUERY}', f'{QUERIES}')} {listed(worst, _MOST_RUNS)}"
        verdict.append(f"Its largest loss is {num(-delta.min())}, on {lost_on}.")
    return Table.of(
        title_of(answer),
        rows_of(cells, order, view),
        verdict=tuple(verdict),
        notes=(*top_note(view.top, len(order), "query"), *meanings),
        name=f"risk-{run}",
        signature=_signature(answer),
        document={**_document(answer), "run": run},
        rows_key="queries",
    )


def _signature(answer: RiskAnswer) -> str:
    request, baseline = answer.request, answer.baseline
    kind = "top " if baseline.spec.kind == "top" else ""
    of_pool = f" of {baseline.n_pool}" if baseline.run is None and baseline.n_pool else ""
    intervals = f"intervals {request.ci:g} of {request.n_resamples} resamples seed {request.seed}" if request.ci else ""
    return signature(
        answer.measure,
        answer.scored.basis,
        f"baseline {kind}{baseline.run or baseline.label!s}{of_pool}",
        f"alpha {' '.join(f'{alpha:g}' for alpha in request.alpha)}",
        f"ties within {request.tie_eps:g}" if request.tie_eps else "",
        f"stepdown {significance.USUAL_RESAMPLES} resamples seed {request.seed}" if answer.tests is None else "",
        f"systems{' paired' * request.paired_replicates}" if answer.tests is not None else "",
        intervals,
    )


def _added_keys(answer: RiskAnswer) -> dict[str, Any]:
    """The keys of JSON that options add."""
    added: dict[str, Any] = {}
    request = answer.request
    if answer.decomposition is not None:
        ranks = [
            {"alpha": alpha, "spearman": ranks.spearman, "kendall": ranks.kendall}
            for alpha, ranks in zip(request.alpha, answer.ranks, strict=True)
        ]
        added["decomposition"] = {"target": answer.decomposition.target.label, "geo_risk_and_total": ranks}
    if request.ci is not None:
        made = {"level": request.ci, "resamples": request.n_resamples, "seed": request.seed}
        added["intervals"] = {**made, "u_risk": "t", "geo_risk": "bca"}
    return added


def _document(answer: RiskAnswer) -> dict[str, Any]:
    baseline = {name: getattr(answer.baseline.in_unit, name) for name in ("kind", "label", "mean", "var", "n_pool")}
    return {
        "measure": answer.measure,
        "better": answer.better,
        "baseline": baseline,
        "alphas": list(answer.request.alpha),
        "r_loss_k": answer.request.r_loss,
        "n_runs": answer.n_runs,
        "n_queries": answer.n_queries,
        **({} if answer.scores.replicates is None else {"infer": answer.request.infer}),
        **table.clusters_document(answer.n_clusters),
    }


# ---- before the table of runs


def title_of(answer: RiskAnswer) -> str:
    """What was evaluated, and the baseline with its mean: the first line."""
    line = evaluated(answer.measure, answer.n_runs, answer.n_queries, n_clusters=answer.n_clusters)
    baseline, words = answer.baseline, baseline_words(answer)
    words += f" on each {QUERY}" if baseline.kind in ("mean", "median") else ""
    words += ", which has the best mean" if baseline.spec.kind == "top" else ""
    return f"{line} Baseline: {words}, mean {num(baseline.in_unit.mean)}"


def baseline_words(answer: RiskAnswer) -> str:
    """The baseline in words."""
    baseline = answer.baseline
    pool = f"the {RUNS}" if baseline.n_pool == answer.n_runs else f"a pool of {counted(baseline.n_pool, 'run')}"
    return {
        "mean": f"the mean of {pool}",
        "median": f"the median of {pool}",
        "best": f"the best score of each {QUERY} over {pool}",
        "file": f"the scores in {baseline.spec.name}",
        "run": f"the {RUN} {baseline.run}",
    }[baseline.kind]


def _verdict_notes(answer: RiskAnswer) -> Iterator[str]:
    """Which runs are safe, which risky and which neither, and by which test; or why nothing is said of that."""
    units = answer.scores.units
    if answer.baseline.spec.kind == "best":
        yield "Every difference from the best scores is a loss or a tie: u_risk_A is -(1 + A) times the bias."
    elif answer.verdicts is None:
        yield f"The baseline is the only {RUN}: there is nothing to compare."
    elif units.n < FEWEST_QUERIES:
        yield f"No {RUN} is called safe or risky: that takes {at_least(units)}."
    else:
        yield from _claims(answer, answer.verdicts)


def _claims(answer: RiskAnswer, verdicts: RiskVerdicts) -> Iterator[str]:
    """Beside the best run, which was chosen for its mean, no run can be safe, and the test is of all pairs."""
    runs, wins, losses, top = answer.runs, answer.risk.wins, answer.risk.losses, answer.baseline.run
    (safe, risky), n_pairs, n_compared = _claimed(answer, verdicts), verdicts.n_pairs, verdicts.n_compared
    of_all, u_risk = f"of {counted(n_compared, 'run')}", f"u_risk_{answer.request.main_alpha:g}"
    number_risky = _number([runs[run] for run in risky], of_all)
    if n_pairs is None:
        names = [f"{runs[run]} ({wins[run]}, {losses[run]})" for run in safe]
        names[:1] = [f"{runs[run]} (wins {wins[run]}, losses {losses[run]})" for run in safe[:1]]
        meaning = f"mean significantly {above(answer.better)} the baseline's, {u_risk} above 0"
        yield f"Safe ({meaning}): {_number(names, of_all)}."
        yield f"Risky ({u_risk} significantly below 0): {number_risky}."
    else:
        yield f"Risky (mean significantly below that of {top}, and so {u_risk} below 0): {number_risky}."
    n_neither = n_compared - len(safe) - len(risky)
    others = verb(n_neither, f"the one {RUN}", f"{all_of(n_neither)} {RUNS}")
    if safe or risky:
        others = verb(n_neither, f"the other {RUN}", f"the other {n_neither} {RUNS}")
    and_runs = "" if answer.tests is None else " and runs"
    if n_neither:
        yield f"Neither: {others}, for which these {QUERIES}{and_runs} do not decide."
    method = significance.primary_words(step_down.method_for(answer.scores.units.n, n_pairs or n_compared))
    if answer.tests is not None:
        method = f"t test over {QUERIES} and runs" + (" with Holm's correction" if (n_pairs or n_compared) > 1 else "")
    p = f"p < {threshold(LEVEL):g}"
    if n_pairs is None:
        family = f", adjusted for {n_compared} {RUNS}" if n_compared > 1 else ""
        yield f"Tests: two-sided {method}, {p}{family}; of mean differences for safe, of {u_risk} for risky."
    else:
        all_pairs = f"{all_of(n_pairs)} pairs of {RUNS} together, since {top} was chosen for its mean"
        yield f"Test: two-sided {method} of mean differences, {p} for {verb(n_pairs, 'one pair', all_pairs)}."
    if answer.tests is not None:
        claimed = verdicts.safe | verdicts.risky
        plans = [plan for plan, any_claim in zip(answer.tests.plans, claimed, strict=True) if plan and not any_claim]
        n = sum(plan.share > HALF for plan in plans)
        some = f"{n} of the {len(plans)}" if n < len(plans) else f"the {n}"
        which = f"the {RUN} that is" if len(plans) == 1 else f"{some} {RUNS} that are"
        if n:
            yield more_runs_words(f"the mean difference of {which} neither")


def _claimed(answer: RiskAnswer, verdicts: RiskVerdicts) -> tuple[list[int], list[int]]:
    """The rows of the safe runs, that of the largest U_risk first, and of the risky ones, the least first."""
    (at,) = (at for at in answer.risk.at if at.alpha == answer.request.main_alpha)
    u_risk = equalised(at.u_risk)
    return _ordered(verdicts.safe, -u_risk), _ordered(verdicts.risky, u_risk)


def _ordered(claimed: BoolArray, order: FloatArray) -> list[int]:
    """The rows of the claimed runs, in ascending order of some numbers, (n_runs,)."""
    return [run for run in np.argsort(order, kind="stable").tolist() if claimed[run]]


def _number(names: Sequence[str], of_all: str) -> str:
    """How many runs these are of all, and the first of them."""
    return f"{len(names)} {of_all}: {listed(names, _MOST_RUNS)}" if names else f"none {of_all}"


# ---- under the table of runs


def _notes(answer: RiskAnswer) -> Iterator[str]:
    """What decides a verdict, what is undefined, and how to choose another baseline."""
    request, verdicts, units, baseline = answer.request, answer.verdicts, answer.scores.units, answer.baseline
    alpha = request.main_alpha
    if answer.better == "less":
        yield "Less is better: a gain is a score below the baseline's, and u_risk is that of the negated scores."
    if baseline.spec.kind == "run" and best_run(answer.scores) == baseline.run:
        yield from table.best_baseline_note(baseline.run, answer.n_runs)
    if verdicts is not None and verdicts.n_pairs is None and verdicts.risky.any() and alpha > 0:
        yield f"{RUN:A} can be risky with the baseline's mean: equal gains and losses make u_risk_{alpha:g} negative."
    yield (
        f"u_risk_{alpha:g}: reward - (1 + alpha) risk, mean gain and mean loss over all {QUERIES}, alpha = {alpha:g}. "
        f"t_risk_{alpha:g}: that over its standard error, which is not the test of risky."
    )
    if answer.geo.reason == "one-run":
        yield in_nouns("z_risk and geo_risk are undefined (-): there is only one run.")
    elif answer.geo.reason == "negative":
        why = "they are of scores of which more is better" if answer.better == "less" else "there is a negative score"
        yield f"z_risk, geo_risk and gmap are undefined (-): {why}."
    undefined = int(np.isnan(answer.risk.at[0].t_risk).sum())
    if undefined:
        why = f"there is one {QUERY}" if answer.n_queries == 1 else "every difference is the same"
        why = f"that takes {at_least(units)}" if units.are_few else why
        yield f"t_risk is undefined (-) for {counted(undefined, 'run')}: {why}."
    yield from needed_notes(answer.tests, request.half_width, LEVEL)
    if baseline.kind == "mean":
        good = f"Almost every good {RUN} is {above(answer.better)} this baseline"
        yield f"{good}. For another, such as {RUN:a}: {argument('baseline RUN')}."
    else:
        others = "RUN, top, mean, median, best or file:PATH"
        yield f"For another baseline: {either(f'--baseline {others}', f'baseline, {others}')}."
    if answer.request.ci is not None and answer.n_queries == 1:
        yield f"No intervals: one {QUERY} has no spread."
    elif answer.request.ci is not None and units.are_few:
        yield f"No intervals: that takes {at_least(units)}."


def _details(answer: RiskAnswer, cells: Cells) -> Iterator[str]:
    """What ``--notes full`` adds: the best runs, all safe and risky ones, how claims were tested, what columns mean."""
    request, units = answer.request, answer.scores.units
    main = f"{request.main_alpha:g}"
    criteria: dict[str, list[str]] = {}  # by which a run is the best
    for name in ("mean", f"u_risk_{main}", f"t_risk_{main}", f"geo_risk_{main}"):
        best = row_order(cells.columns, f"-{name}")[0]
        defined = [value for value in cells.columns[name] if not isnan(value)]
        if len(defined) > 1 or name == "mean":  # else it is the baseline's alone
            criteria.setdefault(cells.columns["run"][best], []).append(name)
    best_runs = [f"by {', '.join(names)}: {run}" for run, names in criteria.items()]
    yield f"Best {'; '.join(best_runs)}."
    if answer.verdicts is not None and units.n >= FEWEST_QUERIES:
        yield from _claims_in_full(answer, answer.verdicts)
    yield (
        f"t_risk_A and t_risk_A_p are of one {RUN} alone, not adjusted for {counted(answer.n_runs, 'run')}. At A = 0, "
        f"t_risk_A is the statistic of the paired t test. For A above 0 and enough {QUERIES} it is below -2 for a "
        f"{RUN} that merely differs from the baseline with the same mean: that is no test of more risk than chance."
    )
    for name in ("delta", "wins", "losses", "ri", f"t_risk_{main}", f"geo_risk_{main}", f"z_risk_{main}", "r_loss"):
        if name in cells.columns:
            yield explained(cells.declared, name)
    if request.ci is not None and answer.n_queries > 1 and not units.are_few:
        queries = QUERIES if answer.n_clusters is None else f"clusters of {QUERIES}"
        made = f"{counted(request.n_resamples, 'resample')}, seed {request.seed}"
        of_runs = "" if answer.tests is None else f" over {QUERIES} and runs"
        yield (
            f"Intervals of {100 * request.ci:g} % are for new {queries} of the same kind: of u_risk by Student's "
            f"t{of_runs}, of geo_risk by BCa ({made}). --columns shows those of geo_risk too."
        )


def _claims_in_full(answer: RiskAnswer, verdicts: RiskVerdicts) -> Iterator[str]:
    """All safe and risky runs, which runs deviate most, and how the claims were tested."""
    for word, claimed in zip(("safe", "risky"), _claimed(answer, verdicts), strict=True):
        if len(claimed) > _MOST_RUNS:
            yield f"All {word} {RUNS}: {listed([answer.runs[run] for run in claimed], None)}."
    if verdicts.n_pairs is None and verdicts.n_compared > 1:
        deviant = [answer.runs[run] for run in _ordered(verdicts.deviant, -equalised(verdicts.deviation))]
        number = _number(deviant, f"of {counted(verdicts.n_compared, 'run')}")
        yield f"Deviates significantly more from the baseline, up or down, than the other {RUNS}: {number}."
    drawn = f"{significance.USUAL_RESAMPLES} resamples, seed {answer.request.seed}" if answer.tests is None else ""
    tests = f"Safe, risky and deviating {RUNS} come from separate tests" + (f" ({drawn})" if drawn else "")
    if verdicts.n_pairs is not None:
        tests = f"No {RUN} is safe beside the one with the best mean" + (f". The test has {drawn}" if drawn else "")
    yield f"{tests}. {RUN:A} that is not called risky may be risky all the same."


# ---- of the other tables


def _losers_notes(answer: RiskAnswer) -> Iterator[str]:
    """On which query most runs lose, and which loss is the largest."""
    losers, side = answer.losers, below(answer.better)
    if not losers.losses.any():
        yield f"No {RUN} is {side} the baseline on any {QUERY}."
        return
    n_losses = int(losers.losses.max())
    most = [answer.scores.queries[query] for query in np.flatnonzero(losers.losses == n_losses)]
    runs = f"{n_losses} of {counted(answer.n_runs, 'run')} {verb(n_losses, 'is', 'are')}"
    if len(most) == 1:
        yield f"{QUERY:title} {most[0]} has the most losses: {runs} {side} the baseline there."
    else:
        names = f" ({listed(most, _MOST_RUNS)})" if 2 * len(most) < answer.n_queries else ""
        tied = f"{len(most)} of {answer.n_queries} {QUERIES}{names} have the most losses"
        yield f"{tied}: on {QUERY:a} of these {runs} {side} the baseline."
    first, *others = np.flatnonzero(is_least(-losers.largest_loss)).tolist()
    loss = f"{num(losers.largest_loss[first])}, of {losers.run[first]} on {QUERY} {answer.scores.queries[first]}"
    more = f"; as large on {counted(len(others), f'other {QUERY}')}" if others else ""
    yield f"Largest loss: {loss}{more}."
