"""``bv.sensitivity``: what a ranking depends on, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from biasvar_cli.analyses.sensitivity.answer import SensitivityAnswer, answer
from biasvar_cli.analyses.sensitivity.columns import TABLES
from biasvar_cli.analyses.sensitivity.request import SensitivityRequest
from biasvar_cli.analyses.sensitivity.table import SensitivityView, sensitivity_table
from biasvar_cli.notebook.arguments import Reading, requested, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.tables.table import Table
from biasvar_cli.words import LogForm


@warning_there
def sensitivity(
    scores: ScoresLike,
    target: str | Sequence[str] = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    teams: str | None = None,
    splits: int = SensitivityRequest.splits,
    precision: float = SensitivityRequest.precision,
    seed: int = SensitivityRequest.seed,
    **reading: Unpack[Reading],
) -> Result:
    """How far the ranking of the runs by total depends on the target, on single runs and queries, and on chance.

    ``frame()`` has the ranking against other targets; ``frame("runs")``, ``frame("neighbours")``, ``frame("queries")``,
    ``frame("reliability")`` and ``frame("mean")`` are the other tables of ``biasvar sensitivity``. ``teams`` is the
    path of a csv of run,team. The other arguments are as in `decompose`.
    """
    given = locals()
    loaded = scores_from(scores, measure, qrels, reading)
    answers = answer(loaded.track, requested(SensitivityRequest, given))
    return Result.made("sensitivity", answers, tuple(TABLES), _tables, scores=loaded)


def _tables(answers: Sequence[SensitivityAnswer], shown: Shown) -> list[Table]:
    view = shown.view(SensitivityView, table=shown.table)
    return [sensitivity_table(each, view) for each in answers]
