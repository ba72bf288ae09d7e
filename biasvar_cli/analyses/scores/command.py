"""``biasvar scores``: per-query scores, to keep and to give to other programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from biasvar_cli.analyses.scores.columns import TABLES
from biasvar_cli.console.options.heading import command
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.output import Output
from biasvar_cli.console.terminal import load

if TYPE_CHECKING:
    from biasvar_cli.scoring.request import TrackRequest

_FORMATS = ("csv", "json", "matrix", "parquet", "trec_eval", "tsv")


@command()
@input_options(pool="Runs or scores that are read but not listed; other commands count them for the target.")
@output_options(_FORMATS, "csv", TABLES)
def scores(inputs: TrackRequest, output: Output) -> None:
    """The score of every run on every query; its output is input to every other command.

    INPUTS are TREC runs (with -q QRELS) or other files of scores, or directories of them; - is standard input.
    csv, tsv, parquet and json have every run, query and measure; -f matrix has a row per query and a column per run,
    for one measure; -f trec_eval prints one run as trec_eval -q -c does: every judged topic, missing ones as 0.

    \b
    biasvar scores sample_runs -q qrels/npl.qrels.txt -m AP -f matrix -o ap.csv
    biasvar decompose ap.csv
    biasvar scores sample_runs/rm.gz -q qrels/npl.qrels.txt -m map -m P_10 -f trec_eval
    """
    require_separate(output, *input_files(inputs), selection=inputs.selection)

    from biasvar_cli.analyses.scores.table import TEXTS, scores_table

    if output.format == "trec_eval" and inputs.qrels is not None and inputs.topics is None:
        inputs = replace(inputs, keep_empty_topics=True)
    matrices = [scored.scores for scored in load(inputs).scored]
    if output.format in TEXTS:
        output.write(TEXTS[output.format](matrices))
    else:
        output.emit([scores_table(matrix) for matrix in matrices])
