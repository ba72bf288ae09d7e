"""A request to a track: all runs and score files on one set of queries, one score matrix per measure."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from biasvar_cli.errors import (
    BiasVarError,
    DataError,
    DataErrors,
    DataWarning,
    Oddity,
    UsageError,
    counted,
    examples,
    warn_oddities,
)
from biasvar_cli.evaluation import Evaluator, RunScores, judged_queries
from biasvar_cli.measures import canonical, parse_measures
from biasvar_cli.ranking import TiePrecision
from biasvar_cli.readers.score_files import ScoreFile, parse_scores
from biasvar_cli.readers.sources import STDIN, Source, expand, read_bytes, recognise, unrecognised
from biasvar_cli.readers.trec import NameBy, Qrels, parse_run, read_qrels
from biasvar_cli.scores import FloatArray, ScoreMatrix, natural_order

if TYPE_CHECKING:
    import ir_measures

Progress = Callable[[Iterable[Any], int], Iterable[Any]]

_NO_RESULTS = "no results for a query, scored 0"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to evaluate, as the user asked for it.

    ``inputs`` and ``pool`` are paths, ``qrels`` a path or None, ``measures`` names (empty: the default). ``topics`` is
    ``qrels``, ``union``, ``intersection``, a path, or None for the default of the kind of input.
    """

    inputs: tuple[str, ...]
    pool: tuple[str, ...] = ()
    qrels: str | None = None
    measures: tuple[str, ...] = ()
    glob: str | None = None
    name_by: NameBy = "file"
    topics: str | None = None
    keep_empty_topics: bool = False
    orient: Literal["queries", "runs"] | None = None
    id_column: str | None = None
    tie_precision: TiePrecision = "single"
    max_grade: int = 4
    jobs: int = 1
    dask: str | None = None


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores under one measure: ``scores`` of the listed runs, ``pool`` of these and the pool's, same queries.

    ``measure`` is None where only a score file's name for it is known; ``ideal`` gives the ideal ranking's score per
    query, shape (n_queries,), or is None where there are no qrels or the measure is not known.
    """

    scores: ScoreMatrix
    pool: ScoreMatrix
    measure: ir_measures.Measure | None
    ideal: Callable[[], FloatArray] | None


@dataclass(frozen=True, eq=False)
class Track:
    """One `Scored` per measure, and how many of the runs have ties or lack queries, for the notes of a table."""

    scored: tuple[Scored, ...]
    n_tied: int
    n_incomplete: int


class _Fault(NamedTuple):
    """Why nothing at all can be scored."""

    error: BiasVarError


_Result = RunScores | ScoreFile | DataError | _Fault | None


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of one file: ``values`` has the shape (n_runs, n_measures, n_queries), nan where there is none."""

    source: Source
    runs: tuple[str, ...]
    queries: tuple[str, ...]
    values: FloatArray
    numbered: bool
    oddities: tuple[Oddity, ...]


def load_track(request: Request, *, progress: Progress | None = None) -> Track:
    """Read and score everything that a request names.

    Raises `DataErrors` with the first error of every file that has one, `UsageError` for what cannot be asked; tells
    `DataWarning` for what is odd in the data.
    """
    scorer = _Scorer(request)
    judged = scorer.queries
    listed, pool = _sources(request)
    contents = _read_all([*listed, *pool], request, scorer, progress)
    names = _measure_names(request, contents)
    rows = [_rows(source, content, names, judged or ()) for source, content in contents.items()]
    if not any(row.source in listed for row in rows):
        raise DataError("none of the inputs is a run or a score file")
    _check_names(rows)
    queries = _queries(request, rows, judged)
    filled, oddities = _filled(rows, queries, chosen=request.topics is not None)
    warn_oddities(oddity for row in rows for oddity in row.oddities)
    warn_oddities(oddities)
    runs = sorted(filled)
    of_list = sorted(run for row in rows if row.source in listed for run in row.runs)
    scored = []
    for index, name in enumerate(names):
        matrix = ScoreMatrix(np.array([filled[run][index] for run in runs]), tuple(runs), queries, name)
        scored.append(_scored(matrix, of_list, scorer))
    tied = {odd.where for row in rows for odd in row.oddities if odd.what.startswith("scores tie")}
    return Track(tuple(scored), len(tied), len({odd.where for odd in oddities if odd.what == _NO_RESULTS}))


class _Scorer:
    """Makes an evaluator when the first run needs one: score files do without, whatever their measures.

    ``queries`` are those that the qrels allow, None without -q. ``qrels_error`` is what is wrong with the qrels, which
    hides nothing that is wrong with the runs; ``fault`` why there can be no evaluator.
    """

    def __init__(self, request: Request) -> None:
        self.fault: BiasVarError | None = None
        self.qrels_error: DataError | None = None
        self.queries: tuple[str, ...] | None = None
        self._request = request
        self._qrels: Qrels | None = None
        try:
            self._qrels, self.queries = _judged(request)
        except DataError as error:
            self.qrels_error = error
        self._made: Evaluator | None = None
        self._lock = threading.Lock()

    def evaluator(self) -> Evaluator:
        """The evaluator for the measures asked for; raises, and keeps as ``fault``, why there can be none."""
        with self._lock:
            try:
                self._made = self._made or self._make()
            except BiasVarError as error:
                self.fault = error
                raise
            return self._made

    def ideal(self, measure: ir_measures.Measure, queries: Sequence[str]) -> FloatArray:
        """The ideal ranking's score on these queries, shape (n_queries,)."""
        evaluator = self._made if self._made is not None and measure in self._made.measures else self._make(measure)
        return evaluator.ideal(measure)[[evaluator.queries.index(query) for query in queries]]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_made": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    @property
    def has_qrels(self) -> bool:
        return self._qrels is not None

    def _make(self, measure: ir_measures.Measure | None = None) -> Evaluator:
        request = self._request
        if self._qrels is None:
            raise UsageError("TREC runs need relevance judgments: add -q QRELS")
        return Evaluator(
            self._qrels,
            [measure] if measure is not None else parse_measures(request.measures or ("AP",)),
            keep_empty=request.keep_empty_topics,
            precision=request.tie_precision,
            max_grade=request.max_grade,
        )


def _judged(request: Request) -> tuple[Qrels | None, tuple[str, ...] | None]:
    """The qrels and the queries that they allow, None without -q; tells of topics without a relevant document."""
    if request.qrels is None:
        if request.keep_empty_topics:
            raise UsageError("--keep-empty-topics needs -q QRELS")
        return None, None
    qrels = read_qrels(request.qrels)
    warn_oddities(qrels.oddities)
    queries = judged_queries(qrels, keep_empty=request.keep_empty_topics)
    empty = natural_order(set(qrels.topics) - set(queries))
    if empty:
        _warn(
            f"{counted(len(empty), 'judged topic')} without a relevant document left out "
            f"(--keep-empty-topics keeps them): {examples(empty)}"
        )
    return qrels, queries


def _sources(request: Request) -> tuple[list[Source], list[Source]]:
    """The listed sources and the pool's further ones, each file once, without the qrels file itself."""
    listed = expand(request.inputs, glob=request.glob)
    known = {source.identity for source in listed}
    pool = [source for source in expand(request.pool, glob=request.glob) if source.identity not in known]
    if request.qrels is not None:
        own = Source("", request.qrels).identity
        if own in known:
            _warn(f"{request.qrels} is the qrels file and not taken for a run")
        listed = [source for source in listed if source.identity != own]
        pool = [source for source in pool if source.identity != own]
    return listed, pool


def _read_all(
    sources: Sequence[Source], request: Request, scorer: _Scorer, progress: Progress | None
) -> dict[Source, RunScores | ScoreFile]:
    """What every source holds, in the order of the sources; raises the first error of each file together."""

    work = _everywhere if request.dask is not None else _here
    with closing(work(sources, request, scorer)) as found:
        results = list(progress(found, len(sources)) if progress else found)
    for result in results:
        if isinstance(result, _Fault):
            raise result.error
    errors = [result for result in [scorer.qrels_error, *results] if isinstance(result, DataError)]
    if errors:
        raise errors[0] if len(errors) == 1 else DataErrors(errors)
    left_out = [source.path for source, result in zip(sources, results, strict=True) if result is None]
    if left_out:
        _warn(f"{counted(len(left_out), 'file')} shaped like qrels left out: {examples(left_out)}")
    read_in = {
        source: result
        for source, result in zip(sources, results, strict=True)
        if isinstance(result, RunScores | ScoreFile)
    }
    if any(isinstance(content, RunScores) for content in read_in.values()):
        for notice in scorer.evaluator().notices:
            _warn(notice)
    return read_in


def _here(sources: Sequence[Source], request: Request, scorer: _Scorer) -> Generator[_Result]:
    """The results of the sources, in order, from threads: what takes long lets go of the interpreter."""
    executor = ThreadPoolExecutor(max(1, min(request.jobs, len(sources))))
    try:
        yield from executor.map(_attempt, sources, repeat((request, scorer)))
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _everywhere(sources: Sequence[Source], request: Request, scorer: _Scorer) -> Generator[_Result]:
    """The results of the sources, in order, from a Dask cluster, which has to see the same files."""
    from biasvar_cli.cluster import map_on_cluster

    own = [_attempt(source, (request, scorer)) for source in sources if source.path == STDIN]
    others = [source for source in sources if source.path != STDIN]
    with closing(map_on_cluster(str(request.dask), _attempt, others, (request, scorer))) as remote:
        for source in sources:
            yield own.pop() if source.path == STDIN else next(remote)


def _attempt(source: Source, shared: tuple[Request, _Scorer]) -> _Result:
    """One file's scores, or what is wrong; a fault is no fault of the file's."""
    request, scorer = shared
    try:
        return _read(source, request, scorer)
    except BiasVarError as error:
        return _Fault(error) if error is scorer.fault or not isinstance(error, DataError) else error


def _read(source: Source, request: Request, scorer: _Scorer) -> RunScores | ScoreFile | None:
    """One file's scores; None for a file shaped like qrels."""
    data = read_bytes(source.path)
    kind = recognise(data)
    if kind == "qrels":
        return None
    if kind == "run":
        run = parse_run(data, source.path, name_by=request.name_by)
        return None if scorer.qrels_error else scorer.evaluator().evaluate(run)
    if kind is None:
        raise DataError(f"{unrecognised(data)}; leave it out with --glob, or mend it", path=source.path)
    measure = canonical(request.measures[0]) if len(request.measures) == 1 else None
    return parse_scores(data, source.path, kind, orient=request.orient, id_column=request.id_column, measure=measure)


def _measure_names(request: Request, contents: dict[Source, RunScores | ScoreFile]) -> list[str | None]:
    """The measures to analyse: those asked for, or AP for runs, or the score files' only one."""
    if request.measures:
        return list(dict.fromkeys(canonical(name) for name in request.measures))
    if any(isinstance(content, RunScores) for content in contents.values()):
        return ["AP"]
    found: dict[str | None, str] = {}
    for source, content in contents.items():
        measures: tuple[str | None, ...] = content.measures if isinstance(content, ScoreFile) else (None,)
        if len(measures) > 1:
            named = ", ".join(str(measure) for measure in measures[:8]) + (", ..." if len(measures) > 8 else "")
            raise DataError(f"holds {len(measures)} measures; choose with -m: {named}", path=source.path)
        found.setdefault(measures[0], source.path)
    if len(found) > 1:
        (one, first), (two, second) = list(found.items())[:2]
        raise DataError(
            f"the scores of {first} are {one or 'of an unknown measure'}, those of {second} "
            f"{two or 'of an unknown measure'}; name one with -m"
        )
    return list(found) or [None]


def _rows(
    source: Source, content: RunScores | ScoreFile, names: Sequence[str | None], judged: tuple[str, ...]
) -> _Rows:
    if isinstance(content, RunScores):
        return _Rows(source, (content.name,), judged, content.values[None], False, content.oddities)
    missing = [str(name) for name in names if name not in content.measures]
    if missing:
        held = ", ".join(str(measure) if measure else "an unknown measure" for measure in content.measures)
        raise DataError(f"holds no {' and no '.join(missing)}; it holds {held}", path=source.path)
    chosen = [content.measures.index(name) for name in names]
    return _Rows(source, content.runs, content.queries, content.values[:, chosen], content.numbered, content.oddities)


def _check_names(rows: Sequence[_Rows]) -> None:
    owner: dict[str, str] = {}
    for row in rows:
        for run in row.runs:
            if run in owner:
                raise DataError(f"two runs are called {run}: {owner[run]} and {row.source.path}; give one another name")
            owner[run] = row.source.path
    plain = [row for row in rows if row.numbered]
    named = [row for row in rows if not row.numbered]
    if plain and named:
        raise DataError(
            f"the rows of {plain[0].source.path} have no query ids, those of {named[0].source.path} have; "
            "they cannot be matched safely: add a column of ids"
        )
    for row in plain[1:]:
        if len(row.queries) != len(plain[0].queries):
            raise DataError(
                f"{plain[0].source.path} has {len(plain[0].queries)} rows and {row.source.path} {len(row.queries)}, "
                "without query ids to match them by: add a column of ids"
            )


def _queries(request: Request, rows: Sequence[_Rows], judged: Sequence[str] | None) -> tuple[str, ...]:
    """The queries to evaluate on, in natural order, by the rule of --topics."""
    held = [_held(row) for row in rows]
    sets = [queries for group in held for queries in group]
    if judged is not None:
        plain = next((row for row in rows if row.numbered), None)
        if plain is not None:
            raise DataError("the rows have no query ids, so -q cannot restrict them", path=plain.source.path)
        base = set(judged)
    else:
        base = set().union(*sets)
    if request.topics in (None, "qrels"):
        if request.topics == "qrels" and judged is None:
            raise UsageError("--topics qrels needs -q QRELS")
        chosen = base
    elif request.topics == "union":
        chosen = base & set().union(*sets)
    elif request.topics == "intersection":
        chosen = base.intersection(*sets)
    else:
        chosen = _listed_topics(str(request.topics), base)
    if not chosen:
        raise DataError("there is no query that the runs have in common (--topics intersection)")
    return tuple(natural_order(chosen))


def _held(row: _Rows) -> list[set[str]]:
    """For each run of a file, the queries it has any score for."""
    present = [np.isfinite(values).any(axis=0) for values in row.values]
    return [{query for query, there in zip(row.queries, line, strict=True) if there} for line in present]


def _listed_topics(path: str, base: set[str]) -> set[str]:
    """The query ids in a file, the first word of each line; each must be among those that can be evaluated."""
    wanted: set[str] = set()
    for number, line in enumerate(read_bytes(path).splitlines(), 1):
        words = line.decode("utf-8", "replace").split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] not in base:
            shown = examples(natural_order(base))
            raise DataError(f"query {words[0]} cannot be evaluated; the queries are {shown}", path=path, line=number)
        wanted.add(words[0])
    if not wanted:
        raise DataError("the file lists no query", path=path)
    return wanted


def _filled(
    rows: Sequence[_Rows], queries: tuple[str, ...], *, chosen: bool
) -> tuple[dict[str, FloatArray], list[Oddity]]:
    """Per run the scores of these queries, shape (n_measures, n_queries), 0 where there is none, which is counted.

    Scores on other queries are counted too, unless the user has ``chosen`` the queries.
    """
    filled: dict[str, FloatArray] = {}
    oddities: list[Oddity] = []
    for row in rows:
        place = {query: index for index, query in enumerate(row.queries)}
        columns = np.array([place.get(query, -1) for query in queries])
        extra = len(set(row.queries) - set(queries))
        for run, values in zip(row.runs, row.values, strict=True):
            wanted = np.where(columns >= 0, values[:, columns], np.nan)
            missing = int(np.isnan(wanted).any(axis=0).sum())
            if np.isnan(wanted).all():
                raise DataError(
                    f"run {run} has none of the {len(queries)} queries ({examples(queries)}); it has "
                    f"{examples(row.queries)}",
                    path=row.source.path,
                )
            if missing:
                oddities.append(Oddity(_NO_RESULTS, run, missing, "query"))
            if extra and not chosen:
                oddities.append(Oddity("queries outside the evaluated ones left out", run, extra, "query"))
            filled[run] = np.nan_to_num(wanted, nan=0.0)
    return filled, oddities


def _scored(matrix: ScoreMatrix, listed: Sequence[str], scorer: _Scorer) -> Scored:
    measure = _known(matrix.measure)
    ideal = None
    if scorer.has_qrels and measure is not None:

        def ideal() -> FloatArray:
            return scorer.ideal(measure, matrix.queries)

    return Scored(matrix.select(listed), matrix, measure, ideal)


def _known(name: str | None) -> ir_measures.Measure | None:
    try:
        return parse_measures([name])[0] if name is not None else None
    except UsageError:
        return None


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=2)
