"""The analyses of the command line for notebooks: the same numbers, as DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, Unpack

from biasvar_cli.analyses.compare import discrimination, pairs, swaps
from biasvar_cli.analyses.compare.answer import CompareTable, PairResults
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.analyses.decompose.baseline_columns import baseline_extra
from biasvar_cli.analyses.decompose.interval_columns import interval_extra
from biasvar_cli.analyses.decompose.table import DecompositionView, decomposition_table
from biasvar_cli.analyses.target.table import TargetTable, TargetView, target_table
from biasvar_cli.arrays import FloatArray
from biasvar_cli.baseline_spec import BaselineSpec, parse_baseline
from biasvar_cli.decomposition import contribution, intervals
from biasvar_cli.decomposition import decompose as decomposition
from biasvar_cli.decomposition.baseline import compare as compare_with
from biasvar_cli.decomposition.partitions import DifficultyKey
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import tradeoff as correlate
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import Reading, several, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import DecompositionResult, Result, TargetResult
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.scores import LogTransform, ScoreMatrix
from biasvar_cli.scoring.baselines import listed_place
from biasvar_cli.scoring.targets import make_target, targeted_scores
from biasvar_cli.stats.step_down import USUAL_RESAMPLES
from biasvar_cli.stats.two_way import anova, friedman
from biasvar_cli.tables.table import Extra, Table
from biasvar_cli.target_spec import parse_target

Log = Literal["floor", "add"]


@warning_there
def decompose(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Log | None = None,
    eps: float = 1e-5,
    pareto: bool = False,
    ci: float | None = None,
    resamples: int = 2000,
    baseline: str | None = None,
    null: bool = True,
    null_samples: int | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> DecompositionResult:
    """Bias², variance and total error of every run against a virtual target.

    ``scores`` are what `evaluate` gives, paths of score files (or of runs, with ``qrels``), or a DataFrame: a row a
    query and a column a run, or a row a score, as PyTerrier has it (``name qid measure value``). The options are those
    of ``biasvar decompose``: ``ci`` is a level such as 0.95, ``baseline`` the name of a run. ``null`` puts the null
    model beside the correlations.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    The runs of SIGIR 2013, Tables 1 and 2, against the model T:

    >>> import pandas as pd
    >>> runs = {"A": [0.3, 0.1], "B": [0.6, 0.08], "C": [0.65, 0.03], "T": [0.7, 0.2]}
    >>> result = decompose(pd.DataFrame(runs, index=["q1", "q2"]), "run:T", measure="AP")
    >>> result.frame()["total_gap"].round(4).to_dict()
    {'A': 0.085, 'B': 0.0122, 'C': 0.0157, 'T': 0.0}
    """
    made = scores_from(scores, measure, qrels, reading)
    targeted = targeted_scores(made.scored, parse_target(target), _log(log, eps))
    result = decomposition.decompose(targeted.scores, targeted.target)
    extras = list(_extras(targeted, ci, baseline, n_resamples=resamples, seed=seed))
    view = DecompositionView(sort="run", pareto=pareto)
    runs = partial(decomposition_table, result, correlate(result), view=view, extras=extras)
    request = NullRequest(n_samples=null_samples, seed=seed, jobs=made.jobs, shuffled=False)
    return DecompositionResult(*_about(targeted), {"runs": runs}, targeted, request if null else None)


@warning_there
def target(
    scores: ScoresLike,
    target: str = "best",
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    difficulty: DifficultyKey = "best",
    subset_size: int = 10,
    **reading: Unpack[Reading],
) -> TargetResult:
    """The virtual target: its score and suppliers on every query, and how hard the query is.

    ``frame("runs")`` says what each run gives to it, ``frame("rarefied")`` what fewer runs would have given, as
    ``biasvar target --table`` does. The other arguments are as in `decompose`.
    """
    made = scores_from(scores, measure, qrels, reading)
    pool, spec = made.scored.pool, parse_target(target)
    if spec.kind == "mean":
        raise UsageError(f"target {spec.text!r} has no score per query to look at")
    found = contribution.contributions(pool, make_target(spec, made.scored))
    hardness = contribution.difficulty(pool, key=difficulty, subset_size=subset_size)
    means = contribution.rarefied_means(pool)
    names: tuple[TargetTable, ...] = ("queries", "runs", "rarefied")
    tables: dict[str, Callable[[], Table]] = {
        name: partial(target_table, found, hardness, means, view=TargetView(table=name, for_people=False))
        for name in names
    }
    return TargetResult(pool.measure, pool.n_runs, pool.n_queries, tables, found.target)


@warning_there
def compare(
    scores: ScoresLike,
    baseline: str | None = None,
    *,
    target: str = "best",
    measure: object | None = None,
    qrels: Judgments | None = None,
    of: pairs.Of = "mean",
    test: pairs.Test | Sequence[pairs.Test] = (),
    correction: pairs.Correction = "holm",
    level: float = 0.95,
    samples: int = USUAL_RESAMPLES,
    splits: int = 1000,
    power: float = 0.8,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result:
    """Which runs differ significantly: paired tests of all pairs, or against a baseline, run:NAME or top.

    ``frame()`` has a row a run, with a baseline a row a pair; ``frame("pairs")``, ``frame("power")`` and
    ``frame("swap")`` are the other tables of ``biasvar compare``. The other arguments are as there and in `decompose`.
    """
    made = scores_from(scores, measure, qrels, reading)
    targeted = targeted_scores(made.scored, parse_target(target))
    spec = None if baseline is None else parse_baseline(baseline)
    place = None if spec is None else _place(targeted.scores, spec)
    is_top = spec is not None and spec.kind == "top"
    tests = several(test)
    if place is not None and not is_top and "tukey" in tests:
        raise UsageError("test: tukey is of all pairs of runs, and a baseline tests some of them")
    request = pairs.PairRequest(
        tests=tests or pairs.USUAL_TESTS,
        correction=correction,
        level=level,
        n_samples=samples,
        seed=seed,
        jobs=made.jobs,
    )
    values = pairs.losses_of(targeted.scores, targeted.target, of)
    found = pairs.compare_pairs(values, targeted.scores.runs, of, request, None if is_top else place)
    if is_top and place is not None:
        found = pairs.against_top(found, place)

    about = partial(_pairs_table, targeted=targeted, values=values, tests=found, power=power, splits=splits, seed=seed)
    names: tuple[CompareTable, ...] = ("runs", "pairs", "power", "swap")
    ordered = names if place is None else ("pairs", "runs", "power", "swap")
    return Result(*_about(targeted), {name: partial(about, name) for name in ordered})


def _pairs_table(
    name: CompareTable,
    *,
    targeted: TargetedScores,
    values: FloatArray,
    tests: pairs.PairTests,
    power: float,
    splits: int,
    seed: int,
) -> Table:
    found = PairResults(
        measure=targeted.scores.measure,
        target=targeted.target,
        tests=tests,
        power=discrimination.power_of_tests(tests),
        size=discrimination.sample_size(tests, power),
        anova=anova(values),
        friedman=friedman(values),
        swaps=swaps.swap_rates(values, n_splits=splits, seed=seed) if name == "swap" else None,
    )
    return compare_table(found, view=CompareView(table=name, for_people=False))


def _about(targeted: TargetedScores) -> tuple[str | None, int, int]:
    return targeted.scores.measure, targeted.scores.n_runs, targeted.scores.n_queries


def _log(log: Log | None, eps: float) -> LogTransform | None:
    return None if log is None else LogTransform(log, eps)


def _extras(targeted: TargetedScores, ci: float | None, baseline: str | None, **how: Any) -> Iterator[Extra]:
    """Intervals, and the comparison with a baseline, as ``--ci`` and ``--baseline`` of decompose add them."""
    if ci is not None:
        yield interval_extra(intervals.intervals(targeted.scores, targeted.target, level=ci, method="auto", **how))
    if baseline is not None:
        yield baseline_extra(compare_with(targeted.scores, targeted.target, baseline, level=ci or 0.95))


def _place(scores: ScoreMatrix, spec: BaselineSpec) -> int:
    """The place of a baseline among the listed runs."""
    if spec.kind not in ("run", "top"):
        raise UsageError(f"baseline {spec.text!r}: runs are compared with a run: run:NAME or top")
    return listed_place(f"baseline {spec.text}", spec, scores)
