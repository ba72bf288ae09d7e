"""Judges as tables, a row a judge, a run under a judge or a query under a judge, and what the text says of them.

A judge is called lenient or strict, or said to spread the runs less or more, only where a test says so, and a run is
favoured only by the test of `decomposition.judge_differences.favour`. Two rankings are much alike from a Kendall's tau
of .8 on.
"""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from biasvar_cli.analyses.judges import CALIBRATED, CALIBRATED_JUDGES, COMPARED, TABLES, JudgesRequest, calibrated_table
from biasvar_cli.analyses.judges.answer import MARKS, JudgeAnswer, JudgesAnswer
from biasvar_cli.analyses.judges.components_table import components_table
from biasvar_cli.decomposition.judge_differences import PairClasses
from biasvar_cli.score_matrix import in_unit
from biasvar_cli.specs.limits import FEWEST_QUERIES, is_significant, threshold
from biasvar_cli.tables.column import Cells, Column, expanded, filled
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import View, row_order, top_note
from biasvar_cli.tables.table import (
    Table,
    at_least,
    clusters_document,
    direction_notes,
    for_paper,
    signature,
    without_paper,
)
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, counted, counted_queries, listed, verb

_ROW_NAMES = {"judges": "judge", "agreement": "judge", "runs": "run", "queries": "query_id"}
_FIRST = ("tau", "both", "lost", "gained", "reversed", "spread")  # columns for people
_IN_FULL = 2  # judges beside the reference, of more each has one line
_MOST_NAMES = 4
_FEWEST_RUNS = 4  # for a distance from a parabola


VIEW = View


def _shown(request: JudgesRequest) -> list[Column[JudgesAnswer]]:
    """The columns of calibrated runs for people."""
    names = ("measure", "judge", *(CALIBRATED if request.baseline is None else COMPARED))
    return [column for column in expanded(TABLES["runs"]) if column.name in names]


def tables(answers: Sequence[JudgesAnswer], view: View) -> list[Table]:
    """A table for each measure."""
    table = components_table if view.table == "components" else judges_table
    return [table(answer, view) for answer in answers]


def judges_table(answer: JudgesAnswer, view: View) -> Table:
    """One of the three tables; JSON has the judges and the runs. Raises `UsageError` for a column that is not there.

    Judges are as they were given. Under each, people read what differs most first, and scripts are given names.
    """
    calibrated = answer.request.calibrate and view.table == "runs"
    declared = _shown(answer.request) if calibrated and view.for_people else TABLES[view.table]
    cells = filled(declared, answer)
    judges, request, reference = cells.columns["judge"], answer.request, answer.reference
    order = list(range(len(judges)))
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names=_ROW_NAMES[view.table], declared=TABLES[view.table])
    elif calibrated and view.is_best_first:
        order.sort(key=lambda row: (list(dict.fromkeys(judges)).index(judges[row]), cells.columns["rank"][row]))
    elif view.table in ("runs", "queries") and view.is_best_first:
        column, names = cells.columns["residual" if view.table == "runs" else "difference"], list(dict.fromkeys(judges))
        order.sort(key=lambda row: (names.index(judges[row]), -abs(round(column[row], 12)), row))
    visible, notes = cells.rows(order[: view.top]), tuple(_notes(answer, view.table)) if view.for_people else ()
    if view.for_people and view.table == "judges":
        visible = visible.moved(_FIRST, before="slope")
    return Table.of(
        _title(answer) if view.for_people else "",
        visible,
        verdict=_verdict_of(answer, view.table) if view.for_people else (),
        notes=(*notes, *top_note(view.top, len(judges))) if view.for_people else (),
        details=tuple(_details(answer)) if view.for_people else (),
        caption=without_paper(notes),
        intervals=_intervals(request) if calibrated else {},
        more=("--table runs", "--table queries") if view.table == "judges" and not view.for_json else (),
        name="judges" if view.table == "judges" else f"judges-{view.table}",
        document=_document(answer, visible, view) if view.for_json else {},
        signature=signature(
            answer.measure,
            reference.scored.basis,
            f"judges {', '.join(judge.name for judge in answer.judges)} beside {reference.name}",
            "" if request.replicates is None else f"passes {request.replicates}",
            f"calibrated {request.of}" if request.calibrate else "",
            f"baseline {request.versus.name}" if request.versus is not None else "",
            f"level {request.level:g} of {request.samples} samples seed {request.seed}",
            target=reference.decomposed.target,
        ),
        rows_key="" if view.for_json else "rows",
    )


def _intervals(request: JudgesRequest) -> dict[str, tuple[str, str]]:
    """The columns of calibrated runs that stand as intervals."""
    if request.baseline is not None:
        return {"interval": ("delta_low", "delta_high")}
    return {"interval": ("low", "high"), "ranks": ("rank_low", "rank_high")}


def _document(answer: JudgesAnswer, chosen: Cells, view: View) -> dict[str, Any]:
    """The judges and the runs in JSON, and the queries where these are asked for."""
    reference = answer.reference
    rows = {table: filled(TABLES[table], answer).records() for table in ("judges", "runs")}
    rows[view.table] = chosen.records()
    for row in rows["judges"] if answer.request.calibrate else ():
        row["calibrated"] = {column.name: row.pop(column.name) for column in CALIBRATED_JUDGES}
    for run in rows["runs"]:
        run["mark"] = run["mark"] or None
    halves = reference.decomposed.halves
    return {
        "measure": answer.measure,
        "reference": reference.name,
        "n_runs": answer.n_runs,
        "n_queries": answer.n_queries,
        **clusters_document(answer.n_clusters),
        "mean": in_unit(reference.mean, answer.better),
        "n_significant": reference.n_significant,
        "halves_tau": halves.bias,
        "pearson": reference.pearson,
        "verdict": reference.verdict,
        **rows,
        "better": answer.better,
        "halves_tau_var": halves.var,
        "best": reference.best,
        "level": answer.request.level,
    }


# ---- the sentences


def _verdict_of(answer: JudgesAnswer, table: str) -> tuple[str, ...]:
    """What stands before a table: what each judge changes, how far it agrees, or what it adds to the reference."""
    if table == "agreement":
        return tuple(_agreement(answer, judge) for judge in answer.judges)
    if answer.request.calibrate:
        return tuple(map(calibrated_table.verdict, answer.calibrations))
    return _verdict(answer)


def _agreement(answer: JudgesAnswer, judge: JudgeAnswer) -> str:
    """How many documents have the same grade under a judge, or why nothing is said of that."""
    n_documents, equal, kappa, alpha, *_ = judge.agreement
    if n_documents is None:
        passes = max(judge.n_passes, len(answer.reference.passes)) > 1
        reason = "passes that are one judge have several" if passes else "these are scores"
        return f"{judge.name}: no grades to compare; {reason}."
    if n_documents == 0:
        return f"{judge.name} and {answer.reference.name} judged no {QUERY} and document in common."
    share = f"{num(100 * equal, 1)} % of {n_documents} documents"
    same = f"{judge.name} and {answer.reference.name} give {share} the same grade"
    if isnan(kappa):
        return f"{same}, the only one that they use on these: no kappa and no alpha."
    return f"{same} (Cohen's kappa {num(kappa, 2)}, Krippendorff's alpha {num(alpha, 2)})."


def _title(answer: JudgesAnswer) -> str:
    """What was evaluated, and under which judges."""
    measure = answer.measure or "Scores (unknown measure)"
    size = f"{measure} of {counted(answer.n_runs, 'run')} on {counted_queries(answer.n_queries, answer.n_clusters)}"
    if len(answer.calibrations) == 1:
        return f"{measure} of {counted(answer.n_runs, 'run')}: {answer.calibrations[0].words}"
    reference, mean = answer.reference.name, num(answer.reference.mean, 3, better=answer.better)
    return f"{size} under {len(answer.judges) + 1} judges. Reference: {reference} (mean {mean})"


def _verdict(answer: JudgesAnswer) -> tuple[str, ...]:
    """What each judge changes: a few sentences, or a line for each of many judges and one on the best run."""
    judges, best = answer.judges, answer.reference.best
    if len(judges) <= _IN_FULL:
        return tuple(" ".join([*_rankings(answer, judge), *_differences(answer, judge)]) for judge in judges)
    lines = []
    for judge in judges:
        parts, taus = [], judge.taus
        if not isnan(taus.mean):
            by_variance = "undefined" if isnan(taus.var) else num(taus.var, 2)
            tau = f"Kendall's tau {num(taus.mean, 2)}, by variance {by_variance}"
            parts.append(f"rankings {_likeness(taus.mean)} ({tau})")
        if judge.classes is not None:
            parts.append(_differences_that_stand(answer, judge.classes))
        lines.append(f"{judge.name}: {'; '.join(filter(None, [*parts, listed(_traits(answer, judge))]))}.")
    number = sum(judge.judge.best == best for judge in judges)
    if number == len(judges):
        return (*lines, f"The best {RUN} is {best} under every judge.")
    others = f"{number or 'none'} of the {len(judges)} others"
    return (*lines, f"The best {RUN} under {answer.reference.name}, {best}, is the best under {others}.")


def _likeness(tau: float) -> str:
    """How one ranking is like another, by Kendall's tau between them.

    >>> [_likeness(tau) for tau in (0.8, 0.2, 0.0, -0.2)]
    ['much alike', 'partly alike', 'without relation', 'in reverse']
    """
    if abs(tau) < 0.2:
        return "without relation"
    return "much alike" if tau >= 0.8 else "partly alike" if tau > 0 else "in reverse"


def _rankings(answer: JudgesAnswer, judge: JudgeAnswer) -> Iterator[str]:
    """How the judge ranks the runs, by mean and by variance, beside what two halves of the queries agree on."""
    reference, halves, taus = answer.reference.name, answer.reference.decomposed.halves, judge.taus
    if isnan(taus.mean):
        yield f"{judge.name}: no two rankings to compare; that takes three {RUNS} of which the means differ."
        return
    how = {
        "much alike": f"much as {reference} does",
        "partly alike": f"only partly as {reference} does",
        "without relation": f"without relation to {reference}",
        "in reverse": f"in reverse of {reference}",
    }
    beside = "" if isnan(halves.bias) else f"; random halves of the {QUERIES} agree with {num(halves.bias, 2)}"
    by_mean, by_var = how[_likeness(taus.mean)], ""
    if not isnan(taus.var):
        likeness = how[_likeness(taus.var)]
        halves_of_var = "" if isnan(halves.var) else f"; halves {num(halves.var, 2)}"
        and_var = "and by variance too" if likeness == by_mean else f"by variance {likeness}"
        by_var = f", {and_var} ({num(taus.var, 2)}{halves_of_var})"
    yield f"{judge.name} ranks the {RUNS} by mean {by_mean} (Kendall's tau {num(taus.mean, 2)}{beside}){by_var}."


def _differences(answer: JudgesAnswer, judge: JudgeAnswer) -> Iterator[str]:
    """Whether the best run and the significant differences stand, and what the tests say of the judge."""
    old, new = answer.reference.best, judge.judge.best
    if old == new:
        yield f"The best {RUN} is {old} under both."
    elif judge.best_is_beaten is not None:
        beaten = "significantly better there" if judge.best_is_beaten else "not significantly better there"
        yield f"The best {RUN} is {new} in place of {old}, {beaten}."
    if judge.classes is not None:
        differences = _differences_that_stand(answer, judge.classes)
        yield f"{differences[0].upper()}{differences[1:]}."
    traits = _traits(answer, judge)
    if traits:
        yield f"It {listed(traits)}."
    if judge.on_curve:
        lie = verb(len(judge.on_curve), "lies", "lie")
        yield f"{listed(judge.on_curve, _MOST_NAMES)} {lie} off the line of all {RUNS}, but not off a curve of them."


def _differences_that_stand(answer: JudgesAnswer, classes: PairClasses) -> str:
    """How many of the reference's significant differences stand under the judge, and what became of the others."""
    both, turned, lost, gained, _ = classes
    known = both + turned + lost
    changes = ((lost, "lost"), (turned, "reversed"))
    changed = listed(f"{number} {verb(number, 'is', 'are')} {what}" for number, what in changes if number)
    new = f"; {gained} {verb(gained, 'is', 'are')} new" if gained else ""
    if not known:
        return f"no difference is significant under {answer.reference.name}{new}"
    differences = counted(known, "significant difference")
    if not changed:
        which = "the one significant difference stands" if known == 1 else f"all {differences} stand"
        return f"{which}{new}"
    if not both:
        return f"of {differences} none stands: {changed}{new}"
    joined = " and " if " and " not in changed else ", "
    return f"of {differences} {both} {verb(both, 'stands', 'stand')}{joined}{changed}{new}"


def _traits(answer: JudgesAnswer, judge: JudgeAnswer) -> list[str]:
    """What the tests say of a judge."""
    level, split, spread = answer.request.level, judge.split, judge.spread
    traits = []
    if is_significant(judge.mean_p, level):
        word = "lenient" if judge.judge.mean > answer.reference.mean else "strict"
        traits.append(f"is {word} (mean {num(split.mean, 3, better=answer.better)})")
    if is_significant(spread.p, level):
        ratio, *ends = (num(value, 2) for value in (spread.ratio, spread.low, spread.high))
        size = f"{ratio} times {answer.reference.name}'s spread, {' to '.join(ends)}"
        traits.append(
            f"spreads the {RUNS} {'less' if spread.t < 0 else 'more'}{'' if isnan(spread.ratio) else f' ({size})'}"
        )
    if judge.favour.method == "none" or answer.n_runs < _FEWEST_RUNS:
        return traits
    liked, disliked = (judge.marked(mark, curved=True) for mark in MARKS)
    if not liked and not disliked:
        return [*traits, f"favours no {RUN}"]
    traits += [f"favours {listed(liked, _MOST_NAMES)}"] if liked else []
    return [*traits, f"disfavours {listed(disliked, _MOST_NAMES)}"] if disliked else traits


def _paper_sentence(answer: JudgesAnswer, judge: JudgeAnswer) -> str:
    """What may be written of a judge."""
    n_queries = counted_queries(answer.n_queries, answer.n_clusters)
    by_mean = f"by mean {answer.measure or 'score'} under {answer.reference.name} and under {judge.name}"
    tau = "no Kendall's tau" if isnan(judge.taus.mean) else f"a Kendall's tau of {num(judge.taus.mean, 2)}"
    rankings = f"The rankings of {counted(answer.n_runs, 'run')} {by_mean} have {tau} ({n_queries})"
    if judge.classes is None:
        return f"{rankings}; differences were not tested."
    test = f"step-down bootstrap over all pairs, p < {threshold(answer.request.level):g}"
    return f"{rankings}; {_differences_that_stand(answer, judge.classes)} ({test})."


def _notes(answer: JudgesAnswer, table: str) -> Iterator[str]:
    """What stands under a table: what could not be tested, how the judgments differ, and what columns mean."""
    units = answer.scores.units
    if units.n < FEWEST_QUERIES:
        yield f"Nothing is tested: that takes {at_least(units)}."
    elif answer.n_runs < _FEWEST_RUNS:
        there = f"there {verb(answer.n_runs, 'is', 'are')} {answer.n_runs}"
        yield f"Whether a judge favours {RUN:a} takes at least {_FEWEST_RUNS} {RUNS}, and {there}."
    yield from (f"{remark[:1].upper()}{remark[1:]}." for remark in answer.remarks)
    if answer.request.calibrate:
        for calibration in answer.calibrations[:_IN_FULL]:
            yield for_paper([calibrated_table.paper_sentence(calibration, answer.measure)])
    if answer.request.calibrate and table == "runs":
        compared = answer.request.baseline is not None
        yield calibrated_table.column_note(answer.request.level, answer.reference.name, compared=compared)
        return
    if table == "judges":
        yield from (for_paper([_paper_sentence(answer, judge)]) for judge in answer.judges[:_IN_FULL])
        yield (
            f"spread: how far the true means of the {RUNS} are apart, beside the reference (1: as far). msd: mean "
            "squared difference from the reference = shift + query + compression + favour + rest."
        )
    if table == "agreement":
        yield (
            "kappa: grades as names; alpha: grades in their order; both 1 for the same grades and 0 for agreement by "
            f"chance. tau: of the {RUNS} by mean; tau, top 10: of the ten best under {answer.reference.name}; tau_AP: "
            "changes near the top weigh most. None of these is a test."
        )
    if table == "queries":
        yield f"difference: of the mean over the {RUNS}; rest: what differs by {RUN} on the {QUERY}."
    if table == "runs":
        level = f"p < {threshold(answer.request.level):g}"
        yield (
            f"residual: distance of the mean from the line of all {RUNS}. Favoured or disfavoured: {level} (step-down "
            f"bootstrap over all {RUNS} of a judge); where p, curve is not below it, a curve of the means explains it."
        )
    if answer.better == "less":
        yield from direction_notes(answer.measure, answer.better)


def _details(answer: JudgesAnswer) -> Iterator[str]:
    """What ``--notes full`` adds: the hardest queries, the correlation of bias² and variance, how things are tested."""
    for judge in answer.judges:
        shared, size = judge.hardest
        hardest = f"shares {shared:g} of the {size} hardest {QUERIES}"
        if size == 1:
            hardest = f"{'shares' if shared == 1 else 'does not share'} the hardest {QUERY}"
        yield f"{judge.name} {hardest} with {answer.reference.name}."
    everyone = (answer.reference, *(judge.judge for judge in answer.judges))
    pearson = ", ".join(f"{judged.name} {num(judged.pearson, 2, signed=True)}" for judged in everyone)
    yield f"Pearson's r of bias² and variance over the {RUNS}: {pearson}."
    units = QUERIES if answer.n_clusters is None else f"clusters of {QUERIES}"
    yield (
        "Significant differences: step-down bootstrap over all pairs, each judge by itself. Lenient or strict, and "
        f"spread: t tests over the {units}, of the mean difference and of the jackknife's difference of the variances "
        f"of true means; the interval of the ratio is Fieller's, {100 * answer.request.level:g} %."
    )
