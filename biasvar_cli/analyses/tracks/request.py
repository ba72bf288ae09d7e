"""What may be asked of many tracks. Nothing that computes is imported: ``--help`` reads this module."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasvar_cli.errors import UsageError
from biasvar_cli.specs import NullRequest, require_limits

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design

SAMPLINGS = ("single", "random", "difficulty", "normalised")
LETTERS = dict(zip(SAMPLINGS, "abcd", strict=True))  # columns of CIKM'14


@dataclass(frozen=True, kw_only=True)
class TracksRequest:
    """How the queries of every track are sampled, and what its correlations are compared with.

    ``null`` is None where no null model is wanted. ``jobs`` tracks are computed at once.

    Raises `UsageError` for what cannot be asked.
    """

    design: "Design"
    null: "NullRequest | None" = None
    jobs: int = 1

    def __post_init__(self) -> None:
        require_limits(self)
        if len(self.design.subset_size) > 1:
            raise UsageError("the tracks of a manifest take one size, the same for all", option="subset_size")
