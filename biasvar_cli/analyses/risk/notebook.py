"""``bv.risk``: risk in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from biasvar_cli.analyses.risk.answer import RiskAnswer, answer
from biasvar_cli.analyses.risk.figures import FIGURES
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.analyses.risk.table import RiskView, risk_table
from biasvar_cli.errors import full_name
from biasvar_cli.notebook.arguments import Reading, requested, warning_there
from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.tables.table import Table


@warning_there
def risk(
    scores: ScoresLike,
    baseline: str | Sequence[str] = RiskRequest.baseline[0],
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    alpha: float | Sequence[float] = RiskRequest.alpha,
    tie_eps: float = RiskRequest.tie_eps,
    r_loss: int | None = None,
    with_decomposition: bool = False,
    ci: float | None = None,
    resamples: int | None = None,
    clusters: ClustersLike | None = None,
    seed: int = RiskRequest.seed,
    **reading: Unpack[Reading],
) -> Result:
    """Wins, losses and risk of every run against a baseline: run:NAME, top, mean, median, best or file:PATH.

    ``frame("queries")`` has a row a query, ``frame("run:NAME")`` the queries of one run. ``clusters`` says which
    queries belong together, as in `compare`. The other arguments are as in ``biasvar risk`` and in `decompose`.
    """
    given = locals()
    request = requested(RiskRequest, given)
    auxiliary = () if request.precision is None else (request.precision,)
    loaded = scores_from(scores, measure, qrels, reading, auxiliary)
    answers = answer(loaded.track, replace(request, jobs=loaded.jobs))
    return Result.made("risk", answers, ("runs", "queries", "run:NAME"), _tables, scores=loaded, figures=FIGURES)


def _tables(answers: Sequence[RiskAnswer], shown: Shown) -> list[Table]:
    view = shown.view(RiskView, table=shown.table)
    if view.run is not None:
        view = replace(view, table=f"run:{full_name(shown.table, view.run, answers[0].scores.runs)!s}")
    return [risk_table(each, view) for each in answers]
