"""The request for the sensitivity of a ranking. The command line reads the types of its fields."""

from dataclasses import dataclass

from biasvar_cli.specs import TargetedRequest


@dataclass(frozen=True, kw_only=True)
class SensitivityRequest(TargetedRequest):
    """Targets, each with an answer of its own, and the parameters of random halves and of precision.

    ``teams`` is a csv of run,team. The queries are split into halves ``splits`` times; ``precision`` is the half-width
    of the interval of ln var for which the needed queries are counted.

    Raises `UsageError` for a request that cannot be answered.
    """

    teams: str | None = None
    splits: int = 100
    precision: float = 0.2
    seed: int = 0

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets and teams are read from."""
        return super().files if self.teams is None else (*super().files, self.teams)
