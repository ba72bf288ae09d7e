"""``biasvar tradeoff``: how bias² and variance go together over the runs of a track."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.tradeoff.columns import TABLES
from biasvar_cli.analyses.tradeoff.request import DETAILS, NORMALISED, TradeoffRequest
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import OUTPUT, command, group, option, setting
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import output_options, require_separate
from biasvar_cli.console.options.sampling import NullChoice, null_options, sampling_options, with_groups
from biasvar_cli.console.options.shared import FamilyChoice, families_options, groups_option
from biasvar_cli.console.output import Output
from biasvar_cli.console.terminal import load
from biasvar_cli.errors import UsageError
from biasvar_cli.specs import TargetedRequest
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.words import SAMPLING_KINDS

if TYPE_CHECKING:
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.scoring.request import TrackRequest


def _sort_column(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """A column of the runs that ``--detail`` shows; none without it, since nothing else is sorted."""
    if context.params.get("detail") is None:
        return []
    return completion.column_of({"detail": TABLES["detail"]})(context, parameter, incomplete)


@command()
@input_options()
@group("targets", TargetedRequest, target_option(), log_and_eps)
@sampling_options()
@groups_option
@null_options()
@setting(
    TradeoffRequest,
    "detail",
    OUTPUT,
    type=click.Choice(DETAILS),
    metavar="SAMPLING",
    help="Show bias², variance and total of every run under one sampling instead: "
    f"{', '.join(SAMPLING_KINDS)}, or NAME{NORMALISED}.",
)
@option(
    OUTPUT,
    "--sort",
    metavar="COLUMN",
    shell_complete=_sort_column,
    help="Order of --detail. Default: bias2; run in csv, tsv, parquet and json.",
)
@families_options("Show the correlation within families instead")
@output_options(sorted(FORMATS), "text", TABLES)
def tradeoff(
    inputs: TrackRequest,
    targets: TargetedRequest,
    design: Design,
    groups: str | None,
    null: NullChoice,
    detail: str | None,
    sort: str | None,
    families: FamilyChoice | None,
    output: Output,
) -> None:
    """Correlation of bias² and variance over the runs: Pearson, Spearman and Kendall, in both forms.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    The samples of CIKM'14: single queries, random subsets, subsets by difficulty, and these divided by the target.
    --detail and --families show what is behind the correlations.

    \b
    biasvar tradeoff sample_runs -q qrels/npl.qrels.txt
    biasvar tradeoff sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@20 --subset-size 5,10 -f csv -o tradeoff.csv
    biasvar tradeoff sample_runs -q qrels/npl.qrels.txt --families '(comb|nrr)-(.*)' --baseline rm
    """
    file = families.file if families is not None else None
    require_separate(output, *input_files(inputs), *targets.files, groups, file, selection=inputs.selection)
    if detail is not None:
        null.refuse("--detail", "leave --detail out")
    elif sort is not None:
        raise UsageError("needs detail, the runs under one sampling", option="sort", others=("detail",))
    shuffled = output.format == "json" or (output.for_people and families is None)
    request = TradeoffRequest(
        **vars(targets),
        design=with_groups(design, groups),
        null=null.request(seed=design.seed, jobs=inputs.jobs, unasked=not output.rows_alone, shuffled=shuffled),
        detail=detail,
        families=families.read() if families is not None else None,
        baseline=families.baseline if families is not None else None,
    )

    from biasvar_cli.analyses.tradeoff.answer import answer
    from biasvar_cli.analyses.tradeoff.table import tradeoff_tables

    nested, order = output.format == "json", sort or ("bias2" if output.for_people else "run")
    answers = answer(load(inputs), request)
    output.emit([table for one in answers for table in tradeoff_tables(one, nested=nested, sort=order)])
