"""What ``--baseline`` of risk asks for, in two parts: which kind of baseline, and its argument."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from biasvar_cli.errors import UsageError

BaselineKind = Literal["run", "top", "mean", "median", "best", "file"]
_ARGUMENTS = {"run": "run:NAME", "file": "file:PATH"}


class BaselineSpec(NamedTuple):
    """A baseline as asked for: ``text`` as it was typed, and what it means.

    ``name`` is the run of ``run:NAME`` or the path of ``file:PATH``, None for the others.
    """

    kind: BaselineKind
    text: str
    name: str | None = None


def parse_baseline(text: str) -> BaselineSpec:
    """What a baseline means: run:NAME, top, mean, median, best or file:PATH. Raises `UsageError` otherwise.

    >>> parse_baseline("run:bm25:a").name, parse_baseline("mean").kind
    ('bm25:a', 'mean')
    >>> parse_baseline("bm25")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: unknown baseline 'bm25'; give run:bm25, top, mean, median, best or file:PATH
    """
    kind, colon, argument = text.partition(":")
    for known in get_args(BaselineKind):
        if kind == known and (known in _ARGUMENTS) == bool(colon):
            if colon and not argument:
                raise UsageError(f"baseline {text!r}: expected {_ARGUMENTS[known]}")
            return BaselineSpec(known, text, argument or None)
    raise UsageError(f"unknown baseline {text!r}; give run:{text}, top, mean, median, best or file:PATH")
