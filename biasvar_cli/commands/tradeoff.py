"""``biasvar tradeoff``: how bias² and variance go together over the runs of a track."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options import (
    design_of,
    files_options,
    null_of,
    null_options,
    request_of,
    sampling_options,
    scoring_options,
    target_options,
    targets_of,
)
from biasvar_cli.commands.output import output_of, output_options
from biasvar_cli.commands.terminal import load
from biasvar_cli.tables.render import FORMATS, ROUNDED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biasvar_cli.analyses.null import NullRequest
    from biasvar_cli.analyses.tradeoff import Design, Sampling
    from biasvar_cli.decomposition.target import Aim
    from biasvar_cli.readers.maps import Member
    from biasvar_cli.tables.table import Table

_NORMALISED = "-normalised"
_DETAILS = ("single", "random", "random-exact", "difficulty", "groups")


@click.command(short_help="Correlation of bias² and variance under query samples.")
@files_options
@scoring_options
@target_options
@sampling_options
@null_options
@click.option(
    "--detail",
    type=click.Choice([*_DETAILS, *(f"{kind}{_NORMALISED}" for kind in ("single", "difficulty", "groups"))]),
    help="Show bias², variance and total of every run under this sampling instead.",
)
@click.option("--sort", metavar="COLUMN", help="Order of the rows of --detail. Default: bias2; run in csv, tsv, json.")
@click.option(
    "--families",
    metavar="FILE|PATTERN",
    help="Show the correlation within families instead: a csv of run,family,parameter, or a regular expression for "
    "names of runs whose first group is the family and whose second is the parameter, as in '(comb|nrr)-(.*)'.",
)
@click.option("--reference", metavar="RUN", help="With --families: which members are below this run in both.")
@output_options(sorted(FORMATS), "text")
def tradeoff(detail: str | None, sort: str | None, families: str | None, reference: str | None, **options: Any) -> None:
    """Correlation of bias² and variance over the runs: Pearson, Spearman and Kendall, in both forms.

    The samples of CIKM'14: single queries, random subsets, subsets by difficulty, and these divided by the target.
    --detail and --families show what is behind the correlations.

    \b
    biasvar tradeoff sample_runs -q qrels/simulated.qrels.txt
    biasvar tradeoff runs -q qrels.txt -m AP -m nDCG@20 --subset-size 5,10,25 -f csv -o tradeoff.csv
    biasvar tradeoff sample_runs -q qrels/simulated.qrels.txt --families '(comb|nrr)-(.*)' --reference rm
    """
    request, output = request_of(options), output_of(options)
    targets, transform = targets_of(options)
    if detail is not None and families is not None:
        raise click.UsageError("--detail and --families show different tables; ask for one of them.")
    if options["null"] and (detail is not None or families is not None):
        raise click.UsageError("--null has no place in --detail and --families.")
    if reference is not None and families is None:
        raise click.UsageError("--reference needs --families.")
    if sort is not None and detail is None:
        raise click.UsageError("--sort needs --detail.")
    if detail is not None and detail.startswith("groups") and options["groups"] is None:
        raise click.UsageError(f"--detail {detail} needs --groups.")
    design = design_of(options)
    null = null_of(options, format=output.format, seed=design.seed, jobs=request.jobs)

    from biasvar_cli.scoring.targets import aim

    members = _members(families)
    track = load(request)
    aims = [aim(scored, spec, transform) for scored in track.scored for spec in targets]
    if detail is not None:
        order = sort or ("bias2" if output.format in ROUNDED else "run")
        output.emit([table for aimed in aims for table in _details(aimed, design, detail, order)])
    elif families is not None:
        output.emit([_families(aimed, members, families, reference) for aimed in aims])
    else:
        output.emit([_correlations(aimed, design, null, output.format == "json") for aimed in aims])


def _correlations(aim: Aim, design: Design, request: NullRequest | None, nested: bool) -> Table:
    from biasvar_cli.analyses.null import null_models
    from biasvar_cli.analyses.tradeoff import tradeoff_rows
    from biasvar_cli.tables.tradeoff import tradeoff_table

    rows = tradeoff_rows(aim, design)
    null = null_models(aim, rows, design, request) if request is not None else None
    return tradeoff_table(rows, aim, design, null, nested=nested)


def _details(aim: Aim, design: Design, detail: str, sort: str) -> list[Table]:
    from biasvar_cli.analyses.tradeoff import generalised_under
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.errors import DataError
    from biasvar_cli.tables.tradeoff import detail_table

    single = decompose(aim.scores, aim.target)
    wanted: list[Sampling] = [
        sampling
        for sampling in design.samplings(aim.scores.n_queries)
        if sampling.kind + _NORMALISED * sampling.normalised == detail
    ]
    if not wanted:
        raise DataError(
            f"--detail {detail}: {aim.scores.n_queries} queries are too few for subsets of 10; choose --subset-size"
        )
    return [detail_table(generalised_under(each, design, aim), single, each, aim, design, sort) for each in wanted]


def _members(families: str | None) -> Mapping[str, Member] | None:
    """The families that a file holds; None for a pattern, which needs the runs."""
    from biasvar_cli.readers.maps import read_families

    return read_families(families) if families is not None and Path(families).is_file() else None


def _families(aim: Aim, members: Mapping[str, Member] | None, pattern: str, reference: str | None) -> Table:
    from biasvar_cli.analyses.families import by_pattern, families
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.tables.tradeoff import families_table

    result = decompose(aim.scores, aim.target)
    members = by_pattern(pattern, result.runs) if members is None else members
    return families_table(families(result, members, reference), reference, aim)
