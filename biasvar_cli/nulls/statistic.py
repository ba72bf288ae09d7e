"""What the samples of a null model go through: target, partition and correlation are made of each as from the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.design import SINGLE, Design, Sampling
from biasvar_cli.decomposition.generalised import expected_over_random
from biasvar_cli.decomposition.moments import Moments
from biasvar_cli.decomposition.partitions import Partition, by_difficulty
from biasvar_cli.decomposition.samples import decompose_samples, generalise_samples, normalise_samples
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import TradeoffRow, partitions
from biasvar_cli.nulls.stability import mean_and_variance
from biasvar_cli.stats.correlation import all_correlations


def sample_statistic(
    targeted: TargetedScores, rows: Sequence[TradeoffRow], design: Design, *, of_runs: bool
) -> Callable[[FloatArray], FloatArray]:
    """The three correlations of every row for samples of the pool: (B, n_pool, n_queries) gives (B, 3 rows).

    With ``of_runs`` mean and variance of the listed runs stand behind them: (B, 3 rows + 2 R).
    """
    make_target, place = _target_maker(targeted), {run: index for index, run in enumerate(targeted.pool.runs)}
    listed = np.array([place[run] for run in targeted.scores.runs])
    samplings = {row.sampling: partitions(row.sampling, design, targeted) for row in rows}

    def of(samples: FloatArray) -> FloatArray:
        runs = samples if len(listed) == samples.shape[1] else samples[:, listed]
        columns: list[FloatArray] = []
        if rows:
            target = make_target(samples)
            errors = {
                sampling: _decomposed(sampling, parts, design, targeted, samples, runs, target)
                for sampling, parts in samplings.items()
            }
            for row in rows:
                result, some = errors[row.sampling], slice(None) if row.among is None else [*row.among]
                columns += all_correlations(result.bias2[:, some], result.variance(row.form)[:, some])
        beside = [mean_and_variance(runs).reshape(len(runs), -1)] if of_runs else []
        return np.concatenate([np.array(columns).reshape(-1, len(runs)).T, *beside], axis=1)

    return of


def _target_maker(targeted: TargetedScores) -> Callable[[FloatArray], FloatArray]:
    """The target of every sample of the pool: (B, n_pool, n_queries) gives (B, n_queries)."""
    target, spec = targeted.target, targeted.target.spec
    if spec.kind == "best":
        quantile = spec.number
        if quantile is None:
            return partial(np.max, axis=1)
        if not targeted.logs:
            return partial(np.quantile, q=quantile, axis=1)
    if spec.kind == "run" and spec.name is not None:
        place = targeted.pool.runs.index(spec.name)
        return lambda samples: samples[:, place]
    scores = np.full(targeted.pool.n_queries, target.mean) if target.scores is None else target.scores
    return lambda samples: np.broadcast_to(scores, (len(samples), len(scores)))


def _decomposed(
    sampling: Sampling,
    parts: Sequence[Partition],
    design: Design,
    targeted: TargetedScores,
    pool: FloatArray,
    runs: FloatArray,
    target: FloatArray,
) -> Moments:
    """The errors of the listed runs in every sample under one sampling, (B, R)."""
    sizes, weights = parts[0].sizes, parts[0].weights
    orders = [partition.order for partition in parts]
    if sampling.kind == "difficulty":
        orders = [by_difficulty(pool, design.difficulty)]
    if sampling.normalised:
        if targeted.target.scores is None:
            return Moments(*(np.full(runs.shape[:2], np.nan) for _ in fields(Moments)))
        among = pool if design.normalise == "maxmin" else None
        one = design.zero_target == "one"
        return normalise_samples(runs, target, orders[0], sizes, weights, one=one, pool=among)
    if sampling == SINGLE:
        result = decompose_samples(runs, target)
    elif sampling.kind == "random-exact":
        result = expected_over_random(decompose_samples(runs, target), targeted.pool.n_queries, parts[0])
    else:
        by_order = [vars(generalise_samples(runs, target, order, sizes, weights)).values() for order in orders]
        result = Moments(*(sum(values) / len(orders) for values in zip(*by_order, strict=True)))
    return result if targeted.target.scores is not None else replace(result, var_gap=np.full_like(result.var, np.nan))
