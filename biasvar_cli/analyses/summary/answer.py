"""The means of runs under several measures, of one track or many, and which of them differ."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, for_rows
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.ranks import Ranks, RunRanks, letters_of
from biasvar_cli.analyses.summary import ERRORS, SPREAD, SummaryRequest
from biasvar_cli.arrays import BoolArray, FloatArray, equalised, in_order, is_least
from biasvar_cli.decomposition.decompose import Decomposition, ReplicateVariance, decompose
from biasvar_cli.errors import DataError, full_name
from biasvar_cli.score_matrix import Replicates, ScoreMatrix, negated
from biasvar_cli.scoring.targets import AnswerOfScores, log_transform, targeted_scores
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs.limits import FEWEST_QUERIES
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.stats.significance import PRIMARY, TESTS
from biasvar_cli.stats.step_down import differs_from
from biasvar_cli.tables.table import at_least
from biasvar_cli.words import RUN, RunName, argument

SUFFIXES = (  # of a measure's columns
    *("", "_p", "_mark", "_beaten"),
    *(f"_{name}" for name in ERRORS),
    *("_wins", "_losses", "_rank_low", "_rank_high"),
)
Mark = Literal["better", "worse", "not-below-best"]


class NamedTrack(NamedTuple):
    """A track with its name in a manifest, None where there is no manifest, and the target of its runs."""

    name: str | None
    track: Track
    target: TargetSpec


@dataclass(frozen=True, eq=False)
class MeasureAnswer(AnswerOfScores):
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

    @cached_property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs, as logarithms with `--log`."""
        transform = log_transform(self.request)
        return self.scored.scores if transform is None else transform.matrix(self.scored.scores)

    @property
    def label(self) -> str:
        """What the column is called: the measure, behind its track."""
        return f"{'' if self.track is None else f'{self.track}/'}{self.measure or 'score'}"

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
        return tuple(sorted(rows, key=lambda row: self.runs[row]))

    @cached_property
    def decomposition(self) -> Decomposition:
        """Bias, variance and total against the target."""
        targeted = targeted_scores(self.scored, self.spec, log_transform(self.request))
        return decompose(targeted.scores, targeted.target)

    def error(self, name: str) -> FloatArray | None:
        """A part of the decomposition, by its name; None where the request does not ask for errors."""
        return getattr(self.decomposition, name) if self.request.errors else None

    @property
    def is_of_all_pairs(self) -> bool:
        """Whether the test allows for all pairs: the run that the others are compared with is chosen by its mean."""
        return self.request.spec is None or self.request.spec.kind == "top"

    @property
    def lacks_baseline(self) -> bool:
        return self.request.baseline is not None and self.baseline is None

    @cached_property
    def tests(self) -> PairTests | None:
        """The pairs that are tested; None for one run, without the baseline, and for too few queries."""
        scores = self.scores
        if scores.n_runs == 1 or self.lacks_baseline or scores.units.n < FEWEST_QUERIES:
            return None
        request, baseline = CompareRequest.of_one_test(self.request), None if self.is_of_all_pairs else self.baseline
        pairs = PairTests.of(scores, for_rows(request, scores), baseline)
        return pairs.against_top(self._compared_with) if self.is_of_all_pairs else pairs

    @property
    def untested(self) -> str | None:
        """Why no run is compared, in words; None where they are."""
        if self.tests is not None:
            return self.tests.why_undecided
        if self.n_runs == 1:
            return f"there is one {RUN}"
        if self.lacks_baseline:
            return f"there is no {RUN} {self.request.baseline}"
        return f"that takes {at_least(self.scores.units)}"

    @property
    def no_ranks(self) -> str | None:
        """Why not all runs have ranks, in words; None where they have."""
        if self.tests is not None:
            return RunRanks(self.tests).why_not_all_ranked
        if self.n_runs == 1 or self.lacks_baseline:
            return self.untested
        return f"ranks need {at_least(self.scores.units)}"

    @cached_property
    def p(self) -> FloatArray:
        """The p of each run and the one it is compared with, which has nan; nan for all where there is no test.

        It allows for all other runs compared with the baseline, or for all pairs of runs.
        """
        p = np.full(self.n_runs, np.nan)
        if self.tests is not None:
            p[self.tests.run] = self.tests.deciding_p
        return p

    def counts(self, side: str) -> list[int | None]:
        """On how many queries each run ``wins`` or ``losses`` against the one it is compared with.

        None for that one, and for all runs where there is no test.
        """
        counts: list[int | None] = [None] * self.n_runs
        if self.tests is not None:
            for run, count in zip(self.tests.run.tolist(), getattr(self.tests, side).tolist(), strict=True):
                counts[run] = count
        return counts

    @cached_property
    def critical(self) -> float:
        """The size above which a mean difference is significant; nan without a test, infinite where none would be."""
        return float("nan") if self.tests is None or self.untested else self.tests.critical_difference

    @cached_property
    def ranks(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank of each run by the same test, as `compare` has them; None without one."""
        return ([None] * self.n_runs, [None] * self.n_runs) if self.tests is None else RunRanks(self.tests).ends

    @property
    def _compared_with(self) -> int:
        """The row of the run that the others are compared with."""
        return self.leaders[0] if self.baseline is None else self.baseline

    @cached_property
    def differs(self) -> BoolArray:
        """Whether each run differs significantly from the one it is compared with."""
        differs, request = np.zeros(self.n_runs, dtype=bool), self.request
        if self.tests is None or self.untested:
            return differs
        if self.with_p or not self.is_of_all_pairs or request.test != PRIMARY:
            differs[self.tests.run] = self.tests.differs
            return differs
        draws = TESTS[PRIMARY].draws(request.samples, seed=request.seed, jobs=request.jobs)
        return differs_from(self.scores.values, self._compared_with, request.level, draws, self.scores.clusters)

    @cached_property
    def marks(self) -> list[Mark | None]:
        """What the test says of each run; None for the baseline and for a run that is neither better nor worse."""
        if self.untested:
            return [None] * self.n_runs
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
        return tuple(sorted({run for measure in self.measures for run in measure.runs}))

    @property
    def run_labels(self) -> list[str]:
        """What each of the runs is shown by."""
        return [self.names[run] for run in self.runs]

    @cached_property
    def letters(self) -> list[str] | None:
        """The letter of each run, in the order of the rows for people; None where none are asked for.

        Raises what `letters_of` raises.
        """
        return letters_of(self.best_first) if self.measures[0].request.marks == "letters" else None

    def beaten(self, measure: MeasureAnswer) -> list[str] | None:
        """The letters of the runs that each run of a measure is significantly better than; None without letters."""
        if self.letters is None:
            return None
        letters = dict(zip(self.runs, self.letters, strict=True))
        of_runs = [letters[run] for run in measure.runs]
        return [""] * measure.n_runs if measure.tests is None else RunRanks(measure.tests).letters_beaten(of_runs)

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
        by_run = dict(zip(measure.runs, column, strict=True))
        return [by_run.get(run, missing) for run in self.runs]

    def leaders(self, measure: MeasureAnswer) -> list[str]:
        """The runs with the best mean, by the names they are shown by."""
        return sorted(self.names[measure.runs[row]] for row in measure.leaders)

    def marked(self, measure: MeasureAnswer, mark: Mark | None) -> list[str]:
        """The runs with a mark, or those compared without one, the best first, by the names they are shown by."""
        compared = set(range(measure.scores.n_runs)) - {measure.baseline}
        order = in_order(-measure.mean, measure.scores.runs)
        return [self.names[measure.runs[row]] for row in order if row in compared and measure.marks[row] == mark]


def answer(tracks: Sequence[NamedTrack], request: SummaryRequest, *, with_p: bool = True) -> SummaryAnswer:
    """Every measure of every track.

    Raises what `full_name` raises of the baseline and `clusters_of` of clusters.
    """
    several = [scores for named in tracks if (scores := named.track.scored[0].scores).replicates is not None]
    request = for_rows(request, next(iter(several), tracks[0].track.scored[0].scores))
    queries = {query for named in tracks for query in named.track.scored[0].scores.queries}
    tracks = [named._replace(track=named.track.in_clusters(request.clusters, elsewhere=queries)) for named in tracks]
    runs = sorted({run for named in tracks for scored in named.track.scored for run in scored.scores.runs})
    spec, baseline = request.spec, None
    if spec is not None and spec.kind == "top":
        first = MeasureAnswer(request, tracks[0].name, tracks[0].track.scored[0], tracks[0].target)
        baseline = first.runs[first.leaders[0]]
    elif spec is not None:
        words = ("top",) if spec.text == spec.name else ()
        baseline = full_name(argument(baseline=spec.text), str(spec.name), runs, words=words)
    measures = []
    for named in tracks:
        for scored in named.track.scored:
            row = scored.scores.runs.index(baseline) if baseline in scored.scores.runs else None
            measures.append(MeasureAnswer(request, named.name, scored, named.target, row, with_p))
    names = {  # the name that a user chose is that of csv and JSON too
        run: RunName(f"{run}", highlighted=run.highlighted) if isinstance(run, RunName) and run.renamed else run
        for run in runs
    }
    result = SummaryAnswer(request, tuple(measures), names, baseline)
    suffixes = [*SUFFIXES, *([f"_{SPREAD}"] if result.systems else ())]
    columns = Counter(["run", *(f"{measure.label}{suffix}" for measure in measures for suffix in suffixes)])
    twice = [name for name, count in columns.items() if count > 1]
    if twice:
        raise DataError(f"two columns would be called {twice[0]}; give one of the tracks or measures another name")
    return result
