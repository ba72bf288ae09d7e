"""Runs in the plane of bias² and variance, or of bias² and total error (SIGIR'13, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import equalised
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.drawing.chart import (
    BIAS2,
    RING,
    InForm,
    about_result,
    by_series,
    chart,
    extent,
    in_form,
    legend_rows,
    quantity,
    require_runs,
    rounded,
    tick_format,
    unambiguous,
    unit_words,
)
from biasvar_cli.drawing.labels import Box, Point, Side, box_of, label_layers, placed
from biasvar_cli.drawing.style import Rows, Spec, Style, layer
from biasvar_cli.scoring.families import Family
from biasvar_cli.tables.table import listed
from biasvar_cli.words import TOTAL, VAR, Form, counted

_ERROR = {"var": "variance", "total": "total error"}
_ALONE = "no family"
_OTHERS = "other families"
_COLOURED = 7  # families; the eighth sign is for the others
_AXIS_WIDTH = 42.0  # points, about what the vertical axis takes
_NAMED = 12  # runs outside families that are labelled; more names would not be read
_TICK_SIDES = {"over": Side(0, -4, "center"), "right": Side(3, 0, "left"), "inside": Side(3, -3, "left")}


class _Plot(NamedTuple):
    """The plot itself: what is on its vertical axis, the domains of bias² and of that, and its size in points.

    ``on_plane`` says that the vertical axis is the variance, not the total.
    """

    on_plane: bool
    field: str
    title: str
    x: list[float]
    y: list[float]
    size: Point

    def point(self, bias2: float, value: float) -> Point:
        """Where two values are on the page, in points from the upper left corner of the plot."""
        (left, right), (low, high) = self.x, self.y
        return (bias2 - left) / (right - left) * self.size[0], (high - value) / (high - low) * self.size[1]

    def points(self, rows: Rows) -> list[Point]:
        """The points of some runs."""
        return [self.point(row["bias2"], row[self.field]) for row in rows]


class Words(NamedTuple):
    """The title of a figure whose points are no runs, what it shows, in which unit, and the noun of a point."""

    title: str
    about: str
    unit: str
    noun: str


def plane_chart(
    result: Decomposition,
    families: Sequence[Family] = (),
    baseline: str | None = None,
    *,
    against: Literal["var", "total"] = "var",
    form: Form = "score",
    remarks: Sequence[str] = (),
    words: Words | None = None,
    style: Style | None = None,
) -> Spec:
    """Bias² against variance, or total error; the Pareto front; families coloured and joined in order.

    Grey lines are those of equal total, or the one on which the variance is 0. The runs that are named are
    ``baseline``, the ends of each family and the runs of no family; without families those of least total on the
    front, or of all runs if these are few. Raises `DataError` for a single run, `UsageError` for a gap form that is not
    defined.
    """
    style, own = style or Style(), in_form(result, form)
    title = f"{BIAS2.capitalize()} and {_ERROR[against]}"
    words = words or Words(title, about_result(result), unit_words(result, form), "run")
    require_runs(result.runs, words.noun)
    rows, series = _rows(result, own, families)
    plot = _plot(rows, own, against == "var", style)
    ticks = {"tickCount": 5, **tick_format(float(own.total.max()))}
    x, y = (
        quantity(name, title, scale={"domain": domain, "nice": False}, axis=ticks)
        for name, title, domain in (("bias2", BIAS2, plot.x), (plot.field, plot.title, plot.y))
    )
    datasets = _datasets(rows, plot, baseline)
    named = _named(rows, families, baseline, TOTAL[form])
    rings, boxes = plot.points(datasets["front"]), _boxes(plot, datasets)
    sides = placed([row["run"] for row in named], plot.points(named), plot.points(rows), plot.size, boxes, rings)
    names, label_data = label_layers(named, sides, x, y, style.colours)
    return chart(
        [*_layers(x, y, series if families else (), plot.on_plane, baseline is not None, style), *names],
        {**datasets, **label_data},
        title=words.title,
        subtitle=words.about,
        caption=[*_caption(result, own, plot.on_plane, families, baseline, sides, words), *remarks],
        style=style,
        height=plot.size[1],
        legend_rows=legend_rows(series, style) if families else 0,
    )


def _plot(rows: Rows, own: InForm, on_plane: bool, style: Style) -> _Plot:
    """The plot whose domains have room for the rows; both are of squares, and begin hardly below 0, without a tick."""
    field = (VAR if on_plane else TOTAL)[own.form]
    domains = (
        extent(np.array([row[name] for row in rows]), share=0.09, unit=float(own.total.max()))
        for name in ("bias2", field)
    )
    x, y = ([max(low, rounded(-0.02 * high)), high] for low, high in domains)
    size = (style.width - _AXIS_WIDTH, (0.5 if style.wide else 0.72) * style.width)
    return _Plot(on_plane, field, own.var_title if on_plane else own.total_title, x, y, size)


def _datasets(rows: Rows, plot: _Plot, baseline: str | None) -> dict[str, Rows]:
    """The runs, the front from left to right, the ends of grey lines with their labels, and the baseline if any."""
    lines, ticks = (_equal_totals if plot.on_plane else _no_variance)(plot.x, plot.y)
    return {
        "runs": rows,
        "front": sorted((row for row in rows if row["front"]), key=lambda row: (row["bias2"], row[plot.field])),
        "lines": lines,
        "ticks": ticks,
        **({"baseline": [row for row in rows if row["run"] == baseline]} if baseline is not None else {}),
    }


def _equal_totals(x: Sequence[float], y: Sequence[float]) -> tuple[Rows, Rows]:
    """The ends of the lines bias² + variance = c within a plane, for round values of c, and labels of the long ones.

    A label stands over the plot, to the right of it, or else inside at its left edge. All have the same number of
    digits, as those of an axis.
    """
    step, width = _round_step((x[1] + y[1] - x[0] - y[0]) / 8), x[1] - x[0]
    digits = "g" if tick_format(x[1] + y[1]) else f".{max(0, -floor(log10(step) + 1e-9))}f"
    ends: Rows = []
    labels: Rows = []
    for index in range(max(1, ceil((x[0] + y[0]) / step)), floor((x[1] + y[1]) / step) + 1):
        total = rounded(index * step)
        right, left = min(x[1], total - y[0]), max(x[0], total - y[1])
        lower, upper = ({"bias2": bias2, "y": total - bias2, "total": total} for bias2 in (right, left))
        if right - left > 0.03 * width:
            ends += [lower, upper]
        if right - left > 0.1 * width:
            side = "right" if lower["y"] > y[0] + 1e-9 * (y[1] - y[0]) else "inside"
            side = "over" if left > x[0] + 1e-9 * width else side
            labels.append({**(lower if side == "right" else upper), "label": f"{total:{digits}}", "side": side})
    return ends, labels


def _no_variance(x: Sequence[float], y: Sequence[float]) -> tuple[Rows, Rows]:
    """The ends of the line total = bias², where it crosses the plane; it has no label."""
    low, high = max(x[0], y[0]), min(x[1], y[1])
    return [{"bias2": end, "y": end, "total": None} for end in (low, high) if low < high], []


def _round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large.

    >>> _round_step(0.013), _round_step(0.3)
    (0.02, 0.5)
    """
    power = 10.0 ** floor(log10(rough))
    return next(rounded(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _boxes(plot: _Plot, datasets: dict[str, Rows]) -> list[Box]:
    """Where no name may stand: on labels of lines, on the line of the front, on the lines through the baseline."""
    boxes = [box_of("0.00", *plot.point(tick["bias2"], tick["y"]), _TICK_SIDES["inside"]) for tick in datasets["ticks"]]
    if plot.on_plane:  # to the right from each run of the front, then down to the next
        steps = list(pairwise(plot.points(datasets["front"])))
        boxes += [(x, y - 0.5, right, y + 0.5) for (x, y), (right, _) in steps]
        boxes += [(right - 0.5, y, right + 0.5, low) for (_, y), (right, low) in steps]
    for left, top in plot.points(datasets.get("baseline", [])):
        boxes += [(left - 1, 0.0, left + 1, plot.size[1]), (0.0, top - 1, plot.size[0], top + 1)]
    return boxes


def _rows(result: Decomposition, own: InForm, families: Sequence[Family]) -> tuple[Rows, list[str]]:
    """A row a run, in the order of runs; and the names of the families as the legend has them."""
    largest = sorted(families, key=lambda family: -len(family.members))[:_COLOURED]
    coloured = {
        family.name: unambiguous(family.name, (_ALONE, _OTHERS), "family") for family in families if family in largest
    }
    memberships = {
        run: (coloured.get(family.name, _OTHERS), family.name, place)
        for family in families
        for place, run in enumerate(family.members, 1)
    }
    front = pareto_front(result.bias2, own.var).tolist()
    rows = []
    for index, run in enumerate(result.runs):
        shown, family, place = memberships.get(run, (_ALONE, None, None))
        numbers = {
            "bias2": float(result.bias2[index]),
            VAR[own.form]: float(own.var[index]),
            TOTAL[own.form]: float(own.total[index]),
        }
        rows.append({"run": run, **numbers, "front": front[index], "shown": shown, "family": family, "place": place})
    used = {row["shown"] for row in rows}
    return rows, [name for name in (*coloured.values(), _OTHERS, _ALONE) if name in used]


def _named(rows: Rows, families: Sequence[Family], baseline: str | None, total_field: str) -> Rows:
    """The rows whose names are wanted, those that matter most first."""
    by_name = {row["run"]: row for row in rows}
    least = min(rows, key=lambda row: (row[total_field], row["run"]))
    first = [by_name[baseline]] if baseline is not None else []
    if families:
        ends = [by_name[run] for family in families for run in (family.members[0], family.members[-1])]
        alone = [row for row in rows if row["family"] is None]
        rest = [*ends, *(alone if len(alone) <= _NAMED else [])]
    else:
        order = sorted(rows, key=lambda row: (not row["front"], row[total_field], row["run"]))
        rest = [row for row in order if row["front"] or len(rows) <= _NAMED][:_NAMED]
    return list({row["run"]: row for row in [*first, least, *rest]}.values())


def _layers(x: Spec, y: Spec, series: Sequence[str], on_plane: bool, has_baseline: bool, style: Style) -> list[Spec]:
    """Grey lines with their labels, lines through the baseline, the runs, families joined, and the Pareto front."""
    xy, grey, dark = {"x": x, "y": y}, style.colours.grey, style.colours.text
    ends = {"x": x, "y": {**y, "field": "y"}}
    path = {**ends, "detail": {"field": "total"}}
    layers = [layer("lines", "line", path, aria=False, color=grey, strokeWidth=0.6, opacity=0.7)]
    for name, side in _TICK_SIDES.items():
        align = {"align": side.align, "dx": side.dx, "dy": side.dy}
        ticks = layer(
            "ticks", "text", {**ends, "text": {"field": "label"}}, aria=False, **align, color=grey, fontSize=6
        )
        layers.append({**ticks, "transform": [{"filter": {"field": "side", "equal": name}}]})
    if has_baseline:  # what is lower on both sides has less of both
        dashed = {"color": dark, "strokeWidth": 0.6, "strokeDash": [1, 2], "aria": False}
        layers += [layer("baseline", "rule", {channel: axis}, **dashed) for channel, axis in xy.items()]
    if series:
        signs = by_series("shown", series, style, {_ALONE: "cross", _OTHERS: RING})
        path = {**xy, "color": signs["color"], "detail": {"field": "family"}, "order": {"field": "place"}}
        joined = layer("runs", "line", path, strokeWidth=0.8, opacity=0.7)
        layers.append({**joined, "transform": [{"filter": "datum.place !== null"}]})
        layers.append(layer("runs", "point", {**xy, **signs}, filled=True, size=24, opacity=0.9))
    else:
        layers.append(layer("runs", "point", xy, filled=True, size=16, color=style.colours.series[0], opacity=0.7))
    if on_plane:
        stairs = {"interpolate": "step-after", "color": dark, "strokeWidth": 0.7, "aria": False}
        layers.append(layer("front", "line", xy, **stairs))
    return [*layers, layer("front", "point", xy, shape="circle", size=48, color=dark, strokeWidth=0.7)]


def _caption(
    result: Decomposition,
    own: InForm,
    on_plane: bool,
    families: Sequence[Family],
    baseline: str | None,
    sides: Sequence[Side | None],
    own_words: Words,
) -> list[str]:
    lines = f"Grey lines: equal {own.total_title}" if on_plane else f"Grey line: {own.var_title} = 0"
    on_front = counted(int(pareto_front(result.bias2, own.var).sum()), own_words.noun)
    words = [own_words.unit, f"{lines}; rings: Pareto front of {BIAS2} and {own.var_title}, {on_front}"]
    if families:
        words.append("Families joined in order of their parameter")
    if baseline is not None:
        below = [getattr(family, f"below_{own.form}") or () for family in families]
        counts = [
            f"{family.name} {len(members)} of {len(family.members)}"
            for family, members in zip(families, below, strict=True)
        ]
        words.append(f"Less {BIAS2} and {own.var_title} than {baseline}: {', '.join(counts)}")
    total = equalised(own.total)
    least = listed([result.runs[index] for index in np.flatnonzero(total == total.min())], 2)
    words.append(f"Least {own.total_title}: {least}")
    n_named = sum(side is not None for side in sides)
    if n_named < len(result.runs):
        words.append(f"{n_named} of {counted(len(result.runs), own_words.noun)} labelled")
    return words
