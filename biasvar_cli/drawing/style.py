"""How figures look: widths, colours, typefaces, and the parts of a Vega-Lite specification, as plain dicts.

The page has the same colours. Text is measured with the widths of the typeface's characters, set in lines, and
shortened. A run that the user highlights is on top, larger and in a colour of its own, its name bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from biasvar_cli.errors import UsageError
from biasvar_cli.words import argument, is_highlighted, printable

if TYPE_CHECKING:
    from biasvar_cli.score_matrix import ScoreMatrix

Spec = dict[str, Any]
Datum = dict[str, Any]  # one row of a dataset
Rows = list[Datum]


def layer(data: str, mark: str, encoding: Spec, **properties: Any) -> Spec:
    """One layer: marks of one kind, of the rows of one of the figure's datasets."""
    return {"data": {"name": data}, "mark": {"type": mark, **properties}, "encoding": encoding}


# What every object of JavaScript has: Vega groups rows in plain objects, and would take these for groups of its own.
_JAVASCRIPT_NAMES = frozenset(
    {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
     "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)  # fmt: skip


def cleaned(value: Any) -> Any:
    """A part of a specification as JSON has it: names without control characters, an undefined number as null.

    A name that every object of JavaScript has gets a blank at its end, which is not seen. Axes and legends list the
    names that rows hold, so both have to be cleaned alike.

    >>> cleaned({"run": "a\\u202eb", "mean": float("nan"), "best": "constructor"})
    {'run': 'a\\\\u202eb', 'mean': None, 'best': 'constructor '}
    """
    if isinstance(value, str):
        return f"{printable(value)} " if value.rstrip(" ") in _JAVASCRIPT_NAMES else printable(value)
    if isinstance(value, dict):
        return {key: cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(part) for part in value]
    return None if isinstance(value, float) and isnan(value) else value


LABEL, AXIS, TITLE = 7, 8, 9  # points, of ticks and legends, of axis titles, of the figure's title
_EM = {  # widths of the typeface's characters as shares of its size; it has the metrics of Helvetica
    **dict.fromkeys("ijl'|", 0.22),
    **dict.fromkeys(" ft.,:;/\\!I[]", 0.28),
    **dict.fromkeys('r()-`*"^', 0.36),
    **dict.fromkeys("ckJsvxyz", 0.5),
    **dict.fromkeys("+=<>~−", 0.59),
    **dict.fromkeys("FTZ", 0.62),
    **dict.fromkeys("ABEKPSVXY&", 0.67),
    **dict.fromkeys("CDHNRUw", 0.73),
    **dict.fromkeys("GOQ", 0.78),
    **dict.fromkeys("mM%W@", 1.0),
}
_WORD = re.compile(r"\S+(?: %\S*)?")  # a number stays with its percent sign
_OTHER_EM = 0.56  # digits and the other letters of Latin scripts


@cache
def width_of_text(text: str, size: float = LABEL) -> float:
    """How wide a text is, in points; scripts that are not Latin are taken to be as wide as they are high.

    >>> round(width_of_text("AP, 30 queries", 10))  # 6.56 times its size in Helvetica's tables
    66
    """
    return size * sum(_EM.get(char, _OTHER_EM if char < "\u0250" else 1.0) for char in text)


def shortened(names: Sequence[str], width: float, size: float = LABEL) -> list[str] | None:
    """Names that fit a width, those that are too long without a part in the middle; None if two would be the same.

    The part is one that leaves what no other name begins and ends with, if there is such a part.

    >>> shortened(["bm25-k1-0.9-b-0.40", "bm25-k1-0.9-b-0.75", "ql"], 45)
    ['bm25-…-0.40', 'bm25-…-0.75', 'ql']
    >>> shortened(["ixa-ir-filter-narr", "ixa-ir-filter-query", "ixa-ir-filter-quest", "ixa-ir-base-query"], 40)
    ['ixa-ir…-narr', 'ixa…r-query', 'ixa-ir…quest', 'ixa-ir-b…ery']
    """
    printed = [printable(name) for name in names]
    short = [_shortened(name, printed, width, size) for name in printed]
    return short if len(set(short)) == len(short) else None


_SHARES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.9)  # of what is left of a long name, before what is left out


def _shortened(name: str, names: Sequence[str], width: float, size: float) -> str:
    if width_of_text(name, size) <= width:
        return name
    for share in _SHARES:
        first, last = _parts(name, share, width, size)
        if sum(other.startswith(first) and other.endswith(last) for other in names) == 1:
            return f"{first}…{last}"
    return "…".join(_parts(name, _SHARES[0], width, size))


def _parts(name: str, share: float, width: float, size: float) -> tuple[str, str]:
    """The beginning of a name, of about this share, and the end that together fit a width."""
    for n_chars in range(len(name) - 1, 1, -1):
        n_first = min(n_chars - 1, max(1, round(share * n_chars + 0.01)))
        first, last = name[:n_first], name[len(name) - n_chars + n_first :]
        if width_of_text(f"{first}…{last}", size) <= width:
            break
    return first, last


def _broken(word: str, size: float, width: float) -> Iterator[str]:
    """A word in pieces that fit a width."""
    piece = ""
    for char in word:
        if piece and width_of_text(piece + char, size) > width:
            yield piece
            piece = ""
        piece += char
    yield piece


def as_title(lines: list[str]) -> str | list[str]:
    """Lines as Vega-Lite has a title: a single one is plain text."""
    return lines[0] if len(lines) == 1 else lines


_POINTS_PER_CM = 72 / 2.54
# Points: a column (240.2) and the text (504.4) of ACM's two-column layout, and the text of Springer's LNCS (345.8).
COLUMNS = {"one": 240.0, "two": 504.0, "lncs": round(12.2 * _POINTS_PER_CM, 1)}
_NARROWEST, _WIDEST = 7, 60  # cm
_WIDE = 360.0  # points, from which on a figure is lower than it is wide by half and more
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first comes with the converter, so lines break alike


class Theme(NamedTuple):
    """Colours. Colour-blind readers can distinguish ``series`` (Okabe and Ito 2008); in grey print shapes do it.

    What is of a highlighted run is larger or bold too (`with_highlights`).
    """

    background: str
    text: str
    grey: str
    faint: str
    series: tuple[str, ...]
    dark_fill: str
    light_fill: str
    ramp: tuple[str, ...]
    below: str
    highlight: str


_ThemeName = Literal["light", "dark"]
THEMES: Mapping[_ThemeName, Theme] = {
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
        highlight="#C2185B",
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
        highlight="#FF77B0",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a figure looks: its whole width in points, its theme, and whether it has a title."""

    width: float = COLUMNS["one"]
    theme: _ThemeName = "light"
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
        width = width or self.width - 8
        lines: list[str] = []
        for word in _WORD.findall(printable(text)):
            for piece in _broken(word, size, width):
                if lines and width_of_text(f"{lines[-1]} {piece}", size) <= width:
                    lines[-1] += f" {piece}"
                else:
                    lines.append(piece)
        return lines


def style_of(width: str = "one", theme: _ThemeName = "light", title: bool = True) -> Style:
    """The style that is asked for by a width in words, a theme, and whether there is a title.

    Raises `UsageError` for a width that is none.

    >>> style_of("two", "dark", False)
    Style(width=504.0, theme='dark', titled=False)
    """
    return Style(width=width_of(width), theme=theme, titled=title)


def width_of(text: str) -> float:
    """A width in points, from the name of a layout or centimetres. Raises `UsageError` for anything else.

    >>> width_of("one"), width_of("lncs"), round(width_of("12cm"), 3)
    (240.0, 345.8, 340.157)
    """
    if text in COLUMNS:
        return COLUMNS[text]
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?cm", text)
    if match is None or not _NARROWEST <= float(match[1]) <= _WIDEST:
        known = ", ".join(COLUMNS)
        raise UsageError(f"{argument(width=text)}: neither {known}, nor a width from {_NARROWEST}cm to {_WIDEST}cm")
    return float(match[1]) * _POINTS_PER_CM


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
            "titleLimit": 0,
            "titleLineHeight": LABEL + 2,
            "titlePadding": 5,
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


_SIZE = 60  # of a point, about the square of its width
_SMALL = 16  # that of a point of many
_SCORES = "highlighted"  # the dataset of the scores of these runs on each query
_COLOURS = ("color", "fill", "shape", "stroke")  # channels whose legends have no other entry for these runs


def with_highlights(body: Spec, datasets: Mapping[str, Rows], colours: Theme) -> Spec:
    """The plots of a body, with the marks of highlighted runs once more on top of each.

    A row is of a run if its value ``run`` is the name. Names do without those that stand over them in bold.
    """
    for views in {"hconcat", "vconcat"} & body.keys():
        body = {**body, views: [with_highlights(view, datasets, colours) for view in body[views]]}
    below, over = [], list[Spec]()
    for plot in body.get("layer", []):
        rows = datasets.get(plot.get("data", {}).get("name", ""), [])
        runs = list(dict.fromkeys(row["run"] for row in rows if is_highlighted(row.get("run"))))
        only = {"field": "run", "oneOf": runs}
        over += _highlighted_marks(plot, only, colours) if runs else []
        if runs and plot["mark"]["type"] == "text":
            plot = {**plot, "transform": [*plot.get("transform", []), {"filter": {"not": only}}]}
        below.append(plot)
    return {**body, "layer": [*below, *over]} if over else body


def highlighted(datasets: Mapping[str, Rows]) -> list[str]:
    """The highlighted runs that a figure has, each once."""
    values = (value for rows in datasets.values() for row in rows for value in row.values())
    return list(dict.fromkeys(f"{value}" for value in values if is_highlighted(value)))


def highlighted_scores(scores: ScoreMatrix, other_than: str = "") -> Rows:
    """The scores of highlighted runs on each query, without those of the run ``other_than``."""
    return [
        {"run": run, "query_id": query, "score": score}
        for run in scores.runs
        if is_highlighted(run) and run != other_than
        for query, score in zip(scores.queries, scores.in_unit.row(run).tolist(), strict=True)
    ]


def highlighted_layers(x: Spec, y: Spec, scores: Rows) -> tuple[list[Spec], dict[str, Rows]]:
    """The scores of highlighted runs on each query, and their names in the upper left corner: layers and data."""
    if not scores:
        return [], {}
    runs = list(dict.fromkeys(row["run"] for row in scores))
    points = layer(_SCORES, "point", {"x": x, "y": y}, filled=True, size=_SMALL)
    corner = {"x": {"value": 4}, "y": {"value": 8}, "text": {"field": "label"}}
    names = [{"run": runs[0], "label": f"● {', '.join(map(format, runs))}"}]
    text = layer(f"{_SCORES}-names", "text", corner, align="left")
    return [points, text], {_SCORES: scores, f"{_SCORES}-names": names}


def _highlighted_marks(plot: Spec, only: Spec, colours: Theme) -> list[Spec]:
    """A layer with the marks of ``only`` some runs; none of marks that stay, such as rings and the edges of words."""
    mark, colour, encoding = plot["mark"], colours.highlight, dict(plot["encoding"])
    match mark["type"]:
        case "point" if mark.get("filled"):
            size = _SMALL if plot["data"]["name"] == _SCORES else _SIZE
            looks = {"color": colour, "opacity": 1, "size": size, "stroke": colours.text, "strokeWidth": 0.8}
        case "rule" | "line" if mark.get("aria", True):
            looks = {"color": colour, "opacity": 1, "strokeWidth": 2.2}
        case "bar":
            looks = {"color": colour, "filled": False, "strokeWidth": 1.5}
            encoding["detail"] = {"field": encoding["fill"]["field"]}  # the parts of a bar stay on each other
        case "text" if "stroke" not in mark:
            looks = {"color": colour, "fontWeight": "bold"}
        case _:
            return []
    encoding = {channel: axis for channel, axis in encoding.items() if channel not in _COLOURS}
    transform = [*plot.get("transform", []), {"filter": only}]
    return [{**plot, "mark": {**mark, **looks}, "encoding": encoding, "transform": transform}]
