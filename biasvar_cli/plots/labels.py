"""Names beside points, where there is room for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from biasvar_cli.plots.spec import Rows, Spec, layer
from biasvar_cli.plots.text import LABEL, width_of_text


class Side(NamedTuple):
    """Where a text stands from its point: offset in points, down is positive, and how it is aligned there."""

    dx: float
    dy: float
    align: str


_SIDES = (
    Side(5, 0, "left"),
    Side(-5, 0, "right"),
    Side(0, -7, "center"),
    Side(0, 7, "center"),
    Side(4, -6, "left"),
    Side(4, 6, "left"),
    Side(-4, -6, "right"),
    Side(-4, 6, "right"),
    Side(0, -10, "left"),
    Side(0, 10, "left"),
    Side(0, -10, "right"),
    Side(0, 10, "right"),
)
_POINT = 2.5  # about the radius of a mark
Box = tuple[float, float, float, float]
Place = tuple[float, float]


def placed(
    names: Sequence[str], at: Sequence[Place], others: Iterable[Place], size: Place, taken: Iterable[Box] = ()
) -> list[Side | None]:
    """A side for each name so that no name covers a point or another name, None where there is none.

    ``at`` are the places of the names' points, ``others`` those of all points, in points of the page from the upper
    left corner of a plot of this ``size``; ``taken`` are boxes that hold something else. The first name chooses first.

    >>> placed(["A", "B"], [(50, 50), (53, 50)], [(50, 50), (53, 50)], (100, 100))
    [Side(dx=-5, dy=0, align='right'), Side(dx=5, dy=0, align='left')]
    """
    boxes = [(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in others] + list(taken)
    found: list[Side | None] = []
    for name, (x, y) in zip(names, at, strict=True):
        side = next((each for each in _SIDES if _fits(box_of(name, x, y, each), boxes, size)), None)
        if side is not None:
            boxes.append(box_of(name, x, y, side))
        found.append(side)
    return found


def box_of(name: str, x: float, y: float, side: Side) -> Box:
    """The box that a name takes on one side of a place: left, top, right, bottom."""
    width, left = width_of_text(name), x + side.dx
    left -= {"left": 0.0, "right": width, "center": width / 2}[side.align]
    return left, y + side.dy - 0.6 * LABEL, left + width, y + side.dy + 0.6 * LABEL


def _fits(box: Box, boxes: Iterable[Box], size: Place) -> bool:
    left, top, right, bottom = box
    inside = left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
    return inside and not any(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in boxes)


def label_layers(rows: Rows, sides: Sequence[Side | None], x: Spec, y: Spec) -> tuple[list[Spec], dict[str, Rows]]:
    """The layers and the data of the runs whose names have a side: one layer for all that stand on the same one."""
    layers, datasets = [], {}
    for side in dict.fromkeys(side for side in sides if side is not None):
        data = f"labels_{_SIDES.index(side)}"
        fields = ("run", x["field"], y["field"])
        datasets[data] = [
            {field: row[field] for field in fields} for row, own in zip(rows, sides, strict=True) if own == side
        ]
        encoding = {"x": x, "y": y, "text": {"field": "run"}}
        place = {"align": side.align, "dx": side.dx, "dy": side.dy, "baseline": "middle"}
        layers.append(layer(data, "text", encoding, **place))
    return layers, datasets
