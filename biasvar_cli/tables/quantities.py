"""Columns that several analyses have; each reads the attribute of its name, or of its plural, from what it is of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biasvar_cli.tables.column import Column

_BIAS = (
    "the target's mean minus the run's mean, or the reverse for a measure of which less is better: less is more "
    "effective; negative if the run has the better mean"
)
_VAR = "population variance of the run's scores over the queries (score form): less is more even"
_TOTAL = "`bias2` + `var`, the mean squared distance of the scores from the target's mean; never weighted"
_VAR_GAP = (
    "population variance of target minus score over the queries (gap form): less is more evenly behind the target"
)
_TOTAL_GAP = "`bias2` + `var_gap`, the mean squared distance of the scores from the target's; never weighted"
_VAR_QUERIES = (
    "the part of `var` that is over queries: the population variance of the mean scores of the system's runs; empty "
    "for a system of one run, like the next two"
)
_VAR_REPLICATES = (
    "the rest of `var`: the population variance of the scores of the system's runs on a query, mean over the queries; "
    "also the rest of `var_gap`"
)
_SD_REPLICATES = "the standard deviation, divisor K - 1, of the means of the system's K runs: the ± of a mean"
_UNIQUE = (
    "what the mean of the best scores would lose without the run: the mean over queries of max(0, score - best of the "
    "other runs); undefined for a pool of one run; `biasvar target` has it for the target `best` alone"
)
_BIAS_LORO = (
    "the bias against the best of the other runs (leave one run out), that against the best of all minus `unique`; may "
    "be negative; undefined where `unique` is"
)
_NULL_R = "the median of Pearson's r under the first of three null models, in which runs differ only in their means"
_NULL_LOW = "the lower end of the range of r in these models: the least of the lower ends of their central 95 %"
_VERDICT = "`stronger` or `weaker` where r lies beyond all three, else `none`; of single queries in the score form"


def _by_name(*columns: Column[Any]) -> dict[str, Column[Any]]:
    return {column.name: column for column in columns}


MEASURE: Column[Any] = Column("measure", "the measure, by ir-measures' name; empty if it is not known", key=True)
TARGET: Column[Any] = Column("target", "the target, as asked for", "target.label", key=True)
RUN: Column[Any] = Column("run", "the name of the run", "runs")
QUERY: Column[Any] = Column("query_id", "the query", "queries", latex="query")
MEAN: Column[Any] = Column("mean", "the mean score of the run over the queries", better="more", kind="score")
QUANTITIES = _by_name(
    MEAN,
    Column("bias", _BIAS, better="less", priority=4),
    Column("bias2", "`bias` squared", head="bias²", latex="bias$^2$", better="less", priority=1),
    Column("var", _VAR, latex="variance", better="less", priority=1),
    Column("total", _TOTAL, better="less"),
    Column("var_gap", _VAR_GAP, latex="variance (gap)", better="less", priority=3),
    Column("total_gap", _TOTAL_GAP, latex="total (gap)", better="less", priority=3),
)
_REPLICATES: tuple[Column[Any], ...] = (
    Column("n_replicates", "the number of runs of the system", head="runs"),
    Column("var_queries", _VAR_QUERIES, "queries", latex="variance over queries", better="less", priority=7),
    Column("var_replicates", _VAR_REPLICATES, "replicates", latex="variance over replicates", better="less"),
    Column("sd_replicates", _SD_REPLICATES, "sd", latex="sd over replicates", better="less", priority=3),
)
REPLICATES = tuple(  # of the parts of the variance of systems
    replace(column, option="--replicates", of_replicates=True) for column in _REPLICATES
)
UNIQUE: Column[Any] = Column("unique", _UNIQUE, better="more")
BIAS_LORO: Column[Any] = Column("bias_loro", _BIAS_LORO, "bias", latex="bias without the run", better="less")
_PEARSON = "Pearson's r of bias² and variance over the runs"
COEFFICIENTS = _by_name(
    Column("pearson", _PEARSON, latex="Pearson's $r$", signed=True),
    Column("spearman", "Spearman's rho", latex="Spearman's $\\rho$", signed=True, priority=3),
    Column("kendall", "Kendall's tau-b", latex="Kendall's $\\tau$", signed=True, priority=4),
)
FORM: Column[Any] = Column("form", "`score` or `gap`; the normalised form has one, `score`")
_NULL: tuple[Column[Any], ...] = (
    Column("null_r", _NULL_R, "pearson.median", head="null median", latex="null $r$", signed=True, priority=5),
    Column("null_low", _NULL_LOW, "pearson.low", latex="null, low", signed=True, priority=1),
    Column("null_high", "the upper end of that range", "pearson.high", latex="null, high"),
    Column(
        "p",
        "two-sided, the largest of the three; only where there is a verdict",
        "pearson.p",
        latex="$p$",
        priority=2,
    ),
    Column("verdict", _VERDICT),
)
NULL = tuple(column.optional("--null") for column in _NULL)  # of what null models say of a row
_R: Column[Any] = Column("r", "Pearson's r", latex="$r$", signed=True)
SHARED = _by_name(*QUANTITIES.values(), *COEFFICIENTS.values(), FORM, *NULL, _R)  # for small tables without columns
