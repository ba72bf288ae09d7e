"""``biasvar report``: one page of everything, in one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biasvar_cli.console.inputs import judged_input_options, log_and_eps, target_option
from biasvar_cli.console.options import MANIFEST, command, group, option
from biasvar_cli.console.output import Destination, file_options, require_separate
from biasvar_cli.console.shared_options import (
    FamilyChoice,
    NullChoice,
    baseline_option,
    families_options,
    groups_option,
    null_options,
    sampling_options,
)
from biasvar_cli.console.terminal import load, load_judged, noticed, reported, simulating
from biasvar_cli.page import SUFFIXES
from biasvar_cli.page.provenance import typed_origin
from biasvar_cli.settings import INPUT_DETAILS, OUTPUT
from biasvar_cli.specs import TargetedRequest

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.scoring.request import TrackRequest


def _require_page(file: str) -> None:
    """Refuse a file that no page can go to; ``-`` is standard output."""
    if file != "-" and Path(file).suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"-o {file}: a page's name ends in .html, or is - for standard output")


@command()
@judged_input_options(systems=True, more="With several the page has a section on what the others change. ")
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
    qrels: tuple[str, ...],
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
    second run. Every measure and target has its tab; tables can be copied as csv, markdown and LaTeX. A run named
    by --highlight is chosen when the page opens, and has a section with its profile.

    \b
    biasvar report sample_runs -q qrels/npl.qrels.txt -o report.html
    biasvar report sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --baseline rm -o report.html
    biasvar report sample_runs -q qrels/npl.qrels.txt --manifest docs/tracks.toml -o report.html
    """
    from biasvar_cli.page.about import about
    from biasvar_cli.page.assembly import content
    from biasvar_cli.page.page import page
    from biasvar_cli.page.panel import PageRequest
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.scoring.judges import named_judges

    judges = named_judges(qrels)
    inputs = replace(inputs, qrels=next(iter(judges.values()), None))
    others: dict[str, tuple[str | None, ...]] = {
        "Target scores": request.files,
        "Groups of queries": (groups,),
        "Families": (families.file if families is not None else None,),
        "Manifest of the trend": (manifest,),
        "Other judgments": tuple(judges.values())[1:],
    }
    read = [name for names in others.values() for name in names]
    tracks = read_manifest(manifest).tracks if manifest is not None else None
    require_separate(output, inputs, *read, tracks=tracks or ())
    wanted = PageRequest(
        targeted=request,
        design=design,
        groups=groups,
        null=null.request(seed=design.seed, jobs=inputs.jobs, shuffled=False, stability=null.wanted is not False),
        families=families.text if families is not None else None,
        baseline=baseline,
        tracks=tracks,
        jobs=inputs.jobs,
    )
    track = load(inputs)
    judged = load_judged(inputs, judges) if len(judges) > 1 else None
    with simulating(track, len(request.targets), wanted.null) as done:
        body = content(track, wanted, judged=judged, done=done)
    origin = typed_origin(inputs, body.panels, request.targets, others)
    words = about(origin, track, body.panels, warnings=reported(), notices=noticed(), stamp=stamp)
    output.write(page(words, body))
