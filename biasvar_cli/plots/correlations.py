"""An axis of correlations."""

from __future__ import annotations

from biasvar_cli.plots.axes import quantity
from biasvar_cli.plots.quantities import BIAS2
from biasvar_cli.plots.spec import Rows, Spec
from biasvar_cli.words import COEFFICIENT_TITLES, VAR_TITLES, Coefficient, Form


def correlation_axis(coefficient: Coefficient, form: Form, rows: Rows) -> Spec:
    """The observed correlations of some rows: from -1 to 0, or to 1 where something is positive.

    >>> correlation_axis("kendall", "score", [{"observed": -0.5, "low": None, "high": 0.1}])["title"]
    'Kendall’s τ of Bias² and Var'
    """
    values = [row[key] for row in rows for key in ("observed", "low", "high") if row[key] is not None]
    scale = {"domain": [-1, 1 if max(values) > 0 else 0], "nice": False}
    return quantity("observed", f"{COEFFICIENT_TITLES[coefficient]} of {BIAS2} and {VAR_TITLES[form]}", scale=scale)
