"""``biasvar scores``: per-query scores, to keep and to give to other programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.scores import TABLES
from biasvar_cli.console.options import command, option
from biasvar_cli.console.output import Output, output_options, require_separate
from biasvar_cli.console.shared_options import input_options, load_manifest, manifest_among
from biasvar_cli.console.terminal import load
from biasvar_cli.readers.settings import READING, SCORING, SYSTEMS
from biasvar_cli.settings import COMMON

if TYPE_CHECKING:
    from biasvar_cli.scoring import TrackRequest

_FORMATS = ("csv", "json", "jsonl", "matrix", "parquet", "tot", "trec_eval", "tsv")


@command()
@input_options(
    [READING, SCORING, SYSTEMS],
    pool="Runs or scores that are read but not listed; other commands count them for the target.",
)
@option(
    COMMON,
    "--means",
    is_flag=True,
    brief="The mean of each run on each track of a MANIFEST.toml.",
    help="The mean of each run on each track of a MANIFEST.toml, the tracks in the place of queries. Other INPUTS are "
    "one track, called by the file of its judgments, or without these by the first of INPUTS.",
)
@output_options(_FORMATS, "csv", TABLES)
def scores(inputs: TrackRequest, means: bool, output: Output) -> None:
    """The score of every run on every query; its output is input to every other command.

    INPUTS are TREC runs (with -q QRELS) or other files of scores, or directories of them; - is standard input.
    csv, tsv, parquet and json have every run, query and measure; -f matrix has a row per query and a column per run,
    for one measure; -f trec_eval prints one run as trec_eval -q -c does: every judged topic, missing ones as 0.
    The formats tot and jsonl are leaderboards of TREC AutoJudge, with the mean of each run as topic all.
    For --means INPUTS may be a MANIFEST.toml (see biasvar tracks) whose tracks have the same runs. The means are a
    matrix with a row per track, which decompose takes as scores.

    \b
    biasvar scores sample_runs -q qrels/npl.qrels.txt -m AP -f matrix -o ap.csv
    biasvar decompose ap.csv
    biasvar scores sample_runs/rm.gz -q qrels/npl.qrels.txt -m map -m P_10 -f trec_eval
    biasvar scores sample_runs -q qrels/npl.qrels.txt --means
    """
    from biasvar_cli.analyses.scores.table import TEXTS, scores_table
    from biasvar_cli.scoring.track import track_means, track_name

    if inputs.replicates is not None:
        raise click.UsageError("--replicates: give it to the command that reads these scores, which keep every run")
    if means and output.format == "trec_eval":
        raise click.UsageError("--means: -f trec_eval has the scores of queries; choose another format")
    manifest = manifest_among(inputs)
    if means and manifest is not None:
        matrices = track_means({entry.name: track for entry, track in load_manifest(manifest, inputs, output)})
    elif manifest is not None:
        raise click.UsageError(f"{manifest} lists tracks; --means gives the mean of each run on each of them")
    else:
        require_separate(output, inputs)
        if output.format == "trec_eval" and inputs.qrels is not None and inputs.topics is None:
            inputs = replace(inputs, keep_empty_topics=True)
        track = load(inputs)
        matrices = track_means({track_name(inputs): track}) if means else [scored.scores for scored in track.scored]
    matrices = [matrix.in_unit for matrix in matrices]
    if output.format in TEXTS:
        output.write(TEXTS[output.format](matrices))
    else:
        output.emit([scores_table(matrix) for matrix in matrices])
