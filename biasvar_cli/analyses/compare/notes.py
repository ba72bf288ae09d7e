"""What the text says of which runs differ: the verdict, the test, and what the columns mean."""

from collections.abc import Iterator
from math import ceil, isfinite, isinf, isnan

import numpy as np

from biasvar_cli import words
from biasvar_cli.analyses.compare import CompareRequest, letters_note, p_head
from biasvar_cli.analyses.compare.answer import TOLERATED, CompareAnswer
from biasvar_cli.analyses.compare.system_notes import more_runs_notes, needed_notes
from biasvar_cli.arrays import in_order, is_least
from biasvar_cli.scoring.targets import best_run
from biasvar_cli.specs.limits import is_significant
from biasvar_cli.stats.significance import CORRECTIONS, FAMILY_TESTS, PRIMARY, TESTS
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import (
    at_least,
    best_baseline_note,
    evaluated,
    for_paper,
    in_mid_sentence,
)
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, all_of, argument, counted, counted_queries, listed, verb

TOTALS = {"total": "total error", "total_gap": "total error of the gap form"}  # what is compared instead of the mean
_LEAST_P = 1e-300
_MOST_RUNS = 4  # in a sentence


def title_of(answer: CompareAnswer) -> str:
    """What was evaluated, and the run that the others are compared with: the first line."""
    target = answer.target if answer.request.lower_is_better else None
    line = evaluated(answer.measure, answer.n_runs, answer.n_queries, target, n_clusters=answer.n_clusters)
    if answer.baseline is None:
        return line
    how = f", the {RUN} with the best mean" if answer.is_top else ""
    mean = num(answer.means[answer.baseline], better=answer.better)
    return f"{line.removesuffix('.')}. Baseline: {answer.baseline_name}{how}, {_compared(answer)} {mean}"


def _compared(answer: CompareAnswer) -> str:
    """What is compared: the mean, or a total error."""
    return TOTALS.get(answer.request.of, "mean")


def verdict_notes(answer: CompareAnswer, table: str) -> Iterator[str]:
    """The answer of one of the tables: who is best and which runs differ, or how well the runs are told apart."""
    if table == "swap":
        yield _swap_note(answer)
        return
    untested, than = answer.tests.why_undecided, answer.baseline_name or "another"
    if table == "power":
        row = next(row for row in reversed(answer.power) if row.test == answer.tests.deciding)
        if row.n_significant is None or untested is not None:
            yield f"How many pairs of {RUNS} differ significantly is not known: {untested}."
            return
        after = "" if row.correction is None else f" with {CORRECTIONS[row.correction].words} correction"
        test = f"{TESTS[row.test].meaning}{after}, p < {answer.request.threshold:g}"
        pairs, differ = counted(row.n_pairs, "pair"), verb(row.n_significant, "differs", "differ")
        differences = f"{row.n_significant} of {pairs} of {RUNS} {differ} significantly"
        if row.n_pairs == 1:
            differences = (
                f"The one pair of {RUNS} {'differs' if row.n_significant else 'does not differ'} significantly"
            )
        yield f"{differences} ({test}): discriminative power {num(row.share)}."
        return
    if answer.baseline is None:
        yield from _best_notes(answer)
    elif not untested:
        yield from _against_notes(answer)
    yield from more_runs_notes(answer.tests)
    yield (
        f"No {RUN} is called significantly better or worse than {than}: {untested}." if untested else test_note(answer)
    )


def _best_notes(answer: CompareAnswer) -> Iterator[str]:
    """The best run, those that it beats and those that it does not, and how many pairs differ."""
    tests, losses = answer.tests, answer.means if answer.request.lower_is_better else -answer.means
    order, is_first = in_order(losses, answer.runs), is_least(losses)
    first = [run for run in order if is_first[run]]
    lead = f"Least {_compared(answer)}" if answer.request.lower_is_better else "Best mean"
    value = num(answer.means[order[0]], better=answer.better)
    best = f"{lead}: {listed([answer.runs[run] for run in first], _MOST_RUNS)} ({value})"
    if answer.ranks.n_beaten is None:
        yield f"{best}."
        return
    if not tests.differs.any():
        yield f"{best}. No two {RUNS} differ significantly."
        return
    worse = set.intersection(*(set(tests.versus[tests.differs & (tests.run == run)].tolist()) for run in first))
    alike = [answer.runs[run] for run in order if run not in worse and run not in first]
    n_others = len(order) - len(first)
    if not alike:
        others = f"each of the other {n_others} {RUNS}" if n_others > 1 else f"the other {RUN}"
        yield f"{best}, significantly better than {others}."
    else:
        yield f"{best}, significantly better than {n_others - len(alike)} of the other {n_others} {RUNS}."
        do = verb(len(alike), f"{RUN} does", f"{RUNS} do")
        it = verb(len(first), "it", "them")
        yield f"{len(alike)} {do} not differ significantly from {it}: {listed(alike, _MOST_RUNS)}."
    if len(tests.delta) == 1:
        return
    by = "" if isnan(tests.critical_difference) else f": every pair more than {num(tests.critical_difference)} apart"
    yield f"{np.count_nonzero(tests.differs)} of {len(tests.delta)} pairs of {RUNS} differ significantly{by}."


def _against_notes(answer: CompareAnswer) -> Iterator[str]:
    """Which runs are better and worse than the baseline, by the test that decides, those that differ most first."""
    tests, baseline, n_alike = answer.tests, answer.baseline_name, int(np.count_nonzero(~answer.tests.differs))
    for word, side in (("better", 1), ("worse", -1)):
        order = (-side * tests.gain).argsort(kind="stable").tolist()
        names = [tests.runs[tests.run[pair]] for pair in order if tests.differs[pair] and side * tests.gain[pair] > 0]
        runs = listed(names) or f"no {RUN}"
        if len(names) > _MOST_RUNS:
            runs = f"{len(names)} {RUNS} ({listed(names, _MOST_RUNS)})"
        yield f"Significantly {word} than {baseline}: {runs}."
    if n_alike:
        several = f"{all_of(n_alike)} {RUNS}" if n_alike == len(tests.delta) else f"the other {n_alike} {RUNS}"
        others = verb(n_alike, f"the other {RUN}", several)
        within = f", whose {_compared(answer)} is within {num(tests.critical_difference)} of that of {baseline}"
        yield f"Not significantly different: {others}{within if isfinite(tests.critical_difference) else ''}."


def test_note(answer: CompareAnswer) -> str:
    """By which test, at which level and with which correction the runs differ."""
    tests, threshold, n_family = answer.tests, answer.request.threshold, answer.tests.n_family
    test, correction = TESTS[tests.deciding], None
    if test.corrected and n_family > 1:
        correction = CORRECTIONS.get(answer.request.correction)
    if n_family == 1:
        family = "for one pair; p is not adjusted"
    elif test.corrected and correction is None:
        family = f"for each pair alone: p-values are not corrected for the number of pairs ({n_family})"
    elif answer.is_top:
        family = (
            f"for {all_of(n_family)} pairs of {RUNS} together, since {answer.baseline_name} was chosen for its mean"
        )
    elif answer.baseline is None:
        family = f"for {all_of(n_family)} pairs of {RUNS} together"
    else:
        family = f"for {all_of(n_family)} comparisons with {answer.baseline_name} together"
    if correction is not None and not correction.of_any:
        family += f"; of the differences called significant, {100 * threshold:.3g} % are expected to be false"
    no_size = f"; no difference on these {QUERIES} would be significant" if isinf(tests.critical_difference) else ""
    return f"Test: paired, two-sided {tests.deciding_words}, p < {threshold:g} {family}{no_size}."


def _swap_note(answer: CompareAnswer) -> str:
    """From which difference on two halves of the queries order two runs alike."""
    swaps, tolerated = answer.compared.swaps, f"{100 * TOLERATED:g} %"
    if not isfinite(swaps.needed):
        return f"Even of the largest differences more than {tolerated} are reversed on the other half."
    what = verb(swaps.half, f"{QUERY}", f"{QUERIES}")
    if swaps.of_clusters:
        what = f"{verb(swaps.half, 'cluster', 'clusters')} of {QUERIES}"
    half, other_half = f"{swaps.half} {what}", f"{swaps.half} other {what}"
    if swaps.needed:
        return (
            f"Differences of at least {num(swaps.needed, 2)} between two {RUNS} on {half} are reversed on {other_half} "
            f"in at most {tolerated} of comparisons. {num(100 * swaps.share, 1)} % of all comparisons differ by at "
            "least that much."
        )
    least = float(swaps.low[swaps.n > 0][0])
    if least:
        return (
            f"All differences between two {RUNS} on {half} are at least {num(least, 2)}. At most {tolerated} of them "
            f"are reversed on {other_half}."
        )
    return (
        f"Differences of any size between two {RUNS} on {half} are reversed on {other_half} in at most {tolerated} of "
        "comparisons."
    )


def caption_notes(answer: CompareAnswer, table: str) -> Iterator[str]:
    """The test, its adjustment, and what marks mean, for a table of runs or pairs."""
    if answer.tests.why_undecided is None:
        yield test_note(answer)
    if table == "pairs":
        yield from _p_notes(answer)
    elif answer.ranks.n_beaten is not None:
        if answer.letters is not None:
            yield f"{letters_note(answer.letters)}."
        yield f"top group: no {RUN} is significantly better"


def table_notes(answer: CompareAnswer, table: str) -> Iterator[str]:
    """The few lines under one of the tables."""
    name, request = answer.baseline_name, answer.request
    if name is not None and not answer.is_top and best_run(answer.scores) == name:
        yield from best_baseline_note(name, answer.n_runs)
    if request.log is not None:
        yield f"Scores are logarithms ({argument(log=request.log, eps=request.eps or 1e-5)})."
    if table == "swap":
        swaps = answer.compared.swaps
        what = f"clusters of {QUERIES}" if swaps.of_clusters else QUERIES
        splits = f"{counted(swaps.n_splits, 'random split')} of the {what} into two halves of {swaps.half}"
        yield f"{splits}. A comparison is a pair of {RUNS} on one split."
        yield "A swap is a comparison whose difference has the other sign on the second half."
        return
    if table == "power":
        yield f"A measure with a higher share tells more pairs of {RUNS} apart."
        if request.correction not in CORRECTIONS or CORRECTIONS[request.correction].of_any:
            tests = ", ".join(FAMILY_TESTS)
            yield f"{tests} and rows with a correction allow for all pairs together, the other rows for one pair."
    else:
        yield from _runs_notes(answer) if table == "runs" else _pairs_notes(answer)
    cautions = dict.fromkeys(TESTS[test].caution for test in request.tests)
    yield from (words.in_nouns(caution) for caution in cautions if caution)
    if _has_size_note(answer, table):
        yield _size_note(answer)


def _has_size_note(answer: CompareAnswer, table: str) -> bool:
    """Whether everybody reads which differences can be found: where an option asks for it, and beside the power."""
    is_wanted = answer.request.detect is not None or answer.request.power != CompareRequest.power
    return table == "power" or (table != "swap" and is_wanted)


def _runs_notes(answer: CompareAnswer) -> Iterator[str]:
    if answer.ranks.n_beaten is None:
        if answer.baseline is not None:
            yield "The comparisons with the baseline are in --table pairs."
        return
    if answer.letters is not None:
        yield f"{letters_note(answer.letters)}."
    yield f"beats, beaten by: {RUNS} significantly worse, better than this one."
    yield f"top group: no {RUN} is significantly better."
    if answer.ranks.why_unranked is not None:
        yield f"No ranks: {answer.ranks.why_unranked}."
    else:
        level = f"{100 * answer.request.level:g} %"
        yield f"rank: the possible ranks by {_compared(answer)}; the ranges hold for all {RUNS} together ({level})."
    if answer.baseline is None and answer.n_runs > 2:
        name_few = words.either("name only these as INPUTS", "evaluate only these")
        yield f"To compare fewer {RUNS}, {name_few}; to compare all with one: {argument('baseline NAME')}."


def _pairs_notes(answer: CompareAnswer) -> Iterator[str]:
    versus = answer.baseline_name or "versus"
    first, second = (RUN, versus) if answer.better == "more" else (versus, RUN)
    less = f", so below 0 {RUN} is better" if answer.request.lower_is_better else ""
    difference = f"{_compared(answer)} of {first} minus that of {second}{less}"
    yield f"delta: {difference}. wins, losses: {QUERIES} on which {RUN} is better and worse."
    yield from _p_notes(answer)
    yield from needed_notes(answer.tests.systems, answer.request.half_width, answer.request.level)
    if answer.tests.systems is not None:
        yield "share of runs: of the squared standard error of delta, that is due to the runs of both systems."
    for test in map(TESTS.__getitem__, answer.tests.p):
        rough = int((answer.tests.wins + answer.tests.losses < test.fewest).sum())
        if rough:
            fewest = f"fewer than {test.fewest} {QUERIES}"
            yield f"{test.words}'s p is rough where {fewest} differ: {counted(rough, 'pair')}."


def _p_notes(answer: CompareAnswer) -> Iterator[str]:
    """What the interval and the columns of p-values allow for: one pair, or all of them."""
    tests, correction = answer.tests, CORRECTIONS.get(answer.request.correction)
    alone = [p_head(test) for test in tests.p if TESTS[test].corrected and test not in tests.adjusted]
    corrected = [p_head(test, answer.request.correction) for test in tests.adjusted]
    together = [p_head(test) for test in tests.p if not TESTS[test].corrected]
    of_any = correction is None or correction.of_any
    if of_any:
        together = [*corrected, *together]
    (together if tests.has_family_intervals else alone).insert(0, "the interval")
    if tests.n_family > 1:
        many = f"{verb(len(together), 'is', 'are')} adjusted for {all_of(tests.n_family)} pairs"
        sentences = {many: together, f"{verb(len(alone), 'is', 'are')} for one pair alone": alone}
        sentence = "; ".join(f"{listed(names)} {words}" for words, names in sentences.items() if names)
        yield f"T{sentence[1:]}." if sentence.startswith("the ") else f"{sentence}."
    if tests.has_family_intervals and tests.n_family > 1 and TESTS[tests.deciding].corrected:
        yield "The interval is Student's t with Bonferroni's correction."
    later = int(np.count_nonzero(tests.contradicted & tests.differs))
    if later:
        differ = verb(later, "differs", "differ")
        yield f"{counted(later, 'pair')} {differ} by a later step of the test, although the interval contains 0."
    if corrected and correction is not None and not of_any:
        threshold = answer.request.threshold
        share = f"of the pairs below {threshold:g}, {100 * threshold:.3g} % are expected to be false"
        yield f"{listed(corrected)}: {correction.words} correction; {share}."


def full_notes(answer: CompareAnswer, table: str) -> Iterator[str]:
    """What ``--notes full`` adds."""
    tests = answer.tests
    if table in ("runs", "pairs") and tests.deciding == PRIMARY and not tests.why_undecided:
        n_family, level = tests.n_family, f"{100 * answer.request.threshold:.3g} %"
        false_one = "a false difference" if n_family == 1 else f"any false difference among {all_of(n_family)} pairs"
        keeps = f"keeps the chance of {false_one} at about {level}"
        yield f"The {tests.words(PRIMARY)} {keeps} (measured rates: docs/validation.md)."
    if table == "runs" and answer.ranks.n_beaten is not None:
        yield "In csv and JSON, beats, beaten by and top group are the columns better, worse and best."
    if table == "pairs" and np.isnan(tests.es).any():
        yield f"The effect size is undefined (-) where the difference is the same on every {QUERY}."
    if table != "swap" and not _has_size_note(answer, table) and answer.tests.systems is None:
        yield _size_note(answer)
    yield from _equality_notes(answer)
    if table in ("runs", "pairs"):
        compared = in_mid_sentence(title_of(answer).removesuffix("."))
        yield for_paper([f"We compared {compared}.", *verdict_notes(answer, table)])


def _equality_notes(answer: CompareAnswer) -> Iterator[str]:
    """The two tests of whether all runs are equal, or why there is none; p is never shown as 0."""
    anova, friedman, runs = answer.compared.anova, answer.compared.friedman, f"{all_of(answer.n_runs)} {RUNS}"
    if anova is None or friedman is None:
        yield f"ANOVA and Friedman's test of all {RUNS} take {QUERIES} for independent; in clusters they are not."
        return

    def p_words(p: float) -> str:
        unequal = f"the {RUNS} are not all equal (p < {answer.request.threshold:g})"
        conclusion = unequal if is_significant(p, answer.request.level) else "no significant difference"
        return f"p {num(max(p, _LEAST_P))}: {conclusion}"

    if isfinite(anova.f_runs):
        value = f"F({anova.df_runs}, {anova.df_error}) = {num(anova.f_runs)}"
        yield f"ANOVA of {runs}: {value}, {p_words(anova.p_runs)}."
    else:
        yield f"ANOVA of all {RUNS} is undefined: the {RUNS} differ by the same on every {QUERY}."
    if isfinite(friedman.chi2):
        value = f"chi-square({friedman.df}) = {num(friedman.chi2)}"
        yield f"Friedman's test of {runs}: {value}, {p_words(friedman.p)}."
    else:
        yield f"Friedman's test of all {RUNS} is undefined: all {RUNS} are equal on every {QUERY}."


def _size_note(answer: CompareAnswer) -> str:
    """The difference that these queries can find, and the queries that another one needs."""
    size, n_queries = answer.size, counted_queries(answer.n_queries, answer.n_clusters)
    if isnan(size.sd):
        return f"Which differences these {QUERIES} can find is undefined: that takes {at_least(answer.tests.units)}."
    if size.sd == 0:
        return f"Which differences these {QUERIES} can find is undefined: the median pair differs equally on each."
    what = QUERIES if answer.n_clusters is None else "clusters as large as these"
    needs = f"; a difference of {size.detect:g} needs {ceil(size.queries)} {what}" if isfinite(size.queries) else ""
    difference = f"a true difference of {num(size.detectable)}" if isfinite(size.detectable) else "no difference"
    return (
        f"For a pair of {RUNS} with median spread, an uncorrected t test (p < {answer.request.threshold:g}) on "
        f"{n_queries} finds {difference} in {100 * size.power:g} % of samples{needs}."
    )
