"""Figures of which runs differ: ``compare``, ``asl``, ``swap``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasvar_cli.analyses.compare.options import of_option, one_test_options, splits_option
from biasvar_cli.console.options.figure import figure, figure_options, load_targeted, targeted_options, write_figure
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import seed_option
from biasvar_cli.console.options.target import log_options, one_target_options, target_files
from biasvar_cli.console.terminal import load

if TYPE_CHECKING:
    from biasvar_cli.analyses.compare.options import OneTest
    from biasvar_cli.analyses.compare.pairs import Of
    from biasvar_cli.arrays import FloatArray
    from biasvar_cli.console.output import Destination
    from biasvar_cli.drawing.style import Style
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.target_spec import TargetSpec


@figure("compare")
@targeted_options()
@of_option
@one_test_options(["tukey", "stepdown"], "stepdown", "Test of all pairs together.")
@figure_options()
def draw_compare(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    of: Of,
    chosen: OneTest,
    output: Destination,
    style: Style,
) -> None:
    """Runs, best first, with comparison bars; those that no run is significantly better than are shaded."""
    from biasvar_cli.analyses.compare.figures import compare_figure
    from biasvar_cli.analyses.compare.pairs import compare_pairs, losses_of
    from biasvar_cli.analyses.compare.table import about_compared
    from biasvar_cli.drawing.quantities import require_runs

    targeted, remarks = load_targeted(inputs, target, log, output)
    scores = targeted.scores
    require_runs(scores.runs)
    found = compare_pairs(losses_of(scores, targeted.target, of), scores.runs, of, chosen.request(inputs.jobs))
    about = about_compared(scores.measure, targeted.target, of, scores.n_runs, scores.n_queries)
    write_figure(compare_figure(found, scores.measure, about, remarks=remarks, style=style), output)


@figure("asl")
@input_options()
@one_target_options()
@log_options()
@of_option
@one_test_options(
    ["t", "bootstrap", "randomisation", "stepdown", "tukey"],
    "t",
    "Test of each pair alone; stepdown and tukey: of all pairs together.",
)
@figure_options()
def draw_asl(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    of: Of,
    chosen: OneTest,
    output: Destination,
    style: Style,
) -> None:
    """The p-values of all pairs (ASL) in descending order, a curve for each measure, and 1 - LEVEL."""
    from biasvar_cli.analyses.compare.figures import asl_figure
    from biasvar_cli.analyses.compare.pairs import compare_pairs

    held, about, remarks = _series(inputs, target, log, of, output)
    asked = chosen.request(inputs.jobs)
    found = {name: compare_pairs(values, runs, of, asked) for name, (values, runs) in held.items()}
    write_figure(asl_figure(found, about, remarks=remarks, style=style), output)


@figure("swap")
@input_options()
@one_target_options()
@log_options()
@of_option
@splits_option("Random halves of the queries.")
@seed_option
@figure_options()
def draw_swap(
    inputs: TrackRequest,
    target: TargetSpec,
    log: LogTransform | None,
    of: Of,
    n_splits: int,
    seed: int,
    output: Destination,
    style: Style,
) -> None:
    """The share of pairs that change places between halves of the queries, by their difference; a line at 5 %."""
    from biasvar_cli.analyses.compare.figures import swap_figure
    from biasvar_cli.analyses.compare.swaps import swap_rates

    held, about, remarks = _series(inputs, target, log, of, output)
    found = {name: swap_rates(values, n_splits=n_splits, seed=seed) for name, (values, _) in held.items()}
    runs = next(runs for _, runs in held.values())
    write_figure(swap_figure(found, runs, about, remarks=remarks, style=style), output)


def _series(
    inputs: TrackRequest, target: TargetSpec, log: LogTransform | None, of: Of, output: Destination
) -> tuple[dict[str, tuple[FloatArray, tuple[str, ...]]], str, list[str]]:
    """What is compared on every query by measure, with the runs; what it is, in words; and what captions add."""
    from biasvar_cli.analyses.compare.pairs import losses_of
    from biasvar_cli.analyses.compare.table import about_compared
    from biasvar_cli.drawing.captions import remarks
    from biasvar_cli.drawing.quantities import require_runs
    from biasvar_cli.scoring.targets import targeted_scores
    from biasvar_cli.tables.table import measure_words

    require_separate(output, *input_files(inputs), *target_files([target]), selection=inputs.selection)
    track = load(inputs)
    require_runs(track.scored[0].scores.runs)
    all_targeted = [targeted_scores(scored, target, log) for scored in track.scored]
    values = {
        measure_words(each.scores.measure): (losses_of(each.scores, each.target, of), each.scores.runs)
        for each in all_targeted
    }
    first = all_targeted[0]
    measure = first.scores.measure if len(all_targeted) == 1 else ", ".join(values)
    about = about_compared(measure, first.target, of, first.scores.n_runs, first.scores.n_queries)
    return values, about, list(dict.fromkeys(said for scored in track.scored for said in remarks(scored, log)))
