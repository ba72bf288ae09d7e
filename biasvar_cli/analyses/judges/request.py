"""What may be asked of judges. The types of its fields are read by the command line, so they are no strings."""

from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, replaced, setting
from biasvar_cli.specs import LEVEL, QueryClusters, SampledRequest, TargetedRequest, require_one, target_help
from biasvar_cli.stats.significance import USUAL_RESAMPLES


@dataclass(frozen=True, kw_only=True)
class JudgesRequest(TargetedRequest):
    """Against which ``target`` the errors under each judge are measured, and which judges are passes of one.

    p below 1 - ``level`` is significant; ``samples`` are those of each test. ``replicates`` is a pattern of names of
    judges or the path of a csv. Queries of one of the ``clusters`` are drawn together (`scoring.labels`).

    Raises `UsageError` for what cannot be asked.
    """

    target: tuple[str, ...] = replaced(TargetedRequest, "target", help=target_help(several=False), single=True)
    replicates: str | None = setting(
        None,
        COMMON,
        "Which judges are passes of one, whose row is of their mean: a pattern of names, of which a group is the name "
        "of the judge, '(.*)-pass[0-9]+', or which is left out of the name, '-pass[0-9]+'; or a csv of judge,name.",
        completion=Completion(paths=True),
        metavar="REGEX|FILE",
        brief="Which judges are passes of one.",
    )
    level: float = setting(
        LEVEL, STATISTICS, "Level of confidence: a p-value below 1 - LEVEL is significant.", metavar="LEVEL"
    )
    samples: int = setting(USUAL_RESAMPLES, STATISTICS, "Number of random samples of each test.", metavar="N")
    clusters: QueryClusters | None = replaced(SampledRequest, "clusters")
    seed: int = replaced(SampledRequest, "seed")
    jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one("target", self.target)
        if self.log is not None:
            raise UsageError("judges are compared by the scores themselves", option="log")
