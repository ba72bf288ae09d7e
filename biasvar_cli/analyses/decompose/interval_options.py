"""Confidence intervals, and what is resampled for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import STATISTICS, option
from biasvar_cli.console.options.shared import ci_option, resamples_option, teams_option

if TYPE_CHECKING:
    from biasvar_cli.decomposition.r_intervals import Over
    from biasvar_cli.stats.bootstrap import Method


@dataclass(frozen=True, kw_only=True)
class IntervalChoice:
    """Intervals as typed; ``teams`` is the file of teams."""

    level: float
    n_resamples: int
    method: Method
    over: tuple[Over, ...]
    teams: str | None


def interval_options() -> Decorator:
    """Intervals, as ``intervals``; None where none are asked for."""
    return group(
        "intervals",
        _choice,
        ci_option("Add confidence intervals of this level, such as 0.95."),
        resamples_option,
        option(
            STATISTICS,
            "--ci-method",
            "method",
            type=click.Choice(["auto", "percentile"]),
            help="How they are made: the most reliable way for each column (auto), or percentiles. Default: auto.",
        ),
        option(
            STATISTICS,
            "--over",
            type=click.Choice(["runs", "teams", "both"]),
            multiple=True,
            help="Correlations: draw runs or teams too, alone or with queries (both). Repeatable.",
        ),
        teams_option(", for --over teams and --over both"),
    )


def _choice(
    level: float | None, n_resamples: int | None, method: Method | None, over: tuple[Over, ...], teams: str | None
) -> IntervalChoice | None:
    if level is None:
        if n_resamples or method or over or teams:
            raise click.UsageError("--resamples, --ci-method, --over and --teams need --ci LEVEL.")
        return None
    if "teams" in over and teams is None:
        raise click.UsageError("--over teams needs --teams FILE.")
    if teams is not None and not {"teams", "both"} & set(over):
        raise click.UsageError("--teams needs --over teams or --over both.")
    return IntervalChoice(
        level=level,
        n_resamples=n_resamples or 2000,
        method=method or "auto",
        over=tuple(dict.fromkeys(over)),
        teams=teams,
    )
