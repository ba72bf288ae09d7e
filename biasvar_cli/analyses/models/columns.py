"""The columns of the tables of query models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import COEFFICIENTS, QUANTITIES

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.answer import EstimationAnswer
    from biasvar_cli.analyses.models.joint import Joint
    from biasvar_cli.decomposition.baseline import Compared
    from biasvar_cli.query_models.estimation import Estimation
    from biasvar_cli.scoring.families import Family

_MODEL: Column[Any] = Column("model", "the name of the model", attrgetter("models"))
_QUANTITIES: tuple[Column[Estimation], ...] = (
    Column(
        "bias_est",
        "the mean error of the model over the queries",
        lambda of: of.bias,
        latex="bias (est.)",
        better="less",
    ),
    Column("bias2_est", "`bias_est` squared", lambda of: of.bias2, latex="bias$^2$ (est.)", better="less"),
    Column(
        "var_est",
        "population variance of the errors over the queries",
        lambda of: of.var,
        latex="variance (est.)",
        better="less",
    ),
    Column(
        "total_est",
        "`bias2_est` + `var_est`; with `--sum plain` `bias_est` + `var_est`",
        lambda of: of.total,
        latex="total (est.)",
        better="less",
    ),
)
ESTIMATED = {column.name: column for column in _QUANTITIES}


def _ends(column: Column[Estimation]) -> tuple[Column[EstimationAnswer], ...]:
    """The ends of the intervals of a quantity; those of bias² follow from bias's and are not shown."""
    quantity = column.name.removesuffix("_est")
    own: Column[EstimationAnswer] = column.on(attrgetter("estimation"))
    return own.ends(lambda answer: answer.ends(quantity), option="--ci", shown=quantity != "bias2")


def _beside_baseline(name: str, quantity: str, meaning: str, latex: str) -> tuple[Column[EstimationAnswer], ...]:
    """A quantity of every model beside the baseline's, with the ends of its interval, its p and its adjusted p."""

    def of(value: Callable[[Compared], Any]) -> Callable[[EstimationAnswer], Any]:
        return lambda answer: None if (compared := answer.compared(quantity)) is None else value(compared)

    added: dict[str, Any] = {"option": "--baseline", "shown": False}
    own = Column(name, meaning, of(lambda compared: compared.value), latex=latex, **added)
    return (
        own,
        *own.ends(of(lambda compared: (compared.low, compared.high)), **added),
        own.part("_p", "the two-sided p of no difference", of(lambda compared: compared.p), "$p$", **added),
        own.part(
            "_holm",
            "that p adjusted for all models (Holm)",
            of(lambda compared: compared.p_holm),
            "$p$ (Holm)",
            **added,
        ),
    )


ESTIMATION: Declared[EstimationAnswer] = (
    Column(
        "divergence",
        "how the error of a query is measured",
        lambda answer: answer.estimation.setting.divergence,
        key=True,
    ),
    Column(
        "epsilon",
        "the background's share in smoothing; empty for js, which has none",
        lambda answer: answer.estimation.setting.epsilon,
        key=True,
    ),
    _MODEL.on(attrgetter("estimation")),
    *(column.on(attrgetter("estimation")) for column in _QUANTITIES),
    Column(
        "unseen",
        "mass of the true model on terms that the model lacks, the mean over the queries",
        lambda answer: answer.estimation.unseen,
        better="less",
    ),
    Column(
        "n_terms",
        "terms with a positive weight, the mean over the queries",
        lambda answer: answer.estimation.n_terms,
        latex="terms",
    ),
    *(end for column in _QUANTITIES for end in _ends(column)),
    *_beside_baseline("d_bias_est", "bias", "`bias_est` minus the baseline's", "$\\Delta$ bias (est.)"),
    *_beside_baseline(
        "d_total_est",
        "total",
        "`total_est` minus the baseline's; not with `--sum plain`",
        "$\\Delta$ total (est.)",
    ),
    *_beside_baseline("ratio_var_est", "var", "`var_est` over the baseline's", "variance ratio (est.)"),
)
_PERFORMED: tuple[Column[Joint], ...] = tuple(
    replace(column.on(attrgetter("performance")), meaning=f"of the model's run: {column.meaning}", option="--runs")
    for column in QUANTITIES.values()
)
_SHARED: tuple[Column[Joint], ...] = tuple(column.on(attrgetter("estimation")) for column in _QUANTITIES)
JOINT: Declared[Joint] = (_MODEL, *_PERFORMED, *_SHARED)


def _of_every_model(column: Column[Joint]) -> Column[EstimationAnswer]:
    """A column of the models that have a run as one of all models."""

    def of(answer: EstimationAnswer) -> Any:
        return answer.of_every_model(column.of)

    return replace(column, of=of)  # type: ignore[arg-type, return-value]


_BESIDE: Declared[EstimationAnswer] = (  # in formats that have rows alone
    *map(_of_every_model, _PERFORMED),
    *(
        _of_every_model(
            replace(
                column,
                name=f"{column.name}_joint",
                meaning=f"`{column.name}` on the queries that models and runs share",
                latex=f"{column.latex}, joint",
                option="--runs",
            )
        )
        for column in _SHARED
    ),
    _of_every_model(
        Column(
            "n_queries_joint",
            "how many queries these are",
            lambda joint: [joint.performance.n_queries] * len(joint.models),
            option="--runs",
        )
    ),
)


def _of_families(value: Callable[[Family], Any]) -> Callable[[EstimationAnswer], Any]:
    return lambda answer: [value(family) for family in answer.families or ()]


def _of_members_below(value: Callable[[EstimationAnswer, tuple[str, ...]], Any]) -> Callable[[EstimationAnswer], Any]:
    """A column of the members of each family that are below the baseline; None without one."""
    return lambda answer: (
        None
        if answer.request.baseline is None
        else [value(answer, family.below_score or ()) for family in answer.families or ()]
    )


_FAMILIES: Declared[EstimationAnswer] = (
    Column("family", "the name of the family", _of_families(lambda family: family.name)),
    Column("n_models", "its models", _of_families(lambda family: len(family.members)), latex="models"),
    *(
        replace(
            column,
            meaning=column.meaning.replace("the runs", "its models"),
            of=_of_families(partial(lambda name, family: getattr(family.rows[0].correlations, name), name)),
        )
        for name, column in COEFFICIENTS.items()
    ),
    Column(
        "n_below",
        "its members with less bias² and less variance than the baseline",
        _of_members_below(lambda _, below: len(below)),
        latex="members below",
        option="--baseline",
    ),
    Column(
        "by_interval",
        "how many of them have both intervals beyond it",
        _of_members_below(lambda answer, below: sum(name in answer.certainly_below for name in below)),
        latex="by interval",
        option="--baseline",
    ),
    Column("below", "which members these are", _of_members_below(lambda _, below: list(below)), option="--baseline"),
)
TABLES: dict[str, Declared[Any]] = {"models": (*ESTIMATION, *_BESIDE), "families": _FAMILIES}
