"""``biasvar target``: the virtual target, to look at and to keep; and its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.target import TABLES, TargetRequest
from biasvar_cli.console.commands import analysis_command, emit, figure_command, table_option
from biasvar_cli.errors import UsageError
from biasvar_cli.specs.targets import BEST

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest

_TABLE = "A row per query, per run, or per number of runs drawn. JSON has all three."


@analysis_command(
    TargetRequest,
    TABLES,
    table_option(TABLES, _TABLE, "A row per query, run or size of the pool."),
    order="difficulty, -supplied or n_runs",
    by="query or run",
    without=("log", "eps"),
)
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
    if table == "rarefied" and (request.rarefied is not None or request.spec != BEST):
        raise UsageError(
            "--table rarefied shows --target best for every number of runs; leave --target and --rarefied out"
        )
    emit("target", inputs, request, rows, output, table=table)


_OF_QUERIES = ("target", "log", "eps", "difficulty")
draw_target = figure_command(
    "target",
    "target",
    TargetRequest,
    _OF_QUERIES,
    "The target's score of each query in order of difficulty, its supplier, and the spread of the runs.",
)
draw_queries = figure_command(
    "target",
    "queries",
    TargetRequest,
    _OF_QUERIES,
    "Heat map of runs in order of bias² and queries in order of difficulty: the gap to the target.",
)
draw_rarefaction = figure_command(
    "target",
    "rarefaction",
    TargetRequest,
    ("log", "eps"),
    "The mean of the target, the best score of each query, against the number of runs pooled.",
)
