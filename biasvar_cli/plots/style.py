"""What all figures share: sizes, colours, type, and the frame of title, caption and layers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from biasvar_cli.errors import UsageError
from biasvar_cli.render import printable
from biasvar_cli.scores import FloatArray

Spec = dict[str, Any]
Row = dict[str, Any]
Rows = list[Row]

COLUMNS = {"one": 240.0, "two": 504.0}  # points: 3 1/3 and 7 inches, a column and the text of ACM's two-column layout
POINTS_PER_CM = 72 / 2.54
_NARROWEST, _WIDEST = 5, 60  # cm
LABEL, AXIS, TITLE = 7, 8, 9  # points, of ticks and captions, of axis titles, of the figure's title
_CHARACTER = 0.47  # the width of a character of the typeface, as a share of its size
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with the converter, so lines break alike
HAT = "\u0302"
_FONT_OF_HATS = f"DejaVu Sans, {_FONT}"  # the one above sets a hat beside its letter
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left", "wedge")


class Theme(NamedTuple):
    """Colours. ``series`` are told apart by colour-blind readers (Okabe and Ito 2008); in grey print shapes do it."""

    background: str
    text: str
    grey: str
    faint: str
    series: tuple[str, ...]
    dark_fill: str
    light_fill: str
    ramp: tuple[str, ...]
    below: str


THEMES = {
    "light": Theme(
        background="white",
        text="#222222",
        grey="#777777",
        faint="#d5d5d5",
        series=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C510A", "#000000"),
        dark_fill="#08519c",
        light_fill="#9ecae1",
        ramp=("#f7fbff", "#9ecae1", "#4292c6", "#08519c", "#08203f"),
        below="#D55E00",
    ),
    "dark": Theme(
        background="#1a1a1a",
        text="#eeeeee",
        grey="#a0a0a0",
        faint="#444444",
        series=("#56B4E9", "#E69F00", "#2CC69B", "#E8A5C9", "#F0E442", "#4C8FD0", "#C98A4B", "#FFFFFF"),
        dark_fill="#2b7bba",
        light_fill="#bcdcf0",
        ramp=("#10243a", "#08519c", "#4292c6", "#9ecae1", "#f7fbff"),
        below="#E69F00",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a figure looks: its whole width in points, its theme, and whether it has a title and a caption."""

    width: float = COLUMNS["one"]
    theme: str = "light"
    titled: bool = True

    @property
    def colours(self) -> Theme:
        return THEMES[self.theme]

    def wrapped(self, text: str) -> list[str]:
        """The lines of a caption."""
        return textwrap.wrap(printable(text), max(20, int((self.width - 6) / (_CHARACTER * LABEL))))


def width_of(text: str) -> float:
    """A width in points, from ``one`` or ``two`` columns or centimetres. Raises `UsageError` for anything else.

    >>> width_of("one"), round(width_of("12cm"), 3)
    (240.0, 340.157)
    """
    if text in COLUMNS:
        return COLUMNS[text]
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?cm", text)
    if match is None or not _NARROWEST <= float(match[1]) <= _WIDEST:
        raise UsageError(f"--width {text}: neither one, two, nor a width from {_NARROWEST}cm to {_WIDEST}cm")
    return float(match[1]) * POINTS_PER_CM


def width_of_text(text: str, size: float = LABEL) -> float:
    """About how wide a text is, in points."""
    return size * (0.54 * len(text) + 0.15 * sum(1 for char in text if char.isupper() or char in "mwMW_@%"))


def chart(
    layers: Sequence[Spec],
    datasets: Mapping[str, Rows],
    *,
    title: str,
    caption: Sequence[str],
    style: Style,
    height: float,
    legend_rows: int = 0,
) -> Spec:
    """A figure of layers over named data. ``height`` is about that of the plot itself, in points.

    The width is the whole one, axes and legend included. ``caption`` is sentences or lists, each a paragraph.
    """
    lines = [line for text in caption for line in style.wrapped(text)]
    over = (2 * TITLE + (LABEL + 2) * len(lines)) if style.titled else 0
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": " ".join([f"{title}.", *(f"{text}." for text in caption)]),
        "width": round(style.width, 2),
        "height": round(height + over + 4 * AXIS + 1.8 * LABEL * legend_rows),
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": 3,
        "background": style.colours.background,
        "config": _config(style, _FONT_OF_HATS if HAT in str(layers) else _FONT),
        "datasets": dict(datasets),
        "layer": list(layers),
    }
    if style.titled:
        spec["title"] = {"text": title, "subtitle": lines}
    cleaned: Spec = _clean(spec)
    return cleaned


def layer(data: str, mark: str, encoding: Spec, **properties: Any) -> Spec:
    """One layer: marks of one kind, of the rows of one of the figure's datasets."""
    return {"data": {"name": data}, "mark": {"type": mark, **properties}, "encoding": encoding}


def quantity(field: str, title: str, **more: Any) -> Spec:
    """A number on an axis; layers that share the axis name it alike, or it would have both titles."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def by_series(field: str, domain: Sequence[str], style: Style, apart: Mapping[str, str] | None = None) -> Spec:
    """The channels that tell series apart, by colour and by shape too; those set ``apart`` are grey, of that shape."""
    names, apart = list(domain), apart or {}
    own = [name for name in names if name not in apart]
    colours = {name: style.colours.series[place % len(style.colours.series)] for place, name in enumerate(own)}
    shapes = {name: SHAPES[place % len(SHAPES)] for place, name in enumerate(own)} | dict(apart)
    legend = {"title": None, "orient": "bottom", "columns": _columns(names, style), "symbolOpacity": 1}
    ranges = {"color": [colours.get(name, style.colours.grey) for name in names], "shape": [shapes[n] for n in names]}
    return {
        channel: {
            "field": field,
            "type": "nominal",
            "scale": {"domain": names, "range": values},
            "legend": legend,
        }
        for channel, values in ranges.items()
    }


def legend_rows(names: Sequence[str], style: Style) -> int:
    """How many rows the legend of `by_series` has."""
    return -(-len(names) // _columns(names, style))


def _columns(names: Sequence[str], style: Style) -> int:
    longest = max((width_of_text(name) for name in names), default=0) + 18
    return max(1, min(len(names), int((style.width - 12) / longest)))


def extent(values: FloatArray, *, share: float = 0.07) -> list[float]:
    """The domain of an axis: from the least to the largest value and a little more.

    >>> import numpy as np
    >>> extent(np.array([0.0, 1.0]), share=0.1), extent(np.array([0.5]))
    ([-0.1, 1.1], [0.45, 0.55])
    """
    least, largest = float(values.min()), float(values.max())
    room = share * (largest - least) or 0.1 * abs(largest) or 0.01
    return [round(least - room, 12), round(largest + room, 12)]


def _clean(value: Any) -> Any:
    """A part of a specification as JSON has it: names without control characters, an undefined number as null.

    Axes and legends list the names that rows hold, so that both have to be cleaned alike.

    >>> _clean({"run": "a\\u202eb", "mean": float("nan")})
    {'run': 'a\\\\u202eb', 'mean': None}
    """
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return None if value != value else value


def _config(style: Style, font: str) -> Spec:
    colours = style.colours
    return {
        "font": _FONT,
        "view": {"stroke": colours.faint},
        "axis": {
            "domainColor": colours.grey,
            "gridColor": colours.faint,
            "gridOpacity": 0.5,
            "gridWidth": 0.5,
            "labelColor": colours.text,
            "labelFontSize": LABEL,
            "labelLimit": round(style.width * 0.3),
            "tickColor": colours.grey,
            "tickSize": 3,
            "titleColor": colours.text,
            "titleFont": font,
            "titleFontSize": AXIS,
            "titleFontWeight": "normal",
            "titlePadding": 4,
        },
        "legend": {
            "labelColor": colours.text,
            "labelFont": font,
            "labelFontSize": LABEL,
            "labelLimit": round(style.width - 70),
            "layout": {"bottom": {"anchor": "start", "direction": "vertical", "margin": 3}},
            "offset": 6,
            "rowPadding": 1,
            "symbolSize": 35,
            "titleColor": colours.text,
            "titleFontSize": LABEL,
            "titleFontWeight": "normal",
        },
        "title": {
            "anchor": "start",
            "color": colours.text,
            "fontSize": TITLE,
            "frame": "bounds",
            "offset": 6,
            "subtitleColor": colours.text,
            "subtitleFontSize": LABEL,
            "subtitlePadding": 3,
        },
        "point": {"opacity": 1},
        "text": {"color": colours.text, "fontSize": LABEL},
    }
