"""The means of runs under several measures, of one track or many, and which of them differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare.pairs import PairTests, Ranks
from biasvar_cli.analyses.compare.sentences import few_queries_words, without_ranks
from biasvar_cli.analyses.summary.request import ERRORS, SPREAD, SummaryRequest
from biasvar_cli.arrays import BoolArray, FloatArray, equalised, in_order, is_least
from biasvar_cli.decomposition.decompose import Decomposition, ReplicateVariance, decompose
from biasvar_cli.errors import DataError, full_name
from biasvar_cli.scores import Replicates, ScoreMatrix, negated
from biasvar_cli.scoring.targets import log_transform, targeted_scores
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs import TargetSpec
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.significance import PRIMARY, TESTS
from biasvar_cli.stats.step_down import Method, differs_from, method_for
from biasvar_cli.words import RUN, Better, RunName, argument

SUFFIXES = (
    "",
    "_p",
    "_mark",
    *(f"_{name}" for name in ERRORS),
    "_rank_low",
    "_rank_high",
)  # of the columns of a measure
Mark = Literal["better", "worse", "not-below-best"]
Untested = Literal["one-run", "no-baseline", "few-queries", "few-clusters", "few-samples"]


class NamedTrack(NamedTuple):
    """A track with its name in a manifest, None where there is no manifest, and the target of its runs."""

    name: str | None
    track: Track
    target: TargetSpec


@dataclass(frozen=True, eq=False)
class MeasureAnswer:
    """The runs of one track under one measure; arrays have the shape (n_runs,).

    ``baseline`` is the row of the run that the others are compared with, None where it has no row; ``track`` is None
    without a manifest. ``with_p`` says that p-values and ranks are wanted, which take longer than the marks.
    """

    request: SummaryRequest
    track: str | None
    scored: Scored
    spec: TargetSpec
    baseline: int | None = None
    with_p: bool = True
    done: Done = unwatched

    @cached_property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs, as logarithms with `--log`."""
        transform = log_transform(self.request)
        return self.scored.scores if transform is None else transform.matrix(self.scored.scores)

    @property
    def measure(self) -> str | None:
        return self.scores.measure

    @property
    def label(self) -> str:
        """What the column is called: the measure, behind its track."""
        return f"{'' if self.track is None else f'{self.track}/'}{self.measure or 'score'}"

    @property
    def better(self) -> Better:
        """Whether a run is better with a higher or with a lower mean."""
        return self.scores.better

    @cached_property
    def mean(self) -> FloatArray:
        """The mean utility of each run."""
        means: FloatArray = self.scores.values.mean(axis=1)
        return means

    @cached_property
    def printed_mean(self) -> FloatArray:
        """The mean score of each run, as the measure has it."""
        return self.mean if self.better == "more" else negated(self.mean)

    @cached_property
    def spread(self) -> FloatArray | None:
        """The standard deviation of the means of each system's runs, nan for one run; None where rows are runs."""
        parts = ReplicateVariance.of(self.scores)
        return None if parts is None else parts.sd

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """The rows of the runs with the best mean, more than one if they are equal, in the order of names."""
        rows = np.flatnonzero(is_least(-self.mean)).tolist()
        return tuple(sorted(rows, key=lambda row: self.scores.runs[row]))

    @cached_property
    def decomposition(self) -> Decomposition:
        """Bias, variance and total against the target."""
        targeted = targeted_scores(self.scored, self.spec, log_transform(self.request))
        return decompose(targeted.scores, targeted.target)

    @property
    def n_tested(self) -> int:
        """How many differences the test allows for: of all pairs, or of all others with the baseline."""
        n_runs = self.scores.n_runs
        return n_runs * (n_runs - 1) // 2 if self.is_of_all_pairs else n_runs - 1

    @property
    def is_of_all_pairs(self) -> bool:
        """Whether the test allows for all pairs: the run that the others are compared with is chosen by its mean."""
        return self.request.spec is None or self.request.spec.kind == "top"

    @property
    def method(self) -> Method:
        """The method of the test that so many queries allow."""
        return method_for(self.scores.units.n, self.n_tested)

    @property
    def untested(self) -> Untested | None:
        """Why no run is compared; None where they are."""
        if self.scores.n_runs == 1:
            return "one-run"
        if self.request.baseline is not None and self.baseline is None:
            return "no-baseline"
        if self.method == "none":
            return "few-queries" if self.scores.units.are_single else "few-clusters"
        return self._tests.undecided

    @cached_property
    def p(self) -> FloatArray:
        """The p of each run and the one it is compared with, which has nan; nan for all where there is no test.

        It allows for all other runs compared with the baseline, or for all pairs of runs.
        """
        p = np.full(self.scores.n_runs, np.nan)
        if self.untested in (None, "few-samples"):
            tests = self._tests
            p[tests.run] = tests.deciding_p
        return p

    @cached_property
    def critical(self) -> float:
        """The size above which a mean difference is significant; nan without a test, infinite where none would be."""
        return float("nan") if self.untested is not None else self._tests.critical_difference

    @cached_property
    def _tests(self) -> PairTests:
        scores = self.scores
        tests = partial(
            PairTests, scores.runs, scores.values, self.request.comparison, done=self.done, clusters=scores.clusters
        )
        return tests().against_top(self._compared_with) if self.is_of_all_pairs else tests(self.baseline)

    @cached_property
    def ranks(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank of each run by the same test, as `compare` has them; None without one."""
        if self.untested in (None, "few-samples"):
            return self._tests.ranks
        return [None] * self.scores.n_runs, [None] * self.scores.n_runs

    @property
    def without_ranks(self) -> str | None:
        """Why not all runs have ranks, None where they have."""
        if self.untested == "one-run":
            return f"there is one {RUN}"
        if self.untested == "no-baseline":
            return f"there is no {RUN} {self.request.baseline}"
        return few_queries_words(self.scores.units) if self.method == "none" else without_ranks(self._tests)

    @property
    def _compared_with(self) -> int:
        """The row of the run that the others are compared with."""
        return self.leaders[0] if self.baseline is None else self.baseline

    @cached_property
    def differs(self) -> BoolArray:
        """Whether each run differs significantly from the one it is compared with."""
        differs, request = np.zeros(self.scores.n_runs, dtype=bool), self.request
        if self.untested is not None:
            return differs
        if self.with_p or not self.is_of_all_pairs or request.test != PRIMARY:
            differs[self._tests.run] = self._tests.differs
            return differs
        draws = TESTS[PRIMARY].draws(request.samples, seed=request.seed, jobs=request.jobs, done=self.done)
        return differs_from(self.scores.values, self._compared_with, request.level, draws, self.scores.clusters)

    @cached_property
    def marks(self) -> list[Mark | None]:
        """What the test says of each run; None for the baseline and for a run that is neither better nor worse."""
        if self.untested is not None:
            return [None] * self.scores.n_runs
        if self.baseline is None:
            return [None if differs else "not-below-best" for differs in self.differs.tolist()]
        gains = self.mean - self.mean[self.baseline]
        words: list[Mark] = ["better" if gain > 0 else "worse" for gain in gains.tolist()]
        return [word if differs else None for word, differs in zip(words, self.differs.tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class SummaryAnswer:
    """The runs by name, and the ``measures`` of every track; ``names`` has what each run is shown by.

    ``baseline_run`` is the run that the others are compared with, None for the best one of each measure.
    """

    request: SummaryRequest
    measures: tuple[MeasureAnswer, ...]
    names: Mapping[str, str]
    baseline_run: str | None

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Every run of any track, by its name in the files."""
        return tuple(sorted({run for measure in self.measures for run in measure.scores.runs}))

    @property
    def run_labels(self) -> list[str]:
        """What each of the runs is shown by."""
        return [self.names[run] for run in self.runs]

    @property
    def baseline(self) -> str | None:
        """The name that the baseline is shown by."""
        return None if self.baseline_run is None else self.names[self.baseline_run]

    @property
    def of_tracks(self) -> bool:
        """Whether a manifest lists the tracks."""
        return self.measures[0].track is not None

    @cached_property
    def systems(self) -> dict[str | None, Replicates]:
        """The runs of the systems of each track, by its name; empty where rows are runs."""
        by_track = {measure.track: measure.scores.replicates for measure in self.measures}
        return {track: replicates for track, replicates in by_track.items() if replicates is not None}

    @cached_property
    def best_first(self) -> list[int]:
        """The rows of the runs: the baseline, then the best by the first measure, of equal ones by name.

        The next measures order the runs that the first tracks do not have.
        """
        order = dict.fromkeys(row for row, run in enumerate(self.runs) if run == self.baseline_run)
        for measure in self.measures:
            means = self.aligned(measure, equalised(-measure.mean), None)
            scored = [row for row, mean in enumerate(means) if mean is not None]
            order |= dict.fromkeys(sorted(scored, key=lambda row: (means[row], self.run_labels[row])))
        return list(order)

    def aligned(self, measure: MeasureAnswer, values: Sequence[Any] | FloatArray, missing: Any) -> list[Any]:
        """Values of the runs of a measure as values of all runs, in the order of ``runs``."""
        column = values.tolist() if isinstance(values, np.ndarray) else values
        by_run = dict(zip(measure.scores.runs, column, strict=True))
        return [by_run.get(run, missing) for run in self.runs]

    def leaders(self, measure: MeasureAnswer) -> list[str]:
        """The runs with the best mean, by the names they are shown by."""
        return sorted(self.names[measure.scores.runs[row]] for row in measure.leaders)

    def marked(self, measure: MeasureAnswer, mark: Mark | None) -> list[str]:
        """The runs with a mark, or those compared without one, the best first, by the names they are shown by."""
        compared = set(range(measure.scores.n_runs)) - {measure.baseline}
        order = in_order(-measure.mean, measure.scores.runs)
        return [self.names[measure.scores.runs[row]] for row in order if row in compared and measure.marks[row] == mark]


def answer(
    tracks: Sequence[NamedTrack], request: SummaryRequest, *, with_p: bool = True, done: Done = unwatched
) -> SummaryAnswer:
    """Every measure of every track. ``done`` is told of each sample of a test.

    Raises what `full_name` raises of the baseline and `clusters_of` of clusters.
    """
    queries = {query for named in tracks for query in named.track.scored[0].scores.queries}
    tracks = [named._replace(track=named.track.in_clusters(request.clusters, elsewhere=queries)) for named in tracks]
    runs = sorted({run for named in tracks for scored in named.track.scored for run in scored.scores.runs})
    baseline = _baseline(tracks[0], request, runs)
    measures = []
    for named in tracks:
        for scored in named.track.scored:
            known = scored.scores.runs
            row = known.index(baseline) if baseline in known else None
            measures.append(MeasureAnswer(request, named.name, scored, named.target, row, with_p, done))
    result = SummaryAnswer(request, tuple(measures), {run: _called(run) for run in runs}, baseline)
    suffixes = [*SUFFIXES, *([f"_{SPREAD}"] if result.systems else ())]
    columns = Counter(["run", *(f"{measure.label}{suffix}" for measure in measures for suffix in suffixes)])
    twice = [name for name, count in columns.items() if count > 1]
    if twice:
        raise DataError(f"two columns would be called {twice[0]}; give one of the tracks or measures another name")
    return result


def _baseline(first: NamedTrack, request: SummaryRequest, runs: Sequence[str]) -> str | None:
    """The run that the others are compared with: the one named, or for ``top`` the best by the first measure."""
    spec = request.spec
    if spec is None:
        return None
    if spec.kind == "top":
        best = MeasureAnswer(request, first.name, first.track.scored[0], first.target)
        return best.scores.runs[best.leaders[0]]
    words = ("top",) if spec.text == spec.name else ()
    return full_name(argument(baseline=spec.text), str(spec.name), runs, words=words)


def _called(run: str) -> str:
    """What a run is called: by the name that a user chose in csv and JSON too."""
    return RunName(f"{run}", highlighted=run.highlighted) if isinstance(run, RunName) and run.renamed else run
