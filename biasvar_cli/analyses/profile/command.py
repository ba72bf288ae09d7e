"""``biasvar profile``: one run, and whether it is better than a baseline and than the best; and its figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from biasvar_cli.analyses.profile import TABLES, ProfileRequest
from biasvar_cli.console.commands import analysis_command, emit, figure_command, table_option
from biasvar_cli.console.options import option
from biasvar_cli.console.shared_options import judged_input_options
from biasvar_cli.console.terminal import progress
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import STATISTICS, settings_of

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest

_TABLE = "A row per quantity, per run that it is compared with, or per query. JSON has all three."


@analysis_command(
    ProfileRequest,
    TABLES,
    option(
        STATISTICS,
        "--calibrate",
        is_flag=True,
        help="Calibrate the differences by a judge, the second -q, with the queries that it alone judged.",
    ),
    table_option(TABLES, _TABLE, "A row per quantity, run or query."),
    order="largest loss first, of queries",
    by="query",
    first="run",
    inputs=judged_input_options(systems=True, folders=False, more="A second one is for --calibrate. "),
)
def profile(
    inputs: TrackRequest,
    qrels: tuple[str, ...],
    request: ProfileRequest,
    calibrate: bool,
    table: str,
    rows: Rows,
    output: Output,
) -> None:
    """One run: better than a baseline, than the best? By how much, on which queries?

    RUN is its name as other commands list it, or the beginning of it; INPUTS are all runs of the track: TREC runs (with
    -q QRELS), files of scores per query, or directories of them. Last comes a sentence for a paper.

    \b
    biasvar profile rm sample_runs -q qrels/npl.qrels.txt --baseline orig
    biasvar profile rel-fb sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10
    biasvar profile rm sample_runs -q qrels/npl.qrels.txt --table queries --top 10
    biasvar profile rm sample_runs -q qrels/npl-few.qrels.txt -q qrels/npl-half.qrels.txt --baseline orig --calibrate
    """
    from biasvar_cli.scoring.judged_tracks import named_judges

    if calibrate:
        _calibrated(inputs, qrels, request, table, rows, output)
        return
    if len(qrels) > 1:
        raise UsageError(f"expected one, found {len(qrels)}; a judge's are for --calibrate", option="qrels")
    inputs = replace(inputs, qrels=next(iter(named_judges(qrels).values()), None))
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


def _calibrated(
    inputs: TrackRequest, qrels: tuple[str, ...], request: ProfileRequest, table: str, rows: Rows, output: Output
) -> None:
    """The profile by the reference, with differences that are calibrated by a judge."""
    from biasvar_cli.analyses.judges import JudgesRequest
    from biasvar_cli.analyses.judges.command import loaded_judges
    from biasvar_cli.analyses.profile.answer import answer
    from biasvar_cli.analyses.profile.table import VIEW, tables

    view = output.view(rows, VIEW, table=table)
    judged = loaded_judges(inputs, qrels, JudgesRequest(target=request.target[:1]), output)
    track, request = judged.whole[0].track, replace(request, jobs=inputs.jobs)
    n_tests = 2 * len(track.scored) * (1 + any(spec.kind == "run" for spec in request.specs))
    with progress("tested", n_tests * request.samples):
        made = tables(answer(track, request, judged=judged), view)
    output.emit(made)


draw_profile = figure_command(
    "profile",
    "profile",
    ProfileRequest,
    tuple(field.name for _, field in settings_of(ProfileRequest) if field.name not in ("run", "half_width")),
    "The score of RUN on every query beside those of the target and of a baseline, or else of the best other run.",
    first="run",
)
