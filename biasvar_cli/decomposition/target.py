"""Virtual targets: the scores that runs are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from biasvar_cli.errors import DataError, UsageError, absent_run, counted, warn
from biasvar_cli.measures import COUNTS, maximum_is_one
from biasvar_cli.readers.maps import read_target
from biasvar_cli.scores import LARGEST, FloatArray, LogTransform, ScoreMatrix
from biasvar_cli.scoring.track import Scored

Kind = Literal["best", "perfect", "ideal", "run", "mean", "file"]


@dataclass(frozen=True, eq=False)
class VirtualTarget:
    """The target's score per query, shape (n_queries,), or None where only its mean is given.

    ``label`` is the target as the user asks for it; ``n_pool`` the number of runs it was made from, 0 if none.
    """

    kind: Kind
    label: str
    mean: float
    scores: FloatArray | None
    n_pool: int

    def __post_init__(self) -> None:
        highest = max(abs(self.mean), 0.0 if self.scores is None else float(np.abs(self.scores).max()))
        if highest > LARGEST:
            raise DataError(f"the target {self.label} has a score of {highest:g}, too large to square")

    @property
    def var(self) -> float:
        """The population variance of the target's scores, which is the total of its own row; nan if unknown."""
        return float("nan") if self.scores is None else float(np.var(self.scores, ddof=0))


@dataclass(frozen=True, eq=False)
class Aim:
    """Scores with what they are measured against: the listed runs, the pool's, and the target, on the same queries.

    ``logs`` says that all of them are logarithms of scores.
    """

    scores: ScoreMatrix
    pool: ScoreMatrix
    target: VirtualTarget
    logs: bool = False


def aim(scored: Scored, spec: str, transform: LogTransform | None = None) -> Aim:
    """The scores and the target that ``spec`` asks for, as they are or as logs; raises what `make_target` raises.

    >>> from biasvar_cli.scoring.track import Scored
    >>> runs = ScoreMatrix(np.array([[1.0, 1.0]]), ("A",), ("q1", "q2"), "AP")
    >>> logs = aim(Scored(runs, runs, None, None), "run:A", LogTransform("floor", 1e-5))
    >>> logs.scores.measure, logs.target.mean
    ('log(AP)', 0.0)
    """
    target = make_target(spec, scored)
    if transform is None:
        return Aim(scored.scores, scored.pool, target)
    return Aim(transform.matrix(scored.scores), transform.matrix(scored.pool), log_target(target, transform), logs=True)


def make_target(spec: str, scored: Scored) -> VirtualTarget:
    """The target that ``spec`` asks for: best, best:Q, perfect, ideal, run:NAME, mean:X or file:PATH.

    Raises `UsageError` for a spec that cannot be read or that the measure does not allow, `DataError` for a run or a
    query that is not there; tells `DataWarning` where the target is not what it may seem.

    >>> from biasvar_cli.scoring.track import Scored
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> scored = Scored(runs, runs, None, lambda: np.array([1.0, 0.5]))
    >>> make_target("run:T", scored).scores.tolist(), make_target("mean:0.45", scored).mean
    ([0.7, 0.2], 0.45)
    """
    kind, _, argument = spec.partition(":")
    if kind == "best":
        target = best_of_runs(scored.pool, quantile=_number(spec, argument, 0, 1) if ":" in spec else None)
    elif spec == "perfect":
        target = perfect(scored)
    elif spec == "ideal":
        target = ideal(scored)
    elif kind == "run" and argument:
        target = run_target(scored.pool, argument)
    elif kind == "mean":
        target = given_mean(_number(spec, argument, -np.inf, np.inf))
    elif kind == "file" and argument:
        target = from_file(argument, scored.pool.queries)
    else:
        raise UsageError(
            f"unknown target {spec!r}; it is one of best, best:Q, perfect, ideal, run:NAME, mean:X, file:PATH"
        )
    return replace(target, label=spec)


def best_of_runs(pool: ScoreMatrix, *, quantile: float | None = None) -> VirtualTarget:
    """The best score of each query over the pool (SIGIR'13, CIKM'14), or a quantile of the pool's scores.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.2, 0.4]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> best_of_runs(runs).scores.tolist()
    [0.3, 0.4]
    """
    if pool.n_runs == 1:
        warn(f"the pool is one run: the target equals {pool.runs[0]}, and its bias is 0")
    scores = pool.values.max(axis=0) if quantile is None else np.quantile(pool.values, quantile, axis=0)
    return _of("best", scores, pool.n_runs)


def perfect(scored: Scored) -> VirtualTarget:
    """A score of 1 on every query (SIGIR'13 section 2.5, setting 1).

    Raises `UsageError` for counts; warns where the measure's maximum is not 1, or not known to be.
    """
    matrix, measure = scored.pool, scored.measure
    if measure is not None and measure.NAME in COUNTS:
        raise UsageError(f"--target perfect is not defined for {measure}, which is a count")
    if measure is None:
        warn(f"--target perfect assumes that {matrix.measure or 'the unknown measure'} has a maximum of 1")
    elif not maximum_is_one(measure):
        warn(f"--target perfect: no run can score 1 everywhere under {measure}; --target ideal is within reach")
    above = int((matrix.values > 1).sum())
    if above:
        warn(f"--target perfect: {counted(above, 'score')} above 1")
    return _of("perfect", np.ones(matrix.n_queries), 0)


def ideal(scored: Scored) -> VirtualTarget:
    """The score of each query's relevant documents alone in order of grade: a perfect that can be reached.

    Raises `UsageError` where there are no qrels or the measure is not known.

    >>> from biasvar_cli.scoring.track import Scored
    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> scored = Scored(runs, runs, None, lambda: np.array([1.0, 0.5]))
    >>> ideal(scored).mean
    0.75
    """
    if scored.ideal is None:
        raise UsageError("--target ideal needs qrels (-q) and a measure of ir-measures (-m)")
    return _of("ideal", scored.ideal(), 0)


def run_target(pool: ScoreMatrix, name: str) -> VirtualTarget:
    """The scores of one run, which may be beaten on single queries and on the mean. Raises `DataError` if absent.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> run_target(runs, "T").scores.tolist()
    [0.7, 0.2]
    """
    if name not in pool.runs:
        raise absent_run(f"--target run:{name}", name, pool.runs)
    return _of("run", pool.row(name), 1)


def given_mean(mean: float) -> VirtualTarget:
    """A target of which only the mean is known: it has no gap form and no variance.

    >>> given_mean(0.45).mean, given_mean(0.45).scores
    (0.45, None)
    """
    return VirtualTarget("mean", f"mean:{mean:g}", mean, None, 0)


def from_file(path: str, queries: Sequence[str]) -> VirtualTarget:
    """Scores from a csv with the columns query_id and score. Raises `DataError` for a query that it lacks."""
    held = read_target(path)
    missing = [query for query in queries if query not in held]
    if missing:
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise DataError(f"no score for {counted(len(missing), 'query')}: {shown}", path=path)
    extra = len(held) - len(queries)
    if extra:
        warn(f"{path}: {counted(extra, 'query')} outside the evaluated ones left out")
    return _of("file", np.array([held[query] for query in queries]), 0)


def log_target(target: VirtualTarget, transform: LogTransform) -> VirtualTarget:
    """The target's scores as logs; the maximum over runs and the log commute, so best stays best.

    Raises `UsageError` for a target that is a mean alone, from which no mean of logs follows.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> target = log_target(run_target(runs, "T"), LogTransform("floor", 1e-5))
    >>> round(float(np.exp(target.mean)), 6)  # the geometric mean
    0.374166
    """
    if target.scores is None:
        raise UsageError(f"--log needs the target's score per query; {target.label} is a mean alone")
    scores = transform(target.scores)
    return replace(target, scores=scores, mean=float(scores.mean()))


def _of(kind: Kind, scores: FloatArray, n_pool: int) -> VirtualTarget:
    return VirtualTarget(kind, kind, float(scores.mean()), scores, n_pool)


def _number(spec: str, text: str, least: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (np.isfinite(value) and least <= value <= most):
        between = f" from {least:g} to {most:g}" if np.isfinite(least) else ""
        raise UsageError(f"target {spec!r}: expected a number{between} after the colon, found {text!r}")
    return value
