"""What may be asked of a virtual target. The types of its fields are read by the command line."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasvar_cli.errors import UsageError
from biasvar_cli.specs import BEST, TargetSpec, parse_target, require_limits
from biasvar_cli.words import DifficultyKey

if TYPE_CHECKING:
    from biasvar_cli.scores import LogTransform


@dataclass(frozen=True, kw_only=True)
class TargetRequest:
    """A target that has a score of each query, and how hard queries are told from easy ones.

    ``target`` is best, best:Q, perfect, ideal, run:NAME or file:PATH; with ``rarefied`` it is the best score expected
    of so many runs drawn at random. A query is hard if its best, or its mean, score over the runs is low
    (``difficulty``); groups of like difficulty have ``subset_size`` queries. ``log`` takes logarithms of the scores.

    Raises `UsageError` for what cannot be asked.
    """

    target: str = "best"
    rarefied: int | None = None
    difficulty: DifficultyKey = "best"
    subset_size: int = 10
    log: "LogTransform | None" = None

    def __post_init__(self) -> None:
        require_limits(self)
        if self.spec.kind == "mean":
            raise UsageError(f"{self.target} has no score per query to look at", option="target")
        if self.rarefied is not None and self.spec != BEST:
            raise UsageError(f"needs the target best, not {self.target}", option="rarefied")

    @property
    def spec(self) -> TargetSpec:
        """The target, parsed."""
        return parse_target(self.target)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the target is read from."""
        return (str(self.spec.name),) if self.spec.kind == "file" else ()
