"""What ``--target`` asks for, in two parts: which kind of target, and its argument."""

from __future__ import annotations

from math import inf, isfinite
from typing import Literal, NamedTuple

from biasvar_cli.errors import UsageError

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


BEST = TargetSpec("best", "best")
_PLAIN: tuple[TargetKind, ...] = ("best", "perfect", "ideal")  # without an argument


def parse_target(text: str) -> TargetSpec:
    """What a target means: best, best:Q, perfect, ideal, run:NAME, mean:X or file:PATH. Raises `UsageError` otherwise.

    >>> parse_target("best:0.9").number, parse_target("run:bm25:a").name
    (0.9, 'bm25:a')
    >>> parse_target("mean:high")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: target 'mean:high': expected a number after the colon, found 'high'
    """
    kind, colon, argument = text.partition(":")
    if kind == "best" and colon:
        return TargetSpec("best", text, number=_number(text, argument, 0, 1))
    if kind == "mean":
        return TargetSpec("mean", text, number=_number(text, argument, -inf, inf))
    if kind == "run" and argument:
        return TargetSpec("run", text, name=argument)
    if kind == "file" and argument:
        return TargetSpec("file", text, name=argument)
    for plain in _PLAIN:
        if text == plain:
            return TargetSpec(plain, text)
    raise UsageError(f"unknown target {text!r}; it is one of best, best:Q, perfect, ideal, run:NAME, mean:X, file:PATH")


def _number(spec: str, text: str, least: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (isfinite(value) and least <= value <= most):
        between = f" from {least:g} to {most:g}" if isfinite(least) else ""
        raise UsageError(f"target {spec!r}: expected a number{between} after the colon, found {text!r}")
    return value
