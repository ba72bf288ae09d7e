"""What may be asked of risk, and the columns of the tables of the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.compare import SYSTEM_COLUMNS, CompareRequest, Infer
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, Function, same_setting, setting
from biasvar_cli.specs.baselines import WORDS, BaselineSpec, parse_baseline
from biasvar_cli.specs.limits import LEVEL, RESAMPLES, require_limits
from biasvar_cli.specs.requests import AnalysisRequest, QueryClusters, SampledRequest, cluster_files
from biasvar_cli.tables.column import MEAN, MEASURE, QUANTITIES, QUERY, RUN, Column, Declared, Family
from biasvar_cli.words import argument

if TYPE_CHECKING:
    from biasvar_cli.analyses.risk.answer import RiskAnswer, RunQueries
    from biasvar_cli.arrays import FloatArray


def _alphas(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) + 0.0 for part in text.split(","))
    except ValueError:
        raise ValueError("A or A,A,..., such as 0,1,5,10") from None


@dataclass(frozen=True, kw_only=True)
class RiskRequest(AnalysisRequest):
    """Baselines, weights of losses, and what is computed beside.

    ``baseline`` are run:NAME (or NAME), top, mean, median, best and file:PATH, each of which gives an answer of its
    own. Losses count 1 + A times for each A of ``alpha``. Differences up to ``tie_eps`` are ties. ``r_loss`` is the
    number of documents whose loss of relevant ones is counted, ``ci`` the level of intervals that are made from so many
    ``resamples`` (2000). Queries of one of the ``clusters`` are drawn together (`scoring.labels`). ``infer``,
    ``paired_replicates`` and ``half_width``, which is of mean differences, are those of `compare`.

    Raises `UsageError` for what cannot be asked.
    """

    baseline: tuple[str, ...] = setting(
        ("mean",),
        COMMON,
        lambda of_command: (
            "Compare with a run (NAME or run:NAME), with top (the run with the best mean), with the mean, median or "
            "best score of each query over the runs, or with file:PATH (a csv of query_id,score)."
            f"{' Repeatable.' if of_command else ''}"
        ),
        completion=Completion(WORDS, names=True, files=True),
        metavar="BASELINE",
        brief="Compare with mean (default), NAME, top, best, ...",
    )
    alpha: tuple[float, ...] = setting(
        (0.0, 1.0, 5.0, 10.0),  # the grid of the TREC 2013 Web track
        COMMON,
        "Weights of losses: a loss counts 1 + A times, a gain once.",
        parse=_alphas,
        metavar="A,A,...",
    )
    tie_eps: float = setting(
        0.0,
        STATISTICS,
        "Differences up to X are ties. Default: equal scores only.",
        show_default=False,
        metavar="X",
    )
    r_loss: int | None = setting(
        None,
        STATISTICS,
        "Add r_loss: how many relevant documents the top K loses. Needs qrels and a run as the baseline.",
        metavar="K",
    )
    with_decomposition: bool = setting(False, STATISTICS, "Add bias2, var and total against the target best.")
    ci: float | None = same_setting(
        SampledRequest, "ci", help=f"Add confidence intervals of U_risk and GeoRisk, of this level, such as {LEVEL}."
    )
    resamples: int | None = same_setting(SampledRequest, "resamples")
    infer: Infer = same_setting(CompareRequest, "infer")
    paired_replicates: bool = same_setting(CompareRequest, "paired_replicates")
    half_width: float | None = same_setting(CompareRequest, "half_width")
    clusters: QueryClusters | None = same_setting(SampledRequest, "clusters")
    seed: int = same_setting(SampledRequest, "seed")

    def __post_init__(self) -> None:
        require_limits(self)
        if self.resamples is not None and self.ci is None:
            raise UsageError(f"needs {argument('ci')}, the level of the intervals", option="resamples")
        if not self.alpha:
            raise UsageError("expected at least one number, found none", option="alpha")
        named: dict[str, float] = {}
        for alpha in self.alpha:  # the columns of an alpha are named by its first six digits
            column = f"u_risk_{alpha:g}"
            if column in named:
                both = f"{named[column]!r} and {alpha!r} would both be the column {column}"
                raise UsageError(f"{both}; keep one of them", option="alpha")
            named[column] = alpha
        if any(spec.kind not in ("run", "top") for spec in self.specs) and self.r_loss is not None:
            raise UsageError("needs a run as the baseline: run:NAME or top", option="r_loss")

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The baselines, each once."""
        return tuple(parse_baseline(text) for text in dict.fromkeys(self.baseline))

    @property
    def files(self) -> tuple[str, ...]:
        """The files that baselines and clusters are read from."""
        baselines = (str(spec.name) for spec in self.specs if spec.kind == "file")
        return (*baselines, *cluster_files(self.clusters))

    @property
    def n_resamples(self) -> int:
        """The number of resamples that intervals are made from."""
        return self.resamples or RESAMPLES

    @property
    def main_alpha(self) -> float:
        """The alpha that people are shown: the first above 0, else the first."""
        return next((alpha for alpha in self.alpha if alpha > 0), self.alpha[0])

    @property
    def precision(self) -> str | None:
        """The measure that R-Loss is made of, P@K; None where it is not asked for."""
        return None if self.r_loss is None else f"P@{self.r_loss}"

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """The measures that are computed besides those that are asked for."""
        return () if self.precision is None else (self.precision,)


FUNCTION = Function(
    RiskRequest,
    """Wins, losses and risk of every run against a baseline: run:NAME, top, mean, median, best or file:PATH.

    ``frame("queries")`` has a row a query, ``frame("run:NAME")`` the queries of one run.
    """,
    first="baseline",
    tables=lambda _: ("runs", "queries", "run:NAME"),
)


_ALPHAS = tuple(f"{alpha:g}" for alpha in RiskRequest.alpha)
_BASELINE: Column[RiskAnswer] = Column("baseline", "the baseline, as asked for", "baseline.label", key=True)


def _alpha_columns(path: str, *columns: Column[Any]) -> Family[Any, Any]:
    """Columns that are there once for each alpha, of what is at a path."""
    return Family(attrgetter(path), columns, _ALPHAS, "A")


def _alpha_column(symbol: str, name: str, meaning: str, path: str, **others: Any) -> Column[Any]:
    """A column of one alpha, of which more is better."""
    return Column(f"{name}_{{}}", meaning, path, latex=f"{symbol}, $\\alpha = {{}}$", better="more", **others)


_Z_MEANING = (
    "the sum of the deviations from the scores expected from the means of run and query, those below 0 counted 1 + {} "
    "times"
)
_GEO_MEANING = "the mean score and `z_risk_{}` in one number, from 0 to 1, whatever the baseline"
_T_RISK_P = (
    "its two-sided p, of this run alone; where A is above 0, a run that merely differs from the baseline "
    "has a small p too"
)
_RISK_P_MEANING = "p of `u_risk_{}`, likewise; with `--baseline top` that of `delta`, which `u_risk_{}` never exceeds"
_RISK_P_LATEX = "$p$ ($U_{\\mathrm{risk}}$, $\\alpha = {}$)"
_U_RISK = _alpha_column("$U_{\\mathrm{risk}}$", "u_risk", "`reward` - (1 + {}) `risk`", "risk.u_risk", signed=True)
_T_RISK = _alpha_column(
    "$T_{\\mathrm{risk}}$", "t_risk", "`u_risk_{}` over its standard error; of one run alone", "risk.t_risk", priority=5
)
_Z_RISK = _alpha_column("$Z_{\\mathrm{risk}}$", "z_risk", _Z_MEANING, "z_risk", hidden=True)
_GEO_RISK = _alpha_column("GeoRisk", "geo_risk", _GEO_MEANING, "geo_risk", priority=6)
_RISK_P: Column[FloatArray] = Column("risk_p_{}", _RISK_P_MEANING, lambda p: p, latex=_RISK_P_LATEX, hidden=True)
_DELTA = "the mean difference, run minus baseline; the reverse for a measure of which less is better"
_GMAP = "the geometric mean of the scores, floored at 1e-5"
_BREAK_EVEN = (
    "`delta` / `risk`, the A at which `u_risk_A` is 0: up to it the gains outweigh the losses; undefined where "
    "`delta` is not above 0 or no query is lost"
)
_R_LOSS = "how many relevant documents fewer the run has in its top K than the baseline, at least 0; mean over queries"
_VERDICT = (
    "`safe` (the mean is significantly better than the baseline's, and `u_risk_A` above 0), `risky` (`u_risk_A` is "
    "significantly below 0) or `neither`, for the first A above 0; empty for the baseline and without a test"
)
_MEAN_P = (
    "p of `delta` by the step-down test, or of systems of several runs by the t test over queries and runs with Holm's "
    "correction, adjusted for all runs compared, with `--baseline top` for all pairs"
)


def _of_systems(answer: RiskAnswer, name: str) -> Any:
    """What the tests of systems say of their mean differences; None for tests of the rows as they are."""
    return None if answer.tests is None else getattr(answer.tests, name)


_RUNS: Declared[RiskAnswer] = (
    MEASURE,
    _BASELINE,
    RUN,
    MEAN.on("risk"),
    Column("delta", _DELTA, "risk.delta", latex="$\\Delta$", better="more", signed=True),
    Column("wins", "queries on which the run is better than the baseline", "risk.wins", better="more", priority=3),
    Column("ties", "queries on which they are equal, or within `--tie-eps`", "risk.ties", hidden=True),
    Column("losses", "queries on which the run is worse than the baseline", "risk.losses", better="less", priority=3),
    Column("ri", "(`wins` - `losses`) / n, n the number of queries", "risk.ri", latex="RI", better="more", priority=7),
    Column("lt_init", "`losses` / n", "risk.lt_init", latex="loss share", better="less", hidden=True),
    Column("reward", "the mean gain over all queries", "risk.reward", better="more", priority=4),
    Column("risk", "the mean loss over all queries", "risk.risk", better="less", priority=4),
    Column("gmap", _GMAP, "geo.gmap", kind="score", latex="GMAP", better="more", hidden=True),
    _alpha_columns(
        "at", _U_RISK, _T_RISK, _T_RISK.part("_p", _T_RISK_P, "risk.p", "$p$", hidden=True), _Z_RISK, _GEO_RISK
    ),
    Column("break_even", _BREAK_EVEN, "risk.break_even", latex="break-even $\\alpha$", better="more", hidden=True),
    Column("r_loss", _R_LOSS, latex="R-Loss", better="less", option="--r-loss"),
    *(
        replace(QUANTITIES[name].on("decomposition").optional("--with-decomposition"), priority=priority)
        for name, priority in (("bias2", 2), ("var", 2), ("total", 1))
    ),
    _alpha_columns("at", *_U_RISK.ends(lambda at: at.u_ends, option="--ci", signed=True)),
    _alpha_columns("at", *_GEO_RISK.ends(lambda at: at.geo_ends, option="--ci")),
    Column("verdict", _VERDICT),
    Column("mean_p", _MEAN_P, latex="$p$ ($\\Delta$)", hidden=True),
    _alpha_columns("risk_p", _RISK_P),
    *(replace(column, values=partial(_of_systems, name=column.name)) for column in SYSTEM_COLUMNS),
)

_BASELINE_SCORE = "the baseline's score; the csv is a baseline that `--baseline file:PATH` reads"
_EQUAL = "the number of runs equal to the baseline, or within `--tie-eps`"
_LARGEST_LOSS = "by how much the worst run is worse than the baseline; 0 where none is"
_QUERIES: Declared[RiskAnswer] = (
    MEASURE,
    _BASELINE,
    QUERY.on("scores"),
    Column("score", _BASELINE_SCORE, "baseline.scores", head="baseline", kind="score"),
    Column("mean", "the mean score of the runs", "losers.mean", head="mean of runs", priority=2, kind="score"),
    Column("wins", "the number of runs better than the baseline", "losers.wins", head="runs better"),
    Column("ties", _EQUAL, "losers.ties", head="equal", priority=1),
    Column("losses", "the number of runs worse than the baseline", "losers.losses", head="worse"),
    Column("largest_loss", _LARGEST_LOSS, "losers.largest_loss", head="largest loss"),
    Column("run", "the run with the largest loss; empty where none loses", "losers.run", head="of run"),
)

_DIFFERENCE = "`score` minus the baseline's score; the reverse for a measure of which less is better"
_QUERY_T_RISK: Column[Any] = replace(
    _T_RISK,
    meaning="`delta`, a loss 1 + {} times, over the standard deviation of these over all queries",
    values=lambda values: values,
    better="",
    priority=1,
)
_RUN: Declared[RunQueries] = (
    MEASURE.on("answer"),
    _BASELINE.on("answer"),
    QUERY.on("answer.scores"),
    Column("score", "the run's score", "scores", kind="score"),
    Column("baseline_score", "the baseline's score", "answer.baseline.scores", head="baseline", kind="score"),
    Column("delta", _DIFFERENCE, latex="$\\Delta$", signed=True),
    _alpha_columns("t_risk", _QUERY_T_RISK),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS, "queries": _QUERIES, "run": _RUN}
