"""``biasvar risk``: who loses against a baseline, and how badly; and its figures ``risk`` and ``losses``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.risk import TABLES, RiskRequest
from biasvar_cli.console import completion
from biasvar_cli.console.commands import analysis_command, emit, figure_command
from biasvar_cli.console.options import Number, option
from biasvar_cli.console.output import Output, Rows
from biasvar_cli.errors import UsageError
from biasvar_cli.settings import OUTPUT, STATISTICS, Completion
from biasvar_cli.stats.significance import USUAL_RESAMPLES

if TYPE_CHECKING:
    from biasvar_cli.scoring import TrackRequest


def _table(_: click.Context, __: click.Parameter, text: str) -> str:
    if (text not in ("runs", "queries") and not text.removeprefix("run:") != text) or text == "run:":
        raise click.BadParameter(f"{text!r} is not runs, queries or run:NAME")
    return text


@analysis_command(
    RiskRequest,
    TABLES,
    option(
        OUTPUT,
        "--table",
        brief="A row per run, per query, or per query of a run.",
        default="runs",
        show_default=True,
        metavar="runs|queries|run:NAME",
        callback=_table,
        shell_complete=completion.of(Completion(("runs", "queries"), runs=True)),
        help="A row per run, a row per query, or the queries of one run.",
    ),
    order="-u_risk_A of the first A above 0; queries with most or largest losses first",
    by="run, or as in the qrels",
)
def risk(inputs: TrackRequest, request: RiskRequest, table: str, rows: Rows, output: Output) -> None:
    """Which runs are safe or risky against a baseline: wins, losses, RI, U-, T-, Z-risk and GeoRisk.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar risk sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar risk sample_runs -q qrels/npl.qrels.txt -m ERR@20 --alpha 0,5 -f csv -o risk.csv
    biasvar risk sample_runs -q qrels/npl.qrels.txt --baseline run:orig --table queries
    """
    added = {"--ci": request.ci, "--with-decomposition": request.with_decomposition or None, "--r-loss": request.r_loss}
    for name, value in added.items():
        if table != "runs" and value is not None:
            raise UsageError(f"{name} adds columns to --table runs; --table {table} has none of them")
    if request.r_loss is not None and inputs.qrels is None:
        raise UsageError("needs runs and their qrels (-q)", option="r_loss")
    if request.auxiliary:
        inputs = replace(inputs, auxiliary=request.auxiliary, needs_runs="--r-loss")

    from biasvar_cli.analyses.risk.inference import N_TESTS

    n_samples = (N_TESTS + len(request.alpha)) * USUAL_RESAMPLES + (0 if request.ci is None else request.n_resamples)
    emit(
        "risk",
        inputs,
        request,
        rows,
        output,
        samples=lambda n_measures, _: n_measures * len(request.specs) * n_samples,
        table=table,
    )


draw_risk = figure_command(
    "risk",
    "risk",
    RiskRequest,
    ("baseline",),
    "U_risk of the leading runs over alpha, the weight of losses, with marks where the best run changes.",
    option(
        STATISTICS,
        "--alpha",
        type=Number("highest_alpha", whole=False),
        default=10.0,
        show_default=True,
        metavar="A",
        help="The largest weight: losses count 1 to 1 + A times.",
    ),
)
draw_losses = figure_command(
    "risk",
    "losses",
    RiskRequest,
    ("baseline",),
    "A run's difference from the baseline on every query, the largest gain first.",
    option(
        STATISTICS,
        "--run",
        brief="The run to show.",
        metavar="RUN",
        shell_complete=completion.run_name,
        help="The run to show. Default: the best by mean, other than the baseline.",
    ),
)
