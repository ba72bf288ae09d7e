"""The request for query models. The command line reads the types of its fields."""

from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, replaced, setting
from biasvar_cli.specs import BEST, LEVEL, TARGET_COMPLETION, SampledRequest, TargetSpec, parse_target, require_limits
from biasvar_cli.words import argument


@dataclass(frozen=True, kw_only=True)
class EstimationRequest:
    """What is shown beside the estimation: a baseline, intervals, and the performance of the runs of the models.

    Models are compared with the model ``baseline``. ``ci`` is the level of the intervals (0.95 for the
    baseline) and ``resamples`` (2000) the number of resamples that they are made from. ``runs`` have the names of the
    models; ``qrels`` are their judgments, ``measure`` is their measure and ``target`` (best) their virtual target.

    Raises `UsageError` for a request that cannot be answered.
    """

    baseline: str | None = setting(
        None,
        STATISTICS,
        "Name the models with less bias² and less variance than this model, with intervals.",
        metavar="MODEL",
    )
    ci: float | None = replaced(
        SampledRequest,
        "ci",
        help=f"Add confidence intervals of this level, such as {LEVEL}; also the level of --baseline ({LEVEL}).",
    )
    resamples: int | None = replaced(SampledRequest, "resamples")
    seed: int = replaced(SampledRequest, "seed")
    runs: tuple[str, ...] = setting(
        (),
        COMMON,
        "Runs or scores with the names of the models: add their performance beside the estimation. Repeatable.",
        metavar="INPUT",
        brief="Runs or scores with the names of the models.",
    )
    qrels: str | None = setting(None, COMMON, "Relevance judgments for --runs.", file=True, names=("-q", "--qrels"))
    measure: tuple[str, ...] = setting(
        (), COMMON, "Measure of --runs. Default: AP, or their only one.", metavar="NAME", names=("-m", "--measure")
    )
    target: str | None = setting(
        None,
        COMMON,
        "Virtual target of --runs, as for decompose. Default: best.",
        completion=TARGET_COMPLETION,
        metavar="TARGET",
    )
    jobs: int = 1

    def __post_init__(self) -> None:
        require_limits(self)
        if self.resamples is not None and self.ci is None:
            raise UsageError(f"needs {argument('ci')}, the level of the intervals", option="resamples")
        for name in ("qrels", "measure", "target"):
            if getattr(self, name) and not self.runs:
                raise UsageError(
                    f"needs {argument('runs')}, whose performance is shown beside the estimation", option=name
                )
        if self.target is not None:
            parse_target(self.target)

    @property
    def target_spec(self) -> TargetSpec:
        """The virtual target of the runs."""
        return BEST if self.target is None else parse_target(self.target)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are read beside the models and the runs: judgments, and scores of the target."""
        return tuple(path for path in (self.qrels, self.target_spec.file) if path is not None)
