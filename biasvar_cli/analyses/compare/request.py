"""What may be asked of runs that are compared. The types of its fields are read by the command line."""

from dataclasses import dataclass
from typing import Any, Literal

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, Function, replaced, setting
from biasvar_cli.specs import (
    LEVEL,
    BaselineSpec,
    QueryClusters,
    SampledRequest,
    TargetedRequest,
    parse_run_baselines,
    threshold,
)
from biasvar_cli.stats.significance import FAMILY_TESTS, PRIMARY, TESTS, USUAL, USUAL_RESAMPLES, Correction, Test
from biasvar_cli.words import argument, listed

Of = Literal["mean", "total", "total_gap"]


@dataclass(frozen=True, kw_only=True)
class CompareRequest(TargetedRequest):
    """Which tests of which pairs of runs, and what is computed beside.

    Without a ``baseline`` all pairs of runs are compared; every baseline, run:NAME (or NAME) or top, gives an answer of
    its own. ``test`` are the tests whose p-values are shown; the first one, after its ``correction``, decides which
    runs differ.
    ``of`` says what is compared, for a total the total error against each ``target``. p below 1 - ``level`` is
    significant. ``samples`` are those of tests that draw some, ``splits`` the random halves for swaps. ``power`` is the
    probability with which a difference is to be found; ``detect`` asks for the number of queries that find this one.
    Queries of one of the ``clusters`` are drawn together (`scoring.labels`).

    Raises `UsageError` for what cannot be asked.
    """

    baseline: tuple[str, ...] = setting(
        (),
        COMMON,
        "Compare every run with this one, not with every other: NAME, run:NAME, or top for the run with the best mean. "
        "Repeatable.",
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare every run with this one.",
    )
    test: tuple[Test, ...] = setting(
        USUAL,
        STATISTICS,
        "Paired test whose p-values are shown; the first one named decides which runs differ. Repeatable. "
        f"Default: {', '.join(USUAL)}.",
        show_default=False,
    )
    correction: Correction = setting(
        "holm", STATISTICS, f"Correction of p-values for many pairs; {' and '.join(FAMILY_TESTS)} need none."
    )
    of: Of = setting("mean", STATISTICS, "Compare mean scores, or total errors (lower is better).")
    level: float = setting(LEVEL, STATISTICS, "Level of confidence: p below 1 - LEVEL is significant.", metavar="LEVEL")
    samples: int = setting(
        USUAL_RESAMPLES, STATISTICS, "Number of random samples, for the tests that draw them.", metavar="N"
    )
    power: float = setting(
        0.8,
        STATISTICS,
        "Report the difference that a t test of one pair finds with this probability, at least 0.5.",
        metavar="P",
    )
    detect: float | None = setting(
        None,
        STATISTICS,
        "Report how many queries a t test of one pair needs to find a difference of X.",
        metavar="X",
    )
    splits: int = setting(
        1000,
        STATISTICS,
        lambda of_command: f"Random splits of the queries into halves{', for --table swap' if of_command else ''}.",
        metavar="N",
    )
    clusters: QueryClusters | None = replaced(SampledRequest, "clusters")
    seed: int = replaced(SampledRequest, "seed")
    jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        is_named = any(spec.kind == "run" for spec in self.specs)
        for test in self.tests:
            if is_named and TESTS[test].family == "all":
                raise UsageError(f"{test} is of all pairs of runs, and a baseline tests some of them", option="test")
            if self.clusters is not None and not TESTS[test].clustered:
                known = listed([name for name, record in TESTS.items() if record.clustered], None)
                reason = f"{test} takes queries for independent; with {argument('clusters')} there are {known}"
                raise UsageError(reason, option="test")

    @classmethod
    def of_one_test(cls, request: Any, *baseline: str) -> "CompareRequest":
        """The test of another request, which names one, as `compare` makes it. Raises `UsageError` as here."""
        names = ("correction", "level", "samples", "clusters", "seed", "jobs")
        return cls(test=(request.test,), baseline=baseline, **{name: getattr(request, name) for name in names})

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The baselines, each run once, by the last of its names."""
        return parse_run_baselines(self.baseline)

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests, each once, in the order of `TESTS`."""
        return tuple(test for test in TESTS if test in self.test)

    @property
    def deciding(self) -> Test:
        """The test that says which runs differ: the first one named."""
        return self.test[0] if self.test else PRIMARY

    @property
    def n_families(self) -> int:
        """How many times the tests are made: once for all pairs, and once for every baseline that is named."""
        kinds = [spec.kind for spec in self.specs]
        return (not kinds or "top" in kinds) + kinds.count("run")

    @property
    def lower_is_better(self) -> bool:
        return self.of != "mean"

    @property
    def threshold(self) -> float:
        """The p below which a pair differs."""
        return threshold(self.level)


FUNCTION = Function(
    CompareRequest,
    """Which differences are significant: paired tests of all pairs, or against a baseline, run:NAME or top.

    ``frame()`` has a row a run, with a baseline a row a pair; ``frame("pairs")``, ``frame("power")`` and
    ``frame("swap")`` are the other tables of ``biasvar compare``. ``clusters`` may also be the cluster of each query,
    as a dict or a DataFrame.
    """,
    first="baseline",
    tables=lambda request: ("pairs", "runs", "power", "swap") if request.baseline else (),
)
