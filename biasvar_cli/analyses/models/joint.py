"""Performance beside estimation: the errors of the models' runs, and how estimation and performance rank the models.

IPM'14 compares the bias and variance of average precision with those of the estimation error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from biasvar_cli.decomposition.decompose import Decomposition, decompose
from biasvar_cli.errors import DataError, warn
from biasvar_cli.query_models.estimation import RANKED, Estimation
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.targets import targeted_scores
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs import TargetSpec
from biasvar_cli.stats.correlation import kendall
from biasvar_cli.words import Better, argument, counted, examples, verb


@dataclass(frozen=True, eq=False)
class Joint:
    """The errors of the runs that have a model, in the order of the models, with Kendall's tau of both over them.

    ``estimation`` is that of these models on the queries that models and runs share, as is the performance. ``tau`` has
    the correlations of a model's bias, variance and total with its run's in the score form; nan where they are
    undefined.
    """

    performance: Decomposition
    estimation: Estimation
    tau: Mapping[str, float]

    @property
    def better(self) -> Better:
        """Whether more or less of the measure of the runs is better."""
        return self.performance.better

    @property
    def models(self) -> tuple[str, ...]:
        return self.estimation.models


def joint(estimation: Estimation, scored: Scored, target: TargetSpec) -> Joint:
    """Pair models and runs by name, on the queries that both have. All given runs count for the target, except the run
    of the true model, unless the target is that run.

    Raises `DataError` where no name, or no query, is in both; warns of models, runs and queries that are in only one of
    them, and of the run of the true model where it would count for the target.

    >>> import numpy as np
    >>> from biasvar_cli.query_models import Setting
    >>> from biasvar_cli.specs import BEST
    >>> models, queries, ones = ("orig", "rm", "rm3"), ("q1", "q2"), np.ones(3)
    >>> errors = np.array([[3.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    >>> runs = ScoreMatrix(np.array([[0.1, 0.2], [0.2, 0.3], [0.5, 0.4]]), models, queries, "AP")
    >>> estimation = Estimation(Setting("js", None), models, queries, errors, ones, ones)
    >>> result = joint(estimation, Scored(runs, runs, None, None), BEST)
    >>> result.performance.bias.round(6).tolist(), round(result.tau["bias"], 6)  # the least error has the best run
    ([0.3, 0.2, 0.0], 1.0)
    """
    names = [name for name in estimation.models if name in scored.scores.runs]
    if not names:
        there = f"the models are {examples(estimation.models)}, the runs {examples(scored.scores.runs)}"
        raise DataError(f"no run has the name of a model: {there}; the file names without .gz and .tsv must be equal")
    _warn_of("model", "run", [name for name in estimation.models if name not in names])
    _warn_of("run", "model", [run for run in scored.scores.runs if run not in (*names, estimation.true)])
    queries = [query for query in scored.scores.queries if query in set(estimation.queries)]
    pool = _without_true(scored, estimation.true) if target.form.of_pool else scored
    targeted = targeted_scores(_on_queries(pool, queries, estimation.queries), target)
    performance = decompose(targeted.scores.select(names), targeted.target)
    part = estimation.part(names, queries)
    tau = {name: kendall(getattr(part, name), getattr(performance, name)).item() for name in RANKED}
    return Joint(performance, part, tau)


def _without_true(scored: Scored, true: str) -> Scored:
    """The scores without the run of the true model, which is made from the relevance judgments."""
    if true not in scored.pool.runs:
        return scored
    remedy = f"{argument(target=f'run:{true}')} makes it the target"
    warn(f"the run of the true model, {true}, does not count for the target; {remedy}")
    scores, pool = (
        matrix.select([run for run in matrix.runs if run != true]) for matrix in (scored.scores, scored.pool)
    )
    return replace(scored, scores=scores, pool=pool)


def _on_queries(scored: Scored, queries: Sequence[str], estimated: Sequence[str]) -> Scored:
    """The scores on the queries that the models have too."""
    evaluated, ideal = scored.scores.queries, scored.ideal
    if not queries:
        there = f"the models have {examples(estimated)}, the runs {examples(evaluated)}"
        raise DataError(f"the models and the runs have no query in common: {there}")
    if len(queries) == len(evaluated) == len(estimated):
        return scored
    warn(
        f"the joint table uses the {counted(len(queries), 'query')} that models and runs share: the models have "
        f"{len(estimated)}, the runs {len(evaluated)}"
    )
    at = [evaluated.index(query) for query in queries]
    scores, pool = (
        ScoreMatrix(matrix.values[:, at], matrix.runs, tuple(queries), matrix.measure, better=matrix.better)
        for matrix in (scored.scores, scored.pool)
    )
    return Scored(scores, pool, scored.measure, None if ideal is None else lambda: ideal()[at])


def _warn_of(noun: str, other: str, names: Sequence[str]) -> None:
    if names:
        left_out = verb(len(names), f"has no {other} and is left out", f"have no {other} and are left out")
        warn(f"{counted(len(names), noun)} {left_out} of the joint table: {examples(names)}")
