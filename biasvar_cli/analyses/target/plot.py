"""Figures of the queries and the target: ``target``, ``queries``, ``rarefaction``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.console.options.figure import figure, figure_options, targeted_options, write_figure
from biasvar_cli.console.options.inputs import input_files, input_options, log_options
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.shared import difficulty_option
from biasvar_cli.console.output import Destination, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from biasvar_cli.drawing.style import Spec, Style
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.specs import TargetSpec
    from biasvar_cli.words import DifficultyKey


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

    _draw(target_figure, inputs, TargetRequest(target=target.text, log=log, difficulty=difficulty), output, style)


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
    from biasvar_cli.analyses.target.figures import queries_figure

    _draw(queries_figure, inputs, TargetRequest(target=target.text, log=log, difficulty=difficulty), output, style)


@figure("rarefaction")
@input_options(several=False)
@log_options()
@figure_options()
def draw_rarefaction(inputs: TrackRequest, log: LogTransform | None, output: Destination, style: Style) -> None:
    """The mean of the target, the best score of each query, against the number of runs pooled."""
    from biasvar_cli.analyses.target.figures import rarefaction_figure

    _draw(rarefaction_figure, inputs, TargetRequest(log=log), output, style)


def _draw(
    make: Callable[..., Spec], inputs: TrackRequest, request: TargetRequest, output: Destination, style: Style
) -> None:
    """Write the figure of the answer on one measure."""
    from biasvar_cli.analyses.target.answer import answer
    from biasvar_cli.drawing.chart import remarks

    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)
    (found,) = answer(load(inputs), request)
    write_figure(make(found, remarks=remarks(found.scored, request.log), style=style), output)
