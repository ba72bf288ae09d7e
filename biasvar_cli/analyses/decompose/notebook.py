"""``bv.decompose``: a decomposition in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Unpack

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer, answer
from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.notebook.arguments import Reading, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import Result, ScoresLike, scores_from
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.tables.null import null_columns
from biasvar_cli.tables.table import Table
from biasvar_cli.words import COEFFICIENTS, LogForm

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class DecompositionResult(Result):
    """A decomposition: ``frame()`` has a row a run, ``correlations`` those of bias² and variance over the runs.

    ``target`` has ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries, or None.
    """

    answer: DecomposeAnswer

    @property
    def target(self) -> VirtualTarget:
        """The virtual target."""
        return self.answer.target

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """Pearson, Spearman and Kendall in both forms, and Pearson's r under three null models, in which runs differ
        only in their means.

        ``null_low`` to ``null_high`` is the widest of their central 95 %, ``null_r`` the median of the first, ``p`` is
        two-sided, and ``verdict`` is stronger, weaker or none; the gap form has no p and no verdict. ``null=False``
        leaves these five out.
        """
        rows, null = self.answer.rows, self.answer.null
        columns: dict[str, list[Any]] = {
            "form": [row.form for row in rows],
            **{name: [getattr(row.correlations, name) for row in rows] for name in COEFFICIENTS},
            **({} if null is None else null_columns(rows, null)),
        }
        return Table("Correlations", columns).frame().set_index("form")


@warning_there
def decompose(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    pareto: bool = False,
    ci: float | None = None,
    resamples: int | None = None,
    baseline: str | None = None,
    null: bool = True,
    null_samples: int | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> DecompositionResult:
    """Bias², variance and total error of every run against a virtual target.

    ``scores`` are what `evaluate` gives, paths of score files (or of runs, with ``qrels``), or a DataFrame: a row a
    query and a column a run, or a row a score, as PyTerrier has it (``name qid measure value``). The options are those
    of ``biasvar decompose``: ``ci`` is a level such as 0.95, ``baseline`` a run, NAME, run:NAME or top. ``null`` puts
    the null model beside the correlations.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    The runs of SIGIR 2013, Tables 1 and 2, against the model T:

    >>> import pandas as pd
    >>> runs = {"A": [0.3, 0.1], "B": [0.6, 0.08], "C": [0.65, 0.03], "T": [0.7, 0.2]}
    >>> result = decompose(pd.DataFrame(runs, index=["q1", "q2"]), "run:T", measure="AP")
    >>> result.frame()["total_gap"].round(4).to_dict()
    {'A': 0.085, 'B': 0.0122, 'C': 0.0157, 'T': 0.0}
    """
    request = DecomposeRequest(
        target=(target,), log=log, eps=eps, pareto=pareto, ci=ci, resamples=resamples, baseline=baseline, seed=seed
    )
    given = scores_from(scores, measure, qrels, reading)
    models = NullRequest(null_samples=null_samples, seed=seed, jobs=given.jobs, shuffled=False) if null else None
    (found,) = answer(given.track, replace(request, null=models))
    view = DecomposeView(best_first=False, rows_alone=True)
    decompose_table(found, view)  # what is wrong or worth a warning is said now, not with the first frame
    matrix = found.targeted.scores
    tables = {"runs": partial(decompose_table, found, view)}
    return DecompositionResult(matrix.measure, matrix.n_runs, matrix.n_queries, tables, found)
