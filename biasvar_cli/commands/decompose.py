"""``biasvar decompose``: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from biasvar_cli.commands.options import (
    FILE,
    files_options,
    null_of,
    null_options,
    request_of,
    scoring_options,
    target_options,
    targets_of,
)
from biasvar_cli.commands.output import default_sort, output_of, output_options
from biasvar_cli.commands.terminal import load
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from biasvar_cli.analyses.null import Null, NullRequest
    from biasvar_cli.analyses.tradeoff import Tradeoff
    from biasvar_cli.decomposition.target import Aim
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.track import Scored, Track
    from biasvar_cli.tables.decomposition import DecompositionView
    from biasvar_cli.tables.table import Extra, Table
    from biasvar_cli.target_spec import TargetSpec


class Bootstrap(NamedTuple):
    """What `inference` is asked for."""

    level: float
    n_resamples: int
    method: Literal["auto", "percentile"]
    over: tuple[Literal["runs", "teams", "both"], ...]
    teams: Mapping[str, str] | None


class Wanted(NamedTuple):
    """What is to stand beside the decomposition; csv and tsv have no place for the reliability of the rankings."""

    null: NullRequest | None
    versus: str | None
    bootstrap: Bootstrap | None
    seed: int
    reliability: bool


@click.command(short_help="Bias², variance and total error of every run.")
@files_options
@scoring_options
@target_options
@click.option("--weights", metavar="WB,WV", help="Add total_w = WB bias² + WV var.")
@click.option("--rank", is_flag=True, help="Add the rank by total.")
@click.option("--pareto", is_flag=True, help="Mark the Pareto front of bias² and var.")
@click.option(
    "--sort",
    metavar="COLUMN",
    help="Order of the rows, -COLUMN for descending. Default: total in text, markdown and latex, run in the others.",
)
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Show N rows; every number stays that of all runs."
)
@click.option(
    "--stability",
    is_flag=True,
    help="Add stability: how much more or less a run varies than its mean implies, with the track's H and D.",
)
@click.option(
    "--ci",
    "level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="LEVEL",
    help="Add confidence intervals of this level, such as 0.95, and those of the correlations.",
)
@click.option("--resamples", type=click.IntRange(min=1), metavar="N", help="Resamples of --ci. Default: 2000.")
@click.option(
    "--ci-method",
    "method",
    type=click.Choice(["auto", "percentile"]),
    help="auto: for each quantity the method that covers. Default: auto.",
)
@click.option(
    "--over",
    type=click.Choice(["runs", "teams", "both"]),
    multiple=True,
    help="Intervals of the correlations over these, too; both: queries and teams, or runs. Repeatable.",
)
@click.option("--teams", type=FILE, help="A csv of run,team, for --over teams and both.")
@click.option(
    "--versus",
    metavar="RUN",
    help="Compare every run with this one: bias, totals and variances, with intervals, p, and p after Holm.",
)
@null_options
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of what is random.")
@output_options(sorted(FORMATS), "text")
def decompose(**options: Any) -> None:
    """Bias², variance and total error of every run, with their correlation over the runs.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar decompose sample_runs -q qrels/simulated.qrels.txt
    biasvar decompose runs -q qrels.txt -m nDCG@20 -m AP -f csv -o table.csv
    biasvar decompose scores.csv --target best --target perfect --sort -mean
    """
    request, output = request_of(options), output_of(options)
    targets, transform = targets_of(options)
    seed, versus = options.pop("seed"), options.pop("versus")
    bootstrap = _bootstrap(options)
    null = null_of(options, format=output.format, seed=seed, jobs=request.jobs, stability=options["stability"])
    wanted = Wanted(null, versus, bootstrap, seed, output.format not in ("csv", "tsv"))
    view = _view(output.format, **options)

    track = load(request)
    output.emit([_table(track, scored, spec, transform, view, wanted) for scored in track.scored for spec in targets])


def _table(
    track: Track,
    scored: Scored,
    spec: TargetSpec,
    transform: LogTransform | None,
    view: DecompositionView,
    wanted: Wanted,
) -> Table:
    from biasvar_cli.analyses.tradeoff import tradeoff
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.scoring.targets import aim
    from biasvar_cli.tables.decomposition import decomposition_table, log_note

    aimed = aim(scored, spec, transform)
    result = decompose(aimed.scores, aimed.target)
    correlations = tradeoff(result)
    log = None
    if transform is not None:
        coarser = transform.with_eps(10 * transform.eps)
        other = aim(scored, spec, coarser)
        log = log_note(transform, scored.scores, result, coarser, decompose(other.scores, other.target))
    null = _null(aimed, correlations, wanted.null) if wanted.null is not None else None
    extras = list(_extras(aimed, wanted))
    return decomposition_table(result, correlations, track=track, view=view, null=null, log=log, extras=extras)


def _extras(aim: Aim, wanted: Wanted) -> Iterator[Extra]:
    from biasvar_cli.analyses.baseline import compare
    from biasvar_cli.analyses.intervals import intervals
    from biasvar_cli.analyses.r_intervals import r_intervals
    from biasvar_cli.analyses.reliability import split_half
    from biasvar_cli.tables.baseline import versus_extra
    from biasvar_cli.tables.intervals import interval_extra
    from biasvar_cli.tables.sensitivity import reliability_extra

    if wanted.bootstrap is not None:
        level, n_resamples, method, over, teams = wanted.bootstrap
        how: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "seed": wanted.seed, "method": method}
        others = [r_intervals(aim.scores, aim.target, over=each, teams=teams, **how) for each in over]
        yield interval_extra(intervals(aim.scores, aim.target, **how), others)
    if wanted.versus is not None:
        level = wanted.bootstrap.level if wanted.bootstrap is not None else 0.95
        yield versus_extra(compare(aim.scores, aim.target, wanted.versus, level=level))
    if wanted.reliability:
        yield reliability_extra(split_half(aim.scores, aim.target, seed=wanted.seed))


def _null(aim: Aim, correlations: Tradeoff, request: NullRequest) -> Null:
    from biasvar_cli.analyses.null import null_models
    from biasvar_cli.analyses.tradeoff import Design, single_rows

    return null_models(aim, single_rows(correlations, aim.scores.n_queries), Design(), request)


def _bootstrap(options: dict[str, Any]) -> Bootstrap | None:
    """The options of intervals, taken out of the command's own; reads the file of teams."""
    from biasvar_cli.readers.maps import read_teams

    names = ("level", "resamples", "method", "over", "teams")
    level, n_resamples, method, over, teams = (options.pop(name) for name in names)
    if level is None:
        if n_resamples or method or over or teams:
            raise click.UsageError("--resamples, --ci-method, --over and --teams need --ci LEVEL.")
        return None
    if "teams" in over and teams is None:
        raise click.UsageError("--over teams needs --teams FILE.")
    if teams is not None and not {"teams", "both"} & set(over):
        raise click.UsageError("--teams needs --over teams or --over both.")
    held = read_teams(teams) if teams is not None else None
    return Bootstrap(level, n_resamples or 2000, method or "auto", tuple(dict.fromkeys(over)), held)


def _view(
    format: str,  # noqa: A002
    *,
    sort: str | None,
    top: int | None,
    rank: bool,
    pareto: bool,
    weights: str | None,
    stability: bool,
) -> DecompositionView:
    from biasvar_cli.tables.decomposition import DecompositionView

    order = sort or default_sort(format)
    return DecompositionView(
        sort=order, top=top, rank=rank, pareto=pareto, weights=_weights(weights), stability=stability
    )


def _weights(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        bias, var = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not WB,WV, such as 1,0.5.", param_hint="--weights") from None
    return bias, var
