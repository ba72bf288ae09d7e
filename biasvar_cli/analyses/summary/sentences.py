"""What the text says of a summary: which runs are best, from which they do not differ, and by which test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasvar_cli.analyses.summary.answer import MeasureAnswer, SummaryAnswer
from biasvar_cli.scores import in_unit
from biasvar_cli.stats.level import threshold
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, primary_words
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.cells import PLUS_MINUS
from biasvar_cli.tables.replicates import row_note, sizes_words
from biasvar_cli.tables.table import Note, best_baseline_note, direction_notes, listed, plain, target_words
from biasvar_cli.tables.view import shown_note
from biasvar_cli.words import QUERIES, RUN, RUNS, counted, in_nouns

BETTER, WORSE, NOT_BELOW = "†", "‡", "*"
_MOST_SENTENCES, _MOST_LEADERS, _MOST_NAMES, _MOST_MEASURES = 4, 2, 3, 6
_MOST_TRACKS = 4  # whose numbers of queries a line has room for


def evaluated_note(answer: SummaryAnswer) -> str:
    """What was evaluated: measures, runs, and queries or tracks."""
    measures = list(dict.fromkeys(each.measure or "Scores (unknown measure)" for each in answer.measures))
    runs = f"{listed(measures)} of {counted(len(answer.runs), 'run')}"
    first = answer.measures[0]
    against = "" if answer.baseline is None else f", compared with {answer.baseline}"
    if answer.baseline is not None and first.is_of_all_pairs:
        against += f", the {RUN} with the best {_words(first)}"
    if not answer.of_tracks:
        return f"{runs} on {counted(answer.measures[0].scores.n_queries, 'query')}{against}."
    sizes = {str(each.track): each.scores.n_queries for each in answer.measures}
    tracks = listed([f"{track} ({counted(size, 'query')})" for track, size in sizes.items()], _MOST_TRACKS)
    return f"{runs} on {counted(len(sizes), 'track')}: {tracks}{against}."


def verdict(answer: SummaryAnswer, factor: float) -> tuple[Note, ...]:
    """The best run of each measure, and which others it does not differ from, or who beats the baseline.

    Means are shown times ``factor``.
    """
    if len(answer.runs) == 1:
        return (Note(f"There is one {RUN}, {answer.shown_names[0]}: nothing to compare it with."),)
    leaders = _leader_notes(answer, factor)
    tests = [*untested_notes(answer), *(_baseline_notes(answer) if answer.baseline else _difference_notes(answer))]
    most = _MOST_SENTENCES - len(leaders)
    if len(tests) > most:
        tests = [*tests[: most - 1], Note("See the marks in the table for the other measures.")]
    return (*leaders, *tests)


def _leader_notes(answer: SummaryAnswer, factor: float) -> list[Note]:
    """The best runs with the measures that they are best by, a sentence for each of them, or one for many."""
    by_leaders: dict[str, list[MeasureAnswer]] = {}
    for each in answer.measures:
        names = answer.leaders(each)
        have = f"{plain(listed(names, _MOST_NAMES))} {'has' if len(names) == 1 else 'have'}"
        by_leaders.setdefault(have, []).append(each)
    if len(by_leaders) > _MOST_LEADERS:
        some = answer.measures[:_MOST_MEASURES]
        parts = [f"{plain(_words(each))}: {plain(listed(answer.leaders(each), _MOST_NAMES))} ({{}})" for each in some]
        rest = len(answer.measures) - len(some)
        text = f"Best {'; '.join(parts)}{f'; and {rest} more' if rest else ''}."
        return [Note(text, _best_means(some, factor), signed=False)]
    notes = []
    for have, measures in by_leaders.items():
        means = listed([f"{plain(_words(each))} ({{}})" for each in measures], len(measures))
        notes.append(Note(f"{have} the best {means}.", _best_means(measures, factor), signed=False))
    return notes


def _best_means(measures: Sequence[MeasureAnswer], factor: float) -> tuple[float, ...]:
    return tuple(factor * in_unit(float(each.mean[each.leaders[0]]), each.better) for each in measures)


def _difference_notes(answer: SummaryAnswer) -> Iterator[Note]:
    """Which other runs are not significantly below the best, the same for several measures in one sentence."""
    alike: dict[str, list[MeasureAnswer]] = {}
    for each in _tested(answer):
        best = answer.leaders(each)[0]
        others = [name for name in answer.marked(each, "not-below-best") if name != best]
        if not others:
            every = "the" if each.scores.n_runs == 2 else "every"
            words = f"{best} is significantly better than {every} other {RUN}"
        elif 1 < len(others) == each.scores.n_runs - 1:
            words = f"{best} is not significantly better than any other {RUN}"
        else:
            number = f"{counted(len(others), f'other {RUN}')}, such as" if len(others) > _MOST_NAMES else ""
            words = f"{best} is not significantly better than {number} {listed(others[:_MOST_NAMES])}".replace(
                "  ", " "
            )
        alike.setdefault(words, []).append(each)
    for words, measures in alike.items():
        yield Note(f"{words}{_under(answer, measures)}.")


def _baseline_notes(answer: SummaryAnswer) -> Iterator[Note]:
    """Which runs are significantly better and worse than the baseline, once for measures with the same ones."""
    alike: dict[tuple[frozenset[str], frozenset[str]], list[MeasureAnswer]] = {}
    for each in _tested(answer):
        key = frozenset(answer.marked(each, "better")), frozenset(answer.marked(each, "worse"))
        alike.setdefault(key, []).append(each)
    for measures in alike.values():
        better, worse, neither = (answer.marked(measures[0], mark) for mark in ("better", "worse", None))
        where = _under(answer, measures)
        if not better and not worse:
            yield Note(f"No {RUN} differs significantly from {answer.baseline}{where}.")
            continue
        parts = [
            f"significantly {word} ({mark}): {listed(names, _MOST_NAMES)}"
            for names, word, mark in ((better, "better", BETTER), (worse, "worse", WORSE))
            if names
        ]
        parts += [f"not significantly different: {counted(len(neither), 'run')}"] if neither else []
        yield Note(f"Compared with {answer.baseline}{where}, {'; '.join(parts)}.")


def untested_notes(answer: SummaryAnswer) -> Iterator[Note]:
    """Why there is no test, once for all measures with the same reason."""
    reasons: dict[str, list[MeasureAnswer]] = {}
    for each in answer.measures:
        if each.untested is not None:
            reasons.setdefault(_reason(answer, each), []).append(each)
    for reason, measures in reasons.items():
        yield Note(f"No {RUN} is called better than another{_under(answer, measures)}: {reason}.")


def _reason(answer: SummaryAnswer, measure: MeasureAnswer) -> str:
    """Why there is no test of a measure."""
    n_queries = measure.scores.n_queries
    corrected = TESTS[answer.request.test].corrected and answer.request.correction != "none"
    many = f" and {measure.n_tested} pairs" if corrected and measure.n_tested > 1 else ""
    there = f"there {'is' if n_queries == 1 else 'are'} {n_queries}"
    return {
        "one-run": f"there is one {RUN}",
        "no-baseline": f"there is no {RUN} {answer.baseline}",
        "few-queries": f"that takes at least {FEWEST_QUERIES} {QUERIES}, and {there}",
        "few-samples": f"{answer.request.samples} samples are too few for this level{many}; raise --samples",
    }[str(measure.untested)]


def _tested(answer: SummaryAnswer) -> list[MeasureAnswer]:
    return [each for each in answer.measures if each.untested is None]


def _words(measure: MeasureAnswer) -> str:
    """A measure in a sentence, with its track."""
    words = measure.measure or "mean score"
    return words if measure.track is None else f"{words} on {measure.track}"


def _under(answer: SummaryAnswer, measures: Sequence[MeasureAnswer]) -> str:
    """Under which measures something is so; nothing where there is one measure alone."""
    if len(answer.measures) == 1:
        return ""
    if len(measures) == len(answer.measures):
        every = "both" if len(measures) == 2 else f"all {len(measures)}"
        return f" on {every} tracks" if len({each.measure for each in measures}) == 1 else f" under {every} measures"
    return f" under {listed([_words(each) for each in measures], _MOST_TRACKS)}"


def side_words(measures: Sequence[MeasureAnswer]) -> str:
    """Where runs are that are worse than another under some measures, of which less may be better."""
    return "below" if all(measure.better == "more" for measure in measures) else "worse than"


def legend_notes(answer: SummaryAnswer) -> Iterator[Note]:
    """What the marks mean: the test, its level, what it is corrected for, and the queries; nothing without a test."""
    tested = _tested(answer)
    if not tested:
        return
    request, test = answer.request, TESTS[answer.request.test]
    primary = listed(list(dict.fromkeys(primary_words(each.method) for each in tested)))
    words = primary if request.test == PRIMARY else test.meaning.removeprefix("the ")
    sizes = {each.n_tested for each in tested}
    number = f"{next(iter(sizes))} " if len(sizes) == 1 else ""
    many = " under each measure" if len(answer.measures) > 1 else ""
    if answer.baseline is None:
        what = f"{NOT_BELOW} not significantly {side_words(tested)} the best {RUN}"
        family = f"the one pair of {RUNS}" if sizes == {1} else f"all {number}pairs of {RUNS}"
    else:
        what = f"{BETTER} significantly better than {answer.baseline}, {WORSE} significantly worse"
        family = "the one comparison" if sizes == {1} else f"all {number}comparisons with it"
        if tested[0].is_of_all_pairs:
            family, many = f"all {number}pairs of {RUNS}", f"{many}, since {answer.baseline} was chosen for its mean"
    queries = sorted({each.scores.n_queries for each in tested})
    size = counted(queries[0], "query") if len(queries) == 1 else f"{queries[0]} to {queries[-1]} {QUERIES}"
    correction = CORRECTIONS.get(request.correction) if test.corrected else None
    by = "" if correction is None else f" ({correction.latex.replace('--', '-')})"
    corrected = f"corrected{by}"
    if test.corrected and correction is None:
        corrected, family = "not corrected", family.replace("all ", "the ")
    yield Note(f"{what}: {words}, p < {threshold(request.level):g}, {corrected} for {family}{many}; {size}.")
    if not test.of_means:
        yield Note(in_nouns(test.caution))


def notes_under(answer: SummaryAnswer, *, top: int | None, percent: bool) -> Iterator[Note]:
    """What stands under the table besides: errors, percentages, directions, runs that are missing or not shown."""
    if answer.request.errors:
        targets = dict.fromkeys(target_words(each.decomposition.target, each.scores.n_runs) for each in answer.measures)
        over = f"{QUERIES} and a system's runs" if answer.systems else f"{QUERIES}"
        errors = f"bias²: (target's mean - mean)²; var: variance over {over}; total: bias² + var."
        yield Note(f"Virtual target: {listed(list(targets))}. {errors}")
    yield from _system_notes(answer)
    less = [each for each in answer.measures if each.better == "less"]
    many = "All numbers are times 100. " if percent else ""
    if less or percent:
        names = listed(list(dict.fromkeys(_words(each) for each in less)))
        yield Note(f"{many}{f'Less is better (↓): {names}.' if less else ''}".strip())
    for each in answer.measures:
        if each.better == "more":
            yield from direction_notes(each.scored.scores.measure, each.better)
    missing = sum(len(answer.runs) - each.scores.n_runs for each in answer.measures)
    if missing:
        absent = [run for run in answer.runs if any(run not in each.scores.runs for each in answer.measures)]
        are = "is" if len(absent) == 1 else "are"
        yield Note(f"{counted(missing, 'mean')} missing (-): {counted(len(absent), 'run')} {are} not in every track.")
    yield from shown_note(top, len(answer.runs), "run")
    if not answer.measures[0].is_of_all_pairs and any(each.baseline in each.leaders for each in answer.measures):
        yield from best_baseline_note(str(answer.baseline), len(answer.runs))


def _system_notes(answer: SummaryAnswer) -> Iterator[Note]:
    """What rows and ± are where rows are systems of several runs, by track where the numbers of runs differ."""
    sizes = {track: sizes_words(replicates) for track, replicates in answer.systems.items()}
    if sizes:
        one = len(set(sizes.values())) == 1
        words = [words if one else f"{words} on {track}" for track, words in sizes.items()]
        yield row_note("; ".join(dict.fromkeys(words)))
        yield Note(f"{PLUS_MINUS}: standard deviation of the means of a system's runs.")
        if _tested(answer):
            yield Note(
                "The test is of the means over the runs of a system, so it is about these runs, not about others."
            )
