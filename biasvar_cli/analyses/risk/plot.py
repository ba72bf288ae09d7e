"""Figures of risk: ``risk``, ``losses``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.risk.options import baseline_files, one_baseline_options
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.figure import figure, figure_options, write_figure
from biasvar_cli.console.options.heading import STATISTICS, option
from biasvar_cli.console.options.inputs import request_files, request_options
from biasvar_cli.console.options.ranges import number
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.terminal import load
from biasvar_cli.errors import absent_run

if TYPE_CHECKING:
    from biasvar_cli.baseline_spec import BaselineSpec
    from biasvar_cli.console.output import Destination
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scoring.baselines import Baseline
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.scoring.track import Scored


@figure("risk")
@request_options(several=False)
@one_baseline_options()
@option(
    STATISTICS,
    "--alpha",
    "highest",
    type=number("highest_alpha"),
    default=10.0,
    show_default=True,
    metavar="A",
    help="The largest weight: losses count 1 to 1 + A times.",
)
@figure_options()
def draw_risk(request: TrackRequest, baseline: BaselineSpec, highest: float, output: Destination, style: Style) -> None:
    """U_risk of the leading runs over alpha, the weight of losses, with marks where the best run changes."""
    from biasvar_cli.analyses.risk.figures import risk_figure
    from biasvar_cli.analyses.risk.losses import risk
    from biasvar_cli.drawing.captions import remarks

    scored, against = _load(request, baseline, output)
    found = risk(scored.scores, against.scores, [0.0])
    spec = risk_figure(found, scored.scores, against, highest, remarks=remarks(scored, None), style=style)
    write_figure(spec, output)


@figure("losses")
@request_options(several=False)
@one_baseline_options()
@option(
    STATISTICS,
    "--run",
    metavar="RUN",
    shell_complete=completion.run_name,
    help="The run to show. Default: the best by mean, other than the baseline.",
)
@figure_options()
def draw_losses(
    request: TrackRequest, baseline: BaselineSpec, run: str | None, output: Destination, style: Style
) -> None:
    """A run's difference from the baseline on every query, the largest gain first."""
    from biasvar_cli.analyses.risk.figures import losses_figure
    from biasvar_cli.analyses.risk.losses import risk
    from biasvar_cli.drawing.captions import remarks
    from biasvar_cli.drawing.quantities import require_runs

    scored, against = _load(request, baseline, output)
    scores = scored.scores
    require_runs(scores.runs)
    if run is not None and run not in scores.runs:
        raise absent_run(f"--run {run}", run, scores.runs)
    found = risk(scores, against.scores, [1.0])
    own = run or max((name for name in scores.runs if name != against.run), key=lambda name: scores.row(name).mean())
    write_figure(losses_figure(scores, own, against, found, remarks=remarks(scored, None), style=style), output)


def _load(request: TrackRequest, baseline: BaselineSpec, output: Destination) -> tuple[Scored, Baseline]:
    from biasvar_cli.scoring.baselines import make_baseline

    require_separate(output, *request_files(request), *baseline_files([baseline]), selection=request.selection)
    (scored,) = load(request).scored
    return scored, make_baseline(baseline, scored)
