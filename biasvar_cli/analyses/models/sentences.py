"""What the text says of query models: which is nearest to the true one, and whether its run is the best one too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.arrays import FloatArray, in_order, is_least, ranks
from biasvar_cli.query_models.estimation import DIVERGENCES
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.scores import in_unit
from biasvar_cli.stats.correlation import LEAST_POINTS, kendall
from biasvar_cli.tables.table import Note, listed, measure_words, plain, relation
from biasvar_cli.tables.view import shown_note
from biasvar_cli.words import argument, counted

if TYPE_CHECKING:
    from biasvar_cli.analyses.models.joint import Joint
    from biasvar_cli.decomposition.baseline import Comparisons

_NAMED = 3  # models named in a sentence


def about_models(answer: EstimationAnswer) -> str:
    """What a result is of: how many models and queries, the true model, the divergence and its smoothing."""
    return f"{compared_models(answer)}: {divergence_words(answer)}"


def compared_models(answer: EstimationAnswer) -> str:
    """How many models and queries there are, and the true model."""
    estimation = answer.estimation
    size = f"{counted(len(estimation.models), 'query model')} on {counted(len(estimation.queries), 'query')}"
    return f"{size}, against the true model {estimation.true}"


def divergence_words(answer: EstimationAnswer) -> str:
    """The divergence and its smoothing."""
    background, (divergence, epsilon) = answer.models.request.background, answer.estimation.setting
    measured = DIVERGENCES[divergence].title
    if epsilon is not None:
        smoothing = "a uniform background" if background is None else f"the background {Path(background).name}"
        measured = f"{measured}, smoothed with epsilon {epsilon:g} and {smoothing}"
    return measured


def left_out_words(models: QueryModels) -> list[str]:
    """How many queries are left out, in words; nothing where none is."""
    return [f"{counted(models.n_excluded, 'query')} of the true model left out"] if models.n_excluded else []


def verdict_notes(answer: EstimationAnswer) -> Iterator[Note]:
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


def _ranked(totals: FloatArray, models: Sequence[str]) -> tuple[list[int], list[int]]:
    """The models in ascending order of their totals, equal ones by name; and those of the least one."""
    least = is_least(totals)
    order = in_order(totals, models)
    return order, [model for model in order if least[model]]


def _nearest_note(answer: EstimationAnswer) -> Note:
    """The model of the least total, its bias² and variance, and the next model."""
    own = answer.estimation
    order, first = _ranked(own.total, own.models)
    names, part = (
        plain(listed([own.models[model] for model in first], _NAMED)),
        own.bias if own.sum == "plain" else own.bias2,
    )
    what = "bias" if own.sum == "plain" else "bias²"
    text = f"Nearest to the true model: {names} (total_est {{}}: {what} {{}}, variance {{}})"
    values = [float(quantity[order[0]]) for quantity in (own.total, part, own.var)]
    rest = [model for model in order if model not in first]
    if rest:
        text, values = f"{text}; next {plain(own.models[rest[0]])} ({{}})", [*values, float(own.total[rest[0]])]
    return Note(f"{text}.", tuple(values), signed=False)


def _share_notes(answer: EstimationAnswer) -> Iterator[Note]:
    """How much of the totals is bias², and whether it decides the ranking; nothing of a plain sum and of few models."""
    own, n_models = answer.estimation, len(answer.estimation.models)
    if own.sum == "plain" or n_models < LEAST_POINTS:
        return
    share = float(np.median(np.divide(own.bias2, own.total, out=np.zeros(n_models), where=own.total > 0)))
    tau = kendall(own.total, own.bias).item()
    text = f"Bias² is {100 * share:.0f} % of total_est (median of the models)"
    if tau == tau:
        ranking = f"ranking by total_est {relation(tau)} ranking by bias_est"
        yield Note(f"{text}, and {ranking} (Kendall's tau {{}}).", (tau,), signed=False, digits=2)
    else:
        yield Note(f"{text}.")


def _even_notes(answer: EstimationAnswer) -> Iterator[Note]:
    """The model of the least variance, if there is one of several."""
    own, n_models = answer.estimation, len(answer.estimation.models)
    _, least = _ranked(own.var, own.models)
    if n_models > 1 and len(least) == 1:
        (model,) = least
        text = f"The error of {plain(own.models[model])} varies least over the queries (var_est {{}})"
        rank = f"this model is number {ranks(own.total)[model]} of {n_models} by total_est"
        yield Note(f"{text}; {rank}.", (float(own.var[model]),), signed=False)


def _joint_note(joint: Joint) -> Note:
    """Whether models with less estimation error have runs with less error, and which model has the best run."""
    tau, measure = joint.tau, plain(measure_words(joint.performance.measure))
    means = joint.performance.mean
    best = np.flatnonzero(is_least(-means)).tolist()
    rank_by_total = ranks(joint.estimation.total)
    names = plain(listed([joint.models[index] for index in best], _NAMED))
    rank = f", number {rank_by_total[best[0]]} of {len(means)} by total_est" if len(best) == 1 else ""
    text = f"best mean {measure} is that of the run of {names} ({{}}){rank}."
    mean = in_unit(float(means.max()), joint.better)
    if tau["total"] != tau["total"]:
        return Note(f"The {text}", (mean,), signed=False)
    known = [(name, tau[part]) for name, part in (("bias", "bias"), ("variance", "var")) if tau[part] == tau[part]]
    taus = ", ".join(["Kendall's tau {}", *(f"by {name} {{}}" for name, _ in known)])
    ranking = f"Ranking by total_est {relation(tau['total'])} ranking of the models' runs by total error in {measure}"
    values = (tau["total"], *(value for _, value in known), mean)
    return Note(f"{ranking} ({taus}); the {text}", values, signed=False, digits=(*[2] * (len(values) - 1), 4))


def _below_note(answer: EstimationAnswer, against: Comparisons) -> Note:
    """The models with less of both than the baseline, and how many have intervals that say so."""
    below, certain, baseline = answer.below, len(answer.certainly_below), against.baseline
    n_others, level = len(against.runs) - 1, f"{100 * against.level:g} %"
    if not below:
        return Note(f"No model has less bias² and less variance than {baseline}.")
    few = f"{len(below)} of {counted(n_others, 'model')}"
    names = listed(below, _NAMED)
    return Note(
        f"Less bias² and less variance than {baseline}: {few} ({names}), {certain} with both {level} intervals below."
    )


def model_notes(answer: EstimationAnswer, top: int | None) -> Iterator[Note]:
    """The lines under the models, of which the first ``top`` are shown."""
    estimation, models, n_models = answer.estimation, answer.models, len(answer.estimation.models)
    yield from shown_note(top, n_models, "model")
    total = "bias² + variance" if estimation.sum == "squared" else "bias + variance, whose units differ"
    yield Note(f"bias_est: mean error over the queries; var_est: variance of the errors; total_est: {total}.")
    yield Note(
        "unseen: share of the true model on terms that the model lacks; n_terms: terms (means over the queries)."
    )
    yield correlation_note(answer)
    yield from _epsilon_notes(answer)
    if models.no_feedback is not None:
        few = counted(len(models.no_feedback), "query")
        queries = f"{few} without feedback (some model equals {models.request.original})"
        if models.no_feedback and not models.request.exclude_no_feedback:
            queries = f"{queries}: {listed(models.no_feedback)}; {argument(exclude_no_feedback=True)} leaves them out"
        yield Note(f"{queries}.")
    yield from (Note(f"{words}.") for words in left_out_words(models))


def correlation_note(answer: EstimationAnswer) -> Note:
    """The correlation of bias² and variance over the models, or why there is none."""
    n_models = len(answer.estimation.models)
    if n_models < LEAST_POINTS:
        return Note(f"No correlation over {counted(n_models, 'model')}: at least {LEAST_POINTS} are needed.")
    if np.isnan(answer.tradeoff.pearson):
        return Note("No correlation: bias² or variance is the same for every model.")
    text = f"Correlation of bias² and variance over the {n_models} models: Pearson {{}}, Spearman {{}}, Kendall {{}}"
    return Note(text, tuple(vars(answer.tradeoff).values()))


def _epsilon_notes(answer: EstimationAnswer) -> Iterator[Note]:
    """Whether the ranking and the nearest model are the same with another epsilon; nothing without smoothing."""
    others = [other for other in answer.other_epsilons if other.tau["total"] == other.tau["total"]]
    if not others:
        return
    own = answer.estimation
    _, first = _ranked(own.total, own.models)
    changed = [other for other in others if not {own.models[model] for model in first}.intersection(other.least)]
    taus = listed([f"{{}} with epsilon {other.epsilon:g}" for other in others])
    nearest = listed([f"{plain(listed(other.least, _NAMED))} with {other.epsilon:g}" for other in changed])
    same = f"the nearest model is {nearest}" if nearest else "the nearest model is the same"
    text = f"Kendall's tau of the ranking by total_est with that of other epsilons: {taus}; {same}."
    yield Note(text, tuple(other.tau["total"] for other in others), signed=False, digits=2)


def model_details(answer: EstimationAnswer) -> Iterator[Note]:
    """How every number is computed."""
    intervals, (divergence, epsilon) = answer.intervals, answer.estimation.setting
    smoothing = f"; both are smoothed: {1 - epsilon:g} p + {epsilon:g} p(background)" if epsilon is not None else ""
    yield Note(f"The error of a query is {DIVERGENCES[divergence].formula}{smoothing}.")
    yield Note("var_est has divisor n (population).")
    yield Note(
        "IPM'14 does not say which direction of the divergence, which smoothing and which sum it uses; those used here "
        "are inferred."
    )
    if intervals is not None:
        level = f"{100 * intervals.level:g} % intervals for new queries of the same kind"
        made = f"{counted(intervals.n_resamples, 'resample')} of the queries, seed {intervals.seed}"
        yield Note(f"{level}: BCa, of variances log-jackknife-t; {made}.")
    if answer.comparisons is not None:
        yield Note(
            "d_: the model's value minus the baseline's (paired t tests over queries); ratio_: its variance over the "
            "baseline's (jackknife of the logarithm); _holm: p adjusted for all models (Holm)."
        )
    if answer.families and answer.members_below is not None:
        pairs = zip(answer.families, answer.members_below, strict=True)
        members = [f"{family.name}: {listed(below.members, 999)}" for family, below in pairs if below.members]
        if members:
            yield Note(
                f"Members with less bias² and less variance than {answer.request.baseline}: {'; '.join(members)}."
            )
