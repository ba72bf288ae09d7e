"""Figures of the correlations of bias² and variance: ``tradeoff``, ``trend``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.commands.options.apart import require_apart
from biasvar_cli.commands.options.heading import command
from biasvar_cli.commands.options.inputs import request_files, request_options
from biasvar_cli.commands.options.null import null_options
from biasvar_cli.commands.options.sampling import sampling_options, with_groups
from biasvar_cli.commands.options.shared import (
    correlation_option,
    form_option,
    groups_option,
    jobs_option,
    manifest_argument,
)
from biasvar_cli.commands.options.target import log_options, target_files, target_options
from biasvar_cli.commands.plot.figure import figure, figure_options, write_figure
from biasvar_cli.commands.terminal import load

if TYPE_CHECKING:
    from biasvar_cli.analyses.null import NullRequest
    from biasvar_cli.analyses.tradeoff import Design
    from biasvar_cli.commands.options.null import NullChoice
    from biasvar_cli.commands.output import Destination
    from biasvar_cli.decomposition.target import Aim
    from biasvar_cli.plots.style import Style
    from biasvar_cli.plots.tradeoff import Observed
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import Request
    from biasvar_cli.target_spec import TargetSpec
    from biasvar_cli.words import Coefficient, Form


@figure("tradeoff")
@request_options()
@target_options()
@log_options()
@form_option
@sampling_options()
@groups_option
@null_options(by_format=False)
@correlation_option(several=False)
@figure_options()
def draw_tradeoff(
    request: Request,
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
    from biasvar_cli.plots.tradeoff import tradeoff_figure
    from biasvar_cli.plots.words import remarks
    from biasvar_cli.scoring.targets import aim

    require_apart(output, *request_files(request), *target_files(targets), groups, selection=request.selection)
    design = with_groups(design, groups)
    models = null.request(seed=design.seed, jobs=request.jobs, shuffled=False)
    track = load(request)
    aims = [aim(scored, spec, log) for scored in track.scored for spec in targets]
    found = [_observed(aimed, form, design, models) for aimed in aims]
    captions = list(dict.fromkeys(remark for scored in track.scored for remark in remarks(scored, log)))
    spec = tradeoff_figure(found, design, coefficient=coefficient, form=form, remarks=captions, style=style)
    write_figure(spec, output)


def _observed(aim: Aim, form: Form, design: Design, models: NullRequest | None) -> Observed:
    from biasvar_cli.analyses.null import null_models
    from biasvar_cli.analyses.tradeoff import tradeoff_rows
    from biasvar_cli.plots.tradeoff import Observed

    rows = [row for row in tradeoff_rows(aim, design) if row.form == form or row.sampling.normalised]
    return Observed(aim, rows, null_models(aim, rows, design, models) if models is not None else None)


@command("trend")
@manifest_argument
@sampling_options(several=False)
@null_options(by_format=False)
@correlation_option(several=False)
@jobs_option("Tracks to compute")
@figure_options()
def draw_trend(
    manifest: str,
    design: Design,
    null: NullChoice,
    coefficient: Coefficient,
    jobs: int,
    output: Destination,
    style: Style,
) -> None:
    """Correlations over the years of a manifest, as for tracks; there is no figure where a track is broken."""
    from biasvar_cli.plots.trend import trend_figure
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.tracks.compute import compute_whole
    from biasvar_cli.tracks.trends import trends

    listed = read_manifest(manifest).tracks
    require_apart(output, manifest, tracks=listed)
    models = null.request(seed=design.seed, jobs=jobs, shuffled=False)
    whole = compute_whole(listed, design, null=models, jobs=jobs)
    spec = trend_figure(whole, trends(whole), design, coefficient=coefficient, style=style)
    write_figure(spec, output)
