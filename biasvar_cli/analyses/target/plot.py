"""Figures of the queries and the target: ``target``, ``queries``, ``rarefaction``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import group, together
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.shared import difficulty_option
from biasvar_cli.console.terminal import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from biasvar_cli.drawing.style import Spec, Style
    from biasvar_cli.scoring.request import TrackRequest


_of_queries = together(
    input_options(several=False),
    group("request", TargetRequest, target_option(several=False, mean=False), log_and_eps, difficulty_option),
    figure_options(),
)


@figure("target")
@_of_queries
def draw_target(**typed: Any) -> None:
    """The target's score of each query in order of difficulty, its supplier, and the spread of the runs."""
    from biasvar_cli.analyses.target.figures import target_figure

    _draw(target_figure, **typed)


@figure("queries")
@_of_queries
def draw_queries(**typed: Any) -> None:
    """Heat map of runs in order of bias² and queries in order of difficulty: the gap to the target."""
    from biasvar_cli.analyses.target.figures import queries_figure

    _draw(queries_figure, **typed)


@figure("rarefaction")
@input_options(several=False)
@group("request", TargetRequest, log_and_eps)
@figure_options()
def draw_rarefaction(**typed: Any) -> None:
    """The mean of the target, the best score of each query, against the number of runs pooled."""
    from biasvar_cli.analyses.target.figures import rarefaction_figure

    _draw(rarefaction_figure, **typed)


def _draw(
    make: Callable[..., Spec], inputs: TrackRequest, request: TargetRequest, output: FigureOutput, style: Style
) -> None:
    """Write the figure of the answer on one measure."""
    from biasvar_cli.analyses.target.answer import answer

    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)
    write_figure(make(answer(load(inputs), request), style=style), output)
