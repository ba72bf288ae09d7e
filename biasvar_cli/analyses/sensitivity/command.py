"""``biasvar sensitivity``: what a ranking depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.sensitivity import TABLES, SensitivityRequest
from biasvar_cli.console.commands import analysis_command, emit, table_option

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest

_TABLE = (
    "What to look at: other targets; single runs; neighbours in the ranking; single queries left out; random "
    "halves of the queries; the ranking by mean. JSON has all of them."
)


@analysis_command(
    SensitivityRequest,
    TABLES,
    table_option(TABLES, _TABLE, "What to look at."),
    order="that of each table (runs by rank, queries by the size of shift)",
    by="",
)
def sensitivity(inputs: TrackRequest, request: SensitivityRequest, table: str, rows: Rows, output: Output) -> None:
    """How far the ranking of the runs depends on the target, on single queries, and on chance.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    A run has a share in a target that is the best score of the runs; leaving out the run, or its team, removes it.

    \b
    biasvar sensitivity sample_runs -q qrels/npl.qrels.txt
    biasvar sensitivity sample_runs -q qrels/npl.qrels.txt --table runs -f csv -o runs.csv
    """
    emit("sensitivity", inputs, request, rows, output, table=table)
