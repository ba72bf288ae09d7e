"""The request for the sensitivity of a ranking. The command line reads the types of its fields."""

from dataclasses import dataclass

from biasvar_cli.settings import STATISTICS, Function, replaced, setting
from biasvar_cli.specs import SampledRequest, TargetedRequest


@dataclass(frozen=True, kw_only=True)
class SensitivityRequest(TargetedRequest):
    """Targets, each with an answer of its own, and the parameters of random halves and of precision.

    Raises `UsageError` for a request that cannot be answered.
    """

    teams: str | None = setting(
        None, STATISTICS, "A csv of run,team: leave out the whole team of a run too.", file=True
    )
    splits: int = setting(
        100, STATISTICS, "How often to split the queries into random halves.", metavar="N", limits="repeats"
    )  # fewer than of swaps, for all splits are in memory at once
    precision: float = setting(
        0.2, STATISTICS, "Say how many queries ln var needs for an interval of ± W.", metavar="W"
    )
    seed: int = replaced(SampledRequest, "seed")

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets and teams are read from."""
        return super().files if self.teams is None else (*super().files, self.teams)


FUNCTION = Function(
    SensitivityRequest,
    """How far the ranking of the runs by total depends on the target, on single runs and queries, and on chance.

    ``frame()`` has the ranking against other targets; ``frame("runs")``, ``frame("neighbours")``, ``frame("queries")``,
    ``frame("reliability")`` and ``frame("mean")`` are the other tables of ``biasvar sensitivity``.
    """,
)
