"""``biasvar models``: how far query models are from the true one, and the performance of their runs beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.analyses.models.joint_options import JointChoice, joint_options
from biasvar_cli.analyses.models.options import model_files, model_options
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.families import FamilyChoice, families_options
from biasvar_cli.console.options.heading import OUTPUT, STATISTICS, command, option
from biasvar_cli.console.options.inputs import input_files
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import ci_option, resamples_option, seed_option, top_option
from biasvar_cli.console.options.target import target_files
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from biasvar_cli.analyses.models.table import ModelsView
    from biasvar_cli.console.output import Output
    from biasvar_cli.query_models.estimation import Estimation
    from biasvar_cli.query_models.load import Loaded
    from biasvar_cli.query_models.request import ModelRequest
    from biasvar_cli.readers.maps import Member
    from biasvar_cli.scoring.track import Scored
    from biasvar_cli.tables.table import Extra, Table
    from biasvar_cli.target_spec import TargetSpec


@dataclass(frozen=True, kw_only=True)
class Additions:
    """What is to stand beside the estimation; ``scored`` are the runs of the models, None without them."""

    level: float | None
    n_resamples: int
    seed: int
    baseline: str | None
    families: Mapping[str, Member] | str | None
    scored: Scored | None
    target: TargetSpec | None
    in_rows: bool


@command()
@model_options()
@families_options("The correlation within families of models", baseline=False)
@option(
    STATISTICS,
    "--baseline",
    metavar="MODEL",
    shell_complete=completion.model_name,
    help="Name the models with less bias² and less variance than this one, with intervals.",
)
@ci_option("Add confidence intervals of this level, such as 0.95; also the level of --baseline (0.95).")
@resamples_option
@seed_option
@joint_options()
@option(
    OUTPUT,
    "--sort",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Order of the rows; -COLUMN: largest first. Default: total_est; in csv, tsv, parquet and json "
    "by model, unless --top is given.",
)
@top_option
@output_options(sorted(FORMATS), "text")
def models(
    request: ModelRequest,
    families: FamilyChoice | None,
    baseline: str | None,
    level: float | None,
    n_resamples: int | None,
    seed: int,
    joint: JointChoice | None,
    sort: str | None,
    top: int | None,
    output: Output,
) -> None:
    """Estimation bias², variance and total error of query models: how far they are from the true model (IPM'14).

    INPUTS are files of query models, one model a file, or directories of them; - is standard input. A file has lines of
    query, term and weight separated by tabs, or JSON lines, or is what Indri, Anserini, Terrier or PyTerrier write.

    \b
    biasvar models sample_models --true sample_models/true.tsv.gz
    biasvar models sample_models --true sample_models/true.tsv.gz --baseline rm --original orig
    biasvar models sample_models --true sample_models/true.tsv.gz --runs sample_runs -q qrels/npl.qrels.txt
    """
    runs = () if joint is None else (*input_files(joint.request), *target_files([joint.target]))
    require_separate(
        output, *model_files(request), *runs, families.file if families else None, selection=request.selection
    )
    if n_resamples is not None and level is None:
        raise click.UsageError("--resamples needs --ci LEVEL.")
    if families is not None and output.rows_alone:
        raise click.UsageError(f"--families adds a table, for which {output.format} has no place; -f json holds it.")

    from biasvar_cli.analyses.models.table import ModelsView
    from biasvar_cli.query_models.divergence import other_epsilons
    from biasvar_cli.query_models.load import load_models

    view = ModelsView(sort=sort or ("total_est" if output.best_first(top) else "model"), top=top)
    additions = Additions(
        level=level,
        n_resamples=n_resamples or 2000,
        seed=seed,
        baseline=baseline,
        families=families.read() if families is not None else None,
        scored=load(joint.request).scored[0] if joint is not None else None,
        target=joint.target if joint is not None else None,
        in_rows=output.rows_alone,
    )
    beside = () if output.rows_alone else other_epsilons(request.settings)
    others = _no_models(joint, families)
    loaded = load_models(replace(request, beside=beside, other_files=others), progress=_reading)
    output.emit([_table(found, loaded, view, additions) for found in loaded.estimations])


def _no_models(joint: JointChoice | None, families: FamilyChoice | None) -> tuple[str, ...]:
    """The files that other options name, which may lie among the models."""
    of_runs = () if joint is None else (joint.request.qrels, *target_files([joint.target]))
    every = (*of_runs, families.file if families is not None else None)
    return tuple(path for path in every if path is not None)


def _reading(items: Iterable[Any], length: int) -> Iterator[Any]:
    """The items, with a progress bar on stderr where that is a terminal and the work is long."""
    with progress("Reading", "models", length, after=1.0) as done:
        for item in items:
            yield item
            done(1)


def _table(found: Estimation, loaded: Loaded, view: ModelsView, additions: Additions) -> Table:
    from biasvar_cli.analyses.models.table import models_table, shown_models

    extras = list(_extras(found, additions))
    if additions.scored is not None and additions.target is not None:
        from biasvar_cli.analyses.models.joint import joint
        from biasvar_cli.analyses.models.joint_table import joint_extra, joint_rows

        performance = joint(found, additions.scored, additions.target)
        names = shown_models(found, view, extras) if not additions.in_rows else []
        beside = joint_rows(performance, found.models) if additions.in_rows else joint_extra(performance, names)
        extras.append(beside)
    return models_table(found, loaded, view=view, extras=extras)


def _extras(found: Estimation, additions: Additions) -> Iterator[Extra]:
    """What the options ask for beside the estimation, but for the performance of the runs."""
    targeted, certain = found.targeted, list[str]()
    if additions.level is not None:
        from biasvar_cli.analyses.models.table_extras import intervals_extra
        from biasvar_cli.decomposition.intervals import intervals

        n_resamples, seed = additions.n_resamples, additions.seed
        ends = intervals(targeted.scores, targeted.target, level=additions.level, n_resamples=n_resamples, seed=seed)
        yield intervals_extra(ends, found.sum)
    if additions.baseline is not None:
        from biasvar_cli.analyses.models.table_extras import baseline_extra, below_of
        from biasvar_cli.decomposition.baseline import compare

        compared = compare(
            targeted.scores, targeted.target, additions.baseline, level=additions.level or 0.95, noun="model"
        )
        _, certain = below_of(compared)
        yield baseline_extra(compared, found.sum)
    if additions.families is not None:
        from biasvar_cli.analyses.models.table_extras import families_extra
        from biasvar_cli.scoring.families import families_in

        families = families_in(found.decomposition, additions.families, additions.baseline, noun="model")
        yield families_extra(families, additions.baseline, certain, len(found.models))
