"""What may be asked of the profile of one run. The types of its fields are read by the command line."""

from dataclasses import dataclass

from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, Function, replaced, setting
from biasvar_cli.specs import BaselineSpec, QueryClusters, TargetedRequest, parse_run_baselines
from biasvar_cli.stats.significance import PRIMARY, TESTS, Correction, Test


@dataclass(frozen=True, kw_only=True)
class ProfileRequest(TargetedRequest):
    """The run, what it is compared with, and by which test.

    ``run`` is its name or the beginning of it. A ``baseline`` is NAME, run:NAME or top, the best of the other runs. The
    ``test``, after its ``correction``, decides which differences are significant: p below 1 - ``level``. ``samples``
    are those of the test. Queries of one of the ``clusters`` are drawn together (`scoring.labels`).

    Raises `UsageError` for what cannot be asked.
    """

    run: str = setting("", COMMON, "The run: its name, or the beginning of it.")
    baseline: tuple[str, ...] = setting(
        (),
        COMMON,
        lambda of_command: (
            "Compare the run with NAME, chosen beforehand, or with top, the best other run."
            f"{' Repeatable.' if of_command else ''}"
        ),
        completion=Completion(("top",), names=True),
        metavar="NAME|top",
        brief="Compare the run with this one too.",
    )
    test: Test = setting(PRIMARY, STATISTICS, "Paired test that decides which differences are significant.")
    correction: Correction = replaced(CompareRequest, "correction")
    level: float = replaced(CompareRequest, "level")
    samples: int = replaced(CompareRequest, "samples")
    clusters: QueryClusters | None = replaced(CompareRequest, "clusters")
    seed: int = replaced(CompareRequest, "seed")
    jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if TESTS[self.test].family == "all":
            reason = f"{self.test} is of all pairs of runs, and a profile tests those of one run"
            raise UsageError(reason, option="test")
        CompareRequest.of_one_test(self, *self.baseline)  # which refuses what `compare` does

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The baselines, each run once, by the last of its names."""
        return parse_run_baselines(self.baseline)


FUNCTION = Function(
    ProfileRequest,
    """One run: how good it is, beside the best of the others and a baseline, on which queries, how evenly.

    ``run`` is its name or the beginning of it. ``frame()`` has its quantities, ``frame("versus")`` the runs that it is
    compared with, and ``frame("queries")`` its queries, the largest loss first.
    """,
    first="run",
)
