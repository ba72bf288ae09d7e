"""``biasvar target``: the virtual target, to look at and to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.target.columns import TABLES
from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.console.options.heading import (
    OUTPUT,
    QUERY_SAMPLES,
    STATISTICS,
    command,
    group,
    option,
    setting,
)
from biasvar_cli.console.options.inputs import input_files, input_options, target_option
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.shared import difficulty_option, row_options
from biasvar_cli.console.output import Output, Rows
from biasvar_cli.console.terminal import load
from biasvar_cli.errors import UsageError
from biasvar_cli.specs import BEST
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.scoring.request import TrackRequest


@command()
@input_options()
@group(
    "request",
    TargetRequest,
    target_option(several=False, mean=False),
    setting(
        TargetRequest,
        "rarefied",
        STATISTICS,
        metavar="R",
        help="Target: the best score expected of R runs drawn at random, to compare pools of different size.",
    ),
    difficulty_option,
    setting(
        TargetRequest,
        "subset_size",
        QUERY_SAMPLES,
        metavar="K",
        help="How many queries are in a group of similar difficulty; the last group has the rest.",
    ),
)
@option(
    OUTPUT,
    "--table",
    brief="A row per query, run or size of the pool.",
    type=click.Choice(list(TABLES)),
    default=next(iter(TABLES)),
    show_default=True,
    help="A row per query, per run, or per number of runs drawn. JSON has all three.",
)
@row_options(TABLES, "difficulty, -supplied or n_runs", by="query or run")
@output_options(sorted(FORMATS), "text", TABLES)
def target(inputs: TrackRequest, request: TargetRequest, table: str, rows: Rows, output: Output) -> None:
    """The virtual target: its score on every query, the runs that supply it, and how hard the query is.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    decompose reads the csv of the queries as a target.

    \b
    biasvar target sample_runs -q qrels/npl.qrels.txt
    biasvar target sample_runs -q qrels/npl.qrels.txt --table runs
    biasvar target sample_runs -q qrels/npl.qrels.txt --rarefied 10 -f csv -o best-of-10.csv
    biasvar decompose sample_runs -q qrels/npl.qrels.txt --target file:best-of-10.csv
    """
    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)
    if table == "rarefied" and (request.rarefied is not None or request.spec != BEST):
        raise UsageError(
            "--table rarefied shows --target best for every number of runs; leave --target and --rarefied out"
        )

    from biasvar_cli.analyses.target.answer import answer
    from biasvar_cli.analyses.target.table import TargetView, target_table

    view = output.view(rows, TargetView, table=table)
    output.emit([target_table(result, view) for result in answer(load(inputs), request)])
