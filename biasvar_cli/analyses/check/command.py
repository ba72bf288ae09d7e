"""``biasvar check``: what is wrong or odd in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.check import TABLES
from biasvar_cli.console.options import command, option
from biasvar_cli.console.output import Output, Rows, output_options, require_separate
from biasvar_cli.console.shared_options import input_options, row_options
from biasvar_cli.errors import warn
from biasvar_cli.readers.settings import READING
from biasvar_cli.settings import OUTPUT
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.scoring import TrackRequest


@command()
@input_options([READING], pool="More files to check: those that other commands take as --pool.")
@option(
    OUTPUT,
    "--files",
    brief="List every file instead of a summary.",
    is_flag=True,
    help="List every file, as csv, tsv, parquet and json do, instead of a summary.",
)
@row_options(TABLES, "warnings first", by="file")
@output_options(sorted(FORMATS), "text", TABLES)
def check(inputs: TrackRequest, files: bool, rows: Rows, output: Output) -> None:
    """Read every file and say what is wrong or odd in them, without computing a measure. Exits 1 if there are errors.

    INPUTS are runs, files of scores and directories of them; - is standard input. The last lines are commands that run
    on them, and what is blocked by what.
    With --strict, warnings are errors too. A notice is usual in real files, such as tied scores, and never an error.

    \b
    biasvar check sample_runs -q qrels/npl.qrels.txt
    biasvar check sample_runs -q qrels/npl.qrels.txt --files --strict
    """
    require_separate(output, inputs)

    from biasvar_cli.analyses.check import answer, table

    checked = answer.answer(inputs)
    if output.strict and not checked.has_error:
        for line in table.warnings_of(checked.files):
            warn(line)
    view = output.view(rows, table.VIEW, table="summary" if output.for_people and not files else "files")
    output.emit(table.tables([checked], view))
    if checked.has_error:
        click.get_current_context().exit(1)
