"""The runs that query models were used in, for their performance beside the estimation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import COMMON, option
from biasvar_cli.console.options.inputs import require_one_measure
from biasvar_cli.console.options.shared import FILE, INPUT, jobs_option
from biasvar_cli.target_spec import BEST, TargetSpec, parse_target

if TYPE_CHECKING:
    from biasvar_cli.scoring.scorer import TrackRequest


@dataclass(frozen=True, kw_only=True)
class JointChoice:
    """The runs and what they are measured by and against."""

    request: TrackRequest
    target: TargetSpec


def joint_options() -> Decorator:
    """Runs, judgments, a measure and a target, as ``joint``; None without runs."""
    return group(
        "joint",
        _choice,
        option(
            COMMON,
            "--runs",
            multiple=True,
            type=INPUT,
            metavar="INPUT",
            help="Runs or scores with the names of the models: add their performance beside the estimation. "
            "Repeatable.",
        ),
        option(COMMON, "-q", "--qrels", type=FILE, help="Relevance judgments for --runs."),
        option(
            COMMON,
            "-m",
            "--measure",
            "measures",
            multiple=True,
            metavar="NAME",
            shell_complete=completion.measure,
            help="Measure of --runs. Default: AP, or their only one.",
        ),
        option(
            COMMON,
            "--target",
            metavar="TARGET",
            shell_complete=completion.target,
            help="Virtual target of --runs, as for decompose. Default: best.",
        ),
        jobs_option("Files of --runs to read"),
    )


def _choice(
    runs: tuple[str, ...], qrels: str | None, measures: tuple[str, ...], target: str | None, jobs: int
) -> JointChoice | None:
    if not runs:
        if qrels is not None or measures or target is not None:
            raise click.UsageError("--qrels, --measure and --target need --runs INPUT.")
        return None
    from biasvar_cli.scoring.scorer import TrackRequest

    require_one_measure(measures)
    request = TrackRequest(inputs=runs, qrels=qrels, measures=measures, jobs=jobs)
    return JointChoice(request=request, target=BEST if target is None else parse_target(target))
