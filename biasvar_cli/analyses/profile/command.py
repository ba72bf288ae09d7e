"""``biasvar profile``: one run, and whether it is better than a baseline and than the best; and its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.profile import TABLES, ProfileRequest
from biasvar_cli.console.commands import analysis_command, emit, figure_command, table_option
from biasvar_cli.settings import settings_of

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest

_TABLE = "A row per quantity, per run that it is compared with, or per query. JSON has all three."


@analysis_command(
    ProfileRequest,
    TABLES,
    table_option(TABLES, _TABLE, "A row per quantity, run or query."),
    order="largest loss first, of queries",
    by="query",
    first="run",
)
def profile(inputs: TrackRequest, request: ProfileRequest, table: str, rows: Rows, output: Output) -> None:
    """One run: better than a baseline, than the best? By how much, on which queries?

    RUN is its name as other commands list it, or the beginning of it; INPUTS are all runs of the track: TREC runs (with
    -q QRELS), files of scores per query, or directories of them. Last comes a sentence for a paper.

    \b
    biasvar profile rm sample_runs -q qrels/npl.qrels.txt --baseline orig
    biasvar profile rel-fb sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10
    biasvar profile rm sample_runs -q qrels/npl.qrels.txt --table queries --top 10
    """
    n_families = 1 + any(spec.kind == "run" for spec in request.specs)
    emit(
        "profile",
        inputs,
        request,
        rows,
        output,
        samples=lambda n_measures, _: n_measures * n_families * request.samples,
        table=table,
    )


draw_profile = figure_command(
    "profile",
    "profile",
    ProfileRequest,
    tuple(field.name for _, field in settings_of(ProfileRequest) if field.name not in ("run", "half_width")),
    "The score of RUN on every query beside those of the target and of a baseline, or else of the best other run.",
    first="run",
)
