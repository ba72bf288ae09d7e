"""What the text says of compared runs: who is best, which runs differ, by which test, and what else a reader needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, isfinite, isinf, isnan

import numpy as np

from biasvar_cli.analyses.compare.answer import TOLERATED, CompareAnswer
from biasvar_cli.analyses.compare.columns import p_head
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import equalised
from biasvar_cli.scores import in_unit
from biasvar_cli.scoring.targets import best_run, log_transform
from biasvar_cli.stats.level import is_significant
from biasvar_cli.stats.significance import CORRECTIONS, FAMILY_TESTS, PRIMARY, TESTS, Correction
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.table import Note, about, best_baseline_note, evaluated, listed, measure_words, plain
from biasvar_cli.tables.view import shown_note
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted, either, in_nouns

_LEAST_P = 1e-300
_NAMED = 4  # runs in a sentence
TOTALS = {"total": "total error", "total_gap": "total error of the gap form"}  # what is compared instead of the mean


def about_compared(answer: CompareAnswer, measures: str = "") -> str:
    """What is compared, in words, under several ``measures`` or that of the answer; a mean score has no target."""
    measure, n_runs, n_queries = measures or measure_words(answer.measure), len(answer.runs), answer.n_queries
    if answer.request.of == "mean":
        return f"{measure}, {counted(n_runs, 'run')}, {counted(n_queries, 'query')}"
    return f"{TOTALS[answer.request.of]}, {about(measure, answer.target, n_runs, n_queries)}"


def title_of(answer: CompareAnswer) -> Note:
    """What was evaluated, and the run that the others are compared with: the first line."""
    target = answer.target if answer.request.lower_is_better else None
    line = evaluated(answer.measure, len(answer.runs), answer.n_queries, target)
    if answer.baseline is None:
        return line
    how = f", the {RUN} with the best mean" if answer.is_top else ""
    baseline = f"{plain(str(answer.baseline_name))}{how}, {_compared(answer)} {{}}"
    value = in_unit(float(answer.compared.values[answer.baseline].mean()), answer.better)
    text = (line.text if line.values else plain(line.text)).removesuffix(".")
    return Note(f"{text}. Baseline: {baseline}", (*line.values, value), signed=False)


def _compared(answer: CompareAnswer) -> str:
    """What is compared: the mean, or a total error."""
    return TOTALS.get(answer.request.of, "mean")


def verdict_notes(answer: CompareAnswer, table: str) -> Iterator[Note]:
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
            yield Note(f"No {RUN} is called significantly better or worse than {than}: {why}.")
        else:
            yield test_note(answer)


def _untested(answer: CompareAnswer) -> str:
    """Why nothing is said of which runs differ; empty where that was tested."""
    tests, n_queries, request = answer.tests, answer.n_queries, answer.request
    if tests.undecided == "few-queries":
        needs = f"that takes at least {FEWEST_QUERIES} {QUERIES}, and there are {n_queries}"
        return f"{needs}. {counted(n_queries, 'query')} tell little, whatever the test"
    if tests.undecided == "few-samples":
        many = f" and {tests.n_family} pairs" if tests.deciding in tests.adjusted and tests.n_family > 1 else ""
        return f"{request.samples} samples are too few for this level{many}; raise --samples"
    return ""


def _best_notes(answer: CompareAnswer, *, tested: bool) -> Iterator[Note]:
    """The best run, those that it beats and those that it does not, and how many pairs differ."""
    tests, sign = answer.tests, 1 if answer.request.lower_is_better else -1
    means = answer.compared.values.mean(axis=1)
    rank = equalised(sign * means)
    order = sorted(range(len(means)), key=lambda run: (rank[run], answer.runs[run]))
    first = [run for run in order if rank[run] == rank[order[0]]]
    lead = "Best mean" if sign < 0 else f"Least {_compared(answer)}"
    text = f"{lead}: {plain(listed([answer.runs[run] for run in first], _NAMED))} ({{}})"
    value = (in_unit(float(means[order[0]]), answer.better),)
    if tests.n_beaten is None or tests.n_beaten_by is None or not tested:
        yield Note(f"{text}.", value, signed=False)
        return
    worse = _beaten_by_all(tests, first)
    alike = [answer.runs[run] for run in order if run not in worse and run not in first]
    n_others = len(means) - len(first)
    if not tests.differs.any():
        yield Note(f"{text}. No two {RUNS} differ significantly.", value, signed=False)
    elif not alike:
        others = f"each of the other {n_others} {RUNS}" if n_others > 1 else f"the other {RUN}"
        yield Note(f"{text}, significantly better than {others}.", value, signed=False)
    else:
        beaten = f"significantly better than {n_others - len(alike)} of the other {n_others} {RUNS}"
        yield Note(f"{text}, {beaten}.", value, signed=False)
        differ = f"{RUNS} do" if len(alike) > 1 else f"{RUN} does"
        best = "it" if len(first) == 1 else "them"
        yield Note(f"{len(alike)} {differ} not differ significantly from {best}: {listed(alike, _NAMED)}.")
    if len(tests.delta) > 1 and tests.differs.any():
        n_differ = f"{np.count_nonzero(tests.differs)} of {len(tests.delta)} pairs of {RUNS}"
        if isnan(tests.critical_difference):
            yield Note(f"{n_differ} differ significantly.")
            return
        compared = _compared(answer).replace("mean", "means").replace("error", "errors")
        apart = f"differ significantly: those whose {compared} differ by more than {{}}"
        yield Note(f"{n_differ} {apart}.", (tests.critical_difference,), signed=False)


def _beaten_by_all(tests: PairTests, runs: Sequence[int]) -> set[int]:
    """The runs that all of these are significantly better than, where all pairs are tested."""
    losers = [set(tests.versus[tests.differs & (tests.run == run)].tolist()) for run in runs]
    return set.intersection(*losers)


def _number_and_names(names: list[str]) -> str:
    """How many runs these are, and the first of them."""
    return f"{len(names)} {RUNS} ({listed(names, _NAMED)})" if len(names) > _NAMED else listed(names) or f"no {RUN}"


def _against_notes(answer: CompareAnswer) -> Iterator[Note]:
    """Which runs are better and worse than the baseline, by the primary test, those that differ most first."""
    tests, baseline, n_alike = answer.tests, answer.baseline_name, int(np.count_nonzero(~answer.tests.differs))
    gain = -tests.delta if answer.request.lower_is_better else tests.delta
    for word, side in (("better", 1), ("worse", -1)):
        order = (-side * gain).argsort(kind="stable").tolist()
        names = [tests.runs[tests.run[pair]] for pair in order if tests.differs[pair] and side * gain[pair] > 0]
        yield Note(f"Significantly {word} than {baseline}: {_number_and_names(names)}.")
    if n_alike:
        others = "all" if n_alike == len(tests.delta) > 1 else "the other"
        others += f" {n_alike} {RUNS}" if n_alike > 1 else f" {RUN}"
        if isfinite(tests.critical_difference):
            within = f"whose {_compared(answer)} is within {{}} of that of {plain(str(baseline))}"
            size = (tests.critical_difference,)
            yield Note(f"Not significantly different: {others}, {within}.", size, signed=False)
        else:
            yield Note(f"Not significantly different: {others}.")


def test_note(answer: CompareAnswer) -> Note:
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
    return Note(f"{text}{no_size}.")


def _power_note(answer: CompareAnswer) -> Note:
    """How many pairs the test that decides finds."""
    row = next(row for row in reversed(answer.power) if row.test == answer.tests.deciding)
    if row.n_significant is None or _untested(answer):
        return Note(f"How many pairs of {RUNS} differ significantly is not known: {_untested(answer)}.")
    how = f"{TESTS[row.test].meaning}{_after(row.correction)}, p < {answer.request.threshold:g}"
    n_found = f"{row.n_significant} of {counted(row.n_pairs, 'pair')} of {RUNS}"
    differ = "differs" if row.n_significant == 1 else "differ"
    return Note(f"{n_found} {differ} significantly ({how}): discriminative power {{}}.", (row.share,), signed=False)


def _after(correction: str | None) -> str:
    """The correction of p-values, behind their test."""
    return next((f" with {each.words} correction" for name, each in CORRECTIONS.items() if name == correction), "")


def _swap_note(answer: CompareAnswer) -> Note:
    """From which difference on two halves of the queries order two runs alike."""
    swaps, tolerated = answer.compared.swaps, f"{100 * TOLERATED:g} %"
    if not isfinite(swaps.needed):
        return Note(f"Even of the largest differences more than {tolerated} are reversed on the other half.")
    if not swaps.needed:
        least = float(swaps.low[swaps.n > 0][0])
        on, swapped = f"on {swaps.half} {QUERIES} are", f"reversed on {swaps.half} other {QUERIES}"
        if least:
            text = f"All differences between two {RUNS} {on} at least {{}}. At most {tolerated} of them are {swapped}."
            return Note(text, (least,), signed=False, digits=2)
        return Note(f"Differences of any size between two {RUNS} {on} {swapped} in at most {tolerated} of comparisons.")
    return Note(
        f"Differences of at least {{}} between two {RUNS} on {swaps.half} {QUERIES} are reversed on {swaps.half} other "
        f"{QUERIES} in at most {tolerated} of comparisons. {{}} % of all comparisons differ by at least that much.",
        (swaps.needed, 100 * swaps.share),
        signed=False,
        digits=(2, 1),
    )


def caption_notes(answer: CompareAnswer, table: str) -> Iterator[Note]:
    """What the caption of a table of runs or pairs has to say: the test, its adjustment, and what marks mean."""
    if table not in ("runs", "pairs"):
        return
    if not _untested(answer):
        yield test_note(answer)
    if table == "pairs":
        yield from _p_notes(answer)
    elif answer.tests.n_beaten is not None:
        yield Note(f"* no {RUN} is significantly better")


def notes_under(answer: CompareAnswer, table: str, *, top: int | None, n_rows: int) -> Iterator[Note]:
    """The few lines under one of the tables of ``n_rows`` rows, of which the first ``top`` are shown."""
    request, transform = answer.request, log_transform(answer.request)
    yield from shown_note(top, n_rows, "run" if table == "runs" else "")
    name = answer.baseline_name
    if name is not None and not answer.is_top and best_run(answer.compared.targeted.scores) == name:
        yield from best_baseline_note(name, len(answer.runs))
    if transform is not None:
        yield Note(f"Scores are logarithms ({argument(log=transform.form, eps=transform.eps)}).")
    yield from {"runs": _under_runs, "pairs": _under_pairs, "power": _under_power, "swap": _under_swaps}[table](answer)
    if table != "swap" and (request.detect is not None or request.power != type(request).power or table == "power"):
        yield _size_note(answer)


def _under_runs(answer: CompareAnswer) -> Iterator[Note]:
    if answer.tests.n_beaten is None and answer.baseline is not None:
        yield Note("The comparisons with the baseline are in --table pairs.")
    if answer.tests.n_beaten is None:
        return
    yield from _cautions(answer, of_means=False)
    yield Note(f"beats, beaten by: {RUNS} significantly worse and better than this one. top group (*): beaten by none.")
    if answer.baseline is None and len(answer.runs) > 2:
        name_few = either("name only these as INPUTS", "evaluate only these")
        yield Note(f"To compare fewer {RUNS}, {name_few}; to compare all with one: {argument('baseline NAME')}.")


def _under_pairs(answer: CompareAnswer) -> Iterator[Note]:
    versus = "versus" if answer.baseline is None else str(answer.baseline_name)
    first, second = (str(RUN), versus) if answer.better == "more" else (versus, str(RUN))
    what = f"{_compared(answer)} of {first} minus that of {second}"
    less = f", so below 0 {RUN} is better" if answer.request.lower_is_better else ""
    yield Note(f"delta: {what}{less}. wins, losses: {QUERIES} on which {RUN} is better and worse.")
    yield from _p_notes(answer)
    yield from _cautions(answer, of_means=False)
    for test in answer.tests.p:
        rough = int(((answer.tests.wins + answer.tests.losses) < TESTS[test].fewest).sum())
        if rough:
            fewest = f"fewer than {TESTS[test].fewest} {QUERIES}"
            yield Note(f"{TESTS[test].words}'s p is rough where {fewest} differ: {counted(rough, 'pair')}.")


def _p_notes(answer: CompareAnswer) -> Iterator[Note]:
    """What the interval and the columns of p-values allow for: one pair, or all of them."""
    tests, correction = answer.tests, answer.request.correction
    single = [p_head(test) for test in tests.p if TESTS[test].corrected and test not in tests.adjusted]
    corrected = [p_head(test, correction) for test in tests.adjusted]
    together = [p_head(test) for test in tests.p if not TESTS[test].corrected]
    false_ones = correction in CORRECTIONS and not CORRECTIONS[correction].of_any
    together = together if false_ones else [*corrected, *together]
    if tests.n_family > 1:
        adjusted = [f"{listed(together)} {_are(together)} adjusted for all {tests.n_family} pairs"] if together else []
        alone = ["the interval", *single]
        text = "; ".join([*adjusted, f"{listed(alone)} {_are(alone)} for one pair alone"])
        yield Note(f"{text[0].upper() if not adjusted else text[0]}{text[1:]}.")
    if corrected and false_ones:
        threshold = answer.request.threshold
        share = f"of the pairs below {threshold:g}, {100 * threshold:.3g} % are expected to be false"
        yield Note(f"{listed(corrected)}: {CORRECTIONS[correction].words} correction; {share}.")


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _cautions(answer: CompareAnswer, *, of_means: bool) -> Iterator[Note]:
    """What a reader has to know of the tests that were asked for, those of means or the others."""
    asked = (TESTS[test] for test in answer.request.tests if TESTS[test].of_means == of_means)
    yield from (Note(in_nouns(caution)) for caution in dict.fromkeys(test.caution for test in asked) if caution)


def _under_power(answer: CompareAnswer) -> Iterator[Note]:
    yield Note(f"A measure with a higher share tells more pairs of {RUNS} apart.")
    if answer.request.correction not in CORRECTIONS or CORRECTIONS[answer.request.correction].of_any:
        tests = ", ".join(FAMILY_TESTS)
        yield Note(f"{tests} and rows with a correction allow for all pairs together, the other rows for one pair.")


def _under_swaps(answer: CompareAnswer) -> Iterator[Note]:
    swaps = answer.compared.swaps
    splits = f"{counted(swaps.n_splits, 'random split')} of the {QUERIES} into two halves of {swaps.half}"
    yield Note(f"{splits}. A comparison is a pair of {RUNS} on one split.")
    yield Note("A swap is a comparison whose difference has the other sign on the second half.")


def details_under(answer: CompareAnswer, table: str) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    if table in ("runs", "pairs") and answer.tests.deciding == PRIMARY and not answer.tests.undecided:
        n_family, level = answer.tests.n_family, f"{100 * answer.request.threshold:.3g} %"
        false_one = "a false difference" if n_family == 1 else f"any false difference among all {n_family} pairs"
        keeps = f"keeps the chance of {false_one} at about {level}"
        yield Note(f"The {answer.tests.words(PRIMARY)} {keeps} (measured rates: docs/definitions.md).")
    if table == "runs" and answer.tests.n_beaten is not None:
        yield Note("In csv and JSON, beats, beaten by and top group are the columns better, worse and best.")
    yield from _cautions(answer, of_means=True)
    if table == "pairs" and any(effect != effect for effect in answer.tests.es):
        yield Note(f"The effect size is undefined (-) where the difference is the same on every {QUERY}.")
    if table != "pairs" and (table != "runs" or answer.tests.n_beaten is None):
        yield from _cautions(answer, of_means=False)
    if table not in ("power", "swap"):
        yield _size_note(answer)
    yield from _statistics(answer)


def _statistics(answer: CompareAnswer) -> Iterator[Note]:
    """The two tests of whether all runs are equal, or why there is none; p is never shown as 0."""
    anova, friedman, request = answer.compared.anova, answer.compared.friedman, answer.request
    for name, how, statistic, p, why in (
        (
            "ANOVA",
            f"F({anova.df_runs}, {anova.df_error})",
            anova.f_runs,
            anova.p_runs,
            f"the {RUNS} differ by the same on every {QUERY}",
        ),
        (
            "Friedman's test",
            f"chi-square({friedman.df})",
            friedman.chi2,
            friedman.p,
            f"all {RUNS} are equal on every {QUERY}",
        ),
    ):
        if isfinite(statistic):
            unequal = f"the {RUNS} are not all equal (p < {request.threshold:g})"
            equal = unequal if is_significant(p, request.level) else "no significant difference"
            text = f"{name} of all {len(answer.runs)} {RUNS}: {how} = {{}}, p {{}}: {equal}."
            yield Note(text, (statistic, max(p, _LEAST_P)), signed=False)
        else:
            yield Note(f"{name} of all {RUNS} is undefined: {why}.")


def _size_note(answer: CompareAnswer) -> Note:
    """The difference that so many queries can find, and the queries that another one needs."""
    size, n_queries = answer.size, counted(answer.n_queries, "query")
    if size.sd == 0:
        return Note(
            f"Which differences these {QUERIES} can find is undefined: the median pair differs equally on each."
        )
    asked = f"; a difference of {size.detect:g} needs {ceil(size.queries)} {QUERIES}" if isfinite(size.queries) else ""
    test = f"an uncorrected t test (p < {answer.request.threshold:g}) on {n_queries} finds"
    often = f"in {100 * size.power:g} % of samples"
    if not isfinite(size.detectable):
        return Note(f"For a pair of {RUNS} with median spread, {test} no difference {often}{asked}.")
    text = f"For a pair of {RUNS} with median spread, {test} a true difference of {{}} {often}{asked}."
    return Note(text, (size.detectable,), signed=False)
