"""``biasvar judges``: what other judgments of the same runs change; and its figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.judges import TABLES, CalibratedRequest, JudgesRequest
from biasvar_cli.console.commands import FigureOutput, figure, figure_options, table_option, write_figure
from biasvar_cli.console.options import command, request_options
from biasvar_cli.console.output import Destination, Output, Rows, output_options, require_separate
from biasvar_cli.console.shared_options import drawn_option, judged_input_options, row_options
from biasvar_cli.console.terminal import load_judged, progress
from biasvar_cli.specs.machine import files_and_measure, is_file
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.words import examples, shell_word

if TYPE_CHECKING:
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring import TrackRequest
    from biasvar_cli.scoring.judged_tracks import Judges

_WITHOUT = ("log", "eps")
_TABLE = (
    "A row per judge, per run under each judge, per query under each, per component of variance, of one judge too, or "
    "per judge with its agreement in grades and rankings as TREC reports it (kappa, alpha, tau_AP). "
    "JSON has judges and runs. Default: judges, with --calibrate runs."
)


@command()
@judged_input_options(scores=True)
@request_options(JudgesRequest, without=_WITHOUT)
@table_option(TABLES, _TABLE, "A row per judge, run or query.", first=False)
@row_options(TABLES, "judges as they are given, under each what differs most first", "name under each judge")
@output_options(sorted(FORMATS), "text", TABLES)
def judges(
    inputs: TrackRequest, qrels: tuple[str, ...], request: JudgesRequest, table: str | None, rows: Rows, output: Output
) -> None:
    """What other judgments of the same runs change: rankings, significant differences, favoured runs.

    INPUTS are TREC runs, or directories of them, with -q for each judge: the first one is the reference. Without -q
    each of INPUTS is a judge, with its scores of the same runs: people and a language model, two pools, original and
    reproduced scores. -m REFERENCE=JUDGE, or FILE:MEASURE for one of INPUTS, names a measure that judges call otherwise
    than the reference. Of files RUN.JUDGE those of one ending are a judge. Queries are those that all judges have.

    \b
    biasvar judges sample_runs -q qrels/npl.qrels.txt -q qrels/npl-half.qrels.txt -m nDCG@10
    biasvar judges sample_runs -q all=qrels/npl.qrels.txt -q half=qrels/npl-half.qrels.txt --table runs -o runs.csv
    biasvar judges sample_runs -q qrels/npl-few.qrels.txt -q qrels/npl-half.qrels.txt --calibrate
    """
    from biasvar_cli.analyses.judges.answer import answer
    from biasvar_cli.analyses.judges.table import VIEW, tables

    view = output.view(rows, VIEW, table=table or ("runs" if request.calibrate else "judges"))
    alone = view.table == "components"
    loaded = loaded_judges(inputs, qrels, request, output, alone=alone)
    with_verdicts = not output.for_people or "verdict" in (*output.columns, (rows.sort or "").removeprefix("-"))
    n_tests = (2 * len(loaded.judges) - 1) * len(loaded.judges[0].track.scored)
    with progress("tested", n_tests * request.samples):
        with_jobs = replace(request, jobs=inputs.jobs)
        made = tables(answer(loaded, with_jobs, alone=alone, with_verdicts=with_verdicts), view)
    output.emit(made)


def loaded_judges(
    inputs: TrackRequest, qrels: tuple[str, ...], request: JudgesRequest, output: Destination, *, alone: bool = False
) -> Judges:
    """The judges, after the checks of what was typed."""
    from biasvar_cli.scoring.judge_scores import endings_in
    from biasvar_cli.scoring.judged_tracks import named_judges
    from biasvar_cli.scoring.scorer import in_folder_of

    named = named_judges(qrels, inputs.selection)
    if not alone and (len(named) == 1 or (not qrels and len(inputs.inputs) == 1)):
        beside = in_folder_of(qrels[0], inputs.inputs) if qrels else []
        what = "a judge is compared with the first one: give -q for each, or a score file for each"
        judges = [] if qrels else endings_in(inputs.inputs[0], inputs.selection)
        if judges:
            typed = " ".join(shell_word(f"{inputs.inputs[0].rstrip('/')}/*.{judge}") for judge in judges)
            raise click.UsageError(f"{what}. Here are files RUN.JUDGE; give those of the reference first: {typed}")
        first = f"; a pattern behind -q gives it the first file alone, and INPUTS are {examples(beside)}"
        raise click.UsageError(f"{what}{first if beside else ''}")
    listed = request.replicates if request.replicates and is_file(request.replicates) else None
    paths = [path for text in inputs.inputs for path in files_and_measure(text)[0]]
    if qrels and (other := [text for text in inputs.inputs if text not in paths]):
        raise click.UsageError(f"{other[0]}: patterns and measures stand for scores of judges, and -q is for runs")
    require_separate(output, replace(inputs, inputs=tuple(paths)), *named.values(), listed, *request.files)
    if qrels:
        inputs = replace(inputs, needs_runs="-q")
    return load_judged(inputs, named)


@figure("judges")
@judged_input_options(several=False, scores=True)
@request_options(JudgesRequest, without=(*_WITHOUT, "target", "calibrate", "of", "baseline", "half_width"))
@figure_options()
def draw_judges(
    inputs: TrackRequest, qrels: tuple[str, ...], request: JudgesRequest, output: FigureOutput, style: Style
) -> None:
    """The parts of each judge's difference from the reference, and the means of the runs under both."""
    from biasvar_cli.analyses.judges.answer import answer
    from biasvar_cli.analyses.judges.figures import judges_figure

    made = answer(
        loaded_judges(inputs, qrels, request, output), replace(request, jobs=inputs.jobs), with_verdicts=False
    )
    write_figure(judges_figure(made, style=style), output)


_FEW = "sample_runs -q qrels/npl-few.qrels.txt -q qrels/npl-half.qrels.txt"


@figure("calibrated", _FEW, details_of="judges")
@judged_input_options(several=False, scores=True)
@request_options(CalibratedRequest, without=(*_WITHOUT, "clusters", "half_width"))
@drawn_option
@figure_options()
def draw_calibrated(
    inputs: TrackRequest,
    qrels: tuple[str, ...],
    request: CalibratedRequest,
    top: int | None,
    output: FigureOutput,
    style: Style,
) -> None:
    """Few queries judged by people, more by a judge alone: intervals of the runs by people alone, and calibrated."""
    from biasvar_cli.analyses.judges.answer import answer
    from biasvar_cli.analyses.judges.calibrated_figure import calibrated_figure

    made = answer(
        loaded_judges(inputs, qrels, request, output), replace(request, jobs=inputs.jobs), with_verdicts=False
    )
    write_figure(calibrated_figure(made, top=top, style=style), output)
