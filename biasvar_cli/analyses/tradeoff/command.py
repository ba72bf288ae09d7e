"""``biasvar tradeoff``: how bias² and variance go together over the runs of a track."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.tradeoff.columns import TABLES
from biasvar_cli.analyses.tradeoff.request import DETAILS, TradeoffRequest
from biasvar_cli.console.analysis import emit
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import command, group, option_of
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.sampling import NullChoice, null_options, sampling_options, with_groups
from biasvar_cli.console.options.shared import (
    FamilyChoice,
    correlation_option,
    families_options,
    form_option,
    groups_option,
    row_options,
)
from biasvar_cli.console.output import Output, Rows
from biasvar_cli.console.terminal import load
from biasvar_cli.specs import TargetedRequest
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.words import Coefficient, Form


@command()
@input_options()
@group("targets", TargetedRequest, target_option(), log_and_eps)
@sampling_options()
@groups_option
@null_options()
@option_of(TradeoffRequest, "detail", type=click.Choice(DETAILS))
@families_options("Show the correlation within families instead")
@row_options(TABLES, "(a) to (d), with --detail bias2", by="sampling, with --detail run")
@output_options(sorted(FORMATS), "text", TABLES)
def tradeoff(
    inputs: TrackRequest,
    targets: TargetedRequest,
    design: Design,
    groups: str | None,
    null: NullChoice,
    detail: str | None,
    families: FamilyChoice | None,
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
    file = families.file if families is not None else None
    require_separate(output, *input_files(inputs), *targets.files, groups, file, selection=inputs.selection)
    if detail is not None:
        null.refuse("--detail", "leave --detail out")
    shuffled = output.format == "json" or (output.notes == "full" and output.for_people and families is None)
    request = TradeoffRequest(
        **vars(targets),
        design=with_groups(design, groups),
        null=null.request(seed=design.seed, jobs=inputs.jobs, unasked=not output.rows_alone, shuffled=shuffled),
        detail=detail,
        families=families.read() if families is not None else None,
        baseline=families.baseline if families is not None else None,
    )
    emit("tradeoff", inputs, request, rows, output)


@figure("tradeoff")
@input_options()
@group("targets", TargetedRequest, target_option(), log_and_eps)
@form_option
@sampling_options()
@groups_option
@null_options(by_format=False)
@correlation_option(several=False)
@figure_options()
def draw_tradeoff(
    inputs: TrackRequest,
    targets: TargetedRequest,
    form: Form,
    design: Design,
    groups: str | None,
    null: NullChoice,
    coefficient: Coefficient,
    output: FigureOutput,
    style: Style,
) -> None:
    """Correlations of bias² and variance beside their null models, by sampling, measure and target."""
    from biasvar_cli.analyses.tradeoff.answer import answer
    from biasvar_cli.analyses.tradeoff.figures import tradeoff_figure

    require_separate(output, *input_files(inputs), *targets.files, groups, selection=inputs.selection)
    request = TradeoffRequest(
        **vars(targets),
        design=with_groups(design, groups),
        null=null.request(seed=design.seed, jobs=inputs.jobs, shuffled=False),
        form=form,
    )
    answers = answer(load(inputs), request)
    write_figure(tradeoff_figure(answers, form=form, correlation=coefficient, style=style), output)
