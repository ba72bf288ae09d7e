"""``biasvar tracks``: many tracks at once, and the trend over the years of a series."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options import design_of, null_of, null_options, subset_options
from biasvar_cli.commands.output import output_of, output_options, write_whole
from biasvar_cli.commands.terminal import available_cores
from biasvar_cli.tables.render import FORMATS, ROUNDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biasvar_cli.analyses.tradeoff import Design
    from biasvar_cli.tables.table import Table
    from biasvar_cli.tracks.values import BrokenTrack, TrackTradeoff

_COEFFICIENTS = ("pearson", "spearman", "kendall")


@click.command(short_help="The tradeoff over many tracks and years, and its trend.")
@click.argument("manifest", type=click.Path(exists=True, dir_okay=False), metavar="MANIFEST.toml")
@subset_options
@null_options
@click.option(
    "--table",
    type=click.Choice(["tracks", "null", "trends"]),
    help="Which table. Default: all of them; tracks in csv, tsv.",
)
@click.option(
    "--correlation",
    "coefficients",
    type=click.Choice(_COEFFICIENTS),
    multiple=True,
    default=("pearson",),
    show_default=True,
    help=f"What {', '.join(ROUNDED)} show; the others hold all three. Repeatable.",
)
@click.option("--resume", is_flag=True, help="Take over what has not changed since FILE (-o) was written last.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Tracks to compute at once. Default: the cores.")
@output_options(sorted(FORMATS), "text")
def tracks(
    manifest: str, table: str | None, coefficients: tuple[str, ...], resume: bool, jobs: int | None, **options: Any
) -> None:
    """The correlations of (a) to (d) of CIKM'14 for every track of a manifest, and their trend over the years.

    A manifest lists tracks with their year, series, and runs and qrels or scores; paths in it are relative to it. A
    track that cannot be computed is told, and the others are done all the same; the exit code is then 1.

    \b
    biasvar tracks shelf.toml
    biasvar tracks shelf.toml -f json -o tracks.json --resume
    """
    output = output_of(options)
    if resume and (output.file is None or output.file == "-"):
        raise click.UsageError("--resume needs -o FILE, beside which the results are kept.")
    design = design_of(options)
    if len(design.subset_sizes) > 1:
        raise click.UsageError("tracks takes one --subset-size.")

    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.tracks.compute import compute_tracks, raise_broken, report_warnings
    from biasvar_cli.tracks.kept import as_state

    jobs = jobs or available_cores()
    if table == "null" and options["null"] is False:
        raise click.UsageError("--table null is what --no-null leaves out.")
    if table == "null" and options["null"] is None:
        options["null"] = True
    null = null_of(options, format=output.format, seed=design.seed, jobs=jobs)
    kept = _kept(output.file) if resume else None
    found = compute_tracks(read_manifest(manifest).tracks, design, null=null, jobs=jobs, kept=kept)
    whole = report_warnings(found)
    if whole:
        output.emit(_tables(found, whole, design, output.format, table, coefficients))
    if kept is not None and whole:
        own = {each.track for each in whole}
        others = [each for each in kept.values() if each.track not in own]  # a broken track may be mended
        write_whole(_state_of(output.file), as_state([*whole, *others]).encode())
    raise_broken(found)


def _tables(
    found: Sequence[TrackTradeoff | BrokenTrack],
    whole: Sequence[TrackTradeoff],
    design: Design,
    format: str,  # noqa: A002
    wanted: str | None,
    coefficients: Sequence[str],
) -> list[Table]:
    from biasvar_cli.tables.tracks import for_people, null_models_table, tracks_table, trends_table
    from biasvar_cli.tracks.trends import trends

    over = trends(whole)
    tables = [tracks_table(found, over, design), null_models_table(whole), trends_table(over)]
    if format in ROUNDED:
        shown = [each for each in tables if wanted in (None, each.rows_key)]
        return [for_people(each, coefficients) for each in shown if each.columns["series"] or wanted]
    return [each for each in tables if each.rows_key == wanted] if wanted and format != "json" else tables[:1]


def _state_of(output: str | None) -> str:
    return f"{output}.state.json"


def _kept(output: str | None) -> dict[str, TrackTradeoff]:
    """The results kept beside an earlier output, none where there are none; an unreadable file is told and not used."""
    from biasvar_cli.errors import warn
    from biasvar_cli.tracks.kept import of_state

    path = Path(_state_of(output))
    if not path.exists():
        return {}
    try:
        return of_state(path.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        warn(f"{path}: not the results of biasvar tracks; everything is computed again")
        return {}
