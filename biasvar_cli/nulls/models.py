"""The null models beside the correlations of a track.

Each sample goes through the analysis of the data itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.decompose import TargetedScores
from biasvar_cli.decomposition.generalised import RowKey, TradeoffRow
from biasvar_cli.errors import DataError, warn
from biasvar_cli.nulls import BESIDE, DECIDING, CorrelatedScores, NullModel, Sampler, draw_together
from biasvar_cli.nulls.statistic import (
    CrossHalf,
    Stability,
    beside_means,
    cross_half,
    least_extreme,
    nearest,
    sample_statistic,
    stability,
)
from biasvar_cli.nulls.surface import Surface, fit_surface
from biasvar_cli.nulls.verdicts import RowBeside, RowNull, Side, row_beside, row_null, side, undecided
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats import correlation, monte_carlo
from biasvar_cli.stats.monte_carlo import FEWEST_SAMPLES, USUAL_SAMPLES, Stream
from biasvar_cli.words import argument, as_typed, counted

_LARGEST = 2**20  # scores of a pool
_MORE_SAMPLES = 2000  # where few hundred cannot decide
_LARGE_BLOCK = 2**22  # scores of a block of large samples, 16 MB for each model
_SHARED_BLOCK = 2**22  # scores of a block of small samples that all models have in memory together
_LEAST_FOR_THREADS = 2**13  # scores of a pool: on smaller arrays threads wait for each other


@dataclass(frozen=True, eq=False)
class Null:
    """What the null models say of some rows.

    ``rows`` is what the models in which runs differ only in their means say, empty where ``why`` says that there are
    none; ``by_others`` what each of the models `BESIDE` says, by name, empty unless asked for. ``stability`` and
    ``cross_half`` are None unless asked for. ``n_samples`` were drawn of each model: 0 where too few runs are listed.
    ``of_systems`` says that rows are systems of several runs, for which simulation shows that the ranges are not
    negative enough: nothing is said of a correlation beside them.
    """

    rows: Mapping[RowKey, RowNull]
    by_others: Mapping[str, Mapping[RowKey, RowBeside]]
    why: str
    n_samples: int
    seed: int
    stability: Stability | None = None
    cross_half: CrossHalf | None = None
    of_systems: bool = False

    @property
    def fitted(self) -> bool:
        """Whether the models could be fitted and drawn from."""
        return not self.why

    def of(self, row: TradeoffRow) -> RowNull | None:
        """What the deciding models say of a row; None where there are none."""
        return self.rows.get(row.key)

    def side(self, row: TradeoffRow) -> Side | None:
        """Where r of a row lies beside its range; None where that is undefined, and for systems of several runs."""
        row_null = self.of(row)
        if row_null is None or self.of_systems:
            return None
        return side(row.correlations.pearson, row_null.pearson.low, row_null.pearson.high)

    def beside(self, row: TradeoffRow) -> dict[str, RowBeside]:
        """What the models beside the deciding ones say of a row, by name; empty where that was not asked for."""
        return {name: rows[row.key] for name, rows in self.by_others.items() if row.key in rows}


def usual_samples(n_runs: int, n_queries: int) -> int:
    """How many samples are drawn of each model if nobody says: 300, fewer from a large pool, none from a huge one.

    That is one block of them, which takes some seconds; none of a pool of more than 2^20 scores.

    >>> usual_samples(143, 48), usual_samples(1000, 250), usual_samples(5000, 5), usual_samples(2000, 1000)
    (300, 115, 149, 0)
    """
    return monte_carlo.block_size(n_runs, n_queries) if n_runs * n_queries <= _LARGEST else 0


def n_drawn(n_runs: int, n_queries: int, request: NullRequest | None) -> int:
    """How many samples of a pool are drawn of all models together, unless a verdict needs more of them.

    >>> n_drawn(20, 30, NullRequest(null_samples=100, shuffled=False)), n_drawn(2000, 1000, NullRequest())
    (300, 0)
    """
    if request is None:
        return 0
    n_samples = usual_samples(n_runs, n_queries) if request.null_samples is None else request.null_samples
    return n_samples * (len(DECIDING) * (1 + request.stability) + len(BESIDE) * request.shuffled)


def null_models(
    targeted: TargetedScores,
    rows: Sequence[TradeoffRow],
    design: Design,
    request: NullRequest,
) -> Null:
    """What the null models say of the correlations of every row; nothing is drawn where there is none.

    The models are of the whole pool; from every sample the target, the partition and the correlation over the listed
    runs, or over the row's own among them, are made exactly as from the data.

    >>> from biasvar_cli.decomposition.generalised import tradeoff_rows
    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> values = np.random.default_rng(0).beta(1, 3, size=(20, 30))
    >>> runs = ScoreMatrix(values, tuple(map(str, range(20))), tuple(map(str, range(30))), "AP")
    >>> targeted = TargetedScores(runs, runs, best_of_runs(runs))
    >>> rows = tradeoff_rows(targeted, Design())
    >>> null = null_models(targeted, rows, Design(), NullRequest(null_samples=200))
    >>> null.of(rows[0]).pearson.low < rows[0].correlations.pearson < null.of(rows[0]).pearson.high
    True
    >>> null.of(rows[0]).verdict
    'none'
    """
    none = Null({}, {}, "", 0, request.seed, of_systems=targeted.scores.replicates is not None)
    if not rows:
        return none
    halves = None
    if request.stability:
        rng = monte_carlo.generator(Stream.CROSS_HALVES, request.seed)
        halves = cross_half(targeted.scores.values, rng, target=targeted.target.scores)
    n_samples, why = _number(targeted, request)
    if why:
        return replace(none, why=why, cross_half=halves)
    surface, why = _fitted(targeted)
    analysis = _Analysis(targeted, rows, design, request, n_samples)
    if not n_samples:
        nothing = np.full((1, len(request.coefficients) * len(rows)), np.nan)
        by_means = {} if surface is None else analysis.by_row({model.name: nothing for model in DECIDING})
        by_others = {model.name: analysis.beside(nothing) for model in BESIDE if request.shuffled}
        return replace(none, rows=by_means, by_others=by_others, why=why)
    others = [model for model in BESIDE if request.shuffled and not (model.fitted and surface is None)]
    by_others = {
        model.name: analysis.beside(drawn)
        for model in others
        for drawn in analysis.drawn({model: model.fit(surface if model.fitted else targeted.pool)}).values()
    }
    beside = replace(none, by_others=by_others, n_samples=n_samples, cross_half=halves)
    if surface is None:
        return replace(beside, why=why)
    by_means, n_samples, beyond = analysis.decided({model: model.fit(surface) for model in DECIDING})
    return replace(beside, rows=by_means, n_samples=n_samples, stability=beyond)


def stability_of_runs(targeted: TargetedScores, request: NullRequest) -> Any:
    """z of each run as in `Stability`, (n_runs,), without H and D, for which as many samples are drawn again.

    None where there are no null models.
    """
    n_samples, _ = _number(targeted, request)
    surface, _ = _fitted(targeted) if n_samples else (None, "")
    if surface is None:
        return None
    analysis, values = _Analysis(targeted, (), Design(), request, n_samples), targeted.scores.values
    by_model = analysis.drawn({model: model.fit(surface) for model in DECIDING}, of_runs=True)
    return nearest([beside_means(values, drawn.reshape(-1, 2, len(values)))[0] for drawn in by_model.values()])


def _number(targeted: TargetedScores, request: NullRequest) -> tuple[int, str]:
    """The number of samples to draw, and the reason for none; warns where they are fewer than usual."""
    if targeted.scores.n_runs < correlation.LEAST_POINTS and not request.stability:
        return 0, ""
    if request.null_samples is not None:
        return request.null_samples, ""
    n_samples = usual_samples(*targeted.pool.values.shape)
    size = f"{counted(targeted.pool.n_runs, 'run')} on {counted(targeted.pool.n_queries, 'query')}"
    if not n_samples:
        why = f"to simulate {size} would take long; {argument(null_samples=FEWEST_SAMPLES)} does it all the same"
        warn(f"no null model: {why}")
        return 0, as_typed(why)
    if n_samples < USUAL_SAMPLES:
        why = f"because {USUAL_SAMPLES} would take long for {size}"
        remedy = f"{argument(null_samples=USUAL_SAMPLES)} draws {USUAL_SAMPLES}"
        warn(f"{n_samples} samples of each null model are drawn, {why}; {remedy}")
    return n_samples, ""


def _fitted(targeted: TargetedScores) -> tuple[Surface | None, str]:
    """The surface that the models are fitted to, or None and the reason."""
    if not targeted.pool.units.are_single:
        return None, "the null models take queries for independent, and here they are in clusters"
    if targeted.logs:
        return None, "the null models are of scores, not of their logarithms"
    if targeted.pool.better == "less" and targeted.pool.values.min() < 0:
        return None, "the null models need scores from 0 to 1 of which more is better, and here less is"
    try:
        return fit_surface(targeted.pool.values), ""
    except DataError as error:
        return None, error.typed


def _alone(sampler: Sampler, rng: np.random.Generator, n_samples: int, *, jobs: int) -> FloatArray:
    """Samples of one model, in the shape of `draw_together`."""
    return sampler.draw(rng, n_samples, jobs=jobs)[:, None]


@dataclass(frozen=True, eq=False)
class _Analysis:
    """The analysis that the samples of a model go through."""

    targeted: TargetedScores
    rows: Sequence[TradeoffRow]
    design: Design
    request: NullRequest
    n_samples: int

    @property
    def _is_large(self) -> bool:
        return self.targeted.pool.values.size > monte_carlo.LARGE_SAMPLE

    @property
    def _size(self) -> int:
        if self._is_large:
            return max(1, _LARGE_BLOCK // self.targeted.pool.values.size)
        return monte_carlo.block_size(*self.targeted.pool.values.shape)

    def drawn(self, samplers: Mapping[NullModel, Sampler], **how: Any) -> dict[NullModel, FloatArray]:
        """What each model's samples say, as in `_drawn`.

        Deciding models have the same deviates, which are made once unless the samples of a block need much memory.
        """
        correlated = [sampler for sampler in samplers.values() if isinstance(sampler, CorrelatedScores)]
        is_small = self._is_large or self._size * self.targeted.pool.values.size <= _SHARED_BLOCK
        if is_small and len(correlated) == len(samplers):
            draw, stream = partial(draw_together, correlated), next(iter(samplers)).stream
            together = self._drawn(draw, stream, len(samplers), **how)
            return {model: together[:, number] for number, model in enumerate(samplers)}
        return {
            model: self._drawn(partial(_alone, sampler), model.stream, 1, **how)[:, 0]
            for model, sampler in samplers.items()
        }

    def _drawn(
        self,
        draw: Callable[..., FloatArray],
        stream: Stream,
        n_models: int,
        *,
        n_samples: int | None = None,
        first: int = 0,
        fresh: bool = False,
        of_runs: bool = False,
    ) -> FloatArray:
        """Per sample and model the correlations of the rows, and mean and variance ``of_runs``: see `sample_statistic`.

        ``fresh`` are other samples, for the runs alone.
        """
        n_samples, size = n_samples or self.n_samples, self._size
        jobs = self.request.jobs if self.targeted.pool.values.size >= _LEAST_FOR_THREADS else 1
        rows, ranks = () if fresh else self.rows, self.request.ranks
        statistic = sample_statistic(self.targeted, rows, self.design, of_runs=of_runs, ranks=ranks)

        def errors(samples: FloatArray) -> FloatArray:
            return np.stack([statistic.errors(samples[:, number]) for number in range(n_models)], axis=1)

        def summary(errors: FloatArray) -> FloatArray:
            return statistic.summary(errors.reshape(-1, *errors.shape[2:])).reshape(*errors.shape[:2], -1)

        return monte_carlo.over_blocks(
            partial(draw, jobs=jobs if n_samples <= size else 1),
            errors,
            n_samples,
            partial(monte_carlo.generator, Stream.NULL_FRESH if fresh else stream, self.request.seed),
            size=size,
            jobs=jobs,
            first=first,
            n_models=n_models,
            finish=summary,
        )

    def decided(self, samplers: Mapping[NullModel, Sampler]) -> tuple[dict[RowKey, RowNull], int, Stability | None]:
        """What the deciding models say of the rows, of how many samples, and of the stability of the runs.

        More samples are drawn where their usual number leaves a verdict open, and more would not take long.
        """
        samples = self.drawn(samplers, of_runs=self.request.stability)
        beyond = None
        if self.request.stability:
            scores, by_model = self.targeted.scores, []
            for model, fresh in self.drawn(samplers, fresh=True, of_runs=True).items():
                parts = (drawn[:, -2 * scores.n_runs :] for drawn in (samples[model], fresh))
                by_model.append(stability(scores.values, *(part.reshape(-1, 2, scores.n_runs) for part in parts)))
            beyond = least_extreme(by_model)
        n_rows = len(self.request.coefficients) * len(self.rows)
        of_rows = {model.name: drawn[:, :n_rows] for model, drawn in samples.items()}
        by_means = self.by_row(of_rows)
        more, is_usual = 0, self.request.null_samples is None and self.n_samples >= USUAL_SAMPLES
        if is_usual and any(row.verdict is not None and undecided(row.models) for row in by_means.values()):
            affordable = monte_carlo.affordable_samples(*self.targeted.pool.values.shape)
            more = max(0, min(_MORE_SAMPLES, affordable) - self.n_samples)
        if more:
            first = -(-self.n_samples // self._size)
            for model, added in self.drawn(samplers, n_samples=more, first=first).items():
                of_rows[model.name] = np.concatenate([of_rows[model.name], added])
            by_means = self.by_row(of_rows)
        return by_means, self.n_samples + more, beyond

    def by_row(self, samples: Mapping[str, FloatArray]) -> dict[RowKey, RowNull]:
        """What the deciding models say of each row, by their samples of all rows, (B, 3 rows) each."""
        return {
            row.key: row_null(row, self.targeted, {name: drawn[:, columns] for name, drawn in samples.items()})
            for row, columns in self._columns_by_row()
        }

    def beside(self, samples: FloatArray) -> dict[RowKey, RowBeside]:
        """What a model beside the deciding ones says of each row, by its samples of all rows, (B, 3 rows)."""
        return {row.key: row_beside(row, samples[:, columns]) for row, columns in self._columns_by_row()}

    def _columns_by_row(self) -> list[tuple[TradeoffRow, slice]]:
        n = len(self.request.coefficients)
        return [(row, slice(n * index, n * (index + 1))) for index, row in enumerate(self.rows)]
