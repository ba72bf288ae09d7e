"""``biasvar unjudged``: what unjudged documents can change; and its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.unjudged import TABLES, UnjudgedRequest
from biasvar_cli.console.commands import analysis_command, emit, figure_command, table_option
from biasvar_cli.console.shared_options import drawn_option

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest

_TABLE = "A row per run, or with --teams per team. JSON has both."


@analysis_command(
    UnjudgedRequest,
    TABLES,
    table_option(TABLES, _TABLE, "A row per run or team."),
    order="best mean first, of teams the one that loses most ranks",
)
def unjudged(inputs: TrackRequest, request: UnjudgedRequest, table: str, rows: Rows, output: Output) -> None:
    """What unjudged documents can change: the highest mean of every run, and the ranks that it could have.

    INPUTS are TREC runs, or directories of them; - is standard input. Scores as usual count an unjudged document as not
    relevant; here each one could have the grade G. With --teams each team is left out of the pool: what its runs alone
    contributed is not judged any more, and all runs are scored again, as if the team had not been there.

    \b
    biasvar unjudged sample_runs -q qrels/npl-pool.qrels.txt -m P@10 -m nDCG@10
    biasvar unjudged sample_runs -q qrels/npl-pool.qrels.txt -m P@10 -f csv -o unjudged.csv
    """
    emit("unjudged", inputs, request, rows, output, table=table)


draw_unjudged = figure_command(
    "unjudged",
    "unjudged",
    UnjudgedRequest,
    ("grade",),
    "The mean of every run, and how far it could rise if its unjudged documents were relevant, best first.",
    drawn_option,
)
