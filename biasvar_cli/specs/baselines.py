"""Baselines as they are typed: a run, or other scores that runs are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from biasvar_cli.errors import UsageError

BaselineKind = Literal["run", "top", "mean", "median", "best", "file"]
WORDS = ("mean", "median", "best", "top")
_ARGUMENTS = {"run": "run:NAME", "file": "file:PATH"}


class BaselineSpec(NamedTuple):
    """A baseline as asked for: ``text`` as it was typed, and what it means.

    ``name`` is the run of ``run:NAME`` or the path of ``file:PATH``, None for the others.
    """

    kind: BaselineKind
    text: str
    name: str | None = None


def parse_baseline(text: str) -> BaselineSpec:
    """What a baseline means: top, mean, median, best, file:PATH, or a run, run:NAME or its name alone.

    Raises `UsageError` where nothing follows ``run:`` or ``file:``.

    >>> parse_baseline("run:bm25:a").name, parse_baseline("mean").kind
    ('bm25:a', 'mean')
    >>> parse_baseline("bm25")
    BaselineSpec(kind='run', text='bm25', name='bm25')
    >>> parse_baseline("run:")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: baseline 'run:': expected run:NAME
    """
    kind, colon, argument = text.partition(":")
    for known in get_args(BaselineKind):
        if kind == known and (known in _ARGUMENTS) == bool(colon):
            if colon and not argument:
                raise UsageError(f"baseline {text!r}: expected {_ARGUMENTS[known]}")
            return BaselineSpec(known, text, argument or None)
    if not text:
        raise UsageError("the baseline is empty; give the name of a run")
    return BaselineSpec("run", text, text)


def parse_run_baseline(text: str) -> BaselineSpec:
    """A baseline that is a run: NAME, run:NAME, or top, the run of the best mean. Raises `UsageError` for another.

    >>> parse_run_baseline("mean")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: baseline: runs are compared with a run, NAME, run:NAME or top; found mean
    """
    spec = parse_baseline(text)
    if spec.kind not in ("run", "top"):
        reason = f"runs are compared with a run, NAME, run:NAME or top; found {spec.text}"
        raise UsageError(reason, option="baseline")
    return spec


def parse_run_baselines(texts: Iterable[str]) -> tuple[BaselineSpec, ...]:
    """The baselines, each run once, by the last of its names. Raises what `parse_run_baseline` raises.

    >>> [spec.text for spec in parse_run_baselines(["bm25", "top", "run:bm25"])]
    ['run:bm25', 'top']
    """
    return tuple({(spec.kind, spec.name): spec for spec in map(parse_run_baseline, texts)}.values())


def named_run(text: str) -> str:
    """The run that ``run:NAME`` or ``NAME`` names. Raises `UsageError` where there is no name.

    >>> named_run("run:bm25"), named_run("bm25")
    ('bm25', 'bm25')
    """
    name = text.removeprefix("run:")
    if not name:
        raise UsageError(f"baseline {text!r}: expected a run, NAME or run:NAME")
    return name
