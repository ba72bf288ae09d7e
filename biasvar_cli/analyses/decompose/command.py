"""``biasvar decompose``: the main job; and its figures ``plane``, ``total`` and ``ranked``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from biasvar_cli.analyses.decompose import TABLES, DecomposeRequest, DecomposeText
from biasvar_cli.console.commands import analysis_command, emit, figure_command
from biasvar_cli.console.options import option_of
from biasvar_cli.console.shared_options import NullChoice, drawn_option, families_options, form_option, null_options

if TYPE_CHECKING:
    from biasvar_cli.console.output import Output, Rows
    from biasvar_cli.scoring import TrackRequest


@analysis_command(
    DecomposeRequest,
    TABLES,
    null_options(),
    option_of(DecomposeText, "form"),
    order="total",
)
def decompose(
    inputs: TrackRequest,
    request: DecomposeRequest,
    null: NullChoice,
    form: Literal["score", "gap", "both"],
    rows: Rows,
    output: Output,
) -> None:
    """Bias², variance and total error of every run, with their correlation over the runs.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.

    \b
    biasvar decompose sample_runs -q qrels/npl.qrels.txt
    biasvar decompose sample_runs -q qrels/npl.qrels.txt -m nDCG@20 -m AP -f csv -o table.csv
    biasvar decompose sample_runs -q qrels/npl.qrels.txt --target perfect --sort -mean --top 5
    """
    if output.rows_alone and not request.stability:
        null.refuse(f"a row a run in {output.format}", "-f json holds them")
    models = null.request(
        seed=request.seed,
        jobs=inputs.jobs,
        unasked=not output.rows_alone,
        shuffled=output.format == "json",
        ranks=output.format == "json",
        stability=request.stability,
    )
    emit("decompose", inputs, replace(request, null=models), rows, output, form=form)


_TARGETED = ("target", "log", "eps")
_families_options = families_options("Colour families and join those with a numeric parameter")
draw_plane = figure_command(
    "decompose",
    "plane",
    DecomposeRequest,
    _TARGETED,
    "bias² against variance, with lines of equal total and the Pareto front (SIGIR'13, Figure 1).",
    form_option,
    _families_options,
)
draw_total = figure_command(
    "decompose",
    "total",
    DecomposeRequest,
    _TARGETED,
    "bias² against bias² + variance (SIGIR'13, Figure 2).",
    form_option,
    _families_options,
)
draw_ranked = figure_command(
    "decompose",
    "ranked",
    DecomposeRequest,
    _TARGETED,
    "Runs in ascending order of bias², with bias², variance and their sum (CIKM'14, Figure 1).",
    form_option,
    drawn_option,
)
