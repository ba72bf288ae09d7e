"""``biasvar target``: the virtual target, to look at and to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options import files_options, request_of, scoring_options
from biasvar_cli.commands.output import output_of, output_options
from biasvar_cli.commands.terminal import load
from biasvar_cli.tables.render import FORMATS, ROUNDED

if TYPE_CHECKING:
    from biasvar_cli.decomposition.partitions import DifficultyKey
    from biasvar_cli.scoring.track import Scored
    from biasvar_cli.tables.table import Table
    from biasvar_cli.tables.target import TargetTable, TargetView
    from biasvar_cli.target_spec import TargetSpec


@click.command(short_help="The virtual target: its score and suppliers on every query.")
@files_options
@scoring_options
@click.option(
    "--target",
    "targets",
    multiple=True,
    default=("best",),
    show_default=True,
    metavar="TARGET",
    help="best, best:Q (quantile), perfect, ideal, run:NAME or file:PATH.",
)
@click.option(
    "--rarefied",
    "n_drawn",
    type=click.IntRange(min=1),
    metavar="R",
    help="The best score that R runs drawn at random from the pool are expected to give; for pools of different size.",
)
@click.option(
    "--table",
    type=click.Choice(["queries", "runs", "rarefied"]),
    default="queries",
    show_default=True,
    help="A row per query, per run of the pool, or per number of runs drawn. JSON holds all three.",
)
@click.option(
    "--difficulty",
    type=click.Choice(["best", "mean"]),
    default="best",
    show_default=True,
    help="The hardest query has the lowest best score of the pool, or the lowest mean.",
)
@click.option(
    "--subset-size",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Queries in a group of difficulty; the last group holds the rest.",
)
@output_options(sorted(FORMATS), "text")
def target(
    targets: tuple[str, ...],
    n_drawn: int | None,
    table: TargetTable,
    difficulty: DifficultyKey,
    subset_size: int,
    **options: Any,
) -> None:
    """The virtual target: its score and suppliers on every query, how hard the query is, and what each run gives to it.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    The csv of the queries is a target that decompose reads.

    \b
    biasvar target sample_runs -q qrels/simulated.qrels.txt
    biasvar target runs -q qrels.txt --table runs
    biasvar target runs -q qrels.txt --rarefied 30 -f csv -o best-of-30.csv
    biasvar decompose runs -q qrels.txt --target file:best-of-30.csv
    """
    request, output = request_of(options), output_of(options)
    spec = _spec(targets, n_drawn, table)

    from biasvar_cli.tables.target import TargetView

    view = TargetView(table=table, for_people=output.format in ROUNDED)
    track = load(request)
    output.emit([_table(scored, spec, n_drawn, difficulty, subset_size, view) for scored in track.scored])


def _table(
    scored: Scored, spec: TargetSpec, n_drawn: int | None, key: DifficultyKey, subset_size: int, view: TargetView
) -> Table:
    from biasvar_cli.analyses.contribution import contributions, difficulty, rarefied_means, rarefied_target
    from biasvar_cli.scoring.targets import make_target
    from biasvar_cli.tables.target import target_table

    pool = scored.pool
    target = make_target(spec, scored)
    if n_drawn is not None:
        target = rarefied_target(pool, n_drawn)
    hardness = difficulty(pool, key=key, subset_size=subset_size)
    return target_table(contributions(pool, target), hardness, rarefied_means(pool), view=view)


def _spec(targets: tuple[str, ...], n_drawn: int | None, table: TargetTable) -> TargetSpec:
    """The one target that was asked for, if it goes together with the other options."""
    from biasvar_cli.target_spec import BEST, parse_target

    if len(targets) > 1:
        raise click.UsageError(f"--target is given {len(targets)} times; this command looks at one.")
    spec = parse_target(*targets)
    if spec.kind == "mean":
        raise click.UsageError(f"--target {spec.text} has no score per query to look at.")
    if n_drawn is not None and spec != BEST:
        raise click.UsageError(f"--rarefied needs --target best, not {spec.text}.")
    if table == "rarefied" and (n_drawn is not None or spec != BEST):
        raise click.UsageError("--table rarefied is of --target best at every number of runs; leave --rarefied out.")
    return spec
