"""Words that several figures use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from biasvar_cli.analyses.tradeoff import Form
from biasvar_cli.arrays import FloatArray, settle
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.plots.style import HAT
from biasvar_cli.scores import LogTransform
from biasvar_cli.scoring.track import Scored
from biasvar_cli.tables.render import printable
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import counted

BIAS2 = "Bias²"
VAR_GAP = f"Var(ρ{HAT})"  # of rho-hat, the papers' sign for the gap target - score


class FormOf(NamedTuple):
    """One form of a decomposition: its variance and total, with their names on axes, in captions and in tables."""

    form: Form
    var: FloatArray
    total: FloatArray
    var_title: str
    total_title: str

    @property
    def var_words(self) -> str:
        return "Var" if self.form == "score" else "Var of the gap"

    @property
    def total_words(self) -> str:
        return f"{BIAS2} + {self.var_words}"

    @property
    def var_field(self) -> Literal["var", "var_gap"]:
        return "var" if self.form == "score" else "var_gap"

    @property
    def total_field(self) -> Literal["total", "total_gap"]:
        return "total" if self.form == "score" else "total_gap"


def in_form(result: Decomposition, form: Form) -> FormOf:
    """The variance and the total of one form. Raises `UsageError` for the gap form of a target that is a mean alone.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition.decompose import decompose
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.decomposition.target import given_mean
    >>> result = decompose(ScoreMatrix(np.array([[0.3, 0.1]]), ("A",), ("q1", "q2"), "AP"), given_mean(0.45))
    >>> in_form(result, "score").total_title
    'Bias² + Var'
    """
    if form == "score":
        return FormOf(form, result.var, result.total, "Var", f"{BIAS2} + Var")
    if result.target.scores is None:
        raise UsageError(f"--form gap needs the target's score per query; {result.target.label} is a mean alone")
    return FormOf(form, result.var_gap, result.total_gap, VAR_GAP, f"{BIAS2} + {VAR_GAP}")


def by_bias2(result: Decomposition) -> list[int]:
    """The places of the runs in ascending order of bias², differences by rounding aside, then of their names."""
    bias2 = settle(result.bias2).tolist()
    return sorted(range(len(result.runs)), key=lambda index: (bias2[index], result.runs[index]))


def remarks(scored: Scored, transform: LogTransform | None) -> list[str]:
    """What every figure says of its scores where they are not just those of the listed runs: a pool, logarithms.

    >>> import numpy as np
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3, 0.0]]), ("A",), ("q1", "q2"), "AP")
    >>> remarks(Scored(runs, runs, None, None), LogTransform("floor", 1e-5))
    ['Scores are ln(max(AP, 1e-05)); 1 of 2 lie below 1e-05']
    """
    found = []
    if scored.pool.n_runs > scored.scores.n_runs:
        found.append(f"The target is of {counted(scored.pool.n_runs, 'run')} with the pool’s")
    if transform is not None:
        measure, values = measure_words(scored.scores.measure), scored.scores.values
        inner = f"max({measure}, {transform.eps:g})" if transform.form == "floor" else f"{measure} + {transform.eps:g}"
        below = f"{int((values < transform.eps).sum())} of {values.size} lie below {transform.eps:g}"
        found.append(f"Scores are ln({inner}); {below}")
    return found


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


def require_runs(runs: Sequence[str]) -> None:
    """Raises `DataError` for a single run, and for two whose names look the same once they can be printed."""
    if len(runs) < 2:
        raise DataError(f"the figure compares runs: it needs at least 2, found {counted(len(runs), 'run')}")
    names = [printable(run) for run in runs]
    alike = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if alike:
        raise DataError(f"two runs would both be shown as {alike[0]}: give one of them another name")


def told_apart(name: str, reserved: Collection[str], kind: str) -> str:
    """A name as a legend has it, with what it is of where it would be taken for one of the legend's own words.

    >>> told_apart("bm25", ["no run"], "run"), told_apart("no run", ["no run"], "run")
    ('bm25', 'no run (run)')
    """
    return f"{name} ({kind})" if name in reserved else name
