"""The figure of query models in the plane of estimation bias² and variance (IP&M'14): ``estimation``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from biasvar_cli.analyses.models.command import model_options
from biasvar_cli.analyses.models.request import EstimationRequest
from biasvar_cli.console.options.figure import FigureOutput, figure_options, model_figure, write_figure
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.shared import FamilyChoice, families_options
from biasvar_cli.specs import require_one

if TYPE_CHECKING:
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.query_models.request import ModelRequest


@model_figure("estimation")
@model_options(several=False)
@families_options("Colour families of models and join those with a numeric parameter")
@figure_options()
def draw_estimation(inputs: ModelRequest, families: FamilyChoice | None, output: FigureOutput, style: Style) -> None:
    """Estimation bias² of query models against variance, with lines of equal total and the Pareto front.

    INPUTS, --true, --background and the divergence are as for biasvar models.
    """
    require_one("divergence", inputs.divergence)
    require_one("epsilon", inputs.epsilon)

    from biasvar_cli.analyses.models.answer import answer
    from biasvar_cli.analyses.models.figures import estimation_figure
    from biasvar_cli.query_models.load import load_models

    file, baseline = (families.file, families.baseline) if families is not None else (None, None)
    require_separate(output, *inputs.files, file, selection=inputs.selection)
    members = families.read() if families is not None else None
    models = load_models(replace(inputs, other_files=(file,) if file is not None else ()))
    answers = answer(models, EstimationRequest())
    write_figure(estimation_figure(answers, families=members, baseline=baseline, style=style), output)
