"""``biasvar tracks``: many tracks at once, and the trend over the years of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.tracks import TABLES, TracksRequest
from biasvar_cli.console import shared_options
from biasvar_cli.console.commands import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options import command, option
from biasvar_cli.console.output import Output, Rows, output_options, require_separate
from biasvar_cli.console.terminal import progress
from biasvar_cli.settings import OUTPUT
from biasvar_cli.tables.render import FORMATS, ROUNDED
from biasvar_cli.whole_files import require_writable, write_whole

if TYPE_CHECKING:
    from biasvar_cli.decomposition import Design
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.words import Coefficient


@command()
@shared_options.manifest_argument
@shared_options.sampling_options(several=False)
@shared_options.null_options()
@option(
    OUTPUT,
    "--table",
    brief="The tracks, their null models, or the trends.",
    type=click.Choice(list(TABLES)),
    default="tracks",
    show_default=True,
    help="The tracks, the null models of all their correlations, or the trends over the years; json has all of them.",
)
@shared_options.correlation_option(
    several=True, of=f"Shown in {', '.join(ROUNDED)}; csv, tsv and json have all three. Repeatable."
)
@option(
    OUTPUT,
    "--resume",
    brief="Keep the results of unchanged tracks.",
    is_flag=True,
    help="Keep the results of tracks that have not changed since FILE (-o) was written.",
)
@shared_options.input_option("jobs", help="Tracks to compute at once. Default: one for each core.")
@shared_options.row_options(TABLES, "series and year", by="")
@output_options(sorted(FORMATS), "text", TABLES)
def tracks(
    manifest: str,
    design: Design,
    null: shared_options.NullChoice,
    table: str,
    correlation: tuple[Coefficient, ...],
    resume: bool,
    jobs: int,
    rows: Rows,
    output: Output,
) -> None:
    """The tradeoff of every track of a manifest, under (a) to (d) of CIKM'14, and its trend over the years.

    A manifest lists tracks with their year, series, and runs and qrels or scores. Paths in it are relative to it;
    docs/tracks.toml is an example. A track that cannot be computed is reported, and the others are computed; the exit
    code is then 1.

    \b
    biasvar tracks docs/tracks.toml
    biasvar tracks docs/tracks.toml -f json -o tracks.json --resume
    """
    if resume and output.file is None:
        raise click.UsageError("--resume needs -o FILE, beside which the results are kept")
    if table == "null" and null.wanted is False:
        raise click.UsageError("--table null shows the null models, which --no-null leaves out")
    if output.rows_alone and table != "null":
        null.refuse(f"this table in {output.format}", "--table null has them, -f json as well")

    from biasvar_cli.analyses.tracks.answer import answer, as_state, read_state
    from biasvar_cli.analyses.tracks.table import TracksView, tracks_table
    from biasvar_cli.readers.manifest import read_manifest

    listed = read_manifest(manifest).tracks
    beside = f"{output.file}.state.json" if resume else None
    require_separate(output, None, manifest, tracks=listed, beside=beside)
    if beside is not None:
        require_writable(beside)
    models = null.request(
        seed=design.seed,
        jobs=jobs,
        unasked=table == "null" or not output.rows_alone,
        shuffled=table == "null" or output.format == "json",
    )
    request = TracksRequest(design=design, null=models, jobs=jobs)
    kept = read_state(beside) if beside is not None else None
    with progress("tracks"):
        result = answer(listed, request, kept=kept)
    if result.whole:
        view = output.view(rows, TracksView, table=table, correlation=correlation)
        output.emit([tracks_table(result, view)])
        if beside is not None and kept is not None:
            computed = {track.track for track in result.whole}
            others = [track for track in kept.values() if track.track not in computed]  # a broken track may be mended
            write_whole(beside, as_state([*result.whole, *others]).encode())
    result.require_whole()


@figure("trend", "docs/tracks.toml", details_of=None)
@shared_options.manifest_argument
@shared_options.sampling_options(several=False)
@shared_options.null_options(by_format=False)
@shared_options.correlation_option(several=False)
@shared_options.input_option("jobs", help="Tracks to compute at once. Default: one for each core.")
@figure_options()
def draw_trend(
    manifest: str,
    design: Design,
    null: shared_options.NullChoice,
    correlation: Coefficient,
    jobs: int,
    output: FigureOutput,
    style: Style,
) -> None:
    """Correlations over the years of a manifest, without years in its order; none where a track is broken."""
    from biasvar_cli.analyses.tracks.answer import answer
    from biasvar_cli.analyses.tracks.figures import trend_figure
    from biasvar_cli.readers.manifest import read_manifest

    listed = read_manifest(manifest).tracks
    require_separate(output, None, manifest, tracks=listed)
    models = null.request(seed=design.seed, jobs=jobs, shuffled=False)
    result = answer(listed, TracksRequest(design=design, null=models, jobs=jobs), complete=True)
    write_figure(trend_figure([result], correlation=correlation, style=style), output)
