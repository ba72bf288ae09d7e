"""The analyses of the command line for notebooks: the same numbers, as DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, Unpack

from biasvar_cli.analyses.target.table import TargetTable, TargetView, target_table
from biasvar_cli.analyses.tradeoff.table import tradeoff_table
from biasvar_cli.decomposition import contribution
from biasvar_cli.decomposition.partitions import DifficultyKey
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import Design, tradeoff_rows
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, TargetResult
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.nulls.models import NullRequest, null_models
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.targets import make_target, targeted_scores
from biasvar_cli.tables.table import Table
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
    """The virtual target: its score and suppliers on every query, and how hard the query is.

    ``frame("runs")`` says what each run gives to it, ``frame("rarefied")`` what fewer runs would have given, as
    ``biasvar target --table`` does. The other arguments are as in `decompose`.
    """
    made = scores_from(scores, measure, qrels, reading)
    pool, spec = made.scored.pool, parse_target(target)
    if spec.kind == "mean":
        raise UsageError(f"target {spec.text!r} has no score per query to look at")
    found = contribution.contributions(pool, make_target(spec, made.scored))
    hardness = contribution.difficulty(pool, key=difficulty, subset_size=subset_size)
    means = contribution.rarefied_means(pool)
    names: tuple[TargetTable, ...] = ("queries", "runs", "rarefied")
    tables: dict[str, Callable[[], Table]] = {
        name: partial(target_table, found, hardness, means, view=TargetView(table=name, for_people=False))
        for name in names
    }
    return TargetResult(pool.measure, pool.n_runs, pool.n_queries, tables, found.target)


def _about(targeted: TargetedScores) -> tuple[str | None, int, int]:
    return targeted.scores.measure, targeted.scores.n_runs, targeted.scores.n_queries


def _log(log: Log | None, eps: float) -> LogTransform | None:
    return None if log is None else LogTransform(log, eps)
