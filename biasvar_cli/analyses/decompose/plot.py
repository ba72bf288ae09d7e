"""Figures of the runs: ``plane``, ``total``, ``ranked``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.console.options.figure import figure, figure_options, write_figure
from biasvar_cli.console.options.heading import group, together
from biasvar_cli.console.options.inputs import input_files, input_options, log_and_eps, target_option
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.shared import FamilyChoice, families_options, form_option
from biasvar_cli.console.output import Destination
from biasvar_cli.console.terminal import load
from biasvar_cli.errors import full_name
from biasvar_cli.specs import require_one

if TYPE_CHECKING:
    from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.words import Form

_request_options = together(
    input_options(several=False),
    group("request", DecomposeRequest, target_option(several=False), log_and_eps),
    form_option,
)
_scatter_options = together(
    _request_options, families_options("Colour families and join their members in order"), figure_options()
)


@figure("plane")
@_scatter_options
def draw_plane(**typed: Any) -> None:
    """bias² against variance, with lines of equal total and the Pareto front (SIGIR'13, Figure 1)."""
    _draw_scatter("var", **typed)


@figure("total")
@_scatter_options
def draw_total(**typed: Any) -> None:
    """bias² against bias² + variance (SIGIR'13, Figure 2)."""
    _draw_scatter("total", **typed)


def _draw_scatter(
    against: Literal["var", "total"],
    inputs: TrackRequest,
    request: DecomposeRequest,
    form: Form,
    families: FamilyChoice | None,
    output: Destination,
    style: Style,
) -> None:
    """bias² against the variance or the total of a form, the families among the runs in colours."""
    from biasvar_cli.drawing.plane import plane_figure
    from biasvar_cli.scoring.families import families_in

    file, baseline = (families.file, families.baseline) if families is not None else (None, None)
    named = families.read() if families is not None else ""
    answer, remarks = _answer(inputs, request, output, file)
    if baseline is not None:
        baseline = full_name(f"--baseline {baseline}", baseline, answer.result.runs)
    members = families_in(answer.result, named, baseline) if families is not None else []
    spec = plane_figure(answer.result, members, baseline, against=against, form=form, remarks=remarks, style=style)
    write_figure(spec, output)


@figure("ranked")
@_request_options
@figure_options()
def draw_ranked(inputs: TrackRequest, request: DecomposeRequest, form: Form, output: Destination, style: Style) -> None:
    """Runs in ascending order of bias², with bias², variance and their sum (CIKM'14, Figure 1)."""
    from biasvar_cli.analyses.decompose.figures import ranked_figure

    answer, remarks = _answer(inputs, request, output)
    write_figure(ranked_figure(answer, form=form, remarks=remarks, style=style), output)


def _answer(
    inputs: TrackRequest, request: DecomposeRequest, output: Destination, *files: str | None
) -> tuple[DecomposeAnswer, list[str]]:
    """The answer on one measure and one target, and what the caption says of its scores; ``files`` are read too."""
    from biasvar_cli.analyses.decompose.answer import answer
    from biasvar_cli.drawing.chart import remarks
    from biasvar_cli.scoring.targets import log_transform

    require_one("target", request.target)
    require_separate(output, *input_files(inputs), *request.files, *files, selection=inputs.selection)
    (found,) = answer(load(inputs), request)
    return found, remarks(found.scored, log_transform(request))
