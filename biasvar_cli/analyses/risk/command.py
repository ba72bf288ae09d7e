"""``biasvar risk``: who loses against a baseline, and how badly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.risk.options import (
    RiskChoice,
    RiskIntervalChoice,
    baseline_files,
    risk_interval_options,
    risk_options,
)
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import OUTPUT, command, option
from biasvar_cli.console.options.inputs import request_files, request_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import seed_option, top_option
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.errors import absent_run
from biasvar_cli.tables.render import FORMATS, ROUNDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from biasvar_cli.analyses.risk.answer import RiskOfRuns
    from biasvar_cli.analyses.risk.table import RiskView
    from biasvar_cli.arrays import FloatArray
    from biasvar_cli.console.output import Output
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.scoring.track import Scored, Track
    from biasvar_cli.tables.table import Extra, Table


_SHORT = 1.0  # seconds; tests that take no longer have no progress bar


@command()
@request_options()
@risk_options()
@risk_interval_options()
@seed_option
@option(
    OUTPUT,
    "--sort",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Order of the rows; -COLUMN: largest first. Default: -u_risk_A of the first A above 0; in csv, "
    "tsv, parquet and json by run, unless --top is given.",
)
@top_option
@output_options(sorted(FORMATS), "text")
def risk(
    request: TrackRequest,
    choice: RiskChoice,
    intervals: RiskIntervalChoice | None,
    seed: int,
    sort: str | None,
    top: int | None,
    output: Output,
) -> None:
    """Who loses against a baseline on single queries, and how badly: wins, losses, RI, U-, T-, Z-risk and GeoRisk.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar risk sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar risk sample_runs -q qrels/npl.qrels.txt -m ERR@20 --alpha 0,5 -f csv -o risk.csv
    biasvar risk sample_runs -q qrels/npl.qrels.txt --baseline run:orig --table queries
    """
    require_separate(output, *request_files(request), *baseline_files(choice.baselines), selection=request.selection)
    if sort is not None and choice.table != "runs":
        raise click.UsageError("--sort is of --table runs; the other tables have an order of their own.")
    if intervals is not None and choice.table != "runs":
        raise click.UsageError("--ci adds to --table runs alone.")
    if choice.r_loss_k is not None and request.qrels is None:
        raise click.UsageError("--r-loss needs runs and their qrels (-q).")

    from biasvar_cli.analyses.risk.table import RiskView, default_sort

    best_first = output.best_first(top)
    view = RiskView(sort=sort or (default_sort(choice.alphas) if best_first else "run"), top=top, for_people=best_first)
    track = load(_with_precision(request, choice.r_loss_k))
    compared = list(_compared(track, request, choice))
    if output.format in ROUNDED and choice.table == "runs":
        compared = _judged(compared, seed, request.jobs)
    output.emit([_table(scored, found, choice, intervals, seed, view) for scored, found in compared])


def _with_precision(request: TrackRequest, k: int | None) -> TrackRequest:
    """The request with P@k among its measures, of which R-Loss is made."""
    if k is None:
        return request
    return replace(request, measures=(*(request.measures or ("AP",)), f"P@{k}"), needs_runs="--r-loss")


def _compared(track: Track, request: TrackRequest, choice: RiskChoice) -> Iterator[tuple[Scored, RiskOfRuns]]:
    """Every measure asked for against every baseline."""
    from biasvar_cli.analyses.risk.answer import RiskOfRuns
    from biasvar_cli.analyses.risk.georisk import geo_risk
    from biasvar_cli.analyses.risk.losses import risk
    from biasvar_cli.measures import asked_names, canonical
    from biasvar_cli.scoring.baselines import make_baseline

    precision = None if choice.r_loss_k is None else canonical(f"P@{choice.r_loss_k}")
    asked = asked_names(request.measures or ("AP",))
    for scored in track.scored:
        if precision is not None and scored.scores.measure == precision and precision not in asked:
            continue
        geo = geo_risk(scored.scores, scored.pool, choice.alphas)
        for spec in choice.baselines:
            baseline = make_baseline(spec, scored)
            found = risk(scored.scores, baseline.scores, choice.alphas, tie_eps=choice.tie_eps)
            lost = None if precision is None else _r_loss(track, precision, str(baseline.run), choice)
            yield scored, RiskOfRuns(scored.scores, baseline, found, geo, lost, choice.r_loss_k)


def _r_loss(track: Track, precision: str | None, baseline: str, choice: RiskChoice) -> FloatArray:
    """R-Loss is K times F_risk under P@K."""
    from biasvar_cli.analyses.risk.losses import risk

    (scored,) = (each for each in track.scored if each.scores.measure == precision)
    found = risk(scored.scores, scored.pool.row(baseline), (0.0,), tie_eps=0.0)
    return found.risk * float(choice.r_loss_k or 0)


def _judged(compared: Sequence[tuple[Scored, RiskOfRuns]], seed: int, jobs: int) -> list[tuple[Scored, RiskOfRuns]]:
    """The same with the verdicts, which only people read."""
    from biasvar_cli.analyses.risk.answer import judged
    from biasvar_cli.analyses.risk.verdicts import N_TESTS
    from biasvar_cli.stats.step_down import USUAL_RESAMPLES

    with progress("Testing", "resamples", len(compared) * N_TESTS * USUAL_RESAMPLES, after=_SHORT) as done:
        return [(scored, judged(found, seed=seed, jobs=jobs, done=done)) for scored, found in compared]


def _table(
    scored: Scored,
    found: RiskOfRuns,
    choice: RiskChoice,
    intervals: RiskIntervalChoice | None,
    seed: int,
    view: RiskView,
) -> Table:
    from biasvar_cli.analyses.risk.losses import losers
    from biasvar_cli.analyses.risk.table import queries_table, run_table, runs_table

    if choice.table == "queries":
        return queries_table(found, losers(found.scores, found.baseline.scores, tie_eps=choice.tie_eps), view=view)
    if choice.run is not None:
        if choice.run not in found.scores.runs:
            raise absent_run(f"--table run:{choice.run}", choice.run, found.scores.runs)
        return run_table(found, choice.run, view=view)
    extras = [_decomposition(scored, found)] if choice.with_decomposition else []
    if intervals is not None:
        extras.append(_intervals(scored, found, intervals, seed))
    return runs_table(found, view=view, extras=extras)


def _intervals(scored: Scored, found: RiskOfRuns, asked: RiskIntervalChoice, seed: int) -> Extra:
    from biasvar_cli.analyses.risk.intervals import risk_intervals
    from biasvar_cli.analyses.risk.table_extras import intervals_extra

    how = asked._asdict()
    made = risk_intervals(found.scores, scored.pool, found.baseline.scores, found.geo.alphas, seed=seed, **how)
    return intervals_extra(found, made)


def _decomposition(scored: Scored, found: RiskOfRuns) -> Extra:
    """bias², variance and total against the target best, and how alike GeoRisk and total order the runs."""
    from biasvar_cli.analyses.risk.table_extras import decomposition_extra
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.decomposition.target import best_of_runs
    from biasvar_cli.stats.correlation import correlations

    result = decompose(scored.scores, best_of_runs(scored.pool))
    ranks = [correlations(each, -result.total) for each in found.geo.geo_risk]
    return decomposition_extra(found, result, ranks)
