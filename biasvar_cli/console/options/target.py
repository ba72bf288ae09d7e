"""What runs are measured against, and whether on the logarithms of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group, together
from biasvar_cli.console.options.heading import COMMON, STATISTICS, option
from biasvar_cli.console.options.inputs import require_one
from biasvar_cli.console.options.ranges import number, setting
from biasvar_cli.specs import TargetedRequest, TargetSpec, parse_target
from biasvar_cli.words import LogForm

if TYPE_CHECKING:
    from biasvar_cli.scores import LogTransform


def target_option(*, several: bool = True, mean: bool = True) -> Decorator:
    """``--target`` of a `TargetedRequest`; without ``mean`` each target has a score of each query."""
    last = "run:NAME, mean:X or file:PATH." if mean else "run:NAME or file:PATH."
    return setting(
        TargetedRequest,
        "target",
        COMMON,
        metavar="TARGET",
        shell_complete=completion.target,
        help="Measure runs against: best (score of each query), best:Q (quantile), perfect, ideal, "
        f"{last}{' Repeatable.' if several else ''}",
    )


log_and_eps = together(  # of a `TargetedRequest`
    setting(
        TargetedRequest, "log", STATISTICS, help="Analyse ln max(score, eps) or ln(score + eps): GMAP instead of MAP."
    ),
    setting(TargetedRequest, "eps", STATISTICS, metavar="X", help="The eps of --log. Default: 1e-05."),
)


def target_options() -> Decorator:
    """The targets to decompose against, each once, as ``targets``."""
    return group("targets", _parsed, _target_option("run:NAME, mean:X or file:PATH. Repeatable."))


def one_target_options(*, mean: bool = True) -> Decorator:
    """The one target that a command looks at, as ``target``; without ``mean`` the help does not offer a mean alone."""
    kinds = "run:NAME, mean:X or file:PATH." if mean else "run:NAME or file:PATH."
    return group("target", _one_parsed, _target_option(kinds))


def target_files(targets: Sequence[TargetSpec]) -> tuple[str, ...]:
    """The files that targets are read from."""
    return tuple(str(spec.name) for spec in targets if spec.kind == "file")


def log_options() -> Decorator:
    """Whether and how scores are analysed as their logarithms, as ``log``."""
    return group(
        "log",
        _log,
        option(
            STATISTICS,
            "--log",
            type=click.Choice(["floor", "add"]),
            help="Analyse ln max(score, eps) or ln(score + eps): GMAP instead of MAP.",
        ),
        option(STATISTICS, "--eps", type=number("eps"), metavar="X", help="The eps of --log. Default: 1e-05."),
    )


def _target_option(kinds: str) -> Decorator:
    return option(
        COMMON,
        "--target",
        "targets",
        multiple=True,
        default=("best",),
        show_default=True,
        metavar="TARGET",
        shell_complete=completion.target,
        help=f"Measure runs against: best (score of each query), best:Q (quantile), perfect, ideal, {kinds}",
    )


def _parsed(targets: Sequence[str]) -> tuple[TargetSpec, ...]:
    return tuple(parse_target(text) for text in dict.fromkeys(targets))


def _one_parsed(targets: Sequence[str]) -> TargetSpec:
    require_one("--target", targets)
    (spec,) = _parsed(targets)
    return spec


def _log(log: LogForm | None, eps: float | None) -> LogTransform | None:
    from biasvar_cli.scores import LogTransform

    if eps is not None and log is None:
        raise click.UsageError("--eps needs --log floor or --log add.")
    return LogTransform(log, eps or 1e-5) if log is not None else None
