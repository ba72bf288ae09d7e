"""What ``--target`` and ``--baseline`` ask for, a kind and its argument each; and what requests share of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, NamedTuple, get_args

from biasvar_cli.errors import UsageError
from biasvar_cli.limits import require_limits
from biasvar_cli.words import LogForm

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


@dataclass(frozen=True, kw_only=True)
class TargetedRequest:
    """What the requests of all analyses that measure runs against targets have in common.

    ``target`` are the targets, each of which gives an answer of its own. With ``log`` scores are analysed as their
    logarithms, floored at ``eps`` (1e-5) or with it added.

    Raises `UsageError` for what cannot be asked.
    """

    target: tuple[str, ...] = ("best",)
    log: LogForm | None = None
    eps: float | None = None

    def __post_init__(self) -> None:
        require_limits(self)
        if self.eps is not None and self.log is None:
            raise UsageError("needs log, floor or add", option="eps")
        for text in self.target:
            parse_target(text)

    @property
    def targets(self) -> tuple[TargetSpec, ...]:
        """The targets, each once."""
        return tuple(parse_target(text) for text in dict.fromkeys(self.target))

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets are read from."""
        return tuple(str(spec.name) for spec in self.targets if spec.kind == "file")


def _number(spec: str, text: str, least: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (isfinite(value) and least <= value <= most):
        between = f" from {least:g} to {most:g}" if isfinite(least) else ""
        raise UsageError(f"target {spec!r}: expected a number{between} after the colon, found {text!r}")
    return value


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


def named_run(text: str) -> str:
    """The run that ``run:NAME`` or ``NAME`` names. Raises `UsageError` where there is no name.

    >>> named_run("run:bm25"), named_run("bm25")
    ('bm25', 'bm25')
    """
    name = text.removeprefix("run:")
    if not name:
        raise UsageError(f"baseline {text!r}: expected a run, NAME or run:NAME")
    return name


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the deciding models.

    ``n_samples`` None is `models.usual_samples` of the pool, and more where these leave the verdict open.
    """

    n_samples: int | None = None
    seed: int = 0
    jobs: int = 1
    shuffled: bool = True
    stability: bool = False
