"""The figure of tracks: ``trend``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.tracks.request import TracksRequest
from biasvar_cli.console.options.figure import FigureOutput, figure_options, manifest_figure, write_figure
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.sampling import NullChoice, null_options, sampling_options
from biasvar_cli.console.options.shared import correlation_option, jobs_option, manifest_argument

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.words import Coefficient


@manifest_figure("trend")
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
    output: FigureOutput,
    style: Style,
) -> None:
    """Correlations over the years of a manifest, as for tracks; there is no figure where a track is broken.

    Where a track has no year, or no series has three tracks, the tracks stand in the order of the manifest.
    """
    from biasvar_cli.analyses.tracks.answer import answer
    from biasvar_cli.analyses.tracks.figures import trend_figure
    from biasvar_cli.readers.manifest import read_manifest

    listed = read_manifest(manifest).tracks
    require_separate(output, manifest, tracks=listed)
    models = null.request(seed=design.seed, jobs=jobs, shuffled=False)
    result = answer(listed, TracksRequest(design=design, null=models, jobs=jobs), complete=True)
    write_figure(trend_figure([result], correlation=coefficient, style=style), output)
