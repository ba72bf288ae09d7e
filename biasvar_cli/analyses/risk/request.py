"""What may be asked of risk. The types of its fields are read by the command line, so they are no strings."""

from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, Function, replaced, setting
from biasvar_cli.specs import (
    LEVEL,
    RESAMPLES,
    WORDS,
    BaselineSpec,
    QueryClusters,
    SampledRequest,
    cluster_files,
    parse_baseline,
    require_limits,
)
from biasvar_cli.words import argument


@dataclass(frozen=True, kw_only=True)
class RiskRequest:
    """Baselines, weights of losses, and what is computed beside.

    ``baseline`` are run:NAME (or NAME), top, mean, median, best and file:PATH, each of which gives an answer of its
    own. Losses count 1 + A times for each A of ``alpha``. Differences up to ``tie_eps`` are ties. ``r_loss`` is the
    number of documents whose loss of relevant ones is counted, ``ci`` the level of intervals that are made from so many
    ``resamples`` (2000). Queries of one of the ``clusters`` are drawn together (`scoring.labels`).

    Raises `UsageError` for what cannot be asked.
    """

    baseline: tuple[str, ...] = setting(
        ("mean",),
        COMMON,
        lambda of_command: (
            "Compare with a run (NAME or run:NAME), with top (the run with the best mean), with the mean, median or "
            "best score of each query over the runs, or with file:PATH (a csv of query_id,score)."
            f"{' Repeatable.' if of_command else ''}"
        ),
        completion=Completion(WORDS, names=True, files=True),
        metavar="BASELINE",
        brief="Compare with mean (default), NAME, top, best, ...",
    )
    alpha: tuple[float, ...] = setting(
        (0.0, 1.0, 5.0, 10.0),  # the grid of the TREC 2013 Web track
        COMMON,
        "Weights of losses: a loss counts 1 + A times, a gain once.",
        metavar="A,A,...",
    )
    tie_eps: float = setting(
        0.0,
        STATISTICS,
        "Differences up to X are ties. Default: equal scores only.",
        show_default=False,
        metavar="X",
    )
    r_loss: int | None = setting(
        None,
        STATISTICS,
        "Add r_loss: how many relevant documents the top K loses. Needs qrels and a run as the baseline.",
        metavar="K",
    )
    with_decomposition: bool = setting(False, STATISTICS, "Add bias2, var and total against the target best.")
    ci: float | None = replaced(
        SampledRequest, "ci", help=f"Add confidence intervals of U_risk and GeoRisk, of this level, such as {LEVEL}."
    )
    resamples: int | None = replaced(SampledRequest, "resamples")
    clusters: QueryClusters | None = replaced(SampledRequest, "clusters")
    seed: int = replaced(SampledRequest, "seed")
    jobs: int = 1

    def __post_init__(self) -> None:
        require_limits(self)
        if self.resamples is not None and self.ci is None:
            raise UsageError(f"needs {argument('ci')}, the level of the intervals", option="resamples")
        if not self.alpha:
            raise UsageError("expected at least one number, found none", option="alpha")
        named: dict[str, float] = {}
        for alpha in self.alpha:  # the columns of an alpha are named by its first six digits
            column = f"u_risk_{alpha:g}"
            if column in named:
                both = f"{named[column]!r} and {alpha!r} would both be the column {column}"
                raise UsageError(f"{both}; keep one of them", option="alpha")
            named[column] = alpha
        if any(spec.kind not in ("run", "top") for spec in self.specs) and self.r_loss is not None:
            raise UsageError("needs a run as the baseline: run:NAME or top", option="r_loss")

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The baselines, each once."""
        return tuple(parse_baseline(text) for text in dict.fromkeys(self.baseline))

    @property
    def files(self) -> tuple[str, ...]:
        """The files that baselines and clusters are read from."""
        baselines = (str(spec.name) for spec in self.specs if spec.kind == "file")
        return (*baselines, *cluster_files(self.clusters))

    @property
    def n_resamples(self) -> int:
        """The number of resamples that intervals are made from."""
        return self.resamples or RESAMPLES

    @property
    def main_alpha(self) -> float:
        """The alpha that people are shown: the first above 0, else the first."""
        return next((alpha for alpha in self.alpha if alpha > 0), self.alpha[0])

    @property
    def precision(self) -> str | None:
        """The measure that R-Loss is made of, P@K; None where it is not asked for."""
        return None if self.r_loss is None else f"P@{self.r_loss}"

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """The measures that are computed besides those that are asked for."""
        return () if self.precision is None else (self.precision,)


FUNCTION = Function(
    RiskRequest,
    """Wins, losses and risk of every run against a baseline: run:NAME, top, mean, median, best or file:PATH.

    ``frame("queries")`` has a row a query, ``frame("run:NAME")`` the queries of one run.
    """,
    first="baseline",
    tables=lambda _: ("runs", "queries", "run:NAME"),
)
