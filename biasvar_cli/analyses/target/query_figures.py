"""The gap of every run to the target on every query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biasvar_cli.arrays import difference
from biasvar_cli.decomposition.contribution import Difficulty
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.drawing.axes import hardest_first, labelled, query_axis, tick_format
from biasvar_cli.drawing.chart import chart
from biasvar_cli.drawing.quantities import BIAS2, by_bias2, require_runs
from biasvar_cli.drawing.spec import Rows, Spec, layer
from biasvar_cli.drawing.style import Style
from biasvar_cli.drawing.text import AXIS, as_title, shortened, width_of_text
from biasvar_cli.errors import UsageError
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import counted

_LINE = 7.5  # points that a name below another needs
_LOWEST = 165.0  # points of a heat map, so that its title has room beside it
_TALLEST = 560.0  # points of a heat map, a page less its caption
_NAMES = 6  # points, of the names beside a heat map
_BESIDE = 24.0  # points beside a heat map, but for the names


def queries_figure(
    targeted: TargetedScores,
    result: Decomposition,
    hardness: Difficulty,
    *,
    remarks: Sequence[str] = (),
    style: Style | None = None,
) -> Spec:
    """A heat map of the gap target - score: a row a run in order of bias², a column a query from hard to easy.

    Where a run is above the target the cell has another colour, and a point for grey print. Raises `DataError` for a
    single run, `UsageError` for a target that is a mean alone.
    """
    style = style or Style()
    require_runs(targeted.scores.runs)
    order, hard = by_bias2(result), np.argsort(hardness.rank, kind="stable").tolist()
    rows = _rows(targeted, order, hard)
    above = [row for row in rows if row["gap"] < 0]
    y, height, longest = _run_axis([result.runs[index] for index in order], style)
    ordered = [targeted.scores.queries[index] for index in hard]
    x, ids = query_axis(ordered, style.width - longest - _BESIDE, hardest_first(hardness.key), style)
    cells = {"x": x, "y": y, "color": _colour([row["gap"] for row in rows], style)}
    dots = layer("above", "point", {"x": x, "y": y}, filled=True, size=3, color=style.colours.text)
    note = [f"Points: the run is above the target ({counted(len(above), 'score')})"] if above else []
    words = about(result.measure, result.target, len(result.runs), result.n_queries)
    return chart(
        [layer("cells", "rect", cells), *([dots] if above else [])],
        {"cells": rows, **({"above": above} if above else {})},
        title="Gap of every run to the target",
        caption=[words, f"Gap: target − score in {measure_words(result.measure)}", *note, *remarks],
        style=style,
        height=height + ids,
        legend_rows=2,
    )


def _rows(targeted: TargetedScores, order: Sequence[int], hard: Sequence[int]) -> Rows:
    """A row for each run and query, in the order of the figure."""
    if targeted.target.scores is None:
        raise UsageError(
            f"the target {targeted.target.label} is a mean alone: it has no score per query to compare with"
        )
    gap = difference(targeted.target.scores, targeted.scores.values)
    return [
        {"run": targeted.scores.runs[run], "query_id": targeted.scores.queries[query], "gap": float(gap[run, query])}
        for run in order
        for query in hard
    ]


def _run_axis(names: list[str], style: Style) -> tuple[Spec, float, float]:
    """The runs below each other, with their names where there is room; the height and the longest name, in points."""
    labels = shortened(names, style.width * 0.3, _NAMES) if len(names) * _LINE <= _TALLEST else None
    shown = {"labels": False} if labels is None else {"labelFontSize": _NAMES, **labelled(names, labels)}
    height = min(_TALLEST, max(260.0, 2.2 * len(names))) if labels is None else max(_LOWEST, _LINE * len(names))
    title = f"Runs in order of {BIAS2}, the least on top" + ("" if labels else f" ({len(names)} names left out)")
    axis = {**shown, "ticks": False, "grid": False}
    y = {"field": "run", "type": "nominal", "title": as_title(style.wrapped(title, AXIS, height)), "axis": axis}
    y["scale"] = {"domain": names}
    return y, height, max((width_of_text(label, _NAMES) for label in labels or []), default=0.0)


def _colour(gaps: Sequence[float], style: Style) -> Spec:
    """The channel of the gap: one ramp from 0 up, and below it another colour, so that 0 can be seen."""
    least, largest = min(gaps), max(gaps)
    ramp = list(style.colours.ramp)
    up = np.linspace(0.0, max(largest, 0.0) or 1.0, len(ramp)).tolist()
    scale: Spec = {"domain": up, "range": ramp}
    if least < 0:
        scale = {"domain": [least, *up], "range": [style.colours.below, *ramp], "interpolate": "rgb"}
    legend: Spec = {"title": "gap", "orient": "bottom", "direction": "horizontal", "titleOrient": "left"}
    legend |= {"gradientLength": 120, "gradientThickness": 7, "tickCount": 4}
    legend |= tick_format(max(-least, largest))
    return {"field": "gap", "type": "quantitative", "scale": scale, "legend": legend}
