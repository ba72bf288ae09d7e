"""Bias², variance and total as figures write them, and their values in one form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.tables.render import printable
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
