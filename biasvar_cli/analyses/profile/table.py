"""The profile of one run as tables: its quantities, the runs that it is compared with, its queries; and the text."""

from collections.abc import Iterator, Sequence
from math import isfinite, isnan, nan
from typing import Any

from biasvar_cli.analyses.compare.system_notes import needed_words, pair_notes, share_words
from biasvar_cli.analyses.judges.calibrated_table import worth_words
from biasvar_cli.analyses.judges.calibration import Calibration
from biasvar_cli.analyses.profile import TABLES
from biasvar_cli.analyses.profile.answer import CalibratedPair, ProfileAnswer, Versus
from biasvar_cli.nulls.verdicts import LEAST_RUNS
from biasvar_cli.specs.limits import is_significant
from biasvar_cli.stats.significance import TESTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.layout import PLUS_MINUS
from biasvar_cli.tables.rounding import in_words, num, p_words
from biasvar_cli.tables.rows import View, row_order, top_note, with_row_notes
from biasvar_cli.tables.table import Table, document_of, for_paper, signature, target_words
from biasvar_cli.words import (
    QUERIES,
    QUERY,
    RUN,
    RUNS,
    all_of,
    argument,
    counted,
    counted_queries,
    in_nouns,
    listed,
    verb,
)

LOSSES = 3  # named in a sentence
_ROW_NAMES = {"quantities": "", "versus": "versus", "queries": "query_id"}
_DIGITS = 4  # of the sentence in JSON
_ALONE, _FAMILY = ("low", "high"), ("family_low", "family_high")  # of the interval of a pair
UNUSUAL = 1.96  # standard deviations of simulated runs


VIEW = View


def tables(answers: Sequence[ProfileAnswer], view: View) -> list[Table]:
    """A table for each answer."""
    return [profile_table(answer, view) for answer in answers]


@with_row_notes("scores", lambda answer: pair_notes(answer.compared.others))
def profile_table(answer: ProfileAnswer, view: View) -> Table:
    """One of the three tables; JSON has them all. Raises `UsageError` for a column to sort by that is not there."""
    cells = filled(TABLES[view.table], answer)
    n_rows = len(next(iter(cells.columns.values())))
    order = list(range(n_rows))
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names=_ROW_NAMES[view.table], declared=TABLES[view.table])
    elif view.table == "queries" and view.is_best_first:
        order = answer.worst_first
    visible = cells.rows(order[: view.top])
    ends, other_ends = _FAMILY, _ALONE  # of the interval that people are shown
    if not any(versus.tests.has_family_intervals for versus in answer.compared.versus):
        ends, other_ends = _ALONE, _FAMILY
    if view.for_people and view.table == "versus":
        visible = visible.moved(_FAMILY, before="low")
    baseline, best = answer.compared.baseline, answer.compared.best
    sources: dict[str, dict[str, Any]] = {
        "queries": {"target_score": answer.target.scores},
        "quantities": {"baseline": baseline, "best": best},
    }
    caption = [] if baseline is None else [f"baseline: {baseline}"]
    caption += [] if best is None else [f"best other: {best}, the best of the other {RUNS} by mean"]
    return Table.of(
        title_of(answer),
        visible,
        hidden=frozenset({*other_ends, *(key for key, of in sources.get(view.table, {}).items() if of is None)}),
        verdict=tuple(_verdict_notes(answer)) if view.for_people else (),
        notes=(*top_note(view.top, n_rows), *(_notes(answer) if view.for_people else ())),
        intervals=_intervals(answer, ends) if view.table == "versus" else {},
        caption=tuple(caption),
        more=tuple(f"--table {name}" for name in TABLES if name != view.table),
        name="profile" if view.table == "quantities" else f"profile-{view.table}",
        signature=_signature(answer),
        document=_document(answer, view, visible) if view.for_json else {},
        rows_key="",
    )


def _intervals(answer: ProfileAnswer, ends: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """The columns of differences that stand as intervals."""
    words = f"{100 * answer.request.level:g} % interval"
    calibrated = {} if answer.calibration is None else {f"its {words}": ("calibrated_low", "calibrated_high")}
    return {words: ends, **calibrated}


def _signature(answer: ProfileAnswer) -> str:
    request = answer.request
    corrected = f" correction {request.correction}" if TESTS[request.test].corrected else ""
    baselines = ", ".join([*answer.compared.names, *(["top"] if answer.compared.has_top else [])])
    return signature(
        answer.measure,
        answer.scored.basis,
        request.log_words,
        f"run {answer.run}",
        f"baseline {baselines}" if baselines else "",
        f"calibrated by {answer.calibration.judge}" if answer.calibration is not None else "",
        f"{request.test}{corrected} level {request.level:g} of {request.samples} samples seed {request.seed}",
        target=answer.target,
    )


def _document(answer: ProfileAnswer, view: View, visible: Cells) -> dict[str, Any]:
    """All tables in JSON; the chosen one as it is shown, where ``--sort`` or ``--top`` asks for that."""
    head = document_of(answer.measure, answer.target, answer.n_runs, answer.n_queries, answer.n_clusters)
    rows = {table: filled(declared, answer).records() for table, declared in TABLES.items()}
    if view.sort is not None or view.top is not None:
        rows[view.table] = visible.records()
    (rank_low, rank_high), spread = answer.rank_ends, answer.spread
    calibration = answer.calibration
    return {
        "measure": head.pop("measure"),
        "run": answer.run,
        "n_runs": head.pop("n_runs"),
        "n_queries": head.pop("n_queries"),
        "rank": answer.rank,
        "rank_low": rank_low,
        "rank_high": rank_high,
        "quantities": [
            {name: None if isinstance(value, float) and isnan(value) else value for name, value in record.items()}
            for record in rows["quantities"]
        ],
        "versus": [{"run": record.pop("versus"), **record} for record in rows["versus"]],
        "queries": [
            {name.replace("target_score", "target"): value for name, value in record.items()}
            for record in rows["queries"]
        ],
        "stability": answer.stability,
        "sentence": in_words(" ".join(_paper_sentences(answer)), _DIGITS),
        **head,
        "no_ranks": "there is nothing to compare" if answer.ranks is None else answer.ranks.why_unranked,
        "queries_versus": answer.compared.reference,
        "replicates": None if spread is None else {"n": spread[0], "sd_replicates": spread[1]},
        "test": answer.request.test,
        **({} if answer.scores.replicates is None else {"infer": answer.request.infer}),
        **({} if calibration is None else {"calibrated": _calibration_document(calibration)}),
        "correction": answer.request.correction if TESTS[answer.request.test].corrected else None,
        "level": answer.request.level,
    }


def _calibration_document(calibration: Calibration) -> dict[str, Any]:
    """By whom differences are calibrated, on how many queries, and how far the judge is followed."""
    names = ("reference", "judge", "n_both", "n_alone")
    weight = calibration.calibrated.lambda_differences
    return {**{name: getattr(calibration, name) for name in names}, "lambda_differences": weight}


# ---- before the table


def title_of(answer: ProfileAnswer) -> str:
    """The measure, the run, its mean, its rank, and the ranks that the test leaves: the first line."""
    among = f" among {counted(answer.n_runs, 'run')}" if answer.n_runs > 1 else ""
    where = f"on {counted_queries(answer.n_queries, answer.n_clusters)}"
    rank = f", rank {answer.rank}" if answer.n_runs > 1 else ""
    low, high = answer.rank_ends
    if low is not None and high is not None:
        rank += f" ({100 * answer.request.level:g} % range {low} to {high})"
    return f"{answer.measure or 'Mean score'} of {answer.run}{among} {where}: {_mean(answer)}{rank}"


def _mean(answer: ProfileAnswer) -> str:
    """The mean of the run, with the standard deviation of the means of its replicates."""
    spread = "" if answer.spread is None else f" {PLUS_MINUS} {num(answer.spread[1])}"
    return f"{num(answer.quantities[0].value)}{spread}"


def _verdict_notes(answer: ProfileAnswer) -> Iterator[str]:
    """Against the best, against the baselines, how evenly, on which queries."""
    if answer.n_runs == 1:
        yield f"There is one {RUN}: nothing to compare it with."
    elif not answer.compared.versus:
        yield f"There is one {QUERY}: no difference can be tested."
    for versus in answer.compared.versus:
        if not is_repeated(answer, versus):
            yield _against(answer, versus)
            yield from _system_sentences(versus)
            yield from _calibrated(answer, versus)
    z, var = answer.stability, num(answer.quantities[3].value)
    if z is not None and answer.n_runs >= LEAST_RUNS:  # fewer tell little of how runs of a mean vary
        side = "lower" if z < 0 else "higher"
        expected = f"is {side} than expected" if abs(z) > UNUSUAL else "is in the range expected"
        above = (
            f"{num(abs(z), 1)} standard deviations {'below' if z < 0 else 'above'} the variance expected at this mean"
        )
        unusual = f"({above}; unusual beyond {UNUSUAL})"
        yield f"Its variance over the {QUERIES}, {var}, {expected} of {RUN:a} with its mean {unusual}."
    if answer.delta is not None:
        gains = zip(answer.scores.queries, answer.delta, strict=True)
        names = [f"{query} ({num(gain, signed=True)})" for query, gain in gains]
        worst = [names[row] for row in answer.worst_first[:LOSSES] if answer.delta[row] < 0]
        most = [names[row] for row in answer.worst_first[: -LOSSES - 1 : -1] if answer.delta[row] > 0]
        queries = verb(len(worst), f"{QUERY}", f"{QUERIES}")
        loses = f"loses most on {queries} {listed(worst)}" if worst else f"loses on no {QUERY}"
        gained = f"gains most on {listed(most)}" if most else f"gains on no {QUERY}"
        yield f"Against {answer.compared.reference} it {loses}, and {gained}."
    yield from _doubts(answer)


def _doubts(answer: ProfileAnswer) -> Iterator[str]:
    """What is odd about the run itself: no score but 0, the scores of another run, ranks that contradict scores."""
    if answer.request.log is None and not answer.scores.row(answer.run).any():
        yield f"Its score is 0 on every {QUERY}."
    if answer.equals:
        yield f"It has the same score on every {QUERY} as {listed(answer.equals)}."
    if answer.contradictory:
        yield "The ranks in its file contradict the scores, which are used: are they distances?"


def _system_sentences(versus: Versus) -> Iterator[str]:
    """How much of the uncertainty is that of the runs of systems, and how many of them or of queries are needed."""
    if versus.tests.systems is not None and versus.outcome != "untested":
        words = (share_words(versus.tests, versus.pair), needed_words(versus.tests, versus.pair))
        yield from (f"{sentence[0].upper()}{sentence[1:]}." for sentence in words if sentence)


def _calibrated(answer: ProfileAnswer, versus: Versus) -> Iterator[str]:
    """What the test says of the difference that is calibrated by a judge, and what the judge is worth."""
    pair, calibration = answer.calibrated_with(versus), answer.calibration
    if pair is None or calibration is None:
        return
    if calibration.calibrated.lambda_differences == 0:
        yield worth_words(calibration)
        return
    outcome, difference = _calibrated_outcome(answer, pair)
    sentence = f"Calibrated by {calibration.judge} it is {outcome} {versus.run} ({difference})"
    judged = f"{counted(calibration.n_both, 'query')} judged by {calibration.reference}"
    yield f"{sentence}{f': {judged} tell as much of this as {pair.worth:.0f} would' if isfinite(pair.worth) else ''}."


def _calibrated_outcome(answer: ProfileAnswer, pair: CalibratedPair) -> tuple[str, str]:
    """What the test says of a calibrated difference, and the difference with its interval and p."""
    level, low, high = answer.request.level, pair.low, pair.high
    differs = is_significant(pair.p, level)
    if (low <= 0 <= high) == differs:
        low = high = nan
    interval = f"{'simultaneous ' if pair.n_family > 1 else ''}{100 * level:g} % interval"
    outcome = f"significantly {'better' if pair.delta > 0 else 'worse'} than"
    difference = f"{_difference_words(answer, pair.delta, (low, high), interval)}, {p_words(pair.p, level)}"
    return outcome if differs else "not significantly different from", difference


def is_repeated(answer: ProfileAnswer, versus: Versus) -> bool:
    """Whether sentences leave it to another comparison with the same run: a named one, or that with the best."""
    is_named = versus.run in answer.compared.names
    return is_named if versus.role == "best" else versus.chosen and not is_named


def _against(answer: ProfileAnswer, versus: Versus) -> str:
    """What the test says of the run and another one, with the difference and what it is of."""
    also = f" and best {RUN}" if versus.run == answer.compared.best and versus.delta < 0 else ""
    other = best_words(answer, versus) if versus.chosen else f"the baseline{also}, {versus.run}"
    start = {
        "better": "Significantly better than",
        "worse": "Significantly worse than",
        "neither": "Not significantly different from",
        "untested": "Above" if (versus.delta > 0) == (answer.better == "more") else "Below",
    }[versus.outcome]
    if is_tied(answer, versus):
        start = "The same mean as"
    p = "not tested" if versus.outcome == "untested" else versus_p(answer, versus)
    inside = f"{num(versus.mean)}; {_difference(answer, versus)}, {p}"
    equal = f", equal on {versus.ties}" if versus.ties else ""
    return f"{start} {other} ({inside}): better on {counted(versus.wins, 'query')}, worse on {versus.losses}{equal}."


def versus_p(answer: ProfileAnswer, versus: Versus) -> str:
    """p, and whether it allows for several pairs."""
    adjusted = "adjusted " if versus.tests.n_family > 1 and versus.is_corrected else ""
    return f"{adjusted}{p_words(versus.p, answer.request.level)}"


def best_words(answer: ProfileAnswer, versus: Versus) -> str:
    """Who the best of the other runs is, in a sentence about the run."""
    other = "" if versus.delta < 0 and not is_tied(answer, versus) else "other "
    also = " and baseline" if answer.compared.has_top else ""
    return f"the best {other}{RUN}{also}, {versus.run}"


def is_tied(answer: ProfileAnswer, versus: Versus) -> bool:
    """Whether both means are equal up to rounding."""
    return bool(abs(versus.delta) <= 1e-12 * abs(answer.decomposed.result.mean).max(initial=0.0))


def _difference(answer: ProfileAnswer, versus: Versus) -> str:
    """The difference with its interval; of a measure of which less is better, by how much the run is better.

    Where the interval would say otherwise than the test, p stands alone.
    """
    if versus.outcome == "untested":
        return f"difference {num(versus.delta, signed=True, better=answer.better)}"
    kind = "" if versus.tests.n_family == 1 else "simultaneous "
    alone = " of this pair alone" if kind and not versus.tests.has_family_intervals else ""
    interval = f"{'' if alone else kind}{100 * answer.request.level:g} % interval{alone}"
    return _difference_words(answer, versus.delta, (nan, nan) if versus.contradicted else versus.ends, interval)


def _difference_words(answer: ProfileAnswer, delta: float, ends: tuple[float, float], interval: str) -> str:
    """A difference, with its ``interval`` unless the ends are nan."""
    difference, (low, high) = f"difference {num(delta, signed=True)}", ends
    if answer.better == "less" and delta < 0:
        low, high, difference = -high, -low, f"worse by {num(-delta)}"
    elif answer.better == "less":
        difference = f"better by {num(delta)}"
    return difference if isnan(low) else f"{difference}, {interval} {num(low, signed=True)} to {num(high, signed=True)}"


# ---- for a paper


def _paper_sentences(answer: ProfileAnswer) -> list[str]:
    """What may be written of the run: a sentence for each baseline and for the best of the others.

    None claims more than its test: without a test only the difference is said.
    """
    baselines_first = sorted(answer.compared.versus, key=lambda versus: versus.role == "best")
    named = [versus for versus in baselines_first if not is_repeated(answer, versus)]
    calibrated = (_calibrated_paper_sentence(answer, versus) for versus in named)
    return [*(paper_sentence(answer, versus) for versus in named), *filter(None, calibrated)]


def _calibrated_paper_sentence(answer: ProfileAnswer, versus: Versus) -> str | None:
    """What may be written of the calibrated difference; None without a calibration."""
    pair, calibration = answer.calibrated_with(versus), answer.calibration
    if pair is None or calibration is None:
        return None
    outcome, difference = _calibrated_outcome(answer, pair)
    test = "t test of this one pair"
    if pair.n_family > 1:
        test = f"step-down bootstrap for {pair.n_family} comparisons with {answer.run}"
    weight = f"prediction-powered inference with the weight {num(calibration.calibrated.lambda_differences, 2)}"
    by = f"{answer.measure or 'mean score'} calibrated by {calibration.judge}"
    is_outcome = f"{answer.run} is {outcome} {versus.run} in {by}"
    return f"{is_outcome} ({difference}, {test}; {calibration.words}; {weight})."


def paper_sentence(answer: ProfileAnswer, versus: Versus) -> str:
    """What may be written of the run and another one."""
    less = ", less is better" if answer.better == "less" else ""
    mean = f"{answer.measure or 'mean score'} {_mean(answer)}{less}"
    if answer.spread is not None:
        mean += f", mean and standard deviation of {answer.spread[0]} runs"
    subject, other, tests = f"{answer.run} ({mean})", versus.run, versus.tests
    if versus.chosen:
        n_others = answer.n_runs - 1
        role = f"the other {RUN}" if n_others == 1 else f"the best of the other {counted(n_others, 'run')}"
        other = f"{role}, {versus.run}"
    n_queries = counted_queries(answer.n_queries, answer.n_clusters)
    inside = f"{num(versus.mean)}; {_difference(answer, versus)}"
    if is_tied(answer, versus):
        unequal = versus.wins + versus.losses
        differ = f"differ on {unequal} of {n_queries}"
        if not unequal:
            the = (
                f"the one {QUERY}"
                if answer.n_queries == 1
                else n_queries.replace(f"{answer.n_queries}", all_of(answer.n_queries), 1)
            )
            differ = f"are the same on {the}"
        return f"{subject} has the same mean as {other}; their scores {differ}."
    if versus.outcome == "untested":
        side = "higher" if (versus.delta > 0) == (answer.better == "more") else "lower"
        return f"{subject} has a {side} mean than {other} ({inside}; {n_queries}, not tested)."
    words, n_family = tests.deciding_words, tests.n_family
    if n_family == 1:
        family = "of this one pair"
    elif not versus.is_corrected:
        family = f"of this pair, not corrected for {n_family} comparisons"
    else:
        number = "both" if n_family == 2 else f"{'all ' if versus.chosen else ''}{n_family}"
        family = f"for {number} comparisons with {answer.run}"
    tested = f"two-sided paired {words} {family}, {versus_p(answer, versus)}; {n_queries}"
    if versus.outcome == "neither":
        return f"{subject} does not differ significantly from {other} ({inside}; {tested})."
    return f"{subject} is significantly {versus.outcome} than {other} ({inside}; {tested})."


# ---- under the table


def _notes(answer: ProfileAnswer) -> Iterator[str]:
    """The sentences for a paper, the tests and their families, and why there is no test or no rank."""
    for sentence in _paper_sentences(answer):
        yield for_paper([sentence])
    yield from _test_notes(answer)
    if answer.request.log is not None:
        yield f"Scores are logarithms ({argument(log=answer.request.log, eps=answer.request.eps or 1e-5)})."
    yield (
        f"Virtual target: {target_words(answer.target, answer.n_runs)}. bias: its mean - mean; var: variance of "
        f"the scores over the {QUERIES}; total: bias² + var."
    )
    if answer.compared.best is not None:
        most = "least" if answer.better == "less" else "highest"
        yield f"rank: 1 is the {most} mean, and the least bias, var and total."
        yield f"best other: {answer.compared.best}. median: over all {RUNS}, of each row by itself."


def _test_notes(answer: ProfileAnswer) -> Iterator[str]:
    """Which pairs p-values and ranks allow for, or why nothing is tested."""
    others, best, names = answer.compared.others, answer.compared.best, answer.compared.names
    if others is None or answer.ranks is None:
        return
    if others.why_undecided is not None:
        yield f"No test: {others.why_undecided}."
        return
    baseline = {0: "", 1: "the baseline is one pair; "}.get(len(names), f"the {len(names)} baselines are a family; ")
    number = all_of(others.n_family)
    pairs = f"{number} pairs with {answer.run}" if others.n_family > 1 else "one pair"
    if answer.ranks.why_unranked is None:
        yield f"Tests: {baseline}p of the best {RUN} and the range of ranks allow for {pairs}."
    else:
        yield f"No range of ranks: {answer.ranks.why_unranked}."
    if best in names and others.n_family > 1:
        chosen = f"If it was chosen for that, use {argument(baseline='top')}: its p allows for {pairs}"
        yield f"{best} has the best mean of the other {RUNS}. {chosen}."
    if TESTS[answer.request.test].caution:
        yield in_nouns(TESTS[answer.request.test].caution)
