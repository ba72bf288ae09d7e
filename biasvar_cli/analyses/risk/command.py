"""``biasvar risk``: who loses against a baseline, and how badly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.risk.columns import TABLES
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import Decorator, command, group, option, setting
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.shared import row_options, seed_option
from biasvar_cli.console.output import Output, Rows
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.errors import UsageError, full_name
from biasvar_cli.settings import COMMON, OUTPUT, STATISTICS
from biasvar_cli.specs import RESAMPLES, WORDS
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.scoring.request import TrackRequest

_SHORT = 1.0  # seconds; tests that take no longer have no progress bar


def baseline_option(repeatable: str = "") -> Decorator:
    """What runs are compared with, as ``baseline``."""
    return setting(
        RiskRequest,
        "baseline",
        COMMON,
        type=str,
        metavar="BASELINE",
        shell_complete=completion.words(*WORDS, names=True, files=True),
        brief="Compare with mean (default), NAME, top, best, ...",
        help="Compare with a run (NAME or run:NAME), with top (the run with the best mean), with the mean, median or "
        f"best score of each query over the runs, or with file:PATH (a csv of query_id,score).{repeatable}",
    )


def _alphas(_: click.Context, __: click.Parameter, text: str) -> tuple[float, ...]:
    """The weights; one that is given twice is given once."""
    try:
        return tuple(dict.fromkeys(float(part) + 0.0 for part in text.split(",")))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not A or A,A,..., such as 0,1,5,10") from None


def _table(_: click.Context, __: click.Parameter, text: str) -> str:
    if (text not in ("runs", "queries") and not text.removeprefix("run:") != text) or text == "run:":
        raise click.BadParameter(f"{text!r} is not runs, queries or run:NAME")
    return text


@command()
@input_options()
@group(
    "request",
    RiskRequest,
    baseline_option(" Repeatable."),
    setting(
        RiskRequest,
        "alpha",
        COMMON,
        type=str,
        multiple=False,
        default=",".join(f"{alpha:g}" for alpha in RiskRequest.alpha),
        metavar="A,A,...",
        callback=_alphas,
        help="Weights of losses: a loss counts 1 + A times, a gain once.",
    ),
    setting(
        RiskRequest,
        "tie_eps",
        STATISTICS,
        show_default=False,
        metavar="X",
        help="Differences up to X are ties. Default: equal scores only.",
    ),
    setting(
        RiskRequest,
        "r_loss",
        STATISTICS,
        metavar="K",
        help="Add r_loss: how many relevant documents the top K loses. Needs qrels and a run as the baseline.",
    ),
    setting(RiskRequest, "with_decomposition", STATISTICS, help="Add bias2, var and total against the target best."),
    setting(
        RiskRequest,
        "ci",
        STATISTICS,
        metavar="LEVEL",
        help="Add confidence intervals of U_risk and GeoRisk, of this level, such as 0.95.",
    ),
    setting(
        RiskRequest,
        "resamples",
        STATISTICS,
        metavar="N",
        help=f"Bootstrap samples for --ci. Default: {RESAMPLES}.",
    ),
    seed_option,
)
@option(
    OUTPUT,
    "--table",
    brief="A row per run, per query, or per query of a run.",
    default="runs",
    show_default=True,
    metavar="runs|queries|run:NAME",
    callback=_table,
    shell_complete=completion.words("runs", "queries", runs=True),
    help="A row per run, a row per query, or the queries of one run.",
)
@row_options(
    TABLES, "-u_risk_A of the first A above 0; queries with most or largest losses first", "run, or as in the qrels"
)
@output_options(sorted(FORMATS), "text", TABLES)
def risk(inputs: TrackRequest, request: RiskRequest, table: str, rows: Rows, output: Output) -> None:
    """Which runs are safe or risky against a baseline: wins, losses, RI, U-, T-, Z-risk and GeoRisk.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar risk sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar risk sample_runs -q qrels/npl.qrels.txt -m ERR@20 --alpha 0,5 -f csv -o risk.csv
    biasvar risk sample_runs -q qrels/npl.qrels.txt --baseline run:orig --table queries
    """
    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)
    added = {"--ci": request.ci, "--with-decomposition": request.with_decomposition or None, "--r-loss": request.r_loss}
    for name, value in added.items():
        if table != "runs" and value is not None:
            raise UsageError(f"{name} adds columns to --table runs; --table {table} has none of them")
    if request.r_loss is not None and inputs.qrels is None:
        raise UsageError("needs runs and their qrels (-q)", option="r_loss")

    from biasvar_cli.analyses.risk.answer import answer
    from biasvar_cli.analyses.risk.inference import N_TESTS
    from biasvar_cli.analyses.risk.table import RiskView, risk_table
    from biasvar_cli.stats.significance import USUAL_RESAMPLES

    view = output.view(rows, RiskView, table=table)
    if request.precision is not None:
        inputs = replace(inputs, auxiliary=(request.precision,), needs_runs="--r-loss")
    track = load(inputs)
    if view.run is not None:
        view = replace(view, table=f"run:{full_name(f'--table {table}', view.run, track.scored[0].scores.runs)}")
    n_resamples = (N_TESTS + len(request.alpha)) * USUAL_RESAMPLES
    if request.ci is not None:
        n_resamples += request.resamples or RESAMPLES
    length = len(track.scored) * len(request.specs) * n_resamples
    with progress("Testing", "resamples", length, after=_SHORT) as done:
        tables = [risk_table(each, view) for each in answer(track, replace(request, jobs=inputs.jobs), done=done)]
    output.emit(tables)
