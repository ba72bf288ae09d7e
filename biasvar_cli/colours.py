"""The colours of figures and of the page, light and dark."""

from __future__ import annotations

from typing import NamedTuple


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
