"""The correlation of bias² and variance over runs, in both forms (CIKM'14; Kendall after Sakai 2013)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, assert_never

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import generalised
from biasvar_cli.decomposition.decompose import Decomposition, TargetedScores, moments
from biasvar_cli.decomposition.design import SINGLE, Design, Sampling
from biasvar_cli.decomposition.generalised import Generalised, Partition
from biasvar_cli.stats.correlation import UNDEFINED, Correlations, correlations
from biasvar_cli.words import FORMS, Form


@dataclass(frozen=True)
class Tradeoff:
    """Correlations of bias² with the variance of the score form and with that of the gap form."""

    score: Correlations
    gap: Correlations


def tradeoff(result: Decomposition) -> Tradeoff:
    """Correlate bias² and variance over the runs of a decomposition; nan where a correlation is undefined.

    A negative value alone shows no tradeoff: bounded scores have a negative correlation of their own.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition.decompose import decompose
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.decomposition.decompose import run_target
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03], [0.7, 0.2]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C", "T"), ("q1", "q2"), "AP")
    >>> round(tradeoff(decompose(runs, run_target(runs, "T"))).score.spearman, 6)  # ranks by hand: -1.5 / sqrt(4.5 * 5)
    -0.316228
    """
    return Tradeoff(*(correlations(result.bias2, result.variance(form)) for form in FORMS))


RowKey = tuple[Sampling, Form, tuple[int, ...] | None]


class TradeoffRow(NamedTuple):
    """The correlations under one sampling in one form, over ``n_subsets`` subsets, without those that were ``dropped``.

    They are over all runs, or over those ``among`` them, by their places.
    """

    sampling: Sampling
    form: Form
    correlations: Correlations
    n_subsets: int
    dropped: int
    among: tuple[int, ...] | None = None

    @property
    def key(self) -> RowKey:
        """What the correlations are of."""
        return self.sampling, self.form, self.among


def single_rows(values: Tradeoff, n_queries: int, among: tuple[int, ...] | None = None) -> list[TradeoffRow]:
    """The correlations over single queries as rows, score form and gap form; of some of the runs with ``among``."""
    return [TradeoffRow(SINGLE, form, getattr(values, form), n_queries, 0, among) for form in FORMS]


def of_single(rows: Iterable[TradeoffRow]) -> dict[Form, TradeoffRow]:
    """Those of some rows that are over single queries, not normalised, and over all runs, by form."""
    return {row.form: row for row in rows if row.sampling == SINGLE and row.among is None}


def tradeoff_rows(targeted: TargetedScores, design: Design) -> list[TradeoffRow]:
    """The correlation of bias^2 and variance over the runs under every sampling of a design, in both forms.

    The normalised form is given once, as ``score``: its gap form is the same. Correlations are nan where undefined.

    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> for row in tradeoff_rows(TargetedScores(runs, runs, best_of_runs(runs)), Design()):
    ...     print(row.sampling.kind, row.sampling.normalised, row.form, round(row.correlations.kendall, 4))
    single False score -0.8165
    single False gap 0.8165
    single True score 1.0
    """
    rows = []
    for sampling in design.samplings(targeted.scores.n_queries):
        result = generalised_under(sampling, design, targeted)
        for form in FORMS[:1] if sampling.normalised else FORMS:
            if result is None:
                rows.append(TradeoffRow(sampling, form, UNDEFINED, 0, 0))
            else:
                values = correlations(result.bias2, result.variance(form))
                rows.append(TradeoffRow(sampling, form, values, result.n_subsets, result.n_dropped))
    return rows


def generalised_under(sampling: Sampling, design: Design, targeted: TargetedScores) -> Generalised | None:
    """The generalised decomposition of the runs under one sampling; None where the normalised form is not defined.

    That of systems is over their replicates too: total = E_k total_k, and the variance is what is above bias^2.
    """
    means, extra = _generalised_means(sampling, design, targeted), var_replicates(sampling, design, targeted)
    if means is None or extra is None:
        return means
    return replace(means, var=means.var + extra, var_gap=means.var_gap + extra)


def var_replicates(sampling: Sampling, design: Design, targeted: TargetedScores) -> FloatArray | None:
    """What the replicates of the systems add to their variance under one sampling, (n_systems,); None without any.

    By the law of total variance it is the same in both forms: E_k total_k minus the total of the mean over the
    replicates (docs/definitions.md, "Replicates"). nan where the normalised form is not defined.
    """
    systems = targeted.scores
    if systems.replicates is None:
        return None
    if sampling == SINGLE:
        return systems.replicates.within.mean(axis=1)
    means = _generalised_means(sampling, design, targeted)
    runs = _generalised_means(sampling, design, replace(targeted, scores=systems.replicates.runs))
    if means is None or runs is None or means.n_dropped != runs.n_dropped:
        return np.full(systems.n_runs, np.nan)
    return np.maximum(systems.replicates.mean(runs.total) - means.total, 0.0)


def _generalised_means(sampling: Sampling, design: Design, targeted: TargetedScores) -> Generalised | None:
    """What `generalised_under` gives for the scores as they are: runs, or means over replicates."""
    samples = partitions(sampling, design, targeted)
    if sampling.normalised:
        how: Any = {"by": design.normalise, "zero_target": design.zero_target, "pool": targeted.pool}
        return generalised.normalise(targeted.scores, targeted.target, samples[0], **how)
    if sampling.kind == "random-exact":
        single = moments(targeted.scores.values, targeted.target.scores, targeted.target.mean)
        return generalised.expected_over_random(single, targeted.scores.n_queries, samples[0])
    return generalised.generalise(targeted.scores, targeted.target, samples)


def partitions(sampling: Sampling, design: Design, targeted: TargetedScores) -> list[Partition]:
    """The partitions of the queries that a sampling means: one, or as many as there are repeats for random ones."""
    assert sampling.size is not None or sampling.kind == "groups", "only groups have no size"
    n_queries, size = targeted.scores.n_queries, sampling.size or 0
    match sampling.kind:
        case "single":
            return [generalised.single_queries(n_queries)]
        case "groups":
            assert design.groups is not None, "groups are sampled where there are groups"
            order, listed = generalised.listed_groups(design.groups, targeted.scores.queries, design.groups_path)
            return [Partition.of(order, listed, design.subset_weights)]
        case "random":
            orders = generalised.random_orders(n_queries, size, design.repeats, design.seed)
        case "random-exact":
            orders = [np.arange(n_queries)]
        case "difficulty":
            orders = [generalised.by_difficulty(targeted.pool.values, design.difficulty)]
        case _:
            assert_never(sampling.kind)
    sizes = generalised.subset_sizes(n_queries, size, design.remainder)
    return [Partition.of(order, sizes, design.subset_weights) for order in orders]
