"""Types of options that take a number: their ranges are those of `limits.LIMITS`."""

from __future__ import annotations

from math import isinf, isnan
from typing import Any

import click

from biasvar_cli.limits import LIMITS


class _Number(click.FloatRange):
    """A number in a range, which nan is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def whole(name: str) -> click.IntRange:
    """The type of an option that takes a whole number within the limits of this name.

    >>> whole("jobs")
    <IntRange 1<=x<=1024>
    """
    limits = LIMITS[name]
    return click.IntRange(int(limits.least), int(limits.most))


def number(name: str) -> click.FloatRange:
    """The type of an option that takes a number within the limits of this name.

    >>> number("level")
    <FloatRange 0<x<1>
    """
    limits = LIMITS[name]
    most = None if isinf(limits.most) else limits.most
    return _Number(limits.least, most, min_open=limits.open_least, max_open=limits.open_most and most is not None)
