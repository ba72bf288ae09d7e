"""Files to scores: who scores them, and where: in threads here, or on the machines of a Dask cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import ir_measures

from biasvar_cli import errors, progress
from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import BiasVarError, DataError, NotInput, Unreadable, UsageError, warn
from biasvar_cli.measures import parse_measures, spelled_names
from biasvar_cli.readers.listing import or_excluded
from biasvar_cli.readers.qrels import Qrels, RunAsQrels, read_qrels, recognised
from biasvar_cli.readers.runs import Run, parse_run
from biasvar_cli.readers.score_formats import parse_scores, tables, unrecognised
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import STDIN, Source, kind_of, read_bytes, relative_to, run_name
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring import TrackRequest, coverage, in_flight
from biasvar_cli.scoring.evaluator import Evaluator, NoCommonTopic, RunScores, judged_queries, none_judged
from biasvar_cli.words import argument, counted, either, examples

Content = TypeVar("Content")


@dataclass(frozen=True, order=True)
class LoadedSource(Source):
    """A source whose content is in memory already: ``path`` is what messages call it.

    ``left_out`` says which columns of ids of a table were left out for others, where there were any: then a run that
    has no judged document is an error.
    """

    content: Run | ScoreFile = field(kw_only=True, compare=False)
    left_out: str = field(default="", kw_only=True, compare=False)


class Memory(NamedTuple):
    """What is in memory in place of files: runs and scores, those of the pool, and judgments.

    ``left_out`` is that of `LoadedSource`, of the judgments.
    """

    inputs: tuple[LoadedSource, ...] = ()
    pool: tuple[LoadedSource, ...] = ()
    qrels: Qrels | None = None
    left_out: str = ""


class _NoScores(DataError):
    """What is wrong with a file that was taken for scores."""


class _Fault(NamedTuple):
    """Why nothing at all can be scored."""

    error: BiasVarError


# ``qrels`` for a file shaped like them, None for a run that was read but not scored, since the qrels are wrong
_Result = RunScores | ScoreFile | DataError | _Fault | Literal["qrels"] | None


def score_sources(
    sources: Sequence[Source], request: TrackRequest, scorers: Sequence[Scorer]
) -> list[dict[Source, RunScores | ScoreFile]]:
    """The scores of every source, in the order of the sources, under each of the scorers; a file is read once.

    Raises the first error of each file, all together.
    """
    shared = (request, scorers)
    if request.dask is not None:
        work = _on_dask(sources, shared)
    else:
        work = in_flight.in_parallel(lambda source: _attempt(source, shared), sources, request.jobs)
    with closing(work):
        results = list(progress.counting("files", work, len(sources)))
    return [
        _scores_of({source: under[number] for source, under in zip(sources, results, strict=True)}, scorer)
        for number, scorer in enumerate(scorers)
    ]


def _scores_of(by_source: Mapping[Source, _Result], scorer: Scorer) -> dict[Source, RunScores | ScoreFile]:
    """The scores of the sources under one scorer.

    Raises why nothing can be scored, or else the first error of each file, that of the qrels first, all together. Among
    runs, the error of a file that was taken for scores says how to leave it out, as that of no kind: it may be none.
    """
    left_out = [source.path for source, result in by_source.items() if result == "qrels"]
    for result in by_source.values():
        if isinstance(result, _Fault):
            raise errors.MissingQrels(left_out) if isinstance(result.error, errors.MissingQrels) else result.error
    faults = [] if scorer.qrels_error is None else [scorer.qrels_error]
    if isinstance(scorer.qrels_error, RunAsQrels) and left_out:
        faults = [DataError.of(scorer.qrels_error, swapped(left_out[0]))]
    any_run = any(isinstance(result, RunScores) for result in by_source.values())
    for source, result in by_source.items():
        if isinstance(result, DataError):
            error = NotInput.of(result) if any_run and isinstance(result, _NoScores) else result
            faults.append(or_excluded(error, source.path, len(by_source)))
    errors.raise_all(faults)
    if left_out:
        named = set(left_out) & set(scorer.request.inputs)
        beside = scorer.request.qrels is not None and in_folder_of(scorer.request.qrels, named)
        what = f"{counted(len(left_out), 'file')} shaped like qrels left out: {examples(left_out)}"
        # for the shell puts the names of all in the place of a pattern
        pattern = either("; a pattern behind -q gives it the first file alone; judges takes -q for each file", "")
        warn(f"{what}{pattern if beside else _if_a_run(left_out, scorer.request)}")
    read_in = {source: result for source, result in by_source.items() if isinstance(result, RunScores | ScoreFile)}
    runs = [content for content in read_in.values() if isinstance(content, RunScores)]
    if runs and all(run.unjudged for run in runs):
        what = none_judged(str(scorer.request.qrels))
        many = f" of any of the {len(runs)} runs" if len(runs) > 1 else ""
        raise DataError(f"{what.replace(' is judged', f'{many} is judged', 1)}: {runs[0].unjudged}", path=runs[0].path)
    if runs:
        scorer.require_judged(runs)
        for notice in scorer.evaluator().notices:
            warn(notice)
    return read_in


_TABLES = (".csv", ".tsv", ".parquet", ".json", ".jsonl")


def _if_a_run(left_out: Iterable[str], request: TrackRequest) -> str:
    """What is to be done if one of the files shaped like qrels is a run, as a table or JSON of whole numbers may be."""
    is_read = set(request.inputs) if request.qrels is not None else set[str]()
    tables = [path for path in left_out if path not in is_read and Path(run_name(path)).suffix in _TABLES]
    return f"; if {tables[0]} is a run, name it as an input, beside {argument('qrels')}" if tables else ""


def in_folder_of(path: str, others: Iterable[str]) -> list[str]:
    """Those of the other paths that stand in the same folder, in order.

    >>> in_folder_of("qrels/a.txt", ["runs/bm25", "qrels/b.txt"])
    ['qrels/b.txt']
    """
    return sorted(other for other in others if Path(other).parent == Path(path).parent)


def swapped(path: str) -> str:
    """The end of the error about a run in place of qrels, where another file is shaped like qrels."""
    return f", and {path} is shaped like qrels; is it the other way round? Then give {argument(qrels=path)}"


def _on_dask(sources: Sequence[Source], shared: tuple[TrackRequest, Sequence[Scorer]]) -> Generator[Sequence[_Result]]:
    """The results of the sources, in order, computed on a Dask cluster, which needs access to the same files.

    Pipes and standard input, which no worker can read, are read here.
    """
    request, _ = shared
    folder = os.getcwd()  # noqa: PTH109
    pipes = [source for source in sources if source.path == STDIN or kind_of(source.path) == "pipe"]
    piped = {source: _attempt(source, shared) for source in pipes}
    others = [source for source in sources if source not in piped]
    work = in_flight.map_on_dask(
        str(request.dask), partial(_attempt_there, folder), others, shared, timeout=request.dask_timeout
    )
    with closing(work) as remote:
        for source in sources:
            yield piped[source] if source in piped else next(remote)


def _attempt_there(folder: str, source: Source, shared: tuple[TrackRequest, Sequence[Scorer]]) -> Sequence[_Result]:
    """What `_attempt` gives on a worker; relative paths are of the ``folder`` of who sent the work."""
    with relative_to(folder):
        results = _attempt(source, shared)
    return [_of_worker(result) if isinstance(result, Unreadable) else result for result in results]


def _of_worker(error: Unreadable) -> DataError:
    remedy = "all workers have to see the files under the same names"
    return DataError(f"a worker of the cluster: {error.what}; {remedy}", path=error.path)


def _attempt(source: Source, shared: tuple[TrackRequest, Sequence[Scorer]]) -> Sequence[_Result]:
    """The scores of a file under each scorer, or the file's error; a `_Fault` where the file is not to blame."""
    request, scorers = shared
    topics = frozenset[str]().union(*(scorer.topics for scorer in scorers))
    content = _caught(source.path, partial(_read, source, request, topics))
    if isinstance(content, Run) and request.ignore_identical_ids:
        content = _caught(source.path, content.without_own_results)
    if not isinstance(content, Run):
        return [content] * len(scorers)
    left_out = source.left_out if isinstance(source, LoadedSource) else ""
    return [_caught(source.path, partial(_evaluated, content, scorer, left_out)) for scorer in scorers]


def _caught(path: str, work: Callable[[], Content]) -> Content | DataError | _Fault:
    """The result of the work on a file, or the file's error; a `_Fault` where the file is not to blame."""
    try:
        with errors.reading(path):
            return work()
    except BiasVarError as error:
        return error if isinstance(error, DataError) else _Fault(error)


def _read(source: Source, request: TrackRequest, topics: Collection[str]) -> Run | ScoreFile | Literal["qrels"]:
    """The run or the scores in a file; ``qrels`` for a file shaped like them. ``topics`` are those that are judged."""
    if isinstance(source, LoadedSource):
        return source.content
    data = read_bytes(source.path, max_size=request.max_size)
    kind, data, doubt = recognised(data, source.path, request.orient, topics, named=source.path in request.inputs)
    if kind == "qrels":
        return "qrels"
    if kind == "run":
        return parse_run(data, source.path, name=source.name, name_by=request.name_by).with_oddities(doubt)
    if kind is None:
        raise NotInput(unrecognised(data), path=source.path)
    names = tuple(spelled_names(request.measures))
    options = tables.ScoreOptions(request.orient, request.id_column, names, request.allow_range)
    try:
        return parse_scores(data, source.path, kind, options, name=source.name, name_by=request.name_by)
    except DataError as error:
        raise error if isinstance(error, NotInput) else _NoScores.of(error) from None


def _evaluated(run: Run, scorer: Scorer, left_out: str = "") -> RunScores | _Fault | None:
    """The scores of a run, None where there are no good qrels, a fault where there can be no evaluator.

    Raises `DataError` where none of its ids is judged and columns of ids were ``left_out``, of the run or of the qrels.
    """
    if scorer.qrels_error:
        return None
    try:
        evaluator = scorer.evaluator()
    except BiasVarError as error:
        return _Fault(error)
    doubtful = "; ".join(filter(None, (left_out, scorer.left_out)))
    try:
        scores = evaluator.evaluate(run)
    except NoCommonTopic as error:
        if not doubtful:
            raise
        raise DataError.of(error, f"; {doubtful}") from None
    if scores.unjudged and doubtful:
        raise DataError(f"{none_judged(str(scorer.request.qrels))}: {scores.unjudged}; {doubtful}", path=run.path)
    return scores


class Scorer:
    """Makes an evaluator when the first run needs one: score files need none, whatever their measures.

    ``queries`` are those that the qrels allow, None without good qrels, and ``topics`` all that they judge.
    ``qrels_error`` is what is wrong with the qrels; the runs are read all the same, for errors of their own. ``qrels``
    are judgments in memory, in place of the file that the request names, ``left_out`` which of their columns were left
    out.
    """

    def __init__(self, request: TrackRequest, qrels: Qrels | None = None, left_out: str = "") -> None:
        self.left_out = left_out
        self.qrels_error: DataError | None = None
        self.queries: tuple[str, ...] | None = None
        self.request = request
        self._qrels: Qrels | None = None
        try:
            self._qrels, self.queries = _judged(request, qrels)
        except DataError as error:
            self.qrels_error = error
        self.topics = frozenset(self._qrels.topics if self._qrels is not None else ())
        self._made: Evaluator | None = None
        self._lock = threading.Lock()

    def evaluator(self) -> Evaluator:
        """The evaluator for the measures asked for; raises why there can be none."""
        with self._lock:
            self._made = self._made or self._make()
            return self._made

    def ideal(self, measure: ir_measures.Measure, queries: Sequence[str]) -> FloatArray:
        """The ideal ranking's score on these queries, shape (n_queries,)."""
        evaluator = self._made if self._made is not None and measure in self._made.measures else self._make(measure)
        return evaluator.ideal(measure)[[evaluator.queries.index(query) for query in queries]]

    def require_judged(self, runs: Sequence[RunScores]) -> None:
        """Raise `DataError`, or warn, where so few of the first documents are judged that the qrels may be others."""
        if self._qrels is None:
            return
        doubt = coverage.doubt(self._qrels, [run.coverage for run in runs])
        if doubt is not None and doubt.level == "error" and not self.request.allow_unjudged:
            raise DataError(doubt.what)
        if doubt is not None:
            warn(doubt.what.partition("?")[0] + "?")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_made": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def _make(self, measure: ir_measures.Measure | None = None) -> Evaluator:
        request = self.request
        if self._qrels is None:
            raise errors.MissingQrels
        return Evaluator(
            self._qrels,
            [measure] if measure is not None else parse_measures(request.run_measures),
            keep_empty=request.keep_empty_topics,
            precision=request.tie_precision,
            max_grade=request.max_grade,
            documents=request.documents,
        )


def _judged(request: TrackRequest, qrels: Qrels | None) -> tuple[Qrels | None, tuple[str, ...] | None]:
    """The qrels and the queries that they allow, None without -q; warns of topics without a relevant document."""
    if request.qrels is None:
        if request.keep_empty_topics:
            raise UsageError(f"{argument(keep_empty_topics=True)} needs {argument('qrels QRELS')}")
        return None, None
    with errors.reading(request.qrels):
        qrels = qrels or read_qrels(request.qrels, max_size=request.max_size)
    errors.warn_oddities(qrels.oddities)
    queries = judged_queries(qrels, keep_empty=request.keep_empty_topics)
    empty = natural_order(set(qrels.topics) - set(queries))
    if empty:
        what = f"{counted(len(empty), 'judged topic')} without a relevant document left out"
        warn(f"{what} ({argument(keep_empty_topics=True)} keeps them): {examples(empty)}")
    return qrels, queries
