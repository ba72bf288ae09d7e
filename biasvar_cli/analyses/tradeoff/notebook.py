"""``bv.tradeoff``: the tradeoff in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from biasvar_cli.analyses.tradeoff.answer import TradeoffAnswer, answer
from biasvar_cli.analyses.tradeoff.figures import FIGURES
from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.analyses.tradeoff.table import tradeoff_tables
from biasvar_cli.decomposition.design import Design, Normalisation, Remainder, SubsetWeights, ZeroTarget
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import Reading, null_request, requested, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.readers.maps import families_named, read_groups
from biasvar_cli.tables.table import Table
from biasvar_cli.tables.view import View
from biasvar_cli.words import DifficultyKey, LogForm


@warning_there
def tradeoff(
    scores: ScoresLike,
    target: str | Sequence[str] = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    subset_size: int | Sequence[int] = (),
    repeats: int = Design.repeats,
    difficulty: DifficultyKey = Design.difficulty,
    remainder: Remainder = Design.remainder,
    subset_weights: SubsetWeights = Design.subset_weights,
    normalise: Normalisation = Design.normalise,
    zero_target: ZeroTarget = Design.zero_target,
    groups: str | None = None,
    null: bool = True,
    null_samples: int | None = None,
    detail: str | None = None,
    families: str | None = None,
    baseline: str | None = None,
    seed: int = Design.seed,
    **reading: Unpack[Reading],
) -> Result:
    """The correlations of bias² and variance over the runs, under samples of the queries, in both forms.

    A row a sampling and form, as ``biasvar tradeoff`` has them; ``null`` adds the null models of Pearson's r. With
    ``detail`` a row a run under one sampling, with ``families`` (a csv of run,family or a pattern) a row a family. The
    other arguments are as in `decompose`, and ``groups`` is the path of a csv of query,group.
    """
    given = locals()
    loaded = scores_from(scores, measure, qrels, reading)
    design = requested(Design, given, groups=None)
    if groups is not None:
        design = replace(design, groups=read_groups(groups), groups_path=groups)
    models = null_request(given, loaded.jobs) if detail is None else None
    if detail is not None and null_samples is not None:
        raise UsageError("has no place beside detail, whose rows are runs", option="null_samples")
    named = families_named(families) if families is not None else None
    request = requested(TradeoffRequest, given, design=design, null=models, families=named)
    table = "detail" if detail is not None else "families" if families is not None else "samplings"
    return Result.made("tradeoff", answer(loaded.track, request), (table,), _tables, scores=loaded, figures=FIGURES)


def _tables(answers: Sequence[TradeoffAnswer], shown: Shown) -> list[Table]:
    if shown.table != "detail" and shown.format == "csv":
        shown = replace(shown, best_first=False)  # people see no correlation twice, DataFrames have them all
    view = shown.view(View)
    return [table for each in answers for table in tradeoff_tables(each, view)]
