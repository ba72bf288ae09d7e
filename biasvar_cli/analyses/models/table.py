"""Query models and their estimation errors as a table, and small tables of what options add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.analyses.models.columns import ESTIMATED, ESTIMATION, JOINT, TABLES
from biasvar_cli.analyses.models.sentences import (
    compared_models,
    divergence_words,
    model_details,
    model_notes,
    verdict_notes,
)
from biasvar_cli.query_models.estimation import RANKED
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.column import Cells, Column, filled
from biasvar_cli.tables.quantities import QUANTITIES
from biasvar_cli.tables.table import Table, document_of, listed, measure_words, signature, target_words
from biasvar_cli.tables.view import View, row_order, rows_of
from biasvar_cli.words import counted, verb

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.joint import Joint
    from biasvar_cli.decomposition.baseline import Comparisons
    from biasvar_cli.decomposition.intervals import Intervals


VIEW = View


def tables(answers: Sequence[EstimationAnswer], view: View) -> list[Table]:
    """A table for each answer: its models, or their families."""
    if view.table == "families":
        return [families_table(answer) for answer in answers]
    return [models_table(answer, view) for answer in answers]


def models_table(answer: EstimationAnswer, view: View) -> Table:
    """A row a model, sorted and cut as ``view`` says; under it what options add.

    Where the format has rows alone, there are no small tables, and the performance of the runs is in the rows.

    Raises `UsageError` for a column to sort by that is not there.
    """
    declared, alone = TABLES["models"] if view.rows_alone else ESTIMATION, view.rows_alone
    cells = filled(declared, answer)
    usual = "total_est" if view.is_best_first else "model"
    order = row_order(cells.columns, view.sort or usual, names="model", declared=declared)
    rows = rows_of(cells, order, view)
    models = rows.columns["model"]
    level = "" if answer.intervals is None else f"{100 * answer.intervals.level:g} %"
    with_ends = [name for name in ESTIMATED if f"{name}_low" in cells.columns]
    options = {"--runs": answer.request.runs, "--baseline": answer.request.baseline}
    return Table.of(
        f"Estimation bias-variance of {compared_models(answer)}: {divergence_words(answer)}",
        rows,
        verdict=() if alone else tuple(verdict_notes(answer)),
        notes=() if alone else tuple(model_notes(answer, view.top)),
        details=() if alone else tuple(model_details(answer)),
        second=() if alone else tuple(_small_tables(answer, cells, models)),
        appendix=() if alone else tuple(_appendix(answer, models)),
        more=tuple(option for option, value in options.items() if not value),
        name="models",
        signature=_signature(answer),
        intervals={f"{name} {level}": (f"{name}_low", f"{name}_high") for name in with_ends},
        document={} if alone else _document(answer),
        rows_key="models",
    )


def _small_tables(answer: EstimationAnswer, cells: Cells, models: list[str]) -> Iterator[Table]:
    """What stands under the rows of some ``models``; ``cells`` are the columns of all."""
    if answer.intervals is not None:
        yield from _correlation_intervals(answer.intervals)
    if answer.comparisons is not None and answer.below:
        yield _below_table(answer, answer.comparisons, cells)
    if answer.families is not None:
        yield families_table(answer)
    if answer.joint is not None:
        yield _joint_table(answer.joint, models)


def _appendix(answer: EstimationAnswer, models: list[str]) -> Iterator[Table]:
    """What ``--notes full`` adds: the orders under other epsilons, and the correlations with the performance."""
    yield from _epsilon_tables(answer, models)
    if answer.joint is not None:
        joint = answer.joint
        yield Table(
            f"Kendall's tau of estimation and performance over {counted(len(joint.models), 'model')}",
            {name: [value] for name, value in joint.tau.items()},
            details=(f"Virtual target of the runs: {target_words(joint.performance.target)}.",),
            signed=frozenset(joint.tau),
            declared=QUANTITIES,
        )


def _epsilon_tables(answer: EstimationAnswer, models: list[str]) -> Iterator[Table]:
    """The orders of the models with other epsilons, but for too few models; and the totals of some ``models``."""
    others = answer.other_epsilons
    if not others:
        return
    columns: dict[str, list[Any]] = {
        "epsilon": [other.epsilon for other in others],
        **{f"{name}_est": [other.tau[name] for other in others] for name in RANKED},
        "least": [listed(other.least, 1) for other in others],
    }
    if not all(np.isnan(value) for other in others for value in other.tau.values()):
        title = "Ranking with another epsilon: Kendall's tau with this one, and the model of the least total_est"
        yield Table(title, columns, signed=frozenset(ESTIMATED), declared=ESTIMATED)
    estimations = (answer.estimation, *(other.estimation for other in others))
    at = [answer.estimation.models.index(name) for name in models]
    totals = {
        f"{estimation.setting.epsilon:g}": estimation.total[at].tolist()
        for estimation in sorted(estimations, key=lambda estimation: estimation.setting.epsilon or 0)
    }
    declared = {name: Column(name, "total_est with this epsilon", len, priority=1) for name in totals}
    yield Table("total_est by epsilon", {"model": models, **totals}, declared=declared)


def _correlation_intervals(intervals: Intervals) -> Iterator[Table]:
    """The intervals of the correlations; nothing where none has one."""
    correlations = (intervals.correlation, *intervals.ranks)
    columns: dict[str, list[Any]] = {"coefficient": [correlation.coefficient for correlation in correlations]}
    for name in ("estimate", "low", "high"):
        columns[name] = [getattr(correlation.score, name) for correlation in correlations]
    if not np.isnan(columns["low"]).all():
        note = (
            "The intervals are of the correlations without the noise of these queries, and may exclude the estimates."
        )
        yield Table(
            "Intervals of the correlations",
            columns,
            notes=(note,),
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
    return Table(
        f"Models with less bias² and less variance than {against.baseline} (*: both intervals say so)",
        {**rows.columns, "both": [name in certain for name in below]},
        intervals={f"{head} {level}": pair for head, pair in ends.items()},
        signed=frozenset(("d_bias_est", "d_bias_est_low")),
        declared=rows.declared,
    )


def families_table(answer: EstimationAnswer) -> Table:
    """The correlation within each family, and its members with less of both than the baseline."""
    baseline = answer.request.baseline
    below = f"members with less bias² and less variance than {baseline}"
    details = [f"A family of fewer than {LEAST_POINTS} members has no correlation (-)."]
    alone = len(answer.estimation.models) - sum(len(family.members) for family in answer.families or ())
    if alone:
        details.append(f"{counted(alone, 'model')} {verb(alone, 'is', 'are')} in no family.")
    cells = filled(TABLES["families"], answer)
    if "below" in cells.columns:
        cells.columns["below"] = [listed(names, 2) for names in cells.columns["below"]]
    return Table.of(
        "Correlation of bias² and variance within families",
        cells,
        notes=() if baseline is None else (f"below: {below}; by_interval: those whose intervals say so.",),
        details=tuple(details),
    )


def _joint_table(joint: Joint, models: list[str]) -> Table:
    """Estimation and performance side by side, of some ``models``."""
    performance = joint.performance
    names = ["model", "bias2_est", "var_est", "total_est", "mean", "bias2", "var", "total"]
    about = f"{measure_words(performance.measure)}, target {performance.target.label}"
    return Table.of(
        f"Estimation beside the performance of the runs: {about}, {counted(performance.n_queries, 'query')}",
        _chosen(filled(JOINT, joint), names).rows(joint.models.index(name) for name in models if name in joint.models),
    )


def _chosen(cells: Cells, names: Sequence[str]) -> Cells:
    """Some of the columns."""
    return Cells({name: cells.columns[name] for name in names}, {name: cells.declared[name] for name in names})


def _signature(answer: EstimationAnswer) -> str:
    """The divergence and its smoothing, the queries, the sum, and how intervals were made."""
    estimation, intervals, background = answer.estimation, answer.intervals, answer.models.request.background
    divergence, epsilon = estimation.setting
    words = [f"true model {estimation.true!s}", f"sum {estimation.sum}"]
    if epsilon is not None:
        words.append(
            f"epsilon {epsilon:g} of {'a uniform background' if background is None else Path(background).name}"
        )
    if intervals is not None:
        words.append(f"intervals {intervals.level:g} of {intervals.n_resamples} resamples seed {intervals.seed}")
    if answer.comparisons is not None:
        words.append(f"baseline {answer.comparisons.baseline!s} level {answer.comparisons.level:g}")
    if answer.models.n_excluded:
        words.append(f"{counted(answer.models.n_excluded, 'query')} left out")
    if answer.joint is not None:
        performance = answer.joint.performance
        words.append(f"runs {measure_words(performance.measure)} target {performance.target.label}")
    return signature(divergence, (counted(len(estimation.queries), "query"),), *words)


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
                "least": other.least[0],
                "tied": list(other.least[1:]),
                "totals": dict(zip(other.estimation.models, other.estimation.total.tolist(), strict=True)),
            }
            for other in answer.other_epsilons
        ]
    intervals, against = answer.intervals, answer.comparisons
    if intervals is not None:
        ends = {
            correlation.coefficient: {name: getattr(correlation.score, name) for name in ("estimate", "low", "high")}
            for correlation in (intervals.correlation, *intervals.ranks)
        }
        made = {"level": intervals.level, "resamples": intervals.n_resamples, "seed": intervals.seed}
        document["intervals"] = {**made, "tradeoff": ends}
    if against is not None:
        compared = {"model": against.baseline, "level": against.level}
        document["baseline"] = {**compared, "below": answer.below, "below_by_interval": answer.certainly_below}
    if answer.families is not None:
        rows = zip(filled(TABLES["families"], answer).records(), answer.families, strict=True)
        document["families"] = [{**row, "members": list(family.members)} for row, family in rows]
    if answer.joint is not None:
        joint, performance = answer.joint, answer.joint.performance
        about = document_of(performance.measure, performance.target, len(joint.models), performance.n_queries)
        document["joint"] = {**about, "models": filled(JOINT, joint).records(), "correlation": dict(joint.tau)}
    return document
