"""What runs are compared with, and how losses are weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import click

from biasvar_cli.baseline_spec import WORDS, BaselineSpec, parse_baseline
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import COMMON, OUTPUT, STATISTICS, option
from biasvar_cli.console.options.inputs import require_one
from biasvar_cli.console.options.ranges import number
from biasvar_cli.console.options.shared import ci_option, resamples_option
from biasvar_cli.errors import UsageError

if TYPE_CHECKING:
    from biasvar_cli.analyses.risk.table import RiskTable

_RUN = "run:"


@dataclass(frozen=True, kw_only=True)
class RiskChoice:
    """Risk as typed: baselines, weights of losses, and the table; ``run`` is that of ``--table run:NAME``."""

    baselines: tuple[BaselineSpec, ...]
    alphas: tuple[float, ...]
    tie_eps: float
    r_loss_k: int | None
    table: RiskTable
    run: str | None
    with_decomposition: bool


def baseline_files(baselines: Sequence[BaselineSpec]) -> tuple[str, ...]:
    """The files that baselines are read from."""
    return tuple(str(spec.name) for spec in baselines if spec.kind == "file")


def one_baseline_options() -> Decorator:
    """The one baseline of a figure, as ``baseline``."""

    def parsed(baselines: Sequence[str]) -> BaselineSpec:
        require_one("--baseline", baselines)
        return parse_baseline(baselines[0])

    return group("baseline", parsed, _baselines_option(""))


def _baselines_option(repeatable: str) -> Decorator:
    return option(
        COMMON,
        "--baseline",
        "baselines",
        multiple=True,
        default=("mean",),
        show_default=True,
        metavar="BASELINE",
        shell_complete=completion.words(*WORDS, names=True, files=True),
        help="Compare with a run (NAME or run:NAME), top (that of the best mean), mean, median or best (score of each "
        f"query), or file:PATH (a csv of query_id,score).{repeatable}",
    )


def risk_options() -> Decorator:
    """Baselines, weights of losses, and the table, as ``choice``."""
    return group(
        "choice",
        _choice,
        _baselines_option(" Repeatable."),
        option(
            COMMON,
            "--alpha",
            "alphas",
            default="0,1,5,10",
            show_default=True,
            metavar="A,A,...",
            help="How much more losses count than gains: 1 + A times.",
        ),
        option(
            STATISTICS,
            "--tie-eps",
            type=number("tie_eps"),
            default=0.0,
            metavar="X",
            help="Differences up to X are ties. Default: equal scores only.",
        ),
        option(
            STATISTICS,
            "--r-loss",
            "r_loss_k",
            type=click.IntRange(1, 1_000_000),
            metavar="K",
            help="Add r_loss: relevant documents lost from the top K. Needs qrels and a run as baseline.",
        ),
        option(
            STATISTICS,
            "--with-decomposition",
            is_flag=True,
            help="Add bias2, var and total against the target best.",
        ),
        option(
            OUTPUT,
            "--table",
            "table",
            default="runs",
            show_default=True,
            metavar="runs|queries|run:NAME",
            shell_complete=completion.words("runs", "queries", runs=True),
            help="A row per run, a row per query, or the queries of one run with its largest losses first.",
        ),
    )


def risk_interval_options() -> Decorator:
    """Intervals of U_risk and GeoRisk, as ``intervals``: level and resamples; None where none are asked for."""
    return group(
        "intervals",
        _intervals,
        ci_option("Add confidence intervals of u_risk and geo_risk, of this level, such as 0.95."),
        resamples_option,
    )


class RiskIntervalChoice(NamedTuple):
    """Intervals of risk as typed."""

    level: float
    n_resamples: int


def _intervals(level: float | None, n_resamples: int | None) -> RiskIntervalChoice | None:
    if level is None and n_resamples is not None:
        raise click.UsageError("--resamples needs --ci LEVEL.")
    return None if level is None else RiskIntervalChoice(level, n_resamples or 2000)


def _choice(
    baselines: Sequence[str],
    alphas: str,
    tie_eps: float,
    r_loss_k: int | None,
    with_decomposition: bool,
    table: str,
) -> RiskChoice:
    specs = tuple(parse_baseline(text) for text in dict.fromkeys(baselines))
    if not isfinite(tie_eps):
        raise click.BadParameter(f"{tie_eps:g} is not a finite number.", param_hint="--tie-eps")
    if r_loss_k is not None and any(spec.kind not in ("run", "top") for spec in specs):
        raise click.UsageError("--r-loss needs a run as the baseline: --baseline NAME or --baseline top.")
    run = table.removeprefix(_RUN) if table.startswith(_RUN) else None
    if table not in ("runs", "queries") and not run:
        raise click.BadParameter(f"{table!r} is not runs, queries or run:NAME.", param_hint="--table")
    if table != "runs" and (with_decomposition or r_loss_k is not None):
        raise click.UsageError("--with-decomposition and --r-loss add to --table runs alone.")
    return RiskChoice(
        baselines=specs,
        alphas=_alphas(alphas),
        tie_eps=tie_eps,
        r_loss_k=r_loss_k,
        table="run" if run else "queries" if table == "queries" else "runs",
        run=run,
        with_decomposition=with_decomposition,
    )


def _alphas(text: str) -> tuple[float, ...]:
    """The weights; one that is given twice is given once."""
    from biasvar_cli.analyses.risk.losses import require_alphas

    try:
        alphas = tuple(dict.fromkeys(float(part) + 0.0 for part in text.split(",")))
        require_alphas(alphas)
    except ValueError:
        wanted = f"{text!r} is not A or A,A,..., such as 0,1,5,10."
        raise click.BadParameter(wanted, param_hint="--alpha") from None
    except UsageError as error:
        raise click.BadParameter(f"{str(error).removeprefix('alpha: ')}.", param_hint="--alpha") from None
    return alphas
