"""What may be asked of the tradeoff. The types of its fields are read by the command line, so they are no strings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from biasvar_cli.decomposition.design import Design
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import OUTPUT, setting
from biasvar_cli.specs import NullRequest, TargetedRequest
from biasvar_cli.words import SAMPLING_KINDS, Form, argument

if TYPE_CHECKING:
    from biasvar_cli.readers.maps import Member

NORMALISED = "-normalised"
DETAILS = (*SAMPLING_KINDS, *(f"{kind}{NORMALISED}" for kind in ("single", "difficulty", "groups")))


@dataclass(frozen=True, kw_only=True)
class TradeoffRequest(TargetedRequest):
    """Targets, how samples of the queries are taken, null models, and what is shown behind the correlations.

    ``null`` is None where no null models are wanted. ``form`` keeps the rows of one form, and the normalised ones.
    ``detail`` asks for the runs under one sampling: one of `DETAILS`. ``families`` are the members that a file names or
    a pattern of run names, and ``baseline`` is the run that their members are compared with. The null models are of the
    families then, or of them and the samplings together where both are shown (``with_samplings``).

    Raises `UsageError` for what cannot be asked.
    """

    design: Design = field(default_factory=Design)
    null: NullRequest | None = field(default_factory=NullRequest)
    form: Form | None = None
    detail: str | None = setting(
        None,
        OUTPUT,
        "Show bias², variance and total of every run under one sampling instead: "
        f"{', '.join(SAMPLING_KINDS)}, or NAME{NORMALISED}.",
        metavar="SAMPLING",
    )
    families: "Mapping[str, Member] | str | None" = None
    baseline: str | None = None
    with_samplings: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.detail is not None and self.detail not in DETAILS:
            raise UsageError(f"expected one of {', '.join(DETAILS)}, found {self.detail!r}", option="detail")
        if self.detail is not None and self.families is not None:
            raise UsageError(f"shows another table than {argument('families')}; ask for one of them", option="detail")
        if self.detail is not None and self.detail.startswith("groups") and self.design.groups is None:
            raise UsageError(f"{self.detail} needs groups of queries", option="detail")
        if self.baseline is not None and self.families is None:
            raise UsageError(f"needs {argument('families')}", option="baseline")
        if self.families is not None and not self.with_samplings:
            self.design.require_single("has no place beside families, which is of single queries")
