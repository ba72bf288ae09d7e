"""The target or baseline that a specification asks for: from the runs, from the qrels, or from a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, assert_never

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, in_order, out_of_range
from biasvar_cli.decomposition import decompose
from biasvar_cli.decomposition.decompose import TargetedScores, VirtualTarget
from biasvar_cli.errors import DataError, UsageError, full_name, warn
from biasvar_cli.measures import COUNTS, maximum_is_one, range_words, value_range
from biasvar_cli.readers.maps import read_target
from biasvar_cli.score_matrix import LogTransform, ScoreMatrix, negated
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs.baselines import WORDS, BaselineKind, BaselineSpec
from biasvar_cli.specs.requests import TargetedRequest
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.words import QUERY, RUN, Better, argument, counted, either, examples

Request = TypeVar("Request", bound=TargetedRequest)


def targeted_track(track: Track, request: TargetedRequest) -> Iterator[tuple[Scored, TargetedScores]]:
    """The scores under each measure of a track, against each target of a request; raises what `make_target` raises."""
    transform = log_transform(request)
    for scored in track.scored:
        for spec in request.targets:
            yield scored, targeted_scores(scored, spec, transform)


class AnswerOfScores:
    """The base of answers about the scores of the listed runs under one measure."""

    @property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs, or their logarithms."""
        raise NotImplementedError

    @property
    def measure(self) -> str | None:
        """The measure, by ir-measures' name; None if it is not known."""
        return self.scores.measure

    @property
    def better(self) -> Better:
        """Whether more or less of the measure is better."""
        return self.scores.better

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, in the order of the files."""
        return self.scores.runs

    @property
    def n_runs(self) -> int:
        return self.scores.n_runs

    @property
    def n_queries(self) -> int:
        return self.scores.n_queries

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters that the queries are in; None where they are independent."""
        return self.scores.n_clusters


@dataclass(frozen=True, eq=False)
class TargetedAnswer(AnswerOfScores, Generic[Request]):
    """The base of answers about a target: the scores under one measure, or their logarithms, and the target."""

    request: Request
    scored: Scored
    targeted: TargetedScores

    @property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs, or their logarithms."""
        return self.targeted.scores

    @property
    def target(self) -> VirtualTarget:
        """The virtual target."""
        return self.targeted.target


def log_transform(request: TargetedRequest) -> LogTransform | None:
    """The logarithms that a request asks for; None where it asks for none."""
    return None if request.log is None else LogTransform(request.log, request.eps or 1e-5)


def targeted_scores(scored: Scored, spec: TargetSpec, transform: LogTransform | None = None) -> TargetedScores:
    """The scores and the target, as they are or as logs; raises what `make_target` raises.

    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> from biasvar_cli.specs.targets import parse_target
    >>> runs = ScoreMatrix(np.array([[1.0, 1.0]]), ("A",), ("q1", "q2"), "AP")
    >>> logs = targeted_scores(Scored(runs, runs, None, None), parse_target("run:A"), LogTransform("floor", 1e-5))
    >>> logs.scores.measure, logs.target.mean
    ('log(AP)', 0.0)
    """
    target = make_target(spec, scored)
    if transform is None:
        return TargetedScores(scored.scores, scored.pool, target)
    logs = replace(scored, scores=transform.matrix(scored.scores), pool=transform.matrix(scored.pool))
    if scored.pool.replicates is not None and spec.form.of_runs is not None:
        target = make_target(spec, logs)  # of the systems' mean logs, which are not the logs of their means
    else:
        target = decompose.log_target(target, transform)
    return TargetedScores(logs.scores, logs.pool, target, logs=True)


def make_target(spec: TargetSpec, scored: Scored) -> VirtualTarget:
    """The target of a specification.

    Raises `UsageError` for a target that the measure or the input does not allow, `DataError` for a run or a query
    that is not there or has a score that the measure cannot have; issues a `DataWarning` where the target is not what
    it may seem.

    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> from biasvar_cli.specs.targets import parse_target
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> scored = Scored(runs, runs, None, lambda: np.array([1.0, 0.5]))
    >>> make_target(parse_target("run:T"), scored).scores.tolist(), make_target(parse_target("ideal"), scored).mean
    ([0.7, 0.2], 0.75)
    """
    pool = scored.pool
    match spec.kind:
        case "best":
            return decompose.best_of_runs(pool, spec)
        case "run":
            return decompose.run_target(pool, str(spec.name))
        case "mean":
            assert spec.number is not None
            if _beyond(pool.in_unit, np.array([spec.number])).any():
                raise UsageError(f"{argument(target=f'mean:{spec.number:g}')}: {range_words(str(pool.measure))}")
            return decompose.mean_target(spec.number, spec).oriented(pool.better)
        case "file":
            scores = from_file(str(spec.name), pool)
        case "perfect":
            scores = perfect(scored)
        case "ideal":
            scores = ideal(scored)
        case _:
            assert_never(spec.kind)
    return VirtualTarget.of(spec, scores, 0).oriented(pool.better)


def _bounds(scores: ScoreMatrix) -> tuple[float, float] | None:
    """The least and the largest score that the measure can have, None where they are not known."""
    return None if scores.measure is None else value_range(scores.measure)


def utility_range(scores: ScoreMatrix) -> tuple[float, float] | None:
    """The least and the largest utility that the measure can have, None where they are not known.

    >>> runs = ScoreMatrix(np.array([[2.0]]), ("A",), ("q1",), "ESL")
    >>> utility_range(runs), utility_range(runs.oriented("less"))
    ((0.0, inf), (-inf, 0.0))
    """
    bounds = _bounds(scores)
    if bounds is None or scores.better == "more":
        return bounds
    return 0.0 - bounds[1], 0.0 - bounds[0]


def _beyond(scores: ScoreMatrix, target: FloatArray) -> BoolArray:
    """Where a target is beyond the range of the measure; nowhere if allowed scores of the runs are beyond it too."""
    bounds = _bounds(scores)
    if bounds is None or out_of_range(scores.of_single_runs, bounds).any():
        return np.zeros(target.shape, dtype=bool)
    return out_of_range(target, bounds)


def perfect(scored: Scored) -> FloatArray:
    """A score of 1 on every query (SIGIR'13 section 2.5, setting 1), shape (n_queries,), in the unit of the measure.

    Where less is better it is the least score. Raises `UsageError` for counts and for a measure without a least score;
    warns where the measure's maximum is not 1, or not known to be.
    """
    matrix, measure = scored.pool, scored.measure
    if matrix.better == "less":
        return _least(matrix, "perfect")
    if measure is not None and measure.NAME in COUNTS:
        raise UsageError(f"{argument(target='perfect')} is not defined for {measure}, which is a count")
    if measure is None:
        warn(f"{argument(target='perfect')} assumes that {matrix.measure or 'the unknown measure'} has a maximum of 1")
    elif not maximum_is_one(measure):
        remedy = f"{argument(target='ideal')} is within reach"
        warn(f"{argument(target='perfect')}: no {RUN} can score 1 everywhere under {measure}; {remedy}")
    above = int((matrix.of_single_runs > 1).sum())
    if above:
        warn(f"{argument(target='perfect')}: {counted(above, 'score')} above 1")
    return np.ones(matrix.n_queries)


def _least(scores: ScoreMatrix, target: str) -> FloatArray:
    """The least score that a measure can have on every query, (n_queries,). Raises `UsageError` where there is none."""
    least, _ = _bounds(scores) or (-np.inf, np.inf)
    if not np.isfinite(least):
        measure = scores.measure or "the measure"
        what = f"less of {measure} is better, and its least value is not known; give one as {argument(target='mean:X')}"
        raise UsageError(f"{argument(target=target)}: {what}")
    return np.full(scores.n_queries, least)


def ideal(scored: Scored) -> FloatArray:
    """The score of each query's relevant documents alone in order of grade, (n_queries,): the best within reach.

    Where less is better it is the least score. Raises `UsageError` where there is none, where there are no qrels and
    where the measure is not known.

    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> ideal(Scored(runs, runs, None, lambda: np.array([1.0, 0.5]))).tolist()
    [1.0, 0.5]
    """
    if scored.pool.better == "less":
        return _least(scored.pool, "ideal")
    if scored.ideal is None:
        needs = either("qrels (-q) and a measure of ir-measures (-m)", "qrels and a measure of ir-measures")
        raise UsageError(f"{argument(target='ideal')} needs {needs}")
    return scored.ideal()


def from_file(path: str, pool: ScoreMatrix) -> FloatArray:
    """The scores in a csv with the columns query_id and score, in the order of the pool's queries, shape (n_queries,).

    They are in the unit of the measure.
    Raises `DataError` for a query that it lacks, for a score that the measure cannot have, and for a score of another
    measure, where the file has a column ``measure``; queries of the file that are not evaluated are left out with a
    warning.
    """
    by_query = read_target(path, pool.measure)
    missing = [query for query in pool.queries if query not in by_query]
    if missing:
        raise DataError(f"no score for {counted(len(missing), 'query')}: {examples(missing)}", path=path)
    extra = len(by_query) - pool.n_queries
    if extra:
        warn(f"{path}: {counted(extra, 'query')} outside the evaluated ones left out")
    scores = np.array([by_query[query] for query in pool.queries])
    beyond = np.flatnonzero(_beyond(pool.in_unit, scores))
    if len(beyond):
        query, value = pool.queries[beyond[0]], scores[beyond[0]]
        what = f"the score of {QUERY} {query} is {value:.10g}, but {range_words(str(pool.measure))}"
        raise DataError(f"{what}; divide percentages by 100", path=path)
    return scores


@dataclass(frozen=True, eq=False)
class Baseline:
    """The score of each query that runs are compared with, shape (n_queries,).

    ``run`` is the run that it is, None if it is none; ``n_pool`` the number of runs that it was made from, 0 if none.
    The scores are utilities, as in a `ScoreMatrix`: where less of the measure is ``better``, they have their sign
    changed.
    """

    spec: BaselineSpec
    scores: FloatArray
    n_pool: int
    run: str | None = None
    better: Better = "more"

    def oriented(self, better: Better) -> Baseline:
        """The same baseline where more or less is better: with the other sign if that changes."""
        return self if better == self.better else replace(self, scores=negated(self.scores), better=better)

    @property
    def in_unit(self) -> Baseline:
        """The baseline with its scores as the measure has them, whichever are better."""
        return self.oriented("more")

    @property
    def kind(self) -> BaselineKind:
        """The kind of the baseline: ``run`` for ``top`` too."""
        return self.spec.kind if self.run is None else "run"

    @property
    def label(self) -> str:
        """The baseline as it was typed."""
        return self.spec.text

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def var(self) -> float:
        """The population variance of the baseline's scores."""
        return float(np.var(self.scores, ddof=0))


def make_baseline(spec: BaselineSpec, scored: Scored) -> Baseline:
    """The baseline of a specification; the compared run counts for ``mean`` and ``median`` of the pool.

    ``top`` is the run of the pool with the best mean, of equal ones the first by name. The mean over runs of each query
    is the unbiased baseline of Dinçer, Ounis and Macdonald (ECIR 2014). Raises `DataError` for a run that is not there,
    and for a file without a score for every query, or with one that the measure cannot have.

    >>> from biasvar_cli.specs.baselines import parse_baseline
    >>> values = np.array([[0.30, 0.10, 0.50, 0.20], [0.60, 0.08, 0.50, 0.10], [0.45, 0.20, 0.10, 0.25]])
    >>> runs = ScoreMatrix(values, ("r1", "r2", "r3"), ("q1", "q2", "q3", "q4"), "AP")
    >>> scored = Scored(runs, runs, None, None)
    >>> make_baseline(parse_baseline("median"), scored).scores.tolist()
    [0.45, 0.1, 0.5, 0.2]
    >>> top = make_baseline(parse_baseline("top"), scored)
    >>> top.run, top.kind, top.label
    ('r2', 'run', 'top')
    """
    pool = scored.pool
    match spec.kind:
        case "run":
            typed = str(spec.name)
            words = WORDS if spec.text == typed else ()
            name = full_name(argument(baseline=spec.text), typed, pool.runs, words=words)
            named = spec._replace(text=spec.text.removesuffix(typed) + name, name=name)
            return Baseline(named, with_listed_rows(scored).row(name), 1, name, pool.better)
        case "top":
            rows = with_listed_rows(scored)
            name = best_run(rows)
            return Baseline(spec, rows.row(name), 1, name, pool.better)
        case "file":
            return Baseline(spec, from_file(str(spec.name), pool), 0).oriented(pool.better)
        case "mean":
            scores = pool.values.mean(axis=0)
        case "median":
            scores = np.median(pool.values, axis=0)
        case "best":
            scores = pool.values.max(axis=0)
        case _:
            assert_never(spec.kind)
    return Baseline(spec, scores, pool.n_runs, better=pool.better)


def with_listed_rows(scored: Scored) -> ScoreMatrix:
    """The pool, in which a listed system is the mean of its listed replicates: others count for the target alone."""
    pool, listed = scored.pool, scored.scores
    if pool.replicates is None or listed.replicates is None:
        return pool
    rows = [listed.row(name) if name in listed.runs else pool.row(name) for name in pool.runs]
    members = {**pool.replicates.members, **listed.replicates.members}
    runs = pool.replicates.runs.select([run for name in pool.runs for run in members[name]])
    return replace(pool, values=np.array(rows), replicates=replace(pool.replicates, runs=runs))


def listed_run(spec: BaselineSpec, scores: ScoreMatrix) -> str:
    """The run that others are compared with: the one named, or for ``top`` that of the best mean.

    Raises `DataError` for a run that is not listed.

    >>> runs = ScoreMatrix(np.array([[0.1, 0.3], [0.2, 0.3]]), ("r1", "r2"), ("q1", "q2"), "AP")
    >>> [listed_run(BaselineSpec(*baseline), runs) for baseline in (("top", "top"), ("run", "r1", "r1"))]
    ['r2', 'r1']
    """
    if spec.kind == "top":
        return best_run(scores)
    words = ("top",) if spec.text == spec.name else ()
    return full_name(argument(baseline=spec.text), str(spec.name), scores.runs, words=words)


def best_run(scores: ScoreMatrix) -> str:
    """The run with the best mean, of equal ones the first by name.

    >>> best_run(ScoreMatrix(np.array([[0.1, 0.3], [0.1, 0.2], [0.2, 0.2]]), ("b", "c", "a"), ("q1", "q2"), "AP"))
    'a'
    """
    return scores.runs[in_order(-scores.values.mean(axis=1), scores.runs)[0]]
