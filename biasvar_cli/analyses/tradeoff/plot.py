"""The figure of the correlations of bias² and variance: ``tradeoff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import group
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.sampling import NullChoice, null_options, sampling_options, with_groups
from biasvar_cli.console.options.shared import correlation_option, form_option, groups_option
from biasvar_cli.console.terminal import load
from biasvar_cli.specs import TargetedRequest

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.words import Coefficient, Form


@figure("tradeoff")
@input_options()
@group("targets", TargetedRequest, target_option(), log_and_eps)
@form_option
@sampling_options()
@groups_option
@null_options(by_format=False)
@correlation_option(several=False)
@figure_options()
def draw_tradeoff(
    inputs: TrackRequest,
    targets: TargetedRequest,
    form: Form,
    design: Design,
    groups: str | None,
    null: NullChoice,
    coefficient: Coefficient,
    output: FigureOutput,
    style: Style,
) -> None:
    """Correlations of bias² and variance beside their null models, by sampling, measure and target."""
    from biasvar_cli.analyses.tradeoff.answer import answer
    from biasvar_cli.analyses.tradeoff.figures import tradeoff_figure

    require_separate(output, *input_files(inputs), *targets.files, groups, selection=inputs.selection)
    request = TradeoffRequest(
        **vars(targets),
        design=with_groups(design, groups),
        null=null.request(seed=design.seed, jobs=inputs.jobs, shuffled=False),
        form=form,
    )
    answers = answer(load(inputs), request)
    write_figure(tradeoff_figure(answers, form=form, correlation=coefficient, style=style), output)
