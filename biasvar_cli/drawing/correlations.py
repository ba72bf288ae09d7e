"""An axis of correlations."""

from __future__ import annotations

from math import ceil, floor

from biasvar_cli.drawing.axes import quantity, rounded
from biasvar_cli.drawing.quantities import BIAS2
from biasvar_cli.drawing.spec import Rows, Spec
from biasvar_cli.words import COEFFICIENT_TITLES, VAR_TITLES, Coefficient, Form

_STEP = 0.2
_LEAST = 0.4  # what an axis spans at least


def correlation_axis(coefficient: Coefficient, form: Form, rows: Rows) -> Spec:
    """The observed correlations of some rows and their intervals, from one fifth to another and a little more.

    >>> axis = correlation_axis("kendall", "score", [{"observed": -0.95, "low": None, "high": -0.3}])
    >>> axis["title"], axis["scale"]["domain"]
    ('Kendall’s τ of bias² and variance', [-1.04, -0.16])
    """
    values = [row[key] for row in rows for key in ("observed", "low", "high") if row[key] is not None]
    low, high = _STEP * floor(min(values) / _STEP), _STEP * ceil(max(values) / _STEP)
    if high - low < _LEAST:
        low, high = (low, low + _LEAST) if low + _LEAST <= 1 else (1 - _LEAST, 1.0)
    room = 0.05 * (high - low)
    scale = {"domain": [rounded(low - room), rounded(high + room)], "nice": False}
    return quantity("observed", f"{COEFFICIENT_TITLES[coefficient]} of {BIAS2} and {VAR_TITLES[form]}", scale=scale)
