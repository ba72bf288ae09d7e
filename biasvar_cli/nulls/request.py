"""What is asked of the null models. It is imported for ``--help``, so that nothing heavy stands here."""

from __future__ import annotations

from dataclasses import dataclass

from biasvar_cli.specs import require_limits


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the deciding models.

    ``null_samples`` None is `nulls.models.usual_samples` of the pool, and more where these leave the verdict open.
    Raises `UsageError` for a number that is out of range.
    """

    null_samples: int | None = None
    seed: int = 0
    jobs: int = 1
    shuffled: bool = True
    stability: bool = False

    def __post_init__(self) -> None:
        require_limits(self)
