"""The runs that a user highlights: on top of a figure, larger and in a colour of their own, their names bold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biasvar_cli.drawing.style import Rows, Spec, Theme, layer
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.tables.rounding import printable
from biasvar_cli.words import is_highlighted

_SIZE = 60  # of a point, about the square of its width
_SMALL = 16  # that of a point of many
SCORES = "highlighted"  # the dataset of the scores of these runs on each query
_COLOURS = ("color", "fill", "shape", "stroke")  # channels whose legends have no other entry for these runs


def with_highlights(body: Spec, datasets: Mapping[str, Rows], colours: Theme) -> Spec:
    """The plots of a body, with the marks of highlighted runs once more on top of each.

    A row is of a run if its value ``run`` is the name.
    """
    views: Spec = {
        key: [with_highlights(view, datasets, colours) for view in body[key]]
        for key in ("hconcat", "vconcat")
        if key in body
    }
    layers = body.get("layer", [])
    over = [mark for plot in layers for mark in _over(plot, datasets, colours)]
    below = [_without(plot, datasets) for plot in layers]
    return {**body, **views, **({"layer": [*below, *over]} if over else {})}


def highlighted(datasets: Mapping[str, Rows]) -> list[str]:
    """The highlighted runs that a figure has, each once."""
    values = (value for rows in datasets.values() for row in rows for value in row.values())
    return list(dict.fromkeys(f"{value}" for value in values if is_highlighted(value)))


def highlighted_scores(scores: ScoreMatrix, other_than: str = "") -> Rows:
    """The scores of highlighted runs on each query, without those of the run ``other_than``."""
    return [
        {"run": run, "query_id": query, "score": score}
        for run in scores.runs
        if is_highlighted(run) and run != other_than
        for query, score in zip(scores.queries, scores.in_unit.row(run).tolist(), strict=True)
    ]


def highlighted_layers(x: Spec, y: Spec, scores: Rows) -> list[Spec]:
    """The scores of highlighted runs on each query, and the names of these runs in the upper left corner."""
    if not scores:
        return []
    corner: Spec = {"x": {"value": 4}, "y": {"value": 8}}
    return [
        layer(SCORES, "point", {"x": x, "y": y}, filled=True, size=_SMALL),
        layer(f"{SCORES}-names", "text", {**corner, "text": {"field": "label"}}, align="left"),
    ]


def highlighted_names(scores: Rows) -> Rows:
    """The names of the runs of some scores, as the corner has them."""
    runs = list(dict.fromkeys(row["run"] for row in scores))
    return [{"run": runs[0], "label": f"● {', '.join(map(format, runs))}"}]


def bold_labels(names: Sequence[str], colours: Theme) -> Spec:
    """What an axis of names needs to show those of highlighted runs bold and in their colour."""
    runs = [printable(name) for name in names if is_highlighted(name)]
    if not runs:
        return {}
    test = {"test": f"indexof({runs!r}, datum.value) >= 0"}
    return {
        "labelFontWeight": {"condition": {**test, "value": "bold"}, "value": "normal"},
        "labelColor": {"condition": {**test, "value": colours.highlight}, "value": colours.text},
    }


def _without(plot: Spec, datasets: Mapping[str, Rows]) -> Spec:
    """A layer; one of names does without those that stand over it in bold."""
    only = _only(datasets.get(plot.get("data", {}).get("name", ""), []))
    if only is None or plot["mark"]["type"] != "text":
        return plot
    return {**plot, "transform": [*plot.get("transform", []), {"filter": {"not": only}}]}


def _only(rows: Rows) -> Spec | None:
    """The condition of a row of a highlighted run; None where there is none."""
    names = list(dict.fromkeys(row["run"] for row in rows if is_highlighted(row.get("run"))))
    return {"field": "run", "oneOf": names} if names else None


def _over(plot: Spec, datasets: Mapping[str, Rows], colours: Theme) -> Iterator[Spec]:
    """A layer with the marks of highlighted runs alone; none where it has no such run."""
    only, mark = _only(datasets.get(plot.get("data", {}).get("name", ""), [])), plot.get("mark", {})
    looks = _looks(mark, colours)
    if looks is not None and plot["data"]["name"] == SCORES:
        looks |= {"size": _SMALL} if mark["type"] == "point" else {}
    if only is None or looks is None:
        return
    encoding = {channel: axis for channel, axis in plot["encoding"].items() if channel not in _COLOURS}
    if mark["type"] == "bar":  # the parts of a bar stay on each other
        encoding["detail"] = {"field": plot["encoding"]["fill"]["field"]}
    transform = [*plot.get("transform", []), {"filter": only}]
    yield {**plot, "mark": {**mark, **looks}, "encoding": encoding, "transform": transform}


def _looks(mark: Mapping[str, Any], colours: Theme) -> dict[str, Any] | None:
    """How a mark of a highlighted run looks; None for marks that stay, such as rings and the edges of words."""
    colour = colours.highlight
    match mark.get("type"):
        case "point" if mark.get("filled"):
            return {"color": colour, "opacity": 1, "size": _SIZE, "stroke": colours.text, "strokeWidth": 0.8}
        case "rule" | "line" if mark.get("aria", True):
            return {"color": colour, "opacity": 1, "strokeWidth": 2.2}
        case "bar":
            return {"color": colour, "filled": False, "strokeWidth": 1.5}
        case "text" if "stroke" not in mark:
            return {"color": colour, "fontWeight": "bold"}
    return None
