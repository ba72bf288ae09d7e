"""What ``--target`` asks for, in two parts: which kind of target, and its argument; and what requests share of it."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, NamedTuple

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
