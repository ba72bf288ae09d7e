"""The columns of the tables of judges: judges, runs and queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import MEASURE, QUERY, RUN

if TYPE_CHECKING:
    from biasvar_cli.analyses.judges.answer import JudgeAnswer, JudgesAnswer


def _of_judges(value: Callable[[JudgeAnswer], Any]) -> Callable[[JudgesAnswer], list[Any]]:
    """A value of each judge."""
    return lambda answer: [value(judge) for judge in answer.judges]


def _of_rows(values: Callable[[JudgeAnswer], Any]) -> Callable[[JudgesAnswer], list[Any]]:
    """The values of the runs or the queries under each judge, one judge after the other."""

    def of(answer: JudgesAnswer) -> list[Any]:
        parts = (values(judge) for judge in answer.judges)
        return [value for part in parts for value in (part.tolist() if hasattr(part, "tolist") else part)]

    return of


def _part(name: str, meaning: str, **others: Any) -> Column[JudgesAnswer]:
    return Column(name, meaning, _of_judges(lambda judge: getattr(judge.split, name)), **others)


def _tau(name: str, of: str, **others: Any) -> Column[JudgesAnswer]:
    meaning = f"Kendall's tau-b between the rankings of the runs by `{of}` under the judge and under the reference"
    return Column(name, meaning, _of_judges(lambda judge: getattr(judge.taus, of)), **others)


def _pairs(name: str, meaning: str, **others: Any) -> Column[JudgesAnswer]:
    return Column(
        name,
        meaning,
        _of_judges(lambda judge: None if judge.classes is None else getattr(judge.classes, name)),
        **others,
    )


JUDGE = "the name of the judge: that of its file without the suffix, or as `-q NAME=FILE` says"
_SLOPE = (
    "the slope of the runs' means under the judge on those under the reference (least squares); below 1 the judge "
    "tells the runs less apart; empty where the reference's means do not vary"
)
_MSD = (
    "the mean squared difference of the scores under the judge and the reference, the sum of `shift`, `query`, "
    "`compression`, `favour` and `rest`"
)
_QUERY = (
    "the population variance over the queries of the mean differences: some queries become easier, others harder, for "
    "all runs alike"
)
_FAVOUR = (
    "the population variance of the runs' means around their line: what is left of the means, which can change their "
    "order"
)
_REST = "what differs by run and query: it changes no mean"
_PEARSON = "Pearson's r of bias² and variance over the runs under the judge"
_VERDICT = "what the null models say of it: `stronger`, `weaker` or `none`, as in `biasvar tradeoff`"
_VAR_PASSES = (
    "the variance of the scores between the passes, mean over runs and queries, divisor K; the mean `msd` of the "
    "passes is that of their mean plus this; empty for one pass"
)
_JUDGES: Declared[JudgesAnswer] = (
    MEASURE,
    Column("judge", JUDGE, _of_judges(lambda judge: judge.name)),
    Column(
        "mean", "the mean score of all runs under the judge", _of_judges(lambda judge: judge.judge.mean), kind="score"
    ),
    _part("slope", _SLOPE),
    _part("msd", _MSD),
    _part("shift", "the square of the mean difference: all scores move together", priority=1),
    _part("query", _QUERY, priority=1),
    _part("compression", "(`slope` - 1)² times the variance of the reference's run means", priority=1),
    _part("favour", _FAVOUR, priority=1),
    _part("rest", _REST, priority=1),
    _tau("tau", "mean", latex="$\\tau$", priority=2),
    _tau("tau_total", "total", latex="$\\tau$, total", hidden=True),
    _tau("tau_var", "var", head="tau, var", latex="$\\tau$, var", priority=2),
    _tau("tau_total_gap", "total_gap", latex="$\\tau$, total gap", hidden=True),
    _tau("tau_var_gap", "var_gap", latex="$\\tau$, var gap", hidden=True),
    _pairs(
        "both",
        "pairs of runs that differ significantly under both, in the same direction; empty below 6 queries",
        priority=2,
    ),
    _pairs("reversed", "pairs that differ significantly under both, in opposite directions", priority=2),
    _pairs("lost", "pairs that differ significantly under the reference alone", priority=2),
    _pairs("gained", "pairs that differ significantly under the judge alone", priority=2),
    _pairs("neither", "pairs that differ significantly under none", hidden=True),
    Column(
        "best", "the run with the best mean under the judge", _of_judges(lambda judge: judge.judge.best), hidden=True
    ),
    Column("pearson", _PEARSON, _of_judges(lambda judge: judge.judge.pearson), latex="$r$", signed=True, hidden=True),
    Column("verdict", _VERDICT, "verdicts", hidden=True),
    Column(
        "favoured",
        "the runs whose mean lies significantly above the line of all runs, `p`",
        _of_judges(lambda judge: judge.marked("favoured")),
        hidden=True,
    ),
    Column(
        "disfavoured",
        "the runs whose mean lies significantly below it",
        _of_judges(lambda judge: judge.marked("disfavoured")),
        hidden=True,
    ),
    Column(
        "n_passes",
        "how many passes of the judge the row is the mean of",
        lambda answer: [judge.n_passes for judge in answer.judges] if answer.with_passes else None,
        head="passes",
        option="--replicates",
    ),
    Column(
        "var_passes",
        _VAR_PASSES,
        lambda answer: [judge.var_passes for judge in answer.judges] if answer.with_passes else None,
        head="var of passes",
        option="--replicates",
    ),
)
_RESIDUAL = (
    "how far the run's mean lies above the line of all runs (below: negative); for a measure of which less is better, "
    "a run above it has the lower mean"
)
_P = "p of the test that the residual is 0, for all runs of the judge together; empty below 6 queries"
_CURVE_P = (
    "that of the distance from a parabola through the means, 1 where it has another sign than the residual: a judge is "
    "said to favour a run where both are below 1 - LEVEL"
)
_MEAN = "the mean score of the run under the judge"
_RUNS: Declared[JudgesAnswer] = (
    MEASURE,
    Column("judge", JUDGE, _of_rows(lambda judge: [judge.name] * len(judge.runs))),
    Column(RUN.name, RUN.meaning, _of_rows(lambda judge: judge.runs)),
    Column("mean", _MEAN, _of_rows(lambda judge: judge.judge.scores.values.mean(axis=1)), kind="score"),
    Column(
        "reference_mean",
        "its mean score under the reference",
        _of_rows(lambda judge: judge.reference.scores.values.mean(axis=1)),
        head="reference",
        kind="score",
    ),
    Column("residual", _RESIDUAL, _of_rows(lambda judge: judge.favour.residual), signed=True),
    Column("p", _P, _of_rows(lambda judge: judge.favour.p), latex="$p$"),
    Column("curve_p", _CURVE_P, _of_rows(lambda judge: judge.favour.curve_p), head="p, curve", priority=1),
    Column(
        "mark",
        "`favoured` or `disfavoured` where p is below 1 - LEVEL, else empty",
        _of_rows(lambda judge: [mark or "" for mark in judge.marks()]),
    ),
)
_QUERIES: Declared[JudgesAnswer] = (
    MEASURE,
    Column("judge", JUDGE, _of_rows(lambda judge: [judge.name] * judge.judge.scores.n_queries)),
    Column(QUERY.name, QUERY.meaning, _of_rows(lambda judge: judge.judge.scores.queries)),
    Column(
        "mean",
        "the mean score of all runs on the query under the judge",
        _of_rows(lambda judge: judge.judge.scores.values.mean(axis=0)),
        kind="score",
    ),
    Column(
        "reference_mean",
        "that under the reference",
        _of_rows(lambda judge: judge.reference.scores.values.mean(axis=0)),
        head="reference",
        kind="score",
    ),
    Column(
        "difference",
        "the mean over the runs of the score under the judge less that under the reference; the reverse for a measure "
        "of which less is better",
        _of_rows(lambda judge: judge.of_queries),
        signed=True,
    ),
    Column(
        "rest",
        "the mean square of what differs by run on this query, beside the means of run and query; `rest` of the judge "
        "is the mean over the queries",
        _of_rows(lambda judge: judge.rest_of_queries),
    ),
)
TABLES: dict[str, Declared[Any]] = {"judges": _JUDGES, "runs": _RUNS, "queries": _QUERIES}
