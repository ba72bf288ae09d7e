"""``biasvar sensitivity``: what a ranking hangs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options import FILE, files_options, request_of, scoring_options, target_options, targets_of
from biasvar_cli.commands.output import output_of, output_options
from biasvar_cli.commands.terminal import load
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biasvar_cli.decomposition.target import Aim
    from biasvar_cli.tables.sensitivity import Sensitivity

_TABLES = ("targets", "runs", "neighbours", "queries", "reliability")


@click.command(short_help="What a ranking by total hangs on: target, single queries, chance.")
@files_options
@scoring_options
@target_options
@click.option(
    "--table",
    type=click.Choice(_TABLES),
    default="targets",
    show_default=True,
    help="The ranking under other targets; what each run hangs on; where neighbours change places; without single "
    "queries; between halves of the queries. JSON holds all of them.",
)
@click.option("--teams", type=FILE, help="A csv of run,team: leave a run's whole team out, too.")
@click.option(
    "--splits", type=click.IntRange(min=1), default=100, show_default=True, help="Random splits of the queries."
)
@click.option(
    "--precision",
    type=click.FloatRange(1e-4, 100),
    default=0.2,
    show_default=True,
    metavar="W",
    help="Wanted half-width of the interval of ln var, for the number of queries needed.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of what is random.")
@output_options(sorted(FORMATS), "text")
def sensitivity(table: str, teams: str | None, splits: int, precision: float, seed: int, **options: Any) -> None:
    """How far the ranking of the runs hangs on the target, on single queries, and on chance.

    A best score over runs gives each run a share in its own target; leaving the run, or its team, out takes it away.

    \b
    biasvar sensitivity sample_runs -q qrels/simulated.qrels.txt
    biasvar sensitivity runs -q qrels.txt --table runs --teams teams.csv -f csv -o runs.csv
    """
    if precision != precision:
        raise click.BadParameter("nan is no width.", param_hint="--precision")
    request, output = request_of(options), output_of(options)
    targets, transform = targets_of(options)

    from biasvar_cli.readers.maps import read_teams
    from biasvar_cli.scoring.targets import aim
    from biasvar_cli.tables.sensitivity import sensitivity_table

    held = read_teams(teams) if teams is not None else None
    track = load(request)
    aims = [aim(scored, spec, transform) for scored in track.scored for spec in targets]
    output.emit([sensitivity_table(_analysed(aimed, held, splits, precision, seed), table) for aimed in aims])


def _analysed(aim: Aim, teams: Mapping[str, str] | None, splits: int, wanted: float, seed: int) -> Sensitivity:
    from biasvar_cli.analyses.influence import influence
    from biasvar_cli.analyses.reliability import origin, precision, split_half
    from biasvar_cli.analyses.sensitivity import target_sensitivity
    from biasvar_cli.analyses.switching import switch_points
    from biasvar_cli.tables.sensitivity import Sensitivity

    scores, target = aim.scores, aim.target
    return Sensitivity(
        aim=aim,
        targets=target_sensitivity(aim, teams),
        switches=switch_points(scores, target),
        influence=influence(scores, target) if scores.n_queries > 1 else None,
        halves=split_half(scores, target, n_splits=splits, seed=seed),
        precision=precision(scores.values, wanted),
        origin=origin(scores, aim.pool),
        has_teams=teams is not None,
    )
