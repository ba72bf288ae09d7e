"""A request to a track: all runs and score files on one set of queries, one score matrix per measure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.errors import DataError, Oddity, UsageError, warn, warn_oddities
from biasvar_cli.measures import direction, matching, meant, names_among, parse_measures
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import Source, read_bytes, run_name
from biasvar_cli.scores import ScoreMatrix, natural_order
from biasvar_cli.scoring.equal_runs import notice_equal_runs, notice_near_runs
from biasvar_cli.scoring.evaluator import RunScores
from biasvar_cli.scoring.naming import run_names
from biasvar_cli.scoring.parts import joined
from biasvar_cli.scoring.query_clusters import clusters_of
from biasvar_cli.scoring.replicates import systems_of
from biasvar_cli.scoring.request import TrackRequest
from biasvar_cli.scoring.scorer import Memory, Progress, Scorer, score_sources
from biasvar_cli.specs import QueryClusters, Systems
from biasvar_cli.words import (
    QUERIES,
    QUERY,
    TOPICS,
    USUAL_NOUNS,
    Better,
    Nouns,
    RunName,
    argument,
    counted,
    enumerated,
    examples,
    in_nouns,
    is_highlighted,
    near_names,
    numbered,
    worded,
)

if TYPE_CHECKING:
    import ir_measures

_NO_RESULTS = "no results for a query, scored 0"


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


@dataclass(frozen=True, eq=False)
class Track:
    """One `Scored` per measure that was asked for; ``auxiliary`` are all by name, if an analysis needs more.

    ``nouns`` are what sentences call its queries and runs (`words.worded`). ``numbered`` queries have no ids but the
    numbers of their rows.
    """

    scored: tuple[Scored, ...]
    auxiliary: Mapping[str | None, Scored] = field(default_factory=dict)
    nouns: Nouns = USUAL_NOUNS
    numbered: bool = False

    def of_systems(self, replicates: Systems) -> Track:
        """The same scores with a row a system, the mean over its replicates; raises what `systems_of` raises.

        The mean of the pool is over the pool's replicates too. Raises `UsageError` where rows are systems already.
        """
        listed, pool = self.scored[0].scores, self.scored[0].pool
        if pool.replicates is not None:
            raise UsageError("these scores are of systems already", option="replicates")
        system_of = systems_of(pool.runs, replicates)
        n_systems = len({system_of[run] for run in listed.runs})
        words = f"{numbered(n_systems, 'system')} of {numbered(listed.n_runs, 'run')}"

        def grouped(scored: Scored) -> Scored:
            scores, pool = (ScoreMatrix.of_systems(matrix, system_of) for matrix in (scored.scores, scored.pool))
            return replace(scored, scores=scores, pool=pool, basis=(*scored.basis, words))

        auxiliary = {name: grouped(scored) for name, scored in self.auxiliary.items()}
        nouns = self.nouns._replace(run="system")
        return replace(self, scored=tuple(map(grouped, self.scored)), auxiliary=auxiliary, nouns=nouns)

    def named(self, names: Mapping[str, RunName]) -> Track:
        """The same scores of runs that people are shown by other names, or marked."""

        changed = any(run != f"{name}" or name.highlighted for run, name in names.items())
        if not changed and not any(isinstance(run, RunName) for run in self.scored[0].pool.runs):
            return self

        def of(scored: Scored) -> Scored:
            return replace(scored, scores=scored.scores.named(names), pool=scored.pool.named(names))

        auxiliary = {name: of(scored) for name, scored in self.auxiliary.items()}
        return replace(self, scored=tuple(map(of, self.scored)), auxiliary=auxiliary)

    @property
    def unmarked(self) -> Track:
        """The same scores, of which no run is highlighted."""
        runs = {run for scored in self.scored for run in scored.pool.runs if is_highlighted(run)}
        return self.named({run: RunName(run, f"{run}") for run in runs}) if runs else self

    def in_clusters(self, clusters: QueryClusters | None, *, elsewhere: Collection[str] = ()) -> Track:
        """The same scores with the clusters of the queries; as they are for None. Raises what `clusters_of` raises.

        Warns of clusters whose sizes differ so much that tests err too often.
        """
        if clusters is None:
            return self
        of_query = clusters_of(self.scored[0].scores.queries, clusters, elsewhere=elsewhere)
        words = counted(of_query.n, "cluster")
        if of_query.are_uneven and not of_query.are_few:
            largest = f"the largest of {words} has {of_query.sizes.max()} of {counted(of_query.n_queries, 'query')}"
            err = "t tests, t intervals and tests of one pair find too many false differences"
            hold = "the randomisation test, and the step-down test of several pairs, do not"
            warn(f"{argument('clusters')}: {largest}. With sizes that differ so much {err}; {hold}")

        def clustered(scored: Scored) -> Scored:
            scores, pool = (replace(matrix, clusters=of_query) for matrix in (scored.scores, scored.pool))
            return replace(scored, scores=scores, pool=pool, basis=(*scored.basis, words))

        auxiliary = {name: clustered(scored) for name, scored in self.auxiliary.items()}
        return replace(self, scored=tuple(map(clustered, self.scored)), auxiliary=auxiliary)


def load_track(request: TrackRequest, *, memory: Memory | None = None, progress: Progress | None = None) -> Track:
    """Read and score everything that a request names, and what is given in ``memory``.

    Raises `DataErrors` with the first error of every file that has one, `UsageError` for what cannot be asked; issues a
    `DataWarning` for what is odd in the data, a `DataNotice` for what is usual.
    """
    memory, measured = memory or Memory(), _with_auxiliary(request)
    scorer = Scorer(measured, memory.qrels, memory.left_out)
    listed, pool = input_sources(request, [request.qrels])
    listed, pool = [*listed, *memory.inputs], [*pool, *memory.pool]
    (contents,) = score_sources([*listed, *pool], measured, [scorer], progress)
    return track_of(request, scorer, contents, listed)


def track_of(
    request: TrackRequest,
    scorer: Scorer,
    contents: Mapping[Source, RunScores | ScoreFile],
    listed: Collection[Source],
) -> Track:
    """The track of what was read; the sources that are not ``listed`` shape the target alone.

    Raises and issues what `load_track` does of the contents.
    """
    judged, contents = scorer.queries, joined(contents, listed)
    scores = next((source.path for source, content in contents.items() if isinstance(content, ScoreFile)), None)
    if request.needs_runs is not None and scores is not None:
        raise UsageError(f"{request.needs_runs} needs runs; {scores} has scores")
    names = _measure_names(_with_auxiliary(request), contents)
    _warn_of_labels(names, contents.values())
    files = {source: _of_measures(content, names, judged or ()) for source, content in contents.items()}
    if not listed and request.exclude:
        raise DataError(f"{argument('exclude')} leaves out every input")
    if files.keys().isdisjoint(listed):
        raise DataError("none of the inputs is a run or a score file")
    _check_names(files.values())
    queries = _queries(request, files.values(), judged)
    better = _directions(names, lower_is_better=request.lower_is_better)
    filled, oddities = _filled(files.values(), queries, better, chosen=request.topics is not None)
    warn_oddities(oddity for file in files.values() for oddity in file.oddities)
    warn_oddities(oddities)
    runs = sorted(filled)
    of_list = sorted(run for source, file in files.items() if source in listed for run in file.runs)
    basis = _basis(request, len(queries), contents, judged=judged is not None)
    scored = []
    for index, name in enumerate(names):
        matrix = ScoreMatrix(np.array([filled[run][index] for run in runs]), tuple(runs), queries, name)
        words = basis if better[index] == "more" else (*basis, "less is better")
        scored.append(_scored(matrix.oriented(better[index]), of_list, scorer, words))
    notice_equal_runs([matrices.pool for matrices in scored])
    numbered = any(file.numbered for file in files.values())
    track = Track(tuple(scored), nouns=request.nouns, numbered=numbered)
    if request.auxiliary:
        n_requested = len(parse_measures(request.measures or ("AP",)))
        by_measure = {matrices.scores.measure: matrices for matrices in scored}
        track = replace(track, scored=tuple(scored[:n_requested]), auxiliary=by_measure)
    if request.replicates is not None:
        track = track.of_systems(request.replicates)
    with worded(track.nouns):
        track = track.named(names_of([track], request.names, request.highlight))
        notice_near_runs([matrices.pool for matrices in track.scored])
    return track


def names_of(tracks: Iterable[Track], names: Sequence[str], highlight: Sequence[str]) -> dict[str, RunName]:
    """What people are shown of all runs of some tracks, those of their pools too; see `run_names`."""
    runs = {run for track in tracks for scored in track.scored for run in scored.pool.runs}
    return run_names(runs, names, highlight)


def _with_auxiliary(request: TrackRequest) -> TrackRequest:
    """The request with its auxiliary measures among the measures."""
    if not request.auxiliary:
        return request
    return replace(request, measures=(*(request.measures or ("AP",)), *request.auxiliary))


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


def _measure_names(request: TrackRequest, contents: Mapping[Source, RunScores | ScoreFile]) -> list[str | None]:
    """The measures to analyse: those asked for, or AP for runs, or the score files' only one."""
    files = {source.path: content for source, content in contents.items() if isinstance(content, ScoreFile)}
    if len(files) < len(contents):  # some are runs
        return [str(measure) for measure in parse_measures(request.measures)] if request.measures else ["AP"]
    if request.measures:
        known = (name for file in files.values() for name in file.measures if name is not None)
        return [*names_among(request.measures, known)]
    paths: dict[str | None, str] = {}
    for path, file in files.items():
        measures = [measure for measure in file.measures if measure not in file.others]
        if len(measures) > 1:
            named = ", ".join(str(measure) for measure in measures[:8]) + (", ..." if len(measures) > 8 else "")
            beside = f"; {examples(file.others)} can be chosen too" if file.others else ""
            raise DataError(
                f"has {len(measures)} measures; choose with {argument('measure')}: {named}{beside}", path=path
            )
        paths.setdefault(measures[0], path)
    if len(paths) > 1:
        (one, first), (two, second) = list(paths.items())[:2]
        raise DataError(
            f"the scores of {first} are {one or 'of an unknown measure'}, those of {second} "
            f"{two or 'of an unknown measure'}; name one with {argument('measure')}"
        )
    return list(paths) or [None]


def _warn_of_labels(names: Sequence[str | None], contents: Iterable[RunScores | ScoreFile]) -> None:
    """Warn of a name that scores without a measure have got, where it is no measure's but is spelled like one."""
    for content in contents:
        if isinstance(content, ScoreFile) and len(names) == 1 and content.measures == (names[0],):
            name = str(names[0])
            measure = meant(name)
            if measure is not None:
                warn(f"{argument(measure=name)}: no measure is called that, so it is a label; did you mean {measure}?")
                return


def _of_measures(content: RunScores | ScoreFile, names: Sequence[str | None], judged: tuple[str, ...]) -> ScoreFile:
    """The scores under these measures alike, whether a file has them or they were computed for a run."""
    if isinstance(content, RunScores):
        runs, values = (content.name,), content.values[None]
        return ScoreFile(content.path, runs, tuple(names), judged, values, numbered=False, oddities=content.oddities)
    known = [measure for measure in content.measures if measure is not None]
    chosen = [name if name is None else matching(name, known) or name for name in names]
    if not set(chosen) <= set(content.measures):
        raise _absent(chosen, known, content.path)
    places = [content.measures.index(name) for name in chosen]
    oddities = (*content.oddities, *content.holes_of(chosen), *content.others_but(chosen))
    return replace(content, measures=tuple(names), values=content.values[:, places], oddities=oddities, others=())


def _absent(names: Sequence[str | None], known: Sequence[str], path: str) -> DataError:
    """The error of measures that a file does not have: near ones that it has, and the first of them all."""
    missing = [str(name) for name in names if name not in known]
    near = list(dict.fromkeys(other for name in missing for other in near_names(name, known)))
    has = examples(known, 8) if known else "an unknown measure"
    hint = f"did you mean {' or '.join(near[:3])}? " if near else ""
    return DataError(f"has no {' and no '.join(missing)}; {hint}it has {has}", path=path)


def _check_names(files: Collection[ScoreFile]) -> None:
    owner: dict[str, str] = {}
    for file in files:
        for run in file.runs:
            if run in owner:
                by_file = run in map(run_name, (owner[run], file.path))
                above = argument(recursive=True, name_by="path")
                remedy = f", or give the folder above both with {above}" if by_file else ""
                raise DataError(
                    f"two runs are called {run}: {owner[run]} and {file.path}; give one another name{remedy}"
                )
            owner[run] = file.path
    plain = [file for file in files if file.numbered]
    named = [file for file in files if not file.numbered]
    if plain and named:
        raise DataError(
            f"the rows of {plain[0].path} have no {QUERY} ids, those of {named[0].path} have; "
            "they cannot be matched safely: add a column of ids"
        )
    for file in plain[1:]:
        if len(file.queries) != len(plain[0].queries):
            raise DataError(
                f"{plain[0].path} has {len(plain[0].queries)} rows and {file.path} {len(file.queries)}, "
                f"without {QUERY} ids to match them by: add a column of ids"
            )


def _queries(request: TrackRequest, files: Collection[ScoreFile], judged: Sequence[str] | None) -> tuple[str, ...]:
    """The queries to evaluate on, in natural order, by the rule of --topics."""
    complete = request.topics == "intersection"
    sets = [queries for file in files for queries in _scored_queries(file, complete=complete)]
    if judged is not None:
        plain = next((file for file in files if file.numbered), None)
        if plain is not None:
            raise DataError(
                f"the rows have no {QUERY} ids, so {argument('qrels')} cannot restrict them", path=plain.path
            )
        base = set(judged)
    else:
        base = set().union(*sets)
    if request.topics in (None, "qrels"):
        if request.topics == "qrels" and judged is None:
            raise UsageError(f"{argument(topics='qrels')} needs {argument('qrels QRELS')}")
        chosen = base
    elif request.topics == "union":
        chosen = base & set().union(*sets)
    elif request.topics == "intersection":
        chosen = base.intersection(*sets)
    else:
        chosen = _listed_topics(str(request.topics), base, request.max_size)
    if not chosen:
        raise DataError(f"there is no {QUERY} that the runs have in common ({argument(topics='intersection')})")
    return tuple(natural_order(chosen))


def _scored_queries(file: ScoreFile, *, complete: bool) -> list[set[str]]:
    """For each run of a file, the queries it has any score for: the same set for all runs that have every query.

    With ``complete`` they are those that it has the scores of all measures for.
    """
    has_score = np.isfinite(file.values)
    present: BoolArray = np.all(has_score, axis=1) if complete else np.any(has_score, axis=1)
    queries = set(file.queries)
    return [
        queries if line.all() else {query for query, there in zip(file.queries, line, strict=True) if there}
        for line in present
    ]


def _listed_topics(path: str, base: set[str], max_size: int | None) -> set[str]:
    """The query ids in a file, the first word of each line; each must be among those that can be evaluated."""
    wanted: set[str] = set()
    for number, line in enumerate(read_bytes(path, max_size=max_size).splitlines(), 1):
        words = line.decode("utf-8", "replace").split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] not in base:
            names = examples(natural_order(base))
            raise DataError(
                f"{QUERY} {words[0]} cannot be evaluated; the {QUERIES} are {names}", path=path, line=number
            )
        wanted.add(words[0])
    if not wanted:
        raise DataError(f"the file lists no {QUERY}", path=path)
    return wanted


def _directions(names: Sequence[str | None], *, lower_is_better: bool) -> list[Better]:
    """Whether more or less of each measure is better; ``lower_is_better`` says it of those that are not known.

    Raises `UsageError` where it can say nothing, since more of all of the measures is better.

    >>> _directions(["AP", "response time", "ESL"], lower_is_better=True)
    ['more', 'less', 'less']
    """
    known = [direction(name) for name in names]
    if lower_is_better and set(known) == {"more"}:
        what = f"more is better for {enumerated(map(str, names), 'and')}"
        raise UsageError(f"{what}; this is for measures that are not known", option="lower_is_better")
    return [better or ("less" if lower_is_better else "more") for better in known]


def _filled(
    files: Collection[ScoreFile], queries: tuple[str, ...], better: Sequence[Better], *, chosen: bool
) -> tuple[dict[str, FloatArray], list[Oddity]]:
    """Per run the scores of these queries, shape (n_measures, n_queries), 0 where there is none, which is counted.

    Scores on other queries are counted too, unless the user has ``chosen`` the queries. ``better`` is the direction of
    each measure: raises `DataError` where there is no score and less is better, since 0 would be the best one.
    """
    filled: dict[str, FloatArray] = {}
    oddities: list[Oddity] = []
    for file in files:
        column = {query: index for index, query in enumerate(file.queries)}
        columns = np.array([column.get(query, -1) for query in queries])
        extra = len(set(file.queries) - set(queries))
        for run, values in zip(file.runs, file.values, strict=True):
            wanted = np.where(columns >= 0, values[:, columns], np.nan)
            missing = int(np.isnan(wanted).any(axis=0).sum())
            if np.isnan(wanted).all():
                raise DataError(
                    f"run {run} has none of the {len(queries)} {QUERIES} ({examples(queries)}); it has "
                    f"{examples(file.queries)}",
                    path=file.path,
                )
            for name, direction_of, scores in zip(file.measures, better, wanted, strict=True):
                if direction_of == "less" and np.isnan(scores).any():
                    raise _unscored(
                        name, run, [queries[place] for place in np.flatnonzero(np.isnan(scores))], file.path
                    )
            if missing:
                oddities.append(Oddity(in_nouns(_NO_RESULTS), run, missing, "query"))
            if extra and not chosen:
                oddities.append(Oddity(f"{QUERIES} outside the evaluated ones left out", run, extra, "query"))
            filled[run] = np.nan_to_num(wanted, nan=0.0)
    return filled, oddities


def _unscored(measure: str | None, run: str, queries: Sequence[str], path: str) -> DataError:
    """The error of a run without a score on some queries, where less of the measure is better."""
    what = f"run {run} has no {measure or 'score'} on {counted(len(queries), 'query')} ({examples(queries)})"
    why = "less is better, and a missing score does not count as 0, which would be the best"
    return DataError(
        f"{what}; {why}: evaluate the {QUERIES} that all runs have with {argument(topics='intersection')}", path=path
    )


def _basis(
    request: TrackRequest, n_queries: int, contents: Mapping[Source, RunScores | ScoreFile], *, judged: bool
) -> tuple[str, ...]:
    """Where the queries come from, and how runs were read, in words."""
    topics = request.topics or ("qrels" if judged else "union")
    words = topics if topics in TOPICS else "a list"
    kept = ", those without a relevant document too" if request.keep_empty_topics else ""
    ties = any(isinstance(content, RunScores) for content in contents.values())
    return (f"{counted(n_queries, 'query')} ({words}{kept})", *([f"ties {request.tie_precision}"] if ties else []))


def _scored(matrix: ScoreMatrix, listed: Sequence[str], scorer: Scorer, basis: tuple[str, ...]) -> Scored:
    measure = ideal = None
    if matrix.measure is not None:
        with suppress(UsageError):
            measure = parse_measures([matrix.measure])[0]
    if scorer.has_qrels and measure is not None:
        ideal = partial(scorer.ideal, measure, matrix.queries)
    return Scored(matrix.select(listed), matrix, measure, ideal, basis)
