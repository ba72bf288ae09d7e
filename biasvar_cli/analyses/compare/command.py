"""``biasvar compare``: which runs differ significantly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.compare.columns import TABLES
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import Decorator, command, group, option, setting
from biasvar_cli.console.options.inputs import (
    input_files,
    input_options,
    log_and_eps,
    target_option,
)
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.shared import row_options, seed_option
from biasvar_cli.console.output import Output, Rows
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.settings import COMMON, OUTPUT, STATISTICS
from biasvar_cli.stats.significance import FAMILY_TESTS, USUAL
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.scoring.request import TrackRequest

_SHORT = 1.0  # seconds; tests that take no longer have no progress bar

of_option = setting(CompareRequest, "of", STATISTICS, help="Compare mean scores, or total errors (lower is better).")
level_option = setting(
    CompareRequest,
    "level",
    STATISTICS,
    metavar="LEVEL",
    help="Level of confidence: a p-value below 1 - LEVEL is significant.",
)
correction_option = setting(
    CompareRequest,
    "correction",
    STATISTICS,
    help=f"Correction of p-values for many pairs; {' and '.join(FAMILY_TESTS)} need none.",
)
samples_option = setting(
    CompareRequest, "samples", STATISTICS, metavar="N", help="Number of random samples, for the tests that draw them."
)


def splits_option(words: str) -> Decorator:
    """``--splits``: how often the queries are split into halves."""
    return setting(CompareRequest, "splits", STATISTICS, metavar="N", help=words)


@command()
@input_options()
@group(
    "request",
    CompareRequest,
    target_option(),
    log_and_eps,
    setting(
        CompareRequest,
        "baseline",
        COMMON,
        type=str,
        metavar="NAME|top",
        shell_complete=completion.words("top", names=True),
        brief="Compare every run with this one.",
        help="Compare every run with this one, not with every other: NAME, run:NAME, or top for the run with the best "
        "mean. Repeatable.",
    ),
    setting(
        CompareRequest,
        "test",
        STATISTICS,
        show_default=False,
        help="Paired test whose p-values are shown; the first one named decides which runs differ. Repeatable. "
        f"Default: {', '.join(USUAL)}.",
    ),
    correction_option,
    of_option,
    level_option,
    samples_option,
    setting(
        CompareRequest,
        "power",
        STATISTICS,
        metavar="P",
        help="Report the difference that a t test of one pair finds with this probability, at least 0.5.",
    ),
    setting(
        CompareRequest,
        "detect",
        STATISTICS,
        metavar="X",
        help="Report how many queries a t test of one pair needs to find a difference of X.",
    ),
    splits_option("Random splits of the queries into halves, for --table swap."),
    seed_option,
)
@option(
    OUTPUT,
    "--table",
    brief="A row per run, pair, test or difference.",
    type=click.Choice(list(TABLES)),
    help="A row per run, pair, test or size of difference. Default: runs, with --baseline pairs. JSON has all four.",
)
@row_options(TABLES, "best run or largest difference first")
@output_options(sorted(FORMATS), "text", TABLES)
def compare(
    inputs: TrackRequest,
    request: CompareRequest,
    table: str | None,
    rows: Rows,
    output: Output,
) -> None:
    """Which runs differ significantly: paired tests over all pairs of runs, or against a baseline.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    One test decides which runs differ: the first --test, or else the step-down bootstrap, whose level holds for all
    pairs together.

    \b
    biasvar compare sample_runs -q qrels/npl.qrels.txt
    biasvar compare sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar compare sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --table power
    biasvar compare sample_runs -q qrels/npl.qrels.txt --of total --table pairs -f csv -o pairs.csv
    """
    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)

    from biasvar_cli.analyses.compare.answer import answer
    from biasvar_cli.analyses.compare.table import CompareView, compare_table

    view = output.view(rows, CompareView, table=table or ("pairs" if request.baseline else "runs"))
    request = replace(request, jobs=inputs.jobs)
    track = load(inputs)
    n_results = len(track.scored) * (len(request.targets) if request.lower_is_better else 1)
    with progress("Testing", "samples", n_results * view.n_samples(request), after=_SHORT) as done:
        tables = [compare_table(each, view) for each in answer(track, request, done=done)]
    output.emit(tables)
