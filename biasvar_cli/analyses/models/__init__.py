"""What may be asked of query models, and the columns of the tables of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, same_setting, setting
from biasvar_cli.specs.limits import LEVEL, require_limits
from biasvar_cli.specs.requests import SampledRequest
from biasvar_cli.specs.targets import BEST, TARGET_COMPLETION, TargetSpec, parse_target
from biasvar_cli.tables.column import COEFFICIENTS, QUANTITIES, Column, Declared
from biasvar_cli.words import argument

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.answer import EstimationAnswer, Joint, MembersBelow
    from biasvar_cli.decomposition.baseline import Compared
    from biasvar_cli.scoring.families import Family


@dataclass(frozen=True, kw_only=True)
class EstimationRequest:
    """What is shown beside the estimation: a baseline, intervals, and the performance of the runs of the models.

    Models are compared with the model ``baseline``. ``ci`` is the level of the intervals (`LEVEL` for the
    baseline) and ``resamples`` (2000) the number of resamples that they are made from. ``runs`` have the names of the
    models; ``qrels`` are their judgments, ``measure`` is their measure and ``target`` (best) their virtual target.

    Raises `UsageError` for a request that cannot be answered.
    """

    baseline: str | None = setting(
        None,
        STATISTICS,
        "Name the models with less bias² and less variance than this model, with intervals.",
        metavar="MODEL",
    )
    ci: float | None = same_setting(
        SampledRequest,
        "ci",
        help=f"Add confidence intervals of this level, such as {LEVEL}; also the level of --baseline ({LEVEL}).",
    )
    resamples: int | None = same_setting(SampledRequest, "resamples")
    seed: int = same_setting(SampledRequest, "seed")
    runs: tuple[str, ...] = setting(
        (),
        COMMON,
        "Runs or scores with the names of the models: add their performance beside the estimation. Repeatable.",
        metavar="INPUT",
        brief="Runs or scores with the names of the models.",
    )
    qrels: str | None = setting(None, COMMON, "Relevance judgments for --runs.", file=True, names=("-q", "--qrels"))
    measure: tuple[str, ...] = setting(
        (), COMMON, "Measure of --runs. Default: AP, or their only one.", metavar="NAME", names=("-m", "--measure")
    )
    target: str | None = setting(
        None,
        COMMON,
        "Virtual target of --runs, as for decompose. Default: best.",
        completion=TARGET_COMPLETION,
        metavar="TARGET",
    )
    jobs: int = 1

    def __post_init__(self) -> None:
        require_limits(self)
        if self.resamples is not None and self.ci is None:
            raise UsageError(f"needs {argument('ci')}, the level of the intervals", option="resamples")
        for name in ("qrels", "measure", "target"):
            if getattr(self, name) and not self.runs:
                what = f"needs {argument('runs')}, whose performance is shown beside the estimation"
                raise UsageError(what, option=name)
        if self.target is not None:
            parse_target(self.target)

    @property
    def target_spec(self) -> TargetSpec:
        """The virtual target of the runs."""
        return BEST if self.target is None else parse_target(self.target)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are read beside the models and the runs: judgments, and scores of the target."""
        return tuple(path for path in (self.qrels, self.target_spec.file) if path is not None)


_MODEL: Column[Any] = Column("model", "the name of the model", "models")
_QUANTITIES = {  # what they mean, and which columns are left out first
    "bias": ("the mean error of the model over the queries", 4),
    "bias2": ("`bias_est` squared", 1),
    "var": ("population variance of the errors over the queries", 0),
    "total": ("`bias2_est` + `var_est`; with `--sum plain` `bias_est` + `var_est`", 0),
}
ESTIMATED: dict[str, Column[Any]] = {
    f"{name}_est": replace(
        QUANTITIES[name],
        name=f"{name}_est",
        meaning=meaning,
        head="bias²_est" if name == "bias2" else "",
        latex=f"{QUANTITIES[name].heading} (est.)",
        priority=priority,
    ).on("estimation")
    for name, (meaning, priority) in _QUANTITIES.items()
}


def _ends(quantity: str) -> tuple[Column[EstimationAnswer], ...]:
    """The ends of the intervals of a quantity; text leaves out those of bias², which follow from those of bias."""
    column: Column[EstimationAnswer] = ESTIMATED[f"{quantity}_est"]
    priority = {"bias": 7, "var": 3, "total": 2}.get(quantity, 0)
    return column.ends(lambda a: a.ends(quantity), option="--ci", hidden=quantity == "bias2", priority=priority)


def _beside_baseline(name: str, quantity: str, meaning: str, latex: str) -> Iterator[Column[EstimationAnswer]]:
    """A quantity of every model beside the baseline's, with the ends of its interval, its p and its adjusted p."""
    added: dict[str, Any] = {"option": "--baseline", "hidden": True}
    value: Column[Compared] = Column(name, meaning, "value", latex=latex, **added)
    ends = value.ends(lambda compared: (compared.low, compared.high), priority=1, **added)
    p = value.part("_p", "the two-sided p of no difference", "p", "$p$", **added)
    holm = "that p adjusted for all models (Holm)"
    p_holm = value.part("_holm", holm, "p_holm", "$p$ (Holm)", **added)
    for column in (value, *ends, p, p_holm):
        yield column.on(lambda answer: answer.compared(quantity))


_DIVERGENCE = "the divergence that measures the error of a query"
_EPSILON = "the weight of the background in smoothing; empty for js, which does not use it"
_UNSEEN = "the mass of the true model on terms that the model lacks, the mean over the queries"
_N_TERMS = "how many terms have a positive weight, the mean over the queries"
_D_TOTAL = "`total_est` minus the baseline's; not with `--sum plain`"
ESTIMATION: Declared[EstimationAnswer] = (
    Column("divergence", _DIVERGENCE, "estimation.setting.divergence", key=True),
    Column("epsilon", _EPSILON, "estimation.setting.epsilon", key=True),
    _MODEL.on("estimation"),
    *ESTIMATED.values(),
    Column("unseen", _UNSEEN, "estimation.unseen", better="less", priority=5),
    Column("n_terms", _N_TERMS, "estimation.n_terms", latex="terms", priority=6),
    *(end for quantity in _QUANTITIES for end in _ends(quantity)),
    *_beside_baseline("d_bias_est", "bias", "`bias_est` minus the baseline's", "$\\Delta$ bias (est.)"),
    *_beside_baseline("d_total_est", "total", _D_TOTAL, "$\\Delta$ total (est.)"),
    *_beside_baseline("ratio_var_est", "var", "`var_est` over the baseline's", "variance ratio (est.)"),
)
_PERFORMED: tuple[Column[Joint], ...] = tuple(
    replace(column.on("performance"), meaning=f"of the model's run: {column.meaning}", option="--runs")
    for column in QUANTITIES.values()
)
JOINT: Declared[Joint] = (_MODEL, *_PERFORMED, *ESTIMATED.values())


def _model_column(column: Column[Joint], **changes: str) -> Column[EstimationAnswer]:
    """A column of the models with a run as a column of all models."""

    def values(answer: EstimationAnswer) -> Any:
        return answer.of_all_models(column.of)

    return replace(column, values=values, option="--runs -f csv", **changes)  # type: ignore[arg-type, return-value]


_N_JOINT: Column[Joint] = Column(
    "n_queries_joint", "how many queries these are", lambda joint: [joint.performance.n_queries] * len(joint.models)
)
_BESIDE: Declared[EstimationAnswer] = (  # in formats that have rows alone
    *map(_model_column, _PERFORMED),
    *(
        _model_column(column, name=f"{name}_joint", meaning=f"`{name}` on the queries that models and runs share")
        for name, column in ESTIMATED.items()
    ),
    _model_column(_N_JOINT),
)


_N_BELOW = "its members with less bias² and less variance than the baseline"
_BY_INTERVAL = "how many of them have both intervals below the baseline"
_BELOW: tuple[Column[MembersBelow], ...] = (
    Column("n_below", _N_BELOW, lambda below: len(below.members), latex="members below"),
    Column("by_interval", _BY_INTERVAL, "n_certain", latex="by interval", priority=2),
    Column("below", "which these are", lambda below: list(below.members), priority=1),
)
_OF_FAMILY: tuple[Column[Family], ...] = (
    Column("family", "the name of the family", "name"),
    Column("n_models", "its models", lambda family: len(family.members), latex="models"),
    *(column.on(lambda family: family.rows[0].correlations) for column in COEFFICIENTS.values()),
)
_FAMILIES: Declared[EstimationAnswer] = (
    *(column.over("families") for column in _OF_FAMILY),
    *(column.over("members_below").optional("--baseline") for column in _BELOW),
)
TABLES: dict[str, Declared[Any]] = {"models": (*ESTIMATION, *_BESIDE), "families": _FAMILIES}
