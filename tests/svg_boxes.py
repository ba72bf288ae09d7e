"""What stands where in the SVG of a figure: boxes of texts, and marks with the frame of their plot.

Lengths are points. The converter writes groups with a ``transform`` each; the background of a group is its frame.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import combinations
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from biasvar_cli.drawing.style import width_of_text

Point = tuple[float, float]
Frame = tuple[float, float, float, float]
_TRANSFORM = re.compile(r"(translate|rotate|scale)\(([^)]*)\)")
_COMMAND = re.compile(r"([MLHVCSQTAZmlhvcsqtaz])([^MLHVCSQTAZmlhvcsqtaz]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_ANCHOR = {"start": 0.0, "middle": 0.5, "end": 1.0}
_ASCENT, _DESCENT = 0.72, 0.2  # of the size of the type
_SLACK = 0.5  # points by which texts may seem to overlap, whose widths are those of a table


class Text(NamedTuple):
    """A line of text: its size, its role in the figure, and the corners of its box on the page."""

    words: str
    size: float
    role: str
    corners: list[Point]

    def sides(self) -> list[Point]:
        """The directions of its sides."""
        (x0, y0), *others = self.corners
        ways = [(x - x0, y - y0) for x, y in others[::2]]
        return [(x / math.hypot(x, y), y / math.hypot(x, y)) for x, y in ways]


class Marks(NamedTuple):
    """The points of one mark, and the frame of its plot: left, top, right, bottom."""

    kind: str
    points: list[Point]
    frame: Frame


class Drawing(NamedTuple):
    """The page's width and height, and what is on it."""

    size: Point
    texts: list[Text]
    marks: list[Marks]


def drawing_of(svg: str) -> Drawing:
    """What an SVG of the converter has on its page; what cannot be seen is left out."""
    root = ElementTree.fromstring(svg)  # noqa: S314
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    drawing = Drawing((width, height), [], [])
    _walk(root, np.eye(3), "", None, drawing)
    return drawing


def problems_of(drawing: Drawing) -> list[str]:
    """What a reader stumbles over: texts on each other, below 6 pt or beyond the page, marks beyond the frame."""
    width, height = drawing.size
    problems = [f"{text.words!r} is {text.size:g} pt" for text in drawing.texts if text.size < 6]
    beyond = [t.words for t in drawing.texts if max(max(-x, x - width, -y, y - height) for x, y in t.corners) > 1]
    problems += [f"{words!r} is cut at the edge of the page" for words in beyond]
    pairs = combinations(drawing.texts, 2)
    problems += [f"{one.words!r} and {other.words!r} overlap" for one, other in pairs if _overlap(one, other)]
    return [*problems, *_beyond_frame(drawing)]


def _beyond_frame(drawing: Drawing) -> Iterator[str]:
    for mark in drawing.marks:
        left, top, right, bottom = mark.frame
        away = [max(left - x, x - right, top - y, y - bottom) for x, y in mark.points]  # negative within the frame
        # a line from the edge of the frame to a name outside, as the ticks of an axis are
        is_tick = mark.kind == "rule" and len(away) == 2 and -3 <= min(away) <= 3
        if max(away) > 0 and not is_tick:
            x, y = mark.points[int(np.argmax(away))]
            yield f"a {mark.kind} at {x:.1f} {y:.1f} is beyond its frame"


def _overlap(one: Text, other: Text) -> bool:
    """Whether two boxes overlap by more than a rounding of widths: no side of either separates them."""
    for x, y in (*one.sides(), *other.sides()):
        first, second = ([x * px + y * py for px, py in text.corners] for text in (one, other))
        if min(max(first), max(second)) - max(min(first), min(second)) <= _SLACK:
            return False
    return True


def _walk(element: Element, matrix: np.ndarray, role: str, frame: Frame | None, drawing: Drawing) -> None:
    name = element.tag.rpartition("}")[2]
    if element.get("display") == "none" or element.get("opacity") == "0":
        return
    matrix = reduce(np.matmul, _transforms(element.get("transform", "")), matrix)
    role = element.get("class") or role
    if name == "text":
        _add_text(element, matrix, role, drawing)
    elif name in ("path", "line", "rect") and "role-mark" in role and frame is not None:
        points = _placed(matrix, _points(element, name, role))
        if points and role.startswith("mark-"):
            drawing.marks.append(Marks(role.split()[0].removeprefix("mark-"), points, frame))
    for child in element:
        if child.get("class") == "background" and re.search(r"role-(frame|scope)", role):
            xs, ys = zip(*_placed(matrix, _points(child, "path", "")), strict=True)
            left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
            if right - left > 1 and bottom - top > 1:
                frame = (left - 1, top - 1, right + 1, bottom + 1)
        elif child.get("class") != "foreground":
            _walk(child, matrix, role, frame, drawing)


def _add_text(element: Element, matrix: np.ndarray, role: str, drawing: Drawing) -> None:
    size = float(element.attrib["font-size"].removesuffix("px"))
    lines = [(element.text or "", 0.0)]
    lines += [(part.text or "", float(part.get("dy", "0"))) for part in element.iter() if part is not element]
    down = 0.0
    for words, step in lines:
        down += step
        if not words.strip():
            continue
        bold = 1.08 if element.get("font-weight") == "bold" else 1.0
        wide = bold * width_of_text(words, size)
        left = -_ANCHOR[element.get("text-anchor", "start")] * wide
        top, bottom = down - _ASCENT * size, down + _DESCENT * size
        box = [(left, top), (left + wide, top), (left + wide, bottom), (left, bottom)]
        text = Text(words, size, role, _placed(matrix, box))
        if not any(text.words == other.words and text.corners == other.corners for other in drawing.texts):  # a halo
            drawing.texts.append(text)


def _points(element: Element, name: str, role: str) -> list[Point]:
    """The points of a mark: of a symbol its middle alone, of a line its ends, of a path all that it passes."""
    if role.startswith("mark-symbol"):
        return [(0.0, 0.0)]
    if name == "line":
        return [(0.0, 0.0), (float(element.get("x2", "0")), float(element.get("y2", "0")))]
    if name == "rect":
        x, y, width, height = (float(element.get(key, "0")) for key in ("x", "y", "width", "height"))
        return [(x, y), (x + width, y + height)]
    return list(_path(element.get("d", "")))


def _path(d: str) -> Iterator[Point]:
    x = y = 0.0
    for command, rest in _COMMAND.findall(d):
        numbers = [float(text) for text in _NUMBER.findall(rest)]
        size = {"Z": 1, "H": 1, "V": 1, "M": 2, "L": 2, "T": 2, "Q": 4, "S": 4, "C": 6, "A": 7}[command.upper()]
        from_x, from_y = (1, 1) if command.islower() else (0, 0)
        for start in range(0, len(numbers), size):
            last, end = numbers[start + size - 2 : start + size] if size > 1 else numbers[-1:] * 2
            x = x if command in "Vv" else from_x * x + last
            y = y if command in "Hh" else from_y * y + end
            yield x, y


def _transforms(text: str) -> Iterator[np.ndarray]:
    for kind, rest in _TRANSFORM.findall(text):
        numbers = [float(part) for part in re.split(r"[ ,]+", rest.strip())]
        matrix = np.eye(3)
        if kind == "translate":
            matrix[: len(numbers), 2] = numbers
        elif kind == "scale":
            matrix[0, 0], matrix[1, 1] = numbers[0], numbers[-1]
        else:
            cosine, sine = math.cos(math.radians(numbers[0])), math.sin(math.radians(numbers[0]))
            matrix[:2, :2] = [[cosine, -sine], [sine, cosine]]
        yield matrix


def _placed(matrix: np.ndarray, points: Iterable[Point]) -> list[Point]:
    """Points on the page."""
    (a, c, e), (b, d, f), _ = matrix.tolist()
    return [(a * x + c * y + e, b * x + d * y + f) for x, y in points]
