"""``biasvar profile``: one run, and whether it is better than a baseline and than the best; and its figure."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.profile.columns import TABLES
from biasvar_cli.analyses.profile.request import ProfileRequest
from biasvar_cli.console.analysis import analysis_command, emit, table_option
from biasvar_cli.console.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.inputs import input_options
from biasvar_cli.console.options import group, option_of
from biasvar_cli.console.output import require_separate
from biasvar_cli.console.terminal import load
from biasvar_cli.settings import composed, settings_of
from biasvar_cli.specs import require_one

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.request import TrackRequest

_TABLE = "A row per quantity, per run that it is compared with, or per query. JSON has all three."
_WITHOUT = ("run",)
_RUN = click.argument("run", metavar="RUN")


@analysis_command(
    ProfileRequest,
    TABLES,
    table_option(TABLES, _TABLE, "A row per quantity, run or query."),
    order="largest loss first, of queries",
    by="query",
    without=_WITHOUT,
    before=_RUN,
)
def profile(inputs: TrackRequest, request: ProfileRequest, run: str, table: str, rows: Rows, output: Output) -> None:
    """One run: better than a baseline, than the best? By how much, on which queries?

    RUN is its name as other commands list it, or the beginning of it; INPUTS are all runs of the track: TREC runs (with
    -q QRELS), files of scores per query, or directories of them. Last comes a sentence for a paper.

    \b
    biasvar profile rm sample_runs -q qrels/npl.qrels.txt --baseline orig
    biasvar profile rel-fb sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10
    biasvar profile rm sample_runs -q qrels/npl.qrels.txt --table queries --top 10
    """
    request = replace(request, run=run)
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


_SETTINGS = (
    option_of(ProfileRequest, field.name, of_command=False)
    for _, field in settings_of(ProfileRequest)
    if field.name not in _WITHOUT
)


@figure("profile", "rm")
@_RUN
@input_options(several=False)
@group("request", partial(composed, ProfileRequest), *_SETTINGS)
@figure_options()
def draw_profile(inputs: TrackRequest, request: ProfileRequest, run: str, output: FigureOutput, style: Style) -> None:
    """The score of RUN on every query beside those of the target and of a baseline, or else of the best other run."""
    require_one("target", request.target)
    require_one("baseline", request.baseline)
    require_separate(output, inputs, *request.files)

    from biasvar_cli.analyses.profile.answer import answer
    from biasvar_cli.analyses.profile.figures import profile_figure

    made = answer(load(inputs), replace(request, run=run, jobs=inputs.jobs))
    write_figure(profile_figure(made, style=style), output)
