"""``bv.risk``: risk in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Unpack

from biasvar_cli.analyses.risk.answer import answer
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.analyses.risk.table import RiskView, risk_table
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import Result, ScoresLike, scores_from


@warning_there
def risk(
    scores: ScoresLike,
    baseline: str = "mean",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    alpha: float | Sequence[float] = RiskRequest.alpha,
    tie_eps: float = 0.0,
    **reading: Unpack[Reading],
) -> Result:
    """Wins, losses and risk of every run against a baseline: run:NAME, top, mean, median, best or file:PATH.

    ``frame("queries")`` has a row a query. The other arguments are as in `decompose`, ``alpha`` and ``tie_eps`` as in
    ``biasvar risk``.
    """
    request = RiskRequest(baseline=(baseline,), alpha=several(alpha), tie_eps=tie_eps)
    given = scores_from(scores, measure, qrels, reading)
    (found,) = answer(given.track, request)
    views = [RiskView(table=name, best_first=False, for_people=False) for name in ("runs", "queries")]
    return Result.of(given.scored.scores, {view.table: partial(risk_table, found, view) for view in views})
