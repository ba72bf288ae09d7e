"""``biasvar tradeoff``: how bias² and variance go together over the runs of a track."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.families import families_options
from biasvar_cli.console.options.heading import OUTPUT, command, option
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.null import null_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.sampling import sampling_options, with_groups
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import groups_option
from biasvar_cli.console.options.target import log_options, target_files, target_options
from biasvar_cli.console.terminal import load
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.words import SAMPLING_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biasvar_cli.console.options.families import FamilyChoice
    from biasvar_cli.console.options.null import NullChoice
    from biasvar_cli.console.output import Output
    from biasvar_cli.decomposition.design import Design, Sampling
    from biasvar_cli.decomposition.target import TargetedScores
    from biasvar_cli.nulls.request import NullRequest
    from biasvar_cli.readers.maps import Member
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.tables.table import Table
    from biasvar_cli.target_spec import TargetSpec

_NORMALISED = "-normalised"


@command()
@input_options()
@target_options()
@log_options()
@sampling_options()
@groups_option
@null_options()
@option(
    OUTPUT,
    "--detail",
    type=click.Choice([*SAMPLING_KINDS, *(f"{kind}{_NORMALISED}" for kind in ("single", "difficulty", "groups"))]),
    metavar="SAMPLING",
    help="Show bias², variance and total of every run under one sampling instead: "
    f"{', '.join(SAMPLING_KINDS)}, or NAME{_NORMALISED}.",
)
@option(
    OUTPUT,
    "--sort",
    metavar="COLUMN",
    shell_complete=completion.detail_column,
    help="Order of --detail. Default: bias2; run in csv, tsv, parquet and json.",
)
@families_options("Show the correlation within families instead")
@output_options(sorted(FORMATS), "text")
def tradeoff(
    inputs: TrackRequest,
    targets: tuple[TargetSpec, ...],
    log: LogTransform | None,
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
    require_separate(output, *input_files(inputs), *target_files(targets), groups, file, selection=inputs.selection)
    _require_one_table(detail, sort, families, groups, null)
    if families is not None and (groups is not None or design.subset_size):
        given = "--groups" if groups is not None else "--subset-size"
        raise click.UsageError(f"{given} has no place beside --families, which is of single queries.")
    design = with_groups(design, groups)

    from biasvar_cli.scoring.targets import targeted_scores

    named = families.read() if families is not None else ""
    track = load(inputs)
    all_targeted = [targeted_scores(scored, spec, log) for scored in track.scored for spec in targets]
    shuffled = output.format == "json" or (output.for_people and families is None)
    models = null.request(seed=design.seed, jobs=inputs.jobs, unasked=not output.rows_alone, shuffled=shuffled)
    if detail is not None:
        order = sort or ("bias2" if output.for_people else "run")
        output.emit([table for targeted in all_targeted for table in _details(targeted, design, detail, order)])
    elif families is not None:
        baseline = families.baseline
        output.emit(
            [_families(targeted, named, baseline, models, output.format == "json") for targeted in all_targeted]
        )
    else:
        output.emit([_correlations(targeted, design, models, output.format == "json") for targeted in all_targeted])


def _require_one_table(
    detail: str | None, sort: str | None, families: FamilyChoice | None, groups: str | None, null: NullChoice
) -> None:
    """Refuse options of two tables at once. Raises `click.UsageError`."""
    if detail is not None and families is not None:
        raise click.UsageError("--detail and --families show different tables; ask for one of them.")
    if detail is not None:
        null.refuse("--detail", "leave --detail out")
    if sort is not None and detail is None:
        raise click.UsageError("--sort needs --detail.")
    if detail is not None and detail.startswith("groups") and groups is None:
        raise click.UsageError(f"--detail {detail} needs --groups.")


def _correlations(targeted: TargetedScores, design: Design, request: NullRequest | None, nested: bool) -> Table:
    from biasvar_cli.analyses.tradeoff.table import tradeoff_table
    from biasvar_cli.decomposition.tradeoff import tradeoff_rows
    from biasvar_cli.nulls.models import null_models

    rows = tradeoff_rows(targeted, design)
    null = null_models(targeted, rows, design, request) if request is not None else None
    return tradeoff_table(rows, targeted, design, null, nested=nested)


def _details(targeted: TargetedScores, design: Design, detail: str, sort: str) -> list[Table]:
    from biasvar_cli.analyses.tradeoff.table import detail_table
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.decomposition.tradeoff import generalised_under
    from biasvar_cli.errors import DataError

    single = decompose(targeted.scores, targeted.target)
    wanted: list[Sampling] = [
        sampling
        for sampling in design.samplings(targeted.scores.n_queries)
        if sampling.kind + _NORMALISED * sampling.normalised == detail
    ]
    if not wanted:
        raise DataError(
            f"--detail {detail}: {targeted.scores.n_queries} queries are too few for subsets of 10; "
            "choose --subset-size"
        )
    return [
        detail_table(generalised_under(each, design, targeted), single, each, targeted, design, sort) for each in wanted
    ]


def _families(
    targeted: TargetedScores,
    named: Mapping[str, Member] | str,
    baseline: str | None,
    request: NullRequest | None,
    nested: bool,
) -> Table:
    from biasvar_cli.analyses.tradeoff.table import families_table
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.decomposition.design import Design
    from biasvar_cli.nulls.models import null_models
    from biasvar_cli.scoring.families import families_in, null_rows

    found = families_in(decompose(targeted.scores, targeted.target), named, baseline)
    null = null_models(targeted, null_rows(found), Design(), request) if request is not None else None
    return families_table(found, baseline, targeted, null, nested=nested)
