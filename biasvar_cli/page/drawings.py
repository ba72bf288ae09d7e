"""Figures in which no run is chosen, as SVG: what they show does not change, so the page draws them without a script.

They are those of ``biasvar plot``: tradeoff, rarefaction, trend. Horizontal places are shares of the width, so that one
drawing fits every window and is read without scripts and on paper; colours are classes of the style sheet.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from biasvar_cli.analyses.tracks import LETTERS, SAMPLINGS
from biasvar_cli.tables.rounding import number
from biasvar_cli.words import COEFFICIENT_TITLES, RUNS, in_nouns, printable

_ROW, _TOP, _BASE = 40, 20, 40  # pixels: of a sampling, over and under a plot
_SHAPES = (
    "M-4.6,0A4.6,4.6 0 1 1 4.6,0A4.6,4.6 0 1 1 -4.6,0Z",
    "M-4.6,-4.6H4.6V4.6H-4.6Z",
    "M0,-5.5L5.5,4.6H-5.5Z",
    "M0,-6.4L5.5,0L0,6.4L-5.5,0Z",
)
_DASHES = ("none", "6 3", "2 3", "8 3 2 3", "12 4", "1 2", "8 3 2 3 2 3", "4 1")
_UNSEEN = {"aria-hidden": "true"}  # by readers, whom the label of the whole figure tells what it shows
_NULLS = "95 % range and median of null models, in which runs differ only in their means"


class Drawing(NamedTuple):
    """A figure, or its reason why there is nothing to draw; ``key`` is what is chosen in a list to see it."""

    key: str
    figure: Markup
    caption: str


class _Span(NamedTuple):
    """An axis from ``low`` to ``high``."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value is, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self, about: int) -> Iterator[tuple[float, str]]:
        """Round numbers along the axis, and their words.

        >>> [words for _, words in _Span(0, 0.31).ticks(3)]
        ['0.0', '0.2']
        """
        rough = (self.high - self.low) / about
        power = 10.0 ** math.floor(math.log10(rough))
        step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        for multiple in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1):
            yield multiple * step, f"{multiple * step:.{digits}f}".replace("-", "−")


def correlation_drawn(name: str, rows: Sequence[tuple[str, Mapping[str, Any]]], why: str) -> Drawing:
    """A coefficient by sampling: a dot on the range and the median of the null models.

    ``rows`` are the words of a sampling and form, and what ``tradeoff -f json`` has; ``why`` there are no null models.
    """
    known = [
        (words, row[name], (row.get("null") or {}).get(name) or {}) for words, row in rows if row[name] is not None
    ]
    if not known:
        reason = Markup("<p>No correlation is defined: it needs at least 3 {} that differ.</p>").format(str(RUNS))
        return Drawing(name, reason, "")
    highest = max(max(value, null.get("high") or -1) for _, value, null in known)
    x, title = _Span(-1.03, 1.03 if highest > 0 else 0.03), f"{COEFFICIENT_TITLES[name]} of bias² and variance"
    base = _TOP + _ROW * len(known)
    parts = [*_columns(x, base, title)]
    for index, (words, value, null) in enumerate(known):
        y = _TOP + _ROW * index + 28
        tooltip = f"{words}: {number(value, 4)}"
        marks = [_element("text", words, x="0.6%", y=y - 13)]
        if null.get("low") is not None and null.get("high") is not None:
            marks.append(_element("line", class_="interval", x1=_x(x, null["low"]), x2=_x(x, null["high"]), y1=y, y2=y))
            at = _x(x, null["median"])
            marks.append(_element("line", class_="median", x1=at, x2=at, y1=y - 6, y2=y + 6))
            tooltip += (
                f"\nnull models {number(null['median'], 4)} [{number(null['low'], 4)}, {number(null['high'], 4)}]"
            )
        marks.append(_element("circle", class_="own", r=5, cx=_x(x, value), cy=y))
        parts.append(_element("g", _element("title", tooltip), *marks))
    words = f"{title} under {len(known)} samplings beside its null models; the table below has the numbers"
    nulls = f"{why[0].upper()}{why[1:]}." if why else f"Bar and tick: {in_nouns(_NULLS)}."
    return Drawing(name, _svg(parts, base + _BASE, words), f"Dot: observed. {nulls}")


def growth_drawn(means: Sequence[float], measure: str) -> Drawing:
    """The mean of the target of 1, 2, ... runs drawn at random."""
    most, height = len(means), 220
    room = 0.1 * (max(means) - min(means)) or 0.1 * abs(means[0]) or 0.01
    x, y = _Span(-0.06 * most, 1.04 * most), _Span(min(means) - room, max(means) + room)
    points = " ".join(f"{1000 * x.share(at + 1):.1f},{1000 * (1 - y.share(mean)):.1f}" for at, mean in enumerate(means))
    parts = [*_columns(x, height, f"{RUNS:title} pooled", whole=True), *_rows(y, height, f"Mean target, {measure}")]
    parts.append(_curve(height, _element("polyline", class_="median curve", points=points)))
    for size in dict.fromkeys(size for size in (1, 10, 30, most) if size <= most):
        at, high, last = _x(x, size), _y(y, means[size - 1], height), size == most
        words = f"{size}: {number(means[size - 1], 3)}"
        beside = {"text-anchor": "end"} if last and most > 1 else {"dx": 8}
        parts.append(_element("circle", class_="own", r=4, cx=at, cy=high))
        parts.append(_element("text", words, x=at, y=high + (4 if size == 1 else 18), **beside))
    label = f"Mean of the target of 1 to {most} {RUNS}: from {number(means[0], 4)} to {number(means[-1], 4)}"
    caption = f"Mean of the best scores of so many {RUNS} drawn at random, exact expectation."
    return Drawing("", _svg(parts, height + _BASE, label), caption)


class _Point(NamedTuple):
    """One correlation of one track; ``line`` is what it is joined with, ``sampling`` a place in `SAMPLINGS`."""

    track: Mapping[str, Any]
    line: tuple[str, ...]
    sampling: int
    value: float
    null: Mapping[str, Any]


def trend_drawn(name: str, document: Mapping[str, Any]) -> Drawing:
    """A coefficient over the years; ``document`` is that of ``tracks -f json``."""
    points = [point for point in _points(name, document) if point.track["year"] is not None]
    if not points:
        return Drawing(name, Markup("<p>No track with a year has a correlation that is defined.</p>"), "")
    height, years = 310, sorted({track["year"] for track in document["tracks"] if track["year"] is not None})
    room, aside = max(0.3, 0.05 * (years[-1] - years[0])), 0.008 * max(2, years[-1] - years[0])
    highest = max(max(point.value, point.null.get("high") or -1) for point in points)
    x, y = _Span(years[0] - 2 * room, years[-1] + room), _Span(-1.03, 0.03 if highest <= 0 else 1.03)
    title = f"{COEFFICIENT_TITLES[name]} of bias² and variance"
    parts = [*_rows(y, height, title), *_years(x, years, height)]
    lines = list(dict.fromkeys(point.line for point in points))
    curves, marks = [], []
    for index, line in enumerate(lines):
        for sampling in range(len(SAMPLINGS)):
            series = [point for point in points if (point.line, point.sampling) == (line, sampling)]
            series.sort(key=lambda point: point.track["year"])
            shift = aside * (sampling - 1.5 + 0.8 * ((index + 0.5) / len(lines) - 0.5))
            at = [x.share(point.track["year"] + shift) for point in series]
            joined = " ".join(
                f"{1000 * across:.1f},{1000 * (1 - y.share(point.value)):.1f}"
                for across, point in zip(at, series, strict=True)
            )
            dash = _DASHES[index % len(_DASHES)]
            curves.append(
                _element("polyline", class_=f"curve s{sampling}", points=joined, **{"stroke-dasharray": dash})
            )
            marks += [_mark(point, f"{100 * across:.2f}%", y, height) for across, point in zip(at, series, strict=True)]
    parts += [_curve(height, *curves), *marks]
    n_tracks = sum(track["year"] is not None for track in document["tracks"])
    label = f"{title} of {n_tracks} tracks over the years; the tables below have the numbers"
    single = "" if len(lines) > 1 else f" {_words(lines[0])}."
    return Drawing(
        name, _svg(parts, height + _BASE, label) + _legend(lines), f"Thin lines: range of null models.{single}"
    )


def _points(name: str, document: Mapping[str, Any]) -> Iterator[_Point]:
    keys = ("series", "track", "year", "quantity")
    nulls = {tuple(row[key] for key in keys): row for row in document["null"] if row.get("model", "means") == "means"}
    for row in document["tracks"]:
        line = tuple(str(row[key]) for key in ("series", "measure", "target") if row[key])
        for index, sampling in enumerate(SAMPLINGS):
            quantity = f"{sampling}_{name}"
            if row[quantity] is not None:
                null = nulls.get((row["series"], row["track"], row["year"], quantity), {})
                yield _Point(row, line, index, row[quantity], null)


def _mark(point: _Point, at: str, y: _Span, height: int) -> Markup:
    track, low, high = point.track, point.null.get("low"), point.null.get("high")
    words = (
        f"{track['track']}, {track['year']}\n{_words(point.line)}\n{SAMPLINGS[point.sampling]} {number(point.value, 4)}"
    )
    parts = []
    if low is not None and high is not None:
        words += f"\nnull models [{number(low, 4)}, {number(high, 4)}]"
        ends = {"y1": _y(y, low, height), "y2": _y(y, high, height)}
        parts.append(_element("line", class_=f"thin s{point.sampling}", x1=at, x2=at, **ends))
    shape = _element("path", class_=f"dot f{point.sampling}", d=_SHAPES[point.sampling])
    parts.append(_element("svg", shape, x=at, y=_y(y, point.value, height), overflow="visible", **_UNSEEN))
    return _element("g", _element("title", words), *parts)


def _years(x: _Span, years: Sequence[int], height: int) -> Iterator[Markup]:
    labelled = [year for index, year in enumerate(years) if index % math.ceil(len(years) / 7) == 0]
    for year in labelled:
        middle = {"text-anchor": "middle", "class_": "soft"}
        yield _element("text", str(year), x=_x(x, year), y=height + 15, **middle)
    yield _element("text", "Year", x="50%", y=height + 34, **{"text-anchor": "middle"})


def _words(line: Iterable[str]) -> str:
    return printable(", ".join(line))


def _legend(lines: Sequence[tuple[str, ...]]) -> Markup:
    """The samplings by sign and colour, and the series by dashes where there are several."""
    box = {"height": 14, **_UNSEEN}
    items = []
    for index, name in enumerate(SAMPLINGS):
        sign = _element("path", class_=f"f{index}", d=_SHAPES[index])
        items.append((_element("svg", sign, width=14, viewBox="-7 -7 14 14", **box), f"({LETTERS[name]}) {name}"))
    for index, line in enumerate(lines if len(lines) > 1 else ()):
        stroke = {"stroke-dasharray": _DASHES[index % len(_DASHES)]}
        drawn = _element("line", class_="axis", x1=-17, x2=17, **stroke)
        items.append((_element("svg", drawn, width=34, viewBox="-17 -7 34 14", **box), _words(line)))
    return _element("ul", *(_element("li", *parts) for parts in items), class_="legend")


def _columns(x: _Span, base: int, title: str, *, whole: bool = False) -> Iterator[Markup]:
    """The vertical lines of a plot with their numbers, and the title of the axis."""
    for value, words in x.ticks(4):
        if whole and (value < 0 or value != int(value)):
            continue
        at = _x(x, value)
        yield _element("line", class_="grid", x1=at, x2=at, y1=_TOP, y2=base)
        yield _element("text", words, x=at, y=base + 15, class_="soft", **{"text-anchor": "middle"})
    yield _element("rect", class_="axis", x="0.2%", y=_TOP, width="99.6%", height=base - _TOP)
    yield _element("text", title, x="50%", y=base + 34, **{"text-anchor": "middle"})


def _rows(y: _Span, base: int, title: str) -> Iterator[Markup]:
    """The horizontal lines of a plot with their numbers inside, and the title of the axis over them."""
    yield _element("rect", class_="axis", x="0.2%", y=_TOP, width="99.6%", height=base - _TOP)
    for value, words in y.ticks(4):
        at = _y(y, value, base)
        yield _element("line", class_="grid", x1="0.2%", x2="99.8%", y1=at, y2=at)
        yield _element("text", words, x="0.6%", y=at - 3, class_="soft")
    yield _element("text", title, x="0.2%", y=_TOP - 6)


def _x(x: _Span, value: float) -> str:
    return f"{100 * x.share(value):.2f}%"


def _y(y: _Span, value: float, base: int) -> float:
    return round(base - (base - _TOP) * y.share(value), 1)


def _curve(base: int, *lines: Markup) -> Markup:
    """Lines over the whole plot, in thousandths of its width and height."""
    box = {"viewBox": "0 0 1000 1000", "preserveAspectRatio": "none"}
    return _element("svg", *lines, y=_TOP, width="100%", height=base - _TOP, **box, **_UNSEEN)


def _svg(parts: Iterable[Markup], height: int, label: str) -> Markup:
    return _element("svg", *parts, width="100%", height=height, role="img", **{"aria-label": label})


def _element(name: str, *children: Markup | str, **attributes: object) -> Markup:
    """An element with its children, everything in it escaped.

    >>> _element("text", "a < b", class_="soft", x=1.5)
    Markup('<text class="soft" x="1.5">a &lt; b</text>')
    """
    written = Markup("").join(Markup(' {}="{}"').format(key.rstrip("_"), value) for key, value in attributes.items())
    return Markup("<{0}{1}>{2}</{0}>").format(name, written, Markup("").join(children))
