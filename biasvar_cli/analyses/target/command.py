"""``biasvar target``: the virtual target, to look at and to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options.heading import OUTPUT, STATISTICS, command, option
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.sampling import subset_size_option
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import COUNT, difficulty_option
from biasvar_cli.console.options.target import one_target_options, target_files
from biasvar_cli.console.terminal import load
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.target_spec import BEST

if TYPE_CHECKING:
    from biasvar_cli.analyses.target.table import TargetTable, TargetView
    from biasvar_cli.console.output import Output
    from biasvar_cli.decomposition.partitions import DifficultyKey
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.scoring.track import Scored
    from biasvar_cli.tables.table import Table
    from biasvar_cli.target_spec import TargetSpec


@command()
@input_options()
@one_target_options(mean=False)
@option(
    STATISTICS,
    "--rarefied",
    "n_drawn",
    type=COUNT,
    metavar="R",
    help="The best score expected of R runs drawn at random, to compare pools of different size.",
)
@option(
    OUTPUT,
    "--table",
    type=click.Choice(["queries", "runs", "rarefied"]),
    default="queries",
    show_default=True,
    help="A row per query, per run, or per number of runs drawn. JSON has all three.",
)
@difficulty_option
@subset_size_option("Queries in a group of like difficulty; the last group has the rest.", default=10)
@output_options(sorted(FORMATS), "text")
def target(
    inputs: TrackRequest,
    target: TargetSpec,
    n_drawn: int | None,
    table: TargetTable,
    difficulty: DifficultyKey,
    subset_size: int,
    output: Output,
) -> None:
    """The virtual target: its score and suppliers on every query, how hard the query is, and what each run gives to it.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    The csv of the queries is a target that decompose reads.

    \b
    biasvar target sample_runs -q qrels/npl.qrels.txt
    biasvar target sample_runs -q qrels/npl.qrels.txt --table runs
    biasvar target sample_runs -q qrels/npl.qrels.txt --rarefied 10 -f csv -o best-of-10.csv
    biasvar decompose sample_runs -q qrels/npl.qrels.txt --target file:best-of-10.csv
    """
    require_separate(output, *input_files(inputs), *target_files([target]), selection=inputs.selection)
    if n_drawn is not None and target != BEST:
        raise click.UsageError(f"--rarefied needs --target best, not {target.text}.")
    if table == "rarefied" and (n_drawn is not None or target != BEST):
        raise click.UsageError("--table rarefied is of --target best at every number of runs; leave --rarefied out.")

    from biasvar_cli.analyses.target.table import TargetView

    view = TargetView(table=table, for_people=output.for_people)
    track = load(inputs)
    output.emit([_table(scored, target, n_drawn, difficulty, subset_size, view) for scored in track.scored])


def _table(
    scored: Scored, spec: TargetSpec, n_drawn: int | None, key: DifficultyKey, subset_size: int, view: TargetView
) -> Table:
    from biasvar_cli.analyses.target.table import target_table
    from biasvar_cli.decomposition.contribution import contributions, difficulty, rarefied_means, rarefied_target
    from biasvar_cli.scoring.targets import make_target

    pool = scored.pool
    target = make_target(spec, scored)
    if n_drawn is not None:
        target = rarefied_target(pool, n_drawn)
    hardness = difficulty(pool, key=key, subset_size=subset_size)
    return target_table(contributions(pool, target), hardness, rarefied_means(pool), view=view)
