"""The frame of every figure: layers over named data, with title and caption; and a legend of series below it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from biasvar_cli.drawing.style import (
    AXIS,
    LABEL,
    TITLE,
    Rows,
    Spec,
    Style,
    as_title,
    cleaned,
    config,
    shortened,
    width_of_text,
)
from biasvar_cli.tables.render import printable

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left")
RING = "M-1,0A1,1 0 1,1 1,0A1,1 0 1,1 -1,0ZM-0.55,0A0.55,0.55 0 1,0 0.55,0A0.55,0.55 0 1,0 -0.55,0Z"
HOURGLASS = "M-1,-1H1L-1,1H1Z"
_INDENT = 40.0  # points from the left edge to where a legend begins, below a vertical axis of numbers


def by_series(
    field: str,
    domain: Sequence[str],
    style: Style,
    grey_shapes: Mapping[str, str] | None = None,
    *,
    indent: float = _INDENT,
) -> Spec:
    """The channels that distinguish series, by colour and by shape; those in ``grey_shapes`` are grey.

    The legend begins ``indent`` points from the left edge, where the plot does.
    """
    names, grey_shapes = list(domain), grey_shapes or {}
    own = [name for name in names if name not in grey_shapes]
    colours = {name: style.colours.series[index % len(style.colours.series)] for index, name in enumerate(own)}
    shapes = {name: SHAPES[index % len(SHAPES)] for index, name in enumerate(own)} | dict(grey_shapes)
    width = round(style.width - indent - 20)
    legend: Spec = {"title": None, "orient": "bottom", "columns": _columns(names, style, indent), "symbolOpacity": 1}
    legend["labelLimit"] = width
    shown, labels = [printable(name) for name in names], shortened(names, width)
    if labels not in (None, shown):
        legend["labelExpr"] = f"{json.dumps(dict(zip(shown, labels, strict=True)))}[datum.label]"
    ranges = {"color": [colours.get(name, style.colours.grey) for name in names], "shape": [shapes[n] for n in names]}
    return {
        channel: {
            "field": field,
            "type": "nominal",
            "scale": {"domain": names, "range": values},
            "legend": legend,
        }
        for channel, values in ranges.items()
    }


def legend_rows(names: Sequence[str], style: Style, *, indent: float = _INDENT) -> int:
    """How many rows the legend of `by_series` has."""
    return -(-len(names) // _columns(names, style, indent))


def _columns(names: Sequence[str], style: Style, indent: float) -> int:
    longest = max((width_of_text(name) for name in names), default=0) + 22
    return max(1, min(len(names), int((style.width - indent) / longest)))


def unambiguous(name: str, reserved: Collection[str], kind: str) -> str:
    """A name for a legend; one that equals a word of the legend's own has its kind added.

    >>> unambiguous("bm25", ["no run"], "run"), unambiguous("no run", ["no run"], "run")
    ('bm25', 'no run (run)')
    """
    return f"{name} ({kind})" if name in reserved else name


def chart(
    layers: Sequence[Spec],
    datasets: Mapping[str, Rows],
    *,
    title: str,
    caption: Sequence[str],
    style: Style,
    height: float,
    legend_rows: int = 0,
) -> Spec:
    """A figure of layers over named data. ``height`` is about that of the plot itself, in points.

    The width is the whole one, axes and legend included. ``caption`` is sentences.
    """
    text = ". ".join(caption)
    heading, lines = style.wrapped(title, 1.1 * TITLE), style.wrapped(text)
    over = ((TITLE + 2) * len(heading) + TITLE + (LABEL + 2) * len(lines)) if style.titled else 0
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": f"{title}. {text}.",
        "width": round(style.width, 2),
        "height": round(height + over + 4 * AXIS + 1.8 * LABEL * legend_rows),
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": 3,
        "background": style.colours.background,
        "config": config(style),
        "datasets": dict(datasets),
        "layer": list(layers),
    }
    if style.titled:
        spec["title"] = {"text": as_title(heading), "subtitle": lines}
    return dict(cleaned(spec))
