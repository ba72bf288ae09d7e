"""``biasvar compare``: which runs differ significantly; and its figures ``compare``, ``asl`` and ``swap``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.compare import TABLES, CompareRequest
from biasvar_cli.console.commands import analysis_command, emit, figure_command, table_option
from biasvar_cli.console.options import Decorator, option_of
from biasvar_cli.console.shared_options import drawn_option
from biasvar_cli.stats.significance import FAMILY_TESTS, MEAN_TESTS, PRIMARY, TESTS, Test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest

_TABLE = "A row per run, pair, test or size of difference. Default: runs, with --baseline pairs. JSON has all four."


@analysis_command(
    CompareRequest,
    TABLES,
    table_option(TABLES, _TABLE, "A row per run, pair, test or difference.", first=False),
    order="best run or largest difference first",
)
def compare(inputs: TrackRequest, request: CompareRequest, table: str | None, rows: Rows, output: Output) -> None:
    """Which differences are significant: paired tests over all pairs of runs, or against a baseline.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    One test decides which runs differ: the first --test, or else the step-down bootstrap, whose level holds for all
    pairs together.

    \b
    biasvar compare sample_runs -q qrels/npl.qrels.txt
    biasvar compare sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar compare sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --table power
    biasvar compare sample_runs -q qrels/npl.qrels.txt --of total --table pairs -f csv -o pairs.csv
    """
    n_targets = len(request.targets) if request.lower_is_better else 1
    emit(
        "compare",
        inputs,
        request,
        rows,
        output,
        samples=lambda n_measures, view: n_measures * n_targets * view.n_samples(request),
        table=table or ("pairs" if request.baseline else "runs"),
    )


def _one_test(tests: Sequence[Test], default: Test, words: str) -> Decorator:
    """``--test`` of a figure of one test, one of ``tests``."""
    return option_of(
        CompareRequest,
        "test",
        type=click.Choice(tests),
        multiple=False,
        default=default,
        show_default=True,
        callback=lambda _, __, test: (test,),
        help=words,
    )


_COMPARED = ("target", "log", "eps", "of", "clusters")
_SAMPLES = ("level", "samples", "seed")
_BARS = f"Test that decides; only {' and '.join(FAMILY_TESTS)} have bars."
_ALONE = f"Test of each pair alone; {' and '.join(FAMILY_TESTS[::-1])}: of all pairs together."
draw_compare = figure_command(
    "compare",
    "compare",
    CompareRequest,
    (*_COMPARED, _one_test(tuple(TESTS), PRIMARY, _BARS), "correction", *_SAMPLES),
    "Runs, best first, with comparison bars; those that no run is significantly better than are shaded.",
    drawn_option,
    arguments=lambda request: {"test": request.deciding},
)
draw_asl = figure_command(
    "compare",
    "asl",
    CompareRequest,
    (*_COMPARED, _one_test(MEAN_TESTS, "t", _ALONE), *_SAMPLES),
    "The p-values of all pairs (ASL) in descending order, a curve for each measure, and 1 - LEVEL.",
    several=True,
    arguments=lambda request: {"test": request.deciding},
)
draw_swap = figure_command(
    "compare",
    "swap",
    CompareRequest,
    (*_COMPARED, "splits", "seed"),
    "The share of pairs that change places between halves of the queries, by their difference; a line at 5 %.",
    several=True,
)
