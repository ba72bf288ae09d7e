"""What runs are measured against, and whether on the logarithms of scores."""

from __future__ import annotations

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, together
from biasvar_cli.console.options.heading import COMMON, STATISTICS
from biasvar_cli.console.options.ranges import setting
from biasvar_cli.target_spec import TargetedRequest


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
