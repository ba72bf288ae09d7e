"""Sentences that several captions have."""

from __future__ import annotations

from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.design import Design
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.track import Scored
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import Form, counted


def remarks(scored: Scored, transform: LogTransform | None) -> list[str]:
    """The sentences of every figure on scores that are not just those of the listed runs: a pool, logarithms.

    >>> import numpy as np
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3, 0.0]]), ("A",), ("q1", "q2"), "AP")
    >>> remarks(Scored(runs, runs, None, None), LogTransform("floor", 1e-5))
    ['Scores are ln(max(AP, 1e-05)); 1 of 2 lie below 1e-05']
    """
    sentences = []
    if scored.pool.n_runs > scored.scores.n_runs:
        sentences.append(f"The target is of {counted(scored.pool.n_runs, 'run')} with the pool’s")
    if transform is not None:
        measure, values = measure_words(scored.scores.measure), scored.scores.values
        inner = f"max({measure}, {transform.eps:g})" if transform.form == "floor" else f"{measure} + {transform.eps:g}"
        below = f"{int((values < transform.eps).sum())} of {values.size} lie below {transform.eps:g}"
        sentences.append(f"Scores are ln({inner}); {below}")
    return sentences


def about_form(result: Decomposition, form: Form) -> str:
    """What a figure of a decomposition is of, and in which unit."""
    words = about(result.measure, result.target, len(result.runs), result.n_queries)
    return f"{words}; {form_words(form)}; unit: {result.measure or 'the measure'} squared"


def form_words(form: Form) -> str:
    """A form as captions have it.

    >>> form_words("score"), form_words("gap")
    ('score form', 'gap form (gap = target − score)')
    """
    return "score form" if form == "score" else "gap form (gap = target − score)"


def design_words(design: Design) -> str:
    """The random partitions and their seed, and whatever else is not as CIKM'14 has it.

    >>> design_words(Design())
    'random: 10 partitions, seed 0'
    >>> design_words(Design(difficulty="mean", normalise="maxmin"))
    'random: 10 partitions, seed 0; difficulty by the mean score; normalised by maxmin, which is inferred'
    """
    usual = Design()
    words = {
        "difficulty": "difficulty by the mean score",
        "remainder": f"remainder: {design.remainder}",
        "subset_weights": "subsets of equal weight",
        "normalise": f"normalised by {design.normalise}, which is inferred",
        "zero_target": f"where the target is 0: {design.zero_target}",
    }
    other = [text for name, text in words.items() if getattr(design, name) != getattr(usual, name)]
    drawn = f"random: {counted(design.repeats, 'partition')}, seed {design.seed}"
    return "; ".join([drawn, *other])
