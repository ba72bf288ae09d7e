"""ScoreMatrix: the scores of runs on queries under one measure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.words import QUERY, LogForm, argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LARGEST = 1e100  # a score beyond that has no square that a sum could hold


def natural_order(ids: Iterable[str]) -> list[str]:
    """Ids in natural order: as numbers if all of them are numbers, else as text.

    >>> natural_order(["10", "9", "101"])
    ['9', '10', '101']
    >>> natural_order(["q10", "q9"])
    ['q10', 'q9']
    """
    names = list(ids)
    if all(name.isascii() and name.isdigit() and len(name) < 19 for name in names):
        return sorted(names, key=lambda name: (int(name), name))
    return sorted(names)


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of runs on queries under one measure; cannot be built with a hole or a non-finite value in it.

    ``values`` has the shape (n_runs, n_queries), in the measure's own unit, and is read-only; ``runs`` and
    ``queries`` name its rows and columns, each name once; ``measure`` is a name, or None where it is not known.

    Raises `DataError` for a name used twice, no run, no query, or a score that is not finite.

    >>> matrix = ScoreMatrix(np.array([[0.3, 0.1], [0.6, 0.08]]), ("A", "B"), ("q1", "q2"), "AP")
    >>> matrix.n_runs, matrix.n_queries
    (2, 2)
    >>> matrix.row("B")
    array([0.6 , 0.08])
    """

    values: FloatArray
    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measure: str | None

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        assert values.shape == (len(self.runs), len(self.queries)), f"one row per run, one column per {QUERY}"
        if not self.runs:
            raise DataError("there is no run to evaluate")
        if not self.queries:
            raise DataError(f"there is no {QUERY} to evaluate on")
        for what, names in (("run", self.runs), (QUERY, self.queries)):
            if len(set(names)) < len(names):
                raise DataError(f"{what} {_repeated(names)} occurs more than once")
        if not np.isfinite(values).all():
            run, query = np.argwhere(~np.isfinite(values))[0]
            raise DataError(
                f"the score of run {self.runs[run]} on {QUERY} {self.queries[query]} is {values[run, query]}, "
                "not a finite number"
            )
        if np.abs(values).max() > LARGEST:
            run, query = np.argwhere(np.abs(values) > LARGEST)[0]
            raise DataError(
                f"the score of run {self.runs[run]} on {QUERY} {self.queries[query]} is {values[run, query]:g}, "
                "too large to square"
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    @property
    def n_queries(self) -> int:
        return len(self.queries)

    def row(self, run: str) -> FloatArray:
        """The scores of one run, shape (n_queries,). Raises KeyError if there is no such run."""
        if run not in self.runs:
            raise KeyError(run)
        row: FloatArray = self.values[self.runs.index(run)]
        return row

    def select(self, runs: Sequence[str]) -> ScoreMatrix:
        """The rows of these runs, in this order.

        >>> ScoreMatrix(np.eye(2), ("A", "B"), ("q1", "q2"), None).select(["B"]).values
        array([[0., 1.]])
        """
        place = {run: index for index, run in enumerate(self.runs)}
        return replace(self, values=self.values[[place[run] for run in runs]], runs=tuple(runs))

    def map(self, values: FloatArray, measure: str | None) -> ScoreMatrix:
        """The same runs and queries with other values, of the same shape, under another measure's name."""
        return replace(self, values=values, measure=measure)


@dataclass(frozen=True)
class LogTransform:
    """Natural logs of scores: ln max(s, eps) as ``floor`` (trec_eval's gm_map), ln(s + eps) as ``add`` (Robertson).

    The mean of ln AP over queries is the log of GMAP (IPM'14, conclusion).

    >>> LogTransform("floor", 1e-5)(np.array([0.3, 0.0])).round(6).tolist()
    [-1.203973, -11.512925]
    >>> LogTransform("add", 0.1)(np.array([0.9])).round(6).tolist()
    [0.0]
    """

    form: LogForm
    eps: float

    def __call__(self, values: FloatArray) -> FloatArray:
        """The logs of scores of any shape. Raises `DataError` for a negative score."""
        if (values < 0).any():
            raise DataError(f"{argument('log')} needs scores of at least 0, found {values.min():g}")
        logs: FloatArray = np.log(np.maximum(values, self.eps) if self.form == "floor" else values + self.eps)
        return logs

    def with_eps(self, eps: float) -> LogTransform:
        """The same form with another constant."""
        return replace(self, eps=eps)

    def matrix(self, scores: ScoreMatrix) -> ScoreMatrix:
        """The logs of a whole matrix, under the name log(MEASURE)."""
        return scores.map(self(scores.values), f"log({scores.measure or 'unknown measure'})")


def _repeated(names: Sequence[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)
