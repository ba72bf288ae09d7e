"""Which query models, against which true one, and how their error is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options.group import Decorator, group
from biasvar_cli.commands.options.shared import FILE, INPUT, max_size_option

if TYPE_CHECKING:
    from biasvar_cli.query_models.divergence import Divergence, Setting
    from biasvar_cli.query_models.load import ModelRequest

_DIVERGENCES = ("kl-fwd", "kl-rev", "jeffreys", "js")  # as query_models has them; the help needs no numpy


def model_options() -> Decorator:
    """INPUTS and what they are compared with, as ``request``."""
    return group(
        "request",
        _request,
        click.argument("inputs", nargs=-1, required=True, type=INPUT, metavar="INPUTS..."),
        click.option("--true", required=True, type=FILE, metavar="MODEL", help="The file of the true model."),
        click.option(
            "--background",
            type=FILE,
            help="Counts of terms in the collection, term<TAB>count, for smoothing. Default: a query's terms alike.",
        ),
        click.option(
            "--divergence",
            "divergences",
            type=click.Choice(_DIVERGENCES),
            multiple=True,
            help="The error of a model on a query: KL(true || model), KL(model || true), their sum, or Jensen-Shannon. "
            "Repeatable. Default: kl-fwd with --background, else js.",
        ),
        click.option(
            "--epsilon",
            "epsilons",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            multiple=True,
            metavar="X",
            help="The background's share in smoothing both models, not for js. Repeatable. Default: 0.1.",
        ),
        click.option(
            "--sum",
            "sum_",
            type=click.Choice(["squared", "plain"]),
            default="squared",
            show_default=True,
            help="total_est: bias² + variance, or bias + variance.",
        ),
        click.option(
            "--original",
            metavar="MODEL",
            help="The model of the original query: queries on which another model equals it had no feedback.",
        ),
        click.option("--exclude-no-feedback", is_flag=True, help="Leave the queries without feedback out."),
        click.option("--exclude-queries", "excluded", type=FILE, help="A file of query ids to leave out, one a line."),
        click.option("--glob", metavar="PATTERN", help="Which files of directories to read, such as '*.tsv'."),
        max_size_option,
    )


def model_files(request: ModelRequest) -> tuple[str | None, ...]:
    """Every file that a request names."""
    return (*request.inputs, request.true, request.background, request.excluded)


def _request(
    *, divergences: tuple[Divergence, ...], epsilons: tuple[float, ...], sum_: Any, **typed: Any
) -> ModelRequest:
    from biasvar_cli.query_models.load import ModelRequest

    asked = divergences or (("kl-fwd",) if typed["background"] is not None else ("js",))
    if set(asked) == {"js"}:
        unused = "--background" if typed["background"] is not None else "--epsilon" if epsilons else None
        if unused is not None:
            raise click.UsageError(f"{unused} is for smoothing, which js does without; add --divergence kl-fwd.")
    return ModelRequest(settings=tuple(_settings(asked, epsilons)), sum=sum_, **typed)


def _settings(divergences: tuple[Divergence, ...], epsilons: tuple[float, ...]) -> list[Setting]:
    """Every divergence with every epsilon, each once, in the order asked."""
    from biasvar_cli.query_models.divergence import USUAL_EPSILON, Setting

    found = [
        Setting(divergence, epsilon)
        for divergence in divergences
        for epsilon in ((None,) if divergence == "js" else epsilons or (USUAL_EPSILON,))
    ]
    return list(dict.fromkeys(found))
