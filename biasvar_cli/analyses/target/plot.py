"""Figures of the queries and the target: ``target``, ``queries``, ``rarefaction``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.console.options.figure import figure, figure_options, load_targeted, targeted_options, write_figure
from biasvar_cli.console.options.inputs import input_options
from biasvar_cli.console.options.shared import difficulty_option
from biasvar_cli.console.options.target import log_options
from biasvar_cli.target_spec import BEST

if TYPE_CHECKING:
    from biasvar_cli.console.output import Destination
    from biasvar_cli.decomposition.partitions import DifficultyKey
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.target_spec import TargetSpec


@figure("target")
@targeted_options(mean=False)
@difficulty_option
@figure_options()
def draw_target(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    difficulty: DifficultyKey,
    output: Destination,
    style: Style,
) -> None:
    """The target's score of each query in order of difficulty, its supplier, and the spread of the runs."""
    from biasvar_cli.analyses.target.figures import target_figure
    from biasvar_cli.decomposition import contribution

    targeted, remarks = load_targeted(inputs, target, log, output)
    hardness = contribution.difficulty(targeted.pool, key=difficulty)
    contributions = contribution.contributions(targeted.pool, targeted.target)
    write_figure(target_figure(contributions, hardness, remarks=remarks, style=style), output)


@figure("queries")
@targeted_options(mean=False)
@difficulty_option
@figure_options()
def draw_queries(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    difficulty: DifficultyKey,
    output: Destination,
    style: Style,
) -> None:
    """Heat map of runs in order of bias² and queries in order of difficulty: the gap to the target."""
    from biasvar_cli.analyses.target.query_figures import queries_figure
    from biasvar_cli.decomposition import contribution
    from biasvar_cli.decomposition.decompose import decompose

    targeted, remarks = load_targeted(inputs, target, log, output)
    hardness = contribution.difficulty(targeted.pool, key=difficulty)
    result = decompose(targeted.scores, targeted.target)
    write_figure(queries_figure(targeted, result, hardness, remarks=remarks, style=style), output)


@figure("rarefaction")
@input_options(several=False)
@log_options()
@figure_options()
def draw_rarefaction(inputs: TrackRequest, log: LogTransform | None, output: Destination, style: Style) -> None:
    """The mean of the target, the best score of each query, against the number of runs pooled."""
    from biasvar_cli.analyses.target.rarefaction_figure import rarefaction_figure

    targeted, remarks = load_targeted(inputs, BEST, log, output)
    write_figure(rarefaction_figure(targeted, remarks=remarks, style=style), output)
