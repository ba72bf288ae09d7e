"""What the program says of the tradeoff in one track, as yes or no: what `calibrate_null` counts."""

from __future__ import annotations

import numpy as np

from biasvar_cli.analyses.profile.table import UNUSUAL
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import SINGLE, Design
from biasvar_cli.decomposition.decompose import TargetedScores, best_of_runs
from biasvar_cli.decomposition.generalised import TradeoffRow, tradeoff_rows
from biasvar_cli.nulls.models import null_models
from biasvar_cli.nulls.verdicts import verdict
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.requests import NullRequest

LEVEL = 0.05
VERDICTS = ("stronger", "weaker")


def claims(
    values: FloatArray, seed: int, measure: str | None = None, *, verdict_alone: bool = False
) -> dict[str, float]:
    """What is said of scores (R, n) with the best run of each query as the target: {"stronger": False, ...}.

    ``stronger`` and ``weaker`` are the program's verdict over single queries. With a `name` before it, it is what the
    same rule would say of another sampling or form, for which the program gives no verdict; ``rule`` is that rule over
    single queries, without the exception for measures that one document decides. ``H`` and ``D``: the two tests of
    ``--stability`` reject at 5 %; ``unusual`` is the share of runs whose variance `profile` calls lower or higher than
    expected. With ``verdict_alone``, the score form over single queries is all that is looked at.
    """
    names, queries = (tuple(map(str, range(number))) for number in values.shape)
    runs = ScoreMatrix(values, names, queries, measure)
    targeted, design = TargetedScores(runs, runs, best_of_runs(runs)), Design(seed=seed)
    rows = tradeoff_rows(targeted, design)[: 1 if verdict_alone else None]
    null = null_models(targeted, rows, design, NullRequest(seed=seed, shuffled=False, stability=not verdict_alone))
    found: dict[str, float] = {}
    for row in rows:
        said = null.of(row)
        if row.sampling == SINGLE and row.form == "score":
            found |= {each: said is not None and said.verdict == each for each in VERDICTS}
        by_rule = verdict(said.models) if said is not None else None
        found |= {f"{name(row)} {each}": by_rule == each for each in VERDICTS}
    if not verdict_alone:
        steady = null.stability
        found["H"] = steady is not None and steady.spread_null.p <= LEVEL
        found["D"] = steady is not None and steady.trend_null.p <= LEVEL
        found["unusual"] = 0.0 if steady is None else float((np.abs(steady.z) > UNUSUAL).mean())
    return found


def name(row: TradeoffRow) -> str:
    """What stands before a verdict on a row: its sampling, as in the papers, and the gap form.

    >>> from biasvar_cli.decomposition import Sampling
    >>> from biasvar_cli.stats.correlation import UNDEFINED
    >>> [name(TradeoffRow(each, "gap", UNDEFINED, 5, 0)) for each in (SINGLE, Sampling("difficulty", 10))]
    ['gap', '(c) gap']
    """
    if row.sampling.normalised:
        kind = "(d)" if row.sampling.kind == "single" else "(d) tens"
    else:
        kind = {"single": "", "random": "(b)", "random-exact": "(b) exact", "difficulty": "(c)"}[row.sampling.kind]
    return f"{kind} gap".strip() if row.form == "gap" else kind or "rule"
