"""An axis of runs, one below the other: all names up to forty, or else those at both ends, at the ends of lines."""

from collections.abc import Sequence
from itertools import pairwise
from math import pi
from typing import NamedTuple

from biasvar_cli.drawing.axes import labelled
from biasvar_cli.drawing.style import Rows, Spec, Style, layer, shortened, width_of_text
from biasvar_cli.words import RUN, Word, counted, is_highlighted

ROW = 8.0  # points of a run with its name
_TALLEST = 40 * ROW
_LINE = 16.0  # points from the axis to the names at the ends of lines
_SLANT = 54.0  # points along the axis from a run to its name, at most
_PADDING = 3.0  # points between a name and the plot


class RunAxis(NamedTuple):
    """A vertical axis of runs: its channel, what names runs beside the plot, and the data of these names.

    ``width`` is the points that the names need beside the plot, ``height`` those of the plot, ``step`` those of a run.
    """

    channel: Spec
    layers: list[Spec]
    data: dict[str, Rows]
    width: float
    height: float
    step: float


def run_axis(
    runs: Sequence[str],
    style: Style,
    *,
    longest: float,
    row: float = ROW,
    lowest: float = 0.0,
    noun: Word | str = RUN,
) -> RunAxis:
    """The axis of runs, the first on top, each ``row`` points high, or less where there are many.

    Names of more than ``longest`` points are shortened, and numbered where two would then look the same. Of runs that
    have no room for all names those at both ends are named, and the highlighted ones. The plot has at least
    ``lowest`` points; ``noun`` is what the names are of.

    >>> runs = [f"run{number}" for number in range(143)]
    >>> some = run_axis(runs, Style(), longest=80)
    >>> [row["label"] for row in some.data["named"]][8:12], some.data["unnamed"][0]["words"], some.height
    (['run8', 'run9', 'run133', 'run134'], 'and 123 more runs', 320.0)
    >>> few = run_axis(runs[:5], Style(), longest=80)
    >>> few.data, few.height
    ({}, 40.0)
    """
    step = max(min(row, _TALLEST / len(runs)), lowest / len(runs))
    height = step * len(runs)
    numbered = [f"{rank} {run}" for rank, run in enumerate(runs, 1)]
    labels = shortened(runs, longest) or shortened(numbered, longest) or numbered
    layers: list[Spec] = []
    data: dict[str, Rows] = {}
    if step >= ROW:
        width = max(map(width_of_text, labels)) + _PADDING
        extent = {"minExtent": round(width, 2), "maxExtent": round(width, 2)}
        axis: Spec = {"labelPadding": _PADDING, **extent, **labelled(runs, labels, style)}
    else:
        data = _label_data(runs, labels, step, noun)
        layers = _layers(style)
        words = [row["label"] for row in data["named"]] + [row["words"] for row in data["unnamed"]]
        width = _LINE + _PADDING + max(map(width_of_text, words))
        axis = {"labels": False, "minExtent": round(width, 2), "maxExtent": round(width, 2)}
    axis = {**axis, "ticks": False, "domain": False, "grid": step >= ROW}
    scale = {"type": "band", "domain": list(runs), "padding": 0}
    channel = {"field": "run", "type": "nominal", "title": None, "axis": axis, "scale": scale}
    return RunAxis(channel, layers, data, width, height, step)


def is_drawn(run: str, rank: int, top: int | None) -> bool:
    """Whether a figure of the first ``top`` runs has the run of this rank, counted from 0."""
    return top is None or rank < top or is_highlighted(run)


def dot_size(bar: float) -> float:
    """The size of the point in the middle of a bar of so many points: half as wide, and 5 points at most.

    >>> dot_size(4.0), dot_size(100.0)
    (3.1, 19.6)
    """
    return round(pi / 4 * min(5.0, bar / 2) ** 2, 1)


def spread(middles: Sequence[float], beside: float, length: float) -> list[float]:
    """The ascending middles nearest to these that are ``beside`` from each other, within a length.

    >>> spread([1, 2, 50, 98, 99], 10, 100)
    [5.0, 15.0, 50, 85.0, 95.0]
    """
    moved: list[float] = []
    for middle in middles:
        moved.append(max(middle, moved[-1] + beside if moved else beside / 2))
    most = length - beside / 2
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], most)
        most = moved[index] - beside
    return moved


def _label_data(runs: Sequence[str], labels: Sequence[str], step: float, noun: Word | str) -> dict[str, Rows]:
    """The runs at both ends and the highlighted ones with the places of their names, and how many have none."""
    n_runs, height = len(runs), step * len(runs)
    marked = sum(map(is_highlighted, runs))
    n_end = max(1, int(min(_SLANT / (ROW - step) + 1, (height / ROW - 1 - marked) / 2)))
    labelled = [i for i, run in enumerate(runs) if i < n_end or i >= n_runs - n_end or is_highlighted(run)]
    gaps = [(after - before, before) for before, after in pairwise(labelled)]
    size, before = max(gaps)  # the number of the others stands where most of them are
    middle = before + size / 2
    order = sorted([*labelled, middle])
    at = dict(zip(order, spread([(rank + 0.5) * step for rank in order], ROW, height), strict=True))
    words = f"and {counted(n_runs - len(labelled), f'more {noun}')}"
    return {
        "named": [{"run": runs[i], "label": labels[i], "at": round(at[i], 2)} for i in labelled],
        "unnamed": [{"words": words, "at": round(at[middle], 2)}],
    }


def _layers(style: Style) -> list[Spec]:
    """A line from each named run to its name, the names, and the number of the others."""
    run, edge = {"field": "run", "type": "nominal"}, {"value": 0}
    corner = {"x": edge, "y": edge}
    to_name = {"xOffset": -1, "x2Offset": 2 - _LINE, "y2Offset": {"expr": "datum.at"}}
    ends = {"x": edge, "x2": edge, "y": run, "y2": edge}
    text = {"align": "right", "baseline": "middle", "xOffset": -_LINE, "yOffset": {"expr": "datum.at"}}
    return [
        layer("named", "rule", ends, color=style.colours.grey, strokeWidth=0.5, aria=False, **to_name),
        layer("named", "text", {**corner, "text": {"field": "label"}}, **text),
        layer("unnamed", "text", {**corner, "text": {"field": "words"}}, **text, fontStyle="italic"),
    ]
