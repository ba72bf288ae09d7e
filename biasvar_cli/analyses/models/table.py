"""Query models and their estimation errors as a table with its notes, and small tables of what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.analyses.models.columns import ESTIMATED, ESTIMATION, JOINT, TABLES
from biasvar_cli.query_models.estimation import DIVERGENCES, RANKED
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.quantities import COEFFICIENTS, QUANTITIES
from biasvar_cli.tables.table import (
    Note,
    Table,
    document_of,
    listed,
    measure_words,
    plain,
    row_order,
    target_words,
)
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.joint import Joint
    from biasvar_cli.decomposition.baseline import Comparisons
    from biasvar_cli.decomposition.intervals import Intervals
    from biasvar_cli.scoring.families import Family


_LARGE_SHARE = 0.8  # of bias^2 in the total, beyond which both rank models much alike


def about_models(answer: EstimationAnswer) -> str:
    """What a result is of: how many models and queries, the true model, the divergence and its smoothing."""
    estimation, background = answer.estimation, answer.models.request.background
    divergence, epsilon = estimation.setting
    size = f"{counted(len(estimation.models), 'model')}, {counted(len(estimation.queries), 'query')}"
    smoothing = f"{divergence} without smoothing"
    if epsilon is not None:
        where = "a uniform background" if background is None else f"the background {Path(background).name}"
        smoothing = f"{divergence}, epsilon {epsilon:g} of {where}"
    return f"{size}, true model {estimation.true}, {smoothing}"


def left_out_words(models: QueryModels) -> list[str]:
    """How many queries are left out, in words; nothing where none is."""
    return [f"{counted(models.n_excluded, 'query')} of the true model left out"] if models.n_excluded else []


def model_notes(answer: EstimationAnswer, top: int | None) -> Iterator[Note]:
    """What is to be known of the rows, of which the first ``top`` are shown."""
    estimation, n_models = answer.estimation, len(answer.estimation.models)
    if top is not None and top < n_models:
        yield Note(f"{top} of {n_models} models shown; every number is of all {n_models}")
    bias2, total = estimation.bias2, estimation.total
    share = float(np.median(np.divide(bias2, total, out=np.zeros(n_models), where=total > 0)))
    if estimation.sum == "squared" and len(estimation.queries) > 1 and share > _LARGE_SHARE:
        many = f"bias² is {100 * share:.0f} % of total_est (median of the models)"
        yield Note(f"{many}: the order by total_est is nearly that by bias_est")
    if estimation.sum == "plain":
        yield Note("total_est is bias + variance, whose units differ")
    models = answer.models
    if models.no_feedback is not None:
        n_queries = counted(len(models.no_feedback), "query")
        queries = f"{n_queries} without feedback, where some model is {models.request.original}"
        if models.no_feedback and not models.request.exclude_no_feedback:
            queries = f"{queries}: {listed(models.no_feedback)} (--exclude-no-feedback leaves them out)"
        yield Note(queries)
    yield from map(Note, left_out_words(models))
    if answer.request.baseline is not None and not answer.below:
        yield Note(f"No model has less bias² and less variance than {plain(answer.request.baseline)}")


def model_details(answer: EstimationAnswer) -> Iterator[Note]:
    """How every number is computed."""
    estimation, intervals = answer.estimation, answer.intervals
    divergence, epsilon = estimation.setting
    smoothing = f"; both smoothed: {1 - epsilon:g} p + {epsilon:g} p(background)" if epsilon is not None else ""
    yield Note(f"The error of a query is {DIVERGENCES[divergence].formula}{smoothing}")
    total = "bias² + variance" if estimation.sum == "squared" else "bias + variance"
    yield Note(
        "bias_est: mean of the errors over the queries; var_est: their variance, divisor n (population); "
        f"total_est: {total}"
    )
    yield Note("unseen: mass of the true model on terms that the model lacks; n_terms: terms a query; both are means")
    yield Note("That direction, smoothing and the sum are so in IPM'14 is inferred: its text leaves them open")
    if intervals is not None:
        level = f"{100 * intervals.level:g} % intervals for new queries of the same kind"
        made = f"{counted(intervals.n_resamples, 'resample')} of the queries, seed {intervals.seed}"
        yield Note(f"{level}: BCa, of variances log-jackknife-t; {made}")
    if answer.comparisons is not None:
        yield Note(
            "d_: a model's value minus the baseline's (paired t tests over queries); ratio_: its variance over the "
            "baseline's (jackknife of the logarithm); _holm: p adjusted for all models"
        )


def no_correlation_note(answer: EstimationAnswer) -> tuple[Note, ...]:
    """Why bias² and variance have no correlation; nothing where they have one."""
    n_models = len(answer.estimation.models)
    if not np.isnan(answer.tradeoff.pearson):
        return ()
    if n_models < LEAST_POINTS:
        return (Note(f"Undefined for {counted(n_models, 'model')}: at least {LEAST_POINTS} are needed"),)
    return (Note("Undefined: bias² or variance is the same for every model"),)


@dataclass(frozen=True, kw_only=True)
class ModelsView:
    """Which rows to show, and in which order; ``sort`` is None for the usual order.

    With ``rows_alone`` there are no small tables, and the performance of the runs is in the rows.
    """

    sort: str | None = None
    top: int | None = None
    best_first: bool = True
    rows_alone: bool = False


def models_table(answer: EstimationAnswer, view: ModelsView) -> Table:
    """One row per model, sorted and cut as ``view`` says; the correlation of bias² and variance under it.

    Raises `UsageError` for a column to sort by that is not there.
    """
    declared = TABLES["models"] if view.rows_alone else ESTIMATION
    cells = filled(declared, answer)
    usual = "total_est" if view.best_first else "model"
    order = row_order(cells.columns, view.sort or usual, names="model", declared=declared)
    shown = cells.rows(order[: view.top])
    level = "" if answer.intervals is None else f"{100 * answer.intervals.level:g} %"
    with_ends = [name for name in ESTIMATED if f"{name}_low" in cells.columns]
    return Table.of(
        f"Estimation bias-variance of {about_models(answer)}",
        shown,
        notes=tuple(model_notes(answer, view.top)),
        details=tuple(model_details(answer)),
        second=() if view.rows_alone else tuple(_small_tables(answer, cells, shown.columns["model"])),
        intervals={f"{name} {level}": (f"{name}_low", f"{name}_high") for name in with_ends},
        document={} if view.rows_alone else _document(answer),
        rows_key="models",
    )


def _small_tables(answer: EstimationAnswer, cells: Cells, shown: list[str]) -> Iterator[Table]:
    """What stands under the rows of the ``shown`` models; ``cells`` are the columns of all."""
    yield Table(
        f"Correlation of bias² and variance over {counted(len(answer.estimation.models), 'model')}",
        {name: [value] for name, value in vars(answer.tradeoff).items()},
        notes=no_correlation_note(answer),
        signed=frozenset(COEFFICIENTS),
        declared=COEFFICIENTS,
    )
    yield from _epsilon_tables(answer, shown)
    if answer.intervals is not None:
        yield from _correlation_intervals(answer.intervals)
    if answer.comparisons is not None and answer.below:
        yield _below_table(answer, answer.comparisons, cells)
    if answer.families is not None:
        yield _families_table(answer, answer.families)
    if answer.joint is not None:
        yield from _joint_tables(answer.joint, shown)


def _epsilon_tables(answer: EstimationAnswer, shown: list[str]) -> Iterator[Table]:
    """The orders of the models under other epsilons, not of too few models; and the totals of those that are shown."""
    others = answer.other_epsilons
    if not others:
        return
    columns: dict[str, list[Any]] = {
        "epsilon": [other.epsilon for other in others],
        **{f"{name}_est": [other.tau[name] for other in others] for name in RANKED},
        "least": [other.least for other in others],
    }
    if not all(np.isnan(value) for other in others for value in other.tau.values()):
        title = "Order of the models with another epsilon: Kendall's tau with this one's, and the least total_est"
        yield Table(title, columns, signed=frozenset(ESTIMATED), declared=ESTIMATED)
    estimations = (answer.estimation, *(other.estimation for other in others))
    at = [answer.estimation.models.index(name) for name in shown]
    totals = {
        f"{estimation.setting.epsilon:g}": estimation.total[at].tolist()
        for estimation in sorted(estimations, key=lambda estimation: estimation.setting.epsilon or 0)
    }
    yield Table("total_est by epsilon", {"model": shown, **totals})


def _correlation_intervals(intervals: Intervals) -> Iterator[Table]:
    """The intervals of the correlations; nothing where none has one."""
    correlations = (intervals.correlation, *intervals.ranks)
    columns: dict[str, list[Any]] = {"coefficient": [own.coefficient for own in correlations]}
    for name in ("estimate", "low", "high"):
        columns[name] = [getattr(own.score, name) for own in correlations]
    if not np.isnan(columns["low"]).all():
        note = (
            "The interval is about the correlation without the noise that these queries add; it may leave this one out"
        )
        yield Table(
            "Intervals of the correlations",
            columns,
            notes=(Note(note),),
            intervals={f"{100 * intervals.level:g} %": ("low", "high")},
            signed=frozenset(("estimate", "low")),
        )


def _below_table(answer: EstimationAnswer, against: Comparisons, cells: Cells) -> Table:
    """The models with less of both than the baseline, with the intervals of both."""
    below, certain, level = answer.below, answer.certainly_below, f"{100 * against.level:g} %"
    heads = ("d_bias_est", "ratio_var_est")
    ends = {head: (f"{head}_low", f"{head}_high") for head in heads}
    chosen = _chosen(cells, ["model", *(name for head in heads for name in (head, *ends[head]))])
    rows = chosen.rows(against.runs.index(name) for name in below)
    n_others = len(against.runs) - 1
    few = f"{len(below)} of {counted(n_others, 'model')}" if n_others != len(below) else f"all {n_others} models"
    return Table(
        f"Less bias² and less variance than {against.baseline}: {few}; {len(certain)} with both intervals beyond it",
        {**rows.columns, "both": [name in certain for name in below]},
        intervals={f"{head} {level}": pair for head, pair in ends.items()},
        signed=frozenset(("d_bias_est", "d_bias_est_low")),
        declared=rows.declared,
    )


def _families_table(answer: EstimationAnswer, families: Sequence[Family]) -> Table:
    """The correlation within each family, and its members with less of both than the baseline."""
    baseline = answer.request.baseline
    note = Note(f"below: less bias² and less variance than {baseline}; by_interval: with both intervals beyond it")
    details = [Note(f"None (-) of fewer than {LEAST_POINTS} members")]
    alone = len(answer.estimation.models) - sum(len(family.members) for family in families)
    if alone:
        details.append(Note(f"{counted(alone, 'model')} in no family"))
    return Table.of(
        "Correlation of bias² and variance within families",
        filled(TABLES["families"], answer),
        notes=(note,) if baseline is not None else (),
        details=tuple(details),
    )


def _joint_tables(joint: Joint, shown: list[str]) -> Iterator[Table]:
    """Estimation and performance side by side, of the models that are ``shown``, and their correlations."""
    performance = joint.performance
    names = ["model", "bias2_est", "var_est", "total_est", "mean", "bias2", "var", "total"]
    about = f"{measure_words(performance.measure)}, target {performance.target.label}"
    yield Table.of(
        f"Estimation beside the performance of the runs: {about}, {counted(performance.n_queries, 'query')}",
        _chosen(filled(JOINT, joint), names).rows(joint.models.index(name) for name in shown if name in joint.models),
    )
    yield Table(
        f"Kendall's tau of estimation and performance over {counted(len(joint.models), 'model')}",
        {name: [value] for name, value in joint.tau.items()},
        details=(Note(target_words(performance.target)),),
        signed=frozenset(joint.tau),
        declared=QUANTITIES,
    )


def _chosen(cells: Cells, names: Sequence[str]) -> Cells:
    """Some of the columns."""
    return Cells({name: cells.columns[name] for name in names}, {name: cells.declared[name] for name in names})


def _document(answer: EstimationAnswer) -> dict[str, Any]:
    estimation, models = answer.estimation, answer.models
    divergence, epsilon = estimation.setting
    document: dict[str, Any] = {
        "divergence": divergence,
        "epsilon": epsilon,
        "background": models.request.background if epsilon is not None else None,
        "true": estimation.true,
        "sum": estimation.sum,
        "n_models": len(estimation.models),
        "n_queries": len(estimation.queries),
        "n_excluded": models.n_excluded,
        "no_feedback": None if models.no_feedback is None else list(models.no_feedback),
        "models": None,
        "tradeoff": vars(answer.tradeoff),
    }
    if answer.other_epsilons:
        document["other_epsilons"] = [
            {
                "epsilon": other.epsilon,
                **{f"{name}_est": value for name, value in other.tau.items()},
                "least": other.least,
                "totals": dict(zip(other.estimation.models, other.estimation.total.tolist(), strict=True)),
            }
            for other in answer.other_epsilons
        ]
    intervals, against = answer.intervals, answer.comparisons
    if intervals is not None:
        ends = {
            own.coefficient: {name: getattr(own.score, name) for name in ("estimate", "low", "high")}
            for own in (intervals.correlation, *intervals.ranks)
        }
        made = {"level": intervals.level, "resamples": intervals.n_resamples, "seed": intervals.seed}
        document["intervals"] = {**made, "tradeoff": ends}
    if against is not None:
        compared = {"model": against.baseline, "level": against.level}
        document["baseline"] = {**compared, "below": answer.below, "below_by_interval": answer.certainly_below}
    if answer.families is not None:
        rows = filled(TABLES["families"], answer).records()
        members = [{"members": list(family.members)} for family in answer.families]
        document["families"] = [row | own for row, own in zip(rows, members, strict=True)]
    if answer.joint is not None:
        joint, performance = answer.joint, answer.joint.performance
        about = document_of(performance.measure, performance.target, len(joint.models), performance.n_queries)
        rows = filled(JOINT, joint).records()
        document["joint"] = {**about, "models": rows, "correlation": dict(joint.tau)}
    return document
