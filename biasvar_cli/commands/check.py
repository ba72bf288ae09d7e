"""``biasvar check``: what is wrong or odd in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.commands.options.apart import require_apart
from biasvar_cli.commands.options.inputs import request_files, request_options
from biasvar_cli.commands.options.output import output_options
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.commands.output import Output
    from biasvar_cli.scoring.scorer import Request


@click.command(short_help="What is wrong or odd in the files, without computing.")
@request_options(scoring=False)
@output_options(sorted(FORMATS), "text")
def check(request: Request, output: Output) -> None:
    """Read every file and list its errors and oddities, without computing a measure. Exits 1 if there are errors.

    \b
    biasvar check runs -q qrels.txt
    """
    require_apart(output, *request_files(request), selection=request.selection)

    from biasvar_cli.scoring.checks import check_files
    from biasvar_cli.tables.check import check_table

    reports = check_files(request)
    output.emit([check_table(reports)])
    if any(report.has_error for report in reports):
        click.get_current_context().exit(1)
