"""``biasvar report``: one page of everything, in one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.tracks.request import TracksRequest
from biasvar_cli.console.options.heading import INPUT_DETAILS, OUTPUT, command, group, option
from biasvar_cli.console.options.inputs import (
    input_files,
    input_options,
    log_and_eps,
    target_option,
)
from biasvar_cli.console.options.output import file_options, require_separate
from biasvar_cli.console.options.sampling import NullChoice, null_options, sampling_options, with_groups
from biasvar_cli.console.options.shared import MANIFEST, FamilyChoice, baseline_option, families_options, groups_option
from biasvar_cli.console.output import Destination
from biasvar_cli.console.terminal import load
from biasvar_cli.errors import DataError, full_name
from biasvar_cli.report.provenance import about_page
from biasvar_cli.specs import TargetedRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.report.page import TrendSection
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.scoring.track import Track

_TREND_TITLES = {
    "tracks": "Correlation of bias² and variance over the runs of each track",
    "null": "Null models of each correlation",
    "trends": "Trends over the years of a series",
}


def _require_page(file: str) -> None:
    """Refuse a file that no page can go to; ``-`` is standard output."""
    if file != "-" and Path(file).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"-o {file}: a page's name ends in .html, or is - for standard output")


@command()
@input_options()
@group("request", TargetedRequest, target_option(), log_and_eps)
@sampling_options()
@groups_option
@null_options(by_format=False)
@families_options("Colour families in the figures, and show the correlation within them", baseline=False)
@baseline_option(
    "Compare every run with this one; it is the second run when the page opens.", "Compare every run with this one."
)
@option(
    INPUT_DETAILS,
    "--manifest",
    type=MANIFEST,
    metavar="FILE",
    help="Add the trend over the tracks of a MANIFEST.toml, as biasvar tracks does.",
)
@option(OUTPUT, "--stamp", is_flag=True, help="Say on the page when, where and on what machine it was made.")
@file_options("Write the page to FILE; - is standard output.", _require_page)
def report(
    inputs: TrackRequest,
    request: TargetedRequest,
    design: Design,
    groups: str | None,
    null: NullChoice,
    families: FamilyChoice | None,
    baseline: str | None,
    manifest: str | None,
    stamp: bool,
    output: Destination,
) -> None:
    """One page that opens from disk and needs no network: runs, figures, target, tradeoff, and how to repeat it.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    Choose a run in a table or a figure and see it in all of them, on every query, against the target and against a
    second run. Every measure and target has its tab; tables can be copied as csv, markdown and LaTeX.

    \b
    biasvar report sample_runs -q qrels/npl.qrels.txt -o report.html
    biasvar report sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --baseline rm -o report.html
    biasvar report sample_runs -q qrels/npl.qrels.txt --manifest docs/tracks.toml -o report.html
    """
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.report.page import page
    from biasvar_cli.report.panel import PanelRequest, panel

    others: dict[str, tuple[str | None, ...]] = {
        "Target scores": request.files,
        "Groups of queries": (groups,),
        "Families": (families.file if families is not None else None,),
        "Manifest of the trend": (manifest,),
    }
    read = [name for names in others.values() for name in names]
    tracks = read_manifest(manifest).tracks if manifest is not None else ()
    require_separate(output, *input_files(inputs), *read, selection=inputs.selection, tracks=tracks)
    design = with_groups(design, groups)
    models = null.request(seed=design.seed, jobs=inputs.jobs, stability=null.wanted is not False)
    of_trend = None
    if manifest is not None:
        of_tracks = replace(models, stability=False) if models is not None else None
        of_trend = TracksRequest(design=design, null=of_tracks, jobs=inputs.jobs)
    named = families.read() if families is not None else None
    track = load(inputs)
    names = _names(track)
    if baseline is not None:
        baseline = full_name(f"--baseline {baseline}", baseline, names)
    wanted = PanelRequest(
        design=design, null=models, families=named, baseline=baseline, log=request.log, eps=request.eps
    )
    asked = [(scored, spec) for scored in track.scored for spec in request.targets]
    panels = [panel(f"t{place}", *each, wanted) for place, each in enumerate(asked)]
    trend = _trend(tracks, of_trend) if of_trend is not None else None
    made_of = about_page(inputs, track, panels, request.targets[0], others, stamp=stamp)
    output.write(page(made_of, panels, names, baseline, trend))


def _names(track: Track) -> tuple[str, ...]:
    """The listed runs. Raises `DataError` for a single one."""
    names = track.scored[0].scores.runs
    if len(names) < 2:
        raise DataError(f"the report compares runs: it needs at least 2, found 1 run: {names[0]}")
    return names


def _trend(tracks: Sequence[ManifestTrack], request: TracksRequest) -> TrendSection:
    """The tracks of a manifest; unlike ``tracks``, nothing is written where one is broken."""
    from biasvar_cli.analyses.tracks.answer import answer
    from biasvar_cli.analyses.tracks.columns import TABLES
    from biasvar_cli.analyses.tracks.table import TracksView, tracks_table
    from biasvar_cli.report.page import TrendSection
    from biasvar_cli.report.sheet import document, sheet

    result = answer(tracks, request, complete=True)
    tables = [replace(tracks_table(result, TracksView(table=name)), title=_TREND_TITLES[name]) for name in TABLES]
    sheets = [sheet(f"trend-{table.rows_key}", table) for table in tables]
    whole = tracks_table(result, TracksView(format="json"))
    return TrendSection(sheets=[each for each in sheets if each.rows], data=document(whole))
