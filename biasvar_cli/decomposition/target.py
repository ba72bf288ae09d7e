"""The virtual target, the scores that runs are measured against, and those targets that follow from scores alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError, UsageError, absent_run, warn
from biasvar_cli.scores import LARGEST, LogTransform, ScoreMatrix
from biasvar_cli.specs import BEST, TargetKind, TargetSpec
from biasvar_cli.words import counted


@dataclass(frozen=True, eq=False)
class VirtualTarget:
    """The target's score per query, shape (n_queries,), or None where only its mean is given.

    ``spec`` is the target as asked for; ``n_pool`` the number of runs it was made from, 0 if none. ``n_drawn`` is None,
    or how many runs drawn from the pool the scores are the expected best of.
    """

    spec: TargetSpec
    mean: float
    scores: FloatArray | None
    n_pool: int
    n_drawn: int | None = None

    def __post_init__(self) -> None:
        highest = max(abs(self.mean), 0.0 if self.scores is None else float(np.abs(self.scores).max()))
        if highest > LARGEST:
            raise DataError(f"the target {self.label} has a score of {highest:g}, too large to square")

    def __repr__(self) -> str:
        made = f", of {counted(self.n_pool, 'run')}" if self.n_pool else ""
        return f"VirtualTarget({self.label}, mean {self.mean:.4f}{made})"

    @classmethod
    def of(cls, spec: TargetSpec, scores: FloatArray, n_pool: int) -> VirtualTarget:
        """A target with these scores."""
        return cls(spec, float(scores.mean()), scores, n_pool)

    @property
    def kind(self) -> TargetKind:
        return self.spec.kind

    @property
    def label(self) -> str:
        """The target in a few words: as it was typed, but for an expected best."""
        return self.spec.text if self.n_drawn is None else f"expected best of {counted(self.n_drawn, 'run')}"

    @property
    def is_best(self) -> bool:
        """Whether it is the best score of each query over the pool, neither a quantile nor an expected best."""
        return self.spec == BEST and self.n_drawn is None

    @property
    def var(self) -> float:
        """The population variance of the target's scores, which is the total of its own row; nan if unknown."""
        return float("nan") if self.scores is None else float(np.var(self.scores, ddof=0))


@dataclass(frozen=True, eq=False)
class TargetedScores:
    """Scores with what they are measured against: the listed runs, the pool's, and the target, on the same queries.

    ``logs`` says that all of them are logarithms of scores.
    """

    scores: ScoreMatrix
    pool: ScoreMatrix
    target: VirtualTarget
    logs: bool = False


def best_of_runs(pool: ScoreMatrix, spec: TargetSpec = BEST) -> VirtualTarget:
    """The best score of each query over the pool (SIGIR'13, CIKM'14), or with a number the quantile of its scores.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.2, 0.4]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> best_of_runs(runs).scores.tolist()
    [0.3, 0.4]
    """
    if pool.n_runs == 1:
        warn(f"the pool is one run: the target equals {pool.runs[0]}, and its bias is 0")
    scores = pool.values.max(axis=0) if spec.number is None else np.quantile(pool.values, spec.number, axis=0)
    return VirtualTarget.of(spec, scores, pool.n_runs)


def run_target(pool: ScoreMatrix, name: str) -> VirtualTarget:
    """The scores of one run, which may be beaten on single queries and on the mean. Raises `DataError` if absent.

    >>> runs = ScoreMatrix(np.array([[0.3, 0.1], [0.7, 0.2]]), ("A", "T"), ("q1", "q2"), "AP")
    >>> run_target(runs, "T").scores.tolist()
    [0.7, 0.2]
    """
    if name not in pool.runs:
        raise absent_run(f"--target run:{name}", name, pool.runs)
    return VirtualTarget.of(TargetSpec("run", f"run:{name}", name=name), pool.row(name), 1)


def given_mean(mean: float, spec: TargetSpec | None = None) -> VirtualTarget:
    """A target of which only the mean is known: it has no gap form and no variance.

    >>> given_mean(0.45).mean, given_mean(0.45).scores
    (0.45, None)
    """
    return VirtualTarget(spec or TargetSpec("mean", f"mean:{mean:g}", number=mean), mean, None, 0)


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
