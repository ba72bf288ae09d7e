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
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare.pairs import PairTests, Ranks
from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.analyses.profile.request import ProfileRequest
from biasvar_cli.analyses.risk.losses import differences
from biasvar_cli.arrays import FloatArray, in_order, ranks
from biasvar_cli.decomposition.decompose import Decomposition, ReplicateVariance, VirtualTarget
from biasvar_cli.errors import DataError, UsageError, full_name
from biasvar_cli.scores import ScoreMatrix, in_unit
from biasvar_cli.scoring.targets import listed_run, targeted_track
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs import NullRequest, named_run
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.words import Better, argument

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
    """The run beside another one: a pair of ``tests`` whose baseline is the run, so that differences are turned.

    ``role`` says why they are compared: the other is the best of all others, or a baseline; ``chosen`` that it was
    chosen by its mean.
    """

    role: Role
    run: str
    mean: float
    tests: PairTests
    chosen: bool

    @cached_property
    def pair(self) -> int:
        """Its place among the pairs of the tests."""
        return int(np.flatnonzero(self.tests.run == self.tests.runs.index(self.run))[0])

    @property
    def delta(self) -> float:
        """The mean difference, of the run minus the other, above 0 where the run is better."""
        return 0.0 - float(self.tests.delta[self.pair])

    @property
    def low(self) -> float:
        """The lower end of the t interval of the difference, for this pair alone."""
        return 0.0 - float(self.tests.high[self.pair])

    @property
    def high(self) -> float:
        """The upper end of that interval."""
        return 0.0 - float(self.tests.low[self.pair])

    @property
    def p(self) -> float:
        """p of the test that decides, which allows for all pairs of its family; nan with fewer than 6 queries."""
        return float(self.tests.deciding_p[self.pair])

    @property
    def test(self) -> str:
        return self.tests.deciding

    @property
    def wins(self) -> int:
        """The queries on which the run is better."""
        return int(self.tests.losses[self.pair])

    @property
    def ties(self) -> int:
        return int(self.tests.ties[self.pair])

    @property
    def losses(self) -> int:
        """The queries on which the other is better."""
        return int(self.tests.wins[self.pair])

    @property
    def outcome(self) -> Outcome:
        """What the test says of the run: significantly better, worse, or neither."""
        if self.tests.undecided is not None:
            return "untested"
        if not self.tests.differs[self.pair]:
            return "neither"
        return "better" if self.delta > 0 else "worse"


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
    done: Done = unwatched

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
        request = self.request.comparison
        run = scores.runs.index(self.run)
        return PairTests(scores.runs, scores.values, request, run, done=self.done, clusters=scores.clusters)

    @cached_property
    def best(self) -> str | None:
        """The best of the other runs, of equal ones the first by name; None for one run."""
        order = in_order(-self.scores.values.mean(axis=1), self.scores.runs)
        return next((self.scores.runs[row] for row in order if self.scores.runs[row] != self.run), None)

    @cached_property
    def versus(self) -> tuple[Versus, ...]:
        """The best of the others and the baselines; none for one run or one query."""
        if self.others is None or self.best is None:
            return ()
        made = [self._versus("best", self.best, self.others, chosen=True)]
        made += [self._versus("baseline", name, self.named, chosen=False) for name in self.names if self.named]
        made += [self._versus("baseline", self.best, self.others, chosen=True)] if self.has_top else []
        return tuple(made)

    def _versus(self, role: Role, name: str, tests: PairTests, *, chosen: bool) -> Versus:
        mean = in_unit(float(self.scores.row(name).mean()), self.scores.better)
        return Versus(role, name, mean, tests, chosen)

    @property
    def baseline(self) -> str | None:
        """The first baseline; None without one."""
        return next(iter(self.names), self.best if self.has_top else None)

    @property
    def reference(self) -> str | None:
        """The run that gains and losses are counted against: the first baseline, or else the best other run."""
        return self.baseline or self.best


@dataclass(frozen=True, eq=False)
class ProfileAnswer:
    """One run under one measure and one target."""

    decomposed: DecomposeAnswer
    compared: Comparisons

    @property
    def request(self) -> ProfileRequest:
        return self.compared.request

    @property
    def run(self) -> str:
        """The run, by its full name."""
        return self.compared.run

    @property
    def row(self) -> int:
        """Its row among the runs."""
        return self.scores.runs.index(self.run)

    @property
    def scored(self) -> Scored:
        return self.decomposed.scored

    @property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs, as logarithms with `--log`."""
        return self.decomposed.targeted.scores

    @property
    def measure(self) -> str | None:
        return self.scores.measure

    @property
    def better(self) -> Better:
        return self.scores.better

    @property
    def target(self) -> VirtualTarget:
        return self.decomposed.target

    @property
    def result(self) -> Decomposition:
        """Bias, variance and total of all runs."""
        return self.decomposed.result

    @cached_property
    def rank(self) -> int:
        """The rank of the run by its mean, 1 the best; runs of equal means share the lower one."""
        return int(ranks(-self.result.mean)[self.row])

    @cached_property
    def rank_ends(self) -> tuple[int | None, int | None]:
        """The least and the greatest rank that the R - 1 pairs with the run leave; None without a test."""
        if self.compared.others is None:
            return None, None
        ends: tuple[Ranks, Ranks] = self.compared.others.ranks
        return ends[0][self.row], ends[1][self.row]

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The mean and the parts of the error, beside those of others."""
        runs, made = self.scores.runs, []
        for name in QUANTITIES:
            values: FloatArray = getattr(self.result, name)
            order = ranks(-values if name == "mean" else values)
            printed = [in_unit(value, self.better) if name == "mean" else value for value in values.tolist()]
            baseline, best = (
                printed[runs.index(other)] if other is not None else float("nan")
                for other in (self.compared.baseline, self.compared.best)
            )
            median = float(np.median(printed))
            made.append(Quantity(name, printed[self.row], int(order[self.row]), baseline, best, median))
        return made

    @property
    def versus(self) -> tuple[Versus, ...]:
        return self.compared.versus

    @cached_property
    def spread(self) -> tuple[int, float] | None:
        """How many runs the system has, and the standard deviation of their means; None for a single run."""
        parts = ReplicateVariance.of(self.scores)
        if parts is None or parts.n_replicates[self.row] < 2:
            return None
        return int(parts.n_replicates[self.row]), float(parts.sd[self.row])

    @cached_property
    def delta(self) -> FloatArray | None:
        """The difference from the reference on every query, (n_queries,); None for one run."""
        if self.compared.reference is None:
            return None
        return differences(self.scores.values[self.row], self.scores.row(self.compared.reference))

    @cached_property
    def worst_first(self) -> list[int]:
        """The queries, the largest loss first; in their order for one run."""
        if self.delta is None:
            return list(range(self.scores.n_queries))
        return [int(query) for query in np.argsort(self.delta, kind="stable")]

    @cached_property
    def stability(self) -> float | None:
        """How much more (above 0) or less the run varies than simulated runs of its mean; None where undefined."""
        z = self.decomposed.z
        value = None if z is None else z[self.row]
        return None if value is None or np.isnan(value) else float(value)


def answer(track: Track, request: ProfileRequest, *, done: Done = unwatched) -> list[ProfileAnswer]:
    """The run, for every measure of a track and every target; ``done`` is told of each sample of a test.

    Raises `DataError` for a run or a baseline that is not there.
    """
    null = NullRequest(seed=request.seed, jobs=request.jobs, shuffled=False, stability=True)
    compared: dict[int, Comparisons] = {}
    answers = []
    for scored, targeted in targeted_track(track.in_clusters(request.clusters), request):
        with_stability = targeted.scores.replicates is None
        wanted = DecomposeRequest(
            target=(targeted.target.spec.text,),
            log=request.log,
            eps=request.eps,
            stability=with_stability,
            null=null if with_stability else None,
            seed=request.seed,
        )
        if id(scored) not in compared:
            compared[id(scored)] = _comparisons(request, targeted.scores, done)
        answers.append(ProfileAnswer(DecomposeAnswer(wanted, scored, targeted), compared[id(scored)]))
    return answers


def _comparisons(request: ProfileRequest, scores: ScoreMatrix, done: Done) -> Comparisons:
    run = full_run(request.run, scores.runs)
    specs = request.specs
    names = tuple(dict.fromkeys(listed_run(spec, scores) for spec in specs if spec.kind == "run"))
    if run in names:
        raise DataError(f"{argument(baseline=run)}: that is the run of the profile itself; name another one")
    if specs and len(scores.runs) == 1:
        raise DataError(f"{argument(baseline=specs[0].text)}: there is no other run")
    return Comparisons(request, scores, run, names, any(spec.kind == "top" for spec in specs), done)


def full_run(name: str, runs: Sequence[str]) -> str:
    """The run that is meant by a name, NAME or run:NAME, of which the beginning will do.

    Raises `DataError` for a run that is not there, `UsageError` for none.
    """
    if not name:
        raise UsageError("name the run whose profile is wanted", option="run")
    return full_name(f"run {name}", name if name in runs else named_run(name), runs)
