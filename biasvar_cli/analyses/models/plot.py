"""The figure of query models: ``estimation``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from biasvar_cli.analyses.models.options import model_files, model_options
from biasvar_cli.console.options.families import families_options
from biasvar_cli.console.options.figure import figure_options, model_figure, write_figure
from biasvar_cli.console.options.separate_files import require_separate

if TYPE_CHECKING:
    from biasvar_cli.console.options.families import FamilyChoice
    from biasvar_cli.console.output import Destination
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.query_models.request import ModelRequest


@model_figure("estimation")
@model_options(several=False)
@families_options("Colour families of models and join their members in order")
@figure_options()
def draw_estimation(request: ModelRequest, families: FamilyChoice | None, output: Destination, style: Style) -> None:
    """Estimation bias² of query models against variance, with lines of equal total and the Pareto front.

    INPUTS, --true, --background and the divergence are as for biasvar models.
    """
    from biasvar_cli.analyses.models.figures import estimation_figure
    from biasvar_cli.query_models.load import load_models
    from biasvar_cli.scoring.families import families_in

    file, baseline = (families.file, families.baseline) if families is not None else (None, None)
    require_separate(output, *model_files(request), file, selection=request.selection)
    named = families.read() if families is not None else ""
    loaded = load_models(replace(request, other_files=(file,) if file is not None else ()))
    (found,) = loaded.estimations
    members = families_in(found.decomposition, named, baseline, noun="model") if families is not None else []
    write_figure(estimation_figure(found, loaded, members, baseline, style=style), output)
