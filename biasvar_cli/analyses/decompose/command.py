"""``biasvar decompose``: the main job."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import click

from biasvar_cli.analyses.decompose.columns import TABLES
from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import command, group, option, setting
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.sampling import NullChoice, null_options
from biasvar_cli.console.options.shared import row_options, seed_option, teams_option
from biasvar_cli.console.output import Output, Rows
from biasvar_cli.console.terminal import load, simulating
from biasvar_cli.settings import OUTPUT, STATISTICS
from biasvar_cli.specs import RESAMPLES
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.words import FORMS

if TYPE_CHECKING:
    from biasvar_cli.scoring.request import TrackRequest

_own = partial(setting, DecomposeRequest)


def _weights(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        bias, var = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not WB,WV, such as 1,0.5") from None
    return bias, var


@command()
@input_options()
@group(
    "request",
    DecomposeRequest,
    target_option(),
    log_and_eps,
    _own(
        "weights",
        STATISTICS,
        type=str,
        multiple=False,
        metavar="WB,WV",
        callback=_weights,
        help="Add total_w = WB bias² + WV var.",
    ),
    _own("rank", OUTPUT, help="Add the rank of each run by total."),
    _own(
        "pareto",
        OUTPUT,
        help="Mark the Pareto front: no other run is at least as low on both bias² and var and lower on one.",
    ),
    _own(
        "stability",
        STATISTICS,
        help="Add stability: whether a run varies more or less than simulated runs of its mean.",
    ),
    _own("ci", STATISTICS, metavar="LEVEL", help="Add confidence intervals of this level, such as 0.95."),
    _own("resamples", STATISTICS, metavar="N", help=f"Bootstrap samples for --ci. Default: {RESAMPLES}."),
    _own(
        "ci_method",
        STATISTICS,
        help="How they are made: the most reliable way for each column (auto), or percentiles. Default: auto.",
    ),
    _own("over", STATISTICS, help="Correlations: draw runs or teams too, alone or with queries (both). Repeatable."),
    teams_option(", for --over teams and --over both"),
    _own(
        "baseline",
        STATISTICS,
        metavar="NAME|top",
        shell_complete=completion.words("top", names=True),
        brief="Compare every run with this one.",
        help="Compare every run with this one, NAME or run:NAME, or with the one of the best mean (top): differences, "
        "intervals and p-values.",
    ),
    seed_option,
)
@null_options()
@option(
    OUTPUT,
    "--form",
    type=click.Choice((*FORMS, "both")),
    default="score",
    show_default=True,
    help="Show variance and total of the scores, of the gaps (target - score), or of both; csv and json have all.",
)
@row_options(TABLES, "total")
@output_options(sorted(FORMATS), "text", TABLES)
def decompose(
    inputs: TrackRequest,
    request: DecomposeRequest,
    null: NullChoice,
    form: Literal["score", "gap", "both"],
    rows: Rows,
    output: Output,
) -> None:
    """Bias², variance and total error of every run, with their correlation over the runs.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar decompose sample_runs -q qrels/npl.qrels.txt
    biasvar decompose sample_runs -q qrels/npl.qrels.txt -m nDCG@20 -m AP -f csv -o table.csv
    biasvar decompose sample_runs -q qrels/npl.qrels.txt --target perfect --sort -mean --top 5
    """
    require_separate(output, *input_files(inputs), *request.files, request.teams, selection=inputs.selection)
    if output.rows_alone and not request.stability:
        null.refuse(f"a row a run in {output.format}", "-f json holds them")
    models = null.request(
        seed=request.seed,
        jobs=inputs.jobs,
        unasked=not output.rows_alone,
        shuffled=output.format == "json",
        stability=request.stability,
    )

    from biasvar_cli.analyses.decompose.answer import answer
    from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table

    view = output.view(rows, DecomposeView, form=form)
    track = load(inputs)
    with simulating(track, len(request.targets), models) as done:
        answers = answer(track, replace(request, null=models), done=done)
        tables = [decompose_table(answer, view) for answer in answers]
    output.emit(tables)
