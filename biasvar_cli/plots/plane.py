"""Runs in the plane of bias² and variance, or of bias² and total error (SIGIR'13, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import floor, log10

import numpy as np

from biasvar_cli.analyses.families import Family
from biasvar_cli.analyses.tradeoff import Form
from biasvar_cli.arrays import settle
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.plots.labels import Place, Side, box_of, label_layers, placed
from biasvar_cli.plots.style import (
    RING,
    Row,
    Rows,
    Spec,
    Style,
    by_series,
    chart,
    extent,
    layer,
    legend_rows,
    quantity,
    rounded,
    tick_format,
)
from biasvar_cli.plots.words import BIAS2, FormOf, about_form, in_form, require_runs, told_apart
from biasvar_cli.tables.table import listed
from biasvar_cli.words import counted

_ALONE = "no family"
_OTHERS = "other families"
_COLOURED = 7  # families; the eighth sign is for the others
_AXIS_ROOM = 42.0  # points, about what the axis of variance takes
_TICKS = {"over": Side(0, -4, "center"), "right": Side(3, 0, "left"), "inside": Side(3, -3, "left")}
_NAMED = 12  # runs outside families whose names are put beside them; more would not be read


def plane(
    result: Decomposition,
    families: Sequence[Family] = (),
    reference: str | None = None,
    *,
    form: Form = "score",
    remarks: Sequence[str] = (),
    style: Style | None = None,
) -> Spec:
    """Bias² against variance, with lines of equal total and the Pareto front; families coloured and joined in order.

    The names are those of the ends of each family, of the runs of no family and of ``reference``; without families
    those on the front. Raises `DataError` for a single run, `UsageError` for a gap form that is not defined.
    """
    own = in_form(result, form)
    return _scatter(result, own, own.var_field, own.var_title, families, reference, remarks, style or Style())


def total(
    result: Decomposition,
    families: Sequence[Family] = (),
    reference: str | None = None,
    *,
    form: Form = "score",
    remarks: Sequence[str] = (),
    style: Style | None = None,
) -> Spec:
    """Bias² against total error, with the line on which the variance is 0; the rest as in `plane`."""
    own = in_form(result, form)
    return _scatter(result, own, own.total_field, own.total_title, families, reference, remarks, style or Style())


def _scatter(
    result: Decomposition,
    own: FormOf,
    field: str,
    title: str,
    families: Sequence[Family],
    reference: str | None,
    remarks: Sequence[str],
    style: Style,
) -> Spec:
    require_runs(result.runs)
    on_plane = field == own.var_field
    rows, shown = _rows(result, own, families)
    unit = float(own.total.max())
    domain = {name: _from_zero(extent(np.array([row[name] for row in rows]), unit=unit)) for name in ("bias2", field)}
    ticks_of = {"tickCount": 5, **tick_format(unit)}
    x, y = (
        quantity(name, words, scale={"domain": domain[name], "nice": False}, axis=ticks_of)
        for name, words in (("bias2", BIAS2), (field, title))
    )
    height = (0.5 if style.wide else 0.72) * style.width
    size = (style.width - _AXIS_ROOM, height)
    lines = _equal_totals(*domain.values()) if on_plane else _no_variance(*domain.values())
    ticks = [_labelled(line, *domain.values()) for line in lines if line["label"]]
    named = _named(rows, families, reference, own.total_field)
    at, everywhere, inside = (
        [_place(row, name, domain, size) for row in held]
        for held, name in ((named, field), (rows, field), ([{**t, field: t["y"]} for t in ticks], field))
    )
    front = sorted((row for row in rows if row["front"]), key=lambda row: (row["bias2"], row[field]))
    taken = [box_of("0.00", *place, _TICKS["inside"]) for place in inside]
    taken += _stairs([_place(row, field, domain, size) for row in front]) if on_plane else []
    if reference is not None:
        (left, top) = at[0]
        taken += [(left - 1, 0.0, left + 1, height), (0.0, top - 1, size[0], top + 1)]
    sides = placed([row["run"] for row in named], at, everywhere, size, taken)
    names, label_data = label_layers(named, sides, x, y)
    return chart(
        [
            *_line_layers(x, y, style),
            *(_reference_layers(x, y, style) if reference is not None else []),
            *_mark_layers(x, y, shown, bool(families), style),
            *_front_layers(x, y, on_plane, style),
            *names,
        ],
        {
            "runs": rows,
            "front": front,
            "lines": [end for line in lines for end in line["ends"]],
            "ticks": ticks,
            **({"reference": [row for row in rows if row["run"] == reference]} if reference is not None else {}),
            **label_data,
        },
        title=f"{BIAS2} and {'variance' if on_plane else 'total error'}",
        caption=[*_caption(result, own, field, families, reference, sides), *remarks],
        style=style,
        height=height,
        legend_rows=legend_rows(shown, style) if families else 0,
    )


def _rows(result: Decomposition, own: FormOf, families: Sequence[Family]) -> tuple[Rows, list[str]]:
    """A row a run, in the order of runs; and the names of the families as the legend has them."""
    largest = sorted(families, key=lambda family: -len(family.members))[:_COLOURED]
    coloured = [_family_name(family.name) for family in families if family in largest]
    of_run = {
        run: (name if name in coloured else _OTHERS, family.name, place)
        for family, name in ((family, _family_name(family.name)) for family in families)
        for place, run in enumerate(family.members, 1)
    }
    front = pareto_front(result.bias2, own.var).tolist()
    rows = []
    for index, run in enumerate(result.runs):
        shown, family, place = of_run.get(run, (_ALONE, None, None))
        numbers = {
            "bias2": float(result.bias2[index]),
            own.var_field: float(own.var[index]),
            own.total_field: float(own.total[index]),
        }
        rows.append({"run": run, **numbers, "front": front[index], "shown": shown, "family": family, "place": place})
    used = {row["shown"] for row in rows}
    return rows, [name for name in (*coloured, _OTHERS, _ALONE) if name in used]


def _family_name(name: str) -> str:
    return told_apart(name, (_ALONE, _OTHERS), "family")


def _from_zero(domain: Sequence[float]) -> list[float]:
    """The domain of a squared quantity: hardly below 0, so that no tick is."""
    return [max(domain[0], rounded(-0.02 * domain[1])), domain[1]]


def _named(rows: Rows, families: Sequence[Family], reference: str | None, total_field: str) -> Rows:
    """The rows whose names are wanted, those that matter most first."""
    by_name = {row["run"]: row for row in rows}
    least = min(rows, key=lambda row: (row[total_field], row["run"]))
    first = [by_name[reference]] if reference is not None else []
    if families:
        ends = [by_name[run] for family in families for run in (family.members[0], family.members[-1])]
        alone = [row for row in rows if row["family"] is None]
        rest = [*ends, *(alone if len(alone) <= _NAMED else [])]
    else:
        rest = [row for row in rows if row["front"]]
    return list({row["run"]: row for row in [*first, least, *rest]}.values())


def _place(row: Row, field: str, domain: Mapping[str, Sequence[float]], size: Place) -> Place:
    """Where a row is on the page, in points from the upper left corner of the plot."""
    (left, right), (low, high) = domain["bias2"], domain[field]
    return (row["bias2"] - left) / (right - left) * size[0], (high - row[field]) / (high - low) * size[1]


def _stairs(front: Sequence[Place]) -> list[tuple[float, float, float, float]]:
    """What the line of the front covers: to the right from each of its runs, then down to the next."""
    steps = list(pairwise(front))
    across = [(x, y - 0.5, right, y + 0.5) for (x, y), (right, _) in steps]
    return across + [(right - 0.5, y, right + 0.5, low) for (_, y), (right, low) in steps]


def _equal_totals(x: Sequence[float], y: Sequence[float]) -> Rows:
    """The lines bias² + variance = c within a plane, for round values of c, each with its lower and its upper end."""
    step = _round_step((x[1] + y[1] - x[0] - y[0]) / 8)
    lines = []
    for index in range(max(1, int(np.ceil((x[0] + y[0]) / step))), floor((x[1] + y[1]) / step) + 1):
        value = rounded(index * step)
        right, left = min(x[1], value - y[0]), max(x[0], value - y[1])
        if right - left > 0.03 * (x[1] - x[0]):
            ends = [{"bias2": each, "y": value - each, "total": value} for each in (right, left)]
            lines.append({"ends": ends, "label": f"{value:g}" if right - left > 0.1 * (x[1] - x[0]) else ""})
    return lines


def _no_variance(x: Sequence[float], y: Sequence[float]) -> Rows:
    """The line total = bias², where it crosses the plane."""
    low, high = max(x[0], y[0]), min(x[1], y[1])
    ends = [{"bias2": each, "y": each, "total": None} for each in (low, high)]
    return [{"ends": ends, "label": ""}] if low < high else []


def _round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large.

    >>> _round_step(0.013), _round_step(0.3)
    (0.02, 0.5)
    """
    power = 10.0 ** floor(log10(rough))
    return next(rounded(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _labelled(line: Row, x: Sequence[float], y: Sequence[float]) -> Row:
    """Where the label of a line stands: over the plot, to the right of it, or else inside at its left edge."""
    lower, upper = line["ends"]
    if upper["bias2"] > x[0] + 1e-9 * (x[1] - x[0]):
        return {**upper, "label": line["label"], "side": "over"}
    if lower["y"] > y[0] + 1e-9 * (y[1] - y[0]):
        return {**lower, "label": line["label"], "side": "right"}
    return {**upper, "label": line["label"], "side": "inside"}


def _line_layers(x: Spec, y: Spec, style: Style) -> list[Spec]:
    grey = {"color": style.colours.grey, "strokeWidth": 0.6, "opacity": 0.7}
    encoding = {"x": x, "y": {**y, "field": "y"}}
    text = {**encoding, "text": {"field": "label"}}
    layers = [layer("lines", "line", {**encoding, "detail": {"field": "total"}}, aria=False, **grey)]
    for side, place in _TICKS.items():
        ticks = layer(
            "ticks",
            "text",
            text,
            aria=False,
            align=place.align,
            dx=place.dx,
            dy=place.dy,
            color=style.colours.grey,
            fontSize=6,
        )
        layers.append({**ticks, "transform": [{"filter": {"field": "side", "equal": side}}]})
    return layers


def _mark_layers(x: Spec, y: Spec, shown: Sequence[str], in_families: bool, style: Style) -> list[Spec]:
    """The runs, those of a family joined in order of their parameter."""
    colours = style.colours
    if not in_families:
        return [layer("runs", "point", {"x": x, "y": y}, filled=True, size=16, color=colours.series[0], opacity=0.7)]
    series = by_series("shown", shown, style, {_ALONE: "cross", _OTHERS: RING})
    path = {"x": x, "y": y, "color": series["color"], "detail": {"field": "family"}, "order": {"field": "place"}}
    joined = layer("runs", "line", path, strokeWidth=0.8, opacity=0.7)
    joined["transform"] = [{"filter": "datum.place !== null"}]
    return [joined, layer("runs", "point", {"x": x, "y": y, **series}, filled=True, size=24, opacity=0.9)]


def _front_layers(x: Spec, y: Spec, stairs: bool, style: Style) -> list[Spec]:
    colour = style.colours.text
    line = layer("front", "line", {"x": x, "y": y}, interpolate="step-after", color=colour, strokeWidth=0.7, aria=False)
    ring = layer("front", "point", {"x": x, "y": y}, shape="circle", size=48, color=colour, strokeWidth=0.7)
    return [line, ring] if stairs else [ring]


def _reference_layers(x: Spec, y: Spec, style: Style) -> list[Spec]:
    """A line through the reference run each way: what is lower on both sides has less of both."""
    line = {"color": style.colours.text, "strokeWidth": 0.6, "strokeDash": [1, 2], "aria": False}
    return [layer("reference", "rule", {"x": x}, **line), layer("reference", "rule", {"y": y}, **line)]


def _caption(
    result: Decomposition,
    own: FormOf,
    field: str,
    families: Sequence[Family],
    reference: str | None,
    sides: Sequence[Side | None],
) -> list[str]:
    on_plane = field == own.var_field
    lines = f"Grey lines: equal {own.total_words}" if on_plane else f"Grey line: {own.var_words} = 0"
    words = [about_form(result, own.form), f"{lines}; rings: Pareto front of {BIAS2} and {own.var_words}"]
    if families:
        words.append("Families joined in order of their parameter")
    if reference is not None:
        below = [family.below_score if own.form == "score" else family.below_gap for family in families]
        counts = [
            f"{family.name} {len(members or ())} of {len(family.members)}"
            for family, members in zip(families, below, strict=True)
        ]
        words.append(f"Less {BIAS2} and {own.var_words} than {reference}: {', '.join(counts)}")
    total = settle(own.total)
    least = listed([result.runs[index] for index in np.flatnonzero(total == total.min())], 2)
    words.append(f"Least {own.total_words}: {least}")
    unnamed = len(result.runs) - sum(1 for side in sides if side is not None)
    if unnamed:
        what = "the ends of families" if families else "the front"
        words.append(f"Named: {what}, where there is room; {unnamed} of {counted(len(result.runs), 'run')} are not")
    return words
