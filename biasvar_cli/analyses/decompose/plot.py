"""Figures of the runs: ``plane``, ``total``, ``ranked``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from biasvar_cli.console.options.families import families_options
from biasvar_cli.console.options.figure import figure, figure_options, load_targeted, targeted_options, write_figure
from biasvar_cli.console.options.group import together
from biasvar_cli.console.options.shared import form_option

if TYPE_CHECKING:
    from biasvar_cli.console.options.families import FamilyChoice
    from biasvar_cli.console.output import Destination
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.target_spec import TargetSpec
    from biasvar_cli.words import Form

_scatter_options = together(
    targeted_options(),
    form_option,
    families_options("Colour families and join their members in order"),
    figure_options(),
)


@figure("plane")
@_scatter_options
def draw_plane(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    form: Form,
    families: FamilyChoice | None,
    output: Destination,
    style: Style,
) -> None:
    """bias² against variance, with lines of equal total and the Pareto front (SIGIR'13, Figure 1)."""
    _draw_scatter("var", inputs, target, log, form, families, output, style)


@figure("total")
@_scatter_options
def draw_total(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    form: Form,
    families: FamilyChoice | None,
    output: Destination,
    style: Style,
) -> None:
    """bias² against bias² + variance (SIGIR'13, Figure 2)."""
    _draw_scatter("total", inputs, target, log, form, families, output, style)


def _draw_scatter(
    against: Literal["var", "total"],
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    form: Form,
    families: FamilyChoice | None,
    output: Destination,
    style: Style,
) -> None:
    """bias² against the variance or the total of a form, the families among the runs in colours."""
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.drawing.plane import plane_figure
    from biasvar_cli.scoring.families import families_in

    file, baseline = (families.file, families.baseline) if families is not None else (None, None)
    named = families.read() if families is not None else ""
    targeted, remarks = load_targeted(inputs, target, log, output, file)
    result = decompose(targeted.scores, targeted.target)
    found = families_in(result, named, baseline) if families is not None else []
    spec = plane_figure(result, found, baseline, against=against, form=form, remarks=remarks, style=style)
    write_figure(spec, output)


@figure("ranked")
@targeted_options()
@form_option
@figure_options()
def draw_ranked(
    inputs: TrackRequest, target: TargetSpec, log: LogTransform | None, form: Form, output: Destination, style: Style
) -> None:
    """Runs in ascending order of bias², with bias², variance and their sum (CIKM'14, Figure 1)."""
    from biasvar_cli.analyses.decompose.figures import ranked_figure
    from biasvar_cli.decomposition.decompose import decompose

    targeted, remarks = load_targeted(inputs, target, log, output)
    write_figure(
        ranked_figure(decompose(targeted.scores, targeted.target), form=form, remarks=remarks, style=style), output
    )
