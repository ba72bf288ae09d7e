"""``bv.tradeoff``: the tradeoff in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Unpack

from biasvar_cli.analyses.tradeoff.answer import answer
from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.analyses.tradeoff.table import tradeoff_table
from biasvar_cli.decomposition.design import Design
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import Result, ScoresLike, scores_from
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.words import DifficultyKey, LogForm


@warning_there
def tradeoff(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    subset_size: int | Sequence[int] = (),
    repeats: int = Design.repeats,
    difficulty: DifficultyKey = Design.difficulty,
    null: bool = True,
    null_samples: int | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result:
    """The correlations of bias² and variance over the runs, under samples of the queries, in both forms.

    A row a sampling and form, as ``biasvar tradeoff`` has them; ``null`` adds the null models of Pearson's r. The other
    arguments are as in `decompose`.
    """
    given = scores_from(scores, measure, qrels, reading)
    request = TradeoffRequest(
        target=(target,),
        log=log,
        eps=eps,
        design=Design(subset_size=several(subset_size), repeats=repeats, difficulty=difficulty, seed=seed),
        null=NullRequest(null_samples=null_samples, seed=seed, jobs=given.jobs, shuffled=False) if null else None,
    )
    (found,) = answer(given.track, request)
    return Result.of(found.scores, {"rows": partial(tradeoff_table, found)})
