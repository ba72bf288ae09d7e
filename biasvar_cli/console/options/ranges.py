"""Options made from what a request declares: type, choices and default from the field, ranges from `limits.LIMITS`."""

from __future__ import annotations

from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from biasvar_cli.console.options.group import Decorator
from biasvar_cli.console.options.heading import option
from biasvar_cli.limits import LIMITS


class Number(click.ParamType[float]):
    """A number within the limits of its name; another is refused in the words of `Limits.expected`.

    >>> Number("jobs", whole=True).convert("8", None, None)
    8
    """

    name = "number"

    def __init__(self, name: str, *, whole: bool) -> None:
        self.limits, self.whole = LIMITS[name], whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number typed. Fails, as click does, for one that is outside the range, and for nan."""
        number: float = (click.INT if self.whole else click.FLOAT).convert(value, param, ctx)
        if number not in self.limits:
            self.fail(f"expected {self.limits.expected(whole=self.whole)}, found {value}.", param, ctx)
        return number


def whole(name: str) -> Number:
    """The type of an option that takes a whole number within the limits of this name."""
    return Number(name, whole=True)


def number(name: str) -> Number:
    """The type of an option that takes a number within the limits of this name."""
    return Number(name, whole=False)


def setting(request: type, name: str, heading: str, **attributes: Any) -> Decorator:
    """The option of a field of a request, a dataclass: its name, type, choices and default are the field's.

    A tuple is an option that may be repeated. Any attribute of click's takes the place of what the field says.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Request:
    ...     of: Literal["mean", "total"] = "mean"
    ...     tie_eps: float = 0.0
    >>> add = setting(Request, "of", "Statistics", help="What is compared.")
    >>> print(click.command()(add(lambda of: None)).params[0].type)
    Choice(['mean', 'total'])
    """
    (field,) = (field for field in fields(request) if field.name == name)
    default = None if field.default is MISSING else field.default
    hint = get_type_hints(request)[name] if isinstance(field.type, str) else field.type
    several = get_origin(hint) is tuple
    kind = _kind(name, get_args(hint)[0] if several else hint)
    given: dict[str, Any] = {"is_flag": True} if kind is bool else {"type": kind, "multiple": several}
    if kind is not bool and default not in (None, ()):
        given |= {"default": default, "show_default": True}
    names = attributes.pop("names", (f"--{name.replace('_', '-')}", name))
    return option(heading, *names, **(given | attributes))


def _kind(name: str, hint: Any) -> Any:
    """The type of an option for values of a type."""
    if isinstance(hint, UnionType) or (get_origin(hint) is not Literal and NoneType in get_args(hint)):
        (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    return Number(name, whole=hint is int) if hint in (int, float) else hint
