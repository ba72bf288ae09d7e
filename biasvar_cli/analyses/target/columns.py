"""The columns of the tables of a virtual target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import Column, Declared
from biasvar_cli.tables.quantities import BIAS_LORO, MEASURE, QUANTITIES, QUERY, RUN, TARGET, UNIQUE

if TYPE_CHECKING:
    from biasvar_cli.analyses.target.answer import TargetAnswer

_SCORE = "the target's score; with `--rarefied R` the expected best of R runs of the pool"
_SUPPLIERS = (
    "the runs of the pool that reach this score, ties included: the first one and the number of the others in text, "
    "markdown and latex, all of them in csv and tsv, separated by spaces; a list in JSON"
)
_SD = "the population standard deviation of the scores of the query over these runs"
_DIFFICULTY = (
    "the rank of the query from the hardest, 1, by the pool's best or mean score (`--difficulty`); ties "
    "are ordered by query id"
)
_GROUP = "1 for the hardest `--subset-size` queries, 2 for the next, and so on; the last group has the rest"
_QUERIES: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    QUERY.on("pool"),
    Column("score", _SCORE, "target_scores", kind="score"),
    Column("suppliers", _SUPPLIERS, lambda a: [a.suppliers(query) for query in range(a.pool.n_queries)]),
    Column(
        "n_suppliers",
        "how many runs of the pool reach the target's score",
        lambda a: a.contributions.supplies.sum(axis=0),
        latex="best runs",
        hidden=True,
    ),
    Column("mean", "the mean score of the query over the runs of the pool", "difficulty.mean", kind="score"),
    Column("sd", _SD, "difficulty.sd", latex="SD", priority=1),
    Column("difficulty", _DIFFICULTY, "difficulty.rank", priority=2),
    Column("group", _GROUP, "difficulty.group", priority=3),
)
_SUPPLIED = "on how many queries the run reaches the target's score, ties included"
_RUNS: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    RUN.on("pool"),
    Column("supplied", _SUPPLIED, "contributions.supplied", better="more"),
    Column("alone", "on how many queries no other run reaches it", "contributions.alone", better="more"),
    UNIQUE.on("contributions.left_out"),
    QUANTITIES["bias"].on("contributions"),
    BIAS_LORO.on("contributions.left_out"),
)
_MEAN = (
    "the mean over the queries of the expected best score of so many runs, exact: for 1 the mean over the runs, for "
    "all that of the target `best`"
)
_RAREFIED: Declared[TargetAnswer] = (
    MEASURE,
    TARGET,
    Column("n_runs", "a number of runs drawn at random from the pool", "sizes", latex="runs"),
    Column("mean", _MEAN, "means", kind="score"),
)
TABLES: dict[str, Declared[Any]] = {"queries": _QUERIES, "runs": _RUNS, "rarefied": _RAREFIED}
