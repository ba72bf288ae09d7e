"""Warnings of what a notebook calls, at the line that calls it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from biasvar_cli.errors import DataWarning, keep_warnings
from biasvar_cli.notebook.arguments import checked

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def warning_there(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same function, each of whose warnings is issued once, as a `DataWarning` of the line that calls it.

    Its arguments are checked first (`arguments.checked`). What is usual in real tracks, such as tied scores, is no
    warning (`errors.notice`); it stays unsaid.
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        given = checked(function, args, kwargs)
        with keep_warnings() as kept:
            try:
                return function(**given)  # type: ignore[call-arg]
            finally:
                for message in dict.fromkeys(kept.warnings):
                    warnings.warn(message, DataWarning, stacklevel=2)

    return call
