"""Columns that several analyses have; each reads the attribute of its name, or of its plural, from what it is of."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import Any

from biasvar_cli.tables.column import Column

MEASURE: Column[Any] = Column(
    "measure", "the measure, by ir-measures' name; empty if it is not known", attrgetter("measure"), key=True
)
TARGET: Column[Any] = Column("target", "the target, as asked for", attrgetter("target.label"), key=True)
RUN: Column[Any] = Column("run", "the name of the run", attrgetter("runs"))
QUERY: Column[Any] = Column("query_id", "the query", attrgetter("queries"), latex="query")
MEAN: Column[Any] = Column(
    "mean", "the mean score of the run over the queries", attrgetter("mean"), better="more", kind="score"
)

QUANTITIES: dict[str, Column[Any]] = {
    column.name: column
    for column in (
        MEAN,
        Column(
            "bias",
            "the target's mean minus the run's mean, or the reverse for a measure of which less is better: less is "
            "more effective; negative if the run has the better mean",
            attrgetter("bias"),
            better="less",
            priority=4,
        ),
        Column(
            "bias2", "`bias` squared", attrgetter("bias2"), head="bias²", latex="bias$^2$", better="less", priority=1
        ),
        Column(
            "var",
            "population variance of the run's scores over the queries (score form): less is more even",
            attrgetter("var"),
            latex="variance",
            better="less",
            priority=1,
        ),
        Column(
            "total",
            "`bias2` + `var`, the mean squared distance of the scores from the target's mean; never weighted",
            attrgetter("total"),
            better="less",
        ),
        Column(
            "var_gap",
            "population variance of target minus score over the queries (gap form): less is more evenly "
            "behind the target",
            attrgetter("var_gap"),
            latex="variance (gap)",
            better="less",
            priority=3,
        ),
        Column(
            "total_gap",
            "`bias2` + `var_gap`, the mean squared distance of the scores from the target's; never weighted",
            attrgetter("total_gap"),
            latex="total (gap)",
            better="less",
            priority=3,
        ),
    )
}
REPLICATES: tuple[Column[Any], ...] = tuple(  # of the parts of the variance of systems
    replace(column, option="--replicates", of_replicates=True)
    for column in (
        Column(
            "n_replicates",
            "the number of runs of the system",
            attrgetter("n_replicates"),
            head="runs",
            latex="runs",
        ),
        Column(
            "var_queries",
            "the part of `var` that is over queries: the population variance of the mean scores of the system's runs; "
            "empty for a system of one run, like the next two",
            attrgetter("queries"),
            latex="variance over queries",
            better="less",
            priority=7,
        ),
        Column(
            "var_replicates",
            "the rest of `var`: the population variance of the scores of the system's runs on a query, mean over the "
            "queries; also the rest of `var_gap`",
            attrgetter("replicates"),
            latex="variance over replicates",
            better="less",
        ),
        Column(
            "sd_replicates",
            "the standard deviation, divisor K - 1, of the means of the system's K runs: the ± of a mean",
            attrgetter("sd"),
            latex="sd over replicates",
            better="less",
            priority=3,
        ),
    )
)
UNIQUE: Column[Any] = Column(
    "unique",
    "what the mean of the best scores would lose without the run: the mean over queries of max(0, score - best of the "
    "other runs); undefined for a pool of one run; `biasvar target` has it for the target `best` alone",
    attrgetter("unique"),
    better="more",
)
BIAS_LORO: Column[Any] = Column(
    "bias_loro",
    "the bias against the best of the other runs (leave one run out), that against the best of all minus `unique`; may "
    "be negative; undefined where `unique` is",
    attrgetter("bias"),
    latex="bias without the run",
    better="less",
)
COEFFICIENTS: dict[str, Column[Any]] = {
    column.name: column
    for column in (
        Column(
            "pearson",
            "Pearson's r of bias² and variance over the runs",
            attrgetter("pearson"),
            latex="Pearson's $r$",
            signed=True,
        ),
        Column(
            "spearman", "Spearman's rho", attrgetter("spearman"), latex="Spearman's $\\rho$", signed=True, priority=3
        ),
        Column("kendall", "Kendall's tau-b", attrgetter("kendall"), latex="Kendall's $\\tau$", signed=True, priority=4),
    )
}
FORM: Column[Any] = Column("form", "`score` or `gap`; the normalised form has one, `score`", attrgetter("form"))
NULL: tuple[Column[Any], ...] = (  # of what null models say of a row
    Column(
        "null_r",
        "the median of Pearson's r under the first of three null models, in which runs differ only in their means",
        attrgetter("pearson.median"),
        head="null median",
        latex="null $r$",
        signed=True,
        priority=5,
        option="--null",
    ),
    Column(
        "null_low",
        "the lower end of the range of r in these models: the least of the lower ends of their central 95 %",
        attrgetter("pearson.low"),
        latex="null, low",
        signed=True,
        priority=1,
        option="--null",
    ),
    Column("null_high", "the upper end of that range", attrgetter("pearson.high"), latex="null, high", option="--null"),
    Column(
        "p",
        "two-sided, the largest of the three; only where there is a verdict",
        attrgetter("pearson.p"),
        latex="$p$",
        priority=2,
        option="--null",
    ),
    Column(
        "verdict",
        "`stronger` or `weaker` where r lies beyond all three, else `none`; of single queries in the score form",
        attrgetter("verdict"),
        option="--null",
    ),
)
_R: Column[Any] = Column("r", "Pearson's r", attrgetter("r"), latex="$r$", signed=True)
SHARED: dict[str, Column[Any]] = {  # what small tables under others take from here
    column.name: column for column in (*QUANTITIES.values(), *COEFFICIENTS.values(), FORM, *NULL, _R)
}
