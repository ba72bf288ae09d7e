"""What may be asked of the tradeoff, and the columns of the tables of the answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from biasvar_cli import settings
from biasvar_cli.decomposition import Design
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import OUTPUT, QUERY_SAMPLES, STATISTICS, Completion, Function, part, setting
from biasvar_cli.specs.machine import is_file
from biasvar_cli.specs.requests import NullRequest, TargetedRequest
from biasvar_cli.tables.column import BY_NULL, CORRELATIONS, MEASURE, QUANTITIES, RUN, TARGET, Column, Declared
from biasvar_cli.words import SAMPLING_KINDS, Form, argument

if TYPE_CHECKING:
    from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail
    from biasvar_cli.decomposition import Sampling
    from biasvar_cli.scoring.families import Family


NORMALISED = "-normalised"
DETAILS = (*SAMPLING_KINDS, *(f"{kind}{NORMALISED}" for kind in ("single", "difficulty", "groups")))


@dataclass(frozen=True, kw_only=True)
class TradeoffRequest(TargetedRequest):
    """Targets, how samples of the queries are taken, null models, and what is shown behind the correlations.

    ``groups`` is a csv of query,group, whose groups `answer` adds to the design. ``null`` is None where no null models
    are wanted. ``form`` keeps the rows of one form, and the normalised ones. ``detail`` asks for the runs under one
    sampling: one of `DETAILS`. ``families`` is a file of their members or a pattern of run names, and ``baseline`` is
    the run that the members are compared with. The null models are of the families then, or of them and the samplings
    together where both are shown (``with_samplings``).

    Raises `UsageError` for what cannot be asked.
    """

    design: Design = part(Design)
    groups: str | None = setting(None, QUERY_SAMPLES, settings.GROUPS_HELP, file=True)
    null: NullRequest | None = field(default_factory=NullRequest)
    form: Form | None = None
    detail: str | None = setting(
        None,
        OUTPUT,
        "Show bias², variance and total of every run under one sampling instead: "
        f"{', '.join(SAMPLING_KINDS)}, or NAME{NORMALISED}.",
        metavar="SAMPLING",
    )
    families: str | None = setting(
        None,
        STATISTICS,
        f"Show the correlation within families instead: {settings.FAMILIES_HELP}",
        completion=Completion(paths=True),
        metavar="FILE|PATTERN",
        brief=settings.FAMILIES_BRIEF,
    )
    baseline: str | None = setting(
        None, STATISTICS, settings.BELOW_HELP, completion=Completion(names=True), metavar="RUN"
    )
    with_samplings: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        has_groups = self.groups is not None or self.design.groups is not None
        if self.detail is not None and self.detail not in DETAILS:
            raise UsageError(f"expected one of {', '.join(DETAILS)}, found {self.detail!r}", option="detail")
        if self.detail is not None and self.families is not None:
            raise UsageError(f"shows another table than {argument('families')}; ask for one of them", option="detail")
        if self.detail is not None and self.detail.startswith("groups") and not has_groups:
            raise UsageError(f"{self.detail} needs groups of queries", option="detail")
        if self.detail is not None and self.null is not None and self.null.null_samples is not None:
            raise UsageError("has no place beside detail, whose rows are runs", option="null_samples")
        if self.baseline is not None and self.families is None:
            raise UsageError(f"needs {argument('families')}", option="baseline")
        if self.families is not None and not self.with_samplings:
            why = "has no place beside families, which is of single queries"
            if self.groups is not None:
                raise UsageError(why, option="groups")
            self.design.require_single(why)

    @property
    def table(self) -> str:
        """Which of the tables is asked for."""
        return "detail" if self.detail is not None else "samplings" if self.families is None else "families"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets, groups and families are read from."""
        families = self.families if self.families is not None and is_file(self.families) else None
        return (*super().files, *(path for path in (self.groups, families) if path is not None))


FUNCTION = Function(
    TradeoffRequest,
    """The correlations of bias² and variance over the runs, under samples of the queries, in both forms.

    A row a sampling and form, as ``biasvar tradeoff`` has them; ``null`` adds the null models of Pearson's r. With
    ``detail`` a row a run under one sampling, with ``families`` a row a family.
    """,
    null=True,
    tables=lambda request: (request.table,),
)


_KIND = "`single` queries; `random` partitions; `random-exact`, their expectation; `difficulty`; `groups`"
_SIZE = "queries in a subset (the last one may differ); empty for `groups`"
_SAMPLING: tuple[Column[Sampling], ...] = (
    Column("sampling", _KIND, "kind"),
    Column("subset_size", _SIZE, "size", head="size", latex="subset size"),
    Column("normalised", "whether subset means are divided by the target's"),
)
_FAMILY: tuple[Column[Family], ...] = (
    Column("family", "the family", "name"),
    Column("n_runs", "its members among the runs", lambda family: len(family.members), head="runs", better="more"),
)
_OVER_SUBSETS = {  # what the errors are where subsets of queries take the place of single queries
    "bias": "the target's mean minus the weighted mean of the run's subset means; normalised: 1 minus it",
    "bias2": "its square, averaged over the partitions",
    "var": "the variance of the subset means, averaged over the partitions",
    "total": "`bias2` + `var`",
    "var_gap": "the variance of the subset means of target minus score; normalised: `var`",
    "total_gap": "`bias2` + `var_gap`",
}


_N_SUBSETS = "how many subsets the means are of"
_N_DROPPED = "how many were left out because the target is 0 there"
_KEYS: tuple[Column[Any], ...] = (MEASURE.on("answer"), TARGET.on("answer"))
_ROWS: Declared[Correlated] = (
    *_KEYS,
    *(column.on("sampling").over("rows") for column in _SAMPLING),
    *CORRELATIONS,
    Column("n_subsets", _N_SUBSETS, latex="subsets", better="more", hidden=True).over("rows"),
    Column("n_dropped", _N_DROPPED, "dropped", latex="dropped", hidden=True).over("rows"),
    *BY_NULL,
)
_BETWEEN = "`var` over the variance over single queries: the share that lies between the subsets; not normalised"
_LEAST = "which of `bias2`, `var` and `total` are least in this run, separated by a space"
_DETAIL: Declared[Detail] = (
    *_KEYS,
    *(replace(column.on("sampling"), key=True) for column in _SAMPLING),
    RUN.on("answer.decomposition"),
    QUANTITIES["mean"].on("answer.decomposition"),
    *(replace(QUANTITIES[name], meaning=meaning).on("errors") for name, meaning in _OVER_SUBSETS.items()),
    Column("between", _BETWEEN, priority=2),
    Column("least", _LEAST, priority=5),
)
_N_BELOW = "members with less bias² and less variance than that run"
_BELOW = "which these are, in order of their parameter, separated by a space"
_OF_BASELINE: tuple[Column[Correlated], ...] = (
    Column("n_below", _N_BELOW, lambda table: table.below and list(map(len, table.below)), latex="members below"),
    Column("below", _BELOW),
)
_FAMILIES: Declared[Correlated] = (
    *_KEYS,
    *(column.over("families") for column in _FAMILY),
    *CORRELATIONS,
    *BY_NULL,
    *(replace(column, hidden=True, option="--families --baseline") for column in _OF_BASELINE),
)
TABLES: dict[str, Declared[Any]] = {"samplings": _ROWS, "detail": _DETAIL, "families": _FAMILIES}
