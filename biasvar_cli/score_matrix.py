"""ScoreMatrix: the scores of runs on queries under one measure, and the replicates of systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.errors import DataError
from biasvar_cli.words import QUERY, Better, LogForm, RunName, argument

LARGEST = 1e100  # a score beyond that has no square that a sum could hold


def negated(values: FloatArray) -> FloatArray:
    """Scores with their sign changed, of any shape; 0 stays 0 and does not become -0.

    >>> negated(np.array([0.0, 2.5])).tolist()
    [0.0, -2.5]
    """
    return 0.0 - values


def in_unit(value: float, better: Better) -> float:
    """A utility as a score of the measure, more or less of which is better.

    >>> in_unit(-2.5, "less"), in_unit(-2.5, "more")
    (2.5, -2.5)
    """
    return value if better == "more" else 0.0 - value


def in_unit_ends(low: float, high: float, better: Better) -> tuple[float, float]:
    """The lower and the upper end of an interval of utilities as scores of the measure.

    >>> in_unit_ends(-3.0, -1.0, "less")
    (1.0, 3.0)
    """
    return (low, high) if better == "more" else (0.0 - high, 0.0 - low)


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

    ``values`` has the shape (n_runs, n_queries) and is read-only; ``runs`` and ``queries`` name its rows and columns,
    each name once; ``measure`` is a name, or None where it is not known. ``values`` are utilities, of which more is
    always better: where less of the measure is ``better``, they are the scores with their sign changed, and ``in_unit``
    has the scores themselves (docs/definitions.md, "Measures of which less is better"). ``replicates`` are the runs
    that the rows are means of, where these are systems of several runs (`of_systems`). ``clusters`` say which queries
    belong together, None where all are independent.

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
    replicates: Replicates | None = None
    better: Better = "more"
    clusters: Clusters | None = None

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        assert values.shape == (len(self.runs), len(self.queries)), f"one row per run, one column per {QUERY}"
        if not self.runs:
            raise DataError("there is no run to evaluate")
        if not self.queries:
            raise DataError(f"there is no {QUERY} to evaluate on")
        for what, names in (("run", self.runs), (QUERY, self.queries)):
            if len(set(names)) < len(names):
                repeated = next(name for name, count in Counter(names).items() if count > 1)
                raise DataError(f"{what} {repeated} occurs more than once")
        faults = (~np.isfinite(values), "not a finite number"), (np.abs(values) > LARGEST, "too large to square")
        for is_fault, fault in faults:
            for run, query in np.argwhere(is_fault)[:1]:
                score = f"the score of run {self.runs[run]} on {QUERY} {self.queries[query]}"
                raise DataError(f"{score} is {values[run, query]:g}, {fault}")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @classmethod
    def of_systems(cls, runs: ScoreMatrix, system_of: Mapping[str, str]) -> ScoreMatrix:
        """The mean score of each system over its replicates, in order of the names of the systems.

        ``system_of`` names the system of each run.

        >>> values = np.array([[0.3, 0.1], [0.5, 0.2], [0.4, 0.2]])
        >>> runs = ScoreMatrix(values, ("A-1", "A-2", "B"), ("q1", "q2"), "AP")
        >>> systems = ScoreMatrix.of_systems(runs, {"A-1": "A", "A-2": "A", "B": "B"})
        >>> systems.runs, systems.values.round(6).tolist()
        (('A', 'B'), [[0.4, 0.15], [0.4, 0.2]])
        """
        replicates = Replicates(runs.select(sorted(runs.runs, key=lambda run: (system_of[run], run))), system_of)
        means = replicates.mean(replicates.runs.values)
        return cls(means, replicates.systems, runs.queries, runs.measure, replicates, runs.better, runs.clusters)

    def oriented(self, better: Better) -> ScoreMatrix:
        """The same scores where more or less is better: with the other sign if that changes.

        >>> costs = ScoreMatrix(np.array([[2.0, 0.0]]), ("A",), ("q1", "q2"), "ESL").oriented("less")
        >>> costs.values.tolist(), costs.in_unit.values.tolist()
        ([[-2.0, 0.0]], [[2.0, 0.0]])
        """
        if better == self.better:
            return self
        replicates = self.replicates and replace(self.replicates, runs=self.replicates.runs.oriented(better))
        return replace(self, values=negated(self.values), replicates=replicates, better=better)

    @property
    def in_unit(self) -> ScoreMatrix:
        """The scores as the measure has them, whichever are better."""
        return self.oriented("more")

    @property
    def within(self) -> FloatArray | None:
        """The population variance of each system's replicates on each query; None where rows are runs.

        The shape is (n_runs, n_queries). It is 0 for a system of one run.
        """
        return None if self.replicates is None else self.replicates.within

    @property
    def of_single_runs(self) -> FloatArray:
        """The scores that were read: of systems those of every replicate, (n_single_runs, n_queries)."""
        return self.values if self.replicates is None else self.replicates.runs.values

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    @property
    def n_queries(self) -> int:
        return len(self.queries)

    @cached_property
    def units(self) -> Clusters:
        """What is independent: the clusters of queries, or single queries."""
        return units_of(self.n_queries, self.clusters)

    @property
    def n_clusters(self) -> int | None:
        """How many clusters there are; None where queries are independent."""
        return None if self.clusters is None else self.clusters.n

    def row(self, run: str) -> FloatArray:
        """The scores of one run, shape (n_queries,). Raises KeyError if there is no such run."""
        if run not in self.runs:
            raise KeyError(run)
        return self.values[self.runs.index(run)]

    def select(self, runs: Sequence[str]) -> ScoreMatrix:
        """The rows of these runs, in this order.

        >>> ScoreMatrix(np.eye(2), ("A", "B"), ("q1", "q2"), None).select(["B"]).values
        array([[0., 1.]])
        """
        row = {run: index for index, run in enumerate(self.runs)}
        rows = [row[run] for run in runs]
        names = tuple(self.runs[index] for index in rows)
        replicates = self.replicates and self.replicates.select(runs)
        return replace(self, values=self.values[rows], runs=names, replicates=replicates)

    def named(self, names: Mapping[str, RunName]) -> ScoreMatrix:
        """The same scores of runs that people are shown by other names, or marked.

        >>> matrix = ScoreMatrix(np.eye(2), ("A.run", "B"), ("q1", "q2"), None).named({"A.run": RunName("A.run", "A")})
        >>> [*matrix.runs], [f"{run}" for run in matrix.runs]
        (['A.run', 'B'], ['A', 'B'])
        """
        replicates = self.replicates and self.replicates.named(names)
        return replace(self, runs=tuple(names.get(run, run) for run in self.runs), replicates=replicates)

    def map(self, function: Callable[[FloatArray], FloatArray], measure: str | None) -> ScoreMatrix:
        """The same runs and queries under another measure, each score by a function of it; a system's mean is of these.

        >>> ScoreMatrix(np.array([[1.0, 2.0]]), ("A",), ("q1", "q2"), "AP").map(np.square, None).values
        array([[1., 4.]])
        """
        if self.replicates is None:
            return replace(self, values=function(self.values), measure=measure)
        systems = ScoreMatrix.of_systems(self.replicates.runs.map(function, measure), self.replicates.system_of)
        return replace(systems.select(self.runs), clusters=self.clusters)


@dataclass(frozen=True, eq=False)
class Replicates:
    """The runs that systems are made of: several of one system differ in a seed or a fold.

    ``runs`` has their scores, system by system, and ``system_of`` names the system of each.

    >>> values = np.array([[0.3, 0.1], [0.5, 0.2], [0.4, 0.2]])
    >>> runs = ScoreMatrix(values, ("A-1", "A-2", "B"), ("q1", "q2"), "AP")
    >>> replicates = Replicates(runs, {"A-1": "A", "A-2": "A", "B": "B"})
    >>> replicates.systems, replicates.sizes.tolist(), replicates.within.round(6).tolist()
    (('A', 'B'), [2, 1], [[0.01, 0.0025], [0.0, 0.0]])
    """

    runs: ScoreMatrix
    system_of: Mapping[str, str]

    def __post_init__(self) -> None:
        names = [self.system_of[run] for run in self.runs.runs]
        changes = 1 + sum(one != other for one, other in pairwise(names))
        assert changes == len(set(names)), "the runs of a system stand together"

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The runs of each system."""
        members: dict[str, list[str]] = {}
        for run in self.runs.runs:
            members.setdefault(self.system_of[run], []).append(run)
        return {system: tuple(runs) for system, runs in members.items()}

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of their runs."""
        return tuple(self.members)

    @cached_property
    def sizes(self) -> IntArray:
        """How many replicates each system has, (n_systems,)."""
        return np.array([len(runs) for runs in self.members.values()])

    @cached_property
    def within(self) -> FloatArray:
        """The population variance of the scores of each system's replicates on each query, (n_systems, n_queries)."""
        values = self.runs.values
        return self.mean((values - np.repeat(self.mean(values), self.sizes, axis=0)) ** 2)

    def mean(self, values: FloatArray) -> FloatArray:
        """The mean over the replicates of each system: (n_runs, ...) to (n_systems, ...).

        It is exact where the replicates are equal, so that these have no variance.
        """
        starts = np.cumsum(self.sizes) - self.sizes
        first = values[starts]
        deviations = np.add.reduceat(values - np.repeat(first, self.sizes, axis=0), starts, axis=0)
        return first + deviations / self.sizes.reshape(-1, *[1] * (values.ndim - 1))

    @cached_property
    def by_number(self) -> Replicates:
        """The same runs, those of each system in the order of the last number in their names.

        Raises `DataError` for systems of several runs that have not the same numbers, once each.

        >>> runs = ScoreMatrix(np.eye(4), ("A-10", "A-9", "B-09", "B-10"), ("a", "b", "c", "d"), None)
        >>> Replicates(runs, {"A-10": "A", "A-9": "A", "B-09": "B", "B-10": "B"}).by_number.runs.runs
        ('A-9', 'A-10', 'B-09', 'B-10')
        """
        order: list[str] = []
        first: tuple[str, list[int]] | None = None
        for system, members in self.members.items():
            if len(members) == 1:
                order += members
                continue
            numbers = {run: int(digits[-1]) for run in members if (digits := re.findall(r"[0-9]+", run))}
            if len(numbers) < len(members) or len(set(numbers.values())) < len(members):
                raise DataError(f"runs belong together by number: those of {system} need a number each in their names")
            of_system = sorted(numbers.values())
            first = first or (system, of_system)
            if of_system != first[1]:
                words = [f"{name} has {', '.join(map(str, some))}" for name, some in (first, (system, of_system))]
                raise DataError(f"runs belong together by number, and these differ: {'; '.join(words)}")
            order += sorted(members, key=numbers.__getitem__)
        return Replicates(self.runs.select(order), self.system_of)

    def named(self, names: Mapping[str, RunName]) -> Replicates:
        """The same runs of systems that people are shown by other names."""
        return Replicates(self.runs, {run: names.get(system, system) for run, system in self.system_of.items()})

    def select(self, systems: Sequence[str]) -> Replicates:
        """The replicates of these systems, in this order."""
        return Replicates(self.runs.select([run for system in systems for run in self.members[system]]), self.system_of)


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
        return np.log(np.maximum(values, self.eps) if self.form == "floor" else values + self.eps)

    def matrix(self, scores: ScoreMatrix) -> ScoreMatrix:
        """The logs of a whole matrix, under the name log(MEASURE); less of a log is better where less of a score is."""
        logs = scores.in_unit.map(self, f"log({scores.measure or 'unknown measure'})")
        return logs.oriented(scores.better)
