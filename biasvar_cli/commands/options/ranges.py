"""Numbers that options take."""

from __future__ import annotations

from typing import Any

import click


class NumberRange(click.FloatRange):
    """A range of numbers, and nan is in none: to click, what is neither too small nor too large is within."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number typed. Fails, as click does, for one that is outside the range, and for nan."""
        number = float(super().convert(value, param, ctx))
        if number != number:
            self.fail(f"nan is not in the range {self._describe_range()}.", param, ctx)
        return number
