"""What may be asked of a decomposition. The command line reads the types of its fields, so they are no strings."""

from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.specs import TargetedRequest, parse_run_baseline
from biasvar_cli.words import IntervalMethod, Redrawn, argument


@dataclass(frozen=True, kw_only=True)
class DecomposeRequest(TargetedRequest):
    """Targets, and what is computed beside bias², variance and total.

    ``weights`` are those of bias² and variance in a weighted total. ``stability`` is made of the null models, ``null``,
    which are None where none are wanted. ``ci`` is the level of intervals, which are made from so many ``resamples``
    (2000) by ``ci_method`` (auto), those of the correlations ``over`` others than queries too; ``teams`` is a csv of
    run,team for these. ``baseline`` is the run that all others are compared with, NAME, run:NAME or top.

    Raises `UsageError` for what cannot be asked.
    """

    weights: tuple[float, float] | None = None
    rank: bool = False
    pareto: bool = False
    stability: bool = False
    ci: float | None = None
    resamples: int | None = None
    ci_method: IntervalMethod | None = None
    over: tuple[Redrawn, ...] = ()
    teams: str | None = None
    baseline: str | None = None
    null: NullRequest | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.baseline is not None:
            parse_run_baseline(self.baseline)
        if self.weights is not None and not any(self.weights):
            raise UsageError("expected weights of which one is above 0, found 0,0", option="weights")
        for name in ("resamples", "ci_method", "over", "teams"):
            if self.ci is None and getattr(self, name):
                raise UsageError(f"needs {argument('ci')}, the level of the intervals", option=name)
        if "teams" in self.over and self.teams is None:
            raise UsageError(f"needs {argument('teams')}, a csv of run,team, where teams are drawn", option="over")
        if self.teams is not None and not {"teams", "both"} & set(self.over):
            raise UsageError(f"needs {argument('over')}, teams or both", option="teams")
