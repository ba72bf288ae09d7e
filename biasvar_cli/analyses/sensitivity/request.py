"""What may be asked of a ranking. The types of its fields are read by the command line, so they are no strings."""

from dataclasses import dataclass

from biasvar_cli.specs import TargetedRequest


@dataclass(frozen=True, kw_only=True)
class SensitivityRequest(TargetedRequest):
    """Targets, each of which gives an answer of its own, and how chance is looked at.

    ``teams`` is a csv of run,team. The queries are split into halves ``splits`` times; ``precision`` is the half-width
    of the interval of ln var that so many queries are needed for.

    Raises `UsageError` for what cannot be asked.
    """

    teams: str | None = None
    splits: int = 100
    precision: float = 0.2
    seed: int = 0

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets and teams are read from."""
        return super().files if self.teams is None else (*super().files, self.teams)
