"""``biasvar decompose``: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from biasvar_cli.analyses.decompose.interval_options import interval_options
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import OUTPUT, STATISTICS, command, option
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.null import null_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import baseline_option, seed_option, top_option
from biasvar_cli.console.options.target import log_options, target_files, target_options
from biasvar_cli.console.terminal import load
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from biasvar_cli.analyses.decompose.interval_options import IntervalChoice
    from biasvar_cli.analyses.decompose.table import DecompositionView
    from biasvar_cli.console.options.null import NullChoice
    from biasvar_cli.console.output import Output
    from biasvar_cli.decomposition.reliability import SplitHalf
    from biasvar_cli.decomposition.target import TargetedScores
    from biasvar_cli.decomposition.tradeoff import Tradeoff
    from biasvar_cli.nulls.models import Null
    from biasvar_cli.nulls.request import NullRequest
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.scoring.track import Scored
    from biasvar_cli.tables.table import Extra, Table
    from biasvar_cli.target_spec import TargetSpec


class Additions(NamedTuple):
    """What is to stand beside the decomposition; csv and tsv have no place for the reliability of the rankings."""

    null: NullRequest | None
    baseline: str | None
    intervals: IntervalChoice | None
    teams: Mapping[str, str] | None
    seed: int
    reliability: bool
    for_people: bool


def _weights(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        bias, var = (float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not WB,WV, such as 1,0.5.") from None
    return bias, var


@command()
@input_options()
@target_options()
@log_options()
@option(STATISTICS, "--weights", metavar="WB,WV", callback=_weights, help="Add total_w = WB bias² + WV var.")
@option(OUTPUT, "--rank", is_flag=True, help="Add the rank of each run by total.")
@option(
    OUTPUT,
    "--pareto",
    is_flag=True,
    help="Mark the Pareto front: no other run is at least as low on both bias² and var and lower on one.",
)
@option(
    OUTPUT,
    "--sort",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Order of the rows; -COLUMN: largest first. Default: total; in csv, tsv, parquet and json by "
    "run, unless --top is given.",
)
@top_option
@option(
    STATISTICS,
    "--stability",
    is_flag=True,
    help="Add stability: whether a run varies more or less than simulated runs of its mean.",
)
@interval_options()
@baseline_option("Compare every run with this one: differences, intervals and p-values.")
@null_options()
@seed_option
@output_options(sorted(FORMATS), "text")
def decompose(
    inputs: TrackRequest,
    targets: tuple[TargetSpec, ...],
    log: LogTransform | None,
    weights: tuple[float, float] | None,
    rank: bool,
    pareto: bool,
    sort: str | None,
    top: int | None,
    stability: bool,
    intervals: IntervalChoice | None,
    baseline: str | None,
    null: NullChoice,
    seed: int,
    output: Output,
) -> None:
    """Bias², variance and total error of every run, with their correlation over the runs.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar decompose sample_runs -q qrels/npl.qrels.txt
    biasvar decompose sample_runs -q qrels/npl.qrels.txt -m nDCG@20 -m AP -f csv -o table.csv
    biasvar decompose sample_runs -q qrels/npl.qrels.txt --target perfect --sort -mean --top 5
    """
    teams = intervals.teams if intervals is not None else None
    require_separate(output, *input_files(inputs), *target_files(targets), teams, selection=inputs.selection)
    if output.rows_alone and not stability:
        null.refuse(f"a row a run in {output.format}", "-f json holds them")
    models = null.request(
        seed=seed,
        jobs=inputs.jobs,
        unasked=not output.rows_alone,
        shuffled=output.format == "json",
        stability=stability,
    )

    from biasvar_cli.analyses.decompose.table import DecompositionView
    from biasvar_cli.readers.maps import read_teams

    held = read_teams(teams) if teams is not None else None
    additions = Additions(
        models, baseline, intervals, held, seed, reliability=not output.rows_alone, for_people=output.for_people
    )
    order = sort or ("total" if output.best_first(top) else "run")
    view = DecompositionView(sort=order, top=top, rank=rank, pareto=pareto, weights=weights, stability=stability)
    track = load(inputs)
    output.emit([_table(scored, spec, log, view, additions) for scored in track.scored for spec in targets])


def _table(
    scored: Scored,
    spec: TargetSpec,
    log: LogTransform | None,
    view: DecompositionView,
    additions: Additions,
) -> Table:
    from biasvar_cli.analyses.decompose.table import decomposition_table, log_extra
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.decomposition.tradeoff import tradeoff
    from biasvar_cli.scoring.targets import targeted_scores

    targeted = targeted_scores(scored, spec, log)
    result = decompose(targeted.scores, targeted.target)
    correlations = tradeoff(result)
    null = _null(targeted, correlations, additions.null) if additions.null is not None else None
    logs = log_extra(scored, spec, log, result) if log is not None else None
    halves = _halves(targeted, view, additions)
    extras = list(_extras(targeted, additions))
    return decomposition_table(result, correlations, view=view, null=null, halves=halves, log=logs, extras=extras)


def _halves(targeted: TargetedScores, view: DecompositionView, additions: Additions) -> SplitHalf | None:
    """How far the order of the rows can be relied on; warns where people are shown one that is close to chance."""
    from biasvar_cli.decomposition.reliability import split_half
    from biasvar_cli.tables.order import warn_of_chance

    if not additions.reliability:
        return None
    found = split_half(targeted.scores, targeted.target, seed=additions.seed)
    if additions.for_people:
        warn_of_chance(found, view.sort, targeted)
    return found


def _null(targeted: TargetedScores, correlations: Tradeoff, request: NullRequest) -> Null:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.decomposition.tradeoff import single_rows
    from biasvar_cli.nulls.models import null_models

    return null_models(targeted, single_rows(correlations, targeted.scores.n_queries), Design(), request)


def _extras(targeted: TargetedScores, additions: Additions) -> Iterator[Extra]:
    from biasvar_cli.analyses.decompose.baseline_columns import baseline_extra
    from biasvar_cli.decomposition.baseline import compare

    asked, level = additions.intervals, 0.95
    if asked is not None:
        from biasvar_cli.analyses.decompose.interval_columns import interval_extra
        from biasvar_cli.decomposition.intervals import intervals
        from biasvar_cli.decomposition.r_intervals import r_intervals

        level = asked.level
        how: dict[str, Any] = {"level": level, "n_resamples": asked.n_resamples, "method": asked.method}
        how["seed"] = additions.seed
        others = [
            r_intervals(targeted.scores, targeted.target, over=each, teams=additions.teams, **how)
            for each in asked.over
        ]
        found = intervals(targeted.scores, targeted.target, **how)
        yield interval_extra(found, others, of_teams=additions.teams is not None)
    if additions.baseline is not None:
        yield baseline_extra(compare(targeted.scores, targeted.target, additions.baseline, level=level))
