"""What may be asked of a virtual target, and the columns of the tables of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasvar_cli.decomposition import Design
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import QUERY_SAMPLES, STATISTICS, Function, same_setting, setting
from biasvar_cli.specs.limits import require_one
from biasvar_cli.specs.requests import TargetedRequest
from biasvar_cli.specs.targets import BEST, TargetSpec, target_help
from biasvar_cli.tables.column import BIAS_LORO, MEASURE, QUANTITIES, QUERY, RUN, TARGET, UNIQUE, Column, Declared
from biasvar_cli.words import DifficultyKey

if TYPE_CHECKING:
    from biasvar_cli.analyses.target.answer import TargetAnswer


@dataclass(frozen=True, kw_only=True)
class TargetRequest(TargetedRequest):
    """A target with a score for each query, and how the difficulty of the queries is measured.

    Raises `UsageError` for a request that cannot be answered.
    """

    target: tuple[str, ...] = same_setting(
        TargetedRequest, "target", help=target_help(several=False, mean=False), single=True
    )
    rarefied: int | None = setting(
        None,
        STATISTICS,
        "Target: the best score expected of R runs drawn at random, to compare pools of different size.",
        metavar="R",
    )
    difficulty: DifficultyKey = same_setting(Design, "difficulty")
    subset_size: int = setting(
        10,
        QUERY_SAMPLES,
        "How many queries are in a group of similar difficulty; the last group has the rest.",
        metavar="K",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one("target", self.target)
        if not self.spec.form.per_query:
            raise UsageError(f"{self.spec.text} has no score per query", option="target")
        if self.rarefied is not None and self.spec != BEST:
            raise UsageError(f"needs the target best, not {self.spec.text}", option="rarefied")

    @property
    def spec(self) -> TargetSpec:
        """The target, parsed."""
        return self.targets[0]


FUNCTION = Function(
    TargetRequest,
    """The virtual target: its score on every query, the runs that supply it, and how hard the query is.

    ``frame("runs")`` has what each run contributes, ``frame("rarefied")`` the target of fewer runs, as ``biasvar target
    --table`` has them.
    """,
    without=("log", "eps"),
)


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
