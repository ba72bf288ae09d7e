"""How figures look: widths, colours, typefaces. The page has the same colours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from biasvar_cli.drawing.spec import Spec
from biasvar_cli.drawing.text import AXIS, LABEL, TITLE, wrapped
from biasvar_cli.errors import UsageError

COLUMNS = {"one": 240.0, "two": 504.0}  # points: 3 1/3 and 7 inches, a column and the text of ACM's two-column layout
POINTS_PER_CM = 72 / 2.54
_NARROWEST, _WIDEST = 7, 60  # cm
_WIDE = 360.0  # points, from which on a figure is lower than it is wide by half and more
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with the converter, so lines break alike


class Theme(NamedTuple):
    """Colours. Colour-blind readers can distinguish ``series`` (Okabe and Ito 2008); in grey print shapes do it."""

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
        """Whether the figure is wide enough to be low."""
        return self.width >= _WIDE

    def wrapped(self, text: str, size: float = LABEL, width: float = 0) -> list[str]:
        """A text as lines that fit a width, by default the whole one; a word that is too long is broken.

        >>> Style(width=100).wrapped("Runs in ascending order of bias", AXIS)
        ['Runs in ascending order', 'of bias']
        """
        return wrapped(text, size, width or self.width - 8)


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


def config(style: Style) -> Spec:
    """Sizes, colours and typefaces of everything that the layers leave open."""
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
            "labelFlush": False,
            "labelFontSize": LABEL,
            "labelLimit": round(style.width * 0.3),
            "tickColor": colours.grey,
            "tickSize": 3,
            "titleColor": colours.text,
            "titleFontSize": AXIS,
            "titleFontWeight": "normal",
            "titlePadding": 4,
        },
        "legend": {
            "labelColor": colours.text,
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
