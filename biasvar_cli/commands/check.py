"""``biasvar check``: what is wrong or odd in the files."""

from __future__ import annotations

from typing import Any

import click

from biasvar_cli.commands.options import files_options, request_of
from biasvar_cli.commands.output import output_of, output_options
from biasvar_cli.tables.render import FORMATS


@click.command(short_help="What is wrong or odd in the files, without computing.")
@files_options
@output_options(sorted(FORMATS), "text")
def check(**options: Any) -> None:
    """Read every file and list its errors and oddities, without computing a measure. Exits 1 if there are errors.

    \b
    biasvar check runs -q qrels.txt
    """
    request, output = request_of(options), output_of(options)

    from biasvar_cli.scoring.checks import check_files
    from biasvar_cli.tables.check import check_table

    reports = check_files(request)
    output.emit([check_table(reports)])
    if any(report.has_error for report in reports):
        click.get_current_context().exit(1)
