"""What may be asked of a summary. The types of its fields are read by the command line, so they are no strings."""

from dataclasses import dataclass

from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, replaced, setting
from biasvar_cli.specs import BaselineSpec, QueryClusters, TargetedRequest, parse_run_baseline
from biasvar_cli.stats.significance import PRIMARY, Correction, Test

ERRORS = ("bias2", "var", "total")  # that stand beside a mean
SPREAD = "sd_replicates"  # of the means of the runs of a system


@dataclass(frozen=True, kw_only=True)
class SummaryRequest(TargetedRequest):
    """What the runs are compared with, and what is shown beside their means.

    Without a ``baseline``, NAME, run:NAME or top, the runs are compared with the best one of each measure, by the test
    of all pairs; top is the best one of the first measure. The ``test``, after its ``correction``, decides the marks. p
    below 1 - ``level`` is significant; ``samples`` are those of the test. With ``errors`` bias², variance
    and total against the ``target``, of which there is one, stand beside each mean.

    Raises `UsageError` for what cannot be asked.
    """

    baseline: str | None = setting(
        None,
        COMMON,
        "Compare the runs with this one, and not with the best one of each measure: NAME, run:NAME, or top for the "
        "best one of the first measure.",
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare the runs with this one.",
    )
    errors: bool = setting(False, COMMON, "Show bias², variance and total beside each mean.")
    test: Test = setting(PRIMARY, STATISTICS, "Paired test that decides the marks.")
    correction: Correction = replaced(CompareRequest, "correction")
    level: float = replaced(CompareRequest, "level")
    samples: int = replaced(CompareRequest, "samples")
    clusters: QueryClusters | None = replaced(CompareRequest, "clusters")
    seed: int = replaced(CompareRequest, "seed")
    jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.targets) > 1:
            raise UsageError(f"the table has one target, found {' and '.join(self.target)}", option="target")
        CompareRequest.of_one_test(self, *([] if self.baseline is None else [self.baseline]))  # refuses what it does

    @property
    def spec(self) -> BaselineSpec | None:
        """What the others are compared with, None for the best one of each measure."""
        return None if self.baseline is None else parse_run_baseline(self.baseline)
