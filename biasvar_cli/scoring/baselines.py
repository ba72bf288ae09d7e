"""The baseline that runs are compared with: a run, the runs together, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.baseline_spec import WORDS, BaselineKind, BaselineSpec
from biasvar_cli.errors import absent_run
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.targets import from_file
from biasvar_cli.scoring.track import Scored


@dataclass(frozen=True, eq=False)
class Baseline:
    """The score of each query that runs are compared with, shape (n_queries,).

    ``run`` is the run that it is, None if it is none; ``n_pool`` the number of runs that it was made from, 0 if none.
    """

    spec: BaselineSpec
    scores: FloatArray
    n_pool: int
    run: str | None = None

    @property
    def kind(self) -> BaselineKind:
        """The kind of the baseline; that of ``top`` is ``run``, for a run it is."""
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


def make_baseline(spec: BaselineSpec, scored: Scored, words: Sequence[str] = WORDS) -> Baseline:
    """The baseline asked for: of the pool, for ``mean`` and ``median`` with the compared run itself among them.

    ``top`` is the run of the pool with the best mean, of equal ones the first by name. The mean over runs of each query
    is the unbiased baseline of Dinçer, Ounis and Macdonald (ECIR 2014). Raises `DataError` for a run that is not there,
    and for a file without a score for every query, or with one that the measure cannot have. ``words`` are what may be
    meant by a name that is no run's.

    >>> from biasvar_cli.baseline_spec import parse_baseline
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
            if spec.name not in pool.runs:
                bare = spec.text == spec.name
                raise absent_run(f"--baseline {spec.text}", str(spec.name), pool.runs, words=words if bare else ())
            return Baseline(spec, pool.row(str(spec.name)), 1, spec.name)
        case "top":
            name = best_run(pool)
            return Baseline(spec, pool.row(name), 1, name)
        case "file":
            return Baseline(spec, from_file(str(spec.name), pool), 0)
        case "mean":
            scores = pool.values.mean(axis=0)
        case "median":
            scores = np.median(pool.values, axis=0)
        case "best":
            scores = pool.values.max(axis=0)
    return Baseline(spec, scores, pool.n_runs)


def listed_place(asked: str, spec: BaselineSpec, scores: ScoreMatrix) -> int:
    """The place of the run that others are compared with pair by pair: the one named, or for ``top`` the best listed.

    Raises `DataError` that begins with what was ``asked`` for a run that is not listed.

    >>> runs = ScoreMatrix(np.array([[0.1, 0.3], [0.2, 0.3]]), ("r1", "r2"), ("q1", "q2"), "AP")
    >>> [listed_place("--baseline", BaselineSpec(*each), runs) for each in (("top", "top"), ("run", "r1", "r1"))]
    [1, 0]
    """
    assert spec.kind in ("run", "top"), "pairs of runs are compared"
    name = best_run(scores) if spec.kind == "top" else str(spec.name)
    if name not in scores.runs:
        raise absent_run(asked, name, scores.runs, words=("top",) if spec.text == name else ())
    return scores.runs.index(name)


def best_run(scores: ScoreMatrix) -> str:
    """The run with the best mean, of equal ones the first by name.

    >>> best_run(ScoreMatrix(np.array([[0.1, 0.3], [0.1, 0.2], [0.2, 0.2]]), ("b", "c", "a"), ("q1", "q2"), "AP"))
    'a'
    """
    means = equalised(scores.values.mean(axis=1)).tolist()
    return min(zip(scores.runs, means, strict=True), key=lambda each: (-each[1], each[0]))[0]
