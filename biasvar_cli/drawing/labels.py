"""Names beside points where there is space, or at the end of a short line from them; words along lines."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from math import ceil, cos, dist, hypot, pi, sin
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.drawing.style import LABEL, Rows, Spec, Theme, layer, width_of_text


class Side(NamedTuple):
    """Where a text stands from its point: offset in points, down is positive, how it is aligned there.

    ``line`` says that a line leads from the point to the text, ``over`` that it may cross a few points without a name.
    """

    dx: float
    dy: float
    align: str
    line: bool = False
    over: bool = False


_BESIDE = (
    Side(6, 0, "left"),
    Side(-6, 0, "right"),
    Side(0, -8, "center"),
    Side(0, 8, "center"),
    Side(5, -6, "left"),
    Side(5, 6, "left"),
    Side(-5, -6, "right"),
    Side(-5, 6, "right"),
)
_LENGTHS = (12, 16, 20, 25, 30, 36, 43, 51)  # of lines, in points; the shortest that fits is taken
_CROSSED = 2  # points without a name that a line may cross
_POINT = 2.5  # about the radius of a mark
_LINE = 1.0  # points on either side of a line that nothing may touch
_RING = 4.0  # that of a ring around a mark, where lines begin
_ALOOF = 2.5  # points more between a name at the end of a line and other points, one of which it would seem to name
_BETWEEN = 2.0  # points between two names on a line
_AT_ONCE = 64  # sides that are looked at together
_END = 3  # pieces of a line, of two points each, that cross nothing
_DISTANCE = 8.0  # from a name askew to its point to the next point that has a name
SMALL = 6.0  # points, the type of words along lines
_STEP = 3  # points from one place of words along a line to the next
_EDGE = 1.5  # points from the edges of the plot to a name, which would break them
Box = tuple[float, float, float, float]
Point = tuple[float, float]


def placed(
    names: Sequence[str],
    points: Sequence[Point],
    marks: Iterable[Point],
    size: Point,
    boxes: Iterable[Box] = (),
    rings: Iterable[Point] = (),
    lines: Iterable[tuple[Point, Point]] = (),
) -> list[Side | None]:
    """A side for each name on which it covers nothing and is clearly that of its point; None where there is none.

    A name stands beside its point or else at the end of a line, which crosses no name, no other line and no other
    point that has a name or is in ``rings``; it crosses other points only where every line would, two at most, and not
    near its ends. ``points`` are those of the names, ``marks`` those of indices, in points of the page from the
    upper left corner of a plot of this ``size``; nothing may cover ``boxes``. Names that need no line choose first.
    These stand on the ``lines`` of the plot only where no other side of the point is free.

    >>> [side.dx for side in placed(["A", "B"], [(50, 50), (70, 50)], [(50, 50), (70, 50)], (100, 100))]
    [6, 6]
    >>> [side.dx for side in placed(["A"], [(50, 50)], [], (100, 100), lines=[((60, 0), (60, 100))])]
    [-6]
    >>> around = [(50 + dx, 50 + dy) for dx in (-9, 0, 9) for dy in (-9, 0, 9)]
    >>> placed(["A"], [(50, 50)], around, (100, 100))[0].line
    True
    """
    all_marks, named = _array(list(marks), 2), _array([*points, *rings], 2)
    taken = _array(list(boxes))  # and, as they are placed, by names and lines
    drawn = _array([piece for line in lines for piece in _along(*line)])
    chosen: list[Side | None] = [None] * len(names)
    around = [
        _obstacles(point, width_of_text(name), all_marks, named) for name, point in zip(names, points, strict=True)
    ]
    at_lines: dict[int, IntArray] = {}  # where a name fits, with fewer names and lines than later
    for table in _tables():
        for index, (name, point) in enumerate(zip(names, points, strict=True)):
            if chosen[index] is not None:
                continue
            obstacles = around[index].with_boxes(taken)
            places = _boxes(name, point, table.offsets)
            margin = 0.0 if table.sides is _BESIDE else _ALOOF
            others = obstacles.marks + margin * np.array([-1, -1, 1, 1])
            fits = at_lines.get(index, np.arange(len(places)))
            fits = fits[_fit(places[fits], np.concatenate((obstacles.line, others)), size)]
            if table.sides is _BESIDE:  # those off the lines first
                fits = fits[np.argsort(_meets(places[fits], drawn).any(axis=1), kind="stable")]
            else:
                at_lines[index] = fits
            side = next(_clear(table, fits, places, point, obstacles, size), None)
            if side is not None:
                chosen[index] = side
                taken = np.concatenate((taken, _array(covered([name], [point], [side]))))
    return chosen


class _Obstacles(NamedTuple):
    """The boxes around a point, (n, 4): ``line`` are in the way of names and lines, ``askew`` of a name askew to it.

    ``marks`` are the other points, which are in the way of names. ``reach`` is the area of all of them, (2, 2).
    """

    reach: FloatArray
    line: FloatArray
    marks: FloatArray
    askew: FloatArray

    def with_boxes(self, boxes: FloatArray) -> "_Obstacles":
        """The same with those of the boxes that are within reach."""
        low, high = self.reach
        touched = (boxes[:, 2:] > low).all(axis=1) & (boxes[:, :2] < high).all(axis=1)
        return self._replace(line=np.concatenate((boxes[touched], self.line)))


def _obstacles(point: Point, width: float, marks: FloatArray, named: FloatArray) -> _Obstacles:
    """The points within reach."""
    reach = _LENGTHS[-1] + _DISTANCE + np.array([width, 2 * LABEL])

    def near(points: FloatArray) -> FloatArray:
        apart = np.abs(points - point)
        return points[(apart < reach).all(axis=1) & (apart >= 1).any(axis=1)]

    rivals = near(named)
    rings = np.minimum(_RING, np.hypot(*(rivals - point).T) / 2)[:, None]  # those that overlap leave a gap
    return _Obstacles(
        np.array([point - reach, point + reach]),
        _all_around(rivals, rings),
        _all_around(near(marks), _POINT),
        _all_around(rivals, _DISTANCE),
    )


def _all_around(points: FloatArray, radius: FloatArray | float) -> FloatArray:
    """The boxes of `_around` of some points, shape (n_points, 4)."""
    return np.hstack((points - radius, points + radius))


def _clear(
    table: "_Table", fits: IntArray, places: FloatArray, point: Point, obstacles: _Obstacles, size: Point
) -> Iterator[Side]:
    """Those sides at which a name fits whose line crosses nothing, or where it is not askew near another point."""
    for start in range(0, len(fits), _AT_ONCE):
        part = fits[start : start + _AT_ONCE]
        if table.sides is _BESIDE:
            part = part[~table.askew[part] | _fit(places[part], obstacles.askew, size)]
        else:
            for pieces, others in ((table.ends, obstacles.marks), (table.pieces, obstacles.line)):
                lines = pieces[part] + [*point, *point]
                part = part[_of_lines(lines, _fit(lines.reshape(-1, 4), others, size)).all(axis=1)]
            lines = table.pieces[part] + [*point, *point]
            crossed = _of_lines(lines, _meets(lines.reshape(-1, 4), obstacles.marks)).any(axis=1).sum(axis=1)
            part = part[crossed <= _CROSSED]
        yield from (table.sides[number] for number in part.tolist())


def _of_lines(lines: FloatArray, of_pieces: BoolArray) -> BoolArray:
    """What holds of the pieces of some lines, by line and piece."""
    return of_pieces.reshape(*lines.shape[:2], *of_pieces.shape[1:])


def _is_steep(dx: float, dy: float) -> bool:
    """Whether a line of such a width and height leads to the upper or lower edge of its text, not to a side."""
    return abs(dx) < 0.55 * hypot(dx, dy)


_DIRECTIONS = [(cos(2 * pi * turn / 72), sin(2 * pi * turn / 72)) for turn in range(72)]
_AT_LINES = tuple(  # the shortest lines first
    Side(round(length * across, 2), round(length * down, 2), align, True)
    for length, (across, down) in product(_LENGTHS, _DIRECTIONS)
    for align in (("center", "left", "right") if _is_steep(across, down) else ("left" if across > 0 else "right",))
)
_OVER_POINTS = tuple(side._replace(over=True) for side in _AT_LINES)


def _pieces(sides: Sequence[Side], *, ends: bool = False) -> FloatArray:
    """Lines as small boxes, from the ring around a point at 0, 0 to the text, shape (n_sides, n_pieces, 4).

    A short line has its last piece as often as needed. ``ends`` are the first and the last pieces alone.
    """
    places = np.array([(side.dx, side.dy) for side in sides])
    length = np.hypot(*places.T)[:, None]
    count = np.maximum(2, ((length - _RING) / 2).astype(int))
    steps = np.minimum(np.arange(count.max()), count - 1)
    if ends:
        steps = np.hstack((steps[:, :_END], count - 1 - np.arange(_END)))
    shares = (_RING + (length - _RING) * steps / count) / length
    middles = shares[..., None] * places[:, None]
    return np.concatenate((middles - _LINE, middles + _LINE), axis=2)


def _around(point: Point, radius: float) -> Box:
    return point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius


def box_of(name: str, x: float, y: float, side: Side) -> Box:
    """The box that a name takes on one side of a point: left, top, right, bottom."""
    left, top, right, bottom = _boxes(name, (x, y), _table([side]))[0].tolist()
    return left, top, right, bottom


def _offset(side: Side) -> Point:
    """Where a text stands from its point: one beside the end of a line leaves room, above or below a steep one more."""
    if not side.line:
        return side.dx, float(side.dy)
    steep, away = _is_steep(side.dx, side.dy), {"left": 1, "right": -1, "center": 0}[side.align]
    drop = (0.6 * LABEL if side.dy > 0 else -0.6 * LABEL) if steep else 0.0
    return side.dx + away * (-2 if steep else 1.5), side.dy + drop


def _table(sides: Sequence[Side]) -> FloatArray:
    """Offset, share of the width to the left of it, and offset downwards of a text at each side, shape (n_sides, 3)."""
    shares = {"left": 0.0, "right": 1.0, "center": 0.5}
    return np.array([(dx, shares[side.align], dy) for side in sides for dx, dy in [_offset(side)]])


class _Table(NamedTuple):
    """Sides as arrays: where a text stands at each, whether it is askew to its point, and the line to it.

    ``pieces`` are those of a line from a point at 0, 0, and ``ends`` those that may touch no other point.
    """

    sides: Sequence[Side]
    offsets: FloatArray
    askew: BoolArray
    pieces: FloatArray
    ends: FloatArray


@cache
def _tables() -> list[_Table]:
    """The sides that are tried, those beside the point first."""
    pieces, beside = _pieces(_AT_LINES), np.array([side.dx != 0 and side.dy != 0 for side in _BESIDE])
    at_lines, askew = _table(_AT_LINES), np.zeros(len(_AT_LINES), dtype=bool)
    return [
        _Table(_BESIDE, _table(_BESIDE), beside, pieces[:0], pieces[:0]),
        _Table(_AT_LINES, at_lines, askew, pieces, pieces),
        _Table(_OVER_POINTS, at_lines, askew, pieces, _pieces(_AT_LINES, ends=True)),
    ]


def _boxes(name: str, point: Point, table: FloatArray) -> FloatArray:
    """The boxes of `box_of` for all sides of a table, shape (n_sides, 4)."""
    width = width_of_text(name)
    left, middle = point[0] + table[:, 0] - width * table[:, 1], point[1] + table[:, 2]
    return np.column_stack((left, middle - 0.6 * LABEL, left + width, middle + 0.6 * LABEL))


def _array(items: Sequence[tuple[float, ...]], width: int = 4) -> FloatArray:
    """Boxes as an array, shape (n_boxes, 4), or points, of which each has two numbers."""
    return np.array(items, dtype=float).reshape(-1, width)


def _fit(boxes: Sequence[Box] | FloatArray, others: FloatArray, size: Point) -> BoolArray:
    """Which of the boxes lie within the plot and meet none of the others, shape (n_boxes,)."""
    all_boxes = np.array(boxes)
    left, top, right, bottom = all_boxes.T
    fits: BoolArray = (left >= _EDGE) & (top >= _EDGE) & (right <= size[0] - _EDGE) & (bottom <= size[1] - _EDGE)
    fits[fits] = ~_meets(all_boxes[fits], others).any(axis=1)
    return fits


def _meets(boxes: Sequence[Box] | FloatArray, others: FloatArray) -> BoolArray:
    """Which of the boxes meet which of the others, shape (n_boxes, n_others)."""
    left, top, right, bottom = np.ascontiguousarray(np.array(boxes).T)[..., None]
    other = np.ascontiguousarray(others.T)
    meets: BoolArray = left < other[2]
    for is_so in (other[0] < right, top < other[3], other[1] < bottom):
        meets &= is_so
    return meets


def covered(names: Sequence[str], points: Sequence[Point], sides: Sequence[Side | None]) -> list[Box]:
    """The boxes that names with a side, and the lines to them, take."""
    boxes: list[Box] = []
    for name, point, side in zip(names, points, sides, strict=True):
        if side is not None:
            left, top, right, bottom = box_of(name, *point, side)
            boxes.append((left - _BETWEEN, top, right + _BETWEEN, bottom))
            boxes += map(tuple, (_pieces([side])[0] + [*point, *point]).tolist()) if side.line else []
    return boxes


def along(
    text: str, line: tuple[Point, Point], marks: Iterable[Point], boxes: Iterable[Box], size: Point
) -> Point | None:
    """The middle of small words on a line, the nearest to its first end at which they cover nothing; None without one.

    ``marks`` and ``boxes`` are what they may not cover.

    >>> along("total", ((0, 50), (100, 50)), [(20, 50)], [], (100, 100))
    (33.7, 50.0)
    """
    (x, y), (right, low) = line
    length, half = hypot(right - x, low - y), width_of_text(text, SMALL) / 2 + 1
    obstacles = _array([*boxes, *(_around(mark, _POINT) for mark in marks)])
    for start in range(_STEP, int(length - 2 * half), _STEP):
        share = (start + half) / length
        middle = x + share * (right - x), y + share * (low - y)
        if _fit(on_line(text, line, middle), obstacles, size).all():
            return middle
    return None


def _along(start: Point, end: Point) -> list[Box]:
    """A line of the plot as small boxes."""
    shares = np.linspace(0, 1, ceil(dist(start, end) / _STEP) + 1).tolist()
    return [_around((start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])), _LINE) for s in shares]


def on_line(text: str, line: tuple[Point, Point], middle: Point) -> list[Box]:
    """The boxes that small words along a line cover."""
    (x, y), (right, low) = line
    length, half = hypot(right - x, low - y), width_of_text(text, SMALL) / 2 + 1
    across, down = (right - x) / length, (low - y) / length
    shifts = np.linspace(-half, half, 2 * ceil(half / _STEP) + 1).tolist()
    return [_around((middle[0] + shift * across, middle[1] + shift * down), 0.5 * SMALL) for shift in shifts]


def label_layers(
    rows: Rows, sides: Sequence[Side | None], x: Spec, y: Spec, colours: Theme
) -> tuple[list[Spec], dict[str, Rows]]:
    """The names that have a side, which break the grey lines behind them, and the lines to them: layers and data.

    A row has the ``label`` of its point.
    """
    fields = (x["field"], y["field"])
    labelled = [(row, side) for row, side in zip(rows, sides, strict=True) if side is not None]
    if not labelled:
        return [], {}
    labels = [
        {**{field: row[field] for field in ("run", "label", *fields)}, "dx": dx, "dy": dy, "align": side.align}
        for row, side in labelled
        for dx, dy in [_offset(side)]
    ]
    offsets = {name: {"expr": f"datum.{name}"} for name in ("align", "dx", "dy")}
    words = {"x": x, "y": y, "text": {"field": "label"}}
    text = over_lines("labels", words, colours, 3.5, **offsets)
    leaders = []
    for row, side in labelled:
        if side.line:  # from the ring to the text, in points from the point
            share = _RING / hypot(side.dx, side.dy)
            line = {"x": share * side.dx, "y": share * side.dy, "x2": side.dx, "y2": side.dy}
            leaders.append({**{field: row[field] for field in fields}, **line})
    if not leaders:
        return text, {"labels": labels}
    ends = {"x": x, "y": y, "x2": {"field": fields[0]}, "y2": {"field": fields[1]}}
    offsets = {f"{end}Offset": {"expr": f"datum.{end}"} for end in ends}
    rule = layer("leaders", "rule", ends, color=colours.grey, strokeWidth=0.5, aria=False, **offsets)
    return [rule, *text], {"labels": labels, "leaders": leaders}


def over_lines(data: str, encoding: Spec, colours: Theme, halo: float, **properties: Any) -> list[Spec]:
    """Text that breaks the lines behind it: two layers, the first stroking the text with the background."""
    behind = {"stroke": colours.background, "strokeWidth": halo, "strokeJoin": "round", "aria": False}
    return [layer(data, "text", encoding, baseline="middle", **{**properties, **more}) for more in (behind, {})]
