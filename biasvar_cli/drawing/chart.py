"""The frame of every figure: layers over named data, with title, caption and legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biasvar_cli.drawing.spec import Rows, Spec, cleaned
from biasvar_cli.drawing.style import Style, config
from biasvar_cli.drawing.text import AXIS, LABEL, TITLE, as_title


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
