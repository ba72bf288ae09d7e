"""Targets as they are typed: their forms, and what follows from a form alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import Completion
from biasvar_cli.specs.limits import Limits
from biasvar_cli.words import listed

if TYPE_CHECKING:
    from biasvar_cli.arrays import FloatArray

TargetKind = Literal["best", "perfect", "ideal", "run", "mean", "file"]


class TargetSpec(NamedTuple):
    """A target as asked for: ``text`` as it was typed, and what it means.

    ``name`` is the run of ``run:NAME`` or the path of ``file:PATH``, ``number`` the quantile of ``best:Q`` or the mean
    of ``mean:X``; each is None for the other kinds, and ``number`` for ``best`` itself.
    """

    kind: TargetKind
    text: str
    name: str | None = None
    number: float | None = None

    @property
    def form(self) -> TargetForm:
        """The form that it was typed in."""
        return _FORMS[self.kind, self.name is not None or self.number is not None]

    @property
    def file(self) -> str | None:
        """The file that its scores are read from."""
        return self.name if self.kind == "file" else None


class TargetForm(NamedTuple):
    """A form that a target is written in, and all that follows from it alone.

    ``argument`` stands behind the colon, a number within the ``limits``, or a name where there are none. ``score`` and
    ``gap`` are its row in the documentation: its score of a query, and the columns of the gap form; ``brief`` is said
    of it in help.

    ``of_runs`` makes the target's scores from those of the runs, (..., n_runs, n_queries), the names of the runs and
    the specification: those of the data, of a sample, and the mean logs of systems alike. It is None for a target that
    does not depend on the runs, and that samples leave as it is. ``of_pool`` says that all runs of the pool count for
    it, and ``same_in_logs`` that the logs of the runs make the log of the target.
    """

    kind: TargetKind
    argument: str
    score: str
    gap: str = "yes"
    limits: Limits | None = None
    brief: str = ""
    of_runs: Callable[[FloatArray, tuple[str, ...], TargetSpec], FloatArray] | None = None
    of_pool: bool = False
    same_in_logs: bool = False

    @property
    def written(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else self.kind

    @property
    def per_query(self) -> bool:
        """Whether there is a score per query, and not a mean alone."""
        return self.kind != "mean"


def _quantile(values: FloatArray, _runs: tuple[str, ...], spec: TargetSpec) -> FloatArray:
    import numpy as np

    assert spec.number is not None
    quantile: FloatArray = np.quantile(values, spec.number, axis=-2)
    return quantile


BEST = TargetSpec("best", "best")
TARGETS: Mapping[str, TargetForm] = {
    form.written: form
    for form in (
        TargetForm(
            "best",
            "",
            "the best of all runs, those of `--pool` included",
            brief="score of each query",
            of_runs=lambda values, _runs, _spec: values.max(axis=-2),
            of_pool=True,
            same_in_logs=True,
        ),
        TargetForm(
            "best",
            "Q",
            "the quantile Q (0 to 1) of the runs' scores, such as `best:0.9`",
            limits=Limits(0, 1),
            brief="quantile",
            of_runs=_quantile,
            of_pool=True,
        ),
        TargetForm(
            "perfect",
            "",
            "1. Refused for counts; warns where a measure cannot reach 1",
            gap="yes, `var_gap` equals `var`",
        ),
        TargetForm("ideal", "", "that of the relevant documents alone, in order of grade; needs qrels"),
        TargetForm(
            "run",
            "NAME",
            "that of one run, which stays in the table",
            of_runs=lambda values, runs, spec: values[..., runs.index(str(spec.name)), :],
            same_in_logs=True,
        ),
        TargetForm("mean", "X", "none; only the mean X is known", gap="empty", limits=Limits(-inf, inf)),
        TargetForm("file", "PATH", "that in a csv with the columns `query_id` and `score`"),
    )
}
_FORMS = {(form.kind, bool(form.argument)): form for form in TARGETS.values()}
TARGET_COMPLETION = Completion(
    tuple(
        f"{form.kind}:" if form.argument else form.kind for form in TARGETS.values() if form.limits or not form.argument
    ),
    runs=True,
    files=True,
)


def target_help(*, several: bool = True, mean: bool = True) -> str:
    """The help of a target; without ``mean`` each target has a score of each query."""
    forms = [form for form in TARGETS.values() if mean or form.per_query]
    words = listed((f"{form.written} ({form.brief})" if form.brief else form.written for form in forms), None, "or")
    return f"Measure runs against: {words}.{' Repeatable.' if several else ''}"


def parse_target(text: str) -> TargetSpec:
    """What a target means; `TARGETS` has the forms. Raises `UsageError` for any other text.

    >>> parse_target("best:0.9").number, parse_target("run:bm25:a").name
    (0.9, 'bm25:a')
    >>> parse_target("mean:high")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: target 'mean:high': expected a number after the colon, found 'high'
    """
    kind, colon, argument = text.partition(":")
    forms = [form for form in TARGETS.values() if form.kind == kind and (form.argument or not colon)]
    if not forms or (forms[0].argument and not forms[0].limits and not argument):
        raise UsageError(f"unknown target {text!r}; it is one of {', '.join(TARGETS)}")
    limits = forms[0].limits
    if limits is None:
        return TargetSpec(forms[0].kind, text, name=argument or None)
    try:
        number = float(argument)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or number not in limits:
        between = f" {limits.words}" if isfinite(limits.least) else ""
        raise UsageError(f"target {text!r}: expected a number{between} after the colon, found {argument!r}")
    return TargetSpec(forms[0].kind, text, number=number)
