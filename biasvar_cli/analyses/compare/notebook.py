"""``bv.compare``: which runs differ, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from biasvar_cli.analyses.compare.answer import CompareAnswer, answer
from biasvar_cli.analyses.compare.columns import TABLES
from biasvar_cli.analyses.compare.figures import FIGURES
from biasvar_cli.analyses.compare.request import CompareRequest, Of
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.notebook.arguments import Reading, requested, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.stats.significance import Correction, Test
from biasvar_cli.tables.table import Table
from biasvar_cli.words import LogForm


@warning_there
def compare(
    scores: ScoresLike,
    baseline: str | Sequence[str] | None = None,
    *,
    target: str | Sequence[str] = "best",
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    of: Of = CompareRequest.of,
    test: Test | Sequence[Test] = CompareRequest.test,
    correction: Correction = CompareRequest.correction,
    level: float = CompareRequest.level,
    samples: int = CompareRequest.samples,
    power: float = CompareRequest.power,
    detect: float | None = None,
    splits: int = CompareRequest.splits,
    seed: int = CompareRequest.seed,
    **reading: Unpack[Reading],
) -> Result:
    """Which runs differ significantly: paired tests of all pairs, or against a baseline, run:NAME or top.

    ``frame()`` has a row a run, with a baseline a row a pair; ``frame("pairs")``, ``frame("power")`` and
    ``frame("swap")`` are the other tables of ``biasvar compare``. The other arguments are as there and in `decompose`.
    """
    given = locals()
    loaded = scores_from(scores, measure, qrels, reading)
    answers = answer(loaded.track, requested(CompareRequest, given, jobs=loaded.jobs))
    first = "runs" if baseline is None else "pairs"
    tables = tuple(sorted(TABLES, key=lambda name: name != first))
    return Result.made(
        "compare",
        answers,
        tuple(sorted(TABLES, key=lambda name: name != first)),
        _tables,
        scores=loaded,
        figures=FIGURES,
    )


def _tables(answers: Sequence[CompareAnswer], shown: Shown) -> list[Table]:
    view = shown.view(CompareView, table=shown.table)
    return [compare_table(each, view) for each in answers]
