"""A figure for a screen: in pixels, of which there are 96 to the inch, where the page has 72 points.

A browser takes the lengths of a specification for pixels. Those of a figure are points, and its type of 7 to 9 points
would be too small to read on a screen; with all lengths in pixels it has the size there that it has on paper.
"""

from __future__ import annotations

import re
import struct
from typing import Any, NamedTuple

from biasvar_cli.drawing.export import as_png
from biasvar_cli.drawing.style import Spec

MIME_TYPE = "application/vnd.vegalite.v5+json"  # the newest that JupyterLab (4.6) and VS Code know
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # whose figures are those of version 6, as a test says
_PIXELS = 96 / 72  # to the point
_DOTS = 2  # to the pixel, of a PNG: sharp on most screens
_LENGTHS = frozenset(
    ("width", "height", "padding", "margin", "offset", "thickness", "tickSize", "gridWidth", "strokeWidth",
     "strokeDash", "fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize", "titlePadding", "subtitlePadding",
     "rowPadding", "labelLimit", "labelLineHeight", "labelOffset", "labelPadding", "titleLimit", "titleLineHeight",
     "minExtent", "maxExtent", "spacing", "gradientLength", "gradientThickness", "range", "dx", "dy", "xOffset",
     "yOffset", "x2Offset", "y2Offset")
)  # fmt: skip
_AREAS = frozenset(("size", "symbolSize"))  # of points, in square points
_SIDES = re.compile(r"\b(width|height)\b")


class Picture(NamedTuple):
    """A PNG, and its width and height on the screen in pixels."""

    png: bytes
    width: int
    height: int


def in_pixels(spec: Spec) -> Spec:
    """The figure as Vega-Lite 5 whose lengths are pixels, with the same data.

    >>> spec = {"width": 240, "layer": [{"mark": {"type": "point", "size": 18, "dy": {"expr": "datum.dy"}}}]}
    >>> shown = in_pixels(spec)
    >>> shown["width"], shown["layer"][0]["mark"]
    (320.0, {'type': 'point', 'size': 32.0, 'dy': {'expr': '1.333333 * (datum.dy)'}})
    """
    return {**_scaled(spec), "$schema": _SCHEMA, "datasets": spec.get("datasets", {})}


def picture_of(spec: Spec) -> Picture:
    """The figure as PNG, of the size of `in_pixels`. Raises what `export.as_png` raises."""
    png = as_png(spec, dots_per_inch=96 * _DOTS)
    width, height = struct.unpack(">II", png[16:24])  # the first chunk of a PNG has its size
    return Picture(png, round(width / _DOTS), round(height / _DOTS))


def _scaled(part: Any) -> Any:
    """A part of a specification but for the data; the size of a tick is a length."""
    if isinstance(part, list):
        return [_scaled(value) for value in part]
    if not isinstance(part, dict):
        return part
    lengths = _LENGTHS | _AREAS if part.get("type") == "tick" else _LENGTHS
    return {
        key: _length(value) if key in lengths else _rounded(value * _PIXELS**2) if key in _AREAS else _scaled(value)
        for key, value in part.items()
        if key != "datasets"
    }


def _length(value: Any) -> Any:
    """A length, several, or an expression of one, in which the sides of the plot are lengths too."""
    if isinstance(value, list):
        return [_length(part) for part in value]
    if isinstance(value, dict) and list(value) == ["expr"]:
        points = _SIDES.sub(rf"(\1 / {_PIXELS:.6f})", value["expr"])
        return {"expr": f"{_PIXELS:.6f} * ({points})"}
    if isinstance(value, dict):  # a channel, such as yOffset, or what depends on a condition
        return {key: (_length if key in ("condition", "value") else _scaled)(part) for key, part in value.items()}
    return _rounded(value * _PIXELS) if isinstance(value, int | float) else value


def _rounded(value: float) -> float:
    return round(value, 3)
