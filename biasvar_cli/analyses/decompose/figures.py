"""Runs in the plane of bias² and variance (SIGIR'13), and in order of bias² with the parts of their error (CIKM'14)."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Literal

import numpy as np

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.drawing import axes, chart
from biasvar_cli.drawing.labels import over_lines
from biasvar_cli.drawing.plane import Replicated, plane_chart
from biasvar_cli.drawing.run_axis import ROW, RunAxis, is_drawn, run_axis, spread
from biasvar_cli.drawing.style import Rows, Spec, Style, layer, width_of_text
from biasvar_cli.errors import UsageError, full_name
from biasvar_cli.readers.maps import Families, families_named
from biasvar_cli.scoring.families import families_in
from biasvar_cli.words import RUN, RUNS, Form, argument, counted, listed

_NAMES = 0.45  # of the width, at most for the names of runs
_BESIDE = 14.0  # points beside the plot, but for the names
_AWAY = 3.0  # points from the end of a bar to the words beside it
_HALF = 3.5  # points, about half the height of these words


def plane_figure(
    answers: Sequence[DecomposeAnswer],
    *,
    form: Form = "score",
    families: Families | None = None,
    baseline: str | None = None,
    style: Style | None = None,
) -> Spec:
    """Bias² against the variance of a form, with lines of equal total and the Pareto front (SIGIR'13, Figure 1).

    There is one answer. ``families`` are a file of run,family,parameter or a pattern of names, and ``baseline`` is the
    run that their members are compared with. Systems show their single runs too. Raises what
    `drawing.plane.plane_chart` raises, `UsageError` for several answers and for a baseline without families,
    `DataError` where no run is in a family.
    """
    return _scatter(answers, "var", form, families, baseline, style)


def total_figure(
    answers: Sequence[DecomposeAnswer],
    *,
    form: Form = "score",
    families: Families | None = None,
    baseline: str | None = None,
    style: Style | None = None,
) -> Spec:
    """Bias² against the total of a form (SIGIR'13, Figure 2); the rest is as in `plane_figure`."""
    return _scatter(answers, "total", form, families, baseline, style)


def _scatter(
    answers: Sequence[DecomposeAnswer],
    against: Literal["var", "total"],
    form: Form,
    families: Families | None,
    baseline: str | None,
    style: Style | None,
) -> Spec:
    answer = _one(answers)
    if baseline is not None and families is None:
        raise UsageError(f"needs {argument('families')}", option="baseline")
    named = None if families is None else families_named(families)
    if baseline is not None:
        baseline = full_name(argument(baseline=baseline), baseline, answer.result.runs)
    members = [] if named is None else families_in(answer.result, named, baseline, text_order=False)
    systems, single_runs = answer.targeted.scores.replicates, answer.replicates
    return plane_chart(
        answer.result,
        members,
        baseline,
        against=against,
        form=form,
        remarks=chart.remarks_on([answer]),
        replicates=None if systems is None or single_runs is None else Replicated(single_runs, systems.system_of),
        style=style,
    )


def _one(answers: Sequence[DecomposeAnswer]) -> DecomposeAnswer:
    return chart.one_answer(answers, measure=lambda answer: answer.measure, target=lambda answer: answer.target.label)


def ranked_figure(
    answers: Sequence[DecomposeAnswer], *, form: Form = "score", top: int | None = None, style: Style | None = None
) -> Spec:
    """Bars of bias² and variance end to end, whose length is the total, and words beside those with the least of each.

    There is one answer. The ``top`` runs with the least bias² are drawn, and the highlighted ones; those of equal bias²
    are in order of their names. Raises `DataError` for a single run, `UsageError` for several answers and for a gap
    form that is not defined.
    """
    answer = _one(answers)
    style, result = style or Style(), answer.result
    chart.require_runs(result.runs)
    errors = chart.in_form(result, form)
    order = [run for rank, run in enumerate(chart.by_bias2(result)) if is_drawn(result.runs[run], rank, top)]
    axis = run_axis([result.runs[index] for index in order], style, longest=_NAMES * style.width)
    width = style.width - axis.width - _BESIDE
    totals = errors.total[order]
    highest = float(totals.max()) or 1.0
    point = highest / width
    least = _least(result, errors, order, axis)
    best = listed([result.runs[index] for index in np.flatnonzero(is_least(errors.total))], 2)
    rooms = [(width_of_text(row["words"]) + 2 * _AWAY) / width for row in least]  # of words at the ends of bars
    needed = [row["at"] / (1 - min(0.8, room)) for row, room in zip(least, rooms, strict=True)]
    ticks, domain = {"tickCount": 5, **axes.tick_format(highest)}, [0, axes.rounded(max([1.03 * highest, *needed]))]
    x = axes.quantity("value", f"{chart.BIAS2}, {errors.var_title}", domain, axis=ticks)
    colours = {"domain": [chart.BIAS2, errors.var_title], "range": [style.colours.dark_fill, style.colours.light_fill]}
    fill = {"field": "part", "scale": colours, "legend": {"title": None, "orient": "bottom"}}
    bars = {"y": axis.channel, "x": {**x, "stack": "zero"}, "fill": fill, "order": {"field": "place"}}
    words = {"y": axis.channel, "x": {**x, "field": "at"}, "text": {"field": "words"}}
    lower = {"yOffset": {"expr": "datum.lower"}}
    beside = over_lines("least", words, style.colours, 1, align="left", xOffset=_AWAY, fontStyle="italic", **lower)
    rows: Rows = [
        {"run": result.runs[index], "part": part, "place": number, "value": float(values[index])}
        for index in order
        for number, (part, values) in enumerate(((chart.BIAS2, errors.bias2), (errors.var_title, errors.var)))
    ]
    small = [{"run": row["run"], "bias2": row["value"]} for row in rows if row["place"] == 0 and row["value"] < point]
    ends = {"y": {**axis.channel, "bandPosition": 0.125}, "y2": {"field": "run", "bandPosition": 0.875}}
    edge = {**ends, "x": {**x, "field": "bias2"}}
    thick = {"height": {"band": 0.75 if axis.step >= ROW else 0.9}}
    spec = chart.chart(
        [
            layer("parts", "bar", bars, **thick),
            *([layer("small", "rule", edge, color=style.colours.dark_fill, strokeWidth=1)] if small else []),
            *beside,
            *axis.layers,
        ],
        {"parts": rows, **({"small": small} if small else {}), "least": least, **axis.data},
        title=f"Least total error: {best}",
        subtitle=chart.about_result(result, order=chart.BIAS2),
        caption=[
            f"{chart.BIAS2.capitalize()} and variance of each {RUN}, least {chart.BIAS2} on top",
            chart.unit_words(result, form),
            f"A whole bar is {errors.total_title}",
            *([f"{len(order)} of {counted(len(result.runs), 'run')} shown"] if len(order) < len(result.runs) else []),
            *chart.remarks_on([answer]),
        ],
        style=style,
        height=axis.height,
        legend_rows=None,
    )
    return {**spec, "view": {"stroke": None}}  # words of the first run would stand on the frame


def _least(result: Decomposition, errors: chart.InForm, order: Sequence[int], axis: RunAxis) -> Rows:
    """Words for each run of some with the least of something, differences by rounding aside: what, and where.

    They begin ``at`` the ends of all bars that they would cover, and stand ``lower`` than their run where runs are
    close.
    """
    least: dict[int, list[tuple[str, int]]] = {}
    for name, values in ((chart.BIAS2, result.bias2), (errors.var_title, errors.var), ("total", errors.total)):
        ranks = np.flatnonzero(is_least(values)[order]).tolist()
        for rank in ranks[:1] if axis.data else ranks:  # no room for words beside all
            least.setdefault(rank, []).append((name, len(ranks) if axis.data else 1))
    middles = [(rank + 0.5) * axis.step for rank in sorted(least)]
    rows = []
    for rank, middle, at in zip(sorted(least), middles, spread(middles, ROW, axis.height), strict=True):
        first, last = ((at + side * _HALF) / axis.step for side in (-1, 1))
        end = float(errors.total[order[max(0, floor(first)) : ceil(last)]].max())
        words = {"words": _least_words(least[rank]), "at": end, "lower": round(at - middle, 2)}
        rows.append({"run": result.runs[order[rank]], **words})
    return rows


def _least_words(least: Sequence[tuple[str, int]]) -> str:
    """What a run has the least of, and how many runs have it where they have no room for words.

    >>> _least_words([("bias²", 1), ("total", 1)]), _least_words([("bias²", 2), ("variance", 2), ("total", 2)])
    ('least bias², total', 'least of all three (2 runs)')
    >>> _least_words([("bias²", 2), ("total", 1)])
    'least bias² (2 runs), total'
    """
    numbers = [f" ({number} {RUNS})" if number > 1 else "" for _, number in least]
    if len(set(numbers)) > 1:
        return f"least {', '.join(name + number for (name, _), number in zip(least, numbers, strict=True))}"
    return f"least {'of all three' if len(least) == 3 else ', '.join(name for name, _ in least)}{numbers[0]}"


FIGURES: Mapping[str, Callable[..., Spec]] = {"plane": plane_figure, "total": total_figure, "ranked": ranked_figure}
