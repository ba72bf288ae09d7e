"""Numbers that options take, within `limits.LIMITS`."""

from __future__ import annotations

from math import isinf
from typing import Any

import click

from biasvar_cli.limits import LIMITS


class NumberRange(click.FloatRange):
    """A range of numbers, and nan is in none: to click, what is neither too small nor too large is within."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number typed. Fails, as click does, for one that is outside the range, and for nan."""
        number = float(super().convert(value, param, ctx))
        if number != number:
            self.fail(f"nan is not in the range {self._describe_range()}.", param, ctx)
        return number


def whole(name: str) -> click.IntRange:
    """The type of an option that takes a whole number within the limits of this name.

    >>> whole("jobs")
    <IntRange 1<=x<=1024>
    """
    limits = LIMITS[name]
    return click.IntRange(int(limits.least), int(limits.most))


def number(name: str) -> NumberRange:
    """The type of an option that takes a number within the limits of this name.

    >>> number("level")
    <NumberRange 0<x<1>
    """
    limits = LIMITS[name]
    most = None if isinf(limits.most) else limits.most
    return NumberRange(limits.least, most, min_open=limits.open_least, max_open=limits.open_most and most is not None)
