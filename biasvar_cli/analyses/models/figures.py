"""Query models in the plane of estimation bias² and variance (IP&M'14)."""

from __future__ import annotations

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.analyses.models.sentences import about_models, left_out_words
from biasvar_cli.drawing.plane import Words, plane_figure
from biasvar_cli.drawing.quantities import BIAS2
from biasvar_cli.drawing.style import Spec, Style
from biasvar_cli.query_models.estimation import DIVERGENCES


def estimation_figure(answer: EstimationAnswer, *, style: Style | None = None) -> Spec:
    """Estimation bias² against variance, with what `plane_figure` has: equal totals, the front, families, a baseline.

    Raises `DataError` for a single model.
    """
    unit = f"{DIVERGENCES[answer.estimation.setting.divergence].unit} squared"
    words = Words(f"Estimation {BIAS2} and variance", f"{about_models(answer)}; unit: {unit}", "model")
    return plane_figure(
        answer.estimation.decomposition,
        answer.families or [],
        answer.request.baseline,
        remarks=left_out_words(answer.models),
        words=words,
        style=style,
    )
