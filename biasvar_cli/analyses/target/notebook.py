"""``bv.target``: the virtual target in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from biasvar_cli.analyses.target.answer import TargetAnswer, answer
from biasvar_cli.analyses.target.columns import TABLES
from biasvar_cli.analyses.target.figures import FIGURES
from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.analyses.target.table import TargetView, target_table
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.notebook.arguments import Reading, requested, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown, only
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.tables.table import Table
from biasvar_cli.words import DifficultyKey


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TargetResult(Result):
    """A virtual target: ``frame()`` has a row a query."""

    @property
    def target(self) -> VirtualTarget:
        """The target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries.

        Raises `UsageError` for several.
        """
        targets: list[VirtualTarget] = [each.target for each in self.answers]
        return only(targets, "measures")


@warning_there
def target(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    rarefied: int | None = None,
    difficulty: DifficultyKey = TargetRequest.difficulty,
    subset_size: int = TargetRequest.subset_size,
    **reading: Unpack[Reading],
) -> TargetResult:
    """The virtual target: its score on every query, the runs that supply it, and how hard the query is.

    ``frame("runs")`` has what each run contributes, ``frame("rarefied")`` the target of fewer runs, as ``biasvar target
    --table`` has them. The other arguments are as in `decompose`.
    """
    given = locals()
    loaded = scores_from(scores, measure, qrels, reading)
    answers = answer(loaded.track, requested(TargetRequest, given))
    return TargetResult.made("target", answers, tuple(TABLES), _tables, scores=loaded, figures=FIGURES)


def _tables(answers: Sequence[TargetAnswer], shown: Shown) -> list[Table]:
    view = shown.view(TargetView, table=shown.table)
    return [target_table(each, view) for each in answers]
