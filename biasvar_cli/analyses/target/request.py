"""The request for a virtual target. The command line reads the types of its fields."""

from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.specs import BEST, TargetedRequest, TargetSpec, require_one
from biasvar_cli.words import DifficultyKey


@dataclass(frozen=True, kw_only=True)
class TargetRequest(TargetedRequest):
    """A target with a score for each query, and how the difficulty of the queries is measured.

    ``target`` is best, best:Q, perfect, ideal, run:NAME or file:PATH; with ``rarefied`` it is the expected best score
    of so many runs drawn at random. A query is hard if its best, or its mean, score over the runs is low
    (``difficulty``); groups of similar difficulty have ``subset_size`` queries.

    Raises `UsageError` for a request that cannot be answered.
    """

    rarefied: int | None = None
    difficulty: DifficultyKey = "best"
    subset_size: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one("target", self.target)
        if self.spec.kind == "mean":
            raise UsageError(f"{self.spec.text} has no score per query", option="target")
        if self.rarefied is not None and self.spec != BEST:
            raise UsageError(f"needs the target best, not {self.spec.text}", option="rarefied")

    @property
    def spec(self) -> TargetSpec:
        """The target, parsed."""
        return self.targets[0]
