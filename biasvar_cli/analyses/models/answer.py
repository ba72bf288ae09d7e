"""Estimation bias-variance of query models, and what options add to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.models import EstimationRequest
from biasvar_cli.arrays import FloatArray, is_least
from biasvar_cli.errors import full_name
from biasvar_cli.query_models.estimation import RANKED, Estimation
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.specs import LEVEL, RESAMPLES
from biasvar_cli.stats.correlation import Correlations, correlations, kendall
from biasvar_cli.words import Better, argument

if TYPE_CHECKING:  # what few runs ask for is imported when it is asked for
    from biasvar_cli.analyses.models.joint import Joint
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
        return (
            [] if against is None else list(compress(against.runs, (against.bias.value < 0) & (against.var.value < 1)))
        )

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
        from biasvar_cli.analyses.models.joint import joint

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
