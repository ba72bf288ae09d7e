"""What all figures share: widths, colours, typefaces, and the frame of title, caption and layers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import UsageError
from biasvar_cli.plots.text import AXIS, LABEL, TITLE, as_title, shortened, width_of_text, wrapped
from biasvar_cli.tables.render import printable

Spec = dict[str, Any]
Row = dict[str, Any]
Rows = list[Row]

COLUMNS = {"one": 240.0, "two": 504.0}  # points: 3 1/3 and 7 inches, a column and the text of ACM's two-column layout
POINTS_PER_CM = 72 / 2.54
_NARROWEST, _WIDEST = 7, 60  # cm
_WIDE = 360.0  # points, from which on a figure is lower than it is wide by half and more
_INDENT = 40.0  # points from the left edge to where a legend begins, below a vertical axis of numbers
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with the converter, so lines break alike
HAT = "\u0302"
_FONT_OF_HATS = f"DejaVu Sans, {_FONT}"  # the one above sets a hat beside its letter
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left")
RING = "M-1,0A1,1 0 1,1 1,0A1,1 0 1,1 -1,0ZM-0.55,0A0.55,0.55 0 1,0 0.55,0A0.55,0.55 0 1,0 -0.55,0Z"
HOURGLASS = "M-1,-1H1L-1,1H1Z"


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

    @property
    def wide(self) -> bool:
        """Whether there is so much room that figures are low."""
        return self.width >= _WIDE

    def wrapped(self, text: str, size: float = LABEL, room: float = 0) -> list[str]:
        """A text as lines that have room, by default in the whole width; a word that is too long is broken.

        >>> Style(width=100).wrapped("Runs in ascending order of bias", AXIS)
        ['Runs in ascending order', 'of bias']
        """
        return wrapped(text, size, room or self.width - 8)


def width_of(text: str) -> float:
    """A width in points, from ``one`` or ``two`` columns or centimetres. Raises `UsageError` for anything else.

    >>> width_of("one"), round(width_of("12cm"), 3)
    (240.0, 340.157)
    """
    if text in COLUMNS:
        return COLUMNS[text]
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?cm", text)
    if match is None or not _NARROWEST <= float(match[1]) <= _WIDEST:
        raise UsageError(f"--width {text}: neither one, two, nor a width from {_NARROWEST}cm to {_WIDEST}cm")
    return float(match[1]) * POINTS_PER_CM


def labelled(names: Sequence[str], labels: Sequence[str]) -> Spec:
    """What an axis of names needs to show labels in their stead, in the same order."""
    limit = {"labelLimit": 0}
    if [printable(name) for name in names] == list(labels):
        return limit
    return {**limit, "labelExpr": f"{json.dumps(list(labels))}[round(datum.index * {len(names) - 1})]"}


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

    The width is the whole one, axes and legend included. ``caption`` is sentences.
    """
    told = ". ".join(caption)
    heading, lines = style.wrapped(title, 1.1 * TITLE), style.wrapped(told)
    over = ((TITLE + 2) * len(heading) + TITLE + (LABEL + 2) * len(lines)) if style.titled else 0
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": f"{title}. {told}.",
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
        spec["title"] = {"text": as_title(heading), "subtitle": lines}
    cleaned: Spec = _clean(spec)
    return cleaned


def layer(data: str, mark: str, encoding: Spec, **properties: Any) -> Spec:
    """One layer: marks of one kind, of the rows of one of the figure's datasets."""
    return {"data": {"name": data}, "mark": {"type": mark, **properties}, "encoding": encoding}


def quantity(field: str, title: str, **more: Any) -> Spec:
    """A number on an axis; layers that share the axis name it alike, or it would have both titles."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def by_series(
    field: str, domain: Sequence[str], style: Style, apart: Mapping[str, str] | None = None, *, indent: float = _INDENT
) -> Spec:
    """The channels that tell series apart, by colour and by shape too; those set ``apart`` are grey, of that shape.

    The legend begins ``indent`` points from the left edge, where the plot does.
    """
    names, apart = list(domain), apart or {}
    own = [name for name in names if name not in apart]
    colours = {name: style.colours.series[place % len(style.colours.series)] for place, name in enumerate(own)}
    shapes = {name: SHAPES[place % len(SHAPES)] for place, name in enumerate(own)} | dict(apart)
    room = round(style.width - indent - 20)
    legend: Spec = {"title": None, "orient": "bottom", "columns": _columns(names, style, indent), "symbolOpacity": 1}
    legend["labelLimit"] = room
    shown, labels = [printable(name) for name in names], shortened(names, room)
    if labels not in (None, shown):
        legend["labelExpr"] = f"{json.dumps(dict(zip(shown, labels, strict=True)))}[datum.label]"
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


def legend_rows(names: Sequence[str], style: Style, *, indent: float = _INDENT) -> int:
    """How many rows the legend of `by_series` has."""
    return -(-len(names) // _columns(names, style, indent))


def _columns(names: Sequence[str], style: Style, indent: float) -> int:
    longest = max((width_of_text(name) for name in names), default=0) + 22
    return max(1, min(len(names), int((style.width - indent) / longest)))


def extent(values: FloatArray, *, share: float = 0.07, unit: float = 0.0) -> list[float]:
    """The domain of an axis: from the least to the largest value and a little more.

    Values that differ by no more than rounding, of themselves or of ``unit``, are taken to be equal.

    >>> import numpy as np
    >>> extent(np.array([0.0, 1.0]), share=0.1), extent(np.array([0.5])), extent(np.array([0.0, 1e-33]), unit=0.2)
    ([-0.1, 1.1], [0.45, 0.55], [-0.02, 0.02])
    """
    least, largest = float(values.min()), float(values.max())
    size = max(abs(least), abs(largest), unit)
    spread = largest - least
    room = share * spread if spread > 1e-12 * size else 0.1 * size or 0.01
    return [rounded(least - room), rounded(largest + room)]


def rounded(value: float) -> float:
    """A number to twelve significant digits, without what sums in binary leave behind.

    >>> rounded(0.1 + 0.2), rounded(1e-18 / 3)
    (0.3, 3.33333333333e-19)
    """
    return float(f"{value:.12g}")


def tick_format(largest: float) -> Spec:
    """How an axis up to so large a number writes its ticks: with an exponent where zeros would fill the page.

    >>> tick_format(0.2), tick_format(1e-18)
    ({}, {'format': '~g'})
    """
    return {} if 1e-4 <= largest < 1e6 or largest == 0 else {"format": "~g"}


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
