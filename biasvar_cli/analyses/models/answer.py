"""Estimation bias-variance of query models, and what options add to it, such as the performance of their runs.

IPM'14 compares the bias and variance of average precision with those of the estimation error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.models import EstimationRequest
from biasvar_cli.arrays import FloatArray, is_least
from biasvar_cli.decomposition.decompose import Decomposition, decompose
from biasvar_cli.errors import DataError, full_name, warn
from biasvar_cli.query_models.estimation import RANKED, Estimation
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.specs.limits import LEVEL, RESAMPLES
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.stats.correlation import Correlations, correlations, kendall
from biasvar_cli.words import Better, argument, counted, examples, verb

if TYPE_CHECKING:  # what few runs ask for is imported when it is asked for
    from biasvar_cli.decomposition.baseline import Compared, Comparisons
    from biasvar_cli.decomposition.intervals import Intervals
    from biasvar_cli.readers.maps import Member
    from biasvar_cli.scoring.families import Family
    from biasvar_cli.scoring.track import Scored


class OtherEpsilon(NamedTuple):
    """The ranking of the models with another epsilon: Kendall's tau with this ranking, by each of `RANKED`.

    ``least`` are the models of the least total, first those that have it with this epsilon too.
    """

    estimation: Estimation
    tau: Mapping[str, float]
    least: tuple[str, ...]

    @property
    def epsilon(self) -> float | None:
        return self.estimation.setting.epsilon


class MembersBelow(NamedTuple):
    """The members of a family with less bias² and less variance than the baseline, and how many by both intervals."""

    members: tuple[str, ...]
    n_certain: int


@dataclass(frozen=True, eq=False)
class Joint:
    """The errors of the runs that have a model, in the order of the models, with Kendall's tau of both over them.

    ``estimation`` is that of these models on the queries that models and runs share, as is the performance. ``tau`` has
    the correlations of a model's bias, variance and total with its run's in the score form; nan where they are
    undefined.
    """

    performance: Decomposition
    estimation: Estimation
    tau: Mapping[str, float]

    @property
    def models(self) -> tuple[str, ...]:
        return self.estimation.models


@dataclass(frozen=True, eq=False)
class EstimationAnswer:
    """Query models under one divergence and one epsilon.

    ``members`` are families of models, or the pattern of their names; ``runs`` the runs of the models under one
    measure; both are None where they are not asked for. What takes long is computed on its first use.
    """

    request: EstimationRequest
    models: QueryModels
    estimation: Estimation
    members: Mapping[str, Member] | str | None = None
    runs: Scored | None = None

    @property
    def better(self) -> Better:
        """Whether more or less of the measure of the runs is better."""
        return "more" if self.runs is None else self.runs.scores.better

    @cached_property
    def tradeoff(self) -> Correlations:
        """The correlations of bias² and variance over the models."""
        return correlations(self.estimation.bias2, self.estimation.var)

    @cached_property
    def other_epsilons(self) -> list[OtherEpsilon]:
        """The rankings of the models with every other epsilon, the smallest first."""
        divergence, epsilon = self.estimation.setting
        others = {
            other.setting.epsilon or 0: other
            for other in (*self.models.estimations, *self.models.beside)
            if other.setting.divergence == divergence and other.setting.epsilon not in (None, epsilon)
        }
        first = is_least(self.estimation.total)
        several = []
        for _, other in sorted(others.items()):
            tau = {name: kendall(getattr(self.estimation, name), getattr(other, name)).item() for name in RANKED}
            least = sorted(np.flatnonzero(is_least(other.total)).tolist(), key=lambda model: not first[model])
            several.append(OtherEpsilon(other, tau, tuple(other.models[model] for model in least)))
        return several

    @cached_property
    def intervals(self) -> Intervals | None:
        """The intervals of every quantity; None where none are asked for."""
        if self.request.ci is None:
            return None
        from biasvar_cli.decomposition.intervals import intervals

        targeted, n_resamples = self.estimation.targeted, self.request.resamples or RESAMPLES
        return intervals(
            targeted.scores, targeted.target, level=self.request.ci, n_resamples=n_resamples, seed=self.request.seed
        )

    def ends(self, name: str) -> tuple[FloatArray, FloatArray] | None:
        """The two ends of the intervals of a quantity; None without intervals, as for a plain sum."""
        if self.intervals is None or self._is_plain_sum(name):
            return None
        interval = getattr(self.intervals, name)
        return interval.low, interval.high

    @cached_property
    def comparisons(self) -> Comparisons | None:
        """Every model compared with the baseline, with intervals; None without a baseline."""
        if self.request.baseline is None:
            return None
        from biasvar_cli.decomposition.baseline import compare

        targeted = self.estimation.targeted
        level = self.request.ci or LEVEL
        return compare(targeted.scores, targeted.target, self.request.baseline, level=level, noun="model")

    def compared(self, name: str) -> Compared | None:
        """A quantity of every model compared with the baseline's; None without a baseline, and for a plain sum."""
        if self.comparisons is None or self._is_plain_sum(name):
            return None
        compared: Compared = getattr(self.comparisons, name)
        return compared

    def _is_plain_sum(self, name: str) -> bool:
        return name == "total" and self.estimation.sum == "plain"

    @cached_property
    def below(self) -> list[str]:
        """The models with less bias and less variance than the baseline; empty without one."""
        against = self.comparisons
        if against is None:
            return []
        return list(compress(against.runs, (against.bias.value < 0) & (against.var.value < 1)))

    @cached_property
    def certainly_below(self) -> list[str]:
        """The models below the baseline by both intervals."""
        against = self.comparisons
        if against is None:
            return []
        certain = set(compress(against.runs, (against.bias.high < 0) & (against.var.high < 1)))
        return [name for name in self.below if name in certain]

    @cached_property
    def families(self) -> list[Family] | None:
        """The families of the models, whose members are compared with the baseline; None without families."""
        if self.members is None:
            return None
        from biasvar_cli.scoring.families import families_in

        return families_in(self.estimation.decomposition, self.members, self.request.baseline, noun="model")

    @property
    def members_below(self) -> list[MembersBelow] | None:
        """The members of every family that are below the baseline; None without a baseline."""
        if self.request.baseline is None:
            return None
        below = [family.below_score or () for family in self.families or ()]
        return [MembersBelow(names, sum(name in self.certainly_below for name in names)) for names in below]

    @cached_property
    def joint(self) -> Joint | None:
        """The performance of the runs beside the estimation of their models; None without runs."""
        if self.runs is None:
            return None
        return joint(self.estimation, self.runs, self.request.target_spec)

    def of_all_models(self, quantity: Callable[[Joint], Any]) -> list[float] | None:
        """A quantity of the models that have a run, nan for the others; None without runs."""
        if self.joint is None:
            return None
        values = dict(zip(self.joint.models, np.asarray(quantity(self.joint)).tolist(), strict=True))
        return [values.get(model, float("nan")) for model in self.estimation.models]


def answer(
    models: QueryModels,
    request: EstimationRequest,
    *,
    members: Mapping[str, Member] | str | None = None,
    runs: Scored | None = None,
) -> list[EstimationAnswer]:
    """The models under every setting of their request.

    ``members`` and ``runs`` are what `EstimationAnswer` has. Raises what `full_name` raises of the baseline; what else
    is not there, such as a target, raises `DataError` when it is first used.
    """
    if request.baseline is not None:
        name = full_name(argument(baseline=request.baseline), request.baseline, models.estimations[0].models, "model")
        request = replace(request, baseline=name)
    return [EstimationAnswer(request, models, estimation, members, runs) for estimation in models.estimations]


def joint(estimation: Estimation, scored: Scored, target: TargetSpec) -> Joint:
    """Pair models and runs by name, on the queries that both have. All given runs count for the target, except the run
    of the true model, unless the target is that run.

    Raises `DataError` where no name, or no query, is in both; warns of models, runs and queries that are in only one of
    them, and of the run of the true model where it would count for the target.

    >>> from biasvar_cli.query_models import Setting
    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> from biasvar_cli.scoring.track import Scored
    >>> from biasvar_cli.specs.targets import BEST
    >>> models, queries, ones = ("orig", "rm", "rm3"), ("q1", "q2"), np.ones(3)
    >>> errors = np.array([[3.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    >>> runs = ScoreMatrix(np.array([[0.1, 0.2], [0.2, 0.3], [0.5, 0.4]]), models, queries, "AP")
    >>> estimation = Estimation(Setting("js", None), models, queries, errors, ones, ones)
    >>> result = joint(estimation, Scored(runs, runs, None, None), BEST)
    >>> result.performance.bias.round(6).tolist(), round(result.tau["bias"], 6)  # the least error has the best run
    ([0.3, 0.2, 0.0], 1.0)
    """
    from biasvar_cli.scoring.targets import targeted_scores

    names = [name for name in estimation.models if name in scored.scores.runs]
    if not names:
        there = f"the models are {examples(estimation.models)}, the runs {examples(scored.scores.runs)}"
        raise DataError(f"no run has the name of a model: {there}; the file names without .gz and .tsv must be equal")
    _warn_of("model", "run", [name for name in estimation.models if name not in names])
    _warn_of("run", "model", [run for run in scored.scores.runs if run not in (*names, estimation.true)])
    queries = [query for query in scored.scores.queries if query in set(estimation.queries)]
    if target.form.of_pool and estimation.true in scored.pool.runs:  # made from the relevance judgments
        remedy = f"{argument(target=f'run:{estimation.true}')} makes it the target"
        warn(f"the run of the true model, {estimation.true}, does not count for the target; {remedy}")
        scored = scored.map(lambda matrix: matrix.select([run for run in matrix.runs if run != estimation.true]))
    targeted = targeted_scores(_on_queries(scored, queries, estimation.queries), target)
    performance = decompose(targeted.scores.select(names), targeted.target)
    part = estimation.part(names, queries)
    tau = {name: kendall(getattr(part, name), getattr(performance, name)).item() for name in RANKED}
    return Joint(performance, part, tau)


def _on_queries(scored: Scored, queries: Sequence[str], estimated: Sequence[str]) -> Scored:
    """The scores on the queries that the models have too."""
    evaluated, ideal = scored.scores.queries, scored.ideal
    if not queries:
        there = f"the models have {examples(estimated)}, the runs {examples(evaluated)}"
        raise DataError(f"the models and the runs have no query in common: {there}")
    if len(queries) == len(evaluated) == len(estimated):
        return scored
    there = f"the models have {len(estimated)}, the runs {len(evaluated)}"
    warn(f"the joint table uses the {counted(len(queries), 'query')} that models and runs share: {there}")
    at = [evaluated.index(query) for query in queries]
    shared = scored.map(lambda matrix: replace(matrix, values=matrix.values[:, at], queries=tuple(queries)))
    return replace(shared, ideal=None if ideal is None else lambda: ideal()[at])


def _warn_of(noun: str, other: str, names: Sequence[str]) -> None:
    if names:
        left_out = verb(len(names), f"has no {other} and is left out", f"have no {other} and are left out")
        warn(f"{counted(len(names), noun)} {left_out} of the joint table: {examples(names)}")
