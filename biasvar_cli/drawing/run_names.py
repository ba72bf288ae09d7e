"""The names of runs in a plane: those that matter most first, shortened to the room that there is."""

from collections.abc import Sequence
from math import dist
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.drawing.chart import InForm
from biasvar_cli.drawing.labels import Box, Point, Side, covered, placed
from biasvar_cli.drawing.style import Datum, Rows, shortened, width_of_text
from biasvar_cli.scoring.families import Family
from biasvar_cli.words import TOTAL, is_highlighted, listed

NAMED = 12  # runs, of which all names are wanted, and runs outside families
_TRIED = 60  # runs whose names are tried at most
# Of the width of the plot; the first that fits, of a name that matters.
_LONGEST = (0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2)
_LEAST_NAME = 20.0  # points
_ONE_POINT = 1.5  # points: runs that are no further from each other have one label


class Plot(NamedTuple):
    """The plot itself: what is on its vertical axis, the domains of bias² and of that, and its size in points.

    ``on_plane`` says that the vertical axis is the variance, not the total; ``variance`` is what a variance is called.
    """

    on_plane: bool
    field: str
    title: str
    variance: str
    x: list[float]
    y: list[float]
    size: Point

    def point(self, bias2: float, value: float) -> Point:
        """Where two values are on the page, in points from the upper left corner of the plot."""
        (left, right), (low, high) = self.x, self.y
        return (bias2 - left) / (right - left) * self.size[0], (high - value) / (high - low) * self.size[1]

    def has(self, row: Datum) -> bool:
        """Whether the point of a run is within the domains."""
        return bool(self.x[0] <= row["bias2"] <= self.x[1] and self.y[0] <= row[self.field] <= self.y[1])

    def points(self, rows: Rows) -> list[Point]:
        """The points of some runs."""
        return [self.point(row["bias2"], row[self.field]) for row in rows]


def wanted_names(
    result: Decomposition,
    errors: InForm,
    rows: Rows,
    families: Sequence[Family],
    baseline: str | None,
    plot: Plot,
) -> tuple[list[Rows], list[Rows]]:
    """The rows whose names matter most, and the others, those that matter more first; rows at one point together."""
    by_name = {row["run"]: row for row in rows}
    means = dict(zip(result.runs, result.mean.tolist(), strict=True))
    median = float(np.median(result.mean))
    best = [result.runs[index] for values in (errors.total, -result.mean) for index in np.flatnonzero(is_least(values))]
    by_total = sorted(rows, key=lambda row: (float(row[TOTAL[errors.form]]), row["run"]))
    front = sorted((row for row in rows if row["front"] and means[row["run"]] >= median), key=itemgetter("bias2"))
    first = [row for row in rows if is_highlighted(row["run"])]
    first += [by_name[baseline]] if baseline is not None else []
    first += [*(by_name[run] for run in best if run in by_name), *front[:1], *front[-1:]]
    if families and len(rows) > NAMED:
        others = []
        for family in families:
            members = [row for row in by_total if row["run"] in family.members]
            others += [by_name[family.members[end]] for end in (0, -1)] if family.is_numeric else members[:1]
        alone = [row for row in rows if row["family"] is None]
        others += alone if len(alone) <= NAMED else []
    else:
        middle = np.median(plot.points(rows), axis=0).tolist()
        others = sorted(by_total, key=lambda row: -dist(plot.points([row])[0], middle))[:_TRIED]
    n_first = len(_together(first, plot))
    groups = _together([*first, *others], plot)
    return groups[:n_first], groups[n_first:]


def _together(rows: Rows, plot: Plot) -> list[Rows]:
    """The rows, without repetitions, in groups whose points cannot be told from each other."""
    rows = list({row["run"]: row for row in rows}.values())
    groups: list[tuple[Point, Rows]] = []
    for row, point in zip(rows, plot.points(rows), strict=True):
        alike = next((members for other, members in groups if dist(other, point) < _ONE_POINT), None)
        if alike is None:
            groups.append((point, [row]))
        else:
            alike.append(row)
    return [members for _, members in groups]


class Names:
    """Names that are placed one after the other. They cover no mark, no box and no other name.

    Faint marks may be covered where a name has no other room, and the ``lines`` of the plot. ``rows`` and ``sides`` are
    those of the names, ``n_runs`` how many runs have a name with a side; ``boxes`` is what is covered.
    """

    def __init__(
        self,
        plot: Plot,
        runs: Sequence[str],
        marks: Sequence[Point],
        faint: Sequence[Point],
        boxes: list[Box],
        lines: Sequence[tuple[Point, Point]],
    ) -> None:
        self._plot, self._runs, self._marks, self._faint, self.boxes = plot, runs, marks, faint, boxes
        self._lines = lines
        self.rows: Rows = []
        self.sides: list[Side | None] = []
        self.n_runs = 0

    def write_first(self, group: Rows, rings: Sequence[Point]) -> None:
        """Place the name of a group that matters, shortened until it fits; of two runs for which it never does, both.

        Lines to names keep away from ``rings``.
        """
        for share in _LONGEST:
            label = self._label(group, share)
            sides = self._sides([label], [group], rings)
            if sides[0] is not None:
                break
        if sides[0] is None and len(group) == 2:
            for row in group:
                self.write_first([row], rings)
        else:
            self._add([label], [group], sides)

    def write(self, groups: Sequence[Rows], rings: Sequence[Point]) -> None:
        """Place the names of groups where they have room."""
        labels = [self._label(group, _LONGEST[0]) for group in groups]
        self._add(labels, groups, self._sides(labels, groups, rings))

    def _label(self, group: Rows, share: float) -> str:
        """The names of a group within a share of the width, each of them unlike all other names of the runs."""
        width = share * self._plot.size[0]
        names = sorted((row["run"] for row in group), key=lambda run: (not is_highlighted(run), run))
        both = listed(names, 2)
        if width_of_text(both) <= width:
            return both
        n_named = 2 if len(names) == 2 else 1
        rest = width_of_text(listed(["", *names[1:]], n_named))
        room = width - (width_of_text(" and ") if n_named == 2 else rest if len(names) > 1 else 0.0)
        labels = shortened(self._runs, max(room / n_named, _LEAST_NAME)) or self._runs
        short = dict(zip(self._runs, labels, strict=True))
        return listed([short[name] for name in names], n_named)

    def _sides(self, labels: Sequence[str], groups: Sequence[Rows], rings: Sequence[Point]) -> list[Side | None]:
        points = self._plot.points([group[0] for group in groups])
        size, lines = self._plot.size, self._lines
        sides = placed(labels, points, [*self._marks, *self._faint], size, self.boxes, rings, lines)
        rest = [index for index, side in enumerate(sides) if side is None] if self._faint else []
        boxes = [*self.boxes, *covered(labels, points, sides)]
        names, others = [labels[i] for i in rest], [points[i] for i in rest]
        again = placed(names, others, self._marks, size, boxes, rings, lines)
        for index, side in zip(rest, again, strict=True):
            sides[index] = side
        return sides

    def _add(self, labels: Sequence[str], groups: Sequence[Rows], sides: Sequence[Side | None]) -> None:
        self.rows += [{**group[0], "label": label} for group, label in zip(groups, labels, strict=True)]
        self.sides += sides
        self.n_runs += sum(len(group) for group, side in zip(groups, sides, strict=True) if side is not None)
        self.boxes += covered(labels, self._plot.points([group[0] for group in groups]), sides)
