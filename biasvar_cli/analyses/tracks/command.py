"""``biasvar tracks``: many tracks at once, and the trend over the years of a series."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from biasvar_cli.console.options.heading import OUTPUT, command, option
from biasvar_cli.console.options.null import null_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.sampling import sampling_options
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import correlation_option, jobs_option, manifest_argument
from biasvar_cli.console.output import require_writable, write_whole
from biasvar_cli.tables.render import FORMATS, ROUNDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biasvar_cli.analyses.tracks.answer import BrokenTrack, TrackTradeoff
    from biasvar_cli.console.options.null import NullChoice
    from biasvar_cli.console.output import Output
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.tables.table import Table
    from biasvar_cli.words import Coefficient

TableName = Literal["tracks", "null", "trends"]


@command()
@manifest_argument
@sampling_options(several=False)
@null_options()
@option(
    OUTPUT,
    "--table",
    type=click.Choice(["tracks", "null", "trends"]),
    help="The tracks, their null models, or the trends. Default: all; tracks in csv, tsv.",
)
@correlation_option(several=True, of=f"Shown in {', '.join(ROUNDED)}; csv, tsv and json have all three. Repeatable.")
@option(
    OUTPUT,
    "--resume",
    is_flag=True,
    help="Keep the results of tracks that have not changed since FILE (-o) was written.",
)
@jobs_option("Tracks to compute")
@output_options(sorted(FORMATS), "text")
def tracks(
    manifest: str,
    design: Design,
    null: NullChoice,
    table: TableName | None,
    coefficients: tuple[Coefficient, ...],
    resume: bool,
    jobs: int,
    output: Output,
) -> None:
    """The correlations of (a) to (d) of CIKM'14 for every track of a manifest, and their trend over the years.

    A manifest lists tracks with their year, series, and runs and qrels or scores; paths in it are relative to it;
    docs/tracks.toml is an example. A track that cannot be computed is reported, and the others are done all the same;
    the exit code is then 1.

    \b
    biasvar tracks docs/tracks.toml
    biasvar tracks docs/tracks.toml -f json -o tracks.json --resume
    """
    if resume and output.file is None:
        raise click.UsageError("--resume needs -o FILE, beside which the results are kept.")
    if table == "null" and null.wanted is False:
        raise click.UsageError("--table null is what --no-null leaves out.")
    if output.rows_alone and table != "null":
        null.refuse(f"this table in {output.format}", "--table null has them, -f json as well")

    from biasvar_cli.analyses.tracks.cache import as_state
    from biasvar_cli.analyses.tracks.compute import compute_tracks, raise_broken, report_warnings
    from biasvar_cli.readers.manifest import read_manifest

    listed = read_manifest(manifest).tracks
    beside = _state_of(output.file) if resume else None
    require_separate(output, manifest, tracks=listed, beside=beside)
    if beside is not None:
        require_writable(beside)
    models = null.request(
        seed=design.seed,
        jobs=jobs,
        unasked=table == "null" or not output.rows_alone,
        shuffled=table == "null" or output.format == "json",
    )
    kept = _kept(beside) if beside is not None else None
    found = compute_tracks(listed, design, null=models, jobs=jobs, kept=kept)
    whole = report_warnings(found)
    if whole:
        output.emit(_tables(found, whole, design, output.format, table, coefficients))
    if beside is not None and kept is not None and whole:
        own = {each.track for each in whole}
        others = [each for each in kept.values() if each.track not in own]  # a broken track may be mended
        write_whole(beside, as_state([*whole, *others]).encode())
    raise_broken(found)


def _tables(
    found: Sequence[TrackTradeoff | BrokenTrack],
    whole: Sequence[TrackTradeoff],
    design: Design,
    format: str,  # noqa: A002
    wanted: TableName | None,
    coefficients: Sequence[Coefficient],
) -> list[Table]:
    from biasvar_cli.analyses.tracks.table import for_people, null_models_table, tracks_table, trends_table, whole_table
    from biasvar_cli.analyses.tracks.trends import trends

    over = trends(whole)
    if wanted is None and format in ROUNDED:
        return [whole_table(found, over, design, coefficients)]
    tables: dict[TableName, Table] = {
        "tracks": tracks_table(found, over, design),
        "null": null_models_table(whole),
        "trends": trends_table(over),
    }
    if wanted is not None and format in ROUNDED:
        return [for_people(tables[wanted], coefficients)]
    return [tables[wanted] if wanted and format != "json" else tables["tracks"]]


def _state_of(output: str | None) -> str:
    return f"{output}.state.json"


def _kept(path: str) -> dict[str, TrackTradeoff]:
    """The results kept beside an earlier output, none where there are none; what cannot be read is reported."""
    from biasvar_cli.analyses.tracks.cache import of_state
    from biasvar_cli.errors import warn

    if not Path(path).exists():
        return {}
    try:
        return of_state(Path(path).read_text("utf-8"))
    except (OSError, ValueError):
        warn(f"{path}: not the results of biasvar tracks; everything is computed again")
        return {}
