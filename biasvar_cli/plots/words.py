"""Words that several figures use."""

from __future__ import annotations

from typing import Literal, NamedTuple

from biasvar_cli.decomposition import Decomposition
from biasvar_cli.errors import DataError, UsageError, counted
from biasvar_cli.plots.style import HAT
from biasvar_cli.scores import FloatArray
from biasvar_cli.tables.table import about
from biasvar_cli.tradeoff import Form

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
    >>> from biasvar_cli.decomposition import decompose
    >>> from biasvar_cli.scores import ScoreMatrix
    >>> from biasvar_cli.target import given_mean
    >>> result = decompose(ScoreMatrix(np.array([[0.3, 0.1]]), ("A",), ("q1", "q2"), "AP"), given_mean(0.45))
    >>> in_form(result, "score").total_title
    'Bias² + Var'
    """
    if form == "score":
        return FormOf(form, result.var, result.total, "Var", f"{BIAS2} + Var")
    if result.target.scores is None:
        raise UsageError(f"--form gap needs the target's score per query; {result.target.label} is a mean alone")
    return FormOf(form, result.var_gap, result.total_gap, VAR_GAP, f"{BIAS2} + {VAR_GAP}")


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


def require_runs(n_runs: int, least: int = 2) -> None:
    """Raises `DataError` for fewer runs than a figure can compare."""
    if n_runs < least:
        raise DataError(f"the figure compares runs: it needs at least {least}, found {counted(n_runs, 'run')}")
