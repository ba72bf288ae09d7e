"""How samples of queries are taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import QUERY_SAMPLES, option
from biasvar_cli.console.options.shared import COUNT, SAMPLES, difficulty_option, seed_option

if TYPE_CHECKING:
    from biasvar_cli.decomposition.tradeoff import Design


def sampling_options(*, several: bool = True) -> Decorator:
    """How query samples are taken, as ``design``; without ``several`` there is one size of subsets."""
    size = (
        option(
            QUERY_SAMPLES,
            "--subset-size",
            "subset_sizes",
            metavar="K[,K...]",
            callback=_sizes,
            help="Queries in a subset; one or more sizes. Default: 10, if there are more queries.",
        )
        if several
        else subset_size_option("Queries in a subset. Default: 10, if there are more queries.")
    )
    return group("design", _design, size, *_SAMPLING)


def subset_size_option(what: str, default: int | None = None) -> Decorator:
    """``--subset-size``, a single one, as ``subset_size``."""
    return option(
        QUERY_SAMPLES,
        "--subset-size",
        type=COUNT,
        metavar="K",
        default=default,
        show_default=default is not None,
        help=what,
    )


def with_groups(design: Design, path: str | None) -> Design:
    """A design with the samples of ``--groups``, which are read here."""
    from biasvar_cli.readers.maps import read_groups

    return design if path is None else replace(design, groups=read_groups(path), groups_path=path)


_SAMPLING = (
    option(
        QUERY_SAMPLES,
        "--repeats",
        type=SAMPLES,
        default=10,
        show_default=True,
        metavar="N",
        help="Random partitions of the queries to average over.",
    ),
    seed_option,
    difficulty_option,
    option(
        QUERY_SAMPLES,
        "--remainder",
        type=click.Choice(["last", "balanced", "merge"]),
        default="last",
        show_default=True,
        help="Queries left over: a smaller last subset, subsets of nearly one size, or added to the last one.",
    ),
    option(
        QUERY_SAMPLES,
        "--subset-weights",
        type=click.Choice(["size", "equal"]),
        default="size",
        show_default=True,
        help="Weigh subsets by their size, or equally.",
    ),
    option(
        QUERY_SAMPLES,
        "--normalise",
        "normalisation",
        type=click.Choice(["ratio", "maxmin"]),
        default="ratio",
        show_default=True,
        help="Normalised form: score / target; maxmin takes the lowest mean from both first.",
    ),
    option(
        QUERY_SAMPLES,
        "--zero-target",
        type=click.Choice(["drop", "one", "error"]),
        default="drop",
        show_default=True,
        help="Normalised form, where the target is 0: drop the subset, count it as 1, or stop.",
    ),
)


def _design(*, subset_size: int | None = None, subset_sizes: tuple[int, ...] = (), **typed: Any) -> Design:
    from biasvar_cli.decomposition.tradeoff import Design

    return Design(subset_sizes=subset_sizes if subset_size is None else (subset_size,), **typed)


def _sizes(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, ...]:
    sizes = [] if text is None else text.split(",")
    if not all(size.strip().isdecimal() for size in sizes):
        raise click.BadParameter(f"{text!r} is not K or K,K, such as 5,10,25.")
    return tuple(int(COUNT(size, option, context)) for size in sizes)
