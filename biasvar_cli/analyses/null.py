"""The null models beside the correlations of a track: each sample goes through the analysis of the data itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.null_models import exchangeable, fit_common_scatter
from biasvar_cli.analyses.stability import CrossHalf, Stability, cross_half, mean_and_variance, stability
from biasvar_cli.analyses.tradeoff import SINGLE, Design, RowKey, Sampling, TradeoffRow, partitions
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.decomposition.generalised import expected_over_random
from biasvar_cli.decomposition.moments import Moments
from biasvar_cli.decomposition.partitions import Partition, by_difficulty
from biasvar_cli.decomposition.samples import decompose_samples, generalise_samples, normalise_samples
from biasvar_cli.decomposition.target import Aim
from biasvar_cli.errors import DataError
from biasvar_cli.stats.correlation import all_correlations
from biasvar_cli.stats.monte_carlo import Draw, Simulated, block_size, over_blocks, summarise
from biasvar_cli.stats.streams import Stream, generator
from biasvar_cli.words import COEFFICIENTS


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the first model."""

    n_samples: int = 500
    seed: int = 0
    jobs: int = 1
    exchangeable: bool = True
    stability: bool = False


class RowNull(NamedTuple):
    """What a model says of the three correlations of a row; p is nan for the gap form, which depends on the model."""

    pearson: Simulated
    spearman: Simulated
    kendall: Simulated

    def document(self) -> dict[str, dict[str, float]]:
        """The same as plain values: median, interval and p of each correlation."""
        names = ("median", "low", "high", "p")
        return {key: {name: getattr(each, name) for name in names} for key, each in self._asdict().items()}


@dataclass(frozen=True, eq=False)
class Null:
    """What the null models say of some rows.

    ``common`` is the model of one common law of scatter, None where ``why`` says that it cannot be fitted;
    ``exchangeable`` that of scores shuffled among the runs. The latter is empty, and ``stability`` and ``cross_half``
    are None, unless asked for.
    """

    common: Mapping[RowKey, RowNull] | None
    exchangeable: Mapping[RowKey, RowNull]
    why: str
    request: NullRequest
    stability: Stability | None = None
    cross_half: CrossHalf | None = None

    def of(self, row: TradeoffRow) -> RowNull | None:
        """What the model of one common law says of a row; None where it cannot be fitted, or was not asked for."""
        return None if self.common is None else self.common.get(row.key)

    def shuffled(self, row: TradeoffRow) -> RowNull | None:
        """What shuffled scores say of a row; None where that was not asked for."""
        return self.exchangeable.get(row.key)


def null_models(aim: Aim, rows: Sequence[TradeoffRow], design: Design, request: NullRequest) -> Null:
    """What both models say of the correlations of every row.

    The models are of the whole pool; from every sample the target, the partition and the correlation over the listed
    runs are made exactly as from the data.

    >>> from biasvar_cli.analyses.tradeoff import tradeoff_rows
    >>> from biasvar_cli.decomposition.target import best_of_runs
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> values = np.random.default_rng(0).beta(1, 3, size=(20, 30))
    >>> runs = ScoreMatrix(values, tuple(map(str, range(20))), tuple(map(str, range(30))), "AP")
    >>> aim = Aim(runs, runs, best_of_runs(runs))
    >>> rows = tradeoff_rows(aim, Design())
    >>> null = null_models(aim, rows, Design(), NullRequest(n_samples=200))
    >>> null.of(rows[0]).pearson.low < rows[0].correlations.pearson < null.of(rows[0]).pearson.high
    True
    """
    analysed = _Analysed(aim, rows, design, request)
    with ThreadPoolExecutor(1) as executor:
        shuffled = executor.submit(analysed.shuffled) if request.jobs > 1 else None
        try:
            if aim.logs:
                raise DataError("the null model is of scores, not of their logarithms")
            model, why = fit_common_scatter(aim.pool.values), ""
        except DataError as error:
            common, found, why = None, None, str(error)
        else:
            drawn = analysed.drawn(model.draw, Stream.NULL)
            common = _by_row(rows, drawn)
            fresh = analysed.drawn(model.draw, Stream.NULL_FRESH) if request.stability else None
            found = None if fresh is None else stability(aim.scores.values, *map(analysed.of_runs, (drawn, fresh)))
        exchanged = analysed.shuffled() if shuffled is None else shuffled.result()
    halves = None
    if request.stability:
        halves = cross_half(aim.scores.values, generator(Stream.CROSS_HALVES, request.seed), target=aim.target.scores)
    return Null(common, exchanged, why, request, found, halves)


class _Analysed(NamedTuple):
    """The analysis that the samples of a model go through."""

    aim: Aim
    rows: Sequence[TradeoffRow]
    design: Design
    request: NullRequest

    def drawn(self, draw: Draw, stream: Stream) -> FloatArray:
        """Per sample the correlations of the rows, and behind them mean and variance of the runs: (B, 3 rows + 2 R)."""
        correlations, listed = _statistic(self.aim, self.rows, self.design), _listed(self.aim)

        def both(samples: FloatArray) -> FloatArray:
            of_runs = mean_and_variance(samples[:, listed])
            return np.concatenate([correlations(samples), of_runs.reshape(len(samples), -1)], axis=1)

        request, size = self.request, block_size(*self.aim.pool.values.shape)
        generators = partial(generator, stream, request.seed)
        return over_blocks(draw, both, request.n_samples, generators, size=size, jobs=request.jobs)

    def of_runs(self, drawn: FloatArray) -> FloatArray:
        """Mean and variance of the runs out of what was drawn: (B, 2, R)."""
        return drawn[:, len(COEFFICIENTS) * len(self.rows) :].reshape(-1, 2, self.aim.scores.n_runs)

    def shuffled(self) -> dict[RowKey, RowNull]:
        """What scores shuffled among the runs of the pool say, if that is asked for."""
        if not self.request.exchangeable:
            return {}
        return _by_row(self.rows, self.drawn(partial(exchangeable, self.aim.pool.values), Stream.SHUFFLED))


def _listed(aim: Aim) -> IntArray:
    """The places of the listed runs in the pool."""
    place = {run: index for index, run in enumerate(aim.pool.runs)}
    return np.array([place[run] for run in aim.scores.runs])


def _by_row(rows: Sequence[TradeoffRow], samples: FloatArray) -> dict[RowKey, RowNull]:
    found = {}
    for index, row in enumerate(rows):
        own = [
            summarise(getattr(row.correlations, name), samples[:, len(COEFFICIENTS) * index + place])
            for place, name in enumerate(COEFFICIENTS)
        ]
        found[row.key] = RowNull(*(replace(each, p=float("nan")) for each in own) if row.form == "gap" else own)
    return found


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
            columns += all_correlations(result.bias2, result.variance(row.form))
        return np.stack(columns, axis=1)

    return of


def _target_maker(aim: Aim) -> Callable[[FloatArray], FloatArray]:
    """The target of every sample of the pool: (B, n_pool, n_queries) gives (B, n_queries)."""
    target, spec = aim.target, aim.target.spec
    if spec.kind == "best":
        quantile = spec.number
        if quantile is None:
            return partial(np.max, axis=1)
        if not aim.logs:
            return partial(np.quantile, q=quantile, axis=1)
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
) -> Moments:
    """The errors of the listed runs in every sample under one sampling, (B, R)."""
    sizes, weights = parts[0].sizes, parts[0].weights
    orders = [each.order for each in parts]
    if sampling.kind == "difficulty":
        orders = [by_difficulty(pool, design.difficulty)]
    if sampling.normalised:
        if aim.target.scores is None:
            return Moments(*(np.full(runs.shape[:2], np.nan) for _ in fields(Moments)))
        among = pool if design.normalisation == "maxmin" else None
        one = design.zero_target == "one"
        return normalise_samples(runs, target, orders[0], sizes, weights, one=one, pool=among)
    if sampling == SINGLE:
        result = decompose_samples(runs, target)
    elif sampling.kind == "random-exact":
        result = expected_over_random(decompose_samples(runs, target), aim.pool.n_queries, parts[0])
    else:
        found = [generalise_samples(runs, target, order, sizes, weights) for order in orders]
        result = Moments(*(sum(each) / len(found) for each in zip(*(vars(one).values() for one in found), strict=True)))
    return result if aim.target.scores is not None else replace(result, var_gap=np.full_like(result.var, np.nan))
