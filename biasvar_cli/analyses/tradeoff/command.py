"""``biasvar tradeoff``: how bias² and variance go together over the runs of a track; and its figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.tradeoff import DETAILS, TABLES, TradeoffRequest
from biasvar_cli.console.commands import analysis_command, emit, figure_command
from biasvar_cli.console.options import option_of
from biasvar_cli.console.shared_options import NullChoice, correlation_option, form_option, null_options
from biasvar_cli.decomposition import Design
from biasvar_cli.settings import settings_of

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest


@analysis_command(
    TradeoffRequest,
    TABLES,
    null_options(),
    option_of(TradeoffRequest, "detail", type=click.Choice(DETAILS)),
    option_of(TradeoffRequest, "families"),
    option_of(TradeoffRequest, "baseline"),
    order="(a) to (d), with --detail bias2",
    by="sampling, with --detail run",
    without=("detail", "families", "baseline"),
)
def tradeoff(
    inputs: TrackRequest,
    request: TradeoffRequest,
    null: NullChoice,
    detail: str | None,
    families: str | None,
    baseline: str | None,
    rows: Rows,
    output: Output,
) -> None:
    """Effectiveness against stability: the correlation of bias² and variance over the runs.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    The variance is over the samples of CIKM'14: (a) single queries, (b) random subsets of them, (c) subsets by
    difficulty, and (d) these divided by the target. Null models show which correlation the means of the runs alone
    give. --detail shows the runs behind a correlation, --families the correlation within families of runs.

    \b
    biasvar tradeoff sample_runs -q qrels/npl.qrels.txt
    biasvar tradeoff sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@20 --subset-size 5,10 -f csv -o tradeoff.csv
    biasvar tradeoff sample_runs -q qrels/npl.qrels.txt --families '(comb|nrr)-(.*)' --baseline rm
    """
    if detail is not None:
        null.refuse("--detail", "leave --detail out")
    shuffled = output.format == "json" or (output.notes == "full" and output.for_people and families is None)
    unasked = not output.rows_alone
    ranks = output.format == "json"  # of all formats it alone has their ranges
    models = null.request(seed=request.design.seed, jobs=inputs.jobs, unasked=unasked, shuffled=shuffled, ranks=ranks)
    request = replace(request, null=models, detail=detail, families=families, baseline=baseline)
    emit("tradeoff", inputs, request, rows, output)


_design = (option_of(Design, field.name) for _, field in settings_of(Design))
draw_tradeoff = figure_command(
    "tradeoff",
    "tradeoff",
    TradeoffRequest,
    (option_of(TradeoffRequest, "target"), "log", "eps", form_option, *_design, "groups"),
    "Correlations of bias² and variance beside their null models, by sampling, measure and target.",
    null_options(by_format=False),
    correlation_option(several=False),
    several=True,
    arguments=lambda request: {"form": request.form},
)
