"""``biasvar sensitivity``: what a ranking depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options.heading import OUTPUT, STATISTICS, command, option
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.ranges import number
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import SAMPLES, seed_option, teams_option
from biasvar_cli.console.options.target import log_options, target_files, target_options
from biasvar_cli.console.terminal import load
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biasvar_cli.analyses.sensitivity.answer import Sensitivity
    from biasvar_cli.console.output import Output
    from biasvar_cli.decomposition.target import TargetedScores
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.target_spec import TargetSpec

_TABLES = ("targets", "runs", "neighbours", "queries", "reliability", "mean")


@command()
@input_options()
@target_options()
@log_options()
@option(
    OUTPUT,
    "--table",
    type=click.Choice(_TABLES),
    default="targets",
    show_default=True,
    help="What to look at: other targets; single runs; neighbours in the ranking; leaving out a query; random halves "
    "of the queries; the ranking by mean. JSON has all.",
)
@teams_option(": leave out a run's whole team as well")
@option(
    STATISTICS,
    "--splits",
    type=SAMPLES,
    default=100,
    show_default=True,
    metavar="N",
    help="Random halves of the queries.",
)
@option(
    STATISTICS,
    "--precision",
    type=number("precision"),
    default=0.2,
    show_default=True,
    metavar="W",
    help="Say how many queries give ln var an interval of ± W.",
)
@seed_option
@output_options(sorted(FORMATS), "text")
def sensitivity(
    inputs: TrackRequest,
    targets: tuple[TargetSpec, ...],
    log: LogTransform | None,
    table: str,
    teams: str | None,
    splits: int,
    precision: float,
    seed: int,
    output: Output,
) -> None:
    """How far the ranking of the runs depends on the target, on single queries, and on chance.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    A best score over runs gives each run a share in its own target; leaving the run, or its team, out takes it away.

    \b
    biasvar sensitivity sample_runs -q qrels/npl.qrels.txt
    biasvar sensitivity sample_runs -q qrels/npl.qrels.txt --table runs -f csv -o runs.csv
    """
    require_separate(output, *input_files(inputs), *target_files(targets), teams, selection=inputs.selection)

    from biasvar_cli.analyses.sensitivity.table import sensitivity_table
    from biasvar_cli.readers.maps import read_teams
    from biasvar_cli.scoring.targets import targeted_scores

    held = read_teams(teams) if teams is not None else None
    track = load(inputs)
    all_targeted = [targeted_scores(scored, spec, log) for scored in track.scored for spec in targets]
    output.emit(
        [sensitivity_table(_analysed(targeted, held, splits, precision, seed), table) for targeted in all_targeted]
    )


def _analysed(
    targeted: TargetedScores, teams: Mapping[str, str] | None, splits: int, wanted: float, seed: int
) -> Sensitivity:
    from biasvar_cli.analyses.sensitivity.answer import Sensitivity
    from biasvar_cli.analyses.sensitivity.influence import influence
    from biasvar_cli.analyses.sensitivity.switching import switch_points
    from biasvar_cli.analyses.sensitivity.targets import target_sensitivity
    from biasvar_cli.decomposition.reliability import origin, precision, split_half

    scores, target = targeted.scores, targeted.target
    return Sensitivity(
        targeted=targeted,
        targets=target_sensitivity(targeted, teams),
        switches=switch_points(scores, target),
        influence=influence(scores, target) if scores.n_queries > 1 else None,
        halves=split_half(scores, target, n_splits=splits, seed=seed),
        precision=precision(scores.values, wanted),
        origin=origin(scores, targeted.pool),
        has_teams=teams is not None,
    )
