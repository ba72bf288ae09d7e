"""What the text says of a summary: what was evaluated, the verdict for each measure, and what marks mean."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from biasvar_cli.analyses.compare import letters_note
from biasvar_cli.analyses.compare.system_notes import pair_notes
from biasvar_cli.analyses.summary.answer import Mark, MeasureAnswer, SummaryAnswer
from biasvar_cli.specs.limits import threshold
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS
from biasvar_cli.tables.layout import PLUS_MINUS
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import row_note, sizes_words, top_note
from biasvar_cli.tables.table import (
    UNKNOWN_SCORES,
    best_baseline_note,
    direction_notes,
    for_paper,
    in_mid_sentence,
    target_words,
)
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, all_of, counted, counted_queries, in_nouns, listed, verb

BETTER, WORSE, BELOW = "†", "‡", "▽"
_MOST_SENTENCES, _MOST_LEADERS, _MOST_NAMES, _MOST_MEASURES = 4, 2, 3, 6
_MOST_TRACKS = 4  # whose numbers of queries a line has room for


def evaluated_note(answer: SummaryAnswer) -> str:
    """What was evaluated: measures, runs, and queries or tracks."""
    measures = dict.fromkeys(part.measure or UNKNOWN_SCORES for part in answer.measures)
    runs = f"{listed(measures)} of {counted(len(answer.runs), 'run')}"
    first = answer.measures[0]
    against = "" if answer.baseline is None else f", compared with {answer.baseline}"
    if answer.baseline is not None and first.is_of_all_pairs:
        against += f", the {RUN} with the best {_words(first)}"
    sizes = {str(measure.track): counted_queries(measure.n_queries, measure.n_clusters) for measure in answer.measures}
    if not answer.of_tracks:
        return f"{runs} on {next(iter(sizes.values()))}{against}."
    tracks = listed((f"{track} ({size})" for track, size in sizes.items()), _MOST_TRACKS)
    return f"{runs} on {counted(len(sizes), 'track')}: {tracks}{against}."


def verdict_notes(answer: SummaryAnswer, factor: float) -> tuple[str, ...]:
    """The best run of each measure, and which others it does not differ from, or who beats the baseline.

    Means are shown times ``factor``.
    """
    if len(answer.runs) == 1:
        return (f"There is one {RUN}, {answer.run_labels[0]}: nothing to compare it with.",)
    by_leaders = _alike(lambda measure: tuple(answer.leaders(measure)), answer.measures)
    means = {
        measure.label: num(factor * measure.mean[measure.leaders[0]], better=measure.better)
        for measure in answer.measures
    }
    leaders = []
    for names, measures in by_leaders.items():
        best = listed((f"{_words(measure)} ({means[measure.label]})" for measure in measures), None)
        leaders.append(f"{listed(names, _MOST_NAMES)} {verb(len(names), 'has', 'have')} the best {best}.")
    if len(by_leaders) > _MOST_LEADERS:
        parts = [
            f"{_words(measure)}: {listed(answer.leaders(measure), _MOST_NAMES)} ({means[measure.label]})"
            for measure in answer.measures[:_MOST_MEASURES]
        ]
        parts += [f"and {n_more} more"] if (n_more := len(answer.measures) - len(parts)) else []
        leaders = [f"Best {'; '.join(parts)}."]
    untested = tuple(untested_notes(answer))
    notes_of, rest = (_baseline_notes, _baseline_counts) if answer.baseline else (_difference_notes, _difference_counts)
    notes = list(notes_of(answer))
    most = max(1, _MOST_SENTENCES - len(leaders) - len(untested))
    if len(notes) > most:
        others = [measure for _, measures in notes[most - 1 :] for measure in measures]
        notes = [*notes[: most - 1], (f"{rest(answer, others)}{_under(answer, others)}.", others)]
    return (*leaders, *untested, *(sentence for sentence, _ in notes))


def paper_note(answer: SummaryAnswer, factor: float) -> str:
    """A paragraph for a paper: what was evaluated, what was found, and by which test."""
    test = " ".join(test_notes(answer))
    tested = [f"Test, paired and two-sided: {test}"] if test else []
    evaluated = in_mid_sentence(evaluated_note(answer))
    return for_paper([f"We evaluated {evaluated}", *verdict_notes(answer, factor), *tested])


def _alike(key: Callable[[MeasureAnswer], Any], measures: Iterable[MeasureAnswer]) -> dict[Any, list[MeasureAnswer]]:
    """The measures of which something is the same, by what that is."""
    groups: dict[Any, list[MeasureAnswer]] = {}
    for measure in measures:
        groups.setdefault(key(measure), []).append(measure)
    return groups


def _difference_notes(answer: SummaryAnswer) -> Iterator[tuple[str, list[MeasureAnswer]]]:
    """Which other runs are not significantly below the best, and under which measures that is so."""

    def words(measure: MeasureAnswer) -> str:
        best = answer.leaders(measure)[0]
        others = [name for name in answer.marked(measure, "not-below-best") if name != best]
        if not others:
            all_others = verb(measure.n_runs - 1, f"the other {RUN}", f"every other {RUN}")
            return f"{best} is significantly better than {all_others}"
        if 1 < len(others) == measure.n_runs - 1:
            return f"{best} is not significantly better than any other {RUN}"
        if len(others) > _MOST_NAMES:
            number = counted(len(others), f"other {RUN}")
            return f"{best} is not significantly better than {number}, such as {listed(others[:_MOST_NAMES])}"
        return f"{best} is not significantly better than {listed(others)}"

    for sentence, measures in _alike(words, tested_measures(answer)).items():
        yield f"{sentence}{_under(answer, measures)}.", measures


def _difference_counts(answer: SummaryAnswer, measures: Sequence[MeasureAnswer]) -> str:
    """How many runs are not significantly below the best, from the least to the most under several measures."""
    level = [len(answer.marked(measure, "not-below-best")) - 1 for measure in measures]
    number = _spanned(level)
    if number == "0":
        return f"Every other {RUN} is significantly {side_words(measures)} the best"
    others = f"1 other {RUN} is" if number == "1" else f"{number} other {RUNS} are"
    return f"{others} not significantly {side_words(measures)} the best"


def _spanned(numbers: Sequence[int]) -> str:
    """The least and the greatest of some numbers.

    >>> _spanned([3, 1, 2]), _spanned([2, 2])
    ('1 to 3', '2')
    """
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def _baseline_notes(answer: SummaryAnswer) -> Iterator[tuple[str, list[MeasureAnswer]]]:
    """Which runs are significantly better and worse than the baseline, and under which measures that is so."""

    marks: tuple[Mark, ...] = ("better", "worse")
    same = _alike(
        lambda measure: tuple(frozenset(answer.marked(measure, mark)) for mark in marks), tested_measures(answer)
    )
    for measures in same.values():
        better, worse, neither = (answer.marked(measures[0], mark) for mark in ("better", "worse", None))
        where = _under(answer, measures)
        if not better and not worse:
            yield f"No {RUN} differs significantly from {answer.baseline}{where}.", measures
            continue
        parts = [f"significantly better ({BETTER}): {listed(better, _MOST_NAMES)}"] if better else []
        parts += [f"significantly worse ({WORSE}): {listed(worse, _MOST_NAMES)}"] if worse else []
        parts += [f"not significantly different: {counted(len(neither), 'run')}"] if neither else []
        yield f"Compared with {answer.baseline}{where}, {'; '.join(parts)}.", measures


def _baseline_counts(answer: SummaryAnswer, measures: Sequence[MeasureAnswer]) -> str:
    """How many runs are significantly better and worse than the baseline, from the least to the most."""
    marks: tuple[Mark, ...] = ("better", "worse")
    better, worse = (_spanned([len(answer.marked(measure, mark)) for measure in measures]) for mark in marks)
    return f"Number of {RUNS} significantly better than {answer.baseline}: {better}, significantly worse: {worse},"


def untested_notes(answer: SummaryAnswer) -> Iterator[str]:
    """Why there is no test, once for all measures with the same reason."""

    no_baseline = f"there is no {RUN} {answer.baseline}"
    reasons = _alike(lambda measure: no_baseline if measure.lacks_baseline else measure.untested, answer.measures)
    for reason, measures in reasons.items():
        if reason is not None:
            yield f"No {RUN} is called better than another{_under(answer, measures)}: {reason}."


def tested_measures(answer: SummaryAnswer) -> list[MeasureAnswer]:
    return [measure for measure in answer.measures if measure.untested is None]


def _words(measure: MeasureAnswer) -> str:
    """A measure in a sentence, with its track."""
    words = measure.measure or "mean score"
    return words if measure.track is None else f"{words} on {measure.track}"


def _under(answer: SummaryAnswer, measures: Sequence[MeasureAnswer]) -> str:
    """Under which measures something is so; nothing where there is one measure alone."""
    if len(answer.measures) == 1:
        return ""
    if len(measures) == len(answer.measures):
        number = all_of(len(measures))
        same = len({measure.measure for measure in measures}) == 1
        return f" on {number} tracks" if same else f" under {number} measures"
    return f" under {listed(map(_words, measures), _MOST_TRACKS)}"


def side_words(measures: Sequence[MeasureAnswer]) -> str:
    """Where runs are that are worse than another under some measures, of which less may be better."""
    return "below" if all(measure.better == "more" for measure in measures) else "worse than"


def legend_notes(answer: SummaryAnswer) -> Iterator[str]:
    """What the marks mean: the test, its level, and what it is corrected for; nothing without a test."""
    tested = tested_measures(answer)
    what = f"{BETTER} significantly better than {answer.baseline}, {WORSE} significantly worse"
    if answer.letters is not None:
        what = letters_note(answer.letters)
    elif answer.baseline is None:
        what = f"{BELOW} significantly {side_words(tested)} the best {RUN}"
    yield from (f"{what}: {note}" if number == 0 else note for number, note in enumerate(test_notes(answer)))


def test_notes(answer: SummaryAnswer) -> Iterator[str]:
    """The test, its level, and what it is corrected for; nothing without a test."""
    tested = tested_measures(answer)
    if not tested:
        return
    request, test, tests = answer.request, TESTS[answer.request.test], [of.tests for of in tested if of.tests]
    primary = listed(dict.fromkeys(of_measure.words(PRIMARY) for of_measure in tests))
    words = primary if request.test == PRIMARY else test.meaning.removeprefix("the ")
    words += f" over {QUERIES} and runs" if any(of_measure.systems is not None for of_measure in tests) else ""
    sizes = {of_measure.n_family for of_measure in tests}
    number = all_of(next(iter(sizes))) if len(sizes) == 1 else "all"
    many = " under each measure" if len(answer.measures) > 1 else ""
    if answer.baseline is None:
        family = f"the one pair of {RUNS}" if sizes == {1} else f"{number} pairs of {RUNS}"
    elif tested[0].is_of_all_pairs:
        family, many = f"{number} pairs of {RUNS}", f"{many}, since {answer.baseline} was chosen for its mean"
    else:
        family = "the one comparison" if sizes == {1} else f"{number} comparisons with it"
    correction, corrected = CORRECTIONS.get(request.correction) if test.corrected else None, "corrected"
    if correction is not None:
        corrected = f"corrected ({correction.latex.replace('--', '-')})"
    elif test.corrected:
        corrected, family = "not corrected", family.replace("all ", "the ")
    yield f"{words}, p < {threshold(request.level):g}, {corrected} for {family}{many}."
    if not test.of_means:
        yield in_nouns(test.caution)


def table_notes(answer: SummaryAnswer, *, top: int | None, percent: bool, typed: bool = True) -> Iterator[str]:
    """What stands under the table besides: errors, percentages, directions, runs that are missing or not shown."""
    if answer.request.errors:
        targets = (target_words(measure.decomposition.target, measure.n_runs) for measure in answer.measures)
        over = f"{QUERIES} and a system's runs" if answer.systems else QUERIES
        errors = f"bias²: (target's mean - mean)²; var: variance over {over}; total: bias² + var."
        yield f"Virtual target: {listed(dict.fromkeys(targets))}. {errors}"
    yield from _system_notes(answer, typed=typed)
    less = [measure for measure in answer.measures if measure.better == "less"]
    sentences = ["All numbers are times 100."] if percent else []
    if less:
        sentences.append(f"Less is better (↓): {listed(dict.fromkeys(map(_words, less)))}.")
    if sentences:
        yield " ".join(sentences)
    for measure in answer.measures:
        if measure.better == "more":
            yield from direction_notes(measure.scored.scores.measure, measure.better)
    missing = sum(len(answer.runs) - measure.n_runs for measure in answer.measures)
    if missing:
        absent = [run for run in answer.runs if any(run not in measure.runs for measure in answer.measures)]
        runs = f"{counted(len(absent), 'run')} {verb(len(absent), 'is', 'are')}"
        yield f"{counted(missing, 'mean')} missing (-): {runs} not in every track."
    yield from top_note(top, len(answer.runs), "run")
    by_name = not answer.measures[0].is_of_all_pairs
    if by_name and any(measure.baseline in measure.leaders for measure in answer.measures):
        yield from best_baseline_note(str(answer.baseline), len(answer.runs))


def _system_notes(answer: SummaryAnswer, *, typed: bool) -> Iterator[str]:
    """What rows and ± are where rows are systems of several runs, by track where the numbers of runs differ."""
    sizes = {track: sizes_words(replicates) for track, replicates in answer.systems.items()}
    if sizes:
        one = len(set(sizes.values())) == 1
        words = [words if one else f"{words} on {track}" for track, words in sizes.items()]
        yield row_note("; ".join(dict.fromkeys(words)))
        yield f"{PLUS_MINUS}: standard deviation of the means of a system's runs."
        tested = [measure.tests for measure in tested_measures(answer) if measure.scores.replicates is not None]
        yield from dict.fromkeys(note for tests in tested for note in pair_notes(tests, typed=typed))
        yield from _needed_notes(answer)


def _needed_notes(answer: SummaryAnswer) -> Iterator[str]:
    """How many runs of a system, or queries, the half-width of the request takes at most, under each measure."""
    half_width = answer.request.half_width
    for measure in tested_measures(answer):
        tests = measure.tests
        if half_width is None or tests is None or tests.replicates_needed is None or tests.queries_needed is None:
            continue
        numbers = []
        of_runs = ("run of each system", "runs of each system", tests.replicates_needed)
        for one, many, needed in (of_runs, (f"{QUERY}", f"{QUERIES}", tests.queries_needed)):
            no = sum(number is None for number in needed)
            most = max((number for number in needed if number is not None), default=0)
            few = f" (no number will do for {no} of {len(needed)} pairs)" if no else ""
            some = f"up to {most} {verb(most, one, many)}{few}"
            numbers.append(f"no number of {many} will do" if no == len(needed) else some)
        yield f"For intervals of ±{half_width:g}{_under(answer, [measure])}: {numbers[0]}, or {numbers[1]}."
