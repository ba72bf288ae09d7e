"""What null models say of one row of correlations: ranges, tails, and a verdict where simulation supports one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import SINGLE, TradeoffRow
from biasvar_cli.measures.table import one_document_decides
from biasvar_cli.nulls.verdict import Tails, Verdict, tails, together, verdict
from biasvar_cli.stats.monte_carlo import Simulated, summarise
from biasvar_cli.words import COEFFICIENTS

LEAST_RUNS, LEAST_QUERIES = 10, 15  # that a verdict is given for
_MANY_QUERIES = 40  # from which on measures that one document decides are not called weaker: simulation says so


@dataclass(frozen=True, eq=False)
class RowNull:
    """What the deciding models say of the three correlations of a row.

    The range of each is the widest of the models, its median that of the first. ``models`` are the models on Pearson's
    r, by name. ``verdict`` and the p of Pearson's r are None and nan where none is given, for which there is a
    ``reason``; a verdict ``none`` may have a reason too.
    """

    pearson: Simulated
    spearman: Simulated
    kendall: Simulated
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


class RowShuffled(NamedTuple):
    """What shuffled scores say of the three correlations of a row, and both tails of Pearson's r."""

    pearson: Simulated
    spearman: Simulated
    kendall: Simulated
    both_tails: Tails

    def document(self) -> dict[str, Any]:
        """The same as plain values: median, interval and p of each correlation."""
        return _ranges(self)


def _ranges(row: RowNull | RowShuffled) -> dict[str, dict[str, float]]:
    return {
        name: {key: getattr(getattr(row, name), key) for key in ("median", "low", "high", "p")} for name in COEFFICIENTS
    }


def row_null(row: TradeoffRow, targeted: TargetedScores, samples: Mapping[str, FloatArray]) -> RowNull:
    """What the deciding models say of a row, by the samples of its three correlations, (B, 3) of each model."""
    observed = [getattr(row.correlations, name) for name in COEFFICIENTS]
    models = [
        {name: tails(value, drawn[:, place]) for name, drawn in samples.items()} for place, value in enumerate(observed)
    ]
    pearson, spearman, kendall = (together(each) for each in models)
    given, reason = _verdict(row, targeted, models[0])
    nan = float("nan")
    return RowNull(
        pearson=pearson if given is not None else pearson._replace(p=nan),
        spearman=spearman._replace(p=nan),
        kendall=kendall._replace(p=nan),
        models=models[0],
        verdict=given,
        reason=reason,
    )


def row_shuffled(row: TradeoffRow, samples: FloatArray) -> RowShuffled:
    """What shuffled scores say of a row, by the samples of its three correlations, (B, 3); no p for the gap form."""
    own = [summarise(getattr(row.correlations, name), samples[:, place]) for place, name in enumerate(COEFFICIENTS)]
    if row.form == "gap":
        own = [each._replace(p=float("nan")) for each in own]
    return RowShuffled(own[0], own[1], own[2], tails(row.correlations.pearson, samples[:, 0]))


def _verdict(row: TradeoffRow, targeted: TargetedScores, models: Mapping[str, Tails]) -> tuple[Verdict | None, str]:
    """The verdict on a row, None where none can be given, and the reason."""
    reason = why_no_verdict(row, targeted, models)
    if reason:
        return None, reason
    given = verdict(models)
    if given == "weaker" and one_document_decides(targeted.scores.measure) and row.n_subsets >= _MANY_QUERIES:
        return "none", f"of measures that one document decides, weaker is not said from {_MANY_QUERIES} queries on"
    return given, ""


def why_no_verdict(row: TradeoffRow, targeted: TargetedScores, models: Mapping[str, Tails]) -> str:
    """Why nothing is said of a row beyond its range; empty where a verdict is given.

    Verdicts are given where simulation shows how often they are wrong (docs/definitions.md).
    """
    n_runs = targeted.scores.n_runs if row.among is None else len(row.among)
    if row.correlations.pearson != row.correlations.pearson:
        return "r is undefined"
    if row.form != "score" or row.sampling != SINGLE:
        return "verdicts are given for single queries in the score form alone"
    if n_runs < LEAST_RUNS:
        return f"a verdict needs {LEAST_RUNS} runs, found {n_runs}"
    if targeted.scores.n_queries < LEAST_QUERIES:
        return f"a verdict needs {LEAST_QUERIES} queries, found {targeted.scores.n_queries}"
    if any(not model.n_samples for model in models.values()):
        return "r of every simulated track is undefined"
    return ""
