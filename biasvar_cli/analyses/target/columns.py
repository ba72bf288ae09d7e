"""The columns of the tables of a virtual target."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import BIAS_LORO, MEASURE, QUANTITIES, QUERY, RUN, TARGET, UNIQUE

if TYPE_CHECKING:
    from biasvar_cli.analyses.target.answer import TargetAnswer

_QUERIES: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    QUERY.on(attrgetter("pool")),
    Column(
        "score",
        "the target's score; with `--rarefied R` the expected best of R runs of the pool",
        lambda answer: answer.scores,
        better="more",
    ),
    Column(
        "suppliers",
        "the runs of the pool that reach this score, ties included: at most three in text, markdown and latex, all in "
        "csv and tsv, separated by spaces; a list in JSON",
        lambda answer: [answer.suppliers(query) for query in range(answer.pool.n_queries)],
    ),
    Column(
        "n_suppliers",
        "how many these are",
        lambda answer: answer.contributions.supplies.sum(axis=0),
        latex="best runs",
        better="more",
        shown=False,
    ),
    Column(
        "mean",
        "the mean score of the query over the runs of the pool",
        lambda answer: answer.difficulty.mean,
        better="more",
    ),
    Column(
        "sd",
        "the population standard deviation of these scores",
        lambda answer: answer.difficulty.sd,
        latex="SD",
    ),
    Column(
        "difficulty",
        "the rank of the query from the hardest, 1, by the pool's best or mean score (`--difficulty`); equal ones in "
        "order of queries",
        lambda answer: answer.difficulty.rank,
    ),
    Column(
        "group",
        "1 for the hardest `--subset-size` queries, 2 for the next, and so on; the last group holds the rest",
        lambda answer: answer.difficulty.group,
    ),
)
_RUNS: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    RUN.on(attrgetter("pool")),
    Column(
        "supplied",
        "the queries on which the run reaches the target's score, ties included",
        lambda answer: answer.contributions.supplied,
        better="more",
    ),
    Column("alone", "those on which no other run does", lambda answer: answer.contributions.alone, better="more"),
    UNIQUE.on(attrgetter("contributions.left_out")),
    QUANTITIES["bias"].on(attrgetter("contributions")),
    BIAS_LORO.on(attrgetter("contributions.left_out")),
)
_RAREFIED: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    Column("n_runs", "a number of runs drawn at random from the pool", lambda answer: answer.sizes, latex="runs"),
    Column(
        "mean",
        "the mean over queries of their expected best score, exact: for 1 the mean over runs, for all that of the "
        "target `best`",
        lambda answer: answer.means,
        better="more",
    ),
)
TABLES: dict[str, Declared[Any]] = {"queries": _QUERIES, "runs": _RUNS, "rarefied": _RAREFIED}
