"""The figure of the table of a paper: ``summary``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from biasvar_cli.analyses.compare.command import correction_option, level_option, samples_option
from biasvar_cli.analyses.summary.command import baseline_option, named_tracks, names_option, test_option
from biasvar_cli.analyses.summary.request import SHOWN, SummaryRequest
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import group, option
from biasvar_cli.console.options.inputs import input_options, log_and_eps
from biasvar_cli.console.options.shared import COUNT, seed_option
from biasvar_cli.settings import OUTPUT

if TYPE_CHECKING:
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.request import TrackRequest


@figure("summary")
@input_options()
@group(
    "request",
    SummaryRequest,
    baseline_option,
    log_and_eps,
    test_option,
    correction_option,
    level_option,
    samples_option,
    seed_option,
    names_option,
)
@option(
    OUTPUT,
    "--top",
    type=COUNT,
    default=SHOWN,
    show_default=True,
    metavar="N",
    brief="Show the first N runs.",
    help="Show the first N runs, the baseline among them; every number is still of all runs.",
)
@figure_options()
def draw_summary(inputs: TrackRequest, request: SummaryRequest, top: int, output: FigureOutput, style: Style) -> None:
    """The mean of the best runs under each measure, with comparison bars and the marks of the table."""
    from biasvar_cli.analyses.summary.answer import answer
    from biasvar_cli.analyses.summary.figures import summary_figure

    request = replace(request, jobs=inputs.jobs)
    result = answer(named_tracks(inputs, request, output), request)
    write_figure(summary_figure([result], top=top, style=style), output)
