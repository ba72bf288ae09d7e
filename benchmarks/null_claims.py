"""What the program says of the tradeoff in one track, as yes or no: what `calibrate_null` counts."""

from __future__ import annotations

import numpy as np

from biasvar_cli.analyses.null import Null, NullRequest, null_models
from biasvar_cli.analyses.tradeoff import Design, TradeoffRow, tradeoff_rows
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.target import Aim, best_of_runs
from biasvar_cli.scores import ScoreMatrix

LEVEL = 0.05
SAMPLES = 500


def claims(values: FloatArray, seed: int, measure: str | None = None) -> dict[str, bool]:
    """What is said of scores (R, n) with the best run of each query as the target: {"stronger": False, ...}.

    The verdict over single queries is ``stronger`` or ``weaker``; that of another sampling or form has its `name`
    before it. ``H`` and ``D``: the two tests of ``--stability`` reject at 5 %.
    """
    names, queries = (tuple(map(str, range(number))) for number in values.shape)
    runs = ScoreMatrix(values, names, queries, measure)
    aim, design = Aim(runs, runs, best_of_runs(runs)), Design(seed=seed)
    rows = tradeoff_rows(aim, design)
    null = null_models(aim, rows, design, NullRequest(n_samples=SAMPLES, seed=seed, exchangeable=False, stability=True))
    found: dict[str, bool] = {}
    for row in rows:
        said = verdict(row, null)
        found |= {f"{name(row)}{each}": said == each for each in ("stronger", "weaker")}
    steady = null.stability
    found["H"] = steady is not None and steady.spread_null.p <= LEVEL
    found["D"] = steady is not None and steady.trend_null.p <= LEVEL
    return found


def verdict(row: TradeoffRow, null: Null) -> str:
    """By one model: a two-sided p of at most .05, or outside 95 % in the gap form, and the side of the median."""
    common, observed = null.of(row), row.correlations.pearson
    if common is None or not np.isfinite(observed) or (row.form == "score" and observed >= 0):
        return "none"
    model = common.pearson
    outside = not model.low <= observed <= model.high if row.form == "gap" else model.p <= LEVEL
    return "none" if not outside else "stronger" if observed < model.median else "weaker"


def name(row: TradeoffRow) -> str:
    """What stands before the verdict on a row, empty for single queries in the score form."""
    kind = {"single": "", "random": "(b) ", "random-exact": "(b exact) ", "difficulty": "(c) "}[row.sampling.kind]
    normalised = "(d) " if row.sampling.normalised and not kind else "(d tens) " if row.sampling.normalised else kind
    return normalised + ("gap " if row.form == "gap" else "")
