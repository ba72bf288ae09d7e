"""Which runs of a track differ, by which test, and how well the measure tells them apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from biasvar_cli.analyses.compare.discrimination import (
    Power,
    SampleSize,
    Swaps,
    power_of_tests,
    sample_size,
    swap_rates,
)
from biasvar_cli.analyses.compare.pairs import PairTests, losses_of
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.target import TargetedScores, VirtualTarget
from biasvar_cli.scoring.targets import listed_place, targeted_scores
from biasvar_cli.scoring.track import Track
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.variance import Anova, Friedman, anova, friedman


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared of all runs, (n_runs, n_queries), and what knows no baseline: computed when it is first used."""

    request: CompareRequest
    targeted: TargetedScores
    values: FloatArray
    done: Done = unwatched

    @cached_property
    def anova(self) -> Anova:
        """The analysis of variance of runs and queries."""
        return anova(self.values)

    @cached_property
    def friedman(self) -> Friedman:
        """Friedman's test of all runs."""
        return friedman(self.values)

    @cached_property
    def swaps(self) -> Swaps:
        """How often two runs change places between halves of the queries."""
        return swap_rates(self.values, n_splits=self.request.splits, seed=self.request.seed, done=self.done)

    @cached_property
    def all_pairs(self) -> PairTests:
        """The tests of all pairs of runs."""
        return PairTests(self.targeted.scores.runs, self.values, self.request, done=self.done)


@dataclass(frozen=True, eq=False)
class CompareAnswer:
    """All pairs of the runs under one measure, or all runs against one ``baseline``, a place among them.

    ``is_top`` says that the baseline was chosen as the best run, so that its tests allow for all pairs.
    """

    compared: Compared
    baseline: int | None = None
    is_top: bool = False

    @property
    def request(self) -> CompareRequest:
        """What was asked."""
        return self.compared.request

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs in the order of the files."""
        return self.compared.targeted.scores.runs

    @property
    def n_queries(self) -> int:
        return self.compared.targeted.scores.n_queries

    @property
    def measure(self) -> str | None:
        """The measure of the scores, None if it is not known."""
        return self.compared.targeted.scores.measure

    @property
    def target(self) -> VirtualTarget:
        """What total errors are measured against."""
        return self.compared.targeted.target

    @property
    def baseline_name(self) -> str | None:
        """The run that all others are compared with."""
        return None if self.baseline is None else self.runs[self.baseline]

    @cached_property
    def tests(self) -> PairTests:
        """The tests of the pairs. Raises `DataError` for a single run or query."""
        compared = self.compared
        if self.baseline is None:
            return compared.all_pairs
        if self.is_top:
            return compared.all_pairs.against_top(self.baseline)
        return PairTests(self.runs, compared.values, self.request, self.baseline, done=compared.done)

    @cached_property
    def power(self) -> list[Power]:
        """How many pairs each test finds."""
        return power_of_tests(self.tests)

    @cached_property
    def size(self) -> SampleSize:
        """What so many queries can find."""
        return sample_size(self.tests)


def answer(track: Track, request: CompareRequest, *, done: Done = unwatched) -> list[CompareAnswer]:
    """The runs compared, for every measure of a track, every target of totals, and every baseline.

    ``done`` is told of each sample and each split. Raises `DataError` for a baseline that is not there, `UsageError`
    for a target that what is compared cannot have.
    """
    targets = request.targets if request.lower_is_better else request.targets[:1]  # a mean score has no target
    all_targeted = [targeted_scores(scored, spec, request.log) for scored in track.scored for spec in targets]
    answers = []
    for targeted in all_targeted:
        compared = Compared(request, targeted, losses_of(targeted.scores, targeted.target, request.of), done)
        answers += [
            CompareAnswer(compared, listed_place(f"--baseline {spec.text}", spec, targeted.scores), spec.kind == "top")
            for spec in request.specs
        ] or [CompareAnswer(compared)]
    return answers
