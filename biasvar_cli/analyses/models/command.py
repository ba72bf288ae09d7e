"""``biasvar models``: how far query models are from the true one, and the performance of their runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.models import TABLES, EstimationRequest
from biasvar_cli.console import completion, shared_options
from biasvar_cli.console.commands import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options import FILE, INPUT, Decorator, command, group, option_of
from biasvar_cli.console.output import Output, Rows, output_options, require_separate
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.query_models import ModelRequest
from biasvar_cli.settings import COMMON
from biasvar_cli.specs.limits import require_one
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.console.shared_options import FamilyChoice
    from biasvar_cli.drawing.style import Style


def _model_options(*, several: bool = True) -> Decorator:
    """INPUTS and the true model, as ``inputs``; without ``several`` there is one divergence."""
    of_models = partial(option_of, ModelRequest, of_command=several)
    return group(
        "inputs",
        ModelRequest,
        shared_options.inputs_argument,
        option_of(
            ModelRequest, "true", heading=COMMON, required=True, type=FILE, metavar="FILE", help="The true model."
        ),
        of_models("background"),
        *map(shared_options.input_option, ("glob", "exclude", "recursive", "max_size")),
        of_models("divergence"),
        of_models("epsilon"),
        *([of_models("sum")] if several else []),
        of_models("original", shell_complete=completion.model_name),
        of_models("exclude_no_feedback"),
        of_models("exclude_queries"),
    )


@command()
@_model_options()
@shared_options.families_options("The correlation within families of models", baseline=False)
@group(
    "request",
    EstimationRequest,
    option_of(EstimationRequest, "baseline", shell_complete=completion.model_name),
    *(option_of(EstimationRequest, name) for name in ("ci", "resamples", "seed")),
    option_of(EstimationRequest, "runs", type=INPUT),
    option_of(EstimationRequest, "qrels"),
    option_of(EstimationRequest, "measure", shell_complete=completion.measure),
    option_of(EstimationRequest, "target"),
    shared_options.input_option("jobs", help="Files of --runs to read at once. Default: one for each core."),
)
@shared_options.row_options(TABLES, "total_est", by="model")
@output_options(sorted(FORMATS), "text", TABLES)
def models(
    inputs: ModelRequest, request: EstimationRequest, families: FamilyChoice | None, rows: Rows, output: Output
) -> None:
    """Estimation bias², variance and total error of query models: how far they are from the true model (IPM'14).

    INPUTS are files of query models, one model per file, or directories of them; - is standard input. A file has lines
    of query, term and weight separated by tabs, or JSON lines, or the output of Indri, Anserini, Terrier or PyTerrier.

    \b
    biasvar models sample_models --true sample_models/true.tsv.gz
    biasvar models sample_models --true sample_models/true.tsv.gz --baseline rm --original orig
    biasvar models sample_models --true sample_models/true.tsv.gz --runs sample_runs -q qrels/npl.qrels.txt
    """
    if request.measure:
        shared_options.require_one_measure(request.measure)
    of_families = () if families is None or families.file is None else (families.file,)
    other_files = (*request.files, *of_families)
    require_separate(output, inputs, *request.runs, *other_files)
    if families is not None and output.rows_alone:
        raise click.UsageError(f"--families adds a table, for which {output.format} has no place; -f json holds it")

    from biasvar_cli.analyses.models import answer, table
    from biasvar_cli.query_models.load import load_models
    from biasvar_cli.tables.rows import View

    view = output.view(rows, View)
    members = None if families is None else families.read()
    runs = None
    if request.runs:
        from biasvar_cli.scoring import TrackRequest

        track = TrackRequest(inputs=request.runs, qrels=request.qrels, measures=request.measure, jobs=request.jobs)
        (runs,) = load(track).scored
    inputs = replace(inputs, compare_epsilons=not output.rows_alone, other_files=other_files)
    with progress("models"):
        loaded = load_models(inputs)
    answers = answer.answer(loaded, request, members=members, runs=runs)
    output.emit([table.models_table(result, view) for result in answers])


@figure("estimation", "sample_models --true sample_models/true.tsv.gz", details_of="models")
@_model_options(several=False)
@shared_options.families_options("Colour families of models and join those with a numeric parameter")
@figure_options()
def draw_estimation(inputs: ModelRequest, families: FamilyChoice | None, output: FigureOutput, style: Style) -> None:
    """Estimation bias² of query models against variance, with lines of equal total and the Pareto front.

    INPUTS, --true, --background and the divergence are as for biasvar models.
    """
    require_one("divergence", inputs.divergence)
    require_one("epsilon", inputs.epsilon)

    from biasvar_cli.analyses.models import answer, figures
    from biasvar_cli.query_models.load import load_models

    file, baseline = (families.file, families.baseline) if families is not None else (None, None)
    require_separate(output, inputs, file)
    members = families.read() if families is not None else None
    models = load_models(replace(inputs, other_files=(file,) if file is not None else ()))
    answers = answer.answer(models, EstimationRequest())
    write_figure(figures.estimation_figure(answers, families=members, baseline=baseline, style=style), output)
