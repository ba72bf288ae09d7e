"""What may be asked of a ranking. The types of its fields are read by the command line, so they are no strings."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasvar_cli.specs import TargetSpec, parse_target, require_limits

if TYPE_CHECKING:
    from biasvar_cli.scores import LogTransform


@dataclass(frozen=True, kw_only=True)
class SensitivityRequest:
    """Targets, each of which gives an answer of its own, and how chance is looked at.

    ``target`` are best, best:Q, perfect, ideal, run:NAME, mean:X and file:PATH; ``log`` takes logarithms of the scores.
    ``teams`` is a csv of run,team. The queries are split into halves ``splits`` times; ``precision`` is the half-width
    of the interval of ln var that so many queries are needed for.

    Raises `UsageError` for what cannot be asked.
    """

    target: tuple[str, ...] = ("best",)
    log: "LogTransform | None" = None
    teams: str | None = None
    splits: int = 100
    precision: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        require_limits(self)
        assert self.specs, "there is a target"

    @property
    def specs(self) -> tuple[TargetSpec, ...]:
        """The targets, each once."""
        return tuple(parse_target(text) for text in dict.fromkeys(self.target))

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets and teams are read from."""
        targets = tuple(str(spec.name) for spec in self.specs if spec.kind == "file")
        return targets if self.teams is None else (*targets, self.teams)
