"""Runs in the plane of bias² and variance (SIGIR'13), and in order of bias² with the parts of their error (CIKM'14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.drawing.chart import (
    BIAS2,
    InForm,
    about_result,
    by_bias2,
    by_series,
    chart,
    in_form,
    legend_rows,
    one_answer,
    quantity,
    remarks_on,
    require_runs,
    rounded,
    tick_format,
    unit_words,
)
from biasvar_cli.drawing.plane import Replicated, plane_chart
from biasvar_cli.drawing.run_axis import run_axis
from biasvar_cli.drawing.style import Rows, Spec, Style, layer
from biasvar_cli.errors import UsageError, full_name
from biasvar_cli.readers.maps import Families, families_named
from biasvar_cli.scoring.families import families_in
from biasvar_cli.tables.table import listed
from biasvar_cli.words import RUNS, Form, argument

_SIGN = 7.5  # points that a sign needs
_EDGE = 4.0  # points from the sides of the plot to the first and the last bar
_OVER = 6.0  # points from the top of a bar to the middle of its sign


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
        remarks=remarks_on([answer]),
        replicates=None if systems is None or single_runs is None else Replicated(single_runs, systems.system_of),
        style=style,
    )


def _one(answers: Sequence[DecomposeAnswer]) -> DecomposeAnswer:
    return one_answer(answers, measure=lambda answer: answer.measure, target=lambda answer: answer.target.label)


def ranked_figure(answers: Sequence[DecomposeAnswer], *, form: Form = "score", style: Style | None = None) -> Spec:
    """Bars of bias² and variance on each other, whose top is the total; signs over the runs with the least of each.

    There is one answer. Runs of equal bias² are in order of their names. Where not all names have room under the bars,
    those of the first runs stand there. Raises `DataError` for a single run, `UsageError` for several answers and for a
    gap form that is not defined.
    """
    answer = _one(answers)
    style, result = style or Style(), answer.result
    require_runs(result.runs)
    errors = in_form(result, form)
    order = by_bias2(result)
    rows, least = _rows(result, errors, order), _least(result, errors)
    signs = list(dict.fromkeys(row["sign"] for row in least))
    names = [result.runs[index] for index in order]
    edges = [_EDGE, {"expr": f"width - {_EDGE}"}]  # a sign over the first or the last run is within the plot
    scale = {"range": edges, "paddingInner": 0.1, "paddingOuter": 0.1}
    axis = run_axis(names, f"{RUNS:title} in ascending order of {BIAS2}", style.width - 40, style, scale=scale)
    highest = float(errors.total.max()) or 1.0
    height = (0.33 if style.wide else 0.5) * style.width
    step = (style.width - 40) / len(order)
    tops = _tops(least, names, errors.total[order].tolist(), int(_SIGN / 2 / step + 0.5))
    rooms = [over / highest * (height - 20) + _OVER for over in tops]
    lifts = _lifts([step * names.index(row["run"]) for row in least], rooms, [row["sign"] for row in least])
    top = max([1.1, *(1 + (over - height + 32) / (height - 20) for over in map(sum, zip(rooms, lifts, strict=True)))])
    least = [{**row, "over": over, "lift": -_OVER - lift} for row, over, lift in zip(least, tops, lifts, strict=True)]
    y = quantity("value", f"{BIAS2}, {errors.var_title}", scale={"domain": [0, rounded(top * highest)], "nice": False})
    y["axis"] = tick_format(highest)
    colours = {"domain": [BIAS2, errors.var_title], "range": [style.colours.dark_fill, style.colours.light_fill]}
    fill = {"field": "part", "scale": colours, "legend": {"title": None, "orient": "bottom"}}
    signs_of = by_series("sign", signs, style)
    signs_of["y"], lift = {**y, "field": "over"}, {"expr": "datum.lift"}
    bars = {"x": axis.channel, "y": {**y, "stack": "zero"}, "fill": fill, "order": {"field": "place"}}
    return chart(
        [
            layer("parts", "bar", bars),
            layer("least", "point", {"x": axis.channel, **signs_of}, filled=True, size=28, yOffset=lift),
            *axis.layers,
        ],
        {"parts": rows, "least": least, **axis.data},
        title=f"{RUNS:title} in order of {BIAS2}",
        subtitle=about_result(result),
        caption=[unit_words(result, form), f"A whole bar is {errors.total_title}", *remarks_on([answer])],
        style=style,
        height=height + axis.length,
        legend_rows=legend_rows(signs, style) + 1,
    )


def _tops(least: Rows, names: list[str], totals: list[float], reach: int) -> list[float]:
    """The highest bar under each sign: its own or one of those within reach on each side."""
    indices = [names.index(row["run"]) for row in least]
    return [max(totals[max(0, index - reach) : index + reach + 1]) for index in indices]


def _lifts(across: Sequence[float], high: Sequence[float], signs: Sequence[str]) -> list[float]:
    """How much higher each sign stands so that it covers no other one; places are in points.

    >>> _lifts([0.0, 3.0, 40.0], [50.0, 52.0, 50.0], ["least bias", "least var", "least total"])
    [0.0, 7.5, 0.0]
    """
    earlier: list[tuple[float, float, str]] = []
    lifts = []
    for x, y, sign in zip(across, high, signs, strict=True):
        lift = 0.0
        while any(s != sign and abs(x - u) < _SIGN and abs(y + lift - v) < _SIGN - 2 for u, v, s in earlier):
            lift += _SIGN
        earlier.append((x, y + lift, sign))
        lifts.append(lift)
    return lifts


def _rows(result: Decomposition, errors: InForm, order: list[int]) -> Rows:
    """Two rows a run, its bias² and its variance, in the order of the figure."""
    parts = ((BIAS2, result.bias2), (errors.var_title, errors.var))
    return [
        {"run": result.runs[index], "part": part, "place": part_index, "value": float(values[index])}
        for index in order
        for part_index, (part, values) in enumerate(parts)
    ]


def _least(result: Decomposition, errors: InForm) -> Rows:
    """A row for each run that has least of something, differences by rounding aside; one sign for the same of all."""
    marks: dict[int, list[str]] = {}
    for name, values in ((BIAS2, result.bias2), (errors.var_title, errors.var), (errors.total_title, errors.total)):
        for index in np.flatnonzero(is_least(values)).tolist():
            marks.setdefault(index, []).append(name)
    alike: dict[str, list[str]] = {}
    for index, names in marks.items():
        alike.setdefault(", ".join(names), []).append(result.runs[index])
    rows = []
    for index, names in marks.items():
        least = ", ".join(names)
        sign = f"least {least}: {listed(alike[least], 2)}"
        rows.append({"run": result.runs[index], "least": least, "sign": sign, "total": float(errors.total[index])})
    return rows


FIGURES: Mapping[str, Callable[..., Spec]] = {"plane": plane_figure, "total": total_figure, "ranked": ranked_figure}
