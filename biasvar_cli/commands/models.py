"""``biasvar models``: how far query models are from the true one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.commands.options.apart import require_apart
from biasvar_cli.commands.options.models import model_files, model_options
from biasvar_cli.commands.options.output import output_options
from biasvar_cli.commands.options.shared import top_option
from biasvar_cli.tables.render import FORMATS, ROUNDED

if TYPE_CHECKING:
    from biasvar_cli.commands.output import Output
    from biasvar_cli.query_models.load import ModelRequest


@click.command(short_help="Query models against the true one: estimation bias², variance and total.")
@model_options()
@click.option(
    "--sort",
    metavar="COLUMN",
    help="Order of the rows, -COLUMN for descending. Default: total_est in text, markdown and latex, model in the "
    "others.",
)
@top_option
@output_options(sorted(FORMATS), "text")
def models(request: ModelRequest, sort: str | None, top: int | None, output: Output) -> None:
    """Estimation bias², variance and total error of query models: how far they are from the true model (IPM'14).

    INPUTS are files of query models, one model a file, or directories of them; - is standard input.

    \b
    biasvar models models --true models/true.tsv --background background.tsv
    """
    require_apart(output, *model_files(request), glob=request.glob)

    from biasvar_cli.query_models.load import load_models
    from biasvar_cli.tables.models import ModelsView, models_table

    view = ModelsView(sort=sort or ("total_est" if output.format in ROUNDED else "model"), top=top)
    loaded = load_models(request)
    output.emit([models_table(each, loaded, background=request.background, view=view) for each in loaded.estimations])
