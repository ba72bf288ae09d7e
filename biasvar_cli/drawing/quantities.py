"""Bias², variance and total as figures write them, their values in one form, and sentences of several captions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.design import Design
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.track import Scored
from biasvar_cli.tables.render import printable
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import TOTAL, VAR, VAR_TITLES, Form, counted, plural

BIAS2 = "bias²"


class InForm(NamedTuple):
    """One form of a decomposition: its variance and total, with their names on axes and in captions."""

    form: Form
    var: FloatArray
    total: FloatArray

    @property
    def var_title(self) -> str:
        return VAR_TITLES[self.form]

    @property
    def total_title(self) -> str:
        return f"{BIAS2} + {self.var_title}"


def in_form(result: Decomposition, form: Form) -> InForm:
    """The variance and the total of one form. Raises `UsageError` for the gap form of a target that is a mean alone.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition.decompose import decompose
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.decomposition.target import given_mean
    >>> result = decompose(ScoreMatrix(np.array([[0.3, 0.1]]), ("A",), ("q1", "q2"), "AP"), given_mean(0.45))
    >>> in_form(result, "score").total_title
    'bias² + variance'
    """
    if form == "gap" and result.target.scores is None:
        raise UsageError(f"--form gap needs the target's score per query; {result.target.label} is a mean alone")
    return InForm(form, getattr(result, VAR[form]), getattr(result, TOTAL[form]))


def by_bias2(result: Decomposition) -> list[int]:
    """The places of the runs in ascending order of bias², differences by rounding aside, then of their names."""
    bias2 = equalised(result.bias2).tolist()
    return sorted(range(len(result.runs)), key=lambda index: (bias2[index], result.runs[index]))


def require_runs(runs: Sequence[str], noun: str = "run") -> None:
    """Raises `DataError` for a single run, and for two whose names look the same; messages call a run by ``noun``."""
    if len(runs) < 2:
        raise DataError(f"the figure compares {plural(noun)}: it needs at least 2, found {counted(len(runs), noun)}")
    names = [printable(run) for run in runs]
    alike = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if alike:
        raise DataError(f"two {plural(noun)} would both be shown as {alike[0]}: give one of them another name")


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
