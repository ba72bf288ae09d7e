"""Axes of figures: quantities with their range and ticks, queries, and correlations."""

import json
from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from biasvar_cli import words
from biasvar_cli.arrays import ROUNDING, FloatArray
from biasvar_cli.drawing.chart import BIAS2
from biasvar_cli.drawing.style import (
    AXIS,
    LABEL,
    Rows,
    Spec,
    Style,
    as_title,
    shortened,
    width_of_text,
)
from biasvar_cli.tables.rounding import number
from biasvar_cli.words import (
    VAR_TITLES,
    Better,
    Coefficient,
    Form,
    counted,
    is_highlighted,
    printable,
)

_QUERY = 6.0  # points that a query's id beside another needs
_LONGEST_ID = 80.0  # points; cqadupstack-mathematica needs 77
_IDS = 6  # points, of the ids of queries
_BETWEEN_TICKS = 6.0  # points between the labels of two ticks, at least
_STEP = 0.2  # between correlations at which their axis may end
_LEAST = 0.4  # what an axis of correlations spans at least


def quantity(field: str, title: str | list[str] | None, domain: Sequence[float] | None = None, **more: Any) -> Spec:
    """A number on an axis, which has just the ``domain``, if there is one.

    Layers that share the axis name it alike, or it would have both titles.
    """
    scale = {} if domain is None else {"scale": {"domain": list(domain), "nice": False}}
    return {"field": field, "type": "quantitative", "title": title, **scale, **more}


def labelled(names: Sequence[str], labels: Sequence[str], style: Style) -> Spec:
    """What an axis of names needs to show labels instead of them, in the same order; highlighted runs are bold."""
    axis: Spec = {"labelLimit": 0}
    if runs := [printable(name) for name in names if is_highlighted(name)]:
        test, colours = {"test": f"indexof({runs!r}, datum.value) >= 0"}, style.colours
        axis["labelFontWeight"] = {"condition": {**test, "value": "bold"}, "value": "normal"}
        axis["labelColor"] = {"condition": {**test, "value": colours.highlight}, "value": colours.text}
    if [printable(name) for name in names] != list(labels):
        axis["labelExpr"] = f"{json.dumps(list(labels))}[round(datum.index * {len(names) - 1})]"
    return axis


def in_lines(axis_labels: Sequence[Sequence[str]]) -> Spec:
    """What a vertical axis of names needs to show labels of several lines instead of them, in the same order."""
    lines, index = json.dumps(list(map(list, axis_labels))), f"round(datum.index * {len(axis_labels) - 1})"
    higher = [
        {"test": f"length({lines}[{index}]) == {number}", "value": -(LABEL + 2) * (number - 1) / 2}
        for number in sorted({len(label) for label in axis_labels} - {1})
    ]
    offset = {"labelOffset": {"condition": higher, "value": 0}} if higher else {}
    return {"labelLimit": 0, "labelExpr": f"{lines}[{index}]", "labelLineHeight": LABEL + 2, **offset}


def hardest_first(key: str, better: Better = "more") -> str:
    """The title of an axis of queries in order of their difficulty.

    >>> hardest_first("best")
    'Queries, hardest (lowest best score) first'
    """
    return f"{words.QUERIES:title}, hardest ({'lowest' if better == 'more' else 'highest'} {key} score) first"


def query_axis(
    order: list[str], width: float, title: str, style: Style, *, n_together: int = 1, some: bool = True
) -> tuple[Spec, float]:
    """The queries in some order, with as many of their ids as fit a width; and how high these are, in points.

    Where queries are drawn ``n_together``, ``order`` has the first ones. Without ``some``, all ids are shown or none.
    """
    axis: Spec = {"labels": False, "ticks": False}
    step, height = ceil(_QUERY * len(order) / width), 0.0
    ids = shortened(order, _LONGEST_ID, _IDS) if some or step == 1 else None
    title += f"; {n_together} in a column" if n_together > 1 else ""
    if ids is None:
        title += f"; {words.QUERY} ids not shown"
    else:
        title += f"; one id of {step * n_together} shown" if step * n_together > 1 else ""
        labels = ["" if index % step else label for index, label in enumerate(ids)]
        axis = {"labelAngle": -90, "labelFontSize": _IDS, **labelled(order, labels, style)}
        height = max(width_of_text(label, _IDS) for label in labels)
    axis["grid"], lines = False, style.wrapped(title, AXIS, width)
    spec = {"field": "query_id", "type": "nominal", "title": as_title(lines), "scale": {"domain": order}, "axis": axis}
    return spec, height + (len(lines) - 1) * (AXIS + 2)


def extent(values: FloatArray, *, share: float = 0.07, unit: float = 0.0) -> list[float]:
    """The domain of an axis: from the least to the largest value and a little more.

    Values that differ by no more than rounding, of themselves or of ``unit``, are taken to be equal.

    >>> import numpy as np
    >>> extent(np.array([0.0, 1.0]), share=0.1), extent(np.array([0.5])), extent(np.array([0.0, 1e-33]), unit=0.2)
    ([-0.1, 1.1], [0.45, 0.55], [-0.02, 0.02])
    """
    least, largest = float(values.min()), float(values.max())
    size = max(abs(least), abs(largest), unit)
    spread = largest - least
    margin = share * spread if spread > ROUNDING * size else 0.1 * size or 0.01
    return [rounded(least - margin), rounded(largest + margin)]


def rounded(value: float) -> float:
    """A number to twelve significant digits, without what sums in binary leave behind.

    >>> rounded(0.1 + 0.2), rounded(1e-18 / 3)
    (0.3, 3.33333333333e-19)
    """
    return float(f"{value:.12g}")


def round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large.

    >>> round_step(0.013), round_step(0.3)
    (0.02, 0.5)
    """
    power = 10.0 ** floor(log10(rough))
    return next(rounded(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def tick_format(largest: float) -> Spec:
    """How an axis up to so large a number writes its ticks: with an exponent where zeros would fill the page.

    >>> tick_format(0.2), tick_format(1e-18)
    ({}, {'format': '~g'})
    """
    return {} if 1e-4 <= largest < 1e6 or largest == 0 else {"format": "~g"}


def ticks_with_room(
    low: float, high: float, width: float, beside: tuple[float, float] = (0.0, 0.0)
) -> tuple[list[float], Spec]:
    """The domain of an axis and its ticks: round values whose labels have room on it, two at least.

    Labels may reach so many points ``beside`` its ends. Where there are fewer, the domain reaches to the next round
    value.
    """
    step, written = round_step((high - low) / 10), tick_format(max(abs(low), abs(high))).get("format", "")
    while True:
        form = written or f".{max(0, -floor(log10(step) + 1e-9))}f"
        wide = max(width_of_text(f"{step * at:{form.lstrip('~')}}") for at in (floor(low / step), ceil(high / step)))
        point = (high - low) / width
        left, right = (max(0.0, wide / 2 - room) * point for room in beside)
        first, last = ceil((low + left) / step - 1e-9), floor((high - right) / step + 1e-9)
        if (wide + _BETWEEN_TICKS) / width * (high - low) > step:
            step = round_step(1.01 * step)
        elif first >= last:
            below, above = step * (first - 1) - 1.2 * left, step * (last + 1) + 1.2 * right
            low, high = (below, high) if low - below <= above - high else (low, above)
        else:
            values = [rounded(step * at) for at in range(first, last + 1)]
            return [rounded(low), rounded(high)], {"values": values, "format": form, "labelOverlap": False}


def correlation_range(rows: Rows) -> str:
    """The least and the largest correlation, the title where none is judged.

    >>> correlation_range([{"observed": -0.5}, {"observed": 0.25}])
    'Correlations of bias² and variance from −0.50 to 0.25'
    """
    low, high = (number(end(row["observed"] for row in rows), 2).replace("-", "−") for end in (min, max))
    return f"Correlations of {BIAS2} and variance from {low} to {high}"


def outside_words(rows: Rows) -> str:
    """How many correlations are outside the range of their null models, where there are any.

    >>> outside_words([{"observed": -0.5, "low": -0.4, "high": 0.1}, {"observed": 0.0, "low": -0.4, "high": 0.1}])
    '1 of 2 correlations is outside its range'
    """
    tested = [row for row in rows if row["low"] is not None]
    outside = [row for row in tested if not row["low"] <= row["observed"] <= row["high"]]
    if not outside:
        return "No correlation is outside its range"
    some = f"{len(outside)} of {counted(len(tested), 'correlation')}"
    return f"{some} {'is outside its range' if len(outside) == 1 else 'are outside their ranges'}"


def correlation_axis(coefficient: Coefficient, form: Form, rows: Rows) -> Spec:
    """The observed correlations of some rows and their intervals, from one fifth to another and a little more.

    >>> axis = correlation_axis("kendall", "score", [{"observed": -0.95, "low": None, "high": -0.3}])
    >>> axis["title"], axis["scale"]["domain"]
    ('Kendall’s τ of bias² and variance', [-1.04, -0.16])
    """
    values = [row[key] for row in rows for key in ("observed", "low", "high") if row[key] is not None]
    low, high = _STEP * floor(min(values) / _STEP), _STEP * ceil(max(values) / _STEP)
    if high - low < _LEAST:
        low, high = (low, low + _LEAST) if low + _LEAST <= 1 else (1 - _LEAST, 1.0)
    margin = 0.05 * (high - low)
    title = f"{words.COEFFICIENT_TITLES[coefficient]} of {BIAS2} and {VAR_TITLES[form]}"
    return quantity("observed", title, [rounded(low - margin), rounded(high + margin)])
