"""The columns of the tables of risk."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.tables.column import Column, Declared, Family
from biasvar_cli.tables.quantities import MEAN, MEASURE, QUANTITIES, QUERY, RUN

if TYPE_CHECKING:
    from biasvar_cli.analyses.risk.answer import AlphaRisk, RiskAnswer, RunQueries

_ALPHAS = tuple(f"{alpha:g}" for alpha in RiskRequest.alpha)
_BASELINE: Column[RiskAnswer] = Column(
    "baseline", "the baseline, as asked for", lambda answer: answer.baseline.label, key=True
)
_T_RISK: Column[AlphaRisk] = Column(
    "t_risk_{}",
    "`u_risk_{}` over its standard error",
    lambda at: at.risk.t_risk,
    latex="$T_{\\mathrm{risk}}$, $\\alpha = {}$",
    better="more",
)
_U_RISK: Column[AlphaRisk] = Column(
    "u_risk_{}",
    "`reward` - (1 + {}) `risk`",
    lambda at: at.risk.u_risk,
    latex="$U_{\\mathrm{risk}}$, $\\alpha = {}$",
    better="more",
)
_GEO_RISK: Column[AlphaRisk] = Column(
    "geo_risk_{}",
    "the mean score and `z_risk_{}` in one number, from 0 to 1",
    lambda at: at.geo_risk,
    latex="GeoRisk, $\\alpha = {}$",
    better="more",
)

_RUNS: Declared[RiskAnswer] = (
    MEASURE,
    _BASELINE,
    RUN.on(attrgetter("scores")),
    MEAN.on(attrgetter("risk")),
    Column(
        "delta", "the mean difference, run minus baseline", lambda a: a.risk.delta, latex="$\\Delta$", better="more"
    ),
    Column("wins", "queries on which the run is above the baseline", lambda a: a.risk.wins, better="more"),
    Column(
        "ties",
        "queries on which they are equal, or within `--tie-eps`",
        lambda a: a.risk.ties,
        better="more",
        shown=False,
    ),
    Column("losses", "queries on which the run is below", lambda a: a.risk.losses),
    Column("ri", "(`wins` - `losses`) / n", lambda a: a.risk.ri, latex="RI", better="more"),
    Column("lt_init", "`losses` / n", lambda a: a.risk.lt_init, latex="loss share", shown=False),
    Column("reward", "the mean gain, over all queries", lambda a: a.risk.reward, better="more"),
    Column("risk", "the mean loss, over all queries", lambda a: a.risk.risk),
    Column(
        "gmap",
        "the geometric mean of the scores, floored at 1e-5",
        lambda a: a.geo.gmap,
        latex="GMAP",
        better="more",
        shown=False,
    ),
    Family(
        attrgetter("at"),
        (
            _U_RISK,
            _T_RISK,
            _T_RISK.part(
                "_p",
                "its two-sided p, of this run alone; where A is above 0, a small p does not mean more risk than chance "
                "brings",
                lambda at: at.risk.p,
                "$p$",
                shown=False,
            ),
            Column(
                "z_risk_{}",
                "deviations from what the run's and the query's mean let expect, losses 1 + {} times, summed",
                lambda at: at.z_risk,
                latex="$Z_{\\mathrm{risk}}$, $\\alpha = {}$",
                better="more",
                shown=False,
            ),
            _GEO_RISK,
        ),
        _ALPHAS,
        "A",
    ),
    Column(
        "break_even",
        "`delta` / `risk`, the A at which `u_risk_A` is 0: up to it the gains outweigh the losses; undefined where "
        "`delta` is not above 0 or no query is lost",
        lambda a: a.risk.break_even,
        latex="break-even $\\alpha$",
        better="more",
        shown=False,
    ),
    Column(
        "r_loss",
        "relevant documents in the top K lost against the baseline, mean over queries",
        lambda a: a.r_loss,
        latex="R-Loss",
        option="--r-loss",
    ),
    *(
        QUANTITIES[name].on(attrgetter("decomposition")).optional("--with-decomposition")
        for name in ("bias2", "var", "total")
    ),
    Family(attrgetter("at"), _U_RISK.ends(lambda at: at.ends and at.ends.u_risk, option="--ci"), _ALPHAS, "A"),
    Family(attrgetter("at"), _GEO_RISK.ends(lambda at: at.ends and at.ends.geo_risk, option="--ci"), _ALPHAS, "A"),
)
_QUERIES: Declared[RiskAnswer] = (
    MEASURE,
    _BASELINE,
    QUERY.on(attrgetter("losers")),
    Column(
        "score",
        "the baseline's score; the csv is a baseline that `--baseline file:PATH` reads",
        lambda a: a.baseline.scores,
        better="more",
    ),
    Column("mean", "the mean score of the runs", lambda a: a.losers.mean, better="more"),
    Column("wins", "runs above the baseline", lambda a: a.losers.wins, better="more"),
    Column("ties", "runs equal to it, or within `--tie-eps`", lambda a: a.losers.ties, better="more"),
    Column("losses", "runs below it", lambda a: a.losers.losses),
    Column(
        "largest_loss",
        "how far the worst run is below; 0 where none is",
        lambda a: a.losers.largest_loss,
    ),
    Column("run", "which run that is; empty where none is", lambda a: a.losers.run),
)
_RUN: Declared[RunQueries] = (
    MEASURE.on(attrgetter("answer")),
    _BASELINE.on(attrgetter("answer")),
    QUERY.on(attrgetter("answer.scores")),
    Column("score", "the run's score", lambda run: run.scores, better="more"),
    Column(
        "baseline_score",
        "the baseline's",
        lambda run: run.answer.baseline.scores,
        latex="baseline score",
        better="more",
    ),
    Column("delta", "the difference", lambda run: run.delta, latex="$\\Delta$", better="more"),
    Family(
        attrgetter("t_risk"),
        (
            replace(
                _T_RISK,
                meaning="the difference, a loss 1 + {} times, over the standard deviation of these",
                of=lambda values: values,
            ),
        ),
        _ALPHAS,
        "A",
    ),
)
TABLES: dict[str, Declared[Any]] = {"runs": _RUNS, "queries": _QUERIES, "run": _RUN}
