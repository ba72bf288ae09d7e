"""``bv.compare``: which runs differ, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

from biasvar_cli.analyses.compare.answer import answer
from biasvar_cli.analyses.compare.columns import TABLES
from biasvar_cli.analyses.compare.request import CompareRequest, Of
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import Result, ScoresLike, scores_from
from biasvar_cli.stats.significance import USUAL, Correction, Test


@warning_there
def compare(
    scores: ScoresLike,
    baseline: str | None = None,
    *,
    target: str = "best",
    measure: object | None = None,
    qrels: Judgments | None = None,
    of: Of = CompareRequest.of,
    test: Test | Sequence[Test] = (),
    correction: Correction = CompareRequest.correction,
    level: float = CompareRequest.level,
    samples: int = CompareRequest.samples,
    splits: int = CompareRequest.splits,
    power: float = CompareRequest.power,
    seed: int = CompareRequest.seed,
    **reading: Unpack[Reading],
) -> Result:
    """Which runs differ significantly: paired tests of all pairs, or against a baseline, run:NAME or top.

    ``frame()`` has a row a run, with a baseline a row a pair; ``frame("pairs")``, ``frame("power")`` and
    ``frame("swap")`` are the other tables of ``biasvar compare``. The other arguments are as there and in `decompose`.
    """
    request = CompareRequest(
        baseline=() if baseline is None else (baseline,),
        test=several(test) or USUAL,
        correction=correction,
        of=of,
        level=level,
        samples=samples,
        power=power,
        splits=splits,
        target=(target,),
        seed=seed,
    )
    given = scores_from(scores, measure, qrels, reading)
    (compared,) = answer(given.track, replace(request, jobs=given.jobs))
    names = sorted(TABLES, key=lambda name: name != "pairs") if baseline is not None else list(TABLES)
    views = [CompareView(table=name, best_first=False, for_people=False) for name in names]
    return Result.of(
        compared.compared.targeted.scores, {view.table: partial(compare_table, compared, view) for view in views}
    )
