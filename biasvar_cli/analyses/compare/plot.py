"""Figures of which runs differ: ``compare``, ``asl``, ``swap``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.analyses.compare.command import (
    correction_option,
    level_option,
    of_option,
    samples_option,
    splits_option,
)
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.console.options.figure import FigureOutput, figure, figure_options, write_figure
from biasvar_cli.console.options.heading import Decorator, group, setting
from biasvar_cli.console.options.inputs import (
    input_files,
    input_options,
    log_and_eps,
    target_option,
)
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.options.shared import seed_option
from biasvar_cli.console.terminal import load
from biasvar_cli.settings import STATISTICS
from biasvar_cli.specs import require_one
from biasvar_cli.stats.significance import FAMILY_TESTS, MEAN_TESTS, PRIMARY, TESTS, Test

if TYPE_CHECKING:
    from collections.abc import Callable

    from biasvar_cli.drawing.style import Spec, Style
    from biasvar_cli.scoring.request import TrackRequest


def _one_test(tests: Sequence[Test], default: Test, words: str, *others: Decorator) -> Decorator:
    """The request of a figure of one test, one of ``tests``, which ``words`` explain; with some ``others``."""
    test = setting(
        CompareRequest, "test", STATISTICS, type=click.Choice(tests), multiple=False, default=default, help=words
    )
    return group(
        "request",
        _with_one_test,
        target_option(several=False),
        log_and_eps,
        of_option,
        test,
        *others,
        level_option,
        samples_option,
        seed_option,
    )


def _with_one_test(test: Test, **typed: Any) -> CompareRequest:
    return CompareRequest(test=(test,), **typed)


@figure("compare")
@input_options(several=False)
@_one_test(
    tuple(TESTS),
    PRIMARY,
    f"Test that decides which runs differ; only {' and '.join(FAMILY_TESTS)} have bars.",
    correction_option,
)
@figure_options()
def draw_compare(**typed: Any) -> None:
    """Runs, best first, with comparison bars; those that no run is significantly better than are shaded."""
    from biasvar_cli.analyses.compare.figures import compare_figure

    _draw_test(compare_figure, **typed)


@figure("asl")
@input_options()
@_one_test(MEAN_TESTS, "t", f"Test of each pair alone; {' and '.join(FAMILY_TESTS[::-1])}: of all pairs together.")
@figure_options()
def draw_asl(**typed: Any) -> None:
    """The p-values of all pairs (ASL) in descending order, a curve for each measure, and 1 - LEVEL."""
    from biasvar_cli.analyses.compare.figures import asl_figure

    _draw_test(asl_figure, **typed)


@figure("swap")
@input_options()
@group(
    "request",
    CompareRequest,
    target_option(several=False),
    log_and_eps,
    of_option,
    splits_option("Random splits of the queries into halves."),
    seed_option,
)
@figure_options()
def draw_swap(**typed: Any) -> None:
    """The share of pairs that change places between halves of the queries, by their difference; a line at 5 %."""
    from biasvar_cli.analyses.compare.figures import swap_figure

    _draw(swap_figure, **typed)


def _draw_test(make: Callable[..., Spec], request: CompareRequest, **typed: Any) -> None:
    """Write the figure of the one test of a request."""
    _draw(make, request=request, test=request.test[0], **typed)


def _draw(
    make: Callable[..., Spec],
    inputs: TrackRequest,
    request: CompareRequest,
    output: FigureOutput,
    style: Style,
    **options: Any,
) -> None:
    """Write the figure of the answers, one for every measure."""
    from biasvar_cli.analyses.compare.answer import answer

    require_one("target", request.target)
    require_separate(output, *input_files(inputs), *request.files, selection=inputs.selection)
    answers = answer(load(inputs), replace(request, jobs=inputs.jobs))
    write_figure(make(answers, style=style, **options), output)
