"""Query models in the plane of estimation bias² and variance (IP&M'14)."""

from __future__ import annotations

from collections.abc import Sequence

from biasvar_cli.analyses.models.table import about_models, left_out_words
from biasvar_cli.drawing.plane import Words, plane_figure
from biasvar_cli.drawing.quantities import BIAS2
from biasvar_cli.drawing.spec import Spec
from biasvar_cli.drawing.style import Style
from biasvar_cli.query_models.estimation import Estimation
from biasvar_cli.query_models.load import Loaded
from biasvar_cli.scoring.families import Family

_UNITS = {"js": "bits squared"}  # the others are in nats


def estimation_figure(
    found: Estimation,
    loaded: Loaded,
    families: Sequence[Family] = (),
    baseline: str | None = None,
    *,
    style: Style | None = None,
) -> Spec:
    """Estimation bias² against variance, with what `plane_figure` has: equal totals, the front, families, a baseline.

    Raises `DataError` for a single model.
    """
    about = f"{about_models(found, loaded)}; unit: {_UNITS.get(found.setting.divergence, 'nats squared')}"
    words = Words(f"Estimation {BIAS2} and variance", about, "model")
    remarks = left_out_words(loaded)
    return plane_figure(found.decomposition, families, baseline, remarks=remarks, words=words, style=style)
