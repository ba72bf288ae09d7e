"""Figures of the runs: ``plane``, ``total``, ``ranked``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import group, together
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.shared import FamilyChoice, families_options, form_option
from biasvar_cli.console.terminal import load
from biasvar_cli.specs import require_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from biasvar_cli.drawing.style import Spec, Style
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.words import Form

_request_options = together(
    input_options(several=False),
    group("request", DecomposeRequest, target_option(several=False), log_and_eps),
    form_option,
)
_scatter_options = together(
    _request_options, families_options("Colour families and join those with a numeric parameter"), figure_options()
)


@figure("plane")
@_scatter_options
def draw_plane(**typed: Any) -> None:
    """bias² against variance, with lines of equal total and the Pareto front (SIGIR'13, Figure 1)."""
    from biasvar_cli.analyses.decompose.figures import plane_figure

    _draw(plane_figure, **typed)


@figure("total")
@_scatter_options
def draw_total(**typed: Any) -> None:
    """bias² against bias² + variance (SIGIR'13, Figure 2)."""
    from biasvar_cli.analyses.decompose.figures import total_figure

    _draw(total_figure, **typed)


@figure("ranked")
@_request_options
@figure_options()
def draw_ranked(**typed: Any) -> None:
    """Runs in ascending order of bias², with bias², variance and their sum (CIKM'14, Figure 1)."""
    from biasvar_cli.analyses.decompose.figures import ranked_figure

    _draw(ranked_figure, **typed)


def _draw(
    make: Callable[..., Spec],
    inputs: TrackRequest,
    request: DecomposeRequest,
    form: Form,
    output: FigureOutput,
    style: Style,
    families: FamilyChoice | None = None,
) -> None:
    """Write the figure of the answer on one measure and one target, with the families among the runs if any."""
    from biasvar_cli.analyses.decompose.answer import answer

    file, options = None, {}
    if families is not None:
        file, options = families.file, {"families": families.read(), "baseline": families.baseline}
    require_one("target", request.target)
    require_separate(output, *input_files(inputs), *request.files, file, selection=inputs.selection)
    write_figure(make(answer(load(inputs), request), form=form, style=style, **options), output)
