"""What the requests of several analyses share: settings, with their defaults and help, and their checks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, INPUT_DETAILS, STATISTICS, Completion, setting
from biasvar_cli.specs.limits import LEVEL, RESAMPLES, require_limits
from biasvar_cli.specs.machine import is_file
from biasvar_cli.specs.targets import TARGET_COMPLETION, TargetSpec, parse_target, target_help
from biasvar_cli.words import COEFFICIENTS, LogForm, argument

QueryClusters = str | os.PathLike[str] | Mapping[str, str]  # a file or a pattern of ids, or the cluster of each query
Systems = str | os.PathLike[str] | Mapping[str, str]  # a file or a pattern of names, or the system of each run


@dataclass(frozen=True, kw_only=True)
class SampledRequest:
    """What the requests of analyses that test and resample queries have in common.

    A request repeats the fields that it has (`settings.same_setting`), in the order of its own help. ``ci`` is the
    level of intervals and ``resamples`` the number of bootstrap samples that they are made of. ``clusters`` are the
    queries that belong together; the `answer` of a request passes them to `Track.in_clusters`.
    """

    ci: float | None = setting(
        None, STATISTICS, f"Add confidence intervals of this level, such as {LEVEL}.", metavar="LEVEL"
    )
    resamples: int | None = setting(None, STATISTICS, f"Bootstrap samples for --ci. Default: {RESAMPLES}.", metavar="N")
    clusters: QueryClusters | None = setting(
        None,
        INPUT_DETAILS,
        "Which queries belong together (variants, turns, forums of one collection): tests and intervals draw them "
        "together. A pattern of ids, whose group is the name of the cluster, '(.*)_[0-9]+', or a csv of "
        "query_id,cluster.",
        completion=Completion(paths=True),
        metavar="REGEX|FILE",
        type=str,
    )
    seed: int = setting(0, STATISTICS, "Seed of the random numbers: the same seed, the same output.", metavar="N")


def cluster_files(clusters: QueryClusters | None) -> tuple[str, ...]:
    """The file that lists the clusters of queries, if one does."""
    named = isinstance(clusters, str | os.PathLike) and is_file(os.fspath(clusters))
    return (str(clusters),) if named else ()


@dataclass(frozen=True, kw_only=True)
class AnalysisRequest:
    """What commands and notebooks ask every analysis of runs.

    ``jobs`` is the number of threads. ``null`` are the null models to fit beside the answer, None for none.
    """

    jobs: int = 1
    null: NullRequest | None = None

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Further measures that the answer needs."""
        return ()

    @property
    def of_documents(self) -> str:
        """What needs the documents of runs, for the error where inputs have none; empty where nothing does."""
        return ""


@dataclass(frozen=True, kw_only=True)
class TargetedRequest(AnalysisRequest):
    """What the requests of all analyses that measure runs against targets have in common.

    ``target`` are the targets, with an answer for each. With ``log`` scores are analysed as their
    logarithms, floored at ``eps`` (1e-5) or with it added.

    Raises `UsageError` for what cannot be asked.
    """

    target: tuple[str, ...] = setting(
        ("best",),
        COMMON,
        lambda of_command: target_help(several=of_command),
        completion=TARGET_COMPLETION,
        metavar="TARGET",
        brief="Measure against best (default), ideal, run:NAME, ...",
    )
    log: LogForm | None = setting(
        None, STATISTICS, "Analyse ln max(score, eps) or ln(score + eps): GMAP instead of MAP."
    )
    eps: float | None = setting(None, STATISTICS, "The eps of --log. Default: 1e-05.", metavar="X")

    def __post_init__(self) -> None:
        require_limits(self)
        if self.eps is not None and self.log is None:
            raise UsageError(f"needs {argument('log')}, floor or add", option="eps")
        for text in self.target:
            parse_target(text)

    @property
    def targets(self) -> tuple[TargetSpec, ...]:
        """The targets, each once."""
        return tuple(parse_target(text) for text in dict.fromkeys(self.target))

    @property
    def log_words(self) -> str:
        """The logarithms in a signature; empty without any."""
        return "" if self.log is None else f"ln {self.log} {self.eps or 1e-5:g}"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets, and clusters of queries where a request has them, are read from."""
        targets = tuple(spec.file for spec in self.targets if spec.file is not None)
        return (*targets, *cluster_files(getattr(self, "clusters", None)))


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the deciding models.

    ``ranks`` says whether Spearman's and Kendall's correlations are simulated beside Pearson's, which alone is printed.
    ``null_samples`` None is `nulls.models.usual_samples` of the pool, and more where these leave the verdict open.
    Raises `UsageError` for a number that is out of range.
    """

    null_samples: int | None = None
    seed: int = 0
    jobs: int = 1
    shuffled: bool = True
    stability: bool = False
    ranks: bool = True

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The correlations that are simulated."""
        return COEFFICIENTS if self.ranks else COEFFICIENTS[:1]

    def __post_init__(self) -> None:
        require_limits(self)
