"""One run of a track: how good it is, beside the best of the others and baselines, on which queries, how evenly.

Nothing is computed here that another analysis has: bias², variance and total are those of `decompose`, differences and
ranks those of `compare`, gains and losses those of `risk`, and the target that of `target`.

Families of comparisons are as small as what was named beforehand allows. Of named baselines p allows for the pairs of
the run with these, so that one baseline is one pair. The best of the other runs is chosen by its mean: its p allows for
all R - 1 pairs with the run, and so does the range of ranks (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic
Studies 91, 2024: a marginal confidence set).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, for_rows
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.ranks import RunRanks
from biasvar_cli.analyses.decompose import DecomposeRequest
from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.analyses.judges import JudgesRequest
from biasvar_cli.analyses.judges.calibration import Calibration
from biasvar_cli.analyses.profile import ProfileRequest
from biasvar_cli.analyses.risk.losses import differences
from biasvar_cli.arrays import FloatArray, in_order, ranks
from biasvar_cli.decomposition.decompose import ReplicateVariance
from biasvar_cli.errors import DataError, UsageError, full_name
from biasvar_cli.score_matrix import ScoreMatrix, in_unit
from biasvar_cli.scoring.equal_runs import equal_runs
from biasvar_cli.scoring.judged_tracks import Judges
from biasvar_cli.scoring.targets import TargetedAnswer, listed_run, log_transform, targeted_scores
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs.baselines import named_run
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.significance import CORRECTIONS, TESTS
from biasvar_cli.words import argument

Role = Literal["best", "baseline"]
Outcome = Literal["better", "worse", "neither", "untested"]
QUANTITIES = ("mean", "bias", "bias2", "var", "total")


class Quantity(NamedTuple):
    """A number of the run beside that of others, as it is printed; ``rank`` is 1 for the best.

    ``baseline`` and ``best`` are those of the first baseline and of the best other run, nan without one; ``median`` is
    the median over all runs.
    """

    quantity: str
    value: float
    rank: int
    baseline: float
    best: float
    median: float


@dataclass(frozen=True, eq=False)
class Versus:
    """The run beside another one: ``delta`` is its mean minus that of the other, above 0 where the run is better.

    ``role`` says why they are compared: the other is the best of all others, or a baseline; ``chosen`` that it was
    chosen by its mean. ``low`` and ``high`` are the t interval of ``delta``, for this pair alone, ``family_low`` and
    ``family_high`` the simultaneous interval of all pairs of the ``tests``, nan where there is none. ``p`` is that of
    the test that decides, which allows for all these pairs; nan with fewer than 6 queries. ``wins`` and ``losses`` are
    queries on which the run is better and worse. ``outcome`` is what the test says of the run. An interval is
    ``contradicted`` that says otherwise (`PairTests.contradicted`).
    """

    role: Role
    run: str
    chosen: bool
    tests: PairTests
    mean: float
    delta: float
    low: float
    high: float
    p: float
    wins: int
    ties: int
    losses: int
    outcome: Outcome
    family_low: float
    family_high: float
    contradicted: bool

    @classmethod
    def of(cls, role: Role, name: str, scores: ScoreMatrix, tests: PairTests, *, chosen: bool) -> Versus:
        """One of the pairs of tests whose baseline is the run, so that their differences are turned."""
        pair = int(np.flatnonzero(tests.run == tests.runs.index(name))[0])
        delta, low, high, family_low, family_high = (
            0.0 - float(values[pair])
            for values in (tests.delta, tests.high, tests.low, tests.family_high, tests.family_low)
        )
        wins, ties, losses = (int(numbers[pair]) for numbers in (tests.losses, tests.ties, tests.wins))
        outcome: Outcome = "better" if delta > 0 else "worse"
        if not tests.differs[pair]:
            outcome = "neither" if tests.why_undecided is None else "untested"
        mean, p = in_unit(float(scores.row(name).mean()), scores.better), float(tests.deciding_p[pair])
        contradicted = bool(tests.contradicted[pair])
        ends = (family_low, family_high)
        of_pair = (tests, mean, delta, low, high, p, wins, ties, losses, outcome)
        return cls(role, name, chosen, *of_pair, *ends, contradicted)

    @property
    def pair(self) -> int:
        """Its place among the pairs of the tests."""
        return int(np.flatnonzero(self.tests.run == self.tests.runs.index(self.run))[0])

    def of_system(self, name: str) -> Any:
        """A number of the test of systems, by its name in `PairTests`; None for tests of these runs alone."""
        numbers = getattr(self.tests, name)
        return None if numbers is None else numbers[self.pair]

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval that people are shown: the simultaneous one, or that of the pair without one."""
        family = self.tests.has_family_intervals
        return (self.family_low, self.family_high) if family else (self.low, self.high)

    @property
    def is_corrected(self) -> bool:
        """Whether p allows for all pairs of its family."""
        return self.tests.request.correction in CORRECTIONS or not TESTS[self.tests.deciding].corrected


class CalibratedPair(NamedTuple):
    """The difference of the run from another one, calibrated by a judge; see `Differences`.

    The interval and p are those of ``n_family`` pairs together.
    """

    delta: float
    low: float
    high: float
    p: float
    worth: float
    n_family: int


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The run beside others under one measure. ``scores`` are those of the listed runs, as logarithms with `--log`.

    ``names`` are the baselines that were named, and ``has_top`` says that the best of the others is one too.
    """

    request: ProfileRequest
    scores: ScoreMatrix
    run: str
    names: tuple[str, ...]
    has_top: bool

    @classmethod
    def of(cls, request: ProfileRequest, scores: ScoreMatrix) -> Comparisons:
        """Raises `DataError` for a run or a baseline that is not there, or that is the run itself."""
        run, specs = _full_run(request.run, scores.runs), request.specs
        names = tuple(dict.fromkeys(listed_run(spec, scores) for spec in specs if spec.kind == "run"))
        if run in names:
            raise DataError(f"{argument(baseline=run)}: that is the run of the profile itself; name another one")
        if specs and scores.n_runs == 1:
            raise DataError(f"{argument(baseline=specs[0].text)}: there is no other run")
        return cls(request, scores, run, names, any(spec.kind == "top" for spec in specs))

    @cached_property
    def others(self) -> PairTests | None:
        """The R - 1 pairs with the run; None for one run or one query."""
        return self._tests(self.scores)

    @cached_property
    def named(self) -> PairTests | None:
        """The pairs of the run with the baselines that were named."""
        return self._tests(self.scores.select([self.run, *self.names])) if self.names else None

    def _tests(self, scores: ScoreMatrix) -> PairTests | None:
        if min(scores.values.shape) < 2:
            return None
        request, run = CompareRequest.of_one_test(self.request), scores.runs.index(self.run)
        return PairTests.of(scores, request, run)

    @cached_property
    def best(self) -> str | None:
        """The best of the other runs, of equal ones the first by name; None for one run."""
        order = in_order(-self.scores.values.mean(axis=1), self.scores.runs)
        return next((self.scores.runs[row] for row in order if self.scores.runs[row] != self.run), None)

    @cached_property
    def versus(self) -> tuple[Versus, ...]:
        """The best of the others and the baselines; none for one run or one query."""
        named = self.named
        if self.others is None or self.best is None:
            return ()
        best = Versus.of("best", self.best, self.scores, self.others, chosen=True)
        baselines = [Versus.of("baseline", name, self.scores, named, chosen=False) for name in self.names if named]
        return (best, *baselines, *([replace(best, role="baseline")] if self.has_top else []))

    @property
    def baseline(self) -> str | None:
        """The first baseline; None without one."""
        return next(iter(self.names), self.best if self.has_top else None)

    @property
    def reference(self) -> str | None:
        """The run that gains and losses are counted against: the first baseline, or else the best other run."""
        return self.baseline or self.best


@dataclass(frozen=True, eq=False)
class ProfileAnswer(TargetedAnswer[ProfileRequest]):
    """One run under one measure and one target, ``compared`` with others.

    ``contradictory`` says whether the ranks in its file contradict the scores.
    """

    compared: Comparisons
    calibration: Calibration | None = None
    contradictory: bool = False

    @cached_property
    def equals(self) -> list[str]:
        """The other runs with the same score on every query; none of a run that scores 0 on all."""
        groups, _ = equal_runs(self.scores)
        return [name for group in groups if self.run in group for name in group if name != self.run]

    @cached_property
    def calibrated(self) -> list[CalibratedPair] | None:
        """The calibrated difference from every run that it is compared with; None without a calibration.

        Families are those of the tests: the named baselines, and for the best of the others all others.
        """
        calibration, row = self.calibration, self.row
        if calibration is None:
            return None

        def family(names: Sequence[str]) -> dict[str, CalibratedPair]:
            others = np.array([self.runs.index(name) for name in names])
            differences = calibration.differences(Pairs(np.full(len(others), row), others))
            pairs = zip(*(part.tolist() for part in differences), strict=True)
            return {name: CalibratedPair._make((*pair, len(names))) for name, pair in zip(names, pairs, strict=True)}

        named = family(self.compared.names) if self.compared.names else {}
        of_others = family([run for run in self.runs if run != self.run])
        return [(of_others if versus.chosen else named)[versus.run] for versus in self.compared.versus]

    def calibrated_with(self, versus: Versus) -> CalibratedPair | None:
        """The calibrated difference from one of the runs that it is compared with; None without a calibration."""
        return None if self.calibrated is None else self.calibrated[self.compared.versus.index(versus)]

    @cached_property
    def decomposed(self) -> DecomposeAnswer:
        """The errors of all runs against the target."""
        request = self.request
        wanted = DecomposeRequest(
            target=(self.target.spec.text,), log=request.log, eps=request.eps, null=None, seed=request.seed
        )
        return DecomposeAnswer(wanted, self.scored, self.targeted)

    @property
    def run(self) -> str:
        """The run, by its full name."""
        return self.compared.run

    @property
    def row(self) -> int:
        """The row of the run among all runs."""
        return self.runs.index(self.run)

    @cached_property
    def ranks(self) -> RunRanks | None:
        """What the pairs with the run say of its rank; None for a single run."""
        return None if self.compared.others is None else RunRanks(self.compared.others)

    @property
    def rank_ends(self) -> tuple[int | None, int | None]:
        """The least and the greatest rank that the R - 1 pairs with the run leave; None without a test."""
        return (None, None) if self.ranks is None else (self.ranks.ends[0][self.row], self.ranks.ends[1][self.row])

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The mean and the parts of the error, beside those of others."""
        quantities = []
        for name in QUANTITIES:
            values: FloatArray = getattr(self.decomposed.result, name)
            order = ranks(-values if name == "mean" else values)
            printed = [in_unit(value, self.better) if name == "mean" else value for value in values.tolist()]
            baseline, best = (
                float("nan") if other is None else printed[self.runs.index(other)]
                for other in (self.compared.baseline, self.compared.best)
            )
            median = float(np.median(printed))
            quantities.append(Quantity(name, printed[self.row], int(order[self.row]), baseline, best, median))
        return quantities

    @property
    def rank(self) -> int:
        """The rank of the run by its mean, 1 the best; runs of equal means share the lower one."""
        return self.quantities[0].rank

    @cached_property
    def spread(self) -> tuple[int, float] | None:
        """How many runs the system has, and the standard deviation of their means; None for a single run."""
        parts = ReplicateVariance.of(self.scores)
        if parts is None or parts.n_replicates[self.row] < 2:
            return None
        return int(parts.n_replicates[self.row]), float(parts.sd[self.row])

    @property
    def reference_scores(self) -> FloatArray | None:
        """The scores of the run that gains and losses are counted against, (n_queries,); None for one run."""
        return None if self.compared.reference is None else self.scores.row(self.compared.reference)

    @cached_property
    def delta(self) -> FloatArray | None:
        """The difference from these on every query, (n_queries,); None for one run."""
        scores = self.reference_scores
        return None if scores is None else differences(self.scores.values[self.row], scores)

    @cached_property
    def worst_first(self) -> list[int]:
        """The queries, the largest loss first; in their order for one run."""
        if self.delta is None:
            return list(range(self.n_queries))
        return [int(query) for query in np.argsort(self.delta, kind="stable")]

    @cached_property
    def stability(self) -> float | None:
        """How much more (above 0) or less the run varies than simulated runs of its mean; None where undefined."""
        if self.scores.replicates is not None:
            return None

        from biasvar_cli.nulls.models import stability_of_runs

        request = NullRequest(seed=self.request.seed, jobs=self.request.jobs, stability=True)
        z = stability_of_runs(self.targeted, request)
        return None if z is None or np.isnan(z[self.row]) else float(z[self.row])


def answer(track: Track, request: ProfileRequest, *, judged: Judges | None = None) -> list[ProfileAnswer]:
    """The run, for every measure of a track and every target.

    With ``judged``, whose reference has the track, differences are calibrated by the other judge too. Raises
    `DataError` for a run or a baseline that is not there, and what `Calibration` raises.
    """
    answers = []
    for number, scored in enumerate(track.in_clusters(request.clusters).scored):
        request = for_rows(request, scored.scores)
        calibration = None if judged is None else _calibration(judged, number, request)
        targeted = [targeted_scores(scored, spec, log_transform(request)) for spec in request.targets]
        compared = Comparisons.of(request, targeted[0].scores)
        doubtful = compared.run in track.contradictory
        answers += [ProfileAnswer(request, scored, against, compared, calibration, doubtful) for against in targeted]
    return answers


def _calibration(judged: Judges, number: int, request: ProfileRequest) -> Calibration:
    """The calibration of one measure by the one judge beside the reference.

    Raises `UsageError` for several judges, for logarithms, clusters and systems.
    """
    reference, *judges = judged.whole
    if len(judges) != 1:
        raise UsageError(f"{argument(calibrate=True)} takes one judge beside {reference.name}, found {len(judges)}")
    people, model = (judge.track.scored[number] for judge in (reference, *judges))
    if people.scores.replicates is not None:
        raise UsageError(f"{argument(calibrate=True)} is of runs, not of systems", option="replicates")
    names = ("log", "eps", "level", "samples", "clusters", "seed", "jobs")
    judges_request = JudgesRequest(calibrate=True, **{name: getattr(request, name) for name in names})
    return Calibration(reference.name, judges[0].name, people, model, judges_request)


def _full_run(name: str, runs: Sequence[str]) -> str:
    """The run that is meant by a name, NAME or run:NAME, of which the beginning will do.

    Raises `DataError` for a run that is not there, `UsageError` for none.
    """
    if not name:
        raise UsageError("name the run whose profile is wanted", option="run")
    return full_name(f"run {name}", name if name in runs else named_run(name), runs)
