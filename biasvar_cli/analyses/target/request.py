"""The request for a virtual target. The command line reads the types of its fields."""

from dataclasses import dataclass

from biasvar_cli.decomposition.design import Design
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import QUERY_SAMPLES, STATISTICS, Function, replaced, setting
from biasvar_cli.specs import BEST, TargetedRequest, TargetSpec, require_one, target_help
from biasvar_cli.words import DifficultyKey


@dataclass(frozen=True, kw_only=True)
class TargetRequest(TargetedRequest):
    """A target with a score for each query, and how the difficulty of the queries is measured.

    Raises `UsageError` for a request that cannot be answered.
    """

    target: tuple[str, ...] = replaced(
        TargetedRequest, "target", help=target_help(several=False, mean=False), single=True
    )
    rarefied: int | None = setting(
        None,
        STATISTICS,
        "Target: the best score expected of R runs drawn at random, to compare pools of different size.",
        metavar="R",
    )
    difficulty: DifficultyKey = replaced(Design, "difficulty")
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
