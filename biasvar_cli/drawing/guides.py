"""The grey lines behind the runs: equal total, or no variance, with labels at their ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

from biasvar_cli.drawing.axes import rounded, tick_format
from biasvar_cli.drawing.labels import Side
from biasvar_cli.drawing.spec import Datum, Rows, Spec, layer
from biasvar_cli.drawing.style import Style

_SIDES = {"over": Side(0, -4, "center"), "right": Side(3, 0, "left"), "inside": Side(3, -3, "left")}
INSIDE = _SIDES["inside"]


def equal_totals(x: Sequence[float], y: Sequence[float]) -> Rows:
    """The lines bias² + variance = c within a plane, for round values of c, each with its lower and its upper end."""
    step = _round_step((x[1] + y[1] - x[0] - y[0]) / 8)
    words = _words(step, x[1] + y[1])
    lines = []
    for index in range(max(1, ceil((x[0] + y[0]) / step)), floor((x[1] + y[1]) / step) + 1):
        value = rounded(index * step)
        right, left = min(x[1], value - y[0]), max(x[0], value - y[1])
        if right - left > 0.03 * (x[1] - x[0]):
            ends = [{"bias2": each, "y": value - each, "total": value} for each in (right, left)]
            lines.append({"ends": ends, "label": words(value) if right - left > 0.1 * (x[1] - x[0]) else ""})
    return lines


def no_variance(x: Sequence[float], y: Sequence[float]) -> Rows:
    """The line total = bias², where it crosses the plane."""
    low, high = max(x[0], y[0]), min(x[1], y[1])
    ends = [{"bias2": each, "y": each, "total": None} for each in (low, high)]
    return [{"ends": ends, "label": ""}] if low < high else []


def _round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large.

    >>> _round_step(0.013), _round_step(0.3)
    (0.02, 0.5)
    """
    power = 10.0 ** floor(log10(rough))
    return next(rounded(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _words(step: float, largest: float) -> Callable[[float], str]:
    """How the values of lines are written: with the same number of digits, as those of an axis.

    >>> words = _words(0.05, 0.22)
    >>> words(0.05), words(0.1)
    ('0.05', '0.10')
    """
    if tick_format(largest):
        return lambda value: f"{value:g}"
    digits = max(0, -floor(log10(step) + 1e-9))
    return lambda value: f"{value:.{digits}f}"


def label_of(line: Datum, x: Sequence[float], y: Sequence[float]) -> Datum:
    """Where the label of a line stands: over the plot, to the right of it, or else inside at its left edge."""
    lower, upper = line["ends"]
    if upper["bias2"] > x[0] + 1e-9 * (x[1] - x[0]):
        return {**upper, "label": line["label"], "side": "over"}
    if lower["y"] > y[0] + 1e-9 * (y[1] - y[0]):
        return {**lower, "label": line["label"], "side": "right"}
    return {**upper, "label": line["label"], "side": "inside"}


def line_layers(x: Spec, y: Spec, style: Style) -> list[Spec]:
    """The layers of the datasets ``lines`` and ``ticks``, the ends of lines and their labels."""
    grey = style.colours.grey
    encoding = {"x": x, "y": {**y, "field": "y"}}
    text = {**encoding, "text": {"field": "label"}}
    layers = [
        layer(
            "lines",
            "line",
            {**encoding, "detail": {"field": "total"}},
            aria=False,
            color=grey,
            strokeWidth=0.6,
            opacity=0.7,
        )
    ]
    for side, place in _SIDES.items():
        align = {"align": place.align, "dx": place.dx, "dy": place.dy}
        ticks = layer("ticks", "text", text, aria=False, **align, color=grey, fontSize=6)
        layers.append({**ticks, "transform": [{"filter": {"field": "side", "equal": side}}]})
    return layers
