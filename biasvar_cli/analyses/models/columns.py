"""The columns of the tables of query models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import COEFFICIENTS, QUANTITIES

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.answer import EstimationAnswer, MembersBelow
    from biasvar_cli.analyses.models.joint import Joint
    from biasvar_cli.decomposition.baseline import Compared
    from biasvar_cli.scoring.families import Family

_MODEL: Column[Any] = Column("model", "the name of the model", attrgetter("models"))
_MEANINGS = {
    "bias": "the mean error of the model over the queries",
    "bias2": "`bias_est` squared",
    "var": "population variance of the errors over the queries",
    "total": "`bias2_est` + `var_est`; with `--sum plain` `bias_est` + `var_est`",
}
_PRIORITIES = {"bias": 4, "bias2": 1, "var": 0, "total": 0}
ESTIMATED: dict[str, Column[Any]] = {
    f"{name}_est": replace(
        QUANTITIES[name],
        name=f"{name}_est",
        meaning=meaning,
        head="bias²_est" if name == "bias2" else "",
        latex=f"{QUANTITIES[name].heading} (est.)",
        priority=_PRIORITIES[name],
    ).on(attrgetter("estimation"))
    for name, meaning in _MEANINGS.items()
}


def _ends(quantity: str) -> tuple[Column[EstimationAnswer], ...]:
    """The ends of the intervals of a quantity; those of bias² follow from bias's and are not shown."""
    column: Column[EstimationAnswer] = ESTIMATED[f"{quantity}_est"]
    shown, priority = quantity != "bias2", {"bias": 7, "var": 3, "total": 2}.get(quantity, 0)
    return column.ends(lambda answer: answer.ends(quantity), option="--ci", shown=shown, priority=priority)


def _beside_baseline(name: str, quantity: str, meaning: str, latex: str) -> Iterator[Column[EstimationAnswer]]:
    """A quantity of every model beside the baseline's, with the ends of its interval, its p and its adjusted p."""
    added: dict[str, Any] = {"option": "--baseline", "shown": False}
    own: Column[Compared] = Column(name, meaning, lambda compared: compared.value, latex=latex, **added)
    p = own.part("_p", "the two-sided p of no difference", lambda compared: compared.p, "$p$", **added)
    holm = own.part(
        "_holm", "that p adjusted for all models (Holm)", lambda compared: compared.p_holm, "$p$ (Holm)", **added
    )
    ends = own.ends(lambda compared: (compared.low, compared.high), priority=1, **added)
    for column in (own, *ends, p, holm):
        yield column.on(lambda answer: answer.compared(quantity))


ESTIMATION: Declared[EstimationAnswer] = (
    Column(
        "divergence",
        "the divergence that measures the error of a query",
        lambda answer: answer.estimation.setting.divergence,
        key=True,
    ),
    Column(
        "epsilon",
        "the weight of the background in smoothing; empty for js, which does not use it",
        lambda answer: answer.estimation.setting.epsilon,
        key=True,
    ),
    _MODEL.on(attrgetter("estimation")),
    *ESTIMATED.values(),
    Column(
        "unseen",
        "the mass of the true model on terms that the model lacks, the mean over the queries",
        lambda answer: answer.estimation.unseen,
        better="less",
        priority=5,
    ),
    Column(
        "n_terms",
        "how many terms have a positive weight, the mean over the queries",
        lambda answer: answer.estimation.n_terms,
        latex="terms",
        priority=6,
    ),
    *(end for quantity in _MEANINGS for end in _ends(quantity)),
    *_beside_baseline("d_bias_est", "bias", "`bias_est` minus the baseline's", "$\\Delta$ bias (est.)"),
    *_beside_baseline(
        "d_total_est", "total", "`total_est` minus the baseline's; not with `--sum plain`", "$\\Delta$ total (est.)"
    ),
    *_beside_baseline("ratio_var_est", "var", "`var_est` over the baseline's", "variance ratio (est.)"),
)
_PERFORMED: tuple[Column[Joint], ...] = tuple(
    replace(column.on(attrgetter("performance")), meaning=f"of the model's run: {column.meaning}", option="--runs")
    for column in QUANTITIES.values()
)
JOINT: Declared[Joint] = (_MODEL, *_PERFORMED, *ESTIMATED.values())


def _of_every_model(column: Column[Joint], name: str = "", meaning: str = "") -> Column[EstimationAnswer]:
    """A column of the models with a run as a column of all models; with another name it has a meaning of its own."""

    def of(answer: EstimationAnswer) -> Any:
        return answer.of_every_model(column.of)

    named = {"name": name or column.name, "meaning": meaning or column.meaning, "option": "--runs -f csv"}
    return replace(column, values=of, **named)  # type: ignore[arg-type, return-value]


_BESIDE: Declared[EstimationAnswer] = (  # in formats that have rows alone
    *map(_of_every_model, _PERFORMED),
    *(
        _of_every_model(column, f"{name}_joint", f"`{name}` on the queries that models and runs share")
        for name, column in ESTIMATED.items()
    ),
    _of_every_model(
        Column(
            "n_queries_joint",
            "how many queries these are",
            lambda joint: [joint.performance.n_queries] * len(joint.models),
        )
    ),
)


def _of_families(value: Callable[[Family], Any]) -> Callable[[EstimationAnswer], list[Any]]:
    return lambda answer: [value(family) for family in answer.families or ()]


def _within(column: Column[Any]) -> Column[EstimationAnswer]:
    """A correlation over the members of each family."""
    of = _of_families(lambda family: column.of(family.rows[0].correlations))
    return replace(column, values=of, priority={"spearman": 3, "kendall": 4}.get(column.name, 0))


_BELOW: tuple[Column[Sequence[MembersBelow]], ...] = (
    Column(
        "n_below",
        "its members with less bias² and less variance than the baseline",
        lambda families: [len(below.members) for below in families],
        latex="members below",
        option="--baseline",
    ),
    Column(
        "by_interval",
        "how many of them have both intervals below the baseline",
        lambda families: [below.n_certain for below in families],
        latex="by interval",
        priority=2,
        option="--baseline",
    ),
    Column(
        "below",
        "which these are",
        lambda families: [list(below.members) for below in families],
        priority=1,
        option="--baseline",
    ),
)
_FAMILIES: Declared[EstimationAnswer] = (
    Column("family", "the name of the family", _of_families(lambda family: family.name)),
    Column("n_models", "its models", _of_families(lambda family: len(family.members)), latex="models"),
    *map(_within, COEFFICIENTS.values()),
    *(column.on(attrgetter("members_below")) for column in _BELOW),
)
TABLES: dict[str, Declared[Any]] = {"models": (*ESTIMATION, *_BESIDE), "families": _FAMILIES}
