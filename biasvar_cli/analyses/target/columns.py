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
        lambda a: a.scores,
        kind="score",
    ),
    Column(
        "suppliers",
        "the runs of the pool that reach this score, ties included: the first one and the number of the others in "
        "text, markdown and latex, all of them in csv and tsv, separated by spaces; a list in JSON",
        lambda a: [a.suppliers(query) for query in range(a.pool.n_queries)],
    ),
    Column(
        "n_suppliers",
        "how many runs of the pool reach the target's score",
        lambda a: a.contributions.supplies.sum(axis=0),
        latex="best runs",
        shown=False,
    ),
    Column("mean", "the mean score of the query over the runs of the pool", lambda a: a.difficulty.mean, kind="score"),
    Column(
        "sd",
        "the population standard deviation of the scores of the query over these runs",
        lambda a: a.difficulty.sd,
        latex="SD",
        priority=1,
    ),
    Column(
        "difficulty",
        "the rank of the query from the hardest, 1, by the pool's best or mean score (`--difficulty`); equally hard "
        "queries are in order of their ids",
        lambda a: a.difficulty.rank,
        priority=2,
    ),
    Column(
        "group",
        "1 for the hardest `--subset-size` queries, 2 for the next, and so on; the last group has the rest",
        lambda a: a.difficulty.group,
        priority=3,
    ),
)
_RUNS: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    RUN.on(attrgetter("pool")),
    Column(
        "supplied",
        "on how many queries the run reaches the target's score, ties included",
        lambda a: a.contributions.supplied,
        better="more",
    ),
    Column("alone", "on how many queries no other run reaches it", lambda a: a.contributions.alone, better="more"),
    UNIQUE.on(attrgetter("contributions.left_out")),
    QUANTITIES["bias"].on(attrgetter("contributions")),
    BIAS_LORO.on(attrgetter("contributions.left_out")),
)
_RAREFIED: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    Column("n_runs", "a number of runs drawn at random from the pool", lambda a: a.sizes, latex="runs"),
    Column(
        "mean",
        "the mean over the queries of the expected best score of so many runs, exact: for 1 the mean over the runs, "
        "for all that of the target `best`",
        lambda a: a.means,
        kind="score",
    ),
)
TABLES: dict[str, Declared[Any]] = {"queries": _QUERIES, "runs": _RUNS, "rarefied": _RAREFIED}
