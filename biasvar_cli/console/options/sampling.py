"""How samples of queries are taken."""

from __future__ import annotations

from dataclasses import replace

import click

from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import QUERY_SAMPLES, option
from biasvar_cli.console.options.ranges import setting
from biasvar_cli.console.options.shared import COUNT, difficulty_option, seed_option
from biasvar_cli.decomposition.design import Design


def sampling_options(*, several: bool = True) -> Decorator:
    """How query samples are taken, as ``design``; without ``several`` there is one size of subsets."""
    size = setting(
        Design,
        "subset_size",
        QUERY_SAMPLES,
        type=str if several else COUNT,
        multiple=False,
        metavar="K[,K...]" if several else "K",
        callback=_sizes if several else lambda _, __, size: () if size is None else (size,),
        help=f"Queries in a subset{'; one or more sizes' if several else ''}. Default: 10, if there are more queries.",
    )
    return group("design", Design, size, *_SAMPLING)


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
    setting(Design, "repeats", QUERY_SAMPLES, metavar="N", help="Random partitions of the queries to average over."),
    seed_option,
    difficulty_option,
    setting(
        Design,
        "remainder",
        QUERY_SAMPLES,
        help="Queries left over: a smaller last subset, subsets of nearly one size, or added to the last one.",
    ),
    setting(Design, "subset_weights", QUERY_SAMPLES, help="Weigh subsets by their size, or equally."),
    setting(
        Design,
        "normalise",
        QUERY_SAMPLES,
        help="Normalised form: score / target; maxmin takes the lowest mean from both first.",
    ),
    setting(
        Design,
        "zero_target",
        QUERY_SAMPLES,
        help="Normalised form, where the target is 0: drop the subset, count it as 1, or stop.",
    ),
)


def _sizes(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, ...]:
    sizes = [] if text is None else text.split(",")
    if not all(size.strip().isdecimal() for size in sizes):
        raise click.BadParameter(f"{text!r} is not K or K,K, such as 5,10,25.")
    return tuple(int(COUNT(size, option, context)) for size in sizes)
