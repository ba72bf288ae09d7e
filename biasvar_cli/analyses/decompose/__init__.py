"""What may be asked of a decomposition, and the columns of the table of the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import OUTPUT, STATISTICS, Completion, Function, same_setting, setting
from biasvar_cli.specs.baselines import parse_run_baseline
from biasvar_cli.specs.requests import QueryClusters, SampledRequest, TargetedRequest
from biasvar_cli.tables.column import MEASURE, QUANTITIES, REPLICATES, RUN, TARGET, Column, Declared
from biasvar_cli.words import IntervalMethod, Redrawn, argument

if TYPE_CHECKING:
    from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
    from biasvar_cli.decomposition.baseline import Compared


def _weights(text: str) -> tuple[float, float]:
    try:
        bias, var = map(float, text.split(","))
    except ValueError:
        raise ValueError("WB,WV, such as 1,0.5") from None
    return bias, var


@dataclass(frozen=True, kw_only=True)
class DecomposeRequest(TargetedRequest):
    """Targets, and what is computed beside bias², variance and total.

    ``weights`` are those of bias² and variance in a weighted total. ``stability`` needs the null models, ``null``, None
    where none are wanted. ``ci`` is the level of the intervals, ``resamples`` the number of resamples and
    ``ci_method`` the method. Their None stands for 2000 and auto: so a value that was typed without ``ci`` is refused.
    ``over`` says what the intervals of correlations resample beside queries, and ``teams`` is a csv of run,team.
    ``baseline`` is the run that all others are compared with: NAME, run:NAME or top. Queries of one cluster
    (``clusters``, `scoring.labels`) are drawn together.

    Raises `UsageError` for what cannot be asked.
    """

    weights: tuple[float, float] | None = setting(
        None, STATISTICS, "Add total_w = WB bias² + WV var.", parse=_weights, metavar="WB,WV"
    )
    rank: bool = setting(False, OUTPUT, "Add the rank of each run by total.")
    pareto: bool = setting(
        False, OUTPUT, "Mark the Pareto front: no other run is at least as low on both bias² and var and lower on one."
    )
    stability: bool = setting(
        False, STATISTICS, "Add stability: whether a run varies more or less than simulated runs of its mean."
    )
    ci: float | None = same_setting(SampledRequest, "ci")
    resamples: int | None = same_setting(SampledRequest, "resamples")
    ci_method: IntervalMethod | None = setting(
        None,
        STATISTICS,
        "How intervals are made: the most reliable way for each column (auto), or percentiles. Default: auto.",
    )
    over: tuple[Redrawn, ...] = setting(
        (),
        STATISTICS,
        "Correlations: draw runs or teams too, alone or with queries (both). Repeatable.",
        may_be_empty=True,
    )
    teams: str | None = setting(
        None, STATISTICS, "A csv of run,team, or a list of Evalbase, for --over teams and --over both.", file=True
    )
    baseline: str | None = setting(
        None,
        STATISTICS,
        "Compare every run with this one, NAME or run:NAME, or with the run of the best mean (top): differences, "
        "intervals and p-values.",
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare every run with this one.",
    )
    clusters: QueryClusters | None = same_setting(SampledRequest, "clusters")
    seed: int = same_setting(SampledRequest, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.baseline is not None:
            parse_run_baseline(self.baseline)
        if self.weights is not None and not any(self.weights):
            raise UsageError("expected weights of which one is above 0, found 0,0", option="weights")
        if self.stability and self.clusters is not None:
            reason = f"is computed from null models, in which queries are independent; leave {argument('clusters')} out"
            raise UsageError(reason, option="stability")
        for name in ("resamples", "ci_method", "over", "teams"):
            if self.ci is None and getattr(self, name):
                raise UsageError(f"needs {argument('ci')}, the level of the intervals", option=name)
        if "teams" in self.over and self.teams is None:
            raise UsageError(f"needs {argument('teams')}, a csv of run,team, where teams are drawn", option="over")
        if self.teams is not None and not {"teams", "both"} & set(self.over):
            raise UsageError(f"needs {argument('over')}, teams or both", option="teams")

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets, clusters and teams are read from."""
        return super().files if self.teams is None else (*super().files, self.teams)


@dataclass(frozen=True, kw_only=True)
class DecomposeText:
    """What the text of a decomposition shows; csv, JSON and DataFrames have both forms."""

    form: Literal["score", "gap", "both"] = setting(
        "score",
        OUTPUT,
        "Show variance and total of the scores, of the gaps (target - score), or of both; csv and json have all.",
    )


FUNCTION = Function(
    DecomposeRequest,
    """Bias², variance and total error of every run against a virtual target.

    ``frame()`` has a row a run, ``correlations`` those of bias² and variance over the runs, beside the null models.
    Frames have both forms, whatever ``form`` shows.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    The runs of SIGIR 2013, Tables 1 and 2, against the model T:

    >>> import pandas as pd
    >>> runs = {"A": [0.3, 0.1], "B": [0.6, 0.08], "C": [0.65, 0.03], "T": [0.7, 0.2]}
    >>> result = decompose(pd.DataFrame(runs, index=["q1", "q2"]), "run:T", measure="AP")
    >>> result.frame()["total_gap"].round(4).to_dict()
    {'T': 0.0, 'A': 0.085, 'B': 0.0122, 'C': 0.0157}
    """,
    null=True,
    text=DecomposeText,
    tables=lambda _: ("runs", "correlations"),  # the latter is made in `table`
)


VISIBLE_INTERVALS = ("bias2", "var", "total")  # in text; the others are hidden
_PRIORITIES = {"bias2": 6, "var": 5, "total": 2, "d_bias": 3, "d_total": 1, "ratio_var": 2}  # the highest goes first
_DIFFERENCES: tuple[Column[Compared], ...] = (  # the difference or ratio of a run and the baseline
    Column("d_bias", "the run's bias minus the baseline's", "value", latex="$\\Delta$ bias"),
    Column("d_total", "the difference of the totals", "value", latex="$\\Delta$ total"),
    Column(
        "d_total_gap",
        "the difference of the totals of the gap form",
        "value",
        latex="$\\Delta$ total (gap)",
        hidden=True,
    ),
    Column("ratio_var", "the ratio of the variances", "value", latex="variance ratio"),
    Column(
        "ratio_var_gap", "the ratio of the variances of the gap", "value", latex="variance ratio (gap)", hidden=True
    ),
)
_P = "the two-sided p of no difference from the baseline"
_P_HOLM = f"{_P}, adjusted for all runs compared (Holm), or with `--baseline top` for all pairs of runs"


def _with_tests(value: Column[Compared]) -> list[Column[DecomposeAnswer]]:
    """A difference or ratio, its interval, its p, and that p after Holm."""
    priority, quantity = _PRIORITIES.get(value.name, 0), value.name.partition("_")[2]  # d_bias is of bias
    columns = (
        replace(value, better="less", priority=priority),
        *value.ends(attrgetter("low", "high"), hidden=True),
        value.part("_p", _P, "p", "$p$", hidden=True),
        value.part("_holm", _P_HOLM, "p_holm", "$p$ (Holm)", hidden=value.hidden, priority=priority),
    )
    return [column.optional("--baseline").on(quantity).on("compared") for column in columns]


_TOTAL_W = "WB `bias2` + WV `var`, the weights being those of `--weights WB,WV`"
_PARETO = (
    "whether no other run has at most the same `bias2` and `var` and less of one of them (`yes` for people, `true` and "
    "`false` elsewhere)"
)
_STABILITY = (
    "by how many standard deviations the run's variance is above that of simulated runs with the same mean: above 0 is "
    "less even than its mean implies, below 0 more even; of three null models, the value nearest to 0"
)
_RUNS: Declared[DecomposeAnswer] = (
    MEASURE,
    TARGET,
    *(column.on("result") for column in (RUN, *QUANTITIES.values())),
    *(column.on("result.parts") for column in REPLICATES),
    Column("rank", "1 for the least `total`; equal totals share the lower rank", better="less", option="--rank"),
    Column("total_w", _TOTAL_W, latex="weighted total", better="less", option="--weights"),
    Column(
        "pareto",
        _PARETO,
        lambda answer: answer.front if answer.request.pareto else None,
        latex="Pareto front",
        better="more",
        option="--pareto",
    ),
    Column("stability", _STABILITY, "z", option="--stability"),
    *(
        end.optional("--ci").on("intervals")
        for name, column in QUANTITIES.items()
        for end in column.ends(
            attrgetter(f"{name}.low", f"{name}.high"),
            hidden=name not in VISIBLE_INTERVALS,
            priority=_PRIORITIES.get(name, 0),
        )
    ),
    *(column for value in _DIFFERENCES for column in _with_tests(value)),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS}
