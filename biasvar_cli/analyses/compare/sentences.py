"""What the text says of compared runs: who is best, which runs differ, by which test, and what else a reader needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, isfinite, isinf, isnan

import numpy as np

from biasvar_cli.analyses.compare.answer import TOLERATED, CompareAnswer
from biasvar_cli.analyses.compare.columns import p_head
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import equalised
from biasvar_cli.clusters import Clusters
from biasvar_cli.scores import in_unit
from biasvar_cli.scoring.targets import best_run, log_transform
from biasvar_cli.specs import FEWEST_QUERIES, is_significant
from biasvar_cli.stats.significance import CORRECTIONS, FAMILY_TESTS, PRIMARY, TESTS, Correction
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import about, best_baseline_note, evaluated, few_clusters, listed, measure_words
from biasvar_cli.tables.view import top_note
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted, counted_queries, either, in_nouns, verb

_LEAST_P = 1e-300
_NAMED = 4  # runs in a sentence
TOTALS = {"total": "total error", "total_gap": "total error of the gap form"}  # what is compared instead of the mean


def about_compared(answer: CompareAnswer, measures: str = "") -> str:
    """What is compared, in words, under several ``measures`` or that of the answer; a mean score has no target."""
    measure, n_runs, n_queries = measures or measure_words(answer.measure), len(answer.runs), answer.n_queries
    if answer.request.of == "mean":
        return f"{measure}, {counted(n_runs, 'run')}, {counted_queries(n_queries, answer.n_clusters)}"
    return f"{TOTALS[answer.request.of]}, {about(measure, answer.target, n_runs, n_queries, answer.n_clusters)}"


def title_of(answer: CompareAnswer) -> str:
    """What was evaluated, and the run that the others are compared with: the first line."""
    target = answer.target if answer.request.lower_is_better else None
    line = evaluated(answer.measure, len(answer.runs), answer.n_queries, target, n_clusters=answer.n_clusters)
    if answer.baseline is None:
        return line
    how = f", the {RUN} with the best mean" if answer.is_top else ""
    mean = num(in_unit(float(answer.means[answer.baseline]), answer.better))
    return f"{line.removesuffix('.')}. Baseline: {answer.baseline_name}{how}, {_compared(answer)} {mean}"


def _compared(answer: CompareAnswer) -> str:
    """What is compared: the mean, or a total error."""
    return TOTALS.get(answer.request.of, "mean")


def verdict_notes(answer: CompareAnswer, table: str) -> Iterator[str]:
    """The answer of one of the tables: who is best and which runs differ, or how well the runs are told apart."""
    if table == "swap":
        yield _swap_note(answer)
    elif table == "power":
        yield _power_note(answer)
    else:
        why = _untested(answer)
        if answer.baseline is None:
            yield from _best_notes(answer, tested=not why)
        elif not why:
            yield from _against_notes(answer)
        if why:
            than = answer.baseline_name or "another"
            yield f"No {RUN} is called significantly better or worse than {than}: {why}."
        else:
            yield test_note(answer)


def _untested(answer: CompareAnswer) -> str:
    """Why nothing is said of which runs differ; empty where that was tested."""
    tests, n_queries, request = answer.tests, answer.n_queries, answer.request
    if tests.undecided == "few-queries":
        needs = f"that takes at least {FEWEST_QUERIES} {QUERIES}, and there are {n_queries}"
        return f"{needs}. {counted(n_queries, 'query')} tell little, whatever the test"
    if tests.undecided == "few-clusters":
        return few_clusters(tests.units.n)
    if tests.undecided == "few-samples":
        many = f" and {tests.n_family} pairs" if tests.deciding in tests.adjusted and tests.n_family > 1 else ""
        return f"{request.samples} samples are too few for this level{many}; raise --samples"
    return ""


def _best_notes(answer: CompareAnswer, *, tested: bool) -> Iterator[str]:
    """The best run, those that it beats and those that it does not, and how many pairs differ."""
    tests, sign = answer.tests, 1 if answer.request.lower_is_better else -1
    rank = equalised(sign * answer.means)
    order = sorted(range(len(rank)), key=lambda run: (rank[run], answer.runs[run]))
    first = [run for run in order if rank[run] == rank[order[0]]]
    lead = "Best mean" if sign < 0 else f"Least {_compared(answer)}"
    value = num(in_unit(float(answer.means[order[0]]), answer.better))
    best = f"{lead}: {listed([answer.runs[run] for run in first], _NAMED)} ({value})"
    if tests.n_beaten is None or not tested:
        yield f"{best}."
        return
    worse = _beaten_by_all(tests, first)
    alike = [answer.runs[run] for run in order if run not in worse and run not in first]
    n_others = len(rank) - len(first)
    if not tests.differs.any():
        yield f"{best}. No two {RUNS} differ significantly."
        return
    if not alike:
        others = f"each of the other {n_others} {RUNS}" if n_others > 1 else f"the other {RUN}"
        yield f"{best}, significantly better than {others}."
    else:
        yield f"{best}, significantly better than {n_others - len(alike)} of the other {n_others} {RUNS}."
        do = verb(len(alike), f"{RUN} does", f"{RUNS} do")
        it = verb(len(first), "it", "them")
        yield f"{len(alike)} {do} not differ significantly from {it}: {listed(alike, _NAMED)}."
    if len(tests.delta) == 1:
        return
    n_differ = f"{np.count_nonzero(tests.differs)} of {len(tests.delta)} pairs of {RUNS}"
    if isnan(tests.critical_difference):
        yield f"{n_differ} differ significantly."
    else:
        yield f"{n_differ} differ significantly: every pair more than {num(tests.critical_difference)} apart."


def _beaten_by_all(tests: PairTests, runs: Sequence[int]) -> set[int]:
    """The runs that all of these are significantly better than, where all pairs are tested."""
    losers = [set(tests.versus[tests.differs & (tests.run == run)].tolist()) for run in runs]
    return set.intersection(*losers)


def _number_and_names(names: list[str]) -> str:
    """How many runs these are, and the first of them."""
    return f"{len(names)} {RUNS} ({listed(names, _NAMED)})" if len(names) > _NAMED else listed(names) or f"no {RUN}"


def _against_notes(answer: CompareAnswer) -> Iterator[str]:
    """Which runs are better and worse than the baseline, by the primary test, those that differ most first."""
    tests, baseline, n_alike = answer.tests, answer.baseline_name, int(np.count_nonzero(~answer.tests.differs))
    gain = -tests.delta if answer.request.lower_is_better else tests.delta
    for word, side in (("better", 1), ("worse", -1)):
        order = (-side * gain).argsort(kind="stable").tolist()
        names = [tests.runs[tests.run[pair]] for pair in order if tests.differs[pair] and side * gain[pair] > 0]
        yield f"Significantly {word} than {baseline}: {_number_and_names(names)}."
    if n_alike:
        several = f"all {n_alike} {RUNS}" if n_alike == len(tests.delta) else f"the other {n_alike} {RUNS}"
        others = verb(n_alike, f"the other {RUN}", several)
        within = f", whose {_compared(answer)} is within {num(tests.critical_difference)} of that of {baseline}"
        yield f"Not significantly different: {others}{within if isfinite(tests.critical_difference) else ''}."


def test_note(answer: CompareAnswer) -> str:
    """By which test, at which level and with which correction the runs differ."""
    tests, n_family, test = answer.tests, answer.tests.n_family, TESTS[answer.tests.deciding]
    correction: Correction = answer.request.correction if test.corrected and n_family > 1 else "none"
    if n_family == 1:
        family = "for one pair, so that no adjustment is needed"
    elif test.corrected and correction == "none":
        family = f"for each pair alone: p-values are not corrected for the number of pairs ({n_family})"
    elif answer.baseline is None or answer.is_top:
        family = f"for all {n_family} pairs of {RUNS} together"
        family += f", since {answer.baseline_name} was chosen for its mean" if answer.is_top else ""
    else:
        family = f"for all {n_family} comparisons with {answer.baseline_name} together"
    threshold = answer.request.threshold
    if correction in CORRECTIONS and not CORRECTIONS[correction].of_any:
        family += f"; of the differences called significant, {100 * threshold:.3g} % are expected to be false"
    no_size = f"; no difference on these {QUERIES} would be significant" if isinf(tests.critical_difference) else ""
    words = tests.words(tests.deciding) if not test.corrected else test.meaning.removeprefix("the ")
    text = f"Test: paired, two-sided {words.removeprefix('paired ')}{_after(correction)}, p < {threshold:g} {family}"
    return f"{text}{no_size}."


def _power_note(answer: CompareAnswer) -> str:
    """How many pairs the test that decides finds."""
    row = next(row for row in reversed(answer.power) if row.test == answer.tests.deciding)
    if row.n_significant is None or _untested(answer):
        return f"How many pairs of {RUNS} differ significantly is not known: {_untested(answer)}."
    test = f"{TESTS[row.test].meaning}{_after(row.correction)}, p < {answer.request.threshold:g}"
    differ = f"{counted(row.n_pairs, 'pair')} of {RUNS} {verb(row.n_significant, 'differs', 'differ')} significantly"
    return f"{row.n_significant} of {differ} ({test}): discriminative power {num(row.share)}."


def _after(correction: str | None) -> str:
    """The correction of p-values, behind their test."""
    return next((f" with {words.words} correction" for name, words in CORRECTIONS.items() if name == correction), "")


def _swap_note(answer: CompareAnswer) -> str:
    """From which difference on two halves of the queries order two runs alike."""
    swaps, tolerated = answer.compared.swaps, f"{100 * TOLERATED:g} %"
    if not isfinite(swaps.needed):
        return f"Even of the largest differences more than {tolerated} are reversed on the other half."
    what = f"clusters of {QUERIES}" if swaps.of_clusters else QUERIES
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
    """What the caption of a table of runs or pairs has to say: the test, its adjustment, and what marks mean."""
    if table not in ("runs", "pairs"):
        return
    if not _untested(answer):
        yield test_note(answer)
    if table == "pairs":
        yield from _p_notes(answer)
    elif answer.tests.n_beaten is not None:
        yield f"* no {RUN} is significantly better"


def notes_under(answer: CompareAnswer, table: str, *, top: int | None, n_rows: int) -> Iterator[str]:
    """The few lines under one of the tables of ``n_rows`` rows, of which the first ``top`` are shown."""
    request, transform = answer.request, log_transform(answer.request)
    yield from top_note(top, n_rows, "run" if table == "runs" else "")
    name = answer.baseline_name
    if name is not None and not answer.is_top and best_run(answer.compared.targeted.scores) == name:
        yield from best_baseline_note(name, len(answer.runs))
    if transform is not None:
        yield f"Scores are logarithms ({argument(log=transform.form, eps=transform.eps)})."
    yield from {"runs": _under_runs, "pairs": _under_pairs, "power": _under_power, "swap": _under_swaps}[table](answer)
    if table != "swap" and (request.detect is not None or request.power != type(request).power or table == "power"):
        yield _size_note(answer)


def _under_runs(answer: CompareAnswer) -> Iterator[str]:
    if answer.tests.n_beaten is None and answer.baseline is not None:
        yield "The comparisons with the baseline are in --table pairs."
    if answer.tests.n_beaten is None:
        return
    yield from _cautions(answer, of_means=False)
    yield f"beats, beaten by: {RUNS} significantly worse, better than this one. * no {RUN} is significantly better."
    if answer.tests.unranked is not None:
        yield f"No ranks: {unranked_words(answer.tests)}."
    else:
        level = f"{100 * answer.request.level:g} %"
        yield f"rank: the possible ranks by {_compared(answer)}; the ranges hold for all {RUNS} together ({level})."
    if answer.baseline is None and len(answer.runs) > 2:
        name_few = either("name only these as INPUTS", "evaluate only these")
        yield f"To compare fewer {RUNS}, {name_few}; to compare all with one: {argument('baseline NAME')}."


def few_queries_words(units: Clusters) -> str:
    """Why so few queries, or clusters of them, give no ranks.

    >>> few_queries_words(Clusters.named("a"))
    'ranks need at least 6 queries, and there is 1'
    """
    what = QUERIES if units.are_single else "clusters"
    return f"ranks need at least {FEWEST_QUERIES} {what}, and there {verb(units.n, 'is', 'are')} {units.n}"


def unranked_words(tests: PairTests) -> str:
    """Why the test gives no ranks of all runs; empty where it does."""
    match tests.unranked:
        case "few-queries" | "few-clusters":
            return few_queries_words(tests.units)
        case "few-samples":
            return f"{tests.request.samples} samples are too few for this level"
        case "single-pairs":
            p = "uncorrected p-values"
            if tests.request.correction in CORRECTIONS:
                p = f"p-values with {CORRECTIONS[tests.request.correction].words} correction"
            return f"{p} do not allow for all {tests.n_family} pairs together"
        case "not-of-means":
            return f"{TESTS[tests.deciding].meaning} does not compare means"
    return ""


def without_ranks(tests: PairTests) -> str | None:
    """Why not all runs have ranks, None where they have."""
    if tests.baseline is not None and tests.all_pairs is None and tests.unranked is None and len(tests.runs) > 2:
        return f"the pairs with {tests.runs[tests.baseline]!s} are tested, which give its rank alone"
    return unranked_words(tests) or None


def _under_pairs(answer: CompareAnswer) -> Iterator[str]:
    versus = "versus" if answer.baseline is None else f"{answer.baseline_name}"
    first, second = (str(RUN), versus) if answer.better == "more" else (versus, str(RUN))
    what = f"{_compared(answer)} of {first} minus that of {second}"
    less = f", so below 0 {RUN} is better" if answer.request.lower_is_better else ""
    yield f"delta: {what}{less}. wins, losses: {QUERIES} on which {RUN} is better and worse."
    yield from _p_notes(answer)
    yield from _cautions(answer, of_means=False)
    for test in answer.tests.p:
        rough = int(((answer.tests.wins + answer.tests.losses) < TESTS[test].fewest).sum())
        if rough:
            fewest = f"fewer than {TESTS[test].fewest} {QUERIES}"
            yield f"{TESTS[test].words}'s p is rough where {fewest} differ: {counted(rough, 'pair')}."


def _p_notes(answer: CompareAnswer) -> Iterator[str]:
    """What the interval and the columns of p-values allow for: one pair, or all of them."""
    tests, correction = answer.tests, answer.request.correction
    single = [p_head(test) for test in tests.p if TESTS[test].corrected and test not in tests.adjusted]
    corrected = [p_head(test, correction) for test in tests.adjusted]
    together = [p_head(test) for test in tests.p if not TESTS[test].corrected]
    false_ones = correction in CORRECTIONS and not CORRECTIONS[correction].of_any
    together = together if false_ones else [*corrected, *together]
    if tests.n_family > 1:
        alone = f"{listed(['interval', *single])} {verb(len(single) + 1, 'is', 'are')} for one pair alone"
        if together:
            are = verb(len(together), "is", "are")
            yield f"{listed(together)} {are} adjusted for all {tests.n_family} pairs; the {alone}."
        else:
            yield f"The {alone}."
    if corrected and false_ones:
        threshold = answer.request.threshold
        share = f"of the pairs below {threshold:g}, {100 * threshold:.3g} % are expected to be false"
        yield f"{listed(corrected)}: {CORRECTIONS[correction].words} correction; {share}."


def _cautions(answer: CompareAnswer, *, of_means: bool) -> Iterator[str]:
    """What a reader has to know of the tests of the request, those of means or the others."""
    tests = (TESTS[test] for test in answer.request.tests if TESTS[test].of_means == of_means)
    yield from (in_nouns(caution) for caution in dict.fromkeys(test.caution for test in tests) if caution)


def _under_power(answer: CompareAnswer) -> Iterator[str]:
    yield f"A measure with a higher share tells more pairs of {RUNS} apart."
    if answer.request.correction not in CORRECTIONS or CORRECTIONS[answer.request.correction].of_any:
        tests = ", ".join(FAMILY_TESTS)
        yield f"{tests} and rows with a correction allow for all pairs together, the other rows for one pair."


def _under_swaps(answer: CompareAnswer) -> Iterator[str]:
    swaps = answer.compared.swaps
    what = f"clusters of {QUERIES}" if swaps.of_clusters else QUERIES
    splits = f"{counted(swaps.n_splits, 'random split')} of the {what} into two halves of {swaps.half}"
    yield f"{splits}. A comparison is a pair of {RUNS} on one split."
    yield "A swap is a comparison whose difference has the other sign on the second half."


def details_under(answer: CompareAnswer, table: str) -> Iterator[str]:
    """What ``--notes full`` adds."""
    if table in ("runs", "pairs") and answer.tests.deciding == PRIMARY and not answer.tests.undecided:
        n_family, level = answer.tests.n_family, f"{100 * answer.request.threshold:.3g} %"
        false_one = "a false difference" if n_family == 1 else f"any false difference among all {n_family} pairs"
        keeps = f"keeps the chance of {false_one} at about {level}"
        yield f"The {answer.tests.words(PRIMARY)} {keeps} (measured rates: docs/validation.md)."
    if table == "runs" and answer.tests.n_beaten is not None:
        yield "In csv and JSON, beats, beaten by and top group are the columns better, worse and best."
    yield from _cautions(answer, of_means=True)
    if table == "pairs" and np.isnan(answer.tests.es).any():
        yield f"The effect size is undefined (-) where the difference is the same on every {QUERY}."
    if table != "pairs" and (table != "runs" or answer.tests.n_beaten is None):
        yield from _cautions(answer, of_means=False)
    if table not in ("power", "swap"):
        yield _size_note(answer)
    yield from _statistics(answer)


def _statistics(answer: CompareAnswer) -> Iterator[str]:
    """The two tests of whether all runs are equal, or why there is none; p is never shown as 0."""
    anova, friedman = answer.compared.anova, answer.compared.friedman
    if anova is None or friedman is None:
        yield f"ANOVA and Friedman's test of all {RUNS} take {QUERIES} for independent; in clusters they are not."
        return
    if isfinite(anova.f_runs):
        value = f"F({anova.df_runs}, {anova.df_error}) = {num(anova.f_runs)}"
        yield f"ANOVA of all {len(answer.runs)} {RUNS}: {value}, {_p_of_equal(answer, anova.p_runs)}."
    else:
        yield f"ANOVA of all {RUNS} is undefined: the {RUNS} differ by the same on every {QUERY}."
    if isfinite(friedman.chi2):
        value = f"chi-square({friedman.df}) = {num(friedman.chi2)}"
        yield f"Friedman's test of all {len(answer.runs)} {RUNS}: {value}, {_p_of_equal(answer, friedman.p)}."
    else:
        yield f"Friedman's test of all {RUNS} is undefined: all {RUNS} are equal on every {QUERY}."


def _p_of_equal(answer: CompareAnswer, p: float) -> str:
    """p of the hypothesis that all runs are equal, and what follows."""
    unequal = f"the {RUNS} are not all equal (p < {answer.request.threshold:g})"
    conclusion = unequal if is_significant(p, answer.request.level) else "no significant difference"
    return f"p {num(max(p, _LEAST_P))}: {conclusion}"


def _size_note(answer: CompareAnswer) -> str:
    """The difference that these queries can find, and the queries that another one needs."""
    size, n_queries = answer.size, counted_queries(answer.n_queries, answer.n_clusters)
    if isnan(size.sd):
        return f"Which differences these {QUERIES} can find is undefined: {few_clusters(answer.tests.units.n)}."
    if size.sd == 0:
        return f"Which differences these {QUERIES} can find is undefined: the median pair differs equally on each."
    what = QUERIES if answer.n_clusters is None else "clusters as large as these"
    needs = f"; a difference of {size.detect:g} needs {ceil(size.queries)} {what}" if isfinite(size.queries) else ""
    difference = f"a true difference of {num(size.detectable)}" if isfinite(size.detectable) else "no difference"
    return (
        f"For a pair of {RUNS} with median spread, an uncorrected t test (p < {answer.request.threshold:g}) on "
        f"{n_queries} finds {difference} in {100 * size.power:g} % of samples{needs}."
    )
