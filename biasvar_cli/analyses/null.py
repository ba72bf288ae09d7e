"""The reference models beside the correlations of a track: each sample goes through the analysis of the data itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.null_models import exchangeable, fit_common_scatter
from biasvar_cli.analyses.stability import CrossHalf, Stability, cross_half, moments, stability
from biasvar_cli.analyses.tradeoff import Design, Sampling, TradeoffRow, partitions
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import batch
from biasvar_cli.decomposition.batch import BatchDecomposition
from biasvar_cli.decomposition.generalised import over_random
from biasvar_cli.decomposition.partitions import Partition
from biasvar_cli.decomposition.target import Aim
from biasvar_cli.errors import DataError
from biasvar_cli.stats.monte_carlo import Draw, Reference, block_size, compare, over_blocks

_CORRELATIONS, _SECOND, _EXCHANGEABLE, _SPLITS = range(4)  # streams of the seed


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the first model."""

    n_samples: int = 500
    seed: int = 0
    jobs: int = 1
    exchangeable: bool = True
    stability: bool = False


class RowNull(NamedTuple):
    """What a model says of the three correlations of a row; p is nan for the gap form, whose reference is too rough."""

    pearson: Reference
    spearman: Reference
    kendall: Reference

    def document(self) -> dict[str, dict[str, float]]:
        """The same as plain values: median, interval and p of each correlation."""
        names = ("median", "low", "high", "p")
        return {key: {name: getattr(each, name) for name in names} for key, each in self._asdict().items()}


@dataclass(frozen=True, eq=False)
class Null:
    """The references of some rows, in their order.

    ``common`` is the model of one common law of scatter, None where ``why`` says it cannot be fitted; ``exchangeable``
    that of exchangeable runs. The latter is empty, and ``stability`` and ``cross_half`` are None, unless asked for.
    """

    common: tuple[RowNull, ...] | None
    exchangeable: tuple[RowNull, ...]
    why: str
    request: NullRequest
    stability: Stability | None = None
    cross_half: CrossHalf | None = None


def null_models(aim: Aim, rows: Sequence[TradeoffRow], design: Design, request: NullRequest) -> Null:
    """The reference of every row's correlations under both models.

    The models are of the whole pool; from every sample the target, the partition and the correlation over the listed
    runs are made exactly as from the data.

    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.decomposition.target import best_of_runs
    >>> from biasvar_cli.analyses.tradeoff import tradeoff_rows
    >>> values = np.random.default_rng(0).beta(1, 3, size=(20, 30))
    >>> runs = ScoreMatrix(values, tuple(map(str, range(20))), tuple(map(str, range(30))), "AP")
    >>> aim = Aim(runs, runs, best_of_runs(runs))
    >>> rows = tradeoff_rows(aim, Design())
    >>> null = null_models(aim, rows, Design(), NullRequest(n_samples=200))
    >>> null.common[0].pearson.low < rows[0].correlations.pearson < null.common[0].pearson.high
    True
    """
    values = aim.pool.values
    size = block_size(*values.shape)
    statistic = _statistic(aim, rows, design)

    def both(samples: FloatArray) -> FloatArray:
        """The correlations, and behind them the moments of the listed runs, (B, 3 rows + 2 R)."""
        listed = moments(samples[:, _listed(aim)])
        return np.concatenate([statistic(samples), listed.reshape(len(samples), -1)], axis=1)

    def drawn(draw: Draw, stream: int) -> FloatArray:
        return over_blocks(draw, both, request.n_samples, [request.seed, stream], size=size, jobs=request.jobs)

    def deal() -> tuple[RowNull, ...]:
        if not request.exchangeable:
            return ()
        return _references(rows, drawn(lambda rng, number: exchangeable(values, rng, number), _EXCHANGEABLE))

    with ThreadPoolExecutor(1) as executor:
        dealt = executor.submit(deal) if request.jobs > 1 else None
        try:
            if aim.logs:
                raise DataError("the reference model is of scores, not of their logarithms")
            model, why = fit_common_scatter(values), ""
            common = drawn(model.draw, _CORRELATIONS)
        except DataError as error:
            common, why = None, str(error)
        found = None
        if request.stability and common is not None:
            fresh = drawn(model.draw, _SECOND)
            n_rows = 3 * len(rows)
            shape = (-1, 2, aim.scores.n_runs)
            found = stability(aim.scores.values, common[:, n_rows:].reshape(shape), fresh[:, n_rows:].reshape(shape))
    halves = None
    if request.stability:
        rng = np.random.default_rng([request.seed, _SPLITS])
        halves = cross_half(aim.scores.values, rng, target=aim.target.scores)
    return Null(
        None if common is None else _references(rows, common),
        deal() if dealt is None else dealt.result(),
        why,
        request,
        found,
        halves,
    )


def _listed(aim: Aim) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The places of the listed runs in the pool."""
    place = {run: index for index, run in enumerate(aim.pool.runs)}
    return np.array([place[run] for run in aim.scores.runs])


def _references(rows: Sequence[TradeoffRow], samples: FloatArray) -> tuple[RowNull, ...]:
    found = []
    for index, row in enumerate(rows):
        own = [
            compare(value, samples[:, 3 * index + place]) for place, value in enumerate(vars(row.correlations).values())
        ]
        found.append(RowNull(*(replace(each, p=float("nan")) for each in own) if row.form == "gap" else own))
    return tuple(found)


def _statistic(aim: Aim, rows: Sequence[TradeoffRow], design: Design) -> Callable[[FloatArray], FloatArray]:
    """The three correlations of every row for samples of the pool: (B, n_pool, n_queries) gives (B, 3 rows)."""
    make_target, listed = _target_maker(aim), _listed(aim)
    samplings = {row.sampling: partitions(row.sampling, design, aim) for row in rows}

    def of(samples: FloatArray) -> FloatArray:
        target = make_target(samples)
        runs = samples if len(listed) == samples.shape[1] else samples[:, listed]
        found = {
            each: _decomposed(each, parts, design, aim, samples, runs, target) for each, parts in samplings.items()
        }
        columns: list[FloatArray] = []
        for row in rows:
            result = found[row.sampling]
            columns += batch.correlations(result.bias2, result.var if row.form == "score" else result.var_gap)
        return np.stack(columns, axis=1)

    return of


def _target_maker(aim: Aim) -> Callable[[FloatArray], FloatArray]:
    """The target of every sample of the pool: (B, n_pool, n_queries) gives (B, n_queries)."""
    target, spec = aim.target, aim.target.spec
    if spec.kind == "best":
        quantile = spec.number
        if quantile is None:
            return batch.best_of_runs
        if not aim.logs:
            return lambda samples: np.quantile(samples, quantile, axis=1)
    if spec.kind == "run" and spec.name is not None:
        place = aim.pool.runs.index(spec.name)
        return lambda samples: samples[:, place]
    scores = np.full(aim.pool.n_queries, target.mean) if target.scores is None else target.scores
    return lambda samples: np.broadcast_to(scores, (len(samples), len(scores)))


def _decomposed(
    sampling: Sampling,
    parts: Sequence[Partition],
    design: Design,
    aim: Aim,
    pool: FloatArray,
    runs: FloatArray,
    target: FloatArray,
) -> BatchDecomposition:
    if sampling == ("single", 1, False):
        result = batch.decompose(runs, target)
    elif sampling.kind == "random-exact":
        single = batch.decompose(runs, target)
        of_variance, of_mean = over_random(parts[0], aim.pool.n_queries)
        var, var_gap = of_variance * single.var, of_variance * single.var_gap
        result = BatchDecomposition(single.bias2 + of_mean * single.var, var, var_gap)
    else:
        orders: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = [each.order for each in parts]
        if sampling.kind == "difficulty":
            orders = [batch.by_difficulty(pool.max(axis=1) if design.difficulty == "best" else pool.mean(axis=1))]
        sizes, weights = parts[0].sizes, parts[0].weights
        if sampling.normalised:
            if aim.target.scores is None:
                nothing = np.full(runs.shape[:2], np.nan)
                return BatchDecomposition(nothing, nothing, nothing)
            one = design.zero_target == "one"
            among = pool if design.normalisation == "maxmin" else None
            return batch.normalise(runs, target, orders[0], sizes, weights, one=one, pool=among)
        found = [batch.generalise(runs, target, order, sizes, weights) for order in orders]
        result = BatchDecomposition(*(sum(each) / len(found) for each in zip(*found, strict=True)))
    if aim.target.scores is None:
        result = result._replace(var_gap=np.full_like(result.var, np.nan))
    return result
