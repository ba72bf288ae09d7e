"""The analyses of the command line for notebooks: the same numbers, as DataFrames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, Unpack

from biasvar_cli.analyses.decompose.baseline_columns import baseline_extra
from biasvar_cli.analyses.decompose.interval_columns import interval_extra
from biasvar_cli.analyses.decompose.table import DecompositionView, decomposition_table
from biasvar_cli.analyses.tradeoff.table import tradeoff_table
from biasvar_cli.decomposition import decompose as decomposition
from biasvar_cli.decomposition import intervals
from biasvar_cli.decomposition.baseline import compare as compare_with
from biasvar_cli.decomposition.partitions import DifficultyKey
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import Design, tradeoff_rows
from biasvar_cli.decomposition.tradeoff import tradeoff as correlate
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import DecompositionResult, Result
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.nulls.models import NullRequest, null_models
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.targets import targeted_scores
from biasvar_cli.tables.table import Extra
from biasvar_cli.target_spec import parse_target

Log = Literal["floor", "add"]


@warning_there
def decompose(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Log | None = None,
    eps: float = 1e-5,
    pareto: bool = False,
    ci: float | None = None,
    resamples: int = 2000,
    baseline: str | None = None,
    null: bool = True,
    null_samples: int | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> DecompositionResult:
    """Bias², variance and total error of every run against a virtual target.

    ``scores`` are what `evaluate` gives, paths of score files (or of runs, with ``qrels``), or a DataFrame: a row a
    query and a column a run, or a row a score, as PyTerrier has it (``name qid measure value``). The options are those
    of ``biasvar decompose``: ``ci`` is a level such as 0.95, ``baseline`` the name of a run. ``null`` puts the null
    model beside the correlations.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    The runs of SIGIR 2013, Tables 1 and 2, against the model T:

    >>> import pandas as pd
    >>> runs = {"A": [0.3, 0.1], "B": [0.6, 0.08], "C": [0.65, 0.03], "T": [0.7, 0.2]}
    >>> result = decompose(pd.DataFrame(runs, index=["q1", "q2"]), "run:T", measure="AP")
    >>> result.frame()["total_gap"].round(4).to_dict()
    {'A': 0.085, 'B': 0.0122, 'C': 0.0157, 'T': 0.0}
    """
    made = scores_from(scores, measure, qrels, reading)
    targeted = targeted_scores(made.scored, parse_target(target), _log(log, eps))
    result = decomposition.decompose(targeted.scores, targeted.target)
    extras = list(_extras(targeted, ci, baseline, n_resamples=resamples, seed=seed))
    view = DecompositionView(sort="run", pareto=pareto)
    runs = partial(decomposition_table, result, correlate(result), view=view, extras=extras)
    request = NullRequest(n_samples=null_samples, seed=seed, jobs=made.jobs, shuffled=False)
    return DecompositionResult(*_about(targeted), {"runs": runs}, targeted, request if null else None)


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


def _extras(targeted: TargetedScores, ci: float | None, baseline: str | None, **how: Any) -> Iterator[Extra]:
    """Intervals, and the comparison with a baseline, as ``--ci`` and ``--baseline`` of decompose add them."""
    if ci is not None:
        yield interval_extra(intervals.intervals(targeted.scores, targeted.target, level=ci, method="auto", **how))
    if baseline is not None:
        yield baseline_extra(compare_with(targeted.scores, targeted.target, baseline, level=ci or 0.95))
