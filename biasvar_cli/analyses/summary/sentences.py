"""What the text says of a summary: which runs are best, from which they do not differ, and by which test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasvar_cli.analyses.summary.answer import MeasureAnswer, SummaryAnswer
from biasvar_cli.scores import in_unit
from biasvar_cli.specs import FEWEST_QUERIES, threshold
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, primary_words
from biasvar_cli.tables.layout import PLUS_MINUS
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.row_notes import row_note, sizes_words
from biasvar_cli.tables.table import best_baseline_note, direction_notes, few_clusters, listed, target_words
from biasvar_cli.tables.view import top_note
from biasvar_cli.words import QUERIES, RUN, RUNS, counted, counted_queries, in_nouns, verb

BETTER, WORSE, NOT_BELOW = "†", "‡", "*"
_MOST_SENTENCES, _MOST_LEADERS, _MOST_NAMES, _MOST_MEASURES = 4, 2, 3, 6
_MOST_TRACKS = 4  # whose numbers of queries a line has room for


def evaluated_note(answer: SummaryAnswer) -> str:
    """What was evaluated: measures, runs, and queries or tracks."""
    measures = list(dict.fromkeys(part.measure or "Scores (unknown measure)" for part in answer.measures))
    runs = f"{listed(measures)} of {counted(len(answer.runs), 'run')}"
    first = answer.measures[0]
    against = "" if answer.baseline is None else f", compared with {answer.baseline}"
    if answer.baseline is not None and first.is_of_all_pairs:
        against += f", the {RUN} with the best {_words(first)}"
    sizes = {
        str(measure.track): counted_queries(measure.scores.n_queries, measure.scores.n_clusters)
        for measure in answer.measures
    }
    if not answer.of_tracks:
        return f"{runs} on {next(iter(sizes.values()))}{against}."
    tracks = listed([f"{track} ({size})" for track, size in sizes.items()], _MOST_TRACKS)
    return f"{runs} on {counted(len(sizes), 'track')}: {tracks}{against}."


def verdict(answer: SummaryAnswer, factor: float) -> tuple[str, ...]:
    """The best run of each measure, and which others it does not differ from, or who beats the baseline.

    Means are shown times ``factor``.
    """
    if len(answer.runs) == 1:
        return (f"There is one {RUN}, {answer.run_labels[0]}: nothing to compare it with.",)
    leaders = _leader_notes(answer, factor)
    tests = [*untested_notes(answer), *(_baseline_notes(answer) if answer.baseline else _difference_notes(answer))]
    most = _MOST_SENTENCES - len(leaders)
    if len(tests) > most:
        tests = [*tests[: most - 1], "See the table for the other measures."]
    return (*leaders, *tests)


def _leader_notes(answer: SummaryAnswer, factor: float) -> list[str]:
    """The best runs with the measures that they are best by, a sentence for each of them, or one for many."""
    by_leaders: dict[tuple[str, ...], list[MeasureAnswer]] = {}
    for measure in answer.measures:
        by_leaders.setdefault(tuple(answer.leaders(measure)), []).append(measure)
    if len(by_leaders) > _MOST_LEADERS:
        first, rest = answer.measures[:_MOST_MEASURES], answer.measures[_MOST_MEASURES:]
        parts = [
            f"{_words(measure)}: {listed(answer.leaders(measure), _MOST_NAMES)} ({_best_mean(measure, factor)})"
            for measure in first
        ]
        parts += [f"and {len(rest)} more"] if rest else []
        return [f"Best {'; '.join(parts)}."]
    notes = []
    for names, measures in by_leaders.items():
        means = listed([f"{_words(measure)} ({_best_mean(measure, factor)})" for measure in measures], len(measures))
        notes.append(f"{listed(names, _MOST_NAMES)} {verb(len(names), 'has', 'have')} the best {means}.")
    return notes


def _best_mean(measure: MeasureAnswer, factor: float) -> str:
    return num(factor * in_unit(float(measure.mean[measure.leaders[0]]), measure.better))


def _difference_notes(answer: SummaryAnswer) -> Iterator[str]:
    """Which other runs are not significantly below the best, the same for several measures in one sentence."""
    alike: dict[str, list[MeasureAnswer]] = {}
    for measure in _tested(answer):
        best = answer.leaders(measure)[0]
        others = [name for name in answer.marked(measure, "not-below-best") if name != best]
        if not others:
            all_others = verb(measure.scores.n_runs - 1, f"the other {RUN}", f"every other {RUN}")
            words = f"{best} is significantly better than {all_others}"
        elif 1 < len(others) == measure.scores.n_runs - 1:
            words = f"{best} is not significantly better than any other {RUN}"
        elif len(others) > _MOST_NAMES:
            number = counted(len(others), f"other {RUN}")
            words = f"{best} is not significantly better than {number}, such as {listed(others[:_MOST_NAMES])}"
        else:
            words = f"{best} is not significantly better than {listed(others)}"
        alike.setdefault(words, []).append(measure)
    for words, measures in alike.items():
        yield f"{words}{_under(answer, measures)}."


def _baseline_notes(answer: SummaryAnswer) -> Iterator[str]:
    """Which runs are significantly better and worse than the baseline, once for measures with the same ones."""
    alike: dict[tuple[frozenset[str], frozenset[str]], list[MeasureAnswer]] = {}
    for measure in _tested(answer):
        key = frozenset(answer.marked(measure, "better")), frozenset(answer.marked(measure, "worse"))
        alike.setdefault(key, []).append(measure)
    for measures in alike.values():
        better, worse, neither = (answer.marked(measures[0], mark) for mark in ("better", "worse", None))
        where = _under(answer, measures)
        if not better and not worse:
            yield f"No {RUN} differs significantly from {answer.baseline}{where}."
            continue
        parts = [
            f"significantly {word} ({mark}): {listed(names, _MOST_NAMES)}"
            for names, word, mark in ((better, "better", BETTER), (worse, "worse", WORSE))
            if names
        ]
        parts += [f"not significantly different: {counted(len(neither), 'run')}"] if neither else []
        yield f"Compared with {answer.baseline}{where}, {'; '.join(parts)}."


def untested_notes(answer: SummaryAnswer) -> Iterator[str]:
    """Why there is no test, once for all measures with the same reason."""
    reasons: dict[str, list[MeasureAnswer]] = {}
    for measure in answer.measures:
        if measure.untested is not None:
            reasons.setdefault(_reason(answer, measure), []).append(measure)
    for reason, measures in reasons.items():
        yield f"No {RUN} is called better than another{_under(answer, measures)}: {reason}."


def _reason(answer: SummaryAnswer, measure: MeasureAnswer) -> str:
    """Why there is no test of a measure."""
    n_queries = measure.scores.n_queries
    corrected = TESTS[answer.request.test].corrected and answer.request.correction != "none"
    many = f" and {measure.n_tested} pairs" if corrected and measure.n_tested > 1 else ""
    there = f"there {verb(n_queries, 'is', 'are')} {n_queries}"
    return {
        "one-run": f"there is one {RUN}",
        "no-baseline": f"there is no {RUN} {answer.baseline}",
        "few-queries": f"that takes at least {FEWEST_QUERIES} {QUERIES}, and {there}",
        "few-clusters": few_clusters(measure.scores.units.n),
        "few-samples": f"{answer.request.samples} samples are too few for this level{many}; raise --samples",
    }[str(measure.untested)]


def _tested(answer: SummaryAnswer) -> list[MeasureAnswer]:
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
        number = "both" if len(measures) == 2 else f"all {len(measures)}"
        same = len({measure.measure for measure in measures}) == 1
        return f" on {number} tracks" if same else f" under {number} measures"
    return f" under {listed([_words(measure) for measure in measures], _MOST_TRACKS)}"


def side_words(measures: Sequence[MeasureAnswer]) -> str:
    """Where runs are that are worse than another under some measures, of which less may be better."""
    return "below" if all(measure.better == "more" for measure in measures) else "worse than"


def legend_notes(answer: SummaryAnswer) -> Iterator[str]:
    """What the marks mean: the test, its level, what it is corrected for, and the queries; nothing without a test."""
    tested = _tested(answer)
    if not tested:
        return
    request, test = answer.request, TESTS[answer.request.test]
    primary = listed(list(dict.fromkeys(primary_words(measure.method) for measure in tested)))
    words = primary if request.test == PRIMARY else test.meaning.removeprefix("the ")
    sizes = {measure.n_tested for measure in tested}
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
    queries = sorted({measure.scores.n_queries for measure in tested})
    size = counted(queries[0], "query") if len(queries) == 1 else f"{queries[0]} to {queries[-1]} {QUERIES}"
    clusters = sorted({measure.scores.n_clusters for measure in tested if measure.scores.n_clusters is not None})
    if clusters:
        size += f" in {clusters[0]}" if len(clusters) == 1 else f" in {clusters[0]} to {clusters[-1]}"
        size += " clusters"
    correction = CORRECTIONS.get(request.correction) if test.corrected else None
    by = "" if correction is None else f" ({correction.latex.replace('--', '-')})"
    corrected = f"corrected{by}"
    if test.corrected and correction is None:
        corrected, family = "not corrected", family.replace("all ", "the ")
    yield f"{what}: {words}, p < {threshold(request.level):g}, {corrected} for {family}{many}; {size}."
    if not test.of_means:
        yield in_nouns(test.caution)


def notes_under(answer: SummaryAnswer, *, top: int | None, percent: bool) -> Iterator[str]:
    """What stands under the table besides: errors, percentages, directions, runs that are missing or not shown."""
    if answer.request.errors:
        targets = dict.fromkeys(
            target_words(measure.decomposition.target, measure.scores.n_runs) for measure in answer.measures
        )
        over = f"{QUERIES} and a system's runs" if answer.systems else f"{QUERIES}"
        errors = f"bias²: (target's mean - mean)²; var: variance over {over}; total: bias² + var."
        yield f"Virtual target: {listed(list(targets))}. {errors}"
    yield from _system_notes(answer)
    less = [measure for measure in answer.measures if measure.better == "less"]
    sentences = ["All numbers are times 100."] if percent else []
    if less:
        sentences.append(f"Less is better (↓): {listed(list(dict.fromkeys(map(_words, less))))}.")
    if sentences:
        yield " ".join(sentences)
    for measure in answer.measures:
        if measure.better == "more":
            yield from direction_notes(measure.scored.scores.measure, measure.better)
    missing = sum(len(answer.runs) - measure.scores.n_runs for measure in answer.measures)
    if missing:
        absent = [run for run in answer.runs if any(run not in measure.scores.runs for measure in answer.measures)]
        runs = f"{counted(len(absent), 'run')} {verb(len(absent), 'is', 'are')}"
        yield f"{counted(missing, 'mean')} missing (-): {runs} not in every track."
    yield from top_note(top, len(answer.runs), "run")
    by_name = not answer.measures[0].is_of_all_pairs
    if by_name and any(measure.baseline in measure.leaders for measure in answer.measures):
        yield from best_baseline_note(str(answer.baseline), len(answer.runs))


def _system_notes(answer: SummaryAnswer) -> Iterator[str]:
    """What rows and ± are where rows are systems of several runs, by track where the numbers of runs differ."""
    sizes = {track: sizes_words(replicates) for track, replicates in answer.systems.items()}
    if sizes:
        one = len(set(sizes.values())) == 1
        words = [words if one else f"{words} on {track}" for track, words in sizes.items()]
        yield row_note("; ".join(dict.fromkeys(words)))
        yield f"{PLUS_MINUS}: standard deviation of the means of a system's runs."
        if _tested(answer):
            yield "The test is of the means over the runs of a system, so it is about these runs, not about others."
