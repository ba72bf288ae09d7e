"""Which tests of which pairs of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.baseline_spec import BaselineSpec, parse_baseline
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import COMMON, OUTPUT, STATISTICS, option
from biasvar_cli.console.options.ranges import number, whole
from biasvar_cli.console.options.shared import seed_option

if TYPE_CHECKING:
    from biasvar_cli.analyses.compare.answer import CompareTable
    from biasvar_cli.analyses.compare.pairs import Correction, Of, PairRequest, Test

_TESTS: tuple[Test, ...] = ("t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "stepdown")
_USUAL: tuple[Test, ...] = ("t", "stepdown")

of_option = option(
    STATISTICS,
    "--of",
    type=click.Choice(["mean", "total", "total_gap"]),
    default="mean",
    show_default=True,
    help="Compare mean scores, or total errors (lower is better).",
)
level_option = option(
    STATISTICS,
    "--level",
    type=number("level"),
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Confidence level; a p-value below 1 - LEVEL is significant.",
)
samples_option = option(
    STATISTICS,
    "--samples",
    "n_samples",
    type=whole("samples"),
    default=9_999,
    show_default=True,
    metavar="N",
    help="Samples of the tests that draw random samples.",
)


def splits_option(words: str) -> Decorator:
    """``--splits``: how often the queries are split into halves, as ``n_splits``."""
    return option(
        STATISTICS,
        "--splits",
        "n_splits",
        type=whole("splits"),
        default=1000,
        show_default=True,
        metavar="N",
        help=words,
    )


@dataclass(frozen=True, kw_only=True)
class OneTest:
    """The one test that a figure is of, of all pairs, as typed."""

    test: Test
    level: float
    n_samples: int
    seed: int

    def request(self, jobs: int) -> PairRequest:
        """The test, in so many threads."""
        from biasvar_cli.analyses.compare.pairs import PairRequest

        return PairRequest(
            tests=(self.test,), level=self.level, n_samples=self.n_samples, seed=self.seed, jobs=jobs, primary=False
        )


def one_test_options(tests: Sequence[Test], default: Test, words: str) -> Decorator:
    """The one test of a figure, as ``chosen``: one of ``tests``, which ``words`` explain."""
    test = option(STATISTICS, "--test", type=click.Choice(tests), default=default, show_default=True, help=words)
    return group("chosen", OneTest, test, level_option, samples_option, seed_option)


@dataclass(frozen=True, kw_only=True)
class CompareChoice:
    """A comparison as typed: of all pairs of runs where there are no ``baselines``."""

    baselines: tuple[BaselineSpec, ...]
    tests: tuple[Test, ...]
    correction: Correction
    of: Of
    level: float
    n_samples: int
    seed: int
    power: float
    detect: float | None
    n_splits: int
    table: CompareTable

    @property
    def tests_all_pairs(self) -> bool:
        """Whether all pairs are tested: there is no baseline, or it is the best run."""
        return not self.baselines or any(spec.kind == "top" for spec in self.baselines)

    @property
    def n_families(self) -> int:
        """How many times the tests are made: once for all pairs, and once for every baseline that is named."""
        return self.tests_all_pairs + sum(spec.kind != "top" for spec in self.baselines)

    def request(self, jobs: int) -> PairRequest:
        """The tests, in so many threads."""
        from biasvar_cli.analyses.compare.pairs import PairRequest

        return PairRequest(
            tests=self.tests,
            correction=self.correction,
            level=self.level,
            n_samples=self.n_samples,
            seed=self.seed,
            jobs=jobs,
        )


def compare_options() -> Decorator:
    """The tests and how they are shown, as ``choice``."""
    return group(
        "choice",
        _choice,
        option(
            COMMON,
            "--baseline",
            "baselines",
            multiple=True,
            metavar="NAME|top",
            shell_complete=completion.words("top", names=True),
            help="Compare all runs with this one, NAME or run:NAME, or with the one of the best mean (top), and not "
            "all pairs. Repeatable.",
        ),
        option(
            STATISTICS,
            "--test",
            "tests",
            type=click.Choice(_TESTS),
            multiple=True,
            help="Paired test whose p-values are shown. Repeatable. Default: t, stepdown. What is said of the runs is "
            "always by stepdown.",
        ),
        option(
            STATISTICS,
            "--correction",
            type=click.Choice(["holm", "bonferroni", "bh", "none"]),
            default="holm",
            show_default=True,
            help="Correction of p-values for many pairs; tukey and stepdown need none.",
        ),
        of_option,
        level_option,
        samples_option,
        option(
            STATISTICS,
            "--power",
            type=number("power"),
            default=0.8,
            show_default=True,
            metavar="P",
            help="Say which difference a t test finds with this probability, at least 0.5.",
        ),
        option(
            STATISTICS,
            "--detect",
            type=number("detect"),
            metavar="X",
            help="Say how many queries are needed to find a difference of X.",
        ),
        splits_option("Random halves of the queries, for --table swap."),
        option(
            OUTPUT,
            "--table",
            type=click.Choice(["runs", "pairs", "power", "swap"]),
            help="A row per run, pair, test or difference. Default: runs; with --baseline pairs. JSON has all.",
        ),
        seed_option,
    )


def _choice(
    baselines: Sequence[str],
    tests: Sequence[Test],
    table: CompareTable | None,
    detect: float | None,
    **typed: Any,
) -> CompareChoice:
    specs = {(spec.kind, spec.name): spec for spec in map(parse_baseline, baselines)}  # each run once
    for spec in specs.values():
        if spec.kind not in ("run", "top"):
            raise click.UsageError(f"--baseline {spec.text}: runs are compared with a run: NAME, run:NAME or top.")
        if spec.kind == "run" and "tukey" in tests:
            raise click.UsageError("--test tukey is of all pairs of runs, and --baseline NAME tests some of them.")
    if detect is not None and not detect < float("inf"):
        raise click.BadParameter(f"{detect:g} is not a finite number.", param_hint="--detect")
    return CompareChoice(
        baselines=tuple(specs.values()),
        tests=tuple(each for each in _TESTS if each in tests) or _USUAL,
        table=table or ("pairs" if specs else "runs"),
        detect=detect,
        **typed,
    )
