"""The figure of the correlations of bias² and variance: ``tradeoff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.console.options.figure import figure, figure_options, write_figure
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.null import null_options
from biasvar_cli.console.options.sampling import sampling_options, with_groups
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import (
    correlation_option,
    form_option,
    groups_option,
)
from biasvar_cli.console.options.target import log_options, target_files, target_options
from biasvar_cli.console.terminal import load

if TYPE_CHECKING:
    from biasvar_cli.analyses.tradeoff.figures import Observed
    from biasvar_cli.console.options.null import NullChoice
    from biasvar_cli.console.output import Destination
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.decomposition.target import TargetedScores
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.nulls.request import NullRequest
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.target_spec import TargetSpec
    from biasvar_cli.words import Coefficient, Form


@figure("tradeoff")
@input_options()
@target_options()
@log_options()
@form_option
@sampling_options()
@groups_option
@null_options(by_format=False)
@correlation_option(several=False)
@figure_options()
def draw_tradeoff(
    inputs: TrackRequest,
    targets: tuple[TargetSpec, ...],
    log: LogTransform | None,
    form: Form,
    design: Design,
    groups: str | None,
    null: NullChoice,
    coefficient: Coefficient,
    output: Destination,
    style: Style,
) -> None:
    """Correlations of bias² and variance beside their null models, by sampling, measure and target."""
    from biasvar_cli.analyses.tradeoff.figures import tradeoff_figure
    from biasvar_cli.drawing.captions import remarks
    from biasvar_cli.scoring.targets import targeted_scores

    require_separate(output, *input_files(inputs), *target_files(targets), groups, selection=inputs.selection)
    design = with_groups(design, groups)
    models = null.request(seed=design.seed, jobs=inputs.jobs, shuffled=False)
    track = load(inputs)
    all_targeted = [targeted_scores(scored, spec, log) for scored in track.scored for spec in targets]
    found = [_observed(targeted, form, design, models) for targeted in all_targeted]
    captions = list(dict.fromkeys(remark for scored in track.scored for remark in remarks(scored, log)))
    spec = tradeoff_figure(found, design, coefficient=coefficient, form=form, remarks=captions, style=style)
    write_figure(spec, output)


def _observed(targeted: TargetedScores, form: Form, design: Design, models: NullRequest | None) -> Observed:
    from biasvar_cli.analyses.tradeoff.figures import Observed
    from biasvar_cli.decomposition.tradeoff import tradeoff_rows
    from biasvar_cli.nulls.models import null_models

    rows = [row for row in tradeoff_rows(targeted, design) if row.form == form or row.sampling.normalised]
    return Observed(targeted, rows, null_models(targeted, rows, design, models) if models is not None else None)
