"""Query models in the plane of estimation bias² and variance (IP&M'14)."""

from collections.abc import Callable, Mapping, Sequence

from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.analyses.models.table import compared_models, divergence_words, left_out_words
from biasvar_cli.drawing.chart import BIAS2, one_answer
from biasvar_cli.drawing.plane import Words, plane_chart
from biasvar_cli.drawing.style import Spec, Style
from biasvar_cli.errors import UsageError, full_name
from biasvar_cli.query_models.estimation import DIVERGENCES
from biasvar_cli.readers.maps import Families, families_named
from biasvar_cli.scoring.families import families_in
from biasvar_cli.words import argument


def estimation_figure(
    answers: Sequence[EstimationAnswer],
    *,
    families: Families | None = None,
    baseline: str | None = None,
    style: Style | None = None,
) -> Spec:
    """Estimation bias² of query models against variance, with lines of equal total and the Pareto front.

    There is one answer. ``families`` are a file of run,family,parameter or a pattern of names, by default those of the
    answer, and ``baseline`` is the model that their members are compared with, with the families of the answer its own
    by default. Raises what `drawing.plane.plane_chart` raises, `UsageError` for several answers and for a baseline
    without families, `DataError` where no model is in a family.
    """
    answer = one_answer(
        answers,
        divergence=lambda answer: answer.estimation.setting.divergence,
        epsilon=lambda answer: answer.estimation.setting.epsilon,
    )
    result, named = answer.estimation.decomposition, answer.members
    if families is not None:
        named = families_named(families)
    elif named is None and baseline is not None:
        raise UsageError(f"needs {argument('families')}", option="baseline")
    elif named is not None and baseline is None:
        baseline = answer.request.baseline
    if baseline is not None:
        baseline = full_name(argument(baseline=baseline), baseline, result.runs, "model")
    members = [] if named is None else families_in(result, named, baseline, noun="model", text_order=False)
    unit = f"{DIVERGENCES[answer.estimation.setting.divergence].unit} squared"
    measured = f"{divergence_words(answer)}; unit: {unit}"
    words = Words(f"Estimation {BIAS2} and variance", compared_models(answer), measured, "model")
    return plane_chart(result, members, baseline, remarks=left_out_words(answer.models), words=words, style=style)


FIGURES: Mapping[str, Callable[..., Spec]] = {"estimation": estimation_figure}
