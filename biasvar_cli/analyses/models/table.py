"""Query models and their estimation errors as a table with its sentences, and small tables of what options add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.analyses.models import ESTIMATED, ESTIMATION, JOINT, TABLES
from biasvar_cli.analyses.models.answer import EstimationAnswer, Joint
from biasvar_cli.arrays import in_order, is_least, ranks
from biasvar_cli.query_models.estimation import DIVERGENCES, RANKED
from biasvar_cli.score_matrix import in_unit
from biasvar_cli.stats.correlation import LEAST_POINTS, kendall
from biasvar_cli.tables.column import QUANTITIES, Cells, Column, filled
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import View, row_order, rows_of, top_note
from biasvar_cli.tables.table import Table, document_of, explained, measure_words, relation, signature, target_words
from biasvar_cli.words import argument, counted, listed, verb

if TYPE_CHECKING:
    from biasvar_cli.decomposition.baseline import Comparisons
    from biasvar_cli.query_models.load import QueryModels

VIEW = View
_NAMED = 3  # models named in a sentence


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
    declared = TABLES["models"] if view.rows_alone else ESTIMATION
    cells = filled(declared, answer)
    usual = "total_est" if view.is_best_first else "model"
    order = row_order(cells.columns, view.sort or usual, names="model", declared=declared)
    rows = rows_of(cells, order, view)
    if view.rows_alone:
        return Table.of("", rows)
    models = rows.columns["model"]
    level = "" if answer.intervals is None else f"{100 * answer.intervals.level:g} %"
    with_ends = [name for name in ESTIMATED if f"{name}_low" in cells.columns]
    options = {"--runs": answer.request.runs, "--baseline": answer.request.baseline}
    return Table.of(
        f"Estimation bias-variance of {compared_models(answer)}: {divergence_words(answer)}",
        rows,
        verdict=tuple(_verdict(answer)),
        notes=tuple(_notes(answer, cells, view.top)),
        details=tuple(_details(answer)),
        second=tuple(_small_tables(answer, cells, models)),
        appendix=tuple(_appendix(answer, models)),
        more=tuple(option for option, value in options.items() if not value),
        name="models",
        signature=_signature(answer),
        intervals={f"{name} {level}": (f"{name}_low", f"{name}_high") for name in with_ends},
        document=_document(answer),
        rows_key="models",
    )


def _small_tables(answer: EstimationAnswer, cells: Cells, models: list[str]) -> Iterator[Table]:
    """What stands under the rows of some ``models``; ``cells`` are the columns of all."""
    intervals = answer.intervals
    if intervals is not None:
        correlations = (intervals.correlation, *intervals.ranks)
        columns: dict[str, list[Any]] = {"coefficient": [correlation.coefficient for correlation in correlations]}
        for name in ("estimate", "low", "high"):
            columns[name] = [getattr(correlation.score, name) for correlation in correlations]
        if not np.isnan(columns["low"]).all():
            without = "The intervals are of the correlations without the noise of these queries"
            yield Table(
                "Intervals of the correlations",
                columns,
                notes=(f"{without}, and may exclude the estimates.",),
                intervals={f"{100 * intervals.level:g} %": ("low", "high")},
                signed=frozenset(("estimate", "low")),
            )
    if answer.comparisons is not None and answer.below:
        yield _below_table(answer, answer.comparisons, cells)
    if answer.families is not None:
        yield families_table(answer)
    if answer.joint is not None:
        joint, performance = answer.joint, answer.joint.performance
        names = ["model", "bias2_est", "var_est", "total_est", "mean", "bias2", "var", "total"]
        about = f"{measure_words(performance.measure)}, target {performance.target.label}"
        rows = [joint.models.index(name) for name in models if name in joint.models]
        yield Table.of(
            f"Estimation beside the performance of the runs: {about}, {counted(performance.n_queries, 'query')}",
            _chosen(filled(JOINT, joint), names).rows(rows),
        )


def _appendix(answer: EstimationAnswer, models: list[str]) -> Iterator[Table]:
    """What ``--notes full`` adds: the orders under other epsilons, the totals of ``models``, and the correlations."""
    others = answer.other_epsilons
    if not all(isnan(value) for other in others for value in other.tau.values()):  # too few models have no order
        columns: dict[str, list[Any]] = {
            "epsilon": [other.epsilon for other in others],
            **{f"{name}_est": [other.tau[name] for other in others] for name in RANKED},
            "least": [listed(other.least, 1) for other in others],
        }
        title = "Ranking with another epsilon: Kendall's tau with this one, and the model of the least total_est"
        yield Table(title, columns, signed=frozenset(ESTIMATED), declared=ESTIMATED)
    if others:
        estimations = (answer.estimation, *(other.estimation for other in others))
        at = [answer.estimation.models.index(name) for name in models]
        totals = {
            f"{estimation.setting.epsilon:g}": estimation.total[at].tolist()
            for estimation in sorted(estimations, key=lambda estimation: estimation.setting.epsilon or 0)
        }
        declared = {name: Column(name, "total_est with this epsilon", len, priority=1) for name in totals}
        yield Table("total_est by epsilon", {"model": models, **totals}, declared=declared)
    if answer.joint is not None:
        joint = answer.joint
        yield Table(
            f"Kendall's tau of estimation and performance over {counted(len(joint.models), 'model')}",
            {name: [value] for name, value in joint.tau.items()},
            details=(f"Virtual target of the runs: {target_words(joint.performance.target)}.",),
            signed=frozenset(joint.tau),
            declared=QUANTITIES,
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


def _chosen(cells: Cells, names: Sequence[str]) -> Cells:
    """Some of the columns."""
    return Cells({name: cells.columns[name] for name in names}, {name: cells.declared[name] for name in names})


def _signature(answer: EstimationAnswer) -> str:
    """The divergence and its smoothing, the queries, the sum, and how intervals were made."""
    estimation, intervals, background = answer.estimation, answer.intervals, answer.models.request.background
    divergence, epsilon = estimation.setting
    words = [f"true model {estimation.true!s}", f"sum {estimation.sum}"]
    if epsilon is not None:
        smoothing = "a uniform background" if background is None else Path(background).name
        words.append(f"epsilon {epsilon:g} of {smoothing}")
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


def compared_models(answer: EstimationAnswer) -> str:
    """How many models and queries there are, and the true model."""
    estimation = answer.estimation
    size = f"{counted(len(estimation.models), 'query model')} on {counted(len(estimation.queries), 'query')}"
    return f"{size}, against the true model {estimation.true!r}"


def divergence_words(answer: EstimationAnswer) -> str:
    """The divergence and its smoothing."""
    divergence, epsilon = answer.estimation.setting
    measured = DIVERGENCES[divergence].title
    if epsilon is None:
        return measured
    background = answer.models.request.background
    smoothing = "a uniform background" if background is None else f"the background {Path(background).name}"
    return f"{measured}, smoothed with epsilon {epsilon:g} and {smoothing}"


def left_out_words(models: QueryModels) -> list[str]:
    """How many queries are left out, in words; nothing where none is."""
    return [f"{counted(models.n_excluded, 'query')} of the true model left out"] if models.n_excluded else []


def _verdict(answer: EstimationAnswer) -> Iterator[str]:
    """The nearest model, what bias² and variance say, the performance of the runs, and the models below a baseline."""
    estimation, against = answer.estimation, answer.comparisons
    yield _nearest_note(answer)
    total, n_models = estimation.total, len(estimation.models)
    if estimation.sum != "plain" and n_models >= LEAST_POINTS and len(estimation.queries) > 1:
        share = float(np.median(np.divide(estimation.bias2, total, out=np.zeros(n_models), where=total > 0)))
        tau = kendall(total, estimation.bias).item()
        ranking = f", and ranking by total_est {relation(tau)} ranking by bias_est (Kendall's tau {num(tau, 2)})"
        yield f"Bias² is {100 * share:.0f} % of total_est (median of the models){'' if isnan(tau) else ranking}."
    if answer.joint is not None:
        yield _joint_note(answer.joint)
    elif len(estimation.queries) > 1:
        least = np.flatnonzero(is_least(estimation.var))
        if n_models > 1 and len(least) == 1:
            name, variance = estimation.models[least[0]], num(estimation.var[least[0]])
            rank = f"number {ranks(total)[least[0]]} of {n_models} by total_est"
            yield f"The error of {name} varies least over the queries (var_est {variance}); this model is {rank}."
    if against is not None and answer.below:
        few = f"{len(answer.below)} of {counted(len(against.runs) - 1, 'model')} ({listed(answer.below, _NAMED)})"
        certain = f"{len(answer.certainly_below)} with both {100 * against.level:g} % intervals below"
        yield f"Less bias² and less variance than {against.baseline}: {few}, {certain}."
    elif against is not None:
        yield f"No model has less bias² and less variance than {against.baseline}."


def _nearest_note(answer: EstimationAnswer) -> str:
    """The model of the least total, its bias² and variance, and the next model."""
    estimation, models = answer.estimation, answer.estimation.models
    order, least = in_order(estimation.total, models), is_least(estimation.total)
    names = listed([models[model] for model in order if least[model]], _NAMED)
    total, variance = num(estimation.total[order[0]]), num(estimation.var[order[0]])
    if estimation.sum == "plain":
        bias = f"bias {num(estimation.bias[order[0]])}"
    else:
        bias = f"bias² {num(estimation.bias2[order[0]])}"
    text = f"Nearest to the true model: {names} (total_est {total}: {bias}, variance {variance})"
    rest = [model for model in order if not least[model]]
    return f"{text}; next {models[rest[0]]} ({num(estimation.total[rest[0]])})." if rest else f"{text}."


def _joint_note(joint: Joint) -> str:
    """Whether models with less estimation error have runs with less error, and which model has the best run."""
    tau, measure, means = joint.tau, measure_words(joint.performance.measure), joint.performance.mean
    best = np.flatnonzero(is_least(-means)).tolist()
    names = listed([joint.models[model] for model in best], _NAMED)
    mean = in_unit(float(means.max()), joint.performance.better)
    number = ranks(joint.estimation.total)[best[0]]
    rank = f", number {number} of {len(means)} by total_est" if len(best) == 1 else ""
    if isnan(tau["total"]):
        return f"The best mean {measure} is that of the run of {names} ({num(mean)}){rank}."
    by_bias = "" if isnan(tau["bias"]) else f", by bias {num(tau['bias'], 2)}"
    by_variance = "" if isnan(tau["var"]) else f", by variance {num(tau['var'], 2)}"
    ranking = f"Ranking by total_est {relation(tau['total'])} ranking of the models' runs by total error in {measure}"
    taus = f"Kendall's tau {num(tau['total'], 2)}{by_bias}{by_variance}"
    return f"{ranking} ({taus}); the best mean {measure} is that of the run of {names} ({num(mean, 4)}){rank}."


def _notes(answer: EstimationAnswer, cells: Cells, top: int | None) -> Iterator[str]:
    """The lines under the models, of which the first ``top`` are shown."""
    estimation, models, tradeoff = answer.estimation, answer.models, answer.tradeoff
    n_models = len(estimation.models)
    yield from top_note(top, n_models, "model")
    total = "bias² + variance" if estimation.sum == "squared" else "bias + variance, whose units differ"
    yield f"bias_est: mean error over the queries; var_est: variance of the errors; total_est: {total}."
    yield explained(cells.declared, "unseen", "n_terms")
    if n_models < LEAST_POINTS:
        yield f"No correlation over {counted(n_models, 'model')}: at least {LEAST_POINTS} are needed."
    elif isnan(tradeoff.pearson):
        yield "No correlation: bias² or variance is the same for every model."
    else:
        pearson, spearman, tau = (num(r, signed=True) for r in vars(tradeoff).values())
        over = f"over the {n_models} models"
        yield f"Correlation of bias² and variance {over}: Pearson {pearson}, Spearman {spearman}, Kendall {tau}"
    yield from _epsilon_notes(answer)
    if models.no_feedback is not None:
        few = counted(len(models.no_feedback), "query")
        queries = f"{few} without feedback (some model equals {models.request.original})"
        if models.no_feedback and not models.request.exclude_no_feedback:
            queries = f"{queries}: {listed(models.no_feedback)}; {argument(exclude_no_feedback=True)} leaves them out"
        yield f"{queries}."
    yield from (f"{words}." for words in left_out_words(models))


def _epsilon_notes(answer: EstimationAnswer) -> Iterator[str]:
    """Whether the ranking and the nearest model are the same with another epsilon; nothing without smoothing."""
    others = [other for other in answer.other_epsilons if not isnan(other.tau["total"])]
    if not others:
        return
    nearest = set(compress(answer.estimation.models, is_least(answer.estimation.total)))
    taus = listed([f"{num(other.tau['total'], 2)} with epsilon {other.epsilon:g}" for other in others])
    changed = [other for other in others if nearest.isdisjoint(other.least)]
    names = listed([f"{listed(other.least, _NAMED)} with {other.epsilon:g}" for other in changed])
    same = f"the nearest model is {names or 'the same'}"
    yield f"Kendall's tau of the ranking by total_est with that of other epsilons: {taus}; {same}."


def _details(answer: EstimationAnswer) -> Iterator[str]:
    """How every number is computed."""
    intervals, (divergence, epsilon) = answer.intervals, answer.estimation.setting
    smoothing = f"; both are smoothed: {1 - epsilon:g} p + {epsilon:g} p(background)" if epsilon is not None else ""
    yield f"The error of a query is {DIVERGENCES[divergence].formula}{smoothing}."
    yield "var_est has divisor n (population)."
    yield (
        "IPM'14 does not say which direction of the divergence, which smoothing and which sum it uses; those used here "
        "are inferred."
    )
    if intervals is not None:
        level = f"{100 * intervals.level:g} % intervals for new queries of the same kind"
        resamples = f"{counted(intervals.n_resamples, 'resample')} of the queries, seed {intervals.seed}"
        yield f"{level}: BCa, of variances log-jackknife-t; {resamples}."
    if answer.comparisons is not None:
        yield (
            "d_: the model's value minus the baseline's (paired t tests over queries); ratio_: its variance over the "
            "baseline's (jackknife of the logarithm); _holm: p adjusted for all models (Holm)."
        )
    if answer.families and answer.members_below is not None:
        pairs = zip(answer.families, answer.members_below, strict=True)
        members = [f"{family.name}: {listed(below.members, None)}" for family, below in pairs if below.members]
        if members:
            yield f"Members with less bias² and less variance than {answer.request.baseline}: {'; '.join(members)}."
