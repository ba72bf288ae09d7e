"""Several judges of the same runs: a track for each, on the runs and the queries that all of them have.

A judge is a file of judgments, under which the runs are scored, or a file of scores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import BiasVarError, DataError, Messages, UsageError, keep_warnings, notice, reading, warn
from biasvar_cli.readers.listing import ALL, Selection, expand
from biasvar_cli.readers.qrels import Qrels, read_qrels
from biasvar_cli.readers.sources import is_data_set, is_folder
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring import TrackRequest, alignment, labels
from biasvar_cli.scoring.coverage import TOP
from biasvar_cli.scoring.evaluator import RunScores
from biasvar_cli.scoring.judge_scores import judge_files, judge_name, tracks_of_judges
from biasvar_cli.scoring.scorer import LoadedSource, Scorer, score_sources
from biasvar_cli.scoring.track import Scored, Track, input_sources, track_of
from biasvar_cli.specs.machine import is_file
from biasvar_cli.specs.requests import Systems
from biasvar_cli.words import QUERIES, RUNS, Nouns, argument, counted, examples, in_nouns, listed, plural, verb, worded

# measures whose gain is a grade
_GRADED = frozenset(["nDCG", "ERR", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ", "Compat"])

Judgment = tuple[str, bytes]  # a query and a document


class Judge(NamedTuple):
    """A judge and the track under it; ``passes`` are the tracks that it is the mean of, itself for a single one."""

    name: str
    track: Track
    passes: tuple[Track, ...]


class Judges(NamedTuple):
    """The judges, the reference first, on the same runs and queries, and what their judgments do not have in common.

    ``whole`` are the same judges with the same runs, each on all of its queries; a query that the reference judged is
    among those of another judge only if it is one of the reference's. ``left_out`` says what ``judges`` lack of these.
    ``grades`` are those of the reference and of another judge, by its name, on the documents of the common queries that
    both judged, (n,) both.
    """

    judges: tuple[Judge, ...]
    remarks: tuple[str, ...] = ()
    whole: tuple[Judge, ...] = ()
    left_out: tuple[str, ...] = ()
    grades: Mapping[str, tuple[IntArray, IntArray]] = {}


def named_judges(texts: Sequence[str], selection: Selection = ALL) -> dict[str, str]:
    """The files of judges by name, of FILE or NAME=FILE, or of a folder. Raises `UsageError` for two of one name.

    A folder stands for its visible files, in order of their names, of which the ``selection`` may leave some out.

    >>> named_judges(["qrels/human.txt", "new=qrels/gpt-4.txt"])
    {'human': 'qrels/human.txt', 'new': 'qrels/gpt-4.txt'}
    """
    judges: dict[str, str] = {}
    files = [[source.path for source in expand([text], selection)] if is_folder(text) else [text] for text in texts]
    for text in chain.from_iterable(files):
        name, equals, file = text.partition("=")
        if not (equals and name and file) or is_file(text) or is_data_set(text):
            name, file = judge_name(text), text
        if name in judges:
            reason = f"two judges would be called {name}, {judges[name]} and {file}; name one of them, NAME={file}"
            raise UsageError(reason, option="qrels")
        judges[name] = file
    return judges


def load_judges(
    request: TrackRequest,
    qrels: Mapping[str, str | Qrels],
    loaded: Sequence[LoadedSource] = (),
) -> Judges:
    """The runs under several judgments, or the files of them, by the name of the judge; every run is read once.

    ``loaded`` are runs in memory. Messages that are not of all judges begin with the name of theirs. Raises what
    `load_track` raises.
    """
    paths = {name: file if isinstance(file, str) else file.path for name, file in qrels.items()}
    requests = {name: replace(request, qrels=path) for name, path in paths.items()}
    messages = {name: Messages.none() for name in qrels}
    judgments, scorers = {}, {}
    for name, file in qrels.items():
        with _added_to(messages[name]), reading(paths[name]):
            judgments[name] = read_qrels(file, max_size=request.max_size) if isinstance(file, str) else file
            scorers[name] = Scorer(requests[name], judgments[name])
    listed, pool = input_sources(request, [file for file in qrels.values() if isinstance(file, str)])
    listed = [*listed, *loaded]
    by_scorer = score_sources([*listed, *pool], next(iter(requests.values())), [*scorers.values()])
    contents = dict(zip(qrels, by_scorer, strict=True))
    tracks = {}
    for name in qrels:
        with _added_to(messages[name]):
            tracks[name] = track_of(requests[name], scorers[name], contents[name], listed)
    _issue(messages)
    common, left_out = _tracks_in_common(tracks)
    scored = next(iter(common.values())).scored
    queries = set(scored[0].scores.queries)
    pairs = {name: _judged_grades(judged, queries) for name, judged in judgments.items()}
    remarks = [*_differences(pairs, scored), *_unjudged_shares(contents)]
    judges = _noticed(tracks, common, left_out, remarks, set(next(iter(judgments.values())).topics))
    return judges._replace(grades=_common_grades(pairs))


def load_scores_of_judges(request: TrackRequest, load: Callable[[TrackRequest], Track]) -> Judges:
    """The scores in several inputs, a judge each, called as the input is (`judge_scores.judge_files`).

    Raises what ``load`` raises, and `DataError` for runs, for inputs of other measures and for ids that cannot be
    matched.
    """
    judges = judge_files(request.inputs)
    messages = {name: Messages.none() for name in judges}

    def load_judge(name: str, measures: tuple[str, ...]) -> Track:
        with _added_to(messages[name]):
            return load(replace(request, inputs=judges[name].paths, measures=measures))

    tracks, remarks = tracks_of_judges(judges, request.measures, load_judge)
    _issue(messages)
    return same_runs(tracks, remarks)


def same_runs(tracks: Mapping[str, Track], remarks: Sequence[str] = ()) -> Judges:
    """Judges by name, on the runs and the queries that all of them have. Raises what `load_scores_of_judges` raises."""
    return _noticed(tracks, *_tracks_in_common(tracks), remarks, set())


def _noticed(
    tracks: Mapping[str, Track],
    common: Mapping[str, Track],
    left_out: Sequence[str],
    remarks: Sequence[str],
    judged: set[str],
) -> Judges:
    """The judges with their ``common`` tracks, with a notice of each remark; the reference ``judged`` these queries."""
    for remark in (*left_out, *remarks):
        notice(remark)
    (first, reference), *_ = tracks.items()
    runs, lacking = next(iter(common.values())).scored[0].scores.runs, judged.difference(_queries(reference))
    judges, whole = [], []
    for name, track in tracks.items():
        judges.append(Judge(name, common[name], (common[name],)))
        track = _restricted(track, runs, [query for query in _queries(track) if name == first or query not in lacking])
        whole.append(Judge(name, track, (track,)))
    return Judges(tuple(judges), (*left_out, *remarks), tuple(whole), tuple(left_out))


def _queries(track: Track) -> tuple[str, ...]:
    return track.scored[0].scores.queries


def with_passes(judges: Sequence[Judge], replicates: Systems) -> tuple[Judge, ...]:
    """The judges, of which the passes that ``replicates`` names are one, by the mean of their scores.

    ``replicates`` are as in `systems_of`, of the names of judges. The first judge stays the first. Raises what
    `systems_of` raises.
    """
    with worded(Nouns(run="judge")):
        try:
            judge_of = labels.systems_of([judge.name for judge in judges], replicates)
        except BiasVarError as error:
            raise type(error)(in_nouns(error.message)) from None
    grouped: dict[str, list[Track]] = {}
    for judge in judges:
        grouped.setdefault(judge_of[judge.name], []).append(judge.track)
    if len(grouped) == 1:
        what = f"all judges are passes of {next(iter(grouped))}; there is none to compare"
        raise UsageError(what, option="replicates")
    return tuple(Judge(name, _mean_track(tracks), tuple(tracks)) for name, tracks in grouped.items())


def _mean_track(tracks: Sequence[Track]) -> Track:
    """The track of the mean scores under several passes."""
    if len(tracks) == 1:
        return tracks[0]
    queries = [query for query in _queries(tracks[0]) if all(query in _queries(track) for track in tracks)]
    if any(len(_queries(track)) > len(queries) for track in tracks):
        tracks = [_restricted(track, track.scored[0].scores.runs, queries) for track in tracks]
    scored = []
    for passes in zip(*(track.scored for track in tracks), strict=True):
        scores, pool = (
            replace(matrices[0], values=np.mean([matrix.values for matrix in matrices], axis=0))
            for matrices in ([one.scores for one in passes], [one.pool for one in passes])
        )
        scored.append(replace(passes[0], scores=scores, pool=pool, ideal=None))
    return replace(tracks[0], scored=tuple(scored))


@contextmanager
def _added_to(messages: Messages) -> Iterator[None]:
    """Add the warnings and notices of the context to the messages of a judge."""
    with keep_warnings() as new:
        yield
    messages.warnings.extend(new.warnings)
    messages.notices.extend(new.notices)


def _issue(messages: Mapping[str, Messages]) -> None:
    """Issue the messages of all judges: once what all have, and else behind the name of the judge."""
    for issue, field in ((warn, "warnings"), (notice, "notices")):
        by_judge = {name: getattr(of_judge, field) for name, of_judge in messages.items()}
        for message in dict.fromkeys(message for of_judge in by_judge.values() for message in of_judge):
            names = [name for name, of_judge in by_judge.items() if message in of_judge]
            issue(message if len(names) == len(messages) else f"{', '.join(names)}: {message}")


def _tracks_in_common(tracks: Mapping[str, Track]) -> tuple[dict[str, Track], list[str]]:
    """The tracks on the runs and the queries that all of them have, and how many queries are left out, in words.

    Warns of runs that are left out. Raises `DataError` where nothing is left, where the measures differ, and for
    queries without ids of which the judges have other numbers.
    """
    first, reference = next(iter(tracks.items()))
    for name, track in tracks.items():
        _require_alike(first, reference, name, track)

    def common_and_absent(names: Sequence[tuple[str, ...]], noun: object) -> tuple[list[str], list[str]]:
        common = [name for name in names[0] if all(name in others for others in names)]
        if not common:
            names_of = ", ".join(f"{judge} has {examples(of)}" for judge, of in zip(tracks, names, strict=True))
            raise DataError(f"the judges have no {noun} in common: {names_of}; each judges the same {noun}")
        return common, sorted({*chain(*names)} - set(common))

    matrices = [track.scored[0].scores for track in tracks.values()]
    runs, absent_runs = common_and_absent([matrix.runs for matrix in matrices], RUNS)
    queries, absent = common_and_absent([matrix.queries for matrix in matrices], QUERIES)
    if absent_runs:
        warn(f"{counted(len(absent_runs), 'run')} left out, which not all judges have: {examples(absent_runs)}")
    if not absent_runs and not absent:
        return dict(tracks), []
    words = f"{counted(len(absent), 'query')} left out, which not all judges have: {examples(natural_order(absent))}"
    return {name: _restricted(track, runs, queries) for name, track in tracks.items()}, [words] if absent else []


def _require_alike(first: str, reference: Track, name: str, track: Track) -> None:
    """Raise `DataError` where two judges have scores of other measures, or queries that cannot be matched."""
    measures, others = ([scored.scores.measure for scored in judge.scored] for judge in (reference, track))
    if measures != others:
        words = [", ".join(measure or "an unknown measure" for measure in names) for names in (measures, others)]
        remedy = f"name one with {argument('measure')}"
        raise DataError(f"the scores of {first} are of {words[0]}, those of {name} of {words[1]}; {remedy}")
    odd = alignment.other_items_words(first, reference.items, name, track.items, reference.scored[0].scores.queries)
    if odd:
        raise DataError(odd)
    sizes = [judge.scored[0].scores.n_queries for judge in (reference, track)]
    if reference.numbered != track.numbered or (track.numbered and sizes[0] != sizes[1]):
        what = f"{first} has {counted(sizes[0], 'query')} and {name} {sizes[1]}, not both with ids to match them by"
        raise DataError(f"{what}: add a column of ids")


def _restricted(track: Track, runs: Sequence[str], queries: Sequence[str]) -> Track:
    """The scores of some runs on some queries; runs of the pool that are not listed stay."""
    matrix = track.scored[0].scores
    columns = [matrix.queries.index(query) for query in queries]
    absent = set(matrix.runs) - set(runs)

    def restricted(scored: Scored) -> Scored:
        pool, ideal = [run for run in scored.pool.runs if run not in absent], scored.ideal
        scored = replace(scored, scores=scored.scores.select(runs), pool=scored.pool.select(pool))
        scored = scored.map(lambda some: replace(some, values=some.values[:, columns], queries=tuple(queries)))
        basis = (f"{counted(len(queries), 'query')} (of all judges)", *scored.basis[1:])
        return replace(scored, ideal=None if ideal is None else lambda: ideal()[columns], basis=basis)

    return replace(track, scored=tuple(map(restricted, track.scored)))


def _differences(pairs: Mapping[str, Mapping[Judgment, int]], scored: Sequence[Scored]) -> Iterator[str]:
    """What the judgments of the evaluated queries do not have in common: pairs, grades and the highest grade."""
    first, *others = pairs
    for name in others:
        for one, other in ((first, name), (name, first)):
            missing = len(pairs[one].keys() - pairs[other].keys())
            if missing:
                yield f"{counted(missing, 'document')} judged by {one} and not by {other}"
    grades = {name: set(of_pairs.values()) for name, of_pairs in pairs.items()}
    used_by: dict[tuple[str, ...], list[str]] = {}
    for grade in sorted(set.union(*grades.values())):
        users = tuple(name for name, of_judge in grades.items() if grade in of_judge)
        if len(users) < len(grades):
            used_by.setdefault(users, []).append(f"{grade}")
    if used_by:
        number = len(next(iter(used_by.values())))
        by_users = [(listed(of_users), f"by {listed(users)} only") for users, of_users in used_by.items()]
        (first, by), *further = by_users
        used = "; ".join([f"{verb(number, 'is', 'are')} used {by}", *map(" ".join, further)])
        yield f"{plural('grade') if number > 1 else 'grade'} {first} {used}"
    highest = {name: max(of_judge) for name, of_judge in grades.items()}
    measures = [str(part.measure) for part in scored if part.measure is not None and part.measure.NAME in _GRADED]
    if len(set(highest.values())) > 1 and measures:
        words = ", ".join(f"{name} {number}" for name, number in highest.items())
        yield f"the highest grades differ ({words}), which changes {', '.join(measures)}"


def _unjudged_shares(contents: Mapping[str, alignment.Contents]) -> Iterator[str]:
    """The mean share over the runs of unjudged documents in the top 10, by judge; nothing where all are judged."""
    runs = {
        name: [content for content in by_source.values() if isinstance(content, RunScores)]
        for name, by_source in contents.items()
    }
    shares = {name: float(np.mean([run.coverage.unjudged for run in scored])) for name, scored in runs.items()}
    words = {name: f"{100 * share:.1f} %" for name, share in shares.items()}
    if len(set(words.values())) == 1 and any(shares.values()):
        yield f"unjudged documents in the top {TOP}: {next(iter(words.values()))} under each judge"
    elif any(shares.values()):
        by_judge = ", ".join(f"{name} {share}" for name, share in words.items())
        yield f"unjudged documents in the top {TOP}: {by_judge}"


def _common_grades(pairs: Mapping[str, Mapping[Judgment, int]]) -> dict[str, tuple[IntArray, IntArray]]:
    """The grades of the first judge and of each other one on what both judged."""
    (_, first), *others = pairs.items()
    common = {name: [(grade, of[pair]) for pair, grade in first.items() if pair in of] for name, of in others}
    arrays = ((name, np.array(grades, dtype=np.int64).reshape(-1, 2)) for name, grades in common.items())
    return {name: (grades[:, 0], grades[:, 1]) for name, grades in arrays}


def _judged_grades(qrels: Qrels, queries: set[str]) -> dict[Judgment, int]:
    """The grade of each judged pair of a query and a document, of several for subtopics the highest."""
    grades: dict[Judgment, int] = {}
    for index, doc, grade in zip(qrels.topic.tolist(), qrels.docs.to_pylist(), qrels.grades.tolist(), strict=True):
        topic = qrels.topics[index]
        if topic in queries:
            grades[topic, doc] = max(grade, grades.get((topic, doc), grade))
    return grades
