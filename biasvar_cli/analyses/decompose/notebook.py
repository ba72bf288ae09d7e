"""``bv.decompose``: a decomposition in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, Unpack

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer, answer
from biasvar_cli.analyses.decompose.figures import FIGURES
from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.analyses.decompose.table import DecomposeView, correlations_table, decompose_table
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.notebook.arguments import Reading, null_request, requested, warning_there
from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown, only
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.tables.table import Table
from biasvar_cli.words import IntervalMethod, LogForm, Redrawn

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecompositionResult(Result):
    """A decomposition: ``frame()`` has a row a run, ``correlations`` those of bias² and variance over the runs."""

    @property
    def target(self) -> VirtualTarget:
        """The virtual target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` of the queries, or None.

        Raises `UsageError` for several.
        """
        targets: list[VirtualTarget] = [each.target.in_unit for each in self.answers]
        return only(targets, "targets and measures")

    @property
    def correlations(self) -> pd.DataFrame:
        """Pearson, Spearman and Kendall in both forms, and Pearson's r under three null models, in which runs differ
        only in their means.

        ``null_low`` to ``null_high`` is the widest of their central 95 %, ``null_r`` the median of the first, ``p`` is
        two-sided, and ``verdict`` is stronger, weaker or none; the gap form has no p and no verdict. ``null=False``
        leaves these five out.
        """
        return self.frame("correlations").set_index("form")


@warning_there
def decompose(
    scores: ScoresLike,
    target: str | Sequence[str] = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    weights: tuple[float, float] | None = None,
    rank: bool = False,
    pareto: bool = False,
    stability: bool = False,
    ci: float | None = None,
    resamples: int | None = None,
    ci_method: IntervalMethod | None = None,
    over: Redrawn | Sequence[Redrawn] = (),
    teams: str | None = None,
    baseline: str | None = None,
    clusters: ClustersLike | None = None,
    null: bool = True,
    null_samples: int | None = None,
    form: Literal["score", "gap", "both"] = "score",
    seed: int = 0,
    **reading: Unpack[Reading],
) -> DecompositionResult:
    """Bias², variance and total error of every run against a virtual target.

    ``scores`` are what `evaluate` gives, paths of score files (or of runs, with ``qrels``), or a DataFrame: a row a
    query and a column a run, or a row a score, as PyTerrier has it (``name qid measure value``). The options are those
    of ``biasvar decompose``: ``ci`` is a level such as 0.95, ``baseline`` a run, NAME, run:NAME or top. ``clusters``
    says which queries belong together, as in `compare`. ``null`` puts the null models beside the correlations. ``form``
    is what the text shows; frames have both.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    The runs of SIGIR 2013, Tables 1 and 2, against the model T:

    >>> import pandas as pd
    >>> runs = {"A": [0.3, 0.1], "B": [0.6, 0.08], "C": [0.65, 0.03], "T": [0.7, 0.2]}
    >>> result = decompose(pd.DataFrame(runs, index=["q1", "q2"]), "run:T", measure="AP")
    >>> result.frame()["total_gap"].round(4).to_dict()
    {'T': 0.0, 'A': 0.085, 'B': 0.0122, 'C': 0.0157}
    """
    given = locals()
    loaded = scores_from(scores, measure, qrels, reading)
    models = null_request(given, loaded.jobs, stability=stability)
    answers = answer(loaded.track, requested(DecomposeRequest, given, null=models))
    return DecompositionResult.made(
        "decompose", answers, ("runs", "correlations"), partial(_tables, form), scores=loaded, figures=FIGURES
    )


def _tables(form: Literal["score", "gap", "both"], answers: Sequence[DecomposeAnswer], shown: Shown) -> list[Table]:
    if shown.table == "correlations":
        return [correlations_table(each) for each in answers]
    view = shown.view(DecomposeView, form=form)
    return [decompose_table(each, view) for each in answers]
