"""``biasvar plot``: the papers' figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click
from click.core import ParameterSource

from biasvar_cli.commands.options import (
    design_of,
    files_options,
    names_in,
    null_of,
    null_options,
    request_of,
    sampling_options,
    scoring_options,
    subset_options,
    target_options,
    targets_of,
)
from biasvar_cli.commands.output import StrictError, require_folder, write_whole
from biasvar_cli.commands.terminal import available_cores, load, session, told
from biasvar_cli.plots.export import FORMATS, format_of
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biasvar_cli.analyses.contribution import Difficulty
    from biasvar_cli.analyses.families import Family
    from biasvar_cli.decomposition.decompose import Decomposition
    from biasvar_cli.decomposition.target import Aim
    from biasvar_cli.plots.spec import Spec
    from biasvar_cli.plots.style import Style
    from biasvar_cli.readers.maps import Member

_LOOKS = {"figure", "inputs", "jobs", "file", "width", "theme", "title", "strict", "quiet"}
_SCORES = names_in(files_options) | names_in(scoring_options) | names_in(target_options)
_DESIGN = names_in(subset_options) | names_in(null_options) | {"coefficient"}


class _Figure(NamedTuple):
    """One figure: what draws it, and the options that mean something to it beside those of its looks."""

    draw: Callable[[dict[str, Any], Style], Spec]
    takes: frozenset[str]


def _plane(options: dict[str, Any], style: Style) -> Spec:
    return _scatter(options, style, "var")


def _total(options: dict[str, Any], style: Style) -> Spec:
    return _scatter(options, style, "total")


def _scatter(options: dict[str, Any], style: Style, against: Literal["var", "total"]) -> Spec:
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.plots.plane import plane_figure

    form, pattern, reference = (options.pop(name) for name in ("form", "families", "reference"))
    members = _members(pattern, reference)
    aimed, remarks = _aim(options)
    result = decompose(aimed.scores, aimed.target)
    found = _families(result, members, pattern, reference) if pattern is not None else []
    return plane_figure(result, found, reference, against=against, form=form, remarks=remarks, style=style)


def _ranked(options: dict[str, Any], style: Style) -> Spec:
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.plots.ranked import ranked_figure

    form, (aimed, remarks) = options.pop("form"), _aim(options)
    return ranked_figure(decompose(aimed.scores, aimed.target), form=form, remarks=remarks, style=style)


def _tradeoff(options: dict[str, Any], style: Style) -> Spec:
    from biasvar_cli.analyses.null import null_models
    from biasvar_cli.analyses.tradeoff import tradeoff_rows
    from biasvar_cli.plots.tradeoff import Observed, tradeoff_figure
    from biasvar_cli.plots.words import remarks
    from biasvar_cli.scoring.targets import aim

    form, coefficient = options.pop("form"), options.pop("coefficient")
    request, design = request_of(options), design_of(options)
    targets, transform = targets_of(options)
    null = null_of(options, seed=design.seed, jobs=request.jobs, exchangeable=False)
    track = load(request)
    found = []
    for aimed in (aim(scored, spec, transform) for scored in track.scored for spec in targets):
        rows = [row for row in tradeoff_rows(aimed, design) if row.form == form or row.sampling.normalised]
        models = null_models(aimed, rows, design, null) if null is not None else None
        found.append(Observed(aimed, rows, models))
    said = list(dict.fromkeys(remark for scored in track.scored for remark in remarks(scored, transform)))
    return tradeoff_figure(found, design, coefficient=coefficient, form=form, remarks=said, style=style)


def _trend(options: dict[str, Any], style: Style) -> Spec:
    """The figure of a whole shelf; unlike the table, there is none where a track is broken."""
    from biasvar_cli.plots.trend import trend_figure
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.tracks.compute import compute_whole
    from biasvar_cli.tracks.trends import trends

    inputs, coefficient = options.pop("inputs"), options.pop("coefficient")
    if len(inputs) != 1 or not Path(inputs[0]).is_file():
        raise click.UsageError("plot trend takes one MANIFEST.toml, as biasvar tracks does.")
    design, jobs = design_of(options), options.pop("jobs") or available_cores()
    if len(design.subset_sizes) > 1:
        raise click.UsageError("plot trend takes one --subset-size.")
    null = null_of(options, seed=design.seed, jobs=jobs, exchangeable=False)
    whole = compute_whole(read_manifest(inputs[0]).tracks, design, null=null, jobs=jobs)
    n_samples = null.n_samples if null is not None else None
    return trend_figure(whole, trends(whole), design, n_samples, coefficient=coefficient, style=style)


def _target(options: dict[str, Any], style: Style) -> Spec:
    from biasvar_cli.analyses.contribution import contributions
    from biasvar_cli.plots.target import target_figure

    key, (aimed, remarks) = options.pop("difficulty"), _aim(options)
    return target_figure(contributions(aimed.pool, aimed.target), _hardness(aimed, key), remarks=remarks, style=style)


def _queries(options: dict[str, Any], style: Style) -> Spec:
    from biasvar_cli.decomposition.decompose import decompose
    from biasvar_cli.plots.queries import queries_figure

    key, (aimed, remarks) = options.pop("difficulty"), _aim(options)
    result = decompose(aimed.scores, aimed.target)
    return queries_figure(aimed, result, _hardness(aimed, key), remarks=remarks, style=style)


def _rarefaction(options: dict[str, Any], style: Style) -> Spec:
    from biasvar_cli.plots.rarefaction import rarefaction_figure

    aimed, remarks = _aim(options)
    return rarefaction_figure(aimed, remarks=remarks, style=style)


FIGURES = {
    "plane": _Figure(_plane, _SCORES | {"form", "families", "reference"}),
    "total": _Figure(_total, _SCORES | {"form", "families", "reference"}),
    "ranked": _Figure(_ranked, _SCORES | {"form"}),
    "tradeoff": _Figure(_tradeoff, _SCORES | _DESIGN | {"form", "groups"}),
    "trend": _Figure(_trend, _DESIGN),
    "target": _Figure(_target, _SCORES | {"difficulty"}),
    "queries": _Figure(_queries, _SCORES | {"difficulty"}),
    "rarefaction": _Figure(_rarefaction, _SCORES),
}


@click.command(short_help="The papers' figures, as PDF, SVG, PNG or Vega-Lite.")
@click.argument("figure", type=click.Choice(list(FIGURES)), metavar="FIGURE")
@files_options
@scoring_options
@target_options
@click.option(
    "--form",
    type=click.Choice(["score", "gap"]),
    default="score",
    show_default=True,
    help="Variance of the score, or of the gap target - score. Of plane, total, ranked, tradeoff.",
)
@click.option(
    "--families",
    metavar="FILE|PATTERN",
    help="Colour families and join their members in order: a csv of run,family,parameter, or a regular expression for "
    "names of runs, as in '(comb|nrr)-(.*)'. Of plane, total.",
)
@click.option("--reference", metavar="RUN", help="With --families: which members are below this run in both.")
@sampling_options
@null_options
@click.option(
    "--correlation",
    "coefficient",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="Of tradeoff, trend.",
)
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help=f"Write to FILE, whole or not at all; its suffix is the format: {', '.join(f'.{name}' for name in FORMATS)}.",
)
@click.option(
    "--width",
    default="one",
    show_default=True,
    metavar="one|two|Ncm",
    help="One column (8.5 cm) or two (17.8 cm) of a paper, or centimetres; type keeps its size.",
)
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True, help="Colours.")
@click.option("--title/--no-title", default=True, show_default=True, help="Title and caption in the figure itself.")
@click.option("--strict", is_flag=True, help="Make warnings errors: exit 1, nothing written.")
@click.option("--quiet", is_flag=True, help="No progress and no warnings on stderr.")
def plot(
    figure: str,
    file: str,
    width: str,
    theme: str,
    title: bool,
    strict: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """The papers' figures, for a publication: PDF, SVG, PNG, or a Vega-Lite specification (.json).

    \b
    plane        bias² against variance, lines of equal total, the Pareto front (SIGIR'13, Figure 1)
    total        bias² against bias² + variance (SIGIR'13, Figure 2)
    ranked       runs in order of bias², with bias², variance and their sum (CIKM'14, Figure 1)
    tradeoff     correlations of bias² and variance beside their reference, by sampling and measure
    trend        correlations over years; INPUTS is one MANIFEST.toml, as for tracks
    target       the target's score of each query, its supplier, the spread of the runs
    queries      heat map of runs and queries: the gap to the target
    rarefaction  the target's mean against the number of runs pooled

    Otherwise INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard
    input. Needs the extra plot: pip install 'biasvar-cli[plot]'; .json does without.

    \b
    biasvar plot plane sample_runs -q qrels/simulated.qrels.txt --families '(comb|nrr)-(.*)' -o plane.pdf
    biasvar plot ranked runs -q qrels.txt -m nDCG@10 --width two -o ranked.pdf
    biasvar plot trend shelf.toml -o trend.svg
    """
    session().quiet = quiet
    found = FIGURES[figure]
    _require_used(figure, found.takes | _LOOKS)
    if figure != "tradeoff" and figure != "trend" and max(len(options["measures"]), len(options["targets"])) > 1:
        raise click.UsageError(f"plot {figure} is of one measure and one target; ask for one of them.")
    format_name = format_of(file)
    require_folder(file)

    from biasvar_cli.plots.style import Style, width_of

    spec = found.draw(options, Style(width=width_of(width), theme=theme, titled=title))
    data = FORMATS[format_name](spec)
    if strict and told():
        raise StrictError(f"{counted(len(told()), 'warning')}, and --strict allows none; nothing was written")
    write_whole(file, data)


def _require_used(figure: str, takes: frozenset[str]) -> None:
    """Refuse what was typed and means nothing to the figure, rather than leave it out in silence."""
    context = click.get_current_context()
    for parameter in context.command.params:
        typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if typed and parameter.name not in takes:
            raise click.UsageError(f"{parameter.opts[-1]} means nothing to plot {figure}.")


def _aim(options: dict[str, Any]) -> tuple[Aim, list[str]]:
    """The scores and the one target that the options ask for, and what the caption has to say of them."""
    from biasvar_cli.plots.words import remarks
    from biasvar_cli.scoring.targets import aim

    request = request_of(options)
    (spec,), transform = targets_of(options)
    (scored,) = load(request).scored
    return aim(scored, spec, transform), remarks(scored, transform)


def _hardness(aimed: Aim, key: Any) -> Difficulty:
    from biasvar_cli.analyses.contribution import difficulty

    return difficulty(aimed.pool, key=key)


def _members(families: str | None, reference: str | None) -> Mapping[str, Member] | None:
    """The families that a file holds; None for a pattern, which needs the runs."""
    from biasvar_cli.readers.maps import read_families

    if reference is not None and families is None:
        raise click.UsageError("--reference needs --families.")
    return read_families(families) if families is not None and Path(families).is_file() else None


def _families(
    result: Decomposition, members: Mapping[str, Member] | None, pattern: str, reference: str | None
) -> list[Family]:
    from biasvar_cli.analyses.families import by_pattern, families

    return families(result, by_pattern(pattern, result.runs) if members is None else members, reference)
