"""The figures of ``biasvar plot`` that the page has, and the answers that they are drawn from."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from biasvar_cli.analyses import compare, decompose, judges, risk, target, tracks, tradeoff
from biasvar_cli.analyses.compare.figures import compare_figure
from biasvar_cli.analyses.decompose.figures import plane_figure, ranked_figure
from biasvar_cli.analyses.judges.calibrated_figure import calibrated_figure
from biasvar_cli.analyses.judges.figures import judges_figure
from biasvar_cli.analyses.risk.figures import risk_figure
from biasvar_cli.analyses.target.figures import rarefaction_figure
from biasvar_cli.analyses.tracks.figures import trend_figure
from biasvar_cli.analyses.tradeoff.figures import tradeoff_figure
from biasvar_cli.drawing.style import Spec, Style
from biasvar_cli.page.pictures import Figure, Picture, Pictures
from biasvar_cli.tables.column import COEFFICIENTS
from biasvar_cli.words import FORMS, RUNS

Figures = Mapping[str, Sequence[Picture]]  # by name; a figure may have a picture for each form or coefficient


def of_runs(key: str, answer: decompose.answer.DecomposeAnswer, families: str | None, pictures: Pictures) -> Figures:
    """The figures of bias² and variance of the runs, in each form that is defined."""
    forms = FORMS if answer.targeted.target.scores is not None else FORMS[:1]
    figures: dict[str, tuple[str, Callable[..., Spec]]] = {
        "plane": ("Bias² and variance", partial(plane_figure, families=families)),
        "ranked": (f"{RUNS:title} in order of bias²", ranked_figure),
    }
    return {
        name: pictures.of(
            f"{key}-{name}", label, {form: _figure(figure, answer, form=form) for form in forms}, both=name == "plane"
        )
        for name, (label, figure) in figures.items()
    }


def of_panel(
    key: str,
    pictures: Pictures,
    *,
    correlated: tradeoff.answer.TradeoffAnswer,
    compared: compare.answer.CompareAnswer | None,
    against: risk.answer.RiskAnswer | None,
    goal: target.answer.TargetAnswer,
) -> Figures:
    """The other figures of a measure and target: the tradeoff, means, risk against a baseline, the target's growth."""
    figures: dict[str, tuple[str, Callable[..., Spec], Any]] = {
        "compare": ("Means with comparison bars", compare_figure, compared),
        "risk": ("Risk by the weight of losses", risk_figure, against),
        "rarefaction": (f"The target of fewer {RUNS}", rarefaction_figure, goal if goal.target.is_best else None),
    }
    label = f"Correlation of bias² and variance over the {RUNS}"
    return {"tradeoff": pictures.of(f"{key}-tradeoff", label, _by_coefficient(tradeoff_figure, correlated))} | {
        name: pictures.of(f"{key}-{name}", label, {"": _figure(figure, answer)})
        for name, (label, figure, answer) in figures.items()
        if answer is not None
    }


def of_judges(answers: Sequence[judges.answer.JudgesAnswer], pictures: Pictures) -> list[Sequence[Picture]]:
    """The figure of what judges change, for each measure."""
    return [
        pictures.of(f"judges{number}", "What judges change", {"": _figure(judges_figure, answer)})
        for number, answer in enumerate(answers)
    ]


def of_calibrated(answers: Sequence[judges.answer.JudgesAnswer], pictures: Pictures) -> list[Sequence[Picture]]:
    """The figure of calibrated runs, for each measure; there is none of several judges."""
    return [
        pictures.of(f"calibrated{number}", "Calibrated runs", {"": _figure(calibrated_figure, answer)})
        for number, answer in enumerate(answers)
        if len(answer.calibrations) == 1
    ]


def of_tracks(answer: tracks.answer.TracksAnswer, pictures: Pictures) -> Sequence[Picture]:
    """The figure of the correlations over the years."""
    label = "Correlation of bias² and variance over the years"
    return pictures.of("trend", label, _by_coefficient(trend_figure, answer))


def _by_coefficient(figure: Callable[..., Spec], answer: Any) -> dict[str, Figure]:
    return {name: _figure(figure, answer, correlation=name) for name in COEFFICIENTS}


def _figure(figure: Callable[..., Spec], answer: Any, **options: Any) -> Figure:
    """A function that draws the figure of one answer in a style."""

    def styled(style: Style) -> Spec:
        return figure([answer], style=style, **options)

    return styled
