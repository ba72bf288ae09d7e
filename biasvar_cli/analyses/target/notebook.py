"""``bv.target``: the virtual target in a notebook."""

from __future__ import annotations

from functools import partial
from typing import Unpack

from biasvar_cli.analyses.target.answer import answer
from biasvar_cli.analyses.target.columns import TABLES
from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.analyses.target.table import TargetView, target_table
from biasvar_cli.notebook.arguments import Reading, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import ScoresLike, TargetResult, scores_from
from biasvar_cli.words import DifficultyKey


@warning_there
def target(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    difficulty: DifficultyKey = "best",
    subset_size: int = 10,
    **reading: Unpack[Reading],
) -> TargetResult:
    """The virtual target: its score on every query, the runs that supply it, and how hard the query is.

    ``frame("runs")`` has what each run contributes, ``frame("rarefied")`` the target of fewer runs, as ``biasvar target
    --table`` has them. The other arguments are as in `decompose`.
    """
    request = TargetRequest(target=(target,), difficulty=difficulty, subset_size=subset_size)
    (result,) = answer(scores_from(scores, measure, qrels, reading).track, request)
    views = [TargetView(table=name, best_first=False, for_people=False) for name in TABLES]
    tables = {view.table: partial(target_table, result, view) for view in views}
    return TargetResult(result.measure, result.pool.n_runs, result.pool.n_queries, tables, result.target)
