"""A request to a track: all runs and score files on one set of queries, one score matrix per measure.

Several tracks are those of a manifest; the means of runs on them are scores whose queries are the tracks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np

from biasvar_cli import errors
from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError, UsageError, notice, warn
from biasvar_cli.measures import parse_measures
from biasvar_cli.readers import maps
from biasvar_cli.readers.runs import CONTRADICTION
from biasvar_cli.readers.score_formats.items import Items
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import Source, is_data_set, run_name
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest, alignment, equal_runs, evaluator, labels
from biasvar_cli.scoring.evaluator import RunScores
from biasvar_cli.scoring.scorer import Memory, Scorer, score_sources
from biasvar_cli.scoring.unjudged import JudgedDocuments
from biasvar_cli.specs.machine import is_file
from biasvar_cli.specs.requests import QueryClusters, Systems
from biasvar_cli.words import TOPICS, USUAL_NOUNS, Nouns, RunName, argument, counted, examples, listed, worded

if TYPE_CHECKING:
    from biasvar_cli.readers.manifest import ManifestTrack


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores under one measure: ``scores`` of the listed runs, ``pool`` of all runs that shape the target.

    Both have the same queries. ``measure`` is None where only a score file's name for it is known; ``ideal`` gives the
    ideal ranking's score per query, shape (n_queries,), or is None where there are no qrels or the measure is not
    known. ``basis`` says in words where the queries come from and, of runs, how ties are broken.
    """

    scores: ScoreMatrix
    pool: ScoreMatrix
    measure: ir_measures.Measure | None
    ideal: Callable[[], FloatArray] | None
    basis: tuple[str, ...] = ()

    def map(self, change: Callable[[ScoreMatrix], ScoreMatrix], *words: str) -> Scored:
        """The same with both matrices changed; ``words`` about the change are added to the basis."""
        return replace(self, scores=change(self.scores), pool=change(self.pool), basis=(*self.basis, *words))


@dataclass(frozen=True, eq=False)
class Track:
    """One `Scored` per measure that was asked for; ``auxiliary`` are all by name, if an analysis needs more.

    ``nouns`` are what sentences call its queries and runs (`words.worded`). ``numbered`` queries have no ids but the
    numbers of their rows. ``unjudged`` has the share of unjudged documents at the top of the runs of which it is more
    than half, in words, by name. ``documents`` are those of the runs, None where nobody asked for them or there are
    scores among the inputs. ``items`` is what the files say of the items that the queries are. ``contradictory`` are
    the runs whose ranks contradict their scores.
    """

    scored: tuple[Scored, ...]
    auxiliary: Mapping[str | None, Scored] = field(default_factory=dict)
    nouns: Nouns = field(default_factory=Nouns)
    numbered: bool = False
    unjudged: Mapping[str, str] = field(default_factory=dict)
    documents: JudgedDocuments | None = None
    items: Items = field(default_factory=dict)
    contradictory: frozenset[str] = frozenset()

    def map(self, change: Callable[[ScoreMatrix], ScoreMatrix], *words: str) -> Track:
        """The same with every matrix changed; ``words`` about the change are added to the basis of each measure."""
        auxiliary = {name: scored.map(change, *words) for name, scored in self.auxiliary.items()}
        return replace(self, scored=tuple(scored.map(change, *words) for scored in self.scored), auxiliary=auxiliary)

    def of_systems(self, replicates: Systems) -> Track:
        """The same scores with a row a system, the mean over its replicates; raises what `systems_of` raises.

        The mean of the pool is over the pool's replicates too. Raises `UsageError` where rows are systems already.
        """
        listed, pool = self.scored[0].scores, self.scored[0].pool
        if pool.replicates is not None:
            raise UsageError("these scores are of systems already", option="replicates")
        system_of = labels.systems_of(pool.runs, replicates)
        n_systems = len({system_of[run] for run in listed.runs})
        words = f"{counted(n_systems, 'system')} of {counted(listed.n_runs, 'run', USUAL_NOUNS)}"
        track = self.map(lambda matrix: ScoreMatrix.of_systems(matrix, system_of), words)
        return replace(track, nouns=self.nouns._replace(run="system"))

    def named(self, names: Mapping[str, RunName]) -> Track:
        """The same scores of runs that people are shown by other names, or marked."""
        changed = any(run != f"{name}" or name.highlighted for run, name in names.items())
        if not changed and not any(isinstance(run, RunName) for run in self.scored[0].pool.runs):
            return self
        return self.map(lambda matrix: matrix.named(names))

    @property
    def unmarked(self) -> Track:
        """The same scores, of which no run is highlighted."""
        names = (run for scored in self.scored for run in scored.pool.runs if isinstance(run, RunName))
        runs = {name for name in names if name.highlighted}
        return self.named({run: RunName(run, f"{run}") for run in runs}) if runs else self

    def in_clusters(self, clusters: QueryClusters | None, *, elsewhere: Collection[str] = ()) -> Track:
        """The same scores with the clusters of the queries; as they are for None. Raises what `clusters_of` raises.

        Warns of clusters whose sizes differ so much that tests err too often.
        """
        if clusters is None:
            return self
        of_query = labels.clusters_of(self.scored[0].scores.queries, clusters, elsewhere=elsewhere)
        words = counted(of_query.n, "cluster")
        if of_query.are_uneven and not of_query.are_few:
            largest = f"the largest of {words} has {of_query.sizes.max()} of {counted(of_query.n_queries, 'query')}"
            err = "t tests, t intervals and tests of one pair find too many false differences"
            hold = "the randomisation test, and the step-down test of several pairs, do not"
            warn(f"{argument('clusters')}: {largest}. With sizes that differ so much {err}; {hold}")
        return self.map(lambda matrix: replace(matrix, clusters=of_query), words)


def load_track(request: TrackRequest, *, memory: Memory | None = None) -> Track:
    """Read and score everything that a request names, and what is given in ``memory``.

    Raises `DataErrors` with the first error of every file that has one, `UsageError` for what cannot be asked; issues a
    `DataWarning` for what is odd in the data, a `DataNotice` for what is usual.
    """
    memory, measured = memory or Memory(), _with_auxiliary(request)
    scorer = Scorer(measured, memory.qrels, memory.left_out)
    listed, pool = input_sources(request, [request.qrels])
    listed, pool = [*listed, *memory.inputs], [*pool, *memory.pool]
    (contents,) = score_sources([*listed, *pool], measured, [scorer])
    return track_of(request, scorer, contents, listed)


def track_of(request: TrackRequest, scorer: Scorer, contents: alignment.Contents, listed: Collection[Source]) -> Track:
    """The track of the contents of files; sources that are not ``listed`` shape the target alone.

    Raises and issues what `load_track` does of the contents.
    """
    judged, contents = scorer.queries, alignment.joined(contents, listed)
    scores = next((source.path for source, content in contents.items() if isinstance(content, ScoreFile)), None)
    if request.needs_runs is not None and scores is not None:
        raise UsageError(f"{request.needs_runs} needs runs; {scores} has scores")
    names = alignment.measure_names(_with_auxiliary(request), contents)
    files, faults, holes = {}, [], request.topics == "intersection"
    for source, content in contents.items():
        try:
            files[source] = alignment.under_measures(content, names, judged or (), holes=holes)
        except DataError as error:
            faults.append(error)
    errors.raise_all(faults)
    if not listed and request.exclude:
        raise DataError(f"{argument('exclude')} leaves out every input")
    if files.keys().isdisjoint(listed):
        raise DataError("none of the inputs is a run or a score file")
    files = alignment.without_copies(files, contents, listed)
    alignment.require_distinct_runs(files.values())
    queries = alignment.evaluated_queries(request, files.values(), judged)
    alignment.require_same_items(files.values(), queries)
    better = alignment.directions(names, lower_is_better=request.lower_is_better)
    filled, oddities = alignment.filled(files.values(), queries, better, chosen=request.topics is not None)
    errors.warn_oddities(oddity for file in files.values() for oddity in file.oddities)
    errors.warn_oddities(oddities)
    runs, of_inputs = sorted(filled), set(listed)
    listed_runs = sorted(run for source, file in files.items() if source in of_inputs for run in file.runs)
    basis = _basis(request, len(queries), contents, judged=judged is not None)
    scored = []
    for index, (name, direction) in enumerate(zip(names, better, strict=True)):
        matrix = ScoreMatrix(np.array([filled[run][index] for run in runs]), tuple(runs), queries, name)
        words = basis if direction == "more" else (*basis, "less is better")
        scored.append(_scored(matrix.oriented(direction), listed_runs, scorer, words))
    equal_runs.notice_equal_runs([matrices.pool for matrices in scored])
    numbered = any(file.numbered for file in files.values())
    odd = [oddity for file in files.values() for oddity in file.oddities if oddity.what == evaluator.MOSTLY_UNJUDGED]
    unjudged = {oddity.where: oddity.unit for oddity in odd}
    contradictory = frozenset(
        oddity.where for file in files.values() for oddity in file.oddities if oddity.what == CONTRADICTION
    )
    documents = _documents(scorer, contents) if request.documents and scores is None else None
    track = Track(tuple(scored), nouns=request.nouns, numbered=numbered, unjudged=unjudged, documents=documents)
    items = {query: facts for file in files.values() for query, facts in file.items.items()}
    track = replace(track, items=items, contradictory=contradictory)
    if request.auxiliary:
        n_requested = len(parse_measures(request.run_measures))
        by_measure = {matrices.scores.measure: matrices for matrices in scored}
        track = replace(track, scored=tuple(scored[:n_requested]), auxiliary=by_measure)
    if request.replicates is not None:
        track = track.of_systems(request.replicates)
    with worded(track.nouns):
        track = track.named(names_of([track], request.names, request.highlight))
        equal_runs.notice_near_runs([matrices.pool for matrices in track.scored])
    return track


def _documents(scorer: Scorer, contents: alignment.Contents) -> JudgedDocuments:
    """The documents of runs that were scored, under the judgments that they were scored with."""
    evaluator = scorer.evaluator()
    runs = [content for content in contents.values() if isinstance(content, RunScores)]
    of_run = {run.name: run.documents for run in runs if run.documents is not None}
    return JudgedDocuments(evaluator.judgments, of_run, evaluator.max_grade)


def names_of(tracks: Iterable[Track], names: Sequence[str], highlight: Sequence[str]) -> dict[str, RunName]:
    """The names that people see of all runs of some tracks, those of their pools too; see `run_names`."""
    runs = {run for track in tracks for scored in track.scored for run in scored.pool.runs}
    return labels.run_names(runs, names, highlight)


def _with_auxiliary(request: TrackRequest) -> TrackRequest:
    """The request with its auxiliary measures among the measures."""
    if not request.auxiliary:
        return request
    return replace(request, measures=(*request.run_measures, *request.auxiliary))


def input_sources(request: TrackRequest, qrels: Iterable[str | None]) -> tuple[list[Source], list[Source]]:
    """The listed sources and the pool's further ones, each file once, without the qrels files themselves."""
    listed = request.sources(request.inputs)
    known = {source.identity for source in listed}
    pool = [source for source in request.sources(request.pool) if source.identity not in known]
    for path in qrels:
        if path is None:
            continue
        identity = Source("", path).identity
        if identity in known:
            warn(f"{path} is the qrels file and not taken for a run")
        listed = [source for source in listed if source.identity != identity]
        pool = [source for source in pool if source.identity != identity]
    return listed, pool


def _basis(request: TrackRequest, n_queries: int, contents: alignment.Contents, *, judged: bool) -> tuple[str, ...]:
    """Where the queries come from, and how runs were read, in words."""
    topics = request.topics or ("qrels" if judged else "union")
    words = topics if topics in TOPICS else "a list"
    kept = ", those without a relevant document too" if request.keep_empty_topics else ""
    ties = any(isinstance(content, evaluator.RunScores) for content in contents.values())
    kept += ", results that are their own query left out" if request.ignore_identical_ids else ""
    return (f"{counted(n_queries, 'query')} ({words}{kept})", *([f"ties {request.tie_precision}"] if ties else []))


def _scored(matrix: ScoreMatrix, listed: Sequence[str], scorer: Scorer, basis: tuple[str, ...]) -> Scored:
    measure = ideal = None
    if matrix.measure is not None:
        with suppress(UsageError):
            measure = parse_measures([matrix.measure])[0]
    if scorer.queries is not None and measure is not None:
        ideal = partial(scorer.ideal, measure, matrix.queries)
    return Scored(matrix.select(listed), matrix, measure, ideal, basis)


def load_tracks(
    listed: Sequence[ManifestTrack],
    load: Callable[[TrackRequest], Track],
    *,
    measures: Sequence[str] = (),
    **options: Any,
) -> list[Track]:
    """The scores of every track, in the order of the manifest; ``load`` is `load_track`, or shows its progress.

    ``measures`` take the place of those of the manifest, unless there are none; ``options`` are further keyword
    arguments of a `TrackRequest`. Raises `DataErrors` with the errors of every track.
    """
    replicates = options.get("replicates")
    if isinstance(replicates, str) and is_file(replicates):
        options["replicates"] = maps.read_systems(replicates)  # once: it may be a pipe
    elif isinstance(replicates, str):
        labels.compiled_pattern(replicates)  # what was typed is wrong once, not on every track
    tracks: list[Track] = []
    faults: list[DataError] = []
    for entry in listed:
        arguments = entry.request_options() | options | ({"measures": tuple(measures)} if measures else {})
        with errors.keep_warnings() as messages:
            try:
                entry.require_files()
                tracks.append(load(TrackRequest(**arguments)))
            except errors.BiasVarError as error:
                faults += [DataError(f"track {entry.name}: {line}") for line in error.message.split("\n")]
        for issue, texts in ((warn, messages.warnings), (notice, messages.notices)):
            for text in dict.fromkeys(texts):
                issue(f"{entry.name}: {text}")
    if faults:
        raise errors.DataErrors(faults)
    return tracks


def track_means(tracks: Mapping[str, Track]) -> list[ScoreMatrix]:
    """The mean score of every run on every track, a matrix a measure: its queries are the tracks, in their order.

    ``tracks`` are named and all have the same measures. The runs are those of the first track, in its order.

    Raises `DataErrors` for runs that a track lacks, `DataError` for tracks of other measures: a mean over some of the
    tracks, or of several measures, is comparable with no other. Raises `UsageError` for systems of several runs, whose
    runs would be lost.

    >>> matrix = ScoreMatrix(np.array([[0.5, 0.25], [1, 0]]), ("bm25", "ql"), ("1", "2"), "AP")
    >>> (means,) = track_means({"TREC-3": Track((Scored(matrix, matrix, None, None),))})
    >>> means.queries, means.runs, means.values.tolist()
    (('TREC-3',), ('bm25', 'ql'), [[0.375], [0.5]])
    """
    if any(scored.scores.replicates is not None for track in tracks.values() for scored in track.scored):
        raise UsageError("give it to the analysis of these means, which keep every run", option="replicates")
    first, *others = tracks
    matrices = {name: [scored.scores for scored in track.scored] for name, track in tracks.items()}
    measures = {name: [scores.measure or "an unknown measure" for scores in of] for name, of in matrices.items()}
    for name in others:
        if measures[first] != measures[name]:
            one, two = (listed(measures[track], None) for track in (first, name))
            what = f"track {first} has {one}, track {name} {two}"
            raise DataError(f"{what}: means of different measures do not compare; name one with {argument('measure')}")
        if [scores.better for scores in matrices[first]] != [scores.better for scores in matrices[name]]:
            what = f"less is better on one of the tracks {first} and {name}, more on the other"
            raise DataError(f"{what}; give both the same lower_is_better")
    runs = {name: set(of[0].runs) for name, of in matrices.items()}
    faults = []
    for name, present in runs.items():
        absent = sorted(set().union(*runs.values()) - present)
        if absent:
            what = f"track {name} has no scores of {counted(len(absent), 'run')} of other tracks: {examples(absent)}"
            faults.append(DataError(f"{what}; add them, or leave these runs out of all tracks"))
    errors.raise_all(faults)
    means = []
    for index, scores in enumerate(matrices[first]):
        values = np.array([of[index].select(scores.runs).values.mean(axis=1) for of in matrices.values()]).T
        means.append(ScoreMatrix(values, scores.runs, tuple(tracks), scores.measure, better=scores.better))
    return means


def score_file(matrices: Sequence[ScoreMatrix]) -> ScoreFile:
    """Matrices of the same runs and queries, one a measure, in the form of a file of scores that was read."""
    measures = tuple(matrix.measure for matrix in matrices)
    values = np.stack([matrix.in_unit.values for matrix in matrices], axis=1)
    runs, queries = matrices[0].runs, matrices[0].queries
    return ScoreFile("the means", runs, measures, queries, values, numbered=False, oddities=())


def track_name(request: TrackRequest) -> str:
    """The name of a track that no manifest names: that of its judgments, or without these of its first input.

    >>> track_name(TrackRequest(inputs=("runs/bm25.gz",), qrels="qrels/robust04.txt.gz"))
    'robust04.txt'
    >>> track_name(TrackRequest(inputs=("runs",), qrels="irds:beir/arguana")), track_name(TrackRequest(inputs=("ap/",)))
    ('beir/arguana', 'ap')
    """
    source = request.inputs[0] if request.qrels is None else request.qrels
    if is_data_set(source):
        return source.partition(":")[2]
    return run_name(source) or source
