"""What null models say of a row of correlations: its range, its tails, and a verdict where simulation supports one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Literal, NamedTuple

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import SINGLE
from biasvar_cli.decomposition.decompose import TargetedScores
from biasvar_cli.decomposition.generalised import TradeoffRow
from biasvar_cli.measures.catalogue import one_document_decides
from biasvar_cli.stats import monte_carlo
from biasvar_cli.stats.monte_carlo import Simulated, Tails, tails
from biasvar_cli.words import COEFFICIENTS, QUERIES, RUNS

Verdict = Literal["stronger", "weaker", "none"]
Side = Literal["below", "within", "above"]  # of a range
TAIL_LEVEL = 0.015  # of one tail in every model; simulation says so: docs/validation.md
NEAR = (0.004, 0.045)  # p that 300 samples cannot tell from the level
LEAST_RUNS, LEAST_QUERIES = 10, 15  # that a verdict is given for
_MANY_QUERIES = 40  # from which on measures that one document decides are not called weaker: simulation says so


def together(models: Mapping[str, Tails]) -> Simulated:
    """The widest range of some models, the median of the first, and p = min(1, 2 max over models of the smaller tail).

    >>> first = Tails(-0.9, -0.95, -0.8, 0.99, 0.01, 300, 0)
    >>> together({"common": first, "by-query": first._replace(low=-0.97, p_upper=0.02)})[:4]
    (-0.9, -0.97, -0.8, 0.04)
    """
    first, *_ = several = list(models.values())
    return Simulated(
        median=first.median,
        low=min(model.low for model in several),
        high=max(model.high for model in several),
        p=min(1.0, 2 * max(min(model.p_lower, model.p_upper) for model in several)),
        n_samples=min(model.n_samples for model in several),
        n_undefined=max(model.n_undefined for model in several),
    )


def side(observed: float, low: float, high: float) -> Side | None:
    """Where a number lies beside a range, which is no test; None where one of them is undefined.

    >>> side(-0.95, -0.9, -0.5), side(-0.7, -0.9, -0.5), side(0.2, -0.9, -0.5), side(float("nan"), -0.9, -0.5)
    ('below', 'within', 'above', None)
    """
    if any(isnan(value) for value in (observed, low, high)):
        return None
    return "below" if observed < low else "above" if observed > high else "within"


def verdict(models: Mapping[str, Tails]) -> Verdict:
    """``stronger`` (more negative) or ``weaker`` than all models at the `TAIL_LEVEL`, else ``none``.

    >>> first = Tails(-0.9, -0.95, -0.8, 0.99, 0.01, 300, 0)
    >>> verdict({"common": first}), verdict({"common": first, "by-query": first._replace(p_upper=0.02)})
    ('weaker', 'none')
    """
    if all(model.p_lower <= TAIL_LEVEL for model in models.values()):
        return "stronger"
    return "weaker" if all(model.p_upper <= TAIL_LEVEL for model in models.values()) else "none"


def undecided(models: Mapping[str, Tails]) -> bool:
    """Whether the p that decides is too near the `TAIL_LEVEL` to be told from it by a few hundred samples.

    >>> first = Tails(-0.9, -0.95, -0.8, 0.99, 0.01, 300, 0)
    >>> undecided({"common": first}), undecided({"common": first._replace(p_upper=0.2)})
    (True, False)
    """
    decides = min(max(getattr(model, tail) for model in models.values()) for tail in ("p_lower", "p_upper"))
    return bool(NEAR[0] <= decides <= NEAR[1])


@dataclass(frozen=True, eq=False)
class RowNull:
    """What the deciding models say of the three correlations of a row.

    The range of each is the widest of the models, its median that of the first; those of ranks are None where they are
    not asked for. ``models`` are the models on Pearson's r, by name. ``verdict`` and the p of Pearson's r are None and
    nan where none is given, for which there is a ``reason``; a verdict ``none`` may have a reason too.
    """

    pearson: Simulated
    spearman: Simulated | None
    kendall: Simulated | None
    models: Mapping[str, Tails]
    verdict: Verdict | None
    reason: str

    def document(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "verdict": self.verdict,
            "reason": self.reason or None,
            **_ranges(self),
            "models": {
                name: {key: getattr(model, key) for key in ("median", "low", "high", "p_lower", "p_upper")}
                for name, model in self.models.items()
            },
        }


class RowBeside(NamedTuple):
    """What a model beside the deciding ones says of the three correlations of a row, and both tails of Pearson's r."""

    pearson: Simulated
    spearman: Simulated | None
    kendall: Simulated | None
    both_tails: Tails

    def document(self) -> dict[str, Any]:
        """The same as plain values: median, interval and p of each correlation."""
        return _ranges(self)


def _ranges(row: RowNull | RowBeside) -> dict[str, dict[str, float]]:
    simulated = {name: getattr(row, name) for name in COEFFICIENTS}
    return {
        name: {key: getattr(values, key) for key in ("median", "low", "high", "p")}
        for name, values in simulated.items()
        if values is not None
    }


def row_null(row: TradeoffRow, targeted: TargetedScores, samples: Mapping[str, FloatArray]) -> RowNull:
    """What the deciding models say of a row, by the samples of its correlations, (B, 3) or (B, 1) of each model.

    p is kept for Pearson's r alone, and only where a verdict is given.
    """
    n_simulated = next(iter(samples.values())).shape[1]
    observed = [getattr(row.correlations, name) for name in COEFFICIENTS[:n_simulated]]
    models = [
        {name: tails(r, drawn[:, column]) for name, drawn in samples.items()} for column, r in enumerate(observed)
    ]
    pearson, *ranks = map(together, models)
    spearman, kendall = [rank._replace(p=nan) for rank in ranks] or (None, None)
    reason, row_verdict = _why_no_verdict(row, targeted, models[0]), None
    if reason:
        pearson = pearson._replace(p=nan)
    else:
        row_verdict = verdict(models[0])
    many = row.n_subsets >= _MANY_QUERIES
    if row_verdict == "weaker" and many and one_document_decides(targeted.scores.measure):
        row_verdict = "none"
        reason = f"no verdict weaker from {_MANY_QUERIES} {QUERIES} on, for measures that one document decides"
    return RowNull(pearson, spearman, kendall, models[0], row_verdict, reason)


def row_beside(row: TradeoffRow, samples: FloatArray) -> RowBeside:
    """Compare the correlations of a row with a model that decides nothing.

    ``samples`` are the correlations in B simulated tracks, shape (B, 3) or (B, 1). For the gap form p is nan.
    """
    observed = [getattr(row.correlations, name) for name in COEFFICIENTS[: samples.shape[1]]]
    simulated = [monte_carlo.summarise(r, samples[:, column]) for column, r in enumerate(observed)]
    if row.form == "gap":
        simulated = [coefficient._replace(p=nan) for coefficient in simulated]
    pearson, *ranks = simulated
    spearman, kendall = ranks or (None, None)
    return RowBeside(pearson, spearman, kendall, tails(row.correlations.pearson, samples[:, 0]))


def _why_no_verdict(row: TradeoffRow, targeted: TargetedScores, models: Mapping[str, Tails]) -> str:
    """Why nothing is said of a row beyond its range; empty where a verdict is given.

    Verdicts are given where simulation shows how often they are wrong (docs/validation.md).
    """
    n_runs = targeted.scores.n_runs if row.among is None else len(row.among)
    if isnan(row.correlations.pearson):
        return "r is undefined"
    if row.form != "score" or row.sampling != SINGLE:
        return f"verdicts are given for single {QUERIES} in the score form alone"
    if n_runs < LEAST_RUNS:
        return f"a verdict needs {LEAST_RUNS} {RUNS}, found {n_runs}"
    if targeted.scores.n_queries < LEAST_QUERIES:
        return f"a verdict needs {LEAST_QUERIES} {QUERIES}, found {targeted.scores.n_queries}"
    if targeted.scores.replicates is not None:
        return "a verdict on systems of several runs would be wrong too often"
    if any(not model.n_samples for model in models.values()):
        return "r of every simulated track is undefined"
    return ""
