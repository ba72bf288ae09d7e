"""``biasvar summary``: the table of a paper, and its figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from biasvar_cli.analyses.summary import DIGITS, PERCENT_DIGITS, TABLES, SummaryRequest
from biasvar_cli.console.commands import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options import command, group, option, option_of
from biasvar_cli.console.output import Destination, Output, Rows, output_options, require_separate
from biasvar_cli.console.shared_options import drawn_option, input_options, load_manifest, manifest_among, row_options
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.settings import OUTPUT
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.analyses.summary.answer import NamedTrack
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring import TrackRequest

_STATISTICS = (
    *("clusters", "log", "eps", "test", "correction", "level"),
    *("infer", "paired_replicates", "half_width", "samples", "seed"),
)


@command()
@input_options()
@group(
    "request",
    SummaryRequest,
    *(option_of(SummaryRequest, name) for name in ("baseline", "errors", "counts")),
    option_of(SummaryRequest, "target", of_command=False),
    *(option_of(SummaryRequest, name) for name in (*_STATISTICS, "marks")),
)
@option(
    OUTPUT,
    "--percent",
    is_flag=True,
    help=f"Show all numbers times 100, with {PERCENT_DIGITS} decimal unless --digits is given; for people alone.",
)
@row_options(TABLES, "the baseline, then the best by the first measure")
@output_options(sorted(FORMATS), "text", TABLES, digits=DIGITS)
def summary(inputs: TrackRequest, request: SummaryRequest, percent: bool, rows: Rows, output: Output) -> None:
    """The table of a paper: a row a run, a column a measure, marks for significant differences, the best in bold.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input. Or
    one MANIFEST.toml (see biasvar tracks), whose tracks have columns of their own. Marks are by the step-down
    bootstrap, as in biasvar compare, which holds its level for all runs of a measure together; --test names another
    test.

    \b
    biasvar summary sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10
    biasvar summary sample_runs -q qrels/npl.qrels.txt -m AP -m P@10 --baseline orig --names orig=Query -o table.tex
    biasvar summary docs/tracks.toml --percent
    """
    typed = click.get_current_context().get_parameter_source
    with_target = typed("target") is ParameterSource.COMMANDLINE
    if with_target and not request.errors and output.format != "json":
        raise click.UsageError("--target needs --errors, whose columns are measured against it")
    if percent and typed("digits") is not ParameterSource.COMMANDLINE:
        output = replace(output, digits=PERCENT_DIGITS)

    from biasvar_cli.analyses.summary.answer import answer
    from biasvar_cli.analyses.summary.table import SummaryView, summary_table

    view = output.view(rows, SummaryView, percent=percent)
    request = replace(request, jobs=inputs.jobs)
    tracks = _named_tracks(inputs, request, output, with_target=with_target)
    length = sum(len(named.track.scored) for named in tracks) * request.samples
    with_p = not output.for_people or any(
        name.endswith(("_p", "_rank_low", "_rank_high")) for name in (*output.columns, rows.sort or "")
    )
    with progress("tested", length):
        table = summary_table(answer(tracks, request, with_p=with_p), view)
    output.emit([table])


@figure("summary")
@input_options()
@group(
    "request",
    SummaryRequest,
    *(option_of(SummaryRequest, name) for name in ("baseline", *_STATISTICS) if name != "half_width"),
)
@drawn_option
@figure_options()
def draw_summary(
    inputs: TrackRequest, request: SummaryRequest, top: int | None, output: FigureOutput, style: Style
) -> None:
    """The mean of the best runs under each measure, with comparison bars and the marks of the table."""
    from biasvar_cli.analyses.summary.answer import answer
    from biasvar_cli.analyses.summary.figures import summary_figure

    request = replace(request, jobs=inputs.jobs)
    result = answer(_named_tracks(inputs, request, output), request)
    write_figure(summary_figure([result], top=top, style=style), output)


def _named_tracks(
    inputs: TrackRequest, request: SummaryRequest, output: Destination, *, with_target: bool = False
) -> list[NamedTrack]:
    """The tracks of a manifest, or the one that INPUTS are; ``with_target``, a target typed counts for all tracks."""
    from biasvar_cli.analyses.summary.answer import NamedTrack

    (spec,) = request.targets
    manifest = manifest_among(inputs)
    if manifest is None:
        require_separate(output, inputs, *request.files)
        return [NamedTrack(None, load(inputs), spec)]
    return [
        NamedTrack(entry.name, track, spec if with_target else entry.target)
        for entry, track in load_manifest(manifest, inputs, output, *request.files)
    ]
