"""The analyses of the command line for notebooks: the same numbers, as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, Unpack

from biasvar_cli.analyses.tradeoff.table import tradeoff_table
from biasvar_cli.decomposition.partitions import DifficultyKey
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import Design, tradeoff_rows
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.nulls.models import NullRequest, null_models
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.targets import targeted_scores
from biasvar_cli.target_spec import parse_target

Log = Literal["floor", "add"]


@warning_there
def tradeoff(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Log | None = None,
    eps: float = 1e-5,
    subset_size: int | Sequence[int] = (),
    repeats: int = 10,
    difficulty: DifficultyKey = "best",
    null: bool = True,
    null_samples: int | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result:
    """The correlations of bias² and variance over the runs, under samples of the queries, in both forms.

    A row a sampling and form, as ``biasvar tradeoff`` has them; ``null`` adds the null models of Pearson's r. The other
    arguments are as in `decompose`.
    """
    made = scores_from(scores, measure, qrels, reading)
    targeted = targeted_scores(made.scored, parse_target(target), _log(log, eps))
    design = Design(subset_sizes=several(subset_size), repeats=repeats, difficulty=difficulty, seed=seed)
    rows = tradeoff_rows(targeted, design)
    request = NullRequest(n_samples=null_samples, seed=seed, jobs=made.jobs, shuffled=False)
    models = null_models(targeted, rows, design, request) if null else None
    return Result(*_about(targeted), {"rows": partial(tradeoff_table, rows, targeted, design, models)})


def _about(targeted: TargetedScores) -> tuple[str | None, int, int]:
    return targeted.scores.measure, targeted.scores.n_runs, targeted.scores.n_queries


def _log(log: Log | None, eps: float) -> LogTransform | None:
    return None if log is None else LogTransform(log, eps)
