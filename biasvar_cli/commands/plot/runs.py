"""Figures of the runs: ``plane``, ``total``, ``ranked``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.commands.options.families import families_in, families_options
from biasvar_cli.commands.options.group import together
from biasvar_cli.commands.options.shared import form_option
from biasvar_cli.commands.plot.figure import aim_options, figure_options, load_aim, write_figure

if TYPE_CHECKING:
    from biasvar_cli.analyses.families import Family
    from biasvar_cli.commands.options.families import FamilyChoice
    from biasvar_cli.commands.output import Destination
    from biasvar_cli.decomposition.decompose import Decomposition
    from biasvar_cli.plots.style import Style
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import Request
    from biasvar_cli.target_spec import TargetSpec
    from biasvar_cli.words import Form

_scatter_options = together(
    aim_options(),
    form_option,
    families_options("Colour families and join their members in order"),
    figure_options(),
)


@click.command("plane", short_help="bias² against variance, lines of equal total, the Pareto front.")
@_scatter_options
def draw_plane(
    request: Request,
    target: TargetSpec,
    log: LogTransform | None,
    form: Form,
    families: FamilyChoice | None,
    output: Destination,
    style: Style,
) -> None:
    """bias² against variance, with lines of equal total and the Pareto front (SIGIR'13, Figure 1)."""
    from biasvar_cli.plots.plane import plane

    result, found, baseline, remarks = _with_families(request, target, log, families, output)
    write_figure(plane(result, found, baseline, form=form, remarks=remarks, style=style), output)


@click.command("total", short_help="bias² against bias² + variance.")
@_scatter_options
def draw_total(
    request: Request,
    target: TargetSpec,
    log: LogTransform | None,
    form: Form,
    families: FamilyChoice | None,
    output: Destination,
    style: Style,
) -> None:
    """bias² against bias² + variance (SIGIR'13, Figure 2)."""
    from biasvar_cli.plots.plane import total

    result, found, baseline, remarks = _with_families(request, target, log, families, output)
    write_figure(total(result, found, baseline, form=form, remarks=remarks, style=style), output)


def _with_families(
    request: Request,
    target: TargetSpec,
    log: LogTransform | None,
    families: FamilyChoice | None,
    output: Destination,
) -> tuple[Decomposition, list[Family], str | None, list[str]]:
    """The runs, the families among them, the run that these are compared with, and what the caption has to say."""
    from biasvar_cli.decomposition.decompose import decompose

    file, baseline = (families.file, families.baseline) if families is not None else (None, None)
    named = families.read() if families is not None else ""
    aimed, remarks = load_aim(request, target, log, output, file)
    result = decompose(aimed.scores, aimed.target)
    return result, families_in(result, named, baseline) if families is not None else [], baseline, remarks


@click.command("ranked", short_help="Runs in order of bias², with bias², variance and their sum.")
@aim_options()
@form_option
@figure_options()
def draw_ranked(
    request: Request, target: TargetSpec, log: LogTransform | None, form: Form, output: Destination, style: Style
) -> None:
    """Runs in ascending order of bias², with bias², variance and their sum (CIKM'14, Figure 1)."""
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.plots.ranked import ranked

    aimed, remarks = load_aim(request, target, log, output)
    write_figure(ranked(decompose(aimed.scores, aimed.target), form=form, remarks=remarks, style=style), output)
