"""An axis of runs in order: all their names where they have room, or else those of the first, at the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from biasvar_cli.drawing.chart import labelled
from biasvar_cli.drawing.style import AXIS, LABEL, Rows, Spec, Style, as_title, layer, shortened, width_of_text
from biasvar_cli.words import RUN, Word, counted, is_highlighted

Side = Literal["x", "y"]
_BETWEEN = 1.0  # points between two names beside each other
_LINES = {"x": 12.0, "y": 18.0}  # points from the axis to the names at the ends of lines
_SLANT = 54.0  # points along the axis from a run to its name, at most
_FIRST = 4.0  # points from the end of the axis to the first name
_GAP = 6.0  # points between the last name and the number of the others
_PADDING = 4.0  # points between names and the title of the axis


class RunAxis(NamedTuple):
    """An axis of runs: its channel, what names runs beside the plot, and the points that names need.

    ``length`` is that of the longest name, or of all that stands between the plot and the title of the axis.
    """

    channel: Spec
    layers: list[Spec]
    data: dict[str, Rows]
    length: float


def run_axis(
    runs: list[str],
    title: str,
    points: float,
    style: Style,
    *,
    side: Side = "x",
    longest: float = 80.0,
    size: float = LABEL,
    scale: Spec | None = None,
    noun: Word | str = RUN,
) -> RunAxis:
    """The axis of runs, about ``points`` long. Where there is no room for all names, the first runs are named.

    Names of more than ``longest`` points are shortened. Where two would then look the same there are none, and the
    title says so. ``scale`` is what the scale has beside its domain, ``noun`` what the names are of.

    >>> runs = [f"run{number}" for number in range(143)]
    >>> some = run_axis(runs, "Runs, best first", 200, Style())
    >>> [row["run"] for row in some.data["named"]][:2], some.data["unnamed"][0]["words"]
    (['run0', 'run1'], 'and 134 more runs')
    >>> run_axis(runs[:5], "Runs, best first", 200, Style()).data
    {}
    """
    labels = shortened(runs, longest, size)
    options: Spec = {"labels": False, "ticks": False}
    layers, data, length = _named(runs, labels, points, style, side, size, noun) if labels else ([], {}, 0.0)
    if labels is None:
        title += f" ({len(runs)} names left out, which are alike when shortened)"
    elif layers:
        options |= {"titlePadding": round(length + _PADDING, 2)}
    else:
        options = {"labelFontSize": size, **({"labelAngle": -90} if side == "x" else {"ticks": False})}
        options |= labelled(runs, labels, style)
        length = max(width_of_text(label, size) for label in labels)
    words = as_title(style.wrapped(title, AXIS, points))
    channel = {"field": "run", "type": "nominal", "title": words, "axis": {**options, "grid": False}}
    return RunAxis({**channel, "scale": {"domain": runs, **(scale or {})}}, layers, data, length)


def _named(
    runs: Sequence[str], labels: Sequence[str], points: float, style: Style, side: Side, size: float, noun: Word | str
) -> tuple[list[Spec], dict[str, Rows], float]:
    """The layers that name the first runs, their data, and the points that they need; nothing where all have room."""
    n_runs, step, beside = len(runs), points / len(runs), size + _BETWEEN
    if step >= beside:
        return [], {}, 0.0
    words = _GAP + width_of_text(_more(n_runs, noun), size) if side == "x" else beside
    slanted, fitting = _SLANT / (beside - step) + 1, (points - _FIRST - words) / beside
    n_first = max(1, int(min(slanted, fitting)))
    marked = [index for index, run in enumerate(runs) if is_highlighted(run)]
    n_first = max(1, n_first - sum(index >= n_first for index in marked))
    further = [index for index in marked if index >= n_first]
    after = _FIRST + beside * n_first + (_GAP if side == "x" else 0.0)
    least = after + (words if side == "x" else beside)
    at = {index: _FIRST + beside * index for index in range(n_first)}
    for place, index in enumerate(further):  # under their runs, or as near as the names beside them let them
        most = points - beside * (len(further) - place)
        at[index] = max(least, min(most, (index + 0.5) * step))
        least = at[index] + beside
    named: Rows = [{"run": runs[index], "label": labels[index], "at": at[index]} for index in at]
    data = {"named": named, "unnamed": [{"words": _more(n_runs - len(named), noun), "at": after}]}
    longest = max(width_of_text(row["label"], size) for row in named)
    return _layers(style, side, size), data, _LINES[side] + longest


def _more(number: int, noun: Word | str) -> str:
    """How many have no name.

    >>> _more(1, "run"), _more(135, "track")
    ('and 1 more run', 'and 135 more tracks')
    """
    return f"and {counted(number, f'more {noun}')}"


def _layers(style: Style, side: Side, size: float) -> list[Spec]:
    """A line from each named run to its name, the names, and the number of the others."""
    line = _LINES[side]
    run, along = {"field": "run", "type": "nominal"}, {"expr": "datum.at"}
    if side == "x":
        edge: Spec = {"value": "height"}
        ends = {"x": run, "x2": {"value": 0}, "y": edge, "y2": edge}
        to: Spec = {"x2Offset": along, "yOffset": 1, "y2Offset": line - 2}
        start: Spec = {"x": {"value": 0}, "y": edge}
        names: Spec = {"xOffset": along, "yOffset": line, "angle": -90}
        words: Spec = {"xOffset": along, "yOffset": line + size / 2, "align": "left"}
    else:
        edge = {"value": 0}
        ends = {"y": run, "y2": edge, "x": edge, "x2": edge}
        to = {"y2Offset": along, "xOffset": -1, "x2Offset": 2 - line}
        start, names = {"x": edge, "y": edge}, {"yOffset": along, "xOffset": -line}
        words = {**names, "align": "right"}
    text = {"fontSize": size, "baseline": "middle"}
    return [
        layer("named", "rule", ends, color=style.colours.grey, strokeWidth=0.5, aria=False, **to),
        layer("named", "text", {**start, "text": {"field": "label"}}, **text, align="right", **names),
        layer("unnamed", "text", {**start, "text": {"field": "words"}}, **text, fontStyle="italic", **words),
    ]
