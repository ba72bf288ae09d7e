"""What the text says of query models: which is nearest to the true one, and whether its run is the best one too."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.arrays import in_order, is_least, ranks
from biasvar_cli.query_models.estimation import DIVERGENCES
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.scores import in_unit
from biasvar_cli.stats.correlation import LEAST_POINTS, kendall
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import listed, measure_words, relation
from biasvar_cli.tables.view import top_note
from biasvar_cli.words import argument, counted

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.joint import Joint
    from biasvar_cli.decomposition.baseline import Comparisons

_NAMED = 3  # models named in a sentence


def compared_models(answer: EstimationAnswer) -> str:
    """How many models and queries there are, and the true model."""
    estimation = answer.estimation
    size = f"{counted(len(estimation.models), 'query model')} on {counted(len(estimation.queries), 'query')}"
    return f"{size}, against the true model {estimation.true}"


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


def verdict_notes(answer: EstimationAnswer) -> Iterator[str]:
    """The nearest model, what bias² and variance say, the performance of the runs, and the models below a baseline."""
    yield _nearest_note(answer)
    if len(answer.estimation.queries) > 1:
        yield from _share_notes(answer)
    if answer.joint is not None:
        yield _joint_note(answer.joint)
    elif len(answer.estimation.queries) > 1:
        yield from _even_notes(answer)
    if answer.comparisons is not None:
        yield _below_note(answer, answer.comparisons)


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


def _share_notes(answer: EstimationAnswer) -> Iterator[str]:
    """How much of the totals is bias², and whether it decides the ranking; nothing of a plain sum and of few models."""
    estimation, n_models = answer.estimation, len(answer.estimation.models)
    if estimation.sum == "plain" or n_models < LEAST_POINTS:
        return
    total = estimation.total
    share = float(np.median(np.divide(estimation.bias2, total, out=np.zeros(n_models), where=total > 0)))
    tau = kendall(total, estimation.bias).item()
    text = f"Bias² is {100 * share:.0f} % of total_est (median of the models)"
    if isnan(tau):
        yield f"{text}."
    else:
        yield f"{text}, and ranking by total_est {relation(tau)} ranking by bias_est (Kendall's tau {num(tau, 2)})."


def _even_notes(answer: EstimationAnswer) -> Iterator[str]:
    """The model of the least variance, if there is one of several."""
    estimation, n_models = answer.estimation, len(answer.estimation.models)
    least = np.flatnonzero(is_least(estimation.var))
    if n_models > 1 and len(least) == 1:
        name, variance = estimation.models[least[0]], num(estimation.var[least[0]])
        rank = f"this model is number {ranks(estimation.total)[least[0]]} of {n_models} by total_est"
        yield f"The error of {name} varies least over the queries (var_est {variance}); {rank}."


def _joint_note(joint: Joint) -> str:
    """Whether models with less estimation error have runs with less error, and which model has the best run."""
    tau, measure, means = joint.tau, measure_words(joint.performance.measure), joint.performance.mean
    best = np.flatnonzero(is_least(-means)).tolist()
    names, mean = listed([joint.models[model] for model in best], _NAMED), in_unit(float(means.max()), joint.better)
    number = ranks(joint.estimation.total)[best[0]]
    rank = f", number {number} of {len(means)} by total_est" if len(best) == 1 else ""
    if isnan(tau["total"]):
        return f"The best mean {measure} is that of the run of {names} ({num(mean)}){rank}."
    by_bias = "" if isnan(tau["bias"]) else f", by bias {num(tau['bias'], 2)}"
    by_variance = "" if isnan(tau["var"]) else f", by variance {num(tau['var'], 2)}"
    ranking = f"Ranking by total_est {relation(tau['total'])} ranking of the models' runs by total error in {measure}"
    taus = f"Kendall's tau {num(tau['total'], 2)}{by_bias}{by_variance}"
    return f"{ranking} ({taus}); the best mean {measure} is that of the run of {names} ({num(mean, 4)}){rank}."


def _below_note(answer: EstimationAnswer, against: Comparisons) -> str:
    """The models with less of both than the baseline, and how many have intervals that say so."""
    below, certain, level = answer.below, len(answer.certainly_below), f"{100 * against.level:g} %"
    if not below:
        return f"No model has less bias² and less variance than {against.baseline}."
    few = f"{len(below)} of {counted(len(against.runs) - 1, 'model')} ({listed(below, _NAMED)})"
    return f"Less bias² and less variance than {against.baseline}: {few}, {certain} with both {level} intervals below."


def model_notes(answer: EstimationAnswer, top: int | None) -> Iterator[str]:
    """The lines under the models, of which the first ``top`` are shown."""
    estimation, models = answer.estimation, answer.models
    yield from top_note(top, len(estimation.models), "model")
    total = "bias² + variance" if estimation.sum == "squared" else "bias + variance, whose units differ"
    yield f"bias_est: mean error over the queries; var_est: variance of the errors; total_est: {total}."
    yield "unseen: share of the true model on terms that the model lacks; n_terms: terms (means over the queries)."
    yield _correlation_note(answer)
    yield from _epsilon_notes(answer)
    if models.no_feedback is not None:
        few = counted(len(models.no_feedback), "query")
        queries = f"{few} without feedback (some model equals {models.request.original})"
        if models.no_feedback and not models.request.exclude_no_feedback:
            queries = f"{queries}: {listed(models.no_feedback)}; {argument(exclude_no_feedback=True)} leaves them out"
        yield f"{queries}."
    yield from (f"{words}." for words in left_out_words(models))


def _correlation_note(answer: EstimationAnswer) -> str:
    """The correlation of bias² and variance over the models, or why there is none."""
    n_models, tradeoff = len(answer.estimation.models), answer.tradeoff
    if n_models < LEAST_POINTS:
        return f"No correlation over {counted(n_models, 'model')}: at least {LEAST_POINTS} are needed."
    if isnan(tradeoff.pearson):
        return "No correlation: bias² or variance is the same for every model."
    pearson, spearman, tau = (num(r, signed=True) for r in (tradeoff.pearson, tradeoff.spearman, tradeoff.kendall))
    over = f"over the {n_models} models"
    return f"Correlation of bias² and variance {over}: Pearson {pearson}, Spearman {spearman}, Kendall {tau}"


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


def model_details(answer: EstimationAnswer) -> Iterator[str]:
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
        members = [f"{family.name}: {listed(below.members, 999)}" for family, below in pairs if below.members]
        if members:
            yield f"Members with less bias² and less variance than {answer.request.baseline}: {'; '.join(members)}."
