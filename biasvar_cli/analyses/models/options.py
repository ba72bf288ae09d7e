"""Which query models, against which true one, and how their error is measured."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group, together
from biasvar_cli.console.options.heading import COMMON, INPUT_DETAILS, STATISTICS, option
from biasvar_cli.console.options.inputs import require_one
from biasvar_cli.console.options.ranges import number
from biasvar_cli.console.options.shared import FILE, INPUT, max_size_option, selection_options

if TYPE_CHECKING:
    from biasvar_cli.query_models.divergence import Divergence, Setting
    from biasvar_cli.query_models.request import ModelRequest

_DIVERGENCES = ("kl-fwd", "kl-rev", "jeffreys", "js")  # as query_models has them; the help needs no numpy


def model_options(*, several: bool = True) -> Decorator:
    """INPUTS and what they are compared with, as ``request``; without ``several`` there is one divergence."""
    settings = (_divergence_option(several), _epsilon_option(several), *([_SUM] if several else []))
    return group("request", partial(_request, several=several), _FILES, *settings, _QUERIES)


def model_files(request: ModelRequest) -> tuple[str | None, ...]:
    """Every file that a request names."""
    return (*request.inputs, request.true, request.background, request.excluded)


_FILES = together(
    click.argument("inputs", nargs=-1, required=True, type=INPUT, metavar="INPUTS..."),
    option(COMMON, "--true", required=True, type=FILE, metavar="FILE", help="The true model."),
    option(
        COMMON,
        "--background",
        type=FILE,
        help="Counts of terms in the collection for smoothing, term<TAB>count. Default: all terms of a query alike.",
    ),
    selection_options,
    max_size_option,
)
_SUM = option(
    STATISTICS,
    "--sum",
    type=click.Choice(["squared", "plain"]),
    default="squared",
    show_default=True,
    help="total_est: bias² + variance, or bias + variance.",
)
_QUERIES = together(
    option(
        STATISTICS,
        "--original",
        metavar="MODEL",
        shell_complete=completion.model_name,
        help="The original query's model: where another equals it, the query had no feedback.",
    ),
    option(STATISTICS, "--exclude-no-feedback", is_flag=True, help="Leave out the queries without feedback."),
    option(INPUT_DETAILS, "--exclude-queries", "excluded", type=FILE, help="Queries to leave out: ids, one a line."),
)


def _divergence_option(several: bool) -> Decorator:
    return option(
        COMMON,
        "--divergence",
        "divergences",
        type=click.Choice(_DIVERGENCES),
        metavar="NAME",
        multiple=True,
        help=f"Error of a model on a query: kl-fwd, KL(true || model); kl-rev, KL(model || true); jeffreys, their sum; "
        f"js, Jensen-Shannon.{' Repeatable.' * several} Default: kl-fwd with --background, else js.",
    )


def _epsilon_option(several: bool) -> Decorator:
    return option(
        STATISTICS,
        "--epsilon",
        "epsilons",
        type=number("epsilon"),
        multiple=True,
        metavar="X",
        help=f"The background's share in smoothing; js has none.{' Repeatable.' * several} Default: 0.1.",
    )


def _request(
    *, divergences: tuple[Divergence, ...], epsilons: tuple[float, ...], several: bool, **typed: Any
) -> ModelRequest:
    from biasvar_cli.query_models.request import ModelRequest

    if not several:
        require_one("--divergence", divergences)
        require_one("--epsilon", epsilons)
    asked = divergences or (("kl-fwd",) if typed["background"] is not None else ("js",))
    if set(asked) == {"js"}:
        unused = "--background" if typed["background"] is not None else "--epsilon" if epsilons else None
        if unused is not None:
            raise click.UsageError(f"{unused} is for smoothing, which js does without; add --divergence kl-fwd.")
    if typed["exclude_no_feedback"] and typed["original"] is None:
        raise click.UsageError("--exclude-no-feedback needs --original MODEL, which such queries fall back to.")
    return ModelRequest(settings=tuple(_settings(asked, epsilons)), **typed)


def _settings(divergences: tuple[Divergence, ...], epsilons: tuple[float, ...]) -> list[Setting]:
    """Every divergence with every epsilon, each once, in the order asked."""
    from biasvar_cli.query_models.divergence import USUAL_EPSILON, Setting

    found = [
        Setting(divergence, epsilon)
        for divergence in divergences
        for epsilon in ((None,) if divergence == "js" else epsilons or (USUAL_EPSILON,))
    ]
    return list(dict.fromkeys(found))
