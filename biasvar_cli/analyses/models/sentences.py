"""What the text says of query models: what was measured and how, and what is to be known of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.query_models.estimation import DIVERGENCES
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.table import Note, listed, plain
from biasvar_cli.words import counted

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
