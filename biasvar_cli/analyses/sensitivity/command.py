"""``biasvar sensitivity``: what a ranking depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.sensitivity.columns import TABLES
from biasvar_cli.analyses.sensitivity.request import SensitivityRequest
from biasvar_cli.console.options.heading import OUTPUT, STATISTICS, command, group, option, setting
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.shared import SAMPLES, row_options, seed_option, teams_option
from biasvar_cli.console.terminal import load
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring.request import TrackRequest


@command()
@input_options()
@group(
    "request",
    SensitivityRequest,
    target_option(),
    log_and_eps,
    teams_option(": leave out the whole team of a run too"),
    setting(
        SensitivityRequest,
        "splits",
        STATISTICS,
        type=SAMPLES,  # fewer than of swaps, for all splits are in memory at once
        metavar="N",
        help="How often to split the queries into random halves.",
    ),
    setting(
        SensitivityRequest,
        "precision",
        STATISTICS,
        metavar="W",
        help="Say how many queries ln var needs for an interval of ± W.",
    ),
    seed_option,
)
@option(
    OUTPUT,
    "--table",
    brief="What to look at.",
    type=click.Choice(list(TABLES)),
    default=next(iter(TABLES)),
    show_default=True,
    help="What to look at: other targets; single runs; neighbours in the ranking; single queries left out; random "
    "halves of the queries; the ranking by mean. JSON has all of them.",
)
@row_options(TABLES, "that of each table (runs by rank, queries by the size of shift)", by="")
@output_options(sorted(FORMATS), "text", TABLES)
def sensitivity(inputs: TrackRequest, request: SensitivityRequest, table: str, rows: Rows, output: Output) -> None:
    """How far the ranking of the runs depends on the target, on single queries, and on chance.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    A run has a share in a target that is the best score of the runs; leaving out the run, or its team, removes it.

    \b
    biasvar sensitivity sample_runs -q qrels/npl.qrels.txt
    biasvar sensitivity sample_runs -q qrels/npl.qrels.txt --table runs -f csv -o runs.csv
    """
    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)

    from biasvar_cli.analyses.sensitivity.answer import answer
    from biasvar_cli.analyses.sensitivity.table import SensitivityView, sensitivity_table

    view = output.view(rows, SensitivityView, table=table)
    output.emit([sensitivity_table(result, view) for result in answer(load(inputs), request)])
