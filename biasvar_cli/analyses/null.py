"""The null models beside the correlations of a track: each sample goes through the analysis of the data itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from biasvar_cli.analyses.null_models import CommonScatter, exchangeable, fit_common_scatter, require_fit
from biasvar_cli.analyses.null_statistic import sample_statistic
from biasvar_cli.analyses.stability import CrossHalf, Stability, cross_half, stability
from biasvar_cli.analyses.tradeoff import Design, RowKey, TradeoffRow
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.target import Aim
from biasvar_cli.errors import DataError, warn
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.stats.monte_carlo import (
    FEWEST_SAMPLES,
    USUAL_SAMPLES,
    Simulated,
    block_size,
    over_blocks,
    summarise,
)
from biasvar_cli.stats.streams import Stream, generator
from biasvar_cli.words import COEFFICIENTS, counted

_LARGEST = 2**20  # scores of a pool


class DrawInThreads(Protocol):
    """What draws samples of a model, (n_samples, n_runs, n_queries), the same by any number of threads."""

    def __call__(self, rng: np.random.Generator, n_samples: int, *, jobs: int) -> FloatArray: ...


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the first model.

    ``n_samples`` None is `usual_samples` of the pool.
    """

    n_samples: int | None = None
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

    ``common`` is the model of one common law of scatter, None where ``why`` says that there is none; ``exchangeable``
    that of scores shuffled among the runs. The latter is empty, and ``stability`` and ``cross_half`` are None, unless
    asked for. ``n_samples`` were drawn of each: 0 where too few runs are listed for a correlation.
    """

    common: Mapping[RowKey, RowNull] | None
    exchangeable: Mapping[RowKey, RowNull]
    why: str
    n_samples: int
    seed: int
    stability: Stability | None = None
    cross_half: CrossHalf | None = None

    def of(self, row: TradeoffRow) -> RowNull | None:
        """What the model of one common law says of a row; None where there is none."""
        return None if self.common is None else self.common.get(row.key)

    def shuffled(self, row: TradeoffRow) -> RowNull | None:
        """What shuffled scores say of a row; None where that was not asked for."""
        return self.exchangeable.get(row.key)


def usual_samples(n_runs: int, n_queries: int) -> int:
    """How many samples are drawn of each model if nobody says: 500, fewer from a large pool, none from a huge one.

    That is one block of them, which takes some seconds; none of a pool of more than 2^20 scores.

    >>> usual_samples(143, 48), usual_samples(1000, 250), usual_samples(5000, 5), usual_samples(2000, 1000)
    (500, 115, 149, 0)
    """
    return block_size(n_runs, n_queries) if n_runs * n_queries <= _LARGEST else 0


def null_models(aim: Aim, rows: Sequence[TradeoffRow], design: Design, request: NullRequest) -> Null:
    """What both models say of the correlations of every row; nothing is drawn where there is none.

    The models are of the whole pool; from every sample the target, the partition and the correlation over the listed
    runs, or over the row's own among them, are made exactly as from the data.

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
    halves = None
    if not rows:
        return Null({}, {}, "", 0, request.seed)
    if request.stability:
        halves = cross_half(aim.scores.values, generator(Stream.CROSS_HALVES, request.seed), target=aim.target.scores)
    n_samples, why = _number(aim, request)
    if why:
        return Null(None, {}, why, 0, request.seed, None, halves)
    model: CommonScatter | None = None
    try:
        model = _fitted(aim, n_samples)
    except DataError as error:
        why = str(error)
    if not n_samples:
        nothing = _by_row(rows, np.full((1, len(COEFFICIENTS) * len(rows)), np.nan))
        return Null(None if why else nothing, nothing if request.exchangeable else {}, why, 0, request.seed)
    common, shuffled, found = _drawn(_Analysed(aim, rows, design, request, n_samples), model)
    return Null(common, shuffled, why, n_samples, request.seed, found, halves)


def _number(aim: Aim, request: NullRequest) -> tuple[int, str]:
    """How many samples to draw, and why none where they would be too many; warns where they are fewer than usual."""
    if aim.scores.n_runs < LEAST_POINTS and not request.stability:
        return 0, ""
    if request.n_samples is not None:
        return request.n_samples, ""
    n_samples = usual_samples(*aim.pool.values.shape)
    size = f"{counted(aim.pool.n_runs, 'run')} on {counted(aim.pool.n_queries, 'query')}"
    if not n_samples:
        why = f"samples of {size} would take long; --null-samples {FEWEST_SAMPLES} draws them all the same"
        warn(f"no null model: {why}")
        return 0, why
    if n_samples < USUAL_SAMPLES:
        warn(
            f"null models of {n_samples} samples and not {USUAL_SAMPLES}, which would take long for {size}; "
            f"--null-samples {USUAL_SAMPLES} draws as many"
        )
    return n_samples, ""


def _fitted(aim: Aim, n_samples: int) -> CommonScatter | None:
    """The model of one common law, None where nothing is drawn. Raises `DataError` where it cannot be fitted."""
    if aim.logs:
        raise DataError("the null model is of scores, not of their logarithms")
    if n_samples:
        return fit_common_scatter(aim.pool.values)
    require_fit(aim.pool.values)
    return None


_Models = tuple[dict[RowKey, RowNull] | None, dict[RowKey, RowNull], Stability | None]


def _drawn(analysed: _Analysed, model: CommonScatter | None) -> _Models:
    """What both models say of the rows, and the first of the stability of the runs."""
    request, rows, aim = analysed.request, analysed.rows, analysed.aim
    shuffled: dict[RowKey, RowNull] = {}
    if request.exchangeable:
        shuffled = _by_row(rows, analysed.drawn(partial(exchangeable, aim.pool.values), Stream.SHUFFLED, rows))
    if model is None:
        return None, shuffled, None
    common = analysed.drawn(model.draw, Stream.NULL, rows, of_runs=request.stability)
    found = None
    if request.stability:
        fresh = analysed.drawn(model.draw, Stream.NULL_FRESH, (), of_runs=True)
        found = stability(aim.scores.values, analysed.of_runs(common), analysed.of_runs(fresh))
    return _by_row(rows, common), shuffled, found


class _Analysed(NamedTuple):
    """The analysis that the samples of a model go through."""

    aim: Aim
    rows: Sequence[TradeoffRow]
    design: Design
    request: NullRequest
    n_samples: int

    def drawn(
        self, draw: DrawInThreads, stream: Stream, rows: Sequence[TradeoffRow], *, of_runs: bool = False
    ) -> FloatArray:
        """Per sample the correlations of some rows, and mean and variance ``of_runs``: see `sample_statistic`."""
        statistic = sample_statistic(self.aim, rows, self.design, of_runs=of_runs)
        generators = partial(generator, stream, self.request.seed)
        size, jobs = block_size(*self.aim.pool.values.shape), self.request.jobs
        of_block = partial(draw, jobs=jobs if self.n_samples <= size else 1)
        return over_blocks(of_block, statistic, self.n_samples, generators, size=size, jobs=jobs)

    def of_runs(self, drawn: FloatArray) -> FloatArray:
        """Mean and variance of the runs out of what was drawn: (B, 2, R)."""
        return drawn[:, -2 * self.aim.scores.n_runs :].reshape(-1, 2, self.aim.scores.n_runs)


def _by_row(rows: Sequence[TradeoffRow], samples: FloatArray) -> dict[RowKey, RowNull]:
    found = {}
    for index, row in enumerate(rows):
        own = [
            summarise(getattr(row.correlations, name), samples[:, len(COEFFICIENTS) * index + place])
            for place, name in enumerate(COEFFICIENTS)
        ]
        found[row.key] = RowNull(*(replace(each, p=float("nan")) for each in own) if row.form == "gap" else own)
    return found
