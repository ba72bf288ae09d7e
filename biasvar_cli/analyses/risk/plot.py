"""Figures of risk: ``risk``, ``losses``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.risk.command import baseline_option
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import number, option
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.terminal import load
from biasvar_cli.settings import STATISTICS
from biasvar_cli.specs import require_one

if TYPE_CHECKING:
    from biasvar_cli.analyses.risk.answer import RiskAnswer
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.request import TrackRequest


@figure("risk")
@input_options(several=False)
@baseline_option()
@option(
    STATISTICS,
    "--alpha",
    "highest",
    type=number("highest_alpha"),
    default=10.0,
    show_default=True,
    metavar="A",
    help="The largest weight: losses count 1 to 1 + A times.",
)
@figure_options()
def draw_risk(
    inputs: TrackRequest, baseline: tuple[str, ...], highest: float, output: FigureOutput, style: Style
) -> None:
    """U_risk of the leading runs over alpha, the weight of losses, with marks where the best run changes."""
    from biasvar_cli.analyses.risk.figures import risk_figure

    write_figure(risk_figure(_answers(inputs, baseline, output), alpha=highest, style=style), output)


@figure("losses")
@input_options(several=False)
@baseline_option()
@option(
    STATISTICS,
    "--run",
    brief="The run to show.",
    metavar="RUN",
    shell_complete=completion.run_name,
    help="The run to show. Default: the best by mean, other than the baseline.",
)
@figure_options()
def draw_losses(
    inputs: TrackRequest, baseline: tuple[str, ...], run: str | None, output: FigureOutput, style: Style
) -> None:
    """A run's difference from the baseline on every query, the largest gain first."""
    from biasvar_cli.analyses.risk.figures import losses_figure

    write_figure(losses_figure(_answers(inputs, baseline, output), run=run, style=style), output)


def _answers(inputs: TrackRequest, baseline: tuple[str, ...], output: FigureOutput) -> list[RiskAnswer]:
    """The answer on one measure and one baseline."""
    from biasvar_cli.analyses.risk.answer import answer

    require_one("baseline", baseline)
    request = RiskRequest(baseline=baseline)
    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)
    return answer(load(inputs), request)
